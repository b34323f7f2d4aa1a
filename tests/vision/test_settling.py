"""What moves where, what is at rest meanwhile, and what is different since."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.long import cases
from tests.vision.camera_noise import camera_noise
from tests.vision.drawn_table import Piece, View, enrolled, photograph
from tests.vision.test_reader import TABLE, assert_shows
from vision.finders import Changed, Moves, nothing_moves, nowhere
from vision.following.settling import LastRest, Motion, changes, remembered
from vision.frame import Frame, Image
from vision.mat.rectify import TableMap
from vision.mat.registration import Registration, find_mat
from vision.motion import Mask, Small
from vision.pieces.faces import FacePack
from vision.pieces.features import Keypoints, find_keypoints
from vision.pieces.finding import find_pieces
from vision.reader import Reader
from vision.scene import FaceLikelihood, HiddenCause, PieceKind, Pose, Scene, Settled, Sighting

FRAME_S = 0.1
WAVING = [np.array([[x, -300.0], [x, -90.0], [x - 45.0, -90.0], [x - 45.0, -300.0]]) for x in (150, 175, 160, 180)]
"""A hand in the lower right corner, beside the Special there."""


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrolled()


def settled(scene: Scene) -> Settled:
    assert scene.settled is not None
    return scene.settled


def watch(
    reader: Reader, tables: Sequence[tuple[Piece, ...]], *, waving: bool, start: int = 0, height_mm: float = 800.0
) -> list[Scene]:
    """Scenes of tables, one every FRAME_S, while a hand waves in a corner (or not)."""
    frames = []
    for i, pieces in enumerate(tables, start):
        hand = WAVING[i % len(WAVING)] if waving else None
        frames.append(Frame(photograph(pieces, View(seed=i, height_mm=height_mm), hand=hand), i * FRAME_S, i))
    return [reader.read(frame) for frame in frames]


def test_what_comes_to_rest_is_read_while_a_hand_moves_elsewhere(pack: FacePack) -> None:
    reader = Reader(pack)
    moved = (*TABLE[:2], replace(TABLE[2], x_mm=-150.0, y_mm=60.0), *TABLE[3:])
    first = watch(reader, [TABLE] * 4, waving=False)
    assert settled(first[-1]).changes == ()
    scenes = watch(reader, [TABLE] * 3 + [moved] * 8, waving=True, start=4)
    assert all(scene.at_rest_s == 0.0 for scene in scenes)
    last = settled(scenes[-1])
    assert last.at_rest_s == pytest.approx(0.7, abs=0.15)
    assert_shows(replace(scenes[-1], sightings=last.sightings), moved)
    (change,) = last.changes
    assert change.before is not None
    assert change.after is not None
    assert change.before.pose.x_mm == pytest.approx(-120.0, abs=1.5)
    assert change.after.pose.x_mm == pytest.approx(-150.0, abs=1.5)


def test_under_a_hand_that_moves_what_was_seen_before_stays_and_nothing_is_guessed(pack: FacePack) -> None:
    """The Special lies where the hand is; it is taken away meanwhile."""
    reader = Reader(pack)
    near = replace(TABLE[4], x_mm=150.0, y_mm=-70.0)
    table = (*TABLE[:4], near)
    watch(reader, [table] * 4, waving=False)
    while_waving = watch(reader, [TABLE[:4]] * 8, waving=True, start=4)
    for scene in while_waving:
        assert "special/two" in {s.face for s in settled(scene).sightings}
        assert "special/two" not in {s.face for s in scene.sightings}
        assert "special/two" in {s.face for s in remembered(scene)}
        assert len(remembered(scene)) + len(scene.sightings) == len(table)
    after = watch(reader, [TABLE[:4]] * 4, waving=False, start=12)[-1]
    assert_shows(after, TABLE[:4])
    assert remembered(after) == ()
    assert [(c.before.face if c.before else "", c.after) for c in settled(after).changes] == [("special/two", None)]


def test_rest_begins_anew_where_something_stops(pack: FacePack) -> None:
    reader = Reader(pack)
    lifted = (*TABLE[:2], *TABLE[3:])
    watch(reader, [TABLE] * 4, waving=False)
    restless = watch(reader, [lifted, TABLE, lifted, TABLE], waving=True, start=4)
    assert all("back" in {s.face for s in settled(scene).sightings} for scene in restless)
    scenes = watch(reader, [TABLE, lifted, lifted, lifted], waving=True, start=8)
    assert [round(settled(scene).at_rest_s, 1) for scene in scenes[2:]] == [0.1, 0.2]
    assert "back" not in {s.face for s in settled(scenes[-1]).sightings}


def blocks(level: float = 100.0) -> Small:
    return np.full((30, 40, 3), level, np.float32)


def with_part(level: float, rows: slice, columns: slice) -> Small:
    small = blocks()
    small[rows, columns] = level
    return small


NOWHERE: Mask = np.zeros((30, 40), np.uint8)


def test_a_light_that_flickers_counts_as_movement_only_until_it_is_known() -> None:
    motion = Motion(blocks(), 0.0)
    flickering = [with_part(100.0 + 4.5 * (i % 2), slice(2, 6), slice(2, 6)) for i in range(120)]
    moving = [motion.follow(small, i / 15).any() for i, small in enumerate(flickering, 1)]
    assert moving[1]
    assert not any(moving[90:])


def test_a_hand_moves_however_long_it_does() -> None:
    motion = Motion(blocks(), 0.0)
    waving = [with_part(160.0, slice(2, 6), slice(i % 3, 4 + i % 3)) for i in range(200)]
    assert all([motion.follow(small, i / 15).any() for i, small in enumerate(waving, 1)][1:])


def test_what_touches_something_that_moves_is_not_at_rest_and_what_lies_apart_is() -> None:
    motion = Motion(blocks(), 0.0)
    moving = motion.follow(with_part(160.0, slice(2, 6), slice(2, 6)), 1.0)
    changed = NOWHERE.copy()
    changed[4:8, 6:10] = 255
    changed[20:24, 30:34] = 255
    busy = motion.busy(moving, changed)
    assert busy[2:8, 2:10].all()
    assert not busy[20:24, 30:34].any()
    assert motion.at_rest_s() == 0.0
    assert motion.at_rest_s(busy) == 1.0


def test_what_moved_a_moment_ago_beside_what_moves_is_not_at_rest() -> None:
    motion = Motion(blocks(), 0.0)
    motion.follow(with_part(160.0, slice(2, 6), slice(2, 6)), 1.0)
    moving = motion.follow(with_part(160.0, slice(2, 6), slice(8, 12)), 1.1)
    moving[2:6, 2:6] = 0
    assert motion.busy(moving, NOWHERE)[2:6, 2:6].all()


def sighting(face: str, x_mm: float) -> Sighting:
    pose = Pose(x_mm, 0.0, 0.0)
    return Sighting(PieceKind.SLICE, pose, (FaceLikelihood(face, 1.0),), True, 1.0, ((x_mm, 0.0),) * 3)


def test_changes_pair_a_piece_with_where_it_lies_now() -> None:
    stays, here, there, new = sighting("a", 0.0), sighting("b", 50.0), sighting("b", 90.0), sighting("c", 20.0)
    other = sighting("b", 300.0)
    found = changes([stays, here, other], [stays, there, other, new])
    assert {(c.before, c.after) for c in found} == {(here, there), (None, new)}
    assert changes([here], []) == (changes([here], [])[0],)
    assert changes([here], [])[0].after is None
    assert changes([stays], [sighting("a", 0.4)]) == ()


def test_a_die_that_is_measured_from_another_of_its_sides_has_not_changed() -> None:
    die = replace(sighting("4", 0.0), kind=PieceKind.DIE, pose=Pose(0.0, 0.0, 0.3))
    assert changes([die], [replace(die, pose=Pose(0.1, 0.0, 89.9))]) == ()
    assert changes([die], [replace(die, pose=Pose(0.1, 0.0, 45.0))]) != ()


def test_what_one_look_missed_and_the_next_sees_is_one_change() -> None:
    rest = LastRest()
    a, b, c = sighting("a", 0.0), sighting("b", 50.0), sighting("c", 90.0)
    rest.take((a,), None, 1.0, 1.0)
    assert rest.take((a, b), None, 0.1, 5.0).changes[0].after == b
    assert {change.after for change in rest.take((a, b, c), None, 0.1, 5.4).changes} == {b, c}
    assert rest.take((a, b, c), None, 3.0, 9.0).changes == rest.take((a, b, c), None, 3.0, 9.5).changes
    assert [change.before for change in rest.take((a, b), None, 0.1, 20.0).changes] == [c]


def test_what_is_not_at_rest_is_taken_as_it_was() -> None:
    rest = LastRest()
    a, b = sighting("a", 0.0), sighting("b", 50.0)
    rest.take((a, b), None, 1.0, 1.0)
    assert rest.take((a,), lambda s: s.pose.x_mm > 20.0, 1.0, 2.0).sightings == (a, b)
    assert rest.take((a,), None, 0.0, 3.0).sightings == (a,)


@pytest.mark.long
def test_nothing_is_found_where_a_hand_moves_and_stays_there_afterwards(pack: FacePack) -> None:
    """A slice comes to rest beside a hand that holds another one, face down, and goes away with it."""
    reader = Reader(pack)
    watch(reader, [TABLE[:2]] * 4, waving=False)
    came = Piece("b/1", 60.0, -90.0, 80.0)
    in_hand = [Piece("back", 130.0 + 6.0 * (i % 3), -110.0, 90.0) for i in range(10)]
    scenes = watch(reader, [(*TABLE[:2], came, held) for held in in_hand], waving=True, start=4)
    assert "back" not in {s.face for s in settled(scenes[-1]).sightings}
    after = watch(reader, [(*TABLE[:2], came)] * 5, waving=False, start=14)[-1]
    assert_shows(after, (*TABLE[:2], came))


class Coins:
    """A finder of one thing that never moves. Notes which of some places it was told have changed."""

    name = "coins"
    PLACES = np.array([[-135.0, 25.0], [0.0, 60.0], [150.0, 60.0]])

    def __init__(self) -> None:
        self.found = 0
        self.told: list[list[bool]] = []

    def find(self, image: Image, registration: Registration, seen: Sequence[Sighting]) -> Sequence[Sighting]:
        self.found += 1
        return [sighting("coin", 100.0)]

    def find_again(
        self,
        image: Image,
        registration: Registration,
        seen: Sequence[Sighting],
        before: Sequence[Sighting],
        changed: Changed,
        moves: Moves = nothing_moves,
        written: Changed = nowhere,
    ) -> Sequence[Sighting]:
        self.told.append(changed(self.PLACES).tolist())
        return before


@pytest.mark.long
def test_a_finder_is_told_what_changed_since_it_looked(pack: FacePack) -> None:
    coins = Coins()
    reader = Reader(pack, finders=[coins])
    moved = (*TABLE[:2], replace(TABLE[2], x_mm=-150.0), *TABLE[3:])
    scenes = watch(reader, [TABLE] * 9 + [moved] * 4, waving=False)
    assert coins.found == 1
    assert coins.told[-1] == [True, False, False]
    assert "coin" in {s.face for s in scenes[-1].sightings}


@cases("height_mm", [800.0, 1250.0], always=1)
def test_a_hand_that_rests_beside_the_mat_is_a_hand_and_what_it_covers_stays(pack: FacePack, height_mm: float) -> None:
    """It lies on a slice beside the mat, for longer than it takes to look at a table at rest, and goes away. From high
    above more is seen than where pieces may lie: there, too, an arm is not taken for the table."""
    reader = Reader(pack)
    covered = Piece("a/1", 290.0, -20.0, 80.0)
    table = (*TABLE[1:], covered)
    hand = np.array([[990.0, -70.0], [260.0, -60.0], [250.0, 0.0], [260.0, 95.0], [990.0, 105.0]])
    watch(reader, [table] * 6, waving=False, height_mm=height_mm)
    views = [View(seed=i, height_mm=height_mm) for i in range(6, 24)]
    resting = [reader.read(Frame(photograph(table, view, hand), view.seed * FRAME_S, view.seed)) for view in views]
    assert all(scene.at_rest_s == 0.0 for scene in resting)
    assert "a/1" not in {s.face for s in resting[-1].sightings}
    assert "a/1" in {s.face for s in settled(resting[-1]).sightings}
    assert settled(resting[-1]).at_rest_s > 0.5
    after = watch(reader, [table] * 5, waving=False, start=24, height_mm=height_mm)[-1]
    assert_shows(after, table)
    assert settled(after).changes == ()


@pytest.mark.long
def test_a_hand_that_lay_there_from_the_start_is_gone_when_it_goes(pack: FacePack) -> None:
    """What it covered was never seen bare: the table that shows there then is not taken for a hand; a hand that comes
    there later is."""
    reader = Reader(pack)
    hand = np.array([[990.0, -70.0], [260.0, -60.0], [250.0, 0.0], [260.0, 95.0], [990.0, 105.0]])
    views = [View(seed=i) for i in range(6)]
    first = [reader.read(Frame(photograph(TABLE, view, hand), view.seed * FRAME_S, view.seed)) for view in views]
    assert_shows(first[-1], TABLE)
    gone = watch(reader, [TABLE] * 6, waving=False, start=6)[-1]
    assert_shows(gone, TABLE)
    assert gone.hidden == ()
    assert gone.at_rest_s > 0.0
    views = [View(seed=i) for i in range(12, 20)]
    other = hand + np.array([0.0, 60.0])
    resting = [reader.read(Frame(photograph(TABLE, view, other), view.seed * FRAME_S, view.seed)) for view in views]
    assert {place.cause for place in resting[-1].hidden} == {HiddenCause.HAND}
    assert watch(reader, [TABLE] * 6, waving=False, start=20)[-1].hidden == ()


@pytest.mark.long
@cases("from_start", [False, True], always=1)
def test_on_chequered_cloth_a_hand_beside_the_mat_is_one_while_it_is_there(pack: FacePack, from_start: bool) -> None:
    """Cloth has more edges than a hand: only colours tell which of the two was there first."""
    reader = Reader(pack)
    plain = View(noise=0.0)
    bare = photograph(TABLE, plain)
    rows, columns = np.indices(bare.shape[:2])
    cloth = np.where((rows // 14 % 2 == columns // 14 % 2)[..., None], (225, 230, 235), (60, 50, 190))
    places = find_mat(bare).to_table(np.column_stack([columns.ravel(), rows.ravel()]))
    beyond = (np.abs(places).max(axis=1) > 206.0).reshape(bare.shape[:2])
    hand = np.array([[990.0, -70.0], [260.0, -60.0], [250.0, 0.0], [260.0, 95.0], [990.0, 105.0]])

    def pictures(count: int, start: int, *, resting: bool) -> list[Scene]:
        clean = photograph(TABLE, plain, hand if resting else None)
        laid = np.where((beyond & (clean == bare).all(axis=2))[..., None], cloth, clean)
        scenes = []
        for i in range(start, start + count):
            seen = laid + camera_noise(laid.shape, 1.5, i)
            scenes.append(reader.read(Frame(np.clip(seen, 0, 255).astype(np.uint8), i * FRAME_S, i)))
        return scenes

    if not from_start:
        assert pictures(6, 0, resting=False)[-1].hidden == ()
        resting = pictures(6, 6, resting=True)[-1]
        assert {place.cause for place in resting.hidden} == {HiddenCause.HAND}
    else:
        pictures(12, 0, resting=True)
    assert pictures(8, 12, resting=False)[-1].hidden == ()


@pytest.mark.long
def test_where_a_piece_lay_another_is_found_by_what_leads_to_it(pack: FacePack) -> None:
    """It lies nearly as the one before did; what is looked for there is only that one."""
    reader = Reader(pack)
    watch(reader, [TABLE] * 5, waving=False)
    watch(reader, [TABLE[1:]] * 5, waving=False, start=5)
    other = replace(TABLE[0], face="b/1", x_mm=TABLE[0].x_mm - 3.0, y_mm=TABLE[0].y_mm + 3.0, angle_deg=22.0)
    scenes = watch(reader, [(other, *TABLE[1:])] * 6, waving=False, start=10)
    assert_shows(scenes[-1], (other, *TABLE[1:]))


@pytest.mark.long
@cases("left", [True, False], always=1)
def test_corners_far_beside_a_piece_that_is_gone_are_looked_at_where_something_else_lies_there(
    pack: FacePack, monkeypatch: pytest.MonkeyPatch, left: bool
) -> None:
    """It may be a piece that shows more of itself beyond the change. Where the table is bare there is none."""
    looked: list[int] = []

    def find(seen: Image, table: TableMap, *, mask: NDArray[np.uint8] | None = None) -> Keypoints:
        looked.append(0 if mask is None else int(np.count_nonzero(mask)))
        return find_keypoints(seen, table, mask=mask)

    thing = np.array([[-75.0, -25.0], [-25.0, -25.0], [-25.0, 25.0], [-75.0, 25.0]]) if left else None
    bare, laid = photograph((), View()), photograph((Piece("a/1", 0.0, 0.0, 180.0),), View())
    reader = Reader(pack)
    for i, picture in enumerate([bare] * 5 + [laid] * 5):
        scene = reader.read(Frame(picture, 0.5 * i, i))
    assert [sighting.face for sighting in scene.sightings] == ["a/1"]
    monkeypatch.setattr("vision.reader.find_keypoints", find)
    gone = photograph((), View(), hand=thing)
    for i in range(10, 13):
        reader.read(Frame(gone, 0.5 * i, i))
        if looked:
            break
    assert len(looked) == (2 if left else 1)
    assert looked[-1] > (2 if left else 0) * looked[0]


@pytest.mark.long
def test_how_bright_paper_is_waits_for_a_picture_in_which_nothing_is_read_but_not_for_long(pack: FacePack) -> None:
    bare, laid = photograph((), View()), photograph((Piece("a/1", 0.0, 0.0, 180.0),), View())

    def told(pictures: Sequence[Image], every_s: float) -> list[tuple[bool, bool]]:
        reader = Reader(pack)
        scenes = [reader.read(Frame(picture, every_s * i, i)) for i, picture in enumerate(pictures)]
        return [(bool(scene.paper), "keypoints" in scene.stage_ms) for scene in scenes]

    first, *rest = told([bare] * 5 + [laid] * 5, 0.6)
    assert first == (True, True)
    assert set(rest) == {(False, True), (True, False), (False, False)}
    assert rest[-1] == (True, False)
    assert (True, True) in told([bare, bare, bare], 2.1)[1:]


@pytest.mark.long
def test_what_is_covered_by_a_piece_far_from_a_change_stays(pack: FacePack) -> None:
    """A Special lies on a slice's crust; beside the slice's tip another piece is taken away."""
    reader = Reader(pack)
    half_covered = (Piece("a/1", 0.0, 0.0, 180.0), Piece("special/two", -112.0, 0.0, 90.0))
    scene = watch(reader, [(*half_covered, Piece("b/2", 50.0, 0.0, 0.0))] * 5, waving=False)[-1]
    visible = next(s for s in scene.sightings if s.face == "a/1").visible
    assert visible < 0.85
    for scene in watch(reader, [half_covered] * 6, waving=False, start=5)[2:]:
        assert_shows(scene, half_covered)
    known = reader._table
    assert known is not None
    covered, cover = sorted(known.readings, key=lambda reading: reading.kind is PieceKind.SPECIAL)
    look, looked = known.seen_from_above.look, known.seen_from_above.looked
    nowhere = find_keypoints(looked, look.table, mask=np.zeros(looked.shape[:2], np.uint8))
    for beyond, taken in (([cover], 1.0 - visible), ([], 0.0)):
        (again,) = find_pieces(look, nowhere, known.kinds, reader._index, [covered], [covered], beyond)
        assert again.taken.mean() == pytest.approx(taken, abs=0.05)
