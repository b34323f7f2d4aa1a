"""The table top, the printed mat, the light: everything a picture shows that is no piece and no hand."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.lens import CameraModel, looking_down
from vision.scene import Point

Picture = NDArray[np.uint8]
_Floats = NDArray[np.float32]
_Doubles = NDArray[np.float64]
Colour = tuple[int, int, int]

MAT_MM = 400.0
MARKER_OUTER_MM = 190.0
MARKER_MM = 36.0
CORNER_MM = 48.0
"""Side of the white card of a loose corner."""
BY_HAND_MM, BY_HAND_DEG = 3.0, 2.0
TABLE_WIDTH_MM = 1500.0
TABLE_HEIGHT_MM = 900.0
_BAND_PX = 2**15


class Surface(Enum):
    """What the table is made of."""

    OAK = "oak"
    WALNUT = "walnut"
    CHECKED_CLOTH = "checked-cloth"
    LINEN = "linen"
    PLAIN = "plain"
    STONE = "stone"


class MatStyle(Enum):
    """The colours the mat is printed in."""

    CREAM = "cream"
    SLATE = "slate"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Conditions:
    """Where and in which light the camera looks."""

    surface: Surface = Surface.OAK
    mat: MatStyle = MatStyle.CREAM
    light: float = 1.0
    """Overall exposure; 1 shows a white sheet nearly white."""
    gradient: float = 0.1
    """How much brighter the lamp's end of the table is than the middle, and how much darker the other."""
    lamp_deg: float = 120.0
    """Direction on the table from which the light comes."""
    kelvin: float = 5000.0
    """Colour temperature of what the white balance left: 5000 is neutral, less is warmer."""
    vignette: float = 0.12
    noise: float = 2.0
    """Standard deviation in grey levels."""
    blur_px: float = 0.6
    """Standard deviation of the focus blur in a picture 1280 wide."""
    exposure_s: float = 0.012
    """Smears what moves."""
    shadow: float = 0.35
    """How dark a shadow's middle is."""
    glare: float = 0.0
    """Strength of a lamp's reflection on the table."""
    tilt_deg: float = 4.0
    pan_deg: float = 0.0
    roll_deg: float = 0.0
    offset_mm: Point = (0.0, 0.0)
    height_mm: float = 900.0
    k1: float = -0.05
    k2: float = 0.01
    corners: tuple[tuple[float, float, float], ...] = ()
    """How far each corner marker, by its number, lies from its place: mm to the right, mm up, degrees. Empty: all are
    printed on the mat."""
    seed: int = 0
    """Decides grain, noise and skin."""

    @staticmethod
    def random(rng: Random) -> "Conditions":
        """Conditions as a living room, a shop or a convention hall may have them."""
        return Conditions(
            surface=rng.choice(list(Surface)),
            mat=rng.choice(list(MatStyle)),
            light=rng.uniform(0.82, 1.12),
            gradient=rng.uniform(0.0, 0.25),
            lamp_deg=rng.uniform(0, 360),
            kelvin=rng.uniform(3900, 6300),
            vignette=rng.uniform(0.02, 0.22),
            noise=rng.uniform(1.0, 3.5),
            blur_px=rng.uniform(0.45, 0.85),
            exposure_s=rng.uniform(0.006, 0.02),
            shadow=rng.uniform(0.2, 0.5),
            glare=rng.choice([0.0, 0.0, rng.uniform(0.1, 0.4)]),
            tilt_deg=rng.uniform(-3, 7),
            pan_deg=rng.uniform(-3, 3),
            roll_deg=rng.uniform(-2.5, 2.5),
            offset_mm=(rng.uniform(-10, 10), rng.uniform(-8, 8)),
            height_mm=rng.uniform(870, 950),
            k1=rng.uniform(-0.09, 0.03),
            k2=rng.uniform(-0.01, 0.02),
            seed=rng.randrange(2**31),
        )

    def with_corners_by_hand(self, rng: Random) -> "Conditions":
        """The same with loose corners that somebody laid by hand, BY_HAND_MM and BY_HAND_DEG (one deviation) beside
        their places."""
        laid = [(rng.gauss(0, BY_HAND_MM), rng.gauss(0, BY_HAND_MM), rng.gauss(0, BY_HAND_DEG)) for _ in range(4)]
        return replace(self, corners=tuple(laid))

    def camera_model(self, width: int, height: int) -> CameraModel:
        """The camera that these conditions describe."""
        return looking_down(
            width,
            height,
            height_mm=self.height_mm,
            tilt_deg=self.tilt_deg,
            pan_deg=self.pan_deg,
            roll_deg=self.roll_deg,
            offset_mm=self.offset_mm,
            k1=self.k1,
            k2=self.k2,
        )


def draw_surface(surface: Surface, px_per_mm: float, seed: int) -> Picture:
    """Draw the table top, TABLE_WIDTH_MM by TABLE_HEIGHT_MM, as a camera far above would see it."""
    rng = np.random.default_rng(seed)
    size = (round(TABLE_HEIGHT_MM * px_per_mm), round(TABLE_WIDTH_MM * px_per_mm))
    match surface:
        case Surface.OAK:
            return _wood(size, px_per_mm, rng, (70, 122, 172), (44, 84, 128), plank_mm=110)
        case Surface.WALNUT:
            return _wood(size, px_per_mm, rng, (42, 66, 98), (24, 38, 60), plank_mm=150)
        case Surface.CHECKED_CLOTH:
            return _checked(size, px_per_mm, rng, (200, 214, 222), (52, 44, 176))
        case Surface.LINEN:
            return _shade((150, 158, 156), _woven(size, px_per_mm, rng))
        case Surface.PLAIN:
            return _mottled(size, px_per_mm, rng, (206, 208, 204), 2.0)
        case Surface.STONE:
            return _mottled(size, px_per_mm, rng, (92, 90, 88), 11.0)


def draw_mat(style: MatStyle, px_per_mm: int, seed: int, laid: Sequence[tuple[float, float, float]] = ()) -> Picture:
    """Draw the mat, MAT_MM square: a ring to lay the pizza in, hairlines, and the four corner markers.

    Marker corners lie at 154 and 190 mm from the centre, on whole pixels if `px_per_mm` is even. Loose corners are
    cards that are `laid` on it, as `Conditions.corners` says.
    """
    paper, ink, faint = _MAT_COLOURS[style]
    rng = np.random.default_rng(seed)
    side = round(MAT_MM * px_per_mm)
    image = _mottled((side, side), px_per_mm, rng, paper, 1.6)
    _print_mat(image, px_per_mm, ink, faint)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    inner = MARKER_OUTER_MM - MARKER_MM
    corners = (
        (-MARKER_OUTER_MM, MARKER_OUTER_MM),
        (inner, MARKER_OUTER_MM),
        (inner, -inner),
        (-MARKER_OUTER_MM, -inner),
    )
    for number, (left, top) in enumerate(corners):
        marker = cv2.aruco.generateImageMarker(dictionary, number, round(MARKER_MM * px_per_mm))
        if laid:
            right, up, turn_deg = laid[number]
            middle = MAT_MM / 2 + left + MARKER_MM / 2 + right, MAT_MM / 2 - top + MARKER_MM / 2 - up
            _lay_corner(image, np.asarray(marker, np.uint8), np.array(middle) * px_per_mm - 0.5, turn_deg)
            continue
        column, row = round((MAT_MM / 2 + left) * px_per_mm), round((MAT_MM / 2 - top) * px_per_mm)
        quiet, length = round(4 * px_per_mm), marker.shape[0]
        image[row - quiet : row + length + quiet, column - quiet : column + length + quiet] = (236, 238, 240)
        image[row : row + length, column : column + length] = np.clip(marker, 22, 236)[..., None]
    return image


def _lay_corner(image: Picture, marker: Picture, middle_px: _Doubles, turn_deg: float) -> None:
    """Draw a white card with a marker, turned to the left about its middle."""
    edge = round(marker.shape[0] * (CORNER_MM / MARKER_MM - 1.0) / 2)
    card = np.full((marker.shape[0] + 2 * edge,) * 2, 238, np.uint8)
    card[edge:-edge, edge:-edge] = np.clip(marker, 22, 236)
    turned = cv2.getRotationMatrix2D(((card.shape[0] - 1) / 2,) * 2, turn_deg, 1.0)
    turned[:, 2] += middle_px - (card.shape[0] - 1) / 2
    size = (image.shape[1], image.shape[0])
    there = cv2.warpAffine(np.full_like(card, 255), turned, size)[..., None] > 127
    np.copyto(image, cv2.warpAffine(card, turned, size)[..., None], where=there)


def light_gain(
    conditions: Conditions, table_x: _Floats, table_y: _Floats, exposed: Sequence[float] = (1.0, 1.0, 1.0)
) -> Picture:
    """How much of each colour every pixel gets, in 128ths, shape (rows, columns, 3); `exposed`: so many times as much
    of blue, green and red, in levels."""
    rows, columns = table_x.shape
    turn = math.radians(conditions.lamp_deg)
    along = (table_x * math.cos(turn) + table_y * math.sin(turn)) / 650.0
    level = 1.0 + conditions.gradient * np.clip(along, -1.2, 1.2)
    across = np.linspace(-1, 1, columns, dtype=np.float32)[None, :] ** 2
    down = (np.linspace(-1, 1, rows, dtype=np.float32)[:, None] * rows / columns) ** 2
    level *= 1.0 - conditions.vignette * (across + down)
    warm = (5000.0 - conditions.kelvin) / 5000.0
    level *= np.float32(conditions.light)
    colour = [1 - 0.55 * warm, 1 - 0.04 * warm, 1 + 0.4 * warm]
    tint = [part * times for part, times in zip(colour, exposed, strict=True)]
    return _tinted(np.asarray(level, np.float32), tint, scale=128.0, offset=0.5)


def glare_light(
    conditions: Conditions, table_x: _Floats, table_y: _Floats, exposed: Sequence[float] = (1.0, 1.0, 1.0)
) -> Picture | None:
    """What a lamp's reflection adds, or None without one; `exposed` as in `light_gain`."""
    if conditions.glare <= 0:
        return None
    turn = math.radians(conditions.lamp_deg)
    x_mm, y_mm = 330 * math.cos(turn), 190 * math.sin(turn)
    spot = np.exp(-(((table_x - x_mm) / 110) ** 2 + ((table_y - y_mm) / 70) ** 2))
    return _tinted(np.asarray(spot, np.float32), exposed, scale=255.0 * conditions.glare)


_MAT_COLOURS: dict[MatStyle, tuple[Colour, Colour, Colour]] = {
    MatStyle.CREAM: ((196, 216, 226), (48, 44, 120), (140, 158, 186)),
    MatStyle.SLATE: ((70, 62, 58), (150, 190, 210), (108, 100, 94)),
    MatStyle.BLUE: ((122, 82, 44), (200, 224, 232), (150, 112, 74)),
}
"""Paper, ink, faint ink."""


def _print_mat(image: Picture, px_per_mm: float, ink: Colour, faint: Colour) -> None:
    def px(x_mm: float, y_mm: float) -> tuple[int, int]:
        return round((MAT_MM / 2 + x_mm) * px_per_mm), round((MAT_MM / 2 - y_mm) * px_per_mm)

    def width(width_mm: float) -> int:
        return max(1, round(width_mm * px_per_mm))

    cv2.rectangle(image, px(-196, 196), px(196, -196), ink, width(0.9), cv2.LINE_AA)
    for radius_mm, width_mm, colour in ((107, 1.2, ink), (110, 0.5, ink), (132, 0.4, faint)):
        cv2.circle(image, px(0, 0), width(radius_mm), colour, width(width_mm), cv2.LINE_AA)
    for tick in range(44):
        turn = math.radians(tick * 360 / 44)
        outer = 132 if tick % 4 else 138
        start, end = (126 * math.sin(turn), 126 * math.cos(turn)), (outer * math.sin(turn), outer * math.cos(turn))
        cv2.line(image, px(*start), px(*end), faint, width(0.5), cv2.LINE_AA)
    _write(image, "ONE CUTS, THE OTHERS CHOOSE", px(0, 168), 6.5 * px_per_mm, ink)
    _write(image, "eleven slices make a pizza", px(0, -172), 5.0 * px_per_mm, faint)


def _write(image: Picture, words: str, middle: tuple[int, int], capital_px: float, colour: Colour) -> None:
    font, size = cv2.FontFace("sans"), max(4, round(capital_px / 0.7))
    box = cv2.getTextSize((0, 0), words, (0, 0), font, size, 500)
    cv2.putText(image, words, (middle[0] - box[2] // 2, middle[1] + round(capital_px / 2)), colour, font, size, 500)


def _smooth(size: tuple[int, int], cell_px: tuple[float, float], rng: np.random.Generator) -> _Floats:
    """Smooth noise whose blobs are about `cell_px` (down, across) large."""
    cells = (max(2, int(size[0] / cell_px[0]) + 2), max(2, int(size[1] / cell_px[1]) + 2))
    coarse = rng.standard_normal(cells).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (size[1], size[0]), interpolation=cv2.INTER_LINEAR), np.float32)


def _shade(colour: Colour, level: _Floats) -> Picture:
    return _tinted(level, colour)


def _tinted(level: _Floats, colour: Sequence[float], *, scale: float = 1.0, offset: float = 0.0) -> Picture:
    """A level times a colour, then scaled and shifted. Channel by channel: numpy is slow on rows of three."""
    picture = np.empty((*level.shape, 3), np.uint8)
    for band in _bands(level):
        planes = []
        for part in colour:
            plane = level[band] * np.float32(part)
            if scale != 1.0:
                plane *= np.float32(scale)
            if offset:
                plane += np.float32(offset)
            planes.append(_as_bytes(plane))
        cv2.merge(planes, picture[band])
    return picture


def _mixed(light: Colour, dark: Colour, weight: _Floats, times: _Floats) -> Picture:
    """From light where the weight is 0 to dark where it is 1, then multiplied (as many rows, and as many columns or
    one)."""
    picture = np.empty((*weight.shape, 3), np.uint8)
    for band in _bands(weight):
        rest = 1 - weight[band]
        planes = []
        for bright, dim in zip(light, dark, strict=True):
            plane = rest * np.float32(bright)
            plane += weight[band] * np.float32(dim)
            plane *= times[band]
            planes.append(_as_bytes(plane))
        cv2.merge(planes, picture[band])
    return picture


def _bands(level: _Floats) -> Iterable[slice]:
    """Rows, so few at a time that all that is done with them is done in the processor's cache."""
    step = max(1, _BAND_PX // level.shape[1])
    return (slice(top, top + step) for top in range(0, level.shape[0], step))


def _as_bytes(plane: _Floats) -> Picture:
    """Cut off to 0 to 255 and to whole numbers; overwrites its argument."""
    _limit(plane, 255.0)
    return plane.astype(np.uint8)


def _mottled(
    size: tuple[int, int], px_per_mm: float, rng: np.random.Generator, colour: Colour, depth: float
) -> Picture:
    level = _sum_of(
        (weight, _smooth(size, (cell_mm * px_per_mm, cell_mm * px_per_mm), rng))
        for weight, cell_mm in ((0.6, 60), (0.7, 9), (0.8, 1.5))
    )
    level *= np.float32(depth / 100)
    level += 1
    return _shade(colour, level)


def _wood(
    size: tuple[int, int], px_per_mm: float, rng: np.random.Generator, light: Colour, dark: Colour, *, plank_mm: float
) -> Picture:
    plank_px = plank_mm * px_per_mm
    rows = np.arange(size[0], dtype=np.float32)
    plank = (rows / plank_px).astype(np.int32)
    shift = rng.uniform(0, 400, plank.max() + 1).astype(np.float32)[plank][:, None]
    tone = rng.uniform(-0.22, 0.22, plank.max() + 1).astype(np.float32)[plank][:, None]
    wobble = _smooth(size, (30 * px_per_mm, 260 * px_per_mm), rng)
    fibre = _smooth(size, (0.8 * px_per_mm, 42 * px_per_mm), rng)
    weight = _smooth(size, (0.9 * px_per_mm, 9 * px_per_mm), rng)
    for band in _bands(weight):
        pores = weight[band]
        pores -= np.float32(1.3)
        _limit(pores, 1.0)
        grain = _wave(rows[band, None] + wobble[band] * 9 * px_per_mm + shift[band], px_per_mm, 0.55)
        grain *= np.float32(0.17)
        grain += np.float32(0.34)
        weight[band] = _sum_of([(1.0, grain), (0.13, fibre[band]), (0.35, pores)])
        weight[band] += tone[band]
        _limit(weight[band], 1.0)
    seam = np.mod(rows, plank_px) < 0.9 * px_per_mm
    dark_seam = np.where(seam, np.float32(0.45), np.float32(1.0))[:, None]
    return _mixed(light, dark, weight, dark_seam)


def _woven(size: tuple[int, int], px_per_mm: float, rng: np.random.Generator) -> _Floats:
    """How bright woven threads are, about 1."""
    warp = _smooth(size, (0.9 * px_per_mm, 60 * px_per_mm), rng)
    weft = _smooth(size, (60 * px_per_mm, 0.9 * px_per_mm), rng)
    folds = _smooth(size, (160 * px_per_mm, 130 * px_per_mm), rng)
    for band in _bands(warp):
        for part in (warp, weft, folds):
            part[band] *= np.float32(0.05)
        warp[band] += 1
        warp[band] += weft[band]
        warp[band] += folds[band]
    return warp


def _checked(size: tuple[int, int], px_per_mm: float, rng: np.random.Generator, light: Colour, dark: Colour) -> Picture:
    drift = _smooth(size, (200 * px_per_mm, 200 * px_per_mm), rng)
    weave = _woven(size, px_per_mm, rng)
    rows = np.arange(size[0], dtype=np.float32)[:, None]
    columns = np.arange(size[1], dtype=np.float32)[None, :]
    square = 24 * px_per_mm
    weight = np.empty(size, np.float32)
    for band in _bands(weight):
        drifted = 2.5 * px_per_mm * drift[band]
        weight[band] = _every_other(rows[band] + drifted, square)
        weight[band] += _every_other(columns + drifted, square)
        weight[band] *= np.float32(0.5)
        weave[band] = _as_bytes(weave[band] * np.float32(255.0))
        weave[band] /= np.float32(250.0)
    return _mixed(light, dark, weight, weave)


def _every_other(at: _Floats, square_px: float) -> _Floats:
    """1 in the first of each two squares, 0 in the second."""
    return np.asarray((np.floor(at / np.float32(square_px)).astype(np.int32) & 1) == 0, np.float32)


def _wave(at: _Floats, px_per_mm: float, per_mm: float) -> _Floats:
    """A sine over places in pixels; overwrites its argument."""
    at /= np.float32(px_per_mm)
    at *= np.float32(per_mm)
    return np.asarray(np.sin(at, out=at), np.float32)


def _sum_of(parts: Iterable[tuple[float, _Floats]]) -> _Floats:
    """The weighted sum of one part or more."""
    weighted = (part * np.float32(weight) for weight, part in parts)
    total = next(weighted)
    for part in weighted:
        total += part
    return total


def _limit(level: _Floats, most: float) -> None:
    """To 0 to `most`, in place: in one go, which takes half as long as at either end by itself."""
    np.clip(level, np.float32(0.0), np.float32(most), out=level)
