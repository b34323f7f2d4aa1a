"""A V4L2 camera's automatics, left as they are and let run again by the kernel's own controls.

An automatic is one control, and what it decides are others. While it is on those say what it has come to; just before
it is switched off that becomes what they are set to (the kernel's documentation, driver-api/media/v4l2-controls,
"Handling autogain/gain-type Controls with Auto Clusters"), so that nothing but the switch need be set. The driver of
most webcams (drivers/media/usb/uvc/uvc_ctrl.c) leaves all that to the camera, which may do otherwise: what has changed
with the switch is set to what it was. Values stay set when a device is closed (userspace-api/media/v4l/control), hence
all automatics are switched on at the end and, after a crash, when the camera is opened next.
"""

import contextlib
import errno
import fcntl
import logging
from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread

from hardware.camera import Automatic
from hardware.v4l2_control import Ioctl, get_control, set_control

_USER, _CAMERA = 0x0098_0900, 0x009A_0900
"""V4L2_CID_BASE and V4L2_CID_CAMERA_CLASS_BASE (linux/v4l2-controls.h), from which controls are counted."""
AUTO_WHITE_BALANCE, RED_BALANCE, BLUE_BALANCE = _USER + 12, _USER + 14, _USER + 15
AUTOGAIN, GAIN = _USER + 18, _USER + 19
WHITE_BALANCE_TEMPERATURE = _USER + 26
EXPOSURE_AUTO, EXPOSURE_ABSOLUTE = _CAMERA + 1, _CAMERA + 2
FOCUS_ABSOLUTE, FOCUS_AUTO = _CAMERA + 10, _CAMERA + 12
"""The controls of that name with V4L2_CID_ before it."""
EXPOSURE_MANUAL = 1
EXPOSURE_AUTOMATIC = (3, 0)
"""V4L2_EXPOSURE_MANUAL, and what is none: V4L2_EXPOSURE_APERTURE_PRIORITY, which is what webcams have, as their iris
does not move, and V4L2_EXPOSURE_AUTO."""

ANSWERS_S = 2.0
"""For so long a camera is waited for. It has a dozen questions to answer, mostly in milliseconds; but the kernel waits
5 s for the answer to one (UVC_CTRL_CONTROL_TIMEOUT, drivers/media/usb/uvc/uvcvideo.h), as long as a table that reads
nothing may (timing.hang_s)."""
_HAS_NONE = frozenset({errno.EINVAL, errno.ENOTTY})
"""What the kernel says of a control that a device does not have, or of a file that is no camera;"""
_GONE = frozenset({errno.ENOENT, errno.ENODEV, errno.ENXIO})
"""and of a camera that is not there any more, which others notice."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Switch:
    control: int
    decides: tuple[int, ...]
    off: int = 0
    on: tuple[int, ...] = (1,)
    """Values of which a camera may have some only; the first that it takes is meant."""


_SWITCHES = {
    Automatic.FOCUS: (_Switch(FOCUS_AUTO, (FOCUS_ABSOLUTE,)),),
    # Automatics of exposure may gather light by gain as well, and AUTOGAIN is one "of gain/exposure".
    Automatic.EXPOSURE: (
        _Switch(EXPOSURE_AUTO, (EXPOSURE_ABSOLUTE, GAIN), EXPOSURE_MANUAL, EXPOSURE_AUTOMATIC),
        _Switch(AUTOGAIN, (GAIN,)),
    ),
    Automatic.WHITE_BALANCE: (
        _Switch(AUTO_WHITE_BALANCE, (WHITE_BALANCE_TEMPERATURE, RED_BALANCE, BLUE_BALANCE)),
    ),
}  # fmt: skip


class V4l2Automatics:
    """Those of one device. What it has no control for goes on as it does; what it refuses is logged, once. One that
    does not answer is left alone from then on."""

    def __init__(self, device: int | Path, ioctl: Ioctl = fcntl.ioctl, answers_s: float = ANSWERS_S) -> None:
        """`device` is /dev/video's number, or a path. It is asked nothing yet, and has `answers_s` for each `hold`."""
        self._device, self._ioctl, self._answers_s = device, ioctl, answers_s
        self._refused: set[Automatic] = set()
        self._silent = False
        self._lock = Lock()

    def hold(self, which: Collection[Automatic]) -> frozenset[Automatic]:
        """See `hardware.camera.Holdable`. May be called from any thread."""
        if self._silent:
            which = ()
        answer: Future[frozenset[Automatic]] = Future()
        Thread(target=self._work, args=(which, answer), name="camera-automatics", daemon=True).start()
        try:
            return answer.result(self._answers_s)
        except TimeoutError:
            if not answer.cancel():
                return answer.result()  # it came just now
        if not self._silent:
            self._silent = True
            _log.warning(
                "camera %s: has not answered within %g s what was asked about its automatics: it is left alone",
                self._device,
                self._answers_s,
            )
        return frozenset()

    def _work(self, which: Collection[Automatic], answer: Future[frozenset[Automatic]]) -> None:
        """Where nobody waits for the answer any more, what was held is let run."""
        with self._lock:
            try:
                held, error = self._hold(which), None
            except Exception as raised:
                held, error = frozenset(), raised
            if not answer.set_running_or_notify_cancel():
                self._hold(())
            elif error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(held)

    def _hold(self, which: Collection[Automatic]) -> frozenset[Automatic]:
        held = frozenset(one for one in Automatic if self._held(one, off=one in which and not self._silent))
        for half in frozenset(which) - held:
            self._held(half, off=False)
        return held

    def _held(self, automatic: Automatic, *, off: bool) -> bool:
        """Switch it, and whether it stays as it is now: all its switches that are there, one at least, are off."""
        held = []
        for switch in _SWITCHES[automatic]:
            try:
                now = get_control(self._device, switch.control, self._ioctl)
            except OSError as error:
                if error.errno not in _HAS_NONE:
                    held.append(False)
                    if error.errno not in _GONE:
                        self._refuses(automatic, error)
                continue
            if off and now in switch.on:
                held.append(self._switch_off(switch, automatic))
            else:
                held.append(off)
                if not off and now not in switch.on:
                    self._set(switch.control, switch.on, automatic)
        return bool(held) and all(held)

    def _switch_off(self, switch: _Switch, automatic: Automatic) -> bool:
        before = {control: self._value(control) for control in switch.decides}
        if not self._set(switch.control, (switch.off,), automatic):
            return False
        for control, value in before.items():
            if value is not None and self._value(control) != value:
                with contextlib.suppress(OSError):
                    set_control(self._device, control, value, self._ioctl)
        return True

    def _set(self, control: int, values: tuple[int, ...], automatic: Automatic) -> bool:
        """Set it to the first of these that it takes."""
        why: OSError | None = None
        for value in values:
            try:
                set_control(self._device, control, value, self._ioctl)
            except OSError as error:
                why = error
            else:
                if self._value(control) == value:
                    return True
        self._refuses(automatic, why)
        return False

    def _refuses(self, automatic: Automatic, why: OSError | None) -> None:
        """`why`: None where it says nothing, and stays as it was."""
        if automatic in self._refused:
            return
        self._refused.add(automatic)
        said = "it stays as it was" if why is None else why.strerror or str(why)
        _log.warning("camera %s: its %s cannot be switched: %s", self._device, automatic.value, said)

    def _value(self, control: int) -> int | None:
        """None where it cannot be told: mostly, where there is no such control."""
        try:
            return get_control(self._device, control, self._ioctl)
        except OSError:
            return None
