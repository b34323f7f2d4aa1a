"""What the report on games as they are played counts, on tables and scenes that are known."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from controller.games.dice_and_slice.hands import Pencilled, write_front
from controller.simulation.copies.pizza_theory import BOARD_TURN_DEG
from hardware.simulated.lying import outline_mm
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import PieceView, WorldSnapshot
from tests.benchmarks.live_report import Observer, Watched, as_text
from tests.benchmarks.simulated_sheets import places, printed, true_piece
from vision.frame import Frame
from vision.scene import (
    FaceLikelihood,
    HiddenCause,
    HiddenPlace,
    MarkKind,
    PieceKind,
    Pose,
    Scene,
    Settled,
    SheetMark,
    Sighting,
)

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
    assert [(stay.what, dict(stay.said)) for stay in game.stays] == [("slice", {outcome: 3})]
    assert not game.nowhere or outcome == "right"


@pytest.mark.parametrize(("turn_deg", "outcome"), [(BOARD_TURN_DEG, "right"), (60.0, "surely another")])
def test_a_board_lies_in_one_of_its_turns(turn_deg: float, outcome: str) -> None:
    view = PieceView("board", PieceKind.BOARD, "board", True, Pose(2.0, -5.0, 30.0), 0.0, 1.0, (0.0, 0.0), None)
    outline = tuple(outline_mm(PieceKind.BOARD, view.pose))
    pose = Pose(2.0, -5.0, 30.0 + turn_deg)
    board = Sighting(PieceKind.BOARD, pose, (FaceLikelihood("board", 1.0),), True, 1.0, outline)
    assert [dict(stay.said) for stay in watched((board,), views=(view,)).stays] == [{outcome: 3}]


def test_how_long_nothing_is_said_is_told() -> None:
    [stay] = watched(pictures=11).stays
    assert stay.longest_s["unsaid"] == pytest.approx(7 * PERIOD_S)
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


# Score sheets and their dice ------------------------------------------------------------------------------------------

DOT, RUBBED = (MarkKind.DOT, printed().dots[0]), (MarkKind.DOT, printed().dots[1])
WRITTEN = write_front(1, [Pencilled(*DOT), Pencilled(*RUBBED), Pencilled(*RUBBED, rubbed=True)])
SHEET = PieceView("sheet/1", PieceKind.SHEET, WRITTEN, True, Pose(0.0, 0.0, 90.0), 0.0, 1.0, (0.0, 0.0), None)
DIE = PieceView("die/A", PieceKind.DIE, "die/A1", True, Pose(200.0, 30.0, 80.0), 0.0, 1.0, (0.0, 0.0), None)


def as_it_is(view: PieceView) -> Sighting:
    true = true_piece(view, 1.0)
    faces = (FaceLikelihood(true.face, 1.0),)
    return Sighting(view.kind, true.pose, faces, True, 1.0, tuple(outline_mm(view.kind, view.pose)))


def sheet_said(*otherwise: SheetMark, without: tuple[MarkKind, ...] = ()) -> Sighting:
    """The sheet as it is, but for these marks, and without what is said of some."""
    told = {place: SheetMark(*place, 1.0 if place == DOT else 0.0) for place in places(printed())}
    told |= {(mark.kind, mark.at): mark for mark in otherwise}
    return replace(as_it_is(SHEET), marks=tuple(mark for mark in told.values() if mark.kind not in without))


def of_places(game: Watched) -> dict[str, int]:
    """How often what was said of a sheet's places, but what is sure and right."""
    said = Counter[str]()
    for stay in game.stays:
        said.update({f"{stay.what}: {outcome}": count for outcome, count in stay.said.items() if outcome != "right"})
    return dict(said)


@pytest.mark.parametrize(
    ("mark", "outcome"),
    [
        (SheetMark(*DOT, 0.95), {}),
        (SheetMark(*DOT, 0.7), {"dot: doubted": 3}),
        (SheetMark(*DOT, 0.3), {"dot: another": 3}),
        (SheetMark(*DOT, 0.02), {"dot: surely another": 3}),
        (SheetMark(*DOT, 0.02, hidden=True), {"dot: hidden without a hand": 3}),
        (SheetMark(*RUBBED, 0.97), {"no dot: surely another": 3}),
    ],
)
def test_each_place_of_a_sheet_counts_as_what_is_said_of_it(mark: SheetMark, outcome: dict[str, int]) -> None:
    assert of_places(watched((sheet_said(mark),), views=(SHEET,))) == outcome


def test_a_place_of_which_nothing_is_said_is_unsaid_but_a_diagonal_which_is_told_later() -> None:
    game = watched((sheet_said(without=(MarkKind.DOT, MarkKind.DIAGONAL)),), views=(SHEET,))
    assert of_places(game).keys() == {"dot: unsaid", "no dot: unsaid"}
    assert "no diagonal" not in {stay.what for stay in game.stays}
    assert {"dot: unsaid", "no diagonal: unsaid"} <= of_places(watched(views=(SHEET,))).keys()


def test_a_sheet_that_is_known_from_before_has_its_places_so() -> None:
    [one] = [stay for stay in watched(settled=(sheet_said(),), views=(SHEET,)).stays if stay.what == "dot"]
    assert dict(one.said) == {"remembered": 3}


def test_a_line_that_is_drawn_aslant_is_told_as_a_diagonal() -> None:
    first, second = printed().diagonals[0]
    aslant = replace(SHEET, face=write_front(1, [Pencilled(*DOT), Pencilled(MarkKind.LINE, (*first, *second))]))
    seen_so = sheet_said(SheetMark(MarkKind.DIAGONAL, (*first, *second), 1.0))
    assert not of_places(watched((seen_so,), views=(aslant,)))


def test_what_lies_under_a_die_is_not_said_wrongly() -> None:
    said = sheet_said(SheetMark(*DOT, 0.02))
    x_mm, y_mm = printed().dot_mm(DOT[1])
    die = replace(DIE, pose=Pose(x_mm, y_mm, 0.0))
    assert "dot: surely another" not in of_places(watched((said, as_it_is(die)), views=(SHEET, die)))


def test_a_mark_that_is_made_begins_a_stay_of_its_place_alone() -> None:
    camera = Conditions.random(Random(1)).camera_model(640, 360)
    observer = Observer(Renderer({}, camera, Conditions.random(Random(1))), camera, None)
    blank = replace(SHEET, face=write_front(1, []))
    for number in range(8):
        scene = Scene(number * PERIOD_S, number, (sheet_said(SheetMark(*DOT, 0.0)),), (), 0.0)
        truth = WorldSnapshot(number * PERIOD_S, (blank if number < 4 else SHEET,), (), frozenset(), ())
        observer.watch(truth, Frame(np.zeros((360, 640, 3), np.uint8), number * PERIOD_S, number), scene)
    said = Counter[tuple[str, str]]()
    for stay in observer.stays():
        said.update({(stay.what, outcome): count for outcome, count in stay.said.items()})
    assert said["dot", "surely another"] == 1
    assert said["no dot", "right"] == 5 * (len(printed().dots) - 1) + 1


@pytest.mark.parametrize("quarters", range(4))
def test_a_die_is_right_from_whichever_side_it_is_said(quarters: int) -> None:
    true = true_piece(DIE, 1.0)
    rows = np.rot90(np.array([list(row) for row in true.face.split("/")]), quarters)
    pose = replace(true.pose, angle_deg=true.pose.angle_deg - 90.0 * quarters)
    face = (FaceLikelihood("/".join("".join(row) for row in rows), 1.0),)
    seen_so = replace(as_it_is(DIE), pose=pose, faces=face)
    game = watched((seen_so,), views=(DIE,))
    assert [(stay.what, dict(stay.said)) for stay in game.stays] == [("die", {"right": 3})]
    other = replace(seen_so, faces=(FaceLikelihood("#../.../...", 1.0),))
    assert [dict(stay.said) for stay in watched((other,), views=(DIE,)).stays] == [{"surely another": 3}]
