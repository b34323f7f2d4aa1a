"""What lies over a board and is neither a topping nor a cutter: hands, sleeves, cups.

Light changes slowly over a board and has nearly one tint, and the tint of print and toppings is known. What has another
one, or is much brighter or darker, and is wider than a cutter, lies over them. Hands come from outside: what the table
around the board looks like tells of those that only reach for a cutter's end.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit, on_grid
from vision.board.record import RING_STEP_MM, TOPPING_THICK_MM, BoardPrint
from vision.board.sight import Sight, inside_any
from vision.board.toppings import SpaceFit
from vision.mat.markers import MAT_HALF_MM
from vision.scene import EMPTY
from vision.shapes import CELL_MM, place, to_own_frame
from vision.short_axes import dot, total

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Mask = NDArray[np.uint8]
Indices = NDArray[np.intp]

AROUND_MM = 27.5
"""So far beyond its rim a board is looked at: as far as cutters reach."""
MAT_EDGE_MM = 6.0
"""So near the mat's edge what is around is neither mat nor table."""
RIM_MM = (3.0, 8.0)
"""So far inside and outside its rim a board's edge and shadow say nothing,"""
TOPPING_RIM_MM = (1.0, 3.0)
"""and those of a topping."""
ROUNDS = 12
EVERY = 5
"""Every so many-th point is enough to know the light."""
STRAY_TINT = (0.06, 0.02)
"""Tints (logarithm) that stray from the light's by more say little of it: at first, and in the end."""
STRAY_NARROWS = 0.7
STRAY_SHADE = 0.15
STRANGE_TINT, STRANGE_BESIDE, STRANGE_TOPPING = 0.045, 0.06, 0.1
"""A tint (logarithm, root mean square of the channels) is strange that is so far from print under the light, from the
table beside the board, and from a topping; the first grows with how rich a picture shows colours;"""
TINTED_SHARE = 0.35
"""colours of toppings show more or less saturated, by such a share of what they differ from print;"""
SPREADS = 3.0
"""on a patterned table it has to stray so many times farther than most of it does."""
STRANGE_BRIGHT, STRANGE_DARK, STRANGE_SHADE = 0.5, 0.8, 0.6
"""And brightness (logarithm) so far above, or, because of shadows, below the light; and so far off on a topping."""
SUSPECT = 0.7
"""What is so strange, where 1 is strange, belongs to what is strange beside it."""
GROWS_MM = 7.5
WIDER_MM = (12.5, 17.5)
"""What is narrower is a cutter, and beside the board one that crosses a line printed there."""
LEAST_MM2 = 400.0
LEAST_INSIDE_MM2 = 600.0
"""The same, between spaces, where it does not reach the board's rim, from where hands come: some spaces were never seen
bare, and three cutters may cross at one place."""
LEAST_POINTS = 50
LIGHT_MM, STIFFNESS = 100.0, (2e-9, 2e-3, 2e-3, 6e-3, 6e-3, 6e-3, 1e-3, 1e-3, 1e-3)
"""Light changes little over so much: what holds its terms of first and second degree, and the change of other colours
than the print's usual one, back for each point."""
RIM_CELLS_MM = 6.0
"""A part that comes so near the rim reaches it."""
STRANGEST, LEAST_SHARE = 3.0, 0.05


@dataclass(frozen=True, slots=True)
class Ground:
    """A board and what is around it, on a grid in its own frame: points CELL_MM apart, its middle in the middle,
    rows from far to near. Worked out once for each board."""

    own: Array
    """n x n x 2."""
    slow: Array
    """n x n x 6: the terms by which light changes."""
    printed: Floats
    """n x n x 3: the print's colours (logarithms)."""
    from_rim_mm: Array
    """How far outside the board each point lies."""
    bare: Flags
    """Which points lie where no topping can,"""
    between: Flags
    """and which off all spaces."""
    number: Indices
    """n x n: the points counted, row by row."""

    def around(self, at_mm: Array, reach_mm: float) -> tuple[slice, slice]:
        """The rows and columns so near to a point of the board's frame."""
        half = self.own.shape[0] // 2
        middles = (half - at_mm[1] / CELL_MM, half + at_mm[0] / CELL_MM)
        reach = reach_mm / CELL_MM
        rows, columns = (slice(max(int(at - reach), 0), max(int(at + reach) + 2, 0)) for at in middles)
        return rows, columns


def ground_of(board: BoardPrint) -> Ground:
    """What looking for what lies over a board needs of it."""
    radius = board.diameter_mm / 2
    reach = int((radius + AROUND_MM) / CELL_MM)
    steps = np.arange(-reach, reach + 1) * CELL_MM
    own = np.stack(np.meshgrid(steps, steps[::-1]), axis=-1)
    from_space = np.min([np.hypot(own[..., 0] - x, own[..., 1] - y) for x, y in board.spaces_mm], axis=0)
    return Ground(
        own,
        _slow(own),
        on_grid(board.colours, own),
        np.hypot(own[..., 0], own[..., 1]) - radius,
        from_space > board.topping_mm / 2 + TOPPING_RIM_MM[1] - 1.0,
        from_space > board.topping_mm / 2,
        np.arange(own.shape[0] * own.shape[1]).reshape(own.shape[:2]),
    )


def find_covering(
    sight: Sight,
    board: BoardPrint,
    fit: BoardFit,
    spaces: Sequence[SpaceFit],
    sticks: Sequence[Array] = (),
    ground: Ground | None = None,
) -> Mask:
    """255 where something lies over a board, on which toppings lie as read and sticks inside these outlines (where they
    seem to lie at z = 0), or over the table close around it.

    Of points of the board's own frame, as of its `ground`: what `ground_of` gives, worked out before.
    """
    ground = ground or ground_of(board)
    look = _look(sight, ground, fit)
    strange, known = np.zeros(look.inside.shape, np.float32), look.inside | look.beside
    if np.count_nonzero(look.inside) < LEAST_POINTS:
        return np.zeros(known.shape, np.uint8)
    told = look.inside & ground.bare
    if len(sticks):
        known &= ~inside_any(look.at_mm, sticks)
    light = _light_on(ground.slow[told], look.printed[told], look.seen[told])
    left = look.seen[look.inside] - look.printed[look.inside]
    left -= light.at(ground.slow[look.inside], look.printed[look.inside])
    strange[look.inside] = _strangeness(left, STRANGE_TINT * board.richer, (STRANGE_BRIGHT, STRANGE_DARK))
    if np.count_nonzero(look.beside) >= LEAST_POINTS:
        strange[look.beside] = _strange_beside(ground, look)
    topped = _spare_toppings(strange, known, _Tops.of(sight, board, fit, spaces), ground, look, light)
    wider = _close_to(ground, fit, [space.at_mm for space in spaces if space.wider])
    return _parts(_spread(strange, known), ground.from_rim_mm, ~topped, ground.between & ~topped, wider)


def parts_in(covering: Mask, other: Mask) -> Mask:
    """The parts of what lies over a board of which something lies there by another account, too."""
    _, labels = cv2.connectedComponents(covering, connectivity=8)
    both = np.unique(labels[(other > 0) & (labels > 0)])
    return np.where(np.isin(labels, both), covering, np.uint8(0))


def covering_outlines(sight: Sight, fit: BoardFit) -> list[Array]:
    """The outlines (n x 2 each, where they seem to lie at z = 0) of what lies over a board."""
    if fit.covering is None:
        return []
    contours, _ = cv2.findContours(fit.covering, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    half = fit.covering.shape[0] // 2
    own = [(contour.reshape(-1, 2) - half) * np.array([CELL_MM, -CELL_MM]) for contour in contours if len(contour) > 2]
    return [sight.seen(place(outline, fit.pose), fit.height_mm) for outline in own]


@dataclass(frozen=True, slots=True)
class _Look:
    """How a board and what is around it look, at the points of its ground."""

    at_mm: Array
    """n x n x 2: where they seem to lie at z = 0."""
    seen: Floats
    """n x n x 3 logarithms of colours,"""
    printed: Floats
    """and those of the print;"""
    usual: Floats
    """all less what the print mostly is."""
    inside: Flags
    """Which points lie on the board,"""
    beside: Flags
    """and which on the table."""


def _look(sight: Sight, ground: Ground, fit: BoardFit) -> _Look:
    own, printed = ground.own, ground.printed
    table = place(own.reshape(-1, 2), fit.pose).reshape(own.shape)
    at_mm = sight.seen(table, fit.height_mm)
    shown, seen = sight.table.shows(at_mm), sight.seen_colours(at_mm)
    inside = shown & (ground.from_rim_mm < -RIM_MM[0])
    usual = np.median(printed[inside] if inside.any() else printed.reshape(-1, 3), axis=0).astype(np.float32)
    beside = _of_one_ground(table, shown & (ground.from_rim_mm > RIM_MM[1]))
    return _Look(at_mm, seen - usual, printed - usual, usual, inside, beside)


def _of_one_ground(table_mm: Array, beside: Flags) -> Flags:
    """Of the points around a board those on the mat or those off it, whichever are more: where the mat ends, what lies
    around looks otherwise without anything lying over it."""
    from_middle = np.abs(table_mm).max(-1)
    on_mat, off_mat = from_middle < MAT_HALF_MM - MAT_EDGE_MM, from_middle > MAT_HALF_MM + MAT_EDGE_MM
    more = np.count_nonzero(beside & on_mat) >= np.count_nonzero(beside & off_mat)
    return np.asarray(beside & (on_mat if more else off_mat))


@dataclass(frozen=True, slots=True)
class _Light:
    """Light that changes slowly over the board, of second degree, and pictures show all colours a little otherwise."""

    terms: Array
    """terms x 3."""

    def at(self, slow: Array, expected: Floats) -> Floats:
        """What it adds to colours expected (n x 3) at points of the board with these terms (n x 6)."""
        return np.asarray(_terms(slow, expected) @ self.terms, np.float32)


def _slow(own: Array) -> Array:
    u, v = np.moveaxis(own / LIGHT_MM, -1, 0)
    return np.stack([np.ones_like(u), u, v, u * u, u * v, v * v], axis=-1)


def _terms(slow: Array, expected: Floats) -> Array:
    return np.concatenate([slow, expected], axis=-1)


def _light_on(slow: Array, expected: Floats, seen: Floats) -> _Light:
    """The light, told by some points' terms (n x 6), what is expected and what is seen there; things may lie over
    some."""
    slow, expected, seen = slow[::EVERY], expected[::EVERY], seen[::EVERY]
    some, colours = _terms(slow, expected), (seen - expected).astype(np.float64)
    # The mat's markers said what is white: tints begin at none, so that the light is not a large hand's.
    terms = np.zeros((some.shape[-1], 3))
    terms[0] = np.median(colours.mean(1))
    stiff = np.diag(STIFFNESS) * len(some)
    for turn in range(ROUNDS):
        shade, tint = _shade_and_tint(colours - some @ terms)
        width = max(STRAY_TINT[0] * STRAY_NARROWS**turn, STRAY_TINT[1])
        weight = 1.0 / (1.0 + (tint / width) ** 2) ** 2 / (1.0 + (shade / STRAY_SHADE) ** 2)
        weighted = some * weight[:, None]
        terms = np.linalg.solve(weighted.T @ some + stiff, weighted.T @ colours)
    return _Light(terms)


def _shade_and_tint(colours: Array | Floats) -> tuple[Array, Array]:
    """How much brighter these differences of colours are, and how far (root mean square) they are otherwise tinted."""
    shade = total(colours) / 3
    tint = colours - shade[..., None]
    return np.asarray(shade, np.float64), np.sqrt(dot(tint, tint) / 3)


def _strangeness(left: Floats, tint: float | Floats, bright_dark: tuple[float, float]) -> Floats:
    """How strange what light leaves is; from 1 on it is no light."""
    shade, tinted = _shade_and_tint(left)
    bright, dark = bright_dark
    return np.asarray(np.maximum(tinted / tint, np.maximum(shade / bright, -shade / dark)), np.float32)


def _strange_beside(ground: Ground, look: _Look) -> Floats:
    """How strange the table beside a board is, at each point of it."""
    seen, slow = look.seen[look.beside], ground.slow[look.beside]
    plain = seen - np.median(seen, axis=0).astype(np.float32)
    nothing = np.zeros_like(plain)
    left = plain - _light_on(slow, nothing, plain).at(slow, nothing)
    usual = float(np.median(_shade_and_tint(left)[1]))
    return _strangeness(left, max(STRANGE_BESIDE, SPREADS * usual), (STRANGE_BRIGHT, STRANGE_DARK))


@dataclass(frozen=True, slots=True)
class _Tops:
    """The toppings that were read, as they are seen."""

    at: Array
    """n x 2: where on the plane of the board's face (own frame) the middle of each is seen."""
    looks: Floats
    """n x rings x 3 logarithms, from its middle outwards."""
    radius_mm: float

    @staticmethod
    def of(sight: Sight, board: BoardPrint, fit: BoardFit, spaces: Sequence[SpaceFit]) -> "_Tops":
        """Those on spaces of a board."""
        some = [space for space in spaces if space.likely not in (None, EMPTY)]
        colours = board.toppings.colours[[board.toppings.names.index(str(space.likely)) for space in some]]
        middles = np.array([space.at_mm for space in some]).reshape(-1, 2)
        seen = sight.registration.on_table(sight.seen(middles, fit.height_mm + TOPPING_THICK_MM), fit.height_mm)
        return _Tops(to_own_frame(seen, fit.pose), np.asarray(colours, np.float32), board.topping_mm / 2)


def _spare_toppings(strange: Floats, known: Flags, tops: _Tops, ground: Ground, look: _Look, light: _Light) -> Flags:
    """Where toppings were read what looks like them is not strange, and their rims say nothing. Which points lie on or
    close around one."""
    topped = np.zeros(known.shape, bool)
    points: list[Indices] = []
    looks: list[Floats] = []
    tints: list[Floats] = []
    for at, rings in zip(tops.at, tops.looks - look.usual, strict=True):
        part = ground.around(at, tops.radius_mm + TOPPING_RIM_MM[1])
        own = ground.own[part]
        away = np.hypot(own[..., 0] - at[0], own[..., 1] - at[1])
        near = away < tops.radius_mm + TOPPING_RIM_MM[1]
        topped[part] |= near
        known[part] &= ~(near & (away >= tops.radius_mm - TOPPING_RIM_MM[0]))
        on = (away < tops.radius_mm - TOPPING_RIM_MM[0]) & look.inside[part]
        points.append(ground.number[part][on])
        looks.append(rings[np.minimum((away[on] / RING_STEP_MM).astype(int), len(rings) - 1)])
        # Toppings are no print: what pictures do to its colours need not be done to theirs.
        usual = float(np.median(_shade_and_tint(looks[-1])[1])) if on.any() else 0.0
        tints.append(np.full(len(points[-1]), max(STRANGE_TOPPING, TINTED_SHARE * usual), np.float32))
    if not points:
        return topped
    where, expected, tint = np.concatenate(points), np.concatenate(looks), np.concatenate(tints)
    seen, slow = look.seen.reshape(-1, 3)[where], ground.slow.reshape(-1, ground.slow.shape[-1])[where]
    for like_print in (expected, np.zeros_like(expected)):
        left = seen - expected - light.at(slow, like_print)
        np.minimum.at(strange.reshape(-1), where, _strangeness(left, tint, (STRANGE_SHADE, STRANGE_SHADE)))
    return topped


def _close_to(ground: Ground, fit: BoardFit, middles_mm: Sequence[Array]) -> Flags:
    """The points closest around these places on the table."""
    near = np.zeros(ground.number.shape, bool)
    for at in to_own_frame(np.array(middles_mm).reshape(-1, 2), fit.pose):
        part = ground.around(at, GROWS_MM)
        near[part] |= np.hypot(*(ground.own[part] - at).transpose(2, 0, 1)) < GROWS_MM
    return near


def _spread(strange: Floats, known: Flags) -> Floats:
    """Strangeness, over what says nothing that of what is around."""
    weight = known.astype(np.float32)
    share = cv2.blur(weight, (3, 3))
    mean = cv2.blur(np.minimum(strange, STRANGEST) * weight, (3, 3)) / np.maximum(share, LEAST_SHARE)
    return np.asarray(np.where(share > LEAST_SHARE, mean, 0.0), np.float32)


def _parts(strange: Floats, from_rim_mm: Array, off_toppings: Flags, off_spaces: Flags, wider: Flags) -> Mask:
    """What is strange and large beside toppings, or `wider` than one, with what is nearly so beside it."""
    some = (strange > 1.0).astype(np.uint8)
    on_board, off_board = (cv2.morphologyEx(some, cv2.MORPH_OPEN, _disc(width)) for width in WIDER_MM)
    wide = np.where(from_rim_mm < 0.0, on_board, off_board).astype(np.uint8)
    count, labels = cv2.connectedComponents(wide, connectivity=8)
    areas, between = (np.bincount(labels[where], minlength=count) * CELL_MM**2 for where in (off_toppings, off_spaces))
    reaching = set(np.unique(labels[from_rim_mm > -RIM_CELLS_MM]).tolist())
    told = set(np.unique(labels[wider]).tolist())
    large = [
        i
        for i in range(1, count)
        if i in told or (areas[i] >= LEAST_MM2 if i in reaching else between[i] >= LEAST_INSIDE_MM2)
    ]
    grown = np.isin(labels, large).astype(np.uint8)
    suspect = (strange > SUSPECT).astype(np.uint8) | grown
    for _ in range(2):
        grown = np.asarray(cv2.dilate(grown, _disc(GROWS_MM)), np.uint8) & suspect
    return np.asarray(cv2.morphologyEx(grown * 255, cv2.MORPH_CLOSE, _disc(GROWS_MM)), np.uint8)


def _disc(width_mm: float) -> Mask:
    cells = 2 * int(width_mm / 2 / CELL_MM) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (cells, cells)), np.uint8)
