"""An evening of several tables: how each is doing, which of them needs somebody, and who has won how many.

The tables are asked, again and again; nothing has to be told to them. What one that is gone has said of its games
stays.
"""

import asyncio
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeVar

from controller.asking_tables import TableNotAsked, ask_results, ask_state, by_clock
from controller.records.results import standings
from controller.views import GameResultView, Model, PartState, PlayerResultView, RefereeState, StandingView, TableView

STATES_S, RESULTS_S = 2.0, 15.0
"""Between two looks at a table, and between two at its games."""
BREACH_S = 30.0
"""A broken rule that stands for so long is not put right by the players alone."""
NEWEST = 12
"""How many of the last games are shown."""
_UNNAMED = re.compile(r"Player \d+")
"""What a player is called whose name nobody has said: not the same person at the next table."""


_Answer = TypeVar("_Answer")


class EventPlayerView(Model):
    """Somebody at a table."""

    name: str
    colour: str
    acts: bool


class EventTableView(Model):
    """One table, as the event's screen shows it."""

    address: str
    table: str
    """Its name; its address as long as it has not answered."""
    title: str
    """The game's."""
    state: Literal["away", "lobby", "plays", "asks", "breach", "paused", "over"]
    message: str
    calls: str
    """Why somebody should come; empty: nobody needs to."""
    calls_for_s: float
    """For how long it has been calling."""
    players: list[EventPlayerView]


class EventGameView(Model):
    """A game that is over."""

    table: str
    title: str
    ended: str
    """ISO 8601, UTC, by the clock of whoever asks the tables."""
    players: list[PlayerResultView]
    """The best first."""
    doubt: str = ""
    """Why it may have ended otherwise."""


class EventView(Model):
    """All that the event's screen shows."""

    event: str
    tables: list[EventTableView]
    standings: list[StandingView]
    """Only of players whose names were said. Whoever has the same name is the same."""
    games: int
    """How many are over."""
    newest: list[EventGameView]
    """The last of them, the newest first."""


@dataclass(slots=True)
class _Watched:
    """What is known of one table."""

    address: str
    name: str
    changed_s: float
    """Since when it has been as it is."""
    view: TableView | None = None
    problem: str = "not asked yet"
    """Why it does not answer; empty where it does."""
    games: Sequence[GameResultView] = ()
    unknown: str = ""
    """Why its games cannot be told anew; empty where they can."""


class Event:
    """The tables of an event, watched. Time and the wall clock are arguments."""

    def __init__(
        self,
        addresses: Sequence[str],
        clock: Callable[[], float],
        now: Callable[[], datetime],
        *,
        event: str = "",
        since: datetime | None = None,
    ) -> None:
        """`event`: leave out games that do not count for the event of this name; empty: none. `since`: those begun
        before."""
        self._tables = [_Watched(address, address.partition("://")[2], changed_s=clock()) for address in addresses]
        self._clock = clock
        self._now = now
        self._event = event
        self._since = since

    async def keep(self) -> None:
        """Ask all tables, each by itself, for good."""
        await asyncio.gather(*(self._keep(table) for table in self._tables))

    async def look(self, table: int, *, results: bool) -> None:
        """Ask one table once: its state, and its games where `results`."""
        await self._look(self._tables[table], results)

    def view(self) -> EventView:
        """What is known now."""
        over = [(table, game) for table in self._tables for game in table.games if game.over and self._counts(game)]
        over.sort(key=lambda one: one[1].ended, reverse=True)
        everybody = standings([game for _, game in over])
        return EventView(
            event=self._event,
            tables=[self._table(table) for table in self._tables],
            standings=[standing for standing in everybody if not _UNNAMED.fullmatch(standing.name)],
            games=len(over),
            newest=[_ended(table, game) for table, game in over[:NEWEST]],
        )

    async def _keep(self, table: _Watched) -> None:
        looked_s = -RESULTS_S
        while True:
            results = self._clock() - looked_s >= RESULTS_S
            await self._look(table, results)
            looked_s = self._clock() if results else looked_s
            await asyncio.sleep(STATES_S)

    async def _look(self, table: _Watched, results: bool) -> None:
        before = _standing(table)
        try:
            table.view = await self._ask(ask_state, table)
            table.name, table.problem = table.view.table, ""
        except TableNotAsked as error:
            table.problem = _why(table, error)
        if results and not table.problem:
            try:
                asked = await self._ask(ask_results, table)
                table.games, table.unknown = [by_clock(game, self._now()) for game in asked.games], ""
            except TableNotAsked as error:
                table.unknown = _why(table, error)
        if _standing(table) != before:
            table.changed_s = self._clock()

    async def _ask(self, ask: Callable[[str], _Answer], table: _Watched) -> _Answer:
        """In a thread of its own, so that a table that is switched off holds up no other, and not the program's end."""
        answer: Future[_Answer] = Future()
        answer.set_running_or_notify_cancel()

        def work() -> None:
            try:
                answer.set_result(ask(table.address))
            except BaseException as error:
                answer.set_exception(error)

        threading.Thread(target=work, name="asking", daemon=True).start()
        return await asyncio.wrap_future(answer)

    def _counts(self, game: GameResultView) -> bool:
        if self._event and game.event != self._event:
            return False
        return self._since is None or datetime.fromisoformat(game.began) >= self._since

    def _table(self, table: _Watched) -> EventTableView:
        state, for_s = _state(table), self._clock() - table.changed_s
        calls = _calls(table, state, for_s)
        acting = table.view.turn.players if table.view is not None and state in ("plays", "asks", "breach") else []
        return EventTableView(
            address=table.address,
            table=table.name,
            title=table.view.title if table.view is not None else "",
            state=state,
            message=table.view.message if table.view is not None and state != "away" else "",
            calls=calls,
            calls_for_s=round(for_s) if calls else 0.0,
            players=[
                EventPlayerView(name=seat.name, colour=seat.colour, acts=seat.player in acting)
                for seat in (table.view.seats if table.view is not None else [])
                if seat.player is not None
            ],
        )


_STATES: Mapping[RefereeState, Literal["asks", "breach", "paused", "over"]] = {
    RefereeState.UNCLEAR: "asks",
    RefereeState.BREACH: "breach",
    RefereeState.PAUSED: "paused",
    RefereeState.OVER: "over",
}


def _state(table: _Watched) -> Literal["away", "lobby", "plays", "asks", "breach", "paused", "over"]:
    if table.problem or table.view is None:
        return "away"
    if table.view.position is None:
        return "lobby"
    return _STATES.get(table.view.referee, "plays")


def _lost(table: _Watched) -> list[str]:
    """What is said of its parts that are missing."""
    if table.view is None:
        return []
    return [f"{name}: {part.text}" for name, part in table.view.parts.items() if part.state is PartState.LOST]


def _standing(table: _Watched) -> object:
    """What it may call for; as long as this is the same, it has been calling."""
    view = table.view
    asked = view.question.id if view is not None and view.question is not None else None
    broken = view.breach.problem if view is not None and view.breach is not None else None
    return _state(table), _lost(table)[:1], asked, broken, table.unknown


def _why(table: _Watched, error: TableNotAsked) -> str:
    return str(error).removeprefix(f"{table.address}: ").removeprefix("cannot be asked: ")


def _calls(table: _Watched, state: str, for_s: float) -> str:
    """Why somebody should come; empty: nobody needs to."""
    if state == "away":
        return f"does not answer: {table.problem}"
    calls = ["asks which move was meant"] if state == "asks" else []
    if state == "breach" and for_s >= BREACH_S and table.view is not None and table.view.breach is not None:
        calls.append(table.view.breach.problem)
    calls += _lost(table)[:1]
    if table.unknown:
        calls.append(f"its games cannot be told: {table.unknown}")
    return " · ".join(calls)


def _ended(table: _Watched, game: GameResultView) -> EventGameView:
    best = sorted(game.players, key=lambda player: (not player.won, -(player.total or 0)))
    name = game.table or table.name
    return EventGameView(table=name, title=game.title, ended=game.ended, players=best, doubt=game.doubt)
