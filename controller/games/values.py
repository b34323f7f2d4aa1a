"""States and moves as JSON and back: any frozen dataclass of plain values, checked against its own annotations.

What the notation of all games shares stands here too: how a move says its kind, and how a line finds its form.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from controller.game import Json, NotationError

T = TypeVar("T")
_PLAIN = frozenset({int, str, bool, NoneType})
"""Most values are of these."""
KIND_WORDS: Mapping[type, str] = {
    bool: "true or false",
    int: "whole number",
    float: "number",
    str: "text",
    list: "list",
    dict: "object",
}
"""What the kinds of plain values are called in errors, to follow "is no"."""


def encode(value: object) -> Json:
    """The value as JSON: dataclasses by field, tuples as lists, sets as sorted lists, enums by value."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(encode(item) for item in value)
    if is_dataclass(value):
        return {field.name: encode(getattr(value, field.name)) for field in fields(value)}
    return value


def decode(kind: Any, data: Json, where: str) -> Any:
    """The value of this annotated type. Raises NotationError that names the place, the value and what was expected."""
    if type(data) is kind:
        return data
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _decode_optional(kind, data, where)
    if origin in (tuple, frozenset):
        return origin(decode(get_args(kind)[0], item, f"{where}[{i}]") for i, item in enumerate(_list(data, where)))
    if isinstance(kind, type) and issubclass(kind, Enum):
        try:
            return kind(data)
        except ValueError as error:
            known = ", ".join(str(member.value) for member in kind)
            raise NotationError(f"{where}: {data!r} is none of {known}") from error
    if is_dataclass(kind):
        return decode_fields(kind, data, where, {})
    raise NotationError(f"{where}: {data!r} is no {KIND_WORDS.get(kind, kind.__name__)}")


def decode_fields(kind: Any, data: Json, where: str, special: Mapping[str, Callable[[Json], Any]]) -> Any:
    """A dataclass from an object with all its fields; `special` decodes some fields its own way."""
    hints = _hints(kind)
    if not isinstance(data, Mapping):
        raise NotationError(f"{where}: {data!r} is no object with {', '.join(hints)}")
    for key in data:
        if key not in hints:
            raise NotationError(f"{where}.{key}: unknown key; expected {', '.join(hints)}")
    values = {}
    for name, hint in hints.items():
        if name not in data:
            raise NotationError(f"{where}.{name}: missing")
        if name in special:
            values[name] = special[name](data[name])
        else:
            values[name] = decode(hint, data[name], f"{where}.{name}")
    return kind(**values)


def encode_move(kinds: Mapping[str, type], move: object) -> Json:
    """The move as JSON; `move` names its kind."""
    name = next(name for name, kind in kinds.items() if type(move) is kind)
    return {"move": name, **encode(move)}


def decode_move(kinds: Mapping[str, type], data: Json) -> Any:
    """The move of that JSON. Raises NotationError that names the key, the value and what was expected."""
    if not isinstance(data, Mapping):
        raise NotationError(f"move: {data!r} is no object")
    if "move" not in data:
        raise NotationError(f"move: missing; expected one of {', '.join(kinds)}")
    name = data["move"]
    kind = kinds.get(name) if isinstance(name, str) else None
    if kind is None:
        raise NotationError(f"move: {name!r} is none of {', '.join(kinds)}")
    return decode(kind, {key: value for key, value in data.items() if key != "move"}, str(name))


def find_form(forms: Iterable[tuple[str, T]], text: str, examples: str) -> tuple[T, re.Match[str]]:
    """What stands beside the pattern of the first form that the whole text has, white space aside, and the match.
    Raises NotationError."""
    cleaned = " ".join(text.split())
    for pattern, build in forms:
        found = re.fullmatch(pattern, cleaned, re.ASCII)
        if found:
            return build, found
    raise NotationError(f"{text!r} is no move; expected a line such as {examples}")


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return {field.name: get_type_hints(kind)[field.name] for field in fields(kind) if field.init}


def _decode_optional(kind: Any, data: Json, where: str) -> Any:
    inner = [part for part in get_args(kind) if part is not NoneType]
    return None if data is None else decode(inner[0], data, where)


def _list(data: Json, where: str) -> list[Json]:
    if not isinstance(data, list | tuple):
        raise NotationError(f"{where}: {data!r} is no list")
    return list(data)
