"""Pencils, pens and coins that people leave lying on score sheets: what lies under them is not said."""

from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from controller.games.polygons import inside
from hardware.kit.score_sheets import load_sheet_print
from tests.benchmarks.simulated_sheets import places, sheet_table
from tests.long import cases
from tests.vision.drawn_sheet import Camera, DrawnSheet, Hand, blank_sheet, pencil_all, photograph
from tests.vision.drawn_sticks import (
    BLACK,
    BLUE,
    GREY,
    SILVER,
    WHITE,
    WOOD,
    YELLOW,
    Thing,
    coin,
    draw_napkin,
    draw_thing,
    pen,
    pencil,
    skewer,
)
from tests.vision.test_marks_in_other_light import PLACE, pictures, scene_after
from vision.frame import Image
from vision.mat.registration import find_mat
from vision.scene import HiddenCause, MarkKind, PieceKind, Scene, SheetMark
from vision.shapes import to_own_frame
from vision.sheets.finder import lay_out, read_sheets, sightings

PRINT = load_sheet_print()
CAMERA = Camera(px_per_mm=3.0)
CAMERA_MM = 900.0
SURE = 0.9
NEAR_MM = 12.0


@cache
def sheet() -> tuple[DrawnSheet, Image]:
    rng = np.random.default_rng(21)
    drawn = blank_sheet(PRINT)
    pencil_all(drawn, rng, Hand(forgets=0.1))
    return drawn, photograph(drawn, rng, CAMERA)


def with_thing(thing: Thing) -> tuple[Image, NDArray[np.float64]]:
    """The picture with the thing on its sheet, and where that covers it: points of the sheet (n x 2, mm)."""
    image = sheet()[1].copy()
    registration = lay_out(image, [PRINT.layout])[2][0].registration

    def project(points: NDArray[np.float64]) -> NDArray[np.float64]:
        nearer = 1.0 / (1.0 - points[:, 2:] / CAMERA_MM)
        return np.asarray(registration.to_picture(points[:, :2] * nearer))

    rng = np.random.default_rng(5)
    mask = draw_thing(image, thing, project, np.array(CAMERA.white), rng, blur_px=CAMERA.blur_px, noise=CAMERA.noise)
    rows, columns = np.nonzero(mask > 128)
    return image, registration.to_table(np.column_stack([columns, rows])[::7].astype(np.float64))


def away_mm(mark: SheetMark, covered_mm: NDArray[np.float64]) -> float:
    """How far the middle of a mark's place is from what is covered."""
    layout = PRINT.layout
    match mark.kind:
        case MarkKind.DOT | MarkKind.LINE:
            dots = np.array(mark.at).reshape(-1, 2)
            middle = np.mean([layout.dot_mm((int(c), int(r))) for c, r in dots], axis=0)
        case MarkKind.CROSSED_TOPPING:
            middle = np.array(next(one.centre_mm for one in layout.toppings if one.square == mark.at))
        case _:
            middle = np.array(layout.boxes[mark.at[0]].centre_mm)
    return float(np.hypot(*(covered_mm - middle).T).min())


@cases(
    "thing",
    [
        pencil((-55.0, -20.0), 35.0, YELLOW),
        pencil((-25.0, -30.0), 112.0, BLACK),
        pencil((-30.0, -10.0), 160.0, WHITE),
        pencil((-62.0, 10.0), 65.0, GREY),
        pen((-40.0, 20.0), 100.0, BLACK),
        pen((-40.0, -35.0), 10.0, BLUE),
        skewer((-50.0, -20.0), 50.0, WOOD),
        coin((-48.0, -20.0), SILVER),
    ],
    ids=["yellow", "black", "white", "grey", "pen", "blue pen", "skewer", "coin"],
    always=3,
)
def test_nothing_under_what_lies_on_a_sheet_is_surely_otherwise(thing: Thing) -> None:
    there = sheet()[0].marks
    image, covered_mm = with_thing(thing)
    (seen,) = (one for one in read_sheets(image, [PRINT.layout]).sightings if one.kind is PieceKind.SHEET)
    open_marks = [mark for mark in seen.marks if not mark.hidden]
    wrong = [mark for mark in open_marks if (mark.probability >= 0.5) != ((mark.kind, mark.at) in there)]
    assert not [mark for mark in wrong if max(mark.probability, 1.0 - mark.probability) >= SURE]
    under = [mark for mark in open_marks if away_mm(mark, covered_mm) < 0.6]
    assert not [mark for mark in under if mark.kind is not MarkKind.LINE], "what lies under it is hidden"
    far = [mark for mark in seen.marks if mark.hidden and away_mm(mark, covered_mm) > NEAR_MM]
    assert len(far) <= 5, "and little else is"


def test_nothing_is_hidden_where_nothing_lies() -> None:
    (seen,) = (one for one in read_sheets(sheet()[1], [PRINT.layout]).sightings if one.kind is PieceKind.SHEET)
    assert len(seen.marks) == sum(kind is not MarkKind.DIAGONAL for kind, _ in places(PRINT.layout))
    assert not [mark for mark in seen.marks if mark.hidden]


def test_a_sheet_with_paper_on_a_third_of_its_grid_is_found_and_what_that_hides_is_not_said() -> None:
    """A playing card, a receipt: paper without print looks like the sheet's own."""
    image = sheet()[1].copy()
    registration = lay_out(image, [PRINT.layout])[2][0].registration
    low, high = PRINT.layout.dots_mm.min(0) - 4.0, PRINT.layout.dots_mm.max(0) + 4.0
    right = low[0] + 0.36 * (high[0] - low[0])
    card = np.array([[low[0], low[1]], [right, low[1]], [right, high[1]], [low[0], high[1]]])
    white = [round(level) for level in CAMERA.white]
    cv2.fillPoly(image, [np.round(registration.to_picture(card)).astype(np.int32)], white)
    (seen,) = (one for one in read_sheets(image, [PRINT.layout]).sightings if one.kind is PieceKind.SHEET)
    dots = [mark for mark in seen.marks if mark.kind is MarkKind.DOT]
    under = [mark for mark in dots if PRINT.layout.dot_mm((mark.at[0], mark.at[1]))[0] < right - 2.0]
    assert under
    assert all(mark.hidden for mark in under)


@pytest.mark.long
def test_napkins_whose_grain_looks_like_dots_here_and_there_hide_what_they_lie_on() -> None:
    table = sheet_table(994002, napkins=True)
    seen = [one for one in read_sheets(table.written, [PRINT.layout]).sightings if one.kind is PieceKind.SHEET]
    assert len(seen) == 2, "of the third the markers are covered"
    for sheet in seen:
        at, poses = sheet.pose, [true.piece.pose for true in table.sheets]
        off = [float(np.hypot(pose.x_mm - at.x_mm, pose.y_mm - at.y_mm)) for pose in poses]
        shows = table.open_places[int(np.argmin(off))]
        under = [mark for mark in sheet.marks if shows[mark.kind, mark.at] is False]
        assert len(under) > 20
        assert all(mark.hidden for mark in under)
        far = [mark for mark in sheet.marks if shows[mark.kind, mark.at]]
        assert sum(mark.hidden for mark in far) <= 0.3 * len(far), "lines that end beside the napkin, too"


@cases("seed", range(3), always=1)
def test_bonus_boxes_that_are_all_covered_are_hidden(seed: int) -> None:
    low = PRINT.layout.dots_mm.max(0)[1] + 4.0
    high = max(box.centre_mm[1] + box.size_mm[1] for box in PRINT.layout.boxes)
    left, right = PRINT.layout.dots_mm[:, 0].min(), PRINT.layout.dots_mm[:, 0].max()
    drawn = blank_sheet(PRINT)
    image = photograph(drawn, np.random.default_rng(seed), Camera(px_per_mm=1.7, blur_px=0.9, gradient=0.0))
    registration, _, found = lay_out(image, [PRINT.layout])
    corners = np.array([(left, low), (right, low), (right, high), (left, high)])
    draw_napkin(image, registration.to_picture(corners), np.random.default_rng(seed))
    (seen,) = (one for one in sightings(image, registration, found) if one.kind is PieceKind.SHEET)
    kinds = (MarkKind.CIRCLED_BONUS, MarkKind.CROSSED_BONUS)
    assert all(mark.hidden for mark in seen.marks if mark.kind in kinds)
    assert not any(mark.hidden for mark in seen.marks if mark.kind is MarkKind.DOT)


def test_what_lies_on_a_sheet_is_outlined() -> None:
    for thing in (pencil((-55.0, -20.0), 35.0, YELLOW), coin((-48.0, -20.0), SILVER)):
        image, covered_mm = with_thing(thing)
        scene = read_sheets(image, [PRINT.layout])
        assert outlined(scene, covered_mm[on_the_grid(covered_mm)]) > 0.6, "a coin's middle shows where no dot is"
        far = np.array(PRINT.layout.dots_mm)
        far = far[np.hypot(*(far[:, None] - covered_mm[None]).transpose(2, 0, 1)).min(1) > NEAR_MM]
        assert outlined(scene, far) < 0.05


@pytest.mark.long
def test_on_a_table_it_is_outlined_too() -> None:
    blank, _ = pictures()
    image, table = blank.copy(), find_mat(blank)
    lies = pen((PLACE.x_mm + 30.0, PLACE.y_mm - 20.0), 110.0, BLACK)

    def project(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(table.to_picture(points[:, :2]))

    mask = draw_thing(image, lies, project, np.array(CAMERA.white), np.random.default_rng(5))
    rows, columns = np.nonzero(mask > 128)
    covered_mm = table.to_table(np.column_stack([columns, rows])[::7].astype(np.float64))
    scene = scene_after(blank, image)
    (seen,) = (one for one in scene.sightings if one.kind is PieceKind.SHEET)
    up, left = to_own_frame(covered_mm, np.array([seen.pose.x_mm, seen.pose.y_mm, seen.pose.angle_deg])).T
    assert outlined(scene, covered_mm[on_the_grid(np.column_stack([-left, up]))]) > 0.9


def on_the_grid(points_mm: NDArray[np.float64]) -> NDArray[np.bool_]:
    low, high = PRINT.layout.dots_mm.min(0), PRINT.layout.dots_mm.max(0)
    return np.asarray(((points_mm > low) & (points_mm < high)).all(axis=1))


def outlined(scene: Scene, points_mm: NDArray[np.float64]) -> float:
    """The share of these points in which something that does not belong there is said to lie."""
    outlines = [place.outline_mm for place in scene.hidden if place.cause is not HiddenCause.GLARE]
    return float(np.mean([any(inside((x, y), one) for one in outlines) for x, y in points_mm.tolist()]))
