"""The rule book of New York Slice, sentence by sentence, in the order of its text."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from controller.game import Actor, GameError, IllegalMove, OptionError
from controller.games.new_york_slice import GAME, rules
from controller.games.new_york_slice.rules import (
    ChooseStack,
    Decide,
    Dibs,
    Divide,
    EatSeconds,
    Mystery,
    OwnedSpecial,
    Phase,
    Redraw,
    Reveal,
    RevealEaten,
    Sneak,
    State,
    Take,
)
from tests.controller.games.known import known
from tests.controller.games.new_york_slice.situations import (
    RING,
    divided,
    faces,
    game,
    having,
    in_round,
    legal,
    line,
    over,
    owning,
    play,
    quarters,
    refused,
    served,
    takes,
)

NOTHING: frozenset[str] = frozenset()


def nobody_else(state: State) -> list[int]:
    """The players' totals."""
    return [sheet.total for sheet in GAME.score(state)]


# Setup ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "slices", "stacks"), [(2, 47, 4), (3, 69, 6), (4, 69, 6), (5, 58, 5), (6, 69, 6)])
def test_setup_slices_and_stacks(players: int, slices: int, stacks: int) -> None:
    state = game(players)
    assert len(state.unseen) == slices == 11 * stacks + 3
    assert state.stacks == tuple(range(1, stacks + 1))
    assert state.rounds == stacks


def test_setup_two_players_remove_10_8_and_3_and_their_combo() -> None:
    values = Counter(face.split("/")[0] for face in game(2).unseen if "/" in face)
    assert values == {"4": 4, "5": 5, "6": 6, "7": 7, "9": 9, "11": 11}
    assert {"combo-5-7", "combo-4-6", "combo-9-11", "anchovy", "supreme"} < game(2).unseen
    assert "combo-8-10" not in game(2).unseen


def test_setup_five_players_remove_10_and_its_combo() -> None:
    values = Counter(face.split("/")[0] for face in game(5).unseen if "/" in face)
    assert "10" not in values
    assert values["8"] == 8
    assert "combo-8-10" not in game(5).unseen


@pytest.mark.parametrize("players", [0, 1, 7])
def test_setup_two_to_six_play(players: int) -> None:
    with pytest.raises(GameError, match="none of 2 to 6"):
        game(players)


def test_setup_a_removed_slice_in_the_pizza_is_refused() -> None:
    state = play(game(2), ChooseStack(1))
    heading, problem = refused(state, Reveal(rules.BUFFET, ("10/3", *RING[1:])))
    assert heading == "Setup"
    assert "10 slice" in problem


def test_setup_unknown_option_and_wrong_value_are_errors() -> None:
    with pytest.raises(GameError, match="option pizza: unknown"):
        game(pizza=True)
    with pytest.raises(GameError, match="sneak_may_empty: 3"):
        game(sneak_may_empty=3)


def test_shuffle_the_specials_each_appears_once() -> None:
    state = play(quarters(served(game())), Take(2, 0))
    state = replace(state, phase=Phase.REVEAL, ring=())
    heading, _ = refused(state, Reveal(rules.STUFFED_CRUST, faces("3/1 3/2 3/3 4/2 4/3 4/4 5/2 5/3 5/4 5/5 6/1")))
    assert heading == "Shuffle the Specials"


def test_first_slicer_is_who_is_said_to_be() -> None:
    assert GAME.turn(game(4, first=3)).players == (3,)
    with pytest.raises(GameError, match="first: 5"):
        game(4, first=5)


# Gameplay: rounds -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "rounds"), [(2, 4), (3, 6), (4, 6), (5, 5), (6, 6)])
def test_rounds_as_many_as_stacks(players: int, rounds: int) -> None:
    assert game(players).rounds == rounds


# Start each round -----------------------------------------------------------------------------------------------------


def test_start_the_slicer_chooses_any_stack_left() -> None:
    state = game()
    assert [known(ChooseStack, move).stack for move in GAME.legal(state)] == [1, 2, 3, 4, 5, 6]
    state = play(state, ChooseStack(4))
    assert state.stacks == (1, 2, 3, 5, 6)
    assert GAME.turn(state).actor is Actor.CHANCE
    assert refused(game(), ChooseStack(7))[0] == "Start each round"


def test_start_the_pizza_is_a_circle_and_has_no_first_slice() -> None:
    turned = RING[4:] + RING[:4]
    assert served(game(), RING) == served(game(), turned)


def test_start_the_direction_in_which_slices_are_laid_matters() -> None:
    assert served(game(), RING).ring != served(game(), RING[::-1]).ring


@pytest.mark.parametrize(
    ("ring", "problem"),
    [
        (RING[:10], "10 slices"),
        ((*RING, "3/1"), "12 slices"),
        ((*RING[:10], RING[0]), "Twice"),
        ((*RING[:10], "12/1"), "No slice of this game"),
        ((*RING[:10], "special/buffet"), "No slice of this game"),
        ((), "0 slices"),
    ],
)
def test_start_a_wrong_pizza_is_refused(ring: tuple[str, ...], problem: str) -> None:
    heading, found = refused(play(game(), ChooseStack(1)), Reveal(rules.BUFFET, ring))
    assert heading == "Start each round"
    assert problem in found


def test_start_a_slice_already_collected_cannot_be_in_the_pizza() -> None:
    state = play(having(game(), 2, collected="3/1"), ChooseStack(1))
    assert "Already seen" in refused(state, Reveal(rules.BUFFET, (*RING[:10], "3/1")))[1]


def test_start_the_special_must_be_one() -> None:
    assert "no Special" in refused(play(game(), ChooseStack(1)), Reveal("7/1", RING))[1]


# Divide the pizza (and Special) into portions -------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "divisions"), [(2, 1485), (3, 550), (4, 1485), (5, 2640), (6, 3234)])
def test_divide_number_of_divisions(players: int, divisions: int) -> None:
    state = served(game(players))
    moves = list(GAME.legal(state))
    assert len(moves) == divisions == len(set(moves))


@pytest.mark.parametrize(("portions", "divisions"), [(3, 550), (4, 1485), (5, 2640), (6, 3234)])
def test_divide_every_listed_division_is_legal_and_numbered_as_the_state_does(portions: int, divisions: int) -> None:
    state = served(game(portions))
    for move in GAME.legal(state):
        assert GAME.refusal(state, move) is None
        assert rules.canonical_divide(state, known(Divide, move)) == move
        divisions -= 1
    assert divisions == 0


def test_divide_into_as_many_portions_as_players() -> None:
    state = served(game(4))
    ring = state.ring
    few = Divide((ring[:4], ring[4:8], ring[8:]), 0)
    many = Divide((ring[:1], ring[1:2], ring[2:3], ring[3:4], ring[4:]), 0)
    assert refused(state, few) == (
        "Divide the pizza (and Special) into portions",
        "Too few portions: 3 instead of 4.",
    )
    assert "Too many portions: 5" in refused(state, many)[1]


def test_divide_two_players_into_four_portions() -> None:
    state = served(game(2), RING)
    ring = state.ring
    assert "Too few" in refused(state, Divide((ring[:4], ring[4:]), 0))[1]
    assert legal(state, Divide((ring[:4], ring[4:5], ring[5:8], ring[8:]), 2))


def test_divide_a_portion_has_any_number_of_slices() -> None:
    ring = served(game(4)).ring
    assert legal(served(game(4)), Divide((ring[:1], ring[1:2], ring[2:3], ring[3:]), 3))


def test_divide_each_portion_has_a_slice_or_the_special() -> None:
    state = served(game(4))
    ring = state.ring
    assert refused(state, Divide((ring[:5], (), ring[5:8], ring[8:]), 0))[1] == "A portion is empty."
    assert "empty" in refused(state, Divide((ring[:5], (), (), ring[5:]), 1))[1]
    assert legal(state, Divide((ring[:5], (), ring[5:8], ring[8:]), 1))


def test_divide_the_special_alone_is_a_portion() -> None:
    state = served(game(4))
    ring = state.ring
    state = play(state, Divide((ring[:5], ring[5:8], ring[8:], ()), 3))
    assert [one.special for one in state.portions] == [False, False, False, True]
    assert state.portions[3].slices == ()


def test_divide_the_special_lies_with_some_portion() -> None:
    state = served(game(4))
    ring = state.ring
    portions = (ring[:3], ring[3:5], ring[5:8], ring[8:])
    for place in (-1, 4):
        assert "Special is in no portion" in refused(state, Divide(portions, place))[1]


def test_divide_may_not_change_the_order() -> None:
    state = served(game(4))
    ring = state.ring
    swapped = (ring[1], ring[0], *ring[2:])
    move = Divide((swapped[:3], swapped[3:5], swapped[5:8], swapped[8:]), 0)
    refusal = GAME.refusal(state, move)
    assert refusal is not None
    assert "order" in refusal.problem
    assert set(ring[:2]) <= set(refusal.pieces)
    assert len(refusal.pieces) <= 3


def test_divide_portions_may_not_change_places() -> None:
    state = served(game(4))
    ring = state.ring
    assert "order" in refused(state, Divide((ring[:3], ring[5:8], ring[3:5], ring[8:]), 0))[1]


def test_divide_may_not_turn_the_pizza_round() -> None:
    state = served(game(4))
    back = state.ring[::-1]
    assert "order" in refused(state, Divide((back[:3], back[3:5], back[5:8], back[8:]), 0))[1]


def test_divide_a_slice_missing_twice_or_strange() -> None:
    state = served(game(4))
    ring = state.ring
    assert "In no portion" in refused(state, Divide((ring[:3], ring[3:5], ring[5:8], ring[8:10]), 0))[1]
    assert "two places" in refused(state, Divide((ring[:3], ring[2:5], ring[5:8], ring[8:]), 0))[1]
    assert "Not of this pizza" in refused(state, Divide((ring[:3], ring[3:5], ring[5:8], (*ring[8:10], "3/1")), 0))[1]


def test_divide_it_does_not_matter_which_portion_is_named_first() -> None:
    state = served(game(4))
    named = quarters(state, special_in=1)
    turned = Divide(tuple(one.slices for one in named.portions[2:] + named.portions[:2]), 3)
    assert play(state, turned) == named


def test_divide_in_groups_written_across_the_first_slice() -> None:
    state = served(game(3))
    ring = state.ring
    state = play(state, Divide((ring[3:6], ring[6:9], ring[9:] + ring[:3]), 2))
    assert state.portions[0].slices == ring[9:] + ring[:3]
    assert state.portions[0].special


# Choose a portion -----------------------------------------------------------------------------------------------------


def test_choose_the_player_to_the_slicers_left_is_first() -> None:
    assert GAME.turn(quarters(served(game(4, first=4)))).players == (1,)


def test_choose_takes_all_slices_and_the_special() -> None:
    state = play(quarters(served(game()), special_in=2), Take(2, 2))
    assert state.taken == faces("9/9 5/1 7/1")
    assert state.holdings[1].specials == (OwnedSpecial(rules.STUFFED_CRUST, 1),)
    assert state.portions[2].taken_by == 2


def test_choose_collect_and_eat() -> None:
    state = takes(quarters(served(game()), special_in=0), 2, 2, eaten="7/1")
    assert state.holdings[1].collected == ("9/9", "5/1")
    assert state.holdings[1].eaten == ("7/1",)
    assert state.holdings[1].specials == ()


def test_choose_any_slices_may_be_collected() -> None:
    state = takes(quarters(served(game())), 2, 0)
    assert state.holdings[1].collected == faces("4/1 combo-9-11 anchovy")


@pytest.mark.parametrize("eaten", ["9/9", "9/9 7/1"])
def test_choose_only_slices_with_pepperoni_may_be_eaten(eaten: str) -> None:
    state = play(quarters(served(game())), Take(2, 2))
    refusal = GAME.refusal(state, Decide(2, frozenset(faces(eaten))))
    assert refusal is not None
    assert refusal.heading == "Choose a portion"
    assert "no pepperoni" in refusal.problem
    assert refusal.pieces == ("9/9",)


def test_choose_slices_of_another_portion_cannot_be_eaten() -> None:
    state = play(quarters(served(game())), Take(2, 2))
    assert "not among the slices just taken" in refused(state, Decide(2, frozenset({"7/2"})))[1]


def test_choose_slices_collected_before_cannot_be_eaten_any_more() -> None:
    state = play(having(quarters(served(game())), 2, collected="7/5"), Take(2, 2))
    assert "collected before" in refused(state, Decide(2, frozenset({"7/5"})))[1]


def test_choose_every_permitted_choice_is_listed() -> None:
    state = play(quarters(served(game())), Take(2, 2))
    assert {known(Decide, move).eaten for move in GAME.legal(state)} == {
        frozenset(faces(eaten)) for eaten in ("", "5/1", "7/1", "5/1 7/1")
    }


# Next player chooses --------------------------------------------------------------------------------------------------


def test_next_player_clockwise_the_slicer_last() -> None:
    state = quarters(served(game(4, first=3)))
    order = []
    for portion, attach in ((0, None), (1, "9"), (2, None), (3, None)):
        player = GAME.turn(state).players[0]
        order.append(player)
        state = takes(state, player, portion, attach=attach)
    assert order == [4, 1, 2, 3]


@pytest.mark.parametrize("player", [1, 3, 4, 0, 5, -1])
def test_next_player_out_of_turn_is_refused(player: int) -> None:
    assert refused(quarters(served(game())), Take(player, 0))[0] == "Next player chooses"


def test_next_player_waits_until_the_one_before_has_decided() -> None:
    state = play(quarters(served(game())), Take(2, 0))
    assert "the player before has decided" in refused(state, Take(3, 1))[1]
    assert "Player 3 has nothing to decide" in refused(state, Decide(3, NOTHING))[1]


def test_next_player_cannot_take_a_portion_that_is_gone() -> None:
    state = takes(quarters(served(game())), 2, 0)
    assert "Player 2 has already taken" in refused(state, Take(3, 0))[1]
    assert "no such portion" in refused(state, Take(3, 4))[1]


def test_next_player_two_players_alternate_and_the_slicer_is_last() -> None:
    state = quarters(served(game(2, first=1)))
    order = []
    for portion, attach in ((0, None), (1, "9"), (2, None), (3, None)):
        player = GAME.turn(state).players[0]
        order.append(player)
        state = takes(state, player, portion, attach=attach)
    assert order == [2, 1, 2, 1]
    assert state.slicer == 2


# Next round & the new Slicer ------------------------------------------------------------------------------------------


def test_next_round_the_player_to_the_left_slices() -> None:
    state = quarters(served(game(4, first=4)))
    for player, portion, attach in ((1, 0, None), (2, 1, "9"), (3, 2, None), (4, 3, None)):
        state = takes(state, player, portion, attach=attach)
    assert (state.phase, state.round, state.slicer) == (Phase.STACK, 2, 1)
    assert (state.ring, state.portions) == ((), ())


def test_next_round_until_all_stacks_are_divided() -> None:
    state = replace(in_round(game(4), 6), stacks=(6,))
    state = quarters(served(state))
    for player, portion, attach in ((3, 0, None), (4, 1, "9"), (1, 2, None), (2, 3, None)):
        assert GAME.winners(state) == ()
        state = takes(state, player, portion, attach=attach)
    assert state.phase is Phase.OVER
    assert GAME.turn(state).actor is Actor.NOBODY
    assert GAME.winners(state)
    assert list(GAME.legal(state)) == []


# Pizza type scoring ---------------------------------------------------------------------------------------------------


def test_type_majority_scores_the_value_on_the_slice() -> None:
    state = having(having(game(), 1, collected="7/1 7/2"), 2, collected="7/3")
    assert [line(state, player, "7 ") for player in (1, 2, 3, 4)] == [7, 0, 0, 0]


def test_type_more_than_any_other_not_more_than_half() -> None:
    state = having(having(having(game(), 1, collected="11/1 11/2"), 2, collected="11/3"), 3, collected="11/4")
    assert line(state, 1, "11 ") == 11


def test_type_a_tie_scores_for_nobody() -> None:
    state = having(having(having(game(), 1, collected="7/1 7/2"), 2, collected="7/3 7/4"), 3, collected="7/5")
    assert [line(state, player, "7 ") for player in (1, 2, 3)] == [0, 0, 0]


def test_type_nobody_has_any() -> None:
    assert all(one.points == 0 for sheet in GAME.score(game()) for one in sheet.lines)


def test_type_eaten_slices_do_not_count() -> None:
    state = having(having(game(), 1, collected="7/1"), 2, eaten="7/2 7/3")
    assert [line(state, player, "7 ") for player in (1, 2)] == [7, 0]


def test_type_a_half_slice_wins_where_nobody_has_a_slice() -> None:
    state = having(game(), 3, collected="combo-5-7")
    assert (line(state, 3, "5 "), line(state, 3, "7 ")) == (5, 7)


def test_type_a_half_slice_loses_to_a_slice_and_breaks_a_tie() -> None:
    state = having(having(game(), 1, collected="combo-5-7"), 2, collected="7/1")
    assert [line(state, player, "7 ") for player in (1, 2)] == [0, 7]
    state = having(having(game(), 1, collected="combo-5-7 7/1"), 2, collected="7/2")
    assert [line(state, player, "7 ") for player in (1, 2)] == [7, 0]


def test_type_lines_from_veggie_to_cheese() -> None:
    labels = [one.label for one in GAME.score(game())[0].lines]
    assert labels[0] == "3 Veggie"
    assert labels[8] == "11 Cheese"
    assert labels[9:] == ["Special*", "Pepperoni - Anchovy"]
    assert [int(label.split()[0]) for label in labels[:9]] == list(range(3, 12))


# Pepperoni & anchovy scoring ------------------------------------------------------------------------------------------


def test_pepperoni_eaten_minus_anchovies_collected() -> None:
    # 11/1 and 10/1 have 3 pepperoni and an anchovy each; 7/1 has 2 and an anchovy.
    state = having(game(), 1, collected="11/1 7/1 5/5", eaten="10/1 9/2")
    assert line(state, 1, "Pepperoni") == 3 + 2 - 3


def test_pepperoni_on_collected_and_anchovies_on_eaten_slices_are_ignored() -> None:
    assert line(having(game(), 1, collected="11/2"), 1, "Pepperoni") == 0
    assert line(having(game(), 1, eaten="11/1"), 1, "Pepperoni") == 3


# Final scoring --------------------------------------------------------------------------------------------------------


def test_final_the_total_adds_all_lines() -> None:
    state = owning(having(game(), 1, collected="11/1", eaten="9/2"), 1, rules.STUFFED_CRUST)
    assert GAME.score(state)[0].total == 11 + 5 + 2 - 1


def test_final_most_points_win() -> None:
    assert GAME.winners(over(having(game(), 3, collected="3/1"))) == (3,)


def test_final_a_tie_goes_to_who_has_eaten_more_slices_not_pepperonis() -> None:
    state = having(having(game(), 1, eaten="10/2 10/3"), 2, eaten="3/1 4/1 10/4")
    assert nobody_else(state)[:2] == [4, 4]
    assert GAME.winners(over(state)) == (2,)


def test_final_still_a_tie_is_shared() -> None:
    state = having(having(game(), 1, eaten="10/2"), 4, eaten="10/3")
    assert GAME.winners(over(state)) == (1, 4)


# Slices: numbered, Combo, Anchovy -------------------------------------------------------------------------------------


def test_numbered_slices_as_many_as_their_number() -> None:
    values = Counter(face.split("/")[0] for face in game(3).unseen if "/" in face)
    assert values == {str(value): value for value in range(3, 12)}


def test_combo_slice_is_half_a_slice_of_each_type() -> None:
    counts = rules.type_counts(having(game(), 1, collected="combo-9-11 9/1"))
    assert counts[9][1] == 3
    assert counts[11][1] == 1


def test_combo_slice_cannot_be_eaten() -> None:
    state = play(quarters(served(game())), Take(2, 0))
    assert refused(state, Decide(2, frozenset({"combo-9-11"})))[0] == "Combo slices"


def test_anchovy_slice_cannot_be_eaten_and_costs_three() -> None:
    state = play(quarters(served(game())), Take(2, 0))
    assert refused(state, Decide(2, frozenset({"anchovy"})))[0] == "Anchovy slice"
    state = play(state, Decide(2, NOTHING))
    assert line(state, 2, "Pepperoni") == -3


# Supreme slice --------------------------------------------------------------------------------------------------------


def test_supreme_collected_must_be_attached_and_is_one_slice_of_that_type() -> None:
    state = play(quarters(served(game())), Take(2, 1))
    heading, problem = refused(state, Decide(2, NOTHING))
    assert heading == "Supreme slice"
    assert "must be placed" in problem
    state = play(state, Decide(2, NOTHING, "9"))
    assert rules.type_counts(state)[9][2] == 4
    assert state.holdings[1].supreme_as == "9"


def test_supreme_may_be_attached_to_any_slice_the_player_has() -> None:
    state = play(having(quarters(served(game())), 2, collected="3/1 combo-5-7"), Take(2, 1))
    decisions = [known(Decide, move) for move in GAME.legal(state)]
    attached = {move.attach for move in decisions if not move.eaten}
    assert attached == {"3", "5", "7", "9"}
    assert "no collected 8" in refused(state, Decide(2, NOTHING, "8"))[1]


def test_supreme_cannot_be_attached_to_a_slice_that_is_eaten() -> None:
    state = play(having(quarters(served(game())), 2, collected="3/1"), Take(2, 1))
    assert not legal(state, Decide(2, frozenset({"9/2"}), "9"))
    assert legal(state, Decide(2, frozenset({"9/2"}), "3"))


def test_supreme_on_a_combo_is_one_of_its_two_types() -> None:
    state = play(having(quarters(served(game())), 2, collected="combo-4-6"), Take(2, 1))
    state = play(state, Decide(2, frozenset({"9/2"}), "6"))
    counts = rules.type_counts(state)
    assert (counts[4][2], counts[6][2]) == (1, 3)


def test_supreme_may_not_be_moved() -> None:
    state = play(quarters(served(game())), Take(2, 1), Decide(2, NOTHING, "9"))
    state = play(state, Take(3, 0), Decide(3, NOTHING), Take(4, 2))
    assert "may not be moved" in refused(having(state, 4, "supreme 9/2", supreme_as="9"), Decide(4, NOTHING, "7"))[1]


def test_supreme_alone_waits_for_the_next_collected_slice() -> None:
    state = play(quarters(served(game())), Take(2, 1))
    assert not legal(state, Decide(2, frozenset({"9/2"}), "9"))
    state = play(state, Decide(2, frozenset({"9/2"})))
    assert state.holdings[1].supreme_as is None
    assert sum(counts[2] for counts in rules.type_counts(state).values()) == 0
    later = in_round(replace(state, phase=Phase.STACK, order=(), portions=(), ring=()), 2)
    ring = faces("3/1 3/2 3/3 4/2 4/3 4/4 5/2 5/3 5/4 5/5 6/1")
    later = divided(served(later, ring, rules.BUFFET), "3/1 3/2 3/3", "4/2 4/3 4/4", "5/2 5/3", "5/4 5/5 6/1")
    for player in (3, 4, 1):
        later = takes(later, player, player - 1)
    later = play(later, Take(2, 1))
    assert legal(later, Decide(2, frozenset(faces("4/2 4/3 4/4"))))  # collects nothing: it waits on
    assert not legal(later, Decide(2, frozenset(faces("4/2 4/3"))))
    assert play(later, Decide(2, NOTHING, "4")).holdings[1].supreme_as == "4"


def test_supreme_eaten_is_worth_two() -> None:
    state = takes(quarters(served(game())), 2, 1, eaten="supreme 9/2")
    assert line(state, 2, "Pepperoni") == 4


def test_supreme_next_to_any_existing_slice_takes_in_the_anchovy_slice() -> None:
    state = play(having(quarters(served(game())), 2, collected="5/5"), Take(2, 1))
    alone = play(having(quarters(served(game())), 2, collected="8/1"), Take(2, 1))
    only_anchovy = replace(alone, holdings=having(alone, 2, collected="anchovy").holdings)
    assert legal(only_anchovy, Decide(2, frozenset({"9/2"}), "anchovy"))
    assert not legal(only_anchovy, Decide(2, frozenset({"9/2"})))
    assert not legal(state, Decide(2, NOTHING, "anchovy"))


def test_supreme_on_anchovy_can_be_ruled_out() -> None:
    state = play(quarters(served(game(supreme_on_anchovy=False))), Take(2, 1))
    state = replace(state, holdings=having(state, 2, collected="anchovy").holdings)
    assert legal(state, Decide(2, frozenset({"9/2"})))
    assert not legal(state, Decide(2, frozenset({"9/2"}), "anchovy"))


# Buffet* --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("collected", "supreme_as", "points"),
    [
        ("", None, 0),
        ("3/1 3/2 7/1", None, 2),
        ("3/1 combo-5-7", None, 3),
        ("5/1 combo-5-7", None, 2),
        ("5/1 7/1 combo-5-7", None, 2),
        ("3/1 anchovy", None, 2),
        ("3/1 supreme", "3", 1),
        ("supreme", None, 0),
        ("combo-5-7 supreme", "7", 2),
        ("combo-5-7 combo-4-6 combo-9-11 combo-8-10 3/1 anchovy", None, 10),
    ],
)
def test_buffet_a_point_for_each_type(collected: str, supreme_as: str | None, points: int) -> None:
    state = owning(having(game(), 1, collected, supreme_as=supreme_as), 1, rules.BUFFET)
    assert line(state, 1, "Special") == points


def test_buffet_eaten_types_do_not_count() -> None:
    assert line(owning(having(game(), 1, "3/1", eaten="4/1"), 1, rules.BUFFET), 1, "Special") == 1


# Combo Craving* -------------------------------------------------------------------------------------------------------


def test_combo_craving_each_eaten_combo_is_worth_three() -> None:
    state = owning(having(game(), 1, eaten="combo-5-7 combo-4-6 7/2"), 1, rules.COMBO_CRAVING)
    assert line(state, 1, "Special") == 6


def test_combo_craving_collected_combos_may_be_eaten_when_it_is_received() -> None:
    state = quarters(served(game(), special=rules.COMBO_CRAVING), special_in=2)
    state = play(having(state, 2, collected="combo-5-7 7/3"), Take(2, 2))
    assert legal(state, Decide(2, frozenset(faces("combo-5-7 7/1"))))
    assert not legal(state, Decide(2, frozenset({"7/3"})))
    after = play(state, Decide(2, frozenset({"combo-5-7"})))
    assert after.holdings[1].eaten == ("combo-5-7",)
    assert after.holdings[1].collected == faces("7/3 9/9 5/1 7/1")


def test_combo_craving_combos_taken_with_it_may_be_eaten() -> None:
    state = play(quarters(served(game(), special=rules.COMBO_CRAVING), special_in=0), Take(2, 0))
    assert legal(state, Decide(2, frozenset({"combo-9-11"})))


def test_combo_craving_later_only_combos_just_gained() -> None:
    state = having(owning(in_round(game(), 2), 4, rules.COMBO_CRAVING), 4, collected="combo-5-7")
    state = play(takes(quarters(served(state)), 3, 2), Take(4, 0))
    assert legal(state, Decide(4, frozenset({"combo-9-11"})))
    assert "collected before" in refused(state, Decide(4, frozenset({"combo-5-7"})))[1]


def test_combo_craving_is_its_owners_only() -> None:
    state = play(owning(quarters(served(game())), 3, rules.COMBO_CRAVING), Take(2, 0))
    assert not legal(state, Decide(2, frozenset({"combo-9-11"})))


def test_combo_craving_a_combo_called_with_dibs_may_be_eaten() -> None:
    state = served(owning(in_round(game(), 2), 4, rules.COMBO_CRAVING, rules.DIBS))
    assert legal(state, Dibs(4, "combo-9-11", True))


# Cut in Line ----------------------------------------------------------------------------------------------------------


def cutting(player: int = 1, since: int = 1) -> State:
    """Round 2, player 2 slices, order 3 4 1 2."""
    return quarters(served(owning(in_round(game(), 2), player, rules.CUT_IN_LINE, since=since)))


def test_cut_in_line_chooses_before_all_others() -> None:
    state = cutting()
    assert GAME.turn(state).players == (3, 1)
    state = takes(state, 1, 0)
    assert state.order == (3, 4, 2)
    assert state.holdings[0].specials[0].used


def test_cut_in_line_only_on_a_future_round() -> None:
    assert refused(cutting(since=2), Take(1, 0))[0] == "Cut in Line"


def test_cut_in_line_only_immediately_after_dividing() -> None:
    heading, problem = refused(takes(cutting(), 3, 0), Take(1, 1))
    assert heading == "Cut in Line"
    assert "immediately" in problem


def test_cut_in_line_not_as_the_slicer() -> None:
    heading, problem = refused(cutting(player=2), Take(2, 0))
    assert heading == "Cut in Line"
    assert "Slicer" in problem


def test_cut_in_line_is_kept_by_who_chooses_first_anyway() -> None:
    state = takes(cutting(player=3), 3, 0)
    assert not state.holdings[2].specials[0].used


def test_cut_in_line_works_once() -> None:
    state = takes(cutting(), 1, 0)
    again = quarters(served(replace(in_round(game(), 3), holdings=state.holdings)))
    assert refused(again, Take(1, 0)) == (
        "Cut in Line",
        "It is not player 1's turn to choose. Cut in Line has been used; it works once.",
    )
    assert refused(again, Take(99, 0))[1] == "There is no player 99."


def test_cut_in_line_is_replaced_on_the_last_round_and_with_two_players() -> None:
    assert redraws(in_round(game(4), 6), rules.CUT_IN_LINE)
    assert redraws(game(2), rules.CUT_IN_LINE)
    assert not redraws(in_round(game(4), 5), rules.CUT_IN_LINE)


def redraws(state: State, special: str) -> bool:
    return served(state, RING, special).phase is Phase.REDRAW


# Day-Old Pizza*, Stuffed Crust* ---------------------------------------------------------------------------------------


def test_day_old_pizza_loses_two() -> None:
    assert line(owning(game(), 1, rules.DAY_OLD_PIZZA), 1, "Special") == -2


def test_stuffed_crust_gains_five() -> None:
    assert line(owning(game(), 1, rules.STUFFED_CRUST, rules.DAY_OLD_PIZZA), 1, "Special") == 3


# Dibs! ----------------------------------------------------------------------------------------------------------------


def calling(player: int = 4, since: int = 1, number: int = 2) -> State:
    return served(owning(in_round(game(), number), player, rules.DIBS, since=since))


def test_dibs_takes_a_slice_before_the_pizza_is_sliced() -> None:
    state = play(calling(), Dibs(4, "7/1", False))
    assert state.holdings[3].collected == ("7/1",)
    assert len(state.ring) == 10
    assert state.phase is Phase.DIVIDE
    assert state.holdings[3].specials[0].used


def test_dibs_ten_slices_are_divided_and_the_circle_closes() -> None:
    state = play(calling(), Dibs(4, "4/1", False))
    assert state.ring[0] == "5/1"
    assert len(list(GAME.legal(state))) == 4 * 210 + 120
    rest = faces("combo-9-11 anchovy supreme 9/2 9/9 5/1 7/1 7/2 11/1 11/10")
    assert legal(state, Divide((rest[:3], rest[3:6], rest[6:9], rest[9:]), 0))
    assert legal(state, Divide((rest[9:] + rest[:3], rest[3:6], rest[6:8], rest[8:9]), 0))
    assert "4 slice" in refused(state, Divide((("4/1", *rest[:3]), rest[3:6], rest[6:9], rest[9:]), 0))[1]


def test_dibs_may_be_eaten_if_it_has_pepperoni() -> None:
    state = calling()
    assert play(state, Dibs(4, "7/1", True)).holdings[3].eaten == ("7/1",)
    assert "no pepperoni" in refused(state, Dibs(4, "9/9", True))[1]
    assert refused(state, Dibs(4, "combo-9-11", True))[0] == "Combo slices"


def test_dibs_the_slicer_must_ask_its_owner() -> None:
    assert GAME.turn(calling(player=4)).players == (2, 4)
    assert "asks player 4" in GAME.turn(calling(player=4)).prompt


def test_dibs_the_slicer_may_call_too() -> None:
    assert legal(calling(player=2), Dibs(2, "7/1", False))


def test_dibs_only_in_a_future_round_once_and_by_its_owner() -> None:
    assert "after the one" in refused(calling(since=2), Dibs(4, "7/1", False))[1]
    assert "does not have" in refused(calling(), Dibs(3, "7/1", False))[1]
    assert "used" in refused(play(calling(), Dibs(4, "7/1", False)), Dibs(4, "7/2", False))[1]
    assert "no player 9" in refused(calling(), Dibs(9, "7/1", False))[1]


def test_dibs_not_after_slicing() -> None:
    assert refused(quarters(calling()), Dibs(4, "7/1", False)) == ("Dibs!", "Dibs! is called before the Slicer slices.")


def test_dibs_needs_a_slice_of_this_pizza() -> None:
    assert "not in this pizza" in refused(calling(), Dibs(4, "3/1", False))[1]


def test_dibs_supreme_is_attached() -> None:
    state = having(calling(), 4, collected="8/1")
    assert refused(state, Dibs(4, "supreme", False))[0] == "Supreme slice"
    assert play(state, Dibs(4, "supreme", False, "8")).holdings[3].supreme_as == "8"
    assert legal(state, Dibs(4, "supreme", True))
    assert legal(calling(), Dibs(4, "supreme", False))


def test_dibs_a_waiting_supreme_is_attached_to_the_slice() -> None:
    state = calling()
    waiting = replace(
        state,
        ring=tuple(face for face in state.ring if face != "supreme"),
        holdings=having(state, 4, "supreme").holdings,
    )
    waiting = owning(waiting, 4, rules.DIBS)
    assert not legal(waiting, Dibs(4, "7/1", False))
    assert legal(waiting, Dibs(4, "7/1", False, "7"))
    assert legal(waiting, Dibs(4, "7/1", True))
    assert not legal(waiting, Dibs(4, "7/1", True, "7"))


def test_dibs_is_replaced_with_two_players_only() -> None:
    assert redraws(game(2), rules.DIBS)
    assert not redraws(in_round(game(4), 6), rules.DIBS)


# The "Everyone-Else" Diet* --------------------------------------------------------------------------------------------


def test_diet_all_others_lose_a_point_for_every_two_slices_eaten() -> None:
    state = owning(game(), 1, rules.EVERYONE_ELSE_DIET)
    state = having(state, 1, eaten="5/1 5/2 5/3 5/4")
    state = having(state, 2, eaten="7/1 7/2 7/3 7/4 7/5 7/6 9/1")  # the text's example: seven slices, 3 points
    state = having(state, 3, eaten="9/2")
    assert [line(state, player, "Special") for player in (1, 2, 3, 4)] == [0, -3, 0, 0]


# Mystery Slice --------------------------------------------------------------------------------------------------------


def mystery() -> State:
    return play(quarters(served(game(), special=rules.MYSTERY_SLICE), special_in=2), Take(2, 2))


def test_mystery_immediately_after_taking_and_before_deciding() -> None:
    state = mystery()
    assert state.phase is Phase.MYSTERY
    assert GAME.turn(state).actor is Actor.CHANCE
    assert refused(state, Decide(2, NOTHING))[0] == "Choose a portion"


def test_mystery_collected_lies_face_up_with_the_others() -> None:
    state = play(mystery(), Mystery("8/1"), Decide(2, frozenset({"7/1"})))
    assert state.holdings[1].collected == faces("9/9 5/1 8/1")
    assert "8/1" not in state.unseen


def test_mystery_eaten_is_not_shown() -> None:
    state = play(mystery(), Mystery(None), Decide(2, NOTHING, None, mystery_eaten=True))
    assert state.holdings[1].unseen_eaten == 1
    assert rules.number_eaten(state, 2) == 1
    assert len(state.unseen) == 69 - 11
    assert GAME.view(state, None)["players"][1]["eaten"] == []


def test_mystery_unknown_cannot_be_collected() -> None:
    assert refused(play(mystery(), Mystery(None)), Decide(2, NOTHING))[0] == "Mystery Slice"


def test_mystery_known_to_its_owner_only_can_be_eaten_and_stays_secret() -> None:
    state = play(mystery(), Mystery("8/1"))
    assert "unseen" in refused(state, Decide(2, frozenset({"8/1"})))[1]
    state = play(state, Decide(2, NOTHING, None, mystery_eaten=True))
    assert state.holdings[1].unseen_faces == ("8/1",)
    assert "8/1" not in str(GAME.view(state, 1)["players"])


def test_mystery_is_one_of_the_slices_nobody_has_seen() -> None:
    assert refused(mystery(), Mystery("7/1"))[0] == "Mystery Slice"
    assert refused(mystery(), Mystery("99/1"))[0] == "Mystery Slice"


def test_mystery_may_be_eaten_only_like_other_slices() -> None:
    state = play(mystery(), Mystery("8/8"))
    assert "no pepperoni" in refused(state, Decide(2, NOTHING, None, mystery_eaten=True))[1]
    free = play(
        quarters(served(game(mystery_needs_pepperoni=False), special=rules.MYSTERY_SLICE), special_in=2),
        Take(2, 2),
        Mystery("8/8"),
    )
    assert legal(free, Decide(2, NOTHING, None, mystery_eaten=True))


def test_mystery_without_one_nothing_is_eaten_unseen() -> None:
    state = play(quarters(served(game())), Take(2, 2))
    assert refused(state, Decide(2, NOTHING, None, mystery_eaten=True))[0] == "Mystery Slice"


def test_mystery_the_card_is_used_up_and_alone_works_too() -> None:
    state = divided(
        served(game(), special=rules.MYSTERY_SLICE),
        "4/1 combo-9-11 anchovy",
        "supreme 9/2 9/9",
        "5/1 7/1 7/2 11/1 11/10",
        "",
        special_in=3,
    )
    state = play(state, Take(2, 3), Mystery("combo-5-7"), Decide(2, NOTHING))
    assert state.holdings[1].specials[0].used
    assert state.holdings[1].collected == ("combo-5-7",)


def test_mystery_supreme_is_attached() -> None:
    ring = faces("3/1 3/2 3/3 4/2 4/3 4/4 5/2 5/3 5/4 5/5 6/1")
    state = divided(
        served(game(), ring, rules.MYSTERY_SLICE), "3/1 3/2 3/3", "4/2 4/3 4/4", "5/2 5/3", "5/4 5/5 6/1", special_in=0
    )
    state = play(state, Take(2, 0), Mystery("supreme"))
    assert not legal(state, Decide(2, NOTHING))
    assert legal(state, Decide(2, NOTHING, "3"))
    assert legal(state, Decide(2, NOTHING, None, mystery_eaten=True))


def counting(known: bool) -> State:
    state = play(mystery(), Mystery("8/1" if known else None), Decide(2, NOTHING, None, mystery_eaten=True))
    return replace(state, phase=Phase.COUNT, stacks=(), order=())


def test_mystery_is_turned_up_to_be_counted() -> None:
    state = counting(known=False)
    assert GAME.turn(state).actor is Actor.CHANCE
    assert refused(state, RevealEaten(3, "8/1"))[0] == "Mystery Slice"
    assert refused(state, RevealEaten(2, "7/1"))[0] == "Mystery Slice"
    state = play(state, RevealEaten(2, "8/1"))
    assert state.phase is Phase.OVER
    assert rules.pepperoni_and_anchovies(state, 2) == (2, -2)
    assert rules.number_eaten(state, 2) == 1


def test_mystery_known_must_be_the_one_turned_up() -> None:
    assert not legal(counting(known=True), RevealEaten(2, "8/2"))
    assert GAME.draw(counting(known=True), Random(1)) == RevealEaten(2, "8/1")


def test_mystery_that_could_not_be_eaten_counts_as_collected() -> None:
    for face in ("8/8", "combo-5-7"):
        state = play(counting(known=False), RevealEaten(2, face))
        assert face in state.holdings[1].collected
        assert rules.number_eaten(state, 2) == 0


def test_mystery_combo_eaten_with_combo_craving_counts() -> None:
    state = owning(counting(known=False), 2, rules.COMBO_CRAVING, since=1)
    state = play(state, RevealEaten(2, "combo-5-7"))
    assert line(state, 2, "Special") == 3


def test_mystery_is_counted_after_the_last_round() -> None:
    state = replace(in_round(game(4), 6), stacks=(6,))
    state = quarters(served(state, special=rules.MYSTERY_SLICE), special_in=0)
    state = play(state, Take(3, 0), Mystery(None), Decide(3, NOTHING, None, mystery_eaten=True))
    for player, portion, attach in ((4, 1, "9"), (1, 2, None), (2, 3, None)):
        state = takes(state, player, portion, attach=attach)
    assert state.phase is Phase.COUNT


# Seconds --------------------------------------------------------------------------------------------------------------


def seconds(
    collected: str = "7/1 7/2 7/7 9/2 combo-5-7 anchovy", supreme_as: str | None = None, **options: Any
) -> State:
    state = owning(having(game(**options), 2, collected, supreme_as=supreme_as), 2, rules.SECONDS)
    return replace(state, phase=Phase.SECONDS, stacks=(), round=6)


def test_seconds_any_number_of_slices_of_one_type() -> None:
    state = seconds()
    assert GAME.turn(state).players == (2,)
    assert len(list(GAME.legal(state))) == 1 + 7 + 1
    state = play(state, EatSeconds(2, frozenset({"7/1", "7/2"})))
    assert state.phase is Phase.OVER
    assert state.holdings[1].eaten == ("7/1", "7/2")
    assert state.holdings[1].specials[0].used


def test_seconds_happens_before_any_scoring() -> None:
    state = play(seconds("7/1 7/2"), EatSeconds(2, frozenset({"7/1", "7/2"})))
    assert line(state, 2, "7 ") == 0
    assert line(state, 2, "Pepperoni") == 4


def test_seconds_may_be_declined() -> None:
    state = play(seconds(), EatSeconds(2, NOTHING))
    assert state.phase is Phase.OVER
    assert not state.holdings[1].specials[0].used


def test_seconds_one_type_only() -> None:
    assert "not all of one type" in refused(seconds(), EatSeconds(2, frozenset({"7/1", "9/2"})))[1]


def test_seconds_the_type_needs_pepperoni() -> None:
    assert refused(seconds(), EatSeconds(2, frozenset({"combo-5-7"})))[0] == "Seconds"
    assert refused(seconds(), EatSeconds(2, frozenset({"anchovy"})))[0] == "Seconds"
    none = {f"7/{number}": {"pepperoni": 0} for number in range(1, 8)}
    assert not legal(seconds(components=none), EatSeconds(2, frozenset({"7/1"})))


def test_seconds_asks_for_pepperoni_on_the_type_or_by_option_on_each_slice() -> None:
    assert legal(seconds(), EatSeconds(2, frozenset({"7/1", "7/7"})))
    assert not legal(seconds(seconds_needs_pepperoni=True), EatSeconds(2, frozenset({"7/1", "7/7"})))


def test_seconds_supreme_is_a_slice_of_its_type() -> None:
    state = seconds("7/1 9/2 supreme", supreme_as="9")
    state = play(state, EatSeconds(2, frozenset({"9/2", "supreme"})))
    assert line(state, 2, "Pepperoni") == 4 - 1
    assert not legal(seconds("supreme 7/1"), EatSeconds(2, frozenset({"supreme"})))


def test_seconds_only_by_its_owner_and_of_collected_slices() -> None:
    assert "does not have" in refused(seconds(), EatSeconds(1, NOTHING))[1]
    assert "not among" in refused(seconds(), EatSeconds(2, frozenset({"7/3"})))[1]


def test_seconds_is_asked_only_where_something_can_be_eaten() -> None:
    for collected, phase in (("7/5", Phase.SECONDS), ("anchovy", Phase.OVER)):
        state = replace(quarters(served(in_round(game(4), 6))), stacks=())
        state = owning(state, 4, rules.SECONDS)
        state = replace(state, order=(3,), holdings=having(state, 4, collected).holdings)
        state = owning(state, 4, rules.SECONDS)
        state = takes(state, 3, 2)
        assert state.phase is phase


# Sneak-a-Slice --------------------------------------------------------------------------------------------------------


def sneaking(player: int = 3, since: int = 1, special_in: int = 0, **options: Any) -> State:
    """Round 2, player 2 slices, order 3 4 1 2."""
    state = owning(in_round(game(**options), 2), player, rules.SNEAK_A_SLICE, since=since)
    return quarters(served(state), special_in=special_in)


def test_sneak_shifts_one_slice_to_the_adjacent_portion() -> None:
    state = play(sneaking(), Sneak(3, "9/2", 2))
    assert state.portions[1].slices == ("supreme",)
    assert state.portions[2].slices == faces("9/2 9/9 5/1 7/1")
    state = play(sneaking(), Sneak(3, "9/9", 1))
    assert state.portions[1].slices == faces("supreme 9/2 9/9")


def test_sneak_around_the_first_slice() -> None:
    state = play(sneaking(), Sneak(3, "11/10", 0))
    assert state.portions[0].slices == faces("11/10 4/1 combo-9-11 anchovy")
    state = play(sneaking(), Sneak(3, "4/1", 3))
    assert state.portions[3].slices == faces("7/2 11/1 11/10 4/1")


def test_sneak_only_a_slice_beside_the_other_portion() -> None:
    assert "does not lie beside" in refused(sneaking(), Sneak(3, "5/1", 1))[1]
    assert "does not lie beside" in refused(sneaking(), Sneak(3, "9/2", 0))[1]
    assert "does not lie beside" in refused(sneaking(), Sneak(3, "4/1", 2))[1]
    assert not legal(sneaking(), Sneak(3, "9/2", 1))


def test_sneak_just_before_selecting_a_portion() -> None:
    state = play(sneaking(), Sneak(3, "9/2", 2))
    assert GAME.turn(state).players == (3,)
    assert all(isinstance(move, Take) and move.player == 3 for move in GAME.legal(state))
    assert refused(sneaking(player=4), Sneak(4, "9/2", 2))[0] == "Sneak-a-Slice"
    state = takes(sneaking(player=4), 3, 0)
    assert legal(state, Sneak(4, "9/2", 2))


def test_sneak_across_a_removed_portion() -> None:
    state = takes(sneaking(player=4), 3, 1, attach="9")
    assert legal(state, Sneak(4, "anchovy", 2))
    assert legal(state, Sneak(4, "9/9", 0))
    assert not legal(state, Sneak(4, "anchovy", 1))
    after = play(state, Sneak(4, "9/9", 0))
    assert after.portions[0].slices == faces("4/1 combo-9-11 anchovy 9/9")


def test_sneak_between_the_last_two_portions_both_ways_round() -> None:
    state = takes(takes(sneaking(player=1), 3, 1, attach="9"), 4, 3)
    moves = {(move.face, move.to) for move in GAME.legal(state) if isinstance(move, Sneak)}
    assert moves == {("4/1", 2), ("anchovy", 2), ("9/9", 0), ("7/1", 0)}


def test_sneak_not_as_the_slicer_and_only_on_a_future_round_and_once() -> None:
    state = sneaking(player=2)
    for player, portion, attach in ((3, 1, "9"), (4, 2, None), (1, 3, None)):
        state = takes(state, player, portion, attach=attach)
    assert "Slicer" in refused(state, Sneak(2, "4/1", 0))[1]
    assert "after the one" in refused(sneaking(since=2), Sneak(3, "9/2", 2))[1]
    assert "does not have" in refused(sneaking(player=4), Sneak(3, "9/2", 2))[1]
    state = play(sneaking(), Sneak(3, "9/2", 2), Take(3, 0), Decide(3, NOTHING))
    again = replace(state, order=(3, 4, 1, 2), round=3)
    assert "used" in refused(again, Sneak(3, "supreme", 2))[1]


def test_sneak_a_second_slice_is_refused() -> None:
    assert "must now choose" in refused(play(sneaking(), Sneak(3, "9/2", 2)), Sneak(3, "9/9", 1))[1]
    assert "must now choose" in refused(play(sneaking(), Sneak(3, "9/2", 2)), Take(4, 0))[1]


def single(special_in: int = 0, **options: Any) -> State:
    state = served(owning(in_round(game(**options), 2), 3, rules.SNEAK_A_SLICE))
    return divided(
        state, "4/1", "combo-9-11 anchovy supreme", "9/2 9/9 5/1 7/1", "7/2 11/1 11/10", special_in=special_in
    )


def test_sneak_may_not_leave_a_portion_with_nothing() -> None:
    assert "neither a slice nor the Special" in refused(single(special_in=1), Sneak(3, "4/1", 1))[1]
    assert legal(single(special_in=1, sneak_may_empty=True), Sneak(3, "4/1", 1))


def test_sneak_may_leave_the_special_alone() -> None:
    state = play(single(special_in=0), Sneak(3, "4/1", 3), Take(3, 0))
    assert state.taken == ()
    assert state.took_special


def test_sneak_a_special_alone_has_no_slice_beside_it() -> None:
    state = served(owning(in_round(game(), 2), 3, rules.SNEAK_A_SLICE))
    state = divided(state, "4/1 combo-9-11 anchovy supreme", "9/2 9/9 5/1 7/1", "7/2 11/1 11/10", "", special_in=3)
    assert not legal(state, Sneak(3, "11/10", 3))
    assert legal(state, Sneak(3, "11/10", 0))


def test_sneak_after_cutting_in_line() -> None:
    state = owning(in_round(game(), 2), 1, rules.SNEAK_A_SLICE, rules.CUT_IN_LINE)
    state = play(quarters(served(state)), Sneak(1, "9/2", 2), Take(1, 2))
    assert [one.used for one in state.holdings[0].specials] == [True, True]
    assert state.order == (3, 4, 2)


def test_sneak_is_replaced_on_the_last_round_only() -> None:
    assert redraws(in_round(game(4), 6), rules.SNEAK_A_SLICE)
    assert redraws(in_round(game(2), 4), rules.SNEAK_A_SLICE)
    assert not redraws(game(2), rules.SNEAK_A_SLICE)


# Supersize Combos -----------------------------------------------------------------------------------------------------


def test_supersize_combos_count_two_slices_of_each_type() -> None:
    state = owning(having(game(), 1, collected="combo-9-11 9/1"), 1, rules.SUPERSIZE_COMBOS)
    counts = rules.type_counts(having(state, 2, collected="combo-5-7"))
    assert (counts[9][1], counts[11][1], counts[5][2]) == (6, 4, 1)


# Tiebreaker -----------------------------------------------------------------------------------------------------------


def test_tiebreaker_wins_all_ties() -> None:
    state = having(having(game(), 1, collected="7/1 4/1"), 2, collected="7/3 4/2 4/3")
    state = owning(state, 1, rules.TIEBREAKER)
    assert [line(state, player, "7 ") for player in (1, 2)] == [7, 0]
    assert [line(state, player, "4 ") for player in (1, 2)] == [0, 4]


def test_tiebreaker_helps_only_its_owner_and_not_without_slices() -> None:
    state = having(having(game(), 1, collected="7/1"), 2, collected="7/3")
    assert line(owning(state, 3, rules.TIEBREAKER), 3, "7 ") == 0
    assert line(owning(state, 3, rules.TIEBREAKER), 3, "4 ") == 0
    assert line(owning(state, 3, rules.TIEBREAKER), 1, "7 ") == 0


# You Like Anchovies! --------------------------------------------------------------------------------------------------


def test_you_like_anchovies_collected_ones_are_worth_one_each() -> None:
    state = owning(having(game(), 1, collected="anchovy 7/1", eaten="11/1"), 1, rules.YOU_LIKE_ANCHOVIES)
    assert line(state, 1, "Pepperoni") == 3 + 4
    assert line(state, 1, "Special") == 0


# You Love Veggies* ----------------------------------------------------------------------------------------------------


def veggies() -> State:
    ring = faces("3/1 3/2 3/3 4/2 4/3 4/4 5/2 5/3 5/4 5/5 6/1")
    return divided(
        served(game(), ring, rules.YOU_LOVE_VEGGIES),
        "3/2 3/3 4/2",
        "4/3 4/4",
        "5/2 5/3",
        "5/4 5/5 6/1 3/1",
        special_in=0,
    )


def test_you_love_veggies_each_eaten_one_is_worth_three() -> None:
    state = owning(having(game(), 1, eaten="3/1 3/2 7/2"), 1, rules.YOU_LOVE_VEGGIES)
    assert line(state, 1, "Special") == 6
    assert line(state, 1, "Pepperoni") == 4


def test_you_love_veggies_collected_ones_may_be_eaten_when_it_is_received() -> None:
    state = quarters(served(game(), special=rules.YOU_LOVE_VEGGIES), special_in=2)
    state = play(having(state, 2, collected="3/3 3/1 4/2"), Take(2, 2))
    assert legal(state, Decide(2, frozenset(faces("3/3 3/1 7/1"))))  # 3/3 has no pepperoni
    assert not legal(state, Decide(2, frozenset({"4/2"})))
    after = play(state, Decide(2, frozenset({"3/3"})))
    assert after.holdings[1].collected == faces("3/1 4/2 9/9 5/1 7/1")


def test_you_love_veggies_those_taken_with_it_may_be_eaten_without_pepperoni() -> None:
    state = veggies()
    state = play(state, Take(2, next(index for index, one in enumerate(state.portions) if one.special)))
    assert legal(state, Decide(2, frozenset({"3/3"})))


def test_you_love_veggies_later_ones_need_pepperoni() -> None:
    ring = faces("3/1 3/2 3/3 4/2 4/3 4/4 5/2 5/3 5/4 5/5 6/1")
    state = owning(in_round(game(), 2), 3, rules.YOU_LOVE_VEGGIES)
    state = divided(served(state, ring), "3/1 3/2 3/3", "4/2 4/3 4/4", "5/2 5/3", "5/4 5/5 6/1")
    state = play(state, Take(3, 0))
    assert legal(state, Decide(3, frozenset({"3/2"})))
    assert not legal(state, Decide(3, frozenset({"3/3"})))


def test_you_love_veggies_a_supreme_attached_to_veggie_is_one() -> None:
    state = owning(having(game(), 1, eaten="supreme", supreme_as="3"), 1, rules.YOU_LOVE_VEGGIES)
    assert (line(state, 1, "Special"), line(state, 1, "Pepperoni")) == (3, 2)


def test_you_love_veggies_that_the_supreme_is_one_can_be_ruled_out() -> None:
    begun = game(supreme_loved_as_veggie=False)
    state = owning(having(begun, 1, eaten="supreme 3/1", supreme_as="3"), 1, rules.YOU_LOVE_VEGGIES)
    assert (line(state, 1, "Special"), line(state, 1, "Pepperoni")) == (3, 3)


def test_you_love_veggies_is_replaced_with_two_players() -> None:
    assert redraws(game(2), rules.YOU_LOVE_VEGGIES)
    assert not redraws(in_round(game(4), 6), rules.YOU_LOVE_VEGGIES)


# Today's Specials -----------------------------------------------------------------------------------------------------


def test_specials_the_blue_ones_are_those_scored_on_the_special_line() -> None:
    assert {one.face for one in GAME.components.specials if one.blue} == set(rules._BLUE)


def test_specials_any_number_in_front_of_a_player() -> None:
    state = owning(game(), 1, rules.BUFFET, rules.DAY_OLD_PIZZA, rules.STUFFED_CRUST)
    assert line(state, 1, "Special") == 3


def test_specials_one_drawn_in_place_may_have_to_be_replaced_too() -> None:
    state = served(game(2), RING, rules.DIBS)
    assert GAME.turn(state).actor is Actor.CHANCE
    state = play(state, Redraw(rules.CUT_IN_LINE))
    assert state.phase is Phase.REDRAW
    assert refused(state, Redraw(rules.DIBS))[0] == "Shuffle the Specials"
    state = play(state, Redraw(rules.BUFFET))
    assert (state.phase, state.special) == (Phase.DIVIDE, rules.BUFFET)
    assert state.set_aside == (rules.DIBS, rules.CUT_IN_LINE)


def test_specials_no_redraw_where_none_is_needed() -> None:
    assert refused(served(game()), Redraw(rules.BUFFET))[0] == "Today's Specials"


# A move at the wrong time ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "heading"),
    [
        (Reveal(rules.BUFFET, RING), "Start each round"),
        (Redraw(rules.BUFFET), "Today's Specials"),
        (Dibs(1, "7/1", False), "Dibs!"),
        (Divide(((), ()), 0), "Divide the pizza (and Special) into portions"),
        (Sneak(1, "7/1", 0), "Sneak-a-Slice"),
        (Take(1, 0), "Choose a portion"),
        (Mystery(None), "Mystery Slice"),
        (Decide(1, NOTHING), "Choose a portion"),
        (EatSeconds(1, NOTHING), "Seconds"),
        (RevealEaten(1, "7/1"), "Pepperoni & anchovy scoring"),
        ("P1 takes A", "Gameplay: rounds"),
    ],
)
def test_a_move_at_the_wrong_time_is_refused_under_its_heading(move: Any, heading: str) -> None:
    assert refused(game(), move)[0] == heading
    with pytest.raises(IllegalMove):
        GAME.apply(game(), move)


def test_choosing_a_stack_at_the_wrong_time() -> None:
    assert refused(served(game()), ChooseStack(2))[0] == "Start each round"


def test_nothing_is_drawn_while_players_act() -> None:
    with pytest.raises(GameError, match="nothing is drawn"):
        GAME.draw(game(), Random(1))


# The copy's own pieces ------------------------------------------------------------------------------------------------


def test_own_pieces_replace_pepperoni_and_anchovies() -> None:
    state = play(quarters(served(game(components={"9/9": {"pepperoni": 2, "anchovies": 0}}))), Take(2, 2))
    state = play(state, Decide(2, frozenset({"9/9"})))
    assert rules.pepperoni_and_anchovies(state, 2) == (2, -1)


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        ({"12/1": {"pepperoni": 1}}, "'12/1' is no slice"),
        ({"7/1": {"ham": 1}}, "7/1.ham: unknown key"),
        ({"7/1": {"pepperoni": -1}}, "7/1.pepperoni: -1"),
        ({"7/1": {"pepperoni": True}}, "7/1.pepperoni: True"),
        ({"7/1": 3}, "7/1: 3 is no table"),
        ({"combo-5-7": {"pepperoni": 1}}, "combo-5-7.pepperoni: 1 is not 0"),
        (["7/1"], "no mapping"),
    ],
)
def test_own_pieces_that_cannot_be_are_errors(own: Any, problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        game(components=own)
