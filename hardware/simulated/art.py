"""Our own printable art: slices of pizza, chalkboard Specials and their backs, drawn by program.

Every drawing is decided by its value and its face id alone, so that a print, the simulated table and a test
show the same picture. A face's facts (values, pepperoni, anchovies) are arguments: they live with the rules.
"""

import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

SLICE_LENGTH_MM = 100.0
SLICE_ANGLE_DEG = 360.0 / 11.0
SPECIAL_WIDTH_MM = 60.0
SPECIAL_HEIGHT_MM = 90.0
SLICE_BACK = "back"
SPECIAL_BACK = "special/back"

Colour = tuple[int, int, int]
"""Blue, green, red, 0 to 255."""
Picture = NDArray[np.uint8]
_Floats = NDArray[np.float32]

_HALF_ANGLE = math.radians(SLICE_ANGLE_DEG / 2)
_MARGIN_MM = 1.5
_SUPERSAMPLING = 2


@dataclass(frozen=True, slots=True)
class SliceArt:
    """What one slice shows."""

    face: str
    values: tuple[int, ...]
    """One value, two for a combo, none for the supreme."""
    pepperoni: int
    anchovies: int
    name: str


@dataclass(frozen=True, slots=True)
class SpecialArt:
    """What one Special shows."""

    face: str
    title: str
    words: str
    """What it does, in a few words of our own."""
    blue_star: bool


@dataclass(frozen=True, slots=True)
class Artwork:
    """A face's picture.

    `image` is blue-green-red-alpha, the pose's angle points up in it, and the pose's point is at `anchor_px`
    (column, row; whole numbers are pixel centres).
    """

    image: Picture
    px_per_mm: float
    anchor_px: tuple[float, float]


def draw_slice(art: SliceArt, px_per_mm: float) -> Artwork:
    """Draw a slice's front."""
    sheet = _Sheet.for_slice(px_per_mm, art.face)
    recipes = [_recipe_of(value) for value in art.values] or [_SUPREME]
    _draw_base(sheet, recipes)
    taken: list[tuple[float, float, float]] = [(0.0, 44.0, 14.0) if len(recipes) == 2 else (0.0, 36.0, 12.5)]
    _draw_fish_and_pepperoni(sheet, art, taken)
    _draw_toppings(sheet, recipes, taken)
    for x_mm, y_mm, angle in sheet.fish:
        _draw_anchovy(sheet, x_mm, y_mm, angle)
    for x_mm, y_mm, _ in sheet.discs:
        _draw_pepperoni(sheet, x_mm, y_mm)
    _draw_values(sheet, art.values)
    return sheet.finish(_wedge(sheet))


def draw_slice_back(px_per_mm: float) -> Artwork:
    """Draw the back that all slices share: a chequered box lid with a ring."""
    sheet = _Sheet.for_slice(px_per_mm, SLICE_BACK)
    sheet.image[:] = (64, 96, 40)
    radius, angle = sheet.polar()
    for start in range(8, 100, 16):
        sheet.paint((radius >= start) & (radius < start + 8), (78, 118, 52))
    spokes = np.abs(np.mod(np.degrees(angle) + 180, 8.18) - 4.09) < 0.35
    sheet.paint(spokes & (radius > 20), (92, 136, 66))
    sheet.paint((radius > 94) & (radius < 97), (150, 214, 240))
    sheet.disc(0, 62, 13, (150, 214, 240))
    sheet.disc(0, 62, 11.2, (64, 96, 40))
    tip, left, right = (0.0, 53.5), (-5.4, 68.0), (5.4, 68.0)
    sheet.polygon([tip, left, (0.0, 70.5), right], (150, 214, 240))
    for x_mm, y_mm in ((-1.9, 66.0), (2.2, 65.2), (0.1, 60.6)):
        sheet.disc(x_mm, y_mm, 1.25, (64, 96, 40))
    return sheet.finish(_wedge(sheet))


def draw_special(art: SpecialArt, px_per_mm: float) -> Artwork:
    """Draw a Special's front: a framed chalkboard with title, emblem and a few words."""
    sheet = _Sheet.for_special(px_per_mm, art.face)
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
        _draw_star(sheet, 20.0, 12.5, 5.4, (214, 122, 40), (250, 220, 190))
    _chalk_dust(sheet)
    return sheet.finish(_board_outline(sheet))


def draw_special_back(px_per_mm: float) -> Artwork:
    """Draw the back that all Specials share."""
    sheet = _Sheet.for_special(px_per_mm, SPECIAL_BACK)
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


def draw_all(slices: Iterable[SliceArt], specials: Iterable[SpecialArt], px_per_mm: float) -> Mapping[str, Artwork]:
    """Every face and both backs, by face id. Each is drawn when it is first asked for.

    Raises:
        ValueError: a slice of a value that there is no art for.
    """
    drawers: dict[str, Callable[[], Artwork]] = {
        SLICE_BACK: partial(draw_slice_back, px_per_mm),
        SPECIAL_BACK: partial(draw_special_back, px_per_mm),
    }
    for art in slices:
        for value in art.values:
            _recipe_of(value)
        drawers[art.face] = partial(draw_slice, art, px_per_mm)
    for special in specials:
        drawers[special.face] = partial(draw_special, special, px_per_mm)
    return Drawings(drawers)


class Drawings(Mapping[str, Artwork]):
    """Faces, each drawn when it is first asked for."""

    def __init__(self, drawers: Mapping[str, Callable[[], Artwork]]) -> None:
        self._drawers = drawers
        self._drawn: dict[str, Artwork] = {}

    def __getitem__(self, face: str) -> Artwork:
        if face not in self._drawn:
            self._drawn[face] = self._drawers[face]()
        return self._drawn[face]

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawers)

    def __len__(self) -> int:
        return len(self._drawers)


@dataclass
class _Sheet:
    """A drawing in millimetres, origin at the pose's point, y up."""

    image: Picture
    scale: float
    origin: tuple[float, float]
    px_per_mm: float
    rng: np.random.Generator
    fish: list[tuple[float, float, float]] = field(default_factory=list)
    discs: list[tuple[float, float, float]] = field(default_factory=list)

    @classmethod
    def for_slice(cls, px_per_mm: float, face: str) -> "_Sheet":
        half_width = SLICE_LENGTH_MM * math.sin(_HALF_ANGLE) + _MARGIN_MM
        return cls._make(px_per_mm, face, half_width, SLICE_LENGTH_MM + _MARGIN_MM, _MARGIN_MM)

    @classmethod
    def for_special(cls, px_per_mm: float, face: str) -> "_Sheet":
        half_height = SPECIAL_HEIGHT_MM / 2 + _MARGIN_MM
        return cls._make(px_per_mm, face, SPECIAL_WIDTH_MM / 2 + _MARGIN_MM, half_height, half_height)

    @classmethod
    def _make(cls, px_per_mm: float, face: str, half_width: float, above: float, below: float) -> "_Sheet":
        left, up, down = (math.ceil(part * px_per_mm) * _SUPERSAMPLING for part in (half_width, above, below))
        image = np.zeros((up + down, 2 * left, 3), np.uint8)
        rng = np.random.default_rng(zlib.crc32(face.encode()))
        return cls(image, px_per_mm * _SUPERSAMPLING, (left - 0.5, up - 0.5), px_per_mm, rng)

    def finish(self, mask: Picture) -> Artwork:
        """Scale down to the wanted size with the mask as alpha."""
        image = np.dstack([self.image, mask])
        height, width = mask.shape
        small = cv2.resize(image, (width // _SUPERSAMPLING, height // _SUPERSAMPLING), interpolation=cv2.INTER_AREA)
        anchor = tuple((part + 0.5) / _SUPERSAMPLING - 0.5 for part in self.origin)
        return Artwork(np.asarray(small, np.uint8), self.px_per_mm, (anchor[0], anchor[1]))

    def grid(self) -> tuple[_Floats, _Floats]:
        """Every pixel's x and y in millimetres."""
        rows, columns = self.image.shape[:2]
        x_mm = (np.arange(columns, dtype=np.float32) - self.origin[0]) / self.scale
        y_mm = (self.origin[1] - np.arange(rows, dtype=np.float32)) / self.scale
        grid_x, grid_y = np.meshgrid(x_mm, y_mm)
        return grid_x.astype(np.float32), grid_y.astype(np.float32)

    def polar(self) -> tuple[_Floats, _Floats]:
        """Every pixel's distance from the origin and its angle from straight up."""
        x_mm, y_mm = self.grid()
        return np.hypot(x_mm, y_mm), np.arctan2(x_mm, y_mm)

    def mottle(self, cell_mm: float) -> _Floats:
        """Smooth noise of mean 0 and deviation about 1 with blobs of the given size."""
        rows, columns = self.image.shape[:2]
        size = (max(3, int(columns / self.scale / cell_mm) + 3), max(3, int(rows / self.scale / cell_mm) + 3))
        cells = self.rng.standard_normal((size[1], size[0])).astype(np.float32)
        return np.asarray(cv2.resize(cells, (columns, rows), interpolation=cv2.INTER_CUBIC), np.float32)

    def paint(self, mask: NDArray[np.bool_], colour: Colour) -> None:
        cv2.copyTo(self._flat(colour), mask.astype(np.uint8), self.image)

    def blend(self, weight: _Floats, colour: Colour) -> None:
        """Mix a colour in, weight 0 to 1."""
        self.image[:] = cv2.blendLinear(self.image, self._flat(colour), 1 - weight, weight)

    def _flat(self, colour: Colour) -> Picture:
        flat = np.empty_like(self.image)
        cv2.rectangle(flat, (0, 0), (flat.shape[1], flat.shape[0]), colour, -1)
        return flat

    def px(self, x_mm: float, y_mm: float) -> tuple[int, int]:
        """The point in sixteenths of a pixel, as cv2 takes it with shift 4."""
        return (
            round((self.origin[0] + x_mm * self.scale) * 16),
            round((self.origin[1] - y_mm * self.scale) * 16),
        )

    def disc(self, x_mm: float, y_mm: float, radius_mm: float, colour: Colour) -> None:
        cv2.circle(self.image, self.px(x_mm, y_mm), round(radius_mm * self.scale * 16), colour, -1, cv2.LINE_AA, 4)

    def ring(self, x_mm: float, y_mm: float, radius_mm: float, width_mm: float, colour: Colour) -> None:
        width = max(1, round(width_mm * self.scale))
        cv2.circle(self.image, self.px(x_mm, y_mm), round(radius_mm * self.scale * 16), colour, width, cv2.LINE_AA, 4)

    def polygon(self, points_mm: Iterable[tuple[float, float]], colour: Colour) -> None:
        points = np.array([self.px(*point) for point in points_mm], np.int32)
        cv2.fillPoly(self.image, [points], colour, cv2.LINE_AA, 4)

    def line(self, start: tuple[float, float], end: tuple[float, float], width_mm: float, colour: Colour) -> None:
        width = max(1, round(width_mm * self.scale))
        cv2.line(self.image, self.px(*start), self.px(*end), colour, width, cv2.LINE_AA, 4)

    def curve(self, points_mm: Iterable[tuple[float, float]], width_mm: float, colour: Colour) -> None:
        points = np.array([self.px(*point) for point in points_mm], np.int32)
        width = max(1, round(width_mm * self.scale))
        cv2.polylines(self.image, [points], False, colour, width, cv2.LINE_AA, 4)

    def text(
        self,
        words: str,
        x_mm: float,
        y_mm: float,
        capital_mm: float,
        widest_mm: float,
        colour: Colour,
        *,
        weight: int,
        outline: Colour | None = None,
        outline_mm: float = 0.0,
    ) -> None:
        """Write centred on a point, smaller where it would be wider than `widest_mm`."""
        mask = _text_mask(
            words, capital_mm * self.scale, widest_mm * self.scale, weight, round(outline_mm * self.scale)
        )
        height, width = mask.shape
        column = round(self.origin[0] + x_mm * self.scale - width / 2)
        row = round(self.origin[1] - y_mm * self.scale - height / 2)
        target = self.image[row : row + height, column : column + width]
        if outline is not None:
            size = 2 * round(outline_mm * self.scale) + 1
            kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
            _stamp(target, np.asarray(cv2.dilate(mask, kernel), np.uint8), outline)
        _stamp(target, mask, colour)


def _text_mask(words: str, capital_px: float, widest_px: float, weight: int, border_px: int) -> Picture:
    font = cv2.FontFace("sans")
    size = 100
    box = cv2.getTextSize((0, 0), words, (0, 0), font, size, weight)
    scale = min(capital_px / 70.0, widest_px / max(1, box[2]))
    canvas = np.zeros((200, box[2] + 80), np.uint8)
    cv2.putText(canvas, words, (40, 140), (255,), font, size, weight)
    canvas = canvas[140 - 72 - 20 : 140 + 20 + 4]
    fitted = cv2.resize(
        canvas, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    )
    return np.asarray(
        cv2.copyMakeBorder(fitted, border_px, border_px, border_px, border_px, cv2.BORDER_CONSTANT), np.uint8
    )


def _stamp(target: Picture, mask: Picture, colour: Colour) -> None:
    mask = mask[: target.shape[0], : target.shape[1]]
    weight = (mask.astype(np.float32) / 255.0)[..., None]
    mixed = target + weight * (np.array(colour, np.float32) - target)
    target[:] = np.clip(mixed + 0.5, 0, 255).astype(np.uint8)


def _wedge(sheet: _Sheet) -> Picture:
    angles = np.linspace(-_HALF_ANGLE, _HALF_ANGLE, 33)
    rim = [(SLICE_LENGTH_MM * math.sin(a), SLICE_LENGTH_MM * math.cos(a)) for a in angles]
    return _filled(sheet, [(0.0, 0.0), *rim])


def _board_outline(sheet: _Sheet) -> Picture:
    x_mm, y_mm = SPECIAL_WIDTH_MM / 2, SPECIAL_HEIGHT_MM / 2
    return _filled(sheet, [(-x_mm, -y_mm), (x_mm, -y_mm), (x_mm, y_mm), (-x_mm, y_mm)])


def _filled(sheet: _Sheet, points_mm: Iterable[tuple[float, float]]) -> Picture:
    mask = np.zeros(sheet.image.shape[:2], np.uint8)
    points = np.array([sheet.px(*point) for point in points_mm], np.int32)
    cv2.fillPoly(mask, [points], (255,), cv2.LINE_8, 4)
    return mask


Topping = Callable[[_Sheet, float, float], None]


@dataclass(frozen=True, slots=True)
class _Recipe:
    """How a type of pizza looks."""

    sauce: Colour
    cheese: Colour
    toppings: tuple[tuple[Topping, int, float], ...]
    """Each with how many a slice has and its radius in millimetres."""


def _draw_base(sheet: _Sheet, recipes: list[_Recipe]) -> None:
    radius, angle = sheet.polar()
    x_mm, _ = sheet.grid()
    melt = np.clip(0.62 + 0.35 * sheet.mottle(9.0) + 0.18 * sheet.mottle(2.5), 0, 1).astype(np.float32)
    sides = [np.ones(radius.shape, bool)]
    if len(recipes) == 2:
        seam = 1.4 * sheet.mottle(7.0)
        sides = [x_mm < seam, x_mm >= seam]
    for recipe, side in zip(recipes, sides, strict=True):
        sheet.paint(side, recipe.sauce)
        sheet.blend(np.where(side, melt, 0).astype(np.float32), recipe.cheese)
    spots = np.clip(sheet.mottle(2.2) - 1.5, 0, 1) * 0.5
    sheet.blend(spots.astype(np.float32), (40, 110, 190))
    wave = 86.5 + 0.9 * np.sin(angle * 40 + sheet.rng.uniform(0, 6)) + 0.5 * sheet.mottle(4.0)
    for recipe, side in zip(recipes, sides, strict=True):
        darker = tuple(int(part * 0.72) for part in recipe.sauce)
        sheet.paint(side & (radius > wave - 3.0), (darker[0], darker[1], darker[2]))
    _draw_crust(sheet, radius, wave)
    edge = np.clip((np.abs(angle) * radius - (np.tan(_HALF_ANGLE) * radius - 0.9)) / 0.9, 0, 1) * 0.35
    sheet.blend(edge.astype(np.float32), (30, 50, 90))


def _draw_crust(sheet: _Sheet, radius: _Floats, wave: _Floats) -> None:
    across = np.clip((radius - wave) / (SLICE_LENGTH_MM - wave), 0, 1)
    on_crust = radius > wave
    sheet.paint(on_crust, (72, 142, 204))
    light = np.where(on_crust, np.clip(1 - np.abs(across - 0.45) / 0.32, 0, 1) * 0.75, 0)
    sheet.blend(light.astype(np.float32), (132, 196, 238))
    burnt = np.where(on_crust, np.clip(sheet.mottle(4.5) + 0.5 * sheet.mottle(1.6) - 0.55, 0, 1) * 0.75, 0)
    sheet.blend(burnt.astype(np.float32), (30, 72, 128))
    rim = np.where(
        on_crust, np.clip((across - 0.75) / 0.25, 0, 1) * 0.55 + np.clip((0.16 - across) / 0.16, 0, 1) * 0.5, 0
    )
    sheet.blend(rim.astype(np.float32), (30, 70, 120))


def _draw_fish_and_pepperoni(sheet: _Sheet, art: SliceArt, taken: list[tuple[float, float, float]]) -> None:
    """Choose where they lie, before the other toppings, so that each stays whole."""
    for _ in range(art.pepperoni):
        x_mm, y_mm = _free_place(sheet, 6.6, taken, lowest=50.0)
        taken.append((x_mm, y_mm, 6.9))
        sheet.discs.append((x_mm, y_mm, 6.0))
    for _ in range(art.anchovies):
        x_mm, y_mm = _free_place(sheet, 7.2, taken, lowest=50.0)
        taken.append((x_mm, y_mm, 6.2))
        sheet.fish.append(
            (x_mm, y_mm, float(sheet.rng.uniform(-0.7, 0.7)) + (math.pi if sheet.rng.random() < 0.5 else 0))
        )


def _free_place(
    sheet: _Sheet, radius_mm: float, taken: list[tuple[float, float, float]], *, lowest: float, x_sign: int = 0
) -> tuple[float, float]:
    """A place on the slice as far from what lies there as a few tries find."""
    best, best_gap = (0.0, 66.0), -math.inf
    for _ in range(60):
        distance = math.sqrt(sheet.rng.uniform(lowest**2, (83.0 - radius_mm * 0.6) ** 2))
        spread = max(0.0, distance * math.tan(_HALF_ANGLE) - radius_mm)
        x_mm = float(sheet.rng.uniform(-spread, spread))
        if x_sign and spread > radius_mm * 0.5:
            x_mm = x_sign * float(sheet.rng.uniform(radius_mm * 0.5, spread))
        y_mm = math.sqrt(max(0.0, distance**2 - x_mm**2))
        gap = min((math.hypot(x_mm - x, y_mm - y) - r - radius_mm for x, y, r in taken), default=9.0)
        if gap > best_gap:
            best, best_gap = (x_mm, y_mm), gap
        if gap > 0.6:
            break
    return best


def _draw_toppings(sheet: _Sheet, recipes: list[_Recipe], taken: list[tuple[float, float, float]]) -> None:
    for number, recipe in enumerate(recipes):
        x_sign = 0 if len(recipes) == 1 else (-1, 1)[number]
        for topping, count, radius_mm in recipe.toppings:
            for _ in range(count if x_sign == 0 else max(1, count * 2 // 3)):
                x_mm, y_mm = _free_place(sheet, radius_mm, taken, lowest=44.0, x_sign=x_sign)
                gap = min(math.hypot(x_mm - x, y_mm - y) - r - radius_mm for x, y, r in taken)
                if gap > -1.2:
                    taken.append((x_mm, y_mm, radius_mm))
                    topping(sheet, x_mm, y_mm)


def _draw_pepperoni(sheet: _Sheet, x_mm: float, y_mm: float) -> None:
    sheet.disc(x_mm + 0.4, y_mm - 0.5, 6.3, (24, 34, 70))
    sheet.disc(x_mm, y_mm, 6.0, (22, 20, 96))
    sheet.disc(x_mm, y_mm, 5.1, (42, 40, 206))
    sheet.disc(x_mm - 0.6, y_mm + 0.7, 3.8, (56, 58, 226))
    for _ in range(6):
        turn, reach = sheet.rng.uniform(0, 2 * math.pi), sheet.rng.uniform(0.8, 4.0)
        spot: Colour = (96, 116, 240) if sheet.rng.random() < 0.6 else (26, 22, 130)
        sheet.disc(x_mm + reach * math.cos(turn), y_mm + reach * math.sin(turn), 0.55, spot)


def _draw_anchovy(sheet: _Sheet, x_mm: float, y_mm: float, angle: float) -> None:
    cos, sin = math.cos(angle), math.sin(angle)

    def at(u_mm: float, v_mm: float) -> tuple[float, float]:
        bend = v_mm + 0.022 * u_mm * u_mm - 0.6
        return x_mm + u_mm * cos - bend * sin, y_mm + u_mm * sin + bend * cos

    steps = np.linspace(-7.0, 8.0, 16)
    half = [2.5 * math.sin(math.pi * min(1.0, max(0.0, (u + 8.6) / 16.6))) ** 0.8 for u in steps]

    def body(swell: float) -> list[tuple[float, float]]:
        upper = [at(u, h + swell) for u, h in zip(steps, half, strict=True)]
        lower = [at(u, -h - swell) for u, h in zip(steps, half, strict=True)]
        return upper + lower[::-1]

    tail = [at(-6.2, 0), at(-9.6, 3.0), at(-8.4, 0), at(-9.6, -3.0)]
    sheet.polygon(tail, (92, 62, 40))
    sheet.polygon(body(0.55), (80, 52, 34))
    sheet.polygon(body(0.0), (176, 146, 112))
    sheet.curve([at(u, 0.45 * h) for u, h in zip(steps, half, strict=True)], 0.6, (222, 204, 178))
    sheet.curve([at(u, -0.4 * h) for u, h in zip(steps, half, strict=True)], 0.45, (120, 90, 60))
    head = at(5.9, 0.5)
    sheet.disc(*head, 0.75, (240, 240, 235))
    sheet.disc(*head, 0.42, (20, 16, 12))


def _draw_values(sheet: _Sheet, values: tuple[int, ...]) -> None:
    cream, dark = (226, 246, 252), (18, 22, 40)
    if not values:
        _draw_star(sheet, 0, 36, 9.2, (40, 190, 250), dark)
        return
    if len(values) == 1:
        y_mm, widest_mm = (36.0, 15.2) if len(str(values[0])) == 1 else (39.5, 18.6)
        sheet.text(str(values[0]), 0, y_mm, 13.0, widest_mm, cream, weight=800, outline=dark, outline_mm=0.9)
        if values[0] in (6, 9):
            sheet.line((-3.6, 26.8), (3.6, 26.8), 2.4, dark)
            sheet.line((-3.2, 26.8), (3.2, 26.8), 1.2, cream)
        return
    for value, x_mm in zip(values, (-6.3, 6.3), strict=True):
        sheet.text(str(value), x_mm, 46.5, 9.5, 10.6, cream, weight=800, outline=dark, outline_mm=0.8)
    sheet.line((-1.2, 39.0), (1.2, 53.0), 1.6, dark)
    sheet.line((-1.2, 39.0), (1.2, 53.0), 0.8, cream)


def _draw_star(sheet: _Sheet, x_mm: float, y_mm: float, radius_mm: float, colour: Colour, edge: Colour) -> None:
    def points(scale: float) -> list[tuple[float, float]]:
        reach = [radius_mm * scale * (1.0 if k % 2 == 0 else 0.45) for k in range(10)]
        return [
            (x_mm + r * math.sin(k * math.pi / 5), y_mm + r * math.cos(k * math.pi / 5)) for k, r in enumerate(reach)
        ]

    sheet.polygon(points(1.18), edge)
    sheet.polygon(points(0.9), colour)


def _leaf(sheet: _Sheet, x_mm: float, y_mm: float) -> None:
    turn = float(sheet.rng.uniform(0, 2 * math.pi))
    steps = np.linspace(-4.2, 4.2, 11)
    half = [1.9 * math.cos(math.pi * u / 8.8) ** 0.8 for u in steps]

    def at(u: float, v: float) -> tuple[float, float]:
        return x_mm + u * math.cos(turn) - v * math.sin(turn), y_mm + u * math.sin(turn) + v * math.cos(turn)

    outline = [at(u, h) for u, h in zip(steps, half, strict=True)]
    outline += [at(u, -h) for u, h in zip(steps, half, strict=True)][::-1]
    sheet.polygon([(x + 0.35, y - 0.45) for x, y in outline], (24, 60, 30))
    sheet.polygon(outline, (44, 132, 52))
    sheet.line(at(-3.6, 0), at(3.6, 0), 0.4, (90, 176, 110))


def _blob(colour: Colour, radius_mm: float, edge: Colour) -> Topping:
    def draw(sheet: _Sheet, x_mm: float, y_mm: float) -> None:
        phases = sheet.rng.uniform(0, 6.28, 2)
        outline = []
        for turn in np.linspace(0, 2 * math.pi, 24, endpoint=False):
            reach = radius_mm * (1 + 0.14 * math.sin(2 * turn + phases[0]) + 0.09 * math.sin(3 * turn + phases[1]))
            outline.append((x_mm + reach * math.cos(turn), y_mm + reach * math.sin(turn)))
        sheet.polygon([(x + 0.3, y - 0.5) for x, y in outline], edge)
        sheet.polygon(outline, colour)
        glint = tuple(min(255, part + 22) for part in colour)
        sheet.disc(x_mm - 0.25 * radius_mm, y_mm + 0.3 * radius_mm, radius_mm * 0.36, (glint[0], glint[1], glint[2]))

    return draw


def _hoop(colour: Colour, radius_mm: float, width_mm: float, inside: Colour | None = None) -> Topping:
    def draw(sheet: _Sheet, x_mm: float, y_mm: float) -> None:
        sheet.ring(x_mm + 0.25, y_mm - 0.35, radius_mm, width_mm, (40, 56, 70))
        if inside is not None:
            sheet.disc(x_mm, y_mm, radius_mm, inside)
        sheet.ring(x_mm, y_mm, radius_mm, width_mm, colour)

    return draw


def _strip(colour: Colour, stripe: Colour, length_mm: float, width_mm: float) -> Topping:
    def draw(sheet: _Sheet, x_mm: float, y_mm: float) -> None:
        turn = float(sheet.rng.uniform(0, math.pi))
        cos, sin = math.cos(turn), math.sin(turn)
        points = []
        for u in np.linspace(-length_mm / 2, length_mm / 2, 13):
            v = 0.9 * math.sin(u * 1.3)
            points.append((x_mm + u * cos - v * sin, y_mm + u * sin + v * cos))
        sheet.curve([(x + 0.3, y - 0.4) for x, y in points], width_mm * 1.15, (36, 40, 66))
        sheet.curve(points, width_mm, colour)
        sheet.curve(points, width_mm * 0.36, stripe)

    return draw


def _chunk(colour: Colour, edge: Colour, size_mm: float, corners: int) -> Topping:
    def draw(sheet: _Sheet, x_mm: float, y_mm: float) -> None:
        turn = float(sheet.rng.uniform(0, 2 * math.pi))
        angles = turn + np.linspace(0, 2 * math.pi, corners, endpoint=False)
        reaches = size_mm * sheet.rng.uniform(0.8, 1.1, corners)
        points = [(x_mm + r * math.cos(a), y_mm + r * math.sin(a)) for a, r in zip(angles, reaches, strict=True)]
        sheet.polygon([(x + 0.3, y - 0.5) for x, y in points], edge)
        sheet.polygon(points, colour)
        inner = [(x_mm + 0.5 * (x - x_mm) - 0.2, y_mm + 0.5 * (y - y_mm) + 0.3) for x, y in points]
        sheet.polygon(inner, tuple(min(255, part + 16) for part in colour))  # type: ignore[arg-type]

    return draw


def _mushroom(sheet: _Sheet, x_mm: float, y_mm: float) -> None:
    turn = float(sheet.rng.uniform(0, 2 * math.pi))
    cos, sin = math.cos(turn), math.sin(turn)

    def at(u: float, v: float) -> tuple[float, float]:
        return x_mm + u * cos - v * sin, y_mm + u * sin + v * cos

    cap = [at(4.4 * math.cos(a), 3.4 * math.sin(a) + 0.4) for a in np.linspace(-0.15, math.pi + 0.15, 16)]
    stem = [at(-1.3, 0.6), at(-1.5, -3.6), at(1.5, -3.6), at(1.3, 0.6)]
    for points in (stem, cap):
        sheet.polygon([(x + 0.35, y - 0.45) for x, y in points], (60, 76, 92))
    sheet.polygon(stem, (206, 222, 232))
    sheet.polygon(cap, (150, 176, 198))
    inner = [at(3.3 * math.cos(a), 2.3 * math.sin(a) + 0.6) for a in np.linspace(0.05, math.pi - 0.05, 14)]
    sheet.polygon(inner, (216, 232, 240))
    sheet.curve([at(-2.6, 0.9), at(0, 1.4), at(2.6, 0.9)], 0.5, (110, 134, 160))


def _broccoli(sheet: _Sheet, x_mm: float, y_mm: float) -> None:
    sheet.line((x_mm, y_mm), (x_mm + 0.4, y_mm - 4.2), 1.7, (110, 190, 140))
    for reach, radius_mm, colour in ((2.2, 1.9, (28, 92, 40)), (1.9, 1.5, (44, 128, 62)), (1.2, 0.9, (70, 160, 92))):
        for turn in np.linspace(0, math.pi, 4):
            sheet.disc(x_mm + reach * math.cos(turn), y_mm + reach * math.sin(turn) * 0.9, radius_mm, colour)


def _shreds(colour: Colour) -> Topping:
    def draw(sheet: _Sheet, x_mm: float, y_mm: float) -> None:
        for _ in range(4):
            turn = float(sheet.rng.uniform(0, math.pi))
            dx, dy = 2.6 * math.cos(turn), 2.6 * math.sin(turn)
            x, y = x_mm + float(sheet.rng.uniform(-1.6, 1.6)), y_mm + float(sheet.rng.uniform(-1.6, 1.6))
            sheet.line((x - dx + 0.2, y - dy - 0.3), (x + dx + 0.2, y + dy - 0.3), 1.0, (70, 150, 190))
            sheet.line((x - dx, y - dy), (x + dx, y + dy), 0.9, colour)

    return draw


_RECIPES: Mapping[int, _Recipe] = {
    3: _Recipe(
        (48, 140, 96), (110, 206, 168), ((_broccoli, 5, 4.2), (_strip((60, 214, 246), (150, 240, 255), 8, 1.5), 4, 3.6))
    ),
    4: _Recipe((40, 96, 226), (84, 152, 246), ((_blob((226, 242, 246), 4.4, (60, 90, 160)), 4, 4.8), (_leaf, 4, 4.0))),
    5: _Recipe(
        (26, 44, 84),
        (44, 84, 146),
        ((_chunk((150, 196, 228), (20, 34, 60), 3.8, 6), 5, 4.0), (_hoop((150, 60, 150), 3.0, 0.9), 4, 3.4)),
    ),
    6: _Recipe(
        (40, 160, 240),
        (70, 216, 252),
        (
            (_chunk((90, 236, 255), (20, 110, 190), 3.9, 3), 5, 3.8),
            (_chunk((160, 150, 240), (60, 70, 170), 3.3, 4), 4, 3.4),
        ),
    ),
    7: _Recipe(
        (190, 196, 200),
        (232, 238, 238),
        (
            (_hoop((38, 34, 40), 2.5, 1.6, (120, 150, 160)), 8, 3.4),
            (_chunk((252, 252, 250), (150, 156, 160), 2.6, 4), 4, 2.8),
        ),
    ),
    8: _Recipe((98, 118, 150), (142, 166, 190), ((_mushroom, 6, 4.8),)),
    9: _Recipe(
        (24, 112, 232),
        (44, 152, 250),
        (
            (_hoop((60, 168, 90), 3.2, 1.5, (130, 214, 176)), 5, 3.9),
            (_blob((60, 220, 252), 1.3, (20, 110, 180)), 9, 1.5),
        ),
    ),
    10: _Recipe(
        (28, 26, 116),
        (46, 48, 156),
        ((_strip((120, 118, 220), (190, 200, 246), 11, 2.6), 4, 4.6), (_blob((44, 62, 96), 2.3, (16, 18, 50)), 6, 2.5)),
    ),
    11: _Recipe(
        (96, 200, 240),
        (166, 234, 252),
        (
            (_blob((84, 164, 228), 3.6, (70, 150, 214)), 3, 4.0),
            (_shreds((222, 250, 255)), 6, 3.4),
            (_hoop((100, 180, 226), 2.0, 0.6), 4, 2.2),
        ),
    ),
    -3: _Recipe(
        (132, 104, 60),
        (170, 150, 104),
        ((_chunk((120, 238, 250), (90, 90, 60), 3.0, 7), 3, 3.2), (_blob((60, 90, 70), 1.1, (40, 50, 36)), 6, 1.4)),
    ),
}
_SUPREME = _Recipe(
    (120, 40, 110),
    (160, 84, 150),
    (
        (_leaf, 2, 4.0),
        (_hoop((38, 34, 40), 2.3, 1.5, (120, 150, 160)), 3, 3.0),
        (_strip((60, 214, 246), (150, 240, 255), 8, 1.5), 3, 3.6),
        (_mushroom, 2, 4.6),
    ),
)


def _recipe_of(value: int) -> _Recipe:
    try:
        return _RECIPES[value]
    except KeyError:
        raise ValueError(f"no art for a slice of value {value}: there is art for {sorted(_RECIPES)}") from None


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


def _draw_board(sheet: _Sheet, colour: Colour) -> None:
    sheet.image[:] = colour
    sheet.blend(np.clip(0.10 * sheet.mottle(14.0) + 0.04 * sheet.mottle(3.0), 0, 1).astype(np.float32), (150, 160, 150))
    _frame(sheet)


def _frame(sheet: _Sheet) -> None:
    x_mm, y_mm = sheet.grid()
    inside = np.minimum(SPECIAL_WIDTH_MM / 2 - np.abs(x_mm), SPECIAL_HEIGHT_MM / 2 - np.abs(y_mm))
    sheet.paint(inside < 3.2, _FRAME)
    sheet.paint((inside > 0.7) & (inside < 1.9), _FRAME_LIGHT)
    sheet.paint((inside >= 3.2) & (inside < 3.6), (24, 26, 24))


def _write_words(sheet: _Sheet, words: str) -> None:
    """Below the emblem, as large as it fits."""
    for capital_mm, widest in ((2.9, 18), (2.5, 21), (2.2, 24), (1.9, 28)):
        lines = _wrap(words, widest)
        if len(lines) * 1.65 * capital_mm <= 22.0:
            break
    for number, line in enumerate(lines):
        y_mm = -19.5 - 1.65 * capital_mm * number
        sheet.text(line, 0, y_mm, capital_mm, 52.0, (214, 228, 232), weight=500)


def _chalk_dust(sheet: _Sheet) -> None:
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


def _draw_emblem(sheet: _Sheet, face: str, chalk: Colour) -> None:
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
