"""`pizzatable event`: one screen for all tables of an evening."""

import asyncio
import signal
import socket
import time
from datetime import UTC, datetime
from importlib.metadata import version

import click

from controller.asking_tables import TableNotAsked, parse_address
from controller.cli.common import told
from controller.event import Event
from controller.web.event import create_event_app
from controller.web.hub import Hub
from controller.web.server import ServerError, serving


@click.command(epilog="Example:  pizzatable event --event ConCon http://table1.local:8080 http://192.168.1.21:8080")
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True)
@click.option("--port", type=click.IntRange(0, 65535), default=8090, show_default=True, help="The screen's TCP port.")
@click.option("--event", default="", help="Count only games of this event, and show its name.")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M"]),
    help="Leave out games begun before this, by this machine's time zone.",
)
def command(tables: tuple[str, ...], port: int, event: str, since: datetime | None) -> None:
    """Show all tables of an event on one page, until Ctrl+C: who plays what, which table needs somebody, the standings
    and the last games.

    Each TABLE is the address of a table, such as http://192.168.1.20:8080. One that does not answer is shown as such,
    and asked again.
    """
    with told(TableNotAsked, ServerError):
        addresses = list(dict.fromkeys(parse_address(table) for table in tables))
        begun = since.astimezone() if since is not None else None
        watched = Event(addresses, time.monotonic, lambda: datetime.now(UTC), event=event, since=begun)
        asyncio.run(_serve(watched, port))


async def _serve(event: Event, port: int) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with serving(create_event_app(event, version("pizzatable")), Hub(), "0.0.0.0", port) as bound:
        click.echo(f"The event's screen:  http://{socket.gethostname()}.local:{bound}/")
        click.echo(f"On this machine:     http://127.0.0.1:{bound}/")
        keeping = asyncio.create_task(event.keep())
        waiting = asyncio.create_task(stopped.wait())
        await asyncio.wait({keeping, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if keeping.done():
            keeping.result()
        keeping.cancel()
