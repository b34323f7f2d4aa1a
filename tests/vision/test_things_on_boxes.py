"""Things that lie on most of a score sheet's bonus boxes: what they cover is hidden, what they leave free is read."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hardware.kit.score_sheets import load_sheet_print
from tests.long import cases
from tests.vision.drawn_sheet import PX_PER_MM, Camera, DrawnSheet, Hand, blank_sheet, circle, photograph
from vision.scene import MarkKind, PieceKind
from vision.sheets.finder import read_sheets

PRINT = load_sheet_print()
BOXES = PRINT.layout.boxes
FREE, CIRCLED = (3, 4), 4

Picture = NDArray[np.float32]


def card(rows: int, columns: int) -> Picture:
    """Of another game: white, with large shapes of strong colours."""
    picture = np.full((rows, columns, 3), 0.95, np.float32)
    side = round(7 * PX_PER_MM)
    for number, at in enumerate(range(0, columns, side)):
        colour = [(0.75, 0.1, 0.45), (0.1, 0.6, 0.9), (0.7, 0.3, 0.05)][number % 3]
        picture[side // 2 : rows - side // 2, at + side // 6 : at + side - side // 6] = colour
    return picture


def phone(rows: int, columns: int) -> Picture:
    """Black, with coloured symbols."""
    picture = np.full((rows, columns, 3), 0.03, np.float32)
    side = round(7 * PX_PER_MM)
    for top in range(side // 3, rows - side // 2, side):
        for left in range(side // 3, columns - side // 2, side):
            picture[top : top + side // 2, left : left + side // 2] = (0.8, 0.25 + 0.5 * (left // side % 2), 0.2)
    return picture


def leather(rows: int, columns: int) -> Picture:
    """A wallet, of one colour."""
    return np.full((rows, columns, 3), (0.12, 0.2, 0.35), np.float32)


def lay_over(
    sheet: DrawnSheet, low_mm: tuple[float, float], high_mm: tuple[float, float], made: Callable[[int, int], Picture]
) -> None:
    """Put a thing on a sheet, from its lower left to its upper right corner."""
    width, height = sheet.layout.size_mm
    (left, bottom), (right, top) = (
        (round((x + width / 2) * PX_PER_MM), round((height / 2 - y) * PX_PER_MM)) for x, y in (low_mm, high_mm)
    )
    top = max(top, 0)
    sheet.ink[top:bottom, left:right] = made(bottom - top, right - left)
    sheet.pencil[top:bottom, left:right] = 1.0


@cases("thing", [card, phone, leather], always=1)
def test_what_covers_most_boxes_hides_them_and_not_the_others(thing: Callable[[int, int], Picture]) -> None:
    rng, sheet = np.random.default_rng(3), blank_sheet(PRINT)
    for number in (0, 1, CIRCLED):
        circle(sheet, rng, Hand(), np.array(BOXES[number].centre_mm), np.array(BOXES[number].size_mm))
    lay_over(sheet, (-97.0, 33.0), (-29.0, 60.0), thing)
    image = photograph(sheet, rng, Camera(size=(1920, 1080), px_per_mm=3.0))
    (seen,) = (piece for piece in read_sheets(image, [PRINT.layout]).sightings if piece.kind is PieceKind.SHEET)
    for kind in (MarkKind.CIRCLED_BONUS, MarkKind.CROSSED_BONUS):
        marks = {mark.at[0]: mark for mark in seen.marks if mark.kind is kind}
        assert [number for number, mark in marks.items() if mark.hidden] == [0, 1, 2]
        likely = [number for number in FREE if marks[number].probability >= 0.5]
        assert likely == ([CIRCLED] if kind is MarkKind.CIRCLED_BONUS else [])
