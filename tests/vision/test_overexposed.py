"""A piece that lies where it lay is known though so much light falls on it that most of it is cut off."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from controller.games.polygons import inside
from tests.long import cases
from tests.vision.drawn_table import Piece, View, enrolled, photograph, project
from tests.vision.test_same_print import SIZE, TABLE, printed
from vision.frame import Frame, Image
from vision.motion import Small
from vision.pieces.overexposed import Overexposed, overexposed, undisturbed
from vision.reader import Reader
from vision.scene import HiddenCause, Scene

INSIDE = np.full(SIZE, 255, np.uint8)
FACES = sorted(piece.face for piece in TABLE)


def lit(light: float, pieces: Sequence[Piece] = TABLE, seed: int = 1, veil: Image | None = None) -> Image:
    picture = photograph(pieces, View(seed=seed, light=(light, light, light), noise=2.0))
    return picture if veil is None else np.asarray(cv2.add(picture, veil), np.uint8)


def watched(pictures: Sequence[Image]) -> Scene:
    """What is said at last of a table that looks so, one picture after the other."""
    reader = Reader(enrolled())
    for number, picture in enumerate(pictures):
        scene = reader.read(Frame(picture, number * 0.5, number))
    return scene


def faces(scene: Scene) -> list[str]:
    return sorted(piece.face for piece in scene.sightings if piece.likely)


def a_lamp_on(light: float, then: Sequence[Piece] = TABLE, veil: Image | None = None) -> Scene:
    return watched([*(lit(0.8, seed=one) for one in range(3)), *(lit(light, then, 3 + one, veil) for one in range(4))])


@cases("light", [2.2, 3.0], always=1)
def test_what_lay_there_is_known_when_a_lamp_is_switched_on_over_it(light: float) -> None:
    scene = a_lamp_on(light)
    assert faces(scene) == FACES


@pytest.mark.long
@cases("light", [2.2, 3.0], always=1)
def test_one_that_was_taken_away_in_that_moment_is_gone(light: float) -> None:
    assert faces(a_lamp_on(light, TABLE[:3])) == FACES[:3]


@pytest.mark.long
@cases("light", [2.2, 3.0], always=1)
def test_one_that_is_taken_away_while_all_is_that_bright_is_gone(light: float) -> None:
    bright = [lit(light, TABLE if one < 8 else TABLE[:3], one) for one in range(3, 12)]
    assert faces(watched([*(lit(0.8, seed=one) for one in range(3)), *bright])) == FACES[:3]


def mirrored_lamp() -> Image:
    """Over a part of the special."""
    spot = np.zeros((720, 1280, 3), np.uint8)
    column, row = np.round(project(np.array([[195.0, 60.0]]), View())[0]).astype(int).tolist()
    cv2.circle(spot, (column, row), 45, (255, 255, 255), cv2.FILLED)
    return np.asarray(0.7 * cv2.GaussianBlur(spot, (0, 0), 12.0), np.uint8)


def under_glare(scene: Scene, x_mm: float, y_mm: float) -> bool:
    return any(inside((x_mm, y_mm), one.outline_mm) for one in scene.hidden if one.cause is HiddenCause.GLARE)


@pytest.mark.long
def test_what_a_mirrored_lamp_leaves_too_little_of_is_hidden_and_known_again_afterwards() -> None:
    """Though white paper is as bright as can be everywhere."""
    plain = [lit(0.8, seed=one) for one in range(3)]
    mirrored = [lit(2.2, seed=one, veil=mirrored_lamp()) for one in range(3, 7)]
    scene = watched([*plain, *mirrored])
    assert faces(scene) == FACES[:3]
    assert under_glare(scene, 150.0, 60.0)
    scene = watched([*plain, *mirrored, *plain])
    assert faces(scene) == FACES
    assert not under_glare(scene, 150.0, 60.0)


@pytest.mark.long
def test_where_nearly_all_is_cut_off_a_piece_is_known_or_hidden() -> None:
    scene = a_lamp_on(4.0)
    blinded = [place for place in scene.hidden if place.cause is HiddenCause.GLARE]
    assert set(faces(scene)) < set(FACES)
    assert len(faces(scene)) + len(blinded) == len(TABLE)


@pytest.mark.long
def test_another_one_in_its_very_place_is_not_taken_for_it() -> None:
    assert "special/two" not in faces(a_lamp_on(3.0, (*TABLE[:3], replace(TABLE[3], face="special/one"))))


@pytest.mark.long
@cases("light", [2.2, 3.0], always=1)
def test_another_one_laid_there_afterwards_in_that_light_is_not_taken_for_it(light: float) -> None:
    swapped = (*TABLE[:3], replace(TABLE[3], face="special/one"))
    bright = [lit(light, TABLE if one < 8 else swapped, one) for one in range(3, 12)]
    assert "special/two" not in faces(watched([*(lit(0.8, seed=one) for one in range(3)), *bright]))


def test_what_is_cut_off_is_told_from_what_looks_much_like_it_once_it_was_touched() -> None:
    bright = brighter(printed(1), 2.0)
    noise = np.random.default_rng(6).normal(0.0, 1.5, (*SIZE, 3)).astype(np.float32)
    assert undisturbed(bright, np.asarray(bright * np.float32(0.97) + noise, np.float32), INSIDE)
    other = printed(1)
    other[3:7, 4:9] += 40.0  # another topping
    assert overexposed(printed(1), brighter(other, 2.0), INSIDE) is Overexposed.SAME
    assert not undisturbed(bright, brighter(other, 2.0), INSIDE)


@pytest.mark.long
def test_all_is_read_when_the_light_is_as_it_was() -> None:
    pictures = [lit(light, seed=one) for one, light in enumerate([0.8, 0.8, 0.8, 3.0, 3.0, 3.0, 0.8, 0.8, 0.8])]
    scene = watched(pictures)
    assert faces(scene) == FACES
    assert not [place for place in scene.hidden if place.cause is HiddenCause.GLARE]


def brighter(before: Small, times: float, veil: float = 0.0) -> Small:
    return np.asarray(np.minimum(before * times + veil, 255.0), np.float32)


@pytest.mark.parametrize("times", [1.8, 2.0, 2.2])
def test_dark_parts_of_a_print_tell_whether_it_is_the_same(times: float) -> None:
    assert overexposed(printed(1), brighter(printed(1), times), INSIDE) is Overexposed.SAME
    assert overexposed(printed(1), brighter(printed(2), times), INSIDE) is Overexposed.OTHER


def test_colours_of_a_lamp_do_not_matter() -> None:
    tinted = np.asarray(np.minimum(printed(1) * np.array([2.0, 2.6, 3.4]), 255.0), np.float32)
    assert overexposed(printed(1), tinted, INSIDE) is Overexposed.SAME


def test_where_next_to_nothing_is_seen_it_is_not_told() -> None:
    pale = np.asarray(235.0 + 0.05 * printed(1), np.float32)
    assert overexposed(pale, brighter(pale, 2.0), INSIDE) is Overexposed.UNSEEN
    half = np.asarray(
        np.where(np.arange(SIZE[1])[:, None] < SIZE[1] // 2, 255.0, brighter(printed(1), 2.0)), np.float32
    )
    assert overexposed(printed(1), half, INSIDE) is Overexposed.UNSEEN


def test_where_little_is_cut_off_or_it_is_small_nothing_is_said() -> None:
    assert overexposed(printed(1), printed(1), INSIDE) is None
    assert overexposed(printed(1)[:3, :5], brighter(printed(1)[:3, :5], 3.0), INSIDE[:3, :5]) is None


@pytest.mark.long
def test_what_lay_there_is_known_or_hidden_when_the_camera_is_knocked_in_that_light() -> None:
    def knocked(seed: int, light: float) -> Image:
        return photograph(TABLE, View(seed=seed, light=(light,) * 3, noise=2.0, turn_deg=14.0, height_mm=770.0))

    before = [*(lit(0.8, seed=one) for one in range(3)), *(lit(3.0, seed=one) for one in range(3, 7))]
    after = [knocked(one, 3.0) for one in range(7, 11)]
    scene = watched([*before, *after])
    blinded = [place for place in scene.hidden if place.cause is HiddenCause.GLARE]
    assert scene.shift_mm > 10.0
    assert len(faces(scene)) + len(blinded) == len(TABLE)
    assert set(faces(scene)) <= set(FACES)
    scene = watched([*before, *after, knocked(11, 0.8), knocked(12, 0.8)])
    assert faces(scene) == FACES
    assert not [place for place in scene.hidden if place.cause is HiddenCause.GLARE]


@pytest.mark.long
def test_slices_of_one_face_around_one_point_are_not_taken_for_each_other() -> None:
    ring = (Piece("a/1", 2.0, 0.0, 20.0), Piece("a/1", 2.0, 0.0, 110.0), Piece("b/2", 0.0, -20.0, 290.0))
    plain = [lit(0.8, ring, one) for one in range(3)]
    reader = Reader(enrolled())
    scenes = [reader.read(Frame(picture, number * 0.5, number)) for number, picture in enumerate(plain)]
    assert faces(scenes[-1]) == ["a/1", "a/1", "b/2"]
    assert reader._table is not None
    for reading in reader._table.readings:
        looked = reader._table._other_light._of(reading)
        assert looked is not None
        assert looked.reading.pose[2] == pytest.approx(reading.pose[2], abs=3.0)
    one_left = (ring[1], ring[2])
    scene = watched([*plain, *(lit(2.2, one_left, one) for one in range(3, 7))])
    (left,) = (piece for piece in scene.sightings if piece.face == "a/1")
    assert abs(left.pose.angle_deg - 110.0) < 3.0
