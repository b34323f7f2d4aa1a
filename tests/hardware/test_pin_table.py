"""The pin table: what a wrong one says, and that everything made from it is current."""

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from config.errors import ConfigInvalid, ConfigSyntaxError, ConfigUnreadable
from config.loader import load_table
from hardware.pin_table.made import MADE, not_current
from hardware.pin_table.pinouts import BOARD_LABELS, PI_HEADER, PI_POWER
from hardware.pin_table.table import KINDS, SEATS, TABLE, Device, load_pin_table, parse_pin_table

ROOT = Path(__file__).parents[2]
FILE = Path("pins.toml")


def refused(old: str, new: str) -> list[str]:
    """What is said of the table with `new` in place of `old`."""
    text = TABLE.read_text()
    assert old in text
    with pytest.raises(ConfigInvalid) as caught:
        parse_pin_table(text.replace(old, new, 1), FILE)
    return [str(problem) for problem in caught.value.problems]


def test_what_is_made_is_current() -> None:
    stale = [str(path.relative_to(ROOT)) for path, _ in not_current(load_pin_table(), ROOT)]
    assert stale == [], "python -m hardware.pin_table --write"


def test_no_two_things_share_a_pin() -> None:
    wires = [wire for group in load_pin_table().groups for wire in group.wires]
    assert [pin for pin, times in Counter(wire.pin for wire in wires).items() if times > 1] == []
    assert len(wires) == 8 + 8 + 1 + 1 + 8 + 8 + 3 + 1 + 3 + 8 + 1


def test_the_panels_default_pins_are_the_tables() -> None:
    config, table = load_table(), load_pin_table()
    buttons, lamps = (table.group(Device.PI, name).wires for name in ("seat_buttons", "seat_lamps"))
    for number, seat in config.seats.items():
        assert (f"GPIO{seat.button_pin}", f"GPIO{seat.lamp_pin}") == (buttons[number - 1].pin, lamps[number - 1].pin)
    assert table.group(Device.PI, "buzzer").wires[0].pin == f"GPIO{config.host.buzzer_pin}"


@pytest.mark.parametrize("name", MADE)
def test_a_change_is_noticed_in_every_file_and_written(tmp_path: Path, name: str) -> None:
    for made in MADE:
        (tmp_path / made).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / made, tmp_path / made)
    text = TABLE.read_text().replace('"GPIO25"', '"GPIO10"').replace('["PH3"]', '["PH4"]')
    table = parse_pin_table(text, FILE)
    changed = dict(not_current(table, tmp_path))
    assert tmp_path / name in changed
    for path, wanted in changed.items():
        path.write_text(wanted)
    assert list(not_current(table, tmp_path)) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        pytest.param(
            '["PH3"]', '["PC0"]',
            'board.buzzer.pins = ["PC0"]: PC0 is wanted twice: expected a pin of its own for board.buzzer '
            '(buzzer); it is '
            "used by board.seat_lamps (seat 1: lamp)",
            id="shared",
        ),
        pytest.param(
            '["GPIO16"]', '["GPIO5"]',
            'pi.host_button.pins = ["GPIO5"]: GPIO5 is wanted twice: expected a pin of its own for '
            'pi.host_button (host\'s '
            "button); it is used by pi.seat_buttons (seat 1: button)",
            id="shared on the Pi",
        ),
        pytest.param(
            '["GPIO16"]', '["GPIO28"]',
            'pi.host_button.pins = ["GPIO28"]: "GPIO28" is no pin: expected a GPIO of the Pi\'s header, GPIO4 '
            'to GPIO27',
            id="no pin of the Pi",
        ),
        pytest.param(
            '["GPIO16"]', "[16]",
            'pi.host_button.pins = [16]: 16 is no pin: expected a GPIO of the Pi\'s header, GPIO4 to GPIO27',
            id="a number",
        ),
        pytest.param(
            '["GPIO16"]', "[[]]",
            "pi.host_button.pins = [[]]: [] is no pin: expected a GPIO of the Pi's header, GPIO4 to GPIO27",
            id="a list",
        ),
        pytest.param(
            '["GPIO16"]', '["GPIO14"]',
            'pi.host_button.pins = ["GPIO14"]: GPIO14 is the serial console\'s: expected another pin',
            id="taken on the Pi",
        ),
        pytest.param(
            '["PH3"]', '["PJ5"]',
            'board.buzzer.pins = ["PJ5"]: "PJ5" is no pin: expected a pin that the board leads out, such as PK0',
            id="not led out",
        ),
        pytest.param(
            '["PH3"]', '["PE0"]', 'board.buzzer.pins = ["PE0"]: PE0 is the serial line to the Pi: expected another pin',
            id="the serial line",
        ),
        pytest.param(
            '["PB4", "PB5", "PB6"]', '["PB4", "PB5"]',
            'board.skewer_docks.pins = ["PB4", "PB5"]: expected 3 of them, there are 2',
            id="too few",
        ),
        pytest.param(
            '["PB1", "PB2", "PB3"]', "[]", "board.spare_inputs.pins = []: expected 1 to 8 of them, there are 0",
            id="none",
        ),
        pytest.param(
            '["PK0", "PK1",', '["PK1", "PK0",',
            'board.pads.pins = ["PK1", "PK0", "PK2", "PK3", "PK4", "PK5", "PK6", "PK7"]: expected bits 0 to 7 '
            'of port B or '
            "K, seat 1 on bit 0, to read them at once",
            id="pads out of order",
        ),
        pytest.param(
            '["PB0"]', '["PH4"]',
            'board.tower_beam.pins = ["PH4"]: PH4: expected all of skewer_docks, tower_beam, spare_inputs on '
            'one port with '
            "pin change interrupts (B or K) that is not the pads'",
            id="a beam that wakes nobody",
        ),
        pytest.param(
            "[board.tower_beam]\npins", "[board.tower_beam]\npin",
            'board.tower_beam.pin = ["PB0"]: no such key: expected pins, part and wiring',
            id="unknown key",
        ),
        pytest.param(
            "[board.tower_beam]", "[board.tower_beems]",
            "board.tower_beems: nothing of that name is known: expected one of pads, knife_docks, skewer_docks, "
            "tower_beam, "
            "spare_inputs, seat_lamps, buzzer",
            id="unknown table",
        ),
        pytest.param(
            "[pi.buzzer]", "[pie.buzzer]", "pie: no such table: expected pi, board and [[parts]]", id="unknown device"
        ),
        pytest.param(
            'part = ""', "part = 3", "board.spare_inputs.part = 3: expected a text", id="no text",
        ),
    ],
)  # fmt: skip
def test_a_wrong_table_is_named_with_its_line(old: str, new: str, problem: str) -> None:
    first, *_ = refused(old, new)
    place, _, said = first.partition(": ")
    assert said == problem
    file, line = place.split(":")
    key = problem.split(" =")[0].split(":")[0].split(".")[-1]
    assert file == "pins.toml"
    assert key in TABLE.read_text().replace(old, new, 1).splitlines()[int(line) - 1]


def test_a_part_without_its_number_is_named() -> None:
    (problem,) = refused("[[parts]]\nnumber = 1\n", "[[parts]]\n")
    assert "parts" in problem
    assert "entry 1 is {'part': 'Raspberry Pi 4 or 5" in problem
    assert "expected number (1 or more), part and use (texts)" in problem


def test_a_missing_table_is_named() -> None:
    (problem,) = refused("[board.buzzer]\npins", "[other]\n[board.buzzer.pins]\npins")[:1]
    assert "other: no such table" in problem
    text = TABLE.read_text()
    with pytest.raises(ConfigInvalid, match=r"pins\.toml:\d+: board\.buzzer: expected this table, with pins, part and"):
        parse_pin_table(text[: text.index("[board.buzzer]")], FILE)


def test_no_file_and_no_toml_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigUnreadable, match=r"none\.toml: expected a readable TOML file"):
        load_pin_table(tmp_path / "none.toml")
    with pytest.raises(ConfigSyntaxError, match=r"pins\.toml:1: .*line 1"):
        parse_pin_table("pins = = 1", FILE)


def test_the_pinouts_are_whole() -> None:
    assert sorted([*PI_HEADER.values(), *PI_POWER]) == list(range(1, 41))
    assert len(BOARD_LABELS) == len(set(BOARD_LABELS.values())) == 54 + 16
    assert [BOARD_LABELS[pin] for pin in ("PB7", "PC0", "PC7", "PK0", "PH3", "PL0")] == [
        "D13", "D37", "D30", "A8", "D6", "D49",
    ]  # fmt: skip


def test_the_drawing_names_every_wire_once() -> None:
    root = ElementTree.parse(ROOT / "hardware/wiring.svg").getroot()
    chips = Counter(text.text for text in root.iter("{http://www.w3.org/2000/svg}text") if text.get("class") == "chip")
    assert chips == Counter(wire.label for group in load_pin_table().groups for wire in group.wires)


def test_the_parts_list_has_as_many_as_there_are_pins() -> None:
    lines = (ROOT / "hardware/parts.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    wired = {(row[1], row[0]) for row in rows if len(row) == 4}
    assert {(wire.pin, wire.label) for group in load_pin_table().groups for wire in group.wires} <= wired
    assert ["8", "slap pad: a dome push button, 100 mm", "ATmega2560 board: seat 1 to 8: slap pad"] in rows


@pytest.mark.skipif(shutil.which("avr-gcc") is None, reason="avr-gcc is not installed")
def test_the_header_fits_the_registers(tmp_path: Path) -> None:
    """Every macro is expanded by the real compiler, which knows the microcontroller's registers and bits."""
    source = tmp_path / "uses.c"
    source.write_text(
        "#include <avr/io.h>\n#include <avr/interrupt.h>\n"
        f'#include "{ROOT / "hardware/firmware/pins.h"}"\n'
        "#define READ(name, number, port, bit) sum += (PIN##port >> P##port##bit) & 1;\n"
        "#define DRIVE(name, number, port, bit) DDR##port |= 1 << P##port##bit;\n"
        "ISR(PADS_VECT) { PADS_PCMSK = PADS_MASK; PCIFR = 1 << PADS_PCIF; PCICR = 1 << PADS_PCIE; }\n"
        "ISR(TIMED_VECT) { TIMED_PCMSK = TIMED_MASK; PCIFR = 1 << TIMED_PCIF; PCICR = 1 << TIMED_PCIE; }\n"
        "int main(void) { int sum = PADS_PIN + TIMED_PIN; PADS_PORT = PADS_DDR; TIMED_PORT = TIMED_DDR;\n"
        "TIMED_INPUTS(READ) POLLED_INPUTS(READ) OUTPUTS(DRIVE) return sum; }\n"
    )
    subprocess.run(
        ["avr-gcc", "-mmcu=atmega2560", "-Wall", "-Wextra", "-Werror", "-Os", "-c", source, "-o", tmp_path / "uses.o"],
        check=True,
    )


def test_the_command_says_what_is_not_current_and_takes_no_nonsense() -> None:
    done = subprocess.run([sys.executable, "-m", "hardware.pin_table"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_kind_has_one_for_each_seat_where_it_says_so() -> None:
    assert all(kind.fewest == SEATS for kind in KINDS if kind.label.startswith("seat {}"))
