"""The outlines of pieces in their own millimetres, and how poses move them.

A slice's own frame has its tip at (0, 0) and the middle of its crust on +x. A Special's or a card's has its centre at
(0, 0) and the top of its writing on +x.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vision.scene import PieceKind, Point

Array = NDArray[np.float64]

FULL_CIRCLE_SLICES = 11
FULL_TURN_DEG: Mapping[PieceKind, float] = {
    PieceKind.SLICE: 360.0, PieceKind.SPECIAL: 180.0, PieceKind.SLICE_CARD: 180.0, PieceKind.ORDER_CARD: 90.0
}  # fmt: skip
"""Turned by that much a shape covers itself."""
CELL_MM = 2.5
"""Spacing of the lattice on which faces are compared."""
RIM_POINTS = 120
EDGE_MM = 1.8
"""The lattice keeps this far inside the outline, where neighbours and shadows do not blur in."""


@dataclass(frozen=True)
class Shape:
    """One kind of piece: its outline and where on it faces are compared, worked out when it is asked for."""

    kind: PieceKind
    outline: Array
    """n x 2, counter-clockwise, own frame."""
    centre: Array
    """The point that poses are voted for and turned about, own frame."""
    size_mm: tuple[float, float]
    """Slice: tip to crust, and the tip's angle in degrees. Specials and cards: width, height."""

    @cached_property
    def lattice(self) -> Array:
        """m x 2 points inside, own frame."""
        return _slice_lattice(*self.size_mm) if self.kind is PieceKind.SLICE else _card_lattice(*self.size_mm)

    def cells_at(self, points: Array) -> NDArray[np.intp]:
        """Which lattice point is nearest to points (... x 2, own frame), -1 where they are beyond it."""
        (first, index), lattice = self._raster, self.lattice
        keys = 2 * np.round((points - lattice[0]) / CELL_MM).astype(int) + _lattice_keys(lattice[:1])[0] - first
        within = np.clip(keys, 0, np.array(index.shape) - 1)
        return np.asarray(index[tuple(np.moveaxis(within, -1, 0))], np.intp)

    @cached_property
    def _raster(self) -> tuple[NDArray[np.int_], NDArray[np.intp]]:
        """The lattice's first row and column of half cells, and who is where from there; -1 for nobody, so all around
        it."""
        keys = _lattice_keys(self.lattice)
        first = keys.min(axis=0) - 2
        index = np.full(keys.max(axis=0) - first + 3, -1, np.intp)
        index[tuple((keys - first).T)] = np.arange(len(keys))
        return first, index

    @cached_property
    def neighbours(self) -> NDArray[np.intp]:
        """m x 9: each lattice point and those around it; where there is none, the point itself."""
        keys, (first, index) = _lattice_keys(self.lattice), self._raster
        steps = np.array([(dx, dy) for dx in (-2, 0, 2) for dy in (-2, 0, 2)])
        around = index[tuple(np.moveaxis(keys[:, None] + steps - first, -1, 0))]
        return np.where(around < 0, np.arange(len(keys))[:, None], around).astype(np.intp)

    @cached_property
    def sparse(self) -> NDArray[np.intp]:
        """About a quarter of the lattice, evenly spread, for a first look."""
        keys = _lattice_keys(self.lattice)
        return np.flatnonzero((keys // 2).sum(axis=1) % 2 + np.abs((keys // 2)[:, 1]) % 2 == 0)

    @cached_property
    def rim(self) -> tuple[Array, Array]:
        """RIM_POINTS places along the outline, evenly, and the directions outwards there: each n x 2, own frame."""
        corners = np.concatenate([self.outline, self.outline[:1]])
        sides = np.diff(corners, axis=0)
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(sides, axis=1))])
        at = (np.arange(RIM_POINTS) + 0.5) / RIM_POINTS * along[-1]
        points = np.column_stack([np.interp(at, along, corners[:, axis]) for axis in (0, 1)])
        ways = sides[np.searchsorted(along, at) - 1]
        return points, np.column_stack([ways[:, 1], -ways[:, 0]]) / np.linalg.norm(ways, axis=1)[:, None]

    @cached_property
    def reach_mm(self) -> float:
        """Largest distance of the outline from the centre."""
        return float(np.linalg.norm(self.outline - self.centre, axis=1).max())

    @property
    def area_mm2(self) -> float:
        """Area of the outline."""
        return polygon_area(self.outline)


def slice_shape(radius_mm: float, angle_deg: float = 360.0 / FULL_CIRCLE_SLICES) -> Shape:
    """A wedge with its tip at the origin."""
    half = np.radians(angle_deg) / 2
    arc = np.linspace(-half, half, 9)
    outline = np.vstack([[0.0, 0.0], radius_mm * np.column_stack([np.cos(arc), np.sin(arc)])])
    return Shape(PieceKind.SLICE, outline, np.array([radius_mm * 0.62, 0.0]), (radius_mm, angle_deg))


def card_shape(kind: PieceKind, width_mm: float, height_mm: float) -> Shape:
    """A rectangle about the origin, its height along +x."""
    x, y = height_mm / 2, width_mm / 2
    outline = np.array([[-x, -y], [x, -y], [x, y], [-x, y]])
    return Shape(kind, outline, np.zeros(2), (width_mm, height_mm))


def place(points: Array, pose: Array) -> Array:
    """Move own-frame points (m x 2) to the table by poses (x, y, degrees): (3,) gives m x 2, (n, 3) gives n x m x 2."""
    x, y = points[:, 0], points[:, 1]
    if np.ndim(pose) == 1:
        turn = np.radians(pose[2])
        cosine, sine = np.cos(turn), np.sin(turn)
        moved = np.empty((len(points), 2))
        moved[:, 0] = pose[0] + cosine * x - sine * y
        moved[:, 1] = pose[1] + sine * x + cosine * y
        return moved
    turns = np.radians(pose[:, 2])
    cosines, sines = np.cos(turns)[:, None], np.sin(turns)[:, None]
    moved = np.empty((len(pose), len(points), 2))
    moved[..., 0] = pose[:, :1] + cosines * x - sines * y
    moved[..., 1] = pose[:, 1:2] + sines * x + cosines * y
    return moved


def place_poses(poses: Array, pose: Array) -> Array:
    """Move poses in a piece's own frame (n x 3) to the table by that piece's pose."""
    return np.column_stack([place(poses[:, :2], pose), (poses[:, 2] + pose[2]) % 360.0])


def to_own_frame(points: Array, pose: Array) -> Array:
    """The inverse of `place` for one pose: ... x 2 gives ... x 2."""
    turn = np.radians(pose[2])
    offset = points - pose[:2]
    along = offset @ np.array([np.cos(turn), np.sin(turn)])
    across = offset @ np.array([-np.sin(turn), np.cos(turn)])
    return np.stack([along, across], axis=-1)


def angle_between(first_deg: Array | float, second_deg: Array | float) -> Array:
    """Signed turn from the second to the first, -180 to 180 degrees."""
    return np.asarray((np.asarray(first_deg) - np.asarray(second_deg) + 180.0) % 360.0 - 180.0)


def polygon_area(outline: Array) -> float:
    """Area of a polygon, positive counter-clockwise."""
    after = np.concatenate((outline[1:], outline[:1]))
    return float((outline[:, 0] * after[:, 1] - after[:, 0] * outline[:, 1]).sum() / 2)


def as_points(outline: Array) -> tuple[Point, ...]:
    """An outline as plain points, to a hundredth of a millimetre."""
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in outline)


def _slice_lattice(radius_mm: float, angle_deg: float) -> Array:
    half = np.radians(angle_deg) / 2
    grid = _grid(0.0, radius_mm, radius_mm * np.sin(half))
    side = grid[:, 0] * np.sin(half) - np.abs(grid[:, 1]) * np.cos(half)
    return np.asarray(grid[(side > EDGE_MM) & (np.hypot(grid[:, 0], grid[:, 1]) < radius_mm - EDGE_MM)])


def _card_lattice(width_mm: float, height_mm: float) -> Array:
    x, y = height_mm / 2, width_mm / 2
    grid = _grid(-x, x, y)
    return np.asarray(grid[(np.abs(grid[:, 0]) < x - EDGE_MM) & (np.abs(grid[:, 1]) < y - EDGE_MM)])


def _grid(start: float, stop: float, half_width: float) -> Array:
    x = np.arange(start + CELL_MM / 2, stop, CELL_MM)
    rows = int(half_width / CELL_MM) + 1
    y = np.arange(-rows, rows + 1) * CELL_MM
    return np.asarray(np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2))


def _lattice_keys(lattice: Array) -> NDArray[np.int_]:
    """Which row and column of half cells each point is in."""
    return np.round(lattice / CELL_MM * 2).astype(int)
