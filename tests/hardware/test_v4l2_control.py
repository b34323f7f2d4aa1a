"""What is said to a V4L2 driver, beside what the kernel's own headers say."""

import errno
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hardware import v4l2_automatics
from hardware.v4l2_control import (
    CONTROL,
    POWER_LINE_FREQUENCY,
    POWER_LINES,
    VIDIOC_G_CTRL,
    VIDIOC_S_CTRL,
    get_control,
    set_control,
    set_power_line,
)

HEADERS = (Path("/usr/include/linux/videodev2.h"), Path("/usr/include/linux/v4l2-controls.h"))

ASKS = r"""
#include <stddef.h>
#include <stdio.h>
#include <linux/videodev2.h>
int main(void)
{
    struct v4l2_control control = {0x01020304, -5};
    const unsigned char *bytes = (const unsigned char *)&control;
    printf("%lu %lu %lu %u %d %d ", (unsigned long)VIDIOC_G_CTRL, (unsigned long)VIDIOC_S_CTRL,
           (unsigned long)sizeof control, V4L2_CID_POWER_LINE_FREQUENCY, V4L2_CID_POWER_LINE_FREQUENCY_50HZ,
           V4L2_CID_POWER_LINE_FREQUENCY_60HZ);
    printf("%d %d %d ", V4L2_EXPOSURE_MANUAL, V4L2_EXPOSURE_APERTURE_PRIORITY, V4L2_EXPOSURE_AUTO);
    printf("%u %u %u %u %u ", V4L2_CID_AUTO_WHITE_BALANCE, V4L2_CID_RED_BALANCE, V4L2_CID_BLUE_BALANCE,
           V4L2_CID_AUTOGAIN, V4L2_CID_GAIN);
    printf("%u %u %u %u %u ", V4L2_CID_WHITE_BALANCE_TEMPERATURE, V4L2_CID_EXPOSURE_AUTO, V4L2_CID_EXPOSURE_ABSOLUTE,
           V4L2_CID_FOCUS_ABSOLUTE, V4L2_CID_FOCUS_AUTO);
    for (size_t i = 0; i < sizeof control; i++) {
        printf("%02x", bytes[i]);
    }
    return 0;
}
"""


AUTOMATICS = [
    getattr(v4l2_automatics, name)
    for name in (
        "AUTO_WHITE_BALANCE", "RED_BALANCE", "BLUE_BALANCE", "AUTOGAIN", "GAIN", "WHITE_BALANCE_TEMPERATURE",
        "EXPOSURE_AUTO", "EXPOSURE_ABSOLUTE", "FOCUS_ABSOLUTE", "FOCUS_AUTO",
    )
]  # fmt: skip


def test_numbers_and_struct_are_those_of_the_kernels_headers(tmp_path: Path) -> None:
    if (compiler := shutil.which("gcc") or shutil.which("cc")) is None:
        pytest.skip("needs a C compiler")
    if missing := [str(header) for header in HEADERS if not header.exists()]:
        pytest.skip(f"needs the kernel's headers: {', '.join(missing)}")
    (tmp_path / "asks.c").write_text(ASKS)
    subprocess.run([compiler, "-o", tmp_path / "asks", tmp_path / "asks.c"], check=True)
    said = subprocess.run([tmp_path / "asks"], check=True, capture_output=True, text=True).stdout.split()
    asked = (VIDIOC_G_CTRL, VIDIOC_S_CTRL, CONTROL.size, POWER_LINE_FREQUENCY, POWER_LINES[50], POWER_LINES[60])
    ours = (*asked, v4l2_automatics.EXPOSURE_MANUAL, *v4l2_automatics.EXPOSURE_AUTOMATIC, *AUTOMATICS)
    assert said == [*map(str, ours), CONTROL.pack(0x01020304, -5).hex()]


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize(("mains_hz", "value"), [(50, 1), (60, 2)])
def test_the_device_is_asked_once_and_closed(tmp_path: Path, mains_hz: int, value: int) -> None:
    device = tmp_path / "video7"
    device.touch()
    asked: list[tuple[Path, int, bytes]] = []
    before = open_files()
    set_power_line(
        device, mains_hz, lambda number, *rest: asked.append((Path(f"/proc/self/fd/{number}").readlink(), *rest))
    )
    assert asked == [(device, VIDIOC_S_CTRL, CONTROL.pack(POWER_LINE_FREQUENCY, value))]
    assert open_files() == before


def test_a_driver_that_refuses_is_an_error_and_closed(tmp_path: Path) -> None:
    """The kernel's own refusal: a file is no V4L2 device."""
    device = tmp_path / "video7"
    device.touch()
    before = open_files()
    with pytest.raises(OSError, match=os.strerror(errno.ENOTTY)):
        set_power_line(device, 50)
    assert open_files() == before


def test_what_the_driver_answers_is_the_value(tmp_path: Path) -> None:
    device = tmp_path / "video7"
    device.touch()
    asked: list[tuple[int, bytes]] = []

    def answer(_: int, request: int, about: bytes) -> bytes:
        asked.append((request, about))
        return CONTROL.pack(POWER_LINE_FREQUENCY, -7)

    assert get_control(device, POWER_LINE_FREQUENCY, answer) == -7
    assert asked == [(VIDIOC_G_CTRL, CONTROL.pack(POWER_LINE_FREQUENCY, 0))]


def test_a_number_is_that_of_a_device() -> None:
    with pytest.raises(FileNotFoundError, match="/dev/video77"):
        set_control(77, POWER_LINE_FREQUENCY, 1)
