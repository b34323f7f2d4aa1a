"""A new print of Pizza Theory's board, and the looks of its sticks, toppings and dice.

Where the 37 spaces, the numbered lines and the players' places lie is the game's components.toml; v of the board's
frame points to the 1st player, x of its coordinates is to that player's right.
"""

import math
from collections.abc import Mapping

import numpy as np

from tests.rigs.traced.art_slices import components
from tests.rigs.traced.bodies import Floats, Print, disc, generator
from tests.rigs.traced.drawing import Canvas, Colour, Hand, a_hand, blob, lighter, near

PITCH_MM = 22.0
PLACES = ("1st", "2nd", "3rd")
COLOURS = ("red", "green", "white")


def space_mm(x: float, y: float, z: float) -> Floats:
    """Where a space lies in the board's frame."""
    return np.array([-PITCH_MM * math.sqrt(0.75) * x, PITCH_MM / 2 * (y - z)])


def spaces() -> list[tuple[int, int, int]]:
    """All 37 of them."""
    found = [tuple(facts["is"]) for facts in components("pizza_theory")["space"].values()]
    return [(int(x), int(y), int(z)) for x, y, z in found]


def line_mm(place: str, number: int) -> tuple[Floats, Floats]:
    """A numbered line's ends at the hexagon's rim, the numbered one first."""
    facts = components("pizza_theory")["place"][place]
    axis, at = "xyz".index(facts["axis"]["is"]), float(facts["lines"]["is"][number - 1])
    ends = []
    for towards in (1.0, -1.0):
        reach = towards * (6.0 - abs(at))
        c = [0.0, 0.0, 0.0]
        c[axis], c[(axis + 1) % 3], c[(axis + 2) % 3] = at, (-at + reach) / 2, (-at - reach) / 2
        ends.append(space_mm(*c))
    return ends[0], ends[1]


class BoardRun:
    """One print run of the board and what comes with it."""

    def __init__(self, seed: int) -> None:
        rng = generator("run of boards", seed)
        self.seed = seed
        self.diameter = rng.uniform(245, 272)
        self.thickness = rng.uniform(1.8, 3.5)
        self.finish = str(rng.choice(["paper", "satin"]))
        self.topping_mm = rng.uniform(15.0, 18.5)
        self.topping_high = rng.uniform(1.8, 4.0)
        self.topping_form = int(rng.integers(3))
        self.stick_mm, self.stick_thick = rng.uniform(225, 250), rng.uniform(2.6, 3.4)
        self.stick_coloured = rng.uniform(24, 60)
        self.die_mm = rng.uniform(24, 32)
        self.colours: Mapping[str, Colour] = {
            "red": near(rng, (0.78, 0.1, 0.1), 0.05),
            "green": near(rng, (0.1, 0.5, 0.18), 0.05),
            "white": near(rng, (0.93, 0.92, 0.88), 0.02),
        }
        self._hand: Hand = a_hand(rng)
        self._cheese = near(rng, (0.95, 0.84, 0.52), 0.04) if rng.random() < 0.6 else near(rng, (0.9, 0.62, 0.34), 0.05)
        self._crust, self._sauce = near(rng, (0.76, 0.52, 0.28), 0.05), near(rng, (0.74, 0.2, 0.1), 0.06)
        self._ring = int(rng.integers(3))
        self._dashed = bool(rng.random() < 0.5)
        self._ink = near(rng, (0.3, 0.12, 0.08), 0.06)
        self._plates = bool(rng.random() < 0.6)
        self._rim = rng.uniform(0.8, 0.9)

    def board(self) -> Print:
        """The board's print."""
        rng, d, h = generator("board", self.seed), self.diameter, self._hand
        canvas = Canvas(-d / 2 - 1, -d / 2 - 1, d / 2 + 1, d / 2 + 1, self._crust)
        canvas.grain(rng, 14, 0.06)
        canvas.area(blob(rng, (0, 0), d * self._rim, d * self._rim, 0, 0.004), self._sauce)
        canvas.area(blob(rng, (0, 0), d * self._rim - 7, d * self._rim - 7, 0, 0.005), self._cheese)
        canvas.grain(rng, 9, 0.025)
        for _ in range(40):
            way, out = rng.uniform(0, 7), d / 2 * self._rim * math.sqrt(rng.uniform(0.55, 0.9))
            at = (out * math.cos(way), out * math.sin(way))
            canvas.veil(blob(rng, at, rng.uniform(3, 9), rng.uniform(3, 8), way, 0.1), lighter(self._crust, -0.2), 0.3)
        for place in PLACES:
            for number in range(1, 7):
                self._line(canvas, place, number)
        for x, y, z in spaces():
            self._space(canvas, space_mm(x, y, z))
        for place in PLACES:
            self._place(canvas, place, h)
        return canvas.done()

    def _line(self, canvas: Canvas, place: str, number: int) -> None:
        one, two = line_mm(place, number)
        along = (two - one) / np.hypot(*(two - one))
        first, last = one - along * 9, two + along * 9
        if self._dashed:
            long = float(np.hypot(*(last - first)))
            for start in np.arange(0, long - 2, 5.0):
                canvas.stroke([first + along * start, first + along * (start + 2.8)], self._ink, 0.55)
        else:
            canvas.stroke([first, last], self._ink, 0.5)
        at = one - along * 14
        if self._plates:
            canvas.area(disc(8.5) + at, (0.97, 0.95, 0.9))
            canvas.stroke(disc(8.5) + at, self._ink, 0.4, closed=True)
        turn = math.degrees(math.atan2(along[1], along[0])) - 90
        canvas.text(str(number), (float(at[0]), float(at[1])), 4.6, self._ink, self._hand, turn, widest_mm=6)

    def _space(self, canvas: Canvas, at: Floats) -> None:
        circle = disc(18.5) + at
        if self._ring == 0:
            canvas.stroke(circle, self._ink, 0.6, closed=True)
        elif self._ring == 1:
            canvas.area(circle, lighter(self._cheese, 0.3))
            canvas.stroke(circle, lighter(self._ink, 0.3), 0.4, closed=True)
        else:
            canvas.area(circle, lighter(self._cheese, -0.15))
            canvas.area(disc(17.3) + at + (0.3, -0.4), lighter(self._cheese, 0.08))

    def _place(self, canvas: Canvas, place: str, hand: Hand) -> None:
        listed = components("pizza_theory")
        facts = listed["place"][place]
        corner = space_mm(*(float(c) for c in facts["corner"]["is"]))
        out = corner / np.hypot(*corner)
        at = out * (self.diameter / 2 * self._rim - 13)
        turn = math.degrees(math.atan2(out[1], out[0])) + 90
        canvas.text(place, (float(at[0]), float(at[1])), 8.5, self._ink, hand, turn, widest_mm=30)
        for name in facts["starts"]["is"]:
            x, y, z = listed["space"][name]["is"]
            spot = space_mm(x, y, z)
            for dx in (-4.0, 4.0):
                canvas.stroke([spot - (dx, 4.0), spot + (dx, 4.0)], self._ink, 0.9)
