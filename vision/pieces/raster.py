"""Which parts of the table are explained, and by which of the pieces found."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.kept import MOST_READINGS, Kept
from vision.masks import Mask, part_around
from vision.mat.rectify import PX_PER_MM, TableMap
from vision.pieces.prepared import Prepared
from vision.pieces.reading import ENDS, EXPLAINED, LEAST_AGREEING, LEAST_GAIN, OF_CONTRAST, Reading, share
from vision.pieces.verify import Flags, Floats, Indices
from vision.scene import PieceKind
from vision.shapes import place

Array = NDArray[np.float64]

LEAST_SEEN = 0.34
"""Of which less than this share is seen beside the others is not reported. Pieces in a tight fan show little more."""
LEAST_FIT = 0.5
"""Of the cells that no other piece covers, at least this share must agree, or hands must be there."""
RASTER_MM = 2.5
MOST_PLACES = 1000
"""So many poses' cells are kept; then they are worked out anew."""


class Raster:
    """Which parts of the table are explained by a piece already."""

    def __init__(self, table: TableMap) -> None:
        width, height = table.width / PX_PER_MM / RASTER_MM, table.height / PX_PER_MM / RASTER_MM
        self._origin = np.array([table.left_mm, table.top_mm])
        self._rows, self._columns = int(height) + 3, int(width) + 3
        self._size_px = table.width, table.height
        self._taken = np.zeros(self._rows * self._columns, bool)
        self._places: dict[int, tuple[Array, Indices, Indices]] = {}
        """Cells of poses asked for before, by the identity of the pose, which is kept with them."""
        self.shown: Kept[Reading, Indices] = Kept(MOST_READINGS)
        """Cells of what readings asked for before explain."""

    def copy(self) -> "Raster":
        """Another with the same parts explained."""
        other = Raster.__new__(Raster)
        other.__dict__.update(self.__dict__, _taken=self._taken.copy())
        return other

    def bare(self) -> "Raster":
        """Another of the same table with nothing explained."""
        other = self.copy()
        other._taken[:] = False
        return other

    def open_pixels(self, within: Mask | None = None) -> Mask:
        """255 at the pixels of the table's map that no piece explains; of those `within` a mask of it, if one is
        given."""
        width, height = self._size_px
        part = (slice(0, height), slice(0, width)) if within is None else part_around(within, 0)
        cells = np.where(self._taken, np.uint8(0), np.uint8(255)).reshape(self._rows, self._columns)
        at = (np.arange(of.start, of.stop) / (RASTER_MM * PX_PER_MM) + 0.5 for of in part)
        rows, columns = (along.astype(np.intp) for along in at)
        opened = np.asarray(cells[:, columns][rows])
        if within is None:
            return opened
        left = np.zeros_like(within)
        left[part] = opened & within[part]
        return left

    def taken(self, points_mm: Array) -> Flags:
        """Whether a piece is seen at points (... x 2)."""
        return np.asarray(self._taken[self._cells(points_mm)])

    def taken_cells(self, cells: Indices) -> Flags:
        """Whether a piece is seen in cells."""
        return np.asarray(self._taken[cells])

    def paint_cells(self, cells: Indices) -> None:
        """Say that a piece is seen in cells."""
        self._taken[cells] = True

    def cells_of(self, readings: Sequence[Reading], lattice: Array) -> list[tuple[Indices, Indices]]:
        """For each reading the cells of its lattice points, and of what lies right around each (points x 4)."""
        new = [reading.pose for reading in readings if id(reading.pose) not in self._places]
        if len(self._places) + len(new) > MOST_PLACES:
            self._places.clear()
            new = [reading.pose for reading in readings]
        if new:
            points = place(lattice, np.array(new))
            found = zip(new, self._cells(points), self._cells(points[..., None, :] + _AROUND_MM), strict=True)
            self._places.update((id(pose), (pose, at, around)) for pose, at, around in found)
        return [self._places[id(reading.pose)][1:] for reading in readings]

    def _cells(self, points_mm: Array) -> Indices:
        """The cells of points (... x 2)."""
        cells = ((points_mm - self._origin) * _TO_CELLS + 0.5).astype(np.intp)
        column = np.minimum(np.maximum(cells[..., 0], 0), self._columns - 1)
        row = np.minimum(np.maximum(cells[..., 1], 0), self._rows - 1)
        return np.asarray(row * self._columns + column)


_TO_CELLS = np.array([1.0, -1.0]) / RASTER_MM
_AROUND_MM = np.array([[x, y] for x in (-0.35, 0.35) for y in (-0.35, 0.35)]) * RASTER_MM


def explained(readings: Iterable[Reading], kinds: Mapping[PieceKind, Prepared], raster: Raster) -> Raster:
    """What of the table these readings explain, added to what a raster has already."""
    for reading in readings:
        raster.paint_cells(raster.shown.of(reading, partial(_shown_cells, reading, kinds, raster)))
    return raster


def _shown_cells(reading: Reading, kinds: Mapping[PieceKind, Prepared], raster: Raster) -> Indices:
    ((_, around),) = raster.cells_of([reading], kinds[reading.kind].faces.shape.lattice)
    return around.compress(reading.agrees & ~reading.taken, 0).ravel()


def unexplained(poses: Array, prepared: Prepared, raster: Raster) -> Indices:
    """Which poses lie mostly where nothing was found yet."""
    if not len(poses):
        return np.zeros(0, np.intp)
    taken = raster.taken(place(prepared.sparse.points, poses))
    return np.flatnonzero(taken.mean(1) < 1.0 - 0.8 * LEAST_AGREEING)


def select(readings: Iterable[Reading], kinds: Mapping[PieceKind, Prepared], raster: Raster) -> list[Reading]:
    """The readings that stand together: each part of the table is explained once, by what fits it best.

    What the raster has already is explained; what is chosen is painted on it.
    """
    chosen: list[tuple[Reading, Flags, Flags, Indices, Indices]] = []
    some = list(readings)
    cells = _cells_of(some, kinds, raster)
    for i in sorted(range(len(some)), key=lambda i: some[i].strength, reverse=True):
        reading, (at, around) = some[i], cells[i]
        taken = raster.taken_cells(at)
        free = ~taken
        own = reading.agrees & free
        if share(own) < LEAST_SEEN or np.count_nonzero(own) < LEAST_FIT * np.count_nonzero(free):
            continue
        hardly_shows = _hardly_shows(reading, own) or _mean(reading.gain, free) < LEAST_GAIN / 3
        if hardly_shows and reading.ends < ENDS:
            continue
        chosen.append((reading, taken, own, at, around))
        raster.paint_cells(around.compress(own, 0))
    return _with_all_taken(chosen, raster)


def taken_from(reading: Reading, taken: Flags) -> Reading:
    """The reading where others are seen instead in these cells: right beside these are their edge and shadow."""
    if taken.any():
        beside = taken[reading.prepared.faces.shape.neighbours].any(1)
        taken = taken | (beside & ~reading.agrees)
    return reading if (reading.taken == taken).all() else replace(reading, taken=taken)


def _hardly_shows(reading: Reading, own: Flags) -> bool:
    """Whether what is seen of a piece in these cells is no more than an even surface, or no plain face."""
    gain = _mean(reading.gain, own)
    if gain >= LEAST_GAIN:
        return False
    explained = EXPLAINED * (gain + _mean(reading.best, own))
    return gain < max(explained, OF_CONTRAST * _mean(reading.prepared.contrast[reading.face], own))


def _mean(values: Floats, where: Flags) -> float:
    """The mean of some, of at least one, of the values."""
    return float(values.compress(where).sum() / np.float32(np.count_nonzero(where)))


def _with_all_taken(chosen: Sequence[tuple[Reading, Flags, Flags, Indices, Indices]], raster: Raster) -> list[Reading]:
    """Readings, strongest first, with what is taken from each by stronger ones, and by weaker ones where it is not
    seen: a small piece that is clear may lie on a large one. Each comes with its cells, as `Raster.cells_of` gives
    them."""
    weaker = raster.bare()
    readings = []
    for reading, taken, own, at, around in reversed(chosen):
        taken = taken | (weaker.taken_cells(at) & ~reading.agrees)
        open_now = taken_from(reading, taken)
        if open_now.lies_there:
            weaker.paint_cells(around.compress(own, 0))
        readings.append(open_now)
    return readings[::-1]


def _cells_of(
    readings: Sequence[Reading], kinds: Mapping[PieceKind, Prepared], raster: Raster
) -> list[tuple[Indices, Indices]]:
    """For each reading the raster's cells of its lattice points, and of what lies right around each (points x 4)."""
    cells: dict[int, tuple[Indices, Indices]] = {}
    for kind, prepared in kinds.items():
        mine = [reading for reading in readings if reading.kind is kind]
        cells.update(zip(map(id, mine), raster.cells_of(mine, prepared.faces.shape.lattice), strict=True))
    return [cells[id(reading)] for reading in readings]
