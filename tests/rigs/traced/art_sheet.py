"""Dice and Slice's sheet as the kit prints it, and what a player has pencilled on it.

The print is the kit's own page, as sheets are found by their print; strokes are graphite that catches on the grain of
the paper.
"""

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tests.rigs.traced.art_slices import components
from tests.rigs.traced.bodies import Floats, Image, Print
from tests.rigs.traced.tables import kit_page

PX_PER_MM = 8.0
SHEET_MM = (210.0, 148.0)
_LAYOUT = Path(__file__).parents[3] / "hardware" / "kit" / "dot_sheet.toml"

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Marks:
    """What is on a sheet."""

    dots: Sequence[Place]
    lines: Sequence[tuple[Place, Place]]
    crossed: Sequence[Place]
    circled: Sequence[int]
    crossed_bonuses: Sequence[int]


@cache
def layout() -> dict[str, Any]:
    """Where things are printed, in mm from the sheet's middle."""
    return tomllib.loads(_LAYOUT.read_text(encoding="utf-8"))


@cache
def blank() -> Image:
    """The sheet as printed, cut out."""
    page = kit_page("dice_and_slice", "dice-and-slice.pdf", 0, PX_PER_MM)
    upright = np.asarray(cv2.rotate(page, cv2.ROTATE_90_CLOCKWISE))
    width, height = (round(side * PX_PER_MM) for side in SHEET_MM)
    top, left = (upright.shape[0] - height) // 2, (upright.shape[1] - width) // 2
    return np.ascontiguousarray(upright[top : top + height, left : left + width])


def dot_mm(place: Place) -> Floats:
    """Where a dot is printed."""
    dots = layout()["dots"]
    first, pitch = dots["first_mm"], dots["pitch_mm"]
    return np.array([first[0] + pitch * place[0], first[1] - pitch * place[1]])


def patterns() -> list[tuple[str, Sequence[str], bool]]:
    """Each face of the two dice: which die, three rows of # and ., and whether lines are printed."""
    found: list[tuple[str, Sequence[str], bool]] = []
    for die, faces in components("dice_and_slice")["die"].items():
        for facts in faces.values():
            rows = [row.replace("o", "#") for row in facts["dots"]["is"]]
            found.append((die, rows, bool(facts["connected"]["is"])))
    return found


def played(rng: np.random.Generator, turns: int) -> Marks:
    """A sheet after so many turns: patterns laid at random, neighbours joined, some toppings and bonuses used."""
    columns, rows = layout()["dots"]["columns"], layout()["dots"]["rows"]
    dots: set[Place] = set()
    shapes = [pattern for _, pattern, _ in patterns()]
    while turns:
        shape = np.rot90(
            np.array([[c == "#" for c in row] for row in shapes[int(rng.integers(len(shapes)))]]), int(rng.integers(4))
        )
        spots = np.argwhere(shape) + (rng.integers(-1, rows - 1), rng.integers(-1, columns - 1))
        places = {(int(c), int(r)) for r, c in spots}
        if all(0 <= c < columns and 0 <= r < rows for c, r in places) and places - dots:
            dots |= places
            turns -= 1
    near = [((c, r), other) for c, r in dots for other in ((c + 1, r), (c, r + 1)) if other in dots]
    squares = [(int(t["square"][0]), int(t["square"][1])) for t in layout()["toppings"]]
    crossed = [squares[int(i)] for i in rng.permutation(len(squares))[: int(rng.integers(0, 5))]]
    boxes = rng.permutation(len(layout()["bonus_boxes"]))
    circled = sorted(int(b) for b in boxes[: int(rng.integers(0, 3))])
    struck = sorted(int(b) for b in boxes[2 : 2 + int(rng.integers(0, 3))])
    return Marks(sorted(dots), sorted(near), sorted(crossed), circled, struck)


def pencilled(marks: Marks, rng: np.random.Generator) -> Print:
    """The sheet with these marks drawn by somebody's hand with somebody's pencil."""
    paper = _Paper(rng)
    for place in marks.dots:
        paper.dot(dot_mm(place) + np.clip(rng.normal(0, 0.35, 2), -1, 1))
    for one, two in marks.lines:
        paper.line([dot_mm(one) + rng.normal(0, 0.35, 2), dot_mm(two) + rng.normal(0, 0.35, 2)])
    half = layout()["dots"]["pitch_mm"] / 2
    for c, r in marks.crossed:
        paper.cross(dot_mm((c, r)) + (half, -half), 2.6)
    boxes = layout()["bonus_boxes"]
    for index in marks.circled:
        paper.circle(np.array(boxes[index]["centre_mm"]), np.array(boxes[index]["size_mm"]) / 2)
    for index in marks.crossed_bonuses:
        paper.cross(np.array(boxes[index]["centre_mm"]), boxes[index]["size_mm"][0] * 0.42)
    return Print(paper.done(), -SHEET_MM[0] / 2, -SHEET_MM[1] / 2, SHEET_MM[0] / 2, SHEET_MM[1] / 2)


class _Paper:
    """Graphite on paper while it is drawn."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._image = blank().astype(np.float32)
        shape = self._image.shape[:2]
        self._grain = np.clip(rng.normal(0.82, 0.22, shape), 0.25, 1).astype(np.float32)
        self._grain = np.asarray(cv2.GaussianBlur(self._grain, (0, 0), 0.8))
        self._laid = np.zeros(shape, np.float32)
        self._grey = rng.uniform(45, 95)
        self._press = rng.uniform(0.75, 1.0)
        self._wide = rng.uniform(0.5, 0.85)
        self._dot = rng.uniform(1.9, 2.7)

    def done(self) -> Image:
        """As it looks."""
        share = (self._laid * self._grain)[..., None]
        mixed = self._image * (1 - share) + self._grey * share
        return np.asarray(np.clip(mixed, 0, 255), dtype=np.uint8)

    def dot(self, at: Floats) -> None:
        """A dot, filled by going round."""
        a = np.linspace(0, 2 * math.pi * self._rng.uniform(2.2, 3.5), 40)
        out = np.linspace(0.1, 1, 40) * self._dot / 2 * self._rng.uniform(0.85, 1.1)
        wobble = self._rng.normal(0, 0.07, (40, 2))
        self._stroke(at + np.stack([np.cos(a) * out, np.sin(a) * out * 0.9], 1) + wobble, self._wide * 0.9, 1.0)

    def line(self, ends: Sequence[Floats]) -> None:
        """A line by hand: bent and shaking a little, now and then gone over."""
        one, two = ends
        for _ in range(2 if self._rng.random() < 0.2 else 1):
            t = np.linspace(-self._rng.uniform(0, 0.06), 1 + self._rng.uniform(0, 0.06), 14)[:, None]
            across = np.array([one[1] - two[1], two[0] - one[0]])
            bend = np.sin(math.pi * t) * self._rng.normal(0, 0.04) + self._rng.normal(0, 0.006, t.shape)
            self._stroke(one + (two - one) * t + across * bend, self._wide, self._press)

    def cross(self, at: Floats, size: float) -> None:
        """Two strokes across each other."""
        for sign in (1, -1):
            far = np.array([1.0, sign * self._rng.uniform(0.75, 1.15)]) * size * self._rng.uniform(0.9, 1.1)
            off = self._rng.normal(0, 0.1 * size, 2)
            self.line([at + off - far, at + off + far])

    def circle(self, at: Floats, half: Floats) -> None:
        """Once around a box and a little further."""
        start = self._rng.uniform(0, 2 * math.pi)
        a = start + np.linspace(0, 2 * math.pi * self._rng.uniform(1.0, 1.1), 60)
        grow = 1 + np.linspace(0, self._rng.normal(0, 0.06), 60)
        out = half * self._rng.uniform(1.05, 1.22, 2)
        wobble = np.asarray(cv2.GaussianBlur(self._rng.normal(0, 1.2, (60, 2)), (1, 9), 2.0))
        points = np.stack([np.cos(a) * out[0] * grow, np.sin(a) * out[1] * grow], 1) + at + wobble
        self._stroke(points, self._wide, self._press)

    def _stroke(self, points: Floats, wide: float, press: float) -> None:
        pixels = (points * (1, -1) + (SHEET_MM[0] / 2, SHEET_MM[1] / 2)) * PX_PER_MM - 0.5
        layer = np.zeros(self._laid.shape, np.uint8)
        fixed = np.round(pixels * 16).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(layer, [fixed], False, 255, max(1, round(wide * PX_PER_MM)), cv2.LINE_AA, 4)
        low, high = np.floor(pixels.min(0)).astype(int) - 12, np.ceil(pixels.max(0)).astype(int) + 12
        low = np.maximum(low, 0)
        part = (slice(low[1], high[1]), slice(low[0], high[0]))
        soft = np.asarray(cv2.GaussianBlur(layer[part].astype(np.float32), (0, 0), 1.0)) / 255
        self._laid[part] = np.maximum(self._laid[part], soft * press)
