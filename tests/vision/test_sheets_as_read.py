"""A sheet on which nothing was written looks as it did when it was read; with the faintest mark it does not."""

import numpy as np
import pytest

from controller.games.dice_and_slice.hands import SHEET, Pencilled
from controller.sheet_prints import load_prints
from controller.simulation.copies.dice_and_slice import pencil
from controller.simulation.copy import own_art
from hardware.simulated.pencil import PencilledSheet, Writer
from hardware.simulated.surroundings import Conditions
from tests.long import cases
from tests.vision.camera_noise import camera_noise
from tests.vision.test_sheets_on_table import POSES, one_sheet
from vision.frame import Image
from vision.mat.registration import find_mat
from vision.scene import MarkKind
from vision.sheets.as_read import Looked
from vision.sheets.finding import FoundSheet, find_on_table

(PRINT,) = load_prints()
NOISE = 1.5
FAINT = Writer("faint", darkness=(0.16, 0.2))
"""A third as dark as the palest of the simulated players."""


def table(*marks: Pencilled) -> Image:
    art = dict(own_art("dice_and_slice"))
    sheet = PencilledSheet(art[SHEET], FAINT)
    for mark in marks:
        pencil(sheet, PRINT, mark)
    art["written"] = sheet.art()
    return one_sheet(Conditions(seed=4, noise=0.5), art, "written", POSES[5])


def noisy(image: Image, seed: int, light: float = 1.0) -> Image:
    seen = image * np.float32(light) + camera_noise(image.shape, NOISE, seed)
    return np.asarray(np.clip(np.round(seen), 0, 255), np.uint8)


@pytest.fixture(scope="module")
def blank() -> Image:
    return table()


@pytest.fixture(scope="module")
def sheet(blank: Image) -> FoundSheet:
    (found,) = find_on_table(np.asarray(blank.min(axis=2), np.uint8), [PRINT], find_mat(blank))
    return found


@pytest.fixture(scope="module")
def looked(blank: Image, sheet: FoundSheet) -> Looked:
    return Looked.of(noisy(blank, 1), sheet.registration, PRINT)


@cases("light", [1.04, 0.96, 1.0], always=1)
def test_in_other_noise_and_a_little_more_light_it_looks_as_it_did(
    blank: Image, sheet: FoundSheet, looked: Looked, light: float
) -> None:
    assert sum(looked.as_in(noisy(blank, seed, light), sheet.strokes) for seed in range(2, 12)) >= 9


@cases(
    ("kind", "at"),
    [
        (MarkKind.DOT, (4, 6)),
        (MarkKind.LINE, (4, 4, 4, 5)),
        (MarkKind.DIAGONAL, (7, 4, 8, 5)),
        (MarkKind.CROSSED_TOPPING, PRINT.toppings[3].square),
        (MarkKind.CIRCLED_BONUS, (1,)),
        (MarkKind.CROSSED_BONUS, (3,)),
    ],
    always=2,
)
def test_with_a_faint_mark_it_does_not(sheet: FoundSheet, looked: Looked, kind: MarkKind, at: tuple[int, ...]) -> None:
    written = table(Pencilled(kind, at))
    assert not any(looked.as_in(noisy(written, seed), sheet.strokes) for seed in range(2, 6))


def test_in_much_less_light_or_much_noise_nothing_is_told(blank: Image, sheet: FoundSheet, looked: Looked) -> None:
    assert not looked.as_in(noisy(blank, 2, 0.8), sheet.strokes)
    rough = np.random.default_rng(3).normal(0.0, 12.0, blank.shape)
    grainy = [np.asarray(np.clip(blank + sign * rough, 0, 255), np.uint8) for sign in (1.0, -1.0)]
    assert not Looked.of(grainy[0], sheet.registration, PRINT).as_in(grainy[1], sheet.strokes)
