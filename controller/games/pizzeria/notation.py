"""Moves of Pizzeria as short text, and states and moves as JSON.

Portions are lettered as the state numbers them, A first. Examples:

    pile 3
    pizza 3/1 7/2 mixed-5-7 ... | pizza b: 3/1 7/2 mixed-5-7 ...        (b: special offer B lay on the pile)
    redraw g
    divide 3/1 7/2 + offer | 4/1 | 5/2 6/1        (a special offer alone: | offer |)
    P2 takes B
    P2 eats 7/3 5/1 | P2 eats nothing | P2 eats 7/3, offer c on 5
    draw 7/3        (the slice that offer B brings)
    P2 offer a eats 7/3 5/1        (after its owner's decision, in the same round)
    P2 offer d eats 7/3 | P2 offer d saves 7/3
    P2 offer e moves 7/3 to B
    P2 offer j eats 7 | P2 offer j eats nothing
"""

import re
from collections.abc import Callable, Iterable
from string import ascii_uppercase
from typing import Any

from controller.game import IllegalMove
from controller.games import cut_and_choose, values
from controller.games.codec import Codec
from controller.games.cut_and_choose import NOTHING
from controller.games.pizzeria import positions, rules, solo
from controller.games.pizzeria.components import Components, with_own_facts
from controller.games.pizzeria.rules import (
    ChoosePile,
    Decide,
    Divide,
    DrawSlice,
    EatKind,
    EatSaved,
    Move,
    MoveSlice,
    Options,
    Redraw,
    Reveal,
    State,
    Take,
    TakeSlice,
    TakeWithoutB,
)

_KINDS: dict[str, type] = {
    "pile": ChoosePile,
    "pizza": Reveal,
    "redraw": Redraw,
    "take-slice": TakeSlice,
    "divide": Divide,
    "move-slice": MoveSlice,
    "take": Take,
    "take-without-b": TakeWithoutB,
    "draw": DrawSlice,
    "decide": Decide,
    "eat-saved": EatSaved,
    "eat-kind": EatKind,
}
_OFFER = "offer"


def format_move(state: State, move: Move) -> str:
    """Short notation of a legal move."""
    match move:
        case ChoosePile(pile):
            return f"pile {pile}"
        case Reveal(ring, special):
            return f"pizza {f'{_short(special)}: ' if special is not None else ''}{' '.join(ring)}"
        case Redraw(special):
            return f"redraw {_short(special)}"
        case TakeSlice(player, face, eat):
            return f"P{player} offer d {'eats' if eat else 'saves'} {face}"
        case Divide():
            return f"divide {cut_and_choose.format_portions(move.portions, move.special_in, _OFFER)}"
        case MoveSlice(player, face, to):
            return f"P{player} offer e moves {face} to {ascii_uppercase[to]}"
        case TakeWithoutB(player, portion):
            return f"P{player} takes {ascii_uppercase[portion]} without offer b"
        case Take(player, portion):
            return f"P{player} takes {ascii_uppercase[portion]}"
        case DrawSlice(face):
            return f"draw {face}"
        case Decide(player, eaten, kind):
            put = f", offer c on {kind}" if kind is not None else ""
            return f"P{player} eats {' '.join(rules.in_order(state, eaten)) or NOTHING}{put}"
        case EatSaved(player, eaten):
            return f"P{player} offer a eats {' '.join(rules.in_order(state, eaten)) or NOTHING}"
        case EatKind(player, kind):
            return f"P{player} offer j eats {kind if kind is not None else NOTHING}"


def parse_move(state: State, text: str) -> Move:
    """The legal move that the notation names. Raises NotationError for other text, IllegalMove for a move that the
    rules refuse."""
    build, found = values.find_form(_FORMS, text, "'pile 3', 'P2 takes B' or 'P2 eats 7/3'")
    move: Move = build(state, found)
    refused = solo.refusal(state, move)
    if refused is not None:
        raise IllegalMove(refused)
    return move


def _parse_divide(state: State, found: re.Match[str]) -> Divide:
    return Divide(state.slicer, *cut_and_choose.parse_portions(found["portions"], _OFFER, "special offer"))


def _short(special: str) -> str:
    return special.removeprefix("offer/")


def _index(letter: str) -> int:
    return ascii_uppercase.index(letter)


def _kind(text: str | None) -> int | None:
    return int(text) if text is not None and text != NOTHING else None


_PLAYER = r"P(?P<player>\d{1,3}) "
_FACE = r"(?P<face>\S+)"
_FORMS: Iterable[tuple[str, Callable[[State, re.Match[str]], Any]]] = (
    (r"pile (?P<pile>\d{1,3})", lambda _, m: ChoosePile(int(m["pile"]))),
    (
        r"pizza (?:(?P<special>\S+): )?(?P<ring>[^:]+)",
        lambda _, m: Reveal(tuple(m["ring"].split()), f"offer/{m['special']}" if m["special"] else None),
    ),
    (r"redraw (?P<special>\S+)", lambda _, m: Redraw(f"offer/{m['special']}")),
    (
        _PLAYER + rf"offer d (?P<what>eats|saves) {_FACE}",
        lambda _, m: TakeSlice(int(m["player"]), m["face"], m["what"] == "eats"),
    ),
    (r"divide (?P<portions>.+)", _parse_divide),
    (
        _PLAYER + rf"offer e moves {_FACE} to (?P<to>[A-Z])",
        lambda _, m: MoveSlice(int(m["player"]), m["face"], _index(m["to"])),
    ),
    (_PLAYER + r"takes (?P<portion>[A-Z])", lambda _, m: Take(int(m["player"]), _index(m["portion"]))),
    (
        _PLAYER + r"takes (?P<portion>[A-Z]) without offer b",
        lambda _, m: TakeWithoutB(int(m["player"]), _index(m["portion"])),
    ),
    (rf"draw {_FACE}", lambda _, m: DrawSlice(m["face"])),
    (
        _PLAYER + r"eats (?P<eaten>[^,]+?)(?:, offer c on (?P<kind>\d{1,3}))?",
        lambda _, m: Decide(int(m["player"]), cut_and_choose.parse_eaten(m["eaten"]), _kind(m["kind"])),
    ),
    (
        _PLAYER + r"offer a eats (?P<eaten>[^,]+)",
        lambda _, m: EatSaved(int(m["player"]), cut_and_choose.parse_eaten(m["eaten"])),
    ),
    (
        _PLAYER + rf"offer j eats (?P<kind>\d{{1,3}}|{NOTHING})",
        lambda _, m: EatKind(int(m["player"]), _kind(m["kind"])),
    ),
)
_CODEC: Codec[State, Move, Components] = Codec(
    _KINDS, State, Options, lambda components: components.own_marks(), with_own_facts, rules, positions
)
encode_move, decode_move = _CODEC.encode_move, _CODEC.decode_move
encode_state, decode_state = _CODEC.encode_state, _CODEC.decode_state
