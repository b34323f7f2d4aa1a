"""Maps of smooth coordinates, worked out at every few pixels and filled in between."""

import numpy as np
from numpy.typing import NDArray

Map = NDArray[np.float32]


def spread(sparse: NDArray[np.float64], step: int, width: int, height: int) -> Map:
    """A map (rows x columns x 2) known at every `step`th pixel, at all of `height` x `width`; straight in between, and
    beyond the last known pixel as before it."""
    by_column = _filled_in(np.moveaxis(sparse, 1, 0).astype(np.float32, order="C"), step, width)
    return _filled_in(np.ascontiguousarray(np.moveaxis(by_column, 0, 1)), step, height)


def _filled_in(known: Map, step: int, count: int) -> Map:
    """The same along the first axis alone."""
    growth = np.diff(known, axis=0)
    more = np.arange(1, -(-count // step) - len(known) + 1, dtype=np.float32).reshape(-1, *[1] * (known.ndim - 1))
    known = np.concatenate([known, known[-1] + growth[-1] * more])
    growth = np.concatenate([growth, np.repeat(growth[-1:], len(known) - len(growth), axis=0)])
    filled = np.empty((len(known) * step, *known.shape[1:]), np.float32)
    for part in range(step):
        filled[part::step] = known + growth * np.float32(part / step)
    return filled[:count]
