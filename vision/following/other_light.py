"""Pieces that lie where they lay, in light in which they cannot be read any more."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.following.blocks import Blocks
from vision.following.footprint import Footprint
from vision.following.read_before import lies_among
from vision.masks import Mask
from vision.motion import Small
from vision.pieces.overexposed import Overexposed, overexposed
from vision.pieces.reading import Reading
from vision.pieces.same_print import is_otherwise_lit, shows_the_same

MOST_COVERED = 0.5
"""A piece of which new ones cover so much does not lie there as it lay."""
MISFIT_MM = 15.0
"""But for one with its own face, no farther from it: where its print is in place, that is itself, not seen well."""


@dataclass(frozen=True, slots=True, eq=False)
class _Looked:
    """How a piece looked when it was read best."""

    reading: Reading
    at: Footprint
    before: Small


class OtherLight:
    """Remembers how pieces looked that may not be read any more, of one table."""

    def __init__(self) -> None:
        self._looked: list[_Looked] = []
        """Those that lie there."""
        self._before_anew: list[_Looked] = []
        self._unread: list[_Looked] = []
        """Those of them that could not be read, and lie there still."""

    def take(self, readings: Sequence[Reading], blocks: Blocks, now: Small) -> None:
        """These lie there, and look as the picture shows `now`."""
        known = {id(one.reading.pose): one for one in self._looked}
        looked = []
        for reading in readings:
            before = known.get(id(reading.pose)) or self._of(reading)
            if before is not None and (before.reading.cost <= reading.cost or not reading.settled):
                looked.append(before)
            elif reading.settled:
                at = blocks.footprint(reading)
                looked.append(_Looked(reading, at, now[at.part].copy()))
        self._looked = looked
        lie = set(map(id, looked))
        self._unread = [one for one in self._unread if id(one) in lie]

    def read_anew(self, before: "OtherLight") -> None:
        """Remember what was known before all was read anew, camera and mat being where they were."""
        self._before_anew = before._looked

    def still_there(
        self, lost: Sequence[Reading], new: Sequence[Reading], found: Sequence[Reading], blocks: Blocks, now: Small
    ) -> list[Reading]:
        """Which of those that are `lost` lie there still, as their places show `now` what they showed, otherwise lit.
        (Where the light is as it was, what is not found any more was a mistake.) `found` is what lies there plainly;
        `new` is what did not lie there before."""
        looked = [before for one in lost if (before := self._of(one)) is not None]
        looked += [one for one in self._before_anew if not lies_among(one.reading, found)]
        self._before_anew = []
        kept = []
        for one in looked:
            shown = _shown(one, now)
            mine = [it for it in new if lies_among(it, [one.reading], MISFIT_MM)] if shown is Overexposed.SAME else []
            others = blocks.covered([it for it in new if not any(it is some for some in mine)])
            if shown is not Overexposed.OTHER and not _is_covered(one.at, others):
                kept.append(one)
        self._unread += kept
        self._looked += kept
        return [one.reading for one in kept]

    def beside(self, blocks: Blocks) -> Mask:
        """255 in the blocks that such pieces lie on, or beside."""
        return blocks.covered([one.reading for one in self._unread]) if self._unread else blocks.nowhere

    def unseen(self, now: Small, blocks: Blocks) -> Mask:
        """255 in the blocks where pieces lay before so much light fell on them that nothing is seen of them."""
        where = blocks.nowhere.copy()
        for one in self._unread:
            if overexposed(one.before, now[one.at.part], one.at.inside) is Overexposed.UNSEEN:
                where[one.at.part] |= one.at.inside
        return where

    def _of(self, reading: Reading) -> _Looked | None:
        return next((one for one in self._looked if lies_among(reading, [one.reading])), None)


def _shown(one: _Looked, now: Small) -> Overexposed:
    """Whether the place of a piece shows what it showed, in other light."""
    there, inside = now[one.at.part], one.at.inside
    if not is_otherwise_lit(one.before, there, inside):
        return Overexposed.OTHER
    if shows_the_same(one.before, there, inside):
        return Overexposed.SAME
    return overexposed(one.before, there, inside) or Overexposed.OTHER


def _is_covered(at: Footprint, covered: Mask) -> bool:
    return int(np.count_nonzero(at.inside & covered[at.part])) > MOST_COVERED * at.count
