"""Positions as a person writes them."""

import json
from random import Random
from typing import Any

import pytest

from controller.game import Actor, OptionError, PositionError
from controller.games.dice_and_slice import GAME
from controller.games.dice_and_slice.rules import Phase, State, Stop
from tests.controller.games.dice_and_slice.situations import (
    FINISHED,
    OWN,
    TINY,
    bonuses,
    extra_dots_for,
    game,
    mark,
    outline,
    play,
    turn,
    with_dots,
)

FINISHED_DOTS = " ".join(FINISHED)
CORNERLESS = " ".join(set(GAME.components.grid.names) - {"a1"})


def setup(position: Any, players: int = 2) -> State:
    return GAME.setup(players, {"components": OWN}, position)


def test_nothing_said_is_the_start() -> None:
    for players in (2, 6):
        assert GAME.setup(players, {}, {}) == GAME.start(players, {})
        assert GAME.position(GAME.start(players, {})) == {}


@pytest.mark.parametrize("pieces", [OWN, TINY, {}])
@pytest.mark.parametrize("players", [2, 3])
def test_every_state_of_a_game_can_be_described(pieces: dict[str, Any], players: int) -> None:
    random = Random(players)
    options = {"components": pieces}
    state = GAME.start(players, options, players)
    while True:
        described = json.loads(json.dumps(GAME.position(state)))
        again = GAME.setup(players, options, described)
        assert again == state
        assert GAME.encode_state(again) == GAME.encode_state(state)
        if GAME.turn(state).actor is Actor.NOBODY:
            break
        state = GAME.apply(state, random.choice(list(GAME.legal(state))))


def test_a_description_is_compact() -> None:
    state = turn(with_dots(game(), 1, outline("b2-d4") - {"b2"}), "b2")
    assert GAME.position(state) == {
        "roll": ["A4", "B2"],
        "picked": "A",
        "scored_this_turn": ["mushroom-salami"],
        "sheets": {
            "1": {
                "dots": "b2 c2 d2 b3 d3 b4 c4 d4",
                "counted": ["mushroom-b2", "salami-c2"],
                "bonuses": ["mushroom-salami"],
                "marked": True,
                "earned": ["mushroom-b2", "salami-c2"],
            }
        },
    }


def test_a_described_turn_goes_on() -> None:
    dots = " ".join(outline("b2-d4"))
    sheet = {"dots": dots, "marked": True, "earned": ["salami-c2"], "crossed": ["mushroom-b2"]}
    state = setup({"turn": 2, "roll": ["A1", "B2"], "picked": "B", "sheets": {"1": sheet}})
    assert state.active == 2
    assert extra_dots_for(state, 1) == ["salami-c2"]
    assert play(state, mark(2, "e5"), Stop(1)).phase is Phase.ROLL


def test_a_bonus_scored_before_is_closed_unless_said_otherwise() -> None:
    sheet = {
        "dots": " ".join(outline("h3-k5")),
        "bonuses": ["just-olive"],
        "counted": ["olive-i4"],
    }
    state = setup({"sheets": {"1": sheet, "2": {"dots": " ".join(outline("d1-f3") - {"d1"})}}})
    assert bonuses(turn(state, "a1", "d1"), 2) == []


@pytest.mark.parametrize("said", [{}, {"over": True}])
def test_a_finished_sheet_ends_the_game(said: dict[str, Any]) -> None:
    state = setup({"sheets": {"1": {"dots": FINISHED_DOTS}}, **said})
    assert state.phase is Phase.OVER
    assert GAME.winners(state) == (1,)


def test_a_game_that_nobody_can_go_on_with_may_be_over() -> None:
    diamonds = {"die": {"A": {"1": {"dots": [".o.", "o.o", ".o."], "connected": False}}}}
    sheets = {"1": {"dots": CORNERLESS}, "2": {"dots": CORNERLESS}}
    assert GAME.setup(2, {"components": diamonds}, {"sheets": sheets, "over": True}).phase is Phase.OVER
    assert GAME.setup(2, {"components": diamonds}, {"sheets": sheets}).phase is Phase.ROLL
    with pytest.raises(PositionError, match=r"position\.over"):
        setup({"sheets": sheets, "over": True})


@pytest.mark.parametrize(
    ("position", "problem"),
    [
        ([], r"position: \[\] is no object"),
        ({"round": 1}, "position.round: unknown key"),
        ({"turn": 0}, "position.turn: 0"),
        ({"first": 3}, "position.first: 3"),
        ({"roll": ["A1"]}, "position.roll"),
        ({"roll": ["B1", "A1"]}, "position.roll"),
        ({"roll": ["A1", "B9"]}, r"position.roll\[1\]: 'B9'"),
        ({"picked": "A"}, "position.picked: 'A'"),
        ({"roll": ["A1", "B1"], "picked": "C"}, "position.picked: 'C'"),
        ({"over": True}, "position.over: no sheet"),
        ({"over": False, "sheets": {"1": {"dots": FINISHED_DOTS}}}, "position.over: False"),
        ({"roll": ["A1", "B1"], "sheets": {"1": {"dots": FINISHED_DOTS}}}, "position.roll"),
        ({"roll": ["A1", "B1"], "picked": "A", "sheets": {"1": {"dots": FINISHED_DOTS}}}, "sheets.1.dots: this sheet"),
        ({"sheets": {"3": {}}}, "position.sheets.3: unknown key"),
        ({"sheets": {"1": {"lines": []}}}, "position.sheets.1.lines: unknown key"),
        ({"sheets": {"1": {"dots": ["a1"]}}}, "position.sheets.1.dots"),
        ({"sheets": {"1": {"dots": "a1 n1"}}}, "position.sheets.1.dots: 'n1' is no dot"),
        ({"sheets": {"1": {"dots": "a1 a1"}}}, "position.sheets.1.dots: 'a1' stands there twice"),
        ({"sheets": {"1": {"crossed": ["olive-d1"]}}}, "sheets.1.crossed.* olive-d1 has never been in a scorable"),
        ({"sheets": {"1": {"crossed": ["pineapple"]}}}, r"sheets.1.crossed\[0\]: 'pineapple'"),
        ({"sheets": {"1": {"bonuses": ["just-olive"]}}}, "sheets.1.bonuses.* no slice with the toppings of just-olive"),
        ({"sheets": {"1": {"marked": True}}}, "sheets.1.marked: true, but no die"),
        ({"sheets": {"1": {"marked": 1}}}, "sheets.1.marked: 1"),
        ({"scored_this_turn": ["just-olive"]}, "position.scored_this_turn"),
        ({"roll": ["A1", "B5"], "picked": "A", "sheets": {"2": {"dots": CORNERLESS}}}, "sheets.2.marked: false"),
    ],
)
def test_what_is_no_position(position: Any, problem: str) -> None:
    with pytest.raises(PositionError, match=problem):
        setup(position)


SLICE = " ".join(outline("b2-d4"))


@pytest.mark.parametrize(
    ("sheet", "problem"),
    [
        ({"dots": SLICE, "earned": ["salami-c2"]}, "earned.*only where marked is true"),
        ({"dots": SLICE, "marked": True, "earned": ["salami-c2"], "crossed": ["salami-c2"]}, "earned.*without a cross"),
        ({"dots": SLICE, "counted": ["salami-c2"]}, "salami-c2 counted without"),
        ({"dots": SLICE, "bonuses": ["mushroom-salami"], "counted": ["salami-c2"]}, "toppings of mushroom-salami"),
        ({"dots": SLICE, "crossed": ["salami-c2", "salami-c2"]}, r"crossed\[1\].*twice"),
    ],
)
def test_what_a_sheet_cannot_hold(sheet: dict[str, Any], problem: str) -> None:
    with pytest.raises(PositionError, match=problem):
        setup({"roll": ["A4", "B2"], "picked": "A", "sheets": {"1": sheet}})


def test_a_turn_that_is_over_is_no_position() -> None:
    sheets = {"1": {"dots": "a1", "marked": True}, "2": {"dots": "a1", "marked": True}}
    with pytest.raises(PositionError, match="the turn is over"):
        setup({"roll": ["A4", "B2"], "picked": "A", "sheets": sheets})


def test_who_has_not_marked_has_scored_nothing_this_turn() -> None:
    sheet = {"dots": SLICE, "bonuses": ["mushroom-salami"], "counted": ["mushroom-b2", "salami-c2"]}
    position = {"roll": ["A4", "B2"], "picked": "A", "scored_this_turn": ["mushroom-salami"], "sheets": {"1": sheet}}
    with pytest.raises(PositionError, match="only by who has marked"):
        setup(position)


def test_wrong_players_and_options_are_option_errors() -> None:
    with pytest.raises(OptionError):
        GAME.setup(7, {}, {})
    with pytest.raises(OptionError):
        GAME.setup(2, {"colour": "red"}, {})
