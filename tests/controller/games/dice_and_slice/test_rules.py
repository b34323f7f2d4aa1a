"""The rule text of Dice and Slice, sentence by sentence, in the order of its text."""

from collections.abc import Collection
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from controller.game import Actor, GameError, IllegalMove, OptionError
from controller.games.dice_and_slice import GAME, rules
from controller.games.dice_and_slice.components import DICE
from controller.games.dice_and_slice.grid import lines, slices
from controller.games.dice_and_slice.rules import ExtraDot, Mark, Move, Phase, Pick, Roll, State, Stop
from tests.controller.games.dice_and_slice.situations import (
    FINISHED,
    bonuses,
    crossed,
    cut_at,
    dots_on,
    extra_dots_for,
    game,
    legal,
    line,
    mark,
    named,
    outline,
    own_pieces,
    play,
    points,
    refused,
    rolled,
    turn,
    with_dots,
)


def slices_on(state: State, player: int) -> list[str]:
    found = slices(state.options.components.grid, state.sheets[player - 1].dots)
    return sorted(one.name for one in found)


def all_but(*dots: str) -> set[str]:
    """All dots of a sheet but these."""
    return cut_at(range(13), ()) - set(dots)


def with_rest(state: State, player: int, slice_name: str, last: str, **sheet: Any) -> State:
    """The dots around a slice on a player's sheet, all but the last ones."""
    return with_dots(state, player, outline(slice_name) - set(last.split()), **sheet)


# Setup ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_setup_each_player_has_an_empty_sheet(players: int) -> None:
    state = game(players)
    assert [dots_on(state, player) for player in range(1, players + 1)] == [[]] * players
    assert [one.total for one in GAME.score(state)] == [0] * players


@pytest.mark.parametrize("players", [0, 1, 7, True, "2"])
def test_setup_two_to_six_play(players: Any) -> None:
    with pytest.raises(OptionError, match="none of 2 to 6"):
        game(players)


def test_setup_the_packaged_sheet_has_12_by_9_squares_and_130_dots() -> None:
    sheet = GAME.start(2, {}).options.components.grid
    assert (sheet.columns, sheet.rows, len(sheet.names)) == (12, 9, 130)
    assert sheet.squares.bit_count() == 108
    assert len(list(lines(sheet, sheet.perimeter))) == 42


def test_setup_who_last_ate_pizza_goes_first() -> None:
    assert "Player 3" in GAME.turn(game(4, first=3)).prompt
    assert GAME.turn(rolled(game(4, first=3))).players == (3,)
    with pytest.raises(OptionError, match="first: 5"):
        game(4, first=5)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"pizza": True}, "option pizza: unknown"),
        ({"rest_gives_dot": 1}, "rest_gives_dot: 1 is neither"),
        ({"components": 3}, "3 is no mapping"),
        ({"components": {"die": {"C": {}}}}, "die.C"),
        ({"components": "no such file.toml"}, "cannot be read"),
    ],
)
def test_setup_unknown_option_and_wrong_value_are_errors(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        GAME.start(2, options)


def test_setup_all_defaults_given_is_the_same_game() -> None:
    assert GAME.start(3, {one.name: one.default for one in GAME.option_list}) == GAME.start(3, {})


# Rolling the dice -----------------------------------------------------------------------------------------------------


def test_rolling_is_chance_with_36_outcomes() -> None:
    assert GAME.turn(game()).actor is Actor.CHANCE
    assert len(set(GAME.legal(game()))) == 36


@pytest.mark.parametrize("faces", [("A1",), ("A1", "A2"), ("B1", "A1"), ("A1", "B7"), (), ("A1", "B1", "B2")])
def test_rolling_both_dice(faces: tuple[str, ...]) -> None:
    heading, problem = refused(game(), Roll(faces))
    assert heading == "Rolling the dice"
    assert "is not a face of die A and then one of die B" in problem


@pytest.mark.parametrize("move", [Pick(1, "A"), mark(1, "a1"), ExtraDot(1, "olive-d1", "a1"), Stop(1)])
def test_rolling_comes_before_everything_else(move: Move) -> None:
    refused(game(), move)


def test_rolling_once_a_turn() -> None:
    assert refused(rolled(game()), Roll(("A1", "B1")))[0] == "Rolling the dice"


# Picking a die --------------------------------------------------------------------------------------------------------


def test_picking_the_active_player_picks_either_die() -> None:
    assert list(GAME.legal(rolled(game()))) == [Pick(1, "A"), Pick(1, "B")]


def test_picking_is_for_the_active_player() -> None:
    heading, problem = refused(rolled(game()), Pick(2, "A"))
    assert heading == "Picking a die"
    assert "player 1's turn" in problem


def test_picking_there_are_two_dice() -> None:
    assert "no die C" in refused(rolled(game()), Pick(1, "C"))[1]


@pytest.mark.parametrize(("die", "mine", "others"), [("A", "A1", "B6"), ("B", "B6", "A1")])
def test_picking_all_the_others_must_use_the_other_die(die: str, mine: str, others: str) -> None:
    state = play(rolled(game(3, first=2), "A1", "B6"), Pick(2, die))
    assert [rules.face_for(state, player) for player in (1, 2, 3)] == [others, mine, others]


def test_what_all_do_at_once_is_said_in_one_sentence_for_each_die() -> None:
    state = play(rolled(game(4, first=2), "A1", "B6"), Pick(2, "B"))
    others = "Player 3, Player 4 and Player 1 mark the dots of A1"
    assert GAME.turn(state).prompt == f"Player 2 marks the dots of B6; {others}"


def test_picking_others_cannot_mark_the_picked_die() -> None:
    state = play(rolled(game(), "A2", "B1"), Pick(1, "A"))
    assert legal(state, mark(1, "a1 b1 c1"))
    assert refused(state, mark(2, "a1 b1 c1"))[0] == "Marking the dot arrangement"


def test_picking_passes_on_clockwise() -> None:
    state = game(3, first=2)
    seen = []
    for dot in ("a1", "c3", "e5", "g7"):
        seen.append(state.active)
        state = turn(state, dot, dot, dot)
    assert seen == [2, 3, 1, 2]


def test_picking_a_die_that_can_be_marked() -> None:
    # Nothing but a corner is free, which the diamond on B5 cannot reach.
    state = rolled(with_dots(game(), 1, all_but("a1")), "A1", "B5")
    assert list(GAME.legal(state)) == [Pick(1, "A")]
    heading, problem = refused(state, Pick(1, "B"))
    assert heading == "Picking a die"
    assert "B5" in problem


def test_picking_either_die_where_neither_can_be_marked() -> None:
    # As a game has it that goes on only because another sheet is a copy's own; the rules do not forbid the pick.
    diamonds = {"die": {"A": {"5": {"dots": [".o.", "o.o", ".o."]}}}}
    state = with_dots(GAME.start(2, {"components": diamonds}), 1, all_but("a1"))
    state = rolled(state, "A5", "B5")
    assert len(list(GAME.legal(state))) == 2


def test_picking_happens_once() -> None:
    state = play(rolled(game()), Pick(1, "A"))
    assert refused(state, Pick(1, "B"))[0] == "Picking a die"


# Marking the dot arrangement ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dots", ["e5 f5 e6", "e5 f5 f6", "e6 f6 e5", "f5 f6 e6"])
def test_marking_in_all_four_rotations(dots: str) -> None:
    assert legal(play(rolled(game(), "A3"), Pick(1, "A")), mark(1, dots))


def test_marking_a_line_of_three_lies_two_ways() -> None:
    state = play(rolled(game(), "A2"), Pick(1, "A"))
    assert legal(state, mark(1, "e5 f5 g5"))
    assert legal(state, mark(1, "e5 e6 e7"))


def test_marking_not_partially_rotated() -> None:
    state = play(rolled(game(), "A2"), Pick(1, "A"))
    assert refused(state, mark(1, "e5 f6 g7"))[0] == "Marking the dot arrangement"


def test_marking_not_flipped() -> None:
    state = play(rolled(game(), "A4", "B6"), Pick(1, "B"))
    assert legal(state, mark(1, "e7 f7 g5"))
    refusal = GAME.refusal(state, mark(1, "f7 g7 e5"))
    assert refusal is not None
    assert "flipped" in refusal.problem
    assert "quarter turns" in refusal.remedy


def test_marking_lines_up_with_the_grid_and_all_of_it() -> None:
    state = play(rolled(game(), "A2"), Pick(1, "A"))
    refusal = GAME.refusal(state, mark(1, "e5 f5"))
    assert refusal is not None
    assert refusal.heading == "Marking the dot arrangement"
    assert "only a part of A2" in refusal.problem
    assert "d5 too" in refusal.remedy


def test_marking_more_dots_than_the_die_has() -> None:
    state = play(rolled(game(), "A1"), Pick(1, "A"))
    assert "not what A1" in refused(state, mark(1, "e5 f5 g5"))[1]


@pytest.mark.parametrize("dots", ["a1 b1", "m10 l10", "a10 a9", "m1 m2"])
def test_marking_at_the_edge(dots: str) -> None:
    assert legal(play(rolled(game(), "A1"), Pick(1, "A")), mark(1, dots))


def test_marking_with_no_dots_hanging_off() -> None:
    state = play(rolled(game(), "A2"), Pick(1, "A"))
    assert not any(legal(state, mark(1, dots)) for dots in ("a1 b1", "l1 m1", "m10 m9", "m1", "l1 m1 n1"))


def test_marking_only_dots_count_as_hanging_off() -> None:
    # The one dot of A4 is in the middle of the die's grid, which may hang off.
    state = play(rolled(game(), "A4"), Pick(1, "A"))
    assert all(legal(state, mark(1, dot)) for dot in ("a1", "m1", "a10", "m10"))


def test_marking_overlaps_any_number_of_dots() -> None:
    state = with_dots(game(), 1, "e5 f5")
    state = play(rolled(state, "A2"), Pick(1, "A"))
    assert legal(state, mark(1, "g5"))
    assert legal(state, mark(1, "g5 h5"))


def test_marking_at_least_one_new_dot() -> None:
    state = with_dots(game(), 1, "e5 f5 g5")
    state = play(rolled(state, "A2"), Pick(1, "A"))
    assert "No dot" in refused(state, Mark(1, frozenset()))[1]
    assert "marked already" in refused(state, mark(1, "e5 f5 g5"))[1]


def test_marking_names_only_newly_placed_dots() -> None:
    state = with_dots(game(), 1, "e5 f5")
    state = play(rolled(state, "A2"), Pick(1, "A"))
    refusal = GAME.refusal(state, mark(1, "e5 f5 g5"))
    assert refusal is not None
    assert "e5 f5 is marked already" in refusal.problem
    assert "overlaps" in refusal.remedy


def test_marking_the_same_new_dots_two_ways_is_one_move() -> None:
    state = with_dots(game(), 1, "e5 g5")
    state = play(rolled(state, "A1"), Pick(1, "A"))
    found = [move for move in GAME.legal(state) if move == mark(1, "f5")]
    assert len(found) == 1


def test_marking_leaves_the_dots_that_were_there() -> None:
    state = turn(with_dots(game(), 1, "e5 f5"), "g5", "a1")
    assert dots_on(state, 1) == ["e5", "f5", "g5"]


def test_marking_only_dots_that_there_are() -> None:
    state = play(rolled(game()), Pick(1, "A"))
    refusal = GAME.refusal(state, mark(1, "n1"))
    assert refusal is not None
    assert "n1" in refusal.problem
    assert "a1 to m10" in refusal.remedy


def test_marking_once_a_turn() -> None:
    state = play(rolled(game()), Pick(1, "A"), mark(1, "a1"))
    assert refused(state, mark(1, "c3"))[0] == "Marking the dot arrangement"


@pytest.mark.parametrize("player", [0, 3, -1, 100])
def test_marking_by_nobody_else(player: int) -> None:
    state = play(rolled(game()), Pick(1, "A"))
    assert "no player" in refused(state, mark(player, "a1"))[1]


def test_marking_is_for_all_at_once() -> None:
    state = play(rolled(game(3, first=2)), Pick(2, "A"))
    assert GAME.turn(state).players == (2, 3, 1)
    state = play(state, mark(3, "a1"))
    assert GAME.turn(state).players == (2, 1)
    assert state.phase is Phase.MARK


def test_marking_in_any_order_comes_to_the_same() -> None:
    state = play(rolled(game(3)), Pick(1, "A"))
    moves = (mark(1, "a1"), mark(2, "b2"), mark(3, "c3"))
    assert len({play(state, *order) for order in permutations(moves)}) == 1


def test_marking_nothing_where_no_new_dot_can_be_placed() -> None:
    state = with_dots(game(), 2, all_but("a1", "m10"))
    state = play(rolled(state, "A4", "B5"), Pick(1, "A"))
    assert GAME.turn(state).players == (1,)
    assert "nothing more to do" in refused(state, mark(2, "a1"))[1]
    state = play(state, mark(1, "e5"))
    assert state.phase is Phase.ROLL
    assert len(dots_on(state, 2)) == 128


# Connecting dots ------------------------------------------------------------------------------------------------------


def drawn(state: State, player: int) -> set[tuple[str, str]]:
    return set(lines(state.options.components.grid, state.sheets[player - 1].dots))


def test_connecting_orthogonally_adjacent_dots() -> None:
    state = turn(game(), "e5 f5 e6", "a1", dice=("A3", "B2"))
    assert drawn(state, 1) == {("e5", "f5"), ("e5", "e6")}


def test_connecting_not_diagonally() -> None:
    assert drawn(turn(game(), "e6 f5", "a1", dice=("A5", "B2")), 1) == set()


def test_connecting_with_dots_of_earlier_turns() -> None:
    assert drawn(turn(with_dots(game(), 1, "d5 f5 e7"), "e5", "a1"), 1) == {("d5", "e5"), ("e5", "f5")}


def test_connecting_what_a_face_prints_adds_nothing() -> None:
    connected, plain = game().options.components.faces["A1"], game().options.components.faces["B4"]
    assert connected.connected
    assert plain.connected
    assert drawn(turn(game(), "e5 f5", "e5", dice=("A1", "B2")), 1) == {("e5", "f5")}
    assert not game().options.components.faces["A3"].connected


# Scorable slices ------------------------------------------------------------------------------------------------------

SCORABLE = [(1, 1), (2, 2), (2, 3), (2, 4), (2, 5), (2, 6), (2, 7), (3, 3), (3, 4), (3, 5)]
SCORABLE += [(height, width) for width, height in SCORABLE if width != height]


def placed(width: int, height: int) -> str:
    """A slice of that size away from the tests' toppings as far as it goes."""
    return f"a1-{named((width, height))}"


@pytest.mark.parametrize(("width", "height"), SCORABLE)
def test_scorable_slices_are_rectangles_of_15_squares_or_less(width: int, height: int) -> None:
    state = with_rest(game(), 1, placed(width, height), "a1")
    assert points(state, 1) == 0
    state = play(rolled(state), Pick(1, "A"), mark(1, "a1"))
    assert slices_on(state, 1) == [placed(width, height)]
    size = width * height
    assert line(state, 1, "1 square" if size == 1 else f"{size} squares") == size * (size + 1) // 2


@pytest.mark.parametrize(("width", "height"), [(4, 4), (2, 8), (8, 2), (3, 6), (12, 9), (12, 2)])
def test_scorable_slices_are_not_larger(width: int, height: int) -> None:
    assert slices_on(with_dots(game(), 1, outline(placed(width, height))), 1) == []


@pytest.mark.parametrize("length", [2, 3, 11])
def test_scorable_slices_of_one_row_are_connected_across(length: int) -> None:
    # So there is no slice of 2, 3, 5, 7, 11 or 13 squares.
    assert len(slices_on(with_dots(game(), 1, outline(placed(length, 1))), 1)) == length
    assert len(slices_on(with_dots(game(), 1, outline(placed(1, min(length, 9)))), 1)) == min(length, 9)


def test_scorable_slices_have_no_other_shape() -> None:
    # An L of eight squares, the corner of nine taken by a slice of one.
    state = with_dots(game(), 1, outline("a1-d4", "a1-b2"))
    assert slices_on(state, 1) == ["a1-b2"]


def test_scorable_slices_have_no_dots_inside() -> None:
    state = with_dots(game(), 1, outline("e5-h8"))
    assert slices_on(state, 1) == ["e5-h8"]
    state = turn(state, "f6", "a1")
    assert slices_on(state, 1) == ["e5-f6"]  # f6 is connected to e6 and f5.


def test_scorable_slices_have_no_lines_inside() -> None:
    state = with_dots(game(), 1, outline("e5-h9") | {"f7"})
    assert slices_on(state, 1) == []
    assert ("e7", "f7") in drawn(state, 1)


def test_scorable_slices_come_from_slicing_further() -> None:
    state = with_dots(game(), 1, outline("e5-h9") | {"f7"})
    state = turn(state, "g7", "a1")
    assert slices_on(state, 1) == ["e5-h7", "e7-h9"]


@pytest.mark.parametrize("missing", ["e5", "f5", "h8", "e7"])
def test_scorable_slices_are_fully_enclosed(missing: str) -> None:
    assert slices_on(with_dots(game(), 1, outline("e5-h8") - {missing}), 1) == []


def test_scorable_slices_at_the_rim_need_the_perimeter_sliced_too() -> None:
    inner = {"d1", "d2", "d3", "d4", "c4", "b4", "a4"}
    assert slices_on(with_dots(game(), 1, inner), 1) == []
    assert slices_on(with_dots(game(), 1, inner | outline("a1-d4")), 1) == ["a1-d4"]


# Extra dots from toppings ---------------------------------------------------------------------------------------------


def with_olive(players: int = 2, **options: Any) -> State:
    """Player 1 has just enclosed olive-i4 and nothing else, in h3-k5; no bonus but that of one olive can be scored."""
    state = with_rest(game(players, **options), 1, "h3-k5", "h3")
    return play(rolled(state), Pick(1, "A"), mark(1, "h3"))


def test_extra_dots_the_moment_a_scorable_slice_with_a_topping_is_enclosed() -> None:
    state = with_olive()
    assert extra_dots_for(state, 1) == ["olive-i4"]
    assert GAME.turn(state).players == (1, 2)
    assert "the olive in i4" in GAME.turn(state).prompt


def test_extra_dots_not_before_marking() -> None:
    state = play(rolled(game()), Pick(1, "A"))
    heading, problem = refused(state, ExtraDot(1, "olive-i4", "a1"))
    assert heading == "Extra dots from toppings"
    assert "not marked" in problem
    assert refused(state, Stop(1))[0] == "Extra dots from toppings"


def test_extra_dots_not_without_a_topping() -> None:
    state = turn(with_rest(game(), 1, "h8-k10", "h8"), "h8")
    assert extra_dots_for(state, 1) == []
    assert GAME.turn(state).players == (2,)


def test_extra_dots_not_in_what_is_not_scorable() -> None:
    assert extra_dots_for(turn(with_rest(game(), 1, "h2-l6", "h2"), "h2"), 1) == []  # 16 squares


def test_extra_dots_anywhere_on_the_sheet() -> None:
    state = with_olive()
    free = [move.dot for move in GAME.legal(state) if isinstance(move, ExtraDot)]
    assert len(free) == 130 - len(outline("h3-k5"))
    assert {"a1", "m10", "g3", "i4"} <= set(free)


def test_extra_dots_one_for_each_topping() -> None:
    state = turn(with_rest(game(), 1, "b2-d4", "b2"), "b2")
    assert extra_dots_for(state, 1) == ["mushroom-b2", "salami-c2"]
    state = play(state, ExtraDot(1, "salami-c2", "m10"), ExtraDot(1, "mushroom-b2", "k10"))
    assert {"m10", "k10"} < set(dots_on(state, 1))
    assert GAME.turn(state).players == (2,)


def test_extra_dots_only_if_you_want() -> None:
    state = play(with_olive(), Stop(1))
    assert GAME.turn(state).players == (2,)
    assert crossed(state, 1) == []


def test_extra_dots_some_and_not_the_others() -> None:
    state = turn(with_rest(game(), 1, "b2-d4", "b2"), "b2")
    state = play(state, ExtraDot(1, "salami-c2", "m10"), Stop(1))
    assert crossed(state, 1) == ["salami-c2"]


def test_extra_dots_are_not_saved_for_later() -> None:
    state = play(with_olive(), Stop(1), mark(2, "a1"))
    refused(state, ExtraDot(1, "olive-i4", "a1"))
    state = turn(state, "a1")
    refused(state, ExtraDot(1, "olive-i4", "c1"))


def test_extra_dots_keep_the_turn_open() -> None:
    state = play(with_olive(), mark(2, "a1"))
    assert state.phase is Phase.MARK
    assert GAME.turn(state).players == (1,)
    assert play(state, Stop(1)).phase is Phase.ROLL


def test_extra_dots_cross_off_their_topping() -> None:
    state = play(with_olive(), ExtraDot(1, "olive-i4", "a1"))
    assert crossed(state, 1) == ["olive-i4"]


def test_extra_dots_of_a_topping_only_once() -> None:
    state = turn(with_rest(game(), 1, "b2-d4", "b2"), "b2")
    state = play(state, ExtraDot(1, "salami-c2", "m10"))
    assert "crossed off" in refused(state, ExtraDot(1, "salami-c2", "k10"))[1]


def test_extra_dots_not_again_when_a_slice_is_subdivided() -> None:
    state = play(with_olive(), ExtraDot(1, "olive-i4", "a1"), mark(2, "a1"))
    state = play(rolled(state), Pick(2, "B"), mark(1, "j4"), mark(2, "e5"))
    assert "i3-j5" not in slices_on(state, 1)
    assert crossed(state, 1) == ["olive-i4"]
    assert state.phase is Phase.ROLL


@pytest.mark.parametrize("dot", ["a1", "m10"])
def test_extra_dots_later_when_the_slice_is_subdivided_and_the_dot_unused(dot: str) -> None:
    state = play(with_olive(), Stop(1), mark(2, "a1"))
    # h3-k5 is three wide and two high: i4 and j4 are inside it.
    state = play(rolled(state), Pick(2, "B"), mark(1, "i4"))
    assert extra_dots_for(state, 1) == ["olive-i4"]
    assert dot in dots_on(play(state, ExtraDot(1, "olive-i4", dot)), 1)


def subdivided_with_rest(**options: Any) -> State:
    """A dot cuts a corner off e5-h8 with a topping in what is left, an L of eight squares."""
    own = own_pieces({}, {"olive": ["g7"]}, {})
    return turn(with_dots(GAME.start(2, {"components": own, **options}), 1, outline("e5-h8")), "f6")


def test_extra_dots_when_subdivided_also_in_a_part_that_is_not_scorable() -> None:
    assert extra_dots_for(subdivided_with_rest(), 1) == ["olive-g7"]


def test_extra_dots_when_subdivided_only_in_scorable_parts_by_option() -> None:
    state = subdivided_with_rest(rest_gives_dot=False)
    assert extra_dots_for(state, 1) == []
    assert GAME.turn(state).players == (2,)


def test_extra_dots_not_by_a_dot_that_divides_nothing() -> None:
    # b2-f5 is four wide and three high: the line from d2 to d3 ends inside it, the one from d3 to d4 then cuts it.
    state = turn(with_dots(game(), 1, outline("b2-f5")), "d3", "a1")
    assert slices_on(state, 1) == []
    assert (extra_dots_for(state, 1), state.phase) == ([], Phase.ROLL)
    state = play(rolled(state), Pick(2, "B"), mark(1, "d4"))
    assert slices_on(state, 1) == ["b2-d5", "d2-f5"]
    assert extra_dots_for(state, 1) == ["mushroom-b2", "salami-c2"]


def test_extra_dots_may_enclose_another_slice_with_toppings() -> None:
    state = with_dots(game(), 1, outline("h3-k5", "b2-d4") - {"h3", "b2"})
    state = turn(state, "h3")
    assert extra_dots_for(state, 1) == ["olive-i4"]
    state = play(state, ExtraDot(1, "olive-i4", "b2"))
    assert extra_dots_for(state, 1) == ["mushroom-b2", "salami-c2"]


def test_extra_dots_which_topping_is_crossed_off_is_free_to_choose() -> None:
    state = turn(with_rest(game(), 1, "b2-d4", "b2"), "b2")
    first, second = (play(state, ExtraDot(1, one, "m10")) for one in ("salami-c2", "mushroom-b2"))
    assert dots_on(first, 1) == dots_on(second, 1)
    assert first != second


@pytest.mark.parametrize(
    ("move", "problem"),
    [
        (ExtraDot(1, "olive-i4", "h4"), "marked already"),
        (ExtraDot(1, "olive-i4", "z9"), "no such dot"),
        (ExtraDot(1, "olive-d1", "a1"), "in no scorable slice"),
        (ExtraDot(1, "pineapple", "a1"), "no topping pineapple"),
        (ExtraDot(2, "olive-i4", "a1"), "not marked"),
        (ExtraDot(7, "olive-i4", "a1"), "no player 7"),
    ],
)
def test_extra_dots_refused(move: ExtraDot, problem: str) -> None:
    heading, shown = refused(with_olive(), move)
    assert heading == "Extra dots from toppings"
    assert problem in shown


def test_extra_dots_need_room() -> None:
    state = turn(with_dots(game(), 1, all_but("i4")), "i4")
    assert extra_dots_for(state, 1) == []


# Topping bonuses ------------------------------------------------------------------------------------------------------


def test_bonus_for_exactly_the_toppings_at_once() -> None:
    state = turn(with_rest(game(), 1, "b2-d4", "b2"), "b2")
    assert bonuses(state, 1) == ["mushroom-salami"]
    assert line(state, 1, "Topping bonuses") == 20


def test_bonus_not_with_other_toppings_besides() -> None:
    state = turn(with_rest(game(), 1, "b1-e4", "b1"), "b1")  # an olive besides
    assert bonuses(state, 1) == []


def test_bonus_not_with_fewer_toppings() -> None:
    state = turn(with_rest(game(), 1, "g6-i8", "g6"), "g6")  # one salami of a pair
    assert bonuses(state, 1) == []


def test_bonus_counts_how_many_of_a_kind() -> None:
    state = turn(with_rest(game(), 1, "g6-k8", "g6"), "g6")
    assert bonuses(state, 1) == ["salami-pair"]


def test_bonus_only_in_a_scorable_slice() -> None:
    assert bonuses(turn(with_rest(game(), 1, "e6-k10", "e6"), "e6"), 1) == []


def test_bonus_for_the_first_player_only() -> None:
    state = with_rest(with_olive(), 2, "h3-k5", "h3")
    state = play(state, Stop(1), mark(2, "a1"))
    state = turn(state, "a1", "h3")
    assert bonuses(state, 1) == ["just-olive"]
    assert bonuses(state, 2) == []
    assert line(state, 2, "Topping bonuses") == 0


def test_bonus_others_may_score_it_with_other_toppings_of_the_kind_no_more() -> None:
    state = play(with_olive(), Stop(1), mark(2, "a1"))
    state = with_rest(state, 2, "d1-f3", "d1")
    state = turn(state, "a1", "d1")
    assert bonuses(state, 2) == []


@pytest.mark.parametrize("order", list(permutations((1, 2, 3))))
def test_bonus_for_all_who_score_it_at_the_same_time(order: tuple[int, ...]) -> None:
    state = game(3)
    for player in (1, 2):
        state = with_rest(state, player, "h3-k5", "h3")
    state = play(rolled(state), Pick(1, "A"))
    moves: dict[int, list[Move]] = {1: [mark(1, "h3"), Stop(1)], 2: [mark(2, "h3"), Stop(2)], 3: [mark(3, "a1")]}
    state = play(state, *(move for player in order for move in moves[player]))
    assert [bonuses(state, player) for player in (1, 2, 3)] == [["just-olive"], ["just-olive"], []]
    assert state.phase is Phase.ROLL


@pytest.mark.parametrize("late", [False, True])
def test_bonus_at_the_same_time_even_if_one_used_an_extra_dot(late: bool) -> None:
    state = with_rest(game(), 1, "h3-k5", "h3")
    # Player 2 encloses a chili, and with its extra dot the olive.
    state = with_dots(state, 2, outline("k3-m5", "d1-f3") - {"m3", "d1"})
    state = play(rolled(state), Pick(1, "A"))
    one: list[Move] = [mark(1, "h3"), Stop(1)]
    two: list[Move] = [mark(2, "m3"), ExtraDot(2, "chili-k3", "d1"), Stop(2)]
    state = play(state, *([*one, *two] if late else [*two, *one]))
    assert bonuses(state, 1) == bonuses(state, 2) == ["just-olive"]


def test_bonus_is_closed_at_the_end_of_the_turn() -> None:
    state = with_olive()
    assert state.closed == 0
    state = play(state, Stop(1), mark(2, "a1"))
    assert rules.bonus_names(state, state.closed) == ["just-olive"]


def test_bonus_also_with_toppings_crossed_off() -> None:
    # Their dots are used in a slice with an olive besides; later they are cut out alone.
    state = with_rest(game(), 1, "b1-e4", "b1")
    state = turn(state, "b1")
    state = play(state, ExtraDot(1, "mushroom-b2", "m10"), ExtraDot(1, "salami-c2", "k10"), Stop(1), mark(2, "a1"))
    assert bonuses(state, 1) == []
    state = turn(state, "c2 d2", dice=("A1", "B2"), picks="B")
    assert slices_on(state, 1) == ["b1-c2", "b2-e4", "c1-d2", "d1-e2"]
    assert bonuses(state, 1) == ["mushroom-salami", "just-olive"]


def test_bonus_not_again_with_the_same_toppings_in_a_smaller_slice() -> None:
    state = turn(with_rest(game(), 1, "b2-d4", "b2"), "b2")
    state = play(state, Stop(1), mark(2, "a1"))
    state = turn(state, "c3", "a2", picks="B")  # four slices of one, a mushroom alone in the first
    assert bonuses(state, 1) == ["mushroom-salami"]


def test_bonus_of_a_smaller_slice_by_who_did_not_score_with_its_toppings() -> None:
    # Somebody else had the mushroom and the salami before: then these toppings are still good for a mushroom alone.
    state = with_rest(game(), 1, "b2-d4", "b2")
    state = replace(state, closed=state.options.components.bonus_bits["mushroom-salami"])
    state = play(turn(state, "b2"), Stop(1), mark(2, "a1"))
    assert bonuses(state, 1) == []
    assert bonuses(turn(state, "c3", "a2", picks="B"), 1) == ["just-mushroom"]


def test_bonus_not_again_in_the_same_turn_either() -> None:
    state = turn(with_rest(game(), 1, "b2-d4", "b2"), "b2")
    state = play(state, ExtraDot(1, "salami-c2", "c3"))
    assert bonuses(state, 1) == ["mushroom-salami"]


def test_bonus_toppings_still_give_extra_dots() -> None:
    state = turn(with_rest(game(), 1, "b2-d4", "b2"), "b2")
    assert bonuses(state, 1) == ["mushroom-salami"]
    assert extra_dots_for(state, 1) == ["mushroom-b2", "salami-c2"]


def test_bonus_scored_toppings_still_give_their_unused_dot_later() -> None:
    state = turn(with_rest(game(), 1, "b2-d4", "b2"), "b2")
    state = play(state, Stop(1), mark(2, "a1"))
    state = turn(state, "c3", picks="B")
    assert extra_dots_for(state, 1) == ["mushroom-b2", "salami-c2"]


def test_bonus_once_for_a_player_who_makes_it_twice() -> None:
    state = turn(with_dots(game(), 1, outline("a8-c10", "d1-f3") - {"a8", "d1"}), "a8")
    state = play(state, ExtraDot(1, "olive-a8", "d1"))
    assert bonuses(state, 1) == ["just-olive"]
    assert line(state, 1, "Topping bonuses") == 7


def test_bonus_once_for_two_slices_made_at_once() -> None:
    own = own_pieces({}, {"olive": ["e5", "f5"]}, {"one-olive": (["olive"], 7)})
    state = GAME.start(2, {"components": own})
    state = turn(with_dots(state, 1, outline("e5-f6", "f5-g6") - {"f5"}), "f5")
    assert bonuses(state, 1) == ["one-olive"]
    assert line(state, 1, "Topping bonuses") == 7
    assert state.sheets[0].counted.bit_count() == 2


# End of the game ------------------------------------------------------------------------------------------------------


def test_end_when_one_player_has_finished_and_the_turn_is_over() -> None:
    state = turn(with_dots(game(), 1, FINISHED - {"a1"}), "a1")
    state = play(state, *([Stop(1)] if extra_dots_for(state, 1) else []))
    assert state.phase is Phase.MARK
    assert GAME.turn(state).players == (2,)
    state = play(state, mark(2, "e5"))
    assert state.phase is Phase.OVER
    assert GAME.turn(state).actor is Actor.NOBODY


def test_end_also_when_it_is_not_the_active_player_who_finishes() -> None:
    state = turn(with_dots(game(first=2), 1, FINISHED - {"m10"}), "m10")
    state = play(state, *([Stop(1)] if extra_dots_for(state, 1) else []), mark(2, "e5"))
    assert state.phase is Phase.OVER


def finished(dots: Collection[str], **options: Any) -> bool:
    state = game(**options)
    return rules.is_finished(state, with_dots(state, 1, dots).sheets[0])


def test_end_needs_the_entire_perimeter() -> None:
    assert finished(FINISHED)
    assert not any(finished(FINISHED - {dot}) for dot in ("a1", "m10", "g1", "a5", "m7"))


def test_end_needs_no_part_larger_than_15_squares() -> None:
    assert not finished(cut_at((0, 5, 10, 12), (0, 3, 9)))
    assert not finished(cut_at((0, 12), (0, 9)))
    assert finished(cut_at((0, 3, 6, 9, 12), (0, 5, 9)))


def test_end_does_not_ask_for_other_parts_to_be_scorable() -> None:
    # Corners cut off from slices of 15: what is left of them are parts of 14 squares, no rectangles.
    dots = FINISHED | {"b2"}
    assert finished(dots)
    assert not finished(dots, unscorable_may_remain=False)
    assert finished(FINISHED, unscorable_may_remain=False)


def test_end_counts_a_part_of_another_shape_by_its_squares() -> None:
    # 5 × 4 less a corner of one square are 19 squares, too many; 4 × 4 less one are 15.
    large = cut_at((0, 5, 10, 12), (0, 4, 6, 9)) | {"b2"}
    assert not finished(large)
    columns = cut_at((0, 4, 8, 12), (0, 4, 6, 9))
    corners = {"b2", "f2", "j2"}
    assert not finished(columns)
    assert finished(columns | corners)


def test_end_whole_grid_is_finished() -> None:
    assert finished(all_but())
    assert not finished(all_but("a1"))


def test_end_when_nobody_can_mark_anything() -> None:
    own = {"die": {"A": {"1": {"dots": [".o.", "o.o", ".o."], "connected": False}}}}
    state = GAME.start(2, {"components": own})
    for player in (1, 2):
        state = with_dots(state, player, all_but("a1"))
    state = play(rolled(state, "A1", "B5"), Pick(1, "A"))
    assert state.phase is Phase.OVER
    assert GAME.winners(state) == (1, 2)


def test_end_not_when_somebody_can() -> None:
    state = with_dots(with_dots(game(), 1, all_but("a1")), 2, all_but("a1", "c3"))
    state = play(rolled(state, "A4", "B5"), Pick(1, "A"))
    assert state.phase is Phase.MARK


def over() -> State:
    state = turn(with_dots(game(), 1, FINISHED - {"a1"}), "a1")
    return play(state, *([Stop(1)] if extra_dots_for(state, 1) else []), mark(2, "e5"))


@pytest.mark.parametrize("move", [Roll(("A1", "B1")), Pick(1, "A"), mark(1, "b2"), Stop(1)])
def test_end_nothing_after_it(move: Move) -> None:
    refused(over(), move)
    assert list(GAME.legal(over())) == []
    with pytest.raises(IllegalMove):
        GAME.apply(over(), move)


# Scoring --------------------------------------------------------------------------------------------------------------


def test_scoring_counts_slices_by_size_times_their_points() -> None:
    state = over()
    assert line(state, 1, "15 squares") == 6 * 120
    assert line(state, 1, "6 squares") == 3 * 21
    details = {one.label: one.detail for one in GAME.score(state)[0].lines}
    assert details["15 squares"] == "6 × 120"


def test_scoring_what_is_not_scorable_counts_nothing() -> None:
    state = with_dots(game(), 1, outline("a1-d4", "a1-b2") | outline("e5-j9"))
    assert points(state, 1) == 1


def test_scoring_adds_the_bonuses() -> None:
    state = turn(with_rest(game(), 1, "b2-d4", "b2"), "b2")
    assert points(state, 1) == 10 + 20


def test_scoring_lines_are_those_of_the_sheet() -> None:
    sheet = GAME.score(game())[0]
    sizes = ["1 square", *(f"{size} squares" for size in (4, 6, 8, 9, 10, 12, 14, 15))]
    assert [one.label for one in sheet.lines] == [*sizes, "Topping bonuses"]


def test_scoring_points_are_data() -> None:
    own = {"sheet": {"points": [7] + [0] * 14}}
    state = with_dots(GAME.start(2, {"components": own}), 1, outline("a1-b2"))
    assert points(state, 1) == 7


def test_scoring_most_points_win() -> None:
    assert GAME.winners(over()) == (1,)


def test_scoring_equal_points_share_the_win() -> None:
    state = replace(over(), sheets=(over().sheets[0],) * 2)
    assert GAME.winners(state) == (1, 2)


def test_scoring_the_finisher_does_not_win_with_fewer_points() -> None:
    state = with_dots(game(), 2, FINISHED - {"d3"})  # not finished: all but one dot
    state = turn(with_dots(state, 1, all_but("a1")), "a1", "l2")
    state = play(state, *(Stop(player) for player in (1, 2) if extra_dots_for(state, player)))
    assert state.phase is Phase.OVER
    assert points(state, 1) == 108
    assert GAME.winners(state) == (2,)


def test_scoring_nobody_wins_before_the_end() -> None:
    assert GAME.winners(with_dots(game(), 1, FINISHED)) == ()


# Errors ---------------------------------------------------------------------------------------------------------------


def test_refused_moves_are_errors_that_carry_the_refusal() -> None:
    with pytest.raises(IllegalMove, match="Picking a die: It is player 1's turn") as caught:
        GAME.apply(rolled(game()), Pick(2, "A"))
    assert caught.value.refusal.heading == "Picking a die"


def test_nothing_is_drawn_where_players_act() -> None:
    with pytest.raises(GameError, match="waits for pick"):
        GAME.draw(rolled(game()), None)  # type: ignore[arg-type]


def test_dice_are_two() -> None:
    assert DICE == ("A", "B")
