"""Light that lies over a whole picture: a window before the lens, or grease on it.

Colours are then no longer the light times what the pieces reflect, but that and something more. How much more, the
mat's markers tell: their black is not black any more. It is taken off.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.rectify import sample
from vision.mat.registration import Registration
from vision.pieces.features import black_cells_mm, white_cells_mm
from vision.short_axes import middle_row

Array = NDArray[np.float64]

BLACK = 0.17
"""A marker's black, as a share of its white, in a picture without a veil: of rendered tables; of simulated ones 0.1."""
VEILED, WHOLLY = 0.28, 0.36
"""From such a share on there is a veil; from the second on all of it is taken off. Dim, blurred or small pictures of
tables have 0.23 at most where nothing lies before the lens, one of those shared 0.27."""


def veil_levels(image: Image, registration: Registration) -> Array:
    """How much light lies over the whole picture: levels (of 255) of blue, green and red; as a rule 0."""
    return veil_and_white(image, registration)[0]


def veil_and_white(image: Image, registration: Registration) -> tuple[Array, Array]:
    """How much light lies over the whole picture, and how bright the white of the mat's markers is in it: levels (of
    255) of blue, green and red.

    For the veil the marker counts that has least of it: glare or something pale may lie on the others.
    """
    lying, both = registration.markers_mm.items(), (black_cells_mm, white_cells_mm)
    places = [cells(marker, corners) for marker, corners in lying for cells in both]
    pixels = registration.to_picture(np.concatenate(places)).astype(np.float32).reshape(1, -1, 2)
    seen = sample(image, pixels)[0].astype(np.float64)
    parts = np.split(seen, np.cumsum([len(points) for points in places])[:-1])
    black, white = (np.array([middle_row(part) for part in parts[start::2]]) for start in (0, 1))
    return _veil(black, white), middle_row(np.concatenate(parts[1::2])).astype(np.float64)


def _veil(black: Array, white: Array) -> Array:
    """The veil's levels by the black and the white of each marker (n x 3 each)."""
    shares = (black / np.maximum(white, 1.0)).min(1)
    least = int(shares.argmin())
    how_much = np.clip((shares[least] - VEILED) / (WHOLLY - VEILED), 0.0, 1.0)
    return np.asarray(how_much * np.maximum(black[least] - BLACK * white[least], 0.0) / (1.0 - BLACK), np.float64)


def without_veil(looked: Image, veil: Array) -> Image:
    """A picture, or a part of it, less a veil of these levels (blue, green, red); itself where there is none."""
    if not veil.any():
        return looked
    less = np.clip(np.arange(256.0)[:, None] - veil + 0.5, 0.0, 255.0).astype(np.uint8)
    return np.asarray(cv2.LUT(looked, less[None]), np.uint8)


def unveiled(image: Image, registration: Registration) -> Image:
    """A picture without its veil; itself where there is none."""
    return without_veil(image, veil_levels(image, registration))
