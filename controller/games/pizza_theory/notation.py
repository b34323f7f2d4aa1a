"""Moves of Pizza Theory as short text, and states and moves as JSON.

A space is named by a letter and a number, read off the board with its "1st" towards the reader: the six lines of the
1st part the board into columns, a to g from left to right (a left of line 1, b between the lines 1 and 2, g right of
line 6), and the spaces of a column are counted away from the reader, 1 nearest. So d1 is the corner at "1st", d4 the
centre, a4 the corner at "2nd" and g4 that at "3rd". The names are printed nowhere and turn with the board: a topping
keeps its name when the Pizza is rotated. The moves:

    P1 adds d4
    P1 passes       (no available space; or no empty space touches the cutter of the unselected color)
    die 4           (two players: the unselected color's die)
    P1 places d4    (two players: the unselected color's topping)
    P1 cuts 5
    P1 replaces
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from controller.game import IllegalMove, Json, NotationError, OptionError
from controller.games import values
from controller.games.pizza_theory import positions, rules
from controller.games.pizza_theory.components import Components
from controller.games.pizza_theory.rules import Add, Cut, Move, Options, Pass, Place, Replace, Roll, State

_KINDS: dict[str, type] = {
    "add": Add,
    "pass": Pass,
    "roll": Roll,
    "place": Place,
    "cut": Cut,
    "replace": Replace,
}


def format_move(state: State, move: Move) -> str:  # noqa: ARG001
    """Short notation of a move."""
    match move:
        case Add(player, space):
            return f"P{player} adds {space}"
        case Pass(player):
            return f"P{player} passes"
        case Roll(number):
            return f"die {number}"
        case Place(player, space):
            return f"P{player} places {space}"
        case Cut(player, number):
            return f"P{player} cuts {number}"
        case Replace(player):
            return f"P{player} replaces"


def parse_move(state: State, text: str) -> Move:
    """The legal move that the notation names. Raises NotationError for other text, IllegalMove for a move that the
    rules refuse."""
    build, found = values.find_form(_FORMS, text, "'P1 adds d4', 'P1 cuts 5' or 'die 4'")
    move: Move = build(found)
    refused = rules.refusal(state, move)
    if refused is not None:
        raise IllegalMove(refused)
    return move


def encode_move(move: Move) -> Json:
    """The move as JSON; `move` names its kind."""
    return values.encode_move(_KINDS, move)


def decode_move(data: Json) -> Move:
    """The move of that JSON. Raises NotationError that names the key, the value and what was expected."""
    move: Move = values.decode_move(_KINDS, data)
    return move


def encode_state(state: State) -> Json:
    """The state as JSON; of the components only what this copy shows otherwise."""
    own = {name: json.loads(text) for name, text in state.options.components.own}
    options = {field.name: values.encode(getattr(state.options, field.name)) for field in fields(Options)[1:]}
    plain = {field.name: values.encode(getattr(state, field.name)) for field in fields(State)}
    return plain | {"options": {**options, "components": own}}


def decode_state(components: Components, data: Json) -> State:
    """The state of that JSON. Raises NotationError that names the key, the value and what was expected."""

    def options(entry: Json) -> Options:
        expected = [field.name for field in fields(Options)]
        if not isinstance(entry, Mapping) or sorted(entry, key=str) != sorted(expected):
            raise NotationError(f"state.options: {entry!r} is no object with {', '.join(expected)}")
        try:
            return rules.parse_options(components, entry)
        except OptionError as error:
            raise NotationError(f"state.options: {error}") from error

    state: State = values.decode_fields(State, data, "state", {"options": options})
    for index, spaces in enumerate(state.toppings):
        if list(data["toppings"][index]) != values.encode(spaces):
            raise NotationError(f"state.toppings[{index}]: {data['toppings'][index]!r} is not in order, each once")
    problem = positions.find_problem(state)
    if problem is not None:
        place = "" if problem.colour is None else f"[{problem.colour}]"
        raise NotationError(f"state.{problem.field}{place}: {problem.value!r} {problem.expected}")
    return state


_PLAYER = r"P(?P<player>\d{1,3}) "
_SPACE = r" (?P<space>[a-z][a-z0-9]*)"
_FORMS: tuple[tuple[str, Callable[[re.Match[str]], Any]], ...] = (
    (_PLAYER + "adds" + _SPACE, lambda m: Add(int(m["player"]), m["space"])),
    (_PLAYER + "passes", lambda m: Pass(int(m["player"]))),
    (r"die (?P<number>\d{1,3})", lambda m: Roll(int(m["number"]))),
    (_PLAYER + "places" + _SPACE, lambda m: Place(int(m["player"]), m["space"])),
    (_PLAYER + r"cuts (?P<number>\d{1,3})", lambda m: Cut(int(m["player"]), int(m["number"]))),
    (_PLAYER + "replaces", lambda m: Replace(int(m["player"]))),
)
