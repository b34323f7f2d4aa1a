"""Positions of SLICE as a person writes them."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.game import PositionError
from controller.games.slice import GAME
from controller.games.slice.rules import DealOrder, Grab, Phase, Place
from tests.controller.games.slice.situations import dealt, game, grabbed, play, played, table

FEW = settings(max_examples=12, deadline=None, derandomize=True)
ORDERS = {"1": {"order": "order-1"}, "2": {"order": "order-2"}, "3": {"order": "order-5"}}


@pytest.mark.parametrize("players", range(2, 9))
def test_nothing_is_the_start(players: int) -> None:
    assert GAME.setup(players, {}, {}) == game(players)
    assert GAME.position(game(players)) == {}


def test_the_documented_example() -> None:
    position = {
        "phase": "grab",
        "drawer": 2,
        "draws": 9,
        "open": ["onion", "mushroom"],
        "players": {
            "1": {"order": "order-7", "pizza": ["?", "olive", "?", "combo", "?!", "?", "?", "?"]},
            "2": {"order": "order-3", "finished": ["order-12"]},
            "3": {"order": "order-9"},
        },
    }
    state = GAME.setup(3, {}, position)
    assert GAME.position(state) == position
    assert state.pile[0].cards == 128 - 24 - 2 - 1
    assert len(state.orders) == 20


def test_dealt_by_hand() -> None:
    assert GAME.setup(3, {}, {"phase": "draw", "players": ORDERS}) == dealt()


def test_a_revealed_card_in_hand() -> None:
    state = grabbed(table(), 2, 3, "tomato")
    assert GAME.position(state)["lifted"] == "?"
    assert GAME.setup(3, {}, GAME.position(state)) == state


def test_pools_are_told_apart() -> None:
    state = play(table("pepperoni ? ? ? ? ? ? ?"), Grab(3))
    position = GAME.position(state)
    assert position["returned"] == [{"onion": 1}]
    assert position["pile"] == ["103 ?", "1 ?2"]
    assert GAME.setup(3, {}, position) == state


@FEW
@given(st.integers(2, 8), st.integers(0, 10**6), st.sampled_from([{}, {"pizza_reset": True, "empty_pile": "end"}]))
def test_every_state_of_a_game_is_its_position_set_up(players: int, seed: int, options: dict[str, Any]) -> None:
    options = options | {"draw_limit": 50}
    for state, _ in played(players, seed, **options)[seed % 3 :: 3]:
        position = json.loads(json.dumps(GAME.position(state)))
        again = GAME.setup(players, options, position)
        assert again == state
        assert GAME.encode_state(again) == GAME.encode_state(state)


def test_a_won_game_is_its_position_set_up() -> None:
    seven = "pepperoni mushroom olive pepper pepperoni mushroom olive ?"
    state = play(table(seven, options={"pizzas": 1}, drawer=2, open=["pepper"]), Grab(1), Place(1, 8))
    assert state.phase is Phase.OVER
    assert GAME.setup(3, {"pizzas": 1}, GAME.position(state)) == state


def test_a_finished_pizza_is_its_position_set_up() -> None:
    seven = "pepperoni mushroom olive pepper pepperoni mushroom olive ?"
    state = play(table(seven, drawer=2, open=["pepper"]), Grab(1), Place(1, 8))
    assert GAME.setup(3, {}, GAME.position(state)) == state
    state = play(state, DealOrder(1, "order-3"))
    assert GAME.setup(3, {}, GAME.position(state)) == state


def with_pizza(places: str) -> dict[str, Any]:
    return {"players": {**ORDERS, "1": {"order": "order-1", "pizza": places.split()}}, "phase": "draw"}


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ([], "position: .* is no object"),
        ({"cheese": 1}, r"position\.cheese: unknown key"),
        ({"phase": "eat"}, r"position\.phase: 'eat' is not one of order"),
        ({"drawer": 4}, r"position\.drawer: 4 is no whole number from 1 to 3"),
        ({"draws": -1}, r"position\.draws"),
        ({"players": {"4": {}}}, r"position\.players\.4: unknown key"),
        ({"players": {"1": {"hat": 1}}}, r"position\.players\.1\.hat: unknown key"),
        ({"players": {"1": {"order": "order-99"}}}, r"players\.1\.order: 'order-99' is not an order card"),
        ({"players": {"1": {"pizza": ["?"]}}}, "has not 8 places"),
        ({"open": ["ham"]}, r"position\.open\[0\]: 'ham' is not one of"),
        ({"phase": "draw"}, "player 1: has no order card"),
        ({"players": ORDERS}, "needs a player without an order card"),
        ({"players": {"2": {"order": "order-1"}}}, "start of the game"),
        ({"phase": "draw", "players": ORDERS | {"3": {"order": "order-1"}}}, "'order-1' is in 2 places"),
        (with_pizza("onion ? ? ? ? ? ? ?"), "place 1: 'onion' does not belong there"),
        (with_pizza("pepperoni! ? ? ? ? ? ? ?"), r"pizza\[0\]: 'pepperoni!' is neither"),
        (with_pizza("?1 ? ? ? ? ? ? ?"), r"pizza\[0\]"),
        (with_pizza("?2 ? ? ? ? ? ? ?"), "there is no pool 1"),
        (with_pizza("combo combo combo combo combo combo combo combo"), "a full pizza is a finished one"),
        ({"phase": "draw", "players": ORDERS, "open": ["onion"] * 15}, "15 times onion are too many; there are 14"),
        ({"phase": "grab", "draws": 1, "players": ORDERS}, "open: is empty"),
        ({"phase": "grab", "open": ["onion"], "players": ORDERS}, "draws: 0 is too few"),
        ({"phase": "place", "draws": 1, "players": ORDERS}, "hand: None does not go with phase place"),
        ({"phase": "place", "draws": 1, "hand": "onion", "players": ORDERS}, "hand: 'onion' fits nowhere"),
        ({"phase": "reveal", "draws": 1, "players": ORDERS}, "lifted: missing"),
        ({"phase": "draw", "players": ORDERS, "lifted": "?"}, "lifted: does not go with phase draw"),
        ({"phase": "draw", "players": ORDERS, "lifted": "?!"}, r"position\.lifted"),
        ({"phase": "draw", "players": ORDERS, "own": True}, "own: is true"),
        ({"phase": "draw", "players": ORDERS, "own": 1}, "neither true nor false"),
        ({"phase": "draw", "players": ORDERS, "draws": 400}, "so the game is over"),
        ({"phase": "over", "players": ORDERS}, "needs a winner"),
        ({"phase": "draw", "players": ORDERS, "returned": [{"onion": 1}]}, r"position\.pile: missing"),
        ({"phase": "draw", "players": ORDERS, "pile": ["104 ?", "0 ?2"]}, r"pile\[1\]: '0 \?2' is no layer"),
        ({"phase": "draw", "players": ORDERS, "pile": ["100 ?"]}, "lie face down; expected"),
        (
            {"phase": "draw", "players": ORDERS, "returned": [{"ham": 1}], "pile": ["104 ?"]},
            r"position\.returned\[0\]\.ham: unknown key",
        ),
    ],
)
def test_a_position_that_cannot_be(position: Any, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        GAME.setup(3, {}, position)
