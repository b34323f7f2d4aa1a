"""Moves of New York Slice as short text, and states and moves as JSON.

Portions are lettered as the state numbers them, A first. Examples:

    stack 3
    pizza buffet: 3/1 7/2 combo-5-7 ...
    redraw tiebreaker
    P2 dibs 7/3 eat | P2 dibs supreme collect as 7
    divide 3/1 7/2 + special | 4/1 | 5/2 6/1        (a Special alone: | special |)
    P2 sneak 7/3 to B
    P2 takes B
    mystery 7/3 | mystery unseen
    P2 eats 7/3 5/1, supreme as 7 | P2 eats nothing | P2 eats 7/3 mystery
    P2 seconds 7/1 7/2 | P2 seconds nothing
    P2 had eaten 7/3
"""

import re
from collections.abc import Callable, Iterable
from string import ascii_uppercase
from typing import Any

from controller.game import IllegalMove
from controller.games import cut_and_choose, values
from controller.games.codec import Codec
from controller.games.cut_and_choose import NOTHING
from controller.games.new_york_slice import positions, rules
from controller.games.new_york_slice.components import SUPREME, Components, with_own_facts
from controller.games.new_york_slice.rules import (
    ChooseStack,
    Decide,
    Dibs,
    Divide,
    EatSeconds,
    Move,
    Mystery,
    Options,
    Redraw,
    Reveal,
    RevealEaten,
    Sneak,
    State,
    Take,
)

_KINDS: dict[str, type] = {
    "stack": ChooseStack,
    "pizza": Reveal,
    "redraw": Redraw,
    "dibs": Dibs,
    "divide": Divide,
    "sneak": Sneak,
    "take": Take,
    "mystery": Mystery,
    "decide": Decide,
    "seconds": EatSeconds,
    "count": RevealEaten,
}
_SPECIAL = "special"


def format_move(state: State, move: Move) -> str:
    """Short notation of a legal move."""
    match move:
        case ChooseStack(stack):
            return f"stack {stack}"
        case Reveal(special, ring):
            return f"pizza {_short(special)}: {' '.join(ring)}"
        case Redraw(special):
            return f"redraw {_short(special)}"
        case Dibs(player, face, eat, attach):
            return f"P{player} dibs {face} {'eat' if eat else 'collect'}" + (f" as {attach}" if attach else "")
        case Divide():
            return f"divide {cut_and_choose.format_portions(move.portions, move.special_in, _SPECIAL)}"
        case Sneak(player, face, to):
            return f"P{player} sneak {face} to {ascii_uppercase[to]}"
        case Take(player, portion):
            return f"P{player} takes {ascii_uppercase[portion]}"
        case Mystery(face):
            return f"mystery {face or 'unseen'}"
        case Decide():
            eaten = rules.in_order(state, move.eaten) + (["mystery"] if move.mystery_eaten else [])
            attached = f", {SUPREME} as {move.attach}" if move.attach else ""
            return f"P{move.player} eats {' '.join(eaten) or NOTHING}{attached}"
        case EatSeconds(player, eaten_now):
            return f"P{player} seconds {' '.join(rules.in_order(state, eaten_now)) or NOTHING}"
        case RevealEaten(player, face):
            return f"P{player} had eaten {face}"


def parse_move(state: State, text: str) -> Move:
    """The legal move that the notation names. Raises NotationError for other text, IllegalMove for a move that the
    rules refuse."""
    build, found = values.find_form(_FORMS, text, "'stack 3', 'P2 takes B' or 'P2 eats 7/3'")
    move: Move = build(found)
    refused = rules.refusal(state, move)
    if refused is not None:
        raise IllegalMove(refused)
    return move


def _parse_divide(found: re.Match[str]) -> Divide:
    portions, special_in = cut_and_choose.parse_portions(found["portions"], _SPECIAL, "Special")
    return Divide(portions, -1 if special_in is None else special_in)


def _parse_decide(found: re.Match[str]) -> Decide:
    eaten = cut_and_choose.parse_eaten(found["eaten"])
    return Decide(int(found["player"]), eaten - {"mystery"}, found["attach"], "mystery" in eaten)


def _short(special: str) -> str:
    return special.removeprefix("special/")


def _index(letter: str) -> int:
    return ascii_uppercase.index(letter)


_PLAYER = r"P(?P<player>\d{1,3}) "
_FACE = r"(?P<face>\S+)"
_FORMS: Iterable[tuple[str, Callable[[re.Match[str]], Any]]] = (
    (r"stack (?P<stack>\d{1,3})", lambda m: ChooseStack(int(m["stack"]))),
    (r"pizza (?P<special>\S+): (?P<ring>.+)", lambda m: Reveal(f"special/{m['special']}", tuple(m["ring"].split()))),
    (r"redraw (?P<special>\S+)", lambda m: Redraw(f"special/{m['special']}")),
    (
        _PLAYER + rf"dibs {_FACE} (?P<what>eat|collect)(?: as (?P<attach>\S+))?",
        lambda m: Dibs(int(m["player"]), m["face"], m["what"] == "eat", m["attach"]),
    ),
    (r"divide (?P<portions>.+)", _parse_divide),
    (
        _PLAYER + rf"sneak {_FACE} to (?P<to>[A-Z])",
        lambda m: Sneak(int(m["player"]), m["face"], _index(m["to"])),
    ),
    (_PLAYER + r"takes (?P<portion>[A-Z])", lambda m: Take(int(m["player"]), _index(m["portion"]))),
    (rf"mystery {_FACE}", lambda m: Mystery(None if m["face"] == "unseen" else m["face"])),
    (_PLAYER + rf"eats (?P<eaten>[^,]+?)(?:, {SUPREME} as (?P<attach>\S+))?", _parse_decide),
    (
        _PLAYER + r"seconds (?P<eaten>.+)",
        lambda m: EatSeconds(int(m["player"]), cut_and_choose.parse_eaten(m["eaten"])),
    ),
    (_PLAYER + rf"had eaten {_FACE}", lambda m: RevealEaten(int(m["player"]), m["face"])),
)
_CODEC: Codec[State, Move, Components] = Codec(
    _KINDS, State, Options, lambda components: components.own_marks(), with_own_facts, rules, positions
)
encode_move, decode_move = _CODEC.encode_move, _CODEC.decode_move
encode_state, decode_state = _CODEC.encode_state, _CODEC.decode_state
