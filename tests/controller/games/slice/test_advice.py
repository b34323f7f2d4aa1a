"""The adviser of SLICE."""

from random import Random

import pytest

from controller.game import Actor
from controller.games.slice import GAME
from controller.games.slice.rules import Block, Count, Grab, Move, Phase, Place, State, Stop, grabbers
from tests.controller.games.slice.situations import ALL_DOWN, dealt, grabbed, play, played, table


def best(state: State, player: int) -> Move:
    move: Move = GAME.advise(state, player)[0].move
    return move


def test_grab_what_fits_and_leave_the_rest() -> None:
    assert best(table(), 2) == Grab(2)
    assert not GAME.advise(table(), 3)


def test_the_drawer_counts() -> None:
    assert [one.move for one in GAME.advise(table(), 1)] == [Count(1)]


def test_with_two_players_the_drawer_grabs_first() -> None:
    assert [one.move for one in GAME.advise(table(players=2, drawer=2), 2)] == [Grab(2), Count(2)]


def test_nobody_else_is_advised() -> None:
    assert not GAME.advise(dealt(), 1)
    assert not GAME.advise(table(), 9)
    assert not GAME.advise(play(table(), Grab(2)), 1)


def test_hot_sauce_goes_to_the_leader() -> None:
    state = table("pepperoni ? ? ? ? ? ? ?", ALL_DOWN, "pepperoni ? tomato ? ? ? ? ?", open=["hot-sauce"])
    assert best(state, 2) == Grab(2)
    move = best(play(state, Grab(2)), 2)
    assert isinstance(move, Block)
    assert move.target == 3
    assert len(GAME.advise(play(state, Grab(2)), 2)) == 12


def test_a_free_place_is_filled_before_hot_sauce_is_removed() -> None:
    state = play(table(ALL_DOWN, "? ? ?! ? ? ? ? ?"), Grab(2))
    assert [one.move for one in GAME.advise(state, 2)] == [Place(2, 7), Place(2, 3)]


def test_the_last_slice_finishes() -> None:
    state = table("pepperoni mushroom olive pepper pepperoni mushroom olive ?", drawer=2, open=["pepper"])
    advised = GAME.advise(play(state, Grab(1)), 1)
    assert advised[0].reason == "finishes the pizza"


def test_a_revealed_match_is_used_rather_than_discarded() -> None:
    state = grabbed(table(options={"may_stop": True}), 2, 3, "tomato")
    moves = [one.move for one in GAME.advise(state, 2)]
    assert moves[-1] == Stop(2)
    assert isinstance(moves[0], Place)


def test_burning_on_purpose_pays_only_with_pizza_reset() -> None:
    pizzas = (ALL_DOWN, ALL_DOWN, "?! ?! ?! ? ?! ? ? ?")
    assert not GAME.advise(table(*pizzas), 3)
    assert best(table(*pizzas, options={"pizza_reset": True}), 3) == Grab(3)


@pytest.mark.parametrize("seed", range(4))
def test_advice_is_legal_ranked_and_has_reasons(seed: int) -> None:
    for state, _ in played(2 + seed, seed, draw_limit=60, may_stop=seed == 1, pizza_reset=seed == 2):
        for player in range(1, state.players + 1):
            advised = GAME.advise(state, player)
            assert len(advised) <= 12
            assert all(GAME.refusal(state, one.move) is None and one.move.player == player for one in advised)
            assert [one.value for one in advised] == sorted((one.value for one in advised), reverse=True)
            assert all(one.reason and "\n" not in one.reason for one in advised)


def next_move(state: State, advised: int, random: Random) -> Move:
    """Player `advised` follows the adviser, the others play at random; equally quick hands are on every open card."""
    turn = GAME.turn(state)
    if turn.actor is Actor.CHANCE:
        return GAME.draw(state, random)
    if state.phase is Phase.GRAB:
        for player in random.sample(grabbers(state), len(grabbers(state))):
            wanted = [one.move for one in GAME.advise(state, player) if isinstance(one.move, Grab)]
            if wanted and player == advised:
                return wanted[0]
            if player != advised and random.random() < 0.2:
                return Grab(player)
        return Count(state.drawer)
    if state.drawer == advised:
        return best(state, advised)
    return random.choice(list(GAME.legal(state)))


def test_it_beats_players_at_random() -> None:
    won = 0
    for seed in range(12):
        random = Random(seed)
        state = GAME.start(3, {"pizzas": 1}, seed % 3 + 1)
        while GAME.turn(state).actor is not Actor.NOBODY:
            state = GAME.apply(state, next_move(state, seed % 3 + 1, random))
        won += GAME.winners(state) == (seed % 3 + 1,)
    assert won >= 11
