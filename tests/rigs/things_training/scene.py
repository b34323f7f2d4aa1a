"""What the network that outlines things learns from."""

from dataclasses import dataclass

from vision.frame import Image
from vision.masks import Mask

VARIANTS = 5
"""So many scenes are made of one table, one after the other."""


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
