"""The parts list and the wiring pin by pin, made from the pin table."""

from collections.abc import Iterator

from hardware.pin_table.pinouts import BOARD_LABELS, PI_HEADER
from hardware.pin_table.table import Device, Group, PinTable


def make_parts(table: PinTable) -> str:
    """The list as Markdown."""
    return "\n".join([*_head(), *_parts(table), *_wiring(table)]) + "\n"


def _head() -> Iterator[str]:
    yield "# Parts and wiring"
    yield ""
    yield "Made from `pins.toml` by `python -m hardware.pin_table --write`: change that, not this."
    yield ""


def _parts(table: PinTable) -> Iterator[str]:
    yield "## Parts, for eight seats"
    yield ""
    yield "| number | part | what for |"
    yield "|---:|---|---|"
    for part in table.parts:
        yield f"| {part.number} | {part.part} | {part.use} |"
    for device, name in _NAMES.items():
        for group in table.of_device(device):
            if group.part:
                yield f"| {len(group.wires)} | {group.part} | {name}: {_label(group)} |"
    yield ""


def _wiring(table: PinTable) -> Iterator[str]:
    yield "## Wiring"
    yield ""
    yield "![Both headers, what each pin is wired to, and how](wiring.svg)"
    for device, name in _NAMES.items():
        yield ""
        yield f"### {name}"
        yield ""
        yield f"| what | pin | {_PLACES[device]} | how |"
        yield "|---|---|---|---|"
        for group in table.of_device(device):
            for wire in group.wires:
                yield f"| {wire.label} | {wire.pin} | {_place(device, wire.pin)} | {group.wiring} |"


_NAMES = {Device.PI: "Raspberry Pi", Device.BOARD: "ATmega2560 board"}
_PLACES = {Device.PI: "place on the header", Device.BOARD: "label on the board"}


def _label(group: Group) -> str:
    """What a group is, with the range of its numbers."""
    return group.kind.label.format(f"1 to {len(group.wires)}")


def _place(device: Device, pin: str) -> str:
    return str(PI_HEADER[pin]) if device is Device.PI else BOARD_LABELS[pin]
