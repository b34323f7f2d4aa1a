"""SLICE as a display is told: everything that everybody at the table may know.

Face-down cards are unknown to all, their owners included. A card revealed in a pizza is known to its owner only.
"""

from random import Random
from typing import Any

from controller.game import Json, Player, Score
from controller.games.changing import changed
from controller.games.slice import consistency, rules
from controller.games.slice.rules import Phase, State


def view(state: State, viewer: Player | None) -> dict[str, Any]:
    """The game as JSON, for this viewer. Who could use the open card is not told: seeing it first is the game."""
    sheets = rules.score(state)
    sees_hand = rules.sees_hand(state, viewer)
    return {
        "phase": state.phase.value,
        "prompt": rules.turn(state).prompt,
        "drawer": state.drawer,
        "goal": state.options.pizzas,
        "open": list(state.open),
        "to_grab": state.open[-1] if state.phase is Phase.GRAB else None,
        "grabbers": list(rules.grabbers(state)) if state.phase is Phase.GRAB else [],
        "in_hand": state.hand is not None,
        "hand": state.hand if sees_hand else None,
        "hand_fits": list(rules.fitting(state)) if sees_hand else [],
        "card_aside": state.lifted is not None and state.hand is None,
        "pile": sum(layer.cards for layer in state.pile),
        "draws": state.draws,
        "draw_limit": state.options.draw_limit or None,
        "orders_left": len(state.orders),
        "players": [_player(state, player) for player in range(1, state.players + 1)],
        "unseen": _unseen(state),
        "score": [_sheet(sheet) for sheet in sheets],
        "winners": list(rules.winners(state)),
        "names": {card: state.options.components.words(card) for card in state.options.components.cards},
    }


def determinize(state: State, viewer: Player | None, random: Random) -> State:
    """A state that this viewer cannot tell from this one: the revealed card in another's hand is any that fits."""
    if state.hand is None or rules.sees_hand(state, viewer):
        return state
    assert state.lifted is not None
    weights = {
        card: count
        for card, count in zip(state.options.components.cards, state.pools[state.lifted], strict=True)
        if count and rules.usable(state, state.drawer, card, revealed=True)
    }
    return changed(state, hand=random.choices(list(weights), list(weights.values()))[0])


def _player(state: State, player: Player) -> Json:
    seat = state.seats[player - 1]
    order = seat.finished[-1] if len(seat.finished) == state.options.pizzas else seat.order
    wanted = (None,) * rules.PLACES if order is None else state.options.components.toppings[order]
    return {
        "player": player,
        "drawer": player == state.drawer,
        "order": seat.order,
        "pizza": [
            {"place": place, "topping": topping, "card": spot.up, "hot_sauce": spot.blocked}
            for place, (topping, spot) in enumerate(zip(wanted, seat.spots, strict=True), start=1)
        ],
        "found": rules.found(seat),
        "needs": _needs(state, player),
        "finished": list(seat.finished),
    }


def _needs(state: State, player: Player) -> dict[str, int]:
    """How many places are still open for each topping of the order."""
    seat = state.seats[player - 1]
    if seat.order is None:
        return {}
    needs: dict[str, int] = {}
    for topping, spot in zip(state.options.components.toppings[seat.order], seat.spots, strict=True):
        needs[topping] = needs.get(topping, 0) + (spot.up is None)
    return needs


def _unseen(state: State) -> dict[str, int]:
    """How many of each kind not everybody has seen, in pizzas and draw pile together."""
    seen = consistency.cards_seen(state)
    components = state.options.components
    return {card: there - seen[card] for card, there in zip(components.cards, components.counts, strict=True)}


def _sheet(sheet: Score) -> Json:
    lines = [{"label": line.label, "points": line.points, "detail": line.detail} for line in sheet.lines]
    return {"player": sheet.player, "total": sheet.total, "lines": lines}
