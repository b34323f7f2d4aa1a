"""Which camera a configuration's driver string names."""

import time
from collections.abc import Callable
from pathlib import Path

from hardware.camera import Camera, CameraError


class UnknownDriver(CameraError, ValueError):
    """A driver string that names no camera."""


def open_camera(
    driver: str,
    size: tuple[int, int],
    rate_hz: float,
    simulated: Callable[[], Camera],
    clock: Callable[[], float] = time.monotonic,
    *,
    mains_hz: int = 0,
    focus_mm: float | None = None,
    hold: bool = False,
) -> Camera:
    """Open the camera that `driver` names: "simulated", "picamera2", or "opencv:" and a device, file or folder.

    `size` is width and height in pixels; `simulated` opens the simulated table's camera, which only its owner can.
    Lamps on mains of `mains_hz` shall leave no stripes, as far as the camera can; 0: nothing is done about them.
    A Raspberry Pi camera whose lens has a motor is focused at `focus_mm`; None: it is left as it is.
    `hold`: a USB camera's automatics can be held, as far as it can (`hardware.camera.Holdable`), and run at first;
    else it is left as it is.

    Raises:
        UnknownDriver: no such driver.
        CameraLost: no such camera.
    """
    name, _, source = driver.partition(":")
    if driver == "simulated":
        return simulated()
    if driver == "picamera2":
        from hardware.pi_camera import PiCamera

        return PiCamera(size, rate_hz, mains_hz=mains_hz, focus_mm=focus_mm)
    if name == "opencv" and source:
        return _open_opencv(source, size, rate_hz, clock, mains_hz=mains_hz, hold=hold)
    raise UnknownDriver(
        f'camera driver {driver!r}: expected "simulated", "picamera2" or "opencv:" and a device, a file or a folder'
    )


def recorded_files(driver: str) -> list[Path]:
    """The files that are played as this driver's camera, in their order; none where it is no recording."""
    from hardware.opencv_camera import pictures_in

    name, _, source = driver.partition(":")
    path = _recorded_at(source) if name == "opencv" and source else None
    if path is None:
        return []
    return pictures_in(path) if path.is_dir() else [path]


def _open_opencv(
    source: str, size: tuple[int, int], rate_hz: float, clock: Callable[[], float], *, mains_hz: int, hold: bool
) -> Camera:
    from hardware.opencv_camera import Recording, UsbCamera
    from hardware.v4l2_automatics import V4l2Automatics

    if (path := _recorded_at(source)) is not None:
        return Recording(path, rate_hz, clock)
    device = int(source) if source.isdecimal() else Path(source)
    automatics = V4l2Automatics(device) if hold else None
    return UsbCamera(device, size, rate_hz, clock, mains_hz=mains_hz, automatics=automatics)


def _recorded_at(source: str) -> Path | None:
    """The file or folder that OpenCV is to play; None where it is to open a device."""
    return None if source.isdecimal() or source.startswith("/dev/") else Path(source).expanduser()
