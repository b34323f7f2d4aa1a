"""What changed between pictures: compared very small, so that noise averages out and looking costs next to nothing."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.short_axes import median_of, total

Small = NDArray[np.float32]
Mask = NDArray[np.uint8]
Blocks = NDArray[np.bool_]

WIDTH = 240
"""Columns of a small picture: about 5 mm of table each."""
TALLEST = 4 * WIDTH
"""Rows of a small picture, at most: a strip of one column would else take gigabytes."""
LEAST_DIFFERENCE = 3.5
"""Levels (of 255) by which a block must differ, however quiet the camera."""
NOISES = 7.0
LEAST_STEP = 0.25 * NOISES
"""In such steps it is told by how much they must: blocks are means of four pixels or so, and those are whole levels."""
OTHER_LIGHT = 2.0
"""Where half of the blocks differ by more levels than this though their exposure is the same, other light falls: a
window before the lens, a lamp of another colour."""
EXPLAINED = 0.5
"""If that leaves less than this share of what they differ by: else it is no light, and little is known."""
LIGHT_ROUNDS, GAINS = 8, (0.2, 5.0)
LEAST_NOISY = 0.05
"""So large a share of blocks has to tell how much noise there is."""
_BESIDE = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], np.uint8)
SATURATED = 238.0
"""Levels above this may be cut off, and do not grow with the light."""


def shrink(image: Image, size: tuple[int, int] | None = None) -> Small:
    """A picture in blocks, each about the mean of its pixels: rows x 240 x 3, 1 to TALLEST rows. A part of one in as
    many columns and rows as `size` says."""
    width, height = size or (WIDTH, min(max(1, round(image.shape[0] * WIDTH / image.shape[1])), TALLEST))
    rows, columns = image.shape[:2]
    # Halving is what OpenCV does fastest, and blocks are not rounded: that would be most of a quiet camera's noise.
    while rows >= 4 * height and columns >= 4 * width and not (rows | columns) & 1:
        rows, columns = rows // 2, columns // 2
        image = np.asarray(cv2.resize(image, (columns, rows), interpolation=cv2.INTER_AREA), np.uint8)
    if columns < 8 * width:  # else it could not be halved, and would take gigabytes
        image = image.astype(np.float32)
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.float32)


def differences(first: Small, second: Small) -> Small:
    """By how many levels (of 255) blocks differ, exposure set aside: rows x 240. Where that alone leaves most of them
    different, the light has changed otherwise, too, and what it adds to each colour or takes from it is set aside."""
    some, others = first[::4, ::4], second[::4, ::4]
    gain = median_of(total(some) / np.maximum(total(others), np.float32(3.0)))
    light = [gain] * 3, [0.0] * 3
    left = middle_of(_apart(some, others, *light))
    if left > OTHER_LIGHT:
        other = _other_light(some[::2, ::2].reshape(-1, 3), others[::2, ::2].reshape(-1, 3))
        light = other if middle_of(_apart(some, others, *other)) < EXPLAINED * left else light
    return _apart(first, second, *light)


def middle_of(apart: Small) -> float:
    """By how many levels half of the blocks differ."""
    return median_of(apart)


def usual_noise(apart: Small, quieter: Blocks | None = None) -> float:
    """By how many levels half of every other row's and column's blocks differ, but for those that are `quieter` than
    the camera is, unless nearly all of them are."""
    some = apart[::2, ::2]
    if quieter is not None and np.count_nonzero(noisy := ~quieter[::2, ::2]) >= LEAST_NOISY * some.size:
        some = some[noisy]
    return middle_of(some)


def _apart(first: Small, second: Small, gains: Sequence[float], offsets: Sequence[float]) -> Small:
    """By how much blocks differ, the second in other light: each colour times a gain, and so much more."""
    if not any(offsets) and len(set(gains)) == 1:
        top, seen = np.float32(min(SATURATED, SATURATED * gains[0])), second * np.float32(gains[0])
        off = cv2.absdiff(np.minimum(first, top), np.minimum(seen, top, out=seen))
        return np.maximum(np.maximum(off[..., 0], off[..., 1]), off[..., 2])
    apart = np.zeros(first.shape[:2], np.float32)
    for before, now, gain, offset in zip(cv2.split(first), cv2.split(second), gains, offsets, strict=True):
        top = np.float32(min(SATURATED, SATURATED * gain + offset))
        seen = now * np.float32(gain)
        if offset:
            seen += np.float32(offset)
        np.maximum(apart, cv2.absdiff(np.minimum(before, top), np.minimum(seen, top, out=seen)), out=apart)
    return apart


def _other_light(first: Small, second: Small) -> tuple[list[float], list[float]]:
    """Each colour's gain and offset that leave most blocks (n x 3) least different: what lies on some of them in one
    picture only counts for little. (Least absolute deviations, by weights; Schlossmacher, 1973)"""
    open_ones = ((first < SATURATED) & (second < SATURATED)).astype(np.float32)
    weights, gains, offsets = open_ones, np.ones(3, np.float32), np.zeros(3, np.float32)
    for _ in range(LIGHT_ROUNDS):
        total = np.maximum(weights.sum(0), 1e-6)
        middle, middle_then = (weights * second).sum(0) / total, (weights * first).sum(0) / total
        away = second - middle
        weighted = weights * away
        gains = np.clip((weighted * (first - middle_then)).sum(0) / np.maximum((weighted * away).sum(0), 1e-6), *GAINS)
        offsets = middle_then - gains * middle
        weights = open_ones / np.maximum(np.abs(gains * second + offsets - first), 1.0)
    return gains.tolist(), offsets.tolist()


def beyond_noise(
    difference: Small, tolerance: Small | float = 0.0, known: float = OTHER_LIGHT, middle: float | None = None
) -> Mask:
    """255 in blocks that differ by more than noise does (see `least_noticed`), and than each block's own tolerance."""
    least = np.maximum(tolerance, np.float32(least_noticed(difference, known, middle)))
    return _without_specks((difference > least).astype(np.uint8) * np.uint8(255))


def least_noticed(difference: Small, known: float = OTHER_LIGHT, middle: float | None = None) -> float:
    """By how many levels a block must differ to be told from noise. Where more than half of them differ by more than
    noise is `known` to make them differ, other light falls there, stripes over all of the table: that is no noise.
    `middle` is by how much half of them differ, where that is known already."""
    noise = min(usual_noise(difference) if middle is None else middle, known)
    return max(LEAST_DIFFERENCE, NOISES * noise)


def differs(first: Small, second: Small, tolerance: Small | float = 0.0, known: float = OTHER_LIGHT) -> Mask:
    """255 in blocks that differ by more than noise (see `beyond_noise`), exposure and flicker do."""
    return beyond_noise(differences(first, second), tolerance, known)


def _without_specks(mask: Mask) -> Mask:
    """Without blocks that have no other beside them."""
    return np.asarray(cv2.bitwise_and(mask, cv2.dilate(mask, _BESIDE)), np.uint8) if mask.any() else mask
