"""Whether a state can be: every card once, every count right, and what the game waits for possible."""

from collections import Counter
from collections.abc import Callable, Iterator

from controller.games.slice import rules
from controller.games.slice.components import COMBO, HOT_SAUCE
from controller.games.slice.rules import PLACES, Phase, Seat, Spot, State


def first_problem(state: State) -> str | None:
    """What is wrong with a state whose fields have the right types: the field, its value and what was expected."""
    return next(_problems(state), None)


def cards_seen(state: State) -> Counter[str]:
    """How many cards of each kind everybody has seen: those that lie face up, and a grabbed card in hand."""
    seen = Counter(state.open)
    for seat in state.seats:
        for spot in seat.spots:
            if spot.up is not None:
                seen[spot.up] += 1
            seen[HOT_SAUCE] += spot.blocked
    if state.hand is not None and not state.own:
        seen[state.hand] += 1
    return +seen


def cards_unseen(state: State) -> Counter[int]:
    """How many face-down cards there are of each pool."""
    unseen = Counter(spot.pool for seat in state.seats for spot in seat.spots if spot.pool is not None)
    for layer in state.pile:
        unseen[layer.pool] += layer.cards
    if state.lifted is not None:
        unseen[state.lifted] += 1
    return unseen


def _problems(state: State) -> Iterator[str]:
    """Later checks rely on earlier ones: only the first problem counts."""
    yield from _table_problems(state)
    for player, seat in enumerate(state.seats, start=1):
        for problem in _seat_problems(state, seat):
            yield f"player {player}: {problem}"
    yield from _order_problems(state)
    yield from _card_problems(state)
    yield from _PHASES[state.phase](state)


def _table_problems(state: State) -> Iterator[str]:
    if state.players not in rules.PLAYER_COUNTS:
        yield f"players: {state.players} is none of 2 to 8"
    if not 1 <= state.drawer <= state.players:
        yield f"drawer: {state.drawer} is none of the players 1 to {state.players}"
    if len(state.seats) != state.players:
        yield f"seats: {len(state.seats)} are not {state.players}"
    if state.draws < 0 or 0 < state.options.draw_limit < state.draws:
        yield f"draws: {state.draws} is less than 0 or more than the option draw_limit"
    if state.own and state.phase not in (Phase.GRAB, Phase.PLACE):
        yield f"own: is true, but in phase {state.phase.value} no card is in hand or up to be grabbed"
    if (state.hand is not None) is not (state.phase is Phase.PLACE):
        yield f"hand: {state.hand!r} does not go with phase {state.phase.value}; only in place a card is in hand"


def _seat_problems(state: State, seat: Seat) -> Iterator[str]:
    if len(seat.spots) != PLACES:
        yield f"{len(seat.spots)} places are not {PLACES}"
    if len(seat.finished) > state.options.pizzas:
        yield f"{len(seat.finished)} finished orders are more than {state.options.pizzas}, which win the game"
    won = len(seat.finished) == state.options.pizzas
    if won and (state.phase is not Phase.OVER or seat.order is not None):
        yield "has won, so the game is over and there is no further order"
    order = seat.finished[-1] if won else seat.order
    toppings = state.options.components.toppings.get(order, ()) if order is not None else (None,) * PLACES
    if not toppings:
        yield f"{order!r} is no order card"
    for place, (spot, topping) in enumerate(zip(seat.spots, toppings, strict=False), start=1):
        yield from (f"place {place}: {problem}" for problem in _spot_problems(state, spot, topping))
    if all(spot.up is not None for spot in seat.spots) is not won:
        yield f"{len(seat.finished)} finished orders do not go with these slices: a full pizza is a finished one"


def _spot_problems(state: State, spot: Spot, topping: str | None) -> Iterator[str]:
    if (spot.up is None) is (spot.pool is None):
        yield "is not either face up or of a pool"
    if spot.pool is not None and not 0 <= spot.pool < len(state.pools):
        yield f"there is no pool {spot.pool}"
    if spot.up is not None and (topping is None or spot.up not in (topping, COMBO)):
        wanted = f"{topping} or {COMBO}" if topping else "nothing face up without an order"
        yield f"{spot.up!r} does not belong there; expected {wanted}"
    if spot.blocked and spot.up is not None:
        yield "is face up, so no Hot Sauce can lie on it"
    if spot.blocked and topping is None:
        yield "is of a pizza without an order, so no Hot Sauce can lie on it"


def _order_problems(state: State) -> Iterator[str]:
    """Each order card is in one place."""
    used = [order for seat in state.seats for order in (*seat.finished, seat.order) if order is not None]
    everywhere = Counter([*used, *state.orders])
    for order, count in everywhere.items():
        if count > 1:
            yield f"orders: {order!r} is in {count} places; each order card exists once"
    known = state.options.components.toppings
    if set(everywhere) != set(known):
        odd = sorted(set(everywhere) ^ set(known))
        yield f"orders: {odd[0]!r} is {'missing' if odd[0] in known else 'no order card'}"


def _card_problems(state: State) -> Iterator[str]:
    """Each slice card is in one place, and each pool has as many cards as lie face down of it."""
    components = state.options.components
    seen = cards_seen(state)
    for card in (*seen, *([] if state.hand is None else [state.hand])):
        if card not in components.index:
            yield f"{card!r} is no card of this game"
    for number, counts in enumerate(state.pools):
        if len(counts) != len(components.cards) or min(counts) < 0 or not any(counts):
            yield f"pools[{number}]: {list(counts)} is no count of each of {', '.join(components.cards)}"
    for card, there in zip(components.cards, components.counts, strict=True):
        total = seen[card] + sum(counts[components.index[card]] for counts in state.pools)
        if total != there:
            yield f"{card}: {total} cards are not {there}"
    unseen = cards_unseen(state)
    if any(not 0 <= pool < len(state.pools) for pool in unseen):
        yield f"pools: {sorted(unseen)} lie face down, but there are {len(state.pools)} pools"
    for layer in state.pile:
        if layer.cards < 1:
            yield f"pile: {layer.cards} cards are no layer"
    for above, below in zip(state.pile, state.pile[1:], strict=False):
        if above.pool == below.pool:
            yield f"pile: two layers of pool {above.pool} lie together; they are one"
    if unseen != dict(enumerate(map(sum, state.pools))):
        lying = ", ".join(f"{unseen[pool]} of pool {pool}" for pool in sorted(unseen))
        yield f"pile: with the pizzas {lying} lie face down; expected {', '.join(str(sum(one)) for one in state.pools)}"


def _order_phase(state: State) -> Iterator[str]:
    without = [player for player, seat in enumerate(state.seats, start=1) if seat.order is None]
    if not without:
        yield "phase: 'order' needs a player without an order card"
    if state.open:
        yield "open: in phase order the Open Pile is under the draw pile"
    if state.lifted is None:
        untouched = all(spot == Spot(None, 0) for seat in state.seats for spot in seat.spots)
        finished = any(seat.finished for seat in state.seats)
        if state.draws or finished or not untouched or without[-1:] != [state.players] or _gaps(without):
            yield "phase: 'order' without a hidden card is the start of the game; all must be as it is then"
    else:
        yield from _after_finish(state)
        if without != [state.drawer]:
            yield f"drawer: {state.drawer} is not the only player without an order card"


def _gaps(players: list[int]) -> bool:
    return players != list(range(players[0], players[-1] + 1)) if players else False


def _after_finish(state: State) -> Iterator[str]:
    """The Drawer has finished a pizza and was dealt anew."""
    seat = state.seats[state.drawer - 1]
    if state.lifted is None:
        yield f"lifted: missing; phase {state.phase.value} needs the hidden card"
    if not seat.finished:
        yield f"drawer: {state.drawer} has finished no pizza"
    if state.open:
        yield f"open: in phase {state.phase.value} the Open Pile is under the draw pile"
    if any(spot.up is not None or spot.blocked for spot in seat.spots):
        yield f"player {state.drawer}: has just been dealt eight new face-down cards"
    if not state.draws:
        yield "draws: 0 is too few: a pizza is finished"


def _all_have_orders(state: State) -> Iterator[str]:
    for player, seat in enumerate(state.seats, start=1):
        if seat.order is None:
            yield f"player {player}: has no order card; phase {state.phase.value} needs one"


def _nothing_lifted(state: State) -> Iterator[str]:
    if state.lifted is not None:
        yield f"lifted: does not go with phase {state.phase.value}"


def _draw_phase(state: State) -> Iterator[str]:
    yield from _all_have_orders(state)
    yield from _nothing_lifted(state)
    if not state.pile:
        yield "pile: is empty; nothing can be drawn"
    if state.draws == state.options.draw_limit > 0:
        yield f"draws: {state.draws} is the option draw_limit, so the game is over"


def _grab_phase(state: State) -> Iterator[str]:
    yield from _all_have_orders(state)
    yield from _nothing_lifted(state)
    if not state.open:
        yield "open: is empty; phase grab needs a card to grab"
    if not state.draws:
        yield "draws: 0 is too few: a card is open"


def _place_phase(state: State) -> Iterator[str]:
    yield from _all_have_orders(state)
    if not state.own:
        yield from _nothing_lifted(state)
    elif state.lifted is None or not _can_be(state, state.lifted, state.hand):
        yield f"lifted: {state.lifted} is no pool that has {state.hand!r}, the card revealed"
    if state.hand is not None and not rules.usable(state, state.drawer, state.hand, revealed=state.own):
        yield f"hand: {state.hand!r} fits nowhere"
    if not state.draws:
        yield "draws: 0 is too few: a card is in hand"
    if state.own and not rules.found(state.seats[state.drawer - 1]):
        yield "own: is true, but no slice has replaced another"


def _can_be(state: State, pool: int, card: str | None) -> bool:
    return card is not None and state.pools[pool][state.options.components.index[card]] > 0


def _reveal_phase(state: State) -> Iterator[str]:
    yield from _all_have_orders(state)
    if state.lifted is None:
        yield "lifted: missing; phase reveal needs the card that was replaced"
    if not rules.found(state.seats[state.drawer - 1]):
        yield f"drawer: {state.drawer} has no slice face up that can have replaced another"
    if not state.draws:
        yield "draws: 0 is too few: a card was placed"


def _hidden_phase(state: State) -> Iterator[str]:
    yield from _all_have_orders(state)
    yield from _after_finish(state)


def _over_phase(state: State) -> Iterator[str]:
    won = [player for player, seat in enumerate(state.seats, start=1) if len(seat.finished) == state.options.pizzas]
    without = [player for player, seat in enumerate(state.seats, start=1) if seat.order is None]
    if without != won or len(won) > 1:
        yield f"phase: 'over' with winners {won} does not go with players {without} having no order card"
    if won:
        if won != [state.drawer] or state.lifted is None:
            yield f"phase: 'over' needs {won[0]} as drawer and a lifted card, the last one replaced"
        return
    yield from _nothing_lifted(state)
    ended = state.draws == state.options.draw_limit > 0 or (state.options.empty_pile == "end" and not state.pile)
    if not ended:
        yield "phase: 'over' needs a winner, the last draw of draw_limit or an empty pile that ends the game"


_PHASES: dict[Phase, Callable[[State], Iterator[str]]] = {
    Phase.ORDER: _order_phase,
    Phase.DRAW: _draw_phase,
    Phase.GRAB: _grab_phase,
    Phase.PLACE: _place_phase,
    Phase.REVEAL: _reveal_phase,
    Phase.HIDDEN: _hidden_phase,
    Phase.OVER: _over_phase,
}
