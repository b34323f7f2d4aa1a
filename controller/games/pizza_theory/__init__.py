"""Pizza Theory: players add toppings, cut the Pizza at once and secretly, and the majority of each slice takes it over.

`GAME` is the engine; see `controller.game.Game`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from random import Random

from controller.game import Advice, Json, Option, Player, Refusal, Score, Turn
from controller.games.pizza_theory import advice, notation, positions, rules, showing
from controller.games.pizza_theory.components import Components, load_components
from controller.games.pizza_theory.rules import Move, State


class PizzaTheory:
    """The engine of Pizza Theory: a `Game`. Its pieces are read when they are first needed."""

    name = "pizza_theory"
    title = "Pizza Theory"
    player_counts = rules.PLAYER_COUNTS

    @cached_property
    def components(self) -> Components:
        """The packaged pieces."""
        return load_components()

    @property
    def option_list(self) -> tuple[Option, ...]:
        """See `rules.options_of`."""
        return rules.options_of(self.components)

    def start(self, players: int, options: Mapping[str, Json], first: Player = 1) -> State:
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
        return showing.view(state, viewer)

    def score(self, state: State) -> tuple[Score, ...]:
        return rules.score(state)

    def winners(self, state: State) -> tuple[Player, ...]:
        return rules.winners(state)

    def format(self, state: State, move: Move) -> str:
        return notation.format_move(move)

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


GAME = PizzaTheory()
