"""The table seen from above, ready for comparing; where little of it changed, only that is looked at again."""

from collections.abc import Sequence
from copy import copy

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.rectify import Box, TableMap
from vision.mat.registration import Registration
from vision.pieces.features import light_gain, soften
from vision.pieces.light_across import LightAcross, light_across
from vision.pieces.veil import veil_and_white, without_veil
from vision.pieces.verify import Look

MOST_OF_MAP = 0.6
"""From this share on all of the map is looked at."""
SAME_LIGHT = 0.02
"""By so much (a share) the markers' white may have changed for what was seen before to be compared with what is now."""
SAME_VEIL = 4.0
"""By so many levels (of 255) it may have changed for what was seen before to be compared with what is now."""
_BLUR_PX = 8
"""As far as softening reaches."""


class FromAbove:
    """What one camera sees of the table, from above. `again` replaces what changed, in place."""

    def __init__(
        self, image: Image, table: TableMap, registration: Registration, light: LightAcross | None = None
    ) -> None:
        """`light` is taken off, and so is what there is of such in each picture that comes later."""
        self.table = table
        self.veil, self._white = _veil_and_white(image, registration)
        """Levels (of 255) that are taken off: blue, green, red."""
        self.light = light
        """What is taken off of edges of shadows and stripes of light that lie across the table."""
        self.all_anew = True
        """Whether all of it was looked at in the last picture, as in other light it is."""
        self.looked = self._in_even_light(without_veil(table.look(image), self.veil), self._whole)
        self.look = self._ready(registration)

    def again(
        self, image: Image, registration: Registration, boxes: Sequence[Box], but: NDArray[np.uint8] | None = None
    ) -> tuple[Look, Image]:
        """A new picture, looked at where the table may have changed; elsewhere, and in the map's pixels `but`, what was
        seen before stays.

        Returns the look and the rectified picture.
        """
        width, height = self.table.width, self.table.height
        veil, white = _veil_and_white(image, registration)
        other_light = _share_apart(white, self._white) > SAME_LIGHT or np.abs(veil - self.veil).max() > SAME_VEIL
        parts = [box.grown(_BLUR_PX, width, height) for box in boxes if box.pixels]
        most = sum(part.pixels for part in parts) > MOST_OF_MAP * width * height
        self.all_anew = most or bool(parts and (other_light or self.light is not None))
        if self.all_anew:
            self.veil = veil
            self._take(image, self._whole, but)
            self.look, self._white = self._ready(registration), white
            return self.look, self.looked
        for part in parts:
            self._take(image, part, but)
        for part in parts:
            wider = part.grown(_BLUR_PX, width, height)
            inner = Box(part.left - wider.left, part.top - wider.top, part.right - wider.left, part.bottom - wider.top)
            self.look.soft[part.inside] = soften(self.looked[wider.inside])[inner.inside]
        return self.look, self.looked

    def _take(self, image: Image, part: Box, but: NDArray[np.uint8] | None) -> None:
        """Look at this part anew, but for some of the map's pixels."""
        fresh = without_veil(self.table.look(image, part), self.veil)
        if self.light is not None:
            self.light = light_across(fresh, self.table)
            fresh = self._in_even_light(fresh, part)
        if but is not None:
            cv2.copyTo(self.looked[part.inside], but[part.inside], fresh)
        self.looked[part.inside] = fresh

    def even(self, registration: Registration) -> "FromAbove | None":
        """The same without the edges of shadows and stripes of light that lie across it; None where there are none, or
        they are taken off already."""
        light = light_across(self.looked, self.table) if self.light is None else None
        if light is None:
            return None
        even = copy(self)
        even.light, even.looked = light, light.taken_off_map(self.looked, self.table, self._whole)
        even.look = even._ready(registration)
        return even

    @property
    def _whole(self) -> Box:
        return Box(0, 0, self.table.width, self.table.height)

    def _in_even_light(self, looked: Image, part: Box) -> Image:
        return looked if self.light is None else self.light.taken_off_map(looked, self.table, part)

    def _ready(self, registration: Registration) -> Look:
        gain = light_gain(self.looked, self.table, registration.markers_mm)
        return Look(soften(self.looked), self.table, gain)


def _share_apart(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    return float(np.abs(first / second - 1.0).max())


def _veil_and_white(image: Image, registration: Registration) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The veil over a picture, and how bright the white of the mat's markers is in it: blue, green, red."""
    veil, white = veil_and_white(image, registration)
    return veil, np.maximum(white, 1.0)
