"""Moves of SLICE as short text, and states and moves as JSON.

What lies at a place of a pizza is a word in positions and states alike: a face, `?` for a face-down card of the first
pool, `?2` for one of the second, and a `!` after it for the Hot Sauce on it. Examples of moves:

    P2 gets order-7
    draw mushroom
    P1 counts
    P2 grabs | P2 grabs, P4 tie, P3 +250us      (P4 was as soon as P2, but covers less)
    P2 fills 3 | P2 frees 3                     (the card in hand to place 3; it removes the Hot Sauce there)
    P2 blocks P3 5
    P2 stops
    reveal onion
    hidden onion
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any

from controller.game import GameError, IllegalMove, Json, NotationError
from controller.games import values
from controller.games.slice import consistency, rules
from controller.games.slice.components import Components
from controller.games.slice.rules import (
    Block,
    Count,
    DealOrder,
    Draw,
    Grab,
    Move,
    Place,
    Reveal,
    Seat,
    Slap,
    Spot,
    State,
    Stop,
    TurnOver,
)

_KINDS: dict[str, type] = {
    "order": DealOrder,
    "draw": Draw,
    "grab": Grab,
    "count": Count,
    "place": Place,
    "block": Block,
    "stop": Stop,
    "reveal": Reveal,
    "hidden": TurnOver,
}


def format_move(state: State, move: Move) -> str:
    """Short notation of a legal move."""
    match move:
        case DealOrder(player, order):
            return f"P{player} gets {order}"
        case Draw(card):
            return f"draw {card}"
        case Grab(player, after):
            return ", ".join((f"P{player} grabs", *_slaps(after)))
        case Count(player):
            return f"P{player} counts"
        case Place(player, place):
            return f"P{player} {_verb(state, move)} {place}"
        case Block(player, target, place):
            return f"P{player} blocks P{target} {place}"
        case Stop(player):
            return f"P{player} stops"
        case Reveal(card):
            return f"reveal {card}"
        case TurnOver(card):
            return f"hidden {card}"


def parse_move(state: State, text: str) -> Move:
    """The legal move that the notation names. Raises NotationError for other text, IllegalMove for a move that the
    rules refuse."""
    build, match = values.find_form(_FORMS, text, "'draw onion', 'P2 grabs' or 'P2 fills 3'")
    move: Move = build(match)
    refused = rules.refusal(state, move)
    if refused is not None:
        raise IllegalMove(refused)
    if isinstance(move, Place) and match["verb"] != _verb(state, move):
        wanted = format_move(state, move)
        raise NotationError(f"{text!r} is not what the card in hand does there; expected {wanted!r}")
    return move


def encode_move(move: Move) -> Json:
    """The move as JSON; `move` names its kind."""
    return values.encode_move(_KINDS, move)


def decode_move(data: Json) -> Move:
    """The move of that JSON. Raises NotationError that names the key, the value and what was expected."""
    move: Move = values.decode_move(_KINDS, data)
    return move


def encode_state(state: State) -> Json:
    """The state as JSON; of the cards only what this copy has otherwise."""
    special = {"options": rules.option_values(state.options), "seats": [_encode_seat(seat) for seat in state.seats]}
    plain = {field.name: getattr(state, field.name) for field in fields(State) if field.name not in special}
    return {name: values.encode(value) for name, value in plain.items()} | special


def decode_state(components: Components, data: Json) -> State:
    """The state of that JSON. Raises NotationError that names the key, the value and what was expected."""

    def options(entry: Json) -> rules.Options:
        known = [option.name for option in rules.OPTION_LIST]
        if not isinstance(entry, Mapping) or set(entry) != set(known):
            raise NotationError(f"state.options: {entry!r} is no object with {', '.join(known)}")
        try:
            return rules.parse_options(components, entry)
        except GameError as error:
            raise NotationError(f"state.options: {error}") from error

    special = {"options": options, "seats": _decode_seats}
    state: State = values.decode_fields(State, data, "state", special)
    problem = consistency.first_problem(state)
    if problem is not None:
        raise NotationError(f"state: {problem}")
    return state


def format_spot(spot: Spot) -> str:
    """What lies at a place, as a word."""
    return spot.up if spot.pool is None and spot.up is not None else f"{format_pool(spot.pool)}{'!' * spot.blocked}"


def parse_spot(text: Json) -> Spot | None:
    """What that word says lies there, where it is one. Whether there is such a card, or such a pool, is not asked."""
    match = _SPOT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    return Spot(match["up"]) if match["up"] else Spot(None, int(match["pool"] or 1) - 1, match["blocked"] == "!")


def format_pool(pool: int | None) -> str:
    """A face-down card of this pool, as a word."""
    return f"?{pool + 1}" if pool else "?"


_SPOT = re.compile(r"\?(?P<pool>[2-9]|[1-9][0-9]{1,2})?(?P<blocked>!?)|(?P<up>[a-z][a-z0-9-]*)", re.ASCII)


def _encode_seat(seat: Seat) -> Json:
    spots = [format_spot(spot) for spot in seat.spots]
    return {"order": seat.order, "spots": spots, "finished": list(seat.finished)}


def _decode_seats(data: Json) -> tuple[Seat, ...]:
    if not isinstance(data, list | tuple):
        raise NotationError(f"state.seats: {data!r} is no list")
    return tuple(_decode_seat(seat, f"state.seats[{index}]") for index, seat in enumerate(data))


def _decode_seat(data: Json, where: str) -> Seat:
    def spots(entry: Json) -> tuple[Spot, ...]:
        if not isinstance(entry, list | tuple):
            raise NotationError(f"{where}.spots: {entry!r} is no list")
        return tuple(spot(text, f"{where}.spots[{index}]") for index, text in enumerate(entry))

    def spot(text: Json, place: str) -> Spot:
        found = parse_spot(text)
        if found is None:
            raise NotationError(f"{place}: {text!r} is neither a face nor a face-down card such as '?' or '?2!'")
        return found

    seat: Seat = values.decode_fields(Seat, data, where, {"spots": spots})
    return seat


def _verb(state: State, move: Place) -> str:
    blocked = state.seats[move.player - 1].spots[move.place - 1].blocked
    return "frees" if blocked else "fills"


def _slaps(after: Iterable[Slap]) -> Iterable[str]:
    """Each other hand with its time after the first one; a tie with the first is decided by covering."""
    return (f"P{slap.player} tie" if slap.later_us == 0 else f"P{slap.player} +{slap.later_us}us" for slap in after)


def _parse_grab(match: re.Match[str]) -> Grab:
    others = re.finditer(r"P(\d+) (?:tie|\+(\d+)us)", match["after"])
    return Grab(int(match["player"]), tuple(Slap(int(one[1]), int(one[2] or 0)) for one in others))


_PLAYER = r"P(?P<player>\d{1,3})"
_CARD = r"(?P<card>\S+)"
_PLACE = r"(?P<place>\d{1,3})"
_FORMS: Iterable[tuple[str, Callable[[re.Match[str]], Any]]] = (
    (_PLAYER + r" gets (?P<order>\S+)", lambda m: DealOrder(int(m["player"]), m["order"])),
    (r"draw " + _CARD, lambda m: Draw(m["card"])),
    (_PLAYER + r" grabs(?P<after>(?:, P\d{1,3} (?:tie|\+\d{1,12}us))*)", _parse_grab),
    (_PLAYER + r" counts", lambda m: Count(int(m["player"]))),
    (_PLAYER + r" (?P<verb>fills|frees) " + _PLACE, lambda m: Place(int(m["player"]), int(m["place"]))),
    (
        _PLAYER + r" blocks P(?P<target>\d{1,3}) " + _PLACE,
        lambda m: Block(int(m["player"]), int(m["target"]), int(m["place"])),
    ),
    (_PLAYER + r" stops", lambda m: Stop(int(m["player"]))),
    (r"reveal " + _CARD, lambda m: Reveal(m["card"])),
    (r"hidden " + _CARD, lambda m: TurnOver(m["card"])),
)
