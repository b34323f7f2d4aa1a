"""The simulated table's microcontroller: hands and the knife reach its pins, each at its own time."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from firmware_bridge.link import Link
from firmware_bridge.session import LinkState
from firmware_bridge.signals import Signal, SignalKind
from firmware_bridge.slaps import judge
from hardware.pin_table.table import load_pin_table
from hardware.simulated.board_cable import RETRY_S, BoardCable, contact_pins
from hardware.simulated.emulated_board import EMULATOR, why_not_emulated
from hardware.simulated.world import ContactKind, ImpossibleGesture, World
from tests.rigs.emulation import CannotEmulate, build

PATIENCE_S = 30.0


class Wired:
    """A world whose contacts are the board's, and the link that hears it; time is real."""

    def __init__(self, folder: Path) -> None:
        self.port = folder / "board"
        self.ahead_s = 0.0
        self.world = World(Random(1), time.monotonic())
        self.cable = BoardCable(self.port)
        self.link = Link(str(self.port), time.monotonic)
        self.heard: list[Signal] = []

    def until(self, holds: Callable[[], bool]) -> None:
        end_s = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < end_s, f"it never came to hold: {self.link.status()}"
            self.world.advance(time.monotonic() + self.ahead_s)
            self.cable.follow(self.world)
            signal = self.link.get(0.01)
            if signal is not None:
                self.heard.append(signal)

    def is_ready(self) -> bool:
        status = self.link.status()
        return status.state is LinkState.READY and status.clock_bound_s is not None

    def close(self) -> None:
        self.cable.close()
        self.link.close()


@pytest.fixture
def wired(tmp_path: Path) -> Iterator[Wired]:
    try:
        build()
    except CannotEmulate as error:
        pytest.skip(str(error))
    assert why_not_emulated() == ""
    wired = Wired(tmp_path)
    yield wired
    wired.close()
    wired.close()
    assert not wired.port.is_symlink()


def test_slaps_keep_their_gaps_and_the_knife_its_dock(wired: Wired) -> None:
    wired.until(wired.is_ready)
    wired.world.lay_knife(4)
    wired.world.slap(3, 0.1004, 0.1)
    wired.world.slap(5, 0.1, 0.05)
    wired.until(lambda: len(wired.heard) == 5)
    slaps = [signal for signal in wired.heard if signal.kind is SignalKind.PAD_PRESSED]
    verdict = judge(slaps)
    assert verdict.first == (5,)
    assert verdict.margin_us == pytest.approx(400, abs=5)
    contacts = wired.link.status().contacts
    assert contacts is not None
    assert (contacts.knives, contacts.pads) == (frozenset({4}), frozenset())
    wired.world.lay_knife(2)
    wired.until(lambda: len(wired.heard) == 7)
    assert {(s.kind, s.seat) for s in wired.heard[5:]} == {(SignalKind.KNIFE_TAKEN, 4), (SignalKind.KNIFE_DOCKED, 2)}
    wired.world.lay_knife(None)
    wired.until(lambda: len(wired.heard) == 8)


def test_a_board_that_ended_is_switched_on_anew_and_feels_its_docks(wired: Wired) -> None:
    wired.world.lay_knife(6)
    wired.until(lambda: len(wired.heard) == 1)
    assert wired.cable._board is not None
    os.kill(wired.cable._board.pid, signal.SIGKILL)
    wired.until(lambda: wired.cable._board is None)
    wired.ahead_s = RETRY_S
    wired.until(lambda: len(wired.heard) == 2)
    assert [(s.kind, s.seat) for s in wired.heard] == [(SignalKind.KNIFE_DOCKED, 6)] * 2
    hello = wired.link.status().hello
    assert hello is not None
    assert hello.cold_boots == 2


def test_no_emulator_is_no_board_and_said_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("hardware.simulated.emulated_board.EMULATOR", tmp_path / "none")
    cable, world = BoardCable(tmp_path / "board"), World(Random(1))
    cable.follow(world)
    assert "none does not start: " in caplog.text
    cable.follow(world)
    assert len(caplog.records) == 1
    monkeypatch.setattr("hardware.simulated.emulated_board.missing_tools", list)
    assert why_not_emulated() == "its firmware is not built (`make emulated-board`)"
    monkeypatch.setattr("hardware.simulated.emulated_board.missing_tools", lambda: ["gcc-avr", "avr-libc"])
    assert why_not_emulated() == "not installed: gcc-avr, avr-libc (`make firmware-tools`)"
    monkeypatch.setattr("hardware.simulated.emulated_board.missing_tools", lambda: ["libsimavr-dev"])
    assert why_not_emulated() == "simavr is not installed (`make firmware-tools`)"
    assert EMULATOR.parent.name == "build"


def test_contacts_are_where_the_pin_table_says() -> None:
    pins = contact_pins(load_pin_table())
    assert pins[ContactKind.PAD, 1] == "K0"
    assert pins[ContactKind.KNIFE_DOCK, 8] == "A7"
    assert len(set(pins.values())) == 16


def test_what_no_hand_can_do() -> None:
    world = World(Random(1))
    for slap in ((9, 0.0, 0.1), (1, -0.1, 0.1), (1, 0.0, 0.0)):
        with pytest.raises(ImpossibleGesture):
            world.slap(*slap)
    with pytest.raises(ImpossibleGesture, match="seat 12"):
        world.lay_knife(12)
    world.lay_knife(1)
    world.lay_knife(1)
    assert (world.knife_seat, len(world.take_contact_edges())) == (1, 1)
    assert world.take_contact_edges() == ()
