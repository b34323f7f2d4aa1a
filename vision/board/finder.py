"""The board, what lies on its spaces, and the cutters over it, as sightings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.board.as_before import Seen, remembered, still_known, without_as_before
from vision.board.changed import changed_discs, changed_places, changed_spaces, may_be_stick, stick_changed
from vision.board.covering import covering_outlines, find_covering, parts_in
from vision.board.covering_light import Ground, ground_of
from vision.board.cutters import certainty, everywhere, find_cutters, may_be
from vision.board.loose import find_loose
from vision.board.much_light import Lit, cut_off, find_in_much_light, lit_there, told_times
from vision.board.pose import (
    LEAST_AGREEING,
    BoardFit,
    BoardGrid,
    badness,
    board_grid,
    find_board,
    light_steps,
    print_cost,
    same_board,
    turned_under,
    under,
)
from vision.board.record import TOPPING_THICK_MM, BoardPrint
from vision.board.sight import Sight, sight_of
from vision.board.sightings import (
    board_sighting,
    cutter_sighting,
    doubted_beside,
    loose_sighting,
    odd_ones_doubted,
    space_of,
    topping_sighting,
)
from vision.board.tone import board_in_tone
from vision.board.toppings import SpaceFit, narrow_ones_doubted, read_spaces
from vision.finders import Changed, Moves, nothing_moves, nowhere
from vision.frame import Image
from vision.mat.registration import Registration
from vision.pieces.light_across import light_across
from vision.pieces.veil import unveiled
from vision.scene import EMPTY, PieceKind, Sighting
from vision.shapes import place

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]

AROUND_MM = 30.0
"""So far around a change the table is looked at."""
SAME_MM = 0.1
"""Rounding moves what was seen by less."""
WHOLE = 0.75
"""A cutter that looks like one over so much of its length lies under nothing."""
OVER_MM = 1.5
"""How high a cutter may lie is open by so much in its outline."""


MAY_AGREE, LEAST_IN_TONE = 0.2, 0.65
"""A board of whose print so little is seen as enrolled may be shown by a camera that shows colours quite otherwise:
then so much of it must be seen in that camera's tone. (Where no board lies up to half of one was, of a true one 0.94.)
"""
BETTER = 0.92
"""A board is taken in the tone of a picture where its print costs less than this share of what it costs without."""
STEEP, FITS_COST = 0.2, 1.6
"""Where light changes so steeply on a board (see `light_steps`), or its print fits so badly, shadows' edges and stripes
are looked for. On boards in plain light, simulated and rendered, it changes by 0.12 at most, under hands by up to 0.3;
their prints cost up to 1.5. Edges of shadows make it 0.3 and more, stripes the print cost 2 and more."""
HARDLY_MORE, WELL_AGREEING = 1.15, 0.8
"""In less light than so many times as much as a picture can show a board is not looked for as that cuts it off; where
so much of its print agrees in the light that it tells where it was found, in no other;"""
MOST_LIGHT = 3.0
"""where it is not found in any, it may lie where it lay, in about this;"""
OTHER_LIGHT = 0.1
"""where by such a share more or less falls on it than when that was told last, it is found anew."""
BETTER_LIT = 0.85
"""Without them a print has to cost less than this share of what it costs with them: it costs about half."""
WELL_OPEN, MORE_OPEN = 0.7, 0.1
"""Where less of a board is seen than the first where it lay, it is looked for anew, and lies where that says if so much
more of it is seen so."""


@dataclass(slots=True)
class BoardFinder:
    """Finds one board with its toppings and cutters."""

    enrolled: BoardPrint
    enrolled_grid: BoardGrid
    """What `board_grid` gives of it."""
    name: str = "board"
    board: BoardPrint = field(init=False)
    """As the picture in which it was found last shows its colours."""
    grid: BoardGrid = field(init=False)
    ground: Ground = field(init=False)
    _fit: BoardFit | None = None
    """How it lay when it was read last."""
    _times: Floats | None = None
    """Where white paper was cut off when it was found last: how many times as bright as a picture can show, on its grid
    (n x n x 3)."""
    _plain: Seen | None = None
    """How it was read last where it was not,"""
    _lately: Seen | None = None
    """and since then where it was, with nothing over it."""

    def __post_init__(self) -> None:
        self._take(self.enrolled, self.enrolled_grid)

    def find(self, image: Image, registration: Registration, seen: Sequence[Sighting]) -> Sequence[Sighting]:
        """The board, its toppings, and its cutters from the lowest to the highest; nothing where there is no board."""
        image = plain = unveiled(image, registration)
        sight = sight_of(image, registration)
        image, sight, fit = self._found(image, sight)
        if fit is None:
            return ()
        fit, spaces = _covered(sight, image, self.board, (self.grid, self.ground), fit, partial(self._open_up, sight))
        turned = turned_under(sight, self.grid, fit)
        if fit.covering is not None and turned.covering is None:
            turned, spaces = _covered(
                sight, image, self.board, (self.grid, self.ground), turned, partial(self._open_up, sight)
            )
        lying = _lying(sight, image, self.board, turned, spaces)
        if image is not plain:  # of hands it was taken off, too
            lying = doubted_beside(covering_outlines(sight, turned), lying)
        lying = self._remembered(sight, turned, lying)
        self._fit = turned
        return _in_order(lying, _loose(sight, self.board, turned, seen))

    def find_again(
        self,
        image: Image,
        registration: Registration,
        seen: Sequence[Sighting],
        before: Sequence[Sighting],
        changed: Changed,
        moves: Moves = nothing_moves,
        written: Changed = nowhere,
    ) -> Sequence[Sighting]:
        """What `find` gives, the cheaper way: from `before`, what was read in an earlier picture with the same
        registration, this finder's sightings among it.

        Only where `changed` says so the picture is looked at: spaces, cutters and loose toppings that it does not touch
        are the very sightings of `before`. Where no board lay, or it lies otherwise now, all is looked for anew. `seen`
        is what others found in this picture, as for `find`.
        """
        known = next(iter(_of_kind(before, PieceKind.BOARD)), None)
        if known is None or tuple(space.name for space in known.spaces) != self.board.space_names:
            return self.find(image, registration, seen)
        places = changed_places(changed)
        if not len(places):
            return before
        image = unveiled(image, registration)
        sight = sight_of(image, registration, _around(np.concatenate([np.array(known.outline_mm), places])))
        if moves(known) and self._fit is not None and _lies_as(known, self._fit):
            loose = _loose_of(before, self.board, self._fit)
            lying = [one for one in before if not any(one is other for other in loose)]
            return _in_order(lying, _loose_again(sight, self.board, self._fit, seen, loose, places, changed))
        pose = np.array([known.pose.x_mm, known.pose.y_mm, known.pose.angle_deg])
        fit = same_board(sight, self.board, pose, known.probability, self.grid)
        if fit is None or (_badly_lit(self.grid, fit) and light_across(sight.looked, sight.table) is not None):
            return self.find(image, registration, seen)
        if self._in_other_light(sight, fit):
            return self.find(image, registration, seen)
        fit, spaces = _covered(sight, image, self.board, (self.grid, self.ground), fit, partial(self._open_up, sight))
        sticks = _of_kind(before, PieceKind.CUTTER)
        if stick_changed(sight, self.board, fit, sticks, places, changed):
            may_lie = may_be_stick(sight, fit, sticks, changed)
            lying = _lying(sight, image, self.board, fit, spaces, may_lie)
        else:
            lying = _lying_again(sight, self.board, fit, before, changed)
        lying = self._remembered(sight, fit, lying)
        self._fit = fit
        loose = _loose_of(before, self.board, fit)
        again = _in_order(lying, _loose_again(sight, self.board, fit, seen, loose, places, changed))
        if _open_of(again) >= WELL_OPEN:
            return again
        anew = self.find(image, registration, seen)  # turned to nearly as it lay, what is print seems to cover it
        return anew if _open_of(anew) > _open_of(again) + MORE_OPEN else again

    def _found(self, image: Image, sight: Sight) -> tuple[Image, Sight, BoardFit | None]:
        """The board, in the picture's tone and light, and without shadows' edges and stripes across it; the picture
        so."""
        faint = find_board(sight, self.enrolled, self.enrolled_grid, MAY_AGREE)
        fit = faint if faint is not None and faint.agreeing >= LEAST_AGREEING else None
        if fit is None or _badly_lit(self.enrolled_grid, fit):
            image, sight, fit = self._in_even_light(image, sight, fit)
        self._times = None
        if cut_off(sight):
            lit = self._in_much_light(sight, fit)
            if lit is not None:
                return image, sight, lit
        if fit is not None or faint is None:
            return image, sight, None if fit is None else self._in_tone(sight, fit, self.enrolled, self.enrolled_grid)
        toned = self._in_tone(sight, faint, self.enrolled, self.enrolled_grid)
        return image, sight, toned if toned.agreeing >= LEAST_IN_TONE else None

    def _in_much_light(self, sight: Sight, fit: BoardFit | None) -> BoardFit | None:
        """The board where it is cut off as white paper is, if its print then fits better than as it is (`fit`)."""
        lit = None
        if fit is not None:
            self._times = told_times(sight, self.enrolled, self.enrolled_grid, fit, np.ones(3))
            if self._times.mean((0, 1)).max() < HARDLY_MORE:
                return None
            lit = lit_there(sight, self.enrolled, self.enrolled_grid, fit, self._times)
        if lit is None or lit.fit.agreeing < WELL_AGREEING:
            lit = find_in_much_light(sight, self.enrolled, self.enrolled_grid) or self._where_it_lay(sight)
        if lit is None or (fit is not None and badness(lit.fit) > badness(fit)):
            return None
        self._times = lit.times
        return self._in_tone(sight, lit.fit, lit.board, lit.grid)

    def _where_it_lay(self, sight: Sight) -> Lit | None:
        """The board in so much light that too little of its print is left to look for it, where it lay; None where it
        lies otherwise now."""
        if self._fit is None:
            return None
        times = np.full(3, MOST_LIGHT)
        return lit_there(sight, self.enrolled, self.enrolled_grid, self._fit, times)

    def _in_other_light(self, sight: Sight, fit: BoardFit) -> bool:
        """Whether light that cuts off white paper came, went, or changed since the board was found."""
        if self._times is None or not cut_off(sight):
            return self._times is not None or cut_off(sight)
        times = told_times(sight, self.enrolled, self.enrolled_grid, fit, self._times)
        return bool(np.abs(np.log(times / self._times).mean((0, 1))).max() > OTHER_LIGHT)

    def _in_even_light(self, image: Image, sight: Sight, fit: BoardFit | None) -> tuple[Image, Sight, BoardFit | None]:
        """The picture without shadows' edges and stripes across it, if its print then fits better; as it is, else."""
        light = light_across(sight.looked, sight.table)
        if light is None:
            return image, sight, fit
        even = light.taken_off(image, sight.registration)
        seen = sight_of(even, sight.registration)
        again = find_board(seen, self.enrolled, self.enrolled_grid)
        if again is None or (fit is not None and again.cost > BETTER_LIT * fit.cost):
            return image, sight, fit
        return even, seen, again

    def _in_tone(self, sight: Sight, fit: BoardFit, base: BoardPrint, base_grid: BoardGrid) -> BoardFit:
        """Take the board as this picture shows its colours; where it lies, by these. `base` is how it looks in a tone
        like that in which it was enrolled."""
        self._take(base, base_grid)
        shown = board_in_tone(sight, base, fit)
        if shown is base:
            return fit
        grid = board_grid(shown)
        if print_cost(sight, grid, fit.pose) > BETTER * print_cost(sight, base_grid, fit.pose):
            return fit
        again = same_board(sight, shown, fit.pose, fit.turn_probability, grid)
        if again is None:
            return fit
        self._take(shown, grid)
        return again

    def _open_up(self, sight: Sight, fit: BoardFit, covering: Mask) -> Mask:
        """What seems to lie over the board, but for what much light shows as it was known before it."""
        if not self.board.cut_off or self._plain is None:
            return covering
        return without_as_before(self._plain, Seen(sight, fit, (), self._times), self.ground.own, covering)

    def _remembered(self, sight: Sight, fit: BoardFit, lying: Sequence[Sighting]) -> list[Sighting]:
        """What lies on the board, what much light does not show as it was known before it."""
        now = Seen(sight, fit, tuple(lying), self._times if self.board.cut_off else None)
        if now.times is None:
            self._plain, self._lately = now, None
        elif self._plain is not None:
            lying = remembered(self._plain, self._lately, now, self.board)
            self._plain = still_known(self._plain, lying)
            if fit.covering is None:
                self._lately = now
        return list(lying)

    def _take(self, board: BoardPrint, grid: BoardGrid) -> None:
        """Take the board as it shows its colours."""
        self.board, self.grid, self.ground = board, grid, ground_of(board)


def _badly_lit(grid: BoardGrid, fit: BoardFit) -> bool:
    """Whether light changes on the board as only edges of shadows, stripes, or hands make it change."""
    return fit.cost > FITS_COST or light_steps(grid, fit) > STEEP


def _open_of(sightings: Sequence[Sighting]) -> float:
    """How much of the board is seen; 0 without one."""
    return max((board.visible for board in _of_kind(sightings, PieceKind.BOARD)), default=0.0)


def board_finder(board: BoardPrint) -> BoardFinder:
    """The finder for one owner's board."""
    return BoardFinder(board, board_grid(board))


def _in_order(lying: Sequence[Sighting], loose: Sequence[Sighting]) -> tuple[Sighting, ...]:
    """From the lowest to the highest: cutters lie over all."""
    sticks = _of_kind(lying, PieceKind.CUTTER)
    return (*(sighting for sighting in lying if sighting.kind is not PieceKind.CUTTER), *loose, *sticks)


def _covered(
    sight: Sight,
    image: Image,
    board: BoardPrint,
    prepared: tuple[BoardGrid, Ground],
    fit: BoardFit,
    open_up: Callable[[BoardFit, Mask], Mask],
) -> tuple[BoardFit, tuple[SpaceFit, ...]]:
    """The board with what lies over it, and what lies on its spaces, but for cutters. `open_up` takes from what seems
    to lie over it what is known not to."""
    grid, ground = prepared
    spaces = read_spaces(sight, board, fit)
    covering = open_up(fit, find_covering(sight, board, fit, spaces, ground=ground))
    if covering.any():
        # Cutters side by side are as wide as a finger; seen from end to end they are known.
        bare = replace(fit, covering=None, open_share=1.0)
        whole = [cutter for cutter in find_cutters(sight, image, board, bare, spaces) if cutter.seen > WHOLE]
        sticks = [cutter.outline(board.cutter_mm[1]) for cutter in whole if certainty(cutter) > 0.9]
        covering = parts_in(covering, find_covering(sight, board, fit, spaces, sticks, ground)) if sticks else covering
    covered = under(sight, grid, fit, covering)
    if covered.covering is None:
        return covered, spaces
    return covered, read_spaces(sight, board, covered, covering_outlines(sight, covered))


def _lying(
    sight: Sight,
    image: Image,
    board: BoardPrint,
    fit: BoardFit,
    spaces: Sequence[SpaceFit],
    may_lie: Callable[[Array], bool] = everywhere,
) -> list[Sighting]:
    """The board and all that lies on it; on its spaces, but for what cutters hide, that. Cutters lie along lines where
    they `may_lie` only."""
    hands = covering_outlines(sight, fit)
    cutters = find_cutters(sight, image, board, fit, spaces, may_lie)
    cutters = tuple(cutter for cutter in cutters if may_be(cutter))
    over = [cutter.outline(board.cutter_mm[1]) for cutter in cutters]
    if hands or over:
        spaces = odd_ones_doubted(hands, read_spaces(sight, board, fit, [*hands, *over]), board.topping_mm)
    spaces = narrow_ones_doubted(sight, board, fit, spaces, fingers=bool(hands))
    toppings = [topping_sighting(space, board, fit) for space in spaces if space.likely not in (None, EMPTY)]
    whole = board_sighting(board, fit, [space_of(space, board, fit) for space in spaces], hands)
    return [whole, *toppings, *(cutter_sighting(cutter, board, fit) for cutter in cutters)]


def _lying_again(
    sight: Sight, board: BoardPrint, fit: BoardFit, before: Sequence[Sighting], changed: Changed
) -> list[Sighting]:
    """The same where only spaces may have changed."""
    (known,) = _of_kind(before, PieceKind.BOARD)
    sticks = _of_kind(before, PieceKind.CUTTER)
    only = changed_spaces(sight, board, fit, changed)
    over = [sight.seen(_grown(np.array(stick.outline_mm)), fit.height_mm + TOPPING_THICK_MM) for stick in sticks]
    hands = covering_outlines(sight, fit)
    over += hands
    anew = odd_ones_doubted(hands, read_spaces(sight, board, fit, over, only), board.topping_mm)
    anew = narrow_ones_doubted(sight, board, fit, anew, fingers=bool(hands))
    read = {space.name: space for space in anew}
    spaces = [space_of(read[space.name], board, fit) if space.name in read else space for space in known.spaces]
    middles, near_mm = place(board.spaces_mm, fit.pose), board.pitch_mm / 2
    toppings: list[Sighting] = []
    for name, middle in zip(board.space_names, middles, strict=True):
        if name in read:
            likely = read[name].likely
            toppings += [topping_sighting(read[name], board, fit)] if likely not in (None, EMPTY) else []
        else:
            toppings += [one for one in _of_kind(before, PieceKind.TOPPING) if _off(one, middle) < near_mm]
    return [board_sighting(board, fit, spaces, hands), *toppings, *sticks]


def _loose(sight: Sight, board: BoardPrint, fit: BoardFit, seen: Sequence[Sighting]) -> list[Sighting]:
    taken = [np.array(other.outline_mm) for other in seen]
    return [loose_sighting(one, board) for one in find_loose(sight, board, fit, taken)]


def _loose_again(
    sight: Sight,
    board: BoardPrint,
    fit: BoardFit,
    seen: Sequence[Sighting],
    before: Sequence[Sighting],
    places_mm: Array,
    changed: Changed,
) -> list[Sighting]:
    """Loose toppings: of those `before` what nothing changed, and what is found where something did."""
    stay = _apart_from(before, sight, board, changed, touched=False)
    beside = np.linalg.norm(places_mm - fit.pose[:2], axis=1) > board.diameter_mm / 2
    if not beside.any():
        return stay
    return stay + _apart_from(_loose(sight, board, fit, seen), sight, board, changed, touched=True)


def _loose_of(before: Sequence[Sighting], board: BoardPrint, fit: BoardFit) -> list[Sighting]:
    """The toppings that lie on none of the spaces."""
    spaces, near_mm = place(board.spaces_mm, fit.pose), board.pitch_mm / 2
    toppings = _of_kind(before, PieceKind.TOPPING)
    return [one for one in toppings if min(_off(one, middle) for middle in spaces) >= near_mm]


def _apart_from(
    toppings: Sequence[Sighting], sight: Sight, board: BoardPrint, changed: Changed, *, touched: bool
) -> list[Sighting]:
    """Those that a change touches, or those that none does."""
    middles = np.array([[one.pose.x_mm, one.pose.y_mm] for one in toppings]).reshape(-1, 2)
    under = set(changed_discs(sight, middles, board.topping_mm / 2, 0.0, changed))
    return [one for i, one in enumerate(toppings) if (i in under) is touched]


def _of_kind(sightings: Sequence[Sighting], kind: PieceKind) -> list[Sighting]:
    return [sighting for sighting in sightings if sighting.kind is kind]


def _lies_as(board: Sighting, fit: BoardFit) -> bool:
    """Whether a board was seen to lie so."""
    return _off(board, fit.pose) < SAME_MM


def _around(places_mm: Array) -> Array:
    """Corners of squares around these places."""
    reach = np.array([[-AROUND_MM, -AROUND_MM], [AROUND_MM, AROUND_MM]])
    return np.asarray((places_mm[:, None] + reach).reshape(-1, 2))


def _off(one: Sighting, middle_mm: Array) -> float:
    return float(np.hypot(one.pose.x_mm - middle_mm[0], one.pose.y_mm - middle_mm[1]))


def _grown(outline_mm: Array) -> Array:
    """A cutter's outline, wider: how high it lies is not kept."""
    way = outline_mm[1] - outline_mm[0]
    side = np.array([-way[1], way[0]]) / np.linalg.norm(way) * OVER_MM
    return np.asarray(outline_mm + np.array([-side, -side, side, side]))
