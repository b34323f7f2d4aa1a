"""Where a sheet lies of which only two markers show, without a known table: by the dots printed on it.

Two small markers say where their sheet lies and how it is turned, but hardly how it leans. So it is laid every way that
they allow, as it may lean; where the picture is darkest at its dots, and bright in its empty squares, it most likely
lies, and from there its dots are followed.
"""

from collections.abc import Mapping, Sequence
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.mat.laying import gauss_newton, homographies
from vision.sheets.layout import Array, SheetLayout

Grey = NDArray[np.uint8]
Plane = NDArray[np.float32]

LONGER_SIDES = (0.75, 1.0, 1.4)
"""Focal lengths of the cameras that may have seen it, in the picture's longer side."""
LEANS_DEG = tuple(range(-32, 33, 4))
"""How it may lean to the camera, about the picture's two axes."""
FIT_PX = 2.0
"""The two markers' corners miss their places by less, as a picture 1280 pixels wide shows them (root mean square)."""
WIDEST_MM = 3.2
"""What is darker than its surroundings, and narrower than this, may be a dot."""
SOFT_MM = (1.2, 0.4)
"""Ink is spread so far, first to find a pose that is near, then to judge it."""
INK = 0.25
"""Logarithm of how much darker than its paper a dot is; darker ones count no more."""
FAINT = 0.4
"""Less than this part of it is the paper's own."""
LIKELIEST = 40
REACHES_MM = (3.0, 2.0, 1.2, 1.2)
"""So far from where the others put it a dot is looked for, round after round."""
DOT_MM, CORNER_PX = 0.5, 0.5
"""How far dots that somebody pencilled lie off their places, and corners of markers off theirs."""


def laid_by_print(grey: Grey, seen: Mapping[int, Array], layout: SheetLayout) -> dict[int, Array]:
    """Where all of a sheet's markers would be seen, by two that are `seen` (id -> 4 x 2 pixels) and by its dots.

    Whether it lies there its toppings have to tell: it is where it would most likely be.
    """
    mm, px = (np.concatenate([where[marker] for marker in seen]) for where in (layout.marks, seen))
    px_per_mm = float(np.linalg.norm(px - px.mean(axis=0)) / np.linalg.norm(mm - mm.mean(axis=0)))
    ink = _ink(grey, px_per_mm)
    ways = _ways(mm, px, (grey.shape[1], grey.shape[0]))
    for soft in SOFT_MM:
        shown = _shown(_softened(ink, soft * px_per_mm), ways, layout)
        ways = [ways[i] for i in np.argsort(-shown)[:LIKELIEST]]
    plane = _refined(ink, ways[0], mm, px, layout, px_per_mm)
    return {marker: seen_at(plane, place) for marker, place in layout.marks.items()}


def _ink(grey: Grey, px_per_mm: float) -> Plane:
    """How much darker than what is around it each pixel is, where that is narrow: logarithm, `INK` at most."""
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * round(WIDEST_MM * px_per_mm / 2) + 1,) * 2)
    light = np.log(grey.astype(np.float32) + 8.0)
    return np.asarray(np.clip(cv2.morphologyEx(light, cv2.MORPH_CLOSE, around) - light, 0.0, INK), np.float32)


def _softened(ink: Plane, spread_px: float) -> Plane:
    return np.asarray(cv2.GaussianBlur(ink, (0, 0), spread_px), np.float32)


def _shown(ink: Plane, ways: Sequence[Array], layout: SheetLayout) -> Array:
    """How much more ink there is at a sheet's dots than in the middle of its empty squares, for each of these planes:
    most where it most likely lies."""
    dots, bare = (
        _at(ink, np.stack([seen_at(plane, places) for plane in ways])).mean(axis=1, dtype=np.float64)
        for places in (layout.dots_mm, layout.bare_mm)
    )
    return np.asarray(dots - bare)


def _at(ink: Plane, px: Array) -> Plane:
    """Ink at n x m x 2 places of the picture; none beside it."""
    x, y = (np.ascontiguousarray(px[..., i], np.float32) for i in (0, 1))
    return np.asarray(cv2.remap(ink, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0.0))


def _ways(mm: Array, px: Array, size_px: tuple[int, int]) -> list[Array]:
    """Planes that take the markers to where they are seen, for cameras and leanings as there may be; the best fit is
    among them, however badly it fits."""
    middle = np.array(size_px, np.float64) / 2
    fits = []
    for longer_sides, across, down in product(LONGER_SIDES, LEANS_DEG, LEANS_DEG):
        focal = longer_sides * max(size_px)
        lean = cv2.Rodrigues(np.radians([across, down, 0.0]))[0]
        plane, error = _leaning(mm * (1.0, -1.0), (px - middle) / focal, np.asarray(lean, np.float64))
        camera = np.array([[focal, 0.0, middle[0]], [0.0, focal, middle[1]], [0.0, 0.0, 1.0]])
        fits.append((camera @ plane @ np.diag([1.0, -1.0, 1.0]), error * focal))
    least = min(error for _, error in fits)
    allowed = max(least, FIT_PX * max(size_px) / 1280.0)
    return [plane for plane, error in fits if error <= allowed]


def _leaning(mm: Array, seen: Array, lean: Array) -> tuple[Array, float]:
    """A sheet that leans so, turned and shifted to where it best fits what is seen (at focal length 1); and by how much
    it does not (root mean square)."""
    # A point turned by (a, b) / h within the sheet lies at lean (a x - b y, b x + a y, 0) + shift: what is seen of it,
    # times its depth, is its place, which is linear in a, b and the shift but for their common size.
    (x, y), (u, v) = mm.T, seen.T
    first, second = lean[:, 0][:, None] * x + lean[:, 1][:, None] * y, lean[:, 1][:, None] * x - lean[:, 0][:, None] * y
    one, none = np.ones_like(x), np.zeros_like(x)
    across = np.column_stack([first[0] - u * first[2], second[0] - u * second[2], one, none, -u])
    down = np.column_stack([first[1] - v * first[2], second[1] - v * second[2], none, one, -v])
    a, b, *shift = np.linalg.svd(np.concatenate([across, down]))[2][-1]
    plane = np.column_stack([a * lean[:, 0] + b * lean[:, 1], a * lean[:, 1] - b * lean[:, 0], shift])
    off = seen_at(plane, mm) - seen
    return plane, float(np.sqrt((off**2).sum(axis=1).mean()))


def _refined(ink: Plane, plane: Array, mm: Array, px: Array, layout: SheetLayout, px_per_mm: float) -> Array:
    """The plane by the markers and by where ink is seen around each dot, followed from where it was thought to be."""
    for reach in REACHES_MM:
        dots = seen_at(plane, layout.dots_mm)
        shows, at = _blobs(ink, dots, reach * px_per_mm)
        places = np.concatenate([mm, layout.dots_mm[shows]])
        seen = np.concatenate([px, at[shows]])
        spread = np.array([CORNER_PX] * len(mm) + [DOT_MM * px_per_mm] * int(shows.sum()))[:, None]
        values = (plane / plane[2, 2]).ravel()[:8]

        def misses(some: Array, places: Array = places, seen: Array = seen, spread: Array = spread) -> Array:
            return np.array([seen_at(one, places) - seen for one in homographies(some)]) / spread

        values = gauss_newton(misses, values, np.full(8, np.inf), np.abs(values) * 1e-4 + 1e-7, 8)
        plane = homographies(values)
    return plane


def _blobs(ink: Plane, px: Array, reach_px: float) -> tuple[NDArray[np.bool_], Array]:
    """Which of these places (n x 2) have ink near them that does not reach farther, and the middle of it."""
    half = int(np.ceil(reach_px))
    steps = np.arange(-half, half + 1, dtype=np.float64)
    right, down = np.meshgrid(steps, steps)
    near = np.hypot(right, down) <= reach_px
    around = np.stack([right[near], down[near]], axis=-1)
    found = _at(ink, px[:, None] + around)
    found[found < FAINT * INK] = 0.0
    total = found.sum(axis=1)
    shows = total > 0.0
    off = found @ around / np.where(shows, total, 1.0)[:, None]
    return shows, px + off


def seen_at(plane: Array, points_mm: Array) -> Array:
    """Where points (n x 2) of the sheet lie in the picture that the plane (3 x 3) takes them to."""
    px = np.column_stack([points_mm, np.ones(len(points_mm))]) @ plane.T
    return np.asarray(px[:, :2] / px[:, 2:])
