"""What finds pieces that are told by their form and not by an enrolled face: dice, cutters, sheets, ..."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.registration import Registration
from vision.scene import Sighting

Changed = Callable[[NDArray[np.float64]], NDArray[np.bool_]]
"""Which table points (n x 2, where they seem to lie at z = 0) may look otherwise than in an earlier picture."""
Moves = Callable[[Sighting], bool]
"""Whether something moves where a piece was seen: whatever is said of it now, it is taken as it was."""


def nothing_moves(_: Sighting) -> bool:
    """Where nothing does."""
    return False


def nowhere(points_mm: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where nothing changed."""
    return np.zeros(len(points_mm), bool)


class Finder(Protocol):
    """Finds pieces of some kinds in a picture that is laid over the table. Between pictures it remembers nothing but
    how pieces looked, also before somebody wrote on them, and where those lay that are not seen any more."""

    @property
    def name(self) -> str:
        """The stage under which its milliseconds are counted."""
        ...

    def find(self, image: Image, registration: Registration, seen: Sequence[Sighting]) -> Sequence[Sighting]:
        """What it finds. `seen` is what was found in this picture before."""
        ...


@runtime_checkable
class FindsAgain(Finder, Protocol):
    """A finder that need not look at all of a picture in which little changed."""

    def find_again(
        self,
        image: Image,
        registration: Registration,
        seen: Sequence[Sighting],
        before: Sequence[Sighting],
        changed: Changed,
        moves: Moves = nothing_moves,
        written: Changed = nowhere,
    ) -> Sequence[Sighting]:
        """What `find` gives, the cheaper way: `before` is what it found in an earlier picture, with the same
        registration; what nothing changed are the very sightings of then. Where something `moves` nothing need be
        found: what comes to rest there has changed. Where something may have been `written`, nothing came nor went
        that is larger than a pencil's mark."""
        ...


@runtime_checkable
class TellsHeld(Finder, Protocol):
    """A finder of pieces that people hold in their hands before they lie."""

    def in_hand(self, image: Image, registration: Registration, found: Sequence[Sighting]) -> Sequence[float]:
        """How likely each of the pieces that it found is in somebody's hand, 0 to 1."""
        ...
