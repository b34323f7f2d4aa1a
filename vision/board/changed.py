"""Where on a table that was read before something may look otherwise now."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.board.cutters import lies_beside
from vision.board.pose import BoardFit
from vision.board.record import TOPPING_THICK_MM, BoardPrint
from vision.board.sight import Sight
from vision.finders import Changed
from vision.mat.rectify import REACH_MM
from vision.scene import Sighting
from vision.shapes import place

Array = NDArray[np.float64]
STEP_MM = 8.0
"""Changes of the whole table are looked for in steps of this: less than a topping."""
STICK_MM = 100.0
"""What changes on a board, or along a line, over less than this is no cutter that came. (Those that did on simulated
tables changed 248 mm and more of their line's 256.)"""
BESIDE_STICK_MM = 4.0
_ROUND = np.radians(np.arange(0.0, 360.0, 30.0))
_DISC = np.concatenate([np.zeros((1, 2)), *(r * np.column_stack([np.cos(_ROUND), np.sin(_ROUND)]) for r in (0.5, 1.0))])
"""Points of a disc of radius 1."""


def changed_places(changed: Changed) -> Array:
    """Where on the whole table (n x 2, as they seem at z = 0) something changed."""
    table = np.stack(np.meshgrid(*(np.arange(-reach, reach + 1.0, STEP_MM) for reach in REACH_MM)), axis=-1)
    flat = table.reshape(-1, 2)
    return np.asarray(flat[changed(flat)])


def changed_spaces(sight: Sight, board: BoardPrint, fit: BoardFit, changed: Changed) -> list[int]:
    """The numbers of the spaces where something changed, on the board's face or as high as a topping."""
    return changed_discs(sight, place(board.spaces_mm, fit.pose), board.pitch_mm / 2, fit.height_mm, changed)


def changed_discs(sight: Sight, middles_mm: Array, radius_mm: float, low_mm: float, changed: Changed) -> list[int]:
    """Which of some discs (true places, n x 2) changed, a topping high over what lies at `low_mm`."""
    if not len(middles_mm):
        return []
    points = middles_mm[:, None] + radius_mm * _DISC
    seen = np.concatenate([sight.seen(points, low_mm), sight.seen(points, low_mm + TOPPING_THICK_MM)], axis=1)
    flags = changed(seen.reshape(-1, 2)).reshape(len(points), -1)
    return [int(i) for i in np.flatnonzero(flags.any(1))]


def stick_changed(
    sight: Sight, board: BoardPrint, fit: BoardFit, sticks: Sequence[Sighting], places_mm: Array, changed: Changed
) -> bool:
    """Whether a cutter may have come, gone or moved: something changed along one, or far across the board."""
    over = places_mm[np.linalg.norm(places_mm - fit.pose[:2], axis=1) < board.diameter_mm / 2]
    if len(over) and float(np.linalg.norm(over.max(0) - over.min(0))) > STICK_MM:
        return True
    return any(changed(_band(_seen_ends(sight, fit, stick)).reshape(-1, 2)).any() for stick in sticks)


def may_be_stick(sight: Sight, fit: BoardFit, sticks: Sequence[Sighting], changed: Changed) -> Callable[[Array], bool]:
    """Which lines (2 x 2 seen points) may be cutters, where all other cutters than these `sticks` came since: those
    along which something changed, and those of the sticks themselves."""
    lay = [_seen_ends(sight, fit, stick) for stick in sticks]

    def may_lie(line: Array) -> bool:
        if any(lies_beside(line, ends) for ends in lay):
            return True
        band = _band(line)
        there = changed(band.reshape(-1, 2)).reshape(band.shape[:2]).any(axis=1)
        return bool(np.count_nonzero(there) * BESIDE_STICK_MM >= STICK_MM)

    return may_lie


def _seen_ends(sight: Sight, fit: BoardFit, stick: Sighting) -> Array:
    """Where the ends of a cutter seem to lie at z = 0."""
    corners = np.array(stick.outline_mm)
    return sight.seen((corners[:2] + corners[[3, 2]]) / 2, fit.height_mm + TOPPING_THICK_MM)


def _band(ends_mm: Array) -> Array:
    """Points along a line (2 x 2), step by step in its middle and on both sides of it: steps x 3 x 2."""
    length = float(np.linalg.norm(ends_mm[1] - ends_mm[0]))
    way = (ends_mm[1] - ends_mm[0]) / length
    beside = np.array([-BESIDE_STICK_MM, 0.0, BESIDE_STICK_MM])
    along = ends_mm[0] + np.arange(0.0, length, BESIDE_STICK_MM)[:, None] * way
    return np.asarray(along[:, None] + beside[:, None] * np.array([-way[1], way[0]]))
