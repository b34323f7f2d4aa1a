"""Moves of Pizzeria as short text, and states and moves as JSON.

Portions are lettered as the state numbers them, A first. Examples:

    pile 3
    pizza 3/1 7/2 mixed-5-7 ... | pizza b: 3/1 7/2 mixed-5-7 ...        (b: special offer B lay on the pile)
    redraw g
    divide 3/1 7/2 + offer | 4/1 | 5/2 6/1        (a special offer alone: | offer |)
    P2 takes B
    P2 eats 7/3 5/1 | P2 eats nothing | P2 eats 7/3, offer c on 5
    draw 7/3        (the slice that offer B brings)
    P2 offer d eats 7/3 | P2 offer d saves 7/3
    P2 offer e moves 7/3 to B
    P2 offer j eats 7 | P2 offer j eats nothing
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from string import ascii_uppercase
from typing import Any

from controller.game import IllegalMove, Json, NotationError
from controller.games import cut_and_choose, values
from controller.games.cut_and_choose import NOTHING
from controller.games.described import check_described
from controller.games.facts import ComponentError
from controller.games.pizzeria import positions, rules, solo
from controller.games.pizzeria.components import Components, with_own_facts
from controller.games.pizzeria.rules import (
    ChoosePile,
    Decide,
    Divide,
    DrawSlice,
    EatKind,
    Move,
    MoveSlice,
    Options,
    Redraw,
    Reveal,
    State,
    Take,
    TakeSlice,
)

_KINDS: dict[str, type] = {
    "pile": ChoosePile,
    "pizza": Reveal,
    "redraw": Redraw,
    "take-slice": TakeSlice,
    "divide": Divide,
    "move-slice": MoveSlice,
    "take": Take,
    "draw": DrawSlice,
    "decide": Decide,
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
            return f"divide {' | '.join(_portion_text(move, index) for index in range(len(move.portions)))}"
        case MoveSlice(player, face, to):
            return f"P{player} offer e moves {face} to {ascii_uppercase[to]}"
        case Take(player, portion):
            return f"P{player} takes {ascii_uppercase[portion]}"
        case DrawSlice(face):
            return f"draw {face}"
        case Decide(player, eaten, kind):
            put = f", offer c on {kind}" if kind is not None else ""
            return f"P{player} eats {' '.join(rules.in_order(state, eaten)) or NOTHING}{put}"
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


def encode_move(move: Move) -> Json:
    """The move as JSON; `move` names its kind."""
    return values.encode_move(_KINDS, move)


def decode_move(data: Json) -> Move:
    """The move of that JSON. Raises NotationError that names the key, the value and what was expected."""
    move: Move = values.decode_move(_KINDS, data)
    return move


def encode_state(state: State) -> Json:
    """The state as JSON; of the components only what this copy showed otherwise."""
    options = {
        field.name: getattr(state.options, field.name) for field in fields(Options) if field.name != "components"
    }
    own = {facts.face: facts.marks() for facts in state.options.components.own}
    plain = {field.name: getattr(state, field.name) for field in fields(State) if field.name != "options"}
    encoded = {name: values.encode(value) for name, value in plain.items()}
    return encoded | {"options": {**options, "components": own}}


def decode_state(components: Components, data: Json) -> State:
    """The state of that JSON. Raises NotationError that names the key, the value and what was expected."""

    def options(entry: Json) -> Options:
        own = {"components": lambda facts: with_own_facts(components, facts, "state.options.components")}
        try:
            decoded: Options = values.decode_fields(Options, entry, "state.options", own)
        except ComponentError as error:
            raise NotationError(str(error)) from error
        return decoded

    state: State = values.decode_fields(State, data, "state", {"options": options})
    check_described(state, rules.start, positions.position, positions.setup)
    return state


def _portion_text(move: Divide, index: int) -> str:
    slices = " ".join(move.portions[index])
    if index != move.special_in:
        return slices
    return f"{slices} + {_OFFER}" if slices else _OFFER


def _parse_divide(state: State, found: re.Match[str]) -> Divide:
    portions = []
    special_in = None
    for index, part in enumerate(found["portions"].split("|")):
        words = part.split()
        if words[-1:] == [_OFFER]:
            if special_in is not None:
                raise NotationError(f"{found[0]!r} has the special offer in two portions; expected it in one")
            special_in = index
            words = words[:-1]
            words = words[:-1] if words[-1:] == ["+"] else words
        portions.append(tuple(words))
    return Divide(state.slicer, tuple(portions), special_in)


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
    (rf"draw {_FACE}", lambda _, m: DrawSlice(m["face"])),
    (
        _PLAYER + r"eats (?P<eaten>[^,]+?)(?:, offer c on (?P<kind>\d{1,3}))?",
        lambda _, m: Decide(int(m["player"]), cut_and_choose.parse_eaten(m["eaten"]), _kind(m["kind"])),
    ),
    (
        _PLAYER + rf"offer j eats (?P<kind>\d{{1,3}}|{NOTHING})",
        lambda _, m: EatKind(int(m["player"]), _kind(m["kind"])),
    ),
)
