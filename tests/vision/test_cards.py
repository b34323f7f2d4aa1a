"""SLICE's cards: enrolled and read on a drawn table, and in the rendered pictures beside the repository."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.long import cases
from tests.vision.drawn_cards import BACK, MORE, ORDERS, SLICES, TABLE, UNDER, WEST, enrolled, enrolment
from tests.vision.drawn_table import Piece, View, label, photograph
from tests.vision.rendered import PHOTOS, load, pack_of, with_photos
from vision.frame import Frame
from vision.pieces.faces import FacePack, load_pack, save_pack
from vision.pieces.learning import enrol
from vision.reader import Reader, read_photo
from vision.reports.compared import LEAST_VISIBLE, compare, true_pieces
from vision.reports.report import report_photo
from vision.scene import HiddenCause, PieceKind, Scene


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrolled()


def assert_shows(scene: Scene, pieces: list[Piece]) -> None:
    matches, missing, extra = compare(scene, true_pieces(label(pieces), "drawn"))
    assert [piece.face for piece in missing] == []
    assert [seen.face for seen in extra] == []
    assert [(m.truth.face, m.sighting.face) for m in matches if not m.right] == []


def test_sizes_and_faces_are_learned_and_kept(pack: FacePack, tmp_path: Path) -> None:
    assert pack.kinds[PieceKind.SLICE_CARD].names == tuple(sorted(SLICES))
    assert pack.kinds[PieceKind.ORDER_CARD].names == ORDERS
    save_pack(pack, tmp_path / "mine.faces")
    sizes = load_pack(tmp_path / "mine.faces").sizes_mm
    assert sizes == pytest.approx(
        {"slice_card_width": 40, "slice_card_height": 56, "order_card_width": 70, "order_card_height": 70}, abs=0.5
    )


def test_cards_face_down_teach_their_back() -> None:
    labels = label(enrolment())
    labels["pieces"][0]["face_up"] = False
    learned = enrol([(photograph(enrolment()), labels)], source=["one"])
    assert "slice/back" in learned.kinds[PieceKind.SLICE_CARD].names
    assert SLICES[0] not in learned.names


@pytest.mark.long
@cases(
    "view",
    [
        View(turn_deg=176.0, tilt=0.05),
        View(light=(0.5, 0.62, 0.7), seed=5),
        View(light=(0.35, 0.35, 0.35), noise=2.5),
        View(size=(2304, 1296), height_mm=850.0),
    ],
    always=1,
    ids=["turned round", "warm lamp", "dim", "large"],
)
def test_what_lies_there_is_read(pack: FacePack, view: View) -> None:
    scene = read_photo(photograph([*UNDER, *TABLE], view), pack)
    assert_shows(scene, TABLE)
    assert scene.hidden == ()
    assert {seen.face for seen in scene.sightings if not seen.face_up} == {BACK}


@pytest.mark.long
def test_a_paler_camera_shows_the_same(pack: FacePack) -> None:
    picture = photograph(TABLE)
    grey = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    assert_shows(read_photo(np.asarray(cv2.addWeighted(picture, 0.65, grey, 0.35, 0), np.uint8), pack), TABLE)


@pytest.mark.long
def test_an_empty_table_shows_no_cards(pack: FacePack) -> None:
    assert read_photo(photograph([]), pack).sightings == ()


def test_cards_that_were_never_enrolled_are_not_named(pack: FacePack) -> None:
    strangers = [Piece(f"slice/stranger-{i}", -60.0 + 60 * i, 30.0, 90.0) for i in range(3)]
    scene = read_photo(photograph([*strangers, WEST]), pack)
    assert [s.face for s in scene.sightings if s.probability > 0.9] == [WEST.face]


@pytest.mark.long
def test_what_a_hand_hides_is_not_claimed(pack: FacePack) -> None:
    hand = np.array([[5.0, -420], [80, -420], [80, 20], [62, 38], [25, 34], [8, 0]])
    scene = read_photo(photograph(TABLE, hand=hand), pack)
    assert any(place.cause is HiddenCause.HAND for place in scene.hidden)
    assert "slice/pepper" not in [s.face for s in scene.sightings if s.probability > 0.9]
    assert_shows(scene, [p for p in TABLE if abs(p.x_mm) > 100 or p.face == BACK])


@pytest.mark.long
def test_a_card_laid_on_the_open_pile_is_seen_in_the_next_frame_at_rest(pack: FacePack) -> None:
    reader = Reader(pack)
    reader.read(Frame(photograph(TABLE, View(seed=1)), 0.0, 0))
    reader.read(Frame(photograph(MORE, View(seed=2)), 1.0, 1))
    scene = reader.read(Frame(photograph(MORE, View(seed=3)), 1.05, 2))
    assert_shows(scene, [p for p in MORE if p is not TABLE[-1]])


# Rendered pictures ----------------------------------------------------------------------------------------------------


@with_photos
@cases("name", sorted(path.stem for path in PHOTOS.glob("cards-*-*.json"))[1::2], always=1)
def test_rendered_cards_are_read(name: str) -> None:
    """Every other one; `make cards-report` reads all."""
    image, labels = load(name)
    found = report_photo(image, labels, pack_of(f"cards-{labels['style']}"), name)
    assert found.sure_but_wrong == found.sure_but_hardly_visible == 0
    assert [seen.face for seen in found.extra] == []
    assert [m.truth.face for m in found.matches if m.truth.visible >= LEAST_VISIBLE and not m.right] == []
    assert [piece.face for piece in found.missing if piece.visible > 0.9] == []
    assert max(m.turn_deg for m in found.matches) < 2.0


@with_photos
@cases("style", ["alpha", "beta"], always=1)
def test_rendered_sizes_are_measured(style: str) -> None:
    assert pack_of(f"cards-{style}").sizes_mm == pytest.approx(
        {"slice_card_width": 40, "slice_card_height": 56, "order_card_width": 70, "order_card_height": 70}, abs=0.4
    )
