"""Light that changes along one direction within a piece: the edge of a shadow or of a window's sun, stripes of blinds.

All of these have straight edges, so that there is one profile of light across them and none along them: whatever a
face shows along them tells it as before. The profile is fitted to how bright a face is seen beside how bright it was
enrolled, in every direction, and taken off.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.kept import Kept
from vision.pieces.features import LOG_FLOOR, Colours, levels_of
from vision.pieces.verify import AT_ONCE, Flags, Floats, Grid, Indices
from vision.short_axes import row_medians

KNOT_MM = 3.0
"""A profile has a value every so far: penumbra and blur of the sharpest edge are about as wide."""
TURNS_DEG, CELLS_FOR_TURN = np.arange(0.0, 180.0, 5.0), 160
"""These directions are tried, each by about so many cells."""
FLOOR = 9.0
"""Levels, of three channels together, that are added before brightness is compared, as noise is no light."""
DARK = 60.0
"""Levels, of three channels together, that a face has to be brighter than to tell much of the light."""
DEEPEST = 1.5
"""Logarithm: shade with less than a quarter of the light is none that anything is read in."""
STRAYS = 0.15
"""How far (logarithm) cells stray that are seen as they were enrolled; others tell little of the light."""
EVEN_KNOT = 0.02
"""What weight a value has for those beside it: where few cells tell, the light changes little."""
TINTED = 0.2
"""By so large a share of its depth a channel's shade may be deeper or less deep than that of all."""
_TRIED: Kept[Grid, Floats] = Kept(16)
"""For each grid the knots of profiles in the directions that are tried."""


@dataclass(frozen=True, slots=True)
class Shade:
    """Light that falls on pieces, n of them."""

    lights: Floats
    """n x 3 x cells: how many times as bright (logarithm) as it was enrolled each channel of each cell is lit."""

    def taken_off(self, colours: Colours) -> Colours:
        """Colours (n x 3 x cells, or those from which on they are cut off) in the light of the enrolment."""
        lit = (np.exp(colours) - np.float32(LOG_FLOOR)) / np.exp(self.lights)
        return np.asarray(np.log(np.maximum(lit, np.float32(0.0)) + np.float32(LOG_FLOOR)), np.float32)

    def told(self, gain: Floats, _: Floats) -> Floats:
        """How much better faces explain cells than an even surface does: as much as in even light."""
        return gain


def shade(seen: Colours, faces: Indices, grid: Grid, free: Flags | None = None) -> Shade:
    """The light in which faces (n) are seen in these colours (n x 3 x cells), told by the free cells if given."""
    return Shade(lights(seen, faces, grid, free))


def lights(seen: Colours, faces: Indices, grid: Grid, free: Flags | None = None) -> Floats:
    """How many times as bright (logarithm) as the faces were enrolled each channel of each cell is lit (n x 3 x cells),
    where colours (n x 3 x cells) show these faces (n) in light that changes along one direction; fitted to the free
    cells (n x cells) if given."""
    if len(seen) > AT_ONCE:
        parts = [slice(i, i + AT_ONCE) for i in range(0, len(seen), AT_ONCE)]
        return np.concatenate([lights(seen[p], faces[p], grid, None if free is None else free[p]) for p in parts])
    levels, enrolled = levels_of(seen), levels_of(grid.enrolled)[faces]
    own = enrolled.sum(1)
    ratio = np.log((levels.sum(1) + np.float32(FLOOR)) / (own + np.float32(FLOOR)))
    weight = grid.precision[faces] / grid.precision.max() * np.square(own / (own + np.float32(DARK)))
    if free is not None:
        weight = np.where(free, weight, np.float32(1e-4))
    ratio = np.clip(ratio - row_medians(ratio)[:, None], -DEEPEST, DEEPEST).astype(np.float32)
    some = slice(None, None, max(ratio.shape[1] // CELLS_FOR_TURN, 1))
    knots = _TRIED.of(grid, lambda: _knots(grid.points[some], TURNS_DEG))
    turn = TURNS_DEG[_explained(ratio[:, some], weight[:, some], knots).argmax(1)]
    profile = _profile(ratio, weight, _knots(grid.points, turn))
    sure = weight / np.square(1.0 + np.square((ratio - profile) / np.float32(STRAYS)))
    profile = _profile(ratio, sure, _knots(grid.points, turn))
    return _tinted(levels, enrolled, profile, sure)


def _knots(points: NDArray[np.float64], turns_deg: NDArray[np.float64]) -> Floats:
    """How much each value of a profile in each direction counts in each cell: turns x knots x cells."""
    turns = np.radians(turns_deg)
    along = np.asarray(np.stack([np.cos(turns), np.sin(turns)], axis=1) @ points.T / KNOT_MM, np.float32)
    along -= along.min(axis=1, keepdims=True)
    knots = np.arange(int(along.max()) + 2, dtype=np.float32)
    return np.asarray(np.maximum(1.0 - np.abs(along[:, None] - knots[:, None]), 0.0), np.float32)


def _explained(ratio: Floats, weight: Floats, knots: Floats) -> Floats:
    """How much of the brightness (n x cells) a profile of the knots of each turn (turns x knots x cells) explains: n x
    turns."""
    flat, shape = knots.reshape(-1, knots.shape[-1]).T, (len(ratio), *knots.shape[:2])
    told, seen = ((values @ flat).reshape(shape) for values in (weight, weight * ratio))
    return np.asarray((np.square(seen) / (told + np.float32(1e-3))).sum(2), np.float32)


def _profile(ratio: Floats, weight: Floats, knots: Floats) -> Floats:
    """The likeliest light of each cell (n x cells) by profiles of these knots (n x knots x cells)."""
    count = knots.shape[1]
    weighted = knots * weight[:, None]
    even = np.diff(np.eye(count, dtype=np.float32), axis=0)
    prior = np.float32(EVEN_KNOT) * even.T @ even + np.float32(1e-3) * np.eye(count, dtype=np.float32)
    normal = weighted @ np.swapaxes(knots, 1, 2) + prior
    values = np.linalg.solve(normal, weighted @ ratio[..., None])
    return np.asarray((np.swapaxes(values, 1, 2) @ knots)[:, 0], np.float32)


def _tinted(levels: Floats, enrolled: Floats, profile: Floats, weight: Floats) -> Floats:
    """The light of each channel beside that in which faces were enrolled; the shade of each may be a little deeper or
    less deep: n x 3 x cells."""
    third = np.float32(FLOOR / 3.0)
    ratio = np.log((levels + third) / (enrolled + third))
    middle = (weight * profile).sum(-1) / weight.sum(-1)
    deep = profile - middle[:, None]
    all_over = (weight[:, None] * ratio).sum(-1, keepdims=True) / weight.sum(-1)[:, None, None]
    off = ratio - all_over
    sure = weight[:, None] / (1.0 + np.square((off - deep[:, None]) / np.float32(STRAYS)))
    share = (sure * off * deep[:, None]).sum(-1) / ((sure * np.square(deep)[:, None]).sum(-1) + 1e-3)
    share = np.clip(share, 1.0 - TINTED, 1.0 + TINTED)
    return np.asarray(all_over + share[..., None] * deep[:, None], np.float32)
