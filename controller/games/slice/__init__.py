"""SLICE: who slaps the open card first swaps it into the own pizza; three finished pizzas win.

`GAME` is the engine; see `controller.game.Game`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from random import Random

from controller.game import Advice, Json, Option, OptionError, Player, Refusal, Score, Turn
from controller.games.facts import ComponentError
from controller.games.slice import advice, notation, rules, showing
from controller.games.slice import position as positions
from controller.games.slice.components import Components, load_components, load_own_cards
from controller.games.slice.rules import OPTION_LIST, PLAYER_COUNTS, Move, State


class Slice:
    """The engine of SLICE: a `Game`. Its cards are read when they are first needed."""

    name = "slice"
    title = "SLICE"
    player_counts = PLAYER_COUNTS
    option_list: tuple[Option, ...] = OPTION_LIST

    @cached_property
    def components(self) -> Components:
        """The packaged cards."""
        return load_components()

    def start(self, players: int, options: Mapping[str, Json], first: Player = 1) -> State:
        """See `rules.start`. The option `components` may also be the path of a file, see `load_own_cards`."""
        packaged, own = self.components, options.get("components")
        try:
            if isinstance(own, str):
                options = {**options, "components": load_own_cards(Path(own))}
            return rules.start(packaged, players, options, first)
        except ComponentError as error:
            raise OptionError(str(error)) from error

    def setup(self, players: int, options: Mapping[str, Json], position: Json) -> State:
        return positions.setup(self.start(players, options), position)

    def position(self, state: State) -> Json:
        return positions.position(state)

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

    def determinize(self, state: State, viewer: Player | None, random: Random) -> State:
        return rules.determinize(state, viewer, random)

    def view(self, state: State, viewer: Player | None) -> Json:
        return showing.view(state, viewer)

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

    def advise(self, state: State, player: Player) -> Sequence[Advice]:
        return advice.advise(state, player)


GAME = Slice()
