"""Where a board lies and how it is turned, by its own print."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.record import BoardPrint, height_of
from vision.board.sight import Sight
from vision.features import LOG_FLOOR
from vision.rectify import PX_PER_MM
from vision.shapes import CELL_MM, place

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

COARSE_MM = 8.0
INNER_SHARE = 0.56
"""Toppings and cutters change the look of a board least outside this share of its radius."""
OUTER_SHARE = 0.97
CENTRES = 3
"""So many places are looked at closely."""
TURNS = 4
"""And so many turns at each."""
TURN_STEP_DEG = 1.5
NOISE = 0.06
"""How far print seen under even light strays from what was enrolled (logarithm)."""
PLACE_NOISE_MM = 0.6
COST_LIMIT = 9.0
AGREES_BELOW = 5.0
LEAST_AGREEING = 0.45
"""So much of the print must be seen for a board to be there at all."""
EVIDENCE = 0.05
"""How much of a grid point's cost counts as independent evidence."""
ROUNDS = 4
COARSE_STEP, FINE_STEP = 17, 5
"""Every so many-th grid point is compared for a first and for a closer look."""
CLOSE_LOOKS = 3
LARGEST_STEP_MM = 2.0
LIGHT_TERMS = 6


@dataclass(frozen=True, slots=True)
class BoardFit:
    """A board as it was found."""

    pose: Array
    """x, y in table mm, degrees: where it truly lies."""
    height_mm: float
    """Of its face above the mat's."""
    agreeing: float
    """Share of its known print that is seen as enrolled."""
    turn_probability: float
    """How likely the turn is the true one, and not one a third of a circle away."""
    light: Floats
    """LIGHT_TERMS x 3: what the light adds to the print's colours."""

    def light_at(self, own_mm: Array, radius_mm: float) -> Floats:
        """What the light adds to colours at points of the board (... x 2 gives ... x 3)."""
        return np.asarray(_light_basis(own_mm / radius_mm) @ self.light, np.float32)


def find_board(sight: Sight, board: BoardPrint) -> BoardFit | None:
    """The board, where one lies in the picture."""
    grid = _Grid.of(board)
    coarse, part = grid.every(COARSE_STEP), grid.every(FINE_STEP)
    guesses = [np.array([*centre, turn]) for centre in _centres(sight, board) for turn in _turns(sight, board, centre)]
    ranked = sorted(guesses, key=lambda pose: _mean_cost(sight, coarse, pose))
    fits = [_refine(sight, board, coarse, pose, rounds=4) for pose in ranked[:CLOSE_LOOKS]]
    if not fits:
        return None
    pose = min(fits, key=lambda fit: fit[1])[0]
    pose, _ = _refine(sight, board, part, pose, rounds=ROUNDS)
    return _judged(sight, grid, pose)


@dataclass(frozen=True, slots=True)
class _Grid:
    """The known points of a board's print as rows."""

    points: Array
    colours: Floats
    slopes: Floats
    precision: Floats
    basis: Floats

    @classmethod
    def of(cls, board: BoardPrint) -> "_Grid":
        known = board.known
        points = board.points[known]
        slopes = board.slopes[known]
        blur = (slopes**2).sum(1).mean(-1) * (PLACE_NOISE_MM**2 / 2)
        precision = (1.0 / (NOISE**2 + blur)).astype(np.float32)
        basis = _light_basis(points / (board.diameter_mm / 2))
        return cls(points, board.colours[known], slopes, precision, basis)

    def every(self, step: int) -> "_Grid":
        """A part of it, evenly spread."""
        return _Grid(
            self.points[::step], self.colours[::step], self.slopes[::step], self.precision[::step], self.basis[::step]
        )


def _light_basis(points: Array) -> Floats:
    x, y = points[..., 0], points[..., 1]
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1).astype(np.float32)


def _centres(sight: Sight, board: BoardPrint) -> list[Array]:
    """Where the picture is like the board's rings: true middles, best first."""
    height = height_of(0.0, 0.0)
    scale = 1.0 / (PX_PER_MM * COARSE_MM)
    small = cv2.resize(sight.looked, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.float32)
    logs = np.log(small * sight.gain + LOG_FLOOR)
    rings, mask = _ring_template(board)
    reach = rings.shape[0] // 2
    padded = cv2.copyMakeBorder(logs, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    like = cv2.matchTemplate(padded, rings, cv2.TM_CCOEFF_NORMED, mask=mask)
    score: Floats = np.asarray(np.nan_to_num(like, nan=-1.0, posinf=-1.0, neginf=-1.0), np.float32)
    found = []
    for _ in range(CENTRES):
        row, column = (int(i) for i in np.unravel_index(int(score.argmax()), score.shape))
        if score[row, column] < 0.2:
            break
        at = np.array([_peak(score[row, :], column), _peak(score[:, column], row)])
        mapped = sight.table.to_table((at + 0.5) / scale - 0.5)
        found.append(sight.registration.on_table(mapped, height)[0])
        low, high = max(row - reach // 2, 0), max(column - reach // 2, 0)
        score[low : row + reach // 2 + 1, high : column + reach // 2 + 1] = -1.0
    return found


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


def _turns(sight: Sight, board: BoardPrint, centre: Array) -> list[float]:
    """The turns at which what lies round the board's rim fits best, best first."""
    radius = board.diameter_mm / 2
    radii = np.arange(INNER_SHARE * radius, OUTER_SHARE * radius, CELL_MM)
    angles = np.radians(np.arange(0.0, 360.0, TURN_STEP_DEG))
    around = np.stack([radii[:, None] * np.cos(angles), radii[:, None] * np.sin(angles)], axis=-1)
    height = height_of(centre[0], centre[1])
    seen = _without_rings(sight.colours(around + centre, height), sight.shows(around + centre, height))
    enrolled, known = print_at(board, around)
    enrolled = _without_rings(enrolled, known)
    together = np.fft.ifft(np.fft.fft(seen, axis=1) * np.conj(np.fft.fft(enrolled, axis=1)), axis=1).real.sum((0, 2))
    turns = []
    blocked = np.zeros(len(angles), bool)
    for _ in range(TURNS):
        best = int(np.where(blocked, -np.inf, together).argmax())
        around_best = np.array([together[(best + i) % len(angles)] for i in (-1, 0, 1)])
        turns.append((_peak(around_best.astype(np.float32), 1) - 1 + best) * TURN_STEP_DEG)
        blocked[(best + np.arange(-4, 5)) % len(angles)] = True
    return turns


def _without_rings(colours: Floats, valid: NDArray[np.bool_]) -> Floats:
    """Each ring's own mean taken away, strays cut; what is not valid is 0."""
    weight = valid[..., None].astype(np.float32)
    mean = (colours * weight).sum(1, keepdims=True) / np.maximum(weight.sum(1, keepdims=True), 1.0)
    return np.asarray(np.clip(colours - mean, -0.6, 0.6) * weight, np.float32)


def print_at(board: BoardPrint, own_mm: Array) -> tuple[Floats, NDArray[np.bool_]]:
    """The print at the grid points nearest to points of the board, and where it is known."""
    half = board.known.shape[0] // 2
    columns = np.clip(np.round(own_mm[..., 0] / CELL_MM).astype(int) + half, 0, 2 * half)
    rows = np.clip(half - np.round(own_mm[..., 1] / CELL_MM).astype(int), 0, 2 * half)
    return board.colours[rows, columns], board.known[rows, columns]


def _refine(sight: Sight, board: BoardPrint, part: _Grid, pose: Array, *, rounds: int) -> tuple[Array, float]:
    """The pose moved to where the print fits best, light taken out, and its mean cost."""
    arm = (part.points / (board.diameter_mm / 2)).astype(np.float32)
    turning = part.slopes[:, 1] * arm[:, :1] - part.slopes[:, 0] * arm[:, 1:]
    gradient = np.stack([part.slopes[:, 0], part.slopes[:, 1], turning], axis=0)
    best, least = pose, np.inf
    for _ in range(rounds + 1):
        residual, misses, _ = _compare(sight, part, pose)
        cost = float(np.minimum(misses, COST_LIMIT).mean())
        if cost < least:
            best, least = pose, cost
        weight = part.precision / (1.0 + misses / 3.0) ** 2
        flat = (gradient * weight[None, :, None]).reshape(3, -1)
        normal = flat @ gradient.reshape(3, -1).T + np.eye(3) * 10.0
        step = np.clip(np.linalg.solve(normal, flat @ residual.ravel()), -LARGEST_STEP_MM, LARGEST_STEP_MM)
        turn = np.radians(pose[2])
        across = np.array(
            [np.cos(turn) * step[0] - np.sin(turn) * step[1], np.sin(turn) * step[0] + np.cos(turn) * step[1]]
        )
        pose = np.array([*(pose[:2] - across), pose[2] - np.degrees(step[2] / (board.diameter_mm / 2))])
    return best, least


def _mean_cost(sight: Sight, grid: _Grid, pose: Array) -> float:
    return float(np.minimum(_compare(sight, grid, pose)[1], COST_LIMIT).mean())


def _compare(sight: Sight, grid: _Grid, pose: Array) -> tuple[Floats, Floats, Floats]:
    """What is left of the colours after print and light (points x 3), squared misses, and the light."""
    plain = sight.colours(place(grid.points, pose), height_of(pose[0], pose[1])) - grid.colours
    residual = plain - np.median(plain, axis=0)
    light = np.zeros((LIGHT_TERMS, 3), np.float32)
    ridge = np.diag([0.1, 20.0, 20.0, 60.0, 60.0, 60.0]).astype(np.float32)
    for _ in range(3):
        weight = grid.precision / (1.0 + grid.precision * (residual**2).mean(1) / 3.0) ** 2
        weighted = grid.basis * weight[:, None]
        light = np.linalg.solve(weighted.T @ grid.basis + ridge * weight.mean(), weighted.T @ plain)
        residual = plain - grid.basis @ light
    return residual, grid.precision * (residual**2).mean(1), light.astype(np.float32)


def _judged(sight: Sight, grid: _Grid, pose: Array) -> BoardFit | None:
    _, misses, light = _compare(sight, grid, pose)
    agreeing = float((misses < AGREES_BELOW).mean())
    if agreeing < LEAST_AGREEING:
        return None
    costs = [float(np.minimum(misses, COST_LIMIT).sum())]
    for turn in (120.0, 240.0):
        _, other, _ = _compare(sight, grid, pose + np.array([0.0, 0.0, turn]))
        costs.append(float(np.minimum(other, COST_LIMIT).sum()))
    weights = np.exp(-EVIDENCE * (np.array(costs) - min(costs)))
    probability = float(weights[0] / weights.sum())
    turned = np.array([pose[0], pose[1], pose[2] % 360.0])
    return BoardFit(turned, height_of(pose[0], pose[1]), agreeing, probability, light)
