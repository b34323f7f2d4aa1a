"""The firmware's header, made from the pin table."""

from collections.abc import Iterator, Sequence

from hardware.pin_table.pinouts import PIN_CHANGE
from hardware.pin_table.table import TIMED, Device, PinTable, Wire


def make_header(table: PinTable) -> str:
    """The firmware's pins.h: registers by their datasheet names, and lists of pins to be expanded (X macros)."""
    pads = table.group(Device.BOARD, "pads")
    timed = [wire for name in TIMED for wire in table.group(Device.BOARD, name).wires]
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
