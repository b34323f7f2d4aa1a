"""The panel's contract: on the simulated table's pins, on the pin factories of Raspberry Pi 4 and 5, on kernel lines.

Tests tell a story that begins at 100 s. Stand-ins take its times for the panel's clock. Lines of a real kernel live
through it, and what they stamp must lie within the microseconds in which the edge was made.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Protocol

import pytest
from gpiozero.pins import Factory

from config.loader import load_table
from firmware_bridge.signals import HOST_SEAT, Signal, SignalKind
from hardware.panel import (
    BLINK_S,
    HELD_S,
    LampState,
    Panel,
    PanelLost,
    PanelPins,
    PanelUnavailable,
    SeatPins,
    UnknownSeat,
    open_real_pins,
)
from hardware.pin_table.table import Device, load_pin_table
from hardware.simulated.pins import SimulatedPins
from hardware.simulated.world import ButtonEdge, World
from tests.hardware.fake_lgpio import FakeLgpio
from tests.hardware.gpio_sim import SimulatedHeader, bank

PINS = PanelPins({1: SeatPins(5, 4), 2: SeatPins(6, 17)}, host_button=16, buzzer=12)
BUTTONS = {HOST_SEAT: 16, 1: 5, 2: 6}
PI_4, PI_5 = 0xC03112, 0xC04170
"""Revision codes."""

BEGIN_S = 100.0
"""When the story begins; a multiple of BLINK_S."""

PRESSED, RELEASED, HELD = SignalKind.BUTTON_PRESSED, SignalKind.BUTTON_RELEASED, SignalKind.BUTTON_HELD


class Pins(Protocol):
    """Pins as people see them: what they do to buttons, what lamps and buzzer do."""

    factory: Factory

    def clock(self) -> float:
        """The panel's."""
        ...

    def wait_until(self, at_s: float) -> None:
        """Let the story go on to a time of it, and everything be told that happened until then."""
        ...

    def edge(self, seat: int, down: bool, at_s: float) -> tuple[float, float]:
        """Press or let go at a time of the story; the panel's clock then, from and to."""
        ...

    def lamp(self, seat: int) -> float: ...

    def buzzing(self) -> bool: ...

    def reopen(self) -> None:
        """Let go of the factory and open another one, as somebody does whose pins did not work any more."""
        ...

    def vanish(self) -> None:
        """No pin works any more."""
        ...

    def come_back(self) -> None:
        """The pins are there again for who opens them anew."""
        ...

    def close(self) -> None: ...


class ToldTime:
    """A clock that stands where it was put."""

    now_s: float = BEGIN_S

    def clock(self) -> float:
        return self.now_s

    def wait_until(self, at_s: float) -> None:
        self.now_s = max(self.now_s, at_s)


class TablePins(ToldTime):
    """The simulated table's."""

    def __init__(self) -> None:
        self._world = World(Random(1), start_s=100.0)
        self._pins = SimulatedPins(PINS, self._world.set_lamp, self._world.set_buzzer)
        self.factory = self._pins.factory

    def edge(self, seat: int, down: bool, at_s: float) -> tuple[float, float]:
        self._pins.apply(ButtonEdge(seat, down, at_s))
        return at_s, at_s

    def lamp(self, seat: int) -> float:
        return self._world.lamp(seat)

    def buzzing(self) -> bool:
        return self._world.snapshot().buzzing

    def reopen(self) -> None:
        self._pins.close()
        self._pins = SimulatedPins(PINS, self._world.set_lamp, self._world.set_buzzer)
        self.factory = self._pins.factory

    def vanish(self) -> None:
        pytest.skip("pins of a simulated table do not vanish")

    def come_back(self) -> None: ...

    def close(self) -> None:
        self._pins.close()


class PiPins(ToldTime):
    """gpiozero's factory for a Raspberry Pi's own pins, on a chip that stands in for the kernel's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, revision: int) -> None:
        self.chip = FakeLgpio()
        monkeypatch.setattr("gpiozero.pins.lgpio.lgpio", self.chip)
        monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: revision)
        self.factory = open_real_pins()

    def edge(self, seat: int, down: bool, at_s: float) -> tuple[float, float]:
        self.chip.edge(BUTTONS[seat], int(not down), round(at_s * 1e9))
        return at_s, at_s

    def lamp(self, seat: int) -> float:
        return self.chip.level(PINS.seats[seat].lamp)

    def buzzing(self) -> bool:
        return self.chip.level(PINS.buzzer) == 1.0

    def reopen(self) -> None:
        self.factory.close()
        self.factory = open_real_pins()

    def vanish(self) -> None:
        self.chip.gone = True

    def come_back(self) -> None:
        self.chip.gone = False

    def close(self) -> None:
        self.come_back()
        self.factory.close()


class KernelPins:
    """The factory for a Raspberry Pi's own pins on lines of this machine's kernel."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.header = SimulatedHeader(PINS, monkeypatch, PI_5)
        self.factory = self.header.factory
        self.clock = time.monotonic
        # A whole number of blinks away from the story, so that lamps blink in its time.
        self._later_s = (time.monotonic() // BLINK_S + 1) * BLINK_S - BEGIN_S

    def wait_until(self, at_s: float) -> None:
        time.sleep(max(0.0, at_s + self._later_s - time.monotonic()))
        self.header.wait_until_told()

    def edge(self, seat: int, down: bool, at_s: float) -> tuple[float, float]:
        time.sleep(max(0.0, at_s + self._later_s - time.monotonic()))
        return self.header.press(BUTTONS[seat], down)

    def lamp(self, seat: int) -> float:
        return self.header.lamp(PINS.seats[seat].lamp)

    def buzzing(self) -> bool:
        return self.header.level(PINS.buzzer) == 1

    def reopen(self) -> None:
        self.header.reopen()
        self.factory = self.header.factory

    def vanish(self) -> None:
        self.header.vanish()

    def come_back(self) -> None:
        self.header.come_back()

    def close(self) -> None:
        self.header.close()


@dataclass
class Bench:
    """Pins, a panel on them, and what the panel said."""

    pins: Pins
    heard: list[Signal] = field(default_factory=list)
    edges: list[tuple[float, tuple[float, float]]] = field(default_factory=list)
    """Times of the story, and the panel's clock then, from and to."""
    panel: Panel = field(init=False)

    def __post_init__(self) -> None:
        self.panel = Panel(PINS, self.pins.factory, self.pins.clock, self.heard.append)

    def edge(self, seat: int, down: bool, at_s: float) -> None:
        if isinstance(self.pins, ToldTime):
            self.pins.wait_until(at_s)
        self.edges.append((at_s, self.pins.edge(seat, down, at_s)))

    def advance(self, to_s: float) -> None:
        self.pins.wait_until(to_s)
        self.panel.poll()

    def said(self) -> list[tuple[int, SignalKind, float]]:
        """What the panel said until now, at the times of the story."""
        self.pins.wait_until(BEGIN_S)
        return [(signal.seat, signal.kind, self._in_story(signal)) for signal in self.heard]

    def _in_story(self, signal: Signal) -> float:
        """The time of the edge that a signal is stamped with; the signal's own where there is none such."""
        after_s = HELD_S if signal.kind is HELD else 0.0
        for at_s, (from_s, to_s) in self.edges:
            if from_s - 2e-9 <= signal.time_s - after_s <= to_s + 2e-9:
                return round(at_s + after_s, 6)
        return round(signal.time_s, 6)


STAND_INS: dict[str, Callable[[pytest.MonkeyPatch], Pins]] = {
    "simulated table": lambda _: TablePins(),
    "Raspberry Pi 4": lambda monkeypatch: PiPins(monkeypatch, PI_4),
    "Raspberry Pi 5": lambda monkeypatch: PiPins(monkeypatch, PI_5),
}
KINDS = STAND_INS | {"gpio-sim": KernelPins}


@pytest.fixture(params=KINDS)
def pins(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pins]:
    pins = KINDS[request.param](monkeypatch)
    yield pins
    pins.close()


@pytest.fixture
def bench(pins: Pins) -> Iterator[Bench]:
    bench = Bench(pins)
    yield bench
    bench.panel.close()


def test_press_and_release_carry_the_edges_own_times(bench: Bench) -> None:
    bench.edge(2, True, 100.0)
    bench.edge(2, False, 100.25)
    bench.advance(101.0)
    assert bench.said() == [(2, PRESSED, 100.0), (2, RELEASED, 100.25)]
    assert all(signal.uncertainty_s < 0.001 for signal in bench.heard)


@pytest.mark.parametrize("pins", STAND_INS, indirect=True)
def test_a_late_thread_does_not_cost_the_edges_own_times(bench: Bench) -> None:
    bench.pins.wait_until(100.3)
    bench.edge(2, True, 100.0)
    bench.edge(2, False, 100.250000123)
    bench.advance(101.0)
    assert [signal.kind for signal in bench.heard] == [PRESSED, RELEASED]
    assert bench.heard[0].time_s == 100.0
    assert bench.heard[1].time_s == pytest.approx(100.250000123, abs=2e-9), "the nanoseconds are kept"
    assert all(signal.uncertainty_s < 0.001 for signal in bench.heard)


@pytest.mark.parametrize("pins", ["gpio-sim"], indirect=True)
def test_the_kernels_nanoseconds_are_kept(bench: Bench) -> None:
    for press in range(4):
        bench.edge(1, True, 100 + press / 10)
        bench.edge(1, False, 100.05 + press / 10)
    bench.advance(100.5)
    assert [kind for _, kind, _ in bench.said()] == [PRESSED, RELEASED] * 4
    assert any(round(signal.time_s * 1e9) % 1000 for signal in bench.heard), bench.heard


def test_the_hosts_button_is_seat_0(bench: Bench) -> None:
    bench.edge(HOST_SEAT, True, 100.0)
    bench.edge(HOST_SEAT, False, 100.1)
    assert bench.said() == [(HOST_SEAT, PRESSED, 100.0), (HOST_SEAT, RELEASED, 100.1)]


def test_a_long_press_is_held_once_and_while_it_lasts(bench: Bench) -> None:
    bench.edge(1, True, 100.0)
    for step in range(1, 25):
        bench.advance(100 + step / 10)
    assert bench.said() == [(1, PRESSED, 100.0), (1, HELD, 101.0)]
    bench.edge(1, False, 103.0)
    assert bench.said()[-1] == (1, RELEASED, 103.0)


def test_bounces_are_no_presses(bench: Bench) -> None:
    for at_ms, down in [(0, True), (1, False), (3, True), (200, False), (204, True), (209, False)]:
        bench.edge(1, down, 100 + at_ms / 1000)
    bench.advance(100.3)
    assert bench.said() == [(1, PRESSED, 100.0), (1, RELEASED, 100.2)]


@pytest.mark.parametrize("pins", STAND_INS, indirect=True)
def test_ticks_of_another_clock_are_not_believed(bench: Bench) -> None:
    """Kernels before 5.7 count from 1970."""
    bench.pins.edge(1, True, 1_700_000_000.0)
    assert [(signal.time_s, signal.uncertainty_s) for signal in bench.heard] == [(100.0, 0.005)]


def test_a_button_that_is_down_at_the_start_is_pressed() -> None:
    pins = TablePins()
    pins.edge(1, True, 0.0)  # stand-ins only: a simulated line knows no closed contact, a pull up is all it takes
    bench = Bench(pins)
    assert bench.said() == [(1, PRESSED, 100.0)]
    bench.panel.close()
    pins.close()


def test_lamps(bench: Bench) -> None:
    bench.panel.set_lamp(1, LampState.ON)
    assert bench.pins.lamp(1) == 1.0
    assert bench.pins.lamp(2) == 0.0
    bench.panel.set_lamp(1, LampState.OFF)
    assert bench.pins.lamp(1) == 0.0


def test_a_blinking_lamp_is_on_half_of_the_time(bench: Bench) -> None:
    bench.panel.set_lamp(2, LampState.BLINK)
    levels = []
    for step in range(40):
        bench.advance(100.001 + step * BLINK_S / 20)
        levels.append(bench.pins.lamp(2))
    assert sum(levels) == 20
    assert sum(a != b for a, b in pairwise(levels)) in (3, 4)


def test_a_seat_without_a_lamp_is_an_error(bench: Bench) -> None:
    with pytest.raises(UnknownSeat, match=r"seat 9 has no lamp: expected one of \[1, 2\]"):
        bench.panel.set_lamp(9, LampState.ON)


def test_buzzer_follows_its_pattern(bench: Bench) -> None:
    bench.advance(100.0)
    bench.panel.buzz([0.1, 0.1, 0.2])
    heard = []
    for step in range(10):
        bench.advance(100.02 + step * 0.05)
        heard.append(bench.pins.buzzing())
    assert heard == [True, True, False, False, True, True, True, True, False, False]
    with pytest.raises(ValueError, match="-1"):
        bench.panel.buzz([-1])


def test_closing_twice_is_fine_and_darkens_the_lamps(bench: Bench) -> None:
    bench.panel.set_lamp(1, LampState.ON)
    bench.panel.close()
    bench.panel.close()
    bench.panel.poll()
    assert bench.pins.lamp(1) == 0.0


def test_a_panel_that_is_opened_again_hears(bench: Bench) -> None:
    bench.edge(1, True, 100.0)
    bench.edge(1, False, 100.1)
    bench.panel.close()
    bench.pins.reopen()
    again = Bench(bench.pins)
    again.edge(1, True, 101.0)
    again.edge(2, True, 101.1)
    assert again.said() == [(1, PRESSED, 101.0), (2, PRESSED, 101.1)]
    assert all(signal.uncertainty_s < 0.001 for signal in again.heard)
    again.panel.close()


def test_the_pins_leave_nothing_in_the_working_directory_and_need_not_write_there(tmp_path: Path) -> None:
    program = [sys.executable, "-c", "import os, hardware.real_pins; print(os.listdir(), os.getcwd())"]
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(program, cwd=tmp_path, env=where, capture_output=True, text=True, check=True)
    assert done.stdout == f"[] {tmp_path}\n"


def test_pins_that_vanish_are_lost_and_can_be_had_again_when_they_are_back(bench: Bench) -> None:
    bench.edge(1, True, 100.0)
    bench.edge(1, False, 100.1)
    bench.advance(100.3)
    bench.pins.vanish()
    with pytest.raises(PanelLost, match="do not work any more"):
        bench.panel.poll()
    bench.panel.close()
    bench.pins.factory.close()
    for _ in range(2):
        with pytest.raises(PanelUnavailable, match=r"no GPIO pins on this machine: .*can not open gpiochip"):
            open_real_pins()
    bench.pins.come_back()
    bench.pins.reopen()
    again = Bench(bench.pins)
    again.edge(1, True, 101.0)
    again.edge(1, False, 101.2)
    again.advance(101.5)
    assert again.said() == [(1, PRESSED, 101.0), (1, RELEASED, 101.2)]
    again.panel.set_lamp(2, LampState.ON)
    assert again.pins.lamp(2) == 1.0
    again.panel.close()


@pytest.mark.parametrize("pins", ["gpio-sim"], indirect=True)
def test_nothing_goes_on_looking_at_pins_that_have_vanished(bench: Bench) -> None:
    bench.pins.vanish()
    with pytest.raises(PanelLost):
        bench.panel.poll()
    bench.panel.close()
    bench.pins.factory.close()
    begun_s, worked_s = time.monotonic(), time.process_time()
    time.sleep(1.0)
    assert time.process_time() - worked_s < (time.monotonic() - begun_s) / 4
    bench.pins.come_back()
    bench.pins.reopen()


def test_a_pin_used_twice_is_an_error_that_names_it(bench: Bench) -> None:
    with pytest.raises(
        PanelUnavailable, match=r"GPIO4 is already in use.*seat 1 button GPIO5 lamp GPIO4.*buzzer GPIO12"
    ):
        Panel(PINS, bench.pins.factory, lambda: 100.0, print)
    bench.panel.set_lamp(1, LampState.ON)
    assert bench.pins.lamp(1) == 1.0, "the panel that was there goes on"


def test_eight_seats(pins: Pins) -> None:
    table = load_table()
    host, buzzer = table.host.button_pin, table.host.buzzer_pin
    wired = load_pin_table()
    buttons, lamps = (wired.group(Device.PI, name).wires for name in ("seat_buttons", "seat_lamps"))
    seats = {
        button.number: SeatPins(int(button.pin[4:]), int(lamp.pin[4:]))
        for button, lamp in zip(buttons, lamps, strict=True)
    }
    panel = Panel(PanelPins(seats, host, buzzer), pins.factory, lambda: 100.0, print)
    for seat in range(1, 9):
        panel.set_lamp(seat, LampState.BLINK)
    panel.poll()
    panel.close()


# The Raspberry Pi's own ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("revision", "chips", "opened"),
    [(PI_4, (0,), 0), (PI_5, (0,), 0), (PI_5, (0, 4), 4)],
    ids=["Pi 4", "Pi 5", "Pi 5 with an older kernel"],
)
def test_the_chip_with_the_header_is_opened(
    monkeypatch: pytest.MonkeyPatch, revision: int, chips: tuple[int, ...], opened: int
) -> None:
    chip = FakeLgpio(chips)
    monkeypatch.setattr("gpiozero.pins.lgpio.lgpio", chip)
    monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: revision)
    monkeypatch.setattr("gpiozero.pins.lgpio.os.path.exists", lambda path: path == f"/dev/gpiochip{max(chips)}")
    open_real_pins().close()
    assert (chip.opened, chip.closed) == ([opened], [opened])


def test_the_chip_with_the_header_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chip = FakeLgpio(chips=(0, 2, 11), labels={0: "raspberrypi-exp-gpio", 2: "pinctrl-rp1"})
    monkeypatch.setattr("gpiozero.pins.lgpio.lgpio", chip)
    monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: PI_5)
    monkeypatch.setattr("hardware.real_pins.DEVICES", tmp_path)
    for number in (0, 1, 2, 11):
        (tmp_path / f"gpiochip{number}").touch()
    open_real_pins().close()
    assert chip.opened == chip.closed == [0, 2, 2]


def test_no_chip_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpiozero.pins.lgpio.lgpio", FakeLgpio(chips=()))
    monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: PI_4)
    with pytest.raises(PanelUnavailable, match="no GPIO pins on this machine: can not open gpiochip; expected a Rasp"):
        open_real_pins()


def test_pins_that_another_program_holds_are_an_error_and_can_be_had_later(monkeypatch: pytest.MonkeyPatch) -> None:
    pins = PiPins(monkeypatch, PI_4)
    pins.chip.busy = frozenset({PINS.buzzer})
    with pytest.raises(
        PanelUnavailable, match="the panel's pins cannot be used: GPIO busy; they are seat 1 button GPIO5"
    ):
        Panel(PINS, pins.factory, lambda: 100.0, print)
    pins.chip.busy = frozenset()
    Panel(PINS, pins.factory, lambda: 100.0, print).close()
    pins.close()


@pytest.mark.parametrize("pins", ["gpio-sim"], indirect=True)
def test_lines_that_another_program_holds_are_an_error_and_can_be_had_later(pins: Pins) -> None:
    chip = bank().name.removeprefix("gpiochip")
    script = (
        f"import lgpio; lgpio.gpio_claim_input(lgpio.gpiochip_open({chip}), {PINS.buzzer}); print(flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(PanelUnavailable, match=r"the panel's pins cannot be used: .*busy.*; they are seat 1"):
            Panel(PINS, pins.factory, pins.clock, print)
        other.stdin.write(b"\n")
    Panel(PINS, pins.factory, pins.clock, print).close()


def test_pins_that_stop_working_are_said_by_the_next_look(monkeypatch: pytest.MonkeyPatch) -> None:
    pins = PiPins(monkeypatch, PI_5)
    bench = Bench(pins)
    pins.chip.gone = True
    bench.panel.set_lamp(1, LampState.ON)
    bench.panel.buzz([0.1])
    with pytest.raises(PanelLost, match=r"do not work any more: seat 1's lamp GPIO[0-9]+: unknown handle"):
        bench.panel.poll()
    pins.chip.gone = False
    bench.panel.close()
    pins.close()


def test_a_look_before_the_edge_is_told_does_not_cost_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    pins = PiPins(monkeypatch, PI_4)
    bench = Bench(pins)
    pins.chip.lines[BUTTONS[1]].level = 0  # the level can be read before lgpio's thread tells of the edge
    bench.advance(100.004)
    assert bench.said() == []
    bench.edge(1, True, 100.003)
    assert bench.said() == [(1, PRESSED, 100.003)]
    bench.panel.close()
    pins.close()


@pytest.mark.skipif(Path("/dev/gpiochip0").exists(), reason="this machine has GPIO pins")
def test_no_pins_on_this_machine_is_an_error() -> None:
    with pytest.raises(PanelUnavailable, match="no GPIO pins on this machine"):
        open_real_pins()
