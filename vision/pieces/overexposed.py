"""Whether a place of the table shows what it showed, where so much light falls on it that most of it is cut off.

A lamp is switched on, and for a second or two, until the exposure has followed, or for good where the camera's does not
follow, white paper and whatever is pale are as bright as a picture can show. The dark parts of a print are left, and
how they would look in so much light follows from how the place looked before.
"""

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from vision.motion import SATURATED, Mask, Small
from vision.pieces.same_print import LEAST_BLOCKS, correlation, means_around

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

MOSTLY, NEARLY_ALL = 0.3, 0.9
"""Where less than the first share of what is seen (blocks and colours) is cut off its print tells what lies there; from
the second on next to nothing is left of it."""
SAME, MAYBE, LEFT_OVER = 0.8, 0.5, 0.3
"""From these correlations on the dark parts are the same, or may be, or, where next to nothing is left, what is left
belongs to what lay there. On 52 simulated tables of cards and tiles on which a lamp was switched on, of 534 pieces that
lay there still 452 correlated by more than the first with how they had looked; 9 that lay in another's place by 0.68 at
most, and what was seen where 20 had been taken away by 0.15."""
LEAST_DARK = 6.0
"""Of what would be darker than the light by less (standard deviation, levels), nothing would be seen."""
UNDISTURBED = 10.0
"""Levels by which means of nine blocks differ at most from how they looked in the same light while nobody touched them:
other cards in the same place differ by 10 at least, in a hundredth of 8535 pairs by less than 17."""
TELLING = 6
"""So many blocks must not be cut off in a colour to tell how much brighter it is;"""
WHITE = np.float32(255.0)
PALE = 10.0
"""else it is so much brighter that all but this percentage of blocks are cut off."""


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
    where = inside > 0
    share = float((now[where] >= SATURATED).mean())
    if share < MOSTLY:
        return None
    wanted, dark = (WHITE - np.minimum(seen, WHITE) for seen in (_in_such_light(before, now, where), now))
    fine, left = (np.asarray(one - means_around(one, inside), np.float32)[where] for one in (wanted, dark))
    alike = min(_colours_alike(wanted[where], dark[where]), _colours_alike(fine, left))
    pale = float(wanted[where].std(0).mean()) < LEAST_DARK
    if alike > SAME and not pale:
        return Overexposed.SAME
    nothing = share >= NEARLY_ALL and (alike > LEFT_OVER or pale)
    return Overexposed.UNSEEN if nothing or alike > MAYBE else Overexposed.OTHER


def undisturbed(lately: Small, now: Small, inside: Mask) -> bool:
    """Whether a place of which most is cut off looks inside a mask as it did lately."""
    where = inside > 0
    wanted, seen = (np.minimum(one, WHITE) for one in (_in_such_light(lately, now, where), now))
    apart = means_around(np.asarray(wanted - seen, np.float32), inside)[where]
    return float(np.abs(apart).max(initial=0.0)) < UNDISTURBED


def _in_such_light(before: Small, now: Small, where: Flags) -> Small:
    """How a place would look in the light of now, each colour brighter by the same factor."""
    factors = [
        np.median(seen[told] / np.maximum(formerly[told], np.float32(1.0)))
        if np.count_nonzero(told := seen < SATURATED) >= TELLING
        else WHITE / max(float(np.percentile(formerly, PALE)), 1.0)
        for formerly, seen in zip(before[where].T, now[where].T, strict=True)
    ]
    return np.asarray(before * np.array(factors, np.float32), np.float32)


def _colours_alike(one: Floats, other: Floats) -> float:
    """How two pictures' blocks (n x 3 each) correlate, each colour beside its mean."""
    return correlation(one - one.mean(0), other - other.mean(0))
