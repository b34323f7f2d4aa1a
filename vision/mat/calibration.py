"""The lens of a camera, from photos of a sheet whose geometry is known.

The model is that of `vision.mat.lens.Lens`: one focal length, two radial terms, and where the axis goes.
Terms that the photos leave open stay at what they are for most cameras.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.mat.calibration_sheet import View
from vision.mat.errors import AllFromOneAngle, NoCommonLens, SizesDiffer, TooFewViews
from vision.mat.lens import TYPICAL_FOCAL, Lens
from vision.mat.same_views import each_once

Array = NDArray[np.float64]

LEAST_VIEWS = 5
LEAST_ANGLE_DEG = 15.0
"""Between the two views that differ most: the focal length shows only where the sheet leans."""
FOCAL_SPREAD = 0.02
"""How far the focal length may stay open (one deviation, as a share of it)."""
ERROR_WIDTHS = 0.0005
"""Reprojection error, in picture widths, beyond which the photos do not fit one lens."""
K2_WIDTHS = 0.003
"""How far k2 may leave the picture's corners open (one deviation, in picture widths); else it is left at 0."""
CENTRE_WIDTHS = 0.004
"""How far the axis may stay open (one deviation, in picture widths); else it is taken to go through the middle,"""
BESIDE = 4.0
"""unless it goes so many deviations beside it."""
USUAL_CENTRE_WIDTHS = 0.015
"""So far from the picture's middle axes of cameras go (one deviation)."""
CORNERS_ALIKE = 1.6
"""The fit's deviations are for corners that miss their places independently; those of one photo do not quite."""
OTHER_FOCAL = 0.02
"""Photos whose focal lengths differ by more are of two cameras, or zoomed; by less, focus does that."""
SPLIT = 16.0
"""So much better (chi square) two focal lengths explain photos of two cameras; for those of one it is below 1."""
VIEW_FOCAL_SPREAD = 0.004
"""What one photo says of the focal length is no surer than this, as a share of it."""
FEW = 0.25
"""If no more than this share of the photos differ from the others they are left out; else nobody knows which count."""
OUTLIER = 3.0
"""A view whose error is so many times the usual one is left out."""


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
    centre_shown: bool
    """Whether the photos tell where the axis goes; else it is taken to go through the picture's middle."""
    focal_spread: float
    """One deviation of the focal length, as a share of it."""
    points_px: Array
    """n x 2: all corners used."""
    misses_px: Array
    """n x 2: from where the lens has them to where they were found."""


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    focal: float
    focal_deviation: float
    k1: float
    k2: float
    k2_shown: bool
    centre_px: Array
    """2: from the picture's middle."""
    centre_deviation: float
    """In pixels."""
    centre_shown: bool
    shrink: float
    """How much smaller markers seem, as a share of their size."""
    normals: Array
    """n x 3: of the sheet in each view."""
    misses: tuple[Array, ...]
    """n x 2 of each view."""


def calibrate(views: Sequence[View]) -> Calibration:
    """The lens that explains all views.

    Raises:
        TooFewViews, SizesDiffer, AllFromOneAngle, NoCommonLens: it cannot be had, and why.
    """
    used, left_out = _of_one_size(views)
    used, again = each_once(used)
    left_out += again
    _check_views(used, [name for name, _ in again])
    fit = _fit(used)
    # What is wrong by itself first, such as a sheet that is bent.
    used, fit = _without_outliers(used, fit, _focal_of_each(used, fit)[2], left_out)
    few = int(FEW * len(used))
    while others := _of_another_camera(used, fit, few):
        few -= len(others)
        left_out += others
        used = [view for view in used if view.name not in dict(others)]
        fit = _fit(used)
    used, fit = _without_outliers(used, fit, _errors(fit), left_out)
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
    spread = max(fit.focal_deviation / fit.focal, _spread_of_photos(used, fit))
    if spread > FOCAL_SPREAD:
        raise AllFromOneAngle(
            f"the focal length stays open by {spread:.1%}; expected {FOCAL_SPREAD:.0%} or "
            "less: let the sheet lean more, to different sides"
        )
    leans = np.degrees(np.arccos(np.clip(np.abs(fit.normals[:, 2]), 0.0, 1.0)))
    return Calibration(
        lens=Lens(fit.focal / width, fit.k1, fit.k2, *(float(part) / width for part in fit.centre_px)),
        size_px=(width, height),
        error_px=error,
        views=tuple(
            ViewFit(view.name, view_error, float(lean))
            for view, view_error, lean in zip(used, errors, leans, strict=True)
        ),
        left_out=tuple(left_out),
        covered=covered_share(used),
        k2_shown=fit.k2_shown,
        centre_shown=fit.centre_shown,
        focal_spread=spread,
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


def _without_outliers(
    views: list[View], fit: _Fit, errors: Sequence[float], left_out: list[tuple[str, str]]
) -> tuple[list[View], _Fit]:
    """Without those whose errors (pixels) are far beyond the usual one, where enough are left; they are added to
    `left_out`."""
    usual = float(np.median(errors))
    worst = OUTLIER * max(usual, 0.15)
    if max(errors) <= worst or sum(error <= worst for error in errors) < LEAST_VIEWS:
        return views, fit
    pairs = list(zip(views, errors, strict=True))
    left_out += [(v.name, f"misses by {e:.2f} px where {usual:.2f} px is usual") for v, e in pairs if e > worst]
    used = [view for view, error in pairs if error <= worst]
    return used, _fit(used)


def _of_one_size(views: Sequence[View]) -> tuple[list[View], list[tuple[str, str]]]:
    """The photos of the size that most have; the others, with why they are left out.

    Raises:
        SizesDiffer: too few have one size, or as many have another.
    """
    sizes = Counter(view.size_px for view in views).most_common()
    if len(sizes) <= 1:
        return list(views), []
    (most, count), (_, second) = sizes[:2]
    if count < LEAST_VIEWS or count == second:
        groups = [f"{w}x{h} ({_some([v.name for v in views if v.size_px == (w, h)])})" for (w, h), _ in sizes]
        raise SizesDiffer(f"the photos are of {', '.join(groups)} pixels; expected one camera and one size")
    usual = f"most are {most[0]}x{most[1]}"
    others = [(v.name, f"it is {v.size_px[0]}x{v.size_px[1]} pixels where {usual}") for v in views if v.size_px != most]
    return [view for view in views if view.size_px == most], others


def _some(names: Sequence[str]) -> str:
    listed = ", ".join(names[:4])
    return listed if len(names) <= 4 else f"{listed} and {len(names) - 4} more"


def _of_another_camera(views: Sequence[View], fit: _Fit, most: int) -> list[tuple[str, str]]:
    """Photos, so many at most, that show another focal length than the others, with how different.

    Raises:
        NoCommonLens: they may be more.
    """
    focal, spread, _ = _focal_of_each(views, fit)
    order = np.argsort(focal)
    splits = [(order[:k], order[k:]) for k in range(1, len(order))]
    low, high = min(splits, key=lambda parts: sum(_unlike(focal[part], spread[part]) for part in parts))
    gain = _unlike(focal, spread) - _unlike(focal[low], spread[low]) - _unlike(focal[high], spread[high])
    means = [float(np.average(focal[part], weights=spread[part] ** -2)) for part in (low, high)]
    if gain < SPLIT or means[1] - means[0] < OTHER_FOCAL:
        return []
    # Where the sheet hardly leans a photo says little of the focal length, and is of either.
    surely = np.abs(focal - np.mean(means)) > 2.0 * spread
    few, many = sorted((low, high), key=len)
    if len(few) > most or len(views) - len(few) < LEAST_VIEWS or not surely[few].any():
        told = [
            f"{_some([views[i].name for i in sorted(part[surely[part]] if surely[part].any() else part)])} of "
            f"{math.exp(mean):.0f} px"
            for part, mean in zip((low, high), means, strict=True)
        ]
        raise NoCommonLens(
            f"the photos show two focal lengths: {'; '.join(told)}; expected one camera, without zooming between them, "
            "and a print whose squares are as high as wide"
        )
    usual = float(np.average(focal[many], weights=spread[many] ** -2))
    return [
        (views[i].name, f"its focal length is {math.expm1(focal[i] - usual):+.0%} beside the others'")
        for i in few[surely[few]]
    ]


def _spread_of_photos(views: Sequence[View], fit: _Fit) -> float:
    """How far the photos' focal lengths lie apart (one deviation, as a share), where that is farther than each by
    itself says; else 0. The camera is as it was in one of them, and not as in their mean."""
    focal, spread, _ = _focal_of_each(views, fit)
    apart = _unlike(focal, spread)
    return math.sqrt(apart / float((spread**-2).sum())) if apart > len(views) - 1 else 0.0


def _focal_of_each(views: Sequence[View], fit: _Fit) -> tuple[Array, Array, list[float]]:
    """What each photo by itself says of the focal length, and how surely (logarithms); and how far it misses then, in
    pixels."""
    size = views[0].size_px
    matrix = _matrix(fit.focal, size)
    matrix[:2, 2] += fit.centre_px
    bent = np.array([fit.k1, fit.k2, 0.0, 0.0, 0.0])
    flags = _FLAGS | cv2.CALIB_FIX_PRINCIPAL_POINT | cv2.CALIB_FIX_K1 | cv2.CALIB_FIX_K2
    focal, spread, errors = [], [], []
    for view in views:
        points = np.column_stack([_shrunk(view, fit.shrink), np.zeros(len(view.points_mm))]).astype(np.float32)
        error, fitted, _, _, _, deviations, _, _ = cv2.calibrateCameraExtended(
            [points], [view.points_px.astype(np.float32)], size, matrix.copy(), bent.copy(), flags=flags
        )
        found = float(fitted[0, 0])
        deviation = CORNERS_ALIKE * float(np.asarray(deviations).ravel()[:2].max()) / abs(found)
        known = np.isfinite(found) and found > 0.0 and np.isfinite(deviation)
        focal.append(math.log(found) if known else math.log(fit.focal))
        spread.append(math.hypot(deviation, VIEW_FOCAL_SPREAD) if known else 10.0)
        errors.append(float(error))
    return np.array(focal), np.array(spread), errors


def _unlike(values: Array, spread: Array) -> float:
    """How much values differ (chi square)."""
    mean = np.average(values, weights=spread**-2)
    return float((((values - mean) / spread) ** 2).sum())


def _check_views(views: Sequence[View], again: Sequence[str]) -> None:
    if len(views) < LEAST_VIEWS:
        besides = f", besides {_some(again)} that show the same as others" if again else ""
        serve = "1 photo serves" if len(views) == 1 else f"{len(views)} photos serve"
        raise TooFewViews(f"{serve}{besides}; at least {LEAST_VIEWS} are needed, ten or more are better")
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
    matrix = _matrix(TYPICAL_FOCAL * max(view.size_px), view.size_px)
    points = np.column_stack([view.points_mm, np.zeros(len(view.points_mm))])
    _, turn, _ = cv2.solvePnP(points, view.points_px, matrix, np.zeros(4), flags=cv2.SOLVEPNP_IPPE)
    return np.asarray(cv2.Rodrigues(turn)[0][:, 2], np.float64)


def _matrix(focal: float, size_px: tuple[int, int]) -> Array:
    return np.array([[focal, 0.0, (size_px[0] - 1) / 2], [0.0, focal, (size_px[1] - 1) / 2], [0.0, 0.0, 1.0]])


_FLAGS = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_K3


def _fit(views: Sequence[View]) -> _Fit:
    """Lens and poses at once; where the points are corners of markers, also how much smaller these seem.

    Two terms fitted to a picture's middle run away towards its corners; where they would, there is only one. Likewise
    the axis: where it stays open, it goes through the middle, and that leaves the focal length the more open.
    """
    free = _fit_bent(views, with_centre=True)
    if free.centre_shown:
        return free
    fit = _fit_bent(views, with_centre=False)
    more = max(free.focal_deviation**2 - fit.focal_deviation**2, 0.0)
    share = min(1.0, (USUAL_CENTRE_WIDTHS * views[0].size_px[0] / free.centre_deviation) ** 2)
    return replace(fit, focal_deviation=math.sqrt(fit.focal_deviation**2 + more * share))


def _fit_bent(views: Sequence[View], *, with_centre: bool) -> _Fit:
    fit = _fit_markers(views, with_k2=True, with_centre=with_centre)
    return fit if fit.k2_shown else _fit_markers(views, with_k2=False, with_centre=with_centre)


def _fit_markers(views: Sequence[View], *, with_k2: bool, with_centre: bool) -> _Fit:
    shrink, fit = 0.0, None
    # Again from what was found: from a usual lens, how a sheet leans may be found the wrong way round.
    for _ in range(3 if views[0].markers else 2):
        fit = _fit_shrunk(views, shrink, fit, with_k2=with_k2, with_centre=with_centre)
        shrink += _more_shrink(views, fit) if views[0].markers else 0.0
    assert fit is not None
    return fit


def _fit_shrunk(views: Sequence[View], shrink: float, near: _Fit | None, *, with_k2: bool, with_centre: bool) -> _Fit:
    size = views[0].size_px
    flags = _FLAGS | (0 if with_k2 else cv2.CALIB_FIX_K2) | (0 if with_centre else cv2.CALIB_FIX_PRINCIPAL_POINT)
    points = [
        np.column_stack([_shrunk(view, shrink), np.zeros(len(view.points_mm))]).astype(np.float32) for view in views
    ]
    pixels = [view.points_px.astype(np.float32) for view in views]
    matrix = _matrix(TYPICAL_FOCAL * max(size) if near is None else near.focal, size)
    middle = matrix[:2, 2].copy()
    bends = np.zeros(5) if near is None else np.array([near.k1, near.k2 if with_k2 else 0.0, 0.0, 0.0, 0.0])
    if near is not None:
        matrix[:2, 2] += near.centre_px
    try:
        _, fitted, bent, turns, shifts, deviations, _, _ = cv2.calibrateCameraExtended(
            points, pixels, size, matrix, bends, flags=flags
        )
    except cv2.error as error:
        raise NoCommonLens(f"no lens could be fitted to the photos: {error.err}") from error
    k1, k2 = (float(part) for part in np.asarray(bent).ravel()[:2])
    misses = []
    for there, seen, turn, shift in zip(points, pixels, turns, shifts, strict=True):
        again, _ = cv2.projectPoints(there, turn, shift, fitted, bent)
        misses.append(np.asarray(seen - np.asarray(again).reshape(-1, 2), np.float64))
    normals = np.array([cv2.Rodrigues(turn)[0][:, 2] for turn in turns])
    spread = CORNERS_ALIKE * np.asarray(deviations).ravel()
    focal = float(fitted[0, 0])
    centre, centre_deviation = np.asarray(fitted[:2, 2] - middle, np.float64), float(spread[2:4].max())
    known = max(CENTRE_WIDTHS * size[0], float(np.abs(centre).max()) / BESIDE)
    corner = math.hypot(*size) / 2 / focal
    return _Fit(
        focal=focal,
        focal_deviation=float(spread[:2].max()),
        k1=k1,
        k2=k2,
        k2_shown=with_k2 and float(spread[5]) * corner**5 * focal < K2_WIDTHS * size[0],
        centre_px=centre,
        centre_deviation=centre_deviation,
        centre_shown=with_centre and centre_deviation < known,
        shrink=shrink,
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
