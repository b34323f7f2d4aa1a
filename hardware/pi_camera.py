"""The Raspberry Pi's camera through picamera2.

Exposure and white balance are left to settle and then locked, so that a piece looks the same from picture to picture;
when the light of the room changes they are adjusted, see `hardware.exposure`. Where there is so little light that they
can be, exposures are whole numbers of the periods in which lamps on the mains flicker, so that each row of a picture
gets as much of their light as any other. A lens that has a motor is focused on the table once and for all. Runs best in
a process that can be killed: with a loose cable, picamera2's `stop` does not come back.
"""

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hardware.camera import Adjustment, CameraLost, CameraTimeout
from vision.frame import Frame
from vision.mat.lens import ANY_CAMERA, AssumedFocal

FEWEST_SETTLING_FRAMES = 15
MOST_SETTLING_FRAMES = 90
_START_TIMEOUT_S = 5.0
_LONGEST_US = 33_000
"""What moves is smeared more with a longer exposure; it is no longer than a picture takes either."""
_LIMITS = {"ExposureTime": (100.0, 1e6), "AnalogueGain": (1.0, 16.0)}
"""What a camera that does not say so itself can do (`camera_controls`). With more gain than this noise is all."""
_COLOUR_GAINS = (0.5, 8.0)
_FOCALS_MM = {"ov5647": 3.60, "imx219": 3.04, "imx708": 4.74, "imx708_wide": 2.75}
"""Focal lengths of the camera modules with a lens of their own, by the sensor's model: Module 1, 2, 3 and 3 Wide.
Raspberry Pi documentation, accessories, camera, hardware specification. What takes lenses (imx477, imx296) has none."""
_PIXELS_NM = {"ov5647": 1400.0, "imx219": 1120.0, "imx708": 1400.0, "imx708_wide": 1400.0}
"""How large their pixels are, as said there."""
_FOCAL_SPREAD = 0.05
"""How far such a lens is from that (natural logarithm), as are the fields of view said there; focusing moves it."""
_SAME = 0.02
"""What differs by less is no adjustment, and no other exposure: sensors expose whole numbers of their lines."""
_CONVERGED = 2
"""AeState's AeStateConverged (libcamera, src/libcamera/control_ids_core.yaml), which replaces AeLocked from libcamera
0.5 on (https://github.com/raspberrypi/libcamera/issues/246)."""
_FLICKER_MANUAL = 1
"""AeFlickerMode's FlickerManual, by AeFlickerPeriod in microseconds (libcamera, src/libcamera/control_ids_core.yaml).
The automatics then choose whole numbers of that period where they expose for longer (Raspberry Pi's libcamera,
src/ipa/rpi/controller/rpi/agc_channel.cpp, `divideUpExposure`); exposures that are set are ours to choose."""

_AF_MANUAL = 0
"""AfMode's AfModeManual, in which LensPosition is obeyed: the reciprocal of the distance in metres (libcamera,
src/libcamera/control_ids_core.yaml). Set together, the mode is set first (Raspberry Pi's libcamera,
src/ipa/rpi/common/ipa_base.cpp)."""


class PiCamera:
    """Pictures from picamera2, each newer than the call that asked for it. Closing twice is fine."""

    def __init__(
        self,
        size: tuple[int, int],
        rate_hz: float,
        make_camera: Callable[[], Any] | None = None,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        *,
        mains_hz: int = 0,
        focus_mm: float | None = None,
    ) -> None:
        """Start the camera and wait until it is settled.

        `make_camera` makes the Picamera2, of the first camera if None; `clock_ns` is the clock of SensorTimestamp.
        `mains_hz` is the mains' frequency, 0 where exposures need not go by it. A lens with a motor is focused
        at `focus_mm`, or as near to it as it goes; None: where libcamera puts it.

        Raises:
            CameraLost: no picamera2, no camera, or it does not start.
        """
        self._size, self._rate_hz, self._clock_ns = size, rate_hz, clock_ns
        self._period_us = 1e6 / (2 * mains_hz) if mains_hz else None
        """Of lamps, which are bright twice in a period of the mains."""
        self._focus_mm = focus_mm
        self._job: Any = None
        self._first_ns: int | None = None
        self._sequence = -1
        self._set: dict[str, Any] = {}
        self._assumed = ANY_CAMERA
        self._camera = _open(make_camera or _first_camera)
        try:
            self._start()
        except CameraTimeout as error:
            self.close()
            raise CameraLost(f"the {self.description} starts but gives no pictures: check its cable") from error
        except (RuntimeError, OSError, KeyError) as error:
            self.close()
            raise CameraLost(f"the {self.description} does not start: {error}") from error

    @property
    def description(self) -> str:
        """What it is, for people: driver, size, rate."""
        return f"Raspberry Pi camera {self._size[0]}x{self._size[1]} at {self._rate_hz:g} pictures/s"

    def read(self, timeout_s: float) -> Frame:
        """Wait for a picture taken after this call; see `hardware.camera.Camera`."""
        if self._camera is None:
            raise CameraLost(f"the {self.description} is closed")
        called_ns = self._clock_ns()
        deadline_ns = called_ns + int(timeout_s * 1e9)
        try:
            while True:
                request = self._next_request(deadline_ns)
                try:
                    taken_ns = int(request.get_metadata()["SensorTimestamp"])
                    if taken_ns >= called_ns:
                        # make_array copies: the buffer goes back to the camera.
                        return self._frame(np.asarray(request.make_array("main"), np.uint8), taken_ns)
                finally:
                    request.release()
        except (RuntimeError, KeyError) as error:
            raise CameraLost(f"the {self.description} failed: {error}") from error

    def adjust(self, by: Adjustment) -> bool:
        """See `hardware.camera.Adjustable`. More light comes from a longer exposure first, less from a lower gain."""
        if self._camera is None:
            raise CameraLost(f"the {self.description} is closed")
        exposure_us, gain = float(self._set["ExposureTime"]), float(self._set["AnalogueGain"])
        if by.light != 1.0:
            exposure_us, gain = self._exposed(exposure_us, gain, by.light)
        red, blue = (
            float(np.clip(now * times, *_COLOUR_GAINS))
            for now, times in zip(self._set["ColourGains"], (by.red, by.blue), strict=True)
        )
        before = (self._set["ExposureTime"] * self._set["AnalogueGain"], *self._set["ColourGains"])
        after = (exposure_us * gain, red, blue)
        if all(abs(new / old - 1.0) < _SAME for new, old in zip(after, before, strict=True)):
            return False
        self._set = {"ExposureTime": round(exposure_us), "AnalogueGain": gain, "ColourGains": (red, blue)}
        try:
            self._camera.set_controls(self._set)
        except RuntimeError as error:
            raise CameraLost(f"the {self.description} cannot be adjusted: {error}") from error
        return True

    def _exposed(self, exposure_us: float, gain: float, times: float) -> tuple[float, float]:
        """Exposure and gain that gather so many times as much light as these, or what comes nearest."""
        (shortest, longest), (least, most) = (self._limits(key) for key in ("ExposureTime", "AnalogueGain"))
        longest = min(longest, _LONGEST_US, 1e6 / self._rate_hz)
        wanted = exposure_us * gain * times
        if times < 1.0:
            gain = float(np.clip(wanted / exposure_us, least, most))
        else:
            longest, most = max(longest, exposure_us), max(most, gain)
        longest = self._periods_within(longest) or longest
        exposure_us = float(np.clip(wanted / gain, shortest, longest))
        whole_us = min(self._periods_from(exposure_us), self._periods_within(min(longest, wanted / least)))
        if whole_us and wanted / whole_us <= most:
            exposure_us = whole_us
        return exposure_us, float(np.clip(wanted / exposure_us, least, most))

    def _periods_within(self, most_us: float) -> float:
        """The longest whole number of the lamps' periods that is no longer than this; 0 where one is longer already, or
        they do not matter."""
        return (
            0.0 if self._period_us is None else math.floor(most_us * (1.0 + _SAME) / self._period_us) * self._period_us
        )

    def _periods_from(self, least_us: float) -> float:
        """The shortest that is no shorter than this, as there."""
        return (
            0.0 if self._period_us is None else math.ceil(least_us / (1.0 + _SAME) / self._period_us) * self._period_us
        )

    def _limits(self, control: str) -> tuple[float, float]:
        most = _LIMITS[control][1]
        low, high, *_ = self._camera.camera_controls.get(control, _LIMITS[control])
        # Some say 0 where there is no end.
        return float(low), min(float(high), most) if high >= low else most

    def close(self) -> None:
        """Stop the camera and release it."""
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.stop()
            camera.close()

    def _start(self) -> None:
        # "RGB888" is picamera2's name for bytes in the order blue, green, red.
        configuration = self._camera.create_video_configuration(
            main={"size": self._size, "format": "RGB888"},
            controls={"FrameRate": self._rate_hz} | self._against_flicker() | self._focus(),
            buffer_count=4,
            queue=False,
        )
        self._camera.configure(configuration)
        self._camera.start()
        settled = self._settle()
        exposure_us, gain = self._exposed(float(settled["ExposureTime"]), float(settled["AnalogueGain"]), 1.0)
        self._set = {
            "ExposureTime": round(exposure_us),
            "AnalogueGain": gain,
            "ColourGains": settled["ColourGains"],
        }
        self._assumed = _focal_of(self._camera.camera_properties, settled, self._size)
        self._camera.set_controls({"AeEnable": False, "AwbEnable": False} | self._set)

    def _against_flicker(self) -> dict[str, int]:
        """What tells the automatics of lamps' flicker; older ones cannot be told."""
        if self._period_us is None or not {"AeFlickerMode", "AeFlickerPeriod"} <= self._camera.camera_controls.keys():
            return {}
        return {"AeFlickerMode": _FLICKER_MANUAL, "AeFlickerPeriod": round(self._period_us)}

    def _focus(self) -> dict[str, float]:
        """What focuses a lens with a motor; others offer no such controls."""
        offered = self._camera.camera_controls
        if self._focus_mm is None or not {"AfMode", "LensPosition"} <= offered.keys():
            return {}
        farthest, nearest, *_ = offered["LensPosition"]
        return {"AfMode": _AF_MANUAL, "LensPosition": float(np.clip(1000.0 / self._focus_mm, farthest, nearest))}

    def _settle(self) -> Mapping[str, Any]:
        """Let the automatics work until they stand still; what they arrived at."""
        metadata: Mapping[str, Any] = {}
        for number in range(MOST_SETTLING_FRAMES):
            request = self._next_request(self._clock_ns() + int(_START_TIMEOUT_S * 1e9))
            metadata = request.get_metadata()
            request.release()
            is_settled = metadata.get("AeLocked") or metadata.get("AeState") == _CONVERGED
            if number + 1 >= FEWEST_SETTLING_FRAMES and is_settled:
                break
        return metadata

    def _next_request(self, deadline_ns: int) -> Any:
        """A completed request, to be released. One that came too late for its asker is the next one's."""
        if self._job is None:
            self._job = self._camera.capture_request(wait=False)
        try:
            request = self._job.get_result(timeout=max(0.0, (deadline_ns - self._clock_ns()) / 1e9))
        except TimeoutError as error:
            raise CameraTimeout(f"the {self.description} gave no picture in time") from error
        self._job = None
        return request

    def _frame(self, image: np.ndarray[Any, np.dtype[np.uint8]], taken_ns: int) -> Frame:
        """Number the picture by the time it was taken: the camera counts none for us."""
        if self._first_ns is None:
            self._first_ns = taken_ns
        by_time = round((taken_ns - self._first_ns) * 1e-9 * self._rate_hz)
        self._sequence = max(self._sequence + 1, by_time)
        return Frame(image, taken_ns * 1e-9, self._sequence, self._assumed)


def _focal_of(properties: Mapping[str, Any], metadata: Mapping[str, Any], size: tuple[int, int]) -> AssumedFocal:
    """What the module's model tells of the focal length, in pictures of the part of the sensor that its mode shows:
    ScalerCrop, in the sensor's own pixels (libcamera's documentation of controls and properties)."""
    model = str(properties.get("Model", "")).replace("_noir", "")
    crop = metadata.get("ScalerCrop")
    if model not in _FOCALS_MM or crop is None:
        return ANY_CAMERA
    across, down = float(crop[2]), float(crop[3])
    if not across > 0.0 or not down > 0.0:
        return ANY_CAMERA
    # A picture of another shape shows the middle of that part.
    shown = max(min(across, down * size[0] / size[1]), min(down, across * size[1] / size[0]))
    return AssumedFocal(_FOCALS_MM[model] * 1e6 / (_PIXELS_NM[model] * shown), _FOCAL_SPREAD)


def _first_camera() -> Any:
    from picamera2 import Picamera2

    return Picamera2()


def _open(make_camera: Callable[[], Any]) -> Any:
    try:
        return make_camera()
    except ImportError as error:
        raise CameraLost(f"picamera2 is not installed: {error}; on Raspberry Pi OS: python3-picamera2") from error
    except (RuntimeError, IndexError, OSError) as error:
        raise CameraLost(f"no Raspberry Pi camera found ({error}): check its cable") from error
