"""What was pencilled on a flat sheet, and how likely."""

from collections.abc import Mapping

import numpy as np

from vision.scene import MarkKind, SheetMark
from vision.sheets.evidence import Evidence, gather
from vision.sheets.flattening import FlatSheet
from vision.sheets.layout import Array
from vision.sheets.likelihood import Judge


def read_marks(flat: FlatSheet, judges: Mapping[MarkKind, Judge]) -> tuple[SheetMark, ...]:
    """Every place that may be marked: dots, lines, toppings, bonuses."""
    evidence = gather(flat)
    likely = {kind: judges[kind].probability(evidence[kind].features) for kind in MarkKind}
    likely[MarkKind.LINE] *= _both_ends(evidence[MarkKind.DOT], evidence[MarkKind.LINE], likely[MarkKind.DOT])
    return tuple(
        SheetMark(kind, at, round(float(p), 4), bool(hidden))
        for kind in MarkKind
        for at, p, hidden in zip(evidence[kind].places, likely[kind], evidence[kind].hidden, strict=True)
    )


def _both_ends(dots: Evidence, lines: Evidence, likely: Array) -> Array:
    """Lines join pencilled dots only: how likely both are. Both are of one hand: the less likely tells."""
    number = {dot: i for i, dot in enumerate(dots.places)}
    ends = np.array([(number[at[:2]], number[at[2:]]) for at in lines.places])
    return np.asarray(likely[ends].min(axis=1))
