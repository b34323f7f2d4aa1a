"""How plates come to rest on each other: the lowest plane on which the middle of one can lie over all that is under it.

A rigid plate under its own weight alone. Every top is a plane over a convex outline, so it is enough to look at the
corners of where two outlines overlap.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.rigs.traced.bodies import Body, Floats, rectangle

MAT_MM = 400.0
BARE_TABLE_MM = -1.5
"""The table beside the mat; the mat's print is at 0."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Where a body lies in space."""

    rotation: Floats
    """3 x 3: its columns are u, v and w on the table."""
    origin: Floats
    """Of the body's frame, on its lower face."""

    def points(self, uvw: Floats) -> Floats:
        """Points of the body's frame, n x 3, on the table."""
        return uvw @ self.rotation.T + self.origin


@dataclass(frozen=True, slots=True)
class _Top:
    outline: Floats
    plane: Floats
    """a, b, c of z = a + b x + c y."""

    def heights(self, points: Floats) -> Floats:
        return np.asarray(self.plane[0] + points @ self.plane[1:], dtype=np.float64)


def rest(bodies: Sequence[Body], mat: bool = True) -> list[Rest]:
    """Where these bodies come to rest, laid down one after the other."""
    tops: list[_Top] = []
    if mat:
        tops.append(_Top(rectangle(MAT_MM, MAT_MM, 0.0), np.zeros(3)))
    found = []
    for body in bodies:
        outline = body.on_table(body.outline)
        supports = [np.column_stack([outline, np.full(len(outline), BARE_TABLE_MM)])]
        for top in tops:
            common = _common(outline, top.outline)
            if len(common):
                supports.append(np.column_stack([common, top.heights(common)]))
        points = np.concatenate(supports)
        if body.mesh is None:
            plane = resting_plane(points, _centroid(outline, outline.mean(0)))
        elif body.label["kind"] in ("cutter", "pencil"):
            plane = _stick_plane(points, body)
        else:
            plane = np.array([points[:, 2].max(), 0.0, 0.0])
        lying = _rest(body, plane)
        found.append(lying)
        up = lying.rotation[:, 2]
        higher = plane + np.array([body.thickness / up[2], 0.0, 0.0])
        tops.append(_Top(outline, higher))
    return found


def resting_plane(points: Floats, centre: Floats) -> Floats:
    """The plane over all points (x, y, z), n x 3, that is lowest at the centre: a, b, c of z = a + b x + c y.

    By the simplex method on the points that carry: three at a time, the one that sticks out most joins them.
    """
    far = 1e4
    carrying = np.array([[centre[0] + far * x, centre[1] + far * y, -1e6] for x, y in ((0, 1), (-1, -1), (1, -1))])
    plane = _plane(carrying)
    for _ in range(200):
        sticking = points[:, 2] - (plane[0] + points[:, :2] @ plane[1:])
        worst = int(np.argmax(sticking))
        if sticking[worst] < 1e-6:
            break
        best, height = None, -np.inf
        for left_out in range(3):
            trial = np.concatenate([np.delete(carrying, left_out, 0), points[worst : worst + 1]])
            if _holds(trial, centre):
                tried = _plane(trial)
                at = float(tried[0] + centre @ tried[1:])
                if at > height:
                    best, height = (trial, tried), at
        if best is None:
            break
        carrying, plane = best
    return plane


def _stick_plane(points: Floats, body: Body) -> Floats:
    """That of a stick, which is round: it tilts along itself and does not roll."""
    along, across = body.direction.T
    here = np.array([body.x_mm, body.y_mm])
    reach = (points[:, :2] - here) @ along
    on_axis = here + reach[:, None] * along
    wide = [np.column_stack([on_axis + side * across, points[:, 2]]) for side in (-60.0, 60.0)]
    return resting_plane(np.concatenate(wide), here)


def _plane(three: Floats) -> Floats:
    return np.asarray(np.linalg.solve(np.column_stack([np.ones(3), three[:, :2]]), three[:, 2]), dtype=np.float64)


def _holds(three: Floats, centre: Floats) -> bool:
    """Whether the centre lies in the triangle, its corners in plan not on a line."""
    system = np.vstack([np.ones(3), three[:, :2].T])
    if abs(np.linalg.det(system)) < 1e-6:
        return False
    return bool(np.linalg.solve(system, np.array([1.0, *centre])).min() > -1e-9)


def _centroid(outline: Floats, fallback: Floats) -> Floats:
    x, y = (outline - fallback).T
    cross = x * np.roll(y, -1) - np.roll(x, -1) * y
    area = cross.sum() / 2
    middle = np.array([((x + np.roll(x, -1)) * cross).sum(), ((y + np.roll(y, -1)) * cross).sum()]) / (6 * area)
    return np.asarray(middle + fallback, dtype=np.float64)


def _common(one: Floats, other: Floats) -> Floats:
    """The corners of what two convex outlines, both counter-clockwise, have in common (Sutherland and Hodgman)."""
    found = one
    if np.any(one.max(0) < other.min(0)) or np.any(other.max(0) < one.min(0)):
        return np.zeros((0, 2))
    for start, end in zip(other, np.roll(other, -1, 0), strict=True):
        along = end - start
        inside = along[0] * (found[:, 1] - start[1]) - along[1] * (found[:, 0] - start[0])
        kept: list[Floats] = []
        for here, side, there, other_side in zip(
            found, inside, np.roll(found, -1, 0), np.roll(inside, -1), strict=True
        ):
            if side >= 0:
                kept.append(here)
            if (side >= 0) != (other_side >= 0):
                kept.append(here + (there - here) * (side / (side - other_side)))
        if len(kept) < 3:
            return np.zeros((0, 2))
        found = np.array(kept)
    return found


def _rest(body: Body, plane: Floats) -> Rest:
    up = np.array([-plane[1], -plane[2], 1.0])
    up /= np.linalg.norm(up)
    turn = body.direction
    along = np.array([*turn[:, 1], 0.0])
    along -= up * (along @ up)
    along /= np.linalg.norm(along)
    origin = np.array([body.x_mm, body.y_mm, plane[0] + body.x_mm * plane[1] + body.y_mm * plane[2]])
    return Rest(np.column_stack([np.cross(along, up), along, up]), origin)
