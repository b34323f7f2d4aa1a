"""Where the blocks of the small picture lie on the table, and which of them pieces lie on."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.following.footprint import Footprint
from vision.hiding.cells import CoarseMap
from vision.kept import Kept
from vision.masks import Mask, part_around
from vision.mat.rectify import PX_PER_MM, Box
from vision.mat.registration import Registration
from vision.motion import WIDTH, Small
from vision.pieces.prepared import Prepared
from vision.pieces.reading import Reading
from vision.scene import PieceKind, Sighting
from vision.shapes import place

Array = NDArray[np.float64]

MOST_FOOTPRINTS = 1000
"""So many are kept; then they are worked out anew."""


class Blocks:
    """The blocks of small pictures (`vision.motion`) that are laid over the table in one way."""

    def __init__(
        self,
        registration: Registration,
        coarse: CoarseMap,
        kinds: Mapping[PieceKind, Prepared],
        shape: tuple[int, int],
    ) -> None:
        """`coarse` is the table in cells, `kinds` are the enrolled faces by kind, `shape` is the small picture's: rows
        and columns."""
        self._registration = registration
        self._coarse = coarse
        self._kinds = kinds
        self.nowhere: Mask = np.zeros(shape, np.uint8)
        """None of them."""
        self._scale = WIDTH / registration.size_px[0]
        self._footprints: Kept[object, Footprint] = Kept(MOST_FOOTPRINTS)
        """Of outlines and poses asked for before."""
        self._under: tuple[list[Footprint], Mask] = [], self.nowhere
        """The blocks that some of them lie on, asked for last."""
        cells = np.stack(np.meshgrid(np.arange(coarse.width), np.arange(coarse.height)), -1).reshape(-1, 2)
        spots = self._to_small(registration.to_picture(coarse.to_table(cells.astype(np.float64))))
        nearest = np.clip(np.round(spots), [0, 0], [shape[1] - 1, shape[0] - 1]).astype(np.int16)
        self._of_cells = nearest.reshape(coarse.height, coarse.width, 2)
        self._columns, self._rows = cv2.split(spots.reshape(coarse.height, coarse.width, 2).astype(np.float32))
        around = np.array([[0, 0], [0.5, 0], [1, 0], [1, 0.5], [1, 1], [0.5, 1], [0, 1], [0, 0.5]])
        edge = coarse.to_table(around * [coarse.width - 1, coarse.height - 1])
        self.beyond = self.polygons([edge]) == 0
        """Which of them lie beyond the table's map."""

    def reach(self, reach_mm: float) -> Mask:
        """The square by which masks are dilated so far."""
        per_mm = WIDTH / self._coarse.table.width * PX_PER_MM
        return np.ones((2 * round(reach_mm * per_mm) + 1,) * 2, np.uint8)

    def polygons(self, outlines: Sequence[Array], *, in_picture: bool = False) -> Mask:
        """255 in the blocks inside any of these outlines (table mm, or pixels)."""
        mask = np.zeros_like(self.nowhere)
        if not outlines:
            return mask
        together = np.concatenate(outlines)
        pixels = self._to_small(together if in_picture else self._registration.to_picture(together))
        fixed = np.round(pixels * 16).astype(np.int32)
        ends = np.cumsum([len(outline) for outline in outlines])[:-1]
        for part in np.split(fixed, ends):
            cv2.fillPoly(mask, [part], 255, shift=4)
        return mask

    def to_cells(self, blocks: Mask) -> Mask:
        """A mask of blocks as one of the table's cells."""
        if not blocks.any():
            return np.zeros((self._coarse.height, self._coarse.width), np.uint8)
        return np.asarray(cv2.remap(blocks, self._of_cells, np.empty(0), cv2.INTER_NEAREST), np.uint8)

    def values_in_cells(self, values: Small) -> NDArray[np.float32]:
        """What blocks are worth (rows x columns x 3) in each of the table's cells."""
        border = cv2.BORDER_REPLICATE
        there = cv2.remap(values, self._columns, self._rows, cv2.INTER_LINEAR, borderMode=border)
        return np.asarray(there, np.float32)

    def pixels(self, blocks: Mask) -> Mask | None:
        """255 in the table map's pixels where these blocks lie; None where there are none."""
        if not blocks.any():
            return None
        return self._coarse.pixels(self.to_cells(blocks))

    def boxes(self, blocks: Mask) -> list[Box]:
        """Columns and rows of the table's map within which these blocks lie, for each part of them."""
        cells = self.to_cells(blocks)
        part = part_around(cells, 0)
        if not cells[part].size:
            return []
        count, _, stats, _ = cv2.connectedComponentsWithStats(np.ascontiguousarray(cells[part]), connectivity=8)
        table = self._coarse.table
        scale = np.array([table.width / self._coarse.width, table.height / self._coarse.height])
        start = stats[1:count, :2] + [part[1].start, part[0].start]
        first = np.floor(start * scale).astype(int)
        last = np.ceil((start + stats[1:count, 2:4]) * scale).astype(int)
        ends = np.minimum(last, [table.width, table.height])
        return [Box(*start, *end) for start, end in zip(first.tolist(), ends.tolist(), strict=True)]

    def over(self, blocks: Mask, points_mm: Array) -> NDArray[np.bool_]:
        """Which table points (n x 2) lie under these blocks."""
        if not blocks.any():
            return np.zeros(len(points_mm), bool)
        spots = np.round(self._to_small(self._registration.to_picture(points_mm))).astype(np.intp)
        rows, columns = np.clip(spots[:, 1], 0, blocks.shape[0] - 1), np.clip(spots[:, 0], 0, blocks.shape[1] - 1)
        inside = (spots == np.column_stack([columns, rows])).all(1)
        return np.asarray(inside & (blocks[rows, columns] > 0))

    def among(self, other: "Blocks") -> NDArray[np.float32]:
        """Where what lies in each block (rows x columns) lay in another's blocks: (column, row)."""
        rows, columns = self.nowhere.shape
        middles = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1).reshape(-1, 2)
        on_table = self._registration.to_table((middles + 0.5) / self._scale - 0.5)
        there = other._to_small(other._registration.to_picture(on_table))
        return there.reshape(rows, columns, 2).astype(np.float32)

    def footprint(self, piece: Reading | Sighting) -> Footprint:
        """The blocks that a piece lies on."""
        lies = piece.pose if isinstance(piece, Reading) else piece.outline_mm
        return self._footprints.of(lies, lambda: self._worked_out(piece))

    def under(self, pieces: Sequence[Reading | Sighting]) -> Mask:
        """The blocks that these lie on."""
        footprints = [self.footprint(piece) for piece in pieces]
        before, mask = self._under
        if len(footprints) != len(before) or any(
            one is not other for one, other in zip(footprints, before, strict=True)
        ):
            mask = np.zeros_like(self.nowhere)
            for footprint in footprints:
                mask[footprint.part] |= footprint.inside
            self._under = footprints, mask
        return mask.copy()

    def covered(self, pieces: Sequence[Reading | Sighting]) -> Mask:
        """The blocks that these lie on, or beside."""
        return np.asarray(cv2.dilate(self.under(pieces), np.ones((3, 3), np.uint8)), np.uint8)

    def meets(self, blocks: Mask, piece: Reading | Sighting) -> bool:
        """Whether any part of a piece lies in these blocks."""
        return self.footprint(piece).meets(blocks)

    def touched(self, piece: Reading | Sighting, change: Mask) -> bool:
        """Whether a piece lies under changed blocks."""
        return self.footprint(piece).touched(change)

    def apart(self, readings: Sequence[Reading], change: Mask) -> tuple[list[Reading], list[Reading]]:
        """Those of the readings that do not lie under changed blocks, and those that do."""
        apart: list[Reading] = []
        under: list[Reading] = []
        for reading in readings:
            (under if self.touched(reading, change) else apart).append(reading)
        return apart, under

    def _worked_out(self, piece: Reading | Sighting) -> Footprint:
        if isinstance(piece, Reading):
            outline = place(self._kinds[piece.kind].faces.shape.outline, piece.pose)
        else:
            outline = np.array(piece.outline_mm)
        inside = self.polygons([outline])
        left, top, width, height = cv2.boundingRect(inside)
        part = slice(top, top + height), slice(left, left + width)
        return Footprint(part, inside[part].copy(), int(np.count_nonzero(inside)))

    def _to_small(self, pixels: Array) -> Array:
        return np.asarray((pixels + 0.5) * self._scale - 0.5)
