"""Copies that were printed without colour, or in little ink: their faces are paler, and read all the same."""

import numpy as np
import pytest

from controller.simulation.copies.dice_and_slice import OwnArt
from controller.simulation.copy import enrol_own_copy, own_art
from hardware.simulated.artwork import in_grey
from tests.benchmarks.many_pieces import read_one
from tests.benchmarks.simulated_pieces import FAMILIES, enrolled
from tests.long import cases
from vision.files.label_kinds import LabelError
from vision.pieces.prepared import prepare

PALE_BOARDS = (743547, 743551)
"""With rims that hardly differ from the mat: neither was found by the rim alone."""


@pytest.mark.parametrize("family", ["grey-tiles", "grey-pizzeria", "grey-cards"])
def test_no_face_without_colour_is_even(family: str) -> None:
    """Such are read by their outline alone, which in a ring begins nowhere."""
    for faces in enrolled(FAMILIES[family]).kinds.values():
        assert not prepare(faces).even.any()


@cases(("family", "seed"), [("grey-pizzeria", 743364), ("grey-pizzeria", 743362), ("grey-tiles", 743362)], always=1)
def test_every_piece_of_a_copy_without_colour_is_read(family: str, seed: int) -> None:
    found = read_one(family, seed, "usual", None).found
    assert (found.right, found.sure_but_wrong) == (found.expected, 0)


def test_what_is_pencilled_on_a_sheet_without_colour_is_drawn() -> None:
    art = own_art("dice_and_slice")
    assert isinstance(art, OwnArt)
    blank, written = (art.in_grey()[face].image[..., :3].astype(int) for face in ("sheet", "sheet/1:dot 6.4"))
    assert np.ptp(blank, axis=-1).max() == 0
    assert np.count_nonzero(written < blank - 50) > 20


def test_toppings_without_colour_are_not_learned() -> None:
    with pytest.raises(LabelError, match="the green toppings look as the red ones do; expected colours"):
        enrol_own_copy("pizza_theory", in_grey(own_art("pizza_theory")), 1280, 720)


def test_every_piece_on_a_board_in_little_ink_is_read() -> None:
    """Among them boards whose rim hardly differs from the mat, with sticks and their shadows across it."""
    found = [read_one("pale-theory", seed, "usual", None).found for seed in PALE_BOARDS]
    assert [(one.right, one.sure_but_wrong) for one in found] == [(one.expected, 0) for one in found]
