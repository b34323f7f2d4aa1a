"""The mat's corner markers (DICT_4X4_50, ids 0 to 3): where they are printed, and where they are in a picture."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.mat.errors import MarkersRepeated, PictureTooBright, PictureTooDark

Array = NDArray[np.float64]

OUTER_MM = 190.0
INNER_MM = 154.0
MAT_HALF_MM = 200.0
MAT_MM = 1.5
"""How much lower the bare table lies than the mat's face."""


def _square_mm(left: float, top: float) -> Array:
    side = OUTER_MM - INNER_MM
    return np.array([[left, top], [left + side, top], [left + side, top - side], [left, top - side]])


MARKERS_MM: dict[int, Array] = {
    0: _square_mm(-OUTER_MM, OUTER_MM),
    1: _square_mm(INNER_MM, OUTER_MM),
    2: _square_mm(INNER_MM, -INNER_MM),
    3: _square_mm(-OUTER_MM, -INNER_MM),
}
"""Corners of each marker on the mat: its own top left, top right, bottom right, bottom left."""
NEAR_MARGINS = np.array([0.35, 0.6])
"""So far around its place, in diagonals of it, a marker is looked for, and then, if it is not there."""
LEAST_WINDOW_PX = 16
DARK_LEVEL, WHITE_LEVEL = 12.0, 245.0
"""A picture whose brightest part (99.5 %) is below the first (0 to 255), or whose darkest is above the second, shows
nothing."""
DICTIONARY = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)


LEAST_OF_A_MAT, MOST_CHOICES = 3, 64
"""With so many markers a mat is told from print that looks like one more, among no more choices than these;"""
OFF_MM = 15.0
"""its markers are off their places by no more, bent by a lens, or laid loosely;"""
AS_WIDE = 0.3
"""and they alone are as wide as markers, by less than such a share each way: another may be another mat's."""
CELL_PX, CELL_MARGIN = 8, 0.25
"""Of a marker's cell the middle half is looked at, drawn so large: where a picture is soft, its edges show its
neighbours."""


def detector_parameters() -> cv2.aruco.DetectorParameters:
    """How markers are decoded, also out of focus: corners are found anew in a small window around them."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.perspectiveRemovePixelPerCell = CELL_PX
    parameters.perspectiveRemoveIgnoredMarginPerCell = CELL_MARGIN
    return parameters


def _detector(refine_window: int) -> cv2.aruco.ArucoDetector:
    parameters = detector_parameters()
    parameters.cornerRefinementWinSize = refine_window
    parameters.adaptiveThreshWinSizeMin = 13
    parameters.adaptiveThreshWinSizeMax = 43
    parameters.adaptiveThreshWinSizeStep = 15
    parameters.minMarkerPerimeterRate = 0.05
    return cv2.aruco.ArucoDetector(DICTIONARY, parameters)


def _detect(grey: NDArray[np.uint8], refine_window: int) -> list[tuple[int, Array]]:
    corners, ids, _ = _detector(refine_window).detectMarkers(grey)
    if ids is None:
        return []
    found = [(int(i), np.asarray(c, np.float64).reshape(4, 2)) for i, c in zip(ids.ravel(), corners, strict=True)]
    return [(i, c) for i, c in found if i in MARKERS_MM]


def check_light(grey: NDArray[np.uint8]) -> None:
    """Refuse a picture that shows nothing.

    Raises:
        PictureTooDark, PictureTooBright: which it is.
    """
    level = float(np.percentile(grey[::8, ::8], 99.5))
    if level < DARK_LEVEL:
        raise PictureTooDark(f"the picture's brightest part is {level:.0f} of 255; at least {DARK_LEVEL:.0f} is needed")
    darkest = float(np.percentile(grey[::8, ::8], 0.5))
    if darkest > WHITE_LEVEL:
        raise PictureTooBright(f"the picture's darkest part is {darkest:.0f} of 255; at most {WHITE_LEVEL:.0f} may be")


def markers_anywhere(grey: NDArray[np.uint8]) -> dict[int, Array]:
    """Corners (id -> 4 x 2, pixels) of the markers in a picture; where one shows twice, of those that lie as on a mat,
    if no other is as wide.

    Raises:
        MarkersRepeated: one shows twice, and there is no one such choice.
    """
    found = _detect(grey, 4)
    if len({i for i, _ in found}) < 3:
        found = max(found, _detect(_brightened(grey), 4), key=lambda seen: len({i for i, _ in seen}))
    seen = defaultdict[int, list[Array]](list)
    for i, corners in found:
        seen[i].append(corners)
    repeated = sorted(i for i, places in seen.items() if len(places) > 1)
    if not repeated:
        return dict(found)
    mats = _mats(seen)
    if len(mats) != 1:
        raise MarkersRepeated(f"corner markers {repeated} are in the picture more than once; only one mat may show")
    return mats[0]


def _mats(seen: Mapping[int, Sequence[Array]]) -> list[dict[int, Array]]:
    """The choices of one place for each marker that lie as on a mat, and the others are no markers of another."""
    choices = int(np.prod([len(places) for places in seen.values()]))
    if len(seen) < LEAST_OF_A_MAT or choices > MOST_CHOICES:
        return []
    every = [place for places in seen.values() for place in places]
    mats = (dict(zip(seen, places, strict=True)) for places in product(*seen.values()))
    return [mat for mat in mats if _lies_as_one(mat, every)]


def _lies_as_one(mat: Mapping[int, Array], every: Sequence[Array]) -> bool:
    mm, px = np.concatenate([MARKERS_MM[i] for i in mat]), np.concatenate(list(mat.values()))
    to_table, _ = cv2.findHomography(px, mm, 0)
    if to_table is None:
        return False
    off = cv2.perspectiveTransform(px[None], to_table)[0] - mm
    as_wide = sum(_is_as_wide(cv2.perspectiveTransform(place[None], to_table)[0]) for place in every)
    own = all(_is_as_wide(cv2.perspectiveTransform(place[None], to_table)[0]) for place in mat.values())
    return bool(np.hypot(*off.T).max() <= OFF_MM) and own and as_wide == len(mat)


def _is_as_wide(corners_mm: Array) -> bool:
    sides = np.linalg.norm(np.roll(corners_mm, 1, 0) - corners_mm, axis=1)
    return bool(np.abs(sides / (OUTER_MM - INNER_MM) - 1.0).max() < AS_WIDE)


def _brightened(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.createCLAHE(4.0, (8, 8)).apply(cv2.GaussianBlur(grey, (0, 0), 1.0)), np.uint8)


def markers_near(
    grey: NDArray[np.uint8], to_picture: Callable[[Array], Array], places_mm: Mapping[int, Array]
) -> dict[int, Array]:
    """Corners (id -> 4 x 2, pixels) of the markers that are seen where `to_picture` has their places (mm)."""
    markers: dict[int, Array] = {}
    for marker, mm in places_mm.items():
        px = to_picture(mm)
        for margin in NEAR_MARGINS * float(np.linalg.norm(px[0] - px[2])):
            low = np.maximum(np.floor(px.min(0) - margin).astype(int), 0)
            high = np.ceil(px.max(0) + margin).astype(int)
            window = grey[low[1] : high[1], low[0] : high[0]]
            if min(window.shape) < LEAST_WINDOW_PX:
                break
            found = [corners for number, corners in _detect(np.ascontiguousarray(window), 4) if number == marker]
            if found:
                markers[marker] = found[0] + low
                break
    return markers
