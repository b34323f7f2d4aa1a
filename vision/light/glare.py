"""Where a lamp's reflection or the sun has blown a picture out: all channels at the top, and nothing left to read.

White paper is blown out, too, where a picture is exposed for something darker, and hides nothing: what is printed on it
is still seen. The mat's own white, around its markers, tells the two apart. What is brighter than a picture can show
while white paper is not is no paper; where white paper is at the top as well, nothing is called glare.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.hiding.cells import CoarseMap
from vision.mat.registration import Registration
from vision.motion import Mask, Small
from vision.scene import Sighting
from vision.short_axes import median_of

Array = NDArray[np.float64]

TOP = 252.0
"""A block whose mean is no darker than this, in every channel, is blown out but for noise."""
WASHED_OUT = 236.0
"""Beside a blown out part so bright a block shows nothing either."""
BESIDE = 3
"""So many blocks beside it may be washed out."""
PRINTED = 7
"""Print that lies between blown out blocks, narrower than this, and is washed out itself, belongs to them: where pieces
lie in a reflection, little of it is blown out without a gap."""
LEAST_WIDTH = 5
LEAST_AREA = 40
"""Blocks of a part that is blown out: in a picture of a whole table, 25 mm and 10 square centimetres. The white of a
die, a card's margin and a highlight on print are smaller."""
PAPER_BELOW, PAPER_NEAR_TOP = 222.0, 246.0
"""Where white paper is darker than the first, whatever is blown out is glare: no paper gets so much more light than the
mat. Up to the second, what fades into its surroundings is. Chosen on rendered and simulated tables, seeds up to 24, as
they are, and 1.3 and 1.6 times as bright."""
FADES, FADES_IN_PIECES, PAPER_THERE = 0.75, 0.35, 240.0
"""Along so much of its edge a lamp's reflection fades; white paper ends. Where pieces lie in the reflection most of its
edge may run along their print, so that the second is enough; but on white paper in bright light half of such a part's
edge may do so, too. So it is enough only where paper, by how bright it is beside the markers, would be darker than the
third. Chosen on 800 pictures of simulated and rendered tables without a reflection, paper at 215 to 248, and on 90 with
one, seeds up to 2035."""
REACH = 24
"""So many blocks beyond the edge it is looked at how brightness falls."""
LEAST_FALL, MOST_AT_ONCE = 30.0, 0.62
"""Levels that it falls by in all, and the share of them within three blocks."""
STEEPEST = 90.0
"""Levels within three blocks: more than that is the edge of a thing."""
LEAST_EDGE = 8
WELL_INSIDE = 4
"""A board's space whose middle lies so many cells of the table within glare is hidden: all of a topping is."""
MARGIN = (1.06, 1.1)
"""How many times as large as a marker the squares are along which its white margin is looked at: 1 and 2 mm outside."""
ALONG = 12
"""Places looked at along each side."""


def paper_levels(image: Image, registration: Registration) -> dict[int, float]:
    """How bright white paper is beside each marker of the mat that is seen: levels (of 255) of the darkest channel."""
    beside = paper_beside_markers(image, registration)
    return {marker: median_of(colours.min(-1).astype(np.float64)) for marker, colours in beside.items()}


def paper_beside_markers(image: Image, registration: Registration) -> dict[int, Image]:
    """The colours (n x 3) of white paper along each marker of the mat that is seen."""
    height, width = image.shape[:2]
    corners = np.array(list(registration.markers_px.values()))[:, None]
    middle = corners.mean(2, keepdims=True)
    squares = middle + np.array(MARGIN)[:, None, None] * (corners - middle)
    along = np.linspace(0.0, 1.0, ALONG, endpoint=False)[:, None]
    sides = squares[..., None, :] + along * (np.roll(squares, -1, axis=2) - squares)[..., None, :]
    spots = np.round(sides).astype(np.intp).reshape(len(corners), -1, 2)
    column, row = spots[..., 0], spots[..., 1]
    inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
    colours = image[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)]
    told = zip(registration.markers_px, colours, inside, strict=True)
    return {marker: seen if here.all() else seen[here] for marker, seen, here in told if here.any()}


def markers_in(small: Small, registration: Registration, markers: Iterable[int]) -> Array:
    """Where (n x 2: column, row) the middles of some of the mat's markers are in a small picture."""
    scale = np.array(small.shape[1::-1]) / registration.size_px
    return np.array([registration.markers_px[marker].mean(0) * scale for marker in markers]).reshape(-1, 2)


def find_glare(small: Small, paper: Iterable[float], where: Array | None = None) -> Mask:
    """255 in the blocks of a small picture where glare leaves nothing to read.

    `paper`: how bright white paper is beside each marker of the mat, see `paper_levels`; `where` (n x 2: column, row)
    these markers are in the small picture. Without three of them light is taken to be even.
    """
    paper = list(paper)
    nothing = np.zeros(small.shape[:2], np.uint8)
    blue, green, red = cv2.split(small)
    darkest = np.asarray(cv2.min(cv2.min(blue, green), red), np.float32)
    blown = (darkest >= TOP).astype(np.uint8)
    if np.count_nonzero(blown) < LEAST_AREA:
        return nothing
    level = _second(paper)
    if level > PAPER_NEAR_TOP:
        return nothing
    if level >= PAPER_BELOW:  # where no edge is looked at, white parts of a sheet, as near, would be taken for glare
        joined = cv2.morphologyEx(blown, cv2.MORPH_CLOSE, _disc(PRINTED))
        blown = np.asarray(joined * (darkest >= WASHED_OUT), np.uint8)
    whole = cv2.morphologyEx(blown, cv2.MORPH_OPEN, _disc(LEAST_WIDTH))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(whole, connectivity=8)
    light = np.asarray(cv2.blur((blue + green + red) / np.float32(3), (3, 3)), np.float32)
    large = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] >= LEAST_AREA]
    light_of_paper = _slope(paper, where) if where is not None and len(paper) > 2 else np.array([max(paper), 0.0, 0.0])
    parts = [i for i in large if level < PAPER_BELOW or _fades(light, labels == i, light_of_paper)]
    if not parts:
        return nothing
    glare = np.where(np.isin(labels, parts), np.uint8(255), np.uint8(0))
    around = cv2.dilate(glare, np.ones((2 * BESIDE + 1,) * 2, np.uint8)) * (darkest >= WASHED_OUT)
    return np.asarray(cv2.dilate(glare | around, np.ones((3, 3), np.uint8)), np.uint8)


def with_spaces_open(seen: Sighting, glare: Mask, coarse: CoarseMap) -> Sighting:
    """A board without what its spaces seem to hold where glare hides them (255 in cells of the table): a blown out
    space may look like one with something white on it. Any other piece as it is."""
    if not seen.spaces or not glare.any():
        return seen
    cells = np.round(coarse.to_cells(np.array([(space.x_mm, space.y_mm) for space in seen.spaces]))).astype(np.intp)
    column, row = (np.clip(along, 0, size - 1) for along, size in zip(cells.T, glare.shape[::-1], strict=True))
    well_inside = cv2.erode(glare, np.ones((2 * WELL_INSIDE + 1,) * 2, np.uint8))
    told = zip(seen.spaces, well_inside[row, column] > 0, strict=True)
    return replace(seen, spaces=tuple(replace(space, contents=()) if under else space for space, under in told))


def _disc(width: int) -> Mask:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width)), np.uint8)


def _second(levels: Iterable[float]) -> float:
    """The second highest, as one of the markers may lie in the glare itself; the only one, where there is no other."""
    ordered = sorted(levels, reverse=True)
    return ordered[min(1, len(ordered) - 1)] if ordered else 255.0


def _slope(levels: Sequence[float], where: Array) -> Array:
    """How bright white paper is at column and row 0, and by how much it grows brighter with each, by what some is."""
    terms = np.column_stack([np.ones(len(where)), where])
    return np.asarray(np.linalg.lstsq(terms, np.asarray(levels, np.float64), rcond=None)[0])


def _fades(light: NDArray[np.float32], part: NDArray[np.bool_], paper: Array) -> bool:
    """Whether brightness falls slowly beyond the edge of a part, as around a reflection, and not at once; how slowly,
    depends on how bright `paper` would be there (see `_slope`)."""
    rows, columns = np.nonzero(part)
    dim = float((paper[0] + paper[1] * columns + paper[2] * rows).max()) < PAPER_THERE
    return _soft_share(light, part) >= (FADES_IN_PIECES if dim else FADES)


def _soft_share(light: NDArray[np.float32], part: NDArray[np.bool_]) -> float:
    """Along how much of a part's edge brightness falls slowly beyond it."""
    soft = cv2.GaussianBlur(part.astype(np.float32), (0, 0), 2.0)
    inner = cv2.erode(part.astype(np.uint8), np.ones((3, 3), np.uint8), borderValue=1)
    row, column = np.nonzero(part & (inner == 0))
    slopes = [cv2.Sobel(soft, cv2.CV_32F, *way)[row, column] for way in ((1, 0), (0, 1))]
    outward = -np.stack(slopes) / (np.hypot(*slopes) + np.float32(1e-6))
    steps = np.arange(REACH + 1, dtype=np.float32)
    x, y = (start[:, None] + way[:, None] * steps for start, way in zip((column, row), outward, strict=True))
    inside = ((x >= 0) & (x <= light.shape[1] - 1) & (y >= 0) & (y <= light.shape[0] - 1)).all(1)
    if np.count_nonzero(inside) < LEAST_EDGE:
        return 0.0
    falls = cv2.remap(light, x[inside].astype(np.float32), y[inside].astype(np.float32), cv2.INTER_LINEAR)
    whole = 255.0 - falls.min(1)
    at_once = (falls[:, :-3] - falls[:, 3:]).max(1)
    soft_ones = (whole > LEAST_FALL) & (at_once < np.minimum(MOST_AT_ONCE * whole, STEEPEST))
    return float(soft_ones.mean())
