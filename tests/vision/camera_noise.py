"""A camera's noise, for pictures by the dozen: drawing millions of numbers for each takes longer than reading it."""

from functools import cache
from math import prod

import numpy as np
from numpy.typing import NDArray

DRAWN = 1 << 23
"""So many are drawn; larger pictures have some of them twice."""


def camera_noise(shape: tuple[int, ...], deviation: float, seed: int) -> NDArray[np.float32]:
    """Normal noise of this deviation: for each seed other ones of the numbers that are drawn once."""
    count = prod(shape)
    start = int(np.random.default_rng(seed).integers(max(DRAWN - count, DRAWN // 2)))
    some = _drawn()[start : start + count]
    return (some if len(some) == count else np.resize(some, count)).reshape(shape) * np.float32(deviation)


@cache
def _drawn() -> NDArray[np.float32]:
    return np.random.default_rng(1).standard_normal(DRAWN, np.float32)
