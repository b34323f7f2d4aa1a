"""Maps of smooth coordinates, worked out at every few pixels and filled in between."""

import numpy as np
from numpy.typing import NDArray


def spread(sparse: NDArray[np.float64], step: int, width: int, height: int) -> NDArray[np.float32]:
    """A map (rows x columns x 2) known at every `step`th pixel, at all of `height` x `width`; straight in between, and
    beyond the last known pixel as before it."""
    rows, columns = np.arange(height) / step, np.arange(width) / step
    row, column = (
        np.clip(at.astype(int), 0, count - 2) for at, count in zip((rows, columns), sparse.shape, strict=False)
    )
    down, along = (rows - row)[:, None, None], (columns - column)[None, :, None]
    known = sparse.astype(np.float32)
    by_row = known[row] + (known[row + 1] - known[row]) * down.astype(np.float32)
    return np.asarray(by_row[:, column] + (by_row[:, column + 1] - by_row[:, column]) * along.astype(np.float32))
