"""All commands: each module that has one offers it, with an example, and the README names it."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from click.testing import CliRunner

import controller.cli
from controller.cli import COMMANDS, main

README = Path(__file__).parents[3] / "README.md"


def test_every_module_with_a_command_offers_it() -> None:
    modules = [module.name for module in iter_modules(controller.cli.__path__)]
    offering = {name for name in modules if hasattr(import_module(f"controller.cli.{name}"), "command")}
    assert {name.replace("-", "_") for name in COMMANDS} == offering


@pytest.mark.parametrize("name", COMMANDS)
def test_each_has_help_with_an_example(name: str) -> None:
    shown = CliRunner().invoke(main, [name, "--help"])
    assert shown.exit_code == 0
    assert f"Example: pizzatable {name} " in " ".join(shown.output.split())


def test_examples_of_several_commands_have_lines_of_their_own() -> None:
    lines = [line.strip() for line in CliRunner().invoke(main, ["enrol", "--help"]).output.splitlines()]
    assert sum(line.startswith(("pizzatable enrol ", "Example:  pizzatable enrol ")) for line in lines) == 3


def test_a_full_disk_is_said_in_a_line() -> None:
    start = "from controller.cli import main; main()"
    for arguments in (["kit", "--help"], ["components", "slice"]):
        with Path("/dev/full").open("wb") as full:
            program = [sys.executable, "-c", start, *arguments]
            done = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert line == "Error: standard output cannot be written: No space left on device"


def test_a_folder_is_not_blamed_where_nobody_reads_the_output_any_more(tmp_path: Path) -> None:
    """As with `pizzatable kit --out kit | head -1`."""
    start = "from controller.cli import main; main()"
    program = [sys.executable, "-c", start, "kit", "--game", "dice_and_slice", "--out", str(tmp_path / "kit")]
    reading, written = os.pipe()
    os.close(reading)
    with os.fdopen(written, "wb") as output:
        done = subprocess.run(program, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


def test_the_readme_has_a_line_for_each_in_the_same_order() -> None:
    assert re.findall(r"^\| `pizzatable ([a-z-]+)` \|", README.read_text(), re.MULTILINE) == list(COMMANDS)
