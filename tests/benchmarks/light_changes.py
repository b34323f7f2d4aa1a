"""Light that changes over a table while it is watched: what each pixel of any picture of it gets.

`KINDS` are those that people's rooms have; each is drawn anew for every table.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision.altered import some_shadow_edge
from vision.frame import Image
from vision.mat.registration import Registration

Floats = NDArray[np.float32]
GRID = (161, 91)
"""Columns and rows in which places of the table are worked out; between them the table is nearly even."""


@dataclass(frozen=True, slots=True)
class Light:
    """What falls on each pixel beside what fell there before."""

    gain: Floats
    """rows x columns x 3 times as much,"""
    added: Floats | None = None
    """and so many levels more (rows x columns x 3): a lamp mirrored there, a window before the lens."""

    def over(self, picture: Image, share: float = 1.0) -> Image:
        """A picture in it, or while only a share of it has come."""
        seen = picture * (1.0 + np.float32(share) * (self.gain - 1.0))
        if self.added is not None:
            seen += np.float32(share) * self.added
        return np.asarray(np.clip(seen + 0.5, 0, 255), np.uint8)


Draw = Callable[[Registration, np.random.Generator], Light]


def places_mm(table: Registration) -> Floats:
    """Where on the table each pixel lies: rows x columns x 2."""
    width, height = table.size_px
    columns, rows = np.meshgrid(np.linspace(0, width - 1, GRID[0]), np.linspace(0, height - 1, GRID[1]))
    coarse = table.to_table(np.column_stack([columns.ravel(), rows.ravel()])).reshape(GRID[1], GRID[0], 2)
    between = np.meshgrid(
        np.linspace(0, GRID[0] - 1, width, dtype=np.float32), np.linspace(0, GRID[1] - 1, height, dtype=np.float32)
    )
    return np.asarray(cv2.remap(coarse.astype(np.float32), *between, cv2.INTER_LINEAR), np.float32)


def shadow_edge(table: Registration, rng: np.random.Generator) -> Light:
    """The straight edge of a shadow across the table, as `tests.vision.altered` has it."""
    edge = some_shadow_edge(rng)
    turn = np.radians(edge.turn_deg)
    into = (places_mm(table) - np.array([edge.x_mm, edge.y_mm], np.float32)) @ np.array(
        [np.cos(turn), np.sin(turn)], np.float32
    )
    shade = np.array([np.sqrt(edge.bluer), 1.0, 1.0 / np.sqrt(edge.bluer)], np.float32) / np.float32(edge.ratio)
    return Light(1.0 - np.clip(into / edge.penumbra_mm + 0.5, 0.0, 1.0)[..., None] * (1.0 - shade))


def blinds(table: Registration, rng: np.random.Generator) -> Light:
    """The sun through blinds: stripes of about half the light, as wide as a few fingers."""
    turn, period_mm, depth = rng.uniform(0.0, np.pi), rng.uniform(45.0, 110.0), rng.uniform(0.3, 0.5)
    along = places_mm(table) @ np.array([np.cos(turn), np.sin(turn)], np.float32)
    stripes = 1.0 / (1.0 + np.exp(-6.0 * np.sin(2.0 * np.pi * along / period_mm + rng.uniform(0, 2 * np.pi))))
    return Light(_grey(1.0 - depth * (1.0 - stripes)))


def lamp_on(table: Registration, rng: np.random.Generator) -> Light:
    """A warm lamp beside the table lights one side of it more; the camera makes up for a part of it."""
    return _of_lamp(_lamp(table, rng, rng.uniform(0.4, 1.2)), rng)


def lamp_off(table: Registration, rng: np.random.Generator) -> Light:
    """One goes out."""
    lamp = _lamp(table, rng, rng.uniform(0.4, 1.2))
    return _of_lamp(1.0 / lamp, rng)


def mirrored_lamp(table: Registration, rng: np.random.Generator) -> Light:
    """One or two lamps, switched on, are mirrored in the table, and light all of it a little."""
    places, added = places_mm(table), np.zeros((*places_mm(table).shape[:2], 1), np.float32)
    for _ in range(rng.integers(1, 3)):
        at, wide = np.array([rng.uniform(-350, 350), rng.uniform(-180, 180)], np.float32), rng.uniform(30.0, 90.0)
        added += np.float32(rng.uniform(60, 140)) * np.exp(-np.square(places - at).sum(-1) / (2 * wide**2))[..., None]
    return Light(
        _grey(np.full(places.shape[:2], rng.uniform(1.0, 1.08))), added * np.array([0.95, 1.0, 1.0], np.float32)
    )


def dusk(table: Registration, rng: np.random.Generator) -> Light:
    """It gets dark and bluer all over, within two seconds here."""
    height, width = table.size_px[1], table.size_px[0]
    level, blue = rng.uniform(0.35, 0.7), rng.uniform(1.0, 1.2)
    return Light(np.full((height, width, 3), level, np.float32) * np.array([blue, 1.0, 1.0 / blue], np.float32))


def sun_patch(table: Registration, rng: np.random.Generator) -> Light:
    """The sun through a window: a bright parallelogram with a bar across, the camera darker for it."""
    places, turn = places_mm(table), rng.uniform(0, 2 * np.pi)
    at = np.array([rng.uniform(-250, 250), rng.uniform(-120, 120)], np.float32)
    along = (places - at) @ np.array([np.cos(turn), np.sin(turn)], np.float32)
    other = turn + np.radians(rng.uniform(60, 120))
    across = (places - at) @ np.array([np.cos(other), np.sin(other)], np.float32)
    soft = rng.uniform(3.0, 12.0)

    def within(value: Floats, half_mm: float) -> Floats:
        return np.asarray(np.clip((half_mm - np.abs(value)) / soft + 0.5, 0.0, 1.0), np.float32)

    patch = within(along, rng.uniform(80, 220)) * within(across, rng.uniform(80, 220)) * (1.0 - within(along, 12.0))
    outside = rng.uniform(0.45, 0.65)
    tint = np.array([0.95, 1.0, 1.05], np.float32)
    inside = rng.uniform(0.95, 1.1)
    gain = (outside + (inside - outside) * patch)[..., None] * (1 + (tint - 1) * patch[..., None])
    return Light(np.asarray(gain, np.float32))


def veil(table: Registration, rng: np.random.Generator) -> Light:
    """A window's light over the whole picture, from a door that opens behind the camera."""
    height, width = table.size_px[1], table.size_px[0]
    kept = rng.uniform(0.55, 0.8)
    return Light(
        np.full((height, width, 3), kept, np.float32),
        np.full((1, 1, 3), rng.uniform(0.6, 1.0) * 200 * (1 - kept), np.float32),
    )


def stick_shadow(table: Registration, rng: np.random.Generator) -> Light:
    """The shadow of a lamp's arm or a chair's back: a band, as wide as a few fingers."""
    turn, half_mm = rng.uniform(0.0, np.pi), rng.uniform(8.0, 40.0)
    along = places_mm(table) @ np.array([np.cos(turn), np.sin(turn)], np.float32) - np.float32(rng.uniform(-150, 150))
    share = np.clip((half_mm - np.abs(along)) / np.float32(rng.uniform(3.0, 15.0)) + 0.5, 0.0, 1.0)
    return Light(_grey(1.0 - share * (1.0 - 1.0 / rng.uniform(1.5, 2.6))))


def netting(table: Registration, rng: np.random.Generator) -> Light:
    """The sun through a window's bars, netting or branches: shadows as thin as strokes, side by side or crossing."""
    turn, both = rng.uniform(0.0, np.pi), rng.random() < 0.5
    apart_mm, wide_mm, depth = rng.uniform(12.0, 45.0), rng.uniform(0.8, 4.0), rng.uniform(0.2, 0.55)
    soft_mm, at = rng.uniform(0.2, 0.8), places_mm(table)
    shade = np.zeros(at.shape[:2], np.float32)
    for lean in (turn, turn + np.pi / 2 + rng.uniform(-0.1, 0.1))[: 1 + both]:
        along = (at @ np.array([np.cos(lean), np.sin(lean)], np.float32) + rng.uniform(0.0, apart_mm)) % apart_mm
        inside_mm = wide_mm / 2 - np.abs(along - apart_mm / 2)
        shade = np.maximum(shade, np.clip(inside_mm / (2.0 * soft_mm) + 0.5, 0.0, 1.0).astype(np.float32))
    return Light(_grey(1.0 - depth * shade))


def leaves(table: Registration, rng: np.random.Generator) -> Light:
    """The sun through leaves: spots of light, as wide as a few fingers."""
    coarse = rng.normal(0.0, 1.0, (110, 180)).astype(np.float32)
    spots = cv2.GaussianBlur(coarse, (0, 0), rng.uniform(1.5, 4.0))
    across = (places_mm(table) / np.float32(8.0) + np.array([90.0, 55.0], np.float32)).astype(np.float32)
    seen = cv2.remap(
        spots / spots.std(), across[..., 0], across[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    depth = rng.uniform(0.4, 0.7)
    return Light(_grey((1.0 - depth) + depth / (1.0 + np.exp(-4.0 * seen))))


def too_much_light(table: Registration, rng: np.random.Generator) -> Light:
    """A lamp over the table while the camera's exposure stays as it was: much of what is pale is cut off."""
    level = _lamp(table, rng, rng.uniform(0.0, 0.4)) * np.float32(rng.uniform(1.5, 2.6))
    warm = np.array([1.0 / rng.uniform(1.0, 1.15), 1.0, rng.uniform(1.0, 1.1)], np.float32)
    return Light(np.asarray(level[..., None] * warm, np.float32))


MOST = (shadow_edge, blinds, lamp_on, lamp_off, mirrored_lamp, dusk, sun_patch, veil, stick_shadow, leaves)
KINDS: Mapping[str, Draw] = {one.__name__.replace("_", "-"): one for one in (*MOST, too_much_light)}
COMES_IN_S: Mapping[str, float] = {"dusk": 2.0}
"""Within what time light comes that does not come at once."""


def _grey(level: Floats | NDArray[np.float64]) -> Floats:
    return np.asarray(np.repeat(np.asarray(level, np.float32)[..., None], 3, axis=2), np.float32)


def _lamp(table: Registration, rng: np.random.Generator, strength: float) -> Floats:
    """How many times as bright a lamp beside the table makes it."""
    turn = rng.uniform(0, 2 * np.pi)
    at = np.array([600 * np.cos(turn), 400 * np.sin(turn)], np.float32) * np.float32(rng.uniform(0.4, 1.2))
    wide = rng.uniform(250.0, 600.0)
    return np.asarray(1.0 + strength * np.exp(-np.square(places_mm(table) - at).sum(-1) / (2 * wide**2)), np.float32)


def _of_lamp(level: Floats, rng: np.random.Generator) -> Light:
    """In warm light, where it is lamp's light, as a camera shows it that makes up for a part of what changed."""
    warm = rng.uniform(1.0, 1.2)
    share = np.log(level)[..., None] / max(float(np.abs(np.log(level)).max()), 1e-3)
    tint = np.exp(share * np.log(np.array([1.0 / warm, 1.0, warm**0.5], np.float32)))
    follows = float(np.median(level)) ** -rng.uniform(0.0, 1.0)
    return Light(np.asarray(np.minimum(level[..., None] * tint * follows, 3.0), np.float32))
