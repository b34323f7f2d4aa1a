"""Outlines of known shapes moved over a map of the table until they lie on the edges of what stands out there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.mat.rectify import PX_PER_MM, TableMap
from vision.scene import PieceKind
from vision.shapes import FULL_TURN_DEG, Shape, card_shape, place, polygon_area, slice_shape

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

MOST = 40
"""Nobody lays more pieces of one kind into one picture."""
SEARCH_PX_PER_MM = 0.5
"""Enough to find pieces of a known size."""
SEAM_MM = 7.0
TURN_DEG = 10.0
LEAST = 0.15
"""What stands out less is not looked at: whether it is a piece, its edges say."""
PLAINLY = 4.0
"""What differs so many times more than most of the table does is plainly another thing."""
BESIDE_MM = np.array([-2.0, -1.5, -1.0, 1.0, 1.5, 2.0])
"""How far from an outline it is looked whether the table begins there."""
SAME_PLACE_MM = 12.0
OVERLAP = 0.2
"""Two pieces that lie apart share less than this of the smaller one's outline."""
EDGE_STEP_MM = 2.0
CORNER_MM = 5.0
EDGE_REACH_MM = (8.0, 5.0, 3.0, 2.0, 1.5, 1.0)
"""How far from an outline its edge is looked for, round by round."""
PROFILE_MM = 0.25
LEAST_TRIED = 0.3
"""What has an edge along less of its outline is not tried beside a shadow, or with a frame: it is no piece."""
SHADOW_REACH_MM = (6.0, 4.0, 2.5, 1.5, 1.0)
"""A shadow lies no farther beside a piece."""
FRAMED_EDGED = 0.05
"""A frame ends in an edge that is clearer by so much than where it begins: of Specials on chequered cloth by 0.2."""
WITHIN_MM, END_REACH_MM = 1.5, (2.0, 1.5, 1.0)
"""How much a piece differs from the table where it ends is told so far within its outline, and then where it ends is
looked for so far beside it."""


def overlap(outline: Array, other: Array) -> bool:
    """Whether two outlines (n x 2, convex) do not lie apart."""
    shared, _ = cv2.intersectConvexConvex(outline.astype(np.float32), other.astype(np.float32))
    return shared > 0.0 and bool(shared >= OVERLAP * min(abs(polygon_area(outline)), abs(polygon_area(other))))


@dataclass(frozen=True)
class Standing:
    """A table's map, and what stands out from it."""

    table: TableMap
    apart: Floats
    """How many times more each of its pixels differs from the bare table than most do."""
    strange: Floats
    """0 where the table is bare, 1 where it is surely not."""
    edges: Floats
    """As much of `apart` as makes an edge clearer, 0 to 1."""
    unshaded: "Standing | None" = None
    """The same, but for shadows; None where none are told."""
    beyond_mm: float = 0.0
    """What lies wholly so near the middle of both axes is not looked at: another view of the table shows the same."""

    def looks_at(self, one: "Outlined") -> bool:
        """Whether it does not lie where another view shows the same."""
        return bool(np.abs(one.outline).max() > self.beyond_mm)


@dataclass(frozen=True)
class Outlined:
    """What may be a piece."""

    shape: Shape
    pose: Array
    contrast: float = 0.0
    """How much more it differs from the table than the seam around it does, 0 to 1."""
    edged: float = 0.0
    """How much of its outline is an edge beyond which the bare table begins, 0 to 1."""

    @property
    def clear(self) -> float:
        """How clearly it is a piece, 0 to 1."""
        return self.contrast * self.edged

    def in_shape(self, shape: Shape) -> "Outlined":
        """The same place with another outline around its middle."""
        return replace(
            self, shape=shape, pose=np.array([*(self.centre - turned(shape.centre, self.pose[2])), self.pose[2]])
        )

    @cached_property
    def outline(self) -> Array:
        """On the table as it is seen."""
        return place(self.shape.outline, self.pose)

    @cached_property
    def centre(self) -> Array:
        """On the table as it is seen."""
        return np.asarray(place(self.shape.centre[None], self.pose)[0])

    def lies_like(self, other: "Outlined") -> bool:
        """Whether another of its kind lies in the same place, turned as much."""
        turn = FULL_TURN_DEG[self.shape.kind]
        off = abs((self.pose[2] - other.pose[2] + turn / 2) % turn - turn / 2)
        return bool(off < 1.5 * TURN_DEG and np.hypot(*(self.centre - other.centre)) < SAME_PLACE_MM)

    def overlaps(self, other: "Outlined") -> bool:
        """Whether they do not lie apart."""
        return overlap(self.outline, other.outline)


def shape_of(kind: PieceKind, size: tuple[float, float]) -> Shape:
    return slice_shape(*size) if kind is PieceKind.SLICE else card_shape(kind, *size)


def in_shape_of(
    seen: Standing, shape: Shape, of_any_size: Sequence[Outlined] = (), *, framed: bool = False
) -> list[Outlined]:
    """All that stands out, however little, in a shape whose size is known, and what was found in any size, fitted to
    the edges near it or to those farther off, whichever fit better; where it may be `framed`, also to where the bare
    table begins."""
    found = []
    sides = edge_points(shape)
    for one in filter(seen.looks_at, [*peaks(seen, shape, SEARCH_PX_PER_MM, MOST), *lying_apart(of_any_size)]):
        start = Outlined(shape, one.pose, one.contrast)
        fits = [fit(seen, start, sides, reach_mm) for reach_mm in (EDGE_REACH_MM, EDGE_REACH_MM[2:])]
        found.append(beside_shadow(seen, max(fits, key=lambda one: one.clear)))
        if framed and found[-1].edged > LEAST_TRIED:
            found[-1] = framed_or(found[-1], fit_to_end(seen, start, EDGE_REACH_MM))
    return found


def peaks(seen: Standing, shape: Shape, px_per_mm: float, most: int) -> list[Outlined]:
    """Where this shape stands out, the clearest first."""
    table, scale = seen.table, px_per_mm / PX_PER_MM
    size = (round(table.width * scale), round(table.height * scale))
    small = np.asarray(cv2.resize(seen.strange, size, interpolation=cv2.INTER_AREA), np.float32)
    best, turns = _stands_out(small, shape, px_per_mm)
    found: list[Outlined] = []
    painted = np.zeros(small.shape, np.uint8)
    covers: dict[float, NDArray[np.uint8]] = {}
    while len(found) < most:
        _, contrast, _, (column, row) = cv2.minMaxLoc(best)
        if contrast < LEAST:
            break
        turn = float(turns[row, column])
        if turn not in covers:
            covers[turn] = _covered(shape, turn, px_per_mm)
        best[max(0, row - 2) : row + 3, max(0, column - 2) : column + 3] = -1.0
        reach = len(covers[turn]) // 2
        top, left = max(0, row - reach), max(0, column - reach)
        there = painted[top : row + reach + 1, left : column + reach + 1]
        first_row, first_column = top - row + reach, left - column + reach
        mine = covers[turn][first_row : first_row + there.shape[0], first_column : first_column + there.shape[1]]
        if cv2.countNonZero(mine & there) < OVERLAP * cv2.countNonZero(mine):
            there |= mine
            centre = table.to_table((np.array([column, row]) + 0.5) / scale - 0.5)
            pose = np.array([*(centre - turned(shape.centre, turn)), turn])
            found.append(Outlined(shape, pose, float(contrast)))
    return found


def _covered(shape: Shape, turn_deg: float, px_per_mm: float) -> NDArray[np.uint8]:
    """What a shape covers in a small map, 255, its centre in the middle pixel's place."""
    outline = place(shape.outline - shape.centre, np.array([0.0, 0.0, turn_deg])) * [1.0, -1.0] * px_per_mm
    outline += 0.5 - 0.5 * px_per_mm / PX_PER_MM  # as the small map's pixels lie in the large one's
    reach = int(np.ceil(np.abs(outline).max())) + 1
    mask = np.zeros((2 * reach + 1, 2 * reach + 1), np.uint8)
    cv2.fillPoly(mask, [np.round((outline + reach) * 16).astype(np.int32)], 255, shift=4)
    return mask


def _stands_out(small: Floats, shape: Shape, px_per_mm: float) -> tuple[Floats, Floats]:
    """For each place of the shape's centre: how much the inside differs more than the seam around it, and the turn."""
    best = np.full(small.shape, -1.0, np.float32)
    turns = np.zeros(small.shape, np.float32)
    for turn in np.arange(0.0, 360.0 if shape.kind is PieceKind.SLICE else 180.0, TURN_DEG):
        kernel = _kernel(shape, float(turn), px_per_mm)
        reach = len(kernel) // 2
        # Correlation as filter2D has it, which takes three times as long.
        beyond = cv2.copyMakeBorder(small, reach, reach, reach, reach, cv2.BORDER_CONSTANT)
        contrast = np.asarray(cv2.matchTemplate(beyond, kernel, cv2.TM_CCORR), np.float32)
        np.copyto(turns, np.float32(turn), where=contrast > best)
        np.maximum(best, contrast, out=best)
    return best, turns


def _kernel(shape: Shape, turn_deg: float, px_per_mm: float) -> Floats:
    outline = place(shape.outline - shape.centre, np.array([0.0, 0.0, turn_deg])) * [1.0, -1.0] * px_per_mm
    reach = int(np.ceil(np.abs(outline).max() + SEAM_MM * px_per_mm)) + 1
    inside = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    cv2.fillPoly(inside, [np.round((outline + reach) * 16).astype(np.int32)], 1.0, shift=4)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (int(2 * SEAM_MM * px_per_mm) | 1,) * 2)
    seam = np.asarray(cv2.dilate(inside, disc)) - np.asarray(cv2.dilate(inside, np.ones((3, 3), np.uint8)))
    return np.asarray(inside / inside.sum() - seam / seam.sum(), np.float32)


def turned(point: Array, turn_deg: float) -> Array:
    return np.asarray(place(point[None], np.array([0.0, 0.0, turn_deg]))[0])


def lying_apart(found: Sequence[Outlined]) -> list[Outlined]:
    """Of what lies in one place the clearest."""
    kept: list[Outlined] = []
    for one in sorted(found, key=lambda one: -one.clear):
        if not any(map(one.overlaps, kept)):
            kept.append(one)
    return kept


# Fitting to the edges ---------------------------------------------------------------------------------------------


Sides = tuple[Array, Array, Array]
"""What `edge_points` gives."""


def fit_to_end(seen: Standing, one: Outlined, reach_mm: Sequence[float], *, grows: bool = False) -> Outlined:
    """`fit`, to where the bare table begins: a frame, or a crust, may differ from the table so much less than what it
    encloses that its inner edge is the clearer one."""
    near = fit(seen, one, edge_points(one.shape), reach_mm, grows=grows, edges=seen.strange)
    sides = edge_points(near.shape)
    points, normals, _ = sides
    inside = place(points - normals * WITHIN_MM, near.pose)
    level = max(_middle(_sampled(seen.apart, seen.table.to_map(inside)).ravel()), PLAINLY)
    edges = np.minimum(seen.apart / np.float32(level), np.float32(1.0))
    return fit(seen, near, sides, END_REACH_MM, grows=grows, edges=edges)


def beside_shadow(seen: Standing, one: Outlined, *, grows: bool = False) -> Outlined:
    """An outline, moved off its piece's shadow if it lies on that one's edge: a pale piece may stand out less from the
    table than the shadow beside it."""
    if seen.unshaded is None or one.edged <= LEAST_TRIED:
        return one
    moved = fit(seen.unshaded, one, edge_points(one.shape), SHADOW_REACH_MM, grows=grows)
    sides = edge_points(moved.shape), moved.pose
    shaded = edged_share(seen, *sides)
    here = one.edged + edged_share(seen.unshaded, edge_points(one.shape), one.pose)
    if moved.edged <= one.edged and moved.edged + shaded <= here:
        return one
    # As it is told how large pieces are it counts how clear the edges are without the shadow, but not as it is told
    # whether anything is a piece: without shadows light on the table has edges, too.
    return replace(moved, edged=max(moved.edged, shaded) if grows else min(one.edged, shaded))


def framed_or(plain: Outlined, framed: Outlined) -> Outlined:
    """Of one place outlined along its clearest edges, and to where the bare table begins, what it seems to be: with a
    shadow a piece seems to end a little farther out, too."""
    return framed if framed.edged > plain.edged + FRAMED_EDGED else plain


def fit(
    seen: Standing,
    one: Outlined,
    sides: Sides,
    reach_mm: Sequence[float],
    *,
    grows: bool = False,
    edges: Floats | None = None,
) -> Outlined:
    """An outline, with its sides, moved, turned and, if it `grows`, made larger or smaller until it lies on the edges
    near it: those of `seen`, or of another map."""
    edges = seen.edges if edges is None else edges
    shape, pose, size = one.shape, one.pose, np.array(one.shape.size_mm)
    for reach in reach_mm:
        step, growth = _step(edges, seen.table, shape, sides, pose, reach)
        pose = pose + step
        if grows:
            size[: len(growth)] += np.clip(growth, -reach, reach)
            if shape.kind is PieceKind.ORDER_CARD:
                size[:] = size.mean()
            shape = shape_of(shape.kind, (float(size[0]), float(size[1])))
            sides = edge_points(shape)
    return Outlined(shape, pose, one.contrast, edged_share(seen, sides, pose))


def edged_share(seen: Standing, sides: Sides, pose: Array) -> float:
    """How much of an outline is an edge beyond which the bare table begins, 0 to 1."""
    points, normals, _ = sides
    out = place(normals, np.array([0.0, 0.0, pose[2]]))
    beside = _across(seen.apart, seen.table, place(points, pose), out, BESIDE_MM)
    within, beyond = beside[:, BESIDE_MM < 0].mean(axis=1), beside[:, BESIDE_MM > 0].mean(axis=1)
    return float(np.clip((within - beyond) / np.maximum(within, PLAINLY), 0.0, 1.0).mean())


def _sampled(values: Floats, at: Array | Floats) -> Floats:
    x, y = (np.ascontiguousarray(at[..., i], np.float32) for i in (0, 1))
    return np.asarray(cv2.remap(values, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _across(values: Floats, table: TableMap, points: Array, ways: Array, steps_mm: Array) -> Floats:
    """A map's values at table points (n x 2) and so many millimetres from them along their ways: n x steps."""
    start, step = table.to_map(points).astype(np.float32), (ways * [PX_PER_MM, -PX_PER_MM]).astype(np.float32)
    x, y = (start[:, i, None] + step[:, i, None] * steps_mm.astype(np.float32) for i in (0, 1))
    return np.asarray(cv2.remap(values, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _step(
    edges: Floats, table: TableMap, shape: Shape, sides: Sides, pose: Array, reach_mm: float
) -> tuple[Array, Array]:
    """How far an outline must move and turn, and its size grow, to lie on the edges near it."""
    points, normals, grows = sides
    there = place(points, pose)
    out = place(normals, np.array([0.0, 0.0, pose[2]]))
    steps = np.arange(-reach_mm - 1.5, reach_mm + 1.5 + PROFILE_MM / 2, PROFILE_MM)
    profile = _across(edges, table, there, out, steps)
    half = round(1.5 / PROFILE_MM)
    sums = np.zeros((len(profile), profile.shape[1] + 1), np.float32)
    np.cumsum(profile, axis=1, out=sums[:, 1:])
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
    swung = turned(-shape.centre, pose[2] + move[2]) - turned(-shape.centre, pose[2])
    move[:2] += swung
    return move, solved[3:]


def edge_points(shape: Shape) -> Sides:
    """Points on the sides of an outline, away from its corners, with their outward normals and what growing does."""
    ways = np.concatenate([shape.outline[1:], shape.outline[:1]]) - shape.outline
    lengths = np.hypot(ways[:, 0], ways[:, 1])
    ways /= lengths[:, None]
    margins = np.full(len(ways), CORNER_MM)
    if shape.kind is PieceKind.SLICE:
        margins[1:-1] = 0.0
    counts = np.maximum(np.ceil((lengths - 2.0 * margins) / EDGE_STEP_MM - 0.5), 0.0).astype(np.intp)
    side = np.repeat(np.arange(len(ways)), counts)
    place_on_side = np.arange(len(side)) - np.repeat(counts.cumsum() - counts, counts)
    at = margins[side] + (place_on_side + 0.5) * EDGE_STEP_MM
    own = shape.outline[side] + ways[side] * at[:, None]
    out = np.column_stack([ways[side, 1], -ways[side, 0]])
    if shape.kind is PieceKind.SLICE:
        on_crust = np.hypot(own[:, 0], own[:, 1]) > 0.96 * shape.size_mm[0]
        return own, out, on_crust.astype(np.float64)[:, None]
    return own, out, np.abs(out[:, ::-1]) / 2.0


def _robust(matrix: Array, offset: Array, strength: Array) -> Array:
    """Least squares in which what lies far off counts less and less."""
    solved: Array = np.zeros(matrix.shape[1])
    least = 1e-3 * np.eye(matrix.shape[1])
    for _ in range(4):
        misses = offset - matrix @ solved
        spread = max(_middle(np.abs(misses)), 0.15)
        weighted = matrix.T * (strength / (1.0 + np.square(misses / (1.5 * spread))))
        solved = np.asarray(np.linalg.solve(weighted @ matrix + least, weighted @ offset))
    return np.asarray(solved)


def _middle(values: Array | Floats) -> float:
    """Their median: numpy's own takes longer to begin than to work on so few."""
    half = len(values) // 2
    parted = np.partition(values, (half - 1, half))
    return float(parted[half] if len(values) % 2 else (parted[half - 1] + parted[half]) / 2.0)
