"""How much lamps flicker, by pictures of the simulated table: what hands and cameras do is no flicker."""

from random import Random

import cv2
import numpy as np
import pytest

from hardware.simulated.camera import SimulatedCamera
from hardware.simulated.circumstances import Circumstances
from hardware.simulated.flicker import MAINS_HZ
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import Gesture, World, WorldSnapshot
from tests.hardware.test_camera import VirtualClock
from tests.long import cases
from vision.light.flicker import FEWEST, Flicker, flicker_of
from vision.motion import Small, shrink

SEEDS = range(3)
PICTURES = 24
SIZE = (640, 360)
BOTH_MOVE_HZ = 22.0
"""In pictures of this rate stripes of either mains move, each at a pace of its own."""


def small_pictures(
    seed: int, circumstances: Circumstances, hands: int = 0, rate_hz: float = BOTH_MOVE_HZ
) -> list[Small]:
    """What a camera takes in a row of an empty table in any light, where so many people reach over it."""
    rng, clock = Random(seed), VirtualClock()
    conditions, world = Conditions.random(rng), World(Random(seed), clock())
    for seat in range(1, hands + 1):
        for _ in range(3):
            hover = rng.uniform(-200.0, 200.0), rng.uniform(-150.0, 150.0)
            world.perform(Gesture(seat, (), duration_s=0.8, linger_s=0.2, hover=hover))

    def snapshot() -> WorldSnapshot:
        world.advance(clock())
        return world.snapshot()

    renderer = Renderer({}, conditions.camera_model(*SIZE), conditions)
    camera = circumstances.seen_by(SimulatedCamera(snapshot, renderer, clock, clock.sleep, rate_hz), seed)
    return [shrink(camera.read(1.0).image) for _ in range(PICTURES)]


def told(pictures: list[Small], rate_hz: float = BOTH_MOVE_HZ) -> Flicker:
    flicker = flicker_of(pictures, range(len(pictures)), rate_hz)
    assert flicker is not None
    return flicker


@cases("seed", SEEDS, always=1)
@pytest.mark.parametrize("share", [0.03, 0.1])
def test_how_much_lamps_flicker_and_on_which_mains(seed: int, share: float) -> None:
    flicker = told(small_pictures(seed, Circumstances(flicker=share)))
    assert flicker.share == pytest.approx(share, rel=0.25)
    assert flicker.mains_hz() == Random(seed).choice(MAINS_HZ)


@cases("seed", SEEDS, always=1)
def test_a_hand_does_not_hide_it(seed: int) -> None:
    assert told(small_pictures(seed, Circumstances(flicker=0.05), hands=1)).share == pytest.approx(0.05, rel=0.25)


@cases("seed", SEEDS, always=1)
@cases(
    ("circumstances", "hands"),
    [
        (Circumstances(), 1),
        (Circumstances(), 6),
        (Circumstances(), 0),
        (Circumstances(webcam=True), 2),
    ],
    ids=["a hand", "six hands", "an empty table", "a webcam's automatics"],
    always=2,
)
def test_in_steady_light_nothing_flickers(seed: int, circumstances: Circumstances, hands: int) -> None:
    assert told(small_pictures(seed, circumstances, hands)).share == 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_boom_that_swings_is_no_flicker(seed: int) -> None:
    rng = Random(seed)
    swings_hz, blocks = rng.uniform(3.0, 9.0), rng.uniform(0.1, 1.0)
    swung = []
    for number, picture in enumerate(small_pictures(seed, Circumstances())):
        down = blocks * np.sin(2 * np.pi * swings_hz * number / BOTH_MOVE_HZ)
        moved = np.array([[1.0, 0.0, 0.3 * down], [0.0, 1.0, down]])
        swung.append(
            np.asarray(
                cv2.warpAffine(picture, moved, picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.float32
            )
        )
    assert told(swung).share == 0.0


def test_stripes_that_stand_still_are_not_told_and_it_is_known_which() -> None:
    at_50_hz = next(seed for seed in SEEDS if Random(seed).choice(MAINS_HZ) == 50.0)
    flicker = told(small_pictures(at_50_hz, Circumstances(flicker=0.1), rate_hz=25.0), 25.0)
    assert flicker.share == 0.0
    assert flicker.untold_hz() == [50]
    assert [Flicker(0.0, 0.0, rate).untold_hz() for rate in (BOTH_MOVE_HZ, 30.0, 20.0)] == [[], [60], [50, 60]]


def test_pictures_that_the_camera_dropped_count() -> None:
    """The camera's own numbers tell the pace."""
    pictures = small_pictures(1, Circumstances(flicker=0.1))
    kept = [0, *range(3, 9), *range(12, PICTURES)]
    flicker = flicker_of([pictures[number] for number in kept], kept, BOTH_MOVE_HZ)
    assert flicker is not None
    assert flicker.share == pytest.approx(0.1, rel=0.25)
    assert flicker.mains_hz() == Random(1).choice(MAINS_HZ)


def test_too_few_pictures_and_the_dark_tell_nothing() -> None:
    pictures = small_pictures(0, Circumstances())
    assert flicker_of(pictures[: FEWEST - 1], range(FEWEST - 1), BOTH_MOVE_HZ) is None
    dark = [np.asarray(picture * 0.02, np.float32) for picture in pictures]
    assert flicker_of(dark, range(PICTURES), BOTH_MOVE_HZ) is None


def test_a_pace_of_its_own_is_of_no_mains() -> None:
    assert Flicker(0.05, 3.0, BOTH_MOVE_HZ).mains_hz() is None
    assert Flicker(0.05, 0.0, 20.0).mains_hz() is None
