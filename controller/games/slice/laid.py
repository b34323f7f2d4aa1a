"""Where SLICE lies on a table: each player's order card, the eight places around it, the piles in the middle.

The order card tells where a pizza lies and which way round: place 1 lies beyond its top, the others clockwise.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from controller.game import Player
from controller.games.polygons import inside
from vision.scene import Point, Pose

PLACES = 8
CIRCLE_MM = (50.0, 115.0)
"""A slice whose centre lies so far from an order card's belongs to the circle around it."""
RADIUS_MM = 82.0
"""So far people lay slices from the order card, centre to centre."""
MIDDLE_MM = 150.0
"""The piles lie within this square around the mat's middle."""


def place_at(order: Pose, card: Pose) -> int | None:
    """The place, 1 to 8, in which a card lies beside this order card; None for one too near or too far."""
    if not CIRCLE_MM[0] <= math.dist((order.x_mm, order.y_mm), (card.x_mm, card.y_mm)) <= CIRCLE_MM[1]:
        return None
    way = math.degrees(math.atan2(card.y_mm - order.y_mm, card.x_mm - order.x_mm))
    return round((order.angle_deg - way) * PLACES / 360) % PLACES + 1


def place_pose(order: Pose, place: int) -> Pose:
    """Where the slice of a place lies, its top outwards."""
    way = order.angle_deg - (place - 1) * 360 / PLACES
    x, y = math.cos(math.radians(way)), math.sin(math.radians(way))
    return Pose(order.x_mm + RADIUS_MM * x, order.y_mm + RADIUS_MM * y, way % 360.0)


def in_middle(pose: Pose) -> bool:
    """Whether a card lies where the piles are."""
    return max(abs(pose.x_mm), abs(pose.y_mm)) < MIDDLE_MM


def nearest_player(pose: Pose, areas: Mapping[Player, Sequence[Sequence[Point]]]) -> Player | None:
    """Whose part of the table is nearest; None where nobody's is known."""
    at = (pose.x_mm, pose.y_mm)
    far = {player: min(_far(at, area) for area in polygons) for player, polygons in areas.items() if polygons}
    return min(far, key=lambda player: far[player], default=None)


def order_pose(polygons: Sequence[Sequence[Point]]) -> Pose:
    """Where a player lays the order card: in the middle of the own seat (the first polygon), as near to the mat's
    middle as leaves the piles and the mat's corners free, its top towards it."""
    seat = polygons[0]
    x = sum(point[0] for point in seat) / len(seat)
    y = sum(point[1] for point in seat) / len(seat)
    wide = max(point[0] for point in seat) - min(point[0] for point in seat)
    high = max(point[1] for point in seat) - min(point[1] for point in seat)
    if wide > 2 * high and abs(x) < high:  # at the near or far edge: the circle is larger than what is beside the mat
        return Pose(0.0, math.copysign(200.0, y), 90.0 if y < 0 else 270.0)
    return Pose(math.copysign(335.0, x), math.copysign(113.0, y), 0.0 if x < 0 else 180.0)


def overlap(one: Sequence[Point], other: Sequence[Point]) -> bool:
    """Whether two cards' outlines have some part in common; a card's middle and corners tell."""
    return any(inside(point, other) for point in _probes(one)) or any(inside(point, one) for point in _probes(other))


def _probes(outline: Sequence[Point]) -> Iterable[Point]:
    x = sum(point[0] for point in outline) / len(outline)
    y = sum(point[1] for point in outline) / len(outline)
    return [(x, y), *outline, *(((px + x) / 2, (py + y) / 2) for px, py in outline)]


def _far(at: Point, polygon: Sequence[Point]) -> float:
    """Millimetres from a point to a polygon; 0 within it."""
    if inside(at, polygon):
        return 0.0
    return min(_from_side(at, a, b) for a, b in zip(polygon, (*polygon[1:], polygon[0]), strict=True))


def _from_side(at: Point, a: Point, b: Point) -> float:
    along = ((at[0] - a[0]) * (b[0] - a[0]) + (at[1] - a[1]) * (b[1] - a[1])) / max(1e-9, math.dist(a, b) ** 2)
    share = min(1.0, max(0.0, along))
    return math.dist(at, (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])))
