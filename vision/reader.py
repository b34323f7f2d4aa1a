"""Frames in, scenes out: single pictures, and video with as little work as what changed asks for."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import zip_longest
from time import perf_counter

import cv2
import numpy as np

from vision.finders import Finder, TellsHeld
from vision.following.known_table import LOOKS, KnownTable, where_they_lay
from vision.following.read_before import gone_from
from vision.following.settling import LastRest, same
from vision.frame import Frame, Image
from vision.hiding.foreign import SeenTable, washed_out
from vision.hiding.hidden import dice_as_seen, hidden_places, over_pieces, told_by_form
from vision.hiding.lying_about import apart_from, lying_about
from vision.hiding.shown_around import Surroundings
from vision.light.bands import Bands
from vision.light.darkness import find_dark, without_things
from vision.light.glare import find_glare, markers_in, paper_levels, with_spaces_open
from vision.light.paper import paper_seen
from vision.mat.errors import RegistrationError
from vision.mat.lens import ANY_CAMERA, AssumedFocal, Lens
from vision.mat.rectify import table_map
from vision.mat.registration import Registration, find_mat, with_lens
from vision.mat.sharpness import blur_widths
from vision.motion import Mask, Small, beyond_noise, differences, least_noticed, shrink, usual_noise
from vision.pieces.checking import check_again, cost_there
from vision.pieces.faces import FacePack
from vision.pieces.features import find_keypoints
from vision.pieces.finding import find_pieces
from vision.pieces.from_above import FromAbove
from vision.pieces.left_over import with_left_over
from vision.pieces.lens_fit import carried_over, largest_move_mm, lens_by_pieces
from vision.pieces.prepared import Prepared, prepare
from vision.pieces.raster import Raster, explained, select
from vision.pieces.reading import Reading
from vision.pieces.search import Index, build_index
from vision.pieces.tone import PLAIN, in_tone, tone_of
from vision.pieces.top_down import from_top_down
from vision.pieces.verify import Look
from vision.scene import HiddenCause, HiddenPlace, PaperLevel, PieceKind, Scene, Sighting
from vision.shapes import place

ABSORB_S = 6.0
"""A thing at the picture's edge that stays still for this long is no hand to wait for; what it hides stays hidden."""
PAPER_S, PAPER_WAITS_S = 0.5, 2.0
"""How often it is looked how bright paper is, and how blurred markers are; and for how long that waits for a picture in
which nothing is read: while the light changes much there may be none."""
LENS_GROWTH = 1.3
"""With so many times more pieces far from the mat the lens is fitted again."""
OUTER_MM = 260.0
LARGE = frozenset({PieceKind.BOARD, PieceKind.SHEET})
"""Pieces that cover so much of the mat that hands on it are looked for anew when they are known."""
EVEN_COST = 0.8
"""In even light what lies there has to cost less than this share of what it costs as it is seen."""
OF_SHADED = 0.9
"""What a piece in shade of its own, taken off it by itself, explains counts for this share of as much in even light."""
FITS_COST = 0.7
"""A piece that costs more than this where it is seen may fit better in other colours, a little elsewhere."""
MAT_MOVED_MM = 0.7
LENS_MATTERS_MM = 0.5
LENS_ROUNDS = 12
"""So often at most; for most lenses one or two are enough."""
LENS_FAR_MM = 10.0
"""Where the lens turned out to bend what is seen by more, pieces are looked for once more: some looked otherwise."""


def read_photo(
    image: Image,
    pack: FacePack,
    *,
    time_s: float = 0.0,
    lens: Lens | None = None,
    assumed: AssumedFocal = ANY_CAMERA,
    finders: Sequence[Finder] = (),
) -> Scene:
    """Read one picture by itself: the enrolled faces, and what `finders` find besides. Without a calibrated `lens` its
    focal length is what is `assumed`, as far as the mat does not tell it.

    Raises:
        RegistrationError: the picture cannot be laid over the table, and why.
    """
    return Reader(pack, lens=lens, finders=finders, thorough=True).read(Frame(image, time_s, 0, assumed))


@lru_cache(maxsize=2)
def _ready(pack: FacePack) -> tuple[Mapping[PieceKind, Prepared], Index]:
    """What reading needs of enrolled faces, worked out once for all pictures that are read by them."""
    kinds = {kind: prepare(faces) for kind, faces in pack.kinds.items()}
    for prepared in kinds.values():
        prepared.apart.setflags(write=False)  # worked out now, and not when the first piece is moved
    return kinds, build_index(pack.kinds)


class Reader:
    """Reads one camera's frames in order. Keeps what it knows of the table between them."""

    def __init__(
        self, pack: FacePack, *, lens: Lens | None = None, finders: Sequence[Finder] = (), thorough: bool = False
    ) -> None:
        """`lens` is the calibrated lens; without one it is estimated from the mat. `finders` look for pieces without
        enrolled faces, one after the other, each knowing what those before found. A `thorough` reader goes through
        all that is left of a table at once, which takes a second more, and not when nothing changes any more."""
        self._finders = tuple(finders)
        self._thorough = thorough
        self._enrolled, self._index = _ready(pack)
        self._kinds: dict[PieceKind, Prepared] = dict(self._enrolled)
        """The faces as the camera showed their colours when all was last read."""
        self._lens = lens
        self._lens_by_markers: Lens | None = None
        self._seen_lens: Lens | None = None
        """What the pieces seen so far showed, where no calibrated lens was given."""
        self._first: Registration | None = None
        self._table: KnownTable | None = None
        self._lens_by = 0
        """How many pieces far from the mat the lens was fitted by. With twice as many it is fitted again."""
        self._clock = _StageClock()
        self._last_rest = LastRest()
        self._bands = Bands()
        self._anew = False
        self._paper_s = -np.inf

    @property
    def registration(self) -> Registration | None:
        """How the last frame lay over the table; None before the first."""
        return self._table.registration if self._table else None

    def read_anew(self) -> None:
        """Read the next picture in which nothing moves as if nothing had been known: all looks otherwise in it."""
        self._anew = True

    def __call__(self, frame: Frame) -> Scene:
        """See `read`."""
        return self.read(frame)

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
        apart = differences(small, known.read)
        still, unsure = known.seen_still(frame, small, apart), None
        if still is not None:
            small, unsure, apart = still.small, still.unsure, differences(still.small, known.read)
        even = self._bands.taken_off(frame.image, small, known.read, apart)
        quieter = None
        if even is not None:
            small, apart, known.read, quieter = even.small, even.apart, even.followed(known.read), even.as_lately
        moving = known.motion.follow(small, frame.time_s, unsure, quieter)
        noise = usual_noise(apart, quieter)
        changed = beyond_noise(apart, known.motion.tolerance, known.motion.noise, noise)
        busy = known.with_boards(known.motion.busy(moving, changed))
        come_to_rest = (changed & ~busy) | known.written_over(
            busy, changed, least_noticed(apart, known.motion.noise, noise)
        )
        self._clock.stage("compare")
        anew = self._anew and not busy.any()
        moved = not known.sway.told and known.may_be_moved(changed, busy) and not self._still_registered(frame, known)
        if anew or moved:
            self._anew = False
            frame = frame if still is None else still.of(frame)
            known = self._read_all(frame, small, None if anew else known)
            return self._scene(frame, known, known.sightings, known.hidden)
        if not busy.any() and (middle := known.sway.middle(MAT_MOVED_MM)) is not None:
            there = known.sway.seen_from(frame, still, middle)
            if not self._still_registered(there, known):
                known = self._read_all(there, shrink(there.image), known)
                return self._scene(there, known, known.sightings, known.hidden)
        looking = known.is_worth_a_look(frame.time_s, busy)
        if come_to_rest.any() or looking:
            frame = frame if still is None else still.of(frame)
            frame = frame if even is None else even.of(frame)
        if come_to_rest.any():
            known = self._read_again(frame, known, come_to_rest, busy)
        elif looking and not known.shows_the_same(frame, busy):
            known = self._read_again(frame, known, None, busy)
        elif not self._thorough and known.lying_due(frame.time_s, busy | _waited_for(frame, known)):
            seen = SeenTable(known.seen_from_above.look.soft, known.coarse, known.readings, self._kinds)
            known.take_lying(_lying(known, seen))
            self._clock.stage("hidden")
        if (hand := _waited_for(frame, known)).any():
            busy = busy | hand
            known.motion.disturb(hand)
        if moving.any():
            return self._scene_while_moving(frame, known, changed & busy, busy)
        return self._scene(frame, known, known.sightings, known.hidden, busy)

    # One picture ----------------------------------------------------------------------------------------------

    def _read_all(self, frame: Frame, small: Small, knocked: KnownTable | None = None) -> KnownTable:
        """Lay the picture over the table and read everything, as if nothing were known but, where the camera was
        `knocked`, how the table looked when it was bare."""
        before = self._table
        lens = self._lens or self._seen_lens
        registration = find_mat(
            frame.image, lens=lens, near=before.registration if before else None, assumed=frame.assumed
        )
        self._clock.stage("register")
        view = FromAbove(frame.image, table_map(registration), registration)
        self._clock.stage("rectify")
        readings: list[Reading] = []
        if self._kinds:
            readings = self._found_in(view)
            view, readings = self._in_even_light(registration, view, readings)
            readings = self._with_left_over(view, readings)
        if self._lens is None and readings:
            by_markers = registration
            registration, view, readings = self._with_better_lens(frame, registration, view, readings)
            if largest_move_mm(by_markers, registration) > LENS_FAR_MM:
                readings = self._with_left_over(view, self._found_in(view))
                registration, view, readings = self._with_better_lens(frame, registration, view, readings)
        if self._thorough and self._kinds:
            readings = from_top_down(view.look, readings, self._kinds, Raster(view.table))
            self._clock.stage("pieces")
        if self._first is None or self._first.size_px != registration.size_px:
            self._first = registration
        known = KnownTable(registration, view, self._kinds, small, frame)
        if knocked is not None:
            known.seen_after(knocked)
        elif before is not None and before.fits(frame.image) and _lies_as(registration, before.registration):
            known.seen_anew(before)
        self._settle(frame, known, readings, known.nowhere)
        self._table = known
        return known

    def _read_again(self, frame: Frame, known: KnownTable, changed: Mask | None, busy: Mask) -> KnownTable:
        """Read what changed, where the mat lies as it lay; without a change, look once more where the last one was.

        What nothing touched stays as it was read, and so does what lies where something moves (`busy`). What was
        touched is looked at where it lay, and corners in and around the change lead to what came. Both have to explain
        the table together with the rest.
        """
        if changed is not None:
            known.add_change(changed)
        known.looks, known.looked_s = known.looks + 1, frame.time_s
        view = known.seen_from_above
        look, looked = view.again(frame.image, known.registration, known.boxes_looked_at(), known.blocks.pixels(busy))
        if changed is not None and view.all_anew:
            view = self._seen_evenly(known, view)
            look, looked = view.look, view.looked
        self._clock.stage("rectify")
        far, near = known.blocks.apart(known.readings, known.within_reach())
        near, untouchable = known.blocks.apart(near, busy)
        stay, doubtful = known.blocks.apart(near, (known.change if changed is None else changed) & ~busy)
        stay += untouchable
        if changed is None:
            stay += [r for r in doubtful if r.settled]
            doubtful = [r for r in doubtful if not r.settled]
        trusted = doubtful if changed is None else known.founded(doubtful)
        again = [r for kind, some in self._kinds.items() for r in where_they_lay(look, kind, some, trusted)]
        if changed is None:
            again += doubtful
        gone = [place(self._kinds[r.kind].faces.shape.outline, r.pose) for r in gone_from(doubtful, again)]
        known.uncovered |= known.blocks.polygons(gone)
        again += known.back_again(look, busy)
        readings: list[Reading] = []
        if self._kinds:
            around = known.around_change(busy, uncovered=known.looks > 1)
            readings = self._found_around(known, view, [*stay, *again], stay, far, around)
        if changed is not None:
            known.leave_over([*readings, *far])
            if self._kinds and known.uncovers_more([*readings, *far], busy):
                around = known.around_change(busy, uncovered=True)
                readings = self._found_around(known, view, readings, stay, far, around)
                known.leave_over([*readings, *far])
        if self._kinds and known.may_be_told_otherwise([*readings, *far], busy):
            covered = explained(far, self._kinds, known.bare.bare())
            told = from_top_down(look, readings, self._kinds, covered, [*stay, *again])
            if all(one is before for one, before in zip_longest(told, readings)):
                known.told_in_vain([*readings, *far], busy)
            readings = told
        if changed is None and self._kinds and known.looks == LOOKS and not known.hand.any():
            left = known.left_over([*readings, *far], busy)
            if left is not None:
                left = self._unexplained(known.bare, [*readings, *far], left)
                told = readings
                readings = with_left_over(look, looked, self._kinds, self._index, readings, left, far)
                covered = explained(far, self._kinds, known.bare.bare())
                readings = from_top_down(look, readings, self._kinds, covered, told)
        readings = known.without_new_under(busy, readings) + far
        self._clock.stage("pieces")
        lens_due = self._lens is None and _outer(readings) >= max(4, LENS_GROWTH * self._lens_by)
        if lens_due and changed is None and not busy.any():
            lens_due = False
            registration, view, readings = self._with_better_lens(
                frame, known.registration, known.seen_from_above, readings
            )
            if registration is not known.registration:
                if self._first is known.registration:
                    self._first = registration
                readings = from_top_down(view.look, readings, self._kinds, Raster(view.table))
                known = self._table = known.seen_with(registration, view, frame)
        self._settle(frame, known, readings, busy)
        if not busy.any() and not lens_due and known.is_plain():
            known.looks = LOOKS
        return known

    def _found_around(
        self,
        known: KnownTable,
        view: FromAbove,
        readings: Sequence[Reading],
        done: Sequence[Reading],
        beyond: Sequence[Reading],
        around: Mask,
    ) -> list[Reading]:
        """These readings, with the pieces that keypoints lead to which lie `around` what changed (see
        `find_pieces`)."""
        look = view.look
        self._clock.stage("pieces")
        keypoints = find_keypoints(view.looked, look.table, mask=self._unexplained(known.bare, readings, around))
        self._clock.stage("keypoints")
        return find_pieces(look, keypoints, self._kinds, self._index, readings, done, beyond, known.bare)

    def _found_in(self, view: FromAbove) -> list[Reading]:
        """The pieces that keypoints lead to, in the picture's own tone."""
        look, looked, bare = view.look, view.looked, Raster(view.table)
        keypoints = find_keypoints(looked, look.table)
        self._clock.stage("keypoints")
        readings = find_pieces(look, keypoints, self._kinds, self._index, bare=bare)
        readings = self._in_tone(look, readings)
        self._clock.stage("pieces")
        keypoints = find_keypoints(looked, look.table, mask=self._unexplained(bare, readings))
        self._clock.stage("keypoints")
        readings = find_pieces(look, keypoints, self._kinds, self._index, readings, bare=bare)
        self._clock.stage("pieces")
        return readings

    def _with_left_over(self, view: FromAbove, readings: list[Reading]) -> list[Reading]:
        """The readings, in a thorough look with what else may lie where they explain nothing."""
        if not self._thorough:
            return readings
        open_still = self._unexplained(Raster(view.table), readings)
        more = with_left_over(view.look, view.looked, self._kinds, self._index, readings, open_still)
        self._clock.stage("left over")
        return more

    def _in_even_light(
        self, registration: Registration, view: FromAbove, readings: list[Reading]
    ) -> tuple[FromAbove, list[Reading]]:
        """The view without edges of shadows and stripes of light across it, and the pieces found in it, if they explain
        more so; as they are, else."""
        even = view.even(registration)
        if even is None:
            return view, readings
        kinds = self._kinds
        self._clock.stage("rectify")
        again = self._found_in(even)
        if _explained_by(again) > _explained_by(readings):
            return even, again
        self._kinds = kinds
        return view, readings

    def _seen_evenly(self, known: KnownTable, view: FromAbove) -> FromAbove:
        """The view without edges of shadows and stripes of light across it, if what lies there fits better so; else as
        it is."""
        even = view.even(known.registration)
        if even is None:
            return view
        plain, evenly = (
            sum(cost_there(one.look, self._kinds[r.kind], r.face, r) for r in known.readings) for one in (view, even)
        )
        if evenly < EVEN_COST * plain:
            known.seen_from_above = even
            return even
        return view

    def _in_tone(self, look: Look, readings: list[Reading]) -> list[Reading]:
        """Take faces as this picture shows colours; where it is another camera's, what did not fit well so far is
        looked at again, and may be found elsewhere."""
        tone = tone_of(look, readings, self._enrolled)
        if tone is PLAIN:
            self._kinds = dict(self._enrolled)
            return readings
        self._kinds = {kind: prepare(in_tone(plain.faces, tone)) for kind, plain in self._enrolled.items()}
        again = [
            found
            for kind, prepared in self._kinds.items()
            if (mine := [r for r in readings if r.kind is kind and not (r.settled and r.cost < FITS_COST)])
            for found in check_again(look, kind, prepared, mine, np.array([r.pose for r in mine]))
        ]
        return [*(r for r in readings if r.settled and r.cost < FITS_COST), *again]

    def _unexplained(self, bare: Raster, readings: Sequence[Reading], within: Mask | None = None) -> Mask:
        """255 at the map's pixels (of those `within` a mask, if one is given) that no piece explains well. Bold faces
        would leave pale ones no corners there."""
        settled = (reading for reading in readings if reading.settled)
        return explained(settled, self._kinds, bare.bare()).open_pixels(within)

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
            view = FromAbove(frame.image, table_map(better), better, view.light)
            again: list[Reading] = []
            for kind, prepared in self._kinds.items():
                mine = [r for r in readings if r.kind is kind]
                centre = prepared.faces.shape.centre
                poses = [carried_over(r.pose, centre, registration, better) for r in mine]
                again += check_again(view.look, kind, prepared, mine, np.array(poses).reshape(-1, 3))
            registration, readings = better, select(again, self._kinds, Raster(view.table))
        self._seen_lens, self._lens_by = registration.lens, _outer(readings)
        self._clock.stage("lens")
        return registration, view, readings

    def _settle(self, frame: Frame, known: KnownTable, readings: list[Reading], busy: Mask) -> None:
        """Take what was found as what lies there, with what hides the rest. Where something moves, nothing is taken."""
        readings = Surroundings(known.seen_from_above.look, known.coarse).without_table(readings, known.readings)
        covered = known.blocks.covered(readings)
        soft, looked = known.seen_from_above.look.soft, known.seen_from_above.looked
        paper = paper_levels(frame.image, known.registration)
        unveiled = {marker: level - known.seen_from_above.veil.max() for marker, level in paper.items()}
        blown = find_glare(known.motion.last, paper.values(), markers_in(known.motion.last, known.registration, paper))
        glare = known.blocks.to_cells(blown) & known.coarse.seen
        seen = SeenTable(soft, known.coarse, readings, self._kinds, glare, known.as_bare, looked)
        reaching = known.blocks.to_cells(known.reaching_in(covered | blown))
        # Without readings it tells of nothing yet, and is worked out when finders have found what lies there.
        foreign = seen.foreign() | reaching if readings else reaching
        open_ones = [r for r in known.with_hidden(readings, foreign | glare) if r.confirmed]
        lit, overexposed = known.with_otherwise_lit(open_ones), known.overexposed()
        if lit is not open_ones or overexposed.any():
            readings, glare = lit, glare | overexposed
            seen = SeenTable(soft, known.coarse, readings, self._kinds, glare, known.as_bare, looked)
            foreign = seen.foreign() | reaching
            open_ones = known.with_hidden(readings, foreign | glare)
        previous = known.readings
        known.take(known.instead(open_ones))
        before = known.sightings
        known.sightings = by_faces = known.sightings_of(known.readings)
        in_hand: dict[int, float] = {}
        for finder in self._finders:
            found = tuple(with_spaces_open(s, glare, known.coarse) for s in known.found_by(finder, frame.image, busy))
            known.sightings += found
            if isinstance(finder, TellsHeld):
                shares = finder.in_hand(frame.image, known.registration, found)
                in_hand |= {id(piece): share for piece, share in zip(found, shares, strict=True)}
            self._clock.stage(finder.name)
        by_form = known.sightings[len(by_faces) :]
        large = [np.array(piece.outline_mm) for piece in by_form if piece.kind in LARGE]
        dice = dice_as_seen(by_form)
        if large or dice:
            anew = seen.foreign(large + dice)
            boards = any(piece.kind is PieceKind.BOARD for piece in by_form)
            if boards and (dice or not readings):
                foreign = reaching | seen.foreign(dice)
            foreign = anew | (foreign if boards else reaching)  # sheets and dice seemed to be arms
        elif not readings:
            foreign = reaching | seen.foreign()
        things = known.things(previous, busy | blown)
        seen.ends(things)
        foreign = foreign | (things & ~seen.seen)
        by_form, strange = told_by_form(by_form, foreign & ~glare, known.coarse, in_hand, soft)
        known.sightings = by_faces + by_form
        strange = strange | over_pieces(by_form, PieceKind.BOARD, known.coarse)
        if self._thorough:
            lying = _lying(known, seen)
            seen.ends(apart_from(lying, strange))
            strange = strange | lying
        washed = washed_out(strange, glare)
        read = [np.array(piece.outline_mm) for piece in known.sightings if piece.likely]
        dark = without_things(find_dark(seen.small, known.coarse, unveiled, read), strange & ~glare)
        bright = glare | washed | known.coarse.polygons([np.array(o) for s in by_form for o in s.blinded_mm])
        known.blinded = hidden_places(bright, known.coarse, cause=HiddenCause.GLARE)
        known.blinded += hidden_places(dark & ~bright, known.coarse, cause=HiddenCause.DARK)
        striped = known.coarse.polygons([np.array(o) for s in by_form for o in s.striped_mm])
        known.blinded += hidden_places(striped & ~(bright | dark), known.coarse, cause=HiddenCause.STRIPES)
        on_sheets = over_pieces(by_form, PieceKind.SHEET, known.coarse) & known.coarse.seen
        known.hidden = hidden_places(
            strange & ~(bright | dark),
            known.coarse,
            things=on_sheets & ~(bright | dark),
            goes_on=seen.goes_on,
        )
        known.hands_are(known.hidden, frame.time_s)
        known.found_beside_hands(previous, busy)
        if known.looks > 1 and not same(before, known.sightings):
            known.motion.disturb()
        known.read = np.asarray(cv2.copyTo(known.read, busy, known.motion.last.copy()), np.float32)
        known.remember(covered | busy | blown, foreign)
        known.keep_in_mind(frame.image, busy)
        self._clock.stage("hidden")

    # Video ----------------------------------------------------------------------------------------------------

    def _still_registered(self, frame: Frame, known: KnownTable) -> bool:
        """Whether the mat lies where it lay; a hand over a marker moves nothing."""
        try:
            found = find_mat(frame.image, lens=known.registration.lens, near=known.registration)
        except RegistrationError:
            return True
        self._clock.stage("register")
        return _lies_as(found, known.registration)

    def _scene_while_moving(self, frame: Frame, known: KnownTable, changed: Mask, busy: Mask) -> Scene:
        """What was known and is not touched by the movement; what moves hides the rest."""
        strange = known.strange(known.blocks.covered(known.readings)) | changed
        hiding = np.asarray(cv2.dilate(strange, np.ones((3, 3), np.uint8)), np.uint8)
        untouched = tuple(s for s in known.sightings if not known.blocks.touched(s, changed))
        hidden = hidden_places(known.blocks.to_cells(hiding), known.coarse, cause=HiddenCause.HAND)
        self._clock.stage("hidden")
        return self._scene(frame, known, untouched, hidden, busy)

    def _scene(
        self,
        frame: Frame,
        known: KnownTable,
        sightings: tuple[Sighting, ...],
        hidden: tuple[HiddenPlace, ...],
        busy: Mask | None = None,
    ) -> Scene:
        first = self._first or known.registration
        shift = 0.0 if first is known.registration else known.registration.shift_mm(first)
        busy = None if busy is None or not busy.any() else busy
        at_rest_s = known.motion.at_rest_s()
        settled = self._last_rest.take(
            sightings,
            None if busy is None else partial(known.blocks.meets, busy),
            at_rest_s if busy is None else known.motion.at_rest_s(busy),
            frame.time_s,
        )
        paper, blur = self._seen_by_camera(frame, known, sightings)
        blur = blur if busy is None else None
        return Scene(
            frame.time_s, frame.sequence, sightings, hidden + known.blinded + known.lying + known.out_of_picture,
            0.0 if busy is not None else at_rest_s, round(shift, 2), self._clock.stages, settled=settled,
            paper=paper, blur_widths=blur,
        )  # fmt: skip

    def _seen_by_camera(
        self, frame: Frame, known: KnownTable, sightings: Sequence[Sighting]
    ) -> tuple[tuple[PaperLevel, ...], float | None]:
        """How bright white paper is, and how blurred markers are, where it was not looked for a while: rather in a
        picture in which nothing is read, as that takes long enough."""
        if frame.time_s - self._paper_s < (PAPER_WAITS_S if known.looked_s == frame.time_s else PAPER_S):
            return (), None
        self._paper_s = frame.time_s
        seen = known.registration
        return paper_seen(frame.image, seen, sightings), blur_widths(frame.image, list(seen.markers_px.values()))


class _StageClock:
    """Milliseconds spent since the stage before."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._last = perf_counter()

    def stage(self, name: str) -> None:
        now = perf_counter()
        self.stages[name] = round(self.stages.get(name, 0.0) + (now - self._last) * 1e3, 3)
        self._last = now


def _lies_as(one: Registration, other: Registration) -> bool:
    """Whether the mat lies where it lay."""
    return one.markers_shift_mm(other) < MAT_MOVED_MM


def _waited_for(frame: Frame, known: KnownTable) -> Mask:
    """Blocks of hands that rest, but not for so long that they are none to wait for."""
    return known.hand if frame.time_s - known.hand_since_s < ABSORB_S else known.nowhere


def _lying(known: KnownTable, seen: SeenTable) -> Mask:
    """Cells in which things lie about, and none of the pieces that are known."""
    likely = [piece for piece in known.sightings if piece.likely]
    flat = [np.array(piece.outline_mm) for piece in likely if piece.kind is not PieceKind.DIE]
    return lying_about(known.seen_from_above, seen, known.coarse, flat + dice_as_seen(likely), known.changed())


def _explained_by(readings: Sequence[Reading]) -> float:
    """How much the confirmed ones explain; those in shade of their own less, as that explains a part of it."""
    return sum((1.0 if r.own_light is None else OF_SHADED) * r.strength for r in readings if r.confirmed)


def _outer(readings: list[Reading]) -> int:
    """How many pieces lie where the lens bends the picture."""
    return sum(float(np.hypot(r.pose[0], r.pose[1])) > OUTER_MM for r in readings)
