"""Light that changes along one direction within a piece: the edge of a shadow or of a window's sun, stripes of blinds.

All of these have straight edges, so that across them there is one profile of light, along them none: whatever a face
shows along them is told as before. The profile is fitted to how bright a face is seen beside how bright it was enrolled,
in every direction, and taken off.
"""

import numpy as np
from numpy.typing import NDArray

from vision.features import LOG_FLOOR, Colours
from vision.verify import Flags, Floats, Grid, Indices

KNOT_MM = 3.0
"""A profile has a value every so far: penumbra and blur of the sharpest edge are about as wide."""
TURNS_DEG, FINER_DEG = 7.5, 2.5
"""Directions are tried so far apart, and then so far beside the best one."""
DARK = 60.0
"""Levels, of three channels together, that are added before brightness is compared: below it is noise and bleed."""
DEEPEST = 1.5
"""Logarithm: shade with less than a quarter of the light is none that anything is read in."""
STRAYS = 0.15
"""How far (logarithm) cells stray that are seen as they were enrolled; others tell little of the light."""
EVEN_KNOT = 0.02
"""What weight a value has for those beside it: where few cells tell, the light changes little."""
TINTED = 0.2
"""By so large a share of its depth a channel's shade may be deeper or less deep than that of all."""


def lights(seen: Colours, faces: Indices, grid: Grid, free: Flags | None = None) -> Floats:
    """How many times as bright (logarithm) each channel of each cell is lit (n x 3 x cells), where colours (n x 3 x
    cells) show these faces (n), by light that changes along one direction; fitted to the free cells if given."""
    levels, enrolled = _levels(seen), _levels(grid.enrolled)[faces]
    own = enrolled.sum(1)
    ratio = np.log((levels.sum(1) + np.float32(DARK)) / (own + np.float32(DARK)))
    weight = grid.precision[faces] / grid.precision.max() * np.square(own / (own + np.float32(DARK)))
    if free is not None:
        weight = np.where(free, weight, np.float32(1e-4))
    ratio = ratio - np.median(ratio, axis=1, keepdims=True)
    ratio = np.clip(ratio, -DEEPEST, DEEPEST).astype(np.float32)
    turns = np.arange(0.0, 180.0, TURNS_DEG)
    best = turns[_gains(ratio, weight, grid.points, turns).argmax(1)]
    profile = _profile(ratio, weight, grid.points, best)
    for _ in range(2):
        sure = weight / np.square(1.0 + np.square((ratio - profile) / np.float32(STRAYS)))
        beside = best[:, None] + np.array([-FINER_DEG, 0.0, FINER_DEG])
        gains = np.stack([_gain_each(ratio, sure, grid.points, beside[:, i]) for i in range(3)], axis=1)
        best = beside[np.arange(len(best)), gains.argmax(1)]
        profile = _profile(ratio, sure, grid.points, best)
    return _tinted(levels, enrolled, profile, sure)


def _levels(colours: Colours) -> Floats:
    return np.maximum(np.exp(colours) - np.float32(LOG_FLOOR), np.float32(0.0))


def _knots(points: NDArray[np.float64], turn_deg: float) -> Floats:
    """How much each knot of a profile in this direction counts in each cell: knots x cells."""
    turn = np.radians(turn_deg)
    along = points @ np.array([np.cos(turn), np.sin(turn)]) / KNOT_MM
    along -= along.min()
    knots = np.arange(int(along.max()) + 2)
    return np.maximum(1.0 - np.abs(along - knots[:, None]), 0.0).astype(np.float32)


def _gains(ratio: Floats, weight: Floats, points: NDArray[np.float64], turns_deg: NDArray[np.float64]) -> Floats:
    """How much of the brightness a profile in each direction explains: n x directions."""
    return np.stack([_gain(ratio, weight, _knots(points, float(turn))) for turn in turns_deg], axis=1)


def _gain(ratio: Floats, weight: Floats, knots: Floats) -> Floats:
    """What the means at the knots explain: n."""
    told = weight @ knots.T
    return np.asarray((np.square((weight * ratio) @ knots.T) / (told + 1e-3)).sum(1), np.float32)


def _gain_each(ratio: Floats, weight: Floats, points: NDArray[np.float64], turns_deg: NDArray[np.float64]) -> Floats:
    """The same with a direction for each: n."""
    return np.array(
        [
            _gain(ratio[i : i + 1], weight[i : i + 1], _knots(points, float(turn)))[0]
            for i, turn in enumerate(turns_deg)
        ],
        np.float32,
    )


def _profile(ratio: Floats, weight: Floats, points: NDArray[np.float64], turns_deg: NDArray[np.float64]) -> Floats:
    """The likeliest light of each cell with a profile in these directions (n): n x cells."""
    found = np.empty_like(ratio)
    for i, turn in enumerate(turns_deg):
        knots = _knots(points, float(turn))
        even = np.diff(np.eye(len(knots)), axis=0)
        weighted = knots * weight[i]
        normal = weighted @ knots.T + EVEN_KNOT * even.T @ even + 1e-4 * np.eye(len(knots))
        found[i] = np.linalg.solve(normal, weighted @ ratio[i]) @ knots
    return found


def _tinted(levels: Floats, enrolled: Floats, profile: Floats, weight: Floats) -> Floats:
    """The light of each channel beside that in which faces were enrolled; the shade of each may be a little deeper or
    less deep: n x 3 x cells."""
    third = np.float32(DARK / 3.0)
    ratio = np.log((levels + third) / (enrolled + third))
    middle = (weight * profile).sum(-1) / weight.sum(-1)
    deep = profile - middle[:, None]
    all_over = (weight[:, None] * ratio).sum(-1, keepdims=True) / weight.sum(-1)[:, None, None]
    off = ratio - all_over
    sure = weight[:, None] / (1.0 + np.square((off - deep[:, None]) / np.float32(STRAYS)))
    share = (sure * off * deep[:, None]).sum(-1) / ((sure * np.square(deep)[:, None]).sum(-1) + 1e-3)
    share = np.clip(share, 1.0 - TINTED, 1.0 + TINTED)
    return np.asarray(all_over + share[..., None] * deep[:, None], np.float32)
