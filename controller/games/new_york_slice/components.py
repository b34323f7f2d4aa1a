"""The pieces of New York Slice: what is printed on them, read from `components.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SliceFacts:
    """What is printed on one slice."""

    face: str
    values: tuple[int, ...]
    """One for a numbered slice, two for a combo, none for the Anchovy and the Supreme slice."""
    pepperoni: int
    anchovies: int


@dataclass(frozen=True, slots=True)
class Components:
    """All pieces of one copy of the game."""

    slices: tuple[SliceFacts, ...]
    specials: tuple[str, ...]
    stacks: dict[int, int] = field(compare=False)
    """Number of stacks by number of players."""
    removed: dict[int, frozenset[str]] = field(compare=False)
    """Slices left out by number of players."""
    by_face: Mapping[str, SliceFacts] = field(compare=False)
