"""Masks (255 where they are set, else 0), worked on only where they are set."""

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]
Part = tuple[slice, slice]
"""Rows and columns."""


def part_around(mask: Mask, more: int) -> Part:
    """The rows and columns in which a mask is set, and so many more on all sides."""
    left, top, width, height = cv2.boundingRect(mask)
    rows, columns = (slice(max(at - more, 0), at + size + more) for at, size in ((top, height), (left, width)))
    return rows, columns


def widened(mask: Mask, by: Mask) -> Mask:
    """A mask dilated by a kernel; nothing is worked out far from where it is set."""
    part, wide = part_around(mask, max(by.shape)), np.zeros_like(mask)
    if mask[part].any():
        wide[part] = cv2.dilate(mask[part], by)
    return wide
