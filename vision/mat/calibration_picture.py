"""A picture of how well a lens is known: where the sheet was seen, and how far each corner misses."""

import cv2
import numpy as np

from vision.frame import Image
from vision.mat.calibration import Calibration

_WIDTH_PX = 1200
_LONGEST_PX = 40.0
"""The usual miss (95 %) is drawn so long."""
_GROUND, _INK, _MISS = (246, 246, 244), (90, 80, 70), (40, 60, 220)


def draw_misses(calibration: Calibration) -> Image:
    """Each corner as a dot with its miss, drawn larger, on an empty picture of the camera's shape."""
    scale = _WIDTH_PX / calibration.size_px[0]
    height = round(calibration.size_px[1] * scale)
    picture = np.full((height + 40, _WIDTH_PX, 3), _GROUND, np.uint8)
    lengths = np.linalg.norm(calibration.misses_px, axis=1)
    larger = _LONGEST_PX / max(1e-6, float(np.percentile(lengths, 95)))
    starts = np.round(calibration.points_px * scale * 16).astype(int)
    ends = np.round((calibration.points_px * scale + calibration.misses_px * larger) * 16).astype(int)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        cv2.line(picture, start, end, _MISS, 1, cv2.LINE_AA, 4)
        cv2.circle(picture, start, 32, _INK, -1, cv2.LINE_AA, 4)
    cv2.rectangle(picture, (0, 0), (_WIDTH_PX - 1, height), _INK, 1)
    words = (
        f"{len(calibration.views)} views, {len(lengths)} corners; error {calibration.error_px:.2f} px; "
        f"misses drawn {larger:.0f} times as long; {calibration.covered:.0%} of the picture covered"
    )
    cv2.putText(picture, words, (10, height + 27), _INK, cv2.FontFace("sans"), 17, 400)
    return np.asarray(picture, np.uint8)
