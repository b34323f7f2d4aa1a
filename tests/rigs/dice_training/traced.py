"""Path-traced pictures of dice, kept in a file for training: light goes through and off them as it does in a room.

Run, in an environment with the extra `traced` and what train.py needs:

    python -m tests.rigs.dice_training.traced /tmp/traced.pictures --pictures 300

Mitsuba 3 (https://mitsuba-renderer.org) traces the light. Its variant `llvm_ad_rgb` needs LLVM's library
(`DRJIT_LIBLLVM_PATH` says which): 22 does, 14 and 15 fail on processors with AVX-512. `--variant scalar_rgb` does
without, six times as slow. A picture of 384 x 384 pixels with some twenty dice takes about 4 s of one core. It shares
nothing with the simulated table's dice (hardware/simulated/dice.py), which stay a test, but where pips are.

No weights that are kept learned from them yet: docs/what-did-not-pay.md says what a run of 1450 s brought. It was:

    $train --more /tmp/traced.pictures --without photographs --start tests/benchmarks/dice_without/nellbyler \\
        --only reader --reader-s 1450 --rate 8e-4 --out /tmp/traced

with `$train` as in train.py, but 4930 drawn pictures (seeds from 17 000 000) and 40 simulated tables.
"""

import argparse
import pickle
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import drjit as dr
import mitsuba as mi
import numpy as np
from numpy.typing import NDArray

from tests.rigs.dice_training.sources import Example, as_example
from tests.rigs.dice_training.traced_solids import Solid, linear_rgb, solid_die, solid_form
from tests.vision.drawn_cloths import draw_cloth
from tests.vision.drawn_clutter import draw_thing
from tests.vision.drawn_dice import (
    Camera,
    Die,
    DrawnDie,
    background,
    die_style,
    dim_style,
    plain_table,
    shiny_style,
    sold_style,
)
from vision.dice.patches import Pyramid
from vision.dice.pips import SIDE_PX, pip_fits
from vision.dice.pips import SIZE as PATCH_PX
from vision.frame import Image

Array = NDArray[np.float64]
Rng = np.random.Generator

SIZE = 384
SAMPLES = 16
TABLE_PX = 640
LAMPS = 3
"""Every picture has so many, dark ones too: the tracer compiles each make of scene anew."""
DEPTH = 6
STYLES = ((sold_style, 0.6), (dim_style, 0.2), (die_style, 0.1), (shiny_style, 0.1))
LEANING_SHARE = 0.12
"""So many dice lean against something; they are not learned from."""
LEAST_FIT = 0.12
"""Pips that explain less of what a top shows cannot be told, by anybody."""
HIDDEN = 0.1
"""A top of which more is hidden cannot be read."""


@dataclass(frozen=True)
class Placed:
    """A die in a picture."""

    die: Die
    axes: Array
    """3 x 3: where its own axes point (rows)."""
    middle: Array
    """3."""

    @property
    def leans(self) -> bool:
        """Whether it does not stand level."""
        return bool(self.axes[2, 2] < 0.9999)

    def corners(self) -> Array:
        """8 x 3: of the sharp cube, the foot's first; each four go round."""
        around = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        own = np.vstack([np.column_stack([around, np.full(4, z)]) for z in (-1, 1)]) / 2 * self.die.side
        return np.asarray(own @ self.axes + self.middle)


def draw_traced(seed: int, samples: int = SAMPLES) -> Example:
    """A picture; needs a variant of Mitsuba that is set."""
    rng = np.random.default_rng(seed)
    camera = _camera(rng)
    placed = _lay_out(rng, SIZE / (camera.focal_px / camera.distance))
    solids = [_moved(_solid(rng, one.die), one) for one in placed]
    scene = _scene(rng, camera, solids)
    with dr.suspend_grad():
        shown = np.array(mi.render(scene, spp=samples, seed=seed % 2**31))[..., :3]
    truth = [_truth(scene, camera, one) for one in placed]
    truth = [die for die in truth if die.box[0] > -2 and die.box[1] > -2 and max(die.box[2:]) < SIZE + 2]
    example = as_example(_photographed(rng, _exposed(rng, shown)), truth, f"traced-{seed}")
    pyramid = Pyramid(example.image)
    values = np.array([_readable(pyramid, top, int(v)) for top, v in zip(example.tops, example.values, strict=True)])
    tops = example.tops.copy()
    tops[values < 0] = np.nan
    return replace(example, source="traced", values=values.astype(np.int64), tops=tops)


def _readable(pyramid: Pyramid, top: Array, value: int) -> int:
    """The value, or -1 where nobody could say it: its pips do not show in this light."""
    if value < 1:
        return value
    sides = np.column_stack([top[1] - top[0] + top[2] - top[3], top[3] - top[0] + top[2] - top[1]]) / 2
    fits = pip_fits(pyramid.cut(top.mean(0), sides / SIDE_PX, PATCH_PX))[0]
    return value if fits[value - 1] > LEAST_FIT else -1


def _camera(rng: Rng) -> Camera:
    kind = rng.random()
    tilt = rng.uniform(0, 14) if kind < 0.45 else rng.uniform(10, 30) if kind < 0.9 else rng.uniform(30, 45)
    side = float(np.exp(rng.uniform(np.log(18), np.log(42))))
    distance = float(np.exp(rng.uniform(np.log(10), np.log(45))))
    roll = rng.uniform(0, 360) if tilt < 30 else rng.uniform(-25, 25)
    return Camera(tilt, distance, side * distance, roll, (SIZE / 2 - 0.5, SIZE / 2 - 0.5))


def _lay_out(rng: Rng, room: float) -> list[Placed]:
    """Dice that do not stand in each other, in heaps or far apart."""
    most = int(rng.integers(14, 40))
    alike = [_style(rng) for _ in range(int(rng.integers(1, 5)))] if rng.random() < 0.35 else []
    spread = min(room * 0.5, rng.uniform(5.0, 12.0))
    placed: list[Placed] = []
    for _ in range(4 * most):
        side = float(np.exp(rng.normal(0, 0.1)))
        if placed and rng.random() < 0.45:
            near = placed[int(rng.integers(len(placed)))].die
            turn, way = near.turn + rng.choice([0.0, rng.uniform(0, 90)]), rng.uniform(0, 2 * np.pi)
            apart = (side + near.side) / 2 * rng.uniform(1.0, 1.45)
            if turn == near.turn:
                way, apart = np.radians(turn) + rng.integers(4) * np.pi / 2, (side + near.side) / 2 * 1.002
            x, y = near.x + apart * np.cos(way), near.y + apart * np.sin(way)
        else:
            (x, y), turn = rng.uniform(-spread, spread, 2), rng.uniform(0, 90)
        style = alike[int(rng.integers(len(alike)))] if alike else _style(rng)
        die = Die(float(x), float(y), side, float(turn), int(rng.integers(1, 7)), style)
        one = _placed(rng, die, leans=len(placed) > 2 and rng.random() < LEANING_SHARE)
        if all(not _overlap(one, other) for other in placed):
            placed.append(one)
        if len(placed) >= most:
            break
    return placed


def _style(rng: Rng) -> dict[str, Any]:
    pick = int(rng.choice(len(STYLES), p=[share for _, share in STYLES]))
    style = {"odd": {}, "marble": None, "swirl": rng.uniform(1.5, 7.0)} | STYLES[pick][0](rng)
    grain = rng.uniform(0.05, 0.5) if rng.random() < 0.25 else 0.0
    return style | {"sharp": float(np.exp(rng.uniform(0, 2.2))), "grain": grain, "form": solid_form(rng)}


def _placed(rng: Rng, die: Die, *, leans: bool) -> Placed:
    turn = np.radians(die.turn)
    axes = np.array([[np.cos(turn), np.sin(turn), 0], [-np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    if leans:
        way, tilt = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(8, 45))
        axes = axes @ cv2.Rodrigues(tilt * np.array([np.cos(way), np.sin(way), 0.0]))[0].T
    one = Placed(die, axes, np.array([die.x, die.y, 0.0]))
    return replace(one, middle=one.middle - [0, 0, one.corners()[:, 2].min()])


def _overlap(first: Placed, second: Placed) -> bool:
    one, other = (cv2.convexHull(placed.corners()[:, :2].astype(np.float32)) for placed in (first, second))
    return bool(cv2.intersectConvexConvex(one, other)[0] > 0.01)


def _solid(rng: Rng, die: Die) -> Solid:
    one, other = rng.permutation([v for v in range(1, 7) if v not in (die.value, 7 - die.value)])[:2]
    values = (int(one), 7 - int(one), int(other), 7 - int(other), die.value, 7 - die.value)
    return solid_die(rng, die.style, die.style["form"], values)


def _moved(solid: Solid, one: Placed) -> Solid:
    points = solid.points * one.die.side @ one.axes + one.middle
    return replace(solid, points=points, normals=solid.normals @ one.axes)


def _truth(scene: Any, camera: Camera, one: Placed) -> DrawnDie:
    corners = one.corners()
    seen = camera.project(corners)
    box = tuple(float(v) for v in (*seen.min(0), *seen.max(0)))
    die = one.die
    steps = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]]) * die.side + [die.x, die.y, die.side]
    at = camera.project(steps)
    value = die.value if die.style["what"] == "dots" else 0
    value = -1 if one.leans else 0 if value and _hidden(scene, camera, corners[4:]) > HIDDEN else value
    to_px = np.column_stack([at[1] - at[0], at[2] - at[0]])
    return DrawnDie(value, (box[0], box[1], box[2], box[3]), seen[4:], seen[:4], die.turn % 90, to_px)


def _hidden(scene: Any, camera: Camera, top: Array) -> float:
    """How much of a top (4 x 3) something is in front of."""
    steps = np.linspace(-0.4, 0.4, 6)
    u, v = (part.ravel()[:, None] for part in np.meshgrid(steps, steps))
    points = top.mean(0) + u * (top[1] - top[0]) + v * (top[3] - top[0]) + [0, 0, 0.02]
    ways = camera.place - points
    far = np.linalg.norm(ways, axis=1)
    ways /= far[:, None]
    if mi.variant().startswith("scalar"):
        rays = [mi.Ray3f(list(p), list(w), 0.7 * f, 0.0, []) for p, w, f in zip(points, ways, far, strict=True)]
        return float(np.mean([scene.ray_test(ray) for ray in rays]))
    ray = mi.Ray3f(mi.Point3f(points.T), mi.Vector3f(ways.T))
    ray.maxt = mi.Float(0.7 * far)
    return float(np.mean(np.array(scene.ray_test(ray))))


def _scene(rng: Rng, camera: Camera, solids: list[Solid]) -> Any:
    plain = rng.random() < 0.45
    ring = rng.random() < 0.55
    room = _room(rng, 0.25 if ring else 1.0)
    dice = _mesh(
        "dice",
        _joined(solids),
        {
            "type": "principled",
            "base_color": {"type": "mesh_attribute", "name": "vertex_color"},
            "roughness": {"type": "mesh_attribute", "name": "vertex_rough"},
            "metallic": {"type": "mesh_attribute", "name": "vertex_metal"},
            "spec_trans": {"type": "mesh_attribute", "name": "vertex_clear"},
            "eta": 1.5,
        },
    )
    parts = {"type": "scene", "integrator": {"type": "path", "max_depth": DEPTH, "rr_depth": 3}, "dice": dice}
    parts |= {"table": _table(rng, camera, plain=plain), "room": room, "sensor": _sensor(camera)}
    dark = rng.random() < 0.1 and not ring
    for number in range(LAMPS):
        strength = 0.0 if dark or (number > 0 and rng.random() < 0.5) else float(np.exp(rng.uniform(0, 2.5)))
        parts[f"lamp{number}"] = _lamp(rng, camera, strength, ring=ring and number == 0)
    return mi.load_dict(parts)


def _joined(solids: list[Solid]) -> Solid:
    starts = np.cumsum([0, *(len(one.points) for one in solids[:-1])])
    return Solid(
        np.concatenate([one.points for one in solids]),
        np.concatenate([one.normals for one in solids]),
        np.concatenate([one.triangles + start for one, start in zip(solids, starts, strict=True)]),
        np.concatenate([one.colours for one in solids]),
        np.concatenate([one.stuff for one in solids]),
    )


def _mesh(name: str, solid: Solid, bsdf: dict[str, Any]) -> Any:
    props = mi.Properties()
    props["mesh_bsdf"] = mi.load_dict(bsdf)
    mesh = mi.Mesh(name, len(solid.points), len(solid.triangles), props, has_vertex_normals=True)
    for attribute, columns in (("vertex_color", 3), ("vertex_rough", 1), ("vertex_metal", 1), ("vertex_clear", 1)):
        mesh.add_attribute(attribute, columns, np.zeros(columns * len(solid.points), np.float32))
    params = mi.traverse(mesh)
    kept = {
        "vertex_positions": solid.points, "vertex_normals": solid.normals, "vertex_color": solid.colours,
        "vertex_rough": solid.stuff[:, 0], "vertex_metal": solid.stuff[:, 1], "vertex_clear": solid.stuff[:, 2],
    }  # fmt: skip
    for key, numbers in kept.items():
        params[key] = np.ascontiguousarray(numbers, np.float32).ravel()
    params["faces"] = np.ascontiguousarray(solid.triangles, np.uint32).ravel()
    params.update()
    return mesh


def _sensor(camera: Camera) -> dict[str, Any]:
    tilt, roll = np.radians(camera.tilt_deg), np.radians(camera.roll_deg)
    right, up = np.array([1.0, 0, 0]), np.array([0.0, np.cos(tilt), np.sin(tilt)])
    ahead = np.array([0.0, np.sin(tilt), -np.cos(tilt)])
    turned = np.cos(roll) * up - np.sin(roll) * right
    place = camera.place
    return {
        "type": "perspective",
        "fov": float(np.degrees(2 * np.arctan(SIZE / 2 / camera.focal_px))),
        "fov_axis": "x",
        "near_clip": 0.1,
        "far_clip": 1e4,
        "to_world": mi.ScalarTransform4f().look_at(list(place), list(place + ahead), list(turned)),
        "sampler": {"type": "independent"},
        "film": {
            "type": "hdrfilm", "width": SIZE, "height": SIZE, "rfilter": {"type": "tent"}, "pixel_format": "rgb",
        },
    }  # fmt: skip


def _bitmap(linear: Array) -> Any:
    return mi.Bitmap(np.ascontiguousarray(linear, np.float32))


def _table(rng: Rng, camera: Camera, *, plain: bool) -> Any:
    """A level square, prints and all, and now and then the walls of a tray around it."""
    reach = SIZE / (camera.focal_px / camera.distance) * rng.uniform(0.9, 1.3) / np.cos(np.radians(camera.tilt_deg))
    side = TABLE_PX / (2 * reach)
    kind = rng.random()
    if plain:
        sheet = plain_table(rng, TABLE_PX)
    elif kind < 0.35:
        cloth = draw_cloth(rng)
        sheet = np.tile(cloth, (8, 8, 1))[:TABLE_PX, :TABLE_PX].astype(np.float64)
    elif kind < 0.55:
        sheet = _wood(rng)
    else:
        sheet = background(rng, TABLE_PX)
    if rng.random() < 0.35:
        drawn = np.ascontiguousarray(np.clip(sheet, 0, 255), np.uint8)
        for _ in range(int(rng.integers(2, 12))):
            draw_thing(rng, drawn, rng.uniform(0, TABLE_PX, 2), side * float(np.exp(rng.normal(0, 0.25))))
        sheet = drawn.astype(np.float64)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * reach
    points, uv, faces = (
        [*np.column_stack([corners, np.zeros(4)])],
        [[0.0, 0.0], [1, 0], [1, 1], [0, 1]],
        [[0, 1, 2], [0, 2, 3]],
    )
    if rng.random() < 0.25:
        walls, high = corners * rng.uniform(0.45, 0.9), rng.uniform(0.7, 4.0)
        for k in range(4):
            start, (a, b) = len(points), (walls[k], walls[(k + 1) % 4])
            points += [[*a, 0], [*b, 0], [*b, high], [*a, high]]
            uv += [[0, 0], [1, 0], [1, 0.1], [0, 0.1]]
            faces += [[start, start + 1, start + 2], [start, start + 2, start + 3]]
    bsdf = {
        "type": "twosided",
        "inner": {
            "type": "principled",
            "base_color": {"type": "bitmap", "bitmap": _bitmap(linear_rgb(sheet)), "raw": True, "wrap_mode": "mirror"},
            "roughness": float(rng.uniform(0.25, 1.0)),
            "specular": float(rng.uniform(0.0, 0.5)),
        },
    }
    return _sheet("table", np.array(points), np.array(faces), bsdf, np.array(uv, np.float64))


def _wood(rng: Rng) -> Array:
    """Boards with grain."""
    tone = np.array([60, 100, 150]) * np.exp(rng.normal(0, 0.35)) * np.exp(rng.normal(0, 0.12, 3))
    fine = rng.random((TABLE_PX // 2, 5))
    grain = cv2.GaussianBlur(cv2.resize(fine, (TABLE_PX, TABLE_PX), interpolation=cv2.INTER_CUBIC), (0, 0), 1.0)
    boards = np.repeat(np.exp(rng.normal(0, 0.12, 8)), TABLE_PX // 8)[:, None]
    return np.asarray(tone * (1 + rng.uniform(0.1, 0.6) * (grain - 0.5))[..., None] * boards[..., None])


def _sheet(
    name: str,
    points: Array,
    faces: NDArray[np.int64],
    bsdf: dict[str, Any] | None,
    uv: Array,
    glow: Array | None = None,
) -> Any:
    props = mi.Properties()
    if bsdf is not None:
        props["mesh_bsdf"] = mi.load_dict(bsdf)
    if glow is not None:
        props["mesh_emitter"] = mi.load_dict(
            {"type": "area", "radiance": {"type": "rgb", "value": list(map(float, glow))}}
        )
    mesh = mi.Mesh(name, len(points), len(faces), props, has_vertex_normals=False, has_vertex_texcoords=True)
    params = mi.traverse(mesh)
    params["vertex_positions"] = np.ascontiguousarray(points, np.float32).ravel()
    params["vertex_texcoords"] = np.ascontiguousarray(uv, np.float32).ravel()
    params["faces"] = np.ascontiguousarray(faces, np.uint32).ravel()
    params.update()
    return mesh


def _lamp(rng: Rng, camera: Camera, strength: float, *, ring: bool) -> Any:
    """A ring around the camera, or a lamp, tube or window that the picture does not show."""
    tint = np.exp(rng.normal(0, 0.1, 3) * [1, 0.5, 1.5])
    if ring:
        far = camera.distance * rng.uniform(0.75, 1.02)
        away = camera.place / camera.distance
        middle = away * far + np.append(rng.normal(0, 0.03, 2), 0) * far
        inner = far * np.exp(rng.uniform(np.log(0.14), np.log(0.5)))
        inner = max(inner, 1.3 * (SIZE / 2 / camera.focal_px) * 1.42 * max(camera.distance - far, 0.0))
        points, faces = _annulus(inner, inner * rng.uniform(1.1, 1.6))
        middle, facing = middle, -away
    else:
        for _ in range(30):
            away, way = np.radians(rng.uniform(0, 72)), rng.uniform(0, 2 * np.pi)
            far = camera.distance * np.exp(rng.uniform(np.log(0.6), np.log(3.0)))
            middle = far * np.array([np.sin(away) * np.cos(way), np.sin(away) * np.sin(way), np.cos(away)])
            wide = far * np.exp(rng.uniform(np.log(0.03), np.log(0.45)))
            if not _in_the_way(camera, middle, wide):
                break
        else:
            strength = 0.0
        facing = -middle / far
        kind = rng.random()
        if kind < 0.35:
            points, faces = _annulus(wide * 1e-3, wide)
        elif kind < 0.5:
            points, faces = _annulus(wide * rng.uniform(0.5, 0.85), wide)
        elif kind < 0.7:
            points, faces = _panes(wide, wide * rng.uniform(0.05, 0.2), 1, 1)
        else:
            points, faces = _panes(wide, wide * rng.uniform(0.5, 1.0), *(int(n) for n in rng.integers(1, 4, 2)))
    turn = rng.uniform(0, 2 * np.pi)
    side = np.cross(facing, [np.cos(turn), np.sin(turn), 0.3])
    side /= np.linalg.norm(side)
    frame = np.stack([side, np.cross(facing, side)])
    size = float(np.ptp(points, axis=0).max()) / 2
    glow = strength * tint * (far / size) ** 1.3
    placed = points @ frame + middle
    one = np.cross(placed[faces[0][1]] - placed[faces[0][0]], placed[faces[0][2]] - placed[faces[0][0]])
    faces = faces if one @ facing > 0 else faces[:, ::-1]
    return _sheet("lamp", placed, faces, None, np.zeros((len(points), 2)), glow)


def _in_the_way(camera: Camera, middle: Array, wide: float) -> bool:
    """Whether a lamp lies between the camera and what it sees."""
    ways = middle + wide * np.array([[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
    tilt = np.radians(camera.tilt_deg)
    depth = camera.distance + ways[:, 1] * np.sin(tilt) - ways[:, 2] * np.cos(tilt)
    off = np.hypot(ways[:, 0], ways[:, 1] * np.cos(tilt) + ways[:, 2] * np.sin(tilt))
    return bool(((depth > -0.5) & (off < np.maximum(depth, 0) * SIZE * 0.75 / camera.focal_px + wide)).any())


def _annulus(inner: float, outer: float) -> tuple[Array, NDArray[np.int64]]:
    angles = np.linspace(0, 2 * np.pi, 49)[:-1]
    round_ = np.column_stack([np.cos(angles), np.sin(angles)])
    k = np.arange(48)
    after = (k + 1) % 48
    faces = np.concatenate([np.stack([k, after, after + 48], 1), np.stack([k, after + 48, k + 48], 1)])
    return np.vstack([round_ * inner, round_ * outer]), faces


def _panes(wide: float, high: float, columns: int, rows: int) -> tuple[Array, NDArray[np.int64]]:
    points: list[Array] = []
    for i, j in np.ndindex(columns, rows):
        spots = np.array([[i + 0.05, j + 0.05], [i + 0.95, j + 0.05], [i + 0.95, j + 0.95], [i + 0.05, j + 0.95]])
        points += list((spots / [columns, rows] * 2 - 1) * [wide, high])
    starts = np.arange(columns * rows)[:, None] * 4
    return np.array(points), np.concatenate([starts + np.array([0, 1, 2]), starts + np.array([0, 2, 3])])


def _room(rng: Rng, share: float) -> dict[str, Any]:
    """What is far around, mirrored too: ceiling, walls, furniture, bright windows."""
    wide, high = 128, 64
    level = float(np.exp(rng.uniform(np.log(0.04), np.log(1.0)))) * share
    walls = np.exp(rng.normal(0, 0.12, 3))
    room = np.empty((high, wide, 3))
    room[:] = walls * level * np.linspace(rng.uniform(0.5, 2.0), rng.uniform(0.3, 1.0), high)[:, None, None]
    for _ in range(int(rng.integers(3, 16))):
        left, top = int(rng.integers(0, wide)), int(rng.integers(0, high * 2 // 3))
        size = rng.integers(2, 28, 2)
        shade = np.exp(rng.normal(0, 0.7)) * np.exp(rng.normal(0, 0.2, 3)) * level
        room[top : top + size[0], left : left + size[1]] = shade
    for _ in range(int(rng.integers(0, 3))):
        left, top = int(rng.integers(0, wide)), int(rng.integers(0, high // 2))
        size = rng.integers(2, 14, 2)
        room[top : top + size[0], left : left + size[1]] = level * np.exp(rng.uniform(1, 3.5))
    blurred = np.asarray(cv2.GaussianBlur(room, (0, 0), float(rng.uniform(0.4, 1.5))), np.float64)
    return {
        "type": "envmap",
        "bitmap": _bitmap(blurred),
        "to_world": mi.ScalarTransform4f().rotate([1, 0, 0], 90),
    }


def _exposed(rng: Rng, linear: Array) -> Array:
    """What a camera's exposure and curve make of light (BGR, 0 to 255)."""
    luma = linear @ np.array([0.2126, 0.7152, 0.0722])
    light = (
        linear
        * float(np.exp(rng.normal(np.log(0.2), 0.45)))
        / max(float(np.minimum(luma, 4 * np.median(luma)).mean()), 1e-6)
    )
    if rng.random() < 0.5:
        white = rng.uniform(1.5, 6.0)
        light = light * (1 + light / white**2) / (1 + light)
        light *= 1.6
    light = np.clip(light, 0, 1)
    curve = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.ascontiguousarray(curve[..., ::-1] * 255.0)


def _photographed(rng: Rng, picture: Array) -> Image:
    """What its lens, sensor and file make of that."""
    picture = picture * np.exp(rng.normal(0, 0.06, 3))
    if rng.random() < 0.6:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 1.1)), np.float64)
    picture = picture + rng.normal(0, rng.uniform(0.3, 4), picture.shape)
    if rng.random() < 0.35:
        picture = picture + (picture - cv2.GaussianBlur(picture, (0, 0), 1.2)) * rng.uniform(0.2, 1.2)
    seen = np.clip(picture, 0, 255).astype(np.uint8)
    packed = cv2.imencode(".jpg", seen, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(45, 97))])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def use_variant(name: str) -> None:
    """Set what traces, on one core."""
    mi.set_variant(name)
    if not name.startswith("scalar"):
        dr.set_thread_count(1)
    cv2.setNumThreads(1)


def main() -> None:
    """Write them; what is there already is kept and added to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pictures", type=int, default=300)
    parser.add_argument("--first-seed", type=int, default=20_000_000)
    parser.add_argument("--samples", type=int, default=SAMPLES, help="of a pixel")
    parser.add_argument("--variant", default="llvm_ad_rgb")
    options = parser.parse_args()
    use_variant(options.variant)
    start, examples = time.monotonic(), []
    for seed in range(options.first_seed, options.first_seed + options.pictures):
        examples.append(draw_traced(seed, options.samples))
        if len(examples) % 10 == 0:
            dice = sum(int((example.values > 0).sum()) for example in examples)
            print(f"{len(examples)} pictures, {dice} dice, {time.monotonic() - start:.0f} s", flush=True)
            options.out.write_bytes(pickle.dumps(examples))
    options.out.write_bytes(pickle.dumps(examples))


if __name__ == "__main__":
    main()
