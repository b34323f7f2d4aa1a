"""Pencils, pens and coins that people leave lying on score sheets: what lies under them is not said."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.kit.score_sheets import load_sheet_print
from tests.benchmarks.simulated_sheets import places
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
    draw_thing,
    pen,
    pencil,
    skewer,
)
from vision.frame import Image
from vision.scene import MarkKind, PieceKind, SheetMark
from vision.sheets.finder import lay_out, read_sheets

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


@pytest.mark.parametrize(
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
