"""What single scenes say: in each phase as before, unfinished, a move, and each breach."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from controller.games.new_york_slice import GAME, headings, rules
from controller.games.new_york_slice.components import SUPREME
from controller.games.new_york_slice.rules import (
    ChooseStack,
    Decide,
    Dibs,
    Divide,
    EatSeconds,
    Mystery,
    Phase,
    Redraw,
    Reveal,
    RevealEaten,
    Sneak,
    State,
    Take,
)
from controller.games.new_york_slice.table import GAME_TABLE
from controller.hands import Lay
from controller.reading import Fault, Layout, Reading, ReadingKind
from tests.controller.games.new_york_slice.situations import (
    RING,
    divided,
    faces,
    game,
    having,
    in_round,
    owning,
    play,
    quarters,
    served,
    takes,
)
from tests.controller.laid_table import LaidWorld
from vision.scene import FaceLikelihood, PieceKind, Pose, Scene

NOTHING: frozenset[str] = frozenset()
OTHER_RING = faces("3/1 5/2 6/1 6/2 8/1 8/2 9/3 10/1 10/2 11/5 11/6")


class Situation:
    """A state, laid as it says."""

    def __init__(self, state: State, seed: int = 1) -> None:
        self.state = state
        self.world = LaidWorld(state.players, seed)
        self.world.arrange(state)
        self.layout = Layout(self.world.areas)

    def read(self, *pressed: int, scene: Scene | None = None) -> Reading:
        return GAME_TABLE.read(self.state, scene or self.world.scene(), self.layout, frozenset(pressed))

    def moves(self, *pressed: int) -> tuple[rules.Move, ...]:
        """The only play that fits."""
        reading = self.read(*pressed)
        assert reading.kind is ReadingKind.MOVES, (reading.kind, reading.note, reading.fault)
        assert reading.plays[0].probability > 0.99
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

    def as_before(self, *pressed: int) -> bool:
        return self.read(*pressed).kind is ReadingKind.AS_BEFORE

    def swap(self, one: str, other: str) -> None:
        a, b = self.world.pose(one), self.world.pose(other)
        self.world.lay(Lay(one, b, True), Lay(other, a, True))


def pizza(players: int = 4, ring: Sequence[str] = RING, special: str = rules.STUFFED_CRUST) -> State:
    return served(game(players), ring, special)


# Every phase, left alone ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [
        game(),
        pizza(),
        quarters(pizza()),
        takes(quarters(pizza()), 2, 1, attach="9"),
        having(owning(pizza(), 3, rules.BUFFET), 3, "3/1 3/2 5/5", "6/1"),
        play(owning(in_round(game(), 5), 2, rules.CUT_IN_LINE), ChooseStack(5), Reveal(rules.DIBS, RING)),
    ],
)
def test_what_lies_as_the_state_says_is_as_before(state: State) -> None:
    situation = Situation(state)
    assert situation.as_before()
    assert situation.as_before(*range(1, state.players + 1))


def test_places_and_faces_are_named() -> None:
    situation = Situation(having(takes(quarters(pizza()), 2, 1, attach="9"), 3, "3/1", "6/1"))
    reading = situation.read()
    named = dict(zip(reading.faces, reading.places, strict=True))
    assert named["supreme"] == "seat/2/collected"
    assert named["3/1"] == "seat/3/collected"
    assert named["back"] == "seat/3/eaten"
    assert named["9/9"] == "portion/2"
    assert (
        named[rules.STUFFED_CRUST] == f"portion/{next(i for i, p in enumerate(situation.state.portions) if p.special)}"
    )


# Start each round -----------------------------------------------------------------------------------------------------


def serve(situation: Situation, ring: Sequence[str] = RING, special: str = rules.STUFFED_CRUST) -> None:
    world = situation.world
    world.carry_out(world.hands._serve(situation.state.slicer, special, tuple(ring)))


def test_eleven_slices_and_a_special_are_a_pizza() -> None:
    situation = Situation(game())
    serve(situation)
    stack, reveal = situation.moves()
    assert stack == ChooseStack(1)
    assert isinstance(reveal, Reveal)
    assert GAME.apply(GAME.apply(situation.state, stack), reveal) == pizza()


@pytest.mark.parametrize("missing", [("7/1",), RING[:6], (rules.STUFFED_CRUST,)])
def test_a_pizza_is_not_served_before_everything_lies_there(missing: tuple[str, ...]) -> None:
    situation = Situation(game())
    serve(situation)
    situation.world.remove(*missing)
    assert situation.unfinished()


def test_slices_that_lie_in_no_circle_wait() -> None:
    situation = Situation(game())
    serve(situation)
    pose = situation.world.pose(RING[0])
    situation.world.lay(Lay(RING[0], Pose(pose.x_mm, pose.y_mm, pose.angle_deg + 30), True))
    assert "circle" in situation.unfinished()


def test_a_second_special_and_a_face_down_slice_wait() -> None:
    situation = Situation(game())
    serve(situation)
    situation.world.flip(RING[3])
    assert situation.unfinished()
    situation.world.flip(RING[3])
    situation.world.lay(Lay(rules.BUFFET, Pose(-172, 0, 90), True))
    assert "one Special" in situation.unfinished()


def test_a_slice_removed_at_set_up_is_refused() -> None:
    situation = Situation(game(2))
    serve(situation, ("10/4", *RING[1:]))
    fault = situation.fault()
    assert fault.refusal.heading == headings.SETUP
    assert fault.refusal.pieces == ("10/4",)
    assert fault.sightings


def test_a_slice_served_before_is_refused() -> None:
    state = takes(quarters(pizza()), 2, 1, attach="9")
    situation = Situation(replace(state, phase=Phase.STACK, ring=(), portions=(), special=None, order=()))
    serve(situation, ("7/1", *OTHER_RING[1:]), rules.BUFFET)
    assert situation.heading() == headings.SETUP


def test_a_twelfth_slice_is_refused() -> None:
    situation = Situation(game())
    serve(situation)
    situation.world.lay(Lay("3/1", Pose(0, 0, 77), True))
    assert situation.heading() == headings.START_ROUND


def test_a_special_seen_before_is_refused() -> None:
    situation = Situation(owning(in_round(game(), 2), 3, rules.BUFFET))
    situation.world.remove(rules.BUFFET)
    serve(situation, special=rules.BUFFET)
    assert situation.read().kind is ReadingKind.FAULT


def test_a_special_that_cannot_be_used_is_replaced() -> None:
    state = play(game(2), ChooseStack(1), Reveal(rules.CUT_IN_LINE, RING))
    situation = Situation(state)
    assert "put it away" in situation.unfinished()
    situation.world.lay(Lay(rules.BUFFET, Pose(0, -172, 90), True))
    assert situation.unfinished() == "Put Cut in Line away: it cannot be used now."
    situation.world.flip(rules.CUT_IN_LINE)
    assert situation.unfinished() == "A Special lies face down outside of the players' areas."
    situation.world.remove(rules.CUT_IN_LINE)
    assert situation.moves() == (Redraw(rules.BUFFET),)
    assert situation.read().note == "Buffet takes the place of Cut in Line"
    situation.world.remove(rules.BUFFET)
    assert situation.unfinished()


def test_doubtful_faces_of_a_new_pizza_are_asked_about() -> None:
    situation = Situation(game())
    serve(situation)
    reading = situation.read(scene=doubted(situation.world.scene(), "11/1", ("11/1", 0.7), ("11/2", 0.29)))
    assert reading.kind is ReadingKind.MOVES
    assert len(reading.plays) == 2
    assert reading.plays[0].probability == pytest.approx(0.7, abs=0.05)
    assert [play.differs for play in reading.plays] == [("11/1",), ("11/2",)]


def test_a_doubt_that_the_state_resolves_is_none() -> None:
    situation = Situation(served(having(game(), 2, "11/2")))
    scene = doubted(situation.world.scene(), "11/1", ("11/2", 0.6), ("11/1", 0.39))
    assert situation.read(scene=scene).kind is ReadingKind.AS_BEFORE


def test_what_lies_where_it_belongs_makes_no_doubt_of_what_comes() -> None:
    """In a bad light many a slice may look a little like none that is known; each was known when it was laid there."""
    collected = [f"10/{i}" for i in range(1, 8)]
    situation = Situation(having(game(), 2, " ".join(collected)))
    serve(situation)
    scene = situation.world.scene()
    for face in collected:
        scene = doubted(scene, face, (face, 0.87))
    (only,) = situation.read(scene=scene).plays
    assert only.probability > 0.99


def doubted(scene: Scene, face: str, *likelihoods: tuple[str, float]) -> Scene:
    """The same scene with one face in doubt."""
    likely = tuple(FaceLikelihood(f, p) for f, p in likelihoods)
    return replace(scene, sightings=tuple(replace(s, faces=likely) if s.face == face else s for s in scene.sightings))


def test_a_guess_at_something_that_cannot_be_there_is_nothing() -> None:
    situation = Situation(pizza())
    scene = situation.world.scene()
    shadow = replace(scene.sightings[0], pose=Pose(150, 150, 10), faces=(FaceLikelihood("10/9", 0.6),))
    assert situation.read(scene=replace(scene, sightings=(*scene.sightings, shadow))).kind is ReadingKind.AS_BEFORE


def guessed_back(scene: Scene, lying_face: str, probability: float = 0.6) -> Scene:
    """The same scene with something like a slice's back beside a slice that lies there."""
    beside = next(s for s in scene.sightings if s.face == lying_face)
    pose = replace(beside.pose, x_mm=beside.pose.x_mm + 40.0)
    ghost = replace(beside, pose=pose, faces=(FaceLikelihood("back", probability),), face_up=False)
    return replace(scene, sightings=(*scene.sightings, ghost))


def test_backs_seen_badly_make_no_doubt_of_what_is_taken_while_a_mystery_slice_may_come() -> None:
    """Each of several backs in a fan shows little; none of them is a slice that nobody has seen."""
    situation = Situation(having(chosen(special=rules.MYSTERY_SLICE), 3, "5/2", "6/1 6/2 8/1 8/2"))
    moves = (Take(2, index_of(situation.state, "7/2")), Decide(2, NOTHING))
    situation.world.play(situation.state, *moves)
    (only,) = situation.read(2, scene=doubted(situation.world.scene(), "back", ("back", 0.66))).plays
    assert only.moves == moves
    assert only.probability > 0.99


def test_a_guess_at_a_back_where_every_slice_is_seen_is_nothing() -> None:
    situation = Situation(having(chosen(), 3, "5/2", "6/1"))
    scene = situation.world.scene()
    assert situation.read(scene=guessed_back(scene, "5/2")).kind is ReadingKind.AS_BEFORE
    claimed = situation.read(scene=guessed_back(scene, "5/2", 0.95))
    assert claimed.kind is ReadingKind.FAULT
    moves = (Take(2, index_of(situation.state, "7/2")), Decide(2, frozenset({"7/2"})))
    situation.world.play(situation.state, *moves)
    (only,) = situation.read(2, scene=guessed_back(situation.world.scene(), "5/2")).plays
    assert only.moves == moves


def test_what_looks_like_a_piece_that_is_surely_seen_elsewhere_is_nothing() -> None:
    situation = Situation(having(chosen(), 3, "5/2 6/1"))
    scene = situation.world.scene()
    own = next(s for s in scene.sightings if s.face == "5/2")

    def with_ghost(probability: float) -> Scene:
        ghost = replace(own, pose=Pose(-150, -150, 10), faces=(FaceLikelihood("5/2", probability),))
        return replace(scene, sightings=(*scene.sightings, ghost))

    assert situation.read(scene=with_ghost(0.93)).kind is ReadingKind.AS_BEFORE
    assert situation.read(scene=with_ghost(0.99)).kind is not ReadingKind.AS_BEFORE


def test_a_guess_at_a_back_is_a_slice_where_one_is_not_seen_any_more() -> None:
    situation = Situation(having(chosen(), 3, "5/2 6/1"))
    scene = situation.world.scene()
    without = replace(scene, sightings=tuple(s for s in scene.sightings if s.face != "6/1"))
    fault = situation.read(scene=guessed_back(without, "5/2")).fault
    assert fault is not None
    assert "may not eat" in fault.refusal.problem


# Divide ---------------------------------------------------------------------------------------------------------------


def test_a_pizza_pulled_apart_is_divided() -> None:
    situation = Situation(pizza())
    move = Divide((RING[:4], RING[4:6], RING[6:9], RING[9:]), 1)
    situation.world.play(situation.state, move)
    reading = situation.read()
    assert reading.confirm == situation.state.slicer
    assert GAME.apply(situation.state, situation.moves()[0]) == GAME.apply(situation.state, move)


def test_the_special_alone_is_a_portion() -> None:
    situation = Situation(pizza())
    move = Divide((RING[:4], RING[4:6], RING[6:], ()), 3)
    situation.world.play(situation.state, move)
    assert GAME.apply(situation.state, situation.moves()[0]) == GAME.apply(situation.state, move)


def test_a_special_between_two_portions_is_asked_about() -> None:
    situation = Situation(pizza(3))
    situation.world.play(situation.state, Divide((RING[:4], RING[4:8], RING[8:]), 0))
    ends = situation.world.pose(RING[3]), situation.world.pose(RING[4])
    x, y = (sum(getattr(p, axis) for p in ends) / 2 for axis in ("x_mm", "y_mm"))
    angle = (ends[0].angle_deg + (ends[1].angle_deg - ends[0].angle_deg + 180) % 360 / 2 - 90) % 360
    middle = Pose(x, y, angle)
    situation.world.lay(Lay(rules.STUFFED_CRUST, middle, True))
    reading = situation.read(1)
    assert reading.kind is ReadingKind.MOVES
    assert reading.plays[0].probability < 0.99


@pytest.mark.parametrize(
    "portions",
    [
        (RING[:4], RING[4:8], RING[8:]),
        (RING[:2], RING[2:4], RING[4:6], RING[6:8], RING[8:]),
    ],
)
def test_too_few_and_too_many_portions_are_refused_when_the_slicer_has_finished(
    portions: tuple[tuple[str, ...], ...],
) -> None:
    situation = Situation(pizza())
    world = situation.world
    world.carry_out(world.hands._divide(1, Divide(portions, 0), rules.STUFFED_CRUST, world.lying()))
    assert situation.unfinished()
    assert situation.heading(1) == headings.DIVIDE


def test_an_empty_portion_is_refused() -> None:
    """With nothing in it, it is one portion too few."""
    situation = Situation(pizza(3))
    world = situation.world
    world.carry_out(world.hands._divide(1, Divide((RING[:4], RING[4:]), 0), rules.STUFFED_CRUST, world.lying()))
    fault = situation.fault(1)
    assert fault.refusal.heading == headings.DIVIDE
    assert "Too few" in fault.refusal.problem


def test_a_changed_order_is_refused() -> None:
    situation = Situation(pizza())
    situation.swap(RING[2], RING[7])
    fault = situation.fault()
    assert fault.refusal.heading == headings.DIVIDE
    assert "order" in fault.refusal.problem
    assert fault.sightings


@pytest.mark.parametrize("piece", ["9/2", rules.STUFFED_CRUST])
def test_nothing_of_the_pizza_disappears(piece: str) -> None:
    situation = Situation(pizza())
    situation.world.remove(piece)
    fault = situation.fault()
    assert fault.refusal.pieces == (piece,)
    assert not fault.certain


def test_a_stray_slice_waits_and_cannot_stay() -> None:
    situation = Situation(pizza())
    situation.world.lay(Lay("9/2", Pose(120, 120, 45), True))
    reading = situation.read()
    assert reading.kind is ReadingKind.UNFINISHED
    assert reading.fault is not None
    assert situation.heading(1)


def test_nobody_takes_before_the_pizza_is_divided() -> None:
    situation = Situation(pizza())
    situation.world.give(3, "9/2")
    fault = situation.fault()
    assert fault.player == 3
    assert fault.refusal.heading == headings.CHOOSE
    assert fault.refusal.remedy.endswith("until player 1 has divided the pizza and pressed the button.")


# Dibs! ----------------------------------------------------------------------------------------------------------------


def with_dibs(player: int = 3) -> State:
    return served(owning(in_round(game(), 2), player, rules.DIBS))


@pytest.mark.parametrize("eat", [False, True])
def test_dibs_takes_one_slice(eat: bool) -> None:
    situation = Situation(with_dibs())
    situation.world.play(situation.state, Dibs(3, "7/1", eat))
    assert situation.read().confirm == 3
    assert situation.moves() == (Dibs(3, "7/1", eat),)


def test_dibs_is_turned_face_down_to_be_called() -> None:
    situation = Situation(with_dibs())
    situation.world.flip(rules.DIBS)
    assert "take a slice, or turn it face up" in situation.unfinished()
    situation.world.flip(rules.DIBS)
    situation.world.give(3, "7/1")
    reading = situation.read()
    assert "face down" in reading.note
    assert reading.kind is ReadingKind.UNFINISHED
    assert reading.fault is not None
    assert reading.fault.refusal.heading == headings.DIBS
    assert "Dibs! has not been played" in reading.fault.refusal.problem


def test_dibs_takes_no_two_slices() -> None:
    situation = Situation(with_dibs())
    situation.world.flip(rules.DIBS)
    situation.world.give(3, "7/1", "7/2")
    assert situation.fault().player == 3
    assert "until player 2 has divided" in situation.fault().refusal.remedy


def test_dibs_eats_no_slice_without_pepperoni() -> None:
    situation = Situation(with_dibs())
    situation.world.flip(rules.DIBS)
    situation.world.give(3, "9/9", face_up=False)
    assert "pepperoni" in situation.fault(3).refusal.problem


def test_a_slice_gained_by_dibs_is_laid_to_a_waiting_supreme_slice() -> None:
    state = served(having(owning(in_round(game(), 2), 3, rules.DIBS), 3, SUPREME), [*RING[:7], "9/1", *RING[8:]])
    situation = Situation(state)
    situation.world.play(state, Dibs(3, "7/1", False, "7"))
    assert situation.moves() == (Dibs(3, "7/1", False, "7"),)


# Choose a portion -----------------------------------------------------------------------------------------------------


def chosen(special_in: int = 0, special: str = rules.STUFFED_CRUST) -> State:
    """Quarters; player 2 is next."""
    return quarters(pizza(special=special), special_in)


def index_of(state: State, face: str) -> int:
    return next(i for i, portion in enumerate(state.portions) if face in portion.slices)


def with_special(state: State) -> int:
    return next(i for i, portion in enumerate(state.portions) if portion.special)


@pytest.mark.parametrize("eaten", ["", "7/2", "7/2 11/1"])
def test_a_portion_is_taken_and_eaten(eaten: str) -> None:
    situation = Situation(chosen())
    moves = (Take(2, index_of(situation.state, "7/2")), Decide(2, frozenset(faces(eaten))))
    situation.world.play(situation.state, *moves)
    assert situation.moves() == moves
    assert situation.read().confirm == 2


def test_the_special_comes_with_its_portion() -> None:
    situation = Situation(chosen())
    portion = with_special(situation.state)
    moves = (Take(2, portion), Decide(2, NOTHING))
    situation.world.play(situation.state, *moves)
    assert situation.moves() == moves
    situation.world.lay(Lay(rules.STUFFED_CRUST, Pose(0, 172, 90), True))
    assert "still has to take" in situation.unfinished()
    assert situation.heading(2) == headings.CHOOSE


def test_the_special_does_not_come_alone_when_slices_lie_with_it() -> None:
    situation = Situation(chosen())
    situation.world.give(2, rules.STUFFED_CRUST)
    assert "still has to take" in situation.unfinished()
    assert situation.heading(2) == headings.CHOOSE


def test_a_special_that_slipped_to_another_portion_is_named() -> None:
    situation = Situation(chosen())
    situation.world.give(2, "9/9", "5/1", "7/1", rules.STUFFED_CRUST)
    assert "Stuffed Crust belongs to the portion with 4, 9/11 combo, Anchovy" in situation.fault().refusal.problem
    situation = Situation(chosen())
    situation.world.give(2, "9/9", "5/1", "7/2", rules.STUFFED_CRUST)
    assert situation.fault().refusal.problem.endswith("5, 7, 9, Stuffed Crust.")
    situation = Situation(
        divided(pizza(), "4/1 combo-9-11 anchovy supreme 9/2", "9/9 5/1 7/1", "7/2 11/1 11/10", "", special_in=3)
    )
    situation.world.give(2, "9/9", "5/1", "7/1", rules.STUFFED_CRUST)
    assert "is a portion by itself" in situation.fault().refusal.problem


def test_the_special_of_a_portion_lies_face_up_where_it_is_seen() -> None:
    situation = Situation(chosen())
    situation.world.play(situation.state, Take(2, with_special(situation.state)), Decide(2, NOTHING))
    situation.world.flip(rules.STUFFED_CRUST)
    assert "Stuffed Crust face down, but it cannot be used" in situation.fault().refusal.problem
    situation.world.remove(rules.STUFFED_CRUST)
    assert "still has to take Stuffed Crust" in situation.unfinished()
    fault = situation.fault(2)
    assert (fault.refusal.pieces, fault.certain) == ((rules.STUFFED_CRUST,), False)


def test_half_a_portion_waits_and_is_refused_when_confirmed() -> None:
    situation = Situation(chosen())
    situation.world.give(2, "7/2", "11/1")
    assert "11" in situation.unfinished()
    assert situation.unfinished(3)
    fault = situation.fault(2)
    assert fault.player == 2
    assert fault.refusal.heading == headings.CHOOSE


def test_slices_of_two_portions_are_refused() -> None:
    situation = Situation(chosen())
    situation.world.give(2, "7/2", "9/9")
    assert situation.heading() == headings.CHOOSE


def test_a_slice_without_pepperoni_may_not_be_eaten() -> None:
    situation = Situation(chosen())
    state = situation.state
    situation.world.play(state, Take(2, index_of(state, "9/9")), Decide(2, NOTHING))
    situation.world.flip("9/9")
    assert "pepperoni" in situation.fault(2).refusal.problem
    assert situation.heading() == headings.CHOOSE


def test_choosing_out_of_turn_is_refused() -> None:
    situation = Situation(chosen())
    situation.world.give(4, "7/2", "11/1", "11/10")
    fault = situation.fault()
    assert (fault.player, fault.refusal.heading) == (4, headings.NEXT_PLAYER)


def test_the_next_player_waits_for_the_one_before() -> None:
    situation = Situation(chosen())
    situation.world.give(2, "7/2", "11/1", "11/10")
    situation.world.give(3, "9/9", "5/1", "7/1")
    assert situation.fault(3).player == 3
    assert isinstance(situation.moves(2)[-1], Decide)


def test_a_slice_of_no_pizza_that_lies_with_somebody_is_named() -> None:
    """One of the extra slices that another takes; a slice that is snatched while the pizza is served."""
    situation = Situation(chosen(special=rules.MYSTERY_SLICE))
    situation.world.give(3, "10/9")
    assert situation.fault().refusal.problem == "Slice 10 lies in front of player 3, who has not received it."
    situation = Situation(game())
    serve(situation)
    situation.world.give(2, "7/1")
    assert situation.fault().refusal.problem == "Slice 7 lies in front of player 2, who has not received it."


def test_a_second_portion_is_refused() -> None:
    situation = Situation(takes(chosen(), 2, 1, attach="9"))
    situation.world.give(2, "7/2", "11/1", "11/10")
    assert situation.fault(2).player == 2


def test_a_collected_slice_may_not_be_eaten_later() -> None:
    situation = Situation(having(chosen(), 3, "5/2 6/1"))
    situation.world.flip("6/1")
    fault = situation.fault()
    assert fault.player == 3
    assert "may not eat" in fault.refusal.problem


def test_a_collected_slice_may_not_disappear() -> None:
    situation = Situation(having(chosen(), 3, "5/2 6/1"))
    situation.world.remove("6/1")
    fault = situation.fault()
    assert (fault.player, fault.certain, fault.refusal.pieces) == (3, False, ("6/1",))


def test_an_eaten_slice_may_not_be_collected_or_disappear() -> None:
    situation = Situation(having(chosen(), 3, "5/2", "6/1"))
    situation.world.flip("6/1")
    assert "eaten" in situation.fault().refusal.problem
    situation.world.remove("6/1")
    assert not situation.fault().certain


def lying_slices() -> Situation:
    return Situation(having(chosen(), 3, "5/2 6/1", "8/1 8/2"))


@pytest.mark.parametrize(
    ("turned", "said"),
    [
        (
            ("5/2", "6/1"),
            "Player 3 turned Slices 5, 6 face down, but may not eat them now. "
            "Turn them face up again: only slices of the portion just taken may be eaten.",
        ),
        (
            ("8/1", "8/2"),
            "Slices 8, 8 were eaten and lie face up again. Turn them face down: an eaten slice stays eaten.",
        ),
    ],
)
def test_several_slices_that_were_turned_over_are_spoken_of_as_several(turned: Sequence[str], said: str) -> None:
    situation = lying_slices()
    for face in turned:
        situation.world.flip(face)
    assert told(situation) == said


def test_who_presses_before_turning_slices_over_is_told_that_the_host_takes_it_back() -> None:
    situation = Situation(chosen())
    portion = next(i for i, one in enumerate(situation.state.portions) if "9/2" in one.slices)
    others = [i for i in range(4) if i != portion]
    moves = (Take(2, portion), Decide(2, NOTHING, "9"))
    situation.world.play(situation.state, *moves)
    situation.state = play(situation.state, *moves)
    situation.world.flip("9/2")
    remedy = situation.fault().refusal.remedy
    assert remedy.endswith("If player 2 meant to eat it, the host takes the move back.")
    situation.world.flip("9/2")
    for player, other in zip((3, 4, 1), others, strict=True):
        moves = (Take(player, other), Decide(player, NOTHING))
        situation.world.play(situation.state, *moves)
        situation.state = play(situation.state, *moves)
    last = next(face for face in situation.state.holdings[0].collected)
    situation.world.flip(last)
    assert "If player 1 meant to eat it" in situation.fault().refusal.remedy, "a round that has just ended"
    situation.world.flip(last)
    situation.world.flip("9/2")
    assert "takes the move back" not in situation.fault().refusal.remedy


def test_several_slices_that_lie_elsewhere_are_spoken_of_as_several() -> None:
    situation = lying_slices()
    situation.world.give(4, "5/2", "6/1")
    assert told(situation) == "Slices 5, 6 of player 3 lie in player 4's area. Lay them back in front of player 3."
    situation.world.remove("5/2", "6/1")
    seen = "cannot be seen on the table any more. Lay them open to the camera: most of a slice must show."
    assert told(situation) == f"Slices 5, 6 {seen}"
    situation = lying_slices()
    situation.world.lay(Lay("9/9", Pose(130, 130, 45), True), Lay("5/1", Pose(130, -130, 315), True))
    assert "lie neither in the pizza nor in front of a player. Lay them in the pizza or" in told(situation)
    situation = lying_slices()
    situation.world.give(2, "10/1", "10/2")
    assert told(situation).startswith("Slices 10, 10 are not part of this pizza.")


def told(situation: Situation) -> str:
    """What is wrong, and what is to be done."""
    fault = situation.read().fault
    assert fault is not None
    return f"{fault.refusal.problem} {fault.refusal.remedy}"


def test_a_slice_of_another_player_is_given_back() -> None:
    situation = Situation(having(having(chosen(), 3, "5/2"), 4, "6/1"))
    situation.world.give(4, "5/2")
    fault = situation.fault()
    assert fault.player == 4
    assert "of player 3" in fault.refusal.problem


def test_a_strange_slice_and_a_strange_special_are_refused() -> None:
    situation = Situation(chosen())
    situation.world.give(2, "10/9")
    assert situation.heading() == headings.CHOOSE
    situation.world.remove("10/9")
    situation.world.give(2, rules.BUFFET)
    assert situation.heading() == headings.SPECIALS


def test_portions_stay_apart_until_they_are_taken() -> None:
    situation = Situation(chosen())
    one, other = situation.world.pose("11/10"), situation.world.pose("4/1")
    turned = Pose(other.x_mm, other.y_mm, other.angle_deg + 360 / 11)
    situation.world.lay(Lay("11/10", turned, True))
    assert one != turned
    assert situation.heading() == headings.DIVIDE


def test_a_slice_between_pizza_and_players_waits_and_cannot_stay() -> None:
    situation = Situation(chosen())
    situation.world.lay(Lay("9/9", Pose(130, 130, 45), True))
    reading = situation.read()
    assert reading.kind is ReadingKind.UNFINISHED
    assert reading.fault is not None


@pytest.mark.parametrize("special", [rules.BUFFET, rules.DIBS, rules.SECONDS, rules.TIEBREAKER])
def test_a_special_at_the_wrong_time_is_refused(special: str) -> None:
    situation = Situation(owning(in_round(game(), 2), 3, special))
    situation.state = quarters(served(situation.state))
    situation.world.arrange(situation.state)
    situation.world.flip(special)
    fault = situation.fault()
    assert (fault.player, fault.refusal.pieces) == (3, (special,))


def test_a_used_special_stays_face_down() -> None:
    state = quarters(served(owning(in_round(game(), 2), 3, rules.DIBS)))
    holding = state.holdings[2]
    used = replace(holding, specials=(replace(holding.specials[0], used=True),))
    situation = Situation(replace(state, holdings=(*state.holdings[:2], used, state.holdings[3])))
    assert situation.as_before()
    situation.world.flip(rules.DIBS)
    assert situation.heading() == headings.SPECIALS


# Cut in Line, Sneak-a-Slice -------------------------------------------------------------------------------------------


def owned_before(special: str, player: int) -> State:
    return quarters(served(owning(in_round(game(first=4), 2), player, special), special=rules.TIEBREAKER))


def test_cut_in_line_lets_choose_before_the_others() -> None:
    situation = Situation(owned_before(rules.CUT_IN_LINE, 4))
    state = situation.state
    moves = (Take(4, index_of(state, "7/2")), Decide(4, NOTHING))
    situation.world.flip(rules.CUT_IN_LINE)
    assert "Cut in Line" in situation.unfinished()
    situation.world.flip(rules.CUT_IN_LINE)
    situation.world.play(state, *moves)
    assert situation.moves() == moves
    situation.world.flip(rules.CUT_IN_LINE)
    assert situation.heading() == headings.NEXT_PLAYER


@pytest.mark.parametrize(("player", "remedy"), [(4, "until player 1 has divided the pizza"), (1, "face up again.")])
def test_cut_in_line_is_played_once_the_slicer_has_finished(player: int, remedy: str) -> None:
    situation = Situation(served(owning(in_round(game(first=4), 2), player, rules.CUT_IN_LINE)))
    situation.world.play(situation.state, Divide((RING[:4], RING[4:6], RING[6:9], RING[9:]), 1))
    situation.world.flip(rules.CUT_IN_LINE)
    assert situation.heading(1) == headings.CUT_IN_LINE
    assert remedy in situation.fault().refusal.remedy


def test_who_is_next_wastes_no_cut_in_line() -> None:
    situation = Situation(owned_before(rules.CUT_IN_LINE, 2))
    assert situation.state.order[0] == 2
    situation.world.play(situation.state, Take(2, index_of(situation.state, "7/2")), Decide(2, NOTHING))
    situation.world.flip(rules.CUT_IN_LINE)
    assert situation.heading(2) == headings.CUT_IN_LINE


def sneaking() -> tuple[Situation, Sneak]:
    situation = Situation(owned_before(rules.SNEAK_A_SLICE, 2))
    state = situation.state
    sneak = next(m for m in GAME.legal(state) if isinstance(m, Sneak) and m.face == "7/2")
    return situation, sneak


@pytest.mark.parametrize("takes_face", ["7/1", "11/1", "4/1"])
def test_a_slice_is_sneaked_to_the_portion_beside(takes_face: str) -> None:
    situation, sneak = sneaking()
    after = GAME.apply(situation.state, sneak)
    moves = (sneak, Take(2, index_of(after, takes_face)), Decide(2, NOTHING))
    situation.world.play(situation.state, *moves)
    assert situation.moves() == moves


def test_a_sneaked_slice_needs_its_special() -> None:
    situation, sneak = sneaking()
    situation.world.play(situation.state, sneak)
    assert "Sneak" in situation.unfinished()
    situation.world.flip(rules.SNEAK_A_SLICE)
    reading = situation.read()
    assert reading.kind is ReadingKind.UNFINISHED
    assert reading.fault is not None


def test_a_sneaked_slice_that_was_taken_needs_its_special_too() -> None:
    situation, _ = sneaking()
    situation.world.give(2, "9/9", "5/1", "7/1", "7/2")
    assert situation.fault().refusal.remedy.endswith("turns Sneak-a-Slice face down.")


def test_sneaking_nothing_is_no_sneaking() -> None:
    situation, _ = sneaking()
    situation.world.play(situation.state, Take(2, index_of(situation.state, "7/2")), Decide(2, NOTHING))
    situation.world.flip(rules.SNEAK_A_SLICE)
    assert situation.read(2).kind is ReadingKind.FAULT


def test_a_slice_that_lies_where_it_lay_is_not_sneaked() -> None:
    """Alone with the Special it lies beside nothing; by what is taken it might have been shifted to either side."""
    state = served(owning(in_round(game(first=4), 2), 2, rules.SNEAK_A_SLICE), special=rules.TIEBREAKER)
    portions = ("4/1 combo-9-11 anchovy", "supreme", "9/2 9/9 5/1 7/1", "7/2 11/1 11/10")
    for taken in (portions[0], portions[3], rules.TIEBREAKER):
        situation = Situation(divided(state, *portions, special_in=1))
        situation.world.flip(rules.SNEAK_A_SLICE)
        situation.world.give(2, *faces(taken))
        assert "no slice lies with the portion beside" in situation.fault(2).refusal.problem
        assert situation.heading() == headings.SNEAK_A_SLICE


def test_what_is_left_of_a_portion_has_to_be_laid_to_the_one_beside() -> None:
    situation, _ = sneaking()
    situation.world.flip(rules.SNEAK_A_SLICE)
    situation.world.give(2, "11/1", "11/10")
    assert situation.heading(2) == headings.SNEAK_A_SLICE


def test_a_press_before_anything_is_taken_is_too_early() -> None:
    situation, _ = sneaking()
    situation.world.flip(rules.SNEAK_A_SLICE)
    assert "shift a slice and take a portion, or turn it face up" in situation.unfinished(2)
    situation = Situation(owned_before(rules.CUT_IN_LINE, 4))
    situation.world.flip(rules.CUT_IN_LINE)
    assert "take a portion, or turn it face up" in situation.unfinished(4)
    situation.world.remove(rules.CUT_IN_LINE)
    assert "cannot be seen" in situation.fault(4).refusal.problem


def test_a_special_turned_over_by_who_decides_about_a_special_alone_is_judged_with_the_decision() -> None:
    """The host may rule that the Special alone was taken; nothing is left to take then."""
    state = served(owning(in_round(game(first=4), 2), 2, rules.CUT_IN_LINE), special=rules.TIEBREAKER)
    portions = ("4/1 combo-9-11 anchovy supreme 9/2", "9/9 5/1 7/1", "7/2 11/1 11/10", "")
    situation = Situation(play(divided(state, *portions, special_in=3), Take(2, 3)))
    assert situation.moves() == (Decide(2, NOTHING),)
    situation.world.flip(rules.CUT_IN_LINE)
    assert situation.unfinished().endswith("face down, but it cannot be used now. Turn it face up again.")


def test_who_is_next_has_no_use_for_cut_in_line() -> None:
    situation = Situation(owned_before(rules.CUT_IN_LINE, 2))
    situation.world.flip(rules.CUT_IN_LINE)
    assert "cannot be used now" in situation.fault().refusal.problem


# Mystery Slice, slices eaten unseen -----------------------------------------------------------------------------------


def mystery(face: str | None, eaten: bool) -> tuple[Situation, tuple[rules.Move, ...]]:
    situation = Situation(chosen(special=rules.MYSTERY_SLICE))
    moves = (Take(2, with_special(situation.state)), Mystery(face), Decide(2, NOTHING, None, eaten))
    return situation, moves


def test_a_mystery_slice_is_collected() -> None:
    situation, moves = mystery("10/9", eaten=False)
    situation.world.play(situation.state, *moves)
    assert situation.moves() == moves


def test_a_mystery_slice_is_eaten_unseen() -> None:
    situation, moves = mystery(None, eaten=True)
    situation.world.hands._hidden[2] = ["10/9"]
    situation.world.play(situation.state, *moves)
    assert situation.moves() == moves


def test_the_mystery_slice_is_taken_and_its_special_turned() -> None:
    situation, moves = mystery("10/9", eaten=False)
    situation.world.play(situation.state, *moves)
    situation.world.remove("10/9")
    assert "three extra slices" in situation.unfinished()
    assert situation.heading(2) == headings.MYSTERY_SLICE
    situation.world.give(2, "10/9")
    situation.world.flip(rules.MYSTERY_SLICE)
    assert "face down" in situation.unfinished()


def counting() -> Situation:
    state = having(having(game(), 2, "5/5", "6/1 6/2"), 3, "3/1", "7/3")
    holding = replace(state.holdings[1], unseen_eaten=1)
    state = replace(state, phase=Phase.COUNT, stacks=(), holdings=(state.holdings[0], holding, *state.holdings[2:]))
    situation = Situation(state)
    situation.world.hands._hidden[2] = ["10/9"]
    situation.world.arrange(state)
    return situation


def test_a_slice_eaten_unseen_is_turned_up_and_counted() -> None:
    situation = counting()
    assert situation.as_before()
    situation.world.flip("10/9")
    assert situation.moves() == (RevealEaten(2, "10/9"),)


@pytest.mark.parametrize(("one_up", "other_up"), [(True, True), (True, False), (False, False)])
def test_only_one_of_the_extra_slices_is_taken(one_up: bool, other_up: bool) -> None:
    situation, moves = mystery("10/9", eaten=False)
    situation.world.play(situation.state, *moves)
    situation.world.give(2, "10/9", face_up=one_up)
    situation.world.lay(Lay("3/1", situation.world.free_spot(2, PieceKind.SLICE, 2), other_up))
    assert "exactly one of the three extra slices" in situation.fault().refusal.problem


def test_the_portion_is_taken_with_mystery_slice_before_an_extra_slice_is_asked_for() -> None:
    situation, _ = mystery("10/9", eaten=False)
    situation.world.give(2, "4/1", rules.MYSTERY_SLICE)
    assert "still has to take 9/11 combo, Anchovy" in situation.unfinished()
    assert situation.fault(2).refusal.problem.endswith("not one portion: 4, Mystery Slice.")


def test_all_may_turn_up_what_they_have_eaten_to_count_it() -> None:
    situation = counting()
    for eaten in ("7/3", "6/2", "6/1"):
        situation.world.flip(eaten)
        assert situation.as_before()
    situation.world.flip("10/9")
    assert situation.moves() == (RevealEaten(2, "10/9"),)
    assert not situation.read(scene=doubted(situation.world.scene(), "7/3", ("7/3", 0.6), ("7/5", 0.4))).fault


def test_an_eaten_slice_that_is_read_in_doubt_is_not_taken_for_the_one_eaten_unseen() -> None:
    situation = counting()
    situation.world.flip("6/1")
    reading = situation.read(scene=doubted(situation.world.scene(), "6/1", ("6/1", 0.6), ("6/5", 0.4)))
    assert reading.kind is ReadingKind.AS_BEFORE or reading.plays[0].probability < 0.5


def test_only_a_slice_that_was_turned_over_was_eaten_unseen() -> None:
    situation = counting()
    situation.world.give(2, "3/3")
    assert situation.heading() == headings.MYSTERY_SLICE
    situation.world.flip("10/9")
    assert "3, 10 came to lie face up" in situation.fault().refusal.problem
    situation.world.remove("3/3", "6/1")
    assert not situation.fault().certain


# Seconds --------------------------------------------------------------------------------------------------------------


def with_seconds() -> Situation:
    state = having(owning(game(), 2, rules.SECONDS), 2, "7/1 7/2 11/1", "6/1")
    return Situation(replace(state, phase=Phase.SECONDS, stacks=()))


def test_seconds_eats_slices_of_one_type() -> None:
    situation = with_seconds()
    situation.world.flip("7/1")
    assert "face down" in situation.unfinished()
    situation.world.flip(rules.SECONDS)
    assert situation.moves() == (EatSeconds(2, frozenset({"7/1"})),)
    situation.world.flip("11/1")
    assert situation.heading() == headings.SECONDS


def test_seconds_is_declined_by_the_button_alone() -> None:
    situation = with_seconds()
    reading = situation.read()
    assert reading.kind is ReadingKind.AS_BEFORE
    assert reading.declares == {2}
    assert reading.plays[0].moves == (EatSeconds(2, NOTHING),)
    assert "press to eat nothing" in reading.note
    situation.world.flip(rules.SECONDS)
    assert "turn face down what is eaten, or turn it face up" in situation.unfinished(2)
    situation.world.remove(rules.SECONDS)
    assert "cannot be seen" in situation.fault(2).refusal.problem


def test_seconds_is_declined_without_buttons() -> None:
    """Nobody can press there: the Special turned face down alone says that nothing is eaten."""
    situation = with_seconds()
    situation.layout = replace(situation.layout, buttons=False)
    assert "Seconds alone to eat nothing" in situation.unfinished()
    situation.world.flip(rules.SECONDS)
    assert situation.moves() == (EatSeconds(2, NOTHING),)
    assert situation.read().confirm == 2
    situation.world.flip("7/1")
    assert situation.moves() == (EatSeconds(2, frozenset({"7/1"})),)


def test_seconds_eats_nothing_that_is_not_there() -> None:
    situation = with_seconds()
    situation.world.remove("7/1")
    assert not situation.fault().certain


# Supreme slice --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("attach", ["9", "5"])
def test_the_supreme_slice_is_attached_to_what_it_lies_next_to(attach: str) -> None:
    situation = Situation(having(chosen(special_in=2), 2, "5/2 5/3"))
    moves = (Take(2, index_of(situation.state, SUPREME)), Decide(2, NOTHING, attach))
    situation.world.play(situation.state, *moves)
    assert situation.moves() == moves


def test_a_supreme_slice_that_is_moved_to_another_type_later_is_told_of() -> None:
    situation = Situation(having(chosen(special_in=2), 2, "5/2 5/3"))
    moves = (Take(2, index_of(situation.state, SUPREME)), Decide(2, NOTHING, "5"))
    situation.world.play(situation.state, *moves)
    situation.state = play(situation.state, *moves)
    assert situation.read().note == ""
    beside = situation.world.pose("9/2")
    situation.world.lay(Lay(SUPREME, Pose(beside.x_mm + 4, beside.y_mm, beside.angle_deg), True))
    reading = situation.read()
    assert reading.kind is ReadingKind.AS_BEFORE
    assert reading.note.endswith(
        "Player 2's Supreme slice counts with the 5s and is not moved to another type: lay it back beside them."
    )


@pytest.mark.parametrize("alone", [False, True])
def test_a_special_that_is_shoved_to_another_portion_is_told_of(alone: bool) -> None:
    apart = ("4/1 combo-9-11 anchovy supreme 9/2", "9/9 5/1 7/1", "7/2 11/1 11/10", "")
    situation = Situation(divided(pizza(), *apart, special_in=3) if alone else chosen())
    assert situation.read().kind is ReadingKind.AS_BEFORE
    target = next(p for p in situation.state.portions if not p.special and p.slices)
    at = situation.world.pose(target.slices[0])
    reach = math.radians(at.angle_deg)
    special = str(situation.state.special)
    spot = Pose(at.x_mm + 110 * math.cos(reach), at.y_mm + 110 * math.sin(reach), at.angle_deg)
    situation.world.lay(Lay(special, spot, True))
    fault = situation.fault()
    assert fault.refusal.pieces == (special,)
    assert "lies with" in fault.refusal.problem


def test_a_supreme_slice_that_lies_next_to_nothing_is_not_attached() -> None:
    """Whoever forgets to lay it next to a slice is told; it is not attached to what happens to be nearest."""
    situation = Situation(having(chosen(special_in=2), 2, "5/2 5/3 3/1"))
    situation.world.play(
        situation.state, Take(2, index_of(situation.state, SUPREME)), Decide(2, frozenset({"9/2"}), "5")
    )
    assert situation.moves()[-1] == Decide(2, frozenset({"9/2"}), "5")
    situation.world.give(2, SUPREME)
    fault = situation.fault(2)
    assert (fault.refusal.heading, fault.refusal.pieces) == (headings.SUPREME_SLICE, (SUPREME,))
    assert "one of these types: 3 and 5" in fault.refusal.remedy


def test_the_anchovy_slice_is_no_neighbour_of_the_supreme_slice_where_a_table_says_so() -> None:
    start = having(game(4, supreme_on_anchovy=False), 2, "3/1 anchovy")
    portions = ("supreme", "9/2 9/9 5/1", "7/1 7/2 11/1 11/10", "4/1 combo-9-11 6/1")
    ring = faces(" ".join(portions))
    situation = Situation(divided(served(start, ring), *portions, special_in=1))
    situation.world.give(2, SUPREME)
    beside = situation.world.pose(SUPREME)
    situation.world.lay(Lay("anchovy", Pose(beside.x_mm - 40, beside.y_mm, 90.0), True))
    assert situation.heading(2) == headings.SUPREME_SLICE


def test_next_to_a_combo_slice_the_type_is_asked_for() -> None:
    portions = ("supreme", "9/2 9/9 5/1", "7/1 7/2 11/1 11/10", "4/1 combo-9-11 anchovy")
    situation = Situation(having(divided(pizza(), *portions, special_in=1), 2, "combo-5-7 3/1"))
    moves = (Take(2, index_of(situation.state, SUPREME)), Decide(2, NOTHING, "5"))
    situation.world.play(situation.state, *moves)
    reading = situation.read()
    assert {play.moves[-1].attach for play in reading.plays[:2]} == {"5", "7"}
    assert reading.plays[0].probability == pytest.approx(0.5, abs=0.05)


# Two players ----------------------------------------------------------------------------------------------------------


def test_two_players_divide_into_four_and_choose_in_turn() -> None:
    situation = Situation(pizza(2))
    move = Divide((RING[:4], RING[4:6], RING[6:9], RING[9:]), 1)
    situation.world.play(situation.state, move)
    assert GAME.apply(situation.state, situation.moves()[0]) == GAME.apply(situation.state, move)
    state = GAME.apply(situation.state, move)
    state = takes(state, 2, index_of(state, "7/1"))
    situation = Situation(state)
    moves = (Take(1, index_of(state, "4/1")), Decide(1, NOTHING))
    situation.world.play(state, *moves)
    assert situation.moves() == moves
    situation = Situation(state)
    situation.world.give(2, *state.portions[index_of(state, "4/1")].slices)
    assert situation.fault(2).player == 2
