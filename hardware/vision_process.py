"""Camera and reading in a child process, which is watched, ended when it hangs, and started again.

    camera ─▶ reader ─▶ pipe: scenes and troubles ─▶ watcher thread ─▶ the caller's event loop
        └─────────────▶ shared memory: the last pictures ─▶ whoever asks for one

Nothing queues up: the camera skips what nobody reads, and of the scenes that wait for the event loop only the newest
stays. `VisionCounts` says how many were left out. The kernel ends the child when its parent dies, however it dies.
"""

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

import cv2

from config.os_errors import in_words
from hardware.camera import Camera, CameraError
from hardware.exposure import ExposureKeeper
from hardware.interrupts import not_for_children
from hardware.pictures import PictureRing, PictureTooLarge, StoredPicture
from hardware.progress import Patience
from vision.frame import Frame
from vision.mat.errors import VisionError
from vision.scene import Scene
from vision.threads import use_one_core

OpenCamera = Callable[[], Camera]
"""Opens the camera; raises CameraError. Sent to the child, hence picklable."""
Reader = Callable[[Frame], Scene]
"""Reads one picture after another; raises VisionError where it cannot."""
MakeReader = Callable[[], Reader]
"""Makes a reader in the child; picklable. Raises VisionError or OSError when it lacks something."""

FIRST_BACKOFF_S = 0.5
LONGEST_BACKOFF_S = 10.0
GRACE_S = 1.0
"""How long a child may take to let go of its camera before it is killed."""
JPEG_QUALITY = 85

_PR_SET_PDEATHSIG = 1
"""prctl(2): the signal to get when the parent dies."""


class VisionState(Enum):
    """How camera and reading are doing."""

    STARTING = "starting"
    OK = "ok"
    UNREADABLE = "unreadable"
    """Pictures come, but the table cannot be found in them."""
    SLOW = "slow"
    """One picture is being read for long, as the machine is busy or slow."""
    LOST = "lost"
    """No pictures: the camera is gone or the process ended. It is started again."""
    HUNG = "hung"
    """No sign of life: the process was killed. It is started again."""
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class VisionStatus:
    """How camera and reading are doing, and why."""

    state: VisionState
    text: str
    """What it is, or what is wrong, for people."""


@dataclass(frozen=True, slots=True)
class VisionCounts:
    """What came and what was left out since the start."""

    scenes: int = 0
    dropped: int = 0
    """Scenes that a newer one replaced before the event loop took them."""
    skipped: int = 0
    """Pictures that the camera took while an earlier one was read."""
    restarts: int = 0


@dataclass(frozen=True, slots=True)
class _Opened:
    description: str


@dataclass(frozen=True, slots=True)
class _Read:
    scene: Scene
    picture: StoredPicture


@dataclass(frozen=True, slots=True)
class _Unreadable:
    problem: str
    picture: StoredPicture


@dataclass(frozen=True, slots=True)
class _Ended:
    """The child's last words."""

    problem: str


_Message = _Opened | _Read | _Unreadable | _Ended


class VisionProcess:
    """The child process and the thread that watches it. Closing twice is fine."""

    def __init__(
        self,
        open_camera: OpenCamera,
        make_reader: MakeReader,
        *,
        largest_picture: tuple[int, int],
        hang_s: float,
        start_s: float = 60.0,
        follow_light: bool = True,
    ) -> None:
        """Prepare; `start` starts.

        `largest_picture` is width and height. A child that gives no sign of life for `hang_s` is killed, unless it
        gets on with reading, slowly (`hardware.progress`); until its first picture is read it has `start_s`.
        `follow_light`: whether the camera's exposure and white balance follow the light of the room, where the camera
        can be adjusted (`hardware.exposure`).
        """
        width, height = largest_picture
        self._child = _Child(open_camera, make_reader, hang_s, width * height * 3, follow_light)
        self._hang_s = hang_s
        self._start_s = start_s
        self._lock = threading.Lock()
        self._status = VisionStatus(VisionState.STARTING, "camera and reading are starting")
        self._counts = VisionCounts()
        self._pictures: dict[int, StoredPicture] = {}
        self._waiting: Scene | None = None
        self._wake_reader, self._wake_writer = multiprocessing.Pipe(duplex=False)
        self._ring = PictureRing(self._child.picture_bytes)
        self._thread: threading.Thread | None = None
        self._pid: int | None = None

    @property
    def status(self) -> VisionStatus:
        """How camera and reading are doing now."""
        return self._status

    @property
    def counts(self) -> VisionCounts:
        """What came and what was left out since the start."""
        return self._counts

    @property
    def pid(self) -> int | None:
        """The child's process id; None while there is none."""
        return self._pid

    def start(
        self,
        on_scene: Callable[[Scene], None],
        on_status: Callable[[VisionStatus], None],
        call_soon: Callable[[Callable[[], None]], object],
    ) -> None:
        """Start the child and watch it.

        `call_soon` runs a function in the caller's event loop and can be called from any thread
        (`loop.call_soon_threadsafe`); the other two are called through it.
        """
        self._thread = threading.Thread(
            target=self._watch, args=(on_scene, on_status, call_soon), name="vision", daemon=True
        )
        self._thread.start()

    def picture(self, sequence: int | None = None) -> Frame | None:
        """A copy of the newest picture, or of the one with this sequence number.

        None while there is none, or when it has been overwritten: the last few are kept.
        """
        with self._lock:
            kept = sorted(self._pictures.values(), key=lambda picture: picture.time_s, reverse=True)
            for stored in kept:
                if (sequence is None or stored.sequence == sequence) and (frame := self._ring.read(stored)):
                    return frame
        return None

    def jpeg(self, sequence: int | None = None) -> bytes | None:
        """`picture` as a JPEG. Takes some milliseconds, in the calling thread."""
        frame = self.picture(sequence)
        if frame is None:
            return None
        _, encoded = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        return encoded.tobytes()

    def close(self) -> None:
        """End the child, at the latest by killing it, and let go of everything."""
        if self._wake_writer.closed:
            return
        self._wake_writer.close()
        if self._thread is not None:
            self._thread.join(3 * GRACE_S)
            if self._thread.is_alive() and self._pid is not None:
                # The child was stopped in the middle of a message, which the watcher waits for.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._pid, signal.SIGKILL)
                self._thread.join()
        self._wake_reader.close()
        with self._lock:
            self._pictures.clear()
            self._ring.close()
        self._status = VisionStatus(VisionState.CLOSED, "closed")

    def _watch(
        self,
        on_scene: Callable[[Scene], None],
        on_status: Callable[[VisionStatus], None],
        call_soon: Callable[[Callable[[], None]], object],
    ) -> None:
        """The watcher thread: one child after another until closed."""

        def deliver() -> None:
            with self._lock:
                scene, self._waiting = self._waiting, None
            if scene is not None:
                on_scene(scene)

        def tell(status: VisionStatus) -> None:
            if status != self._status:
                self._status = status
                call_soon(lambda: on_status(status))

        backoff_s = FIRST_BACKOFF_S
        description = ""
        while True:
            for message in self._messages():
                match message:
                    case _Opened():
                        description = message.description
                    case _Read():
                        backoff_s = FIRST_BACKOFF_S
                        tell(VisionStatus(VisionState.OK, description))
                        if self._take(message):
                            call_soon(deliver)
                    case _Unreadable():
                        backoff_s = FIRST_BACKOFF_S
                        self._keep(message.picture)
                        tell(VisionStatus(VisionState.UNREADABLE, message.problem))
                    case VisionStatus():
                        tell(message)
            if wait([self._wake_reader], backoff_s):
                return
            backoff_s = min(2 * backoff_s, LONGEST_BACKOFF_S)
            self._counts = replace(self._counts, restarts=self._counts.restarts + 1)

    def _messages(self) -> Iterator[_Message | VisionStatus]:
        """One child's messages, then the status that its end means, if it was not ended by `close`."""
        with self._lock:
            self._pictures.clear()
        try:
            process, pipe = self._child.start(self._ring.name)
        except OSError as error:
            yield VisionStatus(
                VisionState.LOST, f"cannot start the process of camera and reading: {error}; trying again"
            )
            return
        self._pid = process.pid
        try:
            patience = Patience(self._pid, self._start_s)
            problem = ""
            while True:
                ready = wait([self._wake_reader, pipe], patience.patience_s)
                if self._wake_reader in ready:
                    return
                if not ready:
                    if not patience.ends():
                        text = f"nothing was read for {patience.waited_s:g} s: this machine is busy, or too slow for it"
                        yield VisionStatus(VisionState.SLOW, text)
                        continue
                    text = f"no sign of life from camera and reading for {patience.waited_s:g} s; starting again"
                    process.kill()
                    yield VisionStatus(VisionState.HUNG, text)
                    return
                try:
                    message: _Message = pipe.recv()
                except (EOFError, OSError):  # the latter where it ended in the middle of a message
                    process.join(GRACE_S)
                    ended = problem or f"the process of camera and reading ended (exit code {process.exitcode})"
                    yield VisionStatus(VisionState.LOST, f"{ended}; starting again")
                    return
                except Exception as error:
                    # Whatever unpickling of spoilt bytes raises: else nobody would watch any more.
                    spoilt = f"says what is no message: {type(error).__name__}: {error}; starting again"
                    yield VisionStatus(VisionState.LOST, f"the process of camera and reading {spoilt}")
                    return
                if isinstance(message, _Ended):
                    problem = message.problem
                else:
                    yield message
                read = isinstance(message, _Read | _Unreadable)
                patience.heard(self._hang_s if read else patience.patience_s)
        finally:
            _end(process)
            pipe.close()
            self._pid = None

    def _take(self, message: _Read) -> bool:
        """Keep a scene for the event loop; whether the loop has to be called for it."""
        last = max((picture.sequence for picture in self._pictures.values()), default=message.picture.sequence - 1)
        self._keep(message.picture)
        with self._lock:
            replaced = self._waiting is not None
            self._waiting = message.scene
        self._counts = replace(
            self._counts,
            scenes=self._counts.scenes + 1,
            dropped=self._counts.dropped + replaced,
            skipped=self._counts.skipped + max(message.picture.sequence - last - 1, 0),
        )
        return not replaced

    def _keep(self, picture: StoredPicture) -> None:
        with self._lock:
            self._pictures[picture.slot] = picture


@dataclass(frozen=True, slots=True)
class _Child:
    """What is sent to the child, and what it does."""

    open_camera: OpenCamera
    make_reader: MakeReader
    hang_s: float
    picture_bytes: int
    follow_light: bool

    def start(self, ring_name: str) -> tuple[SpawnProcess, Connection]:
        """Start a process; also gives the end of the pipe that its messages come from."""
        # Spawned, not forked: threads and locks of the parent do not come along.
        context = multiprocessing.get_context("spawn")
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(
            target=self.run, args=(ring_name, sender, os.getpid()), name="pizzatable-vision", daemon=True
        )
        with not_for_children():
            process.start()
        sender.close()
        return process, receiver

    def run(self, ring_name: str, sender: Connection, parent: int) -> None:
        """The child's life: until the camera or the parent fails."""
        _die_with(parent)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        use_one_core()
        with PictureRing(self.picture_bytes, name=ring_name) as ring, contextlib.suppress(BrokenPipeError):
            try:
                self._read_on(ring, sender)
            except (CameraError, VisionError, PictureTooLarge, OSError) as error:
                sender.send(_Ended(in_words(error) or type(error).__name__))
            except Exception as error:
                sender.send(_Ended(f"{type(error).__name__}: {error}"))
                raise

    def _read_on(self, ring: PictureRing, sender: Connection) -> None:
        reader = self.make_reader()
        with contextlib.closing(self.open_camera()) as camera:
            sender.send(_Opened(camera.description))
            keeper = ExposureKeeper(camera, reader, follow_light=self.follow_light)
            while True:
                frame = camera.read(self.hang_s / 2)
                picture = ring.write(frame)
                try:
                    scene = reader(frame)
                except VisionError as error:
                    sender.send(_Unreadable(str(error), picture))
                    keeper.unreadable(frame.image, frame.time_s)
                else:
                    sender.send(_Read(scene, picture))
                    keeper.after(scene)


def _die_with(parent: int) -> None:
    """Let the kernel kill this process when its parent is gone, also when this one hangs."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:
        sys.exit(1)


def _end(process: SpawnProcess) -> None:
    process.terminate()
    process.join(GRACE_S)
    process.kill()
    process.join()
    process.close()
