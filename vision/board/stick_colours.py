"""Whether a cutter explains a line, which way round it lies and whose it is: by its wood and its coloured end."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.board.record import ALONG_STEP_MM, HARDLY_SURE, STICK_HARDLY_APART, BoardPrint, apart
from vision.board.stick_strips import Strip
from vision.short_axes import dot, median, middle_row, total

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

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
LEAST_OPEN_MM = 50.0
"""A line of which less is open says nothing."""
EVIDENCE = 0.1
"""How much of one millimetre's cost counts as independent evidence."""
BARE_STICKS = 0.03
"""So many sticks over a board may be no cutters, as skewers are not. Those of wood on 18 simulated tables (seeds
743340 to 743357) were explained better without a coloured end by 61 to 110, white cutters worse by 16 to 156."""
BEFORE_TIP_MM, LEAST_BEFORE_MM = 15.0, 3
"""Where something lies over so much of a stick no farther before its coloured end, what seems to be that end may be the
hand, which comes from outside and may look like the table there: pale skin is white on a white mat. And where its other
end is hidden by so much, that may be the coloured one, and what looks like the table be just that."""
STANDS_OUT = 4.5
"""A hand does not differ so much (in squared noises) from what is on either side of where the stick would lie."""


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
    way: float
    """How likely its coloured end is this one, and not the other, where that is cut off at white as wood is; else 1."""
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
    coloured: float = 1.0
    """How likely its end is coloured at all, and it no bare stick."""

    def outline(self, diameter_mm: float) -> Array:
        """Where it seems to lie at z = 0, a little wider: 4 x 2."""
        way = (self.seen_mm[1] - self.seen_mm[0]) / np.linalg.norm(self.seen_mm[1] - self.seen_mm[0])
        side = np.array([-way[1], way[0]]) * (diameter_mm / 2 + 0.8)
        first, last = self.seen_mm
        return np.array([first - side, last - side, last + side, first + side])


def cutter_along(strip: Strip, board: BoardPrint) -> CutterFit | None:
    """The cutter that explains a line best, or None where none does."""
    core = np.abs(strip.across_mm) <= 0.8
    seen = median(strip.colours[:, core], 1)
    length = round(board.cutter_mm[0])
    if len(seen) < length + 4 or np.count_nonzero(strip.shown) < LEAST_OPEN_MM:
        return None
    bare = np.where(strip.shown, _line_cost(strip), np.float32(HIDDEN_COST))
    each = board.of_each_colour()
    bodies = [_body(seen, strip.shown, one) for one in each]
    of_both_ways = [
        [
            _costs_by_point(seen[::way], strip.shown[::way], (body[::way], bare[::way]), shade, one) + unusual
            for one, (body, shade, unusual) in zip(each, bodies, strict=True)
        ]
        for way in (1, -1)
    ]
    by_way = [np.concatenate([costs[:-1] for costs in costs_of_each]) for costs_of_each in of_both_ways]
    turned = bool(by_way[1].min() < by_way[0].min())
    costs, both_ways = by_way[turned], (by_way[turned], by_way[not turned])
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
    like_wood = (bodies[min(int(colour), len(bodies) - 1)][0] < COST_LIMIT) & strip.shown
    share = float(like_wood[low : low + length].mean())
    round_so = 1.0
    if board.cut_off and apart(board.cutters.colours[colour], board.wood[0]) < STICK_HARDLY_APART:
        this_way, other_way = (np.exp(-0.5 * EVIDENCE * (one[colour].min() - best[colour])) for one in both_ways)
        round_so = min(float(this_way / (this_way + other_way)), HARDLY_SURE)
    no_colour = min(float(costs_of_each[0][-1].min()) for costs_of_each in of_both_ways)
    better = 0.5 * EVIDENCE * (float(best.min()) - no_colour) if len(each) == 1 else -np.inf
    coloured = 1.0 / (1.0 + BARE_STICKS * float(np.exp(better)))
    return CutterFit(lying, lying, (0.0, 0.0), colours, round_so, share, score, 0.0, float(open_mm), coloured=coloured)


def _body(middle: Floats, shown: NDArray[np.bool_], board: BoardPrint) -> tuple[Floats, float, float]:
    """What each millimetre costs as wood, how much brighter than enrolled the wood is, and what that costs.

    A round stick's brightness depends on how it lies to the light, and light has a tint.
    """
    inner = np.s_[len(middle) // 4 : -len(middle) // 4]
    some = middle[inner][shown[inner]]
    shade, tint = light_on(some if len(some) >= LEAST_OPEN_MM / 2 else middle[shown], board)
    spread = np.hypot(board.wood[1], WOOD_NOISE)
    cost = np.where(shown, _shaded_cost(middle - board.wood[0] - shade - tint, spread, SHADE), np.float32(HIDDEN_COST))
    unusual = ((shade / SHADE) ** 2 + float(((tint / TINT) ** 2).sum())) / EVIDENCE
    return cost, shade, unusual


def light_on(colours: Floats, board: BoardPrint) -> tuple[float, Floats]:
    """How much brighter and how otherwise tinted these colours (n x 3) of a stick are than enrolled wood."""
    shift = middle_row(colours) - board.wood[0]
    shade = float(np.clip(shift.mean(), -LARGEST_SHADE, LARGEST_SHADE))
    return shade, np.asarray(np.clip(shift - shift.mean(), -LARGEST_TINT, LARGEST_TINT), np.float32)


def _costs_by_point(
    middle: Floats, shown: NDArray[np.bool_], body_bare: tuple[Floats, Floats], shade: float, board: BoardPrint
) -> Array:
    """(colours + 1) x places: the cost of a cutter whose point lies at each place of a line and that lies before it;
    the last is that of a stick whose point has no colour."""
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
    wood = np.broadcast_to(board.wood[:, None], (2, *looks.colours.shape[1:]))
    colours, spreads = np.concatenate([looks.colours, wood[:1]]), np.concatenate([looks.spread, wood[1:]])
    misses = np.stack(
        [
            _shaded_cost(seen - of[which], spread[which], SHADE)
            for of, spread in zip(colours, np.hypot(spreads, TIP_NOISE), strict=True)
        ]
    )
    other_end = hidden[points - length + 1 + tip] - hidden[points - length + 1]
    open_ways = (until < LEAST_BEFORE_MM) & (other_end < LEAST_BEFORE_MM)[:, None]
    told = open_ways | (bare[points[:, None] - back] > STANDS_OUT)
    misses = np.where(told, misses, misses[:-1].min(0))  # Elsewhere all colours are as likely.
    tips = np.where(shown[points[:, None] - back], misses, np.float32(HIDDEN_COST))
    costs = np.full((len(colours), count), np.inf)
    costs[:, points] = tips.sum(2) + behind + beyond
    return costs


def _line_cost(strip: Strip) -> Floats:
    """What each millimetre costs where no stick lies: looking unlike what is on either side."""
    core, aside = np.abs(strip.across_mm) <= 0.8, np.abs(np.abs(strip.across_mm) - 5.0) <= 1.2
    left, right = aside & (strip.across_mm < 0), aside & (strip.across_mm > 0)
    inside, low, high = (median(strip.colours[:, part], 1) for part in (core, left, right))
    unlike = np.minimum(dot(inside - low, inside - low), dot(inside - high, inside - high)) / 3 / LINE_NOISE**2
    return np.asarray(np.minimum(unlike, COST_LIMIT), np.float32)


def wood_cost(colours: Floats, board: BoardPrint, shade: float) -> Floats:
    return _shaded_cost(colours - board.wood[0], np.hypot(board.wood[1], WOOD_NOISE), shade)


def _shaded_cost(residual: Floats, spread: Floats, shade: float) -> Floats:
    """Squared misses in spreads, at most COST_LIMIT, where light may change all channels alike by `shade`."""
    precision = 1.0 / spread**2
    told = residual * precision
    cost = dot(residual, told) - total(told) ** 2 / (1.0 / shade**2 + total(precision))
    return np.asarray(np.minimum(cost, COST_LIMIT), np.float32)
