"""A picture of the table, ready to have its colours asked for at points of any height."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image, shows_colours
from vision.mat.rectify import TableMap, table_map
from vision.mat.registration import Registration
from vision.pieces.features import Colours, light_gain, logarithms, sample_colours, soften

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sight:
    """The table seen from above, softened and as it is, with the light taken from the markers' white."""

    registration: Registration
    table: TableMap
    looked: Image
    soft: Image
    gain: NDArray[np.float32]
    shows_colours: bool = True

    @property
    def logarithms(self) -> NDArray[np.float32]:
        """1 x 256 x 3: what each level of a channel is, for `cv2.LUT`: its logarithm, as much brighter as markers show
        that the light is."""
        return logarithms(self.gain)

    def colours(self, points_mm: Array, height_mm: float) -> Colours:
        """Logarithms of blue, green and red at true table points (... x 2 gives ... x 3) that lie at a height, softened
        to the lattice's fineness."""
        return self.seen_colours(self.seen(points_mm, height_mm))

    def seen_colours(self, points_mm: Array, *, sharp: bool = False) -> Colours:
        """The same at points given where they seem to lie at z = 0; not softened where they are to be `sharp`."""
        return sample_colours(self.looked if sharp else self.soft, self.table, self.gain, points_mm)

    def seen(self, points_mm: Array, height_mm: float) -> Array:
        """Where true table points (... x 2) at a height seem to lie at z = 0."""
        return self.registration.seen_from_table(points_mm, height_mm).reshape(points_mm.shape)

    def shows(self, points_mm: Array, height_mm: float) -> NDArray[np.bool_]:
        """Whether the picture shows true table points (... x 2) at a height."""
        return self.table.shows(self.seen(points_mm, height_mm))


def sight_of(image: Image, registration: Registration, around_mm: Array | None = None) -> Sight:
    """Look at the table through a registered picture: at all of it, or at the mat's markers and around some points
    (n x 2) at least. The picture is one without a veil (`vision.pieces.veil`)."""
    if around_mm is not None:
        markers = [registration.to_table(corners) for corners in registration.markers_px.values()]
        around_mm = np.concatenate([around_mm, *markers])
    table = table_map(registration, around_mm)
    looked = table.look(image)
    gain = light_gain(looked, table, registration.markers_mm)
    return Sight(registration, table, looked, soften(looked), gain, shows_colours(image))


def inside_any(points_mm: Array, outlines: Sequence[Array], margin_mm: float = 0.0) -> NDArray[np.bool_]:
    """Which points (... x 2) lie in or near any of these outlines."""
    if not outlines:
        return np.zeros(points_mm.shape[:-1], bool)
    flat = points_mm.reshape(-1, 2)
    low = flat.min(0) - 5.0
    scale = 2.0
    size = np.ceil((flat.max(0) + 5.0 - low) * scale).astype(int) + 1
    mask = np.zeros((size[1], size[0]), np.uint8)
    for outline in outlines:
        cv2.fillPoly(mask, [np.round((outline - low) * scale * 16).astype(np.int32)], 255, shift=4)
    if margin_mm > 0.0:
        width = 2 * round(margin_mm * scale) + 1
        mask = np.asarray(cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))), np.uint8)
    pixels = np.round((flat - low) * scale).astype(int)
    return np.asarray(mask[pixels[:, 1], pixels[:, 0]] > 0).reshape(points_mm.shape[:-1])
