"""The rule book of SLICE, sentence by sentence, in the order of its text."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from controller.game import Actor, IllegalMove, OptionError
from controller.games.slice import GAME, consistency
from controller.games.slice.rules import (
    Block,
    Count,
    DealOrder,
    Draw,
    Grab,
    Layer,
    Phase,
    Place,
    Reveal,
    Slap,
    Spot,
    State,
    Stop,
    TurnOver,
)
from tests.controller.games.known import known
from tests.controller.games.slice.situations import (
    ALL_DOWN,
    ORDERS,
    dealt,
    drawn,
    game,
    grabbed,
    legal,
    pizza,
    play,
    played,
    refused,
    table,
)

SEVEN = "pepperoni mushroom olive pepper pepperoni mushroom olive ?"
"""Player 1 lacks a pepper at place 8."""


# What's in the Box ----------------------------------------------------------------------------------------------------


def test_box_24_orders_and_128_slices() -> None:
    assert len(GAME.components.orders) == 24
    assert sum(GAME.components.counts) == 128
    assert {len(toppings) for _, toppings in GAME.components.orders} == {8}


@pytest.mark.parametrize("players", range(2, 9))
def test_for_3_to_8_players_and_the_two_player_game(players: int) -> None:
    assert players in GAME.player_counts
    assert len(game(players).seats) == players


@pytest.mark.parametrize("players", [1, 9, 0, -1, "3", True])
def test_no_other_number_of_players(players: Any) -> None:
    with pytest.raises(OptionError, match="players"):
        game(players)


# Setting Up The Game --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", range(2, 9))
def test_setting_up_eight_face_down_cards_each_and_the_rest_is_the_draw_pile(players: int) -> None:
    state = game(players)
    assert all(spot == Spot(None, 0) for seat in state.seats for spot in seat.spots)
    assert {len(seat.spots) for seat in state.seats} == {8}
    assert state.pile == (Layer(0, 128 - 8 * players),)
    assert state.open == ()


def test_setting_up_orders_are_shuffled_and_dealt_one_each_face_up() -> None:
    state = game(3)
    assert GAME.turn(state).actor is Actor.CHANCE
    assert len(legal(state)) == 24
    state = play(state, DealOrder(1, "order-4"))
    assert DealOrder(2, "order-4") not in legal(state)
    assert len(legal(state)) == 23
    assert GAME.view(state, 2)["players"][0]["order"] == "order-4"


def test_setting_up_an_order_is_dealt_to_the_next_player_and_once() -> None:
    state = play(game(3), DealOrder(1, "order-4"))
    assert refused(state, DealOrder(3, "order-5")).heading == "Setting Up The Game"
    assert "'order-4'" in refused(state, DealOrder(2, "order-4")).problem


@pytest.mark.parametrize("first", [1, 2, 3])
def test_setting_up_the_starting_drawer_draws_first(first: int) -> None:
    state = dealt(3, first)
    assert state.phase is Phase.DRAW
    assert state.drawer == first
    assert f"Player {first} draws" in GAME.turn(state).prompt


@pytest.mark.parametrize("first", [0, 4, "1", None])
def test_setting_up_the_starting_drawer_is_a_player(first: Any) -> None:
    with pytest.raises(OptionError, match="first"):
        game(3, first)


def test_setting_up_nobody_knows_what_lies_face_down() -> None:
    for viewer in (1, 2, 3, None):
        cards = [place["card"] for place in GAME.view(dealt(), viewer)["players"][0]["pizza"]]
        assert cards == [None] * 8


# On Your Turn ---------------------------------------------------------------------------------------------------------


def test_turn_the_drawer_puts_a_card_face_up_on_the_open_pile() -> None:
    state = drawn(dealt(), "onion")
    assert state.open == ("onion",)
    assert sum(layer.cards for layer in state.pile) == 128 - 24 - 1
    assert state.phase is Phase.GRAB


def test_turn_any_card_that_is_left_may_be_drawn() -> None:
    assert {known(Draw, move).card for move in legal(dealt())} == set(GAME.components.cards)
    assert refused(dealt(), Draw("anchovy")).problem == "'anchovy' is no card of this game."


def test_turn_a_card_of_which_all_are_seen_cannot_be_drawn() -> None:
    state = table(open=["onion"] * 14)
    state = play(state, Count(1))
    assert Draw("onion") not in legal(state)
    assert "every one that could be is elsewhere" in refused(state, Draw("onion")).problem


def test_turn_cards_are_drawn_as_often_as_they_are_there() -> None:
    state = table(open=["onion"] * 13 + ["combo"] * 8)
    state = play(state, Count(1))
    random = Random(5)
    draws = Counter(known(Draw, GAME.draw(state, random)).card for _ in range(2000))
    assert draws["combo"] == 0
    assert 5 < draws["onion"] < 45
    assert 200 < draws["pepper"] < 350


def test_turn_a_matching_card_is_grabbed() -> None:
    state = play(table(), Grab(2))
    assert state.hand == "onion"
    assert state.open == ()
    assert state.phase is Phase.PLACE


def test_turn_only_the_top_card_can_be_grabbed() -> None:
    state = play(table(open=["onion", "olive"]), Grab(2))
    assert state.hand == "olive"
    assert state.open == ("onion",)


def test_turn_the_first_to_slap_wins_and_the_others_times_are_evidence() -> None:
    state = table(players=4)
    with_times = Grab(2, (Slap(3, 250), Slap(4, 3_400)))
    assert GAME.refusal(state, with_times) is None
    assert play(state, with_times) == play(state, Grab(2))


def test_turn_simultaneous_slaps_are_won_by_the_hand_that_covers_most() -> None:
    """The move names the winner; the evidence says that it was a tie."""
    state = table(players=4)
    tie = Grab(4, (Slap(2, 0), Slap(3, 0)))
    assert play(state, tie) == play(state, Grab(4))
    assert play(state, Grab(2, (Slap(4, 0),))) == play(state, Grab(2))


def test_turn_a_late_hand_of_the_drawer_changes_nothing() -> None:
    """The Drawer may not grab; where another hand was first it was no grab."""
    state = table(players=4)
    assert play(state, Grab(2, (Slap(1, 5), Slap(3, 9)))) == play(state, Grab(2))
    assert "is the Drawer" in refused(state, Grab(1, (Slap(2, 5),))).problem


@pytest.mark.parametrize(
    ("after", "problem"),
    [
        ((Slap(3, 300), Slap(4, 200)), "before a hand named earlier"),
        ((Slap(3, -1),), "before a hand named earlier"),
        ((Slap(2, 5),), "named twice"),
        ((Slap(3, 5), Slap(3, 6)), "named twice"),
        ((Slap(9, 5),), "no player 9"),
    ],
)
def test_turn_the_hands_are_named_in_order_and_once(after: tuple[Slap, ...], problem: str) -> None:
    assert problem in refused(table(players=4), Grab(2, after)).problem


def test_turn_if_nobody_grabs_the_same_drawer_draws_another_card() -> None:
    state = play(table(), Count(1))
    assert state.phase is Phase.DRAW
    assert state.drawer == 1
    assert drawn(state, "bacon").open == ("onion", "bacon")


def test_turn_the_drawer_counts_nobody_else() -> None:
    assert "Player 1 counts" in refused(table(), Count(2)).remedy
    assert refused(table(), Count(7)).heading == "On Your Turn"


def test_turn_the_drawer_who_must_count_stands_first_and_all_others_may_grab() -> None:
    assert GAME.turn(table(players=4, drawer=3)).players == (3, 4, 1, 2)
    assert legal(table(players=4, drawer=3)) == [Grab(4), Grab(1), Grab(2), Count(3)]


# If you grab a card ---------------------------------------------------------------------------------------------------


def test_grab_the_card_goes_to_its_topping_on_the_order() -> None:
    state = play(table(), Grab(2))
    assert legal(state) == [Place(2, 3), Place(2, 7)]
    found = refused(state, Place(2, 1))
    assert found.heading == "If you grab a card"
    assert "3, 7" in found.remedy


def test_grab_the_card_replaces_the_face_down_one_which_is_revealed() -> None:
    state = play(table(), Grab(2), Place(2, 7))
    assert pizza(state, 2) == "? ? ? ? ? ? onion ?"
    assert state.phase is Phase.REVEAL
    assert GAME.turn(state).actor is Actor.CHANCE


def test_grab_a_found_place_takes_no_second_card() -> None:
    state = play(table(ALL_DOWN, "? ? onion ? ? ? ? ?"), Grab(2))
    assert legal(state) == [Place(2, 7)]
    assert "found already" in refused(state, Place(2, 3)).problem


@pytest.mark.parametrize("place", [0, 9, -1, 10**9])
def test_grab_there_are_places_1_to_8(place: int) -> None:
    assert f"no place {place}" in refused(play(table(), Grab(2)), Place(2, place)).problem


def test_grab_only_who_grabbed_places_the_card() -> None:
    assert "no card in hand" in refused(play(table(), Grab(2)), Place(3, 3)).problem


def test_grab_a_revealed_card_that_matches_goes_on_swapping() -> None:
    state = grabbed(table(), 2, 3, "tomato")
    assert state.phase is Phase.PLACE
    assert legal(state) == [Place(2, 4), Place(2, 8)]


def test_grab_a_chain_of_swaps() -> None:
    state = grabbed(table(), 2, 3, "tomato")
    state = play(state, Place(2, 8), Reveal("olive"), Place(2, 2), Reveal("combo"), Place(2, 1), Reveal("bacon"))
    assert pizza(state, 2) == "combo olive onion ? ? ? ? tomato"
    assert state.open == ("bacon",)


def test_grab_a_revealed_match_must_be_used() -> None:
    state = grabbed(table(), 2, 3, "tomato")
    assert refused(state, Stop(2)).heading == "If you grab a card"


def test_grab_option_may_stop_lets_a_match_be_discarded() -> None:
    state = grabbed(table(options={"may_stop": True}), 2, 3, "tomato")
    assert legal(state) == [Place(2, 4), Place(2, 8), Stop(2)]
    after = play(state, Stop(2))
    assert after.open == ("tomato",)
    assert after.phase is Phase.GRAB
    assert "no card in hand" in refused(state, Stop(3)).problem


def test_grab_option_may_stop_does_not_allow_to_discard_a_grabbed_card() -> None:
    refused(play(table(options={"may_stop": True}), Grab(2)), Stop(2))


def test_grab_a_card_that_matches_no_more_is_open_for_the_others() -> None:
    state = grabbed(table(), 2, 3, "bacon")
    assert state.open == ("bacon",)
    assert state.phase is Phase.GRAB
    assert legal(state) == [Grab(3), Grab(1), Count(2)]


def test_grab_a_discarded_card_can_be_grabbed_in_its_turn() -> None:
    state = play(grabbed(table(), 2, 3, "bacon"), Grab(3), Place(3, 4))
    assert state.drawer == 3


def test_grab_the_grabber_is_the_new_drawer() -> None:
    state = play(grabbed(table(), 2, 3, "bacon"), Count(2))
    assert state.drawer == 2
    assert state.phase is Phase.DRAW


def test_grab_a_found_topping_when_revealed_matches_no_more() -> None:
    state = table("? ? ? ? ? ? ? ?", "? ? onion ? ? ? ? ?")
    assert grabbed(state, 2, 7, "onion").open == ("onion",)


def test_grab_what_the_card_covered_is_not_to_be_grabbed() -> None:
    """Nobody took it when it was open: after Hot Sauce has been placed the next card is drawn."""
    state = play(table(open=["onion", "hot-sauce"]), Grab(2), Block(2, 1, 1))
    assert state.open == ("onion",)
    assert state.phase is Phase.DRAW
    found = refused(state, Grab(1))
    assert found.problem == "Onion was passed over: only the card put last on the Open Pile may be grabbed."
    assert found.remedy == "Put it back on the Open Pile. Now: Player 2 draws a card."


# Important Note -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("drawer", [1, 2, 3])
def test_note_the_drawer_may_not_grab(drawer: int) -> None:
    state = table(drawer=drawer)
    assert refused(state, Grab(drawer)).heading == "Important Note"
    with pytest.raises(IllegalMove, match="is the Drawer"):
        GAME.apply(state, Grab(drawer))


def test_note_the_new_drawer_may_not_grab_the_own_discard() -> None:
    assert refused(grabbed(table(), 2, 3, "bacon"), Grab(2)).heading == "Important Note"


@pytest.mark.parametrize("player", [0, -3, 4, 99])
def test_note_there_is_no_such_player(player: int) -> None:
    assert f"no player {player}" in refused(table(), Grab(player)).problem


# Getting Burned! ------------------------------------------------------------------------------------------------------


def test_burned_by_a_card_that_is_not_on_the_order() -> None:
    state = play(table("? mushroom ? ? ? ? ? ?", drawer=2), Grab(1))
    assert pizza(state, 1) == "? ? ? ? ? ? ? ?"


def test_burned_by_a_topping_whose_places_are_all_found() -> None:
    """Hot Tips: watch out for toppings you've already found."""
    state = play(table(ALL_DOWN, "? ? onion ? ? ? onion ?"), Grab(2))
    assert pizza(state, 2) == ALL_DOWN
    assert state.phase is Phase.DRAW


def test_burned_face_up_slices_and_the_open_pile_go_under_the_draw_pile() -> None:
    state = play(table(ALL_DOWN, ALL_DOWN, "combo ? tomato ? ? ? ? ?", open=["pepper", "onion"]), Grab(3))
    assert state.open == ()
    below = dict(zip(GAME.components.cards, state.pools[1], strict=True))
    assert {card: count for card, count in below.items() if count} == {
        "pepper": 1, "onion": 1, "combo": 1, "tomato": 1
    }  # fmt: skip
    assert state.pile[-1] == Layer(1, 4)


def test_burned_empty_places_are_dealt_anew_from_the_top_of_the_draw_pile() -> None:
    before = table(ALL_DOWN, ALL_DOWN, "pepperoni ? tomato ? ? ? ? ?")
    state = play(before, Grab(3))
    assert all(spot == Spot(None, 0) for spot in state.seats[2].spots)
    assert state.pile[0].cards == before.pile[0].cards - 2


def test_burned_hot_sauce_stays() -> None:
    state = play(table(ALL_DOWN, ALL_DOWN, "pepperoni ?! tomato ? ?! ? ? ?"), Grab(3))
    assert pizza(state, 3) == "? ?! ? ? ?! ? ? ?"


def test_burned_you_become_the_drawer() -> None:
    state = play(table(), Grab(3))
    assert state.drawer == 3
    assert state.phase is Phase.DRAW


def test_burned_others_keep_their_pizzas() -> None:
    state = play(table("pepperoni ? ? ? ? ? ? ?", ALL_DOWN, "pepperoni ? ? ? ? ? ? ?"), Grab(3))
    assert pizza(state, 1) == "pepperoni ? ? ? ? ? ? ?"


def test_burned_with_nothing_found_only_the_open_pile_is_lost() -> None:
    before = table(open=["pepper", "onion"])
    state = play(before, Grab(3))
    assert state.pile == (*before.pile, Layer(1, 2))


def test_burned_cards_come_up_again_when_those_above_are_drawn() -> None:
    state = _with_pile(table(ALL_DOWN, ALL_DOWN, "pepperoni ? tomato ? ? ? ? ?"), 2)
    passed = set(state.open)
    state = play(state, Grab(3))
    assert state.pile[0].pool == 1
    assert {known(Draw, move).card for move in legal(state)} == passed | {"pepperoni", "tomato"}


def test_burning_by_choice_is_grabbing_a_card_one_does_not_need() -> None:
    assert Grab(3) in legal(table())


# Finishing a Pizza ----------------------------------------------------------------------------------------------------


def finished(**options: Any) -> State:
    """Player 1 has just put the last pepper in place, with an olive passed over before."""
    return play(table(SEVEN, drawer=2, open=["olive", "pepper"], options=options), Grab(1), Place(1, 8))


def test_finishing_when_all_eight_match() -> None:
    state = finished()
    assert state.seats[0].finished == ("order-1",)
    assert GAME.score(state)[0].total == 1


def test_finishing_the_card_replaced_last_stays_hidden() -> None:
    state = finished()
    assert state.lifted == 0
    assert GAME.view(state, 1)["card_aside"]
    assert not any(isinstance(move, Reveal) for move in legal(state))


def test_finishing_the_pizza_and_the_open_pile_go_under_the_draw_pile() -> None:
    state = finished()
    assert state.open == ()
    assert state.pile[-1] == Layer(1, 9)
    assert sum(state.pools[1]) == 9


def test_finishing_brings_a_new_order_and_eight_new_cards() -> None:
    state = finished()
    assert state.phase is Phase.ORDER
    assert pizza(state, 1) == ALL_DOWN
    assert DealOrder(1, "order-1") not in legal(state)
    assert {known(DealOrder, move).player for move in legal(state)} == {1}
    assert len(legal(state)) == 24 - 3


def test_finishing_then_the_hidden_card_is_turned_over_on_the_open_pile() -> None:
    state = play(finished(), DealOrder(1, "order-3"))
    assert state.phase is Phase.HIDDEN
    state = play(state, TurnOver("tomato"))
    assert state.open == ("tomato",)
    assert state.phase is Phase.GRAB


def test_finishing_makes_the_new_drawer_who_does_not_grab_the_hidden_card() -> None:
    state = play(finished(), DealOrder(1, "order-3"), TurnOver("tomato"))
    assert legal(state) == [Grab(2), Grab(3), Count(1)]


def test_finishing_the_hidden_card_is_unknown_until_then() -> None:
    state = play(finished(), DealOrder(1, "order-3"))
    assert {known(TurnOver, move).card for move in legal(state)} == set(GAME.components.cards)
    assert refused(state, TurnOver("ham")).heading == "Finishing a Pizza"


def test_finishing_hidden_hot_sauce_is_as_open_as_revealed_hot_sauce() -> None:
    last = (Grab(1), Place(1, 8), DealOrder(1, "order-3"), TurnOver("hot-sauce"))
    state = play(table(SEVEN, drawer=2, open=["pepper"]), *last)
    assert legal(state) == [Grab(2), Grab(3), Count(1)]
    state = play(table(SEVEN, drawer=2, open=["pepper"], options={"revealed_hot_sauce": "discard"}), *last)
    assert (state.phase, state.drawer, state.open) == (Phase.DRAW, 1, ("hot-sauce",))


def test_finishing_with_a_combo_as_the_last_slice() -> None:
    state = play(table(SEVEN, drawer=2, open=["combo"]), Grab(1), Place(1, 8))
    assert state.seats[0].finished == ("order-1",)


def test_finishing_at_the_end_of_a_chain() -> None:
    six = "pepperoni mushroom olive pepper pepperoni mushroom ? ?"
    state = grabbed(table(six, drawer=2, open=["pepper"]), 1, 8, "olive")
    assert play(state, Place(1, 7)).seats[0].finished == ("order-1",)


def test_finishing_other_players_keep_what_they_have() -> None:
    state = table(SEVEN, "? olive ?! ? ? ? ? ?", drawer=2, open=["pepper"])
    assert pizza(play(state, Grab(1), Place(1, 8)), 2) == "? olive ?! ? ? ? ? ?"


def test_finishing_the_orders_suffice_for_eight_players_with_two_pizzas_each() -> None:
    assert len(GAME.components.orders) == 8 + 2 * 8


# Hot Sauce Cards ------------------------------------------------------------------------------------------------------


def hot_sauce(*pizzas: str, **position: Any) -> State:
    """Player 2 has grabbed Hot Sauce."""
    return play(table(*pizzas, **({"open": ["hot-sauce"]} | position)), Grab(2))


def test_hot_sauce_goes_on_any_face_down_slice_of_another_player() -> None:
    state = hot_sauce("pepperoni ? ? ? ? ? ? ?")
    assert len(legal(state)) == 15
    assert {known(Block, move).target for move in legal(state)} == {1, 3}
    state = play(state, Block(2, 1, 3))
    assert pizza(state, 1) == "pepperoni ? ?! ? ? ? ? ?"
    assert state.hand is None


def test_hot_sauce_makes_its_user_the_drawer() -> None:
    state = play(hot_sauce(), Block(2, 1, 3))
    assert state.drawer == 2
    assert state.phase is Phase.DRAW


@pytest.mark.parametrize(
    ("move", "problem"),
    [
        (Block(2, 2, 1), "one's own pizza"),
        (Block(2, 1, 1), "is face up"),
        (Block(2, 1, 2), "blocked already"),
        (Block(2, 1, 0), "no place 0"),
        (Block(2, 1, 9), "no place 9"),
        (Block(2, 4, 1), "no player 4"),
        (Block(2, 0, 1), "no player 0"),
        (Block(3, 1, 3), "no card in hand"),
    ],
)
def test_hot_sauce_where_it_may_not_go(move: Block, problem: str) -> None:
    state = hot_sauce("pepperoni ?! ? ? ? ? ? ?")
    assert problem in refused(state, move).problem


def test_hot_sauce_is_no_slice() -> None:
    assert refused(hot_sauce(), Place(2, 1)).heading == "Hot Sauce Cards"
    assert refused(hot_sauce(), Stop(2)).heading == "Hot Sauce Cards"


def test_hot_sauce_only_blocks_with_hot_sauce() -> None:
    assert "blocks nobody" in refused(play(table(), Grab(2)), Block(2, 1, 1)).problem


def test_hot_sauce_a_blocked_place_is_not_filled_while_another_is_free() -> None:
    state = play(table(ALL_DOWN, "? ? ?! ? ? ? ? ?"), Grab(2), Place(2, 7))
    assert pizza(state, 2) == "? ? ?! ? ? ? onion ?"


def test_hot_sauce_is_removed_by_a_matching_slice_which_is_spent() -> None:
    state = play(table(ALL_DOWN, "? ? ?! ? ? ? ? ?"), Grab(2), Place(2, 3))
    assert pizza(state, 2) == ALL_DOWN
    assert state.phase is Phase.DRAW
    assert state.drawer == 2


def test_hot_sauce_when_removed_lies_on_top_of_the_open_pile() -> None:
    state = play(table(ALL_DOWN, "? ? ?! ? ? ? ? ?", open=["bacon", "onion"]), Grab(2), Place(2, 3))
    assert state.open == ("bacon", "onion", "hot-sauce")


def test_hot_sauce_is_not_removed_by_a_slice_of_another_topping() -> None:
    state = play(table(ALL_DOWN, "?! ? ?! ? ? ? ? ?"), Grab(2))
    assert Place(2, 1) not in legal(state)
    assert "does not remove that Hot Sauce" in refused(state, Place(2, 1)).problem


def test_hot_sauce_on_all_places_of_a_topping_makes_the_slice_no_burn() -> None:
    state = play(table(ALL_DOWN, "? ? ?! ? ? ? onion ?"), Grab(2))
    assert legal(state) == [Place(2, 3)]


def test_hot_sauce_discarded_cannot_be_used_by_others() -> None:
    state = play(table(ALL_DOWN, "? ? ?! ? ? ? ? ?"), Grab(2), Place(2, 3))
    assert state.open[-1] == "hot-sauce"
    found = refused(state, Grab(1))
    assert (found.heading, found.pieces) == ("Hot Sauce Cards", ("hot-sauce",))
    assert "cannot be used by other players" in found.problem


def test_hot_sauce_revealed_and_discarded_by_the_option_cannot_be_used_by_others() -> None:
    state = grabbed(table(options={"revealed_hot_sauce": "discard"}), 2, 3, "hot-sauce")
    assert "cannot be used by other players" in refused(state, Grab(3)).problem


def test_hot_sauce_that_nobody_grabs_is_passed_over() -> None:
    state = play(table(open=["hot-sauce"]), Count(1), Draw("bacon"))
    assert play(state, Grab(3)).hand == "bacon"


def test_hot_sauce_revealed_in_the_own_pizza_is_open_for_others() -> None:
    state = grabbed(table(), 2, 3, "hot-sauce")
    assert state.open == ("hot-sauce",)
    assert legal(state) == [Grab(3), Grab(1), Count(2)]
    assert play(state, Grab(3), Block(3, 2, 1)).drawer == 3


def test_hot_sauce_revealed_option_place() -> None:
    state = grabbed(table(options={"revealed_hot_sauce": "place"}), 2, 3, "hot-sauce")
    assert state.phase is Phase.PLACE
    assert play(state, Block(2, 1, 1)).drawer == 2


def test_hot_sauce_revealed_option_discard() -> None:
    state = grabbed(table(options={"revealed_hot_sauce": "discard"}), 2, 3, "hot-sauce")
    assert state.open == ("hot-sauce",)
    assert state.phase is Phase.DRAW


ONE_LEFT_BLOCKED = ("pepperoni mushroom olive pepper pepperoni mushroom olive ?!", "? ? onion ? ? ? ? ?")


def test_hot_sauce_without_a_place_to_go_burns() -> None:
    state = play(table(*ONE_LEFT_BLOCKED, players=2, open=["hot-sauce"]), Grab(2))
    assert pizza(state, 2) == ALL_DOWN
    assert state.phase is Phase.DRAW


def test_hot_sauce_without_a_place_to_go_option_discard() -> None:
    options = {"useless_hot_sauce": "discard"}
    state = play(table(*ONE_LEFT_BLOCKED, players=2, open=["hot-sauce"], options=options), Grab(2))
    assert pizza(state, 2) == "? ? onion ? ? ? ? ?"
    assert state.drawer == 2
    assert state.phase is Phase.DRAW


# Combo Cards ----------------------------------------------------------------------------------------------------------


def test_combo_is_any_slice_needed() -> None:
    state = play(table("pepperoni ? ? ? ? ? ? ?", drawer=2, open=["combo"]), Grab(1))
    assert legal(state) == [Place(1, place) for place in range(2, 9)]


def test_combo_replaces_no_slice_that_is_found() -> None:
    state = play(table("pepperoni ? ? ? ? ? ? ?", drawer=2, open=["combo"]), Grab(1))
    assert refused(state, Place(1, 1)).heading == "Combo Cards"


def test_combo_is_revealed_under_like_any_slice() -> None:
    state = grabbed(table(open=["combo"]), 2, 5, "onion")
    assert pizza(state, 2) == "? ? ? ? combo ? ? ?"
    assert legal(state) == [Place(2, 3), Place(2, 7)]


def test_combo_removes_hot_sauce_and_is_spent() -> None:
    state = play(table(ALL_DOWN, "? ?! ? ? ? ? ? ?", open=["combo"]), Grab(2), Place(2, 2))
    assert pizza(state, 2) == ALL_DOWN
    assert state.open == ("combo", "hot-sauce")


def test_combo_revealed_in_the_own_pizza_is_used() -> None:
    assert len(legal(grabbed(table(), 2, 3, "combo"))) == 7


def test_combo_revealed_option_open() -> None:
    state = grabbed(table(options={"revealed_combo_is_wild": False}), 2, 3, "combo")
    assert state.open == ("combo",)
    assert state.phase is Phase.GRAB


def test_combo_revealed_removes_hot_sauce() -> None:
    state = grabbed(table(ALL_DOWN, "?! ? ? ? ? ? ? ?"), 2, 3, "combo")
    assert play(state, Place(2, 1)).open == ("combo", "hot-sauce")


def test_combo_revealed_option_that_only_grabbed_cards_unblock() -> None:
    state = grabbed(table(ALL_DOWN, "?! ? ? ? ? ? ? ?", options={"revealed_cards_unblock": False}), 2, 3, "combo")
    assert Place(2, 1) not in legal(state)
    assert "a revealed card removes no Hot Sauce" in refused(state, Place(2, 1)).problem


def test_a_revealed_slice_option_that_only_grabbed_cards_unblock() -> None:
    pizzas = (ALL_DOWN, "?! ? ? ? ?! ? ? ?")
    state = grabbed(table(*pizzas, options={"revealed_cards_unblock": False}), 2, 3, "mushroom")
    assert state.open == ("mushroom",)
    assert grabbed(table(*pizzas), 2, 3, "mushroom").hand == "mushroom"


# Two-Player Game ------------------------------------------------------------------------------------------------------


def test_two_players_both_grab_the_drawer_too() -> None:
    state = table(players=2)
    assert legal(state) == [Grab(2), Grab(1), Count(1)]
    assert GAME.turn(state).players == (1, 2)
    assert play(table(players=2, drawer=2), Grab(2)).hand == "onion"


def test_two_players_who_discards_a_card_leaves_it_to_the_other() -> None:
    state = grabbed(table(players=2, drawer=2), 2, 3, "bacon")
    assert legal(state) == [Grab(1), Count(2)]
    assert "for the other player" in refused(state, Grab(2)).remedy


def test_two_players_everything_else_stays_the_same() -> None:
    state = play(table(players=2), Grab(1))
    assert state.drawer == 1
    assert state.phase is Phase.DRAW


def test_two_players_the_hidden_card_is_for_both() -> None:
    state = play(table(SEVEN, players=2, drawer=2, open=["pepper"]), Grab(1), Place(1, 8))
    state = play(state, DealOrder(1, "order-3"), TurnOver("tomato"))
    assert legal(state) == [Grab(2), Grab(1), Count(1)]


# Pizza Reset ----------------------------------------------------------------------------------------------------------


def test_pizza_reset_a_burned_pizza_loses_all_cards_and_hot_sauce_too() -> None:
    before = table(ALL_DOWN, ALL_DOWN, "pepperoni ?! tomato ? ?! ? ? ?", options={"pizza_reset": True})
    state = play(before, Grab(3))
    assert pizza(state, 3) == ALL_DOWN
    assert sum(layer.cards for layer in before.pile) == 128 - 24 - 1 - 2
    assert sum(layer.cards for layer in state.pile) == 128 - 24


def test_pizza_reset_the_cards_seen_go_under_the_draw_pile_and_those_unseen_below_them() -> None:
    state = table(ALL_DOWN, ALL_DOWN, "pepperoni ?! tomato ? ?! ? ? ?", options={"pizza_reset": True})
    state = play(state, Grab(3))
    assert state.pile[-2:] == (Layer(1, 5), Layer(0, 6))
    below = dict(zip(GAME.components.cards, state.pools[1], strict=True))
    assert below["hot-sauce"] == 2
    assert below["onion"] == below["pepperoni"] == below["tomato"] == 1


def test_pizza_reset_deals_eight_new_cards() -> None:
    before = table(options={"pizza_reset": True})
    state = play(before, Grab(3))
    assert state.pile[0].cards == before.pile[0].cards - 8


def test_pizza_reset_only_as_an_option() -> None:
    assert pizza(play(table(ALL_DOWN, ALL_DOWN, "?! ? ? ? ? ? ? ?"), Grab(3)), 3) == "?! ? ? ? ? ? ? ?"


# Hot Tips for Topping the Competition! --------------------------------------------------------------------------------


def test_tips_others_do_not_see_a_revealed_card_before_it_is_placed() -> None:
    state = grabbed(table(), 2, 3, "tomato")
    assert GAME.view(state, 2)["hand"] == "tomato"
    for viewer in (1, 3, None):
        assert GAME.view(state, viewer)["hand"] is None
        assert GAME.view(state, viewer)["hand_fits"] == []
        assert "omato" not in GAME.turn(state).prompt


def test_tips_a_revealed_card_could_be_any_that_fits_to_others() -> None:
    state = grabbed(table(), 2, 3, "tomato")
    random = Random(3)
    assert {GAME.determinize(state, 1, random).hand for _ in range(200)} == {
        "mushroom", "olive", "onion", "tomato", "combo"
    }  # fmt: skip
    assert GAME.determinize(state, 2, random) == state


def test_tips_everybody_sees_a_grabbed_card() -> None:
    state = play(table(), Grab(2))
    assert GAME.view(state, None)["hand"] == "onion"
    assert GAME.determinize(state, None, Random(1)) == state


@pytest.mark.parametrize(
    "options",
    [{}, {"may_stop": True}, {"revealed_hot_sauce": "place"}, {"revealed_cards_unblock": False}],
    ids=["default", "may stop", "hot sauce", "blocked"],
)
def test_tips_a_refusal_tells_nothing_of_a_revealed_card(options: dict[str, Any]) -> None:
    """Whatever the card is: where a move is refused, it is in the same words, as everybody at the table reads them."""
    state = grabbed(table(ALL_DOWN, "? ? ? ?! mushroom ? ? ?", options=options), 2, 3, "olive")
    could_be = {GAME.determinize(state, 1, Random(seed)) for seed in range(200)}
    assert len({one.hand for one in could_be}) >= 4
    moves = [Place(2, place) for place in range(10)] + [Block(2, target, 4) for target in range(5)] + [Stop(2)]
    for move in moves:
        told = {found for one in could_be if (found := GAME.refusal(one, move)) is not None}
        assert len(told) <= 1
        assert not any(refusal.pieces for refusal in told)


# Winning! -------------------------------------------------------------------------------------------------------------


def nearly_won(pizzas: int) -> State:
    """Player 1 needs a pepper to win."""
    seats = {"1": {"order": "order-1", "pizza": SEVEN.split(), "finished": ["order-20", "order-21"][: pizzas - 1]}}
    seats |= {"2": {"order": "order-2"}, "3": {"order": "order-5"}}
    return GAME.setup(
        3, {"pizzas": pizzas}, {"phase": "grab", "drawer": 2, "draws": 9, "open": ["pepper"], "players": seats}
    )


@pytest.mark.parametrize("pizzas", [1, 2, 3])
def test_winning_with_one_two_or_three_pizzas(pizzas: int) -> None:
    before = nearly_won(pizzas)
    assert GAME.winners(before) == ()
    state = play(before, Grab(1), Place(1, 8))
    assert state.phase is Phase.OVER
    assert GAME.turn(state).actor is Actor.NOBODY
    assert GAME.winners(state) == (1,)
    assert GAME.score(state)[0].total == pizzas
    assert legal(state) == []


def test_winning_needs_three_pizzas_unless_told_otherwise() -> None:
    assert game().options.pizzas == 3


@pytest.mark.parametrize("pizzas", [0, 4, "3", None, True])
def test_winning_other_numbers_are_no_option(pizzas: Any) -> None:
    with pytest.raises(OptionError, match="option pizzas"):
        game(pizzas=pizzas)


def test_winning_nothing_is_played_after_the_end() -> None:
    state = play(nearly_won(1), Grab(1), Place(1, 8))
    for move in (Draw("onion"), Grab(2), Count(1), Place(1, 1), Block(1, 2, 1), Stop(1), Reveal("onion")):
        assert refused(state, move).heading == "Winning!"


# What the text leaves open --------------------------------------------------------------------------------------------


def _with_pile(state: State, cards: int) -> State:
    """The same with so few cards in the draw pile: the others were passed over."""
    moved = state.pile[0].cards - cards
    counts = list(state.pools[0])
    passed: list[str] = []
    for number, card in enumerate(GAME.components.cards):
        while counts[number] > 2 and len(passed) < moved:
            counts[number] -= 1
            passed.append(card)
    pile = (Layer(0, state.pile[0].cards - len(passed)),)
    assert pile[0].cards == cards
    return replace(state, pools=(tuple(counts),), pile=pile, open=(*passed, *state.open))


def test_open_when_the_draw_pile_runs_out_the_open_pile_is_shuffled() -> None:
    state = _with_pile(table(), 1)
    state = play(state, Count(1), Draw("bacon"), Count(1))
    assert state.phase is Phase.DRAW
    assert state.open == ()
    assert sum(layer.cards for layer in state.pile) == 128 - 24


def test_open_option_that_the_game_ends_when_the_draw_pile_runs_out() -> None:
    start = table(ALL_DOWN, "? olive ? ? ? ? ? ?", options={"empty_pile": "end"})
    state = play(_with_pile(start, 1), Count(1), Draw("bacon"), Count(1))
    assert state.phase is Phase.OVER
    assert GAME.winners(state) == (2,)


def test_open_the_game_ends_after_so_many_draws() -> None:
    state = table(options={"draw_limit": 9})
    assert play(state, Count(1)).phase is Phase.OVER
    assert play(state, Grab(3)).phase is Phase.OVER
    chain = grabbed(state, 2, 3, "bacon")
    assert chain.phase is Phase.GRAB
    assert GAME.winners(play(chain, Count(2))) == (2,)


def test_open_several_share_an_undecided_game() -> None:
    assert GAME.winners(play(table(options={"draw_limit": 9}), Count(1))) == (1, 2, 3)


def test_open_no_limit() -> None:
    assert play(table(options={"draw_limit": 0}, draws=10_000), Count(1)).phase is Phase.DRAW


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("draw_limit", -1),
        ("draw_limit", 100_001),
        ("draw_limit", "10"),
        ("draw_limit", True),
        ("pizza_reset", 1),
        ("pizza_reset", "yes"),
        ("revealed_hot_sauce", "eaten"),
        ("empty_pile", None),
        ("extra_cheese", True),
        ("may_stop", []),
    ],
)
def test_options_that_do_not_exist(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match=f"option {name}"):
        game(**{name: value})


def test_options_have_their_defaults() -> None:
    given = {option.name: option.default for option in GAME.option_list}
    assert GAME.start(3, given) == GAME.start(3, {})
    for option in GAME.option_list:
        for choice in option.choices:
            game(**{option.name: choice})


# Moves at the wrong time ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        (game(), DealOrder),
        (dealt(), Draw),
        (table(), (Grab, Count)),
        (play(table(), Grab(2)), Place),
        (play(table(), Grab(2), Place(2, 3)), Reveal),
        (play(finished(), DealOrder(1, "order-3")), TurnOver),
    ],
    ids=["order", "draw", "grab", "place", "reveal", "hidden"],
)
def test_each_moment_has_its_moves(state: State, allowed: type | tuple[type, ...]) -> None:
    assert all(isinstance(move, allowed) for move in legal(state))
    every = (DealOrder(1, "order-9"), Draw("olive"), Grab(2), Count(1), Place(2, 3), Block(2, 1, 1), Stop(2),
             Reveal("olive"), TurnOver("olive"))  # fmt: skip
    for move in every:
        if not isinstance(move, allowed):
            found = refused(state, move)
            assert found.problem
            assert found.remedy


def test_the_prompt_says_who_does_what() -> None:
    assert GAME.turn(game()).prompt == "Player 1 gets an order card"
    assert GAME.turn(table()).prompt == "Onion is open: grab it, or player 1 counts to 3"
    assert GAME.turn(play(table(), Grab(2))).prompt == "Player 2 puts Onion in its place"


def test_cards_are_conserved_over_a_whole_game() -> None:
    for state, _ in played(4, 11, draw_limit=120):
        assert consistency.first_problem(state) is None


def test_the_situations_orders_are_what_they_are_said_to_be() -> None:
    assert [GAME.components.toppings[order][:4] for order in ORDERS] == [
        ("pepperoni", "mushroom", "olive", "pepper"),
        ("mushroom", "olive", "onion", "tomato"),
        ("pepperoni", "pepper", "tomato", "bacon"),
        ("olive", "onion", "pepper", "pineapple"),
    ]


def test_returned_cards_mixed_with_all_others() -> None:
    """Where nobody can say which face-down card is which: one pool, however cards go back."""
    start = table("? ? ? ? pepperoni ? ? ?", drawer=2, options={"returned_cards": "mixed"})
    after = play(start, Grab(1))
    assert len(after.pools) == 1
    assert after.pile == (Layer(0, start.pile[0].cards + 2 - 1),)
    assert sum(after.pools[0]) == sum(start.pools[0]) + 2
