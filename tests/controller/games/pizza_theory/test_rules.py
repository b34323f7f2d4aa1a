"""The rule book of Pizza Theory, sentence by sentence, in the order of its text."""

from collections import Counter
from collections.abc import Mapping, Set
from random import Random
from typing import Any

import pytest

from controller.game import Actor, GameError, IllegalMove, OptionError
from controller.games.pizza_theory import GAME, headings, rules
from controller.games.pizza_theory.rules import Add, Cut, Move, Pass, Phase, Place, Replace, Roll, State
from tests.controller.games.known import known
from tests.controller.games.pizza_theory.situations import (
    EXAMPLE,
    EXAMPLE_SLICES,
    at,
    legal,
    play,
    refused,
    toppings,
)

STARTS: dict[int, Set[str]] = {1: {"c2", "e2"}, 2: {"b3", "c5"}, 3: {"e5", "f3"}}
AT_THE_RIM = (1, 1, 1)
"""Cuts that part the spaces at the rim from the 25 in the middle: a1 to a4, d1 e1 f1 g1, and d7 e6 f5 g4."""
LEFT_AND_RIGHT = (4, 1, 1)
"""Cuts that part the columns a to d from e to g, and the two lower rims of both."""
LEFT = [space for space in GAME.components.spaces if space[0] in "abcd" and space not in ("d1", "d7")]
RIGHT = ["e2", "e3", "e4", "e5", "f2", "f3", "f4", "g2", "g3"]
RIMS = ["e1", "f1", "g1", "e6", "f5", "g4", "d7", "d1"]


def packed(colour_neighbours: Mapping[str, frozenset[str]]) -> list[str]:
    """Toppings that leave their colour no available space."""
    packed: list[str] = []
    for space, neighbours in colour_neighbours.items():
        if neighbours.isdisjoint(packed):
            packed.append(space)
    return packed


def lying(state: State) -> tuple[Set[str], ...]:
    """The spaces with a topping of each colour."""
    return state.toppings


def after_cuts(
    cuts: tuple[int, ...], red: str, green: str = "", white: str = "", players: int = 3, **options: Any
) -> State:
    """The state after a round that player 1 began, with these cuts and toppings of each colour."""
    numbers = dict(zip(("red", "green", "white"), cuts, strict=True))
    state = at(players, options, phase="replace", cuts=numbers, toppings=toppings(red, green, white))
    return play(state, "P1 replaces")


# Components -----------------------------------------------------------------------------------------------------------


def test_components_three_colours_of_sixteen_toppings_and_dice_from_one_to_six() -> None:
    pieces = GAME.components
    assert len(pieces.colours) == 3
    assert pieces.each == 16
    assert list(pieces.numbers) == [1, 2, 3, 4, 5, 6]


# Setup ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [1, 2, 3])
def test_setup_the_1st_faces_the_starting_player(first: int) -> None:
    state = GAME.start(3, {}, first)
    names = {player: GAME.components.places[rules.place_of(state, player)].name for player in (1, 2, 3)}
    assert names[first] == "1st"
    assert names[first % 3 + 1] == "2nd"
    assert GAME.turn(state).players == (first,)


@pytest.mark.parametrize("first", [1, 2, 3])
def test_setup_two_toppings_on_the_x_spaces_closest_to_each_player(first: int) -> None:
    state = GAME.start(3, {}, first)
    for place in (1, 2, 3):
        assert state.toppings[(first + place - 2) % 3] == STARTS[place]


def test_setup_everybody_has_fourteen_toppings_left() -> None:
    assert [one["supply"] for one in GAME.view(GAME.start(3, {}), None)["players"]] == [14, 14, 14]


def test_setup_each_player_has_a_colour() -> None:
    state = GAME.start(3, {"colours": ["white", "red", "green"]})
    assert [one["colour"] for one in GAME.view(state, None)["players"]] == ["white", "red", "green"]


@pytest.mark.parametrize("players", [1, 4, 0, -1, "3", True])
def test_setup_is_for_two_or_three_players(players: Any) -> None:
    with pytest.raises(OptionError, match="neither 2 nor 3"):
        GAME.start(players, {})


@pytest.mark.parametrize(("players", "first"), [(3, 0), (3, 4), (2, 3), (3, "1"), (3, True)])
def test_setup_the_starting_player_is_one_of_them(players: int, first: Any) -> None:
    with pytest.raises(OptionError, match="first: "):
        GAME.start(players, {}, first)


# Game play: each round follows this sequence --------------------------------------------------------------------------


def test_game_play_a_round_in_its_sequence() -> None:
    state = GAME.start(3, {})
    phases = [state.phase]
    for text in ("P1 adds a1", "P2 adds g1", "P3 adds d4", "P1 cuts 5", "P2 cuts 6", "P3 cuts 4", "P1 replaces"):
        state = play(state, text)
        phases.append(state.phase)
    assert phases == [Phase.ADD] * 3 + [Phase.CUT] * 3 + [Phase.REPLACE, Phase.ADD]
    assert state.round == 2


@pytest.mark.parametrize(
    ("position", "move", "heading"),
    [
        ({"phase": "cut"}, Add(1, "a1"), headings.ADD_TOPPINGS),
        ({"phase": "cut"}, Pass(1), headings.ADD_TOPPINGS),
        ({}, Cut(1, 3), headings.CUT_PIZZA),
        ({}, Replace(1), headings.REPLACE_TOPPINGS),
        ({"phase": "cut"}, Replace(1), headings.REPLACE_TOPPINGS),
        ({}, Roll(1), headings.UNSELECTED_TURN),
        ({}, Place(1, "a1"), headings.UNSELECTED_TURN),
    ],
)
def test_game_play_nothing_out_of_sequence(position: dict[str, Any], move: Move, heading: str) -> None:
    assert refused(at(**position), move).heading == heading


def test_game_play_what_is_no_move_is_refused() -> None:
    assert refused(at(), "P1 adds a1").heading == headings.GAME_PLAY  # type: ignore[arg-type]


# Add Toppings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("round_number", "order"), [(1, [1, 2, 3]), (2, [2, 3, 1]), (3, [3, 1, 2]), (4, [1, 2, 3])])
def test_add_toppings_in_turn_order(round_number: int, order: list[int]) -> None:
    state = at(round=round_number)
    acting: list[int] = []
    while state.phase is Phase.ADD:
        acting += GAME.turn(state).players
        state = GAME.apply(state, next(GAME.legal(state)))
    assert acting == order


def test_add_toppings_each_player_adds_one_of_their_own() -> None:
    state = play(at(), "P1 adds a1", "P2 adds g1", "P3 adds d4")
    assert [len(one) for one in state.toppings] == [3, 3, 3]
    assert "a1" in state.toppings[0]
    assert "g1" in state.toppings[1]
    assert state.phase is Phase.CUT


def test_add_toppings_not_out_of_turn() -> None:
    refusal = refused(at(), Add(2, "g1"))
    assert refusal.heading == headings.ADD_TOPPINGS
    assert "not player 2's turn" in refusal.problem


def test_add_toppings_not_twice_in_a_round() -> None:
    assert "not player 1's turn" in refused(play(at(), "P1 adds a1"), Add(1, "g1")).problem


@pytest.mark.parametrize("player", [0, 4, -1, 10**30])
def test_add_toppings_by_nobody(player: int) -> None:
    refusal = refused(at(), Add(player, "a1"))
    assert (refusal.heading, refusal.problem) == (headings.ADD_TOPPINGS, f"There is no player {player}.")


@pytest.mark.parametrize(("space", "colour"), [("c2", "red"), ("b3", "green"), ("f3", "white")])
def test_add_toppings_onto_an_empty_space(space: str, colour: str) -> None:
    assert refused(at(), Add(1, space)).problem == f"On {space} there is a {colour} topping already."


@pytest.mark.parametrize("space", ["b2", "b1", "c1", "d2", "d3", "c3"])
def test_add_toppings_not_next_to_an_own_topping(space: str) -> None:
    refusal = refused(at(), Add(1, space))
    assert refusal.heading == headings.ADD_TOPPINGS
    assert "next to Player 1 (with red)'s own topping" in refusal.problem
    assert "c2" in refusal.pieces
    assert "a1" in refusal.remedy


def test_add_toppings_next_to_another_colour() -> None:
    assert legal(at(), Add(1, "b4"))


def test_add_toppings_at_the_rim() -> None:
    state = at(toppings=toppings("a1", "g4", "d7"))
    assert set(rules.available(state, 1)) == set(GAME.components.spaces) - {"a1", "a2", "b1", "b2", "g4", "d7"}


@pytest.mark.parametrize("space", ["h1", "a5", "", "A1", "c 2", "🍕"])
def test_add_toppings_on_the_pizza(space: str) -> None:
    assert "The Pizza has no space" in refused(at(), Add(1, space)).problem


def test_add_toppings_every_available_space_is_listed() -> None:
    available = set(GAME.components.spaces).difference(*STARTS.values())
    next_to_own = {space for space in available if GAME.components.neighbours[space] & STARTS[1]}
    assert next_to_own == {"b1", "b2", "c1", "c3", "d2", "d3", "e1", "e3", "f1", "f2"}
    assert {known(Add, move).space for move in GAME.legal(at())} == available - next_to_own


def test_add_toppings_no_available_space_no_topping() -> None:
    red = packed(GAME.components.neighbours)
    state = at(toppings={"red": red, "green": [], "white": []})
    assert list(GAME.legal(state)) == [Pass(1)]
    assert "passes" in GAME.turn(state).prompt
    assert "There is no such space" in refused(state, Add(1, "a2")).remedy
    after = play(state, "P1 passes")
    assert after.toppings == state.toppings
    assert GAME.turn(after).players == (2,)


def test_add_toppings_who_has_a_space_may_not_pass() -> None:
    refusal = refused(at(), Pass(1))
    assert refusal.heading == headings.ADD_TOPPINGS
    assert "may not pass" in refusal.problem


def test_add_toppings_nobody_passes_for_another() -> None:
    assert "not player 2's turn" in refused(at(), Pass(2)).problem


def test_add_toppings_spaces_filled_by_others_are_not_available() -> None:
    everything = set(GAME.components.spaces)
    red = {"d4"}
    left = sorted(everything - red - GAME.components.neighbours["d4"])
    state = at(toppings=toppings("d4", " ".join(left[:15]), " ".join(left[15:])))
    assert legal(state, Pass(1))


# Cut Pizza ------------------------------------------------------------------------------------------------------------


def test_cut_pizza_all_players_choose_at_once() -> None:
    state = at(phase="cut")
    assert GAME.turn(state).players == (1, 2, 3)
    assert Counter(known(Cut, move).player for move in GAME.legal(state)) == {1: 6, 2: 6, 3: 6}


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1)])
def test_cut_pizza_who_chooses_first_does_not_matter(order: tuple[int, ...]) -> None:
    numbers = {1: 5, 2: 6, 3: 4}
    state = play(at(phase="cut"), *(f"P{player} cuts {numbers[player]}" for player in order))
    assert state.cuts == (5, 6, 4)
    assert state.phase is Phase.REPLACE


@pytest.mark.parametrize("number", [0, 7, -1, 10**30])
def test_cut_pizza_a_number_from_one_to_six(number: int) -> None:
    assert refused(at(phase="cut"), Cut(1, number)).heading == headings.CUT_PIZZA


def test_cut_pizza_a_choice_stands() -> None:
    state = play(at(phase="cut"), "P2 cuts 3")
    assert "already chosen" in refused(state, Cut(2, 4)).problem
    assert {known(Cut, move).player for move in GAME.legal(state)} == {1, 3}


@pytest.mark.parametrize("player", [0, 4, -1])
def test_cut_pizza_only_players_cut(player: int) -> None:
    assert "no player" in refused(at(phase="cut"), Cut(player, 4)).problem


def test_cut_pizza_choices_are_hidden_until_all_are_made() -> None:
    state = play(at(phase="cut"), "P1 cuts 2", "P3 cuts 6")
    for viewer, seen in ((None, [None] * 3), (1, [2, None, None]), (2, [None] * 3), (3, [None, None, 6])):
        shown = GAME.view(state, viewer)
        assert [one["cut"] for one in shown["players"]] == seen
        assert [one["has_chosen"] for one in shown["players"]] == [True, False, True]


def test_cut_pizza_then_all_are_revealed() -> None:
    state = play(at(phase="cut"), "P1 cuts 2", "P3 cuts 6", "P2 cuts 1")
    assert [one["cut"] for one in GAME.view(state, None)["players"]] == [2, 1, 6]


@pytest.mark.parametrize(("place", "axis"), [("1st", 0), ("2nd", 1), ("3rd", 2)])
def test_cut_pizza_lines_run_away_from_the_player(place: str, axis: int) -> None:
    found = next(one for one in GAME.components.places if one.name == place)
    assert found.axis == axis
    assert found.corner[axis] == 0


@pytest.mark.parametrize(
    ("round_number", "column"), [(1, "g1 g2 g3 g4"), (2, "a4 b5 c6 d7"), (3, "a1 b1 c1 d1"), (4, "g1 g2 g3 g4")]
)
def test_cut_pizza_the_line_that_faces_the_player(round_number: int, column: str) -> None:
    """Line 6 of player 1 parts the spaces at the right of player 1, wherever the board has turned them."""
    state = at(phase="replace", round=round_number, cuts={"red": 6, "green": 3, "white": 3})
    # Player 1 sits at the 1st, then at the 3rd, then at the 2nd.
    outside = GAME.components.as_bits(column.split())
    assert all(part & outside in (0, part) for part in rules.slices_of(state))


# Replace Toppings -----------------------------------------------------------------------------------------------------


def test_replace_toppings_cuts_divide_the_pizza_into_four_to_seven_slices() -> None:
    counts = Counter(map(len, GAME.components.slices.values()))
    assert counts == {4: 22, 5: 36, 6: 132, 7: 26}


def test_replace_toppings_every_space_is_in_one_slice() -> None:
    whole = GAME.components.as_bits(GAME.components.spaces)
    for parts in GAME.components.slices.values():
        assert sum(parts) == whole
        assert sum(part.bit_count() for part in parts) == 37


def test_replace_toppings_the_most_replace_all_others() -> None:
    state = after_cuts(AT_THE_RIM, "d3 d4 d5", "c4 e4", "e3 a2 a3")
    assert lying(state) == ({"d3", "d4", "d5", "c4", "e4", "e3"}, set(), {"a2", "a3"})


def test_replace_toppings_removed_ones_are_returned_to_their_owners() -> None:
    numbers = {"red": 1, "green": 1, "white": 1}
    state = at(phase="replace", cuts=numbers, toppings=toppings("d3 d4 d5", "e4 c4", "g1"))
    before = [one["supply"] for one in GAME.view(state, None)["players"]]
    after = [one["supply"] for one in GAME.view(play(state, "P1 replaces"), None)["players"]]
    assert before == [13, 14, 15]
    assert after == [11, 16, 15]


def test_replace_toppings_two_way_tie_removes_the_third() -> None:
    state = after_cuts(AT_THE_RIM, "d3 d4 d5", "c3 c4 c5", "e3 e4")
    assert lying(state) == ({"d3", "d4", "d5"}, {"c3", "c4", "c5"}, set())


def test_replace_toppings_two_way_tie_without_the_third_changes_nothing() -> None:
    state = after_cuts(AT_THE_RIM, "d3 d4", "c3 c4")
    assert lying(state) == ({"d3", "d4"}, {"c3", "c4"}, set())


def test_replace_toppings_three_way_tie_removes_none() -> None:
    state = after_cuts(AT_THE_RIM, "d3 d4", "c3 c4", "e3 e4")
    assert lying(state) == ({"d3", "d4"}, {"c3", "c4"}, {"e3", "e4"})


def test_replace_toppings_alone_in_a_slice_nothing_changes() -> None:
    assert lying(after_cuts(AT_THE_RIM, "d3 d4")) == ({"d3", "d4"}, set(), set())


def test_replace_toppings_each_slice_for_itself() -> None:
    state = after_cuts(LEFT_AND_RIGHT, "c3 d3 e3", "e4 f3 d4")
    assert lying(state) == ({"c3", "d3", "d4"}, {"e3", "e4", "f3"}, set())


def test_replace_toppings_all_slices_are_judged_before_anything_is_replaced() -> None:
    """Green has two in the right slice when the cuts are made: it is not safe in the left one, although both go."""
    state = after_cuts(LEFT_AND_RIGHT, "e2 e3 f2", "e4 f3 d4", "c3 c4")
    assert lying(state) == ({"e2", "e3", "f2", "e4", "f3"}, set(), {"c3", "c4", "d4"})


def test_replace_toppings_one_player_sees_to_it() -> None:
    state = at(**EXAMPLE)
    assert list(GAME.legal(state)) == [Replace(1)]
    assert "Player 1 sees to it" in refused(state, Replace(2)).remedy


# Safety Rule ----------------------------------------------------------------------------------------------------------


def test_safety_rule_one_in_each_slice_is_not_replaced() -> None:
    state = after_cuts(LEFT_AND_RIGHT, "c3 d3 d5", "e4 d4")
    assert lying(state) == ({"c3", "d3", "d5"}, {"d4", "e4"}, set())


def test_safety_rule_one_in_each_slice_is_not_removed_in_a_tie() -> None:
    state = after_cuts(LEFT_AND_RIGHT, "c3 d3", "c4 d4", "d5 e4")
    assert lying(state) == ({"c3", "d3"}, {"c4", "d4"}, {"d5", "e4"})


def test_safety_rule_two_in_any_slice_make_all_unsafe() -> None:
    """Also those that are alone in their slices: the rule is about all slices."""
    state = after_cuts(LEFT_AND_RIGHT, "c3 d3 d5", "d4 e4 f3")
    assert lying(state) == ({"c3", "d3", "d4", "d5"}, {"e4", "f3"}, set())


def test_safety_rule_two_colours_may_be_safe() -> None:
    state = after_cuts(LEFT_AND_RIGHT, "c3 d3 e3 f3", "d4 e4", "c4 f4")
    assert lying(state) == ({"c3", "d3", "e3", "f3"}, {"d4", "e4"}, {"c4", "f4"})


def test_safety_rule_is_about_each_colour_by_itself() -> None:
    state = after_cuts(LEFT_AND_RIGHT, "c3 d3 d5", "d4", "c4 c5")
    assert lying(state) == ({"c3", "c4", "c5", "d3", "d5"}, {"d4"}, set())


def test_safety_rule_holds_for_this_round_only() -> None:
    assert after_cuts((4, 1, 1), "c3 d3 d5", "d4 e4").toppings[1] == {"d4", "e4"}
    assert after_cuts((6, 1, 1), "c3 d3 d5", "d4 e4").toppings[1] == set()


def test_safety_rule_as_it_is_shown() -> None:
    numbers = {"red": 4, "green": 1, "white": 1}
    shown = GAME.view(at(phase="replace", cuts=numbers, toppings=toppings("c3 d3 d5", "d4 e4", "c4 c5")), None)
    assert {name: one["safe"] for name, one in shown["safety"].items()} == {"red": False, "green": True, "white": False}
    assert "Red has the most: replaces 2 white; green is safe" in [one["result"] for one in shown["slices"]]


# Example: Replace Toppings --------------------------------------------------------------------------------------------


def example_slice(name: str) -> Any:
    shown = GAME.view(at(**EXAMPLE), None)["slices"]
    return next(one for one in shown if one["spaces"] == EXAMPLE_SLICES[name].split())


def test_example_cuts_5_6_4_make_five_slices() -> None:
    sizes = [len(one["spaces"]) for one in GAME.view(at(**EXAMPLE), None)["slices"]]
    assert sorted(sizes, reverse=True) == [14, 10, 8, 4, 1]


@pytest.mark.parametrize(
    ("name", "most", "changes"),
    [
        pytest.param("A", ["red", "green"], {("white", None): 1}, id="A: red and green tie, white is removed"),
        pytest.param("B", ["red"], {}, id="B: no change"),
        pytest.param("C", ["white"], {("green", "white"): 1}, id="C: white replaces green"),
        pytest.param("D", ["red"], {("green", "red"): 1, ("white", "red"): 1}, id="D: red replaces green and white"),
        pytest.param("E", ["red", "green", "white"], {}, id="E: three-way tie"),
    ],
)
def test_example_slice(name: str, most: list[str], changes: dict[tuple[str, str | None], int]) -> None:
    shown = example_slice(name)
    assert shown["most"] == most
    assert Counter((one["from"], one["to"]) for one in shown["changes"]) == changes


def test_example_before_and_after() -> None:
    before = at(**EXAMPLE)
    after = play(before, "P1 replaces")
    assert [len(one) for one in before.toppings] == [7, 5, 5]
    assert [len(one) for one in after.toppings] == [9, 3, 4]
    assert "f2" in after.toppings[0]
    assert "b2" in after.toppings[2]
    assert not any("d6" in one for one in after.toppings)


# Rotate the Pizza -----------------------------------------------------------------------------------------------------


def test_replace_what_is_to_be_done_where_no_topping_is_replaced() -> None:
    assert GAME.turn(at(**EXAMPLE)).prompt == "Player 1 sees to it that the toppings are replaced"
    state = at(phase="replace", cuts={"red": 1, "green": 1, "white": 1}, toppings=toppings("a1", "d4", "g4"))
    assert rules.replaced(state) == state.toppings
    assert GAME.turn(state).prompt.endswith("the Pizza is turned: no topping is replaced")


@pytest.mark.parametrize("first", [1, 2, 3])
def test_rotate_everybody_gets_a_new_place(first: int) -> None:
    """The 1st goes clockwise to the next player, who was 2nd."""
    places = []
    for round_number in (1, 2, 3, 4):
        state = at(first=first, round=round_number)
        order = [(first + step - 1) % 3 + 1 for step in range(3)]
        places.append([GAME.components.places[rules.place_of(state, player)].name for player in order])
    assert places == [["1st", "2nd", "3rd"], ["3rd", "1st", "2nd"], ["2nd", "3rd", "1st"], ["1st", "2nd", "3rd"]]


def test_rotate_toppings_stay_on_their_spaces() -> None:
    state = after_cuts(AT_THE_RIM, "d4")
    assert state.toppings[0] == {"d4"}
    assert GAME.view(state, None)["turned_deg"] == 120


def test_rotate_cutters_are_taken_off_and_dice_taken_back() -> None:
    state = play(at(**EXAMPLE), "P1 replaces")
    assert state.cuts == (None, None, None)
    assert GAME.view(state, None)["cutters"] == []


def test_rotate_a_new_round_starts() -> None:
    state = play(at(**EXAMPLE), "P1 replaces")
    assert (state.round, state.phase, GAME.turn(state).players) == (2, Phase.ADD, (2,))


# End Game -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("before", "after", "winners"), [(13, 15, ()), (14, 16, (1,)), (15, 17, (1,))])
def test_end_game_all_sixteen_toppings_on_the_pizza_win(before: int, after: int, winners: tuple[int, ...]) -> None:
    state = after_cuts(LEFT_AND_RIGHT, " ".join(LEFT[:before]), " ".join(LEFT[before : before + 2]))
    assert len(state.toppings[0]) == after
    assert GAME.winners(state) == winners
    assert (GAME.turn(state).actor is Actor.NOBODY) == bool(winners)


def test_end_game_only_at_the_end_of_a_round() -> None:
    """Who had all sixteen on the Pizza and loses some plays on."""
    red = " ".join([*LEFT[:14], "e2", "e3"])
    numbers = {"red": 4, "green": 1, "white": 1}
    state = at(phase="replace", cuts=numbers, toppings=toppings(red, "f2 f3 f4"))
    assert len(state.toppings[0]) == 16
    assert GAME.winners(state) == ()
    after = play(state, "P1 replaces")
    assert (len(after.toppings[0]), after.phase) == (14, Phase.ADD)


def test_end_game_the_sixteenth_added_is_not_yet_the_end() -> None:
    red = [space for space in LEFT if space != "a1"][:15]
    state = at(toppings={"red": red, "green": ["e3"], "white": ["g3"]})
    state = play(state, "P1 adds g1")
    assert GAME.view(state, None)["players"][0]["supply"] == 0
    assert state.phase is Phase.ADD


def run_out(red_left: int, green_left: int, white_left: int, rims: int, **options: Any) -> State:
    """Both red (in the left slice) and green (in the right one and alone at the rims) run out."""
    left = iter(LEFT)
    red = " ".join(next(left) for _ in range(red_left))
    green = " ".join([*(next(left) for _ in range(green_left)), *RIGHT[:7], *RIMS[:rims]])
    white = " ".join([*(next(left) for _ in range(white_left)), *RIGHT[7:]])
    return after_cuts(LEFT_AND_RIGHT, red, green, white, **options)


@pytest.mark.parametrize(
    ("case", "counts", "winners"),
    [
        pytest.param((15, 1, 0, 8), [16, 17, 0], (2,), id="green would have more"),
        pytest.param((14, 2, 2, 7), [18, 16, 0], (1,), id="red would have more"),
        pytest.param((14, 2, 0, 7), [16, 16, 0], (1, 2), id="equal, shared"),
    ],
)
def test_tie_breaker_who_would_end_with_more_toppings(
    case: tuple[int, int, int, int], counts: list[int], winners: tuple[int, ...]
) -> None:
    state = run_out(*case)
    assert [len(one) for one in state.toppings] == counts
    assert GAME.winners(state) == winners


def test_tie_breaker_as_it_is_scored() -> None:
    sheets = GAME.score(run_out(14, 2, 2, 7))
    assert [sheet.total for sheet in sheets] == [18, 16, 0]
    assert [[line.points for line in sheet.lines] for sheet in sheets] == [[16, 2], [16, 0], [0, 0]]


def test_end_game_nobody_acts_any_more() -> None:
    state = run_out(14, 2, 0, 7)
    assert list(GAME.legal(state)) == []
    assert GAME.turn(state).players == ()
    for move in (Add(1, "a1"), Pass(1), Cut(1, 1), Replace(1), Roll(1), Place(1, "a1")):
        assert refused(state, move).heading == headings.END_GAME


def test_option_last_round_ends_with_most_toppings() -> None:
    state = after_cuts(AT_THE_RIM, "d3 d4", "a1", last_round=1)
    assert (state.phase, GAME.winners(state)) == (Phase.OVER, (1,))
    assert GAME.winners(after_cuts(AT_THE_RIM, "d3 d4", "a1 a2", last_round=1)) == (1, 2)
    assert after_cuts(AT_THE_RIM, "d3 d4", last_round=2).phase is Phase.ADD


# Setup differences for two players ------------------------------------------------------------------------------------


def test_two_players_all_three_colours_are_set_up() -> None:
    state = GAME.start(2, {})
    assert state.toppings == (STARTS[1], STARTS[2], STARTS[3])
    shown = GAME.view(state, None)
    assert shown["unselected"]["colour"] == "white"
    assert shown["unselected"]["supply"] == 14


def test_two_players_the_second_may_sit_to_the_right() -> None:
    state = GAME.start(2, {"second_sits": "right"}, 2)
    names = [GAME.components.places[rules.place_of(state, number)].name for number in (1, 2, 3)]
    assert names == ["2nd", "1st", "3rd"]
    state = GAME.start(2, {"second_sits": "right"}, 1)
    names = [GAME.components.places[rules.place_of(state, number)].name for number in (1, 2, 3)]
    assert names == ["1st", "3rd", "2nd"]
    assert state.toppings == tuple(frozenset(GAME.components.places[place].starts) for place in (0, 2, 1))
    assert GAME.start(3, {"second_sits": "right"}, 1).toppings == GAME.start(3, {}, 1).toppings


def test_two_players_choose_their_colours() -> None:
    shown = GAME.view(GAME.start(2, {"colours": ["white", "red", "green"]}), None)
    assert [one["colour"] for one in shown["players"]] == ["white", "red"]
    assert shown["unselected"]["colour"] == "green"


@pytest.mark.parametrize("first", [1, 2])
def test_two_players_the_first_player_alternates(first: int) -> None:
    orders = [rules.turn_order(at(2, first=first, round=number)) for number in (1, 2, 3, 4)]
    assert orders == [(first, 3 - first), (3 - first, first)] * 2


# Game play for two players: Add Toppings ------------------------------------------------------------------------------


def test_two_players_each_adds_one_in_turn_order() -> None:
    state = play(at(2, first=2), "P2 adds a1")
    assert GAME.turn(state).players == (1,)
    state = play(state, "P1 adds d7")
    assert state.phase is Phase.ROLL


def test_two_players_not_next_to_an_own_topping_and_pass_only_without_a_space() -> None:
    assert refused(at(2), Add(1, "d2")).heading == headings.ADD_TOPPINGS
    assert "may not pass" in refused(at(2), Pass(1)).problem
    red = packed(GAME.components.neighbours)
    assert list(GAME.legal(at(2, toppings={"red": red, "green": [], "white": []}))) == [Pass(1)]


# Unselected Color's Turn ----------------------------------------------------------------------------------------------


def test_unselected_color_its_die_is_rolled() -> None:
    state = at(2, phase="roll")
    assert GAME.turn(state).actor is Actor.CHANCE
    assert GAME.turn(state).prompt == "Player 1 rolls the white die"
    assert list(GAME.legal(state)) == [Roll(number) for number in range(1, 7)]
    assert {known(Roll, GAME.draw(state, Random(seed))).number for seed in range(40)} == {1, 2, 3, 4, 5, 6}


def test_unselected_color_nothing_else_is_rolled() -> None:
    with pytest.raises(GameError, match="nothing is rolled"):
        GAME.draw(at(2), Random(1))
    assert refused(at(2), Roll(1)).heading == headings.UNSELECTED_TURN
    for move in (Roll(1), Place(1, "a1")):
        assert refused(at(3), move).problem == "Only with two players there is a color that nobody has selected."
    assert "shows no 7" in refused(at(2, phase="roll"), Roll(7)).problem


@pytest.mark.parametrize(("round_number", "place"), [(1, "3rd"), (2, "2nd"), (3, "1st")])
def test_unselected_color_cuts_from_the_direction_that_nobody_uses(round_number: int, place: str) -> None:
    state = play(at(2, phase="roll", round=round_number), "die 2")
    cutters = GAME.view(state, None)["cutters"]
    assert [(one["colour"], one["place"], one["number"]) for one in cutters] == [("white", place, 2)]


def test_unselected_color_the_first_player_places_its_topping() -> None:
    state = at(2, phase="unselected", cuts={"white": 4}, round=2)
    assert GAME.turn(state).players == (2,)
    assert "Player 2, who is first" in refused(state, Place(1, "d4")).remedy


@pytest.mark.parametrize(
    ("number", "spaces"),
    [
        (1, "d1 e1 f1 g1 c1 d2 e2 f2 g2"),
        (4, "a1 b2 c3 d4 e4 f4 g4 a2 b3 c4 d5 e5 f5"),
        (6, "a4 b5 c6 d7 a3 b4 c5 d6 e6"),
    ],
)
def test_unselected_color_any_empty_space_touching_the_cutter(number: int, spaces: str) -> None:
    """The spaces of the two rows beside the line of the 3rd."""
    state = at(2, phase="unselected", cuts={"white": number}, toppings=toppings())
    assert {known(Place, move).space for move in GAME.legal(state)} == set(spaces.split())


def test_unselected_color_only_empty_spaces() -> None:
    state = at(2, phase="unselected", cuts={"white": 1}, toppings=toppings("d1", "e1", "c1"))
    assert {known(Place, move).space for move in GAME.legal(state)} == {"f1", "g1", "d2", "e2", "f2", "g2"}
    assert "There is no such space" not in refused(state, Place(1, "d1")).remedy


def test_unselected_color_next_to_its_own_topping_is_allowed() -> None:
    assert legal(at(2, phase="unselected", cuts={"white": 1}, toppings=toppings("", "", "d1")), Place(1, "e1"))


def test_unselected_color_not_away_from_the_cutter() -> None:
    refusal = refused(at(2, phase="unselected", cuts={"white": 1}), Place(1, "d4"))
    assert refusal.heading == headings.UNSELECTED_TURN
    assert "does not touch" in refusal.problem


def test_unselected_color_without_an_empty_space_none_is_placed() -> None:
    along = ["d1", "e1", "f1", "g1", "c1", "d2", "e2", "f2", "g2"]
    state = at(2, phase="unselected", cuts={"white": 1}, toppings=toppings(" ".join(along)))
    assert list(GAME.legal(state)) == [Pass(1)]
    assert play(state, "P1 passes").phase is Phase.CUT
    assert "Player 1, who is first" in refused(state, Pass(2)).remedy


def test_unselected_color_a_topping_must_be_placed_where_it_can() -> None:
    refusal = refused(at(2, phase="unselected", cuts={"white": 1}), Pass(1))
    assert refusal.heading == headings.UNSELECTED_TURN


def test_unselected_color_its_cutter_stays_on_the_board() -> None:
    state = play(at(2, phase="roll"), "die 1", "P1 places f1")
    assert state.phase is Phase.CUT
    assert "f1" in state.toppings[2]
    assert [len(one["spaces"]) for one in GAME.view(state, None)["slices"]] == [33, 4]


# Cut Pizza, two players -----------------------------------------------------------------------------------------------


def test_two_players_both_choose_at_once() -> None:
    state = at(2, phase="cut", cuts={"white": 1})
    assert GAME.turn(state).players == (1, 2)
    assert "no player 3" in refused(state, Cut(3, 1)).problem
    state = play(state, "P2 cuts 3", "P1 cuts 2")
    assert (state.cuts, state.phase) == ((2, 3, 1), Phase.REPLACE)


def test_two_players_all_three_cutters_make_the_slices() -> None:
    assert len(rules.slices_of(at(2, phase="replace", cuts={"red": 5, "green": 6, "white": 4}))) == 5


# Replace Toppings, Safety Rule and Rotate, two players ----------------------------------------------------------------


def test_two_players_the_unselected_color_replaces_too() -> None:
    state = after_cuts(AT_THE_RIM, "c4 e4", "", "d3 d4 d5", players=2)
    assert lying(state) == (set(), set(), {"c4", "e4", "d3", "d4", "d5"})


def test_two_players_the_unselected_color_is_safe_too() -> None:
    state = after_cuts(LEFT_AND_RIGHT, "c3 d3", "", "d4 e4", players=2)
    assert lying(state) == ({"c3", "d3"}, set(), {"d4", "e4"})


def test_two_players_a_tie_with_the_unselected_color() -> None:
    state = after_cuts(AT_THE_RIM, "d3 d4 d5", "e3 e4", "c3 c4 c5", players=2)
    assert state.toppings[1] == set()


def test_two_players_everybody_moves_on() -> None:
    state = after_cuts(AT_THE_RIM, "d4", players=2)
    assert (state.round, state.cuts, GAME.turn(state).players) == (2, (None, None, None), (2,))
    places = [rules.place_of(state, number) for number in (1, 2, 3)]
    assert [GAME.components.places[place].name for place in places] == ["3rd", "1st", "2nd"]


# Game end, two players ------------------------------------------------------------------------------------------------


def test_two_players_all_sixteen_win() -> None:
    state = after_cuts(LEFT_AND_RIGHT, " ".join(LEFT[:14]), " ".join(LEFT[14:16]), players=2)
    assert GAME.winners(state) == (1,)


def test_two_players_the_unselected_color_makes_both_lose() -> None:
    state = after_cuts(LEFT_AND_RIGHT, " ".join(LEFT[14:16]), "", " ".join(LEFT[:14]), players=2)
    assert state.phase is Phase.OVER
    assert GAME.winners(state) == ()
    assert GAME.view(state, None)["all_lose"] is True


def test_two_players_tie_breaker() -> None:
    assert GAME.winners(run_out(15, 1, 0, 8, players=2)) == (2,)


@pytest.mark.parametrize(
    ("fills", "red", "winners"),
    [("both lose", 14, ()), ("both lose", 15, ()), ("more toppings", 14, ()), ("more toppings", 15, (1,))],
)
def test_two_players_a_player_and_the_unselected_color_run_out(fills: str, red: int, winners: tuple[int, ...]) -> None:
    """The text lets both lose without exception; with the option whoever would have more toppings is ahead."""
    left, white_left = LEFT[:red], LEFT[red : red + 2]
    white = [*white_left, *RIGHT[:7], *RIMS[:7]]
    green = RIGHT[7:]
    state = after_cuts(
        LEFT_AND_RIGHT, " ".join(left), " ".join(green), " ".join(white), players=2, unselected_fills=fills
    )
    assert [len(one) for one in state.toppings] == [red + 2, 0, 16]
    assert GAME.winners(state) == winners


# Options --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"toppings": 1}, "option toppings: unknown; expected one of colours"),
        ({"colours": ["red", "green", "blue"]}, "option colours: .*blue.* is none of"),
        ({"colours": "red"}, "option colours: 'red' is none of"),
        ({"unselected_fills": True}, "option unselected_fills: True is none of both lose"),
        ({"last_round": -1}, "option last_round: -1 is no whole number from 0 to 999"),
        ({"last_round": True}, "option last_round: True"),
        ({"components": 3}, "option components: 3 is no mapping of facts"),
        ({"components": {"topping.each": 12}}, "option components: topping.each: 12 cannot be, the rules say 16"),
        ({"components": {"place.1st.starts": ["z9", "a1"]}}, "place.1st.starts: .* are not two spaces"),
    ],
)
def test_options_are_checked(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        GAME.start(3, options)


def test_options_all_defaults_are_the_same_game() -> None:
    defaults = {option.name: option.default for option in GAME.option_list}
    assert GAME.start(3, defaults) == GAME.start(3, {})


def test_options_a_copy_with_other_starts() -> None:
    state = GAME.start(3, {"components": {"place.1st.starts": ["c1", "e1"]}})
    assert state.toppings[0] == {"c1", "e1"}


def test_options_a_copy_whose_2nd_sits_to_the_right_of_the_1st() -> None:
    """The corners stay clockwise; the 2nd and the 3rd change sides with all they have there."""
    own: dict[str, Any] = {"board.clockwise": ["1st", "3rd", "2nd"]}
    for here, there in (("2nd", 2), ("3rd", 1)):
        place = GAME.components.places[there]
        own |= {
            f"place.{here}.corner": list(place.corner),
            f"place.{here}.axis": "xyz"[place.axis],
            f"place.{here}.starts": list(place.starts),
        }
    states = [at(options={"components": own}, round=number) for number in (1, 2, 3, 4)]
    assert [rules.turn_order(state) for state in states] == [(1, 3, 2), (2, 1, 3), (3, 2, 1), (1, 3, 2)]
    assert states[0].toppings == at().toppings


def test_an_illegal_move_is_not_played() -> None:
    with pytest.raises(IllegalMove, match="Add Toppings: On c2 there is a red topping already"):
        GAME.apply(at(), Add(1, "c2"))
