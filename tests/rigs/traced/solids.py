"""Dice with drilled pips, pointed sticks, toppings and pencils, as solids in their own frames."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tests.rigs.traced.bodies import Floats, Mesh
from tests.rigs.traced.meshes import from_field, lathe

_PIPS: Mapping[int, Sequence[tuple[int, int]]] = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
_SIDES: Sequence[tuple[tuple[float, float, float], tuple[float, float, float]]] = (
    ((0, 0, 1), (1, 0, 0)),
    ((1, 0, 0), (0, 1, 0)),
    ((0, 1, 0), (1, 0, 0)),
    ((0, -1, 0), (1, 0, 0)),
    ((-1, 0, 0), (0, 1, 0)),
    ((0, 0, -1), (1, 0, 0)),
)
"""Outward direction of each side and of its columns; the first is the top, opposite ones are as far from the ends."""


def linear(colour: Floats | Sequence[float]) -> Floats:
    """sRGB from 0 to 1 as the share of light that is thrown back."""
    c = np.asarray(colour, dtype=np.float64)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def pip_die(value: int, size: float, body: Sequence[float], pips: Sequence[float], rng: np.random.Generator) -> Mesh:
    """An ordinary die with this value up: rounded, pips drilled and painted, opposite sides adding to seven."""
    others = [v for v in range(1, 7) if v not in (value, 7 - value)]
    side = int(rng.choice(others))
    front = int(rng.choice([v for v in others if v not in (side, 7 - side)]))
    values = (value, side, front, 7 - front, 7 - side, 7 - value)
    apart, radius = size * rng.uniform(0.23, 0.27), size * rng.uniform(0.085, 0.105)
    holes = []
    for shown, (out, along) in zip(values, _SIDES, strict=True):
        turned = shown in (2, 3, 6) and rng.random() < 0.5
        for column, row in _PIPS[shown]:
            column, row = (row, -column) if turned else (column, row)
            holes.append(_on_side(size, out, along, column * apart, row * apart))
    middles = np.array(holes) + np.array([0, 0, size / 2])
    return _die(size, size * rng.uniform(0.06, 0.16), middles, radius, [], body, pips)


def dot_die(
    rows: Sequence[str],
    connected: bool,
    size: float,
    pitch: float,
    body: Sequence[float],
    dots: Sequence[float],
    others: Sequence[Sequence[str]],
    rng: np.random.Generator,
) -> Mesh:
    """A die of Dice and Slice: on top three rows of dots as seen from above, u to the right; other patterns beside."""
    holes, lines = [], []
    rise = np.array([0, 0, size / 2])
    for pattern, (out, along) in zip([rows, *others], _SIDES, strict=False):
        places = [(c, r) for r in range(3) for c in range(3) if pattern[r][c] == "#"]
        for c, r in places:
            holes.append(_on_side(size, out, along, (c - 1) * pitch, (1 - r) * pitch))
        if connected and pattern is rows:
            for c, r in places:
                for other in ((c + 1, r), (c, r + 1)):
                    if other in places:
                        one = _on_side(size, out, along, (c - 1) * pitch, (1 - r) * pitch)
                        two = _on_side(size, out, along, (other[0] - 1) * pitch, (1 - other[1]) * pitch)
                        lines.append((np.array(one) + rise, np.array(two) + rise))
    middles = np.array(holes) + np.array([0, 0, size / 2])
    return _die(size, size * rng.uniform(0.06, 0.12), middles, size * 0.075, lines, body, dots)


def stick(long: float, thick: float, colour: Sequence[float], coloured: float) -> Mesh:
    """A wooden skewer along u, pointed and coloured at its far end."""
    r = thick / 2
    along = [0.0, 0.0, 0.6, *np.linspace(10, long - coloured - 0.2, 24), long - coloured, long - coloured * 0.8]
    along += [long - 11.0, long - 1.0, long]
    radii = [0.0, r * 0.8, r, *([r] * 24), r, r, r, r * 0.25, 0.0]
    wood, paint = linear((0.85, 0.7, 0.48)), linear(colour)
    colours = np.array([paint if x >= long - coloured - 0.01 else wood for x in along])
    return _lying(lathe(np.column_stack([radii, along]), colours, 20), long, r)


def pencil(long: float, colour: Sequence[float]) -> Mesh:
    """A pencil along u, its point at the far end."""
    r = 3.6
    along = [0.0, 0.0, 1.0, long - 22, long - 21.8, long - 5, long - 4.8, long]
    radii = [0.0, r, r, r, r, r * 0.3, r * 0.28, 0.2]
    paint, wood, lead = linear(colour), linear((0.86, 0.7, 0.5)), linear((0.15, 0.15, 0.16))
    colours = np.array([paint, paint, paint, paint, wood, wood, lead, lead])
    return _lying(lathe(np.column_stack([radii, along]), colours, 6), long, r)


def topping(diameter: float, high: float, form: int, colour: Sequence[float]) -> Mesh:
    """A topping: 0 a flat disc, 1 a low dome, 2 a disc with a dip."""
    R, paint = diameter / 2, linear(colour)
    e = min(0.8, high / 3)
    side = [(0.0, 0.0), (R - e, 0.0), (R, e)]
    if form == 0:
        top = [(R, high - e), (R - 0.3 * e, high - 0.3 * e), (R - e, high), (0.0, high)]
    elif form == 1:
        a = np.linspace(0, math.pi / 2, 8)
        top = [(R * math.cos(x) ** 0.6, e + (high - e) * math.sin(x)) for x in a]
    else:
        top = [(R, high - e), (R - e, high), (R * 0.75, high), (R * 0.65, high - 0.7), (0.0, high - 0.7)]
    profile = np.array([*side, *top])
    profile[-1, 0] = 0.0
    colours = np.array([paint * (0.8 if form == 2 and r < R * 0.7 and w > e else 1.0) for r, w in profile])
    return lathe(profile, colours, 40)


def _on_side(
    size: float, out: Sequence[float], along: Sequence[float], x: float, y: float
) -> tuple[float, float, float]:
    o, a = np.array(out, dtype=np.float64), np.array(along, dtype=np.float64)
    at = o * size / 2 + a * x + np.cross(o, a) * y
    return (float(at[0]), float(at[1]), float(at[2]))


def _die(
    size: float,
    rounding: float,
    holes: Floats,
    radius: float,
    lines: Sequence[tuple[Floats, Floats]],
    body: Sequence[float],
    paint: Sequence[float],
) -> Mesh:
    half, depth = size / 2, 0.35 * radius
    middle = np.array([0.0, 0.0, half])
    outwards = holes - middle
    outwards = np.where(np.abs(outwards) > half - 1e-6, np.sign(outwards), 0.0)
    ball = (radius**2 + depth**2) / (2 * depth)
    balls = holes + outwards * (ball - depth)

    def field(points: Floats) -> Floats:
        q = np.abs(points - middle) - (half - rounding)
        solid = np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(1), 0) - rounding
        nearest = np.min([np.linalg.norm(points - at, axis=1) for at in balls], axis=0) - ball
        return np.asarray(np.maximum(solid, -nearest))

    step = size / 56
    vertices, faces = from_field(
        field, np.array([-half, -half, 0.0]) - 2 * step, np.array([half, half, size]) + 2 * step, step
    )
    painted = np.min([np.linalg.norm(vertices - at, axis=1) for at in holes], axis=0) < radius * 1.04
    for one, two in lines:
        along = two - one
        share = np.clip((vertices - one) @ along / (along @ along), 0, 1)
        painted |= np.linalg.norm(vertices - (one + share[:, None] * along), axis=1) < 0.45
    colours = np.where(painted[:, None], linear(paint), linear(body))
    return Mesh(vertices, faces, colours)


def _lying(upright: Mesh, long: float, radius: float) -> Mesh:
    """Laid along u, its middle over the origin, its lowest line at w = 0."""
    x, y, w = upright.vertices.T
    return Mesh(np.column_stack([w - long / 2, x, y + radius]), upright.faces, upright.colours)
