"""Whether a part of the table beyond the mat looks as the rest of it does, by how often its colours are seen there.

Of the mat it is known what its plain face looks like; of a table nothing. But a hand is no large part of it: what is
around something that lies there is the table itself where its colours are the table's usual ones, wood as brown as
skin and chequered cloth, too.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.motion import Small

Bins = NDArray[np.int64]
Where = NDArray[np.bool_]

STEPS = np.array([10.0, 5.0, 5.0], np.float32)
"""CIELAB lightness and tints that count as one colour; light changes over a table more than tints do."""
SHAPE = (14, 54, 54)
ZERO = np.array([1, 27, 27])
RARE = 0.05
"""A colour is rare that is less frequent than those of all but this share of the table."""
LEAST_CELLS, LEAST_AROUND = 500, 10
"""Of fewer cells nothing is told."""


def colours_of(small: Image | Small) -> Bins:
    """The number of each cell's colour (h x w)."""
    lab = cv2.split(cv2.cvtColor(small.astype(np.float32) / 255.0, cv2.COLOR_BGR2Lab))
    number = np.zeros(small.shape[:2], np.int64)
    for channel, step, zero, count in zip(lab, STEPS, ZERO, SHAPE, strict=True):
        number *= count
        number += np.clip(np.round(channel / step).astype(np.int64) + zero, 0, count - 1)
    return number


def share_of_rare(colours: Bins, table: Where, around: Where) -> float | None:
    """The share of the cells `around` something whose colours are rare on the `table`; None: too little is seen."""
    rare = rare_on(colours, table, around)
    return None if rare is None or len(rare) < LEAST_AROUND else float(rare.mean())


def rare_on(colours: Bins, table: Where, where: Where) -> Where | None:
    """Which of the cells `where` something may lie have colours that are rare on the `table`; None: too little of that
    is seen."""
    of_table = colours[table]
    if len(of_table) < LEAST_CELLS:
        return None
    count = np.bincount(of_table, minlength=int(np.prod(SHAPE))).astype(np.float32).reshape(SHAPE)
    for axis in range(3):  # neighbouring colours are nearly the same one
        count = 0.5 * count + 0.25 * (np.roll(count, 1, axis) + np.roll(count, -1, axis))
    often = count.reshape(-1)
    return np.asarray(often[colours[where]] < np.quantile(often[of_table], RARE))
