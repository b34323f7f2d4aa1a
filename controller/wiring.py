"""A table's settings as its parts take them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from config.schema import Confirm, TableConfig
from controller.referee import Timing
from controller.views import Lamp
from firmware_bridge.schema import PAD_COUNT

if TYPE_CHECKING:
    from hardware.panel import PanelPins


def panel_pins(config: TableConfig) -> "PanelPins":
    """The panel's pins."""
    from hardware.panel import PanelPins, SeatPins  # gpiozero, which nothing needs before the first view is shown

    seats = {number: SeatPins(seat.button_pin, seat.lamp_pin) for number, seat in config.seats.items()}
    return PanelPins(seats, config.host.button_pin, config.host.buzzer_pin)


def timing(config: TableConfig) -> Timing:
    """The referee's timing."""
    settings = config.timing
    rest_s = settings.confirm_rest_s if settings.confirm is Confirm.REST else None
    return Timing(settings.rest_s, settings.clear_rest_s, settings.breach_s, rest_s)


def board_lamps(modes: Mapping[int, Lamp]) -> tuple[int, int]:
    """The lamps on the microcontroller, lit and blinking, a bit each, seat 1 lowest.

    Seats beyond the eighth have no lamp there.
    """

    def bits(mode: Lamp) -> int:
        return sum(1 << (seat - 1) for seat, its in modes.items() if its == mode and seat <= PAD_COUNT)

    return bits("on"), bits("blink")
