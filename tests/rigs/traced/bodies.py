"""What lies on a table, as values that know no renderer: plates (slices, cards, sheets, boards), solids (dice, sticks).

Millimetres. A body's own frame has u to the right, v up as it is read and w out of its upper face; a slice's origin is
its tip, another body's its middle. `angle_deg` is the direction of v on the table, counter-clockwise from x; a die's
and a stick's is that of u.
"""

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Image = npt.NDArray[np.uint8]
"""Height x width x 3, RGB as a screen shows it (sRGB)."""


def generator(*keys: object) -> np.random.Generator:
    """Random numbers of their own for what these keys name: the same at every run and on every machine."""
    return np.random.default_rng([zlib.crc32(str(key).encode()) for key in keys])


@dataclass(frozen=True, slots=True)
class Print:
    """A printed face and where it lies in the body's frame."""

    image: Image
    left: float
    lower: float
    right: float
    upper: float


@dataclass(frozen=True, slots=True)
class Mesh:
    """Triangles of a solid in its own frame, its lowest point at w = 0."""

    vertices: Floats
    """n x 3."""
    faces: Ints
    """m x 3, counter-clockwise as seen from outside."""
    colours: Floats
    """n x 3, of each vertex, linear RGB from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Body:
    """One piece and where it lies; those of a picture are in the order in which they were laid down."""

    label: dict[str, Any]
    """What its truth says besides its place: kind, face and what the kind needs."""
    x_mm: float
    y_mm: float
    angle_deg: float
    outline: Floats
    """n x 2 in (u, v), convex, counter-clockwise: of a plate's upper face, of a solid's footprint."""
    thickness: float
    top: Print | None = None
    """A plate's; solids have a mesh."""
    edge: tuple[float, float, float] = (0.8, 0.78, 0.72)
    """A plate's cut edge, sRGB from 0 to 1."""
    mesh: Mesh | None = None
    finish: str = "paper"
    """How it shines: one of `materials.FINISHES`."""
    marks: Mapping[str, Floats] = field(default_factory=dict)
    """Name -> points (u, v, w), n x 3: the truth says under name_px where they lie in the picture."""

    @property
    def direction(self) -> Floats:
        """The 2 x 2 rotation that takes (u, v) to table axes."""
        along_u = self.label["kind"] in ("die", "cutter", "pencil")
        turn = self.angle_deg if along_u else self.angle_deg - 90
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        return np.array([[c, -s], [s, c]])

    def on_table(self, points: Floats) -> Floats:
        """Points (u, v), n x 2, as (x, y) were the body to lie level."""
        return points @ self.direction.T + (self.x_mm, self.y_mm)


@dataclass(frozen=True, slots=True)
class Layout:
    """What one picture shall show: bodies from the lowest up, and what the truth says of them together."""

    name: str
    """Of the picture's files."""
    game: str
    style: str
    kind: str
    """Of the picture, as `pizzatable vision-report` calls it."""
    bodies: Sequence[Body]
    arrangement: dict[str, Any]
    span_mm: float
    """How much of the table the picture shows from its lower to its upper edge."""
    mat: bool = True
    hand: bool = False
    plain_light: bool = False
    """A light in which nobody would find fault: pictures to learn from."""
    aim_mm: tuple[float, float] = (0.0, 0.0)
    large: bool | None = None
    """Whether it is 1920x1080 rather than 1280x720; None: one in four is."""
    keys: tuple[object, ...] = field(default=())
    """What the random numbers of its camera, light and table are made from."""


def wedge(radius: float, degrees: float, rounding: float = 2.0) -> Floats:
    """The outline of a slice, tip at the origin, its crust's middle in the direction of v, corners rounded."""
    half = math.radians(degrees / 2)
    crust = [
        (radius * math.sin(a), radius * math.cos(a)) for a in np.linspace(half, -half, 17)
    ]  # counter-clockwise: from the right end to the left
    return rounded(np.array([(0.0, 0.0), *crust]), rounding)


def rectangle(width: float, height: float, rounding: float) -> Floats:
    """The outline of a card."""
    w, h = width / 2, height / 2
    return rounded(np.array([(-w, -h), (w, -h), (w, h), (-w, h)]), rounding)


def disc(diameter: float, corners: int = 64) -> Floats:
    """A circle."""
    a = np.linspace(0, 2 * math.pi, corners, endpoint=False)
    return np.stack([np.cos(a), np.sin(a)], 1) * diameter / 2


def rounded(corners: Floats, rounding: float) -> Floats:
    """A convex outline with its sharp corners (of more than 20 degrees) cut to arcs of this radius."""
    found: list[Floats] = []
    for before, corner, after in zip(np.roll(corners, 1, 0), corners, np.roll(corners, -1, 0), strict=True):
        back, on = before - corner, after - corner
        long_back, long_on = float(np.hypot(*back)), float(np.hypot(*on))
        back, on = back / long_back, on / long_on
        opening = math.acos(float(np.clip(back @ on, -1, 1)))
        if math.pi - opening < math.radians(20) or rounding <= 0:
            found.append(corner)
            continue
        away = min(rounding / math.tan(opening / 2), 0.4 * long_back, 0.4 * long_on)
        radius = away * math.tan(opening / 2)
        middle = corner + (back + on) / np.hypot(*(back + on)) * (radius / math.sin(opening / 2))
        first, last = corner + back * away - middle, corner + on * away - middle
        start = math.atan2(first[1], first[0])
        sweep = (math.atan2(last[1], last[0]) - start + math.pi) % (2 * math.pi) - math.pi
        angles = start + sweep * np.linspace(0, 1, 6)
        found.extend(middle + radius * np.array([math.cos(a), math.sin(a)]) for a in angles)
    return np.array(found)
