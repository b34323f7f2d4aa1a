"""Simulated tables to read: every face once for enrolling, a ring, and a table late in the game."""

from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np

from hardware.simulated.artwork import SLICE_ANGLE_DEG, SLICE_LENGTH_MM
from hardware.simulated.lens import CameraModel
from hardware.simulated.renderer import Renderer
from hardware.simulated.slice_art import SLICE_BACK
from hardware.simulated.special_art import SPECIAL_BACK
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World
from tests.hardware.demo_table import demo_art, demo_slices, demo_specials, ring_poses
from vision.frame import Image
from vision.pieces.faces import TILE_MM, FacePack
from vision.pieces.learning import enrol
from vision.scene import PieceKind, Pose

SIZES = ((1280, 720), (1920, 1080), (2304, 1296))
TABLE_SEED = 10
"""Of the table's grain, in all pictures."""

Size = tuple[int, int]


def new_world(rng: Random) -> World:
    """All pieces, none on the table."""
    world = World(rng)
    for art in demo_slices():
        world.add_piece(art.face, PieceKind.SLICE, art.face, SLICE_BACK)
    for special in demo_specials():
        world.add_piece(special.face, PieceKind.SPECIAL, special.face, SPECIAL_BACK)
    return world


def ring_table(rng: Random, *, moved: bool = False) -> World:
    """Eleven slices in a circle and a Special beside it."""
    world = new_world(rng)
    faces = [art.face for art in demo_slices()]
    rng.shuffle(faces)
    for face, pose in zip(faces[:11], ring_poses(rng), strict=True):
        world.put(face, pose, True)
    world.put("special/buffet", Pose(-150, 40 if not moved else -60, 96), True)
    return world


def crowded_table(rng: Random, *, moved: bool = False) -> World:
    """The circle, fans of collected and of eaten slices in front of every seat, Specials."""
    world = ring_table(rng, moved=moved)
    faces = [face for face, piece in world.pieces.items() if piece.kind is PieceKind.SLICE and piece.pose is None]
    rng.shuffle(faces)
    fans = (
        (-480.0, -212.0, 34.0, 0.0, 270.0, 9, True),
        (40.0, -212.0, 30.0, 0.0, 270.0, 6, False),
        (-480.0, 212.0, 32.0, 0.0, 90.0, 8, True),
        (100.0, 212.0, 28.0, 0.0, 90.0, 6, False),
        (-220.0, -180.0, 0.0, 30.0, 180.0, 6, True),
        (-350.0, -180.0, 0.0, 30.0, 180.0, 6, False),
        (-220.0, 30.0, 0.0, 32.0, 180.0, 5, True),
        (220.0, -180.0, 0.0, 32.0, 0.0, 5, True),
        (350.0, -180.0, 0.0, 30.0, 0.0, 6, False),
    )
    for x, y, step_x, step_y, angle, count, face_up in fans:
        for i in range(count):
            place = Pose(x + i * step_x + rng.gauss(0, 1), y + i * step_y + rng.gauss(0, 1), angle + rng.gauss(0, 1.5))
            world.put(faces.pop(), place, face_up)
    for special, place, face_up in (
        ("special/dibs", Pose(450, 100, 30), True),
        ("special/seconds", Pose(-480, 80, 120), False),
        ("special/tiebreaker", Pose(450, -260, 200), True),
    ):
        world.put(special, place, face_up)
    return world


@cache
def enrolled(size: Size) -> FacePack:
    """Faces learned from pictures of this size."""
    faces = [*(art.face for art in demo_slices()), *(art.face for art in demo_specials())]
    spots = [(x, y) for y in (-190, 0, 190) for x in (-480, -380, -290, -100, 0, 100, 290, 380, 480)]
    worlds = []
    for start in range(0, len(faces), len(spots)):
        world = new_world(Random(start))
        for face, (x, y) in zip(faces[start:], spots, strict=False):
            world.put(face, Pose(x, y if face.startswith("special/") else y - 50, 90), True)
        worlds.append(world)
    backs = new_world(Random(1))
    backs.put(faces[0], Pose(0, -50, 90), False)
    backs.put(faces[-1], Pose(100, 50, 90), False)
    shots = [(render(world, size, 1), labels(world, camera(size))) for world in [*worlds, backs]]
    return enrol(shots, source=["simulated table"] * len(shots))


def camera(size: Size) -> CameraModel:
    """The camera of these tables."""
    return Conditions().camera_model(*size)


def render(world: World, size: Size, seed: int) -> Image:
    """What the camera sees of this table, the same one always; `seed` is the noise's."""
    return np.asarray(_renderer(size, TABLE_SEED).render(replace(world.snapshot(), time_s=float(seed))), np.uint8)


def labels(world: World, model: CameraModel) -> dict[str, Any]:
    """The label file of a picture of this world."""
    pieces = []
    for piece in world.pieces.values():
        if piece.pose is None:
            continue
        outline = np.column_stack([_outline(piece.kind, piece.pose), np.full(13, TILE_MM)])
        pieces.append(
            {
                "kind": "tile" if piece.kind is PieceKind.SLICE else "special",
                "face": piece.front,
                "face_up": piece.face_up,
                "x_mm": piece.pose.x_mm,
                "y_mm": piece.pose.y_mm,
                "angle_deg": piece.pose.angle_deg,
                "outline_px": model.project(outline).tolist(),
            }
        )
    return {"pieces": pieces}


@cache
def _renderer(size: Size, seed: int) -> Renderer:
    return Renderer(demo_art(4.0), camera(size), Conditions(), seed)


def _outline(kind: PieceKind, pose: Pose) -> np.ndarray:
    if kind is PieceKind.SLICE:
        arc = np.radians(np.linspace(-SLICE_ANGLE_DEG / 2, SLICE_ANGLE_DEG / 2, 12))
        own = np.vstack([[0.0, 0.0], SLICE_LENGTH_MM * np.column_stack([np.cos(arc), np.sin(arc)])])
    else:
        side = np.array([[-45, -30], [45, -30], [45, 30], [-45, 30], [-45, -30]], float)
        own = np.vstack([side[:-1] + share * np.diff(side, axis=0) for share in (0.0, 1 / 3, 2 / 3)] + [side[:1]])
    turn = np.radians(pose.angle_deg)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(own @ spin.T + [pose.x_mm, pose.y_mm])
