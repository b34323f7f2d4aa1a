"""Lamps of several colours over a drawn table: what one of them does not reach is lit by the others and has their
colour.

Their shadows are of the dice that stand there, of a hand over the table, and of things that are not in the picture;
each lamp may light a pool of the table only. Polished tables mirror a die, and a bright die throws its colour on what
is beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision.drawn_dice import Die, Viewer, foot_of

Array = NDArray[np.float64]
Rng = np.random.Generator

KELVIN = 2700.0, 6500.0
"""From warm bulbs to daylight, which is white here."""
WAVELENGTHS_NM = 455.0, 545.0, 610.0
"""About the middles of what a camera takes for blue, green and red."""
SECOND_RADIATION_NM_K = 1.4388e7
"""Planck's law, second constant (CODATA 2018)."""
LUMINANCE = np.array([0.0722, 0.7152, 0.2126])
"""Of blue, green and red (ITU-R BT.709)."""
GAMMA = 2.2
LED = 0.25
"""The share of lamps of any hue."""
SLICES = 4
"""A die's shadow is put together from so many: what is nearer to the table throws a sharper one."""
HAND_MM = 8.0, 60.0
THING_MM = 10.0, 300.0
"""How high hands are over the table, and things that are not in the picture."""


@dataclass(frozen=True)
class Lamp:
    """One, far enough away that its shadows are parallel."""

    away: Array
    """Where shadows fall: table millimetres to the right and away for each of height."""
    soft: float
    """How wide a shadow's edge is for each millimetre of height (standard deviation)."""
    light: Array
    """Blue, green, red that it gives to the table."""


@dataclass(frozen=True)
class Lights:
    """All lamps, and what comes from everywhere else."""

    lamps: tuple[Lamp, ...]
    room: Array

    @property
    def white(self) -> Array:
        """All their light together."""
        return np.asarray(self.room + np.sum([lamp.light for lamp in self.lamps], axis=0))


def some_lights(rng: Rng) -> Lights:
    """One to three lamps, mostly two, from any sides, high and low, small and large."""
    count = int(rng.choice([1, 2, 3], p=[0.2, 0.55, 0.25]))
    first, apart = rng.uniform(0, 2 * np.pi), rng.uniform(0.6, 2 * np.pi - 0.6, count)
    lamps = []
    for number in range(count):
        way, low = first + number * apart[number], np.exp(rng.uniform(np.log(0.25), np.log(2.2)))
        soft = float(np.exp(rng.uniform(np.log(0.01), np.log(0.35))))
        away = low * np.array([np.cos(way), np.sin(way)])
        lamps.append(Lamp(away, soft, lamp_colour(rng) * np.exp(rng.normal(0, 0.35))))
    room = np.exp(rng.normal(0, 0.08, 3)) * np.exp(rng.uniform(np.log(0.12), np.log(1.2)))
    return Lights(tuple(lamps), room)


def lamp_colour(rng: Rng) -> Array:
    """Blue, green, red of a bulb, a tube, a window, or an LED of any hue; as bright as any other."""
    if rng.random() < LED:
        hue = np.array([[[rng.integers(180), 255 * rng.uniform(0.15, 0.8), 255]]], np.uint8)
        colour = (cv2.cvtColor(hue, cv2.COLOR_HSV2BGR)[0, 0] / 255.0) ** GAMMA
    else:
        colour = glowing(float(rng.uniform(*KELVIN))) * np.exp(rng.normal(0, 0.05, 3))
    return np.asarray(colour / (colour @ LUMINANCE))


def glowing(kelvin: float) -> Array:
    """Blue, green, red of what glows so hot (Planck's law), where the hottest is white; as bright as any other."""
    length = np.array(WAVELENGTHS_NM)
    given, white = (1.0 / np.expm1(SECOND_RADIATION_NM_K / (length * hot)) for hot in (kelvin, KELVIN[1]))
    return np.asarray(given / white / (given / white @ LUMINANCE))


def light_table(rng: Rng, picture: Array, lights: Lights, dice: Sequence[Die], viewer: Viewer, hand: Array) -> None:
    """Light a picture of a table (a millimetre to the pixel), on which `hand` (0 to 1) covers some and these dice are
    about to be drawn. As cameras balance colours, all lamps together are nearly white."""
    size = picture.shape[:2]
    right, away = viewer.project(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]))[1:] - viewer.project(np.zeros((1, 3)))
    to_px = np.column_stack([right / np.linalg.norm(right), away / np.linalg.norm(away)])
    things = [something_above(rng, size) for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.45, 0.3, 0.15, 0.1])))]
    lowest, highest = np.log(THING_MM)
    heights = np.exp(rng.uniform(lowest, highest, len(things)))
    over = float(np.exp(rng.uniform(*np.log(HAND_MM))))
    on_table, on_hand = (np.tile(lights.room, (*size, 1)) for _ in range(2))
    on_table *= 1.0 - rng.uniform(0.1, 0.7) * _beneath(dice, viewer, size)[..., None]
    for lamp in lights.lamps:
        pool = lamp_pool(rng, size)
        for thing, height in zip(things, heights, strict=True):
            pool *= 1.0 - moved(thing, to_px @ lamp.away * height, lamp.soft * height)
        on_hand += pool[..., None] * lamp.light
        if hand.any():
            pool = pool * (1.0 - moved(hand, to_px @ lamp.away * over, lamp.soft * over))
        on_table += (pool * (1.0 - _shadow(dice, lamp, viewer, size)))[..., None] * lamp.light
    light = on_table + (on_hand - on_table) * hand[..., None]
    light += rng.uniform(0.0, 0.25) * _thrown_back(dice, viewer, size) * lights.white
    balance = lights.white / lights.white.mean()
    picture *= (light / lights.white.mean() / balance ** rng.uniform(0.6, 1.0)) ** (1 / GAMMA)
    if rng.random() < 0.2:
        _mirror(rng, picture, dice, viewer)


def moved(mask: Array, by_px: Array, soft_px: float) -> Array:
    """A mask, shifted, with a softer edge."""
    way = np.array([[1, 0, by_px[0]], [0, 1, by_px[1]]])
    return _blurred(np.asarray(cv2.warpAffine(mask, way, mask.shape[::-1]), np.float64), soft_px)


def _blurred(mask: Array, soft_px: float) -> Array:
    """In a smaller picture, where the edge is wide."""
    if soft_px < 4.0:
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), max(soft_px, 0.4)))
    small = cv2.resize(mask, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), min(soft_px, 80.0) / 4)
    return np.asarray(cv2.resize(small, mask.shape[::-1], interpolation=cv2.INTER_LINEAR))


def _shadow(dice: Sequence[Die], lamp: Lamp, viewer: Viewer, size: tuple[int, ...]) -> Array:
    """How much of one lamp these dice keep from the table, 0 to 1."""
    dark = np.zeros(size)
    for die in dice:
        foot = foot_of(die)
        lower = foot
        for number in range(1, SLICES + 1):
            height = die.side * number / SLICES
            upper = foot + lamp.away * height
            patch, part = _filled(np.vstack([lower, upper]), viewer, size, lamp.soft * height)
            if patch is not None:
                dark[part] = np.maximum(dark[part], patch)
            lower = upper
    return dark


def _filled(
    points: Array, viewer: Viewer, size: tuple[int, ...], soft: float
) -> tuple[Array | None, tuple[slice, slice]]:
    """The hull of some places on the table, with an edge so soft (in the viewer's lengths), and where it is."""
    at = viewer.project(np.column_stack([points, np.zeros(len(points))]))
    unit = float(np.linalg.norm(at[1] - at[0]) / np.linalg.norm(points[1] - points[0]))
    sigma = max(soft * unit, 0.6)
    low = np.clip(np.floor(at.min(0) - 3 * sigma).astype(int), 0, size[::-1])
    high = np.clip(np.ceil(at.max(0) + 3 * sigma).astype(int) + 1, 0, size[::-1])
    part = slice(low[1], high[1]), slice(low[0], high[0])
    if (high <= low).any():
        return None, part
    mask = np.zeros(tuple(high - low)[::-1], np.uint8)
    hull = cv2.convexHull((at - low).astype(np.float32))
    cv2.fillConvexPoly(mask, np.round(hull * 16).astype(np.int32), (255,), cv2.LINE_AA, 4)
    return np.asarray(cv2.GaussianBlur(mask / 255.0, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)), part


def _beneath(dice: Sequence[Die], viewer: Viewer, size: tuple[int, ...]) -> Array:
    """What stands in the way of light from everywhere: near the feet."""
    dark = np.zeros(size)
    for die in dice:
        patch, part = _filled(foot_of(die), viewer, size, 0.3 * die.side)
        if patch is not None:
            dark[part] = np.maximum(dark[part], patch)
    return dark


def _thrown_back(dice: Sequence[Die], viewer: Viewer, size: tuple[int, ...]) -> Array:
    """The colours of dice on the table beside them."""
    thrown = np.zeros((*size, 3))
    for die in dice:
        patch, part = _filled(foot_of(die), viewer, size, 0.5 * die.side)
        if patch is not None:
            thrown[part] += patch[..., None] * (np.clip(die.style["body"], 0, 255) / 255.0) ** GAMMA
    return thrown


def _mirror(rng: Rng, picture: Array, dice: Sequence[Die], viewer: Viewer) -> None:
    """A table that is polished shows each die once more, upside down."""
    share, soft = rng.uniform(0.05, 0.4), rng.uniform(0.6, 4.0)
    for die in dice:
        foot = foot_of(die)
        points = np.column_stack([np.vstack([foot, foot]), np.repeat([0.0, -die.side], 4)])
        hull = cv2.convexHull(viewer.project(points).astype(np.float32))
        mask = np.zeros(picture.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round(hull * 16).astype(np.int32), (255,), cv2.LINE_AA, 4)
        seen = cv2.GaussianBlur(mask / 255.0, (0, 0), soft)[..., None] * share
        picture += (np.clip(die.style["body"], 0, 255) * rng.uniform(0.5, 1.0) - picture) * seen


def lamp_pool(rng: Rng, size: tuple[int, ...]) -> Array:
    """How a lamp's light is spread over the picture: evenly, or most at some place, or only on one side of an edge."""
    kind = rng.random()
    if kind < 0.5:
        return np.ones(size)
    x, y = np.meshgrid(np.arange(size[1]), np.arange(size[0]))
    at = rng.uniform(0, 1, 2) * size[::-1]
    if kind < 0.8:
        wide = np.exp(rng.uniform(np.log(40), np.log(300)))
        spread = np.exp(-(np.square(x - at[0]) + np.square(y - at[1])) / (2 * wide**2))
    else:
        way, soft = rng.uniform(0, 2 * np.pi), np.exp(rng.uniform(np.log(1.0), np.log(60.0)))
        before = -((x - at[0]) * np.cos(way) + (y - at[1]) * np.sin(way)) / soft
        spread = 1.0 / (1.0 + np.exp(np.minimum(before, 500.0)))
    least = rng.uniform(0.0, 0.8)
    return np.asarray(least + (1.0 - least) * spread)


def something_above(rng: Rng, size: tuple[int, ...]) -> Array:
    """What throws a shadow and is not in the picture: something long, such as a stick, an arm or a cable, or wide."""
    mask = np.zeros(size, np.uint8)
    at = rng.uniform(-0.1, 1.1, 2) * size[::-1]
    if rng.random() < 0.6:
        way, long = rng.uniform(0, 2 * np.pi), np.exp(rng.uniform(np.log(40), np.log(600)))
        end = at + long * np.array([np.cos(way), np.sin(way)])
        ends = [tuple(int(v) for v in np.round(one)) for one in (at, end)]
        cv2.line(mask, ends[0], ends[1], (255,), round(np.exp(rng.uniform(np.log(4), np.log(70)))), cv2.LINE_AA)
    else:
        around = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 9))))
        reach = np.exp(rng.uniform(np.log(10), np.log(140))) * rng.uniform(0.6, 1.0, len(around))
        points = at + np.column_stack([np.cos(around), np.sin(around)]) * reach[:, None]
        cv2.fillPoly(mask, [np.round(points).astype(np.int32)], (255,), cv2.LINE_AA)
    return np.asarray(mask / 255.0)
