"""Situations of Pizza Theory to start tests from."""

from random import Random
from typing import Any

from controller.game import Actor, Json, Refusal
from controller.games.pizza_theory import GAME
from controller.games.pizza_theory.rules import Move, State

EXAMPLE: dict[str, Any] = {
    "phase": "replace",
    "cuts": {"red": 5, "green": 6, "white": 4},
    "toppings": {
        "red": ["a2", "a4", "f5", "f1", "f3", "g2", "a1"],
        "green": ["b4", "c5", "b2", "f2", "b1"],
        "white": ["d6", "d2", "e3", "g4", "d1"],
    },
}
"""The rule text's example, on our board: its cuts, and toppings with its results for the slices A to E."""
EXAMPLE_SLICES = {
    "A": "a2 a3 a4 b3 b4 b5 c4 c5 c6 d5 d6 d7 e5 e6",
    "B": "f5",
    "C": "b2 c2 c3 d2 d3 d4 e1 e2 e3 e4",
    "D": "f1 f2 f3 f4 g1 g2 g3 g4",
    "E": "a1 b1 c1 d1",
}


def at(players: int = 3, options: dict[str, Json] | None = None, **position: Json) -> State:
    """A described position."""
    return GAME.setup(players, options or {}, position)


def toppings(red: str = "", green: str = "", white: str = "") -> Json:
    """The toppings of a position, spaces between their names."""
    return {"red": red.split(), "green": green.split(), "white": white.split()}


def play(state: State, *texts: str) -> State:
    """The state after some moves in notation."""
    for text in texts:
        state = GAME.apply(state, GAME.parse(state, text))
    return state


def refused(state: State, move: Move) -> Refusal:
    """The refusal of a move that must be illegal."""
    refusal = GAME.refusal(state, move)
    assert refusal is not None, f"{move} is legal"
    assert refusal.remedy
    return refusal


def legal(state: State, move: Move) -> bool:
    return GAME.refusal(state, move) is None


def random_game(players: int, seed: int, **options: Json) -> list[State]:
    """Every state of a game played at random."""
    random = Random(seed)
    state = GAME.start(players, options, random.randint(1, players))
    states = [state]
    while GAME.turn(state).actor is not Actor.NOBODY:
        state = GAME.apply(state, random.choice(list(GAME.legal(state))))
        states.append(state)
    return states
