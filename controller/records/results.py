"""How the games in a journal ended."""

import math
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from typing import NamedTuple

from config.names import in_order, same_name
from controller.boot import boot_clock
from controller.game import GameError
from controller.games.registry import game_names, load_game
from controller.journal import LOST, RECOVERED, begins_game, counted, set_aside
from controller.journal import Record as Entry
from controller.records.happened import happened
from controller.records.journalled import names_in, played_of
from controller.records.record import Result
from controller.said_names import is_said
from controller.views import GameResultView, HappenedView, PlayerResultView, ResultsView, StandingView

_CHANGES = ("play", "undo")
SAME_S = 0.05
"""Games whose lengths differ by less are one, where all else is the same."""
AT_ONCE_S = 60.0
"""Somebody who is in two games for longer is two people; for less, as told by clocks that differ, may have changed
tables."""
TORN = "its end may have been taken back: what came next may be lost, as the journal was damaged"


class Results:
    """The games of one journal. Asked again, only what is new is looked at. Ask from any thread.

    A computer without a clock of its own starts at a wrong date and is put right later, or never: what was written
    before is told by the clock as it was set last.
    """

    def __init__(
        self,
        entries_after: Callable[[int], Sequence[Entry]],
        *,
        boot: str = "",
        clock: Callable[[], float] = boot_clock,
        identity: str = "",
    ) -> None:
        """`entries_after` gives the journal's entries after a sequence number; `boot` and `clock`: which start of the
        computer this is, and the seconds since (`boot_clock`); `identity`: see `ResultsView`."""
        self._entries_after = entries_after
        self._boot = boot
        self._clock = clock
        self._identity = identity
        self._asking = threading.Lock()
        self._last = 0
        self._before: list[_Game] = []
        """Those that another followed: nothing is added to them."""
        self._newest: list[_Dated] = []
        self._begun = 0
        """How many games were begun."""
        self._writing = ""
        """Which start of the computer the last entry was written in."""
        self._writings: list[tuple[int, str]] = []
        """From which entry on each was."""
        self._switched_on: dict[str, float] = {}
        """When each start was, in POSIX seconds, by the clock as it was set last."""

    def read(self) -> ResultsView:
        """Every game, the earliest first. Raises JournalError."""
        with self._asking:
            for entry in self._entries_after(self._last):
                self._last = entry.seq
                writing = _writing(entry, self._writing)
                if writing != self._writing:
                    self._writing = writing
                    self._writings.append((entry.seq, writing))
                dated = _Dated(entry, self._writing)
                if self._writing:
                    self._switched_on[self._writing] = _posix(entry.wall_time) - entry.monotonic_s
                if begins_game(entry):
                    self._before += self._newest_game()
                    self._begun += 1
                    self._newest = [dated] if entry.kind == "game" else []
                elif self._newest:
                    self._newest.append(dated)
            games = [self._told(game) for game in self._games()]
            return ResultsView(games=games, standings=standings(games), identity=self._identity)

    def happened(self, entries: Sequence[Entry], pictured: Set[int]) -> list[HappenedView] | None:
        """What happened in the game whose entries these are; None where they are none's. `pictured`: those whose
        picture is kept. Raises JournalError."""
        if not entries or entries[0].kind not in ("game", LOST):
            return None
        self.read()  # when each start of the computer was, by the clock as it was set last
        left = any(entry.kind == "lobby" for entry in entries)
        over = left and self._is_over(entries[0])
        return [
            HappenedView(
                seq=entry.seq,
                at=self._time(dated),
                ago_s=self._ago_s(dated),
                kind=kind,
                text=text,
                remedy=str(entry.data.get("remedy", "")),
                source=str(entry.data.get("source", "")),
                by=str(entry.data.get("by", "")),
                picture=entry.seq in pictured,
            )
            for entry, kind, text in happened(entries, over=over)
            for dated in [_Dated(entry, self._written_in(entry.seq))]
        ]

    def _written_in(self, seq: int) -> str:
        """Which start of the computer an entry was written in; see `_Dated.boot`."""
        before = bisect_right(self._writings, seq, key=lambda change: change[0])
        return self._writings[before - 1][1] if before else ""

    def _is_over(self, first: Entry) -> bool:
        """Whether the game that this entry begins was played to its end."""
        with self._asking:
            return any(game.result.over for game in self._games() if game.began.entry.seq == first.seq)

    def _games(self) -> list["_Game"]:
        return [*self._before, *self._newest_game()]

    def _newest_game(self) -> list["_Game"]:
        return [_game(self._newest, self._begun)] if self._newest else []

    def _told(self, game: "_Game") -> GameResultView:
        return game.result.model_copy(
            update={
                "began": self._time(game.began),
                "ended": self._time(game.ended),
                "began_ago_s": self._ago_s(game.began),
                "ended_ago_s": self._ago_s(game.ended),
            }
        )

    def _time(self, dated: "_Dated") -> str:
        if dated.boot not in self._switched_on:
            return dated.entry.wall_time
        try:
            posix_s = self._switched_on[dated.boot] + dated.entry.monotonic_s
            return datetime.fromtimestamp(posix_s, UTC).isoformat(timespec="milliseconds")
        except (OverflowError, ValueError):  # bits of a damaged file, which nothing tells
            return dated.entry.wall_time

    def _ago_s(self, dated: "_Dated") -> float | None:
        known = dated.boot and dated.boot == self._boot
        return round(self._clock() - dated.entry.monotonic_s, 3) if known else None


class _Dated(NamedTuple):
    entry: Entry
    boot: str
    """Which start of the computer it was written in; empty where that was not written down."""


@dataclass(frozen=True, slots=True)
class _Game:
    result: GameResultView
    began: _Dated
    ended: _Dated
    """When the last play was made."""


def standings(games: Sequence[GameResultView]) -> list[StandingView]:
    """See `ResultsView.standings`."""
    played: dict[str, list[bool]] = {}
    spelt: dict[str, str] = {}
    for game in sorted([game for game in games if not game.simulated] or games, key=lambda game: game.ended):
        won: dict[str, bool] = {}
        for player in game.players:
            if game.over and is_said(player.seat, player.name):
                person = same_name(player.name)
                spelt[person] = player.name
                # Of games before names were kept apart, two may have one.
                won[person] = won.get(person, False) or player.won
        for person in won:
            played.setdefault(person, []).append(won[person])
    standing = [StandingView(name=spelt[person], won=sum(won), played=len(won)) for person, won in played.items()]
    standing.sort(key=lambda one: (_best_first(one), in_order(one.name)))
    placed = [_best_first(one) for one in standing]
    return [one.model_copy(update={"rank": bisect_left(placed, _best_first(one)) + 1}) for one in standing]


def _best_first(standing: StandingView) -> tuple[int, int]:
    """By what standings are ranked."""
    return -standing.won, standing.played


def in_two_at_once(played: Sequence[tuple[str, GameResultView]]) -> dict[str, list[str]]:
    """Names that were said in two games at the same time, each with where these were played (`played` has that for each
    game): people of one name, who count as one. Simulated games are left out, as in standings."""
    games = sorted(played, key=lambda one: _posix(one[1].began))
    latest: dict[str, tuple[float, str]] = {}
    found: dict[str, tuple[str, set[str]]] = {}
    for where, game in games:
        for player in game.players:
            if game.simulated or not is_said(player.seat, player.name):
                continue
            person = same_name(player.name)
            ended_s, there = latest.get(person, (-math.inf, ""))
            if min(ended_s, _posix(game.ended)) - _posix(game.began) > AT_ONCE_S and there != where:
                found.setdefault(person, (player.name, set()))[1].update((there, where))
            latest[person] = max((ended_s, there), (_posix(game.ended), where))
    return {name: sorted(places, key=in_order) for name, places in found.values()}


def is_of_event(game: GameResultView, event: str) -> bool:
    """Whether a game counts for the event of this name, however either is typed; "": for none."""
    return same_name(game.event) == same_name(event)


def counted_once(told: Sequence[Sequence[GameResultView]]) -> list[list[GameResultView]]:
    """The games of several tables, each without those that an earlier one has, too: a copy of a table's folder has the
    games that were played before it was made."""
    seen: dict[tuple[object, ...], list[float]] = {}
    once: list[list[GameResultView]] = []
    for games in told:
        new = [game for game in games if not any(abs(lasted_s(game) - s) < SAME_S for s in seen.get(_alike(game), ()))]
        once.append(new)
        for game in new:
            if lasted_s(game) > 0:
                seen.setdefault(_alike(game), []).append(lasted_s(game))
    return once


def go_on(games: Sequence[GameResultView], before: Sequence[GameResultView]) -> bool:
    """Whether a table whose games were those `before` may have these now: all that were over, whoever is said to
    have played them or how they ended since, and the others gone on with."""
    told = [game for game in not_told_anew(before, games) if game.over and lasted_s(game) > 0]
    _, lost = counted_once([_unnamed(games), _unnamed(told)])
    return not lost and {game.number for game in before} <= {game.number for game in games}


def not_told_anew(before: Sequence[GameResultView], games: Sequence[GameResultView]) -> list[GameResultView]:
    """Those `before` that are not among `games` as they were gone on with: also after their end, which was taken back.
    What was copied or lost before a game's last play does not tell how it ended."""
    numbered = {game.number: game for game in games if game.identity}
    return [
        game
        for game in before
        if (now := numbered.get(game.number)) is None
        or (now.identity, now.game) != (game.identity, game.game)
        or lasted_s(now) <= lasted_s(game) - SAME_S
    ]


def _unnamed(games: Sequence[GameResultView]) -> list[GameResultView]:
    """The same without what may be said later: who played."""
    return [
        game.model_copy(update={"players": [player.model_copy(update={"name": ""}) for player in game.players]})
        for game in games
    ]


def is_same(game: GameResultView, other: GameResultView) -> bool:
    """Whether one of these is the other, or its copy, whatever clock tells when it was."""
    return _alike(game) == _alike(other) and abs(lasted_s(game) - lasted_s(other)) < SAME_S


def lasted_s(game: GameResultView) -> float:
    """How long it was played: to the millisecond no other game is as long."""
    return _posix(game.ended) - _posix(game.began)


def _alike(game: GameResultView) -> tuple[object, ...]:
    """What a game and its copy have alike, whatever clock tells when it was."""
    return game.number, game.game, game.over, tuple((player.seat, player.name, player.total) for player in game.players)


def _writing(entry: Entry, before: str) -> str:
    """Which start of the computer an entry was written in, by what the one before it was."""
    if entry.kind == "start":
        return str(entry.data.get("boot", ""))
    if entry.kind in (LOST, RECOVERED):  # the start may be what is lost; RECOVERED comes before its own
        return ""
    return before


def _posix(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


def _game(dated: Sequence[_Dated], number: int) -> _Game:
    """The game of this number, which the first entry begins."""
    ended = [one for one in dated if one.entry.kind in ("game", "play")][-1]
    return _Game(_result([one.entry for one in dated], ended.entry, number), dated[0], ended)


def _result(entries: Sequence[Entry], ended: Entry, number: int) -> GameResultView:
    """The result of the game of this number, which the first entry begins."""
    data = entries[0].data
    name = str(data.get("game", ""))
    outcome, problem, players = None, "", list[PlayerResultView]()
    try:
        players = _players(entries, None)
        record, points = played_of(entries)
        outcome = record.result
        players = _players(entries, outcome, points)
    except (GameError, KeyError, IndexError, TypeError, ValueError) as error:
        problem = str(error) if isinstance(error, GameError) else f"{type(error).__name__}: {error}"
    if outcome is not None and _gone_on(entries):
        outcome, players = None, _players(entries, None)
        problem = "it was gone on with after its end, and that was lost when the journal was damaged"
    elif outcome is None and entries[-1] not in counted(entries):
        problem = "what came after its first part was lost when the journal was damaged"
        players = _players(entries, None)
    return GameResultView(
        table=data.get("table", ""),
        event=data.get("event", ""),
        number=number,
        game=name,
        title=load_game(name).title if name in game_names() else name,
        began=entries[0].wall_time,
        ended=ended.wall_time,
        over=outcome is not None,
        players=players,
        problem=problem,
        doubt=TORN if outcome and _torn(entries) else "",
        simulated=data.get("simulated", False),
        identity=entries[0].wall_time,
    )


def _gone_on(entries: Sequence[Entry]) -> bool:
    """Whether a game was changed after its last change that counts."""
    last = max((entry.seq for entry in counted(entries) if entry.kind in _CHANGES), default=0)
    return any(entry.kind in _CHANGES and entry.seq > last for entry in set_aside(entries))


def _torn(entries: Sequence[Entry]) -> bool:
    """Whether something that came after a game's last play may be lost, while it could be taken back."""
    after = list(takewhile(lambda entry: entry.kind != "play", reversed(entries)))
    still = takewhile(lambda entry: entry.kind != "lobby", reversed(after))
    return any(entry.kind in (LOST, RECOVERED) for entry in still)


def _players(entries: Sequence[Entry], outcome: Result | None, points: Sequence[int] = ()) -> list[PlayerResultView]:
    """`points`: up to where the game goes on or was left; none where that is not known."""
    return [
        PlayerResultView(
            seat=seat,
            name=name,
            total=outcome.totals[player - 1] if outcome else None,
            won=bool(outcome and player in outcome.winners),
            so_far=points[player - 1] if points and not outcome else None,
        )
        for player, (seat, name) in enumerate(zip(entries[0].data["seats"], names_in(entries), strict=True), 1)
    ]
