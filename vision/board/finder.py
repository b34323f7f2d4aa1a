"""The board, what lies on its spaces, and the cutters over it, as sightings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.board.cutters import LEAST_UNLIKE, SURE_SCORE, SURE_UNLIKE, CutterFit, find_cutters
from vision.board.loose import Loose, find_loose
from vision.board.pose import LEAST_AGREEING, BoardFit, BoardGrid, board_grid, find_board
from vision.board.record import BoardPrint
from vision.board.sight import sight_of
from vision.board.toppings import SpaceFit, read_spaces
from vision.frame import Image
from vision.registration import Registration
from vision.scene import EMPTY, FaceLikelihood, PieceKind, Pose, Sighting, Space
from vision.shapes import as_points, place

Array = NDArray[np.float64]

BOARD_FACE = "board"
WELL_SEEN = 0.88
"""A board of which less than this share is seen as enrolled may be another one."""
LEAST_SCORE = 2.6
"""A line explained less well than this is no cutter."""
CIRCLE = np.radians(np.arange(0.0, 360.0, 10.0))


@dataclass(frozen=True, slots=True)
class BoardFinder:
    """Finds one board with its toppings and cutters."""

    board: BoardPrint
    grid: BoardGrid
    """What `board_grid` gives of it."""
    name: str = "board"

    def find(self, image: Image, registration: Registration, seen: Sequence[Sighting]) -> Sequence[Sighting]:
        """The board, its toppings, and its cutters from the lowest to the highest; nothing where there is no board."""
        sight = sight_of(image, registration)
        fit = find_board(sight, self.board, self.grid)
        if fit is None:
            return ()
        spaces = read_spaces(sight, self.board, fit)
        cutters = find_cutters(sight, image, self.board, fit, spaces)
        cutters = tuple(cutter for cutter in cutters if _certainty(cutter) > 0.0)
        over = [cutter.outline(self.board.cutter_mm[1]) for cutter in cutters]
        spaces = read_spaces(sight, self.board, fit, over)
        toppings = [_topping(space, self.board) for space in spaces if space.likely not in (None, EMPTY)]
        taken = [np.array(other.outline_mm) for other in seen]
        loose = [_loose(one, self.board) for one in find_loose(sight, self.board, fit, taken)]
        over_it = [_cutter(cutter, self.board) for cutter in cutters]
        return (_board(self.board, fit, spaces), *toppings, *loose, *over_it)


def board_finder(board: BoardPrint) -> BoardFinder:
    """The finder for one owner's board."""
    return BoardFinder(board, board_grid(board))


def _board(board: BoardPrint, fit: BoardFit, spaces: Sequence[SpaceFit]) -> Sighting:
    rim = board.diameter_mm / 2 * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
    sure = _board_certainty(fit)
    return Sighting(
        PieceKind.BOARD,
        _pose(fit.pose[:2], float(fit.pose[2])),
        (FaceLikelihood(BOARD_FACE, round(sure, 4)),),
        True,
        round(fit.agreeing, 3),
        as_points(place(rim, fit.pose)),
        spaces=tuple(_space(space, board, fit, i) for i, space in enumerate(spaces)),
    )


def _board_certainty(fit: BoardFit) -> float:
    seen = (fit.agreeing - LEAST_AGREEING) / (WELL_SEEN - LEAST_AGREEING)
    return fit.turn_probability * float(np.clip(seen, 0.0, 1.0))


def _space(space: SpaceFit, board: BoardPrint, fit: BoardFit, index: int) -> Space:
    x, y = place(board.spaces_mm[index][None], fit.pose)[0]
    sure = _board_certainty(fit)
    contents = [(name, share * sure) for name, share in space.contents]
    return Space(space.name, round(float(x), 2), round(float(y), 2), _ranked(contents))


def _topping(space: SpaceFit, board: BoardPrint) -> Sighting:
    rim = space.at_mm + board.topping_mm / 2 * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
    colours = tuple((name, share) for name, share in space.contents if name != EMPTY)
    return Sighting(
        PieceKind.TOPPING, _pose(space.at_mm, 0.0), _ranked(colours), True, round(space.seen, 3), as_points(rim)
    )


def _loose(one: Loose, board: BoardPrint) -> Sighting:
    rim = one.at_mm + board.topping_mm / 2 * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
    return Sighting(
        PieceKind.TOPPING, _pose(one.at_mm, 0.0), _ranked([(one.colour, one.probability)]), True, 1.0, as_points(rim)
    )


def _cutter(cutter: CutterFit, board: BoardPrint) -> Sighting:
    step = cutter.ends_mm[1] - cutter.ends_mm[0]
    side = np.array([-step[1], step[0]]) / np.linalg.norm(step) * board.cutter_mm[1] / 2
    first, last = cutter.ends_mm
    sure = _certainty(cutter)
    return Sighting(
        PieceKind.CUTTER,
        _pose(cutter.ends_mm.mean(0), float(np.degrees(np.arctan2(step[1], step[0])))),
        _ranked([(name, share * sure) for name, share in cutter.colours]),
        True,
        round(cutter.seen, 3),
        as_points(np.array([first - side, last - side, last + side, first + side])),
    )


def _certainty(cutter: CutterFit) -> float:
    explained = (cutter.score - LEAST_SCORE) / (SURE_SCORE - LEAST_SCORE)
    unlike = (cutter.unlike - LEAST_UNLIKE) / (SURE_UNLIKE - LEAST_UNLIKE)
    return float(np.clip(explained, 0.0, 1.0) * np.clip(unlike, 0.0, 1.0))


def _pose(at_mm: Array, angle_deg: float) -> Pose:
    return Pose(round(float(at_mm[0]), 3), round(float(at_mm[1]), 3), round(angle_deg % 360.0, 3))


def _ranked(shares: Sequence[tuple[str, float]]) -> tuple[FaceLikelihood, ...]:
    return tuple(FaceLikelihood(name, round(share, 4)) for name, share in shares)
