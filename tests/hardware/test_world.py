"""The simulated table's physics."""

import math
import pickle
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.simulated.world import (
    ButtonEdge,
    Carry,
    Gesture,
    ImpossibleGesture,
    UnknownPiece,
    World,
    middle_of,
)
from tests.hardware.demo_table import demo_gestures, demo_world, ring_poses
from vision.scene import PieceKind, Pose

HOME = Pose(0, 0, 90)


def world_with(*ids: str) -> World:
    world = World(Random(3))
    for number, piece_id in enumerate(ids):
        world.add_piece(piece_id, PieceKind.SLICE, piece_id, "back", pose=Pose(60.0 * number, 0, 90), face_up=True)
    return world


def play(world: World, step_s: float = 0.03, longest_s: float = 60.0) -> None:
    end_s = world.now_s + longest_s
    while world.busy:
        assert world.now_s < end_s
        world.advance(world.now_s + step_s)


def test_a_gesture_ends_where_told() -> None:
    world = world_with("a", "b")
    targets = {"a": Pose(-200, 50, 10), "b": Pose(-170, 20, 350)}
    world.perform(Gesture(2, tuple(Carry(i, pose, False) for i, pose in targets.items()), 1.0))
    play(world)
    for piece_id, pose in targets.items():
        assert world.pieces[piece_id].pose == pose
        assert not world.pieces[piece_id].face_up


def test_carried_pieces_move_as_one_portion() -> None:
    world = World(Random(0))
    poses = ring_poses(Random(1))[:3]
    for number, pose in enumerate(poses):
        world.add_piece(str(number), PieceKind.SLICE, "3/1", "back", pose=pose, face_up=True)
    moved = [Pose(p.x_mm + 80, p.y_mm - 30, p.angle_deg) for p in poses]
    world.perform(Gesture(1, tuple(Carry(str(n), pose, True) for n, pose in enumerate(moved)), 1.0))

    def distances() -> list[float]:
        middles = [
            middle_of(view.kind, view.pose) for view in sorted(world.snapshot().pieces, key=lambda v: v.piece_id)
        ]
        return [math.dist(middles[0], middles[1]), math.dist(middles[1], middles[2])]

    before = distances()
    while world.busy:
        world.advance(world.now_s + 0.05)
        assert distances() == pytest.approx(before, abs=1e-6)


def test_what_is_placed_last_lies_on_top() -> None:
    world = world_with("a", "b", "c")
    world.perform(Gesture(1, (Carry("a", HOME, True),), 1.0))
    play(world)
    assert world.stacking == ("b", "c", "a")


def test_a_portion_is_laid_down_in_the_order_of_its_carries() -> None:
    world = world_with("a", "b", "c")
    world.perform(Gesture(1, (Carry("c", Pose(9, 9, 0), True), Carry("a", HOME, True)), 1.0))
    play(world)
    assert world.stacking == ("b", "c", "a")


def test_off_the_table_and_back() -> None:
    world = world_with("a")
    world.perform(Gesture(4, (Carry("a", None, False),), 1.0))
    play(world)
    assert world.pieces["a"].pose is None
    assert world.snapshot().pieces == ()
    world.perform(Gesture(4, (Carry("a", HOME, True),), 1.0))
    play(world)
    assert world.pieces["a"].pose == HOME
    assert world.pieces["a"].face == "a"


def test_a_flip_shows_the_other_side_from_half_way() -> None:
    world = world_with("a")
    world.perform(Gesture(1, (Carry("a", HOME, False),), 1.0))
    faces, widths = [], []
    while world.busy:
        world.advance(world.now_s + 0.01)
        faces.append(world.snapshot().pieces[0].face)
        widths.append(world.snapshot().pieces[0].flip)
    assert faces == sorted(faces)
    assert set(faces) == {"a", "back"}
    assert min(widths) < 0.2


def test_two_hands_never_hold_one_piece() -> None:
    world = world_with("a")
    world.perform(Gesture(1, (Carry("a", Pose(100, 0, 0), True),), 1.0))
    world.perform(Gesture(4, (Carry("a", Pose(-100, 0, 0), True),), 1.0))
    while world.busy:
        world.advance(world.now_s + 0.01)
        assert len(world.snapshot().pieces) == 1
    pose = world.pieces["a"].pose
    assert pose is not None
    assert abs(pose.x_mm) == 100


def test_a_lingering_hand_stays_over_the_table() -> None:
    world = world_with("a")
    world.perform(Gesture(1, (), 1.0, linger_s=2.0, hover=(40.0, 30.0)))
    world.advance(1.5)
    (hand,) = world.snapshot().hands
    assert hand.fingertip == pytest.approx((40.0, 30.0))
    world.advance(3.1)
    assert world.snapshot().hands == ()


def test_gestures_of_one_seat_come_one_after_the_other() -> None:
    world = world_with("a", "b")
    world.perform(Gesture(1, (Carry("a", Pose(0, 100, 0), True),), 1.0))
    world.perform(Gesture(1, (Carry("b", Pose(0, 50, 0), True),), 1.0))
    world.advance(0.99)
    assert world.pieces["b"].pose == Pose(60, 0, 90)
    world.advance(2.01)
    assert not world.busy
    assert world.pieces["b"].pose == Pose(0, 50, 0)


def test_one_large_step_ends_like_many_small_ones() -> None:
    ends = []
    for step_s in (0.007, 0.1, 30.0):
        world = demo_world(Random(5))
        demo_gestures(world)
        play(world, step_s)
        ends.append((dict(world.pieces), world.stacking))
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.parametrize(
    ("gesture", "error", "says"),
    [
        (Gesture(1, (Carry("x", HOME, True),), 1.0), UnknownPiece, "no piece 'x'"),
        (Gesture(7, (Carry("a", HOME, True),), 1.0), ImpossibleGesture, "no seat 7"),
        (Gesture(1, (Carry("a", HOME, True), Carry("a", None, True)), 1.0), ImpossibleGesture, "twice"),
        (Gesture(1, (), 1.0), ImpossibleGesture, "neither"),
        (Gesture(1, (Carry("a", HOME, True),), 0.0), ImpossibleGesture, "lasts 0.0 s"),
    ],
)
def test_what_no_hand_can_do_is_refused(gesture: Gesture, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        world_with("a").perform(gesture)


def test_buttons() -> None:
    world = World(Random(1))
    world.press(3, 0.5)
    with pytest.raises(ImpossibleGesture, match="down already"):
        world.press(3, 0.5)
    assert world.snapshot().buttons_down == {3}
    assert world.busy
    world.advance(2.0)
    assert world.take_edges() == (ButtonEdge(3, True, 0.0), ButtonEdge(3, False, 0.5))
    assert not world.busy


def test_a_snapshot_travels_between_processes() -> None:
    world = demo_world(Random(5))
    demo_gestures(world)
    world.advance(0.7)
    snapshot = world.snapshot()
    assert pickle.loads(pickle.dumps(snapshot)) == snapshot


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_no_piece_is_ever_lost(data: st.DataObject) -> None:
    world = world_with("a", "b", "c", "d")
    places = st.one_of(st.none(), st.builds(Pose, st.floats(-400, 400), st.floats(-250, 250), st.floats(0, 360)))
    wanted: dict[str, Pose | None] = {}
    for _ in range(data.draw(st.integers(1, 4))):
        ids = data.draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True))
        carries = tuple(Carry(i, data.draw(places), data.draw(st.booleans())) for i in ids)
        world.perform(Gesture(1, carries, data.draw(st.floats(0.2, 2))))
        wanted |= {carry.piece_id: carry.to for carry in carries}
    while world.busy:
        world.advance(world.now_s + 0.11)
        seen = [view.piece_id for view in world.snapshot().pieces]
        assert len(set(seen)) == len(seen)
        on_table = [i for i, piece in world.pieces.items() if piece.pose is not None]
        assert set(on_table) <= set(seen) <= set("abcd")
    for piece_id, pose in wanted.items():
        assert world.pieces[piece_id].pose == pose
