"""What the cut-and-choose games share."""

from itertools import chain
from math import comb

import pytest

from controller.games import cut_and_choose as cut

RING = tuple("abcdefghijk")


@pytest.mark.parametrize("portions", [1, 2, 3, 4, 5, 6, 11])
def test_divisions_each_once_and_in_order(portions):
    found = list(cut.divisions(RING, portions))
    assert len(found) == len(set(found)) == (comb(11, portions) if portions > 1 else 1)
    for division in found:
        assert len(division) == portions
        assert all(division)
        assert "a" in division[0]
        assert cut.same_ring(RING, tuple(chain.from_iterable(division)))


def test_a_ring_has_no_beginning_but_a_direction():
    assert cut.same_ring(RING, cut.start_ring_at(RING, "f"))
    assert not cut.same_ring(RING, RING[::-1])
    assert not cut.same_ring(RING, RING[:-1])
    assert cut.same_ring((), ())


def test_out_of_order_names_the_slices_before_each_break():
    assert cut.out_of_order(RING, RING) == ()
    assert cut.out_of_order(RING, tuple("bacdefghijk")) == ("b", "a", "k")


@pytest.mark.parametrize(
    ("slicer", "players", "order"),
    [(1, 4, (2, 3, 4, 1)), (4, 4, (1, 2, 3, 4)), (1, 2, (2, 1, 2, 1)), (2, 2, (1, 2, 1, 2)), (3, 3, (1, 2, 3))],
)
def test_choosing_order(slicer, players, order):
    assert cut.choosing_order(slicer, players) == order


def test_most():
    assert cut.most({1: 0, 2: 0}) == ()
    assert cut.most({1: 1, 2: 0}) == (1,)
    assert cut.most({1: 3, 2: 3, 3: 2}) == (1, 2)


@pytest.mark.parametrize(("halves", "words"), [(0, "0"), (1, "½"), (2, "1"), (5, "2½")])
def test_words_for_halves(halves, words):
    assert cut.words_for_halves(halves) == words


def test_joined():
    assert cut.joined([]) == ""
    assert cut.joined(["a"]) == "a"
    assert cut.joined(["a", "b", "c"]) == "a, b and c"
