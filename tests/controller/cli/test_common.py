"""What commands say when a file cannot be used."""

import errno
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from controller.cli import COMMANDS, OutputRefused, main
from controller.cli.common import told, writing


def test_the_systems_errors_are_said_by_the_files_name(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(click.ClickException) as caught, told(OSError):
        missing.read_bytes()
    assert caught.value.message == f"{missing}: No such file or directory"
    with pytest.raises(click.ClickException) as caught, told(OSError):
        raise FileNotFoundError("no labelled picture")
    assert caught.value.message == "no labelled picture"


def test_what_standard_output_says_is_left_to_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(OutputRefused), told(OSError):
        raise OutputRefused(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(OutputRefused), writing(tmp_path, "a file"):
        raise OutputRefused(errno.EPIPE, os.strerror(errno.EPIPE))


def test_a_file_on_a_full_disk_is_not_taken_for_standard_output() -> None:
    with pytest.raises(click.ClickException, match="the disk is full"), told(OSError):
        Path("/dev/full").write_text("a line")


def test_what_cannot_be_written_is_said_with_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(click.ClickException) as caught, writing(tmp_path, "a file"):
        tmp_path.write_text("")
    assert caught.value.message == f"{tmp_path}: cannot be written: Is a directory; expected a file"


def _paths() -> Iterator[tuple[str, click.Parameter]]:
    """Every option and argument that is a path, with its command's name."""
    for name in COMMANDS:
        parameters = import_module(f"controller.cli.{name.replace('-', '_')}").command.params
        yield from ((name, parameter) for parameter in parameters if isinstance(parameter.type, click.Path))


@pytest.mark.parametrize(("name", "parameter"), [pytest.param(*one, id=f"{one[0]} {one[1].name}") for one in _paths()])
def test_nothing_is_no_path(name: str, parameter: click.Parameter) -> None:
    option = parameter.opts[0] if isinstance(parameter, click.Option) else "--"
    others = ["--game", "slice"] if name in ("enrol", "read", "watch") else []
    done = CliRunner().invoke(main, [name, *others, option, ""])
    assert done.exit_code == 2
    assert f"Invalid value for {parameter.get_error_hint(click.Context(main))}: " in done.stderr
    assert '"" names nothing: expected a path, or "." for the current folder.' in done.stderr


@pytest.mark.parametrize("name", ["results", "event"])
def test_nothing_is_no_table(name: str) -> None:
    done = CliRunner().invoke(main, [name, "http://127.0.0.1:1", ""])
    assert done.exit_code == 2
    assert '"" names no table: expected an address' in done.stderr


@pytest.mark.parametrize("name", ["results", "event"])
@pytest.mark.parametrize("day", ["06.06.2026", "yesterday", "2026-02-30", "0001-01-01"])
def test_what_is_no_day_is_named(name: str, day: str) -> None:
    done = CliRunner().invoke(main, [name, "http://127.0.0.1:1", "--since", day])
    assert done.exit_code == 2
    assert f"Invalid value for '--since': {day!r}: expected a day such as 2026-06-06" in done.stderr
