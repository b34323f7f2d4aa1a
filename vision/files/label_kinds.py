"""What labels call the kinds of piece, and the error of labels that do not say what is needed.

Apart from `vision.files.labels`, which checks them: reading a picture needs no labels, nor the time that pydantic
takes to load.
"""

from collections.abc import Mapping

from vision.mat.errors import VisionError
from vision.scene import PieceKind

LABEL_KINDS: Mapping[str, PieceKind] = {
    "tile": PieceKind.SLICE,
    "special": PieceKind.SPECIAL,
    "slice-card": PieceKind.SLICE_CARD,
    "order-card": PieceKind.ORDER_CARD,
}
"""Those that have faces to be learned."""
TRUE_KINDS: Mapping[str, PieceKind] = {
    **LABEL_KINDS,
    "board": PieceKind.BOARD,
    "topping": PieceKind.TOPPING,
    "cutter": PieceKind.CUTTER,
    "die": PieceKind.DIE,
    "sheet": PieceKind.SHEET,
}
"""Those that vision can find."""
EVERY_KIND = (*TRUE_KINDS, "hand", "pencil")
"""Anything that may lie in a labelled photo."""


def with_article(kind: PieceKind) -> str:
    """A kind as a sentence has it: "a slice", "an order card"."""
    return f"{'an' if kind.words[0] in 'aeiou' else 'a'} {kind.words}"


class LabelError(VisionError, ValueError):
    """Labels do not say what is needed; names the file or photo, the place in it, the value and what was expected."""
