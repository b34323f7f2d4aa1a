"""Things that people leave lying on a score sheet, drawn into a picture: pencils, pens, skewers, coins, erasers.

Each is a solid of revolution (or with few sides), lit by one lamp, with its shadow: what our own table has, but for the
path tracer's light. Lengths are millimetres of the plane on which it lies.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Array = NDArray[np.float64]
Colour = tuple[float, float, float]
"""Blue, green, red as a picture has them, of a white of 1."""
Project = Callable[[Array], Array]
"""Points (n x 3, z up) to pixels (n x 2)."""

_FINE = 4
_STRIPS = 16
_SLOPE = 0.8
"""How far a shadow reaches for a millimetre of height."""

BLACK: Colour = (0.17, 0.16, 0.16)
GREY: Colour = (0.55, 0.54, 0.53)
SILVER: Colour = (0.76, 0.75, 0.74)
WHITE: Colour = (0.95, 0.95, 0.95)
YELLOW: Colour = (0.15, 0.75, 0.96)
RED: Colour = (0.15, 0.14, 0.78)
BLUE: Colour = (0.62, 0.28, 0.15)
GREEN: Colour = (0.25, 0.45, 0.12)
WOOD: Colour = (0.5, 0.7, 0.85)
LEAD: Colour = (0.24, 0.23, 0.23)
PINK: Colour = (0.62, 0.6, 0.88)
COLOURS = (BLACK, GREY, SILVER, WHITE, YELLOW, RED, BLUE, GREEN, WOOD)


@dataclass(frozen=True, slots=True)
class Thing:
    """A solid of revolution that lies on its side, or stands on its end if `upright`."""

    rings: Sequence[tuple[float, float, Colour]]
    """Along its axis: how far, its radius there, and the colour from there on."""
    at_mm: tuple[float, float]
    """Where the middle of its axis lies."""
    turn_deg: float
    """Of its axis, towards its last ring."""
    upright: bool = False
    shine: float = 0.25

    @property
    def long_mm(self) -> float:
        return self.rings[-1][0]


def pencil(at: tuple[float, float], turn_deg: float, colour: Colour, long: float = 150.0, radius: float = 3.6) -> Thing:
    """One that is sharpened, its point at the far end, a ferrule and an eraser at the other."""
    cone = 6.0 * radius
    rings = [
        (0.0, 0.0, PINK), (0.01, radius, PINK), (7.0, radius, SILVER), (16.0, radius, colour),
        (long - cone, radius, WOOD), (long - 0.23 * cone, 0.28 * radius, LEAD), (long, 0.1, LEAD),
    ]  # fmt: skip
    return Thing(rings, at, turn_deg)


def pen(at: tuple[float, float], turn_deg: float, colour: Colour, long: float = 140.0, radius: float = 4.6) -> Thing:
    """A ballpoint with a metal point."""
    rings = [
        (0.0, 0.0, colour), (0.01, 0.8 * radius, colour), (2.0, radius, colour), (long - 16.0, radius, colour),
        (long - 4.0, 0.45 * radius, SILVER), (long - 3.8, 0.25 * radius, SILVER), (long, 0.3, SILVER),
    ]  # fmt: skip
    return Thing(rings, at, turn_deg, shine=0.5)


def skewer(at: tuple[float, float], turn_deg: float, colour: Colour, long: float = 150.0, radius: float = 1.6) -> Thing:
    """A thin bar."""
    return Thing([(0.0, radius, colour), (long, radius, colour)], at, turn_deg, shine=0.1)


def coin(at: tuple[float, float], colour: Colour, radius: float = 11.0, thick: float = 2.0) -> Thing:
    """A disc that lies flat."""
    return Thing([(0.0, radius, colour), (thick, radius, colour), (thick, 0.0, colour)], at, 0.0, upright=True)


def some_thing(rng: np.random.Generator, low: Sequence[float] | Array, high: Sequence[float] | Array) -> Thing:
    """One of them, of any colour, its middle between these corners."""
    at = tuple(float(v) for v in rng.uniform(low, high))
    turn, colour = float(rng.uniform(0, 360)), COLOURS[int(rng.integers(len(COLOURS)))]
    shade = tuple(float(np.clip(value * rng.uniform(0.8, 1.15), 0.05, 0.97)) for value in colour)
    long, kind = float(rng.uniform(90, 176)), rng.random()
    if kind < 0.5:
        return pencil((at[0], at[1]), turn, shade, long, float(rng.uniform(3.3, 4.2)))  # type: ignore[arg-type]
    if kind < 0.75:
        return pen((at[0], at[1]), turn, shade, long, float(rng.uniform(3.8, 6.0)))  # type: ignore[arg-type]
    if kind < 0.88:
        return skewer((at[0], at[1]), turn, shade, long, float(rng.uniform(1.5, 2.5)))  # type: ignore[arg-type]
    return coin((at[0], at[1]), shade, float(rng.uniform(8.0, 13.0)))  # type: ignore[arg-type]


def draw_thing(
    image: Image,
    thing: Thing,
    project: Project,
    white: Array,
    rng: np.random.Generator,
    *,
    lamp_deg: float = 120.0,
    shadow: float = 0.4,
    blur_px: float = 0.6,
    noise: float = 2.0,
) -> NDArray[np.uint8]:
    """Draws the thing and its shadow into a picture, in place, and returns how far (0 to 255) it covers each pixel.

    `white` is how white paper looks (height x width x 3, or 3). The lamp shines from that direction.
    """
    vertices, normals, colours = _surface(thing)
    rows, columns = vertices.shape[:2]
    pixels = project(vertices.reshape(-1, 3)).reshape(rows, columns, 2)
    turn = np.radians(lamp_deg)
    lamp = np.array([np.cos(turn), np.sin(turn), 1.0 / _SLOPE])
    thrown = vertices - vertices[..., 2:] * np.array([*(lamp[:2] * _SLOPE), 1.0])
    dark = project(thrown.reshape(-1, 3)).reshape(rows, columns, 2)
    height, width = image.shape[:2]
    everything = np.concatenate([pixels, dark]).reshape(-1, 2)
    low = np.clip(np.floor(everything.min(0)) - 8, 0, (width, height)).astype(int)
    high = np.clip(np.ceil(everything.max(0)) + 8, 0, (width, height)).astype(int)
    mask = np.zeros((height, width), np.uint8)
    if (high <= low).any():
        return mask
    part = np.s_[low[1] : high[1], low[0] : high[0]]
    lamp /= np.linalg.norm(lamp)
    half = lamp + np.array([0.0, 0.0, 1.0])
    half /= np.linalg.norm(half)
    size = ((high - low) * _FINE)[::-1]
    layer, cover, shade = np.zeros((*size, 3), np.float32), np.zeros(size, np.float32), np.zeros(size, np.float32)
    for i in range(rows - 1):
        for j in range(columns - 1):
            corners = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j)]
            _fill(shade, np.array([dark[at] for at in corners]) - low, 1.0)
            normal = normals[i, j]
            level = 0.45 + 0.75 * max(float(normal @ lamp), 0.0)
            gloss = thing.shine * max(float(normal @ half), 0.0) ** 30
            _fill(layer, np.array([pixels[at] for at in corners]) - low, colours[i] * level + gloss)
            _fill(cover, np.array([pixels[at] for at in corners]) - low, 1.0)
    small = (int(high[0] - low[0]), int(high[1] - low[1]))
    layer, cover, shade = (cv2.resize(one, small, interpolation=cv2.INTER_AREA) for one in (layer, cover, shade))
    scale = float(np.linalg.norm(np.diff(project(np.array([[0.0, 0, 0], [10.0, 0, 0]])), axis=0))) / 10.0
    shade = cv2.GaussianBlur(shade, (0, 0), 0.9 * scale) * shadow
    layer, cover = cv2.GaussianBlur(layer, (0, 0), blur_px), cv2.GaussianBlur(cover, (0, 0), blur_px)
    lit = layer * (white[part] if white.ndim == 3 else white)
    lit += cover[..., None] * rng.normal(0, noise, lit.shape)
    seen = image[part] * (1 - shade[..., None]) * (1 - cover[..., None]) + lit
    image[part] = np.clip(seen, 0, 255).astype(np.uint8)
    mask[part] = np.round(cover * 255).astype(np.uint8)
    return mask


def draw_napkin(image: Image, corners_px: Array, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draws paper (4 x 2 corners) about as bright as what it lies on, with a grain of its own and a shadow; where it is
    (255)."""
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(corners_px * 16).astype(np.int32)], (255,), shift=4)
    soft = cv2.GaussianBlur(mask.astype(np.float32) / 255, (0, 0), 1.0)[..., None]
    closed = cv2.morphologyEx(image, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (41, 41)))
    level = cv2.GaussianBlur(closed, (0, 0), 15).astype(np.float32)
    fine, broad = (cv2.GaussianBlur(rng.normal(0, 1, mask.shape), (0, 0), wide) for wide in (rng.uniform(1.0, 2.5), 25))
    grain = 1.0 + rng.choice([0.004, 0.015, 0.03]) * fine / fine.std() + 0.01 * broad / broad.std()
    shadow = (
        1.0 - 0.15 * cv2.GaussianBlur(np.roll(mask, (2, 2), (0, 1)).astype(np.float32) / 255, (0, 0), 2.0)[..., None]
    )
    paper = level * (rng.uniform(0.93, 1.03) * grain)[..., None] + rng.normal(0, 2.0, image.shape)
    image[:] = np.clip(image * shadow * (1.0 - soft) + soft * paper, 0, 255).astype(np.uint8)
    return mask


def _fill(plane: NDArray[np.float32], corners: Array, value: float | Array) -> None:
    points = np.round(((corners + 0.5) * _FINE - 0.5) * 8).astype(np.int32)
    cv2.fillConvexPoly(plane, points, [float(v) for v in np.atleast_1d(value)], cv2.LINE_8, 3)


def _surface(thing: Thing) -> tuple[Array, Array, Array]:
    """rings x strips x 3 vertices, the same of outward normals, and each ring's colour; lower parts first."""
    along, radii = (np.array([ring[i] for ring in thing.rings], np.float64) for i in range(2))
    colours = np.array([ring[2] for ring in thing.rings], np.float64)
    if thing.upright:
        angles = np.linspace(0, 2 * np.pi, 4 * _STRIPS + 1)
        round_about = np.column_stack([np.cos(angles), np.sin(angles)])
        flat = radii[:, None, None] * round_about + np.array(thing.at_mm)
        vertices = np.concatenate([flat, np.broadcast_to(along[:, None, None], (*flat.shape[:2], 1))], axis=2)
        top = np.append(np.diff(along) == 0, True)[:, None, None]
        sides = np.column_stack([round_about, np.zeros(len(angles))])[None]
        return vertices, np.where(top, np.array([0.0, 0.0, 1.0]), sides), colours
    # From both sides up to the top, so that what is higher is drawn over what is lower.
    up = np.linspace(-0.35, np.pi / 2, _STRIPS)
    angles = np.concatenate([up, np.pi - up[::-1]])
    turn, most = np.radians(thing.turn_deg), radii.max()
    axis, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    normals = np.column_stack([np.cos(angles)[:, None] * across, np.sin(angles)])
    middle = np.array(thing.at_mm) + (along[:, None] - along[-1] / 2) * axis
    spine = np.column_stack([middle, np.full(len(along), most)])
    vertices = spine[:, None] + radii[:, None, None] * normals
    return vertices, np.broadcast_to(normals, vertices.shape), colours
