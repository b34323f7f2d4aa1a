"""What changed between pictures: compared very small, so that noise averages out and looking costs next to nothing."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Small = NDArray[np.float32]
Mask = NDArray[np.uint8]

WIDTH = 240
"""Columns of a small picture: about 5 mm of table each."""
TALLEST = 4 * WIDTH
"""Rows of a small picture, at most: a strip of one column would else take gigabytes."""
LEAST_DIFFERENCE = 3.5
"""Levels (of 255) by which a block must differ, however quiet the camera."""
NOISES = 7.0
_BESIDE = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], np.uint8)
SATURATED = 238.0
"""Levels above this may be cut off, and do not grow with the light."""


def shrink(image: Image) -> Small:
    """A picture in blocks, each the mean of its pixels: rows x 240 x 3, 1 to TALLEST rows."""
    height = min(max(1, round(image.shape[0] * WIDTH / image.shape[1])), TALLEST)
    return np.asarray(cv2.resize(image, (WIDTH, height), interpolation=cv2.INTER_AREA), np.float32)


def differences(first: Small, second: Small) -> Small:
    """By how many levels (of 255) blocks differ, exposure set aside: rows x 240."""
    gain = float(np.median(first[::4, ::4].sum(-1) / np.maximum(second[::4, ::4].sum(-1), 3.0)))
    top = np.float32(SATURATED * min(1.0, gain))
    scaled = second * np.float32(gain)
    apart = cv2.absdiff(np.minimum(first, top), np.minimum(scaled, top, out=scaled))
    blue, green, red = cv2.split(apart)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)


def beyond_noise(difference: Small, tolerance: Small | float = 0.0) -> Mask:
    """255 in blocks that differ by more than noise does, and than each block's own tolerance."""
    noise = float(np.median(difference[::2, ::2]))
    least = np.maximum(tolerance, np.float32(max(LEAST_DIFFERENCE, NOISES * noise)))
    return _without_specks((difference > least).astype(np.uint8) * np.uint8(255))


def differs(first: Small, second: Small, tolerance: Small | float = 0.0) -> Mask:
    """255 in blocks that differ by more than noise, exposure and flicker do."""
    return beyond_noise(differences(first, second), tolerance)


def _without_specks(mask: Mask) -> Mask:
    """Without blocks that have no other beside them."""
    return np.asarray(cv2.bitwise_and(mask, cv2.dilate(mask, _BESIDE)), np.uint8) if mask.any() else mask
