"""What was pencilled on a flat sheet, and how likely: measures turned into probabilities.

Some pencil firmly, some faintly, and cameras blur: how dark a mark must be is taken from the marks of the sheet itself.
The shares and limits were set on sheets drawn by `tests/vision/drawn_sheet.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

Bools = NDArray[np.bool_]

HIDDEN_SHARE = 0.2
"""A place of which more lies under something is hidden."""
PRINTED_BORDER = 0.08
"""How dark a printed border counts where none of it is free of pencil."""
PRINTED_SHARE = 0.8
"""So much of what print measures is taken off: a line beside it is measured against it already."""
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


FIRM = 0.45
"""How dark lines of a firm pencil measure in a sharp picture."""
DOT_APART = 0.14
"""Pencilled dots measure so much more than printed ones, or there are not both."""
DOT_SHARE = 0.33
"""Of the way from printed dots to pencilled ones, where the step is."""
LINES = (0.17, 0.026, 0.052)
CROSSES = (0.13, 0.035, 0.055)
RINGS = (0.17, 0.035, 0.07)
BOX_CROSSES = (0.17, 0.045, 0.07)
"""Of how dark lines are, what makes a mark of each form as likely as none; and the limits of that."""
LINE_TO_DOT = 0.55
"""How dark lines measure beside dots of the same pencil."""


@dataclass(frozen=True, slots=True)
class Pencil:
    """How marks of one sheet measure."""

    dots: Step
    line: float
    """How dark its lines are."""

    def step(self, share: float, least: float, most: float) -> Step:
        """The step for marks of which this share of a line's darkness is enough, within limits."""
        middle = float(np.clip(share * self.line, least, most))
        return Step(middle, middle / 5.0)


def read_marks(flat: FlatSheet) -> tuple[SheetMark, ...]:
    """Every place that may be marked: dots, lines, toppings, bonuses."""
    layout = flat.layout
    places = np.array([layout.dot_mm(dot) for dot in layout.dots])
    darkness, centres = dot_darkness(flat, places)
    hidden_dots = _hidden(flat, centres[:, None] + _around(1.2))
    step, pencilled = _dot_step(darkness[~hidden_dots])
    dots = step.probability(darkness)
    dotted = np.where((dots > 0.5)[:, None], centres, places)
    marks = [
        SheetMark(MarkKind.DOT, dot, _rounded(p), bool(h))
        for dot, p, h in zip(layout.dots, dots, hidden_dots, strict=True)
    ]
    lines, line = _lines(flat, dots, dotted, hidden_dots, LINE_TO_DOT * pencilled)
    pencil = Pencil(step, line)
    return (*marks, *lines, *_crossed(flat, pencil), *_bonuses(flat, pencil))


def _dot_step(darkness: Plane) -> tuple[Step, float]:
    """The step between printed and pencilled dots, and how dark pencilled ones are."""
    if not len(darkness):
        return Step(0.24, 0.03), FIRM / LINE_TO_DOT
    low, high = float(darkness.min()), float(darkness.max())
    for _ in range(12):
        upper = darkness > (low + high) / 2
        if upper.all() or not upper.any():
            break
        low, high = float(darkness[~upper].mean()), float(darkness[upper].mean())
    if high - low < DOT_APART:
        # Only one sort: print is never dark all over.
        usual = float(np.median(darkness))
        return (Step(0.15, 0.02), usual) if usual > 0.3 else (Step(usual + DOT_APART, 0.02), FIRM / LINE_TO_DOT)
    return Step(low + DOT_SHARE * (high - low), 0.045 * (high - low)), high


def _lines(
    flat: FlatSheet, dots: Array, dotted: Array, hidden_dots: Bools, expected: float
) -> tuple[list[SheetMark], float]:
    """Lines, and how dark they are. They join pencilled dots only: one is at most as likely as the dots it joins."""
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
    seen = strength[(joined > 0.5) & ~hidden]
    usual = float(np.quantile(seen, 0.7)) if len(seen) >= 6 else expected
    pencil = Pencil(Step(0.0, 1.0), usual)
    probabilities = pencil.step(*LINES).probability(strength) * joined
    marks = [
        SheetMark(MarkKind.LINE, (*a, *b), _rounded(p), bool(h))
        for (a, b), p, h in zip(layout.lines, probabilities, hidden, strict=True)
    ]
    return marks, usual


def _printed_lines(lines: Sequence[tuple[Dot, Dot]], size: tuple[int, int], strength: Plane, joined: Array) -> Plane:
    """What the print itself measures: along the border and inside, each where dots say that no line is."""
    edge = np.array([any(a[i] == b[i] and a[i] in (0, size[i] - 1) for i in (0, 1)) for a, b in lines])
    printed = np.zeros(len(strength), np.float32)
    for part, otherwise in ((edge, PRINTED_BORDER), (~edge, 0.0)):
        free = part & (joined < 0.5)
        printed[part] = PRINTED_SHARE * float(np.quantile(strength[free], 0.7)) if free.sum() >= 4 else otherwise
    return np.clip(printed, 0.0, 0.25)


def _crossed(flat: FlatSheet, pencil: Pencil) -> list[SheetMark]:
    rising, falling = cross_darkness(flat)
    probabilities = pencil.step(*CROSSES).probability((rising + falling) / 2)
    centres = np.array([topping.centre_mm for topping in flat.layout.toppings]).reshape(-1, 2)
    hidden = _hidden(flat, centres[:, None] + _around(4.0))
    return [
        SheetMark(MarkKind.CROSSED_TOPPING, topping.square, _rounded(p), bool(h))
        for topping, p, h in zip(flat.layout.toppings, probabilities, hidden, strict=True)
    ]


def _bonuses(flat: FlatSheet, pencil: Pencil) -> list[SheetMark]:
    marks = []
    for number, box in enumerate(flat.layout.boxes):
        rising, falling = box_strokes(flat, box)
        crossed = max(min(rising, falling), max(rising, falling) - SLASH)
        hidden = bool(_hidden(flat, np.array(box.centre_mm) + _around(min(box.size_mm) * 0.48)[None])[0])
        for kind, step, measure in (
            (MarkKind.CIRCLED_BONUS, pencil.step(*RINGS), ring_darkness(flat, box)),
            (MarkKind.CROSSED_BONUS, pencil.step(*BOX_CROSSES), crossed),
        ):
            marks.append(SheetMark(kind, (number,), _rounded(step.probability(np.array(measure))), hidden))
    return marks


def _hidden(flat: FlatSheet, points_mm: Array) -> Bools:
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
