"""Sheets as pieces of a scene: where they lie, what was pencilled on them, and the dice beside them."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.dot_dice import DotDie, find_dot_dice
from vision.finders import Changed, Moves, nothing_moves, nowhere
from vision.following.found_before import is_plainly_marked, is_read_beside_blank
from vision.frame import Image
from vision.mat.errors import MIRRORED, MarkersMissing, RegistrationError
from vision.mat.markers import MARKERS_MM
from vision.mat.registration import Registration, find_mat_in_grey
from vision.scene import (
    FaceLikelihood,
    HiddenCause,
    HiddenPlace,
    MarkKind,
    Origin,
    PieceKind,
    Point,
    Pose,
    Scene,
    SheetMark,
    Sighting,
)
from vision.shapes import as_points, to_own_frame
from vision.sheets.as_read import Looked
from vision.sheets.blanks import Blanks, covered, in_light, is_paler
from vision.sheets.corners import Where
from vision.sheets.finding import (
    FoundSheet,
    find_by_print,
    find_by_two,
    find_on_table,
    find_sheets,
    see_markers,
    seen_again,
)
from vision.sheets.flattening import PX_PER_MM, FlatSheet, Mask, flatten
from vision.sheets.ink import as_pencilled, ink_of
from vision.sheets.kept_blanks import BlankFiles
from vision.sheets.layout import Array, SheetLayout
from vision.sheets.likelihood import judges_for
from vision.sheets.marks import read_marks
from vision.sheets.printed import print_agreement
from vision.sheets.stripes import with_stripes
from vision.sheets.things import with_things

FACE = "sheet"
LEAST_AGREEMENT = 0.75
"""A sheet on which less of the print is where it should be is another one."""
LEAST_WITH_THINGS, LEAST_OPEN, LEAST_BESIDE_THINGS = 0.4, 0.5, 0.9
"""But paper that lies on one looks like its own: so much of the print tells of one of which nothing seems to lie on at
least half, where so much beside that is right. Of another print 0.29 was, and 0.65 beside what seemed to lie on it."""
LEAST_AGAIN = 0.5
"""On one whose markers are still where they were, a hand may lie."""
LEAST_BY_PRINT = 0.35
"""So many of a sheet's toppings must show for these to tell that it lies there."""
SAME_MM = 30.0
SPOTS_MM = 10.0
"""How finely it is asked where something changed."""
ROOM = 9
"""So many spots wide is what is looked at around each spot that changed: a die of which only an edge changed, as
fingers let go of it, lies in it as a whole, and so does its top, which seems to lie farther out."""
MANY_SPOTS = 40
"""Where so much changed beside the sheets another one may have come."""
REACH_MM = (620.0, 380.0)
SAME_DIE_MM = 12.0
LEAST_CHANGED = 0.5
"""Where a die came on a sheet, so much of what it covers changed."""
MOST_LOST = 6
"""Of so many sheets that are not seen any more it is remembered where they lay."""
SUREST_CROSS = 0.9
"""Without having seen the bare topping a cross over it is no surer than this."""
BLOCK_PX = 3
"""A die is compared with how it looked when it was found in blocks of so many pixels: another thing differs in some"""
NOISES, LEAST_OFF, MOST_OFF = 5.0, 2.0, 12.0
"""by more than so many standard deviations of noise, but no fewer levels than the second and no more than the third."""
MOST_GAIN = 1.1
"""Light changes no more between two looks."""
BLINDED_SHARE = 0.75
"""So many times the distance between dots around one that light hides is outlined, so that several are one part."""
LEAST_THING_MM = 3.0
"""What hides a part of a sheet nowhere so wide is not outlined."""
PENCILLED_MM = 2.2
"""From the middle of its place a pencilled dot is no farther."""


_Place = tuple[SheetLayout, Callable[[Array], Array]]
"""A sheet's print, and what takes points of the picture into its frame."""


@dataclass(frozen=True, slots=True)
class _Looked:
    """How a die looked when it was found."""

    piece: Sighting
    part: tuple[slice, slice]
    """Of the picture: rows and columns of what it covers."""
    looked: Image
    """Grey."""


@dataclass(frozen=True, slots=True)
class _Laid:
    """How a sheet looked when it was read, and its markers when it was found out where it lies."""

    piece: Sighting
    sheet: FoundSheet
    looked: tuple[tuple[tuple[slice, slice], Image], ...]
    """Of each marker the part of the picture, and that in grey."""
    read: Looked

    def lies_still(self, grey: Image) -> bool:
        """Whether all of them look as they did."""
        return all(looks_alike(before, grey[part]) for part, before in self.looked)

    def need_not_be_read(self, image: Image, blanks: Blanks) -> bool:
        """Whether it looks as it did when all was plain to read, and no more is known of it when it was blank."""
        sheet, piece = self.sheet, self.piece
        if not is_plainly_marked(piece):
            return False
        if not is_read_beside_blank(piece) and blanks.has(sheet.layout, self.read.px_per_mm, piece.pose):
            return False
        return self.read.as_in(image, sheet.strokes)


class SheetMissing(RegistrationError):
    """Neither the mat nor a sheet of a known print is in the picture."""


class SheetFinder:
    """Finds sheets of known prints, and the dice with dots that belong to them.

    Remembers how sheets looked when they were blank, in a folder also across restarts; a table whose sheets it has not
    seen blank is read without."""

    name = "sheets"

    def __init__(self, layouts: Sequence[SheetLayout], keep_in: Path | None = None) -> None:
        """`layouts` are the prints that may lie on the table; `keep_in` is the folder for blank sheets."""
        self._layouts = tuple(layouts)
        self._blanks = Blanks(None if keep_in is None else BlankFiles(keep_in), self._layouts)
        self._looked: list[_Looked] = []
        self._laid: list[_Laid] = []
        self._lain: list[tuple[Sighting, SheetLayout]] = []
        """Sheets that may not be seen any more: what lies on them may go, and nothing else changes then."""

    def find(self, image: Image, registration: Registration, seen: Sequence[Sighting]) -> Sequence[Sighting]:
        """See `Finder.find`."""
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
        found = find_sheets(grey, self._layouts, lens=registration.lens)
        found = find_on_table(grey, self._layouts, registration, found)
        found += find_by_two(grey, self._layouts, registration, found)
        sheets, dice = _sheets_and_dice(image, registration, found, self._blanks)
        self._lain = []
        self._remember(grey, registration, dice, ())
        self._laid = [_laid(piece, sheet, grey, image) for piece, sheet in sheets]
        return [*(piece for piece, _ in sheets), *dice]

    def find_again(
        self,
        image: Image,
        registration: Registration,
        seen: Sequence[Sighting],
        before: Sequence[Sighting],
        changed: Changed,
        moves: Moves = nothing_moves,
        written: Changed = nowhere,
    ) -> Sequence[Sighting]:
        """See `FindsAgain.find_again`. A sheet on which something changed is read anew as a whole, and so are those
        that came, and dice; those not where only pencil can have come. One that looks as it did when it was read, all
        over, is not read again."""
        spots = _lattice()
        spots = spots[changed(spots)]
        known = [(one, layout) for one in before if (layout := self._layout_of(one)) is not None]
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
        # Each look is a reading of its own: what noise hides in one of them, another shows.
        kept = [(one, layout) for one, layout in known if moves(one) or not _is_touched(one, changed, written)]
        touched = [(one, layout) for one, layout in known if not any(one is other for other, _ in kept)]
        lost = [(one, layout) for one, layout in self._lain if not _lies_among(one, [other for other, _ in known])]
        seen_anew = [(one, self._seen_again(grey, one, layout, registration)) for one, layout in [*touched, *lost]]
        again = [sheet for _, sheet in seen_anew if sheet is not None]
        new = list(again)
        missing = any(sheet is None for _, sheet in seen_anew[: len(touched)])
        if np.count_nonzero(_outside(spots, [one for one, _ in known])) >= MANY_SPOTS or missing:
            lying = [one for one, _ in kept] + [one for one, sheet in seen_anew if sheet is not None]
            where = Where(free=partial(_outside, pieces=lying), new=changed)
            found = find_on_table(grey, self._layouts, registration, new, where)
            new = [sheet for sheet in found if not any(_lies_at(sheet, one, registration) for one, _ in kept)]
        dice = [one for one in before if one.kind is PieceKind.DIE and not changed(_all_over(one)).any()]
        # What was taken for a die among fingers looks otherwise when they are gone.
        doubted = [one for one in dice if self._looks_otherwise(one, grey)]
        dice = [one for one in dice if not any(one is other for other in doubted)]
        spots = np.concatenate([spots, *(np.round(np.array(one.outline_mm) / SPOTS_MM) * SPOTS_MM for one in doubted)])
        on_table: list[_Place] = [
            (layout, partial(_in_frame, registration, _to_sheet(one, layout))) for one, layout in kept
        ]
        places = [*on_table, *((sheet.layout, sheet.registration.to_table) for sheet in new)]
        thrown = [die for box in _boxes(spots) for die in self._dice(image, registration, places, box)]
        thrown = [die for die in thrown if not any(_distance_mm(die.sighting, one) < SAME_DIE_MM for one in dice)]
        lay = [one for one in before if one.kind is PieceKind.DIE]
        under = [one for one, _ in [*known, *lost]]
        thrown = [die for die in thrown if _may_have_come(die.sighting, lay, under, changed)]
        over = [die.silhouette_px for die in thrown]
        as_read = [laid for laid in self._as_read(image, again) if not _lies_on(laid, over)]
        new = [sheet for sheet in new if not any(sheet is laid.sheet for laid in as_read)]
        kept += [(laid.piece, laid.sheet.layout) for laid in as_read]
        read = _read(image, registration, new, over, self._blanks, again)
        sheets = [_under_things_as_before(piece, [one for one, _ in [*touched, *lost]]) for piece, _ in read]
        stay = [laid for laid in self._laid if any(laid.piece is one for one, _ in kept)]
        at_rest = {id(laid.sheet): laid for laid in self._laid}
        self._laid = stay + [
            _laid(piece, sheet, grey, image, at_rest.get(id(sheet)))
            for piece, (_, sheet) in zip(sheets, read, strict=True)
        ]
        self._lain = [*touched, *lost][:MOST_LOST]
        come = [die.sighting for die in _once(thrown)]
        self._remember(grey, registration, come, dice)
        return (*(one for one, _ in kept), *sheets, *dice, *come)

    def _seen_again(
        self, grey: Image, piece: Sighting, layout: SheetLayout, registration: Registration
    ) -> FoundSheet | None:
        """A sheet where it lay; None where it lies no more. One whose markers look as they did has not moved."""
        for laid in self._laid:
            if laid.piece is piece and laid.lies_still(grey):
                return laid.sheet
        return seen_again(grey, layout, _corners(piece), registration)

    def _as_read(self, image: Image, sheets: Sequence[FoundSheet]) -> list[_Laid]:
        """Those of the sheets, seen again where they lay, that look as they did when they were read."""
        at_rest = (laid for laid in self._laid if any(laid.sheet is sheet for sheet in sheets))
        return [laid for laid in at_rest if laid.need_not_be_read(image, self._blanks)]

    def _looks_otherwise(self, die: Sighting, grey: Image) -> bool:
        """Whether a die looks otherwise than when it was found."""
        last = self._last_look(die)
        return last is not None and not looks_alike(last.looked, grey[last.part])

    def _last_look(self, piece: Sighting) -> _Looked | None:
        return next((one for one in self._looked if one.piece is piece), None)

    def _remember(
        self, grey: Image, registration: Registration, read: Iterable[Sighting], kept: Sequence[Sighting]
    ) -> None:
        """How the dice that were found looked; of those that were kept, how they looked then."""
        self._looked = [one for one in self._looked if any(one.piece is piece for piece in kept)]
        for piece in read:
            if piece.kind is PieceKind.DIE:
                part = _part_around(registration.to_picture(piece.outline_mm))
                self._looked.append(_Looked(piece, part, grey[part].copy()))

    def _layout_of(self, piece: Sighting) -> SheetLayout | None:
        """The print of a sheet that was seen."""
        if piece.kind is not PieceKind.SHEET:
            return None
        last = max(mark.at for mark in piece.marks if mark.kind is MarkKind.DOT)
        return next((one for one in self._layouts if (one.columns - 1, one.rows - 1) == last), None)

    def _dice(self, image: Image, registration: Registration, places: Sequence[_Place], box_mm: Array) -> list[DotDie]:
        return _dice(image, registration, places, {(one.die_mm, one.pips_mm) for one in self._layouts}, box_mm)


def looks_alike(before: Image, now: Image) -> bool:
    """Whether two grey pictures of the same place differ by noise and light only: neither pencil nor a hand came."""
    size = (before.shape[1] // BLOCK_PX, before.shape[0] // BLOCK_PX)
    if before.shape != now.shape or not all(size):
        return False
    first, second = (
        np.asarray(cv2.resize(one.astype(np.float32), size, interpolation=cv2.INTER_AREA), np.float32)
        for one in (before, now)
    )
    gain = np.clip(np.median(first) / max(float(np.median(second)), 1.0), 1.0 / MOST_GAIN, MOST_GAIN)
    off = np.abs(second * gain - first)
    most = float(off.max())
    return most < LEAST_OFF or most < min(float(NOISES * np.median(off) / 0.6745), MOST_OFF)


def read_sheets(image: Image, layouts: Sequence[SheetLayout]) -> Scene:
    """The sheets in one picture, with or without a mat.

    Without one, everything is measured in the frame of the sheet itself; of several, the lowest in the picture.

    Raises:
        SheetMissing: neither the mat nor a sheet shows.
        RegistrationError: the picture cannot be laid over a table otherwise, and why.
    """
    start = perf_counter()
    registration, origin, found = lay_out(image, layouts)
    spent = {"register": (perf_counter() - start) * 1e3}
    start = perf_counter()
    seen = sightings(image, registration, found)
    spent["sheets"] = (perf_counter() - start) * 1e3
    hidden = [HiddenPlace(one, HiddenCause.FOREIGN) for piece in seen for one in piece.covering_mm]
    hidden += [HiddenPlace(one, HiddenCause.GLARE) for piece in seen for one in piece.blinded_mm]
    hidden += [HiddenPlace(one, HiddenCause.STRIPES) for piece in seen for one in piece.striped_mm]
    return Scene(0.0, 0, tuple(seen), tuple(hidden), 0.0, stage_ms=spent, origin=origin)


def lay_out(image: Image, layouts: Sequence[SheetLayout]) -> tuple[Registration, Origin, list[FoundSheet]]:
    """The frame in which `read_sheets` measures a picture, and the sheets in it. Raises as that does."""
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    seen = see_markers(grey, layouts, others=MARKERS_MM)
    found = find_sheets(grey, layouts, seen=seen)
    if not found or any(marker.number in MARKERS_MM for marker in seen):
        try:
            registration = find_mat_in_grey(grey)
            decoded = find_sheets(grey, layouts, lens=registration.lens, seen=seen)
            found = find_on_table(grey, layouts, registration, decoded)
            return registration, Origin.MAT, found + find_by_two(grey, layouts, registration, found)
        except MarkersMissing as error:
            if not found:
                seen = see_markers(grey, layouts, closely=True)
                found = find_sheets(grey, layouts, seen=seen)
            found += find_by_print(grey, layouts, seen, found)
            if not found:
                if find_sheets(np.ascontiguousarray(grey[:, ::-1]), layouts):
                    raise SheetMissing(MIRRORED) from error
                wanted = ", ".join(str(i) for i in sorted({i for layout in layouts for i in layout.marks}))
                raise SheetMissing(f"{error}; nor does a score sheet with two of its markers {wanted}") from error
    lowest = max(found, key=lambda sheet: float(sheet.registration.to_picture([[0.0, 0.0]])[0, 1]))
    return lowest.registration, Origin.SHEET, found


def mat_markers(image: Image) -> list[int]:
    """The numbers of the mat's markers that a picture shows, also where they are too few for a mat."""
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    return sorted(marker.number for marker in see_markers(grey, (), others=MARKERS_MM))


def sightings(
    image: Image, registration: Registration, found: Sequence[FoundSheet], blanks: Blanks | None = None
) -> list[Sighting]:
    """Sheets and dice as pieces, in the frame of this registration. Of prints that fit one sheet, the best counts.

    `blanks` remembers a table's sheets; without, print is told from pencil by one picture alone."""
    sheets, dice = _sheets_and_dice(image, registration, found, blanks)
    return [*(piece for piece, _ in sheets), *dice]


def _sheets_and_dice(
    image: Image, registration: Registration, found: Sequence[FoundSheet], blanks: Blanks | None
) -> tuple[list[tuple[Sighting, FoundSheet]], list[Sighting]]:
    sizes = {(sheet.layout.die_mm, sheet.layout.pips_mm) for sheet in found}
    dice = _dice(image, registration, [(sheet.layout, sheet.registration.to_table) for sheet in found], sizes)
    sheets = _read(image, registration, found, [die.silhouette_px for die in dice], blanks)
    return sheets, [die.sighting for die in dice]


def _read(
    image: Image,
    registration: Registration,
    found: Sequence[FoundSheet],
    over: Sequence[Array],
    blanks: Blanks | None,
    again: Sequence[FoundSheet] = (),
) -> list[tuple[Sighting, FoundSheet]]:
    """The sheets with their marks, and where each lies; `over` are outlines in the picture of what lies on them. Those
    seen `again` where they lay may be covered further."""
    judged = []
    for sheet in found:
        flat = flatten(image, sheet.layout, sheet.registration, over_px=over, places=sheet.places)
        judged.append((_agreement_by_print(flat) if sheet.by_two else _agreement(flat), sheet, flat))
    kept: list[tuple[float, FoundSheet, FlatSheet]] = []
    for one in sorted(judged, key=lambda judged_one: -judged_one[0]):
        least = LEAST_AGAIN if any(one[1] is sheet for sheet in again) else LEAST_AGREEMENT
        if one[0] >= least and not any(_same(one[1], other) for _, other, _ in kept):
            kept.append(one)
    return [(_sighting(sheet, flat, agreement, registration, blanks), sheet) for agreement, sheet, flat in kept]


def _agreement(flat: FlatSheet) -> float:
    """How much of the print is where it should be, where nothing lies on it."""
    agreement = print_agreement(flat)
    if not LEAST_WITH_THINGS <= agreement < LEAST_AGREEMENT:
        return agreement
    beside = print_agreement(with_things(flat), LEAST_OPEN)
    return beside if beside >= LEAST_BESIDE_THINGS else agreement


def _agreement_by_print(flat: FlatSheet) -> float:
    """The same where nothing but print tells that this sheet lies there; 0 where too little of it does."""
    agreement = print_agreement(flat, LEAST_BY_PRINT)
    return agreement if agreement >= LEAST_BESIDE_THINGS else 0.0


def _laid(piece: Sighting, sheet: FoundSheet, grey: Image, image: Image, before: _Laid | None = None) -> _Laid:
    """A sheet that was read in this picture; `before` is how it was when it was found where it lies still."""
    looked = Looked.of(image, sheet.registration, sheet.layout)
    if before is not None:
        return replace(before, piece=piece, read=looked)
    parts = [_part_around(sheet.registration.to_picture(corners)) for corners in sheet.layout.marks.values()]
    return _Laid(piece, sheet, tuple((part, grey[part].copy()) for part in parts), looked)


def _lies_on(laid: _Laid, over_px: Sequence[Array]) -> bool:
    """Whether any of these outlines in the picture reaches over a sheet."""
    outline = laid.sheet.registration.to_picture(laid.sheet.layout.corners_mm).astype(np.float32)
    return any(cv2.intersectConvexConvex(outline, one.astype(np.float32))[0] > 0.0 for one in over_px)


def _part_around(points_px: Array) -> tuple[slice, slice]:
    """The rows and columns of a picture that these points lie in."""
    (left, top), (right, bottom) = np.floor(points_px.min(0)).astype(int), np.ceil(points_px.max(0)).astype(int)
    return slice(max(top, 0), max(bottom, 0)), slice(max(left, 0), max(right, 0))


def _sighting(
    sheet: FoundSheet, flat: FlatSheet, agreement: float, registration: Registration, blanks: Blanks | None
) -> Sighting:
    flat = with_things(flat)
    corners = _carried(sheet.layout.corners_mm, sheet.registration, registration)
    centre = _carried(np.zeros((1, 2)), sheet.registration, registration)[0]
    up = corners[0] + corners[1] - corners[2] - corners[3]
    turn = np.degrees(np.arctan2(up[1], up[0])) % 360.0
    pose = Pose(*(round(float(value), 2) + 0.0 for value in (*centre, turn)))
    told, marks = _read_marks(flat, pose, blanks)

    def outlines(mask: Mask) -> tuple[tuple[Point, ...], ...]:
        found = told.outlines_mm(mask, LEAST_THING_MM, sheet.layout.pitch_mm) if mask.any() else []
        return tuple(as_points(_carried(one[::-1], sheet.registration, registration)) for one in found)

    return Sighting(
        kind=PieceKind.SHEET,
        pose=pose,
        faces=(FaceLikelihood(FACE, round(agreement, 4)),),
        face_up=True,
        visible=round(1.0 - float((flat.foreign > 0).mean()), 3),
        outline_mm=as_points(corners[::-1]),
        marks=marks,
        covering_mm=outlines(told.foreign),
        blinded_mm=outlines(_hidden_by_light(told, marks, striped=False)),
        striped_mm=outlines(_hidden_by_light(told, marks, striped=True)),
    )


def _hidden_by_light(flat: FlatSheet, marks: Sequence[SheetMark], *, striped: bool) -> Mask:
    """255 around the dots of which light alone hides whether they are pencilled: too much of it, or where it is
    `striped`."""
    at = [mark.at for mark in marks if mark.hidden and mark.kind is MarkKind.DOT]
    around = np.zeros_like(flat.foreign)
    if not at:
        return around
    dots = np.array([flat.layout.dot_mm((column, row)) for column, row in at])
    near = np.ones((round(2 * LEAST_THING_MM * PX_PER_MM),) * 2, np.uint8)
    covered_too = np.asarray(cv2.dilate(flat.foreign, near), np.float32)
    in_stripes = flat.sampled(np.asarray(cv2.dilate(flat.stripes, near), np.float32), dots) > 0.0
    dots = dots[(flat.sampled(covered_too, dots) == 0.0) & (in_stripes == striped)]
    for x, y in np.round(np.stack(flat.at(dots), axis=-1)).astype(int).tolist():
        cv2.circle(around, (x, y), round(BLINDED_SHARE * flat.layout.pitch_mm * PX_PER_MM), 255, -1)
    return around & ~flat.foreign


def _read_marks(flat: FlatSheet, pose: Pose, blanks: Blanks | None) -> tuple[FlatSheet, tuple[SheetMark, ...]]:
    """What was pencilled on a sheet of a table since it was blank, and before; and the sheet with what hides it."""
    if blanks is None:
        flat = with_stripes(flat)
        return flat, read_marks(flat, judges_for(flat))
    seen = replace(flat, blank=blanks.at(flat, pose))
    lit = in_light(seen)
    flat = with_stripes(covered(lit))
    ink = ink_of(flat)
    blank_colours = None if ink is None else blanks.colours_at(flat, pose)
    marked = flat if ink is None or blank_colours is None else as_pencilled(flat, ink, blank_colours)
    marks = read_marks(marked, judges_for(marked))
    if not is_paler(lit, seen):
        blanks.take(flat, pose, marks)
    return flat, marks if flat.blank is not None else tuple(map(_less_sure, marks))


def _less_sure(mark: SheetMark) -> SheetMark:
    """A mark on a sheet that was never seen blank."""
    if mark.kind is not MarkKind.CROSSED_TOPPING:
        return mark
    return replace(mark, probability=min(max(mark.probability, 1.0 - SUREST_CROSS), SUREST_CROSS))


def _under_things_as_before(sheet: Sighting, before: Sequence[Sighting]) -> Sighting:
    """What something lies on is taken for what it was, so that it does not seem to be written."""
    alike = [one for one in before if len(one.marks) == len(sheet.marks)]
    last = next((one for one in alike if _distance_mm(sheet, one) < SAME_MM), None)
    if last is None or not any(mark.hidden for mark in sheet.marks):
        return sheet
    pairs = zip(sheet.marks, last.marks, strict=True)
    marks = tuple(replace(mark, probability=old.probability) if mark.hidden else mark for mark, old in pairs)
    return replace(sheet, marks=marks)


def _dice(
    image: Image,
    registration: Registration,
    sheets: Sequence[_Place],
    sizes: Collection[tuple[float, float]],
    box_mm: Array | None = None,
) -> list[DotDie]:
    """The dice of these sizes (edge, and between dots). All that is taken for a die's dots may be where a sheet is
    pencilled or printed: dots of a die are too near each other for that. Those that are lighter than their face are
    dots of a dark die: nothing on paper looks like that."""

    def explained(points_px: Array) -> NDArray[np.bool_]:
        there = np.zeros(len(points_px), bool)
        for layout, to_sheet in sheets:
            there |= _is_of_sheet(to_sheet(points_px), layout)
        return there

    dice = [
        die
        for size, pips in sorted(sizes)
        for die in find_dot_dice(image, registration, size, pips, explained=explained, within_mm=box_mm)
    ]
    return [die for die in dice if die.dots_lighter or not explained(die.dots_px).all()]


def _is_of_sheet(points: Array, layout: SheetLayout) -> NDArray[np.bool_]:
    """Which points of a sheet are where it is pencilled or printed."""
    steps = (points - layout.first_mm) * (1.0, -1.0) / layout.pitch_mm
    nearest = np.clip(np.round(steps), 0, (layout.columns - 1, layout.rows - 1))
    there = np.linalg.norm(steps - nearest, axis=1) * layout.pitch_mm < PENCILLED_MM
    for topping in layout.toppings:
        there |= np.linalg.norm(points - topping.centre_mm, axis=1) < topping.size_mm / 2 + 1.0
    for box in layout.boxes:
        there |= (np.abs(points - box.centre_mm) < np.array(box.size_mm) / 2 + 1.0).all(axis=1)
    for corners in layout.marks.values():
        there |= (np.abs(points - corners.mean(axis=0)) < np.ptp(corners, axis=0) / 2 + 1.0).all(axis=1)
    return np.asarray(there)


def _in_frame(registration: Registration, to_sheet: Array, points_px: Array) -> Array:
    """Points of the picture in the frame of a sheet; `to_sheet` takes the table there (3 x 3)."""
    on_table = registration.to_table(points_px)
    moved = np.column_stack([on_table, np.ones(len(on_table))]) @ to_sheet.T
    return np.asarray(moved[:, :2] / moved[:, 2:])


def _to_sheet(piece: Sighting, layout: SheetLayout) -> Array:
    """What takes the table to a sheet's own frame (3 x 3): where the lens is not known well, far from the mat, a sheet
    seems to be a little larger or leaning."""
    return np.asarray(cv2.findHomography(_corners(piece), layout.corners_mm, 0)[0], np.float64)


def _corners(piece: Sighting) -> Array:
    """A sheet's corners on the table: top left, top right, bottom right, bottom left."""
    return np.array(piece.outline_mm)[::-1]


def _as_pose(piece: Sighting) -> Array:
    """As `vision.shapes.place` takes it, x to the right of the print."""
    return np.array([piece.pose.x_mm, piece.pose.y_mm, piece.pose.angle_deg - 90.0])


def _lattice() -> Array:
    """Points all over the table on which dice are looked for and sheets lie."""
    x, y = (np.arange(-reach, reach + 1, SPOTS_MM) for reach in REACH_MM)
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def _outside(spots: Array, pieces: Sequence[Sighting]) -> NDArray[np.bool_]:
    """Which points lie on none of these pieces."""
    free = np.ones(len(spots), bool)
    for piece in pieces:
        own = np.abs(to_own_frame(spots, _as_pose(piece)))
        corners = np.abs(to_own_frame(np.array(piece.outline_mm), _as_pose(piece))).max(axis=0)
        free &= (own > corners).any(axis=1)
    return free


def _boxes(spots: Array) -> list[Array]:
    """Rectangles (2 x 2: lower left, upper right) around what changed, each part with room for a die around it."""
    if not len(spots):
        return []
    size = [round(2 * reach / SPOTS_MM) + 1 for reach in REACH_MM]
    grid = np.zeros((size[1], size[0]), np.uint8)
    cells = np.round((spots + REACH_MM) / SPOTS_MM).astype(int)
    grid[cells[:, 1], cells[:, 0]] = 255
    wide = np.asarray(cv2.dilate(grid, np.ones((ROOM, ROOM), np.uint8)), np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(wide, connectivity=8)
    low = stats[1:, :2] * SPOTS_MM - np.array(REACH_MM)
    return [np.array([at, at + part * SPOTS_MM]) for at, part in zip(low, stats[1:, 2:4], strict=True)]


def _may_have_come(die: Sighting, lay: Sequence[Sighting], sheets: Sequence[Sighting], changed: Changed) -> bool:
    """Whether a die may have come, beside the dice that `lay` there: what one on a sheet covers looks otherwise then.
    Numbers in print stand as far apart as its dots do, and shadows may be its edges."""
    on_sheet = not _outside(np.array([[die.pose.x_mm, die.pose.y_mm]]), sheets)[0]
    if not on_sheet or any(_distance_mm(die, one) < SAME_DIE_MM for one in lay):
        return True
    return float(changed(_all_over(die)).mean()) >= LEAST_CHANGED


def _once(dice: Sequence[DotDie]) -> list[DotDie]:
    """Without those that were found in two places that were looked at."""
    kept: list[DotDie] = []
    for die in sorted(dice, key=lambda one: -one.sighting.probability):
        if all(_distance_mm(die.sighting, other.sighting) >= SAME_DIE_MM for other in kept):
            kept.append(die)
    return kept


def _distance_mm(first: Sighting, second: Sighting) -> float:
    return float(np.hypot(first.pose.x_mm - second.pose.x_mm, first.pose.y_mm - second.pose.y_mm))


def _carried(points_mm: Array, start: Registration, end: Registration) -> Array:
    """Points of one registration's plane in another's."""
    return end.to_table(start.to_picture(points_mm))


def _all_over(piece: Sighting) -> Array:
    """Points all over a piece, some millimetres apart."""
    outline = np.array(piece.outline_mm)
    shares = np.arange(0.0, 1.0, 0.02)[:, None]
    first, last = (a + shares * (b - a) for a, b in ((outline[0], outline[1]), (outline[3], outline[2])))
    return np.asarray((first + np.linspace(0.0, 1.0, 50)[:, None, None] * (last - first)).reshape(-1, 2))


def _is_touched(sheet: Sighting, changed: Changed, written: Changed) -> bool:
    """Whether anything on a sheet may look otherwise."""
    points = _all_over(sheet)
    return bool(changed(points).any() or written(points).any())


def _lies_at(sheet: FoundSheet, piece: Sighting, registration: Registration) -> bool:
    """Whether a sheet lies where this piece lies."""
    centre = _carried(np.zeros((1, 2)), sheet.registration, registration)[0]
    return float(np.hypot(centre[0] - piece.pose.x_mm, centre[1] - piece.pose.y_mm)) < SAME_MM


def _lies_among(sheet: Sighting, others: Sequence[Sighting]) -> bool:
    """Whether one of the others lies where this sheet lay."""
    return any(_distance_mm(sheet, other) < SAME_MM for other in others)


def _same(first: FoundSheet, second: FoundSheet) -> bool:
    """Whether both are one sheet, taken for two prints."""
    there = _carried(np.zeros((1, 2)), second.registration, first.registration)[0]
    return float(np.hypot(*there)) < SAME_MM
