"""`pizzatable event`: one screen for all tables of an evening."""

import asyncio
import signal
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click

from config.loader import load_table
from controller.addresses import NotReachable, lan_address
from controller.asking_tables import TableNotAsked, parse_address
from controller.cli.common import NamedPath, named_tables, since_option, told
from controller.event import Event
from controller.finding_tables import TableFinder
from controller.kept_event import EventFile, EventFileError, KeptTable
from controller.web.event import create_event_app
from controller.web.hub import Hub
from controller.web.server import ServerError, serving


@click.command(epilog="Example:  pizzatable event --event ConCon")
@click.argument("tables", metavar="[TABLE]...", nargs=-1, callback=named_tables)
@click.option("--port", type=click.IntRange(0, 65535), default=8090, show_default=True, help="The screen's TCP port.")
@click.option("--event", default="", help="Count only games of this event, and show its name.")
@since_option
@click.option(
    "--data",
    type=NamedPath(file_okay=False),
    help="The folder where what tables told is kept, a file for each event; usually ~/.local/share/pizzatable.",
)
@click.option("--anew", is_flag=True, help="Begin anew: set aside what tables told before this start.")
def command(
    tables: tuple[str, ...], port: int, event: str, since: datetime | None, data: Path | None, anew: bool
) -> None:
    """Show all tables of an event on one page, until Ctrl+C: who plays what, which table needs somebody, the standings
    and the last games.

    Tables that announce themselves in this network come by themselves, and stay when they are gone, as not answering.
    Where some are named, only these are shown: each TABLE is the address of one, such as http://192.168.1.20:8080.

    Started again, it counts the games of tables that are gone by then; without --event those of the last 12 hours.
    """
    with told(TableNotAsked, ServerError):
        addresses = list(dict.fromkeys(parse_address(table) for table in tables))
        file = EventFile(data or load_table().data_dir, event, _now)
        kept, missing = _kept(file, addresses, anew=anew)
        watched = Event(addresses, time.monotonic, _now, event=event, since=since, kept=kept, missing=missing)
        asyncio.run(_serve(watched, port, None if addresses else TableFinder(watched.found), file))


def _now() -> datetime:
    return datetime.now(UTC)


def _kept(file: EventFile, addresses: Sequence[str], *, anew: bool) -> tuple[Sequence[KeptTable], str]:
    """What tables told before this start, where these are given only they; and why there may be more, which is printed
    too."""
    try:
        if anew and (aside := file.begin_anew()) is not None:
            click.echo(f"What tables told before was set aside:  {aside}")
        kept, missing = ([], "") if anew else file.read()
    except EventFileError as error:
        kept, missing = [], f"{error}."
    others = [one for one in kept if addresses and one.address not in addresses]
    if others:
        named = ", ".join(f"{len(one.games)} of {one.name} ({one.address})" for one in others)
        click.echo(f"Games that are kept and not counted, as their tables are not among those named: {named}")
    if missing:
        missing = f"Games of tables that are gone by now may be missing: {missing}"
        click.echo(missing, err=True)
    return [one for one in kept if one not in others], missing


async def _serve(event: Event, port: int, finder: TableFinder | None = None, file: EventFile | None = None) -> None:
    """`finder`: finds the event's tables, where they are not given; `file`: where what they tell is kept."""
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with serving(create_event_app(event, version("pizzatable")), Hub(), "0.0.0.0", port) as bound:
        click.echo(f"The event's screen:  {_screen(bound)}")
        click.echo(f"On this machine:     http://127.0.0.1:{bound}/")
        work = [event.keep(file), *([finder.keep()] if finder is not None else [])]
        keeping = [asyncio.create_task(one) for one in work]
        waiting: asyncio.Task[object] = asyncio.create_task(stopped.wait())
        done, _ = await asyncio.wait([waiting, *keeping], return_when=asyncio.FIRST_COMPLETED)
        for task in (waiting, *keeping):
            task.cancel()
        await asyncio.wait([waiting, *keeping])
        for task in done:
            task.result()


def _screen(port: int) -> str:
    try:
        return lan_address("0.0.0.0", port)
    except NotReachable as error:
        return f"for no other machine: {error}"
