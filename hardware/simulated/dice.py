"""Dice as solids: where the camera's rays meet a cube with round edges, and what colour it has there.

The cube is found by sphere tracing (Hart 1996): its distance function is that of a box with round edges, cut by a ball
as the corners of many dice are. Pips are painted or drilled; light falls as shadows do. Dice cast no shadow on each
other, and none is mirrored in another.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene import Pose

Picture = NDArray[np.uint8]
Colour = tuple[float, float, float]
_Floats = NDArray[np.float32]
_Vectors = tuple[_Floats, _Floats, _Floats]

PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""Where a face's pips are, in spacings from its middle."""
_STEPS = 28
_HIT = 0.004
"""So near, in sides, a ray has met the die."""
_FINE = 3
"""Rays to a pixel, each way."""
_SIDE_LIGHT, _FOOT_SHADE = 0.6, 0.35
"""How much of the room's light reaches an upright face, and how much of it is gone at its foot."""


@dataclass(frozen=True, slots=True)
class DieLook:
    """What a die is made of. Lengths are shares of its side."""

    body: Colour
    """Blue, green, red, 0 to 255."""
    pips: Colour
    second: Colour
    """What clouds of another colour are in it."""
    rounding: float = 0.08
    """Radius of its edges."""
    ball: float = 0.9
    """Radius of the ball that cuts its corners; from 0.87 on it cuts none."""
    pip_radius: float = 0.09
    single_radius: float = 0.12
    """Of the pip of a one."""
    spacing: float = 0.25
    drilled: bool = True
    gloss: float = 0.3
    """Strength of the lamp's reflection."""
    slants: int = 0
    """Decides which way each face's pattern lies, and where clouds are."""


@dataclass(frozen=True, slots=True)
class DieView:
    """A die that stands on the table."""

    pose: Pose
    """The angle points to where `values` has its first."""
    side_mm: float
    values: tuple[int, int, int]
    """What the faces in the angle's direction, left of that, and on top show; opposite faces together show seven."""
    look: DieLook
    base_mm: float = 0.0
    """How high it stands."""

    @property
    def value(self) -> int:
        """What is on top."""
        return self.values[2]

    def corners_mm(self, height: float) -> NDArray[np.float64]:
        """4 x 3: the corners of its section so high above its foot, as a share of its side."""
        turn = math.radians(self.pose.angle_deg)
        along = np.array([math.cos(turn), math.sin(turn)]) * self.side_mm / 2
        aside = np.array([-along[1], along[0]])
        middle = np.array([self.pose.x_mm, self.pose.y_mm])
        flat = np.array([middle + a * along + b * aside for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        return np.column_stack([flat, np.full(4, self.base_mm + height * self.side_mm)])


def draw_die(
    view: DieView, grid_mm: _Floats, camera_mm: Sequence[float], lamp_slope: tuple[float, float], lamp_share: float
) -> Picture:
    """The die by itself as pixels see it that look at these places (rows x columns x 2) of the table's plane; blue,
    green, red, and how much of the pixel it covers, premultiplied.

    `lamp_slope`: how far a shadow reaches for a millimetre of height. `lamp_share`: of the light that falls on the
    table, the lamp's.
    """
    rows, columns = grid_mm.shape[:2]
    fine = cv2.resize(grid_mm, (columns * _FINE, rows * _FINE), interpolation=cv2.INTER_LINEAR).reshape(-1, 2)
    turn, side = math.radians(view.pose.angle_deg), view.side_mm
    cos, sin = math.cos(turn), math.sin(turn)
    spin = np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    middle = np.array([view.pose.x_mm, view.pose.y_mm, view.base_mm + side / 2])
    eye = spin @ (np.array(camera_mm) - middle) / side
    ends = (np.column_stack([fine, np.zeros(len(fine))]) - middle) @ spin.T / side
    ways = ends - eye
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    near = -(ways @ eye)
    passes = eye @ eye - near**2 < 0.75
    to_lamp = spin @ np.array([-lamp_slope[0], -lamp_slope[1], 1.0])
    shown = np.zeros((len(fine), 4), np.float32)
    if passes.any():
        shown[passes] = _rays(view, eye, ways[passes], near[passes] - 0.9, to_lamp, lamp_share)
    small = cv2.resize(shown.reshape(rows * _FINE, columns * _FINE, 4), (columns, rows), interpolation=cv2.INTER_AREA)
    return np.asarray(np.clip(np.round(small), 0, 255), np.uint8)


def _rays(
    view: DieView,
    eye: NDArray[np.float64],
    ways: NDArray[np.float64],
    start: NDArray[np.float64],
    to_lamp: NDArray[np.float64],
    lamp_share: float,
) -> _Floats:
    """What rays show in the die's own frame, sides as unit: n x 4, premultiplied."""
    look = view.look
    far = start.astype(np.float32)
    way = tuple(np.ascontiguousarray(ways[:, k], np.float32) for k in range(3))
    off = np.full(len(far), np.inf, np.float32)
    for _ in range(_STEPS):
        off = _distance(_at(eye, way, far), look)
        far += off
    hit = off < _HIT
    shown = np.zeros((len(far), 4), np.float32)
    if not hit.any():
        return shown
    way = tuple(part[hit] for part in way)
    at = _at(eye, way, far[hit])
    normal = _normal(at, look)
    colour, normal = _faces(view, at, normal)
    lamp = to_lamp / np.linalg.norm(to_lamp)
    facing = np.maximum(_along(normal, lamp), 0.0)
    room = _SIDE_LIGHT + (1.0 - _SIDE_LIGHT) * normal[2]
    room *= 1.0 - _FOOT_SHADE * np.exp(-(at[2] + 0.5) / 0.12)
    light = (1.0 - lamp_share) * room + lamp_share * facing / np.float32(lamp[2])
    mirrored = _along(way, lamp) - 2.0 * _along(way, normal) * _along(normal, lamp)
    gleam = 255.0 * look.gloss * np.clip((mirrored - 0.8) / 0.2, 0.0, 1.0) ** 4
    shown[hit, :3] = np.clip(colour * light[:, None] + gleam[:, None], 0, 255)
    shown[hit, 3] = 255.0
    return shown


def _at(eye: NDArray[np.float64], way: Sequence[_Floats], far: _Floats) -> _Vectors:
    x, y, z = (np.float32(e) + far * w for e, w in zip(eye, way, strict=True))
    return x, y, z


def _along(one: Sequence[_Floats], other: Sequence[_Floats] | NDArray[np.float64]) -> _Floats:
    """Scalar products."""
    first, second, third = (
        np.asarray(a, np.float32) * np.asarray(b, np.float32) for a, b in zip(one, other, strict=True)
    )
    return np.asarray(first + second + third, np.float32)


def _distance(at: _Vectors, look: DieLook) -> _Floats:
    """How far points are from the die, at least."""
    inner = np.float32(0.5 - look.rounding)
    x, y, z = (np.abs(part) - inner for part in at)
    outside = _length([np.maximum(part, 0) for part in (x, y, z)])
    box = outside + np.minimum(np.maximum(np.maximum(x, y), z), 0) - np.float32(look.rounding)
    ball = _length(at) - np.float32(look.ball)
    return np.asarray(np.maximum(box, ball), np.float32)


def _normal(at: _Vectors, look: DieLook) -> _Vectors:
    inner = np.float32(0.5 - look.rounding)
    on_ball = _length(at) - look.ball > -_HIT
    parts = [np.sign(part) * np.maximum(np.abs(part) - inner, 0) for part in at]
    parts = [np.where(on_ball, part, own) for part, own in zip(at, parts, strict=True)]
    return _unit(parts)


def _length(vectors: Sequence[_Floats]) -> _Floats:
    return np.sqrt(_along(vectors, vectors))


def _unit(vectors: Sequence[_Floats]) -> _Vectors:
    length = np.maximum(_length(vectors), 1e-6)
    x, y, z = (np.asarray(part / length, np.float32) for part in vectors)
    return x, y, z


def _faces(view: DieView, at: _Vectors, normal: _Vectors) -> tuple[_Floats, _Vectors]:
    """Colours (n x 3), and normals as drilled pips bend them."""
    look = view.look
    rng = np.random.default_rng(look.slants)
    wave = np.sin(_along(at, rng.normal(0, 3.5, 3)) + rng.uniform(0, 6))
    cloud = (0.5 + 0.5 * wave)[:, None].astype(np.float32)
    colour = np.array(look.body, np.float32) * (1 - cloud) + np.array(look.second, np.float32) * cloud
    bent = [part.copy() for part in normal]
    longest = np.argmax(np.abs(np.stack(at)), axis=0)
    for axis in range(3):
        for sign in (1, -1):
            value = view.values[axis] if sign > 0 else 7 - view.values[axis]
            here = np.flatnonzero((longest == axis) & (np.sign(at[axis]) == sign))
            slant, others = rng.random() < 0.5, [k for k in range(3) if k != axis]
            if len(here):
                _pips(look, value, slant, here, [at[k] for k in others], colour, [bent[k] for k in others])
    return colour, _unit(bent)


def _pips(
    look: DieLook,
    value: int,
    slant: bool,
    here: NDArray[np.intp],
    across: Sequence[_Floats],
    colour: _Floats,
    bent: Sequence[_Floats],
) -> None:
    """Colour a face's pips, and bend their normals to the middle as in a bowl, in place."""
    u, v = across[0][here], across[1][here]
    radius = look.single_radius if value == 1 else look.pip_radius
    for column, row in PIPS[value]:
        a, b = (row, -column) if slant else (column, row)
        du, dv = u - np.float32(a * look.spacing), v - np.float32(b * look.spacing)
        inside = np.square(du) + np.square(dv) < radius**2
        pixels = here[inside]
        colour[pixels] = np.array(look.pips, np.float32)
        if look.drilled:
            bent[0][pixels] -= 0.9 * du[inside] / np.float32(radius)
            bent[1][pixels] -= 0.9 * dv[inside] / np.float32(radius)
