"""A camera's focal length, as far as a mat shows it that the camera does not look straight down on.

Seen straight from above a mat is as large through any lens that is far enough away. Leaning, a square is seen narrower
at its far side and shorter than wide, and only one focal length explains both: at 10 degrees to a twentieth, at 5 to a
tenth. What is not known exactly either is fitted, too, within its spread: where the lens's axis goes, and how far
each marker was printed or laid beside its place.
"""

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.mat.laying import (
    BLEED_SPREAD_PX,
    K1_SPREAD,
    LAID_SPREAD,
    as_laid,
    cost_of,
    edge_misses,
    gauss_newton,
    pose_of,
)
from vision.mat.lens import AssumedFocal, Lens, camera_matrix, typical_lens
from vision.mat.marker_edges import EdgePoints
from vision.mat.markers import MARKERS_MM

Array = NDArray[np.float64]

FOCALS = (0.3, 1.6)
"""Bounds for it, in lengths of the picture's longer side: 118 and 35 degrees. Beyond them something else is amiss."""
AXIS_SPREAD = 0.008
"""How far a lens's axis goes beside the picture's middle, in picture widths."""
PRINTED_SPREAD = (0.25, 0.25, 0.0025)
"""How far the markers of one mat lie from their places, mm, and are turned, radians: sheets are glued, paper curls."""
ALIKE = 2.0
"""Edges of a marker miss alike, so that many tell less than so many would: their spread is so many times as wide."""
ROUNDS = 12
_TRANSLATION_MM = 1000.0
"""A camera's distance is fitted in such units, for steps of one size."""


def focal_by_mat(
    edges: EdgePoints, homography: Array, lens: Lens, size_px: tuple[int, int], assumed: AssumedFocal, *, loose: bool
) -> tuple[Lens, float]:
    """The lens with the focal length that best explains how the mat's edges are seen, near what is `assumed` of it, and
    how much speaks against it: a sum of squares, each by its spread.

    Its k1 bends the picture as before. `homography` is the table's (mm to undistorted pixels) with `lens`, `loose`
    whether markers were laid by hand.
    """
    ids = sorted(MARKERS_MM)
    middles = np.array([MARKERS_MM[i].mean(0) for i in ids])
    which = np.asarray(np.linalg.norm(edges.mm[:, None] - middles, axis=2).argmin(1), np.intp)
    rotation, shift = pose_of(homography, camera_matrix(size_px, lens))

    expected = typical_lens(size_px, assumed.longer_sides).focal_widths
    first = float(np.log(lens.focal_widths / expected))

    def seen_through(values: Array) -> tuple[Array, Array, Array]:
        """Camera matrix, k1 and k2."""
        focal = float(np.exp(values[0])) * expected
        used = replace(lens, focal_widths=focal, right=lens.right + float(values[3]), down=lens.down + float(values[4]))
        return camera_matrix(size_px, used), values[1] * (focal / lens.focal_widths) ** 2, np.asarray(lens.k2)

    def pose_at(values: Array) -> Array:
        turned = np.asarray(cv2.Rodrigues(values[5:8])[0], np.float64) @ rotation
        # A longer lens sees as much from farther away.
        away = shift * [1.0, 1.0, np.exp(values[0] - first)] + values[8:11] * _TRANSLATION_MM
        return np.column_stack([turned[:, :2], away])

    def misses(values: Array) -> Array:
        matrix, k1, k2 = (np.array(one) for one in zip(*map(seen_through, values), strict=True))
        homography = matrix @ np.array([pose_at(one) for one in values])
        laid = as_laid(edges.mm, which, values[:, 11:].reshape(len(values), -1, 3), ids)
        return edge_misses(edges, laid, homography, values[:, 2], matrix, k1, k2) / ALIKE

    beside = LAID_SPREAD if loose else PRINTED_SPREAD
    spreads = np.array([assumed.spread, K1_SPREAD, BLEED_SPREAD_PX, AXIS_SPREAD, AXIS_SPREAD])
    spreads = np.concatenate([spreads, np.full(6, np.inf), beside * len(ids)])
    start = np.zeros(len(spreads))
    start[:2] = first, lens.k1
    values = gauss_newton(misses, start, spreads, np.full(len(start), 1e-5), ROUNDS)
    against = float(len(edges.mm) * cost_of(misses(values[None])[0]) + ((values / spreads) ** 2).sum())
    shortest, longest = (focal * max(size_px) / size_px[0] for focal in FOCALS)
    focal = float(np.exp(values[0])) * expected
    if not shortest < focal < max(longest, expected * float(np.exp(assumed.spread))):
        return lens, against
    return replace(lens, focal_widths=focal, k1=lens.k1 * (focal / lens.focal_widths) ** 2), against
