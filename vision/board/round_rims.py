"""Round rims on a table: where discs of one size lie on ground of nearly their own colour.

A disc is even inside, and all around it at the same distance from its middle something else begins: ground of another
colour, its own side, or its shadow. Squares have that distance in some directions only. Printed circles have it in all,
but throw no shadow to one side.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.sight import Sight

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

MOST = 120
"""So many places, those that stand out most, are looked at."""
LEAST_STEP = 0.025
"""Colours (logarithm, root mean square) change by so much where a rim is seen in a direction,"""
AROUND, BEYOND_PX, LEAST_OUT = 12, 0.6, 0.015
"""and on the small map by the last in all of so many but for one, seen so far outside of it."""
EVEN_MIDDLE = 0.6
"""There, the middle strays by less than this share of that."""
DIRECTIONS, STEP_MM, INSIDE_MM, OUTSIDE_MM = 32, 0.5, 3.0, 4.0
"""From so far inside a rim to so far outside of it is looked, in so many directions."""
EVEN, EVEN_SHARE = 0.02, 0.12
"""Inside, colours stray from their middle by less than this, or than such a share of what they change by at the rim."""
OFF_MM = 1.1
"""A rim is seen in a direction where it is no farther from where it should be."""
WITHIN_MM, NEAR_MM = 1.8, 2.5
"""Inside is what is farther from the rim than the first; a rim no farther off than the second tells where the middle
lies."""
SHADOW_MM, GROUND_MM = (1.2, 3.2), 2.8
"""From so far inside a rim to so far outside of it its shadow is looked for, and ground is what lies farther off."""
LEAST_RELIEF, RELIEF_SHARE = 0.01, 0.3
"""That is darker (logarithm) to one side by so much, and by such a share of how much darker it is all around. Around
white discs on pale mats, drawn and simulated, it was by 0.03 and 0.06, half of them by more, around printed circles by
0.006 at most."""


@dataclass(frozen=True, slots=True)
class Rim:
    """A round rim."""

    at_mm: Array
    """Its middle as seen at z = 0."""
    share: float
    """Of directions in which it is seen."""
    strays_mm: float
    """How far (standard deviation) it strays there from a circle. Discs' do by 0.1, squares' by 0.6, ovals' by 1."""
    in_relief: bool
    """Whether there is a shadow to one side."""


def stands_out(logs: Floats, where: NDArray[np.bool_], radius_px: float) -> Array:
    """Places (n x 2: column, row) of a map, only some of it, with an even middle that differs from what lies a radius
    and a little more away in all directions but one, and more so than any place close by."""
    grey = np.ascontiguousarray(logs.mean(-1))
    side = (max(round(0.9 * radius_px), 3),) * 2
    middle = cv2.blur(grey, side)
    strays = np.sqrt(np.maximum(cv2.blur(np.square(grey - middle), side), 0.0))
    grey = cv2.GaussianBlur(grey, (0, 0), 0.7)
    reach = int(np.ceil(radius_px + BEYOND_PX))
    wide = cv2.copyMakeBorder(grey, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    rows, columns = grey.shape
    least, next_least = np.full_like(grey, np.inf), np.full_like(grey, np.inf)
    for turn in np.arange(AROUND) * (2.0 * np.pi / AROUND):
        right, down = (reach + round((radius_px + BEYOND_PX) * way) for way in (np.cos(turn), np.sin(turn)))
        off = np.abs(middle - wide[down : down + rows, right : right + columns])
        next_least = np.minimum(next_least, np.maximum(least, off))
        least = np.minimum(least, off)
    out = np.where(where & (next_least > LEAST_OUT) & (strays < EVEN_MIDDLE * next_least), next_least, np.float32(0.0))
    rows_of, columns_of = np.nonzero((out > 0.0) & (out >= cv2.dilate(out, np.ones((5, 5), np.uint8))))
    most = np.argsort(-out[rows_of, columns_of], kind="stable")[:MOST]
    return np.column_stack([columns_of[most], rows_of[most]]).astype(np.float64)


def rims_at(sight: Sight, middles_mm: Array, radius_mm: float) -> list[Rim]:
    """The round rims of discs near each of places (n x 2, seen at z = 0)."""
    at = np.array(middles_mm, np.float64)
    if not len(at):
        return []
    for _ in range(2):
        at = at + _look(sight, at, radius_mm)[1]
    rims, _ = _look(sight, at, radius_mm)
    return rims


def _look(sight: Sight, at: Array, radius_mm: float) -> tuple[list[Rim], Array]:
    """The rims around places, and how far beside these their middles lie."""
    turns = np.arange(DIRECTIONS) * (2.0 * np.pi / DIRECTIONS)
    ways = np.column_stack([np.cos(turns), np.sin(turns)])
    radii = np.arange(radius_mm - INSIDE_MM, radius_mm + OUTSIDE_MM + STEP_MM / 2, STEP_MM)
    along = sight.seen_colours(at[:, None, None] + radii[:, None, None] * ways, sharp=True)
    along = (np.roll(along, 1, 2) + 2.0 * along + np.roll(along, -1, 2)) / 4.0  # Noise is no rim.
    within = radii < radius_mm - WITHIN_MM
    off = along - np.median(along[:, within].reshape(len(at), -1, 3), axis=1)[:, None, None]
    strays = np.sqrt((off**2).mean(-1))
    step = strays[:, ~within].max(1)
    step = np.minimum(step, 2.0 * np.median(step, axis=1)[:, None])
    lies = _where_above(strays, step / 2.0) * STEP_MM - INSIDE_MM
    even = strays[:, within].max(1) < np.minimum(np.maximum(EVEN_SHARE * step, EVEN), step / 2.0)
    seen = (step > LEAST_STEP) & even & (np.abs(lies) < OFF_MM)
    count = np.maximum(seen.sum(1), 1)
    mean = np.where(seen, lies, 0.0).sum(1) / count
    spread = np.sqrt(np.where(seen, np.square(lies - mean[:, None]), 0.0).sum(1) / count)
    in_relief = _in_relief(off.mean(-1), radii - radius_mm, ways)
    rims = [
        Rim(place, float(share), float(beside), bool(shadow))
        for place, share, beside, shadow in zip(at, seen.mean(1), spread, in_relief, strict=True)
    ]
    near = np.where(np.abs(lies) < NEAR_MM, lies, 0.0)
    return rims, 2.0 * (near @ ways) / DIRECTIONS


def _in_relief(grey: Floats, beyond_mm: Array, ways: Array) -> NDArray[np.bool_]:
    """Whether what lies at a rim is darker to one side than both its inside, which is 0, and its ground: brightness at
    n places, so far beyond the rim, in so many ways."""
    ground = np.median(grey[:, beyond_mm > GROUND_MM], axis=(1, 2))
    at_rim = (beyond_mm > -SHADOW_MM[0]) & (beyond_mm < SHADOW_MM[1])
    dark = np.maximum(np.minimum(ground, 0.0)[:, None, None] - grey[:, at_rim], 0.0).mean(1)
    to_one_side = np.hypot(*(2.0 * (dark @ ways) / DIRECTIONS).T)
    return np.asarray(to_one_side > np.maximum(LEAST_RELIEF, RELIEF_SHARE * dark.mean(1)))


def _where_above(values: Floats, least: Floats) -> Array:
    """At which step of the second axis values (n x steps x directions) first rise above the least of their direction
    (n x directions)."""
    first = np.maximum((values > least[:, None]).argmax(1), 1)
    before, after = (np.take_along_axis(values, i[:, None], 1)[:, 0] for i in (first - 1, first))
    share = np.clip((least - before) / np.maximum(after - before, 1e-6), 0.0, 1.0)
    return np.asarray(first - 1 + share, np.float64)
