"""Which finders look for which kinds of piece."""

from collections.abc import Callable, Collection, Mapping

from vision.board.finder import board_finder
from vision.faces import FacePack, FacePackError
from vision.finders import Finder
from vision.scene import PieceKind

MakeFinder = Callable[[FacePack], Finder]
"""Makes a finder that may use what was enrolled."""


def _board_finder(pack: FacePack) -> Finder:
    if pack.board is None:
        raise FacePackError("the file of faces has no board; enrol it from a photo in which it is labelled")
    return board_finder(pack.board)


FINDERS: Mapping[PieceKind, MakeFinder] = {PieceKind.BOARD: _board_finder}
"""Those for the kinds that are not told by an enrolled face alone, in the order in which they look."""


def finders_for(kinds: Collection[PieceKind], pack: FacePack) -> tuple[Finder, ...]:
    """The finders that these kinds need.

    Raises:
        FacePackError: one of them needs something that was not enrolled.
    """
    return tuple(make(pack) for kind, make in FINDERS.items() if kind in kinds)
