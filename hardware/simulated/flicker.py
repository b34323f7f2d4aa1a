"""A camera whose rows are exposed one after the other, under lamps that flicker with the mains."""

from random import Random

import cv2
import numpy as np

from hardware.simulated.camera import GAMMA, SimulatedCamera
from hardware.simulated.flawed import FlawedCamera
from vision.frame import Image

MAINS_HZ = (50.0, 60.0)
OFF_BY = 4e-4
"""No power station turns exactly so (standard deviation, a share): stripes creep where they would stand still."""
READOUT_S = (0.012, 0.035)
"""How long it takes until the last row is exposed after the first: sensors of 1080 rows give 30 to 90 pictures a
second at most."""
_PHASES = 256


class FlickeringLight(FlawedCamera):
    """A simulated camera in such light."""

    def __init__(self, camera: SimulatedCamera | FlawedCamera, rng: Random, flicker: float) -> None:
        """`flicker` is the share by which a row's light is more and less than on average: the lamps' own modulation,
        and what is left of it by an exposure of T seconds, |sin(pi f T) / (pi f T)| of it, f being twice the mains'
        frequency (the mean of a wave over T)."""
        super().__init__(camera, f"lamps flicker by {flicker:.0%}")
        self._flicker_hz = 2.0 * rng.choice(MAINS_HZ) * (1.0 + rng.gauss(0.0, OFF_BY))
        self._readout_s = rng.uniform(*READOUT_S)
        self._phase = rng.random()
        light = 1.0 + flicker * np.sin(2.0 * np.pi * np.arange(_PHASES) / _PHASES)
        levels = np.arange(256) * light[:, None] ** (1.0 / GAMMA)
        # What is cut off in steady light is far brighter than that for the most part.
        self._levels = np.where(np.arange(256) == 255, 255, np.clip(np.round(levels), 0, 255)).astype(np.uint8)
        """What becomes of each level in each phase of the light: phases x 256."""

    def _seen(self, image: Image, time_s: float) -> Image:
        exposed_s = time_s + np.arange(len(image)) / len(image) * self._readout_s
        phases = np.floor((self._flicker_hz * exposed_s + self._phase) % 1.0 * _PHASES).astype(np.intp)
        lit = np.empty_like(image)
        for row, phase in enumerate(phases):
            cv2.LUT(image[row : row + 1], self._levels[phase], lit[row : row + 1])
        return lit
