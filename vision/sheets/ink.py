"""The ink that a sheet is marked with, by the sheet itself; and the sheet as if a pencil had marked it.

Pencil takes blue, green and red light alike. Ink takes little of one, and by that one marks are judged, as coloured
print takes little of one, too: blue ink looks a third as dark as a pencil's marks. Where a sheet was seen blank print
need not be told by its colour, and darkness is that of the ink.
"""

from dataclasses import replace

import cv2
import numpy as np

from vision.sheets.flattening import FlatSheet, Plane, disc_points
from vision.sheets.kept_blanks import MOST_SHADE

REACH_MM, STEP_MM = 1.6, 0.4
"""A dot is looked for so far from its place, in such steps."""
INKED = 0.35
"""As dark (logarithm) as this a dot of ink is in the colour of which it takes most: the palest of the simulated pens'
takes 0.75, and erased ones 0.15 at most."""
CORE = 0.8
"""What is darker than this share of the darkest there is the dot's middle,"""
LEAST_CORE = 5
"""and it is a dot where it has so many points: lines are narrower."""
COLOURED = 0.7
"""Ink takes of one colour less than this share of what it takes of all on average: graphite and black ink 0.9 and more,
blue, red, green and purple dots 0.25 to 0.65."""
LEAST_DOTS, LEAST_SHARE = 3, 0.3
"""So many dots tell of ink, and such a share of all that are as dark."""
ALIKE = 0.15
"""By so much half of them differ at most from the one in the middle."""
LEAST_TAKEN = 0.1
"""Ink that seems to take less of a colour, beside all, is taken to take so much: marks are told by dividing by it, and
noise would be. The simulated pens' take 0.25 at least."""


def ink_of(flat: FlatSheet) -> Plane | None:
    """How much of blue, green and red light the ink takes that a sheet's dots are drawn with (3, 1 on average); None
    where they are grey, or too few, or it was never seen blank.

    Those around the grid do not tell: a coloured border may be printed there."""
    layout = flat.layout
    if flat.blank is None:
        return None
    points = layout.dots_mm[~layout.outer_dots][:, None] + disc_points(0.0, REACH_MM, STEP_MM)
    shown = flat.sampled(flat.colours, points)
    dark = shown.reshape(len(shown), -1).max(axis=1) > INKED
    if np.count_nonzero(dark) < LEAST_DOTS:
        return None
    points = points[dark]
    taken = shown[dark] - flat.sampled(flat.blank, points)[..., None]
    strongest = taken.max(axis=2)
    darkest = strongest.max(axis=1, keepdims=True)
    core = strongest >= CORE * darkest
    open_ones = flat.sampled(flat.foreign.astype(np.float32), points).max(axis=1) == 0.0
    dotted = (darkest[:, 0] > INKED) & (core.sum(axis=1) >= LEAST_CORE) & open_ones
    if np.count_nonzero(dotted) < LEAST_DOTS:
        return None
    sums = (taken[dotted] * core[dotted, :, None]).sum(axis=1)
    shares = sums / sums.mean(axis=1, keepdims=True)
    coloured = shares[shares.min(axis=1) < COLOURED]
    if len(coloured) < max(LEAST_DOTS, LEAST_SHARE * len(shares)):
        return None
    ink = np.median(coloured, axis=0)
    if np.median(np.abs(coloured - ink).max(axis=1)) > ALIKE:
        return None
    return np.asarray(np.maximum(ink / ink.mean(), LEAST_TAKEN), np.float32)


def as_pencilled(flat: FlatSheet, ink: Plane, blank_colours: Plane) -> FlatSheet:
    """The sheet, and how it was when blank, as dark as a pencil instead of this ink would have made it. What takes of
    all colours is as dark as it was: somebody else's pencil."""
    return replace(flat, darkness=_darkness(flat.colours, ink), blank=_darkness(blank_colours, ink))


def _darkness(colours: Plane, ink: Plane) -> Plane:
    """How dark the palest of the three is, or, where that is more, the palest beside what the ink takes of it."""
    known = [np.minimum(one, np.float32(MOST_SHADE)) for one in cv2.split(colours)]
    beside = [one / taken for one, taken in zip(known, ink, strict=True)]
    grey, inked = (cv2.min(cv2.min(blue, green), red) for blue, green, red in (known, beside))
    return np.asarray(cv2.max(grey, inked), np.float32)
