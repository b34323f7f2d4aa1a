"""What counts as a change between pictures."""

import numpy as np
import pytest

from tests.long import cases
from vision.following.settling import Motion
from vision.motion import TALLEST, WIDTH, differs, shrink

RNG_SEED = 3


def picture(level: float = 120.0, noise: float = 3.0, seed: int = RNG_SEED) -> np.ndarray:
    rng = np.random.default_rng(seed)
    wavy = level + 40 * np.sin(np.arange(1280) / 50)[None, :, None]
    return np.clip(wavy + rng.normal(0, noise, (720, 1280, 3)), 0, 255).astype(np.uint8)


@pytest.mark.parametrize(("size", "rows"), [((1, 5000), 1), ((5000, 1), TALLEST), ((1280, 720), 427)])
def test_a_small_picture_of_any_shape_is_small(size: tuple[int, int], rows: int) -> None:
    assert shrink(np.full((*size, 3), 120, np.uint8)).shape == (rows, WIDTH, 3)


@pytest.mark.parametrize("noise", [0.0, 3.0, 9.0])
def test_noise_is_no_change(noise: float) -> None:
    assert not differs(shrink(picture(noise=noise)), shrink(picture(noise=noise, seed=4))).any()


@pytest.mark.parametrize("gain", [0.9, 0.98, 1.03])
def test_exposure_is_no_change(gain: float) -> None:
    brighter = np.clip(picture().astype(float) * gain, 0, 255).astype(np.uint8)
    assert not differs(shrink(brighter), shrink(picture(seed=4))).any()


def test_a_small_thing_is_a_change_where_it_lies() -> None:
    changed = picture(seed=4)
    changed[300:330, 600:640] = 30
    found = np.argwhere(differs(shrink(changed), shrink(picture())))
    blocks = found * (1280 / 240)
    assert len(found) >= 20
    assert blocks.min(0) == pytest.approx([298, 598], abs=8)
    assert blocks.max(0) == pytest.approx([328, 638], abs=8)


OTHER_LIGHT = {
    "a veil": (np.array([0.55, 0.55, 0.55]), 90.0),
    "a weak veil": (np.array([0.8, 0.8, 0.8]), 40.0),
    "a warm lamp": (np.array([0.6, 0.85, 1.1]), 0.0),
}


@pytest.mark.parametrize(("gains", "more"), OTHER_LIGHT.values(), ids=OTHER_LIGHT)
def test_other_light_is_no_change_and_hides_none(gains: np.ndarray, more: float) -> None:
    before, after = picture(), picture(seed=4)
    assert not differs(shrink((after * gains + more).astype(np.uint8)), shrink(before)).any()
    after[300:330, 600:640] = 30
    found = np.argwhere(differs(shrink((after * gains + more).astype(np.uint8)), shrink(before)))
    assert len(found) >= 20
    assert (found * (1280 / 240)).min(0) == pytest.approx([298, 598], abs=8)


@cases("deviation", [10.0, 25.0, 40.0], always=1)
def test_a_camera_that_sees_little_more_than_noise_comes_to_rest(deviation: float) -> None:
    """How much it shows is known after some seconds, by pictures shortly after each other."""
    rng = np.random.default_rng(3)
    shots = [
        shrink(np.clip(picture() + rng.normal(0.0, deviation, picture().shape), 0, 255).astype(np.uint8))
        for _ in range(6)
    ]
    motion = Motion(shots[0], 0.0)
    for number in range(1, 60):
        moving = motion.follow(shots[number % 6], number / 10)
    assert not moving.any()
    assert not differs(shots[0], shots[3], motion.tolerance, motion.noise).any()


def test_light_that_comes_and_stays_is_no_noise_a_moment_later() -> None:
    before, after = picture(), picture(seed=4)
    stripes = 0.7 + 0.3 * np.sin(np.arange(after.shape[1]) / 30.0)[None, :, None]
    lit = (after * stripes).astype(np.uint8)
    lit[300:330, 600:640] = 30
    motion = Motion(shrink(before), 0.0)
    for number in range(1, 20):
        motion.follow(shrink(lit), number / 10)
    found = differs(shrink(lit), shrink(before), motion.tolerance, motion.noise)
    assert found[57:61, 113:119].all()


def test_a_single_hot_pixel_is_no_change() -> None:
    changed = picture(seed=4)
    changed[400, 700] = 255
    assert not differs(shrink(changed), shrink(picture())).any()


def test_stripes_of_light_over_all_of_the_table_are_no_noise() -> None:
    """Most blocks differ then, and what changed with them was taken for noise as well."""
    before, after = picture(), picture(seed=4)
    stripes = 0.7 + 0.3 * np.sin(np.arange(after.shape[1]) / 30.0)[None, :, None]
    after[300:330, 600:640] = 30
    found = differs(shrink((after * stripes).astype(np.uint8)), shrink(before))
    assert found[57:61, 113:119].all()
