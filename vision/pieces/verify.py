"""Does a face lie at a pose: lattice cells compared one by one, so that a part that is covered counts neither way."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.rectify import TableMap
from vision.pieces.faces import KindFaces
from vision.pieces.features import LOG_FLOOR, Colours, sample_colours
from vision.shapes import place
from vision.short_axes import row_medians

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

FLAT_NOISE = 0.045
"""How far an even surface's colour (logarithm) strays from its enrolled one."""
PLACE_NOISE_MM = 0.5
"""How far details stray from where they were enrolled: pose, blur, bleed."""
AGREES_BELOW = 6.0
"""A cell agrees when the mean square of its misses (in noises) over itself and its neighbours is below this."""
COST_LIMIT = 12.0
"""A cell costs no face more than this."""
CONTRAST_CHANGE = (-0.35, 0.5)
"""How much flatter or harder than enrolled a face may look; flatter still would be any even surface."""
TURN_SCALE_MM = 50.0
ALL_TRUSTED: Floats = np.ones((3, 1), np.float32)
"""How far each channel of colours is believed that no camera brightened."""
TRUSTED_RATIO = 1.3
"""How much more than another a channel may be brightened and still be believed as much."""
SATURATED = 248.0
"""Levels (of 255) from which on a camera may have cut off what is brighter."""
LITTLE = 0.03
"""Where no more than this share of a piece is cut off, it is read as it is seen."""
UNTOLD = 0.4
"""What a channel of a cell costs a face (in squared noises) that only says that it may be so bright."""
LEAST_TOLD = np.float32(0.25)
"""A piece of which less is not cut off explains no more than one of which this is not."""
LARGEST_STEP_MM = 1.5
STILL_MM = 0.02
"""Where no pose would move or turn (at its rim) by more, all lie where they fit best."""
MOST_RAISED = np.float32(-40.0)
"""Levels of a veil where there is less than none of it: contrast is raised there."""
AT_ONCE = 48
"""So many poses are compared at once; more do not stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A kind's faces on some lattice points, with what comparing needs worked out once. Channels come before cells."""

    points: Array
    """cells x 2, own frame."""
    enrolled: Floats
    """faces x 3 x cells."""
    slopes: Floats
    """faces x 2 x 3 x cells."""
    precision: Floats
    """faces x cells: one over the squared noise."""
    light: Floats
    """cells x 3: 1, x, y scaled to about 1, for light that changes across a piece."""
    squares: Floats
    """cells x 6: the products of `light`'s columns."""
    unit: Floats
    """faces x (3 * cells): centred, of length 1, for a first ranking."""
    neighbours: Indices | None
    """cells x 9, or None on a sparse grid."""


class OverCells(Protocol):
    """Light that falls on pieces otherwise on each cell, or lies over them, as it is worked out of what is seen."""

    def taken_off(self, colours: Colours) -> Colours:
        """Colours (n x 3 x cells, or those from which on they are cut off) as they would be without it."""


@dataclass(frozen=True, slots=True)
class Veiled:
    """Light that lies over pieces, as that of a lamp that they mirror, and is taken off."""

    levels: Floats
    """n x cells, of white paper's 255."""
    shares: Floats
    """n: of their own contrast that is left."""


def veiled(veils: Floats | None, grid: Grid) -> Veiled | None:
    """What veils (n x 4: the level in the middle, by how much it grows along x and y as `Grid.light` has them, and the
    logarithm of the share of contrast that is left) are on a grid; None where there are none."""
    if veils is None or not veils.any():
        return None
    return Veiled(np.maximum(veils[:, :3] @ grid.light.T, MOST_RAISED), np.exp(veils[:, 3]))


class Seen(Protocol):
    """What faces are compared with."""

    @property
    def trust(self) -> Floats:
        """3 x 1: how far each channel can be believed."""

    def colours(self, points_mm: Array, behind: Veiled | None = None) -> Colours:
        """Colours at points: n x m x 2 gives n x 3 x m, what lies over them taken off."""

    def brightest(self, behind: Veiled | None = None) -> Floats:
        """Colours from which on it is only said that they are at least so bright: 3 x 1, behind veils n x 3 x m."""


@dataclass(frozen=True)
class Look:
    """A picture of the table made ready for comparing. What follows from its light is worked out once."""

    soft: Image
    table: TableMap
    gain: Floats

    def colours(self, points_mm: Array, behind: Veiled | None = None) -> Colours:
        """Colours at table points: n x m x 2 gives n x 3 x m, what lies over them taken off."""
        seen = sample_colours(self.soft, self.table, self.gain, points_mm)
        if behind is not None:
            seen = _less(np.exp(seen), behind)
        return np.ascontiguousarray(np.swapaxes(seen, -1, -2))

    def brightest(self, behind: Veiled | None = None) -> Floats:
        """Colours from which on it is only said that they are at least so bright: 3 x 1, behind veils n x 3 x m."""
        return self._brightest if behind is None else _less(self._most, behind).swapaxes(-1, -2)

    @cached_property
    def _most(self) -> Floats:
        return np.asarray(SATURATED * self.gain + np.float32(LOG_FLOOR), np.float32)

    @cached_property
    def _brightest(self) -> Floats:
        return np.asarray(np.log(self._most)[:, None])

    @cached_property
    def trust(self) -> Floats:
        """3 x 1: how far each channel can be believed; one brightened more than the others is noisy and cut off."""
        trust = np.clip(float(self.gain.min()) * TRUSTED_RATIO / self.gain, 0.3, 1.0)
        return np.asarray(trust / np.sqrt((trust**2).mean()), np.float32)[:, None]


def _less(lifted: Floats, behind: Veiled) -> Floats:
    """Logarithms of levels (n x m x 3, the floor of logarithms added) behind veils."""
    floor = np.float32(LOG_FLOOR)
    own = (lifted - floor - behind.levels[..., None]) / behind.shares[:, None, None]
    return np.asarray(np.log(np.maximum(own, np.float32(0.0)) + floor), np.float32)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How some faces fit at some poses. n poses, k faces each."""

    costs: Floats
    """n x k x cells: squared misses in noises, per channel on average, at most COST_LIMIT."""
    agrees: Flags
    """n x cells: where the face that fits best is seen."""
    best: Indices
    """n: which of the k fits best."""
    gain: Floats
    """n x cells: how much better the best face explains a cell than an even surface does, as a share of what is not cut
    off; 0 where too little agrees to ask."""


def rank_faces(colours: Colours, grid: Grid, free: Flags | None = None) -> Floats:
    """Correlation of each pose's colours (n x 3 x cells) with each face, over the free cells (n x cells) if given: n x
    faces."""
    return np.asarray(
        unit_length(colours if free is None else _with_middle_colour(colours, ~free)) @ grid.unit.T, np.float32
    )


def judge(
    colours: Colours,
    candidates: Indices,
    grid: Grid,
    trust: Floats,
    *,
    free: Flags | None = None,
    even_there: bool = False,
    brightest: Floats | None = None,
    least_agreeing: float = 0.0,
) -> Verdict:
    """Compare each pose's colours (n x 3 x cells) with its candidate faces (n x k), light taken out.

    `trust` (3 x 1) weighs the channels; what is as bright as the `brightest` may be brighter. Where only some
    cells are free of other pieces (n x cells), the face that fits best is the one that does so there, and with
    `even_there` an even surface is one that is even there. Poses of which less than `least_agreeing` agrees are of no
    use, and how much better than an even surface they fit is not worked out.
    """
    n, k = candidates.shape
    rows = np.arange(n)
    cut_off = None if brightest is None else _cut_off(colours, brightest)
    colours = colours * trust
    enrolled, precision = grid.enrolled[candidates] * trust, grid.precision[candidates]
    plain = colours[:, None] - enrolled
    for_each = None if cut_off is None else np.repeat(cut_off, k, axis=0)
    misses = _misses(plain.reshape(n * k, *colours.shape[1:]), enrolled, precision, grid, for_each).reshape(n, k, -1)
    costs = np.minimum(misses, np.float32(COST_LIMIT))
    best = (costs if free is None else np.where(free[:, None], costs, np.float32(0.0))).mean(-1).argmin(1)
    own = costs[rows, best]
    agrees = own[:, grid.neighbours].mean(-1) < AGREES_BELOW if grid.neighbours is not None else own < AGREES_BELOW
    asked = np.flatnonzero(agrees.mean(1) >= least_agreeing)
    gain = np.zeros_like(own)
    if not len(asked):
        return Verdict(costs, agrees, best, gain)
    colours, cut_off = colours[asked], None if cut_off is None else cut_off[asked]
    surface = _with_middle_colour(colours, ~free[asked]) if free is not None and even_there else colours
    even = _misses(surface, None, precision[asked, best[asked]], grid, cut_off)
    more = np.minimum(even, np.float32(COST_LIMIT)) - own[asked]
    if cut_off is not None:  # it says as little of a face as of an even surface
        more = more / np.maximum(1.0 - cut_off.mean((1, 2), dtype=np.float32), LEAST_TOLD)[:, None]
    if free is not None and even_there:
        more = np.where(free[asked], more, np.float32(0.0))  # what covers it says nothing of it
    gain[asked] = more
    return Verdict(costs, agrees, best, gain)


def shape_misfit(
    look: Look, poses: Array, chosen: Indices, grid: Grid, centre: Array, own_moves: Array
) -> tuple[Array, Array]:
    """Normal equations of how far pieces are bent, whatever their poses: for `moves` ways to bend them.

    `own_moves` (n x ways x cells x 2) says how each way moves each cell of the grid in the piece's own frame.
    """
    trust, precision = look.trust, grid.precision[chosen]
    enrolled, slopes = grid.enrolled[chosen] * trust, grid.slopes[chosen] * trust
    ways = [
        slopes[:, 0] * own_moves[:, i, :, 0][:, None] + slopes[:, 1] * own_moves[:, i, :, 1][:, None]
        for i in range(own_moves.shape[1])
    ]
    rigid = _pose_gradient(slopes, grid, centre)
    gradient = np.concatenate([rigid, np.stack(ways, axis=1).reshape(len(poses), len(ways), -1)], axis=1)
    colours = look.colours(place(grid.points, poses))
    cut_off = _cut_off(colours, look.brightest())
    residual = _light_removed(colours * trust - enrolled, enrolled, precision, grid, None, cut_off)
    weight = precision / np.square(1.0 + precision * _mean_squares(residual))
    weighted = gradient * np.tile(weight, 3)[:, None]
    normal = (weighted @ np.swapaxes(gradient, 1, 2)).astype(np.float64)
    right = (weighted @ residual.reshape(len(poses), -1, 1)).astype(np.float64)
    across = np.linalg.solve(normal[:, :3, :3] + np.eye(3), normal[:, :3, 3:])
    left = np.swapaxes(across, 1, 2)
    return (normal[:, 3:, 3:] - left @ normal[:, :3, 3:]).sum(0), (right[:, 3:] - left @ right[:, :3]).sum(0)[:, 0]


def refine(
    look: Seen,
    poses: Array,
    chosen: Indices,
    grid: Grid,
    centre: Array,
    *,
    rounds: int = 2,
    free: Flags | None = None,
    veils: Floats | None = None,
    light: OverCells | None = None,
) -> Array:
    """Poses (n x 3) moved to where their faces (n) fit best, on the free cells (n x cells) if given, behind `veils` (n
    x 4, see `veiled`), or with the light over each cell taken off."""
    trust, precision = look.trust, grid.precision[chosen]
    enrolled, slopes = grid.enrolled[chosen] * trust, grid.slopes[chosen] * trust
    if free is not None:
        precision = np.where(free, precision, np.float32(1e-3))
    first, before, behind = poses, np.full(len(poses), np.inf), veiled(veils, grid)
    gradient = _pose_gradient(slopes, grid, centre)
    residual = None
    for turn in range(rounds + 1):
        colours, brightest = look.colours(place(grid.points, poses), behind), look.brightest(behind)
        if light is not None:
            colours, brightest = light.taken_off(colours), light.taken_off(brightest)
        cut_off = _cut_off(colours, brightest)
        residual = _light_removed(colours * trust - enrolled, enrolled, precision, grid, residual, cut_off)
        misses = precision * _mean_squares(residual)
        cost = np.minimum(misses, np.float32(COST_LIMIT)).mean(1)
        if turn == 0:
            before = cost
        if turn == rounds:
            break
        weight = np.tile(precision / np.square(1.0 + misses / np.float32(2.0)), 3)
        if cut_off is not None:
            weight = np.where(_untold(residual, cut_off).reshape(weight.shape), np.float32(0.0), weight)
        weighted = gradient * weight[:, None]
        normal = weighted @ np.swapaxes(gradient, 1, 2) + _POSE_PRIOR
        step = np.linalg.solve(normal, weighted @ residual.reshape(len(poses), -1, 1))[..., 0]
        step = np.clip(step, -LARGEST_STEP_MM, LARGEST_STEP_MM)
        if np.abs(step).max(initial=0.0) < STILL_MM:
            break
        poses = _moved(poses, -step[:, :2], -np.degrees(step[:, 2] / TURN_SCALE_MM), centre)
    return np.where((cost <= before)[:, None], poses, first)


_POSE_PRIOR = np.eye(3, dtype=np.float32) * np.float32(20.0)


def _pose_gradient(slopes: Floats, grid: Grid, centre: Array) -> Floats:
    """Change of the colours with x, y and turn (in TURN_SCALE_MM at the rim): n x 3 x (channels * cells)."""
    arm = ((grid.points - centre) / TURN_SCALE_MM).astype(np.float32)
    turning = slopes[:, 1] * arm[:, 0] - slopes[:, 0] * arm[:, 1]
    return np.stack([slopes[:, 0], slopes[:, 1], turning], axis=1).reshape(len(slopes), 3, -1)


def grid_of(faces: KindFaces, cells: Indices, neighbours: Indices | None) -> Grid:
    """Faces on these cells of their lattice, ready for comparing."""
    points = faces.shape.lattice[cells]
    enrolled = np.ascontiguousarray(np.swapaxes(faces.colours[:, cells], 1, 2))
    slopes = np.ascontiguousarray(np.swapaxes(faces.slopes[:, :, cells], 2, 3))
    blur = (slopes**2).sum(1).mean(1) * np.float32(PLACE_NOISE_MM**2 / 2)
    scaled = (points - points.mean(0)) / 40.0
    light = np.column_stack([np.ones(len(scaled)), scaled]).astype(np.float32)
    squares = np.stack([light[:, i] * light[:, j] for i, j in _PAIRS], axis=1)
    precision = (1.0 / (FLAT_NOISE**2 + blur)).astype(np.float32)
    return Grid(points, enrolled, slopes, precision, light, squares, unit_length(enrolled), neighbours)


_PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
SQUARE_OF = np.array([0, 1, 2, 1, 3, 4, 2, 4, 5])
"""Which of `Grid.squares` each value of a symmetric 3 x 3 matrix is."""
_LIGHT_PRIOR = np.diag(np.array([1.0, 150.0, 150.0], np.float32))
_LEAST_CONTRAST, _MOST_CONTRAST = map(np.float32, CONTRAST_CHANGE)


def unit_length(colours: Colours) -> Floats:
    """Colours (n x 3 x cells) about their mean, of length 1: n x (3 * cells)."""
    centred = colours - colours.mean(axis=-1, keepdims=True)
    flat = np.clip(centred, -1.2, 1.2).reshape(len(colours), -1)
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6), np.float32)


def _with_middle_colour(colours: Colours, where: Flags) -> Colours:
    """Colours with these cells made like the middle one of the others."""
    count = np.count_nonzero(~where, axis=1)
    ordered = np.sort(np.where(where[:, None], np.float32(np.inf), colours), axis=-1)
    rows = np.arange(len(colours))
    low, high = (ordered[rows, :, np.maximum(at, 0)] for at in ((count - 1) // 2, count // 2))
    middle = np.where(count[:, None] > 0, (low + high) / 2, np.float32(0.0))
    return np.where(where[:, None], middle[..., None], colours)


def _cut_off(colours: Colours, brightest: Floats) -> Flags | None:
    """Where colours (n x 3 x cells) may be brighter than the camera shows; None where that is little of each."""
    cut_off = colours >= brightest
    return cut_off if cut_off.any() and (cut_off.mean((1, 2)) > LITTLE).any() else None


def even_costs(grid: Grid) -> Floats:
    """faces x cells: what an even surface costs where each is seen just as it was enrolled."""
    return np.minimum(_misses(grid.enrolled, None, grid.precision, grid), np.float32(COST_LIMIT))


def _misses(
    plain: Colours, enrolled: Colours | None, precision: Floats, grid: Grid, cut_off: Flags | None = None
) -> Floats:
    cells = plain.shape[-1]
    precision = precision.reshape(-1, cells)
    faces = None if enrolled is None else enrolled.reshape(-1, 3, cells)
    residual = _light_removed(plain, faces, precision, grid, None, cut_off)
    misses = _mean_squares(residual) * precision
    if cut_off is not None:
        misses = misses + np.float32(UNTOLD) * _untold(residual, cut_off).mean(1)
    return np.asarray(misses, np.float32)


def _light_removed(
    plain: Colours,
    enrolled: Colours | None,
    precision: Floats,
    grid: Grid,
    near: Colours | None = None,
    cut_off: Flags | None = None,
) -> Colours:
    """What is left of colours (less the face's own) after the light that fits most cells best is taken away.

    The light is a contrast, an offset and a slope for each channel, kept near none by a prior; without a face there is
    no contrast. `near` is what was left a little elsewhere: from there one round is enough. What is `cut_off` (n x 3 x
    cells) is as bright as face and light make it, where they make it brighter than it is seen.
    """
    if len(plain) > AT_ONCE:
        return np.concatenate(
            [
                _light_removed(
                    plain[part], None if enrolled is None else enrolled[part], precision[part], grid,
                    None if near is None else near[part], None if cut_off is None else cut_off[part],
                )
                for part in (slice(i, i + AT_ONCE) for i in range(0, len(plain), AT_ONCE))
            ]
        )  # fmt: skip
    sample = max(plain.shape[-1] // 50, 1)
    plain = plain - row_medians(plain[..., ::sample])[..., None]
    face = None if enrolled is None else enrolled - enrolled.mean(axis=-1, keepdims=True)
    residual = plain if near is None else near
    shown = plain
    for _ in range(3 if near is None else 1):
        weight = precision / np.square(1.0 + precision * _mean_squares(residual) / np.float32(4.0))
        light = _light(shown, face, weight, grid)
        residual = plain - light
        if cut_off is not None:
            brighter = cut_off & (residual < 0.0)
            residual = np.where(brighter, np.float32(0.0), residual)
            shown = np.where(brighter, light, plain)
    return residual


def _untold(residual: Colours, cut_off: Flags) -> Flags:
    """Where a channel of what `_light_removed` left says only that it may be so bright."""
    return np.asarray(cut_off & (residual == 0.0))


def _light(plain: Colours, face: Colours | None, weight: Floats, grid: Grid) -> Colours:
    """Weighted least squares for contrast, offset and slopes, all poses and channels at once."""
    count, channels, cells = plain.shape
    right = ((plain * weight[:, None]).reshape(-1, cells) @ grid.light).reshape(count, channels, 3)
    squares = weight @ grid.squares
    inverse = np.linalg.inv(squares[:, SQUARE_OF].reshape(count, 1, 3, 3) + _LIGHT_PRIOR)
    if face is None:
        return np.asarray((inverse @ right[..., None])[..., 0] @ grid.light.T, np.float32)
    faced = face * weight[:, None]
    mixed = (faced.reshape(-1, cells) @ grid.light).reshape(count, channels, 3)
    share = (inverse @ mixed[..., None])[..., 0]
    own = np.einsum("nkc,nkc->nk", faced, face) + np.float32(400.0) - (mixed * share).sum(-1)
    with_face = np.einsum("nkc,nkc->nk", faced, plain)
    contrast = (with_face - (share * right).sum(-1)) / own
    contrast = np.minimum(np.maximum(contrast, _LEAST_CONTRAST), _MOST_CONTRAST)[..., None]
    flat = (inverse @ (right - contrast * mixed)[..., None])[..., 0]
    light = (flat.reshape(-1, 3) @ grid.light.T).reshape(plain.shape)
    light += contrast * face
    return np.asarray(light, np.float32)


def _mean_squares(residual: Colours) -> Floats:
    """Of the channels, for each cell: n x cells."""
    return np.asarray(np.einsum("nkc,nkc->nc", residual, residual) / np.float32(residual.shape[1]), np.float32)


def _moved(poses: Array, shift: Array, turn_deg: Array, centre: Array) -> Array:
    """Poses after a motion given in each piece's own frame about its centre."""
    old_centres = place(centre[None], poses)[:, 0]
    angles = np.radians(poses[:, 2])
    cosine, sine = np.cos(angles), np.sin(angles)
    moved = old_centres + np.column_stack(
        [cosine * shift[:, 0] - sine * shift[:, 1], sine * shift[:, 0] + cosine * shift[:, 1]]
    )
    turned = np.column_stack([np.zeros_like(moved), poses[:, 2] + turn_deg])
    return np.column_stack([moved - place(centre[None], turned)[:, 0], turned[:, 2]])
