"""What was pencilled on a flat sheet, and how likely."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.scene import MarkKind, SheetMark
from vision.sheets.evidence import Evidence, gather
from vision.sheets.flattening import FlatSheet
from vision.sheets.layout import Array
from vision.sheets.likelihood import DOUBT, FITTED, Judge

SHOWS = 0.5
"""What is no less likely a mark than this shows in spite of a lamp's light."""
PLAINLY_NONE = 0.05
"""In a thin shadow what is likelier a mark than this may be that shadow."""
UNSURE = 0.25
"""What may be a dot, or the end of a cross, is no less likely a dot than this; nor is a faint ring or cross one. What
looks like a mark and may be none is no likelier than one less this, and what hardly shows no likelier than this."""


def read_marks(flat: FlatSheet, judges: Mapping[MarkKind, Judge]) -> tuple[SheetMark, ...]:
    """Every place that may be marked: dots, lines, toppings, bonuses; on a sheet that was seen blank also diagonals.

    `judges` are those for sheets that were seen blank, or for others, in focus or out of it, as this one is."""
    evidence = gather(flat)
    likely = {kind: _likely(one, judges[kind]) for kind, one in evidence.items()}
    dots = evidence[MarkKind.DOT]
    _doubt(dots, likely[MarkKind.DOT])
    for kind in evidence.keys() & {MarkKind.LINE, MarkKind.DIAGONAL}:
        likely[kind] *= _both_ends(dots, evidence[kind], likely[MarkKind.DOT]).min(axis=1)
    for kind, one in evidence.items():
        _doubt(one, likely[kind])
    unseen = {kind: _unseen(one, likely[kind]) for kind, one in evidence.items()}
    may_be_dots = unseen[MarkKind.DOT] | (likely[MarkKind.DOT] > PLAINLY_NONE)
    for kind in evidence.keys() & {MarkKind.LINE, MarkKind.DIAGONAL}:
        unseen[kind] |= evidence[kind].striped & _both_ends(dots, evidence[kind], may_be_dots).all(axis=1)
    marks = [
        SheetMark(kind, at, round(p, 4), hidden)
        for kind in FITTED
        for at, p, hidden in zip(evidence[kind].places, likely[kind].tolist(), unseen[kind].tolist(), strict=True)
    ]
    if MarkKind.DIAGONAL in evidence:
        told = zip(likely[MarkKind.DIAGONAL].tolist(), unseen[MarkKind.DIAGONAL].tolist(), strict=True)
        seen = dict(zip(evidence[MarkKind.DIAGONAL].places, told, strict=True))
        marks += _diagonals(flat, seen, dots.hidden)
    return tuple(marks)


def _doubt(evidence: Evidence, likely: Array) -> None:
    """Makes marks no surer than they may be."""
    if evidence.hardly is not None:
        likely[evidence.hardly] = np.minimum(likely[evidence.hardly], UNSURE)
    if evidence.unsure is not None:
        likely[evidence.unsure] = np.maximum(likely[evidence.unsure], UNSURE)
    if evidence.doubted is not None:
        likely[evidence.doubted] = np.minimum(likely[evidence.doubted], 1.0 - UNSURE)


def _likely(evidence: Evidence, judge: Judge) -> Array:
    """How likely each mark is; where nothing is darker than on the blank sheet, as unlikely as can be."""
    if evidence.bare is None:
        return judge.probability(evidence.features)
    likely = np.full(len(evidence.places), DOUBT)
    if not evidence.bare.all():
        likely[~evidence.bare] = judge.probability(evidence.features)
    return likely


def _diagonals(
    flat: FlatSheet, seen: Mapping[tuple[int, ...], tuple[float, bool]], hidden: NDArray[np.bool_]
) -> list[SheetMark]:
    """All of them: those that were not looked at, where no dots are, are none, but where a dot is `hidden`."""
    under = dict(zip(flat.layout.dots, hidden.tolist(), strict=True))
    marks = []
    for one, other in flat.layout.diagonals:
        p, unseen = seen.get((*one, *other), (DOUBT, under[one] or under[other]))
        marks.append(SheetMark(MarkKind.DIAGONAL, (*one, *other), round(p, 4), unseen))
    return marks


def _unseen(evidence: Evidence, likely: Array) -> NDArray[np.bool_]:
    """Where nothing can be said: something lies there, a mark that does not show may be washed out, or what looks like
    one may be a thin shadow."""
    maybe = likely > PLAINLY_NONE
    maybe = maybe if evidence.dark is None else maybe | evidence.dark
    return np.asarray(evidence.hidden | (evidence.washed & (likely < SHOWS)) | (evidence.striped & maybe))


def _both_ends(dots: Evidence, lines: Evidence, of_dots: NDArray[Any]) -> NDArray[Any]:
    """n x 2: what is known `of_dots`, of those at both ends of each line. Lines join pencilled dots only, both of one
    hand: the less likely tells."""
    number = {dot: i for i, dot in enumerate(dots.places)}
    ends = np.array([(number[at[:2]], number[at[2:]]) for at in lines.places], np.intp).reshape(-1, 2)
    return of_dots[ends]
