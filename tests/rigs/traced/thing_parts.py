"""What household things are made of: parts with an outline, and shapes and colours for them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.rigs.traced.bodies import Floats, Mesh, Print
from tests.rigs.traced.drawing import Colour
from tests.rigs.traced.meshes import from_field
from tests.rigs.traced.solids import linear

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Part:
    """One body of a thing, in the thing's own frame."""

    outline: Floats
    thickness: float
    top: Print | None = None
    mesh: Mesh | None = None
    finish: str = "paper"
    edge: Colour = (0.8, 0.78, 0.72)


def any_colour(rng: Rng) -> Colour:
    """Any colour, grey ones as often as rich ones."""
    grey, rich = rng.uniform(0.05, 0.95), rng.uniform(0.05, 0.95, 3)
    share = rng.uniform(0, 1) if rng.random() < 0.7 else 0.05
    return tuple(float(c) for c in grey * (1 - share) + rich * share)  # type: ignore[return-value]


def any_paint(rng: Rng) -> Floats:
    """Any colour, linear."""
    return linear(any_colour(rng))


def around(rng: Rng, radius: float) -> tuple[float, float]:
    """Some point of a disc around the origin."""
    way, far = rng.uniform(0, 2 * math.pi), radius * math.sqrt(rng.uniform(0, 1))
    return far * math.cos(way), far * math.sin(way)


def joined(*meshes: Mesh) -> Mesh:
    """Several solids as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)]),
        np.concatenate([mesh.colours for mesh in meshes]),
    )


def melted(bones: Sequence[tuple[Floats, Floats, float]], step: float, colour: Floats) -> Mesh:
    """Rods (from, to, radius) as one solid of one colour."""

    def field(points: Floats) -> Floats:
        nearest = np.full(len(points), np.inf)
        for one, two, r in bones:
            along = two - one
            share = np.clip((points - one) @ along / max(float(along @ along), 1e-9), 0, 1)
            nearest = np.minimum(nearest, np.linalg.norm(points - one - share[:, None] * along, axis=1) - r)
        return nearest

    ends = np.array([end + sign * r for one, two, r in bones for end in (one, two) for sign in (-1, 1)])
    vertices, faces = from_field(field, ends.min(0) - 2 * step, ends.max(0) + 2 * step, step)
    return Mesh(vertices, faces, np.tile(colour, (len(vertices), 1)))


def upright(mesh: Mesh) -> Mesh:
    """What lies along u, along v."""
    u, v, w = mesh.vertices.T
    return Mesh(np.column_stack([-v, u, w]), mesh.faces, mesh.colours)
