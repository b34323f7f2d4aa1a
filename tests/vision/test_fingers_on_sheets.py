"""Fingers over a score sheet, as bright and smooth as the paper in their own shadows: what they cover is not said."""

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from hardware.kit.score_sheets import load_sheet_print
from tests.long import cases
from tests.vision.drawn_fingers import Covered, Reaching, reach_over
from tests.vision.drawn_sheet import Camera, DrawnSheet, Hand, MarkPlace, blank_sheet, pencil_all, photograph
from vision.frame import Image
from vision.mat.registration import Registration
from vision.scene import MarkKind, PieceKind, SheetMark
from vision.sheets.blanks import Blanks
from vision.sheets.finder import lay_out, read_sheets, sightings
from vision.sheets.flattening import PX_PER_MM, flatten
from vision.sheets.missing_print import dots_missing

PRINT = load_sheet_print()
CAMERA = Camera(px_per_mm=2.6, white=(172.0, 170.0, 170.0), noise=3.0)
SURE = 0.9
FINGERS = Reaching((((-62.0, -85.0), (-42.0, -30.0)), ((-28.0, -85.0), (-18.0, -24.0)), ((-2.0, -85.0), (8.0, -46.0))))
OVER_A_BOX = Reaching((((-72.0, 90.0), (-62.0, 40.0)),), skin=(0.75, 0.82, 0.90))
OVER_ALL_BOXES = Reaching(
    tuple(
        ((box.centre_mm[0], 95.0), (box.centre_mm[0], tip_mm))
        for box, tip_mm in zip(PRINT.layout.boxes, (8.0, -2.0, -20.0, -12.0, 10.0), strict=True)
    ),
    skin=(0.20, 0.24, 0.33),
    half_mm=11.5,
)
GRAINY = replace(CAMERA, noise=16.0)
"""In little light: dark skin differs within itself by as much as print does."""
OFF_MM = (1.6, -1.0)
"""How far a sheet's lower left corner seems to be from where it is when a hand covers its marker."""


@cache
def drawn() -> DrawnSheet:
    sheet = blank_sheet(PRINT, border=True)
    pencil_all(sheet, np.random.default_rng(31), Hand(forgets=0.1), share=0.3)
    return sheet


@cache
def plain() -> Image:
    return photograph(drawn(), np.random.default_rng(32), CAMERA)


@cache
def where() -> Registration:
    return lay_out(plain(), [PRINT.layout])[2][0].registration


@cache
def covered(hand: Reaching = FINGERS, camera: Camera = CAMERA) -> Covered:
    return reach_over(plain(), PRINT.layout, where(), hand, camera, np.random.default_rng(33))


@cache
def told() -> tuple[SheetMark, ...]:
    (seen,) = (one for one in read_sheets(covered().image, [PRINT.layout]).sightings if one.kind is PieceKind.SHEET)
    return seen.marks


@cache
def told_after_blank() -> tuple[SheetMark, ...]:
    registration, _, found = lay_out(plain(), [PRINT.layout])
    blanks = Blanks()
    sightings(
        photograph(blank_sheet(PRINT, border=True), np.random.default_rng(32), CAMERA), registration, found, blanks
    )
    (seen,) = sightings(covered().image, registration, found, blanks)
    return seen.marks


def is_wrong(mark: SheetMark, there: set[MarkPlace]) -> bool:
    return (mark.probability >= 0.5) != ((mark.kind, mark.at) in there)


@cases("kind", [MarkKind.DOT, MarkKind.LINE, MarkKind.CROSSED_TOPPING], always=1)
def test_all_that_a_finger_covers_is_hidden(kind: MarkKind) -> None:
    scene = covered()
    under = [mark for mark in told() if mark.kind is kind and scene.share(mark, scene.over) == 1.0]
    assert under
    assert [mark.at for mark in under if not mark.hidden] == []


@pytest.mark.long
def test_all_that_a_finger_covers_is_hidden_where_the_sheet_was_seen_blank() -> None:
    scene = covered()
    under = [mark for mark in told_after_blank() if scene.share(mark, scene.over) == 1.0]
    assert {MarkKind.DOT, MarkKind.LINE, MarkKind.DIAGONAL} <= {mark.kind for mark in under}
    assert [(mark.kind, mark.at) for mark in under if not mark.hidden] == []


@pytest.mark.long
def test_a_box_that_a_finger_covers_is_hidden() -> None:
    under, free = of_boxes(covered(OVER_A_BOX))
    assert {mark.at for mark in under} == {(1,)}
    assert all(mark.hidden for mark in under)
    assert not any(mark.hidden for mark in free if mark.at >= (2,))


def test_boxes_are_hidden_when_a_hand_covers_all_of_them() -> None:
    under, _ = of_boxes(covered(OVER_ALL_BOXES, GRAINY))
    assert len(under) == 2 * len(PRINT.layout.boxes)
    assert [(mark.kind, mark.at) for mark in under if not mark.hidden] == []


def of_boxes(scene: Covered) -> tuple[list[SheetMark], list[SheetMark]]:
    """What is said of the boxes that are wholly covered, and of the others."""
    (seen,) = (one for one in read_sheets(scene.image, [PRINT.layout]).sightings if one.kind is PieceKind.SHEET)
    kinds = (MarkKind.CIRCLED_BONUS, MarkKind.CROSSED_BONUS)
    boxes = [mark for mark in seen.marks if mark.kind in kinds]
    under = [mark for mark in boxes if scene.share(mark, scene.over) == 1.0]
    return under, [mark for mark in boxes if mark not in under]


def test_print_that_lies_a_little_beside_its_place_is_seen() -> None:
    flat = flatten(plain(), PRINT.layout, where())
    shown = np.zeros(len(PRINT.layout.toppings), bool)
    assert not dots_missing(flat, shown).any()
    height, width = flat.darkness.shape
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    off = corners + np.array([[0, 0], [0, 0], [0, 0], OFF_MM], np.float32) * PX_PER_MM
    warp = cv2.getPerspectiveTransform(corners, off)
    moved = np.asarray(cv2.warpPerspective(flat.colours, warp, (width, height)), np.float32)
    assert not dots_missing(replace(flat, colours=moved), shown).any()


@pytest.mark.parametrize("after_blank", [False, True])
def test_nothing_is_surely_wrong(after_blank: bool) -> None:
    marks = told_after_blank() if after_blank else told()
    wrong = [mark for mark in marks if not mark.hidden and is_wrong(mark, drawn().marks)]
    assert [(mark.kind, mark.at) for mark in wrong if max(mark.probability, 1.0 - mark.probability) >= SURE] == []


def test_what_lies_in_a_hands_shadow_is_read() -> None:
    scene = covered()
    free = np.asarray(cv2.dilate(scene.over, np.ones((3, 3)), iterations=round(4.0 * CAMERA.px_per_mm)), np.float32)
    shaded = [m for m in told() if scene.share(m, scene.shade) > 0.6 and scene.share(m, 1.0 - free) > 0.9]
    assert len([mark for mark in shaded if mark.kind is MarkKind.DOT]) >= 8
    assert [mark.at for mark in shaded if mark.hidden] == []
    assert [mark.at for mark in shaded if is_wrong(mark, drawn().marks)] == []
