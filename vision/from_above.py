"""The table seen from above, ready for comparing; where little of it changed, only that is looked at again."""

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
        self._all(image, registration)

    def again(self, image: Image, registration: Registration, box: Box) -> tuple[Look, Image]:
        """A new picture, looked at where the table may have changed; elsewhere what was seen before stays.

        Returns the look and the rectified picture.
        """
        white = _white(image, registration)
        map_px = self.table.width * self.table.height
        if box.pixels > MOST_OF_MAP * map_px or float(np.abs(white / self._white - 1.0).max()) > SAME_LIGHT:
            self._all(image, registration)
        elif box.pixels:
            around = box.grown(_BLUR_PX, self.table.width, self.table.height)
            self.looked[around.inside] = self.table.look(image, around)
            wider = around.grown(_BLUR_PX, self.table.width, self.table.height)
            soft = soften(self.looked[wider.inside])
            top, left = around.top - wider.top, around.left - wider.left
            height, width = around.bottom - around.top, around.right - around.left
            self.look.soft[around.inside] = soft[top : top + height, left : left + width]
        return self.look, self.looked

    def _all(self, image: Image, registration: Registration) -> None:
        self._white = _white(image, registration)
        self.looked = self.table.look(image)
        gain = light_gain(self.looked, self.table, registration.markers_px)
        self.look = Look(soften(self.looked), self.table, gain)


def _white(image: Image, registration: Registration) -> NDArray[np.float64]:
    """How bright the white of the mat's markers is in the picture: blue, green, red."""
    points = np.concatenate([white_cells_mm(marker) for marker in registration.markers_px])
    pixels = registration.to_picture(points).astype(np.float32).reshape(1, -1, 2)
    return np.asarray(np.maximum(np.median(sample(image, pixels)[0], axis=0), 1.0), np.float64)
