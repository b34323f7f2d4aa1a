"""How blurred a picture is, by the edges of the markers in it."""

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Array = NDArray[np.float64]
Grey = NDArray[np.uint8]

BLUR_WIDTHS = 0.0016
"""A blurred edge's deviation, in picture widths, beyond which corners are found badly, and faces are not learned well:
with shared pictures blurred by so much all was read afterwards, with half as much again two pieces in three."""

FOCUS_WIDTHS = 0.0011
"""With edges blurred by more, less is read: of the shared pictures, which have up to 0.0009, nothing was lost when they
were blurred to that, to 0.0013 a sheet and a few faint pencil lines, to 0.0016 22 of 991 pieces."""

TAKE_IT_AGAIN = "focus, hold the camera still, give it more light, and take it again"


def marker_blur_px(grey: Grey, markers: Sequence[Array]) -> float:
    """The deviation in pixels of the blur across the sides of markers (4 x 2 each): that which three quarters of them
    keep below, as what moves is blurred along its way only."""
    starts, ends = (np.concatenate([np.roll(marker, -turn, axis=0) for marker in markers]) for turn in (0, 1))
    along = ends - starts
    length = np.linalg.norm(along, axis=1, keepdims=True)
    across = along[:, ::-1] * (1.0, -1.0) / length
    # Six cells of a marker are as long as its side; the white around it is one cell wide.
    reach = np.maximum(length / 6 * 0.95, 2.0)
    steps = np.linspace(-1.0, 1.0, 41)
    where = ((starts + ends) / 2)[:, None] + across[:, None] * (reach * steps)[..., None]
    map_x, map_y = (where[..., axis].astype(np.float32) for axis in range(2))
    values = np.asarray(cv2.remap(grey, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float64)
    steepest = np.abs(np.diff(values, axis=1)).max(1) / (reach[:, 0] * (steps[1] - steps[0]))
    blurs = np.ptp(values, axis=1) / (math.sqrt(2 * math.pi) * np.maximum(steepest, 1e-6))
    return float(np.percentile(blurs, 75))


def blur_widths(image: Image, markers: Sequence[Array]) -> float:
    """The deviation of the blur across the sides of a picture's markers, in picture widths; that of half of them, as
    what lies on one of them has no such sides."""
    return float(np.median([_blur_of_one(image, marker) for marker in markers])) / int(image.shape[1])


def _blur_of_one(image: Image, marker: Array) -> float:
    """`marker_blur_px` of one marker, for which only what is around it is made grey."""
    beyond = 0.3 * float(np.ptp(marker, axis=0).max()) + 2.0
    left, top = np.maximum(np.floor(marker.min(axis=0) - beyond), 0.0).astype(int).tolist()
    right, low = np.ceil(marker.max(axis=0) + beyond).astype(int).tolist()
    part = image[top : max(low, top + 1), left : max(right, left + 1)]
    if not part.size:
        return 0.0
    return marker_blur_px(np.asarray(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), np.uint8), [marker - (left, top)])


def out_of_focus(image: Image, markers: Sequence[Array]) -> str:
    """How far a picture of these markers (4 x 2 each) is out of focus; empty where it is sharp enough to be read."""
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    blur, allowed = marker_blur_px(grey, markers), FOCUS_WIDTHS * grey.shape[1]
    return "" if blur <= allowed else f"their edges are blurred by {blur:.1f} px; at most {allowed:.1f} px will do"
