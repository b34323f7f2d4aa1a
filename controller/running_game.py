"""A game that is being played at a table: who sits where, and every state so far."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from controller.game import Actor, Game, Player
from controller.reading import Layout, Play
from controller.views import LogLine

MOVES_LOOKED_AT = 3000
"""Of the moves that a host may rule; where there are more, the host writes the one meant."""
_SPOKEN_OF = re.compile(r"\b[Pp]layer (\d)\b")


@dataclass(slots=True)
class RunningGame:
    """A running game; the lists grow by a play at a time, and shrink by one."""

    number: int
    """Which of the table's games it is, counted from 1."""
    engine: Game[Any, Any]
    seats: Mapping[Player, int]
    names: Mapping[Player, str]
    layout: Layout
    states: list[Any]
    """The one that it began with, and one after each play."""
    plays: list[LogLine] = field(default_factory=list)
    """Those that count."""
    log: list[LogLine] = field(default_factory=list)
    """What is shown: these, and a line for each that was taken back, when that was done."""
    moves: list[tuple[Any, ...]] = field(default_factory=list)
    """The moves of each play."""
    refused: set[str] = field(default_factory=set)
    """What was refused since the last play, or since one was taken back."""

    @property
    def state(self) -> Any:
        """How it stands now."""
        return self.states[-1]

    @property
    def over(self) -> bool:
        """Whether nobody is to act any more."""
        return self.engine.turn(self.state).actor is Actor.NOBODY

    def count(self, state: Any, moves: tuple[Any, ...], line: LogLine) -> None:
        """A play counts: its moves led to this state."""
        self.states.append(state)
        self.moves.append(moves)
        named = line.model_copy(update={"text": self.named(line.text)})
        self.plays.append(named)
        self.log.append(named)
        self.refused.clear()

    def take_back(self, seq: int, by: str) -> tuple[Any, ...]:
        """The last play counts no more, as the record `seq` says, of the host `by`; its moves."""
        self.states.pop()
        play = self.plays.pop()
        self.log.remove(play)
        self.refused.clear()
        self.log.append(LogLine(seq=seq, player=None, text=f"Taken back: {play.text}", source="undo", by=by))
        return self.moves.pop()

    def player_at(self, seat: int) -> Player | None:
        """Who sits there, if anybody plays there."""
        return next((player for player, taken in self.seats.items() if taken == seat), None)

    def rename(self, seat: int, name: str) -> None:
        """Who plays at this seat is called so from now on."""
        self.names = {player: name if self.seats[player] == seat else was for player, was in self.names.items()}

    def named(self, text: str) -> str:
        """Players' names in place of "Player 2"."""
        return with_names(text, self.names)

    def legal_moves(self, words: str, most: int) -> list[str]:
        """See `Commands.legal_moves`."""
        wanted = words.casefold().split()
        texts = (
            self.engine.format(self.state, move) for move in islice(self.engine.legal(self.state), MOVES_LOOKED_AT)
        )
        return list(islice((text for text in texts if all(word in text.casefold() for word in wanted)), most))

    def notation(self, play: Play) -> list[str]:
        """The moves of a play that could be made now, as the game writes them."""
        state, texts = self.state, []
        for move in play.moves:
            texts.append(self.engine.format(state, move))
            state = self.engine.apply(state, move)
        return texts


def with_names(text: str, names: Mapping[Player, str]) -> str:
    """Players' names in place of "Player 2"."""
    return _SPOKEN_OF.sub(lambda found: names.get(int(found[1]), found[0]), text)


def spoken_of(text: str) -> list[Player]:
    """The players in whose place names are put."""
    return [int(number) for number in _SPOKEN_OF.findall(text)]
