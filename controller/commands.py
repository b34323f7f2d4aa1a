"""What a host may ask of a table: the table implements it, the HTTP API calls it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from controller.choosing import Choice, Offer
from controller.game import Json


class CommandError(Exception):
    """The table refuses a command now; the message says why and what would be accepted (HTTP 409)."""


class InvalidCommand(CommandError, ValueError):
    """The command makes no sense at any time; the message names the value and what was expected (HTTP 422)."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """Who sits where."""

    seat: int
    """The table's seat, 1 upwards clockwise from the picture's lower edge."""
    name: str


class Commands(Protocol):
    """A table as its host sees it. Everything raises CommandError when it is refused.

    There may be several hosts. `by` is the name of the one who asks, for the journal; empty where it was not said.
    `number` is that of the game that this one sees, 0 for none, and `last` that of the newest line of its log, 0 for
    none: where another game has begun, or another host was faster, what is asked is refused. None: whatever is there.
    """

    async def answer(self, question_id: int, candidate_id: int, *, by: str = "") -> None:
        """The players say which candidate of the open question they meant."""
        ...

    async def undo(self, *, by: str = "", number: int | None = None, last: int | None = None) -> None:
        """Take the last move back."""
        ...

    async def pause(self) -> None:
        """Judge nothing until `resume`."""
        ...

    async def resume(self) -> None: ...

    async def new_game(
        self,
        players: Sequence[Sitting],
        options: Mapping[str, Json],
        *,
        first: int | None = None,
        by: str = "",
        number: int | None = None,
    ) -> None:
        """End this game and start another with these players, in clockwise order, each of another name. Who sits at the
        seat `first` begins; None: who held a button down for it, else who won the last game, else who sits at the
        lowest seat. An option may be what its default is: a file's name, in place of a table of facts, is only for the
        settings to give."""
        ...

    async def rename(self, players: Sequence[Sitting], *, by: str = "", number: int | None = None) -> None:
        """Whoever plays at these seats is called so from now on; all at once, as two may swap their names."""
        ...

    async def rule_move(self, text: str, *, by: str = "", number: int | None = None, last: int | None = None) -> None:
        """The host rules that this move, in the game's notation, was made."""
        ...

    def legal_moves(self, words: str, most: int) -> Sequence[str]:
        """At most so many of the moves that may be made now, in the game's notation: those with all of these words."""
        ...


class GameShelf(Protocol):
    """The games that can be played at a table, as its host sees them."""

    @property
    def playing(self) -> Choice:
        """What is played now."""
        ...

    @property
    def simulated(self) -> bool:
        """Whether people are simulated, and their number can be chosen."""
        ...

    async def offers(self) -> Sequence[Offer]:
        """All games, with the options that they would be played with."""
        ...

    async def play(self, game: str, options: Mapping[str, Json], players: int | None) -> None:
        """Set the table for this game, with these options, as in `Commands.new_game`, beside the usual ones. Raises
        InvalidCommand."""
        ...
