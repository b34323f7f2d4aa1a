"""What the report on games as they are played counts, on tables and scenes that are known."""

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from controller.simulation.copies.pizza_theory import BOARD_TURN_DEG
from hardware.simulated.lying import outline_mm
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView, WorldSnapshot
from tests.benchmarks.live_report import Observer, Watched, as_text
from vision.frame import Frame
from vision.scene import FaceLikelihood, HiddenCause, HiddenPlace, PieceKind, Pose, Scene, Settled, Sighting

VIEW = PieceView("slice:1", PieceKind.SLICE, "7/1", True, Pose(-200.0, 50.0, 30.0), 0.0, 1.0, (0.0, 0.0), None)
PERIOD_S = 0.25


def seen(face: str, likely: float = 1.0, x_mm: float = -200.0, angle_deg: float = 30.0) -> Sighting:
    view = replace(VIEW, pose=Pose(x_mm, 50.0, angle_deg))
    faces = (FaceLikelihood(face, likely),)
    return Sighting(PieceKind.SLICE, view.pose, faces, True, 1.0, tuple(outline_mm(PieceKind.SLICE, view.pose)))


OVER_IT = HiddenPlace(((-300.0, -100.0), (0.0, -100.0), (0.0, 200.0), (-300.0, 200.0)), HiddenCause.HAND)


def watched(
    sightings: tuple[Sighting, ...] = (),
    hidden: tuple[HiddenPlace, ...] = (),
    settled: tuple[Sighting, ...] = (),
    views: tuple[PieceView, ...] = (VIEW,),
    pictures: int = 6,
) -> Watched:
    """The same table, said to be the same, in pictures PERIOD_S apart."""
    camera = Conditions.random(Random(1)).camera_model(640, 360)
    observer = Observer(Renderer({}, camera, Conditions.random(Random(1))), camera, None)
    for number in range(pictures):
        time_s = number * PERIOD_S
        scene = Scene(time_s, number, sightings, hidden, 0.0, settled=Settled(settled, 0.0))
        truth = WorldSnapshot(time_s, views, (), frozenset(), ())
        observer.watch(truth, Frame(np.zeros((360, 640, 3), np.uint8), time_s, number), scene)
    return Watched(1, observer.pictures, observer.stays(), observer.nowhere, "")


@pytest.mark.parametrize(
    ("scene", "outcome"),
    [
        ({"sightings": (seen("7/1"),)}, "right"),
        ({"sightings": (seen("7/1", 0.7),)}, "doubted"),
        ({"sightings": (seen("7/1", 0.4),)}, "unsaid"),
        ({"sightings": (seen("7/2"),)}, "surely another"),
        ({"sightings": (seen("11/1"),)}, "surely another"),
        ({"sightings": (seen("7/1", angle_deg=60.0), seen("7/1", angle_deg=0.0))}, "unsaid"),
        ({"sightings": (seen("7/1", x_mm=-191.0),)}, "surely another"),
        ({"sightings": (seen("7/2", 0.7),)}, "another"),
        ({"settled": (seen("7/1"),)}, "remembered"),
        ({"hidden": (OVER_IT,)}, "hidden without a hand"),
        ({}, "unsaid"),
    ],
)
def test_each_picture_counts_as_what_is_said_of_the_piece(scene: dict[str, Any], outcome: str) -> None:
    game = watched(**scene)
    assert [(kind, dict(said)) for kind, said, _ in game.stays] == [(PieceKind.SLICE, {outcome: 3})]
    assert not game.nowhere or outcome == "right"


@pytest.mark.parametrize(("turn_deg", "outcome"), [(BOARD_TURN_DEG, "right"), (60.0, "surely another")])
def test_a_board_lies_in_one_of_its_turns(turn_deg: float, outcome: str) -> None:
    view = PieceView("board", PieceKind.BOARD, "board", True, Pose(2.0, -5.0, 30.0), 0.0, 1.0, (0.0, 0.0), None)
    outline = tuple(outline_mm(PieceKind.BOARD, view.pose))
    pose = Pose(2.0, -5.0, 30.0 + turn_deg)
    board = Sighting(PieceKind.BOARD, pose, (FaceLikelihood("board", 1.0),), True, 1.0, outline)
    assert [dict(said) for _, said, _ in watched((board,), views=(view,)).stays] == [{outcome: 3}]


def test_how_long_nothing_is_said_is_told() -> None:
    [(_, _, unsaid_s)] = watched(pictures=11).stays
    assert unsaid_s == pytest.approx(7 * PERIOD_S)
    assert "unsaid for more than 0.6 s: 1, 1.8 s at most" in "\n".join(as_text([watched(pictures=11)]))
    assert "never unsaid nor another: 1 of 1 stays" in "\n".join(as_text([watched((seen("7/1"),))]))


def test_a_piece_that_is_held_or_was_just_laid_down_or_is_covered_is_not_asked_for() -> None:
    assert not watched(views=(replace(VIEW, holder=1, lift_mm=20.0),)).stays
    assert not watched(pictures=3).stays
    game = watched(views=(VIEW, replace(VIEW, piece_id="slice:2")))
    assert len(game.stays) == 1


def test_what_is_surely_said_to_lie_where_nothing_does_is_told() -> None:
    game = watched((seen("7/1"), seen("3/2", x_mm=200.0), seen("4/2", 0.6, x_mm=300.0)))
    assert dict(game.nowhere) == {(PieceKind.SLICE, "3/2"): 6}
    assert as_text([game])[-1] == "surely said to lie where none does: slice 3/2, 6 pictures"
