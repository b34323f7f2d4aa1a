"""I cut, you choose: what New York Slice and Pizzeria share.

A pizza is a ring of faces, clockwise as seen from above. Slices of a type are counted in halves, so that every count
is a whole number.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from controller.game import Player

Ring = tuple[str, ...]


def start_ring_at(ring: Ring, face: str) -> Ring:
    """The same ring written from another of its faces."""
    index = ring.index(face)
    return ring[index:] + ring[:index]


def same_ring(ring: Ring, other: Ring) -> bool:
    """Whether both are the same circle, whichever face each is written from."""
    return len(ring) == len(other) and (not ring or (other[0] in ring and start_ring_at(ring, other[0]) == other))


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


def left_of(player: Player, players: int) -> Player:
    """The next player clockwise."""
    return player % players + 1


def portions_for(players: int) -> int:
    """A pizza has as many portions as players; for two players it has four."""
    return 4 if players == 2 else players


def choosing_order(slicer: Player, players: int) -> tuple[Player, ...]:
    """Who chooses when: clockwise from the slicer's left, the slicer last. Two players alternate, twice each."""
    once = tuple((slicer + offset) % players + 1 for offset in range(players))
    return once * 2 if players == 2 else once


def most(counts: Mapping[Player, int]) -> tuple[Player, ...]:
    """Those who have the most of a type; nobody where nobody has any."""
    best = max(counts.values())
    return tuple(player for player, count in counts.items() if count == best) if best > 0 else ()


def words_for_halves(halves: int) -> str:
    """A count of slices as it is said: 5 halves are 2½."""
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)


def joined(words: Sequence[str]) -> str:
    """Words in a row as they are said: "a, b and c"."""
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)
