"""An example: a table set with a pizza, a Special and a few seats' slices."""

import math
from collections.abc import Mapping
from random import Random

from hardware.simulated.art import draw_all
from hardware.simulated.artwork import SLICE_ANGLE_DEG, Artwork
from hardware.simulated.slice_art import SLICE_BACK, SliceArt
from hardware.simulated.special_art import SPECIAL_BACK, SpecialArt
from hardware.simulated.world import Carry, Gesture, World
from vision.scene import PieceKind, Pose

_COMBOS = ((8, 10), (5, 7), (4, 6), (9, 11))
_SPECIALS = (
    "buffet", "combo-craving", "cut-in-line", "day-old-pizza", "dibs", "everyone-else-diet", "mystery-slice",
    "seconds", "sneak-a-slice", "stuffed-crust", "supersize-combos", "tiebreaker", "you-like-anchovies",
    "you-love-veggies",
)  # fmt: skip


def demo_slices() -> tuple[SliceArt, ...]:
    """69 slices with the face ids of the game and made-up toppings: the true ones are the rules' data."""
    numbered = [
        SliceArt(f"{value}/{number}", (value,), (value + number) % 4, int(number % 3 == 0), f"type {value}")
        for value in range(3, 12)
        for number in range(1, value + 1)
    ]
    combos = [SliceArt(f"combo-{a}-{b}", (a, b), 0, 0, "combo") for a, b in _COMBOS]
    return (*numbered, *combos, SliceArt("anchovy", (-3,), 0, 3, "anchovy"), SliceArt("supreme", (), 2, 0, "supreme"))


def demo_specials() -> tuple[SpecialArt, ...]:
    """14 Specials with the game's face ids."""
    return tuple(
        SpecialArt(f"special/{name}", name.replace("-", " ").title(), "ask the rules", number % 2 == 0)
        for number, name in enumerate(_SPECIALS)
    )


def demo_art(px_per_mm: float = 4.0) -> Mapping[str, Artwork]:
    """Every face of the demonstration."""
    return draw_all(demo_slices(), demo_specials(), px_per_mm)


def demo_world(rng: Random) -> World:
    """A ring of eleven slices with a Special beside it, two seats with fanned slices, the rest off the table."""
    world = World(rng)
    faces = [art.face for art in demo_slices()]
    rng.shuffle(faces)
    for face in faces:
        world.add_piece(face, PieceKind.SLICE, face, SLICE_BACK)
    for special in demo_specials():
        world.add_piece(special.face, PieceKind.SPECIAL, special.face, SPECIAL_BACK)
    for face, pose in zip(faces[:11], ring_poses(rng), strict=True):
        world.put(face, pose, True)
    world.put("special/buffet", Pose(-150, 40, 96), True)
    for number, face in enumerate(faces[11:14]):
        world.put(face, Pose(-330 + 34 * number, -214, 268 + 2 * number), True)
    for number, face in enumerate(faces[14:18]):
        world.put(face, Pose(420, 150 - 27 * number, 2 - number), number > 1)
    world.put("special/seconds", Pose(470, -250, 180), False)
    return world


def demo_gestures(world: World) -> None:
    """Queue: seat 1 pulls three slices of the ring apart, seat 5 points at the pizza, seat 2 takes the Special."""
    ring = [piece_id for piece_id in world.stacking if "/" in piece_id or "-" in piece_id][:3]
    carries = []
    for piece_id in ring:
        pose = world.pieces[piece_id].pose
        if pose is None:
            raise ValueError(f"{piece_id!r} lies no longer in the ring")
        carries.append(Carry(piece_id, Pose(pose.x_mm + 30, pose.y_mm - 45, pose.angle_deg - 4), True))
    world.perform(Gesture(1, tuple(carries), 1.6, 0.3))
    world.perform(Gesture(5, (), 1.4, 0.8, hover=(90.0, 60.0)))
    world.perform(Gesture(2, (Carry("special/buffet", Pose(-430, -90, 0), False),), 1.5))


def ring_poses(rng: Random, gap_mm: float = 0.8, jitter_mm: float = 0.6, turn_deg: float = 90.0) -> list[Pose]:
    """Eleven slices in a circle, clockwise, laid as neatly as people do."""
    poses = []
    for number in range(11):
        angle = turn_deg - number * SLICE_ANGLE_DEG + rng.gauss(0, 0.5)
        out = gap_mm / (2 * math.sin(math.radians(SLICE_ANGLE_DEG / 2))) + rng.gauss(0, jitter_mm)
        cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        poses.append(Pose(out * cos + rng.gauss(0, 0.3), out * sin + rng.gauss(0, 0.3), angle))
    return poses
