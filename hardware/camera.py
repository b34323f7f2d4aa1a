"""What a camera is to the rest of the program."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

from vision.frame import Frame


class CameraError(Exception):
    """Root of everything a camera can fail with."""


class CameraLost(CameraError, ConnectionError):
    """The camera is not there (any more)."""


class NoRecording(CameraLost):
    """There is no video and no folder of pictures where one is said to be, or none that can be read."""


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


@dataclass(frozen=True, slots=True)
class Adjustment:
    """How a camera is to see otherwise than it does."""

    light: float = 1.0
    """So many times as much light;"""
    blue: float = 1.0
    """and so many times as much blue,"""
    red: float = 1.0
    """and red, beside green."""


@runtime_checkable
class Adjustable(Protocol):
    """A camera whose exposure and white balance stay as they are until they are told to change."""

    def adjust(self, by: Adjustment) -> bool:
        """Take the pictures after the next few so, as far as the camera can; False where it can no farther."""
        ...


class Automatic(Enum):
    """What a camera does by itself, as people call it."""

    FOCUS = "focus"
    EXPOSURE = "exposure"
    WHITE_BALANCE = "white balance"


@runtime_checkable
class Holdable(Protocol):
    """A camera that focuses, exposes and balances colours by itself, until it is told to leave that as it is."""

    def hold(self, which: Collection[Automatic]) -> frozenset[Automatic]:
        """Leave these as they are now, and do all others by itself. Those of them that now stay as they are, as far as
        the camera says."""
        ...
