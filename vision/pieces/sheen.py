"""Pieces that mirror a lamp or a window in part: a band of light over a card's sleeve, a bright spot on a glossy slice.

Such light adds to what a piece sends back, the same to each colour, and changes softly from place to place. How much
lies where is what is left, smoothed, of how bright a face is seen less how bright it was enrolled, and how much less of
the face's own there is (Speckman's estimator of a partially linear model). Where most of what is seen is mirrored, a
face tells little, and is told little.
"""

from dataclasses import dataclass

import numpy as np

from vision.kept import Kept
from vision.pieces.features import LOG_FLOOR, PAPER_LEVEL, Colours, levels_of
from vision.pieces.verify import AT_ONCE, Flags, Floats, Grid, Indices

GAMMA = 2.2
"""What cameras raise light to the inverse power of, nearly (IEC 61966-2-1, sRGB)."""
SMOOTH_MM = 5.0
"""How far the light in one place tells that beside it (standard deviation)."""
ROUNDS = 3
NOISE, DARKEST = 0.1, 0.05
"""Light strays by that share of itself, and of no less than the second, a share of white paper's."""
LEAST_OWN, MOST_OWN = 0.3, 1.4
"""How many times as bright as it was enrolled a face is seen at least, and at most, besides what it mirrors."""
_SMOOTHERS: Kept[Grid, Floats] = Kept(16)
"""For each grid how much each cell tells of the light in each other: cells x cells."""


@dataclass(frozen=True, slots=True)
class Sheen:
    """Light mirrored by faces, n of them."""

    brighter: Floats
    """n x 3 x cells: what it adds to the colours (logarithms) in which the faces were enrolled."""
    own: Floats
    """n x cells: the share of what is seen that is the face's own."""

    def taken_off(self, colours: Colours) -> Colours:
        """Colours (n x 3 x cells, or those from which on they are cut off) without it."""
        return np.asarray(colours - self.brighter, np.float32)

    def told(self, gain: Floats, costs: Floats) -> Floats:
        """How much better faces explain cells than an even surface does, by how much that seemed without the sheen, and
        what the cells cost (both n x cells): the less of what is seen there is the face's own, the less it would."""
        return np.asarray(np.where(gain == 0.0, gain, (gain + costs) * np.square(self.own) - costs), np.float32)


def sheen(seen: Colours, faces: Indices, grid: Grid, free: Flags | None = None) -> Sheen:
    """What these faces (n) mirror where they are seen in these colours (n x 3 x cells), told by the free cells (n x
    cells) if given."""
    if len(seen) > AT_ONCE:
        cuts = [slice(i, i + AT_ONCE) for i in range(0, len(seen), AT_ONCE)]
        parts = [sheen(seen[p], faces[p], grid, None if free is None else free[p]) for p in cuts]
        return Sheen(np.concatenate([p.brighter for p in parts]), np.concatenate([p.own for p in parts]))
    smoother = _SMOOTHERS.of(grid, lambda: _smoother(grid))
    light, enrolled = _light(seen), _light(grid.enrolled[faces])
    steady = (grid.precision[faces] / grid.precision.max())[:, None]
    if free is not None:
        steady = np.where(free[:, None], steady, np.float32(1e-4))
    weight = told = steady / np.square(np.float32(NOISE) * (light + np.float32(DARKEST)))
    mirrored = np.zeros_like(light[:, 0])
    own = np.ones(len(light), np.float32)
    for _ in range(ROUNDS):
        rough_light, rough_own = _rough(light, weight, smoother), _rough(enrolled, weight, smoother)
        both = (weight * rough_own * rough_light).sum((1, 2)) + np.float32(1e-3)
        own = np.clip(both / ((weight * np.square(rough_own)).sum((1, 2)) + np.float32(1e-3)), LEAST_OWN, MOST_OWN)
        mirrored = np.maximum(_smooth(light - own[:, None, None] * enrolled, weight, smoother), np.float32(0.0))
        misses = light - own[:, None, None] * enrolled - mirrored[:, None]
        weight = told / np.square(1.0 + told * np.square(misses) / np.float32(4.0))
    face = own[:, None, None] * enrolled
    brighter = _colours(face + mirrored[:, None]) - grid.enrolled[faces]
    return Sheen(brighter, (face / (face + mirrored[:, None] + np.float32(1e-3))).mean(1))


def _smoother(grid: Grid) -> Floats:
    away = np.square(grid.points[:, None] - grid.points).sum(-1)
    near = np.exp(-away / (2.0 * SMOOTH_MM**2))
    return np.asarray(near / near.sum(1, keepdims=True), np.float32)


def _smooth(light: Floats, weight: Floats, smoother: Floats) -> Floats:
    """The smooth light (n x cells) common to all channels (n x 3 x cells); what it takes off peaks is added again."""
    total = weight.sum(1) @ smoother.T + np.float32(1e-6)
    first = (weight * light).sum(1) @ smoother.T / total
    return np.asarray(first + (weight * (light - first[:, None])).sum(1) @ smoother.T / total, np.float32)


def _rough(light: Floats, weight: Floats, smoother: Floats) -> Floats:
    return np.asarray(light - _smooth(light, weight, smoother)[:, None], np.float32)


def _light(colours: Colours) -> Floats:
    """Light as a share of white paper's."""
    return np.asarray((levels_of(colours) / np.float32(PAPER_LEVEL)) ** np.float32(GAMMA), np.float32)


def _colours(light: Floats) -> Colours:
    return np.asarray(
        np.log(np.float32(PAPER_LEVEL) * light ** np.float32(1 / GAMMA) + np.float32(LOG_FLOOR)), np.float32
    )
