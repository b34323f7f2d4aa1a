"""A board's parts, as they were fitted, as sightings."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.cutters import certainty
from vision.board.loose import Loose
from vision.board.pose import LEAST_AGREEING, BoardFit
from vision.board.record import BoardPrint
from vision.board.stick_colours import CutterFit
from vision.board.toppings import SpaceFit
from vision.scene import EMPTY, FaceLikelihood, PieceKind, Pose, Sighting, Space
from vision.shapes import as_points, place

Array = NDArray[np.float64]

BOARD_FACE = "board"
WELL_SEEN = 0.85
"""A board of which less than this share of what is open is seen as enrolled may be another one, or lies under a hand,
which looks like some topping or cutter here and there."""
LEAST_OPEN, ENOUGH_OPEN = 0.15, 0.35
"""Less than the first share of a board says nothing, the second says enough."""
BESIDE_HANDS_MM, DOUBTED = 8.0, 0.85
"""In light that was taken off a picture fingers look like toppings and like sticks' colours: what lies no farther from
what covers the board is no surer there than by this share."""
ODD_COST = 7.0
"""In any light that holds where what is likeliest on a space fits as badly as this: fingertips look like white toppings
there, at a cost of 7.3 to 25. Of 98 right claims beside hands (shared, path-traced and simulated pictures) twelve cost
more, before toppings were tried in a lamp's sheen."""
HALF_SEEN = 0.5
"""Of what shows less beside hands nothing is sure, as what hides the rest may hide more than it seems to."""
CIRCLE = np.radians(np.arange(0.0, 360.0, 10.0))


def board_sighting(
    board: BoardPrint, fit: BoardFit, spaces: Sequence[Space], covering_mm: Sequence[Array] = ()
) -> Sighting:
    """The board with its spaces, and the outlines (n x 2 each) of what lies over it."""
    rim = board.diameter_mm / 2 * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
    sure = _board_certainty(fit)
    return Sighting(
        PieceKind.BOARD,
        _pose(fit.pose[:2], float(fit.pose[2])),
        (FaceLikelihood(BOARD_FACE, round(sure, 4)),),
        True,
        round(fit.agreeing * fit.open_share, 3),
        as_points(place(rim, fit.pose)),
        spaces=tuple(spaces),
        covering_mm=tuple(as_points(outline) for outline in covering_mm),
    )


def _board_certainty(fit: BoardFit) -> float:
    return fit.turn_probability * _well_seen(fit)


def _well_seen(fit: BoardFit) -> float:
    agreeing = (fit.agreeing - LEAST_AGREEING) / (WELL_SEEN - LEAST_AGREEING)
    is_open = (fit.open_share - LEAST_OPEN) / (ENOUGH_OPEN - LEAST_OPEN)
    return float(np.prod(np.clip([agreeing, is_open], 0.0, 1.0)))


def space_of(space: SpaceFit, board: BoardPrint, fit: BoardFit) -> Space:
    """One space of the board."""
    x, y = place(board.spaces_mm[board.space_names.index(space.name)][None], fit.pose)[0]
    sure = _board_certainty(fit)
    contents = [(name, share * sure) for name, share in space.contents]
    return Space(space.name, round(float(x), 2), round(float(y), 2), _ranked(contents))


def topping_sighting(space: SpaceFit, board: BoardPrint, fit: BoardFit) -> Sighting:
    """The topping on a space."""
    rim = space.at_mm + board.topping_mm / 2 * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
    seen = _well_seen(fit)
    colours = tuple((name, share * seen) for name, share in space.contents if name != EMPTY)
    return Sighting(
        PieceKind.TOPPING, _pose(space.at_mm, 0.0), _ranked(colours), True, round(space.seen, 3), as_points(rim)
    )


def loose_sighting(one: Loose, board: BoardPrint) -> Sighting:
    """A topping beside the board."""
    rim = one.at_mm + board.topping_mm / 2 * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
    return Sighting(
        PieceKind.TOPPING, _pose(one.at_mm, 0.0), _ranked([(one.colour, one.probability)]), True, 1.0, as_points(rim)
    )


def cutter_sighting(cutter: CutterFit, board: BoardPrint, fit: BoardFit) -> Sighting:
    """A cutter where it truly lies."""
    step = cutter.ends_mm[1] - cutter.ends_mm[0]
    side = np.array([-step[1], step[0]]) / np.linalg.norm(step) * board.cutter_mm[1] / 2
    first, last = cutter.ends_mm
    sure = certainty(cutter) * cutter.way * _well_seen(fit)
    return Sighting(
        PieceKind.CUTTER,
        _pose(cutter.ends_mm.mean(0), float(np.degrees(np.arctan2(step[1], step[0])))),
        _ranked([(name, share * sure) for name, share in cutter.colours]),
        True,
        round(cutter.seen, 3),
        as_points(np.array([first - side, last - side, last + side, first + side])),
    )


def doubted_beside(covering_mm: Sequence[Array], lying: Sequence[Sighting]) -> list[Sighting]:
    """The board and what lies on it, of which nothing beside what covers the board (outlines, n x 2 each) is sure."""
    return [_doubted(one, covering_mm) for one in lying]


def odd_ones_doubted(
    covering_mm: Sequence[Array], spaces: Sequence[SpaceFit], topping_mm: float
) -> tuple[SpaceFit, ...]:
    """The same spaces; nothing is sure on those that fit badly, or of which less than half shows, beside what covers
    the board (outlines, n x 2 each)."""
    rim = topping_mm / 2 * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
    odd = [
        (space.cost > ODD_COST or space.seen < HALF_SEEN) and _beside(space.at_mm + rim, covering_mm)
        for space in spaces
    ]
    return tuple(
        replace(space, contents=tuple((name, share * DOUBTED) for name, share in space.contents)) if doubt else space
        for space, doubt in zip(spaces, odd, strict=True)
    )


def _doubted(one: Sighting, covering_mm: Sequence[Array]) -> Sighting:
    if one.kind is PieceKind.BOARD:
        near = [_beside(np.array([[space.x_mm, space.y_mm]]), covering_mm) for space in one.spaces]
        spaces = zip(one.spaces, near, strict=True)
        return replace(
            one, spaces=tuple(replace(s, contents=_less_sure(s.contents)) if beside else s for s, beside in spaces)
        )
    corners = np.array(one.outline_mm)
    steps = np.linspace(0.0, 1.0, 60)[:, None]
    ends = (corners[:2] + corners[[3, 2]]) / 2
    points = ends[0] + steps * (ends[1] - ends[0]) if one.kind is PieceKind.CUTTER else corners
    return replace(one, faces=_less_sure(one.faces)) if _beside(points, covering_mm) else one


def _beside(points_mm: Array, outlines_mm: Sequence[Array]) -> bool:
    """Whether one of these points lies in one of these outlines, or no farther than that beside it."""
    contours = [np.asarray(outline, np.float32).reshape(-1, 1, 2) for outline in outlines_mm]
    return any(
        cv2.pointPolygonTest(contour, (float(x), float(y)), measureDist=True) > -BESIDE_HANDS_MM
        for contour in contours
        for x, y in points_mm
    )


def _less_sure(faces: Sequence[FaceLikelihood]) -> tuple[FaceLikelihood, ...]:
    return _ranked([(face.face, face.probability * DOUBTED) for face in faces])


def _pose(at_mm: Array, angle_deg: float) -> Pose:
    return Pose(round(float(at_mm[0]), 3), round(float(at_mm[1]), 3), round(angle_deg % 360.0, 3))


def _ranked(shares: Sequence[tuple[str, float]]) -> tuple[FaceLikelihood, ...]:
    return tuple(FaceLikelihood(name, round(share, 4)) for name, share in shares)
