"""What tells how much light takes of the marks on a sheet whose paper is brighter than the picture shows.

Nothing of such a sheet says how bright its paper is, so that marks of some darkness do not show at all. The palest that
show, lines beside the dots that they join, and the small dots that are printed everywhere tell something of it.
"""

import numpy as np
from numpy.typing import NDArray

from vision.sheets.flattening import Plane
from vision.sheets.layout import Array

SHARES, LINE_SHARES = (0.1, 0.5, 0.9), (0.1, 0.4, 0.6, 0.9)
"""Dots and lines are told by the darkness that such shares of them are below."""
ENOUGH = 6
"""So many lines tell how dark lines are; so many dots how dark, and how blurred, they are."""
FIRM = 0.8
"""How dark dots of a firm pencil measure in a sharp picture: where few are seen, so much darker than printed ones;"""
LEAST_DARKER = 0.02
"""and none is less darker than this."""
SHARPEST_MM = 0.1
"""No blur is told to be less than this."""
AROUND, AROUND_SHARE = 12, 0.3
"""What is printed around a place is told by so many dots nearest to it: by that of which such a share is paler."""


def told_by_sheet(
    pencilled: Plane, printed: Plane, joined: Plane, cut_off: NDArray[np.bool_], blur_mm: float
) -> tuple[float, ...]:
    """How dark dots are that are only printed, and pencilled ones, and places between two of those beside them, from
    the palest to the darkest; how many there are, and which share of all dots is `cut_off`."""
    low, usual, high = _below(printed, SHARES, 0.0)
    dark = _below(pencilled, SHARES, usual + FIRM)
    darker = max(dark[1] - usual, LEAST_DARKER)
    lines = [line / darker for line in _below(joined, LINE_SHARES, 0.0)]
    counts = [float(np.log1p(len(values))) for values in (pencilled, joined)]
    share = float(cut_off.mean()) if len(cut_off) else 0.0
    return (share, low, usual, high, *dark, *lines, *counts, float(np.log(max(blur_mm, SHARPEST_MM))))


def told_around(places_mm: Array, dots: Plane, dots_mm: Array) -> Plane:
    """n x 2: how dark those `dots` (at m x 2) around each place (n x 2) are that are only printed, most likely; and
    beside what such a share of all dots is."""
    if not len(dots):
        return np.zeros((len(places_mm), 2), np.float32)
    away = np.linalg.norm(places_mm[:, None] - dots_mm, axis=2)
    nearest = np.argsort(np.round(away, 2), axis=1, kind="stable")[:, :AROUND]  # many are equally far
    around = np.quantile(dots[nearest], AROUND_SHARE, axis=1)
    return np.column_stack([around, around - np.quantile(dots, AROUND_SHARE)]).astype(np.float32)


def _below(values: Plane, shares: tuple[float, ...], unknown: float) -> list[float]:
    """What such shares of all values are below; `unknown` for each where few are known."""
    return np.quantile(values, shares).tolist() if len(values) >= ENOUGH else [unknown] * len(shares)
