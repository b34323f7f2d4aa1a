"""Events of the board as signals."""

import math
from collections.abc import Mapping

from firmware_bridge.clock import TICK_S, ClockMap
from firmware_bridge.messages import MessageError
from firmware_bridge.schema import DEBOUNCE_TICKS, POLL_TICKS, Event, EventFlag, EventKind
from firmware_bridge.signals import HOST_SEAT, RingPlace, Signal, SignalKind, Stamp

_KINDS: Mapping[tuple[int, bool], SignalKind] = {
    (EventKind.PAD, True): SignalKind.PAD_PRESSED,
    (EventKind.PAD, False): SignalKind.PAD_RELEASED,
    (EventKind.KNIFE_DOCK, True): SignalKind.KNIFE_DOCKED,
    (EventKind.KNIFE_DOCK, False): SignalKind.KNIFE_TAKEN,
    (EventKind.SKEWER_DOCK, True): SignalKind.SKEWER_DOCKED,
    (EventKind.SKEWER_DOCK, False): SignalKind.SKEWER_TAKEN,
    (EventKind.BEAM, True): SignalKind.BEAM_BROKEN,
    (EventKind.BEAM, False): SignalKind.BEAM_CLEAR,
    (EventKind.SPARE, True): SignalKind.SPARE_CLOSED,
    (EventKind.SPARE, False): SignalKind.SPARE_OPENED,
    (EventKind.OVERFLOW, True): SignalKind.SIGNALS_LOST,
}
_OF_SEATS = (EventKind.PAD, EventKind.KNIFE_DOCK)
_NUMBERED = (EventKind.SKEWER_DOCK, EventKind.SPARE)


def signal_of(event: Event, ticks: int, clock: ClockMap | None, arrived_s: float) -> Signal:
    """The signal that an event is.

    Args:
        event: as it came.
        ticks: its whole count.
        clock: of the event's boot; None where that boot was never talked to: then all that is known of its time is that
            it was before it arrived.
        arrived_s: when the event came in.

    Raises:
        MessageError: no such kind of event.
    """
    kind = _KINDS.get((event.kind, event.value != 0))
    if kind is None:
        raise MessageError(f"{event}: expected one of the kinds {[kind.value for kind in EventKind]}")
    early = _early_ticks(event)
    time_s, bound_s = arrived_s, math.inf
    if clock is not None:
        instant = clock.time_of(ticks)
        time_s, bound_s = instant.time_s - early * TICK_S / 2, instant.bound_s + early * TICK_S / 2
    return Signal(
        seat=event.index + 1 if event.kind in _OF_SEATS else HOST_SEAT,
        kind=kind,
        time_s=time_s,
        uncertainty_s=bound_s,
        number=_number(event),
        stamp=Stamp(event.boot, ticks, early),
        place=RingPlace(event.epoch, event.sequence),
    )


def _number(event: Event) -> int:
    if event.kind == EventKind.OVERFLOW:
        return event.value
    return event.index + 1 if event.kind in _NUMBERED else 0


def _early_ticks(event: Event) -> int:
    if event.flags & EventFlag.LATE:
        return DEBOUNCE_TICKS + POLL_TICKS
    return 0 if event.kind == EventKind.PAD else POLL_TICKS
