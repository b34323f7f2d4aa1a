"""The driver for USB cameras on the kernel's own V4L2 test driver, vivid: `make test-camera`."""

import errno
import os
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from hardware.camera import Automatic
from hardware.opencv_camera import UsbCamera
from hardware.v4l2_automatics import AUTOGAIN, FOCUS_AUTO, GAIN, V4l2Automatics
from hardware.v4l2_control import get_control, set_control, set_power_line

NAME = Path("/sys/class/video4linux/video0/name")
BRIGHTNESS = 0x0098_0900
"""V4L2_CID_BRIGHTNESS (linux/v4l2-controls.h)."""
PATIENCE_S = 30.0

pytestmark = pytest.mark.skipif(
    not NAME.exists() or not NAME.read_text().startswith("vivid"), reason="needs the kernel's vivid: make test-camera"
)


@pytest.fixture(scope="module")
def camera() -> Iterator[UsbCamera]:
    set_control(0, AUTOGAIN, 0)  # as a program leaves it that was killed
    camera = UsbCamera(0, (640, 360), 25.0, time.monotonic, mains_hz=50, automatics=V4l2Automatics(0))
    yield camera
    camera.close()


def test_it_gives_pictures_though_it_cannot_be_told_of_the_mains(camera: UsbCamera) -> None:
    with pytest.raises(OSError, match=os.strerror(errno.EINVAL)):
        set_power_line(0, 50)
    frames = [camera.read(PATIENCE_S) for _ in range(5)]
    assert frames[0].image.shape == (360, 640, 3)
    assert all(a.sequence < b.sequence and a.time_s < b.time_s for a, b in pairwise(frames))


def test_a_control_is_set_while_it_gives_pictures(camera: UsbCamera) -> None:
    set_control(0, BRIGHTNESS, 200)
    camera.read(PATIENCE_S)
    bright = camera.read(PATIENCE_S).image.mean()
    set_control(Path("/dev/video0"), BRIGHTNESS, 60)
    assert get_control(0, BRIGHTNESS) == 60
    dark = [camera.read(PATIENCE_S).image.mean() for _ in range(5)][-1]
    assert dark < 0.7 * bright


def gains(camera: UsbCamera) -> set[int]:
    """Those of a few seconds of pictures."""
    begun_s, seen = time.monotonic(), set()
    while time.monotonic() - begun_s < 3.0:
        camera.read(PATIENCE_S)
        seen.add(get_control(0, GAIN))
    return seen


def test_its_automatics_run_until_they_are_held_and_when_it_is_closed(camera: UsbCamera) -> None:
    """It has one of gain alone, which counts the seconds; what it has come to is kept (vivid-ctrls.c)."""
    assert get_control(0, AUTOGAIN) == 1
    moving = gains(camera)
    assert len(moving) > 2
    assert camera.hold(frozenset(Automatic)) == {Automatic.EXPOSURE}
    assert get_control(0, AUTOGAIN) == 0
    (held,) = gains(camera)
    assert 0 <= held - max(moving) <= 1
    with pytest.raises(OSError, match=os.strerror(errno.EINVAL)):
        get_control(0, FOCUS_AUTO)
    assert camera.hold(()) == frozenset()
    assert len(gains(camera)) > 2
    camera.hold({Automatic.EXPOSURE})
    camera.close()
    assert get_control(0, AUTOGAIN) == 1
