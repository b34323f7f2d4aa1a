"""Situations of SLICE to start tests from.

Player 1 has order-1 (pepperoni, mushroom, olive, pepper, and the same again), player 2 order-2 (mushroom, olive, onion,
tomato), player 3 order-5 (pepperoni, pepper, tomato, bacon), player 4 order-11 (olive, onion, pepper, pineapple).
"""

from random import Random
from typing import Any

from controller.game import Actor, Json, Refusal
from controller.games.slice import GAME, consistency
from controller.games.slice.rules import DealOrder, Draw, Grab, Move, Place, Reveal, State

ORDERS = ("order-1", "order-2", "order-5", "order-11")
ALL_DOWN = "? ? ? ? ? ? ? ?"


def game(players: int = 3, first: int = 1, **options: Json) -> State:
    return GAME.start(players, options, first)


def dealt(players: int = 3, first: int = 1, **options: Json) -> State:
    """The start with all orders dealt: the first Drawer is about to draw."""
    orders = list(GAME.components.toppings)
    chosen = [*ORDERS, *(order for order in orders if order not in ORDERS)]
    return play(game(players, first, **options), *(DealOrder(p, chosen[p - 1]) for p in range(1, players + 1)))


def table(*pizzas: str, players: int = 3, options: dict[str, Json] | None = None, **position: Json) -> State:
    """An open onion that player 1 drew; pizzas are faces with spaces between, player 1's first."""
    seats: dict[str, Any] = {str(number): {"order": ORDERS[number - 1]} for number in range(1, players + 1)}
    for number, pizza in enumerate(pizzas, start=1):
        seats[str(number)]["pizza"] = pizza.split()
    described = {"phase": "grab", "drawer": 1, "draws": 9, "open": ["onion"], "players": seats} | position
    return GAME.setup(players, options or {}, described)


def play(state: State, *moves: Move) -> State:
    """After these moves; every state on the way is one that can be."""
    for move in moves:
        state = GAME.apply(state, move)
        assert consistency.first_problem(state) is None
    return state


def grabbed(state: State, player: int, place: int, reveal: str) -> State:
    """The open card grabbed, put in its place, and what it replaced turned up."""
    return play(state, Grab(player), Place(player, place), Reveal(reveal))


def drawn(state: State, card: str) -> State:
    return play(state, Draw(card))


def legal(state: State) -> list[Move]:
    return list(GAME.legal(state))


def refused(state: State, move: Move) -> Refusal:
    found = GAME.refusal(state, move)
    assert found is not None
    assert move not in legal(state)
    return found


def pizza(state: State, player: int) -> str:
    """A player's pizza as a position writes it."""
    described = GAME.position(state)["players"][str(player)]
    return " ".join(described.get("pizza", ALL_DOWN.split()))


def any_move(state: State, random: Random) -> Move:
    """A chance outcome, or a legal move of anybody."""
    if GAME.turn(state).actor is Actor.CHANCE:
        return GAME.draw(state, random)
    return random.choice(legal(state))


def played(players: int, seed: int, **options: Json) -> list[tuple[State, Move | None]]:
    """Every state of a random game with the move that was made in it."""
    random = Random(seed)
    state = GAME.start(players, options, random.randint(1, players))
    history: list[tuple[State, Move | None]] = []
    while GAME.turn(state).actor is not Actor.NOBODY:
        move = any_move(state, random)
        history.append((state, move))
        state = GAME.apply(state, move)
    return [*history, (state, None)]
