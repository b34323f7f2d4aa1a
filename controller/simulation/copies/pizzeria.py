"""Our own copy of Pizzeria: the pieces of the kit."""

from collections.abc import Mapping
from functools import partial

from controller.printing import pizzeria_pieces
from hardware.simulated.artwork import Artwork, Drawings
from hardware.simulated.kit_art import cut_out
from hardware.simulated.slice_art import SLICE_BACK
from hardware.simulated.special_art import SPECIAL_BACK


def art(px_per_mm: float) -> Mapping[str, Artwork]:
    """Every face as it is printed."""
    slices, offers = pizzeria_pieces()
    shapes = {piece.face: (piece.front, piece.outline) for piece in (*slices, *offers)}
    for back, piece in ((SLICE_BACK, slices[0]), (SPECIAL_BACK, offers[0])):
        shapes[back] = (piece.back, piece.outline)
    return Drawings({face: partial(cut_out, *shape, px_per_mm) for face, shape in shapes.items()})
