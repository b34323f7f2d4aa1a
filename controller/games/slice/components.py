"""The cards of SLICE: what is printed on them and how many there are, read from `components.toml`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controller.game import Json
from controller.games.facts import ComponentError, Table, load_by, parse_table, whole_number

HOT_SAUCE = "hot-sauce"
COMBO = "combo"
SPECIAL_CARDS = (HOT_SAUCE, COMBO)

_KEY = re.compile(r"[a-z][a-z0-9-]{0,39}")
"""A name that stands in a move's notation."""


@dataclass(frozen=True, slots=True)
class Components:
    """All cards of one copy of the game. Cards of a kind are alike, so a card is named by its kind."""

    cards: tuple[str, ...]
    """The kinds of slice cards: the toppings, then Hot Sauce and Combo."""
    counts: tuple[int, ...]
    """How many there are of each kind, in that order."""
    orders: tuple[tuple[str, tuple[str, ...]], ...] = field(hash=False)
    """Each order card with the toppings of its places, clockwise from place 1."""
    own: bool = False
    """Whether the kinds or the orders are those of this copy, not the packaged ones."""
    names: Mapping[str, str] = field(compare=False, default_factory=dict)
    """What a player calls a kind, such as "Hot Sauce"."""
    index: Mapping[str, int] = field(init=False, compare=False, repr=False)
    """Where a kind stands in `cards`."""
    toppings: Mapping[str, tuple[str, ...]] = field(init=False, compare=False, repr=False)
    """The toppings of an order's places."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {card: number for number, card in enumerate(self.cards)})
        object.__setattr__(self, "toppings", dict(self.orders))

    def words(self, card: str) -> str:
        """What a player calls a card of this kind."""
        return self.names.get(card, repr(card))


def parse_components(text: str, where: str) -> Components:
    """The cards described by TOML text; `where` names its file in errors. Raises ComponentError."""
    table = parse_table(text, where)
    toppings, specials, orders = table.table("topping"), table.table("special"), table.table("order")
    deck = table.table("deck")
    entries = {topping: toppings.table(topping) for topping in toppings.data}
    entries |= {card: specials.table(card) for card in SPECIAL_CARDS}
    places = {order: tuple(orders.table(order).fact("places", list)) for order in orders.data}
    counts = {card: entry.number("cards", _possible_counts(deck)) for card, entry in entries.items()}
    names = {card: entry.fact("name", str) for card, entry in entries.items()}
    return _checked(counts, places, names, _Box.of(deck), where)


load_components = load_by(parse_components, __package__)


def with_own_cards(components: Components, own: object, where: str = "option components") -> Components:
    """These cards with what a copy has otherwise: `{"cards": {"ham": 14, ...}, "orders": {"order-1": ["ham", ...]}}`.

    Either may be left out; what is given is given whole. Raises ComponentError.
    """
    if not isinstance(own, Mapping):
        raise ComponentError(f"{where}: {own!r} is no object with cards and orders")
    for key in own:
        if key not in ("cards", "orders"):
            raise ComponentError(f"{where}: {key}: unknown key; expected cards and orders")
    if not own:
        return components
    box = _Box(sum(components.counts), len(components.orders), len(components.orders[0][1]))
    counts = dict(zip(components.cards, components.counts, strict=True))
    if "cards" in own:
        given = _mapping(own["cards"], where, "cards")
        counts = {card: whole_number(given[card], range(box.cards + 1), where, f"cards.{card}") for card in given}
        counts = {card: counts[card] for card in counts if card not in SPECIAL_CARDS} | {
            card: counts.get(card, 0) for card in SPECIAL_CARDS
        }
    orders = components.toppings
    if "orders" in own:
        given = _mapping(own["orders"], where, "orders")
        orders = {order: tuple(_list(toppings, where, f"orders.{order}")) for order, toppings in given.items()}
    names = {card: components.names.get(card, card.replace("-", " ").capitalize()) for card in counts}
    return _checked(counts, orders, names, box, where, own=True)


def own_cards(components: Components) -> Json:
    """What `with_own_cards` makes these cards from; nothing for the packaged ones."""
    if not components.own:
        return {}
    return {
        "cards": dict(zip(components.cards, components.counts, strict=True)),
        "orders": {order: list(toppings) for order, toppings in components.orders},
    }


@dataclass(frozen=True, slots=True)
class _Box:
    """How many cards of each sort there are."""

    cards: int
    orders: int
    places: int

    @staticmethod
    def of(deck: Table) -> "_Box":
        every = range(1, 1000)
        return _Box(deck.number("slice_cards", every), deck.number("order_cards", every), deck.number("places", every))


def _possible_counts(deck: Table) -> range:
    return range(_Box.of(deck).cards + 1)


def _checked(
    counts: Mapping[str, int],
    orders: Mapping[str, tuple[str, ...]],
    names: Mapping[str, str],
    box: _Box,
    where: str,
    *,
    own: bool = False,
) -> Components:
    """128 slice cards and 24 orders of eight places, each a topping that there is."""
    for name in (*counts, *orders):
        if not isinstance(name, str) or not _KEY.fullmatch(name):
            raise ComponentError(f"{where}: {name!r} is no name of small letters, digits and hyphens")
    if sum(counts.values()) != box.cards:
        raise ComponentError(f"{where}: {sum(counts.values())} slice cards are not {box.cards}")
    if counts[HOT_SAUCE] > box.cards // 4:
        problem = f"{counts[HOT_SAUCE]} Hot Sauce cards are more than {box.cards // 4}"
        raise ComponentError(f"{where}: {problem}; eight pizzas could then use up the draw pile")
    if len(orders) != box.orders:
        raise ComponentError(f"{where}: {len(orders)} order cards are not {box.orders}")
    for order, toppings in orders.items():
        if len(toppings) != box.places:
            raise ComponentError(f"{where}: {order}: {len(toppings)} toppings are not {box.places}")
        for topping in toppings:
            if topping in SPECIAL_CARDS or not isinstance(topping, str) or topping not in counts:
                raise ComponentError(f"{where}: {order}: {topping!r} is no topping of this game")
    return Components(tuple(counts), tuple(counts.values()), tuple(orders.items()), own, names)


def _mapping(value: object, where: str, key: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ComponentError(f"{where}: {key}: {value!r} is no object")
    return value


def _list(value: object, where: str, key: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise ComponentError(f"{where}: {key}: {value!r} is no list of toppings")
    return list(value)
