"""How a board and what is around it look, and what light that changes slowly over them adds."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit, on_grid
from vision.board.record import BoardPrint
from vision.board.sight import Sight
from vision.mat.markers import MAT_HALF_MM
from vision.shapes import CELL_MM, place
from vision.short_axes import dot, total

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
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
LIGHT_MM, STIFFNESS = 100.0, (2e-9, 2e-3, 2e-3, 6e-3, 6e-3, 6e-3, 1e-3, 1e-3, 1e-3)
"""Light changes little over so much: what holds its terms of first and second degree, and the change of other colours
than the print's usual one, back for each point."""
PRINT_MM, PRINT_SHOWS = 15.0, 0.4
"""Over so much, what is seen changes by more than this share of what the print does (logarithms) where that shows: on
simulated boards by 0.9 in the median, beside cutters and blurred by 0.3 to 0.7, on hands by 0.02."""
PRINT_VARIES = 0.005
"""Where print varies less (squared logarithms), nothing is told."""


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
        slow_terms(own),
        on_grid(board.colours, own),
        np.hypot(own[..., 0], own[..., 1]) - radius,
        from_space > board.topping_mm / 2 + TOPPING_RIM_MM[1] - 1.0,
        from_space > board.topping_mm / 2,
        np.arange(own.shape[0] * own.shape[1]).reshape(own.shape[:2]),
    )


@dataclass(frozen=True, slots=True)
class Look:
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


def look_at(sight: Sight, ground: Ground, fit: BoardFit) -> Look:
    own, printed = ground.own, ground.printed
    table = place(own.reshape(-1, 2), fit.pose).reshape(own.shape)
    at_mm = sight.seen(table, fit.height_mm)
    shown, seen = sight.table.shows(at_mm), sight.seen_colours(at_mm)
    inside = shown & (ground.from_rim_mm < -RIM_MM[0])
    usual = np.median(printed[inside] if inside.any() else printed.reshape(-1, 3), axis=0).astype(np.float32)
    beside = _of_one_ground(table, shown & (ground.from_rim_mm > RIM_MM[1]))
    return Look(at_mm, seen - usual, printed - usual, usual, inside, beside)


def _of_one_ground(table_mm: Array, beside: Flags) -> Flags:
    """Of the points around a board those on the mat or those off it, whichever are more: where the mat ends, what lies
    around looks otherwise without anything lying over it."""
    from_middle = np.abs(table_mm).max(-1)
    on_mat, off_mat = from_middle < MAT_HALF_MM - MAT_EDGE_MM, from_middle > MAT_HALF_MM + MAT_EDGE_MM
    more = np.count_nonzero(beside & on_mat) >= np.count_nonzero(beside & off_mat)
    return np.asarray(beside & (on_mat if more else off_mat))


@dataclass(frozen=True, slots=True)
class Light:
    """Light that changes slowly over the board, of second degree, and pictures show all colours a little otherwise."""

    terms: Array
    """terms x 3."""

    def at(self, slow: Array, expected: Floats) -> Floats:
        """What it adds to colours expected (n x 3) at points of the board with these terms (n x 6)."""
        return np.asarray(_terms(slow, expected) @ self.terms, np.float32)


def slow_terms(own: Array) -> Array:
    """The terms of second degree (... x 6) by which light changes at points of a board's frame (... x 2)."""
    u, v = np.moveaxis(own / LIGHT_MM, -1, 0)
    return np.stack([np.ones_like(u), u, v, u * u, u * v, v * v], axis=-1)


def _terms(slow: Array, expected: Floats) -> Array:
    return np.concatenate([slow, expected], axis=-1)


def light_on(slow: Array, expected: Floats, seen: Floats) -> Light:
    """The light, told by some points' terms (n x 6), what is expected and what is seen there; things may lie over
    some."""
    slow, expected, seen = slow[::EVERY], expected[::EVERY], seen[::EVERY]
    some, colours = _terms(slow, expected), (seen - expected).astype(np.float64)
    # The mat's markers said what is white: tints begin at none, so that the light is not a large hand's.
    terms = np.zeros((some.shape[-1], 3))
    terms[0] = np.median(colours.mean(1))
    stiff = np.diag(STIFFNESS) * len(some)
    for turn in range(ROUNDS):
        shade, tint = shade_and_tint(colours - some @ terms)
        width = max(STRAY_TINT[0] * STRAY_NARROWS**turn, STRAY_TINT[1])
        weight = 1.0 / (1.0 + (tint / width) ** 2) ** 2 / (1.0 + (shade / STRAY_SHADE) ** 2)
        weighted = some * weight[:, None]
        terms = np.linalg.solve(weighted.T @ some + stiff, weighted.T @ colours)
    return Light(terms)


def shade_and_tint(colours: Array | Floats) -> tuple[Array, Array]:
    """How much brighter these differences of colours are, and how far (root mean square) they are otherwise tinted."""
    shade = total(colours) / 3
    tint = colours - shade[..., None]
    return np.asarray(shade, np.float64), np.sqrt(dot(tint, tint) / 3)


def strangeness(left: Floats, tint: float | Floats, bright_dark: tuple[float, float]) -> Floats:
    """How strange what light leaves is; from 1 on it is no light."""
    shade, tinted = shade_and_tint(left)
    bright, dark = bright_dark
    return np.asarray(np.maximum(tinted / tint, np.maximum(shade / bright, -shade / dark)), np.float32)


def shows_print(look: Look, told: Flags) -> Flags:
    """Where what is seen changes from point to point as the print does. Shadows leave that, hands do not show it."""
    width = 2 * int(PRINT_MM / 2 / CELL_MM) + 1
    some = told.astype(np.float32)[..., None]
    share = np.maximum(cv2.blur(some, (width, width)), np.float32(1e-3))[..., None]

    def mean(values: Floats) -> Floats:
        return np.asarray(cv2.blur(values * some, (width, width)) / share, np.float32)

    seen, printed = look.seen - mean(look.seen), look.printed - mean(look.printed)
    varies = total(mean(printed * printed))
    return np.asarray((varies < PRINT_VARIES) | (total(mean(seen * printed)) > PRINT_SHOWS * varies))
