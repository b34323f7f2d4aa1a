"""How several things are said in one sentence, in every game alike."""

from collections.abc import Sequence

MOST_NAMED = 6
"""Of more than so many the rest is counted."""


def joined(words: Sequence[str]) -> str:
    """Words in a row as they are said: "a, b and c"."""
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def some(names: Sequence[str]) -> str:
    """The same of the first few: "a, b and 5 more"."""
    more = len(names) - MOST_NAMED
    return joined([*names[:MOST_NAMED], f"{more} more"] if more > 0 else names)
