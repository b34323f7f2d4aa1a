"""Where things lie on the Pizza: spaces, lines, and which side faces whom. Geometry only, no rules.

Table millimetres and degrees as in `vision.scene`. Vision names a space by its coordinates, "x,y,z".
"""

import cmath
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controller.games.pizza_theory.components import Components, Cube, Place
from vision.scene import Point, Pose, Space

ALONG_DEG = 12.0
"""A cutter turned farther from all three directions of lines lies between none of them."""
_SPIN = cmath.exp(2j * math.pi / 3)


@dataclass(frozen=True, slots=True)
class Lattice:
    """Where the spaces' coordinates lie on the table: a lattice turned, stretched, and maybe seen from behind."""

    scale: complex
    offset: complex
    mirrored: bool

    def coordinates(self, x_mm: float, y_mm: float) -> tuple[float, float, float]:
        """The coordinates of a table point."""
        step = (complex(x_mm, y_mm) - self.offset) / self.scale
        step = step.conjugate() if self.mirrored else step
        x, y, z = ((step * _SPIN**-axis).real * 2 / 3 for axis in (0, 1, 2))
        return x, y, z

    def way(self, at: Cube) -> complex:
        """The way on the table from the board's middle to these coordinates."""
        step = _step(*at)
        return self.scale * (step.conjugate() if self.mirrored else step)


def cube_of(space: Space) -> Cube:
    """The coordinates by which vision names a space."""
    x, y, z = map(int, space.name.split(","))
    return x, y, z


def lattice_of(spaces: Sequence[Space]) -> Lattice | None:
    """The lattice that these spaces lie on; None where they are too few to tell."""
    known = [(_step(*cube_of(space)), complex(space.x_mm, space.y_mm)) for space in spaces]
    if len(known) < 3:
        return None
    middle = sum(step for step, _ in known) / len(known)
    at = sum(place for _, place in known) / len(known)
    fits = []
    for mirrored in (False, True):
        steps = [(step - middle).conjugate() if mirrored else step - middle for step, _ in known]
        scale = sum((place - at) * step.conjugate() for step, (_, place) in zip(steps, known, strict=True))
        scale /= sum(abs(step) ** 2 for step in steps)
        miss = sum(abs(place - at - scale * step) ** 2 for step, (_, place) in zip(steps, known, strict=True))
        fits.append((miss, mirrored, scale, at - scale * (middle.conjugate() if mirrored else middle)))
    _, mirrored, scale, offset = min(fits, key=lambda fit: fit[0])
    return Lattice(scale, offset, mirrored)


def along(pose: Pose, lattice: Lattice, parts: Components) -> tuple[Place | None, float, float]:
    """The place whose lines a cutter lies along, and the place's coordinate where it comes in over the spaces and where
    it goes out."""
    turn = math.radians(pose.angle_deg)
    way = complex(math.cos(turn), math.sin(turn))
    at = complex(pose.x_mm, pose.y_mm)
    step_mm = 1.5 * abs(lattice.scale)
    for place in parts.places:
        here = lattice.coordinates(at.real, at.imag)[place.axis]
        there = lattice.coordinates((at + way * step_mm).real, (at + way * step_mm).imag)[place.axis]
        if abs(there - here) > math.sin(math.radians(ALONG_DEG)):
            continue
        # The spaces reach as far as the farthest corner: the cutter matters between where it passes those.
        reach = abs(lattice.scale) * max(abs(_step(*step)) for step in parts.spaces.values())
        foot = ((lattice.offset - at) * way.conjugate()).real
        off = abs(((lattice.offset - at) * way.conjugate()).imag)
        half = math.sqrt(max(reach**2 - off**2, 0.0))
        values = [here + (there - here) * (foot + side * half) / step_mm for side in (-1, 1)]
        return place, values[0], values[1]
    return None, 0.0, 0.0


def facing(lattice: Lattice, parts: Components) -> dict[str, float]:
    """Into which direction each of the board's places looks."""
    return {place.name: math.degrees(cmath.phase(lattice.way(place.corner))) % 360.0 for place in parts.places}


def direction_of(area: Sequence[Point]) -> float:
    """From the table's middle to a seat."""
    x, y = (sum(values) / len(area) for values in zip(*area, strict=True))
    return math.degrees(math.atan2(y, x))


def board_turn(places: Mapping[int, int], areas: Mapping[int, Sequence[Sequence[Point]]]) -> tuple[float, float]:
    """How the board has to lie for everybody to face the own place as well as the seats allow: the direction of its
    first place, and how well they do (1: all face theirs exactly).

    `places`: which of the board's places, counted clockwise, each player faces; `areas` as in
    `controller.reading.Layout`.
    """
    ways = [
        cmath.exp(1j * math.radians(direction_of(areas[player][0]) + 120.0 * place)) for player, place in places.items()
    ]
    middle = sum(ways) / len(ways)
    return math.degrees(cmath.phase(middle)), abs(middle)


def _step(x: int, y: int, z: int) -> complex:
    return x + y * _SPIN + z * _SPIN**2
