"""What the adviser advises: legal, ranked, better than chance, and sensible where the right answer is plain."""

from collections.abc import Collection
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from controller.game import Actor
from controller.games.pizzeria import GAME, rules
from controller.games.pizzeria.rules import Decide, EatKind, Move, MoveSlice, Phase, State, Take, TakeSlice
from tests.controller.games.pizzeria.situations import (
    advanced,
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
from tests.long import cases

PRIZE = faces("11/2 11/3 11/4 11/5 11/6 11/7 2/2 4/4 9/9 7/7 6/6")


def finished(players: int, seed: int, advised: Collection[int], options: dict[str, Any]) -> State:
    """A game in which these players follow the advice and the others play at random."""
    random = Random(seed)
    state = GAME.start(players, options, random.randint(1, players))
    while GAME.turn(state).actor is not Actor.NOBODY:
        turn = GAME.turn(state)
        if turn.actor is Actor.CHANCE:
            state = play(state, GAME.draw(state, random))
            continue
        # Those who may act before the one who must are asked first.
        asked = (one for one in (*turn.players[1:], turn.players[0]) if one in advised)
        advice = next((found for found in (GAME.advise(state, one) for one in asked) if found), None)
        if advice is None:
            listed = [move for _, move in zip(range(300), GAME.legal(state), strict=False)]
            state = play(state, random.choice(listed))
            continue
        assert len(advice) <= 12
        assert [one.value for one in advice] == sorted((one.value for one in advice), reverse=True)
        assert all(GAME.refusal(state, one.move) is None and one.reason for one in advice)
        state = play(state, advice[0].move)
    return state


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@cases("variant", [False, True], always=1)
def test_a_game_by_advice_is_legal_and_ranked(players: int, variant: bool) -> None:
    final = finished(players, players, range(1, players + 1), {"advanced": variant})
    assert GAME.winners(final)
    assert sum(len(holding.eaten) for holding in final.holdings) > 0


@cases(("players", "options"), [(2, {}), (4, {"advanced": True}), (6, {})], always=1)
def test_advice_beats_chance(players: int, options: dict[str, Any]) -> None:
    games = 12
    won = sum(1 in GAME.winners(finished(players, seed, {1}, options)) for seed in range(games))
    assert won >= 0.75 * games


def test_nobody_is_advised_out_of_turn() -> None:
    assert not GAME.advise(game(), 2)
    assert not GAME.advise(quarters(served(game())), 4)


def last(state: State) -> State:
    return replace(in_round(state, state.rounds), stacks=(state.rounds,))


def test_last_round_a_slice_that_wins_its_kind_is_saved() -> None:
    state = having(having(last(game()), 1, saved="11/2"), 2, saved="11/3 11/4")
    state = play(quarters(served(state)), Take(1, 1))
    best = GAME.advise(state, 1)[0].move
    assert "11/1" not in best.eaten
    assert "4/1" not in best.eaten


def test_last_round_a_tie_is_enough() -> None:
    """One slice of two leaves ties for 7 points."""
    state = having(last(game()), 2, saved="7/3 7/4")
    state = play(quarters(served(state)), Take(1, 0))
    assert GAME.advise(state, 1)[0].move == Decide(1, frozenset())


def test_last_round_slices_that_win_nothing_are_eaten() -> None:
    state = having(last(game()), 2, saved="5/2 5/3 5/4 6/2 6/3 6/4")
    state = play(quarters(served(state)), Take(1, 3))
    assert GAME.advise(state, 1)[0].move == Decide(1, frozenset(faces("5/1 6/1")))


def test_last_round_the_better_portion_is_taken() -> None:
    state = divided(served(last(game()), PRIZE), "11/2 11/3 11/4 11/5 11/6 11/7", "2/2", "4/4 9/9", "7/7 6/6")
    best = GAME.advise(state, 1)[0].move
    assert state.portions[best.portion].slices[0] == "11/2"


def test_of_all_divisions_the_best_is_found() -> None:
    """What the advice promises is what follows when all choose as it expects: nobody slices better."""
    state = served(game(3))
    advice = GAME.advise(state, 1)
    assert len(advice) == 12

    def outcome(move: Move) -> float:
        divided_state = play(state, move)
        for _ in range(3):
            chooser = divided_state.order[0]
            divided_state = play(divided_state, GAME.advise(divided_state, chooser)[0].move)
            divided_state = play(divided_state, GAME.advise(divided_state, chooser)[0].move)
        own, *others = (sheet.total for sheet in GAME.score(divided_state))
        return own - sum(others) / 2

    listed = list(GAME.legal(state))
    average = sum(outcome(move) for move in listed[::5]) / len(listed[::5])
    assert outcome(advice[0].move) > average


def test_offer_c_goes_where_it_brings_most() -> None:
    state = served(having(last(advanced()), 1, saved="7/3 7/4 9/3"), special=rules.OFFER_C)
    state = play(quarters(state), Take(1, 1))
    assert GAME.advise(state, 1)[0].move.kind == 7


def test_offer_d_is_used_at_the_latest_in_the_last_round() -> None:
    state = owning(having(last(advanced()), 2, saved="11/2"), 3, rules.OFFER_D)
    best = GAME.advise(served(state), 3)[0].move
    assert isinstance(best, TakeSlice)
    assert best.face in ("11/1", "11/10")


def test_offer_e_brings_a_prize_slice_over() -> None:
    """Two 9s tie for 9 points; they lie on either side of a cut."""
    state = having(having(having(last(advanced()), 1, saved="11/2"), 2, saved="11/3 11/4"), 3, saved="9/3 9/4")
    state = served(owning(state, 1, rules.OFFER_E), special=rules.OFFER_G)
    state = divided(state, "2/1 7/1", "7/2 11/1", "11/10 4/1 mixed-9-11 9/2", "9/9 5/1 6/1", special_in=3)
    best, *others = (one.move for one in GAME.advise(state, 1))
    assert best == MoveSlice(1, "9/2", 3)
    assert [type(move) for move in others].count(Take) == 4


def test_offer_f_is_used_for_a_prize_and_not_too_late() -> None:
    state = owning(last(advanced()), 3, rules.OFFER_F)
    state = served(state, PRIZE)
    state = divided(state, "11/2 11/3 11/4 11/5 11/6 11/7", "2/2", "4/4 9/9", "7/7 6/6", special_in=1)
    best = GAME.advise(state, 3)[0].move
    assert isinstance(best, Take)
    assert state.portions[best.portion].slices[0] == "11/2"
    assert not GAME.advise(takes(state, 1, 2), 3)


def test_offer_j_eats_what_wins_nothing() -> None:
    state = owning(having(advanced(), 2, saved="9/1 9/2 9/3 4/1"), 2, rules.OFFER_J)
    state = having(state, 1, saved="9/4 9/5 9/6 9/7")
    state = replace(state, phase=Phase.EAT_KIND, stacks=(), round=4)
    assert GAME.advise(state, 2)[0].move == EatKind(2, 9)
