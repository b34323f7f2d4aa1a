"""Controls of a V4L2 camera that OpenCV has no name for, set by the kernel's own call (linux/videodev2.h)."""

import fcntl
import os
import struct
from collections.abc import Callable
from pathlib import Path

CONTROL = struct.Struct("@Ii")
"""struct v4l2_control: __u32 id, __s32 value."""
VIDIOC_G_CTRL = 3 << 30 | CONTROL.size << 16 | ord("V") << 8 | 27
VIDIOC_S_CTRL = VIDIOC_G_CTRL + 1
"""_IOWR('V', 27 and 28, struct v4l2_control), by asm-generic/ioctl.h, as on ARM and x86."""
POWER_LINE_FREQUENCY = 0x0098_0900 + 24
"""V4L2_CID_POWER_LINE_FREQUENCY, V4L2_CID_BASE + 24 (linux/v4l2-controls.h),"""
POWER_LINES = {50: 1, 60: 2}
"""and its values, by the mains' frequency in Hz: V4L2_CID_POWER_LINE_FREQUENCY_50HZ and _60HZ."""

Ioctl = Callable[[int, int, bytes], object]
"""As `fcntl.ioctl`: gives the bytes as the kernel left them."""


def set_power_line(device: int | Path, mains_hz: int, ioctl: Ioctl = fcntl.ioctl) -> None:
    """Let a camera's automatics expose for whole numbers of the periods of lamps on such mains (a key of
    `POWER_LINES`). `device` is /dev/video's number, or a path.

    Raises:
        OSError: the camera has no such control, or it may not be set.
    """
    set_control(device, POWER_LINE_FREQUENCY, POWER_LINES[mains_hz], ioctl)


def set_control(device: int | Path, control: int, value: int, ioctl: Ioctl = fcntl.ioctl) -> None:
    """Set a control of a camera, which may be in use meanwhile. Raises OSError."""
    _ask(device, VIDIOC_S_CTRL, CONTROL.pack(control, value), ioctl)


def get_control(device: int | Path, control: int, ioctl: Ioctl = fcntl.ioctl) -> int:
    """How a control of a camera is set. Raises OSError."""
    answer = _ask(device, VIDIOC_G_CTRL, CONTROL.pack(control, 0), ioctl)
    assert isinstance(answer, bytes)
    return int(CONTROL.unpack(answer)[1])


def _ask(device: int | Path, request: int, about: bytes, ioctl: Ioctl) -> object:
    path = f"/dev/video{device}" if isinstance(device, int) else str(device)
    descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return ioctl(descriptor, request, about)
    finally:
        os.close(descriptor)
