"""A position of SLICE as a person writes it by hand, and the state that it means.

What is left out is as at the start of a game, so `{}` is the start. An example, three players, a mushroom open:

    {"phase": "grab", "drawer": 2, "draws": 9, "open": ["onion", "mushroom"],
     "players": {"1": {"order": "order-7", "pizza": ["?", "tomato", "?", "combo", "?!", "?", "?", "?"]},
                 "2": {"order": "order-3", "finished": ["order-12"]},
                 "3": {"order": "order-9"}}}

A pizza lists places 1 to 8: a face, `?` for a face-down card, `?!` for one with Hot Sauce on it. Cards that nobody has
seen belong to pools (see `rules`): those of the shuffled deck, or the oldest pool left, are `?`; when cards have gone
back under the draw pile, `returned` lists what each of the further pools still holds, and a face-down card of the first
of these is `?2`, of the next `?3`. `pile` is then the draw pile from its top, such as `["52 ?", "9 ?2"]`; with one pool
it is all the rest. `own` says that the card in hand, or the one to grab, comes from the Drawer's own pizza; `lifted` is
the card that has been replaced and that not everybody has seen yet, beside `hand` too if it is `own`.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from controller.game import Json, PositionError
from controller.games.described import Described
from controller.games.slice import consistency, notation
from controller.games.slice.rules import PLACES, Layer, Phase, Seat, Spot, State

_KEYS = ("phase", "drawer", "draws", "players", "open", "hand", "own", "lifted", "pile", "returned")
_PLAYER_KEYS = ("order", "pizza", "finished")
_LAYER = re.compile(r"([1-9][0-9]{0,2}) \?([2-9]|[1-9][0-9]{1,2})?")


def position(state: State) -> dict[str, Json]:
    """The state as a position: only what differs from the start of a game."""
    untouched = Seat(None, (Spot(None, 0),) * PLACES)
    described = {
        "phase": state.phase.value if state.phase is not Phase.ORDER else None,
        "drawer": state.drawer if state.drawer != 1 else None,
        "draws": state.draws or None,
        "players": {
            str(player): _seat_position(seat) for player, seat in enumerate(state.seats, start=1) if seat != untouched
        },
        "open": list(state.open),
        "hand": state.hand,
        "own": state.own or None,
        "lifted": None if state.lifted is None else notation.format_pool(state.lifted),
        "pile": [f"{layer.cards} {notation.format_pool(layer.pool)}" for layer in state.pile if len(state.pools) > 1],
        "returned": [
            {card: count for card, count in zip(state.options.components.cards, counts, strict=True) if count}
            for counts in state.pools[1:]
        ],
    }
    return {key: value for key, value in described.items() if value not in (None, [], {})}


def setup(start: State, described: Json) -> State:
    """The state of this position of the game that begins with `start`. Raises PositionError.

    It is one that a game can come to as far as cards, counts and turns go; how it came about is not asked.
    """
    place = Described("position", described)
    entries = place.object(_KEYS)
    state = _with_turn(start, entries)
    if "players" in entries:
        given = entries["players"].object([str(player) for player in range(1, state.players + 1)])
        seats = tuple(
            _seat(state, given[str(player)]) if str(player) in given else seat
            for player, seat in enumerate(state.seats, start=1)
        )
        state = replace(state, seats=seats)
    used = {order for seat in state.seats for order in (*seat.finished, seat.order)}
    state = _with_pools(replace(state, orders=start.orders - used), entries, place)
    problem = consistency.first_problem(state)
    if problem is not None:
        raise PositionError(f"{place.path}: {problem}")
    return state


# The position of a state ----------------------------------------------------------------------------------------------


def _seat_position(seat: Seat) -> Json:
    untouched = (Spot(None, 0),) * PLACES
    described = {
        "order": seat.order,
        "pizza": [notation.format_spot(spot) for spot in seat.spots if seat.spots != untouched],
        "finished": list(seat.finished),
    }
    return {key: value for key, value in described.items() if value not in (None, [])}


# The state of a position ----------------------------------------------------------------------------------------------


def _with_turn(start: State, entries: Mapping[str, Described]) -> State:
    """What the game waits for and of whom, and the cards in the middle."""
    phases = [phase.value for phase in Phase]
    phase = Phase(entries["phase"].one_of(phases, f"one of {', '.join(phases)}")) if "phase" in entries else start.phase
    return replace(
        start,
        phase=phase,
        drawer=entries["drawer"].number(range(1, start.players + 1)) if "drawer" in entries else 1,
        draws=entries["draws"].number(range(10**9)) if "draws" in entries else 0,
        open=tuple(_card(start, item) for item in entries["open"].items()) if "open" in entries else (),
        hand=_card(start, entries["hand"]) if "hand" in entries else None,
        own=entries["own"].truth() if "own" in entries else False,
        lifted=_lifted(entries["lifted"]) if "lifted" in entries else None,
    )


def _seat(state: State, place: Described) -> Seat:
    entries = place.object(_PLAYER_KEYS)
    spots: tuple[Spot, ...] = (Spot(None, 0),) * PLACES
    if "pizza" in entries:
        spots = tuple(_spot(state, item) for item in entries["pizza"].items())
        if len(spots) != PLACES:
            entries["pizza"].refuse(f"has not {PLACES} places")
    return Seat(
        order=_order(state, entries["order"]) if "order" in entries else None,
        spots=spots,
        finished=tuple(_order(state, item) for item in entries["finished"].items()) if "finished" in entries else (),
    )


def _spot(state: State, place: Described) -> Spot:
    spot = notation.parse_spot(place.value)
    if spot is None or (spot.up is not None and spot.up not in state.options.components.index):
        place.refuse(f"is neither '?', '?!' or the like nor one of {', '.join(state.options.components.cards)}")
    return spot


def _lifted(place: Described) -> int:
    spot = notation.parse_spot(place.value)
    if spot is None or spot.pool is None or spot.blocked:
        place.refuse("is no face-down card such as '?' or '?2'")
    return spot.pool


def _with_pools(state: State, entries: Mapping[str, Described], place: Described) -> State:
    """Who could be where: the first pool is what no other place and no further pool has."""
    components = state.options.components
    further = [_counts(state, item) for item in entries["returned"].items()] if "returned" in entries else []
    taken = consistency.cards_seen(state)
    for counts in further:
        taken.update(dict(zip(components.cards, counts, strict=True)))
    for card, there in zip(components.cards, components.counts, strict=True):
        if taken[card] > there:
            raise PositionError(f"{place.path}: {taken[card]} times {card} are too many; there are {there}")
    first = tuple(there - taken[card] for card, there in zip(components.cards, components.counts, strict=True))
    state = replace(state, pools=(first, *further))
    if "pile" in entries:
        return replace(state, pile=tuple(_layer(item) for item in entries["pile"].items()))
    if further:
        raise PositionError(f"{place.path}.pile: missing; with returned cards it is a list such as ['52 ?', '9 ?2']")
    rest = sum(first) - consistency.cards_unseen(replace(state, pile=()))[0]
    if rest < 0:
        raise PositionError(f"{place.path}: {-rest} cards more lie face down and open than there are")
    return replace(state, pile=(Layer(0, rest),) if rest else ())


def _counts(state: State, place: Described) -> tuple[int, ...]:
    cards = state.options.components.cards
    entries = place.object(cards)
    counts = Counter({card: entries[card].number(range(1000)) for card in entries})
    return tuple(counts[card] for card in cards)


def _layer(place: Described) -> Layer:
    match = _LAYER.fullmatch(place.value) if isinstance(place.value, str) else None
    if match is None:
        place.refuse("is no layer of the draw pile such as '52 ?' or '9 ?2'")
    return Layer(int(match[2] or 1) - 1, int(match[1]))


def _card(state: State, place: Described) -> str:
    cards = state.options.components.cards
    return place.one_of(cards, f"one of {', '.join(cards)}")


def _order(state: State, place: Described) -> str:
    return place.one_of(state.options.components.toppings, "an order card such as 'order-1'")
