"""Geometry of slices and Specials on a table."""

import math
from itertools import pairwise

import pytest

from controller.games import cut_and_choose_laid as lie
from controller.games.cut_and_choose_laid import Place, Where
from controller.games.polygons import inside
from tests.controller.perfect_eyes import SLICE_MM, outline
from vision.scene import FaceLikelihood, PieceKind, Pose, Sighting

AREAS = {1: [((-560.0, -325.0), (560.0, -325.0), (560.0, -208.0), (-560.0, -208.0))]}
STEP = lie.SLICE_ANGLE_DEG


def lying(x: float, y: float, angle: float, kind: PieceKind = PieceKind.SLICE) -> Sighting:
    pose = Pose(x, y, angle)
    return Sighting(kind, pose, (FaceLikelihood("3/1", 1.0),), True, 1.0, outline(kind, pose))


def circle(count: int = 11, out_mm: float = 0.0, start: float = 20.0) -> list[Sighting]:
    """Slices clockwise around the mat's centre, each pulled out by so much."""
    angles = [math.radians(start - k * STEP) for k in range(count)]
    return [lying(out_mm * math.cos(a), out_mm * math.sin(a), math.degrees(a)) for a in angles]


def test_inside_and_outside_of_a_polygon() -> None:
    corner = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (5.0, 5.0), (0.0, 10.0))
    assert inside((2, 5), corner)
    assert not inside((5, 8), corner)
    assert not inside((11, 5), corner)


@pytest.mark.parametrize(
    ("sighting", "place"),
    [
        (lying(0, 0, 270), Place(Where.MIDDLE)),
        (lying(0, -70, 270), Place(Where.MIDDLE)),
        (lying(0, -210, 270), Place(Where.SEAT, 1)),
        (lying(0, -310, 90), Place(Where.SEAT, 1)),
        (lying(200, 200, 45), Place(Where.STRAY)),
        (lying(0, -90, 270), Place(Where.STRAY)),
        (lying(0, -172, 0, PieceKind.SPECIAL), Place(Where.MIDDLE)),
        (lying(0, -215, 0, PieceKind.SPECIAL), Place(Where.SEAT, 1)),
        (lying(540, 300, 0, PieceKind.SPECIAL), Place(Where.MIDDLE)),
    ],
)
def test_where_pieces_count_as_lying(sighting: Sighting, place: Place) -> None:
    assert lie.place(sighting, AREAS) == place


@pytest.mark.parametrize("turned", range(11))
def test_slices_are_ordered_clockwise_wherever_they_begin(turned: int) -> None:
    slices = circle()
    mixed = slices[turned:] + slices[:turned]
    order = lie.clockwise(mixed)
    assert sorted(order) == list(range(11))
    assert all((b - a) % 11 == 1 for a, b in pairwise(order))


def test_the_order_begins_after_the_widest_gap() -> None:
    slices = circle()
    del slices[4]
    assert lie.clockwise(slices)[0] == 4
    assert lie.clockwise(slices[:1]) == [0]
    assert lie.clockwise([]) == []


def test_gaps_open_as_portions_are_pulled_out() -> None:
    assert lie.gap_mm(*circle(2)) == pytest.approx(0, abs=1e-6)
    together = circle(2)
    pulled = lying(24 * math.cos(math.radians(20)), 24 * math.sin(math.radians(20)), 20)
    assert lie.gap_mm(pulled, together[1]) == pytest.approx(24)
    assert lie.gap_mm(together[0], together[1]) < lie.TOGETHER_MM < lie.CUT_MM


@pytest.mark.parametrize("covered", [0.1, 0.25, 0.4])
@pytest.mark.parametrize("out_mm", [0.0, 7.0])
def test_slices_that_lie_over_each_other_are_not_cut_apart(covered: float, out_mm: float) -> None:
    """Edges that lie past each other are as far apart as a cut would be, but nothing is cut there."""
    turn = math.radians(20.0 - STEP * (1.0 - covered))
    over = lying(out_mm * math.cos(turn), out_mm * math.sin(turn), math.degrees(turn))
    assert lie.gap_mm(lying(0.0, 0.0, 20.0), over) < lie.TOGETHER_MM
    assert lie.gap_mm(over, lying(0.0, 0.0, 20.0)) > lie.CUT_MM  # all the way round


def test_a_gap_does_not_leap_where_edges_pass_each_other() -> None:
    gaps = [lie.gap_mm(lying(0.0, 0.0, 20.0), lying(12.0, 0.0, 20.0 - STEP + turn / 10.0)) for turn in range(-60, 60)]
    assert max(abs(after - before) for before, after in pairwise(gaps)) < 1.0


@pytest.mark.parametrize(
    ("gap", "low", "high"), [(0, 0, 1e-4), (5, 0, 0.005), (10, 0.5, 0.5), (15, 0.995, 1), (200, 1, 1)]
)
def test_a_gap_becomes_a_cut(gap: float, low: float, high: float) -> None:
    assert low <= lie.cut_probability(gap) <= high


@pytest.mark.parametrize(
    ("distance", "low", "high"), [(0, 0.99, 1), (12, 0.5, 0.5), (20, 0, 0.01), (math.inf, 0, 1e-9)]
)
def test_a_special_that_is_near_lies_with_the_portion(distance: float, low: float, high: float) -> None:
    assert low <= lie.touch_probability(distance) <= high


def test_distances_between_outlines() -> None:
    slice_ = lying(0, 0, 0)
    card = lying(SLICE_MM + 30 + 7, 0, 90, PieceKind.SPECIAL)
    assert lie.distance_mm(card, [slice_]) == pytest.approx(7)
    assert lie.distance_mm(slice_, [card]) == pytest.approx(7)
    assert lie.distance_mm(lying(50, 0, 90, PieceKind.SPECIAL), [slice_]) == 0
    assert lie.distance_mm(lying(50, 20, 10, PieceKind.SPECIAL), [slice_]) == 0
    assert lie.distance_mm(card, []) == math.inf
    far = lie.distance_mm(card, [lying(-300, 0, 180)])
    assert lie.FAR_MM < far <= 407
