"""Pictures as they would be if all in them lay a little beside where it lies."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.motion import Small, shrink

Array = NDArray[np.float64]
Plane = NDArray[np.float32]

TILES = 4, 3
"""A picture is cut into at most so many tiles, across and down: in each of them all is shifted by about as much."""
TOGETHER_PX = 0.5
"""Where all is shifted by the same, to so many pixels, it is one tile."""
LEAST_PX = 0.02
"""Tiles of which no corner is shifted by more than this are not."""
_NEAR = np.ones((3, 3), np.uint8)


def shifted(image: Image, small: Small, moved: Sequence[Plane], unsure_px: Plane) -> tuple[Small, Small]:
    """The small picture whose blocks lie where they are `moved` to (pixels to the right, and down; rows x columns
    each), and by how many levels they may differ from it, as they are so many pixels beside that. Each tile is cut out
    anew, moved by whole pixels, and between these blocks change in proportion."""
    still, changes = small.copy(), (np.zeros_like(small), np.zeros_like(small))
    left, beyond = [by.copy() for by in moved], unsure_px.copy()
    apart = max(float(np.ptp(by[[0, 0, -1, -1], [0, -1, 0, -1]])) for by in moved)
    for rows, columns in _tiles(image.shape[:2], small.shape[:2], TILES if apart > TOGETHER_PX else (1, 1)):
        part = rows.blocks, columns.blocks
        corners = np.array([by[part][[0, 0, -1, -1], [0, -1, 0, -1]] for by in moved])
        whole = np.trunc(corners @ np.full(4, 0.25)).astype(int)
        if whole.any():
            still[part] = _tile(image, rows, columns, whole)
        for axis, off in enumerate(corners - whole[:, None]):
            if whole[axis]:
                left[axis][part] -= np.float32(whole[axis])
            if float(np.abs(off).max()) > LEAST_PX:
                step = np.zeros(2, int)
                step[axis] = way = -1 if off.sum() < 0.0 else 1
                changes[axis][part] = (_tile(image, rows, columns, whole + step) - still[part]) * np.float32(way)
                beyond[part] += np.float32(max(-(off * way).min(), (off * way).max() - 1.0, 0.0))
    levels = np.zeros_like(beyond)
    for by, change in zip(left, changes, strict=True):
        planes = cv2.split(change)
        blue, green, red = (np.abs(plane) for plane in planes)
        levels += np.maximum(np.maximum(blue, green), red)
        still += cv2.merge([plane * by for plane in planes])
    np.clip(still, 0.0, 255.0, out=still)  # beside an edge a change in proportion goes beyond what a picture can show
    return still, np.asarray(cv2.dilate(levels, _NEAR) * beyond, np.float32)


def with_moved(image: Image, points: Array, to: Array) -> Image:
    """A picture that shows at `points` (pixels, n x 2) what another one shows at `to`."""
    way, _ = cv2.findHomography(points, to)
    size = image.shape[1::-1]
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpPerspective(image, way, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def cut_out(image: Image, left: int, top: int, width: int, height: int) -> Image:
    """A part of a picture; what is at the picture's edge goes on beyond it."""
    rows, columns = image.shape[:2]
    part = image[max(top, 0) : min(top + height, rows), max(left, 0) : min(left + width, columns)]
    edges = max(-top, 0), max(top + height - rows, 0), max(-left, 0), max(left + width - columns, 0)
    return np.asarray(cv2.copyMakeBorder(part, *edges, cv2.BORDER_REPLICATE), np.uint8) if any(edges) else part


@dataclass(frozen=True, slots=True)
class _Side:
    """A tile's rows, or its columns."""

    blocks: slice
    count: int
    """Of the blocks."""
    first_px: int
    px: int


@lru_cache(maxsize=4)
def _tiles(size: tuple[int, int], small: tuple[int, int], most: tuple[int, int]) -> list[tuple[_Side, _Side]]:
    """As many as both can be cut into, across and down at `most` so many, all over a picture and its small one (rows
    and columns of both)."""

    def sides(of: int, small_of: int, parts: int) -> list[_Side]:
        count = next(n for n in range(parts, 0, -1) if of % n == 0 and small_of % n == 0)
        px, blocks = of // count, small_of // count
        return [_Side(slice(blocks * k, blocks * (k + 1)), blocks, px * k, px) for k in range(count)]

    return list(product(sides(size[0], small[0], most[1]), sides(size[1], small[1], most[0])))


def _tile(image: Image, rows: _Side, columns: _Side, by: NDArray[np.intp]) -> Small:
    """A tile of the small picture that begins so many pixels farther to the right, and below."""
    left, top = columns.first_px + int(by[0]), rows.first_px + int(by[1])
    return shrink(cut_out(image, left, top, columns.px, rows.px), (columns.count, rows.count))
