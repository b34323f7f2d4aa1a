"""Things that do not belong on a game's table, drawn: put together at random from round, square, long and hollow
bodies of any height, and of what is thin, bent or branched, with any surface.

No solid one is drawn after a thing that has a name, so that what learned from these can be tried on such; of the thin
ones (drawn_bones.py) some are of a kind with keys and forks. A thing is a height and a colour for each place of a small
square; it is seen a little from aside, as far from the camera's foot as it lies, and throws shadows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision.drawn_bones import fleshed, some_bones
from tests.vision.drawn_cloths import draw_cloth
from tests.vision.drawn_clutter import draw_clutter
from tests.vision.drawn_dice import background, some_colour
from tests.vision.drawn_lamps import GAMMA, Lights, moved

Array = NDArray[np.float32]
Floats = NDArray[np.float64]
Rng = np.random.Generator

PX_MM = 1.25
"""Of the drawn pictures: so many millimetres to the pixel."""
SLICE_MM = 5.0
"""A thing is seen as slices so high,"""
MOST_SLICES = 14
FLAT, FLAT_MM = 0.35, 0.6
"""The share of things that are flat, and about how high these are."""
REACH_MM = 8.0, 95.0
"""From a thing's middle to its farthest place."""
TALLEST_MM = 140.0
TALL = 0.15
"""The share of things that stand tall, as mugs and bottles do, and throw long shadows."""
CAMERA_MM = 700.0, 1100.0
"""How high cameras hang."""
CLEAR = 0.15
"""The share of things that are seen through."""
LIKE_GROUND = 0.22
"""The share in nearly the colour of what they lie on."""
THIN = 0.22
"""The share of things that are bent or branched, and thin: see drawn_bones.py."""
MIRRORS, MIRRORS_IF_THIN = 0.12, 0.45
"""The shares that mirror the room, as metal does."""


@dataclass(frozen=True)
class Thing:
    """One, in a square around its middle (h x h pixels of `PX_MM`)."""

    height: Array
    """Millimetres; 0 where it is not."""
    colour: Array
    """Blue, green, red, 0 to 255: h x h x 3."""
    gloss: float
    """How much of a lamp it mirrors, 0 to 1."""
    clear: float
    """How much is seen through it, 0 to 1."""
    there: Array
    """How much of each pixel it covers, 0 to 1: h x h."""
    room: Array | None = None
    """What it mirrors from all sides (logarithms, n x n), if it does: in the middle what is straight above it."""


def some_thing(rng: Rng, ground: Floats) -> Thing:
    """One of any kind, on ground of such a colour (blue, green, red)."""
    return _thin(rng, ground) if rng.random() < THIN else _solid(rng, ground)


def _solid(rng: Rng, ground: Floats) -> Thing:
    reach = float(np.exp(rng.uniform(*np.log(REACH_MM)))) if rng.random() < 0.85 else float(rng.uniform(60, 95))
    wide, x, y = _square(reach)
    shape = _SHAPES[int(rng.choice(len(_SHAPES), p=_SHARES))]
    height = shape(rng, x, y, reach)
    clear = float(rng.uniform(0.6, 0.97)) if rng.random() < CLEAR else 0.0
    colour = _surface(rng, wide, ground)
    if rng.random() < 0.25:  # a second body of its own colour upon it, or a part of another
        more = _SHAPES[int(rng.choice(len(_SHAPES), p=_SHARES))](rng, x, y, reach * rng.uniform(0.3, 0.9))
        more = np.where((height > 0) | (rng.random() < 0.5), more, 0)
        other = _surface(rng, wide, ground)
        above = more > 0
        height = np.where(above, np.maximum(height, 0) * (rng.random() < 0.7) + more, height)
        colour = np.where(above[..., None], other, colour)
    gloss = float(rng.uniform(0.2, 1.0)) if rng.random() < 0.5 or clear else 0.0
    room = _some_room(rng) if rng.random() < MIRRORS and not clear else None
    height = np.asarray(height, np.float32)
    return Thing(height, np.asarray(colour, np.float32), gloss, clear, (height > 0).astype(np.float32), room)


def _thin(rng: Rng, ground: Floats) -> Thing:
    reach = float(rng.uniform(0.25, 1.0)) * REACH_MM[1]
    wide, x, y = _square(reach)
    height, there = fleshed(rng, some_bones(rng, reach), x, y, PX_MM)
    kind = rng.random()
    if kind < 0.4:
        colour = _metal(rng, wide, ground)
    elif kind < 0.55:
        colour = np.tile(rng.uniform(8, 60, 3), (wide, wide, 1))
    else:
        colour = _plain(rng, wide, ground)
    room = _some_room(rng) if rng.random() < MIRRORS_IF_THIN else None
    return Thing(height, np.asarray(colour, np.float32), float(rng.choice([0.0, rng.uniform(0.2, 1)])), 0, there, room)


def _square(reach: float) -> tuple[int, Array, Array]:
    """How wide a thing's square is (pixels) that reaches so far, and where its pixels are (mm from the middle)."""
    wide = 2 * int(np.ceil(reach / PX_MM)) + 5
    steps = ((np.arange(wide) - (wide - 1) / 2) * PX_MM).astype(np.float32)
    x, y = np.meshgrid(steps, steps)
    return wide, x, y


def _some_room(rng: Rng) -> Array:
    """Windows, lamps, walls and people, without a form of their own."""
    cells = int(rng.integers(3, 9))
    drawn = cv2.resize(rng.normal(0, 1, (cells, cells)), (64, 64), interpolation=cv2.INTER_CUBIC)
    return np.asarray(rng.uniform(0.2, 0.8) * drawn + rng.normal(0, 0.2), np.float32)


def lay(rng: Rng, picture: Array, things: Sequence[tuple[Thing, Floats]], lights: Lights) -> Array:
    """Draw these on a picture (h x w x 3), each with its middle at a pixel, lit by `lights`; how far things cover each
    pixel, 0 to 1 (h x w)."""
    size = picture.shape[:2]
    foot = np.array(size[::-1]) * rng.uniform(0.35, 0.65, 2)
    high = float(rng.uniform(*CAMERA_MM))
    bodies = [_sliced(thing, middle, foot, high, size) for thing, middle in things]
    _shade(rng, picture, bodies, lights)
    covered = np.zeros(size, np.float32)
    order = np.argsort([-float(np.hypot(*(middle - foot))) for _, middle in things])
    for number in order:
        body = bodies[int(number)]
        if body is not None:
            _paint(rng, picture, covered, body, lights)
    return covered


@dataclass(frozen=True)
class _Body:
    """A thing as it is seen: slices from the lowest, in a part of the picture."""

    thing: Thing
    part: tuple[slice, slice]
    slices: list[tuple[float, Array, Array]]
    """How high (mm), where it is seen (0 to 1), and the way there from the thing's own square (2 x 3)."""
    foot: Array
    """Where it stands, or lies, 0 to 1."""


def _sliced(thing: Thing, middle: Floats, foot: Floats, high: float, size: tuple[int, ...]) -> _Body | None:
    wide = thing.height.shape[0]
    tallest = float(thing.height.max())
    lean = high / (high - min(tallest, 0.8 * high))
    centre = foot + (middle - foot) * np.array([[1.0], [lean]])
    room = wide * lean * 0.75 + 3
    low = np.clip(np.floor(centre.min(0) - room).astype(int), 0, size[::-1])
    top = np.clip(np.ceil(centre.max(0) + room).astype(int), 0, size[::-1])
    if (top - low < 4).any():
        return None
    count = int(np.clip(np.ceil(tallest / SLICE_MM), 1, MOST_SLICES))
    slices = []
    shape = tuple(int(v) for v in top - low)
    for level in [0.0, *np.linspace(tallest / count, tallest, count)[:-1], 0.999 * tallest]:
        scale = high / (high - level)
        at = foot + (middle - foot) * scale - low
        way = np.array([[scale, 0, at[0] - scale * (wide - 1) / 2], [0, scale, at[1] - scale * (wide - 1) / 2]])
        there = np.where(thing.height > max(level, 0.05), thing.there, np.float32(0))
        slices.append((level, np.asarray(cv2.warpAffine(there, way, shape), np.float32), way))
    part = slice(int(low[1]), int(top[1])), slice(int(low[0]), int(top[0]))
    return _Body(thing, part, slices, slices[0][1])


def _shade(rng: Rng, picture: Array, bodies: Sequence[_Body | None], lights: Lights) -> None:
    """The shadows they throw."""
    size = picture.shape[:2]
    light = np.tile(lights.room.astype(np.float32), (*size, 1))
    near = np.zeros(size, np.float32)
    for body in bodies:
        if body is not None:
            tall = float(body.thing.height.max())
            soft = cv2.GaussianBlur(body.foot, (0, 0), float(np.clip(0.35 * tall / PX_MM, 0.5, 14)))
            near[body.part] = np.maximum(near[body.part], soft * min(1.0, 0.2 + tall / 25) * (1 - body.thing.clear))
    light *= 1.0 - float(rng.uniform(0.2, 0.8)) * near[..., None]
    for lamp in lights.lamps:
        dark = np.zeros(size, np.float64)
        for body in bodies:
            if body is None:
                continue
            own = np.zeros(size, np.float64)
            own[body.part] = body.foot
            for level, there, _ in body.slices[:: max(1, len(body.slices) // 5)]:
                high = max(level, FLAT_MM)
                whole = np.zeros(size, np.float64)
                whole[body.part] = there
                own = np.maximum(own, moved(whole, lamp.away * high / PX_MM, lamp.soft * high / PX_MM))
            dark = np.maximum(dark, own * (1.0 - 0.75 * body.thing.clear))
        light += ((1.0 - dark)[..., None] * lamp.light).astype(np.float32)
    picture *= np.maximum(light / lights.white.astype(np.float32), 0.02) ** np.float32(1 / GAMMA)


def _paint(rng: Rng, picture: Array, covered: Array, body: _Body, lights: Lights) -> None:
    thing, part = body.thing, body.part
    smooth = cv2.GaussianBlur(thing.height, (0, 0), 1.0)
    steep_x, steep_y = (cv2.Sobel(smooth, cv2.CV_32F, *way, scale=1 / (8 * PX_MM)) for way in ((1, 0), (0, 1)))
    facing = 1.0 / np.sqrt(1.0 + steep_x**2 + steep_y**2)
    lit = np.tile(lights.room.astype(np.float32) * (0.6 + 0.4 * facing[..., None]), (1, 1, 1))
    shine = np.zeros_like(facing)
    for lamp in lights.lamps:
        low = np.append(-lamp.away, 1.0) / np.sqrt(1.0 + float(lamp.away @ lamp.away))
        toward = np.maximum((-steep_x * low[0] - steep_y * low[1] + low[2]) * facing, 0.0)
        lit = lit + (toward / low[2])[..., None] * lamp.light.astype(np.float32)
        half = low + np.array([0.0, 0.0, 1.0])
        half /= np.linalg.norm(half)
        at = (-steep_x * half[0] - steep_y * half[1] + half[2]) * facing
        shine = shine + np.maximum(at, 0.0) ** float(rng.uniform(20, 120))
    colour = thing.colour * (lit / lights.white.astype(np.float32)) ** np.float32(1 / GAMMA)
    if thing.room is not None:
        half = np.float32((len(thing.room) - 1) / 2)
        x, y = (half - half * 2 * steep * np.square(facing) for steep in (steep_x, steep_y))
        mirrored = cv2.remap(thing.room, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        colour = colour * np.exp(mirrored)[..., None]
    colour = colour + (shine * thing.gloss * float(rng.uniform(40, 200)))[..., None]
    edge = np.minimum(1.0, np.hypot(steep_x, steep_y) / 1.5)
    opaque = (1.0 - thing.clear * (1.0 - 0.75 * edge)).astype(np.float32)
    patch, cover = np.ascontiguousarray(picture[part]), np.ascontiguousarray(covered[part])
    if thing.clear:
        _bend(rng, patch, body.slices[-1][1])
    shape = patch.shape[1::-1]
    for number, (_, there, way) in enumerate(body.slices):
        seen = cv2.warpAffine(np.clip(colour, 0, 255).astype(np.float32), way, shape, borderMode=cv2.BORDER_REPLICATE)
        share = there
        if thing.clear:
            share = there * cv2.warpAffine(opaque, way, shape) / (1.0 + 0.7 * (len(body.slices) - number - 1))
        patch += (seen - patch) * share[..., None]
        cover = np.maximum(cover, there)
    picture[part], covered[part] = patch, cover


def _bend(rng: Rng, patch: Array, where: Array) -> None:
    """What is seen through a thing is moved a little, and darker or brighter."""
    height, width = where.shape
    wavy = (cv2.resize(rng.normal(0, 5, (4, 4)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC),)
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    bent = cv2.remap(patch, x + wavy[0], y - wavy[0], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    tint = np.clip(np.float32(rng.uniform(0.75, 1.05)) * np.exp(rng.normal(0, 0.03, 3)), 0.4, 1.1).astype(np.float32)
    patch += (bent * tint - patch) * where[..., None]


# Shapes: how high a thing is at x, y (mm from its middle), which reaches so far from there.


def _turn(rng: Rng, x: Array, y: Array) -> tuple[Array, Array]:
    way = rng.uniform(0, 2 * np.pi)
    c, s = np.float32(np.cos(way)), np.float32(np.sin(way))
    return c * x + s * y, c * y - s * x


def _tall(rng: Rng, reach: float) -> float:
    """Any height that such a thing may have."""
    if rng.random() < FLAT:
        return FLAT_MM * float(rng.uniform(0.3, 5.0))
    if rng.random() < TALL / (1.0 - FLAT):
        return float(rng.uniform(40.0, TALLEST_MM))
    return float(np.clip(np.exp(rng.uniform(np.log(1.5), np.log(min(TALLEST_MM, 2.5 * reach + 3)))), 0.5, TALLEST_MM))


def _inside(rng: Rng, x: Array, y: Array, reach: float) -> Array:
    """How far within an outline each place is (mm): round, oval, square with any corners, or of many sides."""
    x, y = _turn(rng, x, y)
    kind = rng.random()
    narrow = float(rng.uniform(0.35, 1.0))
    if kind < 0.3:
        flat = narrow if rng.random() < 0.4 else 1.0
        return np.asarray((1 - np.hypot(x / reach, y / (reach * flat))) * reach * flat, np.float32)
    if kind < 0.7:
        half_x, half_y = reach * np.cos(np.arctan(narrow)), reach * np.sin(np.arctan(narrow))
        corner = float(rng.choice([0.0, rng.uniform(0, 0.5)])) * half_y
        out_x, out_y = np.abs(x) - half_x + corner, np.abs(y) - half_y + corner
        out = np.hypot(np.maximum(out_x, 0), np.maximum(out_y, 0)) + np.minimum(np.maximum(out_x, out_y), 0)
        return np.asarray(corner - out, np.float32)
    angle, far = np.arctan2(y, x), np.hypot(x, y)
    turns = np.arange(1, 6)
    waves = rng.normal(0, 1, (2, 5)) * np.array([0.22, 0.18, 0.12, 0.08, 0.06]) * rng.uniform(0.2, 1.0)
    rim = sum(a * np.cos(n * angle) + b * np.sin(n * angle) for n, a, b in zip(turns, waves[0], waves[1], strict=True))
    return np.asarray(reach * np.clip(0.75 + rim, 0.25, 1.0) - far, np.float32)


def _slab(rng: Rng, x: Array, y: Array, reach: float) -> Array:
    inside, tall = _inside(rng, x, y, reach), _tall(rng, reach)
    round_edge = float(rng.uniform(0, 0.5)) * tall
    edge = np.clip(inside / max(round_edge, 0.1), 0, 1)
    return np.asarray(np.where(inside > 0, tall - round_edge + round_edge * np.sqrt(edge * (2 - edge)), 0), np.float32)


def _dome(rng: Rng, x: Array, y: Array, reach: float) -> Array:
    inside = np.maximum(_inside(rng, x, y, reach), 0)
    share = np.clip(inside / max(float(inside.max()), 1e-3), 0, 1)
    return np.asarray(_tall(rng, reach) * np.sqrt(share * (2 - share)), np.float32)


def _hollow(rng: Rng, x: Array, y: Array, reach: float) -> Array:
    """A rim around something lower: dishes, cups, rings, lids."""
    inside, tall = _inside(rng, x, y, reach), _tall(rng, reach)
    thick = float(np.clip(np.exp(rng.uniform(np.log(1.2), np.log(0.4 * reach + 1.5))), 1.2, 25))
    floor = 0.0 if rng.random() < 0.3 else float(rng.uniform(0.05, 0.9)) * tall
    slope = np.clip((inside - thick) / max(float(rng.uniform(0.1, 12)), 0.1), 0, 1)
    return np.asarray(
        np.where(inside > 0, np.where(inside > thick, tall + (floor - tall) * slope, tall), 0), np.float32
    )


def _rod(rng: Rng, x: Array, y: Array, reach: float) -> Array:
    """Something long, straight or bent, of any width along it."""
    x, y = _turn(rng, x, y)
    thin = float(np.exp(rng.uniform(np.log(1.5), np.log(max(2.0, min(14.0, reach / 3))))))
    bend = float(rng.uniform(-0.3, 0.3)) / max(reach, 1)
    y = np.asarray(y - bend * (np.square(x) - reach**2 / 3), np.float32)
    profile = np.interp(
        x, np.linspace(-reach, reach, 5), rng.uniform(0.6, 1.3, 5) if rng.random() < 0.5 else np.ones(5)
    )
    off = np.square(np.abs(y) / (thin * profile)) + np.square(np.maximum(np.abs(x) - reach + thin, 0) / thin)
    tall = thin * float(rng.uniform(0.5, 2.0)) if rng.random() < 0.7 else FLAT_MM * float(rng.uniform(1, 4))
    return np.asarray(np.where(off < 1, tall * np.sqrt(np.maximum(1 - off, 0.05)), 0), np.float32)


def _several(rng: Rng, x: Array, y: Array, reach: float) -> Array:
    """Several of one kind, beside and upon each other."""
    kind = _ONE[int(rng.integers(len(_ONE)))]
    height = np.zeros_like(x)
    size = reach * float(rng.uniform(0.18, 0.6))
    for _ in range(int(rng.integers(2, 9))):
        at = rng.normal(0, 0.45, 2) * (reach - size)
        one = kind(rng, x - np.float32(at[0]), y - np.float32(at[1]), size * float(rng.uniform(0.8, 1.0)))
        over = np.where(height > 0, height * float(rng.random() < 0.5), 0)
        height = np.where(one > 0, np.maximum(one + over, height), height)
    return np.asarray(height, np.float32)


def _frame(rng: Rng, x: Array, y: Array, reach: float) -> Array:
    """Rings and rods together."""
    x, y = _turn(rng, x, y)
    height = np.zeros_like(x)
    ring = reach * float(rng.uniform(0.25, 0.55))
    for side in (-1, 1)[: int(rng.integers(1, 3))]:
        inside = _inside(rng, x - np.float32(side * (reach - ring)), y, ring)
        height = np.where((inside > 0) & (inside < rng.uniform(1.5, 5)), np.float32(rng.uniform(1, 8)), height)
    for _ in range(int(rng.integers(1, 4))):
        at = rng.uniform(-0.4, 0.4, 2) * reach
        height = np.maximum(height, _rod(rng, x - np.float32(at[0]), y - np.float32(at[1]), reach * 0.6))
    return np.asarray(height, np.float32)


_Shape = Callable[[Rng, Array, Array, float], Array]
_ONE: tuple[_Shape, ...] = (_slab, _dome, _hollow, _rod)
_SHAPES: tuple[_Shape, ...] = (_slab, _dome, _hollow, _rod, _several, _frame)
_SHARES = (0.34, 0.13, 0.19, 0.16, 0.11, 0.07)


# Surfaces: colours of a square so many pixels wide.


def _tint(rng: Rng, ground: Floats) -> Floats:
    kind = rng.random()
    if kind < LIKE_GROUND:
        return np.clip(ground * np.exp(rng.normal(0, 0.06, 3) + rng.normal(0, 0.15)), 3, 252)
    if kind < LIKE_GROUND + 0.2:
        return np.clip(rng.uniform(15, 235) * np.exp(rng.normal(0, 0.03, 3)), 3, 252)
    if kind < LIKE_GROUND + 0.35:
        return np.clip(rng.uniform(210, 252) + rng.normal(0, 5, 3), 150, 254)
    if kind < LIKE_GROUND + 0.43:
        return np.asarray(rng.uniform(8, 45, 3))
    return np.asarray(some_colour(rng), np.float64)


def _surface(rng: Rng, wide: int, ground: Floats) -> Array:
    return np.asarray(_SURFACES[int(rng.choice(len(_SURFACES), p=_SURFACE_SHARES))](rng, wide, ground), np.float32)


def _plain(rng: Rng, wide: int, ground: Floats) -> Floats:
    cloud = cv2.resize(rng.normal(0, rng.uniform(0, 0.08), (4, 4)), (wide, wide), interpolation=cv2.INTER_CUBIC)
    grain = rng.normal(0, rng.uniform(0, 4), (wide, wide))
    return np.asarray(_tint(rng, ground) * np.exp(cloud)[..., None] + grain[..., None])


def _printed(rng: Rng, wide: int, ground: Floats) -> Floats:
    """Paper with lines of writing, headings and pictures."""
    paper = np.tile(_tint(rng, ground) if rng.random() < 0.3 else rng.uniform(200, 252, 3), (wide, wide, 1))
    canvas = np.ascontiguousarray(np.clip(paper, 0, 255), np.uint8)
    line = max(2, int(rng.uniform(2, 8) / PX_MM))
    row, ink = int(rng.integers(0, 6)), [float(v) for v in rng.uniform(0, 110, 3)]
    while row < wide:
        column, end = int(rng.integers(0, max(wide // 5, 1))), int(wide * rng.uniform(0.3, 1.0))
        while column < end:
            word = int(rng.integers(2, 12))
            cv2.rectangle(canvas, (column, row), (min(column + word, end), row + max(0, line // 2 - 1)), ink, -1)
            column += word + int(rng.integers(1, 4))
        row += line + int(rng.integers(1, 4)) * int(rng.random() < 0.15)
        if rng.random() < 0.06:
            colour = [float(v) for v in np.clip(some_colour(rng), 0, 255)]
            high = int(rng.uniform(3, wide / 3))
            cv2.rectangle(canvas, (column // 3, row), (end, row + high), colour, -1)
            row += high + 2
    share = float(rng.uniform(0.4, 1.0))
    return np.asarray(paper + (canvas.astype(np.float64) - paper) * share)


def _cloth(rng: Rng, wide: int, _ground: Floats) -> Floats:
    return draw_cloth(rng, wide).astype(np.float64)


def _pictured(rng: Rng, wide: int, _ground: Floats) -> Floats:
    drawn = background(rng, wide) if rng.random() < 0.5 else draw_clutter(rng, wide).astype(np.float64)
    return np.asarray(np.clip(drawn, 0, 255), np.float64)


def _crumbs(rng: Rng, wide: int, ground: Floats) -> Floats:
    """Spots of two colours or more."""
    first, second = _tint(rng, ground), _tint(rng, ground)
    picture = np.tile(first, (wide, wide, 1))
    for _ in range(int(rng.integers(1, 4))):
        cells = max(2, int(wide * PX_MM / rng.uniform(2, 20)))
        noise = cv2.resize(rng.random((cells, cells)), (wide, wide), interpolation=cv2.INTER_CUBIC)
        share = np.clip((noise - rng.uniform(0.3, 0.8)) / rng.uniform(0.02, 0.4), 0, 1)[..., None]
        picture += (second - picture) * share
        second = _tint(rng, ground)
    return np.asarray(picture)


def _metal(rng: Rng, wide: int, _ground: Floats) -> Floats:
    """Streaks of bright and dark in one tint."""
    cells = int(rng.integers(2, 9)), int(rng.integers(2, 9))
    streaks = cv2.resize(rng.normal(0, 1, cells), (wide, wide), interpolation=cv2.INTER_CUBIC)
    level = np.clip(rng.uniform(70, 190) + rng.uniform(15, 80) * streaks, 5, 255)
    return np.asarray(level[..., None] * np.exp(rng.normal(0, rng.choice([0.03, 0.2]), 3)))


_SURFACES: tuple[Callable[[Rng, int, Floats], Floats], ...] = (_plain, _printed, _cloth, _pictured, _crumbs, _metal)
_SURFACE_SHARES = (0.46, 0.15, 0.08, 0.11, 0.1, 0.1)
