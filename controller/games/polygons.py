"""Outlines on the table, in its millimetres."""

import math
from collections.abc import Sequence

from vision.scene import Point


def inside(point: Point, polygon: Sequence[Point]) -> bool:
    """Whether the point lies in the polygon (even-odd rule)."""
    x, y = point
    odd = False
    for (ax, ay), (bx, by) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            odd = not odd
    return odd


def apart_mm(first: Sequence[Point], second: Sequence[Point], far_mm: float) -> float:
    """How far two polygons are apart, 0 where they meet: exact up to `far_mm`, beyond that something between `far_mm`
    and the distance."""
    apart = max(
        min([x for x, _ in first]) - max([x for x, _ in second]),
        min([x for x, _ in second]) - max([x for x, _ in first]),
        min([y for _, y in first]) - max([y for _, y in second]),
        min([y for _, y in second]) - max([y for _, y in first]),
    )
    if apart > far_mm:
        return apart
    if inside(first[0], second) or inside(second[0], first):
        return 0.0
    nearest = math.inf
    for a, b in zip(first, (*first[1:], first[0]), strict=True):
        for c, d in zip(second, (*second[1:], second[0]), strict=True):
            if _cross(a, b, c, d):
                return 0.0
            nearest = min(nearest, _to_segment(a, c, d), _to_segment(c, a, b))
    return nearest


def _to_segment(point: Point, a: Point, b: Point) -> float:
    vx, vy = b[0] - a[0], b[1] - a[1]
    length = vx * vx + vy * vy
    along = 0.0 if length == 0 else max(0.0, min(1.0, ((point[0] - a[0]) * vx + (point[1] - a[1]) * vy) / length))
    return math.hypot(point[0] - a[0] - along * vx, point[1] - a[1] - along * vy)


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
