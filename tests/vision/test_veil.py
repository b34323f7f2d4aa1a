"""Light over a whole picture is noticed by the mat's markers, and taken off."""

import numpy as np
import pytest

from tests.long import cases
from tests.vision.altered import lit
from tests.vision.drawn_table import Piece, View, enrolled, enrolment, label, photograph, without
from vision.frame import Frame, Image
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.pieces.learning import enrol
from vision.pieces.veil import unveiled, veil_levels
from vision.reader import Reader, read_photo

TABLE = (
    Piece("a/1", 2.0, 0.0, 20.0),
    Piece("a/2", 2.0, 1.0, 54.0),
    Piece("b/2", 0.0, -20.0, 290.0),
    Piece("special/two", 150.0, 60.0, 45.0),
)
MOVED = (*TABLE[:3], Piece("special/two", -150.0, 60.0, 45.0))
VEIL = 90.0


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrolled()


def veiled(picture: Image, share: float = 0.55, veil: float = VEIL) -> Image:
    return np.asarray(np.clip(picture * share + veil, 0, 255), np.uint8)


def faces(seen: Image, pack: FacePack) -> list[str]:
    return sorted(piece.face for piece in read_photo(seen, pack).sightings if piece.probability >= 0.9)


@pytest.mark.parametrize(
    "view",
    [View(), View(light=(0.3, 0.3, 0.3), noise=3.0), View(blur=1.3, noise=4.0), View(light=(0.5, 0.62, 0.7))],
    ids=["plain", "dim", "unsharp", "warm lamp"],
)
def test_there_is_none_as_a_rule(view: View) -> None:
    picture = photograph(TABLE, view)
    registration = find_mat(picture)
    assert not veil_levels(picture, registration).any()
    assert unveiled(picture, registration) is picture


def test_as_much_is_taken_off_as_lies_over_the_picture() -> None:
    picture = photograph(TABLE)
    registration = find_mat(picture)
    seen = veiled(picture)
    levels = veil_levels(seen, registration)
    assert (levels > 0.6 * VEIL).all()  # not all of it: print is not taken to be as black as what is drawn
    assert (levels < 1.05 * VEIL).all()
    assert not veil_levels(unveiled(seen, registration), registration).any()


def test_a_veil_over_one_marker_is_none_over_the_picture() -> None:
    picture = photograph(TABLE)
    registration = find_mat(picture)
    (x, y), (right, below) = (np.array(f(registration.markers_px[0], 0)).astype(int) for f in (np.min, np.max))
    picture[y : below + 1, x : right + 1] = veiled(picture[y : below + 1, x : right + 1])
    assert not veil_levels(picture, registration).any()


@pytest.mark.long
def test_pieces_behind_a_veil_are_read(pack: FacePack) -> None:
    assert faces(veiled(photograph(TABLE)), pack) == sorted(piece.face for piece in TABLE)


@pytest.mark.long
def test_a_face_that_was_never_enrolled_is_not_taken_for_another_under_a_lamp(pack: FacePack) -> None:
    other = (*TABLE[1:], Piece("b/1", 2.0, 0.0, 20.0))
    fewer = without(pack, "b/1")
    for added in (60.0, 110.0):
        seen = lit(photograph(other, View(noise=2.0)), 60.0, 70.0, added)
        assert set(faces(seen, fewer)) <= {piece.face for piece in TABLE[1:]}


def test_faces_learned_behind_a_veil_are_nearly_those_without_one(pack: FacePack) -> None:
    learned = enrol([(veiled(photograph(enrolment())), label(enrolment()))], source=["drawn"])
    for kind, faces_of in pack.kinds.items():
        off = np.abs(learned.kinds[kind].colours - faces_of.colours)
        assert np.median(off) < 0.1  # logarithms; 0.16 with the veil left on


@cases("veil", [VEIL, 50.0], always=1)
def test_what_is_moved_while_a_veil_comes_is_noticed(pack: FacePack, veil: float) -> None:
    """It was not: where most of the picture changed, nothing of it did."""
    reader = Reader(pack)
    for number in range(3):
        reader.read(Frame(photograph(TABLE, View(seed=number + 1)), number * 1.0, number))
    for number in range(3, 6):
        picture = veiled(photograph(MOVED, View(seed=number + 1)), veil=veil)
        scene = reader.read(Frame(picture, number * 1.0, number))
    seen = {piece.face: piece.pose for piece in scene.sightings if piece.probability >= 0.9}
    assert sorted(seen) == sorted(piece.face for piece in MOVED)
    assert seen["special/two"].x_mm == pytest.approx(-150.0, abs=2.0)


@pytest.mark.long
def test_a_veil_that_comes_moves_nothing(pack: FacePack) -> None:
    reader = Reader(pack)
    for number in range(3):
        before = reader.read(Frame(photograph(TABLE, View(seed=number + 1)), number * 1.0, number))
    for number in range(3, 6):
        scene = reader.read(Frame(veiled(photograph(TABLE, View(seed=number + 1))), number * 1.0, number))
    assert scene.sightings == before.sightings
    assert scene.at_rest_s > before.at_rest_s
