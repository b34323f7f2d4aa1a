"""Positions of New York Slice and Pizzeria as people describe them: what both read and write alike."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from string import ascii_uppercase
from typing import Any, Generic

from controller.game import Json, Player, PositionError, Refusal
from controller.games import cut_and_choose, cut_and_choose_rules
from controller.games.cut_and_choose import Portion, Ring
from controller.games.cut_and_choose_rules import OwnedSpecial, RoundState, State
from controller.games.described import Described, list_of

Entries = Mapping[str, Described]
Slice = Callable[[Described], str]
"""Reads a slice of the game."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[State]):
    """What a game's positions have of their own."""

    keys: tuple[str, ...]
    phases: type[Enum]
    first_phase: Enum
    """Waits for a stack."""
    whole: tuple[Enum, ...]
    """Phases with an undivided pizza."""
    divided: tuple[Enum, ...]
    """Phases with portions."""
    deciding: tuple[Enum, ...]
    """Phases in which somebody has just taken a portion."""
    after_rounds: tuple[Enum, ...]
    stacks: str
    """What the game calls stacks."""
    special: str
    """What it calls a Special, in a sentence."""
    prefix: str
    """What the face of a Special begins with, and its short name does not."""
    slice_example: str
    has_special: Callable[[State], bool]
    """Whether each round brings one."""
    read_holding: Callable[[State, Described], Any]
    with_portions: Callable[[State, tuple[Portion, ...], Described], State]
    """The state with these portions."""
    with_taker: Callable[[State, Entries], State]
    """Who has just taken or shifted something and not finished yet."""
    slices: Callable[[State, str], Iterator[tuple[str, str]]]
    """Every slice that somebody has seen, with the place where it is described under this path."""
    check_slices: Callable[[State, Described, Mapping[str, str]], None]
    """Checks the slices in front of players and their number; gets the place of each."""
    check_phase: Callable[[State, Described], None]
    """Checks that what the game waits for can be done."""
    no_special: str = ""
    """Why there is no Special, where a game may have none."""

    def short(self, special: str) -> str:
        """How a Special is written in a position."""
        return special.removeprefix(self.prefix)

    def read_slice(self, state: State, place: Described) -> str:
        """A slice of this game: at this moment of reading all of them are still unseen."""
        return place.one_of(state.unseen, f"a slice in a game of {state.players}, such as {self.slice_example}")

    def read_special(self, state: State, place: Described) -> str:
        """A Special of this game."""
        known = [self.short(face) for face in sorted(state.unseen_specials)]
        expected = list_of(known) if known else f"possible: {self.no_special}"
        return f"{self.prefix}{place.one_of(known, expected)}"


# The position of a state ----------------------------------------------------------------------------------------------


def describe_table(
    state: State, reading: Reading[State], holding: Callable[[Any], Json], deciding: int | None
) -> dict[str, Json]:
    """What both games describe; None and empty values are those of the start."""
    served = [stack for stack in range(1, state.rounds + 1) if stack not in state.stacks]
    return {
        "first": state.first if state.first != 1 else None,
        "round": state.round if state.round != 1 else None,
        "phase": state.phase.value if state.phase is not reading.first_phase else None,
        "served": served if served != list(range(1, len(served) + 1)) else None,
        "players": {
            str(player): holding(one) for player, one in enumerate(state.holdings, start=1) if one != type(one)()
        },
        "special": reading.short(state.special) if state.special else None,
        "set_aside": [reading.short(special) for special in state.set_aside],
        "pizza": list(state.ring),
        "portions": [describe_portion(portion) for portion in state.portions],
        "deciding": ascii_uppercase[deciding] if deciding is not None else None,
    }


def described_only(described: Mapping[str, Json]) -> dict[str, Json]:
    """Without what is as at the start."""
    return {key: value for key, value in described.items() if value not in (None, [], {})}


def describe_special(short: str, one: OwnedSpecial) -> dict[str, Json]:
    """A Special in front of a player."""
    described: dict[str, Json] = {"special": short}
    if one.round != 1:
        described["round"] = one.round
    if one.used:
        described["used"] = True
    return described


# The state of a position ----------------------------------------------------------------------------------------------


def setup(start: State, described: Json, reading: Reading[State]) -> State:
    """The state of this position of the game that begins with `start`. Raises PositionError.

    It is one that a game can come to as far as pieces, counts and turns go; how it came about is not asked.
    """
    place = Described("position", described)
    entries = place.object(reading.keys)
    state = _with_round(start, entries, reading)
    state = replace(state, holdings=_holdings(state, entries, reading), **_pizza(state, entries, reading))
    check_present(entries, "portions", state.phase in reading.divided, state.phase.value)
    if "portions" in entries:
        portions, order = _portions(state, entries["portions"], reading)
        state = reading.with_portions(replace(state, order=order), portions, entries["portions"])
    check_present(entries, "deciding", state.phase in reading.deciding, state.phase.value)
    state = reading.with_taker(state, entries)
    places: dict[str, str] = {}
    for face, where in reading.slices(state, place.path):
        if face in places:
            raise PositionError(f"{where}: {face!r} is also in {places[face]}; each slice exists once")
        places[face] = where
    reading.check_slices(state, place, places)
    if reading.has_special(state):
        _check_specials(state, place, reading)
    owned = {one.name for holding in state.holdings for one in holding.specials}
    state = replace(
        state,
        unseen=state.unseen.difference(places),
        unseen_specials=state.unseen_specials - owned - {state.special} - set(state.set_aside),
    )
    reading.check_phase(state, Described(f"{place.path}.phase", state.phase.value))
    return state


def _with_round(start: State, entries: Entries, reading: Reading[State]) -> State:
    """Whose round it is, what it waits for and which stacks are left."""
    phase = start.phase
    if "phase" in entries:
        known = [one.value for one in reading.phases]
        phase = reading.phases(entries["phase"].one_of(known, list_of(known)))
    where = read_round(entries, start.players, start.rounds, phase is reading.first_phase, reading.stacks)
    if phase in reading.after_rounds and where.number != start.rounds:
        problem = f"{where.number} is not {start.rounds}, the last one, as {phase.value} needs"
        raise PositionError(f"position.round: {problem}")
    return replace(
        start,
        phase=phase,
        round=where.number,
        first=where.first,
        slicer=where.slicer,
        stacks=tuple(stack for stack in range(1, start.rounds + 1) if stack not in where.served),
    )


def _holdings(state: State, entries: Entries, reading: Reading[State]) -> tuple[Any, ...]:
    if "players" not in entries:
        return state.holdings
    given = entries["players"].object([str(player) for player in range(1, state.players + 1)])
    return tuple(
        reading.read_holding(state, given[str(player)]) if str(player) in given else holding
        for player, holding in enumerate(state.holdings, start=1)
    )


def _pizza(state: State, entries: Entries, reading: Reading[State]) -> dict[str, Any]:
    """The ring, the Special of this round and those it replaced."""
    there = state.phase in reading.whole + reading.divided
    check_present(entries, "pizza", there, state.phase.value)
    check_present(entries, "special", there and reading.has_special(state), state.phase.value)
    found: dict[str, Any] = {}
    if "pizza" in entries:
        found["ring"] = read_ring(entries, partial(reading.read_slice, state), state.options.components.place)
    if "special" in entries:
        found["special"] = reading.read_special(state, entries["special"])
    if "set_aside" in entries:
        found["set_aside"] = tuple(reading.read_special(state, item) for item in entries["set_aside"].items())
    return found


def _portions(
    state: State, place: Described, reading: Reading[State]
) -> tuple[tuple[Portion, ...], tuple[Player, ...]]:
    """The portions and, from them, who is still to choose."""
    read = partial(reading.read_slice, state)
    portions = tuple(read_portion(item, state.players, read) for item in place.items())
    check_portions(place, portions, state.ring, state.players)
    if sum(portion.special for portion in portions) != reading.has_special(state):
        wanted = "exactly one portion" if reading.has_special(state) else f"no portion: {reading.no_special}"
        place.refuse(f"do not have {reading.special} in {wanted}")
    return portions, still_to_choose(place, portions, state.slicer, state.players)


def read_owned(
    state: State, place: Described, keys: tuple[str, ...], used_once: tuple[str, ...], reading: Reading[State]
) -> tuple[Entries, str, int, bool]:
    """The entries of a Special in front of a player, its face, the round it was received in and whether it is used."""
    entries = place.object(keys)
    if "special" not in entries:
        place.refuse("lacks the key special")
    number = entries["round"].number(range(1, state.round + 1)) if "round" in entries else 1
    used = entries["used"].truth() if "used" in entries else False
    name = reading.read_special(state, entries["special"])
    if used and name not in used_once:
        entries["used"].refuse(f"is not false; only {list_of(reading.short(one) for one in used_once)} can be used")
    return entries, name, number, used


def read_deciding(place: Described, portions: Sequence[Portion]) -> Portion:
    """The portion that is being decided about."""
    letters = tuple(ascii_uppercase[: len(portions)])
    portion = portions[letters.index(place.one_of(letters, f"a portion from A to {letters[-1]}"))]
    if portion.taken_by is None:
        place.refuse("is a portion that nobody has taken")
    return portion


def read_shifter(state: RoundState, place: Described, choosing: Enum, special: str, short: str) -> Player:
    """Who has just shifted a slice with that Special."""
    player = place.number(range(1, state.players + 1))
    one = cut_and_choose_rules.owned(state, player, special)
    if state.phase is not choosing or player not in state.order or one is None or not one.used:
        place.refuse(f"is no player who is about to choose and has just used {short}")
    return player


def as_division(portions: Sequence[Portion]) -> tuple[tuple[Ring, ...], int | None]:
    """The slices of each portion, and which has the Special."""
    special_in = next((index for index, portion in enumerate(portions) if portion.special), None)
    return tuple(portion.slices for portion in portions), special_in


def check_division(place: Described, found: Refusal | None) -> None:
    """Check that dividing the pizza so is not refused."""
    if found is not None:
        place.refuse(f"are no division of position.pizza: {found.problem}")


def numbered(portions: Sequence[Portion], slices: Sequence[Ring]) -> tuple[Portion, ...]:
    """The portions in the order of these slices of theirs."""
    return tuple(next(one for one in portions if one.slices == wanted) for wanted in slices)


# What has to fit together ---------------------------------------------------------------------------------------------


def slices_in_places(
    state: RoundState, path: str, lying: Callable[[Any], Mapping[str, Ring]], on_table: Callable[[Portion], bool]
) -> Iterator[tuple[str, str]]:
    """Every slice of the holdings, by key of a holding, and of the portions on the table or the whole pizza, with the
    place where it is described; slices of portions that were decided about are counted where they lie now."""
    for player, holding in enumerate(state.holdings, start=1):
        for name, faces in lying(holding).items():
            yield from ((face, f"{path}.players.{player}.{name}") for face in faces)
    if not state.portions:
        yield from ((face, f"{path}.pizza") for face in state.ring)
    for index, portion in enumerate(state.portions):
        if on_table(portion):
            yield from ((face, f"{path}.portions[{index}]") for face in portion.slices)


def check_taken(state: RoundState, place: Described, is_decided: Callable[[Portion], bool]) -> None:
    """The slices of a portion that was decided about lie in front of its taker."""
    for index, portion in enumerate(state.portions):
        if portion.taken_by is None or not is_decided(portion):
            continue
        holding = state.holdings[portion.taken_by - 1]
        for face in portion.slices:
            if face not in holding.collected + holding.eaten:
                taken = Described(f"{place.path}.portions[{index}]", face)
                taken.refuse(f"neither lies in front of player {portion.taken_by} nor is being decided about")


def _check_specials(state: State, place: Described, reading: Reading[State]) -> None:
    """Each round has brought one Special; the one of this round lies where its portion lies."""
    taker = next((portion.taken_by for portion in state.portions if portion.special), None)
    finished = state.round if taker is not None or state.phase in reading.after_rounds else state.round - 1
    owned = [[(one.name, one.round) for one in holding.specials] for holding in state.holdings]
    places = check_one_each_round(place.path, owned, finished, reading.short)
    if taker is not None:
        assert state.special is not None
        one = cut_and_choose_rules.owned(state, taker, state.special)
        if one is None or one.round != state.round:
            wanted = f"lie not with player {taker}, who took {reading.short(state.special)} in round {state.round}"
            raise PositionError(f"{place.path}.players: specials {wanted}")
    elif state.special in places:
        assert state.special is not None
        also = f"{reading.short(state.special)!r} is also in {places[state.special]}"
        raise PositionError(f"{place.path}.special: {also}")
    both = set(state.set_aside) & {*places, state.special}
    if both or len(set(state.set_aside)) != len(state.set_aside):
        raise PositionError(f"{place.path}.set_aside: {reading.special} is in two places; each exists once")


# Parts of a position --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Round:
    """Where in a game a position is."""

    number: int
    first: Player
    slicer: Player
    served: tuple[int, ...]
    """The numbers of the stacks (New York Slice) or piles (Pizzeria) chosen so far."""


def read_round(entries: Entries, players: int, rounds: int, is_before: bool, stacks: str) -> Round:
    """The round, where it or its first player is told. `is_before` says that its stack is still to be chosen, `stacks`
    what the game calls those."""
    first = entries["first"].number(range(1, players + 1)) if "first" in entries else 1
    number = entries["round"].number(range(1, rounds + 1)) if "round" in entries else 1
    count = number - 1 if is_before else number
    served = tuple(range(1, count + 1))
    if "served" in entries:
        served = tuple(item.number(range(1, rounds + 1)) for item in entries["served"].items())
        if len(served) != count or len(set(served)) != count:
            entries["served"].refuse(f"are not the numbers of {count} different {stacks}, as in round {number}")
    return Round(number, first, (first + number - 2) % players + 1, served)


def check_present(entries: Entries, key: str, wanted: bool, phase: str) -> None:
    """Check that a key is there exactly where the phase needs it."""
    if wanted and key not in entries:
        raise PositionError(f"position.{key}: missing; phase {phase} needs it")
    if not wanted and key in entries:
        entries[key].refuse(f"does not belong to phase {phase}; leave it out")


def read_slices(entries: Entries, key: str, read: Slice) -> tuple[str, ...]:
    """The slices under a key; none where it is left out."""
    return tuple(read(item) for item in entries[key].items()) if key in entries else ()


def read_ring(entries: Entries, read: Slice, place: Mapping[str, int]) -> Ring:
    """The pizza from its first slice in the order of the components list."""
    ring = read_slices(entries, "pizza", read)
    if ring and len(set(ring)) == len(ring):
        ring = cut_and_choose.start_ring_at(ring, min(ring, key=place.__getitem__))
    return ring


def describe_portion(portion: Portion) -> Json:
    """A portion; what it has not is left out."""
    described: dict[str, Json] = {"slices": list(portion.slices)} if portion.slices else {}
    if portion.special:
        described["special"] = True
    if portion.taken_by is not None:
        described["taken_by"] = portion.taken_by
    return described


def read_portion(place: Described, players: int, read: Slice) -> Portion:
    """The portion described so."""
    entries = place.object(("slices", "special", "taken_by"))
    taken_by = entries["taken_by"].number(range(1, players + 1)) if "taken_by" in entries else None
    special = entries["special"].truth() if "special" in entries else False
    return Portion(read_slices(entries, "slices", read), special, taken_by)


def check_portions(place: Described, portions: Sequence[Portion], ring: Ring, players: int) -> None:
    """Check that there are as many portions as the players need, of the slices of the ring."""
    if len(portions) != cut_and_choose.portions_for(players):
        place.refuse(f"are not {cut_and_choose.portions_for(players)} portions")
    if sorted(face for portion in portions for face in portion.slices) != sorted(ring):
        place.refuse("are not made of the slices of position.pizza, each once")


def still_to_choose(place: Described, portions: Sequence[Portion], slicer: Player, players: int) -> tuple[Player, ...]:
    """The order of choosing without those who have taken their portions."""
    order = list(cut_and_choose.choosing_order(slicer, players))
    for portion in portions:
        if portion.taken_by is not None:
            if portion.taken_by not in order:
                place.refuse(f"are taken by player {portion.taken_by} more often than that player chooses")
            order.remove(portion.taken_by)
    return tuple(order)


def check_one_each_round(
    path: str, owned: Sequence[Sequence[tuple[str, int]]], finished: int, short: Callable[[str], str]
) -> dict[str, str]:
    """Check that each of the finished rounds has brought one Special, given by name and round for each player, and none
    twice. The place of each."""
    places: dict[str, str] = {}
    for player, specials in enumerate(owned, start=1):
        for index, (name, _) in enumerate(specials):
            where = f"{path}.players.{player}.specials[{index}]"
            if name in places:
                raise PositionError(f"{where}: {short(name)!r} is also in {places[name]}; it exists once")
            places[name] = where
    rounds = Counter(number for specials in owned for _, number in specials)
    if rounds != Counter(range(1, finished + 1)):
        given = sorted(rounds.elements())
        raise PositionError(f"{path}.players: specials of the rounds {given} are not one of each from 1 to {finished}")
    return places
