"""Whether a piece is told from the table: a cloth's squares, a sleeve on it, a mat's edge may look like much of a face.

What lies on a table ends where the table goes on. So where all that is seen of a piece is seen around it as well, each
spot with what is right beside it, it is the table that is seen, whatever face that looks like.
"""

from collections.abc import Sequence
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.hiding.cells import BESIDE_MM, CELL_MM, CoarseMap, disc
from vision.masks import Mask, part_around
from vision.pieces.features import log_colours
from vision.pieces.reading import CLEAR_COST, LEAST_GAIN, Reading
from vision.pieces.verify import Flags, Floats, Indices, Look
from vision.shapes import place

AROUND_MM = 55.0
"""So far beyond a piece's outline the table is looked at: farther than any cloth's pattern takes to begin anew."""
ARM_CELLS = 2
"""A spot is a cell and those so many cells beside it, above and below: in print they differ, on a table they recur."""
ALIKE, OF_SPREAD = 0.08, 0.4
"""How far colours (logarithm; root of the mean square over a spot) stray where the same is seen: twice what an even
surface strays from itself in dim light; and no more than this share of what those of the piece stray from their mean,
as where light washes out all alike that tells nothing."""
LEAST_ALIKE = 5
"""In so many places around it the same is to be seen."""
LEAST_SPOTS, LEAST_AROUND = 10, 50
"""Fewer cells of a piece, or fewer around it, tell nothing."""
MOST_SPOTS, MOST_AROUND = 150, 3000
"""About so many are compared at most, evenly chosen."""
NO_PIECE = 0.7
"""Where so large a share of what is seen of it is seen around it as well, a piece is the table. Of pieces that were not
seen plainly, on shared and path-traced pictures as they are, in blinds, contrasted, as phones show them and with three
lamps mirrored in the table, right ones had 0.66 at most; of 28 that were none, on cloth, on a sleeve, in a lamp's light
and beside another game's print, one, over a shadow's edge on cloth, had 0.74, and the others more. Of such as
are seen plainly it is asked only where their faces are hardly printed: in deep shadow most looks alike."""
HARDLY_PRINTED, EDGED = 0.35, 0.3
"""A face of which less than the first share is told from an even surface is hardly more than an edge or two: most have
0.5 and more. As plainly as cards that lay there, a pale card with a dark band was seen all along a mat's edge on a dark
table. What is seen so and is a piece ends along more than the second share of its outline."""
RIM_MM = 2.5
"""So far inside and beyond its outline it is told whether a piece ends there."""


class Surroundings:
    """A picture's table in coarse cells, for telling pieces from it."""

    def __init__(self, look: Look, coarse: CoarseMap) -> None:
        self._look, self._coarse = look, coarse

    def without_table(self, readings: Sequence[Reading], told: Sequence[Reading] = ()) -> list[Reading]:
        """The readings but for such that only show the table. What is seen plainly is told from it, and so are those
        that were `told` before. Where one shows but the table, so may others that were taken for pieces there."""
        left, known = list(readings), set(map(id, told))
        while True:
            doubtful = [r for r in left if id(r) not in known and may_be_table(r)]
            table = {id(r) for r in doubtful if self.shown_around(r, left) >= NO_PIECE and not self._ends(r)}
            if not table:
                return left
            left = [r for r in left if id(r) not in table]

    def shown_around(self, reading: Reading, readings: Sequence[Reading]) -> float:
        """Which share of what is seen of a piece is seen around it as well, where no other of the readings lies: of its
        cells, or of what they tell of its face, whichever is more."""
        outlines = [place(r.prepared.faces.shape.outline, r.pose) for r in readings if r is not reading]
        own = self._coarse.polygons([place(reading.prepared.faces.shape.outline, reading.pose)])
        beside = np.asarray(cv2.dilate(own, disc(2 * BESIDE_MM)), np.uint8)
        part = part_around(own, round(AROUND_MM / CELL_MM))
        around = np.zeros_like(own)
        around[part] = (self._told & ~beside & ~self._coarse.polygons(outlines))[part]
        cells = np.flatnonzero(reading.agrees & ~reading.taken & ~reading.hidden)
        cells = cells[:: max(len(cells) // MOST_SPOTS, 1)]
        at = np.round(self._coarse.to_cells(place(reading.prepared.full.points[cells], reading.pose))).astype(np.intp)
        inside = self._is_told(at)
        cells, at = cells[inside], at[inside]
        rows, columns = np.nonzero(around)
        some = slice(None, None, max(-(-len(rows) // MOST_AROUND), 1))
        if len(at) < LEAST_SPOTS or len(rows) < LEAST_AROUND:
            return 0.0
        here, there = self._spots(at[:, 1], at[:, 0]), self._spots(rows[some], columns[some])
        spread = float(np.sqrt(np.square(here[:, :3] - here[:, :3].mean(0)).mean()))
        apart = np.square(here).sum(1)[:, None] + np.square(there).sum(1) - 2.0 * here @ there.T
        alike = apart < here.shape[1] * min(ALIKE, OF_SPREAD * spread) ** 2
        recurs = np.count_nonzero(alike, axis=1) >= LEAST_ALIKE
        tells = reading.prepared.contrast[reading.face][cells]
        return max(float(recurs.mean()), float(tells[recurs].sum()) / max(float(tells.sum()), 1e-6))

    def _ends(self, reading: Reading) -> bool:
        """Whether what is seen plainly is told from the table by its outline: it looks otherwise right beside it."""
        return _seen_plainly(reading) and self.edged(reading) > EDGED

    def edged(self, reading: Reading) -> float:
        """Along which share of its outline a piece looks otherwise than what is right beside it."""
        shape = reading.prepared.faces.shape
        rim, outwards = shape.rim
        inside, beyond = (place(rim + way * outwards, reading.pose) for way in (-RIM_MM, RIM_MM))
        seen = self._look.table.shows(np.stack([inside, beyond])).all(0)
        colours = self._look.colours(np.stack([inside, beyond]))
        differs = np.sqrt(np.square(colours[0] - colours[1]).mean(0)) > ALIKE
        return float(differs[seen].mean()) if seen.any() else 1.0

    def _spots(self, rows: Indices, columns: Indices) -> Floats:
        """What these cells and those beside them show: cells x 15."""
        return np.concatenate([self._colours[rows + down, columns + right] for down, right in _ARMS], axis=1)

    def _is_told(self, at: Indices) -> Flags:
        """Of cells (n x 2: column, row) which are seen with those beside them."""
        column, row = np.clip(at, 0, [self._coarse.width - 1, self._coarse.height - 1]).T
        return np.asarray((at == np.column_stack([column, row])).all(1) & (self._told[row, column] > 0))

    @cached_property
    def _colours(self) -> NDArray[np.float32]:
        return log_colours(self._coarse.shrink(self._look.soft), self._look.gain)

    @cached_property
    def _told(self) -> Mask:
        """255 where the picture shows a cell and those beside it."""
        return np.asarray(cv2.erode(self._coarse.seen, disc((2 * ARM_CELLS + 1) * CELL_MM), borderValue=0), np.uint8)


_ARMS = ((0, 0), (0, ARM_CELLS), (0, -ARM_CELLS), (ARM_CELLS, 0), (-ARM_CELLS, 0))


def may_be_table(reading: Reading) -> bool:
    """Whether it is not seen plainly, all that is open of it, as it was enrolled, or is of a face with little
    print."""
    return not _seen_plainly(reading) or _printed(reading) < HARDLY_PRINTED


def _seen_plainly(reading: Reading) -> bool:
    return reading.whole and reading.cost < CLEAR_COST


def _printed(reading: Reading) -> float:
    """Which share of its face is told from an even surface."""
    return float((reading.prepared.contrast[reading.face] >= LEAST_GAIN).mean())
