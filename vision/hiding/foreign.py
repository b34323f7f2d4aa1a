"""What lies on the mat or on pieces and is no piece: hands, cups, sleeves.

One picture alone shows it in two ways: over the mat, whose plain face is known from the rest of it, and over pieces,
which do not look there as their faces do. From there a hand goes on to the edge of the picture, as arms do.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, partial

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.hiding.cells import (
    BESIDE_MM,
    CELL_MM,
    Array,
    CoarseMap,
    disc,
    grown,
    large_parts,
    opened,
    square,
    without_any,
)
from vision.hiding.ground import FLOOR, LOGARITHMS, strays_from_ground
from vision.hiding.outlining import thing_outliner
from vision.hiding.plain_table import Bins, colours_of, rare_on
from vision.masks import Mask
from vision.pieces.faces import MAT_HALF_MM
from vision.pieces.prepared import Prepared
from vision.pieces.reading import Reading
from vision.pieces.verify import Floats, Indices
from vision.scene import PieceKind

Flags = NDArray[np.bool_]
WRIST_MM = 34.0
COLOUR_SPREADS = 5.0
PALE_SPREADS, PALE_WIDTH_MM, PALE_EDGE = 4.0, 30.0, 0.02
"""Paper on a pale mat is little brighter: so much will do where it is so wide, and ends so sharply (see SOFT_SHARE)."""
COLOURED_SPREADS, NO_LIGHT = 2.5, 0.03
"""What is so wide and but so little of another colour than the mat is no light, either, where it is not darker in all
colours, nor brighter in all (logarithms): pale skin on pale paper. No lamp makes that, and no shadow."""
SHADOW_DEPTH = 0.75
"""How much darker (logarithm) a shadow may make the mat."""
LEAST_EDGE = 6
"""So many cells of a part's edge must lie on the mat to tell what kind of edge it is."""
SEEN_ON_ARM = 0.15
"""There is no arm where pieces are seen in a larger share of where it would be, its outer quarters left aside."""
BARE_SHARE, LEAST_BARE = 0.8, 20
"""Nor where so much of it, of so many cells at least, has the table's usual colours"""
BEYOND_RIM_MM = (6.0, 45.0, 125.0)
"""between the last two of these distances from the mat's edge, or, where the picture ends there, the first two: what
lies over the edge hides what is nearer, and an arm hides all. The mat's edge throws a shadow."""
AS_BARE_SHARE = 0.5
"""Nor where so much of it looks as the bare table did, where that was seen before."""
LIKELY, LIKE_ARM_SHARE, LIKE_ARM_CELLS = 0.05, 0.15, 600
"""Nor where less of its nearer half or its farther one looks at all like a thing or a hand, so likely in a cell, if so
many cells show that: an arm that nearly has the table's colour is told by much of it only."""
WASHED_MM, WASHED_SHARE = 30.0, 0.8
"""What is foreign, and so much of it no farther beyond glare than this, is not foreign but washed out."""
SOFT_EDGE, FADING_SHARE = 0.045, 0.5
"""Where brightness (logarithm per cell) changes by less along this share of a part's edge, the part is light, or a
shadow. A hand's own shadow may be soft along more than 0.3 of the edge that both have, as it was on two of five tables
of a renderer that is not ours, and less than half."""
SOFT_SHARE = 0.3
"""Along so much of its edge paper may end on what is printed on the mat."""
_NARROW = np.ones((5, 5), np.uint8)
"""Smaller than a disc of `PALE_WIDTH_MM`."""


class SeenTable:
    """What one picture shows of a table with some pieces on it, in its cells: worked out once, whatever else is known
    to lie there."""

    def __init__(
        self,
        soft: Image,
        coarse: CoarseMap,
        readings: Sequence[Reading],
        kinds: Mapping[PieceKind, Prepared],
        glare: Mask | None = None,
        as_bare: Callable[[], Mask] | None = None,
        looked: Image | None = None,
    ) -> None:
        """`soft` is the table seen from above, softened. What is washed out beside `glare` (255 there) is no arm; nor
        is there one where the table looks `as_bare` (255 there), as it did when nothing lay on it, nor where it looks
        like no thing, as sharp as it was `looked` at."""
        self._coarse, self._glare, self._as_bare = coarse, glare, cache(as_bare) if as_bare is not None else None
        self._looked = looked
        self.small = coarse.shrink(soft)
        """The table seen from above, in its cells."""
        self._seen, covered = _seen_and_covered(coarse, readings, kinds)
        if covered.any():
            covered = np.asarray(cv2.morphologyEx(covered, cv2.MORPH_CLOSE, disc(4 * CELL_MM)), np.uint8) & ~self._seen
        self._covered = covered
        self._mat = np.ascontiguousarray(self.small[coarse.around_mat])
        self._arms, self._ended = np.zeros_like(covered), np.zeros_like(covered)

    @property
    def seen(self) -> Mask:
        """255 in the cells where pieces are seen."""
        return self._seen

    @property
    def covered(self) -> Mask:
        """255 in the cells where pieces do not show what they ought to."""
        return self._covered

    @cached_property
    def _colours(self) -> Bins:
        return colours_of(self.small)

    @cached_property
    def _steepest(self) -> Floats:
        """How steeply brightness (logarithm per cell) changes at most close around each cell of the mat."""
        blue, green, red = cv2.split(cv2.GaussianBlur(self._mat, (0, 0), 0.8).astype(np.float32))
        return _steepest_around(np.log((blue + green + red) / np.float32(3) + np.float32(FLOOR)))

    @cached_property
    def _steepest_tint(self) -> Floats:
        """The same of what most tells skin from paper, red beside blue."""
        blue, _, red = cv2.split(cv2.GaussianBlur(self._mat, (0, 0), 0.8).astype(np.float32))
        return _steepest_around(np.log((red + np.float32(FLOOR)) / (blue + np.float32(FLOOR))))

    def foreign(self, others_mm: Sequence[Array] = ()) -> Mask:
        """255 where something that is no piece lies on the mat or on a piece, or reaches from there over the table.

        `others_mm` are outlines (n x 2 each) of pieces without enrolled faces: from a board that covers much of the mat
        nothing is learned about the mat's plain face, and a sheet or a die that lies over the mat's edge is no arm.
        """
        coarse, seen, covered = self._coarse, self._seen, self._covered
        mat = _bare_mat(coarse, seen | coarse.polygons(others_mm))[coarse.around_mat]
        on_mat, pale, coloured = _strange_on_mat(self._mat, mat)
        strange = np.zeros_like(seen)
        light = self._fading(on_mat, mat)
        on_mat &= ~light
        if pale.any():
            on_mat |= _with_edges(pale, mat, self._steepest) & ~_parts_in(pale, light)
        if coloured.any():
            on_mat |= _with_edges(coloured, mat, self._steepest_tint)
        strange[coarse.around_mat] = on_mat
        suspect = strange | covered
        cores = opened(strange) | opened(covered)
        if not cores.any():
            return cores
        found = _grown_into(large_parts(cores), suspect)
        others = without_any(found, [grown(outline, BESIDE_MM, coarse) for outline in others_mm])
        if self._glare is not None:
            others = others & ~washed_out(others, self._glare)
        arms, ended = _arms(others, coarse, seen, self._shows_table)
        if self._as_bare is not None and arms.any():
            arms &= ~opened(self._as_bare())
        self._arms |= arms
        self._ended |= ended
        return (found | arms) & ~seen

    def ends(self, things: Mask) -> None:
        """These are seen whole, but for those at the picture's edge."""
        self._ended |= things

    def goes_on(self, part: Mask) -> bool:
        """Whether a part of what is foreign is seen only in part: it reaches the picture's edge, or the mat's
        and does not end there."""
        if (part & (self._coarse.edge | self._arms)).any():
            return True
        return bool((part & self._coarse.border).any()) and not (part & self._ended).any()

    def _shows_table(self, inner: Mask, arm: Mask) -> bool:
        """Whether the table shows `inner` an arm's place as it does beside the `arm`."""
        coarse = self._coarse
        bare = (coarse.seen > 0) & (self._seen == 0)
        near, middle, far = (coarse.polygons([square(0.0, 0.0, MAT_HALF_MM + out)]) > 0 for out in BEYOND_RIM_MM)
        stretches = (bare & (inner > 0) & outer & ~within for outer, within in ((far, middle), (middle, near)))
        told = next((part for part in stretches if np.count_nonzero(part) >= LEAST_BARE), None)
        beyond = bare & (inner > 0) & ~near
        if np.count_nonzero(beyond) >= LEAST_BARE and self._share_as_bare(beyond) >= AS_BARE_SHARE:
            return True
        rare = None if told is None else rare_on(self._colours, bare & ~near & (arm == 0), told)
        if rare is not None and 1.0 - float(rare.mean()) >= BARE_SHARE:
            return True
        return bool(np.count_nonzero(beyond) >= LIKE_ARM_CELLS) and self._share_like_arm(beyond) < LIKE_ARM_SHARE

    def _share_like_arm(self, where: Flags) -> float:
        """The share of some cells that look like a thing or a hand, in the half of them nearer to the mat or in the
        other, where less of it does: an arm goes on, but a thing may lie in its way."""
        if self._looked is None:
            return 1.0
        asked = np.where(where, np.uint8(255), np.uint8(0))
        likely = thing_outliner().likelihoods(self._looked, self._coarse, self._seen, asked)
        cells = np.column_stack(np.nonzero(where)[::-1]).astype(np.float64)
        outward = np.argsort(np.abs(self._coarse.to_table(cells)).max(1), kind="stable")
        return min(float(half.mean()) for half in np.array_split(likely[where][outward] > LIKELY, 2))

    def _share_as_bare(self, where: Flags) -> float:
        """The share of some cells in which the table is known to look as it did when it was bare."""
        return 0.0 if self._as_bare is None else float((self._as_bare()[where] > 0).mean())

    def _fading(self, strange: Mask, mat: Mask) -> Mask:
        """255 in and around the parts that fade into the mat wherever it goes on: a lamp's reflection has no edge, and
        no soft shadow, but a hand has."""
        parts = opened(strange)
        if not parts.any():
            return parts
        labels, ended = _ends(parts, mat, self._steepest)
        fades = [i for i, steep in ended if np.quantile(steep, FADING_SHARE) < SOFT_EDGE]
        if not fades:
            return np.zeros_like(parts)
        return np.asarray(cv2.dilate(_of_parts(labels, fades), disc(6 * CELL_MM)), np.uint8)


def _with_edges(parts: Mask, mat: Mask, steepest: Floats) -> Mask:
    """Those of the parts that end sharply where the mat goes on: paper does, and no light that falls on the mat."""
    labels, ended = _ends(parts, mat, steepest)
    return _of_parts(labels, [i for i, steep in ended if np.quantile(steep, SOFT_SHARE) >= PALE_EDGE])


def _parts_in(parts: Mask, light: Mask) -> Mask:
    """Those of the parts that reach into a reflection: what is brighter beside it is more of it."""
    _, labels = cv2.connectedComponents(parts, connectivity=8)
    return _of_parts(np.asarray(labels, np.int32), sorted(set(np.unique(labels[light > 0]).tolist()) - {0}))


def _ends(parts: Mask, mat: Mask, steepest: Floats) -> tuple[Indices, list[tuple[int, Floats]]]:
    """The labels of parts of the mat, and of those that end where the mat goes on how steeply it changes along that
    edge."""
    inner = cv2.erode(parts, np.ones((3, 3), np.uint8))
    goes_on = cv2.erode(mat, np.ones((7, 7), np.uint8), borderValue=0) > 0
    edges = (parts > 0) & (inner == 0) & goes_on
    count, labels = cv2.connectedComponents(parts, connectivity=8)
    at_edge, steep = labels[edges], steepest[edges]
    ends = ((i, steep[at_edge == i]) for i in range(1, count))
    return np.asarray(labels, np.int32), [(i, some) for i, some in ends if len(some) >= LEAST_EDGE]


def _steepest_around(values: Floats) -> Floats:
    across, down = (cv2.Sobel(values, cv2.CV_32F, *way, scale=1 / 8) for way in ((1, 0), (0, 1)))
    return np.asarray(cv2.dilate(np.hypot(across, down), np.ones((5, 5), np.uint8)), np.float32)


def washed_out(foreign: Mask, glare: Mask) -> Mask:
    """Those parts of what is foreign that reach hardly farther beyond glare than it washes out what lies beside it."""
    if not (glare.any() and foreign.any()):
        return np.zeros_like(foreign)
    beside = cv2.dilate(glare, disc(2 * WASHED_MM)) > 0
    count, labels, stats, _ = cv2.connectedComponentsWithStats(foreign, connectivity=8)
    within = np.bincount(labels[beside], minlength=count)
    parts = np.flatnonzero(within >= WASHED_SHARE * stats[:, cv2.CC_STAT_AREA])
    return np.where(np.isin(labels, parts) & (labels > 0), np.uint8(255), np.uint8(0))


def _seen_and_covered(
    coarse: CoarseMap, readings: Sequence[Reading], kinds: Mapping[PieceKind, Prepared]
) -> tuple[Mask, Mask]:
    """Where pieces are seen, and where something lies on pieces."""
    seen, covered = coarse.polygons([]), coarse.polygons([])
    for reading in readings:
        own, under = coarse.seen_of.of(reading, partial(_cells_of, coarse, reading, kinds))
        seen.reshape(-1)[own], covered.reshape(-1)[under] = 255, 255
    return seen, covered


def _cells_of(coarse: CoarseMap, reading: Reading, kinds: Mapping[PieceKind, Prepared]) -> tuple[Indices, Indices]:
    """The cells in which a piece is seen, and in which something lies on it."""
    cells = coarse.cells_under(reading.pose, kinds[reading.kind].full.points)
    free = ~reading.taken
    under = free & ~reading.agrees if reading.trusted else np.zeros_like(free)
    return cells.compress(free & reading.agrees, 0), cells.compress(under, 0)


def _bare_mat(coarse: CoarseMap, seen: Mask) -> Mask:
    """Where the mat's plain face should show: not under pieces, either."""
    under = cv2.dilate(seen, disc(3 * CELL_MM))
    return np.asarray(cv2.bitwise_and(coarse.plain, cv2.bitwise_not(under)), np.uint8)


def _strange_on_mat(small: Image, mat: Mask) -> tuple[Mask, Mask, Mask]:
    """Where the mat does not look like the rest of it, where wide parts of it are but a little brighter, and where such
    parts are but a little of another colour."""
    rows, columns = np.nonzero(mat)
    strange, pale, coloured = np.zeros_like(mat), np.zeros_like(mat), np.zeros_like(mat)
    if len(rows) < 400:
        return strange, pale, coloured
    where = rows * mat.shape[1] + columns
    colours = np.stack([channel.reshape(-1).take(where) for channel in cv2.split(cv2.LUT(small, LOGARITHMS))])
    told = _strangeness(colours, rows, columns)
    for mask, flags in zip((strange, pale, coloured), told, strict=True):
        mask.reshape(-1)[where] = flags.astype(np.uint8) * np.uint8(255)
    pale, cores = _wide_parts(pale), _wide_parts(coloured)
    return strange, pale, _grown_into(cores, coloured) if cores.any() else cores


def _wide_parts(mask: Mask) -> Mask:
    """What is wide of a mask: as a rule nothing is, and not even as wide as a part of that."""
    if not cv2.erode(mask, _NARROW).any():
        return np.zeros_like(mask)
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, disc(PALE_WIDTH_MM)), np.uint8)


def _strangeness(colours: Floats, rows: Indices, columns: Indices) -> tuple[Flags, Flags, Flags]:
    """Of each cell's colour (channels x cells) whether it strays from the mat's, whose light changes slowly, shadows
    left aside; whether it is a little brighter; and whether it is a little of another colour and no light."""
    off, wide = strays_from_ground(colours, rows, columns)
    brightness = np.maximum(off[0], -off[0] - np.float32(SHADOW_DEPTH)) / wide[0]
    tinted = np.sqrt(np.square(off[1:] / wide[1:]).sum(0) / 2)
    strays = np.maximum(brightness * np.float32(0.7), tinted) > COLOUR_SPREADS
    changed = off[0] + off[1:]
    no_light = (changed.max(0) > -NO_LIGHT) & (changed.min(0) < NO_LIGHT)
    return strays, off[0] / wide[0] > PALE_SPREADS, no_light & (tinted > COLOURED_SPREADS)


def _grown_into(cores: Mask, suspect: Mask) -> Mask:
    """Fingertips and edges: what is suspect right beside a sure part belongs to it."""
    grown = cores
    for _ in range(3):
        grown = cores | (np.asarray(cv2.dilate(grown, disc(3 * CELL_MM)), np.uint8) & suspect)
    return np.asarray(cv2.morphologyEx(grown, cv2.MORPH_CLOSE, disc(3 * CELL_MM)), np.uint8)


def _of_parts(labels: Indices, chosen: Sequence[int]) -> Mask:
    """255 in these of the labelled parts."""
    marked = np.zeros(int(labels.max(initial=0)) + 1, np.uint8)
    marked[list(chosen)] = 255
    return np.asarray(marked[labels])


def _arms(foreign: Mask, coarse: CoarseMap, seen: Mask, shows_table: Callable[[Mask, Mask], bool]) -> tuple[Mask, Mask]:
    """Parts that end at the mat's edge, and what lies beside it and is as wide as a wrist, go on straight to the edge
    of the picture. What is narrower there is no hand: so lies a slice on its neighbour that was not read in a fan. Nor
    does an arm go where pieces are `seen`: a hand's shadow ends at the mat's edge, too; nor where the table shows as it
    does elsewhere: so lie a mug and a coaster over the mat's edge. Where arms go, and what ends at the mat's edge."""
    arms, ended = np.zeros_like(foreign), np.zeros_like(foreign)
    if not foreign.any():
        return arms, ended
    edge = MAT_HALF_MM - 12.0
    on_mat = coarse.polygons([square(0.0, 0.0, edge)])
    rim = cv2.bitwise_and(foreign, cv2.bitwise_not(on_mat))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(rim, connectivity=8)
    for i in range(1, count):
        if stats[i, cv2.CC_STAT_AREA] * CELL_MM < 12.0:
            continue
        cells = np.column_stack(np.nonzero(labels == i)[::-1]).astype(np.float64)
        crossing = coarse.to_table(cells)
        middle = crossing.mean(0)
        part = _part_of(foreign, cells[0])
        whole = coarse.to_table(np.column_stack(np.nonzero(part))[:, ::-1].astype(np.float64))
        way = _outward(whole, middle)
        across = np.array([-way[1], way[0]])
        half = max(float(np.abs((crossing - middle) @ across).max()), 25.0) * 1.15
        far = middle + way * 900.0
        sleeve, inner = (
            np.array([middle - across * wide, far - across * wide, far + across * wide, middle + across * wide])
            for wide in (half, half / 2)
        )
        arm, within = coarse.polygons([sleeve]) & ~on_mat, coarse.polygons([inner]) & ~on_mat
        if shows_table(within, arm):
            ended[labels == i] = 255
            continue
        if not (part & (on_mat > 0)).any() and not cv2.erode(part.astype(np.uint8), disc(WRIST_MM)).any():
            continue
        along = (within & coarse.seen) > 0
        if along.any() and float((seen[along] > 0).mean()) > SEEN_ON_ARM:
            continue
        arms |= arm
    return arms, ended


def _part_of(mask: Mask, cell: Array) -> NDArray[np.bool_]:
    _, labels = cv2.connectedComponents(mask)
    return np.asarray(labels == labels[int(cell[1]), int(cell[0])])


def _outward(whole: Array, middle: Array) -> Array:
    """The way an arm leaves: along the line from the hand's middle, never back over the mat."""
    way = middle - whole.mean(0)
    normal = (
        np.array([np.sign(middle[0]), 0.0]) if abs(middle[0]) > abs(middle[1]) else np.array([0.0, np.sign(middle[1])])
    )
    length = float(np.linalg.norm(way))
    mixed = normal if length < 5.0 else way / length + 0.5 * normal
    return np.asarray(mixed / np.linalg.norm(mixed))
