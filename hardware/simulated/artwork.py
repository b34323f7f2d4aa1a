"""A face's picture, and the sheet in millimetres on which our own art draws it."""

import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

SLICE_LENGTH_MM = 100.0
SLICE_ANGLE_DEG = 360.0 / 11.0
SPECIAL_WIDTH_MM = 60.0
SPECIAL_HEIGHT_MM = 90.0
HALF_ANGLE = math.radians(SLICE_ANGLE_DEG / 2)
"""Of a slice."""

Colour = tuple[int, int, int]
"""Blue, green, red, 0 to 255."""
Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]

_MARGIN_MM = 1.5
_SUPERSAMPLING = 2


@dataclass(frozen=True, slots=True)
class Artwork:
    """A face's picture.

    `image` is blue-green-red-alpha, the pose's angle points up in it, and the pose's point is at `anchor_px`
    (column, row; whole numbers are pixel centres).
    """

    image: Picture
    px_per_mm: float
    anchor_px: tuple[float, float]


class Drawings(Mapping[str, Artwork]):
    """Faces, each drawn when it is first asked for."""

    def __init__(self, drawers: Mapping[str, Callable[[], Artwork]]) -> None:
        self._drawers = drawers
        self._drawn: dict[str, Artwork] = {}

    def __getitem__(self, face: str) -> Artwork:
        if face not in self._drawn:
            self._drawn[face] = self._drawers[face]()
        return self._drawn[face]

    def __contains__(self, face: object) -> bool:
        return face in self._drawers

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawers)

    def __len__(self) -> int:
        return len(self._drawers)


def in_grey(art: Mapping[str, Artwork]) -> Mapping[str, Artwork]:
    """The faces as a printer without colour prints them."""

    def grey(colours: Picture) -> Picture:
        return np.repeat(cv2.cvtColor(colours, cv2.COLOR_BGR2GRAY).astype(np.uint8)[..., None], 3, axis=2)

    return _printed(art, grey)


def in_little_ink(art: Mapping[str, Artwork], ink: float) -> Mapping[str, Artwork]:
    """The faces as a printer prints them that takes such a share of the ink."""
    return _printed(art, lambda colours: np.round(255.0 - ink * (255.0 - colours)).astype(np.uint8))


def _printed(art: Mapping[str, Artwork], how: Callable[[Picture], Picture]) -> Mapping[str, Artwork]:
    """All faces printed so: what is done to colours (rows x columns x 3, blue, green, red). Cutters are not printed."""

    def printed(face: str) -> Artwork:
        whole = art[face]
        if face.startswith("cutter/"):
            return whole
        return replace(whole, image=np.dstack([how(np.ascontiguousarray(whole.image[..., :3])), whole.image[..., 3]]))

    return Drawings({face: partial(printed, face) for face in art})


@dataclass
class Sheet:
    """A drawing in millimetres, origin at the pose's point, y up."""

    image: Picture
    scale: float
    origin: tuple[float, float]
    px_per_mm: float
    rng: np.random.Generator
    fish: list[tuple[float, float, float]] = field(default_factory=list)
    discs: list[tuple[float, float, float]] = field(default_factory=list)

    @classmethod
    def for_slice(cls, px_per_mm: float, face: str) -> "Sheet":
        half_width = SLICE_LENGTH_MM * math.sin(HALF_ANGLE) + _MARGIN_MM
        return cls._make(px_per_mm, face, half_width, SLICE_LENGTH_MM + _MARGIN_MM, _MARGIN_MM)

    @classmethod
    def for_special(cls, px_per_mm: float, face: str) -> "Sheet":
        half_height = SPECIAL_HEIGHT_MM / 2 + _MARGIN_MM
        return cls._make(px_per_mm, face, SPECIAL_WIDTH_MM / 2 + _MARGIN_MM, half_height, half_height)

    @classmethod
    def _make(cls, px_per_mm: float, face: str, half_width: float, above: float, below: float) -> "Sheet":
        left, up, down = (math.ceil(part * px_per_mm) * _SUPERSAMPLING for part in (half_width, above, below))
        image = np.zeros((up + down, 2 * left, 3), np.uint8)
        rng = np.random.default_rng(zlib.crc32(face.encode()))
        return cls(image, px_per_mm * _SUPERSAMPLING, (left - 0.5, up - 0.5), px_per_mm, rng)

    def finish(self, mask: Picture) -> Artwork:
        """Scale down to the wanted size with the mask as alpha."""
        image = cv2.merge([self.image, mask])
        height, width = mask.shape
        small = cv2.resize(image, (width // _SUPERSAMPLING, height // _SUPERSAMPLING), interpolation=cv2.INTER_AREA)
        anchor = tuple((part + 0.5) / _SUPERSAMPLING - 0.5 for part in self.origin)
        return Artwork(np.asarray(small, np.uint8), self.px_per_mm, (anchor[0], anchor[1]))

    def grid(self) -> tuple[Floats, Floats]:
        """Every pixel's x and y in millimetres."""
        rows, columns = self.image.shape[:2]
        x_mm = (np.arange(columns, dtype=np.float32) - self.origin[0]) / self.scale
        y_mm = (self.origin[1] - np.arange(rows, dtype=np.float32)) / self.scale
        grid_x, grid_y = np.meshgrid(x_mm, y_mm)
        return grid_x.astype(np.float32), grid_y.astype(np.float32)

    def polar(self) -> tuple[Floats, Floats]:
        """Every pixel's distance from the origin and its angle from straight up."""
        x_mm, y_mm = self.grid()
        return np.hypot(x_mm, y_mm), np.arctan2(x_mm, y_mm)

    def mottle(self, cell_mm: float) -> Floats:
        """Smooth noise of mean 0 and deviation about 1 with blobs of the given size."""
        rows, columns = self.image.shape[:2]
        size = (max(3, int(columns / self.scale / cell_mm) + 3), max(3, int(rows / self.scale / cell_mm) + 3))
        cells = self.rng.standard_normal((size[1], size[0])).astype(np.float32)
        return np.asarray(cv2.resize(cells, (columns, rows), interpolation=cv2.INTER_CUBIC), np.float32)

    def paint(self, mask: NDArray[np.bool_], colour: Colour) -> None:
        cv2.copyTo(self._flat(colour), mask.astype(np.uint8), self.image)

    def blend(self, weight: Floats, colour: Colour) -> None:
        """Mix a colour in, weight 0 to 1."""
        self.image[:] = cv2.blendLinear(self.image, self._flat(colour), 1 - weight, weight)

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

    def star(self, x_mm: float, y_mm: float, radius_mm: float, colour: Colour, edge: Colour) -> None:
        """A star of five points, with an edge."""

        def points(scale: float) -> list[tuple[float, float]]:
            reach = [radius_mm * scale * (1.0 if k % 2 == 0 else 0.45) for k in range(10)]
            turns = [k * math.pi / 5 for k in range(10)]
            return [(x_mm + r * math.sin(t), y_mm + r * math.cos(t)) for r, t in zip(reach, turns, strict=True)]

        self.polygon(points(1.18), edge)
        self.polygon(points(0.9), colour)

    def filled(self, points_mm: Iterable[tuple[float, float]]) -> Picture:
        """A mask of the drawing, 255 inside an outline."""
        mask = np.zeros(self.image.shape[:2], np.uint8)
        points = np.array([self.px(*point) for point in points_mm], np.int32)
        cv2.fillPoly(mask, [points], (255,), cv2.LINE_8, 4)
        return mask

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

    def _flat(self, colour: Colour) -> Picture:
        flat = np.empty_like(self.image)
        cv2.rectangle(flat, (0, 0), (flat.shape[1], flat.shape[0]), colour, -1)
        return flat


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
