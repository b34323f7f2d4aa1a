"""Dice of our own drawn as solids: rays of a camera meet cubes with round edges, glossy, marbled, clear or worn.

Lamps, rings of light and windows are mirrored in them, over pips too; pips are painted or are bowls that mirror by
themselves. It shares nothing with the simulated table's dice (hardware/simulated/dice.py), which stay a test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.dice import PIPS

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Rng = np.random.Generator

DECAL_PX = 64
STEPS = 18
NEAR = 0.006
"""So near, in sides, a ray has met the die."""


@dataclass(frozen=True)
class Lamp:
    """A light that is mirrored."""

    way: Array
    """Where it is, a unit vector."""
    strength: float
    width: float
    """Radius, or half the width of a window, as a tangent."""
    form: str
    """disc, ring or window."""
    soft: float
    colour: Array


@dataclass(frozen=True)
class Room:
    """What lights dice and is mirrored in them."""

    lamps: tuple[Lamp, ...]
    above: Array
    table: Array
    ambient: float


def some_room(rng: Rng) -> Room:
    """Any."""
    lamps = []
    for _ in range(int(rng.integers(1, 5))):
        far, way = np.radians(rng.uniform(0, 70)), rng.uniform(0, 2 * np.pi)
        at = np.array([np.sin(far) * np.cos(way), np.sin(far) * np.sin(way), np.cos(far)])
        form = str(rng.choice(["disc", "ring", "window"], p=[0.45, 0.2, 0.35]))
        width = float(np.exp(rng.uniform(np.log(0.05), np.log(0.6))))
        strength = float(np.exp(rng.uniform(np.log(0.6), np.log(18.0))))
        lamps.append(Lamp(at, strength, width, form, float(rng.uniform(0.01, 0.2)), np.exp(rng.normal(0, 0.08, 3))))
    return Room(
        tuple(lamps),
        np.array(rng.uniform(0.1, 0.9)) * np.exp(rng.normal(0, 0.1, 3)),
        np.array(rng.uniform(0.05, 0.7)) * np.exp(rng.normal(0, 0.2, 3)),
        float(rng.uniform(0.3, 0.9)),
    )


def solid_style(rng: Rng, some_colour: Callable[[Rng], Array]) -> dict[str, Any]:
    """What a solid die is like besides its colours; lengths are shares of its side."""
    second = None
    if rng.random() < 0.3:
        second = some_colour(rng)
    return {
        "rounding": float(np.exp(rng.uniform(np.log(0.015), np.log(0.24)))),
        "ball": rng.uniform(0.68, 0.85) if rng.random() < 0.3 else 2.0,
        "bowl": rng.uniform(0.3, 1.6) if rng.random() < 0.65 else 0.0,
        "gloss": rng.uniform(0.02, 0.09) if rng.random() < 0.8 else 0.0,
        "rough": rng.uniform(0.0, 0.25),
        "clear": rng.uniform(0.2, 0.8) if rng.random() < 0.2 else 0.0,
        "marble": second,
        "swirl": rng.uniform(1.5, 7.0),
        "rim": rng.uniform(-0.5, 0.5) if rng.random() < 0.3 else 0.0,
        "worn": rng.uniform(0.1, 0.55) if rng.random() < 0.15 else 0.0,
        "odd": {int(value): some_colour(rng) for value in rng.choice(6, 2, replace=False) + 1}
        if rng.random() < 0.1
        else {},
    }


def lamps_above(rng: Rng, room: Room) -> Room:
    """The room with its lamps above the table, so that many are mirrored in what lies level."""
    lamps = []
    for lamp in room.lamps:
        far, way = np.radians(rng.uniform(0, 35)), rng.uniform(0, 2 * np.pi)
        at = np.array([np.sin(far) * np.cos(way), np.sin(far) * np.sin(way), np.cos(far)])
        strength = float(np.exp(rng.uniform(np.log(4.0), np.log(60.0))))
        form = str(rng.choice(["disc", "ring", "window"], p=[0.25, 0.5, 0.25]))
        least, most = (0.08, 0.5) if form == "ring" else (0.03, 0.12)
        width = float(np.exp(rng.uniform(np.log(least), np.log(most))))
        lamps.append(replace(lamp, way=at, form=form, strength=strength, width=width))
    return replace(room, lamps=tuple(lamps))


def ring_around(rng: Rng, room: Room, place: Array) -> Room:
    """The room with one more lamp: a ring around the camera, which is at `place` above the middle of the picture."""
    way = place / np.linalg.norm(place) + np.append(rng.normal(0, 0.05, 2), 0.0)
    width, strength = np.exp(rng.uniform(np.log(0.12), np.log(0.45))), np.exp(rng.uniform(np.log(5.0), np.log(50.0)))
    ring = Lamp(way / np.linalg.norm(way), float(strength), float(width), "ring", 0.05, np.exp(rng.normal(0, 0.05, 3)))
    return replace(room, lamps=(*room.lamps[: int(rng.integers(0, 3))], ring))


def polished(rng: Rng) -> dict[str, Any]:
    """What makes a die one that was tumbled until it shone: its faces bulge, and mirror whole lamps."""
    bulge = float(np.exp(rng.uniform(np.log(0.08), np.log(0.4))))
    return {"bulge": bulge, "gloss": rng.uniform(0.03, 0.12), "rough": rng.uniform(0.0, 0.05)}


def draw_solid(
    rng: Rng,
    style: dict[str, Any],
    values: Sequence[int],
    frame: tuple[Array, Array, Array],
    rays: tuple[Array, tuple[int, int]],
    room: Room,
) -> tuple[Array, Array]:
    """The die by itself (h x w x 3) and how much of each pixel it covers.

    `values`: what the faces towards +x, -x, +y, -y of its own axes and on top show. `frame`: the die's middle, its axes
    (rows; their length is its side) and the camera's place. `rays`: points that are looked at, row by row, and how many
    columns and rows they are; twice as fine as what is given.
    """
    middle, axes, place = frame
    ends, (wide, high) = rays
    to_own = np.linalg.inv(axes)
    eye = (place - middle) @ to_own
    ways = (ends - middle) @ to_own - eye
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    near = -(ways @ eye)
    passes = np.flatnonzero(eye @ eye - near**2 < 0.75)
    at, hit = _met(
        eye.astype(np.float32), ways[passes].astype(np.float32), (near[passes] - 0.9).astype(np.float32), style
    )
    shown = np.zeros((len(ends), 4), np.float32)
    if hit.any():
        way = ways[passes][hit].astype(np.float32)
        spin = axes / np.linalg.norm(axes, axis=1, keepdims=True)
        shown[passes[hit], :3] = _coloured(rng, style, values, at[hit], way, (spin.astype(np.float32), room))
        shown[passes[hit], 3] = 1.0
    small = cv2.resize(shown.reshape(high, wide, 4), (wide // 2, high // 2), interpolation=cv2.INTER_AREA)
    mask = small[..., 3].astype(np.float64)
    return small[..., :3] / np.maximum(mask, 1e-3)[..., None], mask


def _met(eye: Floats, ways: Floats, far: Floats, style: dict[str, Any]) -> tuple[Floats, NDArray[np.bool_]]:
    """Where rays meet the die, by sphere tracing, and which do."""
    inner, radius, ball = np.float32(0.5 - style["rounding"]), np.float32(style["rounding"]), np.float32(style["ball"])
    x, y, z = (np.float32(eye[k]) + ways[:, k] * far for k in range(3))
    along = [np.ascontiguousarray(ways[:, k]) for k in range(3)]
    off = np.empty(0, np.float32)
    for _ in range(STEPS):
        over = [np.abs(part) - inner for part in (x, y, z)]
        most = np.maximum(np.maximum(over[0], over[1]), over[2])
        positive = [np.maximum(part, 0) for part in over]
        outside = np.sqrt(positive[0] ** 2 + positive[1] ** 2 + positive[2] ** 2)
        off = outside + np.minimum(most, 0) - radius
        if ball < 1.0:
            off = np.maximum(off, np.sqrt(x * x + y * y + z * z) - ball)
        x, y, z = (part + way * off for part, way in zip((x, y, z), along, strict=True))
    return np.stack([x, y, z], axis=1), off < NEAR


def _coloured(
    rng: Rng, style: dict[str, Any], values: Sequence[int], at: Floats, way: Floats, seen: tuple[Floats, Room]
) -> Floats:
    """Colours (0 to 255) of points on the die that are seen along `way`."""
    spin, room = seen
    inner = np.float32(0.5 - style["rounding"])
    normal = np.sign(at) * np.maximum(np.abs(at) - inner, 0)
    if style["ball"] < 1.0:
        on_ball = np.sqrt(np.square(at).sum(1)) > style["ball"] - NEAR
        normal[on_ball] = at[on_ball]
    longest = np.argmax(np.abs(at), axis=1)
    if style.get("bulge"):
        aside = at * np.float32(2 * style["bulge"])
        aside[np.arange(len(at)), longest] = 0
        normal = _unit(normal) + aside
    normal = _unit(normal)
    smooth = normal
    colour = _body(rng, style, at)
    deep = np.zeros(len(at), np.float32)
    normal = normal.copy()
    for number, (axis, sign) in enumerate(((0, 1), (0, -1), (1, 1), (1, -1), (2, 1))):
        here = np.flatnonzero((longest == axis) & (np.sign(at[:, axis]) == sign))
        if len(here):
            _decorate(
                rng, style, int(values[number]), (here, [k for k in range(3) if k != axis]), (at, colour, normal, deep)
            )
    normal = _unit(normal)
    turned, flat = normal @ spin, smooth @ spin
    seen_along = way @ spin
    light = _light(turned, at, room, deep)
    facing = np.clip(-(turned * seen_along).sum(1), 0.02, 1)
    if style["clear"]:
        edge = (1 - np.clip(-(flat * seen_along).sum(1), 0, 1)) ** 2
        glow = style["clear"] * (0.4 + 0.8 * edge + 0.35 * np.sin(at @ rng.normal(0, 6, 3) + rng.uniform(0, 6)))
        light = light * (1 - 0.4 * style["clear"]) + np.maximum(glow, 0)[:, None] * (1 - deep[:, None])
    mirror = seen_along + 2 * facing[:, None] * turned
    share = style["gloss"] + (1 - style["gloss"]) * (1 - facing) ** 5 * (0.7 if style["gloss"] else 0.0)
    shown = colour * light + 255.0 * share[:, None] * _mirrored(mirror, room, style["rough"])
    return np.asarray(np.clip(shown, 0, 255))


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.sqrt(np.square(vectors).sum(1, keepdims=True)), 1e-6))


def _body(rng: Rng, style: dict[str, Any], at: Floats) -> Floats:
    first, second = style["body"], style["second"] if style["marble"] is None else style["marble"]
    wave = np.zeros(len(at), np.float32)
    bend = np.zeros_like(wave)
    for _ in range(3):
        wave += np.sin(at @ rng.normal(0, style["swirl"], 3).astype(np.float32) + np.float32(rng.uniform(0, 6)) + bend)
        bend = 1.5 * wave
    sharp = 1.0 if style["marble"] is None else float(np.exp(rng.uniform(0, 2)))
    share = (1 / (1 + np.exp(-sharp * wave)))[:, None].astype(np.float32)
    grain = rng.normal(0, style["speckle"], (len(at), 1)).astype(np.float32)
    return np.asarray(first * (1 - share) + second * share + grain, np.float32)


def _decorate(
    rng: Rng,
    style: dict[str, Any],
    value: int,
    where: tuple[NDArray[np.intp], list[int]],
    points: tuple[Floats, Floats, Floats, Floats],
) -> None:
    """Put a face's pips, or what it shows instead, on its points: colours, normals and depths are changed."""
    here, (first, second) = where
    at, colour, normal, deep = points
    if rng.random() < 0.5:
        first, second = second, first
    flip = rng.choice([-1.0, 1.0])
    u, v = at[here, first], at[here, second] * np.float32(flip)
    if style["what"] == "numbers":
        _number(rng, style, (u, v), here, colour)
    if style["what"] != "dots":
        return
    radius, paint = style["one"] if value == 1 else (style["radius"], style["odd"].get(value, style["pips"]))
    hard = np.float32(0.03)
    apart, along = style.get("six", (1.0, 1.0)) if value == 6 else (1.0, 1.0)
    for column, row in ((column * apart, row * along) for column, row in PIPS[value]):
        du, dv = u - np.float32(column * style["spacing"]), v - np.float32(row * style["spacing"])
        off = np.sqrt(du * du + dv * dv) / np.float32(radius)
        inside = off < 1.08
        pixels, off = here[inside], off[inside]
        share = np.clip((1 - off) / hard * np.float32(radius) + 0.5, 0, 1)
        if style["worn"]:
            worn = np.sin(at[pixels] @ rng.normal(0, 30, 3).astype(np.float32) + rng.uniform(0, 6)) * 0.5 + 0.5
            share = share * (worn > style["worn"])
        painted = paint * (1 + style["rim"] * np.clip((off - 0.6) / 0.4, 0, 1))[:, None]
        colour[pixels] += (painted - colour[pixels]) * share[:, None]
        deep[pixels] = np.clip(1.2 - off, 0, 1)
        if style["bowl"]:
            bend = np.float32(style["bowl"]) * (off < 1.0)
            normal[pixels, first] -= bend * du[inside] / np.float32(radius)
            normal[pixels, second] -= bend * np.float32(flip) * dv[inside] / np.float32(radius)


def _number(
    rng: Rng, style: dict[str, Any], spots: tuple[Floats, Floats], here: NDArray[np.intp], colour: Floats
) -> None:
    n = DECAL_PX
    decal = np.zeros((n, n), np.uint8)
    text = str(rng.integers(0, 21))
    font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX]))
    cv2.putText(decal, text, (round(n * (0.32 if len(text) == 1 else 0.15)), round(n * 0.7)), font, n / 45, 255, 3, 16)
    places = [np.clip(np.round((part + 0.5) * (n - 1)), 0, n - 1).astype(int) for part in spots]
    share = decal[places[1], places[0]][:, None] / 255.0
    colour[here] += (style["pips"] - colour[here]) * share


def _light(normal: Floats, at: Floats, room: Room, deep: Floats) -> Floats:
    """How much light falls on each point (n x 3); a level face in all light has 1 in the mean."""
    level = room.ambient + 1e-3
    falls = (room.ambient * (0.65 + 0.35 * normal[:, 2]) * (1 - 0.3 * np.exp(-(at[:, 2] + 0.5) / 0.15)))[:, None]
    whole = sum(lamp.strength * lamp.width for lamp in room.lamps)
    for lamp in room.lamps:
        part = (1 - room.ambient) * lamp.strength * lamp.width / max(whole, 1e-6)
        falls = falls + part * np.maximum(normal @ lamp.way, 0)[:, None] * lamp.colour
        level += part * max(lamp.way[2], 0.0)
    return np.asarray(falls / level * (1 - 0.25 * deep[:, None]), np.float32)


def _mirrored(way: Floats, room: Room, rough: float) -> Floats:
    """What is seen in a mirror that looks that way (n x 3), white is 1."""
    up = np.clip(way[:, 2:] / (0.1 + rough) * 0.5 + 0.5, 0, 1)
    shown = room.table * (1 - up) + room.above * up
    for lamp in room.lamps:
        right = np.cross(lamp.way, [0.1, 0.3, 1.0])
        right /= np.linalg.norm(right)
        above = np.cross(right, lamp.way)
        ahead = way @ lamp.way
        x, y = (way @ part / np.maximum(ahead, 1e-3) for part in (right, above))
        soft = lamp.soft * lamp.width + 0.5 * rough
        if lamp.form == "window":
            off = np.maximum(np.abs(x), np.abs(y) * 0.7) - lamp.width
            off = np.maximum(off, 0.06 * lamp.width - np.minimum(np.abs(x), np.abs(y)))
        else:
            off = np.hypot(x, y) - lamp.width
            if lamp.form == "ring":
                off = np.abs(off) - 0.15 * lamp.width
        share = np.clip(0.5 - off / (2 * soft), 0, 1) * (ahead > 0.05)
        shown = shown + (lamp.strength * share * lamp.width / (lamp.width + rough))[:, None] * lamp.colour
    return np.asarray(shown, np.float32)
