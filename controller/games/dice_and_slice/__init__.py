"""Dice and Slice: all mark the dots of the dice on their own sheets, and slice a pizza into rectangles.

`GAME` is the engine; see `controller.game.Game`.
"""

from controller.games.dice_and_slice import advice, notation, positions, rules, showing
from controller.games.dice_and_slice.components import PLAYER_COUNTS, Components, load_components
from controller.games.dice_and_slice.rules import Move, State
from controller.games.engine import Engine
from controller.games.facts import load_own

GAME: Engine[State, Move, Components] = Engine(
    name="dice_and_slice",
    title="Dice and Slice",
    player_counts=PLAYER_COUNTS,
    options=lambda _: rules.OPTIONS,
    load_components=load_components,
    load_own=load_own,
    playing=rules,
    rules=rules,
    notation=notation,
    positions=positions,
    showing=showing,
    adviser=advice,
)
