"""The pieces of Dice and Slice."""

from pathlib import Path
from typing import Any

import pytest

from controller.games.dice_and_slice import GAME, components
from controller.games.dice_and_slice.components import load_components, parse_components, with_own_facts
from controller.games.facts import ComponentError, list_facts, load_own, parse_table
from tests.controller.games.dice_and_slice.situations import OWN

PACKAGED = (Path(components.__file__).parent / "components.toml").read_text(encoding="utf-8")


def test_the_sheet_has_12_by_9_squares_and_a_topping_in_some() -> None:
    pieces = load_components()
    assert (pieces.columns, pieces.rows) == (12, 9)
    assert len({one.square for one in pieces.toppings}) == len(pieces.toppings) > 0


def test_each_die_has_six_different_faces_of_two_to_four_dots_on_a_grid_of_three() -> None:
    pieces = load_components()
    assert [len({pieces.faces[f"{die}{number}"].dots for number in range(1, 7)}) for die in "AB"] == [6, 6]
    for face in pieces.faces.values():
        assert 2 <= len(face.dots) <= 4
        assert [len(row) for row in face.picture] == [3, 3, 3]


def test_some_faces_print_connected_dots() -> None:
    assert {face.connected for face in load_components().faces.values()} == {True, False}


def test_a_slice_of_n_squares_is_worth_the_sum_up_to_n() -> None:
    assert load_components().points == tuple(n * (n + 1) // 2 for n in range(16))


def test_every_topping_bonus_can_be_scored() -> None:
    pieces = load_components()
    assert set(pieces.bonus_of) == {0, *pieces.bonus_bits.values()}


def test_sizes_that_slices_can_have() -> None:
    assert load_components().sizes == (1, 4, 6, 8, 9, 10, 12, 14, 15)


def test_every_fact_has_its_provenance() -> None:
    facts = list(list_facts(parse_table(PACKAGED, "components.toml")))
    assert len(facts) > 35
    assert {one.provenance for one in facts} == {"source", "reconstructed"}
    assert {one.value for one in facts if one.name in ("columns", "rows")} == {9, 12}


def test_an_owners_copy_replaces_what_it_shows() -> None:
    own = {"sheet": {"points": [2] * 15}, "die": {"A": {"1": {"dots": ["o", "o"]}}}}
    pieces = with_own_facts(GAME.components, own)
    assert pieces.points[1:] == (2,) * 15
    assert pieces.faces["A1"].dots == {(0, 0), (0, 1)}
    assert pieces.faces["A2"] == GAME.components.faces["A2"]
    assert pieces != GAME.components
    assert pieces == with_own_facts(GAME.components, own)
    assert with_own_facts(GAME.components, {}) is GAME.components


def test_an_owners_copy_may_have_other_toppings_and_bonuses() -> None:
    pieces = with_own_facts(GAME.components, OWN)
    assert {one.name for one in pieces.bonuses} == set(OWN["bonus"]) - {
        name for name, entry in OWN["bonus"].items() if not entry["toppings"]
    }
    assert "olive-a8" in pieces.topping_bits


def test_an_owners_copy_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[topping.pineapple]\nsquares = ["c4"]\n', encoding="utf-8")
    assert load_own(path) == {"topping": {"pineapple": {"squares": ["c4"]}}}
    state = GAME.start(2, {"components": str(path)})
    assert "pineapple-c4" in state.options.components.topping_bits
    assert GAME.decode_state(GAME.encode_state(state)) == state


def test_an_owners_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match=r"gone\.toml: cannot be read"):
        load_own(tmp_path / "gone.toml")


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        (3, "option components: 3 is no mapping"),
        ({"card": {}}, "card: {} is not expected here; known are sheet, topping, bonus, die"),
        ({"sheet": {"columns": 1}}, "sheet.columns: 1 is no whole number from 2 to 25"),
        ({"sheet": {"columns": True}}, "sheet.columns"),
        ({"sheet": {"points": [1, 2]}}, r"sheet.points: \[1, 2\] are not 15 numbers"),
        ({"sheet": {"colour": "red"}}, "sheet.colour: 'red' is not expected"),
        ({"sheet": 3}, "sheet: 3 is not expected here"),
        ({"topping": {"olive": {"squares": ["m1"]}}}, "topping.olive.squares: 'm1' is no square"),
        ({"topping": {"olive": {"squares": ["d1", "d1"]}}}, "topping.olive.squares: 'd1' is no square without"),
        ({"topping": {"olive": {"squares": [1]}}}, "topping.olive.squares: 1 is no square"),
        ({"topping": {"olive": {"squares": [["d1"]]}}}, "topping.olive.squares: .* is no square"),
        ({"bonus": {"chili-olive": {"toppings": [[]]}}}, r"bonus.chili-olive.toppings: \[\] is no topping"),
        ({"sheet": {"points": {1, 2}}}, "is no JSON"),
        ({"topping": {"Big Olive": {"squares": ["c4"]}}}, "topping.Big Olive: is no name"),
        ({"topping": {"ham": {}}}, "topping.ham.squares: missing"),
        ({"bonus": {"ham": {"toppings": ["ham"], "points": 3}}}, "bonus.ham.toppings: 'ham' is no topping"),
        ({"bonus": {"more": {"toppings": ["olive", "chili"], "points": 3}}}, "the same as those of chili-olive"),
        ({"die": {"A": {"7": {}}}}, "die.A.7"),
        ({"die": {"A": {"1": {"dots": []}}}}, r"die.A.1.dots: \[\] are no rows"),
        ({"die": {"A": {"1": {"dots": ["x"]}}}}, "are no rows of o and ."),
        ({"die": {"A": {"1": {"dots": ["oo", "o"]}}}}, "are not rows of one length"),
        ({"die": {"A": {"1": {"dots": ["..."]}}}}, "number of dots: 0"),
        ({"die": {"A": {"4": {"connected": True}}}}, "die.A.4.connected: no two of its dots are neighbours"),
    ],
)
def test_impossible_pieces(own: Any, problem: str) -> None:
    with pytest.raises(ComponentError, match=problem):
        with_own_facts(GAME.components, own)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[die.A.6]", "[die.A.9]", "die.A.9: is none of 1, 2, 3"),
        ("[die.B.", "[die.C.", "die.C: is none of A, B"),
        ('columns = { is = 12, from = "source"', 'columns = { is = 12, from = "rumour"', "'rumour' is none of"),
        ("[sheet]", "[sheets]", "sheet: missing"),
        ("[sheet]", "[sheet", "no TOML"),
    ],
)
def test_impossible_files(old: str, new: str, problem: str) -> None:
    assert old in PACKAGED
    with pytest.raises(ComponentError, match=problem):
        parse_components(PACKAGED.replace(old, new), "components.toml")
