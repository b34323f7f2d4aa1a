"""Which finders look for which kinds of piece."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from vision.board.finder import board_finder
from vision.dice.finder import DiceFinder
from vision.finders import Finder
from vision.pieces.faces import FacePack, FacePackError
from vision.scene import PieceKind
from vision.sheets.finder import SheetFinder
from vision.sheets.layout import SheetLayout

BLANK_SHEETS = "blank-sheets"
MakeFinder = Callable[[FacePack, Sequence[SheetLayout], Path | None], Finder]
"""Makes a finder that may use what was enrolled, the prints of score sheets, and the folder for what it remembers."""


def _board_finder(pack: FacePack, *_: object) -> Finder:
    if pack.board is None:
        raise FacePackError("the file of faces has no board; enrol it from a photo in which it is labelled")
    return board_finder(pack.board)


def _sheet_finder(_: FacePack, prints: Sequence[SheetLayout], keep_in: Path | None) -> Finder:
    if not prints:
        raise FacePackError("score sheets are told by their print, and none is given")
    return SheetFinder(prints, keep_in and keep_in / BLANK_SHEETS)


def _dice_finder(*_: object) -> Finder:
    return DiceFinder()


FINDERS: Mapping[PieceKind, MakeFinder] = {
    PieceKind.BOARD: _board_finder,
    PieceKind.SHEET: _sheet_finder,
    PieceKind.DIE: _dice_finder,
}
"""Those for the kinds that are not told by an enrolled face alone, in the order in which they look."""


def finders_for(
    kinds: Collection[PieceKind], pack: FacePack, prints: Sequence[SheetLayout] = (), keep_in: Path | None = None
) -> tuple[Finder, ...]:
    """The finders that these kinds need; `prints` are those of the score sheets that may lie on the table, `keep_in` is
    a folder for what they remember across restarts.

    Raises:
        FacePackError: one of them needs something that was not enrolled, or a print.
    """
    return tuple(make(pack, prints, keep_in) for kind, make in FINDERS.items() if kind in kinds)
