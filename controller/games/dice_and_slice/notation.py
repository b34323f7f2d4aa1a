"""Moves of Dice and Slice as short text, and states and moves as JSON.

    roll A3 B5
    P1 picks A
    P2 marks c7 d7 d8
    P2 adds e5 for mushroom-b2
    P2 stops

Columns have letters, rows numbers, a1 is the dot at the lower left.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any

from controller.game import IllegalMove, Json, NotationError
from controller.games import values
from controller.games.dice_and_slice import rules
from controller.games.dice_and_slice.components import DICE, PLAYER_COUNTS, Components, with_own_facts
from controller.games.dice_and_slice.grid import mask_of, names_of
from controller.games.dice_and_slice.rules import (
    ExtraDot,
    Mark,
    Move,
    Options,
    Phase,
    Pick,
    Roll,
    Sheet,
    State,
    Stop,
)
from controller.games.facts import ComponentError

_KINDS: dict[str, type] = {"roll": Roll, "pick": Pick, "mark": Mark, "extra_dot": ExtraDot, "stop": Stop}


def format_move(state: State, move: Move) -> str:
    """Short notation of a legal move."""
    match move:
        case Roll(faces):
            return f"roll {' '.join(faces)}"
        case Pick(player, die):
            return f"P{player} picks {die}"
        case Mark(player, dots):
            table = state.options.components.grid
            return f"P{player} marks {' '.join(names_of(table, mask_of(table, dots) or 0))}"
        case ExtraDot(player, topping, dot):
            return f"P{player} adds {dot} for {topping}"
        case Stop(player):
            return f"P{player} stops"


def parse_move(state: State, text: str) -> Move:
    """The legal move that the notation names. Raises NotationError for other text, IllegalMove for a move that the
    rules refuse."""
    build, found = values.find_form(_FORMS, text, "'roll A3 B5', 'P1 picks A' or 'P2 marks c7 d8'")
    move: Move = build(found)
    refused = rules.refusal(state, move)
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
    """The state as JSON: dots, toppings and bonuses by name; of the components only what this copy shows otherwise."""
    options = {field.name: getattr(state.options, field.name) for field in fields(Options)}
    return {
        "players": state.players,
        "options": {**options, "components": json.loads(state.options.components.own)},
        "phase": state.phase.value,
        "sheets": [_encode_sheet(state, sheet) for sheet in state.sheets],
        "turn": state.turn,
        "first": state.first,
        "roll": list(state.roll),
        "picked": state.picked,
        "closed": rules.bonus_names(state, state.closed),
    }


def decode_state(components: Components, data: Json) -> State:
    """The state of that JSON. Raises NotationError that names the key, the value and what was expected."""
    pieces = components

    def own_components(entry: Json) -> Components:
        nonlocal pieces
        try:
            pieces = with_own_facts(components, entry, "state.options.components")
        except ComponentError as error:
            raise NotationError(str(error)) from error
        return pieces

    def options(entry: Json) -> Options:
        decoded: Options = values.decode_fields(Options, entry, "state.options", {"components": own_components})
        return decoded

    special: dict[str, Callable[[Json], Any]] = {
        "options": options,
        "sheets": lambda entry: _decode_sheets(pieces, entry),
        "closed": lambda entry: _decode_names(pieces.bonus_bits, entry, "state.closed"),
    }
    state: State = values.decode_fields(State, data, "state", special)
    _check(state)
    return state


def _encode_sheet(state: State, sheet: Sheet) -> Json:
    return {
        "dots": names_of(state.options.components.grid, sheet.dots),
        "crossed": rules.topping_names(state, sheet.crossed),
        "counted": rules.topping_names(state, sheet.counted),
        "bonuses": rules.bonus_names(state, sheet.bonuses),
        "marked": sheet.marked,
        "earned": rules.topping_names(state, sheet.earned),
    }


def _decode_sheets(components: Components, data: Json) -> tuple[Sheet, ...]:
    if not isinstance(data, list | tuple):
        raise NotationError(f"state.sheets: {data!r} is no list")
    return tuple(_decode_sheet(components, entry, f"state.sheets[{index}]") for index, entry in enumerate(data))


def _decode_sheet(components: Components, data: Json, where: str) -> Sheet:
    bits = {
        "dots": components.grid.bits,
        "crossed": components.topping_bits,
        "counted": components.topping_bits,
        "bonuses": components.bonus_bits,
        "earned": components.topping_bits,
    }

    def decoder(name: str) -> Callable[[Json], int]:
        return lambda entry: _decode_names(bits[name], entry, f"{where}.{name}")

    sheet: Sheet = values.decode_fields(Sheet, data, where, {name: decoder(name) for name in bits})
    return sheet


def _decode_names(bits: Mapping[str, int], data: Json, where: str) -> int:
    """The bits of a list of names that stand in order, each once."""
    if not isinstance(data, list | tuple):
        raise NotationError(f"{where}: {data!r} is no list")
    mask = 0
    for index, name in enumerate(data):
        bit = bits.get(name) if isinstance(name, str) else None
        if bit is None:
            raise NotationError(f"{where}[{index}]: {name!r} is none of {', '.join(bits)}")
        if bit <= mask:
            raise NotationError(f"{where}[{index}]: {name!r} is there twice or out of order; they go by row, from a1")
        mask |= bit
    return mask


def _check(state: State) -> None:
    """Raises NotationError for values that do not belong together."""
    if state.players not in PLAYER_COUNTS:
        raise NotationError(f"state.players: {state.players!r} is none of 2 to 6")
    if len(state.sheets) != state.players:
        raise NotationError(f"state.sheets: {len(state.sheets)} sheets are not those of {state.players} players")
    if not 1 <= state.first <= state.players:
        raise NotationError(f"state.first: {state.first!r} is none of the players 1 to {state.players}")
    if state.turn < 1:
        raise NotationError(f"state.turn: {state.turn!r} is less than 1")
    rolled, picked = state.phase in (Phase.PICK, Phase.MARK), state.phase is Phase.MARK
    if rolled != bool(state.roll) or (rolled and rules.refusal(_rolling(state), Roll(state.roll))):
        raise NotationError(f"state.roll: {list(state.roll)!r} is not what lies there in the phase {state.phase.value}")
    if state.picked not in (DICE if picked else (None,)):
        raise NotationError(f"state.picked: {state.picked!r} is no die that is picked in the phase {state.phase.value}")
    for index, sheet in enumerate(state.sheets):
        if not picked and (sheet.marked or sheet.earned):
            raise NotationError(f"state.sheets[{index}].marked: true in the phase {state.phase.value}; expected false")
        if sheet.earned and (not sheet.marked or sheet.earned & sheet.crossed):
            raise NotationError(f"state.sheets[{index}].earned: toppings give a dot after marking, not crossed off")
        if picked and not sheet.marked and not rules.can_mark(state, index + 1, rules.face_for(state, index + 1)):
            raise NotationError(f"state.sheets[{index}].marked: false, but no dot can be marked; expected true")
    if picked and all(sheet.done for sheet in state.sheets):
        raise NotationError("state.phase: 'mark' although everybody is done; expected roll or over")


def _rolling(state: State) -> State:
    return State(state.players, state.options, Phase.ROLL, state.sheets)


def _mark(found: re.Match[str]) -> Mark:
    dots = found["dots"].split()
    if len(set(dots)) != len(dots):
        twice = next(dot for dot in dots if dots.count(dot) > 1)
        raise NotationError(f"{found.string!r}: {twice} stands there twice; expected each dot once")
    return Mark(int(found["player"]), frozenset(dots))


_PLAYER = r"P(?P<player>\d{1,3}) "
_FORMS: Iterable[tuple[str, Callable[[re.Match[str]], Any]]] = (
    (r"roll (?P<faces>\S+ \S+)", lambda m: Roll(tuple(m["faces"].split()))),
    (_PLAYER + r"picks (?P<die>\S+)", lambda m: Pick(int(m["player"]), m["die"])),
    (_PLAYER + r"marks (?P<dots>.+)", _mark),
    (_PLAYER + r"adds (?P<dot>\S+) for (?P<topping>\S+)", lambda m: ExtraDot(int(m["player"]), m["topping"], m["dot"])),
    (_PLAYER + r"stops", lambda m: Stop(int(m["player"]))),
)
