"""What no single setting shows: pins used twice, seats off the table."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from config.lines import Key
from config.schema import Point, TableConfig

Polygon = tuple[Point, ...]

MAT_HALF_MM = 200.0
"""Half a side of the mat that `pizzatable kit` prints, the one that is read: as `vision.mat.markers` has it."""


@dataclass(frozen=True, slots=True)
class Collision:
    """A setting that is wrong because of another one, or of the table."""

    key: Key
    problem: str
    """What was expected; reads on with the other setting, where there is one."""
    other: Key | None = None
    """The setting it collides with."""


def collisions(table: TableConfig) -> Iterator[Collision]:
    """Everything about a table that cannot be, in the order of its settings."""
    yield from _too_few_seats(table)
    yield from _pins_used_twice(table)
    yield from _seats_off_the_table(table)
    yield from _seats_over_one_another(table)


def overlap(a: Polygon, b: Polygon) -> bool:
    """Whether two convex polygons share more than an edge (separating axis theorem)."""
    return not any(_separates(normal, a, b) for polygon in (a, b) for normal in _normals(polygon))


def is_convex(polygon: Polygon) -> bool:
    """Whether the corners, in either direction, go once round a convex area."""
    turns = [
        (x2 - x1) * (y3 - y2) - (y2 - y1) * (x3 - x2)
        for (x1, y1), (x2, y2), (x3, y3) in zip(
            polygon, polygon[1:] + polygon[:1], polygon[2:] + polygon[:2], strict=True
        )
    ]
    same_side = all(turn > 0 for turn in turns) or all(turn < 0 for turn in turns)
    return same_side and math.isclose(abs(_turned_rad(polygon)), 2 * math.pi)


def _too_few_seats(table: TableConfig) -> Iterator[Collision]:
    if len(table.seats) < 2:
        yield Collision(("seats",), f"expected at least 2 seats that are present, there are {len(table.seats)}")


def _pins_used_twice(table: TableConfig) -> Iterator[Collision]:
    used: dict[int, Key] = {}
    for key, pin in _pins(table):
        if pin in used:
            yield Collision(key, f"expected a pin of its own; pin {pin} is used by", used[pin])
        used.setdefault(pin, key)


def _pins(table: TableConfig) -> Iterator[tuple[Key, int]]:
    for number, seat in table.seats.items():
        yield ("seats", str(number), "button_pin"), seat.button_pin
        yield ("seats", str(number), "lamp_pin"), seat.lamp_pin
    yield ("host", "button_pin"), table.host.button_pin
    yield ("host", "buzzer_pin"), table.host.buzzer_pin


def _seats_off_the_table(table: TableConfig) -> Iterator[Collision]:
    half_x_mm, half_y_mm = (side_mm / 2 for side_mm in table.camera.view_mm)
    mat = tuple((x * MAT_HALF_MM, y * MAT_HALF_MM) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    for number, seat in table.seats.items():
        key = ("seats", str(number), "area_mm")
        outside = [(x, y) for x, y in seat.area_mm if abs(x) > half_x_mm or abs(y) > half_y_mm]
        if not is_convex(seat.area_mm):
            yield Collision(key, "expected a convex area, its corners in order")
        elif outside:
            yield Collision(
                key,
                f"seat {number} is off the table: expected corners within x ±{half_x_mm:g} mm and y ±{half_y_mm:g} mm, "
                f"what the camera sees; ({outside[0][0]:g}, {outside[0][1]:g}) is not",
            )
        elif overlap(seat.area_mm, mat):
            yield Collision(
                key,
                f"seat {number} lies on the mat: expected an area outside of x ±{MAT_HALF_MM:g} mm, "
                f"y ±{MAT_HALF_MM:g} mm",
            )


def _seats_over_one_another(table: TableConfig) -> Iterator[Collision]:
    convex = [number for number, seat in table.seats.items() if is_convex(seat.area_mm)]
    for first, second in combinations(convex, 2):
        if overlap(table.seats[first].area_mm, table.seats[second].area_mm):
            yield Collision(
                ("seats", str(second), "area_mm"),
                "expected an area of its own; it overlaps",
                ("seats", str(first), "area_mm"),
            )


def _normals(polygon: Polygon) -> list[Point]:
    return [(y2 - y1, x1 - x2) for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1], strict=True)]


def _separates(axis: Point, a: Polygon, b: Polygon) -> bool:
    along_a = [x * axis[0] + y * axis[1] for x, y in a]
    along_b = [x * axis[0] + y * axis[1] for x, y in b]
    return max(along_a) <= min(along_b) or max(along_b) <= min(along_a)


def _turned_rad(polygon: Polygon) -> float:
    """By how much one turns in all, walking round; two full turns for a star."""
    headings = [
        math.atan2(y2 - y1, x2 - x1) for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1], strict=True)
    ]
    return sum(
        math.remainder(following - heading, 2 * math.pi)
        for heading, following in zip(headings, headings[1:] + headings[:1], strict=True)
    )
