"""A table on which another copy lies than the one that was shown says so, and nothing is called one that is none."""

import pytest

from controller.another_copy import AT_REST_S, LEAST_MM2, AnotherCopy
from controller.views import PartState
from vision.scene import FaceLikelihood, HiddenCause, HiddenPlace, PieceKind, Point, Pose, Scene, Sighting

SIDE_MM = LEAST_MM2**0.5 + 1.0


def square(side_mm: float, x_mm: float = 0.0) -> tuple[Point, ...]:
    return ((x_mm, 0.0), (x_mm, side_mm), (x_mm + side_mm, side_mm), (x_mm + side_mm, 0.0))


def strange(side_mm: float = SIDE_MM, cause: HiddenCause = HiddenCause.FOREIGN, x_mm: float = 0.0) -> HiddenPlace:
    return HiddenPlace(square(side_mm, x_mm), cause)


def seen(kind: PieceKind, probability: float) -> Sighting:
    return Sighting(kind, Pose(0.0, 0.0, 0.0), (FaceLikelihood("a", probability),), True, 1.0, square(50.0))


def scene(*what: Sighting | HiddenPlace, at_rest_s: float = AT_REST_S) -> Scene:
    sightings = tuple(one for one in what if isinstance(one, Sighting))
    return Scene(0.0, 1, sightings, tuple(one for one in what if isinstance(one, HiddenPlace)), at_rest_s)


def watched(game: str = "slice") -> AnotherCopy:
    """A table on which somebody has just laid something."""
    copy = AnotherCopy(game)
    assert copy.part(scene(strange(), at_rest_s=0.0), judging=True) is None
    return copy


def test_it_is_said_once_with_what_to_do_and_taken_back_when_a_piece_is_known() -> None:
    copy = watched()
    part = copy.part(scene(strange()), judging=True)
    assert part is not None
    assert part.state is PartState.LOST
    assert "`pizzatable enrol --game slice --page`" in part.text
    assert copy.part(scene(strange()), judging=True) is None
    assert copy.part(scene(at_rest_s=0.0), judging=True) is None, "a hand lifts it: that tells nothing yet"
    back = copy.part(scene(strange(), seen(PieceKind.SLICE_CARD, 0.6)), judging=True)
    assert back is not None
    assert back.state is PartState.OK
    assert copy.part(scene(seen(PieceKind.SLICE_CARD, 0.6)), judging=True) is None


def test_it_is_taken_back_when_the_game_is_left() -> None:
    copy = watched()
    assert copy.part(scene(strange()), judging=True) is not None
    left = copy.part(scene(strange()), judging=False)
    assert left is not None
    assert left.state is PartState.OK


def test_what_lay_there_before_anybody_laid_anything_is_no_copy() -> None:
    """The game's box, and what people brought; and again after a pause, in which the pieces may have been put away."""
    copy = AnotherCopy("slice")
    assert copy.part(scene(strange()), judging=True) is None
    copy = watched()
    assert copy.part(scene(strange()), judging=False) is None
    assert copy.part(scene(strange()), judging=True) is None


def test_several_small_things_are_as_strange_as_a_large_one() -> None:
    halves = (strange(SIDE_MM / 1.4), strange(SIDE_MM / 1.4, x_mm=200.0))
    assert watched().part(scene(halves[0]), judging=True) is None
    assert watched().part(scene(*halves), judging=True) is not None


@pytest.mark.parametrize(
    "what",
    [
        scene(),
        scene(strange(), at_rest_s=AT_REST_S - 0.1),
        scene(strange(SIDE_MM - 2.0)),
        scene(strange(cause=HiddenCause.HAND)),
        scene(strange(cause=HiddenCause.GLARE)),
        scene(strange(), seen(PieceKind.BOARD, 0.95)),
    ],
    ids=["bare", "not at rest", "small", "hand", "glare", "board"],
)
def test_nothing_is_said_of(what: Scene) -> None:
    assert watched().part(what, judging=True) is None


def test_what_is_told_by_its_form_was_never_shown() -> None:
    assert watched("pizza_theory").part(scene(strange(), seen(PieceKind.TOPPING, 0.95)), judging=True) is not None
    doubtful = seen(PieceKind.BOARD, 0.2)
    assert watched("pizza_theory").part(scene(strange(), doubtful), judging=True) is not None
