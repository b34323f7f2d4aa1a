"""What simulated cameras do wrong: lamps flicker, arms sway, the sun wanders, and webcams do as they think fit."""

from random import Random

import cv2
import numpy as np
import pytest

from hardware.camera import Adjustable, Adjustment, Automatic
from hardware.simulated.camera import GAMMA, SimulatedCamera
from hardware.simulated.circumstances import Circumstances
from hardware.simulated.flicker import FlickeringLight
from hardware.simulated.knocks import KnockedCamera
from hardware.simulated.renderer import Renderer
from hardware.simulated.sun import SHADES, SunThroughWindow
from hardware.simulated.surroundings import Conditions
from hardware.simulated.sway import SwayingCamera
from hardware.simulated.webcam import FOCUSES_S, Webcam
from hardware.simulated.world import World, WorldSnapshot
from tests.hardware.test_camera import VirtualClock
from tests.long import cases
from vision.frame import Frame, Image
from vision.mat.registration import find_mat

CORNER = (slice(0, 60), slice(0, 100))


class Turned(SimulatedCamera):
    """A camera whose picture is cut to pieces now and then: much has changed."""

    mixed = False

    def read(self, timeout_s: float) -> Frame:
        frame = super().read(timeout_s)
        if self.mixed:
            frame.image[:] = np.roll(frame.image, frame.image.shape[1] // 3, axis=1)
        return frame


def over_an_empty_table(rate_hz: float = 10.0) -> Turned:
    conditions, clock = Conditions(), VirtualClock()
    world = World(Random(0))

    def snapshot() -> WorldSnapshot:
        return world.snapshot()

    return Turned(snapshot, Renderer({}, conditions.camera_model(640, 360), conditions), clock, clock.sleep, rate_hz)


def rows_of(image: Image) -> np.ndarray:
    return np.asarray(image.astype(np.float64).mean((1, 2)))


@pytest.mark.parametrize("flicker", [0.05, 0.2])
def test_flickering_lamps_make_stripes_that_wander(flicker: float) -> None:
    steady = rows_of(over_an_empty_table().read(1.0).image)
    camera = FlickeringLight(over_an_empty_table(rate_hz=7.3), Random(4), flicker)
    light = [(rows_of(camera.read(1.0).image) / steady) ** GAMMA for _ in range(12)]
    assert max(one.max() for one in light) == pytest.approx(1.0 + flicker, abs=0.2 * flicker)
    assert min(one.min() for one in light) == pytest.approx(1.0 - flicker, abs=0.2 * flicker)
    assert np.std([one[100] for one in light]) > 0.2 * flicker


def test_flickering_lamps_leave_the_camera_adjustable() -> None:
    camera = FlickeringLight(over_an_empty_table(), Random(4), 0.05)
    before = camera.read(1.0).image.mean()
    assert isinstance(camera, Adjustable)
    assert camera.adjust(Adjustment(light=0.6))
    assert camera.read(1.0).image.mean() < 0.9 * before


def test_a_camera_on_a_weak_arm_sways() -> None:
    """About where it hangs, by about as much as is said."""
    bare, sways = over_an_empty_table(), SwayingCamera(over_an_empty_table(), Random(4), 3.0)
    first = find_mat(bare.read(1.0).image)
    off = [find_mat(sways.read(1.0).image, near=first) for _ in range(40)]
    middles = np.array([one.to_table(first.to_picture([[0.0, 0.0]]))[0] for one in off])
    assert np.abs(middles.mean(0)).max() < 1.2
    assert middles.std(0).min() > 0.6 * 3.0 / np.sqrt(2.0)
    assert middles.std(0).max() < 2.5 * 3.0 / np.sqrt(2.0)
    assert isinstance(sways, Adjustable)


def test_a_webcam_exposes_by_itself() -> None:
    camera = over_an_empty_table()
    webcam = Webcam(camera, Random(1))
    assert not isinstance(webcam, Adjustable)
    before = [webcam.read(1.0).image.astype(np.float64) for _ in range(5)]
    assert np.abs(before[4] - before[3]).mean() < 2.0
    camera.adjust(Adjustment(light=0.6))
    darker = webcam.read(1.0).image
    after = [webcam.read(1.0).image for _ in range(40)]
    assert darker[CORNER].mean() < 0.9 * before[4][CORNER].mean()
    assert after[-1][CORNER].mean() == pytest.approx(before[4][CORNER].mean(), rel=0.03)


def test_a_webcam_focuses_anew_when_much_changes() -> None:
    camera = over_an_empty_table(rate_hz=20.0)
    webcam = Webcam(camera, Random(1))
    sharp = []
    for number in range(80):
        camera.mixed = number in range(20, 40)
        sharp.append(float(cv2.Laplacian(webcam.read(1.0).image, cv2.CV_64F).var()))
    blurred = np.array(sharp) < 0.6 * max(sharp[:10])
    assert not blurred[:20].any()
    assert 3 <= np.count_nonzero(blurred) <= 20.0 * FOCUSES_S * 3
    assert not blurred[-15:].any()


def test_a_webcam_that_is_held_neither_focuses_nor_exposes() -> None:
    camera = over_an_empty_table(rate_hz=20.0)
    webcam = Webcam(camera, Random(1))
    before = webcam.read(1.0).image
    assert webcam.hold(frozenset(Automatic)) == frozenset(Automatic)
    for number in range(60):
        camera.mixed = number in range(20, 40)
        last = webcam.read(1.0).image
    sharp = [float(cv2.Laplacian(image, cv2.CV_64F).var()) for image in (before, last)]
    assert sharp[1] == pytest.approx(sharp[0], rel=0.1)
    camera.adjust(Adjustment(light=0.6))
    dark = [webcam.read(1.0).image[CORNER].mean() for _ in range(40)]
    assert dark[-1] == pytest.approx(dark[0], rel=0.02)
    webcam.hold({Automatic.FOCUS})
    again = [webcam.read(1.0).image[CORNER].mean() for _ in range(40)]
    assert again[-1] == pytest.approx(before[CORNER].mean(), rel=0.03)


def coarse(image: Image) -> np.ndarray:
    return np.asarray(cv2.blur(image.astype(np.float64), (5, 5))[::5, ::5])


@pytest.mark.long
@cases("kind", list(SHADES), always=1)
def test_the_sun_through_a_window_throws_shadows_that_wander_until_a_cloud_comes(kind: str) -> None:
    bare = coarse(over_an_empty_table().read(1.0).image)
    camera = SunThroughWindow(over_an_empty_table(rate_hz=1.0), Random(4), kind)
    light = np.array([(coarse(camera.read(1.0).image) / bare) ** GAMMA for _ in range(121)])
    assert light.max() < 1.05
    contrast = light[..., 1].std(axis=(1, 2))
    assert contrast.max() > 0.04
    assert contrast.min() < 0.01
    sunny = np.flatnonzero(contrast > 0.95 * contrast.max())
    assert np.abs(light[sunny[-1]] - light[sunny[0]]).max() > 0.03
    blue, _, red = light.mean(axis=(1, 2))[contrast.argmin()]
    assert blue > red
    assert isinstance(camera, Adjustable)
    assert kind in camera.description


def test_circumstances_make_one_camera_of_all_flaws() -> None:
    bare = over_an_empty_table()
    assert Circumstances().seen_by(bare, 1) is bare
    assert isinstance(Circumstances(knocks=True).seen_by(bare, 1), KnockedCamera)
    of_all = Circumstances(knocks=True, webcam=True, flicker=0.1, sway_mm=0.5, sun=True).seen_by(bare, 1)
    assert isinstance(of_all, Webcam)
    assert "knocked every" in of_all.description
    assert "flicker by 10%" in of_all.description
    assert "sways by 0.5 mm" in of_all.description
    assert "the sun through" in of_all.description
