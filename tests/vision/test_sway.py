"""A camera that sways on its arm: taken off its pictures, and nothing else is."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.vision.altered import flickering, swayed
from tests.vision.drawn_table import View, enrolled, photograph
from tests.vision.test_reader import HAND, TABLE, assert_shows
from vision.following.sway import LEAST_PX, UNSURE_PX, Still, Sway
from vision.frame import Frame, Image
from vision.mat.registration import find_mat
from vision.motion import Small, beyond_noise, differences, shrink
from vision.reader import MAT_MOVED_MM, Reader
from vision.scene import Scene

ARMS = np.array([[-600.0, 250.0], [-20.0, 250.0], [-20.0, -250.0], [-600.0, -250.0]])
"""Over the picture's left half, and two of the markers."""
FRAME_S = 1 / 15
PX_PER_MM = 1.376
MOVED = (*TABLE[:2], replace(TABLE[2], x_mm=-150.0, y_mm=60.0), *TABLE[3:])


def view(seed: int, light: float = 1.0) -> View:
    """As sharp as cameras are."""
    return View(seed=seed % 6, blur=0.9, light=(light, light, light))


@cache
def hung() -> Sway:
    picture = photograph(TABLE, view(0))
    return Sway(picture, find_mat(picture))


def still_of(picture: Image) -> Still | None:
    return hung().taken_off(Frame(picture, 0.0, 0), shrink(picture))


def sway_of(number: int, px: float) -> tuple[float, float, float]:
    """How a picture is off that sways by about so much: right, down, and turned."""
    at = 2.0 * np.pi * number * FRAME_S
    right, down = np.sin(3.3 * at) + 0.5 * np.sin(1.7 * at), np.sin(2.9 * at)
    return px * float(right), px * float(down), 0.01 * px * float(np.sin(4.1 * at))


def watched(pictures: int, px: float, moved_from: int = 99, bump: tuple[int, float] = (99, 0.0)) -> list[Scene]:
    """What is read while the camera sways by about so many pixels, a piece is moved, and the camera is knocked so that
    all lies some pixels beside."""
    reader, scenes = Reader(enrolled()), []
    for number in range(pictures):
        right, down, turn = sway_of(number, px)
        right += bump[1] if number >= bump[0] else 0.0
        picture = photograph(TABLE if number < moved_from else MOVED, view(number))
        scenes.append(reader.read(Frame(swayed(picture, right, down, turn), number * FRAME_S, number)))
    return scenes


@pytest.mark.parametrize("hand", [None, ARMS], ids=["no hand", "hands on half of it"])
@pytest.mark.parametrize("off", [(0.3, -0.2, 0.01), (-0.8, 0.5, -0.02), (3.3, 2.4, 0.03)])
def test_sway_is_taken_off_what_is_compared(off: tuple[float, float, float], hand: np.ndarray | None) -> None:
    picture, known = photograph(TABLE, view(1), hand), shrink(photograph(TABLE, view(0)))
    lit = flickering(swayed(picture, *off), 0.1 if hand is None else 0.0, 2.3, 0.2)
    still = still_of(lit)
    assert still is not None
    turn = np.radians(-off[2])
    from_middle = still.points - [639.5, 359.5]
    moved = from_middle @ [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]] + [639.5, 359.5] + off[:2]
    there = np.linalg.norm(still.points - moved, axis=1)
    assert there.max() > 0.3
    if hand is None:
        assert np.abs(still.to - moved).max() < UNSURE_PX
        return  # what lamps do is taken off later
    open_ones = (slice(1, -1), slice(130, -1))
    before = differences(shrink(swayed(picture, *off)), known)[open_ones]
    after = np.maximum(differences(still.small, known) - still.unsure, 0.0)[open_ones]
    assert np.count_nonzero(beyond_noise(before)) > 200
    assert np.count_nonzero(beyond_noise(after)) == 0


@pytest.mark.parametrize("hand", [None, HAND, ARMS], ids=["no hand", "a hand", "hands on half of it"])
def test_nothing_is_taken_off_where_the_camera_hangs_still(hand: np.ndarray | None) -> None:
    assert still_of(photograph(TABLE, view(2), hand)) is None
    assert still_of(photograph(MOVED, view(2, 0.6), hand)) is None


def test_what_is_too_little_to_be_seen_is_not_taken_off() -> None:
    assert still_of(swayed(photograph(TABLE, view(2)), 0.5 * LEAST_PX, 0.0)) is None
    assert still_of(swayed(photograph(TABLE, view(2)), 3.0 * LEAST_PX, 0.0)) is not None


def test_markers_are_not_asked_where_a_hand_moves_beside_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    taken_off = Sway.taken_off

    def counted(sway: Sway, frame: Frame, small: Small) -> Still | None:
        asked.append(frame.sequence)
        return taken_off(sway, frame, small)

    monkeypatch.setattr(Sway, "taken_off", counted)
    reader = Reader(enrolled())
    pictures = [photograph(TABLE, view(0)), photograph(TABLE, view(1), HAND), photograph(TABLE, view(2), HAND + 5.0)]
    for number, picture in enumerate([*pictures, swayed(photograph(TABLE, view(3)), 0.3, 0.2)]):
        reader.read(Frame(picture, number * FRAME_S, number))
    assert asked == [3]


def test_where_no_marker_shows_nothing_is_told() -> None:
    covered = photograph(TABLE, view(3), np.array([[-900.0, -900.0], [900.0, -900.0], [900.0, 900.0], [-900.0, 900.0]]))
    assert still_of(covered) is None
    assert not hung().told
    assert hung().middle(MAT_MOVED_MM) is None


def test_a_table_rests_though_the_camera_sways_and_what_is_moved_is_noticed_at_once() -> None:
    scenes = watched(18, 1.2, moved_from=12)
    assert_shows(scenes[11], TABLE)
    assert all(len(scene.sightings) == len(TABLE) for scene in scenes[:12])
    assert scenes[11].at_rest_s == pytest.approx(11 * FRAME_S)
    assert not scenes[11].hidden
    assert_shows(scenes[15], MOVED)
    assert scenes[17].at_rest_s == pytest.approx(5 * FRAME_S)


@pytest.mark.long
def test_a_camera_that_hangs_otherwise_is_followed_though_it_sways() -> None:
    scenes = watched(26, 0.6, bump=(4, 1.5 * MAT_MOVED_MM * PX_PER_MM))
    assert scenes[8].shift_mm == 0.0
    assert_shows(scenes[8], TABLE)
    assert scenes[-1].shift_mm == pytest.approx(1.5 * MAT_MOVED_MM, abs=0.3)
    assert len({scene.shift_mm for scene in scenes}) == 2
    assert_shows(scenes[-1], TABLE)


def test_what_is_read_is_not_moved_by_sway() -> None:
    """A frame that is read shows all where it lay."""
    steady = photograph(TABLE, view(4))
    still = still_of(swayed(steady, 1.4, -0.9, 0.02))
    assert still is not None
    frame = still.of(Frame(swayed(steady, 1.4, -0.9, 0.02), 3.0, 5))
    assert (frame.time_s, frame.sequence) == (3.0, 5)
    moved = find_mat(frame.image).markers_shift_mm(find_mat(steady))
    assert moved < 0.05
