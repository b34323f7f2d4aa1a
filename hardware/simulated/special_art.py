"""Our own Specials, drawn by program: framed chalkboards with a title, an emblem and a few words."""

import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hardware.simulated.artwork import SPECIAL_HEIGHT_MM, SPECIAL_WIDTH_MM, Artwork, Colour, Picture, Sheet

SPECIAL_BACK = "special/back"


@dataclass(frozen=True, slots=True)
class SpecialArt:
    """What one Special shows."""

    face: str
    title: str
    words: str
    """What it does, in a few words of our own."""
    blue_star: bool


def draw_special(art: SpecialArt, px_per_mm: float) -> Artwork:
    """Draw a Special's front: a framed chalkboard with title, emblem and a few words."""
    sheet = Sheet.for_special(px_per_mm, art.face)
    _draw_board(sheet, (52, 56, 46))
    chalk = _CHALKS[zlib.crc32(art.face.encode()) % len(_CHALKS)]
    lines = _wrap(art.title, 10)
    for number, line in enumerate(lines):
        sheet.text(
            line, 0, 31.5 - 8.6 * number + (1.5 if len(lines) > 2 else 0), 5.6, 50.0, (236, 242, 244), weight=700
        )
    _draw_emblem(sheet, art.face, chalk)
    _write_words(sheet, art.words)
    if art.blue_star:
        sheet.star(20.0, 12.5, 5.4, (214, 122, 40), (250, 220, 190))
    _chalk_dust(sheet)
    return sheet.finish(_board_outline(sheet))


def draw_special_back(px_per_mm: float) -> Artwork:
    """Draw the back that all Specials share."""
    sheet = Sheet.for_special(px_per_mm, SPECIAL_BACK)
    _draw_board(sheet, (66, 44, 40))
    for step in range(-10, 11):
        sheet.line((step * 9.0 - 50, -50), (step * 9.0 + 50, 50), 0.5, (92, 66, 60))
        sheet.line((step * 9.0 + 50, -50), (step * 9.0 - 50, 50), 0.5, (92, 66, 60))
    _frame(sheet)
    sheet.disc(0, 0, 19, (66, 44, 40))
    sheet.ring(0, 0, 19, 1.0, (160, 206, 232))
    sheet.ring(0, 0, 16.6, 0.5, (160, 206, 232))
    sheet.text("Today's", 0, 3.4, 4.4, 28.0, (160, 206, 232), weight=600)
    sheet.text("SPECIAL", 0, -4.4, 4.4, 28.0, (160, 206, 232), weight=800)
    return sheet.finish(_board_outline(sheet))


def _board_outline(sheet: Sheet) -> Picture:
    x_mm, y_mm = SPECIAL_WIDTH_MM / 2, SPECIAL_HEIGHT_MM / 2
    return sheet.filled([(-x_mm, -y_mm), (x_mm, -y_mm), (x_mm, y_mm), (-x_mm, y_mm)])


_CHALKS: tuple[Colour, ...] = (
    (170, 220, 255),
    (180, 240, 190),
    (240, 200, 170),
    (190, 190, 250),
    (140, 235, 245),
    (235, 180, 230),
)
_FRAME: Colour = (52, 92, 140)
_FRAME_LIGHT: Colour = (84, 130, 178)


def _draw_board(sheet: Sheet, colour: Colour) -> None:
    sheet.image[:] = colour
    sheet.blend(np.clip(0.10 * sheet.mottle(14.0) + 0.04 * sheet.mottle(3.0), 0, 1).astype(np.float32), (150, 160, 150))
    _frame(sheet)


def _frame(sheet: Sheet) -> None:
    x_mm, y_mm = sheet.grid()
    inside = np.minimum(SPECIAL_WIDTH_MM / 2 - np.abs(x_mm), SPECIAL_HEIGHT_MM / 2 - np.abs(y_mm))
    sheet.paint(inside < 3.2, _FRAME)
    sheet.paint((inside > 0.7) & (inside < 1.9), _FRAME_LIGHT)
    sheet.paint((inside >= 3.2) & (inside < 3.6), (24, 26, 24))


def _write_words(sheet: Sheet, words: str) -> None:
    """Below the emblem, as large as it fits."""
    for capital_mm, widest in ((2.9, 18), (2.5, 21), (2.2, 24), (1.9, 28)):
        lines = _wrap(words, widest)
        if len(lines) * 1.65 * capital_mm <= 22.0:
            break
    for number, line in enumerate(lines):
        y_mm = -19.5 - 1.65 * capital_mm * number
        sheet.text(line, 0, y_mm, capital_mm, 52.0, (214, 228, 232), weight=500)


def _chalk_dust(sheet: Sheet) -> None:
    dust = np.clip(sheet.mottle(0.5) * 0.05 + 0.02, 0, 0.12)
    x_mm, y_mm = sheet.grid()
    inside = (np.abs(x_mm) < SPECIAL_WIDTH_MM / 2 - 3.4) & (np.abs(y_mm) < SPECIAL_HEIGHT_MM / 2 - 3.4)
    sheet.blend(np.where(inside, dust, 0).astype(np.float32), (210, 214, 210))


def _wrap(words: str, widest: int) -> list[str]:
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > widest:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


Stroke = tuple[tuple[float, float], ...]


def _arc(x: float, y: float, radius: float, start_deg: float = 0, end_deg: float = 360, squash: float = 1.0) -> Stroke:
    turns = np.radians(np.linspace(start_deg, end_deg, 25))
    return tuple((x + radius * math.cos(t), y + radius * squash * math.sin(t)) for t in turns)


def _wedge_strokes(x: float, y: float, size: float) -> tuple[Stroke, ...]:
    return (
        ((x, y - size), (x - 0.5 * size, y + 0.6 * size), (x + 0.5 * size, y + 0.6 * size), (x, y - size)),
        _arc(x, y + 0.6 * size, 0.5 * size, 0, 180, 0.5),
    )


_EMBLEMS: Mapping[str, tuple[Stroke, ...]] = {
    "special/buffet": (
        _arc(0, -0.4, 0.85, 0, 180),
        ((-1, -0.4), (1, -0.4)),
        _arc(0, 0.56, 0.12),
        ((-1, -0.6), (1, -0.6)),
    ),
    "special/combo-craving": (*_wedge_strokes(-0.5, 0, 0.8), *_wedge_strokes(0.5, 0, 0.8)),
    "special/cut-in-line": (
        _arc(-0.6, -0.55, 0.27),
        _arc(-0.6, 0.55, 0.27),
        ((-0.4, -0.4), (0.95, 0.55)),
        ((-0.4, 0.4), (0.95, -0.55)),
    ),
    "special/day-old-pizza": (
        *_wedge_strokes(0, -0.25, 0.7),
        ((-0.5, 0.7), (-0.3, 1)),
        ((0, 0.7), (0, 1)),
        ((0.5, 0.7), (0.3, 1)),
    ),
    "special/dibs": (
        ((-0.9, 0.1), (-0.1, 0.1), (-0.1, 0.4), (0.9, 0), (-0.1, -0.4), (-0.1, -0.1), (-0.9, -0.1), (-0.9, 0.1)),
    ),
    "special/everyone-else-diet": (
        ((-0.95, 0.35), (0.95, 0.35)),
        ((0, 0.35), (0, -0.7)),
        ((-0.5, -0.7), (0.5, -0.7)),
        _arc(-0.7, 0.2, 0.3, 180, 360),
        _arc(0.7, 0.2, 0.3, 180, 360),
    ),
    "special/mystery-slice": (_arc(0, 0.4, 0.42, -60, 190), ((0.2, 0.05), (0, -0.1), (0, -0.4)), _arc(0, -0.75, 0.1)),
    "special/seconds": (_arc(-0.25, 0, 0.6), _arc(0.35, 0, 0.6), _arc(0.35, 0, 0.36)),
    "special/sneak-a-slice": (
        _arc(-0.45, 0, 0.36),
        _arc(0.45, 0, 0.36),
        ((-0.1, 0), (0.1, 0)),
        _arc(-0.45, 0, 0.1),
        _arc(0.45, 0, 0.1),
    ),
    "special/stuffed-crust": (
        _arc(0, 0, 0.9),
        _arc(0, 0, 0.6),
        _arc(0.75, 0, 0.1),
        _arc(-0.75, 0, 0.1),
        _arc(0, 0.75, 0.1),
        _arc(0, -0.75, 0.1),
    ),
    "special/supersize-combos": (
        ((-0.8, -0.6), (-0.8, 0.6)),
        ((-0.3, 0), (0.9, 0)),
        ((0.3, 0.6), (0.3, -0.6)),
        ((-1.05, 0.3), (-0.8, 0.6), (-0.55, 0.3)),
    ),
    "special/tiebreaker": (((-0.9, 0.3), (0.9, 0.3)), ((-0.9, -0.2), (0.9, -0.2)), ((0.5, 0.8), (-0.5, -0.75))),
    "special/you-like-anchovies": (
        _arc(-0.15, 0, 0.75, 0, 360, 0.45),
        ((0.55, 0.1), (1, 0.4), (0.9, 0), (1, -0.4), (0.55, -0.1)),
        _arc(-0.55, 0.08, 0.07),
    ),
    "special/you-love-veggies": (
        _arc(0, 0.25, 0.5, 0, 180),
        _arc(-0.45, 0.2, 0.3, 90, 300),
        _arc(0.45, 0.2, 0.3, -120, 90),
        ((-0.2, 0), (-0.12, -0.85), (0.12, -0.85), (0.2, 0)),
    ),
}


def _draw_emblem(sheet: Sheet, face: str, chalk: Colour) -> None:
    """The face's own emblem; a face of somebody's own gets a flower whose petals come from its id."""
    strokes = _EMBLEMS.get(face)
    if strokes is None:
        petals = 3 + zlib.crc32(face.encode()) % 6
        turns = np.linspace(0, 2 * math.pi, 97)
        strokes = (
            tuple(
                (math.cos(t) * (0.6 + 0.3 * math.sin(petals * t)), math.sin(t) * (0.6 + 0.3 * math.sin(petals * t)))
                for t in turns
            ),
        )
    for stroke in strokes:
        sheet.curve([(11.5 * x, -2.5 + 11.5 * y) for x, y in stroke], 1.25, chalk)
