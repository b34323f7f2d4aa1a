"""Shadows as thin as strokes, of blinds, bars of a window, netting or branches: dark lines that run on over the middles
of squares and between the boxes, where nothing is printed and hardly anything is pencilled."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sheets.flattening import PX_PER_MM, FlatSheet, Mask, pixels_at
from vision.sheets.layout import Array, SheetLayout
from vision.sheets.measures import noise_of

Pixels = NDArray[np.intp]
_Places = tuple[Pixels, Pixels]
_Part = tuple[float, float, float, float]
"""A rectangle (mm): left, lower, right, upper."""

DARKER, NOISES = 0.15, 5.0
"""What is darker (logarithm) than paper by more than the first, and by so many times its noise, may be a shadow. Where
the edge of a wide one is taken off a sheet, up to 0.12 is left along it."""
MIDDLE_MM, STEP_MM, DARK_SHARE = 2.2, 0.55, 0.12
"""A square's middle, so far to each side, is crossed where so much of it is that dark; so is a part so large that lies
beside boxes and grid."""
CROSSED = 5
"""What runs over so many of them is a shadow: a stroke between dots at opposite corners runs over one, and such are too
many when they are more."""
EDGE_MM, BESIDE_GRID_MM, BESIDE_BOXES_MM = 3.9, 4.0, 2.6
"""Nothing is pencilled farther from the grid, and from a box."""
ALONG_MM = 8.0
"""In the grid it goes on so far beside where it runs over them: what is pencilled touches it and is as dark."""
THROUGH_MM, STRAIGHT, STEPS, MOST_ASLANT = 3.0, 0.95, 100, 0.25
"""One that lies along a row of dots runs over nothing bare, but straight through the grid and beyond it at both sides:
so much of the way, seen at so many points, is dark, and its shorter side is no more than such a share of the other. It
is so wide at most to each side."""
CROSSING_MM = 5.0
"""Where two cross paper seems to be darker, and they do not."""
BESIDE_MM = 0.5
"""A shadow's edges are soft."""


def with_stripes(flat: FlatSheet) -> FlatSheet:
    """The sheet with the thin shadows that lie on it, and did not when it was seen blank."""
    pencilled, looked_at = flat.pencilled, _looked_at(_Grid.of(flat))
    darker = _darker(pencilled, DARKER)
    if not _may_be_striped(darker, looked_at):
        return flat
    noise = noise_of(pencilled)
    if NOISES * noise > DARKER:
        darker = _darker(pencilled, NOISES * noise)
        if not _may_be_striped(darker, looked_at):
            return flat
    return replace(flat, stripes=_stripes_of(flat, darker, looked_at))


def _darker(flat: FlatSheet, least: float) -> Mask:
    return np.where((flat.darkness > least) & (flat.foreign == 0), np.uint8(255), np.uint8(0))


@dataclass(frozen=True, slots=True)
class _Grid:
    """What tells where flat sheets of one print are bare; two of one print are equal."""

    print: tuple[object, ...]
    shape: tuple[int, int]
    """Rows and columns of pixels."""
    corner_mm: tuple[float, float]
    """Left, upper."""
    layout: SheetLayout = field(compare=False)

    @classmethod
    def of(cls, flat: FlatSheet) -> "_Grid":
        one = flat.layout
        squares = tuple(topping.square for topping in one.toppings)
        printed = (one.columns, one.rows, one.pitch_mm, one.first_mm, one.boxes, squares)
        rows, columns = flat.foreign.shape[:2]
        return cls(printed, (rows, columns), (flat.left_mm, flat.top_mm), one)

    def pixels(self, points_mm: Array) -> _Places:
        """Rows and columns (n x m each) of points (n x m x 2)."""
        at = zip(pixels_at(points_mm, *self.corner_mm), self.shape[::-1], strict=True)
        columns, rows = (np.clip(np.round(values).astype(np.intp), 0, size - 1) for values, size in at)
        return rows, columns


@lru_cache(maxsize=4)
def _looked_at(grid: _Grid) -> tuple[_Places, ...]:
    """Middles, and below, above, left and right of the grid: rows and columns of what is looked at."""
    layout, square = grid.layout, _square()
    sides = (side[:, None] + square / 2 for side in _sides(layout))
    return tuple(grid.pixels(points) for points in (_bare_parts(layout)[:, None] + square, *sides))


def _may_be_striped(darker: Mask, looked_at: Sequence[_Places]) -> bool:
    struck = [int(np.count_nonzero((darker[at] > 0).mean(axis=1) > DARK_SHARE)) for at in looked_at]
    return struck[0] >= CROSSED or all(struck[1:3]) or all(struck[3:5])


def _stripes_of(flat: FlatSheet, darker: Mask, looked_at: Sequence[_Places]) -> Mask:
    none = np.zeros_like(flat.foreign)
    count, labels = cv2.connectedComponents(darker, connectivity=8)
    parts = np.asarray(labels, np.intp)
    crossed = np.array([_crossed(parts[at], count) for at in looked_at])
    through = [one for pair in (looked_at[1:3], looked_at[3:5]) for one in _straight_through(parts, *pair)]
    is_crossed = crossed[0, 1:].max(initial=0) >= CROSSED
    if not (is_crossed or through):
        return none
    shadow, near = np.asarray(is_crossed & (crossed.sum(axis=0) > 0)), none.copy()
    shadow[0] = False
    for at in looked_at:
        near[at] = np.maximum(near[at], 255 * shadow[parts[at]])
    near = np.asarray(cv2.dilate(near, _box(2 * ALONG_MM)), np.uint8) | _beside_grid(flat)
    for part, start, end in through:
        shadow[part] = True
        cv2.line(near, start, end, (255,), round(2 * THROUGH_MM * PX_PER_MM))
    shadows = cv2.morphologyEx(near * shadow[parts], cv2.MORPH_CLOSE, _box(CROSSING_MM))
    return np.asarray(cv2.dilate(shadows, _box(2 * BESIDE_MM)), np.uint8)


def _straight_through(
    parts: Pixels, first: _Places, last: _Places
) -> Iterator[tuple[int, tuple[int, int], tuple[int, int]]]:
    """What runs straight from one side of the grid to the other: its part, and where (column, row) it starts and ends.
    Strokes from dot to dot do not reach beyond the grid on both sides."""
    ends = [_ends(parts, *side) for side in (first, last)]
    for (one, start), (other, end) in product(*ends):
        if one == other and np.abs(end - start).min() <= MOST_ASLANT * np.abs(end - start).max():
            columns, rows = np.linspace(start, end, STEPS).round().astype(np.intp).T
            if (parts[rows, columns] == one).mean() >= STRAIGHT:
                yield one, (int(start[0]), int(start[1])), (int(end[0]), int(end[1]))


def _ends(parts: Pixels, rows: Pixels, columns: Pixels) -> list[tuple[int, Array]]:
    """Of each place (n x m pixels) over which something runs, what does, and the middle (column, row) of that."""
    found = []
    for row, column in zip(rows, columns, strict=True):
        labels = parts[row, column]
        for label in np.unique(labels[labels > 0]).tolist():
            there = labels == label
            if there.mean() > DARK_SHARE:
                found.append((int(label), np.array([column[there].mean(), row[there].mean()])))
    return found


def _crossed(numbers: Pixels, count: int) -> Pixels:
    """Over how many places (n x m pixels, by which of so many parts each is of) each part runs."""
    over = np.zeros((len(numbers), count), np.float32)
    np.add.at(over, (np.arange(len(numbers))[:, None], numbers), 1.0 / numbers.shape[1])
    return np.asarray((over > DARK_SHARE).sum(axis=0), np.intp)


def _sides(layout: SheetLayout) -> tuple[Array, Array, Array, Array]:
    """n x 2 each: the middles of parts below, above, left and right of the grid, half as wide, beyond what is pencilled
    at its edge. A frame may be printed there, but not between the outer dots."""
    low, high = layout.dots_mm.min(axis=0), layout.dots_mm.max(axis=0)
    x, y = (np.arange(low[i] + MIDDLE_MM / 2, high[i], MIDDLE_MM) for i in range(2))
    rows, columns = (low[1] - EDGE_MM, high[1] + EDGE_MM), (low[0] - EDGE_MM, high[0] + EDGE_MM)
    below, above = (np.column_stack([x, np.full(len(x), row)]) for row in rows)
    left, right = (np.column_stack([np.full(len(y), column), y]) for column in columns)
    return below, above, left, right


def _bare_parts(layout: SheetLayout) -> Array:
    """n x 2: the middles of parts where nothing is printed nor pencilled."""

    def around(low: Array, high: Array, room_mm: float) -> _Part:
        return float(low[0] - room_mm), float(low[1] - room_mm), float(high[0] + room_mm), float(high[1] + room_mm)

    grid = layout.dots_mm.min(axis=0), layout.dots_mm.max(axis=0)
    halves = [(np.array(box.centre_mm), np.array(box.size_mm) / 2) for box in layout.boxes]
    boxes = [(middle - half, middle + half) for middle, half in halves]
    low, high = (corners([ends[i] for ends in (grid, *boxes)], axis=0) for i, corners in enumerate((np.min, np.max)))
    printed = around(*grid, BESIDE_GRID_MM), *(around(*box, BESIDE_BOXES_MM) for box in boxes)
    return np.concatenate([layout.bare_mm, _beside(around(low, high, 0.0), printed)])


def _beside(area: _Part, printed: tuple[_Part, ...]) -> Array:
    """n x 2: the middles of parts of an area that touch neither each other nor what is printed."""
    x, y = (np.arange(area[i] + MIDDLE_MM, area[i + 2] - MIDDLE_MM, MIDDLE_MM / 2) for i in range(2))
    kept: list[Array] = []
    for middle in np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2):
        touches = any(
            left - MIDDLE_MM < middle[0] < right + MIDDLE_MM and lower - MIDDLE_MM < middle[1] < upper + MIDDLE_MM
            for left, lower, right, upper in printed
        )
        if not touches and all(np.abs(middle - other).max() >= 2 * MIDDLE_MM for other in kept):
            kept.append(middle)
    return np.array(kept).reshape(-1, 2)


def _beside_grid(flat: FlatSheet) -> Mask:
    """255 farther from the grid than anything that is pencilled there."""
    beside = np.full_like(flat.foreign, 255)
    dots = flat.layout.dots_mm
    columns, rows = flat.at(np.array([dots.min(axis=0) - BESIDE_GRID_MM, dots.max(axis=0) + BESIDE_GRID_MM]))
    (left, right), (below, above) = columns.round().astype(int).clip(0), rows.round().astype(int).clip(0)
    beside[above:below, left:right] = 0
    return beside


def _square() -> Array:
    """Points all over such a part."""
    line = np.arange(-MIDDLE_MM, MIDDLE_MM + STEP_MM / 2, STEP_MM)
    return np.asarray(np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2), np.float64)


def _box(across_mm: float) -> Mask:
    side = 2 * round(across_mm * PX_PER_MM / 2) + 1
    return np.ones((side, side), np.uint8)
