"""What lies on the mat and is larger than pieces: pieces that touch, which are not found, or something else. Beyond the
mat a window's light on wood looks like it."""

from collections.abc import Sequence

import cv2
import numpy as np

from vision.enrolling.laid_out import LaidOut, SeenTable
from vision.mat.markers import MAT_HALF_MM
from vision.mat.rectify import PX_PER_MM
from vision.shapes import place

STRANGE = 3.0
"""What differs so many times more than the table does in itself is not the table."""
THIN_MM = 10.0
"""What is narrower is print or a shadow."""
BESIDE_MM = 8.0
"""So far around a piece that was found lies its shadow."""
LUMP_MM2, LUMP_PIECES = 12000.0, 2.5
"""A lump is at least so large, and as large as so many pieces."""


def lumps(seen: SeenTable, pieces: Sequence[LaidOut]) -> list[tuple[float, float]]:
    """The middles (table, mm) of what lies on the mat and is larger than pieces, where no piece was found; the largest
    first."""
    table = seen.table
    strange = np.asarray(seen.apart > STRANGE, np.uint8)
    width = int(THIN_MM * PX_PER_MM) | 1
    brush = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
    strange = np.asarray(cv2.morphologyEx(strange, cv2.MORPH_OPEN, brush), np.uint8)
    beside = 2 * int(BESIDE_MM * PX_PER_MM) + 1
    found = np.zeros_like(strange)
    for piece in pieces:
        cv2.fillPoly(found, [table.to_map(place(piece.shape.outline, piece.seen_pose)).round().astype(np.int32)], 1)
    strange[cv2.dilate(found, np.ones((beside, beside), np.uint8)) > 0] = 0
    strange = np.asarray(cv2.morphologyEx(strange, cv2.MORPH_OPEN, brush), np.uint8)
    _, _, stats, middles = cv2.connectedComponentsWithStats(strange)
    areas = stats[1:, cv2.CC_STAT_AREA] / PX_PER_MM**2
    usual = float(np.median([piece.shape.area_mm2 for piece in pieces])) if pieces else 0.0
    large = [i for i in np.argsort(-areas) if areas[i] > max(LUMP_MM2, LUMP_PIECES * usual)]
    spots = [table.to_table(middles[1:][i][None])[0] for i in large]
    return [(float(x), float(y)) for x, y in spots if max(abs(x), abs(y)) < MAT_HALF_MM]
