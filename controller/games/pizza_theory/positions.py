"""A position of Pizza Theory as a person writes it by hand, the state that it means, and whether it can be.

What is left out is as at the start of a game, so `{}` is the start. An example, two players with red and green, white
unselected, before the second player's cut:

    {"first": 2, "round": 3, "phase": "cut", "cuts": {"white": 4, "red": 2},
     "toppings": {"red": ["a1", "c2", "e2", "d5"], "green": ["b3", "c5"], "white": ["e5", "f3", "d1"]}}

`first` is who was first in round 1; who is first in `round` follows. `next` is who adds a topping next, left out it is
the first player of the round. `cuts` are the numbers on the dice, those still hidden included. A colour that is not
among `toppings` has those of its start.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from controller.game import Json
from controller.games.described import Described
from controller.games.pizza_theory import rules
from controller.games.pizza_theory.rules import COLOURS, PLAYER_COUNTS, UNSELECTED, Phase, State

_KEYS = ("first", "round", "phase", "next", "toppings", "cuts")
_MOST_ROUNDS = 1_000_000
_TWO_PLAYERS_ONLY = (Phase.ROLL, Phase.UNSELECTED)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a state cannot be one of this game."""

    field: str
    """The field of the state."""
    colour: int | None
    """The colour it is about, counted from 0, where the field has an entry for each."""
    value: Json
    expected: str
    """Such as "is no space of the board": what follows the value in an error."""


def position(state: State) -> dict[str, Json]:
    """The state as a position: only what differs from the start of a game."""
    start = rules.opening(state.players, state.options, state.first)
    colours = state.options.colours
    waiting = state.phase is Phase.ADD and state.order != rules.turn_order(state)
    described: dict[str, Any] = {
        "first": state.first if state.first != 1 else None,
        "round": state.round if state.round != 1 else None,
        "phase": state.phase.value if state.phase is not Phase.ADD else None,
        "next": state.order[0] if waiting else None,
        "toppings": {
            name: [space for space in state.options.components.spaces if space in spaces]
            for name, spaces, before in zip(colours, state.toppings, start.toppings, strict=True)
            if spaces != before
        },
        "cuts": {name: cut for name, cut in zip(colours, state.cuts, strict=True) if cut is not None},
    }
    return {key: value for key, value in described.items() if value not in (None, {})}


def setup(start: State, position: Json) -> State:
    """The state that a position means in a game that was started so. Raises PositionError."""
    entries = Described("position", position).object(_KEYS)
    state = start
    if "first" in entries:
        first = entries["first"].number(range(1, start.players + 1))
        state = rules.opening(start.players, start.options, first)
    if "round" in entries:
        state = replace(state, round=entries["round"].number(range(1, _MOST_ROUNDS)))
    if "phase" in entries:
        phases = {phase.value: phase for phase in Phase}
        state = replace(state, phase=phases[entries["phase"].one_of(phases, f"one of {', '.join(phases)}")])
    if "toppings" in entries:
        state = replace(state, toppings=_toppings(state, entries["toppings"]))
    if "cuts" in entries:
        cuts = entries["cuts"].object(state.options.colours)
        state = replace(state, cuts=tuple(_cut(state, cuts.get(name)) for name in state.options.colours))
    state = replace(state, order=_order(state, entries.get("next")))
    problem = find_problem(state)
    if problem is not None:
        key = "" if problem.colour is None else f".{state.options.colours[problem.colour]}"
        raise Described(f"position.{problem.field}{key}", problem.value).error(problem.expected)
    return state


def find_problem(state: State) -> Problem | None:
    """Why this state, whose values are of the right types, cannot be one of a game; None where it can."""
    return next(_problems(state), None)


def _problems(state: State) -> Iterator[Problem]:
    """Later ones rely on there being none before."""
    if state.players not in PLAYER_COUNTS:
        yield Problem("players", None, state.players, "is neither 2 nor 3")
    if state.first not in range(1, state.players + 1):
        yield Problem("first", None, state.first, f"is none of the players 1 to {state.players}")
    last_round = state.options.last_round or _MOST_ROUNDS
    if not 1 <= state.round <= last_round:
        yield Problem("round", None, state.round, f"is no round from 1 to {last_round}")
    if state.phase in _TWO_PLAYERS_ONLY and state.players != 2:
        yield Problem("phase", None, state.phase.value, "is for two players only")
    yield from _order_problems(state)
    yield from _cut_problems(state)
    yield from _topping_problems(state)


def _order_problems(state: State) -> Iterator[Problem]:
    order = rules.turn_order(state)
    allowed = [order[index:] for index in range(len(order))] if state.phase is Phase.ADD else [()]
    if state.order not in allowed:
        expected = " or ".join(str(list(players)) for players in allowed)
        yield Problem("order", None, list(state.order), f"is not {expected}, the players still to add")


def _cut_problems(state: State) -> Iterator[Problem]:
    numbers = state.options.components.numbers
    if len(state.cuts) != COLOURS:
        yield Problem("cuts", None, list(state.cuts), f"are not {COLOURS}, one for each colour")
    rolled = state.players == 2 and state.phase in (Phase.UNSELECTED, Phase.CUT, Phase.REPLACE)
    for colour, cut in enumerate(state.cuts):
        unselected = state.players == 2 and colour == UNSELECTED - 1
        if cut is not None and cut not in numbers:
            yield Problem("cuts", colour, cut, f"is no number from {numbers[0]} to {numbers[-1]}")
        needed = rolled if unselected else state.phase is Phase.REPLACE
        allowed = rolled if unselected else state.phase in (Phase.CUT, Phase.REPLACE)
        if cut is None and needed:
            yield Problem("cuts", colour, cut, f"is no cut, but all are made in the phase {state.phase.value}")
        if cut is not None and not allowed:
            yield Problem("cuts", colour, cut, f"is a cut, but none is made yet in the phase {state.phase.value}")
    if state.phase is Phase.CUT and None not in state.cuts:
        yield Problem("cuts", None, list(state.cuts), "are all made, so that the phase is replace")


def _topping_problems(state: State) -> Iterator[Problem]:
    each = state.options.components.each
    if len(state.toppings) != COLOURS:
        yield Problem("toppings", None, len(state.toppings), f"is not {COLOURS}, the number of colours")
    for colour, spaces in enumerate(state.toppings):
        for space in sorted(spaces):
            if space not in state.options.components.spaces:
                yield Problem("toppings", colour, space, "is no space of the board")
            if any(space in other for other in state.toppings[:colour]):
                yield Problem("toppings", colour, space, "has a topping of another colour already")
        most = each if _has_added(state, colour) else each - 1
        if len(spaces) > most and state.phase is not Phase.OVER:
            yield Problem("toppings", colour, len(spaces), f"toppings are more than the {most} there can be now")
    if state.phase is Phase.OVER and state.round != state.options.last_round:
        counts = [len(spaces) for spaces in state.toppings]
        if max(counts) < each:
            yield Problem("toppings", None, counts, f"are all fewer than {each}, so that the game is not over")


def _has_added(state: State, colour: int) -> bool:
    """Whether this colour may have got its topping of this round: no round begins with all of a colour's toppings."""
    if state.phase is Phase.ADD:
        return colour < state.players and colour + 1 not in state.order
    return colour < state.players or state.phase in (Phase.CUT, Phase.REPLACE)


def _toppings(state: State, described: Described) -> tuple[frozenset[str], ...]:
    given = described.object(state.options.colours)
    toppings = []
    for name, before in zip(state.options.colours, state.toppings, strict=True):
        spaces: list[str] = []
        for item in given[name].items() if name in given else ():
            space = item.one_of(state.options.components.spaces, "a space of the board")
            if space in spaces:
                item.refuse("has a topping already")
            spaces.append(space)
        toppings.append(frozenset(spaces) if name in given else before)
    return tuple(toppings)


def _cut(state: State, described: Described | None) -> int | None:
    numbers = state.options.components.numbers
    return None if described is None else described.number(numbers)


def _order(state: State, described: Described | None) -> tuple[int, ...]:
    if described is not None and state.phase is not Phase.ADD:
        described.refuse(f"adds nothing in the phase {state.phase.value}")
    if state.phase is not Phase.ADD:
        return ()
    order = rules.turn_order(state)
    return order if described is None else order[order.index(described.number(range(1, state.players + 1))) :]
