"""A position that a person wrote by hand, read with the path of every value, so that errors can name it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, NoReturn

from controller.game import GameError, Json, NotationError, PositionError
from controller.games.values import encode


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


def list_of(names: Iterable[str]) -> str:
    """What is expected where one of these names should stand."""
    return f"one of {', '.join(names)}"


def check_described(
    state: Any, start: Callable[..., Any], position: Callable[[Any], Json], setup: Callable[[Any, Json], Any]
) -> None:
    """Check that the parts of a decoded state go together: set up from its own description, by these functions of its
    game, it has to be the same again. Raises NotationError that names the field, the value and what was expected."""
    options = {field.name: getattr(state.options, field.name) for field in fields(state.options)}
    components = options.pop("components")
    try:
        again = setup(start(components, state.players, options), position(state))
    except GameError as error:
        raise NotationError(f"state: {error}") from error
    for field in fields(state):
        value, expected = getattr(state, field.name), getattr(again, field.name)
        if value != expected:
            wanted = f"with all the rest goes {_shown(encode(expected))}"
            raise NotationError(f"state.{field.name}: {_shown(encode(value))} cannot be; {wanted}")


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
