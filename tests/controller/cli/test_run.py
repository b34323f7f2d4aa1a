"""`pizzatable run`: its settings. What it then does is tested with the service."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from config.loader import load_table
from controller.choosing import Choice, Shelf
from controller.cli.run import command


def test_wrong_settings_are_said_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("[lan]\nprot = 1\n")
    result = CliRunner().invoke(command, ["--config", str(path)])
    assert result.exit_code == 1
    assert result.stderr == f"Error: {path}:2: lan.prot = 1: no such setting; did you mean port?\n"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('name = "Ours"\ngame = "chess"\n', ":2: 'chess' is no game; there are dice_and_slice,"),
        ("[options]\nadvanced = true\n", ":2: new_york_slice: option advanced: unknown; expected components,"),
        ('game = "pizzeria"\n\n[options]\nadvnced = true\n', ":4: pizzeria: option advnced: unknown; expected"),
        ('game = "pizzeria"\n[options]\nadvanced = "yes"\n', ":3: pizzeria: option advanced: 'yes' is neither"),
        ('game = "slice"\n[options]\ncomponents = "no.toml"\n', ":3: slice: no.toml: cannot be read"),
        ('game = "pizzeria"\n[options]\nsolo = true\n', ":3: pizzeria: option solo: True with 4 players"),
    ],
)
def test_a_game_or_an_option_that_is_not_there_is_said_with_its_place(tmp_path: Path, settings: str, said: str) -> None:
    path = tmp_path / "table.toml"
    path.write_text(settings)
    result = CliRunner().invoke(command, ["--config", str(path), "--data", str(tmp_path)])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {path}{said}")


def test_a_data_dir_that_is_none_is_said_before_anything_is_promised(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(f'data_dir = "{path}"\n')
    result = CliRunner().invoke(command, ["--config", str(path)])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: data_dir {path}: expected a folder that can be written: a file lies there\n"


def test_a_missing_file_is_said() -> None:
    result = CliRunner().invoke(command, ["--config", "/nowhere/table.toml"])
    assert result.exit_code == 2
    assert "'/nowhere/table.toml' does not exist" in result.stderr


def test_options_that_the_game_refuses_are_said() -> None:
    for options, reason in ((["fancy"], "option fancy: unknown"), (["solo"], "option solo: True with 4 players")):
        arguments = [word for option in options for word in ("--option", option)]
        result = CliRunner().invoke(command, ["--game", "pizzeria", *arguments])
        assert result.exit_code == 1
        assert reason in result.stderr


def test_what_is_played_and_why_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.service.run_service", lambda *_, why, **__: click.echo(why))

    def said(*arguments: str) -> str:
        return CliRunner().invoke(command, ["--data", str(tmp_path), *arguments]).stdout

    assert said() == "New York Slice is played, by the settings.\n"
    by_name = "as --game says; without it new_york_slice is, by the settings"
    assert said("--game", "slice") == f"SLICE is played, {by_name}.\n"
    Shelf(load_table([]).model_copy(update={"data_dir": tmp_path})).keep(Choice("pizzeria"))
    assert said() == "Pizzeria is played, as the host chose on the page; --game plays another.\n"
    assert (
        said("--option", "supreme_on_anchovy=false")
        == "New York Slice is played, with --option for this start alone.\n"
    )


def test_options_for_simulated_people_are_said_to_be_of_no_use_where_a_camera_sees_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.service.run_service", lambda *_, **__: None)
    (tmp_path / "table.toml").write_text('game = "dice_and_slice"\n[camera]\ndriver = "opencv:0"\n')
    own = ["--config", str(tmp_path / "table.toml"), "--data", str(tmp_path)]
    said = CliRunner().invoke(command, [*own, "--players", "3", "--seed", "4"])
    assert said.exit_code == 0
    assert said.stderr.startswith("--players, --seed: of no use here")
    assert CliRunner().invoke(command, own).stderr == ""
    assert CliRunner().invoke(command, ["--data", str(tmp_path), "--players", "3"]).stderr == ""
