"""Pieces that lie where they lay, in light in which they cannot be read any more."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.following.blocks import Blocks
from vision.following.footprint import Footprint
from vision.following.read_before import lies_among
from vision.masks import Mask
from vision.motion import Small
from vision.pieces.overexposed import Overexposed, overexposed, undisturbed
from vision.pieces.reading import Reading
from vision.pieces.same_print import is_otherwise_lit, shows_the_same
from vision.shapes import angle_between

Floats = NDArray[np.float32]

MOST_COVERED = 0.5
"""A piece of which new ones cover so much does not lie there as it lay; but one with its own face, where its print is
in place, is itself, not seen well."""

SAME_WAY_DEG = 20.0
"""Slices of one face may lie around the same point; such that are turned by less than this are one."""


@dataclass(frozen=True, slots=True, eq=False)
class _Looked:
    """How a piece looked when it was read best."""

    reading: Reading
    at: Footprint
    before: Small
    lately: Small | None = None
    """How it looked the last time in other light."""


class OtherLight:
    """Remembers how pieces looked that may not be read any more, of one table."""

    def __init__(self) -> None:
        self._looked: list[_Looked] = []
        """Those that lie there."""
        self._before_anew: list[_Looked] = []
        self._unread: list[_Looked] = []
        """Those of them that could not be read, and lie there still."""
        self._unseen: list[_Looked] = []
        """Those that may lie where too little is seen to tell."""

    def take(self, readings: Sequence[Reading], blocks: Blocks, now: Small) -> None:
        """These lie there, and look as the picture shows `now`."""
        known = {id(one.reading.pose): one for one in self._looked}
        looked = []
        for reading in readings:
            before = known.get(id(reading.pose))
            if before is None and (before := self._of(reading)) is not None:
                there = now[before.at.part]
                other = is_otherwise_lit(before.before, there, before.at.inside)
                before = replace(before, lately=there.copy() if other else None)
            if before is not None and (before.reading.cost <= reading.cost or not reading.settled):
                looked.append(before)
            elif reading.settled:
                at = blocks.footprint(reading)
                looked.append(_Looked(reading, at, now[at.part].copy()))
        self._looked = looked
        lie = {id(one.reading) for one in looked}
        self._unread = [one for one in self._unread if id(one.reading) in lie]

    def read_anew(self, before: "OtherLight", there: Blocks, here: Blocks) -> None:
        """Remember what was known before all was read anew, where the camera hung as blocks lay `there`, and hangs as
        they lie `here`."""
        where = here.among(there)
        lay = (one for one in (*before._looked, *before._unseen) if here.footprint(one.reading).count)
        self._before_anew = [_seen_from(one, where, here) for one in lay]

    def still_there(
        self, lost: Sequence[Reading], new: Sequence[Reading], found: Sequence[Reading], blocks: Blocks, now: Small
    ) -> list[Reading]:
        """Which of those that are `lost` lie there still, as their places show `now` what they showed, otherwise lit.
        (Where the light is as it was, what is not found any more was a mistake.) `found` is what lies there plainly;
        `new` is what did not lie there before. Those that may lie there `unseen` are not among them."""
        looked = [before for one in lost if (before := self._of(one)) is not None]
        looked += [one for one in (*self._before_anew, *self._unseen) if not lies_among(one.reading, found)]
        self._before_anew, self._unseen = [], []
        kept: list[_Looked] = []
        for one in looked:
            shown = _shown(one, now)
            others = [it for it in new if shown is not Overexposed.SAME or not is_seen_as(it, one.reading, blocks)]
            if shown is not Overexposed.OTHER and not _is_covered(one.at, blocks.covered(others)):
                (kept if shown is Overexposed.SAME else self._unseen).append(one)
        lie = {id(one.reading) for one in kept}
        kept = [replace(one, lately=now[one.at.part].copy()) for one in kept]
        self._unread = [*(one for one in self._unread if id(one.reading) not in lie), *kept]
        self._looked = [*(one for one in self._looked if id(one.reading) not in lie), *kept]
        return [one.reading for one in kept]

    def beside(self, blocks: Blocks) -> Mask:
        """255 in the blocks that such pieces lie on, or beside."""
        return blocks.covered([one.reading for one in self._unread]) if self._unread else blocks.nowhere

    def unseen(self, blocks: Blocks) -> Mask:
        """255 in the blocks where pieces lay before so much light fell on them that too little is seen to tell."""
        return blocks.under([one.reading for one in self._unseen])

    def _of(self, reading: Reading) -> _Looked | None:
        there = (one for one in self._looked if lies_among(reading, [one.reading]))
        return next(
            (one for one in there if abs(angle_between(one.reading.pose[2], reading.pose[2])) < SAME_WAY_DEG), None
        )


def is_seen_as(found: Reading, known: Reading, blocks: Blocks) -> bool:
    """Whether what was found is what is known, seen well or not: its face, over most of it."""
    alike = found.kind is known.kind and found.face == known.face
    return alike and _is_covered(blocks.footprint(known), blocks.under([found]))


def _shown(one: _Looked, now: Small) -> Overexposed:
    """Whether the place of a piece shows what it showed, in other light. Where most of it is cut off some pieces look
    much like others: what was touched since this light falls there may be another."""
    there, inside = now[one.at.part], one.at.inside
    if not is_otherwise_lit(one.before, there, inside):
        return Overexposed.OTHER
    if shows_the_same(one.before, there, inside):
        return Overexposed.SAME
    shown = overexposed(one.before, there, inside) or Overexposed.OTHER
    if shown is Overexposed.SAME and one.lately is not None and not undisturbed(one.lately, there, inside):
        return Overexposed.UNSEEN
    return shown


def _seen_from(one: _Looked, where: Floats, blocks: Blocks) -> _Looked:
    """How a piece looked, in blocks that lie otherwise over the table: what is in each was `where` (column, row)."""
    at, (rows, columns) = blocks.footprint(one.reading), one.at.part
    within = where[at.part] - np.array([columns.start, rows.start], np.float32)
    column, row = cv2.split(within)
    before = cv2.remap(one.before, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return replace(one, at=at, before=np.asarray(before, np.float32), lately=None)


def _is_covered(at: Footprint, covered: Mask) -> bool:
    return int(np.count_nonzero(at.inside & covered[at.part])) > MOST_COVERED * at.count
