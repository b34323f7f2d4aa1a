"""Score sheets in a report: marks compared both ways, and pieces seen from the sheet where no mat shows."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.kit.score_sheets import load_sheet_print
from tests.vision.drawn_sheet import Camera, DrawnSheet, Hand, blank_sheet, draw_die, pencil_all, photograph
from vision.files.label_kinds import LabelError
from vision.looking_for import finders_for
from vision.pieces.faces import FacePack, FacePackError
from vision.reports.compared import TruePiece, compare
from vision.reports.mark_report import in_sheets_frame, true_marks, turned_pattern
from vision.reports.rates import Report
from vision.reports.report import report, report_sheet
from vision.scene import FaceLikelihood, MarkKind, PieceKind, Pose, Scene, Sighting
from vision.sheets.finder import SheetFinder, read_sheets

PRINT = load_sheet_print()
SHEET_POSE = Pose(40.0, -25.0, 30.0)


def sheet() -> DrawnSheet:
    drawn = blank_sheet(PRINT, grid=(205, 230, 240))
    pencil_all(drawn, np.random.default_rng(21), Hand(forgets=0.1), share=0.3)
    return drawn


def labels_of(drawn: DrawnSheet) -> dict[str, Any]:
    """The truth of a sheet that lies on a mat out of the picture."""
    at = {kind: sorted(place for one, place in drawn.marks if one is kind) for kind in MarkKind}
    pose = {"x_mm": SHEET_POSE.x_mm, "y_mm": SHEET_POSE.y_mm, "angle_deg": SHEET_POSE.angle_deg}
    return {
        "kind": "sheet",
        "style": "drawn",
        "pieces": [{"kind": "sheet", "face": "sheet", "face_up": True, **pose}],
        "arrangement": {
            "sheet": {
                "dots": [list(dot) for dot in at[MarkKind.DOT]],
                "lines": [[list(line[2:]), list(line[:2])] for line in at[MarkKind.LINE]],
                "crossed": [{"square": list(square)} for square in at[MarkKind.CROSSED_TOPPING]],
                "circled": [box[0] for box in at[MarkKind.CIRCLED_BONUS]],
                "crossed_bonuses": [box[0] for box in at[MarkKind.CROSSED_BONUS]],
            }
        },
    }


def no_faces(style: str, kind: str) -> FacePack:
    raise AssertionError(f"sheets need no faces of {style} {kind}")


def test_marks_are_counted_both_ways(tmp_path: Path) -> None:
    drawn = sheet()
    right, wrong = labels_of(drawn), labels_of(drawn)
    gone = wrong["arrangement"]["sheet"]["dots"].pop()
    circled = [box[0] for kind, box in drawn.marks if kind is MarkKind.CIRCLED_BONUS]
    not_circled = next(number for number in range(5) if number not in circled)
    wrong["arrangement"]["sheet"]["circled"] = [*circled, not_circled]
    image = photograph(drawn, np.random.default_rng(3), Camera(px_per_mm=4.0))
    for name, labels in (("one", right), ("two", wrong)):
        (tmp_path / f"{name}.json").write_text(json.dumps(labels))
        cv2.imwrite(str(tmp_path / f"{name}.jpg"), image)
    result: Report = report(tmp_path, no_faces, ("sheet",), prints=[PRINT.layout])
    first, second = result.photos
    assert (first.perfect, first.right, first.sure_but_wrong) == (True, 1, 0)
    assert not second.perfect
    assert second.sure_but_wrong == 2
    assert {(claim.mark.kind, claim.there) for claim in second.wrong_marks} == {
        (MarkKind.DOT, False),
        (MarkKind.CIRCLED_BONUS, True),
    }
    text = result.as_text()
    assert f"two: dot {tuple(gone)} claimed, " in text
    dots = sum(kind is MarkKind.DOT for kind, _ in drawn.marks)
    assert f"dot             read {2 * dots - 1} of {2 * dots - 1} " in text
    assert result.mark_reliability()[-1].right < 1.0


def test_marks_of_a_sheet_that_is_not_found_and_those_off_its_print_are_missed() -> None:
    drawn = sheet()
    labels = labels_of(drawn)
    black = np.zeros((720, 1280, 3), np.uint8)
    lost = report_sheet(black, labels, [PRINT.layout], "black")
    assert (lost.problem != "", len(lost.unread_marks), lost.expected) == (True, len(drawn.marks), 1)
    labels["arrangement"]["sheet"]["dots"].append([97, 3])
    image = photograph(drawn, np.random.default_rng(3), Camera(px_per_mm=4.0))
    off = report_sheet(image, labels, [PRINT.layout], "off")
    assert off.unread_marks == ((MarkKind.DOT, (97, 3)),)
    assert not off.perfect
    dots = sum(kind is MarkKind.DOT for kind, _ in drawn.marks)
    result = Report((lost, off))
    assert f"dot             read {dots} of {2 * dots + 1} " in result.as_text()
    assert "off: 1 marks lie where no place of a sheet was read" in result.faults()
    assert result.confusion()["dot", "marked", ""] == dots + 1


@pytest.mark.parametrize(("truly", "quarters"), [(44.6, 1), (-44.7, -1), (20.0, 0), (200.0, 2)])
def test_a_die_is_right_from_whichever_side_it_is_said(truly: float, quarters: int) -> None:
    """Turned by nearly 45 degrees, truth and reading may name different sides of the same die."""
    pattern = "##./.../..#"
    face, _ = turned_pattern(pattern, 90.0 * quarters)
    for shown, right in ((face, True), ("##./.../.##", False)):
        pose = Pose(1.0, 2.0, truly - 90.0 * quarters + 0.5)
        seen = Sighting(PieceKind.DIE, pose, (FaceLikelihood(shown, 1.0),), True, 1.0, ())
        truth = TruePiece(PieceKind.DIE, pattern, Pose(1.0, 2.0, truly), 1.0)
        (match,), missing, extra = compare(Scene(0.0, 0, (seen,), (), 0.0), [truth])
        assert (match.right, missing, extra) == (right, [], [])


def test_dice_beside_a_sheet_without_a_mat_are_where_the_table_says() -> None:
    drawn = blank_sheet(PRINT)
    image = photograph(drawn, np.random.default_rng(8), Camera(px_per_mm=3.2, tilt=0.0))
    draw_die(image, (180.0, 180.0), 3.2, 24.0, ("##.", "...", "..#"), (40, 40, 190), (235, 235, 235))
    (seen,) = (one.pose for one in read_sheets(image, [PRINT.layout]).sightings if one.kind is PieceKind.DIE)
    turn = np.radians(SHEET_POSE.angle_deg - 90.0)
    x = SHEET_POSE.x_mm + np.cos(turn) * seen.x_mm - np.sin(turn) * seen.y_mm
    y = SHEET_POSE.y_mm + np.sin(turn) * seen.x_mm + np.cos(turn) * seen.y_mm
    labels = labels_of(drawn)
    # On the table it lies 60 degrees further clockwise, and is said from its next side.
    place = {"x_mm": float(x), "y_mm": float(y), "angle_deg": seen.angle_deg - 60.0 + 90.0}
    labels["pieces"].append({"kind": "die", "pattern": ["..#", "..#", "#.."], **place})
    photo = report_sheet(image, labels, [PRINT.layout], "drawn")
    assert [match.right for match in photo.matches] == [True, True]
    assert max(match.distance_mm for match in photo.matches) < 0.1
    assert photo.extra == ()


def test_a_die_is_said_from_the_side_that_its_angle_names() -> None:
    assert turned_pattern("##./.../..#", 24.0) == ("##./.../..#", 24.0)
    pattern, angle = turned_pattern("#../.../...", 60.0)
    assert (pattern, angle) == (".../.../#..", -30.0)


def test_places_are_seen_from_a_sheet_that_lies_turned() -> None:
    seen = in_sheets_frame(Pose(40.0, -15.0, 120.0), Pose(40.0, -25.0, 180.0))
    assert (seen.x_mm, seen.y_mm, seen.angle_deg) == pytest.approx((10.0, 0.0, 30.0))


def test_labels_without_marks_are_refused() -> None:
    with pytest.raises(LabelError, match=r"labels of mine: arrangement\.sheet\.dots is missing; expected a "):
        true_marks({"arrangement": {"sheet": {}}}, "mine")


def test_sheets_are_looked_for_by_their_prints() -> None:
    nothing = FacePack({}, ())
    with pytest.raises(FacePackError, match="told by their print"):
        finders_for({PieceKind.SHEET}, nothing)
    (finder,) = finders_for({PieceKind.SHEET}, nothing, [PRINT.layout])
    assert isinstance(finder, SheetFinder)
