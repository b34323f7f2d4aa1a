"""What every camera promises, asked of every driver; and what each driver adds."""

import errno
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.camera import Adjustment, Camera, CameraError, CameraLost, CameraTimeout, RecordingEnded
from hardware.drivers import UnknownDriver, open_camera, recorded_files
from hardware.opencv_camera import FROZEN_S, Recording, UsbCamera
from hardware.pi_camera import FEWEST_SETTLING_FRAMES, MOST_SETTLING_FRAMES, PiCamera
from hardware.simulated.camera import SimulatedCamera
from hardware.simulated.knocks import KnockedCamera
from hardware.simulated.renderer import Renderer
from hardware.simulated.slice_art import SliceArt, draw_slice
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World
from vision.frame import Frame
from vision.mat.lens import ANY_CAMERA
from vision.mat.registration import find_mat
from vision.scene import PieceKind, Pose

SIZE = (320, 180)
PICTURES = 12
Limits = tuple[float, float, float | None]
"""What picamera2 says of a control: least, most, and the value it begins with."""

MOTOR: dict[str, Limits] = {"AfMode": (0, 2, 0), "LensPosition": (0.0, 15.0, 1.0)}
"""What a camera whose lens has a motor offers besides."""


@dataclass
class VirtualClock:
    """Time that passes only while somebody sleeps."""

    now_s: float = 50.0

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, span_s: float) -> None:
        self.now_s += span_s


class StandInRequest:
    def __init__(self, taken_ns: int, camera: "StandInPicamera2") -> None:
        self._taken_ns, self._camera = taken_ns, camera

    def get_metadata(self) -> dict[str, Any]:
        return {
            "SensorTimestamp": self._taken_ns,
            "ExposureTime": self._camera.settled[0],
            "AnalogueGain": self._camera.settled[1],
            "ColourGains": (1.5, 1.7),
            **self._camera.automatics,
        } | ({"ScalerCrop": self._camera.crop} if self._camera.crop is not None else {})

    def make_array(self, name: str) -> np.ndarray[Any, Any]:
        assert name == "main"
        return np.full((SIZE[1], SIZE[0], 3), (10, 20, 30), np.uint8)

    def release(self) -> None:
        self._camera.lent -= 1


class StandInJob:
    def __init__(self, camera: "StandInPicamera2") -> None:
        self._camera = camera

    def get_result(self, timeout: float) -> StandInRequest:
        camera = self._camera
        if camera.unplugged:
            camera.clock.sleep(timeout)
            raise TimeoutError
        if not camera.stale:
            camera.clock.sleep(1 / 30)
        camera.lent += 1
        assert camera.lent <= 3, "requests are not given back"
        return StandInRequest(int(camera.clock.now_s * 1e9) - (camera.stale.pop() if camera.stale else 0), camera)


class StandInPicamera2:
    """The few parts of Picamera2 that the driver uses, after picamera2's manual."""

    def __init__(
        self, clock: VirtualClock, model: str = "imx219", crop: tuple[int, int, int, int] | None = (0, 0, 3280, 2464)
    ) -> None:
        """`crop`: left, top, width and height of the part of the sensor that is seen, in its own pixels."""
        self.clock = clock
        self.crop = crop
        self.camera_properties = {"Model": model}
        self.lent = 0
        self.stale: list[int] = []
        """Ages in nanoseconds of the pictures that wait from before the call."""
        self.unplugged = False
        self.configured: dict[str, Any] = {}
        """The controls that it starts with."""
        self.controls: dict[str, Any] = {}
        self.settled = 9000, 2.0
        """The exposure in microseconds and the gain that its automatics arrive at."""
        self.automatics: dict[str, bool | int] = {"AeLocked": True}
        """What is said of how far they are; newer libcameras say it otherwise."""
        self.camera_controls: dict[str, tuple[float, float, float | None]] = {
            "ExposureTime": (75, 200_000, 20_000),
            "AnalogueGain": (1.0, 16.0, 1.0),
        }
        self.closed = 0

    def create_video_configuration(self, **options: Any) -> dict[str, Any]:
        return options

    def configure(self, configuration: dict[str, Any]) -> None:
        assert configuration["main"] == {"size": SIZE, "format": "RGB888"}
        assert configuration["controls"].keys() - {"FrameRate"} <= self.camera_controls.keys()
        self.configured = configuration["controls"]
        self.controls |= self.configured

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def close(self) -> None:
        self.closed += 1

    def set_controls(self, controls: dict[str, Any]) -> None:
        self.controls |= controls

    def capture_request(self, wait: bool) -> StandInJob:
        assert not wait
        return StandInJob(self)


def simulated() -> SimulatedCamera:
    clock = VirtualClock()
    world = World(Random(0), clock())
    world.add_piece("4/1", PieceKind.SLICE, "4/1", "back", pose=Pose(0, 0, 90), face_up=True)

    def source() -> Any:
        world.advance(clock())
        return world.snapshot()

    conditions = Conditions()
    art = {"4/1": draw_slice(SliceArt("4/1", (4,), 1, 0, "four"), 2.0)}
    return SimulatedCamera(source, Renderer(art, conditions.camera_model(*SIZE), conditions), clock, clock.sleep)


def pi() -> PiCamera:
    clock = VirtualClock()
    return PiCamera(SIZE, 30.0, lambda: StandInPicamera2(clock), lambda: int(clock.now_s * 1e9))


def picture(number: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    image = np.full((SIZE[1], SIZE[0], 3), 40 + 10 * number, np.uint8)
    image[:, : 20 * number] = (0, 0, 255)
    return image


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    for number in range(PICTURES):
        cv2.imwrite(str(folder / f"{number:02}.png"), picture(number))
    return folder


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("video") / "table.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, SIZE)
    for number in range(PICTURES):
        writer.write(picture(number))
    writer.release()
    return path


@pytest.fixture(params=["simulated", "picamera2", "folder", "video"])
def camera(request: pytest.FixtureRequest, folder: Path, video: Path) -> Iterator[Camera]:
    make: dict[str, Callable[[], Camera]] = {
        "simulated": simulated,
        "picamera2": pi,
        "folder": lambda: Recording(folder, 10.0, lambda: 7.0),
        "video": lambda: Recording(video, 10.0, lambda: 7.0),
    }
    camera = make[request.param]()
    yield camera
    camera.close()


def test_pictures_are_colour_and_of_the_size_asked_for(camera: Camera) -> None:
    image = camera.read(1.0).image
    assert image.shape == (SIZE[1], SIZE[0], 3)
    assert image.dtype == np.uint8


def test_each_picture_is_newer_than_the_one_before(camera: Camera) -> None:
    frames = [camera.read(1.0) for _ in range(6)]
    for before, after in pairwise(frames):
        assert after.time_s > before.time_s
        assert after.sequence > before.sequence


def test_a_picture_stays_as_it_was_when_the_next_is_read(camera: Camera) -> None:
    first = camera.read(1.0)
    kept = first.image.copy()
    camera.read(1.0)
    assert np.array_equal(first.image, kept)


def test_the_description_names_it_in_one_line(camera: Camera) -> None:
    assert camera.description
    assert "\n" not in camera.description


def test_closing_twice_is_fine_and_reading_then_says_so(camera: Camera) -> None:
    camera.read(1.0)
    camera.close()
    camera.close()
    with pytest.raises(CameraLost, match="closed"):
        camera.read(1.0)


# The simulated camera ---------------------------------------------------------------------------------------------


def test_the_simulated_camera_keeps_its_rate_and_counts_what_was_missed() -> None:
    clock = VirtualClock()
    world = World(Random(0))
    conditions = Conditions()
    renderer = Renderer({}, conditions.camera_model(*SIZE), conditions)
    camera = SimulatedCamera(world.snapshot, renderer, clock, clock.sleep, rate_hz=10.0)
    first = camera.read(1.0)
    second = camera.read(1.0)
    assert second.time_s - first.time_s == pytest.approx(0.1)
    clock.sleep(0.75)
    assert camera.read(1.0).sequence - second.sequence == 7
    with pytest.raises(CameraTimeout, match=r"within 0\.01 s"):
        camera.read(0.01)


def test_the_simulated_camera_is_lost_with_its_world() -> None:
    def gone() -> Any:
        raise ConnectionRefusedError("nobody there")

    conditions, clock = Conditions(), VirtualClock()
    renderer = Renderer({}, conditions.camera_model(*SIZE), conditions)
    with pytest.raises(CameraLost, match="nobody there"):
        SimulatedCamera(gone, renderer, clock, clock.sleep).read(1.0)


def test_a_knocked_camera_shakes_and_hangs_otherwise_afterwards() -> None:
    conditions, clock = Conditions(), VirtualClock()
    model = conditions.camera_model(640, 360)
    steady = SimulatedCamera(World(Random(0)).snapshot, Renderer({}, model, conditions), clock, clock.sleep, 10.0)
    camera = KnockedCamera(steady, Random(3), every_s=2.0)
    frames = [camera.read(1.0) for _ in range(60)]
    apart = [float(cv2.absdiff(a.image, b.image).mean()) for a, b in pairwise(frames)]
    still = sorted(apart)[len(apart) // 2]
    shaken = [i for i, far in enumerate(apart) if far > 3.0 * still]
    assert 4 <= len(shaken) <= 20
    assert not {0, 1, 2} & set(shaken)
    first, last = (find_mat(frames[i].image) for i in (0, -1))
    assert steady.model != model
    moved = np.linalg.norm(first.to_picture(np.zeros((1, 2))) - last.to_picture(np.zeros((1, 2))))
    assert 0.3 < moved < 40.0


# picamera2 --------------------------------------------------------------------------------------------------------


def test_exposure_and_white_balance_are_locked() -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9))
    assert device.controls["AeEnable"] is False
    assert device.controls["AwbEnable"] is False
    assert device.controls["ExposureTime"] == 9000
    assert device.controls["ColourGains"] == (1.5, 1.7)
    assert device.lent == 0


@pytest.mark.parametrize(
    ("focus_mm", "dioptres"),
    [(950.0, 1 / 0.95), (500.0, 2.0), (50.0, 15.0)],
    ids=["far", "near", "nearer than it goes"],
)
def test_a_lens_with_a_motor_is_focused_on_the_table(focus_mm: float, dioptres: float) -> None:
    """In the configuration, so that the very first pictures are."""
    clock = VirtualClock()
    device = StandInPicamera2(clock, "imx708")
    device.camera_controls |= MOTOR
    PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9), focus_mm=focus_mm)
    assert device.configured["AfMode"] == 0
    assert device.configured["LensPosition"] == pytest.approx(dioptres)
    assert device.controls["LensPosition"] == device.configured["LensPosition"]


@pytest.mark.parametrize(("controls", "focus_mm"), [({}, 950.0), ({"AfMode": MOTOR["AfMode"]}, 950.0), (MOTOR, None)])
def test_other_lenses_are_left_alone(controls: dict[str, Limits], focus_mm: float | None) -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    device.camera_controls |= controls
    PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9), focus_mm=focus_mm)
    assert not {"AfMode", "LensPosition"} & device.controls.keys()


@pytest.mark.parametrize(
    ("model", "crop", "focal"),
    [
        ("imx219", (0, 0, 3280, 2464), 0.828),
        ("imx219", (680, 692, 1920, 1080), 1.414),
        ("imx708_wide_noir", (0, 0, 4608, 2592), 0.426),
        ("imx708", (0, 0, 4608, 2592), 0.735),
        ("ov5647", (16, 0, 1944, 1944), 1.323),
    ],
)
def test_a_camera_modules_focal_length_is_known_by_its_sensor_and_mode(
    model: str, crop: tuple[int, int, int, int], focal: float
) -> None:
    """In lengths of the longer side of what its mode shows."""
    clock = VirtualClock()
    camera = PiCamera(SIZE, 30.0, lambda: StandInPicamera2(clock, model, crop), lambda: int(clock.now_s * 1e9))
    assumed = camera.read(1.0).assumed
    assert assumed.longer_sides == pytest.approx(focal, abs=0.001)
    assert assumed.spread == 0.05


@pytest.mark.parametrize(
    ("model", "crop"), [("imx477", (0, 0, 4056, 3040)), ("imx219", None), ("imx219", (0, 0, 0, 0)), ("", (0, 0, 9, 9))]
)
def test_of_other_cameras_no_focal_length_is_known(model: str, crop: tuple[int, int, int, int] | None) -> None:
    """The high quality camera takes any lens."""
    clock = VirtualClock()
    camera = PiCamera(SIZE, 30.0, lambda: StandInPicamera2(clock, model, crop), lambda: int(clock.now_s * 1e9))
    assert camera.read(1.0).assumed == ANY_CAMERA


@pytest.mark.parametrize(
    ("automatics", "pictures"),
    [
        pytest.param({"AeLocked": True}, FEWEST_SETTLING_FRAMES, id="libcamera before 0.5"),
        pytest.param({"AeState": 2}, FEWEST_SETTLING_FRAMES, id="from 0.5 on"),
        pytest.param({"AeLocked": False}, MOST_SETTLING_FRAMES, id="not settled, before 0.5"),
        pytest.param({"AeState": 1}, MOST_SETTLING_FRAMES, id="not settled, from 0.5 on"),
    ],
)
def test_it_waits_until_the_automatics_have_settled(automatics: dict[str, bool | int], pictures: int) -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    device.automatics = automatics
    began_s = clock.now_s
    PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9))
    assert clock.now_s - began_s == pytest.approx(pictures / 30)


def test_more_light_comes_from_a_longer_exposure_then_from_gain_and_less_the_other_way() -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    camera = PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9))
    gathers = device.controls["ExposureTime"] * device.controls["AnalogueGain"]
    assert camera.adjust(Adjustment(light=3.0))
    assert device.controls["ExposureTime"] * device.controls["AnalogueGain"] == pytest.approx(3.0 * gathers, rel=0.01)
    assert device.controls["ExposureTime"] == 27_000
    assert camera.adjust(Adjustment(light=2.0))
    assert device.controls["ExposureTime"] == 33_000
    assert device.controls["AnalogueGain"] > 1.0
    assert camera.adjust(Adjustment(light=1 / 12))
    assert device.controls["AnalogueGain"] == 1.0
    assert device.controls["ExposureTime"] * device.controls["AnalogueGain"] == pytest.approx(gathers / 2, rel=0.01)


def test_an_adjustment_that_goes_no_farther_says_so() -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    camera = PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9))
    steps = [camera.adjust(Adjustment(light=2.0)) for _ in range(12)]
    assert steps[0]
    assert not steps[-1]
    assert camera.adjust(Adjustment(blue=1.2, red=0.9))
    assert device.controls["ColourGains"] == pytest.approx((1.5 * 0.9, 1.7 * 1.2))
    camera.close()
    with pytest.raises(CameraLost, match="closed"):
        camera.adjust(Adjustment(light=2.0))


@pytest.mark.parametrize(("mains_hz", "period_us"), [(50, 10_000), (60, 8333)])
def test_the_automatics_are_told_of_the_mains(mains_hz: int, period_us: int) -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    device.camera_controls |= {"AeFlickerMode": (0, 1, 0), "AeFlickerPeriod": (100, 1_000_000, None)}
    PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9), mains_hz=mains_hz)
    assert (device.controls["AeFlickerMode"], device.controls["AeFlickerPeriod"]) == (1, period_us)


@pytest.mark.parametrize(
    ("known", "mains_hz"),
    [
        pytest.param({}, 50, id="older libcamera"),
        pytest.param({"AeFlickerMode": (0, 0, 0)}, 50, id="no period"),
        pytest.param({"AeFlickerMode": (0, 1, 0), "AeFlickerPeriod": (100, 1_000_000, None)}, 0, id="not wanted"),
    ],
)
def test_else_the_automatics_do_without(known: dict[str, Limits], mains_hz: int) -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    device.camera_controls |= known
    PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9), mains_hz=mains_hz)
    assert not {"AeFlickerMode", "AeFlickerPeriod"} & device.controls.keys()


@pytest.mark.parametrize(
    ("settled", "mains_hz", "locked"),
    [
        pytest.param((9000, 2.0), 50, (10_000, 1.8), id="gain leaves room for a whole period"),
        pytest.param((9000, 2.0), 60, (16_667, 1.08), id="for two of them"),
        pytest.param((9000, 2.0), 0, (9000, 2.0), id="not wanted"),
        pytest.param((19_985, 1.5), 50, (20_000, 1.499), id="whole lines of the sensor"),
        pytest.param((33_333, 4.0), 50, (30_000, 4.444), id="no longer than a picture takes"),
        pytest.param((33_333, 4.0), 60, (33_333, 4.0), id="which is four"),
        pytest.param((4000, 1.0), 50, (4000, 1.0), id="daylight"),
        pytest.param((15_000, 1.0), 50, (10_000, 1.5), id="the least gain"),
        pytest.param((33_000, 16.0), 50, (30_000, 16.0), id="the most gain"),
    ],
)
def test_what_is_locked_is_whole_periods_of_lamps(
    settled: tuple[int, float], mains_hz: int, locked: tuple[int, float]
) -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    device.settled = settled
    PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9), mains_hz=mains_hz)
    assert (device.controls["ExposureTime"], device.controls["AnalogueGain"]) == pytest.approx(locked, rel=1e-3)


@pytest.mark.parametrize("mains_hz", [50, 60])
@pytest.mark.parametrize("rate_hz", [25.0, 30.0, 60.0])
@pytest.mark.parametrize("step", [1.04, 1.1, 1.7])
def test_each_step_gives_its_light_in_whole_periods_up_to_the_ends(mains_hz: int, rate_hz: float, step: float) -> None:
    """From the darkest room to the brightest and back: where light is so little that a period fits, no row has more."""
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    camera = PiCamera(SIZE, rate_hz, lambda: device, lambda: int(clock.now_s * 1e9), mains_hz=mains_hz)
    period_us = 1e6 / (2 * mains_hz)
    longest_us = {(50, 25.0): 30_000, (60, 25.0): 33_333, (50, 30.0): 30_000, (60, 30.0): 33_333}.get(
        (mains_hz, rate_hz), 10_000 if mains_hz == 50 else 16_667
    )
    gathers = device.controls["ExposureTime"] * device.controls["AnalogueGain"]
    for times, end in ((step, 16.0 * longest_us), (1.0 / step, 100.0), (step, 16.0 * longest_us)):
        for _ in range(400):
            wanted = gathers * times
            if not camera.adjust(Adjustment(light=times)):
                break
            exposure_us, gain = device.controls["ExposureTime"], device.controls["AnalogueGain"]
            gathers = exposure_us * gain
            assert gathers == pytest.approx(min(max(wanted, 75.0), 16.0 * longest_us), rel=0.021)
            assert exposure_us <= longest_us
            if gathers > 1.021 * period_us:
                assert exposure_us / period_us == pytest.approx(round(exposure_us / period_us), abs=1e-3)
        assert gathers == pytest.approx(end, rel=0.3 if end == 100.0 else 0.021)


def test_a_little_more_light_than_whole_periods_give_comes_from_gain() -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    device.settled = 20_000, 1.0
    camera = PiCamera(SIZE, 25.0, lambda: device, lambda: int(clock.now_s * 1e9), mains_hz=50)
    assert camera.adjust(Adjustment(light=1.1))
    assert (device.controls["ExposureTime"], device.controls["AnalogueGain"]) == pytest.approx((20_000, 1.1))
    for _ in range(4):
        assert camera.adjust(Adjustment(light=1.1))
    assert (device.controls["ExposureTime"], device.controls["AnalogueGain"]) == pytest.approx((30_000, 1.1**5 / 1.5))


def test_a_camera_of_one_gain_only_exposes_for_as_long_as_the_light_needs() -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    device.settled = 10_000, 1.0
    device.camera_controls["AnalogueGain"] = 1.0, 1.0, 1.0
    camera = PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9), mains_hz=50)
    assert camera.adjust(Adjustment(light=1.5))
    assert device.controls["ExposureTime"] == 15_000


def test_a_camera_that_says_no_longest_exposure_has_a_usual_one() -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    device.camera_controls["ExposureTime"] = 134, 0, None
    camera = PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9))
    assert camera.adjust(Adjustment(light=3.0))
    assert device.controls["ExposureTime"] == 27_000


def test_a_picture_from_before_the_call_is_left_out() -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    camera = PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9))
    device.stale = [40_000_000, 70_000_000]
    called_s = clock.now_s
    assert camera.read(1.0).time_s >= called_s
    assert device.lent == 0


def test_a_late_picture_goes_to_the_next_call() -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    camera = PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9))
    device.unplugged = True
    for _ in range(3):
        with pytest.raises(CameraTimeout, match="in time"):
            camera.read(0.2)
    device.unplugged = False
    assert camera.read(1.0).sequence >= 0


def test_a_camera_without_pictures_does_not_open() -> None:
    clock = VirtualClock()
    device = StandInPicamera2(clock)
    device.unplugged = True
    with pytest.raises(CameraLost, match="check its cable"):
        PiCamera(SIZE, 30.0, lambda: device, lambda: int(clock.now_s * 1e9))
    assert device.closed == 1


@pytest.mark.parametrize("error", [IndexError("list index out of range"), RuntimeError("in use"), ImportError("no")])
def test_no_camera_is_an_error(error: Exception) -> None:
    def fail() -> Any:
        raise error

    with pytest.raises(CameraLost, match=str(error)):
        PiCamera(SIZE, 30.0, fail)


def read_on(camera: Camera, frames: list[Frame]) -> None:
    """Read until the camera fails."""
    while True:
        frames.append(camera.read(5.0))


# OpenCV -----------------------------------------------------------------------------------------------------------


def test_a_usb_camera_gives_the_newest_picture_and_is_lost_at_its_end(video: Path) -> None:
    camera = UsbCamera(0, SIZE, 30.0, time.monotonic, lambda _: cv2.VideoCapture(str(video), cv2.CAP_FFMPEG))
    frames: list[Frame] = []
    with pytest.raises(CameraLost, match="no pictures any more"):
        read_on(camera, frames)
    assert all(a.sequence < b.sequence and a.time_s < b.time_s for a, b in pairwise(frames))
    camera.close()
    camera.close()


class StandInCapture:
    """A USB camera whose picture stays the same from some picture on; each takes a second of its clock."""

    def __init__(self, clock: VirtualClock, frozen_from: int) -> None:
        self._clock = clock
        self._frozen_from = frozen_from
        self._taken = 0

    def isOpened(self) -> bool:  # noqa: N802 its name in OpenCV
        return True

    def set(self, _: int, __: float) -> bool:
        return True

    def get(self, _: int) -> float:
        return 1.0

    def grab(self) -> bool:
        time.sleep(0.001)  # no machine is so busy that a test would miss all pictures
        self._clock.sleep(1.0)
        self._taken += 1
        return True

    def retrieve(self) -> tuple[bool, Any]:
        return True, np.full((SIZE[1], SIZE[0], 3), min(self._taken, self._frozen_from), np.uint8)

    def release(self) -> None:
        pass


def test_a_usb_camera_that_gives_one_picture_again_and_again_is_lost() -> None:
    clock = VirtualClock()
    capture: Any = StandInCapture(clock, frozen_from=30)
    camera = UsbCamera(0, SIZE, 1.0, clock, lambda _: capture)
    with pytest.raises(CameraLost, match=r"has given the same picture for 10 s: it is frozen"):
        read_on(camera, [])
    assert clock.now_s == 50 + 30 + FROZEN_S + 1
    camera.close()


def test_a_usb_camera_is_told_of_the_mains_where_it_is_wanted() -> None:
    clock = VirtualClock()
    told: list[tuple[int | Path, int]] = []
    capture: Any = StandInCapture(clock, frozen_from=30)
    for mains_hz in (0, 50, 60):
        UsbCamera(
            2, SIZE, 1.0, clock, lambda _: capture, mains_hz=mains_hz, set_power_line=lambda *told_: told.append(told_)
        ).close()
    assert told == [(2, 50), (2, 60)]


def test_a_usb_camera_that_cannot_be_told_is_used_as_it_is() -> None:
    def refuse(device: int | Path, mains_hz: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    clock = VirtualClock()
    capture: Any = StandInCapture(clock, frozen_from=200)
    camera = UsbCamera(0, SIZE, 1.0, clock, lambda _: capture, mains_hz=50, set_power_line=refuse)
    assert camera.read(5.0).image.any()
    camera.close()


def test_a_usb_camera_that_does_not_exist() -> None:
    with pytest.raises(CameraLost, match="no camera at 77"):
        UsbCamera(77, SIZE, 30.0, time.monotonic)


def test_a_recording_ends(folder: Path) -> None:
    camera = Recording(folder, 10.0, lambda: 7.0)
    frames = [camera.read(1.0) for _ in range(PICTURES)]
    assert frames[3].time_s == pytest.approx(7.3)
    assert np.array_equal(frames[5].image, picture(5))
    with pytest.raises(RecordingEnded, match="ended after 12 pictures"):
        camera.read(1.0)


def test_a_videos_own_rate_counts(video: Path) -> None:
    camera = Recording(video, 10.0, lambda: 0.0)
    camera.read(1.0)
    assert camera.read(1.0).time_s == pytest.approx(1 / 25)
    camera.close()


def test_recordings_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CameraLost, match="no video file and no folder"):
        Recording(tmp_path / "nowhere", 10.0, time.monotonic)
    with pytest.raises(CameraLost, match="no pictures in"):
        Recording(tmp_path, 10.0, time.monotonic)
    (tmp_path / "film.mp4").write_bytes(b"no film")
    with pytest.raises(CameraLost, match="no video that OpenCV can read"):
        Recording(tmp_path / "film.mp4", 10.0, time.monotonic)
    (tmp_path / "broken.jpg").write_bytes(b"no picture")
    with pytest.raises(CameraLost, match=r"broken\.jpg: expected a picture such as JPEG") as refused:
        Recording(tmp_path, 10.0, time.monotonic).read(1.0)
    assert not isinstance(refused.value, RecordingEnded)


# Drivers by name --------------------------------------------------------------------------------------------------


def test_a_damaged_picture_of_a_folder_is_named(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (360, 640, 3), np.uint8)
    content = cv2.imencode(".jpg", cv2.GaussianBlur(noise, (0, 0), 3.0))[1].tobytes()
    middle = len(content) // 2
    (tmp_path / "7.jpg").write_bytes(content[:middle] + bytes(512) + content[middle + 512 :])
    with pytest.raises(CameraLost, match=r"7\.jpg: the JPEG is damaged in its middle"):
        Recording(tmp_path, 10.0, lambda: 7.0).read(1.0)


def test_a_driver_is_chosen_by_name(folder: Path) -> None:
    assert "simulated" in open_camera("simulated", SIZE, 15.0, simulated).description
    assert "recording" in open_camera(f"opencv:{folder}", SIZE, 15.0, simulated).description
    with pytest.raises(CameraLost, match="no camera at 88"):
        open_camera("opencv:88", SIZE, 15.0, simulated)
    with pytest.raises(CameraLost, match="no camera at /dev/video88"):
        open_camera("opencv:/dev/video88", SIZE, 15.0, simulated)


def test_the_files_of_a_recording_are_known(tmp_path: Path) -> None:
    for name in ("2.png", "1.JPG", "notes.txt"):
        (tmp_path / name).write_text("")
    assert recorded_files(f"opencv:{tmp_path}") == [tmp_path / "1.JPG", tmp_path / "2.png"]
    assert recorded_files(f"opencv:{tmp_path / 'film.mp4'}") == [tmp_path / "film.mp4"]
    for camera in ("simulated", "picamera2", "opencv:0", "opencv:/dev/video2"):
        assert recorded_files(camera) == []


@pytest.mark.parametrize("driver", ["", "opencv:", "webcam", "picamera2:1"])
def test_a_driver_that_does_not_exist(driver: str) -> None:
    with pytest.raises(UnknownDriver, match="expected"):
        open_camera(driver, SIZE, 15.0, simulated)
    assert issubclass(UnknownDriver, CameraError)
