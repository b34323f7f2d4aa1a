"""The table seen from above in coarse cells, in which what lies on it besides pieces is looked for."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.kept import MOST_READINGS, Kept
from vision.masks import Mask, Part, part_around
from vision.mat.markers import INNER_MM
from vision.mat.rectify import PX_PER_MM, TableMap
from vision.pieces.faces import MAT_HALF_MM
from vision.pieces.reading import Reading
from vision.pieces.verify import Indices
from vision.shapes import place

Array = NDArray[np.float64]
CELL_MM = 2.5
BESIDE_MM = 5.0
"""So far beside a piece its height and its shadow make the table look strange."""
LEAST_AREA_MM2 = 500.0
"""Smaller than this is print, a crumb or a shadow's edge."""
LEAST_WIDTH_MM = 9.0
"""Narrower than this is print on the mat."""
MOST_POSES = 1000
"""So many poses' cells are kept; then they are worked out anew."""
_BEYOND_CELLS = 16
"""Beyond so many cells nothing says what a part of the mat is: wider than all that masks are opened by."""
_AROUND = np.array([[x, y] for x in (-0.3, 0.3) for y in (-0.3, 0.3)])


@dataclass(frozen=True, slots=True)
class CoarseMap:
    """The table in cells of `CELL_MM`."""

    table: TableMap
    width: int
    height: int
    seen: Mask
    """255 where the picture shows the table at all."""
    border: Mask
    """255 at the mat's edge and the picture's: what reaches there may go on."""
    edge: Mask
    """255 at the picture's edge."""
    plain: Mask
    """255 where the bare mat shows its plain face: not at its markers and edge."""
    around_mat: Part = (slice(None), slice(None))
    """Rows and columns of the mat's plain face, and as many more as what is said of its cells may depend on."""
    _under: Kept[Array, Indices] = field(default_factory=lambda: Kept(MOST_POSES), repr=False, compare=False)
    """Cells of poses asked for before."""
    seen_of: Kept[Reading, tuple[Indices, Indices]] = field(
        default_factory=lambda: Kept(MOST_READINGS), repr=False, compare=False
    )
    """Cells in which readings asked for before are seen, and in which something lies on them."""

    def to_cells(self, points_mm: Array) -> Array:
        """Cell columns and rows of table points."""
        return self.table.to_map(points_mm) / (PX_PER_MM * CELL_MM) - 0.5

    def to_table(self, cells: Array) -> Array:
        """Table points of cell columns and rows."""
        return self.table.to_table((cells + 0.5) * (PX_PER_MM * CELL_MM))

    def polygons(self, outlines: Sequence[Array]) -> Mask:
        """255 inside any of these outlines (table mm)."""
        mask = np.zeros((self.height, self.width), np.uint8)
        for outline in outlines:
            cv2.fillPoly(mask, [np.round(self.to_cells(outline) * 16).astype(np.int32)], 255, shift=4)
        return mask

    def cells_under(self, pose: Array, points: Array) -> Indices:
        """The cells (n x 4, flat) around each of a piece's own points (n x 2)."""
        return self._under.of(pose, lambda: self._around(place(points, pose)))

    def _around(self, points_mm: Array) -> Indices:
        cells = (self.to_cells(points_mm)[:, None] + _AROUND + 0.5).astype(np.intp)
        column = np.minimum(np.maximum(cells[..., 0], 0), self.width - 1)
        row = np.minimum(np.maximum(cells[..., 1], 0), self.height - 1)
        return np.asarray(row * self.width + column)

    def pixels(self, cells: Mask) -> Mask:
        """A mask of these cells as one of the table map's pixels."""
        shape = self.table.height, self.table.width
        row_of, column_of = (
            (np.arange(size) * (1.0 / (size / count))).astype(np.intp)
            for size, count in zip(shape, cells.shape, strict=True)
        )
        parts = zip((row_of, column_of), part_around(cells, 0), strict=True)
        rows, columns = (slice(*np.searchsorted(of, [part.start, part.stop]).tolist()) for of, part in parts)
        pixels = np.zeros(shape, np.uint8)
        pixels[rows, columns] = cells[:, column_of[columns]][row_of[rows]]
        return pixels

    def shrink(self, soft: Image) -> Image:
        """A softened picture of the table, seen from above, in these cells."""
        return np.asarray(cv2.resize(soft, (self.width, self.height), interpolation=cv2.INTER_LINEAR), np.uint8)


def coarse_map(table: TableMap) -> CoarseMap:
    """The cells that cover a map."""
    width, height = (round(side / (PX_PER_MM * CELL_MM)) for side in (table.width, table.height))
    seen = np.asarray(cv2.resize(table.seen, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)
    nowhere = np.zeros_like(seen)
    bare = CoarseMap(table, width, height, seen, nowhere, nowhere, nowhere)
    inner = cv2.erode(seen, disc(4 * CELL_MM), borderValue=0)
    rim = cv2.bitwise_not(bare.polygons([square(0.0, 0.0, MAT_HALF_MM - 15.0)]))
    mat = bare.polygons([square(0.0, 0.0, MAT_HALF_MM)])
    edge = np.asarray(cv2.bitwise_not(inner), np.uint8)
    border = np.asarray(cv2.bitwise_or(edge, cv2.bitwise_and(rim, mat)), np.uint8)
    plain = _plain_mat(bare)
    return replace(bare, border=border, edge=edge, plain=plain, around_mat=part_around(plain, _BEYOND_CELLS))


def disc(width_mm: float) -> Mask:
    """A round structuring element, in cells of the table."""
    cells = max(round(width_mm / CELL_MM), 1)
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (cells, cells)), np.uint8)


def opened(mask: Mask) -> Mask:
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, disc(LEAST_WIDTH_MM)), np.uint8)


def large_parts(mask: Mask) -> Mask:
    """Those parts of a mask that are no crumb and no shadow's edge."""
    large = np.zeros(mask.shape, np.uint8)
    part = part_around(mask, 0)
    if mask[part].size:
        some = np.ascontiguousarray(mask[part])
        count, labels, stats, _ = cv2.connectedComponentsWithStats(some, connectivity=8)
        keep = np.where(stats[:count, cv2.CC_STAT_AREA] * CELL_MM**2 >= LEAST_AREA_MM2, np.uint8(255), np.uint8(0))
        keep[0] = 0
        large[part] = keep[labels]
    return large


def grown(outline_mm: Array, by_mm: float, coarse: CoarseMap) -> Mask:
    mask, round_about = coarse.polygons([outline_mm]), disc(2 * by_mm)
    part = part_around(mask, len(round_about))
    if mask[part].size:
        mask[part] = cv2.dilate(mask[part], round_about)
    return mask


def without_any(foreign: Mask, pieces: Sequence[Mask]) -> Mask:
    left = foreign.copy()
    for piece in pieces:
        left &= ~piece
    return left


def square(x: float, y: float, half: float) -> Array:
    return np.array([[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]])


def _plain_mat(coarse: CoarseMap) -> Mask:
    inside = MAT_HALF_MM - 5.0
    mat = coarse.polygons([square(0.0, 0.0, inside)])
    corner = (INNER_MM + MAT_HALF_MM) / 2
    reach = MAT_HALF_MM - corner + 12.0
    for x in (-corner, corner):
        for y in (-corner, corner):
            mat[coarse.polygons([square(x, y, reach)]) > 0] = 0
    mat[cv2.erode(coarse.seen, disc(CELL_MM)) == 0] = 0
    return mat
