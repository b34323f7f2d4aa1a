"""Lines over a board that look like wood where its print and toppings would not: where cutters may lie."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit, on_grid
from vision.board.record import ALONG_STEP_MM, RING_STEP_MM, TOPPING_THICK_MM, BoardPrint
from vision.board.sight import Sight
from vision.board.stick_colours import light_on
from vision.board.stick_strips import LEAST_CONTRAST, less_shading
from vision.board.toppings import SpaceFit
from vision.scene import EMPTY
from vision.shapes import place, to_own_frame
from vision.short_axes import dot

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

COARSE_MM = 2.0
TURN_STEP_DEG = 2.0
CANDIDATES = 18
APART_MM = 4.0
APART_DEG = 5.0
RIM_MM = 4.0
"""So near its edge a board's look depends on the light from the side."""
FARTHEST_SHARE = 0.75
"""A line farther from the middle than this share of the radius passes all spaces by."""
OVER_MM = 14.0
"""A stick may reach so far beyond the board's edge and still be followed;"""
SLIDE_MM = 12.0
"""a stick longer than the board may lie so far off its middle."""
AROUND_MM = 2.0
"""So far on either side of a stick it still colours what is seen."""
TIPS_TELL = 0.5
"""How much more likely a line is along which some coloured end is seen: by that share of how much it looks like one."""
MAY_BE_TIP = 0.3
"""What looks so much like one need not look like wood."""
SLOW_CELLS = 9
"""What is so wide at least, in map cells, is light, and no stick."""
LEAST_TELLING = 0.1
"""Lines along which print and toppings tell less of wood than this share of the usual look like it by chance."""


@dataclass(frozen=True, slots=True)
class Other:
    """How a board looks other than print and toppings, on a map of COARSE_MM in its own frame; rows run along +y."""

    expected: Floats
    """n x n x 3: print and toppings;"""
    residual: Floats
    """what is seen, less that."""
    known: NDArray[np.bool_]
    covered: NDArray[np.bool_]
    """Where something else lies over it."""

    def without(self, lines: Sequence[Array], sight: Sight, board: BoardPrint, fit: BoardFit) -> "Other":
        """As if nothing were known along these lines (2 x 2 seen points each)."""
        known, reach = self.known.astype(np.uint8), self.known.shape[0] // 2
        for line in lines:
            own = to_own_frame(sight.registration.on_table(line, fit.height_mm), fit.pose)
            start, end = np.round(own / COARSE_MM).astype(int) + reach
            cv2.line(known, start.tolist(), end.tolist(), 0, round((board.cutter_mm[1] + 2 * AROUND_MM) / COARSE_MM))
        return replace(self, known=known > 0)


def other_than_print(sight: Sight, board: BoardPrint, fit: BoardFit, spaces: Sequence[SpaceFit]) -> Other:
    reach = int(board.diameter_mm / 2 / COARSE_MM)
    steps = np.arange(-reach, reach + 1) * COARSE_MM
    own = np.stack(np.meshgrid(steps, steps), axis=-1)
    table = place(own.reshape(-1, 2), fit.pose).reshape(own.shape)
    seen = sight.colours(table, fit.height_mm) - fit.light_at(own)
    expected = on_grid(board.colours, own)
    known = np.hypot(own[..., 0], own[..., 1]) < board.diameter_mm / 2 - RIM_MM
    _paint_toppings(expected, known, own, sight, board, fit, spaces)
    covered = fit.hidden_at(own)
    known &= ~covered
    return Other(expected, np.where(known[..., None], seen - expected, np.float32(0.0)), known, covered)


def _paint_toppings(
    expected: Floats,
    known: NDArray[np.bool_],
    own: Array,
    sight: Sight,
    board: BoardPrint,
    fit: BoardFit,
    spaces: Sequence[SpaceFit],
) -> None:
    """Toppings as they are seen, on the plane of the board's face; their rims say nothing."""
    for space in spaces:
        if space.likely in (None, EMPTY):
            continue
        looks = board.toppings.colours[board.toppings.names.index(str(space.likely))]
        seen = sight.seen(space.at_mm[None], fit.height_mm + TOPPING_THICK_MM)
        at = to_own_frame(sight.registration.on_table(seen, fit.height_mm), fit.pose)[0]
        first = np.maximum((at - board.topping_mm / 2 - 2.0 - own[0, 0]) // COARSE_MM, 0.0).astype(int)
        last = np.maximum((at + board.topping_mm / 2 + 2.0 - own[0, 0]) // COARSE_MM + 2.0, 0.0).astype(int)
        part = slice(first[1], last[1]), slice(first[0], last[0])
        away = np.hypot(own[part][..., 0] - at[0], own[part][..., 1] - at[1])
        inside = away < board.topping_mm / 2 - 0.8
        expected[part][inside] = looks[np.minimum((away[inside] / RING_STEP_MM).astype(int), len(looks) - 1)]
        known[part] = inside | (known[part] & (away >= board.topping_mm / 2 + 2.0))


def candidates(sight: Sight, board: BoardPrint, fit: BoardFit, other: "Other") -> Iterator[Array]:
    """Lines (2 x 2 seen points) that look like wood, and at one end like a cutter's colour, where print and toppings
    would not and what is around them does not, most so first."""
    shares, weight = _towards_wood(other.expected, other.residual, board.wood[0])
    weight = np.where(other.known, weight, np.float32(0.0))
    like_tips = _like_tips(board, other)
    like_wood = np.clip(shares, np.where(like_tips > MAY_BE_TIP, 0.0, -1.0), 1.0) * weight
    like_wood -= weight * _slow(like_wood) / np.maximum(_slow(weight), np.float32(1e-6))
    maps = np.dstack([like_wood, weight, like_tips - _slow(like_tips)])
    size = maps.shape[0]
    middle = (size - 1) / 2
    turns = np.arange(0.0, 180.0, TURN_STEP_DEG)
    like, most, tips = np.empty((3, len(turns), size), np.float32)
    along = (1, round(board.cutters.colours.shape[1] * ALONG_STEP_MM / COARSE_MM))
    for i, turn in enumerate(turns):
        # The map's rows run along +y, so that turning it like a picture turns the board by as much the other way. Rows
        # and columns change places: lines are added up faster down than across.
        spin = cv2.getRotationMatrix2D((middle, middle), float(turn), 1.0)[::-1]
        turned = cv2.warpAffine(maps, spin, (size, size), flags=cv2.INTER_LINEAR)
        like[i], most[i] = cv2.reduce(turned, 0, cv2.REDUCE_SUM)[0, :, :2].T
        tips[i] = cv2.reduce(cv2.blur(turned[..., 2], along), 0, cv2.REDUCE_MAX)
    ridge = like / (most + LEAST_TELLING * np.float32(np.median(most)) + np.float32(1e-6)) + TIPS_TELL * tips
    ridge[:, np.abs(np.arange(size) - middle) > FARTHEST_SHARE * size / 2] = 0.0
    for _ in range(CANDIDATES):
        turn_at, row = (int(i) for i in np.unravel_index(int(ridge.argmax()), ridge.shape))
        if ridge[turn_at, row] <= 0.0:
            return
        yield _line(float(turns[turn_at]), (row - middle) * COARSE_MM, sight, board, fit)
        _block(ridge, turn_at, row)


def _slow(values: Floats) -> Floats:
    """A map without what is narrow."""
    return np.asarray(cv2.blur(values, (SLOW_CELLS, SLOW_CELLS)), np.float32)


def _like_tips(board: BoardPrint, other: "Other") -> Floats:
    """How far (0 to 1) each place of a map looks like some cutter's coloured end where print and toppings would not."""
    found = np.zeros(other.known.shape, np.float32)
    for colours in board.cutters.colours:
        shares, weight = _towards_wood(other.expected, other.residual, colours.mean(0))
        found = np.maximum(found, np.clip(shares, 0.0, 1.0) * weight)
    return np.where(other.known, found / np.float32(LEAST_CONTRAST**2), np.float32(0.0))


def _block(ridge: Floats, turn_at: int, row: int) -> None:
    """Nothing close to a line that was taken is taken again."""
    turns, rows = ridge.shape
    wide, high = round(APART_DEG / TURN_STEP_DEG), round(APART_MM / COARSE_MM)
    for step in range(-wide, wide + 1):
        index = turn_at + step
        at = row if 0 <= index < turns else rows - 1 - row
        ridge[index % turns, max(at - high, 0) : at + high + 1] = 0.0


def _line(turn_deg: float, off_mm: float, sight: Sight, board: BoardPrint, fit: BoardFit) -> Array:
    """Seen ends of the line at a turn and distance from the board's middle, over the whole board."""
    turn = np.radians(turn_deg)
    way, normal = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    chord = np.sqrt(max((board.diameter_mm / 2) ** 2 - off_mm**2, 60.0**2))
    half = max(chord + OVER_MM, board.cutter_mm[0] / 2 + SLIDE_MM)
    own = off_mm * normal + np.array([[-half], [half]]) * way
    return sight.seen(place(own, fit.pose), fit.height_mm)


def how_unlike(
    other: Other, board: BoardPrint, sight: Sight, fit: BoardFit, seen_mm: Array, beside_mm: Sequence[float] = (0.0,)
) -> list[float]:
    """How far (0 to 1) a line (2 x 2 seen points), moved aside by each of `beside_mm`, looks like wood where print and
    toppings would not."""
    way = seen_mm[1] - seen_mm[0]
    length = float(np.linalg.norm(way))
    side = np.array([-way[1], way[0]]) / length
    along = seen_mm[0] + np.linspace(0.0, 1.0, round(length / COARSE_MM))[:, None] * way
    lines = along + np.array(beside_mm)[:, None, None] * side
    own = to_own_frame(sight.registration.on_table(lines.reshape(-1, 2), fit.height_mm), fit.pose)
    reach = other.known.shape[0] // 2
    cells = np.clip(np.round(own / COARSE_MM).astype(np.intp) + reach, 0, 2 * reach).reshape(*lines.shape[:2], 2)
    known, expected, residual = (
        of[cells[..., 1], cells[..., 0]] for of in (other.known, other.expected, other.residual)
    )
    return [_unlike_at(board, e[at], r[at]) for at, e, r in zip(known, expected, residual, strict=True)]


def _unlike_at(board: BoardPrint, expected: Floats, residual: Floats) -> float:
    """The same of some cells."""
    if not len(expected):
        return 0.0
    shade, tint = light_on(expected + residual, board)
    shares, weight = _towards_wood(expected, residual, board.wood[0] + shade + tint)
    return float((np.clip(shares, 0.0, 1.0) * weight).sum() / max(float(weight.sum()), 1e-6))


def _towards_wood(expected: Floats, residual: Floats, wood: Floats) -> tuple[Floats, Floats]:
    """How far (1: all the way) colours (... x 3) are from what is expected towards those of wood, and how much each
    tells: little where print looks like wood itself."""
    step = wood - expected
    tinted = less_shading(step, wood)
    apart = dot(step, tinted)
    told = dot(residual, tinted) / np.maximum(apart, np.float32(1e-4))
    return np.asarray(told, np.float32), np.minimum(apart, np.float32(LEAST_CONTRAST**2))
