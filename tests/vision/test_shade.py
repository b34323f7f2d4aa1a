"""Pieces that lie half in the light and half in shade are read, and shade is no piece."""

import numpy as np
import pytest

from tests.long import cases
from tests.vision.altered import ShadowEdge, in_shadow
from tests.vision.drawn_table import Piece, View, enrolled, photograph, without
from vision.frame import Frame, Image
from vision.mat.rectify import table_map
from vision.mat.registration import find_mat
from vision.pieces.checking import check_in_own_light
from vision.pieces.faces import FacePack
from vision.pieces.from_above import FromAbove
from vision.pieces.prepared import prepare
from vision.pieces.reading import OwnLight
from vision.pieces.shade import lights
from vision.reader import Reader, read_photo
from vision.scene import PieceKind
from vision.shapes import place

TABLE = (
    Piece("a/1", 2.0, 0.0, 20.0),
    Piece("a/2", 2.0, 1.0, 54.0),
    Piece("b/2", 0.0, -20.0, 290.0),
    Piece("special/two", 150.0, 60.0, 45.0),
)
ALONG_A_SLICE = ShadowEdge(2.0, 0.0, 110.0, 2.5, 4.0, 1.1)
ACROSS_THE_SPECIAL = ShadowEdge(150.0, 60.0, 80.0, 2.8, 2.0)
ACROSS_THE_CIRCLE = ShadowEdge(30.0, 20.0, 200.0, 3.0, 12.0, 1.05)
EDGES = {"along": ALONG_A_SLICE, "special": ACROSS_THE_SPECIAL, "circle": ACROSS_THE_CIRCLE}


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrolled()


def striped(picture: Image) -> Image:
    """In the sun through blinds that are wider than fingers."""
    rows, columns = np.indices(picture.shape[:2])
    table = find_mat(picture).to_table(np.column_stack([columns.ravel(), rows.ravel()]))
    across = table @ [np.cos(0.7), np.sin(0.7)] / 35.0
    light = 0.5 + 0.5 / (1.0 + np.exp(-6.0 * np.sin(2.0 * np.pi * across)))
    return np.asarray(picture * light.reshape(*picture.shape[:2], 1), np.uint8)


def faces(seen: Image, pack: FacePack) -> list[str]:
    return sorted(piece.face for piece in read_photo(seen, pack).sightings if piece.probability >= 0.9)


@pytest.mark.long
@cases("edge", EDGES.values(), always=1, ids=EDGES)
def test_pieces_that_a_shadows_edge_crosses_are_read(edge: ShadowEdge, pack: FacePack) -> None:
    assert faces(in_shadow(photograph(TABLE, View(noise=2.0)), edge), pack) == sorted(piece.face for piece in TABLE)


@pytest.mark.long
def test_pieces_in_the_stripes_of_blinds_are_read(pack: FacePack) -> None:
    assert faces(striped(photograph(TABLE, View(noise=2.0))), pack) == sorted(piece.face for piece in TABLE)


@pytest.mark.long
@cases("edge", EDGES.values(), always=1, ids=EDGES)
def test_a_shadows_edge_on_the_empty_mat_is_no_piece(edge: ShadowEdge, pack: FacePack) -> None:
    scene = read_photo(in_shadow(photograph((), View(noise=2.0)), edge), pack)
    assert scene.sightings == ()
    assert scene.hidden == ()


@pytest.mark.long
def test_a_face_that_was_never_enrolled_is_not_taken_for_another_in_shade(pack: FacePack) -> None:
    seen = in_shadow(photograph(TABLE, View(noise=2.0)), ALONG_A_SLICE)
    assert set(faces(seen, without(pack, "a/1"))) <= {piece.face for piece in TABLE[1:]}


@pytest.mark.parametrize(("times", "is_told"), [(3.0, True), (5.0, False)])
def test_what_is_mostly_cut_off_tells_nothing_in_shade(times: float, is_told: bool, pack: FacePack) -> None:
    """Light that differs from place to place would explain almost any piece by the rest."""
    piece = Piece("a/3", 2.0, 0.0, 20.0)
    plain = photograph((piece,), View())
    registration = find_mat(plain)
    reader = Reader(pack)
    reader.read(Frame(plain, 0.0, 0))
    assert reader._table is not None
    (lies,) = reader._table.readings
    lit = in_shadow(photograph((piece,), View(noise=0.0)), ALONG_A_SLICE).astype(np.float32) * times
    view = FromAbove(np.asarray(np.clip(lit, 0, 255), np.uint8), table_map(registration), registration)
    found = check_in_own_light(
        OwnLight.SHADE, view.look, lies.kind, lies.prepared, lies.pose[None], np.array([lies.face])
    )
    assert bool(found) is is_told


@pytest.mark.long
def test_nor_in_the_stripes_of_blinds(pack: FacePack) -> None:
    seen = striped(photograph(TABLE, View(noise=2.0)))
    assert set(faces(seen, without(pack, "a/1"))) <= {piece.face for piece in TABLE[1:]}


def test_a_shadow_that_comes_and_goes_moves_nothing(pack: FacePack) -> None:
    reader = Reader(pack)
    for number in range(9):
        seen = photograph(TABLE, View(seed=number + 1))
        scene = reader.read(Frame(in_shadow(seen, ALONG_A_SLICE) if 3 <= number < 6 else seen, number * 1.0, number))
        assert scene.settled is not None
        assert sorted(piece.face for piece in scene.settled.sightings) == sorted(piece.face for piece in TABLE)
        assert not scene.settled.changes


def test_light_is_told_from_print(pack: FacePack) -> None:
    """A slice half in light of a third: what is taken off is that, along the edge and across it."""
    prepared = prepare(pack.kinds[PieceKind.SLICE])
    grid, face = prepared.full, 1
    cells = place(grid.points, np.array([0.0, 0.0, 30.0]))
    dark = np.log(1 / 3.0) * np.clip((cells @ [0.6, 0.8] - 50.0) / 3.0 + 0.5, 0.0, 1.0)
    seen = np.log((np.exp(grid.enrolled[face]) - 64.0) * np.exp(dark) + 64.0)[None]
    found = lights(seen.astype(np.float32), np.array([face]), grid)[0].mean(0)
    off = found - found[dark > -0.01].mean() - dark
    assert np.median(np.abs(off)) < 0.07
    assert np.quantile(np.abs(off), 0.9) < 0.15
