"""Pizza Theory: players add toppings, cut the Pizza at once and secretly, and the majority of each slice takes it over.

`GAME` is the engine; see `controller.game.Game`.
"""

from controller.games.engine import Engine
from controller.games.facts import load_own
from controller.games.pizza_theory import advice, notation, positions, rules, showing
from controller.games.pizza_theory.components import Components, load_components
from controller.games.pizza_theory.rules import Move, State

GAME: Engine[State, Move, Components] = Engine(
    name="pizza_theory",
    title="Pizza Theory",
    player_counts=rules.PLAYER_COUNTS,
    options=rules.options_of,
    load_components=load_components,
    load_own=load_own,
    playing=rules,
    rules=rules,
    notation=notation,
    positions=positions,
    showing=showing,
    adviser=advice,
)
