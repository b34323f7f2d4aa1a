"""Score sheets on which lines that are due were not drawn, and such pencilled as faintly as what was rubbed out."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.kit.score_sheets import load_sheet_print
from tests.long import cases
from tests.vision.drawn_sheet import Camera, DrawnSheet, Hand, blank_sheet, disc, photograph, stroke
from vision.frame import Image
from vision.scene import MarkKind, PieceKind, SheetMark, Sighting
from vision.sheets.finder import read_sheets

PRINT = load_sheet_print()
CAMERA = Camera(size=(1920, 1080), px_per_mm=1.75, blur_px=0.8)
"""As a sheet lies on a table of which all is seen."""
DOUBTFUL = 0.1

Dots = Iterable[tuple[int, int]]
OLIVES = ((0, 1), (10, 1), (8, 5), (3, 8))


def dotted(dots: Dots, seed: int, hand: Hand, lines: Iterable[tuple[tuple[int, int], tuple[int, int]]] = ()) -> Image:
    """A picture of a sheet with these dots, and these lines between some."""
    rng, sheet = np.random.default_rng(seed), blank_sheet(PRINT)
    at = {dot: _near(sheet, rng, hand, dot) for dot in dots}
    for one, other in lines:
        stroke(sheet, rng, hand, [at[one], at[other]])
    for place in at.values():
        disc(sheet, rng, hand, place)
    return photograph(sheet, rng, CAMERA)


def _near(sheet: DrawnSheet, rng: np.random.Generator, hand: Hand, dot: tuple[int, int]) -> NDArray[np.float64]:
    return np.array(sheet.layout.dot_mm(dot)) + np.clip(rng.normal(0, hand.off_mm, 2), -1.0, 1.0)


def sheet_in(image: Image) -> Sighting:
    (sheet,) = (seen for seen in read_sheets(image, [PRINT.layout]).sightings if seen.kind is PieceKind.SHEET)
    return sheet


def likely(sheet: Sighting, kind: MarkKind, least: float = 0.5) -> set[tuple[int, ...]]:
    return {mark.at for mark in sheet.marks if _is(mark, kind) and mark.probability >= least}


def _is(mark: SheetMark, kind: MarkKind) -> bool:
    return mark.kind is kind and not mark.hidden


@cases("seed", range(3), always=1)
def test_where_no_line_is_drawn_nothing_is_taken_for_one_nor_for_a_circle_or_a_cross(seed: int) -> None:
    """How dark pencil is was told by lines that should be there."""
    dots = [(c, r) for c in range(1, 6) for r in (2, 3)] + [(c, r) for c in (8, 9, 10) for r in (6, 7, 8)]
    sheet = sheet_in(dotted(dots, seed, Hand(darkness=(0.4, 0.6))))
    assert likely(sheet, MarkKind.DOT) == set(dots)
    for kind in (MarkKind.LINE, MarkKind.CIRCLED_BONUS, MarkKind.CROSSED_BONUS, MarkKind.CROSSED_TOPPING):
        assert likely(sheet, kind) == set()


def test_of_a_few_lines_that_are_drawn_among_dots_those_are_read() -> None:
    dots = [(c, r) for c in range(1, 7) for r in (4, 5)]
    drawn = [((c, 5), (c + 1, 5)) for c in (1, 3, 5)]
    sheet = sheet_in(dotted(dots, 4, Hand(darkness=(0.5, 0.7)), drawn))
    assert likely(sheet, MarkKind.LINE, 0.9) == {(*one, *other) for one, other in drawn}
    assert likely(sheet, MarkKind.CIRCLED_BONUS) == set()


@pytest.mark.long
@cases(("blur_px", "nearer"), [(0.8, 0.86), (1.0, 0.92)], always=1)
def test_the_blurred_edge_of_a_topping_is_no_line_between_the_dots_beside_it(blur_px: float, nearer: float) -> None:
    """They are pencilled nearer to it than printed."""
    rng, sheet, hand = np.random.default_rng(20), blank_sheet(PRINT), Hand(darkness=(0.5, 0.7))
    for column, row in OLIVES:
        middle = np.array(sheet.layout.dot_mm((column, row))) + np.array([0.5, -0.5]) * sheet.layout.pitch_mm
        for dot in ((column + i, row + j) for i in (0, 1) for j in (0, 1)):
            disc(sheet, rng, hand, middle + nearer * (np.array(sheet.layout.dot_mm(dot)) - middle))
    elsewhere = [(c, r) for c in range(4, 8) for r in (1, 2)]
    drawn = [((c, r), (c + 1, r)) for c in range(4, 7) for r in (1, 2)] + [((c, 1), (c, 2)) for c in range(4, 8)]
    for one, other in drawn:
        stroke(sheet, rng, hand, [np.array(sheet.layout.dot_mm(dot)) for dot in (one, other)])
    for dot in elsewhere:
        disc(sheet, rng, hand, np.array(sheet.layout.dot_mm(dot)))
    seen = sheet_in(photograph(sheet, rng, replace(CAMERA, blur_px=blur_px)))
    assert likely(seen, MarkKind.LINE) == {(*one, *other) for one, other in drawn}


@pytest.mark.long
def test_faint_dots_and_lines_are_doubtful_rather_than_absent() -> None:
    """They are no darker than traces of what was rubbed out."""
    dots = [(c, r) for c in range(1, 12) for r in range(2, 8)]
    lines = [((c, r), (c + 1, r)) for c in range(1, 11) for r in range(2, 8)]
    image = dotted(dots, 6, Hand(darkness=(0.15, 0.17), dot_mm=(1.2, 1.5)), lines)
    sheet = sheet_in(image)
    assert likely(sheet, MarkKind.DOT, DOUBTFUL) >= set(dots)
    assert len(likely(sheet, MarkKind.LINE, DOUBTFUL)) > 0.9 * len(lines)


def test_a_blank_sheet_leaves_nothing_in_doubt() -> None:
    sheet = sheet_in(dotted([], 7, Hand()))
    assert likely(sheet, MarkKind.DOT, DOUBTFUL) | likely(sheet, MarkKind.LINE, DOUBTFUL) == set()
