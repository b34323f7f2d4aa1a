"""Reading drawn pictures: alone, and one after another."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.long import cases
from tests.vision.drawn_table import Piece, View, enrolled, photograph, project
from vision.frame import Frame, Image
from vision.mat.errors import MarkersMissing
from vision.mat.registration import Registration
from vision.pieces.faces import FacePack
from vision.pieces.sightings import likelihoods
from vision.reader import Reader, read_photo
from vision.scene import SURE, FaceLikelihood, HiddenCause, PieceKind, Pose, Scene, Sighting

TABLE = (
    Piece("a/1", 2.0, 0.0, 20.0),
    Piece("a/2", 2.0, 1.0, 54.0),
    Piece("back", -120.0, 30.0, 200.0),
    Piece("b/2", 0.0, -20.0, 290.0),
    Piece("special/two", 150.0, 60.0, 45.0),
)
HAND = np.array([[90.0, -300.0], [95.0, -60.0], [60.0, 30.0], [40.0, 28.0], [30.0, -80.0], [20.0, -300.0]])


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrolled()


def assert_shows(scene: Scene, pieces: tuple[Piece, ...], sure: float = 0.9) -> None:
    """The same pieces both ways, each where it lies."""
    assert sorted(s.face for s in scene.sightings) == sorted(piece.face for piece in pieces)
    for piece in pieces:
        seen = nearest(scene, piece)
        assert np.hypot(seen.pose.x_mm - piece.x_mm, seen.pose.y_mm - piece.y_mm) < 1.5
        assert abs((seen.pose.angle_deg - piece.angle_deg + 180) % 360 - 180) < 1.0
        assert seen.probability >= sure


def nearest(scene: Scene, piece: Piece) -> Sighting:
    mine = [s for s in scene.sightings if s.face == piece.face]
    return min(mine, key=lambda s: np.hypot(s.pose.x_mm - piece.x_mm, s.pose.y_mm - piece.y_mm))


@cases(
    "view",
    [
        View(),
        View(turn_deg=170.0, tilt=0.06),
        View(light=(0.5, 0.62, 0.7), seed=5),
        View(light=(0.3, 0.3, 0.3), noise=3.0),
        View(blur=1.3, noise=4.0),
        View(size=(1920, 1080), height_mm=900.0),
    ],
    always=2,
    ids=["as enrolled", "turned round", "warm lamp", "dim", "unsharp", "large"],
)
def test_what_lies_there_is_read(pack: FacePack, view: View) -> None:
    scene = read_photo(photograph(TABLE, view), pack, time_s=3.0)
    assert_shows(scene, TABLE)
    assert scene.time_s == 3.0
    assert scene.hidden == ()
    assert list(scene.stage_ms)[:3] == ["register", "rectify", "keypoints"]


def test_fronts_and_backs_slices_and_specials_are_told_apart(pack: FacePack) -> None:
    scene = read_photo(photograph(TABLE), pack)
    assert {s.face: s.face_up for s in scene.sightings}["back"] is False
    assert {s.face: s.kind for s in scene.sightings}["special/two"] is PieceKind.SPECIAL
    assert all(sum(f.probability for f in s.faces) <= 1.0 + 1e-6 for s in scene.sightings)


def test_an_empty_table_is_empty(pack: FacePack) -> None:
    scene = read_photo(photograph([]), pack)
    assert scene.sightings == ()
    assert scene.hidden == ()


def test_a_piece_nobody_enrolled_is_not_claimed_as_sure(pack: FacePack) -> None:
    scene = read_photo(photograph([Piece("stranger", 0.0, 0.0, 30.0), Piece("special/stranger", -120, 0, 80)]), pack)
    assert all(s.probability < 0.9 for s in scene.sightings)


@pytest.mark.long
def test_of_two_that_overlap_both_are_read_and_the_covered_one_shows_less(pack: FacePack) -> None:
    pieces = (Piece("a/1", -60.0, 0.0, 90.0), Piece("a/3", -34.0, 0.0, 90.0))
    scene = read_photo(photograph(pieces), pack)
    assert_shows(scene, pieces, sure=0.8)
    assert nearest(scene, pieces[0]).visible < 0.85
    assert nearest(scene, pieces[1]).visible > 0.95


def test_one_of_which_two_fifths_are_covered_is_sure_and_one_of_which_half_is_covered_is_not(pack: FacePack) -> None:
    def covered(apart_mm: float) -> Sighting:
        pieces = (Piece("a/1", -60.0, 0.0, 90.0), Piece("a/3", -60.0 + apart_mm, 0.0, 90.0))
        return nearest(read_photo(photograph(pieces), pack), pieces[0])

    two_fifths, half = covered(21.3), covered(17.0)
    assert two_fifths.visible < 0.62
    assert two_fifths.probability >= SURE
    assert half.visible > 0.45
    assert half.probability < SURE


@pytest.mark.long
def test_pieces_so_bright_that_the_camera_cuts_off_their_colours_are_read(pack: FacePack) -> None:
    """A pale ground is as bright as the camera can show, and says only that it is not darker."""
    picture = photograph(TABLE)
    bright = np.clip(picture.astype(np.float32) * 1.8, 0.0, 255.0).astype(np.uint8)
    assert (bright == 255).all(2).mean() > 0.05
    scene = read_photo(bright, pack)
    assert sorted(s.face for s in scene.sightings) == sorted(piece.face for piece in TABLE)
    for piece in TABLE:
        seen = nearest(scene, piece)
        assert np.hypot(seen.pose.x_mm - piece.x_mm, seen.pose.y_mm - piece.y_mm) < 2.5
        assert seen.probability >= 0.9


@pytest.mark.long
def test_less_than_half_of_a_piece_is_never_sure(pack: FacePack) -> None:
    pieces = (Piece("b/1", 0.0, 0.0, 0.0), Piece("special/one", 70.0, 0.0, 80.0))
    scene = read_photo(photograph(pieces), pack)
    assert all(s.probability < 0.9 for s in scene.sightings if s.kind is PieceKind.SLICE)


def test_what_a_hand_covers_is_hidden(pack: FacePack) -> None:
    scene = read_photo(photograph(TABLE, hand=HAND), pack)
    assert HiddenCause.HAND in {hidden.cause for hidden in scene.hidden}
    assert {s.face for s in scene.sightings} >= {"a/2", "back", "special/two"}


BEYOND = (Piece("special/two", -262.0, 0.0, 90.0), Piece("special/one", -352.0, 0.0, 90.0))


@pytest.mark.long
@cases(("pieces", "from_mm", "goes_on"), [((), -700, True), (BEYOND, -199, False), ((), -199, False)], always=1)
def test_no_arm_is_thought_to_lie_where_the_table_or_pieces_are_seen(
    pack: FacePack, pieces: tuple[Piece, ...], from_mm: float, goes_on: bool
) -> None:
    """What is dark at the mat's edge may be an arm, or the shadow of one that reaches in elsewhere."""
    image = photograph((*TABLE, *pieces))
    dark = project(np.array([[from_mm, -80.0], [-110.0, -70.0], [-110.0, -10.0], [from_mm, 10.0]]), View())
    cv2.fillPoly(image, [np.round(dark).astype(np.int32)], (60, 70, 70))
    scene = read_photo(image, pack)
    assert {s.face for s in scene.sightings} >= {piece.face for piece in pieces}
    assert any(x < -230.0 for place in scene.hidden for x, _ in place.outline_mm) == goes_on


@pytest.mark.long
@cases("off_px", [(0, 0), (20, -25)], always=1)
def test_a_hand_in_its_own_soft_shadow_is_no_reflection_of_a_lamp(pack: FacePack, off_px: tuple[int, int]) -> None:
    """Where it ends, its shadow ends for a large part, and softly."""
    picture = photograph(TABLE, hand=HAND)
    hand = (np.abs(picture.astype(int) - photograph(TABLE)).sum(2) > 30).astype(np.float32)
    shadow = cv2.GaussianBlur(np.roll(hand, off_px, (0, 1)), (0, 0), 40.0) * (1.0 - hand)
    shaded = np.clip(picture * (1.0 - 0.85 * shadow[..., None]), 0, 255).astype(np.uint8)
    assert HiddenCause.HAND in {hidden.cause for hidden in read_photo(shaded, pack).hidden}


@pytest.mark.parametrize(("edge_px", "is_hidden"), [(60.0, False), (2.0, True)], ids=["lamp", "paper"])
def test_a_lamp_s_reflection_hides_nothing_and_a_bright_thing_does(
    pack: FacePack, edge_px: float, is_hidden: bool
) -> None:
    picture = photograph(TABLE[2:], View(light=(0.4, 0.4, 0.4)))
    (x, y), *_ = project(np.array([[90.0, -110.0]]), View())
    rows, columns = np.indices(picture.shape[:2])
    distance = np.hypot(columns - x, rows - y)
    light = 120.0 / (1.0 + np.exp((distance - 40.0) / edge_px))
    lit = np.clip(picture + light[..., None], 0, 255).astype(np.uint8)
    scene = read_photo(lit, pack)
    assert bool(scene.hidden) == is_hidden
    assert {s.face for s in scene.sightings} >= {"back", "special/two"}


@pytest.mark.parametrize(("edge_px", "is_hidden"), [(0.0, True), (30.0, False)], ids=["paper", "light"])
def test_paper_little_brighter_than_the_mat_is_hidden_and_light_on_the_mat_is_not(
    pack: FacePack, edge_px: float, is_hidden: bool
) -> None:
    picture = photograph(TABLE[2:], View(light=(0.7, 0.7, 0.7)))
    sheet = project(np.array([90.0, -110.0]) + 40.0 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), View())
    share = np.zeros(picture.shape[:2], np.float32)
    cv2.fillPoly(share, [np.round(sheet).astype(np.int32)], 1.0)
    share[...] = cv2.GaussianBlur(share, (0, 0), edge_px or 0.7)
    brighter = np.clip(picture * (1.0 + 0.15 * share[..., None]), 0, 255).astype(np.uint8)
    scene = read_photo(brighter, pack)
    assert [place.cause for place in scene.hidden] == [HiddenCause.FOREIGN] * is_hidden
    assert {s.face for s in scene.sightings} >= {"back", "special/two"}


def test_a_picture_without_mat_is_an_error(pack: FacePack) -> None:
    with pytest.raises(MarkersMissing):
        read_photo(np.full((720, 1280, 3), 90, np.uint8), pack)


def test_a_still_table_comes_to_rest_and_costs_little_work(pack: FacePack) -> None:
    reader = Reader(pack)
    scenes = [reader.read(Frame(photograph(TABLE, View(seed=i)), 10.0 + i / 15, i)) for i in range(4)]
    assert [round(scene.at_rest_s, 3) for scene in scenes] == [0.0, 0.067, 0.133, 0.2]
    assert scenes[-1].sightings == scenes[0].sightings
    assert list(scenes[-1].stage_ms) == ["compare"]
    assert scenes[-1].sequence == 3


def test_a_changing_lamp_is_no_movement(pack: FacePack) -> None:
    reader = Reader(pack)
    lights = [(1.0, 1.0, 1.0), (0.97, 0.97, 0.97), (1.02, 1.02, 1.02)]
    scenes = [reader.read(Frame(photograph(TABLE, View(light=light)), i / 15, i)) for i, light in enumerate(lights)]
    assert scenes[-1].at_rest_s == pytest.approx(2 / 15)


def test_a_hand_reaching_in_hides_and_when_it_leaves_the_change_is_read(pack: FacePack) -> None:
    reader = Reader(pack)
    before, after = TABLE, (*TABLE[:3], replace(TABLE[3], x_mm=36.0, y_mm=-84.0), TABLE[4])
    first = reader.read(Frame(photograph(before), 0.0, 0))
    moving = reader.read(Frame(photograph(before, hand=HAND - [0.0, 40.0]), 0.1, 1))
    resting = [reader.read(Frame(photograph(after, hand=HAND), 0.2 + i / 10, 2 + i)) for i in range(3)]
    leaving = reader.read(Frame(photograph(after), 0.6, 5))
    settled = [reader.read(Frame(photograph(after, View(seed=9)), 0.7 + i / 10, 6 + i)) for i in range(3)]
    assert_shows(first, before)
    assert moving.at_rest_s == 0.0
    assert HiddenCause.HAND in {hidden.cause for hidden in moving.hidden}
    assert "b/2" not in {s.face for s in moving.sightings}
    assert resting[-1].at_rest_s == 0.0
    assert HiddenCause.HAND in {hidden.cause for hidden in resting[-1].hidden}
    assert leaving.at_rest_s == 0.0
    assert_shows(settled[-1], after)
    assert settled[-1].hidden == ()
    assert 0.1 < settled[-1].at_rest_s < 0.35


def test_a_piece_taken_away_and_one_put_down_are_noticed(pack: FacePack) -> None:
    reader = Reader(pack)
    pictures = [TABLE, TABLE[1:], (*TABLE[1:], Piece("b/1", -150.0, -100.0, 10.0))]
    for i, pieces in enumerate(pictures):
        for j in range(3):
            scene = reader.read(Frame(photograph(pieces, View(seed=10 * i + j)), i + j / 10, 10 * i + j))
        assert_shows(scene, tuple(pieces))


def test_what_lies_far_from_a_change_is_not_read_again(pack: FacePack) -> None:
    reader = Reader(pack)
    moved = (*TABLE[:2], replace(TABLE[2], x_mm=-130.0), *TABLE[3:])
    before = reader.read(Frame(photograph(TABLE), 0.0, 0))
    after = [reader.read(Frame(photograph(moved), 0.1 + i / 10, 1 + i)) for i in range(2)][-1]
    assert_shows(after, moved)
    assert nearest(after, TABLE[4]) is nearest(before, TABLE[4])
    assert nearest(after, moved[2]) is not nearest(before, TABLE[2])


def test_a_mat_that_was_pushed_is_found_again(pack: FacePack) -> None:
    reader = Reader(pack)
    reader.read(Frame(photograph(TABLE), 0.0, 0))
    pushed = View(turn_deg=5.0)
    scene = reader.read(Frame(photograph(TABLE, pushed), 0.1, 1))
    assert scene.shift_mm > 5.0
    assert_shows(scene, TABLE)


def test_a_hidden_marker_does_not_stop_reading(pack: FacePack) -> None:
    reader = Reader(pack)
    reader.read(Frame(photograph(TABLE), 0.0, 0))
    over_marker = np.array([[150.0, -300.0], [150.0, -140.0], [200.0, -140.0], [200.0, -300.0]])
    scenes = [reader.read(Frame(photograph(TABLE, hand=over_marker), 0.1 + i / 10, 1 + i)) for i in range(3)]
    assert_shows(scenes[-1], TABLE)


@pytest.mark.long
def test_a_picture_of_another_size_starts_afresh(pack: FacePack) -> None:
    reader = Reader(pack)
    reader.read(Frame(photograph(TABLE), 0.0, 0))
    assert_shows(reader.read(Frame(photograph(TABLE, View(size=(1920, 1080))), 0.1, 1)), TABLE)


class Finds:
    """A finder that finds the same wherever it looks."""

    name = "some"

    def __init__(self, *found: Sighting) -> None:
        self._found = found

    def find(self, image: Image, registration: Registration, seen: Sequence[Sighting]) -> Sequence[Sighting]:
        return self._found


def die(x_mm: float, y_mm: float) -> Sighting:
    outline = tuple((x_mm + x, y_mm + y) for x, y in ((-8.0, -8.0), (8.0, -8.0), (8.0, 8.0), (-8.0, 8.0)))
    return Sighting(PieceKind.DIE, Pose(x_mm, y_mm, 0.0), (FaceLikelihood("4", 0.99),), True, 1.0, outline)


def test_a_die_in_a_hand_is_not_read(pack: FacePack) -> None:
    finder = Finds(die(62.0, -60.0), die(-90.0, -90.0))
    scene = read_photo(photograph(TABLE, hand=HAND), pack, finders=[finder])
    assert [s.pose.x_mm for s in scene.sightings if s.kind is PieceKind.DIE] == [-90.0]
    assert HiddenCause.HAND in {hidden.cause for hidden in scene.hidden}


@pytest.mark.long
def test_what_a_finder_found_is_nothing_foreign(pack: FacePack) -> None:
    """A white paper with a die on it, on the mat."""
    picture = photograph(TABLE[2:], View(light=(0.4, 0.4, 0.4)))
    paper = np.array([[-140.0, -150.0], [-40.0, -150.0], [-40.0, -70.0], [-140.0, -70.0]])
    cv2.fillPoly(picture, [project(paper, View()).round().astype(np.int32)], (120, 120, 120))
    assert read_photo(picture, pack).hidden != ()
    sheet = replace(die(0.0, 0.0), kind=PieceKind.SHEET, outline_mm=tuple(map(tuple, paper.tolist())))
    scene = read_photo(picture, pack, finders=[Finds(sheet, die(-90.0, -110.0))])
    assert scene.hidden == ()
    assert {s.kind for s in scene.sightings} >= {PieceKind.SHEET, PieceKind.DIE}


def test_what_fits_badly_is_not_said_to_be_sure_though_nothing_fits_better(pack: FacePack) -> None:
    """Bare cloth of a face's colour fits it that badly by chance."""
    reader = Reader(pack)
    reader.read(Frame(photograph(TABLE), 0.0, 0))
    known = reader._table
    assert known is not None
    reading = next(r for r in known.readings if r.kind is PieceKind.SLICE and r.visible > 0.95)
    best = reading.candidates == reading.face
    sure = []
    for cost in (1.3, 1.6):
        costs = np.where(best[:, None], cost, 1.5 * cost + 0.75) * np.ones_like(reading.costs)
        worse = replace(reading, costs=costs.astype(np.float32))
        assert worse.lead == pytest.approx(0.75, abs=0.1)
        sure.append(likelihoods(worse, known.kinds[worse.kind])[0].probability)
    assert sure[0] > 0.9 > sure[1] > 0.5


class Shows:
    """A finder that finds something else at each look, and from the last of these on the same."""

    name = "some"

    def __init__(self, *looks: Sequence[Sighting]) -> None:
        self._looks = list(looks)

    def find(self, image: Image, registration: Registration, seen: Sequence[Sighting]) -> Sequence[Sighting]:
        return self._looks.pop(0) if len(self._looks) > 1 else self._looks[0]


@pytest.mark.long
def test_what_one_look_showed_doubtfully_is_not_kept_though_nothing_changes_any_more() -> None:
    """Whichever look it was: neither the one after a change nor the last one, which no other follows."""
    doubtful = replace(die(0.0, 0.0), faces=(FaceLikelihood("4", 0.8),))
    blank, change = photograph(()), photograph(())
    cv2.circle(change, (640, 360), 20, (60, 60, 60), -1)
    for pictures in ((blank, change), (change, blank)):
        for before in (2, 3, 4):
            reader = Reader(FacePack({}, ()), finders=[Shows(*[()] * before, [doubtful], ())])
            for i in range(14):
                scene = reader.read(Frame(pictures[i >= 6], i * 0.4, i))
            assert scene.sightings == (), before


def test_what_every_look_shows_is_kept_however_doubtful() -> None:
    doubtful = replace(die(0.0, 0.0), faces=(FaceLikelihood("4", 0.8),))
    reader = Reader(FacePack({}, ()), finders=[Shows([doubtful])])
    for i in range(6):
        scene = reader.read(Frame(photograph(()), i * 0.4, i))
    assert [s.face for s in scene.sightings] == ["4"]
