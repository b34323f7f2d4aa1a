"""Pieces laid out apart whose faces nobody knows yet: where they lie, for enrolling an owner's copy.

What differs from the bare mat or table around it is what may be a piece. Outlines of the kinds that are expected are
moved over that in every direction and size; where the inside differs and a seam around it does not, a piece may lie.
Edges all around say whether one does, of which kind, and how large all of that kind are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.enrolling.along_grain import along_grain
from vision.frame import Image
from vision.mat.rectify import PX_PER_MM, TableMap, table_map
from vision.mat.registration import Registration
from vision.pieces.faces import MAT_HALF_MM, true_pose
from vision.pieces.outlines import (
    LEAST_TRIED,
    Outlined,
    Standing,
    beside_shadow,
    edge_points,
    edged_share,
    fit,
    fit_to_end,
    framed_or,
    in_shape_of,
    lying_apart,
    overlap,
    peaks,
    shape_of,
)
from vision.scene import PieceKind
from vision.shapes import Shape, place

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

BARE_MM = 200.0
"""The bare table's colour at a place is the middle one of so wide a square around it."""
LIGHT_SCALE = 0.25
PLANKS = 5.0
"""Where the middle pixel beyond the mat differs so little from what lies before and behind it along one direction, the
table is made of planks or stripes, or plain: those have 1 to 4, chequered cloth 15."""
BESIDE_PLANK_MM = 1.5
"""A plank's edge may lie so far beside where it is thought to lie."""
COLOUR_CELL = 12.0
LIGHTNESS = 0.6
"""How much a difference in lightness counts against one in colour: shadows are no pieces."""
LEAST_SPREAD = 2.0
PATTERNED, ANOTHER = 15.0, 10.0
"""Where the middle pixel beyond the mat differs so much from what lies around, cloth is patterned: plain wood and cloth
have 4 to 11, chequered cloth 31. Where all but three tenths differ so much from the empty table, it is another one."""
PATTERN_COLOURS, OF_PATTERN, ALL_OVER = 8, 0.08, 0.6
"""A pattern is made of those of so many colours that cover more than this share of what lies within BARE_MM
of a place, in so large a share of places. What lies there has more colours, none of them in as many places."""
DARKEST = 0.2
"""In no place is the table so much darker than in most."""
FULL = 6.0
"""What differs so many times more than the table does in itself differs wholly."""
SHARP = 30.0
"""Beyond this an edge becomes no clearer."""
MAT_ALONE_MM = 25.0
"""What lies so far within the mat lies on no edge of the table's."""
SIZING_PX_PER_MM = 0.25
"""Enough to tell sizes apart."""
MARKER_MARGIN_MM = 3.0
FEW, SIZES_ALIKE = 16, 3
"""So many of each kind, in so many sizes together, are enough to tell how large its pieces are."""
SAME_SIZE = 0.03
LEAST_EDGED = 0.65
"""An outline with edges along less than that says nothing of sizes: those of another kind of piece have 0.73 at most,
prints and patterns 0.6, a piece's own mostly more than 0.8."""
FRAME_MM, EVEN_FRAME_MM, LEAST_FRAMED = (2.0, 12.0), 1.5, 3
"""A frame makes a card wider and taller by so much, both alike but for the second, if so many cards show it."""
FRAMES_MM, FRAME_RISE, CLEAR_FRAME_RISE, AS_EDGED = np.arange(0.0, FRAME_MM[1] + 0.5, 0.5), 0.25, 0.1, 0.75
"""Such frames are tried around cards of which none shows it. Farther out an outline has less and less of an edge, but
where a frame ends so much more again: on twelve simulated tables 0.34 to 0.44 more around four cards with frames of the
table's colour, 0.22 and 0.13 and mostly less than 0.05 around 90 others. Where it ends as clearly as what it encloses,
less is enough: around others it was 0.04."""
SHADOW = 0.5
"""A shadow beside a piece leaves so much of the light at least."""
PIECE = 0.2
"""A piece's edges times how much it stands out. On simulated tables pale pieces on pale paper have that much; what is
printed on a mat has edges as good as theirs, but stands out half as much."""
DOUBTFUL = 0.1
"""What has so much around the mat may be a piece of nearly the table's colour."""
WHITE_MM, ON_WHITE_MM2, CLEAR_THERE = 6.0, 20.0, 0.35
"""Around a marker so much of the mat is white. What seems to cover more than so little of a marker that is seen and of
its white may have their edges for its own: it is a piece if it is as clear as that. Two on a cloth of many colours and
beside a lamp's light that were none had 0.22 and 0.24, and lay 57 and 120 mm2 over it; of 571 others in 48 photos none
did."""
AS_CLEAR = 0.75
"""What is so much as clear as another may be in its stead: a part of a piece whose last side hardly shows."""
SIZING_REACH_MM = (6.0, 4.0, 2.5, 1.5)
SIZES_MM: Mapping[PieceKind, tuple[tuple[float, float], ...]] = {
    PieceKind.SLICE: tuple((radius, 360.0 / 11) for radius in np.arange(70.0, 146.0, 5.0)),
    PieceKind.SPECIAL: tuple((width, 1.47 * width) for width in np.arange(40.0, 76.0, 5.0)),
    PieceKind.SLICE_CARD: tuple((width, 1.4 * width) for width in np.arange(32.0, 64.0, 4.0)),
    PieceKind.ORDER_CARD: tuple((width, width) for width in np.arange(50.0, 96.0, 5.0)),
}
"""The sizes that are tried: those in which such pieces are sold."""


@dataclass(frozen=True, slots=True)
class LaidOut:
    """One piece without a name."""

    shape: Shape
    pose: Array
    """Where it lies, on the table; a card's top may be on another side, as far as FULL_TURN_DEG leaves that open."""
    seen_pose: Array
    """Where it seems to lie at z = 0."""
    clear: float
    """How clearly it stands out from the table, 0 to 1."""
    pointed_px: tuple[tuple[float, float], ...] = ()
    """Where somebody pointed at its corners in the picture; empty where it was found."""

    def outline_px(self, registration: Registration) -> Array:
        """Its outline in the picture, n x 2 pixels."""
        return registration.to_picture(place(self.shape.outline, self.seen_pose))

    def overlaps(self, other: "LaidOut") -> bool:
        """Whether they do not lie apart."""
        return overlap(place(self.shape.outline, self.seen_pose), place(other.shape.outline, other.seen_pose))

    def turned(self, turn_deg: float) -> "LaidOut":
        """The same card, its top so much further round counter-clockwise: a multiple of its FULL_TURN_DEG."""
        pose, seen = ([*at[:2], (at[2] + turn_deg) % 360.0] for at in (self.pose, self.seen_pose))
        return replace(self, pose=np.array(pose), seen_pose=np.array(seen))

    def as_label(self, registration: Registration) -> dict[str, Any]:
        """What a label file says of it, with the face left to be named."""
        x, y, angle = (round(float(value), 3) for value in self.pose)
        kind = "tile" if self.shape.kind is PieceKind.SLICE else self.shape.kind.value
        outline = [[round(float(u), 2), round(float(v), 2)] for u, v in self.outline_px(registration)]
        label = {
            "kind": kind, "face": "", "face_up": True, "x_mm": x, "y_mm": y, "angle_deg": angle, "outline_px": outline
        }  # fmt: skip
        return label | ({"corners_px": [list(corner) for corner in self.pointed_px]} if self.pointed_px else {})


@dataclass(frozen=True)
class SeenTable:
    """A photo of a table, beside the bare table."""

    image: Image
    registration: Registration
    empty: Image | None = None
    """A picture by the same camera of the same table with nothing on it; without it the bare table's colours are
    guessed from what lies around, which a patterned cloth defeats."""

    @cached_property
    def table(self) -> TableMap:
        """Where its pixels lie, seen from above."""
        return table_map(self.registration)

    @cached_property
    def parts(self) -> "list[_Part]":
        """The mat's part of the table's map and the rest, those that show."""
        bare = None if self.empty is None else self.table.look(self.empty)
        return _differences(self.table.look(self.image), self.table, bare)

    @cached_property
    def apart(self) -> Floats:
        """How many times more each pixel of the table's map differs from the bare mat or table around it than most
        do; 0 on the markers."""
        return self._mapped([part.off for part in self.parts])

    @cached_property
    def unshaded(self) -> Floats:
        """The same beside the bare table in the shade, wherever that is nearer."""
        return self._mapped([part.off_shade for part in self.parts])

    def _mapped(self, off: Sequence[Array]) -> Floats:
        apart = np.zeros((self.table.height, self.table.width), np.float32)
        for part, values in zip(self.parts, off, strict=True):
            apart[part.where] = values / max(float(np.median(values)), LEAST_SPREAD)
        markers = [_grown(corners, MARKER_MARGIN_MM) for corners in self.registration.markers_mm.values()]
        apart[_filled(self.table, markers) > 0] = 0.0
        return apart

    def views(self) -> "list[Standing]":
        """The table beside what lies around each place, and where it is made of planks also beside what lies along
        these."""
        views = [_standing(self.table, self.apart, self.unshaded)]
        if self.empty is None and (off := _off_planks(self.table.look(self.image), self.table)) is not None:
            apart = np.where(_beyond_mat(self.table), off, self.apart)
            planks = _standing(self.table, apart, np.minimum(self.unshaded, apart))
            views.append(replace(planks, beyond_mm=MAT_HALF_MM - MAT_ALONE_MM))
        return views


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a table's map."""

    where: NDArray[np.bool_]
    off: Array
    """How far the colours of its pixels are from the bare table's (CIELAB)."""
    off_shade: Array
    """How far they are from the bare table's in the light or in the shade."""


@dataclass(frozen=True, slots=True)
class Search:
    """What was found in a picture, from left to right and from top to bottom."""

    pieces: tuple[LaidOut, ...]
    doubtful: tuple[LaidOut, ...]
    """Where something around the mat that hardly stands out may be a piece: most of these are none."""


def find_laid_out(seen: SeenTable, kinds: frozenset[PieceKind]) -> Search:
    """The pieces of these kinds that lie apart from each other. Kinds that SIZES_MM lacks are passed over."""
    registration, table = seen.registration, seen.table
    clear, faint = _clear(seen.views(), kinds)
    of_marker = {id(one) for one in clear if one.clear < CLEAR_THERE and _is_on_a_marker(one, registration)}
    faint += [one for one in clear if id(one) in of_marker]
    clear = lying_apart([one for one in clear if id(one) not in of_marker and table.shows(one.outline).all()])
    beyond = [one for one in faint if table.shows(one.outline).all() and np.abs(one.centre).max() > MAT_HALF_MM]
    faint = lying_apart([one for one in beyond if not any(map(one.overlaps, clear))])
    return Search(_in_order(clear, registration), _in_order(faint, registration))


def _is_on_a_marker(one: Outlined, registration: Registration) -> bool:
    """Whether something seems to cover more than a little of a marker that is seen, or of the white around it."""
    outline = one.outline.astype(np.float32)
    for corners in registration.markers_mm.values():
        middle = corners.mean(0)
        grown = 1.0 + WHITE_MM / np.abs(corners - middle).max()
        white = middle + (corners - middle) * grown
        if cv2.intersectConvexConvex(outline, white.astype(np.float32))[0] > ON_WHITE_MM2:
            return True
    return False


def _in_order(found: Sequence["Outlined"], registration: Registration) -> tuple[LaidOut, ...]:
    pieces = [LaidOut(one.shape, true_pose(one.pose, one.shape, registration), one.pose, one.clear) for one in found]
    return tuple(sorted(pieces, key=lambda piece: (round(-piece.pose[1] / 60.0), piece.pose[0])))


def doubt_of_table(seen: SeenTable) -> str:
    """Why pieces may be missed in a picture: a sentence, or "".

    Without a picture of the empty table, where the table beyond the mat is not of one colour; with it, where hardly
    anything looks as there.
    """
    parts, known = seen.parts, seen.empty is not None
    if known and any(np.quantile(part.off, 0.3) > ANOTHER for part in parts):
        return "hardly anything looks as in the picture of the empty table; expected one by the same camera, from the \
same place, in the same light"
    if not known and len(parts) == 2 and float(np.median(parts[1].off)) > PATTERNED:
        return "the table around the mat is patterned: pieces there may be missed or outlined wrongly; a picture of \
the empty table from the same place helps"
    return ""


def _differences(looked: Image, table: TableMap, bare: Image | None) -> list[_Part]:
    colours = _lab(looked)
    beyond, found = _beyond_mat(table), list[_Part]()
    for part, bare_of in ((~beyond & (table.seen > 0), _even), (beyond, _nearby)):
        if part.any():
            own = bare if bare is not None else bare_of(looked, part)
            apart = np.linalg.norm(colours - _lab(own), axis=2)
            off_shade = np.linalg.norm(colours - _lab(_in_shade(own, looked)), axis=2)
            if bare is None and bare_of is _nearby and float(np.median(apart[part])) > PATTERNED:
                off_pattern = _off_pattern(looked, part)
                apart, off_shade = np.minimum(apart, off_pattern), np.minimum(off_shade, off_pattern)
            found.append(_Part(part, apart[part], off_shade[part]))
    return found


def _in_shade(bare: Image, looked: Image) -> Image:
    """The bare table in as much light as explains what is seen at each pixel best, but no darker than in a shadow."""
    table, seen = bare.astype(np.float32), looked.astype(np.float32)
    light = (table * seen).sum(axis=2) / np.maximum(np.square(table).sum(axis=2), np.float32(1.0))
    return np.asarray(table * np.clip(light, SHADOW, 1.0)[..., None], np.uint8)


def _beyond_mat(table: TableMap) -> NDArray[np.bool_]:
    """Which of the map's pixels show the table around the mat."""
    mat = _filled(table, [np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]) * MAT_HALF_MM])
    return np.asarray((mat == 0) & (table.seen > 0))


def _off_planks(looked: Image, table: TableMap) -> Floats | None:
    """How many times more each pixel beyond the mat differs from planks or stripes than most do; None where the table
    is not made of such."""
    part = _beyond_mat(table)
    if not part.any():
        return None
    beside = np.ones((2 * round(BESIDE_PLANK_MM * PX_PER_MM) + 1,) * 2, np.uint8)
    planks, colours = _lab(along_grain(looked, part)), _lab(looked)
    low, high = np.asarray(cv2.erode(planks, beside)), np.asarray(cv2.dilate(planks, beside))
    apart = np.linalg.norm(np.maximum(np.maximum(low - colours, colours - high), 0.0), axis=2)
    usual = float(np.median(apart[part]))
    return np.asarray(apart / max(usual, LEAST_SPREAD), np.float32) if usual < PLANKS else None


def _lab(looked: Image) -> Floats:
    """Colours in CIELAB, in which differences in lightness count less."""
    weights = np.array([LIGHTNESS, 1.0, 1.0], np.float32)
    return np.asarray(cv2.cvtColor(looked, cv2.COLOR_BGR2LAB).astype(np.float32) * weights, np.float32)


def _standing(table: TableMap, apart: Floats, unshaded: Floats | None = None) -> Standing:
    strange, edges = (np.minimum(apart / np.float32(least), np.float32(1.0)) for least in (FULL, SHARP))
    shadeless = None if unshaded is None else _standing(table, unshaded)
    return Standing(table, apart, np.asarray(strange, np.float32), np.asarray(edges, np.float32), shadeless)


def _even(looked: Image, part: NDArray[np.bool_]) -> Image:
    """The mat's own colour at each pixel: one colour in a light that changes slowly, as most of the mat shows it."""
    height, width = looked.shape[:2]
    small = np.asarray(cv2.resize(looked, None, fx=LIGHT_SCALE, fy=LIGHT_SCALE, interpolation=cv2.INTER_AREA))
    inside = cv2.resize(part.astype(np.uint8), (small.shape[1], small.shape[0]), interpolation=cv2.INTER_NEAREST) > 0
    x, y = np.meshgrid(np.linspace(-1, 1, small.shape[1]), np.linspace(-1, 1, small.shape[0]))
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)
    colours = small[inside].astype(np.float64)
    at = terms[inside]
    fitted = np.repeat(_mode(colours)[None], len(at), axis=0)
    solved = np.zeros((6, 3))
    for degree in (1, 3, 3, 6, 6, 6, 6):
        off = np.linalg.norm(colours - fitted, axis=1)
        weights = 1.0 / (1.0 + (off / max(float(np.quantile(off, 0.3)), 2.0)) ** 2) ** 2
        weighted = at[:, :degree] * weights[:, None]
        solved[:degree] = np.linalg.solve(weighted.T @ at[:, :degree] + 1e-6 * np.eye(degree), weighted.T @ colours)
        fitted = at @ solved
    even = np.clip(terms @ solved, 0, 255).astype(np.float32)
    return np.asarray(cv2.resize(even, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)


def _mode(colours: Array) -> Array:
    """The colour that most pixels have, about."""
    cells, counts = np.unique((colours / COLOUR_CELL).astype(int), axis=0, return_counts=True)
    near = np.abs(colours / COLOUR_CELL - 0.5 - cells[counts.argmax()]).max(axis=1) < 1.0
    return np.asarray(colours[near].mean(axis=0))


def _nearby(looked: Image, part: NDArray[np.bool_]) -> Image:
    """The bare table's own colour at each pixel: that of most of what lies around, as wood has many colours."""
    size = (max(1, round(looked.shape[1] * LIGHT_SCALE)), max(1, round(looked.shape[0] * LIGHT_SCALE)))
    small = cv2.resize(looked, size, interpolation=cv2.INTER_AREA)
    inside = cv2.resize(part.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0
    middle = np.median(small[inside], axis=0) if inside.any() else np.median(looked[part], axis=0)
    filled = np.where(inside[..., None], small, middle).astype(np.uint8)
    width = int(BARE_MM * PX_PER_MM * LIGHT_SCALE) | 1
    bare = np.dstack([cv2.medianBlur(np.ascontiguousarray(filled[..., i]), width) for i in range(3)])
    return np.asarray(cv2.resize(bare, (looked.shape[1], looked.shape[0]), interpolation=cv2.INTER_LINEAR), np.uint8)


def _off_pattern(looked: Image, part: NDArray[np.bool_]) -> Floats:
    """How far each pixel's colour is from those of which a part of the table is made: colours that occur all over it,
    in the light that falls around the pixel, and mixtures of two of them. What lies on it is mostly of others."""
    height, width = part.shape
    size = (max(1, round(width * LIGHT_SCALE)), max(1, round(height * LIGHT_SCALE)))
    inside = cv2.resize(part.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0
    apart = np.full(part.shape, np.float32(np.inf))
    if not inside.any():
        return apart
    around = np.maximum(_around(inside), 1.0)
    small = np.asarray(cv2.resize(looked, size, interpolation=cv2.INTER_AREA))
    brightness = _around(np.where(inside, small.max(axis=2), 0)) / around
    light = cv2.resize(brightness / max(float(np.median(brightness[inside])), 1.0), (width, height))
    even = np.minimum(looked / np.maximum(light, DARKEST)[..., None], 255.0)
    colours = _lab(np.asarray(even, np.uint8))
    small = np.asarray(cv2.resize(colours, size, interpolation=cv2.INTER_AREA))
    pixels = np.asarray(small[inside], np.float32)
    cv2.setRNGSeed(1)  # the same colours each time
    rounds = (cv2.TERM_CRITERIA_MAX_ITER, 30, 0.0)
    start = np.zeros((len(pixels), 1), np.int32)
    _, _, usual = cv2.kmeans(pixels, min(PATTERN_COLOURS, len(pixels)), start, rounds, 1, cv2.KMEANS_PP_CENTERS)
    nearest = np.full(inside.shape, -1)
    nearest[inside] = np.linalg.norm(pixels[:, None] - usual, axis=2).argmin(axis=1)
    everywhere: list[Floats] = []
    for number in range(len(usual)):
        mine = nearest == number
        count = _around(mine)
        if ((count / around)[inside] > OF_PATTERN).mean() >= ALL_OVER:
            here = [(_around(np.where(mine, small[..., i], 0.0)) + usual[number, i]) / (count + 1.0) for i in range(3)]
            everywhere.append(np.asarray(cv2.resize(np.stack(here, axis=-1), (width, height)), np.float32))
    for one, other in combinations_with_replacement(everywhere, 2):
        way = other - one
        share = ((colours - one) * way).sum(axis=2) / np.maximum((way * way).sum(axis=2), np.float32(1e-6))
        apart = np.minimum(apart, np.linalg.norm(colours - one - np.clip(share, 0.0, 1.0)[..., None] * way, axis=2))
    return apart


def _around(values: Array | NDArray[np.bool_]) -> Floats:
    """Sums of what lies no farther than BARE_MM from each pixel of a small map, across and up."""
    width = 2 * int(BARE_MM * PX_PER_MM * LIGHT_SCALE) + 1
    sums = cv2.boxFilter(
        values.astype(np.float32), cv2.CV_32F, (width, width), normalize=False, borderType=cv2.BORDER_CONSTANT
    )
    return np.asarray(sums)


def _filled(table: TableMap, outlines: Sequence[Array]) -> NDArray[np.uint8]:
    mask = np.zeros((table.height, table.width), np.uint8)
    for outline in outlines:
        cv2.fillPoly(mask, [np.round(table.to_map(outline) * 16).astype(np.int32)], 255, shift=4)
    return mask


def _grown(outline: Array, margin_mm: float) -> Array:
    middle = outline.mean(axis=0)
    return np.asarray(middle + (outline - middle) * (1.0 + margin_mm / np.abs(outline - middle).max()))


def _clear(views: Sequence[Standing], kinds: frozenset[PieceKind]) -> tuple[list[Outlined], list[Outlined]]:
    """What is clearly a piece, and what may be one, of each kind in the size that the edges of its pieces agree on. The
    kind that most agree on comes first: what may as well be one of it, or a part of one, says nothing of another's
    size."""
    fitted = {
        kind: [one for seen in views for one in _of_any_size(seen, kind)]
        for kind in sorted(kinds & SIZES_MM.keys(), key=lambda kind: kind.value)
    }
    found, faint = list[Outlined](), list[Outlined]()
    while fitted:
        agreed = {kind: _agreed(some) for kind, some in fitted.items()}
        kind = max(agreed, key=lambda kind: agreed[kind][1])
        shape, _ = agreed[kind]
        if shape is None:
            break
        some = fitted.pop(kind)
        framed = _with_frame(views, shape, some)
        mine: list[Outlined] = []
        for seen in views:
            of_shape = in_shape_of(seen, shape, some, framed=kind is not PieceKind.SLICE)
            if framed is not None:
                whole = [one for one in in_shape_of(seen, framed, some, framed=True) if one.edged > LEAST_EDGED]
                within = [one for one in of_shape if not any(map(one.overlaps, whole))]
                of_shape = whole + [one.in_shape(framed) for one in within]
            plain = [one for one in of_shape if one.clear >= PIECE]
            mine += [one for one in plain if not any(map(one.overlaps, mine))] if mine else plain
            faint += [one for one in of_shape if DOUBTFUL <= one.clear < PIECE]
        found += mine
        for other, some in fitted.items():
            fitted[other] = [
                one for one in some if not any(one.overlaps(it) and it.clear > AS_CLEAR * one.clear for it in found)
            ]
    return found, faint


def _of_any_size(seen: Standing, kind: PieceKind) -> list[Outlined]:
    """What stands out in any of a kind's sizes, each fitted to the edges around it by itself."""
    sizes, fitted = SIZES_MM[kind], []
    low, high = 0.9 * sizes[0][0], 1.1 * sizes[-1][0]
    for first in range(0, len(sizes), SIZES_ALIKE):
        some = [
            one
            for size in sizes[first : first + SIZES_ALIKE]
            for one in peaks(seen, shape_of(kind, size), SIZING_PX_PER_MM, FEW)
        ]
        different: list[Outlined] = []
        for one in sorted(some, key=lambda one: -one.contrast):
            if len(different) < FEW and not any(map(one.lies_like, different)):
                different.append(one)
        for one in filter(seen.looks_at, different):
            fitted.append(
                beside_shadow(seen, fit(seen, one, edge_points(one.shape), SIZING_REACH_MM, grows=True), grows=True)
            )
            if kind is not PieceKind.SLICE and LEAST_TRIED < fitted[-1].edged <= LEAST_EDGED:
                fitted[-1] = framed_or(fitted[-1], fit_to_end(seen, one, SIZING_REACH_MM, grows=True))
    return [one for one in fitted if low < one.shape.size_mm[0] < high and one.edged > LEAST_EDGED]


def _agreed(fitted: Sequence[Outlined]) -> tuple[Shape | None, float]:
    """The shape in the size that most agree on, and by how much; None where none is clear. Those with clear edges come
    before others, and large ones before small ones: a frame may look like the table, what it frames like a piece."""
    best: Shape | None = None
    most = 0.0
    for one in fitted:
        size = np.array(one.shape.size_mm)
        alike = [other for other in fitted if np.abs(np.array(other.shape.size_mm) / size - 1.0).max() < SAME_SIZE]
        votes = one.shape.area_mm2 * sum(other.edged - LEAST_EDGED for other in lying_apart(alike))
        if votes > most:
            width, height = np.median([other.shape.size_mm for other in alike], axis=0)
            best, most = shape_of(one.shape.kind, (float(width), float(height))), votes
    return best, most


def _with_frame(views: Sequence[Standing], shape: Shape, fitted: Sequence[Outlined]) -> Shape | None:
    """The whole card of which this shape seems to be what a frame encloses, as wide on all sides; None where it is
    none. Frames of the table's colour are told by other cards whose frames show, or by where they end."""
    if shape.kind is PieceKind.SLICE:
        return None
    inner = np.array(shape.size_mm)
    mine = [one for one in fitted if np.abs(np.array(one.shape.size_mm) / inner - 1.0).max() < SAME_SIZE]
    others = [one for one in fitted if not any(map(one.overlaps, mine))]
    wider = [np.array(one.shape.size_mm) - inner for one in others]
    framed = [
        one
        for one, more in zip(others, wider, strict=True)
        if FRAME_MM[0] < more.mean() < FRAME_MM[1] and np.ptp(more) < EVEN_FRAME_MM
    ]
    whole, _ = _agreed(framed)
    if whole is not None and len(lying_apart(framed)) >= LEAST_FRAMED:
        return whole
    endings = [found for seen in views if mine and (found := _ending_around(seen, shape, lying_apart(mine)))]
    return (whole or max(endings, key=lambda found: found[1])[0]) if endings else None


def _ending_around(seen: Standing, shape: Shape, mine: Sequence[Outlined]) -> tuple[Shape, float] | None:
    """The shape in which those of `mine` end if they are what a frame encloses, and how much more of it is an edge than
    of what lies between the two, 0 to 1; None where they seem to be none."""
    wider = [shape_of(shape.kind, (shape.size_mm[0] + more, shape.size_mm[1] + more)) for more in FRAMES_MM]
    edged = np.mean([[edged_share(seen, edge_points(it), one.in_shape(it).pose) for it in wider] for one in mine], 0)
    rise = edged - np.minimum.accumulate(edged)
    as_clear = edged[rise.argmax()] >= AS_CLEAR * edged[0]
    if rise.max() < (CLEAR_FRAME_RISE if as_clear else FRAME_RISE):
        return None
    # A shadow beside the card makes it seem larger.
    return wider[int((rise >= AS_EDGED * rise.max()).argmax())], float(rise.max())
