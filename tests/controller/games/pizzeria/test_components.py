"""The pieces of Pizzeria."""

from pathlib import Path
from typing import Any

import pytest

from controller.game import OptionError
from controller.games.facts import ComponentError, list_facts, parse_table
from controller.games.pizzeria import GAME, components
from controller.games.pizzeria.components import load_components, load_own_facts, parse_components

PACKAGED = (Path(components.__file__).parent / "components.toml").read_text(encoding="utf-8")


def test_names_that_the_rules_give() -> None:
    names = load_components().type_names
    assert [names[value] for value in (2, 3, 4, 5, 7, 8)] == [
        "Tomato", "Hawaiian", "Greek style", "Shrimp", "Mushroom", "Bacon",
    ]  # fmt: skip
    assert {"Pepperoni", "Vegetarian", "Supreme"} < set(names.values())


def test_basil_is_as_the_rules_say() -> None:
    pieces = load_components()
    assert all(facts.basil == 0 for facts in pieces.slices if len(facts.values) == 2 or facts.values == (2,))
    assert any(facts.basil == 3 for facts in pieces.slices)


def test_every_fact_has_its_provenance_and_those_of_the_offers_are_rules() -> None:
    facts = list(list_facts(parse_table(PACKAGED, "components.toml")))
    assert len(facts) > 70
    assert {fact.provenance for fact in facts if fact.piece.startswith("offer.")} == {"rules"}
    assert {fact.provenance for fact in facts if fact.piece == "value.9"} == {"reconstructed"}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('name = { is = "Tomato", from = "rules" }', "", "value.2.name: missing"),
        ('"Tomato", from = "rules"', '"Tomato", from = "hearsay"', "value.2.name.from: 'hearsay' is none of rules"),
        ("is = [0, 0]", "is = [0]", r"value.2.basil: \[0\] has 1 numbers, not 2"),
        ("is = [0, 0]", "is = [0, 1]", "2/2.basil: 1 is not 0"),
        ("is = [1, 1, 0]", "is = [1, 4, 0]", "value.3.basil: 4 is no whole number from 0 to 3"),
        ("is = [5, 7]", "is = [5, 5]", r"mixed.mixed-5-7.values: \[5, 5\] are not two different"),
        ('is = ["mixed-8-10"]', 'is = ["mixed-8-9"]', "removed_faces: 'mixed-8-9' is no slice"),
        ("piles = { is = 4,", "piles = { is = true,", "players.2.piles: True"),
        ('is = "this round"', 'is = "soon"', "offer.a.when: 'soon' is none of 'this round'"),
        ('never_in = { is = "first"', 'never_in = { is = "second"', "offer.a.never_in: 'second' is none of ''"),
        ("[value.3]", "[value.3", "no TOML"),
    ],
)
def test_a_wrong_fact_is_named_with_file_key_and_value(old: str, new: str, problem: str) -> None:
    assert old in PACKAGED
    with pytest.raises(ComponentError, match=f"pieces.toml: .*{problem}"):
        parse_components(PACKAGED.replace(old, new, 1), "pieces.toml")


def test_a_file_of_own_facts(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('["9/9"]\nbasil = 1\n["7/1"]\nbasil = 3\n', encoding="utf-8")
    assert load_own_facts(path) == {"9/9": {"basil": 1}, "7/1": {"basil": 3}}
    pieces = GAME.start(4, {"components": str(path)}).options.components
    assert pieces.by_face["9/9"].basil == 1
    assert pieces.own == (pieces.by_face["7/1"], pieces.by_face["9/9"])
    assert [facts.marks() for facts in pieces.own] == [{"basil": 3}, {"basil": 1}]


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        (3, "3 is no mapping"),
        ({"12/1": {"basil": 1}}, "'12/1' is no slice"),
        ({"9/9": {"ham": 1}}, "9/9.ham: unknown key; expected basil"),
        ({"9/9": {"basil": 4}}, "9/9.basil: 4 is no whole number from 0 to 3"),
    ],
)
def test_own_facts_with_a_mistake(own: Any, problem: str) -> None:
    with pytest.raises(OptionError, match=f"option components: {problem}"):
        GAME.start(4, {"components": own})


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match=r"missing.toml: cannot be read"):
        load_own_facts(tmp_path / "missing.toml")
    with pytest.raises(OptionError, match=r"missing.toml: cannot be read"):
        GAME.start(4, {"components": str(tmp_path / "missing.toml")})
    path = tmp_path / "all.toml"
    path.write_text(PACKAGED, encoding="utf-8")
    assert load_components(path) == load_components()


@pytest.mark.parametrize(
    ("face", "words"),
    [
        ("7/3", "the 7 slice (Mushroom)"),
        ("mixed-8-10", "the 8/10 mixed slice (Bacon / Supreme)"),
        ("offer/d", "special offer D"),
        ("pineapple", "'pineapple'"),
    ],
)
def test_what_a_player_calls_a_piece(face: str, words: str) -> None:
    assert load_components().words(face) == words
