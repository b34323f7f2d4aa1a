"""Things that do not belong on the table, outlined by a small network that looks at the table from above.

It tells by how things look, where rules (see lying_about.py) tell by what no light does: a plain grey mug, white paper
on a white mat, a fork. Of a table that is watched a smaller one weighs what that says with what changed. Plain ONNX
files beside this module, run by OpenCV; tests/rigs/things_training trains them.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from threading import Lock

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.hiding.cells import CoarseMap, square
from vision.hiding.ground import FLOOR, LOGARITHMS
from vision.masks import Mask, part_around
from vision.motion import Small
from vision.pieces.faces import MAT_HALF_MM

Floats = NDArray[np.float32]

FINE = 2
"""So many of the network's pixels to a cell, each way."""
CHANNELS = 6
"""Colours; where pieces are seen, where the mat lies, what the picture shows of the table."""
WEIGHED = 11
"""What the first one says (logit), and of each cell the same; how each colour changed, and where that is known."""
LEAST_GROUND = 200
"""From fewer cells it is not told how the mat looks, or the table."""
AROUND = 24
"""So many cells around those it is asked about the network looks at."""
STEP = 16
"""What the network is shown has a multiple of so many cells each way."""
SPREAD, MOST = 0.3, 5.0
"""A colour (logarithm) that is so much brighter than the ground's counts as one; none counts as more than so many."""
CHANGE = 0.15
"""What became so much brighter (logarithm) counts as one."""


@dataclass(frozen=True, slots=True)
class Changed:
    """How the table changed since what lies there was seen first, in cells (h x w)."""

    light: Floats
    """By how much each colour is brighter (h x w x 3, logarithms) than most of the table became: see `changes`."""
    known: Mask
    """255 where that is known."""


class ThingOutliner:
    """The networks. Keeps nothing between pictures, and may be asked by several threads."""

    def __init__(self, network: bytes, weigher: bytes) -> None:
        """From the contents of two ONNX files."""
        self._net, self._weigher = (
            cv2.dnn.readNetFromONNX(np.frombuffer(one, np.uint8), cv2.dnn.ENGINE_NEW) for one in (network, weigher)
        )
        self._turn = Lock()

    def likelihoods(
        self,
        looked: Image,
        coarse: CoarseMap,
        pieces: Mask,
        within: Mask | None = None,
        changed: Changed | None = None,
    ) -> Floats:
        """How likely a thing is seen in each cell (h x w, 0 to 1); `looked` is the table from above, and where `pieces`
        are seen (255, in cells) is none. Only cells `within` are asked about, where that is given: it is faster, and
        what it says of others means nothing. Of a table that is watched it is known what `changed`."""
        fine, mat = shrunk(looked, coarse), mat_of(coarse)
        usual = usual_colours(fine, pieces, mat, coarse.seen)
        part = part_around(np.full_like(pieces, 255) if within is None else within, AROUND)
        masks = [np.ascontiguousarray(mask[part]) for mask in (pieces, mat, coarse.seen)]
        pixels = tuple(slice(FINE * side.start, FINE * side.stop) for side in part)
        likely = np.zeros(pieces.shape, np.float32)
        change = None if changed is None else Changed(changed.light[part], changed.known[part])
        values = shown(np.ascontiguousarray(fine[pixels]), masks[0], masks[1], masks[2], usual)
        likely[part] = self.of(values, masks[0].shape, change)
        return likely

    def of(self, values: Floats, cells: tuple[int, ...], changed: Changed | None = None) -> Floats:
        """The same of so many rows and columns of cells, `shown` to it, and of what `changed`."""
        logits = self._asked(self._net, values)
        if changed is not None:
            logits = self._asked(self._weigher, weighed(logits, values, changed))
        return np.asarray(1.0 / (1.0 + np.exp(-logits[: cells[0], : cells[1]])), np.float32)

    def _asked(self, network: cv2.dnn.Net, values: Floats) -> Floats:
        """What one of the networks says of each cell (h x w, logits)."""
        with self._turn:
            network.setInput(values[None])
            return np.asarray(np.array(network.forward(), np.float32)[0, 0])


@cache
def thing_outliner() -> ThingOutliner:
    """The networks that come with the package, loaded once."""
    here = files("vision.hiding")
    return ThingOutliner((here / "things.onnx").read_bytes(), (here / "changed.onnx").read_bytes())


def shrunk(looked: Image, coarse: CoarseMap) -> Image:
    """The table from above, as small as the network takes it."""
    size = FINE * coarse.width, FINE * coarse.height
    return np.asarray(cv2.resize(looked, size, interpolation=cv2.INTER_AREA), np.uint8)


def mat_of(coarse: CoarseMap) -> Mask:
    """255 in the cells in which the mat lies, or would, where its corners lie loose."""
    return coarse.polygons([square(0.0, 0.0, MAT_HALF_MM)])


def usual_colours(fine: Image, pieces: Mask, mat: Mask, seen: Mask) -> Floats:
    """The median of each colour (2 x 3, logarithms) of the bare table beside the mat and of the bare mat: see
    `shown`."""
    colours, bare = fine[::FINE, ::FINE], (seen > 0) & (pieces == 0)
    grounds = [LOGARITHMS[colours[bare & (on_mat)]] for on_mat in (mat == 0, mat > 0)]
    medians = [np.median(ground, axis=0) if len(ground) >= LEAST_GROUND else None for ground in grounds]
    beside, on_mat = (one if one is not None else other for one, other in (medians, medians[::-1]))
    nothing = np.zeros(3)
    return np.array([nothing if one is None else one for one in (beside, on_mat)], np.float32)


def changes(now: Small, before: Small, known: Mask) -> Floats:
    """By how much brighter (logarithms) each colour is in a small picture than it was `before` (rows x columns x 3
    each), beside what half of what is `known` (255) became."""
    brighter = np.log(now + np.float32(FLOOR)) - np.log(before + np.float32(FLOOR))
    some = brighter[known > 0]
    return np.asarray(brighter - np.median(some, axis=0) if len(some) else brighter, np.float32)


def shown(fine: Image, pieces: Mask, mat: Mask, seen: Mask, usual: Floats) -> Floats:
    """What the network takes (`CHANNELS` x h x w) of the table from above (see `shrunk`) and of what is known of its
    cells (255 or 0). Beside the mat and on it the ground's `usual` colour counts as nothing: how bright a mat is on its
    table tells of no thing."""
    height, width = pieces.shape
    rows, columns = (-(-side // STEP) * STEP * FINE for side in (height, width))
    values = np.zeros((CHANNELS, rows, columns), np.float32)
    for channel, mask in zip(values[3:], (pieces, mat, seen), strict=True):
        large = cv2.resize(mask, (FINE * width, FINE * height), interpolation=cv2.INTER_NEAREST)
        channel[: FINE * height, : FINE * width] = large > 0
    on_mat = values[4, : FINE * height, : FINE * width] > 0
    for channel, colour, beside, on_it in zip(values, cv2.split(cv2.LUT(fine, LOGARITHMS)), *usual, strict=False):
        away = (colour - np.where(on_mat, on_it, beside)) / np.float32(SPREAD)
        channel[: FINE * height, : FINE * width] = np.clip(away, -MOST, MOST)
    values[:3] *= values[5]
    return values


def weighed(logits: Floats, values: Floats, changed: Changed) -> Floats:
    """What the second network takes (`WEIGHED` x h x w) of what the first says of the `values` that are `shown` to it,
    and of what `changed`."""
    rows, columns = logits.shape
    height, width = changed.known.shape
    known = (changed.known > 0).astype(np.float32)
    channels = np.zeros((WEIGHED, rows, columns), np.float32)
    channels[0] = logits
    for channel, one in zip(channels[1:7], values, strict=True):
        channel[:] = cv2.resize(one, (columns, rows), interpolation=cv2.INTER_AREA)
    for channel, colour in zip(channels[7:10], cv2.split(np.ascontiguousarray(changed.light)), strict=True):
        channel[:height, :width] = np.clip(colour * np.float32(1 / CHANGE), -MOST, MOST) * known
    channels[10, :height, :width] = known
    return channels
