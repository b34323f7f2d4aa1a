"""Loose toppings beside a board: spots of a topping's colour and size that show what it shows.

Squares of a cloth are spots as well, and toppings that touch each other, or white ones on pale ground, are none. So a
topping is told by what it shows from its middle outwards, its emblem and its edge, as on the board's spaces: that is
seen, and even ground would not show it. Only such as show hardly anything are told by their outline alone, or where
ground is as pale as they are by their round rim (`vision.board.round_rims`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit
from vision.board.record import RING_STEP_MM, TOPPING_THICK_MM, BoardPrint, topping_rings
from vision.board.round_rims import rims_at, stands_out
from vision.board.sight import Sight
from vision.board.toppings import even_cost, ring_cost
from vision.mat.markers import INNER_MM, MAT_HALF_MM, MAT_MM
from vision.mat.rectify import PX_PER_MM

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

PX_MM = 1.6
SHADE_SPREAD = 0.2
NOISE = 0.1
LIKE_BELOW = 6.0
"""A pixel is of a colour when its squared miss (in noises) is below this."""
LEAST_INSIDE = 0.85
"""So much of a spot must be of the colour,"""
MOST_AROUND = 0.35
"""and no more than this of what lies around: other toppings may touch it."""
LEAST_SURE = 0.5
"""Less sure spots are a tablecloth's pattern more often than a topping."""
LEAST_ALIKE = 0.5
"""Where a topping lies at least so much shows of the contrast that it has from its middle outwards;"""
MOST_TRIED = 200
"""so many such places of a colour are compared ring by ring, those first whose contrast is nearest to that,"""
NUDGES_MM = (-0.8, 0.0, 0.8)
"""each also so far beside, as the small map's cells are no finer."""
LEAST_SHOWN = 1.5
"""So much cheaper (twice a logarithm of likelihood) a topping must be than even ground. On simulated tables it was by
4.3 and more; squares of a cloth were dearer, by 0.4 to 1.7, where bare white toppings had been enrolled."""
HARDLY_SHOWN, SHOWN_SHARE, STRAYS = 3.0, 0.5, 0.3
"""One that even ground would cost less than the first to show has to show so much of that, but for the third."""
LEAST_ROUND, ROUND_MM = 0.8, 0.4
"""In such a share of directions a rim has to be seen, and to stray no farther from a circle there."""
ROUND_VALUE = 0.84
"""Of such one nothing but its rim is seen: it is no surer."""
STRAYS_ROUND = 2.0
"""One with a round rim may differ by so much from how it was enrolled, mostly as light there has another tint."""
APART_SHARE = 0.85
MOST = 48
KEEP_OFF_MM = 6.0


@dataclass(frozen=True, slots=True)
class Loose:
    """A topping that lies beside the board."""

    colour: str
    probability: float
    at_mm: Array


def find_loose(sight: Sight, board: BoardPrint, fit: BoardFit, taken: Sequence[Array]) -> list[Loose]:
    """Toppings beside the board. `taken` are outlines of what else was found on the table, table mm."""
    scale = 1.0 / (PX_PER_MM * PX_MM)
    small = cv2.resize(sight.looked, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    light = np.median(fit.light_at(board.spaces_mm), axis=0).astype(np.float32)
    logs = np.asarray(cv2.LUT(small, sight.logarithms - light), np.float32)
    open_ones = _open(sight, board, fit, taken, small.shape[:2], scale)
    inside, around = _kernels(board.topping_mm / 2)
    found: list[tuple[float, str, Array]] = []
    for which, (name, looks) in enumerate(zip(board.toppings.names, board.toppings.colours, strict=True)):
        like = _like(logs, looks.mean(0))
        within = cv2.filter2D(like, cv2.CV_32F, inside)
        likely = (within > LEAST_INSIDE) & open_ones
        if not likely.any():
            continue
        beside = cv2.filter2D(like, cv2.CV_32F, around)
        score = np.where(likely & (beside < MOST_AROUND), within - beside, 0.0)
        spots = _peaks(np.asarray(score, np.float32), board.topping_mm)
        middles = _on_map(sight, [at for _, at in spots], scale)
        bare = _shows(board, which) < HARDLY_SHOWN
        if bare:
            rounds = _on_map(sight, stands_out(logs, likely, board.topping_mm / 2 / PX_MM), scale)
            found += [(value, name, at) for value, at in _by_rims(sight, board, which, light, (middles, rounds))]
        alike = _alike(logs, likely, _rings_kernel(looks, board.topping_mm / 2))
        if len(spots) + len(alike):
            outlined = np.array([0.0 if bare else value for value, _ in spots] + [0.0] * len(alike))
            places = np.concatenate([middles, _on_map(sight, alike, scale)])
            found += [(value, name, at) for value, at in _by_rings(sight, board, which, light, places, outlined)]
    loose: list[Loose] = []
    for value, name, seen in sorted(found, key=lambda one: -one[0]):
        at = sight.registration.on_table(seen[None], _top_mm(seen))[0]
        if all(np.linalg.norm(other.at_mm - at) > APART_SHARE * board.topping_mm for other in loose):
            sure = float(np.clip((value - 0.5) / 0.4, 0.0, 1.0))
            if sure < LEAST_SURE or len(loose) == MOST:
                break
            loose.append(Loose(name, sure, at))
    return loose


def _top_mm(at_mm: Array) -> float:
    on_mat = bool(np.abs(at_mm).max() <= MAT_HALF_MM)
    return TOPPING_THICK_MM if on_mat else TOPPING_THICK_MM - MAT_MM


def _on_map(sight: Sight, places: Sequence[Array] | Array, scale: float) -> Array:
    """Places (n x 2: column, row) of the small map as they are seen on the table at z = 0."""
    return sight.table.to_table((np.reshape(places, (-1, 2)) + 0.5) / scale - 0.5)


def _shows(board: BoardPrint, which: int) -> float:
    """What even ground would cost where a topping of one colour lies."""
    times = topping_rings(board.topping_mm).shape[1]
    return float(even_cost(np.repeat(board.toppings.colours[which], times, axis=0)[None])[0])


def _by_rims(
    sight: Sight, board: BoardPrint, which: int, light: Floats, places: tuple[Array, Array]
) -> list[tuple[float, Array]]:
    """How surely, as `_by_rings` has it, toppings of one colour that show hardly anything lie by their rims near
    places (n x 2 each, seen at z = 0), and where. Near the first the ground is of another colour, near the others it
    may be as pale."""
    found: list[tuple[float, Array]] = []
    rings = topping_rings(board.topping_mm)
    for rim, other_ground in [(rim, i == 0) for i in (0, 1) for rim in rims_at(sight, places[i], board.topping_mm / 2)]:
        seen = sight.seen_colours((rim.at_mm + rings).reshape(1, -1, 2)) - light
        strays = float(ring_cost(board, which, seen)[0] - even_cost(seen)[0])
        is_round = rim.share >= LEAST_ROUND and rim.strays_mm < ROUND_MM
        if is_round and (rim.in_relief or other_ground) and strays < STRAYS_ROUND:
            found.append((min(rim.share, ROUND_VALUE), rim.at_mm))
    return found


def _like(logs: Floats, colour: Floats) -> Floats:
    """1 where pixels are of a colour in some brightness, else 0."""
    off = logs - colour
    ones = np.ones((1, 3), np.float32)
    grey, squares = cv2.transform(off, ones), cv2.transform(off * off, ones)
    # By one over the covariance of colours that noise changes each, and shade all alike (Sherman and Morrison, 1950).
    alike = SHADE_SPREAD**2 / (NOISE**2 + 3.0 * SHADE_SPREAD**2)
    return np.asarray(squares - np.float32(alike) * grey * grey < LIKE_BELOW * NOISE**2, np.float32)


def _kernels(radius_mm: float) -> tuple[Floats, Floats]:
    """Means over a topping, and over a ring close around it."""
    reach = int(np.ceil((radius_mm + 4.5) / PX_MM))
    steps = np.arange(-reach, reach + 1) * PX_MM
    away = np.hypot(*np.meshgrid(steps, steps))
    inside = (away < radius_mm - 1.0).astype(np.float32)
    around = ((away > radius_mm + 1.5) & (away < radius_mm + 4.5)).astype(np.float32)
    return inside / inside.sum(), around / around.sum()


def _rings_kernel(looks: Floats, radius_mm: float) -> Floats:
    """What a topping shows from its middle outwards (rings x 3), each colour about its own mean: rows x columns x 3."""
    reach = int(np.ceil(radius_mm / PX_MM))
    steps = np.arange(-reach, reach + 1) * PX_MM
    away = np.hypot(*np.meshgrid(steps, steps))
    radii = (np.arange(len(looks)) + 0.5) * RING_STEP_MM
    shown = np.stack([np.interp(away, radii, channel) for channel in looks.T], axis=-1)
    inside = away < radius_mm - 1.0
    return np.asarray(np.where(inside[..., None], shown - shown[inside].mean(0), 0.0), np.float32)


def _alike(logs: Floats, where: NDArray[np.bool_], kernel: Floats) -> Array:
    """Places (n x 2: column, row) of the map, only some of it, that show most of a kernel's contrast."""
    left, top, width, height = cv2.boundingRect(where.astype(np.uint8))
    if not width:
        return np.zeros((0, 2))
    reach = len(kernel) // 2
    left, top = max(left - reach, 0), max(top - reach, 0)
    part = slice(top, top + height + 2 * reach), slice(left, left + width + 2 * reach)
    channels = zip(cv2.split(logs[part]), cv2.split(kernel), strict=True)
    shown = np.asarray(sum(cv2.filter2D(one, cv2.CV_32F, other) for one, other in channels), np.float32)
    shown = np.where(where[part], shown / np.maximum(np.square(kernel).sum(), 1e-6), np.float32(0.0))
    rows, columns = np.nonzero((shown > LEAST_ALIKE) & (shown >= cv2.dilate(shown, np.ones((5, 5), np.uint8))))
    nearest = np.argsort(np.abs(shown[rows, columns] - 1.0), kind="stable")[:MOST_TRIED]
    return np.column_stack([columns[nearest] + left, rows[nearest] + top]).astype(np.float64)


def _by_rings(
    sight: Sight, board: BoardPrint, which: int, light: Floats, middles: Array, outlined: Array
) -> list[tuple[float, Array]]:
    """How surely (as `find_loose` scores) toppings of one colour seem to lie at places (n x 2, seen at z = 0), and
    where; `outlined` is that by their outlines (n)."""
    rings = topping_rings(board.topping_mm)

    def costs(places: Array) -> tuple[Array, Array]:
        seen = sight.seen_colours((places[:, None, None] + rings).reshape(len(places), rings.size // 2, 2)) - light
        return ring_cost(board, which, seen), even_cost(seen)

    shows = _shows(board, which)
    least = min(LEAST_SHOWN, SHOWN_SHARE * shows) - (STRAYS if shows < HARDLY_SHOWN else 0.0)
    cost, even = costs(middles)
    may_be = (even - cost >= least / 2) | (outlined > 0.0)
    tried = middles[may_be, None] + np.array([(x, y) for x in NUDGES_MM for y in NUDGES_MM])
    found: list[tuple[float, Array]] = []
    if not len(tried):
        return found
    cost, even = (one.reshape(tried.shape[:2]) for one in costs(tried.reshape(-1, 2)))
    for at, ringed, plain, outline in zip(tried, cost, even, outlined[may_be], strict=True):
        best = int(ringed.argmin())
        if plain[best] - ringed[best] < least:
            continue
        by_rings = 1.0 - float(ringed[best] / plain[best]) if plain[best] - ringed[best] >= LEAST_SHOWN else 0.0
        found.append((max(by_rings, float(outline)), at[best]))
    return found


def _open(
    sight: Sight, board: BoardPrint, fit: BoardFit, taken: Sequence[Array], shape: tuple[int, ...], scale: float
) -> NDArray[np.bool_]:
    """Where on the small map a topping's middle may lie: not on the board, a marker, or what was found."""
    closed = np.zeros(shape, np.uint8)
    turns = np.radians(np.arange(0.0, 360.0, 10.0))
    rim = board.diameter_mm / 2 + board.topping_mm / 2 + KEEP_OFF_MM
    outlines = [fit.pose[:2] + rim * np.column_stack([np.cos(turns), np.sin(turns)]), *taken]
    for x in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            low, high = INNER_MM - KEEP_OFF_MM, MAT_HALF_MM
            outlines.append(np.array([[low, low], [high, low], [high, high], [low, high]]) * [x, y])
    for outline in outlines:
        pixels = (sight.table.to_map(np.asarray(outline, np.float64)) + 0.5) * scale - 0.5
        cv2.fillPoly(closed, [np.round(pixels).astype(np.int32)], 255)
    shown = cv2.resize(sight.table.seen, (shape[1], shape[0]), interpolation=cv2.INTER_NEAREST)
    edge = cv2.erode(np.asarray(shown, np.uint8), np.ones((9, 9), np.uint8), borderValue=0)
    return np.asarray((closed == 0) & (edge > 0))


def _peaks(score: Floats, apart_mm: float) -> list[tuple[float, Array]]:
    """The highest places of a map, apart from each other."""
    score = np.asarray(np.where(score > 0, cv2.GaussianBlur(score, (0, 0), 1.0), 0.0), np.float32)
    peaks = []
    reach = int(APART_SHARE * apart_mm / PX_MM)
    for _ in range(MOST):
        row, column = (int(i) for i in np.unravel_index(int(score.argmax()), score.shape))
        value = float(score[row, column])
        if value <= 0.0:
            break
        peaks.append((value, np.array([column, row], np.float64)))
        score[max(row - reach, 0) : row + reach + 1, max(column - reach, 0) : column + reach + 1] = 0.0
    return peaks
