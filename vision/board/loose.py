"""Loose toppings beside a board: round spots of a topping's colour and size."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit
from vision.board.record import TOPPING_THICK_MM, BoardPrint
from vision.board.sight import Sight
from vision.features import LOG_FLOOR
from vision.rectify import PX_PER_MM
from vision.registration import INNER_MM, MAT_HALF_MM, MAT_MM

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
    light = np.median(fit.light_at(board.spaces_mm), axis=0)
    logs = np.log(small.astype(np.float32) * sight.gain + np.float32(LOG_FLOOR)) - light.astype(np.float32)
    open_ones = _open(sight, board, fit, taken, small.shape[:2], scale)
    inside, around = _kernels(board.topping_mm / 2)
    found: list[tuple[float, str, Array]] = []
    for name, looks in zip(board.toppings.names, board.toppings.colours, strict=True):
        like = _like(logs, looks.mean(0))
        within = cv2.filter2D(like, cv2.CV_32F, inside)
        likely = (within > LEAST_INSIDE) & open_ones
        if not likely.any():
            continue
        beside = cv2.filter2D(like, cv2.CV_32F, around)
        score = np.where(likely & (beside < MOST_AROUND), within - beside, 0.0)
        found += [(value, name, at) for value, at in _peaks(np.asarray(score, np.float32), board.topping_mm)]
    loose: list[Loose] = []
    for value, name, pixel in sorted(found, key=lambda one: -one[0])[:MOST]:
        seen = sight.table.to_table((pixel + 0.5) / scale - 0.5)
        at = sight.registration.on_table(seen[None], _top_mm(seen))[0]
        if all(np.linalg.norm(other.at_mm - at) > APART_SHARE * board.topping_mm for other in loose):
            sure = float(np.clip((value - 0.5) / 0.4, 0.0, 1.0))
            if sure >= LEAST_SURE:
                loose.append(Loose(name, sure, at))
    return loose


def _top_mm(at_mm: Array) -> float:
    on_mat = bool(np.abs(at_mm).max() <= MAT_HALF_MM)
    return TOPPING_THICK_MM if on_mat else TOPPING_THICK_MM - MAT_MM


def _like(logs: Floats, colour: Floats) -> Floats:
    """1 where pixels are of a colour in some brightness, else 0."""
    shade = np.full((3, 3), SHADE_SPREAD**2)
    metric = np.linalg.inv(shade + np.eye(3) * NOISE**2).astype(np.float32)
    off = (logs - colour).reshape(-1, 3)
    like = np.einsum("ij,ij->i", off @ metric, off) < LIKE_BELOW
    return np.asarray(like.reshape(logs.shape[:2]), np.float32)


def _kernels(radius_mm: float) -> tuple[Floats, Floats]:
    """Means over a topping, and over a ring close around it."""
    reach = int(np.ceil((radius_mm + 4.5) / PX_MM))
    steps = np.arange(-reach, reach + 1) * PX_MM
    away = np.hypot(*np.meshgrid(steps, steps))
    inside = (away < radius_mm - 1.0).astype(np.float32)
    around = ((away > radius_mm + 1.5) & (away < radius_mm + 4.5)).astype(np.float32)
    return inside / inside.sum(), around / around.sum()


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
