"""The pieces of New York Slice and Pizzeria: what both print on slices, and how `components.toml` and an owner's own
facts are read. What a game prints besides is a mark of its slices: a number that an owner's copy may have otherwise."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from controller.games.facts import ComponentError, Table, parse_table, read_table, whole_number

PLAYER_COUNTS = range(2, 7)
_COUNTS = range(12)
"""What a number on or of a piece can be."""
Marks = Mapping[str, range]
"""What is printed on a slice besides its values, and the numbers that it can be."""
MARK_WORDS = {
    "pepperoni": ("pepperoni", "pepperoni"),
    "anchovies": ("anchovy", "anchovies"),
    "basil": ("basil leaf", "basil leaves"),
}
"""What one of each mark is called, and what several are."""


@dataclass(frozen=True, slots=True)
class SliceFacts:
    """What is printed on one slice; a game adds its marks, in their order."""

    face: str
    values: tuple[int, ...]
    """One for a slice of one type, two for one of two halves, none for others."""
    name: str
    """In a player's words, such as "Veggie" or "Mushroom / Meat Lovers"."""
    MARKS: ClassVar[Marks] = {}
    TWO_TYPES: ClassVar[str] = "slice"
    """What a slice of two halves is called."""

    def by_rule(self) -> Mapping[str, int]:
        """The marks whose number the rule text says."""
        return {}

    def marks(self) -> dict[str, int]:
        """The number of each mark."""
        return {mark: getattr(self, mark) for mark in self.MARKS}


@dataclass(frozen=True, slots=True)
class SpecialFacts:
    """What is printed on one Special (New York Slice) or special offer (Pizzeria)."""

    face: str
    title: str
    text: str
    """What it does, in our words."""


Slice = TypeVar("Slice", bound=SliceFacts)
Special = TypeVar("Special", bound=SpecialFacts)


@dataclass(frozen=True, slots=True)
class Pieces(Generic[Slice, Special]):
    """All pieces of one copy of a game."""

    slices: tuple[Slice, ...]
    specials: tuple[Special, ...]
    own: tuple[Slice, ...] = ()
    """Those that this copy showed; the packaged file has them otherwise or not."""
    stacks: Mapping[int, int] = field(compare=False, default_factory=dict)
    """Number of stacks by number of players."""
    removed: Mapping[int, frozenset[str]] = field(compare=False, default_factory=dict)
    """Slices left in the box by number of players."""
    type_names: Mapping[int, str] = field(compare=False, default_factory=dict)
    by_face: Mapping[str, Slice] = field(init=False, compare=False, repr=False)
    specials_by_face: Mapping[str, Special] = field(init=False, compare=False, repr=False)
    place: Mapping[str, int] = field(init=False, compare=False, repr=False)
    """Where a face stands in the list of all slices."""
    types_with: Mapping[str, frozenset[int]] = field(init=False, compare=False, repr=False)
    """By mark the values of which some slice has it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_face", {facts.face: facts for facts in self.slices})
        object.__setattr__(self, "specials_by_face", {facts.face: facts for facts in self.specials})
        object.__setattr__(self, "place", {facts.face: index for index, facts in enumerate(self.slices)})
        single = [facts for facts in self.slices if len(facts.values) == 1]
        types_with = {
            mark: frozenset(facts.values[0] for facts in single if getattr(facts, mark))
            for mark in (self.slices[0].MARKS if self.slices else ())
        }
        object.__setattr__(self, "types_with", types_with)

    def words(self, face: str) -> str:
        """What a player calls this piece."""
        special = self.specials_by_face.get(face)
        if special is not None:
            return special.title
        facts = self.by_face.get(face)
        if facts is None:
            return repr(face)
        if not facts.values:
            return f"the {facts.name} slice"
        kind = facts.TWO_TYPES if len(facts.values) > 1 else "slice"
        return f"the {'/'.join(map(str, facts.values))} {kind} ({facts.name})"

    def looks(self) -> dict[str, str]:
        """What is printed on each piece, for an owner who puts names to them."""
        titles = {special.face: special.title for special in self.specials}
        return {facts.face: _printed(facts) for facts in self.slices} | titles

    def own_marks(self) -> dict[str, dict[str, int]]:
        """What this copy showed: the option `components`."""
        return {facts.face: facts.marks() for facts in self.own}

    def in_order(self, faces: Iterable[str]) -> list[str]:
        """Slices in the order of the list of all slices."""
        return sorted(faces, key=self.place.__getitem__)

    def in_game(self, players: int) -> frozenset[str]:
        """The slices that are shuffled; the others stay in the box."""
        return frozenset(self.by_face) - self.removed[players]


def _printed(facts: SliceFacts) -> str:
    values = f"{'/'.join(map(str, facts.values))} " if facts.values else ""
    marks = facts.marks()
    counts = [f"{count} {MARK_WORDS[mark][count > 1]}" for mark, count in marks.items() if count]
    none = f"no {' or '.join(MARK_WORDS[mark][1] for mark in marks)}"
    return f"{values}{facts.name}: {', '.join(counts) or none}"


# The file of all pieces, and an owner's own facts ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Printing(Generic[Slice, Special]):
    """How a game's `components.toml` is read."""

    values: range
    make: Callable[..., Slice]
    """A slice of its face, values, name and marks."""
    marks: Marks
    halves: str
    """The file's table of slices of two halves."""
    single: tuple[str, ...]
    """The faces of slices without values."""
    stacks: str
    """The fact that says the number of stacks."""
    specials: str
    """The table of Specials."""
    read_special: Callable[[str, Table], Special]
    """One Special from its key and table."""

    def parse(self, text: str, where: str) -> Pieces[Slice, Special]:
        """The pieces described by TOML text; `where` names its file in errors. Raises ComponentError."""
        table = parse_table(text, where)
        types = {value: table.table("value").table(str(value)) for value in self.values}
        names = {value: entry.fact("name", str) for value, entry in types.items()}
        slices = [facts for value, entry in types.items() for facts in self._numbered(value, entry)]
        halves = table.table(self.halves)
        slices += [self._halves(face, halves.table(face), names) for face in halves.data]
        slices += [self._single(face, table.table("single").table(face)) for face in self.single]
        for facts in slices:
            _check_marks(facts, where)
        players = {count: table.table("players").table(str(count)) for count in PLAYER_COUNTS}
        specials = table.table(self.specials)
        return Pieces(
            slices=tuple(slices),
            specials=tuple(self.read_special(key, specials.table(key)) for key in sorted(specials.data)),
            stacks={count: entry.number(self.stacks, _COUNTS) for count, entry in players.items()},
            removed={count: _removed(entry, slices) for count, entry in players.items()},
            type_names=names,
        )

    def load_own(self, path: Path) -> dict[str, dict[str, int]]:
        """What an owner's copy shows, from a TOML file of `["3/1"]` tables of marks.

        The result is the start option `components`. Raises ComponentError.
        """
        facts = read_table(path).data
        return {face: dict(self._own_marks(entry, path.name, face)) for face, entry in facts.items()}

    def with_own(
        self, pieces: Pieces[Slice, Special], own: object, where: str = "option components"
    ) -> Pieces[Slice, Special]:
        """These pieces with the marks that a copy shows: a mapping of a face to the numbers of some marks. Raises
        ComponentError."""
        if not isinstance(own, Mapping):
            raise ComponentError(f"{where}: {own!r} is no mapping of faces to {' and '.join(self.marks)}")
        changed = dict(pieces.by_face)
        for face, entry in own.items():
            if face not in changed:
                halves = next(facts.face for facts in pieces.slices if len(facts.values) == 2)
                raise ComponentError(f"{where}: {face!r} is no slice; expected a face such as '3/1' or {halves!r}")
            shown: dict[str, Any] = dict(self._own_marks(entry, where, face))
            changed[face] = replace(changed[face], **shown)
            _check_marks(changed[face], where)
        return replace(
            pieces, slices=tuple(changed.values()), own=tuple(changed[face] for face in changed if face in own)
        )

    def _own_marks(self, entry: object, where: str, face: str) -> Iterator[tuple[str, int]]:
        if not isinstance(entry, Mapping):
            raise ComponentError(f"{where}: {face}: {entry!r} is no table with {' and '.join(self.marks)}")
        for mark, value in entry.items():
            if mark not in self.marks:
                raise ComponentError(f"{where}: {face}.{mark}: unknown key; expected {' or '.join(self.marks)}")
            yield mark, whole_number(value, self.marks[mark], where, f"{face}.{mark}")

    def _numbered(self, value: int, entry: Table) -> Iterator[Slice]:
        """Value n has n slices: the number is the quantity of that type."""
        name = entry.fact("name", str)
        columns = []
        for mark, allowed in self.marks.items():
            numbers = entry.numbers(mark, allowed)
            if len(numbers) != value:
                problem = f"{numbers} has {len(numbers)} numbers, not {value}"
                raise ComponentError(f"{entry.where}: {entry.key}.{mark}: {problem}")
            columns.append(numbers)
        for number, printed in enumerate(zip(*columns, strict=True), start=1):
            yield self.make(f"{value}/{number}", (value,), name, *printed)

    def _halves(self, face: str, entry: Table, names: Mapping[int, str]) -> Slice:
        values = entry.numbers("values", _COUNTS)
        if len(set(values)) != 2 or not set(values) <= set(names):
            known = f"two different values from {min(names)} to {max(names)}"
            raise ComponentError(f"{entry.where}: {entry.key}.values: {values} are not {known}")
        return self.make(face, tuple(values), " / ".join(names[value] for value in values), *self._printed(entry))

    def _single(self, face: str, entry: Table) -> Slice:
        return self.make(face, (), entry.fact("name", str), *self._printed(entry))

    def _printed(self, entry: Table) -> list[int]:
        return [entry.number(mark, allowed) for mark, allowed in self.marks.items()]


def _removed(entry: Table, slices: Sequence[SliceFacts]) -> frozenset[str]:
    values = entry.numbers("removed_values", _COUNTS)
    faces = entry.fact("removed_faces", list)
    for face in faces:
        if all(facts.face != face for facts in slices):
            raise ComponentError(f"{entry.where}: {entry.key}.removed_faces: {face!r} is no slice")
    return frozenset(faces) | {f.face for f in slices if len(f.values) == 1 and f.values[0] in values}


def _check_marks(facts: SliceFacts, where: str) -> None:
    """A slice has what the rule text says of it."""
    for mark, wanted in facts.by_rule().items():
        if getattr(facts, mark) != wanted:
            problem = f"{getattr(facts, mark)} is not {wanted}, which the rules say"
            raise ComponentError(f"{where}: {facts.face}.{mark}: {problem}")
