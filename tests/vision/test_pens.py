"""Score sheets marked with coloured pens instead of pencils: no pen is said to lie where one drew."""

import hashlib
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest

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
from vision.scene import SURE, MarkKind, PieceKind, Pose, SheetMark, Sighting
from vision.sheets.blanks import Blanks
from vision.sheets.finder import lay_out, read_sheets
from vision.sheets.flattening import PX_PER_MM, FlatSheet, _not_drawn, flatten
from vision.sheets.ink import LEAST_TAKEN, as_pencilled, ink_of
from vision.sheets.kept_blanks import SHADE_STEP, Blank, BlankFiles
from vision.sheets.likelihood import judges_for
from vision.sheets.marks import read_marks
from vision.sheets.things import _without_strokes

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


# Seen blank before ----------------------------------------------------------------------------------------------------


APART = [(11, 9, 12, 8), (4, 4, 5, 3), (4, 9, 5, 8), (8, 6, 9, 7)]
IN_A_ROW = [(7, 2, 8, 3), (8, 3, 9, 4), (9, 4, 10, 5)]
CLOSELY = [
    (2, 7, 3, 6),
    (2, 7, 3, 7),
    (3, 6, 3, 7),
    (3, 7, 4, 7),
    (4, 7, 5, 7),
    (5, 7, 6, 7),
    (5, 7, 5, 8),
    (5, 8, 6, 8),
]
CLOSELY += [(6, 7, 6, 8), (6, 6, 6, 7), (5, 6, 6, 6), (5, 6, 5, 7), (5, 8, 6, 7), (5, 6, 6, 7)]


@pytest.mark.long
@cases(
    ("player", "strokes"),
    [(2, CLOSELY), (4, APART), (2, IN_A_ROW)],
    ids=["dense, red", "pale ink, blue", "as long as a thing, red"],
    always=1,
)
def test_strokes_also_between_opposite_corners_are_read_as_plainly_as_pencil(
    player: int, strokes: list[tuple[int, int, int, int]]
) -> None:
    """One that is not seen, or is taken for a thing, breaks a rule silently."""
    dots = sorted({dot for one in strokes for dot in (one[:2], one[2:])})
    kinds = [MarkKind.LINE if one[0] == one[2] or one[1] == one[3] else MarkKind.DIAGONAL for one in strokes]
    marks = [*(Pencilled(MarkKind.DOT, at) for at in dots), *map(Pencilled, kinds, strokes)]
    scene = scene_after(shown(player, []), shown(player, marks))
    (seen,) = [one for one in scene.sightings if one.kind is PieceKind.SHEET]
    sure = {(mark.kind, mark.at) for mark in seen.marks if mark.probability > SURE and not mark.hidden}
    assert sure == {(one.kind, one.at) for one in marks}


@cache
def flat_after_blank(pen: str, seed: int = 104) -> tuple[DrawnSheet, FlatSheet, FlatSheet]:
    """A sheet with a coloured ground and border that is marked so, flat; and blank."""
    sheet = written(pen, seed)
    blank = replace(sheet, pencil=np.ones_like(sheet.pencil))
    blank_flat, flat = (
        flatten(image, PRINT.layout, lay_out(image, [PRINT.layout])[2][0].registration)
        for image in (photograph(one, np.random.default_rng(seed), NEAR) for one in (blank, sheet))
    )
    return sheet, replace(flat, blank=blank_flat.darkness), blank_flat


@cases("pen", PENS, always=1)
def test_a_sheet_tells_the_ink_that_it_is_marked_with(pen: str) -> None:
    _, flat, _ = flat_after_blank(pen)
    ink = ink_of(flat)
    assert ink is not None
    takes = np.array(PENS[pen])
    assert np.abs(ink - takes / takes.mean()).max() < 0.15


@cases("takes", [1.0, 1.6], always=1)
def test_graphite_and_black_ink_are_no_coloured_ink(takes: float) -> None:
    sheet, _, blank = flat_after_blank("red")
    grey = replace(sheet, takes=(takes, takes, takes))
    image = photograph(grey, np.random.default_rng(104), NEAR)
    flat = flatten(image, PRINT.layout, lay_out(image, [PRINT.layout])[2][0].registration)
    assert ink_of(replace(flat, blank=blank.darkness)) is None
    assert ink_of(flat) is None


def test_print_in_the_colour_of_the_ink_is_no_mark() -> None:
    """The border is orange, the ink red; the toppings are printed in many colours."""
    sheet, flat, blank = flat_after_blank("red")
    ink = ink_of(flat)
    assert ink is not None
    seen = as_pencilled(flat, ink, blank.colours)
    marks = read_marks(seen, judges_for(seen))
    assert not any(mark.probability > 0.5 and (mark.kind, mark.at) not in sheet.marks for mark in marks)
    x, y = (np.round(at).astype(int) for at in flat.at(flat.layout.dots_mm[flat.layout.outer_dots]))
    assert np.median(seen.darkness[y, x]) > 0.2, "the border is dark in this ink"


def test_somebody_elses_pencil_stays_as_dark_as_it_was() -> None:
    _, flat, blank = flat_after_blank("red")
    drawn = replace(flat, colours=np.full_like(flat.colours, 0.4))
    assert np.allclose(as_pencilled(drawn, np.array(PENS["red"], np.float32), blank.colours).darkness, 0.4)


def test_how_colours_looked_when_a_sheet_was_blank_outlives_a_restart(tmp_path: Path) -> None:
    _, flat, blank = flat_after_blank("red")
    pose = Pose(0.0, 0.0, 90.0)
    bare = [SheetMark(MarkKind.DOT, (0, 0), 0.0)]
    Blanks(BlankFiles(tmp_path), [PRINT.layout]).take(replace(blank, cut_off=np.zeros_like(blank.cut_off)), pose, bare)
    known = Blanks(BlankFiles(tmp_path), [PRINT.layout]).colours_at(flat, pose)
    assert known is not None
    assert np.abs(known - np.minimum(blank.colours, known.max())).max() <= SHADE_STEP


def test_a_file_of_a_version_that_kept_no_colours_is_read(tmp_path: Path) -> None:
    _, flat, blank = flat_after_blank("red")
    pose = Pose(0.0, 0.0, 90.0)
    old = Blank(0, PRINT.layout, pose, blank.px_per_mm, blank.blur_mm, blank.darkness)
    BlankFiles(tmp_path).keep(old)
    path = next(tmp_path.iterdir())
    with np.load(BytesIO(path.read_bytes()[hashlib.sha256().digest_size :])) as stored:
        parts = {name: stored[name] for name in stored if name != "shades"}
    written_anew = BytesIO()
    np.savez(written_anew, **parts)
    path.write_bytes(hashlib.sha256(written_anew.getvalue()).digest() + written_anew.getvalue())
    blanks = Blanks(BlankFiles(tmp_path), [PRINT.layout])
    assert blanks.at(flat, pose) is not None
    assert blanks.colours_at(flat, pose) is None


def test_in_a_blur_a_pens_strokes_look_wider_and_are_strokes_still() -> None:
    _, marked, _ = flat_after_blank("red")
    soft = np.asarray(cv2.GaussianBlur(marked.colours, (0, 0), PX_PER_MM), np.float32)
    left = [
        np.count_nonzero(_without_strokes(replace(marked, colours=soft, blur_mm=blur_mm))) for blur_mm in (0.5, 1.0)
    ]
    assert left[1] < 0.8 * left[0]


@pytest.mark.parametrize(("side", "kept"), [(9, False), (14, True)])
def test_what_a_cross_among_lines_leaves_is_no_thing_where_it_is_small(side: int, kept: bool) -> None:
    """Of a crossed topping between lines some of the ink's colour is left when all marks are closed over."""
    parts = np.zeros((60, 60), np.uint8)
    parts[20 : 20 + side, 20 : 20 + side] = 255
    strokes = np.indices(parts.shape)[0] % 3 < 2
    left_over = np.asarray(parts > 0)
    assert bool(_not_drawn(parts, np.s_[0:60, 0:60], strokes, left_over).any()) == kept
    assert _not_drawn(parts, np.s_[0:60, 0:60], np.zeros_like(strokes), left_over).any(), "no strokes"


def test_ink_that_takes_nothing_of_a_colour_divides_by_nothing() -> None:
    _, flat, blank = flat_after_blank("blue")
    bright = flat.colours.copy()
    bright[..., 0] = blank.colours[..., 0]
    ink = ink_of(replace(flat, colours=bright))
    assert ink is not None
    assert ink.min() == np.float32(LEAST_TAKEN)
    assert np.isfinite(as_pencilled(flat, ink, blank.colours).darkness).all()
