"""Cutters lying over a board: thin round sticks with one coloured, pointed end.

Long thin lines that are not the board's print are candidates. Each is moved to where both edges of a stick are sharpest
(shadows have soft ones), and the coloured end and the stick's length say which way round it lies and whose it is. How
high its ends lie follows from what it rests on, and that from which stick is seen uncut where two cross.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit, on_grid
from vision.board.record import ALONG_STEP_MM, FACE_MM, RING_STEP_MM, TOPPING_THICK_MM, BoardPrint
from vision.board.resting import Disc, rest
from vision.board.sight import Sight
from vision.board.toppings import SpaceFit
from vision.features import LOG_FLOOR
from vision.frame import Image
from vision.scene import EMPTY
from vision.shapes import place, to_own_frame
from vision.short_axes import dot, median, middle_row, total

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

COARSE_MM = 2.0
TURN_STEP_DEG = 2.0
CANDIDATES = 18
BESIDE_FOUND_MM = 6.0
APART_MM = 4.0
APART_DEG = 5.0
RIM_MM = 4.0
"""So near its edge a board's look depends on the light from the side."""
FARTHEST_SHARE = 0.75
"""A line farther from the middle than this share of the radius passes all spaces by."""
FINE_MM = 0.25
HALF_MM = 8.0
BLOCK_MM = 8
OVER_MM = 14.0
"""A stick may reach so far beyond the board's edge and still be followed;"""
SLIDE_MM = 12.0
"""a stick longer than the board may lie so far off its middle."""
FAR_MM, FAR_DEG = 5.0, 2.5
"""Edges that lie so far from where a stick was thought to be may lie farther: they are looked for up to 6 mm and 3
degrees away."""
EDGE_LIMIT = 0.7
BRIGHTNESS_SHARE = 0.15
"""Edges of brightness count by so much beside those of tint: shadows have them too."""
WOOD_SHARE = 0.2
EDGE_SHADE = 0.1
"""How much brighter or darker than enrolled wood may be to tell a stick from its shadow beside it."""
SHADE = 0.25
"""And to tell where along a line it lies."""
WOOD_NOISE = 0.05
LARGEST_SHADE = 0.5
LARGEST_TINT = 0.2
TINT = 0.12
TIP_NOISE = 0.12
LINE_NOISE = 0.08
COST_LIMIT = 9.0
OTHER_COST = 5.0
HIDDEN_COST = 1.0
"""What costs a millimetre over which something lies, whatever is there: as much as most of a cutter."""
LEAST_OPEN_MM, WELL_OPEN_MM, SURE_OPEN_MM = 50.0, 110.0, 150.0
"""A line of which less is open says nothing; of which so much is, is likely a cutter, from the last on surely."""
LIKELY = 0.85
LEAST_TELLING = 0.1
"""Lines along which print and toppings tell less of wood than this share of the usual look like it by chance."""
EVIDENCE = 0.1
"""How much of one millimetre's cost counts as independent evidence."""
SLICE_MM = 6
"""Along so much of a stick its edges are measured together."""
FIRST_SLICE_MM = 3
"""So far from its blunt end the first of them begins."""
POINT_MM = 14.0
"""So far from its point a stick is no longer narrower."""
EDGE_LOOKS = ((2.2, 0.8),) * 3 + ((1.2, 0.4),) * 4
"""Edges are looked for so far to both sides of where they were thought to be, and single ones stray by so much from
where they are: other things touch a stick. First coarsely, then closely,"""
EDGE_STEP_MM = 0.2
BESIDE_EDGE_MM = 0.3
"""between what the stick's middle looks like and what lies so far beyond."""
WIDTH_WEIGHT = 0.5
"""How many clear edges the enrolled width counts for: sticks differ, and blur widens them."""
LEAST_CONTRAST = 0.4
"""Edges across which colours (logarithm) differ less say less."""
EDGE_NOISE, EDGE_SHADING = 0.05, 0.25
"""How far colours stray, and how far brightness alone changes on a stick and in its shadow."""
ON_UPPER, BESIDE_UPPER, CORE_SHARE = 0.28, (0.4, 0.7), 0.32
"""Where two sticks cross the lower one, so near its middle, is compared where the upper lies and so far beside its
middle. Shares of their thickness."""
LEAST_UNLIKE = 0.2
"""A line that looks less like wood than this, and more like what it lies over, is print;"""
BESIDE_CANDIDATE_MM, LEAST_UNLIKE_NEAR = (-4.0, -2.0, 0.0, 2.0, 4.0), 0.16
"""a candidate that nowhere so near to it looks like wood by as much leads to none (of sticks on simulated tables, the
least looked so by 0.2);"""
SURE_UNLIKE = 0.35
"""one that looks as much like wood is not."""
WHOLE_SHARE, NOT_SEEN = 0.95, 0.8
"""A colour that is only left over, and not seen on a cutter of which less than such a share is open, is no likelier."""
BEFORE_TIP_MM, LEAST_BEFORE_MM = 15.0, 3
"""Where something lies over so much of a stick no farther before its coloured end, what seems to be that end may be the
hand, which comes from outside and may look like the table there: pale skin is white on a white mat."""
LEAST_TOGETHER = 0.1
"""Two lines are two cutters if their colours are so likely to differ, beside the likeliest colour of each."""
SETTLED_SCORE, SETTLED_COLOUR = 4.5, 0.98
LEAST_EDGED, SURE_EDGED = 0.006, 0.012
"""A line beside which colours (logarithm) change by less than this is even print that happens to look like wood; of
those on tuning tables that were sticks the least changed by 0.013, of drawn print the most by 0.005."""
EDGES_TELL = 0.3
"""Of two lines over each other one with edges e times as clear is the stick if it is explained less well by less."""
LEAST_SCORE, SURE_SCORE = 2.6, 3.8
"""A line explained less well than the first is no cutter, one as well as the second is one."""


@dataclass(frozen=True, slots=True)
class CutterFit:
    """One cutter as it lies."""

    seen_mm: Array
    """2 x 2: where its ends seem to lie at z = 0, the coloured point second."""
    ends_mm: Array
    """2 x 2: where they truly lie."""
    heights_mm: tuple[float, float]
    """Of the stick's axis above the mat's face, at each end."""
    colours: tuple[tuple[str, float], ...]
    """The colours with their likelihoods, most likely first."""
    seen: float
    """Share of its length where it looks like a cutter."""
    score: float
    """How much better a cutter explains the line than nothing does, per millimetre."""
    unlike: float
    """How far (0 to 1) it looks like wood where print and toppings would not."""
    open_mm: float
    """So much of its length nothing lies over."""
    edged: float = 0.0
    """How much colours (logarithm) change at the weaker of its two edges, in the middle one of its slices."""

    def outline(self, diameter_mm: float) -> Array:
        """Where it seems to lie at z = 0, a little wider: 4 x 2."""
        way = (self.seen_mm[1] - self.seen_mm[0]) / np.linalg.norm(self.seen_mm[1] - self.seen_mm[0])
        side = np.array([-way[1], way[0]]) * (diameter_mm / 2 + 0.8)
        first, last = self.seen_mm
        return np.array([first - side, last - side, last + side, first + side])


def everywhere(_: Array) -> bool:
    """Of a board of which nothing is known any line may be a cutter."""
    return True


def find_cutters(
    sight: Sight,
    image: Image,
    board: BoardPrint,
    fit: BoardFit,
    spaces: Sequence[SpaceFit],
    may_lie: Callable[[Array], bool] = everywhere,
) -> tuple[CutterFit, ...]:
    """The cutters over a board on which the toppings lie as read; none in a picture without colours. `may_lie` says of
    a line (2 x 2 seen points) whether one may lie along it."""
    if not sight.shows_colours:
        return ()
    found: list[CutterFit] = []
    beside: list[Array] = []
    other = _other_than_print(sight, board, fit, spaces)
    for line in filter(may_lie, _candidates(sight, board, fit, other)):
        if any(_settled(cutter) and lies_beside(line, cutter.seen_mm) for cutter in found):
            beside.append(line)
            continue
        found = _with_line(found, sight, image, board, fit, line, other)
        if _all_settled(found, board):
            break
    if not _all_settled(found, board):
        for line in beside:  # what was taken for a stick may have been its shadow, or its edge
            found = _with_line(found, sight, image, board, fit, line, other)
    straight = [_straightened(sight, image, board, fit, cutter) for cutter in _one_of_each(found)]
    return _at_rest(sight, image, board, fit, spaces, straight)


def _with_line(
    found: list[CutterFit], sight: Sight, image: Image, board: BoardPrint, fit: BoardFit, line: Array, other: "_Other"
) -> list[CutterFit]:
    """With the cutter that a candidate leads to, if it does."""
    if max(_unlike(other, board, sight, fit, line, BESIDE_CANDIDATE_MM)) < LEAST_UNLIKE_NEAR:
        return found
    strip = _strip(sight, image, fit, on_edges(sight, image, board, fit, line))
    cutter = _along(strip, board)
    unlike = 0.0 if cutter is None else _unlike(other, board, sight, fit, cutter.seen_mm)[0]
    if cutter is None or unlike <= LEAST_UNLIKE:
        return found
    edged = _edged(_strip(sight, image, fit, cutter.seen_mm), board.cutter_mm[1] / 2)
    return with_one_more(found, replace(cutter, unlike=unlike, edged=edged))


def _all_settled(found: Sequence[CutterFit], board: BoardPrint) -> bool:
    """Whether cutters of all colours are found, and nothing better need be looked for."""
    return len({c.colours[0][0] for c in found if _settled(c)}) == len(board.cutters.names)


# Candidates -------------------------------------------------------------------------------------------------------


def _candidates(sight: Sight, board: BoardPrint, fit: BoardFit, other: "_Other") -> Iterator[Array]:
    """Lines (2 x 2 seen points) that look like wood where print and toppings would not, most so first."""
    shares, weight = _towards_wood(other.expected, other.residual, board.wood[0])
    weight = np.where(other.known, weight, np.float32(0.0))
    maps = np.dstack([np.clip(shares, -1.0, 1.0) * weight, weight, np.zeros_like(weight)])
    size = maps.shape[0]
    middle = (size - 1) / 2
    turns = np.arange(0.0, 180.0, TURN_STEP_DEG)
    like, most = np.empty((2, len(turns), size), np.float32)
    for i, turn in enumerate(turns):
        # The map's rows run along +y, so that turning it like a picture turns the board by as much the other way. Rows
        # and columns change places: lines are added up faster down than across.
        spin = cv2.getRotationMatrix2D((middle, middle), float(turn), 1.0)[::-1]
        turned = cv2.warpAffine(maps, spin, (size, size), flags=cv2.INTER_LINEAR)
        like[i], most[i] = cv2.reduce(turned, 0, cv2.REDUCE_SUM)[0, :, :2].T
    ridge = like / (most + LEAST_TELLING * np.float32(np.median(most)) + np.float32(1e-6))
    ridge[:, np.abs(np.arange(size) - middle) > FARTHEST_SHARE * size / 2] = 0.0
    for _ in range(CANDIDATES):
        turn_at, row = (int(i) for i in np.unravel_index(int(ridge.argmax()), ridge.shape))
        if ridge[turn_at, row] <= 0.0:
            return
        yield _line(float(turns[turn_at]), (row - middle) * COARSE_MM, sight, board, fit)
        _block(ridge, turn_at, row)


def _block(ridge: Floats, turn_at: int, row: int) -> None:
    """Nothing close to a line that was taken is taken again."""
    turns, rows = ridge.shape
    wide, high = round(APART_DEG / TURN_STEP_DEG), round(APART_MM / COARSE_MM)
    for step in range(-wide, wide + 1):
        index = turn_at + step
        at = row if 0 <= index < turns else rows - 1 - row
        ridge[index % turns, max(at - high, 0) : at + high + 1] = 0.0


def _line(turn_deg: float, off_mm: float, sight: Sight, board: BoardPrint, fit: BoardFit) -> Array:
    """Seen ends of the line at a turn and distance from the board's middle, over the whole board."""
    turn = np.radians(turn_deg)
    way, normal = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    chord = np.sqrt(max((board.diameter_mm / 2) ** 2 - off_mm**2, 60.0**2))
    half = max(chord + OVER_MM, board.cutter_mm[0] / 2 + SLIDE_MM)
    own = off_mm * normal + np.array([[-half], [half]]) * way
    return sight.seen(place(own, fit.pose), fit.height_mm)


@dataclass(frozen=True, slots=True)
class _Other:
    """How a board looks other than print and toppings, on a map of COARSE_MM in its own frame; rows run along +y."""

    expected: Floats
    """n x n x 3: print and toppings;"""
    residual: Floats
    """what is seen, less that."""
    known: NDArray[np.bool_]
    covered: NDArray[np.bool_]
    """Where something else lies over it."""


def _other_than_print(sight: Sight, board: BoardPrint, fit: BoardFit, spaces: Sequence[SpaceFit]) -> _Other:
    reach = int(board.diameter_mm / 2 / COARSE_MM)
    steps = np.arange(-reach, reach + 1) * COARSE_MM
    own = np.stack(np.meshgrid(steps, steps), axis=-1)
    table = place(own.reshape(-1, 2), fit.pose).reshape(own.shape)
    seen = sight.colours(table, fit.height_mm) - fit.light_at(own)
    expected = on_grid(board.colours, own)
    known = np.hypot(own[..., 0], own[..., 1]) < board.diameter_mm / 2 - RIM_MM
    _paint_toppings(expected, known, own, sight, board, fit, spaces)
    covered = fit.hidden_at(own)
    known &= ~covered
    return _Other(expected, np.where(known[..., None], seen - expected, np.float32(0.0)), known, covered)


def _unlike(
    other: _Other, board: BoardPrint, sight: Sight, fit: BoardFit, seen_mm: Array, beside_mm: Sequence[float] = (0.0,)
) -> list[float]:
    """How far (0 to 1) a line (2 x 2 seen points), moved aside by each of `beside_mm`, looks like wood where print and
    toppings would not."""
    way = seen_mm[1] - seen_mm[0]
    length = float(np.linalg.norm(way))
    side = np.array([-way[1], way[0]]) / length
    along = seen_mm[0] + np.linspace(0.0, 1.0, round(length / COARSE_MM))[:, None] * way
    lines = along + np.array(beside_mm)[:, None, None] * side
    own = to_own_frame(sight.registration.on_table(lines.reshape(-1, 2), fit.height_mm), fit.pose)
    reach = other.known.shape[0] // 2
    cells = np.clip(np.round(own / COARSE_MM).astype(np.intp) + reach, 0, 2 * reach).reshape(*lines.shape[:2], 2)
    known, expected, residual = (
        of[cells[..., 1], cells[..., 0]] for of in (other.known, other.expected, other.residual)
    )
    return [_unlike_at(board, e[at], r[at]) for at, e, r in zip(known, expected, residual, strict=True)]


def _unlike_at(board: BoardPrint, expected: Floats, residual: Floats) -> float:
    """The same of some cells."""
    if not len(expected):
        return 0.0
    shade, tint = _light_on(expected + residual, board)
    shares, weight = _towards_wood(expected, residual, board.wood[0] + shade + tint)
    return float((np.clip(shares, 0.0, 1.0) * weight).sum() / max(float(weight.sum()), 1e-6))


def _towards_wood(expected: Floats, residual: Floats, wood: Floats) -> tuple[Floats, Floats]:
    """How far (1: all the way) colours (... x 3) are from what is expected towards those of wood, and how much each
    tells: little where print looks like wood itself."""
    step = wood - expected
    tinted = _less_shading(step, wood)
    apart = dot(step, tinted)
    told = dot(residual, tinted) / np.maximum(apart, np.float32(1e-4))
    return np.asarray(told, np.float32), np.minimum(apart, np.float32(LEAST_CONTRAST**2))


def _paint_toppings(
    expected: Floats,
    known: NDArray[np.bool_],
    own: Array,
    sight: Sight,
    board: BoardPrint,
    fit: BoardFit,
    spaces: Sequence[SpaceFit],
) -> None:
    """Toppings as they are seen, on the plane of the board's face; their rims say nothing."""
    for space in spaces:
        if space.likely in (None, EMPTY):
            continue
        looks = board.toppings.colours[board.toppings.names.index(str(space.likely))]
        seen = sight.seen(space.at_mm[None], fit.height_mm + TOPPING_THICK_MM)
        at = to_own_frame(sight.registration.on_table(seen, fit.height_mm), fit.pose)[0]
        first = np.maximum((at - board.topping_mm / 2 - 2.0 - own[0, 0]) // COARSE_MM, 0.0).astype(int)
        last = np.maximum((at + board.topping_mm / 2 + 2.0 - own[0, 0]) // COARSE_MM + 2.0, 0.0).astype(int)
        part = slice(first[1], last[1]), slice(first[0], last[0])
        away = np.hypot(own[part][..., 0] - at[0], own[part][..., 1] - at[1])
        inside = away < board.topping_mm / 2 - 0.8
        expected[part][inside] = looks[np.minimum((away[inside] / RING_STEP_MM).astype(int), len(looks) - 1)]
        known[part] = inside | (known[part] & (away >= board.topping_mm / 2 + 2.0))


# One line ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Strip:
    """What lies along a line and beside it."""

    line: Array
    """2 x 2, seen points."""
    along_mm: Array
    """From the line's first point."""
    across_mm: Array
    colours: Floats
    """along x across x 3, the board's light taken out."""
    shown: NDArray[np.bool_]
    """Which of `along_mm` are inside the picture, and nothing lies over them."""

    @property
    def length_mm(self) -> float:
        return float(np.linalg.norm(self.line[1] - self.line[0]))


def _strip(sight: Sight, image: Image, fit: BoardFit, line: Array) -> _Strip:
    """The picture itself along a line, a millimetre long and FINE_MM wide a sample."""
    length = float(np.linalg.norm(line[1] - line[0]))
    way = (line[1] - line[0]) / length
    side = np.array([-way[1], way[0]]) * HALF_MM
    along = np.arange(0.0, length, 1.0)
    across = np.arange(-HALF_MM, HALF_MM + 1e-6, FINE_MM)
    knots = np.linspace(0.0, length, max(round(length / 10.0), 2))
    spots = line[0] + knots[:, None] * way
    edges = sight.registration.to_picture(np.concatenate([spots - side, spots + side])).reshape(2, len(knots), 2)
    low, high = ([np.interp(along, knots, edge[:, i])[:, None] for i in (0, 1)] for edge in edges)
    share = (across + HALF_MM) / (2 * HALF_MM)
    x, y = ((first + (last - first) * share).astype(np.float32) for first, last in zip(low, high, strict=True))
    seen = cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    centre = line[0] + along[:, None] * way
    own = to_own_frame(sight.registration.on_table(centre, fit.height_mm), fit.pose)
    light = fit.light_at(own)
    logs = cv2.LUT(seen, sight.logarithms).reshape(len(along), -1) - np.tile(light, len(across))
    shown = sight.table.shows(centre) & ~fit.hidden_at(own)
    return _Strip(line, along, across, np.asarray(logs, np.float32).reshape(*x.shape, 3), shown)


def on_edges(sight: Sight, image: Image, board: BoardPrint, fit: BoardFit, line: Array) -> Array:
    """The line moved to where both edges of a stick lie along it; from where they lie farthest away they are looked for
    once more."""
    near, off_mm, slope = _towards_edges(sight, image, board, fit, line)
    if abs(off_mm) <= FAR_MM and abs(slope) <= np.tan(np.radians(FAR_DEG)):
        return near
    return _towards_edges(sight, image, board, fit, near)[0]


def _towards_edges(
    sight: Sight, image: Image, board: BoardPrint, fit: BoardFit, line: Array
) -> tuple[Array, float, float]:
    """The line moved to where both edges of a stick lie along it, as near to it as they are looked for; by how much
    its middle was moved, and its slope."""
    strip = _strip(sight, image, fit, line)
    spots, energies = _edge_pairs(strip, board)
    middle = strip.length_mm / 2
    lever = spots - middle
    off, slope = 0.0, 0.0
    for offs, slopes in ((_OFFS, _SLOPES), (_FINE_OFFS, _FINE_SLOPES)):
        offsets, inclines = off + offs, slope + np.tan(np.radians(slopes))
        at = (offsets[:, None, None] + inclines[None, :, None] * lever).reshape(-1, len(spots))
        columns = ((at + HALF_MM) / FINE_MM).astype(np.float32)
        rows = np.broadcast_to(np.arange(len(spots), dtype=np.float32), columns.shape)
        along = cv2.remap(energies, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        best = np.unravel_index(int(along.sum(axis=1).argmax()), (len(offsets), len(inclines)))
        off, slope = float(offsets[best[0]]), float(inclines[best[1]])
    return _shifted(line, off - slope * middle, off + slope * middle), off, slope


_OFFS, _SLOPES = np.arange(-6.0, 6.01, 0.25), np.arange(-3.0, 3.01, 0.25)
_FINE_OFFS = np.arange(-0.3, 0.301, 0.05)
_FINE_SLOPES = np.arange(-0.3, 0.301, 0.03)


def _shifted(line: Array, first_mm: float, last_mm: float) -> Array:
    way = (line[1] - line[0]) / np.linalg.norm(line[1] - line[0])
    normal = np.array([-way[1], way[0]])
    return np.array([line[0] + normal * first_mm, line[1] + normal * last_mm])


def _edge_pairs(strip: _Strip, board: BoardPrint) -> tuple[Array, Floats]:
    """Along which places (middles of blocks), and how much like the two edges and the wood of a stick it looks there
    at each place across (blocks x across)."""
    blocks = len(strip.along_mm) // BLOCK_MM
    cut = strip.colours[: blocks * BLOCK_MM].reshape(blocks, BLOCK_MM, len(strip.across_mm), 3)
    seen = median(cut, 1)
    step = round(0.5 / FINE_MM)
    change = np.zeros_like(seen)
    change[:, step:-step] = seen[:, 2 * step :] - seen[:, : -2 * step]
    steep = dot(change, BRIGHTNESS_SHARE * change + _less_shading(change, seen))
    edge = np.minimum(np.sqrt(np.maximum(steep, 0.0)), EDGE_LIMIT)
    half = round(board.cutter_mm[1] / 2 / FINE_MM)
    pairs = np.zeros(edge.shape, np.float32)
    pairs[:, half:-half] = 2 * np.sqrt(edge[:, 2 * half :] * edge[:, : -2 * half])
    cost = median(_wood_cost(cut, board, EDGE_SHADE), 1) / COST_LIMIT
    inner = cv2.blur(cost.astype(np.float32), (2 * round(0.75 / FINE_MM) + 1, 1))
    hidden = ~strip.shown[: blocks * BLOCK_MM].reshape(blocks, BLOCK_MM).all(1)
    pairs[hidden], inner[hidden] = 0.0, 0.0
    spots = strip.along_mm[: blocks * BLOCK_MM].reshape(blocks, BLOCK_MM).mean(1)
    return spots, np.asarray(pairs - WOOD_SHARE * inner, np.float32)


def _wood_cost(colours: Floats, board: BoardPrint, shade: float) -> Floats:
    return _shaded_cost(colours - board.wood[0], np.hypot(board.wood[1], WOOD_NOISE), shade)


def _shaded_cost(residual: Floats, spread: Floats, shade: float) -> Floats:
    """Squared misses in spreads, at most COST_LIMIT, where light may change all channels alike by `shade`."""
    precision = 1.0 / spread**2
    told = residual * precision
    cost = dot(residual, told) - total(told) ** 2 / (1.0 / shade**2 + total(precision))
    return np.asarray(np.minimum(cost, COST_LIMIT), np.float32)


# Which way round, and whose ---------------------------------------------------------------------------------------


def _along(strip: _Strip, board: BoardPrint) -> CutterFit | None:
    """The cutter that explains a line best, or None where none does."""
    core = np.abs(strip.across_mm) <= 0.8
    seen = median(strip.colours[:, core], 1)
    length = round(board.cutter_mm[0])
    if len(seen) < length + 4 or np.count_nonzero(strip.shown) < LEAST_OPEN_MM:
        return None
    body, shade, unusual = _body(seen, strip.shown, board)
    bare = np.where(strip.shown, _line_cost(strip), np.float32(HIDDEN_COST))
    by_way = [
        _costs_by_point(seen[::way], strip.shown[::way], (body[::way], bare[::way]), shade, board)  # both ways round
        for way in (1, -1)
    ]
    turned = bool(by_way[1].min() < by_way[0].min())
    costs = by_way[turned] + unusual
    colour, point = np.unravel_index(int(costs.argmin()), costs.shape)
    low = len(seen) - 1 - point if turned else point - length + 1
    open_mm = int(np.count_nonzero(strip.shown[low : low + length]))
    hidden = HIDDEN_COST * np.count_nonzero(~strip.shown)
    score = OTHER_COST - (float(costs[colour, point]) - hidden) / max(open_mm, 1)
    if open_mm < LEAST_OPEN_MM or score <= 0.0:
        return None
    at = strip.length_mm - point - 0.5 if turned else point + 0.5
    ends = np.array([at + length, at] if turned else [at - length, at])
    way = (strip.line[1] - strip.line[0]) / strip.length_mm
    lying = strip.line[0] + ends[:, None] * way
    best = np.minimum(by_way[0].min(1), by_way[1].min(1))
    weights = np.exp(-0.5 * EVIDENCE * (best - best.min()))
    shares = weights / weights.sum()
    colours = tuple((board.cutters.names[i], float(shares[i])) for i in np.argsort(-shares))
    like_wood = (body < COST_LIMIT) & strip.shown
    share = float(like_wood[low : low + length].mean())
    return CutterFit(lying, lying, (0.0, 0.0), colours, share, score, 0.0, float(open_mm))


def _body(middle: Floats, shown: NDArray[np.bool_], board: BoardPrint) -> tuple[Floats, float, float]:
    """What each millimetre costs as wood, how much brighter than enrolled the wood is, and what that costs.

    A round stick's brightness depends on how it lies to the light, and light has a tint.
    """
    inner = np.s_[len(middle) // 4 : -len(middle) // 4]
    some = middle[inner][shown[inner]]
    shade, tint = _light_on(some if len(some) >= LEAST_OPEN_MM / 2 else middle[shown], board)
    spread = np.hypot(board.wood[1], WOOD_NOISE)
    cost = np.where(shown, _shaded_cost(middle - board.wood[0] - shade - tint, spread, SHADE), np.float32(HIDDEN_COST))
    unusual = ((shade / SHADE) ** 2 + float(((tint / TINT) ** 2).sum())) / EVIDENCE
    return cost, shade, unusual


def _light_on(colours: Floats, board: BoardPrint) -> tuple[float, Floats]:
    """How much brighter and how otherwise tinted these colours (n x 3) of a stick are than enrolled wood."""
    shift = middle_row(colours) - board.wood[0]
    shade = float(np.clip(shift.mean(), -LARGEST_SHADE, LARGEST_SHADE))
    return shade, np.asarray(np.clip(shift - shift.mean(), -LARGEST_TINT, LARGEST_TINT), np.float32)


def _costs_by_point(
    middle: Floats, shown: NDArray[np.bool_], body_bare: tuple[Floats, Floats], shade: float, board: BoardPrint
) -> Array:
    """colours x places: the cost of a cutter whose point lies at each place of a line and that lies before it."""
    body, bare = body_bare
    length, looks, count = round(board.cutter_mm[0]), board.cutters, len(middle)
    tip = min(round(looks.colours.shape[1] * ALONG_STEP_MM), length)
    sums = np.concatenate([[0.0], np.cumsum(body, dtype=np.float64)])
    back = np.arange(tip)
    which = (back / ALONG_STEP_MM).astype(int)
    points = np.arange(length - 1, count)
    seen = middle[points[:, None] - back] - np.float32(shade)
    behind = sums[points - tip + 1] - sums[points - length + 1]
    outside = np.concatenate([[0.0], np.cumsum(bare, dtype=np.float64)])
    beyond = outside[-1] - outside[points + 1] + outside[points - length + 1]
    hidden = np.concatenate([[0], np.cumsum(~shown)])
    until = hidden[points[:, None] - back + 1] - hidden[np.maximum(points - tip + 1 - round(BEFORE_TIP_MM), 0)][:, None]
    spreads = np.hypot(looks.spread, TIP_NOISE)
    misses = np.stack(
        [_shaded_cost(seen - of[which], spread[which], SHADE) for of, spread in zip(looks.colours, spreads, strict=True)]
    )
    misses = np.where(until < LEAST_BEFORE_MM, misses, misses.min(0))  # Elsewhere all colours are as likely.
    tips = np.where(shown[points[:, None] - back], misses, np.float32(HIDDEN_COST))
    costs = np.full((len(looks.names), count), np.inf)
    costs[:, points] = tips.sum(2) + behind + beyond
    return costs


def _line_cost(strip: _Strip) -> Floats:
    """What each millimetre costs where no stick lies: looking unlike what is on either side."""
    core, aside = np.abs(strip.across_mm) <= 0.8, np.abs(np.abs(strip.across_mm) - 5.0) <= 1.2
    left, right = aside & (strip.across_mm < 0), aside & (strip.across_mm > 0)
    inside, low, high = (median(strip.colours[:, part], 1) for part in (core, left, right))
    unlike = np.minimum(dot(inside - low, inside - low), dot(inside - high, inside - high)) / 3 / LINE_NOISE**2
    return np.asarray(np.minimum(unlike, COST_LIMIT), np.float32)


def with_one_more(found: Sequence[CutterFit], cutter: CutterFit) -> list[CutterFit]:
    """With one more line. A stick's shadow, or a line askew over it, may lead close to it; the better explained of the
    two, with clearer edges, is the stick."""
    same = [other for other in found if _same(cutter, other)]
    if any(_stick_like(other) >= _stick_like(cutter) for other in same):
        return list(found)
    return [*(other for other in found if not _same(cutter, other)), cutter]


def _stick_like(cutter: CutterFit) -> float:
    """Which of two lines over each other is the stick: that of which this is more."""
    return cutter.score + EDGES_TELL * float(np.log(max(cutter.edged, LEAST_EDGED)))


def _settled(cutter: CutterFit) -> bool:
    """Whether nothing better need be looked for."""
    return cutter.score > SETTLED_SCORE and cutter.colours[0][1] > SETTLED_COLOUR


def lies_beside(line: Array, seen_mm: Array) -> bool:
    """Whether a candidate is a cutter that was found (2 x 2 seen points each), or one of its sides."""
    way = (line[1] - line[0]) / np.linalg.norm(line[1] - line[0])
    return bool(np.abs((seen_mm - line[0]) @ np.array([-way[1], way[0]])).max() < BESIDE_FOUND_MM)


def _same(one: CutterFit, other: CutterFit) -> bool:
    """Whether two lines are one stick, or a stick and its shadow: nearly parallel and close all along."""
    way = (one.seen_mm[1] - one.seen_mm[0]) / np.linalg.norm(one.seen_mm[1] - one.seen_mm[0])
    normal = np.array([-way[1], way[0]])
    off = (other.seen_mm - one.seen_mm.mean(0)) @ normal
    return bool(np.abs(off).max() < 12.0 and np.abs(off.mean()) < 6.0)


def _one_of_each(found: Sequence[CutterFit]) -> list[CutterFit]:
    """The best explained lines, of each colour one, and what each is likely to be beside the others: one whose coloured
    end is hidden has the colour that none of the others has."""
    chosen: list[CutterFit] = []
    likely = [cutter for cutter in found if certainty(cutter) > 0.0]  # the others would take a cutter's place
    for cutter in sorted(likely, key=lambda c: -c.score * c.colours[0][1]):
        together = _told_apart([*chosen, cutter])
        if together is not None:
            chosen = together
    return chosen


def _told_apart(cutters: Sequence[CutterFit]) -> list[CutterFit] | None:
    """The cutters, each with its colours where no two have the same; None where hardly any two differ.

    A line that may be no cutter at all takes no colour from the others by as much.
    """
    names = sorted(name for name, _ in cutters[0].colours)
    if len(cutters) > len(names):
        return None
    sure = np.array([certainty(cutter) for cutter in cutters])[:, None]
    likely = np.array([[dict(cutter.colours)[name] for name in names] for cutter in cutters])
    ways = np.array(list(product(range(len(names) + 1), repeat=len(cutters))))  # The last: it is no cutter.
    apart = np.array([len({i for i in way if i < len(names)}) == int((way < len(names)).sum()) for way in ways])
    rows = np.arange(len(cutters))
    differing = np.where(apart & (ways < len(names)).all(1), np.hstack([likely, sure])[rows, ways].prod(1), 0.0)
    if differing.max() < LEAST_TOGETHER * likely.max(1).prod():
        return None
    together = np.where(apart, np.hstack([likely * sure, 1.0 - sure])[rows, ways].prod(1), 0.0)
    shares = np.array([[together[ways[:, row] == i].sum() for i in range(len(names))] for row in rows])
    shares = np.where(sure > 0.0, shares / np.maximum(shares.sum(1, keepdims=True), 1e-12), likely)
    # What is left over for a cutter that is partly hidden may as well be that of one that is wholly hidden.
    whole = np.array([c.open_mm >= WHOLE_SHARE * np.linalg.norm(c.seen_mm[1] - c.seen_mm[0]) for c in cutters])
    shares = np.where(whole[:, None], shares, np.minimum(shares, np.maximum(likely, NOT_SEEN)))
    return [
        replace(cutter, colours=tuple((names[i], float(row[i])) for i in np.argsort(-row, kind="stable")))
        for cutter, row in zip(cutters, shares, strict=True)
    ]


def certainty(cutter: CutterFit) -> float:
    """How likely it is a cutter at all."""
    explained = (cutter.score - LEAST_SCORE) / (SURE_SCORE - LEAST_SCORE)
    unlike = (cutter.unlike - LEAST_UNLIKE) / (SURE_UNLIKE - LEAST_UNLIKE)
    shown = (cutter.open_mm - LEAST_OPEN_MM) / (WELL_OPEN_MM - LEAST_OPEN_MM)
    edged = (cutter.edged - LEAST_EDGED) / (SURE_EDGED - LEAST_EDGED)
    likely = float(np.prod(np.clip([explained, unlike, shown, edged], 0.0, 1.0)))
    return likely if cutter.open_mm >= SURE_OPEN_MM else min(likely, LIKELY)


# Exactly where ----------------------------------------------------------------------------------------------------


def _straightened(sight: Sight, image: Image, board: BoardPrint, fit: BoardFit, cutter: CutterFit) -> CutterFit:
    """The cutter moved and turned to where its edges are, measured to parts of a pixel slice by slice.

    Between what the stick's middle and what lies beside it look like, an edge is where half the change is made. All
    edges share one line and one width; those that something else touches stray and count little.
    """
    strip = _strip(sight, image, fit, cutter.seen_mm)
    profiles, shown = _slices(strip)
    lever = (np.arange(len(shown), dtype=np.float64) + 0.5) * SLICE_MM + FIRST_SLICE_MM - (strip.length_mm + 1.0) / 2
    half = board.cutter_mm[1] / 2
    # Offset in the middle, slope, half the width.
    line, columns = np.array([0.0, 0.0, half]), _edge_columns(lever)
    prior = np.diag([0.1, 0.1 * lever[-1] ** 2, WIDTH_WEIGHT])
    for reach_mm, stray_mm in EDGE_LOOKS:
        at = columns @ line
        found, contrast = _edges(profiles, line[0] + line[1] * lever, at.reshape(2, -1), half, reach_mm)
        off = found.ravel() - at
        weight = (np.minimum(contrast / LEAST_CONTRAST, 1.0) ** 2 * shown).ravel() / (1.0 + (off / stray_mm) ** 2) ** 2
        normal = columns.T @ (columns * weight[:, None]) + prior
        pull = prior @ (np.array([line[0], line[1], half]) - line)
        line = line + np.linalg.solve(normal, columns.T @ (off * weight) + pull)
    ends = np.array([-0.5, 0.5]) * strip.length_mm
    return replace(cutter, seen_mm=_shifted(cutter.seen_mm, *(line[0] + line[1] * ends)))


def _slices(strip: _Strip) -> tuple[Floats, Flags]:
    """What is seen across each slice of a stick but its ends (slices x across x 3), and which nothing covers."""
    count = int((strip.length_mm - POINT_MM - FIRST_SLICE_MM) // SLICE_MM)
    part = slice(FIRST_SLICE_MM, FIRST_SLICE_MM + count * SLICE_MM)
    profiles = median(strip.colours[part].reshape(count, SLICE_MM, len(strip.across_mm), 3), 1)
    return np.asarray(profiles, np.float32), np.asarray(strip.shown[part].reshape(count, SLICE_MM).all(1))


def _edged(strip: _Strip, half_mm: float) -> float:
    """How much colours change at the weaker of a line's two edges, in the middle one of its open slices."""
    profiles, shown = _slices(strip)
    if not shown.any():
        return 0.0
    at = np.array([[-half_mm], [half_mm]]).repeat(len(shown), axis=1)
    _, contrast = _edges(profiles, np.zeros(len(shown)), at, half_mm, EDGE_LOOKS[-1][0])
    return float(np.median(contrast.min(0)[shown]))


def _edge_columns(lever: Array) -> Array:
    """How far both edges of all slices move with a line's offset, slope and half width (edges x 3)."""
    ones = np.ones(len(lever))
    return np.concatenate([np.column_stack([ones, lever, side * ones]) for side in (-1.0, 1.0)])


def _edges(profiles: Floats, middle_mm: Array, edges_mm: Array, half_mm: float, reach_mm: float) -> tuple[Array, Array]:
    """Where the lower and the upper edge of each slice are across (2 x slices), thought to be at `edges_mm`, and how
    much colours differ there."""
    core = _across(profiles, middle_mm + np.array([[-0.4], [0.0], [0.4]])).mean(axis=0)
    sides = np.array([[-1.0], [1.0]])
    steps = np.arange(-min(reach_mm, 0.8 * half_mm), reach_mm + 1e-6, EDGE_STEP_MM)
    beyond = reach_mm + BESIDE_EDGE_MM + np.array([-0.3, 0.0, 0.3])
    step = core - _across(profiles, edges_mm + sides * beyond[:, None, None]).mean(axis=0)
    tinted = _less_shading(step, core)
    contrast = np.sqrt(np.maximum(dot(step, tinted), 0.0))
    along = tinted / np.maximum(contrast, 1e-3)[..., None] ** 2
    off_core = dot(core - _across(profiles, edges_mm + sides * steps[:, None, None]), along)
    half = _half_way(1.0 - off_core.reshape(len(steps), -1)).reshape(contrast.shape)
    return edges_mm + sides * (steps[0] + EDGE_STEP_MM * half), np.asarray(contrast)


def _half_way(shares: Floats) -> Array:
    """At which row (rows x slices gives slices) what was about 1 becomes about 0: the step that fits best, and between
    rows where half is passed."""
    low_high = np.clip(shares, -1.0, 2.0)
    inside = np.cumsum(2.0 * low_high - 1.0, axis=0)
    last = np.minimum(inside.argmax(0), len(shares) - 2)
    columns = np.arange(shares.shape[1])
    here, after = low_high[last, columns], low_high[last + 1, columns]
    past = (here - 0.5) / np.maximum(here - after, 1e-3)
    return np.asarray(last + np.clip(past, 0.0, 1.0), np.float64)


def _less_shading(steps: Floats, colours: Floats) -> Floats:
    """Differences of colours with most of what brightness alone would do to `colours` taken out. Sticks are round and
    have shadows: brightness changes on them and beside them, tint at their edges."""
    shading = 1.0 - LOG_FLOOR * np.exp(-colours)
    shaded = dot(steps, shading) / ((EDGE_NOISE / EDGE_SHADING) ** 2 + dot(shading, shading))
    return np.asarray(steps - shaded[..., None] * shading, np.float32)


def _across(profiles: Floats, at_mm: Array) -> Floats:
    """The colours of each slice (... x slices x 3) at its own place across, or places (... x slices)."""
    where = np.clip((at_mm + HALF_MM) / FINE_MM, 0, profiles.shape[1] - 1.001)
    left = where.astype(int)
    share = (where - left)[..., None]
    rows = np.arange(len(profiles))
    return np.asarray(profiles[rows, left] * (1 - share) + profiles[rows, left + 1] * share, np.float32)


# Where they truly lie ---------------------------------------------------------------------------------------------


def _at_rest(
    sight: Sight,
    image: Image,
    board: BoardPrint,
    fit: BoardFit,
    spaces: Sequence[SpaceFit],
    cutters: Sequence[CutterFit],
) -> tuple[CutterFit, ...]:
    """The cutters where they lie, from the lowest to the highest."""
    order = _from_below(sight, image, cutters, board.cutter_mm[1])
    top, table = fit.height_mm + TOPPING_THICK_MM, fit.height_mm - FACE_MM
    discs = [Disc(space.at_mm, board.topping_mm / 2, top) for space in spaces if space.likely not in (None, EMPTY)]
    discs.append(Disc(fit.pose[:2], board.diameter_mm / 2, fit.height_mm))
    lying: list[CutterFit] = []
    for cutter in order:
        lower = [(other.ends_mm, other.heights_mm) for other in lying]
        ends, heights = cutter.seen_mm, (top, top)
        for _ in range(3):
            ends = np.concatenate(
                [
                    sight.registration.on_table(end[None], height)
                    for end, height in zip(cutter.seen_mm, heights, strict=True)
                ]
            )
            heights = rest(ends, board.cutter_mm[1] / 2, table, discs, lower)
        lying.append(replace(cutter, ends_mm=ends, heights_mm=heights))
    return tuple(lying)


def _from_below(sight: Sight, image: Image, cutters: Sequence[CutterFit], thickness_mm: float) -> list[CutterFit]:
    """The cutters in an order in which one can be laid on those before: at crossings the edges of the upper show."""
    above = np.zeros((len(cutters), len(cutters)))
    for i, one in enumerate(cutters):
        for j, other in enumerate(cutters):
            if crossing(one.seen_mm, other.seen_mm) is not None:
                above[i, j] += _edges_over(sight, image, (one.seen_mm, other.seen_mm), thickness_mm)
    above -= above.T
    ways = permutations(range(len(cutters)))
    best = max(ways, key=lambda way: sum(above[way[k], way[m]] for k in range(len(way)) for m in range(k)))
    return [cutters[i] for i in best]


def _edges_over(sight: Sight, image: Image, upper_lower: tuple[Array, Array], thickness_mm: float) -> float:
    """How much darker (logarithm) the second of two sticks that cross is right beside the first than where that lies:
    the upper one's sides and shadow make it so."""
    first, second = upper_lower
    normals = []
    for stick in (first, second):
        way = (stick[1] - stick[0]) / np.linalg.norm(stick[1] - stick[0])
        normals.append(np.array([-way[1], way[0]]))
    off, along = np.meshgrid(
        np.arange(-BESIDE_UPPER[1], BESIDE_UPPER[1] + 1e-6, 0.05),
        np.arange(-CORE_SHARE, CORE_SHARE + 1e-6, 0.04),
        indexing="ij",
    )
    levels = [normal @ stick[0] for normal, stick in zip(normals, (first, second), strict=True)]
    sides = np.stack([off, along]).reshape(2, -1) * thickness_mm + np.array(levels)[:, None]
    points = np.linalg.solve(np.stack(normals), sides).T
    pixels = sight.registration.to_picture(points).astype(np.float32).reshape(*off.shape, 2)
    seen = cv2.remap(image, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    light = np.log(seen * sight.gain + np.float32(LOG_FLOOR)).mean((1, 2))
    across = off[:, 0]
    on = float(light[np.abs(across) <= ON_UPPER].mean())
    beside = [light[(across * side > BESIDE_UPPER[0]) & (across * side < BESIDE_UPPER[1])] for side in (-1.0, 1.0)]
    return sum(on - float(part.mean()) for part in beside)


def crossing(one: Array, other: Array) -> tuple[float, float] | None:
    """How far from their first ends two sticks (2 x 2 each) cross; None where they do not."""
    first, second = one[1] - one[0], other[1] - other[0]
    across = first[0] * second[1] - first[1] * second[0]
    if abs(across) < 1e-3 * np.linalg.norm(first) * np.linalg.norm(second):
        return None
    between = other[0] - one[0]
    here = (between[0] * second[1] - between[1] * second[0]) / across
    there = (between[0] * first[1] - between[1] * first[0]) / across
    if not (0.0 < here < 1.0 and 0.0 < there < 1.0):
        return None
    return float(here * np.linalg.norm(first)), float(there * np.linalg.norm(second))
