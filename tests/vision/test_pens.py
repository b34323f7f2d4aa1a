"""Score sheets marked with coloured pens instead of pencils: no pen is said to lie where one drew."""

from dataclasses import replace
from random import Random

import numpy as np

from controller.games.dice_and_slice.hands import Pencilled, write_front
from controller.simulation.copies.dice_and_slice import OwnArt
from controller.simulation.copy import own_art
from hardware.kit.score_sheets import load_sheet_print
from hardware.simulated.pencil import PENS
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World
from tests.benchmarks.sheets_report import compare_marks
from tests.long import cases
from tests.vision.drawn_sheet import Camera, DrawnSheet, Hand, MarkPlace, blank_sheet, pencil_all, photograph
from tests.vision.test_marks_in_other_light import PLACE, scene_after
from vision.frame import Image
from vision.scene import MarkKind, PieceKind, Sighting
from vision.sheets.finder import read_sheets

PRINT = load_sheet_print()
NEAR = Camera(px_per_mm=2.4)


def written(pen: str, seed: int) -> DrawnSheet:
    sheet = blank_sheet(PRINT, grid=(205, 230, 240), border=True)
    pencil_all(sheet, np.random.default_rng(seed), Hand(darkness=(0.7, 1.0), line_mm=(0.4, 0.7)))
    return replace(sheet, takes=PENS[pen])


def check(seen: Sighting, marks: set[MarkPlace]) -> None:
    assert not any(mark.hidden for mark in seen.marks)
    count = compare_marks(seen.marks, marks)
    assert (count.missing, count.extra) == ([], [])


@cases(("pen", "seed"), [(pen, seed) for seed in (104, 105, 106) for pen in PENS], always=2)
def test_what_a_pen_drew_is_read_in_a_single_picture(pen: str, seed: int) -> None:
    sheet = written(pen, seed)
    image = photograph(sheet, np.random.default_rng(seed), NEAR)
    (seen,) = [one for one in read_sheets(image, [PRINT.layout]).sightings if one.kind is PieceKind.SHEET]
    check(seen, sheet.marks)


@cases("player", [2, 4, 5, 1], always=1, ids=["red", "blue", "green", "purple"])
def test_what_a_pen_drew_is_read_on_a_table_that_is_watched(player: int) -> None:
    dots = [*((column, row) for column in range(1, 11) for row in (1, 5)), *((1, row) for row in range(2, 5))]
    lines = [(column, row, column + 1, row) for column in range(1, 10) for row in (1, 5)]
    lines += [(1, row, 1, row + 1) for row in range(1, 5)]
    marks = [*(Pencilled(MarkKind.DOT, at) for at in dots), *(Pencilled(MarkKind.LINE, at) for at in lines)]
    scene = scene_after(*(shown(player, some) for some in ([], marks)))
    assert scene.hidden == ()
    (seen,) = [one for one in scene.sightings if one.kind is PieceKind.SHEET]
    assert not any(mark.hidden for mark in seen.marks)
    likely = {(mark.kind, mark.at) for mark in seen.marks if mark.probability > 0.5}
    true = {(MarkKind.DOT, at) for at in dots} | {(MarkKind.LINE, at) for at in lines}
    assert not likely - true
    assert len(true - likely) <= 2, "asked about, where ink is pale"


def shown(player: int, marks: list[Pencilled]) -> Image:
    """A picture of the table with the sheet of a player on it, whose pen marked it so."""
    conditions = Conditions(seed=6, noise=1.5)
    art = own_art("dice_and_slice")
    assert isinstance(art, OwnArt)
    renderer = Renderer(art.with_pens(), conditions.camera_model(1920, 1080), conditions)
    world = World(Random(4))
    front = write_front(player, marks)
    world.add_piece(f"sheet/{player}", PieceKind.SHEET, front, front, pose=PLACE, face_up=True)
    return np.asarray(renderer.render(world.snapshot()), np.uint8)
