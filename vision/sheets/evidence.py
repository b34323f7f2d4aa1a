"""What speaks for a mark at each place of a flat sheet: its measures, beside those of the sheet's own pencil and paper.

Some pencil firmly, some faintly, and cameras blur: how dark a mark must be is told by the marks of the sheet itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene import MarkKind
from vision.sheets import measures
from vision.sheets.flattening import PX_PER_MM, FlatSheet, Mask, Plane
from vision.sheets.layout import Array, BonusBox, PrintedTopping, SheetLayout
from vision.sheets.much_light import ENOUGH, FIRM, told_around, told_by_sheet
from vision.short_axes import median_of, row_quantiles

Bools = NDArray[np.bool_]

HIDDEN_SHARE = 0.2
"""A place of which more lies under something is hidden."""
STRIPED_SHARE, MAY_BE = 0.05, 0.3
"""In a place of which more than the first lies in a thin shadow that may look like a mark; and a dot may be one that is
darker than printed ones by such a share of what pencilled ones are."""
DOT_APART = 0.14
"""Pencilled dots measure so much more than printed ones, or there are not both."""
DOT_APART_ALONE = 0.08
"""The same where pencil is seen alone: print does not blur what is between them."""
PALE_APART, PALE_SPREADS = 0.05, 10.0
"""Where paper is brighter than the picture shows light takes as much from all pencil, and print: there so much tells,
and so many times what printed dots spread. Of 103 such sheets on which nothing was pencilled none had 0.015."""
DOT_SHARE = 0.33
"""Of the way from printed dots to pencilled ones, from where on a dot is taken for pencilled at first."""
LINES_SHARE = 0.7
"""How dark lines are says this quantile of those between pencilled dots: some may not be drawn."""
LEAST_LINE = 0.02
"""Lines are taken for no paler than this."""
DOT_ROOM_MM, CROSS_ROOM_MM = 1.2, 4.0
"""What lies no farther from a dot's or a line's middle, or a topping's or a box's, may hide it, or take from it."""
DOT_MM = 1.3
"""The usual radius of a dot, and"""
SHARP_MM = 0.55
"""the deviation of the blur beyond which a stroke's middle pales as the blur grows; all that is said here of how dark
marks are was found with less."""
LINE_TO_DOT, LEAST_LINE_TO_DOT = 0.55, 0.2
"""How dark lines measure beside dots of the same pencil, and at least: on 237 drawn sheets that are not too bright the
darker of those that were drawn do by 0.18 and more, on 95 of 100 by more than 0.23. Where none is there is less."""
BARE, BARE_SHARE, BARE_MM = 0.03, 0.9, 0.4
"""A place of which so much is darker by less than this, softened, than on the blank sheet, bears no mark."""
FAINT_RING, FAINT_STROKE = 0.016, 0.012
"""But where a ring about a bonus, or both strokes over it, are darker by so much along most of their way, something is:
they cover little of its box."""
PLAIN_RING, PLAIN_ON_PRINT = (0.4, 2.0), (0.5, 3.0)
"""A ring of any size and place in a bonus's box is plain where most of its way is darker by more than such a share of
how dark the sheet's lines are, and by so many times its noise: by the first where pencil is seen alone, by the second
where it may be print."""
PLAIN_CROSS = (0.3, 1.5)
"""The same of both strokes of a cross over the box, where pencil is seen alone: of 936 without one none was."""
HARDLY_CROSSED = 0.15
"""There the paler stroke of a cross is darker than such a share of lines: of 470 that were likely, on drawn sheets of
all kinds, each was; of 34 boxes on which one was likely, and is none, 11 were not (three of six where it was sure)."""
OTHER_RING = 0.5
"""It is of another size than most where a ring of theirs is darker by less than such a share of what it is."""
FAINT_DOTS, FAINT_SPREADS = (0.4, 0.8), 5.0
"""Where paper is brighter than the picture shows, what is darker than printed dots by a share between these of what
nearly all pencilled ones are, and by so many times what printed ones spread, may be one that light took much from."""
FAINT_NOISES = 3.0
"""Between two dots of which one may be faint a line may be that is darker by so many times the sheet's noise."""
FAINT_LINES, LOST_DOTS = 0.12, (0.1, 0.8)
"""Where most lines are not darker than the first times what dots are, half of what they usually are, strokes may not
show at all and dots hardly, and traces of what was rubbed out may seem as dark, where print is darker than paper. So it
is with crosses and circles where dots, too, are of two sorts by `PALE_APART` only."""
PRINT_GONE, PALE_PENCIL = 0.003, 0.08
"""Printed dots that are darker by less than the first do not show; nor, there, may pencil, where half of the pencilled
dots are darker by less than the second."""
UNSEEN = 0.01
"""On a sheet that is too bright a line that is darker by less is guessed from others, and none that is surely there."""
ONE_STROKE, LEAST_STROKE = 0.25, 0.3
"""Of a cross the paler stroke is no less dark than this share of the other (5 of 3100 were), or that is a line between
dots at opposite corners, if it is darker than such a share of lines."""
RUNS_ON, RUNS_SPREADS = 0.5, 3.0
"""A stroke that is so many times as dark beyond the dots that it joins as between them, and darker by so many times
what bare paths spread, is none."""
PALEST = 0.1
"""Of all but this share of a sheet's marks,"""
SMEARED_MM, SMEARED = 1.75, 1.3
"""Where printed dots seem to be so wide in one direction, and so many times as wide as in the other, the camera or the
sheet moved, and pencilled lines across it may have no contrast left. Far sheets and soft pictures are soft both ways:
up to 1.17 times on simulated tables."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The n places for marks of one kind, and what was measured of each."""

    places: tuple[tuple[int, ...], ...]
    features: Plane
    """n x m, of all places that are not `bare`. Darkness against paper, against that of the sheet's marks, and against
    its noise."""
    hidden: Bools
    """Whether something lies there."""
    washed: Bools
    """Whether what is pencilled there may be washed out."""
    striped: Bools
    """Whether a thin shadow lies there."""
    unsure: Bools | None = None
    """Whether something is there that may be one, or belong to another mark."""
    doubted: Bools | None = None
    """Whether what looks like one there may be none,"""
    hardly: Bools | None = None
    """or hardly shows by itself."""
    dark: Bools | None = None
    """Of dots: whether anything is darker there than paper, by enough for one."""
    bare: Bools | None = None
    """Whether nothing is darker there than when the sheet was blank: what is, is no mark, and is not measured."""


@dataclass(frozen=True, slots=True)
class _Pencil:
    """How marks and paper of one sheet measure."""

    line: float
    noise: float
    px_per_mm: float
    soft_mm: float
    """As `FlatSheet.soft_mm`."""
    light: tuple[float, ...] = ()
    """Where the sheet is `too_bright`: what tells how much light takes of its marks."""

    def beside(self, *columns: Array | Plane) -> list[Array | Plane]:
        """Each measure, and its ratio to how dark the sheet's lines are."""
        return [value for column in columns for value in (column, column / self.line)]

    def ratios(self, *columns: Array | Plane) -> list[Array | Plane]:
        """Each measure beside how dark the sheet's lines are."""
        return [column / self.line for column in columns]

    def plain(self, darker: Plane, share: float, noises: float) -> Bools:
        """Which of these are darker by more than such a share of how dark the sheet's lines are, and so many times its
        noise."""
        return np.asarray(darker > max(share * self.line, noises * self.noise))

    def constants(self, count: int) -> list[Array]:
        """What is the same everywhere on the sheet."""
        values = [self.line, self.noise, self.noise / self.line, np.log(self.px_per_mm)]
        if self.soft_mm and not self.light:
            values.append(np.log(self.soft_mm))
        values += self.light
        return [np.full(count, value) for value in values]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A flat sheet, and what is on it besides its print."""

    flat: FlatSheet
    pencilled: FlatSheet
    """Without its print, where it was seen blank."""
    softened: Plane | None
    """How dark pencil alone is, softened; None where the sheet was not seen blank."""

    @classmethod
    def of(cls, flat: FlatSheet) -> "_Seen":
        pencilled = flat.pencilled
        if flat.blank is None:
            return cls(flat, pencilled, None)
        soft = cv2.GaussianBlur(pencilled.darkness, (0, 0), BARE_MM * PX_PER_MM)
        return cls(flat, pencilled, np.asarray(soft, np.float32))

    def bare(self, points_mm: Array) -> Bools | None:
        """At which of n x m points hardly any are darker than on the blank sheet; None where that was not seen."""
        if self.softened is None:
            return None
        darker = row_quantiles(self.flat.sampled(self.softened, points_mm), BARE_SHARE)
        # The faintest have still less than their share left, and measuring some bare places costs but time.
        return np.asarray(darker < BARE * _stroke_left(self.flat) ** 2)


def gather(flat: FlatSheet) -> dict[MarkKind, Evidence]:
    """Look at every place that may be marked; of diagonals only between pencilled dots, on sheets seen blank."""
    layout = flat.layout
    places = layout.dots_mm
    seen = _Seen.of(flat)
    pencilled = seen.pencilled
    crossed = _may_be_crossed(seen)
    dots = measures.dots(pencilled, places, crossed)
    spots = dots.centres_mm[:, None] + _around(DOT_ROOM_MM)
    hidden, washed, striped = _hidden(flat, spots), _washed(flat, spots), _striped(flat, spots)
    clear = ~(hidden | washed | striped)
    left = _dot_left(flat)
    cut_off = _cut_off(flat, spots)
    low, high = _sorts(dots.core[clear], DOT_APART if flat.blank is None else DOT_APART_ALONE, left)
    inner = cut_off & clear & ~layout.outer_dots  # more may be printed at those
    if flat.blank is None and 2 * np.count_nonzero(inner) > np.count_nonzero(clear):
        low, high = _pale_sorts(dots.core[inner]) or (low, high)
    dotted = dots.core > low + DOT_SHARE * (high - low)
    noise = measures.noise_of(flat)

    number = {dot: i for i, dot in enumerate(layout.dots)}
    ends = np.array([[number[a], number[b]] for a, b in layout.lines])
    edge = layout.outer_lines.astype(np.float64)
    joined = dotted[ends].all(axis=1)
    centres = np.where(dotted[:, None], dots.centres_mm, places)
    starts, stops = centres[ends[:, 0]], centres[ends[:, 1]]
    shares = np.linspace(*measures.LINE_SHARE, 8)[None, :, None]
    along = starts[:, None] * (1 - shares) + stops[:, None] * shares
    under = _hidden(flat, along) | hidden[ends].any(axis=1)
    out = _washed(flat, along) | washed[ends].any(axis=1)
    shaded = _striped(flat, along) | striped[ends].any(axis=1)
    plane, border = measures.without_border(pencilled, _outer(flat, ~joined & ~under & ~out & ~shaded))
    if flat.blank is None:
        plane = measures.without_rims(flat, plane)
    paths = measures.lines(flat, plane, starts, stops)
    weak = paths.quantiles[:, 1]
    shown = ~(under | out | shaded)
    told, free = weak[joined & shown], weak[~joined & shown]
    # Where light takes nothing nothing is washed out, however pale lines seem: most of these may be none.
    taken = flat.loss > max(_palest(told, dots.core[dotted & clear] - low), 0.0)
    if taken.any():
        flat = replace(flat, washed=np.where(taken, np.uint8(255), flat.washed))
        seen, washed = replace(seen, flat=flat), _washed(flat, spots)
        out = _washed(flat, along) | washed[ends].any(axis=1)
    line_left = _stroke_left(flat)
    of_dots = line_left / left * (high - low)
    usual = _usual_line(told, of_dots, too_bright=flat.too_bright)
    bare = _middle_and_spread(free) if len(free) >= ENOUGH else (0.0, noise)
    faint = FAINT_LINES * of_dots
    too_bright = flat.too_bright  # of such a sheet the networks are told what follows
    lost = not too_bright and len(told) >= ENOUGH and float(np.quantile(told, LINES_SHARE) - bare[0]) < faint
    one_sort = flat.blank is None and not too_bright and high - low < DOT_APART * left
    no_strokes = lost or one_sort
    pale = np.zeros(len(places), bool)
    if not too_bright:
        between = LOST_DOTS if lost else FAINT_DOTS
        pale = cut_off & _paled(dots.core, dotted & clear & cut_off, ~dotted & clear & cut_off, between)
    unsure = pale | (dots.beside > DOT_SHARE * (high - low))
    joins = (dotted | unsure)[ends].all(axis=1)
    faint_dots = np.zeros(len(places), bool)
    if flat.blank is None and not too_bright and _told_apart(dots.core[clear], DOT_APART * left) is None:
        faint_dots = clear & _faint_dots(dots.core, clear, layout.outer_dots)
    faint_lines = (faint_dots | dotted)[ends].all(axis=1) & (weak > FAINT_NOISES * noise)
    light: tuple[float, ...] = ()
    if too_bright:
        sorts = dots.core[dotted & clear], dots.core[~dotted & clear]
        light = told_by_sheet(*sorts, told, cut_off[clear], flat.blur_mm)
    pencil = _Pencil(max(usual, LEAST_LINE * line_left), noise, flat.px_per_mm, flat.soft_mm, light)
    arms = _arms(weak, ends, len(places))

    def of_lines(measured: measures.Paths, edges: Array, borders: Array, weaker_dots: Plane) -> Plane:
        told = _of_lines(measured, bare, edges, borders, weaker_dots, pencil)
        return told if flat.blank is None else np.column_stack([told, _straight(measured, pencil)])

    found = {
        MarkKind.DOT: Evidence(
            layout.dots,
            _of_dots(flat, dots, (low, high), arms, pencil)
            if flat.blank is None
            else np.column_stack(
                [
                    _of_dots(flat, dots, (low, high), arms, pencil),
                    _soft(measures.soft_dots(pencilled, places, crossed, dots), high - low, pencil),
                    _of_dots_with_print(flat, crossed, ~clear, dotted, arms, pencil),
                ]
            ),
            hidden,
            washed,
            striped,
            unsure=unsure | faint_dots,
            dark=dots.core - low > MAY_BE * (high - low),
        ),
        MarkKind.LINE: Evidence(
            tuple((*a, *b) for a, b in layout.lines),
            of_lines(paths, edge, edge * border, dots.core[ends].min(axis=1)),
            under,
            out,
            shaded,
            unsure=(joined & _across_smear(flat, places[clear & ~dotted]))
            | (joins & ((lost & _cut_off(flat, along)) | pale[ends].any(axis=1)))
            | faint_lines,
            doubted=weak < UNSEEN if too_bright else None,
        ),
        MarkKind.CROSSED_TOPPING: _of_toppings(seen, pencil, no_strokes),
        **_of_boxes(seen, pencil, no_strokes),
    }
    if too_bright:
        firm = dots.core[dotted & clear]
        hardly = len(firm) < ENOUGH or median_of(firm) < low + PALE_PENCIL
        found = _in_light(flat, found, dots.core[clear], places[clear], hardly_shows=hardly)
    if flat.blank is not None:
        pairs = [(number[a], number[b]) for a, b in layout.diagonals if dotted[number[a]] and dotted[number[b]]]
        lines = found[MarkKind.LINE].features
        found[MarkKind.DIAGONAL] = Evidence((), lines[:0], under[:0], out[:0], shaded[:0])
        if pairs:
            across, none = np.array(pairs), np.zeros(len(pairs))
            paths = measures.lines(flat, plane, centres[across[:, 0]], centres[across[:, 1]])
            found[MarkKind.DIAGONAL] = Evidence(
                tuple((*layout.dots[a], *layout.dots[b]) for a, b in pairs),
                of_lines(paths, none, none, dots.core[across].min(axis=1)),
                np.asarray(hidden[across].any(axis=1)),
                np.asarray(washed[across].any(axis=1)),
                np.asarray(striped[across].any(axis=1))
                | _run_on(flat, plane, centres, dotted, across, paths.quantiles[:, 1], bare),
                unsure=_over_toppings(layout, pairs, found[MarkKind.CROSSED_TOPPING].doubted),
            )
    return found


def _in_light(
    flat: FlatSheet, found: Mapping[MarkKind, Evidence], dots: Plane, dots_mm: Array, *, hardly_shows: bool
) -> dict[MarkKind, Evidence]:
    """With what tells how much light takes at each place, by all dots (n, at n x 2) that are in sight; `hardly_shows`:
    whether what is pencilled does so little that there may be some where not even print shows."""
    layout = flat.layout
    middles: Array = np.array(layout.lines, np.float64).mean(axis=1) * (1.0, -1.0) * layout.pitch_mm + layout.first_mm
    boxes = [box.centre_mm for box in layout.boxes]
    spots = {
        MarkKind.DOT: (layout.dots_mm, DOT_ROOM_MM),
        MarkKind.LINE: (middles, DOT_ROOM_MM),
        MarkKind.CROSSED_TOPPING: ([topping.centre_mm for topping in layout.toppings], CROSS_ROOM_MM),
        MarkKind.CIRCLED_BONUS: (boxes, CROSS_ROOM_MM),
        MarkKind.CROSSED_BONUS: (boxes, CROSS_ROOM_MM),
    }
    told = {}
    for kind, (at, room) in spots.items():
        looked = told[kind] = found[kind]
        if looked.places:
            around = told_around(np.array(at), dots, dots_mm)
            cut_off = _cut_off(flat, np.array(at)[:, None] + _around(room))
            features = _table(looked.features, cut_off.astype(np.float32), around)
            blinded = cut_off & (around[:, 0] < PRINT_GONE) if hardly_shows else np.zeros(len(cut_off), bool)
            unsure = blinded if looked.unsure is None else looked.unsure | blinded
            told[kind] = replace(looked, features=features, unsure=unsure)
    return told


def _run_on(
    flat: FlatSheet,
    plane: Plane,
    centres: Array,
    dotted: Bools,
    across: NDArray[np.intp],
    weak: Plane,
    bare: tuple[float, float],
) -> Bools:
    """Which of the strokes `across` squares, n x 2 dots, go on beyond both where nothing is pencilled. Pencil ends at
    dots; thin shadows and folds do not. `weak`: how dark each is; `bare`: how dark paths without one seem to be, and
    their spread."""
    number = {dot: i for i, dot in enumerate(flat.layout.dots)}
    usual, spread = bare
    parts: list[tuple[int, Array, Array]] = []
    for stroke in np.flatnonzero(weak - usual > RUNS_SPREADS * spread).tolist():
        for dot, other in (across[stroke], across[stroke, ::-1]):
            (column, row), (from_column, from_row) = flat.layout.dots[dot], flat.layout.dots[other]
            further = number.get((2 * column - from_column, 2 * row - from_row))
            if further is not None and not dotted[further]:
                parts.append((stroke, centres[dot], centres[further]))
    if not parts:
        return np.zeros(len(across), bool)
    strokes, starts, ends = (np.array(part) for part in zip(*parts, strict=True))
    beyond_them = measures.lines(flat, plane, starts, ends).quantiles[:, 1]
    goes_on = beyond_them - usual > np.maximum(RUNS_ON * (weak[strokes] - usual), RUNS_SPREADS * spread)
    looked_at = np.bincount(strokes, minlength=len(across))
    return np.asarray(np.bincount(strokes, goes_on, len(across)) == np.maximum(looked_at, 1))


def _over_toppings(layout: SheetLayout, pairs: Sequence[tuple[int, int]], chosen: Bools | None) -> Bools:
    """Which of these pairs of dots (their numbers) are at opposite corners of a square whose topping is `chosen`."""
    if chosen is None:
        return np.zeros(len(pairs), bool)
    squares = {topping.square for topping, one in zip(layout.toppings, chosen, strict=True) if one}
    corners = [tuple(np.minimum(layout.dots[a], layout.dots[b]).tolist()) for a, b in pairs]
    return np.array([corner in squares for corner in corners])


def _palest(lines: Plane, dots: Plane) -> float:
    """How dark nearly all of a sheet's lines are at least; told by its dots where it has few; 0 where those are few.

    Where light takes less than this, what it would have taken wholly is less than half as dark as these were."""
    if len(lines) >= ENOUGH:
        return float(np.quantile(lines, PALEST))
    return LINE_TO_DOT * float(np.quantile(dots, PALEST)) if len(dots) >= ENOUGH else 0.0


def _paled(core: Plane, pencilled: Bools, printed: Bools, between: tuple[float, float]) -> Bools:
    """Which dots are darker than `printed` ones are, by too much for one, and paler than those `pencilled`: by a share
    `between` these."""
    if min(np.count_nonzero(pencilled), np.count_nonzero(printed)) < ENOUGH:
        return np.zeros(len(core), bool)
    middle, spread = _middle_and_spread(core[printed])
    least, most = np.array(between) * (float(np.quantile(core[pencilled], PALEST)) - middle)
    return np.asarray((core - middle > max(least, FAINT_SPREADS * spread)) & (core - middle < most))


def _usual_line(lines: Plane, of_dots: float, *, too_bright: bool) -> float:
    """How dark a sheet's lines are, of which some or all between pencilled dots (n) may not be drawn; told by its dots,
    of which lines that are not too bright are never so far, where few are.

    `of_dots` is how much darker pencilled dots are than printed ones, blurred as lines are."""
    if len(lines) < ENOUGH:
        return LINE_TO_DOT * of_dots
    usual, least = float(np.quantile(lines, LINES_SHARE)), LEAST_LINE_TO_DOT * of_dots
    if too_bright or usual >= least:
        return usual
    drawn = lines[lines >= least]
    return median_of(drawn) if len(drawn) >= ENOUGH else LINE_TO_DOT * of_dots


def _across_smear(flat: FlatSheet, printed_mm: Array) -> Bools:
    """Which lines may not show, as the picture is smeared across them; `printed_mm`: where only dots are printed."""
    lines = flat.layout.lines
    if len(printed_mm) < ENOUGH:
        return np.zeros(len(lines), bool)
    across, along = measures.printed_widths(flat, printed_mm)
    upright, lying = (wide >= max(SMEARED_MM, SMEARED * other) for wide, other in ((across, along), (along, across)))
    return np.array([upright if a[0] == b[0] else lying for a, b in lines])


def _may_be_crossed(seen: _Seen) -> tuple[PrintedTopping, ...]:
    """The toppings on which something was pencilled since the sheet was blank; none where that is not known."""
    toppings = seen.flat.layout.toppings
    if not toppings:
        return ()
    bare = seen.bare(np.array([topping.centre_mm for topping in toppings])[:, None] + _around(2.6))
    if bare is None:
        return ()
    return tuple(topping for topping, none in zip(toppings, bare, strict=True) if not none)


def _of_dots_with_print(
    flat: FlatSheet, crossed: Sequence[PrintedTopping], hidden: Bools, dotted: Bools, arms: Array, pencil: _Pencil
) -> Plane:
    """Which dots are pencilled is known already."""
    dots = measures.dots(flat, flat.layout.dots_mm, crossed)
    pencilled, printed = dots.core[dotted & ~hidden], dots.core[~dotted & ~hidden]
    left = _dot_left(flat)
    both = len(pencilled) and len(printed) and float(pencilled.mean() - printed.mean()) >= DOT_APART_ALONE * left
    sorts = (float(printed.mean()), float(pencilled.mean())) if both else _sorts(dots.core[~hidden], DOT_APART, left)
    return _of_dots(flat, dots, sorts, arms, pencil)


def _of_dots(flat: FlatSheet, dots: measures.Dots, sorts: tuple[float, float], arms: Array, pencil: _Pencil) -> Plane:
    low, high = sorts
    places = flat.layout.dots_mm
    gap = high - low
    return _table(
        dots.core,
        (dots.core - low) / gap,
        (dots.core - low) / (pencil.noise + 0.01),
        dots.wide / gap,
        dots.middle / gap,
        dots.around,
        np.hypot(*(dots.centres_mm - places).T),
        *(arms.T / pencil.line),
        np.full(len(places), low),
        np.full(len(places), gap),
        flat.layout.outer_dots * 1.0,
        *pencil.constants(len(places)),
    )


def _of_lines(
    paths: measures.Paths, bare: tuple[float, float], edge: Array, border: Array, ends: Plane, pencil: _Pencil
) -> Plane:
    """`bare`: how dark paths without a line are, and their spread; `edge` is 1 at the grid's, `border` how dark the
    print there is; `ends`: how dark the weaker dot."""
    usual, spread = bare
    weak = paths.quantiles[:, 1]
    return _table(
        *pencil.beside(*paths.quantiles.T, paths.plain, weak - usual),
        (weak - usual) / (spread + 0.01),
        paths.judged,
        paths.bend,
        edge,
        border,
        ends / pencil.line,
        *pencil.constants(len(weak)),
    )


def _soft(measured: tuple[Plane, Plane], gap: float, pencil: _Pencil) -> Plane:
    """What is seen of a small faint dot where pencil is seen alone."""
    peak, broad = measured
    return _table(peak, peak / gap, peak / (pencil.noise + 0.01), broad / gap)


def _straight(paths: measures.Paths, pencil: _Pencil) -> Plane:
    """What is seen of a faint line where pencil is seen alone."""
    mean, spread = paths.straight.T
    return _table(mean, mean / pencil.line, mean / (pencil.noise + 0.01), spread / pencil.line)


def _of_toppings(seen: _Seen, pencil: _Pencil, no_strokes: bool) -> Evidence:
    """`no_strokes`: whether they may not show where paper is brighter than the picture shows."""
    flat = seen.flat
    toppings = flat.layout.toppings
    if not toppings:
        return Evidence((), np.zeros((0, 1), np.float32), *[np.zeros(0, bool)] * 3)
    centres = np.array([topping.centre_mm for topping in toppings])
    hidden, washed, cut_off = (
        looked(flat, centres[:, None] + _around(CROSS_ROOM_MM)) for looked in (_hidden, _washed, _cut_off)
    )
    taken, striped = no_strokes & cut_off, _striped(flat, centres[:, None] + _around(CROSS_ROOM_MM))
    bare = seen.bare(centres[:, None] + _around(3.6))
    places = tuple(topping.square for topping in toppings)
    if bare is not None:
        toppings = tuple(topping for topping, none in zip(toppings, bare, strict=True) if not none)
        if not toppings:
            return Evidence(places, np.zeros((0, 1), np.float32), hidden, washed, striped, taken, taken, bare=bare)
    strokes, added = measures.crosses(flat, toppings, hidden | striped)
    shown = [topping.kind for topping, under in zip(flat.layout.toppings, hidden, strict=True) if not under]
    alike = np.minimum([shown.count(topping.kind) for topping in toppings], 4)
    features = _table(*pencil.ratios(*_by_strength(strokes), added), alike, *pencil.constants(len(toppings)))
    single = np.zeros(len(places), bool)
    darker = strokes.whole.max(axis=1)
    alone = (strokes.whole.min(axis=1) < ONE_STROKE * darker) & (darker > LEAST_STROKE * pencil.line)
    single[slice(None) if bare is None else ~bare] = alone
    return Evidence(places, features, hidden, washed, striped, taken, taken | single, bare=bare)


def _of_boxes(seen: _Seen, pencil: _Pencil, no_strokes: bool) -> dict[MarkKind, Evidence]:
    """`no_strokes` as in `_of_toppings`."""
    flat = seen.flat
    boxes = flat.layout.boxes
    kinds = (MarkKind.CIRCLED_BONUS, MarkKind.CROSSED_BONUS)
    if not boxes:
        none = np.zeros(0, bool)
        return {kind: Evidence((), np.zeros((0, 1), np.float32), none, none, none) for kind in kinds}
    points = np.stack([np.array(box.centre_mm) + _around(min(box.size_mm) * 0.48) for box in boxes])
    places, hidden = tuple((number,) for number in range(len(boxes))), _hidden(flat, points)
    washed, taken, striped = _washed(flat, points), no_strokes & _cut_off(flat, points), _striped(flat, points)
    bare = seen.bare(np.stack([np.array(box.centre_mm) + _all_over(box) for box in boxes]))
    rings, strokes = measures.rings(seen.pencilled, boxes), measures.box_crosses(seen.pencilled, boxes)
    any_rings = measures.any_rings(seen.pencilled, boxes)
    crossing = pencil.plain(strokes.weak.min(axis=1), *PLAIN_CROSS)
    plain = pencil.plain(any_rings[:, 1], *(PLAIN_ON_PRINT if bare is None else PLAIN_RING)) & ~crossing
    if bare is None:
        features = _of_box_marks(rings, strokes, pencil)
        unsure = {MarkKind.CIRCLED_BONUS: taken | plain, MarkKind.CROSSED_BONUS: taken}
        return {kind: Evidence(places, features, hidden, washed, striped, unsure[kind], taken) for kind in kinds}
    other_size = plain & (rings[:, 1] < OTHER_RING * any_rings[:, 1])
    rings = np.where(other_size[:, None], any_rings, rings)
    left = _stroke_left(flat)
    ringed, crossed = rings[:, 1] > FAINT_RING * left, strokes.weak.min(axis=1) > FAINT_STROKE * left
    not_ringed, not_crossed = bare & ~ringed, bare & ~crossed
    may_be_ringed = np.flatnonzero(~not_ringed)
    with_print = [box for box, none in zip(boxes, not_crossed, strict=True) if not none]
    ring = _of_box_marks(rings[may_be_ringed], strokes.of(may_be_ringed), pencil)
    cross = np.zeros((0, 1), np.float32)
    if with_print:  # how crosses over bonuses were fitted, print in them is expected
        cross = _of_box_marks(measures.rings(flat, with_print), measures.box_crosses(flat, with_print), pencil)
    maybe_ringed, maybe_crossed = (bare & ringed) | other_size, (bare & crossed) | crossing
    # Out of focus what is left of print may look like a small ring, and so may edges of hands, but for a gap.
    maybe_none = other_size & (flat.out_of_focus | (any_rings[:, 0] <= 0.0))
    return {
        MarkKind.CIRCLED_BONUS: Evidence(
            places, ring, hidden, washed, striped, taken | maybe_ringed, taken | maybe_none, bare=not_ringed
        ),
        MarkKind.CROSSED_BONUS: Evidence(
            places,
            cross,
            hidden,
            washed,
            striped,
            taken | maybe_crossed,
            taken | other_size,
            strokes.whole.min(axis=1) < HARDLY_CROSSED * pencil.line,
            bare=not_crossed,
        ),
    }


def _of_box_marks(rings: Plane, strokes: measures.Strokes, pencil: _Pencil) -> Plane:
    return _table(
        *pencil.ratios(*rings.T, *_by_strength(strokes), strokes.arms.max(axis=2).min(axis=1)),
        *pencil.constants(len(rings)),
    )


def _by_strength(strokes: measures.Strokes) -> list[Plane]:
    """Measures of the stronger stroke and of the other, with the weaker end of each: a line beside it darkens one."""
    order = np.argsort(-strokes.whole, axis=1)
    parts = (strokes.whole, strokes.weak, strokes.inner, strokes.arms.min(axis=2))
    return [column for part in parts for column in np.take_along_axis(part, order, axis=1).T]


def _dot_left(flat: FlatSheet) -> float:
    """The share of its darkness that a pencilled dot still shows in its middle through the blur."""
    return 1.0 if not flat.soft_mm else 1.0 - float(np.exp(-0.5 * (DOT_MM / flat.soft_mm) ** 2))


def _stroke_left(flat: FlatSheet) -> float:
    """The share of its darkness that a stroke, which is thin, still shows."""
    return min(1.0, SHARP_MM / flat.soft_mm) if flat.soft_mm else 1.0


def _sorts(darkness: Plane, apart: float, left: float) -> tuple[float, float]:
    """How dark printed dots are, and pencilled ones; those are darker by so much, of which this share is `left`."""
    if not len(darkness):
        return 0.1, FIRM * left
    told = _told_apart(darkness, apart * left)
    if told is not None:
        return told
    # Only one sort: print is never dark all over.
    usual = median_of(darkness)
    return (0.0, usual) if usual > 0.3 * left else (usual, usual + FIRM * left)


def _told_apart(darkness: Plane, least: float) -> tuple[float, float] | None:
    """How dark both sorts of dots are, if they are `least` apart."""
    if not len(darkness):
        return None
    low, high, _ = _two_sorts(darkness)
    return (low, high) if high - low >= least else None


def _faint_dots(core: Plane, clear: Bools, outer: Bools) -> Bools:
    """Which dots stand out from the paler ones, though by less than pencil does: faint ones, or traces of what was
    rubbed out, which look the same. None where only single ones do; more may be printed at the outer ones."""
    faint = np.zeros(len(core), bool)
    for some in (clear & ~outer, clear & outer):
        if np.count_nonzero(some) >= ENOUGH:
            middle, spread = _middle_and_spread(core[some][~_two_sorts(core[some])[2]])
            faint |= some & (core - middle > max(PALE_APART, FAINT_SPREADS * spread))
    return faint if np.count_nonzero(faint & ~outer) >= ENOUGH else np.zeros_like(faint)


def _pale_sorts(darkness: Plane) -> tuple[float, float] | None:
    """The same where paper is brighter than the picture shows; None where dots are of one sort."""
    low, high, upper = _two_sorts(darkness)
    spread = _middle_and_spread(darkness[~upper])[1]
    return (low, high) if high - low >= max(PALE_APART, PALE_SPREADS * spread) else None


def _two_sorts(darkness: Plane) -> tuple[float, float, Bools]:
    """The means of the paler and the darker ones, and which those are."""
    low, high, before = float(darkness.min()), float(darkness.max()), np.zeros(len(darkness), bool)
    for _ in range(12):
        upper = darkness > (low + high) / 2
        if upper.all() or not upper.any() or np.array_equal(upper, before):
            break
        before = upper
        low, high = float(darkness[~upper].mean()), float(darkness[upper].mean())
    return low, high, before


def _arms(weak: Plane, ends: NDArray[np.intp], count: int) -> Array:
    """How dark the two darkest of the lines are that may end at each dot: n x 2."""
    best = np.zeros((count, 4))
    seen = np.zeros(count, int)
    for line, pair in enumerate(ends):
        for dot in pair:
            best[dot, seen[dot]] = weak[line]
            seen[dot] += 1
    return np.asarray(-np.sort(-best, axis=1)[:, :2])


def _outer(flat: FlatSheet, chosen: Bools) -> Bools:
    """Which of the outer edges are chosen: above, right, below and left."""
    columns, rows = flat.layout.columns - 1, flat.layout.rows - 1
    is_chosen = dict(zip(flat.layout.lines, chosen, strict=True))
    above = [is_chosen[(c, 0), (c + 1, 0)] for c in range(columns)]
    below = [is_chosen[(c, rows), (c + 1, rows)] for c in range(columns)]
    left = [is_chosen[(0, r), (0, r + 1)] for r in range(rows)]
    right = [is_chosen[(columns, r), (columns, r + 1)] for r in range(rows)]
    return np.array([*above, *right, *below, *left])


def _middle_and_spread(values: Plane) -> tuple[float, float]:
    middle = median_of(values)
    return middle, 1.5 * median_of(np.abs(values - middle))


def _table(*columns: Array | Plane) -> Plane:
    return np.column_stack(columns).astype(np.float32)


def _hidden(flat: FlatSheet, points_mm: Array) -> Bools:
    """Of which of n x m points a share lies under something."""
    return _share_within(flat, flat.foreign, points_mm)


def _cut_off(flat: FlatSheet, points_mm: Array) -> Bools:
    """Of which of n x m points paper under a share may be brighter than the picture shows."""
    return _share_within(flat, flat.cut_off, points_mm)


def _washed(flat: FlatSheet, points_mm: Array) -> Bools:
    """Of which of n x m points a share may be washed out."""
    return _share_within(flat, flat.washed, points_mm)


def _striped(flat: FlatSheet, points_mm: Array) -> Bools:
    """Over which of n x m points, a little of them at least, a thin shadow lies."""
    return _share_within(flat, flat.stripes, points_mm, STRIPED_SHARE)


def _share_within(flat: FlatSheet, mask: Mask, points_mm: Array, share: float = HIDDEN_SHARE) -> Bools:
    if not mask.any():
        return np.zeros(len(points_mm), bool)
    return np.asarray((flat.sampled(mask.astype(np.float32), points_mm) > 127).mean(axis=1) > share)


def _all_over(box: BonusBox) -> Array:
    """Points all over a bonus box, and a little beyond."""
    line = np.linspace(-0.6, 0.6, 31)
    return np.asarray(np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2) * box.size_mm)


@lru_cache(maxsize=16)
def _around(radius_mm: float) -> Array:
    """Points all over a disc."""
    line = np.linspace(-radius_mm, radius_mm, 9)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    within = points[np.hypot(points[:, 0], points[:, 1]) <= radius_mm]
    within.setflags(write=False)
    return within
