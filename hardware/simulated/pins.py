"""The cable between the simulated table and the panel: gpiozero's mock pins, so that the panel's own code runs."""

from collections.abc import Callable
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPWMPin
from gpiozero.pins.pi import PiPin

from firmware_bridge.signals import HOST_SEAT
from hardware.panel import PanelPins
from hardware.simulated.world import ButtonEdge


class TablePin(MockPWMPin):  # type: ignore[misc]  # gpiozero has no type information
    """A pin whose edges carry the world's time and whose output somebody watches."""

    edge_s: float | None = None
    """The time to give to the next edges; the real clock's if None."""
    grounded = False
    """Whether a button connects it to ground, whatever pulls it up."""
    watcher: Callable[[float], None] | None = None

    def _call_when_changed(self) -> None:
        time_s = self._last_change if self.edge_s is None else self.edge_s
        PiPin._call_when_changed(self, time_s, self._state)

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)
        if self.grounded:
            self.drive_low()

    def _change_state(self, value: Any) -> bool:
        changed = bool(super()._change_state(value))
        if changed and self.watcher is not None and self._function == "output":
            self.watcher(float(value))
        return changed


class SimulatedPins:
    """Pins of a panel wired to a world's buttons, lamps and buzzer. Closing twice is fine."""

    def __init__(
        self, pins: PanelPins, set_lamp: Callable[[int, float], None], set_buzzer: Callable[[bool], None]
    ) -> None:
        self.factory = MockFactory(pin_class=TablePin)
        self._buttons = {HOST_SEAT: self._pin(pins.host_button)}
        for seat, of_seat in pins.seats.items():
            self._buttons[seat] = self._pin(of_seat.button)
            self._pin(of_seat.lamp).watcher = _for_seat(set_lamp, seat)
        self._pin(pins.buzzer).watcher = lambda level: set_buzzer(level > 0.5)

    def apply(self, edge: ButtonEdge) -> None:
        """Let a button's pin follow its edge; seats without a button are nobody's concern."""
        pin = self._buttons.get(edge.seat)
        if pin is None:
            return
        pin.edge_s, pin.grounded = edge.time_s, edge.pressed
        if edge.pressed:
            pin.drive_low()
        else:
            pin.drive_high()

    def close(self) -> None:
        """Forget the pins."""
        self.factory.close()

    def _pin(self, number: int) -> TablePin:
        pin = self.factory.pin(number)
        assert isinstance(pin, TablePin)
        return pin


def _for_seat(set_lamp: Callable[[int, float], None], seat: int) -> Callable[[float], None]:
    def set_level(level: float) -> None:
        set_lamp(seat, level)

    return set_level
