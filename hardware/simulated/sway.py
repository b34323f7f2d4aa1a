"""A camera on an arm that is not firm: it sways all the time, and more whenever somebody leans on the table."""

import math
from dataclasses import replace
from random import Random

import cv2
import numpy as np

from hardware.simulated.camera import SimulatedCamera
from hardware.simulated.flawed import FlawedCamera
from hardware.simulated.lens import CameraModel
from vision.frame import Image

SWAYS_HZ = ((1.0, 2.5), (1.5, 3.5), (2.5, 5.0))
"""How often it swings along the table, across it, and about its own axis."""
DAMPED = (0.02, 0.05)
"""Which share of what is critical damps it."""
LEANT_ON_S, LEANT_ON = 5.0, 0.8
"""So often somebody leans on the table, and by how much it sways more then, for as much as it sways all the time."""
LEANING = 0.5
"""By such a share of it the arm leans, and turns the view; the rest of it moves the camera."""
TWISTS = 0.3
"""The view turns about its axis by so much of it as is seen TWISTS_MM from the middle."""
TWISTS_MM = 300.0


class SwayingCamera(FlawedCamera):
    """A simulated camera that sways."""

    def __init__(self, camera: SimulatedCamera | FlawedCamera, rng: Random, sway_mm: float) -> None:
        """`sway_mm` is how far the middle of the picture sways over the table all the time, to each side and along each
        of its edges."""
        super().__init__(camera, f"sways by {sway_mm:g} mm")
        self._sway_mm, self._rng = sway_mm, rng
        self._swings = [_Swing(rng.uniform(*hz), rng.uniform(*DAMPED), rng.random()) for hz in SWAYS_HZ]
        self._leant_on_s: float | None = None

    def _seen(self, image: Image, time_s: float) -> Image:
        if self._leant_on_s is None or time_s >= self._leant_on_s:
            for swing in self._swings if self._leant_on_s is not None else ():
                swing.push(time_s, self._rng.gauss(0.0, LEANT_ON))
            self._leant_on_s = time_s + self._rng.expovariate(1.0 / LEANT_ON_S)
        off = [self._sway_mm * swing.at(time_s) for swing in self._swings]
        return _seen_from(image, self.model, *off)


class _Swing:
    """One way in which an arm swings: all the time, and for a while after it was pushed."""

    def __init__(self, hz: float, damped: float, phase: float) -> None:
        self._pace, self._damped, self._phase = 2.0 * math.pi * hz, damped, 2.0 * math.pi * phase
        self._pushed_s, self._swing = 0.0, 0j
        """When it was pushed last, and how it swung then."""

    def push(self, time_s: float, by: float) -> None:
        self._swing, self._pushed_s = self._left(time_s) + by * 1j, time_s

    def at(self, time_s: float) -> float:
        return math.sin(self._pace * time_s + self._phase) + self._left(time_s).real

    def _left(self, time_s: float) -> complex:
        since = self._pace * (time_s - self._pushed_s)
        return self._swing * complex(math.cos(since), math.sin(since)) * math.exp(-self._damped * since)


def _seen_from(image: Image, hung: CameraModel, along_mm: float, across_mm: float, twisted_mm: float) -> Image:
    """The picture of the table from where the camera hangs then, by what it shows where it hung. (Where things stand up
    from the table they are seen a little more from aside; that is less than a hundredth of a pixel.)"""
    x, y, z = hung.position_mm
    sways = replace(
        hung,
        position_mm=(x + (1.0 - LEANING) * along_mm, y + (1.0 - LEANING) * across_mm, z),
        pan_deg=hung.pan_deg + math.degrees(LEANING * along_mm / z),
        tilt_deg=hung.tilt_deg + math.degrees(LEANING * across_mm / z),
        roll_deg=hung.roll_deg + math.degrees(TWISTS * twisted_mm / TWISTS_MM),
    )
    size = (hung.width, hung.height)
    points = np.stack(np.meshgrid(*(np.linspace(0.0, of - 1.0, 9) for of in size)), axis=-1).reshape(-1, 2)
    on_table = np.column_stack([sways.to_table(points), np.zeros(len(points))])
    way, _ = cv2.findHomography(points, hung.project(on_table))
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpPerspective(image, way, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8)
