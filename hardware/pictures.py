"""The newest pictures of a camera in shared memory: one process writes, another copies out what it needs."""

from dataclasses import dataclass
from multiprocessing.shared_memory import SharedMemory
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame, Image

SLOTS = 4
"""How many pictures are kept; the oldest is overwritten."""

_BEING_WRITTEN = -1


class PictureTooLarge(ValueError):
    """The picture is larger than the memory was made for."""


@dataclass(frozen=True, slots=True)
class StoredPicture:
    """Where a picture lies, to be told to the other process."""

    slot: int
    sequence: int
    time_s: float
    shape: tuple[int, int, int]


class PictureRing:
    """A ring of pictures in shared memory. Closing twice is fine; whoever made it also removes it."""

    def __init__(self, largest_bytes: int, *, name: str | None = None) -> None:
        """Make the memory, or attach to the one that is called `name`. Pictures up to `largest_bytes` fit."""
        self.largest_bytes = largest_bytes
        self._owner = name is None
        self._memory = SharedMemory(name, create=self._owner, size=8 * SLOTS + SLOTS * largest_bytes)
        self._closed = False
        self._next = 0

    @property
    def name(self) -> str:
        """What the other process attaches to."""
        return self._memory.name

    def write(self, frame: Frame) -> StoredPicture:
        """Store a picture over the oldest one. Raises PictureTooLarge."""
        height, width, channels = frame.image.shape
        if frame.image.nbytes > self.largest_bytes:
            raise PictureTooLarge(
                f"a picture of {width} x {height} came, expected at most {self.largest_bytes // 3} pixels; "
                "set camera.width and camera.height to what the camera gives"
            )
        slot, self._next = self._next, (self._next + 1) % SLOTS
        stored = StoredPicture(slot, frame.sequence, frame.time_s, (height, width, channels))
        sequences = self._sequences()
        sequences[slot] = _BEING_WRITTEN
        self._pixels(stored)[...] = frame.image
        sequences[slot] = frame.sequence
        return stored

    def read(self, stored: StoredPicture) -> Frame | None:
        """A copy of a stored picture; None when it has been overwritten meanwhile."""
        if self._closed:
            return None
        image = self._pixels(stored).copy()
        if int(self._sequences()[stored.slot]) != stored.sequence:
            return None
        return Frame(image, stored.time_s, stored.sequence)

    def close(self) -> None:
        """Let go of the memory."""
        if not self._closed:
            self._closed = True
            self._memory.close()
            if self._owner:
                self._memory.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _sequences(self) -> NDArray[np.int64]:
        return np.ndarray((SLOTS,), np.int64, self._memory.buf)

    def _pixels(self, stored: StoredPicture) -> Image:
        return np.ndarray(stored.shape, np.uint8, self._memory.buf, 8 * SLOTS + stored.slot * self.largest_bytes)
