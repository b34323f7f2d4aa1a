"""What a test knows of a value whose type says less."""

from typing import TypeVar

Kind = TypeVar("Kind")


def known(kind: type[Kind], value: object) -> Kind:
    """The value, which is of this kind."""
    assert isinstance(value, kind), f"{value!r} is no {kind.__name__}"
    return value
