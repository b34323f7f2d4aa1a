"""Cutters over Pizza Theory's board: where they lie, which way round, whose they are."""

from dataclasses import replace
from itertools import islice, permutations
from random import Random
from typing import Any

import cv2
import numpy as np
import pytest

from controller.games.pizza_theory.describe import describe
from hardware.simulated.surroundings import Conditions
from tests.benchmarks.altered_report import phone
from tests.benchmarks.simulated_pieces import FAMILIES, enrolled, photograph, photographs
from tests.benchmarks.theory_report import line_error
from tests.long import cases
from tests.vision.drawn_board import PLAIN, Board, Stick, draw, every_space, label, line_ends
from tests.vision.drawn_table import View
from tests.vision.theory_pictures import BEFORE, SURE, found_again, kit_pack, plain_pack, read, same
from vision.board.cutters import certainty, lies_beside, may_be, with_one_more
from vision.board.pose import find_board
from vision.board.resting import Disc, rest
from vision.board.sight import sight_of
from vision.board.stick_colours import CutterFit
from vision.board.stick_edges import on_edges
from vision.board.stick_lines import candidates, other_than_print
from vision.board.toppings import read_spaces
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.pieces.learning import enrol
from vision.reports.report import report_photo
from vision.scene import PieceKind
from vision.shapes import place


@cases("seed", [902, 906], always=0)
def test_cutters_are_read_as_a_phone_shows_them(seed: int) -> None:
    """Sharpened and more colourful they look less like wood, but their edges are the clearer."""
    image, labels = photographs(replace(FAMILIES["boards"], with_hands=0.0), seed, (1280, 720))
    seen = report_photo(phone(image, np.random.default_rng(0)), labels, enrolled(FAMILIES["boards"]), "phone")
    assert sum(piece["kind"] == "cutter" for piece in labels["pieces"]) >= 2
    assert seen.perfect


@cases("turn_deg", [2.0, 125.0, 236.0], always=1)
def test_cutters_and_the_lines_they_lie_on(turn_deg: float) -> None:
    board = Board(-6.0, 5.0, turn_deg)
    numbers = (2, 5, 1)
    sticks = [
        Stick(colour, line_ends(side, numbers[side], board)) for side, colour in enumerate(("black", "blue", "orange"))
    ]
    scene = read(draw(replace(board, sticks=sticks[:2])))
    described: Any = describe(scene)
    assert described["cutters"] == {
        "black": {"side": "1st", "line": 2, "between": None},
        "blue": {"side": "2nd", "line": 5, "between": None},
    }
    seen = next(s for s in scene.sightings if s.kind is PieceKind.CUTTER and s.face == "black")
    first, last = np.array(sticks[0].ends_mm)
    way = (last - first) / np.linalg.norm(last - first)
    off = np.array([seen.pose.x_mm, seen.pose.y_mm]) - (first + last) / 2
    assert abs(off[0] * way[1] - off[1] * way[0]) < 0.5
    assert abs((seen.pose.angle_deg - np.degrees(np.arctan2(way[1], way[0])) + 180.0) % 360.0 - 180.0) < 0.3


def test_a_cutter_between_two_lines_is_on_neither() -> None:
    board = Board(0.0, 0.0, 90.0)
    on, next_to = (np.array(line_ends(0, number, board)) for number in (3, 4))
    ends = (on + next_to) / 2
    stick = Stick("blue", ((ends[0, 0], ends[0, 1]), (ends[1, 0], ends[1, 1])))
    described: Any = describe(read(draw(replace(board, sticks=[stick]))))
    assert described["cutters"] == {"blue": {"side": "1st", "line": None, "between": [3, 4]}}


@cases("turn_deg", [3.0, 20.0], always=1)
@cases("number", [1, 3], always=1)
def test_print_that_looks_like_wood_is_no_cutter(number: int, turn_deg: float) -> None:
    """The drawn board's cheese is nearly as pale; what tells a stick is that it has edges."""
    board = Board(0.0, 0.0, 90.0)
    ends = (np.array(line_ends(0, number, board)) + np.array(line_ends(0, number + 1, board))) / 2
    stick = Stick("blue", ((ends[0, 0], ends[0, 1]), (ends[1, 0], ends[1, 1])))
    seen = read(draw(replace(board, sticks=[stick]), View(turn_deg=turn_deg))).sightings
    (cutter,) = [s for s in seen if s.kind is PieceKind.CUTTER]
    off_mm, angle_deg = line_error(np.array(cutter.outline_mm), ends)
    assert (cutter.face, off_mm < 0.2, angle_deg < 0.1) == ("blue", True, True)


@cases("sticks", [1, 0, 3], always=1)
def test_cutters_laid_down_and_taken_away_are_read_again(sticks: int) -> None:
    two = replace(BEFORE, sticks=BEFORE.sticks[:2])
    _, again, anew = found_again(two, replace(BEFORE, sticks=BEFORE.sticks[:sticks]))
    same(again, anew)
    assert sum(s.kind is PieceKind.CUTTER for s in again) == sticks


@pytest.mark.long
def test_a_cutter_laid_on_another_line_is_read_again() -> None:
    other = Stick("black", line_ends(2, 6 if BEFORE.sticks[2].ends_mm == line_ends(2, 1, BEFORE) else 1, BEFORE))
    _, again, anew = found_again(BEFORE, replace(BEFORE, sticks=[*BEFORE.sticks[:2], other]))
    same(again, anew)


def test_a_stick_rests_on_what_lies_under_its_middle() -> None:
    ends = np.array([[-100.0, 0.0], [100.0, 0.0]])
    assert rest(ends, 1.5, 2.0, [], []) == pytest.approx((3.5, 3.5))
    beside = Disc(np.array([50.0, 20.0]), 9.0, 5.0)
    assert rest(ends, 1.5, 2.0, [beside], []) == pytest.approx((3.5, 3.5))
    under = Disc(np.array([40.0, 0.0]), 9.0, 5.0)
    low, high = rest(ends, 1.5, 2.0, [under], [])
    assert low == pytest.approx(3.5)
    assert low + (high - low) * (131.0 / 200.0) == pytest.approx(6.5)
    sides = [Disc(np.array([off, side * 9.5]), 9.0, 5.0) for off in (-40.0, 40.0) for side in (-1.0, 1.0)]
    assert rest(ends, 1.5, 2.0, sides, []) == pytest.approx((5.0 + 2.0**0.5,) * 2)
    across = (np.array([[10.0, -50.0], [10.0, 50.0]]), (3.5, 3.5))
    low, high = rest(ends, 1.5, 2.0, [], [across])
    assert (low + (high - low) * 0.55, low) == pytest.approx((6.5, 3.5))


def test_a_stick_longer_than_its_board_hangs_over_the_rim() -> None:
    ends = np.array([[-115.0, 0.0], [115.0, 0.0]])
    board = Disc(np.zeros(2), 95.0, 2.0)
    assert rest(ends, 2.5, 0.0, [board], []) == pytest.approx((4.5, 4.5))
    low, high = rest(ends, 2.5, 0.0, [board, Disc(np.array([60.0, 0.0]), 9.0, 5.0)], [])
    slope = 3.0 / (95.0 + 51.0)
    assert (low, high) == pytest.approx((4.5 - 20.0 * slope, 7.5 + 64.0 * slope))


@pytest.mark.long
@cases("seed", [7, 23, 25], always=1)
def test_a_printed_line_that_ends_in_a_white_number_is_no_cutter(seed: int) -> None:
    rng = Random(seed)
    bare = [view for view in FAMILIES["theory"].table(rng) if view.kind is not PieceKind.CUTTER]
    image, _ = photograph(FAMILIES["theory"], bare, Conditions.random(rng), (1280, 720))
    scene = read(image, kit_pack())
    assert [s.face for s in scene.sightings if s.kind is PieceKind.CUTTER] == []
    assert any(s.kind is PieceKind.BOARD for s in scene.sightings)


@pytest.mark.long
@cases("seed", [740026, 740057], always=1)
def test_a_line_that_is_hardly_like_a_cutter_is_not_asked_about(seed: int) -> None:
    image, labels = photographs(FAMILIES["boards"], seed)
    seen = report_photo(image, labels, enrolled(FAMILIES["boards"]), str(seed))
    assert [one for one in seen.extra if one.kind is PieceKind.CUTTER] == []


@pytest.mark.long
def test_cutters_under_and_over_each_other_are_where_they_lie() -> None:
    errors, lying = [], 0
    for seed in (31, 33):
        views = FAMILIES["theory"].table(Random(seed))
        image, labels = photograph(FAMILIES["theory"], views, Conditions(seed=seed), (1920, 1080))
        seen = {s.face: s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER}
        true = {piece["colour"]: piece for piece in labels["pieces"] if piece["kind"] == "cutter"}
        lying += len(true)
        errors += [
            line_error(np.array(sighting.outline_mm), np.array(true[colour]["ends_mm"]))
            for colour, sighting in seen.items()
        ]
    assert len(errors) == lying
    off_mm, turn_deg = np.percentile(errors, 80, axis=0)
    assert off_mm < 0.5
    assert turn_deg < 0.3


@cases("seed", [63, 32], always=0)
def test_a_pale_stick_on_pale_cheese_between_bright_toppings_is_not_overlooked(seed: int) -> None:
    image, labels = photographs(FAMILIES["boards"], seed)
    true = sorted(piece["colour"] for piece in labels["pieces"] if piece["kind"] == "cutter" and piece["visible"] > 0.5)
    seen = [s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER]
    assert sorted(s.face for s in seen) == true
    assert min(s.probability for s in seen) >= SURE


@pytest.mark.long
def test_what_two_cutters_leave_unexplained_leads_to_the_third_at_once() -> None:
    """Many a line through the coloured end of a cutter that was found looks like one, too."""
    image, labels = photographs(replace(FAMILIES["theory"], with_hands=0.0), 9)
    board = kit_pack().board
    assert board is not None
    sight = sight_of(image, find_mat(image))
    fit = find_board(sight, board)
    assert fit is not None
    other = other_than_print(sight, board, fit, read_spaces(sight, board, fit))
    sticks = [np.array(piece["ends_px"]) for piece in labels["pieces"] if piece["kind"] == "cutter"]
    seen = [sight.registration.to_table(ends) for ends in sticks]
    assert len(seen) == 3
    for third in seen:
        rest = [ends for ends in seen if ends is not third]
        line = next(candidates(sight, board, fit, other.without(rest, sight, board, fit)))
        assert lies_beside(line, third)


def test_of_two_lines_explained_alike_that_with_clearer_edges_is_the_stick() -> None:
    """As measured in a game: the second lies askew over a green stick, beside its end, where the mat is pale."""

    def line(seen_mm: list[list[float]], colour: str, score: float, edged: float) -> CutterFit:
        ends = np.array(seen_mm)
        return CutterFit(ends, ends, (0.0, 0.0), ((colour, 1.0),), 1.0, 0.9, score, 0.8, 230.0, edged)

    stick = line([[-69.0, -94.0], [102.0, 60.0]], "green", 4.59, 0.1011)
    askew = line([[-67.0, -90.0], [108.0, 60.0]], "white", 4.62, 0.0571)
    shadow = line([[-72.0, -90.0], [99.0, 64.0]], "white", 3.2, 0.1)
    other = line([[-33.0, 115.0], [7.0, -112.0]], "white", 4.0, 0.1179)
    for order in permutations((stick, askew, shadow, other)):
        found: list[CutterFit] = []
        for cutter in order:
            found = with_one_more(found, cutter)
        assert {id(cutter) for cutter in found} == {id(stick), id(other)}


@pytest.mark.long
@cases("seed", [3, 9, 11, 24], always=1)
def test_which_of_crossing_cutters_lies_above_is_seen(seed: int) -> None:
    views = [view for view in FAMILIES["theory"].table(Random(seed)) if view.kind is PieceKind.CUTTER]
    image, _ = photographs(replace(FAMILIES["theory"], with_hands=0.0), seed)
    seen = [s.face for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER]
    assert seen == [view.piece_id.split(":")[1] for view in views]


@pytest.mark.long
@cases("clearly", [0.6, 0.9], always=1)
def test_a_stick_of_the_board_s_own_colour_is_looked_for_where_its_point_is_seen(clearly: float) -> None:
    rng = Random(5)
    bare = [view for view in FAMILIES["theory"].table(rng) if view.kind is PieceKind.BOARD]
    image, _ = photograph(FAMILIES["theory"], bare, Conditions.random(rng), (1280, 720))
    board = kit_pack().board
    assert board is not None
    sight = sight_of(image, find_mat(image))
    fit = find_board(sight, board)
    assert fit is not None
    other = other_than_print(sight, board, fit, read_spaces(sight, board, fit))
    size = other.known.shape[0]
    ends = np.array([[0, size // 2 - 14], [size - 1, size // 2 - 10]])
    point = cv2.line(np.zeros((size, size), np.uint8), ends[0].tolist(), ends[1].tolist(), 255) > 0
    point &= np.arange(size) > 0.8 * size
    red = board.cutters.colours[board.cutters.names.index("red")].mean(0)
    seen = other.residual + clearly * (point & other.known)[..., None] * (red - other.expected)
    likeliest = list(islice(candidates(sight, board, fit, replace(other, residual=seen.astype(np.float32))), 4))
    true = sight.seen(place((ends - size // 2) * 2.0, fit.pose), fit.height_mm)
    assert any(lies_beside(line, true) for line in likeliest)


def with_plain_sticks(board: Board, *, painted: bool = False, bare: float = 0.0) -> Board:
    """A green, a red and a white one on lines of their own."""
    ends = zip(PLAIN, (2, 5, 1), (0, 1, 2), strict=True)
    lying = [Stick(one, line_ends(side, n, board), painted=painted, bare=bare) for one, n, side in ends]
    return replace(board, sticks=lying)


def sure_cutters(board: Board, faces: FacePack) -> set[str]:
    seen = read(draw(board), faces).sightings
    return {one.face for one in seen if one.kind is PieceKind.CUTTER and one.probability > SURE}


@pytest.mark.long
def test_cutters_that_are_painted_all_over_are_none_of_wood() -> None:
    """What lies behind the coloured ends of all of them has no one colour, and is as much like wood as like print."""
    spaces = dict(zip(every_space()[::3], [*PLAIN] * 9, strict=False))
    shown = with_plain_sticks(Board(3.0, -4.0, 20.0, spaces), painted=True)
    faces = enrol([(draw(shown), label(shown))], source=["drawn"])
    bare = Board(-6.0, 5.0, 125.0)
    assert sure_cutters(with_plain_sticks(bare, painted=True), faces) == {*PLAIN}
    assert not sure_cutters(with_plain_sticks(bare), faces) & {"green", "red"}  # wood is nearly as pale as white


def test_bare_sticks_are_no_sure_cutters() -> None:
    """A skewer over the board is wood to its end, and a white cutter nearly so."""
    board = Board(-6.0, 5.0, 125.0)
    assert sure_cutters(with_plain_sticks(board), plain_pack()) == {*PLAIN}
    assert sure_cutters(with_plain_sticks(board, bare=1.0), plain_pack()) == set()


@cases("turned_deg", [-4.6, -2.0, 3.2, 4.6], always=1)
def test_a_stick_is_found_from_a_line_that_is_turned_well_away_from_it(turned_deg: float) -> None:
    """Where a pale stick lies on pale print, the likeliest line may be another than the stick's."""
    image, labels = photographs(replace(FAMILIES["theory"], with_hands=0.0), 12)
    board = kit_pack().board
    assert board is not None
    sight = sight_of(image, find_mat(image))
    fit = find_board(sight, board)
    assert fit is not None
    for piece in labels["pieces"]:
        if piece["kind"] != "cutter":
            continue
        true = sight.seen(np.array(piece["ends_mm"], np.float64), fit.height_mm)
        turn = np.radians(turned_deg)
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        way = np.diff(on_edges(sight, image, board, fit, (true - true.mean(0)) @ spin.T + true.mean(0))[0], axis=0)[0]
        across = np.diff(true, axis=0)[0]
        crossed = across[0] * way[1] - across[1] * way[0]
        off = np.degrees(np.arcsin(crossed / np.linalg.norm(across) / np.linalg.norm(way)))
        assert abs(off) < 0.6, piece["colour"]


@pytest.mark.parametrize(
    ("edged", "unlike", "sure"),
    [(0.17, 0.95, True), (0.05, 0.76, True), (0.03, 0.7, True), (0.02, 0.9, False), (0.0255, 0.48, False)],
)
def test_a_line_with_faint_edges_that_is_little_like_wood_is_no_sure_cutter(
    edged: float, unlike: float, *, sure: bool
) -> None:
    """However well it is explained: print that was never seen bare, and grain of a wooden board, are."""
    ends = np.array([[0.0, 0.0], [220.0, 0.0]])
    line = CutterFit(ends, ends, (5.0, 5.0), (("white", 1.0),), 1.0, 1.0, 4.8, unlike, 220.0, edged)
    assert (certainty(line) >= 0.9) == sure
    assert may_be(line)
