"""How a camera shows colours today beside how it showed them when the faces were enrolled: paler, darker, tinted.

A picture's own light is taken out piece by piece (`vision.pieces.verify`). What mixes the channels is not: a camera in
dim light, or in haze, shows a yellow that had no blue in it with some. It is the same all over a picture, so pieces
that are read without doubt show it for the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.pieces.checking import cost_there
from vision.pieces.faces import KindFaces
from vision.pieces.features import LOG_FLOOR
from vision.pieces.prepared import Prepared, prepare
from vision.pieces.reading import CERTAIN_LEAD, NO_VEIL, Reading
from vision.pieces.verify import SATURATED, Look
from vision.scene import PieceKind
from vision.shapes import place

Array = NDArray[np.float64]
Levels = NDArray[np.floating[Any]]

CELLS_ALIKE = 25.0
"""So many cells of a piece say as much as one: neighbours show the same colour."""
EVEN_SLOPE = 0.06
"""Where an enrolled colour (logarithm) changes by less than this per millimetre it can be compared level by level."""
LEAST_CELLS = 200
CELLS = 2400
"""About so many cells are compared."""
SATURATION_SPREAD, LIFT_SPREAD, MIX_SPREAD, CURVE_SPREAD = 0.5, 15.0, 0.04, 0.3
"""How far saturation (a share), levels that are added to all, the rest of the mixture, and the steepness of the middle
of the levels (a share) differ between cameras."""
LEVEL_SPREAD, FIRST_SPREAD, NARROWER = 8.0, 40.0, 0.6
"""How many levels (of 255) a cell strays from what a tone and light make of it; at first, when little is known of
these, and how many times as many in each round."""
ROUNDS, LIGHT_ROUNDS = 10, 2
LEAST_LIGHT = 0.1
ENOUGH = 16
"""So many pieces tell of a camera."""
BETTER = 0.92
"""In a tone that is taken pieces have to cost less than this share of what they cost as they were enrolled."""
PLAIN_MIX, PLAIN_LIFT, PLAIN_CURVE = 0.12, 12.0, 0.15
"""A tone that differs from the plain one by less is taken for it: lights differ by as much."""
LUMA = np.array([0.114, 0.587, 0.299])
"""What blue, green and red are to brightness (ITU-R BT.601)."""
BLACK, WHITE = 3.0, 255.0
"""A camera may have cut off what is darker; its levels end."""


@dataclass(frozen=True, slots=True)
class Tone:
    """What a picture makes of enrolled levels (of 255): `light * mix @ (blue, green, red) + lift`, along a curve.

    Black print that is shown darker than it was enrolled is so by its lift, not by its light, and all else with it.
    """

    mix: Array
    """3 x 3."""
    lift: float = 0.0
    curve: float = 0.0
    """How much steeper than straight the curve is in the middle of the levels; at their ends it is flatter for that."""
    light: float = 1.0
    """How many times as bright most of what the tone was told by is seen as it was enrolled, but for the lift."""

    @property
    def is_plain(self) -> bool:
        """Whether it is nearly none."""
        mixes = np.abs(self.mix - np.eye(3)).max() >= PLAIN_MIX
        return not mixes and abs(self.lift) < PLAIN_LIFT * self.light and abs(self.curve) < PLAIN_CURVE

    def shown(self, levels: Levels) -> Array:
        """Levels (... x 3) as the picture shows them in the light in which they were enrolled."""
        straight = self._straight(levels)
        return np.asarray(np.maximum(straight + self.curve * _bent(straight), 0.0) / self.light)

    def change_shown(self, levels: Levels, change: Levels) -> Array:
        """What a change of levels (... x 3 both) is in it."""
        share = np.clip(self._straight(levels) / WHITE, 0.0, 1.0)
        return np.asarray((change @ self.mix.T) * (1.0 + self.curve * (12.0 * share * (1.0 - share) - 2.0)))

    def _straight(self, levels: Levels) -> Array:
        return np.asarray(self.light * (levels @ self.mix.T) + self.lift)


PLAIN = Tone(np.eye(3))


def tone_of(look: Look, readings: Sequence[Reading], kinds: Mapping[PieceKind, Prepared]) -> Tone:
    """The tone that the confirmed pieces of a picture show; the plain one where it is nearly that, or they say too
    little."""
    plain = [reading for reading in readings if reading.veil == NO_VEIL and reading.own_light is None]
    known = [reading for reading in plain if reading.lead >= CERTAIN_LEAD or reading.confirmed]
    some = known[:: max(len(known) // ENOUGH, 1)]
    levels = [_levels(look, reading, kinds[reading.kind], CELLS // len(some)) for reading in some]
    if sum(len(enrolled) for enrolled, _ in levels) < LEAST_CELLS:
        return PLAIN
    enrolled, seen = (np.concatenate(parts) for parts in zip(*levels, strict=True))
    piece = np.repeat(np.eye(len(some)), [len(own) for own, _ in levels], axis=0)
    tone = as_another_camera(enrolled, seen, look.gain, piece, CELLS_ALIKE)
    if tone.is_plain:
        return PLAIN
    before = sum(cost_there(look, kinds[r.kind], r.face, r) for r in some)
    after = sum(cost_there(look, prepare(in_tone(_only(kinds[r.kind].faces, r.face), tone)), 0, r) for r in some)
    return tone if after < BETTER * before else PLAIN


def _only(faces: KindFaces, face: int) -> KindFaces:
    """A kind with one face."""
    return replace(faces, colours=faces.colours[face : face + 1], slopes=faces.slopes[face : face + 1])


def as_another_camera(enrolled: Array, seen: Array, gain: Levels, lights: Array, alike: float) -> Tone:
    """The likeliest tone of levels (n x 3 each; those seen brightened by `gain`, 3), so many of which say as much as
    one: one saturation, one lift and one curve for all channels, as cameras and their settings differ in, and a little
    of any other mixture. `lights` (n x k) are the ways in which light may fall on them, as evenly as not.

    Lift and light are told together: either alone takes what is paler for what is darker.
    """
    told = (seen > BLACK * gain) & (seen < SATURATED * gain)
    saturated = enrolled - (enrolled @ LUMA)[:, None]
    prior = np.diag(1.0 / np.square([SATURATION_SPREAD, *[MIX_SPREAD] * 9, CURVE_SPREAD]))
    columns = np.zeros((*enrolled.shape, 11))
    fall, lift, found = np.full(len(enrolled), _first_light(enrolled, seen)), 0.0, np.zeros(11)
    for turn in range(ROUNDS):
        spread = max(LEVEL_SPREAD, FIRST_SPREAD * NARROWER**turn)
        mixed, curved = enrolled @ _mix(found).T, columns[..., 10] * found[10]
        for _ in range(LIGHT_ROUNDS):
            weight = told * _trusted(told * (seen - curved - fall[:, None] * mixed - lift), spread)
            fall, lift = _light_and_lift(mixed, seen - curved, weight, lights, alike)
        columns[..., 0] = saturated
        for channel in range(3):
            columns[:, channel, 1 + 3 * channel : 4 + 3 * channel] = enrolled
        columns[..., :10] *= fall[:, None, None]
        columns[..., 10] = _bent(fall[:, None] * mixed + lift)
        off = seen - fall[:, None] * enrolled - lift
        weight = told * _trusted(told * (off - columns @ found), spread)
        found = _least_squares(columns, weight / (LEVEL_SPREAD**2 * alike), off, prior)
    return Tone(_mix(found), lift, float(found[10]), float(np.median(fall)))


def in_tone(faces: KindFaces, tone: Tone) -> KindFaces:
    """Enrolled faces as a picture of this tone shows them."""
    levels = np.exp(faces.colours.astype(np.float64)) - LOG_FLOOR
    lifted = tone.shown(levels) + LOG_FLOOR
    slopes = tone.change_shown(levels[:, None], faces.slopes * np.exp(faces.colours)[:, None]) / lifted[:, None]
    return replace(faces, colours=np.asarray(np.log(lifted), np.float32), slopes=np.asarray(slopes, np.float32))


def _first_light(enrolled: Array, seen: Array) -> float:
    return max(float(np.median(seen.sum(1) / np.maximum(enrolled.sum(1), 30.0))), LEAST_LIGHT)


def _light_and_lift(mixed: Array, seen: Array, weight: Array, lights: Array, alike: float) -> tuple[Array, float]:
    """How many times as bright as shown (`mixed`) each cell is seen (n), and what is added to all."""
    ways = lights.shape[1]
    columns = np.concatenate([lights[:, None, :] * mixed[..., None], np.ones((*mixed.shape, 1))], axis=2)
    first = _first_light(mixed, seen)
    prior = np.diag([*[1.0] * ways, alike * (LEVEL_SPREAD / LIFT_SPREAD) ** 2])
    found = _least_squares(columns, weight, seen - first * mixed, prior)
    return np.maximum(first + lights @ found[:-1], LEAST_LIGHT), float(found[-1])


def _least_squares(columns: Array, weight: Array, wanted: Array, prior: Array) -> Array:
    """What of each column (n x 3 x k) makes up what is wanted (n x 3), by these weights (n x 3)."""
    flat = columns.reshape(-1, columns.shape[-1])
    weighted = flat * weight.reshape(-1, 1)
    return np.asarray(np.linalg.solve(weighted.T @ flat + prior, weighted.T @ wanted.reshape(-1)))


def _trusted(strays: Array, spread: float) -> Array:
    """How much levels (n x 3) that stray so far from what is expected tell."""
    return np.asarray(1.0 / (1.0 + ((strays / spread) ** 2).mean(1, keepdims=True) / 4.0) ** 2)


def _mix(found: Array) -> Array:
    return np.asarray(np.eye(3) + found[0] * (np.eye(3) - np.tile(LUMA, (3, 1))) + found[1:10].reshape(3, 3))


def _bent(levels: Array) -> Array:
    """What a curve that is twice as steep in the middle adds to levels."""
    share = np.clip(levels / WHITE, 0.0, 1.0)
    return np.asarray(4.0 * WHITE * share * (1.0 - share) * (share - 0.5))


def _levels(look: Look, reading: Reading, prepared: Prepared, most: int) -> tuple[Array, Array]:
    """Enrolled levels of a piece's even cells, about `most`, and those seen there: each cells x 3."""
    grid = prepared.full
    even = np.abs(grid.slopes[reading.face]).mean((0, 1)) < EVEN_SLOPE
    cells = np.flatnonzero(even & ~reading.taken & ~reading.hidden)
    cells = cells[:: max(len(cells) // most, 1)]
    enrolled = np.exp(grid.enrolled[reading.face][:, cells].T.astype(np.float64)) - LOG_FLOOR
    points = place(grid.points[cells], reading.pose)
    return enrolled, np.exp(look.colours(points[None])[0].T.astype(np.float64)) - LOG_FLOOR
