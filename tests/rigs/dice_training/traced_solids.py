"""Dice as meshes for a path tracer: cubes with round edges and bulging faces, pips drilled or painted, of any stuff."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.dice import PIPS

Array = NDArray[np.float64]
Rng = np.random.Generator
Waves = list[tuple[Array, float]]
"""Ways and starts of the waves of which marble and clouds are made."""

FINE = {"top": 96, "side": 64, "foot": 12}
"""Points along an edge of a face."""
FACES = ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1))
"""Axis and sign of the faces towards +x, -x, +y, -y, of the top and of the foot."""
DECAL_PX = 64


@dataclass(frozen=True)
class Solid:
    """A mesh with what it is made of at each of its n points."""

    points: Array
    """n x 3."""
    normals: Array
    """n x 3."""
    triangles: NDArray[np.int64]
    """m x 3."""
    colours: Array
    """n x 3: RGB, linear, 0 to 1."""
    stuff: Array
    """n x 3: roughness, how much is metal, how much is clear, each 0 to 1."""


def linear_rgb(bgr: Array) -> Array:
    """Colours as files keep them (BGR, 0 to 255) as linear RGB, 0 to 1. (IEC 61966-2-1)"""
    share = np.clip(np.asarray(bgr, np.float64)[..., ::-1] / 255.0, 0, 1)
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def solid_form(rng: Rng) -> dict[str, Any]:
    """What a solid die's form and stuff are like, lengths as shares of its side."""
    kind = rng.random()
    rough = rng.uniform(0.04, 0.22) if kind < 0.7 else rng.uniform(0.2, 0.5) if kind < 0.88 else rng.uniform(0.5, 0.95)
    clear = rng.uniform(0.2, 0.85) if rng.random() < 0.2 else 0.0
    return {
        "rounding": float(np.exp(rng.uniform(np.log(0.03), np.log(0.26)))),
        "ball": rng.uniform(0.68, 0.85) if rng.random() < 0.25 else 2.0,
        "bulge": float(np.exp(rng.uniform(np.log(0.012), np.log(0.085)))) if rng.random() < 0.8 else 0.0,
        "depth": rng.uniform(0.0, 0.15) if rng.random() < 0.5 else rng.uniform(0.15, 0.7),
        "drilled": float(rng.choice([1.0, 3.0])),
        "rough": rough,
        "pips_rough": rough if rng.random() < 0.5 else rng.uniform(0.1, 0.8),
        "metal": rng.uniform(0.6, 1.0) if not clear and rng.random() < 0.07 else 0.0,
        "clear": clear,
    }


def solid_die(rng: Rng, style: dict[str, Any], form: dict[str, Any], values: Sequence[int]) -> Solid:
    """A die one side wide around (0, 0, 0). `values`: what its faces show, in the order of FACES."""
    waves = _waves(rng, style)
    parts = []
    for (axis, sign), value in zip(FACES, values, strict=True):
        fine = FINE["side"] if axis < 2 else FINE["top"] if sign > 0 else FINE["foot"]
        parts.append(_face(rng, style, form, (axis, sign, value, fine), waves))
    starts = np.cumsum([0, *(len(part.points) for part in parts[:-1])])
    triangles = [part.triangles + start for part, start in zip(parts, starts, strict=True)]
    return Solid(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate(triangles),
        np.concatenate([part.colours for part in parts]),
        np.concatenate([part.stuff for part in parts]),
    )


def _face(
    rng: Rng,
    style: dict[str, Any],
    form: dict[str, Any],
    face: tuple[int, int, int, int],
    waves: Waves,
) -> Solid:
    axis, sign, value, fine = face
    first, second = (k for k in range(3) if k != axis)
    if rng.random() < 0.5:
        first, second = second, first
    steps = np.linspace(-0.5, 0.5, fine)
    u, v = np.meshgrid(steps, steps)
    at = np.empty((fine, fine, 3))
    at[..., first], at[..., second], at[..., axis] = u, v, 0.5 * sign
    inner = 0.5 - form["rounding"]
    core = np.clip(at, -inner, inner)
    outwards = at - core
    outwards /= np.linalg.norm(outwards, axis=2, keepdims=True)
    at = core + form["rounding"] * outwards
    at += form["bulge"] * ((1 - 4 * u**2) * (1 - 4 * v**2))[..., None] * outwards
    at *= 0.5 / (0.5 + form["bulge"])
    far = np.linalg.norm(at, axis=2, keepdims=True)
    at *= np.minimum(1.0, form["ball"] / np.maximum(far, 1e-9))
    colour = _body(rng, style, at, waves)
    share = np.zeros((fine, fine))
    paint = np.array(style["pips"], np.float64)
    a, b = at[..., first], at[..., second]
    if style["what"] == "dots":
        radius, paint = style["one"] if value == 1 else (style["radius"], style["odd"].get(value, style["pips"]))
        share, deep = _pips(style, value, radius, (a, b), form)
        at[..., axis] -= sign * deep
    elif style["what"] == "numbers":
        share = _number(rng, a, b)
    colour = colour * (1 - share[..., None]) + linear_rgb(np.clip(paint, 0, 255)) * share[..., None]
    stuff = np.empty((fine, fine, 3))
    stuff[..., 0] = form["rough"] + (form["pips_rough"] - form["rough"]) * share
    stuff[..., 1], stuff[..., 2] = form["metal"] * (1 - share), form["clear"] * (1 - share)
    down, across = np.gradient(at, axis=0), np.gradient(at, axis=1)
    normal = np.cross(across, down)
    normal *= np.sign((normal * at).sum(2, keepdims=True))
    normal /= np.maximum(np.linalg.norm(normal, axis=2, keepdims=True), 1e-12)
    numbers = np.arange(fine * fine).reshape(fine, fine)
    one, two, three, four = (numbers[:-1, :-1], numbers[:-1, 1:], numbers[1:, 1:], numbers[1:, :-1])
    triangles = np.concatenate([np.stack([one, two, three], -1), np.stack([one, three, four], -1)]).reshape(-1, 3)
    middle = triangles[len(triangles) // 4]
    points = at.reshape(-1, 3)
    ahead = np.cross(points[middle[1]] - points[middle[0]], points[middle[2]] - points[middle[0]])
    if ahead @ normal.reshape(-1, 3)[middle[0]] < 0:
        triangles = triangles[:, ::-1]
    return Solid(points, normal.reshape(-1, 3), triangles, colour.reshape(-1, 3), stuff.reshape(-1, 3))


def _pips(
    style: dict[str, Any], value: int, radius: float, places: tuple[Array, Array], form: dict[str, Any]
) -> tuple[Array, Array]:
    """How much of each point is a pip's, and how deep it lies."""
    a, b = places
    apart, along = style.get("six", (1.0, 1.0)) if value == 6 else (1.0, 1.0)
    spots = np.array([(column * apart, row * along) for column, row in PIPS[value]]) * style["spacing"]
    off = np.hypot(a[..., None] - spots[:, 0], b[..., None] - spots[:, 1]).min(2)
    share = np.clip((radius - off) / 0.012 + 0.5, 0, 1)
    deep = form["depth"] * radius * np.clip(1 - (off / radius) ** (2 * form["drilled"]), 0, 1)
    return share, deep


def _number(rng: Rng, a: Array, b: Array) -> Array:
    n = DECAL_PX
    decal = np.zeros((n, n), np.uint8)
    text = str(rng.integers(0, 21))
    font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX]))
    cv2.putText(decal, text, (round(n * (0.32 if len(text) == 1 else 0.15)), round(n * 0.7)), font, n / 45, 255, 3, 16)
    places = [np.clip(np.round((part + 0.5) * (n - 1)), 0, n - 1).astype(int) for part in (a, b)]
    return np.asarray(decal[places[1], places[0]] / 255.0)


def _waves(rng: Rng, style: dict[str, Any]) -> Waves:
    """The same on all faces."""
    swirl = style.get("swirl", 3.0)
    return [(rng.normal(0, swirl * scale, 3), float(rng.uniform(0, 6))) for scale in (1.0, 1.0, 2.0, 3.5)]


def _body(rng: Rng, style: dict[str, Any], at: Array, waves: Waves) -> Array:
    marble = style.get("marble")
    first, second = (
        linear_rgb(np.clip(c, 0, 255)) for c in (style["body"], style["second"] if marble is None else marble)
    )
    wave, bend = np.zeros(at.shape[:2]), np.zeros(at.shape[:2])
    for way, start in waves:
        wave = wave + np.sin(at @ way + start + bend)
        bend = 1.5 * wave
    sharp = 1.0 if marble is None else style["sharp"]
    share = (1 / (1 + np.exp(-sharp * wave)))[..., None]
    grain = np.exp(rng.normal(0, style["grain"], (*at.shape[:2], 1)))
    return np.asarray(np.clip((first * (1 - share) + second * share) * grain, 0, 1))
