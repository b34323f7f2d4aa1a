"""Whether a place of the table shows what it showed, where so much light falls on it that most of it is cut off.

A lamp is switched on, and for a second or two, until the exposure has followed, or for good where the camera's does not
follow, white paper and whatever is pale are as bright as a picture can show. The dark parts of a print are left, and
how they would look in so much light follows from how the place looked before.
"""

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from vision.motion import SATURATED, Mask, Small
from vision.pieces.same_print import LEAST_BLOCKS

Floats = NDArray[np.float32]

MOSTLY, NEARLY_ALL = 0.3, 0.9
"""Where less than the first share of what is seen (blocks and colours) is cut off its print tells what lies there; from
the second on next to nothing is left of it."""
SAME = 0.85
"""From this correlation on the dark parts are the same. Where a lamp was switched on over a simulated table, five cards
that were cut off in two thirds of their blocks correlated by 0.875 and more with how they had looked, and with how the
others had looked by 0.73 at most."""
MAYBE = 0.75
"""From this on they may be: light that a lamp's reflection adds veils them."""
LEFT_OVER = 0.3
"""Where next to nothing is left they correlate so much if it belongs to what lay there: the triangles in a card's
corners, faintly."""
LEAST_DARK = 6.0
"""Of what would be darker than the light by less (standard deviation, levels), nothing would be seen."""
TELLING = 6
"""So many blocks must not be cut off in a colour to tell how much brighter it is."""
WHITE = np.float32(255.0)
PALE = 10.0
"""Else it is so much brighter that all but this percentage of blocks are cut off."""


class Overexposed(Enum):
    """What is said of a place that is mostly cut off."""

    SAME = "it shows what it showed"
    UNSEEN = "too little is seen to tell"
    OTHER = "it shows something else"


def overexposed(before: Small, now: Small, inside: Mask) -> Overexposed | None:
    """What two pictures of a place (rows x columns x 3) tell of it inside a mask, the second in more light; None where
    not enough of that is cut off."""
    if np.count_nonzero(inside) < LEAST_BLOCKS:
        return None
    formerly, seen = before[inside > 0], now[inside > 0]
    share = float((seen >= SATURATED).mean())
    if share < MOSTLY:
        return None
    wanted, dark = WHITE - _in_such_light(formerly, seen), WHITE - np.minimum(seen, WHITE)
    expected, left = wanted - wanted.mean(), dark - dark.mean()
    alike = float((expected * left).sum() / np.sqrt(max(float((expected**2).sum() * (left**2).sum()), 1e-9)))
    if share < NEARLY_ALL and alike > SAME:
        return Overexposed.SAME
    nothing = share >= NEARLY_ALL and (alike > LEFT_OVER or float(wanted.std()) < LEAST_DARK)
    return Overexposed.UNSEEN if nothing or alike > MAYBE else Overexposed.OTHER


def _in_such_light(before: Floats, now: Floats) -> Floats:
    """How blocks (n x 3) would look in the light of now, each colour brighter by the same factor, and cut off."""
    open_ones = now < SATURATED
    factors = [
        np.median(seen[told] / np.maximum(formerly[told], np.float32(1.0)))
        if np.count_nonzero(told) >= TELLING
        else WHITE / max(float(np.percentile(formerly, PALE)), 1.0)
        for formerly, seen, told in zip(before.T, now.T, open_ones.T, strict=True)
    ]
    return np.minimum(before * np.array(factors, np.float32), WHITE)
