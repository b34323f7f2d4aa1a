"""Where dice may lie: a small network over the picture at a few scales, in each of them dice 9 to 21 pixels wide."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.patches import DIE_PX, Patch
from vision.frame import Image

Array = NDArray[np.float64]

SIZES_PX = (9.0, 21.0)
"""Widths of dice that the network is trained on, in the pixels of what it is shown."""
STRIDE = 4
"""Pixels of what it is shown to a cell of what it says."""
STEP = 2.1
"""From one scale to the next."""
LEAST = 0.25
"""Cells that are less likely to hold the middle of a die are left out."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Where a die may lie."""

    centre_px: tuple[float, float]
    size_px: float
    """Width of its silhouette: the square root of its box's area."""
    score: float


def prepared(picture: Image) -> Patch:
    """A picture as the network takes it (3 x h x w)."""
    return np.ascontiguousarray((picture.astype(np.float32) / 127.5 - 1.0).transpose(2, 0, 1))


def propose(net: cv2.dnn.Net, image: Image, sizes_px: tuple[float, float], *, least: float = LEAST) -> list[Proposal]:
    """Where dice of these widths (smallest, largest, in pixels of the image) may lie, the likeliest first."""
    found: list[Proposal] = []
    width = sizes_px[0]
    while True:
        found += _at_scale(net, image, SIZES_PX[0] / width, least)
        width *= STEP
        if width >= sizes_px[1]:
            break
    low, high = sizes_px[0] * 0.75, sizes_px[1] * 1.3
    return _apart([p for p in found if low <= p.size_px <= high])


def _at_scale(net: cv2.dnn.Net, image: Image, scale: float, least: float) -> list[Proposal]:
    high, wide = (max(2, round(n * scale / 16)) * 16 for n in image.shape[:2])
    fine_x, fine_y = wide / image.shape[1], high / image.shape[0]
    small = cv2.resize(image, (wide, high), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    net.setInput(prepared(np.asarray(small, np.uint8))[None])
    said = net.forward()[0]
    score = 1.0 / (1.0 + np.exp(-said[0]))
    peaks = (score >= least) & (score >= cv2.dilate(score, np.ones((3, 3), np.uint8)))
    found = []
    for row, column in np.argwhere(peaks):
        logit, dx, dy, size = said[:, row, column]
        x = ((column + dx + 0.5) * STRIDE) / fine_x - 0.5
        y = ((row + dy + 0.5) * STRIDE) / fine_y - 0.5
        width = DIE_PX * float(np.exp(np.clip(size, -2.0, 1.0))) / np.sqrt(fine_x * fine_y)
        found.append(Proposal((float(x), float(y)), width, float(1.0 / (1.0 + np.exp(-logit)))))
    return found


def _apart(found: Sequence[Proposal]) -> list[Proposal]:
    """Those that are not said a second time, from another scale or the cell beside."""
    kept: list[Proposal] = []
    for one in sorted(found, key=lambda p: -p.score):
        near = (np.hypot(one.centre_px[0] - k.centre_px[0], one.centre_px[1] - k.centre_px[1]) for k in kept)
        sizes = ((one.size_px, k.size_px) for k in kept)
        if not any(d < 0.3 * min(s) and max(s) < 1.6 * min(s) for d, s in zip(near, sizes, strict=True)):
            kept.append(one)
    return kept
