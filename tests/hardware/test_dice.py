"""Simulated dice: solids in the right place, with the right faces, in any order of drawing."""

import math

import cv2
import numpy as np
import pytest

from hardware.simulated.dice import DieLook, DieView
from hardware.simulated.lens import CameraModel
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions, Surface
from hardware.simulated.world import WorldSnapshot
from vision.frame import Image
from vision.scene import Pose

PLAIN = Conditions(surface=Surface.PLAIN, noise=0.0, blur_px=0.0, gradient=0.0, vignette=0.0, shadow=0.3)
RED, WHITE = (30.0, 30.0, 220.0), (245.0, 245.0, 245.0)
LOOK = DieLook(RED, WHITE, RED, gloss=0.0, drilled=False)
WAYS = [(a, b, top) for top in range(1, 7) for a, b in ((1, 2), (2, 3), (3, 1)) if {top, 7 - top}.isdisjoint((a, b))]


def seen(*dice: DieView) -> tuple[Image, CameraModel]:
    camera = PLAIN.camera_model(1280, 720)
    return Renderer({}, camera, PLAIN).render(WorldSnapshot(0.0, (), (), frozenset(), (), dice=dice)), camera


def redness(picture: Image) -> np.ndarray:
    blue, _, red = cv2.split(picture.astype(np.int32))
    return np.asarray(red - blue)


def top_of(die: DieView, picture: Image, camera: CameraModel, size: int = 80) -> Image:
    """Its top, upright, the angle to the right."""
    corners = camera.project(die.corners_mm(1.0)).astype(np.float32)
    square = np.array([[0, size], [size, size], [size, 0], [0, 0]], np.float32) - 0.5
    return np.asarray(
        cv2.warpPerspective(picture, cv2.getPerspectiveTransform(corners, square), (size, size)), np.uint8
    )


@pytest.mark.parametrize("way", WAYS)
def test_a_die_shows_its_value_on_top(way: tuple[int, int, int]) -> None:
    die = DieView(Pose(120.0, 60.0, 25.0), 40.0, way, LOOK)
    top = top_of(die, *seen(die))
    count, _, parts, _ = cv2.connectedComponentsWithStats((top[..., 0] > 140).astype(np.uint8)[6:-6, 6:-6])
    assert sum(part[cv2.CC_STAT_AREA] > 20 for part in parts[1:]) == die.value == way[2], count


def test_it_covers_what_the_geometry_says() -> None:
    """Its silhouette is that of a cube, but for its round edges."""
    die = DieView(Pose(-200.0, 90.0, 10.0), 50.0, (1, 2, 3), LOOK)
    picture, camera = seen(die)
    bare, _ = seen()
    differs = (redness(picture) - redness(bare) > 25).astype(np.uint8)
    hull = cv2.convexHull(camera.project(np.vstack([die.corners_mm(0.0), die.corners_mm(1.0)])).astype(np.float32))
    cube = cv2.fillConvexPoly(np.zeros(differs.shape, np.uint8), np.round(hull).astype(np.int32), (1,))
    wider = np.asarray(cv2.dilate(cube, np.ones((5, 5), np.uint8)), np.uint8)
    assert not (differs & ~wider).any()
    assert differs[cube > 0].mean() > 0.84


def test_the_side_that_faces_the_camera_shows_its_own_value() -> None:
    """Right of the camera its left side shows: what lies opposite the angle's face."""
    die = DieView(Pose(380.0, 0.0, 0.0), 50.0, (6, 3, 2), LOOK)
    picture, camera = seen(die)
    low, high = camera.project(die.corners_mm(0.0)), camera.project(die.corners_mm(1.0))
    side = np.array([low[0], low[3], high[3], high[0]], np.float32)
    square = np.array([[0, 59], [59, 59], [59, 0], [0, 0]], np.float32)
    face = cv2.warpPerspective(picture, cv2.getPerspectiveTransform(side, square), (60, 60))
    white = (face[..., 0] > 90).astype(np.uint8)[8:-8, 8:-8]
    _, _, parts, _ = cv2.connectedComponentsWithStats(white)
    assert sum(part[cv2.CC_STAT_AREA] > 15 for part in parts[1:]) == 7 - die.values[0]


def test_the_nearer_die_hides_the_farther_one() -> None:
    far = DieView(Pose(300.0, 0.0, 0.0), 16.0, (1, 2, 3), LOOK)
    near = DieView(Pose(266.0, 0.0, 0.0), 50.0, (1, 2, 3), DieLook((220.0, 30.0, 30.0), WHITE, (220.0, 30.0, 30.0)))
    first, camera = seen(far, near)
    second, _ = seen(near, far)
    assert np.array_equal(first, second)
    x, y = np.round(camera.project(np.array([[286.0, 0.0, 50.0]]))[0]).astype(int)
    assert redness(first)[y, x] < 0


def test_its_shadow_falls_away_from_the_lamp() -> None:
    die = DieView(Pose(0.0, 0.0, 0.0), 40.0, (1, 2, 3), LOOK)
    picture, camera = seen(die)
    bare, _ = seen()
    turn = math.radians(PLAIN.lamp_deg)
    away, toward = (np.array([[s * math.cos(turn) * 45.0, s * math.sin(turn) * 45.0, 0.0]]) for s in (-1.0, 1.0))
    darker = []
    for place in (away, toward):
        x, y = np.round(camera.project(place)[0]).astype(int)
        darker.append(int(bare[y, x].sum()) - int(picture[y, x].sum()))
    assert darker[0] > 40 > 12 > abs(darker[1])
