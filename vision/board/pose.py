"""Where a board lies and how it is turned, by its own print.

Rings of the board's mean colours lead to its middle, what lies round its rim to its turn. Then the print is compared
point by point where no topping can lie, light that changes slowly over the board taken out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.record import BoardPrint, height_of
from vision.board.sight import Sight
from vision.mat.markers import MAT_HALF_MM
from vision.mat.rectify import PX_PER_MM
from vision.pieces.features import LOG_FLOOR
from vision.shapes import CELL_MM, place
from vision.short_axes import dot

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

COARSE_MM = 8.0
INNER_SHARE = 0.56
"""Toppings and cutters change the look of a board least outside this share of its radius."""
OUTER_SHARE = 0.97
RING_CENTRES, RIM_CENTRES = 3, 5
"""So many places of each way to guess them are looked at,"""
ON_MAT_CENTRES = 3
"""and so many more on the mat, where boards mostly lie: a motley cloth beside it has the likelier ones."""
LEAST_RINGED = 0.2
"""Places less like the board's rings (normalised correlation) are none."""
RIM_APART_MM = 10.0
"""Rings printed on a mat vote for places close to the board's middle."""
RIM_CELL_MM = 2.5
RIM_EDGES = 0.2
"""This share of the picture, where it is steepest, may be rim."""
RIM_AROUND_MM = 30.0
"""Edges count by how steep they are beside what is so far around,"""
LEAST_STEEP = 0.02
"""and steeper than noise."""
RIM_SPREAD = 1.2
"""Cells by which rims stray from a circle, as pictures show them."""
TURNS = 6
"""And so many turns at each."""
GUESSES, ON_MAT_GUESSES = 16, 8
"""The best of all those together, by what lies round the rim, are compared with the print, and the best of the others
on the mat."""
TURN_STEP_DEG = 1.5
NOISE = 0.06
"""How far print seen under even light strays from what was enrolled (logarithm)."""
PLACE_NOISE_MM = 0.6
COST_LIMIT = 9.0
AGREES_BELOW = 4.0
LEAST_AGREEING = 0.45
"""So much of the print that shows something must be seen for a board to be there at all."""
LEAST_SHOWN = 0.25
"""Where so little of it is seen as enrolled, before it is nudged to where it fits, is hardly a board: of bare table up
to 0.2 is, of one 4 mm beside its place half."""
AGREEING_TELLS = 2.0
"""Under hands print costs more than a plain table does: how much that it shows at all counts for beside its cost. (Of
four boards of which hands cover half, on simulated tables, 0.44 to 0.56 agree and cost 3 where they lie, elsewhere 0.39
at most, and cost 2.9.)"""
THIRDS_DEG = (0.0, 120.0, 240.0)
"""A board's three turns."""
TURN_SOFT = 3
TURN_TELLS = 6.0
"""Print tells of the turn that, softened, differs by more (in squared noises) from itself a third of a circle on."""
TURN_EVIDENCE = 0.03
"""How much of such a point's cost counts as independent evidence. Boards that are alike from all sides differ by 70 at
most between their turns, others by 110 and more."""
ALIKE_COST, COST_EVIDENCE = 0.12, 40.0
"""And how much of what all of the print costs more in another turn, but for the first part: drawings that differ
clearly nowhere, as spots on dough do, differ a little all over. Of 24 path-traced looks at boards of four prints the
true turn cost the least of all in each, and but for four, in the shadows of hands and sticks, by 0.2 and more; of
boards that are alike from all sides one turn cost at most 0.08 less than the next by chance, under hands 0.25."""
TELLS_ENOUGH, HARDLY_TOLD = 0.5, 0.75
"""Where less than this share of the print that tells of the turn is open, no turn is likelier. (Of three such looks at
simulated tables under hands two were wrong, one of them said with 0.91.)"""
BESIDE_CELLS = 7
"""Print so near what lies over the board, in all, tells nothing of its turn: that may reach farther."""
COARSE_STEP = 2
"""Every so many-th grid row and column is compared for a first look."""
COARSE_ROUNDS, ROUNDS = 3, 3
CLOSE_LOOKS = 3
LARGEST_STEP_MM = 2.0
BADLY_COST = 2.5
"""A print that fits worse may be taken a few millimetres beside where it lies, with no way from there that fits better
all along: it is looked for from around there, too."""
AROUND_MM = [(5.0 * np.cos(way), 5.0 * np.sin(way)) for way in np.radians(np.arange(0.0, 360.0, 60.0))]
FAINT, WELL_SEEN = 0.15, 0.55
MIDDLES_MM = [np.array([x, y]) for x in np.arange(-24.0, 25.0, 6.0) for y in np.arange(-24.0, 25.0, 6.0)]
"""Where the share of print that shows something is less than the first (our own board has 0.22, in three fifths of the
ink 0.05, a rendered style 0.10), and less than the second of it is seen anywhere, a board is looked for with its middle
AROUND_MM where that was guessed, too, and all around the mat's, where most lie: rings printed there are taken for a rim
that hardly differs from the mat."""
SURE_TURN = 0.95
ANOTHER_TURN = 0.9
"""So sure a board must be seen in another turn than before to be looked for anew."""
STILL_ROUNDS, STILL_MM, STILL_DEG = 2, 0.8, 0.5
"""A board that fits best no farther from where it lay has not moved."""
LIGHT_MM = 30.0
"""Light changes little within so many millimetres: what print and picture have in common beyond that is light."""
EVERY_LIGHT = 3
"""Every so many-th point is enough to know how steeply it changes."""
SHADOW_STEEPEST = 6
"""Harmonics round the board up to this one are light and shadow."""
PRINT_STRAYS = 1.5
"""What differs from its surroundings by more than so many times as much as print on the board does, on average, counts
for no more when the board's turn is looked for: sticks and hands over a faint print differ by ten times as much."""


@dataclass(frozen=True, slots=True)
class BoardFit:
    """A board as it was found."""

    pose: Array
    """x, y in table mm, degrees: where it truly lies."""
    height_mm: float
    """Of its face above the mat's."""
    agreeing: float
    """Share of its known print that is seen as enrolled, of what nothing lies over."""
    turn_probability: float
    """How likely the turn is the true one, and not one a third of a circle away."""
    light: Floats
    """n x n x 3: what the light adds to the print's colours, on the print's grid."""
    cost: float = 0.0
    """How badly its print fits (see `print_cost`)."""
    covering: NDArray[np.uint8] | None = None
    """n x n: 255 where something lies over the board and beside it, points CELL_MM apart; None where nothing does."""
    open_share: float = 1.0
    """Share of its telling print that nothing lies over."""

    def hidden_at(self, own_mm: Array) -> NDArray[np.bool_]:
        """Whether something lies over points of the board or close around it (... x 2)."""
        if self.covering is None:
            return np.zeros(own_mm.shape[:-1], bool)
        half = self.covering.shape[0] // 2
        steps = np.clip(np.round(own_mm / CELL_MM).astype(np.intp), -half, half)
        return np.asarray(self.covering[half - steps[..., 1], half + steps[..., 0]] > 0)

    def light_at(self, own_mm: Array) -> Floats:
        """What the light adds to colours at points of the board (... x 2 gives ... x 3)."""
        return on_grid(self.light, own_mm)


def on_grid(values: Floats, own_mm: Array) -> Floats:
    """What a board's grid (n x n x channels) has at points of the board (... x 2), between its points linearly."""
    half = values.shape[0] // 2
    flat = own_mm.reshape(1, -1, 2) if own_mm.size < 60000 else own_mm.reshape(-1, own_mm.shape[-2], 2)
    columns = (flat[..., 0] / CELL_MM + half).astype(np.float32)
    rows = (half - flat[..., 1] / CELL_MM).astype(np.float32)
    found = cv2.remap(values, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(found, np.float32).reshape(*own_mm.shape[:-1], values.shape[-1])


def find_board(
    sight: Sight, board: BoardPrint, grid: "BoardGrid | None" = None, least_agreeing: float = LEAST_AGREEING
) -> BoardFit | None:
    """The board, where one lies in the picture and that share of its print is seen as enrolled. `grid` is what
    `board_grid` gives, worked out before."""
    grid = grid or board_grid(board)
    coarse = grid.every(COARSE_STEP)
    centres = _centres(sight, board)
    fits = _close_looks(sight, board, coarse, centres)
    if grid.faint and not any(seen.agreeing >= WELL_SEEN for _, seen in fits):
        around = [centre + step for centre in centres for step in AROUND_MM]
        fits += _close_looks(sight, board, coarse, around + MIDDLES_MM)
    if not fits:
        return None
    pose, seen = min(fits, key=lambda fit: badness(fit[1]))
    if seen.cost > BADLY_COST and seen.agreeing > LEAST_SHOWN:
        fits = [_best(_rounds(sight, coarse, pose + np.array([*step, 0.0])), COARSE_ROUNDS) for step in AROUND_MM]
        pose = min([(pose, seen), *fits], key=lambda fit: badness(fit[1]))[0]
    pose, sure = _turned(sight, [grid] * 3, pose)
    found = compare(sight, grid, pose)
    if found.agreeing < least_agreeing:
        return None
    lies = np.array([pose[0], pose[1], pose[2] % 360.0])
    return BoardFit(lies, height_of(pose[0], pose[1]), found.agreeing, sure, found.light, found.cost)


def _close_looks(
    sight: Sight, board: BoardPrint, coarse: "BoardGrid", centres: Sequence[Array]
) -> "list[tuple[Array, Compared]]":
    """The likeliest poses at some centres, moved to where the print fits best around, and how it looks there."""
    likely = _likely([guess for centre in centres for guess in _turns(sight, board, centre)])
    ranked = sorted(likely, key=lambda pose: badness(compare(sight, coarse, pose)))
    return [_best(_rounds(sight, coarse, pose), COARSE_ROUNDS) for pose in ranked[:CLOSE_LOOKS]]


def badness(seen: "Compared | BoardFit") -> tuple[bool, float]:
    """What ranks places where a board may lie: where nothing shows its print at all it costs little if it is plain."""
    return seen.agreeing < LEAST_SHOWN, seen.cost - AGREEING_TELLS * seen.agreeing


def same_board(
    sight: Sight, board: BoardPrint, pose: Array, turn_probability: float, grid: "BoardGrid | None" = None
) -> BoardFit | None:
    """The board where it lay, in another picture; None where it does not lie so any more, or hardly shows.

    Where it was not sure which of its turns is the true one (`turn_probability`), this picture may say so.
    """
    grid = grid or board_grid(board)
    coarse = grid.every(COARSE_STEP)
    further = _rounds(sight, coarse, pose)
    tried = list(islice(further, STILL_ROUNDS + 1))
    moved = _best(tried, STILL_ROUNDS)[0] - pose
    if np.hypot(moved[0], moved[1]) > STILL_MM or abs(moved[2]) > STILL_DEG:
        return None
    found = compare(sight, grid, pose)
    if found.agreeing < LEAST_AGREEING:
        return None
    if turn_probability < SURE_TURN:
        turned, sure = _turned(sight, [grid] * 3, pose)
    else:
        turned, sure = _turned(sight, [coarse] * 3, pose, unturned=chain(tried, further))
    if np.hypot(*(turned - pose)[:2]) < STILL_MM and abs((turned - pose)[2]) < STILL_DEG:
        turn_probability = max(turn_probability, sure)
    elif sure > ANOTHER_TURN:
        return None  # somebody turned it by a third in its place
    return BoardFit(pose, height_of(pose[0], pose[1]), found.agreeing, turn_probability, found.light, found.cost)


def print_cost(sight: Sight, grid: "BoardGrid", pose: Array) -> float:
    """How badly a print fits where it lies, light taken out: the mean of its squared misses in noises, strays cut."""
    return compare(sight, grid, pose).cost


def light_steps(grid: "BoardGrid", fit: BoardFit) -> float:
    """By how much (logarithm) light changes on a board within LIGHT_MM, where it changes most: on all but 2 of 100
    places by less. That is as steep as `BoardFit.light` can be: what changes at once seems to change within so much."""
    grey = fit.light[::EVERY_LIGHT, ::EVERY_LIGHT].mean(-1)
    inside = (np.linalg.norm(grid.points[::EVERY_LIGHT, ::EVERY_LIGHT], axis=-1) < grid.radius_mm).astype(bool)
    reach = max(grid.window // EVERY_LIGHT, 1)
    ways = ((np.s_[reach:], np.s_[:-reach]), (np.s_[:, reach:], np.s_[:, :-reach]))
    steps = [np.abs(grey[one] - grey[other])[inside[one] & inside[other]] for one, other in ways]
    return float(np.quantile(np.concatenate(steps), 0.98))


def under(sight: Sight, grid: "BoardGrid", fit: BoardFit, covering: NDArray[np.uint8]) -> BoardFit:
    """The board under what lies over it (as `find_covering` gives it): agreement and light of what is open alone."""
    if not covering.any():
        return fit
    fit = replace(fit, covering=covering)
    bare = _bare(grid, fit)
    share = float(np.count_nonzero(bare.telling)) / max(float(np.count_nonzero(grid.telling)), 1.0)
    if not bare.used.any():
        return replace(fit, open_share=0.0)
    found = compare(sight, bare, fit.pose)
    return replace(fit, agreeing=found.agreeing, light=found.light, open_share=share)


def turned_under(sight: Sight, grid: "BoardGrid", fit: BoardFit) -> BoardFit:
    """The board in the turn that its open print tells of, where something lies over it. In another turn than it was
    taken to lie in, what lies over it is to be found anew."""
    if fit.covering is None:
        return fit
    bare = [_bare(grid, fit, turn) for turn in THIRDS_DEG]
    telling = min(np.count_nonzero(one.turn_telling) for one in bare)
    shown = telling / max(float(np.count_nonzero(grid.turn_telling)), 1.0)
    pose, sure = _turned(sight, bare, fit.pose, shown)
    if shown < TELLS_ENOUGH:
        sure = min(sure, HARDLY_TOLD)
    lies = np.array([pose[0], pose[1], pose[2] % 360.0])
    if abs(pose[2] - fit.pose[2]) < THIRDS_DEG[1] / 2:
        return replace(fit, pose=lies, turn_probability=sure)
    found = compare(sight, grid, lies)
    return BoardFit(lies, height_of(lies[0], lies[1]), found.agreeing, sure, found.light, found.cost)


def _bare(grid: "BoardGrid", fit: BoardFit, turn_deg: float = 0.0) -> "BoardGrid":
    """The print that nothing lies over, were the board turned by so much more: what covers it stays where it is."""
    turned = place(grid.points.reshape(-1, 2), np.array([0.0, 0.0, turn_deg])).reshape(grid.points.shape)
    is_open = ~fit.hidden_at(turned)
    around = cv2.dilate((~is_open).astype(np.uint8), np.ones((BESIDE_CELLS, BESIDE_CELLS), np.uint8)) > 0
    return replace(
        grid,
        used=grid.used * is_open.astype(np.float32),
        telling=grid.telling & is_open,
        turn_telling=grid.turn_telling & ~around,
    )


def _turned(
    sight: Sight,
    grids: Sequence["BoardGrid"],
    pose: Array,
    shown: float = 1.0,
    unturned: "Iterable[tuple[Array, Compared]] | None" = None,
) -> tuple[Array, float]:
    """Which of the three turns a third of a circle apart fits best, above all where the print differs between them, and
    how likely it is. `grids` are what is open of the print in each. Where little of what differs is there, or only a
    share of it is `shown`, that tells little: what lies over the rest may darken this, too. `unturned` are the first
    turn's `_rounds`, where they have begun."""
    turns = [pose + np.array([0.0, 0.0, turn]) for turn in THIRDS_DEG]
    ways = [_rounds(sight, grid, turn) for grid, turn in zip(grids, turns, strict=True)]
    fits = [_best(way, ROUNDS) for way in (ways[0] if unturned is None else unturned, *ways[1:])]
    costs = [
        float(np.minimum(seen.misses[grid.turn_telling], COST_LIMIT).sum())
        for grid, (_, seen) in zip(grids, fits, strict=True)
    ]
    whole = np.array([seen.cost for _, seen in fits])
    against = np.array(costs) * TURN_EVIDENCE * shown
    against += np.maximum(whole - whole.min() - ALIKE_COST, 0.0) * COST_EVIDENCE * shown
    weights = np.exp(against.min() - against)
    return fits[int(against.argmin())][0], float(weights.max() / weights.sum())


@dataclass(frozen=True, slots=True)
class BoardGrid:
    """A board's print, made ready for comparing. Arrays run over rows and columns first."""

    points: Array
    colours: Floats
    slopes: Floats
    precision: Floats
    """One over the squared noise."""
    used: Floats
    """1 where the print is known and no topping can lie, else 0."""
    telling: NDArray[np.bool_]
    """Where the print differs from what is around, so that a bare surface would not do."""
    turn_telling: NDArray[np.bool_]
    """Where the print differs clearly from itself a third of a circle further, and no topping can lie."""
    radius_mm: float

    @property
    def faint(self) -> bool:
        """Whether little of the print shows something."""
        return bool(np.count_nonzero(self.telling) < FAINT * np.count_nonzero(self.used))

    @property
    def window(self) -> int:
        """Grid points in LIGHT_MM."""
        return 2 * round(LIGHT_MM / 2 / float(self.points[0, 1, 0] - self.points[0, 0, 0])) + 1

    def every(self, step: int) -> "BoardGrid":
        """A part of it, evenly spread."""
        part = np.s_[::step, ::step]
        return BoardGrid(
            self.points[part],
            np.ascontiguousarray(self.colours[part]),
            self.slopes[part],
            np.ascontiguousarray(self.precision[part]),
            np.ascontiguousarray(self.used[part]),
            self.telling[part],
            self.turn_telling[part],
            self.radius_mm,
        )


def board_grid(board: BoardPrint) -> BoardGrid:
    """What comparing with a board's print needs."""
    points = board.points
    away = np.min([np.linalg.norm(points - space, axis=-1) for space in board.spaces_mm], axis=0)
    used = (board.known & (away > board.topping_mm / 2 + 2.0)).astype(np.float32)
    blur = (board.slopes**2).sum(2).mean(-1) * (PLACE_NOISE_MM**2 / 2)
    precision = (1.0 / (NOISE**2 + blur)).astype(np.float32)
    window = 2 * round(LIGHT_MM / 2 / CELL_MM) + 1
    share = np.maximum(cv2.blur(used, (window, window)), 1e-3)[..., None]
    around = cv2.blur(board.colours * used[..., None], (window, window)) / share
    telling = (used > 0) & (((board.colours - around) ** 2).mean(-1) * precision > AGREES_BELOW)
    turn_telling = _differs_turned(board, points, used) * precision > TURN_TELLS
    return BoardGrid(points, board.colours, board.slopes, precision, used, telling, turn_telling, board.diameter_mm / 2)


def _differs_turned(board: BoardPrint, points: Array, used: Floats) -> Floats:
    """For each grid point the greater squared difference of the print there from that a third of a circle on or back; 0
    where it is not known or under a topping. Softened: thin lines never meet again to the point."""
    soft = np.asarray(cv2.blur(board.colours, (TURN_SOFT, TURN_SOFT)), np.float32)
    most = np.zeros(points.shape[:-1], np.float32)
    for turn in np.radians((120.0, 240.0)):
        spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        known = on_grid(used[..., None], points @ spin)[..., 0] > 0.99
        differs = ((on_grid(soft, points @ spin) - soft) ** 2).mean(-1)
        most = np.maximum(most, np.where(known, differs, np.float32(0.0)))
    return np.where(used > 0, most, np.float32(0.0))


def _centres(sight: Sight, board: BoardPrint) -> list[Array]:
    """Where the board's middle may be: its true place, the likelier first of each way to guess it."""
    return [*_by_rim(sight, board), *_by_rings(sight, board)]


def _likely(guesses: Sequence[tuple[float, Array]]) -> list[Array]:
    """The poses that fit best of those found by `_turns`, and the best of the others on the mat."""
    ranked = [pose for _, pose in sorted(guesses, key=lambda guess: -guess[0])]
    on_mat = [pose for pose in ranked[GUESSES:] if np.abs(pose[:2]).max() < MAT_HALF_MM]
    return ranked[:GUESSES] + on_mat[:ON_MAT_GUESSES]


def _tops(score: Floats, centres: int, apart: int, least: float, on_mat: NDArray[np.bool_]) -> list[Array]:
    """Cells (column, row, between cells by the parabola through each top's neighbours) of the highest tops, so many
    cells apart, then of some more on the mat; lower ones than `least` are none."""
    left, found = score.copy(), []
    for more, where in ((centres, None), (ON_MAT_CENTRES, on_mat)):
        if where is not None:
            left = np.where(where, left, np.float32(-1.0))
        for _ in range(more):
            row, column = (int(i) for i in np.unravel_index(int(left.argmax()), left.shape))
            if left[row, column] < least:
                break
            found.append(np.array([_peak(score[row, :], column), _peak(score[:, column], row)]))
            left[max(row - apart, 0) : row + apart + 1, max(column - apart, 0) : column + apart + 1] = -1.0
    return found


def _on_mat(sight: Sight, shape: tuple[int, int], scale: float) -> NDArray[np.bool_]:
    """Which pixels of `sight.looked`, made smaller by `scale` to such a shape, lie on the mat."""
    mask = np.zeros(shape, np.uint8)
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * MAT_HALF_MM
    at = (sight.table.to_map(corners) + 0.5) * scale - 0.5
    cv2.fillConvexPoly(mask, np.round(at).astype(np.int32), 1)
    return mask > 0


def _by_rim(sight: Sight, board: BoardPrint) -> list[Array]:
    """Middles of circles as large as the board: every edge in the picture speaks for the places on both sides of it
    that are a radius away, as in Hough's transform; colours and strength do not matter."""
    scale = 1.0 / (PX_PER_MM * RIM_CELL_MM)
    grey = cv2.cvtColor(sight.looked, cv2.COLOR_BGR2GRAY)
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.float32)
    light = np.log(cv2.GaussianBlur(small, (0, 0), 1.0) + np.float32(LOG_FLOOR))
    across, down = cv2.Sobel(light, cv2.CV_32F, 1, 0), cv2.Sobel(light, cv2.CV_32F, 0, 1)
    steep = np.hypot(across, down)
    clear = steep / (cv2.GaussianBlur(steep, (0, 0), RIM_AROUND_MM / RIM_CELL_MM) + np.float32(LEAST_STEEP))
    rows, columns = np.nonzero(clear > max(float(np.quantile(clear, 1.0 - RIM_EDGES)), 1e-3))
    way = np.stack([across[rows, columns], down[rows, columns]]) / steep[rows, columns]
    height_px, width_px = small.shape[:2]
    counts = np.zeros(height_px * width_px, np.intp)
    for side in (1.0, -1.0):
        spots = np.stack([columns, rows]) + side * board.diameter_mm / 2 / RIM_CELL_MM * way
        column, row = np.round(spots).astype(np.intp)
        inside = (row >= 0) & (row < height_px) & (column >= 0) & (column < width_px)
        counts += np.bincount(row[inside] * width_px + column[inside], minlength=len(counts))
    votes = counts.astype(np.float32).reshape(height_px, width_px)
    votes = _peaked(np.asarray(cv2.GaussianBlur(votes, (0, 0), RIM_SPREAD), np.float32))
    tops = _tops(votes, RIM_CENTRES, round(RIM_APART_MM / RIM_CELL_MM), 1e-6, _on_mat(sight, votes.shape, scale))
    return _middles(sight, tops, scale)


def _peaked(votes: Floats) -> Floats:
    """How much each place is the top of a hill that falls to all sides: straight edges, as of a chequered cloth, vote
    for ridges (the lesser curvature of the surface)."""
    xx, yy, xy = (cv2.Sobel(votes, cv2.CV_32F, *order) for order in ((2, 0), (0, 2), (1, 1)))
    lesser = -(xx + yy) / 2 - np.sqrt(((xx - yy) / 2) ** 2 + xy**2)
    return np.asarray(np.maximum(lesser, 0.0), np.float32)


def _by_rings(sight: Sight, board: BoardPrint) -> list[Array]:
    """Where the picture is like the board's rings."""
    scale = 1.0 / (PX_PER_MM * COARSE_MM)
    small = cv2.resize(sight.looked, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.float32)
    logs = np.log(small * sight.gain + LOG_FLOOR)
    rings, mask = _ring_template(board)
    reach = rings.shape[0] // 2
    padded = cv2.copyMakeBorder(logs, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    like = cv2.matchTemplate(padded, rings, cv2.TM_CCOEFF_NORMED, mask=mask)
    score: Floats = np.asarray(np.nan_to_num(like, nan=-1.0, posinf=-1.0, neginf=-1.0), np.float32)
    tops = _tops(score, RING_CENTRES, reach // 2, LEAST_RINGED, _on_mat(sight, score.shape, scale))
    return _middles(sight, tops, scale)


def _middles(sight: Sight, tops: Sequence[Array], scale: float) -> list[Array]:
    """The boards' true middles (table mm) that pixels of `sight.looked`, made smaller by `scale`, show."""
    height = height_of(0.0, 0.0)
    at = [sight.table.to_table((top + 0.5) / scale - 0.5) for top in tops]
    return [sight.registration.on_table(seen, height)[0] for seen in at]


def _ring_template(board: BoardPrint) -> tuple[Floats, Floats]:
    radius = board.diameter_mm / 2
    half = int(np.ceil(radius / COARSE_MM))
    steps = np.arange(-half, half + 1) * COARSE_MM
    away = np.hypot(*np.meshgrid(steps, steps))
    known = board.known
    reach = np.linalg.norm(board.points, axis=-1)[known]
    edges = np.arange(0.0, radius + COARSE_MM, COARSE_MM / 2)
    which = np.digitize(reach, edges)
    means = np.zeros((len(edges) + 1, 3), np.float32)
    for i in range(len(means)):
        near = which == i
        means[i] = board.colours[known][near].mean(0) if near.any() else means[i - 1]
    mask = ((away > INNER_SHARE * radius) & (away < OUTER_SHARE * radius)).astype(np.float32)
    template = means[np.digitize(away, edges)] * mask[..., None]
    return np.ascontiguousarray(template, np.float32), np.ascontiguousarray(np.repeat(mask[..., None], 3, axis=2))


def _peak(line: Floats, at: int) -> float:
    """The top of the parabola through a peak and its neighbours."""
    if not 0 < at < len(line) - 1:
        return float(at)
    low, mid, high = (float(line[at + i]) for i in (-1, 0, 1))
    bend = low - 2 * mid + high
    return at + float(np.clip(0.5 * (low - high) / bend, -0.5, 0.5)) if bend < -1e-9 else float(at)


def _turns(sight: Sight, board: BoardPrint, centre: Array) -> list[tuple[float, Array]]:
    """The poses at a centre at which what lies round the board's rim fits best, best first, and how well it does."""
    radius = board.diameter_mm / 2
    radii = np.arange(INNER_SHARE * radius, OUTER_SHARE * radius, CELL_MM)
    angles = np.radians(np.arange(0.0, 360.0, TURN_STEP_DEG))
    around = np.stack([radii[:, None] * np.cos(angles), radii[:, None] * np.sin(angles)], axis=-1)
    height = height_of(centre[0], centre[1])
    enrolled = _without_rings(*print_at(board, around))
    most = PRINT_STRAYS * float(np.sqrt(np.square(enrolled).mean()))
    seen = _without_rings(sight.colours(around + centre, height), sight.shows(around + centre, height))
    enrolled, seen = (np.clip(colours, -most, most) for colours in (enrolled, seen))
    together = np.fft.ifft(np.fft.fft(seen, axis=1) * np.conj(np.fft.fft(enrolled, axis=1)), axis=1).real.sum((0, 2))
    turns = []
    blocked = np.zeros(len(angles), bool)
    for _ in range(TURNS):
        best = int(np.where(blocked, -np.inf, together).argmax())
        around_best = np.array([together[(best + i) % len(angles)] for i in (-1, 0, 1)])
        turn = (_peak(around_best.astype(np.float32), 1) - 1 + best) * TURN_STEP_DEG
        turns.append((float(together[best]), np.array([*centre, turn])))
        blocked[(best + np.arange(-4, 5)) % len(angles)] = True
    return turns


def _without_rings(colours: Floats, valid: NDArray[np.bool_]) -> Floats:
    """Each ring less what changes slowly round it, strays cut; what is not valid is 0."""
    weight = valid[..., None].astype(np.float32)
    mean = (colours * weight).sum(1, keepdims=True) / np.maximum(weight.sum(1, keepdims=True), 1.0)
    turning = np.fft.rfft(np.clip(colours - mean, -1.0, 1.0) * weight, axis=1)
    turning[:, : SHADOW_STEEPEST + 1] = 0.0
    sharp = np.fft.irfft(turning, colours.shape[1], axis=1)
    return np.asarray(sharp * weight, np.float32)


def print_at(board: BoardPrint, own_mm: Array) -> tuple[Floats, NDArray[np.bool_]]:
    """The print at the grid points nearest to points of the board, and where it is known."""
    half = board.known.shape[0] // 2
    columns = np.clip(np.round(own_mm[..., 0] / CELL_MM).astype(int) + half, 0, 2 * half)
    rows = np.clip(half - np.round(own_mm[..., 1] / CELL_MM).astype(int), 0, 2 * half)
    return board.colours[rows, columns], board.known[rows, columns]


def _best(tried: "Iterable[tuple[Array, Compared]]", rounds: int) -> "tuple[Array, Compared]":
    """The pose, and how the print looks there, that fits best of a first one and those after so many `_rounds`."""
    return min(islice(tried, rounds + 1), key=lambda one: one[1].cost)


def _rounds(sight: Sight, grid: BoardGrid, pose: Array) -> "Iterator[tuple[Array, Compared]]":
    """A pose, and those after each further round of moving it to where the print fits better, light taken out."""
    arm = (grid.points / grid.radius_mm).astype(np.float32)
    turning = grid.slopes[..., 1, :] * arm[..., :1] - grid.slopes[..., 0, :] * arm[..., 1:]
    gradient = np.stack([grid.slopes[..., 0, :], grid.slopes[..., 1, :], turning], axis=0)
    while True:
        seen = compare(sight, grid, pose)
        yield pose, seen
        weight = grid.used * grid.precision / (1.0 + seen.misses / 3.0) ** 2
        flat = (gradient * _three(weight)).reshape(3, -1)
        normal = flat @ gradient.reshape(3, -1).T + np.eye(3) * 10.0
        step = np.clip(np.linalg.solve(normal, flat @ seen.residual.ravel()), -LARGEST_STEP_MM, LARGEST_STEP_MM)
        cosine, sine = np.cos(np.radians(pose[2])), np.sin(np.radians(pose[2]))
        across = np.array([cosine * step[0] - sine * step[1], sine * step[0] + cosine * step[1]])
        pose = np.array([*(pose[:2] - across), pose[2] - np.degrees(step[2] / grid.radius_mm)])


@dataclass(frozen=True, slots=True)
class Compared:
    """How a print looks at a pose."""

    residual: Floats
    """What is left of the colours after print and light."""
    misses: Floats
    """Its squares in noises."""
    light: Floats
    cost: float
    """Mean of the misses, strays cut."""
    agreeing: float
    """Share of the telling points that look as enrolled."""


def compare(sight: Sight, grid: BoardGrid, pose: Array) -> Compared:
    flat = place(grid.points.reshape(-1, 2), pose).reshape(grid.points.shape)
    plain = sight.colours(flat, height_of(pose[0], pose[1])) - grid.colours
    window = (grid.window, grid.window)
    weight = grid.used
    light = off = np.zeros_like(plain)
    for _ in range(3):
        share = cv2.blur(weight, window)
        shown = cv2.blur(plain * _three(weight), window) / _three(np.maximum(share, np.float32(1e-3)))
        light = shown if share.min() > 1e-3 else np.where((share > 1e-3)[..., None], shown, light)
        off = plain - light
        misses = np.asarray(grid.precision * dot(off, off) / 3, np.float32)
        weight = grid.used / (1.0 + misses / 3.0) ** 2
    cost = float((np.minimum(misses, COST_LIMIT) * grid.used).sum() / max(float(grid.used.sum()), 1e-6))
    agreeing = float((misses[grid.telling] < AGREES_BELOW).mean()) if grid.telling.any() else 0.0
    return Compared(off * _three(grid.used), misses, np.asarray(light, np.float32), cost, agreeing)


def _three(values: Floats) -> Floats:
    """The same for each channel: n x m gives n x m x 3. NumPy is slow where it has to do that itself."""
    return np.asarray(cv2.merge((values, values, values)), np.float32)
