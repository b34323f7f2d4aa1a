"""Facts about a game's pieces, each with where it comes from, read from the game's `components.toml`.

A fact is a table `{ is = VALUE, from = PROVENANCE, source = "who says so" }`; `source` stands beside `from = "source"`.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, TypeVar

from controller.game import GameError, Json
from controller.games.values import KIND_WORDS

PROVENANCES = ("rules", "source", "inferred", "reconstructed")
"""The rule text says so; a named outside source does; it follows from the texts; it is ours, and fits all they say."""
_KINDS: Mapping[type, str] = {**KIND_WORDS, dict: "table"}
"""What TOML calls the kinds of values."""
T = TypeVar("T")
Loaded = TypeVar("Loaded", covariant=True)
PACKAGED = "components.toml"
"""The file of a game's package that says what its pieces are."""


class ComponentError(GameError, ValueError):
    """A fact about a piece that cannot be; names the file, the key, the value and what was expected."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact about a piece."""

    piece: str
    """The table's path in the file, such as "value.3"."""
    name: str
    value: Json
    provenance: str
    """One of PROVENANCES."""
    source: str = ""
    """Who says so, where the provenance is "source"."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a components file together with its place, for errors."""

    where: str
    """The file's name."""
    key: str
    """The path of the table in it, empty for the file itself."""
    data: Mapping[str, Any]

    def table(self, key: str) -> "Table":
        """The table under this key. Raises ComponentError."""
        return Table(self.where, self.path(key), self._get(key, dict, self.data))

    def text(self, key: str) -> str:
        """Plain text of ours that is no fact."""
        return self._get(key, str, self.data)

    def fact(self, key: str, kind: type[T]) -> T:
        """The `is` of a fact of this type whose provenance is in order. Raises ComponentError."""
        value = _fact(self.table(key)).value
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise ComponentError(f"{self.where}: {self.path(key)}: {value!r} is no {_KINDS[kind]}")
        return value

    def number(self, key: str, allowed: range) -> int:
        """A fact that is a whole number in this range."""
        return whole_number(self.fact(key, int), allowed, self.where, self.path(key))

    def numbers(self, key: str, allowed: range) -> list[int]:
        """A fact that is a list of whole numbers in this range."""
        return [whole_number(value, allowed, self.where, self.path(key)) for value in self.fact(key, list)]

    def path(self, key: str) -> str:
        """Where a key of this table stands in the file."""
        return f"{self.key}.{key}" if self.key else key

    def _get(self, key: str, kind: type[T], data: Mapping[str, Any]) -> T:
        if key not in data:
            raise ComponentError(f"{self.where}: {self.path(key)}: missing")
        value = data[key]
        if not isinstance(value, kind):
            raise ComponentError(f"{self.where}: {self.path(key)}: {value!r} is no {_KINDS[kind]}")
        return value


def parse_table(text: str, where: str) -> Table:
    """The tables of TOML text; `where` names its file in errors. Raises ComponentError."""
    try:
        return Table(where, "", tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ComponentError(f"{where}: no TOML: {error}") from error


def read_table(path: Path) -> Table:
    """The tables of a TOML file; its name stands for it in errors. Raises ComponentError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ComponentError(f"{path.name}: cannot be read: {error}") from error
    return parse_table(text, path.name)


class Load(Protocol[Loaded]):
    """What reads pieces from a file."""

    def __call__(self, path: Path | None = None) -> Loaded:
        """The pieces in a file of the shape of the packaged one (the default). Raises ComponentError."""


def read_packaged(package: str) -> str:
    """The text of a package's `components.toml`."""
    return files(package).joinpath(PACKAGED).read_text(encoding="utf-8")


def load_by(parse: Callable[[str, str], T], package: str) -> Load[T]:
    """What reads a game's pieces. `parse` is given a file's text and name; the packaged file is read and parsed once,
    when its pieces are first asked for."""

    @cache
    def packaged() -> T:
        return parse(read_packaged(package), PACKAGED)

    def load(path: Path | None = None) -> T:
        return packaged() if path is None else parse(path.read_text(encoding="utf-8"), path.name)

    return load


def load_own(path: Path) -> Mapping[str, Any]:
    """What an owner's copy has otherwise, from a TOML file of the shape of the option `components`. Raises
    ComponentError."""
    return read_table(path).data


def list_facts(table: Table) -> Iterator[Fact]:
    """Every fact in the file, in its order. Raises ComponentError."""
    for key, value in table.data.items():
        if isinstance(value, Mapping):
            inner = table.table(key)
            if "is" in value:
                yield _fact(inner)
            else:
                yield from list_facts(inner)


def whole_number(value: object, allowed: range, where: str, key: str) -> int:
    """The value where it is a whole number in this range. Raises ComponentError."""
    if not isinstance(value, int) or isinstance(value, bool) or value not in allowed:
        raise ComponentError(f"{where}: {key}: {value!r} is no whole number from {allowed.start} to {allowed.stop - 1}")
    return value


def _fact(entry: Table) -> Fact:
    unknown = set(entry.data) - {"is", "from", "source"}
    if unknown:
        raise ComponentError(f"{entry.where}: {entry.key}.{min(unknown)}: unknown key; expected is, from and source")
    if "is" not in entry.data:
        raise ComponentError(f"{entry.where}: {entry.path('is')}: missing")
    provenance = entry.text("from")
    if provenance not in PROVENANCES:
        raise ComponentError(f"{entry.where}: {entry.key}.from: {provenance!r} is none of {', '.join(PROVENANCES)}")
    if (provenance == "source") != ("source" in entry.data):
        raise ComponentError(f'{entry.where}: {entry.path("source")}: stands exactly beside from = "source"')
    piece, _, name = entry.key.rpartition(".")
    return Fact(piece, name, entry.data["is"], provenance, entry.text("source") if provenance == "source" else "")
