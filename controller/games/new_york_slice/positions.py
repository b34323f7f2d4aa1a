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
from string import ascii_uppercase
from typing import Any

from controller.game import Json, PositionError
from controller.games.cut_and_choose_described import (
    check_one_each_round,
    check_portions,
    check_present,
    describe_portion,
    read_portion,
    read_ring,
    read_round,
    read_slices,
    still_to_choose,
)
from controller.games.described import Described, list_of
from controller.games.new_york_slice import rules
from controller.games.new_york_slice.components import ANCHOVY, SUPREME, VALUES
from controller.games.new_york_slice.rules import Divide, Holding, OwnedSpecial, Phase, Portion, State

_KEYS = (
    *("first", "round", "phase", "served", "players", "special", "set_aside"),
    *("pizza", "portions", "deciding", "sneaked", "mystery"),
)
_PLAYER_KEYS = ("collected", "eaten", "eaten_unseen", "supreme_as", "specials")
_SPECIAL_KEYS = ("special", "round", "used")
_USED_ONCE = (rules.CUT_IN_LINE, rules.DIBS, rules.MYSTERY_SLICE, rules.SECONDS, rules.SNEAK_A_SLICE)
_WITH_PIZZA = (Phase.REDRAW, Phase.DIVIDE, Phase.CHOOSE, Phase.MYSTERY, Phase.DECIDE)
_DIVIDED = (Phase.CHOOSE, Phase.MYSTERY, Phase.DECIDE)
_TAKING = (Phase.MYSTERY, Phase.DECIDE)
_AFTER_ROUNDS = (Phase.SECONDS, Phase.COUNT, Phase.OVER)


# The position of a state ----------------------------------------------------------------------------------------------


def position(state: State) -> dict[str, Json]:
    """The state as a position: only what differs from the start of a game."""
    served = [stack for stack in _all_stacks(state) if stack not in state.stacks]
    described = {
        "first": state.first if state.first != 1 else None,
        "round": state.round if state.round != 1 else None,
        "phase": state.phase.value if state.phase is not Phase.STACK else None,
        "served": served if served != list(range(1, len(served) + 1)) else None,
        "players": {
            str(player): _holding_position(holding)
            for player, holding in enumerate(state.holdings, start=1)
            if holding != Holding()
        },
        "special": _short(state.special) if state.special else None,
        "set_aside": [_short(special) for special in state.set_aside],
        "pizza": list(state.ring),
        "portions": [describe_portion(portion) for portion in state.portions],
        "deciding": ascii_uppercase[_deciding(state)] if state.taker is not None else None,
        "sneaked": state.shifter,
        "mystery": state.mystery,
    }
    return {key: value for key, value in described.items() if value not in (None, [], {})}


def _holding_position(holding: Holding) -> Json:
    unknown = holding.unseen_eaten - len(holding.unseen_faces)
    described = {
        "collected": list(holding.collected),
        "eaten": list(holding.eaten),
        "eaten_unseen": [*holding.unseen_faces, *[None] * unknown],
        "supreme_as": holding.supreme_as,
        "specials": [
            {"special": _short(one.name)}
            | ({"round": one.round} if one.round != 1 else {})
            | ({"used": True} if one.used else {})
            for one in holding.specials
        ],
    }
    return {key: value for key, value in described.items() if value not in (None, [])}


def _deciding(state: State) -> int:
    """The portion that the taker has just taken: the one whose slices are not in front of them yet; one without
    slices is told by its Special."""
    for index, portion in enumerate(state.portions):
        mine = portion.taken_by == state.taker and portion.slices == state.taken
        if mine and portion.special == state.took_special:
            return index
    raise PositionError(f"position.deciding: player {state.taker} has taken no portion of {' '.join(state.taken)}")


# The state of a position ----------------------------------------------------------------------------------------------


def setup(start: State, described: Json) -> State:
    """The state of this position of the game that begins with `start`. Raises PositionError.

    It is one that a game can come to as far as pieces, counts and turns go; how it came about is not asked.
    """
    place = Described("position", described)
    entries = place.object(_KEYS)
    state = _with_round(start, entries)
    state = replace(state, holdings=_holdings(state, entries), **_pizza(state, entries))
    state = _with_portions(state, entries)
    state = _with_taker(state, entries)
    _check_slices(state, place)
    _check_specials(state, place)
    seen = set(_slices_with_places(state))
    owned = {one.name for holding in state.holdings for one in holding.specials}
    state = replace(
        state,
        unseen=state.unseen - seen,
        unseen_specials=state.unseen_specials - owned - {state.special} - set(state.set_aside),
    )
    _check_phase(state, place)
    return state


def _with_round(start: State, entries: Mapping[str, Described]) -> State:
    """Whose round it is, what it waits for and which stacks are left."""
    phase = start.phase
    if "phase" in entries:
        phase = Phase(entries["phase"].one_of([one.value for one in Phase], list_of(one.value for one in Phase)))
    where = read_round(entries, start.players, start.rounds, phase is Phase.STACK, "stacks")
    if phase in _AFTER_ROUNDS and where.number != start.rounds:
        problem = f"{where.number} is not {start.rounds}, the last one, as {phase.value} needs"
        raise PositionError(f"position.round: {problem}")
    return replace(
        start,
        phase=phase,
        round=where.number,
        first=where.first,
        slicer=where.slicer,
        stacks=tuple(stack for stack in _all_stacks(start) if stack not in where.served),
    )


def _holdings(state: State, entries: Mapping[str, Described]) -> tuple[Holding, ...]:
    if "players" not in entries:
        return state.holdings
    given = entries["players"].object([str(player) for player in range(1, state.players + 1)])
    return tuple(
        _holding(state, given[str(player)]) if str(player) in given else Holding()
        for player in range(1, state.players + 1)
    )


def _holding(state: State, place: Described) -> Holding:
    entries = place.object(_PLAYER_KEYS)
    unseen = list(entries["eaten_unseen"].items()) if "eaten_unseen" in entries else []
    supreme_as = None
    if "supreme_as" in entries:
        types = [*(str(value) for value in VALUES), ANCHOVY]
        supreme_as = entries["supreme_as"].one_of(types, list_of(types))
    return Holding(
        collected=read_slices(entries, "collected", partial(_slice, state)),
        eaten=read_slices(entries, "eaten", partial(_slice, state)),
        specials=tuple(_owned(state, item) for item in entries["specials"].items()) if "specials" in entries else (),
        supreme_as=supreme_as,
        unseen_eaten=len(unseen),
        unseen_faces=tuple(_slice(state, item) for item in unseen if item.value is not None),
    )


def _owned(state: State, place: Described) -> OwnedSpecial:
    entries = place.object(_SPECIAL_KEYS)
    if "special" not in entries:
        place.refuse("lacks the key special")
    number = entries["round"].number(range(1, state.round + 1)) if "round" in entries else 1
    used = entries["used"].truth() if "used" in entries else False
    name = _special(state, entries["special"])
    if used and name not in _USED_ONCE:
        entries["used"].refuse(f"is not false; only {list_of(_short(one) for one in _USED_ONCE)} can be used")
    return OwnedSpecial(name, number, used)


def _pizza(state: State, entries: Mapping[str, Described]) -> dict[str, Any]:
    """The ring, the Special of this round and those it replaced."""
    for key in ("pizza", "special"):
        check_present(entries, key, state.phase in _WITH_PIZZA, state.phase.value)
    found: dict[str, Any] = {}
    if "pizza" in entries:
        found["ring"] = read_ring(entries, partial(_slice, state), state.options.components.place)
    if "special" in entries:
        found["special"] = _special(state, entries["special"])
    if "set_aside" in entries:
        found["set_aside"] = tuple(_special(state, item) for item in entries["set_aside"].items())
    return found


def _with_portions(state: State, entries: Mapping[str, Described]) -> State:
    """The portions and, from them, who is still to choose."""
    check_present(entries, "portions", state.phase in _DIVIDED, state.phase.value)
    if "portions" not in entries:
        return state
    place = entries["portions"]
    portions = tuple(read_portion(item, state.players, partial(_slice, state)) for item in place.items())
    check_portions(place, portions, state.ring, state.players)
    if sum(portion.special for portion in portions) != 1:
        place.refuse("do not have the Special in exactly one portion")
    order = still_to_choose(place, portions, state.slicer, state.players)
    return replace(state, portions=_numbered(state, portions, place), order=order)


def _numbered(state: State, portions: tuple[Portion, ...], place: Described) -> tuple[Portion, ...]:
    """The portions in the state's own order; once a slice has been shifted, any order is as good as another."""
    if any(one.name == rules.SNEAK_A_SLICE and one.used for holding in state.holdings for one in holding.specials):
        return portions
    special_in = next(index for index, portion in enumerate(portions) if portion.special)
    division = Divide(tuple(portion.slices for portion in portions), special_in)
    found = rules.refusal(replace(state, phase=Phase.DIVIDE), division)
    if found is not None:
        place.refuse(f"are no division of position.pizza: {found.problem}")
    numbered = rules.canonical_divide(state, division).portions
    return tuple(next(one for one in portions if one.slices == slices) for slices in numbered)


def _with_taker(state: State, entries: Mapping[str, Described]) -> State:
    """Who has just taken or shifted something and not finished yet."""
    check_present(entries, "deciding", state.phase in _TAKING, state.phase.value)
    if "sneaked" in entries:
        place = entries["sneaked"]
        player = place.number(range(1, state.players + 1))
        shifted = rules.owned(state, player, rules.SNEAK_A_SLICE)
        if state.phase is not Phase.CHOOSE or player not in state.order or shifted is None or not shifted.used:
            place.refuse("is no player who is about to choose and has just used sneak-a-slice")
        state = replace(state, shifter=player)
    if "deciding" in entries:
        place = entries["deciding"]
        letters = tuple(ascii_uppercase[: len(state.portions)])
        portion = state.portions[letters.index(place.one_of(letters, f"a portion from A to {letters[-1]}"))]
        if portion.taken_by is None:
            place.refuse("is a portion that nobody has taken")
        state = replace(
            state, taker=portion.taken_by, taken=portion.slices, took_special=portion.special,
            mystery_drawn=state.phase is Phase.DECIDE and portion.special and state.special == rules.MYSTERY_SLICE,
        )  # fmt: skip
    if state.phase is Phase.MYSTERY and not (state.took_special and state.special == rules.MYSTERY_SLICE):
        raise PositionError("position.phase: 'mystery' is not now: nobody has just taken mystery-slice")
    if "mystery" in entries:
        if not state.mystery_drawn:
            entries["mystery"].refuse("is in nobody's hand: only who has just taken mystery-slice and decides has it")
        state = replace(state, mystery=_slice(state, entries["mystery"]))
    return state


# What has to fit together ---------------------------------------------------------------------------------------------


def _check_slices(state: State, place: Described) -> None:
    """Every slice is in one place; each pizza has brought eleven, Mystery Slice one more."""
    places: dict[str, str] = {}
    for face, where in _slices_in_places(state, place.path):
        if face in places:
            raise PositionError(f"{where}: {face!r} is also in {places[face]}; each slice exists once")
        places[face] = where
    for player, holding in enumerate(state.holdings, start=1):
        _check_supreme(state, holding, Described(f"{place.path}.players.{player}.supreme_as", holding.supreme_as))
        if holding.unseen_eaten and (holding.unseen_eaten > 1 or not _mystery_settled(state, player)):
            unseen = Described(f"{place.path}.players.{player}.eaten_unseen", holding.unseen_eaten)
            unseen.refuse("slices eaten unseen are not possible: only a used mystery-slice allows one")
    undecided = [portion for portion in state.portions if portion.taken_by is None]
    on_table = sum(len(portion.slices) for portion in undecided) + len(state.taken)
    if state.phase in (Phase.REDRAW, Phase.DIVIDE):
        on_table = len(state.ring)
    settled = sum(len(holding.collected) + len(holding.eaten) + holding.unseen_eaten for holding in state.holdings)
    pizzas = state.round - 1 if state.phase in (Phase.STACK, Phase.REVEAL) else state.round
    mystery = any(_mystery_settled(state, player) for player in range(1, state.players + 1))
    expected = pizzas * rules.SLICES_IN_A_PIZZA + mystery
    if on_table + settled != expected:
        counted = f"{on_table} slices on the table and {settled} in front of players are not {expected}"
        extra = " and the Mystery slice" if mystery else ""
        raise PositionError(f"{place.path}: {counted}, the slices of {pizzas} pizzas{extra}")
    _check_taken(state, place)


def _check_taken(state: State, place: Described) -> None:
    """The slices of a portion that was decided about lie in front of its taker."""
    for index, portion in enumerate(state.portions):
        deciding = state.taker is not None and index == _deciding(state)
        if portion.taken_by is None or deciding:
            continue
        holding = state.holdings[portion.taken_by - 1]
        for face in portion.slices:
            if face not in holding.collected + holding.eaten:
                taken = Described(f"{place.path}.portions[{index}]", face)
                taken.refuse(f"neither lies in front of player {portion.taken_by} nor is being decided about")


def _check_supreme(state: State, holding: Holding, place: Described) -> None:
    if holding.supreme_as is not None and SUPREME not in holding.collected + holding.eaten:
        place.refuse("cannot be: the player does not have the Supreme slice")
    # A Mystery slice that is counted as collected may come to lie beside one that was never attached.
    waiting = rules.attachments(state, holding.supreme_as, holding.collected) != (None,)
    if waiting and state.phase not in (Phase.COUNT, Phase.OVER):
        place.refuse("is missing: the Supreme slice lies beside other slices, so it is attached to one of their types")


def _check_specials(state: State, place: Described) -> None:
    """Each round has brought one Special; the one of this round lies where its portion lies."""
    taken = any(portion.special and portion.taken_by is not None for portion in state.portions)
    finished = state.round if taken or state.phase in _AFTER_ROUNDS else state.round - 1
    owned = [[(one.name, one.round) for one in holding.specials] for holding in state.holdings]
    places = check_one_each_round(place.path, owned, finished, _short)
    if taken:
        taker = next(portion.taken_by for portion in state.portions if portion.special)
        assert taker is not None
        assert state.special is not None
        one_taken = rules.owned(state, taker, state.special)
        if one_taken is None or one_taken.round != state.round:
            wanted = f"lie not with player {taker}, who took {_short(state.special)} in round {state.round}"
            raise PositionError(f"{place.path}.players: specials {wanted}")
    elif state.special in places:
        assert state.special is not None
        raise PositionError(f"{place.path}.special: {_short(state.special)!r} is also in {places[state.special]}")
    both = set(state.set_aside) & {*places, state.special}
    if both or len(set(state.set_aside)) != len(state.set_aside):
        raise PositionError(f"{place.path}.set_aside: a Special is in two places; each exists once")


def _check_phase(state: State, place: Described) -> None:
    """What the game waits for can be done in this position."""
    phase = Described(f"{place.path}.phase", state.phase.value)
    unseen = any(holding.unseen_eaten for holding in state.holdings)
    match state.phase:
        case Phase.REDRAW | Phase.DIVIDE:
            assert state.special is not None
            if rules.must_be_replaced(state, state.special) is not (state.phase is Phase.REDRAW):
                phase.refuse(f"does not go with the Special {_short(state.special)} in round {state.round}")
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


def _slices_with_places(state: State) -> dict[str, str]:
    return dict(_slices_in_places(state, "position"))


def _slices_in_places(state: State, path: str) -> Iterator[tuple[str, str]]:
    """Every slice that somebody has seen, with the place where it is described; slices of portions that were decided
    about are counted where they lie now."""
    for player, holding in enumerate(state.holdings, start=1):
        for name, faces in (
            ("collected", holding.collected),
            ("eaten", holding.eaten),
            ("eaten_unseen", holding.unseen_faces),
        ):
            yield from ((face, f"{path}.players.{player}.{name}") for face in faces)
    if state.phase in (Phase.REDRAW, Phase.DIVIDE):
        yield from ((face, f"{path}.pizza") for face in state.ring)
    for index, portion in enumerate(state.portions):
        if portion.taken_by is None or (state.taker is not None and index == _deciding(state)):
            yield from ((face, f"{path}.portions[{index}]") for face in portion.slices)
    if state.mystery is not None:
        yield state.mystery, f"{path}.mystery"


# Single values --------------------------------------------------------------------------------------------------------


def _slice(state: State, place: Described) -> str:
    """A slice of this game: at this moment of reading all of them are still unseen."""
    return place.one_of(state.unseen, f"a slice in a game of {state.players}, such as '7/1' or 'combo-9-11'")


def _special(state: State, place: Described) -> str:
    known = [_short(face) for face in sorted(state.unseen_specials)]
    return f"special/{place.one_of(known, list_of(known))}"


def _short(special: str) -> str:
    return special.removeprefix("special/")


def _all_stacks(state: State) -> range:
    return range(1, state.rounds + 1)
