"""What is known of a table while camera and mat stay where they are: what lies where, what changed, what is gone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finders import Finder, FindsAgain
from vision.following.bare_table import BareTable
from vision.following.blocks import Blocks
from vision.following.footprint import Footprint
from vision.following.found_before import is_doubtful, is_plain, is_read_as, lies_there
from vision.following.looked_at import LookedAt
from vision.following.other_light import OtherLight, is_seen_as
from vision.following.read_before import gone_from, lies_among
from vision.following.settling import Motion, unmatched
from vision.following.sway import Still, Sway
from vision.following.things import Things
from vision.following.unchanged import Shown
from vision.frame import Frame, Image
from vision.hiding.cells import CELL_MM, coarse_map
from vision.hiding.hidden import hidden_places
from vision.hiding.outlining import Changed, changes
from vision.masks import widened
from vision.mat.beyond_picture import mat_beyond_picture
from vision.mat.rectify import Box
from vision.mat.registration import Registration
from vision.motion import LEAST_STEP, Mask, Small
from vision.pieces.checking import check_again, check_in_own_light
from vision.pieces.finding import COVERED
from vision.pieces.from_above import FromAbove
from vision.pieces.prepared import Prepared
from vision.pieces.raster import Raster
from vision.pieces.reading import OwnLight, Reading, share
from vision.pieces.same_print import in_place_of, is_otherwise_lit, may_show_the_same
from vision.pieces.sightings import sighting
from vision.pieces.verify import Look
from vision.scene import HiddenCause, HiddenPlace, PieceKind, Sighting
from vision.shapes import place
from vision.short_axes import median_of

AROUND_MM, BESIDE_MM = 50.0, 7.5
"""How far beyond a piece that is gone corners are looked for, as what it uncovered reaches so far, and how far beyond
other changes."""
REACH_MM = 120.0
"""How far beyond a change pieces lie that what came there can touch."""
_AROUND, _BESIDE = (np.ones((round(2 * reach / CELL_MM) + 1,) * 2, np.uint8) for reach in (AROUND_MM, BESIDE_MM))
LOOKS, LOOK_AGAIN_S = 3, 0.35
"""So many pictures of a table at rest are read, so long apart; what one of them misses another sees."""
PLAIN = 0.7
"""A piece of which so large a share is seen as it should be is plain to see."""
_NEAR = np.ones((3, 3), np.uint8)
MOVED_SHARE = 0.4
"""Of the markers' blocks more change where the mat moves; where a hand moves over one marker, fewer."""
LEAST_LEFT = 30
"""Blocks that no piece explains: from so many on (seven square centimetres) a piece may have been missed there."""
LEAST_STRIP = 10
"""From so many on a piece may show there of which others cover half, and which others are taken to lie on."""
AS_TOLD = 0.5
"""Readings that differ by no more than this (millimetres and degrees) are the same: told from the top down in vain in
the picture before, they would be again."""
NOTICED_LESS = 1.3
"""Where a mark must be so many times as dark to be noticed as it would have to be in the light in which a sheet was
read, the sheet is read again."""
AS_NOISY = 1.2 * LEAST_STEP
"""By how many levels more blocks may have to differ where their noise is what it was: it is told in steps."""
LYING_S = 1.0
"""So long after it was last read a table that rests is looked at for things that lie about."""
MOST_TOLD = 0.6
"""They are not told twice where so much of them is hidden already."""
MOST_GONE = 24
"""So many pieces that are gone are remembered with the place where they lay."""


class KnownTable:
    """What is known of the table while camera and mat stay where they are."""

    def __init__(
        self,
        registration: Registration,
        view: FromAbove,
        kinds: Mapping[PieceKind, Prepared],
        small: Small,
        frame: Frame,
    ) -> None:
        """`kinds` are the enrolled faces by kind, as this table's light shows them."""
        time_s = frame.time_s
        self.kinds = kinds
        self.registration = registration
        self.seen_from_above = view
        table = view.table
        self.bare = Raster(table)
        """Nothing of the table explained; knows where pieces' cells are."""
        self.coarse = coarse = coarse_map(table)
        self.motion = Motion(small, time_s)
        self.sway = Sway(frame.image, registration)
        self.read = small
        self.blocks = blocks = Blocks(registration, coarse, kinds, small.shape[:2])
        self.nowhere = blocks.nowhere
        self.readings: list[Reading] = []
        self.sightings: tuple[Sighting, ...] = ()
        self.hidden: tuple[HiddenPlace, ...] = ()
        self.blinded: tuple[HiddenPlace, ...] = ()
        """Where there is too much light, or too little."""
        self.lying: tuple[HiddenPlace, ...] = ()
        """What things hide besides that were looked for when all had been at rest for a while."""
        self._sought_lying = self._knows_lying = False
        self._lay_at_first: Mask | None = None
        """Blocks in which things lay when they were looked for first: how it looks without them is not known."""
        self.out_of_picture = mat_beyond_picture(registration)
        self._made: list[tuple[Reading, Sighting]] = []
        self._found: dict[str, tuple[Sighting, ...]] = {}
        self._looked: dict[str, LookedAt] = {}
        """What of the change each finder has looked at often enough."""
        self.change = np.full(small.shape[:2], 255, np.uint8)
        """Blocks that changed before the table came to rest."""
        self._changed_since: Mask = np.zeros(small.shape[:2], np.uint8)
        """The same, but for the first picture, in which everything is new."""
        self._passed_over: Mask = np.zeros(small.shape[:2], np.uint8)
        """Blocks in which something has moved since the sheets there were read."""
        self._written: Mask = np.zeros(small.shape[:2], np.uint8)
        """Those of the change where only pencil can have come,"""
        self._written_now: Mask = np.zeros(small.shape[:2], np.uint8)
        """and those of them that are new in this picture."""
        self.uncovered = np.zeros(small.shape[:2], np.uint8)
        """Blocks where a piece lay that was gone then."""
        self._foreign: Mask = self.nowhere
        """Blocks that showed neither table nor piece when all was read last."""
        self._left: Mask = self.change
        """Blocks of the change that do not look as they did when bare, and under no piece."""
        self._in_vain: tuple[list[Reading], Mask] | None = None
        """What was told from the top down in vain since the last change, and what was left over then."""
        self._beside_hands: list[Reading] = []
        """Those that were found while hands were about, which may be no more than a hand that looked like them."""
        self._other_light = OtherLight()
        """How those that lie there looked when they were read best."""
        self._gone: list[Reading] = []
        """Those that lay where something else was seen later, the last ones of them."""
        self._shown: Shown | None = None
        """How what changed looked when it was looked at last, if it is to be looked at again."""
        self.looks = 1
        """So many pictures were read since then."""
        self.looked_s = time_s
        self.hand: Mask = self.nowhere
        """Blocks where hands lie that do not move."""
        self.hand_since_s = time_s
        self._reach, self._around = blocks.reach(REACH_MM), blocks.reach(AROUND_MM)
        self._bare_table = BareTable(small, blocks)
        self._things = Things(small, blocks)
        self._before_knock: _Stood | None = None
        """As it was when it was last looked at often enough, before the camera was knocked."""
        self._stood = False
        self.markers = blocks.polygons(list(registration.markers_px.values()), in_picture=True)
        self._marker_blocks = self.markers > 0

    def seen_with(self, registration: Registration, view: FromAbove, frame: Frame) -> "KnownTable":
        """The same, laid over the table anew, with the same memory; `frame` shows it, had the camera not swayed."""
        other = KnownTable(registration, view, self.kinds, self.motion.last, frame)
        other.looked_s = self.looked_s
        other._bare_table = self._bare_table.laid_over(other.blocks)
        other._things, other._lay_at_first = self._things, self._lay_at_first
        other.motion, other.looks = self.motion, self.looks
        other.change, other.uncovered, other._changed_since = self.change, self.uncovered, self._changed_since
        other._written = self._written
        other._left = self._left
        other._before_knock, other._stood = self._before_knock, self._stood
        other._other_light = self._other_light
        other.hand, other.hand_since_s = self.hand, self.hand_since_s
        return other

    def seen_after(self, before: "KnownTable") -> None:
        """Take over what was known of the bare table before the camera was knocked. While it still shakes pictures are
        blurred: what they showed is worth nothing."""
        self._before_knock = before._last_stood()
        if (stood := self._before_knock) is not None:
            under = np.asarray(cv2.dilate(self.blocks.under(stood.lay), np.ones((5, 5), np.uint8)), np.uint8)
            self._bare_table = stood.bare.carried_over(self.motion.last, self.blocks, under)
            self._other_light.read_anew(stood.looked, stood.blocks, self.blocks)

    def seen_anew(self, before: "KnownTable") -> None:
        """Remember how what lay there looked before all was read anew, camera and mat being where they were."""
        self._other_light.read_anew(before._other_light, before.blocks, self.blocks)

    def _last_stood(self) -> "_Stood | None":
        """How this was when it was looked at often enough, or what was known before."""
        stood = self._stood or self.looks >= LOOKS
        return _Stood(self._bare_table, self.sightings, self._other_light, self.blocks) if stood else self._before_knock

    def sightings_of(self, readings: list[Reading]) -> tuple[Sighting, ...]:
        """Sightings of readings; what did not change is not worked out again."""
        made = {id(reading): old for reading, old in self._made}
        self._made = [
            (reading, made.get(id(reading)) or sighting(reading, self.kinds[reading.kind], self.registration))
            for reading in readings
        ]
        return tuple(seen for _, seen in self._made)

    def fits(self, image: Image) -> bool:
        """Whether a picture has the size of those before."""
        return self.registration.size_px == (image.shape[1], image.shape[0])

    def seen_still(self, frame: Frame, small: Small, apart: Small) -> Still | None:
        """What a picture that is newer than the last one shows, had the camera not swayed; None where it has not, so
        far as that is noticed. `apart` is by how many levels its small one differs from what is known: where a camera
        moved, nothing differs by more than the edges of markers, black on white."""
        if float(apart[self._marker_blocks].max(initial=0.0)) > self.motion.least_noticed:
            return self.sway.taken_off(frame, small)
        self.sway.hung_still(frame.time_s)
        return None

    def strange(self, covered: Mask) -> Mask:
        """Blocks that neither look as they did when bare nor lie under pieces (`covered`)."""
        return self._bare_table.strange(self.motion.last, covered, self.motion.noise)

    def reaching_in(self, covered: Mask) -> Mask:
        """Blocks of hands that reach in from the picture's edge, where no piece lies (`covered`)."""
        return self._bare_table.reaching_in(self.motion.last, self._changed_since, covered, self._pieces_by_form())

    def things(self, before: Sequence[Reading], elsewhere: Mask) -> Mask:
        """Blocks of things that are neither table nor piece, by how all looked before they came; `before` these pieces
        were read. Not `elsewhere`."""
        by_form = self._pieces_by_form()
        elsewhere = np.where(by_form, np.uint8(255), elsewhere | self._other_light.beside(self.blocks))
        found = self._things.look(self.blocks, self._bare_table, self.motion.last, before, self.readings, elsewhere)
        return self.blocks.to_cells(found) & self.coarse.seen

    def as_bare(self) -> Mask:
        """255 in the table's cells where it looks as it did when it was bare."""
        return self.blocks.to_cells(self._bare_table.as_bare(self.motion.last)) & self.coarse.seen

    def _pieces_by_form(self) -> NDArray[np.bool_]:
        """Blocks that pieces without enrolled faces lay on when finders looked last."""
        pieces = [np.array(s.outline_mm) for found in self._found.values() for s in found]
        return np.asarray(cv2.dilate(self.blocks.polygons(pieces), np.ones((5, 5), np.uint8)) > 0)

    def remember(self, covered: Mask, foreign: Mask) -> None:
        """Learn how the table looks where nothing lies; `foreign` is a mask of the table's cells."""
        contours = [self.coarse.to_table(c.reshape(-1, 2).astype(np.float64)) for c in _contours(foreign)]
        self._foreign = self.blocks.polygons(contours)
        self._bare_table.remember(self.motion.last, covered, self._foreign, bool(foreign.any()))

    def within_reach(self) -> Mask:
        """Blocks so near to the change that what came there can touch what lay there."""
        return np.asarray(cv2.dilate(self.change, self._reach), np.uint8)

    def boxes_looked_at(self) -> list[Box]:
        """The parts of the table's map that a change makes worth looking at; of faces, if there are any, corners beside
        it count, too."""
        reach = self._around if self.kinds else np.ones((5, 5), np.uint8)
        return self.blocks.boxes(np.asarray(cv2.dilate(self.change, reach), np.uint8))

    def add_change(self, changed: Mask) -> None:
        """Blocks that changed: with those before, if they were not looked at often enough yet."""
        if self.looks >= LOOKS:
            self._stood = True
            self._written = self._written_now
            self.change, self.uncovered, self._changed_since = changed, np.zeros_like(changed), changed
            self._left = np.zeros_like(changed)
        else:
            seen = (self.change & ~self._written) | (changed & ~self._written_now)
            self._written = (self._written | self._written_now) & ~seen
            self.change, self._changed_since = self.change | changed, self._changed_since | changed
        for looked in self._looked.values():
            looked.changed(np.asarray(cv2.dilate(changed, _NEAR), np.uint8))
        self.looks = 0
        self._in_vain = None
        self._sought_lying = False
        self.lying = tuple(one for one in self.lying if not (self._blocks_of(one) & changed).any())

    def lying_due(self, time_s: float, busy: Mask) -> bool:
        """Whether it is time to look for things that lie about: when the table is known and after each change that
        pieces do not explain, once nothing waits for it."""
        rests = self.looks >= LOOKS and time_s - self.looked_s >= LYING_S
        if not rests or self._sought_lying or busy.any():
            return False
        self._sought_lying = self._knows_lying and not self._may_hold_things()
        return not self._sought_lying

    def _may_hold_things(self) -> bool:
        """Whether what changed shows something else than pieces and the table as it was when bare."""
        if any(self.blocks.touched(one, self.change) for one in self.readings if not one.whole):
            return True
        pieces = self.blocks.covered(self.readings) | np.where(self._pieces_by_form(), np.uint8(255), np.uint8(0))
        return bool((self._left & ~pieces).any())

    def take_lying(self, lying: Mask) -> None:
        """Take what things hide (cells of the table), but for those of which most is known to be hidden."""
        outlines = [np.array(one.outline_mm) for one in (*self.hidden, *self.blinded)]
        told = self.coarse.polygons(outlines)
        places = hidden_places(lying, self.coarse, cause=HiddenCause.FOREIGN)
        cells = [(one, self.coarse.polygons([np.array(one.outline_mm)]) > 0) for one in places]
        self.lying = tuple(one for one, own in cells if float((told[own] > 0).mean()) < MOST_TOLD)
        if self._lay_at_first is None:
            self._lay_at_first = self.blocks.polygons([np.array(one.outline_mm) for one in (*self.hidden, *places)])
        self._sought_lying = self._knows_lying = True

    def changed(self) -> Changed | None:
        """How the table changed since what lies there was seen first; None where things were not looked for yet."""
        if self._lay_at_first is None:
            return None
        before, known = self._things.looked_first(self.blocks, self._bare_table, self.readings)
        known &= ~self._lay_at_first
        brighter = self.blocks.values_in_cells(changes(self.motion.last, before, known))
        return Changed(brighter, self.blocks.to_cells(known) & self.coarse.seen)

    def _blocks_of(self, hidden: HiddenPlace) -> Mask:
        return self.blocks.polygons([np.array(hidden.outline_mm)])

    def leave_over(self, readings: list[Reading]) -> None:
        """Keep in mind what of the change these do not explain, before it is taken for the bare table: what does not
        look as it should explains nothing, even where a piece lies that was taken for another or seen askew."""
        self._left = self._left | (self.strange(self._explained_by(readings)) & self.change)

    def _explained_by(self, readings: list[Reading]) -> Mask:
        return self.blocks.covered([reading for reading in readings if reading.confirmed])

    def may_be_told_otherwise(self, readings: list[Reading], busy: Mask) -> bool:
        """Whether what changed may be explained better than by these: something of it is left over, or a piece in it is
        not settled, or lies under others. In the first picture, in which all is left over, the last look tells."""
        if self._in_vain is not None and self._as_told(*self._in_vain, readings, busy):
            return False
        changed = self.change & ~busy
        doubtful = [reading for reading in readings if share(reading.taken) > COVERED or not reading.settled]
        if any(self.blocks.touched(reading, changed) for reading in doubtful):
            return True
        left = self._left & changed
        if np.count_nonzero(left) < LEAST_STRIP or not (self._changed_since.any() or self.looks == LOOKS):
            return False
        return bool(np.count_nonzero(left & ~self._explained_by(readings)) >= LEAST_STRIP)

    def told_in_vain(self, readings: list[Reading], busy: Mask) -> None:
        """Remember that nothing came of telling these from the top down."""
        self._in_vain = readings, self._left & ~busy

    def _as_told(self, told: list[Reading], left: Mask, readings: list[Reading], busy: Mask) -> bool:
        """Whether these are the readings told before, and no more of the change is left over now."""
        if len(told) != len(readings) or np.count_nonzero(self._left & ~busy & ~left) >= LEAST_STRIP:
            return False
        if not readings:
            return True
        apart = np.abs(np.array([one.pose for one in readings])[:, None] - np.array([one.pose for one in told]))
        nearest = apart.max(axis=2).argmin(axis=1)
        return all(
            apart[i, k].max() <= AS_TOLD and (one.kind, one.face) == (told[k].kind, told[k].face)
            for i, (one, k) in enumerate(zip(readings, nearest, strict=True))
        )

    def left_over(self, readings: list[Reading], busy: Mask) -> Mask | None:
        """255 in the table map's pixels where a piece may have been missed; None where there are hardly any."""
        left = self._left & ~self._explained_by(readings) & ~busy
        if np.count_nonzero(left) < LEAST_LEFT:
            return None
        return self.blocks.pixels(np.asarray(cv2.dilate(left, np.ones((5, 5), np.uint8)), np.uint8))

    def is_plain(self) -> bool:
        """Whether what changed needs no further look: nothing of it is left over, every piece in it is settled, what
        finders found in it is sure, and no hands are about, under which another look may see more."""
        if self.hand.any() or self._beside_hands:
            return False
        if not self.kinds and not self._left_to_any():
            return True  # and faces, which another look might find, there are none
        if self._left.any() and (self._left & ~self.blocks.covered(self.readings)).any():
            return False
        if (self.uncovered & self._foreign).any():
            return False  # what was uncovered may be a piece that shows more beyond the change
        doubtful = (s for found in self._found.values() for s in found if is_doubtful(s))
        if any(self.blocks.touched(s, self.change) for s in doubtful):
            return False
        return not any(self.blocks.touched(r, self.change) for r in self.readings if not r.settled)

    def is_worth_a_look(self, time_s: float, busy: Mask) -> bool:
        """Whether another look is due, and need not wait until nothing moves any more: there are faces to be found, or
        something else where nothing moves."""
        if self.looks >= LOOKS or time_s - self.looked_s < LOOK_AGAIN_S:
            return False
        return bool(self.kinds) or not busy.any() or self._left_to_any(busy)

    def keep_in_mind(self, image: Image, busy: Mask) -> None:
        """How what changed looks in the picture that was read, where another look follows."""
        again = self.looks < LOOKS and not self.kinds
        self._shown = Shown(image, np.asarray(cv2.dilate(self.change, _NEAR), np.uint8) & ~busy) if again else None

    def shows_the_same(self, frame: Frame, busy: Mask) -> bool:
        """Whether another look would find what the last one found, surely: nothing is seen but other noise. Then it
        counts as one. Where there are faces to be found, it may find one that was missed."""
        if self._shown is None:
            return False
        left = {name: self._left_to(looked, busy) for name, looked in self._looked.items()}
        if any((blocks & ~self._looked[name].once).any() for name, blocks in left.items()):
            return False
        found = (one for some in self._found.values() for one in some)
        if not all(is_plain(one) for one in found if self.blocks.meets(self.change, one)):
            return False
        where = np.maximum.reduce([self.nowhere, *left.values()])
        if not where.any():  # nothing is left to look for, but there is a hand
            where = self._shown.blocks & ~busy
        if not self._shown.alike(frame.image, where):
            return False
        for name, blocks in left.items():
            self._looked[name].looked(blocks, self.nowhere)
        self.looks = self.looks + 1 if busy.any() or self.hand.any() else LOOKS
        self.looked_s = frame.time_s
        self._shown = self._shown if self.looks < LOOKS else None
        return True

    def take(self, readings: list[Reading]) -> None:
        """These lie there now. Those that are gone are remembered, if they were plain to see."""
        now = set(map(id, readings))
        old = [r for r in self.readings if id(r) not in now and r.settled and r.agrees.mean() >= PLAIN]
        self._gone = [*self._gone, *gone_from(old, readings)][-MOST_GONE:]
        self.readings = readings
        self._other_light.take(readings, self.blocks, self.motion.last)

    def found_beside_hands(self, previous: Sequence[Reading], busy: Mask) -> None:
        """Take notice of what was found that did not lie there before, if hands are about."""
        untouched, _ = self.blocks.apart(self._beside_hands, self.change)
        self._beside_hands = untouched
        if busy.any() or self.hand.any():
            before = set(map(id, previous))
            come = [reading for reading in self.readings if id(reading) not in before]
            self._beside_hands += [reading for reading in come if not lies_among(reading, previous)]

    def founded(self, readings: Sequence[Reading]) -> list[Reading]:
        """Those to be looked for where they lay. The others were found while hands were about, and have to be found
        anew when these are gone."""
        return [reading for reading in readings if not lies_among(reading, self._beside_hands)]

    def with_otherwise_lit(self, found: list[Reading]) -> list[Reading]:
        """What was found, with pieces that were not, or hardly, though they lie there still, in light in which they
        cannot be read as they could."""
        known = set(map(id, self.readings))
        plain = [reading for reading in found if reading.settled or id(reading) in known]
        lost, new = self.founded(gone_from(self.readings, plain)), gone_from(found, self.readings)
        kept = self._other_light.still_there(lost, new, plain, self.blocks, self.motion.last)
        if not kept:
            return found
        return [one for one in found if not any(is_seen_as(one, it, self.blocks) for it in kept)] + kept

    def overexposed(self) -> Mask:
        """255 in the table's cells where pieces lay before so much light fell on them that it is not told what does."""
        return self.blocks.to_cells(self._other_light.unseen(self.blocks)) & self.coarse.seen

    def instead(self, found: Sequence[Reading]) -> list[Reading]:
        """What was found, in doubt where another piece lay in the very same place (see `vision.pieces.same_print`),
        other light falls there, and what is printed there may be what was: a piece that was turned over shows
        otherwise."""

        def lit(reading: Reading) -> bool:
            at = self.blocks.footprint(reading)
            before, now = self.read[at.part], self.motion.last[at.part]
            return is_otherwise_lit(before, now, at.inside) and may_show_the_same(before, now, at.inside)

        known = set(map(id, self.readings))
        return [reading if id(reading) in known else in_place_of(reading, self.readings, lit) for reading in found]

    def back_again(self, look: Look, busy: Mask) -> list[Reading]:
        """Pieces that were gone and lie where they lay: a hand may have covered them, and where little shows them
        nothing else leads back to them."""
        elsewhere, here = self.blocks.apart(self._gone, self.change & ~busy)
        checked = [r for kind, some in self.kinds.items() for r in where_they_lay(look, kind, some, here)]
        back = [r for r in checked if r.settled and r.agrees.mean() >= PLAIN and lies_among(r, here)]
        self._gone = [*elsewhere, *gone_from(here, back)]
        return back

    def hands_are(self, hidden: Sequence[HiddenPlace], time_s: float) -> None:
        """Which of the hidden places are hands at rest."""
        hands = self.blocks.polygons(
            [np.array(place.outline_mm) for place in hidden if place.cause is HiddenCause.HAND]
        )
        if hands.any() and not self.hand.any():
            self.hand_since_s = time_s
        self.hand = hands

    def found_by(self, finder: Finder, image: Image, busy: Mask) -> tuple[Sighting, ...]:
        """What a finder finds where something changed; elsewhere, and where something moves, what it found before. What
        it found in the same way twice since then it need not look for again; nor a sheet that it read as before, where
        nothing but a hand that passed over it may have changed it."""
        before = self._found.get(finder.name)
        looked = self._looked.setdefault(finder.name, LookedAt(self.nowhere))
        blocks = self._left_to(looked, busy)
        seen = np.asarray(cv2.dilate(self.change & ~self._written & ~busy, _NEAR), np.uint8)
        if before is not None and self.looks > 2 and not busy.any() and not blocks.any():
            return before
        if before is None or not isinstance(finder, FindsAgain):
            found = finder.find(image, self.registration, self.sightings)
        else:
            changed, written = (partial(self.blocks.over, blocks & where) for where in (seen, ~seen))
            moves = partial(self.blocks.meets, busy)
            found = finder.find_again(image, self.registration, self.sightings, before, changed, moves, written)
        untold = np.asarray(cv2.dilate(busy, self._around), np.uint8)
        if before is not None and busy.any():
            stays = [s for s in before if self.blocks.meets(busy, s)]
            found = [*(s for s in found if not self.blocks.meets(busy, s)), *stays]
            untold |= self.blocks.under(stays)
        if before is not None and self.looks >= LOOKS:
            # No other look would confirm what shows in the last one only: it would be kept for ever.
            found = [s for s in found if not is_doubtful(s) or any(lies_there(s, other) for other in before)]
        self._found[finder.name] = tuple(found)
        otherwise = [s for some in unmatched(before or (), found) for s in some]
        lay = before if before is not None and self.looks == 1 else ()  # what was found before the change
        as_before = self.blocks.under([s for s in found if any(is_read_as(s, other) for other in lay)])
        as_before = np.asarray(cv2.dilate(as_before, _NEAR), np.uint8) & ~seen
        beside = np.asarray(cv2.dilate(self.blocks.under(otherwise), self._around), np.uint8)
        looked.looked(blocks & ~untold, beside, as_before)
        return self._found[finder.name]

    def _found_of(self, kind: PieceKind) -> list[Sighting]:
        """What finders found of a kind when they looked last."""
        return [one for found in self._found.values() for one in found if one.kind is kind]

    def _left_to_any(self, busy: Mask | None = None) -> bool:
        """Whether any finder has not looked at the change often enough."""
        return any(self._left_to(looked, busy).any() for looked in self._looked.values())

    def _left_to(self, looked: LookedAt, busy: Mask | None = None) -> Mask:
        """Blocks of the change that a finder has not looked at often enough, but for those where something moves."""
        change = self.change if busy is None else self.change & ~busy
        return np.asarray(cv2.dilate(change, _NEAR), np.uint8) & ~looked.enough

    def written_over(self, busy: Mask, changed: Mask, least: float) -> Mask:
        """Blocks of sheets in which something moved (`busy`) and on which nothing moves any more: whoever it was may
        have written there, and a pencil's mark is too small to be noticed among blocks (those `changed`). While a hand
        is on a sheet the rest of it waits: it is read as a whole. In other light marks are noticed even less: there,
        when nothing moves anywhere, a sheet is read as if all of it had been passed over. `least` is by how many levels
        blocks must differ from how they looked when they were read, to be noticed: many do under hands, too."""
        left = self._passed_over & ~busy
        self._passed_over = busy.copy()
        written, still = np.zeros_like(busy), not busy.any()
        for sheet in self._found_of(PieceKind.SHEET):
            footprint = self.blocks.footprint(sheet)
            meets = footprint.meets(busy)
            if still and self._is_noticed_less(footprint, least):
                written[footprint.part] |= footprint.inside
            elif left.any():
                waits = self._passed_over if meets else written
                waits[footprint.part] |= footprint.inside & left[footprint.part]
        self._written_now = written & ~changed
        return written

    def _is_noticed_less(self, footprint: Footprint, least: float) -> bool:
        """Whether it takes more contrast to be noticed here than while the light stays as it is: it is darker here than
        when this was read, or light that changed unevenly makes so many blocks differ."""
        inside = footprint.inside > 0
        if not inside.any():
            return False
        now, then = (median_of(small[footprint.part][inside]) for small in (self.motion.last, self.read))
        usual = self.motion.least_noticed
        if usual < least <= usual + AS_NOISY:
            least = usual
        return least * max(then, now, 1.0) > NOTICED_LESS * usual * max(now, 1.0)

    def with_boards(self, busy: Mask) -> Mask:
        """Where something moves, and all of a board over which it does: that is read as a whole, with all that lies on
        it, and what changed there meanwhile waits until nothing moves over it any more."""
        boards = [one for one in self._found_of(PieceKind.BOARD) if self.blocks.meets(busy, one)]
        return np.asarray(busy | self.blocks.under(boards), np.uint8) if boards else busy

    def around_change(self, busy: Mask, *, uncovered: bool) -> Mask:
        """255 in the table map's pixels within reach of what changed, but for where something moves; where pieces are
        gone, with `uncovered`, as far as what they uncovered may reach."""
        near = widened(self.blocks.to_cells(self.change & ~busy), _BESIDE)
        if uncovered:
            near |= widened(self.blocks.to_cells(self.uncovered & ~busy), _AROUND)
        if busy.any():
            near &= ~self.blocks.to_cells(busy)
        return self.coarse.pixels(near)

    def uncovers_more(self, readings: list[Reading], busy: Mask) -> bool:
        """Whether a piece that is gone may have uncovered another, which only corners beyond what changed lead to:
        something of the change is left over beside these."""
        if not (self.uncovered & ~busy).any():
            return False
        left = self._left & self.change & ~busy & ~self._explained_by(readings)
        return bool(np.count_nonzero(left) >= LEAST_STRIP)

    def may_be_moved(self, changed: Mask, busy: Mask) -> bool:
        """Whether markers look so different that the mat may lie elsewhere: not where a hand only passes over one."""
        different = changed & self.markers
        most = np.count_nonzero(different) > MOVED_SHARE * np.count_nonzero(self.markers)
        return bool(most or (different & ~busy).any())

    def without_new_under(self, busy: Mask, readings: list[Reading]) -> list[Reading]:
        """Readings without those that are new and reach where something moves: there the table was not looked at."""
        if not busy.any():
            return readings
        apart, under = self.blocks.apart(readings, busy)
        return apart + [reading for reading in under if lies_among(reading, self.readings)]

    def with_hidden(self, readings: Sequence[Reading], foreign: Mask) -> list[Reading]:
        """The readings with what something foreign hides of each: lattice points where the piece is not seen. Those of
        which it hides what it hid before stay the same."""
        if not foreign.any():
            return [replace(r, hidden=np.zeros_like(r.hidden)) if r.hidden.any() else r for r in readings]
        hidden = (self._hidden_of(reading, foreign) for reading in readings)
        told = zip(readings, hidden, strict=True)
        return [reading if (reading.hidden == now).all() else replace(reading, hidden=now) for reading, now in told]

    def _hidden_of(self, reading: Reading, foreign: Mask) -> NDArray[np.bool_]:
        cells = np.round(
            self.coarse.to_cells(place(self.kinds[reading.kind].faces.shape.lattice, reading.pose))
        ).astype(int)
        column = np.clip(cells[:, 0], 0, self.coarse.width - 1)
        row = np.clip(cells[:, 1], 0, self.coarse.height - 1)
        return np.asarray((foreign[row, column] > 0) & ~reading.agrees)


@dataclass(frozen=True, slots=True)
class _Stood:
    """A table that was looked at often enough."""

    bare: BareTable
    lay: tuple[Sighting, ...]
    looked: OtherLight
    blocks: Blocks


def where_they_lay(look: Look, kind: PieceKind, prepared: Prepared, readings: Sequence[Reading]) -> list[Reading]:
    """Pieces of this kind, looked at again where they lay; such that are not plainly seen, in shade or behind what they
    mirror as well."""
    mine = [r for r in readings if r.kind is kind]
    again = check_again(look, kind, prepared, mine, np.array([r.pose for r in mine]).reshape(-1, 3))
    lost = [r for r in mine if r.own_light is None and not lies_among(r, [other for other in again if other.settled])]
    faces = np.array([r.face for r in lost], np.intp)
    poses = np.array([r.pose for r in lost]).reshape(-1, 3)
    for own_light in OwnLight:
        again += check_in_own_light(own_light, look, kind, prepared, poses, faces)
    return again


def _contours(mask: Mask) -> list[Mask]:
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return [np.asarray(contour) for contour in contours if len(contour) > 2]
