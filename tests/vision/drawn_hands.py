"""Hands of our own, as patches of a table seen from above: of any skin, fingers any way, with an arm in a sleeve.

They share nothing with the simulated table's hands, so that what learned from these can be tried on those.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rng = np.random.Generator


@dataclass(frozen=True)
class Bone:
    """A capsule of flesh: two ends (mm; the hand's wrist is at 0, 0, its fingers point along y), the radius at each,
    and how high its axis lies."""

    start: tuple[float, float]
    end: tuple[float, float]
    wide: float
    narrow: float
    height: float = 0.0


@dataclass(frozen=True)
class Hand:
    """A hand's bones, and its colours."""

    flesh: tuple[Bone, ...]
    sleeve: tuple[Bone, ...]
    skin: Array
    """Blue, green, red."""
    cloth: Array


TIPS = (4, 8, 12, 16, 19)
"""The last bone of each finger among a hand's."""


def some_hand(rng: Rng) -> Hand:
    """Open, half closed or a fist; left or right; of a child or a grown-up."""
    size, side = rng.uniform(0.78, 1.15), float(rng.choice([-1.0, 1.0]))
    curl = rng.choice([rng.uniform(0.85, 1.0), rng.uniform(0.35, 0.85)])
    spread = rng.uniform(0.0, 11.0)
    fleshy = rng.uniform(0.88, 1.2)
    bones = [Bone((0.0, -14.0), (0.0, 10.0), 27.0 * fleshy, 29.0 * fleshy)]
    for number, (across, knuckle, length) in enumerate(
        ((-27.0, 84.0, 66.0), (-9.0, 92.0, 76.0), (9.0, 89.0, 71.0), (26.0, 80.0, 56.0))
    ):
        width = (9.3, 9.6, 9.1, 8.1)[number] * fleshy
        own = curl * rng.uniform(0.8, 1.05) * length
        lean = np.radians((number - 1.5) * spread + rng.normal(0, 4.0))
        way = np.array([np.sin(lean), np.cos(lean)])
        bones.append(Bone((across * 0.6, 18.0), (across, knuckle), 19.0 * fleshy, width * 1.35, 3.0))
        joint = np.array([across, knuckle])
        for share, thick in ((0.45, 1.1), (0.3, 1.0), (0.25, 0.88)):
            after = joint + way * own * share
            bones.append(Bone(_pair(joint), _pair(after), width * thick, width * thick * 0.92, 5.0 * (1.0 - share)))
            joint = after
            way = _turned(way, np.radians(rng.normal(0, 3.0)))
    thumb = np.array([-22.0, 22.0])
    lean = np.radians(rng.uniform(-75.0, -8.0))
    for length, wide in ((36.0, 14.0), (32.0, 11.0), (24.0, 10.0)):
        after = thumb + length * np.array([np.sin(lean), np.cos(lean)])
        bones.append(Bone(_pair(thumb), _pair(after), wide * fleshy, wide * fleshy * 0.85, -1.0))
        thumb, lean = after, lean + np.radians(rng.uniform(5.0, 22.0))
    bones.append(Bone((0.0, -10.0), (rng.normal(0, 20.0), -330.0), 26.0 * fleshy, 42.0 * fleshy))
    cuff = -rng.uniform(25.0, 260.0)
    sleeve = (Bone((bones[-1].end[0] * cuff / -330.0, cuff), bones[-1].end, rng.uniform(32, 52), 60.0, 8.0),)
    return Hand(
        tuple(_sized(bone, size, side) for bone in bones),
        tuple(_sized(bone, size, side) for bone in sleeve) if rng.random() < 0.75 else (),
        some_skin(rng),
        np.clip(rng.uniform(20, 235) + rng.normal(0, 45, 3), 5, 250),
    )


def some_skin(rng: Rng) -> Array:
    """From pale to very dark, reddish yellow; chosen by us and rather too wide than too narrow."""
    lightness = rng.uniform(26.0, 82.0)
    red = rng.uniform(7.0, 17.0) + 2.0 * (lightness < 55.0)
    yellow = rng.uniform(10.0, 24.0)
    lab = np.array([[[lightness, red, yellow]]], np.float32)
    return np.asarray(np.clip(cv2.cvtColor(lab, cv2.COLOR_Lab2BGR)[0, 0] * 255.0, 0, 255), np.float64)


def somewhere_on(rng: Rng, hand: Hand) -> Array:
    """A place on it, or between two of its bones, where it may hold something."""
    bones = [*hand.flesh[:-1]] if rng.random() < 0.9 else [hand.flesh[-1]]
    one, other = (bones[int(i)] for i in rng.integers(0, len(bones), 2))
    first = _along(rng, one)
    if rng.random() < 0.25:
        second = _along(rng, other)
        if np.linalg.norm(second - first) < 55.0:
            return (first + second) / 2
    return first


def at_fingertip(rng: Rng, hand: Hand) -> Array:
    """A place at a finger's tip, or between two tips that are near enough to hold something."""
    one, other = (np.array(hand.flesh[int(i)].end) for i in rng.choice(TIPS, 2, replace=False))
    between = rng.random() < 0.4 and np.linalg.norm(one - other) < 55.0
    return np.asarray(((one + other) / 2 if between else one) + rng.normal(0, 5.0, 2))


def lay_hand(rng: Rng, picture: Array, hand: Hand, to_hand: Array, shift: Array) -> tuple[Array, Array]:
    """Draw it on a picture (a millimetre to the pixel): `to_hand` (2 x 2) turns pixels from the picture's middle into
    the hand's own millimetres, `shift` is where that middle lies on the hand. How far flesh covers each pixel, and
    flesh or cloth, 0 to 1."""
    size = picture.shape[0]
    steps = np.arange(size) - (size - 1) / 2
    x, y = np.meshgrid(steps, steps)
    own = np.stack([x, y], axis=-1) @ to_hand.T + shift
    flesh, cloth = (_height(own, bones) for bones in (hand.flesh, hand.sleeve))
    light = rng.uniform(0, 2 * np.pi)
    shade = np.clip(np.maximum(flesh, cloth) / 3.0, 0, 1)
    reach = rng.uniform(0.0, 14.0)
    moved = np.array([[1.0, 0.0, reach * np.cos(light)], [0.0, 1.0, reach * np.sin(light)]])
    soft = cv2.GaussianBlur(cv2.warpAffine(shade, moved, (size, size)), (0, 0), rng.uniform(2.0, 9.0))
    picture *= (1.0 - rng.uniform(0.1, 0.5) * soft)[..., None]
    _cover(picture, _lit(rng, flesh, hand.skin, light, rng.uniform(0.02, 0.06)), np.clip(flesh / 2.0, 0, 1))
    if hand.sleeve:
        folds = cloth + np.where(cloth > 0, cv2.resize(rng.normal(0, 2.0, (9, 9)), (size, size)), 0.0)
        _cover(picture, _lit(rng, folds, hand.cloth, light, 0.05), np.clip(cloth / 2.0, 0, 1))
    bare = np.where(cloth > 0, 0.0, flesh)
    return np.clip(bare / 2.0, 0, 1), np.clip(np.maximum(flesh, cloth) / 2.0, 0, 1)


def _lit(rng: Rng, height: Array, colour: Array, light: float, spots: float) -> Array:
    """What is so high, in a light that comes more from one side."""
    smooth = cv2.GaussianBlur(height, (0, 0), rng.uniform(0.8, 2.0))
    down_x, down_y = cv2.Sobel(smooth, cv2.CV_64F, 1, 0, scale=0.125), cv2.Sobel(smooth, cv2.CV_64F, 0, 1, scale=0.125)
    facing = 1.0 / np.sqrt(1.0 + down_x**2 + down_y**2)
    side = -(down_x * np.cos(light) + down_y * np.sin(light)) * facing
    hollow = np.clip((cv2.GaussianBlur(height, (0, 0), 7.0) - smooth) / 12.0, 0.0, 0.6) * rng.uniform(0.3, 1.0)
    level = 1.0 - rng.uniform(0.3, 0.6) * (1.0 - facing) + rng.uniform(0.0, 0.3) * side - hollow
    blotches = cv2.resize(rng.normal(0, spots, (20, 20)), height.shape[::-1], interpolation=cv2.INTER_CUBIC)
    return np.asarray((level * (1.0 + blotches))[..., None] * colour)


def _cover(picture: Array, colour: Array, share: Array) -> None:
    picture += (colour - picture) * share[..., None]


def _height(at: Array, bones: tuple[Bone, ...]) -> Array:
    height = np.zeros(at.shape[:2])
    steps = np.array([at[0, 1] - at[0, 0], at[1, 0] - at[0, 0]])
    for bone in bones:
        start, way = np.array(bone.start), np.array(bone.end) - bone.start
        ends = (np.array([bone.start, bone.end]) - at[0, 0]) @ steps.T
        reach = max(bone.wide, bone.narrow) + 1.0
        first = np.clip(ends.min(0) - reach, 0, None).astype(int)
        last = np.clip(ends.max(0) + reach, 0, None).astype(int) + 1
        part = slice(first[1], last[1]), slice(first[0], last[0])
        near = at[part] - start
        share = np.clip((near @ way) / max(float(way @ way), 1e-9), 0, 1)
        beside = np.square(near - share[..., None] * way).sum(-1)
        round_part = np.sqrt(np.maximum(np.square(bone.wide + share * (bone.narrow - bone.wide)) - beside, 0.0))
        height[part] = np.maximum(height[part], round_part + np.minimum(round_part / 5.0, 1.0) * bone.height)
    return height


def _sized(bone: Bone, size: float, side: float) -> Bone:
    ends = [(x * size * side, y * size) for x, y in (bone.start, bone.end)]
    return Bone(ends[0], ends[1], bone.wide * size, bone.narrow * size, bone.height * size)


def _along(rng: Rng, bone: Bone) -> Array:
    share = rng.uniform(0, 1)
    on_axis = np.array(bone.start) * (1 - share) + np.array(bone.end) * share
    return np.asarray(on_axis + rng.normal(0, 0.5 * bone.narrow, 2))


def _turned(way: Array, by: float) -> Array:
    return np.array([way[0] * np.cos(by) - way[1] * np.sin(by), way[0] * np.sin(by) + way[1] * np.cos(by)])


def _pair(at: Array) -> tuple[float, float]:
    return float(at[0]), float(at[1])
