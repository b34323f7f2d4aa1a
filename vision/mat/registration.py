"""Where the mat lies in a picture: the homography and lens between picture pixels and table millimetres.

Pixel centres are at whole numbers. The mat's printed face is the plane z = 0; what lies higher is seen a little further
from the point below the camera, and `Registration.on_table` takes that out.
"""

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.marker_edges import EdgePoints, measured

Array = NDArray[np.float64]

OUTER_MM = 190.0
INNER_MM = 154.0
MAT_HALF_MM = 200.0
MAT_MM = 1.5
"""How much lower the bare table lies than the mat's face."""
LENS_STEP = 0.01
LENS_SPREAD = (0.04, 0.01)
"""How far the markers alone leave k1 and k2 open."""
DARK_LEVEL, WHITE_LEVEL = 12.0, 245.0
"""A picture whose brightest part (99.5 %) is below the first (0 to 255), or whose darkest is above the second, shows
nothing."""


class VisionError(Exception):
    """Root of everything vision can fail with."""


class RegistrationError(VisionError, ValueError):
    """The picture could not be laid over the table."""


class PictureTooDark(RegistrationError):
    """The picture is black: the lens is covered or there is no light."""


class PictureTooBright(RegistrationError):
    """The picture is white."""


class MarkersMissing(RegistrationError):
    """Fewer of the mat's corner markers are seen than are needed."""


class MarkersRepeated(RegistrationError):
    """The same corner marker is seen twice: two mats are in the picture."""


class MarkersMisplaced(RegistrationError):
    """The corner markers do not lie as on one flat mat."""


class LensMisfit(MarkersMisplaced):
    """The calibrated lens bends the picture otherwise than this camera does."""


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


OTHER_CAMERA = "it may be another camera's, or zoom or focus were changed; calibrate again"
DOUBTED_ERROR = 1.6
"""Markers that miss their places so many times as far with a lens as without it,"""
DOUBTED_WIDTHS = 0.00006
"""and by so much more (in picture widths), speak against it; with a camera's own they miss at most 1.2 times as far."""
TYPICAL_FOCAL = 0.86
"""What is assumed of a camera nobody calibrated, in lengths of the picture's longer side: about 60 degrees along it."""


WIDE_FOCALS = (0.45, 0.3)
"""The same of cameras that bend the picture more than such a lens does: about 95 and 120 degrees."""
WIDE_K1 = -0.15
"""With less than this, k1 may be that of such a camera."""
PLAINLY = 0.8
"""Markers that miss their places by no more than this share of what they missed them by fit plainly better."""
MOST_BENT = (-0.25, 0.15)
"""Bounds for k1 where nobody calibrated."""
BENT = 0.12
"""A picture bent by more than this share at its sides shows the mat rightly, but hardly what lies far from it."""


def typical_lens(size_px: tuple[int, int], focal: float = TYPICAL_FOCAL) -> Lens:
    """What is assumed of a camera nobody calibrated: the same whether it was held upright or not."""
    return Lens(focal_widths=focal * max(size_px) / size_px[0])


@dataclass(frozen=True, slots=True)
class Registration:
    """One picture laid over the table."""

    table_to_plane: Array
    """3 x 3: table mm (z = 0) to undistorted pixels."""
    camera_matrix: Array
    lens: Lens
    camera_mm: tuple[float, float, float]
    """Where the camera is, in the table frame."""
    markers_px: dict[int, Array]
    """The corners found of each marker, 4 x 2."""
    error_px: float
    """Root mean square distance of the marker corners from where they should be."""
    size_px: tuple[int, int]
    """Width and height of the picture."""
    edges: EdgePoints | None = None
    """The markers' edges, which count in place of the corners, where they are large enough in the picture."""
    laid_mm: Mapping[int, Array] | None = None
    """Where the corners of loose markers lie; None: as printed on one mat."""

    def to_picture(self, points_mm: Any) -> Array:
        """Pixels of table points (n x 2, millimetres, z = 0)."""
        x, y = np.asarray(points_mm, np.float64).reshape(-1, 2).T
        # Each coordinate by itself: numpy is slow along an axis so short, and this is asked for thousands of points.
        across, down, depth = (row[0] * x + row[1] * y + row[2] for row in self.table_to_plane)
        (focal, _, right), (_, _, below), _ = self.camera_matrix
        across, down = (across / depth - right) / focal, (down / depth - below) / focal
        square = across * across + down * down
        bent = (1.0 + square * (self.lens.k1 + self.lens.k2 * square)) * focal
        pixels = np.empty((len(x), 2))
        pixels[:, 0], pixels[:, 1] = across * bent + right, down * bent + below
        return pixels

    def to_table(self, points_px: Any) -> Array:
        """Table points (n x 2, millimetres, z = 0) of pixels."""
        points = np.asarray(points_px, np.float64).reshape(-1, 2)
        plane = _undistort(points, self.camera_matrix, self.lens)
        table = _homogeneous(plane) @ np.linalg.inv(self.table_to_plane).T
        return np.asarray(table[:, :2] / table[:, 2:])

    def on_table(self, points_mm: Any, height_mm: float) -> Array:
        """Where points at a height really are, given where they seem to be at z = 0."""
        points = np.asarray(points_mm, np.float64).reshape(-1, 2)
        foot, share = np.array(self.camera_mm[:2]), height_mm / self.camera_mm[2]
        return np.asarray(points + (foot - points) * share)

    def seen_from_table(self, points_mm: Any, height_mm: float) -> Array:
        """The inverse of `on_table`: where points at a height seem to be at z = 0."""
        points = np.asarray(points_mm, np.float64).reshape(-1, 2)
        foot, share = np.array(self.camera_mm[:2]), height_mm / self.camera_mm[2]
        return np.asarray((points - foot * share) / (1.0 - share))

    def markers_shift_mm(self, other: "Registration") -> float:
        """How far most markers seen in both lie from where they lay; one that is half covered seems to move alone."""
        both = sorted(self.markers_px.keys() & other.markers_px.keys())
        if not both:
            return self.shift_mm(other)
        here, there = (np.array([other.to_table(seen.markers_px[i]).mean(0) for i in both]) for seen in (self, other))
        return float(np.median(np.linalg.norm(here - there, axis=1)))

    def shift_mm(self, other: "Registration") -> float:
        """How far the mat lies from where it lay in `other`, at its most moved corner."""
        corners = self.to_table(other.to_picture(_MAT_CORNERS_MM))
        return float(np.linalg.norm(corners - _MAT_CORNERS_MM, axis=1).max())


def find_mat(image: Image, *, lens: Lens | None = None, near: Registration | None = None) -> Registration:
    """Lay a picture over the table by the mat's corner markers (DICT_4X4_50, ids 0 to 3).

    With `near`, markers are looked for only where that registration has them, and the whole picture is searched only
    if fewer than three are there. Without a `lens`, distortion is estimated from the corners.

    Raises:
        PictureTooDark, PictureTooBright, MarkersMissing, MarkersRepeated, MarkersMisplaced: why it is not possible.
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    return find_mat_in_grey(grey, lens=lens, near=near)


def find_mat_in_grey(
    grey: NDArray[np.uint8], *, lens: Lens | None = None, near: Registration | None = None
) -> Registration:
    """`find_mat` for a picture that is already grey."""
    laid = near.laid_mm if near is not None else None
    markers = _markers_near(grey, near) if near is not None else {}
    if len(markers) < 3:
        _check_light(grey)
        markers = _markers_anywhere(grey)
        if near is None and len(markers) < 2 and len(_markers_anywhere(np.ascontiguousarray(grey[:, ::-1]))) > 1:
            raise MarkersMissing("the picture is mirrored: expected one as the eye sees the table")
    if lens is None and near is not None and len(markers) < 4:
        lens = near.lens
    size_px = (grey.shape[1], grey.shape[0])
    if near is not None and (laid is not None or len(near.markers_px) == len(MARKERS_MM)):
        with contextlib.suppress(MarkersMisplaced):
            found = register(markers, size_px, lens=lens, markers_mm=laid)
            if found.error_px < MOVED_WIDTHS * size_px[0] or len(markers) < len(MARKERS_MM):
                return _by_edges(grey, replace(found, laid_mm=laid), lens)
    return _laid_loosely(grey, _by_edges(grey, _registered(markers, size_px, lens), lens), lens)


def register(
    markers_px: Mapping[int, Array],
    size_px: tuple[int, int],
    *,
    lens: Lens | None = None,
    markers_mm: Mapping[int, Array] | None = None,
) -> Registration:
    """The registration that fits marker corners (id -> 4 x 2, each marker's own top left first, clockwise) of one mat.

    `markers_mm` says where the corners of markers other than the mat's lie; the frame is then theirs.

    Raises:
        MarkersMissing: fewer than two markers.
        MarkersMisplaced: they do not fit one flat mat.
    """
    places = MARKERS_MM if markers_mm is None else markers_mm
    if len(markers_px) < 2:
        wanted = ", ".join(str(i) for i in sorted(places))
        found = f"only marker {', '.join(str(i) for i in markers_px)}" if markers_px else "none"
        raise MarkersMissing(
            f"found {found} of the corner markers {wanted} in the picture; at least 2 must show, sharp"
        )
    ids = sorted(markers_px)
    mm = np.concatenate([places[i] for i in ids])
    px = np.concatenate([np.asarray(markers_px[i], np.float64).reshape(4, 2) for i in ids])
    start = lens or typical_lens(size_px)
    homography, matrix, used, error = _laid_by_corners(mm, px, size_px, start, lens_too=lens is None)
    allowed = max(2.0, 0.0025 * size_px[0])
    for focal in WIDE_FOCALS if lens is None and used.k1 < WIDE_K1 else ():
        wide = _laid_by_corners(mm, px, size_px, typical_lens(size_px, focal), lens_too=True)
        if wide[3] < PLAINLY * error:
            homography, matrix, used, error = wide
    if error > allowed:
        missed = f"markers {ids} miss their places by {error:.1f} px; expected at most {allowed:.1f}"
        without = _error_without_lens(markers_px, size_px, markers_mm) if lens is not None else math.inf
        if without < allowed:
            raise LensMisfit(f"{missed}. Without the calibrated lens they fit: {OTHER_CAMERA}")
        raise MarkersMisplaced(missed)
    return Registration(
        table_to_plane=homography,
        camera_matrix=matrix,
        lens=used,
        camera_mm=_camera_place(homography, matrix),
        markers_px={i: np.asarray(markers_px[i], np.float64).reshape(4, 2) for i in ids},
        error_px=error,
        size_px=size_px,
    )


def _registered(markers_px: Mapping[int, Array], size_px: tuple[int, int], lens: Lens | None) -> Registration:
    """`register`, but that four markers may be loose ones, each laid a little beside its place."""
    try:
        found = register(markers_px, size_px, lens=lens)
    except MarkersMisplaced as error:
        laid = None if isinstance(error, LensMisfit) else _laid_by_hand(markers_px, size_px, lens)
        if laid is None:
            raise
    else:
        if found.error_px < LOOSE_WIDTHS * size_px[0] or (laid := _laid_by_hand(markers_px, size_px, lens)) is None:
            return found
    return replace(register(markers_px, size_px, lens=lens, markers_mm=laid), laid_mm=laid)


def _laid_by_hand(
    markers_px: Mapping[int, Array], size_px: tuple[int, int], lens: Lens | None
) -> Mapping[int, Array] | None:
    """Where loose markers lie, by their corners: each is as large and as square as the others, and near its place. None
    where one would lie far from it, or not all are seen."""
    if len(markers_px) < len(MARKERS_MM):
        return None
    ids = sorted(markers_px)
    mm = np.concatenate([MARKERS_MM[i] for i in ids])
    px = np.concatenate([markers_px[i] for i in ids])
    start = lens or typical_lens(size_px)
    matrix = _camera_matrix(size_px, start)
    which = np.arange(len(ids)).repeat(4)

    def misses(homography: Array, shrink: float, used: Lens, laid: Array) -> Array:
        return _residuals(homography, shrink, _as_laid(mm, which, laid), px, matrix, used) / CORNER_SPREAD_PX

    homography, shrink = _fit_homography(mm, px, matrix, start)
    first = (homography, shrink, start)
    laid = _least_squares(misses, first, spread=0.02, lens_too=lens is None, loose=len(ids))[3]
    return _places_of(ids, laid)


def _as_laid(mm: Array, which: NDArray[np.intp], laid: Array) -> Array:
    """Points of markers (n x 2, `which` marker each) that were printed for one mat, where each marker was laid a little
    elsewhere: by mm, mm and radians about its middle (markers x 3)."""
    middles = np.array([MARKERS_MM[i].mean(0) for i in sorted(MARKERS_MM)])[which]
    shift, turn = laid[which, :2], laid[which, 2]
    x, y = (mm - middles).T
    cosine, sine = np.cos(turn), np.sin(turn)
    return np.asarray(middles + shift + np.column_stack([cosine * x - sine * y, sine * x + cosine * y]))


def _places_of(ids: Sequence[int], laid: Array) -> Mapping[int, Array] | None:
    """The corners of markers that were laid so; None where one lies far from its place."""
    if np.hypot(*laid[:, :2].T).max() > MOST_OFF_MM or np.abs(laid[:, 2]).max() > MOST_OFF_RAD:
        return None
    return {i: _as_laid(MARKERS_MM[i], np.full(4, n), laid) for n, i in enumerate(ids)}


def _laid_loosely(grey: NDArray[np.uint8], found: Registration, lens: Lens | None) -> Registration:
    """A registration by edges in which each of four markers may lie a little beside its place, if they plainly do."""
    if found.edges is None or len(found.markers_px) < len(MARKERS_MM):
        return found
    ids, edges, before = sorted(MARKERS_MM), found.edges, found.laid_mm or MARKERS_MM
    which = np.linalg.norm(edges.mm[:, None] - [before[i].mean(0) for i in ids], axis=2).argmin(1)
    printed = _as_printed(edges.mm, which, before)
    matrix = _camera_matrix(found.size_px, found.lens)

    def misses(homography: Array, bleed_px: float, used: Lens, laid: Array) -> Array:
        return _edge_misses(edges, _as_laid(printed, which, laid), homography, bleed_px, matrix, used)

    def misses_of_one_mat(homography: Array, bleed_px: float, used: Lens, _: Array) -> Array:
        return _edge_misses(edges, printed, homography, bleed_px, matrix, used)

    start, lens_too = (found.table_to_plane, 0.0, found.lens), lens is None
    tight = _least_squares(misses_of_one_mat, start, spread=BLEED_SPREAD_PX, lens_too=lens_too)
    cost = _cost(misses_of_one_mat(*tight))
    if cost > LOOSE_GAIN:
        loose = _least_squares(misses, start, spread=BLEED_SPREAD_PX, lens_too=lens_too, loose=len(ids))
        places = _places_of(ids, loose[3])
        if places is not None and cost - _cost(misses(*loose)) > LOOSE_GAIN:
            return _by_edges(grey, replace(found, laid_mm=places), lens)
    return found if found.laid_mm is None else _laid_by(replace(edges, mm=printed), replace(found, laid_mm=None), lens)


def _cost(misses: Array) -> float:
    """The mean of what misses (n x m, in their own spread) speak against a fit, strays cut."""
    return float((CAUCHY * np.log1p((misses**2).sum(1) / CAUCHY)).mean())


def _as_printed(mm: Array, which: NDArray[np.intp], laid_mm: Mapping[int, Array]) -> Array:
    """Points of markers (n x 2) as they lie, back where they were printed for one mat."""
    printed = np.empty_like(mm)
    for number, marker in enumerate(sorted(laid_mm)):
        here, there = laid_mm[marker], MARKERS_MM[marker]
        (along, down), corner = (here[[1, 3]] - here[0]) / np.linalg.norm(here[1] - here[0]), here[0]
        mine = which == number
        steps = (mm[mine] - corner) @ np.array([along, down]).T
        printed[mine] = there[0] + steps * [1.0, -1.0]
    return printed


def _laid_by_corners(
    mm: Array, px: Array, size_px: tuple[int, int], start: Lens, *, lens_too: bool
) -> tuple[Array, Array, Lens, float]:
    """Homography, camera matrix and lens by corners, and how far these miss their places: root mean square, pixels."""
    matrix = _camera_matrix(size_px, start)
    homography, shrink, used = _fit(mm, px, matrix, start, lens_too=lens_too)
    error = float(np.sqrt(np.mean(_residuals(homography, shrink, mm, px, matrix, used) ** 2) * 2))
    return homography, matrix, used, error


def _error_without_lens(
    markers_px: Mapping[int, Array], size_px: tuple[int, int], markers_mm: Mapping[int, Array] | None
) -> float:
    """How far markers miss their places with no lens given, pixels; infinite where they do not fit one flat mat."""
    try:
        return register(markers_px, size_px, markers_mm=markers_mm).error_px
    except MarkersMisplaced:
        return math.inf


def lens_doubt(found: Registration, lens: Lens) -> str:
    """Why a calibrated lens seems to be another camera's than this picture's; empty where nothing says so.

    Only what bends the picture shows: where the camera looks straight down no mat tells a focal length, nor do fewer
    than four markers tell anything.
    """
    if len(found.markers_px) < len(MARKERS_MM):
        return ""
    with_it = register(found.markers_px, found.size_px, lens=lens).error_px
    without = _error_without_lens(found.markers_px, found.size_px, None)
    if with_it < max(DOUBTED_ERROR * without, without + DOUBTED_WIDTHS * found.size_px[0]):
        return ""
    return (
        f"the mat's markers miss their places by {with_it:.2f} px with the calibrated lens, by {without:.2f} px "
        f"without it: {OTHER_CAMERA}"
    )


def bent_too_far(found: Registration) -> str:
    """Why the lens of this picture should be calibrated, where nobody did: how far it bends the picture's sides; empty
    where that is little."""
    square = (0.5 * found.size_px[0] / found.camera_matrix[0, 0]) ** 2
    bend = square * (found.lens.k1 + found.lens.k2 * square)
    if abs(bend) < BENT:
        return ""
    return f"the lens bends the picture by {abs(bend):.0%} at its sides: places far from the mat are not exact"


def with_lens(registration: Registration, lens: Lens) -> Registration:
    """The same markers laid over the table with another lens."""
    if registration.edges is not None:
        return _laid_by(registration.edges, replace(registration, lens=lens), lens)
    return register(registration.markers_px, registration.size_px, lens=lens)


def lens_by_points(registration: Registration, expected_mm: Array, seen_px: Array, *, spread_mm: float = 0.25) -> Lens:
    """The lens that best brings pixels (n x 2) to where they are known to lie on the table (n x 2)."""
    normal, right = np.diag(1.0 / np.square(LENS_SPREAD)), np.zeros(2)
    here = registration.to_table(seen_px)
    moves = [
        (with_lens(registration, lens).to_table(seen_px) - here).ravel() / LENS_STEP
        for lens in bent_lenses(registration.lens)
    ]
    off = (expected_mm - here).ravel()
    weight = 1.0 / (spread_mm**2 * (1.0 + (off / 6.0) ** 2))
    columns = np.column_stack(moves)
    normal += columns.T @ (columns * weight[:, None])
    right += columns.T @ (off * weight)
    step = np.clip(np.linalg.solve(normal, right), -0.06, 0.06)
    lens = registration.lens
    return replace(lens, k1=float(lens.k1 + step[0]), k2=float(lens.k2 + step[1]))


def bent_lenses(lens: Lens) -> tuple[Lens, Lens]:
    """A lens with a little more of k1, and of k2."""
    return replace(lens, k1=lens.k1 + LENS_STEP), replace(lens, k2=lens.k2 + LENS_STEP)


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

_DICTIONARY = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
_MAT_CORNERS_MM = np.array(list(product((-200.0, 200.0), repeat=2)))


def _detector(refine_window: int) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = refine_window
    parameters.adaptiveThreshWinSizeMin = 13
    parameters.adaptiveThreshWinSizeMax = 43
    parameters.adaptiveThreshWinSizeStep = 15
    parameters.minMarkerPerimeterRate = 0.05
    return cv2.aruco.ArucoDetector(_DICTIONARY, parameters)


def _detect(grey: NDArray[np.uint8], refine_window: int) -> list[tuple[int, Array]]:
    corners, ids, _ = _detector(refine_window).detectMarkers(grey)
    if ids is None:
        return []
    found = [(int(i), np.asarray(c, np.float64).reshape(4, 2)) for i, c in zip(ids.ravel(), corners, strict=True)]
    return [(i, c) for i, c in found if i in MARKERS_MM]


def _check_light(grey: NDArray[np.uint8]) -> None:
    level = float(np.percentile(grey[::8, ::8], 99.5))
    if level < DARK_LEVEL:
        raise PictureTooDark(f"the picture's brightest part is {level:.0f} of 255; at least {DARK_LEVEL:.0f} is needed")
    darkest = float(np.percentile(grey[::8, ::8], 0.5))
    if darkest > WHITE_LEVEL:
        raise PictureTooBright(f"the picture's darkest part is {darkest:.0f} of 255; at most {WHITE_LEVEL:.0f} may be")


def _markers_anywhere(grey: NDArray[np.uint8]) -> dict[int, Array]:
    found = _detect(grey, 4)
    if len({i for i, _ in found}) < 3:
        found = max(found, _detect(_brightened(grey), 4), key=lambda seen: len({i for i, _ in seen}))
    ids = [i for i, _ in found]
    repeated = sorted({i for i in ids if ids.count(i) > 1})
    if repeated:
        raise MarkersRepeated(f"corner markers {repeated} are in the picture more than once; only one mat may show")
    return dict(found)


def _brightened(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.createCLAHE(4.0, (8, 8)).apply(cv2.GaussianBlur(grey, (0, 0), 1.0)), np.uint8)


def _markers_near(grey: NDArray[np.uint8], near: Registration) -> dict[int, Array]:
    if near.size_px != (grey.shape[1], grey.shape[0]):
        return {}
    markers: dict[int, Array] = {}
    for marker, mm in MARKERS_MM.items():
        px = near.to_picture(mm)
        margin = 0.35 * float(np.linalg.norm(px[0] - px[2]))
        low = np.maximum(np.floor(px.min(0) - margin).astype(int), 0)
        high = np.ceil(px.max(0) + margin).astype(int)
        window = grey[low[1] : high[1], low[0] : high[0]]
        if min(window.shape) < 16:
            continue
        for found, corners in _detect_in_window(window):
            if found == marker:
                markers[marker] = corners + low
    return markers


def _detect_in_window(window: NDArray[np.uint8]) -> list[tuple[int, Array]]:
    return _detect(np.ascontiguousarray(window), 4)


def _camera_matrix(size_px: tuple[int, int], lens: Lens) -> Array:
    focal, right, down = (size_px[0] * part for part in (lens.focal_widths, lens.right, lens.down))
    x, y = (size_px[0] - 1) / 2 + right, (size_px[1] - 1) / 2 + down
    return np.array([[focal, 0.0, x], [0.0, focal, y], [0.0, 0.0, 1.0]])


def _homogeneous(points: Array) -> Array:
    return np.column_stack([points, np.ones(len(points))])


def _distort(plane: Array, matrix: Array, lens: Lens) -> Array:
    focal, centre = matrix[0, 0], matrix[:2, 2]
    ray = (plane - centre) / focal
    square = (ray**2).sum(1, keepdims=True)
    return np.asarray(ray * (1.0 + square * (lens.k1 + lens.k2 * square)) * focal + centre)


def _undistort(pixels: Array, matrix: Array, lens: Lens) -> Array:
    focal, centre = matrix[0, 0], matrix[:2, 2]
    bent = (pixels - centre) / focal
    ray = bent
    for _ in range(6):
        square = (ray**2).sum(1, keepdims=True)
        ray = bent / (1.0 + square * (lens.k1 + lens.k2 * square))
    return np.asarray(ray * focal + centre)


K1_SPREAD = 0.06
"""How far k1 of lenses for such cameras spreads about 0."""
CORNER_SPREAD_PX = 0.15
"""How far a marker corner is found from where it is; one much farther off is covered, and counts less."""
EDGE_SPREAD_PX = 0.12
"""How far a cell's edge is found from where it is. Most of it is the same along a marker: no paper is quite flat."""
BLEED_SPREAD_PX = 1.0
"""How far bright paper may bleed over dark edges."""
LEAST_EDGE_POINTS = 80
"""About those of one marker."""
LAID_SPREAD = (3.0, 3.0, 0.03)
"""How far loose markers are laid from their places, mm, and turned, radians."""
MOST_OFF_MM, MOST_OFF_RAD = 20.0, 0.25
"""And at most."""
LOOSE_WIDTHS, MOVED_WIDTHS = 0.0004, 0.0008
"""Corners of markers printed on one mat miss their places by less than the first, in picture widths (root mean square):
on shared and path-traced pictures by half of it. With more than the second one of them was moved."""
LOOSE_GAIN = 0.7
"""Markers lie loose where that explains their edges by so much better (see `_cost`): of printed mats by up to 0.54, of
corners laid with errors of 1.5 mm and one degree by 0.8 and more."""
CAUCHY = 9.0
"""Squared misses beyond this count less and less."""
ROUNDS, LOOSE_ROUNDS = 10, 25
SMALL_STEP = 0.01
"""In how far all the corners or edges together leave a value open."""


def _fit(mm: Array, px: Array, matrix: Array, lens: Lens, *, lens_too: bool) -> tuple[Array, float, Lens]:
    """Homography, shrinkage and lens by all corners at once.

    With fewer than four markers, or where `lens_too` does not say so, the lens stays as it is.
    """
    homography, shrink = _fit_homography(mm, px, matrix, lens)

    def misses(homography: Array, shrink: float, used: Lens, _: Array) -> Array:
        return _residuals(homography, shrink, mm, px, matrix, used) / CORNER_SPREAD_PX

    start = (homography, shrink, lens)
    return _least_squares(misses, start, spread=0.02, lens_too=lens_too and len(mm) >= 16)[:3]


def _by_edges(grey: NDArray[np.uint8], found: Registration, lens: Lens | None) -> Registration:
    """A registration by corners, made exact by the markers' edges where these are large enough: first by those of the
    markers that were decoded, as the others' places may be far off by then."""
    places = found.laid_mm or MARKERS_MM
    here = {i: places[i] for i in found.markers_px}
    for markers in (here, places):
        edges = measured(grey, found.to_picture, markers, found.markers_px, _DICTIONARY)
        if edges is None or len(edges.mm) < LEAST_EDGE_POINTS:
            return found
        found = _laid_by(edges, found, lens)
    return found


def _laid_by(edges: EdgePoints, near: Registration, lens: Lens | None) -> Registration:
    """The registration that fits edges, near another one. Without a lens its k1 is fitted."""
    matrix = _camera_matrix(near.size_px, lens or near.lens)

    def misses(homography: Array, bleed_px: float, used: Lens, _: Array) -> Array:
        return _edge_misses(edges, edges.mm, homography, bleed_px, matrix, used)

    start = (near.table_to_plane, 0.0, lens or near.lens)
    homography, _, used, _ = _least_squares(misses, start, spread=BLEED_SPREAD_PX, lens_too=lens is None)
    place = _camera_place(homography, matrix)
    return replace(near, table_to_plane=homography, camera_matrix=matrix, lens=used, camera_mm=place, edges=edges)


def _edge_misses(
    edges: EdgePoints, mm: Array, homography: Array, bleed_px: float, matrix: Array, lens: Lens
) -> Array:
    """How far edges that lie at `mm` are seen from there, across each (n x 1), in their own spread."""
    plane = _homogeneous(mm) @ homography.T
    off = _distort(plane[:, :2] / plane[:, 2:], matrix, lens) - edges.px
    return np.asarray(((off * edges.normals).sum(1, keepdims=True) + bleed_px) / EDGE_SPREAD_PX)


def _least_squares(
    misses: Callable[[Array, float, Lens, Array], Array],
    start: tuple[Array, float, Lens],
    *,
    spread: float,
    lens_too: bool,
    loose: int = 0,
) -> tuple[Array, float, Lens, Array]:
    """Homography, shrinkage (how far it spreads is given), k1, if asked for, and how so many `loose` markers were laid
    beside their places (markers x 3: mm, mm, radians) that make misses (n x m, in their own spread) small: Gauss-Newton
    with Cauchy weights on the n."""
    homography, shrink, known = start
    free = np.array([*range(9), *([9] if lens_too else []), *range(10, 10 + 3 * loose)])
    values = np.append((homography / homography[2, 2]).ravel()[:8], [shrink, known.k1, *np.zeros(3 * loose)])
    spreads = np.append(np.full(8, np.inf), [spread, K1_SPREAD, *LAID_SPREAD * loose])[free]
    middle = np.zeros(len(free))
    steps = np.append(np.abs(values[:8]) * 1e-4 + 1e-7, [spread / 200.0, 1e-3, *(0.01, 0.01, 1e-4) * loose])[free]

    def at(values: Array) -> Array:
        used = replace(known, k1=float(values[9]))
        return misses(np.append(values[:8], 1.0).reshape(3, 3), float(values[8]), used, values[10:].reshape(-1, 3))

    for _ in range(ROUNDS if not loose else LOOSE_ROUNDS):
        now = at(values)
        nudges = np.eye(len(values))[free] * steps[:, None]
        columns = np.column_stack([(at(values + nudge) - now).ravel() / nudge.max() for nudge in nudges])
        weights = 1.0 / (1.0 + (now**2).sum(1).repeat(now.shape[1]) / CAUCHY)
        scale = np.maximum(np.sqrt((columns**2 * weights[:, None]).sum(0)), 1e-9)
        even = columns / scale
        normal = even.T @ (even * weights[:, None]) + np.diag(1.0 / (spreads * scale) ** 2 + 1e-9)
        right = even.T @ (now.ravel() * weights) + (values[free] - middle) / (spreads**2 * scale)
        step = np.linalg.solve(normal, right)
        values[free] -= step / scale
        if np.abs(step).max() < SMALL_STEP:
            break
    k1 = float(np.clip(values[9], *MOST_BENT)) if lens_too else known.k1
    fitted = np.append(values[:8], 1.0).reshape(3, 3), float(values[8]), replace(known, k1=k1)
    return *fitted, values[10:].reshape(-1, 3)


def _shrunk(mm: Array, shrink: float) -> Array:
    """Bright paper bleeds over a marker's black edge, so its corners are found a little inside."""
    centres = mm.reshape(-1, 4, 2).mean(1).repeat(4, axis=0)
    return np.asarray(centres + (mm - centres) * (1.0 - shrink))


def _fit_homography(mm: Array, px: Array, matrix: Array, lens: Lens) -> tuple[Array, float]:
    plane = _undistort(px, matrix, lens)
    shrink = 0.0
    homography = np.eye(3)
    for _ in range(3):
        fitted = cv2.findHomography(_shrunk(mm, shrink), plane, 0)[0]
        if fitted is None:
            raise MarkersMisplaced("the marker corners found do not span a plane")
        homography = np.asarray(fitted, np.float64)
        shrink = _fit_shrink(homography, mm, plane)
    return homography, shrink


def _fit_shrink(homography: Array, mm: Array, plane: Array) -> float:
    table = _homogeneous(plane) @ np.linalg.inv(homography).T
    seen = (table[:, :2] / table[:, 2:]).reshape(-1, 4, 2)
    spokes = mm.reshape(-1, 4, 2) - mm.reshape(-1, 4, 2).mean(1, keepdims=True)
    found = seen - seen.mean(1, keepdims=True)
    return float(np.clip(1.0 - (spokes * found).sum() / (spokes**2).sum(), -0.05, 0.05))


def _residuals(homography: Array, shrink: float, mm: Array, px: Array, matrix: Array, lens: Lens) -> Array:
    plane = _homogeneous(_shrunk(mm, shrink)) @ homography.T
    return np.asarray(_distort(plane[:, :2] / plane[:, 2:], matrix, lens) - px)


def _camera_place(homography: Array, matrix: Array) -> tuple[float, float, float]:
    columns = np.linalg.inv(matrix) @ homography
    scale = (np.linalg.norm(columns[:, 0]) + np.linalg.norm(columns[:, 1])) / 2
    columns = columns / scale * np.sign(columns[2, 2])
    first, second = columns[:, 0], columns[:, 1]
    left, _, right = np.linalg.svd(np.column_stack([first, second, np.cross(first, second)]))
    rotation = left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right
    x, y, z = -rotation.T @ columns[:, 2]
    return float(x), float(y), abs(float(z))


def lens_from(labels: Mapping[str, Any], size_px: Sequence[int]) -> Lens:
    """The lens written in a label file's `camera` (OpenCV's K and dist)."""
    matrix, distortion = labels["camera"]["K"], labels["camera"]["dist"]
    return Lens(float(matrix[0][0]) / size_px[0], float(distortion[0]), float(distortion[1]))
