"""A new print run of New York Slice or Pizzeria: every slice, every Special or special offer, and their backs.

Which faces there are and how much pepperoni, anchovy or basil each shows is the games' components.toml; the rest is of
this run alone: colours, crust, the draughtsman's hand, lettering, where the value stands, backs.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.rigs.traced.art_toppings import Palette, a_palette, draw
from tests.rigs.traced.bodies import Floats, Print, generator, rectangle, wedge
from tests.rigs.traced.drawing import Canvas, Colour, Hand, a_hand, blob, lighter, near, turned

GAMES = Path(__file__).parents[3] / "controller" / "games"
SLICE_DEG = 360 / 11
_COVERINGS: Mapping[str, Sequence[str]] = {
    "new_york_slice": ("pepper", "tomato", "chicken", "pineapple", "feta", "mushroom", "sausage", "bacon", "olive"),
    "pizzeria": ("tomato", "pineapple", "feta", "shrimp", "pepper", "mushroom", "bacon", "pepperoni", "onion", "corn"),
}
"""What the values show, from the least up."""
_SIDES = ("olive", "onion", "corn", "ham", "tomato", "feta", "pepper")


@dataclass(frozen=True, slots=True)
class Face:
    """One face of a slice as the game's list of pieces has it."""

    name: str
    values: Sequence[int]
    counted: Mapping[str, int]
    """Topping that counts -> how many."""
    words: str = ""


def slice_faces(game: str) -> list[Face]:
    """All faces of a game's slices."""
    listed = components(game)
    counted = ("pepperoni", "anchovies") if game == "new_york_slice" else ("basil",)
    names = {"pepperoni": "pepperoni", "anchovies": "anchovy", "basil": "basil"}
    found = []
    for value, facts in listed["value"].items():
        for index in range(len(facts[counted[0]]["is"])):
            counts = {names[key]: int(facts[key]["is"][index]) for key in counted}
            found.append(Face(f"{value}/{index + 1}", (int(value),), counts))
    for name, facts in (listed.get("combo") or listed["mixed"]).items():
        found.append(Face(name, tuple(facts["values"]["is"]), {}))
    for name, facts in listed.get("single", {}).items():
        counts = {names[key]: int(facts[key]["is"]) for key in counted}
        found.append(Face(name, (), counts, "-3" if name == "anchovy" else "*"))
    return found


def notice_faces(game: str) -> list[Face]:
    """All Specials or special offers, with their words."""
    listed = components(game)
    if game == "new_york_slice":
        return [
            Face(f"special/{name}", (), {"star": int(facts["blue"]["is"])}, f"{facts['title']['is']}|{facts['text']}")
            for name, facts in listed["special"].items()
        ]
    return [
        Face(f"offer/{name}", (), {}, f"{name.upper()}|{facts['when']['is']}|{facts['text']}")
        for name, facts in listed["offer"].items()
    ]


def components(game: str) -> dict[str, Any]:
    """A game's list of pieces."""
    return tomllib.loads((GAMES / game / "components.toml").read_text(encoding="utf-8"))


class SliceRun:
    """One print run; it draws faces as they are asked for."""

    def __init__(self, game: str, seed: int) -> None:
        self.game, self.seed = game, seed
        rng = generator("run of slices", game, seed)
        self.radius = rng.uniform(102, 116)
        self.thickness = rng.uniform(1.6, 2.3)
        self.notice_size = (rng.uniform(56, 66), rng.uniform(84, 95))
        self.outline = wedge(self.radius, SLICE_DEG, rng.uniform(1.0, 2.5))
        self.notice_outline = rectangle(*self.notice_size, rng.uniform(1.5, 6))
        self.finish = str(rng.choice(["paper", "satin", "satin", "glossy"]))
        self.edge = near(rng, (0.72, 0.66, 0.56), 0.06) if rng.random() < 0.5 else near(rng, (0.88, 0.87, 0.84), 0.03)
        self._hand: Hand = a_hand(rng)
        self._palette: Palette = a_palette(rng)
        self._crust: Colour = near(rng, (0.74, 0.5, 0.26), 0.06)
        self._crust_share = rng.uniform(0.07, 0.14)
        coverings = list(_COVERINGS[game])
        rng.shuffle(coverings)
        lowest = 3 if game == "new_york_slice" else 2
        self._covering = {lowest + index: kind for index, kind in enumerate(coverings)}
        grounds: list[Colour] = [
            (0.96, 0.8, 0.42),
            (0.95, 0.74, 0.34),
            (0.86, 0.4, 0.2),
            (0.93, 0.88, 0.74),
            (0.62, 0.66, 0.28),
        ]
        self._grounds = {v: near(rng, grounds[int(rng.integers(len(grounds)))], 0.035) for v in self._covering}
        self._sides = {v: str(rng.choice([s for s in _SIDES if s != kind])) for v, kind in self._covering.items()}
        self._badge = str(rng.choice(["disc", "bare", "shield", "square"]))
        self._badge_colour = (
            near(rng, (0.97, 0.95, 0.88), 0.02) if rng.random() < 0.6 else near(rng, (0.2, 0.16, 0.2), 0.1)
        )
        self._badge_ink: Colour = (0.1, 0.08, 0.08) if sum(self._badge_colour) > 1.5 else (0.98, 0.96, 0.9)
        self._tip = rng.uniform(0.2, 0.27)
        self._size = rng.uniform(0.85, 1.15)
        self._back_ground = near(rng, (rng.uniform(0.1, 0.8), rng.uniform(0.1, 0.7), rng.uniform(0.1, 0.7)), 0.02)
        self._back_pattern = int(rng.integers(3))
        self._board = near(rng, (0.13, 0.15, 0.14), 0.04) if rng.random() < 0.5 else near(rng, (0.94, 0.9, 0.8), 0.03)
        self._board_ink: Colour = (0.95, 0.95, 0.9) if sum(self._board) < 1.2 else (0.12, 0.1, 0.1)
        self._board_accent = near(rng, (rng.uniform(0.4, 1), rng.uniform(0.2, 0.9), rng.uniform(0.1, 0.6)), 0.02)

    def slice(self, face: Face) -> Print:
        """A slice's front."""
        rng = generator("slice", self.game, self.seed, face.name)
        half, r, h = self.radius * math.sin(math.radians(SLICE_DEG / 2)), self.radius, self._hand
        canvas = Canvas(-half - 1, -1, half + 1, r + 1, self._crust)
        canvas.grain(rng, 6, 0.05)
        inner = wedge(r * (1 - self._crust_share), SLICE_DEG + 8, 0) * (1, 1)
        arc = inner[1:] * (1 + 0.012 * np.sin(np.linspace(0, 30, len(inner) - 1)))[:, None]
        halves = self._halves(face)
        for side, value in zip((-1, 1), halves, strict=False):
            ground = self._grounds[value] if value else near(rng, (0.94, 0.76, 0.38), 0.01)
            part = np.concatenate([inner[:1], arc]) if len(halves) == 1 else self._half(arc, side)
            canvas.area(lighter_edge(part, 1.02), lighter(ground, -0.3))
            canvas.area(part, ground)
        canvas.grain(rng, 2.5, 0.03)
        if h.line_mm > 0:
            canvas.stroke(arc, h.line, h.line_mm)
        if len(halves) > 1:
            canvas.stroke([(0, 0), (0, r)], h.line if h.line_mm else self._crust, max(0.8, h.line_mm))
        taken: list[tuple[Floats, float]] = [(np.array([0.0, r * self._tip]), r * 0.085)]
        for kind, count in face.counted.items():
            for _ in range(count):
                size = {"pepperoni": 14.0, "anchovy": 19.0, "basil": 13.0}[kind] * self._size
                spot = self._free(rng, taken, size, 0)
                draw(canvas, kind, rng, spot, size, h, self._palette)
        for side, value in zip((-1, 1), halves, strict=False):
            for kind, many, size in self._recipe(value, face, len(halves)):
                for _ in range(many):
                    spot = self._free(rng, taken, size, side if len(halves) > 1 else 0)
                    draw(canvas, kind, rng, spot, size, h, self._palette)
        self._number(canvas, face)
        return canvas.done()

    def slice_back(self) -> Print:
        """The back that all slices share."""
        half, r = self.radius * math.sin(math.radians(SLICE_DEG / 2)), self.radius
        canvas = Canvas(-half - 1, -1, half + 1, r + 1, self._back_ground)
        self._back(canvas, (0, 0.62 * r), 14)
        return canvas.done()

    def notice(self, face: Face) -> Print:
        """A Special's or an offer's front."""
        w, t = self.notice_size
        rng = generator("notice", self.game, self.seed, face.name)
        canvas = Canvas(-w / 2 - 1, -t / 2 - 1, w / 2 + 1, t / 2 + 1, lighter(self._board_accent, -0.35))
        canvas.area(rectangle(w - 5, t - 5, 3), self._board)
        canvas.grain(rng, 9, 0.03)
        parts = face.words.split("|")
        if self.game == "new_york_slice":
            self._wrapped(canvas, parts[0], t / 2 - 15, 6.5, 12, self._board_accent)
            self._wrapped(canvas, parts[1], t * 0.03, 3.4, 26, self._board_ink)
            if face.counted.get("star"):
                canvas.area(star(w / 2 - 10, -t / 2 + 10, 5.5), (0.2, 0.45, 0.85))
        else:
            self._offer(canvas, parts, w, t)
        kind = str(rng.choice(sorted(self._palette)))
        draw(
            canvas,
            kind,
            rng,
            np.array([rng.uniform(-w * 0.06, w * 0.12), -t * 0.3]),
            rng.uniform(13, 19),
            self._hand,
            self._palette,
        )
        return canvas.done()

    def notice_back(self) -> Print:
        """The back that all of them share."""
        w, t = self.notice_size
        canvas = Canvas(-w / 2 - 1, -t / 2 - 1, w / 2 + 1, t / 2 + 1, lighter(self._board_accent, -0.3))
        canvas.area(rectangle(w - 6, t - 6, 3), self._board)
        self._back(canvas, (0, 0), 10)
        return canvas.done()

    def _halves(self, face: Face) -> tuple[int, ...]:
        return tuple(face.values) or (0,)

    def _half(self, arc: Floats, side: int) -> Floats:
        kept = arc[arc[:, 0] * side > 0]
        top = np.array([[0.0, float(np.hypot(*arc[0]))]])
        return np.concatenate([[(0.0, 0.0)], kept, top]) if side > 0 else np.concatenate([[(0.0, 0.0)], top, kept])

    def _recipe(self, value: int, face: Face, halves: int) -> list[tuple[str, int, float]]:
        s = self._size
        if value:
            many = (6, 3) if halves == 1 else (3, 2)
            return [(self._covering[value], many[0], 12 * s), (self._sides[value], many[1], 8 * s)]
        if face.name == "supreme":
            return [(kind, 2, 9 * s) for kind in ("mushroom", "pepper", "onion", "olive")]
        return [("onion", 3, 9 * s)]

    def _free(self, rng: np.random.Generator, taken: list[tuple[Floats, float]], size: float, side: int) -> Floats:
        """A place in the slice that is as free as 40 tries find."""
        best, most = np.zeros(2), -np.inf
        limit = math.tan(math.radians(SLICE_DEG / 2))
        for _ in range(40):
            y = rng.uniform(0.3, 0.97 - self._crust_share) * self.radius - size * 0.3
            wide = max(y * limit - size * 0.42, 0.0)
            x = rng.uniform(-wide, wide)
            if side:
                x = side * (abs(x) * 0.6 + min(size * 0.45, wide))
            room = min((float(np.hypot(*(at - (x, y)))) - other - size / 2 for at, other in taken), default=0.0)
            if room > most:
                best, most = np.array([x, y]), room
        taken.append((best, size / 2))
        return best

    def _number(self, canvas: Canvas, face: Face) -> None:
        at, size = (0.0, self.radius * self._tip), self.radius * 0.062
        text = face.words or "/".join(str(v) for v in face.values)
        points = {
            "disc": blob(generator(0), at, 3 * size, 3 * size, 0, 0),
            "square": rectangle(3 * size, 2.5 * size, 1.5) + at,
            "shield": np.array([(-1.5, 1.3), (1.5, 1.3), (1.5, -0.3), (0, -1.9), (-1.5, -0.3)])[::-1] * size + at,
        }.get(self._badge)
        if points is not None:
            canvas.area(points, self._badge_colour)
            canvas.stroke(points, self._badge_ink, 0.5, closed=True)
        if text == "*":
            canvas.area(star(*at, size * 1.3), (0.9, 0.7, 0.1))
            canvas.stroke(star(*at, size * 1.3), (0.1, 0.05, 0), 0.4, closed=True)
            return
        bare = self._badge == "bare"
        high = size * (1.45 if len(text) < 3 else 0.95)
        ink = (0.12, 0.06, 0.05) if bare else self._badge_ink
        if bare:
            canvas.veil(blob(generator(0), at, 3 * size, 3 * size, 0, 0), (1, 0.97, 0.9), 0.55)
        canvas.text(text, at, high, ink, self._hand, widest_mm=2.5 * size)

    def _offer(self, canvas: Canvas, parts: Sequence[str], w: float, t: float) -> None:
        ink, accent, top = self._board_ink, self._board_accent, t / 2 - 14
        canvas.area(blob(generator(1), (-w / 2 + 13, -t / 2 + 13), 13, 13, 0, 0), accent)
        canvas.text(parts[0], (-w / 2 + 13, -t / 2 + 13), 7, ink if sum(accent) < 1.5 else (0.1, 0.1, 0.1), self._hand)
        if parts[1] == "this round":
            bolt = np.array([(2, 8), (-5, -1), (0, -1), (-2, -8), (5, 1.5), (0.5, 1.5)]) + (0, top)
            canvas.area(bolt, accent)
        elif parts[1] == "any round":
            canvas.stroke(blob(generator(1), (0, top), 15, 15, 0, 0), accent, 1.4, closed=True)
            canvas.stroke([(0, top + 5), (0, top), (4, top - 1)], accent, 1.2)
        else:
            for i in range(4):
                for j in range(3):
                    if (i + j) % 2:
                        canvas.area(rectangle(4, 4, 0) + (i * 4 - 6, top + 4 - j * 4), accent)
            canvas.stroke([(-8.5, top + 7), (-8.5, top - 9)], accent, 1.2)
        self._wrapped(canvas, parts[2], t * 0.14, 3.3, 26, ink)

    def _wrapped(self, canvas: Canvas, text: str, top: float, high: float, letters: int, ink: Colour) -> None:
        lines, line = [], ""
        for word in text.replace("“", "").replace("”", "").replace("−", "-").replace("–", "-").split():
            if line and len(line) + len(word) >= letters:
                lines.append(line)
                line = ""
            line = f"{line} {word}".strip()
        for index, said in enumerate([*lines, line]):
            low = any(letter in said for letter in "gjpqy,")
            tall = high * (1.15 if low else 0.95)
            widest = self.notice_size[0] - 9
            canvas.text(said, (0, top - index * high * 1.45), tall, ink, self._hand, widest_mm=widest)

    def _back(self, canvas: Canvas, at: tuple[float, float], size: float) -> None:
        light, dark = lighter(self._back_ground, 0.3), lighter(self._back_ground, -0.4)
        reach = np.arange(-150, 151, 9.0)
        if self._back_pattern == 0:
            for step in reach:
                canvas.stroke([(step, -60), (step + 180, 120)], dark, 1.2)
                canvas.stroke([(step, -60), (step - 180, 120)], light, 0.8)
        elif self._back_pattern == 1:
            for i, x in enumerate(reach):
                for y in np.arange(-60, 130, 9.0):
                    canvas.area(blob(generator(0), (x, y + 4.5 * (i % 2)), 3.4, 3.4, 0, 0), light)
        else:
            for ring in range(2, 13):
                canvas.stroke(
                    blob(generator(0), at, ring * 12.0, ring * 12.0, 0, 0), light if ring % 2 else dark, 2, closed=True
                )
        canvas.area(blob(generator(0), at, size * 2.2, size * 2.2, 0, 0), lighter(self._back_ground, 0.75))
        points = turned(wedge(size * 1.5, 40, 0) - (0, size * 0.8), 0.4) + at
        canvas.area(points, self._crust)
        canvas.area((points - at) * 0.75 + at, (0.95, 0.78, 0.4))


def star(x: float, y: float, size: float) -> Floats:
    """A star with five points."""
    a = np.arange(10) * math.pi / 5 + math.pi / 2
    r = np.where(np.arange(10) % 2, 0.42, 1.0) * size
    return np.stack([np.cos(a) * r + x, np.sin(a) * r + y], 1)


def lighter_edge(points: Floats, by: float) -> Floats:
    """An outline, larger around its tip."""
    return points * by
