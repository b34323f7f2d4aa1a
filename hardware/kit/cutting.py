"""Pieces to be cut out, laid on sheets: fronts on one page, their backs on the next, for printing on both sides."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hardware.kit.drawing import Area, Outline, Placed, Shape, bounds
from hardware.kit.paper import Content, Paper, content_area
from vision.scene import Point

BLEED_MM = 1.0
"""How far a print goes on beyond the cut."""
GAP_MM = 3.0
_CUT = "#8d949c"


@dataclass(frozen=True, slots=True)
class Piece:
    """Something to be cut out, in a frame of its own. The ground of front and back goes on beyond the outline."""

    face: str
    outline: Outline
    front: tuple[Shape, ...]
    back: tuple[Shape, ...] = ()
    """As seen from the back, upright."""


def sheets_of(paper: Paper, title: str, note: str, pieces: Sequence[Piece], *, nested: bool = False) -> list[Content]:
    """Pages with pieces of one size, in order; with backs, each page is followed by the page for its other side.

    `nested` turns every other piece by 180 degrees, so that wedges lie close.

    Raises:
        ValueError: no piece fits on the paper.
    """
    spots = _spots(paper, pieces[0].outline, nested=nested)
    contents = []
    for batch in _batches(pieces, len(spots)):
        shapes: list[Shape] = []
        for piece, (at, turn) in zip(batch, spots, strict=False):
            shapes.append(Placed(piece.front, at, turn, clip=grown(piece.outline, BLEED_MM)))
            shapes.append(Placed((Area((piece.outline,), line=_CUT, width_mm=0.1),), at, turn))
        contents.append(Content(title, note, tuple(shapes), tuple(piece.face for piece in batch)))
        if batch[0].back:
            backs = tuple(
                Placed(piece.back, (paper.width_mm - at[0], at[1]), turn, clip=grown(piece.outline, BLEED_MM))
                for piece, (at, turn) in zip(batch, spots, strict=False)
            )
            about = "The other side of the page before: print on both sides, flipped on the long edge."
            contents.append(Content(f"{title}: backs", about, backs))
    return contents


def grown(outline: Outline, by_mm: float) -> Outline:
    """A convex outline whose corners lie so much farther from its middle."""
    x = sum(point[0] for point in outline) / len(outline)
    y = sum(point[1] for point in outline) / len(outline)
    far = [math.dist(point, (x, y)) for point in outline]
    return tuple(
        (px + (px - x) * by_mm * math.sqrt(2) / d, py + (py - y) * by_mm * math.sqrt(2) / d)
        for (px, py), d in zip(outline, far, strict=True)
    )


def _batches(pieces: Sequence[Piece], size: int) -> list[tuple[Piece, ...]]:
    return [tuple(pieces[start : start + size]) for start in range(0, len(pieces), size)]


def _spots(paper: Paper, outline: Outline, *, nested: bool) -> list[tuple[Point, float]]:
    """Where the pieces' own origins lie, and how they are turned, from the top left."""
    left, bottom, right, top = bounds(outline)
    width, height = right - left, top - bottom
    area = content_area(paper)
    step = width / 2 + GAP_MM if nested else width + GAP_MM
    across = int((area[2] - area[0] - width) // step) + 1
    down = int((area[3] - area[1] + GAP_MM) // (height + GAP_MM))
    if across < 1 or down < 1:
        raise ValueError(f"a piece of {width:.0f} x {height:.0f} mm does not fit on {paper.name}")
    used = (width + step * (across - 1), height * down + GAP_MM * (down - 1))
    start = ((area[0] + area[2] - used[0]) / 2, (area[1] + area[3] + used[1]) / 2)
    spots = []
    for row in range(down):
        for column in range(across):
            turned = nested and column % 2 == 1
            x, y = start[0] + step * column, start[1] - (height + GAP_MM) * row
            at = (x + right, y + bottom) if turned else (x - left, y - top)
            spots.append((at, 180.0 if turned else 0.0))
    return spots
