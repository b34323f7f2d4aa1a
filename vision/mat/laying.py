"""Homography and lens by the markers seen, and, where these were laid one by one, where each of them lies.

Four markers that are printed on one mat tell more than a homography. Such that are laid by hand a few millimetres
beside their places do not; but each is as large and as square as the others, and that alone shows how a table is seen:
their places and turns are then fitted, too, near to where they should be.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.mat.errors import MarkersMisplaced
from vision.mat.lens import MOST_BENT, Lens, bent, camera_matrix, homogeneous, typical_lens, undistort
from vision.mat.marker_edges import EdgePoints
from vision.mat.markers import MARKERS_MM

Array = NDArray[np.float64]

FURTHER_BENT = 1.1
"""A lens that bends more than MOST_BENT, as one of a longer focal length does that bends a picture as much, by so much
more at most."""
K1_SPREAD = 0.06
"""How far k1 of lenses for such cameras spreads about 0."""
CORNER_SPREAD_PX = 0.15
"""How far a marker corner is found from where it is; one much farther off is covered, and counts less."""
EDGE_SPREAD_PX = 0.12
"""How far a cell's edge is found from where it is. Most of it is the same along a marker: no paper is quite flat."""
BLEED_SPREAD_PX = 1.0
"""How far bright paper may bleed over dark edges."""
LAID_SPREAD = (3.0, 3.0, 0.03)
"""How far loose markers are laid from their places, mm, and turned, radians."""
MOST_OFF_MM, MOST_OFF_RAD = 20.0, 0.25
"""And at most."""
LEAST_LOOSE = 3
"""Of fewer markers nothing is told."""
LOOSE_GAIN = 0.7
"""Markers lie loose where that explains their edges by so much better (see `cost_of`): of printed mats by up to 0.54,
of corners laid with errors of 1.5 mm and one degree by 0.8 and more."""
CAUCHY = 9.0
"""Squared misses beyond this count less and less."""
ROUNDS, LOOSE_ROUNDS = 10, 25
SMALL_STEP = 0.01
"""In how far all the corners or edges together leave a value open."""
_MIDDLES_MM = {marker: corners.mean(0) for marker, corners in MARKERS_MM.items()}


def laid_by_corners(
    mm: Array, px: Array, size_px: tuple[int, int], start: Lens, *, lens_too: bool
) -> tuple[Array, Array, Lens, float]:
    """Homography, camera matrix and lens by corners, and how far these miss their places: root mean square, pixels."""
    matrix = camera_matrix(size_px, start)
    homography, shrink, used = _fit(mm, px, matrix, start, lens_too=lens_too)
    missed = _residuals(homography, np.asarray(shrink), mm, px, matrix, np.asarray(used.k1), used)
    error = float(np.sqrt(np.mean(missed**2) * 2))
    return homography, matrix, used, error


def laid_by_hand(
    markers_px: Mapping[int, Array], size_px: tuple[int, int], lens: Lens | None
) -> Mapping[int, Array] | None:
    """Where loose markers lie, by their corners: each is as large and as square as the others, and near its place. None
    where one would lie far from it, or too few are seen."""
    if len(markers_px) < LEAST_LOOSE:
        return None
    ids = sorted(markers_px)
    mm = np.concatenate([MARKERS_MM[i] for i in ids])
    px = np.concatenate([markers_px[i] for i in ids])
    start = lens or typical_lens(size_px)
    matrix = camera_matrix(size_px, start)
    which = np.arange(len(ids)).repeat(4)

    def misses(homography: Array, shrink: Array, k1: Array, laid: Array) -> Array:
        return _residuals(homography, shrink, as_laid(mm, which, laid, ids), px, matrix, k1, start) / CORNER_SPREAD_PX

    homography, shrink = _fit_homography(mm, px, matrix, start)
    first = (homography, shrink, start)
    laid = least_squares(misses, first, spread=0.02, lens_too=lens is None, loose=len(ids))[3]
    return places_of(ids, laid)


def as_laid(mm: Array, which: NDArray[np.intp], laid: Array, ids: Sequence[int]) -> Array:
    """Points of markers (n x 2, `which` of the `ids` each) that were printed for one mat, where each marker was laid a
    little elsewhere: by mm, mm and radians about its middle (... x ids x 3)."""
    middles = np.array([_MIDDLES_MM[i] for i in ids])
    moved = (middles + laid[..., :2])[..., which, :]
    cosine, sine = np.cos(laid[..., 2])[..., which], np.sin(laid[..., 2])[..., which]
    x, y = (mm - middles[which]).T
    moved[..., 0] += cosine * x - sine * y
    moved[..., 1] += sine * x + cosine * y
    return np.asarray(moved)


def as_printed(mm: Array, which: NDArray[np.intp], laid_mm: Sequence[Array], ids: Sequence[int]) -> Array:
    """Points of markers (n x 2, `which` of the `ids` each) as they lie, back where they were printed for one mat."""
    printed = np.empty_like(mm)
    for number, (here, marker) in enumerate(zip(laid_mm, ids, strict=True)):
        there = MARKERS_MM[marker]
        (along, down), corner = (here[[1, 3]] - here[0]) / np.linalg.norm(here[1] - here[0]), here[0]
        mine = which == number
        steps = (mm[mine] - corner) @ np.array([along, down]).T
        printed[mine] = there[0] + steps * [1.0, -1.0]
    return printed


def places_of(ids: Sequence[int], laid: Array) -> Mapping[int, Array] | None:
    """The corners of markers that were laid so; None where one lies far from its place."""
    if np.hypot(*laid[:, :2].T).max() > MOST_OFF_MM or np.abs(laid[:, 2]).max() > MOST_OFF_RAD:
        return None
    return {i: as_laid(MARKERS_MM[i], np.full(4, n), laid, ids) for n, i in enumerate(ids)}


def cost_of(misses: Array) -> float:
    """The mean of what misses (n x m, in their own spread) speak against a fit, strays cut."""
    return float((CAUCHY * np.log1p((misses**2).sum(1) / CAUCHY)).mean())


def _fit(mm: Array, px: Array, matrix: Array, lens: Lens, *, lens_too: bool) -> tuple[Array, float, Lens]:
    """Homography, shrinkage and, if `lens_too` says so, lens by all corners at once."""
    homography, shrink = _fit_homography(mm, px, matrix, lens)

    def misses(homography: Array, shrink: Array, k1: Array, _: Array) -> Array:
        return _residuals(homography, shrink, mm, px, matrix, k1, lens) / CORNER_SPREAD_PX

    start = (homography, shrink, lens)
    return least_squares(misses, start, spread=0.02, lens_too=lens_too)[:3]


def edge_misses(
    edges: EdgePoints, mm: Array, homography: Array, bleed_px: Array, matrix: Array, k1: Array, k2: Array
) -> Array:
    """How far edges that lie at `mm` (... x n x 2) are seen from there, across each (... x n x 1), in their own
    spread: with each of several homographies and camera matrices (... x 3 x 3) and what else there is of each (...)."""
    off = bent(_projected(mm, homography), matrix, k1, k2) - edges.px
    across = off * edges.normals
    return np.asarray((across[..., :1] + across[..., 1:] + bleed_px[..., None, None]) / EDGE_SPREAD_PX)


def _projected(mm: Array, homography: Array) -> Array:
    """Points (... x n x 2) through each of several homographies (... x 3 x 3)."""
    plane = homogeneous(mm) @ homography.swapaxes(-1, -2)
    return np.asarray(plane[..., :2] / plane[..., 2:])


def least_squares(
    misses: Callable[[Array, Array, Array, Array], Array],
    start: tuple[Array, float, Lens],
    *,
    spread: float,
    lens_too: bool,
    loose: int = 0,
) -> tuple[Array, float, Lens, Array]:
    """Homography, shrinkage (how far it spreads is given), k1, if asked for, and how so many `loose` markers were laid
    beside their places (markers x 3: mm, mm, radians) that make misses (n x m, in their own spread) small: Gauss-Newton
    with Cauchy weights on the n. `misses` is asked for several at once: of p x 3 x 3, p, p and p x markers x 3 for
    p x n x m."""
    homography, shrink, known = start
    free = np.array([*range(9), *([9] if lens_too else []), *range(10, 10 + 3 * loose)])
    values = np.append((homography / homography[2, 2]).ravel()[:8], [shrink, known.k1, *np.zeros(3 * loose)])
    spreads = np.append(np.full(8, np.inf), [spread, K1_SPREAD, *LAID_SPREAD * loose])[free]
    steps = np.append(np.abs(values[:8]) * 1e-4 + 1e-7, [spread / 200.0, 1e-3, *(0.01, 0.01, 1e-4) * loose])[free]

    def with_free(some: Array) -> Array:
        each = np.tile(values, (len(some), 1))
        each[:, free] = some
        return misses(homographies(each[:, :8]), each[:, 8], each[:, 9], each[:, 10:].reshape(len(some), -1, 3))

    rounds = ROUNDS if not loose else LOOSE_ROUNDS
    values[free] = gauss_newton(with_free, values[free], spreads, steps, rounds)
    least = min(MOST_BENT[0], known.k1 * FURTHER_BENT)
    k1 = float(np.clip(values[9], least, MOST_BENT[1])) if lens_too else known.k1
    fitted = homographies(values[:8]), float(values[8]), replace(known, k1=k1)
    return *fitted, values[10:].reshape(-1, 3)


def homographies(values: Array) -> Array:
    """Matrices (... x 3 x 3) of which these are all values but the last (... x 8), which is 1."""
    return np.concatenate([values, np.ones((*values.shape[:-1], 1))], axis=-1).reshape(*values.shape[:-1], 3, 3)


def gauss_newton(misses: Callable[[Array], Array], values: Array, spreads: Array, steps: Array, rounds: int) -> Array:
    """The values (n), from some first ones, that make misses (m x k, in their own spread) small and are themselves near
    0 by their spreads: in so many rounds at most, with Cauchy weights on the m, and derivatives over such steps.
    `misses` is asked for several at once: of p x n for p x m x k."""
    values = values.copy()
    for _ in range(rounds):
        now, *near = misses(values + np.vstack([np.zeros_like(steps), np.diag(steps)]))
        columns = (np.reshape(near, (len(steps), -1)) - now.ravel()).T / steps
        weights = 1.0 / (1.0 + (now**2).sum(1).repeat(now.shape[1]) / CAUCHY)
        scale = np.maximum(np.sqrt((columns**2 * weights[:, None]).sum(0)), 1e-9)
        even = columns / scale
        normal = even.T @ (even * weights[:, None]) + np.diag(1.0 / (spreads * scale) ** 2 + 1e-9)
        right = even.T @ (now.ravel() * weights) + values / (spreads**2 * scale)
        step = np.linalg.solve(normal, right)
        values -= step / scale
        if np.abs(step).max() < SMALL_STEP:
            break
    return values


def _shrunk(mm: Array, shrink: Array) -> Array:
    """Bright paper bleeds over a marker's black edge, so its corners are found a little inside."""
    corners = mm.reshape(*mm.shape[:-2], -1, 4, 2)
    centres = (corners.sum(-2) / 4).repeat(4, axis=-2)
    return np.asarray(centres + (mm - centres) * (1.0 - shrink[..., None, None]))


def _fit_homography(mm: Array, px: Array, matrix: Array, lens: Lens) -> tuple[Array, float]:
    plane = undistort(px, matrix, lens)
    shrink = 0.0
    homography = np.eye(3)
    for _ in range(3):
        fitted = cv2.findHomography(_shrunk(mm, np.asarray(shrink)), plane, 0)[0]
        if fitted is None:
            raise MarkersMisplaced("the marker corners found do not span a plane")
        homography = np.asarray(fitted, np.float64)
        shrink = _fit_shrink(homography, mm, plane)
    return homography, shrink


def _fit_shrink(homography: Array, mm: Array, plane: Array) -> float:
    table = homogeneous(plane) @ np.linalg.inv(homography).T
    seen = (table[:, :2] / table[:, 2:]).reshape(-1, 4, 2)
    spokes = mm.reshape(-1, 4, 2) - mm.reshape(-1, 4, 2).mean(1, keepdims=True)
    found = seen - seen.mean(1, keepdims=True)
    return float(np.clip(1.0 - (spokes * found).sum() / (spokes**2).sum(), -0.05, 0.05))


def _residuals(homography: Array, shrink: Array, mm: Array, px: Array, matrix: Array, k1: Array, lens: Lens) -> Array:
    """By how far corners (n x 2) miss their places, with each of several homographies, shrinkages and k1 of a lens."""
    return np.asarray(bent(_projected(_shrunk(mm, shrink), homography), matrix, k1, np.asarray(lens.k2)) - px)


def pose_of(homography: Array, matrix: Array) -> tuple[Array, Array]:
    """How the table is turned (3 x 3) and shifted (3) into the camera's frame."""
    columns = np.linalg.inv(matrix) @ homography
    scale = (np.linalg.norm(columns[:, 0]) + np.linalg.norm(columns[:, 1])) / 2
    columns = columns / scale * np.sign(columns[2, 2])
    first, second = columns[:, 0], columns[:, 1]
    left, _, right = np.linalg.svd(np.column_stack([first, second, np.cross(first, second)]))
    return left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right, columns[:, 2]


def camera_place(homography: Array, matrix: Array) -> tuple[float, float, float]:
    rotation, shift = pose_of(homography, matrix)
    x, y, z = -rotation.T @ shift
    return float(x), float(y), abs(float(z))
