"""ArUco markers as drawings."""

import cv2
import numpy as np

from hardware.kit.drawing import BLACK, WHITE, Area, Placed, box
from vision.scene import Point

MODULES = 6
"""Cells along a marker's side, its black border included (4 x 4 bits)."""


def marker(number: int, side_mm: float, top_left: Point) -> Placed:
    """A marker of DICT_4X4_50, upright, its own top left corner at a point. Its quiet zone is the caller's."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    cells = np.asarray(cv2.aruco.generateImageMarker(dictionary, number, MODULES))
    module = side_mm / MODULES
    white = tuple(
        box(column * module, -(row + 1) * module, (column + 1) * module, -row * module)
        for row, column in np.argwhere(cells > 0)
    )
    square = Area((box(0.0, -side_mm, side_mm, 0.0),), fill=BLACK)
    return Placed((square, Area(white, fill=WHITE)), top_left)
