"""What is compared between a table and an enrolled face: keypoints, and colours on a lattice."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.marker_edges import CELLS
from vision.mat.markers import DICTIONARY
from vision.mat.rectify import PX_PER_MM, Box, TableMap, sample

Array = NDArray[np.float64]
Colours = NDArray[np.float32]
"""Logarithms of blue, green and red: light that grows or changes colour adds the same number to all."""

PATCH_PX = 19
_MARGIN = PATCH_PX // 2 + 1
_AROUND_PX = 24
"""What a corner is told by and described by reaches no farther: a turned patch, blurred."""
TILE_PX = 280
FAST_THRESHOLD = 5
LOG_FLOOR = 64.0
"""Added before the logarithm, so that noise in shadows and clipped channels stay small."""
FEW = 2 * 3 * 256
"""Of fewer numbers each logarithm is worked out by itself, of more each level's once."""
PAPER_LEVEL = 215.0
"""The markers' white paper is brought to this in every channel."""


@dataclass(frozen=True, slots=True)
class Keypoints:
    """Corners on the table: where, which way they point, and what is around them."""

    points_mm: Array
    """n x 2."""
    angles_deg: Array
    """n, counter-clockwise."""
    descriptors: NDArray[np.uint8]
    """n x 32, compared by Hamming distance."""
    strength: Array
    """n."""

    def __len__(self) -> int:
        return len(self.angles_deg)

    def pick(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> "Keypoints":
        """Some of them."""
        return Keypoints(
            self.points_mm[chosen], self.angles_deg[chosen], self.descriptors[chosen], self.strength[chosen]
        )


NONE = Keypoints(np.zeros((0, 2)), np.zeros(0), np.zeros((0, 32), np.uint8), np.zeros(0))
"""No corners at all."""


def find_keypoints(
    looked: Image, table: TableMap, *, most: int = 9000, mask: NDArray[np.uint8] | None = None
) -> Keypoints:
    """The strongest corners of each tile of a rectified picture, at the one scale there is.

    Tiles share alike, so that a bold tablecloth does not outvote pale pieces. With a mask only tiles that it touches
    are looked at, and in them only what it shows and what is around that.
    """
    columns, rows = max(round(table.width / TILE_PX), 1), max(round(table.height / TILE_PX), 1)
    orb = cv2.ORB.create(
        nfeatures=max(most // (columns * rows), 20),
        nlevels=1,
        fastThreshold=FAST_THRESHOLD,
        edgeThreshold=_MARGIN,
        patchSize=PATCH_PX,
    )
    found: list[tuple[Array, NDArray[np.uint8]]] = []
    for top, bottom in _spans(table.height, rows):
        for left, right in _spans(table.width, columns):
            tile = Box(left, top, right, bottom)
            if mask is not None:
                tile = _shown_in(tile, mask)
            if not tile.pixels:
                continue
            grey = cv2.cvtColor(looked[tile.inside], cv2.COLOR_BGR2GRAY)
            corners, descriptors = orb.detectAndCompute(grey, None if mask is None else mask[tile.inside])
            if descriptors is not None:
                spots = np.array([(k.pt[0] + tile.left, k.pt[1] + tile.top, -k.angle, k.response) for k in corners])
                found.append((spots, np.asarray(descriptors, np.uint8)))
    if not found:
        return NONE
    spots = np.concatenate([part for part, _ in found])
    together = np.concatenate([part for _, part in found])
    return Keypoints(table.to_table(spots[:, :2]), spots[:, 2], together, spots[:, 3])


def _shown_in(tile: Box, mask: NDArray[np.uint8]) -> Box:
    """The part of a tile that a mask shows, with as much around it as corners there may depend on."""
    left, top, width, height = cv2.boundingRect(mask[tile.inside])
    if not width:
        return Box(tile.left, tile.top, tile.left, tile.top)
    return Box(
        max(tile.left + left - _AROUND_PX, tile.left), max(tile.top + top - _AROUND_PX, tile.top),
        min(tile.left + left + width + _AROUND_PX, tile.right), min(tile.top + top + height + _AROUND_PX, tile.bottom),
    )  # fmt: skip


def _spans(length: int, count: int) -> list[tuple[int, int]]:
    """Starts and ends of tiles that overlap by what corners at their edges need."""
    edges = [round(i * length / count) for i in range(count + 1)]
    return [(max(a - _MARGIN, 0), min(b + _MARGIN, length)) for a, b in pairwise(edges)]


def soften(looked: Image) -> Image:
    """The rectified picture blurred to the lattice's fineness."""
    return np.asarray(cv2.GaussianBlur(looked, (0, 0), 0.9 * PX_PER_MM), np.uint8)


def light_gain(looked: Image, table: TableMap, markers_mm: Mapping[int, Array]) -> NDArray[np.float32]:
    """What each channel is to be multiplied by to make the white of the mat's markers (those seen: where the corners of
    each lie) white."""
    points = np.concatenate([white_cells_mm(marker, corners) for marker, corners in markers_mm.items()])
    pixels = table.to_map(points).astype(np.float32).reshape(1, -1, 2)
    paper = np.median(sample(looked, pixels)[0], axis=0)
    return np.asarray(np.clip(PAPER_LEVEL / np.maximum(paper, 1.0), 0.7, 8.0), np.float32)


def sample_colours(soft: Image, table: TableMap, gain: NDArray[np.float32], points_mm: Array) -> Colours:
    """Colours of a softened map at table points (... x 2 gives ... x 3), white paper brought to `PAPER_LEVEL`."""
    pixels = table.to_map(points_mm).astype(np.float32)
    flat = pixels.reshape(1, -1, 2) if pixels.size < 30000 * 2 else pixels.reshape(-1, pixels.shape[-2], 2)
    return log_colours(sample(soft, flat).reshape(*pixels.shape[:-1], 3), gain)


def log_colours(seen: Image, gain: NDArray[np.float32]) -> Colours:
    """Logarithms of values (... x 3) with light of this gain."""
    if seen.size < FEW:
        return np.asarray(np.log(seen * gain + np.float32(LOG_FLOOR)), np.float32)
    return np.asarray(cv2.LUT(seen.reshape(1, -1, 3), logarithms(gain)), np.float32).reshape(seen.shape)


def levels_of(colours: Colours) -> NDArray[np.float32]:
    """The levels, of white paper's `PAPER_LEVEL`, whose logarithms these colours are."""
    return np.asarray(np.maximum(np.exp(colours) - np.float32(LOG_FLOOR), np.float32(0.0)), np.float32)


def logarithms(gain: NDArray[np.float32]) -> Colours:
    """1 x 256 x 3: what each level of a channel is with light of this gain, for `cv2.LUT`."""
    levels = np.arange(256, dtype=np.float32)[None, :, None]
    return np.asarray(np.log(levels * gain + np.float32(LOG_FLOOR)), np.float32)


def white_cells_mm(marker: int, corners_mm: Array) -> Array:
    """Centres of the white squares of a marker whose corners (4 x 2) lie there."""
    return _in_corners(_cells(marker, white=True), corners_mm)


def black_cells_mm(marker: int, corners_mm: Array) -> Array:
    """Centres of the black squares of a marker whose corners (4 x 2) lie there."""
    return _in_corners(_cells(marker, white=False), corners_mm)


def _in_corners(shares: Array, corners_mm: Array) -> Array:
    first, right, _, below = corners_mm
    return np.asarray(first + shares @ np.stack([right - first, below - first]))


@cache
def _cells(marker: int, *, white: bool) -> Array:
    """Centres of a marker's white or black squares, as shares of its sides from its top left."""
    bits = DICTIONARY.generateImageMarker(marker, CELLS)
    rows, columns = np.nonzero((bits > 127) == white)
    cells = (np.column_stack([columns, rows]) + 0.5) / CELLS
    cells.setflags(write=False)
    return cells
