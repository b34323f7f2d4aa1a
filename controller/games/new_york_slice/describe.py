"""What `pizzatable read` says of a picture of New York Slice, and what there is to enrol."""

from controller.games.cut_and_choose_picture import BACKS, KINDS, describe
from controller.games.new_york_slice.components import load_components
from vision.scene import PieceKind

__all__ = ["KINDS", "describe", "faces", "kind_of", "looks"]


def faces() -> tuple[str, ...]:
    """The fronts of all slices and Specials, and both backs."""
    components = load_components()
    return (*(one.face for one in components.slices), *(one.face for one in components.specials), *BACKS)


def looks() -> dict[str, str]:
    """What each of these shows, for an owner who puts names to them."""
    backs = ("the back of a slice", "the back of a Special")
    return load_components().looks() | dict(zip(BACKS, backs, strict=True))


def kind_of(face: str) -> PieceKind:
    """Which kind of piece has this of these faces."""
    special = face == BACKS[1] or face in load_components().specials_by_face
    return PieceKind.SPECIAL if special else PieceKind.SLICE
