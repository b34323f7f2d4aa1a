"""A position that a person wrote by hand, read with the path of every value, so that errors can name it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from controller.game import Json, PositionError


@dataclass(frozen=True, slots=True)
class Described:
    """A value in a described position together with its place, such as `position.players.2.collected`."""

    path: str
    value: Json

    def error(self, expected: str) -> PositionError:
        """What to raise where this value is not what it should be."""
        return PositionError(f"{self.path}: {_shown(self.value)} {expected}")

    def refuse(self, expected: str) -> NoReturn:
        """Raise that error."""
        raise self.error(expected)

    def object(self, keys: Iterable[str]) -> Mapping[str, "Described"]:
        """The entries of an object that has no other keys than these. Raises PositionError."""
        known = tuple(keys)
        if not isinstance(self.value, Mapping):
            self.refuse(f"is no object with some of {', '.join(known)}")
        for key in self.value:
            if key not in known:
                raise PositionError(f"{self.path}.{key}: unknown key; expected some of {', '.join(known)}")
        return {key: Described(f"{self.path}.{key}", value) for key, value in self.value.items()}

    def items(self) -> Iterator["Described"]:
        """The items of a list. Raises PositionError."""
        if not isinstance(self.value, list | tuple):
            self.refuse("is no list")
        return (Described(f"{self.path}[{index}]", item) for index, item in enumerate(self.value))

    def number(self, allowed: range) -> int:
        """A whole number in this range. Raises PositionError."""
        value = self.value
        if type(value) is not int or value not in allowed:
            self.refuse(f"is no whole number from {allowed.start} to {allowed.stop - 1}")
        return value

    def truth(self) -> bool:
        """True or false. Raises PositionError."""
        value = self.value
        if not isinstance(value, bool):
            self.refuse("is neither true nor false")
        return value

    def one_of(self, names: Iterable[str], what: str) -> str:
        """One of these names; `what` says what they are, such as "a slice of this game". Raises PositionError."""
        value = self.value
        if not isinstance(value, str) or value not in names:
            self.refuse(f"is not {what}")
        return value


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
