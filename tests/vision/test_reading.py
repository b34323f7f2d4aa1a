"""How likely a reading is no chance likeness and no piece that was never enrolled, by what faces cost on it."""

import numpy as np
import pytest

from tests.vision.drawn_cards import enrolled
from vision.pieces.prepared import Prepared, prepare
from vision.pieces.reading import Reading
from vision.scene import PieceKind


@pytest.fixture(scope="module")
def cards() -> Prepared:
    return prepare(enrolled().kinds[PieceKind.SLICE_CARD])


def costing(own: float, other: float, cards: Prepared) -> Reading:
    """An open card on which its face costs so much everywhere, and the next best face so much."""
    cells = len(cards.faces.shape.lattice)
    costs = np.repeat(np.array([[own], [other]], np.float32), cells, axis=1)
    nowhere = np.zeros(cells, bool)
    return Reading(
        PieceKind.SLICE_CARD, np.zeros(3), 0, np.array([0, 1]), costs, 5.0 - costs[0], ~nowhere, nowhere, nowhere, cards
    )


@pytest.mark.parametrize(("own", "other"), [(0.2, 0.62), (0.24, 0.72), (0.25, 1.3), (0.7, 2.2)])
def test_a_face_that_the_next_costs_many_times_more_than_is_sure(own: float, other: float, cards: Prepared) -> None:
    assert costing(own, other, cards).quality > 0.9


@pytest.mark.parametrize(("own", "other"), [(0.56, 1.09), (0.68, 1.26), (1.3, 1.7)])
def test_what_costs_about_as_much_as_it_leads_by_may_be_another_that_was_never_enrolled(
    own: float, other: float, cards: Prepared
) -> None:
    assert costing(own, other, cards).quality < 0.25


def test_faces_that_hardly_differ_there_are_not_told_apart_however_little_they_cost(cards: Prepared) -> None:
    assert costing(0.0, 0.04, cards).quality < 0.25


def test_what_is_sure_with_a_small_lead_is_still_tried_in_other_light(cards: Prepared) -> None:
    little, plain = costing(0.2, 0.65, cards), costing(0.2, 2.0, cards)
    assert (little.settled, little.in_plain_light) == (True, False)
    assert (plain.settled, plain.in_plain_light) == (True, True)
