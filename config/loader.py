"""Reads a table's settings: the defaults, laid over by the machine's file, laid over by the one that was asked for."""

import difflib
import functools
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from config.checks import Collision, collisions
from config.errors import ConfigInvalid, ConfigSyntaxError, ConfigUnreadable, Place, Problem
from config.lines import Key, key_lines, syntax_problem
from config.schema import TableConfig
from config.wrong_values import expectation

_PATH_KEYS: Sequence[Key] = (("data_dir",), ("faces",), ("options", "components"))
"""Settings that are paths, the last where it is text; a relative one counts from the folder of the file it is written
in."""


def load_table(paths: Sequence[Path] = ()) -> TableConfig:
    """The settings of a table: the packaged defaults, then each of the files over the ones before it.

    Raises:
        ConfigUnreadable: a file is not there or cannot be read.
        ConfigSyntaxError: a file is no TOML.
        ConfigInvalid: settings are unknown, missing or wrong; the message names file, line, key, value and what was
            expected, one line for each.
    """
    source = _read(paths)
    try:
        # As JSON, because arrays and numbered tables keep their types under strict checking only there.
        table = TableConfig.model_validate_json(json.dumps(source.merged, default=_date), strict=True)
    except ValidationError as error:
        raise ConfigInvalid(list(dict.fromkeys(_invalid(details, source) for details in _told(error)))) from None
    if found := list(collisions(table)):
        raise ConfigInvalid([_collided(collision, source) for collision in found])
    return table


@functools.cache
def default_seat_names() -> Mapping[int, str]:
    """What the places of a table are called where its settings say nothing: nobody's names."""
    return {int(number): seat["name"] for number, seat in _read(()).merged["seats"].items()}


def written_at(paths: Sequence[Path], key: Key) -> Place:
    """Where a setting of `load_table` stands, such as ("game",), or else the nearest table around it: for what is wrong
    with it by rules that settings do not know. Raises ConfigUnreadable, ConfigSyntaxError."""
    return _read(paths).place(key)


def table_files(asked: Path | None, environ: Mapping[str, str]) -> list[Path]:
    """The files to lay over the defaults: the machine's, where there is one, and the one that was asked for."""
    home = Path(environ.get("HOME", "/"))
    own = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "pizzatable" / "table.toml"
    machine = [path for path in (own, Path("/etc/pizzatable/table.toml")) if path.is_file()][:1]
    return machine + ([asked] if asked else [])


@dataclass(frozen=True, slots=True)
class _Layer:
    path: Path
    data: dict[str, Any]
    lines: dict[Key, int]


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the merged settings come from."""

    merged: dict[str, Any]
    layers: list[_Layer]

    def layer(self, key: Key) -> int:
        """Which layer wrote a setting, or else the nearest table around it, last."""
        return self._written(key)[0]

    def place(self, key: Key) -> Place:
        """Where that was."""
        layer, line = self._written(key)
        return Place(self.layers[layer].path, line)

    def value(self, key: Key) -> str:
        """A setting as TOML would write it; empty where there is none or it is a table."""
        value: Any = self.merged
        for part in key:
            if not isinstance(value, dict) or part not in value:
                return ""
            value = value[part]
        return "" if isinstance(value, dict) else json.dumps(value, default=str, ensure_ascii=False)

    def _written(self, key: Key) -> tuple[int, int]:
        for depth in range(len(key), 0, -1):
            for number, layer in reversed(list(enumerate(self.layers))):
                if line := layer.lines.get(key[:depth]):
                    return number, line
        return len(self.layers) - 1, 1


def _date(value: object) -> object:
    """A date of TOML's as JSON that no setting takes, since none is a date."""
    return [str(value)]


def _defaults_path() -> Path:
    return Path(str(resources.files("config") / "defaults.toml"))


def _read(paths: Sequence[Path]) -> _Source:
    layers = [_read_layer(path) for path in (_defaults_path(), *paths)]
    merged: dict[str, Any] = {}
    for layer in layers:
        merged = _merge(merged, layer.data)
    return _Source(merged, layers)


def _read_layer(path: Path) -> _Layer:
    try:
        text = path.read_text(encoding="utf-8-sig")  # editors on Windows may write a byte order mark
    except OSError as error:
        raise ConfigUnreadable(f"{path}: expected a readable TOML file: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigSyntaxError(f"{path}: expected UTF-8 text: {error.reason} at byte {error.start}") from error
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, said = syntax_problem(text, error)
        raise ConfigSyntaxError(f"{path}:{line}: {said}") from error
    for key in _PATH_KEYS:
        _count_from(path.parent, data, key)
    return _Layer(path, data, key_lines(text))


def _count_from(folder: Path, data: dict[str, Any], key: Key) -> None:
    """Let a path under this key, if there is one and it is relative, count from a folder."""
    *tables, last = key
    for table in tables:
        data = data.get(table, {})
        if not isinstance(data, dict):
            return
    if isinstance(value := data.get(last), str) and value and not value.startswith("~"):
        data[last] = str(folder / value)


def _merge(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Tables are merged key by key, anything else is replaced."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _told(error: ValidationError) -> list[ErrorDetails]:
    """What is wrong; not that an array is too short of whose elements some are wrong: pydantic counts the others."""
    each = error.errors()
    wrong_within = {details["loc"][:depth] for details in each for depth in range(len(details["loc"]))}
    return [details for details in each if details["type"] != "too_short" or details["loc"] not in wrong_within]


def _invalid(details: ErrorDetails, source: _Source) -> Problem:
    key = _setting(details["loc"], source.merged)
    return Problem(source.place(key), ".".join(key), source.value(key), _expectation(details, key))


def _setting(location: tuple[int | str, ...], data: dict[str, Any]) -> Key:
    """The part of pydantic's location that is a key of the file: it goes on into arrays and unions."""
    key: list[str] = []
    value: Any = data
    for part in location:
        if not isinstance(value, dict) or part == "[key]":
            break
        key.append(str(part))
        value = value.get(str(part))
    return tuple(key)


def _expectation(details: ErrorDetails, key: Key) -> str:
    match details["type"]:
        case "extra_forbidden":
            near = difflib.get_close_matches(key[-1], _known_keys(key[:-1]), n=1)
            return "no such setting" + (f"; did you mean {near[0]}?" if near else "")
        case "missing" if isinstance(details["loc"][-1], int):
            return f"expected more elements{_element(details['loc'][:-1])}"
        case "missing":
            return "expected this setting, it is missing"
        case "model_type" | "dict_type":
            return "expected a table"
        case "too_short" | "too_long":
            return f"expected {expectation(details)}"
        case kind:
            where = " as its name" if "[key]" in details["loc"] else _element(details["loc"])
            own = kind == "value_error"  # its words are the schema's, and say more than what was expected
            return (details["msg"].removeprefix("Value error, ") if own else f"expected {expectation(details)}") + where


def _element(location: tuple[int | str, ...]) -> str:
    """Which element of an array is meant, in brackets; empty for none."""
    inner = [str(part) for part in location if isinstance(part, int)]
    return f" (element {'.'.join(inner)})" if inner else ""


def _known_keys(table: Key) -> list[str]:
    model: type[BaseModel] = TableConfig
    for part in table:
        if part in model.model_fields:
            annotation = model.model_fields[part].annotation
            nested = annotation if isinstance(annotation, type) else get_args(annotation)[-1]
            if not isinstance(nested, type) or not issubclass(nested, BaseModel):
                return []
            model = nested
    return list(model.model_fields)


def _collided(collision: Collision, source: _Source) -> Problem:
    key, other = collision.key, collision.other
    text = collision.problem
    if other is not None:
        # Of the two the one in the later file is to blame: the earlier file was right before.
        if source.layer(_since(other, source)) > source.layer(_since(key, source)):
            key, other = other, key
        text = f"{text} {'.'.join(other)} ({source.place(other)})"
    since = _since(key, source)
    if since != key:
        text = f"{'.'.join(key)}: {text}"
    return Problem(source.place(since), ".".join(since), source.value(since), text)


def _since(key: Key, source: _Source) -> Key:
    """The setting since which this one counts: itself, or that its seat is present, where a later file says so."""
    present = (*key[:2], "present")
    return present if key[0] == "seats" and len(key) > 2 and source.layer(present) > source.layer(key) else key
