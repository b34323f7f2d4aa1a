"""Sheets as pieces of a scene: where they lie, what was pencilled on them, and the dice beside them."""

from collections.abc import Mapping, Sequence
from functools import cache
from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dot_dice import DotDie, find_dot_dice
from vision.finders import Changed
from vision.frame import Image
from vision.registration import (
    MARKERS_MM,
    Lens,
    MarkersMissing,
    Registration,
    RegistrationError,
    find_mat_in_grey,
)
from vision.scene import FaceLikelihood, MarkKind, Origin, PieceKind, Pose, Scene, Sighting
from vision.shapes import as_points
from vision.sheets.finding import FoundSheet, find_on_table, find_sheets, see_markers
from vision.sheets.flattening import FlatSheet, flatten
from vision.sheets.layout import Array, SheetLayout
from vision.sheets.likelihood import Judge, load_judges
from vision.sheets.marks import read_marks
from vision.sheets.printed import print_agreement

FACE = "sheet"
LEAST_AGREEMENT = 0.75
"""A sheet on which less of the print is where it should be is another one."""
SAME_MM = 30.0
PENCILLED_MM = 2.2
"""From the middle of its place a pencilled dot is no farther."""


class SheetMissing(RegistrationError):
    """Neither the mat nor a sheet of a known print is in the picture."""


class SheetFinder:
    """Finds sheets of known prints, and the dice with dots that belong to them."""

    name = "sheets"

    def __init__(self, layouts: Sequence[SheetLayout]) -> None:
        """`layouts` are the prints that may lie on the table."""
        self._layouts = tuple(layouts)

    def find(self, image: Image, registration: Registration, seen: Sequence[Sighting]) -> Sequence[Sighting]:
        """See `Finder.find`."""
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
        found = find_sheets(grey, self._layouts, lens=registration.lens)
        return sightings(image, registration, find_on_table(grey, self._layouts, registration, found))

    def find_again(
        self,
        image: Image,
        registration: Registration,
        seen: Sequence[Sighting],
        before: Sequence[Sighting],
        changed: Changed,
    ) -> Sequence[Sighting]:
        """See `FindsAgain.find_again`. A sheet on which something changed is read anew as a whole, and so are those
        that came, and dice."""
        sheets = [one for one in before if one.kind is PieceKind.SHEET]
        kept = [one for one in sheets if not changed(_all_over(one)).any()]
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
        found = find_sheets(grey, self._layouts, lens=registration.lens)
        new = [sheet for sheet in found if not any(_lies_at(sheet, one, registration) for one in kept)]
        return (*kept, *sightings(image, registration, new, dice_of=found))


def read_sheets(
    image: Image, layouts: Sequence[SheetLayout], *, time_s: float = 0.0, lens: Lens | None = None
) -> Scene:
    """The sheets in one picture, with or without a mat.

    Without one, everything is measured in the frame of the sheet itself; of several, the lowest in the picture.

    Raises:
        SheetMissing: neither the mat nor a sheet shows.
        RegistrationError: the picture cannot be laid over a table otherwise, and why.
    """
    start = perf_counter()
    registration, origin, found = lay_out(image, layouts, lens=lens)
    spent = {"register": (perf_counter() - start) * 1e3}
    start = perf_counter()
    seen = sightings(image, registration, found)
    spent["sheets"] = (perf_counter() - start) * 1e3
    return Scene(time_s, 0, tuple(seen), (), 0.0, stage_ms=spent, origin=origin)


def lay_out(
    image: Image, layouts: Sequence[SheetLayout], *, lens: Lens | None = None
) -> tuple[Registration, Origin, list[FoundSheet]]:
    """The frame in which `read_sheets` measures a picture, and the sheets in it. Raises as that does."""
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    seen = see_markers(grey, layouts, others=MARKERS_MM)
    found = find_sheets(grey, layouts, lens=lens, seen=seen)
    if not found or any(marker.number in MARKERS_MM for marker in seen):
        try:
            registration = find_mat_in_grey(grey, lens=lens)
            return registration, Origin.MAT, find_sheets(grey, layouts, lens=registration.lens, seen=seen)
        except MarkersMissing as error:
            if not found:
                wanted = ", ".join(str(i) for i in sorted({i for layout in layouts for i in layout.marks}))
                raise SheetMissing(f"{error}; nor does a score sheet with three of its markers {wanted}") from error
    lowest = max(found, key=lambda sheet: float(sheet.registration.to_picture([[0.0, 0.0]])[0, 1]))
    return lowest.registration, Origin.SHEET, found


def sightings(
    image: Image, registration: Registration, found: Sequence[FoundSheet], *, dice_of: Sequence[FoundSheet] = ()
) -> list[Sighting]:
    """Sheets and dice as pieces, in the frame of this registration. Of prints that fit one sheet, the best counts.
    `dice_of`: all sheets of the picture, where `found` are not all."""
    dice = _dice(image, registration, dice_of or found)
    over = [die.silhouette_px for die in dice]
    judged = []
    for sheet in found:
        flat = flatten(image, sheet.layout, sheet.registration, over_px=over)
        judged.append((print_agreement(flat), sheet, flat))
    kept: list[tuple[float, FoundSheet, FlatSheet]] = []
    for one in sorted(judged, key=lambda judged_one: -judged_one[0]):
        if one[0] >= LEAST_AGREEMENT and not any(_same(one[1], other) for _, other, _ in kept):
            kept.append(one)
    sheets = [_sighting(sheet, flat, agreement, registration) for agreement, sheet, flat in kept]
    return sheets + [die.sighting for die in dice]


def _sighting(sheet: FoundSheet, flat: FlatSheet, agreement: float, registration: Registration) -> Sighting:
    corners = _carried(sheet.layout.corners_mm, sheet.registration, registration)
    centre = _carried(np.zeros((1, 2)), sheet.registration, registration)[0]
    up = corners[0] + corners[1] - corners[2] - corners[3]
    turn = np.degrees(np.arctan2(up[1], up[0])) % 360.0
    return Sighting(
        kind=PieceKind.SHEET,
        pose=Pose(*(round(float(value), 2) + 0.0 for value in (*centre, turn))),
        faces=(FaceLikelihood(FACE, round(agreement, 4)),),
        face_up=True,
        visible=round(1.0 - float((flat.foreign > 0).mean()), 3),
        outline_mm=as_points(corners[::-1]),
        marks=read_marks(flat, _judges()),
    )


@cache
def _judges() -> Mapping[MarkKind, Judge]:
    return load_judges()


def _dice(image: Image, registration: Registration, found: Sequence[FoundSheet]) -> list[DotDie]:
    """The dice of the prints that were found. All that is taken for a die's dots may be where a sheet is pencilled or
    printed: dots of a die are too near each other for that."""

    def explained(points_px: Array) -> NDArray[np.bool_]:
        return np.asarray(np.any([_is_of_sheet(points_px, sheet) for sheet in found], axis=0))

    sizes = {(sheet.layout.die_mm, sheet.layout.pips_mm) for sheet in found}
    dice = [
        die
        for size, pips in sorted(sizes)
        for die in find_dot_dice(image, registration, size, pips, explained=explained)
    ]
    return [die for die in dice if not explained(die.dots_px).all()]


def _is_of_sheet(points_px: Array, sheet: FoundSheet) -> NDArray[np.bool_]:
    """Which points of the picture are where a sheet is pencilled or printed."""
    layout = sheet.layout
    points = sheet.registration.to_table(points_px)
    steps = (points - layout.first_mm) * (1.0, -1.0) / layout.pitch_mm
    nearest = np.clip(np.round(steps), 0, (layout.columns - 1, layout.rows - 1))
    there = np.linalg.norm(steps - nearest, axis=1) * layout.pitch_mm < PENCILLED_MM
    for topping in layout.toppings:
        there |= np.linalg.norm(points - topping.centre_mm, axis=1) < topping.size_mm / 2 + 1.0
    return np.asarray(there)


def _carried(points_mm: Array, start: Registration, end: Registration) -> Array:
    """Points of one registration's plane in another's."""
    return end.to_table(start.to_picture(points_mm))


def _all_over(piece: Sighting) -> Array:
    """Points all over a piece, some millimetres apart."""
    outline = np.array(piece.outline_mm)
    shares = np.arange(0.0, 1.0, 0.02)[:, None]
    along = [a + shares * (b - a) for a, b in ((outline[0], outline[1]), (outline[3], outline[2]))]
    return np.concatenate([along[0] + share * (along[1] - along[0]) for share in np.linspace(0.0, 1.0, 50)])


def _lies_at(sheet: FoundSheet, piece: Sighting, registration: Registration) -> bool:
    """Whether a sheet lies where this piece lies."""
    centre = _carried(np.zeros((1, 2)), sheet.registration, registration)[0]
    return float(np.hypot(centre[0] - piece.pose.x_mm, centre[1] - piece.pose.y_mm)) < SAME_MM


def _same(first: FoundSheet, second: FoundSheet) -> bool:
    """Whether both are one sheet, taken for two prints."""
    there = _carried(np.zeros((1, 2)), second.registration, first.registration)[0]
    return float(np.hypot(*there)) < SAME_MM
