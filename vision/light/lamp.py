"""Where light is missing on a table, where too much of it is mirrored, and where a lamp stands that is not.

A lamp as high as the camera is mirrored in a flat table half way between the points below both: twice as far from
below the camera as the picture reaches, its reflection lies outside the picture.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.registration import Registration

SIDES: Mapping[tuple[int, int], tuple[int, int]] = {(0, 1): (2, 3), (1, 2): (3, 0), (2, 3): (0, 1), (3, 0): (1, 2)}
"""The mat's sides by the two markers of each, and the side across."""
BLOWN = 250
"""A pixel whose darkest channel is no darker shows nothing but light."""
ASIDE = 0.2
"""What lies less far from the picture's middle, in parts of its size, is on no side of it."""


@dataclass(frozen=True, slots=True)
class DarkSide:
    """The darkest side of the mat."""

    markers: tuple[int, int]
    where: str
    """In the picture: "left", "right", "top" or "bottom"."""
    level: float
    """How bright white paper is there, of 255;"""
    across: float
    """and on the side across."""


def dark_side(levels: Mapping[int, float], registration: Registration) -> DarkSide | None:
    """Where white paper beside the mat's markers is darkest, from `vision.light.glare.paper_levels`; None where a
    marker is not seen."""
    if any(marker not in levels for side in SIDES for marker in side):
        return None
    level = {side: (levels[side[0]] + levels[side[1]]) / 2 for side in SIDES}
    darkest = min(SIDES, key=lambda side: level[side] / max(level[SIDES[side]], 1.0))
    spots = np.concatenate([registration.markers_px[marker] for marker in darkest])
    middle = np.concatenate(list(registration.markers_px.values())).mean(0)
    where = side_of(spots.mean(0) - middle)
    return DarkSide(darkest, where, level[darkest], level[SIDES[darkest]])


def side_of(way_px: NDArray[np.float64]) -> str:
    """The side of the picture that lies this way, in pixels."""
    x, y = (float(part) for part in way_px)
    if abs(x) > abs(y):
        return "right" if x > 0 else "left"
    return "bottom" if y > 0 else "top"


def blown_side(image: Image) -> str | None:
    """On which side of the picture most of what is blown out lies; None where that is about its middle, or nothing
    is."""
    rows, columns = np.nonzero(image[::4, ::4].min(axis=2) >= BLOWN)
    if not len(rows):
        return None
    size = np.array([image.shape[1], image.shape[0]]) / 4.0
    way = np.array([columns.mean(), rows.mean()]) / size - 0.5
    return side_of(way * size) if np.abs(way).max() > ASIDE else None


def mirrored_beyond_mm(registration: Registration) -> float:
    """How far from the point below the camera a lamp as high as it stands at least, so as not to be mirrored in the
    part of the table that the picture shows."""
    width, height = registration.size_px
    edges = np.array([[0.0, height / 2], [width, height / 2], [width / 2, 0.0], [width / 2, height]])
    foot = np.array(registration.camera_mm[:2])
    return float(2.0 * np.linalg.norm(registration.to_table(edges) - foot, axis=1).max())
