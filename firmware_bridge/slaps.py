"""Who slapped first."""

from collections.abc import Sequence
from dataclasses import dataclass

from firmware_bridge.schema import STAMP_JITTER_TICKS, TICK_NS
from firmware_bridge.signals import Signal, SignalKind

RESOLUTION_US = 20.0
"""Slaps closer together than this may be called a tie."""


class SlapError(Exception):
    """Root of what cannot be judged."""


class NotComparable(SlapError, ValueError):
    """Signals that are no slaps of one boot of the board."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The slaps in order, and how clear it is."""

    seats: tuple[int, ...]
    """Every seat that slapped, by its first slap, the earliest first."""
    first: tuple[int, ...]
    """The seat that was first; several of them for a tie, which is left to the eye: who covers the card."""
    margin_us: float | None
    """How much later the second came than the first; None if there was only one."""

    @property
    def tie(self) -> bool:
        """Whether several were first."""
        return len(self.first) > 1


def judge(slaps: Sequence[Signal], resolution_us: float = RESOLUTION_US) -> Verdict:
    """Order the seats by their first slaps; times play no part, only the board's ticks.

    What lies `resolution_us` or more apart is never a tie and always in the right order. The board's stamps may spread
    by STAMP_JITTER_TICKS, so a gap that reads that much less may be such a one and is no tie either: its order is still
    certain, being larger than the spread. Whatever reads less than that is a tie.

    Raises:
        NotComparable: no slaps, something else among them, or stamps of different boots.
        ValueError: a resolution that the stamps cannot give.
    """
    jitter_us = STAMP_JITTER_TICKS * TICK_NS / 1000
    if not resolution_us > 2 * jitter_us:
        raise ValueError(f"a resolution of {resolution_us} us: expected more than {2 * jitter_us} us")
    earliest = _first_slaps(slaps)
    order = sorted(earliest, key=lambda seat: (earliest[seat][1], seat))
    leader_us = earliest[order[0]][1]
    tied = [seat for seat in order if earliest[seat][0] - leader_us < resolution_us - jitter_us]
    margin_us = earliest[order[1]][1] - leader_us if len(order) > 1 else None
    return Verdict(tuple(order), tuple(tied) if len(tied) > 1 else (order[0],), margin_us)


def _first_slaps(slaps: Sequence[Signal]) -> dict[int, tuple[float, float]]:
    """For each seat when its first slap was, at the earliest and at the latest, in microseconds."""
    found: dict[int, tuple[float, float]] = {}
    boots = {slap.stamp.boot for slap in slaps if slap.stamp is not None}
    wrong = [slap for slap in slaps if slap.kind is not SignalKind.PAD_PRESSED or slap.stamp is None]
    if wrong or len(boots) != 1:
        raise NotComparable(
            f"{wrong[:1] or sorted(boots)}: expected pressed pads, with stamps of one boot of the board"
        )
    for slap in slaps:
        assert slap.stamp is not None
        latest_us = slap.stamp.ticks * TICK_NS / 1000
        span = latest_us - slap.stamp.early_ticks * TICK_NS / 1000, latest_us
        if slap.seat not in found or span[1] < found[slap.seat][1]:
            found[slap.seat] = span
    return found
