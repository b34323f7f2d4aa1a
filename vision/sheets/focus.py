"""What a sheet's own markers say of a picture: how blurred it shows the print, and what the paper looks like."""

from collections.abc import Mapping
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.markers import DICTIONARY
from vision.mat.registration import Registration
from vision.sheets.layout import Array
from vision.short_axes import median_of

Plane = NDArray[np.float32]

PX_PER_MM = 4.0
BLURS_MM = tuple(0.15 * 1.12**step for step in range(26))
"""Deviations that a marker's print is compared in: up to 2.55 mm, beyond which no marker is found."""
BESIDE_MM = 0.6
"""So much paper around a marker is compared, too: its edges show the blur best."""
LEAST_LIKE = 0.6
"""Correlation from which on a marker shows."""
PAPER_MM = (0.8, 1.8)
"""So far from a marker nothing but paper is printed."""
PAPER_STEP_MM = 0.5


def blurs_mm(image: Image, marks: Mapping[int, Array], registration: Registration) -> dict[int, float]:
    """The deviation, in millimetres of the sheet, of the blur in which each of its markers (4 x 2) is seen that shows.
    `registration` is in the sheet's own frame."""
    told = {number: _blur_of(image, number, corners, registration) for number, corners in marks.items()}
    return {number: blur for number, blur in told.items() if blur > 0.0}


def paper_beside(image: Image, marks: Mapping[int, Array], registration: Registration) -> Plane | None:
    """The levels (n x 3) of paper beside each of these markers (4 x 2); None where none is wholly in the picture."""
    height, width = image.shape[:2]
    levels = []
    for corners in marks.values():
        px = registration.to_picture(_around(corners)).astype(np.float32)
        if px.min() < 0.0 or px[:, 0].max() > width - 1.0 or px[:, 1].max() > height - 1.0:
            continue
        seen = cv2.remap(image, px[None, :, 0], px[None, :, 1], cv2.INTER_LINEAR)[0].astype(np.float32)
        # A table shows where the sheet ends closer by; the marker's own blur darkens what is next to it.
        bright = seen[seen.sum(axis=1) >= median_of(seen.sum(axis=1))]
        levels.append([median_of(channel) for channel in bright.T])
    return np.array(levels, np.float32) if levels else None


def _around(corners_mm: Array) -> Array:
    """Points (n x 2) of the paper around a marker."""
    middle, half = corners_mm.mean(axis=0), float(np.abs(corners_mm - corners_mm.mean(axis=0)).max())
    near, far = (half + more for more in PAPER_MM)
    line = np.arange(-far, far + PAPER_STEP_MM / 2, PAPER_STEP_MM)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    return np.asarray(middle + points[np.abs(points).max(axis=1) >= near])


def _blur_of(image: Image, number: int, corners_mm: Array, registration: Registration) -> float:
    side_mm = float(np.linalg.norm(corners_mm[1] - corners_mm[0]))
    prints = _prints(number, side_mm)
    count = round((side_mm + 2 * BESIDE_MM) * PX_PER_MM)
    steps = ((np.arange(count) + 0.5) / count - 0.5) * (side_mm + 2 * BESIDE_MM) / side_mm
    along, down = corners_mm[1] - corners_mm[0], corners_mm[3] - corners_mm[0]
    points = corners_mm.mean(axis=0) + steps[None, :, None] * along + steps[:, None, None] * down
    px = registration.to_picture(points.reshape(-1, 2)).astype(np.float32).reshape(count, count, 2)
    height, width = image.shape[:2]
    if px.min() < 0.0 or px[..., 0].max() > width - 1.0 or px[..., 1].max() > height - 1.0:
        return 0.0
    left, top = np.floor(px.reshape(-1, 2).min(axis=0)).astype(int)
    right, bottom = np.ceil(px.reshape(-1, 2).max(axis=0)).astype(int) + 1
    grey = cv2.cvtColor(image[top:bottom, left:right], cv2.COLOR_BGR2GRAY)
    seen = cv2.remap(grey, px[..., 0] - np.float32(left), px[..., 1] - np.float32(top), cv2.INTER_LINEAR)
    flat = seen.astype(np.float32).ravel()
    flat -= flat.mean()
    like = prints @ (flat / max(float(np.linalg.norm(flat)), 1e-6))
    best = int(like.argmax())
    return BLURS_MM[best] if like[best] >= LEAST_LIKE else 0.0


@lru_cache(maxsize=32)
def _prints(number: int, side_mm: float) -> Plane:
    """A marker and the paper around it in each of the blurs: a row each, of mean 0 and length 1."""
    fine, room_mm = 2, 6.0
    side = round(side_mm * PX_PER_MM * fine)
    marker = cv2.aruco.generateImageMarker(DICTIONARY, number, side)
    room = round(room_mm * PX_PER_MM * fine)
    wide = cv2.copyMakeBorder(marker, *(room,) * 4, cv2.BORDER_CONSTANT, value=(255.0,)).astype(np.float32)
    count = round((side_mm + 2 * BESIDE_MM) * PX_PER_MM)
    off = (wide.shape[0] - count * fine) // 2
    rows = []
    for blur in BLURS_MM:
        soft = cv2.GaussianBlur(wide, (0, 0), blur * PX_PER_MM * fine)[
            off : off + count * fine, off : off + count * fine
        ]
        row = cv2.resize(soft, (count, count), interpolation=cv2.INTER_AREA).ravel()
        row = row - row.mean()
        rows.append(row / np.linalg.norm(row))
    prints = np.asarray(np.stack(rows), np.float32)
    prints.setflags(write=False)
    return prints
