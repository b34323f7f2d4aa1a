"""The pieces of Pizzeria: what is printed on them, read from `components.toml`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

from controller.games.facts import ComponentError, Table, parse_table, read_table, whole_number

TOMATO = 2
VALUES = range(2, 12)
PLAYER_COUNTS = range(2, 7)

WHEN = ("this round", "any round", "end")
"""What the symbols of a special offer say: lightning bolt, clock, chequered flag."""
NEVER_IN = ("", "first", "last")
_COUNTS = range(12)
"""What a number on or of a piece can be."""
_LEAVES = range(4)
"""On top of a slice: no basil leaf to three."""


@dataclass(frozen=True, slots=True)
class SliceFacts:
    """What is printed on one slice."""

    face: str
    values: tuple[int, ...]
    """One for a normal slice, two for a mixed one."""
    basil: int
    name: str
    """In a player's words, such as "Bacon" or "Bacon / Supreme"."""


@dataclass(frozen=True, slots=True)
class SpecialFacts:
    """What is printed on one special offer."""

    face: str
    title: str
    """With its letter, such as "special offer A"."""
    text: str
    """What it does, in our words."""
    when: str
    """One of WHEN."""
    never_in: str
    """The round it may not appear in: one of NEVER_IN."""
    two_players: bool
    """Whether it is used with two players."""


@dataclass(frozen=True, slots=True)
class Components:
    """All pieces of one copy of the game."""

    slices: tuple[SliceFacts, ...]
    specials: tuple[SpecialFacts, ...]
    own: tuple[tuple[str, int], ...] = ()
    """(face, basil) that this copy showed and the packaged file has otherwise or not."""
    piles: Mapping[int, int] = field(compare=False, default_factory=dict)
    """Number of piles by number of players."""
    removed: Mapping[int, frozenset[str]] = field(compare=False, default_factory=dict)
    """Slices left in the box by number of players."""
    type_names: Mapping[int, str] = field(compare=False, default_factory=dict)
    by_face: Mapping[str, SliceFacts] = field(init=False, compare=False, repr=False)
    specials_by_face: Mapping[str, SpecialFacts] = field(init=False, compare=False, repr=False)
    place: Mapping[str, int] = field(init=False, compare=False, repr=False)
    """Where a face stands in the list of all slices."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_face", {facts.face: facts for facts in self.slices})
        object.__setattr__(self, "specials_by_face", {facts.face: facts for facts in self.specials})
        object.__setattr__(self, "place", {facts.face: index for index, facts in enumerate(self.slices)})

    def words(self, face: str) -> str:
        """What a player calls this piece."""
        special = self.specials_by_face.get(face)
        if special is not None:
            return special.title
        facts = self.by_face.get(face)
        if facts is None:
            return repr(face)
        kind = "mixed slice" if len(facts.values) > 1 else "slice"
        return f"the {'/'.join(map(str, facts.values))} {kind} ({facts.name})"


def load_components(path: Path | None = None) -> Components:
    """The pieces in a file of the shape of the packaged `components.toml` (the default). Raises ComponentError."""
    source = path if path is not None else files(__package__).joinpath("components.toml")
    where = path.name if path is not None else "components.toml"
    return parse_components(source.read_text(encoding="utf-8"), where)


def parse_components(text: str, where: str) -> Components:
    """The pieces described by TOML text; `where` names its file in errors. Raises ComponentError."""
    table = parse_table(text, where)
    types = {value: table.table("value").table(str(value)) for value in VALUES}
    names = {value: entry.fact("name", str) for value, entry in types.items()}
    slices = [facts for value, entry in types.items() for facts in _normal(value, entry)]
    mixed = table.table("mixed")
    slices += [_mixed(face, mixed.table(face), names) for face in mixed.data]
    for facts in slices:
        _check_basil(facts, where, facts.face)
    players = {count: table.table("players").table(str(count)) for count in PLAYER_COUNTS}
    specials = table.table("offer")
    return Components(
        slices=tuple(slices),
        specials=tuple(_special(letter, specials.table(letter)) for letter in sorted(specials.data)),
        piles={count: entry.number("piles", _COUNTS) for count, entry in players.items()},
        removed={count: _removed(entry, slices) for count, entry in players.items()},
        type_names=names,
    )


def load_own_facts(path: Path) -> dict[str, dict[str, int]]:
    """What an owner's copy shows, from a TOML file of `["3/1"]` tables with `basil`.

    The result is the start option `components`. Raises ComponentError.
    """
    facts = read_table(path).data
    return {face: {"basil": _own_basil(entry, path.name, face)} for face, entry in facts.items()}


def with_own_facts(components: Components, own: object, where: str = "option components") -> Components:
    """These pieces with the basil leaves that a copy shows: a mapping of a face to `{"basil": n}`. Raises
    ComponentError."""
    if not isinstance(own, Mapping):
        raise ComponentError(f"{where}: {own!r} is no mapping of faces to basil")
    changed = dict(components.by_face)
    for face, entry in own.items():
        if face not in changed:
            raise ComponentError(f"{where}: {face!r} is no slice; expected a face such as '3/1' or 'mixed-8-10'")
        changed[face] = replace(changed[face], basil=_own_basil(entry, where, face))
        _check_basil(changed[face], where, face)
    all_shown = tuple((face, changed[face].basil) for face in changed if face in own)
    return replace(components, slices=tuple(changed.values()), own=all_shown)


def _own_basil(entry: object, where: str, face: str) -> int:
    if not isinstance(entry, Mapping) or set(entry) != {"basil"}:
        raise ComponentError(f"{where}: {face}: {entry!r} is no table with basil and nothing else")
    return whole_number(entry["basil"], _LEAVES, where, f"{face}.basil")


def _normal(value: int, entry: Table) -> Iterator[SliceFacts]:
    """Value n has n slices: it is the number of slices available in the game."""
    name = entry.fact("name", str)
    leaves = entry.numbers("basil", _LEAVES)
    if len(leaves) != value:
        raise ComponentError(f"{entry.where}: {entry.key}.basil: {leaves} has {len(leaves)} numbers, not {value}")
    for number, basil in enumerate(leaves, start=1):
        yield SliceFacts(f"{value}/{number}", (value,), basil, name)


def _mixed(face: str, entry: Table, names: Mapping[int, str]) -> SliceFacts:
    values = entry.numbers("values", _COUNTS)
    if len(set(values)) != 2 or not set(values) <= set(VALUES):
        raise ComponentError(f"{entry.where}: {entry.key}.values: {values} are not two different values from 2 to 11")
    return SliceFacts(face, tuple(values), entry.number("basil", _LEAVES), " / ".join(names[value] for value in values))


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


def _removed(entry: Table, slices: list[SliceFacts]) -> frozenset[str]:
    values = entry.numbers("removed_values", _COUNTS)
    faces = entry.fact("removed_faces", list)
    for face in faces:
        if all(facts.face != face for facts in slices):
            raise ComponentError(f"{entry.where}: {entry.key}.removed_faces: {face!r} is no slice")
    return frozenset(faces) | {f.face for f in slices if len(f.values) == 1 and f.values[0] in values}


def _check_basil(facts: SliceFacts, where: str, key: str) -> None:
    """Mixed slices and tomato pizza have no basil leaves."""
    if facts.basil and (len(facts.values) == 2 or facts.values == (TOMATO,)):
        raise ComponentError(f"{where}: {key}.basil: {facts.basil} is not 0, which the rules say")
