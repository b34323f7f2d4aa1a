"""Where names stand beside what they name, in a picture: over no other name, and over nothing's print where there is
room elsewhere. A line leads from each to its piece.

The picture is taken in cells; one name after the other, those with the least room around them first, gets the nearest
place that is free.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]
Pixel = tuple[int, int]

COLUMNS = 320
"""So many cells the picture's width has."""
AROUND = 30
"""Cells around a piece in which its room is looked at."""
TRIED = 60
"""So many of the nearest free places are tried for a line that crosses little."""
CROSSED = 3.0
"""A line is thought so much longer for each cell of it that crosses another piece."""
OVER_GROUND = 14.0
"""A name that lies over a board or a sheet is thought so many cells further away."""
NO_NAMES_CROSSED = 1e6
"""A line over another name, likewise: only where there is no other way."""
STEPS = np.linspace(0.0, 1.0, 64)
"""Along a line."""
OVER_PRINT = 300.0
"""A name that lies over other pieces' print all over, likewise; only where there is no room elsewhere."""


@dataclass(frozen=True, slots=True)
class ToName:
    """What is to be named."""

    outline_px: Array
    """n x 2, in the picture or partly beyond it."""
    size_px: Pixel
    """Width and height of the name."""
    ground: bool = False
    """Whether other pieces lie on it and are named over it, as on a board."""


@dataclass(frozen=True, slots=True)
class NamePlace:
    """Where a name stands, pixels."""

    left: int
    top: int
    width: int
    height: int
    line: tuple[Pixel, Pixel]
    """From the name's edge to a point just inside the outline."""


def place_names(things: Sequence[ToName], picture_px: Pixel) -> list[NamePlace | None]:
    """A place in a picture (width, height) for each name; no two overlap. None for one that has no room at all."""
    room = _Room(things, picture_px)
    places: list[NamePlace | None] = [None] * len(things)
    for number in sorted(range(len(things)), key=lambda i: (-room.crowded(i), i)):
        places[number] = room.take(number)
    return places


class _Room:
    """What of a picture is taken, in cells."""

    def __init__(self, things: Sequence[ToName], picture_px: Pixel) -> None:
        self._things = things
        self._cell = max(1, round(picture_px[0] / COLUMNS))
        width, height = (max(1, side // self._cell) for side in picture_px)
        self._own = [self._inside(thing, np.zeros((height, width), np.uint8)) for thing in things]
        self._inner = [_inner_cells(own) for own in self._own]
        nothing = np.zeros((height, width), np.uint8)
        prints = [own for own, thing in zip(self._own, things, strict=True) if not thing.ground]
        grounds = [own for own, thing in zip(self._own, things, strict=True) if thing.ground]
        self._print: Mask = np.maximum.reduce([nothing, *prints])
        self._print_sums = _summed(self._print)
        self._ground_sums = _summed(np.maximum.reduce([nothing, *grounds]))
        self._names = nothing.copy()
        """255 where names stand, and where lines lead to them."""

    def crowded(self, number: int) -> float:
        """The share of what is around a piece that others take."""
        x, y = self._inner[number].mean(0).astype(int)
        part = slice(max(y - AROUND, 0), y + AROUND), slice(max(x - AROUND, 0), x + AROUND)
        return float(np.mean(self._print[part] > 0)) if self._print[part].size else 0.0

    def take(self, number: int) -> NamePlace | None:
        """The best place left for a name; from now on it is taken."""
        # a cell more, so that no two touch
        columns, rows = (-(-side // self._cell) + 1 for side in self._things[number].size_px)
        height, width = self._names.shape
        if columns > width or rows > height:
            return None
        far = cv2.distanceTransform(cv2.bitwise_not(self._own[number]), cv2.DIST_L2, cv2.DIST_MASK_3)
        nearest = cv2.erode(far, np.ones((rows, columns), np.uint8), anchor=(0, 0))
        cost = nearest[: height - rows + 1, : width - columns + 1].astype(np.float64)
        area = rows * columns
        cost += OVER_GROUND * _set_in(self._ground_sums, rows, columns) / area
        cost[_set_in(_summed(self._names), rows, columns) > 0] = np.inf
        over_print = _set_in(self._print_sums, rows, columns)
        free = np.where(over_print > 0, np.inf, cost)
        if not np.isfinite(free).any():
            free = cost + OVER_PRINT * over_print / area
        found = self._best(number, free, rows, columns)
        if found is None:
            return None
        left, top, start, end = found
        self._names[top : top + rows, left : left + columns] = 255
        cv2.line(self._names, start, end, 255, 1)
        cell, (name_width, name_height) = self._cell, self._things[number].size_px
        place = left * cell, top * cell, name_width, name_height
        return NamePlace(*place, (_nearest_in(place, _pixel(end, cell)), _pixel(end, cell)))

    def _best(self, number: int, cost: Array, rows: int, columns: int) -> tuple[int, int, Pixel, Pixel] | None:
        """Left and top of the cheapest place, its line crossing no name and little else; and where the line goes."""
        flat = cost.ravel()
        some = np.argpartition(flat, min(TRIED, flat.size - 1))[:TRIED]
        some = some[np.isfinite(flat[some])]
        if not some.size:
            return None
        some = some[np.lexsort((some, flat[some]))]
        corner = np.stack([some % cost.shape[1], some // cost.shape[1]], axis=-1)
        far = np.array([columns - 1, rows - 1])
        ends = self._inner[number][_nearest(self._inner[number], corner + far / 2)]
        starts = np.clip(ends, corner, corner + far)
        between = starts[:, None] + (ends - starts)[:, None] * STEPS[:, None]
        x, y = np.moveaxis(np.round(between).astype(np.intp), -1, 0)
        share = np.abs(ends - starts).max(-1) / len(STEPS)
        crossed = (self._print & ~self._own[number])[y, x] > 0
        over_names = (self._names[y, x] > 0).any(-1)
        best = int(np.argmin(flat[some] + CROSSED * share * crossed.sum(-1) + NO_NAMES_CROSSED * over_names))
        return int(corner[best, 0]), int(corner[best, 1]), _as_pixel(starts[best]), _as_pixel(ends[best])

    def _inside(self, thing: ToName, mask: Mask) -> Mask:
        """255 in the cells of a piece; of one that is too small, or beyond the picture, in the nearest."""
        cells = thing.outline_px / self._cell
        cv2.fillPoly(mask, [np.round(cells * 16).astype(np.int32)], 255, shift=4)
        if not mask.any():
            column, row = np.clip(np.round(cells.mean(0)), 0, [mask.shape[1] - 1, mask.shape[0] - 1]).astype(int)
            mask[row, column] = 255
        return mask


def _inner_cells(own: Mask) -> NDArray[np.intp]:
    """Columns and rows (n x 2) of the cells inside a piece's edge; of one that is all edge, of its cells."""
    inner = cv2.erode(own, np.ones((3, 3), np.uint8), borderValue=0)
    return np.argwhere(inner if inner.any() else own)[:, ::-1]


def _nearest(points: NDArray[np.intp], spots: Array) -> NDArray[np.intp]:
    """Which of the points (n x 2) is nearest to each of the spots (m x 2)."""
    return np.asarray(np.argmin(((points - spots[:, None]) ** 2).sum(-1), axis=-1), np.intp)


def _summed(mask: Mask) -> NDArray[np.int32]:
    """How many cells of a mask are set above and left of each corner of its cells."""
    return np.asarray(cv2.integral(mask // 255), np.int32)


def _set_in(summed: NDArray[np.int32], rows: int, columns: int) -> NDArray[np.int32]:
    """How many cells are set in each place of so many rows and columns, by its top left."""
    below, above = summed[rows:], summed[:-rows]
    return np.asarray(below[:, columns:] - below[:, :-columns] - above[:, columns:] + above[:, :-columns], np.int32)


def _nearest_in(place: tuple[int, int, int, int], spot: Pixel) -> Pixel:
    """The point of a place (left, top, width, height) that is nearest to a point."""
    left, top, width, height = place
    return min(max(spot[0], left), left + width), min(max(spot[1], top), top + height)


def _as_pixel(point: NDArray[Any]) -> Pixel:
    return int(point[0]), int(point[1])


def _pixel(cell: Pixel, size: int) -> Pixel:
    return cell[0] * size + size // 2, cell[1] * size + size // 2
