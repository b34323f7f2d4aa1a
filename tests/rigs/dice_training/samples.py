"""Training samples: pieces of pictures, turned, scaled, mirrored and in other lights, with what is true of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.rigs.dice_training.sources import Example
from vision.dice.finding import CLOSE_PX, GEOMETRY, TOP_SHARE
from vision.dice.patches import DIE_PX, Ground, Pyramid, laid_out, stretched
from vision.dice.proposing import SIZES_PX, STRIDE
from vision.frame import Image

Array = NDArray[np.float64]
Rng = np.random.Generator
WINDOW = 96
BESIDE_DICE = 0.6
"""Of the windows of pictures with dice, so many show one; the others are cut out anywhere."""
TOLD_SHARE = 0.8
"""Of the patches of which it is known how the table lies, so many say so."""
STRETCHED_SHARE, STRETCH = 0.6, 0.16
"""So many of the patches of which nothing is told are stretched one way, as some photographs are, and how far: the
standard deviation of the logarithm."""
MOST_LEAN = 1.2
"""More than this is not told: no camera sees its table from so low down."""
LEAN_OFF = 0.015
"""How far off the lean may be that is told."""
CLOSE_SHARE, SQUARE_SHARE = 0.3, 0.2
"""Of the patches of dice whose top is known, so many show the top by itself, upright, and so many, where it may be that
nobody knows how the table lies, lay it square."""
CLOSE_NOTHING, SIDE_SHARE = 0.3, 0.3
"""Of the patches of nothing, so many are such close looks; so many are sides of dice that show."""
UP_SHARE = 0.5
"""So many close looks begin with what stands on the table upright, where that is known."""
PHOTOGRAPHS = ("nellbyler", "epanemu")
"""Where tops are only known as a network saw them."""


@dataclass(frozen=True)
class PatchSample:
    """A patch for the second network."""

    patch: Image
    value: int
    """0: no top of a die in its middle."""
    geometry: Array
    """dx, dy, log of the top's side, its stretch (2), cos and sin of four times its turn; NaN where unknown."""
    lean: float | None = None
    """How far things lean up in it; None: it is not told."""
    close: bool = False
    """Whether it shows a top by itself."""


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
    return _nothing(rng, pyramid, (centre, place[2] * np.exp(rng.normal(0, 0.12))), example)


def _nothing(rng: Rng, pyramid: Pyramid, place: tuple[Array, float], example: Example) -> PatchSample:
    """A patch of nothing of a width in pixels there; as it might be seen closely, now and then."""
    centre, width = place
    close = bool(rng.random() < CLOSE_NOTHING)
    if close:
        turn, lean = stretched(*rng.normal(0, 0.15, 2)) @ _rotation(rng.uniform(0, 2 * np.pi)), None
        width *= TOP_SHARE * DIE_PX / CLOSE_PX
    else:
        turn, lean = _laid_out(rng, example, example.ground_at(centre, rng))
    return PatchSample(pyramid.cut(centre, turn * width / DIE_PX), 0, np.full(GEOMETRY, np.nan), lean, close)


def _patch_of(rng: Rng, example: Example, pyramid: Pyramid, pick: int) -> PatchSample:
    size = example.sizes[pick]
    kind = rng.random()
    share = CLOSE_SHARE + (SQUARE_SHARE if example.registration is None else 0.0)
    if kind < share and np.isfinite(example.tops[pick]).all():
        geometry_known = example.source not in PHOTOGRAPHS
        face = _as_seen(rng, example, pick, example.tops[pick])
        return _laid_square(
            rng, pyramid, face, int(example.values[pick]), close=kind < CLOSE_SHARE, known=geometry_known
        )
    known = example.grounds[pick]
    if example.registration is not None:
        known = example.ground_at(example.centres[pick], rng)
    turn, lean = _laid_out(rng, example, known)
    to_px = turn * size / DIE_PX * np.exp(rng.normal(0, 0.16))
    centre = example.centres[pick] + size * np.clip(rng.normal(0, 0.10, 2), -0.24, 0.24)
    value = int(example.values[pick])
    geometry = np.full(GEOMETRY, np.nan)
    if value > 0 and np.isfinite(example.tops[pick]).all() and example.source not in PHOTOGRAPHS:
        geometry = geometry_of((example.tops[pick] - centre) @ np.linalg.inv(to_px).T)
    return PatchSample(pyramid.cut(centre, to_px), value, geometry, lean)


def _laid_out(rng: Rng, example: Example, known: Ground | None) -> tuple[Array, float | None]:
    """How a patch is cut out: mostly as the table lies where that is known, though never exactly; else at any turn."""
    if known is None or known.lean is None or np.hypot(*known.lean) > MOST_LEAN or rng.random() > TOLD_SHARE:
        return _turn(rng, example), None
    off = rng.normal(0, LEAN_OFF, 2)
    turn, lean = laid_out(Ground(known.plane, known.lean * np.exp(rng.normal(0, 0.12)) + off))
    return np.asarray(turn @ np.diag([rng.choice([-1.0, 1.0]), 1.0])), lean


def _laid_square(rng: Rng, pyramid: Pyramid, top: Array, value: int, *, close: bool, known: bool) -> PatchSample:
    """A patch in which a face (4 x 2) is about square; looked at closely, upright and larger too."""
    sides = _sides(top)
    side = float(np.sqrt(abs(np.linalg.det(sides))))
    if close:
        off, wide, size = 0.03, 0.04, np.exp(rng.normal(0, 0.06)) / CLOSE_PX
        turn = rng.normal(0, np.radians(5))
    else:
        off, wide, size = 0.07, 0.06, np.exp(rng.normal(0, 0.12)) / (TOP_SHARE * DIE_PX)
        turn = rng.uniform(0, 2 * np.pi)
    mirror = np.diag([rng.choice([-1.0, 1.0]), 1.0])
    to_px = sides @ stretched(*rng.normal(0, wide, 2)) @ _rotation(turn) @ mirror * size
    centre = top.mean(0) + side * np.clip(rng.normal(0, off, 2), -0.2, 0.2)
    geometry = np.full(GEOMETRY, np.nan)
    if value > 0 and known:
        geometry = geometry_of((top - centre) @ np.linalg.inv(to_px).T)
    return PatchSample(pyramid.cut(centre, to_px), value, geometry, None, close)


def _as_seen(rng: Rng, example: Example, pick: int, face: Array) -> Array:
    """A face with its corners in the order in which a close look begins: the way up that is nearest to the picture's,
    or to that of what stands on the table; any, where nobody knows what is up."""
    known = example.grounds[pick]
    up = np.array([0.0, -1.0])
    if example.registration is not None:
        known = example.ground_at(example.centres[pick], rng)
    if known is not None and known.lean is not None and np.hypot(*known.lean) > 0.05 and rng.random() < UP_SHARE:
        up = known.plane @ known.lean
    elif example.turnable:
        return np.roll(face, int(rng.integers(4)), axis=0)
    ways = [np.roll(face, quarter, axis=0) for quarter in range(4)]
    across = [np.linalg.inv(_sides(way)) @ up for way in ways]
    return ways[int(np.argmin([way[1] for way in across]))]


def _sides(top: Array) -> Array:
    """Two sides of a face (4 x 2) as columns."""
    return np.column_stack([top[1] - top[0] + top[2] - top[3], top[3] - top[0] + top[2] - top[1]]) / 2


def _rotation(angle: float) -> Array:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def geometry_of(top: Array) -> Array:
    """What the second network says of a top face (4 x 2, patch pixels from its middle)."""
    outer, sizes, inner = np.linalg.svd(_sides(top))
    stretch = outer @ np.diag(np.log(np.maximum(sizes, 1e-6) / DIE_PX)) @ outer.T
    turn = 4 * np.arctan2(*(outer @ inner)[::-1, 0])
    size, along = (stretch[0, 0] + stretch[1, 1]) / 2, (stretch[0, 0] - stretch[1, 1]) / 2
    return np.array([*(top.mean(0) / DIE_PX), size, along, stretch[0, 1], np.cos(turn), np.sin(turn)])


def _patch_of_nothing(rng: Rng, example: Example, pyramid: Pyramid, wrong: Array) -> PatchSample:
    if len(example.boxes) and rng.random() < SIDE_SHARE:
        side = _side_face(rng, example)
        if side is not None:
            return _laid_square(rng, pyramid, side, 0, close=bool(rng.random() < 0.6), known=False)
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
    return _nothing(rng, pyramid, (centre, float(width)), example)


def _side_face(rng: Rng, example: Example) -> Array | None:
    """The side of a die that shows most, where one shows plainly."""
    pick = int(rng.integers(len(example.boxes)))
    known, top = example.grounds[pick], example.tops[pick]
    if known is None or known.lean is None or not np.isfinite(top).all():
        return None
    down = -known.plane @ known.lean
    ends = np.roll(top, -1, axis=0)
    outwards = ((top + ends) / 2 - top.mean(0)) @ down
    corner = int(np.argmax(outwards))
    face = np.array([top[corner], ends[corner], ends[corner] + down, top[corner] + down])
    area = abs(float(np.linalg.det(_sides(face))))
    return _as_seen(rng, example, pick, face) if area > 0.2 * abs(float(np.linalg.det(_sides(top)))) else None


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


def top_seen(said: Array, centre: Array, to_px: Array) -> Array:
    """The corners (4 x 2) of the top of which the second network says this geometry, in a patch."""
    dx, dy, size, along, across, cosine, sine = said
    sides = to_px @ stretched(along, across) @ _rotation(np.arctan2(sine, cosine) / 4) * DIE_PX * np.exp(size)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    return np.asarray(centre + to_px @ np.array([dx, dy]) * DIE_PX + corners @ sides.T)
