"""The loader: layers, and errors that name file, line, key, value and what was expected."""

from collections.abc import Callable
from pathlib import Path

import pytest

from config.errors import ConfigInvalid, ConfigSyntaxError, ConfigUnreadable
from config.loader import load_table, table_files

Refused = Callable[[str], list[str]]
LONG = "x" * 61


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    """Loads a text as a table's file and gives the problems, each without the folder in front."""

    def load(text: str) -> list[str]:
        path = tmp_path / "table.toml"
        path.write_text(text)
        with pytest.raises(ConfigInvalid) as caught:
            load_table([path])
        return [str(problem).replace(f"{tmp_path}/", "") for problem in caught.value.problems]

    return load


def test_defaults_load_alone() -> None:
    table = load_table()
    assert list(table.seats) == [1, 2, 3, 4, 5, 6]
    assert table.lan.port == 8080
    assert table.faces is None
    assert table.serial.port is None
    assert table.data_dir.is_absolute()


def test_later_files_win_key_by_key(tmp_path: Path) -> None:
    machine, own = tmp_path / "machine.toml", tmp_path / "own.toml"
    machine.write_text('name = "Left"\n[seats.1]\nname = "Ada"\ncolour = "#000000"\n[lan]\nport = 9000\n')
    own.write_text('[seats.1]\nname = "Bob"\n')
    table = load_table([machine, own])
    assert (table.name, table.lan.port) == ("Left", 9000)
    assert (table.seats[1].name, table.seats[1].colour, table.seats[1].button_pin) == ("Bob", "#000000", 5)


def test_a_name_is_kept_in_one_form_whatever_it_names(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    said = "Cafe\u0301  Con"
    path.write_text(f'name = "{said}"\nevent = "{said}"\nlan.name = "{said}"\n[seats.1]\nname = "{said}"\n')
    table = load_table([path])
    assert {table.name, table.event, table.lan.name, table.seats[1].name} == {"Café Con"}


def test_a_seat_can_be_taken_away_and_its_pins_used(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("[seats.6]\npresent = false\n[host]\nbutton_pin = 21\n")
    table = load_table([path])
    assert list(table.seats) == [1, 2, 3, 4, 5]
    assert table.host.button_pin == 21


def test_the_builders_guide_seats_eight(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "hardware" / "README.md").read_text()
    path = tmp_path / "table.toml"
    path.write_text(guide.split("```toml\n")[1].split("```")[0])
    assert list(load_table([path]).seats) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_relative_paths_count_from_their_file(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text('data_dir = "games"\nfaces = "/packs/mine"\n[options]\ncomponents = "mine.toml"\n')
    table = load_table([path])
    assert table.options == {"components": str(tmp_path / "mine.toml")}
    assert table.data_dir == tmp_path / "games"
    assert table.faces == Path("/packs/mine")


def test_a_byte_order_mark_as_some_editors_write_it_is_none_of_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes('\ufeffname = "Küche"\r\nlan.port = 9000\r\n'.encode())
    assert (load_table([path]).name, load_table([path]).lan.port) == ("Küche", 9000)
    path.write_bytes("\ufeff\r\nprot = 1\r\n".encode())
    with pytest.raises(ConfigInvalid, match=r"table\.toml:2: prot = 1: no such setting"):
        load_table([path])


def test_the_machines_file_is_found(tmp_path: Path) -> None:
    own = tmp_path / "xdg" / "pizzatable" / "table.toml"
    own.parent.mkdir(parents=True)
    own.touch()
    asked = Path("asked.toml")
    assert table_files(asked, {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}) == [own, asked]
    assert own not in table_files(None, {"HOME": str(tmp_path)})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('# a table\nnmae = "x"', 'table.toml:2: nmae = "x": no such setting; did you mean name?'),
        ("[lan]\nprot = 1", "table.toml:2: lan.prot = 1: no such setting; did you mean port?"),
        ('seats.1.nmae = "x"', 'table.toml:1: seats.1.nmae = "x": no such setting; did you mean name?'),
        (
            'data_dir = "~nobody-here/x"',
            'table.toml:1: data_dir = "~nobody-here/x": expected a path whose home folder exists: Could not determine '
            "home directory.",
        ),
        ("[zzz]", "table.toml:1: zzz: no such setting"),
        (
            'data_dir = ""',
            'table.toml:1: data_dir = "": expected a path; nothing would be the folder in which the command is typed',
        ),
        (
            'faces = "{x}.faces"',
            'table.toml:1: faces = "{x}.faces": expected no { or } but those of {game}, which stands for the game\'s '
            "name",
        ),
        ('[lan]\nport = "8080"', 'table.toml:2: lan.port = "8080": expected a whole number'),
        ("lan = 3", "table.toml:1: lan = 3: expected a table"),
        (f'lan.name = "{LONG}"', f'table.toml:1: lan.name = "{LONG}": expected at most 60 characters'),
        (
            "host.button_pin = 40",
            "table.toml:1: host.button_pin = 40: expected a GPIO's number from 2 to 27 (BCM), not that of a pin of the "
            "header",
        ),
        ("timing.rest_s = 350", "table.toml:1: timing.rest_s = 350: expected less than or equal to 60"),
        ("timing.breach_s = 2000", "table.toml:1: timing.breach_s = 2000: expected less than or equal to 600"),
        (
            "camera.view_mm = [1.17, 660]",
            "table.toml:1: camera.view_mm = [1.17, 660]: expected greater than or equal to 400 (element 0)",
        ),
        (
            'game = "SLICE"',
            'table.toml:1: game = "SLICE": expected the name of a game in small letters, such as "new_york_slice"',
        ),
        ("camera.rate = 0.5", "table.toml:1: camera.rate = 0.5: expected greater than or equal to 1"),
        ("timing.hang_s = 1", "table.toml:1: timing.hang_s = 1: expected greater than or equal to 3"),
        ("camera.view_mm = [1170]", "table.toml:1: camera.view_mm = [1170]: expected more elements"),
        ("[mat]\nsize_mm = 388", "table.toml:1: mat: no such setting"),
        (
            "seats.1.area_mm = [[0], [1, 2], [3, 4]]",
            "table.toml:1: seats.1.area_mm = [[0], [1, 2], [3, 4]]: expected more elements (element 0)",
        ),
        ("camera.view_mm = [1, 2, 3]", "table.toml:1: camera.view_mm = [1, 2, 3]: expected at most 2 elements"),
        ("timing.rest_s = nan", "table.toml:1: timing.rest_s = NaN: expected a finite number"),
        ('timing.confirm = "yes"', "table.toml:1: timing.confirm = \"yes\": expected 'button' or 'rest'"),
        ('seats.2.colour = "red"', 'table.toml:1: seats.2.colour = "red": expected a colour as "#rrggbb"'),
        ('name = "a\\nb"', r'''table.toml:1: name = "a\nb": expected text without '\n', which cannot be shown'''),
        ('event = "a\\tb"', r'''table.toml:1: event = "a\tb": expected text without '\t', which cannot be shown'''),
        ('event = " "', 'table.toml:1: event = " ": expected a name with at least one character that is seen'),
        ('name = " "', 'table.toml:1: name = " ": expected a name with at least one character that is seen'),
        ("name = 2026-01-01", 'table.toml:1: name = "2026-01-01": expected text'),
        ("data_dir = 3", "table.toml:1: data_dir = 3: expected text"),
        ("camera.mains_hz = 55", "table.toml:1: camera.mains_hz = 55: expected 0, 50 or 60"),
        ('camera.mains_hz = "50"', 'table.toml:1: camera.mains_hz = "50": expected 0, 50 or 60'),
        (
            'camera.driver = "usb"',
            'table.toml:1: camera.driver = "usb": expected "simulated", "picamera2" or "opencv:" and a device, a file '
            "or a folder",
        ),
        (
            "[seats.2]\narea_mm = [[-700, 0], [-300, 0], [-300, -100]]",
            "table.toml:2: seats.2.area_mm = [[-700, 0], [-300, 0], [-300, -100]]: seat 2 is off the table: expected "
            "corners within x ±585 mm and y ±330 mm, what the camera sees; (-700, 0) is not",
        ),
        (
            "[seats.2]\narea_mm = [[-300, -100], [-199, 0], [-300, 0]]",
            "table.toml:2: seats.2.area_mm = [[-300, -100], [-199, 0], [-300, 0]]: seat 2 lies on the mat: expected an "
            "area outside of x ±200 mm, y ±200 mm",
        ),
        (
            "[seats.2]\narea_mm = [[-565, -205], [-208, 0], [-208, -205], [-565, 0]]",
            "table.toml:2: seats.2.area_mm = [[-565, -205], [-208, 0], [-208, -205], [-565, 0]]: expected a convex "
            "area, its corners in order",
        ),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named(refused: Refused, text: str, message: str) -> None:
    assert refused(text) == [message]


def test_a_pin_used_twice_names_both_places(refused: Refused) -> None:
    (problem,) = refused("[seats.2]\nbutton_pin = 3\n[seats.3]\nlamp_pin = 3\n")
    assert problem.startswith("table.toml:4: seats.3.lamp_pin = 3: expected a pin of its own; pin 3 is used by ")
    assert problem.endswith("seats.2.button_pin (table.toml:2)")


def test_a_pin_of_the_defaults_is_named_too_and_the_later_file_is_to_blame(refused: Refused) -> None:
    (problem,) = refused("[seats.1]\nbutton_pin = 16\n")
    assert problem.startswith("table.toml:2: seats.1.button_pin = 16: ")
    assert "host.button_pin (" in problem
    assert "defaults.toml:" in problem


def test_seats_must_not_overlap(refused: Refused) -> None:
    (problem,) = refused("[seats.2]\narea_mm = [[-565, -205], [-208, -205], [-208, 30], [-565, 30]]")
    assert problem.startswith("table.toml:2: seats.2.area_mm = ")
    assert "expected an area of its own; it overlaps seats.3.area_mm (" in problem


def test_a_seat_that_comes_to_the_table_and_overlaps_is_told_where_it_comes(refused: Refused) -> None:
    (problem,) = refused("seats.7.present = true")
    assert problem.startswith(
        "table.toml:1: seats.7.present = true: seats.7.area_mm: expected an area of its own; it overlaps seats.6."
    )


def test_all_problems_are_told_at_once(refused: Refused) -> None:
    problems = refused('nmae = "x"\n[seats.2]\narea_mm = [[0, 0], [1, "x"]]\n[seats.two]\npresent = true\n')
    assert any(problem.endswith("expected a valid number (element 1.1)") for problem in problems)
    assert any(problem.startswith("table.toml:4: seats.two: expected a whole number") for problem in problems)
    assert any(problem.startswith("table.toml:4: seats.two.name: expected this setting") for problem in problems)
    assert any(problem.startswith("table.toml:1: nmae") for problem in problems)


def test_too_few_seats(refused: Refused) -> None:
    text = "".join(f"[seats.{number}]\npresent = false\n" for number in (2, 3, 4, 5, 6))
    assert refused(text) == ["table.toml:1: seats: expected at least 2 seats that are present, there are 1"]


def test_no_toml_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text('name = "x"\nport = = 3\n')
    with pytest.raises(ConfigSyntaxError, match=r"table\.toml:2: Invalid value"):
        load_table([path])
    path.write_text("# ours\ngame = pizzeria  # a game\n")
    with pytest.raises(
        ConfigSyntaxError, match=r'table\.toml:2: .*: game = pizzeria .*; expected text in quotes, "pizz'
    ):
        load_table([path])
    path.write_text("[seats.6]\npresent = False\n")
    with pytest.raises(
        ConfigSyntaxError, match=r"table\.toml:2: .*: present = False; expected false, in small letters"
    ):
        load_table([path])
    path.write_text("name = “Kitchen”\n", encoding="utf-8")
    with pytest.raises(ConfigSyntaxError, match=r'table\.toml:1: .*; expected straight quotes, "'):
        load_table([path])
    path.write_bytes(b'name = "\xff"\n')
    with pytest.raises(ConfigSyntaxError, match=r"table\.toml: expected UTF-8 text: .* at byte 8"):
        load_table([path])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigUnreadable, match=r"none\.toml: expected a readable TOML file: No such file"):
        load_table([tmp_path / "none.toml"])


def test_a_settings_folder_may_have_braces_in_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "our {best} table"
    folder.mkdir()
    (folder / "table.toml").write_text('faces = "{game}.faces"')
    assert load_table([folder / "table.toml"]).faces_of("slice") == folder / "slice.faces"
