"""An evening of several tables: how each is doing, which of them needs somebody, and who has won how many.

The tables are asked, again and again; nothing has to be told to them. Their addresses are given, or found
(`controller.finding_tables`). What one that is gone has said of its games stays.
"""

import asyncio
import itertools
import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, TypeVar

from config.counted import counted
from config.names import in_order, is_name, shown
from controller.asking_tables import TableNotAsked, ask_results, ask_state, by_clock
from controller.finding_tables import MOST_TABLES, TOO_MANY, FoundTable
from controller.records.results import counted_once, go_on, is_of_event, is_same, standings
from controller.views import GameResultView, Model, PartState, PlayerResultView, RefereeState, StandingView, TableView

STATES_S, RESULTS_S = 2.0, 15.0
"""Between two looks at a table, and between two at its games."""
BREACH_S = 30.0
"""A broken rule that stands for so long is not put right by the players alone."""
THESE_HOURS = timedelta(hours=12)
"""A game of another event that ended within them may have been meant for this one; older ones were played at home."""
NEWEST = 12
"""How many of the last games are shown."""
ENDED = "was ended; nobody was playing"
"""What is said of a table that was packed up."""
OTHER = "another table answers there"
"""What is said of a table whose address another has."""
_NONE_FOUND = "No table was found in this network yet. Tables come here by themselves."


_Answer = TypeVar("_Answer")


class EventPlayerView(Model):
    """Somebody at a table."""

    name: str
    colour: str
    acts: bool


class EventTableView(Model):
    """One table, as the event's screen shows it."""

    number: int
    """The same as long as the event's program runs; addresses are passed on."""
    address: str
    table: str
    """Its name; its address as long as it has not answered."""
    title: str
    """The game's."""
    state: Literal["away", "lobby", "plays", "asks", "breach", "paused", "over"]
    message: str
    """What it says to its players; of a table that was packed up, that it was."""
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
    """See `ResultsView.standings`."""
    games: int
    """How many are over."""
    newest: list[EventGameView]
    """The last of them, the newest first."""
    finding: str = ""
    """What is said where no table was found, or none can be; else empty."""
    twice: str = ""
    """Which of the addresses lead to one table; empty: none."""
    uncounted: str = ""
    """Which tables' games do not count, of these hours as their settings name another event, and as nobody can tell how
    they ended; empty: none."""


_AWAY, _BREACH = "away", "breach"
"""What tells these reasons from others."""


@dataclass(frozen=True, slots=True)
class _Reason:
    """Why somebody may have to come to a table."""

    text: str
    since_s: float


@dataclass(slots=True, eq=False)
class _Watched:
    """What is known of one table."""

    number: int
    address: str
    """Where it is asked."""
    name: str
    reasons: Mapping[str, _Reason]
    """Why somebody may have to come, by what tells one reason from another."""
    found: FoundTable | None = None
    """As it announced itself last; None where its address was given."""
    said_goodbye: bool = False
    """Whether it announces itself no more, as where somebody ended it: what is cut off or unplugged cannot say so."""
    view: TableView | None = None
    answered: str = ""
    """Where it answered last; empty where it has not yet, or says that it has moved since."""
    identities: Set[str] = frozenset()
    """What it said that it is, at this start of it and at those before; empty where it does not say."""
    since_s: float = -math.inf
    """When it first answered at this start."""
    answered_s: float = -math.inf
    """When it answered last."""
    problem: str = "not asked yet"
    """Why it does not answer; empty where it does."""
    games: Sequence[GameResultView] = ()
    unknown: str = ""
    """Why its games cannot be told anew; empty where they can."""


_Played = tuple[_Watched, GameResultView]
"""A game, and whose it is."""


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
        """`addresses`: of the tables; empty: those that are `found`. `event`: leave out games that do not count for the
        event of this name; empty: none. `since`: those begun before."""
        self._tables: list[_Watched] = []
        self._former: dict[str, _Watched] = {}
        """What answered at a given address before another did, by its folder: what it said of its games stays."""
        self._came: asyncio.Queue[_Watched] = asyncio.Queue()
        self._finding = "" if addresses else _NONE_FOUND
        self._numbers = itertools.count()
        self._clock = clock
        self._now = now
        self._event = event
        self._since = since
        for address in addresses:
            self._watch(address, address.partition("://")[2])

    async def keep(self) -> None:
        """Ask all tables, each by itself, for good."""
        async with asyncio.TaskGroup() as asking:
            while True:
                asking.create_task(self._keep(await self._came.get()))

    def found(self, tables: Sequence[FoundTable], problem: str = "") -> None:
        """These announce themselves now; `problem`: why there may be others. One that announces itself no more stays,
        and is asked on, if it ever answered."""
        announced, heard = {table.identity for table in tables}, {table.table for table in tables}
        self._tables = [one for one in self._tables if one.view or one.found is None or one.found.table in heard]
        for table in tables:
            watched = self._known(table, announced)
            if watched is None:
                if len(self._tables) >= MOST_TABLES:
                    problem = TOO_MANY
                    continue
                watched = self._watch(table.addresses[0], table.name)
            watched.found = table
            if watched.view is None:
                watched.name = table.name
            if watched.address not in table.addresses:
                watched.address, watched.answered = table.addresses[0], ""
        for watched in self._tables:
            watched.said_goodbye = watched.found is not None and watched.found.identity not in announced
        self._finding = f"Tables may be missing: {problem}." if problem else "" if self._tables else _NONE_FOUND

    async def look(self, table: int, *, results: bool) -> None:
        """Ask one table once: its state, and its games where `results`."""
        await self._look(self._tables[table], results)

    def view(self) -> EventView:
        """What is known now."""
        tables, told = self._shown(), self._told()
        played = _once(told)
        over = [(table, game) for table, game in played if game.over and self._counts(game)]
        over.sort(key=lambda one: one[1].ended, reverse=True)
        named = _names(over)
        return EventView(
            event=self._event,
            tables=[self._table(table) for table in tables],
            standings=standings([game for _, game in over]),
            games=len(over),
            newest=[_ended(named(table, game), game) for table, game in over[:NEWEST]],
            finding=self._finding,
            twice=self._twice(told, played),
            uncounted=" ".join(filter(None, (self._uncounted(told), self._untold(played)))),
        )

    def games(self) -> list[GameResultView]:
        """Every game that counts, over or not, the earliest first; each table's is told by its name."""
        played = [(table, game) for table, game in _once(self._told()) if self._counts(game)]
        named = _names(played)
        games = [game.model_copy(update={"table": named(table, game)}) for table, game in played]
        return sorted(games, key=lambda game: (game.began, game.table))

    def _uncounted(self, tables: Sequence[_Watched]) -> str:
        since = self._now() - THESE_HOURS
        others: dict[str, int] = {}
        named = _names([(table, game) for table in tables for game in table.games])
        for table in tables:
            for game in table.games:
                other = bool(self._event) and not is_of_event(game, self._event) and self._is_since(game)
                if (game.over or game is table.games[-1]) and other and datetime.fromisoformat(game.ended) >= since:
                    counts_for = f'event = "{game.event}"' if game.event else "no event"
                    said = f"{named(table, game)} ({counts_for})"
                    others[said] = others.get(said, 0) + 1
        if not others:
            return ""
        told = ", ".join(f"{count} of {said}" for said, count in others.items())
        return f"Games that do not count, by the settings of their table: {told}."

    def _untold(self, once: Sequence[_Played]) -> str:
        """Of which games nobody can tell how they ended; without an event only of these hours."""
        since = None if self._event else self._now() - THESE_HOURS
        played = [(table, game) for table, game in once if game.problem and self._counts(game)]
        named = _names(played)
        untold = Counter(
            named(table, game) for table, game in played if since is None or datetime.fromisoformat(game.ended) >= since
        )
        told = ", ".join(f"{count} of {name}" for name, count in untold.items())
        return told and f"Games of which it cannot be told how they ended (the spreadsheet says why): {told}."

    def _watch(self, address: str, name: str) -> _Watched:
        table = _Watched(next(self._numbers), address, name, reasons={})
        table.reasons = _reasons(table, self._clock())
        self._tables.append(table)
        self._came.put_nowait(table)
        return table

    def _known(self, found: FoundTable, announced: Set[str]) -> _Watched | None:
        """The table that announces itself so, if it did before; also if it was started anew since. A table whose disk
        was copied from another's says that it is the same, but both announce themselves at once."""
        of_this = [(one, one.found) for one in self._tables if one.found is not None]
        same = [one for one, before in of_this if before.identity == found.identity]
        anew = [one for one, before in of_this if before.table == found.table and before.identity not in announced]
        return next(iter(same + anew), None)

    def _shown(self) -> list[_Watched]:
        """The tables that were found by name."""
        shown = [same[0] for same in self._told_apart()]
        return sorted(shown, key=lambda table: in_order(table.name) if table.found is not None else "")

    def _told(self) -> list[_Watched]:
        """The tables whose games are told: those that are shown, and those whose place another has."""
        shown = self._shown()
        gone = [one for one in (*self._displaced(), *self._former.values()) if _folder(one)]
        return [*shown, *(one for one in gone if not any(_has_gone_on(other, one) for other in shown))]

    def _displaced(self) -> list[_Watched]:
        """Those that another followed at their address, as when one was given another folder; but for one that was in
        the middle of a game."""
        latest = {one.answered: one for one in sorted(self._tables, key=lambda one: (one.answered_s, one.number))}
        return [one for one in self._tables if one.answered and latest[one.answered] is not one and not _is_missed(one)]

    def _told_apart(self) -> list[list[_Watched]]:
        """Each table that was not displaced, at all its addresses, those that answer first. Where one was started anew
        elsewhere, it is the later one, also when that has gone."""
        displaced = self._displaced()
        there = [one for one in self._tables if one not in displaced]
        known = [table for table in there if not any(_is_anew(one, table) for one in there)]
        same = [(table, _same(table, known)) for table in known]
        return [of_one for table, of_one in same if of_one[0] is table]

    def _twice(self, all_told: Sequence[_Watched], played: Sequence[_Played]) -> str:
        addresses = [[table.address for table in same] for same in self._told_apart() if len(same) > 1]
        told = [f"{' and '.join(of_one)} are one table, which counts once." for of_one in addresses]
        tables, once = self._shown(), Counter(table for table, _ in played)
        for table in tables:
            if copied := len(table.games) - once[table]:
                again = counted(copied, "game")
                told.append(f"“{table.name}” has {again} of another table, whose folder was copied: each counts once.")
        hidden = [one for one in all_told if one not in tables and one.games]
        if hidden:
            games = ", ".join(f"{len(one.games)} of “{one.name}”" for one in hidden)
            told.append(f"Another table answers where they were played, and they count on: {games}.")
        return " ".join(told)

    async def _keep(self, table: _Watched) -> None:
        looked_s = -RESULTS_S
        while table in self._tables:
            results = self._clock() - looked_s >= RESULTS_S
            await self._look(table, results)
            looked_s = self._clock() if results else looked_s
            await asyncio.sleep(STATES_S)

    async def _look(self, table: _Watched, results: bool) -> None:
        address, was = table.address, _state(table)
        try:
            view = await self._ask(ask_state, address)
            is_over = view.referee is RefereeState.OVER
            if results or table.problem or is_over != (was == "over"):
                await self._look_at_games(table, address)
            table.view, table.name, table.answered, table.problem = view, _shown_name(view.table, address), address, ""
            table.answered_s = self._clock()
        except TableNotAsked as error:
            table.problem = _why(address, error)
            if table.found is not None:
                table.address = _after(address, table.found.addresses)
        table.reasons = _reasons(table, self._clock())

    async def _look_at_games(self, table: _Watched, address: str) -> None:
        """Raises TableNotAsked where another table answers."""
        try:
            asked = await self._ask(ask_results, address)
        except TableNotAsked as error:
            table.unknown = _why(address, error)
            return
        folder = asked.identity.partition("-")[0]
        if folder and _folder(table) not in ("", folder):
            if table.found is not None:
                raise TableNotAsked(OTHER)
            self._former[_folder(table)] = replace(table)
            table.games = ()
        now, known = self._now(), {game.number: game for game in table.games}
        table.games, table.unknown = [_dated(game, known.get(game.number), now) for game in asked.games], ""
        if asked.identity and asked.identity not in table.identities:
            table.since_s = self._clock()
        table.identities = _known_as(table.identities, asked.identity)

    async def _ask(self, ask: Callable[[str], _Answer], address: str) -> _Answer:
        """In a thread of its own, so that a table that is switched off holds up no other, and not the program's end."""
        answer: Future[_Answer] = Future()
        answer.set_running_or_notify_cancel()

        def work() -> None:
            try:
                answer.set_result(ask(address))
            except BaseException as error:
                answer.set_exception(error)

        threading.Thread(target=work, name="asking", daemon=True).start()
        return await asyncio.wrap_future(answer)

    def _counts(self, game: GameResultView) -> bool:
        return (not self._event or is_of_event(game, self._event)) and self._is_since(game)

    def _is_since(self, game: GameResultView) -> bool:
        return self._since is None or datetime.fromisoformat(game.began) >= self._since

    def _table(self, table: _Watched) -> EventTableView:
        state, now_s = _state(table), self._clock()
        calling = _calling(table, now_s)
        calls = " · ".join(reason.text.removesuffix(".") for reason in calling)
        acting = table.view.turn.players if table.view is not None and state in ("plays", "asks", "breach") else []
        return EventTableView(
            number=table.number,
            address=table.address,
            table=table.name,
            title=table.view.title if table.view is not None else "",
            state=state,
            message=ENDED if _is_ended(table) else "" if table.view is None or state == "away" else table.view.message,
            calls=calls,
            calls_for_s=round(now_s - min(reason.since_s for reason in calling)) if calling else 0.0,
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


def _is_ended(table: _Watched) -> bool:
    """Whether it was ended while nobody played there."""
    return bool(table.problem) and table.said_goodbye and table.view is not None and not _in_game(table.view)


def _is_missed(table: _Watched) -> bool:
    """Whether another table answers where it was, in the middle of its game."""
    return table.problem == OTHER and table.view is not None and _in_game(table.view)


def _in_game(view: TableView) -> bool:
    return view.position is not None and view.referee is not RefereeState.OVER


def _reasons(table: _Watched, now_s: float) -> dict[str, _Reason]:
    """Why somebody may have to come. What stood before stands on while its table does not answer; and a broken rule,
    too, while hands are over it, as nothing is judged then."""
    view, told = table.view, dict[str, str]()
    if table.problem:
        told[_AWAY] = f"does not answer: {table.problem}"
    if view is not None:
        if view.referee is RefereeState.UNCLEAR:
            told[f"question {view.question.id if view.question is not None else ''}"] = "asks which move was meant"
        if view.breach is not None:
            told[_BREACH] = view.breach.problem
        elif view.referee is RefereeState.HANDS and _BREACH in table.reasons:
            told[_BREACH] = table.reasons[_BREACH].text
        journal = view.parts.get("journal")
        if view.referee is RefereeState.PAUSED and journal is not None and journal.note:
            told["recovered"] = f"waits for its host: its journal {journal.note}"
        lost = ((name, part.text) for name, part in view.parts.items() if part.state is PartState.LOST)
        for name, text in itertools.islice(lost, 1):
            told[f"part {name}"] = f"{name}: {text}"
    if table.unknown:
        told["games"] = f"its games cannot be told: {table.unknown}"
    before = table.reasons
    return {
        reason: _Reason(text, before[reason].since_s if reason in before else now_s) for reason, text in told.items()
    }


def _dated(game: GameResultView, known: GameResultView | None, now: datetime) -> GameResultView:
    """A game's times by our clock; where its table was switched off since, as it was `known` before."""
    if known is not None and game.ended_ago_s is None and is_same(game, known):
        return game.model_copy(update={"began": known.began, "ended": known.ended})
    return by_clock(game, now)


def _shown_name(name: str, address: str) -> str:
    """A table's; its address where nothing of that is seen, as where what answers is no table of ours."""
    return shown(name) if is_name(shown(name)) else address.partition("://")[2]


def _after(address: str, addresses: Sequence[str]) -> str:
    """Where to ask a table that did not answer at `address`: not all its addresses need lead to it from here."""
    return addresses[(addresses.index(address) + 1) % len(addresses)] if address in addresses else addresses[0]


def _same(table: _Watched, known: Sequence[_Watched]) -> list[_Watched]:
    """Those that are this table at another address, and itself. Tables that were found are told apart by what they
    announce."""
    others = [one for one in known if one is not table and one.found is None and table.found is None]
    same = [table, *(one for one in others if one.identities & table.identities)]
    return sorted(same, key=lambda one: (bool(one.problem), one.number))


def _is_anew(table: _Watched, before: _Watched) -> bool:
    """Whether this is what was `before`, started anew by another name and on another port, as after a power cut: it is
    of the same folder, came when that had stopped answering, and has its games. A table whose disk was copied has games
    of its own, or answers beside it."""
    came_after = bool(before.problem) and before.answered_s < table.since_s
    return came_after and _has_gone_on(table, before)


def _has_gone_on(table: _Watched, before: _Watched) -> bool:
    """Whether this is of the same folder as what was `before`, and has its games."""
    return _folder(table) == _folder(before) != "" and go_on(table.games, before.games)


def _folder(table: _Watched) -> str:
    """By what a table is known whenever it was started; empty where it does not say."""
    return table.found.table if table.found is not None else next(iter(table.identities), "").partition("-")[0]


def _known_as(before: Set[str], identity: str) -> Set[str]:
    """What a table was known as, and is now; without what another is known as, which had this address before."""
    own, started, _ = identity.partition("-")
    return frozenset(one for one in {*before, identity} if started and one.partition("-")[0] == own)


def _why(address: str, error: TableNotAsked) -> str:
    return str(error).removeprefix(f"{address}: ").removeprefix("cannot be asked: ")


def _calling(table: _Watched, now_s: float) -> list[_Reason]:
    """Why somebody should come; empty: nobody needs to."""
    if _is_ended(table):
        return []
    if _AWAY in table.reasons:
        return [table.reasons[_AWAY]]
    return [one for key, one in table.reasons.items() if key != _BREACH or now_s - one.since_s >= BREACH_S]


def _once(tables: Sequence[_Watched]) -> list[_Played]:
    """The games of all tables, with whose they are; of a table whose folder was copied each once."""
    told = counted_once([table.games for table in tables])
    return [(table, game) for table, games in zip(tables, told, strict=True) for game in games]


def _name_of(table: _Watched, game: GameResultView) -> str:
    """The table's, when the game began."""
    return game.table or table.name


def _names(games: Sequence[_Played]) -> Callable[[_Watched, GameResultView], str]:
    """What tells whose each of these games is: its table's name; where several have that, with the address."""
    named: dict[str, set[int]] = {}
    for table, game in games:
        named.setdefault(_name_of(table, game), set()).add(table.number)

    def name(table: _Watched, game: GameResultView) -> str:
        alone = _name_of(table, game)
        return alone if len(named[alone]) == 1 else f"{alone} · {table.address.partition('://')[2]}"

    return name


def _ended(table: str, game: GameResultView) -> EventGameView:
    best = sorted(game.players, key=lambda player: (not player.won, -(player.total or 0)))
    return EventGameView(table=table, title=game.titled, ended=game.ended, players=best, doubt=game.doubt)
