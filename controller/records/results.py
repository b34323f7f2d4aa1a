"""How the games in a journal ended."""

import threading
from collections.abc import Callable, Sequence

from controller.game import GameError
from controller.games.registry import load_game
from controller.journal import LOST, counted
from controller.journal import Record as Entry
from controller.records.journalled import names_in, record_of
from controller.views import GameResultView, PlayerResultView, ResultsView, StandingView


class Results:
    """The games of one journal. Asked again, only what is new is looked at. Ask from any thread."""

    def __init__(self, entries_after: Callable[[int], Sequence[Entry]]) -> None:
        """`entries_after` gives the journal's entries after a sequence number."""
        self._entries_after = entries_after
        self._asking = threading.Lock()
        self._last = 0
        self._before: list[GameResultView] = []
        """Those that another followed: nothing is added to them."""
        self._newest: list[Entry] = []

    def read(self) -> ResultsView:
        """Every game, the earliest first. Raises JournalError."""
        with self._asking:
            for entry in self._entries_after(self._last):
                self._last = entry.seq
                if entry.kind == "game" or (entry.kind == LOST and entry.game == entry.seq):
                    self._before += self._newest_result()
                    self._newest = [entry] if entry.kind == "game" else []
                elif self._newest:
                    self._newest.append(entry)
            games = [*self._before, *self._newest_result()]
            return ResultsView(games=games, standings=standings(games))

    def _newest_result(self) -> list[GameResultView]:
        return [_result(self._newest)] if self._newest else []


def standings(games: Sequence[GameResultView]) -> list[StandingView]:
    """See `ResultsView.standings`."""
    played: dict[str, list[bool]] = {}
    for game in games:
        for player in game.players:
            if game.over:
                played.setdefault(player.name, []).append(player.won)
    standing = [StandingView(name=name, won=sum(won), played=len(won)) for name, won in played.items()]
    return sorted(standing, key=lambda one: (-one.won, one.played, one.name))


def _result(entries: Sequence[Entry]) -> GameResultView:
    """The result of the game that the first entry begins."""
    data = entries[0].data
    outcome, problem = None, ""
    try:
        outcome = record_of(entries, entries[0].seq).result
    except (GameError, KeyError, IndexError, TypeError, ValueError) as error:
        problem = f"{type(error).__name__}: {error}"
    if outcome is None and entries[-1] not in counted(entries):
        problem = "what came after its first part was lost when the journal was damaged"
    return GameResultView(
        table=data.get("table", ""),
        event=data.get("event", ""),
        number=entries[0].seq,
        game=data["game"],
        title=load_game(data["game"]).title,
        began=entries[0].wall_time,
        ended=[entry.wall_time for entry in entries if entry.kind in ("game", "play")][-1],
        over=outcome is not None,
        players=[
            PlayerResultView(
                seat=seat,
                name=name,
                total=outcome.totals[player - 1] if outcome else None,
                won=bool(outcome and player in outcome.winners),
            )
            for player, (seat, name) in enumerate(zip(data["seats"], names_in(entries), strict=True), 1)
        ],
        problem=problem,
    )
