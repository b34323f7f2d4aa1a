"""JSON from strangers: no NaN, no key twice, no lone surrogates, nothing larger or nested deeper than anybody needs."""

import json
import math
from collections.abc import Iterator
from typing import NoReturn

from controller.game import Json

DEEPEST = 40
_MOST_DIGITS = 18
"""Of a whole number, its sign among them."""


class NotStrictJson(ValueError):
    """Text that is no JSON, or JSON that is refused; `at` is the index of the character, None where it is not known."""

    def __init__(self, reason: str, at: int | None = None) -> None:
        super().__init__(reason)
        self.at = at


def parse_json(text: str) -> Json:
    """The value of JSON text. Raises NotStrictJson."""

    def whole(digits: str) -> int:
        if len(digits) > _MOST_DIGITS:
            too_large = f"a number of {len(digits)} digits is too large, {_MOST_DIGITS} are the most"
            raise NotStrictJson(too_large, text.find(digits))
        return int(digits)

    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite, parse_int=whole
        )
    except json.JSONDecodeError as error:
        raise NotStrictJson(f"no JSON: {error.msg}", error.pos) from error
    except RecursionError as error:
        raise NotStrictJson(f"nested deeper than {DEEPEST}") from error
    check_json(value)
    return value


def check_json(value: Json, depth: int = 0) -> None:
    """Check what a less strict parser has taken, `depth` levels down in it. Raises NotStrictJson."""
    if depth > DEEPEST:
        raise NotStrictJson(f"nested deeper than {DEEPEST}")
    for part in _parts(value):
        if isinstance(part, str):
            if not part.isascii() and any("\ud800" <= character <= "\udfff" for character in part):
                raise NotStrictJson("half of a surrogate pair stands alone in a text")
        elif isinstance(part, float) and not math.isfinite(part):
            raise NotStrictJson(f"{part} is no JSON number")
        elif isinstance(part, list | dict):
            check_json(part, depth + 1)


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, value in pairs:
        if key in found:
            raise NotStrictJson(f"the key {key!r} stands twice in an object")
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise NotStrictJson(f"{name} is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise NotStrictJson(f"{text} is too large a number")
    return value


def _parts(value: Json) -> Iterator[Json]:
    if isinstance(value, dict):
        yield from value
        yield from value.values()
    elif isinstance(value, list):
        yield from value
    else:
        yield value
