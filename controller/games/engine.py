"""A game's engine, made of the modules in its folder: a function of theirs for every call of `controller.game.Game`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Generic, Protocol, TypeVar

from controller.game import Advice, Json, Move, Option, OptionError, Player, Refusal, Score, State, Turn
from controller.games.facts import ComponentError

Components = TypeVar("Components")
Known = TypeVar("Known", contravariant=True)
"""A state, or components, that a part of a game only reads."""


class Playing(Protocol[State, Move]):
    """How a game goes on: `rules.py`, or a module in front of it."""

    def turn(self, state: State) -> Turn: ...
    def legal(self, state: State) -> Iterator[Move]: ...
    def refusal(self, state: State, move: Move) -> Refusal | None: ...
    def apply(self, state: State, move: Move) -> State: ...
    def draw(self, state: State, random: Random) -> Move: ...


class Rules(Protocol[State, Known]):
    """How a game begins and what it brings: `rules.py`."""

    def start(self, components: Known, players: int, options: Mapping[str, Json], first: Player = 1) -> State: ...
    def score(self, state: State) -> tuple[Score, ...]: ...
    def winners(self, state: State) -> tuple[Player, ...]: ...


class Notation(Protocol[State, Move, Known]):
    """States and moves as text and JSON: `notation.py`."""

    def format_move(self, state: State, move: Move) -> str: ...
    def parse_move(self, state: State, text: str) -> Move: ...
    def encode_move(self, move: Move) -> Json: ...
    def decode_move(self, data: Json) -> Move: ...
    def encode_state(self, state: State) -> Json: ...
    def decode_state(self, components: Known, data: Json) -> State: ...


class Positions(Protocol[State]):
    """States as people describe them: `positions.py`."""

    def position(self, state: State) -> Json: ...
    def setup(self, start: State, described: Json) -> State: ...


class Showing(Protocol[State]):
    """What each viewer may know: `showing.py`."""

    def view(self, state: State, viewer: Player | None) -> Json: ...
    def determinize(self, state: State, viewer: Player | None, random: Random) -> State: ...


class Adviser(Protocol[Known]):
    """Moves ranked with their reasons: `advice.py`."""

    def advise(self, state: Known, player: Player) -> Sequence[Advice]: ...


@dataclass(eq=False)
class Engine(Generic[State, Move, Components]):
    """A `controller.game.Game`. Its pieces are read when they are first needed."""

    name: str
    title: str
    player_counts: range
    options: Callable[[Components], tuple[Option, ...]]
    """The options of a copy with these pieces."""
    load_components: Callable[[], Components]
    """Reads the packaged pieces. Raises ComponentError."""
    load_own: Callable[[Path], Json]
    """Reads the option `components` from an owner's file. Raises ComponentError."""
    playing: Playing[State, Move]
    rules: Rules[State, Components]
    notation: Notation[State, Move, Components]
    positions: Positions[State]
    showing: Showing[State]
    adviser: Adviser[State]

    @cached_property
    def components(self) -> Components:
        """The packaged pieces."""
        return self.load_components()

    @property
    def option_list(self) -> tuple[Option, ...]:
        return self.options(self.components)

    def start(self, players: int, options: Mapping[str, Json], first: Player = 1) -> State:
        """See `rules.start`. The option `components` may also be the path of a file, see `load_own`."""
        own = options.get("components")
        try:
            if isinstance(own, str):
                options = {**options, "components": self.load_own(Path(own))}
            return self.rules.start(self.components, players, options, first)
        except ComponentError as error:
            raise OptionError(str(error)) from error

    def turn(self, state: State) -> Turn:
        return self.playing.turn(state)

    def legal(self, state: State) -> Iterator[Move]:
        return self.playing.legal(state)

    def refusal(self, state: State, move: Move) -> Refusal | None:
        return self.playing.refusal(state, move)

    def apply(self, state: State, move: Move) -> State:
        return self.playing.apply(state, move)

    def draw(self, state: State, random: Random) -> Move:
        return self.playing.draw(state, random)

    def view(self, state: State, viewer: Player | None) -> Json:
        return self.showing.view(state, viewer)

    def score(self, state: State) -> tuple[Score, ...]:
        return self.rules.score(state)

    def winners(self, state: State) -> tuple[Player, ...]:
        return self.rules.winners(state)

    def format(self, state: State, move: Move) -> str:
        return self.notation.format_move(state, move)

    def parse(self, state: State, text: str) -> Move:
        return self.notation.parse_move(state, text)

    def encode_move(self, move: Move) -> Json:
        return self.notation.encode_move(move)

    def decode_move(self, data: Json) -> Move:
        return self.notation.decode_move(data)

    def encode_state(self, state: State) -> Json:
        return self.notation.encode_state(state)

    def decode_state(self, data: Json) -> State:
        return self.notation.decode_state(self.components, data)

    def position(self, state: State) -> Json:
        return self.positions.position(state)

    def setup(self, players: int, options: Mapping[str, Json], position: Json) -> State:
        return self.positions.setup(self.start(players, options), position)

    def determinize(self, state: State, viewer: Player | None, random: Random) -> State:
        return self.showing.determinize(state, viewer, random)

    def advise(self, state: State, player: Player) -> Sequence[Advice]:
        return self.adviser.advise(state, player)
