"""The picture for setting a table up: one picture, and what was read from that very one."""

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import pytest

from controller.live_picture import LATE_PICTURES, LATE_S, MOST_DOUBTS, LivePicture, picture_view
from hardware.vision_process import VisionState, VisionStatus
from tests.vision.drawn_table import Piece, enrolled, photograph
from vision.frame import Frame, Image
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.scene import FaceLikelihood, HiddenCause, HiddenPlace, PieceKind, Pose, Scene, Sighting

ONE = (Piece("a/1", 0.0, 0.0, 20.0),)
THREE = (*ONE, Piece("b/1", 210.0, 40.0, 80.0), Piece("special/two", -120.0, 30.0, 200.0))
OK = VisionStatus(VisionState.OK, "a camera")


@dataclass
class Camera:
    """Keeps pictures as the ring in shared memory does, and is in the state that a test wants."""

    status: VisionStatus = OK
    kept: list[Frame] = field(default_factory=list)

    def picture(self, sequence: int | None = None) -> Frame | None:
        found = [frame for frame in self.kept if sequence is None or frame.sequence == sequence]
        return found[-1] if found else None


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrolled()


@pytest.fixture
def camera() -> Camera:
    return Camera()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def live(camera: Camera, clock: Clock) -> LivePicture:
    return LivePicture(camera, clock)


def read(image: Image, pack: FacePack, number: int, time_s: float) -> tuple[Frame, Scene]:
    frame = Frame(image, time_s, number)
    return frame, Reader(pack).read(frame)


def decoded(jpeg: bytes) -> Image:
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def outlines(jpeg: bytes, frame: Frame) -> int:
    """How many pieces are drawn on a picture: an outline, a name and the line between are one thing."""
    different = np.abs(decoded(jpeg).astype(int) - frame.image).max(-1) > 40
    grown = cv2.dilate(different.astype(np.uint8), np.ones((25, 25), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(grown)
    return int((stats[1:, cv2.CC_STAT_AREA] > 1500).sum())


def test_before_the_camera_has_given_any_there_is_none(live: LivePicture) -> None:
    assert live.read() is None


def test_the_first_picture_is_shown_before_it_is_read(live: LivePicture, camera: Camera, clock: Clock) -> None:
    image = photograph(ONE)
    camera.kept = [Frame(image, 99.0, 0)]
    shown = live.read()
    assert shown is not None
    assert (shown[1].sequence, shown[1].pieces, shown[1].age_s) == (0, 0, 1.0)
    assert "being read" in shown[1].why_not_read
    assert np.abs(decoded(shown[0]).astype(int) - image).mean() < 3.0


def test_what_is_said_is_of_the_scene_that_is_drawn(live: LivePicture, camera: Camera, pack: FacePack) -> None:
    """A newer picture, that shows more and is not read yet, is not shown with an older one's numbers."""
    one, of_one = read(photograph(ONE), pack, 3, 98.0)
    three, of_three = read(photograph(THREE), pack, 4, 99.0)
    camera.kept = [one, three]
    live.take(of_one)
    shown = live.read()
    assert shown is not None
    assert (shown[1].sequence, shown[1].pieces, outlines(shown[0], one)) == (3, 1, 1)
    live.take(of_three)
    shown = live.read()
    assert shown is not None
    assert (shown[1].sequence, shown[1].pieces, outlines(shown[0], three)) == (4, 3, 3)


def test_a_picture_that_is_overwritten_leaves_the_last_one_with_its_own_numbers(
    live: LivePicture, camera: Camera, clock: Clock, pack: FacePack
) -> None:
    one, of_one = read(photograph(ONE), pack, 3, 98.0)
    camera.kept = [one]
    live.take(of_one)
    first = live.read()
    camera.kept = [Frame(photograph(THREE), 101.0, 9)]
    live.take(replace(of_one, sequence=5, time_s=99.0, sightings=()))
    clock.now_s = 104.0
    again = live.read()
    assert first is not None
    assert again is not None
    assert again[0] == first[0]
    assert (again[1].sequence, again[1].pieces, again[1].age_s) == (3, 1, 6.0)


def test_a_camera_that_began_anew_is_not_taken_for_the_one_before(
    live: LivePicture, camera: Camera, pack: FacePack
) -> None:
    """Its numbers are the same."""
    one, of_one = read(photograph(ONE), pack, 3, 90.0)
    camera.kept = [one]
    live.take(of_one)
    before = live.read()
    camera.kept = [Frame(photograph(THREE), 99.0, 3)]
    after = live.read()
    assert before is not None
    assert after is not None
    assert after[0] == before[0]
    assert after[1].age_s == 10.0


def test_a_picture_that_cannot_be_read_is_shown_bare_with_the_reason(
    live: LivePicture, camera: Camera, pack: FacePack
) -> None:
    one, of_one = read(photograph(ONE), pack, 3, 98.0)
    camera.kept = [one]
    live.take(of_one)
    assert live.read() is not None
    camera.kept.append(Frame(np.full_like(one.image, 90), 99.0, 4))
    camera.status = VisionStatus(VisionState.UNREADABLE, "found no corner markers")
    shown = live.read()
    assert shown is not None
    assert shown[1].why_not_read == "found no corner markers"
    assert (shown[1].sequence, shown[1].pieces, shown[1].hidden) == (4, 0, [])
    assert outlines(shown[0], camera.kept[-1]) == 0
    camera.status = OK
    live.take(replace(of_one, sequence=5, time_s=100.0))
    camera.kept.append(replace(one, sequence=5, time_s=100.0))
    shown = live.read()
    assert shown is not None
    assert (shown[1].why_not_read, shown[1].sequence, outlines(shown[0], one)) == ("", 5, 1)


def test_a_hand_over_the_markers_leaves_outlines_where_they_were(
    live: LivePicture, camera: Camera, pack: FacePack
) -> None:
    one, of_one = read(photograph(ONE), pack, 3, 98.0)
    camera.kept = [one]
    live.take(of_one)
    assert live.read() is not None
    covered = one.image.copy()
    covered[:, : int(0.36 * covered.shape[1])] = 120
    covered[:, int(0.64 * covered.shape[1]) :] = 120
    camera.kept.append(Frame(covered, 99.0, 4))
    live.take(replace(of_one, sequence=4, time_s=99.0))
    shown = live.read()
    assert shown is not None
    assert (shown[1].sequence, shown[1].why_not_read, shown[1].pieces, outlines(shown[0], camera.kept[-1])) == (
        4,
        "",
        1,
        1,
    )


def test_a_table_at_rest_is_drawn_the_same_though_pictures_are_noisy(
    live: LivePicture, camera: Camera, pack: FacePack
) -> None:
    """Names and outlines do not tremble as the mat is measured anew."""
    one, scene = read(photograph(THREE), pack, 0, 90.0)
    rng = np.random.default_rng(1)
    drawn = []
    for number in range(3):
        noisy = np.clip(one.image + rng.normal(0, 2.0, one.image.shape), 0, 255).astype(np.uint8)
        camera.kept = [Frame(noisy, 90.0 + number, number)]
        live.take(replace(scene, sequence=number, time_s=90.0 + number))
        shown = live.read()
        assert shown is not None
        drawn.append(decoded(shown[0]).astype(int))
    assert max(np.abs(cv2.blur((d - drawn[0]).astype(np.float32), (5, 5))).max() for d in drawn) < 25.0


def test_how_old_is_late_follows_how_often_pictures_come(live: LivePicture, camera: Camera, pack: FacePack) -> None:
    one, scene = read(photograph(ONE), pack, 0, 0.0)
    camera.kept = [one]
    for gap_s, late_s in ((0.1, LATE_S), (2.0, LATE_PICTURES * 2.0)):
        for number in range(12):
            live.take(replace(scene, time_s=gap_s * number))
        live.take(scene)
        shown = live.read()
        assert shown is not None
        assert shown[1].late_s == pytest.approx(late_s, abs=0.01)


def test_doubts_are_counted_and_the_most_doubtful_told() -> None:
    sightings = tuple(
        Sighting(PieceKind.SLICE, Pose(float(n), 0.0, 0.0), (FaceLikelihood(f"{n}", 0.5 + n / 100),), True, 1.0, ())
        for n in range(50)
    )
    hidden = (HiddenPlace((), HiddenCause.HAND), HiddenPlace((), HiddenCause.GLARE), HiddenPlace((), HiddenCause.HAND))
    told = picture_view(8, Scene(0.0, 8, sightings, hidden, 0.0), "")
    assert (told.pieces, told.doubtful, told.hidden) == (50, 40, ["hand", "glare", "hand"])
    assert [doubt.face for doubt in told.doubts] == [f"{n}" for n in range(MOST_DOUBTS)]
