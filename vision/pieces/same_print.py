"""Whether a place of the table still shows what it showed, in whatever light.

Stripes and edges of light add their own steps to what is printed on a piece. Yet what is printed stays in place: fine
contrasts of brightness, and colours beside each other, whatever light falls on them. Both are compared in blocks of
about five millimetres. On simulated tables under blinds pieces that still lay where they had lain correlated by 0.92
in the first and by 0.99 in the second, and more; where one had been taken away, or another laid on it, by no more than
0.72 and 0.92.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.motion import Mask, Small
from vision.pieces.reading import CLEAR_COST, Reading

Floats = NDArray[np.float32]

FLOOR = 3.0
"""Levels that are added before brightness is compared, as noise is no light."""
FINE_BLOCKS = 3
"""What is seen is compared with its mean over so many blocks."""
OTHER_LIGHT = 0.05
"""Light that changed by less (mean logarithm) is the same: a camera's noise is less in blocks."""
LEAST_BLOCKS = 40
"""Of fewer blocks, about ten square centimetres, nothing is told."""
LEAST_CONTRAST = 0.04
"""Nor of what shows less contrast, or colour (standard deviations of logarithms): most of that is noise."""
SAME_FINE, SAME_COLOURS = 0.85, 0.96
"""From these correlations on it is the same."""
OTHER_FINE, OTHER_COLOURS = 0.75, 0.75
"""Up to these it is another: ten that were laid or turned over in two games correlated by 0.73 and 0.64 at most."""
SAME_MM, SAME_DEG = 2.0, 2.0
"""A piece that lies no farther than this from where another lay, turned no farther, lies as no hand lays it there."""


def in_place_of(found: Reading, before: Sequence[Reading], is_otherwise_lit: Callable[[Reading], bool]) -> Reading:
    """What was found; where a piece with another face lay in the very same place `before` other light fell there, and
    what is found fits badly, that one may lie there still. It stays in doubt until it fits."""
    old = next((one for one in before if _lies_as(one, found)), None)
    if old is None or found.cost < CLEAR_COST:
        return found
    formerly = old.formerly
    if old.face != found.face and old.face != formerly and old.settled:
        formerly = old.face if is_otherwise_lit(found) else None
    return replace(found, formerly=None if formerly == found.face else formerly)


def _lies_as(one: Reading, other: Reading) -> bool:
    """Whether both are of a kind and lie in the same way."""
    apart = one.pose - other.pose
    turned = abs((apart[2] + 180.0) % 360.0 - 180.0)
    return one.kind is other.kind and bool(np.hypot(*apart[:2]) < SAME_MM and turned < SAME_DEG)


def shows_the_same(before: Small, now: Small, inside: Mask) -> bool:
    """Whether two pictures of a place (rows x columns x 3) show the same inside a mask, each in its own light."""
    if np.count_nonzero(inside) < LEAST_BLOCKS:
        return False
    first, second = _looks(before, inside), _looks(now, inside)
    return all(
        one.std() > LEAST_CONTRAST and correlation(one, other) > least
        for one, other, least in zip(first, second, (SAME_FINE, SAME_COLOURS), strict=True)
    )


def may_show_the_same(before: Small, now: Small, inside: Mask) -> bool:
    """Whether they may show the same: all but where what is seen plainly differs."""
    if np.count_nonzero(inside) < LEAST_BLOCKS:
        return True
    first, second = _looks(before, inside), _looks(now, inside)
    return all(
        one.std() <= LEAST_CONTRAST or correlation(one, other) > least
        for one, other, least in zip(first, second, (OTHER_FINE, OTHER_COLOURS), strict=True)
    )


def is_otherwise_lit(before: Small, now: Small, inside: Mask) -> bool:
    """Whether more or less light falls inside a mask than before, if the same lies there."""
    change = np.abs(np.log(now + np.float32(FLOOR)) - np.log(before + np.float32(FLOOR))).mean(-1)
    return bool(change[inside > 0].mean() > OTHER_LIGHT)


def means_around(values: Floats, inside: Mask) -> Floats:
    """The mean of what is around each block (rows x columns, or x colours as well) inside a mask."""
    weight, size = (inside > 0).astype(np.float32), (FINE_BLOCKS, FINE_BLOCKS)
    within = np.maximum(cv2.blur(weight, size), np.float32(1e-3))
    if values.ndim > 2:
        weight, within = weight[..., None], within[..., None]
    return np.asarray(cv2.blur(values * weight, size) / within, np.float32)


def correlation(one: Floats, other: Floats) -> float:
    """How alike values are of which the means are nought."""
    return float((one * other).sum() / np.sqrt(max(float(np.square(one).sum() * np.square(other).sum()), 1e-9)))


def _looks(small: Small, inside: Mask) -> tuple[Floats, Floats]:
    """Fine contrasts of brightness, and colours beside those of the middle of all (logarithms)."""
    logs = np.log(small + np.float32(FLOOR))
    grey = logs.mean(-1)
    colours = (logs[..., [0, 2]] - logs[..., 1:2])[inside > 0]
    fine = (grey - means_around(grey, inside))[inside > 0]
    return np.asarray(fine, np.float32), (colours - np.median(colours, axis=0)).ravel()
