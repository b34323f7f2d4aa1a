"""Where the mat lies so deep in the dark beside the rest that what lies there cannot be told.

Where no light falls, nothing within a few millimetres is nearly as bright as the white paper around the mat's markers.
The same is so on a black table between loose corners, but there nothing plain is brighter: some of the bare mat must be
lit. A black thing is told by its edge (see `vision.hiding.foreign`), and a dark piece by its face. How dark the mat
itself is beside white paper, its markers tell, each in its own light: where nothing is darker than the mat would be in
light that is enough, it is not too dark.
"""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.hiding.cells import CELL_MM, CoarseMap, coarse_map, disc
from vision.light.glare import paper_levels
from vision.masks import Part, part_around
from vision.mat.markers import MARKERS_MM, MAT_HALF_MM
from vision.mat.rectify import table_map
from vision.mat.registration import Registration
from vision.motion import Mask
from vision.pieces.features import soften

DARK_WITHIN_MM = 15.0
READABLE = 0.24
"""Within so far of every place on the mat something is brighter than this share of white paper in the most light: of
what is darker, half of the pieces are not found."""
LEAST_WIDTH_MM = 40.0
BARE_MM, EVEN, LIT_SHARE = 15.0, 0.12, 0.03
"""Of the mat at least so large a share must be lit and bare: within so far of there brightness differs by less than the
second, as a share of white paper's. Of lit mats under many pieces a tenth is, of black ones 0.02."""
NOISE_CELLS = 5
"""The darkest there is looked for over so many cells each way: noise in dim light differs more from cell to cell."""
NEAR_MM = 90.0
"""So far from a marker's middle the mat is in the same light as its white paper."""
_REACH_CELLS = round(2 * DARK_WITHIN_MM / CELL_MM)
"""Nothing farther from the mat says anything of it."""
MOSTLY = 0.5
"""A dark part more of which is a strange thing is that thing."""


def find_dark(
    small: Image, coarse: CoarseMap, paper: Mapping[int, float], seen_mm: Sequence[NDArray[np.float64]]
) -> Mask:
    """255 in the cells of the mat where it is too dark to read.

    `small` is the table seen from above in these cells, `paper` how bright white paper is beside each marker
    (`vision.light.glare.paper_levels`), `seen_mm` the outlines of pieces that were read.
    """
    nothing = np.zeros((coarse.height, coarse.width), np.uint8)
    if not paper:
        return nothing
    white = max(paper.values())
    whole_mat = _mat(coarse)
    part = part_around(whole_mat, _REACH_CELLS)
    mat = whole_mat[part]
    if not mat.any():
        return nothing
    blue, green, red = cv2.split(small[part])
    light = np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)
    near, bare = disc(2 * DARK_WITHIN_MM + CELL_MM), disc(2 * BARE_MM + CELL_MM)
    dark = np.where(cv2.dilate(light, near) < READABLE * white, mat, np.uint8(0))
    if not dark.any():
        return nothing
    plain = cv2.dilate(light, bare).astype(np.int16) - cv2.erode(light, bare) < EVEN * white
    darkest = cv2.erode(cv2.blur(light, (NOISE_CELLS, NOISE_CELLS)), near)
    as_mat = darkest >= READABLE * white * _share_of_white(light, plain & (mat > 0), coarse, part, paper)
    dark = _without_lit(dark, np.where(as_mat, np.uint8(0), dark), mat)
    if not dark.any():
        return nothing
    if np.count_nonzero(plain & (dark == 0) & (mat > 0)) < LIT_SHARE * np.count_nonzero(mat):
        return nothing
    # What is dark reaches as far beyond what was found as the brightest parts were sought.
    half = disc(DARK_WITHIN_MM + CELL_MM)
    whole = cv2.dilate(cv2.morphologyEx(dark, cv2.MORPH_OPEN, disc(LEAST_WIDTH_MM + CELL_MM)), half)
    left = np.asarray(whole, np.uint8) & mat & ~coarse.polygons(seen_mm)[part]
    nothing[part] = cv2.morphologyEx(left, cv2.MORPH_OPEN, half)
    return nothing


def without_things(dark: Mask, strange: Mask) -> Mask:
    """The dark parts that are not for the most part something strange, such as a black cloth."""
    if not dark.any():
        return dark
    count, labels = cv2.connectedComponents(dark, connectivity=8)
    things = [i for i in range(1, count) if (strange[labels == i] > 0).mean() > MOSTLY]
    return np.where(np.isin(labels, things), np.uint8(0), dark)


def dark_share(image: Image, registration: Registration) -> float:
    """The share of the mat in a picture that is too dark to read."""
    table = table_map(registration)
    coarse = coarse_map(table)
    small = coarse.shrink(soften(table.look(image)))
    dark = find_dark(small, coarse, paper_levels(image, registration), ())
    return float((dark[_mat(coarse) > 0] > 0).mean())


def _without_lit(dark: Mask, left: Mask, mat: Mask) -> Mask:
    """What is `left` of the dark parts, with what it encloses: a piece that lies in the dark is brighter than a dark
    mat there, but nothing bright is next to it."""
    count, labels = cv2.connectedComponents(mat & ~left, connectivity=8)
    lit = np.bincount(labels[dark == 0], minlength=count) > 0
    return np.where(lit[labels], left, dark)


def _share_of_white(
    light: Mask, bare: NDArray[np.bool_], coarse: CoarseMap, part: Part, paper: Mapping[int, float]
) -> float:
    """How bright the bare mat is, in this part of the table, as a share of white paper in the same light; 1 where that
    cannot be told."""
    shares = []
    for marker, level in paper.items():
        (x, y), near = MARKERS_MM[marker].mean(0), NEAR_MM
        around = coarse.polygons(
            [np.array([(x - near, y - near), (x + near, y - near), (x + near, y + near), (x - near, y + near)])]
        )
        levels = light[bare & (around[part] > 0)]
        if len(levels) and level > 0:
            shares.append(float(np.median(levels)) / level)
    return float(np.clip(np.median(shares), 0.0, 1.0)) if shares else 1.0


def _mat(coarse: CoarseMap) -> Mask:
    """255 in the cells of the mat that the picture shows."""
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * MAT_HALF_MM
    return np.asarray(coarse.polygons([corners]) & coarse.seen, np.uint8)
