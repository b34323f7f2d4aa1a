"""What the report on changing light counts, and the tables that it is made of."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from hardware.simulated.lying import outline_mm
from tests.benchmarks.changing_tables import SheetTruth, TableState, changing_table
from tests.benchmarks.light_changes import KINDS
from tests.benchmarks.light_report import NO_CHANGE, ORDERS, Watched, as_text, judged, steps_of
from vision.mat.registration import find_mat
from vision.reports.compared import TruePiece
from vision.scene import FaceLikelihood, HiddenCause, HiddenPlace, MarkKind, PieceKind, Pose, Scene, SheetMark, Sighting

POSE = Pose(-200.0, 50.0, 30.0)
LIES = TruePiece(PieceKind.SLICE, "7/1", POSE, 1.0)


def seen(face: str = "7/1", likely: float = 1.0, pose: Pose = POSE) -> Sighting:
    outline = tuple(outline_mm(PieceKind.SLICE, pose))
    return Sighting(PieceKind.SLICE, pose, (FaceLikelihood(face, likely),), True, 1.0, outline)


def counted(*sightings: Sighting, hidden: tuple[HiddenPlace, ...] = ()) -> Counter[str]:
    return judged(Scene(0.0, 0, sightings, hidden, 1.0), TableState((), (LIES,)))[0]


def test_each_piece_has_one_outcome_and_what_lies_nowhere_is_wrong() -> None:
    over = HiddenPlace(((-300.0, -100.0), (0.0, -100.0), (0.0, 200.0), (-300.0, 200.0)), HiddenCause.HAND)
    assert counted(seen()) == Counter({"right": 1})
    assert counted(seen(likely=0.7)) == Counter({"doubtful": 1})
    assert counted(seen("7/2")) == Counter({"surely wrong": 1})
    assert counted() == Counter({"unseen": 1})
    assert counted(hidden=(over,)) == Counter({"hidden": 1})
    assert counted(seen(), seen(pose=Pose(100.0, 0.0, 0.0))) == Counter({"right": 1, "surely wrong": 1})


def test_marks_are_counted_where_they_show() -> None:
    pose = Pose(0.0, 0.0, 90.0)
    lies = TruePiece(PieceKind.SHEET, "sheet", pose, 1.0)
    places: list[tuple[MarkKind, tuple[int, ...]]] = [(MarkKind.DOT, (column, 0)) for column in range(5)]
    truth = SheetTruth(pose, frozenset(places[:2]), dict.fromkeys(places, True) | {places[4]: False})
    said = zip(places, (1.0, 0.0, 0.3, 0.0, 1.0), (False, False, False, True, False), strict=True)
    marks = tuple(SheetMark(kind, at, likely, hidden) for (kind, at), likely, hidden in said)
    sheet = replace(seen(), kind=PieceKind.SHEET, pose=pose, faces=(FaceLikelihood("sheet", 1.0),), marks=marks)
    _, found, told = judged(Scene(0.0, 0, (sheet,), (), 1.0), TableState((), (lies,), (truth,)))
    assert found == Counter({"right": 1, "surely wrong": 1, "doubtful": 1, "hidden": 1})
    assert told == ["dot (1, 0) surely absent"]


def test_tables_change_and_every_order_ends_with_the_change() -> None:
    table = changing_table("boards", 3)
    before, after = table.states
    assert before.truth != after.truth
    for order in ORDERS:
        steps = steps_of(table, order)
        assert steps[0].state == 0
        assert steps[-1].state == 1


@pytest.mark.long
def test_every_light_changes_a_picture_and_none_changes_it_the_same_way() -> None:
    table = changing_table("boards", 3)
    picture = table.picture(0, 0.0)
    laid = find_mat(picture)
    lit = [draw(laid, np.random.default_rng(5)).over(picture) for draw in KINDS.values()]
    assert all(np.abs(one.astype(int) - picture).mean() > 1.0 for one in lit)
    assert len({one.tobytes() for one in lit}) == len(KINDS)


def test_rates_are_shown_by_light_and_by_order() -> None:
    right, wrong = Counter({"right": 9}), Counter({"right": 8, "surely wrong": 1})
    watched = [
        Watched("tiles", 1, "blinds", "at_once", wrong, meanwhile=1, faults=["a fault"]),
        Watched("tiles", 1, NO_CHANGE, "going", right),
    ]
    lines = as_text(watched)
    assert sum(line.startswith(("blinds", NO_CHANGE, "at_once")) for line in lines) == 3
    assert not any(line.startswith("going") for line in lines)
    assert lines[-1] == "a fault"
    assert "1 of 2" in lines[-2]
