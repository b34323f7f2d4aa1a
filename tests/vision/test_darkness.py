"""What lies in the dark while the rest of the mat is lit is hidden; black things and dim rooms are not dark."""

import cv2
import numpy as np
import pytest

from tests.long import cases
from tests.vision.drawn_table import Piece, View, enrolled, photograph, project
from vision.frame import Image
from vision.pieces.faces import FacePack
from vision.reader import read_photo
from vision.scene import HiddenCause

TABLE = (Piece("a/1", 2.0, 0.0, 20.0), Piece("back", -120.0, 30.0, 200.0), Piece("special/two", 150.0, 60.0, 45.0))


@pytest.fixture(scope="module")
def pack() -> FacePack:
    return enrolled()


NAVY = (70, 52, 46)


def on_mat(colour: tuple[int, int, int]) -> Image:
    """The table with another mat, white only around its markers."""
    bare, image = photograph([]), photograph(TABLE)
    mat = (np.abs(bare.astype(int) - [205, 220, 225]).max(axis=2) < 14) & (image == bare).all(axis=2)
    image[mat] = colour
    return image


def shaded(light: float, colour: tuple[int, int, int] | None = None) -> Image:
    """The table, of which all to the left of x = -40 mm has so much less light."""
    image = photograph(TABLE) if colour is None else on_mat(colour)
    (x, _), *_ = project(np.array([[-40.0, 0.0]]), View())
    shade = np.where(np.arange(image.shape[1]) < x, light, 1.0).astype(np.float32)
    shade = cv2.GaussianBlur(shade[None], (0, 0), 8.0)[0]
    return np.asarray(np.clip(image * shade[None, :, None], 0, 255), np.uint8)


@cases("colour", [None, NAVY], always=1)
def test_what_lies_in_the_dark_is_hidden_and_not_missing(pack: FacePack, colour: tuple[int, int, int] | None) -> None:
    scene = read_photo(shaded(0.08, colour), pack)
    assert "back" not in {s.face for s in scene.sightings}
    [place] = [place for place in scene.hidden if place.cause is HiddenCause.DARK]
    outline = np.array(place.outline_mm, np.float32)
    assert cv2.pointPolygonTest(outline, (-160.0, 10.0), False) > 0  # where the back lies
    assert cv2.pointPolygonTest(outline, (60.0, 20.0), False) < 0


@pytest.mark.long
@cases("colour", [None, NAVY], always=1)
@cases("light", [0.4, 1.0], always=1)
def test_what_can_be_read_is_not_dark(pack: FacePack, light: float, colour: tuple[int, int, int] | None) -> None:
    scene = read_photo(shaded(light, colour), pack)
    assert {s.face for s in scene.sightings} == {"a/1", "back", "special/two"}
    assert HiddenCause.DARK not in {place.cause for place in scene.hidden}


def test_a_dim_room_and_a_black_thing_are_not_dark(pack: FacePack) -> None:
    image = photograph(TABLE, View(light=(0.2, 0.2, 0.2)))
    thing = project(np.array([[40.0, -60.0], [120.0, -60.0], [120.0, -150.0], [40.0, -150.0]]), View())
    cv2.fillPoly(image, [np.round(thing).astype(np.int32)], (4, 4, 4))
    scene = read_photo(image, pack)
    assert {place.cause for place in scene.hidden} == {HiddenCause.FOREIGN}


@pytest.mark.long
def test_a_black_mat_is_not_dark(pack: FacePack) -> None:
    scene = read_photo(on_mat((8, 8, 8)), pack)
    assert len(scene.sightings) == len(TABLE)
    assert HiddenCause.DARK not in {place.cause for place in scene.hidden}
