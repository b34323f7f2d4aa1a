"""How sheets looked before anything was pencilled on them: what is darker than then is pencil, print or no print."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene import MarkKind, Pose, SheetMark
from vision.sheets.flattening import PX_PER_MM, FlatSheet, Mask, Plane
from vision.sheets.kept_blanks import Blank, BlankFiles, as_shades
from vision.sheets.layout import Array, SheetLayout

NEAR_MM = 90.0
"""A sheet that lies no farther from where one lay is the same, or another of its print, which looks alike."""
AS_LARGE = 0.1
"""But not where it is seen so much larger or smaller than then: print is softer from farther away."""
LEAST_SOFTER_MM = 0.3
"""Out of focus print is softened as it is now, where the blur that came has this deviation at least: it is measured to
about a tenth."""
MOST = 12
DARK, LEFT = 0.12, 0.4
"""Print as dark as this (logarithm) on the blank sheet, of which less than this part is left, is covered,"""
AROUND_MM = 13.0
"""and so is what lies no farther from it;"""
EDGE_MM = 2.0
"""narrower than this it may be seen beside where it was."""
NOISES = 8.0
"""Nor is it where what such a square has lost is less than so many deviations of noise: there are thousands of them,
and blur takes some, too."""
LOST, PRINT_MM, LOST_WITHIN_MM = 0.05, 6.0, 30.0
"""Where paper is brighter than the picture shows, and something printed, about so wide, has lost so much darkness
(logarithm) beside the blank sheet's, faint pencil no farther from it may have lost all of its own. Coloured print loses
less than pencil does: what has lost most tells."""
BESIDE_MM = 6.0
"""Print so near to what lies on the sheet, and casts a shadow, tells nothing of light."""
GONE = 0.65
"""Print that has lost more than this of its darkness may have lost all of it."""
KEPT = 0.7
"""But where printed dots around show this much of what they showed then, pencil as faint as they does, too."""
GAUGE_MM, DOT_MM, PENCIL = 9.0, 1.1, 0.04
"""Dots tell of what lies no farther from them than some of the first, by what is darker in their middles, so wide, than
between them; those that are darker by more than the last are pencilled,"""
LEAST_GAUGE, LEAST_DOT = 1.0, 0.03
"""and so many must tell, and have been so dark."""
BIN_MM = 3.0
DARK_PRINT, LEAST_PRINT, LEAST_SHOWN = 0.4, 400, 0.05
"""Print so dark (logarithm), so many pixels of it and not less dark than the last now, tells how much light lies over
the sheet that takes of all contrast: a veil, as of a window that the camera sees."""
TOO_BRIGHT = 0.15
"""Where print was darker than paper by so much less than it is now (logarithm), the palest did not show at all."""
TELLS = 0.5
"""Print tells of the part of a sheet it is on by itself where it is so much of all: less may be pencilled over."""
LEAST_VEIL, MOST_VEIL, BLACKEST = 0.06, 2.0, 0.02
"""Less of it, beside the paper's own light, is none; nor is more believed."""
PRINTED = 0.06
"""What is darker than paper by less may be brighter than the picture showed, too."""
AS_DARK = 0.95
"""A sheet that bears nothing and shows less than this of the print's darkness (mean) is paler than it was."""
UNMARKED, MARKED = 0.02, 0.5
"""Dots less likely than the first are none, nor crosses and circles less likely than the second;"""
HARDLY_DOTTED, HARDLY_MARKED = 0.5, 0.95
"""on a sheet that was never seen blank print is told from them less surely."""


class Blanks:
    """Remembers sheets as they were when blank; the last one seen blank at each place counts."""

    def __init__(self, files: BlankFiles | None = None, layouts: Sequence[SheetLayout] = ()) -> None:
        """`files` keep them across restarts: those of these prints are remembered from before."""
        self._files = files
        self._known: list[Blank] = [] if files is None else files.load(layouts)[-MOST:]

    def at(self, flat: FlatSheet, pose: Pose) -> Plane | None:
        """The darkness of the blank sheet that lay there, as a picture so far out of focus and no brighter shows it;
        None where none was seen, or from another distance."""
        nearest = self._nearest(flat.layout, flat.px_per_mm, pose)
        known = None if nearest is None else _not_cut_off(nearest, flat)
        return None if known is None else _softened(known.darkness, known, flat)

    def colours_at(self, flat: FlatSheet, pose: Pose) -> Plane | None:
        """How much darker than paper each colour of that sheet was, in the light that `in_light` tells of; None also
        where an older version remembered it."""
        nearest = self._nearest(flat.layout, flat.px_per_mm, pose)
        known = None if nearest is None else _not_cut_off(nearest, flat)
        colours = None if known is None else known.each_colour
        if known is None or colours is None:
            return None
        soft = _softened(colours, known, flat)
        return _veiled(soft, flat.veil) if flat.veil else soft

    def has(self, layout: SheetLayout, px_per_mm: float, pose: Pose) -> bool:
        """Whether `at` knows the blank sheet of a flat one of this print and distance."""
        return self._nearest(layout, px_per_mm, pose) is not None

    def take(self, flat: FlatSheet, pose: Pose, marks: Sequence[SheetMark]) -> None:
        """Remember a sheet, as it was read, if it is blank and nothing lies on it."""
        if not _is_blank(marks, known=flat.blank is not None):
            return
        before = self._nearest(flat.layout, flat.px_per_mm, pose)
        others = [one for one in self._known if one is not before][-MOST + 1 :]
        taken = {one.number for one in others}
        number = before.number if before is not None else next(n for n in range(MOST) if n not in taken)
        looked = number, flat.layout, pose, flat.px_per_mm, flat.blur_mm, flat.darkness
        blank = Blank(*looked, flat.colours) if flat.cut_off.any() else Blank(*looked, shades=as_shades(flat.colours))
        self._known = [*others, blank]
        if self._files is not None:
            self._files.keep(blank)

    def _nearest(self, layout: SheetLayout, px_per_mm: float, pose: Pose) -> Blank | None:
        near = [
            one
            for one in self._known
            if one.layout is layout
            and _apart_mm(one.pose, pose) < NEAR_MM
            and abs(one.px_per_mm / px_per_mm - 1.0) < AS_LARGE
        ]
        return min(near, key=lambda one: _apart_mm(one.pose, pose), default=None)


def covered(flat: FlatSheet) -> FlatSheet:
    """The sheet with all that about which print is missing as something that lies on it: an arm that covers much of a
    sheet looks like paper in other light. Itself where no blank sheet is known."""
    if flat.blank is None:
        return flat
    gone = np.where((flat.blank > DARK) & (flat.darkness < LEFT * flat.blank), np.uint8(255), np.uint8(0))
    # A sheet is never laid out quite right: thin edges are none.
    within = np.asarray(cv2.erode(gone, _square(EDGE_MM)), np.uint8)
    if within.any():
        lost = np.asarray(cv2.blur(flat.blank - flat.darkness, _square(EDGE_MM).shape), np.float32)
        within[lost < NOISES * _noise(lost)] = 0
    if not within.any():
        return flat
    gone = np.asarray(cv2.dilate(within, _square(EDGE_MM)), np.uint8)
    around = np.asarray(cv2.dilate(gone, _square(2 * AROUND_MM)), np.uint8)
    return replace(flat, foreign=np.maximum(flat.foreign, around))


def _noise(means: Plane) -> float:
    """The deviation of means over squares `EDGE_MM` wide, by how much those beside each other differ."""
    side = round(EDGE_MM * PX_PER_MM)
    apart = np.diff(means[::side, ::side], axis=1)
    return float(np.median(np.abs(apart))) / 0.6745 / 2**0.5


def in_light(flat: FlatSheet) -> FlatSheet:
    """The sheet with its blank one as it would look in its light, and with what that light may have washed out; itself
    where that is not known, or the light is as it was."""
    if flat.blank is None:
        return flat
    veil = _veil(flat, flat.blank)
    lit = flat if abs(veil) < LEAST_VEIL else replace(flat, blank=_veiled(flat.blank, veil), veil=veil)
    if not flat.cut_off.any():
        return lit
    loss = _loss(flat, flat.blank)
    if loss.any():
        loss[_faint_print_kept(flat, flat.blank)] = 0.0
    return replace(lit, washed=np.zeros_like(flat.washed), loss=loss)


def is_paler(lit: FlatSheet, seen: FlatSheet) -> bool:
    """Whether a sheet, `seen` beside its blank one and `lit` as `in_light` tells, may show less of its print than that:
    taken for blank it would make each sheet after it paler than the one before."""
    if lit is seen or lit.blank is None or seen.blank is None:
        return False
    if lit.loss.any() or lit.washed.any() or float(lit.blank.mean()) < float(seen.blank.mean()):
        return True
    return float(seen.darkness.mean()) < AS_DARK * float(seen.blank.mean())


def _veil(flat: FlatSheet, blank: Plane) -> float:
    """How much light (paper's is 1) lies over the sheet that did not when it was blank, by its dark print: negative
    where it did then, 0 where too little is seen of it."""
    told = (blank > DARK_PRINT) & (flat.foreign == 0)
    if np.count_nonzero(told) < LEAST_PRINT:
        return 0.0
    ought, shown = np.exp(blank[told]), np.exp(np.maximum(flat.darkness[told], LEAST_SHOWN))
    return float(np.clip(np.median((1.0 - shown / ought) / (shown - 1.0)), -MOST_VEIL, MOST_VEIL))


def _veiled(blank: Plane, veil: float) -> Plane:
    """The darkness of print over which this much light lies."""
    return np.asarray(np.log((1.0 + veil) / np.maximum(np.exp(-blank) + veil, BLACKEST)), np.float32)


def _loss(flat: FlatSheet, blank: Plane) -> Plane:
    """How much darkness the light takes, by the print that has lost most of it around: where it is so bright that paper
    is cut off; 0 elsewhere. Without print around, all."""
    pale = blank - flat.darkness
    near_things = cv2.dilate(flat.foreign, _square(2 * BESIDE_MM))
    printed = (blank > DARK) & (pale > -LOST) & (near_things == 0)  # pencil over print tells nothing
    side = round(PRINT_MM * PX_PER_MM)
    lost, ought, count = (
        cv2.blur(one.astype(np.float32), (side, side))
        for one in (np.where(printed, pale, np.float32(0.0)), np.where(printed, blank, np.float32(0.0)), printed)
    )
    loses = printed & (lost > LOST * count)
    if not loses.any() and printed.any():
        return np.zeros(blank.shape, np.float32)
    # Of what shows hardly any more, more may have been taken than it had.
    taken = np.where(lost > GONE * ought, 2.0 * ought, lost) / np.maximum(count, np.float32(1e-6))
    around = _square(2 * LOST_WITHIN_MM)
    most = np.asarray(cv2.dilate(np.where(loses, taken, np.float32(0.0)), around), np.float32)
    most[cv2.dilate(printed.astype(np.uint8), around) == 0] = np.inf
    most[flat.cut_off == 0] = 0.0
    return most


def _faint_print_kept(flat: FlatSheet, blank: Plane) -> NDArray[np.bool_]:
    """Where the faintest print, the dots, is seen to be nearly as much darker than the paper as it was.

    Light takes from dark print less of its darkness than it takes from faint print, so that dark print cannot tell.
    """
    layout = flat.layout
    spot = np.stack(np.meshgrid(*[(-DOT_MM / 2, 0.0, DOT_MM / 2)] * 2), axis=-1).reshape(-1, 2)

    def gauged(points_mm: Array, *, dots: bool) -> tuple[Plane, Plane, Plane]:
        around = points_mm[:, None] + spot
        now, then = (flat.sampled(plane, around).mean(1) for plane in (flat.darkness, blank))
        under = flat.sampled(flat.foreign.astype(np.float32), around).max(1)
        tells = (now < then + PENCIL) & (under < 1.0)
        # What a pencilled line adds to a dot beside it does not make up for what others have lost.
        shown = np.minimum(now, then) if dots else now
        return _mean_around(flat, points_mm[tells], shown[tells], then[tells])

    dot_now, dot_then, dots = gauged(layout.dots_mm, dots=True)
    paper_now, paper_then, papers = gauged(layout.bare_mm, dots=False)
    ought = dot_then - paper_then
    told = (np.minimum(dots, papers) >= LEAST_GAUGE) & (ought >= LEAST_DOT)
    kept = np.where(told & (dot_now - paper_now >= KEPT * ought), np.uint8(1), np.uint8(0))
    height, width = blank.shape
    return np.asarray(cv2.resize(kept, (width, height), interpolation=cv2.INTER_NEAREST) > 0)


def _mean_around(flat: FlatSheet, points_mm: Array, first: Plane, second: Plane) -> tuple[Plane, Plane, Plane]:
    """All over the sheet, in bins, the means of two values of n points, and how many tell there: those around count the
    less the farther they are."""
    shape = [max(round(side / PX_PER_MM / BIN_MM), 1) for side in flat.darkness.shape]
    columns, rows = np.stack(flat.at(points_mm)) / (BIN_MM * PX_PER_MM)
    at = np.clip(rows.astype(int), 0, shape[0] - 1), np.clip(columns.astype(int), 0, shape[1] - 1)
    sigma = GAUGE_MM / BIN_MM
    sums = []
    for values in (first, second, np.ones(len(points_mm), np.float32)):
        plane = np.zeros(shape, np.float32)
        np.add.at(plane, at, values)
        soft = cv2.GaussianBlur(plane, (0, 0), sigma, borderType=cv2.BORDER_CONSTANT)
        sums.append(np.asarray(soft * np.float32(2.0 * np.pi * sigma**2), np.float32))
    many = np.maximum(sums[2], np.float32(1e-6))
    means = [np.asarray(values / many, np.float32) for values in sums[:2]]
    return means[0], means[1], sums[2]


def _square(side_mm: float) -> Mask:
    side = round(side_mm * PX_PER_MM)
    return np.ones((side, side), np.uint8)


def _not_cut_off(known: Blank, flat: FlatSheet) -> Blank | None:
    """The blank sheet as it would have looked where its paper was brighter than the picture showed, and this one's is
    not, or is by less: print was darker beside it than it seemed, in each colour by as much as all print tells. None
    where pale print did not show at all."""
    if known.colours is None:
        return known
    open_ones, clear = flat.foreign == 0, flat.cut_off == 0
    darker = known.colours.copy()
    for colour in range(3):
        then = known.colours[..., colour]
        printed = open_ones & (then > DARK)
        least = max(LEAST_PRINT, TELLS * np.count_nonzero(printed))
        for part in (clear, ~clear):
            told = printed & part
            told = told if np.count_nonzero(told) >= least else printed
            if np.count_nonzero(told) >= LEAST_PRINT:
                more = max(float(np.median(flat.colours[..., colour][told] - then[told])), 0.0)
                if more > TOO_BRIGHT:
                    return None
                darker[..., colour] += np.where(part, np.float32(more), 0.0) * np.clip(then / PRINTED, 0.0, 1.0)
    blue, green, red = cv2.split(np.asarray(darker, np.float32))
    return replace(known, darkness=np.asarray(cv2.min(cv2.min(blue, green), red), np.float32), colours=darker)


def _softened(plane: Plane, known: Blank, flat: FlatSheet) -> Plane:
    """How dark a blank sheet is in the blur of this one, where it is out of focus and the blank one was less so."""
    more_mm2 = flat.blur_mm**2 - known.blur_mm**2
    if not flat.out_of_focus or not known.blur_mm or more_mm2 < LEAST_SOFTER_MM**2:
        return plane
    light = cv2.GaussianBlur(np.exp(-plane), (0, 0), more_mm2**0.5 * PX_PER_MM)
    return np.asarray(-np.log(light), np.float32)


def _is_blank(marks: Sequence[SheetMark], *, known: bool) -> bool:
    if any(mark.hidden for mark in marks):
        return False
    dots = max(mark.probability for mark in marks if mark.kind is MarkKind.DOT)
    kinds = (MarkKind.CROSSED_TOPPING, MarkKind.CIRCLED_BONUS)
    others = max((mark.probability for mark in marks if mark.kind in kinds), default=0.0)
    if known:
        return dots < UNMARKED and others < MARKED
    return dots < HARDLY_DOTTED and others < HARDLY_MARKED


def _apart_mm(first: Pose, second: Pose) -> float:
    return float(np.hypot(first.x_mm - second.x_mm, first.y_mm - second.y_mm))
