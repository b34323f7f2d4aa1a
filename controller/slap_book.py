"""Slaps that belong together, and what is said and written of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from controller.game import Json
from controller.views import SlapsView
from firmware_bridge.schema import TICK_NS
from firmware_bridge.signals import Signal
from firmware_bridge.slaps import Verdict, judge

SLAPS_S = 1.0
"""Slaps that come so soon after the first one belong together."""
SETTLED_S = SLAPS_S + 0.25
"""After the first slap of a burst was heard: a verdict that has stood for so long is written down."""
SLAPS_SHOWN_S = 15.0


@dataclass(frozen=True, slots=True)
class Burst:
    """Slaps that belong together."""

    number: int
    """Counts up from 1."""
    slaps: tuple[Signal, ...]
    """At least one; of those that change nothing of the verdict, none."""
    verdict: Verdict


def burst_of(number: int, slaps: Sequence[Signal]) -> Burst:
    """These slaps as one burst.

    Raises:
        NotComparable: see `judge`.
    """
    return Burst(number, tuple(slaps), judge(slaps))


def burst_after(burst: Burst | None, slap: Signal) -> Burst:
    """The last burst once there was another slap: the very same if that changes nothing, a new one if it is late."""
    if burst is None or not _belongs(slap, burst.slaps[0]):
        return burst_of(burst.number + 1 if burst is not None else 1, (slap,))
    longer = burst_of(burst.number, (*burst.slaps, slap))
    return burst if longer.verdict == burst.verdict else longer


def encode_verdict(burst: Burst) -> Json:
    """Who was first, as it is written down."""
    verdict = burst.verdict
    return {
        "burst": burst.number,
        "seats": list(verdict.seats),
        "first": list(verdict.first),
        "margin_us": verdict.margin_us,
    }


class SlapBook:
    """The last burst of slaps and its verdict. A slap that comes late, over a line that was pulled, still counts."""

    def __init__(self, clock: Callable[[], float], burst: Burst | None = None, written: Json | None = None) -> None:
        """`burst` and `written` are what an earlier book ended with. What it has written is not shown anew."""
        self._clock = clock
        self._written = written
        self._begun_s = clock()
        self.burst = burst
        if self.unwritten is None:
            self._begun_s -= SLAPS_SHOWN_S

    def turn_to(self, burst: Burst | None) -> None:
        """The last burst is this one now."""
        if burst is not None and (self.burst is None or burst.number != self.burst.number):
            self._begun_s = self._clock()
        self.burst = burst

    @property
    def shown(self) -> SlapsView | None:
        """The verdict, while it is of interest."""
        if self.burst is None or self._clock() - self._begun_s >= SLAPS_SHOWN_S:
            return None
        verdict = self.burst.verdict
        margin_us = None if verdict.margin_us is None else max(round(verdict.margin_us, 1), 0.0)
        return SlapsView(
            number=self.burst.number, seats=list(verdict.seats), first=list(verdict.first), margin_us=margin_us
        )

    @property
    def to_write(self) -> Json | None:
        """What is to be written down now: a verdict that stands, once, and again if a late slap changed it."""
        return self.unwritten if self._clock() - self._begun_s >= SETTLED_S else None

    def written(self, found: Json) -> None:
        """This was."""
        self._written = found

    @property
    def unwritten(self) -> Json | None:
        """The same, whether it stands or not."""
        found = None if self.burst is None else encode_verdict(self.burst)
        return None if found == self._written else found


def _belongs(slap: Signal, first: Signal) -> bool:
    """Whether two slaps are of one burst, by the board's own time."""
    if first.stamp is None or slap.stamp is None or first.stamp.boot != slap.stamp.boot or _ring(first) != _ring(slap):
        return False
    return abs(slap.stamp.ticks - first.stamp.ticks) * TICK_NS <= SLAPS_S * 1e9


def _ring(slap: Signal) -> int | None:
    """Boots are numbered anew by every board; their rings differ."""
    return slap.place.epoch if slap.place is not None else None
