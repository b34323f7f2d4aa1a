"""Rules that hold for the whole project."""

import os
import re
import shutil
import subprocess
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import click
import pytest
from click.testing import CliRunner
from pydantic import BaseModel

from config.lines import Key, key_lines
from config.schema import TableConfig
from controller.cli import COMMANDS, main

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("arguments", [[], *([command] for command in COMMANDS)])
def test_every_commands_help_has_an_example(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, [*arguments, "--help"], prog_name="pizzatable")
    assert result.exit_code == 0
    assert re.search(r"Example: +pizzatable [a-z]", result.output)


def test_every_option_is_explained() -> None:
    context = click.Context(main)
    commands = [main.get_command(context, name) for name in main.list_commands(context)]
    silent = [
        f"{command.name} {option.name}"
        for command in commands
        if command
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert silent == []


def test_the_defaults_explain_every_setting_and_hold_no_other() -> None:
    text = (resources.files("config") / "defaults.toml").read_text()
    lines = text.splitlines()
    places = key_lines(text)
    explained = {_general(key) for key, number in places.items() if _has_comment(lines, number)}
    assert set(_settings(TableConfig)) - explained == set()
    tables = {key[:depth] for key in _settings(TableConfig) for depth in range(1, len(key))}
    assert {_general(key) for key in places} - set(_settings(TableConfig)) - tables == set()


@pytest.mark.parametrize("config", ["", "left.toml"])
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_systemd_takes_the_unit_that_starts_the_table_at_boot(tmp_path: Path, config: str) -> None:
    """As `make start-at-boot` writes it, with a systemctl and a loginctl that only take notes."""
    said, tools = tmp_path / "said", tmp_path / "tools"
    tools.mkdir()
    for name in ("systemctl", "loginctl"):
        (tools / name).write_text(f'#!/bin/sh\necho {name} "$@" >> {said}\n')
        (tools / name).chmod(0o755)
    own = {"PATH": f"{tools}:{os.environ['PATH']}", "XDG_CONFIG_HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    make = ["make", "--silent", "--old-file=.venv/.installed", "start-at-boot"]
    name, options = "pizzatable", ""
    if config:
        make.append(f"CONFIG={tmp_path / config}")
        refused = subprocess.run(make, cwd=ROOT, env=os.environ | own, capture_output=True, text=True)
        assert f"CONFIG={tmp_path / config}: expected a table's settings file" in refused.stderr
        (tmp_path / config).touch()
        name, options = "pizzatable-left", f' --config "{tmp_path / config}"'
    done = subprocess.run(make, cwd=ROOT, env=os.environ | own, check=True, capture_output=True, text=True)
    assert f"It runs. Its addresses:  .venv/bin/pizzatable address{options}\n" in done.stdout
    unit = tmp_path / "systemd" / "user" / f"{name}.service"
    assert f"ExecStart={ROOT}/.venv/bin/pizzatable run --unattended{options}\n" in unit.read_text()
    assert f"systemctl --user enable {name}\nsystemctl --user restart {name}\n" in said.read_text()
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(unit)], env=os.environ | own, capture_output=True, text=True
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_versions_are_pinned_for_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + extras["dev"] + extras["bench"] + extras["traced"]
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+?)(?:;.*)?$", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    normal = {name.lower().replace("_", "-") for name in pinned}
    assert {re.split(r"[^\w-]", requirement)[0] for requirement in wanted} - normal == set()


def test_the_changelog_speaks_of_what_comes_next() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    assert "Keep a Changelog" in text
    assert re.search(r"^## \[Unreleased\]\n\n### (Added|Changed|Fixed)\n\n- ", text, re.MULTILINE)


def test_no_file_knows_a_machine_or_a_registry() -> None:
    hosts = ("pypi.org", "pypi.python", "pythonhosted.org", "piwheels.org", "registry.npmjs", "deb.debian.org")
    machine = re.compile(r"/(?<![\w.]/)(?:home|root|work|Users|mnt|media)/\w")  # begins with what is quickly found
    found = []
    for path in _text_files():
        text = path.read_text()
        if path != Path(__file__) and (any(host in text for host in hosts) or machine.search(text)):
            found += [
                f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
                for number, line in enumerate(text.splitlines(), 1)
                if any(host in line for host in hosts) or machine.search(line)
            ]
    assert found == []


def _text_files() -> list[Path]:
    """What git tracks, or would; all files where this is no checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True
    )
    if listed.returncode:
        pytest.skip("this is no git checkout")
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()]


def _settings(model: type[BaseModel], above: Key = ()) -> list[Key]:
    """The settings of a schema; "*" stands for the number in a numbered table. A table whose keys somebody else
    knows is one setting."""
    settings: list[Key] = []
    for name, about in model.model_fields.items():
        inner = about.annotation if isinstance(about.annotation, type) else (get_args(about.annotation) or (None,))[-1]
        numbered = getattr(about.annotation, "__origin__", None) is dict and inner is not Any
        key = (*above, name, "*") if numbered else (*above, name)
        is_table = isinstance(inner, type) and issubclass(inner, BaseModel)
        settings += _settings(inner, key) if is_table else [key]
    return settings


def _general(key: Key) -> Key:
    return tuple("*" if part.isdigit() else part for part in key)


def _has_comment(lines: list[str], number: int) -> bool:
    return lines[number - 2].startswith("#") if number > 1 else False
