"""A V4L2 camera's automatics, left as they are and let run again by the kernel's own controls.

An automatic is one control, and what it decides are others. While it is on those say what it has come to; just before
it is switched off that becomes what they are set to (the kernel's documentation, driver-api/media/v4l2-controls,
"Handling autogain/gain-type Controls with Auto Clusters"), so that nothing but the switch need be set. The driver of
most webcams (drivers/media/usb/uvc/uvc_ctrl.c) leaves all that to the camera, which may do otherwise: what has changed
with the switch is set to what it was. Values stay set when a device is closed (userspace-api/media/v4l/control), hence
all automatics are switched on at the end and, after a crash, when the camera is opened next.
"""

import contextlib
import fcntl
import logging
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

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
    """Those of one device. What it has no control for goes on as it does; what it refuses is logged, once."""

    def __init__(self, device: int | Path, ioctl: Ioctl = fcntl.ioctl) -> None:
        """`device` is /dev/video's number, or a path. Nothing is asked of it yet."""
        self._device, self._ioctl = device, ioctl
        self._refused: set[Automatic] = set()
        self._lock = Lock()

    def hold(self, which: Collection[Automatic]) -> frozenset[Automatic]:
        """See `hardware.camera.Holdable`. May be called from any thread."""
        with self._lock:
            held = frozenset(one for one in Automatic if self._held(one, off=one in which))
            for half in frozenset(which) - held:
                self._held(half, off=False)
            return held

    def _held(self, automatic: Automatic, *, off: bool) -> bool:
        """Switch it, and whether it stays as it is now: all its switches that are there, one at least, are off."""
        held = []
        for switch in _SWITCHES[automatic]:
            now = self._value(switch.control)
            if now is None:
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
        why = "it stays as it was"
        for value in values:
            try:
                set_control(self._device, control, value, self._ioctl)
            except OSError as error:
                why = os.strerror(error.errno) if error.errno else str(error)
            else:
                if self._value(control) == value:
                    return True
        if automatic not in self._refused:
            self._refused.add(automatic)
            _log.warning("camera %s: its %s cannot be switched: %s", self._device, automatic.value, why)
        return False

    def _value(self, control: int) -> int | None:
        """None where it cannot be told: mostly, where there is no such control."""
        try:
            return get_control(self._device, control, self._ioctl)
        except OSError:
            return None
