"""Where dice may lie: a small network over the picture at a few scales, in each of them dice 9 to 21 pixels wide."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.dice.patches import DIE_PX, Patch
from vision.frame import Image

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels; right and bottom lie outside."""

SIZES_PX = (9.0, 21.0)
"""Widths of dice that the network is trained on, in the pixels of what it is shown."""
STRIDE = 4
"""Pixels of what it is shown to a cell of what it says."""
STEP = 2.1
"""From one scale to the next."""
LEAST_PX = 4
"""A picture's least width and height."""
MOST = 800
"""So many of the likeliest cells are told apart: chequered cloth alone has hundreds that look like dice."""
LEAST = 0.2
"""Cells that are less likely to hold the middle of a die are left out."""
LARGER = 0.1
"""What is twice as wide is looked at as if it were so much likelier: few things are as large as large dice, and many
as small as small ones."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Where a die may lie."""

    centre_px: tuple[float, float]
    size_px: float
    """Width of its silhouette: the square root of its box's area."""
    score: float
    """How likely the network says it is."""
    promise: float = 0.0
    """The same, raised for what is larger than the smallest die."""


def prepared(picture: Image) -> Patch:
    """A picture as the network takes it (1 x 3 x h x w)."""
    return np.asarray(cv2.dnn.blobFromImage(picture, 1 / 127.5, mean=(127.5, 127.5, 127.5)), np.float32)


def propose(
    net: cv2.dnn.Net,
    image: Image,
    sizes_px: tuple[float, float],
    *,
    within: Box | None = None,
    least: float = LEAST,
) -> list[Proposal]:
    """Where dice of these widths (smallest, largest, in pixels of the image) may lie, the most promising first; with
    their middles `within` a box only."""
    left, top, right, bottom = within or (0, 0, image.shape[1], image.shape[0])
    around = round(sizes_px[1])
    start = np.array([max(left - around, 0), max(top - around, 0)])
    part = np.asarray(image[start[1] : max(bottom, 0) + around, start[0] : max(right, 0) + around])
    if min(part.shape[:2]) < LEAST_PX:
        return []
    found: list[Proposal] = []
    width = sizes_px[0]
    small = part
    while True:
        small = _resized(small, part.shape[1::-1], SIZES_PX[0] / width)
        found += _at_scale(net, small, part.shape[1::-1], least)
        width *= STEP
        if width >= sizes_px[1]:
            break
    low, high = sizes_px[0] * 0.75, sizes_px[1] * 1.3
    moved = [replace(p, centre_px=(p.centre_px[0] + start[0], p.centre_px[1] + start[1])) for p in found]
    inside = [p for p in moved if left <= p.centre_px[0] + 0.5 <= right and top <= p.centre_px[1] + 0.5 <= bottom]
    kept = _apart([p for p in inside if low <= p.size_px <= high])
    raised = [replace(p, promise=p.score + LARGER * float(np.log2(p.size_px / sizes_px[0]))) for p in kept]
    return sorted(raised, key=lambda p: -p.promise)


def _resized(picture: Image, whole_px: Sequence[int], scale: float) -> Image:
    """A picture, or a smaller copy, at this scale of the whole picture; the network's sides are multiples of 16."""
    wide, high = (max(2, round(n * scale / 16)) * 16 for n in whole_px)
    way = cv2.INTER_AREA if wide < picture.shape[1] else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, (wide, high), interpolation=way), np.uint8)


def _at_scale(net: cv2.dnn.Net, small: Image, whole_px: Sequence[int], least: float) -> list[Proposal]:
    """What it says of a smaller copy, in pixels of the whole picture."""
    fine_x, fine_y = small.shape[1] / whole_px[0], small.shape[0] / whole_px[1]
    net.setInput(prepared(small))
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
    """The likeliest of those that are not said a second time, from another scale or the cell beside."""
    some = sorted(found, key=lambda p: -p.score)[:MOST]
    places = np.array([p.centre_px for p in some]).reshape(-1, 2)
    sizes = np.array([p.size_px for p in some])
    kept: list[int] = []
    for i in range(len(some)):
        least = np.minimum(sizes[kept], sizes[i])
        near = np.hypot(*(places[kept] - places[i]).T) < 0.3 * least
        if not (near & (np.maximum(sizes[kept], sizes[i]) < 1.6 * least)).any():
            kept.append(i)
    return [some[i] for i in kept]
