"""Slices of pizza to be cut out: wedges of an eleventh of a pizza.

Those of New York Slice are the pictures that the simulated table shows; those of Pizzeria are drawn here.
"""

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from hardware.kit.cutting import Piece
from hardware.kit.drawing import (
    WHITE,
    Area,
    Bitmap,
    Disc,
    Ink,
    Outline,
    Placed,
    Shape,
    Stroke,
    Words,
    arc,
    centred_box,
    placed_points,
)
from hardware.kit.lettering import fitting_mm
from hardware.kit.toppings import topping
from hardware.simulated.artwork import SLICE_ANGLE_DEG, SLICE_LENGTH_MM, SPECIAL_HEIGHT_MM, SPECIAL_WIDTH_MM, Artwork
from vision.scene import Point

_HALF_DEG = SLICE_ANGLE_DEG / 2
_CRUST_MM = 88.0
_BAKED, _RIND, _INK = "#d79a52", "#a9662a", "#2a1c14"
_LEAF_MM = 6.4
_BACK, _BACK_LINE, _BACK_CREAM = "#7d2434", "#a84a55", "#f2dfb8"


@dataclass(frozen=True, slots=True)
class BasilSlice:
    """What a slice of Pizzeria shows."""

    face: str
    values: tuple[int, ...]
    """One, or two for a mixed one."""
    basil: int
    """Leaves."""


def wedge() -> Outline:
    """A slice's outline: its tip at the origin, the crust upwards."""
    return ((0.0, 0.0), *arc((0.0, 0.0), SLICE_LENGTH_MM, 90 - _HALF_DEG, 90 + _HALF_DEG, steps=16))


def special_outline() -> Outline:
    """The outline of a Special or special offer, its middle at the origin."""
    return centred_box(SPECIAL_WIDTH_MM, SPECIAL_HEIGHT_MM)


def picture_pieces(art: Mapping[str, Artwork], faces: Sequence[str], back: str, outline: Outline) -> list[Piece]:
    """Pieces that show these pictures, and one of them on their backs."""
    behind = (_bitmap(art[back]),)
    return [Piece(face, outline, (_bitmap(art[face]),), behind) for face in faces]


def basil_slices(slices: Sequence[BasilSlice]) -> list[Piece]:
    """The slices of Pizzeria.

    Raises:
        ValueError: there is no drawing of a value.
    """
    return [Piece(one.face, wedge(), _basil_slice(one), slice_back()) for one in slices]


def slice_back() -> tuple[Shape, ...]:
    """The back that all slices of Pizzeria share. What is strewn over it lies nowhere as elsewhere, so that a camera
    tells which part of it shows: rings alone look the same all around."""
    rings = [Disc((0.0, 0.0), radius, line=_BACK_LINE, width_mm=2.2) for radius in range(14, 100, 12)]
    badge: list[Shape] = [Disc((0.0, 66.0), 13.0, fill=_BACK_CREAM), Disc((0.0, 66.0), 11.4, fill=_BACK)]
    return (_ground(_BACK), *rings, *_strewn(), *badge, topping("basil", (0.0, 66.0), 9.0))


def _strewn() -> Iterator[Shape]:
    """Small slices of pizza, rings and dots, around the badge."""
    rng = Random(11)
    taken = [(0.0, 66.0, 14.0)]
    for number, radius in enumerate([4.6] * 12 + [2.6] * 10 + [1.4] * 16):
        place = _free_place(rng, radius, taken, (22.0, 98.0), 0)
        if place is None:
            continue
        if number < 12:
            corners = placed_points(((1.0, 0.0), (-0.87, 0.5), (-0.87, -0.5)), place, rng.uniform(0.0, 360.0), radius)
            yield Area((corners,), fill=_BACK_CREAM)
            yield Disc(place, 0.9, fill=_BACK)
        elif number < 22 and number % 2:
            yield Disc(place, radius - 0.8, line=_BACK_CREAM, width_mm=1.0)
        else:
            yield Disc(place, radius - 0.3, fill=_BACK_CREAM)


def _bitmap(art: Artwork) -> Bitmap:
    rows, columns = art.image.shape[:2]
    column, row = art.anchor_px
    at = (-(column + 0.5) / art.px_per_mm, -(rows - row - 0.5) / art.px_per_mm)
    image = np.ascontiguousarray(art.image[..., :3])
    return Bitmap(image, at, columns / art.px_per_mm, rows / art.px_per_mm)


@dataclass(frozen=True, slots=True)
class _Recipe:
    """What a value's slices look like."""

    ground: Ink
    spots: Ink
    toppings: tuple[tuple[str, int, float], ...]
    """Kind, how many, radius in millimetres."""


# Toppings by the names of the values; the grounds differ as much as the toppings do.
_RECIPES: Mapping[int, _Recipe] = {
    2: _Recipe("#d5402b", "#b52f1f", (("tomato", 5, 8.0),)),
    3: _Recipe("#f6cd5d", "#fbe39a", (("pineapple", 3, 7.5), ("ham", 4, 6.0))),
    4: _Recipe("#e9e3cf", "#fbf8ec", (("feta", 4, 6.5), ("olive", 5, 4.2), ("onion", 1, 6.0))),
    5: _Recipe("#f7b9a0", "#fcd9c8", (("shrimp", 5, 8.0),)),
    6: _Recipe("#b8cf6a", "#d3e296", (("pepper", 3, 7.5), ("onion", 2, 6.5), ("tomato", 2, 5.5))),
    7: _Recipe("#d9c3a0", "#efe2cb", (("mushroom", 6, 7.5),)),
    8: _Recipe("#f0a85a", "#f8cf9a", (("bacon", 5, 8.5),)),
    9: _Recipe("#e8703a", "#f4a36d", (("pepperoni", 6, 6.5),)),
    10: _Recipe(
        "#8c4a63", "#a96c83", (("pepperoni", 2, 6.5), ("pepper", 2, 6.5), ("olive", 3, 4.2), ("mushroom", 2, 6.5))
    ),
    11: _Recipe("#ffd94a", "#fff0a6", (("cheese", 6, 7.5),)),
}


def _basil_slice(one: BasilSlice) -> tuple[Shape, ...]:
    rng = Random(zlib.crc32(one.face.encode()))
    recipes = [_recipe(value) for value in one.values]
    taken = [(x, y, radius + 1.0) for x, y, radius in _number_places(one.values)]
    leaves = [_free_place(rng, _LEAF_MM, taken, (52.0, 84.0), 0) for _ in range(one.basil)]
    shapes: list[Shape] = [_ground(_BAKED)]
    for number, recipe in enumerate(recipes):
        side = 0 if len(recipes) == 1 else (-1, 1)[number]
        shapes.append(Placed((Disc((0.0, 0.0), _CRUST_MM, fill=recipe.ground),), clip=_half(side)))
        shapes += _spots(rng, recipe, side)
    rim = arc((0.0, 0.0), _CRUST_MM, 88 - _HALF_DEG, 92 + _HALF_DEG)
    shapes += [Stroke(rim, _RIND, 1.4), Stroke(arc((0.0, 0.0), 93.5, 90 - _HALF_DEG, 90 + _HALF_DEG), "#ecc58a", 3.0)]
    for number, recipe in enumerate(recipes):
        side = 0 if len(recipes) == 1 else (-1, 1)[number]
        for kind, count, radius in recipe.toppings:
            for _ in range(count if side == 0 else max(2, count // 2)):
                place = _free_place(rng, radius * 0.9, taken, (26.0, 83.0), side)
                if place is not None:
                    shapes.append(topping(kind, place, radius, rng.uniform(-40, 40), seed=rng.randrange(99)))
    for leaf in leaves:
        if leaf is None:
            raise ValueError(f"{one.face}: {one.basil} basil leaves find no room on it")
        shapes.append(Disc(leaf, _LEAF_MM + 0.9, fill="#f3f7e4"))
        shapes.append(topping("basil", leaf, _LEAF_MM, rng.uniform(-50, 50)))
    return (*shapes, *_numbers(one.values))


def _recipe(value: int) -> _Recipe:
    try:
        return _RECIPES[value]
    except KeyError:
        raise ValueError(f"there is no drawing of a slice of value {value}; there are of {sorted(_RECIPES)}") from None


def _ground(ink: Ink) -> Area:
    return Area((centred_box(70.0, 110.0, at=(0.0, 50.0)),), fill=ink)


def _half(side: int) -> Outline | None:
    return None if side == 0 else centred_box(40.0, 110.0, at=(20.0 * side, 50.0))


def _numbers(values: tuple[int, ...]) -> list[Shape]:
    shapes: list[Shape] = []
    for value, (x, y, radius) in zip(values, _number_places(values), strict=True):
        capital = fitting_mm(str(value), radius * 1.15, radius * 1.45, bold=True)
        shapes.append(Disc((x, y), radius, fill=WHITE, line=_INK, width_mm=0.7))
        shapes.append(Words(str(value), (x, y - capital / 2), capital, _INK, bold=True))
    return shapes


def _number_places(values: tuple[int, ...]) -> list[tuple[float, float, float]]:
    return [(0.0, 38.0, 9.6)] if len(values) == 1 else [(-6.9, 48.0, 6.8), (6.9, 48.0, 6.8)]


def _spots(rng: Random, recipe: _Recipe, side: int) -> list[Shape]:
    spots: list[Shape] = []
    for _ in range(16 if side == 0 else 8):
        at = _place(rng, (20.0, 84.0), 1.5, side)
        spots.append(Disc(at, rng.uniform(0.9, 2.4), fill=recipe.spots))
    return spots


def _free_place(
    rng: Random, radius: float, taken: list[tuple[float, float, float]], reach: tuple[float, float], side: int
) -> Point | None:
    """A place where nothing lies yet, which is then taken; None where there is no more room."""
    for _ in range(200):
        x, y = _place(rng, (reach[0], reach[1] - radius * 0.8), radius, side)
        if all(math.dist((x, y), (tx, ty)) > r + radius + 0.4 for tx, ty, r in taken):
            taken.append((x, y, radius))
            return x, y
    return None


def _place(rng: Random, reach: tuple[float, float], radius: float, side: int) -> Point:
    far = math.sqrt(rng.uniform(reach[0] ** 2, reach[1] ** 2))
    room = max(0.0, far * math.tan(math.radians(_HALF_DEG)) - radius * 0.85)
    x = rng.uniform(-room, room) if side == 0 else side * rng.uniform(min(radius * 0.8, room), room)
    return x, math.sqrt(far**2 - x**2)
