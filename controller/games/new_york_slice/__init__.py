"""New York Slice: the Slicer divides a pizza, everybody chooses a portion, and eats or collects its slices.

`GAME` is the engine; see `controller.game.Game`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from random import Random

from controller.game import Advice, Json, Option, OptionError, Player, Refusal, Score, Turn
from controller.games.facts import ComponentError
from controller.games.new_york_slice import advice, notation, positions, rules, showing
from controller.games.new_york_slice.components import PLAYER_COUNTS, Components, load_components, load_own_facts
from controller.games.new_york_slice.rules import Move, State


class NewYorkSlice:
    """The engine of New York Slice: a `Game`. Its pieces are read when they are first needed."""

    name = "new_york_slice"
    title = "New York Slice"
    player_counts = PLAYER_COUNTS
    option_list: tuple[Option, ...] = rules.OPTIONS

    @cached_property
    def components(self) -> Components:
        """The packaged pieces."""
        return load_components()

    def start(self, players: int, options: Mapping[str, Json], first: Player = 1) -> State:
        """See `rules.start`. The option `components` may also be the path of a file, see `load_own_facts`."""
        packaged, own = self.components, options.get("components")
        try:
            if isinstance(own, str):
                options = {**options, "components": load_own_facts(Path(own))}
            return rules.start(packaged, players, options, first)
        except ComponentError as error:
            raise OptionError(str(error)) from error

    def turn(self, state: State) -> Turn:
        return rules.turn(state)

    def legal(self, state: State) -> Iterator[Move]:
        return rules.legal(state)

    def refusal(self, state: State, move: Move) -> Refusal | None:
        return rules.refusal(state, move)

    def apply(self, state: State, move: Move) -> State:
        return rules.apply(state, move)

    def draw(self, state: State, random: Random) -> Move:
        return rules.draw(state, random)

    def view(self, state: State, viewer: Player | None) -> Json:
        """The same for every viewer: nobody may know more than the others."""
        return showing.view(state)

    def score(self, state: State) -> tuple[Score, ...]:
        return rules.score(state)

    def winners(self, state: State) -> tuple[Player, ...]:
        return rules.winners(state)

    def format(self, state: State, move: Move) -> str:
        return notation.format_move(state, move)

    def parse(self, state: State, text: str) -> Move:
        return notation.parse_move(state, text)

    def encode_move(self, move: Move) -> Json:
        return notation.encode_move(move)

    def decode_move(self, data: Json) -> Move:
        return notation.decode_move(data)

    def encode_state(self, state: State) -> Json:
        return notation.encode_state(state)

    def decode_state(self, data: Json) -> State:
        return notation.decode_state(self.components, data)

    def position(self, state: State) -> Json:
        return positions.position(state)

    def setup(self, players: int, options: Mapping[str, Json], position: Json) -> State:
        return positions.setup(self.start(players, options), position)

    def determinize(self, state: State, viewer: Player | None, random: Random) -> State:
        return showing.determinize(state, viewer, random)

    def advise(self, state: State, player: Player) -> Sequence[Advice]:
        return advice.advise(state, player)


GAME = NewYorkSlice()
