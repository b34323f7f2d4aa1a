"""Which finders look for which kinds of piece."""

from collections.abc import Callable, Collection, Mapping, Sequence

from vision.board.finder import board_finder
from vision.dice.finder import DiceFinder
from vision.faces import FacePack, FacePackError
from vision.finders import Finder
from vision.scene import PieceKind
from vision.sheets.finder import SheetFinder
from vision.sheets.layout import SheetLayout

MakeFinder = Callable[[FacePack, Sequence[SheetLayout]], Finder]
"""Makes a finder that may use what was enrolled, and the prints of score sheets."""


def _board_finder(pack: FacePack, _: Sequence[SheetLayout]) -> Finder:
    if pack.board is None:
        raise FacePackError("the file of faces has no board; enrol it from a photo in which it is labelled")
    return board_finder(pack.board)


def _sheet_finder(_: FacePack, prints: Sequence[SheetLayout]) -> Finder:
    if not prints:
        raise FacePackError("score sheets are told by their print, and none is given")
    return SheetFinder(prints)


def _dice_finder(_: FacePack, __: Sequence[SheetLayout]) -> Finder:
    return DiceFinder()


FINDERS: Mapping[PieceKind, MakeFinder] = {
    PieceKind.BOARD: _board_finder,
    PieceKind.SHEET: _sheet_finder,
    PieceKind.DIE: _dice_finder,
}
"""Those for the kinds that are not told by an enrolled face alone, in the order in which they look."""


def finders_for(kinds: Collection[PieceKind], pack: FacePack, prints: Sequence[SheetLayout] = ()) -> tuple[Finder, ...]:
    """The finders that these kinds need; `prints` are those of the score sheets that may lie on the table.

    Raises:
        FacePackError: one of them needs something that was not enrolled, or a print.
    """
    return tuple(make(pack, prints) for kind, make in FINDERS.items() if kind in kinds)
