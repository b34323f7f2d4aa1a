"""Numbers of ways a game of SLICE can go, counted in two ways.

The second way is a model of its own, written from the rule text without a look at the engine's rules: every card is one
entry of a list, face-down cards are a word that says which lot they were dealt from, and a state is changed in place.
"""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from math import perm
from typing import Any

import pytest

from controller.game import Json
from controller.games.slice import GAME
from controller.games.slice.rules import State
from tests.controller.games.slice.situations import ALL_DOWN, ORDERS, dealt, game, table
from tests.long import cases


def ways(state: State, depth: int) -> int:
    """Sequences of that many moves."""
    return sum(ways(GAME.apply(state, move), depth - 1) for move in GAME.legal(state)) if depth else 1


def reached(state: State, depth: int) -> set[State]:
    """Different states after exactly that many moves."""
    states = {state}
    for _ in range(depth):
        states = {GAME.apply(one, move) for one in states for move in GAME.legal(one)}
    return states


# Closed forms ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 8])
def test_orders_are_dealt_in_as_many_ways_as_there_are_arrangements(players: int) -> None:
    assert ways(game(players), 2) == len(reached(game(players), 2)) == perm(24, 2)


@pytest.mark.parametrize("players", range(2, 9))
def test_the_first_draw_and_what_becomes_of_it(players: int) -> None:
    """Ten kinds of cards; each other player grabs it (with two players the Drawer too), or nobody does."""
    hands = 2 if players == 2 else players - 1
    assert ways(dealt(players), 1) == 10
    assert ways(dealt(players), 2) == 10 * (hands + 1)


def test_hot_sauce_has_as_many_places_as_others_have_slices() -> None:
    """Player 2 or 3 of three grabs it and blocks one of 16 slices, or nobody does and one of ten kinds is drawn."""
    assert ways(table(open=["hot-sauce"]), 2) == 2 * 16 + 10
    assert ways(table(open=["hot-sauce"], players=4), 2) == 3 * 24 + 10


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_turning_the_table_changes_nothing(depth: int) -> None:
    """The same orders and pizzas one seat further clockwise."""
    seats = [("order-1", "? ? ? ? pepperoni ? ? ?"), ("order-2", "? combo ?! ? ? ? ? ?"), ("order-5", ALL_DOWN)]

    def turned(by: int) -> State:
        players = {
            str((number + by) % 3 + 1): {"order": order, "pizza": spots.split()}
            for number, (order, spots) in enumerate(seats)
        }
        drawer = by % 3 + 1
        return GAME.setup(3, {}, {"phase": "grab", "drawer": drawer, "draws": 4, "open": ["combo"], "players": players})

    counts = {(ways(turned(by), depth), len(reached(turned(by), depth))) for by in range(3)}
    assert len(counts) == 1


# A second model -------------------------------------------------------------------------------------------------------


class Model:
    """The rules once more, slowly, with their defaults and Pizza Reset."""

    def __init__(self, players: int, position: Json, reset: bool) -> None:
        deck = Counter(dict(zip(GAME.components.cards, GAME.components.counts, strict=True)))
        self.reset = reset
        self.count = players
        self.orders = [ORDERS[number] for number in range(players)]
        self.done: list[list[str]] = [[] for _ in range(players)]
        self.drawer = position["drawer"] - 1
        self.center = list(position["open"])
        self.circles = [
            [["lot a", "sauce"] if one == "?!" else ["lot a", ""] if one == "?" else [one, ""] for one in spots]
            for spots in (position["players"][str(number + 1)].get("pizza", ["?"] * 8) for number in range(players))
        ]
        deck -= Counter(self.center)
        for circle in self.circles:
            deck -= Counter("hot-sauce" for _, sauce in circle if sauce)
            deck -= Counter(face for face, _ in circle if face != "lot a")
        self.lots = {"a": deck}
        hidden = sum(face == "lot a" for circle in self.circles for face, _ in circle)
        self.stack = ["a"] * (deck.total() - hidden)
        self.waiting: tuple[Any, ...] = ("slap", False)
        self.spare = [order for order in GAME.components.toppings if order not in self.orders]

    def key(self) -> str:
        """The same for the same situation: lots are named in the order in which they are met."""
        names: dict[str, str] = {}
        parts = [str((self.drawer, self.center, self.orders, self.done, self.waiting[:2]))]
        met = [*self.stack, *(place[0][4:] for circle in self.circles for place in circle if place[0][:4] == "lot ")]
        met += [self.waiting[-1]] if self.waiting[0] in ("flip", "order", "last", "hold") and self.waiting[-1] else []
        for lot in met:
            names.setdefault(lot, str(len(names)))
        parts.append(str([(names[lot], sorted(self.lots[lot].items())) for lot in names]))
        parts.append(" ".join(names[lot] for lot in met))
        parts.append(str([[(None if face[:4] == "lot " else face, sauce) for face, sauce in c] for c in self.circles]))
        parts.append(str(self.waiting[2:-1]))
        return "|".join(parts)

    def after(self) -> Iterator["Model"]:
        """What can follow, one for each choice or chance."""
        what, *rest = self.waiting
        if what == "draw":
            for face in self.faces(self.stack[0]):
                model = deepcopy(self)
                model.see(model.stack.pop(0), face)
                model.center.append(face)
                model.waiting = ("slap", False)
                yield model
        elif what == "slap":
            yield from self.slaps(rest[0])
        elif what == "flip":
            for face in self.faces(rest[0]):
                model = deepcopy(self)
                model.flipped(face, rest[0])
                yield model
        elif what == "hold":
            yield from self.laid(*rest)
        elif what == "order":
            for order in self.spare:
                model = deepcopy(self)
                model.spare.remove(order)
                model.orders[model.drawer] = order
                model.waiting = ("last", rest[0])
                yield model
        elif what == "last":
            for face in self.faces(rest[0]):
                model = deepcopy(self)
                model.see(rest[0], face)
                model.center.append(face)
                model.waiting = ("slap", False)
                yield model

    def faces(self, lot: str) -> list[str]:
        return [face for face, left in self.lots[lot].items() if left > 0]

    def see(self, lot: str, face: str) -> None:
        self.lots[lot][face] -= 1

    def slaps(self, from_pizza: bool) -> Iterator["Model"]:
        for hand in range(self.count):
            if hand == self.drawer and (self.count > 2 or from_pizza):
                continue
            model = deepcopy(self)
            model.slapped(hand)
            yield model
        model = deepcopy(self)
        model.next_card()
        yield model

    def wanted(self, hand: int, card: str) -> list[int]:
        toppings = GAME.components.toppings[self.orders[hand]]
        return [n for n in range(8) if self.circles[hand][n][0][:4] == "lot " and card in (toppings[n], "combo")]

    def free(self, hand: int) -> list[tuple[int, int]]:
        return [
            (other, n)
            for other in range(self.count)
            for n in range(8)
            if other != hand and self.circles[other][n][0][:4] == "lot " and not self.circles[other][n][1]
        ]

    def slapped(self, hand: int) -> None:
        self.drawer = hand
        card = self.center[-1]
        if self.free(hand) if card == "hot-sauce" else self.wanted(hand, card):
            self.center.pop()
            self.waiting = ("hold", card, None)
            return
        circle = self.circles[hand]
        below = []
        for place in circle:
            if place[0][:4] != "lot ":
                self.center.append(place[0])
                place[0] = ""
            elif self.reset:
                below.append(place[0][4:])
                if place[1]:
                    self.center.append("hot-sauce")
                place[:] = ["", ""]
        self.bury()
        self.stack += sorted(below)
        self.fill(hand)
        self.next_card()

    def bury(self) -> None:
        name = f"b{len(self.lots)}"
        self.lots[name] = Counter(dict.fromkeys(GAME.components.cards, 0)) + Counter(self.center)
        self.stack += [name] * len(self.center)
        self.center = []

    def fill(self, hand: int) -> None:
        for place in self.circles[hand]:
            if place[0] == "":
                place[0] = "lot " + self.stack.pop(0)

    def next_card(self) -> None:
        if not self.stack:
            self.bury()
        self.waiting = ("draw", False)

    def laid(self, card: str, lot: str | None) -> Iterator["Model"]:
        hand = self.drawer
        if card == "hot-sauce":
            for other, n in self.free(hand):
                model = deepcopy(self)
                model.circles[other][n][1] = "sauce"
                model.next_card()
                yield model
            return
        for n in self.wanted(hand, card):
            model = deepcopy(self)
            if lot is not None:
                model.see(lot, card)
            place = model.circles[hand][n]
            if place[1]:
                place[1] = ""
                model.center += [card, "hot-sauce"]
                model.next_card()
            else:
                under = place[0][4:]
                place[0] = card
                model.waiting = ("flip", under)
                if not any(face[:4] == "lot " for face, _ in model.circles[hand]):
                    model.full(hand, under)
            yield model

    def full(self, hand: int, under: str) -> None:
        self.done[hand].append(self.orders[hand])
        for place in self.circles[hand]:
            self.center.append(place[0])
            place[0] = ""
        self.bury()
        self.fill(hand)
        self.waiting = ("order", under)

    def flipped(self, face: str, lot: str) -> None:
        if face != "hot-sauce" and self.wanted(self.drawer, face):
            self.waiting = ("hold", face, lot)
            return
        self.see(lot, face)
        self.center.append(face)
        self.waiting = ("slap", True)


def model_ways(model: Model, depth: int) -> int:
    return sum(model_ways(one, depth - 1) for one in model.after()) if depth else 1


def model_reached(model: Model, depth: int) -> int:
    """Different situations after exactly that many moves."""
    models = {model.key(): model}
    for _ in range(depth):
        models = {after.key(): after for one in models.values() for after in one.after()}
    return len(models)


def described(*pizzas: str, players: int = 2, drawer: int = 1, top: str = "onion") -> Json:
    seats: dict[str, dict[str, Json]] = {str(number): {"order": ORDERS[number - 1]} for number in range(1, players + 1)}
    for number, pizza in enumerate(pizzas, start=1):
        seats[str(number)]["pizza"] = pizza.split()
    return {"phase": "grab", "drawer": drawer, "draws": 9, "open": top.split(), "players": seats}


SEVEN = "pepperoni mushroom olive pepper pepperoni mushroom olive ?"
SITUATIONS = [
    (2, described(), False, 5),
    (3, described(players=3), False, 5),
    (4, described(players=4, top="olive pepper"), False, 5),
    (2, described("? ?! ? ? combo ? ? ?", "? ? ?! ? ? ? onion ?"), False, 5),
    (2, described("? ?! ? ? combo ? ? ?", "?! ? ?! ? ? ? onion ?", top="bacon"), True, 5),
    (3, described("? ?! ? ? ? ? ? ?", "? ? combo ? ? ? onion ?", players=3, top="combo"), False, 4),
    (3, described("pepperoni ? ? ? ? ? ? ?", players=3, top="hot-sauce"), True, 4),
    (2, described("pepperoni mushroom olive pepper pepperoni mushroom ? ?", drawer=2, top="pepper"), False, 5),
    (2, described(SEVEN, top="onion pepper", drawer=2), False, 4),
    (3, described(SEVEN, ALL_DOWN, ALL_DOWN, players=3, top="pepper", drawer=2), True, 4),
]


@cases(("players", "position", "reset", "depth"), SITUATIONS, always=2)
def test_ways_are_those_of_the_second_model(players: int, position: dict[str, Any], reset: bool, depth: int) -> None:
    state = GAME.setup(players, {"pizza_reset": reset}, position)
    for plies in range(depth + 1):
        assert ways(state, plies) == model_ways(Model(players, position, reset), plies)


@cases(("players", "position", "reset", "depth"), SITUATIONS, always=3)
def test_situations_reached_are_those_of_the_second_model(
    players: int, position: dict[str, Any], reset: bool, depth: int
) -> None:
    state = GAME.setup(players, {"pizza_reset": reset}, position)
    for plies in range(depth):
        assert len(reached(state, plies)) == model_reached(Model(players, position, reset), plies)


def test_known_numbers() -> None:
    """Three players from the first draw, and two: kept so that a change of the rules shows."""
    assert [ways(dealt(3), depth) for depth in range(6)] == [1, 10, 30, 244, 1180, 6280]
    assert [ways(dealt(2), depth) for depth in range(6)] == [1, 10, 30, 228, 1020, 5352]
