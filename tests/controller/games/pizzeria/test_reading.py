"""What single scenes of Pizzeria say: what New York Slice has as well is tested there, here is what is its own."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from controller.games.pizzeria import headings, rules
from controller.games.pizzeria.rules import (
    ChoosePile,
    Decide,
    Divide,
    DrawSlice,
    EatKind,
    EatSaved,
    MoveSlice,
    Phase,
    Redraw,
    Reveal,
    State,
    Take,
    TakeSlice,
    TakeWithoutB,
)
from controller.games.pizzeria.table import GAME_TABLE
from controller.hands import Lay
from controller.reading import Fault, Layout, Reading, ReadingKind
from tests.controller.games.known import known
from tests.controller.games.pizzeria.situations import (
    RING,
    advanced,
    divided,
    game,
    having,
    in_round,
    late_a,
    owning,
    play,
    quarters,
    served,
)
from tests.controller.laid_table import LaidWorld
from vision.scene import FaceLikelihood, Pose


class Situation:
    """A state, laid as it says."""

    def __init__(self, state: State, seed: int = 1) -> None:
        self.state = state
        options = {"advanced": state.options.advanced, "solo": state.options.solo}
        self.world = LaidWorld(state.players, seed, "pizzeria", options)
        self.world.arrange(state)
        self.layout = Layout(self.world.areas)

    def read(self, *pressed: int) -> Reading:
        return GAME_TABLE.read(self.state, self.world.scene(), self.layout, frozenset(pressed))

    def moves(self, *pressed: int) -> tuple[rules.Move, ...]:
        """The only play that fits."""
        reading = self.read(*pressed)
        assert reading.kind is ReadingKind.MOVES, (reading.kind, reading.note, reading.fault)
        assert reading.plays[0].probability > 0.99, reading.plays
        moves: tuple[rules.Move, ...] = reading.plays[0].moves
        return moves

    def fault(self, *pressed: int) -> Fault:
        reading = self.read(*pressed)
        assert reading.kind is ReadingKind.FAULT, (reading.kind, reading.note, reading.plays)
        assert reading.fault is not None
        assert reading.fault.refusal.remedy
        return reading.fault

    def heading(self, *pressed: int) -> str:
        return self.fault(*pressed).refusal.heading

    def unfinished(self, *pressed: int) -> str:
        reading = self.read(*pressed)
        assert reading.kind is ReadingKind.UNFINISHED, (reading.kind, reading.fault, reading.plays)
        return reading.note

    def pull_out(self, *faces: str, by_mm: float = 30.0) -> None:
        """Pull slices away from the pizza's middle, those of a portion side by side."""
        angles = [math.radians(self.world.pose(face).angle_deg) for face in faces]
        direction = math.atan2(sum(map(math.sin, angles)), sum(map(math.cos, angles)))
        for face in faces:
            self.world.move(face, by_mm * math.cos(direction), by_mm * math.sin(direction))

    def made(self, *moves: rules.Move) -> tuple[rules.Move, ...]:
        """What is read when the hands carry these moves out and who made the last one presses."""
        self.world.play(self.state, *moves)
        return self.moves(getattr(moves[-1], "player", 0))


def chosen(special: str = rules.OFFER_G, players: int = 4) -> State:
    """The pizza is sliced, the offer lies with portion B."""
    return quarters(served(advanced(players), special=special))


# Every phase, left alone ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [
        game(),
        advanced(),
        served(game()),
        served(advanced()),
        quarters(served(game())),
        chosen(),
        having(owning(served(advanced()), 3, rules.OFFER_L), 3, "4/2 3/3 mixed-5-7", "6/2"),
        play(in_round(advanced(), 4), ChoosePile(4), Reveal(RING, rules.OFFER_E)),
    ],
)
def test_what_lies_as_the_state_says_is_as_before(state: State) -> None:
    situation = Situation(state)
    for pressed in ((), range(1, state.players + 1)):
        reading = situation.read(*pressed)
        assert reading.kind is ReadingKind.AS_BEFORE or state.phase is Phase.REDRAW, (reading.fault, reading.note)


@pytest.mark.parametrize(("start", "is_told"), [(game(), False), (advanced(), True)])
def test_offer_e_is_spoken_of_only_where_there_are_offers(start: State, is_told: bool) -> None:
    situation = Situation(served(start))
    situation.state = quarters(situation.state)
    refusal = situation.fault().refusal
    assert "belong to two portions" in refusal.problem
    assert ("offer E" in refusal.remedy) == is_told


# Pizza is served! -----------------------------------------------------------------------------------------------------


def test_a_pizza_is_served_without_an_offer() -> None:
    situation = Situation(game())
    assert situation.made(ChoosePile(1), Reveal(RING))[0] == ChoosePile(1)
    assert set(known(Reveal, situation.moves()[1]).ring) == set(RING)


def test_a_pizza_is_served_with_its_offer() -> None:
    situation = Situation(advanced())
    made = situation.made(ChoosePile(1), Reveal(RING, rules.OFFER_K))
    assert known(Reveal, made[1]).special == rules.OFFER_K
    situation.world.remove(rules.OFFER_K)
    assert situation.unfinished() == "Turn up the special offer of this pile."


def test_there_are_no_offers_in_the_basic_variant() -> None:
    situation = Situation(game())
    situation.world.play(advanced(), ChoosePile(1), Reveal(RING, rules.OFFER_K))
    assert situation.heading() == headings.OFFERS


def test_slices_of_other_games_are_not_served() -> None:
    situation = Situation(game(4))
    situation.world.play(game(3), ChoosePile(1), Reveal(("3/1", *RING[1:])))
    assert "does not belong in a game of 4" in situation.fault().refusal.problem


def test_an_offer_that_may_not_appear_is_replaced() -> None:
    state = play(advanced(), ChoosePile(1), Reveal(RING, rules.OFFER_A))
    assert state.phase is Phase.REDRAW
    situation = Situation(state)
    assert "cannot be used now" in situation.unfinished()
    assert situation.made(Redraw(rules.OFFER_H)) == (Redraw(rules.OFFER_H),)


def redrawing() -> Situation:
    """Offer A came up in the first round and still lies there."""
    return Situation(play(advanced(), ChoosePile(1), Reveal(RING, rules.OFFER_A)))


def test_an_offer_that_gives_way_is_put_away_wherever_it_lies() -> None:
    situation = redrawing()
    situation.world.flip(rules.OFFER_A)
    asked = "Offer A cannot be used now: put it away and turn up another one."
    assert situation.unfinished() == asked
    situation.world.flip(rules.OFFER_A)
    situation.world.give(1, rules.OFFER_A)
    assert situation.unfinished() == asked
    situation.world.lay(Lay(rules.OFFER_H, Pose(0, -172, 0), True))
    assert situation.unfinished() == "Put offer A away: it cannot be used now."
    situation.world.remove(rules.OFFER_A)
    assert situation.moves() == (Redraw(rules.OFFER_H),)


def test_a_pile_that_is_being_turned_up_may_lie_face_down() -> None:
    for where in (None, Pose(0, 0, 0)):
        situation = Situation(having(game(), 1, "9/1", "11/2"))
        situation.world.play(situation.state, ChoosePile(1), Reveal(RING))
        situation.world.remove("7/1", "7/2")
        if where is None:
            situation.world.give(1, "7/1", face_up=False)
        else:
            situation.world.lay(Lay("7/1", where, False))
        reading = situation.read()
        assert "9 of 11 slices lie face up in the circle" in reading.note
        assert reading.fault is None


def test_a_slice_turned_up_in_front_of_a_player_goes_into_the_circle() -> None:
    situation = Situation(game())
    situation.world.play(situation.state, ChoosePile(1), Reveal(RING))
    situation.world.give(1, "7/1")
    refusal = situation.fault().refusal
    assert refusal.heading == headings.SERVED
    assert "in the circle" in refusal.remedy


@pytest.mark.parametrize("special_in", [None, 1, 3])
def test_slicing(special_in: int | None) -> None:
    state = served(game() if special_in is None else advanced())
    situation = Situation(state)
    portions = (state.ring[:2], state.ring[2:3], state.ring[3:8], state.ring[8:])
    divide = Divide(1, portions, special_in)
    situation.world.play(state, divide)
    assert situation.read().confirm == 1
    assert play(state, *situation.moves(1)) == play(state, divide)


# Bon appétit! ---------------------------------------------------------------------------------------------------------


def test_eating_needs_basil() -> None:
    situation = Situation(chosen())
    situation.world.play(situation.state, Take(2, 0), Decide(2, frozenset({"7/1"})))
    assert situation.moves(2) == (Take(2, 0), Decide(2, frozenset({"7/1"})))
    situation.world.flip("2/1")
    assert situation.heading(2) == headings.TOMATO_PIZZA


def test_the_offer_belongs_to_its_portion() -> None:
    situation = Situation(chosen())
    situation.world.give(2, *situation.state.portions[1].slices)
    assert "still has to take offer G" in situation.unfinished()
    assert situation.heading(2) == headings.BON_APPETIT


def test_saved_slices_are_not_eaten_later() -> None:
    situation = Situation(having(chosen(), 2, "6/3"))
    situation.world.play(situation.state, Take(2, 0), Decide(2, frozenset()))
    situation.world.flip("6/3")
    assert situation.heading(2) == headings.EATING


def test_two_players_choose_twice() -> None:
    ring = ("2/1", "7/1", "7/2", "11/1", "11/10", "4/1", "mixed-9-11", "9/2", "9/9", "5/1", "6/1")
    state = quarters(served(game(2), ring))
    after = play(state, Take(2, 0), Decide(2, frozenset()), Take(1, 1), Decide(1, frozenset()))
    situation = Situation(after)
    assert situation.made(Take(2, 2), Decide(2, frozenset({"9/2"}))) == (Take(2, 2), Decide(2, frozenset({"9/2"})))


def test_who_takes_before_the_player_before_has_pressed_need_not_lay_it_back() -> None:
    situation = Situation(chosen())
    portions = [portion.slices for portion in situation.state.portions]
    situation.world.play(situation.state, Take(2, 0), Decide(2, frozenset({"7/2"})))
    situation.world.give(3, portions[2][0])
    assert "until player 2 has decided" in situation.fault().refusal.remedy
    assert situation.fault(3).player == 3
    assert situation.moves(2) == (Take(2, 0), Decide(2, frozenset({"7/2"})))
    situation.world.give(3, *portions[2])
    assert situation.moves(2) == (Take(2, 0), Decide(2, frozenset({"7/2"})))
    situation.world.lay(Lay("6/3", Pose(0, 0, 0), False))
    assert "face down" in situation.fault(2).refusal.problem
    situation.world.remove("6/3")
    situation.world.give(4, portions[3][0])
    assert situation.fault(2).player == 3
    situation.world.remove(portions[3][0])
    assert situation.read(2).kind is ReadingKind.FAULT


def test_two_players_take_in_turn_without_laying_back() -> None:
    ring = ("2/1", "7/1", "7/2", "11/1", "11/10", "4/1", "mixed-9-11", "9/2", "9/9", "5/1", "6/1")
    situation = Situation(quarters(served(game(2), ring)))
    situation.world.give(2, *situation.state.portions[0].slices)
    situation.world.give(1, *situation.state.portions[1].slices)
    assert situation.moves(2) == (Take(2, 0), Decide(2, frozenset()))
    situation.state = play(situation.state, *situation.moves(2))
    assert situation.moves(1) == (Take(1, 1), Decide(1, frozenset()))


# Special offers -------------------------------------------------------------------------------------------------------


def test_offer_a_eats_what_was_saved_before_and_lies_face_down() -> None:
    situation = Situation(having(in_round(chosen(rules.OFFER_G), 1), 2, "6/3 5/3"))
    state = replace(having(chosen(), 2, "6/3 5/3"), special=rules.OFFER_A, round=2, slicer=1)
    situation = Situation(state)
    eats = Decide(2, frozenset({"6/3", "5/3", "11/1"}))
    assert situation.made(Take(2, 1), eats) == (Take(2, 1), eats)
    situation.world.flip("special/back") if "special/back" in situation.world.lying() else None
    situation.world.flip(rules.OFFER_A)
    assert "Turn it face down" in situation.unfinished()


def test_offer_a_unused_stays_face_up() -> None:
    state = replace(having(chosen(), 2, "6/3 5/3"), special=rules.OFFER_A, round=2, slicer=1)
    situation = Situation(state)
    assert situation.made(Take(2, 1), Decide(2, frozenset())) == (Take(2, 1), Decide(2, frozenset()))
    situation.world.flip(rules.OFFER_A)
    assert situation.heading(2) == headings.OFFER_A


def test_offer_a_turned_down_alone_says_how_it_is_used() -> None:
    portions = ("2/1 7/1 7/2", "11/1 11/10 4/1 mixed-9-11 9/2", "9/9 5/1 6/1", "")
    state = replace(divided(served(advanced()), *portions, special_in=3), special=rules.OFFER_A, round=2, slicer=1)
    situation = Situation(having(state, 2, "6/3 5/3"))
    situation.world.give(2, rules.OFFER_A, face_up=False)
    assert "turn one or two slices saved before face down as well" in situation.unfinished()
    assert situation.heading(2) == headings.OFFER_A
    situation.world.flip("6/3")
    assert situation.moves(2) == (Take(2, 3), Decide(2, frozenset({"6/3"})))


def test_offer_a_is_used_after_its_owners_decision() -> None:
    situation = Situation(late_a())
    situation.world.flip(rules.OFFER_A)
    assert situation.unfinished() == (
        "Player 2 plays offer A: turn one or two slices saved before face down as well, or turn it face up again."
    )
    assert situation.heading(2) == headings.OFFER_A
    situation.world.flip("5/1")
    eats = EatSaved(2, frozenset({"5/1"}))
    reading = situation.read()
    assert (situation.moves(), reading.confirm) == ((eats,), 2)
    situation.world.play(situation.state, Take(3, 0), Decide(3, frozenset()))
    assert situation.moves() == (eats,)  # the next player's portion waits
    situation.state = play(situation.state, eats)
    assert situation.moves() == (Take(3, 0), Decide(3, frozenset()))


def test_offer_a_is_used_while_the_next_player_eats_after_that_is_laid_face_up() -> None:
    situation = Situation(late_a())
    takes = Take(3, 2), Decide(3, frozenset({"6/1"}))
    situation.world.play(situation.state, *takes)
    assert situation.moves(3) == takes
    situation.world.flip(rules.OFFER_A)
    situation.world.flip("5/1")
    refusal = situation.fault().refusal
    assert refusal.problem == "Player 2 plays offer A, and what player 3 eats lies face down already."
    assert refusal.remedy == "Player 3 lays that face up until player 2 has eaten and pressed the button."
    situation.world.flip("6/1")
    assert situation.moves(2) == (EatSaved(2, frozenset({"5/1"})),)


def test_who_presses_for_a_portion_before_offer_a_is_used_need_not_press_again() -> None:
    situation = Situation(late_a())
    situation.world.flip(rules.OFFER_A)
    situation.world.flip("5/1")
    situation.world.play(situation.state, Take(3, 0), Decide(3, frozenset()))
    reading = situation.read(1, 2, 3)
    assert (reading.confirm, reading.unanswered) == (2, frozenset({3}))


def test_offer_a_has_to_lie_face_down_to_eat_saved_slices_later() -> None:
    situation = Situation(late_a())
    situation.world.flip("5/1")
    assert "Special offer A has been used and lies face up. Turn it face down" in situation.unfinished()
    situation.world.flip(rules.OFFER_A)
    situation.world.flip("5/2")
    assert situation.moves() == (EatSaved(2, frozenset({"5/1", "5/2"})),)
    situation.world.flip("11/1")
    assert situation.fault().refusal.problem.startswith("3 slices saved before would be eaten")


def test_offer_a_laid_by_hands_is_read() -> None:
    eats = EatSaved(2, frozenset({"5/2", "11/1"}))
    assert Situation(late_a()).made(eats) == (eats,)


def test_saved_slices_turned_over_before_a_portion_is_taken_may_not_be_eaten() -> None:
    situation = Situation(having(chosen(rules.OFFER_H), 2, "6/3 5/3"))
    situation.world.flip("6/3")
    assert "turned Slice 6 face down" in situation.fault().refusal.problem


def test_what_is_still_wrong_with_a_portion_taken_is_named() -> None:
    state = replace(having(chosen(), 2, "6/3 5/3"), special=rules.OFFER_A, round=2, slicer=1)
    situation = Situation(state)
    situation.world.play(state, Take(2, 1), Decide(2, frozenset({"6/3"})))
    situation.world.flip(rules.OFFER_A)
    assert "Special offer A has been used and lies face up. Turn it face down" in situation.unfinished()


@pytest.mark.parametrize(("offer", "use"), [(rules.OFFER_C, "stays face up"), (rules.OFFER_G, "at the end")])
def test_an_offer_taken_face_down_says_when_it_is_used(offer: str, use: str) -> None:
    portions = ("2/1 7/1 7/2", "11/1 11/10 4/1 mixed-9-11 9/2", "9/9 5/1 6/1", "")
    situation = Situation(divided(served(advanced(), special=offer), *portions, special_in=3))
    situation.world.give(2, offer, face_up=False)
    assert use in situation.fault(2).refusal.remedy


def test_offer_b_shows_the_slice_first_and_needs_no_button_for_it() -> None:
    situation = Situation(chosen(rules.OFFER_B))
    draws = (Take(2, 1), DrawSlice("10/1"))
    situation.state = chosen(rules.OFFER_B)
    drawn = "4/4"
    draws = (Take(2, 1), DrawSlice(drawn))
    situation.world.play(situation.state, *draws)
    reading = situation.read()
    assert reading.confirm is None
    assert situation.moves() == draws
    after = play(situation.state, *draws)
    situation.world.play(after, Decide(2, frozenset({drawn})))
    situation.state = after
    assert situation.moves(2) == (Decide(2, frozenset({drawn})),)


def test_offer_b_all_in_one_go_is_decided_by_the_button() -> None:
    situation = Situation(chosen(rules.OFFER_B))
    situation.world.play(situation.state, Take(2, 1), DrawSlice("4/4"))
    situation.world.flip("11/1")
    assert situation.moves() == (Take(2, 1), DrawSlice("4/4"))
    assert situation.moves(2) == (Take(2, 1), DrawSlice("4/4"), Decide(2, frozenset({"11/1"})))


def test_offer_b_asks_for_the_slice_and_for_its_face() -> None:
    situation = Situation(chosen(rules.OFFER_B))
    situation.world.play(situation.state, Take(2, 1), DrawSlice("4/4"))
    situation.world.flip("4/4")
    assert "face up first" in situation.unfinished()
    assert situation.heading(2) == headings.OFFER_B
    situation.world.remove("4/4")
    assert "one of the three slices" in situation.unfinished()
    assert situation.heading(2) == headings.OFFER_B


def test_offer_b_does_not_hide_that_a_slice_of_the_portion_is_left() -> None:
    situation = Situation(chosen(rules.OFFER_B))
    situation.world.play(situation.state, Take(2, 1), DrawSlice("4/4"))
    situation.world.lay(Lay("11/1", Pose(-60, 0, 180), True))
    assert situation.unfinished() == "Player 2 still has to take 11."
    assert "is not one portion" in situation.fault(2).refusal.problem


def test_offer_b_is_gone_without_where_the_host_rules_so() -> None:
    situation = Situation(chosen(rules.OFFER_B))
    situation.world.play(situation.state, TakeWithoutB(2, 1), Decide(2, frozenset({"11/1"})))
    assert "Who goes without says so to the host" in known(Fault, situation.read(2).fault).refusal.remedy
    situation.state = play(situation.state, TakeWithoutB(2, 1))
    assert situation.moves(2) == (Decide(2, frozenset({"11/1"})),)


def test_offer_b_is_turned_face_down_when_its_slice_is_known() -> None:
    situation = Situation(chosen(rules.OFFER_B))
    draws = (Take(2, 1), DrawSlice("4/4"))
    situation.world.play(situation.state, *draws)
    situation.world.flip(rules.OFFER_B)
    assert situation.moves() == draws
    situation.state = play(situation.state, *draws)
    situation.world.flip("4/4")
    assert "Turn it face down" in situation.unfinished()
    assert situation.heading(2) == headings.OFFERS
    situation.world.flip(rules.OFFER_B)
    assert situation.moves(2) == (Decide(2, frozenset({"4/4"})),)


@pytest.mark.parametrize("kind", [4, 11, 6])
def test_offer_c_lies_against_its_kind(kind: int) -> None:
    situation = Situation(having(chosen(rules.OFFER_C), 2, "6/3 6/4"))
    moves = (Take(2, 1), Decide(2, frozenset(), kind))
    assert situation.made(*moves) == moves


def away_from_slices(situation: Situation, player: int) -> None:
    """Offer C lies in this player's area and touches nothing."""
    areas = situation.world.areas[player]
    bottom, left = min((min(y for _, y in area), min(x for x, _ in area)) for area in areas)
    situation.world.lay(Lay(rules.OFFER_C, Pose(left + 40, bottom + 30, 0.0), True))


def test_offer_c_has_to_be_put_on_a_kind() -> None:
    situation = Situation(chosen(rules.OFFER_C))
    situation.world.play(situation.state, Take(2, 1), Decide(2, frozenset(), None))
    away_from_slices(situation, 2)
    assert "Lay offer C against the saved slices" in situation.unfinished()
    assert situation.heading(2) == headings.OFFER_C
    situation.state = play(situation.state, Take(2, 1))  # as the host rules, so that it goes on nothing
    assert situation.heading(2) == headings.OFFER_C
    situation.state = play(situation.state, Decide(2, frozenset()))
    assert situation.read(2).kind is ReadingKind.AS_BEFORE


def test_offer_c_that_is_pushed_to_another_kind_later_is_told_of() -> None:
    situation = Situation(having(chosen(rules.OFFER_C), 2, "6/3 6/4"))
    moves = (Take(2, 1), Decide(2, frozenset(), 6))
    assert situation.made(*moves) == moves
    situation.state = play(situation.state, *moves)
    assert situation.read().note == ""
    beside = situation.world.pose("11/1")
    situation.world.lay(Lay(rules.OFFER_C, Pose(beside.x_mm, beside.y_mm + 30, 0.0), True))
    reading = situation.read()
    assert reading.kind is ReadingKind.AS_BEFORE
    assert reading.note.endswith(
        "Player 2's offer C lies on the 6s and is not moved to another kind: lay it back against them."
    )


def test_two_slices_of_a_kind_are_asked_about_in_words_that_differ() -> None:
    situation = Situation(having(chosen(), 2, "6/3 5/3"))
    situation.world.play(situation.state, Take(2, 0), Decide(2, frozenset({"7/1"})))
    scene = situation.world.scene()
    doubt = (FaceLikelihood("7/2", 0.5), FaceLikelihood("7/1", 0.5))
    seen = tuple(replace(one, faces=doubt) if one.face == "7/2" else one for one in scene.sightings)
    reading = GAME_TABLE.read(situation.state, replace(scene, sightings=seen), situation.layout, frozenset())
    texts = [one.text for one in reading.plays]
    assert len(texts) == len(set(texts)) == 2
    assert any("7/1: " in text and "basil" in text for text in texts)


def test_offer_c_is_put_on_nothing_by_who_has_saved_nothing() -> None:
    portions = ("2/1 7/1 7/2", "11/1", "11/10 4/1 mixed-9-11 9/2", "9/9 5/1 6/1")
    situation = Situation(divided(served(advanced(), special=rules.OFFER_C), *portions, special_in=1))
    moves = (Take(2, 1), Decide(2, frozenset({"11/1"}), None))
    assert situation.made(*moves) == moves


def test_offer_c_between_two_kinds_is_asked_about() -> None:
    situation = Situation(chosen(rules.OFFER_C))
    situation.world.play(situation.state, Take(2, 1), Decide(2, frozenset(), 4))
    card = situation.world.pose(rules.OFFER_C)
    side = min(x for x, _ in situation.world.areas[2][0]) + 60
    y, angle = situation.world.pose("4/1").y_mm, situation.world.pose("4/1").angle_deg
    for face, x in (("4/1", side), ("11/1", side + 66), ("11/10", side + 130)):
        situation.world.lay(Lay(face, Pose(x, y, angle), True))
    situation.world.lay(Lay(rules.OFFER_C, Pose(side + 33, card.y_mm, card.angle_deg), True))
    plays = situation.read(2).plays
    assert {play.moves[-1].kind for play in plays} >= {4, 11}
    assert plays[0].probability < 0.9


def test_offer_d_takes_a_slice_before_slicing() -> None:
    situation = Situation(owning(served(advanced()), 3, rules.OFFER_D))
    assert situation.made(TakeSlice(3, "11/1", True)) == (TakeSlice(3, "11/1", True),)
    situation.world.flip(rules.OFFER_D)
    assert "turn offer D face down" in situation.unfinished()


def test_offer_d_takes_one_slice_that_can_be_seen() -> None:
    situation = Situation(owning(served(advanced()), 3, rules.OFFER_D))
    situation.world.flip(rules.OFFER_D)
    situation.world.remove("11/1")
    assert "Slice 11 cannot be seen" in situation.fault().refusal.problem
    situation.world.give(3, "11/1", "7/1")
    assert "offer D brings one slice" in situation.fault(3).refusal.problem
    assert situation.heading(3) == headings.OFFER_D


def test_a_gap_that_offer_d_left_is_spoken_of_where_it_counts_as_a_cut() -> None:
    state = owning(served(advanced()), 3, rules.OFFER_D)
    situation = Situation(state)
    situation.world.play(state, TakeSlice(3, "11/1", False))
    situation.state = play(state, TakeSlice(3, "11/1", False))
    for group in ("7/1 7/2 11/10 4/1", "mixed-9-11 9/2", "9/9 5/1", "6/1 2/1"):
        situation.pull_out(*group.split())
    assert situation.fault(1).refusal.problem == "Too many portions: 5 instead of 4."
    assert "gap" in situation.fault(1).refusal.remedy


def test_an_offer_that_makes_a_portion_too_many_or_too_few_is_named() -> None:
    state = served(advanced())
    situation = Situation(state)
    situation.world.play(state, Divide(1, (RING[:3], RING[3:6], RING[6:8], RING[8:]), 1))
    situation.world.lay(Lay(rules.OFFER_G, Pose(-180, 150, 0), True))
    assert "lies apart and counts as a portion" in situation.fault(1).refusal.remedy
    situation = Situation(state)
    for group in (RING[:3], RING[3:6], RING[6:]):
        situation.pull_out(*group)
    at = situation.world.pose(RING[4])
    situation.world.lay(Lay(rules.OFFER_G, at, True))
    assert situation.fault(1).refusal.problem == "Too few portions: 3 instead of 4."
    assert "that is a portion by itself lies apart" in situation.fault(1).refusal.remedy


def test_who_slices_and_owns_offer_d_is_not_to_ask_anybody() -> None:
    turn = rules.turn(owning(served(advanced()), 1, rules.OFFER_D))
    assert turn.prompt == "Player 1 slices the pizza into 4 portions, and may first use offer D"


def test_offer_e_moves_a_slice_and_offer_f_comes_first() -> None:
    state = owning(chosen(), 3, rules.OFFER_E, rules.OFFER_F)
    situation = Situation(state)
    moves = (MoveSlice(3, "7/2", 1), Take(3, 1), Decide(3, frozenset()))
    assert situation.made(*moves) == moves
    situation = Situation(state)
    situation.world.give(3, *state.portions[0].slices)
    assert situation.heading(3) == headings.BON_APPETIT
    assert "Turn offer F face down" in situation.fault(3).refusal.remedy


def test_who_would_be_first_waits_for_offer_f() -> None:
    situation = Situation(owning(chosen(), 3, rules.OFFER_F))
    situation.world.give(2, *situation.state.portions[0].slices)
    situation.world.flip(rules.OFFER_F)
    assert situation.fault().refusal.problem == "Player 3 has played offer F and chooses before player 2."


@pytest.mark.parametrize("offer", [rules.OFFER_G, rules.OFFER_D, rules.OFFER_J])
def test_offers_are_not_used_at_the_wrong_time(offer: str) -> None:
    situation = Situation(owning(chosen(), 3, offer))
    situation.world.flip(offer)
    assert situation.heading() == {rules.OFFER_D: headings.OFFER_D, rules.OFFER_J: headings.OFFER_J}.get(
        offer, headings.OFFERS
    )


def last_meal() -> State:
    state = having(owning(in_round(advanced(), 4), 2, rules.OFFER_J), 2, "7/1 7/2 5/1")
    return replace(state, phase=Phase.EAT_KIND, stacks=())


def test_offer_j_eats_a_kind() -> None:
    situation = Situation(last_meal())
    assert situation.made(EatKind(2, 7)) == (EatKind(2, 7),)
    situation.world.flip("7/1")
    assert "player 2 has Slice 7 face up still. Turn every 7 face down" in situation.unfinished()
    assert situation.heading(2) == headings.OFFER_J


@pytest.mark.parametrize("turned", [("7/1", "7/2", "5/1"), ("7/1", "5/1"), ("mixed-5-7",), ("7/1", "7/2", "mixed-5-7")])
def test_offer_j_eats_slices_of_one_kind(turned: Sequence[str]) -> None:
    situation = Situation(having(last_meal(), 2, "7/1 7/2 5/1 mixed-5-7"))
    for piece in (rules.OFFER_J, *turned):
        situation.world.flip(piece)
    assert situation.heading(2) == headings.OFFER_J
    assert "offer J eats slices of one kind" in situation.fault(2).refusal.problem


def test_offer_j_is_declined_by_the_button() -> None:
    reading = Situation(last_meal()).read(2)
    assert reading.kind is ReadingKind.AS_BEFORE
    assert reading.declares == {2}
    assert reading.plays[0].moves == (EatKind(2, None),)


# Solo -----------------------------------------------------------------------------------------------------------------


def solo(players: Sequence[int] = (1, 2)) -> State:
    return game(len(players), first=2, solo=True)


def test_the_house_is_moved_and_confirmed_by_its_guest() -> None:
    state = served(solo())
    situation = Situation(state)
    assert GAME_TABLE.lamps(state) == {1}
    divide = next(iter(rules.legal(state)))
    house = replace(state, options=replace(state.options, solo=False))
    situation.world.play(house, divide)
    assert "Solo" in situation.heading(1)
    from controller.games.pizzeria import solo as house_rules

    situation = Situation(state)
    cut = house_rules.house_moves(state)[0]
    situation.world.play(house, cut)
    assert situation.read().confirm == 1
    assert play(state, *situation.moves(1)) == play(state, cut)


def test_the_house_takes_what_its_rules_say() -> None:
    state = divided(
        served(game(2, first=1, solo=True)), "2/1 7/1 7/2", "11/1 11/10 4/1", "mixed-9-11 9/2", "9/9 5/1 6/1"
    )
    assert state.order[0] == 2
    situation = Situation(state)
    house = replace(state, options=replace(state.options, solo=False))
    situation.world.play(house, Take(2, 2), Decide(2, frozenset()))
    assert situation.heading(1) == headings.SOLO
    assert "Here it takes the 2 slice (Tomato), the 7 slice" in situation.fault(1).refusal.remedy
    situation = Situation(state)
    situation.world.play(house, Take(2, 0), Decide(2, frozenset({"7/1"})))
    assert "Here it eats nothing." in situation.unfinished()
    situation = Situation(state)
    situation.world.play(house, Take(2, 0), Decide(2, frozenset()))
    assert situation.moves(1) == (Take(2, 0), Decide(2, frozenset()))


def test_nobody_is_asked_whether_the_house_uses_offer_j() -> None:
    state = having(owning(in_round(game(2, advanced=True, solo=True), 4), 2, rules.OFFER_J), 2, "7/1 7/2")
    situation = Situation(replace(state, phase=Phase.EAT_KIND, stacks=()))
    assert situation.read().confirm is None
    assert situation.moves() == (EatKind(2, None),)
