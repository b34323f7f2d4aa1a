"""What every board on every line must do, whoever slaps: the same for the emulated one, the simulated table's, and with
`--hardware` the one on `serial.port` of the machine's own settings, where somebody slaps what is lit, and once all
eight lamps are, pulls the cable, slaps seat 1's pad once, and puts the cable back. `make test-usb` has such a somebody.
"""

import math
import os
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Protocol

import pytest

from config.loader import load_table, table_files
from firmware_bridge.link import Link, LinkStatus, board_ports
from firmware_bridge.session import Buzzing, LinkState
from firmware_bridge.signals import RingPlace, Signal, SignalKind
from hardware.pin_table.table import Device, load_pin_table
from hardware.simulated.board_cable import BoardCable
from hardware.simulated.emulated_board import HERTZ, EmulatedBoard
from hardware.simulated.world import World
from tests.rigs.emulation import CannotEmulate, build

PATIENCE_S = 30.0
READY_S = 5.0
BACK_S = 2.0
"""A board whose cable was put back is heard again within this."""
PULLED_S = 0.2
SEEN_S = 0.5
"""Until somebody who looks at the lamps has seen that they are off."""
BOUND_S = 0.02
"""How well the clock is known at the latest after a second of talking, on a line that is not overloaded."""


class People(Protocol):
    """A board and who slaps its pads."""

    port: str
    seats: tuple[int, ...]
    """Those that have a pad and somebody to slap it."""

    def follow(self) -> None:
        """Slap what is lit, let go of what is not; pull the cable when all is lit. Called again and again."""
        ...

    def late_s(self) -> float:
        """By how much the board's clock was behind real time at most, which no board's own does."""
        ...

    def close(self) -> None: ...


def pins_of(name: str) -> dict[int, str]:
    return {wire.number: wire.pin.removeprefix("P") for wire in load_pin_table().group(Device.BOARD, name).wires}


class AtEmulator:
    """Fingers on the emulated board's pins."""

    seats = tuple(range(1, 9))

    def __init__(self, folder: Path) -> None:
        self._board = EmulatedBoard(folder / "board")
        self.port = str(self._board.port)
        self._pads, self._lamps = pins_of("pads"), pins_of("seat_lamps")
        self._seen: set[int] = set()
        self._down: set[int] = set()
        self._is_pulled = False

    def follow(self) -> None:
        lit = {seat for seat, pin in self._lamps.items() if self._board.level(pin)}
        if lit != self._seen:  # one lamp is looked at after the other
            self._seen = lit
            return
        if lit == set(self.seats):
            self._pull()
            return
        self._is_pulled = False
        for seat in lit ^ self._down:
            self._board.edge(0, self._pads[seat], int(seat not in lit))
        self._down = lit

    def _pull(self) -> None:
        """Once, until the lamps want something else."""
        if self._is_pulled:
            return
        self._is_pulled = True
        self._board.do("unplug")
        self._board.fired()
        self._board.soon([(HERTZ // 1000, self._pads[1], 0), (HERTZ // 10, self._pads[1], 1)])
        fired = 0
        while fired < 2:
            fired += len(self._board.fired())
        self._board.do("plug")

    def late_s(self) -> float:
        return self._board.late_s()

    def close(self) -> None:
        self._board.close()


class AtSimulatedTable:
    """Hands of the simulated world; the lamps are seen on the pins, as the world has no eyes for them."""

    seats = tuple(range(1, 7))

    def __init__(self, folder: Path) -> None:
        self.port = str(folder / "board")
        self._world = World(Random(1), time.monotonic())
        self._cable = BoardCable(folder / "board")
        self._lamps = pins_of("seat_lamps")
        self._seen: set[int] = set()
        self._lit: set[int] = set()
        self._plug_s = math.inf
        self.follow()

    def follow(self) -> None:
        self._world.advance(time.monotonic())
        board = self._cable._board
        lit = {seat for seat in self.seats if board is not None and board.level(self._lamps[seat])}
        if lit != self._seen:  # one lamp is looked at after the other
            self._seen = lit
            lit = self._lit
        if board is not None and lit == set(self.seats) != self._lit:
            board.do("unplug")
            self._world.slap(1, 0.01, 0.05)
            self._plug_s = self._world.now_s + PULLED_S
        elif lit != set(self.seats):
            for seat in lit - self._lit:
                self._world.slap(seat, 0.01, 0.05)
        self._lit = lit
        self._cable.follow(self._world)
        if board is not None and self._world.now_s >= self._plug_s:
            board.do("plug")
            self._plug_s = math.inf

    def late_s(self) -> float:
        board = self._cable._board
        assert board is not None
        return board.late_s()

    def close(self) -> None:
        self._cable.close()


class AtRealBoard:
    """Somebody who slaps what is lit."""

    seats = tuple(range(1, 9))

    def __init__(self, port: str) -> None:
        self.port = port

    def follow(self) -> None:
        pass

    def late_s(self) -> float:
        return 0.0

    def close(self) -> None:
        pass


def real_board() -> AtRealBoard:
    port = load_table(table_files(None, os.environ)).serial.port
    if port is None:
        pytest.skip("serial.port is not set in the machine's settings")
    return AtRealBoard(port)


KINDS: dict[str, Callable[[Path], People]] = {
    "emulated": AtEmulator,
    "simulated table": AtSimulatedTable,
    "real": lambda _: real_board(),
}


@pytest.fixture(params=KINDS)
def people(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[People]:
    if request.param == "real":
        if not request.config.getoption("hardware"):
            pytest.skip("needs a real board and somebody who slaps what is lit: --hardware")
    else:
        try:
            build()
        except CannotEmulate as error:
            pytest.skip(str(error))
    people = KINDS[request.param](tmp_path)
    yield people
    people.close()


class Listener:
    """A link, and what it said."""

    def __init__(self, people: People, settled: RingPlace | None = None, *, settles: bool = True) -> None:
        self._people = people
        self._settles = settles
        self.link = Link(people.port, time.monotonic, settled=settled)
        self.heard: list[Signal] = []

    def until(self, holds: Callable[[], bool], within_s: float = PATIENCE_S) -> None:
        end_s = time.monotonic() + within_s
        while not holds():
            assert time.monotonic() < end_s, f"it never came to hold: {self.link.status()}, {self.heard}"
            self._people.follow()
            signal = self.link.get(0.02)
            if signal is not None:
                self.heard.append(signal)
                if self._settles:
                    self.link.settle(signal)

    def until_ready(self) -> LinkStatus:
        self.until(lambda: self.link.status().state is LinkState.READY, 3 * READY_S)
        self.until(lambda: (self.link.status().clock_bound_s or 1.0) < BOUND_S)
        return self.link.status()


@pytest.fixture
def listener(people: People) -> Iterator[Listener]:
    listener = Listener(people)
    yield listener
    listener.link.close()
    listener.link.close()


def test_it_is_ready_and_well(listener: Listener) -> None:
    status = listener.until_ready()
    assert status.words == "all is well"
    assert status.hello is not None
    assert status.hello.cold_boots > 0
    assert status.contacts is not None
    assert status.contacts.pads == frozenset()
    listener.link.buzz(Buzzing(0.1, 0.0, 1))


def test_what_is_lit_is_slapped_and_heard_once_and_in_order(people: People, listener: Listener) -> None:
    listener.until_ready()
    begun_s = time.monotonic()
    pads = (SignalKind.PAD_PRESSED, SignalKind.PAD_RELEASED)
    for number, seat in enumerate(people.seats, 1):
        listener.link.set_lamps(1 << (seat - 1))
        listener.until(lambda: len([s for s in listener.heard if s.kind in pads]) >= 2 * number - 1)  # noqa: B023
        listener.link.set_lamps(0)
        listener.until(lambda: len([s for s in listener.heard if s.kind in pads]) >= 2 * number)  # noqa: B023
    heard = [signal for signal in listener.heard if signal.kind in pads]
    assert [(s.seat, s.kind) for s in heard] == [(seat, kind) for seat in people.seats for kind in pads]
    stamps = [signal.stamp for signal in heard]
    assert all(a is not None and b is not None and a.ticks < b.ticks for a, b in pairwise(stamps))
    late_s = people.late_s()
    bounds_s = [s.uncertainty_s + late_s for s in heard]
    assert all(begun_s - b <= s.time_s <= time.monotonic() + b for s, b in zip(heard, bounds_s, strict=True))


def test_a_link_that_is_opened_again_goes_on_and_says_nothing_twice(people: People, listener: Listener) -> None:
    listener.until_ready()
    seat = people.seats[0]
    listener.link.set_lamps(1 << (seat - 1))
    listener.until(lambda: any(s.kind is SignalKind.PAD_PRESSED for s in listener.heard))
    listener.link.set_lamps(0)
    listener.until(lambda: any(s.kind is SignalKind.PAD_RELEASED for s in listener.heard))
    listener.link.close()
    again = Listener(people)
    try:
        again.until_ready()
        assert not [s for s in again.heard if s.kind is SignalKind.PAD_PRESSED]
    finally:
        again.link.close()


def test_what_was_not_settled_comes_again_over_the_next_link(people: People, listener: Listener) -> None:
    listener.until_ready()
    listener.link.close()
    pads = (SignalKind.PAD_PRESSED, SignalKind.PAD_RELEASED)
    dead = Listener(people, settles=False)
    try:
        dead.until_ready()
        dead.link.set_lamps(1 << (people.seats[0] - 1))
        dead.until(lambda: any(s.kind is SignalKind.PAD_PRESSED for s in dead.heard))
        dead.link.set_lamps(0)
        dead.until(lambda: any(s.kind is SignalKind.PAD_RELEASED for s in dead.heard))
    finally:
        dead.link.close()
    heard = [(s.seat, s.kind, s.place) for s in dead.heard if s.kind in pads]
    heir = Listener(people, settled=heard[0][2])
    try:
        heir.until(lambda: any(s.kind is SignalKind.PAD_RELEASED for s in heir.heard))
        assert [(s.seat, s.kind, s.place) for s in heir.heard if s.kind in pads] == heard[1:]
    finally:
        heir.link.close()


def test_a_port_has_one_user(people: People, listener: Listener) -> None:
    listener.until_ready()
    other = Link(people.port, time.monotonic)
    try:
        listener.until(lambda: "another program has it" in other.status().words)
        assert listener.link.status().state is LinkState.READY
    finally:
        other.close()


def test_a_board_whose_cable_was_pulled_is_back_with_what_happened_meanwhile(
    people: People, listener: Listener, request: pytest.FixtureRequest
) -> None:
    pads = (SignalKind.PAD_PRESSED, SignalKind.PAD_RELEASED)
    for turn in range(request.config.getoption("pulls")):
        listener.until_ready()
        listener.heard.clear()
        listener.link.set_lamps(0xFF)
        listener.until(lambda: listener.link.status().state is LinkState.NO_BOARD)
        listener.until(lambda: Path(people.port).exists())
        begun_s = time.monotonic()
        listener.until(lambda: listener.link.status().state is LinkState.READY)
        back_s = time.monotonic() - begun_s
        listener.until(lambda: len([s for s in listener.heard if s.kind in pads]) >= 2)
        assert back_s < BACK_S, f"time {turn + 1}"
        listener.link.set_lamps(0)
        seen_s = time.monotonic() + SEEN_S
        listener.until(lambda: time.monotonic() > seen_s)  # noqa: B023
        assert [(s.seat, s.kind) for s in listener.heard if s.kind in pads] == [(1, kind) for kind in pads]


def test_a_real_board_has_a_stable_name(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("hardware"):
        pytest.skip("needs a real board: --hardware")
    assert real_board().port in board_ports()
