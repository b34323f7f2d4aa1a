"""What a sensor said: one value for buttons, pads, docks and beams, whatever wire it came over."""

from dataclasses import dataclass
from enum import Enum


class SignalKind(Enum):
    """Every thing a sensor of the table can say."""

    BUTTON_PRESSED = "button-pressed"
    BUTTON_RELEASED = "button-released"
    BUTTON_HELD = "button-held"


HOST_SEAT = 0
"""The seat number that stands for the host's own controls."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One thing a sensor said.

    Times are seconds of the monotonic clock (`time.monotonic`).
    """

    seat: int
    """The table's seat, 1 upwards clockwise from the picture's lower edge; HOST_SEAT for the host."""
    kind: SignalKind
    time_s: float
    uncertainty_s: float
    """Half the width of the interval that `time_s` is known to lie in."""
