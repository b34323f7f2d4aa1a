"""The pieces of New York Slice: what is printed on them, read from `components.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from controller.games import cut_and_choose_components as family
from controller.games.cut_and_choose_components import PLAYER_COUNTS as PLAYER_COUNTS
from controller.games.cut_and_choose_components import Marks, Pieces, Printing
from controller.games.facts import Table, load_by

ANCHOVY = "anchovy"
SUPREME = "supreme"
VALUES = range(3, 12)


@dataclass(frozen=True, slots=True)
class SliceFacts(family.SliceFacts):
    """What is printed on one slice: a numbered one, a combo, the Anchovy or the Supreme slice."""

    pepperoni: int
    anchovies: int
    MARKS: ClassVar[Marks] = {"pepperoni": range(12), "anchovies": range(12)}
    TWO_TYPES: ClassVar[str] = "combo slice"

    def by_rule(self) -> Mapping[str, int]:
        """There is never any pepperoni on Combo slices, none on the Anchovy slice, which is worth -3, and two on the
        Supreme slice."""
        if len(self.values) == 2:
            return {"pepperoni": 0}
        if self.face == ANCHOVY:
            return {"pepperoni": 0, "anchovies": 3}
        return {"pepperoni": 2 if self.face == SUPREME else self.pepperoni}


@dataclass(frozen=True, slots=True)
class SpecialFacts(family.SpecialFacts):
    """What is printed on one Special."""

    blue: bool
    """Whether it is marked with a *: scored on the Special* line."""


def _special(name: str, entry: Table) -> SpecialFacts:
    return SpecialFacts(f"special/{name}", entry.fact("title", str), entry.text("text"), entry.fact("blue", bool))


Components = Pieces[SliceFacts, SpecialFacts]
PRINTING = Printing(
    values=VALUES,
    make=SliceFacts,
    marks=SliceFacts.MARKS,
    halves="combo",
    single=(ANCHOVY, SUPREME),
    stacks="stacks",
    specials="special",
    read_special=_special,
)
load_components = load_by(PRINTING.parse, __package__)
parse_components = PRINTING.parse
load_own_facts = PRINTING.load_own
with_own_facts = PRINTING.with_own
