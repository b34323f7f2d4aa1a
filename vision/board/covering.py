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
from vision.registration import MAT_HALF_MM
from vision.scene import EMPTY
from vision.shapes import CELL_MM, place, to_own_frame
from vision.short_axes import dot, total

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Mask = NDArray[np.uint8]

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
table beside the board, and from a topping;"""
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


def find_covering(
    sight: Sight, board: BoardPrint, fit: BoardFit, spaces: Sequence[SpaceFit], sticks: Sequence[Array] = ()
) -> Mask:
    """255 where something lies over a board, on which toppings lie as read and sticks inside these outlines (where they
    seem to lie at z = 0), or over the table close around it.

    Of points of the board's own frame, CELL_MM apart, the board's middle in the middle, rows from far to near.
    """
    look = _look(sight, board, fit)
    strange, known = np.zeros(look.inside.shape, np.float32), look.inside | look.beside
    if np.count_nonzero(look.inside) < LEAST_POINTS:
        return np.zeros(known.shape, np.uint8)
    told = look.inside & look.bare
    known &= ~inside_any(look.at_mm, sticks)
    light = _light_on(look.own[told], look.printed[told], look.seen[told])
    left = look.seen - look.printed - light.at(look.own, look.printed)
    strange[look.inside] = _strangeness(left, STRANGE_TINT, (STRANGE_BRIGHT, STRANGE_DARK))[look.inside]
    if np.count_nonzero(look.beside) >= LEAST_POINTS:
        strange[look.beside] = _strange_beside(look)[look.beside]
    topped = np.zeros(known.shape, bool)
    for space in spaces:
        if space.likely not in (None, EMPTY):
            looks = board.toppings.colours[board.toppings.names.index(str(space.likely))] - look.usual
            at, radius = _on_face(space.at_mm, sight, fit), board.topping_mm / 2
            part = look.around(at, radius + TOPPING_RIM_MM[1])
            away = np.hypot(look.own[part][..., 0] - at[0], look.own[part][..., 1] - at[1])
            _spare_topping(strange[part], known[part], look.part(part), light, looks, away, radius)
            topped[part] |= away < radius + TOPPING_RIM_MM[1]
    from_rim = np.hypot(*np.moveaxis(look.own, -1, 0)) - board.diameter_mm / 2
    return _parts(_spread(strange, known), from_rim, ~topped, look.between & ~topped)


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
    """A board and what is around it, on a grid in its own frame."""

    own: Array
    """n x n x 2,"""
    at_mm: Array
    """and where they seem to lie at z = 0."""
    seen: Floats
    """n x n x 3 logarithms of colours,"""
    printed: Floats
    """and those of the print;"""
    usual: Floats
    """all less what the print mostly is."""
    inside: Flags
    """Which points lie on the board,"""
    bare: Flags
    """which of those where no topping can lie,"""
    between: Flags
    """which off all spaces,"""
    beside: Flags
    """and which on the table."""

    def around(self, at_mm: Array, reach_mm: float) -> tuple[slice, slice]:
        """The rows and columns so near to a point of the board's frame."""
        half = self.own.shape[0] // 2
        middles = (half - at_mm[1] / CELL_MM, half + at_mm[0] / CELL_MM)
        reach = reach_mm / CELL_MM
        rows, columns = (slice(max(int(at - reach), 0), max(int(at + reach) + 2, 0)) for at in middles)
        return rows, columns

    def part(self, part: tuple[slice, slice]) -> "_Look":
        """Some rows and columns of it."""
        return _Look(
            self.own[part],
            self.at_mm[part],
            self.seen[part],
            self.printed[part],
            self.usual,
            self.inside[part],
            self.bare[part],
            self.between[part],
            self.beside[part],
        )


def _look(sight: Sight, board: BoardPrint, fit: BoardFit) -> _Look:
    radius = board.diameter_mm / 2
    reach = int((radius + AROUND_MM) / CELL_MM)
    steps = np.arange(-reach, reach + 1) * CELL_MM
    own = np.stack(np.meshgrid(steps, steps[::-1]), axis=-1)
    away = np.hypot(own[..., 0], own[..., 1])
    table = place(own.reshape(-1, 2), fit.pose).reshape(own.shape)
    shown, seen = sight.shows(table, fit.height_mm), sight.colours(table, fit.height_mm)
    inside, printed = shown & (away < radius - RIM_MM[0]), on_grid(board.colours, own)
    usual = np.median(printed[inside] if inside.any() else printed.reshape(-1, 3), axis=0).astype(np.float32)
    from_space = np.min([np.hypot(own[..., 0] - x, own[..., 1] - y) for x, y in board.spaces_mm], axis=0)
    return _Look(
        own,
        sight.seen(table, fit.height_mm),
        seen - usual,
        printed - usual,
        usual,
        inside,
        from_space > board.topping_mm / 2 + TOPPING_RIM_MM[1] - 1.0,
        from_space > board.topping_mm / 2,
        _of_one_ground(table, shown & (away > radius + RIM_MM[1])),
    )


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

    def at(self, own: Array, expected: Floats) -> Floats:
        """What it adds to colours expected at points (... x 2 and ... x 3) of the board."""
        return np.asarray(_terms(own, expected) @ self.terms, np.float32)


def _terms(own: Array, expected: Floats) -> Array:
    u, v = np.moveaxis(own / LIGHT_MM, -1, 0)
    slow = np.stack([np.ones_like(u), u, v, u * u, u * v, v * v], axis=-1)
    return np.concatenate([slow, expected], axis=-1)


def _light_on(own: Array, expected: Floats, seen: Floats) -> _Light:
    """The light, told by some points (n x 2), what is expected and what is seen there; things may lie over some."""
    some, colours = _terms(own, expected)[::EVERY], (seen - expected)[::EVERY].astype(np.float64)
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


def _strangeness(left: Floats, tint: float, bright_dark: tuple[float, float]) -> Floats:
    """How strange what light leaves is; from 1 on it is no light."""
    shade, tinted = _shade_and_tint(left)
    bright, dark = bright_dark
    return np.asarray(np.maximum(tinted / tint, np.maximum(shade / bright, -shade / dark)), np.float32)


def _strange_beside(look: _Look) -> Floats:
    plain = look.seen - np.median(look.seen[look.beside], axis=0).astype(np.float32)
    nothing = np.zeros_like(plain)
    light = _light_on(look.own[look.beside], nothing[look.beside], plain[look.beside])
    left = plain - light.at(look.own, nothing)
    usual = float(np.median(_shade_and_tint(left[look.beside])[1]))
    return _strangeness(left, max(STRANGE_BESIDE, SPREADS * usual), (STRANGE_BRIGHT, STRANGE_DARK))


def _spare_topping(
    strange: Floats, known: Flags, look: _Look, light: _Light, looks: Floats, away: Array, radius_mm: float
) -> None:
    """Where a topping was read, so far `away` from each point, what looks like one is not strange, and its rim says
    nothing."""
    on = (away < radius_mm - TOPPING_RIM_MM[0]) & look.inside
    expected = looks[np.minimum((away[on] / RING_STEP_MM).astype(int), len(looks) - 1)]
    # Toppings are no print: what pictures do to its colours need not be done to theirs.
    tint = max(STRANGE_TOPPING, TINTED_SHARE * float(np.median(_shade_and_tint(expected)[1])) if on.any() else 0.0)
    for like_print in (expected, np.zeros_like(expected)):
        left = look.seen[on] - expected - light.at(look.own[on], like_print)
        strange[on] = np.minimum(strange[on], _strangeness(left, tint, (STRANGE_SHADE, STRANGE_SHADE)))
    known[(away >= radius_mm - TOPPING_RIM_MM[0]) & (away < radius_mm + TOPPING_RIM_MM[1])] = False


def _on_face(at_mm: Array, sight: Sight, fit: BoardFit) -> Array:
    """Where on the plane of the board's face (own frame) the top of a topping is seen."""
    seen = sight.seen(at_mm[None], fit.height_mm + TOPPING_THICK_MM)
    return np.asarray(to_own_frame(sight.registration.on_table(seen, fit.height_mm), fit.pose)[0])


def _spread(strange: Floats, known: Flags) -> Floats:
    """Strangeness, over what says nothing that of what is around."""
    weight = known.astype(np.float32)
    share = cv2.blur(weight, (3, 3))
    mean = cv2.blur(np.minimum(strange, STRANGEST) * weight, (3, 3)) / np.maximum(share, LEAST_SHARE)
    return np.asarray(np.where(share > LEAST_SHARE, mean, 0.0), np.float32)


def _parts(strange: Floats, from_rim_mm: Array, off_toppings: Flags, off_spaces: Flags) -> Mask:
    """What is strange and large beside toppings, with what is nearly so beside it."""
    some = (strange > 1.0).astype(np.uint8)
    on_board, off_board = (cv2.morphologyEx(some, cv2.MORPH_OPEN, _disc(width)) for width in WIDER_MM)
    wide = np.where(from_rim_mm < 0.0, on_board, off_board).astype(np.uint8)
    count, labels = cv2.connectedComponents(wide, connectivity=8)
    areas, between = (np.bincount(labels[where], minlength=count) * CELL_MM**2 for where in (off_toppings, off_spaces))
    reaching = set(np.unique(labels[from_rim_mm > -RIM_CELLS_MM]).tolist())
    large = [i for i in range(1, count) if (areas[i] >= LEAST_MM2 if i in reaching else between[i] >= LEAST_INSIDE_MM2)]
    grown = np.isin(labels, large).astype(np.uint8)
    suspect = (strange > SUSPECT).astype(np.uint8) | grown
    for _ in range(2):
        grown = np.asarray(cv2.dilate(grown, _disc(GROWS_MM)), np.uint8) & suspect
    return np.asarray(cv2.morphologyEx(grown * 255, cv2.MORPH_CLOSE, _disc(GROWS_MM)), np.uint8)


def _disc(width_mm: float) -> Mask:
    cells = 2 * int(width_mm / 2 / CELL_MM) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (cells, cells)), np.uint8)
