"""The board's ticks in seconds of this machine's monotonic clock, with a bound for the error.

An exchange of Ping and Pong says of one tick that it lay between two of our own instants. The fastest exchanges say it
most narrowly; between them they also bound how fast the board's resonator runs. Every answer is the middle of what all
of them leave possible, and its bound half the width of that: no assumption about which way was the slower one.
"""

from collections import deque
from dataclasses import dataclass

from firmware_bridge.schema import TICK_BITS, TICK_NS

TICK_S = TICK_NS * 1e-9
RATE_TOLERANCE = 0.006
"""How far the board's rate may be off: ceramic resonators are sold within 0.5 %."""
DRIFT = 20e-6
"""How much the rate may change while exchanges are kept: what warming up does to a resonator."""
KEPT = 256
"""Exchanges that are looked at, oldest dropped."""
_FASTEST = 8
"""One in so many of them is used: the fastest."""
_NEWEST = 16
"""The newest are used too: a fast one of a minute ago says little by now, as rates drift."""


class ClockError(Exception):
    """Root of what the clocks fail with."""


class ClockUnknown(ClockError, LookupError):
    """No exchange has succeeded yet."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The board's counter was at `ticks` at some instant between `after_s` and `before_s`."""

    ticks: int
    after_s: float
    before_s: float


@dataclass(frozen=True, slots=True)
class Instant:
    """A time of the monotonic clock."""

    time_s: float
    bound_s: float
    """The true time is at most so far off."""


class TickCounter:
    """The board's 40 bits carried on to 64: readings may be up to 3 days older or newer than the newest one."""

    def __init__(self) -> None:
        self._newest: int | None = None

    def extend(self, turns: int, ticks: int) -> int:
        """The whole count; the first reading is taken to be of the counter's first round."""
        reading = turns << 32 | ticks
        if self._newest is None:
            self._newest = reading
        half = 1 << TICK_BITS - 1
        ahead = (reading - self._newest + half) % (2 * half) - half
        whole = max(self._newest + ahead, 0)
        self._newest = max(self._newest, whole)
        return whole


class ClockMap:
    """Ticks of one boot of the board as monotonic time."""

    def __init__(self) -> None:
        self._kept: deque[Exchange] = deque(maxlen=KEPT)
        self._used: list[Exchange] = []
        self._slowest_s = self._fastest_s = TICK_S

    def add(self, exchange: Exchange) -> None:
        """Take an exchange into account.

        Raises:
            ValueError: it ended before it began.
        """
        if exchange.before_s < exchange.after_s:
            raise ValueError(
                f"an exchange from {exchange.after_s} s to {exchange.before_s} s: expected no negative time"
            )
        self._kept.append(exchange)
        self._choose()
        if self._slowest_s > self._fastest_s or not self._agrees_with(exchange):
            # The board's rate has changed, or its clock was stopped: what came before is worth nothing.
            self._kept.clear()
            self._kept.append(exchange)
            self._choose()

    def time_of(self, ticks: int) -> Instant:
        """When the counter was at `ticks`.

        Raises:
            ClockUnknown: before the first exchange.
        """
        earliest_s, latest_s = self._span(ticks)
        return Instant((earliest_s + latest_s) / 2, abs(latest_s - earliest_s) / 2 + TICK_S)

    @property
    def exchanges(self) -> int:
        """How many are kept."""
        return len(self._kept)

    @property
    def newest_bound_s(self) -> float:
        """The bound of the latest exchange's tick.

        Raises:
            ClockUnknown: before the first exchange.
        """
        return self.time_of(self._kept[-1].ticks if self._kept else 0).bound_s

    def _choose(self) -> None:
        kept = list(self._kept)
        older, newest = kept[:-_NEWEST], kept[-_NEWEST:]
        older.sort(key=lambda exchange: exchange.before_s - exchange.after_s)
        self._used = older[: -(-len(older) // _FASTEST)] + newest
        slowest, highest = TICK_S * (1 - RATE_TOLERANCE), TICK_S * (1 + RATE_TOLERANCE)
        by_ticks = sorted(self._used, key=lambda exchange: exchange.ticks)
        for place, later in enumerate(by_ticks):
            for earlier in by_ticks[:place]:
                passed = later.ticks - earlier.ticks
                if passed:
                    slowest = max(slowest, (later.after_s - earlier.before_s) / passed)
                    highest = min(highest, (later.before_s - earlier.after_s) / passed)
        self._slowest_s, self._fastest_s = slowest - DRIFT * TICK_S, highest + DRIFT * TICK_S

    def _agrees_with(self, exchange: Exchange) -> bool:
        earliest_s, latest_s = self._span(exchange.ticks)
        return earliest_s <= latest_s and earliest_s <= exchange.before_s and latest_s >= exchange.after_s

    def _span(self, ticks: int) -> tuple[float, float]:
        if not self._used:
            raise ClockUnknown(f"tick {ticks} has no time: no exchange with the board yet")
        spans = [self._span_from(exchange, ticks - exchange.ticks) for exchange in self._used]
        return max(span[0] for span in spans), min(span[1] for span in spans)

    def _span_from(self, exchange: Exchange, passed: int) -> tuple[float, float]:
        slow, fast = sorted((passed * self._slowest_s, passed * self._fastest_s))
        return exchange.after_s + slow, exchange.before_s + fast
