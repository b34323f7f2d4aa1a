"""What may lie beside a piece and partly under it, or under others, as in rows in which pieces lie on each other."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from vision.pieces.checking import check_under
from vision.pieces.features import Colours
from vision.pieces.prepared import Prepared
from vision.pieces.raster import LEAST_SEEN, Raster, taken_from
from vision.pieces.reading import Reading
from vision.pieces.sweep import about, ranks_within
from vision.pieces.verify import Flags, Floats, Grid, Indices, Look, judge, rank_faces, refine
from vision.scene import PieceKind
from vision.shapes import place

Array = NDArray[np.float64]

ALONG_MM, ACROSS_MM, TURNS_DEG = (-5.0, 0.0, 5.0), np.arange(6.0, 33.0, 3.0), (-4.0, 0.0, 4.0)
"""Where the next one may lie (both ways across): from a half covered slice to one that is hardly covered."""
MOST_OPEN = 0.85
"""Of which more lies open, keypoints lead to."""
EVEN = 0.0025
"""Mean square of what colours (logarithm) stray on an even surface: less than that shows nothing."""
LEAST_ALIKE = 0.5
LIKELIEST, REFINED, CHECKED = 12, 4, 2
"""Beside each piece so many places are compared, those most like a face, so many moved to where they fit best, and so
many of these looked at closely."""
RIVALS = 3
ROUNDS, CLOSE_ROUNDS = 4, 8
"""An even print tells little where it lies: it takes more steps than others do."""


def beside(look: Look, kind: PieceKind, prepared: Prepared, sources: Sequence[Reading], known: Raster) -> list[Reading]:
    """What of one kind may lie beside these pieces of it, told by what `known` leaves open of it. Not all of it lies
    there."""
    if not sources:
        return []
    grid = prepared.sparse
    poses, owners = _places(prepared, sources)
    free = ~known.taken(place(grid.points, poses))
    shows = free.mean(1)
    worth = np.flatnonzero((shows > LEAST_SEEN) & (shows < MOST_OPEN))
    if not len(worth):
        return []
    poses, owners, free = poses[worth], owners[worth], free[worth]
    alike, faces = _alike(look.colours(place(grid.points, poses)), grid, free)
    best = _best_of(owners, np.where(alike > LEAST_ALIKE, -alike, np.inf), LIKELIEST)
    if not len(best):
        return []
    poses, owners, faces, free = poses[best], owners[best], faces[best], free[best]
    best = _best_of(owners, _cheapest(look, prepared, poses, faces[:, None], free)[0], REFINED)
    owners, faces = owners[best], faces[best]
    poses = refine(look, poses[best], faces, grid, prepared.faces.shape.centre, rounds=ROUNDS, free=free[best])
    free = ~known.taken(place(grid.points, poses))
    ranks = rank_faces(look.colours(place(grid.points, poses)), grid, free)
    count = min(RIVALS, ranks.shape[1])
    rivals = np.argpartition(-ranks, count - 1, axis=1)[:, :count].astype(np.intp)
    costs, faces = _cheapest(look, prepared, poses, rivals, free)
    best = _best_of(owners, np.where(free.mean(1) > LEAST_SEEN, costs, np.inf), CHECKED)
    points = prepared.full.points
    free = ~known.taken(place(points, poses[best]))
    found = check_under(look, kind, prepared, poses[best], faces[best], free, rounds=CLOSE_ROUNDS)
    return [taken_from(reading, known.taken(place(points, reading.pose))) for reading in found]


def _places(prepared: Prepared, sources: Sequence[Reading]) -> tuple[Array, Indices]:
    """Poses (n x 3) beside each piece, turned as it is or half round in the same row, and beside which (n)."""
    shape = prepared.faces.shape
    tried = []
    for half_turn in (0.0, 180.0):
        # Half round about the middle of its length.
        shifted = (shape.outline[:, 0].min() + shape.outline[:, 0].max() - 2 * shape.centre[0]) * (half_turn > 0.0)
        for along, across, turn in product(ALONG_MM, [*ACROSS_MM, *-ACROSS_MM], TURNS_DEG):
            tried.append((along + shifted, across, turn + half_turn))
    shifts = np.array(tried)
    poses = []
    for reading in sources:
        middle = place(shape.centre[None], reading.pose)[0]
        way = place(shifts[:, :2], np.array([0.0, 0.0, reading.pose[2]]))
        poses.append(about(shape.centre, middle + way, reading.pose[2] + shifts[:, 2]))
    return np.concatenate(poses), np.repeat(np.arange(len(sources)), len(shifts))


def _alike(colours: Colours, grid: Grid, free: Flags) -> tuple[Floats, Indices]:
    """The correlation of what is free (n x cells) of each pose's colours with the face they are most like (n), and
    which that is."""
    shown = free.astype(np.float32)
    count = np.maximum(shown.sum(1), np.float32(1.0))
    strays = (colours - (np.einsum("nkc,nc->nk", colours, shown) / count[:, None])[..., None]) * shown[:, None]
    width = np.einsum("nkc,nkc->n", strays, strays) + np.float32(EVEN) * count
    faces = grid.unit.reshape(len(grid.unit), -1, shown.shape[1])
    means = np.stack([shown @ faces[:, channel].T for channel in range(faces.shape[1])])
    contrast = shown @ np.square(faces).sum(1).T - np.square(means).sum(0) / count[:, None]
    along = strays.reshape(len(strays), -1) @ grid.unit.T
    alike = along / np.sqrt(np.maximum(contrast, np.float32(1e-4)) * width[:, None])
    best = alike.argmax(1)
    return np.asarray(alike[np.arange(len(best)), best]), best


def _cheapest(look: Look, prepared: Prepared, poses: Array, faces: Indices, free: Flags) -> tuple[Floats, Indices]:
    """What the cheapest of its faces (n x k) costs on average where each pose is free (n x cells), and which it is."""
    grid = prepared.sparse
    colours = look.colours(place(grid.points, poses))
    verdict = judge(colours, faces, grid, look.trust, free=free, brightest=look.brightest(), least_agreeing=np.inf)
    rows = np.arange(len(poses))
    costs = (verdict.costs[rows, verdict.best] * free).sum(1) / np.maximum(free.sum(1), 1)
    return np.asarray(costs, np.float32), faces[rows, verdict.best]


def _best_of(owners: Indices, costs: Array | Floats, most: int) -> Indices:
    """Those of finite cost that cost least of each owner, so many."""
    order = np.argsort(costs, kind="stable")
    order = order[np.isfinite(costs[order])]
    return np.asarray(order[ranks_within(owners[order]) < most])
