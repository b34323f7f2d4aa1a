"""Training samples: pieces of pictures, turned, scaled, mirrored and in other lights, with what is true of them."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.rigs.dice_training.sources import Example
from vision.dice.patches import DIE_PX, Ground, Pyramid, laid_out
from vision.dice.proposing import SIZES_PX, STRIDE
from vision.frame import Image

Array = NDArray[np.float64]
Rng = np.random.Generator
WINDOW = 96
BESIDE_DICE = 0.6
"""Of the windows of pictures with dice, so many show one; the others are cut out anywhere."""
TOLD_SHARE = 0.7
"""Of the patches of which it is known how the table lies, so many say so."""
STRETCHED_SHARE, STRETCH = 0.5, 0.11
"""So many of the patches of which nothing is told are stretched one way, as some photographs are, and how far: the
standard deviation of the logarithm."""
LEAN_OFF = 0.015
"""How far off the lean may be that is told."""


@dataclass(frozen=True)
class PatchSample:
    """A patch for the second network."""

    patch: Image
    value: int
    """0: no top of a die in its middle."""
    geometry: Array
    """dx, dy, log of the top's side, cos and sin of four times its turn; NaN where unknown."""
    lean: float | None = None
    """How far things lean up in it; None: it is not told."""


def window_sample(rng: Rng, example: Example, pyramid: Pyramid) -> tuple[Image, Array]:
    """A window for the first network, and its truth: 5 maps (heat, weight, dx, dy, log size) of a cell each."""
    low, high = SIZES_PX
    if len(example.boxes) and rng.random() < BESIDE_DICE:
        pick = int(rng.integers(len(example.boxes)))
        around, size = example.centres[pick], example.sizes[pick]
    else:
        high_px, wide_px = example.image.shape[:2]
        around, size = rng.uniform(0, 1, 2) * (wide_px, high_px), example.scale_px or rng.uniform(15, 60)
    scale = size / np.exp(rng.uniform(np.log(low * 0.9), np.log(high * 1.1)))
    turn = _turn(rng, example) * scale
    centre = around + turn @ rng.uniform(-40, 40, 2)
    window = pyramid.cut(centre, turn, WINDOW)
    return window, _heat(example, centre, turn)


def _heat(example: Example, centre: Array, turn: Array) -> Array:
    cells = WINDOW // STRIDE
    maps = np.zeros((5, cells, cells))
    maps[1] = 1.0
    yy, xx = np.mgrid[0:cells, 0:cells].astype(np.float64)
    where = (example.centres - centre) @ np.linalg.inv(turn).T + (WINDOW - 1) / 2
    sizes = example.sizes / np.sqrt(abs(np.linalg.det(turn)))
    low, high = SIZES_PX
    for at, size, value in zip((where + 0.5) / STRIDE - 0.5, sizes, example.values, strict=True):
        dx, dy = at[0] - xx, at[1] - yy
        apart = np.hypot(dx, dy) * STRIDE / size
        heat = np.exp(-((apart / 0.22) ** 2) / 2)
        if not low * 0.85 <= size <= high * 1.15 or value < 0:
            maps[1][apart < 0.7] = 0.0
            continue
        heat[apart <= apart.min() + 1e-9] = 1.0
        better = heat > maps[0]
        maps[0] = np.maximum(maps[0], heat)
        near = better & (apart < 0.45)
        maps[2][near], maps[3][near], maps[4][near] = dx[near], dy[near], np.log(size / DIE_PX)
    return maps


def patch_sample(rng: Rng, example: Example, pyramid: Pyramid, wrong: Array) -> PatchSample:
    """A patch for the second network. `wrong` (n x 3: x, y, size) are places where none should be seen."""
    readable = np.flatnonzero(example.values >= 0)
    if len(readable) and rng.random() < 0.78:
        return _patch_of(rng, example, pyramid, int(rng.choice(readable)))
    return _patch_of_nothing(rng, example, pyramid, wrong)


def wrong_sample(rng: Rng, example: Example, pyramid: Pyramid, place: Array) -> PatchSample:
    """A patch of a place (x, y, size) that was taken for a die and is none."""
    centre = place[:2] + place[2] * rng.normal(0, 0.08, 2)
    turn, lean = _laid_out(rng, example, example.ground_at(centre, rng))
    to_px = turn * place[2] * np.exp(rng.normal(0, 0.12)) / DIE_PX
    return PatchSample(pyramid.cut(centre, to_px), 0, np.full(5, np.nan), lean)


def _patch_of(rng: Rng, example: Example, pyramid: Pyramid, pick: int) -> PatchSample:
    size = example.sizes[pick]
    known = example.grounds[pick]
    if example.registration is not None:
        known = example.ground_at(example.centres[pick], rng)
    turn, lean = _laid_out(rng, example, known)
    to_px = turn * size / DIE_PX * np.exp(rng.normal(0, 0.16))
    centre = example.centres[pick] + size * np.clip(rng.normal(0, 0.10, 2), -0.24, 0.24)
    value = int(example.values[pick])
    geometry = np.full(5, np.nan)
    if value > 0 and np.isfinite(example.tops[pick]).all():
        geometry = geometry_of((example.tops[pick] - centre) @ np.linalg.inv(to_px).T)
    return PatchSample(pyramid.cut(centre, to_px), value, geometry, lean)


def _laid_out(rng: Rng, example: Example, known: Ground | None) -> tuple[Array, float | None]:
    """How a patch is cut out: mostly as the table lies where that is known, though never exactly; else at any turn."""
    if known is None or known.lean is None or rng.random() > TOLD_SHARE:
        return _turn(rng, example), None
    off = rng.normal(0, LEAN_OFF, 2)
    turn, lean = laid_out(Ground(known.plane, known.lean * np.exp(rng.normal(0, 0.12)) + off))
    return np.asarray(turn @ np.diag([rng.choice([-1.0, 1.0]), 1.0])), lean


def geometry_of(top: Array) -> Array:
    """What the second network says of a top face (4 x 2, patch pixels from its middle)."""
    middle = top.mean(0)
    sides = top[[1, 2, 3, 0]] - top
    way = (sides[:, 0] + 1j * sides[:, 1]) / np.hypot(sides[:, 0], sides[:, 1])
    turn = (way**4).mean()
    area = abs(float(cv2.contourArea(top.astype(np.float32))))
    turn /= max(abs(turn), 1e-9)
    return np.array([*(middle / DIE_PX), np.log(np.sqrt(area) / DIE_PX), turn.real, turn.imag])


def _patch_of_nothing(rng: Rng, example: Example, pyramid: Pyramid, wrong: Array) -> PatchSample:
    size = float(np.median(example.sizes)) if len(example.sizes) else (example.scale_px or 30.0)
    high_px, wide_px = example.image.shape[:2]
    for _ in range(20):
        if len(wrong) and rng.random() < 0.6:
            x, y, width = wrong[int(rng.integers(len(wrong)))]
            centre = np.array([x, y]) + width * rng.normal(0, 0.08, 2)
            width *= np.exp(rng.normal(0, 0.1))
        elif len(example.boxes) and rng.random() < 0.6:
            pick = int(rng.integers(len(example.boxes)))
            way, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.0, 1.4)
            centre = example.centres[pick] + far * example.sizes[pick] * np.array([np.cos(way), np.sin(way)])
            width = example.sizes[pick] * np.exp(rng.uniform(np.log(0.3), np.log(3.0)))
        else:
            centre = rng.uniform(0, 1, 2) * (wide_px, high_px)
            width = size * np.exp(rng.uniform(-0.7, 0.7))
        if _is_nothing(example, centre, width):
            break
    else:
        centre, width = np.array([-10.0 * wide_px, 0.0]), size
    turn, lean = _laid_out(rng, example, example.ground_at(centre, rng))
    return PatchSample(pyramid.cut(centre, turn * width / DIE_PX), 0, np.full(5, np.nan), lean)


def _is_nothing(example: Example, centre: Array, width: float) -> bool:
    """Whether no die of about this size has its middle there."""
    if not len(example.boxes):
        return True
    apart = np.linalg.norm(example.centres - centre, axis=1) / example.sizes
    ratio = width / example.sizes
    fits = (apart < 0.55) & (ratio > 0.5) & (ratio < 2.0)
    alone = (example.values < 0) & (apart < 1.0)
    return not (fits | alone).any()


def _turn(rng: Rng, example: Example) -> Array:
    angle = rng.uniform(0, 2 * np.pi) if example.turnable else np.radians(rng.normal(0, 12))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    wider = np.exp(rng.normal(0, STRETCH)) if rng.random() < STRETCHED_SHARE else 1.0
    stretch = np.diag([wider, 1 / wider]) if rng.random() < 0.5 else _diagonal(wider)
    return np.asarray(stretch @ turn @ np.diag([rng.choice([-1.0, 1.0]), 1.0]))


def _diagonal(wider: float) -> Array:
    """A stretch from corner to corner."""
    half, rest = (wider + 1 / wider) / 2, (wider - 1 / wider) / 2
    return np.array([[half, rest], [rest, half]])
