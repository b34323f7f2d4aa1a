"""Score sheets: drawn by our own code and, where they are at hand, the rendered pictures beside the repository."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.kit.score_sheets import load_sheet_print
from tests.benchmarks.fit_sheet_marks import flat_sheet
from tests.benchmarks.sheets_report import Count, compare_marks
from tests.long import cases
from tests.vision.drawn_sheet import (
    PX_PER_MM,
    Camera,
    DrawnSheet,
    Hand,
    blank_sheet,
    disc,
    draw_die,
    pencil_all,
    photograph,
    smudge,
    stroke,
)
from vision.frame import Image
from vision.mat.errors import PictureTooDark
from vision.reports.mark_report import true_marks
from vision.reports.report import report_sheet
from vision.scene import MarkKind, Origin, PieceKind, SheetMark, Sighting
from vision.sheets.finder import SheetFinder, SheetMissing, lay_out, read_sheets
from vision.sheets.finding import find_sheets
from vision.sheets.layout import SheetLayout, SheetLayoutError, parse_layout
from vision.sheets.likelihood import judges_for
from vision.sheets.marks import read_marks

PHOTOS = Path(__file__).parents[2].parent / "shared" / "photos" / "table"
PRINT = load_sheet_print()
NEAR = Camera(px_per_mm=4.0)


def drawn(seed: int = 1, hand: Hand | None = None, **blank: Any) -> DrawnSheet:
    rng = np.random.default_rng(seed)
    sheet = blank_sheet(PRINT, **blank)
    pencil_all(sheet, rng, hand or Hand(forgets=0.1))
    return sheet


@cache
def pencilled() -> DrawnSheet:
    return drawn(grid=(205, 230, 240), border=True)


def only_sheet(image: Image, *layouts: SheetLayout) -> Sighting:
    (sheet,) = (s for s in read_sheets(image, layouts or [PRINT.layout]).sightings if s.kind is PieceKind.SHEET)
    return sheet


def counted(image: Image, sheet: DrawnSheet) -> Count:
    return compare_marks(only_sheet(image, sheet.layout).marks, sheet.marks)


@cases(
    "camera",
    [
        replace(NEAR, turn_deg=187.0, tilt=0.1),
        replace(NEAR, white=(60.0, 75.0, 95.0), gradient=0.35),
        replace(NEAR, px_per_mm=2.6, blur_px=0.6),
        NEAR,
        replace(NEAR, size=(1920, 1080), px_per_mm=4.2, turn_deg=88.0),
    ],
    ids=["upside down", "dim and yellow", "far", "near", "on its side"],
    always=3,
)
def test_all_marks_are_read(camera: Camera) -> None:
    count = counted(photograph(pencilled(), np.random.default_rng(3), camera), pencilled())
    assert count.missing == []
    assert count.extra == []
    assert count.hidden == 0


@pytest.mark.long
def test_small_markers_out_of_focus_are_decoded() -> None:
    """16 pixels wide, their cells drawn out by as much as they are wide: sheets with two of them decoded are found."""
    sheet, found = pencilled(), 0
    for seed in range(6):
        camera = replace(NEAR, px_per_mm=2.0, blur_px=1.4, turn_deg=17.0 * seed)
        image = photograph(sheet, np.random.default_rng(seed), camera)
        found += len(find_sheets(image.min(axis=2), (sheet.layout,)))
    assert found >= 4


def test_our_own_print_is_read_as_it_comes_from_the_printer() -> None:
    sheet = drawn(seed=4)
    count = counted(photograph(sheet, np.random.default_rng(4), NEAR), sheet)
    assert len(count.missing) + len(count.extra) <= 1
    assert count.sure_and_wrong == 0


def test_faint_pencil_is_read_and_smudges_are_not() -> None:
    rng = np.random.default_rng(5)
    faint = drawn(seed=5, hand=Hand(darkness=(0.38, 0.5), forgets=0.1), grid=(205, 230, 240))
    count = counted(photograph(faint, rng, NEAR), faint)
    assert len(count.missing) + len(count.extra) <= 2
    empty = blank_sheet(PRINT)
    for dot in ((2, 2), (6, 4), (11, 7), (0, 9)):
        smudge(empty, rng, empty.layout.dot_mm(dot))
    assert counted(photograph(empty, rng, NEAR), empty).extra == []


@cases(("seed", "turn_deg"), [(6, 0), (12, 90), (9, 0)], always=1)
def test_a_line_that_motion_smears_is_not_surely_missing(seed: int, turn_deg: int) -> None:
    count = smeared(seed, turn_deg)
    assert count.places[MarkKind.LINE][1] > 0
    assert count.sure_and_wrong == 0


def test_lines_beside_toppings_are_read_though_motion_smears_them() -> None:
    """Two were missed, in doubt, while what print spreads was not taken off."""
    count = smeared(6, 90)
    assert count.places[MarkKind.LINE][1] == 0
    assert count.sure_and_wrong == 0


def smeared(seed: int, turn_deg: int) -> Count:
    """What is read of thin lines in a picture moved along or across them."""
    thin = drawn(seed, Hand(darkness=(0.5, 0.7), forgets=0.1, line_mm=(0.3, 0.4)))
    image = photograph(thin, np.random.default_rng(1), Camera(px_per_mm=3.0))
    size = (5, 1) if turn_deg == 0 else (1, 5)
    return counted(np.asarray(cv2.blur(image, size), np.uint8), thin)


def test_what_lies_on_the_sheet_hides_and_is_not_guessed() -> None:
    sheet = drawn(seed=6, grid=(205, 230, 240))
    x, y = ((np.array(sheet.layout.dot_mm((8, 6))) + np.array(sheet.layout.size_mm) / 2) * PX_PER_MM).astype(int)
    finger = (slice(sheet.ink.shape[0] - y - 70, sheet.ink.shape[0] - y + 70), slice(x - 60, x + 60))
    sheet.ink[finger] = (0.42, 0.55, 0.8)
    sheet.pencil[finger] = 1.0
    marks = only_sheet(photograph(sheet, np.random.default_rng(6), NEAR)).marks
    hidden = {mark.at for mark in marks if mark.hidden and mark.kind is MarkKind.DOT}
    assert (8, 6) in hidden
    assert len(hidden) <= 9
    seen = [mark for mark in marks if not mark.hidden]
    count = compare_marks(seen, {at for at in sheet.marks if at in {(mark.kind, mark.at) for mark in seen}})
    assert len(count.missing) + len(count.extra) <= 1


@cases("added", [90.0, 170.0], always=1)
def test_what_a_mirrored_lamp_washes_out_is_hidden(added: float) -> None:
    """Paper cannot get brighter than white: a lamp's light takes from the pencil, and at last all of it."""
    sheet = pencilled()
    clear = photograph(sheet, np.random.default_rng(3), NEAR)
    y, x = np.indices(clear.shape[:2], np.float32)
    height, width = clear.shape[:2]
    spot = added * np.exp(-((x - 0.4 * width) ** 2 + (y - 0.35 * height) ** 2) / (2 * (0.1 * width) ** 2))
    lit = np.clip(clear + spot[..., None], 0, 255).astype(np.uint8)
    marks = only_sheet(lit, sheet.layout).marks
    there = sheet.marks
    hidden = {(mark.kind, mark.at) for mark in marks if mark.hidden}
    wrong = [m for m in marks if not m.hidden and (m.probability >= 0.5) != ((m.kind, m.at) in there)]
    assert not [mark for mark in wrong if mark.probability < 0.02 or mark.probability > 0.98], "nothing is surely wrong"
    assert len(wrong) <= 4
    assert 5 < len(hidden) < 0.4 * len(marks)
    assert not any(mark.hidden for mark in only_sheet(clear, sheet.layout).marks)


def test_without_a_mat_the_frame_is_the_sheets() -> None:
    scene = read_sheets(photograph(pencilled(), np.random.default_rng(7), NEAR), [PRINT.layout])
    assert scene.origin is Origin.SHEET
    pose = scene.sightings[0].pose
    assert (pose.x_mm, pose.y_mm, pose.angle_deg) == pytest.approx((0.0, 0.0, 90.0), abs=0.01)


def test_dice_with_dots_are_read_beside_the_sheet() -> None:
    image = photograph(pencilled(), np.random.default_rng(8), replace(NEAR, px_per_mm=3.2))
    draw_die(image, (180.0, 180.0), 3.2, 24.0, ("##.", "...", "..#"), (40, 40, 190), (235, 235, 235))
    draw_die(image, (1130.0, 330.0), 3.2, -31.0, (".#.", "#.#", ".#."), (225, 228, 230), (25, 25, 25))
    dice = [s for s in read_sheets(image, [PRINT.layout]).sightings if s.kind is PieceKind.DIE]
    found = {die.face: die.pose.angle_deg for die in dice}
    turn = only_turn(image)
    assert found == {
        "##./.../..#": pytest.approx(24.0 - turn, abs=2.0),
        ".#./#.#/.#.": pytest.approx(-31.0 - turn, abs=2.0),
    }


def only_turn(image: Image) -> float:
    """How far the sheet is turned in the picture, counter-clockwise."""
    from vision.sheets.finder import lay_out

    registration, _, _ = lay_out(image, [PRINT.layout])
    (x0, y0), (x1, y1) = registration.to_picture([[0.0, 0.0], [50.0, 0.0]])
    return float(np.degrees(np.arctan2(y0 - y1, x1 - x0)))


def test_of_two_prints_the_one_that_is_there_is_read() -> None:
    flipped = [(12 - t.square[0] - 1, t.square[1]) for t in PRINT.layout.toppings]
    centres = [np.array(PRINT.layout.dot_mm(square)) + np.array([4.5, -4.5]) for square in flipped]
    toppings = [
        replace(topping, square=square, centre_mm=(float(x), float(y)))
        for topping, square, (x, y) in zip(PRINT.layout.toppings, flipped, centres, strict=True)
    ]
    other = replace(PRINT.layout, toppings=tuple(toppings))
    image = photograph(pencilled(), np.random.default_rng(9), NEAR)
    assert [mark.at for mark in only_sheet(image, other, PRINT.layout).marks][-1] == (len(PRINT.layout.boxes) - 1,)
    assert [s for s in read_sheets(image, [other]).sightings if s.kind is PieceKind.SHEET] == []


def test_a_picture_without_mat_and_sheet_is_refused() -> None:
    with pytest.raises(SheetMissing, match=r"found none of the corner markers .* score sheet .* 10, 11, 12, 13"):
        read_sheets(np.full((720, 1280, 3), 120, np.uint8), [PRINT.layout])
    with pytest.raises(PictureTooDark):
        read_sheets(np.zeros((720, 1280, 3), np.uint8), [PRINT.layout])


def test_a_mirrored_sheet_is_named() -> None:
    image = photograph(pencilled(), np.random.default_rng(9), NEAR)
    with pytest.raises(SheetMissing, match=r"^the picture is mirrored: expected one as the eye sees the table$"):
        read_sheets(np.ascontiguousarray(image[:, ::-1]), [PRINT.layout])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dots": {"columns": 13}}, r"x\.toml: dots\.rows: missing"),
        ({"sheet_mm": [210.0]}, r"x\.toml: sheet_mm: \[210\.0\] is no pair of numbers"),
        (
            {"toppings": [{"square": [12, 0], "kind": "olive"}]},
            r"toppings\[0\]\.square: \[12, 0\] is no square of 12 x 9",
        ),
        ({"marks": {"corners_mm": {"10": [[0, 0]]}}}, r"marks\.corners_mm\.10: \[\[0, 0\]\] are no four corners"),
    ],
)
def test_a_print_that_cannot_be_is_refused(change: dict[str, Any], message: str) -> None:
    data = {
        "sheet_mm": [210.0, 148.0],
        "dots": {"columns": 13, "rows": 10, "pitch_mm": 9.0, "first_mm": [-94.0, 22.0]},
        "toppings": [],
        "bonus_boxes": [],
        "marks": {"corners_mm": {}},
    }
    with pytest.raises(SheetLayoutError, match=message):
        parse_layout({**data, **change}, "x.toml")


# The rendered pictures ------------------------------------------------------------------------------------------

with_photos = pytest.mark.skipif(not PHOTOS.is_dir(), reason=f"no pictures at {PHOTOS}")
NAMES = sorted(path.stem for path in PHOTOS.glob("sheet-0*.jpg")) or ["sheet-01"]


def load(name: str) -> tuple[Image, dict[str, Any], SheetLayout]:
    image = cv2.imread(str(PHOTOS / f"{name}.jpg"), cv2.IMREAD_COLOR)
    assert image is not None
    labels = json.loads((PHOTOS / f"{name}.json").read_text())
    layout = parse_layout(json.loads((PHOTOS / "sheet-layout.json").read_text()), "sheet-layout.json")
    return np.asarray(image, np.uint8), labels, layout


@with_photos
@cases("name", NAMES, always=1)
def test_rendered_sheets_are_read_whole(name: str) -> None:
    image, labels, layout = load(name)
    count = compare_marks(only_sheet(image, layout, PRINT.layout).marks, true_marks(labels, name))
    assert count.missing == []
    assert count.extra == []
    assert count.hidden <= len(labels["arrangement"]["sheet"].get("dots_hidden", ())) * 3
    found = report_sheet(image, labels, [layout, PRINT.layout], name)
    assert all(match.right for match in found.matches)
    assert (found.missing, found.extra) == ((), ())


@with_photos
def test_a_rendered_sheet_lies_where_it_lies_on_the_mat() -> None:
    image, labels, layout = load("sheet-03")
    pose, piece = only_sheet(image, layout).pose, labels["pieces"][0]
    assert (pose.x_mm, pose.y_mm) == pytest.approx((piece["x_mm"], piece["y_mm"]), abs=0.3)
    assert pose.angle_deg == pytest.approx(piece["angle_deg"], abs=0.2)


def likely(marks: Sequence[SheetMark]) -> set[tuple[MarkKind, tuple[int, ...]]]:
    return {(mark.kind, mark.at) for mark in marks if mark.probability > 0.5}


def test_a_sheet_on_which_nothing_changed_is_not_read_again() -> None:
    image = photograph(pencilled(), np.random.default_rng(5), NEAR)
    finder = SheetFinder([PRINT.layout])
    registration = lay_out(image, [PRINT.layout])[0]
    before = finder.find(image, registration, ())
    (sheet,) = before

    def beside(points_mm: np.ndarray) -> np.ndarray:
        return points_mm[:, 0] > PRINT.layout.size_mm[0] / 2 + 20.0

    (same,) = finder.find_again(image, registration, (), before, beside)
    assert same is sheet


def test_a_sheet_on_which_something_changed_is_read_anew() -> None:
    first, second = drawn(1, Hand(forgets=0.1)), drawn(2, Hand(forgets=0.1))
    image, later = (photograph(sheet, np.random.default_rng(5), NEAR) for sheet in (first, second))
    finder = SheetFinder([PRINT.layout])
    registration = lay_out(image, [PRINT.layout])[0]
    before = finder.find(image, registration, ())

    def in_the_middle(points_mm: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.norm(points_mm, axis=1) < 15.0)

    again = finder.find_again(later, registration, (), before, in_the_middle)
    whole = finder.find(later, registration, ())
    # Its markers are looked for where they were: it may seem to lie a hundredth of a millimetre elsewhere.
    assert [likely(one.marks) for one in again] == [likely(one.marks) for one in whole]
    assert likely(again[0].marks) != likely(before[0].marks)


@pytest.mark.long
@cases("number", range(4), always=1)
def test_a_line_across_a_square_is_no_cross_over_its_topping(number: int) -> None:
    """Between dots at opposite corners, which the rules forbid: it is asked about."""
    rng, hand, layout = np.random.default_rng(number), Hand(off_mm=0.2), PRINT.layout
    sheet = blank_sheet(PRINT)
    camera = replace(NEAR, px_per_mm=1.8)
    blank = flat_sheet(sheet, photograph(sheet, np.random.default_rng(8), camera))
    pencil_all(sheet, rng, hand, share=0.2)
    squares = [topping.square for topping in layout.toppings]
    column, row = [at for at in squares if (MarkKind.CROSSED_TOPPING, at) not in sheet.marks][number]
    ends = [np.array(layout.dot_mm(dot)) for dot in ((column, row), (column + 1, row + 1))]
    for end in ends:
        disc(sheet, rng, hand, end)
    stroke(sheet, rng, hand, ends)
    written = flat_sheet(sheet, photograph(sheet, np.random.default_rng(8), camera))
    assert blank is not None
    assert written is not None
    flat = replace(written, blank=blank.darkness)
    said = {(mark.kind, mark.at): mark.probability for mark in read_marks(flat, judges_for(flat))}
    assert said[MarkKind.CROSSED_TOPPING, (column, row)] < 0.9
    assert said[MarkKind.DIAGONAL, (column, row, column + 1, row + 1)] > 0.1
