"""Whether two pictures of one place differ by a camera's noise and by light only.

Noise is told by how much most of the place differs. What differs by much more, over a spot as large as the smallest
thing that matters, is no noise; where so little could be told, or the light is another one, nothing is said.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.motion import Mask
from vision.short_axes import median_of

Grey = NDArray[np.uint8]
Plane = NDArray[np.float32]
Part = tuple[slice, slice]
"""Rows and columns."""

MOST_GAIN, MOST_LIGHT = 1.1, 0.06
"""Light that changed by more than so many times in all, or by such a share of the place's brightness in some part of
it, is another light."""
SPOTS = 5.6
"""By so many standard deviations of noise no spot of an unchanged place differs: some ten thousand are looked at."""
EVERY = 2
"""Every so manyth pixel tells the noise."""
SOFT_PX, LIGHT_PX = 1.0, 25
"""Colours are softened by so many pixels; what differs over squares so wide is light."""
MOST_LEVELS = 12.0
"""What differs by so many levels (of 255) has to stand out of the noise."""


def apart(before: Grey, now: Grey, soft_px: float, light_px: int) -> Plane | None:
    """By how many levels two pictures differ, softened, what differs all over squares of `light_px` (odd) left aside as
    light; None where that is another light."""
    then, seen = (one.astype(np.float32) for one in (before, now))
    gain = median_of(then[::4, ::4]) / max(median_of(seen[::4, ::4]), 1.0)
    if not 1.0 / MOST_GAIN < gain < MOST_GAIN:
        return None
    off = seen * np.float32(gain) - then
    light = cv2.blur(off, (light_px, light_px))
    if float(np.abs(light).max()) > MOST_LIGHT * bright_of(before):
        return None
    return np.asarray(cv2.GaussianBlur(off - light, (0, 0), soft_px), np.float32)


def spread_of(values: Plane) -> float:
    """The standard deviation of most of them."""
    return median_of(np.abs(values - median_of(values))) * 1.4826 + 1e-3


def bright_of(grey: Grey) -> float:
    """How bright the brighter parts of a place are."""
    return float(np.percentile(grey[::4, ::4], 75))


def only_noise(before: Image, now: Image, inside: Mask) -> bool:
    """Whether two pictures of a place show the same where the mask is set, in each colour."""
    there = inside > 0
    few = there[::EVERY, ::EVERY]
    if not few.any():
        return False
    for then, seen in zip(cv2.split(before), cv2.split(now), strict=True):
        off = apart(np.asarray(then, np.uint8), np.asarray(seen, np.uint8), SOFT_PX, LIGHT_PX)
        if off is None:
            return False
        most = SPOTS * spread_of(off[::EVERY, ::EVERY][few])
        if most > MOST_LEVELS or float(np.abs(off[there]).max()) > most:
            return False
    return True


class Shown:
    """How some blocks of a picture looked."""

    def __init__(self, image: Image, blocks: Mask) -> None:
        """`blocks` (255 where they are) are as in the small picture of `vision.motion`."""
        self.blocks = blocks.copy()
        self._size = np.array(image.shape[1::-1]) / blocks.shape[::-1]
        self._parts = [(part, image[self._pixels(part)].copy()) for part in _parts_of(blocks)]

    def alike(self, image: Image, blocks: Mask) -> bool:
        """Whether these of the blocks show the same in another picture."""
        if (blocks & ~self.blocks).any():
            return False
        for part, before in self._parts:
            if blocks[part].any():
                size = before.shape[1::-1]
                inside = cv2.resize(blocks[part], size, interpolation=cv2.INTER_NEAREST)
                if not only_noise(before, image[self._pixels(part)], np.asarray(inside, np.uint8)):
                    return False
        return True

    def _pixels(self, part: Part) -> Part:
        """The picture's rows and columns of some blocks."""
        ends = (
            (round(of.start * scale), round(of.stop * scale)) for of, scale in zip(part, self._size[::-1], strict=True)
        )
        rows, columns = (slice(*each) for each in ends)
        return rows, columns


def _parts_of(blocks: Mask) -> Sequence[Part]:
    """The rectangles in which the parts of a mask lie."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(blocks, connectivity=8)
    return [(slice(y, y + high), slice(x, x + wide)) for x, y, wide, high in stats[1:count, :4].tolist()]
