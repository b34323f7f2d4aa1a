"""How likely a mark is, from what was measured of its place: small networks, one for each kind of mark; others for
sheets that were seen blank, where pencil is seen alone, others for pictures out of focus, which are told the blur, and
others for paper that is brighter than the picture shows, which are told how much light takes.

They were fitted by `tests/benchmarks/fit_sheet_marks.py` on drawn sheets; `make sheets-report` says how often marks are
there that they call so likely, on other seeds and on kinds of sheet and pencil that they were not fitted on.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from types import MappingProxyType

import numpy as np

from vision.scene import MarkKind
from vision.sheets.flattening import FlatSheet, Plane
from vision.sheets.layout import Array

WEIGHTS = "marks{}.npz"
OUT_OF_FOCUS, AFTER_BLANK, TOO_BRIGHT = "_out_of_focus", "_after_blank", "_too_bright"
FAR = 4.0
"""Measures further (standard deviations) from what they were fitted on count as no further."""
FITTED = tuple(kind for kind in MarkKind if kind is not MarkKind.DIAGONAL)
"""Kinds of mark that have a network of their own: diagonals are lines."""
DOUBT = 0.001
"""Nothing is likelier or less likely than but for this: not every sheet is like those that were drawn."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Several networks of one hidden layer each, fitted apart from each other; their mean judges."""

    middle: Plane
    """m: of each measure, and its spread, where they were fitted."""
    spread: Plane
    hidden: Plane
    """k networks x (m + 1) x h: the last row is added."""
    out: Plane
    """k x (h + 1)."""

    def probability(self, features: Plane) -> Array:
        """Of a mark at each of n places (n x m)."""
        scaled = np.clip((features - self.middle) / self.spread, -FAR, FAR)
        inner = np.tanh(scaled @ self.hidden[:, :-1] + self.hidden[:, -1:])
        logits = (inner @ self.out[:, :-1, None])[..., 0] + self.out[:, -1:]
        # Where they were fitted they agree; where they do not, their mean is a doubt.
        likely = (1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0)))).mean(axis=0)
        return np.asarray(DOUBT + (1.0 - 2.0 * DOUBT) * likely, np.float64)


def judges_for(flat: FlatSheet) -> Mapping[MarkKind, Judge]:
    """The networks that judge this sheet: whether it was seen blank, is in focus and too bright decides."""
    if flat.too_bright:
        return _load(TOO_BRIGHT)
    return load_judges(after_blank=flat.blank is not None, out_of_focus=flat.out_of_focus)


def load_judges(*, after_blank: bool = False, out_of_focus: bool = False) -> Mapping[MarkKind, Judge]:
    """The networks that come with the program: those for sheets that were seen blank or for others, in pictures as
    sharp as most are or out of focus."""
    return _load((OUT_OF_FOCUS if out_of_focus else "") + (AFTER_BLANK if after_blank else ""))


@cache
def _load(sort: str) -> Mapping[MarkKind, Judge]:
    with np.load(BytesIO(files(__package__).joinpath(WEIGHTS.format(sort)).read_bytes())) as stored:
        judges: dict[MarkKind, Judge] = {
            kind: Judge(*(np.asarray(stored[f"{kind.value}.{part}"], np.float32) for part in Judge.__slots__))
            for kind in FITTED
        }
    return MappingProxyType({**judges, MarkKind.DIAGONAL: judges[MarkKind.LINE]})
