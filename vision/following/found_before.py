"""What a finder found, beside what it found before: whether it may be found otherwise the next time."""

import numpy as np

from vision.scene import MarkKind, PieceKind, Sighting

SURE = 0.9
"""What a finder finds is doubtful below this likelihood, and looked for again."""
SURE_DIE, DOUBT = 0.95, 0.1
"""A die less likely than the first, or a mark that is less likely there, or not there, than all but the second, may be
read otherwise in another picture that shows the same."""
AS_READ = 0.2
"""A sheet that a hand passed over need not be read twice where no mark's likelihood changed by more."""
GONE_MM = 6.0
"""A piece found again further off than this is one that lies elsewhere now."""


def is_doubtful(piece: Sighting) -> bool:
    """Whether a finder is not sure of a piece. What it says of a sheet is how much of its print shows."""
    return piece.kind is not PieceKind.SHEET and piece.probability < SURE


def is_plain(piece: Sighting) -> bool:
    """Whether what was said of a piece will be said again while nothing changes. A sheet that was seen blank is read
    otherwise when that is known."""
    if piece.kind is PieceKind.SHEET:
        return is_plainly_marked(piece) and is_read_beside_blank(piece)
    if any(space.contents and space.contents[0].probability < SURE for space in piece.spaces):
        return False
    return piece.probability >= (SURE if piece.kind is not PieceKind.DIE else SURE_DIE)


def is_plainly_marked(sheet: Sighting) -> bool:
    """Whether every mark that shows is plainly there or plainly not."""
    return all(mark.hidden or not DOUBT < mark.probability < 1.0 - DOUBT for mark in sheet.marks)


def is_read_beside_blank(sheet: Sighting) -> bool:
    """Whether a sheet was read by what it looked like when it was blank: only then are diagonals told."""
    return any(mark.kind is MarkKind.DIAGONAL for mark in sheet.marks)


def is_read_as(sheet: Sighting, before: Sighting) -> bool:
    """Whether a sheet was read as before: no mark is much likelier or less likely, nor hidden otherwise; or looks as it
    did, and need not have been read."""
    if sheet is before:
        return bool(sheet.marks)
    if not sheet.marks or len(sheet.marks) != len(before.marks) or not lies_there(sheet, before):
        return False
    pairs = zip(sheet.marks, before.marks, strict=True)
    return all(abs(a.probability - b.probability) < AS_READ and a.hidden == b.hidden for a, b in pairs)


def lies_there(one: Sighting, other: Sighting) -> bool:
    """Whether both are of a kind and lie in one place."""
    apart = np.hypot(one.pose.x_mm - other.pose.x_mm, one.pose.y_mm - other.pose.y_mm)
    return one.kind is other.kind and bool(apart < GONE_MM)
