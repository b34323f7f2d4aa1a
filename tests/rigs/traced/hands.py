"""A hand and its forearm over the table: bones as capsules, melted into one skin, and a sleeve.

Lengths of fingers, palm and forearm are those of an adult's hand of about 185 mm, made larger or smaller. The hand's
own frame has x ahead, y to the left and z up from the table.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tests.rigs.traced.bodies import Body, Floats, Layout, Mesh
from tests.rigs.traced.meshes import from_field
from tests.rigs.traced.resting import Rest
from tests.rigs.traced.solids import linear

_TONES = ((0.95, 0.79, 0.69), (0.88, 0.68, 0.55), (0.76, 0.55, 0.41), (0.55, 0.37, 0.26), (0.36, 0.23, 0.17))
_FINGERS: Mapping[str, tuple[Sequence[float], float, Sequence[float], float]] = {
    "index": ((0, 27, 34), 7, (45, 26, 22), 8.6),
    "middle": ((6, 6, 36), 0, (50, 30, 22), 8.8),
    "ring": ((1, -14, 34), -7, (46, 28, 22), 8.3),
    "little": ((-10, -32, 30), -15, (36, 21, 19), 7.2),
}
"""Knuckle, how far it spreads in degrees, its three bones, and how thick it is."""
_POSES: Mapping[str, Mapping[str, tuple[float, float, float]]] = {
    "flat": dict.fromkeys(_FINGERS, (14, 12, 8)),
    "pointing": {"index": (22, 10, 5), "middle": (55, 85, 50), "ring": (60, 90, 50), "little": (60, 85, 45)},
    "grasping": {"index": (28, 38, 22), "middle": (30, 40, 24), "ring": (34, 44, 26), "little": (38, 46, 26)},
}
"""How far each joint is bent down, in degrees."""
_Bone = tuple[Floats, Floats, float, float]
"""From, to, and the radius at each end."""


@dataclass(frozen=True, slots=True)
class Reach:
    """A hand where it is held."""

    meshes: tuple[Mesh, Mesh]
    """Skin and sleeve, in table mm."""
    finger_mm: tuple[float, float, float]
    """Where its longest finger ends, and the direction in which the arm points, in degrees."""


def reach_over(layout: Layout, rests: Sequence[Rest], rng: np.random.Generator) -> Reach:
    """A hand that reaches from one side of the table over something that lies there, and through nothing."""
    side = float(rng.choice([270, 270, 180, 90, 0])) + rng.uniform(-30, 30)
    aim = layout.bodies[int(rng.integers(len(layout.bodies)))]
    x, y = aim.x_mm + rng.normal(0, 20), aim.y_mm + rng.normal(0, 20)
    out = np.array([math.cos(math.radians(side)), math.sin(math.radians(side))])
    x, y = np.array([x, y]) * 0.8 + out * rng.uniform(0, 60)
    turn = side + 180 + rng.uniform(-20, 20)
    skin, sleeve, tip = a_hand(rng)
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))

    def placed(mesh: Mesh, rise: float) -> Mesh:
        flat = (mesh.vertices[:, :2] - tip) @ np.array([[c, s], [-s, c]]) + (x, y)
        return Mesh(np.column_stack([flat, mesh.vertices[:, 2] + rise]), mesh.faces, mesh.colours)

    low = placed(skin, 0.0)
    rise = max(
        [
            -low.vertices[:, 2].min(),
            *(_lift(low, body, lying) for body, lying in zip(layout.bodies, rests, strict=True)),
        ]
    )
    rise += rng.uniform(1, 22)
    return Reach((placed(skin, rise), placed(sleeve, rise)), (float(x), float(y), turn))


def _lift(skin: Mesh, body: Body, lying: Rest) -> float:
    """How much a hand has to be lifted to be over a body."""
    top = float(lying.points(np.column_stack([body.outline, np.full(len(body.outline), body.thickness)]))[:, 2].max())
    outline = body.on_table(body.outline)
    along = np.roll(outline, -1, 0) - outline
    off = skin.vertices[:, None, :2] - outline
    over = (along[:, 0] * off[..., 1] - along[:, 1] * off[..., 0] > -2.0 * np.hypot(*along.T)).all(1)
    return top - float(skin.vertices[over, 2].min()) if over.any() else -1000.0


def a_hand(rng: np.random.Generator) -> tuple[Mesh, Mesh, Floats]:
    """Skin and sleeve in the hand's frame, and where (x, y) its longest finger ends."""
    pose = str(rng.choice(sorted(_POSES)))
    left = bool(rng.random() < 0.4)
    size = rng.uniform(0.86, 1.08)
    bones, tips = _bones(rng, pose)
    skin = _skin(bones, tips, size, left, rng)
    sleeve = _sleeve(size, rng)
    ahead = max(tips, key=lambda tip: float(tip[0]))
    return skin, sleeve, np.array([ahead[0], -ahead[1] if left else ahead[1]]) * size


def _bones(rng: np.random.Generator, pose: str) -> tuple[list[_Bone], list[Floats]]:
    wrist = np.array([-88.0, 0.0, 38.0])
    bones: list[_Bone] = [
        (np.array([-330.0, 0.0, 75.0]), np.array([-150.0, 0.0, 50.0]), 42.0, 32.0),
        (np.array([-150.0, 0.0, 50.0]), wrist, 32.0, 22.0),
        (wrist + (0, 11, 0), np.array([-95.0, 10.0, 39.0]), 19.0, 20.0),
        (wrist + (0, -11, 0), np.array([-95.0, -10.0, 39.0]), 19.0, 20.0),
    ]
    tips = []
    for name, (knuckle, spread, lengths, thick) in _FINGERS.items():
        start = np.array(knuckle, dtype=np.float64)
        bones.append((wrist + (8.0, start[1] * 0.45, 0.0), start, 15.0, thick + 2.6))
        way, down = math.radians(spread * rng.uniform(0.6, 1.5)), 0.0
        radius = thick
        for length, bend in zip(lengths, _POSES[pose][name], strict=True):
            down += math.radians(bend * rng.uniform(0.8, 1.2))
            step = np.array([math.cos(down) * math.cos(way), math.cos(down) * math.sin(way), -math.sin(down)])
            end = start + step * length
            bones.append((start, end, radius, radius * 0.9))
            start, radius = end, radius * 0.9
        tips.append(start + step * radius)
    root, joint = wrist + (14, 22, -4), np.array([-30.0, 52.0, 22.0])
    middle, end = (np.array([2.0, 58.0, 15.0]), np.array([30.0, 52.0, 10.0]))
    if pose != "flat":
        middle, end = np.array([6.0, 48.0, 10.0]), np.array([34.0, 34.0, 0.0])
    bones += [(root, joint, 17.0, 12.5), (joint, middle, 12.0, 10.0), (middle, end, 10.0, 8.2)]
    return bones, tips


def _skin(bones: Sequence[_Bone], tips: Sequence[Floats], size: float, left: bool, rng: np.random.Generator) -> Mesh:
    def field(points: Floats) -> Floats:
        near = np.array([_capsule(points, *bone) for bone in bones])
        least = near.min(0)
        return np.asarray(least - 3.2 * np.log(np.exp(-(near - least) / 3.2).sum(0)))

    low = np.min([np.minimum(a, b) - max(r, q) for a, b, r, q in bones], axis=0) - 6
    high = np.max([np.maximum(a, b) + max(r, q) for a, b, r, q in bones], axis=0) + 6
    low[0] = -330.0
    vertices, faces = from_field(field, low, high, 2.6)
    tone = np.array(_TONES[int(rng.integers(len(_TONES)))])
    shade = np.ones((len(vertices), 3))
    for at in tips:
        near = np.exp(-((np.linalg.norm(vertices - at, axis=1) / 14) ** 2))[:, None]
        shade += near * np.array([0.03, -0.07, -0.07])
        nail = (np.linalg.norm(vertices - (at + (-6, 0, 4)), axis=1) < 6.5) & (vertices[:, 2] > at[2] + 2)
        shade[nail] = (1.06, 1.04, 1.06)
    for knuckle, *_ in _FINGERS.values():
        near = np.exp(-((np.linalg.norm(vertices - np.array(knuckle), axis=1) / 12) ** 2))[:, None]
        shade += near * np.array([0.0, -0.06, -0.06])
    waves = np.sin(vertices @ np.array([0.05, 0.09, 0.07])) + np.sin(vertices @ np.array([-0.11, 0.04, 0.06]))
    shade *= 1 + 0.025 * waves[:, None]
    return _finished(vertices, faces, np.clip(linear(np.clip(tone * shade, 0, 1)), 0, 1), size, left)


def _sleeve(size: float, rng: np.random.Generator) -> Mesh:
    start, elbow, shoulder = -rng.uniform(130, 230), np.array([-330.0, 0, 78.0]), np.array([-620.0, 0, 300.0])
    cuff = np.array([start, 0.0, 50.0 + (-150 - start) * 0.14])
    folds = rng.uniform(0.04, 0.1)

    def field(points: Floats) -> Floats:
        near = np.minimum(_capsule(points, cuff, elbow, 39.0, 54.0), _capsule(points, elbow, shoulder, 54.0, 66.0))
        crease = 3.0 * np.sin(points[:, 0] * folds + 2 * np.sin(points[:, 1] * 0.05) + points[:, 2] * 0.06)
        return np.asarray(np.maximum(near + crease, points[:, 0] - start))

    vertices, faces = from_field(field, np.array([-700.0, -90, -20]), np.array([start + 12, 90, 390]), 5.5)
    colour = linear(rng.uniform(0.08, 0.85, 3))
    return _finished(vertices, faces, np.tile(colour, (len(vertices), 1)), size, False)


def _finished(vertices: Floats, faces: np.ndarray, colours: Floats, size: float, left: bool) -> Mesh:
    if left:
        return Mesh(vertices * (size, -size, size), faces[:, ::-1], colours)
    return Mesh(vertices * size, faces, colours)


def _capsule(points: Floats, one: Floats, two: Floats, r: float, q: float) -> Floats:
    along = two - one
    share = np.clip((points - one) @ along / max(float(along @ along), 1e-9), 0, 1)
    away = np.linalg.norm(points - one - share[:, None] * along, axis=1)
    return np.asarray(away - r - (q - r) * share)
