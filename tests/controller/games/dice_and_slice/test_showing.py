"""What a display is told."""

import json
from random import Random

from controller.games.dice_and_slice import GAME
from controller.games.dice_and_slice.rules import Pick, Stop
from tests.controller.games.dice_and_slice.situations import (
    FINISHED,
    game,
    mark,
    outline,
    play,
    rolled,
    turn,
    with_dots,
)


def test_everybody_sees_the_same_and_it_is_json() -> None:
    state = turn(with_dots(game(3), 1, outline("b2-d4") - {"b2"}), "b2")
    shown = GAME.view(state, None)
    assert json.loads(json.dumps(shown)) == shown
    assert all(GAME.view(state, player) == shown for player in (1, 2, 3))
    assert all(GAME.determinize(state, player, Random(1)) == state for player in (None, 1, 2, 3))


def test_a_sheet_is_shown_with_its_lines_and_slices() -> None:
    state = turn(with_dots(game(), 1, outline("b2-d4") - {"b2"}), "b2")
    mine = GAME.view(state, 2)["players"][0]
    assert mine["dots"] == ["b2", "c2", "d2", "b3", "d3", "b4", "c4", "d4"]
    assert set(mine["lines"]) == {"b2-c2", "c2-d2", "b2-b3", "b3-b4", "d2-d3", "d3-d4", "b4-c4", "c4-d4"}
    assert mine["slices"] == [
        {
            "slice": "b2-d4",
            "width": 2,
            "height": 2,
            "squares": 4,
            "points": 10,
            "toppings": ["mushroom-b2", "salami-c2"],
        }
    ]
    assert mine["extra_dots_for"] == ["mushroom-b2", "salami-c2"]
    assert mine["total_so_far"] == 30


def test_what_is_still_too_large_is_shown() -> None:
    players = GAME.view(with_dots(game(), 1, outline("a1-m10", "a1-e5")), 1)["players"]
    assert [(one["size"], one["enclosed"]) for one in players[0]["too_large"]] == [(16, True), (92, True)]
    assert [(one["size"], one["enclosed"]) for one in players[1]["too_large"]] == [(108, False)]
    assert players[0]["perimeter"] == {"sliced": 42, "of": 42}
    assert players[1]["perimeter"] == {"sliced": 0, "of": 42}
    assert not players[0]["finished"]
    finished = GAME.view(with_dots(game(), 1, FINISHED), 1)["players"][0]
    assert finished["finished"]
    assert finished["too_large"] == []


def test_toppings_that_score_no_further_bonus_are_shown() -> None:
    state = turn(with_dots(game(), 1, outline("b2-d4") - {"b2"}), "b2")
    players = GAME.view(state, 1)["players"]
    assert [(one["counted"], one["crossed"]) for one in players] == [(["mushroom-b2", "salami-c2"], []), ([], [])]


def test_bonuses_are_shown_with_who_scored_them() -> None:
    state = turn(with_dots(game(), 1, outline("b2-d4") - {"b2"}), "b2")
    shown = {one["bonus"]: one for one in GAME.view(state, 1)["bonuses"]}
    assert shown["mushroom-salami"]["scored_by"] == [1]
    assert not shown["mushroom-salami"]["closed"]
    assert shown["just-olive"]["scored_by"] == []
    after = play(state, Stop(1), mark(2, "a1"))
    assert {one["bonus"]: one["closed"] for one in GAME.view(after, 1)["bonuses"]}["mushroom-salami"]


def test_dice_and_the_ways_to_mark_them_are_shown() -> None:
    state = play(rolled(game(3), "A1", "B4"), Pick(1, "B"))
    shown = GAME.view(state, 1)
    assert [(one["face"], one["picked"], one["used_by"]) for one in shown["dice"]] == [
        ("A1", False, [2, 3]),
        ("B4", True, [1]),
    ]
    assert shown["players"][0]["placements"] == {"B4": 12 * 10 + 13 * 9}
    assert shown["players"][1]["placements"] == {"A1": 12 * 10 + 13 * 9}
    assert shown["waiting_for"] == [1, 2, 3]
    assert GAME.view(play(state, mark(2, "a1 b1")), 1)["players"][1]["placements"] == {}


def test_both_dice_are_counted_before_one_is_picked() -> None:
    shown = GAME.view(rolled(game(), "A1", "B2"), 1)
    assert [one["placements"] for one in shown["players"]] == [{"A1": 237, "B2": 130}] * 2
    assert GAME.view(game(), 1)["dice"] == []


def test_the_sheet_itself_is_shown() -> None:
    sheet = GAME.view(game(), 1)["sheet"]
    assert (sheet["columns"], sheet["rows"], sheet["largest"]) == (12, 9, 15)
    assert {"topping": "olive-d1", "kind": "olive", "square": "d1"} in sheet["toppings"]
    assert sheet["points"]["15"] == 120
