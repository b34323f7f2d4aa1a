"""A new print run of SLICE: the ten faces of slice cards, their back, and the 24 orders."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tests.rigs.traced.art_slices import components, star
from tests.rigs.traced.art_toppings import Palette, a_palette, draw
from tests.rigs.traced.bodies import Floats, Print, disc, generator, rectangle, wedge
from tests.rigs.traced.drawing import Canvas, Colour, Hand, a_hand, blob, lighter, near, turned

HOT_SAUCE, COMBO, BACK = "slice/hot-sauce", "slice/combo", "slice/back"


def orders() -> Mapping[str, Sequence[str]]:
    """Each order card's face and what belongs to its eight places, clockwise from its top."""
    return {f"order/{name}": tuple(facts["places"]["is"]) for name, facts in components("slice")["order"].items()}


def slice_fronts() -> list[str]:
    """The faces of slice cards."""
    return [*(f"slice/{name}" for name in components("slice")["topping"]), HOT_SAUCE, COMBO]


class CardRun:
    """One print run; it draws faces as they are asked for."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        rng = generator("run of cards", seed)
        self.card = (rng.uniform(38.5, 42), rng.uniform(54, 59))
        self.order_side = rng.uniform(67, 73)
        self.thickness = rng.uniform(0.28, 0.42)
        self.rounding = rng.uniform(1.5, 5)
        self.card_outline = rectangle(*self.card, self.rounding)
        self.order_outline = rectangle(self.order_side, self.order_side, self.rounding)
        self.finish = str(rng.choice(["satin", "glossy", "paper"]))
        self._hand: Hand = a_hand(rng)
        self._palette: Palette = a_palette(rng)
        self._border = near(rng, (0.96, 0.95, 0.92), 0.02) if rng.random() < 0.6 else _any(rng)
        self._layout = int(rng.integers(3))
        self._tints = {face: _any(rng) for face in slice_fronts()}
        self._one_ground = near(rng, (0.95, 0.9, 0.78), 0.04) if rng.random() < 0.35 else None
        self._named = bool(rng.random() < 0.6)
        self._back_ground, self._back_mark = _any(rng), _any(rng)
        self._back_pattern = int(rng.integers(3))
        self._order_ground, self._order_ink = near(rng, (0.9, 0.86, 0.76), 0.05), near(rng, (0.2, 0.14, 0.1), 0.05)
        self._crust, self._cheese = near(rng, (0.74, 0.5, 0.26), 0.05), near(rng, (0.95, 0.78, 0.4), 0.05)
        self._order_plates = bool(rng.random() < 0.5)
        self._order_title = int(rng.integers(2))

    def front(self, face: str) -> Print:
        """A slice card's front."""
        w, t = self.card
        rng = generator("card", self.seed, face)
        kind = face.removeprefix("slice/")
        canvas = Canvas(-w / 2, -t / 2, w / 2, t / 2, self._border)
        ground = self._one_ground or self._tints[face]
        canvas.area(rectangle(w - 4, t - 4, max(self.rounding - 1, 0.5)), ground)
        canvas.grain(rng, 8, 0.02)
        dark = sum(ground) < 1.3
        ink: Colour = (0.97, 0.95, 0.9) if dark else (0.12, 0.08, 0.08)
        if self._layout == 0:
            canvas.area(blob(rng, (0, 2), w * 0.72, w * 0.72, 0, 0), lighter(ground, 0.45 if not dark else 0.25))
        elif self._layout == 1:
            self._wedge(canvas, t * 0.62, (0, -t * 0.24))
        else:
            for way in np.arange(0, 2 * math.pi, math.pi / 6):
                ray = turned(np.array([(0, 0), (-3.0, 60), (3.0, 60)]), way)
                canvas.veil(np.clip(ray, (-w / 2 + 2, -t / 2 + 2), (w / 2 - 2, t / 2 - 2)), (1, 1, 1), 0.25)
        if kind == "hot-sauce":
            self._bottle(canvas, rng)
        elif kind == "combo":
            self._combo(canvas, rng)
        else:
            self._toppings(canvas, rng, kind)
        if self._named or kind in ("hot-sauce", "combo"):
            canvas.text(kind.replace("-", " ").title(), (0, -t / 2 + 7), 4.6, ink, self._hand, widest_mm=w - 9)
        return canvas.done()

    def back(self) -> Print:
        """The back that slice cards share."""
        w, t = self.card
        canvas = Canvas(-w / 2, -t / 2, w / 2, t / 2, self._border)
        canvas.area(rectangle(w - 4, t - 4, 1.5), self._back_ground)
        light = lighter(self._back_ground, 0.35)
        if self._back_pattern == 0:
            for step in np.arange(-60, 60, 6.0):
                canvas.stroke([(step - 40, -40), (step + 40, 40)], light, 1.3)
        elif self._back_pattern == 1:
            for x in np.arange(-18, 19, 6.0):
                for y in np.arange(-24, 25, 6.0):
                    canvas.area(star(x, y, 2.0), light)
        else:
            for size in np.arange(8, 80, 9.0):
                canvas.stroke(rectangle(size * 0.7, size, 1), light, 1.4, closed=True)
        canvas.stroke(rectangle(w - 3, t - 3, 2), self._border, 2.5, closed=True)
        canvas.area(disc(w * 0.55), self._back_mark)
        self._wedge(canvas, w * 0.42, (0, -w * 0.2))
        return canvas.done()

    def order(self, face: str) -> Print:
        """An order card: a pizza with eight places, their toppings clockwise from the top."""
        half = self.order_side / 2
        rng = generator("order", self.seed, face)
        canvas = Canvas(-half, -half, half, half, self._border)
        canvas.area(rectangle(2 * half - 3, 2 * half - 3, self.rounding), self._order_ground)
        canvas.area(blob(rng, (0, 0), 1.88 * half, 1.88 * half, 0, 0.004), self._crust)
        canvas.area(disc(1.7 * half), self._cheese)
        canvas.grain(rng, 5, 0.03)
        for place in range(8):
            way = math.pi / 2 - math.pi / 4 * (place + 0.5)
            canvas.stroke([(0, 0), (0.85 * half * math.cos(way), 0.85 * half * math.sin(way))], self._crust, 0.7)
        for place, kind in enumerate(orders()[face]):
            way = math.pi / 2 - math.pi / 4 * place
            at = 0.62 * half * np.array([math.cos(way), math.sin(way)])
            if self._order_plates:
                canvas.area(disc(0.34 * half) + at, lighter(self._tints[f"slice/{kind}"], 0.2))
            draw(canvas, kind, rng, at, 0.27 * half, self._hand, self._palette)
        canvas.area(disc(0.62 * half), self._order_ground)
        canvas.stroke(disc(0.62 * half), self._order_ink, 0.6, closed=True)
        canvas.area([(0, 0.27 * half), (-0.09 * half, 0.14 * half), (0.09 * half, 0.14 * half)], self._order_ink)
        number = face.rpartition("-")[2]
        canvas.text(number, (0, -0.06 * half), 0.22 * half, self._order_ink, self._hand, widest_mm=0.4 * half)
        corner = 0.86 * half
        if self._order_title:
            for x in (-corner, corner):
                canvas.area(star(x, corner, 2.2), self._back_mark)
        canvas.text(number, (corner, -corner), 4.0, self._order_ink, self._hand, widest_mm=6)
        return canvas.done()

    def _toppings(self, canvas: Canvas, rng: np.random.Generator, kind: str) -> None:
        w, t = self.card
        places = [(0.0, 2.0, 0.62)] if self._layout == 0 else []
        if self._layout == 1:
            places = [(-0.2, 0.22, 0.3), (0.2, 0.22, 0.3), (0.0, 0.06, 0.3), (0.02, -0.1, 0.24)]
        elif self._layout == 2:
            places = [(-0.2, 0.2, 0.36), (0.2, 0.16, 0.36), (-0.14, -0.1, 0.36), (0.2, -0.14, 0.36)]
        for x, y, size in places:
            at = np.array([x * w, y if self._layout == 0 else y * t])
            draw(canvas, kind, rng, at, size * w, self._hand, self._palette)

    def _wedge(self, canvas: Canvas, long: float, tip: tuple[float, float]) -> None:
        at = np.array(tip)
        canvas.area(wedge(long, 48, 1.0) + at, self._crust)
        canvas.area(wedge(long * 0.87, 46, 0.5) + at, self._cheese)

    def _bottle(self, canvas: Canvas, rng: np.random.Generator) -> None:
        shape = [(-7, -14), (7, -14), (7, 4), (3, 10), (3, 16), (-3, 16), (-3, 10), (-7, 4)]
        canvas.thing(np.array(shape) + (0, 3.0), near(rng, (0.82, 0.12, 0.08), 0.03), self._hand)
        canvas.area(rectangle(5.5, 4, 0.5) + (0, 20.0), (0.15, 0.4, 0.15))
        canvas.area(rectangle(11, 9, 1) + (0, -2.0), (0.97, 0.93, 0.85))
        flame = np.array([(0, 4.5), (-2.4, 0.6), (-1.8, -2.2), (0, -3.4), (1.8, -2.2), (2.4, 0.6)]) + (0, -2.0)
        canvas.area(flame, (0.95, 0.5, 0.05))

    def _combo(self, canvas: Canvas, rng: np.random.Generator) -> None:
        w, t = self.card
        self._wedge(canvas, t * 0.55, (0, -t * 0.2))
        kinds = list(rng.permutation(sorted(components("slice")["topping"])))[:4]
        for kind, (x, y) in zip(kinds, ((-0.16, 0.2), (0.16, 0.2), (-0.03, 0.08), (0.02, -0.06)), strict=True):
            draw(canvas, str(kind), rng, np.array([x * w, y * t]), 0.22 * w, self._hand, self._palette)
        canvas.area(star(w * 0.33, t * 0.36, 4.5), (0.95, 0.8, 0.1))


def _any(rng: np.random.Generator) -> Colour:
    """Any strong enough colour."""
    hue, value, strength = rng.uniform(0, 6), rng.uniform(0.45, 0.95), rng.uniform(0.35, 0.85)
    found: Floats = value * (1 - strength * np.clip(np.abs((hue - np.array([3.0, 5.0, 1.0])) % 6 - 3) - 1, 0, 1))
    return (float(found[0]), float(found[1]), float(found[2]))
