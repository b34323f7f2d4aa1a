"""The microcontroller's signals, from its line into the journal: none lost, none twice, whenever the program ends.

The board keeps an event until it is told to forget it. It is told so when what the event means is on the disk, or when
it means nothing that must last: of a slap, that it changes nothing of its burst's verdict; of docks, beam and releases
always, as the board says anew what is closed whenever it is asked. So what a program that ends had in hand comes again
to the next one, and as each record tells where its signal stood in the board's ring, what was written is not heard
again.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from controller.game import Json
from controller.journal import JournalError, Record
from controller.slap_book import Burst, SlapBook, burst_after, burst_of, encode_verdict
from firmware_bridge.schema import TICK_BITS
from firmware_bridge.signals import RingPlace, Signal, SignalKind, Stamp

SIGNAL, VERDICT = "signal", "slaps"
"""Kinds of the journal's records: a signal of the board, and who was first in a burst of slaps."""
_BURST_RECORDS = 64
"""More than a burst has: every pad slaps first but once."""
_log = logging.getLogger("pizzatable")


class Log(Protocol):
    """What the signals need of the journal."""

    def append(self, kind: str, data: Json) -> "Future[int]":
        """See `Journal.append`."""
        ...

    def newest(self, kind: str, count: int) -> list[Record]:
        """See `Journal.newest`."""
        ...


class Line(Protocol):
    """What the signals need of the link."""

    def get(self, timeout_s: float = 0.0) -> Signal | None:
        """See `Link.get`."""
        ...

    def settle(self, signal: Signal) -> None:
        """See `Link.settle`."""
        ...


class BoardSignals:
    """The signals of one table's board, over all links and all runs of the program."""

    def __init__(self, journal: Log, clock: Callable[[], float]) -> None:
        """Go on where the journal ends. It is waited for.

        Raises:
            JournalError: it cannot be read.
        """
        self._journal = journal
        self._clock = clock
        self._in_hand: list[Signal] = []
        self._last: Signal | None = None
        """What was got last and is not settled."""
        self._is_unsure = False
        self.settled: RingPlace | None = None
        """The last place in the board's ring that the journal knows of."""
        self._recall(*self._written())

    @property
    def slaps(self) -> SlapBook:
        """The last burst of slaps, as far as the journal has it."""
        return self._slaps

    async def take(self, line: Line) -> None:
        """Get what the board has said, write down what must last, let the board forget all of it.

        Raises:
            JournalError: it cannot be written now. It stays in hand and is written by a later call.
        """
        if self._is_unsure:
            self._recall(*await asyncio.to_thread(self._written))
            self._in_hand = [signal for signal in self._in_hand if not self._is_written(signal)]
        while (signal := line.get()) is not None:
            self._in_hand.append(signal)
            self._last = signal
        if self._last is None:
            return
        try:
            await self._write(self._in_hand)
        except JournalError:
            self._is_unsure = True  # of several records, the disk may have taken some
            raise
        line.settle(self._last)
        self._in_hand, self._last = [], None

    async def write_verdict(self) -> None:
        """Write down who was first, once that stands.

        Raises:
            JournalError: it cannot be written now.
        """
        if (verdict := self._slaps.to_write) is not None and not self._is_unsure:
            try:
                await asyncio.wrap_future(self._journal.append(VERDICT, verdict))
            except JournalError:
                self._is_unsure = True
                raise
            self._slaps.written(verdict)

    async def _write(self, signals: Sequence[Signal]) -> None:
        burst, verdict, writing = self._slaps.burst, self._slaps.unwritten, []
        for signal in signals:
            if signal.kind is SignalKind.PAD_PRESSED:
                before, burst = burst, burst_after(burst, signal)
                if before is not None and burst.number != before.number and verdict is not None:
                    writing.append(self._journal.append(VERDICT, verdict))  # nothing more belongs to it
                if burst is not before:
                    writing.append(self._journal.append(SIGNAL, _encode(signal, burst.number)))
                    verdict = encode_verdict(burst)
            elif signal.kind is SignalKind.SIGNALS_LOST:
                _log.warning("the microcontroller had no room for %d signals", signal.number)
                writing.append(self._journal.append(SIGNAL, _encode(signal, None)))
        for future in writing:
            await asyncio.wrap_future(future)
        self._slaps.turn_to(burst)

    def _written(self) -> tuple[list[Record], list[Record]]:
        """The last signals and the last verdict that the journal has. Waits for the disk."""
        return self._journal.newest(SIGNAL, _BURST_RECORDS), self._journal.newest(VERDICT, 1)

    def _recall(self, records: Sequence[Record], verdicts: Sequence[Record]) -> None:
        """All that is known is what the journal says."""
        self.settled = _place(records[-1].data) if records else None
        self._slaps = SlapBook(self._clock, _last_burst(records), verdicts[0].data if verdicts else None)
        self._is_unsure = False

    def _is_written(self, signal: Signal) -> bool:
        place, settled = signal.place, self.settled
        if place is None or settled is None:
            return False
        return place.epoch == settled.epoch and place.sequence <= settled.sequence


def _encode(signal: Signal, burst: int | None) -> dict[str, Json]:
    """A signal as it is written down."""
    data: dict[str, Json] = {"kind": signal.kind.value, "seat": signal.seat, "number": signal.number}
    if signal.place is not None:
        data |= {"epoch": signal.place.epoch, "sequence": signal.place.sequence}
    if signal.stamp is not None:
        data |= {"boot": signal.stamp.boot, "ticks": signal.stamp.ticks, "early_ticks": signal.stamp.early_ticks}
    return data if burst is None else data | {"burst": burst}


def _last_burst(records: Sequence[Record]) -> Burst | None:
    """The last burst of slaps that the records tell of."""
    slaps = [record.data for record in records if "burst" in record.data]
    if not slaps:
        return None
    number = slaps[-1]["burst"]
    return burst_of(number, [_decode_slap(data) for data in slaps if data["burst"] == number])


def _decode_slap(data: Any) -> Signal:
    # This program's count of the board's rounds begins anew.
    stamp = Stamp(data["boot"], data["ticks"] % (1 << TICK_BITS), data["early_ticks"])
    return Signal(data["seat"], SignalKind.PAD_PRESSED, 0.0, float("inf"), stamp=stamp, place=_place(data))


def _place(data: Any) -> RingPlace | None:
    return RingPlace(data["epoch"], data["sequence"]) if "epoch" in data else None
