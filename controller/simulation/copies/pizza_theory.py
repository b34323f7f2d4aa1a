"""Our own copy of Pizza Theory: the pieces of the kit, and the pictures that show them once."""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from random import Random
from typing import Any

import numpy as np

from controller.games.pizza_theory import GAME
from controller.games.pizza_theory.components import load_components
from controller.games.pizza_theory.hands import BOARD, PizzaTheoryHands
from controller.games.pizza_theory.rules import COLOURS
from controller.hands import Lying
from controller.printing import theory_board
from hardware.kit import theory
from hardware.simulated.artwork import Artwork, Drawings
from hardware.simulated.bodies import piece_outline, thickness_mm
from hardware.simulated.kit_art import cut_out
from hardware.simulated.lens import CameraModel
from hardware.simulated.lying import Lying as Rests
from hardware.simulated.lying import lying as rests
from hardware.simulated.lying import outline_mm
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView, World
from vision.frame import Image
from vision.scene import PieceKind, Pose

Photo = tuple[Image, dict[str, Any]]
FILLED = (0.0, 0.4, 0.6, 0.7)
"""The share of spaces with toppings on each of the pictures that it is learned from."""

BOARD_TURN_DEG = 180.0
"""From a drawn board's angle to that in its labels, which is the direction of its first side."""


def art(px_per_mm: float) -> Mapping[str, Artwork]:
    """Every face as it is printed."""
    colours = load_components().colours
    board = theory.board_drawing(*theory_board())
    shapes = {BOARD: (board, piece_outline(PieceKind.BOARD))}
    for piece in (*theory.toppings(colours, 1), *map(theory.folded_cutter, colours)):
        shapes[piece.face] = (piece.front, piece.outline)
    return Drawings({face: partial(cut_out, *shape, px_per_mm) for face, shape in shapes.items()})


def photos(
    art: Mapping[str, Artwork], width: int, height: int, conditions: Conditions | None = None
) -> Iterator[Photo]:
    """The board with toppings and cutters on it, in several turns, labelled as `vision.pieces.learning.enrol` asks."""
    conditions = conditions or Conditions(tilt_deg=1.0)
    camera = conditions.camera_model(width, height)
    renderer = Renderer(art, camera, conditions)
    for number, filled in enumerate(FILLED):
        world, spaces = _laid(Random(number), filled)
        snapshot = world.snapshot()
        labels = [_label(view, how, camera) for view, how in zip(snapshot.pieces, rests(snapshot.pieces), strict=True)]
        for view, label in zip(snapshot.pieces, labels, strict=True):
            label |= {"space": spaces[view.piece_id]} if view.piece_id in spaces else {}
        yield renderer.render(snapshot), {"pieces": labels}


def _laid(rng: Random, filled: float) -> tuple[World, Mapping[str, str]]:
    """A board in any turn with toppings of any colour, and a cutter on a line of each side; the spaces of the toppings,
    as vision names them."""
    state, world = GAME.start(COLOURS, {}, 1), World(rng)
    hands = PizzaTheoryHands(GAME, state, {}, rng)
    for piece in hands.box():
        world.add_piece(piece.piece, piece.kind, piece.front, piece.back)
    board = Pose(rng.uniform(-15, 15), rng.uniform(-15, 15), rng.uniform(0, 360))
    for lay in hands.scattered(state, board, filled):
        world.put(lay.piece, lay.to, lay.face_up)
    lying = {name: Lying(piece.pose, True) for name, piece in world.pieces.items()}
    spaces = load_components().spaces
    return world, {piece: ",".join(map(str, spaces[space])) for piece, space in hands.on_spaces(lying).items()}


def _label(view: PieceView, how: Rests, camera: CameraModel) -> dict[str, Any]:
    outline = np.array(outline_mm(view.kind, view.pose))
    along = np.array([x for x, _ in piece_outline(view.kind)])
    tops = how.base_at(along) + thickness_mm(view.kind)
    label: dict[str, Any] = {
        "kind": view.kind.value,
        "x_mm": view.pose.x_mm,
        "y_mm": view.pose.y_mm,
        "outline_px": camera.project(np.column_stack([outline, tops])).tolist(),
    }
    if view.kind is PieceKind.BOARD:
        # A board's first label is at the foot of its print.
        return label | {"angle_deg": (view.pose.angle_deg + BOARD_TURN_DEG) % 360.0, "diameter_mm": theory.BOARD_MM}
    label["colour"] = view.piece_id.split("/")[1]
    if view.kind is PieceKind.TOPPING:
        return label | {"diameter_mm": theory.TOPPING_MM}
    turn = math.radians(view.pose.angle_deg)
    way = theory.CUTTER_MM / 2 * np.array([math.cos(turn), math.sin(turn)])
    ends = np.array([view.pose.x_mm, view.pose.y_mm]) + np.array([-way, way])
    heights = how.base_at(np.array([-0.5, 0.5]) * theory.CUTTER_MM) + theory.SLEEVE_MM / 2
    axis = camera.project(np.column_stack([ends, heights])).tolist()
    return label | {"diameter_mm": theory.SLEEVE_MM, "ends_mm": ends.tolist(), "ends_px": axis}
