"""Score sheets that are written on in the moments in which other light comes to fall on them."""

from functools import cache
from random import Random

import numpy as np

from controller.games.dice_and_slice.hands import Pencilled, write_front
from controller.sheet_prints import load_prints
from controller.simulation.copy import own_art
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World
from tests.vision.altered import ShadowEdge, in_shadow
from vision.faces import FacePack
from vision.frame import Frame, Image
from vision.looking_for import finders_for
from vision.reader import Reader
from vision.scene import MarkKind, PieceKind, Pose, SheetMark

PLACE = Pose(390.0, -15.0, 181.0)
DOTS = [(column, row) for column in range(1, 13, 3) for row in range(1, 9, 2)]
SHADE = ShadowEdge(-60.0, 0.0, 10.0, 2.4, 8.0)
"""Over more than half of the table, the whole sheet in it."""


@cache
def pictures(kelvin: float = 5000.0, light: float = 1.0) -> tuple[Image, Image]:
    """The sheet when it is blank, and pencilled."""
    conditions = Conditions(seed=6, kelvin=kelvin, light=light, noise=1.5)
    shown = []
    for marks in ([], [Pencilled(MarkKind.DOT, dot) for dot in DOTS]):
        world = World(Random(4))
        front = write_front(1, marks)
        world.add_piece("sheet/1", PieceKind.SHEET, front, front, pose=PLACE, face_up=True)
        renderer = Renderer(own_art("dice_and_slice"), conditions.camera_model(1920, 1080), conditions)
        shown.append(np.asarray(renderer.render(world.snapshot()), np.uint8))
    return shown[0], shown[1]


def marks_after(first: Image, then: Image) -> dict[tuple[int, ...], SheetMark]:
    """The dots' places, as they are said to be some seconds after the picture changed."""
    pack = FacePack({}, ())
    reader = Reader(pack, finders=finders_for({PieceKind.SHEET}, pack, load_prints()))
    for number in range(7):
        noise = np.random.default_rng(number).integers(-2, 3, first.shape, np.int16)
        shown = np.clip((first if number < 3 else then) + noise, 0, 255).astype(np.uint8)
        scene = reader.read(Frame(shown, number * 0.5, number))
    (sheet,) = (piece for piece in scene.sightings if piece.kind is PieceKind.SHEET)
    return {mark.at: mark for mark in sheet.marks if mark.kind is MarkKind.DOT}


def test_what_is_pencilled_as_a_shadow_falls_on_the_sheet_is_read() -> None:
    blank, pencilled = pictures()
    dots = marks_after(blank, in_shadow(pencilled, SHADE))
    assert {at for at, mark in dots.items() if mark.probability > 0.5} == set(DOTS)


def test_what_a_lamp_makes_too_bright_to_be_seen_is_not_surely_absent() -> None:
    blank, pencilled = pictures(6200.0, 0.85)
    lit = np.minimum(pencilled * 1.5, 255.0).astype(np.uint8)
    dots = marks_after(blank, lit)
    assert not [at for at in DOTS if dots[at].probability < 0.1 and not dots[at].hidden]
