"""The pin table, `pins.toml` beside this file, and what is made from it.

    python -m hardware.pin_table            say what is not current; exit status 1 where there is anything
    python -m hardware.pin_table --write    make it anew

Made are the firmware's header, the pins in the default configuration, the wiring drawing and the parts list.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from config.errors import ConfigInvalid, ConfigSyntaxError, ConfigUnreadable, Place, Problem
from config.lines import Key, key_lines
from hardware.pinouts import BOARD_LABELS, BOARD_TAKEN, PI_HEADER, PI_TAKEN, PIN_CHANGE

SEATS = 8
TABLE = Path(__file__).with_name("pins.toml")


class Device(Enum):
    """Whose pins they are."""

    PI = "pi"
    BOARD = "board"


class Direction(Enum):
    """Whether something is read or driven."""

    INPUT = "input"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Kind:
    """Something that a table is wired to; what the program knows of it without the pin table."""

    device: Device
    name: str
    """Its table in the file."""
    direction: Direction
    label: str
    """For people; {} stands for the number."""
    fewest: int
    most: int
    symbol: str = ""
    """In the firmware's header."""


@dataclass(frozen=True, slots=True)
class Wire:
    """One pin and what is connected to it."""

    kind: Kind
    number: int
    """1 upwards; the seat's, where there is one for each seat."""
    pin: str

    @property
    def label(self) -> str:
        """For people."""
        return self.kind.label.format(self.number)


@dataclass(frozen=True, slots=True)
class Group:
    """All pins of one kind, in the order of their numbers."""

    kind: Kind
    wires: tuple[Wire, ...]
    part: str
    wiring: str


@dataclass(frozen=True, slots=True)
class PinTable:
    """What is wired to which pin: valid, each pin used once."""

    groups: tuple[Group, ...]

    def group(self, device: Device, name: str) -> Group:
        """The group of that name."""
        return next(group for group in self.groups if (group.kind.device, group.kind.name) == (device, name))

    def of_device(self, device: Device) -> tuple[Group, ...]:
        """A device's groups."""
        return tuple(group for group in self.groups if group.kind.device is device)


KINDS = (
    Kind(Device.PI, "seat_buttons", Direction.INPUT, "seat {}: button", SEATS, SEATS),
    Kind(Device.PI, "seat_lamps", Direction.OUTPUT, "seat {}: lamp", SEATS, SEATS),
    Kind(Device.PI, "host_button", Direction.INPUT, "host's button", 1, 1),
    Kind(Device.PI, "buzzer", Direction.OUTPUT, "buzzer", 1, 1),
    Kind(Device.BOARD, "pads", Direction.INPUT, "seat {}: slap pad", SEATS, SEATS, "PAD"),
    Kind(Device.BOARD, "knife_docks", Direction.INPUT, "seat {}: knife dock", SEATS, SEATS, "KNIFE"),
    Kind(Device.BOARD, "skewer_docks", Direction.INPUT, "skewer {}: dock", 3, 3, "SKEWER"),
    Kind(Device.BOARD, "tower_beam", Direction.INPUT, "dice tower: beam", 1, 1, "BEAM"),
    Kind(Device.BOARD, "spare_inputs", Direction.INPUT, "spare input {}", 1, 8, "SPARE"),
    Kind(Device.BOARD, "seat_lamps", Direction.OUTPUT, "seat {}: lamp", SEATS, SEATS, "LAMP"),
    Kind(Device.BOARD, "buzzer", Direction.OUTPUT, "buzzer", 1, 1, "BUZZER"),
)
_TIMED = ("skewer_docks", "tower_beam", "spare_inputs")
"""Besides the pads, what is time-stamped from pin change interrupts."""
_TEXTS = ("part", "wiring")


def load_pin_table(path: Path = TABLE) -> PinTable:
    """The pin table in a file.

    Raises:
        ConfigUnreadable: the file is not there or cannot be read.
        ConfigSyntaxError: it is no TOML.
        ConfigInvalid: tables or keys are unknown, missing or wrong, or two things share a pin; each problem names file,
            line, key, value and what was expected.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigUnreadable(f"{path}: expected a readable TOML file: {error}") from error
    return parse_pin_table(text, path)


def parse_pin_table(text: str, path: Path) -> PinTable:
    """The pin table that a text describes; `path` is for messages. See `load_pin_table` for what it raises."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigSyntaxError(f"{path}: {error}") from error
    lines = key_lines(text)
    problems = [
        Problem(Place(path, _line(lines, key)), ".".join(key), _value(data, key), problem)
        for key, problem in _problems(data)
    ]
    if problems:
        raise ConfigInvalid(problems)
    return PinTable(tuple(_group(kind, data[kind.device.value][kind.name]) for kind in KINDS))


def make_header(table: PinTable) -> str:
    """The firmware's pins.h: registers by their datasheet names, and lists of pins to be expanded (X macros)."""
    pads = table.group(Device.BOARD, "pads")
    timed = [wire for name in _TIMED for wire in table.group(Device.BOARD, name).wires]
    polled = list(table.group(Device.BOARD, "knife_docks").wires)
    outputs = [wire for name in ("seat_lamps", "buzzer") for wire in table.group(Device.BOARD, name).wires]
    lines = [
        "/* What is wired to the microcontroller's pins.",
        " * Made from hardware/pins.toml by `python -m hardware.pin_table --write`: change that, not this. */",
        "",
        "#ifndef PIZZATABLE_PINS_H",
        "#define PIZZATABLE_PINS_H",
        "",
        "/* The slap pads: seat n on bit n - 1, low while slapped. */",
        f"#define PADS_COUNT {len(pads.wires)}",
        *_interrupt_port("PADS", pads.wires),
        "",
        "/* Docks of the skewers, the tower's beam, spare inputs: on one port with pin change interrupts; low while",
        " * something is there or in the beam. */",
        *_interrupt_port("TIMED", timed),
        "",
        "/* X(name, number, port, bit) for each input of the port above, then for each input that is only polled (the",
        " * knife's docks, low while it lies there). */",
        *_x_macro("TIMED_INPUTS", timed),
        "",
        *_x_macro("POLLED_INPUTS", polled),
        "",
        "/* The same for the outputs, high while lit or sounding. */",
        *_x_macro("OUTPUTS", outputs),
        "",
        "/* The bits in use of each port: pull-ups for inputs, DDR for outputs. */",
        *_masks("INPUT_MASK", polled),
        *_masks("OUTPUT_MASK", outputs),
        "",
        "/* How many there are of each, and their places in the lists above. */",
        *_places(timed),
        *_places(polled),
        *_places(outputs),
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


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


# Checking -------------------------------------------------------------------------------------------------------------


def _problems(data: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    found = list(_wrong_shape(data))
    yield from found
    if not found:
        yield from _shared(data)
        yield from _wrong_ports(data)


def _wrong_shape(data: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    known = {device.value: [kind.name for kind in KINDS if kind.device is device] for device in Device}
    for device, tables in data.items():
        if device not in known or not isinstance(tables, dict):
            yield (device,), f"expected the tables {' and '.join(known)} only"
            continue
        for name in tables:
            if name not in known[device]:
                yield (device, name), f"nothing of that name is known: expected one of {', '.join(known[device])}"
    for kind in KINDS:
        tables = data.get(kind.device.value, {})
        if isinstance(tables, dict):
            yield from _wrong_group(kind, tables.get(kind.name))


def _wrong_group(kind: Kind, group: Any) -> Iterator[tuple[Key, str]]:
    key = (kind.device.value, kind.name)
    if not isinstance(group, dict):
        yield key, "expected this table, with pins, part and wiring"
        return
    for name in group:
        if name not in ("pins", *_TEXTS):
            yield (*key, name), "no such key: expected pins, part and wiring"
    for name in _TEXTS:
        if not isinstance(group.get(name), str) or not group[name]:
            yield (*key, name), "expected a text"
    pins = group.get("pins")
    if not isinstance(pins, list):
        yield (*key, "pins"), "expected a list of pins"
        return
    if not kind.fewest <= len(pins) <= kind.most:
        number = str(kind.fewest) if kind.fewest == kind.most else f"{kind.fewest} to {kind.most}"
        yield (*key, "pins"), f"expected {number} of them, there are {len(pins)}"
    for pin in pins:
        if problem := _wrong_pin(kind.device, pin):
            yield (*key, "pins"), problem


def _wrong_pin(device: Device, pin: object) -> str:
    """What is wrong with a pin of a device; empty if nothing is."""
    known, taken = (PI_HEADER, PI_TAKEN) if device is Device.PI else (BOARD_LABELS, BOARD_TAKEN)
    if pin not in known:
        example = (
            "a GPIO of the Pi's header, GPIO4 to GPIO27"
            if device is Device.PI
            else "a pin that the board leads out, such as PK0"
        )
        return f"{json.dumps(pin, default=str)} is no pin: expected {example}"
    assert isinstance(pin, str)
    return f"{pin} {taken[pin]}: expected another pin" if pin in taken else ""


def _shared(data: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    used: dict[str, str] = {}
    for kind in KINDS:
        for number, pin in enumerate(data[kind.device.value][kind.name]["pins"], 1):
            label = f"{kind.device.value}.{kind.name} ({kind.label.format(number)})"
            if pin in used:
                yield (
                    (kind.device.value, kind.name, "pins"),
                    f"{pin} is wanted twice: expected a pin of its own for {label}; it is used by {used[pin]}",
                )
            used.setdefault(pin, label)


def _wrong_ports(data: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    board = data["board"]
    pads = board["pads"]["pins"]
    ports = " or ".join(PIN_CHANGE)
    if pads not in [[f"P{port}{bit}" for bit in range(SEATS)] for port in PIN_CHANGE]:
        yield ("board", "pads", "pins"), f"expected bits 0 to 7 of port {ports}, seat 1 on bit 0, to read them at once"
    port = board[_TIMED[0]]["pins"][0][1]
    for name in _TIMED:
        wrong = [pin for pin in board[name]["pins"] if pin[1] != port or port not in PIN_CHANGE or port == pads[0][1]]
        if wrong:
            yield (
                ("board", name, "pins"),
                f"{', '.join(wrong)}: expected all of {', '.join(_TIMED)} on one port with pin change interrupts "
                f"({ports}) that is not the pads'",
            )


def _line(lines: Mapping[Key, int], key: Key) -> int:
    return next((lines[key[:depth]] for depth in range(len(key), 0, -1) if key[:depth] in lines), 1)


def _value(data: Any, key: Key) -> str:
    for part in key:
        if not isinstance(data, dict) or part not in data:
            return ""
        data = data[part]
    return "" if isinstance(data, dict) else json.dumps(data, default=str, ensure_ascii=False)


def _group(kind: Kind, data: Mapping[str, Any]) -> Group:
    wires = tuple(Wire(kind, number, pin) for number, pin in enumerate(data["pins"], 1))
    return Group(kind, wires, data["part"], data["wiring"])


# Making ---------------------------------------------------------------------------------------------------------------


def _interrupt_port(prefix: str, wires: Sequence[Wire]) -> list[str]:
    port = wires[0].pin[1]
    group = PIN_CHANGE[port]
    registers = {
        "PIN": f"PIN{port}",
        "PORT": f"PORT{port}",
        "DDR": f"DDR{port}",
        "MASK": _mask(wires),
        "PCMSK": f"PCMSK{group}",
        "PCIE": f"PCIE{group}",
        "PCIF": f"PCIF{group}",
        "VECT": f"PCINT{group}_vect",
        "PORT_LETTER": f"'{port}'",
    }
    return [f"#define {prefix}_{name} {value}" for name, value in registers.items()]


def _x_macro(name: str, wires: Sequence[Wire]) -> list[str]:
    rows = [f"    X({wire.kind.symbol}, {wire.number}, {wire.pin[1]}, {wire.pin[2]})" for wire in wires]
    return [f"#define {name}(X) \\", *(f"{row} \\" for row in rows[:-1]), rows[-1]]


def _masks(prefix: str, wires: Sequence[Wire]) -> list[str]:
    ports = sorted({wire.pin[1] for wire in wires})
    return [f"#define {prefix}_{port} {_mask([wire for wire in wires if wire.pin[1] == port])}" for port in ports]


def _mask(wires: Sequence[Wire]) -> str:
    return f"0x{sum(1 << int(wire.pin[2]) for wire in wires):02X}u"


def _places(wires: Sequence[Wire]) -> Iterator[str]:
    symbols = [wire.kind.symbol for wire in wires]
    for symbol in dict.fromkeys(symbols):
        yield f"#define {symbol}_COUNT {symbols.count(symbol)}"
        yield f"#define {symbol}_FIRST {symbols.index(symbol)}"


def _panel_pins(table: PinTable) -> Iterator[tuple[Key, str]]:
    """Each pin of the Pi's with its place in the configuration."""
    for name, setting in (("seat_buttons", "button_pin"), ("seat_lamps", "lamp_pin")):
        for wire in table.group(Device.PI, name).wires:
            yield ("seats", str(wire.number), setting), wire.pin
    yield ("host", "button_pin"), table.group(Device.PI, "host_button").wires[0].pin
    yield ("host", "buzzer_pin"), table.group(Device.PI, "buzzer").wires[0].pin


def _bcm(pin: str) -> int:
    return int(pin.removeprefix("GPIO"))
