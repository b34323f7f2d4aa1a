"""Positions of New York Slice and Pizzeria as people describe them: what both read and write alike."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from controller.game import Json, Player, PositionError
from controller.games import cut_and_choose
from controller.games.cut_and_choose import Portion, Ring
from controller.games.described import Described

Entries = Mapping[str, Described]
Slice = Callable[[Described], str]
"""Reads a slice of the game."""


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
