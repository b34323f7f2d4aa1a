"""Sheets on a table that were seen blank: pencil over print is what is darker than then."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from shutil import copytree

import cv2
import numpy as np
import pytest

from config.loader import load_table
from controller.games.dice_and_slice.hands import Pencilled, write_front
from controller.sheet_prints import load_prints
from controller.simulation.copy import own_art
from controller.watching import make_reader
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World
from tests.long import cases
from vision.frame import Frame, Image
from vision.mat.registration import Registration, find_mat
from vision.scene import MarkKind, PieceKind, Pose, Sighting
from vision.sheets.blanks import Blanks, covered
from vision.sheets.finder import SUREST_CROSS, SheetFinder
from vision.sheets.finding import find_sheets
from vision.sheets.flattening import flatten
from vision.sheets.kept_blanks import Blank

(LAYOUT,) = load_prints()
POSES = {1: Pose(6.0, -249.0, 91.0), 2: Pose(-390.0, -107.0, 358.0), 5: Pose(391.0, 104.0, 181.5)}
CROSSED = [LAYOUT.toppings[i].square for i in (0, 1, 4, 9, 12, 17)]
RUBBED = LAYOUT.toppings[7].square
CIRCLED = (2,)
DOTS = ((9, 5), (9, 6), (9, 7), (10, 8), (0, 2), (0, 3), (1, 2))
DIAGONALS = ((9, 7, 10, 8), (0, 3, 1, 2))
"""One each way; across squares without a topping."""
LINES = ((9, 5, 9, 6), (9, 6, 9, 7), (0, 2, 0, 3), (0, 2, 1, 2))
MARKS = [
    *(Pencilled(MarkKind.DOT, dot) for dot in DOTS),
    *(Pencilled(MarkKind.LINE, line) for line in (*LINES, *DIAGONALS)),
    *(Pencilled(MarkKind.CROSSED_TOPPING, square) for square in [*CROSSED, RUBBED]),
    Pencilled(MarkKind.CROSSED_TOPPING, RUBBED, rubbed=True),
    Pencilled(MarkKind.CIRCLED_BONUS, CIRCLED),
]


class Table:
    """Three sheets, in one light, from one place."""

    def __init__(self) -> None:
        conditions = Conditions(seed=4)
        self.world = World(Random(4))
        for player, pose in POSES.items():
            self.world.add_piece(f"sheet/{player}", PieceKind.SHEET, "sheet", "sheet", pose=pose, face_up=True)
        self._renderer = Renderer(own_art("dice_and_slice"), conditions.camera_model(1920, 1080), conditions)

    def write(self, marks: Sequence[Pencilled]) -> None:
        """Everybody writes the same; sheets slip a little."""
        for player, pose in POSES.items():
            slipped = Pose(pose.x_mm + 3.0, pose.y_mm - 2.0, pose.angle_deg + 1.0)
            self.world.put(f"sheet/{player}", slipped, True, write_front(player, marks))

    def seen(self) -> tuple[Image, Registration]:
        image = self._renderer.render(self.world.snapshot())
        return image, find_mat(image)


@pytest.fixture(scope="module")
def pictures() -> tuple[tuple[Image, Registration], tuple[Image, Registration]]:
    table = Table()
    blank = table.seen()
    table.write(MARKS)
    return blank, table.seen()


Pictures = tuple[tuple[Image, Registration], tuple[Image, Registration]]


@pytest.fixture(scope="module")
def kept(pictures: Pictures, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is kept of the sheets that were seen blank: to copy from."""
    folder = tmp_path_factory.mktemp("kept")
    (blank, where), _ = pictures
    SheetFinder([LAYOUT], folder).find(blank, where, ())
    return folder


def likely(sheet: Sighting, kind: MarkKind, least: float) -> set[tuple[int, ...]]:
    return {mark.at for mark in sheet.marks if mark.kind is kind and mark.probability > least}


@pytest.mark.long
def test_what_is_pencilled_over_print_is_read(
    pictures: Pictures,
) -> None:
    finder = SheetFinder([LAYOUT])
    (blank, where), (written, now) = pictures
    assert len(finder.find(blank, where, ())) == len(POSES)
    sheets = [one for one in finder.find(written, now, ()) if one.kind is PieceKind.SHEET]
    assert len(sheets) == len(POSES)
    for sheet in sheets:
        for kind, there in (
            (MarkKind.DOT, set(DOTS)),
            (MarkKind.LINE, set(LINES)),
            (MarkKind.DIAGONAL, set(DIAGONALS)),
            (MarkKind.CROSSED_TOPPING, set(CROSSED)),
            (MarkKind.CIRCLED_BONUS, {CIRCLED}),
        ):
            assert likely(sheet, kind, 0.5) == there, (sheet.pose, kind)
        assert likely(sheet, MarkKind.CROSSED_TOPPING, 0.95) == set(CROSSED), sheet.pose


def test_crosses_on_a_sheet_that_was_never_seen_blank_are_not_sure(
    pictures: Pictures,
) -> None:
    written, now = pictures[1]
    for sheet in SheetFinder([LAYOUT]).find(written, now, ()):
        crosses = [mark.probability for mark in sheet.marks if mark.kind is MarkKind.CROSSED_TOPPING]
        assert 1.0 - SUREST_CROSS <= min(crosses) <= max(crosses) <= SUREST_CROSS


@pytest.mark.long
def test_what_a_hand_lies_on_seems_neither_written_nor_rubbed_out(
    pictures: Pictures,
) -> None:
    finder = SheetFinder([LAYOUT])
    _, (written, now) = pictures
    before = finder.find(written, now, ())
    sheet = next(one for one in before if one.pose.y_mm < -200.0)
    covered = written.copy()
    x, y = sheet.pose.x_mm, sheet.pose.y_mm
    corner, far = now.to_picture([[x - 30.0, y - 70.0], [x + 15.0, y - 10.0]])
    (left, right), (upper, lower) = (sorted(map(round, (corner[i], far[i]))) for i in (0, 1))
    covered[upper:lower, left:right] = (90, 120, 180)
    again = finder.find_again(covered, now, (), before, lambda points: np.ones(len(points), bool))
    after = next(one for one in again if one.kind is PieceKind.SHEET and one.pose.y_mm < -200.0)
    hidden = [(old, new) for old, new in zip(sheet.marks, after.marks, strict=True) if new.hidden]
    assert any(old.probability > 0.9 for old, _ in hidden)
    assert all(old.probability == new.probability for old, new in hidden)


@pytest.mark.long
def test_where_print_is_missing_something_lies(
    pictures: Pictures,
) -> None:
    """An arm that looks like paper in other light covers half of a sheet, and is not remembered as a blank one."""
    finder = SheetFinder([LAYOUT])
    blank, where = pictures[0]
    before = finder.find(blank, where, ())
    sheet = next(one for one in before if one.pose.y_mm < -200.0)
    x, y = sheet.pose.x_mm, sheet.pose.y_mm
    corner, far = where.to_picture([[x - 35.0, y - 66.0], [x + 15.0, y - 10.0]])
    (left, right), (upper, lower) = (sorted(map(round, (corner[i], far[i]))) for i in (0, 1))
    covered = blank.copy()
    covered[upper:lower, left:right] = np.median(blank[upper:lower, left:right].reshape(-1, 3), axis=0)
    for _ in range(2):
        again = finder.find_again(covered, where, (), before, lambda points: np.ones(len(points), bool))
        after = next(one for one in again if one.kind is PieceKind.SHEET and one.pose.y_mm < -200.0)
        assert any(mark.hidden for mark in after.marks)
        before = again
    open_again = finder.find(blank, where, ())
    after = next(one for one in open_again if one.kind is PieceKind.SHEET and one.pose.y_mm < -200.0)
    assert max(mark.probability for mark in after.marks if mark.kind is MarkKind.CROSSED_TOPPING) < 0.1


# In little light ------------------------------------------------------------------------------------------------------


def in_noise(image: Image, seed: int) -> Image:
    """A picture as a camera shows it in little light."""
    noise = cv2.GaussianBlur(np.random.default_rng(seed).normal(size=image.shape).astype(np.float32), (0, 0), 0.55)
    return np.clip(0.7 * image + np.float32(9.0 / noise.std()) * noise, 0.0, 255.0).astype(np.uint8)


@pytest.mark.long
def test_print_that_noise_hides_is_not_covered(pictures: Pictures) -> None:
    """One sheet of this picture seemed to be, as of hardly one in thirty."""
    finder = SheetFinder([LAYOUT])
    blank, where = pictures[0]
    finder.find(blank, where, ())
    seen = [one for one in finder.find(in_noise(blank, 7), where, ()) if one.kind is PieceKind.SHEET]
    assert len(seen) == len(POSES)
    assert [one.covering_mm for one in seen] == [()] * len(POSES)


def test_a_little_pale_print_is_covered_where_it_would_show_in_spite_of_noise(pictures: Pictures) -> None:
    """A topping of a pale colour."""
    (blank, where), _ = pictures
    found = find_sheets(np.asarray(cv2.cvtColor(blank, cv2.COLOR_BGR2GRAY), np.uint8), [LAYOUT], lens=where.lens)
    flat = flatten(blank, LAYOUT, found[0].registration)
    salami = next(one for one in LAYOUT.toppings if one.kind == "salami")
    x, y = (round(float(at)) for at in flat.at(np.array(salami.centre_mm)))
    pale = flat.darkness.copy()
    pale[y - 14 : y + 15, x - 14 : x + 15] *= 0.2
    grain = cv2.GaussianBlur(np.random.default_rng(0).normal(size=pale.shape), (0, 0), 2.0)
    for noise, told in ((0.0, True), (0.08, False)):
        now = np.asarray(pale + noise / grain.std() * grain, np.float32)
        assert covered(replace(flat, blank=flat.darkness, darkness=now)).foreign[y, x] == (255 if told else 0)


def test_pencil_over_the_print_of_a_small_part_does_not_tell_how_dark_all_print_there_was(pictures: Pictures) -> None:
    """Of a sheet whose paper was brighter than the picture showed, and is but in that part."""
    (blank, where), _ = pictures
    found = find_sheets(np.asarray(cv2.cvtColor(blank, cv2.COLOR_BGR2GRAY), np.uint8), [LAYOUT], lens=where.lens)
    flat = flatten(blank, LAYOUT, found[0].registration)
    blanks, pose = Blanks(), Pose(0.0, 0.0, 90.0)
    blanks._known = [Blank(0, LAYOUT, pose, flat.px_per_mm, flat.blur_mm, flat.darkness, flat.colours)]
    clear = np.zeros(flat.cut_off.shape, bool)
    clear[len(clear) * 3 // 4 :] = True
    pencilled = np.where(clear[..., None] & (flat.colours > 0.1), np.float32(0.13), np.float32(0.0))
    now = replace(flat, cut_off=np.where(clear, np.uint8(0), np.uint8(255)), colours=flat.colours + pencilled)
    known = blanks.at(now, pose)
    assert known is not None
    assert float(np.abs(known - flat.darkness).max()) < 0.02


# After a restart ------------------------------------------------------------------------------------------------------


def sure_crosses(sheets: Sequence[Sighting]) -> list[set[tuple[int, ...]]]:
    return [likely(one, MarkKind.CROSSED_TOPPING, 0.95) for one in sheets if one.kind is PieceKind.SHEET]


def test_a_restart_does_not_forget_how_sheets_looked_when_blank(pictures: Pictures, tmp_path: Path) -> None:
    """Through what the service's reading process makes of the settings."""
    settings = load_table()
    camera = settings.camera.model_copy(update={"driver": "opencv:0"})
    table = settings.model_copy(update={"game": "dice_and_slice", "data_dir": tmp_path, "camera": camera})
    (blank, _), (written, _) = pictures
    make_reader(table)(Frame(blank, 1.0, 1))
    assert len(list((tmp_path / "blank-sheets").iterdir())) == len(POSES)
    assert sure_crosses(make_reader(table)(Frame(written, 9.0, 1)).sightings) == [set(CROSSED)] * len(POSES)


@cases("brighter", [1.0, 1.6], always=0)
def test_what_is_kept_reads_as_what_was_seen(pictures: Pictures, tmp_path: Path, brighter: float) -> None:
    (blank, where), (written, now) = pictures
    blank = np.minimum(blank * brighter, 255.0).astype(np.uint8)
    same_run = SheetFinder([LAYOUT], tmp_path)
    same_run.find(blank, where, ())
    pairs = zip(same_run.find(written, now, ()), SheetFinder([LAYOUT], tmp_path).find(written, now, ()), strict=True)
    for first, second in pairs:
        for one, other in zip(first.marks, second.marks, strict=True):
            assert (one.kind, one.at, one.hidden) == (other.kind, other.at, other.hidden)
            assert abs(one.probability - other.probability) < 0.1


@pytest.mark.long
@cases("damage", ["cut short", "a bit turned", "empty", "foreign", "no number"], always=1)
def test_a_damaged_file_is_named_and_left_out(
    pictures: Pictures, kept: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    written, now = pictures[1]
    copytree(kept, tmp_path, dirs_exist_ok=True)
    path, *others = sorted(tmp_path.iterdir())
    data = bytearray(path.read_bytes())
    match damage:
        case "cut short":
            path.write_bytes(data[: len(data) // 2])
        case "a bit turned":
            data[len(data) // 3] ^= 4
            path.write_bytes(data)
        case "empty":
            path.write_bytes(b"")
        case "foreign":
            path.write_text("no sheet")
        case _:
            path = path.rename(tmp_path / "sheet-mine.blank")
    with caplog.at_level(logging.WARNING):
        finder = SheetFinder([LAYOUT], tmp_path)
    (said,) = caplog.messages
    assert said.startswith(f"{path}: expected a sheet as it was when blank")
    sure = sure_crosses(finder.find(written, now, ()))
    assert sorted(map(len, sure)) == [0, *[len(CROSSED)] * len(others)]


def test_a_folder_that_cannot_be_written_is_said_once_and_reading_goes_on(
    pictures: Pictures, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (blank, where), (written, now) = pictures
    (tmp_path / "file").write_text("")
    with caplog.at_level(logging.WARNING):
        finder = SheetFinder([LAYOUT], tmp_path / "file" / "blank-sheets")
        finder.find(blank, where, ())
    (said,) = caplog.messages
    assert "blank sheets cannot be kept" in said
    assert sure_crosses(finder.find(written, now, ())) == [set(CROSSED)] * len(POSES)


@pytest.mark.long
def test_a_blank_sheet_of_another_print_or_another_distance_is_none(
    pictures: Pictures, kept: Path, tmp_path: Path
) -> None:
    written, now = pictures[1]
    copytree(kept, tmp_path, dirs_exist_ok=True)
    other = replace(LAYOUT, toppings=LAYOUT.toppings[1:])
    assert sure_crosses(SheetFinder([other], tmp_path).find(written, now, ())) == [set()] * len(POSES)
    half = (written.shape[1] * 3 // 4, written.shape[0] * 3 // 4)
    smaller = np.asarray(cv2.resize(written, half, interpolation=cv2.INTER_AREA), np.uint8)
    farther = SheetFinder([LAYOUT], tmp_path).find(smaller, find_mat(smaller), ())
    assert sure_crosses(farther) == [set()] * len(POSES)
