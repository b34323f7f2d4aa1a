"""What was pencilled on a flat sheet, and how likely: measures turned into probabilities.

The middles and widths of the steps from "no" to "yes" were set on sheets drawn by `tests/vision/drawn_sheet.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.scene import MarkKind, SheetMark
from vision.sheets.flattening import FlatSheet, Plane
from vision.sheets.layout import Array, Dot
from vision.sheets.measures import (
    LINE_SHARE,
    box_strokes,
    cross_darkness,
    dot_darkness,
    line_darkness,
    ring_darkness,
)

HIDDEN_SHARE = 0.2
"""A place of which more lies under something is hidden."""
PRINTED_BORDER = 0.1
"""How dark a printed border is where none of it is free of pencil."""
SLASH = 0.15
"""One stroke alone crosses out too, where it is so much darker."""


@dataclass(frozen=True, slots=True)
class Step:
    """From which measure on a mark is likelier than not, and over what width that changes."""

    middle: float
    width: float

    def probability(self, measure: Array | Plane) -> Array:
        """Of a mark, where this is measured."""
        steps = np.clip((np.asarray(measure, np.float64) - self.middle) / self.width, -30.0, 30.0)
        return np.asarray(1.0 / (1.0 + np.exp(-steps)))


DOTS = Step(0.24, 0.025)
LINES = Step(0.06, 0.008)
CROSSES = Step(0.05, 0.007)
RINGS = Step(0.09, 0.012)
BOX_CROSSES = Step(0.12, 0.015)


def read_marks(flat: FlatSheet) -> tuple[SheetMark, ...]:
    """Every place that may be marked: dots, lines, toppings, bonuses."""
    layout = flat.layout
    places = np.array([layout.dot_mm(dot) for dot in layout.dots])
    darkness, centres = dot_darkness(flat, places)
    dots = DOTS.probability(darkness)
    dotted = np.where((dots > 0.5)[:, None], centres, places)
    hidden_dots = _hidden(flat, dotted[:, None] + _around(1.2))
    marks = [
        SheetMark(MarkKind.DOT, dot, _rounded(p), bool(h))
        for dot, p, h in zip(layout.dots, dots, hidden_dots, strict=True)
    ]
    return (*marks, *_lines(flat, dots, dotted, hidden_dots), *_crossed(flat), *_bonuses(flat))


def _lines(flat: FlatSheet, dots: Array, dotted: Array, hidden_dots: Array) -> list[SheetMark]:
    """Lines join pencilled dots only: a line is at most as likely as the dots it joins."""
    layout = flat.layout
    number = {dot: i for i, dot in enumerate(layout.dots)}
    first = np.array([number[a] for a, _ in layout.lines])
    second = np.array([number[b] for _, b in layout.lines])
    strength = line_darkness(flat, dotted[first], dotted[second])
    joined = np.minimum(dots[first], dots[second])
    strength = strength - _printed_lines(layout.lines, (layout.columns, layout.rows), strength, joined)
    shares = np.linspace(*LINE_SHARE, 12)[None, :, None]
    along = dotted[first][:, None] * (1 - shares) + dotted[second][:, None] * shares
    hidden = _hidden(flat, along) | (hidden_dots[first] | hidden_dots[second])
    probabilities = LINES.probability(strength) * joined
    return [
        SheetMark(MarkKind.LINE, (*a, *b), _rounded(p), bool(h))
        for (a, b), p, h in zip(layout.lines, probabilities, hidden, strict=True)
    ]


def _printed_lines(lines: Sequence[tuple[Dot, Dot]], size: tuple[int, int], strength: Plane, joined: Array) -> Plane:
    """What the print itself measures: along the border and inside, each where dots say that no line is."""
    edge = np.array([any(a[i] == b[i] and a[i] in (0, size[i] - 1) for i in (0, 1)) for a, b in lines])
    printed = np.zeros(len(strength), np.float32)
    for part, otherwise in ((edge, PRINTED_BORDER), (~edge, 0.0)):
        free = part & (joined < 0.5)
        printed[part] = float(np.quantile(strength[free], 0.8)) if free.sum() >= 4 else otherwise
    return np.clip(printed, 0.0, 0.25)


def _crossed(flat: FlatSheet) -> list[SheetMark]:
    rising, falling = cross_darkness(flat)
    probabilities = CROSSES.probability((rising + falling) / 2)
    centres = np.array([topping.centre_mm for topping in flat.layout.toppings]).reshape(-1, 2)
    hidden = _hidden(flat, centres[:, None] + _around(4.0))
    return [
        SheetMark(MarkKind.CROSSED_TOPPING, topping.square, _rounded(p), bool(h))
        for topping, p, h in zip(flat.layout.toppings, probabilities, hidden, strict=True)
    ]


def _bonuses(flat: FlatSheet) -> list[SheetMark]:
    marks = []
    for number, box in enumerate(flat.layout.boxes):
        rising, falling = box_strokes(flat, box)
        crossed = max(min(rising, falling), max(rising, falling) - SLASH)
        hidden = bool(_hidden(flat, np.array(box.centre_mm) + _around(min(box.size_mm) * 0.48)[None])[0])
        for kind, step, measure in (
            (MarkKind.CIRCLED_BONUS, RINGS, ring_darkness(flat, box)),
            (MarkKind.CROSSED_BONUS, BOX_CROSSES, crossed),
        ):
            marks.append(SheetMark(kind, (number,), _rounded(step.probability(np.array(measure))), hidden))
    return marks


def _hidden(flat: FlatSheet, points_mm: Array) -> Array:
    """Of which of n x m points a share lies under something."""
    under = flat.sampled(flat.foreign.astype(np.float32), points_mm) > 127
    return np.asarray(under.mean(axis=1) > HIDDEN_SHARE)


def _around(radius_mm: float) -> Array:
    """Points all over a disc."""
    line = np.linspace(-radius_mm, radius_mm, 9)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    return np.asarray(points[np.hypot(points[:, 0], points[:, 1]) <= radius_mm])


def _rounded(probability: float | Array) -> float:
    return round(float(probability), 4)
