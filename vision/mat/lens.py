"""A camera's lens: how it bends pictures, and what is assumed of one that nobody calibrated."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TYPICAL_FOCAL = 0.86
"""What is assumed of a camera nobody calibrated, in lengths of the picture's longer side: about 60 degrees along it."""
FOCAL_SPREAD = 0.25
"""How far focal lengths spread about what is assumed of a camera (natural logarithm)."""
WIDE_FOCALS = (0.45, 0.3)
"""The same of cameras that bend the picture more than such a lens does: about 95 and 120 degrees."""
WIDE_K1 = -0.15
"""With less than this, k1 may be that of such a camera."""
PLAINLY = 0.8
"""Markers that miss their places by no more than this share of what they missed them by fit plainly better."""
MOST_BENT = (-0.25, 0.5)
"""Bounds for k1 where nobody calibrated."""
BENT = 0.12
"""A picture bent by more than this share at its sides shows the mat rightly, but hardly what lies far from it."""
LENS_STEP = 0.01
LENS_SPREAD = (0.04, 0.01)
"""How far the markers alone leave k1 and k2 open."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A camera's focal length, radial distortion and axis, for pictures of any size (lengths in picture widths)."""

    focal_widths: float
    k1: float = 0.0
    k2: float = 0.0
    right: float = 0.0
    """How far to the right of the picture's middle the axis goes,"""
    down: float = 0.0
    """and how far below it."""


@dataclass(frozen=True, slots=True)
class AssumedFocal:
    """What is assumed of a focal length that nobody calibrated."""

    longer_sides: float = TYPICAL_FOCAL
    """In lengths of the picture's longer side."""
    spread: float = FOCAL_SPREAD
    """How far it may lie from that (natural logarithm)."""


ANY_CAMERA = AssumedFocal()
"""Of which nothing is known."""


def typical_lens(size_px: tuple[int, int], focal: float = TYPICAL_FOCAL) -> Lens:
    """What is assumed of a camera nobody calibrated: the same whether it was held upright or not."""
    return Lens(focal_widths=focal * max(size_px) / size_px[0])


def bent_lenses(lens: Lens) -> tuple[Lens, Lens]:
    """A lens with a little more of k1, and of k2."""
    return replace(lens, k1=lens.k1 + LENS_STEP), replace(lens, k2=lens.k2 + LENS_STEP)


def camera_matrix(size_px: tuple[int, int], lens: Lens) -> Array:
    focal, right, down = (size_px[0] * part for part in (lens.focal_widths, lens.right, lens.down))
    x, y = (size_px[0] - 1) / 2 + right, (size_px[1] - 1) / 2 + down
    return np.array([[focal, 0.0, x], [0.0, focal, y], [0.0, 0.0, 1.0]])


def homogeneous(points: Array) -> Array:
    extended = np.ones((*points.shape[:-1], 3))
    extended[..., :2] = points
    return extended


def bent(plane: Array, matrix: Array, k1: Array, k2: Array) -> Array:
    """Where such places (... x n x 2, pixels through a lens that does not bend) are seen through others, each with its
    camera matrix (... x 3 x 3) and its k1 and k2 (...)."""
    focal, centre = matrix[..., :1, :1], matrix[..., None, :2, 2]
    ray = (plane - centre) / focal
    square = _squares(ray)
    return np.asarray(ray * (1.0 + square * (k1[..., None, None] + k2[..., None, None] * square)) * focal + centre)


def undistort(pixels: Array, matrix: Array, lens: Lens) -> Array:
    focal, centre = matrix[0, 0], matrix[:2, 2]
    bent = (pixels - centre) / focal
    ray = bent
    for _ in range(6):
        square = _squares(ray)
        ray = bent / (1.0 + square * (lens.k1 + lens.k2 * square))
    return np.asarray(ray * focal + centre)


def _squares(rays: Array) -> Array:
    """Squared lengths (... x n x 1), each coordinate by itself: numpy is slow along an axis so short."""
    return np.asarray(rays[..., :1] * rays[..., :1] + rays[..., 1:] * rays[..., 1:])
