"""Frames in, scenes out: single pictures, and video with as little work as what changed asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.faces import CARDS, FacePack
from vision.features import find_keypoints
from vision.finders import Finder, FindsAgain
from vision.frame import Frame, Image
from vision.from_above import FromAbove
from vision.hidden import CELL_MM, coarse_map, find_foreign, hidden_places, told_by_form
from vision.lens_fit import carried_over, largest_move_mm, lens_by_pieces
from vision.motion import WIDTH, Mask, Small, differences, differs, shrink
from vision.readings import Raster, Reading, check, confirmed, explained, find_pieces, select
from vision.rectify import PX_PER_MM, Box, TableMap, sample, table_map
from vision.registration import Lens, Registration, RegistrationError, find_mat, with_lens
from vision.scene import HiddenCause, HiddenPlace, PieceKind, Scene, Sighting
from vision.search import build_index
from vision.settling import LastRest, Motion, same
from vision.shapes import place
from vision.sightings import sighting
from vision.tone import in_tone, tone_of
from vision.verify import Look, Prepared, prepare

Array = NDArray[np.float64]

AROUND_MM, BESIDE_MM = 50.0, 7.5
"""How far beyond a piece that is gone corners are looked for, as what it uncovered reaches so far, and how far beyond
other changes."""
REACH_MM = 120.0
_AROUND, _BESIDE = (np.ones((round(2 * reach / CELL_MM) + 1,) * 2, np.uint8) for reach in (AROUND_MM, BESIDE_MM))
ABSORB_S = 6.0
"""A thing at the picture's edge that stays still for this long is no hand to wait for; what it hides stays hidden."""
LOOKS = 3
"""So many pictures of a table at rest are read; what one of them misses another sees."""
LOOK_AGAIN_S = 0.35
LENS_GROWTH = 1.3
"""With so many times more pieces far from the mat the lens is fitted again."""
OUTER_MM = 260.0
FITS_COST = 0.7
"""A card that costs more than this where it is seen may fit better in other colours, a little elsewhere."""
PLAIN = 0.7
"""A piece of which so large a share is seen as it should be is plain to see."""
UNLIKE_BARE = 16.0
"""Levels (of 255): hands and sleeves differ so much from the bare table; shadows and dusk hardly do."""
LEAST_REACHING = 40
"""Blocks of a part that may be a hand: about ten square centimetres."""
MOST_GONE = 24
"""So many pieces that are gone are remembered with the place where they lay."""
GONE_MM = 6.0
"""A piece found again further off than this is one that lies elsewhere now."""
MAT_MOVED_MM = 0.7
LENS_MATTERS_MM = 0.5
LENS_ROUNDS = 3


def read_photo(
    image: Image,
    pack: FacePack,
    *,
    time_s: float = 0.0,
    lens: Lens | None = None,
    finders: Sequence[Finder] = (),
) -> Scene:
    """Read one picture by itself: the enrolled faces, and what `finders` find besides.

    Raises:
        RegistrationError: the picture cannot be laid over the table, and why.
    """
    return Reader(pack, lens=lens, finders=finders).read(Frame(image, time_s, 0))


class Reader:
    """Reads one camera's frames in order. Keeps what it knows of the table between them."""

    def __init__(self, pack: FacePack, *, lens: Lens | None = None, finders: Sequence[Finder] = ()) -> None:
        """`lens` is the calibrated lens; without one it is estimated from the mat. `finders` look for pieces without
        enrolled faces, one after the other, each knowing what those before found."""
        self._finders = tuple(finders)
        self._kinds: dict[PieceKind, Prepared] = {kind: prepare(faces) for kind, faces in pack.kinds.items()}
        for prepared in self._kinds.values():
            prepared.apart.setflags(write=False)  # worked out now, and not when the first piece is moved
        self._cards = {kind: prepared for kind, prepared in self._kinds.items() if kind in CARDS}
        """Those whose faces are told by their colours more than by their print, as they were enrolled."""
        self._index = build_index(pack.kinds)
        self._lens = lens
        self._lens_by_markers: Lens | None = None
        self._seen_lens: Lens | None = None
        """What the pieces seen so far showed, where no calibrated lens was given."""
        self._first: Registration | None = None
        self._table: _Table | None = None
        self._lens_by = 0
        """How many pieces far from the mat the lens was fitted by. With twice as many it is fitted again."""
        self._clock = _StageClock()
        self._last_rest = LastRest()

    @property
    def registration(self) -> Registration | None:
        """How the last frame lay over the table; None before the first."""
        return self._table.registration if self._table else None

    def read(self, frame: Frame) -> Scene:
        """The scene of a frame, newer than all before it.

        Raises:
            RegistrationError: the picture cannot be laid over the table, and why.
        """
        self._clock = _StageClock()
        small = shrink(frame.image)
        known = self._table if self._table and self._table.fits(frame.image) else None
        if known is None:
            known = self._read_all(frame, small)
            return self._scene(frame, known, known.sightings, known.hidden)
        moving = known.motion.follow(small, frame.time_s)
        changed = differs(small, known.read, known.motion.tolerance)
        self._clock.stage("compare")
        if (changed & known.markers).any() and not self._still_registered(frame, known):
            known = self._read_all(frame, small)
            return self._scene(frame, known, known.sightings, known.hidden)
        busy = known.motion.busy(moving, changed)
        come_to_rest = changed & ~busy
        if come_to_rest.any():
            known = self._read_again(frame, known, come_to_rest, busy)
        elif known.looks < LOOKS and frame.time_s - known.looked_s >= LOOK_AGAIN_S:
            known = self._read_again(frame, known, None, busy)
        if known.hand.any() and frame.time_s - known.hand_since_s < ABSORB_S:
            busy = busy | known.hand
            known.motion.disturb(known.hand)
        if moving.any():
            return self._scene_while_moving(frame, known, changed & busy, busy)
        return self._scene(frame, known, known.sightings, known.hidden, busy)

    # One picture ----------------------------------------------------------------------------------------------

    def _read_all(self, frame: Frame, small: Small) -> "_Table":
        """Lay the picture over the table and read everything, as if nothing were known."""
        before = self._table
        lens = self._lens or self._seen_lens
        registration = find_mat(frame.image, lens=lens, near=before.registration if before else None)
        self._clock.stage("register")
        view = FromAbove(frame.image, table_map(registration), registration)
        look, looked = view.look, view.looked
        self._clock.stage("rectify")
        readings: list[Reading] = []
        if self._kinds:
            keypoints = find_keypoints(looked, look.table)
            self._clock.stage("keypoints")
            readings = find_pieces(look, keypoints, self._kinds, self._index)
            if self._cards:
                readings = self._in_tone(look, readings)
            self._clock.stage("pieces")
            keypoints = find_keypoints(looked, look.table, mask=self._unexplained(look.table, readings))
            self._clock.stage("keypoints")
            readings = find_pieces(look, keypoints, self._kinds, self._index, readings)
            self._clock.stage("pieces")
        if self._lens is None and readings:
            registration, view, readings = self._with_better_lens(frame, registration, view, readings)
        if self._first is None or self._first.size_px != registration.size_px:
            self._first = registration
        known = _Table(registration, view, small, frame.time_s)
        self._settle(frame, known, view.looked, readings, known.nowhere)
        self._table = known
        return known

    def _read_again(self, frame: Frame, known: "_Table", changed: Mask | None, busy: Mask) -> "_Table":
        """Read what changed, where the mat lies as it lay; without a change, look once more where the last one was.

        What nothing touched stays as it was read, and so does what lies where something moves (`busy`). What was
        touched is looked at where it lay, and corners in and around the change lead to what came. Both have to explain
        the table together with the rest.
        """
        if changed is not None:
            known.add_change(changed)
        known.looks, known.looked_s = known.looks + 1, frame.time_s
        within_reach = np.asarray(cv2.dilate(known.change, known.reach), np.uint8)
        view, box = known.seen_from_above, known.box_px(within_reach)
        look, looked = view.again(frame.image, known.registration, box, known.pixels(busy))
        self._clock.stage("rectify")
        far, near = known.apart(known.readings, within_reach, self._kinds)
        near, untouchable = known.apart(near, busy, self._kinds)
        stay, doubtful = known.apart(near, (known.change if changed is None else changed) & ~busy, self._kinds)
        stay += untouchable
        if changed is None:
            stay += [r for r in doubtful if r.settled]
            doubtful = [r for r in doubtful if not r.settled]
        trusted = doubtful if changed is None else known.founded(doubtful)
        again = [r for kind, some in self._kinds.items() for r in _where_they_lay(look, kind, some, trusted)]
        if changed is None:
            again += doubtful
        gone = [place(self._kinds[r.kind].faces.shape.outline, r.pose) for r in _gone(doubtful, again)]
        known.uncovered |= known.polygons(gone)
        again += known.back_again(look, busy, self._kinds)
        came, around = known.where_changed(busy)
        self._clock.stage("pieces")
        where = around & self._unexplained(look.table, [*stay, *again])
        keypoints = find_keypoints(looked, look.table, mask=where)
        self._clock.stage("keypoints")
        readings = find_pieces(look, keypoints, self._kinds, self._index, [*stay, *again], came)
        readings = known.without_new_under(busy, readings, self._kinds) + far
        self._clock.stage("pieces")
        if self._lens is None and not busy.any() and _outer(readings) >= max(4, LENS_GROWTH * self._lens_by):
            registration, view, readings = self._with_better_lens(
                frame, known.registration, known.seen_from_above, readings
            )
            if registration is not known.registration:
                if self._first is known.registration:
                    self._first = registration
                known = self._table = known.seen_with(registration, view)
        self._settle(frame, known, known.seen_from_above.looked, readings, busy)
        return known

    def _in_tone(self, look: Look, readings: list[Reading]) -> list[Reading]:
        """Take the cards' faces as this picture shows colours; what did not fit well so far is to be found anew."""
        tone = tone_of(look, [r for r in readings if r.kind in self._cards], self._cards)
        for kind, enrolled in self._cards.items():
            self._kinds[kind] = prepare(in_tone(enrolled.faces, tone))
        return [r for r in readings if r.kind not in self._cards or (r.settled and r.cost < FITS_COST)]

    def _unexplained(self, table: TableMap, readings: Sequence[Reading]) -> NDArray[np.uint8]:
        """255 at the map's pixels that no piece explains well. Bold faces would leave pale ones no corners there."""
        settled = (reading for reading in readings if reading.settled)
        return explained(settled, self._kinds, table).open_pixels(table)

    def _with_better_lens(
        self, frame: Frame, registration: Registration, view: FromAbove, readings: list[Reading]
    ) -> tuple[Registration, FromAbove, list[Reading]]:
        """The lens that the pieces show, where it differs from what the markers showed, and the pieces seen with it."""
        by_markers = self._lens_by_markers or registration.lens
        self._lens_by_markers = by_markers
        for _ in range(LENS_ROUNDS):
            lens = lens_by_pieces(view.look, readings, self._kinds, registration, by_markers)
            better = with_lens(registration, lens)
            if largest_move_mm(registration, better) < LENS_MATTERS_MM:
                break
            view = FromAbove(frame.image, table_map(better), better)
            again: list[Reading] = []
            for kind, prepared in self._kinds.items():
                mine = [r for r in readings if r.kind is kind]
                centre = prepared.faces.shape.centre
                poses = [carried_over(r.pose, centre, registration, better) for r in mine]
                faces = np.array([r.face for r in mine], np.intp)
                again += check(view.look, kind, prepared, np.array(poses).reshape(-1, 3), faces)
            registration, readings = better, select(again, self._kinds, Raster(view.table))
        self._seen_lens, self._lens_by = registration.lens, _outer(readings)
        self._clock.stage("lens")
        return registration, view, readings

    def _settle(self, frame: Frame, known: "_Table", looked: Image, readings: list[Reading], busy: Mask) -> None:
        """Take what was found as what lies there, with what hides the rest. Where something moves, nothing is taken."""
        covered = known.covered(readings, self._kinds)
        foreign = find_foreign(looked, known.coarse, readings, self._kinds)
        foreign |= known.small_to_cells(known.reaching_in(covered))
        open_ones = [_with_hidden(r, known.hidden_of(r, self._kinds[r.kind], foreign)) for r in readings]
        previous = known.readings
        known.take([r for r in open_ones if confirmed(r)])
        before = known.sightings
        known.sightings = by_faces = known.sightings_of(known.readings, self._kinds)
        for finder in self._finders:
            known.sightings += known.found_by(finder, frame.image, busy)
            self._clock.stage(finder.name)
        by_form, strange = told_by_form(known.sightings[len(by_faces) :], foreign, known.coarse)
        known.sightings = by_faces + by_form
        known.hidden = hidden_places(strange, known.coarse)
        known.hands_are(known.hidden, frame.time_s)
        known.found_beside_hands(previous, busy, self._kinds)
        if known.looks > 1 and not same(before, known.sightings):
            known.motion.disturb()
        known.read = np.where(busy[..., None] > 0, known.read, known.motion.last)
        known.remember(known.motion.last, covered | busy, foreign)
        self._clock.stage("hidden")

    # Video ----------------------------------------------------------------------------------------------------

    def _still_registered(self, frame: Frame, known: "_Table") -> bool:
        """Whether the mat lies where it lay; a hand over a marker moves nothing."""
        try:
            found = find_mat(frame.image, lens=known.registration.lens, near=known.registration)
        except RegistrationError:
            return True
        self._clock.stage("register")
        return found.markers_shift_mm(known.registration) < MAT_MOVED_MM

    def _scene_while_moving(self, frame: Frame, known: "_Table", changed: Mask, busy: Mask) -> Scene:
        """What was known and is not touched by the movement; what moves hides the rest."""
        strange = known.strange(known.motion.last, known.covered(known.readings, self._kinds)) | changed
        hiding = np.asarray(cv2.dilate(strange, np.ones((3, 3), np.uint8)), np.uint8)
        untouched = tuple(s for s in known.sightings if not known.touched(np.array(s.outline_mm), changed))
        hidden = hidden_places(known.small_to_cells(hiding), known.coarse, cause=HiddenCause.HAND)
        self._clock.stage("hidden")
        return self._scene(frame, known, untouched, hidden, busy)

    def _scene(
        self,
        frame: Frame,
        known: "_Table",
        sightings: tuple[Sighting, ...],
        hidden: tuple[HiddenPlace, ...],
        busy: Mask | None = None,
    ) -> Scene:
        shift = known.registration.shift_mm(self._first) if self._first else 0.0
        busy = None if busy is None or not busy.any() else busy
        at_rest_s = known.motion.at_rest_s()
        settled = self._last_rest.take(
            sightings,
            None if busy is None else partial(known.meets, busy),
            at_rest_s if busy is None else known.motion.at_rest_s(busy),
            frame.time_s,
        )
        return Scene(
            frame.time_s, frame.sequence, sightings, hidden + known.out_of_picture,
            0.0 if busy is not None else at_rest_s, round(shift, 2), self._clock.stages, settled=settled,
        )  # fmt: skip


class _StageClock:
    """Milliseconds spent since the stage before."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._last = perf_counter()

    def stage(self, name: str) -> None:
        now = perf_counter()
        self.stages[name] = round(self.stages.get(name, 0.0) + (now - self._last) * 1e3, 3)
        self._last = now


class _Table:
    """What is known of the table while camera and mat stay where they are."""

    def __init__(self, registration: Registration, view: FromAbove, small: Small, time_s: float) -> None:
        self.registration = registration
        self.seen_from_above = view
        self.table = table = view.table
        self.coarse = coarse = coarse_map(table)
        self.motion = Motion(small, time_s)
        self.read = small
        self.nowhere: Mask = np.zeros(small.shape[:2], np.uint8)
        self.readings: list[Reading] = []
        self.sightings: tuple[Sighting, ...] = ()
        self.hidden: tuple[HiddenPlace, ...] = ()
        self.out_of_picture: tuple[HiddenPlace, ...] = ()
        self._made: list[tuple[Reading, Sighting]] = []
        self._found: dict[str, tuple[Sighting, ...]] = {}
        self.change = np.full(small.shape[:2], 255, np.uint8)
        """Blocks that changed before the table came to rest."""
        self._changed_since: Mask = np.zeros(small.shape[:2], np.uint8)
        """The same, but for the first picture, in which everything is new."""
        self.uncovered = np.zeros(small.shape[:2], np.uint8)
        """Blocks where a piece lay that was gone then."""
        self._beside_hands: list[Reading] = []
        """Those that were found while hands were about, which may be no more than a hand that looked like them."""
        self._gone: list[Reading] = []
        """Those that lay where something else was seen later, the last ones of them."""
        self.looks = 1
        """So many pictures were read since then."""
        self.looked_s = time_s
        self.hand: Mask = self.nowhere
        """Blocks where hands lie that do not move."""
        self.hand_since_s = time_s
        self._scale = WIDTH / registration.size_px[0]
        blocks = round(REACH_MM * WIDTH / table.width * PX_PER_MM)
        self.reach = np.ones((2 * blocks + 1, 2 * blocks + 1), np.uint8)
        """For growing changed blocks by REACH_MM, as far as what came there can touch what lay there."""
        self._bare = small.copy()
        self._bare_known = np.zeros(small.shape[:2], np.uint8)
        self.markers = self.polygons(list(registration.markers_px.values()), in_picture=True)
        cells = np.stack(np.meshgrid(np.arange(coarse.width), np.arange(coarse.height)), -1).reshape(-1, 2)
        spots = self._to_small(registration.to_picture(coarse.to_table(cells.astype(np.float64))))
        self._cells_in_small = spots.reshape(coarse.height, coarse.width, 2).astype(np.float32)

    def seen_with(self, registration: Registration, view: FromAbove) -> "_Table":
        """The same, laid over the table anew, with the same memory."""
        other = _Table(registration, view, self.motion.last, self.looked_s)
        other._bare, other._bare_known = self._bare, self._bare_known
        other.motion, other.looks = self.motion, self.looks
        other.change, other.uncovered, other._changed_since = self.change, self.uncovered, self._changed_since
        other.hand, other.hand_since_s = self.hand, self.hand_since_s
        return other

    def sightings_of(self, readings: list[Reading], kinds: dict[PieceKind, Prepared]) -> tuple[Sighting, ...]:
        """Sightings of readings; what did not change is not worked out again."""
        made = {id(reading): old for reading, old in self._made}
        self._made = [
            (reading, made.get(id(reading)) or sighting(reading, kinds[reading.kind], self.registration))
            for reading in readings
        ]
        return tuple(seen for _, seen in self._made)

    def fits(self, image: Image) -> bool:
        """Whether a picture has the size of those before."""
        return self.registration.size_px == (image.shape[1], image.shape[0])

    def polygons(self, outlines: list[Array], *, in_picture: bool = False) -> Mask:
        """255 in the small blocks inside any of these outlines (table mm, or pixels)."""
        mask = np.zeros(self.nowhere.shape, np.uint8)
        if not outlines:
            return mask
        together = np.concatenate(outlines)
        pixels = self._to_small(together if in_picture else self.registration.to_picture(together))
        fixed = np.round(pixels * 16).astype(np.int32)
        ends = np.cumsum([len(outline) for outline in outlines])[:-1]
        for part in np.split(fixed, ends):
            cv2.fillPoly(mask, [part], 255, shift=4)
        return mask

    def covered(self, readings: list[Reading], kinds: dict[PieceKind, Prepared]) -> Mask:
        """Blocks that pieces lie on."""
        outlines = [place(kinds[r.kind].faces.shape.outline, r.pose) for r in readings]
        return np.asarray(cv2.dilate(self.polygons(outlines), np.ones((3, 3), np.uint8)), np.uint8)

    def strange(self, small: Small, covered: Mask) -> Mask:
        """Blocks that neither look as they did when bare nor lie under pieces."""
        different = differs(small, self._bare)
        different[(self._bare_known == 0) | (covered > 0)] = 0
        return np.asarray(cv2.morphologyEx(different, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)

    def reaching_in(self, covered: Mask) -> Mask:
        """Blocks that look quite otherwise than the bare table (where that was never seen: than before), where no piece
        lies, in parts that reach the picture's edge: hands beside the mat, too, where one picture would not tell."""
        unlike = differences(self.motion.last, self._bare) > UNLIKE_BARE
        different = np.where(self._bare_known > 0, unlike, self._changed_since > 0)
        different &= (covered == 0) & ~self._pieces_by_form()
        parts = cv2.morphologyEx(different.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        _, labels, stats, _ = cv2.connectedComponentsWithStats(parts, connectivity=8)
        edge = np.concatenate([labels[:2].ravel(), labels[-2:].ravel(), labels[:, :2].ravel(), labels[:, -2:].ravel()])
        large = np.flatnonzero(stats[:, cv2.CC_STAT_AREA] >= LEAST_REACHING)
        hands = np.intersect1d(np.unique(edge[edge > 0]), large)
        return np.where(np.isin(labels, hands) & (labels > 0), np.uint8(255), np.uint8(0))

    def _pieces_by_form(self) -> NDArray[np.bool_]:
        """Blocks that pieces without enrolled faces lay on when finders looked last."""
        pieces = [np.array(s.outline_mm) for found in self._found.values() for s in found]
        return np.asarray(cv2.dilate(self.polygons(pieces), np.ones((5, 5), np.uint8)) > 0)

    def remember(self, small: Small, covered: Mask, foreign: Mask) -> None:
        """Learn how the table looks where nothing lies."""
        hidden = self.polygons([self.coarse.to_table(c.reshape(-1, 2).astype(np.float64)) for c in _contours(foreign)])
        bare = (covered == 0) & (cv2.dilate(hidden, np.ones((5, 5), np.uint8)) == 0)
        self._bare[bare] = small[bare]
        self._bare_known[bare] = 255

    def small_to_cells(self, mask: Mask) -> Mask:
        """A mask of small blocks as one of table cells."""
        if not mask.any():
            return np.zeros((self.coarse.height, self.coarse.width), np.uint8)
        return np.where(sample(mask, self._cells_in_small) > 127, np.uint8(255), np.uint8(0))

    def box_px(self, blocks: Mask) -> Box:
        """Columns and rows of the table's map within which these blocks lie."""
        left, top, width, height = cv2.boundingRect(self.small_to_cells(blocks))
        scale = np.array([self.table.width / self.coarse.width, self.table.height / self.coarse.height])
        first = np.floor(np.array([left, top]) * scale).astype(int)
        last = np.ceil(np.array([left + width, top + height]) * scale).astype(int)
        return Box(
            int(first[0]), int(first[1]), min(int(last[0]), self.table.width), min(int(last[1]), self.table.height)
        )

    def add_change(self, changed: Mask) -> None:
        """Blocks that changed: with those before, if they were not looked at often enough yet."""
        if self.looks >= LOOKS:
            self.change, self.uncovered, self._changed_since = changed, np.zeros_like(changed), changed
        else:
            self.change, self._changed_since = self.change | changed, self._changed_since | changed
        self.looks = 0

    def take(self, readings: list[Reading]) -> None:
        """These lie there now. Those that are gone are remembered, if they were plain to see."""
        now = set(map(id, readings))
        old = [r for r in self.readings if id(r) not in now and r.settled and r.agrees.mean() >= PLAIN]
        self._gone = [*self._gone, *_gone(old, readings)][-MOST_GONE:]
        self.readings = readings

    def found_beside_hands(self, previous: Sequence[Reading], busy: Mask, kinds: Mapping[PieceKind, Prepared]) -> None:
        """Take notice of what was found that did not lie there before, if hands are about."""
        untouched, _ = self.apart(self._beside_hands, self.change, kinds)
        self._beside_hands = untouched
        if busy.any() or self.hand.any():
            before = set(map(id, previous))
            come = [reading for reading in self.readings if id(reading) not in before]
            self._beside_hands += [reading for reading in come if not _lies_among(reading, previous)]

    def founded(self, readings: Sequence[Reading]) -> list[Reading]:
        """Those to be looked for where they lay. The others were found while hands were about, and have to be found
        anew when these are gone."""
        return [reading for reading in readings if not _lies_among(reading, self._beside_hands)]

    def back_again(self, look: Look, busy: Mask, kinds: Mapping[PieceKind, Prepared]) -> list[Reading]:
        """Pieces that were gone and lie where they lay: a hand may have covered them, and where little shows them
        nothing else leads back to them."""
        elsewhere, here = self.apart(self._gone, self.change & ~busy, kinds)
        checked = [r for kind, some in kinds.items() for r in _where_they_lay(look, kind, some, here)]
        back = [r for r in checked if r.settled and r.agrees.mean() >= PLAIN and _lies_among(r, here)]
        self._gone = [*elsewhere, *_gone(here, back)]
        return back

    def hands_are(self, hidden: Sequence[HiddenPlace], time_s: float) -> None:
        """Which of the hidden places are hands at rest."""
        hands = self.polygons([np.array(place.outline_mm) for place in hidden if place.cause is HiddenCause.HAND])
        if hands.any() and not self.hand.any():
            self.hand_since_s = time_s
        self.hand = hands

    def found_by(self, finder: Finder, image: Image, busy: Mask) -> tuple[Sighting, ...]:
        """What a finder finds where something changed; elsewhere, and where something moves, what it found before."""
        before = self._found.get(finder.name)
        if before is None or not isinstance(finder, FindsAgain):
            found = finder.find(image, self.registration, self.sightings)
        else:
            changed = partial(self._lies_under, cv2.dilate(self.change & ~busy, np.ones((3, 3), np.uint8)))
            found = finder.find_again(image, self.registration, self.sightings, before, changed)
        if before is not None and busy.any():
            stays = [s for s in before if self.meets(busy, s)]
            found = [*(s for s in found if not self.meets(busy, s)), *stays]
        self._found[finder.name] = tuple(found)
        return self._found[finder.name]

    def _lies_under(self, blocks: Any, points_mm: Array) -> NDArray[np.bool_]:
        """Which table points (n x 2) lie under these blocks."""
        spots = np.round(self._to_small(self.registration.to_picture(points_mm))).astype(np.intp)
        rows, columns = np.clip(spots[:, 1], 0, blocks.shape[0] - 1), np.clip(spots[:, 0], 0, blocks.shape[1] - 1)
        inside = (spots == np.column_stack([columns, rows])).all(1)
        return np.asarray(inside & (blocks[rows, columns] > 0))

    def meets(self, blocks: Mask, sighting: Sighting) -> bool:
        """Whether any part of a piece lies in these blocks."""
        return bool((self.polygons([np.array(sighting.outline_mm)]) & blocks).any())

    def where_changed(self, busy: Mask) -> tuple[Raster, Mask]:
        """What changed, and the pixels of the table's map within reach of it, but for where something moves."""
        changed = np.asarray(cv2.dilate(self.small_to_cells(self.change & ~busy), _BESIDE), np.uint8)
        near = changed | np.asarray(cv2.dilate(self.small_to_cells(self.uncovered & ~busy), _AROUND), np.uint8)
        if busy.any():
            near &= ~self.small_to_cells(busy)
        size = (self.table.width, self.table.height)
        pixels = cv2.resize(near, size, interpolation=cv2.INTER_NEAREST)
        return Raster.of_cells(self.table, changed), np.asarray(pixels, np.uint8)

    def apart(
        self, readings: Sequence[Reading], change: Any, kinds: Mapping[PieceKind, Prepared]
    ) -> tuple[list[Reading], list[Reading]]:
        """Those of the readings that do not lie under changed blocks, and those that do."""
        apart: list[Reading] = []
        under: list[Reading] = []
        for reading in readings:
            outline = place(kinds[reading.kind].faces.shape.outline, reading.pose)
            (under if self.touched(outline, change) else apart).append(reading)
        return apart, under

    def without_new_under(
        self, busy: Mask, readings: list[Reading], kinds: Mapping[PieceKind, Prepared]
    ) -> list[Reading]:
        """Readings without those that are new and reach where something moves: there the table was not looked at."""
        if not busy.any():
            return readings
        apart, under = self.apart(readings, busy, kinds)
        return apart + [reading for reading in under if _lies_among(reading, self.readings)]

    def pixels(self, blocks: Mask) -> Mask | None:
        """255 in the table map's pixels where these blocks lie; None where there are none."""
        if not blocks.any():
            return None
        size = (self.table.width, self.table.height)
        return np.asarray(cv2.resize(self.small_to_cells(blocks), size, interpolation=cv2.INTER_NEAREST), np.uint8)

    def touched(self, outline_mm: Array, change: Any) -> bool:
        """Whether what lies inside an outline lies under changed blocks."""
        inside = self.polygons([outline_mm])
        return int(np.count_nonzero(inside & change)) > 0.04 * max(int(np.count_nonzero(inside)), 1)

    def hidden_of(self, reading: Reading, prepared: Prepared, foreign: Mask) -> NDArray[np.bool_]:
        """Which of a reading's lattice points something foreign hides: not those where the piece is seen."""
        cells = np.round(self.coarse.to_cells(place(prepared.faces.shape.lattice, reading.pose))).astype(int)
        column = np.clip(cells[:, 0], 0, self.coarse.width - 1)
        row = np.clip(cells[:, 1], 0, self.coarse.height - 1)
        return np.asarray((foreign[row, column] > 0) & ~reading.agrees)

    def _to_small(self, pixels: Array) -> Array:
        return np.asarray((pixels + 0.5) * self._scale - 0.5)


def _where_they_lay(look: Look, kind: PieceKind, prepared: Prepared, readings: Sequence[Reading]) -> list[Reading]:
    """Pieces of this kind, looked at again where they lay."""
    mine = [r for r in readings if r.kind is kind]
    poses = np.array([r.pose for r in mine]).reshape(-1, 3)
    return check(look, kind, prepared, poses, np.array([r.face for r in mine], np.intp))


def _gone(before: Sequence[Reading], again: Sequence[Reading]) -> list[Reading]:
    """Those that are not found any more where they lay."""
    return [old for old in before if not _lies_among(old, again)]


def _lies_among(one: Reading, readings: Sequence[Reading]) -> bool:
    """Whether one of the readings is of the same piece where it lies."""
    return any(
        other.kind is one.kind and other.face == one.face and np.hypot(*(other.pose[:2] - one.pose[:2])) < GONE_MM
        for other in readings
    )


def _with_hidden(reading: Reading, hidden: NDArray[np.bool_]) -> Reading:
    """The reading with what hides it; itself where that is as it was."""
    return reading if (reading.hidden == hidden).all() else replace(reading, hidden=hidden)


def _outer(readings: list[Reading]) -> int:
    """How many pieces lie where the lens bends the picture."""
    return sum(float(np.hypot(r.pose[0], r.pose[1])) > OUTER_MM for r in readings)


def _contours(mask: Mask) -> list[Mask]:
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return [np.asarray(contour) for contour in contours if len(contour) > 2]
