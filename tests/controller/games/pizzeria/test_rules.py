"""The rule book of Pizzeria, sentence by sentence, in the order of its text."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import comb
from random import Random
from typing import Any

import pytest

from controller.game import Actor, GameError, IllegalMove, OptionError
from controller.games.pizzeria import GAME, rules
from controller.games.pizzeria.rules import (
    ChoosePile,
    Decide,
    Divide,
    DrawSlice,
    EatKind,
    EatSaved,
    Holding,
    MoveSlice,
    OwnedSpecial,
    Phase,
    Redraw,
    Reveal,
    State,
    Take,
    TakeSlice,
    TakeWithoutB,
)
from tests.controller.games.known import known
from tests.controller.games.pizzeria.situations import (
    RING,
    advanced,
    divided,
    faces,
    game,
    having,
    in_round,
    late_a,
    legal,
    line,
    over,
    owning,
    play,
    quarters,
    refused,
    served,
    takes,
    totals,
)

NOTHING: frozenset[str] = frozenset()
OFFERS = tuple(f"offer/{letter}" for letter in "abcdefghijkl")


# Components -----------------------------------------------------------------------------------------------------------


def test_components_69_slices_65_normal_and_4_mixed() -> None:
    slices = GAME.components.slices
    assert Counter(len(facts.values) for facts in slices) == {1: 65, 2: 4}


def test_components_12_special_offers() -> None:
    assert tuple(sorted(GAME.components.specials_by_face)) == OFFERS


def test_components_the_value_is_the_number_of_slices_of_the_kind() -> None:
    numbers = Counter(facts.values[0] for facts in GAME.components.slices if len(facts.values) == 1)
    assert numbers == {value: value for value in range(2, 12)}
    assert GAME.components.type_names[3] == "Hawaiian"
    assert GAME.components.type_names[4] == "Greek style"


def test_components_no_basil_leaf_to_three() -> None:
    assert {facts.basil for facts in GAME.components.slices} == {0, 1, 2, 3}


# Game setup -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "slices", "piles"), [(2, 47, 4), (3, 69, 6), (4, 47, 4), (5, 58, 5), (6, 69, 6)])
def test_setup_slices_and_piles(players: int, slices: int, piles: int) -> None:
    state = game(players)
    assert len(state.unseen) == slices == 11 * piles + 3
    assert state.stacks == tuple(range(1, piles + 1))
    assert state.rounds == piles


@pytest.mark.parametrize("players", [2, 4])
def test_setup_two_or_four_players_remove_3_8_10_and_mixed_8_10(players: int) -> None:
    values = Counter(face.split("/")[0] for face in game(players).unseen if "/" in face)
    assert values == {"2": 2, "4": 4, "5": 5, "6": 6, "7": 7, "9": 9, "11": 11}
    assert {face for face in game(players).unseen if "/" not in face} == {"mixed-5-7", "mixed-4-6", "mixed-9-11"}


def test_setup_five_players_remove_10_and_mixed_8_10() -> None:
    values = Counter(face.split("/")[0] for face in game(5).unseen if "/" in face)
    assert "10" not in values
    assert (values["3"], values["8"]) == (3, 8)
    assert "mixed-8-10" not in game(5).unseen


@pytest.mark.parametrize("players", [3, 6])
def test_setup_three_or_six_players_use_all(players: int) -> None:
    assert game(players).unseen == frozenset(GAME.components.by_face)


def test_setup_a_removed_slice_in_the_pizza_is_refused() -> None:
    state = play(game(2), ChoosePile(1))
    heading, problem = refused(state, Reveal(("10/3", *RING[1:])))
    assert heading == "Game setup"
    assert "10 slice" in problem


@pytest.mark.parametrize("players", [0, 1, 7, "4"])
def test_setup_two_to_six_play(players: Any) -> None:
    with pytest.raises(OptionError, match="none of 2 to 6"):
        game(players)


def test_setup_who_takes_the_knife_first_is_said() -> None:
    assert GAME.turn(game(4, first=3)).players == (3,)
    first: Any
    for first in (0, 5, "1"):
        with pytest.raises(OptionError, match=f"first: {first!r}"):
            game(4, first=first)


def test_setup_the_basic_variant_has_no_special_offers() -> None:
    assert game().unseen_specials == frozenset()
    state = play(game(), ChoosePile(1))
    assert known(Reveal, GAME.draw(state, Random(1))).special is None
    assert refused(state, Reveal(RING, rules.OFFER_G)) == (
        "Game setup",
        "There are no special offers in the basic variant.",
    )


def test_setup_unknown_option_and_wrong_value_are_errors() -> None:
    with pytest.raises(OptionError, match="option pizza: unknown"):
        game(pizza=True)
    with pytest.raises(OptionError, match="option advanced: 3 is neither"):
        game(advanced=3)


def test_setup_the_listed_defaults_are_the_start() -> None:
    for players in GAME.player_counts:
        assert game(players) == game(players, **{option.name: option.default for option in GAME.option_list})


def test_setup_a_copy_may_show_other_basil() -> None:
    state = game(components={"11/10": {"basil": 2}})
    assert rules.may_eat(state, "11/10")
    assert not rules.may_eat(game(), "11/10")
    for face in ("2/1", "mixed-5-7"):
        with pytest.raises(OptionError, match=f"{face}.basil: 1 is not 0, which the rules say"):
            game(components={face: {"basil": 1}})


# Game setup: rounds ---------------------------------------------------------------------------------------------------


def played_round(state: State, portions: Sequence[str], special_in: int | None = None) -> State:
    """A round in which everybody takes the first portion left and saves all."""
    state = divided(state, *portions, special_in=special_in)
    while state.phase is Phase.CHOOSE:
        left = next(index for index, one in enumerate(state.portions) if one.taken_by is None)
        state = takes(state, state.order[0], left)
    return state


def test_rounds_the_knife_passes_clockwise() -> None:
    state = game(4, first=3)
    portions = ("2/1 7/1 7/2", "11/1 11/10 4/1", "mixed-9-11 9/2", "9/9 5/1 6/1")
    state = played_round(served(state), portions)
    assert (state.round, state.slicer, state.phase) == (2, 4, Phase.PILE)
    ring = faces("11/2 11/3 11/4 11/5 11/6 11/7 9/1 9/3 9/4 9/5 9/6")
    state = played_round(served(state, ring), ("11/2 11/3", "11/4 11/5", "11/6 11/7 9/1", "9/3 9/4 9/5 9/6"))
    assert (state.round, state.slicer) == (3, 1)


# Pizza is served! -----------------------------------------------------------------------------------------------------


def test_served_the_slicer_chooses_any_pile_left() -> None:
    state = game()
    assert [known(ChoosePile, move).pile for move in GAME.legal(state)] == [1, 2, 3, 4]
    state = play(state, ChoosePile(3))
    assert state.stacks == (1, 2, 4)
    assert GAME.turn(state).actor is Actor.CHANCE
    assert refused(game(), ChoosePile(5))[0] == "Pizza is served!"


def test_served_the_pizza_is_a_circle_and_has_no_first_slice() -> None:
    assert served(game(), RING) == served(game(), RING[4:] + RING[:4])
    assert served(game(), RING).ring != served(game(), RING[::-1]).ring


@pytest.mark.parametrize(
    ("ring", "problem"),
    [
        (RING[:10], "10 slices"),
        ((*RING, "4/2"), "12 slices"),
        ((*RING[:10], RING[0]), "Twice"),
        ((*RING[:10], "12/1"), "No slice of this game"),
        ((), "0 slices"),
    ],
)
def test_served_eleven_slices_of_the_pile(ring: tuple[str, ...], problem: str) -> None:
    heading, found = refused(play(game(), ChoosePile(1)), Reveal(tuple(ring)))
    assert heading == "Pizza is served!"
    assert problem in found


def test_served_a_slice_that_was_seen_before_is_refused() -> None:
    state = play(having(game(), 2, eaten="7/1"), ChoosePile(1))
    assert refused(state, Reveal(RING)) == (
        "Pizza is served!",
        "Already seen in this game: the 7 slice (Mushroom).",
    )


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_served_as_many_portions_as_players_four_for_two(players: int) -> None:
    state = served(game(players))
    wanted = 4 if players == 2 else players
    divisions = list(GAME.legal(state))
    assert {len(known(Divide, move).portions) for move in divisions} == {wanted}
    assert len(divisions) == len(set(divisions)) == comb(11, wanted)
    assert refused(state, Divide(1, (RING[:5], RING[5:])))[1].startswith("Too few portions")
    assert refused(state, Divide(1, tuple((face,) for face in RING)))[1].startswith("Too many portions")


def test_served_portions_do_not_have_to_be_equal() -> None:
    state = divided(served(game()), "2/1", "7/1", "7/2", "11/1 11/10 4/1 mixed-9-11 9/2 9/9 5/1 6/1")
    assert [len(portion.slices) for portion in state.portions] == [1, 1, 1, 8]


def test_served_a_portion_has_at_least_one_slice() -> None:
    move = Divide(1, ((), RING[:3], RING[3:5], RING[5:]))
    assert refused(served(game()), move) == ("Pizza is served!", "A portion is empty.")


def test_served_the_order_of_slices_may_not_change() -> None:
    swapped = ("7/1", "2/1", *RING[2:])
    heading, problem = refused(served(game()), Divide(1, (swapped[:3], swapped[3:5], swapped[5:9], swapped[9:])))
    assert heading == "Pizza is served!"
    assert "not in the order of the pizza" in problem


@pytest.mark.parametrize(
    ("portions", "problem"),
    [
        (("2/1 7/1", "7/2", "11/1 11/10 4/1", "mixed-9-11 9/2 9/9 5/1"), "In no portion: the 6 slice"),
        (("2/1 7/1", "7/2 7/1", "11/1 11/10 4/1", "mixed-9-11 9/2 9/9 5/1 6/1"), "In two places"),
        (("2/1 7/1", "7/2 5/5", "11/1 11/10 4/1", "mixed-9-11 9/2 9/9 5/1 6/1"), "Not of this pizza"),
    ],
)
def test_served_every_slice_is_in_one_portion(portions: tuple[str, ...], problem: str) -> None:
    move = Divide(1, tuple(faces(portion) for portion in portions))
    assert refused(served(game()), move)[1].startswith(problem)


def test_served_only_who_holds_the_knife_slices() -> None:
    state = served(game(4, first=2))
    move = known(Divide, next(GAME.legal(state)))
    assert move.player == 2
    assert refused(state, replace(move, player=1)) == ("Pizza is served!", "Player 1 does not hold the pizza knife.")


def test_served_any_portion_may_be_named_first() -> None:
    portions = (RING[:3], RING[3:6], RING[6:8], RING[8:])
    state = served(game())
    assert play(state, Divide(1, portions)) == play(state, Divide(1, portions[2:] + portions[:2]))


# Bon appétit! ---------------------------------------------------------------------------------------------------------


def test_bon_appetit_the_left_neighbour_of_the_slicer_first_the_slicer_last() -> None:
    state = quarters(served(game(4, first=3)))
    order = []
    while state.phase is Phase.CHOOSE:
        order.append(state.order[0])
        left = next(index for index, one in enumerate(state.portions) if one.taken_by is None)
        state = takes(state, state.order[0], left)
    assert order == [4, 1, 2, 3]


def test_bon_appetit_two_players_choose_two_portions_in_turns() -> None:
    state = quarters(served(game(2)))
    order = []
    while state.phase is Phase.CHOOSE:
        order.append(state.order[0])
        left = next(index for index, one in enumerate(state.portions) if one.taken_by is None)
        state = takes(state, state.order[0], left)
    assert order == [2, 1, 2, 1]


def test_bon_appetit_another_player_may_not_choose_yet() -> None:
    heading, problem = refused(quarters(served(game())), Take(3, 0))
    assert (heading, problem) == ("Bon appétit!", "It is not player 3's turn to choose.")
    assert refused(quarters(served(game())), Take(99, 0))[1] == "There is no player 99."


def test_bon_appetit_a_portion_is_taken_once() -> None:
    state = takes(quarters(served(game())), 2, 1)
    assert refused(state, Take(3, 1)) == ("Bon appétit!", "Player 2 has already taken this portion.")
    assert refused(state, Take(3, 4)) == ("Bon appétit!", "There is no such portion.")
    assert refused(state, Take(3, -1)) == ("Bon appétit!", "There is no such portion.")


def test_bon_appetit_the_taker_decides_before_the_next_chooses() -> None:
    state = play(quarters(served(game())), Take(2, 1))
    assert GAME.turn(state).players == (2,)
    assert refused(state, Take(3, 0))[0] == "Bon appétit!"
    assert refused(state, Decide(3, NOTHING)) == ("Bon appétit!", "Player 3 has nothing to decide now.")


def test_bon_appetit_all_none_or_some_may_be_eaten() -> None:
    state = play(quarters(served(game())), Take(2, 1))
    eaten = [known(Decide, move).eaten for move in GAME.legal(state)]
    assert set(eaten) == {NOTHING, frozenset({"11/1"}), frozenset({"4/1"}), frozenset({"11/1", "4/1"})}
    assert len(eaten) == 4


# Saving slices for later ----------------------------------------------------------------------------------------------


def test_saving_any_kind_may_be_saved() -> None:
    state = takes(quarters(served(game())), 2, 1)
    assert state.holdings[1].collected == faces("11/1 11/10 4/1")


def test_saving_everyone_sees_the_number_of_slices_of_each_kind() -> None:
    state = takes(quarters(served(game())), 2, 2)
    kinds = {one["type"]: one["counts"]["2"] for one in GAME.view(state, 4)["types"]}
    assert (kinds["9"], kinds["11"], kinds["7"]) == (1.5, 0.5, 0)


# Eating pizza slices --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("portion", "face"), [(1, "11/10"), (3, "9/9")])
def test_eating_needs_a_basil_leaf(portion: int, face: str) -> None:
    state = play(quarters(served(game())), Take(2, portion))
    heading, problem = refused(state, Decide(2, frozenset({face})))
    assert heading == "Eating pizza slices"
    assert "has no basil leaf" in problem


def test_eating_slices_lie_face_down_apart() -> None:
    state = takes(quarters(served(game())), 2, 1, "11/1 4/1")
    assert state.holdings[1].collected == ("11/10",)
    assert state.holdings[1].eaten == ("11/1", "4/1")


def test_eating_only_from_the_portion_of_the_current_round() -> None:
    state = play(quarters(served(having(game(), 2, saved="5/2"))), Take(2, 1))
    heading, problem = refused(state, Decide(2, frozenset({"5/2"})))
    assert heading == "Eating pizza slices"
    assert problem.startswith("Saved before")


def test_eating_another_portion_is_refused() -> None:
    state = play(quarters(served(game())), Take(2, 1))
    for face in ("7/1", "5/5", "nonsense"):
        heading, problem = refused(state, Decide(2, frozenset({face})))
        assert heading == "Eating pizza slices"
        assert "not among the slices just taken" in problem


def test_eating_two_players_decide_about_each_portion_once() -> None:
    state = takes(takes(quarters(served(game(2))), 2, 1), 1, 0)
    state = play(state, Take(2, 3))
    assert refused(state, Decide(2, frozenset({"11/1"})))[0] == "Eating pizza slices"
    assert legal(state, Decide(2, frozenset({"5/1", "6/1"})))


def test_eating_example_tomato_and_mushroom_saved_three_leaves_eaten() -> None:
    """Example: the tomato slice cannot be eaten, the mushroom is saved, the slice with 3 basil leaves is eaten."""
    ring = faces("2/1 7/1 11/1 4/1 4/2 4/3 5/1 5/2 5/3 6/1 6/2")
    state = divided(served(game(), ring), "2/1 7/1 11/1", "4/1 4/2 4/3", "5/1 5/2", "5/3 6/1 6/2")
    assert refused(play(state, Take(2, 0)), Decide(2, frozenset({"2/1"})))[0] == "Tomato pizza"
    state = takes(state, 2, 0, "11/1")
    assert state.holdings[1].collected == ("2/1", "7/1")
    assert line(state, 2, "Basil") == 3


def test_the_round_is_over_when_all_have_decided() -> None:
    state = quarters(served(game()))
    for player, portion in ((2, 0), (3, 1), (4, 2)):
        state = takes(state, player, portion)
    state = play(state, Take(1, 3))
    assert state.round == 1
    state = play(state, Decide(1, NOTHING))
    assert (state.round, state.slicer, state.ring, state.portions) == (2, 2, (), ())


# Mixed slices ---------------------------------------------------------------------------------------------------------


def test_mixed_slices_have_no_basil_and_are_saved() -> None:
    state = play(quarters(served(game())), Take(2, 2))
    assert refused(state, Decide(2, frozenset({"mixed-9-11"})))[0] == "Mixed slices"


def test_mixed_slices_count_half_for_each_kind() -> None:
    counts = rules.type_counts(having(game(3), 1, saved="mixed-8-10 8/1"))
    assert (counts[8][1], counts[10][1]) == (3, 1)


def test_mixed_half_a_slice_may_be_the_most() -> None:
    state = having(game(3), 1, saved="mixed-8-10")
    assert (line(state, 1, "8 "), line(state, 1, "10 ")) == (8, 10)
    state = having(state, 2, saved="8/1")
    assert (line(state, 1, "8 "), line(state, 2, "8 "), line(state, 1, "10 ")) == (0, 8, 10)


def test_mixed_half_a_slice_breaks_a_tie() -> None:
    state = having(having(game(), 1, saved="5/1 5/2 mixed-5-7"), 2, saved="5/3 5/4")
    assert (line(state, 1, "5 "), line(state, 2, "5 ")) == (5, 0)


# Tomato pizza ---------------------------------------------------------------------------------------------------------


def test_tomato_cannot_be_eaten() -> None:
    state = play(quarters(served(game())), Take(2, 0))
    assert refused(state, Decide(2, frozenset({"2/1"})))[0] == "Tomato pizza"


def test_tomato_one_slice_2_points_two_slices_4() -> None:
    assert line(having(game(), 1, saved="2/1"), 1, "2 ") == 2
    assert line(having(game(), 1, saved="2/1 2/2"), 1, "2 ") == 4


def test_tomato_points_do_not_depend_on_others() -> None:
    state = having(having(game(), 1, saved="2/1"), 2, saved="2/2")
    assert [line(state, player, "2 ") for player in (1, 2, 3)] == [2, 2, 0]


# End of the game ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_end_when_all_portions_of_the_last_pizza_are_taken(players: int) -> None:
    random = Random(players)
    state = game(players)
    rounds = 0
    while GAME.turn(state).actor is not Actor.NOBODY:
        chance = GAME.turn(state).actor is Actor.CHANCE
        rounds += chance
        assert GAME.winners(state) == ()
        state = play(state, GAME.draw(state, random) if chance else next(GAME.legal(state)))
    assert rounds == state.rounds
    assert list(GAME.legal(state)) == []
    assert GAME.winners(state)


def test_end_no_move_is_left() -> None:
    for move in (ChoosePile(1), Take(1, 0), Decide(1, NOTHING)):
        assert refused(over(game()), move)[1]
    with pytest.raises(GameError):
        GAME.draw(over(game()), Random(1))


# Points for slices saved for later ------------------------------------------------------------------------------------


def test_saved_who_has_most_gets_the_value_whatever_the_number() -> None:
    state = having(having(game(3), 1, saved="3/1 3/2"), 2, saved="3/3")
    assert [line(state, player, "3 ") for player in (1, 2, 3)] == [3, 0, 0]


def test_saved_nobody_gets_points_for_a_kind_nobody_has() -> None:
    assert totals(game()) == [0, 0, 0, 0]


def test_saved_all_tied_players_get_all_the_points() -> None:
    state = having(having(having(game(), 1, saved="7/1 7/2"), 2, saved="7/3 7/4"), 3, saved="7/5")
    assert [line(state, player, "7 ") for player in (1, 2, 3)] == [7, 7, 0]


def test_saved_basil_on_saved_slices_is_worth_nothing() -> None:
    state = having(having(game(), 1, saved="11/1"), 2, saved="11/4 11/5")
    assert totals(state)[0] == 0


# Points for eaten slices ----------------------------------------------------------------------------------------------


def test_eaten_each_leaf_is_a_point() -> None:
    assert line(having(game(), 1, eaten="11/1 11/4 4/1"), 1, "Basil") == 3 + 2 + 1


def test_eaten_slices_count_for_no_kind() -> None:
    assert line(having(game(), 1, eaten="11/1"), 1, "11 ") == 0


def test_winner_has_most_points() -> None:
    state = over(having(having(game(), 1, saved="7/1"), 3, saved="9/1"))
    assert GAME.winners(state) == (3,)


def test_winner_in_a_tie_has_eaten_most_slices() -> None:
    """Slices, not leaves: three with a leaf each beat one with three."""
    state = over(having(having(game(), 1, eaten="11/1"), 3, eaten="4/1 4/2 4/3"))
    assert totals(state) == [3, 0, 3, 0]
    assert GAME.winners(state) == (3,)


def test_winners_share_where_both_are_equal() -> None:
    state = over(having(having(game(), 1, eaten="4/1"), 3, eaten="4/2"))
    assert GAME.winners(state) == (1, 3)


def test_scoring_example_26_points() -> None:
    """Scoring example: 2 tomatoes 4, 2½ shrimp 5, ½ mushroom 0, 3 bacon tied 8, 9 basil leaves: 26 in total."""
    state = having(game(3), 1, saved="2/1 2/2 5/1 5/2 mixed-5-7 8/1 8/2 8/3", eaten="11/1 11/2 11/3")
    state = having(state, 2, saved="8/4 8/5 8/6 7/1")
    lines = {one.label: one.points for one in GAME.score(state)[0].lines if one.points}
    assert lines == {"2 Tomato": 4, "5 Shrimp": 5, "8 Bacon": 8, "Basil leaves": 9}
    assert totals(state)[:2] == [26, 15]
    details = {one.label: one.detail for one in GAME.score(state)[0].lines}
    assert details["5 Shrimp"] == "2½, the most"
    assert details["8 Bacon"] == "3, tied"
    assert details["7 Mushroom"] == "½"


# Advanced variant: Game setup -----------------------------------------------------------------------------------------


def test_advanced_setup_slices_as_in_the_basic_variant() -> None:
    for players in GAME.player_counts:
        assert advanced(players).unseen == game(players).unseen
        assert advanced(players).rounds == game(players).rounds


def test_advanced_setup_all_offers_are_shuffled() -> None:
    assert advanced(2).unseen_specials == frozenset(OFFERS)


def test_advanced_setup_offers_not_for_two_may_be_sorted_out() -> None:
    assert advanced(2, sort_out_offers=True).unseen_specials == frozenset(OFFERS) - {rules.OFFER_D, rules.OFFER_F}
    assert advanced(3, sort_out_offers=True).unseen_specials == frozenset(OFFERS)
    state = play(advanced(2, sort_out_offers=True), ChoosePile(1))
    assert refused(state, Reveal(RING, rules.OFFER_D))[0] == "Special offers"


def test_advanced_setup_each_offer_appears_once() -> None:
    state = play(owning(advanced(), 1, rules.OFFER_G), ChoosePile(1))
    assert refused(state, Reveal(RING, rules.OFFER_G))[0] == "Advanced variant: Game setup"


# Advanced variant: Pizza is served! -----------------------------------------------------------------------------------


@pytest.mark.parametrize("special", [None, "offer/z", "7/1"])
def test_advanced_served_an_offer_lies_on_each_pile(special: str | None) -> None:
    state = play(advanced(), ChoosePile(1))
    assert refused(state, Reveal(RING, special))[0] == "Advanced variant: Pizza is served!"


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_advanced_served_the_offer_in_any_portion_or_alone(players: int) -> None:
    n = 4 if players == 2 else players
    moves = list(GAME.legal(served(advanced(players))))
    assert len(moves) == len(set(moves)) == n * comb(11, n) + comb(11, n - 1)


def test_advanced_served_example_a_portion_along_with_slices() -> None:
    state = quarters(served(advanced()))
    assert [portion.special for portion in state.portions] == [False, True, False, False]


def test_advanced_served_example_a_portion_without_slices() -> None:
    state = divided(served(advanced()), " ".join(RING[:4]), "", " ".join(RING[4:8]), " ".join(RING[8:]), special_in=1)
    assert [len(portion.slices) for portion in state.portions] == [4, 4, 3, 0]
    assert state.portions[-1].special


def test_advanced_served_the_offer_is_in_one_portion() -> None:
    state = served(advanced())
    portions = (RING[:3], RING[3:6], RING[6:8], RING[8:])
    for special_in in (None, -1, 4):
        heading, problem = refused(state, Divide(1, portions, special_in))
        assert (heading, problem) == ("Advanced variant: Pizza is served!", "The special offer is in no portion.")
    assert refused(state, Divide(1, ((), RING[:6], RING[6:8], RING[8:]), 2))[1] == "A portion is empty."
    assert refused(served(game()), Divide(1, portions, 2))[0] == "Game setup"


# Advanced variant: Bon appétit! ---------------------------------------------------------------------------------------


def test_advanced_bon_appetit_the_taker_gets_the_offer_face_up() -> None:
    state = play(quarters(served(advanced())), Take(2, 1))
    assert state.holdings[1].specials == (OwnedSpecial(rules.OFFER_G, 1),)


def test_advanced_bon_appetit_an_offer_alone_is_decided_about_too() -> None:
    state = divided(served(advanced()), " ".join(RING[:4]), " ".join(RING[4:8]), " ".join(RING[8:]), "", special_in=3)
    state = play(state, Take(2, 3))
    assert list(GAME.legal(state)) == [Decide(2, NOTHING)]
    assert play(state, Decide(2, NOTHING)).order == (3, 4, 1)


# Special offers: symbols ----------------------------------------------------------------------------------------------


def test_symbols_of_when_to_use() -> None:
    when = {facts.face[-1]: facts.when for facts in GAME.components.specials}
    assert when == dict.fromkeys("abc", "this round") | dict.fromkeys("def", "any round") | dict.fromkeys(
        "ghijkl", "end"
    )


def must_be_redrawn(players: int, number: int, special: str) -> bool:
    """Whether an offer that comes up in this round is replaced."""
    state = served(in_round(advanced(players), number), special=special)
    return state.phase is Phase.REDRAW


@pytest.mark.parametrize("special", OFFERS)
@pytest.mark.parametrize("players", [2, 3])
def test_symbols_of_when_not_to_use(players: int, special: str) -> None:
    letter = special[-1]
    never_for_two = players == 2 and letter in "df"
    last = advanced(players).rounds
    assert must_be_redrawn(players, 1, special) is (letter == "a" or never_for_two)
    assert must_be_redrawn(players, 2, special) is never_for_two
    assert must_be_redrawn(players, last, special) is (letter in "def" or never_for_two)


def test_redraw_the_offer_is_removed_and_another_taken_from_the_box() -> None:
    state = served(advanced(), special=rules.OFFER_A)
    assert GAME.turn(state).actor is Actor.CHANCE
    assert set(GAME.legal(state)) == {Redraw(special) for special in OFFERS if special != rules.OFFER_A}
    assert GAME.draw(state, Random(1)) in set(GAME.legal(state))
    state = play(state, Redraw(rules.OFFER_H))
    assert (state.phase, state.special, state.set_aside) == (Phase.DIVIDE, rules.OFFER_H, (rules.OFFER_A,))
    assert rules.OFFER_A not in state.unseen_specials


def test_redraw_what_is_taken_instead_may_have_to_be_replaced_too() -> None:
    state = play(served(advanced(2), special=rules.OFFER_A), Redraw(rules.OFFER_D))
    assert state.phase is Phase.REDRAW
    assert refused(state, Redraw(rules.OFFER_A))[0] == "Advanced variant: Game setup"
    assert play(state, Redraw(rules.OFFER_K)).set_aside == (rules.OFFER_A, rules.OFFER_D)


def test_redraw_only_where_an_offer_may_not_be_used() -> None:
    assert refused(served(advanced()), Redraw(rules.OFFER_H))[0] == "Special offers"


# Special offers: A ----------------------------------------------------------------------------------------------------


def taking_a(saved: str = "5/1 5/2 5/3 11/10", players: int = 4) -> State:
    """Player 3 has slices and takes portion B with offer A in round 2."""
    ring = faces("2/1 7/1 7/2 11/1 11/9 4/1 mixed-9-11 9/2 9/9 6/1 6/2")
    state = served(having(in_round(advanced(players), 2), 3, saved=saved), ring, rules.OFFER_A)
    state = divided(state, "2/1 7/1 7/2", "11/1 11/9 4/1", "mixed-9-11 9/2", "9/9 6/1 6/2", special_in=1)
    return play(state, Take(3, 1))


def test_a_up_to_two_saved_slices_may_be_eaten() -> None:
    state = play(taking_a(), Decide(3, frozenset(faces("11/1 5/1 5/3"))))
    assert state.holdings[2].eaten == faces("5/1 5/3 11/1")
    assert state.holdings[2].collected == faces("5/2 11/10 11/9 4/1")
    assert state.holdings[2].specials[0].used


def test_a_not_three() -> None:
    heading, problem = refused(taking_a(), Decide(3, frozenset(faces("5/1 5/2 5/3"))))
    assert heading == "Special offers: A"
    assert problem.startswith("3 slices saved before")


def test_a_saved_slices_need_basil_too() -> None:
    assert refused(taking_a(), Decide(3, frozenset({"11/10"})))[0] == "Eating pizza slices"


def test_a_may_be_left_unused() -> None:
    state = play(taking_a(), Decide(3, NOTHING))
    assert not state.holdings[2].specials[0].used


def test_a_all_ways_to_use_it_are_listed_once() -> None:
    moves = list(GAME.legal(taking_a()))
    # Of 11/1, 11/9 (one leaf) and 4/1 any; of three 5s at most two.
    assert len(moves) == len(set(moves)) == 2 ** sum(rules.may_eat(taking_a(), f) for f in taking_a().taken) * 7


def test_a_not_in_a_later_round() -> None:
    state = owning(having(in_round(advanced(), 3), 4, saved="5/2"), 4, rules.OFFER_A, since=2)
    state = play(quarters(served(state)), Take(4, 1))
    assert refused(state, Decide(4, frozenset({"5/2"}))) == (
        "Special offers: A",
        "Special offer A works only in the round in which it was taken.",
    )


def test_a_two_players_may_use_it_with_their_second_portion() -> None:
    ring = faces("2/1 7/1 7/2 11/1 11/9 4/1 mixed-9-11 9/2 9/9 6/1 6/2")
    state = served(having(in_round(advanced(2), 2), 1, saved="5/1"), ring, rules.OFFER_A)
    state = divided(state, "2/1 7/1 7/2", "11/1 11/9 4/1", "mixed-9-11 9/2", "9/9 6/1 6/2", special_in=1)
    state = play(takes(takes(state, 1, 1), 2, 0), Take(1, 2))
    used = play(state, Decide(1, frozenset({"5/1", "4/1"})))
    assert used.holdings[0].eaten == ("5/1", "4/1")


def test_a_may_be_used_after_its_owner_has_decided() -> None:
    state = late_a()
    assert state.holdings[1].collected == ("5/1", "5/2", "11/1")
    assert rules.turn(state).players == (3, 2)
    assert "player 2 may still eat saved slices with offer A" in rules.turn(state).prompt
    used = play(state, EatSaved(2, frozenset({"5/1", "11/1"})))
    assert (used.holdings[1].collected, used.holdings[1].eaten) == (("5/2",), ("5/1", "11/1"))
    assert used.holdings[1].specials[0].used
    assert rules.turn(used).players == (3,)
    assert refused(used, EatSaved(2, frozenset({"5/2"}))) == (
        "Special offers: A",
        "Special offer A has been used; it works once.",
    )
    assert legal(takes(state, 3, 0), EatSaved(2, frozenset({"5/1"})))


@pytest.mark.parametrize(
    ("player", "eaten", "problem"),
    [
        (2, "", "Player 2 eats no saved slice."),
        (2, "5/1 5/2 11/1", "3 slices saved before would be eaten"),
        (2, "6/1", "Player 2 has not saved"),
        (3, "5/1", "Player 3 does not have"),
        (9, "5/1", "There is no player 9."),
    ],
)
def test_a_later_in_the_round_is_refused_for_its_reason(player: int, eaten: str, problem: str) -> None:
    heading, said = refused(late_a(), EatSaved(player, frozenset(faces(eaten))))
    assert heading == "Special offers: A"
    assert problem in said


def test_a_ends_with_the_round() -> None:
    state = takes(takes(late_a(), 3, 0), 1, 2)
    assert state.round == 3
    assert refused(state, EatSaved(2, frozenset({"5/1"})))[0] == "Special offers: A"
    assert rules.turn(state).players == (2,)


# Special offers: B ----------------------------------------------------------------------------------------------------


def taking_b() -> State:
    return play(quarters(served(advanced(), special=rules.OFFER_B)), Take(2, 1))


def test_b_a_random_slice_that_was_put_aside() -> None:
    state = taking_b()
    assert GAME.turn(state).actor is Actor.CHANCE
    assert {known(DrawSlice, move).face for move in GAME.legal(state)} == state.unseen
    assert known(DrawSlice, GAME.draw(state, Random(3))).face in state.unseen
    assert refused(state, DrawSlice("7/1"))[0] == "Special offers: B"


def test_b_may_be_left() -> None:
    """A slice without basil would keep the others of its kind from being eaten with offer J."""
    before = quarters(served(owning(advanced(), 2, rules.OFFER_J), special=rules.OFFER_B))
    assert [move for move in GAME.legal(before) if isinstance(move, TakeWithoutB)] == [TakeWithoutB(2, 1)]
    state = play(before, TakeWithoutB(2, 1))
    assert (state.phase, state.taken) == (rules.Phase.DECIDE, before.portions[1].slices)
    assert state.unseen == before.unseen
    state = play(state, Decide(2, NOTHING))
    assert [(one.name, one.used) for one in state.holdings[1].specials] == [
        (rules.OFFER_J, False),
        (rules.OFFER_B, False),
    ]
    heading, problem = refused(before, TakeWithoutB(2, 0))
    assert (heading, problem) == ("Special offers: B", "This portion brings no offer B to go without.")
    assert refused(before, TakeWithoutB(3, 1))[0] == "Bon appétit!"
    assert refused(quarters(served(advanced(), special=rules.OFFER_G)), TakeWithoutB(2, 1))[0] == "Special offers: B"


def test_b_the_slice_is_eaten_or_saved() -> None:
    state = play(taking_b(), DrawSlice("5/2"))
    assert state.taken == faces("11/1 11/10 4/1 5/2")
    assert play(state, Decide(2, frozenset({"5/2"}))).holdings[1].eaten == ("5/2",)
    assert "5/2" in play(state, Decide(2, NOTHING)).holdings[1].collected
    assert state.holdings[1].specials[0].used


def test_b_the_slice_needs_basil_to_be_eaten() -> None:
    state = play(taking_b(), DrawSlice("11/11"))
    assert refused(state, Decide(2, frozenset({"11/11"})))[0] == "Eating pizza slices"


# Special offers: C ----------------------------------------------------------------------------------------------------


def taking_c(saved: str = "7/3 mixed-5-7") -> State:
    return play(quarters(served(having(advanced(), 2, saved=saved), special=rules.OFFER_C)), Take(2, 1))


def test_c_is_put_on_one_saved_kind() -> None:
    state = taking_c()
    decisions = [known(Decide, move) for move in GAME.legal(state)]
    kinds = {move.kind for move in decisions if not move.eaten}
    assert kinds == {None, 4, 5, 7, 11}
    state = play(state, Decide(2, NOTHING, 7))
    assert state.holdings[1].specials == (OwnedSpecial(rules.OFFER_C, 1, kind=7),)


def test_c_not_on_a_kind_that_is_not_saved() -> None:
    heading, problem = refused(taking_c(), Decide(2, NOTHING, 9))
    assert (heading, problem) == ("Special offers: C", "Player 2 has saved no slice of kind 9.")
    assert refused(taking_c(), Decide(2, frozenset({"4/1"}), 4))[0] == "Special offers: C"
    assert refused(play(quarters(served(advanced())), Take(2, 1)), Decide(2, NOTHING, 4))[0] == "Special offers: C"


def test_c_a_point_for_each_saved_slice_of_the_kind_besides_the_most() -> None:
    state = having(owning(advanced(), 2, rules.OFFER_C), 2, saved="7/1 7/2 7/3", eaten="7/4")
    state = replace(state, holdings=tuple(with_kind(one, 7) for one in state.holdings))
    assert line(state, 2, "Special offers") == 3
    assert line(state, 2, "7 ") == 7


def with_kind(holding: Holding, kind: int) -> Holding:
    return replace(holding, specials=tuple(replace(one, kind=kind) for one in holding.specials))


@pytest.mark.parametrize(("counts_mixed", "points"), [(False, 1), (True, 2)])
def test_c_half_a_slice_is_not_a_slice_unless_the_table_plays_so(counts_mixed: bool, points: int) -> None:
    state = owning(advanced(offer_c_counts_mixed=counts_mixed), 2, rules.OFFER_C)
    state = having(state, 2, saved="7/1 mixed-5-7")
    state = replace(state, holdings=tuple(with_kind(one, 7) for one in state.holdings))
    assert line(state, 2, "Special offers") == points


def test_c_on_nothing_brings_nothing() -> None:
    assert line(having(owning(advanced(), 2, rules.OFFER_C), 2, saved="7/1"), 2, "Special offers") == 0


def test_c_two_players_may_put_it_with_their_second_portion_once() -> None:
    state = quarters(served(advanced(2), special=rules.OFFER_C))
    state = play(takes(takes(state, 2, 1, "11/1"), 1, 0), Take(2, 3))
    assert {known(Decide, move).kind for move in GAME.legal(state)} == {None, 4, 5, 6, 9, 11}
    put = play(takes(takes(quarters(served(advanced(2), special=rules.OFFER_C)), 2, 1, kind=11), 1, 0), Take(2, 3))
    assert refused(put, Decide(2, NOTHING, 9)) == (
        "Special offers: C",
        "Special offer C lies on the 11s and may not be moved to another kind.",
    )


def test_c_not_in_a_later_round() -> None:
    state = play(quarters(served(owning(in_round(advanced(), 2), 3, rules.OFFER_C))), Take(3, 1))
    assert refused(state, Decide(3, NOTHING, 11))[0] == "Special offers: C"


# Special offers: D ----------------------------------------------------------------------------------------------------


def with_d(player: int = 4, number: int = 2, **options: Any) -> State:
    return served(owning(in_round(advanced(**options), number), player, rules.OFFER_D))


def test_d_before_slicing_a_slice_is_eaten_or_saved() -> None:
    state = with_d()
    assert GAME.turn(state).players == (2, 4)
    eaten = play(state, TakeSlice(4, "11/1", True))
    assert eaten.holdings[3].eaten == ("11/1",)
    saved = play(state, TakeSlice(4, "11/1", False))
    assert saved.holdings[3].collected == ("11/1",)
    assert len(saved.ring) == 10
    assert "11/1" not in saved.ring
    assert len(list(GAME.legal(saved))) == 4 * comb(10, 4) + comb(10, 3)


def test_d_is_used_once() -> None:
    state = play(with_d(), TakeSlice(4, "11/1", True))
    assert GAME.turn(state).players == (2,)
    assert refused(state, TakeSlice(4, "7/1", True)) == (
        "Special offers: D",
        "Special offer D has been used; it works once.",
    )


def test_d_eating_needs_basil() -> None:
    assert refused(with_d(), TakeSlice(4, "2/1", True))[0] == "Tomato pizza"
    assert legal(with_d(), TakeSlice(4, "2/1", False))


def test_d_only_the_owner_only_from_this_pizza_only_before_slicing() -> None:
    assert refused(with_d(), TakeSlice(3, "7/1", True))[1] == "Player 3 does not have special offer D."
    assert refused(with_d(), TakeSlice(9, "7/1", True))[0] == "Special offers: D"
    assert refused(with_d(), TakeSlice(4, "5/5", True))[1].endswith("is not in this pizza.")
    assert refused(quarters(with_d()), TakeSlice(4, "7/1", True))[0] == "Special offers: D"


def test_d_the_slicer_may_use_it_too_and_in_the_last_round() -> None:
    state = with_d(player=4, number=4)
    assert state.slicer == 4
    assert GAME.turn(state).players == (4,)
    assert legal(state, TakeSlice(4, "7/1", False))


# Special offers: E ----------------------------------------------------------------------------------------------------


def with_e(player: int = 3, players: int = 4, number: int = 2, **options: Any) -> State:
    return quarters(served(owning(in_round(advanced(players, **options), number), player, rules.OFFER_E)))


def moves_of_e(state: State) -> set[tuple[str, int]]:
    return {(move.face, move.to) for move in GAME.legal(state) if isinstance(move, MoveSlice)}


def test_e_a_slice_beside_a_cut_moves_to_the_adjacent_portion() -> None:
    state = with_e()
    assert moves_of_e(state) == {
        *(("7/2", 1), ("2/1", 3), ("11/1", 0), ("4/1", 2)),
        *(("mixed-9-11", 1), ("9/2", 3), ("9/9", 2), ("6/1", 0)),
    }
    state = play(state, MoveSlice(3, "4/1", 2))
    assert [portion.slices for portion in state.portions][1:3] == [("11/1", "11/10"), ("4/1", "mixed-9-11", "9/2")]
    assert state.portions[1].special
    back = play(with_e(), MoveSlice(3, "2/1", 3))
    assert back.portions[3].slices == faces("9/9 5/1 6/1 2/1")


def test_e_then_the_player_chooses() -> None:
    state = play(with_e(), MoveSlice(3, "4/1", 2))
    assert GAME.turn(state).players == (3,)
    assert refused(state, MoveSlice(3, "7/2", 1))[0] == "Special offers: E"
    assert refused(state, Take(4, 0))[0] == "Special offers: E"
    state = play(state, Take(3, 2))
    assert state.taken == faces("4/1 mixed-9-11 9/2")
    assert state.holdings[2].specials[0].used
    assert refused(with_e_used(), MoveSlice(3, "7/2", 1))[1] == "Special offer E has been used; it works once."


def with_e_used() -> State:
    state = with_e()
    holding = replace(state.holdings[2], specials=(OwnedSpecial(rules.OFFER_E, 1, used=True),))
    return replace(state, holdings=(*state.holdings[:2], holding, state.holdings[3]))


@pytest.mark.parametrize(
    ("face", "to", "problem"),
    [
        ("7/1", 1, "does not lie at a cut"),
        ("7/2", 2, "does not lie at a cut"),
        ("7/2", 3, "does not lie at a cut"),
        ("7/2", 4, "no such portion"),
        ("5/5", 1, "in none of the portions"),
    ],
)
def test_e_other_slices_may_not_move(face: str, to: int, problem: str) -> None:
    heading, found = refused(with_e(), MoveSlice(3, face, to))
    assert heading == "Special offers: E"
    assert problem in found


def test_e_only_just_before_choosing() -> None:
    assert refused(with_e(player=4), MoveSlice(4, "7/2", 1))[0] == "Special offers: E"
    assert refused(with_e(), MoveSlice(4, "7/2", 1))[1] == "Player 4 does not have special offer E."
    assert refused(with_e(), MoveSlice(0, "7/2", 1))[0] == "Special offers: E"


def test_e_not_across_the_gap_of_a_taken_portion() -> None:
    """4/1 and 9/9 lie on either side of portion C."""
    state = takes(with_e(player=4), 3, 2)
    assert moves_of_e(state) == {("7/2", 1), ("11/1", 0), ("2/1", 3), ("6/1", 0)}
    table = takes(with_e(player=4, offer_e_across_gaps=True), 3, 2)
    assert moves_of_e(table) == moves_of_e(state) | {("4/1", 3), ("9/9", 1)}
    assert play(table, MoveSlice(4, "4/1", 3)).portions[3].slices == faces("4/1 9/9 5/1 6/1")


def test_e_a_portion_keeps_something() -> None:
    state = served(owning(in_round(advanced(), 2), 3, rules.OFFER_E))
    state = divided(state, "2/1", "7/1", " ".join(RING[2:5]), " ".join(RING[5:]), special_in=0)
    assert ("2/1", 1) in moves_of_e(state)
    assert ("7/1", 0) not in moves_of_e(state)
    assert refused(state, MoveSlice(3, "7/1", 0))[1].startswith("The portion would be left with neither")
    other = served(owning(in_round(advanced(offer_e_may_empty=True), 2), 3, rules.OFFER_E))
    other = divided(other, "2/1", "7/1", " ".join(RING[2:5]), " ".join(RING[5:]), special_in=0)
    assert play(other, MoveSlice(3, "7/1", 0)).portions[1].slices == ()


def test_e_an_offer_alone_is_beside_nothing() -> None:
    state = served(owning(in_round(advanced(3), 2), 3, rules.OFFER_E))
    state = divided(state, "2/1", " ".join(RING[1:]), "", special_in=2)
    # Both ends of the single slice are the same move, and it may not leave its portion.
    assert moves_of_e(state) == {("7/1", 0), ("6/1", 0)}


def test_e_with_two_players_already_in_the_round_in_which_it_was_taken() -> None:
    state = quarters(served(advanced(2), special=rules.OFFER_E))
    state = takes(takes(state, 2, 1), 1, 0)
    assert moves_of_e(state) == {("9/2", 3), ("9/9", 2)}


def test_e_the_slicer_has_nothing_left_to_move() -> None:
    state = with_e(player=2)
    for player, portion in ((3, 0), (4, 1), (1, 2)):
        state = takes(state, player, portion)
    assert [type(move) for move in GAME.legal(state)] == [Take]


# Special offers: F ----------------------------------------------------------------------------------------------------


def with_f(player: int = 1, **options: Any) -> State:
    return quarters(served(owning(in_round(advanced(**options), 2), player, rules.OFFER_F)))


def test_f_the_owner_chooses_first() -> None:
    state = with_f()
    assert GAME.turn(state).players == (3, 1)
    state = takes(state, 1, 0)
    assert state.order == (3, 4, 2)
    assert state.holdings[0].specials[0].used


def test_f_only_before_anybody_has_chosen() -> None:
    heading, problem = refused(takes(with_f(), 3, 1), Take(1, 0))
    assert heading == "Special offers: F"
    assert "before anybody has chosen" in problem


def test_f_is_not_spent_by_who_is_next_anyway() -> None:
    assert not takes(with_f(player=3), 3, 0).holdings[2].specials[0].used


def test_f_is_used_once() -> None:
    state = with_f()
    used = replace(state.holdings[0], specials=(OwnedSpecial(rules.OFFER_F, 1, used=True),))
    heading, problem = refused(replace(state, holdings=(used, *state.holdings[1:])), Take(1, 0))
    assert (heading, problem.endswith("has been used; it works once.")) == ("Special offers: F", True)


def test_f_the_slicer_may_use_it_unless_the_table_plays_otherwise() -> None:
    assert takes(with_f(player=2), 2, 0).order == (3, 4, 1)
    heading, problem = refused(with_f(player=2, offer_f_for_slicer=False), Take(2, 0))
    assert heading == "Special offers: F"
    assert "may not choose first" in problem


def test_f_and_e_together() -> None:
    state = owning(with_f(), 1, rules.OFFER_E)
    state = play(state, MoveSlice(1, "4/1", 2))
    assert GAME.turn(state).players == (1,)
    state = play(state, Take(1, 2))
    assert [one.used for one in state.holdings[0].specials] == [True, True]


# Special offers: G to L -----------------------------------------------------------------------------------------------


def test_g_5_points() -> None:
    assert line(owning(advanced(), 2, rules.OFFER_G), 2, "Special offers") == 5


def test_h_a_point_for_each_saved_kind_mixed_both_tomato_once() -> None:
    state = owning(having(advanced(), 2, saved="2/1 2/2 mixed-5-7 7/1 9/1 9/2", eaten="4/1"), 2, rules.OFFER_H)
    assert line(state, 2, "Special offers") == 4


def test_i_wins_all_ties_and_the_others_get_nothing() -> None:
    state = owning(having(having(advanced(), 1, saved="7/1 9/1"), 2, saved="7/2 9/2"), 2, rules.OFFER_I)
    assert [line(state, player, "7 ") for player in (1, 2)] == [0, 7]
    assert [line(state, player, "9 ") for player in (1, 2)] == [0, 9]
    assert GAME.score(state)[1].lines[5].detail == "1, tied, won by offer I"


def test_i_of_somebody_else_does_not_touch_a_tie() -> None:
    state = having(having(advanced(), 1, saved="7/1"), 2, saved="7/2")
    state = owning(having(state, 3, saved="9/1"), 3, rules.OFFER_I)
    assert [line(state, player, "7 ") for player in (1, 2)] == [7, 7]


def test_i_is_no_majority() -> None:
    state = owning(having(having(advanced(), 1, saved="7/1 7/3"), 2, saved="7/2"), 2, rules.OFFER_I)
    assert [line(state, player, "7 ") for player in (1, 2)] == [7, 0]


@pytest.mark.parametrize(("wins_the_game", "winner"), [(False, 1), (True, 2)])
def test_i_a_tie_for_the_game_is_another_matter_unless_the_table_plays_so(wins_the_game: bool, winner: int) -> None:
    state = advanced(offer_i_wins_the_game=wins_the_game)
    state = over(owning(having(having(state, 1, eaten="4/1 4/2"), 2, eaten="9/1"), 2, rules.OFFER_I))
    assert totals(state) == [2, 2, 0, 0]
    assert GAME.winners(state) == (winner,)


def last_decision(state: State, player: int = 1) -> State:
    """The last portion of the last round is about to be decided about, by a player who has saved nothing in it."""
    state = quarters(served(in_round(state, state.rounds)))
    for taker, portion in zip(state.order[:-1], (1, 2, 3), strict=True):
        state = takes(state, taker, portion)
    return play(state, Take(state.order[0], 0))


def with_j(saved: str, **options: Any) -> State:
    state = owning(having(advanced(**options), 2, saved=saved), 2, rules.OFFER_J)
    return play(last_decision(state), Decide(4, NOTHING))


def test_j_before_scoring_all_saved_slices_of_a_kind_may_be_eaten() -> None:
    state = with_j("5/2 5/3 mixed-5-7 7/7")
    assert state.phase is Phase.EAT_KIND
    # Mushroom has a slice without basil; the mixed slice is not a slice of one kind.
    kinds = {known(EatKind, move).kind for move in GAME.legal(state)}
    assert {None, 5} <= kinds
    assert 7 not in kinds
    after = play(state, EatKind(2, 5))
    assert {"5/2", "5/3"} <= set(after.holdings[1].eaten)
    assert "mixed-5-7" in after.holdings[1].collected
    assert after.phase is Phase.OVER


def test_j_all_slices_of_the_kind_must_have_basil() -> None:
    heading, problem = refused(with_j("7/3 7/7 5/2"), EatKind(2, 7))
    assert heading == "Special offers: J"
    assert problem == "Not all slices of the kind have basil leaves: the 7 slice (Mushroom)."
    table = play(with_j("7/3 7/7 5/2", offer_j_eats_some=True), EatKind(2, 7))
    assert "7/3" in table.holdings[1].eaten
    assert "7/7" in table.holdings[1].collected


def test_j_may_be_declined_and_belongs_to_its_owner() -> None:
    state = with_j("5/2")
    assert play(state, EatKind(2, None)).phase is Phase.OVER
    assert refused(state, EatKind(1, 5))[1] == "Player 1 does not have special offer J."
    assert refused(state, EatKind(2, 99))[0] == "Special offers: J"
    assert refused(advanced(), EatKind(2, None))[0] == "Special offers: J"


def test_j_is_not_asked_where_nothing_can_be_eaten() -> None:
    state = owning(advanced(2), 2, rules.OFFER_J)
    state = replace(state, phase=Phase.DECIDE, stacks=(), round=4, taker=1, order=())
    assert play(state, Decide(1, NOTHING)).phase is Phase.OVER


def test_k_a_point_for_each_eaten_kind() -> None:
    state = owning(having(advanced(), 2, eaten="7/1 7/2 9/1", saved="4/1"), 2, rules.OFFER_K)
    assert line(state, 2, "Special offers") == 2


def test_l_a_point_for_each_eaten_slice_of_the_kind_eaten_most() -> None:
    state = owning(having(advanced(), 2, eaten="7/1 7/2 9/1", saved="9/2 9/3"), 2, rules.OFFER_L)
    assert line(state, 2, "Special offers") == 2
    assert line(state, 2, "Basil") == 2 + 2 + 2
    assert line(owning(advanced(), 2, rules.OFFER_L), 2, "Special offers") == 0


def test_offers_of_one_player_add_up() -> None:
    state = having(advanced(), 2, eaten="7/1 7/2")
    state = owning(state, 2, rules.OFFER_G, rules.OFFER_K, rules.OFFER_L, rules.OFFER_D)
    assert line(state, 2, "Special offers") == 5 + 1 + 2


# Solo variant: see test_solo.py. What refusals have in common ---------------------------------------------------------


def test_refusals_name_a_heading_and_a_remedy_and_apply_raises_them() -> None:
    with pytest.raises(IllegalMove, match=r"Bon appétit!: .* Now: Player 1 has the knife: choose a pile\."):
        GAME.apply(game(), Take(1, 0))


@pytest.mark.parametrize("phase", list(Phase))
def test_every_move_at_a_wrong_time_is_told_when_it_is_made(phase: Phase) -> None:
    state = with_j("5/2") if phase is Phase.EAT_KIND else quarters(served(advanced()))
    moves = (
        ChoosePile(1), Reveal(RING), Redraw("offer/a"), TakeSlice(1, "7/1", True), Divide(1, ()),
        MoveSlice(1, "7/1", 0), Take(1, 0), DrawSlice("7/1"), Decide(1, NOTHING), EatKind(1, None),
    )  # fmt: skip
    state = replace(state, phase=phase, taker=1)
    for move in moves:
        found = GAME.refusal(state, move)
        assert found is None or (found.heading and found.problem and found.remedy)


def test_what_is_no_move_is_refused() -> None:
    assert refused(game(), "lunch")[0] == "Game setup"  # type: ignore[arg-type]
