"""How well a top face shows each of the six patterns of pips: geometry, for tops whose place and turn are known.

Whatever the colours are, a die's top is one plane of colour (the light may fall off across it) and spots of another
colour where the pattern has them. What a polished top mirrors lies over both, but it has a lamp's colour, not that of
the pips: there is a mixture of the channels in which it hardly shows, such as red less green for red pips under white
lamps. How well the best mixture of the channels follows the spots of a pattern says how likely it is that the face
shows it (their canonical correlation, squared; Hotelling, Relations between two sets of variates, 1936): round
toppings, printed pictures and writing have spots elsewhere.
"""

from functools import cache
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Array = NDArray[np.float64]
Fit = NDArray[np.float32]

SIZE = 32
"""Width and height of the patch that is judged."""
SIDE_PX = 30.0
"""So wide the top face is in it."""
SPACINGS = (0.2, 0.235, 0.27)
RADII = (0.075, 0.1, 0.125)
"""Of neighbouring pips and of one pip, as shares of the side: dice of all makes."""
SINGLE = 1.3
"""A single pip is so much larger."""
SHIFTS = (-0.06, 0.0, 0.06)
"""How far the pattern may stand off the middle, as a share of the side."""
REACH, ROUND = 0.44, 0.14
"""The part of the top that is judged: so far from its middle, with corners of this radius."""
NARROW = 0.7
"""The columns of many a 6 are so much closer together than those of a 4."""
NOISE = 4.0
"""Standard deviation (of 255) that any mixture of the channels is taken to have without showing anything."""
_PIPS = {
    1: (((0, 0),),),
    2: (((-1, -1), (1, 1)), ((-1, 1), (1, -1))),
    3: (((-1, -1), (0, 0), (1, 1)), ((-1, 1), (0, 0), (1, -1))),
    4: (((-1, -1), (-1, 1), (1, -1), (1, 1)),),
    5: (((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),),
    6: (
        ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
        ((-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)),
        ((-NARROW, -1), (-NARROW, 0), (-NARROW, 1), (NARROW, -1), (NARROW, 0), (NARROW, 1)),
        ((-1, -NARROW), (0, -NARROW), (1, -NARROW), (-1, NARROW), (0, NARROW), (1, NARROW)),
    ),
}
"""Where pips are, for each way that a face may lie."""
_MORE = (
    *((*way, (0, 0)) for way in _PIPS[6]),
    tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)),
    tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)),
)
"""Where 7, 8 and 9 are, as on a domino or on dice for children: a 6 explains most of them."""


def pip_fits(patch: Image) -> tuple[Array, float]:
    """How well 1, 2, ... 6 pips, and more than those, are followed by what a top face (SIZE x SIZE, its sides upright,
    SIDE_PX wide) shows: 0 to 1, the share of a pattern that the best mixture of the channels explains. A clear face has
    0.6 and more for its own value, what is no die less than 0.4."""
    inside, planes, patterns, values = _patterns()
    shown = patch[inside].astype(np.float32)
    shown = shown - planes @ (planes.T @ shown)
    spread = shown.T @ shown + len(shown) * NOISE**2 * np.eye(3, dtype=np.float32)
    # Not NumPy's product: its threads wait for each other where the machine is busy, twenty times as long.
    along = np.asarray(cv2.gemm(patterns, shown, 1.0, np.zeros((len(patterns), 3), np.float32), 0.0))
    explained = (along @ np.linalg.inv(spread) * along).sum(1)
    fits = np.array([float(explained[values == value].max()) for value in (*_PIPS, 0)])
    return fits[:-1], float(fits[-1])


@cache
def _patterns() -> tuple[NDArray[np.bool_], Fit, Fit, NDArray[np.int64]]:
    """The pixels that are judged, the planes of colour over them, and every pattern less those, with its value (0: more
    than 6)."""
    steps = (np.arange(SIZE) - (SIZE - 1) / 2) / SIDE_PX
    xx, yy = np.meshgrid(steps, steps)
    far = np.hypot(np.maximum(np.abs(xx) - REACH + ROUND, 0), np.maximum(np.abs(yy) - REACH + ROUND, 0))
    inside = far < ROUND
    x, y = xx[inside], yy[inside]
    planes, _ = np.linalg.qr(np.stack([np.ones_like(x), x, y], axis=1))
    patterns, values = [], []
    for value, ways in (*_PIPS.items(), (0, _MORE)):
        for way, spacing, radius, dx, dy in product(ways, SPACINGS[: 1 if value == 1 else None], RADII, SHIFTS, SHIFTS):
            spots = np.array(way) * spacing + [dx, dy]
            apart = np.hypot(x[:, None] - spots[:, 0], y[:, None] - spots[:, 1]).min(1)
            pattern = np.clip((radius * (SINGLE if value == 1 else 1.0) - apart) * SIDE_PX + 0.5, 0, 1)
            pattern -= planes @ (planes.T @ pattern)
            patterns.append(pattern / np.linalg.norm(pattern))
            values.append(value)
    return inside, planes.astype(np.float32), np.array(patterns, np.float32), np.array(values)
