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
from vision.mat.errors import MIRRORED, LensMisfit, MarkersMisplaced, MarkersMissing
from vision.mat.focal import focal_by_mat
from vision.mat.laying import (
    BLEED_SPREAD_PX,
    LEAST_LOOSE,
    LOOSE_GAIN,
    as_laid,
    as_printed,
    camera_place,
    cost_of,
    edge_misses,
    laid_by_corners,
    laid_by_hand,
    least_squares,
    places_of,
)
from vision.mat.lens import (
    ANY_CAMERA,
    BENT,
    LENS_SPREAD,
    LENS_STEP,
    PLAINLY,
    WIDE_FOCALS,
    WIDE_K1,
    AssumedFocal,
    Lens,
    bent_lenses,
    camera_matrix,
    homogeneous,
    typical_lens,
    undistort,
)
from vision.mat.marker_edges import EdgePoints, measured
from vision.mat.markers import DICTIONARY, MARKERS_MM, check_light, markers_anywhere, markers_near
from vision.mat.sharpness import marker_blur_px

Array = NDArray[np.float64]
OTHER_CAMERA = "it may be another camera's, or zoom or focus were changed; calibrate again"
DOUBTED_ERROR = 1.6
"""Markers that miss their places so many times as far with a lens as without it,"""
DOUBTED_WIDTHS = 0.00006
"""and by so much more (in picture widths), speak against it; with a camera's own they miss at most 1.2 times as far."""
FOCAL_DOUBTED = 9.0
"""What is assumed of a camera is not so where so much more (three spreads, squared) speaks against it than against any
camera's focal length."""
_MAT_CORNERS_MM = np.array(list(product((-200.0, 200.0), repeat=2)))
LEAST_EDGE_POINTS = 80
"""About those of one marker."""
POINTS_SPREAD_MM = 0.25
"""How far points that tell a lens are seen from where they are known to lie."""
BLURRED = "The picture is blurred, which may be why: focus the camera, and let it hang still"
SHARP_CELLS = 0.22
"""Markers blurred by more than this share of a cell say nothing of whether they are loose ones."""
BENT_WIDTHS, BENT_RATHER = 0.0002, 0.3
"""Three markers that miss their places by more than the first, in picture widths, tell a lens that bends much if with
it they miss by less than the second share of that: 0.02 to 0.12 of it through simulated ones, loose ones by 0.76."""
LOOSE_WIDTHS, MOVED_WIDTHS = 0.0004, 0.0008
"""Corners of markers printed on one mat miss their places by less than the first, in picture widths (root mean square):
on shared and path-traced pictures by half of it. With more than the second one of them was moved."""


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
    told_by: frozenset[int] = frozenset()
    """The markers by which it was told whether they are loose ones, in this picture or an earlier one."""

    @property
    def markers_mm(self) -> dict[int, Array]:
        """Where the corners of the markers that are seen lie, 4 x 2."""
        places = {**MARKERS_MM, **(self.laid_mm or {})}
        return {marker: places[marker] for marker in self.markers_px}

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
        plane = undistort(points, self.camera_matrix, self.lens)
        table = homogeneous(plane) @ np.linalg.inv(self.table_to_plane).T
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


def find_mat(
    image: Image,
    *,
    lens: Lens | None = None,
    near: Registration | None = None,
    assumed: AssumedFocal = ANY_CAMERA,
) -> Registration:
    """Lay a picture over the table by the mat's corner markers (DICT_4X4_50, ids 0 to 3).

    With `near`, markers are looked for only where that registration has them, and the whole picture is searched only
    if fewer than three are there. Without a `lens`, distortion is estimated from the corners, and the focal length from
    how the mat is seen and from what is `assumed`.

    Raises:
        PictureTooDark, PictureTooBright, MarkersMissing, MarkersRepeated, MarkersMisplaced: why it is not possible.
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    return find_mat_in_grey(grey, lens=lens, near=near, assumed=assumed)


def find_mat_in_grey(
    grey: NDArray[np.uint8],
    *,
    lens: Lens | None = None,
    near: Registration | None = None,
    assumed: AssumedFocal = ANY_CAMERA,
) -> Registration:
    """`find_mat` for a picture that is already grey."""
    laid = near.laid_mm if near is not None else None
    markers = {} if near is None else _markers_near(grey, near)
    if len(markers) < 3:
        check_light(grey)
        markers = markers_anywhere(grey)
        if near is None and len(markers) < 2 and len(markers_anywhere(np.ascontiguousarray(grey[:, ::-1]))) > 1:
            raise MarkersMissing(MIRRORED)
    if lens is None and near is not None and len(markers) < 4:
        lens = near.lens
    size_px = (grey.shape[1], grey.shape[0])
    start = near.lens if near is not None else None
    if near is not None and markers and markers.keys() <= near.told_by:
        with contextlib.suppress(MarkersMisplaced):
            found = register(markers, size_px, lens=lens, start=start, markers_mm=laid)
            if found.error_px < MOVED_WIDTHS * size_px[0] or len(markers) < len(MARKERS_MM):
                return _by_edges(grey, replace(found, laid_mm=laid, told_by=near.told_by), lens)
    sharp = _are_sharp(grey, markers)
    fitted = lens is None and near is None and len(markers) >= LEAST_LOOSE

    def laid_with(assumed: AssumedFocal) -> Registration:
        found = _by_edges(grey, _registered(markers, size_px, lens, start, assumed, sharp=sharp), lens)
        found = _laid_loosely(grey, found, lens) if sharp or found.laid_mm else found
        if len(markers) < LEAST_LOOSE:
            return found
        if fitted and sharp:
            found = _with_focal_length(found, assumed)
        return replace(found, told_by=frozenset(markers))

    if assumed == ANY_CAMERA or not fitted:
        return laid_with(assumed)
    if not _bent_otherwise(markers, size_px, assumed):
        with contextlib.suppress(_FocalDoubted):
            return laid_with(assumed)
    return laid_with(ANY_CAMERA)


def _are_sharp(grey: NDArray[np.uint8], markers: Mapping[int, Array]) -> bool:
    """Whether markers are seen well enough to tell that each lies beside its place: out of focus all seem to."""
    if not markers:
        return False
    cell_px = (
        float(np.median([np.linalg.norm(np.roll(c, -1, axis=0) - c, axis=1).mean() for c in markers.values()])) / 6
    )
    return marker_blur_px(grey, list(markers.values())) < SHARP_CELLS * cell_px


def _bent_otherwise(markers_px: Mapping[int, Array], size_px: tuple[int, int], assumed: AssumedFocal) -> bool:
    """Whether markers miss their places plainly more with the focal length that is assumed than with any camera's."""
    without = _error_without_lens(markers_px, size_px, None)
    try:
        with_it = register(markers_px, size_px, assumed=assumed)
    except MarkersMisplaced:
        return without < math.inf
    # A wide lens was taken in its stead where that fits plainly better.
    taken = math.log(_in_longer_sides(with_it) / assumed.longer_sides)
    return abs(taken) > 3.0 * assumed.spread or _misses_more(with_it.error_px, without, size_px)


def _in_longer_sides(found: Registration) -> float:
    return found.lens.focal_widths * found.size_px[0] / max(found.size_px)


def _misses_more(with_it: float, without: float, size_px: tuple[int, int]) -> bool:
    """Whether markers miss by more with a lens than is its own camera's."""
    return with_it >= max(DOUBTED_ERROR * without, without + DOUBTED_WIDTHS * size_px[0])


class _FocalDoubted(Exception):
    """What was assumed of a focal length is not so."""


def _with_focal_length(found: Registration, assumed: AssumedFocal) -> Registration:
    """The same, with the focal length that the mat shows, which was but assumed. Raises _FocalDoubted."""
    if found.edges is None:
        return found

    def near(some: AssumedFocal) -> tuple[Lens, float]:
        assert found.edges is not None
        loose = found.laid_mm is not None
        return focal_by_mat(found.edges, found.table_to_plane, found.lens, found.size_px, some, loose=loose)

    if assumed == ANY_CAMERA:
        # Not the typical one where the picture is plainly bent by a wide lens.
        lens, _ = near(AssumedFocal(_in_longer_sides(found)))
    else:
        lens, against = near(assumed)
        if against - near(ANY_CAMERA)[1] > FOCAL_DOUBTED:
            raise _FocalDoubted
    return _laid_by(found.edges, replace(found, lens=lens), None)


def _markers_near(grey: NDArray[np.uint8], near: Registration) -> dict[int, Array]:
    if near.size_px != (grey.shape[1], grey.shape[0]):
        return {}
    return markers_near(grey, near.to_picture, {**MARKERS_MM, **(near.laid_mm or {})})


def register(
    markers_px: Mapping[int, Array],
    size_px: tuple[int, int],
    *,
    lens: Lens | None = None,
    start: Lens | None = None,
    assumed: AssumedFocal = ANY_CAMERA,
    markers_mm: Mapping[int, Array] | None = None,
) -> Registration:
    """The registration that fits marker corners (id -> 4 x 2, each marker's own top left first, clockwise) of one mat.

    Without a `lens` its distortion is fitted, from that of `start`, another picture of this camera, where there is one,
    else with the focal length that is `assumed`.
    `markers_mm` says where the corners of markers lie that are not printed on a mat: loose ones, or a sheet's own; the
    frame is then theirs.

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
    first = lens or start or typical_lens(size_px, assumed.longer_sides)
    fitted, unknown = lens is None and len(ids) > LEAST_LOOSE, lens is None and start is None
    homography, matrix, used, error = laid_by_corners(mm, px, size_px, first, lens_too=fitted)
    allowed = max(2.0, 0.0025 * size_px[0])
    wide = [typical_lens(size_px, focal) for focal in WIDE_FOCALS]
    others, least = (wide, PLAINLY * error) if unknown and used.k1 < WIDE_K1 else ([], 0.0)
    if unknown and len(ids) == LEAST_LOOSE and error > BENT_WIDTHS * size_px[0]:
        others, least = [first, *wide], BENT_RATHER * error
    for other in others:
        by_lens = laid_by_corners(mm, px, size_px, other, lens_too=True)
        if by_lens[3] < least:
            homography, matrix, used, error = by_lens
            least = PLAINLY * error
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
        camera_mm=camera_place(homography, matrix),
        markers_px={i: np.asarray(markers_px[i], np.float64).reshape(4, 2) for i in ids},
        error_px=error,
        size_px=size_px,
    )


def _registered(
    markers_px: Mapping[int, Array],
    size_px: tuple[int, int],
    lens: Lens | None,
    start: Lens | None,
    assumed: AssumedFocal,
    *,
    sharp: bool,
) -> Registration:
    """`register`, but that the markers may be loose ones, each laid a little beside its place. Those that are not seen
    `sharp` are only where they would fit no mat."""
    try:
        found = register(markers_px, size_px, lens=lens, start=start, assumed=assumed)
    except MarkersMisplaced as error:
        laid = None if isinstance(error, LensMisfit) else laid_by_hand(markers_px, size_px, lens)
        if laid is None:
            if sharp or isinstance(error, LensMisfit):
                raise
            raise MarkersMisplaced(f"{error}. {BLURRED}") from error
    else:
        least = found.error_px if lens is None else _error_without_lens(markers_px, size_px, None)
        if not sharp or least < LOOSE_WIDTHS * size_px[0] or (laid := laid_by_hand(markers_px, size_px, lens)) is None:
            return found
    again = register(markers_px, size_px, lens=lens, start=start, assumed=assumed, markers_mm=laid)
    return replace(again, laid_mm=laid)


def _laid_loosely(grey: NDArray[np.uint8], found: Registration, lens: Lens | None) -> Registration:
    """A registration by edges in which each marker may lie a little beside its place, if they plainly do."""
    if found.edges is None or len(found.markers_px) < LEAST_LOOSE:
        return found
    on_one_mat = found if found.laid_mm is None else _by_edges(grey, _as_on_one_mat(found), lens)
    ids, before = sorted(found.markers_px), {**MARKERS_MM, **(found.laid_mm or {})}
    edges, which = _of_decoded(found.edges, ids, before)
    printed = as_printed(edges.mm, which, [before[i] for i in ids], ids)
    matrix, k2 = camera_matrix(found.size_px, found.lens), np.asarray(found.lens.k2)
    # Looked for where loose markers seem to lie, edges of one mat are seen a little beside their places.
    own = None if on_one_mat.edges is None else _of_decoded(on_one_mat.edges, ids, MARKERS_MM)[0]
    of_one_mat = EdgePoints(printed, edges.px, edges.normals) if own is None or len(own.mm) < len(edges.mm) else own

    def misses(homography: Array, bleed_px: Array, k1: Array, laid: Array) -> Array:
        return edge_misses(edges, as_laid(printed, which, laid, ids), homography, bleed_px, matrix, k1, k2)

    def misses_of_one_mat(homography: Array, bleed_px: Array, k1: Array, _: Array) -> Array:
        return edge_misses(of_one_mat, of_one_mat.mm, homography, bleed_px, matrix, k1, k2)

    def cost(misses: Callable[[Array, Array, Array, Array], Array], fit: tuple[Array, float, Lens, Array]) -> float:
        homography, bleed_px, used, laid = fit
        return cost_of(misses(homography, np.asarray(bleed_px), np.asarray(used.k1), laid))

    # Whatever lens is given: what another one explains, loose markers do not.
    start = (on_one_mat.table_to_plane, 0.0, found.lens)
    tight = least_squares(misses_of_one_mat, start, spread=BLEED_SPREAD_PX, lens_too=True)
    tightly = cost(misses_of_one_mat, tight)
    if tightly <= LOOSE_GAIN:
        return on_one_mat
    start = (found.table_to_plane, 0.0, found.lens)
    loose = least_squares(misses, start, spread=BLEED_SPREAD_PX, lens_too=lens is None, loose=len(ids))
    places = places_of(ids, loose[3])
    if places is None or tightly - cost(misses, loose) <= LOOSE_GAIN:
        return on_one_mat
    return _by_edges(grey, replace(found, laid_mm=places), lens)


def _as_on_one_mat(found: Registration) -> Registration:
    """The same by the corners of all markers where they are printed: where these seemed to lie loose, the table was
    turned with them, perhaps too far to be turned back by edges."""
    mm = np.concatenate([MARKERS_MM[i] for i in found.markers_px])
    px = np.concatenate(list(found.markers_px.values()))
    homography = laid_by_corners(mm, px, found.size_px, found.lens, lens_too=False)[0]
    return replace(found, table_to_plane=homography, laid_mm=None, edges=None)


def _of_decoded(
    edges: EdgePoints, ids: Sequence[int], places: Mapping[int, Array]
) -> tuple[EdgePoints, NDArray[np.intp]]:
    """The edges of markers that were decoded (their `ids`), and which of these each is of."""
    marker = _nearest(edges.mm, places)
    decoded = np.isin(marker, ids)
    return edges.only(decoded), np.asarray(np.searchsorted(ids, marker[decoded]), np.intp)


def _nearest(points_mm: Array, places: Mapping[int, Array]) -> NDArray[np.intp]:
    """Which of the markers (id -> 4 x 2) each point lies on, or next to."""
    ids = sorted(places)
    away = np.linalg.norm(points_mm[:, None] - [places[i].mean(0) for i in ids], axis=2)
    return np.asarray(np.array(ids)[away.argmin(1)], np.intp)


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
    try:
        with_it = register(found.markers_px, found.size_px, lens=lens).error_px
    except LensMisfit as error:
        return str(error)
    except MarkersMisplaced:
        return ""  # These are loose corners: they fit no mat, whatever the lens.
    without = _error_without_lens(found.markers_px, found.size_px, None)
    if not _misses_more(with_it, without, found.size_px):
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
    again = register(registration.markers_px, registration.size_px, lens=lens, markers_mm=registration.laid_mm)
    return replace(again, laid_mm=registration.laid_mm, told_by=registration.told_by)


def lens_by_points(registration: Registration, expected_mm: Array, seen_px: Array) -> Lens:
    """The lens that best brings pixels (n x 2) to where they are known to lie on the table (n x 2)."""
    normal, right = np.diag(1.0 / np.square(LENS_SPREAD)), np.zeros(2)
    here = registration.to_table(seen_px)
    moves = [
        (with_lens(registration, lens).to_table(seen_px) - here).ravel() / LENS_STEP
        for lens in bent_lenses(registration.lens)
    ]
    off = (expected_mm - here).ravel()
    weight = 1.0 / (POINTS_SPREAD_MM**2 * (1.0 + (off / 6.0) ** 2))
    columns = np.column_stack(moves)
    normal += columns.T @ (columns * weight[:, None])
    right += columns.T @ (off * weight)
    step = np.clip(np.linalg.solve(normal, right), -0.06, 0.06)
    lens = registration.lens
    return replace(lens, k1=float(lens.k1 + step[0]), k2=float(lens.k2 + step[1]))


def _by_edges(grey: NDArray[np.uint8], found: Registration, lens: Lens | None) -> Registration:
    """A registration by corners, made exact by the markers' edges where these are large enough: first by those of the
    markers that were decoded, as the others' places may be far off by then."""
    places = found.laid_mm or MARKERS_MM
    here = {i: places[i] for i in found.markers_px}
    for markers in (here, places):
        edges = measured(grey, found.to_picture, markers, found.markers_px, DICTIONARY)
        if edges is None or len(edges.mm) < LEAST_EDGE_POINTS:
            return found
        found = _laid_by(edges, found, lens)
    return found


def _laid_by(edges: EdgePoints, near: Registration, lens: Lens | None) -> Registration:
    """The registration that fits edges, near another one. Without a lens its k1 is fitted."""
    matrix, k2 = camera_matrix(near.size_px, lens or near.lens), np.asarray((lens or near.lens).k2)

    def misses(homography: Array, bleed_px: Array, k1: Array, _: Array) -> Array:
        return edge_misses(edges, edges.mm, homography, bleed_px, matrix, k1, k2)

    start = (near.table_to_plane, 0.0, lens or near.lens)
    homography, _, used, _ = least_squares(misses, start, spread=BLEED_SPREAD_PX, lens_too=lens is None)
    place = camera_place(homography, matrix)
    return replace(near, table_to_plane=homography, camera_matrix=matrix, lens=used, camera_mm=place, edges=edges)
