"""Small pieces of a picture in other colours, in which pips stand out that a lamp's light or a dark face hides.

A polished face mirrors lamps, which lie over it with the lamp's colour, mostly near to white, and much lighter than all
else; what differs between pips and face may be small beside it. Both ways of recolouring let differences of colour
count more than differences of lightness, and both are linear in the channels, as the recolourings are on which the
second network was trained.
"""

import numpy as np

from vision.dice.patches import Patch
from vision.frame import Image

RICHER = 3.0
"""So much farther from grey."""
SPREAD = 16.0
"""Standard deviation (of 255) of a colour from which on a decorrelation stretch levels it with the others; what varies
less, as noise and the traces of coding do, stays as it is."""


def enriched(patch: Image) -> Patch:
    """The piece (n x n x 3) with all colours farther from grey, each as light as it was."""
    values = patch.astype(np.float32)
    grey = values.mean(2, keepdims=True)
    return np.asarray(grey + RICHER * (values - grey), np.float32)


def decorrelated(patch: Image) -> Patch:
    """The piece (n x n x 3) with its colours spread alike, whichever way they differ, by what its middle shows: a
    decorrelation stretch (Gillespie, Kahle and Walker, Color enhancement of highly correlated images, 1986)."""
    values = patch.astype(np.float64)
    middle = values[8:-8, 8:-8].reshape(-1, 3)
    variances, ways = np.linalg.eigh(np.cov(middle.T) / SPREAD**2)
    mix = (ways / np.sqrt(1.0 + variances)) @ ways.T
    mean = middle.mean(0)
    return np.asarray((values - mean) @ mix + mean, np.float32)
