"""Pictures as other cameras, and lamps, would show them."""

import numpy as np

from vision.frame import Image
from vision.registration import find_mat
from vision.tone import LUMA


def as_a_phone_shows_it(image: Image, saturation: float, contrast: float) -> Image:
    """More or less colourful than it is, and of more or less contrast."""
    seen = image.astype(np.float64)
    grey = (seen @ LUMA)[..., None]
    seen = grey + (seen - grey) * saturation
    return np.clip((seen - 128.0) * contrast + 128.0, 0, 255).astype(np.uint8)


def lit(picture: Image, x_mm: float, y_mm: float, added: float, wide_mm: float = 60.0) -> Image:
    """With a lamp mirrored there: its light is added, most in the middle."""
    at = find_mat(picture).to_picture(np.array([[x_mm, y_mm], [x_mm + wide_mm, y_mm]]))
    rows, columns = np.indices(picture.shape[:2])
    away = ((columns - at[0, 0]) ** 2 + (rows - at[0, 1]) ** 2) / (2.0 * ((at[1] - at[0]) ** 2).sum())
    return np.asarray(np.clip(picture + added * np.exp(-away)[..., None], 0, 255), np.uint8)
