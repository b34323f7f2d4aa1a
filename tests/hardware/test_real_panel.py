"""Every lamp and every button of a panel, one after the other: somebody presses what blinks.

With `--hardware` on the real pins of the machine's own settings; else pressed by a program, on the stand-in for the
kernel's and, where they are (`make test-pins`), on lines of a real one.
"""

import os
import time
from collections.abc import Callable
from itertools import pairwise

import pytest

from config.loader import load_table, table_files
from controller.wiring import panel_pins
from firmware_bridge.signals import HOST_SEAT, Signal, SignalKind
from hardware.panel import LampState, Panel, PanelPins, open_real_pins
from tests.hardware.fake_lgpio import FakeLgpio
from tests.hardware.gpio_sim import SimulatedHeader

PATIENCE_S = 30.0
OF_THE_KERNEL_S = 0.0005
"""A press whose time is the edge's own is no more uncertain than this."""


def press_what_blinks(
    pins: PanelPins, panel: Panel, heard: list[Signal], clock: Callable[[], float], sleep: Callable[[float], None]
) -> list[Signal]:
    """Let each seat's lamp blink until its button is pressed, then buzz until the host's is; the presses in order."""
    presses = []
    for seat in [*pins.seats, HOST_SEAT]:
        if seat == HOST_SEAT:
            panel.buzz([0.3])
        else:
            panel.set_lamp(seat, LampState.BLINK)
        begun_s = clock()
        while not (found := [s for s in heard if (s.seat, s.kind) == (seat, SignalKind.BUTTON_PRESSED)]):
            assert clock() < begun_s + PATIENCE_S, f"seat {seat}: no press heard; heard were {heard}"
            panel.poll()
            sleep(0.01)
        if seat != HOST_SEAT:
            panel.set_lamp(seat, LampState.OFF)
        presses += found[:1]
    return presses


def test_what_blinks_is_pressed(monkeypatch: pytest.MonkeyPatch) -> None:
    chip = FakeLgpio()
    monkeypatch.setattr("gpiozero.pins.lgpio.lgpio", chip)
    monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: 0xC04170)
    pins = panel_pins(load_table())
    now_ns = 100 * 10**9

    def clock() -> float:
        return now_ns / 1e9

    def sleep(span_s: float) -> None:
        nonlocal now_ns
        now_ns += round(span_s * 1e9)
        lit = [of.button for of in pins.seats.values() if chip.level(of.lamp)]
        pressed = lit or ([pins.host_button] if chip.level(pins.buzzer) else [])
        for button in pressed:
            chip.edge(button, 0, now_ns - 1_000_000)

    check(pins, clock, sleep)
    assert chip.closed == chip.opened == [0]


def test_what_blinks_is_pressed_on_gpio_sim(monkeypatch: pytest.MonkeyPatch) -> None:
    wired = panel_pins(load_table())
    header = SimulatedHeader(wired, monkeypatch, 0xC04170)
    header.close()

    def sleep(span_s: float) -> None:
        time.sleep(span_s)
        lit = [of.button for of in wired.seats.values() if header.level(of.lamp)]
        for button in lit or ([wired.host_button] if header.level(wired.buzzer) else []):
            header.press(button, True)

    check(wired, time.monotonic, sleep)


def test_real_pins(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("hardware"):
        pytest.skip("needs a real panel and somebody who presses what blinks: --hardware")
    check(panel_pins(load_table(table_files(None, os.environ))), time.monotonic, time.sleep)


def check(pins: PanelPins, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
    heard: list[Signal] = []
    factory = open_real_pins()
    panel = Panel(pins, factory, clock, heard.append)
    try:
        presses = press_what_blinks(pins, panel, heard, clock, sleep)
    finally:
        panel.close()
        factory.close()
    assert [press.seat for press in presses] == [*pins.seats, HOST_SEAT]
    assert all(press.uncertainty_s <= OF_THE_KERNEL_S for press in presses), "the edges' own times are kept"
    assert all(first.time_s <= second.time_s for first, second in pairwise(presses))
