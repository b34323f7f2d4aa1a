"""What is no die, drawn: round toppings, buttons, coins, printed pips, dominoes, markers, rings and writing on a table.

Everything lies flat and has no sides. It trains the dice reader to leave such things alone and tests that it does.
"""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.dice import PIPS
from tests.vision.drawn_dice import as_photographed, background, some_colour
from vision.frame import Image

Array = NDArray[np.float64]
Rng = np.random.Generator

FINE = 2
"""Drawn so many times finer and shrunk."""


def draw_clutter(rng: Rng, size: int = 224) -> Image:
    """A square picture of things that are no dice."""
    canvas = np.ascontiguousarray(np.clip(background(rng, size), 0, 255), np.uint8)
    canvas = np.ascontiguousarray(cv2.resize(canvas, None, fx=FINE, fy=FINE, interpolation=cv2.INTER_LINEAR))
    unit = float(np.exp(rng.uniform(np.log(12), np.log(60)))) * FINE
    kinds = [_KINDS[int(k)] for k in rng.integers(len(_KINDS), size=int(rng.integers(1, 4)))]
    for _ in range(int(np.clip((size * FINE / unit) ** 2 * 0.15, 3, 14))):
        at = rng.uniform(0, size * FINE, 2)
        kind = kinds[int(rng.integers(len(kinds)))]
        kind(rng, canvas, at, unit * float(np.exp(rng.normal(0, 0.15))))
    small = cv2.resize(canvas, (size, size), interpolation=cv2.INTER_AREA)
    return as_photographed(rng, small.astype(np.float64))


def draw_thing(rng: Rng, canvas: Image, at: Array, unit: float) -> None:
    """One thing that is no die, of about a die's size, drawn over what is there."""
    _KINDS[int(rng.integers(len(_KINDS)))](rng, canvas, at, unit)


def _disc(canvas: Image, at: Array, radius: float, fill: Array, thick: float = 0.0) -> None:
    if radius < 0.5:
        return
    x, y = (round(float(v) * 8) for v in at)
    width = max(1, round(thick)) if thick else -1
    cv2.circle(canvas, (x, y), round(radius * 8), _bgr(fill), width, cv2.LINE_AA, 3)


def _polygon(canvas: Image, points: Array, fill: Array) -> None:
    cv2.fillPoly(canvas, [np.round(points * 8).astype(np.int32)], _bgr(fill), cv2.LINE_AA, 3)


def _bgr(fill: Array) -> tuple[float, float, float]:
    b, g, r = (float(v) for v in np.clip(fill, 0, 255))
    return b, g, r


def _turned(rng: Rng, points: Array, at: Array) -> Array:
    turn = rng.uniform(0, 2 * np.pi)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.asarray(points @ axes + at)


def _shadow(rng: Rng, canvas: Image, points: Array, by: float) -> None:
    """The narrow shadow of something flat."""
    dark = canvas.copy()
    _polygon(dark, points + rng.normal(0, by, 2), np.zeros(3))
    share = rng.uniform(0.1, 0.5)
    cv2.addWeighted(dark, share, canvas, 1 - share, 0, canvas)


def _topping(rng: Rng, canvas: Image, at: Array, unit: float) -> None:
    """A round slice of something: with a darker rim, a hole, or speckles."""
    fill, radius = some_colour(rng), unit * rng.uniform(0.3, 0.6)
    _disc(canvas, at, radius, fill * rng.uniform(0.4, 0.9))
    _disc(canvas, at, radius * rng.uniform(0.7, 0.95), fill)
    if rng.random() < 0.4:
        _disc(canvas, at, radius * rng.uniform(0.15, 0.6), some_colour(rng))
    for _ in range(int(rng.integers(0, 7))):
        _disc(
            canvas, at + rng.normal(0, radius * 0.4, 2), radius * rng.uniform(0.05, 0.2), fill * rng.uniform(0.5, 1.5)
        )


def _slice(rng: Rng, canvas: Image, at: Array, unit: float) -> None:
    """A wedge with a crust and round things on it."""
    half, long = np.radians(16.4), unit * rng.uniform(2.5, 6)
    arc = np.array([[np.cos(a), np.sin(a)] for a in np.linspace(-half, half, 9)]) * long
    points = np.vstack([[0, 0], arc])
    axes = _turned(rng, np.vstack([points, points * 0.85, rng.uniform(0.25, 0.8, (9, 1)) * arc * [1, 0.8]]), at)
    _shadow(rng, canvas, axes[:10], unit * 0.05)
    _polygon(canvas, axes[:10], some_colour(rng))
    _polygon(canvas, axes[10:20], some_colour(rng))
    fill, radius = some_colour(rng), unit * rng.uniform(0.12, 0.35)
    for spot in axes[20 : 20 + int(rng.integers(3, 10))]:
        _disc(canvas, spot, radius, fill * 0.6)
        _disc(canvas, spot, radius * 0.85, fill)


def _printed_pips(rng: Rng, canvas: Image, at: Array, unit: float) -> None:
    """Pips of a die's face, printed on the table, on a card, or on a square with sharp corners."""
    ink, paper = some_colour(rng), some_colour(rng)
    if rng.random() < 0.5:
        ink, paper = (np.full(3, rng.uniform(0, 70)), np.full(3, rng.uniform(180, 255)))
        ink, paper = (ink, paper) if rng.random() < 0.7 else (paper, ink)
    spots = np.array(PIPS[int(rng.integers(1, 7))], float)[:, :: rng.choice([-1, 1])] * unit * rng.uniform(0.2, 0.3)
    wide, high = unit * np.exp(rng.uniform(np.log(0.42), np.log(2.2), 2))
    kind = rng.random()
    if kind < 0.35:
        wide = high = unit / 2
    card = np.array([[-wide, -high], [wide, -high], [wide, high], [-wide, high]])
    offset = np.zeros(2) if kind < 0.5 else rng.uniform(-0.5, 0.5, 2) * [wide, high]
    placed = _turned(rng, np.vstack([card, spots + offset]), at)
    if kind < 0.75:
        if rng.random() < 0.3:
            _shadow(rng, canvas, placed[:4], unit * 0.04)
        _polygon(canvas, placed[:4], paper)
        if rng.random() < 0.4:
            edge = np.round(placed[:4] * 8).astype(np.int32)
            cv2.polylines(canvas, [edge], True, _bgr(ink), int(rng.integers(1, 5)), cv2.LINE_AA, 3)
    radius = unit * rng.uniform(0.06, 0.13)
    hollow = rng.random() < 0.15
    for spot in placed[4:]:
        _disc(canvas, spot, radius, ink, radius * 0.5 if hollow else 0.0)


def _domino(rng: Rng, canvas: Image, at: Array, unit: float) -> None:
    """Two patterns of pips side by side on one flat stone."""
    ink, paper = some_colour(rng), some_colour(rng)
    spots = [np.array(PIPS[int(v)], float) * unit * 0.27 + [shift * unit / 2, 0] for v, shift in zip(
        rng.integers(1, 7, 2), (-1, 1), strict=True
    )]  # fmt: skip
    stone = np.array([[-1.05, -0.52], [1.05, -0.52], [1.05, 0.52], [-1.05, 0.52]]) * unit
    bar = np.array([[-0.015, -0.45], [0.015, -0.45], [0.015, 0.45], [-0.015, 0.45]]) * unit
    placed = _turned(rng, np.vstack([stone, bar, *spots]), at)
    _shadow(rng, canvas, placed[:4], unit * 0.1)
    _polygon(canvas, placed[:4], paper)
    _polygon(canvas, placed[4:8], ink)
    for spot in placed[8:]:
        _disc(canvas, spot, unit * 0.09, ink)


def _button(rng: Rng, canvas: Image, at: Array, unit: float) -> None:
    """A round button with two or four holes."""
    fill, radius = some_colour(rng), unit * rng.uniform(0.4, 0.7)
    _disc(canvas, at + rng.normal(0, radius * 0.1, 2), radius * 1.02, np.zeros(3) + 30)
    _disc(canvas, at, radius, fill)
    _disc(canvas, at, radius * 0.8, fill * rng.uniform(0.7, 1.2))
    apart = radius * rng.uniform(0.18, 0.35)
    holes = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])[:: int(rng.choice([1, 2]))] * apart
    for spot in _turned(rng, holes.astype(float), at):
        _disc(canvas, spot, radius * rng.uniform(0.1, 0.17), fill * 0.25)


def _coin(rng: Rng, canvas: Image, at: Array, unit: float) -> None:
    """A metal disc with a rim and something in it."""
    fill, radius = np.array([60, 120, 170]) * rng.uniform(0.6, 1.4, 3), unit * rng.uniform(0.4, 0.8)
    if rng.random() < 0.4:
        fill = np.full(3, rng.uniform(90, 210))
    _disc(canvas, at + rng.normal(0, radius * 0.08, 2), radius * 1.03, np.zeros(3) + 20)
    _disc(canvas, at, radius, fill)
    _disc(canvas, at, radius * 0.9, fill * 0.6, max(1.0, radius * 0.06))
    text = str(rng.integers(1, 51))
    where = (round(at[0] - radius * 0.4), round(at[1] + radius * 0.35))
    cv2.putText(canvas, text, where, int(rng.integers(0, 5)), radius / 22, _bgr(fill * 0.5), 2, cv2.LINE_AA)


def _marker(rng: Rng, canvas: Image, at: Array, unit: float) -> None:
    """A square of black and white cells."""
    cells = int(rng.integers(2, 7))
    code = np.zeros((cells + 2, cells + 2))
    code[1:-1, 1:-1] = rng.random((cells, cells)) < 0.5
    step = unit * rng.uniform(0.8, 1.6) / (cells + 2)
    corner = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * step
    start = -np.array([cells + 2, cells + 2]) / 2
    squares = np.array([corner + (start + ij) * step for ij in np.ndindex(code.shape)]).reshape(-1, 2)
    placed = _turned(rng, squares, at).reshape(-1, 4, 2)
    dark, bright = np.full(3, rng.uniform(0, 60)), np.full(3, rng.uniform(170, 255))
    for square, light in zip(placed, code.ravel(), strict=True):
        _polygon(canvas, square, bright if light else dark)


def _blocks(rng: Rng, canvas: Image, at: Array, unit: float) -> None:
    """A counter: a square or round plate with one sign on it."""
    fill, ink, half = some_colour(rng), some_colour(rng), unit * rng.uniform(0.35, 0.7)
    plate = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    placed = _turned(rng, plate, at)
    _shadow(rng, canvas, placed, half * 0.12)
    if rng.random() < 0.5:
        _polygon(canvas, placed, fill)
    else:
        _disc(canvas, at, half, fill)
    if rng.random() < 0.5:
        _disc(canvas, at, half * rng.uniform(0.1, 0.6), ink, float(rng.choice([0.0, half * 0.15])))
    else:
        where = (round(at[0] - half * 0.4), round(at[1] + half * 0.4))
        sign = chr(int(rng.integers(48, 91)))
        cv2.putText(canvas, sign, where, int(rng.integers(0, 5)), half / 18, _bgr(ink), 2, cv2.LINE_AA)


def _net(rng: Rng, canvas: Image, at: Array, unit: float) -> None:
    """Rows of dots, or of rings, as on a printed sheet or a board."""
    step, ink = unit * rng.uniform(0.2, 0.7), some_colour(rng)
    radius, rows = step * rng.uniform(0.08, 0.4), int(rng.integers(2, 7))
    leaning = rng.choice([0.0, 0.5])
    grid = np.array([[i + leaning * (j % 2), j * (0.87 if leaning else 1.0)] for i, j in np.ndindex(rows, rows)]) * step
    hollow = rng.random() < 0.3
    for spot in _turned(rng, grid - grid.mean(0), at):
        _disc(canvas, spot, radius, ink if rng.random() < 0.8 else some_colour(rng), radius * 0.4 if hollow else 0.0)


def _writing(rng: Rng, canvas: Image, at: Array, unit: float) -> None:
    """A dark or light card with words."""
    paper, ink = some_colour(rng), some_colour(rng)
    wide, high = unit * rng.uniform(0.8, 2.5, 2)
    card = np.array([[-wide, -high], [wide, -high], [wide, high], [-wide, high]])
    _polygon(canvas, _turned(rng, card, at), paper)
    for line in range(int(rng.integers(1, 5))):
        text = "".join(chr(int(c)) for c in rng.integers(48, 123, int(rng.integers(1, 8))))
        where = (round(at[0] - wide * 0.6), round(at[1] + (line - 1) * unit * 0.5))
        cv2.putText(canvas, text, where, int(rng.integers(0, 7)), unit / 60, _bgr(ink), 2, cv2.LINE_AA)


_KINDS: tuple[Callable[[Rng, Image, Array, float], None], ...] = (
    _topping, _slice, _printed_pips, _printed_pips, _domino, _button, _coin, _marker, _blocks, _net, _writing,
)  # fmt: skip
