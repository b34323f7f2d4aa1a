"""Whether a sheet that lies where it lay looks as it did when it was read: then nothing was written on it, nothing came
to lie on it or went, and it need not be read again.

Between two pictures of one sheet nothing differs but noise and light. Noise is told by how much places differ that
nobody writes on; what differs by much more, all over a dot's disc or along a line, may be pencil. Where the noise is so
large, or the light so different, that faint pencil would not stand out, nothing is said.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.following.unchanged import EVERY, SPOTS, apart, bright_of, spread_of
from vision.frame import Image
from vision.mat.registration import Registration
from vision.sheets.layout import Array, SheetLayout

Plane = NDArray[np.float32]
Grey = NDArray[np.uint8]
Strokes = tuple[Plane, Plane]
"""n x m columns and rows of a picture: m points along each of n strokes."""

SPOT_MM = 0.5
"""Standard deviation by which what differs is softened: about as wide as a dot or a line."""
LIGHT_MM = 9.0
"""What differs over more than such squares is light."""
STROKES = 6.0
"""By so many standard deviations of noise nothing along a line of an unchanged sheet differs: some thousands are looked
at."""
FAINT, SHOWN = 0.15, 0.5
"""Pencil that takes so much of the light has to stand out, a half of what the palest of the simulated players' takes;
over a dot of 0.85 mm radius such a share of it is left by softening."""
ALONG, ASIDE_MM = np.linspace(0.2, 0.8, 9), (-1.2, -0.6, 0.0, 0.6, 1.2)
"""Where along a line, and how far beside it, it is looked at."""
ARM_MM = 4.0
"""Half the length of strokes that are looked for over a bonus box,"""
ARMS_APART_MM = 2.0
"""so far from each other."""


@dataclass(frozen=True, slots=True)
class Looked:
    """How a sheet looked when it was read."""

    part: tuple[slice, slice]
    """The rows and columns of the picture that it lies in."""
    inside: Grey
    """255 at the sheet, in this part."""
    brightest: Grey
    """The brightest of each pixel's three colours: pencil darkens that, and coloured print hardly does."""
    px_per_mm: float

    @classmethod
    def of(cls, image: Image, registration: Registration, layout: SheetLayout) -> "Looked":
        """The sheet that this registration (in its own frame) lays out."""
        corners = registration.to_picture(layout.corners_mm)
        height, width = image.shape[:2]
        low = np.clip(np.floor(corners.min(0)).astype(int), 0, (width, height))
        high = np.clip(np.ceil(corners.max(0)).astype(int), 0, (width, height))
        part = slice(low[1], high[1]), slice(low[0], high[0])
        inside = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        cv2.fillConvexPoly(inside, np.round((corners - low) * 16).astype(np.int32), (255,), shift=4)
        diagonals = (float(np.linalg.norm(of[0] - of[2])) for of in (corners, layout.corners_mm))
        return cls(part, inside, _brightest(image[part]), next(diagonals) / next(diagonals))

    def as_in(self, image: Image, strokes_px: Strokes) -> bool:
        """Whether it looks so in this picture, in which it lies where it lay; `strokes_px`: along which lines somebody
        may have drawn."""
        now = _brightest(image[self.part])
        if not self.inside.any() or now.shape != self.brightest.shape:
            return False
        off = apart(
            self.brightest, now, max(SPOT_MM * self.px_per_mm, 0.3), 2 * round(LIGHT_MM * self.px_per_mm / 2) + 1
        )
        if off is None:
            return False
        inside = self.inside > 0
        most = SPOTS * spread_of(off[::EVERY, ::EVERY][inside[::EVERY, ::EVERY]])
        if most > FAINT * SHOWN * bright_of(self.brightest) or float(np.abs(off[inside]).max()) > most:
            return False
        columns, rows = (at - np.float32(of.start) for at, of in zip(strokes_px, self.part[::-1], strict=True))
        along = cv2.remap(off, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        means = np.asarray(along, np.float32).mean(axis=1)
        return float(np.abs(means).max()) <= STROKES * spread_of(means)


def strokes_px(registration: Registration, layout: SheetLayout) -> Strokes:
    """Where a picture shows what may be drawn on the sheet that this registration lays out."""
    points = _strokes_mm(layout)
    pixels = registration.to_picture(points.reshape(-1, 2)).astype(np.float32)
    columns, rows = (np.ascontiguousarray(pixels[:, i]).reshape(points.shape[:2]) for i in range(2))
    return columns, rows


def _brightest(image: Image) -> Grey:
    blue, green, red = cv2.split(image)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def _strokes_mm(layout: SheetLayout) -> Array:
    """n x `ALONG` x 2: points along the lines between all dots next to each other, and along both diagonals of each
    square, where crosses and longer lines are drawn too, each also a little beside; and across the bonus boxes."""
    number = {dot: i for i, dot in enumerate(layout.dots)}
    ends = np.array([(number[a], number[b]) for a, b in (*layout.lines, *layout.diagonals)])
    starts, stops = layout.dots_mm[ends[:, 0]], layout.dots_mm[ends[:, 1]]
    for box in layout.boxes:
        reach = np.array(box.size_mm) / 2
        steps = [np.arange(-half, half + 0.1, ARMS_APART_MM) for half in reach]
        middles = np.stack(np.meshgrid(*steps), axis=-1).reshape(-1, 2) + box.centre_mm
        for turn in np.radians((0.0, 45.0, 90.0, 135.0)):
            arm = np.array([np.cos(turn), np.sin(turn)]) * ARM_MM
            starts, stops = np.concatenate([starts, middles - arm]), np.concatenate([stops, middles + arm])
    ways = stops - starts
    across = np.stack([-ways[:, 1], ways[:, 0]], axis=1) / np.linalg.norm(ways, axis=1, keepdims=True)
    aside = np.array(ASIDE_MM)[None, :, None] * across[:, None]
    return np.asarray((starts[:, None] + aside)[:, :, None] + ALONG[:, None] * ways[:, None, None]).reshape(
        -1, len(ALONG), 2
    )
