"""The panel's contract, on mock pins that a simulated table drives."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from firmware_bridge.signals import HOST_SEAT, Signal, SignalKind
from hardware.panel import BLINK_S, LampState, Panel, PanelPins, PanelUnavailable, SeatPins, UnknownSeat, open_real_pins
from hardware.simulated.pins import SimulatedPins
from hardware.simulated.world import ButtonEdge, World

PINS = PanelPins({1: SeatPins(5, 4), 2: SeatPins(6, 17)}, host_button=16, buzzer=12)

PRESSED, RELEASED, HELD = SignalKind.BUTTON_PRESSED, SignalKind.BUTTON_RELEASED, SignalKind.BUTTON_HELD


@dataclass
class Bench:
    """A world, its panel and what the panel said."""

    world: World
    pins: SimulatedPins
    panel: Panel
    heard: list[Signal] = field(default_factory=list)

    def advance(self, to_s: float) -> None:
        self.world.advance(to_s)
        for edge in self.world.take_edges():
            self.pins.apply(edge)
        self.panel.poll()

    def said(self) -> list[tuple[int, SignalKind, float]]:
        return [(signal.seat, signal.kind, round(signal.time_s, 6)) for signal in self.heard]


@pytest.fixture
def bench() -> Iterator[Bench]:
    world = World(Random(1), start_s=100.0)
    heard: list[Signal] = []
    pins = SimulatedPins(PINS, world.set_lamp, world.set_buzzer)
    panel = Panel(PINS, pins.factory, lambda: world.now_s, heard.append)
    yield Bench(world, pins, panel, heard)
    panel.close()
    pins.close()


def test_press_and_release_carry_the_edges_own_times(bench: Bench) -> None:
    bench.world.press(2, 0.25)
    bench.advance(101.0)
    assert bench.said() == [(2, PRESSED, 100.0), (2, RELEASED, 100.25)]
    assert all(signal.uncertainty_s < 0.001 for signal in bench.heard)


def test_the_hosts_button_is_seat_0(bench: Bench) -> None:
    bench.world.press(HOST_SEAT, 0.1)
    bench.advance(100.5)
    assert [signal.seat for signal in bench.heard] == [HOST_SEAT, HOST_SEAT]


def test_a_long_press_is_held_once_and_while_it_lasts(bench: Bench) -> None:
    bench.world.press(1, 3.0)
    for step in range(1, 25):
        bench.advance(100 + step / 10)
    assert bench.said() == [(1, PRESSED, 100.0), (1, HELD, 101.0)]
    bench.advance(103.5)
    assert bench.said()[-1] == (1, RELEASED, 103.0)


@pytest.mark.parametrize(
    ("edges", "said"),
    [
        pytest.param([(0, True), (200, False)], [(0, PRESSED), (200, RELEASED)], id="clean"),
        pytest.param(
            [(0, True), (1, False), (3, True), (200, False), (204, True), (209, False)],
            [(0, PRESSED), (200, RELEASED)],
            id="bounces on both edges",
        ),
        pytest.param([(0, True), (12, False)], [(0, PRESSED), (50, RELEASED)], id="let go within the bounce"),
    ],
)
def test_debounce(bench: Bench, edges: list[tuple[int, bool]], said: list[tuple[int, SignalKind]]) -> None:
    for at_ms, pressed in edges:
        bench.world.advance(100 + at_ms / 1000)
        bench.pins.apply(ButtonEdge(1, pressed, 100 + at_ms / 1000))
    bench.advance(max(100.05, bench.world.now_s))
    assert [(round(1000 * (signal.time_s - 100)), signal.kind) for signal in bench.heard] == said


def test_a_button_that_is_down_at_the_start_is_pressed() -> None:
    world, heard = World(Random(1)), list[Signal]()
    pins = SimulatedPins(PINS, world.set_lamp, world.set_buzzer)
    pins.apply(ButtonEdge(1, True, 0.0))
    panel = Panel(PINS, pins.factory, lambda: world.now_s, heard.append)
    assert [signal.kind for signal in heard] == [PRESSED]
    panel.close()


def test_lamps(bench: Bench) -> None:
    bench.panel.set_lamp(1, LampState.ON)
    assert bench.world.lamp(1) == 1.0
    assert bench.world.lamp(2) == 0.0
    bench.panel.set_lamp(1, LampState.OFF)
    assert bench.world.lamp(1) == 0.0


def test_a_blinking_lamp_is_on_half_of_the_time(bench: Bench) -> None:
    bench.panel.set_lamp(2, LampState.BLINK)
    levels = []
    for step in range(40):
        bench.advance(100.001 + step * BLINK_S / 20)
        levels.append(bench.world.lamp(2))
    assert sum(levels) == 20
    assert sum(a != b for a, b in pairwise(levels)) in (3, 4)


def test_a_seat_without_a_lamp_is_an_error(bench: Bench) -> None:
    with pytest.raises(UnknownSeat, match=r"seat 9 has no lamp: expected one of \[1, 2\]"):
        bench.panel.set_lamp(9, LampState.ON)


def test_buzzer_follows_its_pattern(bench: Bench) -> None:
    bench.panel.buzz([0.1, 0.1, 0.2])
    heard = []
    for step in range(10):
        bench.advance(100.0 + step * 0.05 + 0.001)
        heard.append(bench.world.snapshot().buzzing)
    assert heard == [True, True, False, False, True, True, True, True, False, False]
    with pytest.raises(ValueError, match="-1"):
        bench.panel.buzz([-1])


def test_closing_twice_is_fine_and_darkens_the_lamps(bench: Bench) -> None:
    bench.panel.set_lamp(1, LampState.ON)
    bench.panel.close()
    bench.panel.close()
    bench.panel.poll()
    assert bench.world.lamp(1) == 0.0


def test_a_pin_used_twice_is_an_error_that_names_it() -> None:
    world = World(Random(1))
    pins = SimulatedPins(PINS, world.set_lamp, world.set_buzzer)
    panel = Panel(PINS, pins.factory, lambda: world.now_s, print)
    with pytest.raises(PanelUnavailable, match="in use"):
        Panel(PINS, pins.factory, lambda: world.now_s, print)
    panel.close()


@pytest.mark.skipif(Path("/dev/gpiochip0").exists(), reason="this machine has GPIO pins")
def test_no_pins_on_this_machine_is_an_error() -> None:
    with pytest.raises(PanelUnavailable, match="no GPIO pins on this machine"):
        open_real_pins()
