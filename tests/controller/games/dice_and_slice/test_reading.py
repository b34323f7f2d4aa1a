"""What single scenes of sheets and dice say about a state."""

from dataclasses import replace

import pytest

from controller.game import Refusal
from controller.games.dice_and_slice.rules import Pick, State
from controller.games.dice_and_slice.table import GAME_TABLE, DiceAndSliceTable
from controller.hands import Lay
from controller.reading import Fault, Reading, ReadingKind
from tests.controller.games.dice_and_slice.laid_sheets import GAME, LaidSheets, dots_of, started
from vision.scene import FaceLikelihood, MarkKind, PieceKind, Pose, Sighting


def test_an_empty_table_says_nothing() -> None:
    assert LaidSheets(started()).as_before()
    assert LaidSheets(started()).arrange().as_before()


# Rolling the dice, picking a die --------------------------------------------------------------------------------------


def thrown(*faces: str) -> LaidSheets:
    sheets = LaidSheets(started()).arrange()
    sheets.throw(*faces)
    return sheets


def test_dice_on_the_mat_are_shown_and_not_yet_taken_for_a_roll() -> None:
    assert (
        thrown("A3", "B5").unfinished() == "A3 and B5 lie there: player 1 takes one of the dice and presses the button"
    )


@pytest.mark.parametrize("die", ["A", "B"])
def test_a_die_beside_the_sheet_is_picked(die: str) -> None:
    sheets = thrown("A6", "B2")
    sheets.take(die)
    assert sheets.moves() == ["roll A6 B2", f"P1 picks {die}"]
    assert sheets.read(1).confirm == 1


@pytest.mark.parametrize("number", range(1, 7))
def test_every_face_is_told_in_any_turn(number: int) -> None:
    sheets = thrown(f"A{number}", f"B{number}")
    sheets.take("A")
    assert sheets.moves() == [f"roll A{number} B{number}", "P1 picks A"]


@pytest.mark.parametrize(("other", "asked"), [(0.6, False), (0.9, True), (0.995, True)])
def test_what_may_be_the_same_die_once_more_is_asked_about_where_it_is_likely(other: float, asked: bool) -> None:
    sheets = thrown("A6", "B2")
    sheets.take("A")
    scene = sheets.scene()
    die = next(one for one in scene.sightings if one.face == dots_of("die/A6"))
    away = replace(die, pose=replace(die.pose, x_mm=0.0, y_mm=0.0), faces=(FaceLikelihood(die.face, other),))
    scene = replace(scene, sightings=(*scene.sightings, away))
    reading = GAME_TABLE.read(sheets.state, scene, sheets.layout, frozenset({1}))
    assert reading.kind is ReadingKind.MOVES
    assert (reading.plays[0].probability < 0.99) is asked, reading.plays


def test_roll_pick_and_marks_count_with_one_press() -> None:
    sheets = LaidSheets(started()).arrange()
    sheets.play("roll A3 B5", "P1 picks A", "P1 marks c3 d3 c4")
    assert sheets.moves(1) == ["roll A3 B5", "P1 picks A", "P1 marks c3 d3 c4"]


def test_a_die_left_before_the_player_before_is_no_pick() -> None:
    sheets = LaidSheets(started()).arrange()
    sheets.throw("A3", "B5")
    sheets.take("A", player=2)
    assert sheets.as_before()
    fault = sheets.fault(1)
    assert problem(fault) == "A3 lies before player 2 and B5 lies on the mat."
    assert fault.refusal.remedy.startswith("Player 1 lays one of the dice beside the own sheet; the other one stays")
    assert len(fault.sightings) == 2


def test_where_dice_lie_that_should_lie_elsewhere_is_told() -> None:
    sheets = thrown("A3", "B5")
    sheets.take("A")
    sheets.take("B")
    assert problem(sheets.fault(1)) == "A3 lies before player 1 and B5 lies before player 1."
    sheets.take("B", player=2)
    assert problem(sheets.fault(1)) == "A3 lies before player 1 and B5 lies before player 2."
    sheets.world.put("die/B", Pose(0.0, 330.0, 0.0), True)
    assert problem(sheets.fault(1)) == "A3 lies before player 1 and B5 lies off the mat, before nobody."


def test_a_die_on_the_sheet_is_to_be_laid_beside_it() -> None:
    sheets = thrown("A3", "B5")
    own = sheets.world.pieces["sheet/1"].pose
    assert own is not None
    sheets.world.put("die/A", own, True)
    fault = sheets.fault(1)
    assert problem(fault) == "The camera does not see die A; only B5 is seen."
    assert "beside the own sheet, not on it" in fault.refusal.remedy


def test_who_presses_without_a_die_is_told_so() -> None:
    assert "has taken none" in problem(thrown("A3", "B5").fault(1))


def test_nobody_marks_before_the_dice_are_thrown() -> None:
    sheets = LaidSheets(started()).arrange()
    sheets.mark(2, "e5")
    fault = sheets.fault()
    assert fault.player == 2
    assert "e5 is a dot too many" in problem(fault)


def test_a_die_that_is_not_seen_makes_no_mark_too_early() -> None:
    sheets = thrown("A3", "B5")
    sheets.take("A")
    sheets.mark(1, "c3 d3 c4", "c3-d3 c3-c4")
    sheets.world.put("die/A", None, True)
    assert sheets.as_before()
    fault = sheets.fault(1)
    assert problem(fault) == "The camera does not see die A; only B5 is seen."
    assert not fault.certain


def test_who_has_a_die_that_the_camera_does_not_see_is_told_how_the_host_tells_it() -> None:
    sheets = thrown("A3", "B5")
    sheets.world.put("die/A", None, True)
    remedy = sheets.fault(1).refusal.remedy
    assert "dark paper" in remedy
    assert '"roll A1 B5" and then "P1 picks A": A1 is ' in remedy
    assert all(f"A{number} is " in remedy and f"B{number} is " not in remedy for number in range(1, 7))
    state = sheets.state
    for move in ("roll A1 B5", "P1 picks A"):
        state = GAME.apply(state, GAME.parse(state, move))
    ruled = LaidSheets(GAME.apply(sheets.state, GAME.parse(sheets.state, "roll A3 B5"))).arrange()
    assert '"roll ' not in ruled.fault(1).refusal.remedy


def test_who_presses_before_throwing_is_told_to_throw_and_nothing_of_what_dice_are_called() -> None:
    fault = LaidSheets(started(2)).arrange().fault(1)
    assert "does not see die A and die B" in problem(fault)
    assert fault.refusal.remedy.startswith("Throw both onto the mat")
    assert "host" not in fault.refusal.remedy


def test_marks_beside_the_dice_of_the_turn_before_are_too_early() -> None:
    sheets = thrown("A3", "B5")
    sheets.take("A", player=2)
    sheets.mark(2, "e5")
    assert "e5 is a dot too many" in problem(sheets.fault())


def test_a_die_that_was_turned_after_a_ruling_is_noticed() -> None:
    sheets = LaidSheets(started(roll=("A3", "B5"))).arrange()
    assert sheets.unfinished().startswith("A3 and B5 lie there")
    sheets.throw("A4", "B5")
    assert "shows A4 now" in problem(sheets.fault())


def a_turn_over() -> LaidSheets:
    """Player 1 had picked A3, B5 lies on the mat; it is player 2's turn."""
    sheets = LaidSheets(started()).arrange()
    for texts in (("roll A3 B5", "P1 picks A", "P1 marks c3 d3 c4"), ("P2 marks e5 d6 f6 e7",)):
        after = sheets.play(*texts)
        assert sheets.moves(int(texts[-1][1])) == list(texts)
        sheets.state = after
    return sheets


def test_a_die_that_was_not_thrown_is_no_roll() -> None:
    """Player 2 takes the die from before player 1, and leaves the other one on the mat."""
    sheets = a_turn_over()
    sheets.take("A", player=2)
    assert sheets.as_before()
    fault = sheets.fault(2)
    assert problem(fault) == "B5 still lies where the turn before left it."
    assert fault.refusal.remedy == "Throw both dice; then player 2 takes one of them."


def test_a_die_put_back_beside_the_other_one_is_not_thrown() -> None:
    sheets = a_turn_over()
    sheets.world.put("die/A", Pose(50.0, 50.0, 10.0), True)
    assert sheets.as_before()
    sheets.mark(2, "k9")
    assert "k9 is a dot too many" in problem(sheets.fault())
    sheets.rub(2, "k9")
    sheets.throw("A3", "B5")
    assert sheets.unfinished().startswith("A3 and B5 lie there"), "thrown, it may show the same"


def doubted(sheets: LaidSheets, *pressed: int) -> str:
    """What is asked about a roll that is no more than likely."""
    reading = sheets.read(*pressed)
    assert reading.kind is ReadingKind.MOVES
    (play,) = reading.plays
    assert play.probability < 0.9
    return reading.note


def test_the_picked_die_laid_back_and_the_other_one_taken_is_asked_about() -> None:
    sheets = a_turn_over()
    sheets.world.put("die/A", Pose(50.0, 50.0, 10.0), True)
    assert sheets.as_before()
    sheets.take("B", player=2)
    told = "A3 and B5 were the roll of the turn before, too: if nobody threw both dice, throw them"
    assert doubted(sheets) == doubted(sheets, 2) == told
    sheets.throw("A3", "B6")
    sheets.take("B", player=2)
    assert sheets.moves(2) == ["roll A3 B6", "P2 picks B"]


def test_dice_that_were_seen_thrown_may_show_the_same_again() -> None:
    sheets = a_turn_over()
    sheets.throw("A3", "B5")
    assert sheets.unfinished()
    sheets.take("B", player=2)
    assert sheets.moves(2) == ["roll A3 B5", "P2 picks B"]


# After a start of the program, an undo, a ruling ----------------------------------------------------------------------


def test_dice_that_were_not_thrown_are_known_after_a_start() -> None:
    sheets = a_turn_over()
    sheets.table = DiceAndSliceTable()
    assert sheets.as_before()
    sheets.take("A", player=2)
    assert problem(sheets.fault(2)) == "B5 still lies where the turn before left it."
    sheets.world.put("die/A", Pose(50.0, 50.0, 10.0), True)
    sheets.take("B", player=2)
    told = "A3 and B5 were not seen being thrown: if nobody threw both dice, throw them"
    assert doubted(sheets, 2) == told
    sheets.throw("A3", "B5")
    assert sheets.unfinished()
    sheets.take("A", player=2)
    assert sheets.moves(2) == ["roll A3 B5", "P2 picks A"]


def test_dice_picked_while_the_program_did_not_run_are_asked_about() -> None:
    sheets = a_turn_over()
    sheets.throw("A1", "B2")
    sheets.take("B", player=2)
    sheets.table = DiceAndSliceTable()
    assert doubted(sheets, 2) == "A1 and B2 were not seen being thrown: if nobody threw both dice, throw them"


@pytest.mark.parametrize("ruled", [False, True])
def test_dice_that_were_not_thrown_are_known_after_a_start_or_a_ruling_while_players_mark(ruled: bool) -> None:
    sheets = LaidSheets(started()).arrange()
    if ruled:
        assert sheets.as_before()
    sheets.state = sheets.play("roll A3 B5", "P1 picks A")  # never read: ruled, or the start comes here
    for text in ("P1 marks c3 d3 c4", "P2 marks e5 d6 f6 e7"):
        after = sheets.play(text)
        assert sheets.moves(int(text[1])) == [text]
        sheets.state = after
    sheets.take("A", player=2)
    assert problem(sheets.fault(2)) == "B5 still lies where the turn before left it."


def test_dice_that_were_not_thrown_are_known_after_the_last_marks_were_ruled() -> None:
    sheets = LaidSheets(started()).arrange()
    for texts in (("roll A3 B5", "P1 picks A"), ("P1 marks c3 d3 c4",)):
        after = sheets.play(*texts)
        assert sheets.moves(1) == list(texts)
        sheets.state = after
    assert sheets.as_before()
    sheets.state = sheets.play("P2 marks e5 d6 f6 e7")
    sheets.world.put("die/A", Pose(50.0, 50.0, 10.0), True)
    sheets.take("B", player=2)
    assert doubted(sheets, 2).startswith("A3 and B5 were the roll of the turn before, too")


def test_dice_that_were_not_thrown_are_known_after_an_undo() -> None:
    sheets = a_turn_over()
    over, lay = sheets.state, {die: sheets.lying()[die] for die in ("die/A", "die/B")}
    sheets.throw("A1", "B2")
    sheets.take("B", player=2)
    assert sheets.moves(2) == ["roll A1 B2", "P2 picks B"]
    sheets.state = sheets.play("roll A1 B2", "P2 picks B")
    sheets.read()
    sheets.state = over
    for die, was in lay.items():
        sheets.lay(Lay(die, was.pose, True, was.front))
    assert sheets.as_before()
    sheets.take("A", player=2)
    assert problem(sheets.fault(2)) == "B5 still lies where the turn before left it."


def test_dice_of_a_roll_that_is_taken_back_after_a_start_are_asked_about() -> None:
    sheets = a_turn_over()
    before = sheets.state
    sheets.state = sheets.play("roll A1 B2", "P2 picks B")
    sheets.table = DiceAndSliceTable()
    assert sheets.as_before()
    sheets.state = before
    assert doubted(sheets, 2) == "A1 and B2 were not seen being thrown: if nobody threw both dice, throw them"


def test_dice_that_were_not_thrown_are_known_after_a_whole_turn_was_ruled() -> None:
    """As while the game was paused: nothing is read then."""
    sheets = a_turn_over()
    sheets.throw("A1", "B2")
    assert sheets.unfinished()
    sheets.state = sheets.play("roll A1 B2", "P2 picks B", "P2 marks a1 a2 b2 c2", "P1 marks a1 b1")
    assert sheets.as_before()
    sheets.world.put("die/B", Pose(50.0, 50.0, 10.0), True)
    sheets.take("A")
    assert doubted(sheets, 1) == "A1 and B2 were not seen being thrown: if nobody threw both dice, throw them"


def test_dice_thrown_for_the_next_turn_while_another_still_marks_are_thrown() -> None:
    sheets = LaidSheets(started()).arrange()
    first = "roll A3 B5", "P1 picks A"
    after = sheets.play(*first)
    assert sheets.moves(1) == list(first)
    for text in ("P2 marks e5 d6 f6 e7", "P1 marks c3 d3 c4"):
        sheets.state = after
        after = sheets.play(text)
        if text.startswith("P1"):
            sheets.throw("A1", "B5")
        assert sheets.moves(int(text[1])) == [text]
    sheets.state = after
    sheets.take("A", player=2)
    assert sheets.moves(2) == ["roll A1 B5", "P2 picks A"]


# Marking --------------------------------------------------------------------------------------------------------------


def marking(pick: str = "A", roll: tuple[str, str] = ("A3", "B5"), players: int = 2) -> LaidSheets:
    """Player 1 has picked: A3 is three dots round a corner, B5 four around a free one."""
    return LaidSheets(started(players, roll, pick)).arrange()


def test_marks_are_read_with_or_without_a_press() -> None:
    sheets = marking()
    assert sheets.as_before()
    sheets.play("P2 marks e5 d6 f6 e7")
    assert sheets.moves() == ["P2 marks e5 d6 f6 e7"]
    assert sheets.read().confirm == 2
    assert sheets.moves(2) == ["P2 marks e5 d6 f6 e7"]


def test_all_who_press_together_have_marked() -> None:
    sheets = marking(players=3)
    sheets.play("P1 marks c3 d3 c4", "P3 marks e5 d6 f6 e7")
    assert sheets.moves(1, 3) == ["P1 marks c3 d3 c4", "P3 marks e5 d6 f6 e7"]
    assert sheets.moves(1, 2) == ["P1 marks c3 d3 c4"], "player 2 is told next"
    sheets.play("P2 marks k5 j6 l6 k7")
    assert sheets.moves(1, 2, 3) == ["P1 marks c3 d3 c4", "P2 marks k5 j6 l6 k7", "P3 marks e5 d6 f6 e7"]


def test_who_has_marked_and_pressed_before_the_active_player_does_has_marked() -> None:
    sheets = LaidSheets(started()).arrange()
    sheets.play("roll A3 B5", "P1 picks A", "P2 marks e5 d6 f6 e7")
    assert sheets.moves(2) == ["roll A3 B5", "P1 picks A"], "which waits for player 1"
    assert sheets.moves(1, 2) == ["roll A3 B5", "P1 picks A", "P2 marks e5 d6 f6 e7"]


def test_everybody_marks_in_any_order() -> None:
    sheets = marking()
    sheets.play("P2 marks e5 d6 f6 e7")
    sheets.mark(1, "c3 d3")
    assert sheets.moves(2) == ["P2 marks e5 d6 f6 e7"]
    assert "only a part" in problem(sheets.fault(1))


def test_nothing_marked() -> None:
    assert "has marked no new dot" in problem(marking().fault(1))


def test_a_half_made_mark_waits_for_its_player() -> None:
    sheets = marking()
    sheets.mark(1, "c3 d3")
    assert sheets.unfinished() == "Player 1 is marking"
    sheets.mark(1, "c4")
    assert sheets.unfinished().endswith("with lines")
    sheets.mark(1, lines="c3-d3")
    assert sheets.unfinished() == "Player 1: connect c3-c4 (c3: 3rd dot from the left, 3rd from below) with a line"
    sheets.mark(1, lines="c3-c4")
    assert sheets.moves() == ["P1 marks c3 d3 c4"]


@pytest.mark.parametrize("picked", [False, True])
def test_where_there_are_no_buttons_marks_that_stay_wrong_are_told_of(picked: bool) -> None:
    sheets = marking() if picked else thrown("A3", "B5")
    sheets.take("A")
    sheets.mark(1, "c3 d3 f3", "c3-d3")
    assert sheets.read().fault is None, "who has a button presses when done"
    sheets.layout = replace(sheets.layout, buttons=False)
    reading = sheets.read()
    assert reading.kind is ReadingKind.UNFINISHED
    assert reading.fault is not None
    assert "not what A3" in problem(reading.fault)


def test_a_forgotten_line_is_asked_for() -> None:
    sheets = marking()
    sheets.mark(1, "c3 d3 c4", "c3-d3")
    fault = sheets.fault(1)
    assert fault.refusal.remedy == "Connect c3-c4 (c3: 3rd dot from the left, 3rd from below) with a line."
    assert fault.refusal.pieces == ("sheet/1/c3-c4",)
    (index,) = fault.sightings
    assert sheets.read(1).places[index] == "sheet/1"


@pytest.mark.parametrize("line", ["d3-c4", "d5-e6"])
def test_dots_connected_diagonally(line: str) -> None:
    """Either way across a square, and at dots of earlier turns."""
    sheets = LaidSheets(with_dots(started(2, ("A3", "B5"), "A"), "d5 e6")).arrange()
    sheets.play("P1 marks c3 d3 c4")
    sheets.mark(1, lines=line)
    fault = sheets.fault(1)
    assert f"connected diagonally: {line}" in problem(fault)
    assert fault.refusal.pieces == (f"sheet/1/{line}",)
    sheets.rub(1, line)
    assert sheets.moves(1) == ["P1 marks c3 d3 c4"]


def test_a_line_that_hardly_shows_is_asked_for() -> None:
    sheets = marking()
    sheets.play("P1 marks c3 d3 c4")
    sheets.doubt(1, "c3-c4", 0.2)
    assert sheets.fault(1).refusal.remedy == "Connect c3-c4 (c3: 3rd dot from the left, 3rd from below) with a line."


def test_the_dots_of_the_die_that_others_use() -> None:
    sheets = marking()
    sheets.mark(1, "g5 f6 h6 g7")
    fault = sheets.fault(1)
    assert problem(fault) == "g5 f6 h6 g7 is what B5 adds, and player 1 uses A3."
    assert fault.refusal.remedy == "Mark the dots of A3 (●●· ●·· ···) instead."


def test_dots_off_the_pattern() -> None:
    sheets = marking()
    sheets.mark(1, "c3 d3 f3", "c3-d3")
    assert "not what A3" in problem(sheets.fault(1))


def test_an_arrangement_flipped_over() -> None:
    sheets = LaidSheets(started(2, ("A6", "B5"), "A")).arrange()
    sheets.mark(1, "c3 d3 d4 e4", "c3-d3 d3-d4 d4-e4")
    assert "flipped over" in problem(sheets.fault(1))


def test_a_dot_too_many() -> None:
    sheets = marking()
    sheets.mark(1, "c3 d3 c4 k9", "c3-d3 c3-c4")
    fault = sheets.fault(1)
    assert problem(fault).startswith("k9 is a dot too many")
    assert fault.refusal.remedy == "Rub out k9 (11th dot from the left, 9th from below)."


def test_overlaps_count_as_marked() -> None:
    sheets = LaidSheets(with_dots(started(2, ("A3", "B5"), "A"), "c3 d3"))
    sheets.arrange()
    sheets.mark(1, "c4", "c3-c4")
    assert sheets.moves(1) == ["P1 marks c4"]


def test_marks_after_the_own_turn() -> None:
    sheets = marking()
    sheets.play("P2 marks e5 d6 f6 e7")
    sheets.state = GAME.apply(sheets.state, GAME.parse(sheets.state, "P2 marks e5 d6 f6 e7"))
    assert sheets.as_before()
    sheets.mark(2, "k9")
    fault = sheets.fault()
    assert fault.player == 2
    assert "has finished this turn" in problem(fault)
    found = "k9 (11th dot from the left, 9th from below)"
    finished = "or the host takes back the play with which player 2 finished."
    assert fault.refusal.remedy == f"Rub out {found}, {finished}"
    sheets.mark(2, "m9")
    assert problem(sheets.fault()).startswith("k9 and m9 are dots too many on player 2's sheet")


def test_who_can_mark_nothing_is_not_said_to_have_finished() -> None:
    """B5 has no dot at a corner."""
    rolled = started(2, ("A3", "B5"))
    full = " ".join(name for name in rolled.options.components.grid.names if name != "a1")
    sheets = LaidSheets(GAME.apply(with_dots(rolled, full, player=2), Pick(1, "A"))).arrange()
    assert sheets.as_before()
    sheets.mark(2, "a1", "a1-a2 a1-b1")
    told = "a1 is a dot too many on player 2's sheet: with B5 none can be marked there."
    assert problem(sheets.fault()) == told
    assert sheets.fault().refusal.remedy == "Rub out a1 (1st dot from the left, 1st from below)."


def test_several_marks_too_many_are_spoken_of_as_several() -> None:
    sheets = marking()
    sheets.mark(1, "c3 d3 c4 k9 m1", "c3-d3 c3-c4")
    assert problem(sheets.fault(1)).endswith("they belong neither to A3 nor to a topping.")
    sheets = marking()
    sheets.play("P1 marks c3 d3 c4")
    sheets.mark(1, toppings="mushroom-b2 olive-d1")
    assert "without placing an extra dot for them now" in problem(sheets.fault(1))
    assert sheets.fault(1).refusal.remedy.endswith(
        "or rub out the crosses over the mushroom in b2 (2nd square from the left, 2nd from below) and "
        "the olive in d1 (4th square from the left, 1st from below)."
    )
    for name in ("mushroom-b2", "olive-d1"):
        sheets.rub(1, name)
    sheets.mark(1, bonuses="chili-olive salami-pair")
    assert sheets.fault(1).refusal.remedy == "Rub the circles out."


def test_who_marks_out_of_turn_is_told_whose_dice_are_waited_for() -> None:
    sheets = LaidSheets(started(3)).arrange()
    sheets.throw("A3", "B5")
    sheets.take("A", player=3)
    sheets.mark(3, "c3 d3 c4", "c3-d3 c3-c4")
    assert "marked once player 1 has thrown the dice and picked one" in problem(sheets.fault())


def test_a_dot_too_many_is_told_of_also_when_another_player_ends_the_turn_meanwhile() -> None:
    sheets = marking()
    sheets.state = sheets.play("P2 marks e5 d6 f6 e7")
    after = sheets.play("P1 marks c3 d3 c4")
    sheets.mark(2, "k9")
    assert sheets.moves(1) == ["P1 marks c3 d3 c4"]
    sheets.state = after
    assert problem(sheets.fault()).startswith("k9 is a dot too many on player 2's sheet")


def test_who_goes_ahead_with_the_next_turn_while_another_still_marks_has_marked() -> None:
    sheets = marking()
    sheets.state = sheets.play("P2 marks e5 d6 f6 e7")
    after = sheets.play("P1 marks c3 d3 c4")
    sheets.throw("A1", "B3")
    sheets.take("A", player=2)
    sheets.mark(2, "k9 l9", "k9-l9")
    assert sheets.moves(1) == ["P1 marks c3 d3 c4"]
    sheets.state = after
    assert sheets.moves(2) == ["roll A1 B3", "P2 picks A", "P2 marks k9 l9"]


def test_who_rubs_out_what_was_marked_before_is_told_to_mark_it_again() -> None:
    """After the own press, to mark elsewhere; or while marking."""
    sheets = marking()
    sheets.state = sheets.play("P1 marks c3 d3 c4")
    for name in ("c3", "d3", "c4", "c3-d3", "c3-c4"):
        sheets.rub(1, name)
    fault = sheets.fault()
    assert problem(fault) == "On player 1's sheet c3, d3 and c4 are not marked any more."
    assert not fault.certain, "the camera may see no pencil"
    sheets = LaidSheets(with_dots(started(2, ("A3", "B5"), "A"), "k3")).arrange()
    sheets.play("P1 marks c3 d3 c4")
    sheets.rub(1, "k3")
    assert sheets.fault(1).refusal.remedy == "Mark k3 (11th dot from the left, 3rd from below) again."


# Extra dots and bonuses -----------------------------------------------------------------------------------------------


def enclosing() -> LaidSheets:
    """Player 1 closes a slice of one square with the mushroom in b2."""
    return LaidSheets(with_dots(started(2, ("A1", "B5"), "A"), "b2 c2")).arrange()


def test_an_extra_dot_needs_its_topping_crossed_off() -> None:
    sheets = enclosing()
    sheets.play("P1 marks b3 c3", "P1 adds k9 for mushroom-b2")
    assert sheets.moves(1) == ["P1 marks b3 c3", "P1 adds k9 for mushroom-b2"]


def test_a_topping_that_is_not_crossed_off_is_asked_for() -> None:
    sheets = enclosing()
    sheets.play("P1 marks b3 c3")
    sheets.mark(1, "k9")
    assert sheets.unfinished() == "Player 1: cross off the mushroom in b2 (2nd square from the left, 2nd from below)"
    fault = sheets.fault(1)
    assert "not crossed off the mushroom in b2" in problem(fault)
    assert fault.refusal.pieces == ("sheet/1/mushroom-b2",)
    sheets.mark(1, toppings="mushroom-b2")
    assert sheets.moves(1) == ["P1 marks b3 c3", "P1 adds k9 for mushroom-b2"]


def test_a_topping_crossed_off_for_nothing() -> None:
    sheets = marking()
    sheets.play("P1 marks c3 d3 c4")
    sheets.mark(1, toppings="mushroom-b2")
    fault = sheets.fault(1)
    assert "crossed off the mushroom in b2 without placing an extra dot for it" in problem(fault)
    sheets.rub(1, "mushroom-b2")
    assert sheets.moves(1) == ["P1 marks c3 d3 c4"]


@pytest.mark.parametrize(("name", "then", "later"), [("mushroom-b2", 0.88, 0.96), ("olive-d1", 0.7, 0.92)])
def test_what_an_eraser_left_is_not_asked_for_in_a_later_turn(name: str, then: float, later: float) -> None:
    sheets = marking()
    sheets.doubt(1, name, then)
    after = sheets.play("P1 marks c3 d3 c4")
    assert sheets.moves(1) == ["P1 marks c3 d3 c4"]
    sheets.state = after
    sheets.doubt(1, name, later)
    assert sheets.as_before(), "it was there when the marks were taken, nearly as dark"
    sheets.doubt(1, name, 0.998)
    assert "crossed off" in problem(sheets.fault()), "but who crosses it off once more is told so"


@pytest.mark.parametrize("forgets", ["start", "ruling", "undo"])
def test_what_an_eraser_left_is_known_after_a_start_a_ruling_or_an_undo(forgets: str) -> None:
    sheets = marking()
    sheets.doubt(1, "mushroom-b2", 0.85)
    over = sheets.play("P1 marks c3 d3 c4", "P2 marks e5 d6 f6 e7")
    assert len(sheets.moves(1, 2)) == 2
    sheets.state = over
    assert sheets.as_before()
    ruled = GAME.apply(over, GAME.parse(over, "roll A1 B5"))
    ruled = GAME.apply(ruled, GAME.parse(ruled, "P2 picks A"))
    if forgets == "start":
        sheets.table = DiceAndSliceTable()
    else:
        sheets.state = ruled
    sheets.read()
    if forgets == "undo":
        sheets.state = over
    sheets.doubt(1, "mushroom-b2", 0.96)
    assert sheets.as_before()


def test_what_looks_like_a_cross_and_was_not_there_before_is_asked_for() -> None:
    sheets = marking()
    sheets.state = sheets.play("P1 marks c3 d3 c4")
    sheets.doubt(1, "mushroom-b2", 0.96)
    assert "crossed off" in problem(sheets.fault())


@pytest.mark.parametrize(("dot", "cross"), [(0.25, 0.85), (0.25, 0.995), (0.005, 0.9), (0.005, 0.7)])
def test_an_extra_dot_that_is_hardly_seen_beside_its_crossed_topping_is_asked_for(dot: float, cross: float) -> None:
    """Vision calls a line no likelier than its dots: what is doubtful about the dot must not count against it twice."""
    sheets = enclosing()
    sheets.play("P1 marks b3 c3", "P1 adds a3 for mushroom-b2")
    for name, likely in (("a3", dot), ("a3-b3", dot), ("mushroom-b2", cross)):
        sheets.doubt(1, name, likely)
    reading = sheets.read(1)
    assert reading.kind is ReadingKind.MOVES
    assert reading.plays[0].probability < 0.99, reading.plays


def test_who_does_without_an_extra_dot_is_not_asked_for_it() -> None:
    sheets = enclosing()
    sheets.play("P1 marks b3 c3")
    sheets.doubt(1, "mushroom-b2", 0.3)
    assert sheets.moves(1) == ["P1 marks b3 c3", "P1 stops"]


@pytest.mark.parametrize("likely", [0.1, 0.9])
def test_crosses_that_vision_cannot_tell_are_not_asked_for(likely: float) -> None:
    sheets = enclosing()
    sheets.play("P1 marks b3 c3", "P1 adds k9 for mushroom-b2")
    sheets.doubt(1, "mushroom-b2", likely)
    sheets.doubt(1, "olive-d1", likely)
    assert sheets.moves(1) == ["P1 marks b3 c3", "P1 adds k9 for mushroom-b2"]


def test_many_extra_dots_at_once_are_read_in_an_order_that_brings_their_toppings() -> None:
    """h9 closes the slice that brings the topping for k9."""
    state = with_dots(started(2, ("A1", "B5"), "A"), "b2 c2 g9 h10 g10")
    sheets = LaidSheets(state).arrange()
    texts = ["P1 marks b3 c3", "P1 adds h9 for mushroom-b2", "P1 adds k9 for chili-g9"]
    sheets.play(*texts)
    assert sheets.moves(1) == texts


def test_who_presses_for_the_roll_and_has_marked_wrongly_is_told_what_is_wrong() -> None:
    sheets = thrown("A3", "B5")
    sheets.take("A")
    sheets.mark(1, "c3 d3 c4", "c3-d3")
    assert sheets.unfinished() == "Player 1: connect c3-c4 (c3: 3rd dot from the left, 3rd from below) with a line"
    assert sheets.fault(1).refusal.remedy == "Connect c3-c4 (c3: 3rd dot from the left, 3rd from below) with a line."


def test_who_places_no_extra_dot_does_without() -> None:
    sheets = enclosing()
    sheets.play("P1 marks b3 c3")
    assert sheets.moves(1) == ["P1 marks b3 c3", "P1 stops"]
    assert sheets.read().note == "Player 1 marks b3 c3, does without the extra dot for the mushroom in b2"


def test_who_does_without_some_extra_dots_is_told_of_these() -> None:
    state = with_dots(started(2, ("A1", "B5"), "A"), "b2 c2 b3 e3 d4 e4")
    sheets = LaidSheets(with_dots(state, "e5 d6 f6", player=2)).arrange()
    sheets.play("P1 marks c3 d3", "P2 marks e7")
    assert sheets.read(1, 2).note == (
        "Player 1 marks c3 d3, does without the extra dots for the mushroom in b2 and the salami in d3, "
        "Player 2 marks e7"
    )


def test_who_presses_after_a_ruling_of_the_marks_does_without_extra_dots() -> None:
    sheets = enclosing()
    sheets.state = sheets.play("P1 marks b3 c3")
    assert sheets.as_before()
    assert sheets.moves(1) == ["P1 stops"]
    sheets.play("P1 adds k9 for mushroom-b2")
    assert sheets.moves(1) == ["P1 adds k9 for mushroom-b2"]


def test_a_topping_bonus_is_circled() -> None:
    """The slice from d3 to f6 has exactly a salami and a mushroom."""
    sheets = LaidSheets(with_dots(started(2, ("A1", "B5"), "A"), "d3 e3 f3 d4 f4 d5 f5 d6")).arrange()
    sheets.mark(1, "e6 f6", "d6-e6 e6-f6 f5-f6")
    fault = sheets.fault(1)
    assert "has not circled" in problem(fault)
    assert fault.refusal.pieces == ("sheet/1/mushroom-salami",)
    sheets.mark(1, bonuses="mushroom-salami")
    assert sheets.moves(1) == ["P1 marks e6 f6", "P1 stops"]


def test_a_bonus_circled_for_nothing() -> None:
    sheets = marking()
    sheets.play("P1 marks c3 d3 c4")
    sheets.mark(1, bonuses="chili-olive")
    assert "which no slice made now scores" in problem(sheets.fault(1))


# Doubt ----------------------------------------------------------------------------------------------------------------


def test_a_doubtful_dot_is_told_by_the_pattern() -> None:
    sheets = marking()
    sheets.play("P1 marks c3 d3 c4")
    sheets.doubt(1, "c4", 0.4)
    sheets.doubt(1, "c3-c4", 0.35)
    assert sheets.moves(1) == ["P1 marks c3 d3 c4"]


def test_two_ways_that_fit_alike_are_asked_about() -> None:
    sheets = marking()
    sheets.play("P1 marks c3 d3 c4")
    for name, likely in (("c4", 0.5), ("d4", 0.5), ("c3-c4", 0.5), ("d3-d4", 0.5)):
        sheets.doubt(1, name, likely)
    reading = sheets.read(1)
    assert reading.kind is ReadingKind.MOVES
    assert len(reading.plays) >= 2
    assert reading.plays[0].probability < 0.9
    assert {face for play in reading.plays for face in play.differs} >= {"sheet/1/c4", "sheet/1/d4"}


def test_a_stray_doubt_elsewhere_is_no_question() -> None:
    sheets = marking()
    sheets.play("P1 marks c3 d3 c4")
    sheets.doubt(1, "k9", 0.3)
    sheets.doubt(1, "mushroom-b2", 0.8)
    assert sheets.moves(1) == ["P1 marks c3 d3 c4"]


def test_a_sheet_that_cannot_be_seen() -> None:
    sheets = marking()
    sheets.world.put("sheet/1", None, True)
    fault = sheets.fault(1)
    assert not fault.certain
    assert "cannot be seen" in problem(fault)


@pytest.mark.parametrize("roll", [None, ("A3", "B5")])
def test_sheets_that_were_mixed_up_are_not_to_be_rubbed_out(roll: tuple[str, str] | None) -> None:
    state = with_dots(with_dots(started(2, roll, roll and "A"), "c3 d3 c4 g5 h6"), "e5 d6 f6 e7 k2", player=2)
    sheets = LaidSheets(state).arrange()
    one, other = (sheets.world.pieces[f"sheet/{player}"].pose for player in (1, 2))
    sheets.world.put("sheet/1", other, True)
    sheets.world.put("sheet/2", one, True)
    fault = sheets.fault()
    assert problem(fault) == "Player 1's sheet lies before player 2."
    assert fault.refusal.remedy == "Lay every sheet before the player who marks it."
    assert sheets.fault(1) == fault


def test_a_spare_sheet_at_the_table_s_edge_is_not_played_with() -> None:
    sheets = marking()
    sheets.play("P1 marks c3 d3 c4")
    spare_at(sheets, Pose(-150.0, -420.0, 90.0))
    assert sheets.moves(1) == ["P1 marks c3 d3 c4"]


def test_of_a_spare_sheet_beside_the_own_one_the_players_are_told() -> None:
    sheets = marking()
    sheets.play("P1 marks c3 d3 c4")
    own = sheets.world.pieces["sheet/1"].pose
    assert own is not None
    spare_at(sheets, replace(own, x_mm=own.x_mm + 10.0))
    fault = sheets.fault(1)
    assert problem(fault).startswith("2 sheets lie before player 1")
    assert len(fault.sightings) == 2


def test_a_sheet_of_another_game_is_not_to_be_rubbed_out_dot_by_dot() -> None:
    sheets = LaidSheets(started()).arrange()
    sheets.mark(1, "a1 c1 e1 g1 i1 k1 m1")
    assert sheets.fault().refusal.remedy.startswith("Lay player 1's own sheet there, an empty one")


def spare_at(sheets: LaidSheets, pose: Pose) -> None:
    """Lay an empty sheet there that nobody plays with."""
    sheets.world.add_piece("sheet/9", PieceKind.SHEET, "sheet", "sheet")
    sheets.world.put("sheet/9", pose, True)


def problem(fault: Fault) -> str:
    refusal: Refusal = fault.refusal
    return refusal.problem


def with_dots(state: State, names: str, player: int = 1) -> State:
    """The state with these dots on a player's sheet."""
    data = GAME.encode_state(state)
    bits = state.options.components.grid.bits
    data["sheets"][player - 1]["dots"] = sorted(names.split(), key=bits.__getitem__)
    return GAME.decode_state(data)


# What cannot be seen --------------------------------------------------------------------------------------------------


def seen_in_part(sheets: LaidSheets, pressed: frozenset[int]) -> Reading:
    """What is read where the dots of all but the sheets' last three columns are hidden."""
    scene = sheets.scene()

    def hidden(piece: Sighting) -> Sighting:
        marks = (
            replace(mark, probability=0.001, hidden=True) if mark.kind is MarkKind.DOT and mark.at[0] < 10 else mark
            for mark in piece.marks
        )
        return replace(piece, marks=tuple(marks))

    scene = replace(scene, sightings=tuple(map(hidden, scene.sightings)))
    return GAME_TABLE.read(sheets.state, scene, sheets.layout, pressed)


def test_what_may_be_marked_where_nothing_is_seen_is_not_asked_about() -> None:
    sheets = marking()
    sheets.play("P1 marks c3 d3 c4")
    assert seen_in_part(sheets, frozenset()).kind is not ReadingKind.MOVES
    reading = seen_in_part(sheets, frozenset({1}))
    assert reading.kind is ReadingKind.FAULT
    assert reading.fault is not None
    assert "no new dot" in problem(reading.fault)
    assert not reading.fault.certain, "a hand or glare gets its time"


def test_what_is_seen_is_read_though_much_is_hidden() -> None:
    sheets = marking()
    sheets.play("P1 marks k3 l3 k4")
    reading = seen_in_part(sheets, frozenset({1}))
    assert reading.kind is ReadingKind.MOVES
    assert reading.plays[0].probability > 0.99
    assert [GAME.format(sheets.state, move) for move in reading.plays[0].moves] == ["P1 marks k3 l3 k4"]


def test_what_may_be_marked_otherwise_where_nothing_is_seen_is_asked_about() -> None:
    """l9 is an extra dot if c3, with b3, closes the slice of the mushroom; with k9 it is what was thrown."""
    sheets = LaidSheets(with_dots(started(2, ("A1", "B5"), "A"), "b2 c2 b3 k9")).arrange()
    sheets.play("P1 marks c3", "P1 adds l9 for mushroom-b2")
    sheets.hide(1, "c3", "b3-c3", "c2-c3", "mushroom-b2")
    reading = sheets.read(1)
    assert reading.kind is ReadingKind.MOVES
    assert [[GAME.format(sheets.state, move) for move in play.moves] for play in reading.plays] == [
        ["P1 marks l9"],
        ["P1 marks c3", "P1 adds l9 for mushroom-b2"],
    ]
    assert reading.plays[0].probability < 0.99


@pytest.mark.parametrize(
    ("dots", "lines", "toppings", "hidden"),
    [
        ("c3 d3 c4", "c3-d3 c3-c4", "mushroom-b2", "k9"),
        ("c3 d3 c4 k9", "c3-d3 c3-c4", "", "mushroom-b2"),
        ("c3 d3 c4", "c3-d3", "", "c4"),
    ],
)
def test_what_may_be_wrong_only_as_something_lies_on_the_sheet_gets_its_time(
    dots: str, lines: str, toppings: str, hidden: str
) -> None:
    sheets = marking()
    sheets.mark(1, dots, lines, toppings)
    assert sheets.fault(1).certain
    sheets.hide(1, hidden)
    assert not sheets.fault(1).certain


def test_dots_that_no_line_joins_are_not_those_that_are_hidden() -> None:
    """Both toppings are seen crossed off, their dots are not; beside dots of earlier turns places are hidden."""
    before = [f"{column}{row}" for column in "fhj" for row in range(1, 10, 2)]
    beside = [f"{column}{row}" for column in "gik" for row in range(1, 10, 2)]
    state = with_dots(started(2, ("A1", "B5"), "B"), " ".join(["b2", "c2", "b3", "d3", "e4", *before]))
    sheets = LaidSheets(state).arrange()
    texts = ["P1 marks d2 c3 e3 d4", "P1 adds m8 for mushroom-b2", "P1 adds m10 for salami-d3"]
    sheets.play(*texts)
    sheets.hide(1, "m8", "m10", *beside)
    reading = sheets.read(1)
    assert reading.kind is ReadingKind.MOVES, reading.fault
    meant = [{GAME.format(sheets.state, move) for move in play.moves} for play in reading.plays]
    assert {"P1 adds m10", "P1 adds m8", texts[0]} in [{text.partition(" for")[0] for text in one} for one in meant]


def test_who_is_not_seen_to_use_an_extra_dot_has_not_surely_done_without() -> None:
    """Its dot and its topping lie in a shadow."""
    sheets = LaidSheets(with_dots(started(2, ("A1", "B5"), "A"), "b2 c2 b3 k9")).arrange()
    sheets.play("P1 marks c3", "P1 adds l9 for mushroom-b2")
    sheets.hide(1, "l9", "k9-l9", "m9", "l10", "m10", "mushroom-b2")
    reading = sheets.read(1)
    assert reading.kind is ReadingKind.MOVES
    assert reading.plays[0].probability < 0.9
    meant = [[GAME.format(sheets.state, move) for move in play.moves] for play in reading.plays]
    assert ["P1 marks c3", "P1 adds l9 for mushroom-b2"] in meant
    assert ["P1 marks c3", "P1 stops"] in meant
