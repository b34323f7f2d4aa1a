"""The pieces of New York Slice."""

import re
from pathlib import Path

import pytest

from controller.game import OptionError
from controller.games.facts import ComponentError
from controller.games.new_york_slice import GAME, components
from controller.games.new_york_slice.components import load_components, load_own_facts, parse_components

PACKAGED = (Path(components.__file__).parent / "components.toml").read_text(encoding="utf-8")


def test_there_are_69_slices_and_14_specials() -> None:
    pieces = load_components()
    assert len(pieces.by_face) == 69
    assert len(pieces.specials_by_face) == 14


def test_names_that_the_rules_give() -> None:
    names = load_components().type_names
    assert (names[3], names[8], names[10], names[11]) == ("Veggie", "Mushroom", "Meat Lovers", "Cheese")
    assert {"Margarita", "BBQ Chicken", "Hawaiian"} < set(names.values())


def test_pepperoni_is_as_the_rules_say() -> None:
    pieces = load_components()
    numbered = [facts for facts in pieces.slices if len(facts.values) == 1]
    with_pepperoni = [facts for facts in numbered if facts.pepperoni]
    assert len(numbered) / 2 < len(with_pepperoni) < len(numbered)  # most have some, a few none
    assert all(facts.pepperoni for facts in numbered if facts.name in ("Margarita", "BBQ Chicken"))
    assert all(facts.pepperoni == 0 for facts in pieces.slices if len(facts.values) == 2)
    assert (pieces.by_face["anchovy"].pepperoni, pieces.by_face["anchovy"].anchovies) == (0, 3)
    assert pieces.by_face["supreme"].pepperoni == 2


def test_some_slices_have_anchovies_and_some_of_those_pepperoni_too() -> None:
    with_anchovies = [facts for facts in load_components().slices if facts.anchovies and facts.values]
    assert with_anchovies
    assert {bool(facts.pepperoni) for facts in with_anchovies} == {True, False}


def test_every_fact_has_its_provenance() -> None:
    facts = re.findall(r"^\w+ = \{ is = .*$", PACKAGED, re.MULTILINE)
    assert len(facts) > 70
    assert all(re.search(r'from = "(rules|source|inferred|reconstructed)" }$', fact) for fact in facts)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('name = { is = "Veggie", from = "rules" }', "", "value.3.name: missing"),
        ('"Veggie", from = "rules"', '"Veggie", from = "hearsay"', "value.3.name.from: 'hearsay' is none of rules"),
        ('"Veggie", from = "rules"', '"Veggie"', "value.3.name.from: missing"),
        ('"Veggie", from', '"Veggie", by = 1, from', "value.3.name.by: unknown key"),
        ('is = "Veggie"', "is = 3", "value.3.name: 3 is no text"),
        ("is = [1, 1, 0]", "is = [1, 1]", r"value.3.pepperoni: \[1, 1\] has 2 numbers, not 3"),
        ("is = [1, 1, 0]", "is = [1, 1, -1]", "value.3.pepperoni: -1 is no whole number"),
        ("is = [5, 7]", "is = [5, 5]", r"combo.combo-5-7.values: \[5, 5\] are not two different"),
        ('is = ["combo-8-10"]', 'is = ["combo-8-9"]', "removed_faces: 'combo-8-9' is no slice"),
        ("pepperoni = { is = 2,", "pepperoni = { is = 1,", "supreme.pepperoni: 1 is not 2"),
        ("anchovies = { is = 3,", "anchovies = { is = 2,", "anchovy.anchovies: 2 is not 3"),
        ("stacks = { is = 4,", "stacks = { is = true,", "players.2.stacks: True"),
        ("[value.3]", "[value.3", "no TOML"),
    ],
)
def test_a_wrong_fact_is_named_with_file_key_and_value(old: str, new: str, problem: str) -> None:
    assert old in PACKAGED
    with pytest.raises(ComponentError, match=f"pieces.toml: .*{problem}"):
        parse_components(PACKAGED.replace(old, new, 1), "pieces.toml")


def test_a_file_of_own_facts(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('["9/9"]\npepperoni = 1\n["7/1"]\npepperoni = 3\nanchovies = 0\n', encoding="utf-8")
    assert load_own_facts(path) == {"9/9": {"pepperoni": 1}, "7/1": {"pepperoni": 3, "anchovies": 0}}
    pieces = GAME.start(4, {"components": str(path)}).options.components
    assert pieces.by_face["9/9"].pepperoni == 1
    assert pieces.by_face["9/9"].anchovies == 1
    assert pieces.own == (pieces.by_face["7/1"], pieces.by_face["9/9"])
    assert [facts.marks() for facts in pieces.own] == [
        {"pepperoni": 3, "anchovies": 0},
        {"pepperoni": 1, "anchovies": 1},
    ]


def test_a_file_of_own_facts_with_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('["9/9"]\nham = 1\n', encoding="utf-8")
    with pytest.raises(ComponentError, match=r"own.toml: 9/9.ham: unknown key"):
        load_own_facts(path)
    with pytest.raises(ComponentError, match=r"missing.toml: cannot be read"):
        load_own_facts(tmp_path / "missing.toml")
    with pytest.raises(OptionError, match=r"own.toml: 9/9.ham: unknown key"):
        GAME.start(4, {"components": str(path)})
    with pytest.raises(OptionError, match=r"components: 9/9.ham: unknown key"):
        GAME.start(4, {"components": {"9/9": {"ham": 1}}})


def test_a_file_with_all_pieces(tmp_path: Path) -> None:
    path = tmp_path / "all.toml"
    path.write_text(PACKAGED, encoding="utf-8")
    assert load_components(path) == load_components()


@pytest.mark.parametrize(
    ("face", "words"),
    [
        ("7/3", "the 7 slice (White)"),
        ("combo-8-10", "the 8/10 combo slice (Mushroom / Meat Lovers)"),
        ("anchovy", "the Anchovy slice"),
        ("special/dibs", "Dibs!"),
        ("pineapple", "'pineapple'"),
    ],
)
def test_what_a_player_calls_a_piece(face: str, words: str) -> None:
    assert load_components().words(face) == words
