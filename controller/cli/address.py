"""`pizzatable address`: where the table's display and its host's controls are, for people and for phones."""

import os
import shlex
import shutil
import sys
from pathlib import Path

import click

from config.errors import ConfigError
from config.loader import load_table, table_files
from config.schema import TableConfig
from controller.addresses import NotReachable, address_here, host_address, lan_address, told_addresses
from controller.asking_tables import TableNotAsked, TableRefuses, ask_state
from controller.cli.common import EXISTING_FILE, NamedPath, overridden, told
from controller.table_folder import FolderError, NeverStarted, host_token


@click.command(epilog="Example:  pizzatable address --config my-table.toml --host")
@click.option(
    "--config", "config_file", type=EXISTING_FILE, help="This table's settings (TOML), laid over the defaults."
)
@click.option("--port", type=click.IntRange(1, 65535), help="The display's TCP port, where `run` was given it.")
@click.option("--data", type=NamedPath(file_okay=False), help="The table's folder, where `run` was given it.")
@click.option("--host", "for_host", is_flag=True, help="Draw the host's address, with the token in it, as well.")
def command(config_file: Path | None, port: int | None, data: Path | None, for_host: bool) -> None:
    """Print the addresses of this machine's table, and the display's as a QR code for phones.

    Whoever has the host's address decides at the table. It is the same as long as the table's folder is. Whether the
    table runs is asked, and said where it does not answer.
    """
    with told(ConfigError):
        config = overridden(load_table(table_files(config_file, os.environ)), port, data)
    if config.lan.port == 0:
        raise click.ClickException(
            "lan.port = 0 is any free port: `pizzatable run` prints which; name it here with --port"
        )
    token, why = _token(config, _start(config_file, port, data))
    click.echo("\n".join(told_addresses(config.lan.host, config.lan.port, token)))
    if why:
        click.echo(f"The host's controls:  not known: {why}")
    if absent := _absent(config):
        click.echo(f"Warning: {absent}", err=True)
    with told(NotReachable):
        display = lan_address(config.lan.host, config.lan.port)
    _draw("The table's display", display)
    if for_host:
        if token is None:
            raise click.ClickException(f"the host's address is not known: {why}")
        _draw("The host's controls", host_address(display, token))


def _token(config: TableConfig, start: str) -> tuple[str | None, str]:
    """The host's token, or why it is not known; `start` is what to type to start the table."""
    try:
        return host_token(config.data_dir), ""
    except NeverStarted as error:
        return None, f"{error}, `{start}`"
    except FolderError as error:
        return None, str(error)


def _start(config_file: Path | None, port: int | None, data: Path | None) -> str:
    """What to type, wherever that is, to start the table that was asked for."""
    files = [("--config", config_file), ("--data", data)]
    words = ["pizzatable", "run", *(word for name, path in files if path for word in (name, str(path.absolute())))]
    return shlex.join(words if port is None else [*words, "--port", str(port)])


def _absent(config: TableConfig) -> str:
    """Why this table may not be at its address now; empty where it answers there. The port that `run` was given is
    written down nowhere."""
    port, rerun = config.lan.port, "the table does not run, or `run` was given another --port: name it here, too"
    try:
        name = ask_state(address_here(config.lan.host, port)).table
    except TableRefuses as error:
        return str(error)
    except TableNotAsked as error:
        return f"{error}; {rerun}"
    return "" if name == config.name else f"“{name}” answers at port {port}, not “{config.name}”; {rerun}"


def _draw(caption: str, address: str) -> None:
    """The address as a QR code, bright on black whatever the terminal's colours are; that needs enough columns."""
    from controller.web.qr import qr_lines

    lines = qr_lines(address)
    columns = shutil.get_terminal_size().columns
    click.echo(f"\n{caption}, for a phone in the same network: {address}")
    if sys.stdout.isatty() and columns < len(lines[0]):
        click.echo(f"(Its QR code needs {len(lines[0])} columns; this terminal has {columns}.)")
        return
    for line in lines:
        click.secho(line, fg="bright_white", bg="black")
