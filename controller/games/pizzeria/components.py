"""The pieces of Pizzeria: what is printed on them, read from `components.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from controller.games import cut_and_choose_components as family
from controller.games.cut_and_choose_components import PLAYER_COUNTS as PLAYER_COUNTS
from controller.games.cut_and_choose_components import Marks, Pieces, Printing
from controller.games.facts import ComponentError, Table, load_by

TOMATO = 2
VALUES = range(2, 12)

WHEN = ("this round", "any round", "end")
"""What the symbols of a special offer say: lightning bolt, clock, chequered flag."""
NEVER_IN = ("", "first", "last")


@dataclass(frozen=True, slots=True)
class SliceFacts(family.SliceFacts):
    """What is printed on one slice: a normal one or a mixed one."""

    basil: int
    """No leaf to three."""
    MARKS: ClassVar[Marks] = {"basil": range(4)}
    TWO_TYPES: ClassVar[str] = "mixed slice"

    def by_rule(self) -> Mapping[str, int]:
        """Mixed slices and tomato pizza have no basil leaves."""
        return {"basil": 0} if len(self.values) == 2 or self.values == (TOMATO,) else {}


@dataclass(frozen=True, slots=True)
class SpecialFacts(family.SpecialFacts):
    """What is printed on one special offer; its title has the letter, such as "special offer A"."""

    when: str
    """One of WHEN."""
    never_in: str
    """The round it may not appear in: one of NEVER_IN."""
    two_players: bool
    """Whether it is used with two players."""


def _special(letter: str, entry: Table) -> SpecialFacts:
    return SpecialFacts(
        face=f"offer/{letter}",
        title=f"special offer {letter.upper()}",
        text=entry.text("text"),
        when=_one_of(entry, "when", WHEN),
        never_in=_one_of(entry, "never_in", NEVER_IN),
        two_players=entry.fact("two_players", bool),
    )


def _one_of(entry: Table, key: str, known: tuple[str, ...]) -> str:
    value = entry.fact(key, str)
    if value not in known:
        raise ComponentError(f"{entry.where}: {entry.key}.{key}: {value!r} is none of {', '.join(map(repr, known))}")
    return value


Components = Pieces[SliceFacts, SpecialFacts]
PRINTING = Printing(
    values=VALUES,
    make=SliceFacts,
    marks=SliceFacts.MARKS,
    halves="mixed",
    single=(),
    stacks="piles",
    specials="offer",
    read_special=_special,
)
load_components = load_by(PRINTING.parse, __package__)
parse_components = PRINTING.parse
load_own_facts = PRINTING.load_own
with_own_facts = PRINTING.with_own
