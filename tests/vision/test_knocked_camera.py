"""A camera that hangs otherwise after a knock: what was known of the bare table is known still."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np

from controller.games.polygons import inside
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions, MatStyle, Surface
from hardware.simulated.world import HandView, WorldSnapshot, arm_home
from tests.long import cases
from vision.frame import Frame, Image
from vision.hiding.cells import square
from vision.mat.markers import MAT_HALF_MM
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.scene import HiddenCause, Point, Scene

SIZE = (1280, 720)
SEAT, FINGERTIP, PALM = 6, (250.0, -35.0), (330.0, -40.0)
"""Whose hand lies beside the mat, and where."""
RATE_HZ, KNOCKED_S = 5.0, 2.5


def looking(surface: Surface) -> Conditions:
    return Conditions(surface=surface, mat=MatStyle.SLATE, seed=5)


def knocked(renderer: Renderer) -> Renderer:
    """One that hangs half a centimetre and some tenths of a degree beside where it hung."""
    hung = renderer.camera
    x, y, z = hung.position_mm
    return renderer.seen_by(
        replace(hung, position_mm=(x + 4.0, y - 5.0, z + 1.5), pan_deg=hung.pan_deg + 0.3, roll_deg=hung.roll_deg - 0.5)
    )


def with_mat_pushed(picture: Image, by_mm: Point) -> Image:
    """The mat elsewhere, and where it lay cloth."""
    laid, edge = find_mat(picture), square(0.0, 0.0, MAT_HALF_MM)
    lay, lies = (np.asarray(laid.to_picture(edge + far), np.float32) for far in ((0.0, 0.0), by_mm))
    moved = cv2.warpPerspective(picture, cv2.getPerspectiveTransform(lay, lies), SIZE)
    result = picture.copy()
    for corners, instead in ((lay, np.roll(picture, picture.shape[1] * 3 // 8, axis=1)), (lies, moved)):
        inside = cv2.fillConvexPoly(np.zeros(picture.shape[:2], np.uint8), np.round(corners).astype(np.int32), 255)
        cv2.copyTo(np.asarray(instead, np.uint8), inside, result)
    return result


def watched(
    renderer: Renderer, *, until_s: float, hand: Callable[[float], bool], to_camera: bool = True, pushed: Point = (0, 0)
) -> list[Scene]:
    """What is said of the bare table, a hand beside the mat now and then, before and after something was knocked after
    KNOCKED_S: the camera, or the mat, which is pushed so far."""
    reader, scenes = Reader(FacePack({}, ())), []
    other = knocked(renderer) if to_camera else renderer
    for number in range(round(until_s * RATE_HZ)):
        time_s = number / RATE_HZ
        hands = (HandView(SEAT, FINGERTIP, arm_home(SEAT), 10.0, 0.0, (0.0, 0.0)),) if hand(time_s) else ()
        snapshot = WorldSnapshot(time_s, (), hands, frozenset(), ())
        picture = (renderer if time_s < KNOCKED_S else other).render(snapshot)
        if time_s >= KNOCKED_S and not to_camera:
            picture = with_mat_pushed(picture, pushed)
        scenes.append(reader.read(Frame(picture, time_s, number)))
    return scenes


def hands(scene: Scene) -> list[tuple[Point, ...]]:
    return [place.outline_mm for place in scene.hidden if place.cause is HiddenCause.HAND]


@cases("surface", [Surface.CHECKED_CLOTH, Surface.LINEN, Surface.PLAIN], always=1)
def test_a_hand_beside_the_mat_is_one_after_a_knock_until_it_goes(surface: Surface) -> None:
    first = Renderer({}, looking(surface).camera_model(*SIZE), looking(surface))
    scenes = watched(first, until_s=6.0, hand=lambda time_s: 1.5 <= time_s < 4.0)
    assert scenes[-1].shift_mm > 3.0
    rests = [scene for scene in scenes if 3.0 <= scene.time_s < 4.0]
    assert all(any(inside(PALM, hand) for hand in hands(scene)) for scene in rests)
    assert {scene.at_rest_s for scene in rests} == {0.0}
    left = [scene for scene in scenes if scene.time_s >= 4.4]
    assert not any(hands(scene) for scene in left)
    assert left[-1].at_rest_s > 1.0


@cases("surface", list(Surface), always=1)
def test_after_a_knock_the_bare_table_is_no_hand(surface: Surface) -> None:
    first = Renderer({}, looking(surface).camera_model(*SIZE), looking(surface))
    scenes = watched(first, until_s=4.0, hand=lambda _: False)
    assert scenes[-1].shift_mm > 3.0
    assert not any(hands(scene) for scene in scenes if scene.time_s >= 3.0)


@cases("by_mm", [(33.0, -12.0), (-10.0, 25.0)], always=0)
def test_where_the_mat_is_pushed_the_cloth_around_it_is_no_hand(by_mm: Point) -> None:
    conditions = looking(Surface.CHECKED_CLOTH)
    first = Renderer({}, conditions.camera_model(*SIZE), conditions)
    scenes = watched(first, until_s=4.0, hand=lambda _: False, to_camera=False, pushed=by_mm)
    assert scenes[-1].shift_mm > 3.0
    assert not any(hands(scene) for scene in scenes if scene.time_s >= 3.0)
