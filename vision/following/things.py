"""What lies there that is neither table nor piece, by how table and pieces looked before it came.

A shadow makes the table darker by one measure, in each colour about alike; a thing has colours, rims and shading of its
own. What looks so much like a shadow is not told here.
"""

from collections.abc import Sequence

import cv2
import numpy as np

from vision.following.bare_table import BareTable
from vision.following.blocks import Blocks
from vision.following.read_before import lies_among
from vision.masks import Mask, part_around
from vision.motion import Small, differences
from vision.pieces.reading import Reading
from vision.short_axes import middle_row, total

UNLIKE = 24.0
"""Levels (of 255) by which a thing differs from what was there: more than most shadows and lamps do."""
TINTED, TINT = 0.2, 0.1
"""Light that changes by some share changes by this share of it more in one colour, and by so much (logarithms), two
lamps of two colours beside each other."""
DEEP = 1.1
"""Light that is not a third of what it was, or more than three times that, is taken for something else (logarithm)."""
STANDS_OUT, AROUND = 0.12, 5
"""Light within a shadow changes by less beside its mean over so many blocks, but for its rim."""
LEAST_BLOCKS = 8
"""What covers less than two square centimetres of what was known is none of those things."""
AS_BEFORE = 8.0
"""Levels by which what still shows the same may differ."""
LEAST_SHOWN = 0.15
"""A piece of which so much shows what it showed lies there still."""
FLOOR = 3.0
"""Levels that are added before brightness is compared, as noise is no light."""
_PAIR, _NEAR, _GAP, _AROUND = (np.ones((side, side), np.uint8) for side in (2, 3, 5, 11))


class Things:
    """Things that came after the first picture, in the small picture's blocks."""

    def __init__(self, small: Small, blocks: Blocks) -> None:
        """Nothing is known yet of how pieces look; `small` is the first picture."""
        self._pieces = small.copy()
        """How blocks under pieces looked when nothing lay on them."""
        self._first = small.copy()
        """The same, when the piece was seen first: nothing that came since then has been taken for a part of it."""
        self._seen = blocks.nowhere
        """Those of which this is known."""
        self._under: list[Reading] = []
        """Pieces that cannot be read for what lies on them."""
        self._lie: Mask = blocks.nowhere

    def look(
        self,
        blocks: Blocks,
        bare: BareTable,
        small: Small,
        before: Sequence[Reading],
        readings: Sequence[Reading],
        elsewhere: Mask,
    ) -> Mask:
        """Blocks of things in a picture, where `before` these pieces were read and now `readings` are; not where
        something moves, or pieces without faces lie (`elsewhere`)."""
        kept = set(map(id, readings)) & set(map(id, before))
        gone = [
            one
            for one in (*before, *self._under)
            if id(one) not in kept and one.settled and not lies_among(one, readings)
        ]
        come = blocks.under([one for one in readings if id(one) not in kept and not lies_among(one, before)])
        lost, stay = blocks.covered(gone), blocks.covered(readings)
        of_pieces = self._seen & (stay | lost)
        known = (of_pieces | (bare.known & ~stay)) & ~(come | elsewhere)
        was = _laid_over(self._pieces, of_pieces, bare.looks)
        apart = differences(small, was)
        unlike = np.where(apart > UNLIKE, known, np.uint8(0))
        sure = known & ~lost
        for one in gone:
            at = blocks.footprint(one)
            if self._shows(one, np.where(apart < AS_BEFORE, known, np.uint8(0))[at.part] & at.inside, blocks, bare):
                sure[at.part] |= at.inside & known[at.part]
        self._lie, self._under = blocks.nowhere, []
        if np.count_nonzero(unlike & sure) >= LEAST_BLOCKS:
            first = _laid_over(self._first, of_pieces, bare.looked_first)
            unlike[differences(small, first) <= UNLIKE] = 0
            self._lie = self._parts(_joined(was, small, unlike, known & ~unlike), sure, bare, small, stay)
            self._under = [one for one in gone if blocks.meets(self._lie, one)]
        self._seen = self._seen & ~come
        self._learn(small, stay & ~(self._lie | elsewhere))
        return self._lie

    def looked_first(self, blocks: Blocks, bare: BareTable, readings: Sequence[Reading]) -> tuple[Small, Mask]:
        """How the blocks looked when what lies there now, these `readings` among it, was seen first, and where that is
        known (255)."""
        stay = blocks.covered(readings)
        of_pieces = self._seen & (stay | blocks.covered(self._under))
        return _laid_over(self._first, of_pieces, bare.looked_first), of_pieces | (bare.known & ~stay)

    def _shows(self, piece: Reading, as_before: Mask, blocks: Blocks, bare: BareTable) -> bool:
        """Whether part of a piece shows what it showed, of its footprint what looks `as_before`, and no table."""
        at = blocks.footprint(piece)
        if np.count_nonzero(as_before) < LEAST_SHOWN * max(at.count, 1):
            return False
        part = part_around(blocks.under([piece]), len(_AROUND))
        around = np.asarray(cv2.dilate(blocks.under([piece])[part], _AROUND), np.uint8) & bare.known[part]
        if not around.any():
            return False
        table = middle_row(bare.looks[part][around > 0])
        unlike = np.abs(self._pieces[at.part] - table).max(-1) > UNLIKE
        return bool(np.count_nonzero(unlike & (as_before > 0)) >= LEAST_SHOWN * max(at.count, 1))

    def _learn(self, small: Small, plain: Mask) -> None:
        """How pieces look on which nothing lies."""
        cv2.copyTo(small, plain & ~self._seen, self._first)
        cv2.copyTo(small, plain, self._pieces)
        self._seen = self._seen | plain

    @staticmethod
    def _parts(parts: Mask, sure: Mask, bare: BareTable, small: Small, covered: Mask) -> Mask:
        """Those parts that are large enough where it is `sure` what was there, without holes; none that lay there since
        the first picture and were taken away."""
        count, labels = cv2.connectedComponents(parts, connectivity=8)
        large = np.bincount(labels[(sure & parts) > 0], minlength=count) >= LEAST_BLOCKS
        found = np.zeros_like(parts)
        for i in np.flatnonzero(large[1:]) + 1:
            part = labels == i
            if bare.has_gone(small, part & (bare.known > 0), covered):
                continue
            outlines, _ = cv2.findContours(part.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
            cv2.drawContours(found, outlines, -1, 255, -1)
        return found


def _laid_over(pieces: Small, where: Mask, table: Small) -> Small:
    return np.asarray(cv2.copyTo(pieces, where, table.copy()), np.float32)


def _joined(was: Small, now: Small, unlike: Mask, rest: Mask) -> Mask:
    """Parts of what looks `unlike` before by more than its light, with what is brighter beside it: no shadow of a thing
    is. `rest` is what looks as it did."""
    part = part_around(unlike, len(_GAP))
    found = np.zeros_like(unlike)
    if not unlike[part].size:
        return found
    changed = np.log(now[part] + np.float32(FLOOR)) - np.log(was[part] + np.float32(FLOOR))
    some = (rest > 0)[::3, ::3]
    if some.any():
        light = np.log(now[::3, ::3][some] + np.float32(FLOOR)) - np.log(was[::3, ::3][some] + np.float32(FLOOR))
        changed -= np.median(np.ascontiguousarray(light.T), axis=1)
    inside, light = unlike[part], total(changed) / np.float32(3)
    off = np.abs(changed - light[..., None])
    tinted = np.maximum(np.maximum(off[..., 0], off[..., 1]), off[..., 2]) > TINT + TINTED * np.abs(light)
    weight, size = (inside > 0).astype(np.float32), (AROUND, AROUND)
    around = cv2.blur(light * weight, size) / np.maximum(cv2.blur(weight, size), np.float32(1e-3))
    stands_out = (cv2.erode(inside, _NEAR) > 0) & (np.abs(light - around) > STANDS_OUT)
    things = np.where(tinted | (np.abs(light) > DEEP) | stands_out, inside, np.uint8(0))
    opened = cv2.morphologyEx(things, cv2.MORPH_OPEN, _PAIR)
    parts = np.asarray(cv2.morphologyEx(opened, cv2.MORPH_CLOSE, _GAP), np.uint8) & inside
    brighter = np.where(light > 0, inside, np.uint8(0))
    count, labels = cv2.connectedComponents(parts | brighter, connectivity=8)
    grows = np.bincount(labels[parts > 0], minlength=count) > 0
    found[part] = parts | np.where(grows[labels], brighter, np.uint8(0))
    return found
