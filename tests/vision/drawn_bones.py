"""Thin things, drawn: their middle lines, in pieces, and how high they lie along these.

Cords, loops, what has branches or teeth, and bunches of such: some are of a kind with wires, forks and keys.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Floats = NDArray[np.float64]
Rng = np.random.Generator

THIN_MM = 0.6, 4.0
"""From a thing's middle line to where it ends."""


def some_bones(rng: Rng, reach: float) -> Floats:
    """Of a thing that reaches so far (mm) from its middle: for each of n pieces where it begins and ends, x and y, and
    how thick it is there, from the middle line (n x 6, mm)."""
    return _KINDS[int(rng.integers(len(_KINDS)))](rng, reach)


def fleshed(rng: Rng, bones: Floats, x: Array, y: Array, px_mm: float) -> tuple[Array, Array]:
    """How high things with such bones are at x, y (mm, h x h), and how much of each pixel they cover (0 to 1), which is
    so wide."""
    inside, thick = np.full(x.shape, -np.inf), np.ones(x.shape)
    for x0, y0, x1, y1, first, last in bones:
        along = np.array([x1 - x0, y1 - y0])
        at = np.clip(((x - x0) * along[0] + (y - y0) * along[1]) / max(float(along @ along), 1e-6), 0, 1)
        own = first + at * (last - first)
        within = own - np.hypot(x - x0 - at * along[0], y - y0 - at * along[1])
        better = within > inside
        inside, thick = np.where(better, within, inside), np.where(better, own, thick)
    there = np.clip(inside / px_mm + 0.5, 0, 1) * np.minimum(2 * thick / px_mm, 1)
    share = np.clip(inside / thick, 0.05, 1)
    flat, lifted = rng.uniform(0.3, 2.0), rng.choice([0.0, rng.uniform(0, 8)])
    height = np.where(there > 0, lifted + flat * thick * np.sqrt(share * (2 - share)), 0)
    return np.asarray(height, np.float32), np.asarray(there, np.float32)


def _cord(rng: Rng, reach: float) -> Floats:
    """Bent in any way."""
    count = int(rng.integers(8, 40))
    ways = rng.uniform(0, 2 * np.pi) + np.cumsum(rng.normal(0, rng.uniform(0.05, 0.6), count))
    ways += np.arange(count) * rng.normal(0, 0.08)
    corners = np.cumsum(np.column_stack([np.cos(ways), np.sin(ways)]), 0)
    corners -= (corners.max(0) + corners.min(0)) / 2
    return _joined(corners * 0.95 * reach / np.hypot(*corners.T).max(), _thick(rng))


def _loops(rng: Rng, reach: float) -> Floats:
    """Rings of one size beside each other, that bars may hold together."""
    thick, many = _thick(rng), int(rng.choice([1, 2, 3]))
    size = reach if many == 1 else reach * float(rng.uniform(0.35, 0.5))
    angles = np.linspace(0, 2 * np.pi, 25)
    waves = [rng.normal(0, 0.3 / n**2) * np.cos(n * angles + rng.uniform(0, 6)) for n in (2, 3, 4)]
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) * (1 + np.sum(waves, 0))[:, None]
    ring *= 0.95 * size / np.hypot(*ring.T).max()
    apart = (reach - size) * (2.0 if many == 2 else 1.0)
    middles = [np.array([number * apart, 0.0]) for number in np.arange(many) - (many - 1) / 2]
    bones = [_joined(ring + middle, thick) for middle in middles]
    for side in (-1, 1)[: int(rng.integers(0, 3))]:
        start = np.array([side * 0.9 * reach, rng.uniform(-0.2, 0.2) * size])
        end = start * rng.uniform(0.6, 1.0) + np.array([0.0, rng.uniform(0.5, 1.0) * reach])
        bones.append(_joined(np.array([start, end]), thick * rng.uniform(0.7, 1.5)))
    return _turned(rng, np.concatenate(bones))


def _branched(rng: Rng, reach: float) -> Floats:
    """A stem with branches at its end or along it, side by side or spread out, and what may be at its other end."""
    thick, many = _thick(rng), int(rng.integers(2, 7))
    split, wide = reach * float(rng.uniform(-0.7, 0.6)), reach * float(rng.uniform(0.06, 0.4))
    bones = [_joined(np.array([[-0.9 * reach, 0.0], [split, 0.0]]), thick * rng.uniform(0.7, 1.6))]
    spread, branch = float(rng.choice([1.0, rng.uniform(0.2, 2.5)])), thick * rng.uniform(0.4, 1.0)
    along = rng.random() < 0.35
    for place in np.linspace(-1, 1, many):
        if along:
            start = np.array([0.5 * ((1 + place) * split + (place - 1) * 0.9 * reach), 0.0])
            end = start + np.array([0.0, wide * rng.choice([1, rng.choice([-1, 1])])])
        else:
            start, end = np.array([split, place * wide]), np.array([0.9 * reach, place * wide * spread])
        bones.append(_joined(np.array([start, end]), branch))
    if not along:
        bones.append(_joined(np.array([[split, -wide], [split, wide]]), thick))
    if rng.random() < 0.4:
        bones.append(np.array([[-0.85 * reach, 0.0, -0.8 * reach, 0.0, *(thick * rng.uniform(1.3, 4.0, 2))]]))
    return _turned(rng, np.concatenate(bones))


def _bunch(rng: Rng, reach: float) -> Floats:
    """Several long ones that hang from a ring, each with a wider end and teeth or none."""
    thick, ring = _thick(rng), float(rng.uniform(0.08, 0.3)) * reach
    angles = np.linspace(0, 2 * np.pi, 17)
    bones = [_joined(ring * np.column_stack([np.cos(angles), np.sin(angles)]), thick * rng.uniform(0.4, 0.8))]
    for way in rng.uniform(0, 2 * np.pi, int(rng.integers(1, 6))):
        out = np.array([np.cos(way), np.sin(way)])
        aside, end = np.array([-out[1], out[0]]), reach * float(rng.uniform(0.6, 0.92))
        head = rng.uniform(0.04, 0.14) * reach
        bones.append(_joined(np.array([ring * out, end * out]), thick * rng.uniform(0.6, 1.3)))
        begin = (ring + head) * out
        bones.append(np.array([[*(begin - aside * head / 2), *(begin + aside * head / 2), head, head]]))
        teeth = rng.uniform(0.5, 1.0, int(rng.integers(0, 4)))[:, None] * end * out
        bones += [_joined(np.array([at, at + aside * 3 * thick]), 0.7 * thick) for at in teeth]
    return np.concatenate(bones)


def _thick(rng: Rng) -> float:
    return float(np.exp(rng.uniform(*np.log(THIN_MM))))


def _joined(corners: Floats, thick: float) -> Floats:
    return np.column_stack([corners[:-1], corners[1:], np.full((len(corners) - 1, 2), thick)])


def _turned(rng: Rng, bones: Floats) -> Floats:
    way = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(way), np.sin(way)], [-np.sin(way), np.cos(way)]])
    return np.column_stack([bones[:, :2] @ turn, bones[:, 2:4] @ turn, bones[:, 4:]])


_KINDS: tuple[Callable[[Rng, float], Floats], ...] = (_cord, _loops, _branched, _bunch)
