"""Which pieces that were read before lie where they lay."""

from collections.abc import Sequence

import numpy as np

from vision.following.found_before import GONE_MM
from vision.pieces.reading import Reading


def gone_from(before: Sequence[Reading], again: Sequence[Reading]) -> list[Reading]:
    """Those that are not found any more where they lay."""
    kept = set(map(id, again))
    return [old for old in before if id(old) not in kept and not lies_among(old, again)]


def lies_among(one: Reading, readings: Sequence[Reading]) -> bool:
    """Whether one of the readings is of the same piece where it lies."""
    return any(
        other.kind is one.kind and other.face == one.face and np.hypot(*(other.pose[:2] - one.pose[:2])) < GONE_MM
        for other in readings
    )
