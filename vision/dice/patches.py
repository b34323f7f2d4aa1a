"""What the two networks are shown: the picture at several scales, and small pieces of it of one size and light."""

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


def normalised(patch: Image) -> Patch:
    """The patch as the second network takes it (3 x n x n): without its light's strength."""
    values = patch.astype(np.float32)
    middle = values[8:-8, 8:-8]
    spread = max(float(middle.std()), LEAST_CONTRAST)
    return np.ascontiguousarray(((values - middle.mean()) / (2.0 * spread)).transpose(2, 0, 1))
