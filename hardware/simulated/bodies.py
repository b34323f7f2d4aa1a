"""What pieces are besides their faces: outlines and thicknesses, as the copies that we print have them."""

import math
from collections.abc import Mapping

from hardware.kit.cards import ORDER_CARD_MM, SLICE_CARD_MM, circle_outline
from hardware.kit.drawing import centred_box
from hardware.kit.theory import BOARD_MM, CUTTER_MM, SLEEVE_MM, TOPPING_MM
from hardware.simulated.artwork import SLICE_ANGLE_DEG, SLICE_LENGTH_MM, SPECIAL_HEIGHT_MM, SPECIAL_WIDTH_MM
from vision.scene import PieceKind, Point

Outline = tuple[Point, ...]

TILE_MM = 2.0
"""Slices and Specials are glued on board."""
SHEET_MM = (210.0, 148.0)
"""Score sheets, an A5 page across."""
FOLDED_DIE_MM = 20.0
"""Edge of the dice that are folded from the kit's nets."""
_WEDGE: Outline = (
    (0.0, 0.0),
    *(
        (SLICE_LENGTH_MM * math.cos(turn), SLICE_LENGTH_MM * math.sin(turn))
        for turn in (math.radians(SLICE_ANGLE_DEG * (k / 8 - 0.5)) for k in range(9))
    ),
)
_BODIES: Mapping[PieceKind, tuple[Outline, float]] = {
    PieceKind.SLICE: (_WEDGE, TILE_MM),
    PieceKind.SPECIAL: (tuple(centred_box(SPECIAL_HEIGHT_MM, SPECIAL_WIDTH_MM)), TILE_MM),
    PieceKind.SLICE_CARD: (tuple(centred_box(SLICE_CARD_MM[1], SLICE_CARD_MM[0])), 0.35),
    PieceKind.ORDER_CARD: (tuple(centred_box(ORDER_CARD_MM, ORDER_CARD_MM)), 0.35),
    PieceKind.BOARD: (tuple(circle_outline(BOARD_MM)), 2.0),
    PieceKind.TOPPING: (tuple(circle_outline(TOPPING_MM)), 3.0),
    PieceKind.CUTTER: (tuple(centred_box(CUTTER_MM, SLEEVE_MM)), SLEEVE_MM),
    PieceKind.SHEET: (tuple(centred_box(SHEET_MM[1], SHEET_MM[0])), 0.1),
    PieceKind.DIE: (tuple(centred_box(FOLDED_DIE_MM, FOLDED_DIE_MM)), FOLDED_DIE_MM),
}


def piece_outline(kind: PieceKind) -> Outline:
    """A piece's outline in its own frame (x along the pose's angle), counter-clockwise, millimetres.

    Raises:
        ValueError: there are no simulated pieces of this kind.
    """
    return _body(kind)[0]


def thickness_mm(kind: PieceKind) -> float:
    """How far a piece's face is above what it lies on.

    Raises:
        ValueError: there are no simulated pieces of this kind.
    """
    return _body(kind)[1]


def _body(kind: PieceKind) -> tuple[Outline, float]:
    try:
        return _BODIES[kind]
    except KeyError:
        known = ", ".join(sorted(known.value for known in _BODIES))
        raise ValueError(f"{kind.value}: there are no simulated pieces of this kind; there are {known}") from None
