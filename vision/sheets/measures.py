"""What is measured of each place of a flat sheet that may be marked. All in logarithms of darkness.

A measure says how dark the strongest mark of the expected form is there, against what lies beside it: smudges are wide,
print is where it is on every sheet, and both cancel.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sheets.flattening import PX_PER_MM, FlatSheet, Plane
from vision.sheets.layout import Array, BonusBox

DOT_REACH_MM = 1.6
"""How far from its place a dot may be pencilled."""
DOT_CORE_MM = 0.62
"""A pencilled dot is dark all over a disc of this radius; a printed one or a line is smaller."""
DOT_RING_MM = (2.3, 3.3)

LINE_SHARE = (0.27, 0.73)
"""The part of a line that is measured: dots hide its ends."""
LINE_REACH_MM = 1.3
LINE_FLANK_MM = 1.0
PRINT_ROOM = 1.1
"""Times its size, a topping's print spreads with the picture's softness; lines are looked for beside it."""
STEP_MM = 0.25
WEAK_SHARE = 0.25
"""A line is as strong as its weaker parts: this share of it is weaker."""

LEAST_JUDGED = 0.4
"""A path of which less is judged is none."""

CROSS_REACH_MM = 4.2
"""Strokes over a topping are looked for so far from its middle."""
CROSS_TURNS_DEG = np.arange(-24.0, 25.0, 6.0)
CROSS_SHIFTS_MM = np.arange(-1.2, 1.3, 0.2)
CROSS_FLANK_MM = 0.8
SLACK_MM = 0.35
"""How far prints of one kind may be off each other."""

RING_SHARES = (0.33, 0.62)
"""Circles about a bonus are looked for at radii of so many times the box's smaller side."""
RING_FLANK_MM = 1.0
BORDER_MM = 0.8
"""Half the width in which a box's printed edge says nothing."""
BOX_STROKE_SHARE = 0.36
"""Strokes over a box are looked for so far from its middle, in its smaller side."""
BOX_STROKE_SHIFTS_MM = np.arange(-3.3, 3.4, 0.3)


def dot_darkness(flat: FlatSheet, places_mm: Array) -> tuple[Plane, Array]:
    """How dark a dot is at each place (n x 2), and where it is darkest (n x 2)."""
    side = 2 * round(DOT_CORE_MM * PX_PER_MM) + 1
    core = cv2.erode(flat.darkness, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)))
    near = _disc_points(0.0, DOT_REACH_MM, 0.25)
    values = flat.sampled(np.asarray(core, np.float32), places_mm[:, None] + near)
    best = values.argmax(axis=1)
    centres = places_mm + near[best]
    ring = flat.sampled(flat.darkness, centres[:, None] + _disc_points(*DOT_RING_MM, 0.35))
    around = np.quantile(ring, 0.35, axis=1)
    return np.asarray(values.max(axis=1) - around, np.float32), centres


def line_darkness(flat: FlatSheet, starts_mm: Array, ends_mm: Array) -> Plane:
    """How dark the darkest connected line between two points is along its weaker parts, n x 2 each."""
    along = ends_mm - starts_mm
    length = np.linalg.norm(along, axis=1, keepdims=True)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1) / length
    shares = np.arange(LINE_SHARE[0], LINE_SHARE[1], STEP_MM / float(length.max()))
    flank = round(LINE_FLANK_MM / STEP_MM)
    reach = round(LINE_REACH_MM / STEP_MM) + flank
    offsets = np.arange(-reach, reach + 1) * STEP_MM
    points = (
        starts_mm[:, None, None]
        + along[:, None, None] * shares[None, :, None, None]
        + across[:, None, None] * offsets[None, None, :, None]
    )
    values = flat.sampled(flat.darkness, points.reshape(len(points), -1, 2)).reshape(points.shape[:3])
    return _strongest_path(_ridge(values, _printed(flat, points), flank))


def _printed(flat: FlatSheet, points_mm: Array) -> NDArray[np.bool_]:
    """Which points lie on a topping's print."""
    on = np.zeros(points_mm.shape[:-1], bool)
    low, high = points_mm.reshape(len(points_mm), -1, 2).min(1), points_mm.reshape(len(points_mm), -1, 2).max(1)
    for topping in flat.layout.toppings:
        centre, radius = np.array(topping.centre_mm), topping.size_mm / 2 * PRINT_ROOM
        near = np.flatnonzero(((low < centre + radius) & (high > centre - radius)).all(axis=1))
        on[near] |= ((points_mm[near] - centre) ** 2).sum(axis=-1) < radius**2
    return on


def _ridge(values: Plane, printed: NDArray[np.bool_], flank: int) -> Plane:
    """How much darker each point is than both sides of it, `flank` columns away; on print nothing is said, and
    beside it the other side counts alone. Loses as many columns at each end."""
    sides = np.where(printed, -np.inf, values)
    darker = np.maximum(sides[..., : -2 * flank], sides[..., 2 * flank :])
    middle = values[..., flank:-flank]
    silent = printed[..., flank:-flank] | np.isinf(darker)
    return np.asarray(np.where(silent, np.nan, middle - np.where(silent, 0.0, darker)), np.float32)


def _strongest_path(ridge: Plane) -> Plane:
    """Of n x steps x offsets, the darkest paths from end to end, one offset a step at most: how dark their weaker parts
    are. Where nothing is said (not a number) a path gains nothing and is not judged."""
    known = ~np.isnan(ridge)
    ridge = np.where(known, ridge, 0.0)
    total = ridge[:, 0]
    back = []
    for step in range(1, ridge.shape[1]):
        wide = np.pad(total, ((0, 0), (1, 1)), constant_values=-np.inf)
        choices = np.stack([wide[:, :-2], wide[:, 1:-1], wide[:, 2:]])
        best = choices.argmax(axis=0)
        back.append(best - 1)
        total = np.take_along_axis(choices, best[None], axis=0)[0] + ridge[:, step]
    at = total.argmax(axis=1)
    rows = np.arange(len(ridge))
    path = [np.where(known[rows, -1, at], ridge[rows, -1, at], np.nan)]
    for step in range(ridge.shape[1] - 2, -1, -1):
        at = at + back[step][rows, at]
        path.append(np.where(known[rows, step, at], ridge[rows, step, at], np.nan))
    found = np.stack(path, axis=1)
    judged = np.isfinite(found).sum(axis=1) >= LEAST_JUDGED * found.shape[1]
    found[~judged] = 0.0
    return np.asarray(np.nanquantile(found, WEAK_SHARE, axis=1), np.float32)


def _disc_points(inner_mm: float, outer_mm: float, step_mm: float) -> Array:
    """Points of a ring about (0, 0)."""
    line = np.arange(-outer_mm, outer_mm + step_mm / 2, step_mm)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    radius = np.hypot(points[:, 0], points[:, 1])
    return np.asarray(points[(radius >= inner_mm) & (radius <= outer_mm + 1e-9)])


def cross_darkness(flat: FlatSheet) -> tuple[Plane, Plane]:
    """How dark the two strokes of a cross are over each topping: the rising and the falling one, n each.

    Toppings of one kind are printed alike, and pencil only darkens: what every one of them shows is print.
    """
    along = np.arange(-CROSS_REACH_MM, CROSS_REACH_MM + STEP_MM / 2, STEP_MM)
    kinds = sorted({topping.kind for topping in flat.layout.toppings})
    strokes = np.zeros((2, len(flat.layout.toppings)), np.float32)
    for kind in kinds:
        members = [i for i, topping in enumerate(flat.layout.toppings) if topping.kind == kind]
        patches = [_patch(flat, flat.layout.toppings[i].centre_mm, CROSS_REACH_MM + 1.0) for i in members]
        radius = flat.layout.toppings[members[0]].size_mm / 2 * PRINT_ROOM
        for i, patch in zip(members, _added(patches, radius), strict=True):
            ridges = [_stroke_ridges(patch, turn, along, CROSS_SHIFTS_MM) for turn in (45.0, -45.0)]
            strokes[:, i] = [ridge.mean(axis=2).max() for ridge in ridges]
    return strokes[0], strokes[1]


def ring_darkness(flat: FlatSheet, box: BonusBox) -> float:
    """How dark the darkest closed curve about a bonus box is along its weaker parts."""
    side = min(box.size_mm)
    angles = np.radians(np.arange(0.0, 360.0, 4.0))
    flank = round(RING_FLANK_MM / STEP_MM)
    radii = np.arange(RING_SHARES[0] * side - RING_FLANK_MM, RING_SHARES[1] * side + RING_FLANK_MM, STEP_MM)
    stretch = np.array(box.size_mm) / side
    points = np.stack([np.cos(angles), np.sin(angles)], axis=-1)[:, None] * radii[None, :, None] * stretch
    values = flat.sampled(flat.darkness, np.array(box.centre_mm) + points)
    border = (np.abs(np.abs(points) - np.array(box.size_mm) / 2) < BORDER_MM).any(axis=-1)
    ridge = _ridge(values[None], border[None], flank)
    twice = np.concatenate([ridge, ridge[:, : ridge.shape[1] // 4]], axis=1)
    return float(_strongest_path(twice)[0])


def box_strokes(flat: FlatSheet, box: BonusBox) -> tuple[float, float]:
    """How dark the rising and the falling stroke of a cross over a bonus box are for most of their length: what is
    printed in the box lies under less than half of it."""
    reach = BOX_STROKE_SHARE * float(np.hypot(*box.size_mm)) / np.sqrt(2.0)
    patch = _patch(flat, box.centre_mm, reach + 3.0)
    steep = float(np.degrees(np.arctan2(box.size_mm[1], box.size_mm[0])))
    along = np.arange(-reach, reach, STEP_MM)
    found = []
    for turn in (steep, -steep):
        ridges = _stroke_ridges(patch, turn, along, BOX_STROKE_SHIFTS_MM)
        # A hand's stroke bends a little to both sides.
        bent = np.maximum(np.maximum(ridges[:, :-2], ridges[:, 1:-1]), ridges[:, 2:])
        found.append(float(np.quantile(bent, 0.35, axis=2).max()))
    return found[0], found[1]


def _patch(flat: FlatSheet, centre_mm: tuple[float, float], reach_mm: float) -> Plane:
    """The darkness about a point, y down."""
    steps = np.arange(-reach_mm, reach_mm + 0.5 / PX_PER_MM, 1.0 / PX_PER_MM)
    grid = np.stack(np.meshgrid(steps, -steps), axis=-1) + np.array(centre_mm)
    return flat.sampled(flat.darkness, grid)


def _added(patches: list[Plane], print_mm: float) -> list[Plane]:
    """What each patch shows that not all of them do; beyond the print's radius, all that it shows."""
    if len(patches) == 1:
        return patches
    side = 2 * round(SLACK_MM * PX_PER_MM) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    common = np.stack([cv2.dilate(patch, kernel) for patch in patches]).min(axis=0)
    y, x = (np.indices(common.shape) - (common.shape[0] - 1) / 2) / PX_PER_MM
    common[np.hypot(x, y) > print_mm] = 0.0
    return [np.asarray(patch - common, np.float32) for patch in patches]


def _stroke_ridges(patch: Plane, turn_deg: float, along_mm: Array, shifts_mm: Array) -> Plane:
    """turns x shifts x along: how much darker a stroke near this direction is than what lies on both sides of it."""
    turns = np.radians(turn_deg + CROSS_TURNS_DEG)
    direction = np.stack([np.cos(turns), -np.sin(turns)], axis=-1)
    normal = np.stack([np.sin(turns), np.cos(turns)], axis=-1)
    shifts = np.concatenate([shifts_mm, shifts_mm - CROSS_FLANK_MM, shifts_mm + CROSS_FLANK_MM])
    points = (
        direction[:, None, None] * along_mm[None, None, :, None] + normal[:, None, None] * shifts[None, :, None, None]
    )
    pixels = (points * PX_PER_MM + (patch.shape[0] - 1) / 2).astype(np.float32).reshape(len(turns), -1, 2)
    values = cv2.remap(patch, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    middle, left, right = np.split(values.reshape(len(turns), len(shifts), len(along_mm)), 3, axis=1)
    return np.asarray(np.clip(middle - np.maximum(left, right), -0.3, 0.6), np.float32)
