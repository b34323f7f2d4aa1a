"""Things that lie on the mat, on pieces and beside them, told from one picture by what no light does.

Light has soft edges, or darkens and brightens all colours alike. What has other colours than the ground around it, or
is far brighter or darker, and ends sharply where the ground goes on, lies on it. What is printed on a mat is thin.
A network that knows how things look says where others are (see outlining.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.hiding.cells import CELL_MM, Array, CoarseMap, disc, large_parts, square
from vision.hiding.foreign import SeenTable
from vision.hiding.ground import FLOOR, LOGARITHMS, strays_from_ground
from vision.hiding.outlining import Changed, thing_outliner
from vision.masks import Mask, part_around
from vision.mat.rectify import PX_PER_MM
from vision.pieces.faces import MAT_HALF_MM
from vision.pieces.features import PAPER_LEVEL
from vision.pieces.from_above import FromAbove
from vision.pieces.verify import Floats
from vision.short_axes import median_of

Flags = NDArray[np.bool_]

CLEAR_MM = 7.5
"""So near a piece its height and its shadow make the table look strange."""
BEYOND_MM = 6.0
"""So far beyond the mat the table begins, as the mat's edge throws a shadow."""
LEAST_GROUND = 500
"""From fewer cells it is not told how ground looks."""
SPREADS = 5.0
"""What strays by so many times what is usual in its tints has other colours than the table;"""
MAT_SPREADS = 4.0
"""than the mat, which is plain."""
TINT, OF_SHADE = 0.08, 0.2
"""In shade, where another lamp's light is left, a tint may differ by so much, and by this share of how much darker it
is (logarithms)."""
CHROMA_STEP, CHROMA_STEPS, RARE = 0.05, 81, 0.02
"""Tints (logarithms) that count as one; a tint is rare that is as frequent as those of this share of the table."""
PATTERNED, AMONG_PATTERNS_MM2 = 0.2, 400.0
"""Of a table more of which strays only rare tints tell, and parts as large: it is striped, chequered or grained."""
BRIGHTER, DARKER, MAT_DARKER = 0.35, 1.1, 0.9
"""What strays by so much (logarithm), and by `BRIGHT_SPREADS` times what is usual, is no light beside the mat, and no
shadow there or on it: these are softer."""
BRIGHT_SPREADS = 4.0
WHITER, WHITE_TINT, WHITE_SPREADS, NO_SHADE = 0.4, 0.025, 5.0, 0.06
"""White paper on a mat that is less white has a tint that goes so large a share of the way to the paper beside the
mat's markers, at least so far (logarithm) and so many times what is usual, and strays by no more from that way; and it
is hardly darker than the mat."""
SHADED = 0.12
"""Beside what is so much darker (logarithm) than the mat it is not told how white paper ends: a shadow does there."""
SMALL_DARKER, MOST_SMALL_MM2 = 0.35, 1500.0
"""What is so much darker (logarithm), no larger and ends very sharply is a button or a key: a shadow as small and as
sharp has it beside it."""
THIN = 11
"""A median so wide (half cells) takes away what is printed on mats: lines and letters."""
MAT_EDGE, MAT_EDGE_NOISES, PAPER_EDGE_NOISES = 0.07, 4.0, 2.0
"""At the edges of things on the mat brightness or a colour (logarithm) changes by so much a cell, and by so many times
what is usual there; at those of paper, which is told by its white."""
CLOSE_EDGE, CLOSE_EDGE_NOISES = 0.09, 4.5
"""Edges as clear as these lie close together only on things: light and shadow have one,"""
CLOSE_MM, EDGES_CLEAR_MM = 22.5, 10.0
"""all over a disc so wide, no nearer to a piece than this."""
SHARP_SHARE, SEEN_SHARE, LEAST_SEEN = 0.6, 0.3, 6
"""Along so much of where the ground goes on beside it a thing has sharp edges. That must be so much of what is around
it, and so many cells."""
WRIST_RADIUS = 8.0
"""What reaches the picture's edge and is narrower is a stripe of the table, and no arm (cells)."""
OVER_CELLS, OVER_MM2 = 3, 160.0
"""What lies on a piece hides so many cells of it each way, and so much."""
LIKELY, LOOKS_SURE, SURE_MM2 = 0.5, 0.8, 30.0
"""The network takes a part for a thing where it is so likely, and so much of it that likely."""
AROUND_CELLS, LEAST_SHADE, FLAT_SHADE, FLAT_SHARE, SOFT_LIGHT = 5, 0.1, 0.12, 0.85, 0.06
"""So far around a part the ground tells whether the part is in the shade, by so much (logarithm); brightness strays by
no more in so large a share of a flat shadow; and light whose edge (logarithm per cell) is no steeper is soft."""
_NEAR, _BESIDE = np.ones((3, 3), np.uint8), np.ones((5, 5), np.uint8)


@dataclass(frozen=True, slots=True)
class _Least:
    """How large and sharp something must be to be a thing."""

    edge: float
    """How much its edge changes a cell (logarithm)."""
    area_mm2: float = 150.0
    width: int = 3
    """Cells each way."""
    full_radius: float = 2.5
    """What has no disc of so many cells in it may be a line or letters,"""
    slim: float = 1.6
    """and is, if it is longer than so many squares as wide as it is."""


_ON_TABLE = _Least(edge=0.05, full_radius=2.0, slim=4.0)  # nothing is printed there, and grain is frequent
_PAPER = _Least(edge=0.015, area_mm2=600.0, width=5, full_radius=4.0)
_SMALL = _Least(edge=0.15, area_mm2=90.0)


@dataclass(frozen=True, slots=True)
class _Ground:
    """How mat or table looks, in cells (h x w)."""

    there: Flags
    """Where it is to be seen."""
    colours: Floats
    """Logarithms: h x w x 3."""
    off: Floats
    """How far brightness and tints stray from what is usual in the light there (logarithms): 4 x h x w."""
    wide: Floats
    """How far they usually do: 4."""
    steepest: Floats
    """How much a colour changes a cell at most around each (logarithm)."""
    noise: float
    """How much it usually does."""


def lying_about(
    view: FromAbove,
    seen: SeenTable,
    coarse: CoarseMap,
    pieces_mm: Sequence[Array],
    changed: Changed | None = None,
) -> Mask:
    """255 in the cells where things lie on the mat, on pieces and beside them, in which no piece is seen.

    `view` is the table seen from above; `pieces_mm` are the outlines (n x 2 each) of all pieces that are read; of a
    table that is watched it is known what `changed`.
    """
    pieces = coarse.polygons(pieces_mm)
    free = ~(seen.seen | pieces)
    shown = seen.seen | (pieces & ~seen.covered)
    likely = thing_outliner().likelihoods(view.looked, coarse, shown, changed=changed)
    by_looks = like_things(likely, coarse.seen & ~shown)
    by_looks = _without_light(by_looks, seen.small, coarse.seen & ~shown)
    found = _on_mat(view, coarse, seen.seen | pieces) | _beyond_mat(seen.small, coarse, pieces) | by_looks
    # What lies over the mat's edge is seen on both sides of it.
    rim = coarse.polygons([square(0.0, 0.0, MAT_HALF_MM + BEYOND_MM)]) & ~coarse.plain
    joined = np.asarray(cv2.morphologyEx(found, cv2.MORPH_CLOSE, disc(2 * BEYOND_MM + CELL_MM)), np.uint8)
    on_table = (found | (joined & rim)) & free
    return np.asarray(on_table | by_looks | (_over_pieces(seen.covered) & ~seen.seen), np.uint8)


def like_things(likely: Floats, free: Mask) -> Mask:
    """255 in the `free` cells of parts that look like things, where these are so `likely` in each cell."""
    closed = cv2.morphologyEx((likely > LIKELY).astype(np.uint8), cv2.MORPH_CLOSE, _NEAR)
    parts = np.asarray(closed, np.uint8) * 255 & free
    count, labels = cv2.connectedComponents(parts, connectivity=8)
    surely = (likely > LOOKS_SURE) & (parts > 0)
    sure = np.bincount(labels[surely], minlength=count) * CELL_MM**2 >= SURE_MM2
    sure[0] = False
    return np.where(sure[labels], np.uint8(255), np.uint8(0))


def _without_light(things: Mask, small: Image, free: Mask) -> Mask:
    """Those parts that light does not make. It is darker or brighter than what is around it by one measure in all
    colours, and has soft edges or is a flat shadow. A thing that looks so cannot be told from it unless it is small:
    what throws a shadow as small is beside it."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(things, connectivity=8)
    kept = things.copy()
    if count == 1:
        return kept
    colours = np.asarray(cv2.GaussianBlur(cv2.LUT(small, LOGARITHMS), (0, 0), 0.7), np.float32)
    steepest = np.asarray(cv2.dilate(_steep(colours), _NEAR), np.float32)
    for left, top, width, height, cells, number in [(*stats[i].tolist(), i) for i in range(1, count)]:
        box = (
            slice(max(top - AROUND_CELLS, 0), top + height + AROUND_CELLS),
            slice(max(left - AROUND_CELLS, 0), left + width + AROUND_CELLS),
        )
        own = np.where(labels[box] == number, np.uint8(1), np.uint8(0))
        inner, near = cv2.erode(own, _NEAR, borderValue=0) > 0, cv2.dilate(own, _NEAR) > 0
        ground = (labels[box] == 0) & (free[box] > 0) & ~near
        around = (cv2.dilate(own, _round(2 * AROUND_CELLS - 1)) > 0) & ground
        ends = (own > 0) & ~inner & (cv2.dilate(ground.astype(np.uint8), _BESIDE) > 0)
        if min(np.count_nonzero(some) for some in (around, inner, ends)) < LEAST_SEEN:
            continue
        off = colours[box][inner] - np.median(colours[box][around], axis=0)
        brighter = float(np.median(off.mean(1)))
        tint = float(np.abs(np.median(off, axis=0) - brighter).max())
        flat = float((np.abs(off.mean(1) - brighter) < FLAT_SHADE).mean()) > FLAT_SHARE
        soft = float(np.median(steepest[box][ends])) < SOFT_LIGHT
        shadow = flat and brighter < -LEAST_SHADE and cells * CELL_MM**2 > MOST_SMALL_MM2
        if tint <= TINT + OF_SHADE * max(-brighter, 0.0) and (soft or shadow):
            kept[labels == number] = 0
    return kept


def apart_from(things: Mask, others: Mask) -> Mask:
    """Those parts of some things that touch none of the others."""
    _, labels = cv2.connectedComponents(things | others, connectivity=8)
    return np.where(np.isin(labels, labels[others > 0]), np.uint8(0), things)


def _over_pieces(covered: Mask) -> Mask:
    """255 in those of the cells in which pieces do not show what they ought to where something lies on them."""
    opened = cv2.morphologyEx(covered, cv2.MORPH_OPEN, _round(OVER_CELLS))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=8)
    large = np.where(stats[:, cv2.CC_STAT_AREA] * CELL_MM**2 >= OVER_MM2, np.uint8(255), np.uint8(0))
    large[0] = 0
    return np.asarray(large[labels], np.uint8)


def _beyond_mat(small: Image, coarse: CoarseMap, pieces: Mask) -> Mask:
    """255 where something lies beside the mat."""
    inner = np.asarray(cv2.erode(coarse.seen, _round(5), borderValue=0), np.uint8)
    mat = coarse.polygons([square(0.0, 0.0, MAT_HALF_MM + BEYOND_MM)])
    free = inner & ~(np.asarray(cv2.dilate(pieces, disc(2 * CLEAR_MM)), np.uint8) | mat)
    if np.count_nonzero(free) < LEAST_GROUND:
        return np.zeros_like(free)
    table = _ground(small, free)
    tinted = _tinted(table, SPREADS)
    rare = table.there & _rare_tints(table) & ~_in_shade(table.off)
    bright, dark = _brighter(table, BRIGHTER), _darker(table, max(DARKER, BRIGHT_SPREADS * table.wide[0]))
    told, least = [rare], replace(_ON_TABLE, area_mm2=AMONG_PATTERNS_MM2)
    if np.count_nonzero(tinted | bright | dark) <= PATTERNED * np.count_nonzero(free):
        coloured = rare | tinted
        told, least = [coloured, bright, dark, coloured | bright, coloured | dark], _ON_TABLE
    rim = inner & ~np.asarray(cv2.erode(inner, _round(5), borderValue=0), np.uint8)
    return _with_sharp_edges(told, table.steepest, free, least, rim) & free


def _on_mat(view: FromAbove, coarse: CoarseMap, pieces: Mask) -> Mask:
    """255 where something lies on the mat."""
    free = coarse.plain & ~np.asarray(cv2.dilate(pieces, disc(3 * CELL_MM)), np.uint8)
    if np.count_nonzero(free) < LEAST_GROUND:
        return np.zeros_like(free)
    mat = _ground(_without_print(view.looked, coarse), free)
    tinted, bright, dark = _tinted(mat, MAT_SPREADS), _brighter(mat, BRIGHTER), _darker(mat, MAT_DARKER)
    least = _Least(max(MAT_EDGE, MAT_EDGE_NOISES * mat.noise))
    found = _with_sharp_edges([tinted, dark, bright, tinted | dark | bright], mat.steepest, free, least)
    lit = np.where(mat.off[0] > -SHADED, free, np.uint8(0))
    least = replace(_PAPER, edge=max(_PAPER.edge, PAPER_EDGE_NOISES * mat.noise))
    found |= _with_sharp_edges([_whiter(mat, PAPER_LEVEL / view.look.gain)], mat.steepest, lit, least)
    clear = coarse.plain & ~np.asarray(cv2.dilate(pieces, disc(2 * EDGES_CLEAR_MM)), np.uint8)
    small = _small(_darker(mat, SMALL_DARKER) & (clear > 0))
    found |= _with_sharp_edges([small], mat.steepest, clear, _SMALL)
    return (found | _edges_close_together(mat, clear)) & free


def _edges_close_together(mat: _Ground, clear: Mask) -> Mask:
    edges = np.where(mat.steepest > max(CLOSE_EDGE, CLOSE_EDGE_NOISES * mat.noise), clear, np.uint8(0))
    return _filled(large_parts(np.asarray(cv2.morphologyEx(edges, cv2.MORPH_OPEN, disc(CLOSE_MM)), np.uint8)))


def _small(flags: Flags) -> Flags:
    """Those parts that are small."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(flags.astype(np.uint8), connectivity=8)
    small = stats[:, cv2.CC_STAT_AREA] * CELL_MM**2 <= MOST_SMALL_MM2
    small[0] = False
    return np.asarray(small[labels])


def _without_print(looked: Image, coarse: CoarseMap) -> Image:
    """The table in cells, without what is thin on the mat."""
    part = part_around(coarse.plain, 4)
    cells = np.zeros((coarse.height, coarse.width, 3), np.uint8)
    height, width, _ = cells[part].shape
    per_cell = PX_PER_MM * CELL_MM
    pixels = looked[tuple(slice(round(side.start * per_cell), round(side.stop * per_cell)) for side in part)]
    half = cv2.resize(pixels, (2 * width, 2 * height), interpolation=cv2.INTER_AREA)
    cells[part] = cv2.resize(cv2.medianBlur(half, THIN), (width, height), interpolation=cv2.INTER_AREA)
    return cells


def _ground(small: Image, free: Mask) -> _Ground:
    """How ground looks, softened, in the cells that are `free`."""
    colours = np.asarray(cv2.GaussianBlur(cv2.LUT(small, LOGARITHMS), (0, 0), 0.7), np.float32)
    rows, columns = np.nonzero(free)
    off, wide = strays_from_ground(np.ascontiguousarray(colours[rows, columns].T), rows, columns)
    everywhere = np.zeros((len(off), *free.shape), np.float32)
    everywhere[:, rows, columns] = off
    steep = _steep(colours)
    steepest = np.asarray(cv2.dilate(steep, _NEAR), np.float32)
    return _Ground(free > 0, colours, everywhere, wide[:, 0], steepest, float(np.median(steep[rows, columns])))


def _steep(colours: Floats) -> Floats:
    """How steeply the colour that changes most does in each cell (logarithm per cell)."""
    across, down = (np.square(cv2.Sobel(colours, cv2.CV_32F, *way, scale=1 / 8)) for way in ((1, 0), (0, 1)))
    blue, green, red = cv2.split(across + down)
    return np.asarray(cv2.sqrt(cv2.max(cv2.max(blue, green), red)), np.float32)


def _brighter(ground: _Ground, least: float) -> Flags:
    return np.asarray(ground.off[0] > max(least, BRIGHT_SPREADS * ground.wide[0]))


def _darker(ground: _Ground, least: float) -> Flags:
    return np.asarray(ground.off[0] < -least)


def _tinted(ground: _Ground, spreads: float) -> Flags:
    blue, green, red = np.square(ground.off[1:] / ground.wide[1:, None, None])
    return np.asarray((blue + green + red > 2 * spreads**2) & ~_in_shade(ground.off))


def _whiter(mat: _Ground, white: Floats) -> Flags:
    """Where it is as white as paper is, whose levels are `white`, and the mat's usual colour is not."""
    way = np.log(white + FLOOR) - np.median(mat.colours[mat.there], axis=0)
    way -= way.mean()
    far = float(np.linalg.norm(way))
    blue, green, red = mat.off[1:]
    along = (way[0] * blue + way[1] * green + way[2] * red) / max(far, 1e-6)
    aside = np.sqrt(np.maximum(np.square(blue) + np.square(green) + np.square(red) - np.square(along), 0.0))
    usual = 1.5 * median_of(np.abs(along[mat.there]))
    least = max(WHITER * far, WHITE_TINT, WHITE_SPREADS * usual)
    return np.asarray((along > least) & (aside < least) & (mat.off[0] > -NO_SHADE))


def _in_shade(off: Floats) -> Flags:
    """Where tints may be those of the light that is left in a shadow."""
    blue, green, red = np.abs(off[1:])
    most = np.maximum(np.maximum(blue, green), red)
    return np.asarray(most <= TINT + OF_SHADE * np.maximum(-off[0], 0))


def _rare_tints(table: _Ground) -> Flags:
    """Where tints are as rare as those of the rarest parts of the table."""
    blue, green, red = cv2.split(table.colours)
    steps = (
        np.clip(np.round((one - green) / CHROMA_STEP) + CHROMA_STEPS // 2, 0, CHROMA_STEPS - 1) for one in (blue, red)
    )
    first, second = (step.astype(np.intp) for step in steps)
    number = first * CHROMA_STEPS + second
    count = np.bincount(number[table.there], minlength=CHROMA_STEPS**2)
    often = cv2.GaussianBlur(count.astype(np.float32).reshape(CHROMA_STEPS, -1), (0, 0), 1.0).reshape(-1)
    order = np.argsort(often)
    rarer = np.empty(len(often))
    rarer[order] = np.cumsum(count[order]) / max(int(count.sum()), 1)
    return np.asarray(rarer[number] < RARE)


def _with_sharp_edges(
    told: Iterable[Flags], steepest: Floats, ground: Mask, least: _Least, rim: Mask | None = None
) -> Mask:
    """255 in those parts of any of these masks, without holes, that are no print and end sharply on the `ground`. What
    reaches the picture's `rim` is wide."""
    goes_on = cv2.erode(ground, _BESIDE, borderValue=0) > 0
    found = np.zeros_like(ground)
    for flags in told:
        opened = cv2.morphologyEx(flags.view(np.uint8), cv2.MORPH_OPEN, _round(least.width))
        around = part_around(np.asarray(opened, np.uint8), 1)
        parts = np.ascontiguousarray(opened[around])
        if not parts.any():
            continue
        _, labels, stats, _ = cv2.connectedComponentsWithStats(parts, connectivity=8)
        edges = (parts > 0) & (cv2.erode(parts, _NEAR, borderValue=0) == 0)
        depth = cv2.distanceTransform(parts, cv2.DIST_L2, 3)
        seen_ends, sharp = edges & goes_on[around], steepest[around] > least.edge
        at_rim = np.zeros(parts.shape, bool) if rim is None else rim[around] > 0
        for i in np.flatnonzero(stats[:, cv2.CC_STAT_AREA] * CELL_MM**2 >= least.area_mm2):
            left, top, width, height, area = stats[i]
            box = slice(top, top + height), slice(left, left + width)
            own = labels[box] == i
            radius = float(depth[box][own].max())
            slim = radius < least.full_radius and area > least.slim * (2 * radius) ** 2
            if i == 0 or slim or (radius < WRIST_RADIUS and at_rim[box][own].any()):
                continue
            ends = seen_ends[box] & own
            if np.count_nonzero(ends) < max(LEAST_SEEN, SEEN_SHARE * np.count_nonzero(edges[box] & own)):
                continue
            if float(sharp[box][ends].mean()) >= SHARP_SHARE:
                found[around][box] |= _filled(own.astype(np.uint8) * np.uint8(255))
    return found


def _filled(parts: Mask) -> Mask:
    outlines, _ = cv2.findContours(parts, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(parts)
    cv2.drawContours(filled, outlines, -1, 255, -1)
    return filled


def _round(cells: int) -> Mask:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (cells, cells)), np.uint8)
