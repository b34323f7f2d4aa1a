"""Likelihoods of marks on score sheets: they say what is doubtful, and are fitted to what is there."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.kit.score_sheets import load_sheet_print
from tests.benchmarks.fit_sheet_marks import evidence_of, fit, flat_sheet, samples
from tests.benchmarks.sheets_report import Count, compare_marks
from tests.long import cases
from tests.vision.drawn_sheet import (
    PX_PER_MM,
    Camera,
    DrawnSheet,
    Hand,
    blank_sheet,
    circle,
    cross,
    disc,
    pencil_all,
    photograph,
    stroke,
)
from tests.vision.drawn_sheet_kinds import drawn_after_blank, drawn_of_kind
from vision.scene import SURE, MarkKind, PieceKind
from vision.sheets.finder import read_sheets
from vision.sheets.flattening import FlatSheet
from vision.sheets.likelihood import DOUBT, FAR, judges_for, load_judges
from vision.sheets.marks import read_marks

PRINT = load_sheet_print()


@cases("kind", ["faint", "far", "thick pencil", "hard shadow"], always=1)
def test_what_is_read_wrong_on_hard_sheets_is_said_to_be_doubtful(kind: str) -> None:
    count = Count()
    for seed in (7001, 7002):
        sheet, image = drawn_of_kind(kind, seed)
        (seen,) = (s for s in read_sheets(image, [sheet.layout]).sightings if s.kind is PieceKind.SHEET)
        count.add(compare_marks(seen.marks, sheet.marks))
    places = len(count.claims)
    assert count.sure_and_wrong <= 2
    assert len(count.missing) + len(count.extra) <= 0.03 * places
    # Saying of everything that it is doubtful would be easy.
    assert count.doubtful <= 0.08 * places


def test_pencil_on_a_printed_border_is_read_and_the_border_is_not() -> None:
    rng = np.random.default_rng(31)
    sheet = blank_sheet(PRINT)
    print_border(sheet, (0.35, 0.4, 0.5))
    hand = Hand(darkness=(0.7, 0.9))
    dots = [(column, 0) for column in range(3, 9)] + [(12, row) for row in range(2, 6)]
    at = {dot: np.array(PRINT.layout.dot_mm(dot)) for dot in dots}
    for first, second in PRINT.layout.lines:
        # Two of the pencilled dots are left unjoined on either side.
        if first in at and second in at and first not in {(5, 0), (12, 3)}:
            stroke(sheet, rng, hand, [at[first], at[second]])
            sheet.marks.add((MarkKind.LINE, (*first, *second)))
    for dot, place in at.items():
        disc(sheet, rng, hand, place)
        sheet.marks.add((MarkKind.DOT, dot))
    image = photograph(sheet, rng, Camera(px_per_mm=4.0))
    (seen,) = (s for s in read_sheets(image, [PRINT.layout]).sightings if s.kind is PieceKind.SHEET)
    count = compare_marks(seen.marks, sheet.marks)
    assert count.missing == []
    assert count.extra == []


def print_border(sheet: DrawnSheet, colour: tuple[float, float, float]) -> None:
    layout = sheet.layout
    ends = [layout.dot_mm((0, 0)), layout.dot_mm((layout.columns - 1, layout.rows - 1))]
    first, last = (
        (round((x + layout.size_mm[0] / 2) * PX_PER_MM), round((layout.size_mm[1] / 2 - y) * PX_PER_MM))
        for x, y in ends
    )
    cv2.rectangle(sheet.ink, first, last, colour, round(0.3 * PX_PER_MM), cv2.LINE_AA)


@pytest.mark.long
def test_circles_about_a_part_of_a_bonus_are_read_beside_the_blank_sheet_and_asked_about_in_one_picture() -> None:
    rng, hand, sheet = np.random.default_rng(3), Hand(), blank_sheet(PRINT)
    blank = flat_sheet(sheet, photograph(sheet, rng, Camera()))
    pencil_all(replace(sheet, layout=replace(sheet.layout, boxes=())), rng, hand, share=0.3)
    boxes = [np.array(box.centre_mm) for box in sheet.layout.boxes]
    circle(sheet, rng, hand, boxes[0] - (0.0, 7.2), np.array([10.0, 8.5]))  # its number
    circle(sheet, rng, hand, boxes[1], np.array([10.0, 10.0]))
    cross(sheet, rng, hand, boxes[3], np.array([7.0, 7.0]))
    circle(sheet, rng, hand, boxes[4] + (1.5, 0.0), np.array([13.0, 12.0]))
    alone = flat_sheet(sheet, photograph(sheet, rng, Camera()))
    assert alone is not None
    assert blank is not None
    circled = np.array([True, True, False, False, True])
    assert (circles_of(alone)[circled] >= 1.0 - SURE).all()
    beside_blank = circles_of(replace(alone, blank=blank.darkness))
    assert (beside_blank[circled] >= SURE).all()
    assert (beside_blank[~circled] <= 1.0 - SURE).all()


def circles_of(flat: FlatSheet) -> NDArray[np.float64]:
    """How likely each bonus is circled."""
    marks = read_marks(flat, judges_for(flat))
    return np.array([mark.probability for mark in marks if mark.kind is MarkKind.CIRCLED_BONUS])


def test_nothing_is_certain_and_what_was_never_seen_counts_as_the_edge_of_what_was() -> None:
    for judge in load_judges().values():
        wild = judge.middle + np.array([[-100.0], [100.0]], np.float32) * judge.spread
        edge = judge.middle + np.array([[-FAR], [FAR]], np.float32) * judge.spread
        assert judge.probability(wild) == pytest.approx(judge.probability(edge), abs=1e-4)
        assert judge.probability(wild).min() >= DOUBT
        assert judge.probability(wild).max() <= 1.0 - DOUBT


@pytest.mark.long
def test_networks_are_fitted_to_how_often_marks_are_there() -> None:
    rng = np.random.default_rng(5)
    features = rng.normal(0.0, 1.0, (6000, 2)).astype(np.float32)
    true = 1.0 / (1.0 + np.exp(-3.0 * features[:, 0]))
    judge = fit(features[:4000], rng.random(4000) < true[:4000], np.random.default_rng(6))
    off = np.abs(judge.probability(features[4000:]) - true[4000:])
    assert float(off.mean()) < 0.03


def test_lines_are_judged_between_pencilled_dots_only() -> None:
    sheet, image = drawn_of_kind("plain", 7003)
    evidence = evidence_of(sheet, image)
    assert evidence is not None
    lines = evidence[MarkKind.LINE]
    features, there = samples(MarkKind.LINE, lines, sheet.marks)
    assert len(features) == len(there)
    shown = [at for at, hidden in zip(lines.places, lines.hidden, strict=True) if not hidden]
    assert there.sum() == sum((MarkKind.LINE, at) in sheet.marks for at in shown)
    assert len(there) < len(shown)


@pytest.mark.long
def test_pencil_on_sheets_that_were_seen_blank_is_hardly_ever_read_wrong_around_a_mat() -> None:
    count = Count()
    for seed in (7001, 7002, 7003, 7007):
        sheet, image, blank = drawn_after_blank("on a table", seed)
        before, now = flat_sheet(sheet, blank), flat_sheet(sheet, image)
        assert before is not None, seed
        assert now is not None, seed
        flat = replace(now, blank=before.darkness)
        count.add(compare_marks(read_marks(flat, judges_for(flat)), sheet.marks))
    assert len(count.missing) + len(count.extra) <= 0.003 * len(count.claims)
    assert count.sure_and_wrong <= 1
