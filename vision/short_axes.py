"""Sums, products and medians along axes as short as a colour's channels, quantiles of short rows, and medians of few
numbers: numpy is several times slower there."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

SHORT = 50
"""Rows of twice as many are sorted as fast as they are parted in the middle."""

Floats = NDArray[np.float32]
Numbers = NDArray[np.floating[Any]]


def dot(one: Numbers, other: Numbers) -> Floats:
    """The scalar products of colours: ... x 3 and ... x 3 give ..."""
    return np.asarray(
        one[..., 0] * other[..., 0] + one[..., 1] * other[..., 1] + one[..., 2] * other[..., 2], np.float32
    )


def total(colours: Numbers) -> Floats:
    """The sums of colours' channels: ... x 3 gives ..."""
    return np.asarray(colours[..., 0] + colours[..., 1] + colours[..., 2], np.float32)


def median_of(values: Numbers) -> float:
    """The median of at least one number, whatever their shape; as `np.median`, where all are numbers."""
    flat, half = values.reshape(-1), values.size // 2
    if values.size % 2:
        return float(np.partition(flat, half)[half])
    ordered = np.partition(flat, (half - 1, half))
    return float((ordered[half - 1] + ordered[half]) / 2)


def row_quantiles(rows: Numbers, share: float) -> Floats:
    """The quantile of each row of up to a thousand numbers (... x m gives ...), between two of them linearly; as
    `np.quantile` but for rounding, where all are numbers."""
    ordered, at = np.sort(rows, axis=-1), share * (rows.shape[-1] - 1)
    low, above = ordered[..., int(at)], ordered[..., min(int(at) + 1, rows.shape[-1] - 1)]
    part, apart = rows.dtype.type(at - int(at)), above - low
    between = low + apart * part if part < 0.5 else above - apart * (1 - part)
    return np.asarray(between, rows.dtype)


def row_medians(rows: Numbers) -> Floats:
    """The median of each row of up to a thousand numbers (... x m gives ...); as `np.median`, where all are numbers."""
    half, odd = rows.shape[-1] // 2, rows.shape[-1] % 2
    ordered = np.sort(rows, axis=-1) if half < SHORT else np.partition(rows, (half - 1, half), axis=-1)
    return np.asarray(ordered[..., half] if odd else (ordered[..., half - 1] + ordered[..., half]) / 2, rows.dtype)


def middle_row(rows: Numbers) -> Floats:
    """The median of each column of up to a thousand rows (n x m gives m); as `np.median`, where all are numbers."""
    return row_medians(np.ascontiguousarray(rows.T))


def median(values: Numbers, axis: int) -> Floats:
    """The median along an axis of less than ten or so values; as `np.median`, where all are numbers."""
    rows = list(np.moveaxis(values, axis, 0))
    # Neighbours change places until all are in order: after as many rounds as there are, they are.
    for turn in range(len(rows)):
        for at in range(turn % 2, len(rows) - 1, 2):
            rows[at], rows[at + 1] = np.minimum(rows[at], rows[at + 1]), np.maximum(rows[at], rows[at + 1])
    half = len(rows) // 2
    return np.asarray(rows[half] if len(rows) % 2 else (rows[half - 1] + rows[half]) / 2, np.float32)
