"""States and moves as JSON and back: any frozen dataclass of plain values, checked against its own annotations."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from controller.game import Json, NotationError


def encode(value: object) -> Json:
    """The value as JSON: dataclasses by field, tuples as lists, sets as sorted lists, enums by value."""
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
    if type(data) is not kind:
        raise NotationError(f"{where}: {data!r} is no {kind.__name__}")
    return data


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
