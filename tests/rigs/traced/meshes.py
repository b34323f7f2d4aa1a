"""Triangles: plates from their outlines, turned solids from their profiles, and any shape from a distance field."""

import math
from collections.abc import Callable

import numpy as np

from tests.rigs.traced.bodies import Floats, Ints, Mesh

Field = Callable[[Floats], Floats]
"""Points, n x 3, to their distance from a surface, negative inside."""


def plate(outline: Floats, thickness: float, bevel: float = 0.15) -> tuple[Floats, Ints, int]:
    """A plate's vertices in its own frame, its triangles, and how many of the vertices are the upper face's.

    The upper face comes first: its outline a bevel smaller, and its middle; then the sides and the lower face.
    """
    n = len(outline)
    bevel = min(bevel, thickness / 3)
    middle = outline.mean(0)
    inwards = middle - outline
    small = outline + inwards / np.linalg.norm(inwards, axis=1, keepdims=True) * bevel
    rings = [(small, thickness), (small, thickness), (outline, thickness - bevel), (outline, 0.0)]
    vertices = [np.column_stack([ring, np.full(n, w)]) for ring, w in rings]
    vertices.insert(1, np.array([[*middle, thickness]]))
    vertices.append(np.array([[*middle, 0.0]]))
    i = np.arange(n)
    j = (i + 1) % n
    faces = [np.column_stack([i, j, np.full(n, n)])]
    for first in (n + 1, 2 * n + 1):
        upper, lower = first, first + n
        faces.append(np.column_stack([upper + i, lower + i, upper + j]))
        faces.append(np.column_stack([upper + j, lower + i, lower + j]))
    faces.append(np.column_stack([3 * n + 1 + j, 3 * n + 1 + i, np.full(n, 4 * n + 1)]))
    return np.concatenate(vertices), np.concatenate(faces).astype(np.int64), n + 1


def lathe(profile: Floats, colours: Floats, around: int = 48) -> Mesh:
    """A solid of revolution around w: profile of (radius, w) from the lowest to the highest point, n x 2."""
    a = np.linspace(0, 2 * math.pi, around, endpoint=False)
    n = len(profile)
    ring = np.stack([np.cos(a), np.sin(a)], 1)
    vertices = np.concatenate([np.column_stack([ring * r, np.full(around, w)]) for r, w in profile])
    faces = []
    for step in range(n - 1):
        i = step * around + np.arange(around)
        j = step * around + (np.arange(around) + 1) % around
        faces.append(np.column_stack([i, j, i + around]))
        faces.append(np.column_stack([j, j + around, i + around]))
    return Mesh(vertices, np.concatenate(faces).astype(np.int64), np.repeat(colours, around, 0))


def from_field(field: Field, lower: Floats, upper: Floats, step: float) -> tuple[Floats, Ints]:
    """The surface of a distance field in a box, by surface nets: one vertex in each cell that the surface crosses.

    Source: Gibson, Constrained elastic surface nets (1998), without the relaxation; a vertex lies at the mean of where
    the cell's edges cross.
    """
    axes = [np.arange(lower[i], upper[i] + step, step) for i in range(3)]
    shape = tuple(len(axis) for axis in axes)
    grid = np.empty(shape)
    for index, x in enumerate(axes[0]):
        y, z = np.meshgrid(axes[1], axes[2], indexing="ij")
        points = np.column_stack([np.full(y.size, x), y.ravel(), z.ravel()])
        grid[index] = field(points).reshape(y.shape)
    inside = grid < 0
    cells = tuple(size - 1 for size in shape)
    total, many = np.zeros((*cells, 3)), np.zeros(cells)
    corners = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]

    def part(of: Floats, corner: tuple[int, int, int]) -> Floats:
        return of[tuple(slice(corner[k], corner[k] + cells[k]) for k in range(3))]

    for corner in corners:
        for axis in range(3):
            if corner[axis]:
                continue
            other = tuple(1 if k == axis else corner[k] for k in range(3))
            one, two = part(grid, corner), part(grid, (other[0], other[1], other[2]))
            crosses = (one < 0) != (two < 0)
            share = np.where(crosses, one / np.where(crosses, one - two, 1.0), 0.0)
            at = [np.full(cells, float(corner[k])) for k in range(3)]
            at[axis] = share
            total += np.stack(at, -1) * crosses[..., None]
            many += crosses
    used = many > 0
    number = np.full(cells, -1, dtype=np.int64)
    number[used] = np.arange(int(used.sum()))
    where = np.argwhere(used)
    vertices = (where + total[used] / many[used][:, None]) * step + lower
    faces = []
    for axis in range(3):
        b, c = (axis + 1) % 3, (axis + 2) % 3
        front = tuple(slice(0, -1) if k == axis else slice(1, -1) for k in range(3))
        back = tuple(slice(1, None) if k == axis else slice(1, -1) for k in range(3))
        crossed = np.argwhere(inside[front] != inside[back])
        out = inside[front][tuple(crossed.T)]
        base = crossed + [0 if k == axis else 1 for k in range(3)]
        offsets = []
        for db, dc in ((0, 0), (-1, 0), (-1, -1), (0, -1)):
            cell = base.copy()
            cell[:, b] += db
            cell[:, c] += dc
            offsets.append(number[tuple(cell.T)])
        quad = np.stack(offsets, 1)
        quad[~out] = quad[~out][:, ::-1]
        faces += [quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]]
    return vertices, np.concatenate(faces)


def normals(vertices: Floats, faces: Ints) -> Floats:
    """Of each vertex, the mean of its triangles', weighted by their area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    each = np.cross(b - a, c - a)
    found = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(found, faces[:, k], each)
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12))
