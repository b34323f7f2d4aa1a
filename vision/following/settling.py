"""What moves where on the table, what has come to rest, and what is different since.

Each part of the table comes to rest by itself: a hand at one end holds nothing up at the other. How much a part must
differ to count as moving adapts to how it flickers: a candle, a screen beside the table, leaves before a window.
"""

import math
from collections.abc import Callable, Sequence

import cv2
import numpy as np

from vision.motion import (
    LEAST_DIFFERENCE,
    OTHER_LIGHT,
    Blocks,
    Mask,
    Small,
    beyond_noise,
    differences,
    least_noticed,
    usual_noise,
)
from vision.scene import Change, PieceKind, Scene, Settled, Sighting

RECENT_S = 0.4
"""What moved so lately belongs to what moves beside it: a hand stops and goes."""
APART_BLOCKS = 3
"""Changes less than twice so far from each other belong together, a hand and its shadow, a piece and the hand on it."""
FLICKER_RISE_S = 3.0
FLICKER_FALL_S = 1.0
FLICKER_TIMES = 2.5
MOST_TOLERATED = 12.0
"""Levels (of 255): a hand or a piece differs from the table by more than flickering light does."""
TOGETHER_S = 1.5
"""Changes noticed so shortly one after the other are one change: what one look missed another sees."""
MOVED_MM = 1.0
MOVED_DEG = 1.5
MARKED_BY = 0.6
"""A place of a sheet that is so much likelier marked, or less likely, was written on."""
UNSURE_LASTS = 0.9
"""How unsure blocks were when they were seen last counts so much from picture to picture, as they are compared."""
_JOIN = np.ones((2 * APART_BLOCKS + 1, 2 * APART_BLOCKS + 1), np.uint8)


class Motion:
    """Follows small pictures of one view: where something moves now, and where everything has come to rest."""

    def __init__(self, small: Small, time_s: float) -> None:
        self._last = small
        self._last_s = time_s
        self._moved_s = np.full(small.shape[:2], time_s)
        self._flicker = np.zeros(small.shape[:2], np.float32)
        self._noise = 0.0
        self._least = LEAST_DIFFERENCE
        self._whole_s = time_s
        self._unsure: Small | None = None

    def follow(self, small: Small, time_s: float, unsure: Small | None = None, quieter: Blocks | None = None) -> Mask:
        """255 in the blocks that moved since the picture before. Where a picture's blocks are not known exactly, they
        are `unsure` by so many levels; those that are `quieter` show less noise than the camera has."""
        difference = differences(small, self._last)
        middle = usual_noise(difference, quieter)
        self._keep_unsure(unsure)
        moving = beyond_noise(difference, self.tolerance, self.noise, middle)
        if not moving.any():
            self._least = least_noticed(difference, self.noise, middle)
        self._learn_flicker(difference, middle, max(time_s - self._last_s, 0.0))
        self._moved_s[moving > 0] = time_s
        self._last, self._last_s = small, time_s
        return moving

    @property
    def last(self) -> Small:
        """The newest picture."""
        return self._last

    @property
    def tolerance(self) -> Small:
        """By how many levels each block may differ without anything having changed, because its light is not steady, or
        it is not known exactly how it looks."""
        tolerance = np.asarray(np.minimum(FLICKER_TIMES * self._flicker, MOST_TOLERATED), np.float32)
        return tolerance if self._unsure is None else np.maximum(tolerance, self._least) + self._unsure

    @property
    def noise(self) -> float:
        """By how many levels half of the blocks differ at most while nothing changes, by the pictures of the last
        seconds: a camera in the dark shows more noise than it does in the day."""
        return max(OTHER_LIGHT, self._noise)

    @property
    def least_noticed(self) -> float:
        """By how many levels a block had to differ to count as moving when nothing moved last."""
        return self._least

    def busy(self, moving: Mask, changed: Mask) -> Mask:
        """255 in every part of the table in which something moves: changes that touch each other, and what moved there
        a moment ago."""
        if not moving.any():
            return moving
        active = moving | changed
        active[self._moved_s > self._last_s - RECENT_S] = 255
        joined = np.asarray(cv2.dilate(active, _JOIN), np.uint8)
        _, labels = cv2.connectedComponents(joined, connectivity=8)
        parts = np.unique(labels[moving > 0])
        return np.where(np.isin(labels, parts), np.uint8(255), np.uint8(0))

    def disturb(self, where: Mask | None = None) -> None:
        """Something is different there (everywhere) than it was thought to be: rest begins anew."""
        if where is None:
            self._whole_s = self._last_s
        else:
            self._moved_s[where > 0] = self._last_s

    def at_rest_s(self, but: Mask | None = None) -> float:
        """For how long nothing has moved, but for what moved in these blocks."""
        moved_s = self._moved_s if but is None else self._moved_s[but == 0]
        since_s = max(float(moved_s.max(initial=-math.inf)), self._whole_s)
        return max(self._last_s - since_s, 0.0)

    def _keep_unsure(self, unsure: Small | None) -> None:
        if self._unsure is None or unsure is None:
            lately = unsure if self._unsure is None else self._unsure * np.float32(UNSURE_LASTS)
        else:
            lately = np.maximum(unsure, self._unsure * np.float32(UNSURE_LASTS))
        self._unsure = None if lately is None or lately.max() < LEAST_DIFFERENCE else lately

    def _learn_flicker(self, difference: Small, middle: float, passed_s: float) -> None:
        rises = np.float32(1.0 - math.exp(-passed_s / FLICKER_RISE_S))
        falls = np.float32(1.0 - math.exp(-passed_s / FLICKER_FALL_S))
        step = np.minimum(difference, np.float32(MOST_TOLERATED)) - self._flicker
        self._flicker += np.where(step > 0, rises, falls) * step
        more = min(middle, MOST_TOLERATED) - self._noise
        self._noise += float(rises if more > 0 else falls) * more


class LastRest:
    """Remembers how everything lay when its own part of the table was last at rest."""

    def __init__(self) -> None:
        self._sightings: tuple[Sighting, ...] | None = None
        self._before: tuple[Sighting, ...] = ()
        self._changes: tuple[Change, ...] = ()
        self._noticed_s = -math.inf

    def take(
        self, seen: tuple[Sighting, ...], unsettled: Callable[[Sighting], bool] | None, rest_s: float, time_s: float
    ) -> Settled:
        """What is seen now; of what lies in a part that is not at rest (None: all is) what was known before stays."""
        known = seen if self._sightings is None else self._sightings
        if unsettled is None:
            now = seen
        else:
            kept = [sighting for sighting in known if unsettled(sighting)]
            now = (*(sighting for sighting in seen if not unsettled(sighting)), *kept)
        if now != known and not same(known, now):
            if time_s - self._noticed_s > TOGETHER_S:
                self._before = known
            self._noticed_s = time_s
            self._changes = changes(self._before, now)
        self._sightings = now
        return Settled(now, rest_s, self._changes)


def remembered(scene: Scene) -> tuple[Sighting, ...]:
    """What is not seen in this picture, because something moves there, as it lay before."""
    if scene.settled is None:
        return ()
    seen = {id(sighting) for sighting in scene.sightings}
    return tuple(s for s in scene.settled.sightings if id(s) not in seen and not _has(scene.sightings, s))


def same(before: Sequence[Sighting], after: Sequence[Sighting]) -> bool:
    """Whether no piece came, went, turned, or lies elsewhere."""
    return len(before) == len(after) and not any(unmatched(before, after))


def changes(before: Sequence[Sighting], after: Sequence[Sighting]) -> tuple[Change, ...]:
    """What is different: a piece that lay elsewhere is paired with where it lies now, the nearest of its face first."""
    if before == after:
        return ()
    gone, come = unmatched(before, after)
    pairs = sorted(
        ((_distance_mm(a, b), i, j) for i, a in enumerate(gone) for j, b in enumerate(come) if _alike(a, b)),
        key=lambda pair: pair[0],
    )
    moved: dict[int, int] = {}
    for _, i, j in pairs:
        if i not in moved and j not in moved.values():
            moved[i] = j
    alone = [Change(a, None) for i, a in enumerate(gone) if i not in moved]
    new = [Change(None, b) for j, b in enumerate(come) if j not in moved.values()]
    return (*(Change(gone[i], come[j]) for i, j in moved.items()), *alone, *new)


def unmatched(before: Sequence[Sighting], after: Sequence[Sighting]) -> tuple[list[Sighting], list[Sighting]]:
    """Those of either that the other does not have where they lie."""
    known, now = {id(s) for s in before}, {id(s) for s in after}
    old = [s for s in before if id(s) not in now]
    new = [s for s in after if id(s) not in known]
    return [s for s in old if not _has(new, s)], [s for s in new if not _has(old, s)]


def same_marks(first: Sighting, second: Sighting) -> bool:
    """Whether two sheets bear the same marks; those that are doubtful either time may be the same."""
    if first.marks is second.marks or len(first.marks) != len(second.marks):
        return first.marks is second.marks
    pairs = zip(first.marks, second.marks, strict=True)
    return all(abs(a.probability - b.probability) < MARKED_BY and a.kind is b.kind and a.at == b.at for a, b in pairs)


def turned_deg(first: Sighting, second: Sighting) -> float:
    """By how much one is turned against the other; a die looks alike four times round."""
    period = 90.0 if first.kind is PieceKind.DIE else 360.0
    return abs((first.pose.angle_deg - second.pose.angle_deg + period / 2) % period - period / 2)


def _has(sightings: Sequence[Sighting], sighting: Sighting) -> bool:
    return any(_same(other, sighting) for other in sightings)


def _alike(first: Sighting, second: Sighting) -> bool:
    return first.kind is second.kind and first.face == second.face


def _same(first: Sighting, second: Sighting) -> bool:
    lies = _distance_mm(first, second) < MOVED_MM and _alike(first, second) and turned_deg(first, second) < MOVED_DEG
    return lies and _contents(first) == _contents(second) and same_marks(first, second)


def _contents(sighting: Sighting) -> tuple[object, ...]:
    """What lies on a board's spaces."""
    return tuple(space.contents[0].face if space.contents else None for space in sighting.spaces)


def _distance_mm(first: Sighting, second: Sighting) -> float:
    return math.hypot(first.pose.x_mm - second.pose.x_mm, first.pose.y_mm - second.pose.y_mm)
