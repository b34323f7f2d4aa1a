"""Pieces that mirror a lamp: pale, and paler towards one side, where a guess needs corners and a check plain colours.

What lies over such a piece is taken for light that grows evenly along it (`verify.veiled`). Where something pale has
details and no piece explains it, the table is gone through in steps with that slope left out of account; then, for
each face that may lie there, it is worked out how much light lies over it, by what is not cut off.
"""

import itertools
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.pieces.checking import check
from vision.pieces.features import LOG_FLOOR
from vision.pieces.prepared import Prepared
from vision.pieces.reading import NO_VEIL, Reading
from vision.pieces.sweep import (
    CELL_MM,
    STEP,
    STEP_DEG,
    Points,
    SmallMap,
    about,
    indices,
    map_of,
    peaks,
    points_of,
    poses_at,
    ranks_within,
)
from vision.pieces.verify import SQUARE_OF, Flags, Floats, Grid, Indices, Look
from vision.scene import PieceKind
from vision.shapes import place

Array = NDArray[np.float64]

PALE = 100.0
"""Levels, of white paper's 255, that each channel has at least where a lamp may be mirrored,"""
ROUGH, AROUND_MM = 12.0, 24.0
"""and by so many the darkest channel must differ within so much around, or nothing is to be told there."""
OPEN = 0.8
"""So much of it no other piece explains."""
EVEN = 3.0
"""Levels by which an even surface strays."""
POINTS, MORE_POINTS = 20, 60
"""So many points of a face are compared first, and then."""
LEAST_ALIKE = 0.3
"""The least correlation with a face of what may be one."""
BLOCK_MM, OF_A_BLOCK, FITTED_OF_A_BLOCK = 36.0, 200, 60
"""Of the places and turns in each block of the table so large, so many are compared with more points, and so many of
these fitted: what is printed on the mat leaves room for what lies elsewhere."""
PLACED, EVEN_SHARE, CHECKED = 200, 1.1, 60
"""So many are placed roughly, those that cost the least share of what an even surface costs; then so many, of no more
than this share, closely."""
NUDGES_MM_DEG = ((3.0, 5.0), (1.5, 2.5), (0.8, 1.2))
"""A guess is moved to the best of the places so far around it, ever finer."""
AT_ONCE = 128
"""So many are compared at once; more do not stay in the processor's cache."""
NOISE, MOST_COST, ROUNDS = 12.0, 9.0, 3
"""Levels that what is seen strays from face and light; squared, in such noises, a level costs no more than this."""
LEAST_VEIL, LEAST_SHARE, MOST_SHARE = 40.0, 0.1, 1.3
"""Of less light over it a piece is found without this, and with less contrast left it is not told."""
SHOWN_SHARE, SOME, DARK = 0.9, 3, 0.05
"""What keypoints guess is looked at where its face costs less than the first, as a share of what an even surface does
(0.1 to 0.7 up to 1.5 mm beside its place), and of every so many-th point no more than the last is darker than that."""
MIRRORED_LEAD, MIRRORED_COST = 1.2, 2.2
"""Seen all over, it leads by this at least, at no more than this cost. On path-traced pictures what was not there led
by 0.1 at most where it was seen all over, and was seen to 0.7 at most where it led; cards under a lamp led by 2.3."""


def mirroring(
    look: Look, small: Image, kind: PieceKind, prepared: Prepared, unexplained: NDArray[np.uint8]
) -> list[Reading]:
    """What of one kind may mirror a lamp where nothing is explained (255 at such pixels of the map). `small` is the
    map in small (`sweep.shrunk`)."""
    seen = map_of(look, small, unexplained, prepared.faces.shape.reach_mm)
    if seen is None:
        return []
    poses, faces = _guess(look, seen, prepared)
    if not len(poses):
        return []
    grid, seen_there = prepared.sparse, _levels(look, prepared, poses)
    best = np.argsort(_fit(grid, seen_there, faces)[0] / _even(grid, seen_there))[:PLACED]
    poses, costs = _placed(look, prepared, poses[best], faces[best], NUDGES_MM_DEG[:1])
    faces, shares = faces[best], costs / _even(grid, _levels(look, prepared, poses))
    best = np.argsort(shares)[:CHECKED]
    best = best[shares[best] < EVEN_SHARE]
    return _behind_own_light(look, kind, prepared, poses[best], faces[best])


def mirroring_there(look: Look, kind: PieceKind, prepared: Prepared, poses: Array, faces: Indices) -> list[Reading]:
    """What of one kind mirrors a lamp at guesses (n x 3) of these faces (n): a lamp takes no corners away unless it
    cuts off what is seen."""
    if not len(poses):
        return []
    grid = prepared.sparse
    seen_there = _levels(look, prepared, poses)
    pale = np.quantile(seen_there[0].min(1)[:, ::SOME], DARK, axis=1) >= LEAST_VEIL
    poses, faces, seen_there = poses[pale], faces[pale], (seen_there[0][pale], seen_there[1][pale])
    if not len(poses):
        return []
    costs, veils = _fit(grid, seen_there, faces)
    shown = _lies_over(veils)
    shown[shown] = costs[shown] < SHOWN_SHARE * _even(grid, (seen_there[0][shown], seen_there[1][shown]))
    return _behind_own_light(look, kind, prepared, poses[shown], faces[shown])


def _behind_own_light(look: Look, kind: PieceKind, prepared: Prepared, poses: Array, faces: Indices) -> list[Reading]:
    """What lies close to poses (n x 3) where these faces (n) were guessed, behind the light that fits best over it."""
    if not len(poses):
        return []
    poses, _ = _placed(look, prepared, poses, faces, NUDGES_MM_DEG[1:])
    grid, seen_there = prepared.sparse, _levels(look, prepared, poses)
    count = len(prepared.faces.names)
    here = np.repeat(np.arange(len(poses)), count)
    each, lights = _fit_in_parts(grid, seen_there, here, np.tile(np.arange(count), len(poses)))
    faces = each.reshape(len(poses), count).argmin(1)
    veils = lights.reshape(len(poses), count, 4)[np.arange(len(poses)), faces]
    worth = _lies_over(veils)
    return check(look, kind, prepared, poses[worth], faces[worth], veils[worth])


def _lies_over(veils: Floats) -> Flags:
    """Which of these (n x 4) are light that hides pieces' colours, and leaves some of them."""
    return np.asarray((veils[:, 0] >= LEAST_VEIL) & (veils[:, 3] > np.log(LEAST_SHARE)))


def is_told(reading: Reading) -> bool:
    """Whether a piece behind a veil is seen plainly enough to lie there."""
    return reading.veil != NO_VEIL and reading.whole and reading.lead >= MIRRORED_LEAD and reading.cost <= MIRRORED_COST


def _guess(look: Look, seen: SmallMap, prepared: Prepared) -> tuple[Array, Indices]:
    """Poses (n x 3) that look like a face (n), whatever grows evenly along them."""
    none = np.zeros((0, 3)), np.zeros(0, np.intp)
    levels = np.exp(seen.colours) - np.float32(LOG_FLOOR)
    cells = _pale_places(seen, levels.min(0))
    if not len(cells):
        return none
    few, more = (points_of(prepared, count, _own_levels(prepared.full)) for count in (POINTS, MORE_POINTS))
    turns_deg = np.arange(0.0, 360.0, STEP_DEG)
    places = np.concatenate([_alike(seen, levels, few, cells, np.full(len(cells), turn_deg)) for turn_deg in turns_deg])
    places = _likeliest(places[places[:, 3] > LEAST_ALIKE], OF_A_BLOCK)
    places = _alike(seen, levels, more, places[:, :2].astype(np.intp), places[:, 2])
    if not len(places):
        return none
    faces = places[:, 4].astype(np.intp)
    kept = peaks(seen, places, faces, places[:, 3].astype(np.float32))
    best = _likeliest(places[kept], FITTED_OF_A_BLOCK)
    return poses_at(look, seen, prepared, best[:, :2], best[:, 2]), best[:, 4].astype(np.intp)


def _likeliest(places: Array, of_a_block: int) -> Array:
    """So many of the places (n x 5, see `_alike`) in each block, the likeliest."""
    places = places[np.argsort(-places[:, 3], kind="stable")]
    column, row = (places[:, :2].T * CELL_MM // BLOCK_MM).astype(np.intp)
    return places[ranks_within(row * _BLOCKS_IN_A_ROW + column) < of_a_block]


def _pale_places(seen: SmallMap, darkest: Floats) -> Indices:
    """Cells of the map (n x 2: column, row) in which something pale with details may have its middle, by each cell's
    darkest channel."""
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (int(AROUND_MM / CELL_MM) | 1,) * 2)
    rough = cv2.dilate(darkest, around) - cv2.erode(darkest, around)
    good = (seen.open > 0) & (darkest >= PALE) & (rough >= ROUGH)
    inner = good[seen.margin : seen.margin + seen.rows : STEP, seen.margin : seen.margin + seen.columns : STEP]
    return np.argwhere(inner)[:, ::-1] * STEP


def _alike(seen: SmallMap, levels: Floats, points: Points, cells: Indices, turns_deg: Array) -> Array:
    """Those of the places that may be: n x 5, column, row, turn, the correlation with the face they look like most,
    without what grows evenly along them, and which face that is. The map's `levels` are 3 x rows x columns."""
    at = indices(seen, points, cells, turns_deg)
    good = (seen.open.ravel().take(at).mean(0) >= OPEN) & (levels.min(0).ravel().take(at).min(0) >= PALE)
    lit = levels.reshape(3, -1).take(at[:, good], axis=1)
    steady = np.column_stack([np.ones(len(points.offsets)), points.offsets])
    level = (np.eye(len(steady)) - steady @ np.linalg.pinv(steady)).astype(np.float32)
    strays = np.einsum("pq,cqn->cpn", level, lit)
    width = np.sqrt(np.einsum("cpn,cpn->n", strays, strays) + np.float32(EVEN**2 * len(steady)))
    faces = points.faces.reshape(len(points.faces), 3, -1)
    shown = np.einsum("pq,fcq->fcp", level, faces).reshape(len(faces), -1)
    shown /= np.maximum(np.linalg.norm(shown, axis=1, keepdims=True), np.float32(1e-6))
    along = shown @ strays.reshape(shown.shape[1], -1) / width
    return np.column_stack([cells[good], turns_deg[good], along.max(0), along.argmax(0)])


def _placed(
    look: Look, prepared: Prepared, poses: Array, faces: Indices, nudges_mm_deg: Sequence[tuple[float, float]]
) -> tuple[Array, Floats]:
    """Each pose moved to where its face, and light that grows evenly along it, are what is seen, and what it costs."""
    centre = prepared.faces.shape.centre
    costs: Floats = np.zeros(len(poses), np.float32)
    for step_mm, turn_deg in nudges_mm_deg:
        nudges = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=3))) * [step_mm, step_mm, turn_deg]
        middles = place(centre[None], poses)[:, 0]
        tried = np.concatenate([about(centre, middles + nudge[:2], poses[:, 2] + nudge[2]) for nudge in nudges])
        which = np.tile(faces, len(nudges))
        parts = [slice(i, i + AT_ONCE) for i in range(0, len(tried), AT_ONCE)]
        each = [_fit(prepared.sparse, _levels(look, prepared, tried[part]), which[part])[0] for part in parts]
        costs = np.concatenate(each).reshape(len(nudges), -1)
        best, rows = costs.argmin(0), np.arange(len(poses))
        poses, costs = tried.reshape(len(nudges), -1, 3)[best, rows], costs[best, rows]
    return poses, costs


def _fit_in_parts(grid: Grid, seen: tuple[Floats, Floats], here: Indices, faces: Indices) -> tuple[Floats, Floats]:
    """`_fit` of faces (n) to what is seen at some of the poses (n: which)."""
    parts = [slice(i, i + AT_ONCE) for i in range(0, len(here), AT_ONCE)]
    fitted = [_fit(grid, (seen[0][here[part]], seen[1][here[part]]), faces[part]) for part in parts]
    return np.concatenate([costs for costs, _ in fitted]), np.concatenate([lights for _, lights in fitted])


def _fit(grid: Grid, seen: tuple[Floats, Floats], faces: Indices) -> tuple[Floats, Floats]:
    """What is `seen` at poses (n, see `_levels`) costs their faces (n) with the light that fits best over them, and
    that light (n x 4).

    Levels are a share of the face's own and light that grows evenly, the same in all channels (of white paper's), by
    iteratively reweighted least squares on what is not cut off.
    """
    levels, told = seen
    own = _own_levels(grid)[faces]
    weight, count = told, np.maximum(told.sum((1, 2)), np.float32(1.0))
    for _ in range(ROUNDS):
        on_face, on_all = weight * own, weight.sum(1)
        light = np.empty((len(faces), 4, 4), np.float32)
        light[:, 0, 0] = np.einsum("nkc,nkc->n", on_face, own)
        light[:, 0, 1:] = light[:, 1:, 0] = on_face.sum(1) @ grid.light
        light[:, 1:, 1:] = (on_all @ grid.squares)[:, SQUARE_OF].reshape(-1, 3, 3)
        right = np.empty((len(faces), 4, 1), np.float32)
        right[:, 0, 0] = np.einsum("nkc,nkc->n", on_face, levels)
        right[:, 1:, 0] = np.einsum("nkc,nkc->nc", weight, levels) @ grid.light
        found = np.asarray(np.linalg.solve(light + _PRIOR, right)[..., 0], np.float32)
        misses = levels - found[:, :1, None] * own - (found[:, 1:] @ grid.light.T)[:, None]
        misses = np.square(misses / np.float32(NOISE))
        weight = told / np.square(1.0 + misses / np.float32(2.0))
    shares = np.log(np.clip(found[:, :1], LEAST_SHARE / 2, MOST_SHARE))
    return _mean_cost(misses, told, count), np.concatenate([found[:, 1:], shares], axis=1)


def _even(grid: Grid, seen: tuple[Floats, Floats]) -> Floats:
    """What is `seen` at poses (n, see `_levels`) costs an even surface, each channel with light of its own over it."""
    levels, told = seen
    weight, count = told, np.maximum(told.sum((1, 2)), np.float32(1.0))
    for _ in range(ROUNDS):
        squares = (weight @ grid.squares)[..., SQUARE_OF].reshape(-1, 3, 3, 3)
        right = ((weight * levels) @ grid.light)[..., None]
        found = np.asarray(np.linalg.solve(squares + _PRIOR[1:, 1:], right)[..., 0], np.float32)
        misses = np.asarray(np.square((levels - found @ grid.light.T) / np.float32(NOISE)), np.float32)
        weight = told / np.square(1.0 + misses / np.float32(2.0))
    return _mean_cost(misses, told, count)


def _levels(look: Look, prepared: Prepared, poses: Array) -> tuple[Floats, Floats]:
    """Levels (of white paper's 255) seen at each pose (n x 3), and 1 where they are not cut off: n x 3 x cells each."""
    seen = np.exp(look.colours(place(prepared.sparse.points, poses)))
    return seen - np.float32(LOG_FLOOR), (seen < np.exp(look.brightest())).astype(np.float32)


def _own_levels(grid: Grid) -> Floats:
    """The faces' own: faces x 3 x cells."""
    return np.asarray(np.exp(grid.enrolled) - np.float32(LOG_FLOOR))


def _mean_cost(misses: Floats, told: Floats, count: Floats) -> Floats:
    return np.asarray((np.minimum(misses, np.float32(MOST_COST)) * told).sum((1, 2)) / count + np.float32(1e-6))


_BLOCKS_IN_A_ROW = 1000
_PRIOR = np.diag(np.array([200.0, 0.01, 0.01, 0.01], np.float32))
