"""A board as a picture shows its colours: more or less saturated, of more or less contrast than when it was enrolled.

Cameras differ in that, and so do the settings of one; light alone, which `vision.board` takes out, changes no colour
into another. The board's own print says how it is, and its toppings and cutters are shown likewise.
"""

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit
from vision.board.record import BoardPrint, Looks
from vision.board.sight import Sight
from vision.features import LOG_FLOOR
from vision.shapes import place
from vision.tone import Tone

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

EVERY = 3
"""Every so many points of the print, along both ways, are compared,"""
SOFT = 5
"""over so many points: what is printed finer is not where it was, by parts of a millimetre."""
SATURATION_SPREAD, LIFT_SPREAD, MIX_SPREAD = 0.5, 25.0, 0.04
"""How far saturation (a share), levels that are added (of 255) and the rest of the channels' mixture may be off."""
LEVEL_SPREAD = 8.0
"""How many levels print strays from what tone and light make of it."""
POINTS_ALIKE = 12.0
"""So many points say as much as one: neighbours show the same colour."""
ROUNDS = 5
LEAST_POINTS = 200
PLAIN_MIX, PLAIN_LIFT = 0.12, 12.0
"""A tone that differs from the plain one by less is taken for it: lights differ by as much."""
LUMA = np.array([0.114, 0.587, 0.299])
"""What blue, green and red are to brightness (ITU-R BT.601)."""


def board_in_tone(sight: Sight, board: BoardPrint, fit: BoardFit) -> BoardPrint:
    """The board as this picture shows it where it was found; itself where that is as it was enrolled."""
    tone = tone_on(sight, board, fit)
    if np.abs(tone.mix - np.eye(3)).max() < PLAIN_MIX and np.abs(tone.lift).max() < PLAIN_LIFT:
        return board
    colours = _shown(board.colours, tone)
    growth = (board.slopes * np.exp(board.colours)[..., None, :]) @ tone.mix.T
    slopes = np.asarray(growth / np.exp(colours)[..., None, :], np.float32)
    wood = np.stack([_shown(board.wood[0], tone), board.wood[1]])
    return replace(
        board,
        colours=colours,
        slopes=slopes,
        toppings=_looks(board.toppings, tone),
        cutters=_looks(board.cutters, tone),
        wood=np.asarray(wood, np.float32),
    )


def tone_on(sight: Sight, board: BoardPrint, fit: BoardFit) -> Tone:
    """The tone in which a picture shows a board's print; toppings and cutters lie on some of it."""
    inside = np.linalg.norm(board.points, axis=-1) < board.diameter_mm / 2 - 4.0
    table = place(board.points.reshape(-1, 2), fit.pose).reshape(board.points.shape)
    told = (inside & board.known & sight.shows(table, fit.height_mm))[::EVERY, ::EVERY]
    soft = [cv2.blur(_levels(one), (SOFT, SOFT)) for one in (board.colours, sight.colours(table, fit.height_mm))]
    enrolled, seen = (np.asarray(one[::EVERY, ::EVERY][told], np.float64) for one in soft)
    if len(enrolled) < LEAST_POINTS:
        return Tone(np.eye(3), np.zeros(3))
    own = board.points[::EVERY, ::EVERY][told] / (board.diameter_mm / 2)
    return _fitted(enrolled, seen / _shade(own, enrolled, seen)[:, None])


def _shade(own: Array, enrolled: Array, seen: Array) -> Array:
    """How many times as bright print is as it was enrolled, as light that changes slowly makes it."""
    x, y = own.T
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)
    brighter = np.log((seen @ LUMA + 8.0) / (enrolled @ LUMA + 8.0))
    found = np.zeros(terms.shape[1])
    found[0] = np.median(brighter)
    for _ in range(ROUNDS):
        weight = 1.0 / (1.0 + ((brighter - terms @ found) / 0.1) ** 2) ** 2
        weighted = terms * weight[:, None]
        found = np.linalg.solve(weighted.T @ terms + np.diag([0.0, *[5.0] * 5]), weighted.T @ brighter)
    return np.asarray(np.exp(terms @ found))


def _fitted(enrolled: Array, seen: Array) -> Tone:
    """The likeliest tone: one saturation and one lift for all channels, and a little of any other mixture."""
    count = len(enrolled)
    grey = (enrolled @ LUMA)[:, None]
    columns = np.zeros((count, 3, 11))
    columns[:, :, 0] = enrolled - grey
    columns[:, :, 1] = 1.0
    for channel in range(3):
        columns[:, channel, 2 + 3 * channel : 5 + 3 * channel] = enrolled
    off = seen - enrolled
    prior = np.diag(1.0 / np.square([SATURATION_SPREAD, LIFT_SPREAD, *[MIX_SPREAD] * 9]))
    found = np.zeros(11)
    for _ in range(ROUNDS):
        strays = ((off - columns @ found) / LEVEL_SPREAD) ** 2
        weight = 1.0 / (1.0 + strays.mean(1) / 4.0) ** 2 / (LEVEL_SPREAD**2 * POINTS_ALIKE)
        weighted = (columns * weight[:, None, None]).reshape(-1, 11)
        found = np.linalg.solve(weighted.T @ columns.reshape(-1, 11) + prior, weighted.T @ off.reshape(-1))
    saturation, lift, mixed = found[0], found[1], found[2:].reshape(3, 3)
    return Tone(np.eye(3) + saturation * (np.eye(3) - np.tile(LUMA, (3, 1))) + mixed, np.full(3, lift))


def _levels(colours: Floats) -> Floats:
    return np.asarray(np.exp(colours) - np.float32(LOG_FLOOR), np.float32)


def _shown(colours: Floats, tone: Tone) -> Floats:
    """Enrolled colours (logarithms, ... x 3) in this tone."""
    levels = np.clip(_levels(colours) @ tone.mix.T + tone.lift, 0.0, 255.0)
    return np.asarray(np.log(levels + LOG_FLOOR), np.float32)


def _looks(looks: Looks, tone: Tone) -> Looks:
    return replace(looks, colours=_shown(looks.colours, tone))
