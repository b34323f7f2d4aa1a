"""An event's screen: several tables, some of which call for somebody, on one page."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner

from controller.asking_tables import TableNotAsked, ask_state
from controller.cli.event import command
from controller.event import BREACH_S, Event, EventTableView, EventView
from controller.views import GameResultView, PartState, PartView, PlayerResultView, ResultsView, TableView
from controller.web.hub import Hub
from controller.web.server import serving
from tests.controller.web.fixture_views import breach, lobby, question, ring_served
from tests.controller.web.table import make_app

LOST = "panel: No answer on /dev/ttyACM0: plug it in again"
"""What the view with a question has."""
NOW = datetime(2026, 6, 6, 20, tzinfo=UTC)


def game(
    table: str, minute: int, *players: tuple[str, int, bool], event: str = "", over: bool = True
) -> GameResultView:
    """One that ended at NOW but so many minutes, by a table whose clock stands in January."""
    seats = [
        PlayerResultView(seat=i, name=name, total=total, won=won) for i, (name, total, won) in enumerate(players, 1)
    ]
    return GameResultView(
        table=table, event=event, number=2, game="slice", title="SLICE", began="2026-01-01T00:00:00+00:00",
        ended="2026-01-01T00:20:00+00:00", began_ago_s=60.0 * (minute + 20), ended_ago_s=60.0 * minute, over=over,
        players=seats,
    )  # fmt: skip


@asynccontextmanager
async def tables(*shown: tuple[TableView, list[GameResultView]]) -> AsyncIterator[tuple[list[str], list[Hub]]]:
    """Running tables: their addresses, and where their views come from."""
    async with AsyncExitStack() as stack:
        addresses, hubs = [], []
        for view, games in shown:
            hub = Hub()
            hub.publish(view)
            results = ResultsView(games=games, standings=[])
            app = make_app(hub, results=lambda results=results: results)
            port = await stack.enter_async_context(serving(app, hub, "127.0.0.1", 0))
            addresses.append(f"http://127.0.0.1:{port}")
            hubs.append(hub)
        yield addresses, hubs


def named(view: TableView, name: str, **update: Any) -> TableView:
    return view.model_copy(update={"table": name, "seq": 100, **update})


class Watched:
    """An event whose clock the test holds."""

    def __init__(self, addresses: list[str], **options: Any) -> None:
        self.now_s = 0.0
        self._count = len(addresses)
        self.event = Event(addresses, lambda: self.now_s, lambda: NOW + timedelta(seconds=self.now_s), **options)

    async def look(self) -> EventView:
        for table in range(self._count):
            await self.event.look(table, results=True)
        return self.event.view()


def test_each_table_says_how_it_is_and_whether_somebody_has_to_come() -> None:
    lost = {"camera": PartView(state=PartState.LOST, text="unplugged. Plug it in")}

    async def scenario() -> None:
        shown = [lobby(), named(ring_served(), "B"), named(question(), "C"), named(ring_served(), "D", parts=lost)]
        async with tables(*((view, []) for view in shown)) as (addresses, _):
            watched = Watched([*addresses, "http://127.0.0.1:9"])
            view = await watched.look()
            assert [(table.state, table.calls) for table in view.tables] == [
                ("lobby", ""), ("plays", ""), ("asks", "asks which move was meant · " + LOST),
                ("plays", "camera: unplugged. Plug it in"),
                ("away", "does not answer: Connection refused"),
            ]  # fmt: skip
            assert view.tables[-1].table == "127.0.0.1:9"
            assert [player.name for player in view.tables[1].players if player.acts] == ["Anna"]
            watched.now_s = 61.0
            assert [table.calls_for_s for table in (await watched.look()).tables] == [0.0, 0.0, 61.0, 61.0, 61.0]

    asyncio.run(scenario())


def test_a_broken_rule_calls_somebody_when_the_players_do_not_put_it_right() -> None:
    async def scenario() -> list[EventTableView]:
        async with tables((breach(), [])) as (addresses, hubs):
            watched = Watched(addresses)
            at_once = (await watched.look()).tables
            watched.now_s = BREACH_S
            later = (await watched.look()).tables
            hubs[0].publish(named(ring_served(), "A", seq=1000))
            right = (await watched.look()).tables
            return at_once + later + right

    at_once, later, right = asyncio.run(scenario())
    assert breach().breach is not None
    assert (at_once.state, at_once.calls) == ("breach", "")
    assert (later.calls, later.calls_for_s) == (breach().breach.problem, BREACH_S)
    assert (right.state, right.calls) == ("plays", "")


def test_standings_are_of_all_tables_by_our_clock_and_stay_when_one_is_gone() -> None:
    async def scenario() -> tuple[EventView, EventView, EventView]:
        first = [game("A", 50, ("Ann", 3, False), ("Zoë 🍕", 9, True)), game("A", 2, ("Ann", 9, True), over=False)]
        second = [
            game("B", 10, ("Ann", 7, True), ("Player 2", 1, False), event="Con"),
            game("B", 70, ("Player 1", 5, True), ("Player 2", 1, False)),
        ]
        async with tables((ring_served(), first), (ring_served(), second)) as (addresses, _):
            watched = Watched(addresses)
            there = await watched.look()
            since = Watched(addresses, event="Con", since=NOW - timedelta(hours=1))
            counted = await since.look()
        watched.now_s = 100.0
        return there, counted, await watched.look()

    there, counted, gone = asyncio.run(scenario())
    assert [(one.name, one.won, one.played) for one in there.standings] == [("Ann", 1, 2), ("Zoë 🍕", 1, 1)][::-1]
    assert there.games == 3
    assert [(one.table, one.ended[:16], one.players[0].name) for one in there.newest] == [
        ("B", "2026-06-06T19:50", "Ann"), ("A", "2026-06-06T19:10", "Zoë 🍕"), ("B", "2026-06-06T18:50", "Player 1"),
    ]  # fmt: skip
    assert (counted.event, counted.games, [one.name for one in counted.standings]) == ("Con", 1, ["Ann"])
    assert [table.state for table in gone.tables] == ["away", "away"]
    assert gone.standings == there.standings


def test_what_never_stops_answering_is_no_table() -> None:
    class Endless(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                while True:
                    self.wfile.write(b" " * 1_000_000)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Endless) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(TableNotAsked, match="no table: it says more than 16000000 bytes"):
            ask_state(f"http://127.0.0.1:{server.server_port}")
        server.shutdown()


@pytest.mark.parametrize("address", ["table1:8080", "ftp://table1"])
def test_an_address_that_is_none_is_named(address: str) -> None:
    refused = CliRunner().invoke(command, [address])
    assert refused.exit_code == 1
    assert f"{address}: expected an address such as http://192.168.1.20:8080" in refused.output
