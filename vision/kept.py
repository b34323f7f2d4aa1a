"""What was worked out of things that come again as the very same objects."""

from collections.abc import Callable
from typing import Generic, TypeVar

MOST_READINGS = 200
"""So many pieces that were read are kept so: twice as many as lie on a table, as each takes some ten kilobytes."""
Of = TypeVar("Of")
What = TypeVar("What")


class Kept(Generic[Of, What]):
    """What was worked out of objects, by their identity, with which they are kept; of so many, then all anew."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[int, tuple[Of, What]] = {}

    def of(self, one: Of, work_out: Callable[[], What]) -> What:
        """What was worked out of this one, or is now."""
        held = self._held.get(id(one))
        if held is None:
            if len(self._held) >= self._most:
                self._held.clear()
            held = self._held[id(one)] = one, work_out()
        return held[1]
