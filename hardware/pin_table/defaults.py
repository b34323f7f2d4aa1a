"""The panel's pins in the default configuration, set from the pin table."""

import re
from collections.abc import Iterator

from config.lines import Key, key_lines
from hardware.pin_table.table import Device, PinTable


def set_default_pins(table: PinTable, defaults: str) -> str:
    """The default configuration with the table's pins in it.

    Raises:
        ValueError: the configuration lacks a setting that the table has a pin for.
    """
    lines, places = defaults.splitlines(), key_lines(defaults)
    for key, pin in _panel_pins(table):
        if key not in places:
            raise ValueError(f"the default configuration has no {'.'.join(key)}: expected it, to set it to {pin}")
        number = places[key] - 1
        lines[number] = re.sub(r"(= *)\d+", rf"\g<1>{_bcm(pin)}", lines[number])
    return "\n".join(lines) + "\n"


def _panel_pins(table: PinTable) -> Iterator[tuple[Key, str]]:
    """Each pin of the Pi's with its place in the configuration."""
    for name, setting in (("seat_buttons", "button_pin"), ("seat_lamps", "lamp_pin")):
        for wire in table.group(Device.PI, name).wires:
            yield ("seats", str(wire.number), setting), wire.pin
    yield ("host", "button_pin"), table.group(Device.PI, "host_button").wires[0].pin
    yield ("host", "buzzer_pin"), table.group(Device.PI, "buzzer").wires[0].pin


def _bcm(pin: str) -> int:
    return int(pin.removeprefix("GPIO"))
