"""Household things that stand up from a table: cups, bottles, bowls, pens, keys, toys."""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from tests.rigs.traced.bodies import Floats, Layout, Mesh, disc, rectangle, wedge
from tests.rigs.traced.drawing import Colour, near
from tests.rigs.traced.flat_things import real_slice
from tests.rigs.traced.meshes import from_field, lathe
from tests.rigs.traced.solids import linear, pencil
from tests.rigs.traced.thing_parts import Part, Rng, any_colour, any_paint, around, joined, melted, upright


def mug(rng: Rng, _: Layout) -> list[Part]:
    r, high = rng.uniform(36, 44), rng.uniform(80, 102)
    glaze, inside = any_paint(rng), any_paint(rng) if rng.random() < 0.4 else linear((0.93, 0.92, 0.88))
    drinks: Sequence[Colour] = ((0.16, 0.08, 0.04), (0.5, 0.26, 0.08), (0.72, 0.55, 0.4), (0.92, 0.9, 0.86))
    drink = linear(drinks[int(rng.integers(4))])
    level = high * rng.uniform(0.35, 0.9)
    profile = [
        (0.0, 0.0),
        (r - 4, 0.0),
        (r - 1, 2),
        (r, 6),
        (r, high - 2),
        (r - 1, high),
        (r - 3, high),
        (r - 4, high - 2),
    ]
    profile += [(r - 4, level + 0.1), (r - 4, level), (0.0, level)]
    colours = [glaze] * 6 + [inside] * 3 + [drink] * 2
    body = lathe(np.array(profile), np.array(colours), 64)
    ends = np.array(
        [[r - 2, 0, high * 0.75], [r + 26, 0, high * 0.68], [r + 26, 0, high * 0.34], [r - 2, 0, high * 0.25]]
    )
    handle = melted([(a, b, 4.5) for a, b in itertools.pairwise(ends)], 3.0, glaze)
    return [Part(disc(2 * r), high, mesh=joined(body, handle), finish="polished")]


def glass(rng: Rng, _: Layout) -> list[Part]:
    r, high, wider = rng.uniform(28, 38), rng.uniform(80, 130), rng.uniform(1.0, 1.2)
    base = rng.uniform(4, 12)
    steps = np.linspace(0, 1, 12)
    outer = [(0.0, 0.0), (r - 1.5, 0.0), *((r * (1 + (wider - 1) * s), 1.5 + (high - 2.5) * s) for s in steps)]
    inner = [(q - 2.2, max(w, base)) for q, w in outer[:2:-1] if w > base] + [(r - 4, base), (0.0, base)]
    profile = np.array([*outer, (outer[-1][0] - 1.1, high), *inner])
    clear = np.ones((len(profile), 3))
    parts = [Part(disc(2 * r), 0.1, mesh=lathe(profile, clear, 72), finish="glass")]
    if rng.random() < 0.5:
        level = high * rng.uniform(0.4, 0.8)
        drinks: Sequence[Colour] = ((0.72, 0.42, 0.1), (0.45, 0.05, 0.1), (0.95, 0.6, 0.1), (0.3, 0.12, 0.06))
        drink = linear(drinks[int(rng.integers(4))])
        q = r - 2.6 + (wider - 1) * r * level / high
        filled = np.array([(0.0, base + 0.3), (r - 4.3, base + 0.3), (q, level), (0.0, level)])
        parts.append(Part(disc(2 * r - 12), 0.5, mesh=lathe(filled, np.tile(drink, (4, 1)), 64), finish="polished"))
    return parts


def bottle(rng: Rng, _: Layout) -> list[Part]:
    r, high = rng.uniform(28, 34), rng.uniform(150, 200)
    glass = linear([(0.1, 0.25, 0.1), (0.3, 0.15, 0.05), (0.75, 0.8, 0.82)][int(rng.integers(3))])
    cap = any_paint(rng)
    profile = [(0.0, 0.0), (r, 1.0), (r, high * 0.55), (r * 0.8, high * 0.65), (13, high * 0.8), (12, high - 14)]
    profile += [(14, high - 13), (14, high - 1), (13, high), (0.0, high)]
    return [
        Part(disc(2 * r), high, mesh=lathe(np.array(profile), np.array([glass] * 6 + [cap] * 4)), finish="polished")
    ]


def bottle_cap(rng: Rng, _: Layout) -> list[Part]:
    a = np.linspace(0, 2 * math.pi, 126, endpoint=False)
    paint, metal = any_paint(rng), linear((0.7, 0.68, 0.62))
    cap = lathe(
        np.array([(0.0, 0.0), (15.5, 0.0), (15.8, 1.0), (14, 5.2), (12.8, 6), (0.0, 6)]),
        np.array([metal, metal, metal, paint, paint, paint]),
        126,
    )
    wavy = 1 + 0.035 * np.cos(21 * a)
    cap.vertices[126 : 3 * 126, :2] *= np.tile(wavy, 2)[:, None]
    return [Part(disc(31), 6, mesh=cap, finish="polished")]


def tealight(rng: Rng, _: Layout) -> list[Part]:
    wax, tin = linear(near(rng, (0.92, 0.9, 0.84), 0.04)), linear((0.72, 0.72, 0.72))
    profile = [(0.0, 0.0), (18.5, 0.0), (19, 16), (18.6, 16), (18.2, 12), (2.0, 12), (0.8, 12.2), (0.8, 18), (0.0, 18)]
    return [
        Part(
            disc(38),
            16,
            mesh=lathe(np.array(profile), np.array([tin] * 4 + [wax] * 2 + [linear((0.1, 0.1, 0.1))] * 3)),
            finish="satin",
        )
    ]


def ball(rng: Rng, _: Layout) -> list[Part]:
    r = rng.uniform(8, 22)
    a = np.linspace(-math.pi / 2, math.pi / 2, 24)
    one, other = any_paint(rng), any_paint(rng)
    colours = np.array([one if abs(x) > 0.25 else other for x in a])
    mesh = lathe(np.stack([r * np.cos(a), r + r * np.sin(a)], 1), colours)
    return [Part(disc(r), 2 * r, mesh=mesh, finish="polished")]


def bowl(rng: Rng, layout: Layout) -> list[Part]:
    r = rng.uniform(52, 72)
    glaze = any_paint(rng)
    s = np.linspace(0.35, 1.0, 9)
    outer = [(0.0, 0.0), *((r * q, 4 + 42 * q**3) for q in s)]
    inner = [(q - 3, w + 0.4) for q, w in outer[:0:-1]] + [(0.0, 6.0)]
    bowl = lathe(np.array([*outer, *inner]), np.tile(glaze, (len(outer) + len(inner), 1)), 64)
    heap = [
        _a_crisp(rng, rng.uniform(13, 21), around(rng, r * 0.62), rng.uniform(22, 48), rng.normal(0, 0.5, 2))
        for _ in range(46)
    ]
    return [
        Part(disc(2 * r * 0.5), 40, mesh=joined(bowl, *heap), finish="satin"),
    ]


def plate_with_pizza(rng: Rng, layout: Layout) -> list[Part]:
    r = rng.uniform(82, 105)
    china, rim = (
        linear(near(rng, (0.93, 0.93, 0.91), 0.02)),
        any_paint(rng) if rng.random() < 0.5 else linear((0.9, 0.9, 0.88)),
    )
    profile = [(0.0, 0.0), (r * 0.6, 0.0), (r, 12), (r, 14), (r - 3, 14), (r * 0.62, 4), (0.0, 3.5)]
    plate = lathe(np.array(profile), np.array([china, china, rim, rim, rim, china, china]), 72)
    long = r * rng.uniform(1.15, 1.35)
    opening = rng.uniform(34, 46)
    outline = wedge(long, opening, 6.0) - (0, long * 0.55)
    return [
        Part(disc(r * 1.2), 5, mesh=plate, finish="polished"),
        Part(outline, 9, real_slice(rng, long, outline), finish="satin", edge=(0.8, 0.6, 0.35)),
    ]


def crisps(rng: Rng, _: Layout) -> list[Part]:
    each = [
        _a_crisp(rng, rng.uniform(14, 24), at, rng.uniform(3, 6), rng.normal(0, 0.12, 2))
        for at in ((0.0, 0.0), (34.0, 10.0), (5.0, 38.0))
    ]
    return [Part(disc(30), 6, mesh=joined(*each), finish="satin")]


def _a_crisp(rng: Rng, r: float, at: tuple[float, float], w: float, tilt: Floats) -> Mesh:
    """A thin disc bent like a saddle, with brown edges."""
    a, rings = np.linspace(0, 2 * math.pi, 24, endpoint=False), np.linspace(0.05, 1, 5)
    uneven = 1 + 0.08 * np.cos(2 * a + rng.uniform(0, 6)) + 0.05 * np.cos(3 * a + rng.uniform(0, 6))
    x, y = (np.outer(rings, function(a) * uneven).ravel() * r for function in (np.cos, np.sin))
    bend = (x * x - y * y) / r**2 * r * rng.uniform(0.1, 0.3)
    z = np.maximum(w + bend + x * tilt[0] + y * tilt[1], 0.3)
    n = len(a)
    i = np.arange(n)
    faces = [
        np.concatenate(
            [
                np.column_stack([k * n + i, (k + 1) * n + i, (k + 1) * n + (i + 1) % n]),
                np.column_stack([k * n + i, (k + 1) * n + (i + 1) % n, k * n + (i + 1) % n]),
            ]
        )
        for k in range(4)
    ]
    upper = np.column_stack([x + at[0], y + at[1], z])
    gold = np.array(near(rng, (0.93, 0.76, 0.34), 0.05))
    brown = rng.uniform(0, 1, (len(x), 1)) ** 4 * 0.35 + (np.hypot(x, y)[:, None] / r) ** 6 * 0.25
    colours = np.clip(linear(gold * (1 - brown * (0.5, 0.7, 0.9))), 0, 1)
    under = upper - (0, 0, 0.25)
    both = np.concatenate(faces)
    return Mesh(
        np.concatenate([upper, under]),
        np.concatenate([both, both[:, ::-1] + len(x)]),
        np.concatenate([colours, colours]),
    )


def pen(rng: Rng, _: Layout) -> list[Part]:
    long, r = rng.uniform(125, 150), rng.uniform(3.8, 6.5)
    if rng.random() < 0.25:
        return [Part(rectangle(7.2, long, 0), 7.2, mesh=upright(pencil(long, any_colour(rng))), finish="plastic")]
    barrel, cap = any_paint(rng), any_paint(rng)
    along = [0.0, 0.0, 3, long * 0.3, long * 0.3 + 0.1, long * 0.9, long - 8, long - 1, long]
    radii = [0.0, r * 0.7, r, r, r * 0.92, r * 0.92, r * 0.5, 1.0, 0.0]
    turned = lathe(
        np.column_stack([radii, along]), np.array([cap] * 4 + [barrel] * 3 + [linear((0.5, 0.5, 0.5))] * 2), 24
    )
    x, y, w = turned.vertices.T
    return [
        Part(
            rectangle(2 * r, long, 0),
            2 * r,
            mesh=Mesh(np.column_stack([x, w - long / 2, y + r]), turned.faces[:, ::-1], turned.colours),
            finish="plastic",
        )
    ]


def fork(rng: Rng, _: Layout) -> list[Part]:
    bones = [
        (np.array([0, -90.0, 4]), np.array([0, 20.0, 4]), 3.0),
        (np.array([0, 20.0, 4]), np.array([0, 42.0, 3]), 6.0),
    ]
    bones += [(np.array([x, 44.0, 3]), np.array([x, 90.0, 3.5]), 1.6) for x in (-8.0, -2.7, 2.7, 8.0)]
    bones += [(np.array([-8.0, 46, 3]), np.array([8.0, 46, 3]), 3.0)]
    return [Part(rectangle(16, 180, 0), 6, mesh=melted(bones, 1.6, linear((0.75, 0.75, 0.74))), finish="metal")]


def keys(rng: Rng, _: Layout) -> list[Part]:
    a = np.linspace(0, 2 * math.pi, 17)
    ring = np.column_stack([12 * np.cos(a), 12 * np.sin(a), np.full(17, 2.0)])
    bones = [(one, other, 1.1) for one, other in itertools.pairwise(ring)]
    for way in rng.uniform(0, 2 * math.pi, 3):
        out = np.array([math.cos(way), math.sin(way), 0.0])
        base = 18 * out + (0, 0, 2)
        side = np.array([-out[1], out[0], 0])
        bones += [
            (base - 4 * side, base + 4 * side, 6.0),
            (base, base + 44 * out, 2.6),
            (base + 34 * out, base + 34 * out + 3 * side, 2.2),
        ]
    metal = linear(((0.72, 0.7, 0.66), (0.75, 0.62, 0.35))[int(rng.integers(2))])
    flat = melted(bones, 1.5, metal)
    return [
        Part(
            disc(60),
            5,
            mesh=Mesh(np.maximum(flat.vertices * (1, 1, 0.5), 0) + (0, 0, 0.5), flat.faces, flat.colours),
            finish="metal",
        )
    ]


def spectacles(rng: Rng, _: Layout) -> list[Part]:
    a = np.linspace(0, 2 * math.pi, 21)
    bones = []
    for x in (-33.0, 33.0):
        rim = np.column_stack([x + 25 * np.cos(a), 20 * np.sin(a), np.full(21, 6.0)])
        bones += [(one, other, 1.9) for one, other in itertools.pairwise(rim)]
        edge = np.sign(x) * 60.0
        bones.append((np.array([edge, 5.0, 6]), np.array([edge * 0.9, 130.0, 3]), 2.2))
    bones.append((np.array([-8.0, 4, 7]), np.array([8.0, 4, 7]), 2.0))
    frame = linear(((0.06, 0.05, 0.05), (0.35, 0.18, 0.08), (0.6, 0.1, 0.12))[int(rng.integers(3))])
    mesh = melted(bones, 1.6, frame)
    return [Part(disc(100), 6, mesh=Mesh(mesh.vertices - (0, 50.0, 0), mesh.faces, mesh.colours), finish="polished")]


def toy_brick(rng: Rng, _: Layout) -> list[Part]:
    long = 8.0 * int(rng.integers(2, 5))
    high = 9.6

    def field(points: Floats) -> Floats:
        q = np.abs(points - (0, 0, high / 2)) - (long / 2, 8.0, high / 2)
        box = np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(1), 0)
        studs = []
        for x in np.arange(-long / 2 + 4, long / 2, 8.0):
            for y in (-4.0, 4.0):
                side = np.hypot(points[:, 0] - x, points[:, 1] - y) - 2.4
                studs.append(np.maximum(side, np.abs(points[:, 2] - high) - 1.8))
        return np.asarray(np.minimum(box, np.min(studs, axis=0)))

    reach = np.array([long / 2, 8.0, high + 2]) + 1
    vertices, faces = from_field(field, -reach * (1, 1, 0) - (0, 0, 1), reach, 0.6)
    return [
        Part(
            rectangle(long, 16, 0),
            high,
            mesh=Mesh(vertices, faces, np.tile(any_paint(rng), (len(vertices), 1))),
            finish="plastic",
        )
    ]


def toy_car(rng: Rng, _: Layout) -> list[Part]:
    paint, dark = any_paint(rng), linear((0.06, 0.06, 0.07))
    body = melted([(np.array([0, y, 10.0]), np.array([0, -y, 10.0]), 11.0) for y in (22.0,)], 1.5, paint)
    cabin = melted([(np.array([0, -10.0, 19]), np.array([0, 6.0, 19]), 8.0)], 1.5, linear((0.2, 0.25, 0.3)))
    wheels = [
        melted([(np.array([x, y, 5.0]), np.array([x * 0.8, y, 5.0]), 5.0)], 1.2, dark)
        for x in (-11.0, 11.0)
        for y in (-17.0, 17.0)
    ]
    return [Part(rectangle(22, 60, 4), 24, mesh=joined(body, cabin, *wheels), finish="polished")]


def band(rng: Rng, _: Layout) -> list[Part]:
    r, thick = rng.uniform(16, 26), rng.uniform(1.2, 3.5)
    a = np.linspace(0, 2 * math.pi, 25)
    loop = np.column_stack([r * np.cos(a), r * rng.uniform(0.7, 1.0) * np.sin(a), np.full(25, thick)])
    return [
        Part(
            disc(2 * r),
            2 * thick,
            mesh=melted([(p, q, thick) for p, q in itertools.pairwise(loop)], 1.2, any_paint(rng)),
            finish="cloth",
        )
    ]
