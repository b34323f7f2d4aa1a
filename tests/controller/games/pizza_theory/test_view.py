"""What a display is told, and what each viewer may not know."""

import json
from itertools import pairwise
from random import Random

import pytest

from controller.games.pizza_theory import GAME, rules
from controller.games.pizza_theory.rules import Phase
from tests.controller.games.pizza_theory.situations import EXAMPLE, at, play, random_game, toppings


def test_legal_spaces_of_everybody_still_to_add() -> None:
    shown = GAME.view(play(at(), "P1 adds a1"), None)
    assert [bool(one["legal_spaces"]) for one in shown["players"]] == [False, True, True]
    assert shown["players"][1]["legal_spaces"] == list(rules.available(play(at(), "P1 adds a1"), 2))


def test_legal_spaces_of_the_unselected_color() -> None:
    state = at(2, phase="unselected", cuts={"white": 1})
    assert GAME.view(state, None)["unselected"]["legal_spaces"] == list(rules.touching(state))


def test_the_board_for_drawing() -> None:
    board = GAME.view(at(), None)["board"]
    assert len(board["spaces"]) == 37
    assert board["spaces"]["d1"] == [0.0, -3.0]
    assert board["spaces"]["d4"] == [0.0, 0.0]
    # Line 4 of the 1st begins before the player, right of the middle, and runs straight away.
    assert board["places"]["1st"]["lines"]["4"] == [[0.433, -3.25], [0.433, 3.25]]
    # From the left, at ten o'clock, the 2nd looks to the right and down.
    (from_x, from_y), (to_x, to_y) = board["places"]["2nd"]["lines"]["3"]
    assert from_x < to_x
    assert from_y > to_y


def test_the_first_lines_begin_at_the_left_of_each_player() -> None:
    for place in GAME.view(at(), None)["board"]["places"].values():
        first, last = place["lines"]["1"][0], place["lines"]["6"][0]
        corner_x, corner_y = place["corner"]
        # Looking from the corner to the centre, the right-hand side is (-y, x) of the corner.
        right = (-corner_y, corner_x)
        assert first[0] * right[0] + first[1] * right[1] < 0 < last[0] * right[0] + last[1] * right[1]


def test_slices_are_drawn_as_soon_as_a_viewer_knows_a_cut() -> None:
    state = play(at(phase="cut"), "P1 cuts 4")
    assert GAME.view(state, None)["slices"] == []
    assert GAME.view(state, 2)["slices"] == []
    own = GAME.view(state, 1)
    assert [len(one["spaces"]) for one in own["slices"]] == [22, 15]
    assert own["slices"][0]["most"] is None
    assert own["safety"] is None
    assert [one["number"] for one in own["cutters"]] == [4]


def test_what_happens_in_each_slice_of_the_example() -> None:
    shown = GAME.view(at(**EXAMPLE), 2)
    assert [(one["name"], one["result"]) for one in shown["slices"]] == [
        ("A", "Three-way tie: nothing changes"),
        ("B", "Red and green tie: 1 white removed"),
        ("C", "White has the most: replaces 1 green"),
        ("D", "Red has the most: replaces 1 green and 1 white"),
        ("E", "Only red: no change"),
    ]
    assert shown["slices"][1]["changes"] == [{"space": "d6", "from": "white", "to": None}]
    assert shown["slices"][2]["changes"] == [{"space": "b2", "from": "green", "to": "white"}]
    assert shown["after"] == {"red": 9, "green": 3, "white": 4}
    assert shown["safety"]["green"] == {"safe": False, "most_in_a_slice": 2, "why": "2 together in slice B"}


@pytest.mark.parametrize(
    ("spaces", "result"),
    [
        (("d3 d4", "c3 c4", ""), "Red and green tie: no change"),
        (("d3 d4", "c3 c4", "e3"), "Red and green tie: no change; white is safe"),
        (("d3 d4", "c3", "e3"), "Red has the most: no change; green and white are safe"),
        (("d3", "", ""), "Only red: no change"),
        (("a1", "", ""), "Empty"),
    ],
)
def test_what_happens_in_a_slice_in_words(spaces: tuple[str, ...], result: str) -> None:
    state = at(phase="replace", cuts={"red": 1, "green": 1, "white": 1}, toppings=toppings(*spaces))
    largest = max(GAME.view(state, None)["slices"], key=lambda one: len(one["spaces"]))
    assert largest["result"] == result


@pytest.mark.parametrize("players", [2, 3])
def test_the_changes_shown_are_those_that_are_played(players: int) -> None:
    for seed in range(8):
        states = random_game(players, seed)
        for state, following in pairwise(states):
            if state.phase is not Phase.REPLACE:
                continue
            shown = GAME.view(state, None)
            colours = state.options.colours
            expected = {space: name for name, spaces in zip(colours, state.toppings, strict=True) for space in spaces}
            for change in (one for part in shown["slices"] for one in part["changes"]):
                assert expected.pop(change["space"]) == change["from"]
                if change["to"]:
                    expected[change["space"]] = change["to"]
            after = {space: name for name, spaces in zip(colours, following.toppings, strict=True) for space in spaces}
            assert after == expected
            assert shown["after"] == {name: len(one) for name, one in zip(colours, following.toppings, strict=True)}


@pytest.mark.parametrize("players", [2, 3])
def test_a_view_is_json_and_redrawn_secrets_change_nothing_in_it(players: int) -> None:
    random = Random(1)
    differed = 0
    for state in random_game(players, 5):
        for viewer in (None, *range(1, players + 1)):
            shown = GAME.view(state, viewer)
            assert json.loads(json.dumps(shown)) == shown
            for _ in range(5):
                other = GAME.determinize(state, viewer, random)
                assert GAME.view(other, viewer) == shown
                differed += other != state
    assert differed > 0


def test_hidden_cuts_are_redrawn_and_known_ones_are_not() -> None:
    state = at(2, phase="cut", cuts={"white": 1, "red": 2})
    drawn = {GAME.determinize(state, 2, Random(seed)).cuts for seed in range(60)}
    assert drawn == {(number, None, 1) for number in range(1, 7)}
    assert {GAME.determinize(state, 1, Random(seed)).cuts for seed in range(20)} == {(2, None, 1)}
    revealed = at(**EXAMPLE)
    assert GAME.determinize(revealed, 1, Random(1)) == revealed


def test_more_toppings_than_there_are_at_the_end() -> None:
    states = (random_game(3, seed) for seed in range(100))
    final = next(game[-1] for game in states if max(map(len, game[-1].toppings)) > 16)
    most = max(GAME.view(final, None)["players"], key=lambda one: one["would_have"])
    assert (most["on_pizza"], most["supply"]) == (16, 0)
    assert most["player"] in GAME.winners(final)
