"""How many states can be reached in so many moves, counted in two ways.

The second way is a slow enumeration that shares nothing with the engine: spaces are coordinates, slices are flooded
from space to space, the board is turned step by step. Where that is too slow there is a closed form or a symmetry.
"""

from itertools import combinations, product
from typing import Any

import pytest

from controller.games.pizza_theory import GAME, rules
from controller.games.pizza_theory.rules import State
from tests.controller.games.pizza_theory.situations import at, random_game, toppings
from tests.long import cases

# The engine's way -----------------------------------------------------------------------------------------------------


def reached(state: State, depth: int) -> list[set[State]]:
    """The different states after 0, 1, 2 .. moves."""
    layers = [{state}]
    for _ in range(depth):
        layers.append({GAME.apply(one, move) for one in layers[-1] for move in GAME.legal(one)})
    return layers


def counted(state: State, depth: int) -> list[int]:
    return [len(layer) for layer in reached(state, depth)]


# The slow way: a Pizza is a mapping of coordinates to colours ---------------------------------------------------------

Cube = tuple[int, int, int]
Pizza = dict[Cube, int]

SPACES = [(x, y, -x - y) for x in range(-3, 4) for y in range(-3, 4) if abs(x + y) <= 3]
STEPS = [(1, -1, 0), (1, 0, -1), (0, 1, -1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1)]
STARTS = [[(1, 1, -2), (-1, 2, -1)], [(-2, 1, 1), (-1, -1, 2)], [(1, -2, 1), (2, -1, -1)]]
"""Of the 1st, 2nd and 3rd place, whose lines keep x, y and z."""


def steps_from(space: Cube) -> list[Cube]:
    return [(space[0] + x, space[1] + y, space[2] + z) for x, y, z in STEPS]


def slow_adding(pizza: Pizza, colour: int) -> list[Pizza]:
    """Every Pizza after this colour's topping; the same one where there is no space."""
    free = [
        space
        for space in SPACES
        if space not in pizza and not any(pizza.get(beside) == colour for beside in steps_from(space))
    ]
    return [{**pizza, space: colour} for space in free] or [pizza]


def flooded(lines: list[tuple[int, float]]) -> list[set[Cube]]:
    """The slices: spaces that can be walked without crossing one of the lines (axis, value)."""
    left, slices = set(SPACES), []
    while left:
        slice_, edge = set(), [left.pop()]
        while edge:
            here = edge.pop()
            slice_.add(here)
            for there in steps_from(here):
                crossed = any((here[axis] - value) * (there[axis] - value) < 0 for axis, value in lines)
                if there in left and not crossed:
                    left.remove(there)
                    edge.append(there)
        slices.append(slice_)
    return slices


def slow_replacing(pizza: Pizza, lines: list[tuple[int, float]]) -> Pizza:
    """The Pizza after the toppings have been replaced in all slices."""
    slices = flooded(lines)
    inside = [[sum(pizza.get(space) == colour for space in slice_) for colour in range(3)] for slice_ in slices]
    unsafe = {colour for colour in range(3) for counts in inside if counts[colour] >= 2}
    after = dict(pizza)
    for slice_, counts in zip(slices, inside, strict=True):
        ranking = sorted(range(3), key=lambda colour: -counts[colour])
        first, second, third = (counts[colour] for colour in ranking)
        for space in slice_ & pizza.keys():
            owner = pizza[space]
            if owner not in unsafe:
                continue
            if first > second and owner != ranking[0]:
                after[space] = ranking[0]
            elif first == second > third and owner == ranking[2]:
                del after[space]
    return after


def places_in(round_number: int, first: int) -> list[int]:
    """Which place (0 to 2: the 1st to the 3rd) each colour faces: the board is turned step by step."""
    sides = [0, 1, 2]
    for _ in range(round_number - 1):
        sides = [sides[2], sides[0], sides[1]]
    return [sides[(colour - (first - 1)) % 3] for colour in range(3)]


def slow_round(pizza: Pizza, round_number: int, first: int) -> tuple[list[int], set[frozenset[tuple[Cube, int]]]]:
    """The numbers of different positions after each of the seven moves of a round of three players, and the Pizzas
    after it."""
    places = places_in(round_number, first)
    layer = {frozenset(pizza.items())}
    counts = []
    for place in range(3):
        layer = {frozenset(after.items()) for one in layer for after in slow_adding(dict(one), places.index(place))}
        counts.append(len(layer))
    for chosen in (1, 2, 3):
        ways = sum(6**chosen for _ in combinations(range(3), chosen))
        counts.append(len(layer) * ways)
    after = set()
    for one, numbers in product(layer, product(range(1, 7), repeat=3)):
        lines = [(places[colour], numbers[colour] - 3.5) for colour in range(3)]
        after.add(frozenset(slow_replacing(dict(one), lines).items()))
    return [*counts, len(after)], after


def as_pizza(state: State) -> Pizza:
    """The engine's toppings as the slow way has them."""
    return {GAME.components.spaces[space]: colour for colour, spaces in enumerate(state.toppings) for space in spaces}


# Three players, from the start ----------------------------------------------------------------------------------------


def test_the_start_is_the_same() -> None:
    for first in (1, 2, 3):
        places = places_in(1, first)
        expected = {space: colour for colour in range(3) for space in STARTS[places[colour]]}
        assert as_pizza(GAME.start(3, {}, first)) == expected


def test_the_first_toppings_by_slow_enumeration() -> None:
    pizza = as_pizza(at())
    slow = [{frozenset(pizza.items())}]
    for colour in range(3):
        slow.append({frozenset(one.items()) for before in slow[-1] for one in slow_adding(dict(before), colour)})
    fast = reached(at(), 3)
    assert [len(layer) for layer in fast] == [len(layer) for layer in slow] == [1, 21, 428, 8456]
    assert {frozenset(as_pizza(state).items()) for state in fast[3]} == slow[3]


def test_the_first_toppings_by_a_closed_form() -> None:
    """Nobody's space of the first round depends on the others' but for being another: choose three different ones."""
    one, two, three = (set(rules.available(at(), player)) for player in (1, 2, 3))
    pairs = len(one & two) * len(three) + len(one & three) * len(two) + len(two & three) * len(one)
    closed = len(one) * len(two) * len(three) - pairs + 2 * len(one & two & three)
    assert counted(at(), 3)[3] == closed


@pytest.mark.parametrize("first", [2, 3])
def test_the_first_toppings_by_the_symmetry_of_the_seats(first: int) -> None:
    assert counted(at(first=first), 3) == counted(at(), 3)


def test_the_cuts_by_a_closed_form() -> None:
    """One of three players chooses one of six numbers, then two of them, then all."""
    assert counted(at(phase="cut"), 3) == [1, 3 * 6, 3 * 6**2, 6**3]


# Three players, a whole round -----------------------------------------------------------------------------------------

CROWDED = [
    toppings("a1 a3 b5 c2 d6 e2 e4", "a4 c5 d3 e6 f1 f4 g3", "b2 b3 c6 d1 d5 f2 g4"),
    toppings("a2 b4 c1 d4 d7 e1 e5 f3 g1", "a1 a4 b2 d2 c4 f5 g3", "b5 c6 d6 e3 f1 g4 c3"),
]
"""Positions in which nobody has many spaces."""


@pytest.mark.long
@cases(("position", "round_number", "first"), [(CROWDED[1], 5, 1), (CROWDED[0], 6, 3), (CROWDED[0], 4, 1)], always=1)
def test_a_whole_round_by_slow_enumeration(position: dict[str, Any], round_number: int, first: int) -> None:
    state = at(round=round_number, first=first, toppings=position)
    slow, pizzas = slow_round(as_pizza(state), round_number, first)
    fast = reached(state, 7)
    assert [len(layer) for layer in fast[1:]] == slow
    assert {frozenset(as_pizza(one).items()) for one in fast[7]} == pizzas


# Symmetries -----------------------------------------------------------------------------------------------------------


def turned(spaces: frozenset[str]) -> frozenset[str]:
    """Spaces a third of a turn clockwise further on the board."""
    names = {at_: name for name, at_ in GAME.components.spaces.items()}
    cubes = [GAME.components.spaces[space] for space in spaces]
    return frozenset(names[z, x, y] for x, y, z in cubes)


def mirrored(spaces: frozenset[str]) -> frozenset[str]:
    """Spaces as in a mirror that stands on the 1st: left and right change."""
    names = {at_: name for name, at_ in GAME.components.spaces.items()}
    cubes = [GAME.components.spaces[space] for space in spaces]
    return frozenset(names[-x, -z, -y] for x, y, z in cubes)


def positions_after_cuts(spaces: tuple[frozenset[str], ...], round_number: int = 1) -> set[tuple[frozenset[str], ...]]:
    """The different toppings after all cuts of a round in which player 1 was the first of all."""
    described = dict(zip(("red", "green", "white"), (sorted(one) for one in spaces), strict=True))
    state = at(phase="cut", round=round_number, toppings=described)
    return {one.toppings for one in reached(state, 4)[4]}


GAMES = [random_game(3, seed) for seed in range(4)]
MIDDLES = [next(one for one in states if one.round == 4 and one.phase is rules.Phase.CUT).toppings for states in GAMES]


@pytest.mark.parametrize("spaces", MIDDLES)
def test_a_turned_pizza_has_turned_outcomes(spaces: tuple[frozenset[str], ...]) -> None:
    """Where the board lies a third of a turn further and its toppings a third of a turn back, the table looks the
    same, and so do all outcomes."""
    plain = positions_after_cuts(spaces)
    back = tuple(turned(turned(one)) for one in spaces)
    assert {tuple(map(turned, outcome)) for outcome in positions_after_cuts(back, round_number=2)} == plain


@pytest.mark.parametrize("spaces", MIDDLES)
def test_a_mirrored_pizza_has_mirrored_outcomes(spaces: tuple[frozenset[str], ...]) -> None:
    """Left and right change on the table, and so do the players at the 2nd and the 3rd."""
    red, green, white = map(mirrored, spaces)
    plain = positions_after_cuts(spaces)
    other = positions_after_cuts((red, white, green))
    assert {(mirrored(one), mirrored(three), mirrored(two)) for one, two, three in other} == plain


# Two players ----------------------------------------------------------------------------------------------------------


def slow_round_of_two(pizza: Pizza, round_number: int, first: int) -> list[int]:
    """As `slow_round`, for the seven moves of a round of two players."""
    places = places_in(round_number, first)
    order = [first - 1, 2 - first] if round_number % 2 else [2 - first, first - 1]
    layer = {frozenset(pizza.items())}
    counts = []
    for colour in order:
        layer = {frozenset(after.items()) for one in layer for after in slow_adding(dict(one), colour)}
        counts.append(len(layer))
    rolled = set()
    counts.append(6 * len(layer))
    for one, number in product(layer, range(1, 7)):
        rows = (number - 4, number - 3)
        free = [space for space in SPACES if space[places[2]] in rows and space not in dict(one)]
        rolled |= {(number, frozenset({**dict(one), space: 2}.items())) for space in free}
    counts += [len(rolled), 12 * len(rolled), 36 * len(rolled)]
    after = set()
    for (number, one), numbers in product(rolled, product(range(1, 7), repeat=2)):
        lines = [(places[colour], cut - 3.5) for colour, cut in enumerate((*numbers, number))]
        after.add(frozenset(slow_replacing(dict(one), lines).items()))
    return [*counts, len(after)]


@cases(("round_number", "first"), [(4, 1), (5, 2)], always=1)
def test_a_round_of_two_players_by_slow_enumeration(round_number: int, first: int) -> None:
    position = toppings("a1 a3 b5 c2 d6 e2 e4 c3", "a4 c5 d3 e6 f1 f4 g3 b1 e5", "b2 b3 c6 d1 d5 f2 g4 c4 d2 f5")
    state = at(2, round=round_number, first=first, toppings=position)
    assert counted(state, 7)[1:] == slow_round_of_two(as_pizza(state), round_number, first)


def test_the_first_moves_of_two_players() -> None:
    assert counted(at(2), 3) == [1, 21, 428, 428 * 6]
