"""The geometry behind seats that lie over one another."""

import pytest

from config.checks import MAT_HALF_MM, Polygon, is_convex, overlap
from vision.mat import markers

SQUARE: Polygon = ((0, 0), (2, 0), (2, 2), (0, 2))


def test_seats_lie_outside_of_the_mat_that_is_read() -> None:
    assert MAT_HALF_MM == markers.MAT_HALF_MM


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (((1, 1), (3, 1), (3, 3), (1, 3)), True),
        (((0.5, 0.5), (1, 0.5), (1, 1)), True),
        (SQUARE, True),
        (((-1, 1), (3, 0.5), (3, 1.5)), True),
        (((2, 0), (4, 0), (4, 2), (2, 2)), False),
        (((3, 0), (4, 0), (4, 2)), False),
        (((3, 0), (5, 2), (3, 3)), False),
        (((2.5, 1.6), (1.6, 2.5), (3, 3)), False),
    ],
)
def test_overlap(other: Polygon, expected: bool) -> None:
    assert overlap(SQUARE, other) is expected
    assert overlap(other, SQUARE) is expected


@pytest.mark.parametrize(
    ("polygon", "expected"),
    [
        (SQUARE, True),
        (tuple(reversed(SQUARE)), True),
        (((0, 0), (2, 0), (1, 0.5), (0, 2)), False),
        (((0, 0), (2, 2), (2, 0), (0, 2)), False),
        (((0, 0), (1, 0), (2, 0)), False),
        (((0, 3), (2, -3), (-3, 1), (3, 1), (-2, -3)), False),
    ],
)
def test_convex(polygon: Polygon, expected: bool) -> None:
    assert is_convex(polygon) is expected
