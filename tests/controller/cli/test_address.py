"""`pizzatable address`: the addresses that `run` prints, and as QR codes."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli.address import command
from controller.service import _say_where
from controller.table_folder import prepare_folder
from controller.web.hub import Hub
from controller.web.not_started import create_app
from controller.web.server import serving
from tests.controller.web.fixture_views import ring_served
from tests.controller.web.table import make_app
from tests.controller.web.test_qr import from_lines, read

LAN = "127.0.0.1"
BRIGHT_ON_BLACK = "\x1b[97m\x1b[40m"


@pytest.fixture
def on_the_lan(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine has an address."""
    monkeypatch.setattr("controller.addresses._own_host", lambda: "192.168.1.20")


def asked(
    folder: Path, *arguments: str, host: str = "0.0.0.0", port: int = 9, name: str = "T", color: bool = False
) -> Result:
    config = folder / "table.toml"
    config.write_text(f'name = "{name}"\ndata_dir = "data"\n[lan]\nhost = "{host}"\nport = {port}\n')
    return CliRunner().invoke(command, ["--config", str(config), *arguments], color=color)


def codes(lines: Sequence[str]) -> list[str]:
    """What the QR codes say, each of lines of its own."""
    blocks, block = [], []
    for line in [*lines, ""]:
        if set(line) & set("█▀▄"):
            block.append(line)
        elif block:
            blocks.append(read(from_lines(block)))
            block = []
    return blocks


@pytest.mark.usefixtures("on_the_lan")
def test_it_prints_what_run_does_and_the_displays_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    token = prepare_folder(tmp_path / "data").token
    shown = asked(tmp_path)
    assert shown.exit_code == 0
    _say_where("0.0.0.0", 9, token)
    of_run = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert shown.stdout.splitlines()[:3] == of_run[1:4]
    assert of_run[1] == "The table's display:  http://192.168.1.20:9/"
    assert of_run[3] == f"The host's controls:  http://192.168.1.20:9/?host={token}"
    assert codes(shown.stdout.splitlines()) == ["http://192.168.1.20:9/"]


@pytest.mark.usefixtures("on_the_lan")
def test_the_hosts_code_is_drawn_when_it_is_asked_for(tmp_path: Path) -> None:
    token = prepare_folder(tmp_path / "data").token
    shown = asked(tmp_path, "--host", "--port", "9000", color=True)
    coloured = [line for line in shown.stdout.splitlines() if set(line) & set("█▀▄")]
    assert all(line.startswith(BRIGHT_ON_BLACK) for line in coloured)
    lines = [line.removeprefix(BRIGHT_ON_BLACK).removesuffix("\x1b[0m") for line in shown.stdout.splitlines()]
    assert codes(lines) == ["http://192.168.1.20:9000/", f"http://192.168.1.20:9000/?host={token}"]


@pytest.mark.usefixtures("on_the_lan")
def test_a_table_that_was_never_started_has_no_hosts_address(tmp_path: Path) -> None:
    shown = asked(tmp_path)
    token = tmp_path / "data" / "host-token"
    why = f"{token} is not there, or empty: the next start makes it, `pizzatable run --config {tmp_path}/table.toml`"
    assert (shown.exit_code, shown.stdout.splitlines()[2]) == (0, f"The host's controls:  not known: {why}")
    assert codes(shown.stdout.splitlines()) == ["http://192.168.1.20:9/"]
    refused = asked(tmp_path, "--host")
    assert (refused.exit_code, refused.stderr.splitlines()[-1]) == (1, f"Error: the host's address is not known: {why}")
    elsewhere = asked(tmp_path, "--data", str(tmp_path / "my data"), "--port", "9").stdout
    assert f"/table.toml --data '{tmp_path}/my data' --port 9`" in elsewhere


@pytest.mark.usefixtures("on_the_lan")
def test_a_folder_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    shown = asked(tmp_path)
    assert shown.exit_code == 0
    assert f"not known: {tmp_path}/data/host-token: cannot be read: Not a directory" in shown.stdout
    other = tmp_path / "other"
    token = prepare_folder(other).token
    assert f"?host={token}" in asked(tmp_path, "--data", str(other)).stdout


@pytest.mark.usefixtures("on_the_lan")
def test_a_table_that_says_it_cannot_start_is_the_right_one(tmp_path: Path) -> None:
    async def ask() -> Result:
        async with serving(create_app("the journal is damaged"), Hub(), LAN, 0) as port:
            return await asyncio.to_thread(asked, tmp_path, port=port)

    said = asyncio.run(ask()).stderr
    assert said.endswith("/: cannot be asked: This table cannot start: the journal is damaged\n")


@pytest.mark.usefixtures("on_the_lan")
def test_whether_the_table_answers_there_is_said(tmp_path: Path) -> None:
    async def ask() -> tuple[Result, Result, int]:
        hub = Hub()
        hub.publish(ring_served())
        async with serving(make_app(hub), hub, LAN, 0) as port:
            own, other = [
                await asyncio.to_thread(asked, tmp_path, port=port, name=name) for name in (ring_served().table, "Left")
            ]
            return own, other, port

    own, other, port = asyncio.run(ask())
    assert own.stderr == ""
    hint = "; the table does not run, or `run` was given another --port: name it here, too\n"
    assert other.stderr == f"Warning: “{ring_served().table}” answers at port {port}, not “Left”{hint}"
    assert asked(tmp_path).stderr == f"Warning: http://127.0.0.1:9/: cannot be asked: Connection refused{hint}"


def test_what_has_no_address_is_said(tmp_path: Path) -> None:
    any_port = asked(tmp_path, port=0)
    assert any_port.stderr == (
        "Error: lan.port = 0 is any free port: `pizzatable run` prints which; name it here with --port\n"
    )
    alone = asked(tmp_path, host=LAN)
    assert alone.exit_code == 1
    assert "Error: lan.host is 127.0.0.1, which is for this machine alone" in alone.stderr
    assert alone.stdout.splitlines()[1] == "On this machine:      http://127.0.0.1:9/"
