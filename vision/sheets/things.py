"""What lies on a flat sheet: pencils, pens, coins, erasers, whatever their colour.

What is of no colour that paper has in any light is known in flattening. Here it is told by the print that does not
show, as neither light nor pencil takes it away; and things long and straight go on between where they are seen, and
end in a point that looks like pencil.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sheets.flattening import BESIDE, CELL_MM, IN_BOX, IN_GRID, FlatSheet, Mask, Plane, disc_points
from vision.sheets.layout import Array, SheetLayout
from vision.sheets.missing_print import boxes_missing, dots_missing, toppings_missing

Bools = NDArray[np.bool_]

ROUND_MM = 3.2
"""So far around a dot that is missing something lies at least."""
LONG_MM, THIN_MM = 20.0, 2.0
"""Longer and wider than this nothing is printed, nor drawn in one stroke,"""
STROKE_MM, BESIDE_STROKE, ENDS = 2.7, 0.35, 3
"""What pens draw along lines is half as dark as it gets over no more than this, and beside it paper has no more of that
darkness: so were blue, green, red and purple lines on 14 drawn sheets (seeds 63200 to 63213); a skewer is 3 mm wide, a
pencil 7."""
STROKE_BLUR_MM, FULL_WIDTH = 0.55, 2.355
"""Where the blur's deviation is more than the first, strokes look wider by so many times the rest."""
INK_WITHIN_MM, INK, INK_COLOUR = 1.6, 0.35, 0.4
"""A dot of ink is so dark (logarithm) no farther from its place, and takes of one colour less than of another by such a
share of that: of the simulated pens' purple and green, the palest in this, by 0.6, graphite and black by none."""
BROAD_MM, STROKES_ROOM_MM = 5.0, 6.0
"""Its colour shows within the second, but what is as broad as the first was not drawn;"""
ACROSS_MM, BETWEEN_DOTS = np.linspace(-3.0, 3.0, 16), np.linspace(0.3, 0.7, 5)
"""it is looked so far to both sides of a line, at such shares of its length."""
DIRECTIONS, WHOLE, TOLD_SHARE = 24, 0.92, 0.95
"""in any of so many directions; where so much of it can be told, what is odd all over but for little is a thing."""
PLACES = (IN_GRID, IN_BOX, BESIDE)
REACHES = 4
"""So many cells of it in the grid, or in a box and beside it, are no print."""
SOFT_CELLS = 5
"""What is known to be foreign has been made wider by so many cells."""
MOST_WIDE_MM = 13.0
"""What is wider is no pencil, and need not go on straight."""
CHAIN, CHAIN_HALF_MM, APART_MM, MOST_IN_CHAINS = 3, 4.0, 40.0, 24
"""So many places where print does not show, no farther from one line and from each other, lie under something straight;
of more than the last something else lies there."""
GOES_ON, ALONG_MM, GAP_MM = 0.06, 3.0, 4.0
"""Something straight goes on while it differs (logarithm) by more from both its sides, along so much of it, but for
such a gap."""
NO_LINE_MM, NO_DOT_MM, SHADE, SHADOW_MM = 2.7, 6.0, 0.15, 12.0
"""What is so wide, so long and so dark (logarithm), no farther from a thing, is neither line nor dot, but a shadow."""
IN_BROAD = 0.25
"""What lies with more of its axis where all four dots of a square do not show is no stick."""
FAR_CELLS = 1000.0
"""Farther than any sheet reaches."""
EDGE_MM, LEAST_OPEN_CELLS, UNLIKE_PAPER = 5.0, 200, 0.25
"""At the grid's edge is what lies within the first of it, and open paper what is as far from all things. Of fewer cells
of it, or of a thing less unlike it (logarithm), it is not said how the thing goes on."""
WIDER_MM, LONGER_MM = 1.3, 4.0
"""It is soft at its edges, and its end may be a thin point."""


def with_things(flat: FlatSheet) -> FlatSheet:
    """The sheet with all that lies on it as foreign."""
    return _with_what_goes_on(_with_what_hides_print(flat))


def _with_what_hides_print(flat: FlatSheet) -> FlatSheet:
    """The sheet with what lies over its print, and what is long, as foreign."""
    layout = flat.layout
    toppings = toppings_missing(flat)
    dots, boxes = dots_missing(flat, toppings), boxes_missing(flat, toppings)
    long = _long_things(_without_strokes(flat), flat.told)
    if not (dots.any() or toppings.any() or boxes.any() or long.any()):
        return flat
    found = long | _without_print(flat, dots, toppings, boxes)
    known = _in_cells(flat.foreign, flat)
    firm = np.asarray(cv2.erode(known, np.ones((SOFT_CELLS, SOFT_CELLS), np.uint8)), np.uint8)
    broad = _squares_without_print(flat, dots)
    sticks = [stick for stick in _sticks_of(long & flat.odd, firm) if not _lies_in(stick, broad)]
    centres = np.array([topping.centre_mm for topping in layout.toppings]).reshape(-1, 2)
    missing = flat.to_cells(np.concatenate([layout.dots_mm[dots], centres[toppings]]))
    # Those next to what is broad lie under it, too.
    wide_mm = 2 * (ROUND_MM + layout.pitch_mm)
    beside = np.asarray(cv2.dilate(broad, np.ones((round(wide_mm / CELL_MM),) * 2, np.uint8)), np.uint8)
    under = _at(known | beside, missing) > 0
    for _ in range(2):  # a short part says little of where it points
        sticks = [_gone_on(_straightened(stick, flat.cells), flat.cells) for stick in sticks]
    shown = flat.to_cells(layout.dots_mm[~dots])
    chains = [_up_to(_gone_on(one, flat.cells), shown) for one in _chains(missing[~under], shown)]
    for stick in [*sticks, *chains]:
        outline = stick.outline(WIDER_MM / CELL_MM, LONGER_MM / CELL_MM)
        cv2.fillConvexPoly(found, np.round(outline).astype(np.int32), (255,))
    found |= _shadows_ends(flat, found | known)
    return _with(flat, found)


def _in_cells(mask: Mask, flat: FlatSheet) -> Mask:
    return np.asarray(cv2.resize(mask, flat.odd.shape[::-1], interpolation=cv2.INTER_NEAREST), np.uint8)


def _with(flat: FlatSheet, cells: Mask) -> FlatSheet:
    """The sheet with these cells as foreign, too."""
    more = np.asarray(cv2.resize(cells, flat.foreign.shape[::-1], interpolation=cv2.INTER_NEAREST), np.uint8)
    return replace(flat, foreign=np.maximum(flat.foreign, more))


def _without_print(flat: FlatSheet, dots: Bools, toppings: Bools, boxes: Bools) -> Mask:
    """255 in the cells about the print that does not show, and between neighbouring dots that do not."""
    layout = flat.layout
    found = np.zeros_like(flat.odd)
    at = np.round(flat.to_cells(layout.dots_mm)).astype(int)
    gone = dict(zip(layout.dots, dots.tolist(), strict=True))
    places = dict(zip(layout.dots, at.tolist(), strict=True))
    wide = round(2 * ROUND_MM / CELL_MM)
    for dot, x_y in places.items():
        if gone[dot]:
            cv2.circle(found, x_y, round(ROUND_MM / CELL_MM), 255, -1)
    for one, other in layout.lines:
        if gone[one] and gone[other]:
            cv2.line(found, places[one], places[other], (255,), wide)
    found |= _squares_without_print(flat, dots)
    for topping, out in zip(layout.toppings, toppings, strict=True):
        if out:
            x, y = flat.to_cells(np.array(topping.centre_mm))
            cv2.circle(found, (round(x), round(y)), round((topping.size_mm / 2 + 1.0) / CELL_MM), 255, -1)
    for box, out in zip(layout.boxes, boxes, strict=True):
        if out:
            half = np.array(box.size_mm) / 2 + 1.0
            corners_mm = np.array(box.centre_mm) + half * np.array([[-1.0, 1.0], [1.0, -1.0]])
            first, last = np.round(flat.to_cells(corners_mm)).astype(int).tolist()
            cv2.rectangle(found, first, last, 255, -1)
    return found


def _squares_without_print(flat: FlatSheet, dots: Bools) -> Mask:
    """255 in the cells of squares none of whose four dots shows: what lies there is wider than any pencil."""
    layout = flat.layout
    found = np.zeros_like(flat.odd)
    gone = dots.reshape(layout.rows, layout.columns)
    rows, columns = np.nonzero(gone[:-1, :-1] & gone[1:, :-1] & gone[:-1, 1:] & gone[1:, 1:])
    corners = np.array([[(0, 0), (1, 0), (1, 1), (0, 1)]]) + np.column_stack([columns, rows])[:, None]
    corners_mm = np.array(layout.first_mm) + layout.pitch_mm * corners * (1.0, -1.0)
    for square in np.round(flat.to_cells(corners_mm)).astype(np.int32):
        cv2.fillConvexPoly(found, square, (255,))
    return found


def _with_what_goes_on(flat: FlatSheet) -> FlatSheet:
    """The sheet with what lies at the grid's edge as foreign in the boxes to which it goes on: in cells joined to it by
    more than a line, and more like it in colour than like open paper. Print tells little there: boxes are few, a hand
    may cover all of them, and in the light that its skin is taken for it differs within itself as print does."""
    known = _in_cells(flat.foreign, flat)
    firm = cv2.erode(known, np.ones((SOFT_CELLS, SOFT_CELLS), np.uint8))
    in_grid = flat.told == IN_GRID
    at_edge = np.where(in_grid & (_grown(~in_grid, EDGE_MM) > 0), firm, np.uint8(0))
    open_paper = flat.cells[in_grid & (_grown(known > 0, EDGE_MM) == 0)]
    if not at_edge.any() or len(open_paper) < LEAST_OPEN_CELLS:
        return flat
    found, paper = np.zeros_like(known), np.median(open_paper, axis=0)
    count, labels = cv2.connectedComponents(at_edge, connectivity=8)
    for part in range(1, count):
        mine = labels == part
        off = np.median(flat.cells[mine], axis=0) - paper
        if np.abs(off).max() < UNLIKE_PAPER:
            continue
        like = (flat.cells - paper) @ off > 0.5 * float(off @ off)
        whole = np.where((like & ~in_grid) | mine, np.uint8(255), np.uint8(0))
        wide = cv2.morphologyEx(whole, cv2.MORPH_OPEN, np.ones((SOFT_CELLS, SOFT_CELLS), np.uint8))
        wide[mine] = 255
        _, joined = cv2.connectedComponents(wide, connectivity=4)
        found[np.isin(joined, joined[mine])] = 255
    soft = np.asarray(cv2.dilate(found, np.ones((SOFT_CELLS, SOFT_CELLS), np.uint8)), np.uint8)
    return _with(flat, np.where(flat.told == IN_BOX, soft, np.uint8(0)))


def _grown(cells: Bools, by_mm: float) -> Mask:
    """255 in these cells, and in those so near to one."""
    side = 2 * round(by_mm / CELL_MM) + 1
    mask = np.where(cells, np.uint8(255), np.uint8(0))
    return np.asarray(cv2.dilate(mask, np.ones((side, side), np.uint8)), np.uint8)


def _lies_in(stick: "Stick", broad: Mask) -> bool:
    """Whether much of a stick's axis is in something that is too wide for one, as a finger."""
    along = stick.middle + np.linspace(*stick.ends, 33)[:, None] * stick.axis
    return bool((_at(broad, along) > 0).mean() > IN_BROAD)


def _at(mask: Mask, places: Array) -> Mask:
    """A mask's values at cells (n x 2, columns and rows), the nearest ones where these lie outside."""
    columns, rows = np.clip(np.round(places).astype(int), 0, np.array(mask.shape[::-1]) - 1).T
    return np.asarray(mask[rows, columns])


def _shadows_ends(flat: FlatSheet, things: Mask) -> Mask:
    """255 in the cells beside things that are darker than their surroundings, narrow, and yet no dot nor line: where a
    pencil's shadow ends in a point."""
    size = (things.shape[1], things.shape[0])
    darkness = cv2.resize(flat.darkness, size, interpolation=cv2.INTER_AREA)
    side = round(NO_LINE_MM / CELL_MM)
    dark = cv2.morphologyEx(darkness, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)) > SHADE
    near = 2 * round(SHADOW_MM / CELL_MM) + 1
    blots = np.where(dark & (flat.told == IN_GRID), cv2.dilate(things, np.ones((near, near), np.uint8)), np.uint8(0))
    for topping in flat.layout.toppings:
        x, y = flat.to_cells(np.array(topping.centre_mm))
        cv2.circle(blots, (round(x), round(y)), round((topping.size_mm / 2 + 1.0) / CELL_MM), 0, -1)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(blots, connectivity=8)
    long = np.hypot(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]) >= NO_DOT_MM / CELL_MM
    long[0] = False
    return np.asarray(
        cv2.dilate(np.where(long[labels], np.uint8(255), np.uint8(0)), np.ones((3, 3), np.uint8)), np.uint8
    )


@dataclass(frozen=True, slots=True)
class Stick:
    """Something long and straight, in cells (columns, rows)."""

    middle: Array
    axis: Array
    """Of length 1."""
    half: float
    """Of its width."""
    ends: tuple[float, float]
    """From the middle along the axis."""

    def outline(self, wider: float, longer: float) -> Array:
        """Its corners (4 x 2), so much wider on each side and longer at each end."""
        across = np.array([-self.axis[1], self.axis[0]]) * (self.half + wider)
        first, last = (self.middle + self.axis * end for end in (self.ends[0] - longer, self.ends[1] + longer))
        return np.array([first - across, first + across, last + across, last - across])


def _without_strokes(flat: FlatSheet) -> Mask:
    """What is odd, but for what a pen drew between neighbouring dots, and against the rules between those at opposite
    corners of a square: its colour shows, and it is narrow."""
    layout = flat.layout
    if not flat.odd.any() or not len(layout.lines):
        return flat.odd
    dots = np.concatenate([layout.lines, _odd_across(flat)])
    ends = _at_dots(layout, dots)
    way = (ends[:, 1] - ends[:, 0]) / np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1, keepdims=True)
    side = np.column_stack([-way[:, 1], way[:, 0]])
    along = ends[:, :1] + BETWEEN_DOTS[:, None] * (ends[:, 1:] - ends[:, :1])
    points = along[:, :, None] + ACROSS_MM[:, None] * side[:, None, None]
    shown = flat.sampled(flat.colours, points.reshape(len(dots), -1, 2)).max(axis=2)
    across = _inner_side(np.median(shown.reshape(points.shape[:3]), axis=1), layout, dots, side)
    most = across.max(1)
    beside = np.maximum(across[:, :ENDS].mean(1), across[:, -ENDS:].mean(1))
    wide = (across > 0.5 * most[:, None]).sum(1) * (ACROSS_MM[1] - ACROSS_MM[0])
    drawn = (wide <= STROKE_MM + FULL_WIDTH * max(flat.blur_mm - STROKE_BLUR_MM, 0.0)) & (beside < BESIDE_STROKE * most)
    across_squares = np.flatnonzero(drawn[len(layout.lines) :]) + len(layout.lines)
    drawn[across_squares] = _join_ink(flat, ends[across_squares])
    strokes = np.zeros_like(flat.odd)
    for first, last in np.round(flat.to_cells(ends[drawn].reshape(-1, 2))).astype(int).reshape(-1, 2, 2).tolist():
        cv2.line(strokes, first, last, (255,), round(STROKES_ROOM_MM / CELL_MM))
    return np.asarray(cv2.copyTo(_broad(flat.odd), strokes, flat.odd.copy()), np.uint8)


def _odd_across(flat: FlatSheet) -> NDArray[np.intp]:
    """The dots (n x 2 x 2) at opposite corners of squares between which something is odd all along; none where anything
    is known to lie on the sheet: edges of fingers look like strokes, and are gone when it is read again."""
    dots = np.array(flat.layout.diagonals, np.intp).reshape(-1, 2, 2)
    if flat.foreign.any():
        return dots[:0]
    ends = _at_dots(flat.layout, dots)
    along = ends[:, :1] + BETWEEN_DOTS[:, None] * (ends[:, 1:] - ends[:, :1])
    wide = np.asarray(cv2.dilate(flat.odd, np.ones((round(2 * INK_WITHIN_MM / CELL_MM),) * 2, np.uint8)), np.uint8)
    odd = _at(wide, flat.to_cells(along.reshape(-1, 2))) > 0
    return np.asarray(dots[odd.reshape(along.shape[:2]).all(axis=1)])


def _at_dots(layout: SheetLayout, dots: NDArray[np.intp]) -> Array:
    """Where dots (... x 2: columns and rows) are printed."""
    return np.asarray(np.array(layout.dot_mm((0, 0))) + dots * (layout.pitch_mm, -layout.pitch_mm))


def _join_ink(flat: FlatSheet, ends_mm: Array) -> Bools:
    """Which strokes between these points (n x 2 x 2) have a dot of coloured ink at both: edges of a hand have none."""
    if not len(ends_mm):
        return np.zeros(0, bool)
    points = ends_mm[:, :, None] + disc_points(0.0, INK_WITHIN_MM, INK_WITHIN_MM / 2)
    seen = flat.sampled(flat.colours, points.reshape(len(ends_mm), -1, 2)).reshape(*points.shape[:3], 3)
    most, least = seen.max(axis=3), seen.min(axis=3)
    return np.asarray(((most > INK) & (most - least > INK_COLOUR * most)).any(axis=2).all(axis=1))


def _inner_side(across: Plane, layout: SheetLayout, dots: NDArray[np.intp], sides: Array) -> Plane:
    """What is seen across lines between `dots` (n x places, n x 2 x 2), but of those around the grid their inner side
    twice: beside them a border may be printed."""
    outermost = np.array([layout.columns - 1, layout.rows - 1])
    around = ((dots == 0).all(1) | (dots == outermost).all(1)).any(1)
    inside = ((outermost / 2 - dots.mean(1)) * (1.0, -1.0) * sides).sum(1) > 0.0
    mirrored = across[:, ::-1]
    first = np.arange(across.shape[1]) < across.shape[1] // 2
    taken = np.where(first == inside[:, None], mirrored, across)
    return np.where(around[:, None], taken, across)


def _broad(odd: Mask) -> Mask:
    """Those of the cells that no stroke is so broad as to show."""
    side = round(BROAD_MM / CELL_MM)
    return np.asarray(cv2.morphologyEx(odd, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), np.uint8)


def _long_things(odd: Mask, told: Mask) -> Mask:
    """255 in the cells of something longer and wider than anything that is printed or drawn in one stroke."""
    found = np.zeros_like(odd)
    side = round(THIN_MM / CELL_MM)
    wide = cv2.morphologyEx(odd, cv2.MORPH_OPEN, np.ones((side, side), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(wide, np.ones((3, 3), np.uint8)), connectivity=8)
    least, more = WHOLE * TOLD_SHARE * LONG_MM / CELL_MM, round(LONG_MM / CELL_MM)
    for left, top, width, height, _ in stats[1:].tolist():
        if np.hypot(width, height) < least:
            continue
        part = np.s_[max(top - more, 0) : top + height + more, max(left - more, 0) : left + width + more]
        if not _reach_in(*(np.count_nonzero((told[part] == where) & (odd[part] > 0)) for where in PLACES)):
            continue
        strange, known = ((mask[part] > 0).astype(np.float32) for mask in (odd, told))
        near_enough = _Rectangles(strange)
        for turn in range(DIRECTIONS):
            bar = _bar(turn)
            near = near_enough.of_bars(bar)
            if near is None:
                continue
            there = cv2.filter2D(strange[near], -1, bar, borderType=cv2.BORDER_CONSTANT)
            if there.max() < WHOLE * TOLD_SHARE:
                continue
            of_known = cv2.filter2D(known[near], -1, bar, borderType=cv2.BORDER_CONSTANT)
            full = (there >= WHOLE * of_known) & (of_known >= TOLD_SHARE)
            if full.any():
                full_length = cv2.dilate(full.astype(np.uint8) * np.uint8(255), (bar > 0).astype(np.uint8))
                found[part][near] |= np.asarray(full_length, np.uint8)
    return _reaching_in(found, np.where(odd > 0, told, np.uint8(0))) if found.any() else found


class _Rectangles:
    """How many of some cells (1.0 or 0.0) lie in rectangles about each: counted once for bars of either slope."""

    def __init__(self, cells: Plane) -> None:
        self._cells = cells
        self._counts: dict[tuple[int, int], Plane] = {}

    def of_bars(self, bar: Plane) -> tuple[slice, slice] | None:
        """The rows and columns of all bars that may be full: in the rectangle around each there are as many cells as in
        such a bar at least; None where there is none."""
        x, y, columns, rows = cv2.boundingRect((bar > 0).astype(np.uint8))
        size = (columns, rows)
        if size not in self._counts:
            count = cv2.boxFilter(self._cells, -1, size, normalize=False, borderType=cv2.BORDER_CONSTANT)
            self._counts[size] = np.asarray(count, np.float32)
        enough = self._counts[size] > 0.999 * WHOLE * TOLD_SHARE / float(bar.max())
        x, y, columns, rows = cv2.boundingRect(enough.view(np.uint8))
        if not columns:
            return None
        half = len(bar) // 2
        return slice(max(y - half, 0), y + rows + half), slice(max(x - half, 0), x + columns + half)


def _reaching_in(parts: Mask, odd: Mask) -> Mask:
    """Those of the parts that reach into the grid, or into a box and out of it: what is beside the grid alone, or in a
    box, may be printed there. `odd` says of odd cells where they are."""
    count, labels = cv2.connectedComponents(parts, connectivity=8)
    reach = np.asarray(_reach_in(*(np.bincount(labels[odd == where], minlength=count) for where in PLACES)))
    reach[0] = False
    return np.where(reach[labels], np.uint8(255), np.uint8(0))


def _reach_in(grid: Any, box: Any, beside: Any) -> Any:
    """Whether so many odd cells in the grid, in boxes and beside both are more than print (each alone, or arrays)."""
    return (grid >= REACHES) | ((box >= REACHES) & (beside >= REACHES))


@lru_cache(maxsize=DIRECTIONS)
def _bar(turn: int) -> Plane:
    """A bar of `LONG_MM` by `THIN_MM` in one of the directions; its sum is 1."""
    fine, long = 4, LONG_MM / CELL_MM
    side = round(long) + 2 | 1
    way = np.pi * turn / DIRECTIONS
    y, x = (np.indices((side * fine, side * fine)) + 0.5) / fine - side / 2
    along, across = x * np.cos(way) + y * np.sin(way), y * np.cos(way) - x * np.sin(way)
    inside = (np.abs(along) <= long / 2) & (np.abs(across) <= THIN_MM / CELL_MM / 2)
    bar = cv2.resize(inside.astype(np.float32), (side, side), interpolation=cv2.INTER_AREA)
    bar[bar < 0.3] = 0.0
    bar /= bar.sum()
    bar.setflags(write=False)
    return np.asarray(bar, np.float32)


def _sticks_of(long: Mask, more: Mask) -> list[Stick]:
    """Those of the long parts that are straight and narrow, each with `more` that touches it, or by itself."""
    found: list[Stick] = []
    for parts in (long | more, long):
        count, labels, stats, _ = cv2.connectedComponentsWithStats(parts, connectivity=8)
        for number in range(1, count):
            if stats[number, cv2.CC_STAT_AREA] < LONG_MM * THIN_MM / CELL_MM**2 / 2:
                continue
            rows, columns = np.nonzero(labels == number)
            points = np.column_stack([columns, rows]).astype(np.float64)
            seeds = long[rows, columns] > 0
            if not seeds.any() or any(_within(stick, points[seeds]).mean() > 0.5 for stick in found):
                continue
            stick = _stick_through(points)
            if 2 * stick.half <= min(MOST_WIDE_MM / CELL_MM, (stick.ends[1] - stick.ends[0]) / 2.5):
                found.append(stick)
    return found


def _stick_through(points: Array) -> Stick:
    """The one that these cells (n x 2) fill."""
    middle = points.mean(0)
    _, ways = np.linalg.eigh(np.cov((points - middle).T))
    axis = np.asarray(ways[:, 1])
    along = (points - middle) @ axis
    return Stick(middle, axis, len(points) / (float(np.ptp(along)) + 1.0) / 2, (float(along.min()), float(along.max())))


def _chains(points: Array, shown: Array) -> list[Stick]:
    """Sticks along which `points` (n x 2), print that does not show, lie one after the other, and few that are
    `shown` (m x 2)."""
    found: list[Stick] = []
    left = points
    while CHAIN <= len(left) <= MOST_IN_CHAINS:
        ways = []
        for i, j in combinations(range(len(left)), 2):
            length = float(np.hypot(*(left[j] - left[i])))
            if length >= LONG_MM / CELL_MM:
                whole = Stick(left[i], (left[j] - left[i]) / length, CHAIN_HALF_MM / CELL_MM, (-FAR_CELLS, FAR_CELLS))
                near = _within(whole, left, 1.0)
                along = np.sort((left[near] - left[i]) @ whole.axis)
                if np.diff(along).max() > APART_MM / CELL_MM:
                    continue
                stick = replace(whole, ends=(float(along[0]), float(along[-1])))
                against = int(_within(stick, shown, 0.4).sum())  # edges of a thing may look like dots
                if near.sum() >= CHAIN and CHAIN * against <= near.sum():
                    ways.append((int(near.sum()) - against, float(np.ptp(along)), near))
        if not ways:
            break
        near = max(ways, key=lambda way: way[:2])[2]
        found.append(replace(_stick_through(left[near]), half=CHAIN_HALF_MM / CELL_MM))
        left = left[~near]
    return found


def _within(stick: Stick, points: Array, share: float = 1.2) -> Bools:
    """Which points (n x 2) lie within such a share of a stick's width, between its ends."""
    off = points - stick.middle
    along, across = off @ stick.axis, off @ np.array([-stick.axis[1], stick.axis[0]])
    return np.asarray((np.abs(across) < share * stick.half) & (along >= stick.ends[0]) & (along <= stick.ends[1]))


def _straightened(stick: Stick, cells: Plane) -> Stick:
    """The stick turned and moved a little to where it most differs from both its sides."""
    across = np.array([-stick.axis[1], stick.axis[0]])
    middle = stick.middle + stick.axis * sum(stick.ends) / 2
    reach = (stick.ends[1] - stick.ends[0]) / 2
    ways = [
        Stick(middle + move * across, np.cos(turn) * stick.axis + np.sin(turn) * across, stick.half, (-reach, reach))
        for turn in np.linspace(-1.0, 1.0, 9) * stick.half / reach
        for move in np.linspace(-0.8, 0.8, 7) * stick.half
    ]
    contrast = _contrast(ways, cells, np.arange(-reach, reach + 0.5))
    return ways[int(contrast.mean(axis=0).argmax())]


def _gone_on(stick: Stick, cells: Plane) -> Stick:
    """The stick as far on both ends as what is on its axis differs from what is on both its sides."""
    far = float(np.hypot(*cells.shape[:2]))
    ends = []
    for way, end in zip((-1.0, 1.0), stick.ends, strict=True):
        steps = end + way * np.arange(1.0, far)
        places = stick.middle + steps[:, None] * stick.axis
        inside = ((places >= 0) & (places < (cells.shape[1], cells.shape[0]))).all(axis=1)
        steps = steps[: int(np.argmin(inside)) if not inside.all() else len(steps)]
        if not len(steps):
            ends.append(end)
            continue
        differs = _contrast([stick], cells, steps)[:, 0] > GOES_ON
        window = round(GAP_MM / CELL_MM)
        padded = np.concatenate([differs, np.zeros(window, bool)])
        ahead = np.lib.stride_tricks.sliding_window_view(padded, window)[: len(steps)].any(axis=1)
        last = int(np.argmin(ahead)) if not ahead.all() else len(steps)
        ends.append(end + way * last)
    return replace(stick, ends=(ends[0], ends[1]))


def _up_to(stick: Stick, shown: Array) -> Stick:
    """The stick as far on both ends as no print (n x 2) shows on its axis: what is as bright as paper ends there."""
    far = replace(stick, ends=(-FAR_CELLS, FAR_CELLS))
    along = (shown[_within(far, shown, 0.6)] - stick.middle) @ stick.axis
    first = float(along[along < stick.ends[0]].max(initial=-FAR_CELLS))
    last = float(along[along > stick.ends[1]].min(initial=FAR_CELLS))
    room = (LONGER_MM + ROUND_MM) / CELL_MM
    return replace(stick, ends=(min(stick.ends[0], first + room), max(stick.ends[1], last - room)))


def _contrast(sticks: Sequence[Stick], cells: Plane, steps: Array) -> Array:
    """How much (logarithm) what is on the axis of each of some sticks of one width differs from both its sides, at
    these steps along it: steps x sticks."""
    half = sticks[0].half
    beside = half + np.arange(2.0, 5.0)
    core = np.linspace(-0.4, 0.4, 5) * half
    offs = np.concatenate([core, beside, -beside])
    middles, axes = (np.array(of) for of in zip(*((stick.middle, stick.axis) for stick in sticks), strict=True))
    across = np.column_stack([-axes[:, 1], axes[:, 0]])
    points = middles[:, None] + steps[:, None, None, None] * axes[:, None] + offs[:, None] * across[:, None]
    x, y = (np.asarray(points[..., i], np.float32).reshape(len(steps), -1) for i in range(2))
    seen = cv2.remap(cells, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    seen = cv2.blur(seen, (1, round(ALONG_MM / CELL_MM)), borderType=cv2.BORDER_REPLICATE)
    seen = seen.reshape(len(steps), len(sticks), len(offs), 3)
    own, one, other = (seen[:, :, part].mean(axis=2) for part in (slice(0, 5), slice(5, 8), slice(8, 11)))
    return np.asarray(np.minimum(np.abs(own - one), np.abs(own - other)).max(axis=2), np.float64)
