"""What is measured of each place of a flat sheet that may be marked. All in logarithms of darkness.

A measure says how dark the strongest mark of the expected form is there, against what lies beside it: smudges are wide,
print is where it is on every sheet, and both cancel.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sheets.flattening import PX_PER_MM, FlatSheet, Plane, disc_points
from vision.sheets.layout import Array, BonusBox, PrintedTopping
from vision.short_axes import median_of, middle_row, row_medians, row_quantiles

Bools = NDArray[np.bool_]

DOT_REACH_MM = 1.6
"""How far from its place a dot may be pencilled."""
CORNER_REACH_MM = 0.9
"""How far beyond a corner of the grid: a frame around it is as near to a disc there as to one beside the other dots, in
spite of its round corner, which in a soft picture looks like a dot."""
DOT_CORE_MM = 0.62
"""A pencilled dot is dark all over a disc of this radius; a printed one or a line is smaller."""
DOT_WIDE_MM = 1.0
"""Most dots are dark to here."""
DOT_RING_MM = (2.3, 3.3)
MOST_RING_OFF_MM = 0.6
"""Out of focus it is looked for farther off, up to so much: toppings are near."""
DOT_SOFT_MM = (0.5, 1.5)

LINE_SHARE = (0.27, 0.73)
"""The part of a line that is measured: dots hide its ends."""
LINE_REACH_MM = 1.3
LINE_FLANK_MM = 1.0
FLANK_BLURS, MOST_FLANK_MM = 1.6, 2.2
"""Out of focus, what lies beside a mark is so many times the blur's deviation from its middle, but no farther: nearer
the mark itself is seen."""
PRINT_ROOM = 1.1
"""Times its size, a topping's print spreads with the picture's softness; lines are looked for beside it."""
PRINT_BLURS, PRINT_SHARP_MM = 0.5, 0.4
"""Out of focus it spreads farther where it is seen, by so many times what the blur's deviation exceeds the last by."""
CROSS_ROOM = 1.7
"""And so far the ends of a cross over it reach, next to the dots: those are looked for beyond."""
STEP_MM = 0.25
PATH_SHARES = (0.1, 0.25, 0.5, 0.75)
"""A line is as strong as its weaker parts: the quantiles along it that are told."""
LEAST_JUDGED = 0.4
"""A path of which less is judged is none."""
PROFILE_MM = 4.0
"""A printed dot is looked at so far to all sides: no neighbour is nearer, no motion that can be read smears more."""
BAND_MM = 2.6
"""So far to both sides of the outer dots a print may have a border."""
LEAST_FREE = 2
"""So many edges without a line show it."""

RIM_MM, RIM_SIDES = 2.0, 32
"""So far beyond a topping's print it is looked how much of it spreads there, to so many sides."""

CROSS_REACH_MM = 4.2
"""Strokes over a topping are looked for so far from its middle."""
CROSS_TURNS_DEG = np.arange(-24.0, 25.0, 6.0)
CROSS_SHIFTS_MM = np.arange(-1.2, 1.3, 0.2)
CROSS_FLANK_MM = 0.8
SLACK_MM = 0.45
"""How far prints of one kind may be off each other."""

RING_SHARES = (0.33, 0.62)
"""Circles about a bonus are looked for at radii of so many times the box's smaller side."""
RING_FLANK_MM = 1.0
ANY_RING_SHARES = (0.15, 0.62)
"""Those of any size, also beside its middle, at radii of so many times that side,"""
RING_MIDDLES = np.arange(-0.4, 0.41, 0.1)
"""about points so many times the box's sides off its middle,"""
RING_STEP_DEG = 10.0
"""in such steps."""
BORDER_MM = 0.8
"""Half the width in which a box's printed edge says nothing."""
BOX_STROKE_SHARE = 0.36
"""Strokes over a box are looked for so far from its middle, in its smaller side."""
BOX_STROKE_SHIFTS_MM = np.arange(-3.3, 3.4, 0.3)
ARM_SHARE = 0.7
"""The arms of a stroke begin at this share of its reach."""


@dataclass(frozen=True, slots=True)
class Dots:
    """Of each of n places."""

    core: Plane
    """How dark a dot is there, against what is around it."""
    wide: Plane
    """The same for a larger dot at the same point."""
    middle: Plane
    around: Plane
    """How dark what is around it is."""
    centres_mm: Array
    """n x 2: where it is darkest."""
    beside: Plane
    """How much darker it is where a cross may end: that may be a dot as well."""


@dataclass(frozen=True, slots=True)
class Paths:
    """Of each of n lines, the strongest path between its ends."""

    quantiles: Plane
    """n x `PATH_SHARES`: how much darker it is than both its sides."""
    plain: Plane
    """How much darker its weaker parts are than half of all about it."""
    judged: Plane
    """The share of it that was measured; print hides the rest."""
    bend: Plane
    """How far (mm) it strays from the straight line."""
    straight: Plane
    """n x 2: how much darker on average the darkest straight line of its direction is than what lies beside it, and
    how much lines of that direction differ."""


@dataclass(frozen=True, slots=True)
class Strokes:
    """The strongest stroke of each direction over n places: n x 2, rising and falling."""

    whole: Plane
    """How much darker it is than both its sides, on average."""
    weak: Plane
    """The same of its weaker parts."""
    inner: Plane
    """Of the part in the middle."""
    arms: Plane
    """n x 2 x 2: of both ends."""

    def of(self, places: NDArray[np.intp]) -> "Strokes":
        """Those over these of the places."""
        return Strokes(*(part[places] for part in (self.whole, self.weak, self.inner, self.arms)))


def noise_of(flat: FlatSheet) -> float:
    """How much darkness spreads on bare paper."""
    plane = flat.darkness[::2, ::2]
    return median_of(np.abs(plane - cv2.blur(plane, (5, 5)))) * 1.5 + 1e-3


def dots(flat: FlatSheet, places_mm: Array, crossed: Sequence[PrintedTopping] = ()) -> Dots:
    """Measure dots at places (n x 2). Crosses over the toppings that may be `crossed` end beside some."""
    part = _around(flat, places_mm)
    core = _eroded(flat.darkness, DOT_CORE_MM, part)
    near = disc_points(0.0, DOT_REACH_MM, 0.25)
    points = places_mm[:, None] + near
    everywhere = np.where(_beyond_corners(places_mm, near), -np.inf, flat.sampled(core, points))
    values = np.where(_near_toppings(crossed, points, CROSS_ROOM), -np.inf, everywhere)
    centres = places_mm + near[values.argmax(axis=1)]
    ring = flat.sampled(flat.darkness, centres[:, None] + disc_points(*_dot_ring(flat), 0.35))
    around = row_quantiles(ring, 0.35)
    wide = flat.sampled(_eroded(flat.darkness, DOT_WIDE_MM, part), centres)
    middle = flat.sampled(flat.darkness, centres)
    beside = everywhere.max(axis=1) - values.max(axis=1)
    return Dots(values.max(axis=1) - around, wide - around, middle - around, around, centres, beside)


def printed_widths(flat: FlatSheet, places_mm: Array) -> tuple[float, float]:
    """How wide (mm, across and along the sheet) what is printed at places (n x 2) is where it is half as dark as in its
    middle: what is seen of a small dot tells how the picture is blurred."""
    steps = np.arange(-PROFILE_MM, PROFILE_MM + STEP_MM / 2, STEP_MM)
    across = np.column_stack([steps, np.zeros_like(steps)])
    widths = []
    for line in (across, across[:, ::-1]):
        profile = np.median(flat.sampled(flat.darkness, places_mm[:, None] + line), axis=0)
        profile = profile - np.quantile(profile, 0.2)
        middle = float(profile[np.abs(steps) <= DOT_CORE_MM].max())
        widths.append(float((profile > middle / 2).sum()) * STEP_MM if middle > 0.0 else 0.0)
    return widths[0], widths[1]


def soft_dots(flat: FlatSheet, places_mm: Array, crossed: Sequence[PrintedTopping], found: Dots) -> tuple[Plane, Plane]:
    """How dark it is at most at each place where a dot was `found`, softened, and how dark all about it is: of a small
    faint dot more is left than at its core."""
    near, part = disc_points(0.0, DOT_REACH_MM, 0.25), _around(flat, places_mm)
    points = places_mm[:, None] + near
    softened = flat.sampled(_softened(flat.darkness, DOT_SOFT_MM[0], part), points)
    elsewhere = _near_toppings(crossed, points, CROSS_ROOM) | _beyond_corners(places_mm, near)
    peaks = np.where(elsewhere, -np.inf, softened).max(axis=1)
    broad = flat.sampled(_softened(flat.darkness, DOT_SOFT_MM[1], part), found.centres_mm)
    return np.asarray(peaks - found.around, np.float32), np.asarray(broad - found.around, np.float32)


def without_rims(flat: FlatSheet, plane: Plane) -> Plane:
    """The plane without what toppings' print spreads around them in a picture that is not sharp: beside them that looks
    like a line between their dots. Toppings of one kind spread alike to all sides, few of which are pencilled on."""
    result = plane.copy()
    for kind in sorted({topping.kind for topping in flat.layout.toppings}):
        alike = [topping for topping in flat.layout.toppings if topping.kind == kind]
        radii, spread = _rim(flat, alike)
        for topping in alike:
            column, row = (float(at) for at in flat.at(np.array(topping.centre_mm)))
            reach = round(radii[-1] * PX_PER_MM)
            part = tuple(slice(max(round(at) - reach, 0), round(at) + reach + 1) for at in (row, column))
            rows, columns = np.indices(result[part].shape)
            away = np.hypot(rows + part[0].start - row, columns + part[1].start - column) / PX_PER_MM
            result[part] -= np.interp(away, radii, spread, left=0.0, right=0.0).astype(np.float32)
    return result


def _rim(flat: FlatSheet, toppings: Sequence[PrintedTopping]) -> tuple[Array, Array]:
    """How far from the middle of toppings printed alike it is darker than paper beyond their print (n), and by how much
    (n), to most sides of most of them."""
    edge = toppings[0].size_mm / 2
    radii = np.arange(edge, edge + RIM_MM, 1.0 / PX_PER_MM)
    turns = np.radians(np.arange(0.0, 360.0, 360.0 / RIM_SIDES))
    rays = np.stack([np.cos(turns), np.sin(turns)], axis=-1)[:, None] * radii[:, None]
    points = np.array([topping.centre_mm for topping in toppings])[:, None, None] + rays
    along = points.reshape(-1, len(radii), 2)
    open_ones = (flat.sampled(flat.foreign.astype(np.float32), along) == 0.0).all(axis=1)
    darkness = flat.sampled(flat.darkness, along)[open_ones]
    if not len(darkness):
        return radii, np.zeros(len(radii))
    usual = middle_row(darkness)
    return radii, np.minimum.accumulate(np.clip(usual - usual[-1], 0.0, None))


def without_border(flat: FlatSheet, free: Bools) -> tuple[Plane, float]:
    """The darkness without what is printed along the outer dots, and how dark that is at most.

    `free` are the outer edges (above, right, below, left; each from the left or from above) that no line is on: they
    show the print, which is the same on all four sides. Where none is, nothing is taken off.
    """
    plane = flat.darkness.copy()
    sides = _sides(flat, plane)
    shown = [_repeated(edges, side.shape[1]) for edges, side in zip(_by_side(flat, free), sides, strict=True)]
    if free.sum() < LEAST_FREE:
        return plane, 0.0
    print_profile = row_medians(np.concatenate([side[:, at] for side, at in zip(sides, shown, strict=True)], axis=1))
    for side, at, edges in zip(sides, shown, _by_side(flat, free), strict=True):
        own = row_medians(side[:, at]) if edges.sum() >= LEAST_FREE else print_profile
        # A sheet is not quite flat, and no lens is quite known: the print may be a pixel off.
        wide = np.maximum(np.maximum(own, np.roll(own, 1)), np.roll(own, -1))
        side -= np.clip(wide, 0.0, None).astype(np.float32)[:, None]
    middle = len(print_profile) // 2
    return plane, float(print_profile[middle // 2 : -(middle // 2)].max())


def _sides(flat: FlatSheet, plane: Plane) -> list[Plane]:
    """Bands along the outer dots, above, right, below and left, from outside inwards: what is taken off them is taken
    off the plane."""
    layout = flat.layout
    last = layout.dot_mm((layout.columns - 1, layout.rows - 1))
    (x0, x1), (y0, y1) = (np.round(at).astype(int) for at in flat.at(np.array([layout.first_mm, last])))
    band = round(BAND_MM * PX_PER_MM)
    above, below = plane[y0 - band : y0 + band + 1, x0:x1], plane[y1 - band : y1 + band + 1, x0:x1]
    left, right = plane[y0:y1, x0 - band : x0 + band + 1].T, plane[y0:y1, x1 - band : x1 + band + 1].T
    return [above, right[::-1], below[::-1], left]


def _by_side(flat: FlatSheet, edges: Bools) -> list[Bools]:
    across, down = flat.layout.columns - 1, flat.layout.rows - 1
    return list(np.split(edges, np.cumsum([across, down, across])))


def _repeated(edges: Bools, count: int) -> Bools:
    """Of `count` pixels along a side, those whose edge is one of these."""
    return np.asarray(edges[np.arange(count) * len(edges) // count])


def lines(flat: FlatSheet, plane: Plane, starts_mm: Array, ends_mm: Array) -> Paths:
    """Measure the strongest connected lines between points, n x 2 each, on this plane of darkness."""
    along = ends_mm - starts_mm
    length = np.linalg.norm(along, axis=1, keepdims=True)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1) / length
    shares = np.arange(LINE_SHARE[0], LINE_SHARE[1], STEP_MM / float(length.max()))
    flank = round(_flank_mm(flat, LINE_FLANK_MM) / STEP_MM)
    reach = round(LINE_REACH_MM / STEP_MM) + flank
    offsets = np.arange(-reach, reach + 1) * STEP_MM
    points = (
        starts_mm[:, None, None]
        + along[:, None, None] * shares[None, :, None, None]
        + across[:, None, None] * offsets[None, None, :, None]
    )
    values = flat.sampled(plane, points.reshape(len(points), -1, 2)).reshape(points.shape[:3])
    ridge = _ridge(values, _printed(flat, points), flank)
    found, at = _strongest_path(ridge)
    on_path = np.take_along_axis(values[..., flank:-flank], at[..., None], axis=2)[..., 0]
    usual = row_medians(values.reshape(len(values), -1))
    stray = np.abs(at - (ridge.shape[2] - 1) / 2).max(axis=1) * STEP_MM
    judged = np.isfinite(found).mean(axis=1)
    known = np.isfinite(ridge)
    beside = (values[..., : -2 * flank] + values[..., 2 * flank :]) / 2
    sums = np.where(known, values[..., flank:-flank] - beside, 0.0).sum(axis=1)
    means = sums / np.maximum(known.sum(axis=1), 1)
    return Paths(
        quantiles=_quantiles(found),
        plain=row_quantiles(on_path, 0.25) - usual,
        judged=np.asarray(judged, np.float32),
        bend=np.asarray(stray, np.float32),
        straight=np.column_stack([means.max(axis=1), means.std(axis=1)]).astype(np.float32),
    )


def crosses(flat: FlatSheet, toppings: Sequence[PrintedTopping], hidden: Bools) -> tuple[Strokes, Plane]:
    """Strokes over each of these toppings, and how dark what was added to its print is inside it; nothing is learned of
    the print from those that are `hidden`.

    Where a sheet was never seen blank: toppings of one kind are printed alike, and pencil only darkens; what every one
    of them shows is print.
    """
    patches = [_patch(flat.darkness, flat, topping.centre_mm, CROSS_REACH_MM + 1.4) for topping in toppings]
    added = np.zeros(len(toppings), np.float32)
    for kind in sorted({topping.kind for topping in toppings}):
        members = [i for i, topping in enumerate(toppings) if topping.kind == kind]
        radius = toppings[members[0]].size_mm / 2 * PRINT_ROOM
        mine = [patches[i] for i in members]
        if flat.blank is None:
            mine = _added(mine, [not hidden[i] for i in members], radius)
        else:
            mine = [_pencilled(flat, flat.blank, toppings[i], patches[i], radius) for i in members]
        for i, patch in zip(members, mine, strict=True):
            patches[i] = patch
            y, x = (np.indices(patch.shape) - (patch.shape[0] - 1) / 2) / PX_PER_MM
            added[i] = float(patch[np.hypot(x, y) < radius].mean())
    along = np.arange(-CROSS_REACH_MM, CROSS_REACH_MM + STEP_MM / 2, STEP_MM)
    flank_mm = _flank_mm(flat, CROSS_FLANK_MM)
    return _strokes(patches, [45.0] * len(patches), along, CROSS_SHIFTS_MM, flank_mm), added


def rings(flat: FlatSheet, boxes: Sequence[BonusBox]) -> Plane:
    """n x `PATH_SHARES`: how dark the darkest closed curve about each bonus box is, along its weaker parts."""
    angles = np.radians(np.arange(0.0, 360.0, 5.0))
    flank = round(_flank_mm(flat, RING_FLANK_MM) / STEP_MM)
    ridges = []
    for box in boxes:
        side = min(box.size_mm)
        count = round((RING_SHARES[1] - RING_SHARES[0]) * min(min(b.size_mm) for b in boxes) / STEP_MM) + 2 * flank
        radii = RING_SHARES[0] * side + (np.arange(count) - flank) * STEP_MM
        stretch = np.array(box.size_mm) / side
        points = np.stack([np.cos(angles), np.sin(angles)], axis=-1)[:, None] * radii[None, :, None] * stretch
        values = flat.sampled(flat.darkness, np.array(box.centre_mm) + points)
        border = (np.abs(np.abs(points) - np.array(box.size_mm) / 2) < BORDER_MM).any(axis=-1)
        ridges.append(_ridge(values[None], border[None], flank)[0])
    ridge = np.stack(ridges)
    found, _ = _strongest_path(np.concatenate([ridge, ridge[:, : ridge.shape[1] // 4]], axis=1))
    return _quantiles(found)


def any_rings(flat: FlatSheet, boxes: Sequence[BonusBox]) -> Plane:
    """n x `PATH_SHARES`: the same of closed curves of any size about any point in each box: some circle no more than
    the number in it. Of these it is the one whose weaker parts are darkest."""
    flank = round(_flank_mm(flat, RING_FLANK_MM) / STEP_MM)
    found = np.empty((len(boxes), len(PATH_SHARES)), np.float32)
    for i, box in enumerate(boxes):
        reach, columns, rows, border = _ring_pixels(box.size_mm, flank)
        patch = _patch(flat.darkness, flat, box.centre_mm, reach)
        values = np.asarray(cv2.remap(patch, columns, rows, cv2.INTER_LINEAR), np.float32)
        ridge = _ridge(values.reshape(border.shape), border, flank)
        paths, _ = _strongest_path(np.concatenate([ridge, ridge[:, : ridge.shape[1] // 4]], axis=1))
        shares = _quantiles(paths)
        found[i] = shares[shares[:, 1].argmax()]
    return found


@lru_cache(maxsize=16)
def _ring_pixels(size_mm: tuple[float, float], flank: int) -> tuple[float, Plane, Plane, Bools]:
    """How far (mm) a patch reaches that holds all curves about points in a box of this size; of those points x
    directions x radii the columns and rows in it, and which are on the box's border."""
    side = min(size_mm)
    turns = np.radians(np.arange(0.0, 360.0, RING_STEP_DEG))
    directions = np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    count = round((ANY_RING_SHARES[1] - ANY_RING_SHARES[0]) * side / STEP_MM) + 2 * flank
    radii = ANY_RING_SHARES[0] * side + (np.arange(count) - flank) * STEP_MM
    middles = np.stack(np.meshgrid(RING_MIDDLES, RING_MIDDLES), axis=-1).reshape(-1, 1, 1, 2) * side
    points = (middles + directions[:, None] * radii[:, None]) * (np.array(size_mm) / side)
    border = (np.abs(np.abs(points) - np.array(size_mm) / 2) < BORDER_MM).any(axis=-1)
    reach = float(np.abs(points).max())
    pixels = np.asarray(points * (PX_PER_MM, -PX_PER_MM), np.float32) + np.float32(round(reach * PX_PER_MM))
    columns, rows = (np.ascontiguousarray(pixels[..., i]).reshape(len(points), -1) for i in range(2))
    for plane in (columns, rows, border):
        plane.setflags(write=False)
    return reach, columns, rows, border


def box_crosses(flat: FlatSheet, boxes: Sequence[BonusBox]) -> Strokes:
    """Strokes over each bonus box from corner to corner: what is printed in it lies under less than half of them."""
    reach = BOX_STROKE_SHARE * min(float(np.hypot(*box.size_mm)) for box in boxes) / np.sqrt(2.0)
    patches = [_patch(flat.darkness, flat, box.centre_mm, reach + 4.2) for box in boxes]
    steep = [float(np.degrees(np.arctan2(box.size_mm[1], box.size_mm[0]))) for box in boxes]
    along = np.arange(-reach, reach, STEP_MM)
    return _strokes(patches, steep, along, BOX_STROKE_SHIFTS_MM, _flank_mm(flat, CROSS_FLANK_MM))


def _flank_mm(flat: FlatSheet, usual_mm: float) -> float:
    """How far from a mark's middle is what lies beside it; to a fifth of a millimetre, as few are prepared."""
    if not flat.soft_mm:
        return usual_mm
    return max(usual_mm, round(min(FLANK_BLURS * flat.soft_mm, MOST_FLANK_MM) * 5) / 5)


def _beyond_corners(places_mm: Array, near_mm: Array) -> Bools:
    """Which points near each of the grid's dots (n x 2) lie too far beyond a corner of the grid (n x m). `near_mm`
    (m x 2): how far each point is from its dot."""
    outward = (places_mm == places_mm.max(0)).astype(np.float64) - (places_mm == places_mm.min(0))
    at_corner = np.abs(outward).sum(1) == 2.0
    return np.asarray(at_corner[:, None] & (outward @ near_mm.T / np.sqrt(2.0) > CORNER_REACH_MM))


def _dot_ring(flat: FlatSheet) -> tuple[float, float]:
    """Where what is around a dot is looked at."""
    farther = float(np.clip(DOT_RING_MM[0] * (flat.soft_mm - 1.0), 0.0, MOST_RING_OFF_MM))
    return DOT_RING_MM[0] + farther, DOT_RING_MM[1] + farther


def _around(flat: FlatSheet, places_mm: Array) -> tuple[slice, slice]:
    """The rows and columns in which dots at these places (n x 2) may be pencilled."""
    room = DOT_REACH_MM * PX_PER_MM + 2
    columns, rows = flat.at(places_mm)
    return slice(max(int(rows.min() - room), 0), int(rows.max() + room) + 1), slice(
        max(int(columns.min() - room), 0), int(columns.max() + room) + 1
    )


def _softened(plane: Plane, sigma_mm: float, part: tuple[slice, slice]) -> Plane:
    """This part of a plane softened, the rest empty."""
    sigma = sigma_mm * PX_PER_MM
    return _in_part(plane, part, round(4 * sigma) + 1, lambda some: cv2.GaussianBlur(some, (0, 0), sigma))


def _eroded(plane: Plane, radius_mm: float, part: tuple[slice, slice]) -> Plane:
    """This part of a plane eroded, the rest empty."""
    side = 2 * round(radius_mm * PX_PER_MM) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    return _in_part(plane, part, side, lambda some: cv2.erode(some, disc))


def _in_part(plane: Plane, part: tuple[slice, slice], reach: int, done: Callable[[Plane], cv2.typing.MatLike]) -> Plane:
    """What is done to this part of a plane, where each pixel depends on those no farther than `reach`."""
    wider = tuple(slice(max(one.start - reach, 0), one.stop + reach) for one in part)
    result = np.zeros_like(plane)
    result[wider] = done(plane[wider])
    return result


def _printed(flat: FlatSheet, points_mm: Array) -> Bools:
    """Which points lie on a topping's print, or, where that is seen, in its blur."""
    toppings = flat.layout.toppings
    if flat.blank is not None or not toppings:
        return _near_toppings(toppings, points_mm, PRINT_ROOM)
    blurred = PRINT_BLURS * max(flat.soft_mm - PRINT_SHARP_MM, 0.0) / (toppings[0].size_mm / 2)
    return _near_toppings(toppings, points_mm, PRINT_ROOM + blurred)


def _near_toppings(toppings: Sequence[PrintedTopping], points_mm: Array, room: float) -> Bools:
    """Which points lie within so many times the print of one of these."""
    rows = points_mm.reshape(len(points_mm), -1, 2)
    on = np.zeros(rows.shape[:2], bool)
    if toppings:
        centres = np.array([topping.centre_mm for topping in toppings])
        radii = np.array([topping.size_mm for topping in toppings]) / 2 * room
        # Each coordinate by itself: numpy is slow along an axis before one so short.
        x, y = (np.ascontiguousarray(rows[..., i]) for i in range(2))
        beside = np.ones((len(rows), len(toppings)), bool)
        for one, middle in ((x, centres[:, 0]), (y, centres[:, 1])):
            beside &= (one.min(1)[:, None] < middle + radii) & (one.max(1)[:, None] > middle - radii)
        row, topping = np.nonzero(beside)
        off_x, off_y = x[row] - centres[topping, :1], y[row] - centres[topping, 1:]
        within = off_x * off_x + off_y * off_y < np.square(radii[topping, None])
        first = np.flatnonzero(np.diff(row, prepend=-1))
        if len(row):
            on[row[first]] = np.logical_or.reduceat(within, first, axis=0)
    return on.reshape(points_mm.shape[:-1])


def _ridge(values: Plane, printed: Bools, flank: int) -> Plane:
    """How much darker each point is than both sides of it, `flank` columns away; on print nothing is said, and
    beside it the other side counts alone. Loses as many columns at each end."""
    sides = np.where(printed, -np.inf, values)
    darker = np.maximum(sides[..., : -2 * flank], sides[..., 2 * flank :])
    middle = values[..., flank:-flank]
    silent = printed[..., flank:-flank] | np.isinf(darker)
    return np.asarray(np.where(silent, np.nan, middle - np.where(silent, 0.0, darker)), np.float32)


def _strongest_path(ridge: Plane) -> tuple[Plane, NDArray[np.intp]]:
    """Of n x steps x offsets, the darkest paths from end to end, one offset a step at most: how dark they are, and
    their offsets, n x steps each. Where nothing is said (not a number) a path gains nothing."""
    known = np.nan_to_num(ridge, nan=0.0)
    count, steps, width = ridge.shape
    total = np.full((count, steps, width + 2), -np.inf, ridge.dtype)
    total[:, 0, 1:-1] = known[:, 0]
    for step in range(1, steps):
        before, here = total[:, step - 1], total[:, step, 1:-1]
        np.maximum(before[:, :-2], before[:, 1:-1], out=here)
        np.maximum(here, before[:, 2:], out=here)
        here += known[:, step]
    ways = np.arange(3)[:, None] + np.arange(count) * steps * (width + 2)
    at = total[:, -1, 1:-1].argmax(axis=1)
    offsets = np.empty((count, steps), np.intp)
    offsets[:, -1] = at
    for step in range(steps - 2, -1, -1):
        at = at + total.take(ways + (at + step * (width + 2))).argmax(axis=0) - 1
        offsets[:, step] = at
    return np.take_along_axis(ridge, offsets[..., None], axis=2)[..., 0], offsets


def _quantiles(found: Plane) -> Plane:
    """The `PATH_SHARES` along n paths; 0 where too little of one is judged."""
    told = found.copy()
    told[np.isfinite(found).mean(axis=1) < LEAST_JUDGED] = 0.0
    # Sorted, what is no number is last: quantiles of the rest.
    ranked, count = np.sort(told, axis=1), np.isfinite(told).sum(axis=1)
    places = np.array(PATH_SHARES) * (count[:, None] - 1)
    low = np.floor(places).astype(int)
    high = np.minimum(low + 1, count[:, None] - 1)
    rows = np.arange(len(told))[:, None]
    return np.asarray(ranked[rows, low] + (ranked[rows, high] - ranked[rows, low]) * (places - low), np.float32)


def _pencilled(flat: FlatSheet, blank: Plane, topping: PrintedTopping, patch: Plane, radius_mm: float) -> Plane:
    """What a patch shows that the blank sheet did not, print laid on print: neither was laid out quite right."""
    return np.asarray(patch - _aligned(_patch(blank, flat, topping.centre_mm, CROSS_REACH_MM + 1.4), patch, radius_mm))


def _patch(plane: Plane, flat: FlatSheet, centre_mm: tuple[float, float], reach_mm: float) -> Plane:
    """A plane of a sheet about a point, y down."""
    count = 2 * round(reach_mm * PX_PER_MM) + 1
    x, y = flat.at(np.array(centre_mm))
    return np.asarray(cv2.getRectSubPix(plane, (count, count), (float(x), float(y))), np.float32)


def _added(patches: list[Plane], shown: list[bool], print_mm: float) -> list[Plane]:
    """What each patch shows that not all that are shown do; beyond the print's radius, all that it shows."""
    if sum(shown) < 2:
        return patches
    y, x = (np.indices(patches[0].shape) - (patches[0].shape[0] - 1) / 2) / PX_PER_MM
    usual = np.median(np.stack(patches)[shown], axis=0).astype(np.float32)
    aligned = np.stack([_aligned(patch, usual, print_mm) for patch in patches])
    common = aligned[shown].min(axis=0)
    common[np.hypot(x, y) > print_mm] = 0.0
    return [np.asarray(patch - common, np.float32) for patch in aligned]


def _aligned(patch: Plane, usual: Plane, print_mm: float) -> Plane:
    """The patch moved to where the print in it fits the usual one best."""
    slack, half, middle = round(SLACK_MM * PX_PER_MM), round(print_mm * PX_PER_MM), patch.shape[0] // 2
    template = usual[middle - half : middle + half + 1, middle - half : middle + half + 1]
    reach = half + slack
    window = patch[middle - reach : middle + reach + 1, middle - reach : middle + reach + 1]
    scores = np.asarray(cv2.matchTemplate(window, template, cv2.TM_CCOEFF_NORMED), np.float32)
    _, _, _, (x, y) = cv2.minMaxLoc(scores)
    if not (0 < x < 2 * slack and 0 < y < 2 * slack):
        return patch
    shift = (x + _top(scores[y, x - 1 : x + 2]) - slack, y + _top(scores[y - 1 : y + 2, x]) - slack)
    size, centre = (patch.shape[1], patch.shape[0]), (middle + shift[0], middle + shift[1])
    return np.asarray(cv2.getRectSubPix(patch, size, centre), np.float32)


def _top(three: Plane) -> float:
    """Where a parabola through three values has its top, from the middle one."""
    left, middle, right = (float(value) for value in three)
    bend = left - 2 * middle + right
    return 0.0 if bend >= 0 else float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5))


def _strokes(
    patches: Sequence[Plane], steep_deg: Sequence[float], along_mm: Array, shifts_mm: Array, flank_mm: float
) -> Strokes:
    """The strongest strokes near both diagonals of each patch, all of one size."""
    inner = np.abs(along_mm) < ARM_SHARE * along_mm.max()
    ends = (along_mm <= -ARM_SHARE * along_mm.max(), along_mm >= ARM_SHARE * along_mm.max())
    along, shifts, size = tuple(along_mm.tolist()), tuple(shifts_mm.tolist()), len(patches[0]) if patches else 0
    pixels = {
        turn: _stroke_pixels(turn, along, shifts, flank_mm, size)
        for steep in set(steep_deg)
        for turn in (steep, -steep)
    }
    found = np.empty((2 * len(patches), len(along_mm)), np.float32)
    for i, (patch, steep) in enumerate(zip(patches, steep_deg, strict=True)):
        for j, turn in enumerate((steep, -steep)):
            ridges = _stroke_ridges(patch, pixels[turn], len(along_mm))
            # A hand's stroke bends a little to both sides.
            bent = np.maximum(np.maximum(ridges[:, :-2], ridges[:, 1:-1]), ridges[:, 2:]).reshape(-1, len(along_mm))
            found[2 * i + j] = bent[int(np.maximum(bent, np.float32(-0.1)).mean(axis=1).argmax())]
    parts = [found, found[:, inner], *(found[:, end] for end in ends)]
    whole, middle, first, last = (part.mean(axis=1) for part in parts)
    weak = row_quantiles(found, 0.3)
    values = np.stack([whole, weak, middle, first, last], axis=1).astype(np.float32).reshape(-1, 2, 5)
    return Strokes(values[..., 0], values[..., 1], values[..., 2], values[..., 3:])


@lru_cache(maxsize=16)
def _stroke_pixels(
    turn_deg: float, along_mm: tuple[float, ...], shifts_mm: tuple[float, ...], flank_mm: float, size: int
) -> tuple[Plane, Plane]:
    """turns x (shifts, those of one flank, those of the other, times along): columns and rows, in a patch of this size,
    of strokes near this direction and of what lies on both sides of them."""
    turns = np.radians(turn_deg + CROSS_TURNS_DEG)
    direction = np.stack([np.cos(turns), -np.sin(turns)], axis=-1)
    normal = np.stack([np.sin(turns), np.cos(turns)], axis=-1)
    along, middle = np.array(along_mm), np.array(shifts_mm)
    shifts = np.concatenate([middle, middle - flank_mm, middle + flank_mm])
    points = direction[:, None, None] * along[None, None, :, None] + normal[:, None, None] * shifts[None, :, None, None]
    pixels = np.asarray(points * PX_PER_MM, np.float32).reshape(len(turns), -1, 2) + np.float32((size - 1) / 2)
    columns, rows = (np.ascontiguousarray(pixels[..., i]) for i in range(2))
    for plane in (columns, rows):
        plane.setflags(write=False)
    return columns, rows


def _stroke_ridges(patch: Plane, pixels: tuple[Plane, Plane], count: int) -> Plane:
    """turns x shifts x `count` along: how much darker a stroke is than what lies on both sides of it."""
    values = cv2.remap(patch, *pixels, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    values = np.asarray(values, np.float32).reshape(len(pixels[0]), -1, count)
    third = values.shape[1] // 3
    ridges = values[:, :third] - np.maximum(values[:, third : 2 * third], values[:, 2 * third :])
    return np.minimum(np.maximum(ridges, np.float32(-0.3), out=ridges), np.float32(0.6), out=ridges)
