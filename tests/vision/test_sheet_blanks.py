"""Sheets on a table that were seen blank: pencil over print is what is darker than then."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from controller.games.dice_and_slice.hands import Pencilled, write_front
from controller.sheet_prints import load_prints
from controller.simulation.copy import own_art
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World
from vision.frame import Image
from vision.registration import Registration, find_mat
from vision.scene import MarkKind, PieceKind, Pose, Sighting
from vision.sheets.finder import SUREST_CROSS, SheetFinder

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


def likely(sheet: Sighting, kind: MarkKind, least: float) -> set[tuple[int, ...]]:
    return {mark.at for mark in sheet.marks if mark.kind is kind and mark.probability > least}


def test_what_is_pencilled_over_print_is_read(
    pictures: tuple[tuple[Image, Registration], tuple[Image, Registration]],
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
    pictures: tuple[tuple[Image, Registration], tuple[Image, Registration]],
) -> None:
    written, now = pictures[1]
    for sheet in SheetFinder([LAYOUT]).find(written, now, ()):
        crosses = [mark.probability for mark in sheet.marks if mark.kind is MarkKind.CROSSED_TOPPING]
        assert 1.0 - SUREST_CROSS <= min(crosses) <= max(crosses) <= SUREST_CROSS


def test_what_a_hand_lies_on_seems_neither_written_nor_rubbed_out(
    pictures: tuple[tuple[Image, Registration], tuple[Image, Registration]],
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


def test_where_print_is_missing_something_lies(
    pictures: tuple[tuple[Image, Registration], tuple[Image, Registration]],
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
