"""Photos that show the sheet where another photo does: they say nothing new of a lens, and make it seem surer."""

from collections.abc import Sequence

import numpy as np

from vision.mat.calibration_sheet import View

SAME_WIDTHS = 0.002
"""Corners so near (root mean square, in picture widths) to where another photo has them are of the same view: of the
same photo, a copy of it, or one taken again with nothing moved."""


def each_once(views: Sequence[View]) -> tuple[list[View], list[tuple[str, str]]]:
    """The views (of one size) that differ, and the names of the others, each with why it is left out."""
    kept: list[View] = []
    again: list[tuple[str, str]] = []
    for view in views:
        like = next((other for other in kept if _same(view, other)), None)
        if like is None:
            kept.append(view)
        else:
            again.append((view.name, f"it shows what {like.name} shows, from the same place; expected another view"))
    return kept, again


def _same(view: View, other: View) -> bool:
    before = {tuple(at): spot for at, spot in zip(other.points_mm.tolist(), other.points_px, strict=True)}
    moved = [
        spot - before[tuple(at)]
        for at, spot in zip(view.points_mm.tolist(), view.points_px, strict=True)
        if tuple(at) in before
    ]
    if 2 * len(moved) < len(view.points_mm):
        return False
    return float(np.sqrt((np.array(moved) ** 2).sum(1).mean())) < SAME_WIDTHS * view.size_px[0]
