"""How the table looks where nothing lies on it, and the hands and things that look otherwise."""

import math
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.following.blocks import Blocks
from vision.hiding.cells import square
from vision.hiding.plain_table import colours_of, share_of_rare
from vision.light.cast_shadow import is_other_light
from vision.masks import Mask
from vision.mat.markers import MAT_HALF_MM
from vision.motion import Small, beyond_noise, differences

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
BESIDE = tuple((x, y) for y in (0.0, -0.7, 0.7) for x in (0.0, -0.7, 0.7))
"""So far beside (blocks) what lay in one block may be found when the camera was knocked: the mat tells how it hangs
then, and beyond the mat that is less exact. The first one is its place."""
STILL_THERE, IN_PLACE = 0.5, 0.02
"""Of what is known beyond the mat so large a share must look as it did, for the camera to have moved; if that share is
so much larger where it lay in the picture, the camera hangs as it did, and the mat was pushed."""
ANOTHER_LOOK = 8.0
"""Levels by which a block has to look otherwise for the rest to be compared again."""
_NEAR = np.ones((3, 3), np.uint8)


class BareTable:
    """What was seen of the bare table, in the small picture's blocks."""

    def __init__(self, small: Small, blocks: Blocks) -> None:
        """Nothing is known of it; `small` is the first picture."""
        self._blocks = blocks
        self._bare = small.copy()
        self._known = np.zeros_like(blocks.nowhere)
        self._first = small.copy()
        self._carried = np.zeros_like(blocks.nowhere)
        """Blocks that are known from before the camera was knocked, and were not seen bare since,"""
        self._looked: tuple[Small, ...] = ()
        """how they may look now,"""
        self._compared: Small | None = None
        """and the picture that was compared with that last."""
        self._new = np.zeros_like(blocks.nowhere)
        """Blocks that were not seen bare before that knock, most of them as they lay beyond the picture's edge,"""
        self._reach = _NEAR
        """and by how much what is seen beside them is dilated to reach all over them."""
        self._apart: tuple[Small, Small] | None = None
        """By how much the picture that was compared last differs from what is known now."""

    def laid_over(self, blocks: Blocks) -> "BareTable":
        """The same, with the same memory, where the blocks are laid over the table anew."""
        other = BareTable(self._bare, blocks)
        other._bare, other._known, other._first = self._bare, self._known, self._first
        other._carried, other._looked, other._new = self._carried, self._looked, self._new
        other._reach = self._reach
        return other

    def carried_over(self, small: Small, blocks: Blocks, lay: Mask) -> "BareTable":
        """What is known of it still when the camera hangs otherwise: `small` is the first picture from there, over
        which `blocks` are laid. So a hand that lies there just then is not taken for the table.

        Nothing is known where pieces `lay`, as they may lie otherwise; nor anywhere if the mat was pushed, or all looks
        otherwise.
        """
        other = BareTable(small, blocks)
        there = blocks.among(self._blocks)
        height, width = self._known.shape
        beyond = (there < 0).any(-1) | (there[..., 0] > width - 1) | (there[..., 1] > height - 1)
        new = beyond | (_moved(self._known, there) < 255)
        known = (lay == 0) & ~new
        looked = tuple(_moved(self._bare, there + np.array(beside, np.float32)) for beside in BESIDE)
        beyond_mat = blocks.polygons([square(0.0, 0.0, MAT_HALF_MM)]) == 0
        apart = _apart_from(looked, small)
        still = (apart < UNLIKE_BARE)[known & beyond_mat]
        in_place = (differences(small, self._bare) < UNLIKE_BARE)[(self._known > 0) & (lay == 0) & beyond_mat]
        if not still.size or still.mean() < max(STILL_THERE, (in_place.mean() if in_place.size else 0.0) - IN_PLACE):
            return other
        other._bare, other._first, other._looked = looked[0], _moved(self._first, there), looked
        other._known, other._new = (np.where(some, np.uint8(255), np.uint8(0)) for some in (known, new & (lay == 0)))
        other._carried = other._known.copy()
        far = math.ceil(float(cv2.distanceTransform(other._new, cv2.DIST_C, 3).max()))
        other._reach = np.ones((2 * far + 1, 2 * far + 1), np.uint8)
        other._see_again(small, apart)
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
        alike = (self._differences(small) < AS_BARE) & (self._known > 0)
        return np.where(alike, np.uint8(255), np.uint8(0))

    def remember(self, small: Small, covered: Mask, hidden: Mask, arm: bool) -> None:
        """Learn how the table looks where nothing lies: neither pieces (`covered`) nor what is `hidden`; and nothing
        beyond the table's map where an `arm` may go on."""
        bare = (covered == 0) & (cv2.dilate(hidden, np.ones((5, 5), np.uint8)) == 0)
        if arm:
            bare &= ~self._blocks.beyond & (self._new == 0)
        cv2.copyTo(small, bare.view(np.uint8) & ~self._known, self._first)
        cv2.copyTo(small, bare.view(np.uint8), self._bare)
        self._apart = None
        self._known[bare] = 255
        self._carried[bare], self._new[bare] = 0, 0

    def _see_again(self, small: Small, apart: Small) -> None:
        """What was carried over lies bare, and how it looks now is known; but not parts as large as a hand that look
        otherwise (by how much each block does is `apart`), and what is right beside them."""
        unlike = np.where(apart > UNLIKE_BARE, self._carried, np.uint8(0))
        opened = cv2.morphologyEx(unlike, cv2.MORPH_OPEN, _NEAR)
        _, labels, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=8)
        large = stats[:, cv2.CC_STAT_AREA] >= LEAST_REACHING
        parts = cv2.dilate((large[labels] & (labels > 0)).astype(np.uint8), np.ones((5, 5), np.uint8))
        again = np.where(parts > 0, np.uint8(0), self._carried)
        cv2.copyTo(small, again, self._bare)
        self._apart = None
        cv2.copyTo(small, again, self._first)
        self._carried &= ~again

    def _looks_otherwise_now(self, small: Small) -> bool:
        """Whether what was carried over and not seen bare since looks otherwise than when it was compared last."""
        carried = self._carried > 0
        if not carried.any():
            return False
        before = self._compared
        if before is not None and np.abs(small[carried] - before[carried]).max() < ANOTHER_LOOK:
            return False
        self._compared = small.copy()
        return True

    def _differences(self, small: Small) -> Small:
        """By how many levels (of 255) each block differs from the bare table, worked out once of a picture."""
        if self._apart is None or self._apart[0] is not small:
            self._apart = small, differences(small, self._bare)
        return self._apart[1]

    def strange(self, small: Small, covered: Mask, noise: float) -> Mask:
        """Blocks that neither look as they did when bare nor lie under pieces."""
        different = beyond_noise(self._differences(small), known=noise)
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
        if self._looks_otherwise_now(small):
            self._see_again(small, _apart_from(self._looked, small))
        unlike = self._differences(small) > UNLIKE_BARE
        different = np.where(self._known > 0, unlike, changed > 0)
        different &= (covered == 0) & ~by_form & (self._new == 0)
        parts = cv2.morphologyEx(different.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        _, labels, stats, _ = cv2.connectedComponentsWithStats(parts, connectivity=8)
        edge = cv2.dilate(self._new, np.ones((5, 5), np.uint8))
        edge[:2], edge[-2:], edge[:, :2], edge[:, -2:] = 255, 255, 255, 255
        at_edge = labels[edge > 0]
        large = np.flatnonzero(stats[:, cv2.CC_STAT_AREA] >= LEAST_REACHING)
        reaching = np.intersect1d(at_edge[at_edge > 0], large)
        if not len(reaching):
            return np.zeros_like(covered)
        rest = ~different & (covered == 0)
        gone = (i for i in reaching if not self.has_gone(small, labels == i, covered))
        hands = [i for i in gone if not self._is_lit(small, labels == i, rest)]
        found = np.where(np.isin(labels, hands) & (labels > 0), np.uint8(255), np.uint8(0))
        if found.any() and self._new.any():
            found |= np.asarray(cv2.dilate(found, self._reach), np.uint8) & self._new
        return found

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


def _moved(picture: NDArray[Any], there: NDArray[np.float32]) -> NDArray[Any]:
    """A picture (rows x columns) with what it showed `there` (column, row); beyond it, what its rim shows."""
    column, row = cv2.split(there)
    return np.asarray(cv2.remap(picture, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


def _apart_from(looked: Sequence[Small], small: Small) -> Small:
    """By how many levels (of 255) each block differs from what it is likest to of how it may look."""
    return np.asarray(np.minimum.reduce([differences(small, one) for one in looked]), np.float32)


def _steps(small: Small) -> NDArray[np.float32]:
    """By how many levels (of 255) the brightest change around each block goes."""
    across = [cv2.Sobel(small, cv2.CV_32F, dx, dy, scale=1 / 8) for dx, dy in ((1, 0), (0, 1))]
    return np.asarray(np.hypot(*across).max(-1), np.float32)
