"""Things laid on a table that is watched: how it looked before tells them, and what they hide."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from controller.games.polygons import inside
from tests.long import cases
from tests.vision.drawn_table import Piece, View, enrolled, photograph
from vision.frame import Frame, Image
from vision.hiding.cells import square
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.scene import HiddenCause, Scene

TABLE = (
    Piece("a/1", 2.0, 0.0, 20.0),
    Piece("b/2", 0.0, -20.0, 290.0),
    Piece("special/two", -262.0, 0.0, 90.0),
    Piece("special/one", -352.0, 0.0, 90.0),
)
GREEN, GREY, BLUE = (60, 140, 50), (150, 150, 150), (140, 60, 50)
Outline = NDArray[np.float64]


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrolled()


def disc(x: float, y: float, radius: float) -> Outline:
    around = np.linspace(0, 2 * np.pi, 60)
    return radius * np.stack([np.cos(around), np.sin(around)], 1) + (x, y)


def painted(picture: Image, outline_mm: Outline, colour: tuple[int, int, int]) -> Image:
    outline = np.round(find_mat(picture).to_picture(outline_mm)).astype(np.int32)
    noise = np.random.default_rng(len(picture)).normal(0.0, 1.5, picture.shape)
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillPoly(mask, [outline], 255)
    return np.where(mask[..., None] > 0, np.clip(np.array(colour) + noise, 0, 255), picture).astype(np.uint8)


def shaded(picture: Image, outline_mm: Outline, share: float) -> Image:
    """With a shadow in which so large a share of the light is left."""
    outline = np.round(find_mat(picture).to_picture(outline_mm)).astype(np.int32)
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillPoly(mask, [outline], 255)
    light = cv2.GaussianBlur(1.0 - (1.0 - share) * (mask > 0).astype(np.float32), (0, 0), 1.5)
    return np.asarray(picture * light[..., None], np.uint8)


def views(first: int, pieces: tuple[Piece, ...] = TABLE) -> list[Image]:
    return [photograph(pieces, View(seed=number)) for number in range(first, first + 5)]


def watched(pack: FacePack, *states: list[Image]) -> list[Scene]:
    """The last scene of each state; pictures half a second apart."""
    reader = Reader(pack)
    scenes, number = [], 0
    for pictures in states:
        for picture in pictures:
            scene = reader.read(Frame(picture, 0.5 * number, number))
            number += 1
        scenes.append(scene)
    return scenes


def faces(scene: Scene) -> list[str]:
    return sorted(sighting.face for sighting in scene.sightings)


def causes_at(scene: Scene, x: float, y: float) -> set[HiddenCause]:
    return {place.cause for place in scene.hidden if inside((x, y), place.outline_mm)}


def test_a_thing_beside_the_mat_is_outlined_while_it_lies_there(pack: FacePack) -> None:
    before, lies, after = watched(
        pack, views(1), [painted(one, disc(300, 40, 40), GREEN) for one in views(6)], views(11)
    )
    assert causes_at(lies, 300, 40) == {HiddenCause.FOREIGN}
    assert causes_at(lies, 325, 60) == {HiddenCause.FOREIGN}
    assert faces(before) == faces(lies) == faces(after)
    assert before.hidden == after.hidden == ()


@pytest.mark.long
@cases("colour", [GREEN, GREY], always=1)
def test_a_piece_under_a_thing_is_hidden_and_not_gone(pack: FacePack, colour: tuple[int, int, int]) -> None:
    thing = square(-275, 0, 62)
    before, lies, after = watched(pack, views(1), [painted(one, thing, colour) for one in views(6)], views(11))
    assert faces(lies) == ["a/1", "b/2", "special/one"]
    assert causes_at(lies, -262, 0) == {HiddenCause.FOREIGN}
    assert faces(before) == faces(after)
    assert after.hidden == ()


@pytest.mark.long
def test_a_piece_under_a_smaller_thing_is_hidden_there(pack: FacePack) -> None:
    """No part of the table around it is covered."""
    thing = disc(-262, 0, 26)
    _, lies, after = watched(pack, views(1), [painted(one, thing, BLUE) for one in views(6)], views(11))
    assert causes_at(lies, -262, 0) == {HiddenCause.FOREIGN}
    assert faces(after) == faces(watched(pack, views(1))[0])
    assert after.hidden == ()


@pytest.mark.long
def test_a_piece_that_is_taken_away_is_gone(pack: FacePack) -> None:
    left = tuple(piece for piece in TABLE if piece.face != "special/two")
    _, scene = watched(pack, views(1), views(6, left))
    assert faces(scene) == ["a/1", "b/2", "special/one"]
    assert scene.hidden == ()


@pytest.mark.long
def test_what_lay_there_from_the_beginning_and_is_taken_away_leaves_nothing(pack: FacePack) -> None:
    lies = [painted(one, disc(300, 40, 40), GREEN) for one in views(1)]
    _, scene = watched(pack, lies, views(6))
    assert scene.hidden == ()


@pytest.mark.long
def test_a_small_grey_thing_is_told_from_a_shadow_once_all_is_at_rest(pack: FacePack) -> None:
    """It only makes the mat darker; but no shadow is so small and so sharp."""
    button = disc(-80, 100, 9)
    _, lies, after = watched(pack, views(1), [shaded(one, button, 0.5) for one in views(6) + views(11)], views(16))
    assert causes_at(lies, -80, 100) == {HiddenCause.FOREIGN}
    assert after.hidden == ()


@pytest.mark.long
@cases("share", [0.55, 0.75], always=1)
def test_a_shadow_hides_nothing(pack: FacePack, share: float) -> None:
    shadow = square(290, 40, 60)
    _, scene = watched(pack, views(1), [shaded(one, shadow, share) for one in views(6)])
    assert scene.hidden == ()


@pytest.mark.long
def test_what_ends_where_the_table_looks_as_it_did_is_no_hand(pack: FacePack) -> None:
    """It reaches so far over the mat's edge that one picture alone takes it for an arm."""
    box = np.array([[150.0, -30.0], [310.0, -30.0], [310.0, 45.0], [150.0, 45.0]])
    _, scene = watched(pack, views(1), [painted(one, box, BLUE) for one in views(6)])
    assert causes_at(scene, 180, 0) == causes_at(scene, 295, 0) == {HiddenCause.FOREIGN}
    assert causes_at(scene, 360, 0) == set()


@pytest.mark.long
def test_what_reaches_beyond_the_picture_and_stays_keeps_no_other_thing_from_being_told(pack: FacePack) -> None:
    """Such a mug is taken for a hand, for which one waits a while, and no longer."""
    mug, button = np.array([[330.0, 230.0], [400.0, 230.0], [400.0, 600.0], [330.0, 600.0]]), disc(-80, 100, 9)
    lie = [painted(shaded(one, button, 0.5), mug, BLUE) for first in range(6, 31, 5) for one in views(first)]
    _, scene = watched(pack, views(1), lie)
    assert HiddenCause.HAND in causes_at(scene, 365, 240)
    assert causes_at(scene, -80, 100) == {HiddenCause.FOREIGN}
