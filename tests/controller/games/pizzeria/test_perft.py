"""Numbers of reachable states to small depths: by playing all moves, and counted again without the rules' code."""

from itertools import product
from math import comb

import pytest

from controller.games.pizzeria import GAME, rules
from controller.games.pizzeria.rules import State
from tests.controller.games.pizzeria.situations import (
    RING,
    advanced,
    game,
    having,
    in_round,
    late_a,
    owning,
    served,
)

BASIL = {face: facts.basil for face, facts in GAME.components.by_face.items()}


def perft(state: State, depth: int) -> int:
    """How many sequences of so many moves there are."""
    if depth == 0:
        return 1
    return sum(perft(GAME.apply(state, move), depth - 1) for move in GAME.legal(state))


def reachable(state: State, depth: int) -> int:
    """How many different states lie so many moves away."""
    states = {state}
    for _ in range(depth):
        states = {GAME.apply(one, move) for one in states for move in GAME.legal(one)}
    return len(states)


def slow_divisions(ring: tuple[str, ...], portions: int) -> set[frozenset[tuple[str, ...]]]:
    """Every way to lay knives into the gaps of the circle, tried one by one: sets of runs."""
    found = set()
    for gaps in product((False, True), repeat=len(ring)):
        if sum(gaps) == portions:
            runs: list[list[str]] = []
            begin = gaps.index(True)
            for step in range(len(ring)):
                place = (begin + step) % len(ring)
                if gaps[place]:
                    runs.append([])
                runs[-1].append(ring[place])
            found.add(frozenset(tuple(run) for run in runs))
    return found


def subsets_to_eat(run: tuple[str, ...]) -> int:
    ways: int = 2 ** sum(BASIL[face] > 0 for face in run)
    return ways


@pytest.mark.parametrize(("players", "portions"), [(2, 4), (3, 3), (4, 4), (5, 5), (6, 6)])
def test_divisions_without_an_offer(players: int, portions: int) -> None:
    state = served(game(players))
    assert perft(state, 1) == reachable(state, 1) == len(slow_divisions(RING, portions)) == comb(11, portions)


@pytest.mark.parametrize(("players", "number"), [(2, 4 * 330 + 165), (3, 550), (4, 1485), (5, 2640), (6, 3234)])
def test_divisions_with_an_offer(players: int, number: int) -> None:
    portions = 4 if players == 2 else players
    state = served(advanced(players))
    slow = len(slow_divisions(RING, portions)) * portions + len(slow_divisions(RING, portions - 1))
    assert perft(state, 1) == slow == number


def test_a_pizza_for_three_to_the_first_decision() -> None:
    """Each of the three portions may be taken, and then any of its slices with basil be eaten."""
    state = served(game(3))
    slow = sum(subsets_to_eat(run) for division in slow_divisions(RING, 3) for run in division)
    assert perft(state, 2) == 3 * comb(11, 3)
    assert perft(state, 3) == reachable(state, 3) == slow


def test_a_whole_round_for_three_from_one_division() -> None:
    """All six orders of the portions, and for each slice with basil that it is eaten or not: 6 * 2^7."""
    state = GAME.apply(served(game(3)), next(iter(GAME.legal(served(game(3))))))
    eatable = sum(BASIL[face] > 0 for face in RING)
    assert perft(state, 6) == 6 * 2**eatable
    # All sequences end differently: who holds what, saved or eaten.
    assert reachable(state, 6) == 6 * 2**eatable


def test_a_whole_round_for_two_from_one_division() -> None:
    """Four portions in any order, 24 ways; those of a player lie there in the order in which they were taken."""
    state = GAME.apply(served(game(2)), next(iter(GAME.legal(served(game(2))))))
    eatable = sum(BASIL[face] > 0 for face in RING)
    assert perft(state, 8) == 24 * 2**eatable


def test_turning_the_pizza_changes_no_number() -> None:
    numbers = {perft(served(game(3), RING[turn:] + RING[:turn]), 3) for turn in range(11)}
    mirrored = perft(served(game(3), RING[::-1]), 3)
    assert numbers == {mirrored}


def test_offer_d_doubles_the_slices_with_basil() -> None:
    state = served(owning(in_round(advanced(3), 2), 3, rules.OFFER_D))
    calls = sum(1 + (BASIL[face] > 0) for face in RING)
    assert perft(state, 1) == calls + 550
    with_d = [move for move in GAME.legal(state) if isinstance(move, rules.TakeSlice)]
    after = sum(perft(GAME.apply(state, move), 1) for move in with_d)
    assert after == calls * (3 * comb(10, 3) + comb(10, 2))


def test_offer_e_moves_a_slice_over_each_cut_either_way() -> None:
    """From all divisions of a pizza for three: each cut may be crossed from both sides, unless the portion there is one
    slice without the offer."""
    state = served(owning(in_round(advanced(3), 2), 3, rules.OFFER_E))
    slow = 0
    for division in slow_divisions(RING, 3):
        for special in division:
            slow += sum(2 for run in division if len(run) > 1 or run == special)
    # The offer alone: two portions beside each other at both cuts; a single slice could not leave.
    slow += sum(2 for division in slow_divisions(RING, 2) for run in division if len(run) > 1)
    moves = 0
    for divided in GAME.legal(state):
        moves += sum(isinstance(move, rules.MoveSlice) for move in GAME.legal(GAME.apply(state, divided)))
    # A single slice with the offer has two ways to go, as any end slice has; both ends of it are the same slice.
    assert moves == slow


def test_offer_a_chooses_up_to_two_of_what_was_saved() -> None:
    ring = tuple(face if face != "5/1" else "5/5" for face in RING)
    state = served(having(in_round(advanced(3), 2), 3, saved="5/1 5/2 5/3 5/4"), ring, rules.OFFER_A)
    division = next(iter(GAME.legal(state)))
    state = GAME.apply(state, division)
    index = next(i for i, one in enumerate(state.portions) if one.special)
    state = GAME.apply(state, rules.Take(3, index))
    edible = sum(GAME.components.by_face[face].basil > 0 for face in state.taken)
    assert perft(state, 1) == 2**edible * (1 + 4 + comb(4, 2))


@pytest.mark.parametrize("saved", ["", "5/1", "5/1 5/2 5/3 5/4"])
def test_offer_a_may_be_used_before_anybody_takes_the_next_portion(saved: str) -> None:
    """Each of the slices saved, or two of them, instead of one of the two portions left."""
    state = late_a(saved)
    number = len(state.holdings[1].collected)
    uses = number + comb(number, 2)
    assert perft(state, 1) == reachable(state, 1) == 2 + uses
    decisions = sum(subsets_to_eat(one.slices) for one in state.portions if one.taken_by is None)
    # After a portion is taken its taker decides; after offer A there is no other use of it.
    assert perft(state, 2) == decisions + 2 * uses
