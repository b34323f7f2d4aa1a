"""Single scenes of SLICE, seen perfectly: what was played, what is wrong, what must be asked."""

import math
from dataclasses import replace

import pytest

from config.loader import load_table
from controller.games.slice import GAME, rules
from controller.games.slice.hands import OPEN_PILE
from controller.games.slice.laid import overlap
from controller.games.slice.rules import Block, DealOrder, Grab, Phase, Place, State, TurnOver
from controller.hands import Lay
from controller.reading import Layout, ReadingKind
from controller.seating import areas
from tests.controller.games.slice.laid_slice import LaidSlice, notation, pose_at
from tests.controller.games.slice.situations import ALL_DOWN, dealt, game, grabbed, play, table
from vision.scene import HiddenCause, HiddenPlace, Pose


def laid(state: State, **under: str) -> LaidSlice:
    return LaidSlice(state).arrange(**under)


# Dealing and drawing --------------------------------------------------------------------------------------------------


def test_orders_are_dealt_when_eight_slices_lie_around_each() -> None:
    scene = LaidSlice(game(3))
    assert "Everybody gets an order card" in scene.unfinished()
    scene.play("P1 gets order-7", steps=0)
    for step in scene.hands._set_up(scene.state, scene.lying()):
        scene.lay(*step.lays)
    assert "Everybody gets an order card" in scene.unfinished()
    for player, order in ((1, "order-7"), (2, "order-3"), (3, "order-22")):
        scene.lay(Lay(f"order/{order}", scene.hands._tables[player], True))
    assert scene.moves() == ["P1 gets order-7", "P2 gets order-3", "P3 gets order-22"]
    assert scene.read().confirm is None


def test_orders_without_their_slices_are_not_dealt_yet() -> None:
    scene = LaidSlice(game(2))
    scene.play("P1 gets order-7", "P2 gets order-3")
    for place in range(1, 6):
        scene.lay(Lay(scene.hands.spots[2, place], None, False))
    assert "eight slices" in scene.unfinished()


def test_a_card_on_the_open_pile_is_drawn() -> None:
    scene = laid(dealt(3), next="olive")
    assert scene.read().kind is ReadingKind.AS_BEFORE
    scene.play("draw olive")
    assert scene.moves() == ["draw olive"]
    assert scene.read().confirm is None


def test_another_card_says_that_nobody_grabbed() -> None:
    scene = laid(table(), next="bacon")
    scene.play("P1 counts", "draw bacon")
    assert scene.moves() == ["P1 counts", "draw bacon"]


def test_a_card_drawn_onto_its_like_needs_the_drawers_button() -> None:
    scene = laid(table(), next="onion")
    assert scene.read().kind is ReadingKind.AS_BEFORE  # where it lies is known from now on
    scene.play("P1 counts", "draw onion")
    reading = scene.read()
    assert (reading.kind, reading.declares) == (ReadingKind.AS_BEFORE, frozenset({1}))
    declared = scene.read(1)
    assert declared.plays[0].probability == 1.0
    assert notation(scene.state, declared.plays[0].moves) == ["P1 counts", "draw onion"]


def test_a_button_alone_does_not_draw() -> None:
    """Who presses without need is asked."""
    scene = laid(table())
    scene.read()
    assert scene.read(1).plays[0].probability < 0.99


# Grabs ----------------------------------------------------------------------------------------------------------------


def test_a_grab_with_one_swap() -> None:
    scene = laid(table(), p2_3="pineapple")
    scene.play("P2 grabs", "P2 fills 3", "reveal pineapple")
    assert scene.moves() == ["P2 grabs", "P2 fills 3", "reveal pineapple"]
    assert scene.read().confirm is None


def test_a_chain_of_swaps_is_one_play() -> None:
    scene = laid(table(), p2_3="tomato", p2_8="combo", p2_1="bacon")
    scene.play("P2 grabs", "P2 fills 3", "reveal tomato", "P2 fills 8", "reveal combo", "P2 fills 1", "reveal bacon")
    read = scene.moves()
    assert read[:2] == ["P2 grabs", "P2 fills 3"]
    assert sorted(read) == sorted(
        ["P2 grabs", "P2 fills 3", "reveal tomato", "P2 fills 8", "reveal combo", "P2 fills 1", "reveal bacon"]
    )


def test_a_chain_that_is_not_at_its_end_waits() -> None:
    scene = laid(table(), p2_3="tomato", p2_8="bacon")
    scene.play("P2 grabs", "P2 fills 3", "reveal tomato", "P2 fills 8", "reveal bacon", steps=1)
    assert scene.unfinished() == "Player 2 turns up the card that was replaced"


def test_a_card_in_a_hand_waits() -> None:
    scene = laid(table(open=["bacon", "onion"]))
    scene.lay(Lay(scene.hands.open[-1], None, True))
    assert scene.read().kind in (ReadingKind.UNFINISHED, ReadingKind.MOVES)
    assert scene.read().confirm == 1  # or bacon was drawn onto it, which only a button tells


def test_what_shows_again_when_the_open_card_is_lifted_was_not_drawn() -> None:
    """Whatever is pressed meanwhile: it lies where it lay when it was the open card."""
    scene = laid(table(), next="bacon")
    assert scene.read().kind is ReadingKind.AS_BEFORE  # where the onion lies is known from now on
    scene.state = scene.play("P1 counts", "draw bacon")
    before, scene.state = scene.state, table()
    assert scene.moves() == ["P1 counts", "draw bacon"]
    scene.state = before
    onion, bacon = scene.hands.open[-2:]
    scene.lay(Lay(bacon, None, True))
    for pressed in ((), (1,), (2,)):
        assert scene.read(*pressed).kind is ReadingKind.UNFINISHED, pressed
    pose = scene.world.pieces[onion].pose
    assert pose is not None
    scene.lay(Lay(onion, replace(pose, x_mm=pose.x_mm + 4.0), True))
    assert scene.moves(1) == ["P1 counts", "draw onion"], "one that lies elsewhere may be another"


def test_a_discarded_card_like_the_one_below_needs_the_button() -> None:
    scene = laid(table(open=["pineapple", "onion"]), p2_3="pineapple")
    scene.play("P2 grabs", "P2 fills 3", "reveal pineapple")
    reading = scene.read()
    assert reading.confirm == 2
    assert scene.moves() == ["P2 grabs", "P2 fills 3", "reveal pineapple"]


def test_what_shows_again_when_a_slice_is_placed_was_not_revealed() -> None:
    """The slice that was replaced is still in the hand; Bacon lies where it lay when it was the open card."""
    scene = laid(table(open=["bacon"]), next="onion", p2_3="pineapple")
    assert scene.read().kind is ReadingKind.AS_BEFORE  # where the bacon lies is known from now on
    after = scene.play("P1 counts", "draw onion")
    assert scene.moves() == ["P1 counts", "draw onion"]
    scene.state = after
    scene.play("P2 grabs", "P2 fills 3", "reveal pineapple", steps=1)
    assert scene.unfinished() == "Player 2 turns up the card that was replaced"
    asked = scene.read(2).plays[0]
    assert notation(scene.state, asked.moves) == ["P2 grabs", "P2 fills 3", "reveal bacon"]
    assert asked.probability < 0.99, "another may lie just as that one did"


def test_a_slice_that_is_turned_up_where_it_lies_was_not_drawn_and_grabbed() -> None:
    """Nothing was laid on the Open Pile: what was drawn, and what it replaced, would have been."""
    scene = laid(table(open=["bacon"]), p2_1="mushroom")
    assert scene.read().kind is ReadingKind.AS_BEFORE  # where the bacon lies is known from now on
    _turn_up(scene, 2, 1)
    for pressed in ((), (2,)):
        reading = scene.read(*pressed)
        assert reading.confirm == 2
        assert max(play.probability for play in reading.plays) < 0.99, pressed


@pytest.mark.parametrize("pressed", [(), (2,)])
def test_a_slice_that_is_turned_up_and_would_fit_may_go_back(pressed: tuple[int, ...]) -> None:
    scene = laid(dealt(3), p2_1="mushroom")
    _turn_up(scene, 2, 1)
    reading = scene.read(*pressed)
    told = reading.fault.refusal.remedy if reading.fault is not None else reading.note
    assert "only turned up goes face down again" in told


@pytest.mark.parametrize(
    ("card", "player", "problem"),
    [
        ("pineapple", 2, "Place 2 of player 2 shows Pineapple, which player 2 does not need: grabbing it burns."),
        ("onion", 2, "Onion does not belong to place 2."),
        ("mushroom", 1, "Player 1 is the Drawer, who may not grab cards."),
    ],
)
def test_nobody_is_said_to_have_grabbed_a_slice_that_may_only_be_turned_up(
    card: str, player: int, problem: str
) -> None:
    scene = laid(dealt(3), **{f"p{player}_2": card})
    _turn_up(scene, player, 2)
    refusal = scene.fault().refusal
    assert refusal.problem == problem
    assert refusal.remedy.endswith("A slice of the own pizza that was only turned up goes face down again.")


def test_a_slice_like_the_open_card_that_is_turned_up_was_not_discarded() -> None:
    scene = laid(table(), p2_3="onion")
    scene.read()
    _turn_up(scene, 2, 3)
    refusal = scene.fault().refusal
    assert "Place 3 of player 2 shows Onion" in refusal.problem
    assert "turned up" in refusal.remedy


def test_a_card_that_is_slid_out_from_under_the_open_one_was_not_drawn_and_grabbed() -> None:
    scene = laid(table(open=["onion", "bacon"]))
    scene.read()
    scene.lay(Lay(scene.hands.spots[2, 3], None, False))
    scene.lay(Lay(scene.hands.open[0], scene.hands._slice_pose((2, 3)), True))
    assert max(play.probability for play in scene.read(2).plays) < 0.99


@pytest.mark.parametrize("cards", [["mushroom", "onion"], ["mushroom", "pepper", "onion"]])
def test_a_passed_over_card_that_is_taken_and_covered_in_one_go_is_asked_about(cards: list[str]) -> None:
    scene = laid(table(open=cards), p2_1="bacon")
    scene.read()
    slid, revealed = scene.hands.open[0], scene.hands.spots[2, 1]
    top = scene.world.pieces[scene.hands.open[-1]].pose
    assert top is not None
    scene.lay(Lay(slid, scene.hands._slice_pose((2, 1)), True))
    scene.lay(Lay(revealed, Pose(top.x_mm + 3, top.y_mm - 2, top.angle_deg + 5), True))
    reading = scene.read()
    assert reading.kind is ReadingKind.MOVES
    assert max(play.probability for play in reading.plays) < 0.99


def _turn_up(scene: LaidSlice, player: int, place: int) -> None:
    piece = scene.hands.spots[player, place]
    scene.lay(Lay(piece, scene.world.pieces[piece].pose, True))


def test_drawn_and_grabbed_before_anybody_looks() -> None:
    scene = laid(table(), next="mushroom", p1_2="bacon")
    scene.state = table(drawer=2)
    scene.play("P2 counts", "draw mushroom", "P1 grabs", "P1 fills 2", "reveal bacon")
    assert scene.moves() == ["P2 counts", "draw mushroom", "P1 grabs", "P1 fills 2", "reveal bacon"]


def test_a_hand_over_a_pizza_makes_wait() -> None:
    scene = laid(table(), p2_3="pineapple")
    scene.play("P2 grabs", "P2 fills 3", "reveal pineapple")
    order = scene.world.pieces["order/order-2"].pose
    assert order is not None
    x, y = order.x_mm, order.y_mm
    hand = ((x - 20.0, y - 20.0), (x + 20.0, y - 20.0), (x + 20.0, y + 20.0), (x - 20.0, y + 20.0))
    seen = replace(scene.scene(), hidden=(HiddenPlace(hand, HiddenCause.HAND),))
    assert scene.table.read(scene.state, seen, scene.layout, frozenset()).kind is not ReadingKind.MOVES


# Burned, finished -----------------------------------------------------------------------------------------------------


def test_who_is_burned_deals_anew_and_presses() -> None:
    scene = laid(table("? ? ? ? pepperoni ? ? ?"))
    scene.state = table("? ? ? ? pepperoni ? ? ?", drawer=2)
    scene.play("P1 grabs")
    assert scene.read().confirm == 1
    assert scene.moves(1) == ["P1 grabs"]


def test_a_burned_pizza_keeps_its_hot_sauce() -> None:
    state = table("? ?! ? ? pepperoni ? ? ?", drawer=2)
    scene = laid(state)
    scene.lay(Lay(scene.hands.sauces[1, 2], None, True))
    scene.play("P1 grabs")
    assert "Hot Sauce" in scene.fault(1).refusal.problem


def test_a_burned_pizza_that_is_kept_is_wrong() -> None:
    scene = laid(table("? ? ? ? pepperoni ? ? ?", drawer=2))
    scene.lay(Lay(scene.hands.open[-1], None, True))
    assert scene.read(1).confirm == 3  # who has nothing face up can have been burned, player 1 cannot


def test_a_card_hidden_on_a_wrong_place_burns_nobody() -> None:
    """All the rest of a pizza with nothing face up looks like one that has burned; the hand takes the card back."""
    scene = laid(table())
    (x, y) = _lay_wrongly(scene)
    assert "does not need it" in scene.fault(3).refusal.problem
    hand = ((x - 30.0, y - 30.0), (x + 30.0, y - 30.0), (x + 30.0, y + 30.0), (x - 30.0, y + 30.0))
    seen = scene.scene()
    rest = tuple(s for s in seen.sightings if math.dist((s.pose.x_mm, s.pose.y_mm), (x, y)) > 1.0)
    for hidden in (HiddenCause.HAND, HiddenCause.FOREIGN):
        halfway = replace(seen, sightings=rest, hidden=(HiddenPlace(hand, hidden),))
        assert scene.table.read(scene.state, halfway, scene.layout, frozenset({3})).kind is not ReadingKind.MOVES


BURNING = table("? ?! ? ? pepperoni ? ? ?", drawer=2, open=["olive", "onion"])
"""Player 1 is about to be burned."""


def test_a_burned_pizza_loses_no_hot_sauce() -> None:
    scene = laid(BURNING)
    scene.lay(Lay(scene.hands.sauces[1, 2], None, True))
    scene.play("P1 grabs")
    refusal = scene.fault(1).refusal
    assert (refusal.heading, refusal.remedy) == ("Getting Burned!", "Hot Sauce stays: put it back on its slice.")


def test_a_burned_pizza_loses_its_hot_sauce_too_with_pizza_reset() -> None:
    scene = laid(table("? ?! ? ? pepperoni ? ? ?", drawer=2, options={"pizza_reset": True}))
    sauce = scene.hands.sauces[1, 2]
    scene.play("P1 grabs")
    scene.lay(Lay(sauce, scene.hands._slice_pose((1, 2)), True))
    refusal = scene.fault(1).refusal
    assert (refusal.heading, refusal.problem) == (
        "Pizza Reset",
        "Place 2 of player 1, who is burned, has its Hot Sauce still.",
    )


def test_who_is_burned_takes_the_whole_open_pile() -> None:
    scene = laid(BURNING)
    olive = scene.hands.open[0]
    scene.play("P1 grabs")
    scene.lay(Lay(olive, OPEN_PILE, True))
    refusal = scene.fault(1).refusal
    assert (refusal.heading, refusal.problem) == ("Getting Burned!", "Player 1 is burned, and Olive lies open.")
    assert "presses before another is drawn" in refusal.remedy


@pytest.mark.parametrize("buttons", [True, False])
def test_a_gap_may_be_of_who_is_burned(buttons: bool) -> None:
    """Player 1 has still to lay a card into it; that player 3, who has nothing face up, is burned would look so too."""
    scene = laid(BURNING)
    scene.layout = replace(scene.layout, buttons=buttons)
    scene.read()
    scene.lay(*(Lay(card, None, True) for card in (*scene.hands.open, scene.hands.spots[1, 5])))
    reading = scene.read()
    assert reading.note == "Place 5 of player 1 is empty."
    assert max(play.probability for play in reading.plays) < 0.99
    assert "new cards face down" in scene.fault(1).refusal.remedy


def _lay_wrongly(scene: LaidSlice) -> tuple[float, float]:
    """The open card goes to a place of player 3; where it lies now."""
    replaced = scene.world.pieces[scene.hands.spots[3, 4]].pose
    assert replaced is not None
    scene.lay(Lay(scene.hands.spots[3, 4], None, True))
    scene.lay(Lay(scene.hands.open[-1], replaced, True))
    return replaced.x_mm, replaced.y_mm


ALMOST = "mushroom olive ? tomato mushroom olive onion tomato"


def test_a_pizza_is_finished_as_it_lies() -> None:
    scene = laid(table(ALL_DOWN, ALMOST), p2_3="bacon")
    scene.state = after = scene.play("P2 grabs", "P2 fills 3")
    assert after.phase is Phase.ORDER
    scene.state = table(ALL_DOWN, ALMOST)
    assert scene.moves() == ["P2 grabs", "P2 fills 3"]
    assert scene.read().confirm is None


@pytest.mark.parametrize("under", [[], ["pineapple"]])
def test_the_card_replaced_last_of_a_finished_pizza_stays_hidden(under: list[str]) -> None:
    scene = laid(table(ALL_DOWN, ALMOST, open=[*under, "onion"]), p2_3="bacon")
    scene.read()
    pile = scene.world.pieces[scene.hands.open[-1]].pose
    scene.lay(*scene.hands._swapped("", (2, 3)).steps[0].lays, Lay(scene.hands.spots[2, 3], pile, True))
    refusal = scene.fault().refusal
    assert refusal.heading == "Finishing a Pizza"
    assert "face down beside the pizza" in refusal.remedy


def test_a_new_order_comes_with_the_hidden_card_and_a_button() -> None:
    scene = laid(table(ALL_DOWN, ALMOST), p2_3="bacon")
    scene.state = scene.play("P2 grabs", "P2 fills 3")
    assert "under the draw pile" in scene.unfinished()
    steps = scene.hands.steps(
        scene.state,
        [GAME.parse(scene.state, "P2 gets order-9"), rules.TurnOver("bacon")],
        scene.lying(),
    )
    for step in steps[:-1]:
        scene.lay(*step.lays)
        scene.unfinished()
    scene.lay(*steps[-1].lays)
    assert scene.read().confirm == 2
    assert scene.moves(2) == ["P2 gets order-9", "hidden bacon"]


# Hot Sauce ------------------------------------------------------------------------------------------------------------


def test_hot_sauce_that_one_player_can_have_put_there() -> None:
    scene = laid(table(open=["onion", "hot-sauce"]))
    scene.play("P2 grabs", "P2 blocks P3 5")
    assert scene.moves() == ["P2 grabs", "P2 blocks P3 5"]
    assert scene.read().confirm is None


def test_hot_sauce_on_the_drawers_pizza_needs_a_button() -> None:
    scene = laid(table(open=["onion", "hot-sauce"]))
    scene.play("P3 grabs", "P3 blocks P1 2")
    reading = scene.read()
    assert reading.confirm is not None
    assert reading.others | {reading.confirm} == {2, 3}
    assert {notation(scene.state, play.moves)[0] for play in reading.plays} == {"P2 grabs", "P3 grabs"}
    assert scene.moves(3) == ["P3 grabs", "P3 blocks P1 2"]


def test_hot_sauce_that_was_not_seen_on_the_open_pile_needs_a_button() -> None:
    """It may be the own slice of player 2, turned up where it lay."""
    scene = laid(table(), p2_2="hot-sauce")
    _turn_up(scene, 2, 2)
    assert scene.read().confirm == 3
    assert scene.moves(3) == ["P1 counts", "draw hot-sauce", "P3 grabs", "P3 blocks P2 2"]
    scene.layout = replace(scene.layout, buttons=False)
    assert max(play.probability for play in scene.read().plays) < 0.99


def test_hot_sauce_out_of_the_own_pizza_that_is_used_at_once_is_not_taken_for_anothers() -> None:
    scene = laid(table(), p2_3="hot-sauce")
    scene.play("P2 grabs", "P2 fills 3", "reveal hot-sauce")
    scene.lay(Lay(scene.hands.open[-1], scene.hands._slice_pose((1, 5)), True))
    assert scene.read().confirm == 3
    fault = scene.fault(2)
    assert (fault.refusal.heading, fault.player) == ("If you grab a card", 2)
    assert "for others to grab" in fault.refusal.remedy


def test_hot_sauce_that_went_where_some_lies_is_asked_for_when_somebody_presses() -> None:
    """A second Hot Sauce looks like the first; all that is seen is that the card is gone from the Open Pile."""
    scene = laid(table(ALL_DOWN, "? ? ?! ? ? ? ? ?"), next="hot-sauce")
    scene.read()  # where the onion lies is known from now on
    drawn = scene.play("P1 counts", "draw hot-sauce")
    assert scene.moves() == ["P1 counts", "draw hot-sauce"]
    scene.state = drawn
    scene.lay(Lay(scene.hands.open[-1], scene.hands._slice_pose((2, 3)), True))
    assert scene.read().kind is ReadingKind.UNFINISHED
    assert scene.read().fault is None, "nobody says to be done"
    reading = scene.read(3)
    assert reading.kind is ReadingKind.UNFINISHED
    assert reading.fault is not None
    assert "face-down slice of another player" in reading.fault.refusal.problem


def test_a_slice_removes_hot_sauce() -> None:
    scene = laid(table(ALL_DOWN, "? ? ?! ? ? ? ? ?", open=["bacon", "onion"]))
    scene.play("P2 grabs", "P2 frees 3")
    assert scene.moves() == ["P2 grabs", "P2 frees 3"]


@pytest.mark.parametrize("card", ["tomato", "combo"])
def test_what_removed_hot_sauce_shows_under_it(card: str) -> None:
    scene = laid(table(ALL_DOWN, "? ? ? ?! ? ? ? ?"), p2_3=card)
    scene.play("P2 grabs", "P2 fills 3", f"reveal {card}", "P2 frees 4")
    scene.eyes.doubt[scene.hands.open[-2]] = ((f"slice/{card}", 0.78),)  # as surely as vision says of half a card
    assert scene.moves() == ["P2 grabs", "P2 fills 3", f"reveal {card}", "P2 frees 4"]


def test_what_removes_hot_sauce_does_not_fill_the_place() -> None:
    scene = laid(table(ALL_DOWN, "? ? ?! ? ? ? ? ?"))
    sauce, pile = scene.hands.sauces[2, 3], scene.world.pieces[scene.hands.open[-1]].pose
    scene.lay(*scene.hands._swapped("", (2, 3)).steps[0].lays, Lay(sauce, pile, True))
    refusal = scene.fault().refusal
    assert refusal.heading == "Hot Sauce Cards"
    assert refusal.problem == "Place 3 of player 2 is blocked, so its slice stays face down there."
    assert "Hot Sauce on top" in refusal.remedy


def test_hot_sauce_that_is_gone_and_not_on_the_open_pile() -> None:
    """What lies on the Open Pile lay there before; Hot Sauce did not."""
    scene = laid(table(ALL_DOWN, "? ? ?! ? ? ? ? ?", open=["onion", "bacon"]))
    scene.lay(Lay(scene.hands.sauces[2, 3], None, True))
    fault = scene.fault()
    assert (fault.refusal.heading, fault.player) == ("Hot Sauce Cards", 2)
    assert fault.refusal.problem.startswith("The Hot Sauce on place 3 of player 2 is gone")
    assert "lay" not in fault.refusal.remedy


def test_hot_sauce_that_is_taken_away_while_the_card_that_removes_it_lies_untouched_is_asked_about() -> None:
    scene = laid(table(ALL_DOWN, "? ? ?! ? ? ? ? ?"))
    assert scene.read().kind is ReadingKind.AS_BEFORE  # where the onion lies is known from now on
    onion = scene.world.pieces[scene.hands.open[-1]].pose
    scene.lay(Lay(scene.hands.sauces[2, 3], None, True))
    assert max(play.probability for play in scene.read().plays) < 0.99
    assert onion is not None
    scene.lay(Lay(scene.hands.open[-1], pose_at(onion, 4.0, 0.0), True))
    reading = scene.read()
    assert notation(scene.state, reading.plays[0].moves) == ["P2 grabs", "P2 frees 3", "draw onion"]
    assert reading.plays[0].probability < 0.99, "it may be the one that removed the Hot Sauce, put over it"


def test_what_removed_hot_sauce_is_asked_where_it_is_covered() -> None:
    scene = laid(table(ALL_DOWN, "? ? ? ?! ? ? ? ?"), p2_3="tomato")
    scene.play("P2 grabs", "P2 fills 3", "reveal tomato", "P2 frees 4")
    sauce, card = scene.hands.open[-1], scene.hands.open[-2]
    pose = scene.world.pieces[card].pose
    scene.lay(Lay(sauce, pose, True))
    reading = scene.read()
    assert reading.kind is ReadingKind.MOVES
    assert reading.plays[0].probability < 0.99
    revealed = {notation(scene.state, play.moves)[2] for play in reading.plays}
    assert revealed == {"reveal tomato", "reveal combo"}


# What is wrong --------------------------------------------------------------------------------------------------------


def test_the_drawer_may_not_grab() -> None:
    scene = laid(table(drawer=2))
    scene.lay(*scene.hands._swapped("", (2, 3)).steps[0].lays)
    fault = scene.fault()
    assert (fault.refusal.heading, fault.player) == ("Important Note", 2)


def test_a_slice_on_a_wrong_place() -> None:
    scene = laid(table())
    scene.lay(*scene.hands._swapped("", (2, 1)).steps[0].lays)
    fault = scene.fault()
    assert "place 1" in fault.refusal.problem
    assert "3, 7" in fault.refusal.remedy


def test_a_card_that_is_not_needed_burns() -> None:
    scene = laid(table())
    scene.lay(*scene.hands._swapped("", (3, 1)).steps[0].lays)  # no onion on player 3's order
    fault = scene.fault()
    assert fault.refusal.heading == "Getting Burned!"


@pytest.mark.parametrize(("player", "place"), [(3, 1), (1, 2), (2, 3)])
def test_a_card_that_was_passed_over_burns_nobody(player: int, place: int) -> None:
    """Hot Sauce lay on it until player 2 grabbed that, who draws next."""
    scene = laid(play(table(open=["bacon", "onion", "hot-sauce"]), Grab(2), Block(2, 1, 1)))
    scene.read()
    scene.lay(*scene.hands._swapped("", (player, place)).steps[0].lays)
    refusal = scene.fault().refusal
    assert refusal.problem == "Onion was passed over: only the card put last on the Open Pile may be grabbed."
    assert "Put it back on the Open Pile" in refusal.remedy


@pytest.mark.parametrize(
    "state",
    [
        play(table(ALL_DOWN, "? ? ?! ? ? ? ? ?"), Grab(2), Place(2, 3)),
        grabbed(table(options={"revealed_hot_sauce": "discard"}), 2, 3, "hot-sauce"),
    ],
    ids=["removed", "revealed"],
)
def test_discarded_hot_sauce_that_somebody_uses_is_refused_by_its_rule(state: State) -> None:
    scene = laid(state)
    scene.lay(Lay(scene.hands.open[-1], scene.hands._slice_pose((1, 5)), True))
    refusal = scene.fault(3).refusal
    assert refusal.heading == "Hot Sauce Cards"
    assert "discarded" in refusal.problem
    assert "cannot be used by other players" in refusal.problem


def test_two_players_who_finished_a_pizza_grabs_the_own_hidden_card() -> None:
    seven = "pepperoni mushroom olive pepper pepperoni mushroom olive ?"
    finished = play(table(seven, players=2, drawer=2, open=["pepper"]), Grab(1), Place(1, 8))
    scene = laid(play(finished, DealOrder(1, "order-3"), TurnOver("onion")), p1_2="tomato")
    scene.play("P1 grabs", "P1 fills 2", "reveal tomato")
    assert scene.moves(1) == ["P1 grabs", "P1 fills 2", "reveal tomato"]


def test_a_useful_card_may_not_be_discarded() -> None:
    scene = laid(table(open=["bacon", "onion"]), p2_3="tomato")
    scene.lay(*scene.hands._swapped("", (2, 3)).steps[0].lays)
    piece = scene.hands.spots[2, 3]
    scene.lay(Lay(piece, scene.world.pieces[scene.hands.open[0]].pose, True))
    fault = scene.fault()
    assert "can be used by player 2" in fault.refusal.problem


def test_a_card_that_peeps_out_far_from_the_top_one_is_of_the_pile() -> None:
    """What joins them is covered by the top one, but for a strip that tells nothing."""
    scene = laid(table(open=["hot-sauce", "onion", "bacon"]))
    lowest, between, top = scene.hands.open[-3:]
    pile = scene.world.pieces[top].pose
    assert pile is not None
    for card, off_mm in ((lowest, -46.0), (between, 0.0), (top, 12.0)):
        scene.lay(Lay(card, Pose(pile.x_mm, off_mm, 90.0), True))
    scene.eyes.doubt[between] = ()
    seen = [s for s in scene.scene().sightings if s.face_up and abs(s.pose.x_mm - pile.x_mm) < 2.0]
    assert [s.face for s in seen] == ["slice/hot-sauce", "slice/bacon"]
    assert not overlap(seen[0].outline_mm, seen[1].outline_mm)
    assert scene.read().fault is None


def test_a_card_beside_the_piles() -> None:
    scene = laid(table(), next="bacon")
    pile = scene.world.pieces[scene.hands.open[-1]].pose
    assert pile is not None
    scene.lay(Lay(scene.hands.pile[0], pose_at(pile, 0.0, 75.0), True))
    assert "beside" in scene.fault().refusal.problem


@pytest.mark.parametrize(("pizza", "place"), [("? ? onion ? ? ? ? ?", 3), ("? ? ? ?! ? ? ? ?", 4)])
def test_hot_sauce_only_on_free_face_down_slices(pizza: str, place: int) -> None:
    scene = laid(table(ALL_DOWN, pizza, open=["bacon", "hot-sauce"]))
    scene.lay(Lay(scene.hands.open[-1], scene.hands._slice_pose((2, place)), True))
    assert scene.fault(3).refusal.heading == "Hot Sauce Cards"


def test_hot_sauce_on_the_pizza_of_the_only_player_who_may_grab_it() -> None:
    scene = laid(grabbed(table(players=2), 2, 3, "hot-sauce"))
    scene.lay(Lay(scene.hands.open[-1], scene.hands._slice_pose((1, 1)), True))
    refusal = scene.fault().refusal
    assert refusal.problem == "Hot Sauce does not go on one's own pizza."
    assert "another player" in refusal.remedy


def test_a_slice_that_is_turned_down() -> None:
    scene = laid(table(ALL_DOWN, "? ? onion ? ? ? ? ?"))
    scene.lay(Lay(scene.hands.spots[2, 3], scene.hands._slice_pose((2, 3)), False))
    fault = scene.fault()
    assert "is gone" in fault.refusal.problem
    assert fault.player == 2


def test_another_order_amid_a_pizza() -> None:
    scene = laid(table())
    scene.lay(Lay("order/order-2", None, True), Lay("order/order-20", scene.hands._tables[2], True))
    fault = scene.fault()
    assert fault.player == 2
    assert "order 20" in fault.refusal.problem


@pytest.mark.parametrize("by_deg", [45.0, -45.0, 90.0, 180.0])
def test_an_order_card_that_is_turned_is_turned_back(by_deg: float) -> None:
    """The slices lie as they lay: nobody is told to take one away."""
    scene = laid(table(ALL_DOWN, "? olive onion ?! ? ? ? ?"))
    order = scene.world.pieces["order/order-2"].pose
    assert order is not None
    scene.lay(Lay("order/order-2", replace(order, angle_deg=(order.angle_deg + by_deg) % 360.0), True))
    fault = scene.fault()
    assert fault.refusal.problem == "The order card of player 2 is turned, or the slices around it are."
    assert [scene.scene().sightings[index].face for index in fault.sightings] == ["order/order-2"]


def test_an_order_that_is_covered() -> None:
    scene = laid(table())
    scene.lay(Lay("order/order-2", None, True))
    assert not scene.fault().certain


def test_while_an_order_is_covered_the_game_goes_on() -> None:
    # Somebody's order card cannot be seen, in a lamp's mirror image say: nobody else stops drawing and grabbing.
    scene = laid(dealt(3), next="olive")
    assert scene.read().kind is ReadingKind.AS_BEFORE
    order = scene.world.pieces["order/order-1"].pose
    scene.lay(Lay("order/order-1", None, True))
    assert "order card of player 1" in scene.fault().refusal.problem
    scene.play("draw olive")
    assert scene.moves() == ["draw olive"]
    scene.lay(Lay("order/order-1", order, True))
    assert scene.moves() == ["draw olive"]


def test_slices_lie_around_an_order_that_is_covered() -> None:
    scene = laid(table(), p2_3="pineapple")
    assert scene.read().kind is ReadingKind.AS_BEFORE
    scene.lay(Lay("order/order-2", None, True))
    scene.play("P2 grabs", "P2 fills 3", "reveal pineapple")
    assert scene.moves() == ["P2 grabs", "P2 fills 3", "reveal pineapple"]


# Doubt ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("told", "is_read"), [(0.42, True), (0.2, False)])
def test_slices_around_it_tell_a_doubtful_order_card(told: float, is_read: bool) -> None:
    scene = laid(table(ALL_DOWN, ALMOST), p2_3="bacon")
    scene.state = scene.play("P2 grabs", "P2 fills 3")
    moves = [GAME.parse(scene.state, "P2 gets order-9"), rules.TurnOver("bacon")]
    for step in scene.hands.steps(scene.state, moves, scene.lying()):
        scene.lay(*step.lays)
    scene.eyes.doubt["order/order-9"] = (("order/order-9", told),)
    if is_read:
        assert scene.moves(2)[0] == "P2 gets order-9"
    else:
        assert scene.read(2).kind is not ReadingKind.MOVES


def test_a_doubtful_card_is_told_by_the_rules() -> None:
    """What is on the place may be bacon or tomato; only one of them can have got there."""
    scene = laid(table(open=["bacon", "onion"]), p2_3="pineapple")
    scene.play("P2 grabs", "P2 fills 3", "reveal pineapple")
    scene.eyes.doubt[scene.hands.spots[2, 3]] = (("slice/onion", 0.5), ("slice/bacon", 0.45))
    assert scene.moves() == ["P2 grabs", "P2 fills 3", "reveal pineapple"]


def test_a_doubtful_drawn_card_is_asked() -> None:
    scene = laid(table(), next="bacon")
    scene.play("P1 counts", "draw bacon")
    scene.eyes.doubt[scene.hands.open[-1]] = (("slice/bacon", 0.6), ("slice/tomato", 0.35))
    reading = scene.read()
    assert reading.kind is ReadingKind.MOVES
    assert reading.plays[0].probability < 0.99
    assert {play.differs for play in reading.plays} == {("bacon",), ("tomato",)}


def test_a_place_where_nothing_is_seen_says_nothing() -> None:
    scene = laid(table(), next="bacon")
    scene.eyes.doubt[scene.hands.spots[3, 3]] = ()
    assert "Place 3 of player 3 is empty" in scene.unfinished()
    scene.play("P1 counts", "draw bacon")
    assert scene.moves() == ["P1 counts", "draw bacon"]


@pytest.mark.parametrize(("place", "is_asked"), [(3, True), (1, True), (None, False)])
def test_a_card_that_may_lie_where_nothing_is_seen_any_more_is_asked_about(place: int | None, is_asked: bool) -> None:
    """A lamp that is switched on takes a place of player 2 from the camera; the open onion belongs to the third, and
    onto the first one may have been put that was drawn on it unseen."""
    scene = laid(table(), next="bacon")
    assert scene.read().kind is ReadingKind.AS_BEFORE
    if place is not None:
        scene.eyes.doubt[scene.hands.spots[2, place]] = ()
    scene.play("P1 counts", "draw bacon")
    drawn = scene.read().plays[0]
    assert notation(scene.state, drawn.moves) == ["P1 counts", "draw bacon"]
    assert (drawn.probability < 0.9) is is_asked
    scene.eyes.doubt = {}
    assert scene.moves() == ["P1 counts", "draw bacon"]


def test_areas_of_empty_seats_do_not_move_a_pizza() -> None:
    """Whose order card it is follows from where it lies, however few sit there."""
    scene = laid(table(players=2))
    layout = Layout(areas(load_table([]), scene.seats))
    assert layout.areas == scene.layout.areas
    assert scene.read().kind is ReadingKind.AS_BEFORE
