"""A camera's automatics are held and let run: on a stand-in for the kernel, where it is asked."""

import errno
import logging
import os
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from hardware.camera import Automatic
from hardware.opencv_camera import UsbCamera
from hardware.v4l2_automatics import (
    AUTO_WHITE_BALANCE,
    AUTOGAIN,
    EXPOSURE_ABSOLUTE,
    EXPOSURE_AUTO,
    FOCUS_ABSOLUTE,
    FOCUS_AUTO,
    GAIN,
    WHITE_BALANCE_TEMPERATURE,
    V4l2Automatics,
)
from hardware.v4l2_control import CONTROL, VIDIOC_G_CTRL, VIDIOC_S_CTRL
from tests.hardware.test_camera import StandInCapture, VirtualClock

ALL = frozenset(Automatic)
WEBCAM = {
    FOCUS_AUTO: 1, FOCUS_ABSOLUTE: 35, EXPOSURE_AUTO: 3, EXPOSURE_ABSOLUTE: 250, GAIN: 12,
    AUTO_WHITE_BALANCE: 1, WHITE_BALANCE_TEMPERATURE: 4600,
}  # fmt: skip
"""What such a camera has, and what its automatics have come to."""
SWITCHES = (FOCUS_AUTO, EXPOSURE_AUTO, AUTO_WHITE_BALANCE)
PATIENCE_S = 10.0


class Kernel:
    """A V4L2 driver as the kernel's documentation has it, with what cameras do wrong."""

    def __init__(self, controls: dict[int, int]) -> None:
        self.controls = dict(controls)
        self.refuses: dict[int, int] = {}
        """Controls that cannot be set, and the error."""
        self.ignores: set[int] = set()
        """Controls that stay as they are without one."""
        self.jumps: dict[int, tuple[int, int]] = {}
        """By an automatic's control: what changes when it is switched off, and to what."""
        self.lacks: int | None = 0
        """The way of exposing that it does not have: webcams' iris does not move."""
        self.sets: list[tuple[int, int]] = []
        self.unreadable: dict[int, int] = {}
        """Controls that cannot be told, and the error."""
        self.answers = Event()
        """What is set is answered only then."""
        self.answers.set()
        self.runs = Event()
        """All automatics were switched on."""

    def __call__(self, _: int, request: int, about: bytes) -> bytes:
        control, value = CONTROL.unpack(about)
        if control not in self.controls:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        if request == VIDIOC_G_CTRL:
            if control in self.unreadable:
                raise OSError(self.unreadable[control], os.strerror(self.unreadable[control]))
            return CONTROL.pack(control, self.controls[control])
        assert request == VIDIOC_S_CTRL
        assert self.answers.wait(PATIENCE_S)
        self.sets.append((control, value))
        if control in self.refuses:
            raise OSError(self.refuses[control], os.strerror(self.refuses[control]))
        if control == EXPOSURE_AUTO and value == self.lacks:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        if control not in self.ignores:
            self.controls[control] = value
            if control in self.jumps:
                self.controls.update([self.jumps.pop(control)])
            if all(self.controls[switch] == WEBCAM[switch] for switch in SWITCHES if switch in self.controls):
                self.runs.set()
        return about


@pytest.fixture
def device(tmp_path: Path) -> Path:
    (tmp_path / "video7").touch()
    return tmp_path / "video7"


def test_what_is_held_is_switched_off_and_nothing_else_is_touched(device: Path) -> None:
    kernel = Kernel(WEBCAM)
    automatics = V4l2Automatics(device, kernel)
    assert not kernel.sets
    assert automatics.hold(ALL) == ALL
    assert sorted(kernel.sets) == sorted([(FOCUS_AUTO, 0), (EXPOSURE_AUTO, 1), (AUTO_WHITE_BALANCE, 0)])
    assert kernel.controls == WEBCAM | {FOCUS_AUTO: 0, EXPOSURE_AUTO: 1, AUTO_WHITE_BALANCE: 0}
    assert automatics.hold({Automatic.FOCUS}) == {Automatic.FOCUS}
    assert kernel.controls == WEBCAM | {FOCUS_AUTO: 0}
    assert automatics.hold(()) == frozenset()
    assert kernel.controls == WEBCAM


def test_what_jumps_when_it_is_held_is_set_to_what_it_was(device: Path) -> None:
    kernel = Kernel(WEBCAM)
    kernel.jumps = {FOCUS_AUTO: (FOCUS_ABSOLUTE, 0), EXPOSURE_AUTO: (GAIN, 0)}
    assert V4l2Automatics(device, kernel).hold(ALL) == ALL
    assert (kernel.controls[FOCUS_ABSOLUTE], kernel.controls[GAIN]) == (35, 12)
    assert len(kernel.sets) == 3 + 2


def test_what_a_camera_has_no_control_for_is_not_held(device: Path, caplog: pytest.LogCaptureFixture) -> None:
    kernel = Kernel({AUTOGAIN: 1, GAIN: 40})
    assert V4l2Automatics(device, kernel).hold(ALL) == {Automatic.EXPOSURE}
    assert kernel.controls == {AUTOGAIN: 0, GAIN: 40}
    assert V4l2Automatics(device, Kernel({})).hold(ALL) == frozenset()
    assert V4l2Automatics(device.with_name("gone"), kernel).hold(ALL) == frozenset()
    assert not caplog.records


@pytest.mark.parametrize("silently", [False, True])
def test_a_camera_that_refuses_goes_on_and_that_is_logged_once(
    device: Path, caplog: pytest.LogCaptureFixture, silently: bool
) -> None:
    kernel = Kernel(WEBCAM)
    if silently:
        kernel.ignores = {FOCUS_AUTO}
    else:
        kernel.refuses = {FOCUS_AUTO: errno.EBUSY}
    automatics = V4l2Automatics(device, kernel)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert automatics.hold(ALL) == ALL - {Automatic.FOCUS}
            automatics.hold(())
    (record,) = caplog.records
    assert "focus cannot be switched" in record.getMessage()
    assert ("it stays as it was" if silently else os.strerror(errno.EBUSY)) in record.getMessage()
    assert kernel.controls == WEBCAM


def test_of_an_automatic_with_two_switches_none_stays_off_alone(device: Path) -> None:
    kernel = Kernel(WEBCAM | {AUTOGAIN: 1})
    kernel.refuses = {AUTOGAIN: errno.EIO}
    assert V4l2Automatics(device, kernel).hold(ALL) == ALL - {Automatic.EXPOSURE}
    assert (kernel.controls[EXPOSURE_AUTO], kernel.controls[AUTOGAIN]) == (3, 1)


def test_what_cannot_be_told_is_not_taken_for_what_is_not_there(device: Path, caplog: pytest.LogCaptureFixture) -> None:
    kernel = Kernel(WEBCAM | {AUTOGAIN: 1})
    kernel.unreadable = {AUTOGAIN: errno.EIO}
    assert V4l2Automatics(device, kernel).hold(ALL) == ALL - {Automatic.EXPOSURE}
    assert kernel.controls[EXPOSURE_AUTO] == 3
    (record,) = caplog.records
    assert f"exposure cannot be switched: {os.strerror(errno.EIO)}" in record.getMessage()


def test_a_camera_that_does_not_answer_is_not_waited_for_and_let_go_of(
    device: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kernel = Kernel(WEBCAM)
    automatics = V4l2Automatics(device, kernel, answers_s=0.02)
    kernel.answers.clear()
    assert automatics.hold(ALL) == frozenset()
    (record,) = caplog.records
    assert "not answered within 0.02 s" in record.getMessage()
    kernel.answers.set()
    assert kernel.runs.wait(PATIENCE_S)
    assert kernel.controls == WEBCAM
    assert kernel.sets == [(FOCUS_AUTO, 0), (FOCUS_AUTO, 1)]
    assert automatics.hold(ALL) == frozenset()
    assert len(kernel.sets) == 2
    assert len(caplog.records) == 1


@pytest.mark.parametrize(("lacks", "automatic"), [(0, 3), (3, 0), (None, 3)])
def test_automatics_that_were_left_off_are_switched_on_as_the_camera_can(
    device: Path, lacks: int | None, automatic: int
) -> None:
    kernel = Kernel(WEBCAM | {FOCUS_AUTO: 0, EXPOSURE_AUTO: 1, AUTO_WHITE_BALANCE: 0})
    kernel.lacks = lacks
    V4l2Automatics(device, kernel).hold(())
    assert kernel.controls == WEBCAM | {EXPOSURE_AUTO: automatic}


def usb_camera(device: Path, automatics: V4l2Automatics | None) -> UsbCamera:
    clock = VirtualClock()
    capture: Any = StandInCapture(clock, frozen_from=30)
    return UsbCamera(device, (640, 360), 1.0, clock, lambda _: capture, automatics=automatics)


def test_a_usb_cameras_automatics_run_from_its_opening_until_held_and_after_it(device: Path) -> None:
    kernel = Kernel(WEBCAM | {FOCUS_AUTO: 0})
    camera = usb_camera(device, V4l2Automatics(device, kernel))
    assert kernel.controls == WEBCAM
    assert camera.hold(ALL) == ALL
    assert kernel.controls != WEBCAM
    camera.close()
    assert kernel.controls == WEBCAM
    asked = len(kernel.sets)
    camera.close()
    assert len(kernel.sets) == asked


def test_a_usb_camera_that_is_to_be_left_alone_holds_nothing(device: Path) -> None:
    camera = usb_camera(device, None)
    assert camera.hold(ALL) == frozenset()
    camera.close()
