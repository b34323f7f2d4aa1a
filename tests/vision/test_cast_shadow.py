"""A shadow that falls on the table and stays is no hand; a hand, and a sleeve as dark as a shadow, is one."""

import cv2
import numpy as np
import pytest

from tests.long import cases
from tests.vision.altered import ShadowEdge, in_shadow
from tests.vision.drawn_table import View, photograph
from vision.frame import Frame, Image
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.scene import HiddenCause, Scene

SHADOW = ShadowEdge(60.0, 0.0, 20.0, 2.2, 6.0, 1.08)
SLEEVE = np.array([[90.0, -600.0], [95.0, -60.0], [60.0, 30.0], [40.0, 28.0], [10.0, -80.0], [0.0, -600.0]])


def sleeved(picture: Image, colour: tuple[int, int, int]) -> Image:
    """With an arm in plain cloth of one colour, rounded a little at its sides."""
    outline = np.round(find_mat(picture).to_picture(SLEEVE)).astype(np.int32)
    inside = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillPoly(inside, [outline], 255)
    round_sides = 0.7 + 0.3 * np.minimum(cv2.distanceTransform(inside, cv2.DIST_L2, 5) / 30.0, 1.0)
    share = cv2.GaussianBlur(inside.astype(np.float32) / 255.0, (0, 0), 1.0)[..., None]
    return np.asarray(picture * (1.0 - share) + share * round_sides[..., None] * np.array(colour), np.uint8)


def watched(pictures: list[Image]) -> list[Scene]:
    """What is said of pictures half a second apart."""
    reader = Reader(FacePack({}, ()))
    return [reader.read(Frame(picture, 0.5 * number, number)) for number, picture in enumerate(pictures)]


def hands(scene: Scene) -> int:
    return sum(place.cause is HiddenCause.HAND for place in scene.hidden)


def views(first: int, count: int) -> list[Image]:
    """The empty mat on a table, both with a grain, as paper and wood have it."""
    plain = [photograph((), View(seed=number)) for number in range(first, first + count)]
    grain = np.random.default_rng(3).normal(0.0, 1.0, plain[0].shape[:2]).astype(np.float32)
    grain = 1.0 + 0.25 * cv2.GaussianBlur(grain, (0, 0), 4.0)[..., None]
    return [np.asarray(np.clip(one * grain, 0, 255), np.uint8) for one in plain]


@pytest.mark.long
def test_a_shadow_that_falls_on_the_empty_mat_and_stays_hides_nothing() -> None:
    scenes = watched(views(1, 4) + [in_shadow(one, SHADOW) for one in views(5, 4)] + views(9, 4))
    assert not hands(scenes[3])
    assert [hands(scene) for scene in scenes[6:8]] == [0, 0]
    assert scenes[7].at_rest_s > 0.4
    assert [hands(scene) for scene in scenes[10:]] == [0, 0]
    assert scenes[11].at_rest_s > 0.4


@cases("colour", [(60, 64, 68), (90, 95, 100), (25, 25, 27), (70, 85, 120), (110, 140, 200)], always=1)
def test_an_arm_that_is_as_dark_as_a_shadow_is_one(colour: tuple[int, int, int]) -> None:
    scenes = watched(views(1, 4) + [sleeved(one, colour) for one in views(5, 6)])
    assert all(hands(scene) for scene in scenes[5:])


@pytest.mark.long
def test_so_is_an_arm_in_the_shadow_of_the_one_it_belongs_to() -> None:
    scenes = watched(views(1, 4) + [sleeved(in_shadow(one, SHADOW), (30, 31, 33)) for one in views(5, 6)])
    assert all(hands(scene) for scene in scenes[5:])
