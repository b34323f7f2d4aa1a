"""How a player may have come to what the own sheet shows."""

from dataclasses import replace
from itertools import permutations
from random import Random
from typing import Any

import pytest

from controller.games.dice_and_slice import GAME, grid, ways
from controller.games.dice_and_slice.hands import HANDS
from controller.games.dice_and_slice.rules import ExtraDot, Mark, Phase, State
from controller.hands import Lying
from vision.scene import Pose


def chains(seed: int) -> list[tuple[State, int, tuple[Any, ...]]]:
    """Turns of a game in which somebody places two extra dots at least, by a player who takes the best advice."""
    rng, state, found = Random(seed), GAME.start(2, {}, 1), []
    while state.phase is not Phase.OVER:
        if state.phase is not Phase.MARK:
            state = GAME.apply(
                state, GAME.draw(state, rng) if state.phase is Phase.ROLL else GAME.advise(state, state.active)[0].move
            )
            continue
        player = GAME.turn(state).players[0]
        before, moves = state, list[Any]()
        while state.phase is Phase.MARK and not state.sheets[player - 1].done and state.turn == before.turn:
            moves.append(GAME.advise(state, player)[0].move)
            state = GAME.apply(state, moves[-1])
        if sum(isinstance(move, ExtraDot) for move in moves) >= 2:
            found.append((before, player, tuple(moves)))
    return found


@pytest.fixture(scope="module")
def placed() -> list[tuple[State, int, tuple[Any, ...]]]:
    return [one for seed in (2,) for one in chains(seed)]


def test_extra_dots_come_in_a_legal_order_that_shows_the_same(placed: list[tuple[State, int, tuple[Any, ...]]]) -> None:
    assert max(sum(isinstance(move, ExtraDot) for move in moves) for _, _, moves in placed) > 3
    for state, player, moves in placed:
        ordered = ways.in_order(state, player, moves)
        assert ways.shown(ways.after(state, player, ordered)) == ways.shown(ways.after(state, player, moves))
        for move in ordered:
            state = GAME.apply(state, move)


def test_whatever_the_order_was_the_same_one_is_taken(placed: list[tuple[State, int, tuple[Any, ...]]]) -> None:
    for state, player, moves in placed:
        extra = [move for move in moves if isinstance(move, ExtraDot)]
        if len(extra) > 4 or not isinstance(moves[0], Mark):
            continue
        taken = set()
        for order in permutations(extra):
            if is_legal(state, (moves[0], *order)):
                taken.add(ways.in_order(state, player, (moves[0], *order)))
        assert len(taken) == 1


@pytest.mark.long
def test_nobody_forgets_a_cross_where_the_marks_are_another_lawful_play_then(
    placed: list[tuple[State, int, tuple[Any, ...]]],
) -> None:
    """A mistake of a simulated player has to be one: an extra dot may be one of the die's, marked elsewhere."""
    lawful = 0
    for state, player, moves in placed:
        hands = HANDS(GAME, state, {}, Random(1))
        lying = {piece.piece: Lying(Pose(0.0, 0.0, 0.0), True, "sheet") for piece in hands.box()}
        shown = ways.after(state, player, moves)
        new = shown.crossed & ~state.sheets[player - 1].crossed
        others = [replace(shown, crossed=shown.crossed & ~bit) for bit in grid.list_bits(new)]
        as_lawful = [ways.leading_to(state, player, other) is not None for other in others]
        names = {mistake.name for mistake in hands.mistakes(state, moves, lying)}
        if all(as_lawful):
            lawful += 1
            assert "a topping not crossed off" not in names
        elif not any(as_lawful):
            assert "a topping not crossed off" in names
    assert lawful


def test_nothing_leads_to_what_the_rules_do_not_allow() -> None:
    state = GAME.start(2, {}, 1)
    for text in ("roll A1 B1", "P1 picks A"):
        state = GAME.apply(state, GAME.parse(state, text))
    far = Mark(1, frozenset({"a1", "m10"}))
    assert ways.leading_to(state, 1, ways.after(state, 1, (far,))) is None


def is_legal(state: State, moves: tuple[Any, ...]) -> bool:
    for move in moves:
        if GAME.refusal(state, move) is not None:
            return False
        state = GAME.apply(state, move)
    return True
