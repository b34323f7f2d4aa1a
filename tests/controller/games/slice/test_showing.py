"""SLICE as displays are told."""

import json

from controller.games.slice import GAME
from controller.games.slice.rules import Grab, Place
from tests.controller.games.slice.situations import dealt, game, grabbed, play, table

SEVEN = "pepperoni mushroom olive pepper pepperoni mushroom olive ?"


def test_an_open_card() -> None:
    shown = GAME.view(table(open=["bacon", "onion"]), None)
    assert shown["open"] == ["bacon", "onion"]
    assert shown["to_grab"] == "onion"
    assert shown["grabbers"] == [2, 3]
    assert shown["drawer"] == 1
    assert shown["pile"] == 128 - 24 - 2
    assert json.loads(json.dumps(shown)) == shown


def test_a_pizza_with_its_order() -> None:
    shown = GAME.view(table("pepperoni ?! ? combo ? ? ? ?"), 3)["players"][0]
    assert [one["topping"] for one in shown["pizza"]] == list(GAME.components.toppings["order-1"])
    assert [one["card"] for one in shown["pizza"]] == ["pepperoni", None, None, "combo", None, None, None, None]
    assert [one["hot_sauce"] for one in shown["pizza"]].index(True) == 1
    assert shown["needs"] == {"pepperoni": 1, "mushroom": 2, "olive": 2, "pepper": 1}
    assert shown["found"] == 2


def test_before_the_orders_are_dealt() -> None:
    shown = GAME.view(game(), None)
    assert shown["players"][0]["order"] is None
    assert shown["players"][0]["needs"] == {}
    assert shown["orders_left"] == 24


def test_what_is_still_to_come() -> None:
    assert GAME.view(dealt(), 1)["unseen"]["onion"] == 14
    assert GAME.view(table(), 1)["unseen"]["onion"] == 13


def test_a_revealed_card_is_still_to_come_for_all_but_its_owner_and_is_told_to_nobody() -> None:
    state = grabbed(table(), 2, 3, "tomato")
    assert GAME.view(state, 1)["unseen"]["tomato"] == 14
    assert GAME.view(state, 1)["in_hand"]
    assert GAME.view(state, 2)["hand_fits"] == [4, 8]


def test_a_won_game_still_shows_the_winning_pizza() -> None:
    state = play(table(SEVEN, options={"pizzas": 1}, drawer=2, open=["pepper"]), Grab(1), Place(1, 8))
    shown = GAME.view(state, None)
    assert shown["winners"] == [1]
    assert [one["card"] for one in shown["players"][0]["pizza"]] == [*SEVEN.split()[:7], "pepper"]
    assert shown["players"][0]["pizza"][7]["topping"] == "pepper"
    assert shown["score"][0]["lines"][0]["label"] == "order-1"
