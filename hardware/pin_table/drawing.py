"""The wiring drawing: both computers' headers as they look, what each pin is wired to, and how."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from hardware.pin_table.pinouts import BOARD_HEADERS, BOARD_LABELS, PI_HEADER, PI_POWER
from hardware.pin_table.table import Device, PinTable, Wire

WIDTH, HEIGHT = 1480, 860
_PITCH = 22
_CHIP = 132
_NAME_GAP = 18
_NAME_CHAR = 6.65
"""A character's width in the names of pins."""
_COLOURS = {
    "seat_buttons": "#0072B2",
    "host_button": "#003d63",
    "pads": "#0072B2",
    "seat_lamps": "#C96A00",
    "buzzer": "#8B3A8B",
    "knife_docks": "#00714F",
    "skewer_docks": "#3E7A00",
    "tower_beam": "#B0306A",
    "spare_inputs": "#6B7280",
}
_POWER = {"3.3 V": "#B91C1C", "5 V": "#B91C1C", "5V": "#B91C1C", "ground": "#111827", "GND": "#111827"}
_UNUSED = "#CBD2DA"
_ABOUT = "Headers as seen from above. Every input is pulled up by its chip and reads low when connected to ground."
_PI_ABOUT = "40-pin header, its first place nearest to the board's corner"
_BOARD_ABOUT = "ATmega2560 board (Arduino Mega 2560 or alike), on USB to the Pi"
_STYLE = """
  text { font-family: "DejaVu Sans", Verdana, sans-serif; fill: #1f2933; }
  .title { font-size: 26px; font-weight: bold; }
  .about { font-size: 14px; fill: #52606d; }
  .head { font-size: 16px; font-weight: bold; }
  .strip { font-size: 12px; fill: #52606d; }
  .name { font-size: 11px; font-family: "DejaVu Sans Mono", monospace; fill: #52606d; }
  .place { font-size: 8.5px; fill: white; text-anchor: middle; }
  .dark { fill: #52606d; }
  .chip { font-size: 11.5px; fill: white; text-anchor: middle; }
  .line { fill: none; stroke: #1f2933; stroke-width: 2; }
  .small { font-size: 12px; text-anchor: middle; }
"""


@dataclass(frozen=True, slots=True)
class _Socket:
    """One place of a header."""

    place: str
    """What is written in it."""
    name: str
    """What the pin is called."""
    wire: Wire | None


def draw_wiring(table: PinTable) -> str:
    """The drawing as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
        "<!-- Made from hardware/pins.toml by hardware/pin_table: change the table, not this. -->",
        f"<style>{_STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        _text(40, 48, "Wiring", "title"),
        _text(150, 48, _ABOUT, "about"),
        *_pi(table, 40, 70),
        *_board(table, 560, 70),
        *_circuits(40, 640),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


# The two computers ----------------------------------------------------------------------------------------------------


def _pi(table: PinTable, x: int, y: int) -> Iterator[str]:
    wires = {wire.pin: wire for group in table.of_device(Device.PI) for wire in group.wires}
    pins = {place: pin for pin, place in PI_HEADER.items()}
    sockets = [
        _Socket(str(place), pins.get(place) or PI_POWER[place], wires.get(pins.get(place, "")))
        for place in range(1, 41)
    ]
    yield from _card(x, y, 500, 550, "Raspberry Pi 4 or 5", _PI_ABOUT)
    yield from _double(x + 250, y + 78, list(zip(sockets[::2], sockets[1::2], strict=True)))


def _board(table: PinTable, x: int, y: int) -> Iterator[str]:
    wires = {BOARD_LABELS[wire.pin]: wire for group in table.of_device(Device.BOARD) for wire in group.wires}
    ports = {label: pin for pin, label in BOARD_LABELS.items()}
    yield from _card(x, y, 880, 770, "Microcontroller", _BOARD_ABOUT)
    single_y = y + 78
    for title, rows in BOARD_HEADERS.items():
        if not any(label in wires for row in rows for label in row):
            continue
        sockets = [[_Socket("", _board_name(label, ports), wires.get(label)) for label in row] for row in rows]
        if len(rows[0]) == 2:
            yield _text(x + 250, y + 72, title, "strip", "middle")
            yield from _double(x + 250, y + 92, [(left, right) for left, right in sockets])
        else:
            yield _text(x + 560, single_y - 6, title, "strip")
            yield from _single(x + 570, single_y + 14, [row[0] for row in sockets])
            single_y += len(rows) * _PITCH + 34


def _board_name(label: str, ports: dict[str, str]) -> str:
    return f"{label} {ports[label]}" if label in ports else label


def _double(middle: int, y: int, rows: Sequence[tuple[_Socket, _Socket]]) -> Iterator[str]:
    yield _body(middle - 27, y - 15, 54, len(rows) * _PITCH + 8)
    for number, (left, right) in enumerate(rows):
        row_y = y + number * _PITCH
        yield from _socket(middle - 13, row_y, left, -1)
        yield from _socket(middle + 13, row_y, right, 1)


def _single(x: int, y: int, rows: Sequence[_Socket]) -> Iterator[str]:
    yield _body(x - 14, y - 15, 28, len(rows) * _PITCH + 8)
    for number, socket in enumerate(rows):
        yield from _socket(x, y + number * _PITCH, socket, 1)


def _socket(x: int, y: int, socket: _Socket, side: int) -> Iterator[str]:
    """A place of a header, with its name and what it is wired to on the left (-1) or right (1)."""
    colour = _COLOURS[socket.wire.kind.name] if socket.wire else _POWER.get(socket.name, _UNUSED)
    chip_x = x + side * 92
    if socket.wire:
        name_end = x + side * round(_NAME_GAP + 4 + len(socket.name) * _NAME_CHAR)
        yield f'<path d="M{name_end} {y}H{chip_x}" stroke="{colour}" stroke-width="2" fill="none"/>'
    yield f'<circle cx="{x}" cy="{y}" r="8.5" fill="{colour}" stroke="#ffffff"/>'
    yield _text(x, y + 3, socket.place, "place" if colour != _UNUSED else "place dark")
    yield _text(x + side * _NAME_GAP, y + 4, socket.name, "name", "end" if side < 0 else "start")
    if socket.wire:
        left = chip_x if side > 0 else chip_x - _CHIP
        yield f'<rect x="{left}" y="{y - 9}" width="{_CHIP}" height="18" rx="9" fill="{colour}"/>'
        yield _text(left + _CHIP // 2, y + 4, socket.wire.label, "chip")


# How things are connected ---------------------------------------------------------------------------------------------


def _circuits(x: int, y: int) -> Iterator[str]:
    yield from _card(x, y, 500, 200, "How each is connected", "")
    for number, (label, symbol) in enumerate(_SYMBOLS.items()):
        middle, top = x + 70 + number * 120, y + 70
        yield _text(middle, y + 52, "pin", "small")
        yield f'<circle cx="{middle}" cy="{top - 8}" r="4" fill="#1f2933"/>'
        yield f'<g transform="translate({middle} {top})">{symbol}</g>'
        yield _text(middle, y + 186, label, "small")


_GROUND = '<path class="line" d="M-14 80H14M-9 86H9M-4 92H4"/>'
_SWITCH = (
    '<path class="line" d="M0 -8V22M0 58V80M0 58L-16 26"/><circle cx="0" cy="22" r="3"/><circle cx="0" cy="58" r="3"/>'
)
_LAMP = (
    '<path class="line" d="M0 -8V6M0 32V44M0 62V80M-9 62H9"/><rect class="line" x="-6" y="6" width="12" height="26"/>'
    '<path class="line" d="M-9 44H9L0 62Z"/><path class="line" d="M13 46L21 40M13 55L21 49" stroke-width="1.5"/>'
)
_BUZZER = (
    '<path class="line" d="M0 -8V26M0 56V80"/><path class="line" d="M-16 26H16V40A16 16 0 0 1 -16 40Z"/>'
    '<text class="small" x="9" y="18">+</text>'
)
_BEAM = (
    '<path class="line" d="M0 -8V18M0 58V80"/><rect class="line" x="-22" y="18" width="44" height="40" rx="4"/>'
    '<text class="small" y="42">beam</text>'
    '<path class="line" d="M22 30H36"/><text class="small" x="46" y="22">5 V</text>'
)
_SYMBOLS = {
    "button, pad, dock": _SWITCH + _GROUND,
    "lamp": _LAMP + _GROUND,
    "buzzer": _BUZZER + _GROUND,
    "tower's beam": _BEAM + _GROUND,
}


def _card(x: int, y: int, width: int, height: int, title: str, about: str) -> Iterator[str]:
    yield f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="12" fill="#f7f9fb" stroke="#dde3ea"/>'
    yield _text(x + 20, y + 28, title, "head")
    yield _text(x + 20, y + 48, about, "strip")


def _body(x: int, y: int, width: int, height: int) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="#38424d"/>'


def _text(x: int, y: int, text: str, style: str, anchor: str = "") -> str:
    where = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x}" y="{y}" class="{style}"{where}>{escape(text)}</text>'
