"""What is noise and light, and what has changed, where two pictures show one place."""

import numpy as np
import pytest

from vision.following.unchanged import Shown, only_noise
from vision.frame import Image

NOISE = 2.0
SHAPE = (216, 384)
BLOCKS = (27, 48)


def place(seed: int, noise: float = NOISE, light: float = 1.0, spot: float = 0.0) -> Image:
    """Coloured paper with some print, and a spot two pixels wide that is darker by so many levels."""
    printed = np.full((*SHAPE, 3), (190.0, 200.0, 210.0))
    printed[40:80, 40:200] = (60.0, 140.0, 90.0)
    printed[150:153] = 30.0
    printed[120:122, 300:302] -= spot
    seen = printed * light + np.random.default_rng(seed).normal(0.0, noise, printed.shape)
    return np.asarray(np.clip(np.round(seen), 0, 255), np.uint8)


EVERYWHERE = np.full(SHAPE, 255, np.uint8)


@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("noise", [0.0, 0.4, 1.0, NOISE])
def test_noise_and_a_little_more_light_are_no_change(seed: int, noise: float) -> None:
    assert only_noise(place(1, noise), place(seed, noise), EVERYWHERE)
    assert only_noise(place(1), place(seed, light=1.03), EVERYWHERE)


@pytest.mark.parametrize("seed", range(2, 12))
def test_a_small_spot_is_a_change_where_it_is_looked_for(seed: int) -> None:
    left = EVERYWHERE.copy()
    left[:, 200:] = 0
    assert not only_noise(place(1), place(seed, spot=60.0), EVERYWHERE)
    assert only_noise(place(1), place(seed, spot=60.0), left)


def test_in_other_light_and_in_much_noise_nothing_is_told() -> None:
    half = place(2)
    half[:, 192:] = (half[:, 192:] * 0.8).astype(np.uint8)
    for other in (place(2, light=0.85), half):
        assert not only_noise(place(1), other, EVERYWHERE)
    assert not only_noise(place(1, noise=12.0), place(2, noise=12.0), EVERYWHERE)
    assert not only_noise(place(1), place(2), np.zeros_like(EVERYWHERE))


def test_only_blocks_that_were_kept_in_mind_are_compared() -> None:
    blocks = np.zeros(BLOCKS, np.uint8)
    blocks[3:12, 2:30] = blocks[13:17, 35:40] = 255
    shown = Shown(place(1), blocks)
    assert shown.alike(place(2), blocks)
    assert not shown.alike(place(2, spot=90.0), blocks)
    elsewhere = blocks.copy()
    elsewhere[13:17, 35:40] = 0
    assert shown.alike(place(2, spot=90.0), elsewhere)
    elsewhere[20, 5] = 255
    assert not shown.alike(place(2), elsewhere)
