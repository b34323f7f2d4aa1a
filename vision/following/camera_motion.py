"""How a camera moved since the mat was looked for, by what its markers show.

In which way and how far each small part of them is shifted from where it was seen then is what a camera shows that
moved and turned a little. (Least squares on patches; Lucas and Kanade, 1981; Baker and Matthews, 2004)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.following.shifted import cut_out
from vision.frame import Image
from vision.mat.markers import INNER_MM, OUTER_MM
from vision.mat.registration import Registration
from vision.short_axes import median_of

Array = NDArray[np.float64]
Plane = NDArray[np.float32]

MOST_MM = 8.0
"""So far markers are looked for beside where they were seen: what moves a camera farther is a knock."""
AROUND, PATCHES, LEAST_PATCH_PX = 1.3, 3, 10
"""So many times as wide as a marker is what is looked at, in so many by so many patches, if they are not smaller than
this."""
SOFT_PX = 1.4
"""Patches are softened by this, so that shifts of half a pixel change them in proportion."""
NEAR_PX, FOUND = 2.0, 0.7
"""Markers that are shifted by more than the first are looked for all around: where one shows, it correlates better than
the second with how it was seen, to a pixel or two."""
ALIKE, FEWEST = 0.9, 4
"""Of what a patch shows so large a share has to be what was seen there, shifted and otherwise lit, or something covers
it; and that of so many patches."""
PLAIN_LEVELS = 8.0
"""Patches that vary by less (of 255, standard deviation) tell nothing."""
MOVED_MM, TURNED = (3.0, 3.0, 1.5), 0.003
"""How far cameras move on their arms, and turn (radians): they do either as the mat shows, where it shows that, and
most likely by no more than so much (standard deviations)."""
SPREAD_PX, LEVELS = 0.03, 2.0
"""How exactly a patch tells where it is at best, and how many levels it differs by noise at least."""
ROUNDS, FITS, FAR_OFF = 3, 3, 3.0
"""So often patches are cut out where they are thought to be, and the camera's motion is fitted to them; those that miss
it by so many times their spread count little. (Iteratively reweighted least squares)"""


@dataclass(frozen=True, slots=True)
class CameraMotion:
    """How a camera moved."""

    off: Array
    """Millimetres along its axes, and radians about them."""
    spread: Array
    """Their covariances, 6 x 6."""


class SeenMarkers:
    """A mat's markers as one picture showed them, to be found a little beside that in others."""

    def __init__(self, image: Image, registration: Registration) -> None:
        """`image` is the picture that `registration` lays over the table."""
        self._registration = registration
        sides = [float(np.linalg.norm(np.roll(c, -1, 0) - c, axis=1).mean()) for c in registration.markers_px.values()]
        side = float(np.median(sides)) if sides else 0.0
        self._px_per_mm = side / (OUTER_MM - INNER_MM)
        self._reach = 2 * round(0.5 * self._px_per_mm * MOST_MM) + 2
        self._per_side = int(np.clip(AROUND * side // LEAST_PATCH_PX, 1, PATCHES))
        self._patch = max(round(AROUND * side / self._per_side), 4)
        half = self._per_side * self._patch / 2.0 + self._reach
        corners = [np.round(c.mean(0) - half).astype(int) for c in registration.markers_px.values()]
        width = self._per_side * self._patch + 2 * self._reach
        self._at = [(x, y) for x, y in np.array(corners).reshape(-1, 2).tolist()]
        self._width = width
        self._seen = [self._window(image, at) for at in self._at]

    def motion_in(self, image: Image) -> CameraMotion | None:
        """How the camera moved since the mat was looked for; None where too little of its markers tells it."""
        if not self._at:
            return None
        windows = [self._window(image, at) for at in self._at]
        motion = self._closely(windows, np.zeros((len(windows), 2), np.intp))
        if motion is None or np.abs(self.moves @ motion.off).max() > NEAR_PX:
            start = self._roughly(windows)
            motion = None if start is None else self._closely(windows, np.tile(start, (len(windows), 1)))
        return motion if motion is not None and self.shift_mm(motion.off) < MOST_MM else None

    def shift_mm(self, off: Array) -> float:
        """How far most markers are shifted by a motion, millimetres on the table."""
        if not self._at:
            return 0.0
        moved = (self.moves @ off).reshape(len(self._at), -1, 2).mean(1)
        return float(np.median(np.linalg.norm(moved, axis=1))) / self._px_per_mm

    @cached_property
    def moves(self) -> Array:
        """How each of the camera's motions shifts each patch, n x 2 x 6, pixels."""
        per_side, side = self._per_side, self._patch
        beside = (np.arange(per_side) + 0.5) * side - 0.5 + self._reach
        middles = np.stack(np.meshgrid(beside, beside), axis=-1).reshape(-1, 2)
        return self.shifted_by(np.concatenate([middles + np.array(at) for at in self._at]))

    def shifted_by(self, points_px: Array) -> Array:
        """How the picture's points are shifted, for a millimetre along each of the camera's axes and a radian about
        it: n x 2 x 6."""
        here, matrix = self._registration, self._registration.camera_matrix
        on_table = here.to_table(points_px)
        camera = np.linalg.inv(matrix) @ here.table_to_plane
        scale = float(np.linalg.norm(camera[:, 0]))
        shifts = []
        for axis in range(6):
            by, step = np.zeros(3), 0.1 if axis < 3 else 1e-4
            by[axis % 3] = step
            turned = camera + (np.cross(by, camera.T).T if axis >= 3 else 0.0)
            if axis < 3:
                turned[:, 2] += by * scale
            there = replace(here, table_to_plane=matrix @ turned).to_picture(on_table)
            shifts.append((there - here.to_picture(on_table)) / step)
        return np.stack(shifts, axis=-1)

    def _closely(self, windows: Sequence[Plane], at: NDArray[np.intp]) -> CameraMotion | None:
        """How the camera moved where each marker is shifted by about so many pixels, x and y; None where too few
        patches show that."""
        motion = None
        for _ in range(ROUNDS):
            shifts, spreads, tell = self._shifts(windows, at)
            if np.count_nonzero(tell) < FEWEST:
                return None
            motion = _fitted(shifts[tell], spreads[tell], self.moves[tell])
            moved = (self.moves @ motion.off).reshape(len(windows), -1, 2).mean(1)
            again = np.clip(np.round(moved), -self._reach, self._reach).astype(np.intp)
            if (again == at).all():
                break
            at = again
        return motion

    def _roughly(self, windows: Sequence[Plane]) -> NDArray[np.intp] | None:
        """By how many pixels markers are shifted, to one or two; None where none is seen."""
        best, found = FOUND, None
        for window, seen in zip(windows, self._rough, strict=True):
            alike = cv2.matchTemplate(_halved(window), seen, cv2.TM_CCOEFF_NORMED)
            _, most, _, at = cv2.minMaxLoc(alike)
            if most > best:
                best, found = most, np.array(at)
        return None if found is None else np.asarray(2 * found - self._reach, np.intp)

    def _shifts(self, windows: Sequence[Plane], at: NDArray[np.intp]) -> tuple[Array, Array, NDArray[np.bool_]]:
        """By how many pixels each patch is shifted (n x 2), how exactly that is told (n x 2 x 2), and of which it is
        told, where each marker is shifted by about so many."""
        design, inverse = self._designs
        now = np.concatenate([self._cut(one, x, y) for one, (x, y) in zip(windows, at.tolist(), strict=True)])
        parts = np.matmul(inverse, now[:, :, None])
        left = now - np.matmul(design, parts)[:, :, 0]
        spread, gain = left.var(axis=1), np.maximum(parts[:, 3, 0], 1e-3)
        shown = (gain * self._varies) ** 2
        tell = (self._varies > PLAIN_LEVELS) & (spread < (1.0 - ALIKE) * (shown + spread))
        shifts = np.repeat(at, self._per_side**2, axis=0) - parts[:, -2:, 0] / gain[:, None]
        noise = np.maximum(spread / gain**2, LEVELS**2)
        spreads = self._per_noise * noise[:, None, None] + SPREAD_PX**2 * np.eye(2)
        return np.asarray(shifts, np.float64), np.asarray(spreads, np.float64), np.asarray(tell)

    def _window(self, image: Image, at: tuple[int, int]) -> Plane:
        grey = cv2.cvtColor(cut_out(image, *at, self._width, self._width), cv2.COLOR_BGR2GRAY)
        return np.asarray(cv2.GaussianBlur(grey, (0, 0), SOFT_PX), np.float32)

    def _cut(self, window: Plane, x: int, y: int) -> Plane:
        """The patches of a marker that is shifted by x and y, n x pixels."""
        side, per_side = self._patch, self._per_side
        low = np.array([x, y]) + self._reach
        part = window[low[1] : low[1] + side * per_side, low[0] : low[0] + side * per_side]
        return part.reshape(per_side, side, per_side, side).swapaxes(1, 2).reshape(per_side**2, -1)

    @cached_property
    def _rough(self) -> list[Plane]:
        return [_halved(one[self._reach : -self._reach, self._reach : -self._reach]) for one in self._seen]

    @cached_property
    def _patches(self) -> Plane:
        return np.concatenate([self._cut(one, 0, 0) for one in self._seen])

    @cached_property
    def _designs(self) -> tuple[Plane, Plane]:
        """What makes a patch look otherwise, n x pixels x parts: light, more of it to one side, contrast, and shifts;
        and its pseudoinverse."""
        across = np.array([(self._cut(one, 1, 0) - self._cut(one, -1, 0)) / 2.0 for one in self._seen])
        down = np.array([(self._cut(one, 0, 1) - self._cut(one, 0, -1)) / 2.0 for one in self._seen])
        pixels = self._patch**2
        ramp = np.linspace(-100.0, 100.0, self._patch, dtype=np.float32)
        plain = np.stack([np.full(pixels, 100.0), np.tile(ramp, self._patch), np.repeat(ramp, self._patch)], axis=-1)
        shown = [self._patches, across.reshape(-1, pixels), down.reshape(-1, pixels)]
        design = np.concatenate([np.tile(plain, (len(shown[0]), 1, 1)), np.stack(shown, axis=-1)], axis=2)
        square = np.matmul(design.swapaxes(1, 2), design) + np.eye(6) * pixels
        inverse = np.linalg.solve(square, design.swapaxes(1, 2))
        return design.astype(np.float32), inverse.astype(np.float32)

    @cached_property
    def _per_noise(self) -> Array:
        """How much noise of one level shifts each patch: covariances, n x 2 x 2."""
        shifts = self._designs[1][:, -2:].astype(np.float64)
        return np.asarray(np.matmul(shifts, shifts.swapaxes(1, 2)))

    @cached_property
    def _varies(self) -> Plane:
        """By how many levels each patch varies."""
        return np.asarray(self._patches.std(axis=1), np.float32)


def _fitted(shifts: Array, spreads: Array, moves: Array) -> CameraMotion:
    """The motion that shifts patches so (n x 2, and their covariances), most likely; `moves` says how each of the
    camera's six motions shifts each patch."""
    # In units of their spreads: n x 2 (x 6), each with the same weight.
    whiten, prior = np.linalg.inv(np.linalg.cholesky(spreads)), np.diag(1.0 / np.square([*MOVED_MM, *[TURNED] * 3]))
    here, each = np.matmul(whiten, shifts[:, :, None]).ravel(), np.matmul(whiten, moves).reshape(-1, 6)
    counts, off, normal = np.ones(len(here)), np.zeros(6), prior
    for _ in range(FITS):
        normal = (each * counts[:, None]).T @ each + prior
        off = np.linalg.solve(normal, each.T @ (counts * here))
        square = np.square((here - each @ off).reshape(-1, 2)) @ np.ones(2)
        usual = max(median_of(square), 1.0) * FAR_OFF**2
        counts = np.repeat(1.0 / (1.0 + square / usual) ** 2, 2)
    return CameraMotion(off, np.asarray(np.linalg.inv(normal), np.float64))


def _halved(window: Plane) -> Plane:
    rows, columns = window.shape
    return np.asarray(cv2.resize(window, (columns // 2, rows // 2), interpolation=cv2.INTER_AREA), np.float32)
