"""Dice of one make: as large as each other, their tops of one colour and their pips of one.

Where little of a die's side shows, nothing at the place itself tells it from a die's face printed flat. But prints
seldom are as large and coloured as a die that lies there, too, and dice that are thrown together mostly are.
"""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.patches import Ground, Pyramid
from vision.dice.pips import SIDE_PX, SIZE

Array = NDArray[np.float64]
Colour = NDArray[np.float32]

RIM_PX = 3
"""So much of a top is left out all round: its edges are rounded."""
PIPS_SHARE = 0.05
"""So much of a top differs most from its own colour: less than its pips, even a single one, cover."""
AS_LARGE = 1.06
"""Sides differ by no more than this factor,"""
TOPS_APART, PIPS_APART = 14.0, 18.0
"""and colours (CIELAB) by less than so much,"""
LIGHTNESS = 0.5
"""of which this share counts of how light they are: light is uneven on a table. Chosen on 160 simulated tables (seeds
from 991300): of 139 plain tops of dice in doubt 88 look like a die that is sure there, of 42 plain prints one."""
_WEIGHTS = np.array([LIGHTNESS, 1.0, 1.0], np.float32)


@dataclass(frozen=True, slots=True)
class Make:
    """How a die looks, whatever it shows."""

    side: float
    """How wide its top is, in steps of the ground where it lies."""
    top: Colour
    """CIELAB, as are its pips."""
    pips: Colour

    def is_alike(self, other: "Make") -> bool:
        """Whether both may be of one make."""
        return bool(
            1.0 / AS_LARGE < self.side / other.side < AS_LARGE
            and np.linalg.norm((self.top - other.top) * _WEIGHTS) < TOPS_APART
            and np.linalg.norm((self.pips - other.pips) * _WEIGHTS) < PIPS_APART
        )


def make_of(pyramid: Pyramid, corners_px: Array, ground_at: Callable[[Array], Ground]) -> Make:
    """The make of a die whose top has these corners (4 x 2) in the picture."""
    centre = corners_px.mean(0)
    sides = np.column_stack([corners_px[1] - corners_px[0], corners_px[3] - corners_px[0]])
    shown = pyramid.cut(centre, sides / SIDE_PX, SIZE)[RIM_PX:-RIM_PX, RIM_PX:-RIM_PX].astype(np.float32) / 255
    colours = np.asarray(cv2.cvtColor(shown, cv2.COLOR_BGR2Lab), np.float32).reshape(-1, 3)
    top = np.median(colours, axis=0)
    apart = np.linalg.norm(colours - top, axis=1)
    pips = np.median(colours[apart >= np.quantile(apart, 1.0 - PIPS_SHARE)], axis=0)
    steps = np.linalg.det(sides) / np.linalg.det(ground_at(centre).plane)
    return Make(float(np.sqrt(abs(steps))), np.asarray(top, np.float32), np.asarray(pips, np.float32))
