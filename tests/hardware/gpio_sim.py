"""The Raspberry Pi's header on the kernel's own GPIO simulator: real lines, real edges, nobody's hands.

`tests/rigs/kernel_vm.sh` sets it up. A line that is pulled to ground reads low, as with a button that is down; what
pulls it up again is the letting go.
"""

import contextlib
import time
from pathlib import Path
from threading import Event

import pytest
from gpiozero.pins import Factory

from hardware.panel import PanelPins, open_real_pins

_BANKS = Path("/sys/devices/platform/gpio-sim.0")
_LIVE = Path("/sys/kernel/config/gpio-sim/header/live")
_OWN_LINE = 7
"""Nothing is wired to this one."""
_PATIENCE_S = 10.0


def bank() -> Path:
    """The chip's folder; its number is another one whenever it is back."""
    return next(_BANKS.glob("gpiochip*"))


class SimulatedHeader:
    """gpiozero's factory for a Raspberry Pi's own pins on lines of this machine's kernel."""

    def __init__(self, pins: PanelPins, monkeypatch: pytest.MonkeyPatch, revision: int) -> None:
        """All buttons are up. `revision` is the Raspberry Pi's that the factory believes to be on."""
        if not _BANKS.exists():
            pytest.skip("needs lines of the kernel's GPIO simulator: make test-pins")
        monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: revision)
        self._buttons = (*(of_seat.button for of_seat in pins.seats.values()), pins.host_button)
        self._let_go()
        self._told = Event()
        self._own_is_down = False
        self._open()

    def press(self, number: int, down: bool) -> tuple[float, float]:
        """Press the button of a line or let go of it; monotonic times just before and just after."""
        before_s = time.monotonic()
        (bank() / f"sim_gpio{number}" / "pull").write_text("pull-down" if down else "pull-up")
        return before_s, time.monotonic()

    def level(self, number: int) -> int:
        """What is on a line."""
        return int((bank() / f"sim_gpio{number}" / "value").read_text())

    def lamp(self, number: int) -> float:
        """How bright a lamp is."""
        return float(self.level(number))

    def wait_until_told(self) -> None:
        """Wait until all edges that there were have been told: lgpio tells them in the order of their times."""
        self._told.clear()
        self._own_is_down = not self._own_is_down
        self.press(_OWN_LINE, self._own_is_down)
        assert self._told.wait(_PATIENCE_S), f"line {_OWN_LINE}: no edge told within {_PATIENCE_S} s"

    def reopen(self) -> None:
        """Let go of the lines and open another factory."""
        self.close()
        self._open()

    def vanish(self) -> None:
        """The whole chip is taken away, whoever holds its lines."""
        _LIVE.write_text("0")

    def come_back(self) -> None:
        """It is there again, with all buttons up."""
        _LIVE.write_text("1")
        self._let_go()

    def _let_go(self) -> None:
        for number in self._buttons:
            self.press(number, False)

    def close(self) -> None:
        with contextlib.suppress(Exception):  # lgpio's own, where the chip is gone
            self._own.when_changed = None
        self.factory.close()

    def _open(self) -> None:
        self.factory: Factory = open_real_pins()
        self._own = self.factory.pin(_OWN_LINE)
        self._own.input_with_pull("up")  # which lets go of it
        self._own_is_down = False
        self._own.when_changed = self._own_changed

    def _own_changed(self, ticks_s: float, level: int) -> None:
        self._told.set()
