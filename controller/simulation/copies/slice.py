"""Our own copy of SLICE: the cards of the kit."""

from collections.abc import Mapping
from functools import partial

from controller.printing import slice_pieces
from hardware.simulated.artwork import Artwork, Drawings
from hardware.simulated.kit_art import cut_out
from vision.pieces.faces import BACKS
from vision.scene import PieceKind


def art(px_per_mm: float) -> Mapping[str, Artwork]:
    """Every face as it is printed."""
    orders, slices = slice_pieces()
    shapes = {piece.face: (piece.front, piece.outline) for piece in (*slices, *orders)}
    for kind, piece in ((PieceKind.SLICE_CARD, slices[0]), (PieceKind.ORDER_CARD, orders[0])):
        shapes[BACKS[kind]] = (piece.back, piece.outline)
    return Drawings({face: partial(cut_out, *shape, px_per_mm) for face, shape in shapes.items()})
