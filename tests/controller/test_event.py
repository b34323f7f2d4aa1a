"""An event's screen: several tables, some of which call for somebody, on one page."""

import asyncio
import contextlib
import csv
import itertools
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner

from controller.addresses import NotReachable
from controller.asking_tables import TableNotAsked, ask_state, parse_address
from controller.cli.event import _serve, command
from controller.event import BREACH_S, ENDED, NOT_NOW, OTHER, QUIET_S, Event
from controller.event_views import EventTableView, EventView
from controller.finding_tables import MOST_TABLES, TOO_MANY, FoundTable
from controller.views import GameResultView, PartState, PartView, PlayerResultView, RefereeState, ResultsView, TableView
from controller.web.event import HELD_S, create_event_app
from controller.web.hub import Hub
from controller.web.server import serving
from tests.controller.web.fixture_views import breach, final, lobby, question, ring_served
from tests.controller.web.table import got, make_app, until

LOST = "panel: No answer on /dev/ttyACM0: plug it in again"
"""What the view with a question has."""
SLOW_MACHINE_S = 4.0
"""Beside what is promised; an answer is waited for for longer."""
NOW = datetime(2026, 6, 6, 20, tzinfo=UTC)
_LONGER = itertools.count()


def game(
    table: str, minute: int, *players: tuple[str, int, bool], event: str = "", over: bool = True
) -> GameResultView:
    """One that ended at NOW but so many minutes, by a table whose clock stands in January, and lasted as long as none
    else."""
    seats = [
        PlayerResultView(seat=i, name=name, total=total, won=won) for i, (name, total, won) in enumerate(players, 1)
    ]
    return GameResultView(
        table=table, event=event, number=2, game="slice", title="SLICE", began="2026-01-01T00:00:00+00:00",
        ended="2026-01-01T00:20:00+00:00", began_ago_s=60.0 * (minute + 20) + next(_LONGER) / 10,
        ended_ago_s=60.0 * minute, over=over, players=seats,
    )  # fmt: skip


@asynccontextmanager
async def tables(
    *shown: tuple[TableView, list[GameResultView]], identities: Sequence[str] = ()
) -> AsyncIterator[tuple[list[str], list[Hub]]]:
    """Running tables: their addresses, and where their views come from. `identities`: what they say that they are."""
    async with AsyncExitStack() as stack:
        addresses, hubs = [], []
        for (view, games), identity in zip(shown, identities or [""] * len(shown), strict=True):
            hub = Hub()
            hub.publish(view.model_copy(update={"identity": identity}))

            def results(games: list[GameResultView] = games, identity: str = identity) -> ResultsView:
                return ResultsView(games=games, standings=[], identity=identity)

            app = make_app(hub, results=results)
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
    lost = {"camera": PartView(state=PartState.LOST, text="unplugged. Plug it in.")}

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


def test_a_game_counts_as_soon_as_its_table_says_that_it_is_over() -> None:
    async def scenario() -> None:
        games = [game("A", 0, ("Ann", 3, True), over=False)]
        async with tables((ring_served(), games)) as (addresses, hubs):
            watched = Watched(addresses)
            assert (await watched.look()).games == 0
            games[0] = game("A", 0, ("Ann", 9, True))
            await watched.event.look(0, results=False)
            assert watched.event.view().games == 0, "nobody looked"
            hubs[0].publish(named(final(), "A", seq=1000))
            await watched.event.look(0, results=False)
            assert [(table.state, watched.event.view().games) for table in watched.event.view().tables] == [("over", 1)]

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
    wrong = breach().breach
    assert wrong is not None
    assert (at_once.state, at_once.calls) == ("breach", "")
    assert (later.calls, later.calls_for_s) == (wrong.problem.removesuffix("."), BREACH_S)
    assert (right.state, right.calls) == ("plays", "")


def test_a_broken_rule_calls_also_where_hands_hover_it_changes_or_the_network_drops() -> None:
    broken = breach()
    wrong = broken.breach
    assert wrong is not None
    hands = broken.model_copy(update={"breach": None, "referee": RefereeState.HANDS})
    other = broken.model_copy(update={"breach": wrong.model_copy(update={"problem": "Another piece."})})

    async def scenario() -> list[tuple[str, float]]:
        moving = Moving("http://a")
        told = []
        for view in (broken, hands, other, None, hands, other, hands, ring_served(), broken):
            there = {"a": ("1-1", view, list[GameResultView]())} if view is not None else {}
            (table,) = (await moving.after(**there)).tables
            told.append((table.calls, table.calls_for_s))
        return told

    none = ("", 0.0)
    assert asyncio.run(scenario()) == [none, none, none, none, none, none, ("Another piece", 30.0), none, none]


def test_a_table_that_starts_anew_for_another_game_calls_nobody_meanwhile() -> None:
    """One that asks calls on. Who has waited for an answer for as long is called at once."""

    async def scenario() -> None:
        moving = Moving("http://a")
        for view, calls in ((ring_served(), ""), (named(question(), "A", parts={}), "asks which move was meant")):
            await moving.after(a=("1-1", view, []))
            for away, told in ((0, calls), (5, calls), (QUIET_S, "does not answer: gone")):
                (table,) = (await moving.after()).tables
                assert (table.state, table.calls, table.message) == ("away", told, NOT_NOW), away
            assert (await moving.after(a=("1-2", ring_served(), []))).tables[0].calls == ""

        class Late(Moving):
            async def _answer(self, ask: Any, address: str) -> TableView | ResultsView:
                self.now_s += 0.0 if self.there else QUIET_S
                return await super()._answer(ask, address)

        late = Late("http://a")
        await late.after(a=("1-1", ring_served(), []))
        (table,) = (await late.after()).tables
        assert (table.calls, table.calls_for_s) == ("does not answer: gone", QUIET_S)

    asyncio.run(scenario())


def test_how_long_a_part_has_been_missing_is_told_whatever_is_played_meanwhile() -> None:
    lost = {"camera": PartView(state=PartState.LOST, text="unplugged")}

    async def scenario() -> list[float]:
        moving = Moving("http://a")
        views = (named(view, "A", parts=lost) for view in (ring_served(), question(), ring_served(), final()))
        return [(await moving.after(a=("1-1", view, []))).tables[0].calls_for_s for view in views]

    assert asyncio.run(scenario()) == [0.0, 5.0, 10.0, 15.0]


def test_a_table_whose_journal_was_damaged_calls_its_host_until_the_game_goes_on() -> None:
    journal = {"journal": PartView(state=PartState.OK, text="recovered", note="was damaged, records lost: 2")}
    paused = named(ring_served(), "A", parts=journal, referee=RefereeState.PAUSED)

    async def scenario() -> list[str]:
        moving = Moving("http://a")
        views = paused, named(ring_served(), "A", parts=journal), named(paused, "A", parts={})
        return [(await moving.after(a=("1-1", view, []))).tables[0].calls for view in views]

    assert asyncio.run(scenario()) == ["waits for its host: its journal was damaged, records lost: 2", "", ""]


def test_standings_are_of_all_tables_by_our_clock_and_stay_when_one_is_gone() -> None:
    async def scenario() -> tuple[EventView, EventView, EventView]:
        doubted = {"doubt": "may have been taken back", "simulated": True}
        zoe = game("A", 50, ("Ann", 3, False), ("Zoë 🍕", 9, True)).model_copy(update=doubted)
        first = [zoe, game("A", 2, ("Ann", 9, True), over=False)]
        second = [
            game("B", 10, ("Ann", 7, True), ("Player 2", 1, False), event="Con"),
            game("B", 70, ("Player 1", 5, True), ("Player 2", 1, False)),
        ]
        async with tables((ring_served(), first), (ring_served(), second)) as (addresses, _):
            watched = Watched(addresses)
            there = await watched.look()
            since = Watched(addresses, event="Con", since=NOW - timedelta(hours=1))
            counted = await since.look()
            other = await Watched(addresses, event="Con").look()
            assert other.uncounted == (
                "Games that do not count, by the settings of their table: 2 of A (no event), 1 of B (no event)."
            )
        watched.now_s = 100.0
        return there, counted, await watched.look()

    there, counted, gone = asyncio.run(scenario())
    assert [(one.name, one.won, one.played) for one in there.standings] == [("Ann", 1, 1)], "the other is simulated"
    assert there.games == 3
    assert [(one.table, one.ended[:16], one.players[0].name) for one in there.newest] == [
        ("B", "2026-06-06T19:50", "Ann"), ("A", "2026-06-06T19:10", "Zoë 🍕"), ("B", "2026-06-06T18:50", "Player 1"),
    ]  # fmt: skip
    assert [one.doubt for one in there.newest] == ["", "may have been taken back", ""]
    assert [one.title for one in there.newest] == ["SLICE", "SLICE (simulated)", "SLICE"]
    assert counted.uncounted == "Games that do not count, by the settings of their table: 1 of A (no event).", (
        "the one that is played there now; those before it began are nobody's business"
    )
    assert (counted.event, counted.games, [one.name for one in counted.standings]) == ("Con", 1, ["Ann"])
    assert [table.state for table in gone.tables] == ["away", "away"]
    assert gone.standings == there.standings


def test_a_game_of_which_the_end_cannot_be_told_is_said_to_be_missing() -> None:
    """As by a newer version, whose rules do not allow its moves."""

    async def scenario() -> list[str]:
        unknown = {"over": False, "problem": "no such move"}
        games = [game("A", ago, ("Ann", 0, False), event="Con").model_copy(update=unknown) for ago in (5, 5000)]
        async with tables((lobby(), games)) as (addresses, _):
            return [(await Watched(addresses, **options).look()).uncounted for options in ({"event": "Con"}, {})]

    said = "Games of which it cannot be told how they ended (the spreadsheet says why): {} of A."
    assert asyncio.run(scenario()) == [said.format(2), said.format(1)]


def test_a_name_at_two_tables_at_the_same_time_is_said_to_be_of_two_people() -> None:
    """Not of who went from one to another, who was simulated, or whose name nobody said. A game lasts 20 minutes."""

    def seen(*pairs: tuple[int, int, str, str], **options: Any) -> list[str]:
        async def scenario() -> list[str]:
            told = []
            for ago, other_ago, name, other in pairs:
                moving = Moving("http://a", "http://b", **options)
                one, two = game("A", ago, (name, 9, True), over=False), game("B", other_ago, (other, 9, True))
                if other == "simulated":
                    one, two = (
                        each.model_copy(update={"players": one.players, "simulated": True}) for each in (one, two)
                    )
                there = named(ring_served(), "A"), [one]
                view = await moving.after(a=("1-1", *there), b=("2-1", named(ring_served(), "B"), [two]))
                told.append(view.namesakes)
            return told

        return asyncio.run(scenario())

    said = "At two tables at once, so two people, who count as one until one is called otherwise: “{}” (A and B)."
    assert seen((5, 10, "Ann", "ann "), (10, 5, "Ann", "Ann"), (5, 23, "Ann", "Ann")) == [
        said.format("Ann"), said.format("Ann"), said.format("Ann"),
    ]  # fmt: skip
    assert seen((5, 26, "Ann", "Ann"), (5, 10, "Ann", "Anna"), (5, 10, "Player 1", "Player 1")) == ["", "", ""]
    assert seen((5, 10, "Ann", "simulated"), (5, 25, "Ann", "Ann")) == ["", ""], "clocks differ by seconds"
    assert seen((800, 805, "Ann", "Ann")) == [""], "long ago"
    assert seen((5, 10, "Ann", "Ann"), since=NOW) == [""]


def test_the_last_games_of_two_tables_of_one_name_are_told_apart() -> None:
    async def scenario() -> tuple[list[str], list[str], list[str]]:
        played = [[game(name, ago, ("Ann", 7, True))] for name, ago in (("A", 50), ("A", 60), ("B", 70))]
        async with tables(*((ring_served(), [one]) for [one] in played)) as (addresses, _):
            watched = Watched(addresses)
            view = await watched.look()
            uncounted = (await Watched(addresses, event="Con").look()).uncounted
            one, two, _ = (address.partition("://")[2] for address in addresses)
            each = f"1 of A · {one} (no event), 1 of A · {two} (no event), 1 of B (no event)."
            assert uncounted == f"Games that do not count, by the settings of their table: {each}"
        file = await got(create_event_app(watched.event, "1"), "/api/event.csv")
        told = [row["table"] for row in csv.DictReader(file.content.decode("utf-8-sig").splitlines())]
        return [one.table for one in view.newest], told, [address.partition("://")[2] for address in addresses]

    newest, file, where = asyncio.run(scenario())
    assert newest == [f"A · {where[0]}", f"A · {where[1]}", "B"]
    assert file == newest[::-1], "the earliest first"


def test_the_spreadsheet_has_each_game_that_counts() -> None:
    async def scenario() -> list[tuple[str, bool]]:
        games = [game("A", 5, ("Ann", 7, True)), game("A", 50, ("Ann", 3, True), event="Con")]
        games.append(game("A", 2, ("Ann", 0, False), event="Con", over=False))
        async with tables((ring_served(), games)) as (addresses, _):
            watched = Watched(addresses, event="Con")
            await watched.look()
        return [(one.event, one.over) for one in watched.event.games()]

    assert asyncio.run(scenario()) == [("Con", True), ("Con", False)]


@pytest.mark.parametrize("asked", ["Café Con", "CAFÉ  con", "Cafe\u0301 Con"])
def test_an_events_name_is_one_however_it_is_typed(asked: str) -> None:
    async def scenario() -> None:
        async with tables((ring_served(), [game("A", 5, ("Ann", 7, True), event="Café Con")])) as (addresses, _):
            view = await Watched(addresses, event=asked).look()
            assert (view.games, view.uncounted) == (1, "")
            assert (await Watched(addresses, event="Cafe Con").look()).games == 0

    asyncio.run(scenario())


def test_many_phones_cost_no_more_than_one() -> None:
    clock, made = iter((0.0, 0.5, 0.5, HELD_S, HELD_S, HELD_S + 0.5)), itertools.count()

    class Counting(Event):
        def view(self) -> EventView:
            return super().view().model_copy(update={"games": next(made)})

    async def scenario() -> list[int]:
        app = create_event_app(Counting([], lambda: 0.0, lambda: NOW), "1", lambda: next(clock))
        return [(await got(app, "/api/event")).json()["games"] for _ in range(5)]

    assert asyncio.run(scenario()) == [0, 0, 0, 1, 1], "made at 0 and, asked for at 1, anew"


@pytest.mark.parametrize(
    ("name", "told"), [("", "a"), (" \u200b", "?"), ("\u3164", "a"), ("A\u202e\x1bB", "A??B"), ("عمر 🍕", "عمر 🍕")]
)
def test_every_table_has_a_name_that_is_seen_and_turns_nothing_around_it(name: str, told: str) -> None:
    async def scenario() -> str:
        moving = Moving("http://a")
        (table,) = (await moving.after(a=("1-1", named(lobby(), name), []))).tables
        return table.table.strip()

    assert asyncio.run(scenario()) == told


def test_the_screen_of_an_event_is_no_table_of_another() -> None:
    async def scenario() -> EventView:
        async with serving(create_event_app(Watched([]).event, "1"), Hub(), "127.0.0.1", 0) as port:
            return await Watched([f"http://127.0.0.1:{port}"]).look()

    (table,) = asyncio.run(scenario()).tables
    assert table.calls == "does not answer: it is the screen of an event, expected a table"


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
        with pytest.raises(TableNotAsked, match="no table: it says more than 1000000 bytes"):
            ask_state(f"http://127.0.0.1:{server.server_port}")
        server.shutdown()


@pytest.mark.parametrize("ago_s", [1e300, -1e12])
def test_a_time_beyond_all_calendars_is_told_by_the_tables_own_clock(ago_s: float) -> None:
    """As bits of a damaged journal make one."""

    async def scenario() -> EventView:
        damaged = game("A", 1, ("Ann", 3, True)).model_copy(update={"ended_ago_s": ago_s})
        async with tables((ring_served(), [damaged])) as (addresses, _):
            return await Watched(addresses).look()

    view = asyncio.run(scenario())
    assert [one.ended[:16] for one in view.newest] == ["2026-01-01T00:20"]


@pytest.mark.parametrize("began", ["yesterday", "2026-01-01T00:00:00"])
def test_a_table_whose_games_are_not_understood_is_still_there_and_so_are_the_others(began: str) -> None:
    async def scenario() -> EventView:
        wrong = game("A", 1, ("Ann", 3, True)).model_copy(update={"began": began, "began_ago_s": None})
        right = game("B", 2, ("Ben", 3, True))
        async with tables((ring_served(), [wrong]), (ring_served(), [right])) as (addresses, _):
            return await Watched(addresses, since=NOW - timedelta(days=1)).look()

    view = asyncio.run(scenario())
    problem = f"its games cannot be told: game 2: expected an ISO 8601 time with its zone, found '{began}'"
    assert [(table.state, table.calls) for table in view.tables] == [("plays", problem), ("plays", "")]
    assert [standing.name for standing in view.standings] == ["Ben"]


def test_tables_that_are_slow_to_answer_hold_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 40
    all_asked = threading.Barrier(count)

    def answers_when_all_were_asked(address: str) -> TableView:
        all_asked.wait(5)
        return ring_served()

    monkeypatch.setattr("controller.event.ask_state", answers_when_all_were_asked)

    async def scenario() -> EventView:
        event = Event([f"http://table{number}" for number in range(count)], lambda: 0.0, lambda: NOW)
        await asyncio.gather(*(event.look(table, results=False) for table in range(count)))
        return event.view()

    assert {table.state for table in asyncio.run(scenario()).tables} == {"plays"}


@contextlib.contextmanager
def trickling(start: bytes, then: bytes) -> Iterator[str]:
    """Something that answers `start` and then this again and again, a little at a time; its address."""

    class Trickling(StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(start)
            with contextlib.suppress(OSError):
                while not ended.wait(0.02):
                    self.wfile.write(then)

    ended = threading.Event()
    with ThreadingTCPServer(("127.0.0.1", 0), Trickling) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        ended.set()
        server.shutdown()


@pytest.mark.parametrize("there", ["null", "5", "true", '["tables"]', "[" * 100_000], ids=lambda there: there[:10])
def test_something_else_at_a_tables_address_is_said_and_ends_nothing(there: str) -> None:
    """Whatever it answers to whatever it is asked."""

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/api/event" else 404)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(there.encode())

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        (table,) = asyncio.run(Watched([f"http://127.0.0.1:{server.server_port}"]).look()).tables
        server.shutdown()
    assert (table.state, table.calls) == ("away", "does not answer: it answers 404 Not Found")


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("start", "then"),
    [(b"", b"H"), (b"HTTP/1.1 200 OK\r\nX-", b"x"), (b"HTTP/1.1 200 OK\r\n\r\n", b" "), (CHUNKED, b"0")],
    ids=["status", "header", "body", "chunk"],
)
def test_an_answer_that_trickles_in_without_an_end_is_given_up(
    monkeypatch: pytest.MonkeyPatch, start: bytes, then: bytes
) -> None:
    monkeypatch.setattr("controller.asking_tables.ASKED_S", 0.15)
    late = "cannot be asked: its answer did not end within 0 s"
    with trickling(start, then) as address, pytest.raises(TableNotAsked, match=f"{address}: {late}"):
        ask_state(address)


def test_the_program_ends_at_once_also_while_a_table_is_asked() -> None:
    program = (
        "import asyncio, sys\n"
        "from datetime import UTC, datetime\n"
        "from controller.cli.event import _serve\n"
        "from controller.event import Event\n"
        "asyncio.run(_serve(Event([sys.argv[1]], lambda: 0.0, lambda: datetime.now(UTC)), 0))\n"
    )
    with (
        trickling(b"", b"H") as address,
        subprocess.Popen([sys.executable, "-c", program, address], stdout=subprocess.PIPE) as running,
    ):
        assert running.stdout is not None
        for _ in range(2):
            running.stdout.readline()  # it serves
        threading.Event().wait(0.1)
        running.send_signal(signal.SIGINT)
        assert running.wait(1.0 + SLOW_MACHINE_S) == 0


def test_the_screens_address_is_one_that_any_phone_finds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By number, as that of a table; where there is none, why."""

    async def scenario() -> str:
        serving_it = asyncio.create_task(_serve(Event(["http://127.0.0.1:9"], lambda: 0.0, lambda: NOW), 0))
        said = ""
        while "this machine" not in said:
            await asyncio.sleep(0)
            said += capsys.readouterr().out
        serving_it.cancel()
        await asyncio.wait([serving_it])
        return said.splitlines()[0]

    monkeypatch.setattr("controller.cli.event.lan_address", lambda host, port: f"http://192.168.1.20/{host}")
    assert asyncio.run(scenario()) == "The event's screen:  http://192.168.1.20/0.0.0.0"

    def nowhere(host: str, port: int) -> str:
        raise NotReachable("no network")

    monkeypatch.setattr("controller.cli.event.lan_address", nowhere)
    assert asyncio.run(scenario()) == "The event's screen:  for no other machine: no network"


def test_a_table_at_several_addresses_is_shown_and_counted_once() -> None:
    """One whose disk was copied from it is another, and so is each of a version that does not say which it is."""
    shown = [(named(ring_served(), "A"), [game("A", 1, ("Ann", 3, True))]) for _ in range(5)]

    async def scenario() -> None:
        async with tables(*shown, identities=["1-1", "1-1", "1-2", "", ""]) as (addresses, _):
            watched = Watched(addresses)
            view = await watched.look()
            assert [table.address for table in view.tables] == [addresses[0], *addresses[2:]]
            assert (view.games, view.standings[0].played, len(watched.event.games())) == (4, 4, 4)
            assert view.twice == f"{addresses[0]} and {addresses[1]} are one table, which counts once."

    asyncio.run(scenario())


def test_a_table_that_was_started_anew_is_one_also_where_an_address_of_it_is_gone() -> None:
    started = Event(["http://a", "http://b"], lambda: 0.0, lambda: NOW)
    results = ResultsView(games=[game("A", 1, ("Ann", 3, True))], standings=[], identity="1-1")
    gone: set[str] = set()

    def answer(address: str, kind: type[TableView | ResultsView]) -> TableView | ResultsView:
        if address in gone:
            raise TableNotAsked(f"{address}: cannot be asked: gone")
        return results if kind is ResultsView else ring_served()

    async def ask(what: Any, address: str) -> TableView | ResultsView:
        return answer(address, TableView if what is ask_state else ResultsView)

    started._ask = ask  # type: ignore[method-assign, assignment]

    async def look() -> EventView:
        for table in (0, 1):
            await started.look(table, results=True)
        return started.view()

    assert asyncio.run(look()).games == 1
    gone.add("http://a")
    results = results.model_copy(update={"identity": "1-2"})
    anew = asyncio.run(look())
    assert ([table.address for table in anew.tables], anew.games) == (["http://b"], 1)
    gone.clear()
    results = results.model_copy(update={"identity": "2-1"})
    assert len(asyncio.run(look()).tables) == 1


@pytest.mark.parametrize(
    ("typed", "origin"),
    [
        ("http://Table1.local:8080/results", "http://table1.local:8080"), ("HTTP://table1:80/", "http://table1"),
        ("https://table1:443", "https://table1"), ("http://table1:443", "http://table1:443"),
        ("http://[FE80::1]:8080", "http://[fe80::1]:8080"),
    ],
)  # fmt: skip
def test_an_address_is_one_however_it_is_typed(typed: str, origin: str) -> None:
    assert parse_address(typed) == origin


@pytest.mark.parametrize(
    "address",
    [
        "table1:8080",
        "ftp://table1",
        "http://[::1",
        "http://:8080",
        "http://table1:99999",
        "http://table1:x",
        "http://me:secret@table1",
    ],
)
def test_an_address_that_is_none_is_named(address: str) -> None:
    refused = CliRunner().invoke(command, [address])
    assert refused.exit_code == 1
    assert f"{address}: expected an address such as http://192.168.1.20:8080" in refused.output


def announced(name: str, identity: str, *addresses: str) -> FoundTable:
    return FoundTable(identity, identity.partition("-")[0], name, addresses)


class Finding(Watched):
    """An event whose tables are found."""

    def __init__(self, **options: Any) -> None:
        super().__init__([], **options)

    def find(self, *tables: FoundTable) -> None:
        self.event.found(tables)
        self._count = max(self._count, len(self.event.view().tables))


def test_a_found_table_is_one_wherever_it_is() -> None:
    """On several addresses, on another port, started anew, gone."""

    async def scenario() -> None:
        watched = Finding()
        assert watched.event.view().finding.startswith("No table was found")
        won = [game("A", 1, ("Ann", 3, True))]
        async with tables((named(ring_served(), "A"), won), (named(ring_served(), "A"), won)) as ((one, other), _):
            watched.find(announced("A", "1-1", "http://127.0.0.1:9", one))
            (away,) = (await watched.look()).tables
            assert (away.table, away.state, away.address) == ("A", "away", one), "there it is asked next"
            (there,) = (await watched.look()).tables
            assert (there.state, there.address, watched.event.view().finding) == ("plays", one, "")
            watched.find(announced("A", "1-1", other))
            assert [table.address for table in (await watched.look()).tables] == [other]
            watched.find(announced("A", "1-2", one))
            view = await watched.look()
            assert [table.address for table in view.tables] == [one]
            assert (view.games, view.standings[0].played) == (1, 1)
        watched.find()
        gone = await watched.look()
        assert [(table.table, table.state) for table in gone.tables] == [("A", "away")]
        assert (gone.games, gone.finding) == (1, "")

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("view", "goodbye", "calls"),
    [
        (lobby(), True, ""),
        (named(ring_served(), "A", referee=RefereeState.OVER), True, ""),
        (named(ring_served(), "A"), True, "does not answer: Connection refused"),
        (lobby(), False, "does not answer: Connection refused"),
    ],
    ids=["lobby", "over", "in the middle of a game", "unplugged"],
)
def test_a_table_that_was_packed_up_calls_nobody(view: TableView, goodbye: bool, calls: str) -> None:
    async def scenario() -> None:
        watched = Finding()
        async with tables((view, [])) as ((one,), _):
            watched.find(announced("A", "1-1", one))
            assert (await watched.look()).tables[0].state != "away"
        if goodbye:
            watched.find()
        (left,) = (await watched.look()).tables
        assert (left.state, left.calls, left.message) == ("away", "", NOT_NOW if calls else ENDED)
        watched.now_s += QUIET_S
        (left,) = (await watched.look()).tables
        assert (left.state, left.calls, left.message) == ("away", calls, NOT_NOW if calls else ENDED)
        async with tables((view, [])) as ((again,), _):
            watched.find(announced("A", "1-2", again))
            assert (await watched.look()).tables[0].state != "away"
        assert watched.event.view().tables[0].calls == ""
        await watched.look()
        watched.now_s += QUIET_S
        assert (await watched.look()).tables[0].calls == "does not answer: Connection refused", "it is announced"

    asyncio.run(scenario())


def test_games_of_a_folder_that_was_copied_count_once() -> None:
    async def scenario() -> None:
        before, later = (
            game("A", 30, ("Ann", 3, True), ("Ben", 1, False)),
            game("B", 5, ("Ann", 1, False), ("Ben", 2, True)),
        )
        begun = game("A", 0, ("Ann", 0, False), over=False)
        shown = (named(ring_served(), "A"), [before, begun]), (named(ring_served(), "B"), [before, later, begun])
        async with tables(*shown) as (addresses, _):
            watched = Watched(addresses)
            view = await watched.look()
            assert (view.games, [(s.name, s.won, s.played) for s in view.standings]) == (
                2,
                [("Ann", 1, 2), ("Ben", 1, 2)],
            )
            assert view.twice == "“B” has 2 games of another table, whose folder was copied: each counts once."
            assert len(watched.event.games()) == 3

    asyncio.run(scenario())


class Restarted(Watched):
    """An event with a table of one folder at http://a and, as started anew or copied, at http://b; found or given."""

    def __init__(self, *, found: bool) -> None:
        super().__init__([] if found else ["http://a", "http://b"])
        self.there: dict[str, list[GameResultView]] = {}
        self._found = found
        self.event._ask = self._answer  # type: ignore[method-assign, assignment]

    async def _answer(self, ask: Any, address: str) -> TableView | ResultsView:
        if address not in self.there:
            raise TableNotAsked(f"{address}: cannot be asked: gone")
        name, identity = {"http://a": ("Left", "1-1"), "http://b": ("Right", "1-2")}[address]
        if ask is ask_state:
            return named(ring_served(), name, identity=identity)
        return ResultsView(games=self.there[address], standings=[], identity=identity)

    async def after(self, **there: list[GameResultView]) -> list[str]:
        """The tables' names, when some seconds later these are there. One that is killed is still announced."""
        self.there = {f"http://{host}": games for host, games in there.items()}
        self.now_s += 5.0
        if self._found and "b" in there:
            self.event.found([announced("Left", "1-1", "http://a"), announced("Right", "1-2", "http://b")])
        elif self._found and "a" in there:
            self.event.found([announced("Left", "1-1", "http://a")])
        self._count = len(self.event._tables)
        return [table.table for table in (await self.look()).tables]


@pytest.mark.parametrize("found", [True, False])
def test_a_table_that_was_killed_and_started_by_another_name_on_another_port_is_one(found: bool) -> None:
    over, begun = game("Left", 30, ("Ann", 3, True)), game("Left", 5, ("Ben", 0, False), over=False)
    begun = begun.model_copy(update={"number": 3})
    gone_on = game("Left", 1, ("Ben", 4, True)).model_copy(update={"number": 3})

    async def scenario() -> None:
        event = Restarted(found=found)
        assert "Left" in await event.after(a=[over, begun])
        assert await event.after(b=[over, gone_on]) == ["Right"]
        assert (event.event.view().twice, event.event.view().games) == ("", 2)
        assert await event.after() == ["Right"], "switched off"

    asyncio.run(scenario())


@pytest.mark.parametrize("found", [True, False])
def test_a_table_whose_disk_was_copied_is_another_also_when_it_is_gone(found: bool) -> None:
    before, own = game("Left", 30, ("Ann", 3, True)), game("Left", 5, ("Ben", 2, True))

    async def scenario() -> None:
        beside = Restarted(found=found)
        await beside.after(a=[before], b=[before])
        await beside.after(a=[before], b=[before])
        assert await beside.after(b=[before]) == ["Left", "Right"], "both have answered at once"
        later = Restarted(found=found)
        await later.after(a=[before, own])
        assert await later.after(b=[before]) == ["Left", "Right"], "it has a game of its own"
        assert later.event.view().games == 2

    asyncio.run(scenario())


class Moving(Watched):
    """An event, and what answers at which address: its identity, its view and its games."""

    def __init__(self, *addresses: str, **options: Any) -> None:
        super().__init__(list(addresses), **options)
        self.there: dict[str, tuple[str, TableView, list[GameResultView]]] = {}
        self.event._ask = self._answer  # type: ignore[method-assign, assignment]

    async def _answer(self, ask: Any, address: str) -> TableView | ResultsView:
        if address not in self.there:
            raise TableNotAsked(f"{address}: cannot be asked: gone")
        identity, view, games = self.there[address]
        if ask is ask_state:
            return view.model_copy(update={"identity": identity})
        return ResultsView(games=games, standings=[], identity=identity)

    async def after(self, **there: tuple[str, TableView, list[GameResultView]]) -> EventView:
        """What is shown when some seconds later these are there, by host."""
        self.there = {f"http://{host}": answers for host, answers in there.items()}
        self.now_s += 5.0
        self._count = len(self.event._tables)
        return await self.look()


@pytest.mark.parametrize("state", [RefereeState.OVER, RefereeState.WAITING])
def test_a_table_that_gets_the_address_of_one_that_is_gone_takes_none_of_its_games(state: RefereeState) -> None:
    """As where the network gives addresses anew. Whose game was not over still calls."""
    left = named(ring_served(), "Left", referee=state), [game("Left", 30, ("Ann", 3, True))]
    right = named(ring_served(), "Right"), [game("Right", 20, ("Ben", 3, True))]

    async def scenario() -> None:
        moving = Moving()
        moving.event.found([announced("Left", "1-1", "http://a"), announced("Right", "2-1", "http://b")])
        await moving.after(a=("1-1", *left), b=("2-1", *right))
        for _ in range(2):
            await moving.after()
        moving.event.found([announced("Left", "1-1", "http://a"), announced("Right", "2-2", "http://a")])
        for _ in range(2):
            view = await moving.after(a=("2-2", *right))
            calls = {"Right": ""} | ({"Left": f"does not answer: {OTHER}"} if state is RefereeState.WAITING else {})
            assert {table.table: table.calls for table in view.tables} == calls
            assert (view.games, sorted(one.name for one in view.standings)) == (2, ["Ann", "Ben"])
            assert ("1 of “Left”" in view.twice) == (state is RefereeState.OVER)
        moving.event.found([announced("Left", "1-2", "http://c"), announced("Right", "2-2", "http://a")])
        view = await moving.after(a=("2-2", *right), c=("1-2", *left))
        assert [(one.table, one.calls) for one in view.tables] == [("Left", ""), ("Right", "")]
        assert (view.games, view.twice) == (2, "")

    asyncio.run(scenario())


def test_games_count_on_where_another_table_has_been_put_at_a_given_address() -> None:
    """As where a spare one replaces it, or its disk is another."""
    left = named(ring_served(), "Left"), [game("Left", 30, ("Ann", 3, True))]
    right = named(ring_served(), "Right"), [game("Right", 20, ("Ben", 3, True))]

    async def scenario() -> None:
        moving = Moving("http://a", "http://b")
        await moving.after(a=("1-1", *left))
        await moving.after(a=("1-2", *left))
        view = await moving.after(a=("2-1", *right))
        assert [table.table for table in view.tables] == ["Right", "b"]
        assert (view.games, [row.table for row in moving.event.games()]) == (2, ["Left", "Right"])
        assert view.twice == "Another table answers where they were played, and they count on: 1 of “Left”."
        left[1].append(game("Left", 1, ("Ann", 4, True)))
        view = await moving.after(a=("2-1", *right), b=("1-3", *left))
        assert [table.table for table in view.tables] == ["Right", "Left"]
        assert (view.games, view.twice) == (3, ""), "it is there again, and has been played on"

    asyncio.run(scenario())


@pytest.mark.parametrize("found", [True, False])
def test_no_table_shows_another_ones_game_where_addresses_change_hands_between_two_looks(found: bool) -> None:
    """Nor counts its games, whichever of the two questions the other one answers first."""
    left = named(ring_served(), "Left"), [game("Left", 30, ("Ann", 3, True))]
    right = named(final(), "Right"), [game("Right", 20, ("Ben", 3, True))]

    class Swapping(Moving):
        async def _answer(self, ask: Any, address: str) -> TableView | ResultsView:
            told = await super()._answer(ask, address)
            self.there |= self.then
            return told

        then: dict[str, tuple[str, TableView, list[GameResultView]]]

    async def scenario() -> None:
        moving = Swapping(*([] if found else ["http://a"]))
        moving.then = {}
        if found:
            moving.event.found([announced("Left", "1-1", "http://a")])
        await moving.after(a=("1-1", *left))
        moving.then = {"http://a": ("2-1", *right)}
        await moving.event.look(0, results=True)
        assert [one.table for one in moving.event.games()] == ["Left"], "its view came, the other's games"
        await moving.event.look(0, results=False)
        view = moving.event.view()
        shown = [("Left", "away")] if found else [("Right", "over")]
        assert [(one.table, one.state) for one in view.tables] == shown
        assert [one.table for one in moving.event.games()] == (["Left"] if found else ["Left", "Right"])
        moving.then = {}
        moving.there = {"http://a": ("1-1", *left)}
        await moving.event.look(0, results=False)
        assert [one.table for one in moving.event.view().tables] == ["Left"]

    asyncio.run(scenario())


def test_a_game_that_is_taken_back_after_its_end_counts_no_longer_than_its_table_is_over() -> None:
    won, taken_back = game("A", 0, ("Ann", 9, True)), game("A", 0, ("Ann", 0, False), over=False)
    over = named(ring_served(), "A", referee=RefereeState.OVER)

    async def scenario() -> None:
        moving = Moving("http://a")
        assert (await moving.after(a=("1-1", over, [won]))).games == 1
        moving.there["http://a"] = ("1-1", named(ring_served(), "A"), [taken_back])
        await moving.event.look(0, results=False)
        assert moving.event.view().games == 0

    asyncio.run(scenario())


def test_a_table_without_a_clock_that_was_switched_off_loses_no_game_of_today() -> None:
    """It tells its games of before by a clock that stands in January."""
    played = game("A", 50, ("Ann", 9, True))
    at = datetime.fromisoformat(played.began)
    ended = at + timedelta(seconds=(played.began_ago_s or 0) - (played.ended_ago_s or 0))
    unknown = {"ended": ended.isoformat(timespec="milliseconds"), "began_ago_s": None, "ended_ago_s": None}
    other = game("A", 50, ("Ben", 9, True)).model_copy(update=unknown)

    async def scenario() -> None:
        moving = Moving("http://a")
        moving.event._since = NOW - timedelta(hours=3)
        view = lobby()
        before = await moving.after(a=("1-1", view, [played]))
        assert before.games == 1
        switched_off = played.model_copy(update=unknown)
        assert (await moving.after(a=("1-2", view, [switched_off]))).newest == before.newest
        gone_on = played.model_copy(update=unknown | {"ended_ago_s": 60.0})
        assert (await moving.after(a=("1-2", view, [gone_on]))).newest[0].ended[:16] == "2026-06-06T19:59"
        set_back = gone_on.model_copy(update={"began": "2026-05-01T00:00:00+00:00"})
        await moving.after(a=("1-2", view, [set_back]))
        assert [one.began[:16] for one in moving.event.games()] == ["2026-06-06T19:59"], "not after its end"
        assert (await moving.after(a=("1-2", view, [other]))).games == 0, "that was never heard of before"

    asyncio.run(scenario())


def test_a_copied_game_that_went_on_after_its_table_was_switched_off_counts_once() -> None:
    """Only where it was played is it known how long ago it ended, and the clock there is wrong."""
    copied = game("A", 30, ("Ann", 9, True)).model_copy(update={"began_ago_s": None, "ended_ago_s": None})
    played = copied.model_copy(update={"ended_ago_s": 1800.0})

    async def scenario() -> None:
        moving = Moving("http://a", "http://b")
        moving.event._since = NOW - timedelta(hours=3)
        view = await moving.after(a=("1-1", lobby(), [played]), b=("1-2", lobby(), [copied]))
        assert (view.games, [one.ended[:16] for one in view.newest]) == (1, ["2026-06-06T19:30"])
        assert [one.began[:16] for one in moving.event.games()] == ["2026-06-06T19:10"]

    asyncio.run(scenario())


def test_two_tables_of_one_name_are_two_also_where_a_disk_was_copied() -> None:
    async def scenario() -> None:
        watched = Finding()
        games = [[game("A", 1, ("Ann", 3, True))], [game("A", 2, ("Ben", 3, True))]]
        async with tables(*((named(ring_served(), "A"), one) for one in games)) as ((one, other), _):
            for second in ("2-1", "1-2"):
                watched = Finding()
                watched.find(announced("A", "1-1", one), announced("A (2)", second, other))
                view = await watched.look()
                assert [table.address for table in view.tables] == [one, other]
                assert sorted(standing.name for standing in view.standings) == ["Ann", "Ben"]

    asyncio.run(scenario())


def test_a_table_that_was_given_another_folder_is_shown_once() -> None:
    async def scenario() -> None:
        watched = Finding()
        async with tables((named(ring_served(), "A"), [game("A", 1, ("Ann", 3, True))])) as ((one,), _):
            watched.find(announced("A", "1-1", one))
            await watched.look()
            watched.find(announced("A", "2-1", one))
            for table in (0, 1):
                await watched.event.look(table, results=True)
            view = watched.event.view()
            assert ([table.address for table in view.tables], view.games) == ([one], 1)
        off = await watched.look()
        assert ([table.state for table in off.tables], off.games) == (["away"], 1), "its games are counted once"
        watched.find(announced("A", "1-2", "http://127.0.0.1:9"), announced("A (2)", "2-1", one))
        assert len(watched.event.view().tables) == 2, "the former is elsewhere now"

    asyncio.run(scenario())


def test_who_was_only_heard_is_forgotten_and_not_more_than_a_few_are_watched() -> None:
    """Whatever anybody in the network announces, and for how short a time."""

    async def scenario() -> None:
        async with tables((named(ring_served(), "A"), [])) as ((one,), _):
            watched = Finding()
            watched.find(announced("A", "a-1", one))
            await watched.look()
            for number in range(2 * MOST_TABLES):
                watched.event.found([announced("B", f"{number}-1", "http://127.0.0.1:9")])
            assert [table.table for table in watched.event.view().tables] == ["A", "B"]
            crowd = [announced(f"C{number}", f"c{number}-1", "http://127.0.0.1:9") for number in range(MOST_TABLES)]
            watched.event.found(crowd)
            view = watched.event.view()
            assert (len(view.tables), len({table.number for table in view.tables})) == (MOST_TABLES, MOST_TABLES)
            assert view.finding == f"Tables may be missing: {TOO_MANY}."
            watched.event.found(crowd[:5])
            assert (len(watched.event.view().tables), watched.event.view().finding) == (6, "")

    asyncio.run(scenario())


def test_a_table_that_is_forgotten_is_asked_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.event.STATES_S", 0.01)

    async def scenario() -> None:
        event = Event([], lambda: 0.0, lambda: NOW)
        keeping = asyncio.create_task(event.keep())
        event.found([announced("A", "a-1", "http://127.0.0.1:9")])
        await until(lambda: "refused" in event.view().tables[0].calls)
        event.found([])
        assert event.view().tables == []
        async with asyncio.timeout(SLOW_MACHINE_S):
            await until(lambda: len(asyncio.all_tasks()) == 2)
        keeping.cancel()

    asyncio.run(scenario())


def test_found_tables_stand_by_name_and_given_ones_as_given() -> None:
    found = Finding()
    found.find(*(announced(name, f"{name}-1", f"http://{name}") for name in "bCa"))
    assert [table.table for table in found.event.view().tables] == ["a", "b", "C"]
    others = [announced(name, f"{name}-1", f"http://{name}") for name in "aC"]
    found.event.found([announced("0", "b-2", "http://b"), *others], "the network cannot be asked")
    view = found.event.view()
    assert [table.table for table in view.tables] == ["0", "a", "C"], "b was started anew with another name"
    assert view.finding == "Tables may be missing: the network cannot be asked."
    numbered = Finding()
    numbered.find(*(announced(f"T{number}", f"{number}-1", f"http://{number}") for number in (10, 2, "1" * 5000)))
    assert [table.table[:3] for table in numbered.event.view().tables] == ["T2", "T10", "T11"]
    given = Watched(["http://b", "http://a"]).event.view()
    assert ([table.table for table in given.tables], given.finding) == (["b", "a"], "")


@pytest.mark.parametrize(("arguments", "looks"), [([], True), (["http://a:1"], False)])
def test_tables_are_looked_for_where_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], looks: bool
) -> None:
    served: list[tuple[Any, ...]] = []

    async def serve(*about: Any) -> None:
        served.append(about[:3])

    monkeypatch.setattr("controller.cli.event._serve", serve)
    assert CliRunner().invoke(command, [*arguments, "--data", str(tmp_path)]).exit_code == 0
    ((event, port, finder),) = served
    assert (len(event.view().tables), port, finder is not None) == (len(arguments), 8090, looks)
