"""What the network that outlines things learns from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.hiding.outlining import Changed
from vision.masks import Mask

VARIANTS = 5
"""So many scenes are made of one table, one after the other."""
STEP_OF_LIGHT = 0.02
"""Changes are kept in such steps (logarithms)."""


@dataclass(frozen=True)
class Scene:
    """What the network is shown, and what it ought to say, in cells."""

    fine: Image
    pieces: Mask
    mat: Mask
    seen: Mask
    things: Mask
    """0 to 255: how much of each cell a thing covers."""
    asked: Mask
    """255 where that is learned."""
    light: NDArray[np.int8]
    """How each colour changed, had it been watched (h x w x 3, in steps of `STEP_OF_LIGHT`),"""
    known: Mask
    """255 where that is known."""

    @property
    def changed(self) -> Changed:
        """What would be known of it if it had been watched."""
        return Changed(np.asarray(self.light * np.float32(STEP_OF_LIGHT), np.float32), self.known)
