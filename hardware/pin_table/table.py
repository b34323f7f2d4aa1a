"""The pin table, `hardware/pins.toml`: what is wired to which pin of the Raspberry Pi and of the microcontroller."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from config.errors import ConfigInvalid, ConfigSyntaxError, ConfigUnreadable, Place, Problem
from config.lines import Key, key_lines, syntax_problem
from hardware.pin_table.pinouts import BOARD_LABELS, BOARD_TAKEN, PI_HEADER, PI_TAKEN, PIN_CHANGE

SEATS = 8
TABLE = Path(__file__).parents[1] / "pins.toml"


class Device(Enum):
    """Whose pins they are."""

    PI = "pi"
    BOARD = "board"


@dataclass(frozen=True, slots=True)
class Kind:
    """Something that a table is wired to; what the program knows of it without the pin table."""

    device: Device
    name: str
    """Its table in the file."""
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
    """What to buy for each; empty for nothing."""
    wiring: str
    """How it is connected."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something to buy that is on no pin."""

    number: int
    part: str
    use: str
    """What for."""


@dataclass(frozen=True, slots=True)
class PinTable:
    """What is wired to which pin: valid, each pin used once."""

    groups: tuple[Group, ...]
    parts: tuple[Part, ...]
    """What is needed besides."""

    def group(self, device: Device, name: str) -> Group:
        """The group of that name."""
        return next(group for group in self.groups if (group.kind.device, group.kind.name) == (device, name))

    def of_device(self, device: Device) -> tuple[Group, ...]:
        """A device's groups."""
        return tuple(group for group in self.groups if group.kind.device is device)


KINDS = (
    Kind(Device.PI, "seat_buttons", "seat {}: button", SEATS, SEATS),
    Kind(Device.PI, "seat_lamps", "seat {}: lamp", SEATS, SEATS),
    Kind(Device.PI, "host_button", "host's button", 1, 1),
    Kind(Device.PI, "buzzer", "buzzer", 1, 1),
    Kind(Device.BOARD, "pads", "seat {}: slap pad", SEATS, SEATS, "PAD"),
    Kind(Device.BOARD, "knife_docks", "seat {}: knife dock", SEATS, SEATS, "KNIFE"),
    Kind(Device.BOARD, "skewer_docks", "skewer {}: dock", 3, 3, "SKEWER"),
    Kind(Device.BOARD, "tower_beam", "dice tower: beam", 1, 1, "BEAM"),
    Kind(Device.BOARD, "spare_inputs", "spare input {}", 1, 8, "SPARE"),
    Kind(Device.BOARD, "seat_lamps", "seat {}: lamp", SEATS, SEATS, "LAMP"),
    Kind(Device.BOARD, "buzzer", "buzzer", 1, 1, "BUZZER"),
)
TIMED = ("skewer_docks", "tower_beam", "spare_inputs")
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
        line, said = syntax_problem(text, error)
        raise ConfigSyntaxError(f"{path}:{line}: {said}") from error
    lines = key_lines(text)
    problems = [
        Problem(Place(path, _line(lines, key)), ".".join(key), _value(data, key), problem)
        for key, problem in _problems(data)
    ]
    if problems:
        raise ConfigInvalid(problems)
    groups = tuple(_group(kind, data[kind.device.value][kind.name]) for kind in KINDS)
    return PinTable(groups, tuple(Part(**part) for part in data["parts"]))


# Checking -------------------------------------------------------------------------------------------------------------


def _problems(data: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    found = list(_wrong_shape(data))
    yield from found
    if not found:
        yield from _shared(data)
        yield from _wrong_ports(data)


def _wrong_shape(data: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    known = {device.value: [kind.name for kind in KINDS if kind.device is device] for device in Device}
    yield from _wrong_parts(data.get("parts"))
    for device, tables in data.items():
        if device == "parts":
            continue
        if device not in known or not isinstance(tables, dict):
            yield (device,), f"no such table: expected {', '.join(known)} and [[parts]]"
            continue
        for name in tables:
            if name not in known[device]:
                yield (device, name), f"nothing of that name is known: expected one of {', '.join(known[device])}"
    for kind in KINDS:
        tables = data.get(kind.device.value, {})
        if isinstance(tables, dict):
            yield from _wrong_group(kind, tables.get(kind.name))


def _wrong_parts(parts: Any) -> Iterator[tuple[Key, str]]:
    if not isinstance(parts, list):
        yield ("parts",), "expected [[parts]], what is needed besides"
        return
    for number, part in enumerate(parts, 1):
        types = {key: type(value) for key, value in part.items()} if isinstance(part, dict) else {}
        if types != {"number": int, "part": str, "use": str} or part["number"] < 1:
            yield ("parts",), f"entry {number} is {part}: expected number (1 or more), part and use (texts)"


def _wrong_group(kind: Kind, group: Any) -> Iterator[tuple[Key, str]]:
    key = (kind.device.value, kind.name)
    if not isinstance(group, dict):
        yield key, "expected this table, with pins, part and wiring"
        return
    for name in group:
        if name not in ("pins", *_TEXTS):
            yield (*key, name), "no such key: expected pins, part and wiring"
    for name in _TEXTS:
        if not isinstance(group.get(name), str):
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
    if not isinstance(pin, str) or pin not in known:
        example = (
            "a GPIO of the Pi's header, GPIO4 to GPIO27"
            if device is Device.PI
            else "a pin that the board leads out, such as PK0"
        )
        return f"{json.dumps(pin, default=str)} is no pin: expected {example}"
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
    port = board[TIMED[0]]["pins"][0][1]
    for name in TIMED:
        wrong = [pin for pin in board[name]["pins"] if pin[1] != port or port not in PIN_CHANGE or port == pads[0][1]]
        if wrong:
            yield (
                ("board", name, "pins"),
                f"{', '.join(wrong)}: expected all of {', '.join(TIMED)} on one port with pin change interrupts "
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
