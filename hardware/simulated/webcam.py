"""A plain webcam over the simulated table: it exposes, balances colours and focuses as it thinks fit until it is told
to hold that, and packs its pictures as JPEG. Nobody can adjust it."""

import math
from collections.abc import Collection
from dataclasses import replace
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera import Adjustment, Automatic
from hardware.simulated.camera import GAMMA, SimulatedCamera
from hardware.simulated.flawed import FlawedCamera
from vision.frame import Frame, Image

BEGINS, ENDS = 0.06, 0.02
"""It exposes otherwise once the picture's mean light is off by more than the first share, until by less than the
second,"""
FASTENS = 0.2
"""by this share of what is missing (its logarithm) from picture to picture."""
TOWARDS_GREY = 0.03
"""By so much of it colours follow what the picture's mean is more tinted than at first: arms are no grey."""
LEAST_LIGHT = 1e-4
"""Of a white picture's; in the dark it has nothing to go by."""
JPEG_QUALITY = 80
FOCUSES_AT, FOCUSES_BY, FOCUSES_S, PAUSE_S = 0.02, 0.15, 0.7, 1.5
"""Where more than this share of the picture changes, the chance that a picture makes it focus anew, for how long that
takes, and how long it keeps still afterwards."""
CHANGED = 25.0
"""Levels by which a part changes that counts for that."""
BREATHES, BLURS_PX = 0.006, 2.5
"""While it focuses, what it shows is larger or smaller by so much, and blurred so far in a picture 1920 pixels wide."""
_SMALL = (64, 36)

_Colours = NDArray[np.float64]


class Webcam:
    """See `hardware.camera.Camera`."""

    def __init__(self, camera: SimulatedCamera | FlawedCamera, rng: Random) -> None:
        """`camera` gives what such a sensor would see."""
        self._camera, self._rng = camera, rng
        self._aim: _Colours | None = None
        """The mean light of the first picture, by colours."""
        self._exposing = False
        self._before: NDArray[np.float32] | None = None
        self._focuses_s, self._way = -math.inf, 1.0
        self._now_s = self._held_s = -math.inf
        """When the last picture was taken, and when the focus was held."""
        self._held: frozenset[Automatic] = frozenset()

    @property
    def description(self) -> str:
        """See `hardware.camera.Camera`."""
        return f"{self._camera.description}, as a webcam"

    def read(self, timeout_s: float) -> Frame:
        """See `hardware.camera.Camera`."""
        frame = self._camera.read(timeout_s)
        self._now_s = frame.time_s
        small = cv2.resize(frame.image, _SMALL, interpolation=cv2.INTER_AREA).astype(np.float32)
        self._meter(small)
        image = self._focused(frame.image, small, frame.time_s)
        how = [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]
        how += [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_422]
        packed = cv2.imencode(".jpg", image, how)[1]
        return replace(frame, image=np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8))

    def hold(self, which: Collection[Automatic]) -> frozenset[Automatic]:
        """See `hardware.camera.Holdable`."""
        held = frozenset(which)
        if Automatic.FOCUS in held - self._held:
            self._held_s = self._now_s
        self._held = held
        return held

    def close(self) -> None:
        """See `hardware.camera.Camera`."""
        self._camera.close()

    def _meter(self, small: NDArray[np.float32]) -> None:
        """Expose and balance the next picture by this one."""
        seen = np.maximum(((small / 255.0) ** GAMMA).mean((0, 1), np.float64), LEAST_LIGHT)
        if self._aim is None:
            self._aim = seen
            return
        missing = float(self._aim.mean() / seen.mean())
        self._exposing = abs(missing - 1.0) > (ENDS if self._exposing else BEGINS)
        light = missing**FASTENS if self._exposing and Automatic.EXPOSURE not in self._held else 1.0
        tint = (seen[1] / seen) / (self._aim[1] / self._aim)
        follows = 0.0 if Automatic.WHITE_BALANCE in self._held else TOWARDS_GREY
        blue, red = (float(one) ** follows for one in (tint[0], tint[2]))
        self._camera.adjust(Adjustment(light, blue, red))

    def _focused(self, image: Image, small: NDArray[np.float32], time_s: float) -> Image:
        held = Automatic.FOCUS in self._held
        if self._before is not None and not held and time_s - self._focuses_s > PAUSE_S:
            changed = float((np.abs(small - self._before).max(2) > CHANGED).mean())
            if changed > FOCUSES_AT and self._rng.random() < FOCUSES_BY:
                self._focuses_s, self._way = time_s, self._rng.choice((-1.0, 1.0))
        self._before = small
        gone = ((self._held_s if held else time_s) - self._focuses_s) / FOCUSES_S
        if gone >= 1.0:
            return image
        off, (height, width) = math.sin(math.pi * gone), image.shape[:2]
        way = cv2.getRotationMatrix2D((width / 2, height / 2), 0.0, 1.0 + BREATHES * off * self._way)
        moved = cv2.warpAffine(image, way, (width, height), borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cv2.GaussianBlur(moved, (0, 0), 0.3 + BLURS_PX * off * width / 1920.0), np.uint8)
