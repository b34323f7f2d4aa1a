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
from string import ascii_uppercase
from typing import Any

from controller.game import Json, PositionError
from controller.games import cut_and_choose
from controller.games.cut_and_choose import SLICES_IN_A_PIZZA, Portion, joined
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
from controller.games.pizzeria import rules
from controller.games.pizzeria.components import VALUES
from controller.games.pizzeria.rules import Divide, Holding, OwnedSpecial, Phase, State

_KEYS = (
    *("first", "round", "phase", "served", "players", "special", "set_aside"),
    *("pizza", "portions", "deciding", "moved", "drawn"),
)
_PLAYER_KEYS = ("saved", "eaten", "specials")
_SPECIAL_KEYS = ("special", "round", "used", "kind")
_USED_ONCE = (rules.OFFER_A, rules.OFFER_B, rules.OFFER_D, rules.OFFER_E, rules.OFFER_F, rules.OFFER_J)
_WITH_PIZZA = (Phase.REDRAW, Phase.DIVIDE, Phase.CHOOSE, Phase.DRAW, Phase.DECIDE)
_DIVIDED = (Phase.CHOOSE, Phase.DRAW, Phase.DECIDE)
_TAKING = (Phase.DRAW, Phase.DECIDE)
_AFTER_ROUNDS = (Phase.EAT_KIND, Phase.OVER)


# The position of a state ----------------------------------------------------------------------------------------------


def position(state: State) -> dict[str, Json]:
    """The state as a position: only what differs from the start of a game."""
    served = [pile for pile in _all_piles(state) if pile not in state.stacks]
    drawn = _drawn(state)
    described = {
        "first": state.first if state.first != 1 else None,
        "round": state.round if state.round != 1 else None,
        "phase": state.phase.value if state.phase is not Phase.PILE else None,
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
        "moved": state.shifter,
        "drawn": drawn,
    }
    return {key: value for key, value in described.items() if value not in (None, [], {})}


def _holding_position(holding: Holding) -> Json:
    described = {
        "saved": list(holding.collected),
        "eaten": list(holding.eaten),
        "specials": [
            {"special": _short(one.name)}
            | ({"round": one.round} if one.round != 1 else {})
            | ({"used": True} if one.used else {})
            | ({"kind": one.kind} if one.kind is not None else {})
            for one in holding.specials
        ],
    }
    return {key: value for key, value in described.items() if value != []}


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
    seen = {face for face, _ in _slices_in_places(state, place.path)}
    owned = {one.name for holding in state.holdings for one in holding.specials}
    state = replace(
        state,
        unseen=state.unseen - seen,
        unseen_specials=state.unseen_specials - owned - {state.special} - set(state.set_aside),
    )
    _check_phase(state, place)
    return state


def _with_round(start: State, entries: Mapping[str, Described]) -> State:
    """Whose round it is, what it waits for and which piles are left."""
    phase = start.phase
    if "phase" in entries:
        phase = Phase(entries["phase"].one_of([one.value for one in Phase], list_of(one.value for one in Phase)))
    where = read_round(entries, start.players, start.rounds, phase is Phase.PILE, "piles")
    if phase in _AFTER_ROUNDS and where.number != start.rounds:
        problem = f"{where.number} is not {start.rounds}, the last one, as {phase.value} needs"
        raise PositionError(f"position.round: {problem}")
    return replace(
        start,
        phase=phase,
        round=where.number,
        first=where.first,
        slicer=where.slicer,
        stacks=tuple(pile for pile in _all_piles(start) if pile not in where.served),
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
    eaten = read_slices(entries, "eaten", partial(_slice, state))
    for face in eaten:
        if not rules.may_eat(state, face):
            entries["eaten"].refuse(f"cannot be: {face!r} has no basil leaf and may not be eaten")
    return Holding(
        collected=read_slices(entries, "saved", partial(_slice, state)),
        eaten=eaten,
        specials=tuple(_owned(state, item) for item in entries["specials"].items()) if "specials" in entries else (),
    )


def _owned(state: State, place: Described) -> OwnedSpecial:
    entries = place.object(_SPECIAL_KEYS)
    if "special" not in entries:
        place.refuse("lacks the key special")
    number = entries["round"].number(range(1, state.round + 1)) if "round" in entries else 1
    used = entries["used"].truth() if "used" in entries else False
    kind = entries["kind"].number(VALUES) if "kind" in entries else None
    name = _special(state, entries["special"])
    if rules.must_be_replaced(replace(state, round=number), name):
        entries["special"].refuse(f"cannot have been received in round {number} with {state.players} players")
    if used and name not in _USED_ONCE:
        entries["used"].refuse(f"is not false; only {list_of(_short(one) for one in _USED_ONCE)} can be used")
    if kind is not None and name != rules.OFFER_C:
        entries["kind"].refuse("does not belong here; only c is put on a kind")
    return OwnedSpecial(name, number, used, kind)


def _pizza(state: State, entries: Mapping[str, Described]) -> dict[str, Any]:
    """The ring, the special offer of this round and those it replaced."""
    check_present(entries, "pizza", state.phase in _WITH_PIZZA, state.phase.value)
    check_present(entries, "special", state.phase in _WITH_PIZZA and state.options.advanced, state.phase.value)
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
    if sum(portion.special for portion in portions) != state.options.advanced:
        wanted = "exactly one portion" if state.options.advanced else "no portion, as the basic variant has none"
        place.refuse(f"do not have the special offer in {wanted}")
    order = still_to_choose(place, portions, state.slicer, state.players)
    state = replace(state, order=order)
    if not _orders(state):
        turns = [str(player) for player in cut_and_choose.choosing_order(state.slicer, state.players)]
        place.refuse(f"are taken out of turn: the players choose in the order {joined(turns)}")
    return replace(state, portions=_numbered(state, portions, place))


def _orders(state: State) -> list[tuple[int, ...]]:
    """The orders of choosing that leave those still to choose: the plain one, or with offer F somebody first."""
    plain = cut_and_choose.choosing_order(state.slicer, state.players)
    early = [player for player in plain if _is_used(rules.owned(state, player, rules.OFFER_F))]
    possible = [plain, *((player, *(one for one in plain if one != player)) for player in early)]
    return [order for order in possible if order[len(order) - len(state.order) :] == state.order]


def _is_used(special: OwnedSpecial | None) -> bool:
    return special is not None and special.used


def _numbered(state: State, portions: tuple[Portion, ...], place: Described) -> tuple[Portion, ...]:
    """The portions in the state's own order; once a slice has been moved, any order is as good as another."""
    moved = _has_used(state, rules.OFFER_E)
    if moved and (state.options.offer_e_across_gaps or state.options.offer_e_may_empty):
        return portions
    special_in = next((index for index, portion in enumerate(portions) if portion.special), None)
    division = Divide(state.slicer, tuple(portion.slices for portion in portions), special_in)
    found = rules.refusal(replace(state, phase=Phase.DIVIDE), division)
    if found is not None:
        place.refuse(f"are no division of position.pizza: {found.problem}")
    if moved:
        return portions
    numbered = rules.canonical_divide(state, division).portions
    return tuple(next(one for one in portions if one.slices == slices) for slices in numbered)


def _with_taker(state: State, entries: Mapping[str, Described]) -> State:
    """Who has just taken or moved something and not finished yet."""
    check_present(entries, "deciding", state.phase in _TAKING, state.phase.value)
    if "moved" in entries:
        place = entries["moved"]
        player = place.number(range(1, state.players + 1))
        shifted = rules.owned(state, player, rules.OFFER_E)
        if state.phase is not Phase.CHOOSE or player not in state.order or shifted is None or not shifted.used:
            place.refuse("is no player who is about to choose and has just used offer e")
        if player != state.order[0] and player != rules.early_chooser(state):
            place.refuse("is not the player who is to choose")
        state = replace(state, shifter=player)
    if "deciding" in entries:
        place = entries["deciding"]
        letters = ascii_uppercase[: len(state.portions)]
        portion = state.portions[letters.index(place.one_of(letters, f"a portion from A to {letters[-1]}"))]
        if portion.taken_by is None:
            place.refuse("is a portion that nobody has taken")
        if all(portion.taken_by != order[len(order) - len(state.order) - 1] for order in _orders(state)):
            place.refuse(f"is the portion of player {portion.taken_by}, who was not the last to choose")
        state = replace(state, taker=portion.taken_by, taken=portion.slices)
        return _with_drawn(state, entries, portion.special and state.special == rules.OFFER_B)
    if "drawn" in entries:
        entries["drawn"].refuse("is in nobody's hand: only who has just taken b and decides has it")
    return state


def _with_drawn(state: State, entries: Mapping[str, Described], took_b: bool) -> State:
    if state.phase is Phase.DRAW and not took_b:
        raise PositionError("position.phase: 'draw' is not now: nobody has just taken b")
    check_present(entries, "drawn", took_b and state.phase is Phase.DECIDE, state.phase.value)
    if "drawn" not in entries:
        return state
    return replace(state, taken=(*state.taken, _slice(state, entries["drawn"])))


# What has to fit together ---------------------------------------------------------------------------------------------


def _check_slices(state: State, place: Described) -> None:
    """Every slice is in one place; each pizza has brought eleven, offer B one more."""
    places: dict[str, str] = {}
    for face, where in _slices_in_places(state, place.path):
        if face in places:
            raise PositionError(f"{where}: {face!r} is also in {places[face]}; each slice exists once")
        places[face] = where
    pizzas = state.round - 1 if state.phase in (Phase.PILE, Phase.REVEAL) else state.round
    b_used = _has_used(state, rules.OFFER_B)
    expected = pizzas * SLICES_IN_A_PIZZA + b_used
    if len(places) != expected:
        extra = " and the one of offer B" if b_used else ""
        raise PositionError(f"{place.path}: {len(places)} slices are not {expected}, those of {pizzas} pizzas{extra}")
    fewest = SLICES_IN_A_PIZZA - (_has_used(state, rules.OFFER_D) and state.phase is not Phase.REDRAW)
    if state.phase in _WITH_PIZZA and not fewest <= len(state.ring) <= SLICES_IN_A_PIZZA:
        raise PositionError(f"{place.path}.pizza: {len(state.ring)} slices; expected eleven, or ten once d was used")
    _check_taken(state, place)


def _has_used(state: State, special: str) -> bool:
    return any(one.name == special and one.used for holding in state.holdings for one in holding.specials)


def _check_taken(state: State, place: Described) -> None:
    """The slices of a portion that was decided about lie in front of its taker."""
    for index, portion in enumerate(state.portions):
        if portion.taken_by is None or _is_decided_about(state, portion):
            continue
        holding = state.holdings[portion.taken_by - 1]
        for face in portion.slices:
            if face not in holding.collected + holding.eaten:
                taken = Described(f"{place.path}.portions[{index}]", face)
                taken.refuse(f"neither lies in front of player {portion.taken_by} nor is being decided about")


def _check_specials(state: State, place: Described) -> None:
    """Each round has brought one special offer; the one of this round lies where its portion lies."""
    if not state.options.advanced:
        return
    taken = any(portion.special and portion.taken_by is not None for portion in state.portions)
    finished = state.round if taken or state.phase in _AFTER_ROUNDS else state.round - 1
    owned = [[(one.name, one.round) for one in holding.specials] for holding in state.holdings]
    places = check_one_each_round(place.path, owned, finished, _short)
    if taken:
        _check_taken_special(state, place)
    elif state.special in places:
        assert state.special is not None
        raise PositionError(f"{place.path}.special: {_short(state.special)!r} is also in {places[state.special]}")
    both = set(state.set_aside) & {*places, state.special}
    if both or len(set(state.set_aside)) != len(state.set_aside):
        raise PositionError(f"{place.path}.set_aside: a special offer is in two places; each exists once")


def _check_taken_special(state: State, place: Described) -> None:
    taker = next(portion.taken_by for portion in state.portions if portion.special)
    assert taker is not None
    assert state.special is not None
    one = rules.owned(state, taker, state.special)
    if one is None or one.round != state.round:
        wanted = f"lie not with player {taker}, who took {_short(state.special)} in round {state.round}"
        raise PositionError(f"{place.path}.players: specials {wanted}")


def _check_phase(state: State, place: Described) -> None:
    """What the game waits for can be done in this position."""
    phase = Described(f"{place.path}.phase", state.phase.value)
    replaced = state.special is not None and rules.must_be_replaced(state, state.special)
    if state.phase in _WITH_PIZZA and replaced is not (state.phase is Phase.REDRAW):
        phase.refuse(f"does not go with {_short(state.special or 'no special offer')} in round {state.round}")
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
    """Every slice that somebody has seen, with the place where it is described; slices of portions that were decided
    about are counted where they lie now."""
    for player, holding in enumerate(state.holdings, start=1):
        for name, faces in (("saved", holding.collected), ("eaten", holding.eaten)):
            yield from ((face, f"{path}.players.{player}.{name}") for face in faces)
    if state.phase in (Phase.REDRAW, Phase.DIVIDE):
        yield from ((face, f"{path}.pizza") for face in state.ring)
    for index, portion in enumerate(state.portions):
        if portion.taken_by is None:
            yield from ((face, f"{path}.portions[{index}]") for face in portion.slices)
    yield from ((face, f"{path}.deciding") for face in state.taken)


# Single values --------------------------------------------------------------------------------------------------------


def _slice(state: State, place: Described) -> str:
    """A slice of this game: at this moment of reading all of them are still unseen."""
    return place.one_of(state.unseen, f"a slice in a game of {state.players}, such as '7/1' or 'mixed-9-11'")


def _special(state: State, place: Described) -> str:
    known = [_short(face) for face in sorted(state.unseen_specials)]
    expected = list_of(known) if known else "possible: there are no special offers in the basic variant"
    return f"offer/{place.one_of(known, expected)}"


def _short(special: str) -> str:
    return special.removeprefix("offer/")


def _all_piles(state: State) -> range:
    return range(1, state.rounds + 1)
