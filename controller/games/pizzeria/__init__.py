"""Pizzeria: a player slices a pizza, everybody chooses a portion, and eats or saves its slices.

`GAME` is the engine; see `controller.game.Game`.
"""

from controller.games.engine import Engine
from controller.games.pizzeria import advice, notation, positions, rules, showing, solo
from controller.games.pizzeria.components import PLAYER_COUNTS, Components, load_components, load_own_facts
from controller.games.pizzeria.rules import Move, State

GAME: Engine[State, Move, Components] = Engine(
    name="pizzeria",
    title="Pizzeria",
    player_counts=PLAYER_COUNTS,
    options=lambda _: rules.OPTIONS,
    load_components=load_components,
    load_own=load_own_facts,
    playing=solo,
    rules=rules,
    notation=notation,
    positions=positions,
    showing=showing,
    adviser=advice,
)
"""One person plays with two players and the option `solo`, against the House as player 2 (see `solo`)."""
