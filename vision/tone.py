"""How a camera shows colours today beside how it showed them when the faces were enrolled: paler, darker, tinted.

A picture's own light is taken out piece by piece (`vision.verify`). What mixes the channels is not: a camera in dim
light, or in haze, shows a yellow that had no blue in it with some. It is the same all over a picture, so pieces that
are read without doubt show it for the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.faces import KindFaces
from vision.features import LOG_FLOOR
from vision.reading import Reading, confirmed
from vision.scene import PieceKind
from vision.shapes import place
from vision.verify import Look, Prepared

Array = NDArray[np.float64]

CELLS_ALIKE = 25.0
"""So many cells of a piece say as much as one: neighbours show the same colour."""
EVEN_SLOPE = 0.06
"""Where an enrolled colour (logarithm) changes by less than this per millimetre it can be compared level by level."""
LEAST_CELLS = 200
SATURATION_SPREAD, LIFT_SPREAD, MIX_SPREAD = 0.5, 25.0, 0.04
"""How far saturation (a share), levels that are added to all and the rest of the mixture differ between cameras."""
LEVEL_SPREAD = 8.0
"""How many levels (of 255) a cell strays from what mixture and light make of it."""
ROUNDS = 5
ENOUGH = 16
"""So many pieces tell of a camera."""
PLAIN_MIX, PLAIN_LIFT = 0.12, 12.0
"""A tone that differs from the plain one by less is taken for it: lights differ by as much."""
LUMA = np.array([0.114, 0.587, 0.299])
"""What blue, green and red are to brightness (ITU-R BT.601)."""


@dataclass(frozen=True, slots=True)
class Tone:
    """What a picture makes of enrolled colours: `mix @ (blue, green, red) + lift`, in levels of 255."""

    mix: Array
    """3 x 3."""
    lift: Array
    """3."""

    @property
    def is_plain(self) -> bool:
        """Whether it is nearly none."""
        return bool(np.abs(self.mix - np.eye(3)).max() < PLAIN_MIX and np.abs(self.lift).max() < PLAIN_LIFT)


PLAIN = Tone(np.eye(3), np.zeros(3))


def tone_of(look: Look, readings: Sequence[Reading], kinds: Mapping[PieceKind, Prepared]) -> Tone:
    """The tone that the confirmed pieces of a picture show; the plain one where it is nearly that, or they say too
    little."""
    enrolled, seen = _compared(look, readings[:: max(len(readings) // ENOUGH, 1)], kinds)
    if len(enrolled) < LEAST_CELLS:
        return PLAIN
    tone = as_another_camera(enrolled, seen, CELLS_ALIKE)
    return PLAIN if tone.is_plain else tone


def _compared(look: Look, readings: Sequence[Reading], kinds: Mapping[PieceKind, Prepared]) -> tuple[Array, Array]:
    """Enrolled levels of the confirmed pieces' even cells, and those seen there: n x 3 each."""
    bare = [reading for reading in readings if confirmed(reading) and not reading.veil and not reading.shaded]
    parts = [_levels(look, reading, kinds[reading.kind]) for reading in bare]
    return (
        np.concatenate([np.zeros((0, 3)), *(part[0] for part in parts)]),
        np.concatenate([np.zeros((0, 3)), *(part[1] for part in parts)]),
    )


def as_another_camera(enrolled: Array, seen: Array, alike: float) -> Tone:
    """The likeliest tone of levels (n x 3 each, in the same light), so many of which say as much as one: one saturation
    and one lift for all channels, as cameras and their settings differ in, and a little of any other mixture."""
    count = len(enrolled)
    grey = (enrolled @ LUMA)[:, None]
    columns = np.zeros((count, 3, 11))
    columns[:, :, 0] = enrolled - grey
    columns[:, :, 1] = 1.0
    for channel in range(3):
        columns[:, channel, 2 + 3 * channel : 5 + 3 * channel] = enrolled
    off = seen - enrolled
    prior = np.diag(1.0 / np.square([SATURATION_SPREAD, LIFT_SPREAD, *[MIX_SPREAD] * 9]))
    found = np.zeros(11)
    for _ in range(ROUNDS):
        strays = ((off - columns @ found) / LEVEL_SPREAD) ** 2
        weight = 1.0 / (1.0 + strays.mean(1) / 4.0) ** 2 / (LEVEL_SPREAD**2 * alike)
        weighted = (columns * weight[:, None, None]).reshape(-1, 11)
        found = np.linalg.solve(weighted.T @ columns.reshape(-1, 11) + prior, weighted.T @ off.reshape(-1))
    saturation, lift, mixed = found[0], found[1], found[2:].reshape(3, 3)
    return Tone(np.eye(3) + saturation * (np.eye(3) - np.tile(LUMA, (3, 1))) + mixed, np.full(3, lift))


def in_tone(faces: KindFaces, tone: Tone) -> KindFaces:
    """Enrolled faces as a picture of this tone shows them."""
    levels = np.exp(faces.colours.astype(np.float64)) - LOG_FLOOR
    shown = np.clip(levels @ tone.mix.T + tone.lift, 0.0, 255.0)
    growth = (faces.slopes * np.exp(faces.colours)[:, None]) @ tone.mix.T
    slopes = np.asarray(growth / (shown + LOG_FLOOR)[:, None], np.float32)
    return replace(faces, colours=np.asarray(np.log(shown + LOG_FLOOR), np.float32), slopes=slopes)


def _levels(look: Look, reading: Reading, prepared: Prepared) -> tuple[Array, Array]:
    """Enrolled levels of a piece's even cells, and those seen there, brought to the same light: each cells x 3."""
    grid = prepared.full
    even = np.abs(grid.slopes[reading.face]).mean((0, 1)) < EVEN_SLOPE
    cells = np.flatnonzero(even & reading.agrees & ~reading.taken)
    enrolled = np.exp(grid.enrolled[reading.face][:, cells].T.astype(np.float64)) - LOG_FLOOR
    points = place(grid.points[cells], reading.pose)
    seen = np.exp(look.colours(points[None])[0].T.astype(np.float64)) - LOG_FLOOR
    if not len(cells):
        return enrolled, seen
    light = float(np.median(seen.sum(1) / np.maximum(enrolled.sum(1), 30.0)))
    return enrolled, seen / max(light, 0.2)
