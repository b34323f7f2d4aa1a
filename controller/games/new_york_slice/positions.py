"""A position of New York Slice as a person writes it by hand, and the state that it means.

What is left out is as at the start of a game, so `{}` is the start. An example, the first pizza of three players with
one portion taken and not decided about:

    {"first": 3, "served": [5], "phase": "decide", "special": "buffet",
     "pizza": ["3/2", "7/1", "7/2", "9/4", "supreme", "4/1", "5/1", "6/3", "11/2", "11/3", "combo-5-7"],
     "portions": [{"slices": ["3/2", "7/1"], "special": true, "taken_by": 1},
                  {"slices": ["7/2", "9/4", "supreme", "4/1"]},
                  {"slices": ["5/1", "6/3", "11/2", "11/3", "combo-5-7"]}],
     "deciding": "A", "players": {"1": {"specials": [{"special": "buffet"}]}}}

`served` are the stacks chosen so far; left out, they are the first ones. Who slices follows from `first` and `round`,
who is still to choose from the portions, what nobody has seen from all the rest. An `eaten_unseen` is a Mystery slice:
its face, or null where only its owner knows it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from controller.game import Json, PositionError
from controller.games import cut_and_choose_described as family
from controller.games.cut_and_choose import Portion, Ring
from controller.games.cut_and_choose_described import Entries, Reading, describe_special, described_only, read_slices
from controller.games.described import Described, list_of
from controller.games.new_york_slice import rules
from controller.games.new_york_slice.components import ANCHOVY, SUPREME, VALUES
from controller.games.new_york_slice.rules import Divide, Holding, OwnedSpecial, Phase, State

_KEYS = (
    *("first", "round", "phase", "served", "players", "special", "set_aside"),
    *("pizza", "portions", "deciding", "sneaked", "mystery"),
)
_PLAYER_KEYS = ("collected", "eaten", "eaten_unseen", "supreme_as", "specials")
_SPECIAL_KEYS = ("special", "round", "used")
_ONE_UNSEEN = "only a used mystery-slice allows one"
_USED_ONCE = (rules.CUT_IN_LINE, rules.DIBS, rules.MYSTERY_SLICE, rules.SECONDS, rules.SNEAK_A_SLICE)


# The position of a state ----------------------------------------------------------------------------------------------


def position(state: State) -> dict[str, Json]:
    """The state as a position: only what differs from the start of a game."""
    deciding = None if state.taker is None else _deciding(state)
    table = family.describe_table(state, _READING, _holding_position, deciding)
    return described_only(table | {"sneaked": state.shifter, "mystery": state.mystery})


def _holding_position(holding: Holding) -> Json:
    unknown = holding.unseen_eaten - len(holding.unseen_faces)
    if unknown > 1:
        many = f"{holding.unseen_eaten} slices eaten unseen"
        raise PositionError(f"position.players: {many} are not possible: {_ONE_UNSEEN}")
    described = {
        "collected": list(holding.collected),
        "eaten": list(holding.eaten),
        "eaten_unseen": [*holding.unseen_faces, *[None] * unknown],
        "supreme_as": holding.supreme_as,
        "specials": [describe_special(_READING.short(one.name), one) for one in holding.specials],
    }
    return described_only(described)


def _deciding(state: State) -> int:
    """The portion that the taker has just taken: the one whose slices are not in front of them yet; one without
    slices is told by its Special."""
    for index, portion in enumerate(state.portions):
        if _is_decided_about(state, portion):
            return index
    raise PositionError(f"position.deciding: player {state.taker} has taken no portion of {' '.join(state.taken)}")


def _is_decided_about(state: State, portion: Portion) -> bool:
    mine = state.taker is not None and portion.taken_by == state.taker
    return mine and portion.slices == state.taken and portion.special == state.took_special


# The state of a position ----------------------------------------------------------------------------------------------


def setup(start: State, described: Json) -> State:
    """The state of this position, see `cut_and_choose_described.setup`. Raises PositionError."""
    return family.setup(start, described, _READING)


def _holding(state: State, place: Described) -> Holding:
    entries = place.object(_PLAYER_KEYS)
    unseen = list(entries["eaten_unseen"].items()) if "eaten_unseen" in entries else []
    supreme_as = None
    if "supreme_as" in entries:
        types = [*(str(value) for value in VALUES), ANCHOVY]
        supreme_as = entries["supreme_as"].one_of(types, list_of(types))
    read = partial(_READING.read_slice, state)
    return Holding(
        collected=read_slices(entries, "collected", read),
        eaten=read_slices(entries, "eaten", read),
        specials=tuple(_owned(state, item) for item in entries["specials"].items()) if "specials" in entries else (),
        supreme_as=supreme_as,
        unseen_eaten=len(unseen),
        unseen_faces=tuple(read(item) for item in unseen if item.value is not None),
    )


def _owned(state: State, place: Described) -> OwnedSpecial:
    _, name, number, used = family.read_owned(state, place, _SPECIAL_KEYS, _USED_ONCE, _READING)
    return OwnedSpecial(name, number, used)


def _with_portions(state: State, portions: tuple[Portion, ...], place: Described) -> State:
    """The portions in the state's own order; once a slice has been shifted, any order is as good as another."""
    if any(one.name == rules.SNEAK_A_SLICE and one.used for holding in state.holdings for one in holding.specials):
        return replace(state, portions=portions)
    slices, special_in = family.as_division(portions)
    assert special_in is not None
    division = Divide(slices, special_in)
    family.check_division(place, rules.refusal(replace(state, phase=Phase.DIVIDE), division))
    return replace(state, portions=family.numbered(portions, rules.canonical_divide(state, division).portions))


def _with_taker(state: State, entries: Entries) -> State:
    """Who has just taken or shifted something and not finished yet."""
    if "sneaked" in entries:
        place = entries["sneaked"]
        shifter = family.read_shifter(state, place, Phase.CHOOSE, rules.SNEAK_A_SLICE, "sneak-a-slice")
        state = replace(state, shifter=shifter)
    if "deciding" in entries:
        portion = family.read_deciding(entries["deciding"], state.portions)
        state = replace(
            state, taker=portion.taken_by, taken=portion.slices, took_special=portion.special,
            mystery_drawn=state.phase is Phase.DECIDE and portion.special and state.special == rules.MYSTERY_SLICE,
        )  # fmt: skip
    if state.phase is Phase.MYSTERY and not (state.took_special and state.special == rules.MYSTERY_SLICE):
        raise PositionError("position.phase: 'mystery' is not now: nobody has just taken mystery-slice")
    if "mystery" in entries:
        if not state.mystery_drawn:
            entries["mystery"].refuse("is in nobody's hand: only who has just taken mystery-slice and decides has it")
        state = replace(state, mystery=_READING.read_slice(state, entries["mystery"]))
    return state


# What has to fit together ---------------------------------------------------------------------------------------------


def _check_slices(state: State, place: Described, places: Mapping[str, str]) -> None:
    """Each pizza has brought eleven slices, Mystery Slice one more."""
    for player, holding in enumerate(state.holdings, start=1):
        _check_supreme(state, holding, Described(f"{place.path}.players.{player}.supreme_as", holding.supreme_as))
        if holding.unseen_eaten and (holding.unseen_eaten > 1 or not _mystery_settled(state, player)):
            unseen = Described(f"{place.path}.players.{player}.eaten_unseen", holding.unseen_eaten)
            unseen.refuse(f"slices eaten unseen are not possible: {_ONE_UNSEEN}")
    nameless = sum(holding.unseen_eaten - len(holding.unseen_faces) for holding in state.holdings)
    there = len(places) - (state.mystery is not None) + nameless
    pizzas = state.round - 1 if state.phase in (Phase.STACK, Phase.REVEAL) else state.round
    mystery = any(_mystery_settled(state, player) for player in range(1, state.players + 1))
    expected = pizzas * rules.SLICES_IN_A_PIZZA + mystery
    if there != expected:
        settled = sum(len(holding.collected) + len(holding.eaten) + holding.unseen_eaten for holding in state.holdings)
        counted = f"{there - settled} slices on the table and {settled} in front of players are not {expected}"
        extra = " and the Mystery slice" if mystery else ""
        raise PositionError(f"{place.path}: {counted}, the slices of {pizzas} pizzas{extra}")
    family.check_taken(state, place, lambda portion: not _is_decided_about(state, portion))


def _check_supreme(state: State, holding: Holding, place: Described) -> None:
    if holding.supreme_as is not None and SUPREME not in holding.collected + holding.eaten:
        place.refuse("cannot be: the player does not have the Supreme slice")
    # A Mystery slice that is counted as collected may come to lie beside one that was never attached.
    waiting = rules.attachments(state, holding.supreme_as, holding.collected) != (None,)
    if waiting and state.phase not in (Phase.COUNT, Phase.OVER):
        place.refuse("is missing: the Supreme slice lies beside other slices, so it is attached to one of their types")


def _check_phase(state: State, phase: Described) -> None:
    """What the game waits for can be done in this position."""
    unseen = any(holding.unseen_eaten for holding in state.holdings)
    match state.phase:
        case Phase.REDRAW | Phase.DIVIDE:
            assert state.special is not None
            if rules.must_be_replaced(state, state.special) is not (state.phase is Phase.REDRAW):
                shown = _READING.short(state.special)
                phase.refuse(f"does not go with the Special {shown} in round {state.round}")
            if not state.ring:
                phase.refuse("needs a pizza")
        case Phase.CHOOSE:
            if not state.order:
                phase.refuse("needs a player who is still to choose")
        case Phase.SECONDS:
            owner = next((p for p in range(1, state.players + 1) if rules.owned(state, p, rules.SECONDS)), None)
            if owner is None or not rules.seconds_choices(state, owner):
                phase.refuse("needs a player with seconds and a slice to eat with it")
        case Phase.COUNT | Phase.OVER:
            if unseen is not (state.phase is Phase.COUNT):
                phase.refuse(f"does not go with {'a' if unseen else 'no'} slice still eaten unseen")
        case _:
            pass


def _mystery_settled(state: State, player: int) -> bool:
    """Whether the Mystery slice of this player has been eaten or collected."""
    one = rules.owned(state, player, rules.MYSTERY_SLICE)
    return one is not None and one.used and not (state.mystery_drawn and state.taker == player)


def _slices_in_places(state: State, path: str) -> Iterator[tuple[str, str]]:
    yield from family.slices_in_places(
        state, path, _lying, lambda portion: portion.taken_by is None or _is_decided_about(state, portion)
    )
    if state.mystery is not None:
        yield state.mystery, f"{path}.mystery"


def _lying(holding: Holding) -> dict[str, Ring]:
    return {"collected": holding.collected, "eaten": holding.eaten, "eaten_unseen": holding.unseen_faces}


_READING: Reading[State] = Reading(
    keys=_KEYS,
    phases=Phase,
    first_phase=Phase.STACK,
    whole=(Phase.REDRAW, Phase.DIVIDE),
    divided=(Phase.CHOOSE, Phase.MYSTERY, Phase.DECIDE),
    deciding=(Phase.MYSTERY, Phase.DECIDE),
    after_rounds=(Phase.SECONDS, Phase.COUNT, Phase.OVER),
    stacks="stacks",
    special="a Special",
    prefix="special/",
    slice_example="'7/1' or 'combo-9-11'",
    has_special=lambda _: True,
    read_holding=_holding,
    with_portions=_with_portions,
    with_taker=_with_taker,
    slices=_slices_in_places,
    check_slices=_check_slices,
    check_phase=_check_phase,
)
