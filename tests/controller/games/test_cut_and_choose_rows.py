"""Rows in which simulated players lay what they took."""

from itertools import pairwise

import pytest

from config.loader import load_table
from controller.games.cut_and_choose_rows import PITCHES_MM, Item, fill, row_lines
from controller.seating import areas

PIZZAS, SLICES, PORTIONS = 6, 11, 3
CONFIG = load_table([])
SEATED = areas(CONFIG, {seat: seat for seat in CONFIG.seats})


@pytest.mark.parametrize("seat", SEATED)
def test_there_is_room_for_all_that_one_player_can_take(seat: int) -> None:
    """Others take one slice of each pizza; as far as the rules go, all six Specials may be one player's."""
    items = [Item(f"slice {i}", True) for i in range(PIZZAS * (SLICES - PORTIONS + 1))]
    items += [Item(f"special {i}", True, is_card=True) for i in range(PIZZAS)]
    rows = row_lines(SEATED[seat])
    placed = next(placed for pitch in PITCHES_MM if (placed := fill(rows, items, pitch, 40.0)) is not None)
    assert [item for _, item, _ in placed] == items
    for (row, _, x), (next_row, _, next_x) in pairwise(placed):
        assert next_row > row or next_x > x
    assert all(rows[row].left < x < rows[row].right for row, _, x in placed)
