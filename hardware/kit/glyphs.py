"""The shapes of letters, to be embedded in PDF files: those of OpenCV's own sans-serif font, traced.

Print shops refuse files that leave their letters to the reader's fonts. OpenCV carries a font of its own
(https://docs.opencv.org/5.x, cv::FontFace; Rubik, under the SIL Open Font License, which allows embedding), which
`hardware.kit.raster` writes with, too: what is printed is what the pictures of it show.
"""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from hardware.kit.drawing import Outline
from hardware.kit.lettering import CAPITAL_EMS

EM = 1000
"""Units of a font's size."""
FONT, WEIGHTS = "sans", {False: 400, True: 700}
CAPITAL_SHARE = 0.748
"""How high OpenCV draws a capital, as a share of the size that it is told; measured with 5.0, both weights."""
_DRAWN_PX = 200
"""Letters are drawn at this size of type: OpenCV 5.0 cuts the feet of larger quotation marks and full stops off."""
_LARGER = 5
"""And traced in pictures so much larger, whose edges come from the grey of the smaller ones."""
_ROOM_PX = 60
_OFF_PX = 0.8
"""A traced edge is nowhere farther from the letter's, in pixels of the larger picture."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """A letter in units of which EM are the font's size, from the left end of its base line."""

    advance: float
    """From its beginning to the next letter's."""
    outlines: tuple[Outline, ...]
    """Edges of what is inked, counters among them: filled by the even-odd rule."""


@cache
def glyph(letter: str, *, bold: bool = False) -> Glyph:
    """A letter's shape and width."""
    font, weight = cv2.FontFace(FONT), WEIGHTS[bold]
    width_px = cv2.getTextSize((0, 0), letter, (0, 0), font, _LARGER * _DRAWN_PX, weight)[2] / _LARGER
    picture = np.zeros((2 * _DRAWN_PX, round(width_px) + 2 * _ROOM_PX), np.uint8)
    base_px = round(1.4 * _DRAWN_PX)
    cv2.putText(picture, letter, (_ROOM_PX, base_px), (255,), font, _DRAWN_PX, weight)
    larger = cv2.resize(picture, None, fx=_LARGER, fy=_LARGER, interpolation=cv2.INTER_CUBIC)
    inked = np.asarray(larger > 127, np.uint8)
    edges, _ = cv2.findContours(inked, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    units = CAPITAL_EMS * EM / (CAPITAL_SHARE * _DRAWN_PX)
    return Glyph(
        width_px * units, tuple(_in_units(cv2.approxPolyDP(edge, _OFF_PX, True), base_px, units) for edge in edges)
    )


def advance_ems(text: str, *, bold: bool = False) -> float:
    """How far a line of letters reaches, as a share of the font's size."""
    return sum(glyph(letter, bold=bold).advance for letter in text) / EM


def _in_units(edge: cv2.typing.MatLike, base_px: int, units: float) -> Outline:
    points = ((edge.reshape(-1, 2) + 0.5) / _LARGER - [_ROOM_PX, base_px]) * [units, -units]
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in points)
