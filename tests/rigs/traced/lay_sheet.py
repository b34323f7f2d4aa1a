"""How a score sheet of Dice and Slice lies: alone or with its dice and a pencil, near the camera or on the mat."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tests.rigs.traced.art_sheet import SHEET_MM, layout, patterns, pencilled, played
from tests.rigs.traced.bodies import Body, Layout, generator, rectangle
from tests.rigs.traced.drawing import near
from tests.rigs.traced.solids import dot_die, pencil


class SheetGame:
    """Sheets as the kit prints them, filled in by somebody."""

    def __init__(self, seed: int) -> None:
        self.seed, self.style = seed, f"sheet{seed}"
        rng = generator("dice with dots", seed)
        bodies = [(0.75, 0.12, 0.12), (0.12, 0.3, 0.62), (0.93, 0.92, 0.88), (0.12, 0.12, 0.13), (0.95, 0.75, 0.15)]
        chosen = rng.permutation(len(bodies))[:2]
        self._dice = {name: near(rng, bodies[int(i)], 0.03) for name, i in zip("AB", chosen, strict=True)}

    def pictures(self, count: int) -> Iterator[Layout]:
        """So many sheets to be read."""
        for index in range(count):
            rng = generator("picture of a sheet", self.seed, index)
            far = rng.random() < 0.35
            marks = played(rng, int(rng.integers(3, 22)))
            turn = 90 + (float(rng.choice([0, 0, 90, 180, 270])) if far else 0.0) + rng.normal(0, 5)
            at = (rng.normal(0, 12), rng.normal(0, 8), turn)
            label: dict[str, Any] = {"kind": "sheet", "face": "sheet"}
            w, h = SHEET_MM
            corners = np.array([[-w, h, 0], [w, h, 0], [w, -h, 0], [-w, -h, 0]]) / 2
            sheet = Body(
                label,
                *at,
                rectangle(w, h, 0),
                0.12,
                pencilled(marks, rng),
                (0.95, 0.95, 0.94),
                finish="paper",
                marks={"corners": corners},
            )
            bodies = [sheet]
            if rng.random() < 0.6:
                bodies += self._two_dice(rng, sheet, far)
            if rng.random() < 0.35:
                bodies.append(self._pencil(rng, bodies))
            said = {
                "sheet": {
                    "dots": [list(place) for place in marks.dots],
                    "lines": [[list(one), list(two)] for one, two in marks.lines],
                    "crossed": [{"square": list(square)} for square in marks.crossed],
                    "circled": list(marks.circled),
                    "crossed_bonuses": list(marks.crossed_bonuses),
                }
            }
            name = f"sheet-{self.style}-{index + 1:02}"
            span = rng.uniform(520, 620) if far else rng.uniform(230, 380)
            yield Layout(
                name,
                "dice_and_slice",
                self.style,
                "sheet",
                bodies,
                said,
                span,
                mat=far or bool(rng.random() < 0.5),
                hand=bool(rng.random() < 0.2),
                large=True if far else None,
                keys=(name,),
            )

    def _two_dice(self, rng: np.random.Generator, sheet: Body, far: bool) -> list[Body]:
        """One of each, beside the sheet, now and then on it."""
        found: list[Body] = []
        w, h = SHEET_MM[0] / 2, SHEET_MM[1] / 2
        for name, ground in self._dice.items():
            size, pitch = float(layout()["die"]["size_mm"]), float(layout()["die"]["pips_mm"])
            faces = [(rows, connected) for die, rows, connected in patterns() if die == name]
            shown = int(rng.integers(len(faces)))
            rows, connected = faces[shown]
            quarter = int(rng.integers(4))
            turned = ["".join(row) for row in np.rot90([list(row) for row in rows], quarter)]
            for _ in range(100):
                spot = (
                    (w * rng.uniform(-0.9, 0.9), -h - rng.uniform(16, 32))
                    if rng.random() < 0.6
                    else (w + rng.uniform(18, 40), h * rng.uniform(-0.8, 0.8))
                )
                x, y = sheet.on_table(np.array([spot]))[0]
                if all(np.hypot(x - other.x_mm, y - other.y_mm) > 40 for other in found):
                    break
            dots: tuple[float, float, float] = (0.95, 0.95, 0.92) if sum(ground) < 1.7 else (0.1, 0.1, 0.12)
            others = [other for index, (other, _) in enumerate(faces) if index != shown]
            mesh = dot_die(turned, connected, size, pitch, ground, dots, others, rng)
            half = size / 2
            places = [
                ((c - 1) * pitch, (1 - r) * pitch, size) for r in range(3) for c in range(3) if turned[r][c] == "#"
            ]
            label = {"kind": "die", "pattern": turned, "colour": "die " + name, "size_mm": size}
            top = np.array([[half, -half, size], [half, half, size], [-half, half, size], [-half, -half, size]])
            marks = {"dots": np.array(places), "top_face": top}
            found.append(
                Body(
                    label,
                    float(x),
                    float(y),
                    rng.uniform(-45, 45),
                    rectangle(size, size, 0),
                    size,
                    mesh=mesh,
                    finish="plastic",
                    marks=marks,
                )
            )
        return found

    def _pencil(self, rng: np.random.Generator, bodies: Sequence[Body]) -> Body:
        """Partly on the sheet, on no die."""
        sheet, *dice = bodies
        long = rng.uniform(120, 178)
        mesh = pencil(long, (rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.7), rng.uniform(0.1, 0.5)))
        for _ in range(100):
            side = rng.choice([-1, 1])
            x, y = sheet.on_table(np.array([[side * rng.uniform(60, 130), rng.uniform(-80, 40)]]))[0]
            turn = sheet.angle_deg - 90 + rng.normal(0, 25)
            found = Body(
                {"kind": "pencil"}, float(x), float(y), turn, rectangle(long, 7.2, 0), 7.2, mesh=mesh, finish="plastic"
            )
            along = found.direction[:, 0]
            line = np.array([x, y]) + np.linspace(-long / 2, long / 2, 40)[:, None] * along
            if all(np.hypot(*(line - (die.x_mm, die.y_mm)).T).min() > 26 for die in dice):
                break
        return found
