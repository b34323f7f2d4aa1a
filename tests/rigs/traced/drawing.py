"""Drawing for prints: shapes, strokes and lettering in millimetres, drawn twice as fine as they are kept."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from tests.rigs.traced.bodies import Floats, Image, Print

PX_PER_MM = 5.0
_FINER = 2
_SHIFT = 4
_STROKED = (
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_SIMPLEX,
)
LETTERINGS = ("sans", "italic", *(f"stroke-{index}" for index in range(len(_STROKED))))

Colour = tuple[float, float, float]
"""sRGB from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Hand:
    """A draughtsman's habits, one for each print run."""

    line_mm: float
    """How thick outlines are drawn; 0: none are."""
    line: Colour
    wobble: float
    """How uneven shapes are, as a share of their size."""
    shade: float
    """How dark the shadows beside things are drawn, 0 to 1."""
    shade_angle: float
    lettering: str
    weight: int
    slant: float
    """Of letters: sideways for each step up."""
    stretch: float
    """Of letters: width in proportion."""


def a_hand(rng: np.random.Generator) -> Hand:
    """Somebody's habits."""
    dark = rng.uniform(0.02, 0.22)
    return Hand(
        line_mm=float(rng.choice([0.0, 0.35, 0.55, 0.8])),
        line=(dark + rng.uniform(0, 0.12), dark, dark * rng.uniform(0.4, 1.2)),
        wobble=rng.uniform(0.02, 0.09),
        shade=rng.uniform(0.1, 0.45),
        shade_angle=rng.uniform(0, 2 * math.pi),
        lettering=str(rng.choice(LETTERINGS)),
        weight=int(rng.choice([500, 650, 800])),
        slant=rng.uniform(-0.05, 0.25),
        stretch=rng.uniform(0.8, 1.15),
    )


class Canvas:
    """A print while it is drawn; its frame is the body's."""

    def __init__(self, left: float, lower: float, right: float, upper: float, ground: Colour) -> None:
        self.left, self.lower, self.right, self.upper = left, lower, right, upper
        self.scale = PX_PER_MM * _FINER
        width, height = round((right - left) * self.scale), round((upper - lower) * self.scale)
        self.image: Image = np.empty((height, width, 3), np.uint8)
        self.image[:] = _bytes(ground)

    def done(self) -> Print:
        """The print."""
        small = cv2.resize(self.image, None, fx=1 / _FINER, fy=1 / _FINER, interpolation=cv2.INTER_AREA)
        return Print(np.asarray(small, dtype=np.uint8), self.left, self.lower, self.right, self.upper)

    def area(self, points: Floats | Sequence[Floats | Sequence[float]], colour: Colour) -> None:
        """A filled outline."""
        cv2.fillPoly(self.image, [self._fixed(points)], _bytes(colour), cv2.LINE_AA, _SHIFT)

    def stroke(
        self, points: Floats | Sequence[Floats | Sequence[float]], colour: Colour, width_mm: float, closed: bool = False
    ) -> None:
        """A line through points."""
        thick = max(1, round(width_mm * self.scale))
        cv2.polylines(self.image, [self._fixed(points)], closed, _bytes(colour), thick, cv2.LINE_AA, _SHIFT)

    def thing(self, points: Floats, colour: Colour, hand: Hand) -> None:
        """A filled outline with its shadow and its drawn edge, as this draughtsman does it."""
        if hand.shade > 0.15:
            size = math.sqrt(float(np.prod(np.ptp(points, axis=0))))
            away = 0.07 * size * np.array([math.cos(hand.shade_angle), math.sin(hand.shade_angle)])
            self.veil(points + away, (0.1, 0.05, 0.02), hand.shade)
        self.area(points, colour)
        if hand.line_mm > 0:
            self.stroke(points, hand.line, hand.line_mm, closed=True)

    def veil(self, points: Floats, colour: Colour, share: float) -> None:
        """A half-transparent area."""
        mask = np.zeros(self.image.shape[:2], np.uint8)
        cv2.fillPoly(mask, [self._fixed(points)], 255, cv2.LINE_AA, _SHIFT)
        self.blend(mask.astype(np.float32) * (share / 255), colour)

    def blend(self, mask: Any, colour: Colour) -> None:
        """Mix a colour in by a mask from 0 to 1 of the canvas's size."""
        rows, columns = np.nonzero(mask.max(1))[0], np.nonzero(mask.max(0))[0]
        if not len(rows):
            return
        part = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
        share = mask[part][..., None]
        mixed = self.image[part] * (1 - share) + np.array(_bytes(colour), np.float32) * share
        self.image[part] = np.clip(mixed + 0.5, 0, 255).astype(np.uint8)

    def grain(self, rng: np.random.Generator, size_mm: float, strength: float) -> None:
        """Uneven brightness in blotches of this size."""
        height, width = self.image.shape[:2]
        cells = (max(2, round(width / self.scale / size_mm)), max(2, round(height / self.scale / size_mm)))
        noise = rng.normal(0, strength, (cells[1], cells[0])).astype(np.float32)
        field = np.asarray(cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC))
        self.image[:] = np.clip(self.image * (1 + field[..., None]), 0, 255).astype(np.uint8)

    def text(
        self,
        text: str,
        at: tuple[float, float],
        height_mm: float,
        colour: Colour,
        hand: Hand,
        turn_deg: float = 0.0,
        widest_mm: float = 1000.0,
    ) -> None:
        """Lettering around a point, smaller where it would be too wide; turned counter-clockwise."""
        mask = lettering_mask(text, hand)
        scale = min(height_mm / mask.shape[0], widest_mm / mask.shape[1]) * self.scale
        c, s = math.cos(math.radians(turn_deg)) * scale, math.sin(math.radians(turn_deg)) * scale
        x, y = (at[0] - self.left) * self.scale, (self.upper - at[1]) * self.scale
        half_w, half_h = mask.shape[1] / 2, mask.shape[0] / 2
        place = np.array([[c, s, x - c * half_w - s * half_h], [-s, c, y + s * half_w - c * half_h]])
        size = (self.image.shape[1], self.image.shape[0])
        self.blend(np.asarray(cv2.warpAffine(mask, place, size, flags=cv2.INTER_AREA)), colour)

    def _fixed(self, points: Floats | Sequence[Floats | Sequence[float]]) -> Any:
        """As OpenCV wants them: fractions of a pixel as whole numbers."""
        at = (np.asarray(points, dtype=np.float64) - (self.left, self.upper)) * (self.scale, -self.scale) - 0.5
        return np.round(at * (1 << _SHIFT)).astype(np.int32).reshape(-1, 1, 2)


def lettering_mask(text: str, hand: Hand) -> Any:
    """Text as a mask from 0 to 1, cut to the letters, about 100 pixels high."""
    wide = 90 * len(text) + 200
    image = np.zeros((260, wide, 3), np.uint8)
    if hand.lettering.startswith("stroke-"):
        font = _STROKED[int(hand.lettering.removeprefix("stroke-"))]
        thick = 5 if hand.weight < 600 else 8 if hand.weight < 700 else 11
        cv2.putText(image, text, (60, 180), font, 4.0, (255, 255, 255), thick, cv2.LINE_AA)
    else:
        face = cv2.FontFace(hand.lettering)
        cv2.putText(image, text, (60, 180), (255, 255, 255), face, 130, hand.weight)
    mask = image[..., 0].astype(np.float32) / 255
    skew = np.array([[hand.stretch, -hand.slant, 260 * max(hand.slant, 0.0)], [0, 1, 0]], np.float64)
    skewed = np.asarray(cv2.warpAffine(mask, skew, (round(wide * max(hand.stretch, 1)) + 120, 260)))
    rows, columns = np.nonzero(skewed.max(1) > 0.1)[0], np.nonzero(skewed.max(0) > 0.1)[0]
    return skewed[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def blob(
    rng: np.random.Generator, at: Floats | Sequence[float], width: float, height: float, turn: float, wobble: float
) -> Floats:
    """An uneven ellipse."""
    a = np.linspace(0, 2 * math.pi, 40, endpoint=False)
    uneven = np.ones_like(a)
    for order in (2, 3, 5):
        uneven += wobble * rng.normal() / order * 1.5 * np.cos(order * a + rng.uniform(0, 2 * math.pi))
    points = np.stack([np.cos(a) * width / 2, np.sin(a) * height / 2], 1) * uneven[:, None]
    return np.asarray(turned(points, turn) + np.asarray(at), dtype=np.float64)


def turned(points: Floats, turn: float) -> Floats:
    """Points turned counter-clockwise around the origin, in radians."""
    c, s = math.cos(turn), math.sin(turn)
    return np.asarray(points @ np.array([[c, s], [-s, c]]), dtype=np.float64)


def lighter(colour: Colour, by: float) -> Colour:
    """Towards white (or, below 0, black)."""
    aim = 1.0 if by > 0 else 0.0
    return tuple(c + (aim - c) * abs(by) for c in colour)  # type: ignore[return-value]


def near(rng: np.random.Generator, colour: Colour, by: float) -> Colour:
    """A colour much like this one."""
    return tuple(float(np.clip(c + rng.normal(0, by), 0, 1)) for c in colour)  # type: ignore[return-value]


def _bytes(colour: Colour) -> tuple[int, int, int]:
    return (round(colour[0] * 255), round(colour[1] * 255), round(colour[2] * 255))
