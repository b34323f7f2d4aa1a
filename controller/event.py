"""An evening of several tables: how each is doing, which of them needs somebody, and who has won how many.

The tables are asked, again and again; nothing has to be told to them. Their addresses are given, or found
(`controller.finding_tables`). What one that is gone has said of its games stays, and is kept for the program's next
start (`controller.kept_event`).
"""

import asyncio
import itertools
import logging
import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from config.counted import counted
from config.names import in_order, is_name, shown
from controller.asking_tables import TableNotAsked, ask_results, ask_state, dated
from controller.event_views import EventGameView, EventPlayerView, EventState, EventTableView, EventView
from controller.finding_tables import MOST_TABLES, TOO_MANY, FoundTable
from controller.kept_event import EventFile, EventFileError, KeptTable
from controller.records.results import counted_once, go_on, in_two_at_once, is_of_event, not_told_anew, standings
from controller.views import GameResultView, PartState, RefereeState, TableView

STATES_S, RESULTS_S = 2.0, 15.0
"""Between two looks at a table, and between two at its games."""
QUIET_S = 10.0
"""A table that answered may not do so for so long before anybody is called: another game may have been chosen there."""
KEPT_S = 5.0
"""Between two times that what tables have told is kept."""
BREACH_S = 30.0
"""A broken rule that stands for so long is not put right by the players alone."""
THESE_HOURS = timedelta(hours=12)
"""A game of another event that ended within them may have been meant for this one; older ones were played at home."""
NEWEST = 12
"""How many of the last games are shown."""
NOT_NOW = "does not answer just now"
"""What is said of a table meanwhile."""
ENDED = "was ended; nobody was playing"
"""What is said of a table that was packed up."""
OTHER = "another table answers there"
"""What is said of a table whose address another has."""
_NONE_FOUND = "No table was found in this network yet. Tables come here by themselves."


_Answer = TypeVar("_Answer")
_log = logging.getLogger(__name__)


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
        kept: Sequence[KeptTable] = (),
        missing: str = "",
    ) -> None:
        """`addresses`: of the tables; empty: those that are `found`. `event`: leave out games that do not count for the
        event of this name; empty: none. `since`: those begun before. `kept`: what tables told before this program was
        started; `missing`: why there may be more."""
        self._tables: list[_Watched] = []
        self._former: list[_Watched] = []
        """What answered at a given address before another did, or before this program was started: what it said of its
        games stays."""
        self._came: asyncio.Queue[_Watched] = asyncio.Queue()
        self._finding = "" if addresses else _NONE_FOUND
        self._numbers = itertools.count()
        self._clock = clock
        self._now = now
        self._event = event
        self._since = since
        self._changed = asyncio.Event()
        """Whether tables have told something new since that was kept."""
        self._missing, self._unkept = missing, ""
        for address in addresses:
            self._watch(address, address.partition("://")[2])
        self._former += [_of_before(next(self._numbers), one) for one in kept]

    async def keep(self, file: EventFile | None = None) -> None:
        """Ask all tables, each by itself, for good; `file`: where what they tell is kept."""
        async with asyncio.TaskGroup() as asking:
            if file is not None:
                asking.create_task(self._keep_told(file))
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
            namesakes=self._namesakes(played),
            kept=" ".join(filter(None, (self._missing, self._unkept))),
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
        """Of which games nobody can tell how they ended."""
        played = [(table, game) for table, game in self._of_now(once) if game.problem]
        named = _names(played)
        untold = Counter(named(table, game) for table, game in played)
        told = ", ".join(f"{count} of {name}" for name, count in untold.items())
        return told and f"Games of which it cannot be told how they ended (the spreadsheet says why): {told}."

    def _namesakes(self, once: Sequence[_Played]) -> str:
        """Who has one name with somebody else, as both played at the same time."""
        played = self._of_now(once)
        named = _names(played)
        found = in_two_at_once([(named(table, game), game) for table, game in played])
        told = ", ".join(f"“{shown(name)}” ({' and '.join(places)})" for name, places in found.items())
        return told and f"At two tables at once, so two people, who count as one until one is called otherwise: {told}."

    def _of_now(self, once: Sequence[_Played]) -> list[_Played]:
        """The games that count, over or not; without an event only of these hours."""
        since = None if self._event else self._now() - THESE_HOURS
        return [
            (table, game)
            for table, game in once
            if self._counts(game) and (since is None or datetime.fromisoformat(game.ended) >= since)
        ]

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
        """The tables whose games are told: those that are shown, those whose place another has, and those of before."""
        shown = self._shown()
        told = list(shown)
        for gone in (*self._displaced(), *self._former):
            if _folder(gone) and not any(_takes_over(other, gone) for other in told):
                told.append(_without_told_anew(gone, shown))
        return told

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
        for why, were_here in (
            ("Another table answers where they were played, and they count on", True),
            ("They were told before this program was started, by tables that are not here, and count on", False),
        ):
            if of_these := [one for one in hidden if math.isfinite(one.answered_s) is were_here]:
                games = ", ".join(f"{len(one.games)} of “{one.name}”" for one in of_these)
                told.append(f"{why}: {games}.")
        return " ".join(told)

    async def _keep(self, table: _Watched) -> None:
        looked_s = -RESULTS_S
        while table in self._tables:
            results = self._clock() - looked_s >= RESULTS_S
            await self._look(table, results)
            looked_s = self._clock() if results else looked_s
            await asyncio.sleep(STATES_S)

    async def _look(self, table: _Watched, results: bool) -> None:
        address, was, asked_s = table.address, _state(table), self._clock()
        try:
            view = await self._ask(ask_state, address)
            is_over = view.referee is RefereeState.OVER
            self._check_whose(table, view.identity)
            is_another = table.view is not None and table.view.identity != view.identity
            if results or table.problem or is_another or is_over != (was == "over"):
                await self._look_at_games(table, address, view.identity)
            table.view, table.name, table.answered, table.problem = view, _shown_name(view.table, address), address, ""
            table.answered_s = self._clock()
        except TableNotAsked as error:
            table.problem = _why(address, error)
            if table.found is not None:
                table.address = _after(address, table.found.addresses)
        table.reasons = _reasons(table, asked_s if table.problem else self._clock())

    async def _look_at_games(self, table: _Watched, address: str, identity: str) -> None:
        """`identity`: what answered before. Raises TableNotAsked where another table answers."""
        try:
            asked = await self._ask(ask_results, address)
        except TableNotAsked as error:
            table.unknown = _why(address, error)
            return
        if identity and asked.identity != identity:
            raise TableNotAsked("it was started just now")
        before = self._to_keep(table)
        self._check_whose(table, asked.identity)
        folder = _folder_of(asked.identity)
        known = [game for one in (table, *self._former) if _folder(one) == folder for game in one.games]
        games = dated(asked.games, known, self._now())
        is_new = bool(asked.identity) and asked.identity not in table.identities
        if is_new and not go_on(games, table.games):
            self._displace(table)
        table.games, table.unknown = games, ""
        if is_new:
            table.since_s = self._clock()
        table.identities = _known_as(table.identities, asked.identity)
        if self._to_keep(table) != before:
            self._changed.set()

    def _check_whose(self, table: _Watched, identity: str) -> None:
        """Raises TableNotAsked where another answers in the place of one that was found; at a given address it takes
        that."""
        folder = _folder_of(identity)
        if folder and _folder(table) not in ("", folder):
            if table.found is not None:
                raise TableNotAsked(OTHER)
            self._displace(table)

    def _displace(self, table: _Watched) -> None:
        """Whatever answers at its address by now is another."""
        self._former = [one for one in self._former if not _takes_over(table, one)] + [replace(table)]
        table.games, table.identities = (), frozenset()

    async def _keep_told(self, file: EventFile) -> None:
        try:
            while True:
                await self._changed.wait()
                self._changed.clear()
                update, before = self._update_of(file), self._unkept
                try:
                    self._missing = await _in_thread(update) or self._missing
                    self._unkept = ""
                except EventFileError as error:
                    lost = "What tables tell is not kept, and lost with this program where they are gone"
                    self._unkept = f"{lost}: {error}."
                    self._changed.set()
                if self._unkept not in ("", before):
                    _log.warning("%s", self._unkept)
                await asyncio.sleep(KEPT_S)
        finally:  # what was told since is kept, too, before the program ends
            try:
                self._update_of(file)()
            except EventFileError as error:
                _log.warning("What tables told last is not kept: %s.", error)

    def _update_of(self, file: EventFile) -> Callable[[], str]:
        """What keeps what tables have told by now."""
        return partial(file.update, partial(self._kept, [replace(table) for table in self._told()]))

    def _kept(self, told: Sequence[_Watched], before: Sequence[KeptTable]) -> list[KeptTable]:
        """What is kept when tables have `told` this, in place of what was."""
        own = [kept for kept in map(self._to_keep, told) if kept is not None]
        others = [one for one in before if not any(_takes_over(table, _of_before(0, one)) for table in told)]
        return sorted((*own, *others), key=lambda one: (one.name, one.identities))

    def _to_keep(self, table: _Watched) -> KeptTable | None:
        """What is kept of a table; None where nothing is: it has no games of this event, or nobody knows it again."""
        games = [game for game in table.games if not self._event or is_of_event(game, self._event)]
        if not games or not table.identities:
            return None
        return KeptTable(
            name=table.name,
            address=table.answered or table.address,
            identities=sorted(table.identities),
            games=[game.model_copy(update={"began_ago_s": None, "ended_ago_s": None}) for game in games],
        )

    async def _ask(self, ask: Callable[[str], _Answer], address: str) -> _Answer:
        return await _in_thread(partial(ask, address))

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
            message=_message(table, state),
            calls=calls,
            calls_for_s=round(now_s - min(reason.since_s for reason in calling)) if calling else 0.0,
            players=[
                EventPlayerView(name=seat.name, colour=seat.colour, acts=seat.player in acting)
                for seat in (table.view.seats if table.view is not None else [])
                if seat.player is not None
            ],
        )


_STATES: Mapping[RefereeState, EventState] = {
    RefereeState.UNCLEAR: "asks",
    RefereeState.BREACH: "breach",
    RefereeState.PAUSED: "paused",
    RefereeState.OVER: "over",
}


def _state(table: _Watched) -> EventState:
    if table.problem or table.view is None:
        return "away"
    if table.view.position is None:
        return "lobby"
    return _STATES.get(table.view.referee, "plays")


def _message(table: _Watched, state: EventState) -> str:
    if state == "away" or table.view is None:
        return ENDED if _is_ended(table) else NOT_NOW if table.view is not None else ""
    return table.view.message


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


def _of_before(number: int, kept: KeptTable) -> _Watched:
    """A table of before this program was started."""
    return _Watched(number, kept.address, kept.name, {}, identities=frozenset(kept.identities), games=kept.games)


async def _in_thread(work: Callable[[], _Answer]) -> _Answer:
    """In a thread of its own, so that a table that is switched off holds up no other, and neither it nor a disk the
    program's end."""
    answer: Future[_Answer] = Future()
    answer.set_running_or_notify_cancel()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=run, name="asking", daemon=True).start()
    return await asyncio.wrap_future(answer)


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


def _takes_over(table: _Watched, before: _Watched) -> bool:
    """Whether this has all that was `before` and counts still: it is the same start of it, or has its games."""
    return bool(table.identities & before.identities) or _has_gone_on(table, before)


def _without_told_anew(gone: _Watched, tables: Sequence[_Watched]) -> _Watched:
    """What is gone, without games that a table of its folder has gone on with, as where others of its journal are
    lost."""
    games = gone.games
    for table in tables:
        if _folder(table) == _folder(gone):
            games = not_told_anew(games, table.games)
    return gone if len(games) == len(gone.games) else replace(gone, games=games)


def _folder(table: _Watched) -> str:
    """By what a table is known whenever it was started; empty where it does not say."""
    return table.found.table if table.found is not None else _folder_of(next(iter(table.identities), ""))


def _folder_of(identity: str) -> str:
    return identity.partition("-")[0]


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
    quiet_s = {_BREACH: BREACH_S, _AWAY: QUIET_S if table.view is not None else 0.0}
    calling = {key: one for key, one in table.reasons.items() if now_s - one.since_s >= quiet_s.get(key, 0.0)}
    return [calling[_AWAY]] if _AWAY in calling else list(calling.values())


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
