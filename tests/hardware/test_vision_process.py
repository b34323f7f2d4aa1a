"""The child process for camera and reading: real processes, real kills."""

import os
import queue
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.camera import Adjustment, Automatic, CameraLost
from hardware.vision_process import MakeReader, OpenCamera, VisionProcess, VisionState, VisionStatus, _Child
from tests.hardware import vision_children
from tests.hardware.vision_children import PICTURE, OpenScripted, make_blind_reader, make_broken_reader, make_reader
from vision.frame import Frame
from vision.scene import Scene

PATIENCE_S = 60
"""Longer than any start on a busy machine."""


class Watched:
    """A vision process whose news are taken one by one."""

    def __init__(self, vision: VisionProcess) -> None:
        self.vision = vision
        self.statuses: queue.Queue[VisionStatus] = queue.Queue()
        self.scenes: queue.Queue[Scene] = queue.Queue()
        vision.start(self.scenes.put, self.statuses.put, lambda function: function())

    def scene(self) -> Scene:
        return self.scenes.get(timeout=PATIENCE_S)

    def status(self) -> VisionStatus:
        return self.statuses.get(timeout=PATIENCE_S)


Watch = Callable[..., Watched]


@pytest.fixture
def watch() -> Iterator[Watch]:
    started: list[VisionProcess] = []

    def start(
        open_camera: OpenCamera = OpenScripted(),  # noqa: B008
        make: MakeReader = make_reader,
        hang_s: float = 30.0,
    ) -> Watched:
        started.append(VisionProcess(open_camera, make, largest_picture=PICTURE, hang_s=hang_s))
        return Watched(started[-1])

    yield start
    for vision in started:
        vision.close()


def test_scenes_and_their_pictures_arrive(watch: Watch) -> None:
    watched = watch()
    first = watched.scene()
    while (scene := watched.scene()).sequence < first.sequence + 3:
        pass
    assert watched.status() == VisionStatus(VisionState.OK, "scripted camera")
    newest = watched.vision.picture()
    assert newest is not None
    assert newest.sequence >= scene.sequence
    assert newest.image.shape == (48, 64, 3)
    assert (newest.image == newest.sequence % 256).all()
    assert watched.vision.picture(sequence=-5) is None
    jpeg = watched.vision.jpeg()
    assert jpeg is not None
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == (48, 64, 3)
    assert watched.vision.counts.restarts == 0


def test_closing_ends_the_child_and_twice_is_fine(watch: Watch) -> None:
    watched = watch()
    watched.scene()
    assert watched.vision.pid is not None
    child = os.pidfd_open(watched.vision.pid)
    watched.vision.close()
    watched.vision.close()
    assert _ended(child)
    assert watched.vision.status.state is VisionState.CLOSED
    assert watched.vision.picture() is None
    assert watched.vision.pid is None


def test_an_interrupt_that_reaches_the_child_while_it_starts_is_nothing_to_it(
    watch: Watch, capfd: pytest.CaptureFixture[str]
) -> None:
    watched = watch()
    while (child := watched.vision.pid) is None:
        time.sleep(0.001)
    for _ in range(100):  # until long after Python runs there
        os.kill(child, signal.SIGINT)
        time.sleep(0.01)
    assert watched.status() == VisionStatus(VisionState.OK, "scripted camera")
    assert watched.vision.pid == child
    assert "KeyboardInterrupt" not in capfd.readouterr().err


def test_closing_kills_a_child_that_cannot_let_go_of_its_camera(watch: Watch) -> None:
    watched = watch(OpenScripted("clamp"))
    watched.scene()
    assert watched.vision.pid is not None
    child = os.pidfd_open(watched.vision.pid)
    watched.vision.close()
    assert _ended(child)


def test_closing_before_the_start_is_fine() -> None:
    VisionProcess(OpenScripted(), make_reader, largest_picture=PICTURE, hang_s=1).close()


@pytest.mark.parametrize("follow_light", [True, False])
def test_the_child_keeps_its_camera_as_it_was_told(follow_light: bool) -> None:
    """One that can be adjusted and held at once, before paper that is dark."""

    class Camera:
        description = "noted"

        def __init__(self) -> None:
            self.taken, self.asked = 0, list[object]()

        def read(self, _: float) -> Frame:
            self.taken += 1
            if self.taken > 10:
                raise CameraLost("the cable is out")
            return Frame(np.zeros((4, 4, 3), np.uint8), 0.5 * self.taken, self.taken)

        def adjust(self, by: Adjustment) -> bool:
            self.asked.append(by)
            return True

        def hold(self, which: Collection[Automatic]) -> frozenset[Automatic]:
            self.asked.append(frozenset(which))
            return frozenset(which)

        def close(self) -> None:
            pass

    def reader(frame: Frame) -> Scene:
        return Scene(frame.time_s, frame.sequence, (), (), frame.time_s, paper=((40.0,) * 3,) * 4)

    class Elsewhere:
        """Takes pictures and messages."""

        def write(self, frame: Frame) -> Frame:
            return frame

        def send(self, _: object) -> None:
            pass

    camera, nowhere = Camera(), Elsewhere()
    child: Any = _Child(lambda: camera, lambda: reader, 1.0, 0, follow_light)
    with pytest.raises(CameraLost):
        child._read_on(nowhere, nowhere)
    assert any(isinstance(one, Adjustment) for one in camera.asked) == follow_light
    assert frozenset(Automatic) in camera.asked


def test_a_lost_camera_is_said_and_opened_again(watch: Watch, tmp_path: Path) -> None:
    watched = watch(OpenScripted("lose", marker=tmp_path / "once"))
    assert watched.status().state is VisionState.OK
    assert watched.status() == VisionStatus(VisionState.LOST, "the cable is out; starting again")
    assert watched.status().state is VisionState.OK
    assert watched.vision.counts.restarts == 1


def test_a_hanging_child_is_killed_and_started_again(watch: Watch, tmp_path: Path) -> None:
    watched = watch(OpenScripted("hang", marker=tmp_path / "once"), hang_s=0.5)
    assert watched.status().state is VisionState.OK
    hung = watched.status()
    assert hung.state is VisionState.HUNG
    assert hung.text == "no sign of life from camera and reading for 0.5 s; starting again"
    assert watched.status().state is VisionState.OK


def test_a_child_that_computes_for_ever_is_killed_and_started_again(watch: Watch, tmp_path: Path) -> None:
    watched = watch(OpenScripted("compute for ever", marker=tmp_path / "once"), hang_s=0.5)
    assert watched.status().state is VisionState.OK
    hung = watched.status()
    while hung.state is VisionState.SLOW:
        hung = watched.status()
    assert hung.state is VisionState.HUNG
    assert re.fullmatch(r"no sign of life from camera and reading for \d+(\.5)? s; starting again", hung.text)
    assert watched.status().state is VisionState.OK


def test_a_child_that_a_busy_machine_keeps_waiting_is_let_be(watch: Watch) -> None:
    watched = watch(OpenScripted("wait for a core"), hang_s=0.5)
    assert watched.status().state is VisionState.OK
    slow = watched.status()
    assert slow.state is VisionState.SLOW
    assert slow.text == "nothing was read for 0.5 s: this machine is busy, or too slow for it"
    while (status := watched.status()).state is VisionState.SLOW:
        pass
    assert status.state is VisionState.OK
    assert watched.vision.counts.restarts == 0


def test_a_child_that_dies_is_started_again(watch: Watch, tmp_path: Path) -> None:
    watched = watch(OpenScripted("exit", marker=tmp_path / "once"))
    assert watched.status().state is VisionState.OK
    assert watched.status().text == "the process of camera and reading ended (exit code 7); starting again"
    assert watched.status().state is VisionState.OK


def test_a_child_that_is_killed_in_the_middle_of_a_message_is_started_again(watch: Watch, tmp_path: Path) -> None:
    watched = watch(OpenScripted("die in the middle of a message", marker=tmp_path / "once"))
    assert watched.status().state is VisionState.OK
    assert watched.status().text == "the process of camera and reading ended (exit code -9); starting again"
    assert watched.status().state is VisionState.OK


def test_a_child_that_says_what_is_no_message_is_started_again(watch: Watch, tmp_path: Path) -> None:
    watched = watch(OpenScripted("say what is no message", marker=tmp_path / "spoke"))
    assert watched.status().state is VisionState.OK
    status = watched.status()
    assert status.state is VisionState.LOST
    assert "says what is no message: UnpicklingError: " in status.text
    assert watched.status().state is VisionState.OK


def test_a_missing_camera_is_said(watch: Watch) -> None:
    assert watch(OpenScripted("missing")).status() == VisionStatus(
        VisionState.LOST, "no camera is connected; starting again"
    )


def test_a_picture_that_is_too_large_is_said(watch: Watch) -> None:
    status = watch(OpenScripted(size=(64, 49))).status()
    assert status.state is VisionState.LOST
    assert "a picture of 64 x 49 came, expected at most 3072 pixels" in status.text


def test_a_table_that_cannot_be_found_is_said_and_its_picture_shown(watch: Watch) -> None:
    watched = watch(make=make_blind_reader)
    assert watched.status() == VisionStatus(VisionState.UNREADABLE, "markers 0 and 2 are not in the picture")
    assert watched.vision.picture() is not None


def test_a_bug_in_the_reader_is_said(watch: Watch) -> None:
    assert watch(make=make_broken_reader).status().text == "ZeroDivisionError: a bug; starting again"


def test_of_scenes_that_wait_only_the_newest_stays() -> None:
    calls: queue.Queue[Callable[[], None]] = queue.Queue()
    scenes: list[Scene] = []
    vision = VisionProcess(OpenScripted("skip"), make_reader, largest_picture=PICTURE, hang_s=30)
    vision.start(scenes.append, lambda status: scenes.clear(), calls.put)
    calls.get(timeout=PATIENCE_S)()
    deliver = calls.get(timeout=PATIENCE_S)
    while (counts := vision.counts).dropped < 20:
        assert calls.empty()
    deliver()
    assert [scene.sequence >= 20 for scene in scenes] == [True]
    assert counts.skipped > 0
    vision.close()


def test_the_child_of_a_killed_parent_ends_even_when_it_hangs() -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, vision_children.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(root)},
    ) as parent:
        assert parent.stdout is not None
        child = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
    assert _ended(child)


def _ended(process: int) -> bool:
    """Whether the process of a pidfd ends in time."""
    try:
        return bool(select.select([process], [], [], PATIENCE_S)[0])
    finally:
        os.close(process)
