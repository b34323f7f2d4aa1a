"""What a lamp's reflection or the sun has blown out is hidden, and white paper is not."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.long import cases
from tests.vision.drawn_table import Piece, View, enrolled, photograph, project
from vision.frame import Frame, Image
from vision.hiding.cells import coarse_map
from vision.hiding.foreign import washed_out
from vision.light.glare import find_glare, paper_levels, with_spaces_open
from vision.mat.rectify import table_map
from vision.mat.registration import find_mat
from vision.motion import Small
from vision.pieces.faces import FacePack
from vision.reader import Reader, read_photo
from vision.reports.drawing import HATCHINGS, draw_scene
from vision.scene import FaceLikelihood, HiddenCause, HiddenPlace, PieceKind, Pose, Scene, Sighting, Space

DIM = View(light=(0.72, 0.76, 0.8))
RING = (Piece("a/1", 2.0, 0.0, 20.0), Piece("a/2", 2.0, 1.0, 54.0), Piece("back", -120.0, 30.0, 200.0))
UNDER = Piece("b/2", 0.0, -30.0, 270.0)
SPOT_MM = (0.0, -85.0)
HAND = np.array([[-185.0, 300.0], [-180.0, 60.0], [-215.0, 50.0], [-235.0, 80.0], [-255.0, 300.0]])


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrolled()


def lit(image: Image, spot_mm: tuple[float, float] = SPOT_MM, light: float = 900.0, width_px: float = 75.0) -> Image:
    """A picture with a lamp's reflection on the table."""
    x, y = project(np.array([spot_mm]), DIM)[0]
    rows, columns = np.mgrid[: image.shape[0], : image.shape[1]]
    added = light * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / width_px**2)
    return np.asarray(np.clip(image + added[..., None], 0, 255), np.uint8)


def exposed(image: Image, gain: float) -> Image:
    return np.asarray(np.clip(image * gain, 0, 255), np.uint8)


def glare(scene: Scene) -> list[HiddenPlace]:
    return [place for place in scene.hidden if place.cause is HiddenCause.GLARE]


def inside(place: HiddenPlace, spot_mm: tuple[float, float]) -> bool:
    return cv2.pointPolygonTest(np.array(place.outline_mm, np.float32), spot_mm, False) > 0


def test_what_glare_blinds_is_hidden_and_not_guessed(pack: FacePack) -> None:
    scene = read_photo(lit(photograph((*RING, UNDER), DIM)), pack)
    assert sorted(s.face for s in scene.sightings) == sorted(piece.face for piece in RING)
    [place] = scene.hidden
    assert place.cause is HiddenCause.GLARE
    assert inside(place, SPOT_MM)
    assert not inside(place, (-120.0, 30.0))


@pytest.mark.long
def test_glare_is_drawn_in_its_own_colour(pack: FacePack) -> None:
    image = lit(photograph(RING, DIM))
    drawn = draw_scene(image, read_photo(image, pack), find_mat(image))
    x, y = np.round(project(np.array([SPOT_MM]), DIM)[0]).astype(int)
    seen = drawn[y - 12 : y + 12, x - 12 : x + 12].reshape(-1, 3)
    assert HATCHINGS[HiddenCause.GLARE].colour in {tuple(pixel) for pixel in seen.tolist()}
    assert HATCHINGS.keys() == set(HiddenCause)


@pytest.mark.long
@cases("gain", [1.0, 1.3, 1.6, 2.2], always=1)
def test_a_bright_picture_hides_nothing(pack: FacePack, gain: float) -> None:
    assert glare(read_photo(exposed(photograph((*RING, UNDER)), gain), pack)) == []


@pytest.mark.long
def test_a_lamp_too_weak_to_blind_hides_nothing(pack: FacePack) -> None:
    scene = read_photo(lit(photograph((*RING, UNDER), DIM), light=60.0), pack)
    assert scene.hidden == ()
    assert "b/2" in {s.face for s in scene.sightings}


@pytest.mark.long
def test_a_table_that_is_watched_says_so_while_hands_move_and_no_longer_when_the_lamp_is_out(pack: FacePack) -> None:
    reader, table = Reader(pack), (*RING, UNDER)
    first = reader.read(Frame(lit(photograph(table, DIM)), 0.0, 0))
    moving = reader.read(Frame(lit(photograph(table, DIM, hand=HAND)), 0.1, 1))
    dark = [reader.read(Frame(photograph(table, replace(DIM, seed=i)), 0.2 + i, i)) for i in range(2, 6)]
    assert len(glare(first)) == len(glare(moving)) == 1
    assert {place.cause for place in moving.hidden} == {HiddenCause.GLARE, HiddenCause.HAND}
    assert dark[-1].hidden == ()
    assert "b/2" in {s.face for s in dark[-1].sightings}


def block_picture(paper: float, spot: float, fade: float) -> Small:
    """A small picture of a table at 150 with a blown out square in it that fades over so many blocks."""
    x, y = np.abs(np.mgrid[:135, :240] - np.array([60, 120])[:, None, None])
    away = np.maximum(np.maximum(x, y) - spot, 0.0)
    level = np.where(away == 0, 255.0, 150.0 + 104.0 * np.exp(-away / max(fade, 1e-3)))
    level[5:10, 5:10] = paper
    return np.repeat(level[..., None], 3, -1).astype(np.float32)


@pytest.mark.parametrize(
    ("paper", "spot", "fade", "is_glare"),
    [
        pytest.param((170.0,) * 4, 10, 0.0, True, id="brighter than any paper there: the sun, with an edge"),
        pytest.param((255.0, 170.0, 172.0, 168.0), 10, 0.0, True, id="one marker lies in it"),
        pytest.param((235.0,) * 4, 10, 8.0, True, id="brighter than paper, and fades"),
        pytest.param((235.0,) * 4, 10, 0.0, False, id="as bright as a white card in more light"),
        pytest.param((253.0,) * 4, 10, 8.0, False, id="white paper is blown out, too"),
        pytest.param((170.0,) * 4, 2, 0.0, False, id="as small as the white of a die"),
        pytest.param((), 10, 8.0, False, id="nothing tells how bright paper is"),
    ],
)
def test_glare_is_told_from_paper(paper: tuple[float, ...], spot: float, fade: float, *, is_glare: bool) -> None:
    found = find_glare(block_picture(200.0, spot, fade), paper)
    assert bool(found[60, 120]) is is_glare
    assert found.any() == is_glare
    assert not found[7, 7]


def crossed_by_print(paper: float) -> Small:
    """A part that fades along half of its edge, and ends along print on the other; print runs through it, too."""
    small = block_picture(paper, 10, 8.0)
    small[:, 131:] = 120.0
    small[58:60, 110:130] = 240.0
    return small


CORNERS = np.array([(70.0, 10.0), (170.0, 10.0), (170.0, 110.0), (70.0, 110.0)])


@pytest.mark.parametrize(
    ("paper", "is_glare"),
    [
        pytest.param((235.0,) * 4, True, id="brighter than paper would be"),
        pytest.param((232.0, 246.0, 246.0, 232.0), False, id="as bright as paper may be on that side"),
    ],
)
def test_glare_in_which_pieces_lie_fades_where_their_print_ends(paper: tuple[float, ...], *, is_glare: bool) -> None:
    assert bool(find_glare(crossed_by_print(paper[0]), paper, CORNERS)[60, 120]) is is_glare


SIDE_BY_SIDE = (
    *(Piece(face, x, -10.0, 270.0) for face, x in (("a/1", -60.0), ("a/2", 0.0), ("b/2", 60.0))),
    *(Piece(face, x, -130.0, 90.0) for face, x in (("a/1", -30.0), ("a/2", 30.0))),
)


@pytest.mark.long
@cases("spot_mm", [(0.0, -85.0), (30.0, -70.0)], always=1)
def test_a_lamp_mirrored_in_many_pieces_on_bright_paper_hides_them(
    pack: FacePack, spot_mm: tuple[float, float]
) -> None:
    scene = read_photo(lit(exposed(photograph(SIDE_BY_SIDE, DIM), 1.26), spot_mm, 600.0, 45.0), pack)
    assert len(scene.sightings) < len(SIDE_BY_SIDE)
    [place] = scene.hidden
    assert place.cause is HiddenCause.GLARE
    assert inside(place, spot_mm)


def test_print_and_edges_within_what_is_bright_are_no_glare() -> None:
    """Blocks that are blown out one by one, with something dark between them, hide nothing."""
    small = block_picture(200.0, 14, 0.0)
    small[::4], small[:, ::4] = 90.0, 90.0
    assert not find_glare(small, (170.0,) * 4).any()


def test_white_paper_is_measured_beside_each_marker() -> None:
    assert paper_levels(photograph([], DIM), find_mat(photograph([], DIM))) == pytest.approx(
        dict.fromkeys(range(4), 255 * 0.72), abs=8.0
    )


def test_nothing_is_said_of_a_boards_spaces_under_glare() -> None:
    registration = find_mat(photograph([], DIM))
    coarse = coarse_map(table_map(registration))
    spaces = tuple(Space(name, x, 0.0, (FaceLikelihood("white", 0.99),)) for name, x in (("a", -60.0), ("b", 60.0)))
    board = Sighting(
        PieceKind.BOARD, Pose(0.0, 0.0, 0.0), (FaceLikelihood("board", 1.0),), True, 1.0, ((0.0, 0.0),), spaces=spaces
    )
    cells = coarse.polygons([np.array([[30.0, -30.0], [90.0, -30.0], [90.0, 30.0], [30.0, 30.0]])])
    told = with_spaces_open(board, cells, coarse)
    assert [space.contents for space in told.spaces] == [spaces[0].contents, ()]
    assert with_spaces_open(board, np.zeros_like(cells), coarse) is board


def test_what_is_washed_out_beside_glare_is_no_arm() -> None:
    """But what reaches from there over the table is."""
    glare, rim, arm = (np.zeros((120, 160), np.uint8) for _ in range(3))
    cv2.circle(glare, (60, 60), 20, 255, -1)
    cv2.circle(rim, (60, 60), 27, 255, 4)
    arm[55:65, 100:] = 255
    assert (washed_out(rim, glare) == rim).all()
    assert (washed_out(rim | arm, glare) == rim).all()
    arm[55:65, 85:] = 255
    assert not washed_out(rim | arm, glare).any()
    assert not washed_out(rim, np.zeros_like(glare)).any()


@cases("spot_mm", [(185.0, 20.0), (120.0, -40.0)], always=1, ids=["at the mat's edge", "over a Special's foot"])
def test_what_glare_washes_out_is_neither_a_hand_nor_foreign(pack: FacePack, spot_mm: tuple[float, float]) -> None:
    table = (*RING, Piece("special/two", 165.0, 40.0, 85.0))
    scene = read_photo(lit(photograph(table, DIM), spot_mm), pack)
    assert {place.cause for place in scene.hidden} == {HiddenCause.GLARE}
