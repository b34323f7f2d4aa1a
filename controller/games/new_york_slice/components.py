"""The pieces of New York Slice: what is printed on them, read from `components.toml`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

from controller.games.facts import ComponentError, Table, parse_table, read_table, whole_number

ANCHOVY = "anchovy"
SUPREME = "supreme"
VALUES = range(3, 12)
PLAYER_COUNTS = range(2, 7)

_PEPPERONI_BY_RULE = {"combo": 0, ANCHOVY: 0, SUPREME: 2}
_COUNTS = range(12)
"""What a number on or of a piece can be."""


@dataclass(frozen=True, slots=True)
class SliceFacts:
    """What is printed on one slice."""

    face: str
    values: tuple[int, ...]
    """One for a numbered slice, two for a combo, none for the Anchovy and the Supreme slice."""
    pepperoni: int
    anchovies: int
    name: str
    """In a player's words, such as "Veggie" or "Mushroom / Meat Lovers"."""


@dataclass(frozen=True, slots=True)
class SpecialFacts:
    """What is printed on one Special."""

    face: str
    title: str
    text: str
    """What it does, in our words."""
    blue: bool
    """Whether it is marked with a *: scored on the Special* line."""


@dataclass(frozen=True, slots=True)
class Components:
    """All pieces of one copy of the game."""

    slices: tuple[SliceFacts, ...]
    specials: tuple[SpecialFacts, ...]
    own: tuple[tuple[str, int, int], ...] = ()
    """(face, pepperoni, anchovies) that this copy showed and the packaged file has otherwise or not."""
    stacks: Mapping[int, int] = field(compare=False, default_factory=dict)
    """Number of stacks by number of players."""
    removed: Mapping[int, frozenset[str]] = field(compare=False, default_factory=dict)
    """Slices left in the box by number of players."""
    type_names: Mapping[int, str] = field(compare=False, default_factory=dict)
    by_face: Mapping[str, SliceFacts] = field(init=False, compare=False, repr=False)
    specials_by_face: Mapping[str, SpecialFacts] = field(init=False, compare=False, repr=False)
    place: Mapping[str, int] = field(init=False, compare=False, repr=False)
    """Where a face stands in the list of all slices."""
    types_with_pepperoni: frozenset[int] = field(init=False, compare=False, repr=False)
    """Values of which some slice has pepperoni."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_face", {facts.face: facts for facts in self.slices})
        object.__setattr__(self, "specials_by_face", {facts.face: facts for facts in self.specials})
        with_pepperoni = {facts.values[0] for facts in self.slices if facts.pepperoni and len(facts.values) == 1}
        object.__setattr__(self, "types_with_pepperoni", frozenset(with_pepperoni))
        object.__setattr__(self, "place", {facts.face: index for index, facts in enumerate(self.slices)})

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
        kind = "combo slice" if len(facts.values) > 1 else "slice"
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
    slices = [facts for value, entry in types.items() for facts in _numbered(value, entry)]
    combos = table.table("combo")
    slices += [_combo(face, combos.table(face), names) for face in combos.data]
    singles = table.table("single")
    slices += [_single(face, singles.table(face)) for face in (ANCHOVY, SUPREME)]
    for facts in slices:
        _check_pepperoni(facts, where, facts.face)
    players = {count: table.table("players").table(str(count)) for count in PLAYER_COUNTS}
    specials = table.table("special")
    return Components(
        slices=tuple(slices),
        specials=tuple(_special(name, specials.table(name)) for name in sorted(specials.data)),
        stacks={count: entry.number("stacks", _COUNTS) for count, entry in players.items()},
        removed={count: _removed(entry, slices) for count, entry in players.items()},
        type_names=names,
    )


def load_own_facts(path: Path) -> dict[str, dict[str, int]]:
    """What an owner's copy shows, from a TOML file of `["3/1"]` tables with `pepperoni` and `anchovies`.

    The result is the start option `components`. Raises ComponentError.
    """
    facts = read_table(path).data
    return {face: dict(_own_fact(entry, path.name, face)) for face, entry in facts.items()}


def with_own_facts(components: Components, own: object, where: str = "option components") -> Components:
    """These pieces with the pepperoni and anchovies that a copy shows: a mapping of a face to
    `{"pepperoni": n, "anchovies": n}` or to one of the two. Raises ComponentError."""
    if not isinstance(own, Mapping):
        raise ComponentError(f"{where}: {own!r} is no mapping of faces to pepperoni and anchovies")
    changed = dict(components.by_face)
    for face, entry in own.items():
        if face not in changed:
            raise ComponentError(f"{where}: {face!r} is no slice; expected a face such as '3/1' or 'combo-8-10'")
        shown = dict(_own_fact(entry, where, face))
        old = changed[face]
        pepperoni, anchovies = shown.get("pepperoni", old.pepperoni), shown.get("anchovies", old.anchovies)
        changed[face] = replace(old, pepperoni=pepperoni, anchovies=anchovies)
        _check_pepperoni(changed[face], where, face)
    all_shown = tuple((face, changed[face].pepperoni, changed[face].anchovies) for face in changed if face in own)
    return replace(components, slices=tuple(changed.values()), own=all_shown)


def _own_fact(entry: object, where: str, face: str) -> Iterator[tuple[str, int]]:
    if not isinstance(entry, Mapping):
        raise ComponentError(f"{where}: {face}: {entry!r} is no table with pepperoni and anchovies")
    for key, value in entry.items():
        if key not in ("pepperoni", "anchovies"):
            raise ComponentError(f"{where}: {face}.{key}: unknown key; expected pepperoni or anchovies")
        yield key, whole_number(value, _COUNTS, where, f"{face}.{key}")


def _numbered(value: int, entry: Table) -> list[SliceFacts]:
    """Value n has n slices: the number is the quantity of that type (Numbered slices)."""
    name = entry.fact("name", str)
    columns = []
    for key in ("pepperoni", "anchovies"):
        numbers = entry.numbers(key, _COUNTS)
        if len(numbers) != value:
            raise ComponentError(f"{entry.where}: {entry.key}.{key}: {numbers} has {len(numbers)} numbers, not {value}")
        columns.append(numbers)
    return [
        SliceFacts(f"{value}/{number}", (value,), pepperoni, anchovies, name)
        for number, (pepperoni, anchovies) in enumerate(zip(*columns, strict=True), start=1)
    ]


def _combo(face: str, entry: Table, names: Mapping[int, str]) -> SliceFacts:
    values = entry.numbers("values", _COUNTS)
    if len(set(values)) != 2 or not set(values) <= set(VALUES):
        raise ComponentError(f"{entry.where}: {entry.key}.values: {values} are not two different values from 3 to 11")
    name = " / ".join(names[value] for value in values)
    return SliceFacts(face, tuple(values), entry.number("pepperoni", _COUNTS), entry.number("anchovies", _COUNTS), name)


def _single(face: str, entry: Table) -> SliceFacts:
    pepperoni, anchovies = entry.number("pepperoni", _COUNTS), entry.number("anchovies", _COUNTS)
    return SliceFacts(face, (), pepperoni, anchovies, entry.fact("name", str))


def _special(name: str, entry: Table) -> SpecialFacts:
    text = entry.text("text")
    return SpecialFacts(f"special/{name}", entry.fact("title", str), text, entry.fact("blue", bool))


def _removed(entry: Table, slices: list[SliceFacts]) -> frozenset[str]:
    values = entry.numbers("removed_values", _COUNTS)
    faces = entry.fact("removed_faces", list)
    for face in faces:
        if all(facts.face != face for facts in slices):
            raise ComponentError(f"{entry.where}: {entry.key}.removed_faces: {face!r} is no slice")
    return frozenset(faces) | {f.face for f in slices if len(f.values) == 1 and f.values[0] in values}


def _check_pepperoni(facts: SliceFacts, where: str, key: str) -> None:
    """There is never any pepperoni on Combo slices, none on the Anchovy slice, two on the Supreme slice."""
    by_rule = _PEPPERONI_BY_RULE.get("combo" if len(facts.values) == 2 else facts.face, facts.pepperoni)
    if facts.pepperoni != by_rule:
        raise ComponentError(f"{where}: {key}.pepperoni: {facts.pepperoni} is not {by_rule}, which the rules say")
