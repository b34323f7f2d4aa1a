"""Tables with score sheets that people have written on, as `make many-sheets` reads thousands of places."""

import pytest

from tests.benchmarks.many_sheets import BLANK_FIRST, read_one
from tests.benchmarks.simulated_sheets import places, printed, sheet_table
from vision.scene import SURE, MarkKind, PieceKind


@pytest.mark.long
def test_marks_are_read_where_they_were_written() -> None:
    """Three sheets, one on the mat; were truth or reading laid out otherwise, half of the marks would be wrong."""
    found = read_one(2, None).ways[BLANK_FIRST].found
    sheets = [match for match in found.matches if match.truth.kind is PieceKind.SHEET]
    assert len(sheets) == 3
    assert not found.missing
    for kind in (MarkKind.DOT, MarkKind.LINE):
        there, free = (
            [c.right for c in found.marks if c.mark.kind is kind and c.there is is_] for is_ in (True, False)
        )
        assert min(len(there), len(free)) > 50
        assert sum(there) >= 0.97 * len(there)
        assert sum(free) >= 0.99 * len(free)
    dice = [match for match in found.matches if match.truth.kind is PieceKind.DIE]
    assert dice
    assert all(match.right for match in dice if match.sighting.probability >= SURE)


def test_the_truth_names_every_place_and_what_is_over_it() -> None:
    table = sheet_table(8)
    assert table.hands == 0
    everywhere = set(places(printed()))
    assert all(sheet.marks <= everywhere for sheet in table.sheets)
    for shown in table.open_places:
        assert set(shown) == everywhere
        assert sum(seen is True for seen in shown.values()) > 0.9 * len(everywhere)
