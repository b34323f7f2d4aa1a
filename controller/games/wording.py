"""How several things are said in one sentence, in every game alike."""

from collections.abc import Sequence

MOST_NAMED = 6
"""Of more than so many the rest is counted."""


def joined(words: Sequence[str]) -> str:
    """Words in a row as they are said: "a, b and c"."""
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th; 11th to 13th."""
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number // 10 % 10 == 1 else ends.get(number % 10, 'th')}"


def some(names: Sequence[str]) -> str:
    """The same of the first few: "a, b and 5 more"."""
    more = len(names) - MOST_NAMED
    return joined([*names[:MOST_NAMED], f"{more} more"] if more > 0 else names)
