"""Which finders look for which kinds of piece."""

from collections.abc import Callable, Collection, Mapping

from vision.faces import FacePack
from vision.finders import Finder
from vision.scene import PieceKind

MakeFinder = Callable[[FacePack], Finder]
"""Makes a finder that may use what was enrolled."""

FINDERS: Mapping[PieceKind, MakeFinder] = {}
"""Those for the kinds that are not told by an enrolled face alone, in the order in which they look."""


def finders_for(kinds: Collection[PieceKind], pack: FacePack) -> tuple[Finder, ...]:
    """The finders that these kinds need."""
    return tuple(make(pack) for kind, make in FINDERS.items() if kind in kinds)
