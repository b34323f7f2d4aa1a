"""A simulated camera with something wrong about it, or about its light."""

from abc import ABC, abstractmethod
from dataclasses import replace

from hardware.camera import Adjustment
from hardware.simulated.camera import SimulatedCamera
from hardware.simulated.lens import CameraModel
from vision.frame import Frame, Image


class FlawedCamera(ABC):
    """See `hardware.camera.Camera`. Each kind says what its pictures are like."""

    def __init__(self, camera: "SimulatedCamera | FlawedCamera", flaw: str) -> None:
        """`flaw` is what is wrong with it, for people."""
        self._camera = camera
        self._flaw = flaw

    @property
    def description(self) -> str:
        """See `hardware.camera.Camera`."""
        return f"{self._camera.description}, {self._flaw}"

    @property
    def model(self) -> CameraModel:
        """How it hangs now, and its lens."""
        return self._camera.model

    def read(self, timeout_s: float) -> Frame:
        """See `hardware.camera.Camera`."""
        frame = self._camera.read(timeout_s)
        return replace(frame, image=self._seen(frame.image, frame.time_s))

    def adjust(self, by: Adjustment) -> bool:
        """See `hardware.camera.Adjustable`."""
        return self._camera.adjust(by)

    def close(self) -> None:
        """See `hardware.camera.Camera`."""
        self._camera.close()

    @abstractmethod
    def _seen(self, image: Image, time_s: float) -> Image:
        """What it gives in place of this picture, which was taken at this time of the clock."""
