"""A position of Dice and Slice as a person writes it by hand, and the state that it means.

What is left out is as at the start of a game, so `{}` is the start. An example, the second turn of a game for two in
which player 1 is still to mark and player 2 may place an extra dot:

    {"turn": 2, "first": 1, "roll": ["A1", "B6"], "picked": "B", "sheets": {
        "1": {"dots": "d1 e1 e2"},
        "2": {"dots": "b2 c2 b3 c3", "marked": true, "earned": ["mushroom-b2"]}}}

`crossed` are the toppings whose extra dot was placed, `bonuses` the topping bonuses that the player has circled,
`counted` the toppings they were scored with, `scored_this_turn` the bonuses that others can still score this turn.
Whether the game is over follows from the sheets; `over` needs to be said only where nobody can mark anything more.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from controller.game import Json, Player, PositionError
from controller.games.described import Described
from controller.games.dice_and_slice import rules
from controller.games.dice_and_slice.components import DICE, FACES
from controller.games.dice_and_slice.grid import list_bits, names_of
from controller.games.dice_and_slice.rules import Phase, Sheet, State

_KEYS = ("turn", "first", "roll", "picked", "scored_this_turn", "over", "sheets")
_SHEET_KEYS = ("dots", "crossed", "counted", "bonuses", "marked", "earned")
_MOST_TURNS = 10_000


# The position of a state ----------------------------------------------------------------------------------------------


def position(state: State) -> dict[str, Json]:
    """The state as a position: only what differs from the start of a game."""
    described = {
        "turn": state.turn if state.turn != 1 else None,
        "first": state.first if state.first != 1 else None,
        "roll": list(state.roll),
        "picked": state.picked,
        "scored_this_turn": rules.bonus_names(state, rules.bonuses_of_all(state.sheets) & ~state.closed),
        "over": True if state.phase is Phase.OVER else None,
        "sheets": {
            str(player): _sheet_position(state, sheet)
            for player, sheet in enumerate(state.sheets, start=1)
            if sheet != Sheet()
        },
    }
    return {key: value for key, value in described.items() if value not in (None, [], {})}


def _sheet_position(state: State, sheet: Sheet) -> Json:
    described = {
        "dots": " ".join(names_of(state.options.components.grid, sheet.dots)),
        "crossed": rules.topping_names(state, sheet.crossed),
        "counted": rules.topping_names(state, sheet.counted),
        "bonuses": rules.bonus_names(state, sheet.bonuses),
        "marked": sheet.marked,
        "earned": rules.topping_names(state, sheet.earned),
    }
    return {key: value for key, value in described.items() if value}


# The state of a position ----------------------------------------------------------------------------------------------


def setup(start: State, described: Json) -> State:
    """The state of this position of the game that begins with `start`. Raises PositionError.

    Dots, lines, toppings and bonuses are such that a game can come to them; how many turns it took is not asked.
    """
    place = Described("position", described)
    entries = place.object(_KEYS)
    first = entries["first"].number(range(1, start.players + 1)) if "first" in entries else 1
    number = entries["turn"].number(range(1, _MOST_TURNS)) if "turn" in entries else 1
    state = replace(start, first=first, turn=number, sheets=_sheets(start, entries))
    state = _with_dice(state, entries)
    state = _with_bonuses(state, entries)
    if state.phase is Phase.MARK:
        _check_marking(state)
    else:
        _check_not_marking(state)
    return _ended(state, entries)


def _sheets(state: State, entries: Mapping[str, Described]) -> tuple[Sheet, ...]:
    if "sheets" not in entries:
        return state.sheets
    given = entries["sheets"].object([str(player) for player in range(1, state.players + 1)])
    return tuple(
        _sheet(state, given[str(player)]) if str(player) in given else Sheet() for player in range(1, state.players + 1)
    )


def _sheet(state: State, place: Described) -> Sheet:
    entries = place.object(_SHEET_KEYS)
    components = state.options.components
    dots = _dots(state, entries["dots"]) if "dots" in entries else 0
    toppings = {
        key: _names(entries, key, components.topping_bits, "a topping of the sheet")
        for key in ("crossed", "counted", "earned")
    }
    bonuses = _names(entries, "bonuses", components.bonus_bits, "a topping bonus of the sheet")
    for key, squares in toppings.items():
        _check_enclosed(state, dots, squares, entries.get(key, place))
    marked = entries["marked"].truth() if "marked" in entries else False
    if toppings["earned"] and not marked:
        entries["earned"].refuse("give extra dots only where marked is true")
    if toppings["earned"] & toppings["crossed"]:
        entries["earned"].refuse("are not all without a cross; a topping gives one extra dot")
    if toppings["earned"] and dots == components.grid.dots:
        entries["earned"].refuse("give no extra dots on a sheet without room for one")
    _check_bonuses(state, dots, bonuses, toppings["counted"], entries.get("bonuses", entries.get("counted", place)))
    return Sheet(dots, toppings["crossed"], toppings["counted"], bonuses, marked, toppings["earned"])


def _dots(state: State, place: Described) -> int:
    bits = state.options.components.grid.bits
    if not isinstance(place.value, str):
        place.refuse("is no text of dots, such as 'a1 a2 b2'")
    mask = 0
    for name in place.value.split():
        if name not in bits:
            raise PositionError(f"{place.path}: {name!r} is no dot; expected names from {min(bits)} on, such as 'c7'")
        if mask & bits[name]:
            raise PositionError(f"{place.path}: {name!r} stands there twice; expected each dot once")
        mask |= bits[name]
    return mask


def _names(entries: Mapping[str, Described], key: str, bits: Mapping[str, int], what: str) -> int:
    mask = 0
    for item in entries[key].items() if key in entries else ():
        bit = bits[item.one_of(bits, what)]
        if mask & bit:
            item.refuse("stands there twice")
        mask |= bit
    return mask


def _check_enclosed(state: State, dots: int, squares: int, place: Described) -> None:
    """Toppings are crossed off, counted or give a dot only once a scorable slice has enclosed them."""
    if not squares:
        return
    outlined = [one for one in state.options.components.grid.rectangles if not one.outline & ~dots]
    for bit in list_bits(squares):
        if not any(one.squares & bit for one in outlined):
            (name,) = rules.topping_names(state, bit)
            place.refuse(f"cannot be: {name} has never been in a scorable slice of this sheet")


def _check_bonuses(state: State, dots: int, bonuses: int, counted: int, place: Described) -> None:
    """Each bonus was scored with a slice of exactly its toppings, and no other toppings count as having scored."""
    components = state.options.components
    explained = 0
    for bonus in list_bits(bonuses):
        fitting = [
            components.toppings_in(one)
            for one in components.grid.rectangles
            if components.bonus_of[one.number] == bonus
            and not one.outline & ~dots
            and not components.toppings_in(one) & ~counted
        ]
        if not fitting:
            (name,) = rules.bonus_names(state, bonus)
            place.refuse(f"cannot be: no slice with the toppings of {name} was made with toppings that are counted")
        for toppings in fitting:
            explained |= toppings
    if counted & ~explained:
        names = ", ".join(rules.topping_names(state, counted & ~explained))
        place.refuse(f"cannot be: {names} counted without having been in the slice of a bonus")


def _with_dice(state: State, entries: Mapping[str, Described]) -> State:
    if "roll" in entries:
        faces = [item.one_of(state.options.components.faces, "a face, A1 to B6") for item in entries["roll"].items()]
        roll = rules.Roll(tuple(faces))
        if faces and rules.refusal(state, roll) is not None:
            entries["roll"].refuse("is not one face of each die, A's first")
        state = replace(state, phase=Phase.PICK if faces else Phase.ROLL, roll=roll.faces)
    if "picked" in entries and entries["picked"].value is not None:
        picked = entries["picked"].one_of(DICE, "a die, A or B")
        if not state.roll:
            entries["picked"].refuse("is picked, but roll is empty; expected both faces")
        state = replace(state, phase=Phase.MARK, picked=picked)
    return state


def _with_bonuses(state: State, entries: Mapping[str, Described]) -> State:
    bits = state.options.components.bonus_bits
    now = _names(entries, "scored_this_turn", bits, "a topping bonus of the sheet")
    scored = rules.bonuses_of_all(state.sheets)
    if now & ~scored:
        entries["scored_this_turn"].refuse("are not all among the bonuses of a sheet")
    if any(sheet.bonuses & now and not sheet.marked for sheet in state.sheets):
        entries["scored_this_turn"].refuse("can be scored this turn only by who has marked")
    return replace(state, closed=scored & ~now)


def _check_marking(state: State) -> None:
    if all(sheet.done for sheet in state.sheets):
        raise PositionError("position.picked: everybody has marked, so the turn is over; expected no roll, no picked")
    for player, sheet in _numbered(state):
        path = f"position.sheets.{player}"
        face = rules.face_for(state, player)
        if not sheet.marked and not rules.can_mark(state, player, face):
            raise PositionError(f"{path}.marked: false, but {face} adds no dot to this sheet; expected true")
        if not sheet.marked and rules.is_finished(state, sheet):
            raise PositionError(f"{path}.dots: this sheet was finished before this turn; expected a game that is over")


def _check_not_marking(state: State) -> None:
    for player, sheet in _numbered(state):
        if sheet.marked:
            raise PositionError(f"position.sheets.{player}.marked: true, but no die is picked; expected picked")


def _ended(state: State, entries: Mapping[str, Described]) -> State:
    """The state with the phase over where the game is."""
    if state.phase is Phase.MARK:
        over = False
    else:
        over = any(rules.is_finished(state, sheet) for sheet in state.sheets)
    said = entries["over"].truth() if "over" in entries else over
    if said and (state.phase is not Phase.ROLL or not (over or _may_be_exhausted(state))):
        path = "position.over" if "over" in entries else "position.roll"
        raise PositionError(
            f"{path}: no sheet was finished with the last turn, so the game is not over; expected false"
        )
    if over and not said:
        entries["over"].refuse("is not true, but a sheet is finished")
    return replace(state, phase=Phase.OVER) if said else state


def _may_be_exhausted(state: State) -> bool:
    """Whether there is a roll with which nobody can mark anything."""

    def stuck(player: Player, face: str) -> bool:
        return not rules.can_mark(state, player, face)

    others = [player for player in range(1, state.players + 1) if player != state.active]
    rolls = list(product(*([die + face for face in FACES] for die in DICE)))
    return any(
        all(stuck(state.active, face) for face in roll) and all(stuck(player, theirs) for player in others)
        for roll in rolls
        for theirs in roll
    )


def _numbered(state: State) -> Iterator[tuple[Player, Sheet]]:
    return enumerate(state.sheets, start=1)
