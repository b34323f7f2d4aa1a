"""How toppings are drawn, each by its kind and by the habits and the palette of one print run."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from tests.rigs.traced.bodies import Floats
from tests.rigs.traced.drawing import Canvas, Colour, Hand, blob, lighter, near, turned

COLOURS: Mapping[str, Colour] = {
    "anchovy": (0.36, 0.42, 0.5),
    "bacon": (0.66, 0.2, 0.15),
    "basil": (0.2, 0.5, 0.16),
    "chicken": (0.86, 0.7, 0.44),
    "chili": (0.78, 0.1, 0.07),
    "corn": (0.95, 0.78, 0.2),
    "feta": (0.96, 0.95, 0.9),
    "ham": (0.9, 0.55, 0.52),
    "mushroom": (0.82, 0.72, 0.58),
    "olive": (0.16, 0.15, 0.17),
    "onion": (0.66, 0.3, 0.5),
    "pepper": (0.28, 0.6, 0.2),
    "pepperoni": (0.72, 0.14, 0.1),
    "pineapple": (0.95, 0.8, 0.3),
    "sausage": (0.45, 0.24, 0.15),
    "shrimp": (0.95, 0.6, 0.45),
    "tomato": (0.86, 0.2, 0.12),
}
Palette = Mapping[str, Colour]


def a_palette(rng: np.random.Generator) -> Palette:
    """The colours of one print run: each kind's own, more or less, some kinds in another of their colours."""
    others: Mapping[str, Colour] = {
        "olive": (0.33, 0.38, 0.12),
        "onion": (0.93, 0.9, 0.82),
        "pepper": (0.9, 0.65, 0.12),
        "tomato": (0.92, 0.32, 0.2),
        "mushroom": (0.7, 0.58, 0.46),
    }
    tint = rng.normal(0, 0.03, 3)
    found = {}
    for kind, colour in COLOURS.items():
        base = others[kind] if kind in others and rng.random() < 0.4 else colour
        varied = np.array(near(rng, base, 0.04)) + tint
        found[kind] = (
            float(np.clip(varied[0], 0, 1)),
            float(np.clip(varied[1], 0, 1)),
            float(np.clip(varied[2], 0, 1)),
        )
    return found


def draw(
    canvas: Canvas, kind: str, rng: np.random.Generator, at: Floats, size: float, hand: Hand, palette: Palette
) -> None:
    """One topping of about this size (across, mm) around a point, turned at random."""
    _DRAWN[kind](canvas, rng, at, size, rng.uniform(0, 2 * math.pi), hand, near(rng, palette[kind], 0.015))


_Draw = Callable[[Canvas, np.random.Generator, Floats, float, float, Hand, Colour], None]


def _disc(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    """A slice of sausage: a dark rim and flecks."""
    c.thing(blob(rng, at, size, size, turn, h.wobble * 0.6), lighter(colour, -0.25), h)
    c.area(blob(rng, at, size * 0.86, size * 0.86, turn, h.wobble * 0.6), colour)
    for _ in range(rng.integers(5, 10)):
        away, angle = size * 0.36 * math.sqrt(rng.random()), rng.uniform(0, 7)
        spot = at + away * np.array([math.cos(angle), math.sin(angle)])
        c.area(blob(rng, spot, size * 0.1, size * 0.07, angle, 0.1), lighter(colour, 0.35))


def _ring(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    c.thing(blob(rng, at, size, size * 0.94, turn, h.wobble), colour, h)
    c.area(blob(rng, at, size * 0.42, size * 0.38, turn, h.wobble), (0.93, 0.82, 0.5))
    c.stroke(blob(rng, at, size * 0.72, size * 0.7, turn, 0)[3:12], lighter(colour, 0.4), size * 0.05)


def _mushroom(
    c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour
) -> None:
    a = np.linspace(0, math.pi, 16)
    cap = np.stack([np.cos(a) * 0.5, np.sin(a) * 0.42], 1)
    stem = np.array([(-0.2, -0.02), (-0.13, -0.12), (-0.17, -0.42), (0.17, -0.42), (0.13, -0.12), (0.2, -0.02)])
    outline = turned(np.concatenate([cap, [(-0.5, -0.08)], stem, [(0.5, -0.08)]]) * size, turn) + at
    c.thing(outline, lighter(colour, 0.25), h)
    c.area(turned(np.concatenate([cap * 0.98, cap[::-1] * (0.8, 0.7)]) * size, turn) + at, lighter(colour, -0.15))
    gills = [turned(np.array([(x, 0.0), (x * 0.6, 0.2)]) * size, turn) + at for x in (-0.25, -0.1, 0.1, 0.25)]
    for gill in gills:
        c.stroke(gill, lighter(colour, -0.35), size * 0.035)


def _arc(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    """Half a ring of an onion."""
    for step, shade in ((1.0, -0.1), (0.72, 0.25)):
        a = np.linspace(0, math.pi * rng.uniform(0.8, 1.25), 18)
        points = turned(np.stack([np.cos(a), np.sin(a) - 0.4], 1) * size * 0.5 * step, turn) + at
        if h.line_mm > 0:
            c.stroke(points, h.line, size * 0.12 + h.line_mm)
        c.stroke(points, lighter(colour, shade), size * 0.12)


def _strip(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    """A bent strip of a pepper."""
    a = np.linspace(-0.9, 0.9, 14)
    middle = np.stack([np.sin(a), np.cos(a) - 0.8], 1) * size * 0.6
    points = turned(middle, turn) + at
    if h.line_mm > 0:
        c.stroke(points, h.line, size * 0.2 + 2 * h.line_mm)
    c.stroke(points, lighter(colour, -0.1), size * 0.2)
    c.stroke(points + size * 0.03, lighter(colour, 0.3), size * 0.06)


def _rasher(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    """A wavy rasher of bacon."""
    x = np.linspace(-0.62, 0.62, 22)
    wave = 0.07 * np.sin(x * 11 + rng.uniform(0, 6))
    outline = np.concatenate([np.stack([x, wave + 0.2], 1), np.stack([x, wave - 0.2], 1)[::-1]]) * size
    c.thing(turned(outline, turn) + at, colour, h)
    for y, shade in ((0.08, 0.55), (-0.1, 0.35)):
        c.stroke(turned(np.stack([x * 0.96, wave + y], 1) * size, turn) + at, lighter(colour, shade), size * 0.07)


def _chunk(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    a = np.sort(rng.uniform(0, 2 * math.pi, 3)) * 0.35 + np.arange(3) * 2.1
    a = np.concatenate([a, a + 0.5])
    a.sort()
    points = np.stack([np.cos(a), np.sin(a) * 0.85], 1) * size * 0.5 * rng.uniform(0.8, 1.05, (len(a), 1))
    c.thing(turned(points, turn) + at, colour, h)
    c.area(turned(points * 0.5 + size * 0.05, turn) + at, lighter(colour, 0.25))


def _square(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    corners = np.array([(-0.4, -0.36), (0.4, -0.4), (0.38, 0.4), (-0.42, 0.36)]) * size
    corners += rng.normal(0, h.wobble * size * 0.5, corners.shape)
    c.thing(turned(corners, turn) + at, colour, h)
    c.stroke(turned(corners[:2] * 0.7, turn) + at, lighter(colour, 0.4), size * 0.06)


def _wedge(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    """A piece of pineapple."""
    a = np.linspace(-0.5, 0.5, 8)
    outer, inner = np.stack([np.sin(a), np.cos(a)], 1), np.stack([np.sin(a), np.cos(a)], 1)[::-1] * 0.4
    points = (np.concatenate([outer, inner]) - (0, 0.7)) * size
    c.thing(turned(points, turn) + at, colour, h)
    for x in (-0.3, 0.0, 0.3):
        line = (np.array([(x * 0.5, 0.5), (x, 0.92)]) - (0, 0.7)) * size
        c.stroke(turned(line, turn) + at, lighter(colour, -0.25), size * 0.045)


def _leaf(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    t = np.linspace(0, 1, 16)
    half = 0.27 * np.sin(math.pi * t**0.8) * (1 + 0.05 * np.sin(14 * t))
    outline = np.concatenate([np.stack([t - 0.5, half], 1), np.stack([t - 0.5, -half], 1)[::-1]]) * size
    c.thing(turned(outline, turn) + at, colour, h)
    c.stroke(turned(np.array([(-0.55, 0.0), (0.42, 0.0)]) * size, turn) + at, lighter(colour, 0.4), size * 0.04)
    for x in (-0.2, 0.0, 0.2):
        for y in (-0.15, 0.15):
            c.stroke(turned(np.array([(x, 0.0), (x + 0.12, y)]) * size, turn) + at, lighter(colour, 0.3), size * 0.025)


def _fish(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    t = np.linspace(0, 1, 16)
    half = 0.13 * np.sin(math.pi * t**0.75)
    tail = np.array([(0.5, 0.14), (0.44, 0.0), (0.5, -0.14)])
    body = np.concatenate(
        [np.stack([t * 0.88 - 0.5, half + 0.02], 1), tail, np.stack([t * 0.88 - 0.5, -half - 0.02], 1)[::-1]]
    )
    c.thing(turned(body * size, turn) + at, colour, h)
    c.stroke(turned(np.array([(-0.3, 0.02), (0.3, 0.02)]) * size, turn) + at, lighter(colour, 0.45), size * 0.05)
    c.area(blob(rng, turned(np.array([(-0.38, 0.03)]) * size, turn)[0] + at, size * 0.06, size * 0.06, 0, 0), (0, 0, 0))


def _shrimp(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    a = np.linspace(0.2, 4.2, 20)
    middle = np.stack([np.cos(a), np.sin(a)], 1) * size * 0.32
    points = turned(middle, turn) + at
    if h.line_mm > 0:
        c.stroke(points, h.line, size * 0.24 + 2 * h.line_mm)
    c.stroke(points, colour, size * 0.24)
    for angle in a[2:-1:3]:
        rib = np.array([(math.cos(angle), math.sin(angle))]) * np.array([[0.22], [0.42]]) * size
        c.stroke(turned(rib, turn) + at, lighter(colour, 0.45), size * 0.04)


def _crumbs(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    for _ in range(4):
        spot = at + rng.normal(0, size * 0.2, 2)
        c.thing(blob(rng, spot, size * 0.34, size * 0.3, turn, h.wobble * 2), near(rng, colour, 0.03), h)


def _corn(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    for _ in range(3):
        spot = at + rng.normal(0, size * 0.22, 2)
        c.thing(blob(rng, spot, size * 0.3, size * 0.24, rng.uniform(0, 6), 0.05), near(rng, colour, 0.02), h)


def _tomato(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    c.thing(blob(rng, at, size, size, turn, h.wobble * 0.5), colour, h)
    for step in range(4):
        angle = turn + step * math.pi / 2
        spot = at + size * 0.25 * np.array([math.cos(angle), math.sin(angle)])
        c.area(blob(rng, spot, size * 0.3, size * 0.2, angle, 0.08), lighter(colour, 0.4))
        c.area(blob(rng, spot, size * 0.08, size * 0.05, angle, 0.0), (0.97, 0.9, 0.6))


def _chili(c: Canvas, rng: np.random.Generator, at: Floats, size: float, turn: float, h: Hand, colour: Colour) -> None:
    t = np.linspace(0, 1, 14)
    bend, half = 0.3 * t * t, 0.11 * (1 - t) ** 0.7
    outline = np.concatenate([np.stack([t - 0.5, bend + half], 1), np.stack([t - 0.5, bend - half], 1)[::-1]]) * size
    c.thing(turned(outline, turn) + at, colour, h)
    c.stroke(turned(np.array([(-0.62, 0.05), (-0.48, 0.0)]) * size, turn) + at, (0.2, 0.45, 0.12), size * 0.09)


_DRAWN: Mapping[str, _Draw] = {
    "anchovy": _fish,
    "bacon": _rasher,
    "basil": _leaf,
    "chicken": _chunk,
    "chili": _chili,
    "corn": _corn,
    "feta": _square,
    "ham": _square,
    "mushroom": _mushroom,
    "olive": _ring,
    "onion": _arc,
    "pepper": _strip,
    "pepperoni": _disc,
    "pineapple": _wedge,
    "sausage": _crumbs,
    "shrimp": _shrimp,
    "tomato": _tomato,
}
