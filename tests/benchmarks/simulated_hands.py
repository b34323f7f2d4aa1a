"""Hands that reach over a simulated table's pieces, as a single picture catches them."""

import math
from collections.abc import Sequence
from random import Random

from hardware.simulated.world import HandView, PieceView, middle_of
from vision.scene import Point

SHOULDERS_MM = ((1200.0, 250.0), (850.0, 650.0))
"""How far beyond the ends and the sides of the table people sit, and how far from the middle of their side."""
ARM_MM = 950.0
"""Nobody reaches further."""
AT_A_PIECE = 0.75
MOVING = 0.4
"""Shares of hands that reach for a piece and not just anywhere, and that move while the picture is taken."""


def reaching(rng: Random, pieces: Sequence[PieceView], reach_mm: Point) -> tuple[HandView, ...]:
    """One to three hands from different places round the table, open or closed, on it or above it.

    Half as far beyond `reach_mm` from the middle a fingertip may be, so that some hands only come into the picture.
    """
    return tuple(_hand(rng, number, pieces, reach_mm) for number in range(1, rng.randint(1, 3) + 1))


def _hand(rng: Random, number: int, pieces: Sequence[PieceView], reach_mm: Point) -> HandView:
    """`number` decides the skin and the sleeve, together with the picture's own seed."""
    if pieces and rng.random() < AT_A_PIECE:
        at = rng.choice(list(pieces))
        middle = middle_of(at.kind, at.pose)
        tip = (middle[0] + rng.gauss(0, 25), middle[1] + rng.gauss(0, 25))
    else:
        tip = (rng.uniform(-1, 1) * 1.1 * reach_mm[0], rng.uniform(-1, 1) * 1.1 * reach_mm[1])
    speed, way = rng.uniform(50, 700) * (rng.random() < MOVING), rng.uniform(0, 2 * math.pi)
    return HandView(
        number,
        tip,
        reaching_from(rng, tip),
        height_mm=rng.uniform(4, 70),
        grip=float(rng.random() < 0.5),
        speed_mm_s=(speed * math.cos(way), speed * math.sin(way)),
    )


def reaching_from(rng: Random, tip: Point) -> Point:
    """A place that the hand comes from, near enough."""
    (end, along_end), (side, along_side) = SHOULDERS_MM
    while True:
        way = rng.choice((-1.0, 1.0))
        if rng.random() < 0.5:
            place = way * end, rng.uniform(-along_end, along_end)
        else:
            place = rng.uniform(-along_side, along_side), way * side
        if math.dist(place, tip) < ARM_MM:
            return place
