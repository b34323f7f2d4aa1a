"""I cut, you choose: what New York Slice and Pizzeria share.

A pizza is a ring of faces, clockwise as seen from above. Slices of a type are counted in halves, so that every count
is a whole number.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, combinations, pairwise
from math import exp

from controller.game import NotationError, Player
from controller.games.wording import joined

SLICES_IN_A_PIZZA = 11
NOTHING = "nothing"
"""What notation says where no slice is eaten."""
Ring = tuple[str, ...]
Words = Callable[[str], str]
"""What a player calls a piece."""


@dataclass(frozen=True, slots=True)
class Portion:
    """A portion of the divided pizza."""

    slices: tuple[str, ...]
    """Clockwise."""
    special: bool
    """Whether the Special (New York Slice) or the special offer (Pizzeria) is part of it."""
    taken_by: int | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a pizza or its division, for a refusal under the game's own heading."""

    problem: str
    remedy: str
    pieces: tuple[str, ...] = ()


# The pizza ------------------------------------------------------------------------------------------------------------


def start_ring_at(ring: Ring, face: str) -> Ring:
    """The same ring written from another of its faces."""
    index = ring.index(face)
    return ring[index:] + ring[:index]


def same_ring(ring: Ring, other: Ring) -> bool:
    """Whether both are the same circle, whichever face each is written from."""
    if ring == other:
        return True
    return len(ring) == len(other) and other[0] in ring and start_ring_at(ring, other[0]) == other


def divisions(ring: Ring, portions: int) -> Iterator[tuple[Ring, ...]]:
    """Every division of the ring into that many portions of neighbouring slices, once.

    Portions are clockwise, the slices of each clockwise, the one with the ring's first slice first.
    """
    if portions == 1:
        yield (ring,)
        return
    for cuts in combinations(range(len(ring)), portions):
        between = [ring[start:end] for start, end in pairwise(cuts)]
        across = ring[cuts[-1] :] + ring[: cuts[0]]
        yield (across, *between) if cuts[0] else (*between, across)


def out_of_order(ring: Ring, sequence: Ring) -> tuple[str, ...]:
    """The faces of the sequence whose clockwise neighbour is another than in the ring.

    The sequence, read as a circle, holds the ring's faces.
    """
    following = dict(zip(ring, ring[1:] + ring[:1], strict=True))
    return tuple(
        face for face, after in zip(sequence, sequence[1:] + sequence[:1], strict=True) if following[face] != after
    )


def divisions_with_special(ring: Ring, portions: int) -> Iterator[tuple[tuple[Ring, ...], int]]:
    """Every division of ring and Special, once: the portions as in `divisions` and which of them has the Special. One
    that is the Special alone is an empty tuple at the end."""
    for division in divisions(ring, portions):
        yield from ((division, index) for index in range(portions))
    for division in divisions(ring, portions - 1):
        yield (*division, ()), portions - 1


def numbered_portions(
    ring: Ring, portions: tuple[Ring, ...], special_in: int | None
) -> tuple[tuple[Ring, ...], int | None]:
    """The same division from the portion with the ring's first slice, clockwise, a Special alone last."""
    if ring[0] in portions[0] and () not in portions[:-1]:
        return portions, special_in
    special = portions[special_in] if special_in is not None else None
    full = [portion for portion in portions if portion]
    first = next(index for index, portion in enumerate(full) if ring[0] in portion)
    ordered = (*full[first:], *full[:first])
    if special is None:
        return ordered, None
    if not special:
        return (*ordered, ()), len(ordered)
    return ordered, ordered.index(special)


def faces_fault(ring: Ring, faces: Container[str], words: Words) -> Fault | None:
    """Why a pizza that is turned up is not made of these faces, each at most once."""
    twice = duplicates(ring)
    if twice:
        problem = f"Twice in the pizza: {_list(twice, words)}."
        return Fault(problem, "Each slice exists once: look at these again.", twice)
    strange = tuple(face for face in ring if face not in faces)
    if strange:
        return Fault(f"No slice of this game: {_list(strange, words)}.", "Use only the slices of the game.", strange)
    return None


def stack_fault(ring: Ring, unseen: Container[str], words: Words, stack: str) -> Fault | None:
    """Why slices of the game are not those of one of its stacks; `stack` is what the game calls one."""
    seen = tuple(face for face in ring if face not in unseen)
    if seen:
        remedy = f"Put it back where it was and turn up the slices of the {stack} only."
        return Fault(f"Already seen in this game: {_list(seen, words)}.", remedy, seen)
    if len(ring) == SLICES_IN_A_PIZZA:
        return None
    problem = f"The pizza has {len(ring)} {'slice' if len(ring) == 1 else 'slices'}, not {SLICES_IN_A_PIZZA}."
    return Fault(problem, f"Turn up all eleven slices of the {stack}, no more and no fewer.")


def slices_fault(ring: Ring, slices: Ring, words: Words) -> Fault | None:
    """Why the slices of the portions are not those of the pizza, each once."""
    if len(slices) == len(ring) and set(slices) == set(ring):
        return None
    twice = duplicates(slices)
    if twice:
        return Fault(f"In two places at once: {_list(twice, words)}.", "Each slice belongs to one portion.", twice)
    strange = tuple(face for face in slices if face not in ring)
    if strange:
        return Fault(f"Not of this pizza: {_list(strange, words)}.", "Take it away from the portions.", strange)
    missing = tuple(face for face in ring if face not in slices)
    return Fault(f"In no portion: {_list(missing, words)}.", "Every slice of the pizza goes into a portion.", missing)


def division_fault(
    ring: Ring, portions: tuple[Ring, ...], special_in: int | None, words: Words, needed: str
) -> Fault | None:
    """Why these portions are no division of the pizza; `needed` says what each needs at least."""
    slices = tuple(chain.from_iterable(portions))
    is_whole = same_ring(ring, slices)
    fault = None if is_whole else slices_fault(ring, slices, words)
    if fault is not None:
        return fault
    if () in portions and any(not portion and index != special_in for index, portion in enumerate(portions)):
        return Fault("A portion is empty.", f"Each portion needs at least {needed}.")
    return None if is_whole else order_fault(ring, slices, words)


def order_fault(ring: Ring, slices: Ring, words: Words) -> Fault | None:
    """Why these slices, which are those of the pizza, are not in its order."""
    if same_ring(ring, slices):
        return None
    moved = out_of_order(ring, slices)
    problem = f"The slices are not in the order of the pizza any more: {_list(moved, words)}."
    return Fault(problem, "Lay the slices back in their order and only pull portions apart.", moved)


def left_of(player: Player, players: int) -> Player:
    """The next player clockwise."""
    return player % players + 1


def portions_for(players: int) -> int:
    """A pizza has as many portions as players; for two players it has four."""
    return 4 if players == 2 else players


@cache
def choosing_order(slicer: Player, players: int) -> tuple[Player, ...]:
    """Who chooses when: clockwise from the slicer's left, the slicer last. Two players alternate, twice each."""
    once = tuple((slicer + offset) % players + 1 for offset in range(players))
    return once * 2 if players == 2 else once


def shifts(
    portions: Sequence[Portion], may_lose: Callable[[Portion], bool], across_gaps: bool
) -> Iterator[tuple[str, int]]:
    """Each slice at an end of a portion nobody has taken, with the portion beside it that may gain it, once.

    A Special alone has no slice that another could be beside, so it is beside nothing. Where portions were taken, those
    on either side of the gap are beside each other if `across_gaps`.
    """
    found: set[tuple[str, int]] = set()
    circle = [index for index, one in enumerate(portions) if one.slices and (one.taken_by is None or not across_gaps)]
    if len(circle) < 2:
        return
    for here, after in zip(circle, circle[1:] + circle[:1], strict=True):
        source, target = portions[here], portions[after]
        if source.taken_by is None and target.taken_by is None:
            for loser, shift in ((source, (source.slices[-1], after)), (target, (target.slices[0], here))):
                if shift not in found and may_lose(loser):
                    found.add(shift)
                    yield shift


def shifted(portions: Sequence[Portion], face: str, to: int, across_gaps: bool) -> tuple[Portion, ...]:
    """The portions after this one of their `shifts`."""
    here = next(index for index, one in enumerate(portions) if face in one.slices)
    source, target = portions[here], portions[to]
    around = ((here + step) % len(portions) for step in range(1, len(portions)))
    after = next(i for i in around if portions[i].slices and (portions[i].taken_by is None or not across_gaps))
    clockwise = source.slices[-1] == face and after == to
    gained = (face, *target.slices) if clockwise else (*target.slices, face)
    changed = list(portions)
    changed[here] = Portion(tuple(one for one in source.slices if one != face), source.special)
    changed[to] = Portion(gained, target.special)
    return tuple(changed)


# Counting -------------------------------------------------------------------------------------------------------------


def most(counts: Mapping[Player, int]) -> tuple[Player, ...]:
    """Those who have the most of a type; nobody where nobody has any."""
    best = max(counts.values())
    return tuple(player for player, count in counts.items() if count == best) if best > 0 else ()


def words_for_halves(halves: int) -> str:
    """A count of slices as it is said: 5 halves are 2½."""
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)


def subsets(faces: Iterable[str]) -> Iterator[frozenset[str]]:
    """Every subset once, small ones first."""
    pool = tuple(faces)
    return (frozenset(chosen) for size in range(len(pool) + 1) for chosen in combinations(pool, size))


def duplicates(faces: tuple[str, ...]) -> tuple[str, ...]:
    """The faces that are there more than once."""
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for face in faces:
        if face in seen:
            twice[face] = None
        seen.add(face)
    return tuple(twice)


def _list(faces: Iterable[str], words: Words) -> str:
    return joined([words(face) for face in faces])


# What sensible players expect -----------------------------------------------------------------------------------------

Worths = Mapping[Player, Sequence[float]]
"""What each portion is worth to each player."""


@dataclass(slots=True)
class Outlook:
    """What each player may expect of each type, as the table stands.

    A player's chance to score a type grows with the lead over each other player, and is the more open the more slices
    of the type are still to come.
    """

    counts: Mapping[int, Mapping[Player, int]]
    """Half slices by type and player."""
    openness: Mapping[int, float]
    """How open each type is, in slices."""
    edges: Mapping[Player, Mapping[Player, float]]
    """What a player is ahead of each other in slices where they hold equally many: above 0 where a tie scores."""
    gains: dict[tuple[Player, int, int], float] = field(default_factory=dict)
    """Worth of more half slices by (player, value, halves), as far as asked."""

    def chance(self, value: int, player: Player, more: int = 0, rival_more: int = 0, rival: Player = 0) -> float:
        """The chance that the player scores the type, when this player and a rival hold some half slices more."""
        counts, openness, edges = self.counts[value], self.openness[value], self.edges[player]
        have = counts[player] + more
        chance = 1.0 if have else min(1.0, openness)
        for other, halves in counts.items():
            if other != player:
                lead = (have - halves - (rival_more if other == rival else 0)) / 2
                chance *= 1 / (1 + exp(min(60.0, -(lead + edges[other]) / openness)))
        return chance

    def gain(self, player: Player, value: int, halves: int) -> float:
        """What so many more half slices of a type bring: own points, and the others' lost, shared among them."""
        key = (player, value, halves)
        if key not in self.gains:
            others = [other for other in self.counts[value] if other != player]
            lost = sum(
                self.chance(value, other) - self.chance(value, other, rival=player, rival_more=halves)
                for other in others
            )
            own = self.chance(value, player, halves) - self.chance(value, player)
            self.gains[key] = value * (own + lost / len(others))
        return self.gains[key]


def choose_in_order(worths: Worths, order: Iterable[Player], left: list[int]) -> dict[Player, float]:
    """What everybody gains when each in order takes the best of the portions left for themselves."""
    gained = dict.fromkeys(worths, 0.0)
    for player in order:
        mine = worths[player]
        best = max(left, key=mine.__getitem__)
        gained[player] += mine[best]
        left.remove(best)
    return gained


def lead(gained: Mapping[Player, float], player: Player) -> float:
    """What a player gains beyond the average of the others."""
    others = sum(gained.values()) - gained[player]
    return gained[player] - others / (len(gained) - 1)


def rated_divisions(
    ring: Ring,
    order: Sequence[Player],
    worth: Callable[[Player, Ring], float],
    special_worth: Mapping[Player, float] | None,
    most_wanted: int,
) -> list[tuple[float, tuple[Ring, ...], int | None]]:
    """The best of all divisions with what their slicer, who chooses last, is to gain beyond the others when each in
    order takes the best for themselves. Portions as in `divisions`. Where no Special is divided, `special_worth` is
    None, and so is its place."""
    size, portions, twice = len(ring), portions_for(len(set(order))), ring * 2
    runs = {
        player: [
            [0.0, *(worth(player, twice[begin : begin + length]) for length in range(1, size + 1))]
            for begin in range(size)
        ]
        for player in set(order)
    }
    rated: list[tuple[float, tuple[int, ...], int]] = []
    for cuts in combinations(range(size), portions):
        plain = _worths_between(runs, cuts, size)
        if special_worth is None:
            rated.append((lead(choose_in_order(plain, order, list(range(portions))), order[-1]), cuts, -1))
            continue
        for special_in in range(portions):
            with_special = {player: mine.copy() for player, mine in plain.items()}
            for player, mine in with_special.items():
                mine[special_in] += special_worth[player]
            gained = choose_in_order(with_special, order, list(range(portions)))
            rated.append((lead(gained, order[-1]), cuts, special_in))
    if special_worth is not None:
        for cuts in combinations(range(size), portions - 1):
            alone = {
                player: [*mine, special_worth[player]] for player, mine in _worths_between(runs, cuts, size).items()
            }
            rated.append((lead(choose_in_order(alone, order, list(range(portions))), order[-1]), cuts, portions - 1))
    rated.sort(key=lambda one: (-one[0], one[1], one[2]))
    return [(value, *_division_at(ring, cuts, special_in)) for value, cuts, special_in in rated[:most_wanted]]


def _worths_between(
    runs: Mapping[Player, list[list[float]]], cuts: tuple[int, ...], size: int
) -> dict[Player, list[float]]:
    lengths = [(after - before) % size or size for before, after in zip(cuts, cuts[1:] + cuts[:1], strict=True)]
    spans = list(zip(cuts, lengths, strict=True))
    return {player: [mine[begin][length] for begin, length in spans] for player, mine in runs.items()}


def _division_at(ring: Ring, cuts: tuple[int, ...], special_in: int) -> tuple[tuple[Ring, ...], int | None]:
    twice = ring * 2
    ends = (*cuts[1:], cuts[0] + len(ring))
    portions = tuple(twice[begin:end] for begin, end in zip(cuts, ends, strict=True))
    if special_in == len(portions):
        portions = (*portions, ())
    return numbered_portions(ring, portions, special_in if special_in >= 0 else None)


def parse_eaten(text: str) -> frozenset[str]:
    """The faces in a list of what is eaten, such as "7/3 5/1" or "nothing". Raises NotationError, quoting the text."""
    words = text.split()
    if words == [NOTHING]:
        return frozenset()
    if NOTHING in words or len(set(words)) < len(words):
        raise NotationError(f"{text!r} eats nothing and something, or a slice twice; expected each slice once")
    return frozenset(words)


def format_portions(portions: Sequence[Ring], special_in: int | None, special: str) -> str:
    """A division such as "3/1 7/2 + special | 4/1 | 5/2 6/1", with that word for a Special."""
    texts = [" ".join(slices) for slices in portions]
    if special_in is not None:
        texts[special_in] = f"{texts[special_in]} + {special}" if texts[special_in] else special
    return " | ".join(texts)


def parse_portions(text: str, special: str, name: str) -> tuple[tuple[Ring, ...], int | None]:
    """The portions of such a text, and which has the Special. Raises NotationError, with the Special's name, where two
    have it."""
    portions = []
    special_in = None
    for index, part in enumerate(text.split("|")):
        words = part.split()
        if words[-1:] == [special]:
            if special_in is not None:
                raise NotationError(f"{text!r} has the {name} in two portions; expected it in one")
            special_in = index
            words = words[:-1]
            words = words[:-1] if words[-1:] == ["+"] else words
        portions.append(tuple(words))
    return tuple(portions), special_in
