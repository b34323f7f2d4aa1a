"""Cloths whose pattern looks like a face are no pieces; pieces that lie on them are."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from hardware.simulated.artwork import Artwork
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView
from tests.benchmarks.simulated_pieces import FAMILIES, Family, enrolled, photograph
from tests.vision import drawn_table
from vision.frame import Image
from vision.mat.markers import MAT_HALF_MM
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.pieces.learning import enrol
from vision.reader import read_photo
from vision.reports.compared import compare, true_pieces
from vision.scene import SURE, PieceKind, Pose

SIZE = (1280, 720)
GROUND, DISC, DROP = (52, 34, 128), (215, 200, 230), (60, 150, 220)
"""Blue, green, red: what the back shows of even ground, of a disc on it, and of a drop in that."""
DISC_MM, DISC_AT_MM = 13.0, 58.0
SQUARE_MM, TURN_DEG = 22.0, 24.0
BAND_MM = 14.0
FACES = ("3/1", "4/1", "5/1", "6/1", "7/1", "8/1", "9/1", "10/1")


@cache
def art() -> dict[str, Artwork]:
    """Some slices, and a back with a pale disc on dark ground."""
    drawn = FAMILIES["pizzeria"].art()
    back = drawn["back"]
    picture, scale = back.image.copy(), back.px_per_mm
    picture[..., :3] = GROUND
    middle = round(back.anchor_px[0]), round(back.anchor_px[1] - DISC_AT_MM * scale)
    cv2.circle(picture, middle, round(DISC_MM * scale), (*DISC, 255), -1, cv2.LINE_AA)
    drop = np.array([[0.0, -11.0], [-8.0, 7.0], [8.0, 7.0]]) * scale + middle
    cv2.fillPoly(picture, [np.round(drop).astype(np.int32)], (*DROP, 255), cv2.LINE_AA)
    return {**{face: drawn[face] for face in FACES}, "back": replace(back, image=picture)}


def _shown_once() -> Iterator[list[PieceView]]:
    spots = [(-120.0 + 80.0 * column, y) for y in (-130.0, 10.0) for column in range(5)]
    yield [lying(face, x, y, 90.0) for face, (x, y) in zip(art(), spots, strict=False)]


FAMILY = Family("discs", "ring", art, _shown_once, lambda _: [])


def lying(face: str, x: float, y: float, turn: float) -> PieceView:
    return PieceView(f"{face} {x} {y}", PieceKind.SLICE, face, True, Pose(x, y, turn), 0.0, 1.0, (0.0, 0.0), None)


def on_cloth(image: Image, bare: Image) -> Image:
    """With a chequered cloth, in the back's colours and with squares as wide as its disc, on the table to the right of
    the mat, under what lies there."""
    columns, rows = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    pixels = np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64)
    at = find_mat(image).to_table(pixels).reshape(*columns.shape, 2)
    cosine, sine = np.cos(np.radians(TURN_DEG)), np.sin(np.radians(TURN_DEG))
    pale = (((at @ [[cosine, -sine], [sine, cosine]]) % (2 * SQUARE_MM)) < SQUARE_MM).mean(-1)[..., None]
    cloth = cv2.GaussianBlur(np.array(GROUND) * (1 - pale) + np.array(DISC) * pale, (0, 0), 0.8)
    shown = (np.abs(at).max(-1) > MAT_HALF_MM) & (at[..., 0] > MAT_HALF_MM - 5.0) & (at[..., 0] < 440.0)
    shown &= np.abs(image.astype(int) - bare).max(-1) < 12
    return np.where(shown[..., None], cloth, image).astype(np.uint8)


@pytest.mark.long
def test_what_looks_like_a_back_but_goes_on_around_is_none() -> None:
    """Neither on a chequered cloth nor over the ring that is printed on the mat; backs on both are read."""
    views = [lying("back", -60.0, 40.0, 20.0), lying("7/1", 40.0, -90.0, 200.0)]
    views += [lying("back", 300.0, 60.0, 130.0), lying("5/1", 290.0, -120.0, 300.0)]
    (image, labels), (bare, _) = (photograph(FAMILY, some, Conditions(tilt_deg=1.5), SIZE) for some in (views, []))
    seen = read_photo(on_cloth(image, bare), enrolled(FAMILY))
    matches, missing, extra = compare(seen, true_pieces(labels, "cloth"))
    assert not missing
    assert not extra
    assert all(match.right and match.sighting.probability >= SURE for match in matches)


def with_banded(image: Image, x_mm: float, y_mm: float, angle_deg: float) -> tuple[Image, dict[str, object]]:
    """With a card as pale as the mat, its upper end as dark as the table; and its label."""
    view, card = drawn_table.View(), drawn_table.Piece("special/banded", x_mm, y_mm, angle_deg)
    label = drawn_table.label([card], view)["pieces"][0]
    corners = np.array(label["outline_px"])
    picture, share = image.copy(), BAND_MM / drawn_table.CARDS_MM["special"][1]
    band = [corners[1], corners[2], *(corners[[2, 1]] + (corners[[3, 0]] - corners[[2, 1]]) * share)]
    for outline, colour in ((corners, image[360, 640]), (np.array(band), image[360, 60])):
        cv2.fillPoly(picture, [np.round(outline * 16).astype(np.int32)], colour.tolist(), cv2.LINE_AA, 4)
    return picture, label


@cache
def banded() -> FacePack:
    """The drawn faces, and a card's that is nothing but a pale ground with a dark band."""
    pieces, labels = drawn_table.enrolment(), drawn_table.label(drawn_table.enrolment())
    image, card = with_banded(drawn_table.photograph(pieces), -330.0, -170.0, 70.0)
    return enrol([(image, {**labels, "pieces": [*labels["pieces"], card]})], source=["drawn"])


def test_a_mats_edge_is_no_card_with_a_band_and_such_a_card_is_one() -> None:
    image, _ = with_banded(drawn_table.photograph([]), 300.0, 100.0, 40.0)
    (seen,) = read_photo(image, banded()).sightings
    assert seen.face == "special/banded"
    assert np.hypot(seen.pose.x_mm - 300.0, seen.pose.y_mm - 100.0) < 2.0
