"""`pizzatable event`: one screen for all tables of an evening."""

import asyncio
import signal
import time
from datetime import UTC, datetime
from importlib.metadata import version

import click

from controller.addresses import NotReachable, lan_address
from controller.asking_tables import TableNotAsked, parse_address
from controller.cli.common import named_tables, since_option, told
from controller.event import Event
from controller.finding_tables import TableFinder
from controller.web.event import create_event_app
from controller.web.hub import Hub
from controller.web.server import ServerError, serving


@click.command(epilog="Example:  pizzatable event --event ConCon")
@click.argument("tables", metavar="[TABLE]...", nargs=-1, callback=named_tables)
@click.option("--port", type=click.IntRange(0, 65535), default=8090, show_default=True, help="The screen's TCP port.")
@click.option("--event", default="", help="Count only games of this event, and show its name.")
@since_option
def command(tables: tuple[str, ...], port: int, event: str, since: datetime | None) -> None:
    """Show all tables of an event on one page, until Ctrl+C: who plays what, which table needs somebody, the standings
    and the last games.

    Tables that announce themselves in this network come by themselves, and stay when they are gone, as not answering.
    Where some are named, only these are shown: each TABLE is the address of one, such as http://192.168.1.20:8080.
    """
    with told(TableNotAsked, ServerError):
        addresses = list(dict.fromkeys(parse_address(table) for table in tables))
        watched = Event(addresses, time.monotonic, lambda: datetime.now(UTC), event=event, since=since)
        asyncio.run(_serve(watched, port, None if addresses else TableFinder(watched.found)))


async def _serve(event: Event, port: int, finder: TableFinder | None = None) -> None:
    """`finder`: finds the event's tables, where they are not given."""
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with serving(create_event_app(event, version("pizzatable")), Hub(), "0.0.0.0", port) as bound:
        click.echo(f"The event's screen:  {_screen(bound)}")
        click.echo(f"On this machine:     http://127.0.0.1:{bound}/")
        work = [event.keep(), *([finder.keep()] if finder is not None else [])]
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
