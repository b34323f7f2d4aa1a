"""The picture turned into a map of the table, looked at straight from above."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.registration import Registration

Array = NDArray[np.float64]

PX_PER_MM = 1.25
REACH_MM = (640.0, 420.0)
"""Nothing further than this from the mat's centre is looked at."""
_STEP = 16

MOST_ROWS = 1 << 14
"""OpenCV remaps no more than 32 766 rows at once."""


@dataclass(frozen=True, slots=True)
class Box:
    """Part of a map: columns from `left` and rows from `top`, up to and without `right` and `bottom`."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def pixels(self) -> int:
        """How many pixels it has."""
        return max(self.right - self.left, 0) * max(self.bottom - self.top, 0)

    @property
    def inside(self) -> tuple[slice, slice]:
        """Rows and columns."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def grown(self, by_px: int, width: int, height: int) -> "Box":
        """With a margin, as far as the map goes."""
        return Box(
            max(self.left - by_px, 0), max(self.top - by_px, 0),
            min(self.right + by_px, width), min(self.bottom + by_px, height),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class TableMap:
    """Which part of the table a map shows, and where each of its pixels lies in the picture."""

    left_mm: float
    top_mm: float
    width: int
    height: int
    source: NDArray[np.int16]
    fraction: NDArray[np.uint16]
    seen: NDArray[np.uint8]
    """255 where the map's pixel is inside the picture."""

    def to_map(self, points_mm: Array) -> Array:
        """Map pixels of table points (... x 2)."""
        pixels = np.empty(points_mm.shape)
        pixels[..., 0] = (points_mm[..., 0] - self.left_mm) * PX_PER_MM
        pixels[..., 1] = (self.top_mm - points_mm[..., 1]) * PX_PER_MM
        return pixels

    def to_table(self, points_px: Array) -> Array:
        """Table points of map pixels (... x 2)."""
        return np.stack(
            [self.left_mm + points_px[..., 0] / PX_PER_MM, self.top_mm - points_px[..., 1] / PX_PER_MM], axis=-1
        )

    def shows(self, points_mm: Array) -> NDArray[np.bool_]:
        """Whether the picture shows table points (... x 2)."""
        pixels = np.round(self.to_map(points_mm)).astype(np.intp)
        column, row = pixels[..., 0], pixels[..., 1]
        inside = (column >= 0) & (row >= 0) & (column < self.width) & (row < self.height)
        column, row = np.clip(column, 0, self.width - 1), np.clip(row, 0, self.height - 1)
        return np.asarray(inside & (self.seen[row, column] > 0))

    def meets(self, mask: NDArray[np.uint8], points_mm: Array) -> NDArray[np.bool_]:
        """Whether a mask of this map is set at table points (... x 2); beyond the map as at its edge."""
        pixels = (self.to_map(points_mm) + 0.5).astype(np.intp)
        column = np.minimum(np.maximum(pixels[..., 0], 0), self.width - 1)
        row = np.minimum(np.maximum(pixels[..., 1], 0), self.height - 1)
        return np.asarray(mask[row, column] > 0)

    def look(self, image: Image, box: Box | None = None) -> Image:
        """The table (or this part of it) seen from above."""
        part = (slice(None), slice(None)) if box is None else box.inside
        looked = cv2.remap(image, self.source[part], self.fraction[part], cv2.INTER_LINEAR)
        return np.asarray(looked, np.uint8)


def sample(picture: NDArray[np.uint8], points_px: NDArray[np.float32]) -> NDArray[np.uint8]:
    """A picture's values at points (rows x columns x 2), between pixels linearly, beyond its edge as at the edge."""
    if len(points_px) > MOST_ROWS:
        parts = range(0, len(points_px), MOST_ROWS)
        return np.concatenate([sample(picture, points_px[start : start + MOST_ROWS]) for start in parts])
    columns, rows = cv2.split(points_px)
    seen = cv2.remap(picture, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.uint8)


def table_map(registration: Registration, around_mm: Array | None = None) -> TableMap:
    """The map of all of the table that the picture shows, as far as pieces may lie; or of its part around some points
    (n x 2), whose pixels show the same."""
    width_px, height_px = registration.size_px
    shares = np.array([[0, 0], [0.5, 0], [1, 0], [1, 0.5], [1, 1], [0.5, 1], [0, 1], [0, 0.5]])
    edge = shares * [width_px - 1, height_px - 1]
    corners = registration.to_table(edge)
    low = np.maximum(corners.min(0), [-REACH_MM[0], -REACH_MM[1]])
    high = np.minimum(corners.max(0), [REACH_MM[0], REACH_MM[1]])
    if around_mm is not None:
        low, high = _part(low, high, around_mm)
    width, height = (int(np.ceil(side * PX_PER_MM)) for side in high - low)
    coarse_x, coarse_y = np.meshgrid(np.arange(0, width + _STEP, _STEP), np.arange(0, height + _STEP, _STEP))
    table = np.column_stack([low[0] + coarse_x.ravel() / PX_PER_MM, high[1] - coarse_y.ravel() / PX_PER_MM])
    coarse = registration.to_picture(table).reshape(*coarse_x.shape, 2).astype(np.float32)
    fine = _upscaled(coarse, width, height)
    source, fraction = cv2.convertMaps(fine, np.empty(0, np.float32), cv2.CV_16SC2)
    inside = cv2.inRange(fine, np.array([0.0, 0.0]), np.array([width_px - 1.0, height_px - 1.0]))
    return TableMap(
        float(low[0]), float(high[1]), width, height,
        np.asarray(source, np.int16), np.asarray(fraction, np.uint16), np.asarray(inside, np.uint8),
    )  # fmt: skip


def _part(low: Array, high: Array, around_mm: Array) -> tuple[Array, Array]:
    """The ends of a part of a map whose coarse points are those of the whole, as far as some points reach."""
    step = _STEP / PX_PER_MM
    start = np.array([low[0], high[1]])
    first = np.floor((np.array([around_mm[:, 0].min(), -around_mm[:, 1].max()]) - start * [1, -1]) / step)
    last = np.ceil((np.array([around_mm[:, 0].max(), -around_mm[:, 1].min()]) - start * [1, -1]) / step)
    left, top = start + np.maximum(first, 0.0) * [step, -step]
    right, bottom = start + np.maximum(last, 1.0) * [step, -step]
    return np.array([left, max(bottom, low[1])]), np.array([min(right, high[0]), top])


def _upscaled(coarse: NDArray[np.float32], width: int, height: int) -> NDArray[np.float32]:
    """Bilinear between every `_STEP`th pixel: a lens is far smoother than that."""
    to_coarse = np.array([[1.0 / _STEP, 0.0, 0.0], [0.0, 1.0 / _STEP, 0.0]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(coarse, to_coarse, (width, height), flags=flags), np.float32)
