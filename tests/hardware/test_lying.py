"""Sticks come to rest on whatever they touch, and are drawn as they lie."""

import numpy as np
import pytest

from hardware.kit.theory import CUTTER_MM, SLEEVE_MM
from hardware.simulated.lying import lying
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView, WorldSnapshot
from tests.benchmarks.simulated_pieces import FAMILIES
from vision.scene import PieceKind, Pose


def view(kind: PieceKind, face: str, x_mm: float, y_mm: float, angle_deg: float = 0.0) -> PieceView:
    return PieceView(f"{face}:{x_mm}:{y_mm}", kind, face, True, Pose(x_mm, y_mm, angle_deg), 0.0, 1.0, (0.0, 0.0), None)


BOARD = view(PieceKind.BOARD, "board", 0.0, 0.0)
STICK = view(PieceKind.CUTTER, "cutter/red", 0.0, 0.0)


def test_a_stick_lies_flat_on_the_board_and_on_toppings_at_both_sides() -> None:
    assert lying([STICK])[0].base_mm == pytest.approx(0.0)
    flat = lying([BOARD, STICK])[1]
    assert (flat.base_mm, flat.rise_mm) == pytest.approx((2.0, 0.0))
    sides = [view(PieceKind.TOPPING, "topping/red", x, 11.0) for x in (-40.0, 40.0)]
    assert lying([BOARD, *sides, STICK])[-1].base_mm == pytest.approx(5.0), "it is stiff: two edges carry it"
    beside = [view(PieceKind.TOPPING, "topping/red", x, 12.0) for x in (-40.0, 40.0)]
    assert lying([BOARD, *beside, STICK])[-1].base_mm == pytest.approx(2.0)


def test_a_stick_tilts_over_another() -> None:
    across = view(PieceKind.CUTTER, "cutter/green", 30.0, 0.0, 90.0)
    lies = lying([BOARD, across, STICK])[-1]
    top = float(lies.base_at(np.array([30.0]))[0])
    assert top == pytest.approx(2.0 + SLEEVE_MM, abs=0.3)
    assert float(lies.base_at(np.array([-95.0]))[0]) == pytest.approx(2.0, abs=0.1)
    assert lies.rise_mm == pytest.approx(SLEEVE_MM / 122.0 * CUTTER_MM, rel=0.05)


def test_a_tilted_stick_is_drawn_where_its_ends_are() -> None:
    conditions = Conditions(noise=0.0, shadow=0.0, gradient=0.0, vignette=0.0)
    camera = conditions.camera_model(1920, 1080)
    views = [view(PieceKind.CUTTER, "cutter/green", 30.0, 0.0, 90.0), STICK]
    lies = lying(views)[1]
    assert lies.rise_mm > 5.0
    renderer = Renderer(FAMILIES["theory"].art(), camera, conditions)
    pictures = [
        renderer.render(WorldSnapshot(0.0, tuple(some), (), frozenset(), ())).astype(int) for some in (views, views[:1])
    ]
    differs = np.abs(pictures[0] - pictures[1]).max(-1) > 12
    for along in (-110.0, 110.0):
        for aside, there in ((-1.5, True), (1.5, True), (-SLEEVE_MM / 2 - 2.0, False), (SLEEVE_MM / 2 + 2.0, False)):
            high = lies.base_at(np.array([along]))[0] + SLEEVE_MM
            column, row = np.round(camera.project(np.array([[along, aside, high]]))[0]).astype(int)
            assert differs[row, column] == there, (along, aside)
