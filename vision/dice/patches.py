"""What the two networks are shown: the picture at several scales, and small pieces of it of one size and light.

Where it is known how the table lies, pieces are cut out as seen from straight above and turned so that what stands on
the table leans up: of a die, then, that face is seen below its top which faces the camera, the more of it the more it
leans. What is printed flat has none there, and the second network is told how far a die would lean.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Array = NDArray[np.float64]
Patch = NDArray[np.float32]

PATCH = 48
"""Width and height of what the second network reads, in its pixels."""
DIE_PX = 30.0
"""So wide a die is in it (square root of the area of its box)."""
LEAST_CONTRAST = 4.0
"""A patch with less spread (of 255) than this is not stretched further: it would be noise."""
LEAN_UNIT = 0.5
"""The second network is told leans as multiples of this."""


@dataclass(frozen=True, slots=True)
class Ground:
    """How the table is seen at a place of the picture."""

    plane: Array
    """2 x 2: columns are steps on the table to the right and away from the viewer, in pixels, both of one length."""
    lean: Array | None = None
    """How far to the right and away something that is one step high is shifted at its top; None: nobody knows."""


UPRIGHT = Ground(np.array([[1.0, 0.0], [0.0, -1.0]]))
"""That of a picture of which nothing is known: taken from above, or with what stands on the table upright."""


def laid_out(ground: Ground) -> tuple[Array, float | None]:
    """How a piece is cut out there: 2 x 2, its steps in picture pixels (area 1), and how far things lean up in it."""
    plane = ground.plane / np.sqrt(abs(np.linalg.det(ground.plane)))
    if ground.lean is None:
        return plane @ np.diag([1.0, -1.0]), None
    lean = float(np.hypot(*ground.lean))
    down = -ground.lean / lean if lean > 1e-9 else np.array([0.0, -1.0])
    right = np.array([down[1], -down[0]]) * np.sign(np.linalg.det(plane))
    return np.asarray(plane @ np.column_stack([right, down])), lean


class Pyramid:
    """A picture and its halves, so that small copies can be cut out without coarse sampling."""

    def __init__(self, image: Image) -> None:
        self.levels = [image]

    def level(self, number: int) -> Image:
        """The picture halved so many times."""
        while len(self.levels) <= number:
            last = self.levels[-1]
            if min(last.shape[:2]) < 2:
                break
            size = ((last.shape[1] + 1) // 2, (last.shape[0] + 1) // 2)
            self.levels.append(np.asarray(cv2.resize(last, size, interpolation=cv2.INTER_AREA), np.uint8))
        return self.levels[min(number, len(self.levels) - 1)]

    def cut(self, centre_px: Array, to_px: Array, size: int = PATCH) -> Image:
        """A square piece: `centre_px` of the picture in its middle, `to_px` (2 x 2) its steps in picture pixels."""
        shrink = float(np.sqrt(abs(np.linalg.det(to_px))))
        number = min(max(0, int(np.floor(np.log2(max(shrink, 1e-6) / 1.2)) + 1)), 6)
        level = self.level(number)
        fine_x, fine_y = level.shape[1] / self.levels[0].shape[1], level.shape[0] / self.levels[0].shape[0]
        matrix = np.column_stack([to_px, centre_px - to_px @ np.full(2, (size - 1) / 2)])
        half = np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 0.5]])
        matrix = (matrix + half) * np.array([[fine_x], [fine_y]]) - half
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(
            cv2.warpAffine(level, matrix, (size, size), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
        )


def shown(patch: Image | Patch, lean: float | None, *, close: bool = False) -> Patch:
    """The patch as the second network takes it (5 x n x n): without its light's strength; how far things lean, and
    whether that is known, or that it is a top by itself, everywhere."""
    values = patch.astype(np.float32)
    middle = values[8:-8, 8:-8]
    spread = max(float(middle.std()), LEAST_CONTRAST)
    both = np.empty((5, *patch.shape[:2]), np.float32)
    both[:3] = ((values - middle.mean()) / (2.0 * spread)).transpose(2, 0, 1)
    both[3], both[4] = told(lean, close=close)
    return both


def told(lean: float | None, *, close: bool = False) -> tuple[float, float]:
    """What the second network is told of a lean, or that it is shown a top by itself, its sides upright."""
    if close:
        return 0.0, -1.0
    return (0.0, 0.0) if lean is None else (lean / LEAN_UNIT, 1.0)


def stretched(along: float, across: float) -> Array:
    """The stretch (2 x 2, symmetric, keeps areas) with this logarithm: along the axes, and from corner to corner."""
    far = float(np.hypot(along, across))
    rest = np.array([[along, across], [across, -along]])
    return np.asarray(np.cosh(far) * np.eye(2) + (np.sinh(far) / far if far > 1e-9 else 1.0) * rest)
