"""Positions as people write them: what they mean, and what cannot be."""

from random import Random
from typing import Any

import pytest

from controller.game import PositionError
from controller.games.new_york_slice import GAME, rules
from controller.games.new_york_slice.rules import Decide, Holding, Mystery, OwnedSpecial, Phase, Portion, Take
from tests.controller.games.new_york_slice.situations import RING, game, play, quarters, served

SECOND = ["3/1", "3/2", "7/3", "7/4", "8/1", "8/2", "9/1", "10/1", "10/2", "11/2", "11/3"]
ONE_ROUND: dict[str, Any] = {
    "round": 2,
    "players": {
        "1": {"collected": ["3/1", "3/2", "7/3"], "eaten": ["8/1"], "specials": [{"special": "cut-in-line"}]},
        "2": {"collected": ["supreme", "7/4"], "supreme_as": "7"},
        "3": {"collected": ["8/2", "9/1", "10/1"], "eaten": ["11/2", "11/3"]},
    },
}
PIZZA = {"phase": "divide", "special": "dibs", "pizza": SECOND}
PORTIONS: list[dict[str, Any]] = [
    {"slices": SECOND[:2]},
    {"slices": SECOND[2:5], "special": True},
    {"slices": SECOND[5:]},
]


def setup(described: Any, players: int = 3) -> rules.State:
    return GAME.setup(players, {}, described)


def described(**changes: Any) -> dict[str, Any]:
    return ONE_ROUND | changes


def test_nothing_said_is_the_start() -> None:
    assert setup({}) == game(3)
    assert setup({"first": 2}) == game(3, 2)
    assert GAME.position(game(3)) == {}


def test_a_round_later_everything_else_follows() -> None:
    state = setup(ONE_ROUND)
    assert (state.phase, state.slicer, state.stacks) == (Phase.STACK, 2, (2, 3, 4, 5, 6))
    assert state.holdings[0] == Holding(
        ("3/1", "3/2", "7/3"), ("8/1",), (OwnedSpecial(rules.CUT_IN_LINE, 1),)
    )  # fmt: skip
    assert state.holdings[1].supreme_as == "7"
    assert len(state.unseen) == 6 * 11 + 3 - 11
    assert rules.CUT_IN_LINE not in state.unseen_specials
    assert GAME.position(state) == ONE_ROUND


def test_the_stacks_served_may_be_named() -> None:
    assert setup(described(served=[5])).stacks == (1, 2, 3, 4, 6)
    assert GAME.position(setup(described(served=[5])))["served"] == [5]
    assert "served" not in GAME.position(setup(described(served=[1])))


def test_a_circle_may_begin_anywhere_and_portions_too() -> None:
    turned = {
        "phase": "choose",
        "special": "dibs",
        "pizza": SECOND[4:] + SECOND[:4],
        "portions": PORTIONS[1:] + PORTIONS[:1],
    }
    assert setup(turned) == setup({"phase": "choose", "special": "dibs", "pizza": SECOND, "portions": PORTIONS})
    assert setup(turned).order == (2, 3, 1)


def test_who_has_taken_is_not_to_choose_any_more() -> None:
    portions = [{**PORTIONS[0], "taken_by": 2}, *PORTIONS[1:]]
    state = setup(
        {"phase": "decide", "special": "dibs", "pizza": SECOND, "portions": portions, "deciding": "A"}
    )  # fmt: skip
    assert (state.taker, state.taken, state.order) == (2, ("3/1", "3/2"), (3, 1))
    assert state.portions[0] == Portion(("3/1", "3/2"), special=False, taken_by=2)


def test_it_can_be_played_on() -> None:
    state = play(setup(ONE_ROUND), rules.ChooseStack(4))
    assert state.phase is Phase.REVEAL


@pytest.mark.parametrize(
    ("position", "said"),
    [
        (None, "position: None is no object"),
        ({"rond": 2}, "position.rond: unknown key"),
        ({"round": 7}, "position.round: 7 is no whole number from 1 to 6"),
        ({"round": True}, "position.round: True is no whole number"),
        ({"first": 4}, "position.first: 4 is no whole number from 1 to 3"),
        ({"phase": "chose"}, "position.phase: 'chose' is not one of stack, reveal"),
        ({"phase": "over"}, "position.round: 1 is not 6, the last one"),
        ({"players": {"4": {}}}, "position.players.4: unknown key; expected some of 1, 2, 3"),
        ({"players": {"1": {"hand": []}}}, "position.players.1.hand: unknown key"),
        ({"players": {"1": {"collected": "3/1"}}}, "position.players.1.collected: '3/1' is no list"),
        ({"players": {"1": {"collected": ["10/1"]}}}, "1 in front of players are not 0, the slices of 0 pizzas"),
        (
            {"players": {"1": {"collected": ["combo-1-2"]}}},
            r"collected\[0\]: 'combo-1-2' is not a slice in a game of 3",
        ),
        (described(served=[1, 2]), "position.served: .* are not the numbers of 1 different stacks"),
        (described(round=1), "11 in front of players are not 0"),
        (described(phase="divide", special="dibs"), "position.pizza: missing; phase divide needs it"),
        (described(pizza=SECOND), "position.pizza: .* does not belong to phase stack"),
        (described(special="dibs"), "position.special: 'dibs' does not belong to phase stack"),
        ({**PIZZA, "pizza": [*SECOND[:10], "3/1"]}, "position.pizza: '3/1' is also in position.pizza"),
        ({**PIZZA, "pizza": SECOND[:10]}, "10 slices on the table and 0 in front of players are not 11"),
        ({**PIZZA, "special": "dib"}, "position.special: 'dib' is not one of buffet"),
        ({**PIZZA, "round": 6}, "0 in front of players are not 66"),
        ({**PIZZA, "phase": "redraw"}, "position.phase: 'redraw' does not go with the Special dibs in round 1"),
        ({**PIZZA, "set_aside": ["dibs"]}, "position.set_aside: a Special is in two places"),
        ({**PIZZA, "phase": "choose"}, "position.portions: missing"),
        ({**PIZZA, "phase": "choose", "portions": PORTIONS[:2]}, "are not 3 portions"),
        ({**PIZZA, "phase": "choose", "portions": [*PORTIONS[:2], PORTIONS[0]]}, "slices of position.pizza, each once"),
        (
            {**PIZZA, "phase": "choose", "portions": [PORTIONS[1], PORTIONS[0], PORTIONS[2]]},
            "no division .* not in the order",
        ),
        (
            {**PIZZA, "phase": "choose", "portions": [{**one, "special": True} for one in PORTIONS]},
            "exactly one portion",
        ),
        (
            {**PIZZA, "phase": "choose", "portions": [{**one, "taken_by": 2} for one in PORTIONS]},
            "taken by player 2 more often",
        ),
        (
            {**PIZZA, "phase": "choose", "portions": [{**PORTIONS[0], "taken_by": 2}, *PORTIONS[1:]]},
            "9 slices on the table and 0 in front of players are not 11",
        ),
        ({**PIZZA, "phase": "decide", "portions": PORTIONS}, "position.deciding: missing"),
        ({**PIZZA, "phase": "decide", "portions": PORTIONS, "deciding": "A"}, "'A' is a portion that nobody has taken"),
        ({**PIZZA, "phase": "decide", "portions": PORTIONS, "deciding": "AB"}, "'AB' is not a portion from A to C"),
        ({**PIZZA, "phase": "choose", "portions": PORTIONS, "sneaked": 2}, "position.sneaked: 2 is no player who"),
        ({**PIZZA, "mystery": "3/3"}, "position.mystery: '3/3' is in nobody's hand"),
        (
            described(players={**ONE_ROUND["players"], "1": {"collected": ["3/1", "3/2", "7/3", "8/1"]}}),
            "specials of the rounds .* are not one of each from 1 to 1",
        ),
        (
            described(players={**ONE_ROUND["players"], "2": {"collected": ["supreme", "7/4"]}}),
            "position.players.2.supreme_as: None is missing",
        ),
        (
            described(players={**ONE_ROUND["players"], "2": {"collected": ["4/1", "7/4"], "supreme_as": "7"}}),
            "position.players.2.supreme_as: '7' cannot be",
        ),
        (
            described(players={**ONE_ROUND["players"], "2": {"collected": ["supreme"], "eaten_unseen": [None]}}),
            "eaten_unseen: 1 slices eaten unseen are not possible",
        ),
        (
            described(players={"1": {"specials": [{"special": "buffet", "used": True}]}}),
            r"specials\[0\].used: True is not false; only one of cut-in-line",
        ),
        (described(players={"1": {"specials": [{}]}}), r"specials\[0\]: {} lacks the key special"),
    ],
)
def test_what_cannot_be_is_named(position: Any, said: str) -> None:
    with pytest.raises(PositionError, match=said):
        setup(position)


# Secrets --------------------------------------------------------------------------------------------------------------


def with_mystery_eaten() -> rules.State:
    """Player 2 has eaten the Mystery slice 8/1 unseen, with three others watching."""
    state = quarters(served(game(4), special=rules.MYSTERY_SLICE))
    return play(state, Take(2, 0), Mystery("8/1"), Decide(2, frozenset(), None, mystery_eaten=True))


def test_only_its_owner_knows_a_mystery_slice_eaten_unseen() -> None:
    state = with_mystery_eaten()
    others = [GAME.determinize(state, 1, Random(seed)).holdings[1].unseen_faces[0] for seed in range(40)]
    assert len(set(others)) > 10
    eatable = rules.could_be_eaten_unseen(state, 2, state.unseen | {"8/1"})
    assert set(others) <= eatable
    assert not eatable & {"3/3", "combo-5-7", "combo-4-6", "7/7"}
    assert GAME.determinize(state, 2, Random(1)) == state
    for viewer in (None, 1, 2, 3, 4):
        assert GAME.view(GAME.determinize(state, viewer, Random(2)), viewer) == GAME.view(state, viewer)


def test_only_its_taker_knows_the_mystery_slice_in_hand() -> None:
    state = play(quarters(served(game(4), special=rules.MYSTERY_SLICE)), Take(2, 0), Mystery("8/1"))
    drawn = {GAME.determinize(state, None, Random(seed)).mystery for seed in range(40)}
    assert len(drawn) > 10
    assert not drawn & set(RING)
    assert GAME.determinize(state, 2, Random(1)) == state


def test_advice_does_not_know_what_its_player_may_not_know() -> None:
    state = with_mystery_eaten()
    for seed in range(5):
        assert GAME.advise(GAME.determinize(state, 3, Random(seed)), 3) == GAME.advise(state, 3)
