"""A board is learned from what an owner points at in a photo, with an unsteady hand."""

from typing import Any

import cv2
import numpy as np
import pytest

from tests.long import cases
from tests.vision.drawn_board import DIAMETER_MM, FACE_MM, TOP_MM, TOPPING_MM, Board, draw, every_space, space_mm
from tests.vision.drawn_table import View, project
from tests.vision.theory_pictures import arranged, read, spaces_of
from vision.board.marks import MarkedBoard, board_of_marks
from vision.enrolling.marked_board import draw_marked_board
from vision.files.board_marks import parse_marks
from vision.files.label_kinds import LabelError
from vision.mat.registration import find_mat
from vision.pieces.learning import enrol
from vision.scene import EMPTY

UNSTEADY_PX = 1.5
WAYS = {"1st": 0.0, "2nd": 240.0, "3rd": 120.0}
"""Clockwise as seen from above."""
SHOWN = arranged(7, Board(3.0, -4.0, 20.0))


def corner(way_deg: float) -> str:
    """The space farthest in this direction of the board."""
    way = np.array([np.cos(np.radians(way_deg)), np.sin(np.radians(way_deg))])
    return max(every_space(), key=lambda space: float(space_mm(space) @ way))


CORNERS = {name: corner(way_deg) for name, way_deg in WAYS.items()}


def marks_of(board: Board, view: View, seed: int = 1, unsteady_px: float = UNSTEADY_PX) -> dict[str, Any]:
    """What somebody points at, a little beside it."""
    rng = np.random.default_rng(seed)

    def points(own: Any, height_mm: float) -> list[list[float]]:
        at = project(board.to_table(np.array(own, np.float64).reshape(-1, 2)), view, height_mm)
        beside: list[list[float]] = (at + rng.normal(0.0, unsteady_px, at.shape)).tolist()
        return beside

    turn = np.radians([10.0, 80.0, 150.0, 200.0, 260.0, 320.0])
    rim = np.column_stack([np.cos(turn), np.sin(turn)]) * DIAMETER_MM / 2
    spaces = board.spaces or {}
    first = next(iter(spaces))
    return {
        "corners": {name: points(space_mm(space), FACE_MM)[0] for name, space in CORNERS.items()},
        "rim": points(rim, FACE_MM),
        "toppings": {
            colour: points([space_mm(space) for space, its in spaces.items() if its == colour], TOP_MM)
            for colour in sorted(set(spaces.values()))
        },
        "topping_edge": points(space_mm(first) + np.array([TOPPING_MM / 2, 0.0]), TOP_MM)[0],
        "cutters": {
            stick.colour: (project(np.array(stick.ends_mm), view, 6.5) + rng.normal(0.0, unsteady_px, (2, 2))).tolist()
            for stick in board.sticks
        },
    }


def understood(marks: dict[str, Any], image: np.ndarray) -> MarkedBoard:
    return board_of_marks(parse_marks(marks, "laid.jpg"), find_mat(image), "laid.jpg", CORNERS, every_space())


@cases("view", [View(tilt=-0.05, turn_deg=186.0, height_mm=720.0, seed=3), View()], always=1)
def test_a_board_that_was_pointed_at_is_read_like_one_that_was_measured(view: View) -> None:
    image = draw(SHOWN, view)
    board = understood(marks_of(SHOWN, view), image)
    top, *others = board.pieces
    assert (top["x_mm"], top["y_mm"]) == pytest.approx((3.0, -4.0), abs=1.5)
    assert top["diameter_mm"] == pytest.approx(DIAMETER_MM, abs=3.0)
    assert (top["angle_deg"] - SHOWN.angle_deg + 180.0) % 360.0 - 180.0 == pytest.approx(0.0, abs=2.0)
    assert {piece["diameter_mm"] for piece in others if piece["kind"] == "cutter"} == {3.0}
    on_spaces = {piece["space"]: piece["colour"] for piece in others if piece["kind"] == "topping"}
    assert on_spaces == SHOWN.spaces
    pack = enrol([(image, {"pieces": board.pieces})], source=["laid.jpg"], board_spaces=every_space())
    other = arranged(11, Board(-6.0, 5.0, 130.0))
    assert spaces_of(read(draw(other), pack)) == {name: (other.spaces or {}).get(name, EMPTY) for name in every_space()}


def test_a_topping_beside_the_spaces_is_on_none() -> None:
    marks = marks_of(SHOWN, View())
    marks["toppings"]["blue"].append(project(np.array([[160.0, 20.0]]), View(), TOP_MM)[0].tolist())
    board = understood(marks, draw(SHOWN))
    assert [piece["space"] for piece in board.pieces if piece["kind"] == "topping"].count(None) == 1


def test_the_board_is_drawn_where_it_lies() -> None:
    image = draw(SHOWN)
    board = understood(marks_of(SHOWN, View(), unsteady_px=0.0), image)
    drawn = draw_marked_board(image, find_mat(image), board)
    changed = (drawn != image).any(-1)
    for space in every_space():
        (x, y) = project(SHOWN.to_table(space_mm(space)[None]), View(), FACE_MM)[0].round().astype(int)
        assert changed[y - 1 : y + 2, x - 1 : x + 2].all()
    beyond = cv2.circle(np.ones(image.shape[:2], np.uint8), _middle_px(), 250, 0, cv2.FILLED)
    assert not (changed & (beyond > 0)).any()


def _middle_px() -> tuple[int, int]:
    x, y = project(np.array([[3.0, -4.0]]), View())[0].round().astype(int)
    return int(x), int(y)


def without(key: str, of: str | None = None) -> dict[str, Any]:
    marks = marks_of(SHOWN, View())
    del (marks if of is None else marks[of])[key]
    return marks


def exchanged(of: str, one: str, other: str) -> dict[str, Any]:
    marks = marks_of(SHOWN, View())
    marks[of][one], marks[of][other] = marks[of][other], marks[of][one]
    return marks


def with_corners(*points: list[int]) -> dict[str, Any]:
    return marks_of(SHOWN, View()) | {"corners": dict(zip(CORNERS, points, strict=True))}


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        ({}, "the corners at 1st, 2nd, 3rd are not marked; expected all of 1st, 2nd, 3rd"),
        (without("2nd", "corners"), "the corners at 2nd are not marked"),
        (without("rim"), "0 points of the rim are marked; expected 3 or more"),
        (without("toppings"), "no topping is marked"),
        (without("topping_edge"), "no edge of a topping is marked"),
        (marks_of(SHOWN, View()) | {"topping_edge": [5, 5]}, "topping_edge makes toppings [0-9]+ mm wide"),
        (marks_of(SHOWN, View()) | {"rim": [[10, 10], [20, 20], [30, 30]]}, "lie on no circle"),
        (
            marks_of(SHOWN, View()) | {"rim": [[300, 60], [620, 60], [940, 60], [940, 380], [940, 700], [300, 700]]},
            "lie on no circle; expected .* around the round edge of the pizza that is printed on it",
        ),
        (marks_of(SHOWN, View()) | {"rim": [[100, 100], [500, 100], [300, 300]]}, "the rim's middle is"),
        (with_corners([600, 300], [600, 300], [600, 300]), "the corners leave 0 mm from space to space"),
        (with_corners([600, 300], [800, 300], [700, 310]), "the corners miss even spaces by"),
        (
            exchanged("corners", "2nd", "3rd"),
            r"the corners 1st at \[[0-9]+, [0-9]+\], 2nd at .*, 3rd at .* follow each other counter-clockwise; "
            "expected 1st, 2nd, 3rd clockwise as seen from above",
        ),
    ],
)
def test_what_marks_lack_is_said(marks: dict[str, Any], why: str) -> None:
    with pytest.raises(LabelError, match=why) as refused:
        understood(marks, draw(SHOWN))
    assert str(refused.value).startswith("marks of laid.jpg: ")


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        (5, "marks is 5; expected an object with corners, rim"),
        ({"rims": []}, "marks has 'rims'; expected corners, rim"),
        ({"corners": []}, r"marks\.corners is \[\]; expected an object with the names printed there"),
        ({"corners": {"1st": [1]}}, r"marks\.corners\.1st is \[1\]; expected a point"),
        ({"rim": [[1, 2], [float("nan"), 2]]}, r"marks\.rim\[1\] is \[nan, 2\]; expected a point"),
        ({"rim": {"a": 1}}, r"marks\.rim is .*; expected a list"),
        ({"toppings": {"red": [[1, True]]}}, r"marks\.toppings\.red\[0\] is \[1, True\]"),
        ({"cutter_mm": 0}, r"marks\.cutter_mm is 0; expected a number of millimetres from 1\.5 to 19"),
        ({"cutter_mm": None}, r"marks\.cutter_mm is None; expected a number"),
        ({"topping_edge": [1e9, 2]}, r"marks\.topping_edge is \[1000000000\.0, 2\]"),
        ({"cutters": {"red": [[1, 2]]}}, r"marks\.cutters\.red is \[\[1, 2\]\]; expected two points apart"),
        ({"cutters": {"red": [[1, 2], [1, 2]]}}, r"marks\.cutters\.red is .*; expected two points apart"),
    ],
)
def test_marks_of_another_form_are_refused(marks: object, why: str) -> None:
    with pytest.raises(LabelError, match=f"^mine.json: {why}"):
        parse_marks(marks, "mine.json")
