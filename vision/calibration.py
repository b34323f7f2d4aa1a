"""The lens of a camera, from photos of a sheet whose geometry is known.

The model is that of `vision.registration.Lens`: one focal length, two radial terms,
the axis through the picture's middle.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.registration import MARKERS_MM, TYPICAL_LENS, Lens, VisionError

Array = NDArray[np.float64]
Grey = NDArray[np.uint8]

LEAST_VIEWS = 5
LEAST_CORNERS = 8
"""Of the sheet, for a photo to count."""
LEAST_MARKERS = 3
"""Of the mat."""
LEAST_ANGLE_DEG = 15.0
"""Between the two views that differ most: the focal length shows only where the sheet leans."""
FOCAL_SPREAD = 0.02
"""How far the focal length may stay open (one deviation, as a share of it)."""
BLUR_WIDTHS = 0.0016
"""A blurred edge's deviation, in picture widths, beyond which corners are found badly."""
ERROR_WIDTHS = 0.0005
"""Reprojection error, in picture widths, beyond which the photos do not fit one lens."""
K2_WIDTHS = 0.003
"""How far k2 may leave the picture's corners open (one deviation, in picture widths); else it is left at 0."""
OUTLIER = 3.0
"""A view whose error is so many times the usual one is left out."""


class CalibrationError(VisionError, ValueError):
    """The lens cannot be had from these photos, or a photo does not serve."""


class SheetNotSeen(CalibrationError):
    """The photo shows too little of the sheet."""


class WrongSheet(CalibrationError):
    """The photo shows another sheet, or one whose squares are not square."""


class Blurred(CalibrationError):
    """The photo, or every one of them, is blurred."""


class TooFewViews(CalibrationError):
    """Too few photos serve."""


class AllFromOneAngle(CalibrationError):
    """The sheet leans the same way in all photos."""


class SizesDiffer(CalibrationError):
    """The photos are not all of one size."""


class NoCommonLens(CalibrationError):
    """No one lens explains the photos."""


class LensFileError(CalibrationError):
    """A file holds no lens, or one for pictures of another shape."""


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


@dataclass(frozen=True, slots=True)
class ViewFit:
    """How well one photo fits the lens."""

    name: str
    error_px: float
    lean_deg: float
    """Between the sheet and the picture's plane."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A lens, and how well it is known."""

    lens: Lens
    size_px: tuple[int, int]
    error_px: float
    """Root mean square distance of corners from where the lens has them."""
    views: tuple[ViewFit, ...]
    left_out: tuple[tuple[str, str], ...]
    """Photos that do not fit the others, with why."""
    covered: float
    """Share of the picture in which the sheet was seen, 0 to 1."""
    k2_shown: bool
    """Whether the photos tell k2 from k1; else it is 0."""
    focal_spread: float
    """One deviation of the focal length, as a share of it."""
    points_px: Array
    """n x 2: all corners used."""
    misses_px: Array
    """n x 2: from where the lens has them to where they were found."""


# Photos ---------------------------------------------------------------------------------------------------------------


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
        raise WrongSheet(f"{name}: shows markers {sorted(ids)}; the calibration sheet's are {own}")
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
        SheetNotSeen, Blurred: the photo does not serve, and why.
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    found = {number: corners for number, corners in _markers(grey).items() if number in MARKERS_MM}
    if len(found) < LEAST_MARKERS:
        raise SheetNotSeen(
            f"{name}: markers {sorted(found)} of the mat are seen; {LEAST_MARKERS} of its four are needed"
        )
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


def _check_sharp(grey: Grey, markers: Sequence[Array], name: str) -> None:
    """Edges of markers: how far the step from black to white is drawn out."""
    blur, allowed = float(np.percentile(_edge_blurs(grey, markers), 75)), BLUR_WIDTHS * grey.shape[1]
    if blur > allowed:
        raise Blurred(f"{name}: edges are blurred by {blur:.1f} px; at most {allowed:.1f} px will do")


def _edge_blurs(grey: Grey, markers: Sequence[Array]) -> Array:
    """The deviation in pixels of the blur across each side of each marker."""
    starts, ends = (np.concatenate([np.roll(marker, -turn, axis=0) for marker in markers]) for turn in (0, 1))
    along = ends - starts
    length = np.linalg.norm(along, axis=1, keepdims=True)
    across = along[:, ::-1] * (1.0, -1.0) / length
    # Six cells of a marker are as long as its side; the white around it is one cell wide.
    reach = np.maximum(length / 6 * 0.95, 2.0)
    steps = np.linspace(-1.0, 1.0, 41)
    where = ((starts + ends) / 2)[:, None] + across[:, None] * (reach * steps)[..., None]
    map_x, map_y = (where[..., axis].astype(np.float32) for axis in range(2))
    values = np.asarray(cv2.remap(grey, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float64)
    steepest = np.abs(np.diff(values, axis=1)).max(1) / (reach[:, 0] * (steps[1] - steps[0]))
    return np.asarray(np.ptp(values, axis=1) / (math.sqrt(2 * math.pi) * np.maximum(steepest, 1e-6)))


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


# The lens -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    focal: float
    focal_deviation: float
    k1: float
    k2: float
    k2_shown: bool
    normals: Array
    """n x 3: of the sheet in each view."""
    misses: tuple[Array, ...]
    """n x 2 of each view."""


def calibrate(views: Sequence[View]) -> Calibration:
    """The lens that explains all views.

    Raises:
        TooFewViews, SizesDiffer, AllFromOneAngle, NoCommonLens: it cannot be had, and why.
    """
    _check_views(views)
    left_out: list[tuple[str, str]] = []
    used = list(views)
    fit = _fit(used)
    errors = _errors(fit)
    usual = float(np.median(errors))
    worst = OUTLIER * max(usual, 0.15)
    if max(errors) > worst and sum(error <= worst for error in errors) >= LEAST_VIEWS:
        pairs = list(zip(used, errors, strict=True))
        left_out = [(v.name, f"misses by {e:.2f} px where {usual:.2f} px is usual") for v, e in pairs if e > worst]
        used = [view for view, error in pairs if error <= worst]
        fit = _fit(used)
        errors = _errors(fit)
    width, height = used[0].size_px
    misses = np.concatenate(fit.misses)
    error = float(np.sqrt(np.mean((misses**2).sum(1))))
    if error > ERROR_WIDTHS * width:
        raise NoCommonLens(
            f"corners miss their places by {error:.2f} px where {ERROR_WIDTHS * width:.2f} px may be: zoom or focus "
            "changed between the photos, or the sheet is not flat"
        )
    _check_angles(fit.normals)
    if fit.focal_deviation > FOCAL_SPREAD * fit.focal:
        raise AllFromOneAngle(
            f"the focal length stays open by {fit.focal_deviation / fit.focal:.1%}; expected {FOCAL_SPREAD:.0%} or "
            "less: let the sheet lean more, to different sides"
        )
    leans = np.degrees(np.arccos(np.clip(np.abs(fit.normals[:, 2]), 0.0, 1.0)))
    return Calibration(
        lens=Lens(fit.focal / width, fit.k1, fit.k2),
        size_px=(width, height),
        error_px=error,
        views=tuple(
            ViewFit(view.name, view_error, float(lean))
            for view, view_error, lean in zip(used, errors, leans, strict=True)
        ),
        left_out=tuple(left_out),
        covered=covered_share(used),
        k2_shown=fit.k2_shown,
        focal_spread=fit.focal_deviation / fit.focal,
        points_px=np.concatenate([view.points_px for view in used]),
        misses_px=misses,
    )


def covered_share(views: Sequence[View]) -> float:
    """The share of the picture in which the thing was seen."""
    cells = (160, 90)
    mask = np.zeros(cells[::-1], np.uint8)
    for view in views:
        scale = np.array(cells) / view.size_px
        hull = cv2.convexHull((view.points_px * scale).astype(np.float32))
        cv2.fillConvexPoly(mask, np.round(hull).astype(np.int32), (1,))
    return float(mask.mean())


def lean_between(one: View, other: View) -> float:
    """Degrees between the directions in which the thing leans, for a usual lens."""
    return _between(_usual_normal(one), _usual_normal(other))


def _check_views(views: Sequence[View]) -> None:
    if len(views) < LEAST_VIEWS:
        raise TooFewViews(f"{len(views)} photos serve; at least {LEAST_VIEWS} are needed, ten or more are better")
    sizes = {view.size_px for view in views}
    if len(sizes) > 1:
        some = ", ".join(f"{width}x{height}" for width, height in sorted(sizes))
        raise SizesDiffer(f"the photos are of {some} pixels; expected one camera and one size")
    _check_angles(np.array([_usual_normal(view) for view in views]))


def _check_angles(normals: Array) -> None:
    most = max(_between(one, other) for one, other in combinations(normals, 2))
    if most < LEAST_ANGLE_DEG:
        raise AllFromOneAngle(
            f"no two photos differ by more than {most:.0f} degrees in how the sheet leans; expected "
            f"{LEAST_ANGLE_DEG:.0f} or more: prop up one side of it, then another"
        )


def _between(one: Array, other: Array) -> float:
    return math.degrees(math.acos(min(1.0, abs(float(one @ other)))))


def _usual_normal(view: View) -> Array:
    matrix = _matrix(TYPICAL_LENS.focal_widths * view.size_px[0], view.size_px)
    points = np.column_stack([view.points_mm, np.zeros(len(view.points_mm))])
    _, turn, _ = cv2.solvePnP(points, view.points_px, matrix, np.zeros(4), flags=cv2.SOLVEPNP_IPPE)
    return np.asarray(cv2.Rodrigues(turn)[0][:, 2], np.float64)


def _matrix(focal: float, size_px: tuple[int, int]) -> Array:
    return np.array([[focal, 0.0, (size_px[0] - 1) / 2], [0.0, focal, (size_px[1] - 1) / 2], [0.0, 0.0, 1.0]])


_FLAGS = (
    cv2.CALIB_USE_INTRINSIC_GUESS
    | cv2.CALIB_FIX_ASPECT_RATIO
    | cv2.CALIB_FIX_PRINCIPAL_POINT
    | cv2.CALIB_ZERO_TANGENT_DIST
    | cv2.CALIB_FIX_K3
)


def _fit(views: Sequence[View]) -> _Fit:
    """Lens and poses at once; where the points are corners of markers, also how much smaller these seem.

    Two terms fitted to a picture's middle run away towards its corners; where they would, there is only one.
    """
    fit = _fit_markers(views, with_k2=True)
    return fit if fit.k2_shown else _fit_markers(views, with_k2=False)


def _fit_markers(views: Sequence[View], *, with_k2: bool) -> _Fit:
    shrink = 0.0
    for _ in range(3 if views[0].markers else 1):
        fit = _fit_shrunk(views, shrink, with_k2=with_k2)
        shrink += _more_shrink(views, fit) if views[0].markers else 0.0
    return fit


def _fit_shrunk(views: Sequence[View], shrink: float, *, with_k2: bool) -> _Fit:
    size = views[0].size_px
    flags = _FLAGS | (0 if with_k2 else cv2.CALIB_FIX_K2)
    points = [
        np.column_stack([_shrunk(view, shrink), np.zeros(len(view.points_mm))]).astype(np.float32) for view in views
    ]
    pixels = [view.points_px.astype(np.float32) for view in views]
    matrix = _matrix(TYPICAL_LENS.focal_widths * size[0], size)
    try:
        _, fitted, bent, turns, shifts, deviations, _, _ = cv2.calibrateCameraExtended(
            points, pixels, size, matrix, np.zeros(5), flags=flags
        )
    except cv2.error as error:
        raise NoCommonLens(f"no lens could be fitted to the photos: {error.err}") from error
    k1, k2 = (float(part) for part in np.asarray(bent).ravel()[:2])
    misses = []
    for there, seen, turn, shift in zip(points, pixels, turns, shifts, strict=True):
        again, _ = cv2.projectPoints(there, turn, shift, fitted, bent)
        misses.append(np.asarray(seen - np.asarray(again).reshape(-1, 2), np.float64))
    normals = np.array([cv2.Rodrigues(turn)[0][:, 2] for turn in turns])
    spread = np.asarray(deviations).ravel()
    focal = float(fitted[0, 0])
    corner = math.hypot(*size) / 2 / focal
    return _Fit(
        focal=focal,
        focal_deviation=float(spread[:2].max()),
        k1=k1,
        k2=k2,
        k2_shown=with_k2 and float(spread[5]) * corner**5 * focal < K2_WIDTHS * size[0],
        normals=normals,
        misses=tuple(misses),
    )


def _shrunk(view: View, shrink: float) -> Array:
    if view.markers == 0:
        return view.points_mm
    centres = view.points_mm.reshape(-1, 4, 2).mean(1).repeat(4, axis=0)
    return np.asarray(centres + (view.points_mm - centres) * (1.0 - shrink))


def _more_shrink(views: Sequence[View], fit: _Fit) -> float:
    """How much smaller still the markers seem, as a share of their size."""
    inward, size = 0.0, 0.0
    for view, miss in zip(views, fit.misses, strict=True):
        out = view.points_px - view.points_px.reshape(-1, 4, 2).mean(1).repeat(4, axis=0)
        inward -= float((miss * out).sum())
        size += float((out**2).sum())
    return inward / size


def _errors(fit: _Fit) -> list[float]:
    return [float(np.sqrt(np.mean((miss**2).sum(1)))) for miss in fit.misses]


# The file -------------------------------------------------------------------------------------------------------------


def lens_text(calibration: Calibration, camera: str) -> str:
    """The file's text (JSON). `camera` says which one it is."""
    lens = calibration.lens
    content = {
        "camera": camera,
        "size_px": list(calibration.size_px),
        "lens": {"focal_widths": round(lens.focal_widths, 6), "k1": round(lens.k1, 6), "k2": round(lens.k2, 6)},
        "error_px": round(calibration.error_px, 4),
        "views": len(calibration.views),
        "covered": round(calibration.covered, 3),
    }
    return json.dumps(content, indent=2) + "\n"


def load_lens(path: Path, size_px: tuple[int, int] | None = None) -> Lens:
    """The lens in a file; with `size_px`, for pictures of that size.

    Raises:
        LensFileError: it is no such file, or was made for pictures of another shape.
        OSError: it cannot be read.
    """
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise LensFileError(f"{path} is no JSON; expected a file that `pizzatable calibrate` wrote") from error
    lens = Lens(*(_number(content, path, "lens", name) for name in ("focal_widths", "k1", "k2")))
    width, height = (_number(content, path, "size_px", side) for side in (0, 1))
    if not 0.2 < lens.focal_widths < 10.0 or width < 1.0 or height < 1.0:
        raise LensFileError(f"{path}: {lens} for {width:.0f}x{height:.0f} is no camera's lens")
    if size_px is not None and abs(size_px[0] * height - size_px[1] * width) > 0.01 * size_px[0] * height:
        raise LensFileError(
            f"{path}: it was made from pictures of {width:.0f}x{height:.0f} and does not hold for "
            f"{size_px[0]}x{size_px[1]}, which is another shape; calibrate again"
        )
    return lens


def _number(content: Any, path: Path, key: str, part: str | int) -> float:
    """A number in a lens file: `key` and, in that object or list, `part`."""
    place = f"{key}.{part}" if isinstance(part, str) else f"{key}[{part}]"
    held = content.get(key) if isinstance(content, dict) else None
    if isinstance(part, str):
        value = held.get(part) if isinstance(held, dict) else None
    else:
        value = held[part] if isinstance(held, list) and part < len(held) else None
    if not isinstance(value, int | float) or isinstance(value, bool) or not -1e6 < value < 1e6:
        said = "is missing" if value is None else f"is {json.dumps(value)[:60]}"
        raise LensFileError(f"{path}: {place} {said}; expected a number, as `pizzatable calibrate` writes it")
    return float(value)
