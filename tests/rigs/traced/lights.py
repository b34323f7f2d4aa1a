"""The light in a room: lamps, windows, what walls and ceiling throw back, and who stands in the way.

Strengths are irradiances on the middle of the table, relative to each other; the camera's exposure does the rest.
"""

import math
from dataclasses import dataclass

import numpy as np

from tests.rigs.traced.bodies import Floats, Mesh
from tests.rigs.traced.meshes import lathe

PLAIN = "plain"
"""One in which nobody would find fault: bright, and no lamp is mirrored towards the camera."""
LIGHTS = ("ceiling", "desk", "window", "dusk", "two lamps", "lamp and window", "person")


@dataclass(frozen=True, slots=True)
class Lamp:
    """A shining sphere, or with a size a rectangle that faces the table's middle."""

    place: tuple[float, float, float]
    radius: float
    """Of a sphere; half the side of a rectangle."""
    panel: bool
    irradiance: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Light:
    """All light on one table."""

    kind: str
    lamps: tuple[Lamp, ...]
    room: Floats
    """16 x 32 x 3: radiance from every direction, row 0 the zenith, as an environment map."""
    person: tuple[tuple[float, float, float], float] | None
    """The middle of somebody's trunk and how wide it is; they stand between a lamp and the table."""
    dimness: float
    """How much noise there is: 1 in a well lit room."""

    @property
    def white(self) -> Floats:
        """The colour of all of it on a level white thing at the table's middle."""
        angle = np.pi * (np.arange(16) + 0.5) / 16
        weight = np.maximum(np.cos(angle), 0) * np.sin(angle)
        room = (self.room.mean(1) * weight[:, None]).sum(0) / weight.sum() * np.pi
        return np.asarray(room + np.sum([lamp.irradiance for lamp in self.lamps], axis=0))


def a_light(kind: str, rng: np.random.Generator) -> Light:
    """One light of this kind (one of LIGHTS)."""
    lamps: list[Lamp] = []
    fill, dimness, person = 0.35, 1.0, None
    around = rng.uniform(0, 2 * math.pi)
    match kind:
        case "ceiling":
            lamps.append(
                _lamp(around, rng.uniform(100, 800), rng.uniform(1500, 2100), rng.uniform(90, 260), True, _warm(rng))
            )
            fill = rng.uniform(0.35, 0.8)
        case "plain":
            lamps.append(
                _lamp(around, rng.uniform(1700, 2100), rng.uniform(1300, 1700), rng.uniform(250, 400), True, _warm(rng))
            )
            fill = rng.uniform(0.6, 1.0)
        case "desk":
            lamps.append(
                _lamp(around, rng.uniform(620, 900), rng.uniform(380, 650), rng.uniform(22, 45), False, _warm(rng))
            )
            fill = rng.uniform(0.15, 0.4)
        case "window":
            lamps.append(
                _lamp(around, rng.uniform(1100, 1900), rng.uniform(550, 900), rng.uniform(400, 650), True, _cool(rng))
            )
            fill = rng.uniform(0.25, 0.5)
        case "dusk":
            lamps.append(
                _lamp(around, rng.uniform(1200, 2000), rng.uniform(500, 800), rng.uniform(350, 500), True, _cool(rng))
            )
            fill, dimness = rng.uniform(0.4, 0.7), rng.uniform(2.0, 3.5)
        case "two lamps":
            lamps.append(
                _lamp(around, rng.uniform(600, 900), rng.uniform(500, 900), rng.uniform(30, 60), False, (1, 0.72, 0.45))
            )
            other = around + rng.uniform(1.6, 4.2)
            lamps.append(
                _lamp(other, rng.uniform(600, 1200), rng.uniform(600, 1200), rng.uniform(40, 90), False, (0.5, 0.65, 1))
            )
            fill = rng.uniform(0.15, 0.35)
        case "lamp and window":
            lamps.append(
                _lamp(around, rng.uniform(1200, 1800), rng.uniform(600, 900), rng.uniform(350, 600), True, _cool(rng))
            )
            lamps.append(_lamp(around + rng.uniform(1.5, 4.5), 700, rng.uniform(450, 700), 35, False, _warm(rng)))
            fill = rng.uniform(0.2, 0.4)
        case "person":
            lamps.append(
                _lamp(around, rng.uniform(1200, 1700), rng.uniform(900, 1300), rng.uniform(60, 220), True, _warm(rng))
            )
            fill = rng.uniform(0.25, 0.45)
            aside = around + rng.choice([-1, 1]) * rng.uniform(0.28, 0.5)
            person = ((730 * math.cos(aside), 730 * math.sin(aside), 250.0), rng.uniform(180, 230))
        case _:
            raise ValueError(f"the light is {kind!r}; expected one of {', '.join(LIGHTS)}")
    return Light(kind, tuple(lamps), _room(rng, fill), person, dimness)


def somebody(middle: tuple[float, float, float], wide: float) -> Mesh:
    """Trunk and head of somebody who stands there, as a shape that throws a shadow."""
    a = np.linspace(-math.pi / 2, math.pi / 2, 16)
    trunk = np.stack([np.cos(a) * wide, np.sin(a) * 420.0], 1)
    head = np.stack([np.cos(a) * 95.0, np.sin(a) * 120.0 + 530.0], 1)
    profile = np.concatenate([trunk, head])
    found = lathe(profile, np.full((len(profile), 3), 0.06))
    return Mesh(found.vertices * (1.0, 0.8, 1.0) + np.array(middle), found.faces, found.colours)


def _lamp(
    around: float, away: float, high: float, radius: float, panel: bool, irradiance: tuple[float, float, float]
) -> Lamp:
    return Lamp((away * math.cos(around), away * math.sin(around), high), radius, panel, irradiance)


def _warm(rng: np.random.Generator) -> tuple[float, float, float]:
    share = rng.uniform(0, 1)
    return (1.0, 0.93 - 0.15 * share, 0.85 - 0.38 * share)


def _cool(rng: np.random.Generator) -> tuple[float, float, float]:
    share = rng.uniform(0, 1)
    return (1.0 - 0.28 * share, 1.0 - 0.12 * share, 1.0)


def _room(rng: np.random.Generator, fill: float) -> Floats:
    """Walls with things on them, a bright ceiling, a darker floor; `fill` is its irradiance on the table."""
    walls = rng.uniform(0.5, 1.0) * np.array([1.0, rng.uniform(0.9, 1), rng.uniform(0.8, 1)])
    room = np.empty((16, 32, 3))
    for row in range(16):
        height = math.cos(math.pi * (row + 0.5) / 16)
        room[row] = walls * (1.0 + 0.5 * max(height, 0) if height > 0 else 0.35)
    for _ in range(14):
        above, column = rng.integers(3, 8), rng.integers(32)
        high, wide = rng.integers(1, 4), rng.integers(1, 6)
        columns = np.arange(column, column + wide) % 32
        room[above : above + high, columns] *= rng.uniform(0.25, 1.7) * rng.uniform(0.85, 1.15, 3)
    angle = np.pi * (np.arange(16) + 0.5) / 16
    weight = np.maximum(np.cos(angle), 0) * np.sin(angle) * (np.pi / 16) * (2 * np.pi / 32)
    return np.asarray(room * fill / (room.mean(2) * weight[:, None]).sum())
