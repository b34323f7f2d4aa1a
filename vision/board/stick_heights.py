"""Where cutters truly lie: how high their ends are follows from what they rest on, and that from which is seen uncut
where two cross."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit
from vision.board.record import FACE_MM, TOPPING_THICK_MM, BoardPrint
from vision.board.resting import Disc, rest
from vision.board.sight import Sight
from vision.board.stick_colours import CutterFit
from vision.board.toppings import SpaceFit
from vision.frame import Image
from vision.pieces.features import LOG_FLOOR
from vision.scene import EMPTY

Array = NDArray[np.float64]

ON_UPPER, BESIDE_UPPER, CORE_SHARE = 0.28, (0.4, 0.7), 0.32
"""Where two sticks cross the lower one, so near its middle, is compared where the upper lies and so far beside its
middle. Shares of their thickness."""


def at_rest(
    sight: Sight,
    image: Image,
    board: BoardPrint,
    fit: BoardFit,
    spaces: Sequence[SpaceFit],
    cutters: Sequence[CutterFit],
) -> tuple[CutterFit, ...]:
    """The cutters where they lie, from the lowest to the highest."""
    order = _from_below(sight, image, cutters, board.cutter_mm[1])
    top, table = fit.height_mm + TOPPING_THICK_MM, fit.height_mm - FACE_MM
    discs = [Disc(space.at_mm, board.topping_mm / 2, top) for space in spaces if space.likely not in (None, EMPTY)]
    discs.append(Disc(fit.pose[:2], board.diameter_mm / 2, fit.height_mm))
    lying: list[CutterFit] = []
    for cutter in order:
        lower = [(other.ends_mm, other.heights_mm) for other in lying]
        ends, heights = cutter.seen_mm, (top, top)
        for _ in range(3):
            ends = np.concatenate(
                [
                    sight.registration.on_table(end[None], height)
                    for end, height in zip(cutter.seen_mm, heights, strict=True)
                ]
            )
            heights = rest(ends, board.cutter_mm[1] / 2, table, discs, lower)
        lying.append(replace(cutter, ends_mm=ends, heights_mm=heights))
    return tuple(lying)


def _from_below(sight: Sight, image: Image, cutters: Sequence[CutterFit], thickness_mm: float) -> list[CutterFit]:
    """The cutters in an order in which one can be laid on those before: at crossings the edges of the upper show."""
    above = np.zeros((len(cutters), len(cutters)))
    for i, one in enumerate(cutters):
        for j, other in enumerate(cutters):
            if crossing(one.seen_mm, other.seen_mm) is not None:
                above[i, j] += _edges_over(sight, image, (one.seen_mm, other.seen_mm), thickness_mm)
    above -= above.T
    ways = permutations(range(len(cutters)))
    best = max(ways, key=lambda way: sum(above[way[k], way[m]] for k in range(len(way)) for m in range(k)))
    return [cutters[i] for i in best]


def _edges_over(sight: Sight, image: Image, upper_lower: tuple[Array, Array], thickness_mm: float) -> float:
    """How much darker (logarithm) the second of two sticks that cross is right beside the first than where that lies:
    the upper one's sides and shadow make it so."""
    first, second = upper_lower
    normals = []
    for stick in (first, second):
        way = (stick[1] - stick[0]) / np.linalg.norm(stick[1] - stick[0])
        normals.append(np.array([-way[1], way[0]]))
    off, along = np.meshgrid(
        np.arange(-BESIDE_UPPER[1], BESIDE_UPPER[1] + 1e-6, 0.05),
        np.arange(-CORE_SHARE, CORE_SHARE + 1e-6, 0.04),
        indexing="ij",
    )
    levels = [normal @ stick[0] for normal, stick in zip(normals, (first, second), strict=True)]
    sides = np.stack([off, along]).reshape(2, -1) * thickness_mm + np.array(levels)[:, None]
    points = np.linalg.solve(np.stack(normals), sides).T
    pixels = sight.registration.to_picture(points).astype(np.float32).reshape(*off.shape, 2)
    seen = cv2.remap(image, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    light = np.log(seen * sight.gain + np.float32(LOG_FLOOR)).mean((1, 2))
    across = off[:, 0]
    on = float(light[np.abs(across) <= ON_UPPER].mean())
    beside = [light[(across * side > BESIDE_UPPER[0]) & (across * side < BESIDE_UPPER[1])] for side in (-1.0, 1.0)]
    return sum(on - float(part.mean()) for part in beside)


def crossing(one: Array, other: Array) -> tuple[float, float] | None:
    """How far from their first ends two sticks (2 x 2 each) cross; None where they do not."""
    first, second = one[1] - one[0], other[1] - other[0]
    across = first[0] * second[1] - first[1] * second[0]
    if abs(across) < 1e-3 * np.linalg.norm(first) * np.linalg.norm(second):
        return None
    between = other[0] - one[0]
    here = (between[0] * second[1] - between[1] * second[0]) / across
    there = (between[0] * first[1] - between[1] * first[0]) / across
    if not (0.0 < here < 1.0 and 0.0 < there < 1.0):
        return None
    return float(here * np.linalg.norm(first)), float(there * np.linalg.norm(second))
