"""New York Slice: the Slicer divides a pizza, everybody chooses a portion, and eats or collects its slices.

`GAME` is the engine; see `controller.game.Game`.
"""

from controller.games.engine import Engine
from controller.games.new_york_slice import advice, notation, positions, rules, showing
from controller.games.new_york_slice.components import PLAYER_COUNTS, Components, load_components, load_own_facts
from controller.games.new_york_slice.rules import Move, State

GAME: Engine[State, Move, Components] = Engine(
    name="new_york_slice",
    title="New York Slice",
    player_counts=PLAYER_COUNTS,
    options=lambda _: rules.OPTIONS,
    load_components=load_components,
    load_own=load_own_facts,
    playing=rules,
    rules=rules,
    notation=notation,
    positions=positions,
    showing=showing,
    adviser=advice,
)
