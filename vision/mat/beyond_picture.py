"""The part of the mat that the camera does not see, as it lies beyond its picture."""

import cv2
import numpy as np

from vision.mat.markers import MAT_HALF_MM
from vision.mat.registration import Registration
from vision.scene import HiddenCause, HiddenPlace
from vision.shapes import as_points

CELL_MM = 2.5
LEAST_CELLS = 3
"""Narrower parts are no more than the mat's edge."""
_ALONG = np.linspace(0.0, 1.0, 33)[:-1]


def mat_beyond_picture(registration: Registration) -> tuple[HiddenPlace, ...]:
    """What of the mat lies beyond the picture; nothing where the camera sees all of it."""
    # The picture's edge is laid on the table, and not the mat on the picture: a lens is known no further than it shows.
    width_px, height_px = registration.size_px
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) * [width_px - 1, height_px - 1]
    sides = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    edge_mm = registration.to_table(np.concatenate([a + (b - a) * _ALONG[:, None] for a, b in sides]))
    count = round(2 * MAT_HALF_MM / CELL_MM)
    beyond = np.full((count, count), 255, np.uint8)
    cells = (edge_mm + MAT_HALF_MM) / CELL_MM - 0.5
    cv2.fillPoly(beyond, [np.round(np.clip(cells, -1e6, 1e6) * 16).astype(np.int32)], 0, shift=4)
    beyond = np.asarray(cv2.morphologyEx(beyond, cv2.MORPH_OPEN, np.ones((LEAST_CELLS,) * 2, np.uint8)), np.uint8)
    contours, _ = cv2.findContours(beyond, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    outlines = [cv2.approxPolyDP(contour, 0.8, True).reshape(-1, 2)[::-1].astype(np.float64) for contour in contours]
    return tuple(
        HiddenPlace(as_points((outline + 0.5) * CELL_MM - MAT_HALF_MM), HiddenCause.OUT_OF_PICTURE)
        for outline in outlines
        if len(outline) >= 3
    )
