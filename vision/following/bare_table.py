"""How the table looks where nothing lies on it, and the hands and things that look otherwise."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.following.blocks import Blocks
from vision.hiding.plain_table import colours_of, share_of_rare
from vision.light.cast_shadow import is_other_light
from vision.masks import Mask
from vision.motion import Small, differences, differs

UNLIKE_BARE = 16.0
"""Levels (of 255): hands and sleeves differ so much from the bare table; shadows and dusk hardly do."""
AS_BARE = 8.0
"""Levels by which the bare table, with noise and a shadow's rim, looks otherwise at most."""
GONE_STEPS = 1.5
"""A hand has gone where its outline stood out so many times as much before as now."""
RARER = 0.25
"""A hand has gone where such a share more of the colours there was rare before."""
LEAST_REACHING = 40
"""Blocks of a part that may be a hand: about ten square centimetres."""
_NEAR = np.ones((3, 3), np.uint8)


class BareTable:
    """What was seen of the bare table, in the small picture's blocks."""

    def __init__(self, small: Small, blocks: Blocks) -> None:
        """Nothing is known of it; `small` is the first picture."""
        self._blocks = blocks
        self._bare = small.copy()
        self._known = np.zeros_like(blocks.nowhere)
        self._first = small.copy()

    def laid_over(self, blocks: Blocks) -> "BareTable":
        """The same, with the same memory, where the blocks are laid over the table anew."""
        other = BareTable(self._bare, blocks)
        other._bare, other._known, other._first = self._bare, self._known, self._first
        return other

    @property
    def looks(self) -> Small:
        """How it looks where nothing lies, where that is `known`."""
        return self._bare

    @property
    def known(self) -> Mask:
        """255 in the blocks of it that were seen."""
        return self._known

    @property
    def looked_first(self) -> Small:
        """How each block looked when it was bare first: nothing that came since then has been taken for the table."""
        return self._first

    def as_bare(self, small: Small) -> Mask:
        """Blocks that look as they did when bare."""
        alike = (differences(small, self._bare) < AS_BARE) & (self._known > 0)
        return np.where(alike, np.uint8(255), np.uint8(0))

    def remember(self, small: Small, covered: Mask, hidden: Mask, arm: bool) -> None:
        """Learn how the table looks where nothing lies: neither pieces (`covered`) nor what is `hidden`; and nothing
        beyond the table's map where an `arm` may go on."""
        bare = (covered == 0) & (cv2.dilate(hidden, np.ones((5, 5), np.uint8)) == 0)
        if arm:
            bare &= ~self._blocks.beyond
        cv2.copyTo(small, bare.view(np.uint8) & ~self._known, self._first)
        cv2.copyTo(small, bare.view(np.uint8), self._bare)
        self._known[bare] = 255

    def strange(self, small: Small, covered: Mask, noise: float) -> Mask:
        """Blocks that neither look as they did when bare nor lie under pieces."""
        different = differs(small, self._bare, known=noise)
        different[(self._known == 0) | (covered > 0)] = 0
        return np.asarray(cv2.morphologyEx(different, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)

    def reaching_in(self, small: Small, changed: Mask, covered: Mask, by_form: NDArray[np.bool_]) -> Mask:
        """Blocks that look quite otherwise than the bare table (where that was never seen: that `changed`), where no
        piece lies (`covered`, or found `by_form`), in parts that reach the picture's edge: hands beside the mat, too,
        where one picture would not tell.

        A shadow that falls there, or goes, is none (see `vision.light.cast_shadow`).
        A hand that lay there since the first picture was taken for the bare table: where that had the outline of a hand
        and the table has none now, the hand has gone.
        """
        unlike = differences(small, self._bare) > UNLIKE_BARE
        different = np.where(self._known > 0, unlike, changed > 0)
        different &= (covered == 0) & ~by_form
        parts = cv2.morphologyEx(different.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        _, labels, stats, _ = cv2.connectedComponentsWithStats(parts, connectivity=8)
        edge = np.concatenate([labels[:2].ravel(), labels[-2:].ravel(), labels[:, :2].ravel(), labels[:, -2:].ravel()])
        large = np.flatnonzero(stats[:, cv2.CC_STAT_AREA] >= LEAST_REACHING)
        reaching = np.intersect1d(edge[edge > 0], large)
        if not len(reaching):
            return np.zeros_like(covered)
        rest = ~different & (covered == 0)
        gone = (i for i in reaching if not self.has_gone(small, labels == i, covered))
        hands = [i for i in gone if not self._is_lit(small, labels == i, rest)]
        return np.where(np.isin(labels, hands) & (labels > 0), np.uint8(255), np.uint8(0))

    def has_gone(self, small: Small, part: NDArray[np.bool_], covered: Mask) -> bool:
        """Whether what differs from the bare table is the table, and what was taken for that was something on it: its
        outline showed then and does not show now, or its colours were rarer on the rest of the table than those now
        are. On cloth with a strong pattern outlines alone say nothing."""
        if not self._known[part].all():
            return False
        rest = ~(part | (covered > 0) | self._blocks.beyond) & (self._known > 0)
        before, after = (share_of_rare(colours_of(one), rest, part) for one in (self._bare, small))
        if before is not None and after is not None:
            if before > after + RARER:
                return True
            if after > before:
                return False
        inside = part.astype(np.uint8)
        outline = cv2.dilate(inside, _NEAR) - cv2.erode(inside, _NEAR, borderValue=1)
        outline[cv2.dilate(covered, _NEAR) > 0] = 0
        then, now = (float(_steps(one)[outline > 0].mean()) if outline.any() else 0.0 for one in (self._bare, small))
        return then > GONE_STEPS * now

    def _is_lit(self, small: Small, part: NDArray[np.bool_], rest: NDArray[np.bool_]) -> bool:
        """Whether what differs from the bare table is the table in other light: a shadow has come or gone."""
        known = self._known > 0
        return bool(known[part].all()) and is_other_light(self._bare, small, part, rest & known)


def _steps(small: Small) -> NDArray[np.float32]:
    """By how many levels (of 255) the brightest change around each block goes."""
    across = [cv2.Sobel(small, cv2.CV_32F, dx, dy, scale=1 / 8) for dx, dy in ((1, 0), (0, 1))]
    return np.asarray(np.hypot(*across).max(-1), np.float32)
