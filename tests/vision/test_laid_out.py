"""Pieces laid out apart, found without knowing any face: drawn ones, and the pictures that shared faces come from."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from controller.enrolling import spread
from tests.long import cases
from tests.vision.drawn_planks import on_planks, some_cards, some_planks, truth_px
from tests.vision.drawn_table import RADIUS_MM, Piece, View, enrolment, label, photograph
from vision.enrolling import laid_out
from vision.enrolling.along_grain import along_grain
from vision.enrolling.contact_sheet import contact_sheet, numbered, upright
from vision.enrolling.laid_out import LaidOut, SeenTable, doubt_of_table, find_laid_out
from vision.mat.registration import find_mat
from vision.pieces.learning import enrol
from vision.pieces.outlines import Outlined
from vision.reader import read_photo
from vision.scene import PieceKind
from vision.shapes import place, polygon_area, slice_shape

PHOTOS = Path(__file__).parents[2].parent / "shared" / "photos" / "table"
KINDS = frozenset({PieceKind.SLICE, PieceKind.SPECIAL})


def found_in(image: Any, empty: Any = None) -> list[LaidOut]:
    return [*find_laid_out(SeenTable(image, find_mat(image), empty), KINDS).pieces]


@cache
def turned_round() -> tuple[Any, list[LaidOut]]:
    """A photo of pieces laid out, and what is found on it."""
    image = photograph(enrolment(), View(turn_deg=178.0))
    return image, found_in(image)


def doubt_in(image: Any, empty: Any = None) -> str:
    return doubt_of_table(SeenTable(image, find_mat(image), empty))


def nearest(found: list[LaidOut], x_mm: float, y_mm: float) -> LaidOut:
    return min(found, key=lambda one: float(np.hypot(one.pose[0] - x_mm, one.pose[1] - y_mm)))


def off_mm(one: LaidOut, piece: Piece) -> float:
    """How far a piece's middle is from where it lies. (Where two long sides meet, a tip says little.)"""
    at = np.array([piece.x_mm, piece.y_mm, piece.angle_deg])
    middle = one.shape.centre[None] if one.shape.kind is PieceKind.SLICE else np.zeros((1, 2))
    return float(np.linalg.norm(place(middle, at) - place(middle, one.pose)))


def test_every_piece_is_found_where_it_lies_and_nothing_else() -> None:
    pieces = enrolment()
    _, found = turned_round()
    assert len(found) == len(pieces)
    for piece in pieces:
        one = nearest(found, piece.x_mm, piece.y_mm)
        special = one.shape.kind is PieceKind.SPECIAL
        assert special == piece.face.startswith("special/")
        assert off_mm(one, piece) < 3.0  # drawn outlines are a pixel wide
        turn = 180.0 if special else 360.0
        assert abs((one.pose[2] - piece.angle_deg + turn / 2) % turn - turn / 2) < 1.0
        assert one.shape.size_mm[0] == pytest.approx(60.0 if special else RADIUS_MM, rel=0.03)


@pytest.mark.long
def test_an_empty_table_has_no_pieces_and_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what lies apart, for what touches, and for whether the table can be told from it."""
    compared, differences = [], laid_out._differences

    def counted(looked: Any, *rest: Any) -> Any:
        compared.append(looked)
        return differences(looked, *rest)

    monkeypatch.setattr(laid_out, "_differences", counted)
    assert spread("a.jpg", photograph([]), KINDS).pieces == ()
    assert len(compared) == 1


def test_what_was_found_teaches_as_well_as_labels_do() -> None:
    pieces = enrolment()
    image, found = turned_round()
    registration, labels = find_mat(image), label(pieces)
    for truth, piece in zip(labels["pieces"], pieces, strict=True):
        one = nearest(found, piece.x_mm, piece.y_mm).as_label(registration)
        turned = abs((one["angle_deg"] - piece.angle_deg + 180.0) % 360.0 - 180.0) > 90.0
        truth.update(one, face=truth["face"], angle_deg=one["angle_deg"] + 180.0 * turned)
    pack = enrol([(image, labels)], source=["found"])
    table = [Piece("a/1", 2.0, 0.0, 20.0), Piece("b/2", 0.0, -20.0, 290.0), Piece("special/two", 150.0, 60.0, 45.0)]
    scene = read_photo(photograph(table), pack)
    assert sorted(s.face for s in scene.sightings) == sorted(piece.face for piece in table)
    assert all(s.probability > 0.9 for s in scene.sightings)


ON_CLOTH = [
    Piece("a/1", -300.0, 60.0, 90.0),
    Piece("b/1", 260.0, -60.0, 250.0),
    Piece("special/one", 290.0, 90.0, 95.0),
]


def on_cloth(laid: list[Piece], cloth: Any) -> Any:
    bare, image = photograph([]), photograph(laid)
    outside = np.abs(find_mat(bare).to_table(_pixels(bare))).max(axis=1).reshape(bare.shape[:2]) > 206
    same = (image == bare).all(axis=2) & outside
    return np.where(same[..., None], cloth[: image.shape[0], : image.shape[1]], image).astype(np.uint8)


def found_where_they_lie(image: Any, **options: Any) -> None:
    found = found_in(image, **options)
    assert len(found) == len(ON_CLOTH)
    for piece in ON_CLOTH:
        one = nearest(found, piece.x_mm, piece.y_mm)
        assert off_mm(one, piece) < 6.0  # the drawn cloth leaves a seam around the pieces
        assert (one.shape.kind is PieceKind.SPECIAL) == piece.face.startswith("special/")


@pytest.mark.long
def test_a_cloth_of_a_few_colours_is_seen_through() -> None:
    stripes = np.tile((np.arange(1280) // 24 % 2 == 0)[None, :, None], (720, 1, 1))
    image = on_cloth(ON_CLOTH, np.where(stripes, (230, 230, 235), (150, 60, 40)))
    assert doubt_in(image) == ""
    found_where_they_lie(image)


@pytest.mark.long
def test_a_motley_cloth_is_seen_through_with_a_picture_of_the_empty_table() -> None:
    patches = np.random.default_rng(3).integers(30, 226, (30, 54, 3))
    cloth = np.kron(patches, np.ones((24, 24, 1), int))
    image, empty = on_cloth(ON_CLOTH, cloth), on_cloth([], cloth)
    assert "is patterned" in doubt_in(image)
    assert doubt_in(image, empty) == ""
    assert "hardly anything looks as in the picture" in doubt_in(image, 255 - empty)
    assert doubt_in(photograph(ON_CLOTH)) == ""
    found_where_they_lie(image, empty=empty)


def _pixels(image: Any) -> Any:
    rows, columns = np.mgrid[0 : image.shape[0], 0 : image.shape[1]]
    return np.column_stack([columns.ravel(), rows.ravel()])


def test_pieces_are_shown_upright_and_numbered() -> None:
    image, found = turned_round()
    registration = find_mat(image)
    slice_, card = (
        next(nearest(found, piece.x_mm, piece.y_mm) for piece in enrolment() if piece.face == face)
        for face in ("b/2", "special/one")
    )
    shown = upright(image, registration, slice_)
    crust, tip = shown[10:25, 60:80], shown[-12:-4, 8:30]
    assert crust.std() > tip.std()  # the wide end is on top, the mat beside the tip below
    once, twice = upright(image, registration, card), upright(image, registration, card.turned(180.0))
    assert np.abs(once.astype(int) - twice[::-1, ::-1].astype(int)).mean() < 12.0
    sheet = contact_sheet([(once, "one"), (twice, "two")])
    assert sheet[:150, 150:300].std() > 10
    assert sheet[:150, 310:].std() == 0
    drawn = numbered(image, registration, found)
    assert 0 < (drawn != image).any(axis=-1).mean() < 0.1
    figure = (drawn == 255).all(axis=-1) & (image != 255).any(axis=-1)
    of_first = cv2.fillPoly(np.zeros(figure.shape, np.uint8), [found[0].outline_px(registration).astype(np.int32)], 1)
    height = np.ptp(np.nonzero((figure & (of_first > 0)).any(axis=1))[0])
    assert height >= image.shape[1] / 50, "it is read where the photo is as wide as a phone"
    doubting = numbered(image, registration, found[:-1], found[-1:])
    changed = (doubting != drawn).any(axis=-1)
    around = cv2.fillPoly(np.zeros(changed.shape, np.uint8), [found[-1].outline_px(registration).astype(np.int32)], 1)
    assert changed.any()
    assert not (changed & (cv2.dilate(around, np.ones((9, 9))) == 0)).any()


@pytest.mark.long
@pytest.mark.skipif(not PHOTOS.is_dir(), reason=f"no pictures at {PHOTOS}")
def test_pieces_of_a_shared_picture_are_found_whole() -> None:
    name = "enrol-beta-05"
    image = np.asarray(cv2.imread(str(PHOTOS / f"{name}.jpg")), np.uint8)
    truth = json.loads((PHOTOS / f"{name}.json").read_text())["pieces"]
    found = found_in(image)
    assert len(found) == len(truth)
    for piece in truth:
        one = nearest(found, piece["x_mm"], piece["y_mm"])
        assert np.hypot(one.pose[0] - piece["x_mm"], one.pose[1] - piece["y_mm"]) < 4.0


CARDS = frozenset({PieceKind.SLICE_CARD, PieceKind.ORDER_CARD})


def covers(one: LaidOut, truth: Any, registration: Any) -> float:
    """How much of an outline and a true one is in both."""
    own = one.outline_px(registration)
    shared, _ = cv2.intersectConvexConvex(own.astype(np.float32), truth.astype(np.float32))
    return float(shared / (abs(polygon_area(own)) + abs(polygon_area(truth)) - shared))


@pytest.mark.long
def test_cards_of_nearly_the_planks_colours_are_found_or_said_to_be_doubtful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planks of two tones; some cards lie on planks of their own colour. No outline is a plank's."""
    rng = np.random.default_rng(2)
    planks = some_planks(rng)
    cards = some_cards(rng, planks)
    image = on_planks(cards, planks)
    registration = find_mat(image)
    truth = [truth_px(card, registration) for card in cards]
    found = find_laid_out(SeenTable(image, registration), CARDS)
    shared = [max(covers(one, place, registration) for place in truth) for one in found.pieces]
    assert sum(share > 0.9 for share in shared) >= 8
    assert min(shared) > 0.5
    where = [max(covers(one, place, registration) for place in truth) for one in found.doubtful]
    assert len(where) >= 4
    assert sum(share > 0.3 for share in where) >= len(where) - 1
    monkeypatch.setattr("controller.enrolling.find_laid_out", lambda seen, kinds: found)
    first = len(found.pieces) + 1
    said = f"what hardly stands out from the table may be pieces: {first}, {first + 1}, "
    assert any(warning.startswith(said) for warning in spread("laid.jpg", image, CARDS).warnings)


@pytest.mark.long
def test_planks_with_nothing_on_them_have_no_pieces() -> None:
    image = on_planks([], some_planks(np.random.default_rng(3)))
    found = find_laid_out(SeenTable(image, find_mat(image)), CARDS)
    assert found.pieces == found.doubtful == ()


def test_what_covers_planks_is_seen_through_along_them() -> None:
    """In whichever direction they lie."""
    for turn in (0.0, 33.0, 90.0, 121.3):
        way = np.radians(turn)
        rows, columns = np.mgrid[0:400, 0:500]
        across = columns * np.sin(way) - rows * np.cos(way)
        planks = np.where(across[..., None] % 120.0 < 60.0, (60.0, 100.0, 150.0), (80.0, 130.0, 190.0)).astype(np.uint8)
        covered = planks.copy()
        covered[150:220, 200:260] = (90, 140, 205)
        bare = along_grain(covered, np.ones(planks.shape[:2], bool))
        assert np.quantile(np.abs(bare.astype(int) - planks).max(axis=2), 0.95) <= 3


FRAMED_MM, FRAME_MM = (46.0, 70.0), 4.0
FRAMED_AT = [(x, y) for x in (-150.0, -50.0, 50.0, 150.0) for y in (-90.0, 90.0)]


@pytest.mark.long
def test_frames_of_the_tables_colour_belong_to_cards_as_where_they_show() -> None:
    """All eight cards on the mat have frames of its colour; those of four beside it show."""
    beside = [(side * 270.0, y_mm) for side in (-1.0, 1.0) for y_mm in (-70.0, 70.0)]
    assert cards_framed([*FRAMED_AT, *beside], darker=0) == [FRAMED_MM] * (len(FRAMED_AT) + len(beside))


@pytest.mark.long
@pytest.mark.parametrize("darker", [15, 30])
def test_frames_of_nearly_the_tables_colour_are_told_by_where_they_end(darker: int) -> None:
    """All lie on the mat, where their frames hardly differ from it: what they enclose has the clearest edges."""
    assert cards_framed(FRAMED_AT, darker=darker) == [FRAMED_MM] * len(FRAMED_AT)


def cards_framed(at: list[tuple[float, float]], darker: int) -> list[tuple[float, float]]:
    """The sizes, of cards at these places that lie there, of cards whose frames are so much darker than the mat."""
    table = photograph([], View(height_mm=900.0))
    registration = find_mat(table)
    x, y = np.round(registration.to_picture([[0.0, -100.0]])[0]).astype(int)
    colours, rng = np.clip(table[y, x].astype(int) - darker, 0, 255).tolist(), np.random.default_rng(5)
    for x_mm, y_mm in at:
        pose = np.array([x_mm, y_mm, rng.uniform(-10.0, 10.0)])
        for shrunk, colour in ((0.0, colours), (FRAME_MM, rng.integers(20, 110, 3).tolist())):
            half = np.array(FRAMED_MM)[::-1] / 2 - shrunk
            corners = place(np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * half, pose)
            px = np.round(registration.to_picture(corners) * 16).astype(np.int32)
            cv2.fillConvexPoly(table, px, colour, cv2.LINE_AA, 4)
    kinds = frozenset({PieceKind.SLICE_CARD, PieceKind.ORDER_CARD})
    found = find_laid_out(SeenTable(table, registration), kinds).pieces
    # Beside the mat the drawn grain is as clear, in one place, as the faintest of pieces.
    found = tuple(one for one in found if one.clear > 0.25)
    assert all(one.shape.kind is PieceKind.SLICE_CARD for one in found)
    assert all(min(np.hypot(*(one.pose[:2] - place)) for place in at) < 1.5 for one in found)
    right = [one.shape.size_mm == pytest.approx(FRAMED_MM, rel=0.03) for one in found]
    return [FRAMED_MM if one else found.shape.size_mm for one, found in zip(right, found, strict=True)]


SHADOW_MM = 3.0


@pytest.mark.long
def test_shadows_beside_pieces_are_none_of_them() -> None:
    """Of one colour, a little paler than the table: the shadows on one side of each have the clearest edges."""
    table = photograph([], View(height_mm=900.0))
    registration = find_mat(table)
    x, y = np.round(registration.to_picture([[-290.0, 0.0]])[0]).astype(int)
    pale = np.clip(table[y, x] + np.array([22.0, 26.0, 30.0]), 0, 255)
    for x_mm in (-330.0, -250.0, 250.0, 330.0):
        pose = np.array([x_mm, 10.0, 84.0])
        wedge = slice_shape(100.0, 360.0 / 11).outline
        for off_mm, colour in ((SHADOW_MM, None), (0.0, pale)):
            mask = np.zeros(table.shape[:2], np.uint8)
            corners = registration.to_picture(place(wedge, pose + np.array([off_mm, -off_mm, 0.0])))
            cv2.fillConvexPoly(mask, np.round(corners * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
            laid = table * 0.7 if colour is None else np.broadcast_to(colour, table.shape)
            share = mask[..., None] / 255.0
            table = np.asarray(np.round(table * (1.0 - share) + laid * share), np.uint8)
        crust = registration.to_picture(place(wedge[1:], pose))
        cv2.polylines(table, [np.round(crust * 16).astype(np.int32)], False, (40, 90, 150), 4, cv2.LINE_AA, 4)
    found = find_laid_out(SeenTable(table, registration), frozenset({PieceKind.SLICE})).pieces
    assert len(found) == 4
    for one in found:
        at = min(
            (np.array([x_mm, 10.0]) for x_mm in (-330.0, -250.0, 250.0, 330.0)), key=lambda at: abs(at[0] - one.pose[0])
        )
        assert np.hypot(*(one.pose[:2] - at)) < 3.0
        assert abs((one.pose[2] - 84.0 + 180.0) % 360.0 - 180.0) < 1.0


@cases(("x_mm", "contrast", "found"), [(229.0, 0.3, False), (229.0, 0.6, True), (300.0, 0.3, True)], always=2)
def test_what_hardly_stands_out_on_a_markers_white_is_only_looked_at(
    monkeypatch: pytest.MonkeyPatch, x_mm: float, contrast: float, found: bool
) -> None:
    """A marker's edges made pieces of a lamp's light and of a cloth's print beside it, in a tester's pictures."""
    image, shape = photograph([], View()), slice_shape(RADIUS_MM, 360.0 / 11)
    one = Outlined(shape, np.array([0.0, 0.0, 0.0]), contrast, 0.8)
    there = Outlined(shape, np.array([*(np.array([x_mm, -182.0]) - one.centre), 0.0]), contrast, 0.8)
    monkeypatch.setattr(laid_out, "_clear", lambda *_: ([there], []))
    search = find_laid_out(SeenTable(image, find_mat(image)), KINDS)
    assert (len(search.pieces), len(search.doubtful)) == ((1, 0) if found else (0, 1))
