"""What the cut-and-choose games share."""

from collections.abc import Collection, Sequence
from itertools import chain
from math import comb
from random import Random
from typing import Any

import pytest

from controller.game import GameError, NotationError
from controller.games import cut_and_choose as cut
from controller.games.registry import load_game
from controller.games.wording import joined
from tests.controller.games.known import known
from tests.controller.games.random_play import Ply, last_state, leaves, mutated, play, through_json

RING = tuple("abcdefghijk")


@pytest.mark.parametrize("portions", [1, 2, 3, 4, 5, 6, 11])
def test_divisions_each_once_and_in_order(portions: int) -> None:
    found = list(cut.divisions(RING, portions))
    assert len(found) == len(set(found)) == (comb(11, portions) if portions > 1 else 1)
    for division in found:
        assert len(division) == portions
        assert all(division)
        assert "a" in division[0]
        assert cut.same_ring(RING, tuple(chain.from_iterable(division)))


def test_a_ring_has_no_beginning_but_a_direction() -> None:
    assert cut.same_ring(RING, cut.start_ring_at(RING, "f"))
    assert not cut.same_ring(RING, RING[::-1])
    assert not cut.same_ring(RING, RING[:-1])
    assert cut.same_ring((), ())


@pytest.mark.parametrize(("portions", "number"), [(3, 550), (4, 1485), (5, 2640), (6, 3234)])
def test_divisions_with_a_special_each_once_and_numbered(portions: int, number: int) -> None:
    found = list(cut.divisions_with_special(RING, portions))
    assert len(found) == len(set(found)) == number
    for division, special_in in found:
        assert len(division) == portions
        assert all(portion or index == special_in for index, portion in enumerate(division))
        assert cut.numbered_portions(RING, division, special_in) == (division, special_in)
        turned = division[1:] + division[:1]
        assert cut.numbered_portions(RING, turned, (special_in - 1) % portions) == (division, special_in)


def test_portions_without_a_special_are_numbered_too() -> None:
    division = (RING[:4], RING[4:7], RING[7:])
    assert cut.numbered_portions(RING, division[2:] + division[:2], None) == (division, None)


@pytest.mark.parametrize(
    ("ring", "problem"),
    [
        (RING, None),
        ((*RING[:10], "a"), "Twice in the pizza: A."),
        ((*RING[:10], "x"), "No slice of this game: X."),
        ((*RING[:10], "l"), "Already seen in this game: L."),
        (RING[:10], "The pizza has 10 slices, not 11."),
        (RING[:1], "The pizza has 1 slice, not 11."),
    ],
)
def test_what_is_wrong_with_a_pizza(ring: tuple[str, ...], problem: str | None) -> None:
    fault = cut.faces_fault(ring, (*RING, "l"), str.upper) or cut.stack_fault(ring, RING, str.upper, "pile")
    assert (fault.problem if fault else None) == problem


def test_what_is_wrong_with_a_division() -> None:
    def problem(slices: tuple[str, ...]) -> str:
        return known(cut.Fault, cut.slices_fault(RING, slices, str.upper)).problem

    assert cut.slices_fault(RING, RING[3:] + RING[:3], str.upper) is None
    assert problem((*RING, "a")) == "In two places at once: A."
    assert problem((*RING, "x")) == "Not of this pizza: X."
    assert problem(RING[1:]) == "In no portion: A."
    assert cut.order_fault(RING, RING[3:] + RING[:3], str.upper) is None
    assert known(cut.Fault, cut.order_fault(RING, tuple("bacdefghijk"), str.upper)).pieces == ("b", "a", "k")


def table(*portions: str, taken: Collection[int] = ()) -> tuple[cut.Portion, ...]:
    return tuple(cut.Portion(tuple(one), False, 1 if index in taken else None) for index, one in enumerate(portions))


def larger(portion: cut.Portion) -> bool:
    return len(portion.slices) > 1


def test_shifts_over_every_cut_either_way() -> None:
    found = list(cut.shifts(table("ab", "c", "def"), larger, across_gaps=False))
    assert sorted(found) == [("a", 2), ("b", 1), ("d", 1), ("f", 0)]


@pytest.mark.parametrize(("across", "expected"), [(False, []), (True, [("a", 2), ("b", 2), ("e", 0), ("g", 0)])])
def test_shifts_across_the_gap_of_a_taken_portion(across: bool, expected: list[tuple[str, int]]) -> None:
    portions = table("ab", "cd", "efg", "hi", taken=(1, 3))
    assert sorted(cut.shifts(portions, larger, across)) == expected


def test_both_ends_of_a_single_slice_are_the_same_shift() -> None:
    portions = table("a", "bcd", "")
    assert sorted(cut.shifts(portions, lambda _: True, across_gaps=False)) == [("a", 1), ("b", 0), ("d", 0)]
    assert not list(cut.shifts(table("abc", ""), lambda _: True, across_gaps=True))


@pytest.mark.parametrize(
    ("face", "to", "expected"),
    [("b", 1, ["a", "bc", "def"]), ("a", 2, ["b", "c", "defa"]), ("f", 0, ["fab", "c", "de"])],
)
def test_a_shifted_slice_comes_to_the_end_it_came_over(face: str, to: int, expected: list[str]) -> None:
    after = cut.shifted(table("ab", "c", "def"), face, to, across_gaps=False)
    assert ["".join(one.slices) for one in after] == expected


def test_out_of_order_names_the_slices_before_each_break() -> None:
    assert cut.out_of_order(RING, RING) == ()
    assert cut.out_of_order(RING, tuple("bacdefghijk")) == ("b", "a", "k")


@pytest.mark.parametrize(
    ("slicer", "players", "order"),
    [(1, 4, (2, 3, 4, 1)), (4, 4, (1, 2, 3, 4)), (1, 2, (2, 1, 2, 1)), (2, 2, (1, 2, 1, 2)), (3, 3, (1, 2, 3))],
)
def test_choosing_order(slicer: int, players: int, order: tuple[int, ...]) -> None:
    assert cut.choosing_order(slicer, players) == order


def test_most() -> None:
    assert cut.most({1: 0, 2: 0}) == ()
    assert cut.most({1: 1, 2: 0}) == (1,)
    assert cut.most({1: 3, 2: 3, 3: 2}) == (1, 2)


@pytest.mark.parametrize(("halves", "words"), [(0, "0"), (1, "½"), (2, "1"), (5, "2½")])
def test_words_for_halves(halves: int, words: str) -> None:
    assert cut.words_for_halves(halves) == words


def test_joined() -> None:
    assert joined([]) == ""
    assert joined(["a"]) == "a"
    assert joined(["a", "b", "c"]) == "a, b and c"


def test_subsets_and_duplicates() -> None:
    assert list(cut.subsets("ab")) == [frozenset(), frozenset("a"), frozenset("b"), frozenset("ab")]
    assert cut.duplicates(tuple("abcbab")) == ("b", "a")


def outlook(counts: dict[int, int], openness: float = 0.06, edge: float = 0.25) -> cut.Outlook:
    edges = {player: dict.fromkeys(counts, edge) for player in counts}
    return cut.Outlook({7: counts}, {7: openness}, edges)


def test_a_settled_type_goes_to_who_has_most() -> None:
    assert outlook({1: 4, 2: 2}).chance(7, 1) > 0.99
    assert outlook({1: 4, 2: 2}).chance(7, 2) < 0.01
    assert outlook({1: 0, 2: 0}).chance(7, 1) < 0.1


@pytest.mark.parametrize(("edge", "low", "high"), [(0.25, 0.9, 1), (-0.25, 0, 0.1)])
def test_a_tie_scores_or_not(edge: float, low: float, high: float) -> None:
    assert low <= outlook({1: 4, 2: 4}, edge=edge).chance(7, 1) <= high


def test_an_open_type_is_uncertain_and_more_of_it_a_gain() -> None:
    prospects = outlook({1: 4, 2: 2}, openness=2.0)
    assert 0.5 < prospects.chance(7, 1) < 0.9
    assert prospects.gain(2, 7, 4) > prospects.gain(2, 7, 2) > 0


def test_everybody_takes_the_best_that_is_left() -> None:
    worths = {1: [5.0, 1.0, 3.0], 2: [9.0, 2.0, 8.0], 3: [0.0, 0.0, 1.0]}
    gained = cut.choose_in_order(worths, (2, 3, 1), [0, 1, 2])
    assert gained == {1: 1.0, 2: 9.0, 3: 1.0}
    assert cut.lead(gained, 2) == 8.0


def test_the_best_division_is_the_one_that_an_enumeration_finds() -> None:
    """Each player values other slices, none two runs alike; who slices chooses last."""
    random = Random(1)
    values = {player: {face: random.random() for face in RING} for player in (1, 2, 3)}

    def worth(player: int, slices: Sequence[str]) -> float:
        return sum(values[player][face] for face in slices)

    special_worth = {1: 0.5, 2: 2.0, 3: 0.0}
    best = cut.rated_divisions(RING, (2, 3, 1), worth, special_worth, 5)
    slow = []
    for division, special_in in cut.divisions_with_special(RING, 3):
        worths = {
            player: [worth(player, one) + special_worth[player] * (at == special_in) for at, one in enumerate(division)]
            for player in values
        }
        slow.append(cut.lead(cut.choose_in_order(worths, (2, 3, 1), [0, 1, 2]), 1))
    assert [value for value, *_ in best] == pytest.approx(sorted(slow, reverse=True)[:5])
    assert len({one[1:] for one in best}) == 5
    plain = cut.rated_divisions(RING, (2, 3, 1), worth, None, 1000)
    assert {division for _, division, _ in plain} == set(cut.divisions(RING, 3))
    assert {special_in for *_, special_in in plain} == {None}


# States as JSON -------------------------------------------------------------------------------------------------------


def _plies(name: str, players: int, rng: Random) -> list[Ply]:
    engine = load_game(name)
    options = {"advanced": True} if name == "pizzeria" else {}
    return list(play(engine, engine.start(players, options), rng))


@pytest.mark.parametrize("name", ["new_york_slice", "pizzeria"])
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"players": 7}, "players: 7"),
        ({"slicer": 9}, "state.slicer: 9 cannot be; with all the rest goes"),
        ({"taker": 3}, "deciding"),
        ({"holdings": []}, "state.holdings"),
        ({"unseen": []}, "state.unseen"),
        ({"order": [1, 1, 1]}, "state.order: "),
        ({"set_aside": ["special/dibs", "special/dibs"]}, "position.set_aside"),
    ],
)
def test_a_state_whose_parts_do_not_go_together_is_refused(name: str, change: dict[str, Any], problem: str) -> None:
    engine = load_game(name)
    chosen = next(ply.state for ply in _plies(name, 3, Random(2)) if ply.state.order)
    with pytest.raises(NotationError, match=problem):
        engine.decode_state({**through_json(engine.encode_state(chosen)), **change})


@pytest.mark.parametrize("name", ["new_york_slice", "pizzeria"])
def test_a_changed_state_is_refused_or_can_be_played_on(name: str) -> None:
    engine, rng = load_game(name), Random(3)
    for players in (2, 4):
        plies = _plies(name, players, rng)
        pool = [leaf for ply in plies[:10] for leaf in leaves(engine.encode_state(ply.state))]
        for ply in rng.sample(plies, 6):
            data = through_json(engine.encode_state(ply.state))
            for _ in range(6):
                try:
                    state = engine.decode_state(mutated(data, rng, pool))
                except GameError:
                    continue
                rest = list(play(engine, state, rng))
                engine.score(last_state(engine, rest) if rest else state)
