"""One picture of the table and when it was taken."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""Shape (height, width, 3), blue-green-red, as OpenCV keeps it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture from a camera."""

    image: Image
    time_s: float
    """Monotonic seconds near the end of the exposure."""
    sequence: int
    """Counts up by one for each picture the camera took; a gap means dropped pictures."""
