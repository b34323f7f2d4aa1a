"""What makes a simulated table harder to read than one in steady light, under a good camera that hangs firmly."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from hardware.camera import Camera
from hardware.simulated.camera import SimulatedCamera, evening_light, steady
from hardware.simulated.flicker import FlickeringLight
from hardware.simulated.knocks import KnockedCamera
from hardware.simulated.sun import SunThroughWindow
from hardware.simulated.sway import SwayingCamera
from hardware.simulated.webcam import Webcam

KNOCKED_EVERY_S = 20.0
"""So often the camera is knocked, where it is."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Of one table; as they stand, there is nothing of this."""

    evening: bool = False
    """It grows dark, and a lamp is switched on and off."""
    loose_corners: bool = False
    """Somebody laid four corner markers by hand, in place of a mat's."""
    knocks: bool = False
    """The camera is knocked now and then, and hangs otherwise afterwards."""
    webcam: bool = False
    """It is a webcam that exposes, balances and focuses by itself, and packs its pictures as JPEG."""
    flicker: float = 0.0
    """By what share a row's light is more and less than on average, as lamps flicker."""
    sway_mm: float = 0.0
    """How far the camera's arm sways, as is seen on the table."""
    pens: bool = False
    """Whoever writes does so with a coloured pen."""
    sun: bool = False
    """The sun shines on the table through a window, blinds, netting or leaves."""

    @property
    def room(self) -> Callable[[float], float]:
        """How many times as much light as at first there is after so many seconds."""
        return evening_light if self.evening else steady

    def seen_by(self, camera: SimulatedCamera, seed: int) -> Camera:
        """The camera as it is in these circumstances."""
        hung = KnockedCamera(camera, Random(seed), KNOCKED_EVERY_S) if self.knocks else camera
        sunny = SunThroughWindow(hung, Random(seed)) if self.sun else hung
        sways = SwayingCamera(sunny, Random(seed), self.sway_mm) if self.sway_mm else sunny
        lit = FlickeringLight(sways, Random(seed), self.flicker) if self.flicker else sways
        return Webcam(lit, Random(seed)) if self.webcam else lit
