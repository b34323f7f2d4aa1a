"""Household things that are flat and printed: paper, cards, phones, coasters, coins."""

import math
from collections.abc import Sequence

import cv2
import numpy as np

from tests.rigs.traced.art_toppings import a_palette, draw
from tests.rigs.traced.bodies import Floats, Layout, Print, disc, rectangle
from tests.rigs.traced.drawing import Canvas, Colour, a_hand, blob, lighter, near
from tests.rigs.traced.thing_parts import Part, Rng, any_colour, around

_ON_PIZZA = ("pepperoni", "olive", "mushroom", "basil", "tomato", "ham")


def coaster(rng: Rng, _: Layout) -> list[Part]:
    d = rng.uniform(88, 104)
    canvas = Canvas(-d / 2, -d / 2, d / 2, d / 2, any_colour(rng))
    hand, middle, kind = a_hand(rng), np.zeros(2), int(rng.integers(4))
    if kind == 0:  # rings and a word
        for share in (0.92, 0.8, 0.5):
            canvas.area(disc(d * share), any_colour(rng))
        canvas.text(str(rng.choice(["BRAU", "CAFE", "1873", "PIZZA"])), (0, 0), d * 0.18, any_colour(rng), hand)
    elif kind == 1:  # a pizza from above
        canvas.area(disc(d * 0.9), (0.8, 0.58, 0.3))
        canvas.area(disc(d * 0.78), (0.95, 0.78, 0.4))
        palette = a_palette(rng)
        for _topping in range(14):
            x, y = around(rng, d * 0.34)
            draw(canvas, str(rng.choice(_ON_PIZZA)), rng, np.array([x, y]), d * 0.1, hand, palette)
        for way in np.arange(8) * math.pi / 4:
            canvas.stroke([middle, d * 0.45 * np.array([math.cos(way), math.sin(way)])], (0.6, 0.4, 0.2), 0.8)
    elif kind == 2:  # a fruit's slice
        rind = any_colour(rng)
        canvas.area(disc(d * 0.96), rind)
        canvas.area(disc(d * 0.86), lighter(rind, 0.7))
        for way in np.arange(9) * 2 * math.pi / 9:
            canvas.area(
                blob(rng, d * 0.25 * np.array([math.cos(way), math.sin(way)]), d * 0.34, d * 0.2, way, 0.02),
                lighter(rind, 0.25),
            )
    else:  # cork
        canvas.image[:] = (190, 150, 105)
        canvas.grain(rng, 1.2, 0.16)
    return [Part(disc(d), rng.uniform(1.2, 5), canvas.done(), finish="satin")]


def coins(rng: Rng, _: Layout) -> list[Part]:
    return [_coin(rng, at) for at in ((0.0, 0.0), (26.0, 8.0), (4.0, 27.0))[: int(rng.integers(1, 4))]]


def _coin(rng: Rng, at: tuple[float, float]) -> Part:
    d = rng.uniform(17, 26)
    copper, brass, nickel = (0.72, 0.42, 0.28), (0.8, 0.66, 0.36), (0.72, 0.71, 0.68)
    ground = (copper, brass, nickel)[int(rng.integers(3))]
    canvas = Canvas(at[0] - d / 2, at[1] - d / 2, at[0] + d / 2, at[1] + d / 2, ground)
    if rng.random() < 0.4:
        canvas.area(disc(d * 0.68) + at, nickel if ground != nickel else brass)
    canvas.stroke(disc(d * 0.94) + at, lighter(ground, -0.4), 0.5, closed=True)
    canvas.text(str(rng.choice(["1", "2", "5", "10", "20", "50"])), at, d * 0.45, lighter(ground, -0.45), a_hand(rng))
    return Part(disc(d) + at, 2.0, canvas.done(), finish="metal", edge=ground)


def button(rng: Rng, _: Layout) -> list[Part]:
    found, two = [], bool(rng.random() < 0.5)
    for index in range(1 + two):
        d, paint, at = rng.uniform(13, 26), any_colour(rng), (index * 30.0, 0.0)
        canvas = Canvas(at[0] - d / 2, -d / 2, at[0] + d / 2, d / 2, paint)
        canvas.stroke(disc(d * 0.78) + at, lighter(paint, -0.3), 0.6, closed=True)
        for way in np.arange(4) * math.pi / 2 + 0.8:
            canvas.area(
                disc(d * 0.11) + at + d * 0.13 * np.array([math.cos(way), math.sin(way)]), lighter(paint, -0.75)
            )
        found.append(Part(disc(d) + at, 2.6, canvas.done(), finish="plastic", edge=paint))
    return found


def biscuit(rng: Rng, _: Layout) -> list[Part]:
    d, dough = rng.uniform(48, 72), near(rng, (0.8, 0.6, 0.34), 0.05)
    canvas = Canvas(-d / 2, -d / 2, d / 2, d / 2, dough)
    canvas.grain(rng, 3, 0.06)
    canvas.veil(disc(d), (0.55, 0.32, 0.12), 0.3)
    canvas.veil(disc(d * 0.86), lighter(dough, 0.25), 0.6)
    chips = rng.random() < 0.5
    for _chip in range(int(rng.integers(8, 18))):
        x, y = around(rng, d * 0.4)
        size = rng.uniform(4, 9) if chips else 2.0
        canvas.area(blob(rng, (x, y), size, size * 0.8, 0, 0.2), (0.2, 0.11, 0.06) if chips else (0.5, 0.32, 0.15))
    canvas.grain(rng, 1, 0.07)
    return [Part(disc(d), 7, canvas.done(), finish="cloth", edge=dough)]


def phone(rng: Rng, _: Layout) -> list[Part]:
    w, h = rng.uniform(68, 78), rng.uniform(142, 164)
    dark = rng.uniform(0.01, 0.05)
    canvas = Canvas(-w / 2, -h / 2, w / 2, h / 2, (dark, dark, dark))
    if rng.random() < 0.5:
        inner = rectangle(w - 6, h - 12, 5)
        canvas.area(inner, any_colour(rng))
        canvas.veil(inner - (0, h * 0.3), any_colour(rng), 0.5)
        for row in range(5):
            for column in range(4):
                if rng.random() < 0.75:
                    at = ((column - 1.5) * w * 0.22, (row - 1.6) * h * 0.14)
                    canvas.area(rectangle(w * 0.15, w * 0.15, 3) + at, any_colour(rng))
    return [Part(rectangle(w, h, 9), 8, canvas.done(), finish="glossy", edge=(0.1, 0.1, 0.11))]


def napkin(rng: Rng, _: Layout) -> list[Part]:
    side, ground = rng.uniform(110, 165), near(rng, (0.93, 0.92, 0.9), 0.03)
    canvas = Canvas(-side / 2, -side / 2, side / 2, side / 2, ground)
    kind, ink = int(rng.integers(4)), any_colour(rng)
    if kind == 1:
        canvas.image[:] = [round(255 * c) for c in ink]
    elif kind == 2:
        for at in np.arange(-side / 2, side / 2, 16):
            for stripe in (
                np.array([[at, -side], [at + 8, -side], [at + 8, side], [at, side]]),
                np.array([[-side, at], [side, at], [side, at + 8], [-side, at + 8]]),
            ):
                canvas.veil(stripe, ink, 0.5)
    elif kind == 3:
        for x in np.arange(-side / 2, side / 2, 13):
            for y in np.arange(-side / 2, side / 2, 13):
                canvas.area(disc(5) + (x, y), ink)
    canvas.stroke([(0, -side), (0, side)], lighter(ground, -0.15), 0.6)
    canvas.stroke([(-side, 0), (side, 0)], lighter(ground, -0.1), 0.6)
    canvas.grain(rng, 2, 0.015)
    return [Part(rectangle(side, side, 0), 1.2, canvas.done(), finish="cloth")]


def receipt(rng: Rng, _: Layout) -> list[Part]:
    w, h = rng.uniform(56, 80), rng.uniform(90, 170)
    canvas = Canvas(-w / 2, -h / 2, w / 2, h / 2, near(rng, (0.95, 0.95, 0.94), 0.01))
    hand, ink = a_hand(rng), (0.25, 0.25, 0.3)
    canvas.text("TRATTORIA", (0, h / 2 - 10), 5, ink, hand, widest_mm=w - 10)
    for y in np.arange(h / 2 - 22, -h / 2 + 10, -5.5):
        canvas.text(
            "".join(str(c) for c in rng.choice(list("abcdefgh inorst"), 9)),
            (-w * 0.15, y),
            2.6,
            ink,
            hand,
            widest_mm=w * 0.6,
        )
        canvas.text(f"{rng.uniform(1, 30):.2f}", (w * 0.33, y), 2.6, ink, hand)
    return [Part(rectangle(w, h, 0), 0.15, canvas.done(), finish="satin")]


def playing_card(rng: Rng, _: Layout) -> list[Part]:
    w, h = 63.0, 88.0
    canvas = Canvas(-w / 2, -h / 2, w / 2, h / 2, (0.96, 0.96, 0.94))
    red = rng.random() < 0.5
    ink: Colour = (0.78, 0.06, 0.1) if red else (0.06, 0.06, 0.08)
    hand, value = a_hand(rng), int(rng.integers(2, 11))
    if rng.random() < 0.3:  # its back
        canvas.area(rectangle(w - 8, h - 8, 2), ink)
        for at in np.arange(-h, h, 5.0):
            for way in (-1, 1):
                canvas.stroke([(-w / 2 + 4, at), (w / 2 - 4, at + way * (w - 8))], (0.9, 0.9, 0.9), 0.5)
    else:
        for index in range(value):
            x, y = (index % 2 - 0.5) * 24 if value > 3 else 0.0, (index // 2 if value > 3 else index) * 13.0 - 26
            lozenge = np.array([[0, 6.5], [-5, 0], [0, -6.5], [5, 0]]) + (x, y)
            canvas.area(lozenge if red else disc(9) + (x, y), ink)
        for x, y, turn in ((-w / 2 + 6, h / 2 - 8, 0.0), (w / 2 - 6, -h / 2 + 8, 180.0)):
            canvas.text(str(value), (x, y), 7, ink, hand, turn)
    return [Part(rectangle(w, h, 3), 0.35, canvas.done(), finish="satin")]


def other_games_card(rng: Rng, _: Layout) -> list[Part]:
    """A card of another game, with art."""
    w, h = rng.uniform(44, 66), rng.uniform(60, 92)
    ground = any_colour(rng)
    canvas = Canvas(-w / 2, -h / 2, w / 2, h / 2, ground)
    hand = a_hand(rng)
    canvas.area(rectangle(w - 8, h * 0.55, 2) + (0, h * 0.12), lighter(ground, 0.4))
    for _topping in range(7):
        at = (rng.uniform(-0.35, 0.35) * w, rng.uniform(-0.1, 0.35) * h)
        canvas.thing(
            blob(rng, at, rng.uniform(8, 24), rng.uniform(8, 20), rng.uniform(0, 3), 0.12), any_colour(rng), hand
        )
    canvas.text(
        str(rng.choice(["Dragon", "Forest", "+3 GOLD", "Knight"])),
        (0, h * 0.44),
        5,
        any_colour(rng),
        hand,
        widest_mm=w - 8,
    )
    for line in range(3):
        canvas.text(
            "draw two and keep one", (0, -h * (0.24 + 0.07 * line)), 2.4, lighter(ground, -0.7), hand, widest_mm=w - 10
        )
    return [Part(rectangle(w, h, 3), 0.4, canvas.done(), finish="satin")]


def rules(rng: Rng, layout: Layout) -> list[Part]:
    """A folded sheet of this game's rules, with small pictures of its pieces."""
    w, h = rng.uniform(95, 125), rng.uniform(140, 180)
    canvas = Canvas(-w / 2, -h / 2, w / 2, h / 2, near(rng, (0.94, 0.93, 0.9), 0.02))
    hand, ink = a_hand(rng), (0.15, 0.13, 0.12)
    canvas.text("HOW TO PLAY", (0, h / 2 - 12), 8, any_colour(rng), hand, widest_mm=w - 16)
    prints = {id(body.top): body.top for body in layout.bodies if body.top is not None}
    some = [list(prints.values())[int(i)] for i in rng.permutation(len(prints))[:3]]
    for y in np.arange(h / 2 - 26, -h / 2 + 8, -4.2):
        canvas.text(
            "".join(str(c) for c in rng.choice(list("abcdefgh inorst"), 24)), (0, y), 2.2, ink, hand, widest_mm=w - 14
        )
    for index, one in enumerate(some):
        wide, high = one.right - one.left, one.upper - one.lower
        scale = min(rng.uniform(0.3, 0.6), 38 / max(wide, high))
        at = ((index - 1) * w * 0.3, rng.uniform(-0.3, 0.25) * h)
        _paste(canvas, one, at, scale)
    return [Part(rectangle(w, h, 0), 0.6, canvas.done(), finish="satin")]


def _paste(canvas: Canvas, one: Print, at: tuple[float, float], scale: float) -> None:

    wide, high = ((one.right - one.left) * scale * canvas.scale, (one.upper - one.lower) * scale * canvas.scale)
    small = cv2.resize(one.image, (round(wide), round(high)), interpolation=cv2.INTER_AREA)
    x, y = (
        round((at[0] - canvas.left) * canvas.scale - wide / 2),
        round((canvas.upper - at[1]) * canvas.scale - high / 2),
    )
    x, y = max(x, 0), max(y, 0)
    part = canvas.image[y : y + small.shape[0], x : x + small.shape[1]]
    part[:] = small[: part.shape[0], : part.shape[1]]


def box_lid(rng: Rng, _: Layout) -> list[Part]:
    """The lid of a game's box: a picture of a pizza, and a name."""
    side = rng.uniform(110, 150)
    canvas = Canvas(-side / 2, -side / 2, side / 2, side / 2, any_colour(rng))
    hand, palette = a_hand(rng), a_palette(rng)
    canvas.area(disc(side * 0.74) - (0, side * 0.08), (0.78, 0.55, 0.28))
    canvas.area(disc(side * 0.64) - (0, side * 0.08), (0.95, 0.78, 0.42))
    for _topping in range(22):
        x, y = around(rng, side * 0.28)
        draw(canvas, str(rng.choice(_ON_PIZZA)), rng, np.array([x, y - side * 0.08]), side * 0.09, hand, palette)
    canvas.text("PIZZA PARTY", (0, side * 0.4), side * 0.11, any_colour(rng), hand, widest_mm=side * 0.9)
    return [Part(rectangle(side, side, 1), rng.uniform(18, 40), canvas.done(), finish="satin", edge=any_colour(rng))]


def notebook(rng: Rng, _: Layout) -> list[Part]:
    w, h, ground = rng.uniform(75, 100), rng.uniform(105, 145), near(rng, (0.95, 0.94, 0.9), 0.02)
    canvas = Canvas(-w / 2, -h / 2, w / 2, h / 2, ground)
    for y in np.arange(-h / 2 + 6, h / 2 - 6, 5.0):
        canvas.stroke([(-w / 2, y), (w / 2, y)], (0.6, 0.7, 0.85), 0.25)
        if rng.random() < 0.5:
            x = np.arange(-w / 2 + 8, rng.uniform(0, w / 2 - 6), 0.8)
            canvas.stroke(np.column_stack([x, y + 1.6 + rng.normal(0, 0.9, len(x))]), (0.1, 0.15, 0.45), 0.4)
    return [Part(rectangle(w, h, 2), 6, canvas.done(), finish="paper")]


def sticker(rng: Rng, _: Layout) -> list[Part]:
    side, ground = rng.uniform(50, 76), ((0.96, 0.9, 0.35), (0.95, 0.6, 0.7), (0.6, 0.85, 0.6))[int(rng.integers(3))]
    canvas = Canvas(-side / 2, -side / 2, side / 2, side / 2, ground)
    canvas.text(
        str(rng.choice(["Anna 12", "milk", "score", "17 : 9"])),
        (0, 6),
        9,
        (0.15, 0.15, 0.3),
        a_hand(rng),
        widest_mm=side - 12,
    )
    return [Part(rectangle(side, side, 0), 0.2, canvas.done(), finish="paper")]


def real_slice(rng: Rng, long: float, outline: Floats) -> Print:
    """Baked cheese with brown spots, toppings and a crust, as a photo of a slice of pizza shows it."""
    left, lower = outline.min(0) - 2
    right, upper = outline.max(0) + 2
    canvas = Canvas(left, lower, right, upper, near(rng, (0.92, 0.74, 0.38), 0.04))
    canvas.grain(rng, 5, 0.07)
    tip = np.array([0.0, -long * 0.55])

    def somewhere() -> Floats:
        way, far = rng.normal(0, 0.2), long * math.sqrt(rng.uniform(0.06, 0.7))
        return tip + far * np.array([math.sin(way), math.cos(way)])

    for _ in range(22):
        size = rng.uniform(4, 14)
        colours: Sequence[Colour] = ((0.75, 0.25, 0.1), (0.8, 0.55, 0.22), (0.96, 0.86, 0.6))
        canvas.veil(
            blob(rng, somewhere(), size, size * 0.7, rng.uniform(0, 3), 0.2), colours[int(rng.integers(3))], 0.6
        )
    for _ in range(int(rng.integers(3, 7))):
        at, size = somewhere(), rng.uniform(18, 26)
        colour = near(rng, (0.68, 0.16, 0.1), 0.05)
        canvas.area(blob(rng, at + 0.8, size + 1, size + 1, 0, 0.03), lighter(colour, -0.5))
        canvas.area(blob(rng, at, size, size * 0.95, 0, 0.04), colour)
        for _ in range(6):
            canvas.veil(blob(rng, at + rng.normal(0, size * 0.2, 2), 4, 3, 0, 0.2), lighter(colour, 0.3), 0.5)
    for _ in range(int(rng.integers(0, 7))):
        canvas.area(blob(rng, somewhere(), 12, 7, rng.uniform(0, 3), 0.15), near(rng, (0.16, 0.36, 0.12), 0.04))
    arc = [
        tip + q * np.array([math.sin(a), math.cos(a)])
        for q, way in ((long * 0.86, 1), (long * 1.05, -1))
        for a in way * np.linspace(-0.5, 0.5, 20)
    ]
    canvas.area(np.array(arc), near(rng, (0.78, 0.54, 0.28), 0.04))
    for _ in range(14):
        a, size = rng.uniform(-0.4, 0.4), rng.uniform(4, 14)
        canvas.veil(
            blob(
                rng,
                tip + long * rng.uniform(0.87, 1.0) * np.array([math.sin(a), math.cos(a)]),
                size,
                size * 0.6,
                a,
                0.2,
            ),
            (0.42, 0.22, 0.08),
            0.5,
        )
    canvas.grain(rng, 1.5, 0.05)
    return canvas.done()
