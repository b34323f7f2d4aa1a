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
KEPT = 0.3
"""In other light no more than this share is lost, in squares, of what the ground shows. Of sleeves, hands and their
shadows on simulated tables the least lost 0.66 where nothing else told them."""
TINTED, TINT, STEP = 0.2, 0.06, 0.1
"""A colour's light changes by up to this share more or less than all of it, the sky being blue; where two by two blocks
stray by more than the second (logarithm), or brightness beside what is around by more than the third, something lies
there. No simulated shadow does so away from its rim."""
LEAST_REST = 200
"""So many blocks beside it tell what of the change is the camera's."""
_PAIR = np.ones((2, 2), np.uint8)


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
        changed -= np.median(changed[rest], axis=0)
    ground, changed, inside = ground[where].mean(-1), changed[where], inside[where]
    light = changed.mean(-1)
    tint = changed - light[..., None]
    shares = (tint[inside] * light[inside, None]).sum(0) / max(float(np.square(light[inside]).sum()), 1e-6)
    tinted = np.abs(tint - np.clip(shares, -TINTED, TINTED) * light[..., None]).max(-1)
    if _some_pairs(tinted > TINT, inside) or _some_pairs(np.abs(_fine(light, inside, WIDE)) > STEP, inside):
        return False
    lost, shown = (float(np.square(_fine(one, inside, FINE)).sum()) for one in (light, ground))
    return lost < KEPT * shown


def _logs(small: Small) -> Floats:
    return np.log(small + np.float32(FLOOR))


def _fine(values: Floats, inside: Flags, blocks: int) -> Floats:
    """What values differ from their mean around; 0 outside."""
    weight = inside.astype(np.float32)
    size = (blocks, blocks)
    around = cv2.blur(values * weight, size) / np.maximum(cv2.blur(weight, size), np.float32(1e-3))
    return np.asarray((values - around) * weight, np.float32)


def _some_pairs(strange: Flags, inside: Flags) -> bool:
    return bool(cv2.morphologyEx((strange & inside).astype(np.uint8), cv2.MORPH_OPEN, _PAIR).any())
