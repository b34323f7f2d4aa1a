"""A camera that sways on its arm, as tables are leaned on and floors walked on: by how much each picture is off what is
known of the table, and the picture without that."""

from collections import deque
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.following.camera_motion import SeenMarkers
from vision.following.shifted import shifted, with_moved
from vision.frame import Frame, Image
from vision.mat.registration import Registration
from vision.motion import Small

Array = NDArray[np.float64]

LEAST_PX = 0.04
"""A camera that is off by less wherever markers are hangs still."""
MIDDLE_S, LEAST_PICTURES = 1.0, 5
"""The middle of what it sways about is told by the pictures of so long, at least so many of them,"""
STEADY_MM = 0.3
"""when it is the same, to so many millimetres, in the first and the second half of them: then it sways about that, and
has not only just moved there."""
UNSURE_PX, SPREADS = 0.25, 2.0
"""Two blocks that are seen between whole pixels differ by as much as so large a shift makes, at most, though they show
the same; and by so many times as much as is not known exactly of how far they are shifted."""
UNSEEN = 60.0
"""By how many levels those may at the picture's edge, as what they would show is not all in it."""
_GRID = (28, 16)


@dataclass(frozen=True, slots=True)
class Still:
    """A picture as it would be if the camera had not moved."""

    small: Small
    unsure: Small
    """By how many levels its blocks may differ because that is not exact: rows x columns."""
    points: Array
    """Points (pixels, n x 2) that were moved to `to`."""
    to: Array

    def of(self, frame: Frame) -> Frame:
        """The whole frame so."""
        return replace(frame, image=with_moved(frame.image, self.points, self.to))


class Swings:
    """How far a camera sways, by pictures in which only the mat's markers need lie still."""

    def __init__(self, image: Image, registration: Registration) -> None:
        """`image` is the picture that `registration` lays over the table."""
        self._markers = SeenMarkers(image, registration)
        self._past: list[Array] = []

    def see(self, image: Image) -> None:
        """Take in one more picture."""
        motion = self._markers.motion_in(image)
        if motion is not None:
            self._past.append(motion.off)

    def most_mm(self) -> float | None:
        """How far the camera was off the middle of where it hung, at most, as is seen on the table; None where fewer
        than LEAST_PICTURES told it."""
        if len(self._past) < LEAST_PICTURES:
            return None
        middle = np.mean(self._past, axis=0)
        return max(self._markers.shift_mm(off - middle) for off in self._past)


class Sway:
    """Where a camera hangs, by each of its pictures, beside where it hung when the mat was looked for last."""

    def __init__(self, image: Image, registration: Registration) -> None:
        """`image` is the picture that `registration` lays over the table."""
        self._size_px = registration.size_px
        self._markers = SeenMarkers(image, registration)
        self._past: deque[tuple[float, Array]] = deque()
        self.told = False
        """Whether the last picture told where the camera hangs, and so that the mat lies where it lay."""

    def taken_off(self, frame: Frame, small: Small) -> Still | None:
        """What a picture and its small one show, had the camera not moved; None where it has not, or it is not told."""
        motion = self._markers.motion_in(frame.image)
        self.told = motion is not None
        if motion is None:
            return None
        self._remember(frame.time_s, motion.off)
        if np.abs(self._markers.moves @ motion.off).max() < LEAST_PX:
            return None
        moved = self._field @ motion.off
        square = np.max((self._field @ motion.spread * self._field).sum(2), axis=1)
        grid = np.column_stack([moved, np.sqrt(UNSURE_PX**2 + SPREADS**2 * square)]).reshape(*_GRID[::-1], 3)
        fine = cv2.resize(grid.astype(np.float32), small.shape[1::-1])
        right, down, unsure_px = (np.asarray(plane, np.float32) for plane in cv2.split(fine))
        still, unsure = shifted(frame.image, small, (right, down), unsure_px)
        unsure[[0, -1]], unsure[:, [0, -1]] = UNSEEN, UNSEEN
        return Still(still, unsure, self._points, self._points + moved)

    def hung_still(self, time_s: float) -> None:
        """A picture at this time showed that the camera hung where it hangs."""
        self.told = False
        self._remember(time_s, np.zeros(6))

    def middle(self, most_mm: float) -> Array | None:
        """How the camera hangs in the middle of what it sways about, where it hangs more than `most_mm` elsewhere, as
        the mat shows, than when the mat was looked for. It is not asked again before MIDDLE_S have passed."""
        if len(self._past) < LEAST_PICTURES or self._past[-1][0] - self._past[0][0] < 0.8 * MIDDLE_S:
            return None
        past = np.array([off for _, off in self._past])
        middle, half = np.mean(past, axis=0), len(past) // 2
        moves_on = past[:half].mean(0) - past[-half:].mean(0)
        if self._markers.shift_mm(middle) < most_mm or self._markers.shift_mm(moves_on) > STEADY_MM:
            return None
        self._past.clear()
        return np.asarray(middle)

    def seen_from(self, frame: Frame, still: Still | None, middle: Array) -> Frame:
        """The frame as it would be seen from that middle."""
        there = self._points + self._field @ middle
        return replace(frame, image=with_moved(frame.image, there, self._points if still is None else still.to))

    def _remember(self, time_s: float, off: Array) -> None:
        self._past.append((time_s, off))
        while self._past[0][0] < time_s - MIDDLE_S:
            self._past.popleft()

    @cached_property
    def _points(self) -> Array:
        """A grid of points all over the picture."""
        size = np.array(self._size_px)
        x, y = ((np.arange(count) + 0.5) * of / count - 0.5 for count, of in zip(_GRID, size.tolist(), strict=True))
        return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)

    @cached_property
    def _field(self) -> Array:
        """How each of the camera's motions shifts these, n x 2 x 6, pixels."""
        return self._markers.shifted_by(self._points)
