"""One picture of the table and when it was taken."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.mat.lens import ANY_CAMERA, AssumedFocal

Image = NDArray[np.uint8]
"""Shape (height, width, 3), blue-green-red, as OpenCV keeps it."""
GAMMA = 2.2
"""Levels grow with about this root of the light (IEC 61966-2-1, sRGB)."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture from a camera."""

    image: Image
    time_s: float
    """Monotonic seconds near the end of the exposure."""
    sequence: int
    """Counts up by one for each picture the camera took; a gap means dropped pictures."""
    assumed: AssumedFocal = ANY_CAMERA
    """What is known of the camera's focal length where nobody calibrated it."""


LEAST_COLOUR = 6
"""Levels (of 255) by which channels differ in some part of any picture that shows colours at all."""


def shows_colours(image: Image) -> bool:
    """Whether a picture shows colours, and is not one of a camera that sees brightness alone, or infrared light."""
    blue, green, red = np.moveaxis(image[::8, ::8], -1, 0)
    brightest, darkest = np.maximum(np.maximum(blue, green), red), np.minimum(np.minimum(blue, green), red)
    return bool(np.percentile(brightest - darkest, 99.0) >= LEAST_COLOUR)
