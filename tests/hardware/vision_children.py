"""Cameras and readers that misbehave on purpose, for the child process of the tests; all picklable."""

import os
import signal
import struct
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hardware.camera import CameraLost
from hardware.vision_process import Reader, VisionProcess
from vision.frame import Frame
from vision.mat.errors import MarkersMissing
from vision.scene import Scene

PICTURE = (64, 48)


@dataclass
class ScriptedCamera:
    """Takes 200 pictures a second, each filled with its sequence number, until what it is told to do."""

    misdeed: str
    after: int
    size: tuple[int, int] = PICTURE
    sequence: int = 0
    description: str = "scripted camera"

    def read(self, timeout_s: float) -> Frame:
        time.sleep(0.005)
        self.sequence += 1
        if self.sequence > self.after:
            match self.misdeed:
                case "lose":
                    raise CameraLost("the cable is out")
                case "hang":
                    time.sleep(3600)
                case "compute for ever":
                    while True:
                        pass
                case "wait for a core":
                    self.misdeed = ""
                    for _ in range(20):
                        compute(0.02)
                        time.sleep(0.06)
                case "exit":
                    os._exit(7)
                case "die in the middle of a message":
                    sender = sys._getframe(1).f_locals["sender"]
                    os.write(sender.fileno(), struct.pack("!i", 100_000) + b"half")
                    os.kill(os.getpid(), signal.SIGKILL)
                case "say what is no message":
                    sys._getframe(1).f_locals["sender"].send_bytes(b"spoilt")
                case "skip":
                    self.sequence += 1
        width, height = self.size
        return Frame(np.full((height, width, 3), self.sequence % 256, np.uint8), time.monotonic(), self.sequence)

    def close(self) -> None:
        if self.misdeed == "clamp":
            time.sleep(3600)


@dataclass(frozen=True)
class OpenScripted:
    """Opens a camera; once the marker file is there, only well-behaved ones."""

    misdeed: str = ""
    after: int = 3
    marker: Path | None = None
    size: tuple[int, int] = PICTURE

    def __call__(self) -> ScriptedCamera:
        if self.misdeed == "missing":
            raise CameraLost("no camera is connected")
        if self.marker is None or not self.marker.exists():
            if self.marker is not None:
                self.marker.touch()
            return ScriptedCamera(self.misdeed, self.after, self.size)
        return ScriptedCamera("", 0, self.size)


def compute(cpu_s: float) -> None:
    """Keep a core busy."""
    end_s = time.process_time() + cpu_s
    while time.process_time() < end_s:
        pass


def make_reader() -> Reader:
    """A reader that sees an empty table."""
    return lambda frame: Scene(frame.time_s, frame.sequence, (), (), 1.0)


def make_blind_reader() -> Reader:
    """A reader that finds no mat."""

    def read(frame: Frame) -> Scene:
        raise MarkersMissing("markers 0 and 2 are not in the picture")

    return read


def make_broken_reader() -> Reader:
    """A reader with a bug."""

    def read(frame: Frame) -> Scene:
        raise ZeroDivisionError("a bug")

    return read


def main() -> None:
    """A parent to be killed: prints its child's number once the child hangs in the middle of reading."""
    vision = VisionProcess(OpenScripted("hang"), make_reader, largest_picture=PICTURE, hang_s=600)

    def on_scene(scene: Scene) -> None:
        if scene.sequence == 3:
            assert vision.pid is not None
            os.write(1, b"%d\n" % vision.pid)

    vision.start(on_scene, lambda status: None, lambda function: function())
    sys.stdin.read()


if __name__ == "__main__":
    main()
