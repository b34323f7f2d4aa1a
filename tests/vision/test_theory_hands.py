"""Hands over Pizza Theory's board: what they hide is hidden, and what shows beside them is read."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from controller.games.pizza_theory.describe import KINDS
from tests.benchmarks.altered_report import blinds, phone
from tests.benchmarks.simulated_pieces import FAMILIES, enrolled, photographs
from tests.benchmarks.theory_report import line_error
from tests.long import cases
from tests.vision.altered import as_some_camera_shows_it
from tests.vision.drawn_board import Board, draw
from tests.vision.rendered import load, with_photos
from tests.vision.theory_pictures import SURE, UNDER_HANDS, arranged, kit_pack, learned_from, read
from vision.board.covering import covering_outlines, find_covering
from vision.board.covering_light import ground_of, look_at
from vision.board.pose import find_board
from vision.board.sight import inside_any, sight_of
from vision.board.sightings import odd_ones_doubted
from vision.board.toppings import SpaceFit, read_spaces
from vision.frame import Image
from vision.looking_for import finders_for
from vision.mat.registration import find_mat
from vision.pieces.learning import enrol
from vision.reader import read_photo
from vision.reports.report import report_photo
from vision.scene import EMPTY, HiddenCause, PieceKind
from vision.shapes import place

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@pytest.mark.long
def test_what_is_white_on_a_white_mat_is_no_tip_where_a_hand_hides_the_other_end() -> None:
    """The mat beyond a stick's blunt end was its white end, and it lay the other way round."""
    image, labels = photographs(FAMILIES["boards"], 766033)
    seen = as_some_camera_shows_it(image, np.random.default_rng(766033))
    assert report_photo(seen, labels, enrolled(FAMILIES["boards"]), "hidden end").sure_but_wrong == 0


@pytest.mark.long
@with_photos
def test_a_rim_that_a_phone_shows_redder_is_no_hand() -> None:
    """Where red is cut off, and levels along a curve, the rest of a colour seemed to be something that lies there."""
    image, labels = load("theory-beta-07")
    scene = read(phone(image, np.random.default_rng(0)), learned_from("theory-beta-06"))
    board = next(s for s in scene.sightings if s.kind is PieceKind.BOARD)
    assert not board.covering_mm
    true = {p["colour"]: p["angle_deg"] for p in labels["pieces"] if p["kind"] == "cutter"}
    seen = {s.face: s for s in scene.sightings if s.kind is PieceKind.CUTTER}
    for colour, angle_deg in true.items():
        assert abs((seen[colour].pose.angle_deg - angle_deg + 180.0) % 360.0 - 180.0) < 1.0
        assert seen[colour].probability > 0.5


def test_what_a_hand_covers_is_not_guessed() -> None:
    board = arranged(11, Board(0.0, 0.0, 30.0))
    hand = np.array([[-30.0, -260.0], [30.0, -260.0], [35.0, -20.0], [0.0, 5.0], [-35.0, -20.0]])
    scene = read(draw(board, hand=hand))
    found = next(s for s in scene.sightings if s.kind is PieceKind.BOARD)
    for space in found.spaces:
        truth = (board.spaces or {}).get(space.name, EMPTY)
        if cv2.pointPolygonTest(hand.astype(np.float32), (space.x_mm, space.y_mm), True) > 9.0:
            assert not space.contents or space.contents[0].probability < SURE
        elif cv2.pointPolygonTest(hand.astype(np.float32), (space.x_mm, space.y_mm), True) < -12.0:
            assert space.contents[0].face == truth
    places = [np.array(place.outline_mm, np.float32) for place in scene.hidden if place.cause is HiddenCause.HAND]
    for point in ((0.0, -40.0), (0.0, -190.0)):
        assert any(cv2.pointPolygonTest(outline, point, False) > 0 for outline in places)
    assert not any(cv2.pointPolygonTest(outline, (80.0, 80.0), False) > 0 for outline in places)


def test_what_fits_badly_or_hardly_shows_beside_a_hand_is_not_sure() -> None:
    hand = np.array([[0.0, 0.0], [40.0, 0.0], [40.0, 60.0], [0.0, 60.0]])

    def fitted(x_mm: float, cost: float, seen: float = 1.0) -> SpaceFit:
        return SpaceFit("0,0,0", (("white", 0.99), (EMPTY, 0.01)), np.array([x_mm, 30.0]), seen, cost)

    spaces = [fitted(-12.0, 14.0), fitted(-12.0, 5.0, 0.4), fitted(-12.0, 5.0, 0.6), fitted(-60.0, 14.0, 0.4)]
    shares = [space.contents[0][1] for space in odd_ones_doubted([hand], spaces, 18.0)]
    assert max(shares[:2]) < 0.9
    assert shares[2:] == [0.99, 0.99]
    assert list(odd_ones_doubted([], spaces, 18.0)) == spaces


@pytest.mark.long
@cases("seed", [14, 36, 15], always=1)
def test_a_cutter_partly_under_a_hand_is_read_by_what_shows(seed: int) -> None:
    image, labels = photographs(UNDER_HANDS, seed)
    seen = {s.face: s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER}
    true = {piece["colour"]: piece for piece in labels["pieces"] if piece["kind"] == "cutter"}
    assert any(piece["visible"] < 0.75 for piece in true.values())
    for colour, piece in true.items():
        if piece["visible"] >= 0.5:
            off_mm, turn_deg = line_error(np.array(seen[colour].outline_mm), np.array(piece["ends_mm"]))
            assert off_mm < 2.0
            assert turn_deg < 1.5
            assert seen[colour].probability > 0.5


@pytest.mark.long
@cases("seed", [15, 16], always=1)
def test_beside_hands_in_stripes_of_light_nothing_on_a_board_is_sure(seed: int) -> None:
    """The stripes are taken off the picture, and off the fingers, which look like toppings then."""
    image, _ = photographs(UNDER_HANDS, seed)
    sightings = read(blinds(image, np.random.default_rng(seed)), kit_pack()).sightings
    [board] = [s for s in sightings if s.kind is PieceKind.BOARD]
    hands = [np.array(outline, np.float32) for outline in board.covering_mm]
    spaces = [(space.x_mm, space.y_mm, one.probability) for space in board.spaces for one in space.contents[:1]]
    spaces += [(s.pose.x_mm, s.pose.y_mm, s.probability) for s in sightings if s.kind is PieceKind.TOPPING]
    beside = [how_sure for x, y, how_sure in spaces if any(cv2.pointPolygonTest(h, (x, y), True) > -8.0 for h in hands)]
    assert beside
    assert max(beside) < 0.9
    assert max(how_sure for *_, how_sure in spaces) > 0.95, "away from them all is as it was"


@pytest.mark.long
@cases("seed", [210, 734132], always=1)
def test_hands_over_what_tells_its_turn_leave_a_board_s_turn_open(seed: int) -> None:
    """What covers the print stays where it is, whichever turn the board is thought to lie in."""
    image, labels = photographs(replace(FAMILIES["boards"], with_hands=1.0), seed)
    (true,) = [piece for piece in labels["pieces"] if piece["kind"] == "board"]
    (seen,) = [s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.BOARD]
    off_deg = abs((seen.pose.angle_deg - true["angle_deg"] + 180.0) % 360.0 - 180.0)
    assert off_deg < 2.0 or seen.probability < 0.8


@pytest.mark.long
def test_a_cutter_whose_point_a_hand_hides_is_of_no_sure_colour() -> None:
    """Two lie there: that it has the colour of neither the other nor of one that is hidden cannot be known."""
    image, labels = photographs(UNDER_HANDS, 38)
    true = [piece["colour"] for piece in labels["pieces"] if piece["kind"] == "cutter"]
    seen = {s.face: s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER}
    assert sorted(true) == ["red", "white"]
    assert seen["red"].probability > SURE
    assert max(s.probability for colour, s in seen.items() if colour != "red") < 0.6


@pytest.mark.long
def test_pale_skin_on_a_white_mat_is_no_white_point_of_a_cutter() -> None:
    """Fingers over the board reach it from beyond its rim, where they look like the mat."""
    image, labels = photographs(FAMILIES["boards"], 731364)
    true = sorted(piece["colour"] for piece in labels["pieces"] if piece["kind"] == "cutter")
    seen = [s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER]
    assert sorted(s.face for s in seen) == true
    assert {s.face: s.probability > SURE for s in seen}["red"] is False, "its point does not show"


@pytest.mark.long
def test_cutters_side_by_side_are_no_hand() -> None:
    """Two of them cross at ten degrees."""
    image, labels = photographs(replace(FAMILIES["theory"], with_hands=0.0), 65)
    seen = [s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.CUTTER]
    assert len([s for s in seen if s.probability > SURE]) == len([p for p in labels["pieces"] if p["kind"] == "cutter"])


def truly_under(labels: Mapping[str, Any], image: Image, at_px: Array) -> Flags:
    """Whether hands cover points of a picture (n x 2)."""
    truth = np.zeros(image.shape[:2], np.uint8)
    for piece in labels["pieces"]:
        if piece["kind"] == "hand":
            cv2.fillPoly(truth, [np.array(outline, np.int32) for outline in piece["outlines_px"]], 255)
    column, row = np.clip(np.round(at_px).astype(int).T, 0, [[image.shape[1] - 1], [image.shape[0] - 1]])
    return np.asarray(truth[row, column] > 0)


@cases(("seed", "hands"), [(7, 1.0), (10, 1.0), (732024, 1.0), (732062, 1.0), (12, 0.0)], always=1)
def test_what_lies_over_a_board_is_known_from_its_print(seed: int, hands: float) -> None:
    image, labels = photographs(replace(FAMILIES["theory"], with_hands=hands), seed)
    board = kit_pack().board
    assert board is not None
    registration = find_mat(image)
    sight = sight_of(image, registration)
    fit = find_board(sight, board)
    assert fit is not None
    covering = find_covering(sight, board, fit, read_spaces(sight, board, fit))
    hidden = replace(fit, covering=covering).hidden_at(board.points)
    table = place(board.points.reshape(-1, 2), fit.pose)
    under = truly_under(labels, image, registration.to_picture(sight.seen(table, fit.height_mm))).reshape(hidden.shape)
    on_board = np.linalg.norm(board.points, axis=-1) < board.diameter_mm / 2
    assert under[on_board].any() == bool(hands)
    assert hidden[on_board & ~under].mean() < (0.2 if hands else 0.001)
    if hands:
        assert hidden[on_board & under].mean() > 0.9


@pytest.mark.long
@cases("seed", [741000, 741145], always=1)
def test_what_reaches_for_a_board_hides_the_table_beside_it(seed: int) -> None:
    image, labels = photographs(UNDER_HANDS, seed)
    board = kit_pack().board
    assert board is not None
    sight = sight_of(image, find_mat(image))
    fit = find_board(sight, board)
    assert fit is not None
    covering = find_covering(sight, board, fit, read_spaces(sight, board, fit)) > 0
    look = look_at(sight, ground_of(board), fit)
    under = truly_under(labels, image, sight.registration.to_picture(look.at_mm.reshape(-1, 2))).reshape(covering.shape)
    assert np.count_nonzero(look.beside & under) > 50
    assert covering[look.beside & under].mean() > 0.8
    assert covering[look.beside & ~under].mean() < 0.1


@pytest.mark.long
@cases("seed", [741265, 741312], always=1)
def test_a_board_of_which_hands_leave_half_is_found(seed: int) -> None:
    """A plain table costs less than that, though hardly anything shows its print there."""
    image, labels = photographs(UNDER_HANDS, seed)
    (true,) = [piece for piece in labels["pieces"] if piece["kind"] == "board"]
    (seen,) = [s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.BOARD]
    assert (seen.pose.x_mm, seen.pose.y_mm) == pytest.approx((true["x_mm"], true["y_mm"]), abs=1.5)
    assert abs((seen.pose.angle_deg - true["angle_deg"] + 180.0) % 360.0 - 180.0) < 1.0


@pytest.mark.long
@cases("seed", [732055, 740144], always=1)
def test_toppings_of_which_fingers_leave_half_are_told(seed: int) -> None:
    image, labels = photographs(UNDER_HANDS, seed)
    seen = [s for s in read(image, kit_pack()).sightings if s.kind is PieceKind.TOPPING]
    shown = [piece for piece in labels["pieces"] if piece["kind"] == "topping" and piece["visible"] >= 0.5]
    assert sum(piece["visible"] < 0.65 for piece in shown) > 2
    for true in shown:
        near = [s for s in seen if np.hypot(s.pose.x_mm - true["x_mm"], s.pose.y_mm - true["y_mm"]) < 5.0]
        assert [s.face for s in near] == [true["colour"]]


@pytest.mark.long
def test_fingers_that_too_much_light_makes_pale_are_no_white_toppings() -> None:
    image, labels = photographs(FAMILIES["boards"], 742137)
    seen = read(np.clip(image * 1.6, 0.0, 255.0).astype(np.uint8), kit_pack()).sightings
    white = [s for s in seen if s.kind is PieceKind.TOPPING and s.face == "white" and s.probability >= 0.5]
    true = np.array([[p["x_mm"], p["y_mm"]] for p in labels["pieces"] if p.get("colour") == "white"])
    assert white
    for one in white:
        assert np.hypot(*(true - [one.pose.x_mm, one.pose.y_mm]).T).min() < 6.0


def test_what_shows_amid_what_covers_a_board_is_outside_its_outlines() -> None:
    image, _ = photographs(UNDER_HANDS, 7)
    board = kit_pack().board
    assert board is not None
    sight = sight_of(image, find_mat(image))
    fit = find_board(sight, board)
    assert fit is not None
    away = np.hypot(*np.meshgrid(np.arange(-49, 50), np.arange(-49, 50)))
    ring = replace(fit, covering=np.where((away > 5.0) & (away < 20.0), 255, 0).astype(np.uint8))
    points = np.array([[0.0, 0.0], [9.0, 0.0], [-30.0, 0.0], [0.0, 30.0], [0.0, -60.0]])
    at = sight.seen(place(points, fit.pose), fit.height_mm)
    assert inside_any(at, covering_outlines(sight, ring)).tolist() == [False, False, True, True, False]


@pytest.mark.long
@with_photos
def test_a_die_beside_the_board_is_no_hand_that_reaches_for_it() -> None:
    pizza_theory = KINDS & {PieceKind.BOARD, PieceKind.DIE}
    faces = enrol([load("theory-alpha-01")], source=["theory-alpha-01"])
    image, labels = load("theory-alpha-02")
    scene = read_photo(image, faces, finders=finders_for(pizza_theory, faces))
    dice = sum(piece["kind"] == "die" for piece in labels["pieces"])
    assert sum(sighting.kind is PieceKind.DIE for sighting in scene.sightings) == dice
    assert scene.hidden == ()
