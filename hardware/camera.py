"""What a camera is to the rest of the program."""

from typing import Protocol

from vision.frame import Frame


class CameraError(Exception):
    """Root of everything a camera can fail with."""


class CameraLost(CameraError, ConnectionError):
    """The camera is not there (any more)."""


class RecordingEnded(CameraLost):
    """What was recorded is over: nothing is wrong."""


class CameraTimeout(CameraError, TimeoutError):
    """The camera is there and gave no picture in time."""


class Camera(Protocol):
    """A camera that looks down at the table. Closing twice is fine."""

    @property
    def description(self) -> str:
        """What it is, for people: driver, size, rate."""
        ...

    def read(self, timeout_s: float) -> Frame:
        """Wait for a picture newer than the last one given.

        Raises:
            CameraTimeout: no new picture within `timeout_s`.
            CameraLost: the camera is gone; open it again.
        """
        ...

    def close(self) -> None:
        """Release the device."""
        ...
