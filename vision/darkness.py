"""Where the mat lies so deep in the dark beside the rest that what lies there cannot be told.

The mat is pale, and so is its print: within a few millimetres of every place on it something is nearly as bright as
white paper. Where nothing is, there is no light; a black thing is told by its edge (see vision.hidden), and a dark
piece by its face.
"""

from collections.abc import Iterable, Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.hidden import CELL_MM, CoarseMap
from vision.motion import Mask
from vision.registration import MAT_HALF_MM, Registration

DARK_WITHIN_MM = 15.0
READABLE = 0.24
"""Within so far of every place on the mat something is brighter than this share of white paper in the most light: of
what is darker, half of the pieces are not found."""
LEAST_WIDTH_MM = 40.0
MOSTLY = 0.5
"""A dark part more of which is a strange thing is that thing."""


def find_dark(small: Image, coarse: CoarseMap, paper: Iterable[float], seen_mm: Sequence[NDArray[np.float64]]) -> Mask:
    """255 in the cells of the mat where it is too dark to read.

    `small` is the table seen from above in these cells, `paper` how bright white paper is beside each marker
    (`vision.glare.paper_levels`), `seen_mm` the outlines of pieces that were read.
    """
    levels = list(paper)
    nothing = np.zeros((coarse.height, coarse.width), np.uint8)
    if not levels:
        return nothing
    mat = coarse.polygons([np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * MAT_HALF_MM]) & coarse.seen
    brightest = cv2.dilate(small.max(axis=2), _disc(DARK_WITHIN_MM))
    dark = np.where(brightest < READABLE * max(levels), mat, np.uint8(0))
    if not dark.any():
        return nothing
    # What is dark reaches as far beyond what was found as the brightest parts were sought.
    whole = cv2.dilate(cv2.morphologyEx(dark, cv2.MORPH_OPEN, _disc(LEAST_WIDTH_MM / 2)), _disc(DARK_WITHIN_MM / 2))
    left = np.asarray(whole, np.uint8) & mat & ~coarse.polygons(seen_mm)
    return np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, _disc(DARK_WITHIN_MM / 2)), np.uint8)


def without_things(dark: Mask, strange: Mask) -> Mask:
    """The dark parts that are not for the most part something strange, such as a black cloth."""
    if not dark.any():
        return dark
    count, labels = cv2.connectedComponents(dark, connectivity=8)
    things = [i for i in range(1, count) if (strange[labels == i] > 0).mean() > MOSTLY]
    return np.where(np.isin(labels, things), np.uint8(0), dark)


def dark_share(image: Image, levels: Mapping[int, float], registration: Registration) -> float:
    """The share of the mat in a picture that is too dark to read. `levels` are of `vision.glare.paper_levels`; 0 where
    they are none."""
    if not levels:
        return 0.0
    along = np.arange(-MAT_HALF_MM + DARK_WITHIN_MM, MAT_HALF_MM, DARK_WITHIN_MM)
    spots = registration.to_picture(np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2))
    columns, rows = np.round(spots).astype(np.intp).T
    shown = (columns >= 0) & (columns < image.shape[1]) & (rows >= 0) & (rows < image.shape[0])
    if not shown.any():
        return 0.0
    apart_px = float(np.median(np.linalg.norm(np.diff(spots.reshape(len(along), -1, 2), axis=1), axis=-1)))
    around = np.ones((2 * round(apart_px) + 1,) * 2, np.uint8)
    brightest = cv2.dilate(image.max(axis=2), around)[rows[shown], columns[shown]]
    return float((brightest < READABLE * max(levels.values())).mean())


def _disc(radius_mm: float) -> NDArray[np.uint8]:
    size = 2 * max(1, round(radius_mm / CELL_MM)) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)
