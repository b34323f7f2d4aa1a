"""What a game is: the interface every rules engine offers.

Players are numbered 1 upwards in clockwise order ("to the left" is the next number). Which of the table's seats a
player sits at is the table's business. States and moves are immutable values. Chance is a move too: it is seen,
typed or drawn, and replay calls no random number generator.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Any, Protocol, TypeVar

Player = int
"""1 upwards, clockwise."""
Json = Any
"""A value that json.dumps takes and json.loads gives back equal."""


class GameError(Exception):
    """Root of what an engine raises."""


class IllegalMove(GameError, ValueError):
    """A move that the rules do not allow; carries the refusal."""

    def __init__(self, refusal: "Refusal") -> None:
        super().__init__(f"{refusal.heading}: {refusal.problem} {refusal.remedy}")
        self.refusal = refusal


class NotationError(GameError, ValueError):
    """Text that is no move at all, or that fits none or several legal moves; quotes the text."""


class OptionError(GameError, ValueError):
    """A game that cannot be started so; names the option, its value and what was expected."""


class PositionError(GameError, ValueError):
    """A described position that cannot be; names the key's path, the value and what was expected."""


class Actor(Enum):
    """Who the game waits for."""

    PLAYERS = "players"
    CHANCE = "chance"
    NOBODY = "nobody"
    """The game is over."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Who acts next and what they do, in a player's words."""

    actor: Actor
    players: tuple[Player, ...]
    """Those who may or must act now, the one who must first; empty for chance and at the end."""
    prompt: str
    """One short line for the display, such as "Player 2 divides the pizza into 4 portions"."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a move is not allowed, in a player's words."""

    heading: str
    """The heading in the rule text under which the broken rule stands."""
    problem: str
    """What is wrong."""
    remedy: str
    """How to put it right."""
    pieces: tuple[str, ...] = ()
    """Faces of the pieces it is about."""


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of a player's score sheet."""

    label: str
    points: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """One player's score, line by line."""

    player: Player
    lines: tuple[ScoreLine, ...]
    total: int
    tie_break: tuple[int, ...] = ()
    """Compared in order, higher wins, when totals are equal."""


@dataclass(frozen=True, slots=True)
class Advice:
    """One move with what it is expected to bring and why."""

    move: Any
    value: float
    """Expected final margin over the best opponent, in points, from the acting player's side."""
    reason: str


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that tables play differently, or that is particular to a copy of the game."""

    name: str
    default: Json
    meaning: str
    """What the value says, in a player's words, in one line."""
    choices: tuple[Json, ...] = ()
    """The values it takes; empty where `meaning` says what they look like."""


State = TypeVar("State")
Move = TypeVar("Move")


class Game(Protocol[State, Move]):
    """A rules engine. `tests/controller/games/test_conformance.py` holds every engine to what is said here.

    States and moves are immutable, hashable, and equal exactly when they mean the same. A move that is no chance
    outcome says whose it is in `player`, unless only one player can make it. Every game ends, however it is played.
    """

    name: str
    """The folder's name, such as new_york_slice."""
    title: str
    player_counts: range

    @property
    def option_list(self) -> tuple[Option, ...]:
        """Every option that `start` knows."""
        ...

    def start(self, players: int, options: Mapping[str, Json], first: Player = 1) -> State:
        """The state before the first move; `first` is who begins. Options left out have their default. Raises
        OptionError for one it does not know or a wrong value, players and first player included."""
        ...

    def turn(self, state: State) -> Turn: ...

    def legal(self, state: State) -> Iterator[Move]:
        """Every legal move once, lazily, of all players who may act now. For chance, where outcomes are too many to
        list, nothing: use `draw`."""
        ...

    def refusal(self, state: State, move: Move) -> Refusal | None:
        """None exactly when the move is legal (chance outcomes included); otherwise why not. Raises nothing, however
        absurd the move is: places, pieces and players that there are not."""
        ...

    def apply(self, state: State, move: Move) -> State:
        """The state after a legal move. Raises IllegalMove for any other."""
        ...

    def draw(self, state: State, random: Random) -> Move:
        """A chance outcome, drawn. Only where chance acts."""
        ...

    def view(self, state: State, viewer: Player | None) -> Json:
        """All that this player (None: a spectator) may know."""
        ...

    def score(self, state: State) -> tuple[Score, ...]:
        """Every player's score as if the game ended now."""
        ...

    def winners(self, state: State) -> tuple[Player, ...]:
        """Who won; several share; empty while the game goes on, and where nobody wins."""
        ...

    def format(self, state: State, move: Move) -> str:
        """Short notation of a legal move: one line that a person can read and write, without any of ; { } # and not
        beginning with a digit."""
        ...

    def parse(self, state: State, text: str) -> Move:
        """The legal move that the notation names. Raises NotationError or IllegalMove, quoting the text."""
        ...

    def encode_move(self, move: Move) -> Json: ...

    def decode_move(self, data: Json) -> Move:
        """Raises NotationError that names the key, the value and what was expected."""
        ...

    def encode_state(self, state: State) -> Json: ...

    def decode_state(self, data: Json) -> State:
        """Raises NotationError that names the key, the value and what was expected."""
        ...

    def position(self, state: State) -> Json:
        """The state as a person would describe it by hand: holdings, sheets, round, whose turn. What is as at the start
        of a game may be left out."""
        ...

    def setup(self, players: int, options: Mapping[str, Json], position: Json) -> State:
        """The state that a described position means; `{}` is the start, and `setup(players, options,
        position(state))` is the state again. Raises PositionError for what is no position of this game."""
        ...

    def determinize(self, state: State, viewer: Player | None, random: Random) -> State:
        """A state drawn from all those that this player (None: a spectator) cannot tell from this one."""
        ...

    def advise(self, state: State, player: Player) -> Sequence[Advice]:
        """Moves of this player ranked best first (at most a dozen), each with its reason in one line, from what this
        player may know. None where the player does best to let others act."""
        ...
