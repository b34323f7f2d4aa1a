"""How sheets looked before anything was pencilled on them: what is darker than then is pencil, print or no print."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.scene import MarkKind, Pose, SheetMark
from vision.sheets.flattening import PX_PER_MM, FlatSheet, Mask, Plane
from vision.sheets.kept_blanks import Blank, BlankFiles
from vision.sheets.layout import SheetLayout

NEAR_MM = 90.0
"""A sheet that lies no farther from where one lay is the same, or another of its print, which looks alike."""
AS_LARGE = 0.1
"""But not where it is seen so much larger or smaller than then: print is softer from farther away."""
MOST = 12
DARK, LEFT = 0.12, 0.4
"""Print as dark as this (logarithm) on the blank sheet, of which less than this part is left, is covered,"""
AROUND_MM = 13.0
"""and so is what lies no farther from it;"""
EDGE_MM = 2.0
"""narrower than this it may be seen beside where it was."""
LOST, PRINT_MM, LOST_WITHIN_MM = 0.05, 6.0, 30.0
"""Where paper is brighter than the picture shows, and something printed, about so wide, has lost so much darkness
(logarithm) beside the blank sheet's, faint pencil no farther from it may have lost all of its own. Coloured print loses
less than pencil does: what has lost most tells."""
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
        """The darkness of the blank sheet that lay there; None where none was seen, or from another distance."""
        known = self._nearest(flat, pose)
        return None if known is None else known.darkness

    def take(self, flat: FlatSheet, pose: Pose, marks: Sequence[SheetMark]) -> None:
        """Remember a sheet, as it was read, if it is blank and nothing lies on it."""
        if not _is_blank(marks, known=flat.blank is not None):
            return
        before = self._nearest(flat, pose)
        others = [one for one in self._known if one is not before][-MOST + 1 :]
        taken = {one.number for one in others}
        number = before.number if before is not None else next(n for n in range(MOST) if n not in taken)
        blank = Blank(number, flat.layout, pose, flat.px_per_mm, flat.darkness)
        self._known = [*others, blank]
        if self._files is not None:
            self._files.keep(blank)

    def _nearest(self, flat: FlatSheet, pose: Pose) -> Blank | None:
        near = [
            one
            for one in self._known
            if one.layout is flat.layout
            and _apart_mm(one.pose, pose) < NEAR_MM
            and abs(one.px_per_mm / flat.px_per_mm - 1.0) < AS_LARGE
        ]
        return min(near, key=lambda one: _apart_mm(one.pose, pose), default=None)


def covered(flat: FlatSheet) -> FlatSheet:
    """The sheet with all that about which print is missing as something that lies on it: an arm that covers much of a
    sheet looks like paper in other light. Itself where no blank sheet is known."""
    if flat.blank is None:
        return flat
    gone = np.where((flat.blank > DARK) & (flat.darkness < LEFT * flat.blank), np.uint8(255), np.uint8(0))
    # A sheet is never laid out quite right: thin edges are none.
    gone = np.asarray(cv2.morphologyEx(gone, cv2.MORPH_OPEN, _square(EDGE_MM)), np.uint8)
    if not gone.any():
        return flat
    around = np.asarray(cv2.dilate(gone, _square(2 * AROUND_MM)), np.uint8)
    return replace(flat, foreign=np.maximum(flat.foreign, around))


def paled(flat: FlatSheet) -> FlatSheet:
    """The sheet with what is so bright that paper is cut off and print around is paler than it was on the blank sheet:
    faint pencil is, too. Itself where no blank sheet is known."""
    if flat.blank is None or not flat.cut_off.any():
        return flat
    pale = flat.blank - flat.darkness
    printed = (flat.blank > DARK) & (pale > -LOST) & (flat.foreign == 0)  # pencil over print tells nothing
    lost = np.where(printed, pale, np.float32(0.0))
    side = round(PRINT_MM * PX_PER_MM)
    paler, count = (cv2.blur(one.astype(np.float32), (side, side)) for one in (lost, printed))
    gone = np.where(printed & (paler > LOST * count), np.uint8(255), np.uint8(0))
    gone = np.asarray(cv2.dilate(gone, _square(2 * LOST_WITHIN_MM)), np.uint8) & flat.cut_off
    return replace(flat, paled=gone)


def _square(side_mm: float) -> Mask:
    side = round(side_mm * PX_PER_MM)
    return np.ones((side, side), np.uint8)


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
