"""Rows of an area in which people lay New York Slice's and Pizzeria's pieces side by side. For simulated players."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from vision.scene import Point

SLICE_MM = 100.0
SPECIAL_MM = (60.0, 90.0)
PITCHES_MM = (58.0, 50.0, 44.0, 38.0, 33.0, 29.0, 26.0, 24.0, 22.0, 20.0, 18.0, 16.0, 14.0, 12.0, 10.0, 8.0, 6.0, 4.0)
"""How closely slices are fanned, the first that fits: at the last, all that one player can take in a game does."""
CARD_GAP_MM = 4.0
"""Between a Special and what is laid next to it."""


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of those that lie in a row."""

    piece: str
    face_up: bool
    is_card: bool = False
    hugs: bool = False
    """Whether it is laid next to the one before it on purpose, so that it may not begin a row."""
    before_mm: float = 0.0
    """How much more than usual is left before it,"""
    after_mm: float = 0.0
    """and after it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of an area: slices stand in it side by side."""

    left: float
    right: float
    tip_y: float
    crust_y: float
    angle: float

    @property
    def depth(self) -> float:
        """How far it goes from the tips to the crusts."""
        return abs(self.tip_y - self.crust_y)

    def turned(self) -> "Line":
        """The same row, slices pointing the other way."""
        return Line(self.left, self.right, self.crust_y, self.tip_y, (self.angle + 180.0) % 360.0)


def row_lines(areas: Sequence[Sequence[Point]]) -> list[Line]:
    """The rows of a player's areas."""
    return [line for area in areas for line in _lines_of(area)]


def fill(
    rows: Sequence[Line], items: Sequence[Item], pitch: float, beside: float
) -> list[tuple[int, Item, float]] | None:
    """Lay items side by side, row after row: (row, item, centre x); None if they do not fit.

    Slices lie `pitch` millimetres apart, and one that hugs the one before it no farther than `beside`.
    """
    placed: list[tuple[int, Item, float]] = []
    row, edge = 0, rows[0].left
    last: tuple[float, Item] | None = None
    for item in items:
        while True:
            centre = edge + _half_mm(item) if last is None else last[0] + _step_mm(last[1], item, pitch, beside)
            if centre + _half_mm(item) <= rows[row].right:
                break
            row += 1
            if row == len(rows) or (item.hugs and pitch > PITCHES_MM[-1]):
                return None
            edge, last = rows[row].left, None
        placed.append((row, item, centre))
        last = (centre, item)
    return placed


def _lines_of(area: Sequence[Point]) -> list[Line]:
    xs, ys = [x for x, _ in area], [y for _, y in area]
    left, right, low, high = min(xs) + 3, max(xs) - 3, min(ys), max(ys)
    if high - low >= 2 * SLICE_MM + 2:
        return [
            Line(left, right, high - 1, high - 1 - SLICE_MM, 270.0),
            Line(left, right, low + 1, low + 1 + SLICE_MM, 90.0),
        ]
    slack = (high - low - SLICE_MM) / 2
    if low + high < 0:
        return [Line(left, right, high - slack, low + slack, 270.0)]
    return [Line(left, right, low + slack, high - slack, 90.0)]


def _half_mm(item: Item) -> float:
    return SPECIAL_MM[0] / 2 if item.is_card else SLICE_MM * math.sin(math.pi / 11)


def _step_mm(before: Item, item: Item, pitch: float, beside: float) -> float:
    """From the centre of a piece to that of the next one in its row."""
    if before.is_card:
        return _half_mm(before) + _half_mm(item) + CARD_GAP_MM + max(before.after_mm, item.before_mm)
    if item.is_card:
        gap = 0.0 if item.hugs else CARD_GAP_MM + item.before_mm
        return _half_mm(before) + _half_mm(item) + gap
    return min(pitch, beside) if item.hugs else pitch + before.after_mm
