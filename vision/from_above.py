"""The table seen from above, ready for comparing; where little of it changed, only that is looked at again."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.features import light_gain, soften, white_cells_mm
from vision.frame import Image
from vision.rectify import Box, TableMap, sample
from vision.registration import Registration
from vision.verify import Look

MOST_OF_MAP = 0.6
"""From this share on all of the map is looked at."""
SAME_LIGHT = 0.02
"""By so much (a share) the markers' white may have changed for what was seen before to be compared with what is now."""
_BLUR_PX = 8
"""As far as softening reaches."""


class FromAbove:
    """What one camera sees of the table, from above. `again` replaces what changed, in place."""

    def __init__(self, image: Image, table: TableMap, registration: Registration) -> None:
        self.table = table
        self.looked = table.look(image)
        self.look = self._ready(registration)
        self._white = _white(image, registration)

    def again(
        self, image: Image, registration: Registration, box: Box, but: NDArray[np.uint8] | None = None
    ) -> tuple[Look, Image]:
        """A new picture, looked at where the table may have changed; elsewhere, and in the map's pixels `but`, what was
        seen before stays.

        Returns the look and the rectified picture.
        """
        width, height = self.table.width, self.table.height
        white = _white(image, registration)
        whole = box.pixels > MOST_OF_MAP * width * height or _share_apart(white, self._white) > SAME_LIGHT
        around = Box(0, 0, width, height) if whole else box.grown(_BLUR_PX, width, height)
        if not around.pixels:
            return self.look, self.looked
        fresh = self.table.look(image, around)
        if but is not None:
            cv2.copyTo(self.looked[around.inside], but[around.inside], fresh)
        self.looked[around.inside] = fresh
        if whole:
            self.look, self._white = self._ready(registration), white
        else:
            wider = around.grown(_BLUR_PX, width, height)
            inner = Box(
                around.left - wider.left, around.top - wider.top, around.right - wider.left, around.bottom - wider.top
            )
            self.look.soft[around.inside] = soften(self.looked[wider.inside])[inner.inside]
        return self.look, self.looked

    def _ready(self, registration: Registration) -> Look:
        gain = light_gain(self.looked, self.table, registration.markers_px)
        return Look(soften(self.looked), self.table, gain)


def _share_apart(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    return float(np.abs(first / second - 1.0).max())


def _white(image: Image, registration: Registration) -> NDArray[np.float64]:
    """How bright the white of the mat's markers is in the picture: blue, green, red."""
    points = np.concatenate([white_cells_mm(marker) for marker in registration.markers_px])
    pixels = registration.to_picture(points).astype(np.float32).reshape(1, -1, 2)
    return np.asarray(np.maximum(np.median(sample(image, pixels)[0], axis=0), 1.0), np.float64)
