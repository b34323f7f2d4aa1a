"""`pizzatable doctor`: its table, its JSON, its exit status."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.cli.doctor import table_lines
from controller.doctor import Finding, Health


def doctor(tmp_path: Path, settings: str, *options: str) -> Result:
    path = tmp_path / "table.toml"
    path.write_text(f'data_dir = "{tmp_path}"\n{settings}\n[lan]\nannounce = false\n')
    return CliRunner().invoke(main, ["doctor", "--config", str(path), *options])


def test_nothing_broken_is_status_0(tmp_path: Path) -> None:
    result = doctor(tmp_path, "", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.output)
    assert report["ok"] is True
    assert all(set(finding) == {"name", "state", "what", "remedy"} for finding in report["findings"])


def test_something_broken_is_status_1_and_says_what_to_do(tmp_path: Path) -> None:
    settings = f'[serial]\nport = "{tmp_path}/none"'
    result = doctor(tmp_path, settings)
    assert result.exit_code == 1
    broken = result.output[result.output.index("serial") :].splitlines()
    assert broken[0].split(maxsplit=2) == ["serial", "broken", f"serial.port {tmp_path}/none is not there"]
    assert broken[1].lstrip().startswith("→ ")
    report = json.loads(doctor(tmp_path, settings, "--json").output)
    assert report["ok"] is False
    assert [one["name"] for one in report["findings"] if one["state"] == "broken"] == ["serial"]


def test_wrong_settings_are_named(tmp_path: Path) -> None:
    result = doctor(tmp_path, "colour = 3")
    assert result.exit_code == 1
    assert "colour = 3: no such setting" in result.output


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('game = "chess"', ":2: 'chess' is no game; there are dice_and_slice,"),
        ('game = "pizzeria"\n[options]\nadvanced = "yes"', ":4: pizzeria: option advanced: 'yes' is neither true"),
        ('game = "pizzeria"\n[options]\nadvnced = true', ":4: pizzeria: option advnced: unknown; expected"),
    ],
)
def test_a_game_that_run_refuses_is_a_finding_with_its_place(tmp_path: Path, settings: str, said: str) -> None:
    result = doctor(tmp_path, settings, "--json")
    assert result.exit_code == 1, result.output
    findings = json.loads(result.output)["findings"]
    (broken,) = [one for one in findings if one["state"] == "broken"]
    assert broken["name"] == "game"
    assert broken["what"].startswith(f"{tmp_path}/table.toml{said}")
    assert [one["name"] for one in findings if one["state"] == "skipped"] == ["faces"]
    assert findings[-1]["name"] == "LAN name"


def test_the_table_is_aligned() -> None:
    findings = [Finding("a", Health.OK, "works"), Finding("long", Health.BROKEN, "does not", "Do this.")]
    assert list(table_lines(findings)) == [
        "a     ok       works",
        "long  broken   does not",
        "               → Do this.",
    ]
