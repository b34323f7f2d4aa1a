"""How slices and Specials lie: in the circle, in portions, in a player's area. Geometry only, no rules.

Table millimetres and degrees as in `vision.scene`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from controller.games.polygons import apart_mm, inside
from vision.scene import PieceKind, Point, Sighting

SLICE_ANGLE_DEG = 360 / 11
MIDDLE_TIP_MM = 78.0
"""A slice whose tip is nearer to the mat's centre than this belongs to the pizza, also when its portion was pulled out
by 60 mm."""
CUT_MM = 10.0
"""Neighbouring slices whose facing edges are further apart than this lie in different portions. Slices of a circle laid
by hand gape up to about 6 mm; portions are pulled at least 20 mm apart, leaving 12 mm or more between their edges."""
CUT_SOFTNESS_MM = 0.9
"""How far from CUT_MM the doubt reaches: the scale of a logistic curve."""
OVERLAP_MM = 2.0
"""Slices that lie over each other by this much along their edges lie together; where they lie is told to parts of a
millimetre."""
TOGETHER_MM = 5.0
"""Slices whose facing edges are nearer than this lie together beyond doubt."""
TOUCH_MM = 12.0
"""A Special nearer than this to a portion's slices lies with that portion."""
TOUCH_SOFTNESS_MM = 1.5
FAR_MM = 40.0
"""Pieces further apart than this do not lie together, whatever the exact distance."""


class Where(Enum):
    """The kinds of places a piece can lie in."""

    MIDDLE = "middle"
    SEAT = "seat"
    STRAY = "stray"


@dataclass(frozen=True, slots=True)
class Place:
    """Where one sighting lies."""

    where: Where
    player: int = 0
    """Whose area it is; 0 outside of areas."""


def centroid(sighting: Sighting) -> Point:
    """The centre of a piece's outline."""
    x, y = sighting.pose.x_mm, sighting.pose.y_mm
    if sighting.kind is PieceKind.SPECIAL:
        return (x, y)
    reach = _reach(sighting)
    angle = math.radians(sighting.pose.angle_deg)
    return (x + 0.65 * reach * math.cos(angle), y + 0.65 * reach * math.sin(angle))


def place(sighting: Sighting, areas: Mapping[int, Sequence[Sequence[Point]]]) -> Place:
    """Which area a sighting lies in; the pizza's place is the mat's middle."""
    tip = math.hypot(sighting.pose.x_mm, sighting.pose.y_mm)
    if sighting.kind is PieceKind.SLICE and tip < MIDDLE_TIP_MM:
        return Place(Where.MIDDLE)
    at = centroid(sighting)
    for player, polygons in areas.items():
        if any(inside(at, polygon) for polygon in polygons):
            return Place(Where.SEAT, player)
    if sighting.kind is PieceKind.SPECIAL:
        return Place(Where.MIDDLE)
    return Place(Where.STRAY)


def clockwise(slices: Sequence[Sighting]) -> list[int]:
    """The order of the slices of one pizza, clockwise as seen from above: indices into `slices`.

    A slice points away from the centre of its pizza, and pulling a portion out hardly turns it, so its own angle gives
    its turn. The order begins after the widest gap.
    """
    order = sorted(range(len(slices)), key=lambda i: -slices[i].pose.angle_deg % 360)
    if len(order) < 2:
        return order
    gaps = [gap_mm(slices[order[i - 1]], slices[order[i]]) for i in range(len(order))]
    widest = max(range(len(gaps)), key=lambda i: gaps[i])
    return order[widest:] + order[:widest]


def gap_mm(first: Sighting, second: Sighting) -> float:
    """How far apart the facing edges of two slices are, measured between the edges' middles, the second lying clockwise
    of the first; 0 where one lies on the other's edge, however far along it: nothing is cut there."""
    a = _edge_middle(first, -SLICE_ANGLE_DEG / 2)
    b = _edge_middle(second, SLICE_ANGLE_DEG / 2)
    if (first.pose.angle_deg - second.pose.angle_deg) % 360 > 180:
        return math.dist(a, b)  # all the way round to the second
    normals = (first.pose.angle_deg - SLICE_ANGLE_DEG / 2 - 90.0, second.pose.angle_deg + SLICE_ANGLE_DEG / 2 - 90.0)
    across = sum(_along(a, b, turn_deg) for turn_deg in normals) / 2
    return math.dist(a, b) * min(max(1.0 + across / OVERLAP_MM, 0.0), 1.0)


def cut_probability(gap: float) -> float:
    """How likely it is that a gap of this many millimetres parts two portions."""
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, (gap - CUT_MM) / CUT_SOFTNESS_MM))))


def touch_probability(distance: float) -> float:
    """How likely it is that a Special this many millimetres from a portion lies with it."""
    return 1 / (1 + math.exp(max(-40.0, min(40.0, (distance - TOUCH_MM) / TOUCH_SOFTNESS_MM))))


def distance_mm(first: Sighting, others: Iterable[Sighting]) -> float:
    """Between the outline of one piece and the nearest of the others; 0 where they overlap, infinite without others.

    Exact up to FAR_MM; beyond that something between FAR_MM and the distance.
    """
    return min((apart_mm(first.outline_mm, other.outline_mm, FAR_MM) for other in others), default=math.inf)


def _along(start: Point, end: Point, turn_deg: float) -> float:
    """How far `end` lies from `start` along a direction."""
    turn = math.radians(turn_deg)
    return (end[0] - start[0]) * math.cos(turn) + (end[1] - start[1]) * math.sin(turn)


def _edge_middle(sighting: Sighting, turn_deg: float) -> Point:
    reach = _reach(sighting)
    angle = math.radians(sighting.pose.angle_deg + turn_deg)
    return (
        sighting.pose.x_mm + reach / 2 * math.cos(angle),
        sighting.pose.y_mm + reach / 2 * math.sin(angle),
    )


def _reach(sighting: Sighting) -> float:
    """From a slice's tip to its crust."""
    tip = (sighting.pose.x_mm, sighting.pose.y_mm)
    return max([math.dist(tip, point) for point in sighting.outline_mm])
