"""Pages as pictures: to look at on a screen, and for programs that must see what a print shows."""

import math
from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.kit.drawing import Anchor, Area, Bitmap, Disc, Ink, Page, Picture, Placed, Shape, Stroke, Words, box
from hardware.kit.glyphs import CAPITAL_SHARE, FONT, WEIGHTS
from hardware.kit.lettering import width_mm
from vision.scene import Point

Matrix = NDArray[np.float64]
"""2 x 3: millimetres to pixels, whole numbers being pixel centres."""
_SUPERSAMPLING = 2
_SIXTEENTHS = 4


def draw_page(page: Page, px_per_mm: float) -> Picture:
    """The page on white paper, its lower edge at the picture's lower edge."""
    return draw_shapes(page.shapes, page.width_mm, page.height_mm, px_per_mm)


def draw_shapes(shapes: Iterable[Shape], width_mm: float, height_mm: float, px_per_mm: float) -> Picture:
    """What lies from the origin to (width, height), on white. Letters are OpenCV's, as wide as the print's."""
    scale = px_per_mm * _SUPERSAMPLING
    width, height = (round(side * px_per_mm) * _SUPERSAMPLING for side in (width_mm, height_mm))
    image = np.full((height, width, 3), 255, np.uint8)
    _draw(image, shapes, np.array([[scale, 0.0, -0.5], [0.0, -scale, height - 0.5]]))
    size = (width // _SUPERSAMPLING, height // _SUPERSAMPLING)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _draw(image: Picture, shapes: Iterable[Shape], to_px: Matrix) -> None:
    scale = math.hypot(to_px[0, 0], to_px[0, 1])
    for shape in shapes:
        match shape:
            case Area():
                outlines = [_px(outline, to_px) for outline in shape.outlines]
                if shape.fill is not None:
                    cv2.fillPoly(image, outlines, _bgr(shape.fill), cv2.LINE_AA, _SIXTEENTHS)
                if shape.line is not None:
                    width = _pen(shape.width_mm, scale)
                    cv2.polylines(image, outlines, True, _bgr(shape.line), width, cv2.LINE_AA, _SIXTEENTHS)
            case Disc():
                _disc(image, shape, to_px, scale)
            case Stroke():
                points, width = [_px(shape.points, to_px)], _pen(shape.width_mm, scale)
                cv2.polylines(image, points, False, _bgr(shape.ink), width, cv2.LINE_AA, _SIXTEENTHS)
            case Words():
                _write(image, shape, to_px, scale)
            case Bitmap():
                _lay(image, shape, to_px)
            case Placed():
                _place(image, shape, to_px)


def _place(image: Picture, placed: Placed, to_px: Matrix) -> None:
    turn = math.radians(placed.turn_deg)
    c, s = placed.scale * math.cos(turn), placed.scale * math.sin(turn)
    inner = to_px @ np.array([[c, -s, placed.at[0]], [s, c, placed.at[1]], [0.0, 0.0, 1.0]])
    if placed.clip is None:
        _draw(image, placed.shapes, inner)
        return
    window, into = _window(inner, placed.clip)
    part = image[window]
    if part.size == 0:
        return
    layer = part.copy()
    _draw(layer, placed.shapes, into)
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(mask, [_px(placed.clip, into)], (255,), cv2.LINE_8, _SIXTEENTHS)
    part[mask > 0] = layer[mask > 0]


def _window(to_px: Matrix, outline: Iterable[Point]) -> tuple[tuple[slice, slice], Matrix]:
    """The part of the picture around an outline, and the way into that part."""
    corners = np.array([(*point, 1.0) for point in outline]) @ to_px.T
    low = np.maximum(np.floor(corners.min(0)).astype(int) - 2, 0)
    high = np.maximum(np.ceil(corners.max(0)).astype(int) + 3, low)
    return (slice(low[1], high[1]), slice(low[0], high[0])), to_px - np.array([[0, 0, low[0]], [0, 0, low[1]]])


def _disc(image: Picture, disc: Disc, to_px: Matrix, scale: float) -> None:
    column, row = (int(part) for part in _px((disc.at,), to_px)[0])
    radius = round(disc.radius_mm * scale * 2**_SIXTEENTHS)
    if disc.fill is not None:
        cv2.circle(image, (column, row), radius, _bgr(disc.fill), -1, cv2.LINE_AA, _SIXTEENTHS)
    if disc.line is not None:
        pen = _pen(disc.width_mm, scale)
        cv2.circle(image, (column, row), radius, _bgr(disc.line), pen, cv2.LINE_AA, _SIXTEENTHS)


def _write(image: Picture, words: Words, to_px: Matrix, scale: float) -> None:
    """Written upright and large, then laid where the print has it."""
    font, size, pad = cv2.FontFace(FONT), 60, 24
    weight = WEIGHTS[words.bold]
    size_px = cv2.getTextSize((0, 0), words.text, (0, 0), font, size, weight)
    mask = np.zeros((size * 2, size_px[2] + 2 * pad), np.uint8)
    base = size + size // 4
    cv2.putText(mask, words.text, (pad, base), (255,), font, size, weight)
    wide = width_mm(words.text, words.capital_mm, bold=words.bold)
    across, up = wide / max(1, size_px[2]), words.capital_mm / (CAPITAL_SHARE * size)
    start = {Anchor.START: 0.0, Anchor.MIDDLE: 0.5, Anchor.END: 1.0}[words.anchor] * wide
    turn = math.radians(words.turn_deg)
    c, s = math.cos(turn), math.sin(turn)
    frame = np.array([[c, -s, words.at[0] - start * c], [s, c, words.at[1] - start * s], [0.0, 0.0, 1.0]])
    letters = np.array([[across, 0.0, -pad * across], [0.0, -up, base * up], [0.0, 0.0, 1.0]])
    whole = to_px @ frame @ letters
    window, into = _window(whole, box(0.0, 0.0, mask.shape[1], mask.shape[0]))
    part = image[window]
    if part.size == 0:
        return
    shown = cv2.warpAffine(_shrunk(mask, up * scale), into, part.shape[1::-1])
    weights = shown[..., None].astype(np.float32) / 255.0
    mixed = part + weights * (np.array(_bgr(words.ink), np.float32) - part)
    part[:] = np.round(mixed).astype(np.uint8)


def _shrunk(mask: Picture, scale: float) -> Picture:
    """Blurred as far as it will be scaled down."""
    return mask if scale >= 1.0 else np.asarray(cv2.GaussianBlur(mask, (0, 0), 0.4 / scale), np.uint8)


def _lay(image: Picture, bitmap: Bitmap, to_px: Matrix) -> None:
    rows, columns = bitmap.image.shape[:2]
    across, up = bitmap.width_mm / columns, bitmap.height_mm / rows
    frame = np.array(
        [
            [across, 0.0, bitmap.at[0] + across / 2],
            [0.0, -up, bitmap.at[1] + bitmap.height_mm - up / 2],
            [0.0, 0.0, 1.0],
        ]
    )
    window, where = _window(to_px @ frame, box(-0.5, -0.5, columns - 0.5, rows - 0.5))
    part = image[window]
    if part.size == 0:
        return
    shrink = math.hypot(where[0, 0], where[1, 0])
    source = bitmap.image if shrink >= 1.0 else cv2.GaussianBlur(bitmap.image, (0, 0), 0.4 / shrink)
    layer = cv2.warpAffine(source, where, part.shape[1::-1], flags=cv2.INTER_LINEAR)
    covered = np.full((rows, columns), 255, np.uint8)
    covered = np.asarray(cv2.warpAffine(covered, where, part.shape[1::-1], flags=cv2.INTER_NEAREST), np.uint8)
    part[covered > 0] = layer[covered > 0]


def _px(points: Iterable[Point], to_px: Matrix) -> NDArray[np.int32]:
    """In sixteenths of a pixel, as OpenCV takes them."""
    flat = np.array([(*point, 1.0) for point in points]) @ to_px.T
    return np.asarray(np.round(flat * 2**_SIXTEENTHS), np.int32)


def _pen(width_mm_: float, scale: float) -> int:
    return max(1, round(width_mm_ * scale))


def _bgr(ink: Ink) -> tuple[int, int, int]:
    red, green, blue = (int(ink[place : place + 2], 16) for place in (1, 3, 5))
    return blue, green, red
