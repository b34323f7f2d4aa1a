"""The Pizza cut into slices, and what becomes of the toppings in each. Spaces are bits, see `components`; colours are
counted from 0."""

from collections.abc import Sequence
from typing import NamedTuple

Toppings = tuple[int, ...]
"""The spaces of the toppings of each of the three colours."""


class Judgement(NamedTuple):
    """What happens in one slice."""

    slice: int
    """Its spaces."""
    counts: tuple[int, ...]
    """Toppings of each colour in it."""
    leaders: list[int]
    """The colours with the most toppings. One alone replaces what the losers lose."""
    losers: list[int]
    """The colours that lose their toppings in it."""


def count_toppings(slices: Sequence[int], toppings: Toppings) -> list[tuple[int, ...]]:
    """The toppings of each colour in each slice."""
    first, second, third = toppings
    return [((part & first).bit_count(), (part & second).bit_count(), (part & third).bit_count()) for part in slices]


def safe_colours(counts: Sequence[Sequence[int]]) -> list[bool]:
    """Safety Rule: whose toppings may neither be removed nor replaced, given the toppings of each colour in each slice.

    The rule looks at all slices: with two toppings in any one slice none of that colour is safe, not even those that
    are alone in theirs.
    """
    return [max(of_colour) <= 1 for of_colour in zip(*counts, strict=True)]


def judge(slices: Sequence[int], toppings: Toppings) -> list[Judgement]:
    """Replace Toppings, slice by slice.

    The colour with the most toppings replaces all others. In a two-way tie for the most the third colour's toppings
    are removed; in a three-way tie none are. Safe toppings stay as they are.
    """
    counts = count_toppings(slices, toppings)
    safe = safe_colours(counts)
    judged = []
    for part, inside in zip(slices, counts, strict=True):
        most = max(inside)
        leaders = [colour for colour in (0, 1, 2) if inside[colour] == most]
        losers = [colour for colour in (0, 1, 2) if 0 < inside[colour] < most and not safe[colour]]
        judged.append(Judgement(part, inside, leaders, losers))
    return judged


def replace_toppings(slices: Sequence[int], toppings: Toppings) -> Toppings:
    """The toppings after all slices have been judged. More than there are of a colour, where it would need them."""
    after = list(toppings)
    for part, _, leaders, losers in judge(slices, toppings):
        for loser in losers:
            lost = part & toppings[loser]
            after[loser] ^= lost
            if len(leaders) == 1:
                after[leaders[0]] |= lost
    return tuple(after)
