"""The bare table's own colours where it is made of planks or stripes: along these they hardly change, across they do.

Each place has the middle colour of what lies before and behind it in the one direction in which colours change least;
so planks of two tones are seen through, as are gaps between them and grain.
"""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.rectify import PX_PER_MM

REACH_MM = 150.0
"""A place's colour is that of most of what lies so far before and behind it: cards cover less of a plank."""
ALONG_PX_PER_MM = 0.15
"""Along planks colours change slowly: a pixel may be as long as a quarter of a card is wide. Across them each of the
map's pixels counts, as gaps between planks are a millimetre wide."""
SEARCH_PX_PER_MM, SEARCH_ALONG_PX_PER_MM = 0.3, 0.075
"""As coarse as that directions are compared."""
TURNS_DEG = (7.5, 3.75, 1.875, 0.9375, 0.46875)
"""The steps between directions that are compared: first all of them, then those beside the best. Over REACH_MM the last
step is as much as a gap."""
PLAIN = 10.0
"""What differs by many more levels, of three colours together, is a piece or another plank in whichever direction: by
how much says nothing."""
WHOLLY, NOTHING = 255, 999
"""A pixel that lies wholly inside, and more than every level."""

Pixels = NDArray[np.uint8]


def along_grain(looked: Image, part: NDArray[np.bool_]) -> Image:
    """A map of the table whose `part` looks as it would with nothing on it, if that is made of planks or stripes."""
    small = np.asarray(cv2.resize(looked, None, fx=_SEARCHED, fy=_SEARCHED, interpolation=cv2.INTER_AREA), np.uint8)
    whole = np.asarray(part * np.uint8(WHOLLY), np.uint8)
    inside = np.asarray(cv2.resize(whole, (small.shape[1], small.shape[0]), interpolation=cv2.INTER_AREA), np.uint8)
    compared: dict[float, float] = {}

    def change(turn_deg: float) -> float:
        """How much is unlike what lies along a direction, 0 to 1."""
        if turn_deg not in compared:
            turned = _Turned(small.shape, turn_deg, SEARCH_ALONG_PX_PER_MM / SEARCH_PX_PER_MM)
            seen, there = turned.there(small), turned.there(inside) == WHOLLY
            middle = _middles(seen, there, round(REACH_MM * SEARCH_ALONG_PX_PER_MM))
            off = np.abs(seen.astype(np.int16) - middle).sum(axis=2)[there]
            compared[turn_deg] = float((off / (off + PLAIN)).mean()) if off.size else 0.0
        return compared[turn_deg]

    best = min(np.arange(0.0, 180.0, TURNS_DEG[0]), key=change)
    for step in TURNS_DEG[1:]:
        best = min((best - step, best, best + step), key=change)
    turned = _Turned(looked.shape, float(best), ALONG_PX_PER_MM / PX_PER_MM)
    seen, there = turned.there(looked), turned.there(whole) == WHOLLY
    middle = _middles(seen, there, round(REACH_MM * ALONG_PX_PER_MM))
    # Where nothing lies along a row, what lies beside it counts.
    known = turned.back(np.asarray(middle.any(axis=2) * np.uint8(WHOLLY), np.uint8))[..., None]
    levels = turned.back(middle).astype(np.float32) * WHOLLY / np.maximum(known, 1)
    return np.asarray(np.where(known > WHOLLY // 8, np.minimum(levels, 255.0), looked), np.uint8)


_SEARCHED = SEARCH_PX_PER_MM / PX_PER_MM


class _Turned:
    """A picture turned so that a direction runs along its rows, in which it is made shorter."""

    def __init__(self, shape: tuple[int, ...], turn_deg: float, shorter: float) -> None:
        height, width = shape[:2]
        self._size = (width, height)
        turn = np.radians(turn_deg)
        way = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        reach = np.abs(way) @ [width, height]
        self._shorter = shorter
        self._whole = (int(reach[0]) + 1, int(reach[1]) + 1)
        self._matrix = np.column_stack([way, np.array(self._whole) / 2 - way @ np.array(self._size) / 2])

    def there(self, picture: Pixels) -> Pixels:
        """The picture turned; beyond it 0."""
        turned = cv2.warpAffine(picture, self._matrix, self._whole, flags=cv2.INTER_LINEAR)
        size = (max(1, round(self._whole[0] * self._shorter)), self._whole[1])
        return np.asarray(cv2.resize(turned, size, interpolation=cv2.INTER_AREA), np.uint8)

    def back(self, turned: Pixels) -> Image:
        """The inverse."""
        whole = cv2.resize(turned, self._whole, interpolation=cv2.INTER_LINEAR)
        back = cv2.warpAffine(whole, self._matrix, self._size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
        return np.asarray(back, np.uint8)


def _middles(seen: Pixels, inside: NDArray[np.bool_], half: int) -> Pixels:
    """Each pixel's colour: the middle levels of those `inside` that lie in its row, up to `half` before and behind."""
    levels = np.where(inside[..., None], seen, np.int32(NOTHING))
    counts = _windows(inside, half, False).sum(axis=-1)
    middle = (np.maximum(counts - 1, 0) // 2)[..., None]
    # Of 32 bits and one colour at a time: so numpy sorts fast on every processor, in little memory.
    chosen = [
        np.take_along_axis(np.sort(_windows(levels[..., colour], half, NOTHING), axis=-1), middle, axis=-1)
        for colour in range(seen.shape[2])
    ]
    return np.asarray(np.where(counts[..., None] > 0, np.concatenate(chosen, axis=-1), 0), np.uint8)


def _windows(values: NDArray[Any], half: int, beyond: int) -> NDArray[Any]:
    """Of each pixel those up to `half` before and behind it in its row, along a last axis."""
    padded = np.pad(values, ((0, 0), (half, half)), constant_values=beyond)
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1, axis=1)
