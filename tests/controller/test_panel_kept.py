"""A running table whose pins vanish: it says so, plays on, and has its buttons again when the pins are back."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from config.loader import load_table
from controller.journal_keeper import JournalKeeper
from controller.service import _Service
from controller.table_folder import KnownBy
from controller.views import PartState
from controller.wiring import panel_pins
from firmware_bridge.signals import HOST_SEAT, SignalKind
from tests.hardware.fake_lgpio import FakeLgpio
from tests.hardware.gpio_sim import SimulatedHeader

RETRY_S = 0.05
WITHIN_S = 30.0


class StandIn:
    """A chip that stands in for the kernel's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._chip = FakeLgpio()
        monkeypatch.setattr("gpiozero.pins.lgpio.lgpio", self._chip)
        monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: 0xC04170)

    def press(self, number: int, down: bool) -> None:
        self._chip.edge(number, int(not down), 1)  # of another clock: the panel takes its own

    def vanish(self) -> None:
        self._chip.gone = True

    def come_back(self) -> None:
        self._chip.gone = False


def gpio_sim(monkeypatch: pytest.MonkeyPatch) -> SimulatedHeader:
    header = SimulatedHeader(panel_pins(load_table()), monkeypatch, 0xC04170)
    header.close()
    return header


KINDS: dict[str, Callable[[pytest.MonkeyPatch], StandIn | SimulatedHeader]] = {
    "stand-in": StandIn,
    "gpio-sim": gpio_sim,
}


@pytest.mark.parametrize("kind", KINDS)
def test_pins_that_vanish_are_shown_and_are_back_by_themselves(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pins = KINDS[kind](monkeypatch)
    monkeypatch.setattr("controller.service.PANEL_RETRY_S", RETRY_S)
    config = load_table().model_copy(update={"data_dir": tmp_path})
    host = panel_pins(config).host_button

    async def play() -> None:
        journal = JournalKeeper(tmp_path / "journal.sqlite")
        try:
            service = _Service(config, journal, None, KnownBy("token", "1a2b"))
            await service._table.start()
            keeping = asyncio.create_task(service._keep_panel())

            async def until(holds: Callable[[], bool]) -> None:
                async with asyncio.timeout(WITHIN_S):
                    while not holds():  # noqa: ASYNC110 the condition is other tasks' work and tells nobody
                        await asyncio.sleep(RETRY_S / 10)

            def state() -> PartState | None:
                assert not keeping.done(), "it goes on"
                part = service._table.parts.get("panel")
                return part.state if part is not None else None

            async def presses() -> None:
                pins.press(host, True)
                signals, _ = await asyncio.wait_for(service._inbox.next(), WITHIN_S)
                assert [(one.seat, one.kind) for one in signals] == [(HOST_SEAT, SignalKind.BUTTON_PRESSED)]
                pins.press(host, False)
                await asyncio.wait_for(service._inbox.next(), WITHIN_S)

            for _ in range(3):
                await until(lambda: state() is PartState.OK)
                await presses()
                pins.vanish()
                await until(lambda: state() is PartState.LOST)
                assert service._table.parts["panel"].text.startswith("buttons: missing. the panel's pins do not work")
                await until(lambda: "no GPIO pins on this machine" in service._table.parts["panel"].text)
                pins.come_back()
            await until(lambda: state() is PartState.OK)
            await presses()
            keeping.cancel()
            await asyncio.wait([keeping])
        finally:
            journal.close()

    asyncio.run(play())
