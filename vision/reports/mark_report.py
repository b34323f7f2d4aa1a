"""Marks on score sheets compared with what a label file says was pencilled, both ways."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vision.files.labels import sheet_label
from vision.scene import LIKELY, MarkKind, Pose, SheetMark

MarkPlace = tuple[MarkKind, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class MarkClaim:
    """A place that may be marked, as it was read, and the truth."""

    mark: SheetMark
    there: bool

    @property
    def right(self) -> bool:
        """Whether it is read as what it is."""
        return (self.mark.probability >= LIKELY) == self.there

    @property
    def sureness(self) -> float:
        """How likely that is said to be which is read, 0.5 to 1."""
        return max(self.mark.probability, 1.0 - self.mark.probability)


def true_marks(labels: Mapping[str, Any], name: str) -> set[MarkPlace]:
    """What was pencilled on a picture's sheet, as `vision.files.labels.SheetLabel` has it.

    Raises:
        LabelError: something is missing or is not what was expected.
    """
    sheet = sheet_label(labels, f"labels of {name}")
    marks: set[MarkPlace] = {(MarkKind.DOT, tuple(dot)) for dot in sheet.dots}
    marks |= {(MarkKind.LINE, (*first, *second)) for first, second in (sorted(line) for line in sheet.lines)}
    marks |= {(MarkKind.CROSSED_TOPPING, tuple(topping.square)) for topping in sheet.crossed}
    marks |= {(MarkKind.CIRCLED_BONUS, (box,)) for box in sheet.circled}
    return marks | {(MarkKind.CROSSED_BONUS, (box,)) for box in sheet.crossed_bonuses}


def claims(marks: Sequence[SheetMark], truth: Collection[MarkPlace]) -> tuple[MarkClaim, ...]:
    """Every place as it was read beside what is there; hidden places too."""
    return tuple(MarkClaim(mark, (mark.kind, mark.at) in truth) for mark in marks)


def unread(marks: Sequence[SheetMark], truth: Collection[MarkPlace]) -> tuple[MarkPlace, ...]:
    """What was pencilled where none of these places is."""
    places = {(mark.kind, mark.at) for mark in marks}
    return tuple(sorted((place for place in truth if place not in places), key=lambda p: (p[0].value, p[1])))


def in_sheets_frame(pose: Pose, sheet: Pose) -> Pose:
    """A pose of the table as seen from a sheet that lies there: a picture without a mat is read from there."""
    turn = np.radians(sheet.angle_deg - 90.0)
    x, y = pose.x_mm - sheet.x_mm, pose.y_mm - sheet.y_mm
    cosine, sine = float(np.cos(turn)), float(np.sin(turn))
    angle = (pose.angle_deg - sheet.angle_deg + 90.0) % 360.0
    return Pose(cosine * x + sine * y, -sine * x + cosine * y, angle)


def turned_pattern(pattern: str, angle_deg: float) -> tuple[str, float]:
    """A die's rows of dots and its angle, the same die said with an angle between -45 and 45 degrees."""
    quarters = int(np.floor((angle_deg + 45.0) / 90.0))
    rows = np.rot90(np.array([list(row) for row in pattern.split("/")]), quarters)
    return "/".join("".join(row) for row in rows), angle_deg - 90.0 * quarters
