"""Which blocks of a small picture a piece lies on."""

from dataclasses import dataclass

import numpy as np

from vision.motion import Mask

TOUCHED_SHARE = 0.04
"""A piece is touched where so much of it lies under changed blocks."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """The blocks inside an outline."""

    part: tuple[slice, slice]
    """Rows and columns that they lie in."""
    inside: Mask
    """255 in them, in this part."""
    count: int

    def meets(self, blocks: Mask) -> bool:
        """Whether any of them is set in a mask of all blocks."""
        return bool((self.inside & blocks[self.part]).any())

    def touched(self, change: Mask) -> bool:
        """Whether more than a few of them are set."""
        return int(np.count_nonzero(self.inside & change[self.part])) > TOUCHED_SHARE * max(self.count, 1)
