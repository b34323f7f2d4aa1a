"""Drawings in millimetres: what a page holds, before it becomes PDF or a picture.

The frame of a page has its origin at the lower left corner, x to the right, y up, angles in degrees counter-clockwise.
Later shapes lie on earlier ones. Colours are "#rrggbb".
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vision.scene import Point

Outline: TypeAlias = tuple[Point, ...]
Ink: TypeAlias = str
Picture: TypeAlias = NDArray[np.uint8]

BLACK, WHITE = "#000000", "#ffffff"


class Anchor(Enum):
    """Which part of a line of words stands at its point."""

    START = "start"
    MIDDLE = "middle"
    END = "end"


@dataclass(frozen=True, slots=True)
class Area:
    """Closed outlines in one path; a place inside two of them is outside (even-odd)."""

    outlines: tuple[Outline, ...]
    fill: Ink | None = None
    line: Ink | None = None
    width_mm: float = 0.25


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle."""

    at: Point
    radius_mm: float
    fill: Ink | None = None
    line: Ink | None = None
    width_mm: float = 0.25


@dataclass(frozen=True, slots=True)
class Stroke:
    """An open line with round ends."""

    points: Outline
    ink: Ink = BLACK
    width_mm: float = 0.25
    dash_mm: tuple[float, float] | None = None
    """Length of the dashes and of the gaps."""


@dataclass(frozen=True, slots=True)
class Words:
    """One line of words; `at` is on its base line. Only what cp1252 has can be written."""

    text: str
    at: Point
    capital_mm: float
    """Height of a capital letter."""
    ink: Ink = BLACK
    bold: bool = False
    anchor: Anchor = Anchor.MIDDLE
    turn_deg: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Bitmap:
    """A picture (blue, green, red), upright in a rectangle whose lower left corner is `at`."""

    image: Picture
    at: Point
    width_mm: float
    height_mm: float


@dataclass(frozen=True, slots=True)
class Placed:
    """Shapes of a frame of their own, scaled, turned, then laid with their origin at `at`; `clip`, an outline in their
    own frame, cuts them off."""

    shapes: "tuple[Shape, ...]"
    at: Point = (0.0, 0.0)
    turn_deg: float = 0.0
    scale: float = 1.0
    clip: Outline | None = None


Shape: TypeAlias = Area | Disc | Stroke | Words | Bitmap | Placed


@dataclass(frozen=True, slots=True)
class Page:
    """A sheet of paper."""

    width_mm: float
    height_mm: float
    shapes: tuple[Shape, ...]
    trim_mm: tuple[float, float, float, float] | None = None
    """Left, bottom, right, top of what remains when a print shop has cut it."""


def box(left: float, bottom: float, right: float, top: float, *, corner_mm: float = 0.0) -> Outline:
    """A rectangle's outline, its corners rounded by a radius."""
    if corner_mm <= 0.0:
        return ((left, bottom), (right, bottom), (right, top), (left, top))
    r = corner_mm
    middles = (
        ((right - r, bottom + r), -90),
        ((right - r, top - r), 0),
        ((left + r, top - r), 90),
        ((left + r, bottom + r), 180),
    )
    return tuple(point for middle, start in middles for point in arc(middle, r, start, start + 90, steps=6))


def centred_box(width_mm: float, height_mm: float, *, at: Point = (0.0, 0.0), corner_mm: float = 0.0) -> Outline:
    """The outline of a rectangle around a point."""
    x, y = at
    return box(x - width_mm / 2, y - height_mm / 2, x + width_mm / 2, y + height_mm / 2, corner_mm=corner_mm)


def arc(middle: Point, radius_mm: float, start_deg: float, end_deg: float, *, steps: int = 24) -> Outline:
    """Points on a circle, both ends included."""
    turns = (math.radians(start_deg + (end_deg - start_deg) * step / steps) for step in range(steps + 1))
    return tuple((middle[0] + radius_mm * math.cos(t), middle[1] + radius_mm * math.sin(t)) for t in turns)


def placed_points(points: Iterable[Point], at: Point, turn_deg: float = 0.0, scale: float = 1.0) -> Outline:
    """Where points of a placed drawing come to lie."""
    c, s = math.cos(math.radians(turn_deg)) * scale, math.sin(math.radians(turn_deg)) * scale
    return tuple((at[0] + c * x - s * y, at[1] + s * x + c * y) for x, y in points)


def all_words(shapes: Iterable[Shape]) -> Iterator[str]:
    """Every line of words, also of placed shapes, in order."""
    for shape in shapes:
        if isinstance(shape, Words):
            yield shape.text
        elif isinstance(shape, Placed):
            yield from all_words(shape.shapes)


def bounds(outline: Iterable[Point]) -> tuple[float, float, float, float]:
    """Left, bottom, right, top of an outline."""
    xs, ys = zip(*outline, strict=True)
    return min(xs), min(ys), max(xs), max(ys)
