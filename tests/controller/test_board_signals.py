"""The board's signals on their way into the journal: what is written, when the board may forget, what a new run knows.

The whole way, with the firmware and a program that is killed: tests/rigs/kill_signals.py.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from controller.board_signals import BoardSignals
from controller.game import Json
from controller.journal import Journal, JournalWriteFailed, Record
from controller.slap_book import SETTLED_S
from firmware_bridge.schema import TICK_BITS
from firmware_bridge.signals import HOST_SEAT, RingPlace, Signal, SignalKind, Stamp

TICKS_PER_S = 2_000_000
EPOCH = 7


class Board:
    """What stands in a board's ring, as a link tells it: what was not settled comes again over the next one."""

    def __init__(self) -> None:
        self.ring: list[Signal] = []
        self._told = 0
        self._number = 0

    def press(self, seat: int, at_s: float, kind: SignalKind = SignalKind.PAD_PRESSED, number: int = 0) -> None:
        self._number += 1
        stamp, place = Stamp(1, round(at_s * TICKS_PER_S)), RingPlace(EPOCH, self._number)
        self.ring.append(Signal(seat, kind, at_s, 0.001, number=number, stamp=stamp, place=place))

    def open(self, settled: RingPlace | None) -> None:
        """Another link."""
        known = settled.sequence if settled is not None else 0
        self._told = sum(1 for signal in self.ring if _sequence(signal) <= known)

    def get(self, timeout_s: float = 0.0) -> Signal | None:
        if self._told == len(self.ring):
            return None
        self._told += 1
        return self.ring[self._told - 1]

    def settle(self, signal: Signal) -> None:
        gone = sum(1 for one in self.ring if _sequence(one) <= _sequence(signal))
        assert gone <= self._told
        del self.ring[:gone]
        self._told -= gone


def _sequence(signal: Signal) -> int:
    assert signal.place is not None
    return signal.place.sequence


class FaultyLog:
    """A journal that refuses records, some before they are written and some after."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.refused_after: int | None = None
        self.says_so_after_all = False
        self.reads: Callable[[], object] = lambda: None
        """What is done before it is read."""

    def append(self, kind: str, data: Json) -> "Future[int]":
        if self.refused_after is None:
            return self._journal.append(kind, data)
        self.refused_after -= 1
        if self.refused_after >= 0:
            return self._journal.append(kind, data)
        if self.says_so_after_all:
            self._journal.append(kind, data).result()
        refused: Future[int] = Future()
        refused.set_exception(JournalWriteFailed("the disk refused"))
        return refused

    def newest(self, kind: str, count: int) -> list[Record]:
        self.reads()
        return self._journal.newest(kind, count)


class Table:
    """A board, a journal and what is between them, over many runs."""

    def __init__(self, path: Path) -> None:
        self.now_s = 100.0
        self.journal = Journal(path)
        self.log = FaultyLog(self.journal)
        self.board = Board()
        self.begin()

    def begin(self) -> None:
        """Another run: all that is known is in the journal."""
        self.signals = BoardSignals(self.log, lambda: self.now_s)
        self.board.open(self.signals.settled)

    async def take(self) -> None:
        await self.signals.take(self.board)

    async def settle_verdict(self) -> None:
        self.now_s += SETTLED_S
        await self.signals.write_verdict()

    def written(self, kind: str) -> list[Any]:
        return [record.data for record in self.journal.records() if record.kind == kind]

    def slapped(self) -> list[tuple[int, int]]:
        """Places in the ring and seats."""
        return [(data["sequence"], data["seat"]) for data in self.written("signal")]


def play(tmp_path: Path, story: Callable[[Table], Awaitable[None]]) -> None:
    async def run() -> None:
        table = Table(tmp_path / "journal.sqlite")
        with table.journal:
            await story(table)

    asyncio.run(run())


def test_slaps_are_written_before_the_board_may_forget_them(tmp_path: Path) -> None:
    async def story(table: Table) -> None:
        table.board.press(3, 10.0)
        table.board.press(5, 10.000412)
        table.board.press(3, 10.05, SignalKind.PAD_RELEASED)
        table.board.press(4, 10.06, SignalKind.KNIFE_DOCKED)
        await table.take()
        assert table.board.ring == []
        assert table.slapped() == [(1, 3), (2, 5)]
        assert table.signals.slaps.shown is not None
        assert table.written("slaps") == []
        await table.settle_verdict()
        await table.settle_verdict()
        assert table.written("slaps") == [{"burst": 1, "seats": [3, 5], "first": [3], "margin_us": 412.0}]

    play(tmp_path, story)


def test_a_pad_that_chatters_is_written_once_a_burst(tmp_path: Path) -> None:
    async def story(table: Table) -> None:
        for at in range(150):
            table.board.press(2, 10.0 + at / 100)
        await table.take()
        assert table.slapped() == [(1, 2), (102, 2)]
        assert table.board.ring == []

    play(tmp_path, story)


def test_each_burst_has_its_verdict_however_soon_the_next_one_comes(tmp_path: Path) -> None:
    async def story(table: Table) -> None:
        for burst, seats in enumerate(((3, 5), (5,), (1, 3))):
            for at, seat in enumerate(seats):
                table.board.press(seat, 10.0 + 1.1 * burst + at / 1000)
        await table.take()
        assert [data["seats"] for data in table.written("slaps")] == [[3, 5], [5]]
        await table.settle_verdict()
        table.board.press(2, 20.0)
        table.begin()
        await table.take()
        await table.settle_verdict()
        assert [(data["burst"], data["seats"]) for data in table.written("slaps")] == [
            (1, [3, 5]), (2, [5]), (3, [1, 3]), (4, [2]),
        ]  # fmt: skip

    play(tmp_path, story)


def test_what_the_board_had_no_room_for_is_written(tmp_path: Path) -> None:
    async def story(table: Table) -> None:
        table.board.press(HOST_SEAT, 10.0, SignalKind.SIGNALS_LOST, number=12)
        await table.take()
        assert [(data["kind"], data["number"]) for data in table.written("signal")] == [("signals-lost", 12)]
        table.begin()
        assert table.signals.settled == RingPlace(EPOCH, 1)
        assert table.signals.slaps.shown is None

    play(tmp_path, story)


@pytest.mark.parametrize("after", range(3), ids=lambda after: f"after {after}")
@pytest.mark.parametrize("after_all", [False, True], ids=["not written", "written after all"])
def test_what_the_disk_refuses_is_written_later_and_once(tmp_path: Path, after: int, after_all: bool) -> None:
    async def story(table: Table) -> None:
        for seat in (3, 5, 1):
            table.board.press(seat, 10.0 + seat / 1000)
        table.log.refused_after, table.log.says_so_after_all = after, after_all
        with pytest.raises(JournalWriteFailed):
            await table.take()
        assert len(table.board.ring) == 3
        assert table.signals.slaps.shown is None, "nothing is shown before all of it is written"
        table.log.refused_after = None
        await table.take()
        assert table.board.ring == []
        table.board.press(4, 10.1)
        await table.take()
        await table.settle_verdict()
        assert table.slapped() == [(1, 3), (2, 5), (3, 1), (4, 4)]
        assert [data["seats"] for data in table.written("slaps")] == [[1, 3, 5, 4]]

    play(tmp_path, story)


def test_while_a_slow_disk_is_read_the_rest_goes_on(tmp_path: Path) -> None:
    async def story(table: Table) -> None:
        table.board.press(3, 10.0)
        table.log.refused_after = 0
        with pytest.raises(JournalWriteFailed):
            await table.take()
        table.log.refused_after = None
        others_go_on = threading.Event()
        table.log.reads = lambda: waited.append(others_go_on.wait(timeout=5.0))
        waited: list[bool] = []
        asyncio.get_running_loop().call_soon(others_go_on.set)
        await table.take()
        assert waited == [True, True]
        assert table.slapped() == [(1, 3)]

    play(tmp_path, story)


@pytest.mark.parametrize("after_all", [False, True], ids=["not written", "written after all"])
def test_a_verdict_that_the_disk_refuses_is_written_later_and_once(tmp_path: Path, after_all: bool) -> None:
    async def story(table: Table) -> None:
        table.board.press(3, 10.0)
        await table.take()
        table.log.refused_after, table.log.says_so_after_all = 0, after_all
        with pytest.raises(JournalWriteFailed):
            await table.settle_verdict()
        table.log.refused_after = None
        for _ in range(3):
            await table.take()
            await table.settle_verdict()
        assert [data["seats"] for data in table.written("slaps")] == [[3]]

    play(tmp_path, story)


def test_a_run_that_ends_at_any_moment_loses_nothing_and_tells_nothing_twice(tmp_path: Path) -> None:
    """Ended before anything was written, between two records, before the board was told, and before the verdict."""

    async def story(table: Table) -> None:
        table.board.press(3, 10.0)
        table.board.get()
        table.begin()  # in hand, and nothing written
        table.board.press(5, 10.1)
        table.log.refused_after = 1
        with pytest.raises(JournalWriteFailed):
            await table.take()
        table.log.refused_after = None
        assert table.slapped() == [(1, 3)]
        table.begin()  # one of two written
        await table.take()
        table.board.press(6, 10.2)
        kept = list(table.board.ring)
        await table.take()
        table.board.ring[:0] = kept
        table.begin()  # written, and the board does not know
        table.board.press(1, 10.3)
        await table.take()
        table.begin()  # no verdict yet
        assert table.signals.slaps.shown is not None
        await table.settle_verdict()
        table.begin()  # the verdict is written
        await table.settle_verdict()
        assert table.slapped() == [(1, 3), (2, 5), (3, 6), (4, 1)]
        assert [data["seats"] for data in table.written("slaps")] == [[3, 5, 6, 1]]
        assert table.signals.slaps.shown is None

    play(tmp_path, story)


def test_the_boards_count_goes_round(tmp_path: Path) -> None:
    """A new run counts its rounds anew; a burst that it goes on with still belongs together."""

    async def story(table: Table) -> None:
        round_s = (1 << TICK_BITS) / TICKS_PER_S
        table.board.press(3, 10.0 + round_s)
        await table.take()
        table.begin()
        table.board.press(5, 10.1)
        await table.take()
        await table.settle_verdict()
        assert [data["seats"] for data in table.written("slaps")] == [[3, 5]]

    play(tmp_path, story)
