"""The kit's printed pieces as the simulated table shows them."""

from collections.abc import Iterable

import cv2
import numpy as np

from hardware.kit.cutting import Piece
from hardware.kit.drawing import Outline, Placed, Shape, bounds
from hardware.kit.raster import draw_shapes
from hardware.simulated.artwork import Artwork

_SIXTEENTHS = 4


def kit_art(pieces: Iterable[Piece], px_per_mm: float, *, backs: dict[str, str] | None = None) -> dict[str, Artwork]:
    """The faces of pieces, each once. `backs` names the back by the part of a face before its slash."""
    art: dict[str, Artwork] = {}
    for piece in pieces:
        if piece.face not in art:
            art[piece.face] = cut_out(piece.front, piece.outline, px_per_mm)
        back = (backs or {}).get(piece.face.partition("/")[0])
        if back is not None and back not in art and piece.back:
            art[back] = cut_out(piece.back, piece.outline, px_per_mm)
    return art


def cut_out(shapes: tuple[Shape, ...], outline: Outline, px_per_mm: float) -> Artwork:
    """A drawing, cut out along an outline in its own frame (millimetres, y up), which becomes the pose's frame."""
    left, bottom, right, top = bounds(outline)
    drawn = draw_shapes([Placed(shapes, (-left, -bottom))], right - left, top - bottom, px_per_mm)
    height, width = drawn.shape[:2]
    to_px = np.array([[px_per_mm, 0.0], [0.0, -px_per_mm]])
    anchor = (-left * px_per_mm - 0.5, top * px_per_mm - 0.5)
    corners = np.round((np.array(outline) @ to_px + anchor) * 2**_SIXTEENTHS).astype(np.int32)
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [corners], (255,), cv2.LINE_AA, _SIXTEENTHS)
    return Artwork(np.asarray(cv2.merge([drawn, mask]), np.uint8), px_per_mm, anchor)
