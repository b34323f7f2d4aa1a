"""SLICE: who slaps the open card first swaps it into the own pizza; three finished pizzas win.

`GAME` is the engine; see `controller.game.Game`.
"""

from controller.games.engine import Engine
from controller.games.facts import load_own
from controller.games.slice import advice, notation, position, rules, showing
from controller.games.slice.components import Components, load_components
from controller.games.slice.rules import Move, State

GAME: Engine[State, Move, Components] = Engine(
    name="slice",
    title="SLICE",
    player_counts=rules.PLAYER_COUNTS,
    options=lambda _: rules.OPTION_LIST,
    load_components=load_components,
    load_own=load_own,
    playing=rules,
    rules=rules,
    notation=notation,
    positions=position,
    showing=showing,
    adviser=advice,
)
