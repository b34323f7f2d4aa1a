"""Boards and score sheets are read across the edge of a shadow and in the stripes of blinds."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from controller.games.pizza_theory.describe import KINDS
from hardware.kit.score_sheets import load_sheet_print
from tests.benchmarks.sheets_report import Count, compare_marks
from tests.long import cases
from tests.vision.altered import ShadowEdge, in_shadow, striped
from tests.vision.drawn_board import Board, Stick, draw, every_space, label, line_ends
from tests.vision.drawn_sheet import Camera, DrawnSheet, Hand, blank_sheet, pencil_all, photograph
from tests.vision.drawn_table import View
from vision.board.sight import sight_of
from vision.frame import Frame, Image
from vision.looking_for import finders_for
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack
from vision.pieces.learning import enrol
from vision.pieces.light_across import light_across
from vision.reader import Reader, read_photo
from vision.scene import EMPTY, MarkKind, PieceKind, Scene
from vision.sheets.finder import lay_out, read_sheets

EDGES = {
    "sharp": ShadowEdge(10.0, -20.0, 75.0, 2.6, 2.5, 1.1),
    "soft": ShadowEdge(-30.0, 15.0, 190.0, 2.9, 12.0, 1.05),
    "faint": ShadowEdge(0.0, 0.0, 310.0, 1.7, 4.0, 1.12),
}
PRINT = load_sheet_print()


def arranged(seed: int, x_mm: float, y_mm: float, turn_deg: float) -> Board:
    rng = np.random.default_rng(seed)
    board = Board(x_mm, y_mm, turn_deg)
    spaces = {name: str(rng.choice(["blue", "orange", "black"])) for name in every_space() if rng.random() < 0.45}
    sticks = [Stick("blue", line_ends(0, int(rng.integers(1, 7)), board), (6.5, 6.5))]
    return Board(x_mm, y_mm, turn_deg, spaces=spaces, sticks=sticks)


BOARD = arranged(3, -6.0, 5.0, 125.0)
TRUE = {name: (BOARD.spaces or {}).get(name, EMPTY) for name in every_space()}


@cache
def pack() -> FacePack:
    enrolled = arranged(7, 3.0, -4.0, 20.0)
    return enrol([(draw(enrolled), label(enrolled))], source=["drawn"])


def spaces_of(scene: Scene) -> dict[str, str]:
    boards = [piece for piece in scene.sightings if piece.kind is PieceKind.BOARD]
    return {space.name: space.contents[0].face for board in boards for space in board.spaces if space.contents}


def read(image: Image) -> dict[str, str]:
    return spaces_of(read_photo(image, pack(), finders=finders_for(KINDS & {PieceKind.BOARD}, pack())))


@pytest.mark.long
@cases("edge", EDGES.values(), always=2, ids=EDGES)
def test_a_board_that_a_shadows_edge_crosses_is_read(edge: ShadowEdge) -> None:
    assert read(in_shadow(draw(BOARD, View(noise=2.0)), edge)) == TRUE


@pytest.mark.long
@pytest.mark.parametrize("period_mm", [45.0, 80.0])
def test_a_board_in_the_stripes_of_blinds_is_read(period_mm: float) -> None:
    image = draw(BOARD, View(noise=2.0))
    assert read(striped(image, find_mat(image), period_mm)) == TRUE


@pytest.mark.long
def test_a_shadow_that_falls_across_a_board_and_goes_takes_no_topping_away() -> None:
    reader = Reader(pack(), finders=finders_for(KINDS & {PieceKind.BOARD}, pack()))
    for number in range(9):
        image = draw(BOARD, View(noise=2.0, seed=number + 1))
        shown = in_shadow(image, EDGES["sharp"]) if 3 <= number < 6 else image
        scene = reader.read(Frame(shown, number * 1.0, number))
        assert scene.settled is not None
        assert spaces_of(replace(scene, sightings=scene.settled.sightings)) == TRUE
        assert not scene.settled.changes


def test_light_is_told_and_none_where_it_is_even() -> None:
    image = draw(BOARD, View(noise=2.0))
    registration = find_mat(image)
    even = sight_of(image, registration)
    assert light_across(even.looked, even.table) is None
    edge = EDGES["sharp"]
    shown = in_shadow(image, edge)
    sight = sight_of(shown, registration)
    light = light_across(sight.looked, sight.table)
    assert light is not None
    assert abs((light.turn_deg - edge.turn_deg + 90.0) % 180.0 - 90.0) < 1.0
    assert np.ptp(light.logs.mean(1)) == pytest.approx(np.log(edge.ratio), abs=0.15)
    off = light.taken_off(shown, registration).astype(np.float32) - image
    assert np.quantile(np.abs(off), 0.9) < 12.0


@cache
def pencilled() -> DrawnSheet:
    sheet = blank_sheet(PRINT, grid=(205, 230, 240), border=True)
    pencil_all(sheet, np.random.default_rng(1), Hand(forgets=0.1))
    return sheet


def counted(image: Image) -> Count:
    (sheet,) = (s for s in read_sheets(image, [PRINT.layout]).sightings if s.kind is PieceKind.SHEET)
    return compare_marks(sheet.marks, pencilled().marks)


def shaded(image: Image, edge: ShadowEdge) -> Image:
    """With a shadow's edge across the sheet, in its own millimetres."""
    rows, columns = np.indices(image.shape[:2])
    table = lay_out(image, [PRINT.layout])[0].to_table(np.column_stack([columns.ravel(), rows.ravel()]).astype(float))
    turn = np.radians(edge.turn_deg)
    into = (table - [edge.x_mm, edge.y_mm]) @ [np.cos(turn), np.sin(turn)]
    share = np.clip(into / edge.penumbra_mm + 0.5, 0.0, 1.0).reshape(*image.shape[:2], 1)
    shade = np.array([np.sqrt(edge.bluer), 1.0, 1.0 / np.sqrt(edge.bluer)]) / edge.ratio
    return np.asarray(image * (1.0 - share * (1.0 - shade)), np.uint8)


@cases("turn_deg", [0.0, 10.0, 90.0, 30.0], always=2)
def test_a_shadows_edge_on_a_sheet_is_no_line_and_hides_none(turn_deg: float) -> None:
    """Along a row or a column of dots, where lines are pencilled, and askew. Others there may be doubtful."""
    image = photograph(pencilled(), np.random.default_rng(3), Camera(px_per_mm=4.0))
    x_mm, y_mm = PRINT.layout.dot_mm((5, 5))
    count = counted(shaded(image, ShadowEdge(x_mm, y_mm, turn_deg, 2.6, 3.0, 1.08)))
    assert (count.missing, count.hidden) == ([], 0)
    assert not [mark for mark in count.extra if mark.kind is MarkKind.LINE or mark.probability >= 0.9]


def test_nor_do_stripes() -> None:
    image = photograph(pencilled(), np.random.default_rng(3), Camera(px_per_mm=4.0))
    count = counted(striped(image, lay_out(image, [PRINT.layout])[0]))
    assert (count.missing, count.extra, count.hidden) == ([], [], 0)
