"""How sticks come to rest on a board, on toppings and on each other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Disc:
    """Something flat and round that a stick may rest on."""

    at_mm: Array
    radius_mm: float
    top_mm: float


def rest(
    ends_mm: Array,
    radius_mm: float,
    floor_mm: float,
    discs: Sequence[Disc],
    sticks: Sequence[tuple[Array, tuple[float, float]]],
) -> tuple[float, float]:
    """Heights of the axis at both ends of a round stick (2 x 2, table mm) that is laid down from above.

    `sticks` are those that lie there already: their ends and the heights of those, of the same thickness. The stick
    sinks until it rests on one support on either side of its middle, which is where its weight is: of all lines above
    the supports it takes the one whose middle lies lowest.
    """
    middle = ends_mm.mean(0)
    half = float(np.linalg.norm(ends_mm[1] - ends_mm[0])) / 2
    way = (ends_mm[1] - ends_mm[0]) / (2 * half)
    floor = floor_mm + radius_mm
    supports = [(-half, floor), (half, floor)]
    for disc in discs:
        offset = disc.at_mm - middle
        along, aside = float(offset @ way), float(abs(offset[0] * way[1] - offset[1] * way[0]))
        supports += [(along + step, disc.top_mm + high) for step, high in _over_disc(aside, disc.radius_mm, radius_mm)]
    for other, heights in sticks:
        supports += _crossing(middle, way, half, other, heights, radius_mm)
    height, slope = _lowest_line(supports)
    return height - half * slope, height + half * slope


def _over_disc(aside_mm: float, disc_mm: float, radius_mm: float) -> list[tuple[float, float]]:
    """How high over a disc's top the axis of a stick lies that passes so far from its middle, where they touch: at
    places along the stick from there. One that passes beside it may still lie on its edge."""
    if aside_mm < disc_mm:
        chord = float(np.sqrt(disc_mm**2 - aside_mm**2))
        return [(-chord, radius_mm), (chord, radius_mm)]
    beside = aside_mm - disc_mm
    return [(0.0, float(np.sqrt(radius_mm**2 - beside**2)))] if beside < radius_mm else []


def _crossing(
    middle: Array, way: Array, half: float, other: Array, heights: tuple[float, float], radius_mm: float
) -> list[tuple[float, float]]:
    step = other[1] - other[0]
    across = way[0] * step[1] - way[1] * step[0]
    if abs(across) < 1e-3 * float(np.linalg.norm(step)):
        return []
    between = other[0] - middle
    along = float(between[0] * step[1] - between[1] * step[0]) / across
    share = float(between[0] * way[1] - between[1] * way[0]) / across
    if abs(along) > half or not 0.0 <= share <= 1.0:
        return []
    return [(along, heights[0] + (heights[1] - heights[0]) * share + 2 * radius_mm)]


def _lowest_line(supports: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Height at 0 and slope of the line through a support on either side of 0 that lies above all others."""
    best = (-np.inf, 0.0)
    for before, low in supports:
        for after, high in supports:
            if before <= 0.0 <= after and after > before:
                slope = (high - low) / (after - before)
                height = low - slope * before
                if height > best[0] + 1e-9:
                    best = (height, slope)
    return best
