"""What lies over a board and is neither a topping nor a cutter: hands, sleeves, cups.

Light changes slowly over a board and has nearly one tint, and the tint of print and toppings is known. What has another
one, or is much brighter or darker, and is wider than a cutter, lies over them. Hands come from outside: what the table
around the board looks like tells of those that only reach for a cutter's end.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.between_fingers import from_most_alike, toppings_shown
from vision.board.covering_light import (
    TOPPING_RIM_MM,
    Ground,
    Light,
    Look,
    ground_of,
    light_on,
    look_at,
    shade_and_tint,
    shows_print,
    strangeness,
)
from vision.board.pose import BoardFit
from vision.board.record import RING_STEP_MM, TOPPING_THICK_MM, BoardPrint
from vision.board.sight import Sight, inside_any
from vision.board.toppings import SpaceFit
from vision.scene import EMPTY
from vision.shapes import CELL_MM, place, to_own_frame

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Mask = NDArray[np.uint8]
Indices = NDArray[np.intp]

STRANGE_TINT, STRANGE_BESIDE, STRANGE_TOPPING = 0.045, 0.06, 0.1
"""A tint (logarithm, root mean square of the channels) is strange that is so far from print under the light, from the
table beside the board, and from a topping; the first grows with how rich a picture shows colours;"""
TINTED_SHARE = 0.35
"""colours of toppings show more or less saturated, by such a share of what they differ from print;"""
SPREADS = 3.0
"""on a patterned table it has to stray so many times farther than most of it does."""
STRANGE_BRIGHT, STRANGE_DARK, STRANGE_SHADE = 0.5, 0.8, 0.6
"""And brightness (logarithm) so far above, or, because of shadows, below the light; and so far off on a topping."""
SUSPECT = 0.7
"""What is so strange, where 1 is strange, belongs to what is strange beside it."""
GROWS_MM = 7.5
WIDER_MM = (12.5, 17.5)
"""What is narrower is a cutter, and beside the board one that crosses a line printed there."""
LEAST_MM2 = 400.0
LEAST_INSIDE_MM2 = 600.0
"""The same, between spaces, where it does not reach the board's rim, from where hands come: some spaces were never seen
bare, and three cutters may cross at one place."""
BEYOND_MM, ALIKE, ENOUGH_ALIKE = 7.5, 0.5, 100
"""What is wider than a cutter and unlike print goes on from what lies over a board if it looks so much like what is
most alike of that (1: as unlike as parts of one thing are), of so many of its points;"""
MOSTLY, GOES_ON, RIM_WIDE_MM = 0.6, 0.12, 3.0
"""no topping lies where that makes up most of one, and so much of what is right beyond its rim: a finger makes up a
sixth where it ends on it."""
LEAST_POINTS = 50
CLOSE_BESIDE, ALIKE_BESIDE, ENOUGH_BESIDE = 0.06, 0.25, 200
"""Most of the table beside the board looks like the colour (logarithms) of it that most of so many points are so close
to; what is no farther from that than the second tells how light changes there."""
LEAST_PRINTED = 0.2
"""Where print shows on less than this share of the board, all of it tells the light."""
RIM_CELLS_MM = 6.0
"""A part that comes so near the rim reaches it."""
STRANGEST, LEAST_SHARE = 3.0, 0.05


def find_covering(
    sight: Sight,
    board: BoardPrint,
    fit: BoardFit,
    spaces: Sequence[SpaceFit],
    sticks: Sequence[Array] = (),
    ground: Ground | None = None,
) -> Mask:
    """255 where something lies over a board, on which toppings lie as read and sticks inside these outlines (where they
    seem to lie at z = 0), or over the table close around it.

    Of points of the board's own frame, as of its `ground`: what `ground_of` gives, worked out before.
    """
    ground = ground or ground_of(board)
    look = look_at(sight, ground, fit)
    strange, known = np.zeros(look.inside.shape, np.float32), look.inside | look.beside
    if np.count_nonzero(look.inside) < LEAST_POINTS:
        return np.zeros(known.shape, np.uint8)
    told = look.inside & ground.bare
    printed = told & shows_print(look, told)
    if np.count_nonzero(printed) >= LEAST_PRINTED * np.count_nonzero(told):
        told = printed
    if len(sticks):
        known &= ~inside_any(look.at_mm, sticks)
    light = light_on(ground.slow[told], look.printed[told], look.seen[told])
    left = look.seen[look.inside] - look.printed[look.inside]
    left -= light.at(ground.slow[look.inside], look.printed[look.inside])
    strange[look.inside] = strangeness(left, STRANGE_TINT * board.richer, (STRANGE_BRIGHT, STRANGE_DARK))
    unlike_print = look.inside & (strange > SUSPECT)
    if np.count_nonzero(look.beside) >= LEAST_POINTS:
        strange[look.beside] = _strange_beside(ground, look, light)
    tops = _Tops.of(sight, board, fit, spaces)
    topped = _spare_toppings(strange, known, tops, ground, look, light)
    wider = _close_to(ground, fit, [space.at_mm for space in spaces if space.wider])
    over = _parts(_spread(strange, known), ground.from_rim_mm, ~topped, ground.between & ~topped, wider)
    if over.any():
        over[_taken_for_toppings(over, unlike_print, topped, tops, ground, look)] = 255
        spots = _seen_on_face(sight, fit, place(board.spaces_mm, fit.pose))
        over[toppings_shown(over > 0, spots, board, ground, look, light)] = 0
    return over


def parts_in(covering: Mask, other: Mask) -> Mask:
    """The parts of what lies over a board of which something lies there by another account, too."""
    _, labels = cv2.connectedComponents(covering, connectivity=8)
    both = np.unique(labels[(other > 0) & (labels > 0)])
    return np.where(np.isin(labels, both), covering, np.uint8(0))


def covering_outlines(sight: Sight, fit: BoardFit) -> list[Array]:
    """The outlines (n x 2 each, where they seem to lie at z = 0) of what lies over a board."""
    if fit.covering is None:
        return []
    half = fit.covering.shape[0] // 2
    own = [(outline - half) * np.array([CELL_MM, -CELL_MM]) for outline in _outlines(fit.covering)]
    return [sight.seen(place(outline, fit.pose), fit.height_mm) for outline in own]


def _outlines(mask: Mask) -> list[Array]:
    """The outlines (n x 2 pixels each) of a mask's parts; each goes to its holes and back where they are nearest."""
    contours, tree = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    rings = [contour.reshape(-1, 2).astype(np.float64) for contour in contours]
    outlines: list[Array] = []
    for i, ring in enumerate(rings):
        if tree[0, i, 3] >= 0 or len(ring) < 3:
            continue
        for hole in (other for j, other in enumerate(rings) if tree[0, j, 3] == i and len(other) > 2):
            apart = np.linalg.norm(ring[:, None] - hole, axis=-1)
            here, there = (int(k) for k in np.unravel_index(int(apart.argmin()), apart.shape))
            around = np.roll(hole, -there, axis=0)
            ring = np.concatenate([ring[: here + 1], around, around[:1], ring[here:]])
        outlines.append(ring)
    return outlines


def _strange_beside(ground: Ground, look: Look, light: Light) -> Floats:
    """How strange the table beside a board is, at each point of it: unlike what most of it looks like, in the light
    that falls on the board."""
    slow = ground.slow[look.beside]
    nothing = np.zeros((len(slow), 3), np.float32)
    plain = look.seen[look.beside] - light.at(slow, nothing)
    plain -= _most_frequent(plain)
    alike = np.logical_and.reduce(np.abs(plain.T) < ALIKE_BESIDE)
    left = plain - light_on(slow[alike], nothing[alike], plain[alike]).at(slow, nothing)
    usual = float(np.median(shade_and_tint(left)[1]))
    return strangeness(left, max(STRANGE_BESIDE, SPREADS * usual), (STRANGE_BRIGHT, STRANGE_DARK))


def _most_frequent(colours: Floats) -> Floats:
    """The colour (of n x 3) that most others are close to."""
    some = colours[:: max(len(colours) // ENOUGH_BESIDE, 1)]
    close = np.logical_and.reduce([np.abs(np.subtract.outer(one, one)) < CLOSE_BESIDE for one in some.T])
    return np.asarray(np.median(some[close[int(close.sum(1).argmax())]], axis=0), np.float32)


@dataclass(frozen=True, slots=True)
class _Tops:
    """The toppings that were read, as they are seen."""

    at: Array
    """n x 2: where on the plane of the board's face (own frame) the middle of each is seen."""
    looks: Floats
    """n x rings x 3 logarithms, from its middle outwards."""
    radius_mm: float

    @staticmethod
    def of(sight: Sight, board: BoardPrint, fit: BoardFit, spaces: Sequence[SpaceFit]) -> "_Tops":
        """Those on spaces of a board."""
        some = [space for space in spaces if space.likely not in (None, EMPTY)]
        colours = board.toppings.colours[[board.toppings.names.index(str(space.likely)) for space in some]]
        middles = np.array([space.at_mm for space in some]).reshape(-1, 2)
        seen = _seen_on_face(sight, fit, middles)
        return _Tops(seen, np.asarray(colours, np.float32), board.topping_mm / 2)


def _seen_on_face(sight: Sight, fit: BoardFit, middles_mm: Array) -> Array:
    """Where on the plane of the board's face (own frame) the tops of toppings are seen that lie there (n x 2)."""
    seen = sight.registration.on_table(sight.seen(middles_mm, fit.height_mm + TOPPING_THICK_MM), fit.height_mm)
    return np.asarray(to_own_frame(seen, fit.pose))


def _spare_toppings(strange: Floats, known: Flags, tops: _Tops, ground: Ground, look: Look, light: Light) -> Flags:
    """Where toppings were read what looks like them is not strange, and their rims say nothing. Which points lie on or
    close around one."""
    topped = np.zeros(known.shape, bool)
    points: list[Indices] = []
    looks: list[Floats] = []
    tints: list[Floats] = []
    for at, rings in zip(tops.at, tops.looks - look.usual, strict=True):
        part = ground.around(at, tops.radius_mm + TOPPING_RIM_MM[1])
        own = ground.own[part]
        away = np.hypot(own[..., 0] - at[0], own[..., 1] - at[1])
        near = away < tops.radius_mm + TOPPING_RIM_MM[1]
        topped[part] |= near
        known[part] &= ~(near & (away >= tops.radius_mm - TOPPING_RIM_MM[0]))
        on = (away < tops.radius_mm - TOPPING_RIM_MM[0]) & look.inside[part]
        points.append(ground.number[part][on])
        looks.append(rings[np.minimum((away[on] / RING_STEP_MM).astype(int), len(rings) - 1)])
        # Toppings are no print: what pictures do to its colours need not be done to theirs.
        usual = float(np.median(shade_and_tint(looks[-1])[1])) if on.any() else 0.0
        tints.append(np.full(len(points[-1]), max(STRANGE_TOPPING, TINTED_SHARE * usual), np.float32))
    if not points:
        return topped
    where, expected, tint = np.concatenate(points), np.concatenate(looks), np.concatenate(tints)
    seen, slow = look.seen.reshape(-1, 3)[where], ground.slow.reshape(-1, ground.slow.shape[-1])[where]
    for like_print in (expected, np.zeros_like(expected)):
        left = seen - expected - light.at(slow, like_print)
        np.minimum.at(strange.reshape(-1), where, strangeness(left, tint, (STRANGE_SHADE, STRANGE_SHADE)))
    return topped


def _close_to(ground: Ground, fit: BoardFit, middles_mm: Sequence[Array]) -> Flags:
    """The points closest around these places on the table."""
    near = np.zeros(ground.number.shape, bool)
    for at in to_own_frame(np.array(middles_mm).reshape(-1, 2), fit.pose):
        near |= _around(at, ground, 0.0, GROWS_MM)
    return near


def _spread(strange: Floats, known: Flags) -> Floats:
    """Strangeness, over what says nothing that of what is around."""
    weight = known.astype(np.float32)
    share = cv2.blur(weight, (3, 3))
    mean = cv2.blur(np.minimum(strange, STRANGEST) * weight, (3, 3)) / np.maximum(share, LEAST_SHARE)
    return np.asarray(np.where(share > LEAST_SHARE, mean, 0.0), np.float32)


def _parts(strange: Floats, from_rim_mm: Array, off_toppings: Flags, off_spaces: Flags, wider: Flags) -> Mask:
    """What is strange and large beside toppings, or `wider` than one, with what is nearly so beside it."""
    some = (strange > 1.0).astype(np.uint8)
    on_board, off_board = (cv2.morphologyEx(some, cv2.MORPH_OPEN, _disc(width)) for width in WIDER_MM)
    wide = np.where(from_rim_mm < 0.0, on_board, off_board).astype(np.uint8)
    count, labels = cv2.connectedComponents(wide, connectivity=8)
    areas, between = (np.bincount(labels[where], minlength=count) * CELL_MM**2 for where in (off_toppings, off_spaces))
    reaching = set(np.unique(labels[from_rim_mm > -RIM_CELLS_MM]).tolist())
    told = set(np.unique(labels[wider]).tolist())
    large = [
        i
        for i in range(1, count)
        if i in told or (areas[i] >= LEAST_MM2 if i in reaching else between[i] >= LEAST_INSIDE_MM2)
    ]
    grown = np.isin(labels, large).astype(np.uint8)
    suspect = (strange > SUSPECT).astype(np.uint8) | grown
    for _ in range(2):
        grown = np.asarray(cv2.dilate(grown, _disc(GROWS_MM)), np.uint8) & suspect
    return np.asarray(cv2.morphologyEx(grown * 255, cv2.MORPH_CLOSE, _disc(GROWS_MM)), np.uint8)


def _taken_for_toppings(
    over: Mask, unlike_print: Flags, topped: Flags, tops: _Tops, ground: Ground, look: Look
) -> Flags:
    """Where toppings were read on what goes on beyond them, looks like what lies `over` a board, and hangs together
    with it: fingers as pale as toppings are."""
    taken = np.zeros(over.shape, bool)
    seen = look.seen.reshape(-1, 3)
    some = ground.number[(over > 0) & look.inside & ground.between]
    if len(some) < LEAST_POINTS:
        return taken
    beyond = cv2.morphologyEx(unlike_print.astype(np.uint8), cv2.MORPH_OPEN, _disc(BEYOND_MM)) > 0
    away = from_most_alike(seen[ground.number[beyond]], seen[some[:: -(-len(some) // ENOUGH_ALIKE)]])
    alike = over > 0
    alike[beyond] |= away < ALIKE
    left = np.ones(len(tops.at), bool)
    while True:
        hangs = parts_in(np.where(alike & (~topped | taken | (over > 0)), np.uint8(255), np.uint8(0)), over) > 0
        others = topped & ~taken
        more = [i for i in np.flatnonzero(left) if _goes_on(tops.at[i], alike, hangs, others, tops.radius_mm, ground)]
        if not more:
            return taken
        left[more] = False
        for at in tops.at[more]:
            taken |= _around(at, ground, 0.0, tops.radius_mm + TOPPING_RIM_MM[1])


def _goes_on(at: Array, alike: Flags, hangs: Flags, topped: Flags, radius_mm: float, ground: Ground) -> bool:
    """Whether what lies here looks, mostly, like what also lies beyond a topping's rim."""
    disc = _around(at, ground, 0.0, radius_mm)
    rim = _around(at, ground, radius_mm + TOPPING_RIM_MM[1], radius_mm + TOPPING_RIM_MM[1] + RIM_WIDE_MM) & ~topped
    return bool(alike[disc].mean() > MOSTLY and hangs[rim].mean() > GOES_ON) if disc.any() and rim.any() else False


def _around(at_mm: Array, ground: Ground, from_mm: float, to_mm: float) -> Flags:
    """The points of a board's ground so far from a point of it."""
    there = np.zeros(ground.number.shape, bool)
    part = ground.around(at_mm, to_mm)
    away = np.hypot(*(ground.own[part] - at_mm).transpose(2, 0, 1))
    there[part] = (away >= from_mm) & (away < to_mm)
    return there


def _disc(width_mm: float) -> Mask:
    cells = 2 * int(width_mm / 2 / CELL_MM) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (cells, cells)), np.uint8)
