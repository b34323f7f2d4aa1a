"""Outlines on the table, in its millimetres."""

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
