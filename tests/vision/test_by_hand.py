"""Pieces outlined by hand: what corners tell of a piece, and what is said of corners that are none's."""

import numpy as np
import pytest

from tests.vision.drawn_table import CARDS_MM, RADIUS_MM, View, enrolment, label, photograph
from vision.enrolling.by_hand import corners_px, outlined
from vision.enrolling.laid_out import LaidOut
from vision.files.label_kinds import LabelError
from vision.mat.registration import Registration
from vision.pieces.learning import find_named
from vision.scene import PieceKind
from vision.shapes import card_shape, place, slice_shape


@pytest.fixture(scope="module")
def laid() -> tuple[Registration, list[LaidOut]]:
    """A table and pieces as they lie on it, without the search for them."""
    pieces = []
    registration = find_named(photograph(enrolment()), "drawn")
    for piece, told in zip(enrolment(), label(enrolment())["pieces"], strict=True):
        is_special = piece.label_kind == "special"
        shape = card_shape(PieceKind.SPECIAL, *CARDS_MM["special"]) if is_special else slice_shape(RADIUS_MM)
        pose = np.array([piece.x_mm, piece.y_mm, piece.angle_deg])
        (seems,) = registration.to_table(np.array(told["outline_px"][:1])) - place(shape.outline[:1], pose)
        pieces.append(LaidOut(shape, pose, pose + np.array([*seems, 0.0]), 1.0))
    return registration, pieces


def test_corners_of_a_piece_are_the_same_piece(laid: tuple[Registration, list[LaidOut]]) -> None:
    registration, pieces = laid
    for piece in pieces:
        again = outlined(corners_px(piece, registration), piece.shape.kind, registration, "mine")
        assert again.pose == pytest.approx(piece.pose, abs=0.2)
        assert again.shape.size_mm == pytest.approx(piece.shape.size_mm, abs=0.15)
        assert np.abs(again.outline_px(registration) - piece.outline_px(registration)).max() < 0.3


@pytest.mark.parametrize("seed", range(4))
def test_unsteadily_pointed_corners_tell_where_a_piece_lies(
    laid: tuple[Registration, list[LaidOut]], seed: int
) -> None:
    """Pointed at about 2 mm beside its corners, whichever comes first and whichever way around a slice's are told."""
    registration, pieces = laid
    rng = np.random.default_rng(seed)
    for piece in pieces:
        corners = np.array(corners_px(piece, registration)) + rng.normal(
            0.0, 1.5, (len(corners_px(piece, registration)), 2)
        )
        if piece.shape.kind is PieceKind.SLICE:
            corners = rng.permutation(corners)
        again = outlined(corners.tolist(), piece.shape.kind, registration, "mine")
        assert np.hypot(*(again.pose - piece.pose)[:2]) < 5.0
        assert abs(again.pose[2] - piece.pose[2] + 180.0) % 360.0 == pytest.approx(180.0, abs=4.0)


def test_a_cards_first_corner_is_at_its_top(laid: tuple[Registration, list[LaidOut]]) -> None:
    """Also where the first two are those of its long side; of a square card they are its top's."""
    registration, pieces = laid
    card = next(piece for piece in pieces if piece.shape.kind is PieceKind.SPECIAL)
    corners = corners_px(card, registration)
    turns = [
        (outlined([*corners[n:], *corners[:n]], PieceKind.SPECIAL, registration, "mine").pose[2] - card.pose[2]) % 360.0
        for n in range(4)
    ]
    assert np.cos(np.radians(turns)) == pytest.approx([1.0, 1.0, -1.0, -1.0], abs=0.01)
    square = np.array([[-30.0, 30.0], [30.0, 40.0], [40.0, -20.0], [-20.0, -30.0]])
    square = registration.to_picture(square)
    angles = [
        outlined(np.roll(square, -n, axis=0).tolist(), PieceKind.ORDER_CARD, registration, "mine").pose[2] % 360.0
        for n in range(4)
    ]
    assert angles == pytest.approx([99.5, 9.5, 279.5, 189.5], abs=0.1)
    the_other_way = square[[0, 3, 2, 1]].tolist()
    assert outlined(the_other_way, PieceKind.ORDER_CARD, registration, "mine").pose[2] == pytest.approx(99.5, abs=0.1)


def test_a_leaning_cameras_corners_are_those_on_the_table() -> None:
    view = View(tilt=0.3)
    registration = find_named(photograph([], view), "drawn")
    truth = next(piece for piece in label(enrolment(), view)["pieces"] if piece["kind"] == "special")
    again = outlined(truth["outline_px"], PieceKind.SPECIAL, registration, "mine")
    assert again.pose[:2] == pytest.approx([truth["x_mm"], truth["y_mm"]], abs=1.0)


@pytest.mark.parametrize(
    ("corners", "kind", "said"),
    [
        (
            [[500, 300], [600, 300]],
            "special",
            "mine has 2 corners; expected the 4 of a special: clockwise from its top",
        ),
        ([[500, 300]], "slice", "mine has 1 corner; expected the 3 of a slice: its tip and both ends of its crust"),
        ([[500, 300]] * 5, "special", "mine has 5 corners; expected the 4 of a special"),
        (
            [[500, 300], [560, 390], [560, 300], [500, 390]],
            "special",
            "mine crosses itself: its side from corner 1 to 2 the one from corner 3 to 4; expected the corners in",
        ),
        (
            [[500, 300], [560, 300], [500, 390], [560, 390]],
            "special",
            "mine crosses itself: its side from corner 2 to 3 the one from corner 4 to 1",
        ),
        (
            [[500, 300], [9999, 300], [9999, 390], [500, 390]],
            "special",
            "mine: corner 2 at x 9999, y 300 lies outside the picture; expected x from 0 to 1280, y from 0 to 720",
        ),
        ([[500, -3], [560, -3], [560, 90], [500, 90]], "special", "corner 1 at x 500, y -3 lies outside the picture"),
        ([[500, 300], [560, 300], [590, 390], [500, 390]], "special", "mine is no special's: its corners lie up to"),
        ([[500, 300], [520, 420], [600, 460]], "slice", "mine is no slice's: its corners lie up to"),
        (
            [[500, 300], [505, 300], [505, 390], [500, 390]],
            "special",
            " mm large; expected a special, 15 to 300 mm a side",
        ),
        ([[500, 300]] * 4, "special", "mine is 0 x 0 mm large"),
        ([[500, 300]] * 3, "slice", "mine is 0 mm large"),
        ([[500, 300], [600, 300], [700, 300]], "slice", "mine has a tip of 0 degrees; expected a slice's, 10 to 60"),
    ],
)
def test_corners_that_are_no_pieces_are_told(
    laid: tuple[Registration, list[LaidOut]], corners: list[list[float]], kind: str, said: str
) -> None:
    registration, _ = laid
    with pytest.raises(LabelError) as told:
        outlined(corners, PieceKind(kind), registration, "mine")
    assert said in str(told.value)


def test_a_corner_too_far_from_the_mat_is_told() -> None:
    """A picture shows more than is looked at."""
    registration = find_named(photograph([], View(height_mm=1600.0)), "drawn")
    corners = registration.to_picture(np.array([[-30.0, 440.0], [30.0, 440.0], [30.0, 350.0], [-30.0, 350.0]]))
    with pytest.raises(LabelError, match=r"^mine: corner 1 lies too far from the mat; expected pieces on it"):
        outlined(corners.tolist(), PieceKind.SPECIAL, registration, "mine")
