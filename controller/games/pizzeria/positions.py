"""A position of Pizzeria as a person writes it by hand, and the state that it means.

What is left out is as at the start of a game, so `{}` is the start. An example, the first pizza of three players with
one portion taken and not decided about, in the advanced variant:

    {"first": 3, "served": [5], "phase": "decide", "special": "g",
     "pizza": ["2/2", "7/1", "7/2", "9/4", "3/1", "4/1", "5/1", "6/3", "11/2", "11/3", "mixed-5-7"],
     "portions": [{"slices": ["2/2", "7/1"], "special": true, "taken_by": 1},
                  {"slices": ["7/2", "9/4", "3/1", "4/1"]},
                  {"slices": ["5/1", "6/3", "11/2", "11/3", "mixed-5-7"]}],
     "deciding": "A", "players": {"1": {"specials": [{"special": "g"}]}}}

`served` are the piles chosen so far; left out, they are the first ones. Who slices follows from `first` and `round`,
who is still to choose from the portions, what nobody has seen from all the rest. `drawn` is the slice that offer B has
just brought.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from controller.game import Json, PositionError
from controller.games import cut_and_choose
from controller.games import cut_and_choose_described as family
from controller.games.cut_and_choose import SLICES_IN_A_PIZZA, Portion, Ring
from controller.games.cut_and_choose_described import (
    Entries,
    Reading,
    check_present,
    describe_special,
    described_only,
    read_slices,
)
from controller.games.described import Described
from controller.games.pizzeria import rules
from controller.games.pizzeria.components import VALUES
from controller.games.pizzeria.rules import Divide, Holding, OwnedSpecial, Phase, State
from controller.games.wording import joined

_KEYS = (
    *("first", "round", "phase", "served", "players", "special", "set_aside"),
    *("pizza", "portions", "deciding", "moved", "drawn"),
)
_PLAYER_KEYS = ("saved", "eaten", "specials")
_SPECIAL_KEYS = ("special", "round", "used", "kind")
_USED_ONCE = (rules.OFFER_A, rules.OFFER_B, rules.OFFER_D, rules.OFFER_E, rules.OFFER_F, rules.OFFER_J)


# The position of a state ----------------------------------------------------------------------------------------------


def position(state: State) -> dict[str, Json]:
    """The state as a position: only what differs from the start of a game."""
    deciding = None if state.taker is None else _deciding(state)
    table = family.describe_table(state, _READING, _holding_position, deciding)
    return described_only(table | {"moved": state.shifter, "drawn": _drawn(state)})


def _holding_position(holding: Holding) -> Json:
    described = {
        "saved": list(holding.collected),
        "eaten": list(holding.eaten),
        "specials": [_special_position(one) for one in holding.specials],
    }
    return described_only(described)


def _special_position(one: OwnedSpecial) -> Json:
    described = describe_special(_READING.short(one.name), one)
    return described if one.kind is None else described | {"kind": one.kind}


def _drawn(state: State) -> str | None:
    """The slice that offer B has just brought: the one among those taken that is of no portion."""
    of_portions = {face for portion in state.portions for face in portion.slices}
    return next((face for face in state.taken if face not in of_portions), None)


def _deciding(state: State) -> int:
    """The portion that the taker has just taken: the one whose slices are to be decided about. One without slices is
    told by its special offer."""
    mine = [index for index, portion in enumerate(state.portions) if _is_decided_about(state, portion)]
    if not mine:
        raise PositionError(f"position.deciding: player {state.taker} has taken no portion of {' '.join(state.taken)}")
    return max(mine, key=lambda index: (state.portions[index].slices != (), state.portions[index].special))


def _is_decided_about(state: State, portion: Portion) -> bool:
    return portion.taken_by is not None and portion.taken_by == state.taker and set(portion.slices) <= set(state.taken)


# The state of a position ----------------------------------------------------------------------------------------------


def setup(start: State, described: Json) -> State:
    """The state of this position, see `cut_and_choose_described.setup`. Raises PositionError."""
    return family.setup(start, described, _READING)


def _holding(state: State, place: Described) -> Holding:
    entries = place.object(_PLAYER_KEYS)
    read = partial(_READING.read_slice, state)
    eaten = read_slices(entries, "eaten", read)
    for face in eaten:
        if not rules.may_eat(state, face):
            entries["eaten"].refuse(f"cannot be: {face!r} has no basil leaf and may not be eaten")
    return Holding(
        collected=read_slices(entries, "saved", read),
        eaten=eaten,
        specials=tuple(_owned(state, item) for item in entries["specials"].items()) if "specials" in entries else (),
    )


def _owned(state: State, place: Described) -> OwnedSpecial:
    entries, name, number, used = family.read_owned(state, place, _SPECIAL_KEYS, _USED_ONCE, _READING)
    if rules.must_be_replaced(replace(state, round=number), name):
        entries["special"].refuse(f"cannot have been received in round {number} with {state.players} players")
    kind = entries["kind"].number(VALUES) if "kind" in entries else None
    if kind is not None and name != rules.OFFER_C:
        entries["kind"].refuse("does not belong here; only c is put on a kind")
    return OwnedSpecial(name, number, used, kind)


def _with_portions(state: State, portions: tuple[Portion, ...], place: Described) -> State:
    """The portions in the state's own order; once a slice has been moved, any order is as good as another."""
    if not _orders(state):
        turns = [str(player) for player in cut_and_choose.choosing_order(state.slicer, state.players)]
        place.refuse(f"are taken out of turn: the players choose in the order {joined(turns)}")
    moved = _has_used(state, rules.OFFER_E)
    if moved and (state.options.offer_e_across_gaps or state.options.offer_e_may_empty):
        return replace(state, portions=portions)
    division = Divide(state.slicer, *family.as_division(portions))
    family.check_division(place, rules.refusal(replace(state, phase=Phase.DIVIDE), division))
    if not moved:
        portions = family.numbered(portions, rules.canonical_divide(state, division).portions)
    return replace(state, portions=portions)


def _orders(state: State) -> list[tuple[int, ...]]:
    """The orders of choosing that leave those still to choose: the plain one, or with offer F somebody first."""
    plain = cut_and_choose.choosing_order(state.slicer, state.players)
    early = [player for player in plain if _is_used(rules.owned(state, player, rules.OFFER_F))]
    possible = [plain, *((player, *(one for one in plain if one != player)) for player in early)]
    return [order for order in possible if order[len(order) - len(state.order) :] == state.order]


def _is_used(special: OwnedSpecial | None) -> bool:
    return special is not None and special.used


def _with_taker(state: State, entries: Entries) -> State:
    """Who has just taken or moved something and not finished yet."""
    if "moved" in entries:
        place = entries["moved"]
        shifter = family.read_shifter(state, place, Phase.CHOOSE, rules.OFFER_E, "offer e")
        if shifter != state.order[0] and shifter != rules.early_chooser(state):
            place.refuse("is not the player who is to choose")
        state = replace(state, shifter=shifter)
    if "deciding" in entries:
        place = entries["deciding"]
        portion = family.read_deciding(place, state.portions)
        if all(portion.taken_by != order[len(order) - len(state.order) - 1] for order in _orders(state)):
            place.refuse(f"is the portion of player {portion.taken_by}, who was not the last to choose")
        state = replace(state, taker=portion.taken_by, taken=portion.slices)
        return _with_drawn(state, entries, portion.special and state.special == rules.OFFER_B)
    if "drawn" in entries:
        entries["drawn"].refuse("is in nobody's hand: only who has just taken b and decides has it")
    return state


def _with_drawn(state: State, entries: Entries, took_b: bool) -> State:
    if state.phase is Phase.DRAW and not took_b:
        raise PositionError("position.phase: 'draw' is not now: nobody has just taken b")
    drew = took_b and state.phase is Phase.DECIDE and _has_used(state, rules.OFFER_B)
    check_present(entries, "drawn", drew, state.phase.value)
    if "drawn" not in entries:
        return state
    return replace(state, taken=(*state.taken, _READING.read_slice(state, entries["drawn"])))


# What has to fit together ---------------------------------------------------------------------------------------------


def _check_slices(state: State, place: Described, places: Mapping[str, str]) -> None:
    """Each pizza has brought eleven slices, offer B one more."""
    pizzas = state.round - 1 if state.phase in (Phase.PILE, Phase.REVEAL) else state.round
    b_used = _has_used(state, rules.OFFER_B)
    expected = pizzas * SLICES_IN_A_PIZZA + b_used
    if len(places) != expected:
        extra = " and the one of offer B" if b_used else ""
        raise PositionError(f"{place.path}: {len(places)} slices are not {expected}, those of {pizzas} pizzas{extra}")
    fewest = SLICES_IN_A_PIZZA - (_has_used(state, rules.OFFER_D) and state.phase is not Phase.REDRAW)
    there = state.phase in _READING.whole + _READING.divided
    if there and not fewest <= len(state.ring) <= SLICES_IN_A_PIZZA:
        raise PositionError(f"{place.path}.pizza: {len(state.ring)} slices; expected eleven, or ten once d was used")
    family.check_taken(state, place, lambda portion: not _is_decided_about(state, portion))


def _has_used(state: State, special: str) -> bool:
    return any(one.name == special and one.used for holding in state.holdings for one in holding.specials)


def _check_phase(state: State, phase: Described) -> None:
    """What the game waits for can be done in this position."""
    replaced = state.special is not None and rules.must_be_replaced(state, state.special)
    there = state.phase in _READING.whole + _READING.divided
    if there and replaced is not (state.phase is Phase.REDRAW):
        shown = _READING.short(state.special or "no special offer")
        phase.refuse(f"does not go with {shown} in round {state.round}")
    match state.phase:
        case Phase.CHOOSE:
            if not state.order:
                phase.refuse("needs a player who is still to choose")
        case Phase.EAT_KIND:
            players = range(1, state.players + 1)
            owner = next((player for player in players if rules.owned(state, player, rules.OFFER_J)), None)
            if owner is None or not rules.kinds_to_eat(state, owner):
                phase.refuse("needs a player with j and a kind to eat with it")
        case _:
            pass


def _slices_in_places(state: State, path: str) -> Iterator[tuple[str, str]]:
    yield from family.slices_in_places(state, path, _lying, lambda portion: portion.taken_by is None)
    yield from ((face, f"{path}.deciding") for face in state.taken)


def _lying(holding: Holding) -> dict[str, Ring]:
    return {"saved": holding.collected, "eaten": holding.eaten}


_READING: Reading[State] = Reading(
    keys=_KEYS,
    phases=Phase,
    first_phase=Phase.PILE,
    whole=(Phase.REDRAW, Phase.DIVIDE),
    divided=(Phase.CHOOSE, Phase.DRAW, Phase.DECIDE),
    deciding=(Phase.DRAW, Phase.DECIDE),
    after_rounds=(Phase.EAT_KIND, Phase.OVER),
    stacks="piles",
    special="a special offer",
    prefix="offer/",
    slice_example="'7/1' or 'mixed-9-11'",
    has_special=lambda state: state.options.advanced,
    read_holding=_holding,
    with_portions=_with_portions,
    with_taker=_with_taker,
    slices=_slices_in_places,
    check_slices=_check_slices,
    check_phase=_check_phase,
    no_special="there are no special offers in the basic variant",
)
