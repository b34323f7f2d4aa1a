"""Positions written by hand."""

import json
from typing import Any

import pytest

from controller.game import PositionError
from controller.games.pizza_theory import GAME
from controller.games.pizza_theory.rules import Phase
from tests.controller.games.pizza_theory.situations import EXAMPLE, at, random_game, toppings


@pytest.mark.parametrize("players", [2, 3])
def test_nothing_said_is_the_start(players: int) -> None:
    assert GAME.setup(players, {}, {}) == GAME.start(players, {})
    assert GAME.position(GAME.start(players, {})) == {}


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_every_state_of_a_game_can_be_set_up(players: int, seed: int) -> None:
    options = {"colours": ["white", "red", "green"], "last_round": seed}
    for state in random_game(players, seed, **options):
        described = json.loads(json.dumps(GAME.position(state)))
        assert GAME.encode_state(GAME.setup(players, options, described)) == GAME.encode_state(state)


def test_a_position_is_short() -> None:
    assert GAME.position(at(first=2)) == {"first": 2}
    assert GAME.position(at(**EXAMPLE)) == {
        **EXAMPLE,
        "toppings": {name: sorted(spaces) for name, spaces in EXAMPLE["toppings"].items()},
    }


def test_the_example_of_the_documentation() -> None:
    state = GAME.setup(
        2,
        {},
        {
            "first": 2,
            "round": 3,
            "phase": "cut",
            "cuts": {"white": 4, "red": 2},
            "toppings": {
                "red": ["a1", "c2", "e2", "d5"],
                "green": ["b3", "c5"],
                "white": ["e5", "f3", "d1"],
            },
        },
    )
    assert GAME.turn(state).players == (2,)


def test_who_is_next_follows_from_the_round() -> None:
    assert at(round=2).order == (2, 3, 1)
    assert at(round=2, next=3).order == (3, 1)


def test_toppings_left_out_are_those_of_the_start() -> None:
    state = at(first=3, toppings={"green": ["d4"]})
    assert state.toppings[2] == {"c2", "e2"}
    assert state.toppings[1] == {"d4"}


SIXTEEN = ["a1", "a3", "b2", "b4", "c1", "c3", "c5", "d2", "d4", "d6", "e1", "e3", "e5", "f2", "f4", "g1"]


def test_sixteen_toppings_where_the_last_has_just_been_added() -> None:
    assert at(next=2, toppings={"red": SIXTEEN, "green": [], "white": []}).phase is Phase.ADD
    assert at(phase="cut", toppings={"red": SIXTEEN, "green": [], "white": []}).phase is Phase.CUT


@pytest.mark.parametrize(
    ("position", "problem"),
    [
        (3, "position: 3 is no object"),
        ({"lunch": 1}, "position.lunch: unknown key; expected some of first, round"),
        ({"first": 4}, "position.first: 4 is no whole number from 1 to 3"),
        ({"first": "1"}, "position.first: '1' is no whole number"),
        ({"round": 0}, "position.round: 0 is no whole number from 1"),
        ({"phase": "lunch"}, "position.phase: 'lunch' is not one of add, roll"),
        ({"phase": "roll"}, "position.phase: 'roll' is for two players only"),
        ({"next": 4}, "position.next: 4 is no whole number from 1 to 3"),
        ({"phase": "cut", "next": 1}, "position.next: 1 adds nothing in the phase cut"),
        ({"toppings": []}, "position.toppings: .* is no object with some of red, green, white"),
        ({"toppings": {"blue": []}}, "position.toppings.blue: unknown key"),
        ({"toppings": {"red": "a1"}}, "position.toppings.red: 'a1' is no list"),
        ({"toppings": {"red": ["z1"]}}, r"position.toppings.red\[0\]: 'z1' is not a space of the board"),
        ({"toppings": {"red": [1]}}, r"position.toppings.red\[0\]: 1 is not a space of the board"),
        ({"toppings": {"red": ["a1", "a1"]}}, r"position.toppings.red\[1\]: 'a1' has a topping already"),
        ({"toppings": {"red": ["b3"]}}, "position.toppings.green: 'b3' has a topping of another colour already"),
        ({"toppings": toppings(" ".join(SIXTEEN))}, "position.toppings.red: 16 toppings are more than the 15"),
        ({"cuts": {"red": 1}}, "position.cuts.red: 1 is a cut, but none is made yet in the phase add"),
        ({"phase": "cut", "cuts": {"red": 7}}, "position.cuts.red: 7 is no whole number from 1 to 6"),
        ({"phase": "cut", "cuts": {"red": None}}, "position.cuts.red: None is no whole number"),
        ({"phase": "cut", "cuts": {"red": 1, "green": 1, "white": 1}}, "position.cuts: .* are all made"),
        ({"phase": "replace", "cuts": {"red": 1}}, "position.cuts.green: None is no cut, but all are made"),
        ({"phase": "over"}, r"position.toppings: \[2, 2, 2\] are all fewer than 16"),
    ],
)
def test_what_cannot_be_is_named(position: Any, problem: str) -> None:
    with pytest.raises(PositionError, match=problem):
        GAME.setup(3, {}, position)


@pytest.mark.parametrize(
    ("position", "problem"),
    [
        ({"first": 3}, "position.first: 3 is no whole number from 1 to 2"),
        ({"phase": "cut"}, "position.cuts.white: None is no cut"),
        ({"phase": "unselected"}, "position.cuts.white: None is no cut"),
        ({"phase": "unselected", "cuts": {"white": 1, "red": 2}}, "position.cuts.red: 2 is a cut, but none is made"),
        ({"phase": "roll", "cuts": {"white": 1}}, "position.cuts.white: 1 is a cut, but none is made"),
        (
            {"phase": "unselected", "cuts": {"white": 1}, "toppings": toppings("", "", " ".join(SIXTEEN))},
            "position.toppings.white: 16 toppings are more than the 15",
        ),
    ],
)
def test_what_cannot_be_with_two_players_is_named(position: dict[str, Any], problem: str) -> None:
    with pytest.raises(PositionError, match=problem):
        GAME.setup(2, {}, position)


def test_no_round_after_the_last() -> None:
    with pytest.raises(PositionError, match=r"position.round: 4 is no round from 1 to 3"):
        GAME.setup(3, {"last_round": 3}, {"round": 4})
