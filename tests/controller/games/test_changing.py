"""A value with some fields otherwise."""

from dataclasses import FrozenInstanceError, replace

import pytest

from controller.games.changing import changed
from controller.games.cut_and_choose import Portion


def test_a_changed_value_is_the_one_that_replace_makes() -> None:
    portion = Portion(("3/1", "3/2"), special=True)
    after = changed(portion, taken_by=2)
    assert after == replace(portion, taken_by=2) == Portion(("3/1", "3/2"), special=True, taken_by=2)
    assert hash(after) == hash(replace(portion, taken_by=2))
    assert portion.taken_by is None
    with pytest.raises(FrozenInstanceError):
        after.taken_by = 3  # type: ignore[misc]


def test_a_field_that_there_is_not_is_named() -> None:
    with pytest.raises(TypeError, match="Portion has no field slicess"):
        changed(Portion((), special=True), slicess=())  # type: ignore[call-arg]
