"""Where a board may lie, before it is looked at closely."""

import numpy as np
import pytest

from tests.benchmarks.simulated_pieces import FAMILIES, enrolled, photographs
from tests.long import cases
from vision.board.finder import board_finder
from vision.board.pose import COARSE_STEP, badness, compare, find_board
from vision.board.sight import sight_of
from vision.mat.registration import find_mat


@cases("seed", [950001, 950003, 950005], always=0)
def test_bare_table_is_no_likelier_place_than_one_beside_the_boards(seed: int) -> None:
    """Plain wood costs less than a print that is seen 4 mm beside its place: it shows nothing that could be wrong."""
    family = FAMILIES["boards"]
    printed = enrolled(family).board
    assert printed is not None
    found = board_finder(printed)
    grid = found.enrolled_grid.every(COARSE_STEP)
    picture, labels = photographs(family, seed)
    sight = sight_of(picture, find_mat(picture))
    board = next(piece for piece in labels["pieces"] if piece["kind"] == "board")
    beside = compare(sight, grid, np.array([board["x_mm"] + 4.0, board["y_mm"] + 1.0, board["angle_deg"]]))
    for x_mm in (-450.0, -300.0, 300.0, 450.0):
        bare = compare(sight, grid, np.array([x_mm, 0.0, 0.0]))
        assert badness(beside) < badness(bare)


@pytest.mark.long
def test_a_full_board_first_taken_to_lie_beside_its_place_is_found() -> None:
    """Toppings on most spaces, three cutters and their shadows over it, far from the camera beside a mirrored lamp."""
    family = FAMILIES["theory"]
    printed = enrolled(family).board
    assert printed is not None
    found = board_finder(printed)
    picture, labels = photographs(family, 992039)
    fit = find_board(sight_of(picture, find_mat(picture)), found.enrolled, found.enrolled_grid)
    (board,) = (piece for piece in labels["pieces"] if piece["kind"] == "board")
    assert fit is not None
    assert np.hypot(fit.pose[0] - board["x_mm"], fit.pose[1] - board["y_mm"]) < 1.0
    assert fit.agreeing > 0.8
