"""The driver for USB cameras on the kernel's own V4L2 test driver, vivid: `make test-camera`."""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from hardware.opencv_camera import UsbCamera
from hardware.v4l2_control import CONTROL, VIDIOC_S_CTRL, set_control, set_power_line

NAME = Path("/sys/class/video4linux/video0/name")
BRIGHTNESS = 0x0098_0900
"""V4L2_CID_BRIGHTNESS (linux/v4l2-controls.h)."""
VIDIOC_G_CTRL = VIDIOC_S_CTRL - 1
"""_IOWR('V', 27, struct v4l2_control) (linux/videodev2.h)."""
PATIENCE_S = 30.0

pytestmark = pytest.mark.skipif(
    not NAME.exists() or not NAME.read_text().startswith("vivid"), reason="needs the kernel's vivid: make test-camera"
)


@pytest.fixture(scope="module")
def camera() -> Iterator[UsbCamera]:
    camera = UsbCamera(0, (640, 360), 25.0, time.monotonic, mains_hz=50)
    yield camera
    camera.close()


def brightness() -> int:
    descriptor = os.open("/dev/video0", os.O_RDWR)
    try:
        return int(CONTROL.unpack(fcntl.ioctl(descriptor, VIDIOC_G_CTRL, CONTROL.pack(BRIGHTNESS, 0)))[1])
    finally:
        os.close(descriptor)


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
    assert brightness() == 60
    dark = [camera.read(PATIENCE_S).image.mean() for _ in range(5)][-1]
    assert dark < 0.7 * bright
