"""Pencil on paper: dots, lines, crosses, circles, and what an eraser leaves of them.

Everything is drawn in millimetres of the sheet's own frame, on a picture of its print. How each mark turns out follows
from its writer and its place alone: a sheet that is drawn again, with one mark more, shows the others as before.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.artwork import Artwork
from vision.scene import Point

_Floats = NDArray[np.float64]

_SIXTEENTHS = 4
_POINTS = 24
"""Of the path of a stroke."""
_GRAPHITE = 0.72
"""What of the light the darkest pencil takes."""
_MOST_TAKEN = 0.8
_REMAINS = (0.02, 0.12)
"""What an eraser leaves of a mark's darkness."""
_SMUDGE = (0.02, 0.08)
"""How much of the light is taken by what it spreads."""
PENS = {"blue": (0.35, 1.1, 1.7), "red": (1.6, 1.6, 0.3), "green": (1.3, 0.6, 1.6), "purple": (0.6, 1.5, 1.0)}
"""How much of blue, green and red light their ink takes (logarithms), beside graphite."""


@dataclass(frozen=True, slots=True)
class Writer:
    """How somebody writes. Lengths in millimetres."""

    name: str
    """Decides, with its place, how each mark turns out."""
    darkness: tuple[float, float] = (0.6, 0.95)
    """Of graphite, least and most."""
    dot_mm: tuple[float, float] = (1.0, 1.6)
    """Radius of dots."""
    line_mm: tuple[float, float] = (0.45, 0.8)
    off_mm: float = 0.45
    """How far (standard deviation) marks are beside their places."""
    wobble_mm: float = 0.22
    takes: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """As in `PENS`."""


class PencilledSheet:
    """A sheet's picture, and what was written on it so far."""

    def __init__(self, printed: Artwork, writer: Writer) -> None:
        """`printed` shows the sheet upright on its own frame's axes: x to the right, y up, origin at its anchor."""
        self._printed = printed
        self._writer = writer
        self._light = np.ones(printed.image.shape[:2], np.float32)

    def art(self) -> Artwork:
        """The sheet as it looks now."""
        colours = self._printed.image.astype(np.float32)
        for channel, more in enumerate(self._writer.takes):
            colours[..., channel] *= self._light if more == 1.0 else self._light**more
        return Artwork(np.round(colours).astype(np.uint8), self._printed.px_per_mm, self._printed.anchor_px)

    def dot(self, at: Point, *, rubbed: bool = False) -> None:
        """A filled dot, not quite round; `rubbed` out again, only a trace of it."""
        rng = self._rng("dot", at)
        angles = np.linspace(0.0, 2 * np.pi, _POINTS, endpoint=False)
        radii = rng.uniform(*self._writer.dot_mm) * (
            1 + 0.1 * np.sin(2 * angles + rng.uniform(0, 6)) + rng.normal(0, 0.04, _POINTS)
        )
        outline = self._place(at) + radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
        self._draw(rng, outline, None, rubbed)

    def line(self, start: Point, end: Point, *, rubbed: bool = False) -> None:
        """A stroke from dot to dot, where they were really made."""
        self._stroke(self._rng("line", (*start, *end)), [self._place(start), self._place(end)], rubbed)

    def cross(self, at: Point, half_mm: tuple[float, float], *, rubbed: bool = False) -> None:
        """Two strokes over each other, each so far to both sides of the middle."""
        rng = self._rng("cross", at)
        for way in ((1.0, 1.0), (1.0, -1.0)):
            reach = np.array(half_mm) * way
            ends = np.array([reach, -reach]) + at + rng.normal(0, 0.1 * min(half_mm), (2, 2))
            self._stroke(rng, ends, rubbed)

    def circle(self, at: Point, size_mm: tuple[float, float], *, rubbed: bool = False) -> None:
        """An ellipse about a place of this width and height, which does not quite meet itself."""
        rng = self._rng("circle", at)
        radii = np.array(size_mm) * rng.uniform(0.42, 0.53, 2)
        start = rng.uniform(0, 2 * np.pi)
        angles = np.linspace(start, start + 2 * np.pi + rng.uniform(-0.1, 0.4), 14)
        middle = np.array(at) + rng.normal(0, 0.4, 2)
        self._stroke(rng, middle + radii * np.column_stack([np.cos(angles), np.sin(angles)]), rubbed)

    def _place(self, at: Point) -> _Floats:
        """Where a dot for this place is made."""
        off = np.clip(self._rng("place", at).normal(0, self._writer.off_mm, 2), -1.1, 1.1)
        return np.asarray(np.array(at) + off)

    def _rng(self, what: str, where: Sequence[float]) -> np.random.Generator:
        return np.random.default_rng(zlib.crc32(f"{self._writer.name} {what} {list(where)}".encode()))

    def _stroke(self, rng: np.random.Generator, points: Sequence[_Floats] | _Floats, rubbed: bool) -> None:
        ends = np.asarray(points)
        shares = np.linspace(0, len(ends) - 1, _POINTS * (len(ends) - 1))
        path = np.column_stack([np.interp(shares, range(len(ends)), ends[:, axis]) for axis in (0, 1)])
        bend = cv2.GaussianBlur(rng.normal(0, 1, (len(path), 2)).astype(np.float32), (1, 0), 0.01, sigmaY=5.0)
        path += np.asarray(bend, np.float64) / max(float(np.std(bend)), 1e-6) * rng.uniform(0, self._writer.wobble_mm)
        self._draw(rng, path, rng.uniform(*self._writer.line_mm), rubbed)

    def _draw(self, rng: np.random.Generator, points_mm: _Floats, width_mm: float | None, rubbed: bool) -> None:
        """Graphite along points, or inside them, on the paper's grain; rubbed out, a trace and a smudge."""
        scale = self._printed.px_per_mm
        pixels = points_mm * (scale, -scale) + self._printed.anchor_px
        low = np.clip(np.floor(pixels.min(0) - 4 * scale), 0, None).astype(int)
        high = np.ceil(pixels.max(0) + 4 * scale).astype(int)
        part = np.s_[low[1] : high[1], low[0] : high[0]]
        layer = np.zeros(self._light[part].shape, np.uint8)
        if layer.size == 0:
            return
        fixed = [np.round((pixels - low) * 2**_SIXTEENTHS).astype(np.int32)]
        if width_mm is None:
            cv2.fillPoly(layer, fixed, (255,), cv2.LINE_AA, _SIXTEENTHS)
        else:
            cv2.polylines(layer, fixed, False, (255,), max(1, round(width_mm * scale)), cv2.LINE_AA, _SIXTEENTHS)
        inked = layer.astype(np.float32) / 255.0
        noise = rng.normal(0, 3, layer.shape).astype(np.float32)
        grain = np.clip(1 + 0.15 * cv2.GaussianBlur(noise, (0, 0), 1.5), 0.4, 1.3)
        taken = rng.uniform(*self._writer.darkness) * _GRAPHITE * grain * inked
        if rubbed:
            wide = cv2.GaussianBlur(inked, (0, 0), scale)
            taken = taken * rng.uniform(*_REMAINS) + wide * rng.uniform(*_SMUDGE)
        self._light[part] *= 1 - np.clip(taken, 0, _MOST_TAKEN)
