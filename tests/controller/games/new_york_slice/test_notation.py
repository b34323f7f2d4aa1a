"""Moves as text, states and moves as JSON."""

from dataclasses import replace
from typing import Any

import pytest

from controller.game import IllegalMove, NotationError
from controller.games.new_york_slice import GAME, rules
from controller.games.new_york_slice.rules import ChooseStack, Decide, Dibs, Divide, Mystery, Reveal, Sneak, Take
from tests.controller.games.new_york_slice.situations import (
    RING,
    game,
    having,
    in_round,
    owning,
    play,
    quarters,
    served,
)


def test_the_moves_of_a_round_as_text() -> None:
    state = game()
    texts = [
        "stack 3",
        f"pizza stuffed-crust: {' '.join(RING)}",
        "divide 4/1 combo-9-11 anchovy + special | supreme 9/2 | 9/9 5/1 7/1 | 7/2 11/1 11/10",
        "P2 takes C",
        "P2 eats 5/1 7/1",
        "P3 takes B",
        "P3 eats nothing, supreme as 9",
    ]
    for text in texts:
        move = GAME.parse(state, text)
        assert GAME.format(state, move) == text
        state = GAME.apply(state, move)


def test_a_special_alone_as_text() -> None:
    state = served(game())
    ring = state.ring
    move = Divide((ring[:4], (), ring[4:8], ring[8:]), 1)
    text = GAME.format(state, move)
    assert "| special |" in text
    assert GAME.parse(state, text) == move


def test_specials_as_text() -> None:
    state = served(owning(in_round(game(), 2), 4, rules.DIBS, rules.CUT_IN_LINE, rules.SNEAK_A_SLICE))
    assert GAME.format(state, Dibs(4, "7/1", True)) == "P4 dibs 7/1 eat"
    with_eight = having(state, 4, collected="8/1")
    assert GAME.format(with_eight, Dibs(4, "supreme", False, "8")) == "P4 dibs supreme collect as 8"
    assert GAME.format(quarters(state), Sneak(4, "9/2", 2)) == "P4 sneak 9/2 to C"
    mystery = play(quarters(served(game(), special=rules.MYSTERY_SLICE)), Take(2, 0))
    assert GAME.format(mystery, Mystery(None)) == "mystery unseen"
    assert GAME.parse(mystery, "mystery 8/1") == Mystery("8/1")
    eaten = Decide(2, frozenset({"4/1"}), None, mystery_eaten=True)
    assert GAME.format(play(mystery, Mystery(None)), eaten) == "P2 eats 4/1 mystery"


def test_spaces_do_not_matter() -> None:
    assert GAME.parse(game(), "  stack   2 ") == ChooseStack(2)


@pytest.mark.parametrize("text", ["", "stack", "stack x", "P2 take B", "P2 takes 1", "pizza", "🍕", "P2 eats"])
def test_text_that_is_no_move_is_quoted(text: str) -> None:
    with pytest.raises(NotationError, match="is no move") as caught:
        GAME.parse(game(), text)
    assert repr(text) in str(caught.value)


def test_text_of_an_illegal_move_is_refused() -> None:
    with pytest.raises(IllegalMove, match="Choose one of the stacks left"):
        GAME.parse(game(), "stack 9")


def test_divisions_that_make_no_sense_are_refused() -> None:
    for text in ("divide |", "divide special", "divide | | |", "divide 1 + + special | 2"):
        with pytest.raises(IllegalMove):
            GAME.parse(served(game()), text)


def test_a_move_as_json() -> None:
    move = Decide(2, frozenset({"9/2", "5/1"}), "9")
    data = GAME.encode_move(move)
    assert data == {"move": "decide", "player": 2, "eaten": ["5/1", "9/2"], "attach": "9", "mystery_eaten": False}
    assert GAME.decode_move(data) == move


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (3, "move: 3 is no object"),
        ({}, "move: missing; expected one of stack, pizza"),
        ({"move": ["take"]}, "none of stack"),
        ({"move": "take", "player": 2}, "take.portion: missing"),
        ({"move": "take", "player": "2", "portion": 0}, "take.player: '2' is no whole number"),
        ({"move": "take", "player": True, "portion": 0}, "take.player: True is no whole number"),
        ({"move": "take", "player": 2, "portion": 0, "x": 1}, "take.x: unknown key"),
        ({"move": "pizza", "special": "special/dibs", "ring": "7/1"}, "pizza.ring: '7/1' is no list"),
        ({"move": "pizza", "special": "special/dibs", "ring": [1]}, r"pizza.ring\[0\]: 1 is no text"),
        ({"move": "divide", "portions": [["7/1"], 3], "special_in": 0}, r"divide.portions\[1\]: 3 is no list"),
    ],
)
def test_json_that_is_no_move_is_named(data: Any, problem: str) -> None:
    with pytest.raises(NotationError, match=problem):
        GAME.decode_move(data)


def test_a_state_as_json_keeps_options_and_own_pieces() -> None:
    state = game(sneak_may_empty=True, components={"9/9": {"pepperoni": 1}})
    data = GAME.encode_state(state)
    assert data["options"]["components"] == {"9/9": {"pepperoni": 1, "anchovies": 1}}
    assert GAME.decode_state(data) == state


def test_json_that_is_no_state_is_named() -> None:
    data = GAME.encode_state(game())
    for change, problem in (
        ({"phase": "lunch"}, "state.phase: 'lunch' is none of stack"),
        ({"round": None}, "state.round: None is no whole number"),
        ({"holdings": [{}]}, r"state.holdings\[0\].collected: missing"),
        ({"options": {}}, "state.options.components: missing"),
    ):
        with pytest.raises(NotationError, match=problem):
            GAME.decode_state({**data, **change})


def test_more_slices_eaten_unseen_than_there_are_take_no_memory() -> None:
    state = game()
    holding = replace(state.holdings[0], unseen_eaten=10**15)
    data = GAME.encode_state(replace(state, holdings=(holding, *state.holdings[1:])))
    with pytest.raises(NotationError, match="1000000000000000 slices eaten unseen are not possible"):
        GAME.decode_state(data)


def test_moves_are_hashable_values() -> None:
    moves = {Reveal(rules.BUFFET, RING), Reveal(rules.BUFFET, RING), Take(1, 0), Decide(1, frozenset())}
    assert len(moves) == 3


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("divide 4/1 + special | supreme 9/2 + special | 9/9 5/1 | 7/1 7/2 11/1", "two portions"),
        ("P2 eats nothing 7/1", "nothing and something"),
        ("P2 eats 7/1 7/1", "a slice twice"),
        ("P2 seconds 7/1 7/1", "a slice twice"),
    ],
)
def test_text_that_contradicts_itself_is_no_move(text: str, problem: str) -> None:
    with pytest.raises(NotationError, match=problem):
        GAME.parse(served(game()), text)
