"""Dice in somebody's hand on simulated tables: how many are read though nobody has thrown them yet.

Run with `make held-dice`; ARGS="--pictures 60 --seed 1".

A hand reaches over a table of dice's kind, over the mat or beside it, open or closed, and a die is drawn over it:
between thumb and fingers, on the fingertips, or on the flat hand. The hands are the simulated table's; the network that
looks for hands learned from others (`tests.vision.drawn_hands`).
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import cv2
import numpy as np

from hardware.simulated.dice import DieView, draw_die
from hardware.simulated.renderer import Renderer, texture_scale
from hardware.simulated.surroundings import Conditions, Picture
from hardware.simulated.world import HandView, WorldSnapshot
from tests.benchmarks.simulated_dice import some_look
from tests.benchmarks.simulated_hands import reaching_from
from tests.benchmarks.simulated_pieces import FAMILIES, REACH_MM, SIZE, for_camera
from vision.looking_for import finders_for
from vision.mat.errors import RegistrationError
from vision.pieces.faces import FacePack
from vision.reader import read_photo
from vision.scene import SURE, PieceKind, Point, Pose
from vision.threads import use_one_core

SIDES_MM = (12.0, 30.0)
OVER_MAT = 0.6
OVER_MAT_MM = (170.0, 170.0)
NEAR_MM = 25.0
"""A die above the table seems to lie so far from the place below it, at most."""


@dataclass(frozen=True, slots=True)
class HeldDie:
    """A picture of a die in a hand."""

    picture: Picture
    place_mm: Point
    how: str


def held_die(seed: int) -> HeldDie | None:
    """One of them; None where the die would not be wholly in the picture."""
    rng = Random(seed)
    family = FAMILIES["dice"]
    views, conditions = family.table(rng), Conditions.random(rng)
    views = views if rng.random() < 0.5 else []
    camera = conditions.camera_model(*SIZE)
    renderer = Renderer(for_camera(family.art, round(texture_scale(camera), 9)), camera, conditions)
    reach = OVER_MAT_MM if rng.random() < OVER_MAT else REACH_MM
    tip = rng.uniform(-1, 1) * reach[0], rng.uniform(-1, 1) * reach[1]
    grip, lift = float(rng.random() < 0.6), rng.uniform(4, 40)
    hand = HandView(rng.randint(1, 6), tip, reaching_from(rng, tip), lift, grip, (0.0, 0.0))
    how = rng.choice(["pinched", "on the hand", "on the fingertips"])
    side = math.exp(rng.uniform(*map(math.log, SIDES_MM)))
    place = _on_hand(rng, hand, how, side, mirrored=bool((hand.seat + conditions.seed % 97) % 2))
    values = rng.choice([(1, 2, 3), (2, 3, 1), (5, 1, 4), (4, 6, 5), (3, 2, 6), (6, 4, 2)])
    base = lift + (20.0 if how == "on the hand" else 2.0)
    die = DieView(Pose(*place, rng.uniform(0, 360)), side, values, some_look(rng), base)
    corners = camera.project(np.vstack([die.corners_mm(0.0), die.corners_mm(1.0)]))
    low, high = np.floor(corners.min(0)).astype(int) - 3, np.ceil(corners.max(0)).astype(int) + 4
    if (low < 2).any() or (high > np.array(SIZE) - 2).any():
        return None
    snapshot = WorldSnapshot(0.0, tuple(views), (hand,), frozenset(), ())
    with_hand = renderer.render(snapshot)
    with_die = renderer.render(replace(snapshot, hands=(), dice=(die,)))
    part = slice(low[1], high[1]), slice(low[0], high[0])
    x, y = camera.table_grid()
    rays = np.ascontiguousarray(np.dstack([x, y])[part])
    drawn = draw_die(die, rays, camera.position_mm, (0.0, 0.0), conditions.shadow)
    share = cv2.GaussianBlur(drawn[..., 3], (0, 0), 0.7)[..., None] / 255.0
    with_hand[part] = np.round(with_hand[part] * (1.0 - share) + with_die[part] * share).astype(np.uint8)
    return HeldDie(with_hand, place, how)


def _on_hand(rng: Random, hand: HandView, how: str, side: float, *, mirrored: bool) -> Point:
    """Where on the table the die is, on or between a hand's fingers."""
    if how == "pinched":
        aside, along = -29.0 + rng.gauss(0, 3), -36.0 + rng.gauss(0, 5)
    elif how == "on the hand":
        aside, along = rng.gauss(5, 8), rng.uniform(-130, -85)
    else:
        aside, along = rng.gauss(-8, 5), -8.0 + rng.gauss(0, 4) - 0.2 * side
    aside *= -1.0 if mirrored else 1.0
    turn = math.atan2(hand.fingertip[1] - hand.shoulder[1], hand.fingertip[0] - hand.shoulder[0])
    forward, right = (math.cos(turn), math.sin(turn)), (math.sin(turn), -math.cos(turn))
    x, y = (hand.fingertip[i] + aside * right[i] + along * forward[i] for i in (0, 1))
    return x, y


def said_of(held: HeldDie) -> str:
    """What is said of a held die: nothing, or its value doubtfully or surely."""
    scene = read_photo(held.picture, FacePack({}, ()), finders=finders_for({PieceKind.DIE}, FacePack({}, ())))
    dice = [piece for piece in scene.sightings if piece.kind is PieceKind.DIE]
    near = [piece for piece in dice if math.dist((piece.pose.x_mm, piece.pose.y_mm), held.place_mm) < NEAR_MM]
    if not near:
        return "not read"
    return "read surely" if max(piece.probability for piece in near) >= SURE else "read doubtfully"


def main(arguments: Sequence[str]) -> int:
    """Print how many are read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1, help="of the first picture")
    options = parser.parse_args(arguments)
    use_one_core()
    said: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.pictures):
        if (held := held_die(seed)) is None:
            continue
        try:
            said[said_of(held)] += 1
        except RegistrationError:
            said["no mat seen"] += 1
    print(f"{said.total()} dice in a hand:", ", ".join(f"{count} {what}" for what, count in said.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
