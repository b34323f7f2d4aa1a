"""A camera that is knocked now and then: it shakes, and hangs otherwise afterwards."""

from dataclasses import replace
from random import Random

import cv2
import numpy as np

from hardware.simulated.camera import SimulatedCamera
from hardware.simulated.flawed import FlawedCamera
from hardware.simulated.lens import CameraModel
from vision.frame import Image

SHAKES_S = 0.4
SHAKES_PX = 12.0
"""By so much a picture 1920 pixels wide is off at first, while the camera shakes."""
STRENGTHS = (0.2, 1.0, 1.0, 2.5)
"""How strong knocks are: touched, knocked, knocked hard."""
MOVED_MM, RAISED_MM, LEANED_DEG, ROLLED_DEG = 4.0, 1.5, 0.25, 0.4
"""How far a knock of strength 1 moves, raises, leans and turns the camera (standard deviations)."""


class KnockedCamera(FlawedCamera):
    """A simulated camera that somebody knocks every so often."""

    def __init__(self, camera: SimulatedCamera, rng: Random, every_s: float) -> None:
        """`every_s` is how long it is from one knock to the next, on average."""
        super().__init__(camera, f"knocked every {every_s:g} s")
        self._hung = camera
        self._rng = rng
        self._every_s = every_s
        self._first = camera.model
        self._next_s: float | None = None
        self._shaken_s = -np.inf
        self._strength = 0.0

    def _seen(self, image: Image, time_s: float) -> Image:
        if self._next_s is None:
            self._next_s = time_s + self._pause_s()
        elif time_s >= self._next_s:
            self._next_s, self._shaken_s = time_s + self._pause_s(), time_s
            self._strength = self._rng.choice(STRENGTHS)
            self._hung.hang(self._otherwise())
        left = 1.0 - (time_s - self._shaken_s) / SHAKES_S
        return self._shaken(image, left) if left > 0.0 else image

    def _pause_s(self) -> float:
        return self._every_s * self._rng.uniform(0.6, 1.4)

    def _otherwise(self) -> CameraModel:
        """How it hangs after a knock: near to where it hung, or somebody has put it back."""
        hung = self._rng.choice([self._first, self.model])
        strength, gauss = self._strength, self._rng.gauss
        x, y, z = hung.position_mm
        moved, raised = MOVED_MM * strength, RAISED_MM * strength
        return replace(
            hung,
            position_mm=(x + gauss(0.0, moved), y + gauss(0.0, moved), z + gauss(0.0, raised)),
            tilt_deg=hung.tilt_deg + gauss(0.0, LEANED_DEG * strength),
            pan_deg=hung.pan_deg + gauss(0.0, LEANED_DEG * strength),
            roll_deg=hung.roll_deg + gauss(0.0, ROLLED_DEG * strength),
        )

    def _shaken(self, image: Image, left: float) -> Image:
        """A picture while it shakes; `left` is how much of that is left, 0 to 1."""
        height, width = image.shape[:2]
        reach = SHAKES_PX * width / 1920.0 * left * self._strength
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), self._rng.gauss(0.0, 0.05 * reach), 1.0)
        turn[:, 2] += np.array([self._rng.gauss(0.0, reach), self._rng.gauss(0.0, reach)])
        off = cv2.warpAffine(image, turn, (width, height), borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cv2.blur(off, (max(round(reach), 1), 1)), np.uint8)
