"""Shadows as thin as pencil strokes: what may be one of them is no mark, and no mark is taken for one."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from hardware.kit.score_sheets import load_sheet_print
from tests.benchmarks.fit_sheet_marks import flat_sheet
from tests.long import cases
from tests.vision.drawn_sheet import Camera, DrawnSheet, Hand, blank_sheet, disc, pencil_all, photograph, stroke
from vision.frame import Image
from vision.reports.mark_report import MarkClaim, claims
from vision.scene import SURE, HiddenCause, MarkKind, PieceKind
from vision.sheets.finder import read_sheets
from vision.sheets.flattening import FlatSheet
from vision.sheets.likelihood import judges_for
from vision.sheets.marks import read_marks
from vision.sheets.stripes import with_stripes

PRINT = load_sheet_print()
CAMERA = Camera(px_per_mm=3.0)


@pytest.mark.parametrize("after_blank", [False, True], ids=["one picture alone", "after blank"])
@cases("seeds", [(0, 3), (1, 2, 4, 5)], always=1)
def test_what_may_be_a_thin_shadow_is_no_mark(seeds: tuple[int, ...], *, after_blank: bool) -> None:
    shown = [pictured(seed, after_blank=after_blank, shaded=True) for seed in seeds]
    without, told = (
        [claim for flat, sheet in shown for claim in said(look(flat), sheet)] for look in (_as_is, with_stripes)
    )
    assert len(surely_wrong(without)) >= 6  # else nothing is shown here
    assert len(surely_wrong(told)) <= 1
    # Saying of everything that it is hidden would be easy.
    assert sum(claim.mark.hidden for claim in told) <= 0.4 * len(told)


@pytest.mark.parametrize("after_blank", [False, True], ids=["one picture alone", "after blank"])
def test_pencil_is_no_thin_shadow(*, after_blank: bool) -> None:
    """Nor are lines across squares, which the rules forbid, in several places."""
    flat, _ = pictured(3, after_blank=after_blank, shaded=False)
    assert not with_stripes(flat).stripes.any()


def test_a_line_that_goes_on_beyond_two_dots_joins_them_not() -> None:
    """A wire's shadow, or a fold. Whoever joins three dots, which the rules forbid, is told so."""
    sheet, rng, pale = blank_sheet(PRINT), np.random.default_rng(1), Hand((0.3, 0.3), line_mm=(1.2, 1.2))
    joined, apart = [(1, 2), (2, 3), (3, 4)], [(6, 2), (7, 3)]
    for dot in (*joined, *apart):
        disc(sheet, rng, Hand(), np.array(PRINT.layout.dot_mm(dot)))
    stroke(sheet, rng, Hand(), [np.array(PRINT.layout.dot_mm(dot)) for dot in joined])
    stroke(sheet, rng, pale, [np.array(PRINT.layout.dot_mm(dot)) for dot in ((4, 0), (9, 5))])
    blank = flat_sheet(blank_sheet(PRINT), photo(blank_sheet(PRINT), 1, shaded=False))
    flat = flat_sheet(sheet, photo(sheet, 1, shaded=False))
    assert flat is not None
    assert blank is not None
    flat = replace(flat, blank=blank.darkness)
    marks = read_marks(flat, judges_for(flat))
    seen = {mark.at: mark for mark in marks if mark.kind is MarkKind.DIAGONAL}
    for one, other in pairwise(joined):
        assert (seen[*one, *other].probability > SURE, seen[*one, *other].hidden) == (True, False)
    assert seen[6, 2, 7, 3].hidden or seen[6, 2, 7, 3].probability < 0.1


def test_a_sheet_in_thin_shadows_says_so() -> None:
    sheet = pencilled(1)
    shown, shaded = photo(sheet, 1, shaded=False), photo(sheet, 1, shaded=True)
    assert HiddenCause.STRIPES not in {place.cause for place in read_sheets(shown, [PRINT.layout]).hidden}
    scene = read_sheets(shaded, [PRINT.layout])
    assert HiddenCause.STRIPES in {place.cause for place in scene.hidden}
    assert HiddenCause.GLARE not in {place.cause for place in scene.hidden}
    assert [piece.kind for piece in scene.sightings] == [PieceKind.SHEET]


def _as_is(flat: FlatSheet) -> FlatSheet:
    return flat


def said(flat: FlatSheet, sheet: DrawnSheet) -> list[MarkClaim]:
    return list(claims(read_marks(flat, judges_for(flat)), sheet.marks))


def surely_wrong(told: list[MarkClaim]) -> list[MarkClaim]:
    return [claim for claim in told if not (claim.right or claim.mark.hidden) and claim.sureness >= SURE]


@cache
def pictured(seed: int, *, after_blank: bool, shaded: bool) -> tuple[FlatSheet, DrawnSheet]:
    sheet, bare = pencilled(seed), blank_sheet(PRINT)
    blank, flat = flat_sheet(bare, photo(bare, seed, shaded=False)), flat_sheet(sheet, photo(sheet, seed, shaded))
    assert blank is not None
    assert flat is not None
    return replace(flat, blank=blank.darkness if after_blank else None), sheet


def pencilled(seed: int) -> DrawnSheet:
    """With lines between dots at opposite corners of three squares."""
    sheet, rng, hand = blank_sheet(PRINT), np.random.default_rng(seed), Hand(off_mm=0.2)
    pencil_all(sheet, rng, hand, share=0.2)
    for column, row in ((1, 1), (2, 2), (8, 5)):
        dots = (column, row), (column + 1, row + 1)
        ends = [np.array(PRINT.layout.dot_mm(dot)) for dot in dots]
        for dot, end in zip(dots, ends, strict=True):
            disc(sheet, rng, hand, end)
            sheet.marks.add((MarkKind.DOT, dot))
        stroke(sheet, rng, hand, ends)
        sheet.marks.add((MarkKind.DIAGONAL, (*dots[0], *dots[1])))
    return sheet


def photo(sheet: DrawnSheet, seed: int, shaded: bool) -> Image:
    """With or without the shadow of a window's bars that cross."""
    picture = photograph(sheet, np.random.default_rng(seed), CAMERA)
    if not shaded:
        return picture
    rng = np.random.default_rng(seed)
    rows, columns = np.indices(picture.shape[:2]) / CAMERA.px_per_mm
    turn, apart_mm, wide_mm, depth = (
        rng.uniform(0, 90),
        rng.uniform(24, 36),
        rng.uniform(1.2, 2.4),
        rng.uniform(0.3, 0.5),
    )
    shade = np.zeros(picture.shape[:2])
    for lean in np.radians([turn, turn + 90.0]):
        along = (columns * np.cos(lean) + rows * np.sin(lean)) % apart_mm
        shade = np.maximum(shade, np.clip((wide_mm / 2 - np.abs(along - apart_mm / 2)) / 0.5 + 0.5, 0.0, 1.0))
    return np.asarray(picture * (1.0 - depth * shade)[..., None] + 0.5, np.uint8)
