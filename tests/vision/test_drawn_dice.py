"""Dice that we draw show what their truth says, as solids too: else networks would learn what is wrong."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulated.dice import PIPS
from tests.rigs.dice_training.samples import geometry_of
from tests.vision.drawn_dice import FAINT_LEVELS, Camera, Die, die_style, draw_dice, photograph_dice, sold_style
from tests.vision.drawn_solid_dice import ring_around, some_room
from vision.dice.patches import DIE_PX, Pyramid, stretched
from vision.frame import Image

Array = NDArray[np.float64]
SURFACE = 120
BODY, INK = np.array([60.0, 60.0, 200.0]), np.array([235.0, 240.0, 235.0])
PLAIN = {
    "what": "dots", "solid": True, "body": BODY, "second": BODY, "marble": None, "pips": INK, "one": (0.13, INK),
    "odd": {}, "radius": 0.09, "spacing": 0.25, "gloss": 0.0, "clear": 0.0, "worn": 0.0, "rim": 0.0, "bowl": 0.0,
    "rounding": 0.08, "ball": 2.0, "rough": 0.1, "swirl": 2.0, "speckle": 0.0, "six": (1.0, 1.0),
}  # fmt: skip


def drawn(die: Die, tilt_deg: float) -> tuple[Image, Array]:
    """A picture of a die and the corners of its top."""
    camera = Camera(tilt_deg, 20.0, 60.0 * 20.0, 20.0, (80.0, 80.0))
    table = np.full((160, 160, 3), SURFACE, np.uint8)
    picture, (truth,) = photograph_dice(np.random.default_rng(5), table, [die], camera)
    assert truth.value == die.value
    return picture, truth.top_px


def spots_inked(picture: Image, top: Array) -> set[tuple[int, int]]:
    """Which of the nine places of pips on the top are nearer to the ink than to the body."""
    along, aside = top[1] - top[0], top[3] - top[0]
    inked = set()
    for column, row in product((-1, 0, 1), repeat=2):
        at = top.mean(0) + PLAIN["spacing"] * (column * along + row * aside)
        x, y = np.round(at).astype(int)
        seen = picture[y - 1 : y + 2, x - 1 : x + 2].mean((0, 1))
        share = float((seen / seen.sum() - BODY / BODY.sum()) @ (INK / INK.sum() - BODY / BODY.sum()))
        if share > 0.5 * float(((INK / INK.sum() - BODY / BODY.sum()) ** 2).sum()):
            inked.add((column, row))
    return inked


def turns_of(value: int) -> list[set[tuple[int, int]]]:
    """The ways that a value's pattern may lie."""
    pattern = set(PIPS[value])
    return [pattern, {(row, -column) for column, row in pattern}]


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("tilt_deg", [0.0, 30.0])
def test_a_solid_die_shows_its_value_on_its_top(value: int, tilt_deg: float) -> None:
    die = Die(0.1, -0.2, 1.0, 25.0, value, die_style(np.random.default_rng(1)) | PLAIN)
    picture, top = drawn(die, tilt_deg)
    assert spots_inked(picture, top) in turns_of(value)


def test_a_solid_die_fills_its_box_and_no_more() -> None:
    style = die_style(np.random.default_rng(1)) | PLAIN
    die = Die(0.0, 0.0, 1.0, 10.0, 3, style)
    picture, top = drawn(die, 20.0)
    red = picture[..., 2].astype(int) - picture[..., 0] > 40
    rows, columns = np.nonzero(red)
    camera = Camera(20.0, 20.0, 60.0 * 20.0, 20.0, (80.0, 80.0))
    _, (truth,) = photograph_dice(np.random.default_rng(5), np.zeros((160, 160, 3), np.uint8), [die], camera)
    seen = np.array([columns.min(), rows.min(), columns.max(), rows.max()])
    assert np.abs(seen - truth.box).max() < 6.0
    assert Pyramid(picture).cut(top.mean(0), np.eye(2))[24, 24].any()


@pytest.mark.parametrize("seed", range(40))
def test_pips_of_dice_as_in_shops_stand_out_from_both_their_colours(seed: int) -> None:
    style = sold_style(np.random.default_rng(seed))
    for body in (style["body"], style["marble"]):
        assert body is None or np.abs(body - style["pips"]).max() >= 2 * FAINT_LEVELS
    assert np.array_equal(style["one"][1], style["pips"])


@pytest.mark.parametrize("seed", range(20))
def test_a_ring_of_light_is_around_the_camera_wherever_that_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    place = np.array([*rng.uniform(-10, 10, 2), 20.0])
    ring = ring_around(rng, some_room(rng), place).lamps[-1]
    assert ring.form == "ring"
    assert np.linalg.norm(ring.way) == pytest.approx(1.0)
    assert ring.way @ (place / np.linalg.norm(place)) > np.cos(np.radians(15))


def test_the_same_seed_draws_the_same_picture() -> None:
    first, second = (draw_dice(np.random.default_rng(12))[0] for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize(("along", "across", "turn"), [(0.0, 0.0, 0.3), (0.3, 0.0, -0.2), (-0.2, 0.25, 0.7)])
def test_a_top_is_told_as_a_square_that_is_turned_and_stretched(along: float, across: float, turn: float) -> None:
    turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * DIE_PX / 2
    for order in (square, np.roll(square, 1, axis=0), square[::-1]):
        told = geometry_of(order @ (stretched(along, across) @ turned).T * 0.8 + [3.0, -6.0])
        expected = [3.0 / DIE_PX, -6.0 / DIE_PX, np.log(0.8), along, across, np.cos(4 * turn), np.sin(4 * turn)]
        assert told == pytest.approx(expected, abs=1e-9)
