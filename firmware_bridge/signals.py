"""What a sensor said: one value for buttons, pads, docks and beams, whatever wire it came over."""

from dataclasses import dataclass
from enum import Enum


class SignalKind(Enum):
    """Every thing a sensor of the table can say."""

    BUTTON_PRESSED = "button-pressed"
    BUTTON_RELEASED = "button-released"
    BUTTON_HELD = "button-held"
    PAD_PRESSED = "pad-pressed"
    PAD_RELEASED = "pad-released"
    KNIFE_DOCKED = "knife-docked"
    KNIFE_TAKEN = "knife-taken"
    SKEWER_DOCKED = "skewer-docked"
    SKEWER_TAKEN = "skewer-taken"
    BEAM_BROKEN = "beam-broken"
    BEAM_CLEAR = "beam-clear"
    SPARE_CLOSED = "spare-closed"
    SPARE_OPENED = "spare-opened"
    SIGNALS_LOST = "signals-lost"
    """`number` signals of the board are missing here: it had no room for them."""


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
    """Half the width of the interval that `time_s` is known to lie in; infinite where nothing is known."""
    number: int = 0
    """Which skewer's dock or spare input, from 1; how many for SIGNALS_LOST; else 0."""
    stamp: "Stamp | None" = None
    """The board's own time, for what came from there: the order between signals is decided by it alone."""
    place: "RingPlace | None" = None
    """Where it stood in the board's ring, for what came from there."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """When it was by the board's counter of half microseconds."""

    boot: int
    """Counters of different boots cannot be compared."""
    ticks: int
    """Carried on to 64 bits."""
    early_ticks: int = 0
    """The edge may have been so much earlier: it bounced, or was not looked at before."""


@dataclass(frozen=True, slots=True)
class RingPlace:
    """An event's place among those that the board keeps until they are acknowledged."""

    epoch: int
    """Which ring: another one where numbers began anew."""
    sequence: int
    """Its number in that ring, from 1."""
