"""Where things lie on the table: whose sheet is whose, which die lies where. Geometry only, no rules.

Table millimetres as in `vision.scene`.
"""

import math
from collections.abc import Mapping, Sequence

from controller.game import Player
from controller.games.dice_and_slice.components import Face
from controller.games.polygons import inside
from controller.reading import Layout
from vision.scene import Point, Sighting

MIDDLE_MM = 204.0
"""Dice that were thrown lie no farther than this from the table's middle, to any side: on the mat."""


def owner(spot: Point, layout: Layout) -> Player:
    """In whose area, or nearest to whose, this is."""
    return min(layout.areas, key=lambda player: _away_mm(spot, layout.areas[player]))


def area_of(spot: Point, layout: Layout) -> Player | None:
    """In whose area this is, where it is in one and not on the mat."""
    if is_in_middle(spot):
        return None
    player = owner(spot, layout)
    return player if is_before(spot, player, layout) else None


def is_before(spot: Point, player: Player, layout: Layout) -> bool:
    """Whether this is in a player's area."""
    return any(inside(spot, area) for area in layout.areas[player])


def is_in_middle(spot: Point) -> bool:
    """Whether this is on the mat."""
    return abs(spot[0]) <= MIDDLE_MM and abs(spot[1]) <= MIDDLE_MM


def lies_on(spot: Point, pieces: Sequence[Sighting]) -> bool:
    """Whether this is on one of these pieces."""
    return any(inside(spot, piece.outline_mm) for piece in pieces)


def at(piece: Sighting) -> Point:
    """Where the middle of a sheet or a die lies."""
    return piece.pose.x_mm, piece.pose.y_mm


def turns_of(picture: Sequence[str], mark: str) -> frozenset[frozenset[tuple[int, int]]]:
    """The dots of rows of signs in their four turns, each moved to the lower left."""
    dots = {(x, -y) for y, row in enumerate(picture) for x, sign in enumerate(row) if sign == mark}
    turned = []
    for _ in range(4):
        left, bottom = min((x for x, _ in dots), default=0), min((y for _, y in dots), default=0)
        turned.append(frozenset((x - left, y - bottom) for x, y in dots))
        dots = {(-y, x) for x, y in dots}
    return frozenset(turned)


def face_shown(faces: Mapping[str, Face], pattern: Sequence[str]) -> str | None:
    """Which of these faces has the dots (#) of such rows, in any turn; None: a die of something else."""
    shown = turns_of(pattern, "#")
    return next((name for name, face in faces.items() if face.dots in shown), None)


def seat_way(areas: Mapping[Player, Sequence[Sequence[Point]]], player: Player) -> Point:
    """Into which of the four directions this player sits from the table's middle."""
    x, y = (sum(values) / len(areas[player][0]) for values in zip(*areas[player][0], strict=True))
    return (0.0, math.copysign(1.0, y)) if abs(y) * 1.5 > abs(x) else (math.copysign(1.0, x), 0.0)


def _away_mm(spot: Point, areas: Sequence[Sequence[Point]]) -> float:
    return min(0.0 if inside(spot, area) else _to_outline_mm(spot, area) for area in areas)


def _to_outline_mm(spot: Point, outline: Sequence[Point]) -> float:
    sides = zip(outline, (*outline[1:], outline[0]), strict=True)
    return min(_to_side_mm(spot, a, b) for a, b in sides)


def _to_side_mm(spot: Point, a: Point, b: Point) -> float:
    along = (b[0] - a[0], b[1] - a[1])
    square = along[0] ** 2 + along[1] ** 2
    share = ((spot[0] - a[0]) * along[0] + (spot[1] - a[1]) * along[1]) / square if square else 0.0
    share = min(1.0, max(0.0, share))
    return math.dist(spot, (a[0] + share * along[0], a[1] + share * along[1]))
