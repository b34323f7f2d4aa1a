"""Cameras through OpenCV: a USB camera, and recordings (a video file, a folder of pictures) played back as one."""

import contextlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from threading import Condition, Thread

import cv2
import numpy as np
from cv2.utils import logging

from hardware.camera import Automatic, CameraLost, CameraTimeout, Holdable, NoRecording, RecordingEnded
from hardware.v4l2_control import set_power_line
from vision.files.photos import PhotoError, load_photo
from vision.frame import Frame, Image

PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp"})
_FAILURES_UNTIL_LOST = 3
FROZEN_S = 10.0
"""A sensor has noise: pictures the same to the last level for so long are one picture, given again and again."""
_COMPARED = 16
"""Every so many rows are compared."""


class UsbCamera:
    """A V4L2 camera. A thread keeps taking pictures, so that the newest is at hand and a stuck device times out."""

    def __init__(
        self,
        device: int | Path,
        size: tuple[int, int],
        rate_hz: float,
        clock: Callable[[], float],
        open_capture: Callable[[int | Path], cv2.VideoCapture] | None = None,
        *,
        mains_hz: int = 0,
        set_power_line: Callable[[int | Path, int], None] = set_power_line,
        automatics: Holdable | None = None,
    ) -> None:
        """Open `device` (a number, or a path such as /dev/video2) and ask it for `size` (width, height).

        A device that has no such size gives its nearest; the description says which. `open_capture` is V4L2's if None.
        The camera is told of the mains' frequency unless that is 0; one that cannot be told is used as it is. Its
        `automatics` are let run, however it was left, and are to be `hold`; None: they are as they are.

        Raises:
            CameraLost: there is no such camera, or it is in use.
        """
        self._device = device
        self._clock = clock
        self._capture = (open_capture or _open_v4l2)(device)
        if not self._capture.isOpened():
            raise CameraLost(f"no camera at {device!s}, or something else is using it")
        self._ask_for(size, rate_hz)
        if mains_hz:
            with contextlib.suppress(OSError):
                set_power_line(device, mains_hz)
        self._automatics = automatics
        self.hold(())
        self._news = Condition()
        self._newest: tuple[Image, float, int] | None = None
        self._given = -1
        self._problem: str | None = None
        self._open = True
        self._thread = Thread(target=self._take_pictures, name="usb-camera", daemon=True)
        self._thread.start()

    @property
    def description(self) -> str:
        """What it is, for people: driver, size, rate."""
        return f"USB camera {self._device!s} {self._size}"

    def read(self, timeout_s: float) -> Frame:
        """Wait for a picture newer than the last one given; see `hardware.camera.Camera`."""
        with self._news:
            self._news.wait_for(lambda: self._problem is not None or self._is_news(), timeout_s)
            if self._problem is not None:
                raise CameraLost(self._problem)
            if self._newest is None or not self._is_news():
                raise CameraTimeout(f"the {self.description} gave no picture within {timeout_s} s")
            image, time_s, self._given = self._newest
            return Frame(image, time_s, self._given)

    def hold(self, which: Collection[Automatic]) -> frozenset[Automatic]:
        """See `hardware.camera.Holdable`."""
        return frozenset() if self._automatics is None else self._automatics.hold(which)

    def close(self) -> None:
        """Let its automatics run, for whatever uses it next, and release the device, at the latest when its next
        picture comes or fails to come."""
        if self._open:
            self.hold(())
        self._open = False
        with self._news:
            self._problem = f"the {self.description} is closed"
            self._news.notify_all()

    def _ask_for(self, size: tuple[int, int], rate_hz: float) -> None:
        # Uncompressed pictures of this size do not fit through USB 2 at a useful rate.
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        self._capture.set(cv2.CAP_PROP_FPS, rate_hz)
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        width, height = (round(self._capture.get(p)) for p in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
        self._size = f"{width}x{height} at {self._capture.get(cv2.CAP_PROP_FPS):g} pictures/s"

    def _is_news(self) -> bool:
        return self._newest is not None and self._newest[2] > self._given

    def _take_pictures(self) -> None:
        sequence, failures = 0, 0
        last, news_s = None, self._clock()
        while self._open and failures < _FAILURES_UNTIL_LOST:
            if not self._capture.grab():
                failures += 1
                continue
            time_s = self._clock()
            taken, image = self._capture.retrieve()
            if not taken or image is None:
                failures += 1
                continue
            failures = 0
            if last is None or not np.array_equal(image[::_COMPARED], last[::_COMPARED]):
                last, news_s = image, time_s
            elif time_s - news_s > FROZEN_S:
                self._problem = (
                    f"the {self.description} has given the same picture for {FROZEN_S:g} s: it is frozen, or sees "
                    "nothing at all. Pull its cable and put it back, take the cap off its lens"
                )
                break
            with self._news:
                self._newest = (_colour(image), time_s, sequence)
                self._news.notify_all()
            sequence += 1
        self._capture.release()
        with self._news:
            self._problem = self._problem or f"the {self.description} gives no pictures any more"
            self._news.notify_all()


class Recording:
    """A video file or a folder of pictures, one picture per read, stamped as if taken at its rate from now on."""

    def __init__(self, path: Path, rate_hz: float, clock: Callable[[], float]) -> None:
        """`rate_hz` is a folder's rate; a video file has its own.

        Raises:
            NoRecording: no such file or folder, no picture in it, or a file that OpenCV cannot read.
        """
        self._path = path
        self._capture: cv2.VideoCapture | None = None
        if path.is_dir():
            files = pictures_in(path)
            if not files:
                raise NoRecording(
                    f"no pictures in {path}: expected files ending in {', '.join(sorted(PICTURE_SUFFIXES))}"
                )
            self._pictures, self._rate_hz = _pictures_of(files), rate_hz
        elif path.is_file():
            self._capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
            if not self._capture.isOpened():
                raise NoRecording(f"{path} is no video that OpenCV can read")
            self._pictures = _pictures_of_video(self._capture)
            self._rate_hz = self._capture.get(cv2.CAP_PROP_FPS) or rate_hz
        else:
            raise NoRecording(f"no video file and no folder at {path}")
        self._started_s = clock()
        self._sequence = 0
        self._open = True

    @property
    def description(self) -> str:
        """What it is, for people: driver, size, rate."""
        return f"recording {self._path} at {self._rate_hz:g} pictures/s"

    def read(self, timeout_s: float) -> Frame:
        """The next picture.

        Raises:
            RecordingEnded: that was the last one.
            CameraLost: it is closed, or the next picture cannot be read; names its file.
        """
        if not self._open:
            raise CameraLost(f"the {self.description} is closed")
        image = next(self._pictures, None)
        if image is None:
            raise RecordingEnded(f"the {self.description} ended after {self._sequence} pictures")
        frame = Frame(image, self._started_s + self._sequence / self._rate_hz, self._sequence)
        self._sequence += 1
        return frame

    def close(self) -> None:
        """Close the file."""
        self._open = False
        if self._capture is not None:
            self._capture.release()


def pictures_in(folder: Path) -> list[Path]:
    """The pictures that are played of a folder, in their order."""
    return sorted(file for file in folder.iterdir() if file.suffix.lower() in PICTURE_SUFFIXES)


def _open_v4l2(device: int | Path) -> cv2.VideoCapture:
    logging.setLogLevel(logging.LOG_LEVEL_ERROR)  # that a device cannot be opened is said by us, with its name
    return cv2.VideoCapture(device if isinstance(device, int) else str(device), cv2.CAP_V4L2)


def _pictures_of(files: list[Path]) -> Iterator[Image]:
    for file in files:
        try:
            yield load_photo(file)
        except PhotoError as error:
            raise CameraLost(str(error)) from error


def _pictures_of_video(capture: cv2.VideoCapture) -> Iterator[Image]:
    while True:
        taken, image = capture.read()
        if not taken or image is None:
            return
        yield _colour(image)


def _colour(image: cv2.typing.MatLike) -> Image:
    """Blue, green, red, whatever the device gives."""
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR) if image.ndim == 2 else image, np.uint8)
