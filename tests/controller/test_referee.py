"""When a reading becomes a move, a question or a breach."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from controller.game import Refusal
from controller.reading import Fault, Play, Reading, ReadingKind
from controller.referee import BLINDED, LIES_OVER, Answer, Referee, Timing, Verdict
from vision.scene import (
    FaceLikelihood,
    HiddenCause,
    HiddenPlace,
    MarkKind,
    PieceKind,
    Pose,
    Scene,
    Settled,
    SheetMark,
    Sighting,
)

TIMING = Timing(rest_s=0.3, clear_rest_s=0.1, breach_s=2.0, confirm_rest_s=None)


def scene(time_s: float, at_rest_s: float = 1.0) -> Scene:
    return Scene(time_s, int(time_s * 100), (), (), at_rest_s)


def moves(*probabilities: float, confirm: int | None = 2, name: str = "take") -> Reading:
    plays = tuple(Play((f"{name} {i}",), p, f"{name} {i}") for i, p in enumerate(probabilities))
    return Reading(ReadingKind.MOVES, (), plays=plays, confirm=confirm, note="a play")


def fault(problem: str = "wrong", *, certain: bool = True, pieces: tuple[str, ...] = ()) -> Reading:
    return Reading(ReadingKind.FAULT, (), fault=Fault(Refusal("Rule", problem, "Right it.", pieces), 2, (), certain))


AS_BEFORE = Reading(ReadingKind.AS_BEFORE, ())
UNFINISHED = Reading(ReadingKind.UNFINISHED, (), note="go on")


def judge_all(referee: Referee, reading: Reading, times: Iterable[float]) -> list[Answer]:
    return [referee.judge(scene(time_s), reading).answer for time_s in times]


def judge_twice(referee: Referee, time_s: float, reading: Reading) -> Verdict:
    """What the second of two pictures, shortly one after the other, is taken for."""
    referee.judge(scene(time_s), reading)
    return referee.judge(scene(time_s + 0.05), reading)


@pytest.fixture
def referee() -> Referee:
    return Referee(TIMING)


def test_a_scene_is_judged_when_it_has_been_at_rest(referee: Referee) -> None:
    assert not referee.settled(scene(1.0, 0.29))
    assert referee.settled(scene(1.0, 0.3))
    assert referee.hands(scene(1.0, 0.0)) == Verdict(Answer.HANDS)


def test_a_move_without_button_is_made_when_two_pictures_show_it(referee: Referee) -> None:
    assert referee.judge(scene(1.0), moves(1.0, confirm=None)).answer is Answer.UNFINISHED
    verdict = referee.judge(scene(1.1), moves(1.0, confirm=None))
    assert verdict.answer is Answer.MOVE
    assert verdict.play is not None
    assert verdict.play.moves == ("take 0",)


def test_a_picture_on_its_way_to_rest_is_the_first_of_the_two(referee: Referee) -> None:
    early = scene(1.0, 0.04)
    assert referee.settling(early)
    assert not referee.settled(early)
    assert not referee.settling(scene(0.9, 0.0))
    assert referee.foresee(early, moves(1.0, confirm=None)).answer is Answer.HANDS
    assert referee.judge(scene(1.1, 0.3), moves(1.0, confirm=None)).answer is Answer.MOVE


def test_what_is_clear_is_taken_before_all_else_is_judged(referee: Referee) -> None:
    """After `clear_rest_s`, and in the second picture that shows it."""
    assert referee.foresee(scene(1.0, 0.04), moves(1.0, confirm=None)).answer is Answer.HANDS
    assert referee.foresee(scene(1.04, 0.08), moves(1.0, confirm=None)).answer is Answer.HANDS
    assert referee.foresee(scene(1.08, 0.12), moves(1.0, confirm=None)).answer is Answer.MOVE


def test_one_picture_alone_is_not_clear(referee: Referee) -> None:
    assert referee.foresee(scene(1.0, 0.12), moves(1.0, confirm=None)).answer is Answer.HANDS


def test_before_its_time_a_clear_move_waits_for_its_button(referee: Referee) -> None:
    referee.foresee(scene(1.0, 0.04), moves(1.0))
    assert referee.foresee(scene(1.1, 0.14), moves(1.0)).answer is Answer.WAITING_FOR_BUTTON
    referee.press(2, 1.12)
    assert referee.foresee(scene(1.14, 0.18), moves(1.0)).answer is Answer.MOVE


@pytest.mark.parametrize("reading", [moves(0.7, 0.3, confirm=None), fault(), UNFINISHED])
def test_what_is_not_clear_gets_its_whole_time(referee: Referee, reading: Reading) -> None:
    referee.press(2, 0.9)
    for time_s in (1.0, 1.1, 1.2):
        assert referee.foresee(scene(time_s, time_s - 0.95), reading).answer is Answer.HANDS


def test_what_was_taken_back_is_not_made_again_early(referee: Referee) -> None:
    referee.taken_back(("take 0",))
    for time_s in (1.0, 1.1, 1.2):
        assert referee.foresee(scene(time_s, time_s - 0.95), moves(1.0, confirm=None)).answer is Answer.HANDS


def test_a_press_on_what_is_early_known_to_lie_as_before_does_not_count_after_a_movement(referee: Referee) -> None:
    for time_s in (1.0, 1.1):
        verdict = referee.foresee(scene(time_s, time_s - 0.95), AS_BEFORE)
    assert verdict.answer is Answer.AS_BEFORE
    referee.press(2, 1.15)
    referee.hands(scene(1.2, 0.0))
    assert referee.judge(scene(2.0), moves(1.0)).answer is Answer.WAITING_FOR_BUTTON


def test_a_move_waits_for_its_own_button(referee: Referee) -> None:
    verdict = referee.judge(scene(1.0), moves(1.0))
    assert (verdict.answer, verdict.confirm) == (Answer.WAITING_FOR_BUTTON, 2)
    referee.press(3, 1.1)
    assert referee.judge(scene(1.2), moves(1.0)).answer is Answer.WAITING_FOR_BUTTON
    referee.press(2, 1.3)
    assert judge_twice(referee, 1.4, moves(1.0)).answer is Answer.MOVE


def test_a_press_counts_for_pictures_taken_after_it(referee: Referee) -> None:
    referee.press(2, 1.5)
    assert referee.counted(scene(1.4)) == frozenset()
    assert referee.judge(scene(1.4), moves(1.0)).answer is Answer.WAITING_FOR_BUTTON
    assert referee.counted(scene(1.5)) == {2}
    assert judge_twice(referee, 1.6, moves(1.0)).answer is Answer.MOVE


def test_a_press_while_hands_move_counts_for_what_lies_there_then(referee: Referee) -> None:
    referee.hands(scene(1.0, 0.0))
    referee.press(2, 1.1)
    referee.hands(scene(1.2, 0.0))
    assert judge_twice(referee, 1.6, moves(1.0)).answer is Answer.MOVE


@pytest.mark.parametrize("pressed_s", [1.1, 1.25])
def test_a_press_before_the_next_movement_does_not_count_after_it(referee: Referee, pressed_s: float) -> None:
    """Whether it came before or after the last picture at rest."""
    referee.judge(scene(1.2), AS_BEFORE)
    referee.press(2, pressed_s)
    referee.hands(scene(1.3, 0.0))
    assert referee.judge(scene(2.0), moves(1.0)).answer is Answer.WAITING_FOR_BUTTON


def test_a_press_newer_than_a_late_picture_of_movement_stays(referee: Referee) -> None:
    referee.judge(scene(1.0), AS_BEFORE)
    referee.press(2, 1.5)
    referee.hands(scene(1.3, 0.0))
    assert judge_twice(referee, 2.0, moves(1.0)).answer is Answer.MOVE


def test_without_buttons_rest_confirms() -> None:
    referee = Referee(Timing(0.3, 0.1, 2.0, confirm_rest_s=3.0))
    answers = judge_all(referee, moves(1.0), (1.0, 2.0, 3.0, 4.0))
    assert answers == [Answer.WAITING_FOR_BUTTON] * 3 + [Answer.MOVE]


def test_doubt_is_asked_when_the_player_has_finished(referee: Referee) -> None:
    reading = replace(moves(0.7, 0.3), others=frozenset({3}))
    waits = referee.judge(scene(1.0), reading)
    assert (waits.answer, waits.play) == (Answer.WAITING_FOR_BUTTON, None)
    assert (waits.confirm, waits.others) == (2, frozenset({3}))
    referee.press(2, 1.1)
    verdict = judge_twice(referee, 1.2, reading)
    assert verdict.answer is Answer.UNCLEAR
    assert [play.text for play in verdict.candidates] == ["take 0", "take 1"]
    assert judge_twice(referee, 1.3, moves(0.98, confirm=None)).answer is Answer.UNCLEAR
    assert judge_twice(referee, 1.4, moves(0.995)).answer is Answer.MOVE


def test_a_fault_stands_still_before_it_is_a_breach(referee: Referee) -> None:
    answers = judge_all(referee, fault(), (1.0, 1.5, 2.0, 2.5, 3.0))
    assert answers == [Answer.UNFINISHED] * 4 + [Answer.BREACH]


def test_a_fault_is_a_breach_at_once_when_somebody_presses(referee: Referee) -> None:
    referee.press(2, 1.0)
    assert judge_twice(referee, 1.1, fault()).answer is Answer.BREACH


def test_what_may_only_be_hidden_gets_its_time(referee: Referee) -> None:
    referee.press(2, 1.0)
    reading = fault("gone", certain=False, pieces=("7/1",))
    assert judge_all(referee, reading, (1.1, 1.4, 1.7)) == [Answer.UNFINISHED] * 3
    assert judge_all(referee, moves(1.0), (1.9, 2.0)) == [Answer.UNFINISHED, Answer.MOVE]


def test_pieces_missed_now_and_then_are_no_breach(referee: Referee) -> None:
    for step in range(60):
        reading = fault("gone", certain=False, pieces=(f"7/{step % 7}",)) if step % 2 else AS_BEFORE
        assert referee.judge(scene(1.0 + 0.1 * step), reading).answer is not Answer.BREACH


def test_a_piece_that_stays_away_is_a_breach_although_others_come_and_go(referee: Referee) -> None:
    answers = [
        referee.judge(scene(1.0 + 0.2 * step), fault(f"{step}", certain=False, pieces=("9/9", f"7/{step % 5}"))).answer
        for step in range(12)
    ]
    assert answers[-1] is Answer.BREACH


def test_a_certain_fault_may_blink(referee: Referee) -> None:
    readings = [fault(), AS_BEFORE, AS_BEFORE] * 4
    answers = [referee.judge(scene(1.0 + 0.3 * i), reading).answer for i, reading in enumerate(readings)]
    assert Answer.BREACH in answers


def test_movement_starts_the_clock_anew(referee: Referee) -> None:
    judge_all(referee, fault(), (1.0, 2.0))
    referee.hands(scene(2.5, 0.0))
    assert referee.judge(scene(3.1), fault()).answer is Answer.UNFINISHED


def test_what_lingers_unfinished_and_cannot_stay_is_a_breach(referee: Referee) -> None:
    lingering = Reading(ReadingKind.UNFINISHED, (), note="stray", fault=fault().fault)
    seconds = [1.0 + i for i in range(9)]
    answers = judge_all(referee, lingering, seconds)
    assert answers[0] is Answer.UNFINISHED
    assert answers[-1] is Answer.BREACH
    assert judge_all(Referee(TIMING), UNFINISHED, seconds)[-1] is Answer.UNFINISHED


def declining(probability: float = 1.0) -> Reading:
    play = Play(("decline",), probability, "no more")
    return Reading(ReadingKind.AS_BEFORE, (), plays=(play,), confirm=2, declares=frozenset({2}))


def test_declining_needs_the_button(referee: Referee) -> None:
    assert referee.judge(scene(1.0), declining()).answer is Answer.AS_BEFORE
    referee.press(3, 1.1)
    assert referee.judge(scene(1.2), declining()).answer is Answer.AS_BEFORE
    referee.press(2, 1.3)
    assert judge_twice(referee, 1.4, declining()).answer is Answer.MOVE


def test_declining_in_doubt_is_asked(referee: Referee) -> None:
    referee.press(2, 1.0)
    assert judge_twice(referee, 1.1, declining(0.8)).answer is Answer.UNCLEAR


def test_a_second_press_of_the_same_play_declines_nothing(referee: Referee) -> None:
    referee.made(2, 1.0)
    referee.press(2, 1.4)
    assert referee.judge(scene(1.5), declining()).answer is Answer.AS_BEFORE
    referee.press(2, 2.5)
    assert judge_twice(referee, 2.6, declining()).answer is Answer.MOVE


def test_who_goes_on_pressing_after_a_play_declines_nothing(referee: Referee) -> None:
    referee.made(2, 1.0)
    for time_s in (1.4, 2.1, 2.9):
        referee.press(2, time_s)
        assert referee.judge(scene(time_s + 0.1), declining()).answer is Answer.AS_BEFORE
    referee.press(2, 4.0)
    assert judge_twice(referee, 4.1, declining()).answer is Answer.MOVE


def test_another_players_press_counts_right_after_a_play(referee: Referee) -> None:
    referee.made(1, 1.0)
    referee.press(2, 1.2)
    assert judge_twice(referee, 1.3, moves(1.0)).answer is Answer.MOVE


def test_after_a_move_earlier_presses_are_forgotten(referee: Referee) -> None:
    referee.press(2, 1.0)
    referee.made(3, 1.1)
    assert referee.judge(scene(1.2), moves(1.0)).answer is Answer.WAITING_FOR_BUTTON


def test_what_was_taken_back_is_not_made_again_before_something_moves(referee: Referee) -> None:
    reading = moves(1.0, confirm=None)
    referee.taken_back(("take 0",))
    assert judge_all(referee, reading, (1.0, 5.0)) == [Answer.AS_BEFORE] * 2
    assert judge_twice(referee, 5.5, moves(1.0, confirm=None, name="other")).answer is Answer.MOVE
    referee.hands(scene(6.0, 0.0))
    assert judge_twice(referee, 7.0, reading).answer is Answer.MOVE


def hands_elsewhere(time_s: float, rest_s: float = 1.0) -> Scene:
    """Something moves, all else has been at rest for a while."""
    return Scene(time_s, int(time_s * 100), (), (), 0.0, settled=Settled((), rest_s))


def test_while_hands_move_elsewhere_a_plain_play_counts(referee: Referee) -> None:
    early, first, second = (hands_elsewhere(*times) for times in ((1.0, 0.2), (1.2, 0.4), (1.3, 0.5)))
    assert not referee.settled_apart(early)
    assert referee.settled_apart(first)
    assert not referee.settled(first)
    take = moves(1.0, confirm=None)
    assert [referee.judge_apart(s, take).answer for s in (first, second)] == [Answer.HANDS, Answer.MOVE]


@pytest.mark.parametrize("reading", [moves(0.6, 0.4, confirm=None), fault(), AS_BEFORE, UNFINISHED])
def test_while_hands_move_elsewhere_nothing_is_asked_and_nobody_is_told_off(referee: Referee, reading: Reading) -> None:
    answers = {referee.judge_apart(hands_elsewhere(t / 10, t / 10), reading).answer for t in range(4, 150)}
    assert answers == {Answer.HANDS}


def test_a_press_counts_while_other_hands_move(referee: Referee) -> None:
    referee.judge(scene(1.0), AS_BEFORE)
    referee.press(2, 1.1)
    assert referee.counted(hands_elsewhere(1.2, 1.0)) == {2}
    referee.judge_apart(hands_elsewhere(1.2, 1.0), moves(1.0))
    assert referee.judge_apart(hands_elsewhere(1.3, 1.1), moves(1.0)).answer is Answer.MOVE


@pytest.mark.parametrize("kind", [ReadingKind.FAULT, ReadingKind.UNFINISHED])
@pytest.mark.parametrize(
    ("cause", "certain", "answer"),
    [
        (HiddenCause.GLARE, False, Answer.UNFINISHED),
        (HiddenCause.GLARE, True, Answer.BREACH),
        (HiddenCause.DARK, False, Answer.UNFINISHED),
        (HiddenCause.STRIPES, False, Answer.UNFINISHED),
        (HiddenCause.FOREIGN, False, Answer.BREACH),
    ],
)
def test_what_glare_may_hide_is_asked_for_and_no_breach(
    referee: Referee, kind: ReadingKind, cause: HiddenCause, answer: Answer, *, certain: bool
) -> None:
    reading = replace(fault("Slice 3/1 cannot be seen.", certain=certain), kind=kind)
    hidden = HiddenPlace(((0.0, 0.0), (50.0, 0.0), (0.0, 50.0)), cause)
    verdicts = [referee.judge(replace(scene(1.0 + i / 5), hidden=(hidden,)), reading) for i in range(60)]
    assert verdicts[-1].answer is answer
    if answer is Answer.UNFINISHED:
        assert verdicts[-1].note == f"Slice 3/1 cannot be seen. {BLINDED[cause]}"
        assert Answer.BREACH not in {verdict.answer for verdict in verdicts}


@pytest.mark.parametrize("certain", [False, True])
def test_where_a_thing_lies_about_it_may_hide_what_is_missing(referee: Referee, *, certain: bool) -> None:
    reading = fault("Slice 3/1 cannot be seen.", certain=certain)
    mug = HiddenPlace(((0.0, 0.0), (50.0, 0.0), (0.0, 50.0)), HiddenCause.FOREIGN)
    verdicts = [referee.judge(replace(scene(1.0 + i / 5), hidden=(mug,)), reading) for i in range(60)]
    told = verdicts[-1].fault
    assert told is not None
    assert told.refusal.problem == "Slice 3/1 cannot be seen."
    assert told.refusal.remedy.endswith(LIES_OVER) is not certain


def lying(time_s: float, rest_s: float, *places_mm: float) -> Scene:
    """A table that has been at rest for a while, with pieces there."""
    pieces = tuple(
        Sighting(PieceKind.SLICE, Pose(x, 0.0, 0.0), (FaceLikelihood("1/1", 1.0),), True, 1.0, ((x, 0.0),) * 3)
        for x in places_mm
    )
    return Scene(time_s, int(time_s * 100), pieces, (), rest_s, settled=Settled(pieces, rest_s))


def moving(scene: Scene, hand_mm: float = -400.0) -> Scene:
    """The same while a hand moves there."""
    outline = tuple((hand_mm + x, y) for x, y in ((-20.0, -300.0), (20.0, -300.0), (20.0, 20.0), (-20.0, 20.0)))
    return replace(scene, at_rest_s=0.0, hidden=(HiddenPlace(outline, HiddenCause.HAND),))


def follow(referee: Referee, *scenes: Scene) -> None:
    for one in scenes:
        referee.follow(one)
        if referee.settled(one):
            referee.judge(one, AS_BEFORE)
        elif referee.settled_apart(one):
            referee.judge_apart(one, AS_BEFORE)
        else:
            referee.hands(one)


def square_at(x_mm: float, cause: HiddenCause = HiddenCause.GLARE) -> HiddenPlace:
    """Ten centimetres wide."""
    return HiddenPlace(
        tuple((x_mm + x, y) for x, y in ((-50.0, -50.0), (50.0, -50.0), (50.0, 50.0), (-50.0, 50.0))), cause
    )


def gone(
    missing: tuple[str, ...], *hidden: HiddenPlace, hand_mm: float, lay_mm: tuple[float, ...] = (-400.0,)
) -> Answer:
    """What is answered when a piece that lay there is missing, a hand having been somewhere meanwhile."""
    referee = Referee(TIMING)
    follow(referee, lying(1.0, 1.0, *lay_mm))
    follow(referee, replace(moving(lying(1.2, 0.0, *lay_mm), hand_mm), settled=None))
    reading = fault("Slice 1/1 cannot be seen.", certain=False, pieces=missing)
    for number in range(20):
        scene = replace(lying(2.0 + number / 5, 1.0 + number / 5), hidden=hidden)
        referee.follow(scene)
        verdict = referee.judge(scene, reading)
    return verdict.answer


def test_glare_hides_nothing_that_lay_elsewhere_and_that_no_hand_can_have_laid_there() -> None:
    assert gone(("1/1",), square_at(0.0), hand_mm=-400.0) is Answer.BREACH


@pytest.mark.parametrize(
    ("missing", "hidden", "hand_mm", "lay_mm"),
    [
        (("1/1",), (square_at(-400.0),), -400.0, (-400.0,)),
        (("1/1",), (square_at(-320.0),), -500.0, (-400.0,)),  # beside where it lay
        (("1/1",), (square_at(0.0),), 0.0, (-400.0,)),  # a hand may have laid it there
        (("1/1",), (square_at(0.0),), -400.0, ()),  # it was never seen
        (("1/1", "2/2"), (square_at(0.0),), -400.0, (-400.0,)),
        ((), (square_at(0.0),), -400.0, (-400.0,)),
        (("1/1",), (square_at(0.0), square_at(200.0, HiddenCause.DARK)), -400.0, (-400.0,)),
    ],
)
def test_what_glare_may_hide_where_it_lay_or_where_a_hand_was_is_no_breach(
    missing: tuple[str, ...], hidden: tuple[HiddenPlace, ...], hand_mm: float, lay_mm: tuple[float, ...]
) -> None:
    assert gone(missing, *hidden, hand_mm=hand_mm, lay_mm=lay_mm) is Answer.UNFINISHED


def test_where_hands_were_in_too_many_pictures_glare_anywhere_may_hide_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("controller.referee.MOST_HANDS", 0)
    assert gone(("1/1",), square_at(0.0), hand_mm=-400.0) is Answer.UNFINISHED


def test_a_press_is_used_up_when_what_lies_there_changes(referee: Referee) -> None:
    """Whoever lays pieces anew after a press presses again."""
    follow(referee, lying(1.0, 1.0, 0.0))
    referee.press(2, 1.1)
    follow(referee, moving(lying(1.2, 0.0, 0.0)), moving(lying(3.0, 0.0, 0.0)), lying(3.4, 0.4, 50.0))
    assert referee.counted(lying(3.4, 0.4, 50.0)) == frozenset()


def test_a_hand_that_changes_nothing_uses_up_no_press(referee: Referee) -> None:
    follow(referee, lying(1.0, 1.0, 0.0))
    referee.press(2, 1.1)
    follow(referee, moving(lying(1.2, 0.0, 0.0)), moving(lying(3.0, 0.0, 0.0)), lying(3.4, 0.4, 0.0))
    assert referee.counted(lying(3.4, 0.4, 0.0)) == {2}


def test_a_press_that_a_breach_has_answered_makes_no_play_of_what_is_put_right(referee: Referee) -> None:
    """Half-way there the table may look like a play of whoever pressed: nobody meant it."""
    referee.judge(lying(1.0, 1.0, 0.0), fault())
    referee.press(2, 1.1)
    assert [referee.judge(lying(t, t, 0.0), fault()).answer for t in (1.2, 1.3)][-1] is Answer.BREACH
    apart = [moving(lying(t, t, 0.0)) for t in (1.4, 1.5, 1.6)]
    for one in apart:
        referee.follow(one)
        assert referee.judge_apart(one, moves(1.0)).answer is Answer.HANDS
    referee.press(2, 1.7)
    last = lying(1.8, 0.4, 0.0)
    referee.follow(last)
    assert referee.judge(last, moves(1.0)).answer is Answer.MOVE, "a press after it counts"


def test_a_breach_stays_when_all_is_read_anew_and_no_hand_is_there(referee: Referee) -> None:
    """As when the camera follows the light."""
    follow(referee, lying(1.0, 1.0, 0.0))
    referee.press(2, 1.1)
    assert [referee.judge(lying(t, t, 0.0), fault()).answer for t in (1.2, 1.3)][-1] is Answer.BREACH
    anew = lying(1.4, 0.0, 0.0)
    referee.follow(anew)
    assert referee.hands(anew).answer is Answer.HANDS
    assert [referee.judge(lying(t, t, 0.0), fault()).answer for t in (1.8, 1.9)][-1] is Answer.BREACH


@pytest.mark.parametrize(("moved_mm", "answer"), [(0.0, Answer.BREACH), (50.0, Answer.UNFINISHED)])
def test_a_breach_stays_when_a_hand_has_changed_nothing(referee: Referee, moved_mm: float, answer: Answer) -> None:
    """Nobody needs to press again for what nobody has put right."""
    follow(referee, lying(1.0, 1.0, 0.0))
    referee.press(2, 1.1)
    assert [referee.judge(lying(t, t, 0.0), fault()).answer for t in (1.2, 1.3)][-1] is Answer.BREACH
    for t in (1.4, 1.5, 1.6):
        referee.follow(moving(lying(t, 0.0, 0.0)))
        referee.hands(moving(lying(t, 0.0, 0.0)))
    assert not referee.counted(lying(1.6, 0.0, 0.0))
    for t in (2.0, 2.1):
        after = lying(t, t - 1.6, moved_mm)
        referee.follow(after)
        verdict = referee.judge(after, fault())
    assert verdict.answer is answer


def as_kind(scene: Scene, kind: PieceKind) -> Scene:
    """The same with other pieces in place of slices."""
    assert scene.settled is not None
    others = tuple(replace(piece, kind=kind) for piece in scene.sightings)
    return replace(scene, sightings=others, settled=replace(scene.settled, sightings=others))


@pytest.mark.parametrize("kind", [PieceKind.CUTTER, PieceKind.SHEET, PieceKind.DIE])
@pytest.mark.parametrize(("slid_mm", "counted"), [(2.5, {2}), (20.0, set())])
def test_what_is_only_measured_anew_uses_up_no_press(
    referee: Referee, kind: PieceKind, slid_mm: float, counted: set[int]
) -> None:
    """How far along itself a stick lies, or where exactly a sheet does, means nothing."""
    follow(referee, as_kind(lying(1.0, 1.0, 0.0), kind))
    referee.press(2, 1.1)
    follow(referee, as_kind(lying(1.4, 0.4, slid_mm), kind))
    assert referee.counted(lying(1.4, 0.4, slid_mm)) == counted


def marked(time_s: float, likely: float, *, hand: bool = False) -> Scene:
    """A sheet with a dot so likely, and a hand far from it or none."""
    sheet = as_kind(lying(time_s, 0.4, 0.0), PieceKind.SHEET)
    pieces = tuple(replace(s, marks=(SheetMark(MarkKind.DOT, (1, 1), likely),)) for s in sheet.sightings)
    hidden = (HiddenPlace(((300.0, 300.0), (320.0, 300.0), (310.0, 330.0)), HiddenCause.HAND),) if hand else ()
    return replace(sheet, sightings=pieces, hidden=hidden, settled=Settled(pieces, 0.4))


@pytest.mark.parametrize(
    ("likely", "hand", "after_s", "counted"),
    [(0.5, True, 0.3, {2}), (0.95, True, 0.3, set()), (0.95, False, 2.0, set()), (0.95, False, 0.3, {2})],
)
def test_a_mark_written_after_a_press_uses_it_up_and_one_that_is_only_read_then_does_not(
    referee: Referee, likely: float, hand: bool, after_s: float, counted: set[int]
) -> None:
    """Nobody writes in a moment, nor without a hand anywhere."""
    follow(referee, marked(1.0, 0.05))
    referee.press(2, 1.1)
    follow(referee, marked(1.2, 0.05, hand=hand), marked(1.1 + after_s, likely))
    assert referee.counted(marked(1.1 + after_s, likely)) == counted


def test_a_press_is_used_up_by_a_change_of_what_is_seen_badly_too(referee: Referee) -> None:
    """It may be the very piece that was laid wrong when the button was pressed."""
    faint = lying(1.0, 1.0, 0.0, 300.0)
    faint = replace(faint, sightings=tuple(replace(s, faces=(FaceLikelihood("1/1", 0.8),)) for s in faint.sightings))
    faint = replace(faint, settled=Settled(faint.sightings, 1.0))
    one_less = replace(faint, time_s=4.4, settled=Settled(faint.sightings[:1], 0.4))
    follow(referee, faint)
    referee.press(2, 1.1)
    follow(referee, one_less)
    assert referee.counted(lying(4.8, 0.8, 0.0)) == frozenset()


def test_a_guess_that_goes_again_uses_up_no_press(referee: Referee) -> None:
    """Beside a hand something looked a little like a piece."""
    scene = lying(1.0, 1.0, 0.0, 300.0)
    real, other = scene.sightings
    ghost = replace(other, faces=(FaceLikelihood("2/1", 0.4),))
    follow(referee, replace(scene, sightings=(real, ghost), settled=Settled((real, ghost), 1.0)))
    referee.press(2, 1.1)
    follow(referee, lying(1.4, 0.4, 0.0))
    assert referee.counted(lying(1.8, 0.8, 0.0)) == {2}


def test_a_press_counts_when_a_piece_that_a_hand_partly_covered_is_seen_again(referee: Referee) -> None:
    """Its place is farther from the hand than its rim."""
    pieces = lying(1.0, 1.0, 0.0).sightings
    rim = tuple((50.0 + x, 60.0 + y) for x, y in ((-30.0, -45.0), (30.0, -45.0), (30.0, 45.0), (-30.0, 45.0)))
    covered = replace(pieces[0], pose=Pose(50.0, 80.0, 0.0), faces=(FaceLikelihood("3/1", 1.0),), outline_mm=rim)
    follow(referee, moving(lying(1.0, 1.0, 0.0), hand_mm=50.0))
    referee.press(2, 1.1)
    seen = lying(2.0, 0.4, 0.0)
    both = (*seen.sightings, covered)
    follow(referee, replace(seen, sightings=both, settled=Settled(both, 0.4)))
    assert referee.counted(lying(2.4, 0.8, 0.0)) == {2}


def test_a_press_made_while_the_hand_still_lets_go_counts(referee: Referee) -> None:
    follow(referee, lying(1.0, 1.0, 0.0), moving(lying(1.2, 1.2, 0.0), hand_mm=50.0))
    referee.press(2, 2.5)
    follow(referee, moving(lying(2.6, 2.6, 0.0), hand_mm=300.0), lying(3.4, 0.4, 50.0))
    assert referee.counted(lying(3.4, 0.4, 50.0)) == {2}


def test_a_press_made_when_the_hand_has_just_let_go_counts(referee: Referee) -> None:
    """The piece lay there when the button was pressed; that it is at rest is seen only after that."""
    follow(referee, lying(1.0, 1.0, 0.0), moving(lying(1.2, 0.0, 0.0), hand_mm=50.0), lying(1.5, 0.0, 0.0))
    referee.press(2, 1.6)
    follow(referee, lying(1.8, 0.4, 0.0, 50.0))
    assert referee.counted(lying(1.8, 0.4, 0.0, 50.0)) == {2}


def test_what_a_hand_has_just_written_is_read_after_the_press(referee: Referee) -> None:
    """The hand was over the middle of a sheet, far from its rim and its centre."""

    def marked(time_s: float, likely: float) -> Scene:
        sheet = as_kind(lying(time_s, 0.4, 0.0), PieceKind.SHEET)
        rim = ((-80.0, -100.0), (80.0, -100.0), (80.0, 100.0), (-80.0, 100.0))
        dot = (SheetMark(MarkKind.DOT, (1, 1), likely),)
        pieces = tuple(replace(s, marks=dot, outline_mm=rim) for s in sheet.sightings)
        return replace(sheet, sightings=pieces, settled=Settled(pieces, 0.4))

    tip = ((40.0, 50.0), (50.0, 50.0), (50.0, 60.0), (40.0, 60.0))
    writing = replace(marked(1.2, 0.05), hidden=(HiddenPlace(tip, HiddenCause.HAND),), at_rest_s=0.0)
    follow(referee, marked(1.0, 0.05), writing, marked(1.5, 0.05))
    referee.press(2, 1.6)
    follow(referee, marked(1.8, 0.95))
    assert referee.counted(marked(1.8, 0.95)) == {2}


def test_a_press_is_used_up_where_the_hand_comes_back_after_it(referee: Referee) -> None:
    follow(referee, lying(1.0, 1.0, 0.0), moving(lying(1.2, 0.0, 0.0), hand_mm=50.0), lying(1.5, 0.0, 0.0))
    referee.press(2, 1.6)
    follow(referee, moving(lying(1.8, 0.0, 0.0), hand_mm=50.0), lying(2.2, 0.4, 50.0))
    assert referee.counted(lying(2.2, 0.4, 50.0)) == frozenset()


def test_a_press_is_used_up_by_what_lies_where_a_hand_was_long_ago(referee: Referee) -> None:
    follow(referee, lying(1.0, 1.0, 0.0), moving(lying(1.2, 0.0, 0.0), hand_mm=50.0))
    follow(referee, *(lying(t / 10, t / 10 - 1.2, 0.0) for t in range(13, 30)))
    referee.press(2, 3.0)
    follow(referee, lying(3.2, 0.4, 0.0, 50.0))
    assert referee.counted(lying(3.2, 0.4, 0.0, 50.0)) == frozenset()


def test_a_press_is_not_meant_for_what_is_laid_down_right_after_it(referee: Referee) -> None:
    """Somebody else's hand has been moving all the time."""
    follow(referee, moving(lying(1.0, 1.0, 0.0)))
    referee.press(2, 1.1)
    follow(referee, moving(lying(1.2, 1.2, 0.0)), moving(lying(1.9, 0.1, 50.0)), lying(2.3, 0.4, 50.0))
    assert referee.counted(lying(2.3, 0.4, 50.0)) == frozenset()


def test_an_early_press_is_used_up_however_long_somebody_s_hands_have_been_moving(referee: Referee) -> None:
    """Hands elsewhere have moved since before the press; then the pieces are laid anew."""
    follow(referee, lying(1.0, 1.0, 0.0), moving(lying(1.2, 1.2, 0.0)))
    referee.press(2, 2.0)
    follow(referee, moving(lying(2.1, 2.1, 0.0)), moving(lying(6.0, 0.4, 50.0)), lying(7.0, 0.5, 50.0))
    assert referee.counted(lying(7.0, 0.5, 50.0)) == frozenset()


def test_what_was_taken_back_is_not_made_again_by_hands_elsewhere(referee: Referee) -> None:
    referee.taken_back(("take 0",))
    take = moves(1.0, confirm=None)
    assert {referee.judge_apart(hands_elsewhere(1 + t / 10), take).answer for t in range(9)} == {Answer.HANDS}
