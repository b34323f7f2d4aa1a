"""Pieces laid out apart whose faces nobody knows yet: where they lie, for enrolling an owner's copy.

What differs from the bare mat or table around it is what may be a piece. Outlines of the kinds that are expected are
moved over that in every direction and size; where the inside differs and a seam around it does not, a piece lies. Then
all outlines of one kind are fitted to the edges together, so that they share one size.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.faces import MAT_HALF_MM, true_pose
from vision.frame import Image
from vision.rectify import PX_PER_MM, TableMap, table_map
from vision.registration import MARKERS_MM, Registration
from vision.scene import PieceKind
from vision.shapes import Shape, card_shape, place, slice_shape

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

BARE_MM = 200.0
"""The bare table's colour at a place is the middle one of so wide a square around it."""
LIGHT_SCALE = 0.25
COLOUR_CELL = 12.0
LIGHTNESS = 0.6
"""How much a difference in lightness counts against one in colour: shadows are no pieces."""
LEAST_SPREAD = 2.0
PATTERNED, ANOTHER = 15.0, 10.0
"""Where the middle pixel beyond the mat differs so much from what lies around, cloth is patterned: plain wood and cloth
have 4 to 11, chequered cloth 31. Where all but three tenths differ so much from the empty table, it is another one."""
FULL = 6.0
"""What differs so many times more than the table does in itself differs wholly."""
SHARP = 30.0
"""Beyond this an edge becomes no clearer."""
SIZING_PX_PER_MM = 0.25
SEARCH_PX_PER_MM = 0.5
"""Enough to tell sizes apart, and to find pieces of a known size."""
SEAM_MM = 7.0
TURN_DEG = 10.0
MARKER_MARGIN_MM = 3.0
SHARE = 0.55
"""A piece stands out at least so much against the others."""
CLEAR = 0.7
"""What stands out so much against the best one of its kind is one of it."""
LEAST = 0.3
MOST = 40
"""Nobody lays more pieces of one kind into one picture."""
OVERLAP = 0.2
"""Two pieces that lie apart share less than this of the smaller one's outline."""
EDGE_STEP_MM = 2.0
CORNER_MM = 5.0
EDGE_REACH_MM = (5.0, 3.0, 2.0, 1.5, 1.5, 1.0, 1.0)
"""How far from an outline its edge is looked for, round by round."""
PROFILE_MM = 0.25
CARD_MM = 0.5

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
    """Where it lies, on the table; a card may lie with its top where this says its foot is."""
    seen_pose: Array
    """Where it seems to lie at z = 0."""
    contrast: float
    """How clearly it stands out from the table, 0 to 1."""

    def outline_px(self, registration: Registration) -> Array:
        """Its outline in the picture, n x 2 pixels."""
        return registration.to_picture(place(self.shape.outline, self.seen_pose))

    def as_label(self, registration: Registration) -> dict[str, Any]:
        """What a label file says of it, with the face left to be named."""
        x, y, angle = (round(float(value), 3) for value in self.pose)
        kind = "tile" if self.shape.kind is PieceKind.SLICE else self.shape.kind.value
        outline = [[round(float(u), 2), round(float(v), 2)] for u, v in self.outline_px(registration)]
        return {
            "kind": kind, "face": "", "face_up": True, "x_mm": x, "y_mm": y, "angle_deg": angle, "outline_px": outline
        }  # fmt: skip


def find_laid_out(
    image: Image, registration: Registration, kinds: frozenset[PieceKind], *, empty: Image | None = None
) -> list[LaidOut]:
    """The pieces of these kinds that lie apart from each other, from left to right and from top to bottom.

    `empty` is a picture by the same camera of the same table with nothing on it; without it the bare table's colours
    are guessed from what lies around, which a patterned cloth defeats. Kinds that SIZES_MM lacks are passed over.
    """
    table = table_map(registration)
    bare = None if empty is None else table.look(empty)
    apart = strangeness(table.look(image), table, registration, bare)
    strange, edges = np.minimum(apart / FULL, 1.0), np.minimum(apart / SHARP, 1.0)
    found = [
        one
        for one in _apart(_clear_and_faint(strange, table, kinds))
        if table.shows(place(one.shape.outline, one.pose)).all()
    ]
    pieces: list[LaidOut] = []
    for kind in {one.shape.kind for one in found}:
        pieces += _fitted(edges, table, registration, [one for one in found if one.shape.kind is kind])
    return sorted(pieces, key=lambda piece: (round(-piece.pose[1] / 60.0), piece.pose[0]))


def doubt_of_table(image: Image, registration: Registration, empty: Image | None = None) -> str:
    """Why pieces may be missed in a picture: a sentence, or "".

    Without `empty`, where the table beyond the mat is not of one colour; with it, where hardly anything looks as there.
    """
    table = table_map(registration)
    looked = table.look(image)
    bare = None if empty is None else table.look(empty)
    parts = _differences(looked, table, bare)
    if bare is not None and any(np.quantile(apart, 0.3) > ANOTHER for _, apart in parts):
        return "hardly anything looks as in the picture of the empty table; expected one by the same camera, from the \
same place, in the same light"
    if bare is None and len(parts) == 2 and float(np.median(parts[1][1])) > PATTERNED:
        return "the table around the mat is patterned: pieces there may be missed or outlined wrongly; a picture of \
the empty table from the same place helps"
    return ""


def strangeness(looked: Image, table: TableMap, registration: Registration, bare: Image | None = None) -> Floats:
    """How many times more each pixel of the table's map differs from the bare mat or table around it than most do."""
    strange = np.zeros(looked.shape[:2], np.float32)
    for part, apart in _differences(looked, table, bare):
        strange[part] = apart / max(float(np.median(apart)), LEAST_SPREAD)
    markers = [_grown(MARKERS_MM[i], MARKER_MARGIN_MM) for i in registration.markers_px]
    strange[_filled(table, markers) > 0] = 0.0
    return strange


def _differences(looked: Image, table: TableMap, bare: Image | None) -> list[tuple[NDArray[np.bool_], Array]]:
    """The mat's part of the table's map and the rest, those that show, and how far the colours of their pixels are from
    the bare table's (CIELAB)."""
    colours = cv2.cvtColor(looked, cv2.COLOR_BGR2LAB).astype(np.float32)
    mat = _filled(table, [np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]) * MAT_HALF_MM])
    found = []
    for part, bare_of in (((mat > 0) & (table.seen > 0), _even), ((mat == 0) & (table.seen > 0), _nearby)):
        if part.any():
            own = bare if bare is not None else bare_of(looked, part)
            own_colours = cv2.cvtColor(own, cv2.COLOR_BGR2LAB).astype(np.float32)
            apart = np.sqrt((((colours - own_colours) * [LIGHTNESS, 1.0, 1.0]) ** 2).sum(axis=2))
            found.append((part, apart[part]))
    return found


@dataclass(frozen=True, slots=True)
class _Found:
    shape: Shape
    pose: Array
    contrast: float


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


def _filled(table: TableMap, outlines: Sequence[Array]) -> NDArray[np.uint8]:
    mask = np.zeros((table.height, table.width), np.uint8)
    for outline in outlines:
        cv2.fillPoly(mask, [np.round(table.to_map(outline) * 16).astype(np.int32)], 255, shift=4)
    return mask


def _grown(outline: Array, margin_mm: float) -> Array:
    middle = outline.mean(axis=0)
    return np.asarray(middle + (outline - middle) * (1.0 + margin_mm / np.abs(outline - middle).max()))


def _shape(kind: PieceKind, size: tuple[float, float]) -> Shape:
    return slice_shape(*size) if kind is PieceKind.SLICE else card_shape(kind, *size)


def _clear_and_faint(strange: Floats, table: TableMap, kinds: frozenset[PieceKind]) -> "list[_Found]":
    """What stands out clearly, kind by kind, then what is fainter in the sizes that are known by then.

    The kind that explains the most comes first: what it explains is no evidence for the size of another.
    """
    left, open_kinds = strange.copy(), set(kinds & SIZES_MM.keys())
    clear: list[_Found] = []
    while open_kinds:
        tried = [_of_best_size(left, table, kind) for kind in sorted(open_kinds, key=lambda kind: kind.value)]
        best = max(tried, key=_explained)
        if not best:
            break
        open_kinds.discard(best[0].shape.kind)
        sure = [one for one in best if one.contrast >= CLEAR * max(one.contrast for one in [*clear, best[0]])]
        left[_filled(table, [place(one.shape.outline, one.pose) for one in sure]) > 0] = 0.0
        clear += sure
    shapes = {one.shape.kind: one.shape for one in clear}
    return clear + [one for shape in shapes.values() for one in _peaks(left, table, shape, SEARCH_PX_PER_MM)]


def _of_best_size(strange: Floats, table: TableMap, kind: PieceKind) -> "list[_Found]":
    """What is found of a kind in the size that explains the most."""
    by_size = [_peaks(strange, table, _shape(kind, size), SIZING_PX_PER_MM) for size in SIZES_MM[kind]]
    found = max(by_size, key=_explained)
    return _peaks(strange, table, found[0].shape, SEARCH_PX_PER_MM) if found else []


def _explained(found: Sequence["_Found"]) -> float:
    """How well pieces explain what differs: too small ones leave a part of it, too large ones take in the table."""
    return sum(one.contrast**3 * one.shape.area_mm2 for one in found)


def _peaks(strange: Floats, table: TableMap, shape: Shape, px_per_mm: float) -> list[_Found]:
    """Where this shape stands out, the clearest first."""
    scale = px_per_mm / PX_PER_MM
    size = (round(table.width * scale), round(table.height * scale))
    small = np.asarray(cv2.resize(strange, size, interpolation=cv2.INTER_AREA), np.float32)
    best, turns = _stands_out(small, shape, px_per_mm)
    found: list[_Found] = []
    painted = np.zeros(small.shape, np.uint8)
    while len(found) < MOST:
        _, contrast, _, (column, row) = cv2.minMaxLoc(best)
        if contrast < max(LEAST, SHARE * (found[min(len(found), 3) - 1].contrast if found else 0.0)):
            break
        centre = table.to_table((np.array([column, row]) + 0.5) / scale - 0.5)
        pose = np.array([*(centre - _turned(shape.centre, turns[row, column])), turns[row, column]])
        outline = table.to_map(place(shape.outline, pose)) * scale
        mine = np.zeros(small.shape, np.uint8)
        cv2.fillPoly(mine, [np.round(outline * 16).astype(np.int32)], 255, shift=4)
        best[max(0, row - 2) : row + 3, max(0, column - 2) : column + 3] = -1.0
        if np.count_nonzero(mine & painted) < OVERLAP * np.count_nonzero(mine):
            painted |= mine
            found.append(_Found(shape, pose, float(contrast)))
    return found


def _stands_out(small: Floats, shape: Shape, px_per_mm: float) -> tuple[Floats, Floats]:
    """For each place of the shape's centre: how much the inside differs more than the seam around it, and the turn."""
    best = np.full(small.shape, -1.0, np.float32)
    turns = np.zeros(small.shape, np.float32)
    for turn in np.arange(0.0, 360.0 if shape.kind is PieceKind.SLICE else 180.0, TURN_DEG):
        contrast = cv2.filter2D(
            small, cv2.CV_32F, _kernel(shape, float(turn), px_per_mm), borderType=cv2.BORDER_CONSTANT
        )
        better = contrast > best
        best[better], turns[better] = contrast[better], turn
    return best, turns


def _kernel(shape: Shape, turn_deg: float, px_per_mm: float) -> Floats:
    outline = place(shape.outline - shape.centre, np.array([0.0, 0.0, turn_deg])) * [1.0, -1.0] * px_per_mm
    reach = int(np.ceil(np.abs(outline).max() + SEAM_MM * px_per_mm)) + 1
    inside = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    cv2.fillPoly(inside, [np.round((outline + reach) * 16).astype(np.int32)], 1.0, shift=4)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (int(2 * SEAM_MM * px_per_mm) | 1,) * 2)
    seam = np.asarray(cv2.dilate(inside, disc)) - np.asarray(cv2.dilate(inside, np.ones((3, 3), np.uint8)))
    return np.asarray(inside / inside.sum() - seam / seam.sum(), np.float32)


def _turned(point: Array, turn_deg: float) -> Array:
    return np.asarray(place(point[None], np.array([0.0, 0.0, turn_deg]))[0])


def _apart(found: Sequence[_Found]) -> list[_Found]:
    """Of pieces in one place the one that stands out the most; none that stands out much less than the others."""
    kept: list[_Found] = []
    for one in sorted(found, key=lambda one: -(one.contrast**2) * one.shape.area_mm2):
        outline = place(one.shape.outline, one.pose).astype(np.float32)
        if all(
            cv2.intersectConvexConvex(outline, place(other.shape.outline, other.pose).astype(np.float32))[0]
            < OVERLAP * min(one.shape.area_mm2, other.shape.area_mm2)
            for other in kept
        ):
            kept.append(one)
    usual = float(np.median([one.contrast for one in kept])) if kept else 0.0
    return [one for one in kept if one.contrast >= SHARE * usual]


# Fitting to the edges ---------------------------------------------------------------------------------------------


def _fitted(edges: Floats, table: TableMap, registration: Registration, found: Sequence[_Found]) -> list[LaidOut]:
    """All of one kind with one size, fitted to where the table begins around them."""
    kind = found[0].shape.kind
    size = np.array(found[0].shape.size_mm)
    poses = np.array([one.pose for one in found])
    for reach_mm in EDGE_REACH_MM:
        shape = _shape(kind, (float(size[0]), float(size[1])))
        growth = []
        for i, pose in enumerate(poses):
            step, grown = _step(edges, table, shape, pose, reach_mm)
            poses[i] = pose + step
            growth.append(grown)
        size[: 1 if kind is PieceKind.SLICE else 2] += np.median(growth, axis=0)
        if kind is PieceKind.ORDER_CARD:
            size[:] = size.mean()
    shape = _shape(kind, (float(size[0]), float(size[1])))
    return [
        LaidOut(shape, true_pose(pose, shape, registration), pose.copy(), one.contrast)
        for pose, one in zip(poses, found, strict=True)
    ]


def _step(edges: Floats, table: TableMap, shape: Shape, pose: Array, reach_mm: float) -> tuple[Array, Array]:
    """How far an outline must move and turn, and its size grow, to lie on the edges near it."""
    points, normals, grows = _edge_points(shape)
    there = place(points, pose)
    out = place(normals, np.array([0.0, 0.0, pose[2]]))
    steps = np.arange(-reach_mm - 1.5, reach_mm + 1.5 + PROFILE_MM / 2, PROFILE_MM)
    along = table.to_map(there[:, None] + steps[None, :, None] * out[:, None]).astype(np.float32)
    profile = cv2.remap(edges, along[..., 0], along[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    half = round(1.5 / PROFILE_MM)
    sums = np.cumsum(np.pad(profile, ((0, 0), (1, 0))), axis=1)
    inner = (sums[:, half:-1] - sums[:, : -half - 1])[:, :-half]
    outer = (sums[:, half:] - sums[:, :-half])[:, half:]
    count = min(inner.shape[1], outer.shape[1])
    fall = (inner[:, :count] - outer[:, :count]) / half
    middle = steps[half : half + count]
    chosen = fall.argmax(axis=1)
    offset, strength = middle[chosen], np.maximum(fall[np.arange(len(fall)), chosen], 0.0)
    arm = there - place(shape.centre[None], pose)[0]
    turn = (arm[:, 0] * out[:, 1] - arm[:, 1] * out[:, 0]) * np.pi / 180.0
    matrix = np.column_stack([out, turn, grows])
    solved = _robust(matrix, offset, strength)
    move = np.array([solved[0], solved[1], solved[2]])
    # the turn is about the centre: the pose's own point moves with it
    swung = _turned(-shape.centre, pose[2] + move[2]) - _turned(-shape.centre, pose[2])
    move[:2] += swung
    return move, solved[3:]


def _edge_points(shape: Shape) -> tuple[Array, Array, Array]:
    """Points on the sides of an outline, away from its corners, with their outward normals and what growing does."""
    starts, ends = shape.outline, np.roll(shape.outline, -1, axis=0)
    points, normals = [], []
    for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
        length = float(np.linalg.norm(end - start))
        curved = shape.kind is PieceKind.SLICE and 0 < i < len(starts) - 1
        margin = 0.0 if curved else CORNER_MM
        for at in np.arange(margin + EDGE_STEP_MM / 2, length - margin, EDGE_STEP_MM):
            points.append(start + (end - start) * (at / length))
            normals.append(np.array([end[1] - start[1], start[0] - end[0]]) / length)
    own, out = np.array(points), np.array(normals)
    if shape.kind is PieceKind.SLICE:
        radius = np.linalg.norm(own, axis=1) > 0.96 * shape.size_mm[0]
        return own, out, radius.astype(np.float64)[:, None]
    return own, out, np.abs(out[:, ::-1]) / 2.0


def _robust(matrix: Array, offset: Array, strength: Array) -> Array:
    """Least squares in which what lies far off counts less and less."""
    solved: Array = np.zeros(matrix.shape[1])
    for _ in range(4):
        misses = offset - matrix @ solved
        spread = max(float(np.median(np.abs(misses))), 0.15)
        weights = strength / (1.0 + (misses / (1.5 * spread)) ** 2)
        weighted = matrix * weights[:, None]
        solved = np.asarray(np.linalg.solve(weighted.T @ matrix + 1e-3 * np.eye(matrix.shape[1]), weighted.T @ offset))
    return np.asarray(solved)
