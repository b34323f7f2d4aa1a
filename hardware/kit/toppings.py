"""What lies on a pizza, drawn: bold enough to be told apart from a metre away."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from random import Random

from hardware.kit.drawing import Area, Disc, Ink, Outline, Placed, Shape, Stroke, arc, placed_points
from vision.scene import Point

Draw = Callable[[Random], list[Shape]]
"""Draws within a circle of radius 1 around the origin."""


def topping(kind: str, at: Point, radius_mm: float, turn_deg: float = 0.0, *, seed: int = 0) -> Placed:
    """A topping that fills a circle.

    Raises:
        ValueError: there is no drawing of that kind.
    """
    try:
        draw = TOPPINGS[kind]
    except KeyError:
        raise ValueError(f"{kind!r}: there is no drawing of it; there are drawings of {', '.join(TOPPINGS)}") from None
    return Placed(tuple(draw(Random(seed))), at, turn_deg, radius_mm)


def _sausage(skin: Ink, meat: Ink, spot: Ink, spots: int, rng: Random) -> list[Shape]:
    shapes: list[Shape] = [Disc((0, 0), 0.98, fill=skin), Disc((0, 0), 0.84, fill=meat)]
    for number in range(spots):
        turn = 360.0 * number / spots + rng.uniform(-15, 15)
        (at,) = placed_points([(rng.uniform(0.25, 0.66), 0.0)], (0.0, 0.0), turn)
        shapes.append(Disc(at, rng.uniform(0.07, 0.14), fill=spot))
    return shapes


def _mushroom(_: Random) -> list[Shape]:
    stem = ((-0.24, 0.1), (-0.3, -0.85), (0.3, -0.85), (0.24, 0.1))
    cap = (*arc((0.0, -0.05), 0.95, 0, 180, steps=24), (-0.6, -0.22), (-0.3, -0.02), (0.3, -0.02), (0.6, -0.22))
    return [
        Area((stem,), fill="#efe2cb", line="#6b4a2f", width_mm=0.09),
        Area((cap,), fill="#c79b6d", line="#6b4a2f", width_mm=0.09),
        Stroke(arc((0.0, -0.05), 0.62, 50, 125, steps=12), "#e9cfa9", 0.12),
    ]


def _olive(_: Random) -> list[Shape]:
    return [
        Disc((0, 0), 0.95, fill="#23301f"),
        Disc((0, 0), 0.78, fill="#3f4f35"),
        Disc((0, 0), 0.4, fill="#f2d9a2", line="#23301f", width_mm=0.1),
        Stroke(arc((0.0, 0.0), 0.62, 110, 165, steps=8), "#8fa07c", 0.12),
    ]


def _onion(_: Random) -> list[Shape]:
    rings: list[Shape] = [Disc((0, 0), 0.95, fill="#f3e3f1", line="#7d3c82", width_mm=0.14)]
    rings += [Disc((0, 0), radius, line="#a566a8", width_mm=0.1) for radius in (0.68, 0.44, 0.2)]
    return rings


def _pepper(_: Random) -> list[Shape]:
    def lobed(radius: float, depth: float) -> Outline:
        turns = [math.radians(3 * step) for step in range(120)]
        reach = [radius + depth * math.cos(3 * t) for t in turns]
        return tuple((r * math.sin(t), r * math.cos(t)) for r, t in zip(reach, turns, strict=True))

    ribs = [Stroke(placed_points(((0.0, 0.3), (0.0, 0.55)), (0, 0), 60.0 + 120 * k), "#2c8a36", 0.12) for k in range(3)]
    return [Area((lobed(0.82, 0.13), lobed(0.52, 0.12)), fill="#5ec257", line="#20702b", width_mm=0.1), *ribs]


def _tomato(_: Random) -> list[Shape]:
    shapes: list[Shape] = [Disc((0, 0), 0.96, fill="#b3261a"), Disc((0, 0), 0.84, fill="#e8543e")]
    for number in range(4):
        pocket = placed_points(
            (*arc((0.0, 0.0), 0.64, 58, 122, steps=8), (0.07, 0.2), (-0.07, 0.2)), (0, 0), 90 * number
        )
        shapes.append(Area((pocket,), fill="#f9b09b"))
        seeds = placed_points([(-0.16, 0.46), (0.16, 0.46), (0.0, 0.5)], (0, 0), 90 * number)
        shapes += [Disc(seed, 0.05, fill="#f7e3a1") for seed in seeds]
    return shapes


def _bacon(_: Random) -> list[Shape]:
    def wave(low: float, high: float) -> Outline:
        steps = [-0.95 + 1.9 * step / 24 for step in range(25)]
        upper = [(x, high + 0.13 * math.sin(7 * x)) for x in steps]
        lower = [(x, low + 0.13 * math.sin(7 * x)) for x in reversed(steps)]
        return (*upper, *lower)

    shapes: list[Shape] = [Area((wave(-0.5, 0.5),), fill="#f6d9c2", line="#7c2018", width_mm=0.08)]
    shapes += [Area((wave(low, low + 0.25),), fill="#c23b2c") for low in (-0.46, 0.19)]
    shapes.append(Area((wave(-0.1, 0.03),), fill="#d96a50"))
    return [Placed(tuple(shapes), turn_deg=28.0, scale=0.9)]


def _pineapple(_: Random) -> list[Shape]:
    shapes: list[Shape] = [Disc((0, 0), 0.95, fill="#f7cf3b", line="#a8730d", width_mm=0.1)]
    for number in range(12):
        spoke = placed_points([(0.42, 0.0), (0.8, 0.0)], (0, 0), 30.0 * number)
        shapes.append(Stroke(spoke, "#d59b1c", 0.08))
    shapes.append(Disc((0, 0), 0.3, fill="#fff6da", line="#a8730d", width_mm=0.1))
    return shapes


def _leaf(_: Random) -> list[Shape]:
    right = arc((-0.62, 0.0), 1.13, -56, 56, steps=16)
    left = tuple((-x, y) for x, y in reversed(right))
    veins = [Stroke(((0.0, y), (side * 0.26, y + 0.2)), "#bfe3a4", 0.06) for y in (-0.4, -0.1, 0.2) for side in (-1, 1)]
    middle = Stroke(((0.0, -0.95), (0.0, 0.7)), "#bfe3a4", 0.09)
    return [Area(((*right, *left),), fill="#2e8b3a", line="#165223", width_mm=0.1), middle, *veins]


def _chili(_: Random) -> list[Shape]:
    outer = arc((0.75, 0.75), 1.5, 170, 262, steps=16)
    inner = arc((0.95, 0.9), 1.2, 262, 165, steps=16)
    body = Area(((*outer, *inner),), fill="#d8261c", line="#7d120c", width_mm=0.1)
    stem = Stroke(((-0.62, 0.98), (-0.5, 1.2), (-0.62, 1.36)), "#2f7d32", 0.2)
    return [Placed((body, stem), (0.1, -0.24), 8.0, 0.8)]


def _shrimp(_: Random) -> list[Shape]:
    body = (*arc((0, 0), 0.9, -40, 215, steps=28), *arc((0.02, -0.02), 0.42, 205, -40, steps=24))
    stripes = [
        Stroke(placed_points(((0.5, 0.0), (0.84, 0.0)), (0, 0), turn), "#f9cdb4", 0.1) for turn in range(0, 200, 36)
    ]
    tail = ((0.52, -0.42), (0.95, -0.82), (0.5, -0.95), (0.36, -0.6))
    shapes: list[Shape] = [
        Area((tail,), fill="#c9412a"),
        Area((body,), fill="#f08a62", line="#a8341f", width_mm=0.09),
        *stripes,
        Disc((-0.66, -0.22), 0.08, fill="#2a1712"),
    ]
    return [Placed(tuple(shapes), (-0.05, 0.08), scale=0.82)]


def _cubes(fill: Ink, line: Ink, rng: Random) -> list[Shape]:
    shapes: list[Shape] = []
    for number in range(3):
        (at,) = placed_points([(0.5, 0.0)], (0, 0), 120.0 * number + rng.uniform(-20, 20))
        corners = ((-0.34, -0.3), (0.34, -0.34), (0.3, 0.34), (-0.3, 0.3))
        shapes.append(Area((placed_points(corners, at, rng.uniform(0, 90)),), fill=fill, line=line, width_mm=0.08))
    return shapes


def _ham(rng: Random) -> list[Shape]:
    corners = ((-0.7, -0.55), (0.62, -0.72), (0.74, 0.56), (-0.55, 0.7))
    turn = rng.uniform(0, 90)
    grain = placed_points([(-0.4, -0.1), (-0.1, 0.12), (0.3, 0.0)], (0, 0), turn)
    slab = Area((placed_points(corners, (0, 0), turn),), fill="#f29a9c", line="#b04a55", width_mm=0.09)
    return [slab, Stroke(grain, "#fbd0cf", 0.1)]


def _melted(rng: Random) -> list[Shape]:
    blob = tuple(
        (r * math.cos(t), r * math.sin(t))
        for t, r in ((math.radians(10 * k), 0.72 + 0.2 * math.sin(3 * math.radians(10 * k) + 1.0)) for k in range(36))
    )
    turned = placed_points(blob, (0, 0), rng.uniform(0, 360))
    return [Area((turned,), fill="#fff3b0", line="#e2b23c", width_mm=0.07), Disc((-0.2, 0.2), 0.16, fill="#ffffff")]


def _flame(_: Random) -> list[Shape]:
    def tongue(scale: float) -> Outline:
        half = ((0.0, 1.0), (0.12, 0.55), (0.55, 0.2), (0.72, -0.3), (0.5, -0.78), (0.0, -0.98))
        left = ((-0.45, -0.8), (-0.68, -0.35), (-0.6, 0.1), (-0.38, 0.38), (-0.3, 0.1), (-0.12, 0.5))
        return tuple((scale * x, scale * y - 0.4 * (1 - scale)) for x, y in _smooth((*half, *left)))

    return [
        Area((tongue(1.0),), fill="#e23a1c", line="#8e1709", width_mm=0.08),
        Area((tongue(0.62),), fill="#f79a1e"),
        Area((tongue(0.32),), fill="#fde58a"),
    ]


def _smooth(corners: Outline) -> Outline:
    """A closed curve near these corners (each cut off twice)."""
    points = corners
    for _ in range(2):
        pairs = pairwise((*points, points[0]))
        points = tuple(
            ((1 - share) * a[0] + share * b[0], (1 - share) * a[1] + share * b[1])
            for a, b in pairs
            for share in (0.25, 0.75)
        )
    return points


TOPPINGS: Mapping[str, Draw] = {
    "pepperoni": partial(_sausage, "#8e1d16", "#cf3b2b", "#f0836b", 7),
    "salami": partial(_sausage, "#6e2233", "#b34a5c", "#f5d5d0", 10),
    "mushroom": _mushroom,
    "olive": _olive,
    "onion": _onion,
    "pepper": _pepper,
    "tomato": _tomato,
    "bacon": _bacon,
    "pineapple": _pineapple,
    "basil": _leaf,
    "chili": _chili,
    "shrimp": _shrimp,
    "ham": _ham,
    "feta": partial(_cubes, "#fdfdf6", "#9aa38f"),
    "cheese": _melted,
    "flame": _flame,
}
"""By kind."""
