"""How plain ground, mat or table, looks in the light that falls on it, and how far cells stray from that.

Light changes slowly over a table, and a shadow makes it darker, each colour by about as much.
"""

import numpy as np

from vision.hiding.cells import Array
from vision.pieces.verify import Floats, Indices
from vision.short_axes import row_medians

SAMPLE = 800
"""So many cells tell how light changes over it: a colour by six numbers."""
ROUNDS = 5
"""So often it is fitted."""
FLOOR = 20.0
"""Levels (of 255) added before logarithms are taken."""
DEEP = 0.3
"""What is darker (logarithm) than this has lost some of its tint by that."""
LOGARITHMS = np.log(np.arange(256) + FLOOR).astype(np.float32)
"""Of each level."""


def strays_from_ground(colours: Floats, rows: Indices, columns: Indices) -> tuple[Floats, Floats]:
    """How far the colours (channels x cells, logarithms) of cells stray from their ground's: brightness, then each
    channel's tint, as it shows where the ground is so dark (1 + channels x cells); and how far each usually strays
    (1 + channels x 1)."""
    u, v = (((along - along.mean()) / 80.0).astype(np.float32) for along in (rows, columns))
    basis = np.stack([np.ones_like(u), u, v, u * u, u * v, v * v])
    light = colours.mean(0, keepdims=True)
    off, wide = _strays(np.concatenate([light, colours - light]), basis)
    deep = off[0] < -DEEP
    if deep.any():
        shaded = _in_shade(colours[:, deep], (light - off[0])[:, deep], (colours - light - off[1:])[:, deep])
        off[1:, deep] = (colours - light)[:, deep] - shaded
    return off, wide


def _in_shade(colours: Floats, light: Floats, tints: Floats) -> Floats:
    """The tints (channels x cells) that the mat, which has these in its light, shows where it is as dark as cells of
    these colours are: all logarithms have `FLOOR` added to levels, which leaves little of a tint in the dark."""
    levels = np.maximum(np.exp(light + tints) - FLOOR, 1.0)
    share = np.maximum(np.exp(colours) - FLOOR, 0.0).mean(0) / levels.mean(0)
    logarithms = np.log(share * levels + FLOOR)
    return np.asarray(logarithms - logarithms.mean(0), np.float32)


def _strays(values: Floats, basis: Floats) -> tuple[Floats, Floats]:
    """What of each row (brightness, then tints) a slowly changing light does not explain, and its usual width.

    Fitted on a sample, robustly: what strays in one tint counts less in all, first by what is usual on the mat, so that
    hands over a side of it are not taken for the light there. Brightness changes more than that over a mat.
    """
    step = max(values.shape[1] // SAMPLE, 1)
    some, sample = (np.ascontiguousarray(part[:, ::step], np.float64) for part in (basis, values))
    ridge = 1e-6 * np.eye(len(basis))
    weights, width = _weights(sample - row_medians(sample)[:, None])
    weights[0] = 1.0
    for _ in range(ROUNDS):
        weighted = some * weights[:, None]
        fit = np.linalg.solve(weighted @ some.T + ridge, weighted @ sample[..., None])[..., 0]
        residual = sample - fit @ some
        middle = row_medians(residual)[:, None]
        weights, width = _weights(residual - middle)
    fit[:, :1] += middle
    return values - fit.astype(np.float32) @ basis, width.astype(np.float32)


def _weights(off: Array) -> tuple[Array, Array]:
    """How much each cell counts, by row, and how far cells usually stray (rows x 1)."""
    width = np.maximum(1.5 * row_medians(np.abs(off))[:, None], 0.018)
    weights = 1.0 / np.square(1.0 + np.square(off / (2 * width)))
    weights[1:] = weights[1:].prod(0)
    return weights, width
