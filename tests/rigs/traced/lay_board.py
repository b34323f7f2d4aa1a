"""How Pizza Theory lies: the board, toppings on spaces, a stick of each colour along a line, the dice beside."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tests.rigs.traced.art_board import COLOURS, PLACES, BoardRun, line_mm, space_mm, spaces
from tests.rigs.traced.bodies import Body, Floats, Layout, disc, generator, rectangle
from tests.rigs.traced.solids import pip_die, stick, topping

_CLEAR_MM = 34.0


class BoardGame:
    """One copy of Pizza Theory, and how it may lie."""

    def __init__(self, seed: int) -> None:
        self.seed, self.style, self.run = seed, f"theory{seed}", BoardRun(seed)
        self._print = self.run.board()

    def enrolment(self) -> Iterator[Layout]:
        """The board with a few toppings and its sticks, in plain light: the first picture is learned from."""
        yield self._layout(generator("enrol board", self.seed), 0, 6, plain=True)

    def pictures(self, count: int) -> Iterator[Layout]:
        """So many tables to be read."""
        for index in range(count):
            rng = generator("picture of the board", self.seed, index)
            yield self._layout(rng, index + 1, int(rng.integers(6, 37)), hand=rng.random() < 0.15 or index % 5 == 2)

    def _layout(
        self, rng: np.random.Generator, number: int, many: int, plain: bool = False, hand: bool = False
    ) -> Layout:
        run = self.run
        at = (rng.normal(0, 5), rng.normal(0, 5), float(rng.choice([90, 210, 330, 270, 0])) + rng.normal(0, 5))
        label = {"kind": "board", "face": "board", "diameter_mm": round(run.diameter, 2)}
        board = Body(
            label, *at, disc(run.diameter, 96), run.thickness, self._print, (0.7, 0.62, 0.5), finish=run.finish
        )
        bodies = [board]
        filled = {}
        chosen = rng.permutation(len(spaces()))[:many]
        for index, which in enumerate(chosen):
            space = spaces()[int(which)]
            colour = COLOURS[index % 3] if index < 3 else str(rng.choice(COLOURS))
            name = ",".join(str(c) for c in space)
            filled[name] = colour
            bodies.append(self._topping(rng, board, space, colour, name))
        cuts, cutters = {}, {}
        colours = [str(c) for c in rng.permutation(COLOURS)]
        sticks = colours if plain or rng.random() < 0.8 else colours[: int(rng.integers(0, 3))]
        values = {colour: int(rng.integers(1, 7)) for colour in colours}
        for place, colour in zip(PLACES, colours, strict=True):
            cuts[colour] = values[colour]
            if colour in sticks:
                bodies.append(self._stick(rng, bodies, board, place, values[colour], colour))
                cutters[colour] = {"side": place, "line": values[colour], "die": values[colour]}
        bodies += self._dice(rng, bodies, colours, values)
        said: dict[str, Any] = {"board": {"centre_mm": [at[0], at[1]], "turn_deg": at[2]}, "spaces": filled}
        if len(sticks) == 3:
            said |= {"cuts": cuts, "cutters": cutters, "disagree": []}
        name = f"theory-{self.style}-{number:02}"
        span = 470.0 if plain else rng.uniform(440, 600)
        return Layout(
            name, "pizza_theory", self.style, "theory", bodies, said, span, hand=hand, plain_light=plain, keys=(name,)
        )

    def _topping(
        self, rng: np.random.Generator, board: Body, space: tuple[int, int, int], colour: str, name: str
    ) -> Body:
        run = self.run
        x, y = board.on_table((space_mm(*space) + np.clip(rng.normal(0, 0.8, 2), -1.8, 1.8))[None])[0]
        label = {
            "kind": "topping",
            "face": colour,
            "colour": colour,
            "space": name,
            "diameter_mm": round(run.topping_mm, 2),
        }
        mesh = topping(run.topping_mm, run.topping_high, run.topping_form, run.colours[colour])
        turn = rng.uniform(0, 360)
        return Body(label, x, y, turn, disc(run.topping_mm, 48), run.topping_high, mesh=mesh, finish="plastic")

    def _stick(
        self, rng: np.random.Generator, below: Sequence[Body], board: Body, place: str, line: int, colour: str
    ) -> Body:
        run = self.run
        one, two = (board.on_table(end[None])[0] for end in line_mm(place, line))
        if rng.random() < 0.5:
            one, two = two, one
        along = (two - one) / np.hypot(*(two - one))
        middle = (one + two) / 2 + along * rng.normal(0, 7) + np.array([-along[1], along[0]]) * rng.normal(0, 0.6)
        turn = math.degrees(math.atan2(along[1], along[0])) + rng.normal(0, 0.5)
        r, half = run.stick_thick / 2, run.stick_mm / 2
        label = {
            "kind": "cutter",
            "colour": colour,
            "side": place,
            "line": line,
            "tip_end": 1,
            "diameter_mm": round(run.stick_thick, 2),
        }
        mesh = stick(run.stick_mm, run.stick_thick, run.colours[colour], run.stick_coloured)
        marks = {"ends": np.array([[-half, 0, r], [half, 0, r]])}
        return Body(
            label,
            float(middle[0]),
            float(middle[1]),
            turn,
            rectangle(run.stick_mm, run.stick_thick, 0),
            run.stick_thick,
            mesh=mesh,
            finish="wood",
            marks=marks,
        )

    def _dice(
        self, rng: np.random.Generator, lying: Sequence[Body], colours: Sequence[str], values: dict[str, int]
    ) -> list[Body]:
        """Beside the board, clear of sticks, markers and each other."""
        size = self.run.die_mm
        taken = [body.on_table(body.outline) for body in lying if body.label["kind"] in ("cutter", "board")]
        taken += [np.array([[x * 172.0, y * 172.0]]) for x in (-1, 1) for y in (-1, 1)]
        found: list[Body] = []
        for colour in colours:
            for _ in range(200):
                way, out = rng.uniform(0, 2 * math.pi), rng.uniform(self.run.diameter / 2 + 22, 250)
                x, y = out * math.cos(way), out * math.sin(way)
                if abs(y) > 195 or min(_far(points, x, y) for points in taken) < _CLEAR_MM:
                    continue
                break
            taken.append(np.array([[x, y]]))
            pips = (0.1, 0.1, 0.1) if colour == "white" else (0.95, 0.95, 0.92)
            turn = rng.uniform(0, 90)
            found.append(a_die(rng, values[colour], size, self.run.colours[colour], pips, (x, y, turn), colour))
        return found


def a_die(
    rng: np.random.Generator,
    value: int,
    size: float,
    body: Sequence[float],
    pips: Sequence[float],
    at: tuple[float, float, float],
    colour: str,
) -> Body:
    """A die with pips somewhere on the table."""
    half = size / 2
    label = {"kind": "die", "value": value, "colour": colour, "size_mm": round(size, 2)}
    marks = {"top_face": np.array([[half, -half, size], [half, half, size], [-half, half, size], [-half, -half, size]])}
    mesh = pip_die(value, size, body, pips, rng)
    return Body(label, *at, rectangle(size, size, 0), size, mesh=mesh, finish="plastic", marks=marks)


def _far(points: Floats, x: float, y: float) -> float:
    """From an outline's points, of a stick from points along it."""
    if len(points) == 4:
        points = np.concatenate([points + (np.roll(points, -1, 0) - points) * s for s in np.linspace(0, 1, 24)])
    return float(np.hypot(*(points - (x, y)).T).min())
