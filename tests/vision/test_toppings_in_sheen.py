"""Toppings that mirror a lamp: light is added to their colours, which makes them pale before it makes them white."""

from functools import cache
from random import Random
from typing import Any

import cv2
import numpy as np

from controller.games.pizza_theory.describe import KINDS
from hardware.simulated.surroundings import Conditions
from tests.benchmarks.simulated_pieces import FAMILIES, enrolled, photograph
from tests.long import cases
from vision.frame import Image
from vision.looking_for import finders_for
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.reader import read_photo
from vision.scene import EMPTY, PieceKind, Scene

SURE = 0.9
GAMMA = 2.2
TOPPING_MM = 8.5


@cache
def pack() -> FacePack:
    return enrolled(FAMILIES["theory"])


def read(image: Image) -> Scene:
    return read_photo(image, pack(), finders=finders_for(KINDS & {PieceKind.BOARD}, pack()))


def on_spaces(scene: Scene) -> dict[str, Any]:
    board = next(one for one in scene.sightings if one.kind is PieceKind.BOARD)
    return {space.name: space for space in board.spaces if space.contents}


@cases("added", [0.12, 0.22], always=1)
def test_a_topping_in_a_lamps_sheen_is_never_surely_another(added: float) -> None:
    bare = [view for view in FAMILIES["theory"].table(Random(5)) if view.kind is not PieceKind.CUTTER]
    image, _ = photograph(FAMILIES["theory"], bare, Conditions(seed=5))
    before = on_spaces(read(image))
    mirrors = np.zeros(image.shape[:2], np.float32)
    registration = find_mat(image)
    angles = np.linspace(0.0, 2 * np.pi, 24, endpoint=False)
    disc = TOPPING_MM * np.column_stack([np.cos(angles), np.sin(angles)])
    there = [space for space in before.values() if space.contents[0].face != EMPTY]
    for space in there:
        outline = registration.to_picture(disc + np.array([space.x_mm, space.y_mm]))
        cv2.fillConvexPoly(mirrors, np.round(outline).astype(np.int32), (1.0,), cv2.LINE_AA)
    light = (image / 255.0) ** GAMMA + added * cv2.GaussianBlur(mirrors, (0, 0), 0.7)[..., None]
    after = on_spaces(read(np.asarray(np.clip(light, 0.0, 1.0) ** (1 / GAMMA) * 255.0, np.uint8)))
    right = 0
    for space in there:
        seen = after[space.name].contents[0] if space.name in after else None
        assert seen is None or seen.face == space.contents[0].face or seen.probability < SURE
        right += seen is not None and seen.face == space.contents[0].face
    assert right >= 0.9 * len(there)
