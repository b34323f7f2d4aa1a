"""Every file that is made from the pin table."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from hardware.pin_table.defaults import set_default_pins
from hardware.pin_table.drawing import draw_wiring
from hardware.pin_table.header import make_header
from hardware.pin_table.parts import make_parts
from hardware.pin_table.table import PinTable

Make = Callable[[PinTable, str], str]
"""Makes a file's text from the table and the text it has now."""

MADE: Mapping[str, Make] = {
    "hardware/firmware/pins.h": lambda table, _: make_header(table),
    "config/defaults.toml": set_default_pins,
    "hardware/wiring.svg": lambda table, _: draw_wiring(table),
    "hardware/parts.md": lambda table, _: make_parts(table),
}
"""File, from the project's root, to what makes it."""


def not_current(table: PinTable, root: Path) -> Iterator[tuple[Path, str]]:
    """The files below the project's root that differ from the table, each with the text it should have.

    Raises:
        OSError, ValueError: a file cannot be read, or has no place for a pin.
    """
    for name, make in MADE.items():
        path = root / name
        now = path.read_text(encoding="utf-8") if path.exists() else ""
        if (wanted := make(table, now)) != now:
            yield path, wanted
