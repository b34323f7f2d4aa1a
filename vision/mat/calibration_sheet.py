"""What a photo shows of a flat thing whose geometry is known: the calibration sheet, or the mat's markers."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.errors import MIRRORED, Blurred, SheetNotSeen, WrongSheet
from vision.mat.markers import MARKERS_MM
from vision.mat.sharpness import BLUR_WIDTHS, TAKE_IT_AGAIN, marker_blur_px

Array = NDArray[np.float64]
Grey = NDArray[np.uint8]

LEAST_CORNERS = 8
"""Of the sheet, for a photo to count."""
LEAST_MARKERS = 3
"""Of the mat."""


@dataclass(frozen=True, slots=True)
class CalibrationSheet:
    """A ChArUco board: black squares as on a chess board, the first at the top left, a marker in each white one."""

    columns: int
    rows: int
    square_mm: float
    marker_mm: float
    first_id: int
    """Of DICT_4X4_50; the markers are numbered row by row from the top left."""

    @property
    def width_mm(self) -> float:
        """Of all squares."""
        return self.columns * self.square_mm

    @property
    def height_mm(self) -> float:
        """Of all squares."""
        return self.rows * self.square_mm

    @property
    def marker_ids(self) -> range:
        """The numbers of its markers."""
        return range(self.first_id, self.first_id + self.columns * self.rows // 2)


SHEET = CalibrationSheet(columns=5, rows=7, square_mm=34.0, marker_mm=25.5, first_id=20)
"""The one that `pizzatable kit` prints. Its markers are none of the mat's (0 to 3) or the score sheets' (10 to 13)."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What one photo shows of a flat thing whose geometry is known."""

    name: str
    points_mm: Array
    """n x 2."""
    points_px: Array
    """n x 2."""
    size_px: tuple[int, int]
    markers: int = 0
    """How many of the points, four each, are corners of markers; bright paper around them makes those seem smaller."""


def see_sheet(image: Image, name: str, sheet: CalibrationSheet = SHEET) -> View:
    """The corners of the calibration sheet in a photo.

    Raises:
        SheetNotSeen, WrongSheet, Blurred: the photo does not serve, and why.
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    board = _board(sheet)
    corners, numbers, marker_corners, marker_ids = cv2.aruco.CharucoDetector(board).detectBoard(grey)
    ids = [] if marker_ids is None else [int(number) for number in marker_ids.ravel()]
    found = {
        number: np.asarray(marker, np.float64).reshape(4, 2)
        for number, marker in zip(ids, marker_corners, strict=True)
        if number in sheet.marker_ids
    }
    if ids and not found:
        own = f"{sheet.first_id} to {sheet.marker_ids[-1]}"
        mats = ", or --mat for photos of the mat" if MARKERS_MM.keys() & set(ids) else ""
        raise WrongSheet(f"{name}: shows markers {sorted(ids)}; expected the calibration sheet's, {own}{mats}")
    if not found and _is_mirrored(grey, sheet.marker_ids):
        raise SheetNotSeen(f"{name}: {MIRRORED}")
    if not found:
        raise SheetNotSeen(f"{name}: no marker of the calibration sheet is seen: out of the picture, dark or blurred")
    _check_sharp(grey, list(found.values()), name)
    _check_flat(board, found, name)
    count = 0 if numbers is None else len(numbers)
    if count < LEAST_CORNERS:
        raise SheetNotSeen(f"{name}: {count} of the sheet's corners are seen; at least {LEAST_CORNERS} are needed")
    points_mm = np.asarray(board.getChessboardCorners(), np.float64)[np.asarray(numbers).ravel(), :2]
    points_px = np.asarray(corners, np.float64).reshape(-1, 2)
    return View(name, points_mm, points_px, (grey.shape[1], grey.shape[0]))


def see_mat(image: Image, name: str) -> View:
    """The corners of the mat's markers in a photo.

    Raises:
        SheetNotSeen, WrongSheet, Blurred: the photo does not serve, and why.
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    every = _markers(grey)
    found = {number: corners for number, corners in every.items() if number in MARKERS_MM}
    if len(found) < LEAST_MARKERS:
        if not found and _is_mirrored(grey, MARKERS_MM):
            raise SheetNotSeen(f"{name}: {MIRRORED}")
        if not found and every.keys() & set(SHEET.marker_ids):
            raise WrongSheet(f"{name}: shows the calibration sheet; expected the mat, or no --mat")
        seen = f"markers {sorted(found)} of the mat are seen" if found else "no marker of the mat is seen"
        raise SheetNotSeen(f"{name}: {seen}; {LEAST_MARKERS} of its four are needed")
    numbers = sorted(found)
    _check_sharp(grey, [found[number] for number in numbers], name)
    points_mm = np.concatenate([MARKERS_MM[number] for number in numbers])
    points_px = np.concatenate([found[number] for number in numbers])
    return View(name, points_mm, points_px, (grey.shape[1], grey.shape[0]), len(numbers))


See = Callable[[Image, str], View]
"""Finds a known thing in a photo, named in errors."""


def _board(sheet: CalibrationSheet) -> cv2.aruco.CharucoBoard:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    size = (sheet.columns, sheet.rows)
    return cv2.aruco.CharucoBoard(size, sheet.square_mm, sheet.marker_mm, dictionary, np.array(sheet.marker_ids))


def _markers(grey: Grey) -> dict[int, Array]:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = 4
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary, parameters).detectMarkers(grey)
    if ids is None:
        return {}
    return {int(i): np.asarray(c, np.float64).reshape(4, 2) for i, c in zip(ids.ravel(), corners, strict=True)}


def _is_mirrored(grey: Grey, numbers: Container[int]) -> bool:
    """Whether some of these markers show in the picture as a mirror shows it."""
    return any(number in numbers for number in _markers(np.ascontiguousarray(grey[:, ::-1])))


def _check_sharp(grey: Grey, markers: Sequence[Array], name: str) -> None:
    """Edges of markers: how far the step from black to white is drawn out."""
    blur, allowed = marker_blur_px(grey, markers), BLUR_WIDTHS * grey.shape[1]
    if blur > allowed:
        raise Blurred(f"{name}: edges are blurred by {blur:.1f} px; at most {allowed:.1f} px will do: {TAKE_IT_AGAIN}")


def _check_flat(board: cv2.aruco.CharucoBoard, corners: Mapping[int, Array], name: str) -> None:
    """Whether the markers lie to each other as on the sheet, but for what any lens may bend."""
    places = {int(i): np.asarray(p)[:, :2] for i, p in zip(board.getIds(), board.getObjPoints(), strict=True)}
    expected = np.concatenate([places[number] for number in corners]).astype(np.float64)
    seen = np.concatenate(list(corners.values()))
    homography, _ = cv2.findHomography(seen, expected)
    if homography is None:
        raise WrongSheet(f"{name}: the markers do not lie on one flat sheet")
    back = cv2.perspectiveTransform(seen.reshape(-1, 1, 2), homography).reshape(-1, 2)
    miss = float(np.sqrt(np.mean(np.sum((back - expected) ** 2, axis=1))))
    if miss > 0.25 * board.getSquareLength():
        raise WrongSheet(f"{name}: markers miss their places by {miss:.1f} mm: another sheet, or one that is not flat")
