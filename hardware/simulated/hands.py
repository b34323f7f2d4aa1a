"""Hands and arms as a camera above sees them, drawn from capsules with their own shading."""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.artwork import Artwork, Colour

_Floats = NDArray[np.float32]
_PX_PER_MM = 2.0
_HALF_WIDTH_MM = 100.0
_ABOVE_MM = 14.0
_ARM_MM = 960.0
_CUFF_MM = -292.0
_HAND_MM = 130.0

_SKINS: tuple[Colour, ...] = (
    (150, 180, 226), (92, 128, 186), (48, 76, 124), (122, 158, 210), (36, 54, 92), (164, 192, 234),
)  # fmt: skip
_SLEEVES: tuple[Colour, ...] = (
    (120, 72, 40),
    (58, 58, 150),
    (88, 110, 66),
    (70, 66, 64),
    (196, 190, 184),
    (110, 60, 110),
)


@dataclass(frozen=True, slots=True)
class _Capsule:
    """A bone with its flesh: two ends, the radius at each, the height of its axis."""

    start: tuple[float, float]
    end: tuple[float, float]
    start_mm: float
    end_mm: float
    height_mm: float = 0.0


@lru_cache(maxsize=24)
def draw_hand(seat: int, closed: bool, seed: int) -> Artwork:
    """A seat's hand with its arm: anchor at the middle finger's tip, pointing up, alpha premultiplied."""
    rng = np.random.default_rng((seed, seat))
    skin, sleeve = _SKINS[(seat + seed) % len(_SKINS)], _SLEEVES[(seat * 5 + seed) % len(_SLEEVES)]
    capsules = _hand(closed)
    columns, rows = round(2 * _HALF_WIDTH_MM * _PX_PER_MM), round((_ABOVE_MM + _ARM_MM) * _PX_PER_MM)
    x_mm = (np.arange(columns, dtype=np.float32) + 0.5) / _PX_PER_MM - _HALF_WIDTH_MM
    y_mm = _ABOVE_MM - (np.arange(rows, dtype=np.float32) + 0.5) / _PX_PER_MM
    grid_x, grid_y = np.meshgrid(x_mm.astype(np.float32), y_mm.astype(np.float32))
    bare = _height(grid_x, grid_y, capsules)
    colour = _shade(bare, skin, 0.45)
    colour *= 1 + 0.035 * _blotches(bare.shape, 7.0, rng)[..., None]
    fingers = slice(0, round((_ABOVE_MM + _HAND_MM) * _PX_PER_MM))
    _creases(colour[fingers], grid_x[fingers], grid_y[fingers], capsules, skin)
    alpha = np.clip(bare / 2.0, 0, 1)
    cloth = _height(grid_x, grid_y, [_Capsule((0, _CUFF_MM), (0, -1000), 49.0, 74.0)])
    cloth = np.where(grid_y < _CUFF_MM + 2 * np.sin(grid_x / 9), cloth, 0)
    folds = _blotches(bare.shape, 26.0, rng) * 3.0 + _blotches(bare.shape, 8.0, rng)
    sleeve_colour = _shade(np.where(cloth > 0, cloth + folds, 0).astype(np.float32), sleeve, 0.5)
    hem = (grid_y > _CUFF_MM - 11) & (grid_y < _CUFF_MM - 9.4)
    sleeve_colour[hem] *= 0.72
    covered = np.clip(cloth / 2.0, 0, 1)[..., None]
    colour = colour * (1 - covered) + sleeve_colour * covered
    alpha = np.maximum(alpha, covered[..., 0])
    image = np.dstack([np.clip(colour, 0, 255) * alpha[..., None], 255 * alpha]).astype(np.uint8)
    if (seat + seed) % 2:
        image = np.ascontiguousarray(image[:, ::-1])
    return Artwork(image, _PX_PER_MM, (columns / 2 - 0.5, _ABOVE_MM * _PX_PER_MM - 0.5))


def _hand(closed: bool) -> list[_Capsule]:
    """A right hand palm down, open or with its fingers drawn in."""
    knuckles = ((-23.0, -90.0), (-3.0, -86.0), (16.0, -91.0), (33.0, -102.0))
    tips = ((-31.0, -16.0), (0.0, -7.0), (22.0, -15.0), (46.0, -42.0))
    if closed:
        tips = ((-22.0, -10.0), (0.0, -7.0), (17.0, -13.0), (32.0, -30.0))
    widths = (9.4, 9.8, 9.2, 7.9)
    capsules = []
    for knuckle, tip, width in zip(knuckles, tips, widths, strict=True):
        first, second = _between(knuckle, tip, 0.47), _between(knuckle, tip, 0.76)
        capsules.append(_Capsule(knuckle, first, width * 1.12, width, 6))
        capsules.append(_Capsule(first, second, width * 1.03, width * 0.9, 4))
        capsules.append(_Capsule(second, tip, width * 0.92, width * 0.76, 0))
        capsules.append(_Capsule((knuckle[0] * 0.6 - 1, -168.0), knuckle, 20.0, width * 1.32, 4))
    thumb = ((-28.0, -158.0), (-50.0, -122.0), (-55.0, -92.0), (-49.0, -66.0))
    if closed:
        thumb = ((-28.0, -158.0), (-48.0, -118.0), (-46.0, -84.0), (-36.0, -56.0))
    for (start, end), (wide, narrow) in zip(pairwise(thumb), ((17.0, 13.0), (12.0, 10.0), (10.4, 8.4)), strict=True):
        capsules.append(_Capsule(start, end, wide, narrow, -2))
    capsules.append(_Capsule((-2.0, -150.0), (0.0, -196.0), 30.0, 27.0))
    capsules.append(_Capsule((0.0, -190.0), (0.0, -420.0), 27.5, 42.0))
    return capsules


def _between(start: tuple[float, float], end: tuple[float, float], share: float) -> tuple[float, float]:
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def _height(grid_x: _Floats, grid_y: _Floats, capsules: list[_Capsule]) -> _Floats:
    """How high the flesh stands over the lowest outline; 0 outside."""
    height = np.zeros(grid_x.shape, np.float32)
    for capsule in capsules:
        widest = max(capsule.start_mm, capsule.end_mm) + 1
        top = max(capsule.start[1], capsule.end[1]) + widest
        bottom = min(capsule.start[1], capsule.end[1]) - widest
        rows = slice(
            max(0, round((_ABOVE_MM - top) * _PX_PER_MM)),
            max(0, round((_ABOVE_MM - bottom) * _PX_PER_MM)),
        )
        part = _capsule_height(grid_x[rows], grid_y[rows], capsule)
        height[rows] = np.maximum(height[rows], part)
    return height


def _capsule_height(grid_x: _Floats, grid_y: _Floats, capsule: _Capsule) -> _Floats:
    dx, dy = capsule.end[0] - capsule.start[0], capsule.end[1] - capsule.start[1]
    from_x, from_y = grid_x - capsule.start[0], grid_y - capsule.start[1]
    share = np.clip((from_x * dx + from_y * dy) / (dx * dx + dy * dy), 0, 1)
    radius = capsule.start_mm + share * (capsule.end_mm - capsule.start_mm)
    beside = (from_x - share * dx) ** 2 + (from_y - share * dy) ** 2
    round_part = np.sqrt(np.clip(radius**2 - beside, 0, None))
    return np.where(round_part > 0, round_part + capsule.height_mm * np.minimum(1, round_part / 6), 0).astype(
        np.float32
    )


def _shade(height: _Floats, colour: Colour, depth: float) -> _Floats:
    """Light from above: what leans away is darker, and so is what stands beside something higher."""
    smooth = cv2.GaussianBlur(height, (0, 0), 2.2)
    slope_x = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=_PX_PER_MM / 8)
    slope_y = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=_PX_PER_MM / 8)
    facing = 1.0 / np.sqrt(1.0 + 0.7 * (slope_x**2 + slope_y**2))
    hollow = np.clip((cv2.GaussianBlur(height, (0, 0), 9) - smooth) / 14.0, 0, 0.5)
    level = (1 - depth) + depth * facing + 0.05 * (slope_x + slope_y).clip(-1, 1) - hollow
    aside = 1 - facing
    # Channel by channel: numpy is slow on rows of three.
    planes = [
        (level + np.float32(warm) * aside) * np.float32(part)
        for warm, part in zip((-0.10, -0.03, 0.05), colour, strict=True)
    ]
    return np.asarray(cv2.merge(planes), np.float32)


def _blotches(shape: tuple[int, ...], cell_mm: float, rng: np.random.Generator) -> _Floats:
    cells = (max(2, int(shape[0] / _PX_PER_MM / cell_mm)), max(2, int(shape[1] / _PX_PER_MM / cell_mm)))
    coarse = rng.standard_normal(cells).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), np.float32)


def _creases(colour: _Floats, grid_x: _Floats, grid_y: _Floats, capsules: list[_Capsule], skin: Colour) -> None:
    """Draw knuckle folds and finger nails into the picture."""
    for finger in range(4):
        first, second, last = capsules[4 * finger : 4 * finger + 3]
        for capsule in (first, second):
            _fold(colour, grid_x, grid_y, capsule)
        _nail(colour, grid_x, grid_y, last, skin)
    _nail(colour, grid_x, grid_y, capsules[18], skin)


def _along(grid_x: _Floats, grid_y: _Floats, capsule: _Capsule, back_mm: float) -> tuple[_Floats, _Floats]:
    """Coordinates along and across the capsule, from `back_mm` before its end."""
    length = math.hypot(capsule.end[0] - capsule.start[0], capsule.end[1] - capsule.start[1])
    cos, sin = (capsule.end[0] - capsule.start[0]) / length, (capsule.end[1] - capsule.start[1]) / length
    x_mm, y_mm = grid_x - (capsule.end[0] - back_mm * cos), grid_y - (capsule.end[1] - back_mm * sin)
    return x_mm * cos + y_mm * sin, y_mm * cos - x_mm * sin


def _fold(colour: _Floats, grid_x: _Floats, grid_y: _Floats, capsule: _Capsule) -> None:
    along, across = _along(grid_x, grid_y, capsule, 0.0)
    near = np.exp(-((across / (capsule.end_mm * 0.55)) ** 2)) * np.exp(-((along / 3.4) ** 2))
    colour *= (1 - 0.16 * near * (0.5 + 0.5 * np.cos(along * 2.9 + 0.02 * across**2)))[..., None]


def _nail(colour: _Floats, grid_x: _Floats, grid_y: _Floats, capsule: _Capsule, skin: Colour) -> None:
    along, across = _along(grid_x, grid_y, capsule, -1.5)
    size = capsule.end_mm
    outside = np.square(np.square(along / (size * 0.85))) + np.square(np.square(across / (size * 0.62)))
    weight = np.clip(1.6 * (1 - outside), 0, 1)[..., None] * 0.55
    tint = np.array(skin, np.float32) * 0.75 + np.array((56, 58, 70), np.float32)
    colour += weight * (tint - colour)
