"""What is seen along a line and beside it, where a cutter may lie."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit
from vision.board.sight import Sight
from vision.frame import Image
from vision.pieces.features import LOG_FLOOR
from vision.shapes import to_own_frame
from vision.short_axes import dot

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

FINE_MM = 0.25
HALF_MM = 8.0
LEAST_CONTRAST = 0.4
"""Edges across which colours (logarithm) differ less say less."""
EDGE_NOISE, EDGE_SHADING = 0.05, 0.25
"""How far colours stray, and how far brightness alone changes on a stick and in its shadow."""


@dataclass(frozen=True, slots=True)
class Strip:
    """What lies along a line and beside it."""

    line: Array
    """2 x 2, seen points."""
    along_mm: Array
    """From the line's first point."""
    across_mm: Array
    colours: Floats
    """along x across x 3, the board's light taken out."""
    shown: NDArray[np.bool_]
    """Which of `along_mm` are inside the picture, and nothing lies over them."""

    @property
    def length_mm(self) -> float:
        return float(np.linalg.norm(self.line[1] - self.line[0]))


def strip_along(sight: Sight, image: Image, fit: BoardFit, line: Array) -> Strip:
    """The picture itself along a line, a millimetre long and FINE_MM wide a sample."""
    length = float(np.linalg.norm(line[1] - line[0]))
    way = (line[1] - line[0]) / length
    side = np.array([-way[1], way[0]]) * HALF_MM
    along = np.arange(0.0, length, 1.0)
    across = np.arange(-HALF_MM, HALF_MM + 1e-6, FINE_MM)
    knots = np.linspace(0.0, length, max(round(length / 10.0), 2))
    spots = line[0] + knots[:, None] * way
    edges = sight.registration.to_picture(np.concatenate([spots - side, spots + side])).reshape(2, len(knots), 2)
    low, high = ([np.interp(along, knots, edge[:, i])[:, None] for i in (0, 1)] for edge in edges)
    share = (across + HALF_MM) / (2 * HALF_MM)
    x, y = ((first + (last - first) * share).astype(np.float32) for first, last in zip(low, high, strict=True))
    seen = cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    centre = line[0] + along[:, None] * way
    own = to_own_frame(sight.registration.on_table(centre, fit.height_mm), fit.pose)
    light = fit.light_at(own)
    logs = cv2.LUT(seen, sight.logarithms).reshape(len(along), -1) - np.tile(light, len(across))
    shown = sight.table.shows(centre) & ~fit.hidden_at(own)
    return Strip(line, along, across, np.asarray(logs, np.float32).reshape(*x.shape, 3), shown)


def shifted(line: Array, first_mm: float, last_mm: float) -> Array:
    way = (line[1] - line[0]) / np.linalg.norm(line[1] - line[0])
    normal = np.array([-way[1], way[0]])
    return np.array([line[0] + normal * first_mm, line[1] + normal * last_mm])


def less_shading(steps: Floats, colours: Floats) -> Floats:
    """Differences of colours with most of what brightness alone would do to `colours` taken out. Sticks are round and
    have shadows: brightness changes on them and beside them, tint at their edges."""
    shading = 1.0 - LOG_FLOOR * np.exp(-colours)
    shaded = dot(steps, shading) / ((EDGE_NOISE / EDGE_SHADING) ** 2 + dot(shading, shading))
    return np.asarray(steps - shaded[..., None] * shading, np.float32)
