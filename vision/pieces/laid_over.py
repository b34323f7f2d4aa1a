"""Enrolled faces laid over each other where they fit best: none was outlined to the millimetre when it was enrolled."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from vision.pieces.faces import KindFaces
from vision.pieces.features import Colours
from vision.pieces.verify import ALL_TRUSTED, Floats, Grid, Indices, Veiled, grid_of, judge, refine, unit_length
from vision.shapes import CELL_MM, place

Array = NDArray[np.float64]

ASIDE_CELLS = (2, 1)
"""So many cells of the lattice along and across a piece faces are moved to find out where they fit best: outlines of
slices stray by up to 5 mm along them, and hardly by more than 2 mm across."""
WORTH = 0.6
"""Only faces so much alike, moved by whole cells, are laid over each other exactly. What costs less than 1 on average
in another's place has a correlation of 0.83 there and more."""
FIT_ROUNDS = 3
LIKELY, SLACK = 3.0, 0.5
"""Only where few cells cost less than this, and not much more than where the face was outlined, all are compared."""
LEAST_SHARED = 0.7
IN_COMMON = 1.5
"""Faces that cost each other no more have so much print in common that where they fit best they lie as they were
printed: of simulated and shared ones, outlined exactly, none that costs up to 2 fits best farther than 0.56 mm beside
itself, but for two Specials in coarser pictures that seemed to lie 0.9 mm apart; of those that cost up to 2.5 one does
by 1.5 mm."""
LEAST_STRAY_MM = 0.4
ROUNDS = 2
"""How often what has strayed is looked at anew: faces are more alike where they lie alike."""
AT_ONCE = 512
"""So many pairs are laid over each other at once: as much as memory of a small computer holds easily."""


def laid_over(faces: KindFaces, grid: Grid) -> tuple[Floats, Array]:
    """What each face costs on average where another is seen just as it was enrolled, laid over that where it fits best
    (faces x faces, seen ones first), and where that is: faces x faces x 3, poses in the frame of the one seen."""
    count = len(faces.names)
    everyone = np.tile(np.arange(count), (count, 1))
    costs = np.asarray(judge(grid.enrolled, everyone, grid, ALL_TRUSTED).costs.mean(-1), np.float32)
    poses, starts = np.zeros((count, count, 3)), _starts(faces, grid)
    sparse = grid_of(faces, faces.shape.sparse, None)
    worth = np.argwhere(np.isfinite(starts).all(-1))
    for seen, other in (worth[first : first + AT_ONCE].T for first in range(0, len(worth), AT_ONCE)):
        start = np.column_stack([starts[seen, other], np.zeros(len(seen))])
        at, cost, _ = _fitted(faces, sparse, seen, other, start)
        near = np.flatnonzero(cost < np.minimum(costs[seen, other] + SLACK, LIKELY))
        if not len(near):
            continue
        seen, other = seen[near], other[near]
        at, cost, shared = _fitted(faces, grid, seen, other, at[near])
        better = (cost < costs[seen, other]) & (shared >= LEAST_SHARED)
        costs[seen[better], other[better]] = cost[better]
        poses[seen[better], other[better]] = at[better]
    return costs, poses


def _fitted(faces: KindFaces, grid: Grid, seen: Indices, other: Indices, start: Array) -> tuple[Array, Array, Array]:
    """Faces (n) laid over others that are seen, from these poses: where they fit best (n x 3), what they cost there on
    average, and which share of them lies on those."""
    look, shape = _AsEnrolled(faces, seen), faces.shape
    shared = shape.cells_at(place(grid.points, start)) >= 0
    at = refine(look, start, other, grid, shape.centre, rounds=FIT_ROUNDS, free=shared)
    there = place(grid.points, at)
    shared &= shape.cells_at(there) >= 0
    each = judge(look.colours(there), other[:, None], grid, ALL_TRUSTED).costs[:, 0]
    return at, (each * shared).sum(1) / np.maximum(shared.sum(1), 1), shared.mean(1)


def strays(faces: KindFaces) -> Array:
    """How each face's outline would have to be moved to lie on its print as those of most faces do that have print in
    common with it: faces x 3, poses in their own frames, 0 for those that have not strayed."""
    shape, count = faces.shape, len(faces.names)
    costs, poses = laid_over(faces, grid_of(faces, np.arange(len(shape.lattice)), shape.neighbours))
    one, other = np.nonzero(np.triu((costs < IN_COMMON) & (costs.T < IN_COMMON), 1))
    if not len(one):
        return np.zeros((count, 3))
    apart = np.zeros((len(one), count))
    rows = np.arange(len(one))
    apart[rows, one], apart[rows, other] = 1.0, -1.0
    there, back = poses[one, other], poses[other, one]
    off = (_of_centre(there, shape.centre) - _of_centre(back, shape.centre)) / 2.0
    moves = np.asarray(np.linalg.lstsq(apart, off, rcond=None)[0])
    for group in _groups(count, one, other):
        moves[group] -= np.median(moves[group], axis=0)
    strayed = np.linalg.norm(moves[:, :2], axis=1) > LEAST_STRAY_MM
    return np.where(strayed[:, None], _as_poses(moves, shape.centre), 0.0)


def _of_centre(poses: Array, centre: Array) -> Array:
    """How far poses near none move a piece's centre, and how far they turn it: n x 3."""
    turns = (poses[:, 2:] + 180.0) % 360.0 - 180.0
    return np.column_stack([place(centre[None], poses)[:, 0] - centre, turns])


def _as_poses(moves: Array, centre: Array) -> Array:
    """The inverse."""
    turned = np.column_stack([np.zeros((len(moves), 2)), moves[:, 2]])
    return np.column_stack([centre + moves[:, :2] - place(centre[None], turned)[:, 0], moves[:, 2]])


def _groups(count: int, one: Indices, other: Indices) -> list[Indices]:
    """Who is joined by these pairs, directly or through others."""
    first = np.arange(count)
    for _ in range(count):
        least = np.minimum(first[one], first[other])
        joined = first.copy()
        np.minimum.at(joined, one, least)
        np.minimum.at(joined, other, least)
        if (joined == first).all():
            break
        first = joined
    return [np.flatnonzero(first == root) for root in np.unique(first)]


def _starts(faces: KindFaces, grid: Grid) -> Array:
    """faces x faces x 2: by how many whole cells (mm, own frame) the second is moved where it is most like the first;
    not a number where it is like it nowhere."""
    count, (along, across), few = len(faces.names), ASIDE_CELLS, faces.shape.sparse
    most = np.full((count, count), np.float32(WORTH))
    starts = np.full((count, count, 2), np.nan)
    for cells in product(range(-along, along + 1), range(-across, across + 1)):
        aside = np.array(cells) * CELL_MM
        there = faces.shape.cells_at(grid.points[few] + aside)
        both = there >= 0
        alike = unit_length(grid.enrolled[:, :, there[both]]) @ unit_length(grid.enrolled[:, :, few[both]]).T
        better = alike > most
        most[better], starts[better] = alike[better], aside
    starts[np.diag_indices(count)] = np.nan
    return starts


@dataclass(frozen=True, slots=True)
class _AsEnrolled:
    """Faces just as they were enrolled, in the place of pictures of the table: one for each pose."""

    faces: KindFaces
    seen: Indices

    @property
    def trust(self) -> Floats:
        return ALL_TRUSTED

    def colours(self, points_mm: Array, behind: Veiled | None = None) -> Colours:
        """Colours at points in their own frames: n x m x 2 gives n x 3 x m. Beyond their lattice, something."""
        shape, rows = self.faces.shape, self.seen[:, None]
        cells = np.maximum(shape.cells_at(points_mm), 0)
        beside = np.clip(points_mm - shape.lattice[cells], -CELL_MM, CELL_MM).astype(np.float32)
        slopes = self.faces.slopes[rows, :, cells]
        seen = self.faces.colours[rows, cells] + (slopes * beside[..., None]).sum(-2)
        return np.ascontiguousarray(np.swapaxes(seen, -1, -2), np.float32)

    def brightest(self, behind: Veiled | None = None) -> Floats:
        return np.full((3, 1), np.inf, np.float32)
