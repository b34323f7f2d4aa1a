"""Moves as text, states and moves as JSON."""

import json
from typing import Any

import pytest

from controller.game import IllegalMove, NotationError
from controller.games.pizza_theory import GAME
from controller.games.pizza_theory.rules import Add, Cut, Move, Pass, Place, Replace, Roll
from tests.controller.games.pizza_theory.situations import EXAMPLE, at, play, random_game, toppings


def test_the_moves_of_a_round_as_text() -> None:
    state = at()
    for text in ("P1 adds a1", "P2 adds g1", "P3 adds d4", "P3 cuts 4", "P1 cuts 5", "P2 cuts 6", "P1 replaces"):
        move = GAME.parse(state, text)
        assert GAME.format(state, move) == text
        state = GAME.apply(state, move)


def test_the_moves_of_the_unselected_color_as_text() -> None:
    state = at(2, phase="roll")
    assert GAME.parse(state, "die 4") == Roll(4)
    assert GAME.format(state, Roll(4)) == "die 4"
    state = play(state, "die 1")
    assert GAME.parse(state, "P1 places f1") == Place(1, "f1")
    assert GAME.format(state, Place(1, "f1")) == "P1 places f1"


def test_passing_as_text() -> None:
    full = at(2, phase="unselected", cuts={"white": 1}, toppings=toppings("d1 e1 f1 g1 c1 d2 e2 f2 g2"))
    assert GAME.parse(full, "P1 passes") == Pass(1)
    assert GAME.format(full, Pass(1)) == "P1 passes"


def test_spaces_do_not_matter() -> None:
    assert GAME.parse(at(), "  P1   adds a1 ") == Add(1, "a1")


@pytest.mark.parametrize(
    "text", ["", "P1", "P1 adds", "adds a1", "P1 adds 1a", "P1 add a1", "P1 adds a1 a3", "cuts 5", "P1 cuts five", "🍕"]
)
def test_text_that_is_no_move_is_quoted(text: str) -> None:
    with pytest.raises(NotationError, match="is no move") as caught:
        GAME.parse(at(), text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    "text", ["P1 adds c2", "P1 adds z9", "P2 adds g1", "P1 passes", "P1 cuts 5", "die 9", "P9 passes"]
)
def test_text_of_an_illegal_move_is_refused(text: str) -> None:
    with pytest.raises(IllegalMove):
        GAME.parse(at(), text)


@pytest.mark.parametrize(
    ("move", "data"),
    [
        (Add(2, "d4"), {"move": "add", "player": 2, "space": "d4"}),
        (Pass(1), {"move": "pass", "player": 1}),
        (Roll(3), {"move": "roll", "number": 3}),
        (Place(1, "d4"), {"move": "place", "player": 1, "space": "d4"}),
        (Cut(3, 6), {"move": "cut", "player": 3, "number": 6}),
        (Replace(1), {"move": "replace", "player": 1}),
    ],
)
def test_a_move_as_json(move: Move, data: dict[str, Any]) -> None:
    assert GAME.encode_move(move) == data
    assert GAME.decode_move(data) == move


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (3, "move: 3 is no object"),
        ({}, "move: missing; expected one of add, pass"),
        ({"move": ["add"]}, "none of add"),
        ({"move": "add", "player": 2}, "add.space: missing"),
        ({"move": "add", "player": "2", "space": "d4"}, "add.player: '2' is no whole number"),
        ({"move": "cut", "player": 1, "number": True}, "cut.number: True is no whole number"),
        ({"move": "cut", "player": 1, "number": 1.0}, "cut.number: 1.0 is no whole number"),
        ({"move": "add", "player": 1, "space": 4}, "add.space: 4 is no text"),
        ({"move": "pass", "player": 1, "x": 1}, "pass.x: unknown key"),
    ],
)
def test_json_that_is_no_move_is_named(data: Any, problem: str) -> None:
    with pytest.raises(NotationError, match=problem):
        GAME.decode_move(data)


def test_a_state_as_json() -> None:
    data = GAME.encode_state(at(**EXAMPLE))
    assert data == {
        "players": 3,
        "options": {
            "components": {},
            "colours": ["red", "green", "white"],
            "unselected_fills": "both lose",
            "second_sits": "left",
            "last_round": 0,
        },
        "first": 1,
        "round": 1,
        "phase": "replace",
        "toppings": [
            ["a1", "a2", "a4", "f1", "f3", "f5", "g2"],
            ["b1", "b2", "b4", "c5", "f2"],
            ["d1", "d2", "d6", "e3", "g4"],
        ],
        "order": [],
        "cuts": [5, 6, 4],
    }


@pytest.mark.parametrize("players", [2, 3])
def test_every_state_of_a_game_survives_json(players: int) -> None:
    for state in random_game(players, 3):
        data = GAME.encode_state(state)
        back = GAME.decode_state(json.loads(json.dumps(data)))
        assert back == state
        assert hash(back) == hash(state)
        assert GAME.encode_state(back) == data


def test_a_state_as_json_keeps_options_and_own_pieces() -> None:
    own = {"place.1st.starts": ["c1", "e1"]}
    options = {"components": own, "colours": ["white", "red", "green"], "last_round": 9}
    state = GAME.start(2, options)
    data = GAME.encode_state(state)
    assert data["options"]["components"] == own
    back = GAME.decode_state(data)
    assert back == state
    assert back.options.components.places[0].starts == ("c1", "e1")
    assert back != GAME.start(2, {**options, "components": {}})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"players": 4}, "state.players: 4 is neither 2 nor 3"),
        ({"players": True}, "state.players: True is no whole number"),
        ({"phase": "lunch"}, "state.phase: 'lunch' is none of add"),
        ({"phase": "roll", "order": []}, "state.phase: 'roll' is for two players only"),
        ({"round": None}, "state.round: None is no whole number"),
        ({"round": 0}, "state.round: 0 is no round from 1"),
        ({"first": 4}, "state.first: 4 is none of the players 1 to 3"),
        ({"order": [2, 1]}, r"state.order: \[2, 1\] is not \[1, 2, 3\] or \[2, 3\] or \[3\]"),
        ({"order": []}, r"state.order: \[\] is not"),
        ({"cuts": [None, None]}, "state.cuts: .* are not 3"),
        ({"cuts": [1, None, None]}, r"state.cuts\[0\]: 1 is a cut, but none is made yet in the phase add"),
        ({"cuts": [7, None, None]}, r"state.cuts\[0\]: 7 is no number from 1 to 6"),
        ({"cuts": ["1", None, None]}, r"state.cuts\[0\]: '1' is no whole number"),
        ({"cuts": [1, 2, 3], "phase": "cut", "order": []}, "state.cuts: .* are all made"),
        ({"cuts": [1, 2, None], "phase": "replace", "order": []}, r"state.cuts\[2\]: None is no cut"),
        ({"toppings": [[], []]}, "state.toppings: 2 is not 3"),
        ({"toppings": [["a1"], ["a1"], []]}, r"state.toppings\[1\]: 'a1' has a topping of another colour already"),
        ({"toppings": [["z1"], [], []]}, r"state.toppings\[0\]: 'z1' is no space of the board"),
        ({"toppings": [["a2", "a1"], [], []]}, r"state.toppings\[0\]: .* is not in order, each once"),
        ({"toppings": [["a1", "a1"], [], []]}, r"state.toppings\[0\]: .* is not in order, each once"),
        ({"toppings": 3}, "state.toppings: 3 is no list"),
        ({"toppings": [[[]], [], []]}, r"state.toppings\[0\]\[0\]: \[\] is no text"),
        ({"phase": "over", "order": []}, r"state.toppings: \[2, 2, 2\] are all fewer than 16"),
        ({"options": {}}, "state.options: {} is no object with components"),
        ({"options": 3}, "state.options: 3 is no object"),
        ({"extra": 1}, "state.extra: unknown key"),
    ],
)
def test_json_that_is_no_state_is_named(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(NotationError, match=problem):
        GAME.decode_state({**GAME.encode_state(at()), **change})


def test_a_state_without_a_key_is_named() -> None:
    data = GAME.encode_state(at())
    for key in data:
        with pytest.raises(NotationError, match=f"state.{key}: missing"):
            GAME.decode_state({name: value for name, value in data.items() if name != key})


@pytest.mark.parametrize(
    ("name", "value"),
    [("colours", 3), ("colours", ["red"]), ("unselected_fills", 1), ("last_round", "x"), ("components", [])],
)
def test_json_with_wrong_options_is_named(name: str, value: Any) -> None:
    data = GAME.encode_state(at())
    with pytest.raises(NotationError, match=f"state.options: option {name}"):
        GAME.decode_state({**data, "options": {**data["options"], name: value}})


def test_moves_and_states_are_hashable_values() -> None:
    assert len({Add(1, "a1"), Add(1, "a1"), Place(1, "a1"), Pass(1), Replace(1), Cut(1, 1), Roll(1)}) == 6
    assert len({at(), at(), at(first=2)}) == 2
