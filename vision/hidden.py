"""Places that a picture says nothing about: under hands, under things that are no pieces.

One picture alone shows them in two ways: over the mat, whose plain face is known from the rest of it, and over pieces,
which do not look there as their faces do. From there a hand goes on to the edge of the picture, as arms do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.faces import MAT_HALF_MM
from vision.frame import Image
from vision.plain_table import LEAST_AROUND, colours_of, rare_on
from vision.reading import Reading
from vision.rectify import PX_PER_MM, TableMap
from vision.registration import INNER_MM
from vision.scene import HiddenCause, HiddenPlace, PieceKind, Sighting
from vision.shapes import as_points, place
from vision.verify import Floats, Indices, Prepared

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]
Part = tuple[slice, slice]
"""Rows and columns."""

CELL_MM = 2.5
LEAST_AREA_MM2 = 500.0
"""Smaller than this is print, a crumb or a shadow's edge."""
LEAST_WIDTH_MM = 9.0
"""Narrower than this is print on the mat."""
WRIST_MM = 34.0
COLOUR_SPREADS = 5.0
PALE_SPREADS, PALE_WIDTH_MM, PALE_EDGE = 4.0, 30.0, 0.02
"""Paper on a pale mat is little brighter: so much will do where it is so wide, and ends so sharply (see SOFT_SHARE)."""
SHADOW_DEPTH = 0.75
"""How much darker (logarithm) a shadow may make the mat."""

LEAST_EDGE = 6
"""So many cells of a part's edge must lie on the mat to tell what kind of edge it is."""
SEEN_ON_ARM = 0.15
"""There is no arm where pieces are seen in a larger share of where it would be, its outer quarters left aside."""
BESIDE_MM = 5.0
"""So far beside a piece its height and its shadow make the table look strange."""
LEANS = 0.2
"""And a die so much of its side further: its top is seen shifted."""
HELD_WITHIN_MM = 14.0
HELD_SHARE = 0.35
"""A die is held where so much of what is around it is foreign."""
IN_HAND, MAYBE_IN_HAND = 0.8, 0.6
"""A die that is in a hand so likely is not read, and one that is so likely in one is doubted: by what the network says
of its picture, and by how much of what is around it looks unlike mat and table."""
BY_UNLIKE, USUALLY_UNLIKE, MOST_UNLIKE = 11.0, 0.21, 0.4
"""The logarithm of the odds grows so much by that share, from the share at which it says nothing to the one from which
on it says no more: fingers leave more than half of what is around a die free. Fitted with the network's odds to
simulated tables and hands (logistic regression; tuning seeds)."""
ASKED = 0.15
"""What is less likely in a hand is not, whatever is around it."""
HAND_MM2, MOST_OF_SMALL = 5000.0, 0.15
"""What looks unlike the table and is smaller than a child's hand (8 x 6 cm) is none: a shadow, another piece, grain.
So much of it counts at most, as it may be the part of a hand that looks unlike the table."""
WITHIN_MM = 10.0
"""What is narrower is no part of a hand, but grain or an edge."""
REST_MM = 60.0
"""So far from a die the rest of the table begins."""
DOUBTFUL = 0.89
"""A die that may be in a hand is at most so likely what it seems."""
NO_PRINT = 0.94
"""On a print that nobody enrolled only what is surer than this is a die, and not printed there."""
WASHED_MM, WASHED_SHARE = 30.0, 0.8
"""What is foreign, and so much of it no farther beyond glare than this, is not foreign but washed out."""
NOBODY_SAYS: Mapping[int, float] = MappingProxyType({})
SOFT_EDGE, FADING_SHARE = 0.045, 0.5
"""Where brightness (logarithm per cell) changes by less along this share of a part's edge, the part is light, or a
shadow. A hand's own shadow may be soft along more than 0.3 of the edge that both have, as it was on two of five tables
of a renderer that is not ours, and less than half."""
SOFT_SHARE = 0.3
"""Along so much of its edge paper may end on what is printed on the mat."""


SAMPLE = 800
"""So many cells tell how light changes over the mat: its colour by six numbers."""
MOST_POSES = 1000
"""So many poses' cells are kept; then they are worked out anew."""
_BEYOND_CELLS = 16
"""Beyond so many cells nothing says what a part of the mat is: wider than all that masks are opened by."""
_AROUND = np.array([[x, y] for x in (-0.3, 0.3) for y in (-0.3, 0.3)])
_LOGARITHMS = np.log(np.arange(256) + 20.0).astype(np.float32)


@dataclass(frozen=True, slots=True)
class CoarseMap:
    """The table in cells of `CELL_MM`."""

    table: TableMap
    width: int
    height: int
    seen: Mask
    """255 where the picture shows the table at all."""
    border: Mask
    """255 at the mat's edge and the picture's: what reaches there goes on."""
    plain: Mask
    """255 where the bare mat shows its plain face: not at its markers and edge."""
    around_mat: Part = (slice(None), slice(None))
    """Rows and columns of the mat's plain face, and as many more as what is said of its cells may depend on."""
    _under: dict[int, tuple[Array, Indices]] = field(default_factory=dict, repr=False, compare=False)
    """Cells of poses asked for before, by the identity of the pose, which is kept with them."""

    def to_cells(self, points_mm: Array) -> Array:
        """Cell columns and rows of table points."""
        return self.table.to_map(points_mm) / (PX_PER_MM * CELL_MM) - 0.5

    def to_table(self, cells: Array) -> Array:
        """Table points of cell columns and rows."""
        return self.table.to_table((cells + 0.5) * (PX_PER_MM * CELL_MM))

    def polygons(self, outlines: Sequence[Array]) -> Mask:
        """255 inside any of these outlines (table mm)."""
        mask = np.zeros((self.height, self.width), np.uint8)
        for outline in outlines:
            cv2.fillPoly(mask, [np.round(self.to_cells(outline) * 16).astype(np.int32)], 255, shift=4)
        return mask

    def cells_under(self, pose: Array, points: Array) -> Indices:
        """The cells (n x 4, flat) around each of a piece's own points (n x 2)."""
        held = self._under.get(id(pose))
        if held is None:
            if len(self._under) >= MOST_POSES:
                self._under.clear()
            cells = (self.to_cells(place(points, pose))[:, None] + _AROUND + 0.5).astype(np.intp)
            column = np.minimum(np.maximum(cells[..., 0], 0), self.width - 1)
            row = np.minimum(np.maximum(cells[..., 1], 0), self.height - 1)
            held = self._under[id(pose)] = pose, row * self.width + column
        return held[1]

    def shrink(self, soft: Image) -> Image:
        """A softened picture of the table, seen from above, in these cells."""
        return np.asarray(cv2.resize(soft, (self.width, self.height), interpolation=cv2.INTER_LINEAR), np.uint8)


def coarse_map(table: TableMap) -> CoarseMap:
    """The cells that cover a map."""
    width, height = (round(side / (PX_PER_MM * CELL_MM)) for side in (table.width, table.height))
    seen = np.asarray(cv2.resize(table.seen, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)
    bare = CoarseMap(table, width, height, seen, np.zeros_like(seen), np.zeros_like(seen))
    inner = cv2.erode(seen, disc(4 * CELL_MM), borderValue=0)
    rim = cv2.bitwise_not(bare.polygons([_square(0.0, 0.0, MAT_HALF_MM - 15.0)]))
    mat = bare.polygons([_square(0.0, 0.0, MAT_HALF_MM)])
    border = np.asarray(cv2.bitwise_or(cv2.bitwise_not(inner), cv2.bitwise_and(rim, mat)), np.uint8)
    plain = _plain_mat(bare)
    return replace(bare, border=border, plain=plain, around_mat=_part_around(plain, _BEYOND_CELLS))


def find_foreign(
    soft: Image,
    coarse: CoarseMap,
    readings: Sequence[Reading],
    kinds: Mapping[PieceKind, Prepared],
    others_mm: Sequence[Array] = (),
    glare: Mask | None = None,
) -> Mask:
    """255 where something that is no piece lies on the mat or on a piece, or reaches from there over the table.

    `soft` is the table seen from above, softened. What is only washed out beside `glare` (255 there) is no arm, either.
    `others_mm`: see `SeenTable.foreign`.
    """
    return SeenTable(soft, coarse, readings, kinds, glare).foreign(others_mm)


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
    ) -> None:
        """See `find_foreign`."""
        self._coarse, self._glare = coarse, glare
        self.small = coarse.shrink(soft)
        """The table seen from above, in its cells."""
        self._seen, covered = _seen_and_covered(coarse, readings, kinds)
        if covered.any():
            covered = np.asarray(cv2.morphologyEx(covered, cv2.MORPH_CLOSE, disc(4 * CELL_MM)), np.uint8) & ~self._seen
        self._covered = covered
        self._mat = np.ascontiguousarray(self.small[coarse.around_mat])

    @cached_property
    def _steepest(self) -> Floats:
        """How steeply brightness (logarithm per cell) changes at most close around each cell of the mat."""
        blue, green, red = cv2.split(cv2.GaussianBlur(self._mat, (0, 0), 0.8).astype(np.float32))
        light = np.log((blue + green + red) / np.float32(3) + np.float32(20.0))
        across, down = (cv2.Sobel(light, cv2.CV_32F, *way, scale=1 / 8) for way in ((1, 0), (0, 1)))
        return np.asarray(cv2.dilate(np.hypot(across, down), np.ones((5, 5), np.uint8)), np.float32)

    def foreign(self, others_mm: Sequence[Array] = ()) -> Mask:
        """255 where something foreign lies (see `find_foreign`).

        `others_mm` are outlines (n x 2 each) of pieces without enrolled faces: from a board that covers much of the mat
        nothing is learned about the mat's plain face, and a sheet or a die that lies over the mat's edge is no arm.
        """
        coarse, seen, covered = self._coarse, self._seen, self._covered
        mat = _bare_mat(coarse, seen | coarse.polygons(others_mm))[coarse.around_mat]
        on_mat, pale = _strange_on_mat(self._mat, mat)
        strange = np.zeros_like(seen)
        strange[coarse.around_mat] = self._without_glare(on_mat, mat) | self._with_edges(pale, mat)
        suspect = strange | covered
        cores = _opened(strange) | _opened(covered)
        if not cores.any():
            return cores
        found = _grown_into(_large_parts(cores), suspect)
        others = _without_any(found, [_grown(outline, BESIDE_MM, coarse) for outline in others_mm])
        if self._glare is not None:
            others = others & ~washed_out(others, self._glare)
        return (found | _with_arms(others, coarse, seen)) & ~seen

    def _without_glare(self, strange: Mask, mat: Mask) -> Mask:
        """Without the parts that fade into the mat wherever it goes on: a lamp's reflection has no edge, a hand has."""
        parts = _opened(strange)
        if not parts.any():
            return strange
        labels, ended = self._ends(parts, mat)
        fades = [i for i, steep in ended if np.quantile(steep, FADING_SHARE) < SOFT_EDGE]
        if not fades:
            return strange
        glare = _of_parts(labels, fades)
        around = np.asarray(cv2.dilate(glare, disc(6 * CELL_MM)), np.uint8)
        return np.asarray(strange & ~around, np.uint8)

    def _with_edges(self, parts: Mask, mat: Mask) -> Mask:
        """Those of the parts that end sharply where the mat goes on: paper does, and no light that falls on the mat."""
        if not parts.any():
            return parts
        labels, ended = self._ends(parts, mat)
        return _of_parts(labels, [i for i, steep in ended if np.quantile(steep, SOFT_SHARE) >= PALE_EDGE])

    def _ends(self, parts: Mask, mat: Mask) -> tuple[Indices, list[tuple[int, Floats]]]:
        """The labels of parts of the mat, and of those that end where the mat goes on how steeply brightness changes
        along that edge."""
        inner = cv2.erode(parts, np.ones((3, 3), np.uint8))
        goes_on = cv2.erode(mat, np.ones((7, 7), np.uint8), borderValue=0) > 0
        edges = (parts > 0) & (inner == 0) & goes_on
        count, labels = cv2.connectedComponents(parts, connectivity=8)
        at_edge, steep = labels[edges], self._steepest[edges]
        ends = ((i, steep[at_edge == i]) for i in range(1, count))
        return np.asarray(labels, np.int32), [(i, some) for i, some in ends if len(some) >= LEAST_EDGE]


def washed_out(foreign: Mask, glare: Mask) -> Mask:
    """Those parts of what is foreign that reach hardly farther beyond glare than it washes out what lies beside it."""
    if not (glare.any() and foreign.any()):
        return np.zeros_like(foreign)
    beside = cv2.dilate(glare, disc(2 * WASHED_MM)) > 0
    count, labels, stats, _ = cv2.connectedComponentsWithStats(foreign, connectivity=8)
    within = np.bincount(labels[beside], minlength=count)
    parts = np.flatnonzero(within >= WASHED_SHARE * stats[:, cv2.CC_STAT_AREA])
    return np.where(np.isin(labels, parts) & (labels > 0), np.uint8(255), np.uint8(0))


def hidden_places(foreign: Mask, coarse: CoarseMap, *, cause: HiddenCause | None = None) -> tuple[HiddenPlace, ...]:
    """A mask of what is foreign, as outlines. What reaches the mat's or the picture's edge is a hand."""
    grown = cv2.dilate(foreign, disc(2 * CELL_MM))
    contours, _ = cv2.findContours(grown, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    places = []
    for contour in contours:
        outline = cv2.approxPolyDP(contour, 0.8, True).reshape(-1, 2).astype(np.float64)
        if len(outline) < 3:
            continue
        part = np.zeros_like(foreign)
        cv2.drawContours(part, [contour], -1, 255, -1)
        reaches = bool((part & coarse.border).any())
        what = cause or (HiddenCause.HAND if reaches else HiddenCause.FOREIGN)
        places.append(HiddenPlace(as_points(coarse.to_table(outline)[::-1]), what))
    return tuple(places)


def told_by_form(
    pieces: Sequence[Sighting],
    foreign: Mask,
    coarse: CoarseMap,
    in_hand: Mapping[int, float] = NOBODY_SAYS,
    soft: Image | None = None,
) -> tuple[tuple[Sighting, ...], Mask]:
    """Of pieces told by their form those that lie there, and what is foreign but for them.

    A die in somebody's fingers shows nothing until it is thrown. `in_hand`: how likely a piece is in a hand by what is
    seen around it, by the identity of its sighting. Wood may look like skin there: what is around it must look unlike
    the mat and, in `soft`, the table seen from above, unlike the rest of the table. Of what nobody says that about, and
    of what may be a print on another print, it is enough that something foreign goes on around it, and is no other die.
    """
    asked = [piece for piece in pieces if in_hand.get(id(piece), 0.0) >= ASKED]
    if not pieces or not (foreign.any() or asked):
        return tuple(pieces), foreign
    others = [np.array(piece.outline_mm) for piece in pieces if piece.kind is not PieceKind.DIE]
    strange = _without(foreign, [_grown(outline, BESIDE_MM, coarse) for outline in others])
    dice = [piece for piece in pieces if piece.kind is PieceKind.DIE]
    own = {id(die): _grown(np.array(die.outline_mm), _beside_mm(die), coarse) for die in dice}
    between = _without_any(strange, list(own.values()))
    unlike = _unlike_around(asked, strange, [*own.values(), coarse.polygons(others)], coarse, soft)
    said = {die: _weighed(share, unlike.get(die)) for die, share in in_hand.items()}
    held = {id(die) for die in dice if _in_hand(die, said.get(id(die)), between, list(own.values()), coarse)}
    unsure = {die for die, share in said.items() if share >= MAYBE_IN_HAND}
    lying = tuple(doubted(piece) if id(piece) in unsure else piece for piece in pieces if id(piece) not in held)
    left = _without(strange, [own[id(die)] for die in dice if id(die) not in held])
    return lying, np.maximum.reduce([left, *(own[die] for die in held)])


def doubted_in_hands(
    dice: Sequence[Sighting], in_hand: Mapping[int, float], coarse: CoarseMap, soft: Image
) -> tuple[Sighting, ...]:
    """The same dice, those doubted that may be in somebody's hand, where nothing else is looked for: see
    `told_by_form`. Pieces that nobody looked for are foreign."""
    asked = [die for die in dice if in_hand[id(die)] >= ASKED]
    foreign = find_foreign(soft, coarse, (), {}, dice_as_seen(dice))
    own = [_grown(np.array(die.outline_mm), _beside_mm(die), coarse) for die in dice]
    unlike = _unlike_around(asked, foreign, own, coarse, soft)
    said = (_weighed(in_hand[id(die)], unlike.get(id(die))) for die in dice)
    return tuple(doubted(die) if share >= MAYBE_IN_HAND else die for die, share in zip(dice, said, strict=True))


def over_boards(pieces: Sequence[Sighting], coarse: CoarseMap) -> Mask:
    """255 where something that is no piece lies over boards or reaches for them: no dice that lie beside one."""
    over = coarse.polygons([np.array(outline) for piece in pieces for outline in piece.covering_mm])
    dice = [piece for piece in pieces if piece.kind is PieceKind.DIE]
    return _without(over, [_grown(np.array(die.outline_mm), _beside_mm(die), coarse) for die in dice])


def _unlike_around(
    asked: Sequence[Sighting], strange: Mask, pieces: Sequence[Mask], coarse: CoarseMap, soft: Image | None
) -> dict[int, float]:
    """Of each of these dice the share of what is around it, but for `pieces`, that looks unlike mat and table: what is
    strange on the mat, what has rare colours beyond it; by the identity of its sighting. A hand is large."""
    if not asked:
        return {}
    covered = np.maximum.reduce([np.zeros_like(strange), *pieces]) > 0
    mat = coarse.polygons([_square(0.0, 0.0, MAT_HALF_MM)]) > 0
    unlike, told = (strange > 0) & mat, mat.copy()
    if soft is not None:
        beyond = (coarse.seen > 0) & (coarse.polygons([_square(0.0, 0.0, MAT_HALF_MM + BESIDE_MM)]) == 0)
        feet = coarse.polygons([np.array(die.outline_mm) for die in asked])
        far = cv2.distanceTransform(255 - feet, cv2.DIST_L2, cv2.DIST_MASK_5) * CELL_MM > REST_MM
        rare = rare_on(colours_of(coarse.shrink(soft)), beyond & far & (strange == 0) & ~covered, beyond)
        if rare is not None:
            unlike[beyond] = rare
            told |= beyond
    told &= (coarse.seen > 0) & ~covered
    thick = cv2.morphologyEx((unlike | covered).astype(np.uint8), cv2.MORPH_OPEN, disc(WITHIN_MM))
    _, parts = cv2.connectedComponents(thick, connectivity=4)
    large = np.bincount(parts[unlike & ~covered], minlength=parts.max() + 1) * CELL_MM**2 >= HAND_MM2
    found = {}
    for die in asked:
        around = told & (_grown(np.array(die.outline_mm), _beside_mm(die) + HELD_WITHIN_MM - BESIDE_MM, coarse) > 0)
        if around.sum() >= LEAST_AROUND:
            share = float(unlike[around].mean())
            hand = large[parts[around & (parts > 0)]].any()
            found[id(die)] = share if hand else min(share, MOST_OF_SMALL)
    return found


def _weighed(share: float, unlike: float | None) -> float:
    """How likely a die is in a hand, that is so likely in one by its picture, where so much around it looks unlike mat
    and table."""
    if unlike is None:
        return share
    more = BY_UNLIKE * (min(unlike, MOST_UNLIKE) - USUALLY_UNLIKE)
    return share / (share + (1.0 - share) * float(np.exp(-more)))


def doubted(die: Sighting) -> Sighting:
    """The same die, never surely what it seems."""
    if die.probability <= DOUBTFUL:
        return die
    less = DOUBTFUL / die.probability
    return replace(die, faces=tuple(replace(one, probability=round(one.probability * less, 4)) for one in die.faces))


def dice_as_seen(pieces: Sequence[Sighting]) -> list[Array]:
    """Outlines (4 x 2) that hold the dice among some pieces also where their tops are seen."""
    feet = [np.array(piece.outline_mm) for piece in pieces if piece.kind is PieceKind.DIE]
    return [foot.mean(0) + (1.0 + 2.0 * LEANS) * (foot - foot.mean(0)) for foot in feet]


def _beside_mm(die: Sighting) -> float:
    """How far beside its foot a die is seen."""
    side = float(np.linalg.norm(np.subtract(die.outline_mm[0], die.outline_mm[1])))
    return BESIDE_MM + LEANS * side


def _grown(outline_mm: Array, by_mm: float, coarse: CoarseMap) -> Mask:
    mask, round_about = coarse.polygons([outline_mm]), disc(2 * by_mm)
    part = _part_around(mask, len(round_about))
    if mask[part].size:
        mask[part] = cv2.dilate(mask[part], round_about)
    return mask


def _without_any(foreign: Mask, pieces: Sequence[Mask]) -> Mask:
    left = foreign.copy()
    for piece in pieces:
        left &= ~piece
    return left


def _without(foreign: Mask, pieces: Sequence[Mask]) -> Mask:
    """What is foreign but for these pieces, and what stands out beside them."""
    return _large_parts(_opened(_without_any(foreign, pieces))) if pieces else foreign


def _in_hand(die: Sighting, said: float | None, foreign: Mask, dice: Sequence[Mask], coarse: CoarseMap) -> bool:
    """Whether a die is in somebody's hand, by how likely it is, or if nobody says that, by what is foreign around it;
    or is not surely more than a part of a print on the mat."""
    if said is None:
        return _is_held(die, foreign, dice, coarse)
    if said >= IN_HAND:
        return True
    on_mat = foreign & coarse.polygons([_square(0.0, 0.0, MAT_HALF_MM)])
    return die.probability <= NO_PRINT and _is_held(die, on_mat, dice, coarse)


def _is_held(die: Sighting, foreign: Mask, dice: Sequence[Mask], coarse: CoarseMap) -> bool:
    """Whether foreign things go on around a die, `dice` (where each of them is seen) left aside."""
    within = _beside_mm(die) + HELD_WITHIN_MM - BESIDE_MM
    around = _without_any(_grown(np.array(die.outline_mm), within, coarse), dice) > 0
    return bool(around.any()) and float((foreign[around] > 0).mean()) > HELD_SHARE


def _seen_and_covered(
    coarse: CoarseMap, readings: Sequence[Reading], kinds: Mapping[PieceKind, Prepared]
) -> tuple[Mask, Mask]:
    """Where pieces are seen, and where something lies on pieces."""
    seen, covered = coarse.polygons([]), coarse.polygons([])
    for reading in readings:
        cells = coarse.cells_under(reading.pose, kinds[reading.kind].full.points)
        free = ~reading.taken
        seen.reshape(-1)[cells[free & reading.agrees]] = 255
        if reading.trusted:
            covered.reshape(-1)[cells[free & ~reading.agrees]] = 255
    return seen, covered


def _bare_mat(coarse: CoarseMap, seen: Mask) -> Mask:
    """Where the mat's plain face should show: not under pieces, either."""
    under = cv2.dilate(seen, disc(3 * CELL_MM))
    return np.asarray(cv2.bitwise_and(coarse.plain, cv2.bitwise_not(under)), np.uint8)


def _plain_mat(coarse: CoarseMap) -> Mask:
    inside = MAT_HALF_MM - 5.0
    mat = coarse.polygons([_square(0.0, 0.0, inside)])
    corner = (INNER_MM + MAT_HALF_MM) / 2
    reach = MAT_HALF_MM - corner + 12.0
    for x in (-corner, corner):
        for y in (-corner, corner):
            mat[coarse.polygons([_square(x, y, reach)]) > 0] = 0
    mat[cv2.erode(coarse.seen, disc(CELL_MM)) == 0] = 0
    return mat


def _strange_on_mat(small: Image, mat: Mask) -> tuple[Mask, Mask]:
    """Where the mat does not look like the rest of it, and where wide parts of it are but a little brighter."""
    rows, columns = np.nonzero(mat)
    strange, pale = np.zeros_like(mat), np.zeros_like(mat)
    if len(rows) < 400:
        return strange, pale
    where = rows * mat.shape[1] + columns
    colours = np.stack([channel.reshape(-1).take(where) for channel in cv2.split(cv2.LUT(small, _LOGARITHMS))])
    spread, brighter = _strangeness(colours, rows, columns)
    strange.reshape(-1)[where] = (spread > COLOUR_SPREADS).astype(np.uint8) * np.uint8(255)
    pale.reshape(-1)[where] = (brighter > PALE_SPREADS).astype(np.uint8) * np.uint8(255)
    return strange, np.asarray(cv2.morphologyEx(pale, cv2.MORPH_OPEN, disc(PALE_WIDTH_MM)), np.uint8)


def _strangeness(colours: Floats, rows: Indices, columns: Indices) -> tuple[Floats, Floats]:
    """How many spreads each cell's colour (channels x cells) strays from the mat's, whose light changes slowly, shadows
    left aside; and by how many it is brighter."""
    u, v = (((along - along.mean()) / 80.0).astype(np.float32) for along in (rows, columns))
    basis = np.stack([np.ones_like(u), u, v, u * u, u * v, v * v])
    light = colours.mean(0, keepdims=True)
    off, wide = _strays(np.concatenate([light, colours - light]), basis)
    brightness = np.maximum(off[0], -off[0] - np.float32(SHADOW_DEPTH)) / wide[0]
    tinted = np.sqrt(np.square(off[1:] / wide[1:]).sum(0) / 2)
    return np.asarray(np.maximum(brightness * np.float32(0.7), tinted)), off[0] / wide[0]


def _strays(values: Floats, basis: Floats) -> tuple[Floats, Floats]:
    """What of each row a slowly changing light does not explain, and its usual width; fitted on a sample, robustly."""
    step = max(values.shape[1] // SAMPLE, 1)
    some, sample = (np.ascontiguousarray(part[:, ::step], np.float64) for part in (basis, values))
    ridge = 1e-6 * np.eye(len(basis))
    weights = np.ones_like(sample)
    for _ in range(5):
        weighted = some * weights[:, None]
        fit = np.linalg.solve(weighted @ some.T + ridge, weighted @ sample[..., None])[..., 0]
        residual = sample - fit @ some
        middle = np.median(residual, axis=1, keepdims=True)
        off = residual - middle
        width = np.maximum(1.5 * np.median(np.abs(off), axis=1, keepdims=True), 0.018)
        weights = 1.0 / np.square(1.0 + np.square(off / (2 * width)))
    fit[:, :1] += middle
    return values - fit.astype(np.float32) @ basis, width.astype(np.float32)


def _opened(mask: Mask) -> Mask:
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, disc(LEAST_WIDTH_MM)), np.uint8)


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


def _part_around(mask: Mask, more: int) -> Part:
    """The rows and columns in which a mask is set, and so many more on all sides."""
    left, top, width, height = cv2.boundingRect(mask)
    rows, columns = (slice(max(at - more, 0), at + size + more) for at, size in ((top, height), (left, width)))
    return rows, columns


def _large_parts(mask: Any) -> Mask:
    large = np.zeros(mask.shape, np.uint8)
    part = _part_around(np.asarray(mask, np.uint8), 0)
    if mask[part].size:
        some = np.ascontiguousarray(mask[part], np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(some, connectivity=8)
        keep = np.where(stats[:count, cv2.CC_STAT_AREA] * CELL_MM**2 >= LEAST_AREA_MM2, np.uint8(255), np.uint8(0))
        keep[0] = 0
        large[part] = keep[labels]
    return large


def _with_arms(foreign: Mask, coarse: CoarseMap, seen: Mask) -> Mask:
    """Parts that end at the mat's edge, and what lies beside it and is as wide as a wrist, go on straight to the edge
    of the picture. What is narrower there is no hand: so lies a slice on its neighbour that was not read in a fan. Nor
    does an arm go where pieces are `seen`: a hand's shadow ends at the mat's edge, too."""
    if not foreign.any():
        return foreign
    edge = MAT_HALF_MM - 12.0
    on_mat = coarse.polygons([_square(0.0, 0.0, edge)])
    rim = cv2.bitwise_and(foreign, cv2.bitwise_not(on_mat))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(rim, connectivity=8)
    grown = foreign.copy()
    for i in range(1, count):
        if stats[i, cv2.CC_STAT_AREA] * CELL_MM < 12.0:
            continue
        cells = np.column_stack(np.nonzero(labels == i)[::-1]).astype(np.float64)
        crossing = coarse.to_table(cells)
        middle = crossing.mean(0)
        part = _part_of(foreign, cells[0])
        if not (part & (on_mat > 0)).any() and not cv2.erode(part.astype(np.uint8), disc(WRIST_MM)).any():
            continue
        whole = coarse.to_table(np.column_stack(np.nonzero(part))[:, ::-1].astype(np.float64))
        way = _outward(whole, middle)
        across = np.array([-way[1], way[0]])
        half = max(float(np.abs((crossing - middle) @ across).max()), 25.0) * 1.15
        far = middle + way * 900.0
        sleeve, inner = (
            np.array([middle - across * wide, far - across * wide, far + across * wide, middle + across * wide])
            for wide in (half, half / 2)
        )
        along = (coarse.polygons([inner]) & coarse.seen & ~on_mat) > 0
        if along.any() and float((seen[along] > 0).mean()) > SEEN_ON_ARM:
            continue
        grown |= coarse.polygons([sleeve]) & ~on_mat
    return grown


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


def _square(x: float, y: float, half: float) -> Array:
    return np.array([[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]])


def disc(width_mm: float) -> Mask:
    """A round structuring element, in cells of the table."""
    cells = max(round(width_mm / CELL_MM), 1)
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (cells, cells)), np.uint8)
