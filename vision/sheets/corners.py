"""Where sheets lie on a table that is known: by the dark squares in their corners.

Far from the camera a sheet's markers are too small to be decoded. But then the mat says where each pixel lies, and four
dark squares as far apart as a sheet's markers are most likely those: whether they look like them is asked afterwards.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.mat.registration import Registration
from vision.shapes import place
from vision.sheets.layout import Array, SheetLayout

Grey = NDArray[np.uint8]
Which = Callable[[Array], NDArray[np.bool_]]
"""Of n x 2 points of the table."""

DARK = 0.62
"""A marker is darker than this part of the paper around it."""
SIZES = (0.65, 1.35)
"""Sides of what may be a marker, in parts of its side."""
FULL = 0.55
"""How much of its rectangle it fills at least, with what it encloses: white in it may reach its edge, where it is
small."""
OFF_MM = 8.0
"""How far from where the others put it a marker's middle may seem to be: a lens that the mat alone tells bends what
lies far from it."""
LEAST_CORNERS = 3
SAME_MM = 15.0
MOST_SPOTS = 600


def _all(points: Array) -> NDArray[np.bool_]:
    return np.ones(len(points), bool)


@dataclass(frozen=True, slots=True)
class Where:
    """Where on the table sheets may have come to lie."""

    free: Which = _all
    """Where no other sheet lies."""
    new: Which = _all
    """Where something changed: at a corner of a new sheet at least."""


ANYWHERE = Where()


def corner_groups(
    grey: Grey, layout: SheetLayout, registration: Registration, where: Where = ANYWHERE, least: int = LEAST_CORNERS
) -> Iterator[dict[int, Array]]:
    """Where the markers of sheets that may lie there would be seen, `least` of them on dark squares: of each sheet,
    marker by marker, 4 x 2 pixels; the likeliest sheets first, each either way round.

    `registration` is of the table.
    """
    spots = _dark_squares(grey, layout, registration)
    spots = spots[where.free(spots)]
    corners = np.array([corners.mean(axis=0) for corners in layout.marks.values()])
    poses = _poses(spots, where.new(spots), corners, least)
    for pose in poses:
        off = _off(spots, corners, pose)
        yield {
            number: registration.to_picture(place(corners, pose) + off[i])
            for i, (number, corners) in enumerate(layout.marks.items())
        }


def _dark_squares(grey: Grey, layout: SheetLayout, registration: Registration) -> Array:
    """Middles (n x 2, table millimetres) of what is as dark, as large and as square as a marker on paper."""
    side_mm = float(np.linalg.norm(next(iter(layout.marks.values()))[1] - next(iter(layout.marks.values()))[0]))
    px_per_mm = _px_per_mm(registration)
    width = 2 * round(0.8 * side_mm * px_per_mm) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (width, width))
    paper = cv2.morphologyEx(grey, cv2.MORPH_CLOSE, kernel)
    dark = cv2.compare(grey, cv2.convertScaleAbs(paper, alpha=DARK), cv2.CMP_LT)
    # Also those inside another dark thing: lines printed around a mat enclose all that lies on it.
    contours, within = cv2.findContours(dark, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    least, most = (share * side_mm * px_per_mm for share in SIZES)
    middles = []
    for number, contour in enumerate(contours):
        if len(contour) < 4 or within[0, number, 3] >= 0:  # the latter are holes
            continue
        centre, sides, _ = cv2.minAreaRect(contour)
        sides = (sides[0] + 1.0, sides[1] + 1.0)
        hull = cv2.convexHull(contour)
        if least <= min(sides) and max(sides) <= most and cv2.contourArea(hull) > FULL * sides[0] * sides[1]:
            middles.append(centre)
    return registration.to_table(np.array(middles[:MOST_SPOTS], np.float64).reshape(-1, 2))


def _poses(spots: Array, new: NDArray[np.bool_], corners: Array, least: int) -> list[Array]:
    """Poses (x, y, degrees) that put so many of a sheet's corners at least on spots, one on a new spot; those with the
    most first."""
    found: list[tuple[int, float, Array]] = []
    if len(spots) < least or not new.any():
        return []
    first, second = np.triu_indices(len(corners), 1)
    apart = spots[None, :] - spots[:, None]
    distance = np.linalg.norm(apart, axis=2)
    for i, j in zip(first, second, strict=True):
        step = corners[j] - corners[i]
        fits = np.abs(distance - np.linalg.norm(step)) < OFF_MM
        starts, ends = np.nonzero(fits & (new[:, None] | new[None, :]))
        for start, end in zip(starts, ends, strict=True):
            turn = np.degrees(np.arctan2(*apart[start, end][::-1]) - np.arctan2(*step[::-1]))
            pose = np.array([0.0, 0.0, turn])
            pose[:2] = (spots[start] + spots[end]) / 2 - place((corners[i : i + 1] + corners[j : j + 1]) / 2, pose)[0]
            off = np.linalg.norm(place(corners, pose)[:, None] - spots[None], axis=2).min(axis=1)
            near = off < OFF_MM
            if near.sum() >= least:
                found.append((int(near.sum()), float(off[near].mean()), pose))
    found.sort(key=lambda one: (-one[0], one[1]))
    kept: list[Array] = []
    for _, _, pose in found:
        # The same corners fit a sheet that lies the other way round as well.
        alike = [p for p in kept if np.hypot(*(p[:2] - pose[:2])) < SAME_MM]
        if not any(abs((p[2] - pose[2] + 180.0) % 360.0 - 180.0) < 90.0 for p in alike):
            kept.append(pose)
    return kept


def _off(spots: Array, corners: Array, pose: Array) -> Array:
    """How far (n x 2, table millimetres) from where this pose puts them a sheet's corners are seen; where one is not,
    as far as the others say."""
    placed = place(corners, pose)
    apart = spots[None] - placed[:, None]
    distance = np.linalg.norm(apart, axis=2)
    nearest = distance.argmin(axis=1)
    rows = np.arange(len(corners))
    near = distance[rows, nearest] < OFF_MM
    off = apart[rows, nearest]
    if near.sum() < LEAST_CORNERS:
        return np.zeros_like(placed)
    terms = np.column_stack([corners, np.ones(len(corners))])
    fitted = terms @ np.linalg.lstsq(terms[near], off[near], rcond=None)[0]
    return np.asarray(np.where(near[:, None], off, fitted))


def _px_per_mm(registration: Registration) -> float:
    """Near the table's middle."""
    corners = np.array([(x, y) for x, y in product((-100.0, 100.0), repeat=2)])
    px = registration.to_picture(corners)
    return float(np.linalg.norm(px[3] - px[0]) / np.linalg.norm(corners[3] - corners[0]))
