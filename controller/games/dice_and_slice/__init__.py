"""Dice and Slice: all mark the dots of the dice on their own sheets, and slice a pizza into rectangles.

`GAME` is the engine; see `controller.game.Game`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from random import Random

from controller.game import Advice, Json, Option, OptionError, Player, Refusal, Score, Turn
from controller.games.dice_and_slice import advice, notation, positions, rules, showing
from controller.games.dice_and_slice.components import PLAYER_COUNTS, Components, load_components, load_own_facts
from controller.games.dice_and_slice.rules import Move, State
from controller.games.facts import ComponentError


class DiceAndSlice:
    """The engine of Dice and Slice: a `Game`. Its pieces are read when they are first needed."""

    name = "dice_and_slice"
    title = "Dice and Slice"
    player_counts = PLAYER_COUNTS
    option_list: tuple[Option, ...] = rules.OPTIONS

    @cached_property
    def components(self) -> Components:
        """The packaged pieces."""
        return load_components()

    def start(self, players: int, options: Mapping[str, Json], first: Player = 1) -> State:
        """See `rules.start`. The option `components` may also be the path of a file, see `load_own_facts`."""
        own = options.get("components")
        if isinstance(own, str):
            try:
                options = {**options, "components": load_own_facts(Path(own))}
            except ComponentError as error:
                raise OptionError(f"option components: {error}") from error
        return rules.start(self.components, players, options, first)

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
        """The same for every viewer: all sheets lie open."""
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
        """The state itself: there is nothing that anybody may not know."""
        return state

    def advise(self, state: State, player: Player) -> Sequence[Advice]:
        return advice.advise(state, player)


GAME = DiceAndSlice()
