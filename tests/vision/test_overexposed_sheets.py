"""Faint pencil on paper that is brighter than the picture shows: light takes much of it, and that is not overlooked."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from hardware.kit.score_sheets import load_sheet_print
from tests.benchmarks.fit_sheet_marks import flat_sheet
from tests.benchmarks.sheets_report import Count, compare_marks
from tests.long import cases
from tests.vision.drawn_sheet import Camera, DrawnSheet, Hand, blank_sheet, corners_px, pencil_all, photograph
from tests.vision.drawn_sheet_kinds import drawn_after_blank, drawn_of_kind
from vision.scene import SURE, MarkKind
from vision.sheets.blanks import covered
from vision.sheets.flattening import FlatSheet
from vision.sheets.likelihood import judges_for
from vision.sheets.marks import read_marks

PRINT = load_sheet_print()
SEEDS = (0, 3)
THIN = (60203, 60204, 60205, 60206, 60211, 60213, 60214, 60217)
"""Seeds of sheets that are too bright."""


@pytest.mark.long
@cases("after_blank", [False, True], always=1, ids=["one picture alone", "after blank"])
@cases(("white", "read"), [(310.0, 0.4), (330.0, 0.3)], always=1)
def test_pencil_that_light_takes_much_from_is_doubtful(white: float, read: float, after_blank: bool) -> None:
    count = Count()
    for seed in SEEDS:
        flat, blank, sheet = pictured(white, seed)
        flat = replace(flat, blank=blank.darkness) if after_blank else flat
        count.add(compare_marks(read_marks(flat, judges_for(flat)), sheet.marks))
    there = np.array([said for said, true in count.claims if true])
    assert np.count_nonzero(there <= 0.1) <= 0.02 * len(there)
    assert (there >= 0.5).mean() >= read
    # Saying of everything that it is doubtful would be easy.
    assert count.doubtful <= 0.4 * len(count.claims)


@pytest.mark.parametrize("gradient", [0.25])
def test_a_bright_sheet_on_which_nothing_was_pencilled_is_blank(gradient: float) -> None:
    """Also where light takes from a part of its printed dots only, so that they seem to be of two sorts."""
    for seed in SEEDS:
        _, blank, _ = pictured(285.0, seed, gradient)
        dots = [mark for mark in read_marks(blank, judges_for(blank)) if mark.kind is MarkKind.DOT]
        assert max(dot.probability for dot in dots) < 0.5


@cases("seed", (3, 1), always=1)
def test_the_round_corners_of_the_printed_frame_are_no_dots(seed: int) -> None:
    """They are nearer to the outermost dots than its sides are to the others, and light leaves little of the rest."""
    camera = Camera(px_per_mm=1.4, white=(282.0, 290.0, 290.0), gradient=0.06, noise=2.0, blur_px=0.7, quality=80)
    sheet = blank_sheet(PRINT)
    where = corners_px(sheet, np.random.default_rng(seed + 50), camera)
    flat = flat_sheet(sheet, photograph(sheet, np.random.default_rng(seed + 50), camera), where)
    assert flat is not None
    assert flat.too_bright
    dots = {mark.at: mark.probability for mark in read_marks(flat, judges_for(flat)) if mark.kind is MarkKind.DOT}
    columns, rows = PRINT.layout.columns, PRINT.layout.rows
    assert max(dots[column, row] for column in (0, columns - 1) for row in (0, rows - 1)) < 0.45


@cases("seed", THIN, always=1)
def test_pale_pencil_is_doubtful_in_any_light_and_the_rest_is_read(seed: int) -> None:
    """Of kinds and with seeds that no likelihood was fitted on, in up to twice as much light as a picture shows."""
    sheet, image = drawn_of_kind("too bright, thin pencil", seed)
    flat = flat_sheet(sheet, image)
    assert flat is not None
    assert flat.too_bright
    count = compare_marks(read_marks(flat, judges_for(flat)), sheet.marks)
    there = np.array([said for said, true in count.claims if true])
    assert count.sure_and_wrong <= 0.005 * len(count.claims)
    assert (there >= 0.5).mean() >= 0.9
    assert count.doubtful <= 0.25 * len(count.claims)


@cases(
    ("kind", "seed", "box"), [("too bright", 70209, 1), ("on a table", 70201, 1), ("too bright", 70206, 3)], always=1
)
def test_print_that_looks_otherwise_than_on_the_blank_sheet_is_no_cross(kind: str, seed: int, box: int) -> None:
    """Nothing is seen of a cross by itself. These sheets were looked at."""
    sheet, image, blank = drawn_after_blank(kind, seed)
    before, now = flat_sheet(sheet, blank), flat_sheet(sheet, image)
    assert before is not None
    assert now is not None
    flat = covered(replace(now, blank=before.darkness))
    place = MarkKind.CROSSED_BONUS, (box,)
    assert place not in sheet.marks
    [said] = [mark for mark in read_marks(flat, judges_for(flat)) if (mark.kind, mark.at) == place]
    assert said.probability <= 0.25
    assert not said.hidden


def test_where_not_even_printed_dots_show_nothing_is_said_surely() -> None:
    """A white sheet may bear any mark."""
    flat, _, sheet = pictured(480.0, 0)
    seen = [mark for mark in read_marks(flat, judges_for(flat)) if not mark.hidden]
    assert sheet.marks
    for kind in (MarkKind.DOT, MarkKind.LINE):
        said = np.array([mark.probability for mark in seen if mark.kind is kind])
        assert len(said) > 100
        assert (np.maximum(said, 1.0 - said) >= SURE).mean() == 0.0, kind


@pytest.mark.long
def test_a_bright_sheet_that_lies_wholly_under_something_says_nothing() -> None:
    flat, _, _ = pictured(330.0, 0)
    under = replace(flat, foreign=np.full_like(flat.foreign, 255))
    assert all(mark.hidden for mark in read_marks(under, judges_for(under)))


@cache
def pictured(white: float, seed: int, gradient: float = 0.06) -> tuple[FlatSheet, FlatSheet, DrawnSheet]:
    """A faintly pencilled sheet in so much light, the same when it was blank, and what is on it."""
    camera = Camera(px_per_mm=1.55, white=(white - 8.0, white, white), gradient=gradient, noise=2.0, blur_px=0.9)
    sheet, flats = blank_sheet(PRINT), []
    for written in (False, True):
        if written:
            pencil_all(sheet, np.random.default_rng(seed), Hand(forgets=0.1, darkness=(0.3, 0.42)), share=0.5)
        where = corners_px(sheet, np.random.default_rng(seed + 50), camera)
        flat = flat_sheet(sheet, photograph(sheet, np.random.default_rng(seed + 50), camera), where)
        assert flat is not None
        flats.append(flat)
    return flats[1], flats[0], sheet
