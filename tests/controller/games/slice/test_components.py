"""The cards of SLICE: what is in the packaged file, and an owner's own."""

from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from controller.game import OptionError
from controller.games.facts import ComponentError, list_facts, parse_table
from controller.games.slice import GAME
from controller.games.slice.components import own_cards, parse_components, with_own_cards

TEXT = files("controller.games.slice").joinpath("components.toml").read_text("utf-8")
PLAIN = GAME.components


def test_the_reconstructed_deck() -> None:
    counts = dict(zip(PLAIN.cards, PLAIN.counts, strict=True))
    assert counts.pop("hot-sauce") == 8
    assert counts.pop("combo") == 8
    assert set(counts.values()) == {14}
    assert len(counts) == 8


def test_the_reconstructed_orders_have_four_toppings_twice_and_are_all_different() -> None:
    assert all(set(Counter(toppings).values()) == {2} for toppings in PLAIN.toppings.values())
    assert len({frozenset(toppings) for toppings in PLAIN.toppings.values()}) == 24
    often = Counter(topping for toppings in PLAIN.toppings.values() for topping in set(toppings))
    assert set(often.values()) == {12}


def test_every_fact_says_where_it_comes_from() -> None:
    facts = list(list_facts(parse_table(TEXT, "components.toml")))
    assert {(fact.name, fact.provenance) for fact in facts if fact.piece == "deck"} == {
        ("order_cards", "rules"),
        ("slice_cards", "rules"),
        ("places", "rules"),
    }
    assert all(fact.provenance == "reconstructed" for fact in facts if fact.piece.startswith(("topping", "order")))


def test_words() -> None:
    assert PLAIN.words("hot-sauce") == "Hot Sauce"
    assert PLAIN.words("ham") == "'ham'"


def orders(*toppings: Any) -> dict[str, list[Any]]:
    return {f"mine-{number}": list(toppings) for number in range(24)}


def test_own_cards_and_orders() -> None:
    own = {"cards": {"ham": 100, "hot-sauce": 10, "combo": 18}, "orders": orders(*["ham"] * 8)}
    found = with_own_cards(PLAIN, own)
    assert found.cards == ("ham", "hot-sauce", "combo")
    assert found.toppings["mine-3"] == ("ham",) * 8
    assert found.words("ham") == "Ham"
    assert with_own_cards(PLAIN, own_cards(found)) == found
    assert with_own_cards(PLAIN, {}) is PLAIN


def test_own_cards_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    counts = dict(zip(PLAIN.cards, PLAIN.counts, strict=True)) | {"pepperoni": 20, "combo": 2}
    path.write_text("[cards]\n" + "\n".join(f"{card} = {count}" for card, count in counts.items()))
    state = GAME.start(3, {"components": str(path)})
    assert sum(state.pools[0]) == 128
    assert state.pools[0][0] == 20
    with pytest.raises(OptionError, match=r"nowhere\.toml: cannot be read"):
        GAME.start(3, {"components": str(tmp_path / "nowhere.toml")})


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ([], "is no object with cards and orders"),
        ({"toppings": {}}, "toppings: unknown key"),
        ({"cards": {"ham": 127}}, "127 slice cards are not 128"),
        ({"cards": {"ham": -1}}, "cards.ham: -1 is no whole number"),
        ({"cards": {"ham": 80, "hot-sauce": 48}}, "48 Hot Sauce cards are more than 32"),
        ({"cards": {"ham": 128}}, "order-1: 'pepperoni' is no topping"),
        ({"cards": {"Ham!": 128}}, "'Ham!' is no name"),
        ({"cards": []}, "cards: .* is no object"),
        ({"orders": orders(*["olive"] * 7)}, "7 toppings are not 8"),
        ({"orders": orders(*["combo"] * 8)}, "'combo' is no topping"),
        ({"orders": orders(*[["olive"]] * 8)}, "is no topping"),
        ({"orders": {"mine-1": ["olive"] * 8}}, "1 order cards are not 24"),
        ({"orders": {"mine-1": "olive"}}, "is no list of toppings"),
    ],
)
def test_own_cards_that_cannot_be(own: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        GAME.start(3, {"components": own})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("slice_cards = { is = 128", "slice_cards = { is = 100", "128 slice cards are not 100"),
        ("order_cards = { is = 24", "order_cards = { is = 23", "24 order cards are not 23"),
        ('"pepperoni", "mushroom", "olive", "pepper", "pepperoni"', '"ham", "mushroom", "olive", "pepper", "pepperoni"',
         "order-1: 'ham' is no topping"),
        ("[special.combo]", "[special.wild]", "special.combo: missing"),
        ("cards = { is = 14", "cards = { is = -14", "is no whole number"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(ComponentError, match=message):
        parse_components(TEXT.replace(old, new), "mine.toml")
