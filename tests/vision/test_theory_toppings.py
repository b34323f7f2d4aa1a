"""Toppings on Pizza Theory's board and beside it."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import cv2
import numpy as np
import pytest

from controller.games.pizza_theory.describe import describe
from hardware.simulated.surroundings import Conditions, MatStyle, Surface
from hardware.simulated.world import PieceView
from tests.benchmarks.simulated_pieces import FAMILIES, photograph, photographs
from tests.long import cases
from tests.vision.drawn_board import COLOURS, PLAIN, TOPPING_MM, Board, draw, every_space, space_mm
from tests.vision.drawn_table import View, project
from tests.vision.theory_pictures import BEFORE, SURE, arranged, found_again, kit_pack, plain_pack, read, same
from vision.mat.registration import find_mat
from vision.scene import EMPTY, PieceKind, Pose


@pytest.mark.long
@cases("wide_mm", [28.0, 32.0, 90.0], always=1)
@cases("colour", ["blue", "black"], always=1)
def test_what_is_wider_than_a_topping_and_looks_like_one_is_none(colour: str, wide_mm: float) -> None:
    """A bottle cap, or a plate: whatever lies under it is not said."""
    board = arranged(11, Board(0.0, 0.0, 30.0))
    around = np.linspace(0.0, 2.0 * np.pi, 60)
    middle = board.to_table(space_mm("0,0,0")[None])[0] + (4.0, 3.0)
    cap = middle + wide_mm / 2 * np.stack([np.cos(around), np.sin(around)], 1)
    picture = draw(board)
    cv2.fillPoly(picture, [np.round(project(cap, View())).astype(np.int32)], COLOURS[colour])
    scene = read(picture)
    found = next(s for s in scene.sightings if s.kind is PieceKind.BOARD)
    for space in found.spaces:
        inside = cv2.pointPolygonTest(cap.astype(np.float32), (space.x_mm, space.y_mm), True)
        if inside > 5.0:
            assert not space.contents or space.contents[0].probability < SURE, space
        elif inside < -14.0:
            assert space.contents[0].face == (board.spaces or {}).get(space.name, EMPTY)
    toppings = [s for s in scene.sightings if s.kind is PieceKind.TOPPING and s.probability >= SURE]
    for one in toppings:
        at = (one.pose.x_mm, one.pose.y_mm)
        assert cv2.pointPolygonTest(cap.astype(np.float32), at, True) < 0.0
    assert any(
        cv2.pointPolygonTest(np.array(place.outline_mm, np.float32), middle.tolist(), False) > 0
        for place in scene.hidden
    )


@pytest.mark.long
@cases("colour", ["blue", "orange", "black"], always=1)
def test_a_pencil_of_a_toppings_colour_is_no_topping(colour: str) -> None:
    """It shows print on both of its sides; what lies elsewhere is read as without it."""
    board = arranged(11, Board(0.0, 0.0, 30.0))
    row = [name for name in every_space() if name.startswith("0,")]
    others = {name: one for name, one in (board.spaces or {}).items() if name not in row}
    bare = replace(board, spaces=others, sticks=())
    first, last = (bare.to_table(space_mm(name)[None])[0] for name in ("0,-3,3", "0,3,-3"))
    way = (last - first) / np.linalg.norm(last - first)
    side = np.array([-way[1], way[0]])
    middle = (first + last) / 2
    pencil = middle + np.array(
        [-60.0 * way - 4 * side, 60.0 * way - 4 * side, 60.0 * way + 4 * side, -60.0 * way + 4 * side]
    )
    picture = draw(bare)
    cv2.fillPoly(picture, [np.round(project(pencil, View())).astype(np.int32)], COLOURS[colour])
    found = next(s for s in read(picture).sightings if s.kind is PieceKind.BOARD)
    for space in found.spaces:
        sure = space.contents[0].face if space.contents and space.contents[0].probability >= SURE else None
        if space.name in row:
            assert sure in (EMPTY, None), space
        else:
            assert sure == (bare.spaces or {}).get(space.name, EMPTY)


def test_loose_toppings_are_counted() -> None:
    board = arranged(17, Board(0.0, 0.0, 30.0))
    loose = {"blue": [(-160.0, 20.0), (-160.0, 50.0)], "black": [(150.0, -100.0)], "orange": [(30.0, 165.0)]}
    described: Any = describe(read(draw(board, loose=loose)))
    assert described["loose"] == {colour: len(places) for colour, places in loose.items()}
    assert described["spaces"] == board.spaces


PLAIN_ONES = {
    "white": [(-160.0, 20.0), (-165.0, 55.0), (40.0, 160.0)],
    "green": [(150.0, -95.0)],
    "red": [(160.0, 30.0)],
}


def test_plain_toppings_are_counted_also_on_a_mat_as_pale_as_they_are() -> None:
    board = arranged(17, Board(0.0, 0.0, 30.0), tuple(PLAIN))
    described: Any = describe(read(draw(board, loose=PLAIN_ONES), plain_pack()))
    assert described["loose"] == {colour: len(places) for colour, places in PLAIN_ONES.items()}
    assert described["spaces"] == board.spaces


@pytest.mark.long
def test_what_is_printed_on_the_mat_or_is_not_round_is_no_plain_topping() -> None:
    picture = draw(arranged(17, Board(0.0, 0.0, 30.0), tuple(PLAIN)))
    turn = np.linspace(0.0, 2.0 * np.pi, 60)
    circle = TOPPING_MM / 2 * np.stack([np.cos(turn), np.sin(turn)], 1)
    square = TOPPING_MM / 2 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])

    def pixels(outline: Any, at: tuple[float, float]) -> list[Any]:
        return [np.round(project(outline + at, View()) * 16).astype(np.int32)]

    for x, outline in ((-30.0, circle), (0.0, square)):
        cv2.fillPoly(picture, pixels(outline, (x, 160.0)), PLAIN["white"], cv2.LINE_AA, 4)
    cv2.polylines(picture, pixels(circle, (30.0, 160.0)), True, (150, 160, 165), 1, cv2.LINE_AA, 4)
    for y, outline in (
        (-30.0, square),
        (0.0, 0.85 * square),
        (30.0, circle * np.array([1.3, 0.8])),
        (60.0, 0.75 * circle),
    ):
        cv2.fillPoly(picture, pixels(outline, (-158.7, y - 1.0)), (150, 165, 175), cv2.LINE_AA, 4)
        cv2.fillPoly(picture, pixels(outline, (-160.0, y)), PLAIN["green" if y < 20 else "white"], cv2.LINE_AA, 4)
    described: Any = describe(read(picture, plain_pack()))
    assert described["loose"] == {}


@pytest.mark.long
def test_a_topping_laid_down_and_one_taken_away_are_read_again() -> None:
    spaces = dict(BEFORE.spaces or {})
    free = sorted(set(every_space()) - set(spaces))
    taken = sorted(spaces)[3]
    del spaces[taken]
    spaces[free[2]] = "orange"
    known, again, anew = found_again(BEFORE, replace(BEFORE, spaces=spaces))
    same(again, anew)
    assert {s.name: s.contents[0].face for s in again[0].spaces}[free[2]] == "orange"
    stayed = [sighting for sighting in again if any(sighting is old for old in known)]
    assert len(stayed) >= len(known) - 2 - 4, "what nothing touched is the very sighting of before"


def test_loose_toppings_are_read_again() -> None:
    _, again, anew = found_again(BEFORE, BEFORE, loose={"blue": [(-160.0, 20.0)], "orange": [(30.0, 165.0)]})
    same(again, anew)


PALE = {
    "cream mat, pale cloth": Conditions(mat=MatStyle.CREAM, surface=Surface.PLAIN, seed=41),
    "cream mat, checked cloth": Conditions(mat=MatStyle.CREAM, surface=Surface.CHECKED_CLOTH, kelvin=4200.0, seed=42),
}


@pytest.mark.long
@cases("conditions", PALE.values(), always=1, ids=PALE.keys())
def test_white_toppings_on_pale_ground_are_counted_and_nothing_else(conditions: Conditions) -> None:
    bare = [view for view in FAMILIES["theory"].table(Random(41)) if view.kind is not PieceKind.CUTTER]
    places = [(-165.0, 30.0), (-160.0, 62.0), (130.0, -120.0), (168.0, 20.0), (260.0, 60.0), (300.0, -90.0)]
    loose = [
        PieceView(
            f"topping:white:{i}",
            PieceKind.TOPPING,
            "topping/white",
            True,
            Pose(*at, 50.0 * i),
            0.0,
            1.0,
            (0.0, 0.0),
            None,
        )
        for i, at in enumerate(places)
    ]
    for lying in ([], loose):
        image, _ = photograph(FAMILIES["theory"], [*bare, *lying], conditions)
        described: Any = describe(read(image, kit_pack()))
        assert described["loose"] == ({"white": len(lying)} if lying else {})


@pytest.mark.long
def test_toppings_in_heaps_are_counted() -> None:
    for seed in (502, 514):
        image, labels = photographs(replace(FAMILIES["heaps"], with_hands=0.0), seed)
        loose = Counter(
            piece["colour"] for piece in labels["pieces"] if piece["kind"] == "topping" and "space" not in piece
        )
        described: Any = describe(read(image, kit_pack()))
        assert sum(loose.values()) > 9
        assert described["loose"] == loose


@pytest.mark.long
def test_white_squares_of_a_cloth_are_no_toppings() -> None:
    bare = [view for view in FAMILIES["theory"].table(Random(41)) if view.kind is not PieceKind.CUTTER]
    image, _ = photograph(FAMILIES["theory"], bare, Conditions(surface=Surface.WALNUT, seed=43))
    mat = find_mat(image)
    for x in range(-480, 481, 38):
        for y in range(-240, 241, 38):
            if max(abs(x), abs(y)) > 220:
                corners = np.array([[x, y], [x + 18.5, y], [x + 18.5, y + 18.5], [x, y + 18.5]], float)
                cv2.fillPoly(image, [np.round(mat.to_picture(corners)).astype(np.int32)], (205, 222, 228))
    described: Any = describe(read(image, kit_pack()))
    assert described["loose"] == {}


@cases("seed", [22, 36, 50], always=0)
def test_toppings_of_which_sticks_leave_half_are_told_and_those_that_hardly_show_never_surely(seed: int) -> None:
    image, labels = photographs(replace(FAMILIES["theory"], with_hands=0.0), seed)
    scene = read(image, kit_pack())
    seen = [s for s in scene.sightings if s.kind is PieceKind.TOPPING]
    for true in (piece for piece in labels["pieces"] if piece["kind"] == "topping" and piece["visible"] >= 0.5):
        assert true["colour"] in {
            s.face for s in seen if np.hypot(s.pose.x_mm - true["x_mm"], s.pose.y_mm - true["y_mm"]) < 5.0
        }
    hardly = [s for s in seen if s.visible < 0.3]
    assert hardly
    assert all(s.probability < SURE for s in hardly)
