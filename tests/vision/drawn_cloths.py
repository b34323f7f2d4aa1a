"""Surfaces with a pattern, drawn: checked and striped cloth, weave, planks, tiles, dots, as they lie under dice."""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision.drawn_dice import some_colour
from vision.frame import Image

Array = NDArray[np.float64]
Rng = np.random.Generator


def draw_cloth(rng: Rng, size: int = 224) -> Image:
    """A square picture of a surface with nothing on it."""
    turn = rng.uniform(0, 2 * np.pi)
    grid = np.stack(np.meshgrid(np.arange(size), np.arange(size)), axis=-1) - size / 2
    axes = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ np.diag([1.0, rng.uniform(1, 1.3)])
    across, along = np.moveaxis(grid @ axes + rng.uniform(0, 100, 2), -1, 0)
    first, second = some_colour(rng), some_colour(rng)
    if rng.random() < 0.4:
        second = np.clip(first * rng.uniform(0.5, 0.95), 0, 255)
    share = _PATTERNS[int(rng.integers(len(_PATTERNS)))](rng, across, along)[..., None]
    picture = first * (1 - share) + second * share
    thread = rng.uniform(1.5, 4.0)
    weave = np.sin(across * 2 * np.pi / thread) * np.sin(along * 2 * np.pi / thread)
    picture = picture * (1 + rng.uniform(0, 0.15) * weave[..., None])
    cloud = cv2.resize(rng.random((4, 4)), (size, size), interpolation=cv2.INTER_CUBIC)[..., None]
    picture = picture * (1 - rng.uniform(0, 0.35) * cloud)
    return np.asarray(np.clip(cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.4, 1.0)), 0, 255), np.uint8)


def _bands(rng: Rng, way: Array, period: float) -> Array:
    """0 to 1: bands of one colour and another, or of one into the other."""
    wave = np.sin(way * 2 * np.pi / period)
    edge = rng.choice([0.3, 0.05, 0.02])
    return np.asarray(np.clip((wave - rng.uniform(-0.5, 0.5)) / edge / 2 + 0.5, 0, 1))


def _period(rng: Rng) -> float:
    return float(np.exp(rng.uniform(np.log(6), np.log(90))))


def _stripes(rng: Rng, across: Array, _: Array) -> Array:
    return _bands(rng, across, _period(rng))


def _checks(rng: Rng, across: Array, along: Array) -> Array:
    period = _period(rng)
    one, other = _bands(rng, across, period), _bands(rng, along, period)
    return (one + other) / 2 if rng.random() < 0.7 else np.abs(one - other)


def _tartan(rng: Rng, across: Array, along: Array) -> Array:
    period = _period(rng)
    return np.asarray(sum(_bands(rng, way, period / step) / 4 for way in (across, along) for step in (1, 2)))


def _planks(rng: Rng, across: Array, along: Array) -> Array:
    wide = _period(rng) + 15
    grain = cv2.resize(rng.random((across.shape[0] // 2, 6)), across.shape, interpolation=cv2.INTER_CUBIC)
    shades = rng.random(64)[(across // wide).astype(int) % 64]
    return np.asarray(np.clip(0.5 * shades + 0.4 * grain + (np.abs(across % wide) < 1.5) + 0 * along, 0, 1))


def _tiles(rng: Rng, across: Array, along: Array) -> Array:
    wide, joint = _period(rng) + 8, rng.uniform(0.8, 4.0)
    return np.asarray(((across % wide < joint) | (along % wide < joint)).astype(float))


def _polka(rng: Rng, across: Array, along: Array) -> Array:
    step = _period(rng) + 4
    off = step / 2 * (np.floor(along / step) % 2) * rng.integers(2)
    far = np.hypot((across + off) % step - step / 2, along % step - step / 2)
    return np.asarray(np.clip(step * rng.uniform(0.1, 0.4) - far + 0.5, 0, 1))


_PATTERNS: tuple[Callable[[Rng, Array, Array], Array], ...] = (
    _stripes,
    _checks,
    _checks,
    _tartan,
    _planks,
    _tiles,
    _polka,
)
