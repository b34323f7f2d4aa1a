"""A mat of which the camera sees a part only."""

import cv2
import numpy as np
import pytest

from tests.long import cases
from tests.vision.drawn_table import Piece, enrolled, photograph
from vision.frame import Frame, Image
from vision.mat.beyond_picture import mat_beyond_picture
from vision.mat.lens import Lens
from vision.mat.markers import MAT_HALF_MM
from vision.mat.registration import find_mat
from vision.reader import Reader, read_photo
from vision.scene import HiddenCause, HiddenPlace, Scene

PIECES = (Piece("a/1", 0.0, 0.0, 20.0), Piece("special/two", 60.0, 90.0, 200.0))


def moved(image: Image, right: float, down: float) -> Image:
    """What a camera sees that looks a little elsewhere."""
    matrix = np.array([[1.0, 0.0, right], [0.0, 1.0, down]])
    return np.asarray(
        cv2.warpAffine(image, matrix, (image.shape[1], image.shape[0]), borderMode=cv2.BORDER_REFLECT), np.uint8
    )


def beyond(scene: Scene) -> list[HiddenPlace]:
    return [place for place in scene.hidden if place.cause is HiddenCause.OUT_OF_PICTURE]


def inside(place: HiddenPlace, spot_mm: tuple[float, float]) -> bool:
    return cv2.pointPolygonTest(np.array(place.outline_mm, np.float32), spot_mm, False) > 0


@pytest.mark.long
def test_of_a_mat_that_is_seen_whole_nothing_is_beyond_the_picture() -> None:
    assert mat_beyond_picture(find_mat(photograph([]))) == ()
    assert read_photo(photograph(PIECES), enrolled()).hidden == ()


@cases(
    ("right", "down", "out_mm"),
    [
        (0.0, 170.0, (0.0, -195.0)),
        (0.0, -170.0, (0.0, 195.0)),
        (-420.0, 0.0, (-195.0, 0.0)),
        (420.0, 0.0, (195.0, 0.0)),
    ],
    always=1,
)
def test_what_the_camera_does_not_see_of_the_mat_is_hidden(
    right: float, down: float, out_mm: tuple[float, float]
) -> None:
    whole = photograph(PIECES)
    image = moved(whole, right, down)
    registration = find_mat(image)
    [place] = beyond(read_photo(image, enrolled()))
    assert inside(place, out_mm)
    assert not inside(place, (0.0, 0.0))
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * MAT_HALF_MM
    laid = registration.to_picture(corners).astype(np.float32)
    height, width = image.shape[:2]
    frame = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], np.float32)
    seen = cv2.intersectConvexConvex(laid, frame)[0] / cv2.contourArea(laid)
    area = cv2.contourArea(np.array(place.outline_mm, np.float32)) / (2 * MAT_HALF_MM) ** 2
    assert area == pytest.approx(1.0 - seen, abs=0.03), "millimetres and pixels are nearly alike"


def test_the_lens_is_not_asked_about_what_it_does_not_show() -> None:
    """The picture is laid on the table, also through a lens that bends much."""
    image = moved(photograph([]), 0.0, 170.0)
    [place] = mat_beyond_picture(find_mat(image, lens=Lens(0.86, -0.3, 0.0)))
    assert inside(place, (0.0, -196.0))
    assert not inside(place, (0.0, 0.0))


def test_it_stays_hidden_while_the_table_is_watched() -> None:
    image, reader = moved(photograph(PIECES), 0.0, 170.0), Reader(enrolled())
    scenes = [reader.read(Frame(image, 0.2 * number, number)) for number in range(4)]
    assert [len(beyond(scene)) for scene in scenes] == [1] * 4
    assert scenes[-1].at_rest_s > 0, "nothing to wait for"
