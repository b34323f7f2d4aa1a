"""A board as a picture shows its colours: more or less saturated, of more or less contrast than when it was enrolled.

Cameras differ in that, and so do the settings of one; light alone, which `vision.board` takes out, changes no colour
into another. The board's own print says how it is, and its toppings and cutters are shown likewise.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit
from vision.board.record import BoardPrint, Looks
from vision.board.sight import Sight
from vision.pieces.features import LOG_FLOOR
from vision.pieces.tone import PLAIN, Tone, as_another_camera
from vision.shapes import place

Floats = NDArray[np.float32]
Levels = NDArray[np.floating[Any]]
Shown = Callable[[Levels], Levels]
ChangeShown = Callable[[Levels, Levels], Levels]

EVERY = 3
"""Every so many points of the print, along both ways, are compared,"""
SOFT = 5
"""over so many points: what is printed finer is not where it was, by parts of a millimetre."""
POINTS_ALIKE = 50.0
"""So many points say as much as one: neighbours show the same colour."""
LEAST_POINTS = 200
LEAST_APART = 0.02
"""Of a print whose tints (logarithm) lie less far apart nothing says how rich a picture shows them."""
RICHEST = 2.0
"""No picture is thought to show tints farther apart than so many times: a hand's would be light's."""


def board_in_tone(sight: Sight, board: BoardPrint, fit: BoardFit) -> BoardPrint:
    """The board as this picture shows it where it was found; itself where that is as it was enrolled."""
    tone = tone_on(sight, board, fit)
    if tone.is_plain:
        return board
    return as_shown(board, tone.shown, tone.change_shown, tone.shown)


def as_shown(board: BoardPrint, shown: Shown, change_shown: ChangeShown, on_pieces: Shown) -> BoardPrint:
    """The board as a picture shows it that makes these of its print's levels, and of their change there, and of the
    levels of toppings and cutters (... x 3 all)."""
    levels = _levels(board.colours)
    colours = _logarithms(shown(levels))
    changes = board.slopes * np.exp(board.colours)[..., None, :]
    slopes = change_shown(levels[..., None, :], changes)
    apart = _tints_apart(board.colours[board.known])
    wood = np.stack([_logarithms(on_pieces(_levels(board.wood[0]))), board.wood[1]])
    return replace(
        board,
        colours=colours,
        slopes=np.asarray(slopes / np.exp(colours)[..., None, :], np.float32),
        toppings=_looks(board.toppings, on_pieces),
        cutters=_looks(board.cutters, on_pieces),
        wood=np.asarray(wood, np.float32),
        richer=min(max(_tints_apart(colours[board.known]) / max(apart, LEAST_APART), 1.0), RICHEST),
    )


def tone_on(sight: Sight, board: BoardPrint, fit: BoardFit) -> Tone:
    """The tone in which a picture shows a board's print; toppings and cutters lie on some of it."""
    inside = np.linalg.norm(board.points, axis=-1) < board.diameter_mm / 2 - 4.0
    table = place(board.points.reshape(-1, 2), fit.pose).reshape(board.points.shape)
    told = (inside & board.known & sight.shows(table, fit.height_mm))[::EVERY, ::EVERY]
    soft = [cv2.blur(_levels(one), (SOFT, SOFT)) for one in (board.colours, sight.colours(table, fit.height_mm))]
    enrolled, seen = (np.asarray(one[::EVERY, ::EVERY][told], np.float64) for one in soft)
    if len(enrolled) < LEAST_POINTS:
        return PLAIN
    x, y = board.points[::EVERY, ::EVERY][told].T / (board.diameter_mm / 2)
    slowly = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)
    return as_another_camera(enrolled, seen, sight.gain, slowly, POINTS_ALIKE)


def _tints_apart(colours: Floats) -> float:
    """How far (logarithm) the tints of colours (n x 3) lie apart."""
    tint = colours - colours.mean(-1, keepdims=True)
    return float(np.sqrt(tint.var(axis=0).sum()))


def _levels(colours: Floats) -> Floats:
    return np.asarray(np.exp(colours) - np.float32(LOG_FLOOR), np.float32)


def _logarithms(levels: Levels) -> Floats:
    return np.asarray(np.log(levels + LOG_FLOOR), np.float32)


def _looks(looks: Looks, shown: Shown) -> Looks:
    return replace(looks, colours=_logarithms(shown(_levels(looks.colours))))
