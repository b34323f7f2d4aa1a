"""A board in more light than a picture can show: a lamp was switched on, and what is pale of it is cut off at white.

The markers' paper is cut off, too, then, so that only the board itself says how much light there is: its darker print
fits where it is as many times brighter than it was enrolled, and cut off where that is more than white.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.board.covering_light import slow_terms
from vision.board.pose import BoardFit, BoardGrid, badness, board_grid, find_board, same_board
from vision.board.record import BoardPrint
from vision.board.sight import Sight
from vision.board.tone import Levels, as_shown
from vision.pieces.features import LOG_FLOOR, PAPER_LEVEL
from vision.pieces.verify import SATURATED
from vision.shapes import place

Floats = NDArray[np.floating[Any]]

SEARCHED = (1.4, 1.9, 2.6, 3.5)
"""So many times as bright as a picture can show it paper is thought to be while a board is looked for: it is found
where it is a fifth brighter or darker."""
LEAST_LEFT = 0.12
"""Where less of the print that tells where a board lies is left, nothing is found by it."""
ROUNDS = 4
"""So many times each channel's light is told by print that is not cut off in it,"""
NOT_CUT_OFF = 0.85
"""as what would be less than this share of white is not,"""
LEAST_LEVEL, LEAST_POINTS = 10.0, 50
"""that is not black, and of which there are so many points."""
MOST_UNEVEN, STRAYS, EVEN_ROUNDS = 0.7, 0.1, 3
"""Print that is so much (logarithm) brighter or darker than most is so by something else; what strays by the second
from light that changes slowly over the board says less and less of that, found in so many rounds."""
STIFF = (5.0, 5.0, 5.0, 20.0, 20.0, 20.0)
"""So many points say as much of that light's terms as is known before: that it is even."""
LEAST_TIMES = 0.8
"""Markers that are cut off show no less light than about as much as a picture can."""


@dataclass(frozen=True, slots=True)
class Lit:
    """A board as it looks in much light."""

    times: Floats
    """How many times as bright as the picture can show it white paper would be, at each point of the board's grid (n x
    n x 3)."""
    board: BoardPrint
    grid: BoardGrid
    """What `board_grid` gives of it."""
    fit: BoardFit


def cut_off(sight: Sight) -> bool:
    """Whether white paper is as bright as the picture can show, in one channel at least."""
    return bool(sight.gain.min() <= PAPER_LEVEL / SATURATED)


def find_in_much_light(sight: Sight, enrolled: BoardPrint, enrolled_grid: BoardGrid) -> Lit | None:
    """The board where its print shows in such light; None where there is none."""
    found: list[tuple[Floats, BoardFit]] = []
    for searched in SEARCHED:
        times = np.full(3, searched)
        board = in_much_light(enrolled, sight, times)
        grid = board_grid(board)
        if np.count_nonzero(grid.telling) < LEAST_LEFT * np.count_nonzero(enrolled_grid.telling):
            break
        if (fit := find_board(sight, board, grid)) is not None:
            found.append((times, fit))
    if not found:
        return None
    times, fit = min(found, key=lambda one: badness(one[1]))
    return lit_there(sight, enrolled, enrolled_grid, fit, times)


def lit_there(sight: Sight, enrolled: BoardPrint, enrolled_grid: BoardGrid, fit: BoardFit, times: Floats) -> Lit | None:
    """The board where it was found by something like this light (3, or n x n x 3), and the light; None where it is not
    that, or does not lie so."""
    times = told_times(sight, enrolled, enrolled_grid, fit, times)
    board = in_much_light(enrolled, sight, times)
    grid = board_grid(board)
    again = same_board(sight, board, fit.pose, fit.turn_probability, grid)
    return None if again is None else Lit(times, board, grid, again)


def told_times(sight: Sight, enrolled: BoardPrint, grid: BoardGrid, fit: BoardFit, times: Floats) -> Floats:
    """The light told finer by a board that was found by something like it (3, or n x n x 3), at each point of its grid
    (n x n x 3). It changes slowly over the board, for all channels alike; channels that are cut off all over follow the
    others."""
    table = place(enrolled.points.reshape(-1, 2), fit.pose).reshape(enrolled.points.shape)
    used = (grid.used > 0) & sight.shows(table, fit.height_mm)
    levels, seen = (np.exp(one) - LOG_FLOOR for one in (enrolled.colours, sight.colours(table, fit.height_mm)))
    slow = slow_terms(enrolled.points)
    for _ in range(ROUNDS):
        told = used[..., None] & (levels > LEAST_LEVEL) & (levels * times < NOT_CUT_OFF * SATURATED * sight.gain)
        enough = np.count_nonzero(told, axis=(0, 1)) >= LEAST_POINTS
        if not enough.any():
            break
        told &= enough
        brighter = np.log(np.maximum(seen, 1.0) / np.maximum(levels * times, 1.0))
        channel = np.array([np.median(brighter[..., i][told[..., i]]) if enough[i] else np.nan for i in range(3)])
        channel = np.where(enough, channel, np.nanmean(channel))
        off = np.clip(brighter - channel, -MOST_UNEVEN, MOST_UNEVEN)
        some, terms = slow[np.nonzero(told)[:2]], np.zeros(slow.shape[-1])
        for _ in range(EVEN_ROUNDS):
            left = off[told] - some @ terms
            weighted = some * (1.0 / (1.0 + (left / STRAYS) ** 2) ** 2)[:, None]
            terms = np.linalg.solve(weighted.T @ some + np.diag(STIFF), weighted.T @ off[told])
        times = times * np.exp(channel + (slow @ terms)[..., None])
    return np.asarray(np.broadcast_to(np.maximum(times, LEAST_TIMES), levels.shape), np.float32)


def in_much_light(board: BoardPrint, sight: Sight, times: Floats) -> BoardPrint:
    """The board so many times as bright (3, or n x n x 3) as white paper is shown, cut off where the picture is."""
    top = SATURATED * sight.gain
    over = np.broadcast_to(times, board.colours.shape)
    usual = over.mean((0, 1))

    def on_pieces(levels: Levels) -> Levels:
        return np.asarray(np.minimum(levels * usual, top))

    def on_print(levels: Levels) -> Levels:
        return np.asarray(np.minimum(levels * over, top))

    def change_on_print(levels: Levels, change: Levels) -> Levels:
        return np.where(levels * over[..., None, :] < top, change * over[..., None, :], 0.0)

    return replace(as_shown(board, on_print, change_on_print, on_pieces), cut_off=True)
