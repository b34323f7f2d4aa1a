"""Score sheets in pictures out of focus: what can still be read is, and what cannot is doubtful."""

from collections.abc import Iterable
from copy import deepcopy

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.kit.score_sheets import load_sheet_print
from tests.benchmarks.fit_sheet_marks import drawn_flat, flat_sheet
from tests.benchmarks.sheets_report import Count, compare_marks
from tests.benchmarks.simulated_sheets import SheetTable, printed, sheet_table
from tests.long import cases
from tests.vision.drawn_sheet import Camera, DrawnSheet, Hand, blank_sheet, corners_px, pencil_all, photograph
from vision.frame import Image
from vision.mat.registration import find_mat
from vision.scene import MarkKind, PieceKind, Sighting
from vision.sheets.evidence import gather
from vision.sheets.finder import SheetFinder, read_sheets
from vision.sheets.flattening import FlatSheet
from vision.sheets.likelihood import judges_for
from vision.sheets.marks import read_marks

PRINT = load_sheet_print()
SURELY_ABSENT = 0.02


@cases("blur_mm", [0.5, 0.9, 1.3], always=1)
@cases("px_per_mm", [1.6, 2.6], always=1)
def test_a_sheets_own_markers_tell_how_blurred_it_is(blur_mm: float, px_per_mm: float) -> None:
    flat = pictured(Camera(px_per_mm=px_per_mm, blur_px=blur_mm * px_per_mm))
    # Pixels blur, too: those of the picture, and in drawing it.
    assert flat.blur_mm == pytest.approx(np.hypot(blur_mm, 0.4 / px_per_mm), rel=0.15)
    assert flat.out_of_focus == (flat.blur_mm * flat.px_per_mm > 0.0007 * 1280)


def test_a_disc_and_a_movement_blur_by_their_deviation() -> None:
    disc, moved = Camera(px_per_mm=2.0, disc_px=3.2), Camera(px_per_mm=2.0, moved_px=(4.0, 4.0))
    assert pictured(disc).blur_mm == pytest.approx(np.hypot(0.8, 0.4), rel=0.15)
    assert pictured(moved).blur_mm == pytest.approx(np.hypot(4.0 / 2.0 / 12**0.5, 0.4), rel=0.15)


@cases(("way", "read"), [(0, 0.9), (1, 0.94)], ids=["one picture alone", "after blank"], always=0)
def test_what_cannot_be_read_out_of_focus_is_doubtful(way: int, read: float) -> None:
    count = Count()
    for seed in (7101, 7104):
        sheet, *flats = drawn_flat("out of focus on a table", seed)
        flat = flats[way]
        assert flat is not None, seed
        assert flat.out_of_focus, seed
        count.add(compare_marks(read_marks(flat, judges_for(flat)), sheet.marks))
    there = np.array([said for said, true in count.claims if true])
    assert count.sure_and_wrong <= 0.005 * len(count.claims)
    assert np.count_nonzero(there < SURELY_ABSENT) <= 1
    # Saying of everything that it is doubtful would be easy.
    assert (there >= 0.5).mean() >= read
    assert count.doubtful <= 0.15 * len(count.claims)


@pytest.fixture(scope="module")
def table() -> SheetTable:
    """Two sheets on a simulated table, in focus: one pencilled faintly."""
    return sheet_table(8303)


def test_pencil_on_a_table_out_of_focus_is_not_overlooked(table: SheetTable) -> None:
    there = said_of_marks(table, read_sheets(unfocused(table.written), [printed()]).sightings)
    assert np.count_nonzero(there < SURELY_ABSENT) <= 2
    assert (there >= 0.5).mean() >= 0.9


@pytest.mark.long
def test_a_sheet_that_was_seen_blank_in_focus_is_known_out_of_focus(table: SheetTable) -> None:
    finder = SheetFinder([printed()])
    finder.find(table.blank, find_mat(table.blank), ())
    blurred = unfocused(table.written)
    seen = finder.find(blurred, find_mat(blurred), ())
    there = said_of_marks(table, seen)
    assert np.count_nonzero(there < SURELY_ABSENT) <= 2
    assert (there >= 0.5).mean() >= 0.95
    # Sharp print beside soft print would look crossed.
    crossed = sum(kind is MarkKind.CROSSED_TOPPING for written in table.sheets for kind, _ in written.marks)
    marks = [mark for sheet in seen for mark in sheet.marks if mark.kind is MarkKind.CROSSED_TOPPING]
    assert sum(mark.probability >= 0.5 for mark in marks) <= crossed + 5


@cases("blur_px", [0.8, 2.0], always=1, ids=["in focus", "out of focus"])
def test_where_light_takes_nothing_nothing_is_washed_out(blur_px: float) -> None:
    rng = np.random.default_rng(12)
    sheet = blank_sheet(PRINT)
    pencil_all(sheet, rng, Hand(forgets=1.0), share=0.4)
    # No dots are joined: what seems to be lines is as pale as can be.
    flat = pictured(Camera(px_per_mm=1.6, blur_px=blur_px), sheet)
    for kind, seen in gather(flat).items():
        assert not seen.washed.any(), kind


def unfocused(image: Image) -> Image:
    """By a thousandth of its width, with a camera's noise."""
    soft = cv2.GaussianBlur(image, (0, 0), 0.001 * image.shape[1]).astype(np.float32)
    return np.asarray(np.clip(soft + np.random.default_rng(1).normal(0, 1.5, soft.shape), 0, 255), np.uint8)


def said_of_marks(table: SheetTable, seen: Iterable[Sighting]) -> NDArray[np.float64]:
    """How likely each mark is said to be that is there, open, and not said to be hidden."""
    said = []
    sheets = [one for one in seen if one.kind is PieceKind.SHEET]
    assert len(sheets) == len(table.sheets)
    for written, shown in zip(table.sheets, table.open_places, strict=True):
        at = written.piece.pose
        sheet = min(sheets, key=lambda one: float(np.hypot(one.pose.x_mm - at.x_mm, one.pose.y_mm - at.y_mm)))
        open_marks = {place for place in written.marks if shown[place]}
        said += [mark.probability for mark in sheet.marks if (mark.kind, mark.at) in open_marks and not mark.hidden]
    return np.array(said)


def pictured(camera: Camera, sheet: DrawnSheet | None = None) -> FlatSheet:
    """A sheet, by default a blank one, as this camera sees it, laid flat."""
    rng = np.random.default_rng(3)
    sheet = sheet or blank_sheet(PRINT)
    where = corners_px(sheet, deepcopy(rng), camera)
    flat = flat_sheet(sheet, photograph(sheet, rng, camera), where)
    assert flat is not None
    return flat
