"""Which parts of a table a finder has looked at often enough since they changed.

Two looks in a row that find the same are enough. Each part is counted by itself: what comes to rest at one end of the
table is no reason to look once more at the other.
"""

from vision.motion import Mask


class LookedAt:
    """The blocks that one finder has looked at since they changed last."""

    def __init__(self, nowhere: Mask) -> None:
        self._once = nowhere.copy()
        self._enough = nowhere.copy()

    @property
    def once(self) -> Mask:
        """255 in blocks that it looked at since they changed."""
        return self._once

    @property
    def enough(self) -> Mask:
        """255 in blocks that need no further look."""
        return self._enough

    def changed(self, blocks: Mask) -> None:
        """These changed: looks at them count anew."""
        self._once[blocks > 0] = 0
        self._enough[blocks > 0] = 0

    def looked(self, blocks: Mask, otherwise: Mask, as_before: Mask | None = None) -> None:
        """It looked at `blocks`, and what it found in those that are `otherwise` is not what it found before; in those
        that are `as_before` it is what it found before they changed, so that this was the second look."""
        self._enough |= self._once & blocks & ~otherwise
        if as_before is not None:
            self._enough |= as_before & blocks
        self._once |= blocks
