"""Where a mat's markers lie to a twentieth of a pixel: along every edge between their dark and bright cells.

A marker has four corners but some forty edges of a cell's length; measured all along, they say where the mat lies even
if fingers cover some of them, and of a marker that is covered too far to be decoded what still shows counts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

CELLS = 6
"""Across a marker of DICT_4X4_50, its dark rim of one cell counted in."""
ALONG = (0.25, 0.5, 0.75)
"""Where along each cell's edge it is measured, in cells. Right at the ends other edges blur into it."""
REACH_CELLS = 0.42
"""So far to both sides."""
SAMPLES = 17
ENDS = 4
"""So many samples at either end say how dark and how bright it is there."""
LEAST_CELL_PX = 4.0
"""In markers whose cells are smaller, neighbouring edges blur into each other."""
LEAST_CONTRAST = 12.0
"""Of 255, from the dark side to the bright one."""
LEAST_OF_USUAL = 0.4
"""An edge with less than this share of the usual contrast is covered or in a reflection."""
MOST_DETOUR = 1.6
"""An edge goes from dark to bright without a detour of more than this, in contrasts (and some noise)."""
NOISE = 10.0
LEAST_SHOWING = 0.2
"""Of a marker that was not decoded at least this share must be seen as expected, or something else lies there."""


@dataclass(frozen=True, slots=True)
class EdgePoints:
    """Points on the edges of markers' cells."""

    mm: Array
    """n x 2: where they are printed."""
    px: Array
    """n x 2: where each is seen, as far as that shows across its edge."""
    normals: Array
    """n x 2: across the edge, towards the bright side, of length 1, in the picture."""

    def only(self, some: Flags) -> "EdgePoints":
        """Some (n) of the points."""
        return EdgePoints(self.mm[some], self.px[some], self.normals[some])


@dataclass(frozen=True, slots=True)
class _Printed:
    """What is printed of some markers."""

    mm: Array
    towards_mm: Array
    """A cell further towards the bright side."""
    marker: NDArray[np.intp]


def measured(
    grey: NDArray[np.uint8],
    to_picture: Callable[[Array], Array],
    markers_mm: Mapping[int, Array],
    decoded: Mapping[int, Array],
    dictionary: cv2.aruco.Dictionary,
) -> EdgePoints | None:
    """The markers' edges, seen near where `to_picture` has them (by less than half a cell).

    Of a marker that is not `decoded` enough must look as printed. None where a marker's cells are too small, or no edge
    is seen.
    """
    printed = _printed(markers_mm, dictionary)
    places, beyond = to_picture(printed.mm), to_picture(printed.towards_mm)
    cells_px = np.linalg.norm(beyond - places, axis=1)
    if cells_px.min() < LEAST_CELL_PX:
        return None
    normals = (beyond - places) / cells_px[:, None]
    offsets, seen = _offsets(grey, places, normals, REACH_CELLS * cells_px)
    for marker in markers_mm:
        mine = printed.marker == marker
        if marker not in decoded and seen[mine].mean() < LEAST_SHOWING:
            seen[mine] = False
    if not seen.any():
        return None
    found = places + normals * offsets[:, None]
    return EdgePoints(printed.mm[seen], found[seen], normals[seen])


def _offsets(grey: NDArray[np.uint8], places: Array, normals: Array, reach_px: Array) -> tuple[Array, Flags]:
    """How far along its normal each edge is seen, in pixels, and whether it is seen as an edge at all.

    It lies where it would if it were sharp and had the same mean brightness.
    """
    steps = np.linspace(-1.0, 1.0, SAMPLES)
    spots = (places[:, None] + normals[:, None] * (reach_px[:, None] * steps)[..., None]).astype(np.float32)
    columns, rows = np.ascontiguousarray(spots[..., 0]), np.ascontiguousarray(spots[..., 1])
    across = cv2.remap(grey, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
    dark, bright = across[:, :ENDS].mean(1), across[:, -ENDS:].mean(1)
    contrast = bright - dark
    detour = np.abs(np.diff(across, axis=1)).sum(1)
    inside = (spots > 0).all((1, 2)) & (spots < (grey.shape[1] - 1, grey.shape[0] - 1)).all((1, 2))
    seen = inside & (contrast > LEAST_CONTRAST) & (detour < MOST_DETOUR * contrast + NOISE)
    if seen.any():
        seen &= contrast > LEAST_OF_USUAL * np.median(contrast[seen])
    shares = (bright[:, None] - across) / np.maximum(contrast, 1.0)[:, None]
    trapezoids = (shares[:, 1:] + shares[:, :-1]) / 2.0
    return np.asarray(reach_px * (2.0 * trapezoids.mean(1) - 1.0)), np.asarray(seen)


def _printed(markers_mm: Mapping[int, Array], dictionary: cv2.aruco.Dictionary) -> _Printed:
    mm, towards, marker = [], [], []
    for number, corners in markers_mm.items():
        sides = np.stack([corners[1] - corners[0], corners[3] - corners[0]]) / CELLS
        places, ways = _edges(cv2.aruco.generateImageMarker(dictionary, number, CELLS).tobytes())
        mm.append(corners[0] + places @ sides)
        towards.append(mm[-1] + ways @ sides)
        marker.append(np.full(len(places), number))
    return _Printed(np.concatenate(mm), np.concatenate(towards), np.concatenate(marker))


@cache
def _edges(drawn: bytes) -> tuple[Array, Array]:
    """Points on the edges of a marker that is drawn with a pixel a cell, and the ways to the bright side: in cells,
    right and down from its top left."""
    cells = np.frombuffer(drawn, np.uint8).reshape(CELLS, CELLS) > 127
    bright = np.pad(cells, 1, constant_values=True).astype(np.intp)
    places: list[Array] = []
    ways: list[Array] = []
    for axis in (0, 1):
        step = np.diff(bright, axis=axis)
        for row, column in np.argwhere(step):
            before = np.array([column, row], np.float64) - 1.0
            across, along = (np.eye(2)[1 - axis], np.eye(2)[axis])
            places += [before + across + along * share for share in ALONG]
            ways += [across * float(step[row, column])] * len(ALONG)
    return np.array(places), np.array(ways)
