"""What the adviser advises: legal, ranked, and sensible where the right answer is plain."""

from dataclasses import replace
from random import Random

import pytest

from controller.game import Actor
from controller.games.new_york_slice import GAME, rules
from controller.games.new_york_slice.rules import Decide, Dibs, Divide, EatSeconds, Phase, State, Take
from tests.controller.games.new_york_slice.situations import (
    divided,
    faces,
    game,
    having,
    in_round,
    owning,
    play,
    quarters,
    served,
    takes,
)


def advised(players: int, seed: int) -> list[State]:
    """A game in which everybody follows the advice."""
    random = Random(seed)
    state = GAME.start(players, {}, random.randint(1, players))
    states = [state]
    while state.phase is not Phase.OVER:
        turn = GAME.turn(state)
        if turn.actor is Actor.CHANCE:
            move = GAME.draw(state, random)
        else:
            # Those who may act before the one who must are asked first.
            lists = [GAME.advise(state, player) for player in (*turn.players[1:], turn.players[0])]
            advice = next(one for one in lists if one)
            assert len(advice) <= 12
            assert [one.value for one in advice] == sorted((one.value for one in advice), reverse=True)
            assert all(GAME.refusal(state, one.move) is None and one.reason for one in advice)
            move = advice[0].move
        state = GAME.apply(state, move)
        states.append(state)
    return states


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_a_game_by_advice_is_legal_and_ranked(players: int) -> None:
    final = advised(players, players)[-1]
    assert GAME.winners(final)
    assert sum(len(holding.eaten) for holding in final.holdings) > 0


def test_nobody_is_advised_out_of_turn() -> None:
    assert not GAME.advise(game(), 2)
    assert not GAME.advise(quarters(served(game())), 4)


def test_last_round_a_slice_that_wins_its_type_is_collected() -> None:
    state = replace(quarters(served(in_round(game(), 6))), stacks=())
    state = having(having(state, 3, collected="11/2"), 1, collected="11/3 11/4")
    state = play(state, Take(3, 3))
    best = GAME.advise(state, 3)[0].move
    assert isinstance(best, Decide)
    assert "11/1" not in best.eaten


def test_last_round_slices_that_win_nothing_are_eaten() -> None:
    state = replace(quarters(served(in_round(game(), 6))), stacks=())
    state = having(state, 1, collected="7/3 7/4 7/5 5/2 5/3 5/4")
    state = play(state, Take(3, 2))
    assert GAME.advise(state, 3)[0].move == Decide(3, frozenset(faces("5/1 7/1")))


def test_last_round_the_better_portion_is_taken() -> None:
    ring = faces("11/1 11/2 11/3 11/4 11/5 11/6 anchovy 3/3 9/9 7/7 8/8")
    state = served(replace(in_round(game(), 6), stacks=(6,)), ring)
    state = divided(state, "11/1 11/2 11/3 11/4 11/5 11/6", "anchovy", "3/3 9/9", "7/7 8/8", special_in=3)
    best = GAME.advise(state, 3)[0].move
    assert state.portions[best.portion].slices[0] == "11/1"


def test_the_slicer_leaves_something_for_the_slicer() -> None:
    state = served(game(6))
    advice = GAME.advise(state, 1)
    assert all(isinstance(one.move, Divide) for one in advice)
    assert len(advice) == 12
    worst = Divide((*((face,) for face in state.ring[:5]), state.ring[5:]), 5)
    assert GAME.refusal(state, worst) is None


def test_dibs_is_called_at_the_latest_in_the_last_round() -> None:
    state = served(owning(replace(in_round(game(), 6), stacks=(6,)), 4, rules.DIBS))
    state = having(having(state, 4, collected="11/2"), 1, collected="11/3")
    # Half a Cheese more wins that type, and half a Sausage where nobody has any wins that one too.
    assert GAME.advise(state, 4)[0].move == Dibs(4, "combo-9-11", False)


def test_dibs_of_the_slicer_comes_before_dividing() -> None:
    state = served(owning(replace(in_round(game(), 6), stacks=(6,)), 2, rules.DIBS))
    state = having(having(state, 2, collected="11/2"), 1, collected="11/3")
    advice = GAME.advise(state, 2)
    assert isinstance(advice[0].move, Dibs)
    assert isinstance(advice[-1].move, Divide)
    assert [one.value for one in advice] == sorted((one.value for one in advice), reverse=True)


def test_cut_in_line_is_played_for_a_prize() -> None:
    ring = faces("11/1 11/2 11/3 11/4 11/5 11/6 anchovy 3/3 9/9 7/7 8/8")
    state = served(owning(replace(in_round(game(), 6), stacks=(6,)), 1, rules.CUT_IN_LINE), ring, rules.DAY_OLD_PIZZA)
    state = divided(state, "11/1 11/2 11/3 11/4 11/5 11/6", "anchovy", "3/3 9/9", "7/7 8/8", special_in=1)
    best = GAME.advise(state, 1)[0].move
    assert isinstance(best, Take)
    assert state.portions[best.portion].slices[0] == "11/1"
    assert not GAME.advise(takes(state, 3, 2), 1)


def test_seconds_eats_what_wins_nothing() -> None:
    state = owning(having(game(), 2, collected="10/1 10/2 10/3 4/1"), 2, rules.SECONDS)
    state = having(state, 1, collected="10/4 10/5 10/6 10/7")
    state = replace(state, phase=Phase.SECONDS, stacks=())
    assert GAME.advise(state, 2)[0].move == EatSeconds(2, frozenset(faces("10/1 10/2 10/3")))
