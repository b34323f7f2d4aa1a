"""Score sheets most of which a hand covers, and small ones in large pictures, are there; what shows of them is read."""

from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
import pytest

from tests.benchmarks.sheets_report import compare_marks
from tests.benchmarks.simulated_sheets import sheet_table
from tests.long import cases
from tests.vision.drawn_sheet import PX_PER_MM, DrawnSheet, Hand, blank_sheet, pencil_all, photograph
from tests.vision.test_sheets import NEAR, PRINT, drawn, only_sheet, pencilled
from vision.mat.registration import register
from vision.scene import MarkKind, PieceKind
from vision.sheets.corners import corner_groups
from vision.sheets.finder import read_sheets

SKIN = {"pale": (0.55, 0.68, 0.95), "tan": (0.33, 0.47, 0.76), "dark": (0.12, 0.2, 0.38)}
"""Of the light that paper sends back: blue, green, red."""


@cases("skin", SKIN.values(), ids=SKIN.keys(), always=1)
def test_a_sheet_most_of_whose_grid_a_hand_covers_is_read_where_it_shows(skin: tuple[float, float, float]) -> None:
    rng = np.random.default_rng(8)
    sheet = blank_sheet(PRINT)
    pencil_all(sheet, rng, Hand(forgets=0.1))
    layout = sheet.layout
    left, top = (np.array(layout.dot_mm((-1, -2))) * (1, -1) + np.array(layout.size_mm) / 2) * PX_PER_MM
    right, low = (np.array(layout.dot_mm((layout.columns, layout.rows - 4))) * (1, -1)
                  + np.array(layout.size_mm) / 2) * PX_PER_MM  # fmt: skip
    hand = np.s_[int(top) : int(low), int(left) : int(right)]
    sheet.ink[hand] = skin
    sheet.pencil[hand] = 1.0
    found = only_sheet(photograph(sheet, rng, NEAR))
    assert found.probability > 0.9
    marks = [mark for mark in found.marks if mark.kind in (MarkKind.DOT, MarkKind.LINE)]
    covered = [mark for mark in marks if mark.kind is MarkKind.DOT and mark.at[1] < layout.rows - 5]
    assert all(mark.hidden for mark in covered)
    seen = [mark for mark in marks if not mark.hidden]
    assert sum(mark.kind is MarkKind.DOT for mark in seen) >= 2 * layout.columns
    told = {(mark.kind, mark.at) for mark in seen}
    count = compare_marks(seen, {at for at in sheet.marks if at in told})
    assert count.sure_and_wrong == 0


@pytest.mark.long
def test_the_smallest_markers_in_a_large_picture_are_decoded() -> None:
    """13 pixels wide, in a picture that shows neither the mat nor another sheet."""
    sheet = pencilled()
    for seed in (0, 3):
        camera = replace(NEAR, size=(1920, 1080), px_per_mm=1.6, blur_px=0.9, turn_deg=17.0 * seed)
        only_sheet(photograph(sheet, np.random.default_rng(seed), camera))


def test_small_markers_whose_white_reaches_their_edge_are_dark_squares() -> None:
    """14 pixels wide: of their thin black borders, paler than they are printed, some seem to have gaps."""
    layout = PRINT.layout
    grey = np.full((1080, 1920), 240, np.uint8)
    marks = {number: np.array([960.0, 540.0]) + corners * (1.75, -1.75) for number, corners in layout.marks.items()}
    for corners in marks.values():
        (left, top), (right, low) = corners.min(axis=0).round().astype(int), corners.max(axis=0).round().astype(int)
        cv2.rectangle(grey, (left, top), (right, low), 90.0, 2)
        cv2.rectangle(grey, (left + 5, top - 1), (left + 9, top + 3), 200.0, -1)
    table = register(marks, (1920, 1080), markers_mm=layout.marks)
    groups = list(corner_groups(np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.7), np.uint8), layout, table))
    assert any(
        all(
            np.linalg.norm(group[number].mean(axis=0) - corners.mean(axis=0)) < 2.0 for number, corners in marks.items()
        )
        for group in groups
    )


@cases("seed", [700501, 990033], always=0)
def test_a_sheet_two_of_whose_markers_are_covered_is_found_by_its_print_on_a_known_table(seed: int) -> None:
    """In one of eight pictures at least: both lie at the limit, and processors round otherwise."""
    table, rng = sheet_table(seed), np.random.default_rng(seed)
    pictures = (cv2.add(table.written, rng.integers(0, 3, table.written.shape, np.uint8)) for _ in range(8))
    read = (read_sheets(np.asarray(picture, np.uint8), [PRINT.layout]).sightings for picture in pictures)
    found = ([one for one in seen if one.kind is PieceKind.SHEET] for seen in read)
    sheets = next((some for some in found if len(some) == len(table.sheets)), [])
    for true in table.sheets:
        off = [np.hypot(one.pose.x_mm - true.piece.pose.x_mm, one.pose.y_mm - true.piece.pose.y_mm) for one in sheets]
        assert min(off, default=np.inf) < 2.0


@pytest.mark.long
def test_a_sleeve_over_most_of_a_sheet_is_no_shadow() -> None:
    table = sheet_table(700528)
    found = [one for one in read_sheets(table.written, [PRINT.layout]).sightings if one.kind is PieceKind.SHEET]
    assert len(found) == len(table.sheets)


@cases("covered", list(combinations(PRINT.layout.marks, 2))[::2], always=1, ids=str)
def test_a_sheet_two_of_whose_markers_are_covered_is_found_by_its_dots_without_a_mat(covered: tuple[int, int]) -> None:
    rng = np.random.default_rng(covered)
    sheet = _under_fingers(drawn(seed=8), covered)
    camera = replace(NEAR, size=(1280, 960), px_per_mm=3.5, turn_deg=float(rng.uniform(0.0, 360.0)), tilt=0.12)
    found = only_sheet(photograph(sheet, rng, camera))
    assert all(mark.hidden for mark in found.marks if mark.kind is MarkKind.DOT and mark.at in _under(sheet, covered))
    open_marks = [mark for mark in found.marks if not mark.hidden]
    told = {(mark.kind, mark.at) for mark in open_marks}
    count = compare_marks(open_marks, {at for at in sheet.marks if at in told})
    assert sum(mark.kind is MarkKind.DOT for mark in open_marks) > 100
    assert (count.missing, count.extra) == ([], [])


@pytest.mark.long
def test_two_markers_of_a_sheet_of_another_print_are_none_of_this_one() -> None:
    sheet = _under_fingers(drawn(seed=8), (10, 12))
    toppings = tuple(replace(one, square=(11 - one.square[0], 8 - one.square[1])) for one in PRINT.layout.toppings)
    other = replace(PRINT.layout, toppings=toppings)
    image = photograph(sheet, np.random.default_rng(8), NEAR)
    assert [one.kind for one in read_sheets(image, [PRINT.layout]).sightings] == [PieceKind.SHEET]
    assert read_sheets(image, [other]).sightings == ()


FINGER_MM = 14.0
"""Half as wide as what lies on a marker."""


def _under_fingers(sheet: DrawnSheet, covered: tuple[int, ...]) -> DrawnSheet:
    """The sheet with something as dark as skin over each of these markers."""
    for number in covered:
        middle = sheet.layout.marks[number].mean(axis=0) * (1, -1) + np.array(sheet.layout.size_mm) / 2
        (left, top), (right, low) = (
            np.round((middle + off) * PX_PER_MM).astype(int) for off in (-FINGER_MM, FINGER_MM)
        )
        over = np.s_[max(top, 0) : low, max(left, 0) : right]
        sheet.ink[over], sheet.pencil[over] = SKIN["tan"], 1.0
    return sheet


def _under(sheet: DrawnSheet, covered: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The dots well under that."""
    middles = [sheet.layout.marks[number].mean(axis=0) for number in covered]
    places = zip(sheet.layout.dots, sheet.layout.dots_mm, strict=True)
    return {dot for dot, at in places if min(np.abs(at - one).max() for one in middles) < FINGER_MM - 3.0}
