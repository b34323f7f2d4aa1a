"""Tests that `make test` leaves to `make test-long`: further cases of what it tests, in minutes more."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def cases(
    names: str | tuple[str, ...],
    values: Iterable[object],
    *,
    always: int,
    ids: Iterable[str] | Callable[[Any], str] | None = None,
) -> pytest.MarkDecorator:
    """As `pytest.mark.parametrize`: the first so many cases are always tested, the others take long."""
    in_turn = list(values)
    take_long = [
        pytest.param(*([case] if isinstance(names, str) else case), marks=pytest.mark.long)  # type: ignore[misc]
        for case in in_turn[always:]
    ]
    return pytest.mark.parametrize(names, in_turn[:always] + take_long, ids=ids)
