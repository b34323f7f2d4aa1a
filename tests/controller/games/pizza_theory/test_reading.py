"""What single scenes of Pizza Theory say: in each phase as before, unfinished, a move, and each breach."""

import pytest

from controller.games.pizza_theory import GAME, headings, rules
from controller.games.pizza_theory.rules import Phase, State
from controller.reading import ReadingKind
from tests.controller.games.pizza_theory.laid_pizza import LaidPizza
from tests.controller.games.pizza_theory.situations import EXAMPLE, at, play
from vision.scene import EMPTY

START = GAME.start(3, {}, 1)
TWO = GAME.start(2, {}, 1)


def added(state: State = START) -> State:
    """All have added a topping."""
    while state.phase is Phase.ADD:
        state = GAME.apply(state, next(GAME.legal(state)))
    return state


def laid(state: State, seed: int = 1) -> LaidPizza:
    return LaidPizza(state, seed).arrange()


# Every phase, left alone ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [
        START,
        TWO,
        GAME.start(3, {}, 2),
        added(),
        added(TWO),
        play(added(TWO), "die 4"),
        at(**EXAMPLE),
        at(round=2),
        at(2, round=3),
    ],
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_lies_as_the_state_says_is_as_before(state: State, seed: int) -> None:
    pizza = laid(state, seed)
    assert pizza.as_before()


def test_places_and_faces_are_named() -> None:
    pizza = laid(at(**EXAMPLE))
    pizza.eyes.doubt["f5"] = (("red", 0.4), ("green", 0.6))
    reading = pizza.read()
    named = dict(zip(reading.places, reading.faces, strict=True))
    assert named["board"] == "board"
    assert named["space/f5"] == "red"
    assert named["space/d6"] == "white"
    assert {place for place in reading.places if place.startswith("line/")} == {
        "line/1st/5",
        "line/2nd/6",
        "line/3rd/4",
    }


# Setup ----------------------------------------------------------------------------------------------------------------


def test_the_pizza_is_to_be_laid_first() -> None:
    assert "Lay the Pizza" in LaidPizza(START).unfinished()


def test_start_toppings_are_to_be_laid() -> None:
    pizza = laid(START)
    pizza.clear("c2")
    assert "red" in pizza.unfinished(1)


def test_the_pizza_is_to_be_turned_at_the_start() -> None:
    pizza = laid(START)
    pizza.turn(120.0)
    assert "1st faces player 1" in pizza.unfinished()


def test_who_adds_before_all_is_laid_is_told_what_is_still_to_be_laid() -> None:
    pizza = laid(START)
    pizza.clear("e5")
    pizza.play("P1 adds d4")
    assert pizza.unfinished(1) == "Still to lay on the X spaces: white at the 3rd"
    pizza.top("white", "g4")
    assert pizza.fault(1).refusal.pieces == ("e5", "g4")
    pizza.clear("g4")
    pizza.top("white", "e5")
    assert pizza.moves() == ["P1 adds d4"]


def test_a_first_topping_on_another_space_than_its_x_space_is_set_up_wrongly() -> None:
    pizza = laid(START)
    pizza.clear("c2")
    pizza.top("red", "c1")
    refusal = pizza.fault().refusal
    assert refusal.heading == headings.SETUP
    assert refusal.remedy == "Lay it on c2: the X spaces at the 1st are for red."


def test_players_who_have_taken_each_others_colour_are_told_whose_side_is_whose() -> None:
    pizza = laid(START)
    for red, green in (("c2", "b3"), ("e2", "c5")):
        pizza.clear(red)
        pizza.clear(green)
        pizza.top("green", red)
        pizza.top("red", green)
    refusal = pizza.fault().refusal
    assert refusal.heading == headings.SETUP
    assert refusal.remedy == "Lay a green one there: the X spaces at the 2nd are for green."


def test_a_cutter_that_lies_there_while_the_pizza_is_laid_is_taken_off() -> None:
    pizza = laid(START)
    pizza.clear("c2")
    pizza.cutter(1, 3)
    assert pizza.fault().refusal.remedy.startswith("Take it off the Pizza.")


def test_two_players_who_sit_otherwise_are_told_how_to_play_so() -> None:
    beside = {1: 1, 2: 6}
    assert LaidPizza(TWO, seats=beside).unfinished().endswith("start anew with the option second_sits, right.")
    pizza = LaidPizza(TWO, seats=beside).arrange()
    pizza.clear("e5")
    pizza.top("green", "e5")
    assert "second_sits, right" in pizza.fault().refusal.remedy
    pizza = LaidPizza(TWO, seats=beside).arrange()
    pizza.play("P1 adds d4")
    assert pizza.read().note == "Player 1 (with red) adds a topping on d4"
    pizza.cutter(1, 3)
    assert "second_sits" not in pizza.fault().refusal.remedy
    assert "second_sits" not in LaidPizza(TWO, seats={1: 1, 2: 4}).unfinished()
    seated = GAME.start(2, {"second_sits": "right"}, 1)
    assert "second_sits" not in LaidPizza(seated, seats=beside).unfinished()
    pizza = LaidPizza(seated, seats=beside).arrange()
    assert pizza.as_before()
    pizza.turn(120.0)
    assert "1st faces player 1" in pizza.unfinished()


def test_the_first_topping_shows_with_everything_laid_at_once() -> None:
    pizza = LaidPizza(START)
    pizza.play("P1 adds d4")
    assert pizza.moves() == ["P1 adds d4"]


# Add Toppings ---------------------------------------------------------------------------------------------------------


def test_an_added_topping_waits_for_its_players_button() -> None:
    pizza = laid(START)
    pizza.play("P1 adds d4")
    assert pizza.moves() == ["P1 adds d4"]
    assert pizza.read().confirm == 1


def test_the_next_player_need_not_wait() -> None:
    pizza = laid(START)
    pizza.play("P1 adds d4", "P2 adds a1")
    assert pizza.moves() == ["P1 adds d4", "P2 adds a1"]
    assert pizza.read().confirm == 2


def test_a_topping_of_two_likely_colours_is_of_who_may_add() -> None:
    pizza = laid(START)
    pizza.top("red", "d4")
    pizza.eyes.doubt["d4"] = (("white", 0.5), ("red", 0.45))
    assert pizza.moves() == ["P1 adds d4"]


def test_a_topping_that_is_more_likely_not_there_is_asked_about() -> None:
    pizza = laid(START)
    pizza.eyes.doubt["d4"] = ((EMPTY, 0.4), ("red", 0.55))
    reading = pizza.read(1)
    assert reading.kind is ReadingKind.MOVES
    assert 0.5 < reading.plays[0].probability < 0.99


def test_two_spaces_that_may_have_it_are_asked_about() -> None:
    pizza = laid(START)
    for space in ("d4", "a1"):
        pizza.eyes.doubt[space] = ((EMPTY, 0.5), ("red", 0.5))
    reading = pizza.read(1)
    assert reading.kind is ReadingKind.MOVES
    assert {play.differs for play in reading.plays} == {("d4/red",), ("a1/red",)}
    assert reading.plays[0].probability < 0.6


def test_who_presses_is_asked_where_the_next_player_may_have_added_as_well() -> None:
    pizza = laid(START)
    pizza.play("P1 adds d4")
    pizza.eyes.doubt["a1"] = (("green", 0.55), (EMPTY, 0.44))
    reading = pizza.read()
    assert reading.plays[0].moves[1:] == (rules.Add(2, "a1"),)
    assert (reading.confirm, set(reading.others)) == (2, {1})
    reading = pizza.read(1)
    assert (reading.confirm, set(reading.others)) == (1, {2})
    assert reading.plays[0].probability < 0.9
    pizza.eyes.doubt.clear()
    pizza.play("P1 adds d4", "P2 adds a1")
    assert (pizza.read(1).confirm, pizza.read(1).others) == (2, frozenset())


def test_a_space_under_a_hand_says_nothing() -> None:
    pizza = laid(START)
    pizza.play("P1 adds d4")
    pizza.eyes.doubt["d4"] = ()
    assert pizza.as_before(1)
    pizza.eyes.doubt["c2"] = ()
    del pizza.eyes.doubt["d4"]
    assert pizza.moves() == ["P1 adds d4"]


def without_space(number: int) -> State:
    """A position in which this player is to add a topping and has no space."""
    others = {"red": ["a1"], "green": ["g1"], "white": ["g4"]}
    own = START.options.colours[number - 1]
    toppings = others | {own: ["b2", "b4", "d2", "d5", "f2", "f4", "d7"]}
    fills = next(name for name in toppings if name != own)
    state = at(next=number, toppings=toppings)
    while free := rules.available(state, number):
        toppings[fills].append(free[0])
        state = at(next=number, toppings=toppings)
    return state


def test_a_doubtful_topping_may_lie_where_nothing_is_seen_instead() -> None:
    pizza = laid(play(START, "P1 adds a1", "P2 adds g1"))
    pizza.play("P3 adds d4", "P1 cuts 5", "P2 cuts 6", "P3 cuts 4")
    pizza.eyes.doubt = {"d4": (), "a2": ((EMPTY, 0.35), ("white", 0.64))}
    reading = pizza.read(1)
    assert reading.kind is ReadingKind.MOVES
    assert reading.plays[0].probability < 0.8
    pizza.eyes.doubt = {"a2": (), "a4": ()}
    assert pizza.moves()[0] == "P3 adds d4"


def test_who_has_no_space_presses() -> None:
    reading = laid(without_space(1)).read()
    assert reading.kind is ReadingKind.AS_BEFORE
    assert reading.declares == {1}
    assert [GAME.format(without_space(1), move) for move in reading.plays[0].moves] == ["P1 passes"]
    assert reading.note == "Player 1 (with red) has no space for a topping: press to go on"


def test_nobody_waits_for_the_button_of_who_has_no_space() -> None:
    pizza = laid(without_space(3))
    pizza.cutter(1, 3)
    assert pizza.unfinished() == "Still to lay: the green cutter and the white cutter"
    assert pizza.fault(1).refusal.heading == headings.CUT_PIZZA
    assert pizza.read(3).declares == {3}
    pizza.cutter(2, 4)
    pizza.cutter(3, 1, of=1)
    assert "along a line of the 1st" in pizza.unfinished()
    pizza.cutter(3, 1)
    assert pizza.moves() == ["P3 passes", "P1 cuts 3", "P2 cuts 4", "P3 cuts 1"]


@pytest.mark.parametrize(
    ("colour", "space", "heading", "words"),
    [
        ("red", "c1", headings.ADD_TOPPINGS, "next to"),
        ("green", "d4", headings.ADD_TOPPINGS, "turn"),
        ("white", "d4", headings.ADD_TOPPINGS, "turn"),
    ],
)
def test_a_topping_that_may_not_lie_there(colour: str, space: str, heading: str, words: str) -> None:
    pizza = laid(START)
    pizza.top(colour, space)
    fault = pizza.fault()
    assert fault.refusal.heading == heading
    assert words in fault.refusal.problem
    assert fault.refusal.pieces == (space,)
    assert [pizza.scene().sightings[i].face for i in fault.sightings] == [colour]


def test_who_is_to_add_first_may_have_done_so_where_nothing_is_seen() -> None:
    pizza = laid(START)
    pizza.play("P1 adds d4", "P2 adds a1")
    pizza.eyes.doubt["d4"] = ()
    fault = pizza.fault(2)
    assert fault.refusal.pieces == ("a1",)
    assert not fault.certain


def test_two_toppings_at_once() -> None:
    pizza = laid(START)
    pizza.top("red", "d4")
    pizza.top("red", "a1")
    assert pizza.fault(1).refusal.heading == headings.ADD_TOPPINGS


def test_a_topping_that_went_is_missed() -> None:
    pizza = laid(START)
    pizza.play("P1 adds d4")
    pizza.state = play(START, "P1 adds d4")
    pizza.clear("c2")
    assert pizza.fault().refusal.pieces == ("c2",)


def test_a_topping_pushed_to_another_space_is_laid_back() -> None:
    pizza = laid(play(START, "P1 adds d4"))
    pizza.clear("c2")
    pizza.top("red", "c1")
    fault = pizza.fault()
    assert "c2 lies on c1" in fault.refusal.problem
    assert fault.refusal.pieces == ("c2", "c1")


def test_a_topping_on_top_of_another_is_no_replacing() -> None:
    pizza = laid(play(START, "P1 adds d4"))
    pizza.clear("d4")
    pizza.top("green", "d4")
    refusal = pizza.fault(2).refusal
    assert refusal.heading == headings.ADD_TOPPINGS
    assert "empty spaces" in refusal.remedy


def test_a_turned_pizza_is_to_be_turned_back() -> None:
    pizza = laid(play(START, "P1 adds d4"))
    pizza.turn(-120.0)
    assert "1st" in pizza.fault().refusal.remedy


def test_a_cutter_too_early() -> None:
    pizza = laid(START)
    pizza.cutter(2, 3)
    fault = pizza.fault()
    assert fault.refusal.heading == headings.CUT_PIZZA
    assert fault.refusal.pieces == ("cutter/green",)


def test_no_pizza_is_no_rule_broken_for_sure() -> None:
    pizza = laid(play(START, "P1 adds d4"))
    for name, lies in pizza.lying().items():
        if lies.pose:
            pizza.world.put(name, None, True)
    assert not pizza.fault().certain


# Unselected Color's Turn ----------------------------------------------------------------------------------------------


def test_the_unselected_cutter_says_what_was_rolled() -> None:
    pizza = laid(added(TWO))
    pizza.play("die 4")
    assert pizza.moves() == ["die 4"]
    assert pizza.read().confirm == 1


def test_cutter_and_topping_of_the_unselected_colour_in_one() -> None:
    pizza = laid(added(TWO))
    rolled = play(pizza.state, "die 4")
    space = rules.touching(rolled)[0]
    pizza.play("die 4", f"P1 places {space}")
    assert pizza.moves() == ["die 4", f"P1 places {space}"]


def test_an_unselected_topping_away_from_its_cutter() -> None:
    pizza = laid(play(added(TWO), "die 1"))
    taken = {space for spaces in pizza.state.toppings for space in spaces} | set(rules.touching(pizza.state))
    pizza.top("white", next(space for space in pizza.state.options.components.spaces if space not in taken))
    fault = pizza.fault()
    assert fault.refusal.heading == headings.UNSELECTED_TURN
    assert "does not touch" in fault.refusal.problem


def test_the_unselected_cutter_on_another_line_than_it_was() -> None:
    pizza = laid(play(added(TWO), "die 4"))
    pizza.cutter(3, 2)
    assert "line 4" in pizza.fault().refusal.remedy
    assert "on line 2" in pizza.fault().refusal.problem
    pizza.cutter(3, 5, aside=0.5)
    assert pizza.fault().refusal.problem == "The white cutter lies between two lines."


def test_an_unselected_topping_before_its_turn() -> None:
    pizza = laid(TWO)
    pizza.top("white", "d4")
    assert pizza.fault().refusal.heading == headings.UNSELECTED_TURN


# Cut Pizza ------------------------------------------------------------------------------------------------------------


def test_cuts_count_when_all_lie() -> None:
    pizza = laid(added())
    pizza.cutter(1, 5)
    assert pizza.unfinished() == "Still to lay: the green cutter and the white cutter"
    assert pizza.fault(1).refusal.problem == "The green and white cutters lie on no line."
    pizza.cutter(3, 4)
    assert "green" in pizza.unfinished()
    assert pizza.fault(1).refusal.pieces == ("cutter/green",)
    pizza.cutter(2, 6)
    assert pizza.moves() == ["P1 cuts 5", "P2 cuts 6", "P3 cuts 4"]
    assert pizza.read().confirm == 1


def test_cuts_that_nobody_has_confirmed_count_while_toppings_are_replaced() -> None:
    pizza = laid(at(**EXAMPLE))
    steps = list(pizza.hands.steps(pizza.state, [rules.Replace(1)], pizza.lying()))
    pizza.state = at(phase="cut", toppings=EXAMPLE["toppings"])
    for step in steps[:-4]:
        pizza.lay(*step.lays)
        assert pizza.moves() == ["P1 cuts 5", "P2 cuts 6", "P3 cuts 4"]
        assert pizza.read().confirm == 1
    pizza.clear("a1")
    assert pizza.fault(1).refusal.pieces == ("a1",)
    for step in steps[-4:]:
        pizza.lay(*step.lays)
    refusal = pizza.fault(1).refusal
    assert set(refusal.pieces) == {"b2", "d6", "f2", "g4"}
    assert "each cutter on its line" in refusal.remedy


def test_who_has_replaced_all_before_the_cuts_were_read_goes_on_by_the_hosts_ruling() -> None:
    pizza = laid(at(**EXAMPLE))
    pizza.play("P1 replaces")
    pizza.state = at(phase="cut", toppings=EXAMPLE["toppings"])
    told = 'Or the host rules what each die showed, as "P1 cuts 1", "P2 cuts 2" and "P3 cuts 3"'
    assert told in pizza.fault(1).refusal.remedy
    pizza.state = play(pizza.state, "P1 cuts 5")
    assert 'as "P2 cuts 1" and "P3 cuts 2"' in pizza.fault(1).refusal.remedy
    pizza.state = play(pizza.state, "P2 cuts 6", "P3 cuts 4")
    assert pizza.moves(1) == ["P1 replaces"]


def test_a_pizza_turned_before_the_cuts_were_read_is_told_of_with_the_hosts_way() -> None:
    pizza = laid(added())
    pizza.turn(-120.0)
    assert "Or the host rules what each die showed" in pizza.fault().refusal.remedy


def test_two_players_cut_beside_the_unselected_cutter() -> None:
    pizza = laid(play(added(TWO), "die 4"))
    space = rules.touching(pizza.state)[0]
    pizza.state = play(pizza.state, f"P1 places {space}")
    pizza.top("white", space)
    pizza.cutter(1, 1)
    pizza.cutter(2, 6)
    assert pizza.moves() == ["P1 cuts 1", "P2 cuts 6"]


def test_a_cutter_of_doubtful_colour_is_that_of_its_side() -> None:
    pizza = laid(added())
    for number, line in enumerate((5, 6, 4), start=1):
        pizza.cutter(number, line)
    pizza.eyes.cutters["white"] = (("green", 0.6), ("white", 0.3))
    assert pizza.moves() == ["P1 cuts 5", "P2 cuts 6", "P3 cuts 4"]


def test_a_cutter_between_two_lines_is_asked_about() -> None:
    pizza = laid(added())
    pizza.cutter(1, 5, aside=0.5)
    pizza.cutter(2, 6)
    pizza.cutter(3, 4)
    reading = pizza.read(1)
    assert reading.kind is ReadingKind.MOVES
    assert len(reading.plays) == 2
    assert reading.plays[0].probability < 0.99
    assert {play.differs[0][:11] for play in reading.plays} == {"cutter/red/"}


def test_a_cutter_a_little_beside_its_line_is_on_it() -> None:
    pizza = laid(added())
    pizza.cutter(1, 5, aside=0.2)
    pizza.cutter(2, 6, aside=-0.2)
    pizza.cutter(3, 4)
    assert pizza.moves() == ["P1 cuts 5", "P2 cuts 6", "P3 cuts 4"]


def test_a_cutter_along_the_lines_of_another() -> None:
    pizza = laid(added())
    pizza.cutter(1, 5, of=2)
    pizza.cutter(2, 6)
    pizza.cutter(3, 4)
    reading = pizza.read()
    assert reading.kind is ReadingKind.UNFINISHED
    fault = pizza.fault(1)
    assert fault.refusal.heading == headings.CUT_PIZZA
    assert "2nd" in fault.refusal.problem
    assert fault.refusal.pieces == ("cutter/red",)


def test_a_topping_while_cutting() -> None:
    pizza = laid(added())
    free = rules.available(pizza.state, 1)[0]
    pizza.top("red", free)
    assert pizza.fault().refusal.pieces == (free,)
    assert pizza.fault().refusal.remedy.startswith("Take it back.")


# Replace Toppings, Rotate the Pizza -----------------------------------------------------------------------------------


def test_all_replaced_and_turned_is_the_next_round() -> None:
    pizza = laid(at(**EXAMPLE))
    after = pizza.play("P1 replaces")
    assert pizza.moves() == ["P1 replaces"]
    pizza.state = after
    assert pizza.as_before()


def test_the_next_player_adds_before_the_round_is_confirmed() -> None:
    pizza = laid(at(**EXAMPLE))
    pizza.play("P1 replaces", "P2 adds c3")
    assert pizza.moves(1) == ["P1 replaces", "P2 adds c3"]
    assert pizza.read(1).confirm == 2


def test_cuts_of_the_next_round_are_confirmed_by_its_first_player() -> None:
    pizza = laid(at(**EXAMPLE))
    after = play(pizza.state, "P1 replaces")
    texts = ["P1 replaces"]
    while after.phase is Phase.ADD:
        texts.append(GAME.format(after, next(GAME.legal(after))))
        after = play(after, texts[-1])
    texts += ["P1 cuts 2", "P2 cuts 3", "P3 cuts 5"]
    pizza.play(*texts)
    assert sorted(pizza.moves()) == sorted(texts)
    assert pizza.read().confirm == 2


def test_what_is_still_to_be_done_is_said() -> None:
    pizza = laid(at(**EXAMPLE))
    steps = list(pizza.hands.steps(pizza.state, [GAME.parse(pizza.state, "P1 replaces")], pizza.lying()))
    notes = []
    for step in steps:
        notes.append(pizza.read().note)
        pizza.lay(*step.lays)
    assert notes[1].startswith("Still to do: ")
    assert "cutters" in notes[-4]
    assert "Turn the Pizza" in notes[-1]
    assert pizza.moves() == ["P1 replaces"]


def test_pressing_before_all_is_replaced() -> None:
    pizza = laid(at(**EXAMPLE))
    steps = list(pizza.hands.steps(pizza.state, [GAME.parse(pizza.state, "P1 replaces")], pizza.lying()))
    headings_of = []
    for step in steps[:-1]:
        pizza.lay(*step.lays)
        headings_of.append(pizza.fault(1).refusal.heading)
    assert headings_of[0] == headings.REPLACE_TOPPINGS
    assert headings_of[-1] == headings.ROTATE_PIZZA


def test_a_wrong_colour_is_named() -> None:
    pizza = laid(at(**EXAMPLE))
    pizza.clear("b2")
    pizza.top("red", "b2")
    assert pizza.read().kind is ReadingKind.UNFINISHED
    fault = pizza.fault(1)
    assert fault.refusal.heading == headings.REPLACE_TOPPINGS
    assert fault.refusal.pieces == ("b2",)


def test_a_topping_added_too_early_is_taken_back() -> None:
    pizza = laid(at(**EXAMPLE))
    pizza.top("green", "c3")
    refusal = pizza.fault(1).refusal
    assert refusal.pieces == ("c3",)
    assert refusal.problem == "Green lies on c3 now."
    assert refusal.remedy.startswith("Take it back")


def test_turned_the_wrong_way() -> None:
    pizza = laid(at(**EXAMPLE))
    pizza.play("P1 replaces")
    pizza.turn(-120.0)
    refusal = pizza.fault(1).refusal
    assert refusal.heading == headings.ROTATE_PIZZA
    assert refusal.remedy == "Turn the Pizza clockwise until its 1st faces player 2."


def test_the_end_needs_no_more_toppings_than_there_are() -> None:
    """Red would need 17 toppings and has 16."""
    every = list(START.options.components.spaces)
    green = every[-3:]
    state = at(
        toppings={"red": every[:15], "green": green, "white": []},
        phase="replace",
        cuts={"red": 1, "green": 1, "white": 6},
    )
    after = rules.apply(state, rules.Replace(1))
    assert after.phase is Phase.OVER
    assert len(after.toppings[0]) == 17
    pizza = laid(state)
    assert pizza.fault(1).refusal.remedy == "Still to do: red on g2; take away what lies on g3."
    pizza.play("P1 replaces")
    assert pizza.moves() == ["P1 replaces"]
    assert pizza.read().note == "The toppings are replaced and the game is over"
    pizza.cutter(1, 1)
    assert pizza.fault(1).refusal.remedy == "Take the cutters off."


# Lamps ----------------------------------------------------------------------------------------------------------------


def test_who_confirms_has_a_light() -> None:
    from controller.games.pizza_theory.table import GAME_TABLE

    assert GAME_TABLE.lamps(START) == {1}
    assert GAME_TABLE.lamps(play(START, "P1 adds d4")) == {2}
    assert GAME_TABLE.lamps(added()) == {1}
    assert GAME_TABLE.lamps(at(round=2, phase="cut")) == {rules.first_player(at(round=2, phase="cut"))}
