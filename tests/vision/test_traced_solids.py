"""Meshes of dice for the path tracer: closed, one side wide, and their tops show the pips they should."""

import numpy as np
import pytest

from tests.rigs.dice_training.traced_solids import Solid, linear_rgb, solid_die, solid_form
from tests.vision.drawn_dice import sold_style
from vision.dice.pips import SIDE_PX, SIZE, pip_fits


def _made(seed: int, value: int = 5) -> Solid:
    rng = np.random.default_rng(seed)
    style = sold_style(rng) | {"what": "dots", "odd": {}, "marble": None, "sharp": 1.0, "grain": 0.0}
    return solid_die(rng, style, solid_form(rng), (1, 6, 2, 5, value, 7 - value))


@pytest.mark.parametrize("seed", range(4))
def test_a_die_is_one_side_wide_and_its_normals_point_outwards(seed: int) -> None:
    solid = _made(seed)
    assert np.abs(solid.points).max() == pytest.approx(0.5, abs=0.01)
    assert ((solid.normals * solid.points).sum(1) > 0).all()
    first, second, third = (solid.points[solid.triangles[:, k]] for k in range(3))
    around = np.cross(second - first, third - first)
    assert ((around * solid.normals[solid.triangles[:, 0]]).sum(1) > -1e-9).mean() > 0.99
    volume = float((np.cross(first, second) * third).sum() / 6)
    assert 0.6 < volume < 1.0


@pytest.mark.parametrize("value", range(1, 7))
def test_the_top_shows_its_value(value: int) -> None:
    solid = _made(10 + value, value)
    top = solid.normals[:, 2] > 0.5
    places = np.round(solid.points[top, :2] * SIDE_PX + (SIZE - 1) / 2).astype(int)
    patch = np.zeros((SIZE, SIZE, 3))
    patch[places[:, 1], places[:, 0]] = solid.colours[top] * 255
    assert int(pip_fits(patch.astype(np.uint8))[0].argmax()) + 1 == value


def test_colours_are_told_as_light() -> None:
    assert linear_rgb(np.array([0.0, 128.0, 255.0])) == pytest.approx([1.0, 0.2158, 0.0], abs=1e-3)
