"""Whether a flat sheet shows the print that it is taken for."""

import cv2
import numpy as np

from vision.sheets.flattening import FlatSheet
from vision.sheets.layout import Array

INKED = 0.12
"""Mean darkness (logarithm, of the darkest colour) from which on a square holds print."""
HIDDEN_SHARE = 0.3


def print_agreement(flat: FlatSheet, least_open: float = 0.0) -> float:
    """The share of toppings that are where they should be, less that of squares that should be empty and are not.

    1 where something hides them all: then the markers alone count. 0 where less than `least_open` of them shows.
    """
    layout = flat.layout
    inked = {topping.square for topping in layout.toppings}
    squares = [(c, r) for r in range(layout.rows - 1) for c in range(layout.columns - 1)]
    corners = np.array([layout.dot_mm(square) for square in squares])
    centres = corners + np.array([0.5, -0.5]) * layout.pitch_mm
    points = centres[:, None] + _inner(0.24 * layout.pitch_mm)
    darkest = cv2.max(cv2.max(flat.colours[..., 0], flat.colours[..., 1]), flat.colours[..., 2])
    ink = flat.sampled(np.asarray(darkest, np.float32), points).mean(axis=1)
    free = (flat.sampled(flat.foreign.astype(np.float32), points) > 127).mean(axis=1) < HIDDEN_SHARE
    printed = np.array([square in inked for square in squares])
    if np.count_nonzero(free & printed) < least_open * np.count_nonzero(printed):
        return 0.0
    if not (free & printed).any():
        return 1.0
    hits = float((ink[free & printed] > INKED).mean())
    wrong = float((ink[free & ~printed] > INKED).mean()) if (free & ~printed).any() else 0.0
    return max(0.0, hits - wrong)


def _inner(reach_mm: float) -> Array:
    line = np.linspace(-reach_mm, reach_mm, 7)
    return np.asarray(np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2))
