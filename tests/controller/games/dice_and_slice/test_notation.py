"""Moves as text, moves and states as JSON, and what is said of what is neither."""

import json
from copy import deepcopy
from typing import Any

import pytest

from controller.game import IllegalMove, NotationError
from controller.games.dice_and_slice import GAME
from controller.games.dice_and_slice.rules import ExtraDot, Move, Pick, Roll, State, Stop
from tests.controller.games.dice_and_slice.situations import game, mark, outline, play, rolled, turn, with_dots


def enclosed() -> State:
    """Player 1 may place extra dots."""
    return turn(with_dots(game(), 1, outline("b2-d4") - {"b2"}), "b2")


@pytest.mark.parametrize(
    ("state", "text", "move"),
    [
        (game(), "roll A3 B5", Roll(("A3", "B5"))),
        (rolled(game(2, first=2)), "P2 picks B", Pick(2, "B")),
        (play(rolled(game(), "A6"), Pick(1, "A")), "P1 marks d4 e4 c5 d5", mark(1, "c5 d5 d4 e4")),
        (enclosed(), "P1 adds m10 for mushroom-b2", ExtraDot(1, "mushroom-b2", "m10")),
        (enclosed(), "P1 stops", Stop(1)),
    ],
)
def test_notation_and_back(state: State, text: str, move: Move) -> None:
    assert GAME.format(state, move) == text
    assert GAME.parse(state, text) == move
    assert GAME.parse(state, "  " + text.replace(" ", "   ")) == move
    assert GAME.decode_move(json.loads(json.dumps(GAME.encode_move(move)))) == move


@pytest.mark.parametrize(
    "text", ["", "roll", "roll A1", "p1 picks A", "P1 marks", "P1 adds a1", "P1 stops now", "1 stops", "P1 marks a1 a1"]
)
def test_other_text_is_no_move(text: str) -> None:
    state = play(rolled(game()), Pick(1, "A"))
    with pytest.raises(NotationError) as caught:
        GAME.parse(state, text)
    assert repr(text) in str(caught.value)


def test_the_rules_refuse_what_they_refuse() -> None:
    with pytest.raises(IllegalMove, match="Marking the dot arrangement"):
        GAME.parse(play(rolled(game()), Pick(1, "A")), "P1 marks a1 b1")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (None, "move: None is no object"),
        ({"move": "jump"}, "move: 'jump' is none of roll, pick"),
        ({"move": ["roll"]}, "is none of roll"),
        ({"move": "pick", "player": 1}, "pick.die: missing"),
        ({"move": "pick", "player": "1", "die": "A"}, "pick.player: '1' is no whole number"),
        ({"move": "pick", "player": True, "die": "A"}, "pick.player: True is no whole number"),
        ({"move": "mark", "player": 1, "dots": "a1"}, "mark.dots: 'a1' is no list"),
        ({"move": "mark", "player": 1, "dots": [1]}, r"mark.dots\[0\]: 1 is no text"),
        ({"move": "stop", "player": 1, "die": "A"}, "stop.die: unknown key"),
    ],
)
def test_json_that_is_no_move(data: Any, problem: str) -> None:
    with pytest.raises(NotationError, match=problem):
        GAME.decode_move(data)


def changed(path: tuple[str | int, ...], value: Any) -> Any:
    """The JSON of a state with one value changed, or taken away."""
    data = deepcopy(GAME.encode_state(enclosed()))
    place = data
    for key in path[:-1]:
        place = place[key]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return data


def test_states_name_dots_toppings_and_bonuses() -> None:
    sheet = GAME.encode_state(enclosed())["sheets"][0]
    assert sheet["dots"] == ["b2", "c2", "d2", "b3", "d3", "b4", "c4", "d4"]
    assert sheet["earned"] == ["mushroom-b2", "salami-c2"]
    assert sheet["bonuses"] == ["mushroom-salami"]


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        (("players",), 7, "state.players: 7"),
        (("players",), 3, "state.sheets: 2 sheets"),
        (("first",), 0, "state.first: 0"),
        (("turn",), 0, "state.turn: 0"),
        (("turn",), ..., "state.turn: missing"),
        (("phase",), "dance", "state.phase: 'dance' is none of roll"),
        (("phase",), "roll", "state.roll"),
        (("roll",), [], "state.roll"),
        (("roll",), ["A9", "B1"], "state.roll"),
        (("picked",), None, "state.picked"),
        (("picked",), "C", "state.picked"),
        (("closed",), ["none"], r"state.closed\[0\]: 'none'"),
        (("sheets",), {}, "state.sheets: {} is no list"),
        (("sheets", 0, "dots"), ["b2", "a2"], "out of order"),
        (("sheets", 0, "dots"), ["b2", "b2"], "twice"),
        (("sheets", 0, "dots"), ["z2"], r"state.sheets\[0\].dots\[0\]: 'z2' is none of"),
        (("sheets", 0, "dots"), "b2", "is no list"),
        (("sheets", 0, "crossed"), ["mushroom-b2"], r"state.sheets\[0\].earned"),
        (("sheets", 0, "marked"), False, r"state.sheets\[0\].earned"),
        (("sheets", 0, "marked"), 1, r"state.sheets\[0\].marked: 1 is no true or false"),
        (("sheets", 0, "pencil"), 1, "pencil: unknown key"),
        (("options", "components"), {"die": 3}, "state.options.components: die"),
        (("options", "rest_gives_dot"), 0, "rest_gives_dot: 0 is no true or false"),
        (("options",), 3, "state.options: 3 is no object"),
    ],
)
def test_json_that_is_no_state(path: tuple[str | int, ...], value: Any, problem: str) -> None:
    with pytest.raises(NotationError, match=problem):
        GAME.decode_state(changed(path, value))


def test_json_of_a_turn_that_waits_for_nobody_is_no_state() -> None:
    data = changed(("sheets", 0, "earned"), [])
    data["sheets"][1]["marked"] = True
    with pytest.raises(NotationError, match="everybody is done"):
        GAME.decode_state(data)


@pytest.mark.parametrize("data", [None, [], 3, "state", {}])
def test_json_that_is_nothing_like_a_state(data: Any) -> None:
    with pytest.raises(NotationError):
        GAME.decode_state(data)


def test_json_of_a_player_who_could_never_mark_is_no_state() -> None:
    state = play(rolled(game(), "A4", "B5"), Pick(1, "A"))
    data = GAME.encode_state(with_dots(state, 2, set(state.options.components.grid.names) - {"a1"}))
    with pytest.raises(NotationError, match=r"sheets\[1\].marked: false"):
        GAME.decode_state(data)
