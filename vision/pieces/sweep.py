"""The table gone through in steps of several millimetres and degrees: a small map, and few points of each face."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.rectify import PX_PER_MM
from vision.pieces.features import log_colours
from vision.pieces.prepared import BLUR_MM, Prepared, blurring
from vision.pieces.verify import Floats, Indices, Look
from vision.shapes import place

Array = NDArray[np.float64]

CELL_MM = 2.4
"""The table is gone through in a map with cells of this size,"""
STEP = 3
"""each time so many of them further,"""
STEP_DEG = 9.0
"""and in each place in turns so far apart."""


@dataclass(frozen=True, slots=True)
class Points:
    """Some points of a kind's faces, as blurred as the map."""

    offsets: Array
    """points x 2, from the kind's centre."""
    faces: Floats
    """faces x (3 * points): colours, each channel about its own mean, of length 1."""
    squares: Floats
    """faces x points: their squares, all channels together."""


@dataclass(frozen=True, slots=True)
class SmallMap:
    """What may be left over of the table, in cells of CELL_MM, with a margin as wide as a piece reaches."""

    first: tuple[int, int]
    """Column and row of the table's map in such cells with which it begins, behind the margin."""

    colours: Floats
    """3 x rows x columns: logarithms."""
    open: Floats
    """rows x columns: 1 where nothing is explained yet."""
    stepped: Floats
    """STEP x STEP x 4 x rows x columns: `open` and `colours`, for each of the first cells those that lie a multiple of
    STEP below and right of it, so that what is stepped through lies in a row."""
    margin: int
    rows: int
    columns: int
    """Without the margin."""


def shrunk(look: Look, looked: Image) -> Image:
    """The table's map in cells of CELL_MM, blurred."""
    scale = CELL_MM * PX_PER_MM
    size = round(look.table.width / scale), round(look.table.height / scale)
    soft = cv2.GaussianBlur(looked, (0, 0), BLUR_MM * PX_PER_MM)
    return np.asarray(cv2.resize(soft, size, interpolation=cv2.INTER_AREA), np.uint8)


def map_of(look: Look, small: Image, unexplained: NDArray[np.uint8], reach_mm: float) -> SmallMap | None:
    """None where nothing is left over."""
    size = small.shape[1], small.shape[0]
    free = cv2.resize(unexplained & look.table.seen, size, interpolation=cv2.INTER_NEAREST)
    left, top, columns, rows = cv2.boundingRect(free)
    if not columns:
        return None
    margin = int(np.ceil(reach_mm / CELL_MM)) + 1
    wide = np.asarray(cv2.copyMakeBorder(small, *(margin,) * 4, cv2.BORDER_REPLICATE), np.uint8)
    free = cv2.copyMakeBorder(free, *(margin,) * 4, cv2.BORDER_CONSTANT, value=0)
    part = slice(top, top + rows + 2 * margin), slice(left, left + columns + 2 * margin)
    channels = np.ascontiguousarray(np.moveaxis(log_colours(wide[part], look.gain), 2, 0))
    is_open = (free[part] > 0).astype(np.float32)
    return SmallMap((left, top), channels, is_open, _stepped(is_open, channels), margin, rows, columns)


def _stepped(is_open: Floats, colours: Floats) -> Floats:
    planes = np.concatenate([is_open[None], colours])
    short = [(0, -length % STEP) for length in is_open.shape]
    rows, columns = (-(-length // STEP) for length in is_open.shape)
    parted = np.pad(planes, [(0, 0), *short]).reshape(4, rows, STEP, columns, STEP)
    return np.ascontiguousarray(parted.transpose(2, 4, 0, 1, 3))


def points_of(prepared: Prepared, count: int, shown: Floats) -> Points:
    """So many points, as far from each other as they can be, and what is `shown` of the faces (faces x 3 x cells of the
    full grid) there, blurred within each."""
    grid, centre = prepared.full, prepared.faces.shape.centre
    chosen = _spread(grid.points, centre, count)
    colours = np.asarray(shown @ blurring(grid, chosen).T, np.float32)
    colours -= colours.mean(2, keepdims=True)
    flat = colours.reshape(len(colours), -1)
    flat /= np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6)
    return Points(grid.points[chosen] - centre, flat, np.square(flat).reshape(len(flat), 3, -1).sum(1))


def _spread(points: Array, first: Array, count: int) -> Indices:
    """Indices of so many points, each as far as can be from those before."""
    chosen = [int(np.square(points - first).sum(1).argmin())]
    nearest = np.square(points - points[chosen[0]]).sum(1)
    for _ in range(min(count, len(points)) - 1):
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, np.square(points - points[chosen[-1]]).sum(1))
    return np.array(chosen, np.intp)


def away(seen: SmallMap, points: Points, turns_deg: Array) -> Indices:
    """How many rows and columns of the map (turns x points x 2) below and right of a place without the margin each
    point lies in turns (n) with the centre there."""
    poses = np.column_stack([np.zeros((len(turns_deg), 2)), turns_deg])
    return np.round(place(points.offsets, poses) * [1.0, -1.0] / CELL_MM).astype(np.intp)[..., ::-1] + seen.margin


def indices(seen: SmallMap, points: Points, cells: Indices, turns_deg: Array) -> Indices:
    """Where in the flattened map each point lies (points x n) with the centre in cells (n x 2), in turns (n)."""
    turns, which = np.unique(turns_deg, return_inverse=True)
    steps = away(seen, points, turns)
    width = seen.open.shape[1]
    each = steps[..., 0] * width + steps[..., 1]
    return np.asarray((cells[:, 1] * width + cells[:, 0]) + each.T[:, which])


def peaks(seen: SmallMap, places: Array, faces: Indices, told: Floats) -> Indices:
    """Which places (n x 5) tell more of a face than those a step or a turn beside them that look like the same face."""
    at = np.round(places[:, [2, 1, 0]] / [STEP_DEG, STEP, STEP]).astype(np.intp)
    turns, rows, columns = round(360.0 / STEP_DEG), -(-seen.rows // STEP), -(-seen.columns // STEP)
    number = np.full((turns, rows + 2, columns + 2), -1, np.intp)
    number[at[:, 0], at[:, 1] + 1, at[:, 2] + 1] = np.arange(len(places))
    highest = np.ones(len(places), bool)
    for turn, row, column in np.ndindex(3, 3, 3):
        beside = number[(at[:, 0] + turn - 1) % turns, at[:, 1] + row, at[:, 2] + column]
        highest &= (beside < 0) | (faces[beside] != faces) | (told[beside] <= told)
    return np.flatnonzero(highest)


def poses_at(look: Look, seen: SmallMap, prepared: Prepared, cells: Array, turns_deg: Array) -> Array:
    """Poses (n x 3) of pieces with their centres in cells (n x 2) of the map, so turned (n)."""
    centres = look.table.to_table((cells + seen.first + 0.5) * (CELL_MM * PX_PER_MM))
    return about(prepared.faces.shape.centre, centres, turns_deg)


def about(centre: Array, centres_mm: Array, turns_deg: Array) -> Array:
    """Poses (n x 3) with a kind's centre at these places (n x 2)."""
    arms = place(centre[None], np.column_stack([np.zeros((len(turns_deg), 2)), turns_deg]))[:, 0]
    return np.column_stack([centres_mm - arms, turns_deg])


def ranks_within(groups: Indices) -> Indices:
    """For each item how many of its group (n) come before it."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ranks = np.empty(len(groups), np.intp)
    ranks[order] = np.arange(len(groups)) - np.repeat(starts, np.diff(np.append(starts, len(groups))))
    return ranks
