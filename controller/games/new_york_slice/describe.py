"""What `pizzatable read` says of a picture of New York Slice, and what there is to enrol."""

from controller.games.cut_and_choose_picture import BACKS, KINDS, describe
from controller.games.new_york_slice.components import load_components

__all__ = ["KINDS", "describe", "faces"]


def faces() -> tuple[str, ...]:
    """The fronts of all slices and Specials, and both backs."""
    components = load_components()
    return (*(one.face for one in components.slices), *(one.face for one in components.specials), *BACKS)
