"""Our own slices of pizza, drawn by program.

A face's facts (values, pepperoni, anchovies) are arguments: they live with the rules.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from hardware.simulated.artwork import HALF_ANGLE, SLICE_LENGTH_MM, Artwork, Colour, Floats, Picture, Sheet

SLICE_BACK = "back"


@dataclass(frozen=True, slots=True)
class SliceArt:
    """What one slice shows."""

    face: str
    values: tuple[int, ...]
    """One value, two for a combo, none for the supreme."""
    pepperoni: int
    anchovies: int
    name: str


def draw_slice(art: SliceArt, px_per_mm: float) -> Artwork:
    """Draw a slice's front."""
    sheet = Sheet.for_slice(px_per_mm, art.face)
    recipes = [recipe_of(value) for value in art.values] or [_SUPREME]
    _draw_base(sheet, recipes)
    taken: list[tuple[float, float, float]] = [(0.0, 44.0, 14.0) if len(recipes) == 2 else (0.0, 36.0, 12.5)]
    _draw_fish_and_pepperoni(sheet, art, taken)
    _draw_toppings(sheet, recipes, taken)
    for x_mm, y_mm, angle in sheet.fish:
        _draw_anchovy(sheet, x_mm, y_mm, angle)
    for x_mm, y_mm, _ in sheet.discs:
        _draw_pepperoni(sheet, x_mm, y_mm)
    _draw_values(sheet, art.values)
    return sheet.finish(_wedge(sheet))


def draw_slice_back(px_per_mm: float) -> Artwork:
    """Draw the back that all slices share: a chequered box lid with a ring."""
    sheet = Sheet.for_slice(px_per_mm, SLICE_BACK)
    sheet.image[:] = (64, 96, 40)
    radius, angle = sheet.polar()
    for start in range(8, 100, 16):
        sheet.paint((radius >= start) & (radius < start + 8), (78, 118, 52))
    spokes = np.abs(np.mod(np.degrees(angle) + 180, 8.18) - 4.09) < 0.35
    sheet.paint(spokes & (radius > 20), (92, 136, 66))
    sheet.paint((radius > 94) & (radius < 97), (150, 214, 240))
    sheet.disc(0, 62, 13, (150, 214, 240))
    sheet.disc(0, 62, 11.2, (64, 96, 40))
    tip, left, right = (0.0, 53.5), (-5.4, 68.0), (5.4, 68.0)
    sheet.polygon([tip, left, (0.0, 70.5), right], (150, 214, 240))
    for x_mm, y_mm in ((-1.9, 66.0), (2.2, 65.2), (0.1, 60.6)):
        sheet.disc(x_mm, y_mm, 1.25, (64, 96, 40))
    return sheet.finish(_wedge(sheet))


def _wedge(sheet: Sheet) -> Picture:
    angles = np.linspace(-HALF_ANGLE, HALF_ANGLE, 33)
    rim = [(SLICE_LENGTH_MM * math.sin(a), SLICE_LENGTH_MM * math.cos(a)) for a in angles]
    return sheet.filled([(0.0, 0.0), *rim])


Topping = Callable[[Sheet, float, float], None]


@dataclass(frozen=True, slots=True)
class _Recipe:
    """How a type of pizza looks."""

    sauce: Colour
    cheese: Colour
    toppings: tuple[tuple[Topping, int, float], ...]
    """Each with how many a slice has and its radius in millimetres."""


def _draw_base(sheet: Sheet, recipes: list[_Recipe]) -> None:
    radius, angle = sheet.polar()
    x_mm, _ = sheet.grid()
    melt = np.clip(0.62 + 0.35 * sheet.mottle(9.0) + 0.18 * sheet.mottle(2.5), 0, 1).astype(np.float32)
    sides = [np.ones(radius.shape, bool)]
    if len(recipes) == 2:
        seam = 1.4 * sheet.mottle(7.0)
        sides = [x_mm < seam, x_mm >= seam]
    for recipe, side in zip(recipes, sides, strict=True):
        sheet.paint(side, recipe.sauce)
        sheet.blend(np.where(side, melt, 0).astype(np.float32), recipe.cheese)
    spots = np.clip(sheet.mottle(2.2) - 1.5, 0, 1) * 0.5
    sheet.blend(spots.astype(np.float32), (40, 110, 190))
    wave = 86.5 + 0.9 * np.sin(angle * 40 + sheet.rng.uniform(0, 6)) + 0.5 * sheet.mottle(4.0)
    for recipe, side in zip(recipes, sides, strict=True):
        darker = tuple(int(part * 0.72) for part in recipe.sauce)
        sheet.paint(side & (radius > wave - 3.0), (darker[0], darker[1], darker[2]))
    _draw_crust(sheet, radius, wave)
    edge = np.clip((np.abs(angle) * radius - (np.tan(HALF_ANGLE) * radius - 0.9)) / 0.9, 0, 1) * 0.35
    sheet.blend(edge.astype(np.float32), (30, 50, 90))


def _draw_crust(sheet: Sheet, radius: Floats, wave: Floats) -> None:
    across = np.clip((radius - wave) / (SLICE_LENGTH_MM - wave), 0, 1)
    on_crust = radius > wave
    sheet.paint(on_crust, (72, 142, 204))
    light = np.where(on_crust, np.clip(1 - np.abs(across - 0.45) / 0.32, 0, 1) * 0.75, 0)
    sheet.blend(light.astype(np.float32), (132, 196, 238))
    burnt = np.where(on_crust, np.clip(sheet.mottle(4.5) + 0.5 * sheet.mottle(1.6) - 0.55, 0, 1) * 0.75, 0)
    sheet.blend(burnt.astype(np.float32), (30, 72, 128))
    rim = np.where(
        on_crust, np.clip((across - 0.75) / 0.25, 0, 1) * 0.55 + np.clip((0.16 - across) / 0.16, 0, 1) * 0.5, 0
    )
    sheet.blend(rim.astype(np.float32), (30, 70, 120))


def _draw_fish_and_pepperoni(sheet: Sheet, art: SliceArt, taken: list[tuple[float, float, float]]) -> None:
    """Choose where they lie, before the other toppings, so that each stays whole."""
    for _ in range(art.pepperoni):
        x_mm, y_mm = _free_place(sheet, 6.6, taken, lowest=50.0)
        taken.append((x_mm, y_mm, 6.9))
        sheet.discs.append((x_mm, y_mm, 6.0))
    for _ in range(art.anchovies):
        x_mm, y_mm = _free_place(sheet, 7.2, taken, lowest=50.0)
        taken.append((x_mm, y_mm, 6.2))
        sheet.fish.append(
            (x_mm, y_mm, float(sheet.rng.uniform(-0.7, 0.7)) + (math.pi if sheet.rng.random() < 0.5 else 0))
        )


def _free_place(
    sheet: Sheet, radius_mm: float, taken: list[tuple[float, float, float]], *, lowest: float, x_sign: int = 0
) -> tuple[float, float]:
    """A place on the slice as far from what lies there as a few tries find."""
    best, best_gap = (0.0, 66.0), -math.inf
    for _ in range(60):
        distance = math.sqrt(sheet.rng.uniform(lowest**2, (83.0 - radius_mm * 0.6) ** 2))
        spread = max(0.0, distance * math.tan(HALF_ANGLE) - radius_mm)
        x_mm = float(sheet.rng.uniform(-spread, spread))
        if x_sign and spread > radius_mm * 0.5:
            x_mm = x_sign * float(sheet.rng.uniform(radius_mm * 0.5, spread))
        y_mm = math.sqrt(max(0.0, distance**2 - x_mm**2))
        gap = min((math.hypot(x_mm - x, y_mm - y) - r - radius_mm for x, y, r in taken), default=9.0)
        if gap > best_gap:
            best, best_gap = (x_mm, y_mm), gap
        if gap > 0.6:
            break
    return best


def _draw_toppings(sheet: Sheet, recipes: list[_Recipe], taken: list[tuple[float, float, float]]) -> None:
    for number, recipe in enumerate(recipes):
        x_sign = 0 if len(recipes) == 1 else (-1, 1)[number]
        for topping, count, radius_mm in recipe.toppings:
            for _ in range(count if x_sign == 0 else max(1, count * 2 // 3)):
                x_mm, y_mm = _free_place(sheet, radius_mm, taken, lowest=44.0, x_sign=x_sign)
                gap = min(math.hypot(x_mm - x, y_mm - y) - r - radius_mm for x, y, r in taken)
                if gap > -1.2:
                    taken.append((x_mm, y_mm, radius_mm))
                    topping(sheet, x_mm, y_mm)


def _draw_pepperoni(sheet: Sheet, x_mm: float, y_mm: float) -> None:
    sheet.disc(x_mm + 0.4, y_mm - 0.5, 6.3, (24, 34, 70))
    sheet.disc(x_mm, y_mm, 6.0, (22, 20, 96))
    sheet.disc(x_mm, y_mm, 5.1, (42, 40, 206))
    sheet.disc(x_mm - 0.6, y_mm + 0.7, 3.8, (56, 58, 226))
    for _ in range(6):
        turn, reach = sheet.rng.uniform(0, 2 * math.pi), sheet.rng.uniform(0.8, 4.0)
        spot: Colour = (96, 116, 240) if sheet.rng.random() < 0.6 else (26, 22, 130)
        sheet.disc(x_mm + reach * math.cos(turn), y_mm + reach * math.sin(turn), 0.55, spot)


def _draw_anchovy(sheet: Sheet, x_mm: float, y_mm: float, angle: float) -> None:
    cos, sin = math.cos(angle), math.sin(angle)

    def at(u_mm: float, v_mm: float) -> tuple[float, float]:
        bend = v_mm + 0.022 * u_mm * u_mm - 0.6
        return x_mm + u_mm * cos - bend * sin, y_mm + u_mm * sin + bend * cos

    steps = np.linspace(-7.0, 8.0, 16)
    half = [2.5 * math.sin(math.pi * min(1.0, max(0.0, (u + 8.6) / 16.6))) ** 0.8 for u in steps]

    def body(swell: float) -> list[tuple[float, float]]:
        upper = [at(u, h + swell) for u, h in zip(steps, half, strict=True)]
        lower = [at(u, -h - swell) for u, h in zip(steps, half, strict=True)]
        return upper + lower[::-1]

    tail = [at(-6.2, 0), at(-9.6, 3.0), at(-8.4, 0), at(-9.6, -3.0)]
    sheet.polygon(tail, (92, 62, 40))
    sheet.polygon(body(0.55), (80, 52, 34))
    sheet.polygon(body(0.0), (176, 146, 112))
    sheet.curve([at(u, 0.45 * h) for u, h in zip(steps, half, strict=True)], 0.6, (222, 204, 178))
    sheet.curve([at(u, -0.4 * h) for u, h in zip(steps, half, strict=True)], 0.45, (120, 90, 60))
    head = at(5.9, 0.5)
    sheet.disc(*head, 0.75, (240, 240, 235))
    sheet.disc(*head, 0.42, (20, 16, 12))


def _draw_values(sheet: Sheet, values: tuple[int, ...]) -> None:
    cream, dark = (226, 246, 252), (18, 22, 40)
    if not values:
        sheet.star(0, 36, 9.2, (40, 190, 250), dark)
        return
    if len(values) == 1:
        y_mm, widest_mm = (36.0, 15.2) if len(str(values[0])) == 1 else (39.5, 18.6)
        sheet.text(str(values[0]), 0, y_mm, 13.0, widest_mm, cream, weight=800, outline=dark, outline_mm=0.9)
        if values[0] in (6, 9):
            sheet.line((-3.6, 26.8), (3.6, 26.8), 2.4, dark)
            sheet.line((-3.2, 26.8), (3.2, 26.8), 1.2, cream)
        return
    for value, x_mm in zip(values, (-6.3, 6.3), strict=True):
        sheet.text(str(value), x_mm, 46.5, 9.5, 10.6, cream, weight=800, outline=dark, outline_mm=0.8)
    sheet.line((-1.2, 39.0), (1.2, 53.0), 1.6, dark)
    sheet.line((-1.2, 39.0), (1.2, 53.0), 0.8, cream)


def _leaf(sheet: Sheet, x_mm: float, y_mm: float) -> None:
    turn = float(sheet.rng.uniform(0, 2 * math.pi))
    steps = np.linspace(-4.2, 4.2, 11)
    half = [1.9 * math.cos(math.pi * u / 8.8) ** 0.8 for u in steps]

    def at(u: float, v: float) -> tuple[float, float]:
        return x_mm + u * math.cos(turn) - v * math.sin(turn), y_mm + u * math.sin(turn) + v * math.cos(turn)

    outline = [at(u, h) for u, h in zip(steps, half, strict=True)]
    outline += [at(u, -h) for u, h in zip(steps, half, strict=True)][::-1]
    sheet.polygon([(x + 0.35, y - 0.45) for x, y in outline], (24, 60, 30))
    sheet.polygon(outline, (44, 132, 52))
    sheet.line(at(-3.6, 0), at(3.6, 0), 0.4, (90, 176, 110))


def _blob(colour: Colour, radius_mm: float, edge: Colour) -> Topping:
    def draw(sheet: Sheet, x_mm: float, y_mm: float) -> None:
        phases = sheet.rng.uniform(0, 6.28, 2)
        outline = []
        for turn in np.linspace(0, 2 * math.pi, 24, endpoint=False):
            reach = radius_mm * (1 + 0.14 * math.sin(2 * turn + phases[0]) + 0.09 * math.sin(3 * turn + phases[1]))
            outline.append((x_mm + reach * math.cos(turn), y_mm + reach * math.sin(turn)))
        sheet.polygon([(x + 0.3, y - 0.5) for x, y in outline], edge)
        sheet.polygon(outline, colour)
        glint = tuple(min(255, part + 22) for part in colour)
        sheet.disc(x_mm - 0.25 * radius_mm, y_mm + 0.3 * radius_mm, radius_mm * 0.36, (glint[0], glint[1], glint[2]))

    return draw


def _hoop(colour: Colour, radius_mm: float, width_mm: float, inside: Colour | None = None) -> Topping:
    def draw(sheet: Sheet, x_mm: float, y_mm: float) -> None:
        sheet.ring(x_mm + 0.25, y_mm - 0.35, radius_mm, width_mm, (40, 56, 70))
        if inside is not None:
            sheet.disc(x_mm, y_mm, radius_mm, inside)
        sheet.ring(x_mm, y_mm, radius_mm, width_mm, colour)

    return draw


def _strip(colour: Colour, stripe: Colour, length_mm: float, width_mm: float) -> Topping:
    def draw(sheet: Sheet, x_mm: float, y_mm: float) -> None:
        turn = float(sheet.rng.uniform(0, math.pi))
        cos, sin = math.cos(turn), math.sin(turn)
        points = []
        for u in np.linspace(-length_mm / 2, length_mm / 2, 13):
            v = 0.9 * math.sin(u * 1.3)
            points.append((x_mm + u * cos - v * sin, y_mm + u * sin + v * cos))
        sheet.curve([(x + 0.3, y - 0.4) for x, y in points], width_mm * 1.15, (36, 40, 66))
        sheet.curve(points, width_mm, colour)
        sheet.curve(points, width_mm * 0.36, stripe)

    return draw


def _chunk(colour: Colour, edge: Colour, size_mm: float, corners: int) -> Topping:
    def draw(sheet: Sheet, x_mm: float, y_mm: float) -> None:
        turn = float(sheet.rng.uniform(0, 2 * math.pi))
        angles = turn + np.linspace(0, 2 * math.pi, corners, endpoint=False)
        reaches = size_mm * sheet.rng.uniform(0.8, 1.1, corners)
        points = [(x_mm + r * math.cos(a), y_mm + r * math.sin(a)) for a, r in zip(angles, reaches, strict=True)]
        sheet.polygon([(x + 0.3, y - 0.5) for x, y in points], edge)
        sheet.polygon(points, colour)
        inner = [(x_mm + 0.5 * (x - x_mm) - 0.2, y_mm + 0.5 * (y - y_mm) + 0.3) for x, y in points]
        sheet.polygon(inner, tuple(min(255, part + 16) for part in colour))  # type: ignore[arg-type]

    return draw


def _mushroom(sheet: Sheet, x_mm: float, y_mm: float) -> None:
    turn = float(sheet.rng.uniform(0, 2 * math.pi))
    cos, sin = math.cos(turn), math.sin(turn)

    def at(u: float, v: float) -> tuple[float, float]:
        return x_mm + u * cos - v * sin, y_mm + u * sin + v * cos

    cap = [at(4.4 * math.cos(a), 3.4 * math.sin(a) + 0.4) for a in np.linspace(-0.15, math.pi + 0.15, 16)]
    stem = [at(-1.3, 0.6), at(-1.5, -3.6), at(1.5, -3.6), at(1.3, 0.6)]
    for points in (stem, cap):
        sheet.polygon([(x + 0.35, y - 0.45) for x, y in points], (60, 76, 92))
    sheet.polygon(stem, (206, 222, 232))
    sheet.polygon(cap, (150, 176, 198))
    inner = [at(3.3 * math.cos(a), 2.3 * math.sin(a) + 0.6) for a in np.linspace(0.05, math.pi - 0.05, 14)]
    sheet.polygon(inner, (216, 232, 240))
    sheet.curve([at(-2.6, 0.9), at(0, 1.4), at(2.6, 0.9)], 0.5, (110, 134, 160))


def _broccoli(sheet: Sheet, x_mm: float, y_mm: float) -> None:
    sheet.line((x_mm, y_mm), (x_mm + 0.4, y_mm - 4.2), 1.7, (110, 190, 140))
    for reach, radius_mm, colour in ((2.2, 1.9, (28, 92, 40)), (1.9, 1.5, (44, 128, 62)), (1.2, 0.9, (70, 160, 92))):
        for turn in np.linspace(0, math.pi, 4):
            sheet.disc(x_mm + reach * math.cos(turn), y_mm + reach * math.sin(turn) * 0.9, radius_mm, colour)


def _shreds(colour: Colour) -> Topping:
    def draw(sheet: Sheet, x_mm: float, y_mm: float) -> None:
        for _ in range(4):
            turn = float(sheet.rng.uniform(0, math.pi))
            dx, dy = 2.6 * math.cos(turn), 2.6 * math.sin(turn)
            x, y = x_mm + float(sheet.rng.uniform(-1.6, 1.6)), y_mm + float(sheet.rng.uniform(-1.6, 1.6))
            sheet.line((x - dx + 0.2, y - dy - 0.3), (x + dx + 0.2, y + dy - 0.3), 1.0, (70, 150, 190))
            sheet.line((x - dx, y - dy), (x + dx, y + dy), 0.9, colour)

    return draw


_RECIPES: Mapping[int, _Recipe] = {
    3: _Recipe(
        (48, 140, 96), (110, 206, 168), ((_broccoli, 5, 4.2), (_strip((60, 214, 246), (150, 240, 255), 8, 1.5), 4, 3.6))
    ),
    4: _Recipe((40, 96, 226), (84, 152, 246), ((_blob((226, 242, 246), 4.4, (60, 90, 160)), 4, 4.8), (_leaf, 4, 4.0))),
    5: _Recipe(
        (26, 44, 84),
        (44, 84, 146),
        ((_chunk((150, 196, 228), (20, 34, 60), 3.8, 6), 5, 4.0), (_hoop((150, 60, 150), 3.0, 0.9), 4, 3.4)),
    ),
    6: _Recipe(
        (40, 160, 240),
        (70, 216, 252),
        (
            (_chunk((90, 236, 255), (20, 110, 190), 3.9, 3), 5, 3.8),
            (_chunk((160, 150, 240), (60, 70, 170), 3.3, 4), 4, 3.4),
        ),
    ),
    7: _Recipe(
        (190, 196, 200),
        (232, 238, 238),
        (
            (_hoop((38, 34, 40), 2.5, 1.6, (120, 150, 160)), 8, 3.4),
            (_chunk((252, 252, 250), (150, 156, 160), 2.6, 4), 4, 2.8),
        ),
    ),
    8: _Recipe((98, 118, 150), (142, 166, 190), ((_mushroom, 6, 4.8),)),
    9: _Recipe(
        (24, 112, 232),
        (44, 152, 250),
        (
            (_hoop((60, 168, 90), 3.2, 1.5, (130, 214, 176)), 5, 3.9),
            (_blob((60, 220, 252), 1.3, (20, 110, 180)), 9, 1.5),
        ),
    ),
    10: _Recipe(
        (28, 26, 116),
        (46, 48, 156),
        ((_strip((120, 118, 220), (190, 200, 246), 11, 2.6), 4, 4.6), (_blob((44, 62, 96), 2.3, (16, 18, 50)), 6, 2.5)),
    ),
    11: _Recipe(
        (96, 200, 240),
        (166, 234, 252),
        (
            (_blob((84, 164, 228), 3.6, (70, 150, 214)), 3, 4.0),
            (_shreds((222, 250, 255)), 6, 3.4),
            (_hoop((100, 180, 226), 2.0, 0.6), 4, 2.2),
        ),
    ),
    -3: _Recipe(
        (132, 104, 60),
        (170, 150, 104),
        ((_chunk((120, 238, 250), (90, 90, 60), 3.0, 7), 3, 3.2), (_blob((60, 90, 70), 1.1, (40, 50, 36)), 6, 1.4)),
    ),
}
_SUPREME = _Recipe(
    (120, 40, 110),
    (160, 84, 150),
    (
        (_leaf, 2, 4.0),
        (_hoop((38, 34, 40), 2.3, 1.5, (120, 150, 160)), 3, 3.0),
        (_strip((60, 214, 246), (150, 240, 255), 8, 1.5), 3, 3.6),
        (_mushroom, 2, 4.6),
    ),
)


def recipe_of(value: int) -> _Recipe:
    """How slices of a value look. Raises ValueError where there is no art for it."""
    try:
        return _RECIPES[value]
    except KeyError:
        raise ValueError(f"no art for a slice of value {value}: there is art for {sorted(_RECIPES)}") from None
