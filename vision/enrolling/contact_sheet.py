"""Pieces of a photo side by side, each turned upright: for naming them, and for looking at what was enrolled."""

from collections.abc import Sequence, Set

import cv2
import numpy as np

from vision.enrolling.laid_out import LaidOut
from vision.frame import Image
from vision.mat.registration import Registration
from vision.reports.drawing import DOUBTFUL_LINE, draw_line
from vision.scene import PieceKind
from vision.shapes import place

TILE_PX = (150, 190)
"""Width and height of a piece's tile, its line of text included."""
TEXT_PX = 22
COLUMNS = 8
MARGIN_MM = 3.0
FONT = cv2.FONT_HERSHEY_SIMPLEX
OUTLINE = (60, 60, 235)
NUMBER_SHARE = 850
"""A number's size by the photo's width: a digit is a fiftieth of that high, which is read on a phone, too."""
INK = (40, 40, 40)


def upright(image: Image, registration: Registration, piece: LaidOut) -> Image:
    """A piece alone with its top upwards (a slice: its crust), TILE_PX less the text."""
    width, height = TILE_PX[0] - 10, TILE_PX[1] - TEXT_PX - 10
    own = piece.shape.outline
    low, high = own.min(axis=0) - MARGIN_MM, own.max(axis=0) + MARGIN_MM
    scale = min(width / (high[1] - low[1]), height / (high[0] - low[0]))
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float64)
    along = (low[0] + high[0]) / 2 + (height / 2 - rows) / scale
    across = (low[1] + high[1]) / 2 - (columns - width / 2) / scale
    points = np.stack([along, across], axis=-1).reshape(-1, 2)
    pixels = registration.to_picture(place(points, piece.seen_pose)).reshape(height, width, 2).astype(np.float32)
    return np.asarray(cv2.remap(image, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR), np.uint8)


def contact_sheet(tiles: Sequence[tuple[Image, str]]) -> Image:
    """Tiles of `upright` with a line of text below each."""
    width, height = TILE_PX
    rows = max(1, -(-len(tiles) // COLUMNS))
    sheet = np.full((rows * height, COLUMNS * width, 3), 255, np.uint8)
    for number, (tile, text) in enumerate(tiles):
        left, top = number % COLUMNS * width + 5, number // COLUMNS * height + 5
        sheet[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
        cv2.putText(sheet, text[:20], (left, top + height - 14), FONT, 0.42, INK, 1, cv2.LINE_AA)
    return sheet


def numbered(
    image: Image,
    registration: Registration,
    pieces: Sequence[LaidOut],
    doubtful: Sequence[LaidOut] = (),
    tops: Set[PieceKind] = frozenset(),
) -> Image:
    """A copy of the photo with every piece's outline and its number, from 1, and after them what may be one in broken
    lines; cards of the kinds `tops` with a thick side where their top is taken to be."""
    drawn, thin = image.copy(), max(1, image.shape[1] // 900)
    for number, piece in enumerate((*pieces, *doubtful), 1):
        outline = np.round(piece.outline_px(registration)).astype(np.int32)
        if number > len(pieces):
            draw_line(drawn, outline, DOUBTFUL_LINE, 2 * thin)
        else:
            cv2.polylines(drawn, [outline], True, OUTLINE, thin, cv2.LINE_AA)
        if piece.shape.kind in tops:
            cv2.polylines(drawn, [outline[1:3]], False, OUTLINE, 4 * thin, cv2.LINE_AA)
        said = f"{number}?" if number > len(pieces) else str(number)
        size = image.shape[1] / NUMBER_SHARE
        stroke = max(1, round(2 * size))
        (width, height), _ = cv2.getTextSize(said, FONT, size, stroke)
        middle = outline.mean(axis=0)
        corner = (int(middle[0] - width / 2), int(middle[1] + height / 2))
        for colour, thick in (((0, 0, 0), 3 * stroke), ((255, 255, 255), stroke)):
            cv2.putText(drawn, said, corner, FONT, size, colour, thick, cv2.LINE_AA)
    return drawn
