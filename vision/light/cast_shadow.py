"""Whether part of the table looks otherwise because other light falls on it, or because something lies there.

A shadow, or the sun where one lay, changes the light by one measure all over, in each colour about alike: grain, print
and edges of what lies below stay in place. A hand or a sleeve hides them and has its own. Where the ground is so plain
that neither shows, nothing is told.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.motion import Small

Flags = NDArray[np.bool_]
Floats = NDArray[np.float32]

FLOOR = 3.0
"""Levels that are added before brightness is compared, as noise is no light."""
RIM_BLOCKS = 5
"""So wide (blocks) a brush takes a part's rim off: there a shadow's edge is neither light nor dark."""
LEAST_BLOCKS = 30
"""Of fewer blocks, about seven square centimetres, nothing is told."""
FINE, WIDE = 3, 7
"""What is seen is compared with its mean over so many blocks: grain and print are finer than the first, and a finger
stands out from the second."""
AROUND, KEPT = 15, 0.5
"""In other light, within so many blocks, no more than this share is lost, in squares, of what the ground shows,"""
ARM_BLOCKS, MOST_LOST = 7, 0.2
"""but for spots not nearly as wide as an arm, and less than this share of all. Under simulated hands and sleeves, with
the shadows beside them, three quarters are lost and more; in simulated shadows as a rule none."""
TINTED, TINT, STEP = 0.2, 0.06, 0.1
"""A colour's light changes by up to this share more or less than all of it, the sky being blue; where two by two blocks
stray by more than the second (logarithm), or brightness beside what is around by more than the third, something lies
there. No simulated shadow does so away from its rim."""
LEAST_REST = 200
"""So many blocks beside it tell what of the change is the camera's."""
PAIR = 2


def is_other_light(before: Small, now: Small, part: Flags, rest: Flags) -> bool:
    """Whether a part looks otherwise than before by its light alone. `rest` are blocks where nothing has changed."""
    inside = cv2.erode(part.astype(np.uint8), np.ones((RIM_BLOCKS, RIM_BLOCKS), np.uint8), borderValue=1) > 0
    if np.count_nonzero(inside) < LEAST_BLOCKS:
        return False
    left, top, width, height = cv2.boundingRect(part.astype(np.uint8))
    where = slice(top, top + height), slice(left, left + width)
    ground, changed = _logs(before), _logs(now)
    changed = changed - ground
    if np.count_nonzero(rest) >= LEAST_REST:
        changed -= np.median(np.ascontiguousarray(changed[rest].T), axis=1)
    ground, changed, inside = ground[where].mean(-1), changed[where], inside[where]
    light = changed.mean(-1)
    tint = changed - light[..., None]
    shares = (tint[inside] * light[inside, None]).sum(0) / max(float(np.square(light[inside]).sum()), 1e-6)
    tinted = np.abs(tint - np.clip(shares, -TINTED, TINTED) * light[..., None]).max(-1)
    stands_out = np.abs(_fine(light, inside, WIDE)) > STEP
    if _some(inside & (tinted > TINT), PAIR) or _some(inside & stands_out, PAIR):
        return False
    changes, shows = (_mean(np.square(_fine(one, inside, FINE)), inside, AROUND) for one in (light, ground))
    lost = inside & (changes > KEPT * shows)
    return bool(lost.sum() < MOST_LOST * inside.sum()) and not _some(lost, ARM_BLOCKS)


def _logs(small: Small) -> Floats:
    return np.asarray(np.log(small + np.float32(FLOOR)), np.float32)


def _fine(values: Floats, inside: Flags, blocks: int) -> Floats:
    """What values differ from their mean around; 0 outside."""
    return np.where(inside, values - _mean(values, inside, blocks), np.float32(0.0))


def _mean(values: Floats, inside: Flags, blocks: int) -> Floats:
    """The mean of those inside around each."""
    weight, size = inside.astype(np.float32), (blocks, blocks)
    share = np.maximum(cv2.blur(weight, size), np.float32(1e-3))
    return np.asarray(cv2.blur(values * weight, size) / share, np.float32)


def _some(flags: Flags, blocks: int) -> bool:
    """Whether some are set of which so many lie side by side both ways."""
    return bool(cv2.morphologyEx(flags.astype(np.uint8), cv2.MORPH_OPEN, np.ones((blocks, blocks), np.uint8)).any())
