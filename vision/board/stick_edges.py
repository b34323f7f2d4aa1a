"""Exactly where a cutter lies: where both edges of a stick are sharpest along a line."""

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.pose import BoardFit
from vision.board.record import BoardPrint
from vision.board.sight import Sight
from vision.board.stick_colours import COST_LIMIT, CutterFit, wood_cost
from vision.board.stick_strips import FINE_MM, HALF_MM, LEAST_CONTRAST, Strip, less_shading, shifted, strip_along
from vision.frame import Image
from vision.short_axes import dot, median

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

BLOCK_MM = 8
FAR_MM, FAR_DEG = 5.0, 2.5
"""Edges that lie so far from where a stick was thought to be may lie farther: they are looked for up to 6 mm and 3
degrees away."""
WAYS, WAYS_APART_MM, CLEAR_SHARE = 5, 2.0, 0.5
"""In so many ways, so far apart, whose edges are that share as clear, a stick may lie along what looks like one."""
EDGE_LIMIT = 0.7
BRIGHTNESS_SHARE = 0.15
"""Edges of brightness count by so much beside those of tint: shadows have them too."""
WOOD_SHARE = 0.2
EDGE_SHADE = 0.1
"""How much brighter or darker than enrolled wood may be to tell a stick from its shadow beside it."""
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
_OFFS, _SLOPES = np.arange(-6.0, 6.01, 0.25), np.arange(-3.0, 3.01, 0.25)
_FINE_OFFS = np.arange(-0.3, 0.301, 0.05)
_FINE_SLOPES = np.arange(-0.3, 0.301, 0.03)


def on_edges(sight: Sight, image: Image, board: BoardPrint, fit: BoardFit, line: Array) -> list[Array]:
    """The lines near this one along which both edges of a stick lie, clearest first: beside a stick its shadow, and
    what it touches, have edges as clear. From where they lie farthest away they are looked for once more."""
    lines = []
    for near, off_mm, slope in _towards_edges(sight, image, board, fit, line, WAYS):
        if abs(off_mm) > FAR_MM or abs(slope) > np.tan(np.radians(FAR_DEG)):
            near = _towards_edges(sight, image, board, fit, near, 1)[0][0]
        lines.append(near)
    return lines


def _towards_edges(
    sight: Sight, image: Image, board: BoardPrint, fit: BoardFit, line: Array, ways: int
) -> list[tuple[Array, float, float]]:
    """The line moved to where both edges of a stick lie along it, in up to so many ways that lie apart, as near to it
    as they are looked for; by how much its middle was moved, and its slope."""
    strip = strip_along(sight, image, fit, line)
    spots, energies = _edge_pairs(strip, board)
    middle = strip.length_mm / 2
    lever = spots - middle
    slopes = np.tan(np.radians(_SLOPES))
    along = _summed(energies, lever, _OFFS, slopes)
    lines: list[tuple[Array, float, float]] = []
    clearest = float(along.max())
    for _ in range(ways):
        best = np.unravel_index(int(along.argmax()), along.shape)
        if along[best] < CLEAR_SHARE * clearest and lines:
            break
        off, slope = float(_OFFS[best[0]]), float(slopes[best[1]])
        apart = np.abs(_OFFS - off)[:, None] + np.abs(slopes - slope) * (middle / 2)
        along[apart < WAYS_APART_MM] = -np.inf
        offs, slants = off + _FINE_OFFS, slope + np.tan(np.radians(_FINE_SLOPES))
        fine = _summed(energies, lever, offs, slants)
        closest = np.unravel_index(int(fine.argmax()), fine.shape)
        off, slope = float(offs[closest[0]]), float(slants[closest[1]])
        lines.append((shifted(line, off - slope * middle, off + slope * middle), off, slope))
    return lines


def _summed(energies: Floats, lever: Array, offs: Array, slopes: Array) -> Array:
    """How much like a stick's edges it looks along lines at each offset (mm) and slope (offs x slopes)."""
    at = (offs[:, None, None] + slopes[None, :, None] * lever).reshape(-1, len(lever))
    columns = ((at + HALF_MM) / FINE_MM).astype(np.float32)
    rows = np.broadcast_to(np.arange(len(lever), dtype=np.float32), columns.shape)
    along = cv2.remap(energies, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(along.sum(axis=1).reshape(len(offs), len(slopes)), np.float64)


def _edge_pairs(strip: Strip, board: BoardPrint) -> tuple[Array, Floats]:
    """Along which places (middles of blocks), and how much like the two edges and the wood of a stick it looks there
    at each place across (blocks x across)."""
    blocks = len(strip.along_mm) // BLOCK_MM
    cut = strip.colours[: blocks * BLOCK_MM].reshape(blocks, BLOCK_MM, len(strip.across_mm), 3)
    seen = median(cut, 1)
    step = round(0.5 / FINE_MM)
    change = np.zeros_like(seen)
    change[:, step:-step] = seen[:, 2 * step :] - seen[:, : -2 * step]
    steep = dot(change, BRIGHTNESS_SHARE * change + less_shading(change, seen))
    edge = np.minimum(np.sqrt(np.maximum(steep, 0.0)), EDGE_LIMIT)
    half = round(board.cutter_mm[1] / 2 / FINE_MM)
    pairs = np.zeros(edge.shape, np.float32)
    pairs[:, half:-half] = 2 * np.sqrt(edge[:, 2 * half :] * edge[:, : -2 * half])
    cost = median(wood_cost(cut, board, EDGE_SHADE), 1) / COST_LIMIT
    inner = cv2.blur(cost.astype(np.float32), (2 * round(0.75 / FINE_MM) + 1, 1))
    hidden = ~strip.shown[: blocks * BLOCK_MM].reshape(blocks, BLOCK_MM).all(1)
    pairs[hidden], inner[hidden] = 0.0, 0.0
    spots = strip.along_mm[: blocks * BLOCK_MM].reshape(blocks, BLOCK_MM).mean(1)
    return spots, np.asarray(pairs - WOOD_SHARE * inner, np.float32)


def straightened(sight: Sight, image: Image, board: BoardPrint, fit: BoardFit, cutter: CutterFit) -> CutterFit:
    """The cutter moved and turned to where its edges are, measured to parts of a pixel slice by slice.

    Between what the stick's middle and what lies beside it look like, an edge is where half the change is made. All
    edges share one line and one width; those that something else touches stray and count little.
    """
    strip = strip_along(sight, image, fit, cutter.seen_mm)
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
    return replace(cutter, seen_mm=shifted(cutter.seen_mm, *(line[0] + line[1] * ends)))


def _slices(strip: Strip) -> tuple[Floats, Flags]:
    """What is seen across each slice of a stick but its ends (slices x across x 3), and which nothing covers."""
    count = int((strip.length_mm - POINT_MM - FIRST_SLICE_MM) // SLICE_MM)
    part = slice(FIRST_SLICE_MM, FIRST_SLICE_MM + count * SLICE_MM)
    profiles = median(strip.colours[part].reshape(count, SLICE_MM, len(strip.across_mm), 3), 1)
    return np.asarray(profiles, np.float32), np.asarray(strip.shown[part].reshape(count, SLICE_MM).all(1))


def edge_contrast(strip: Strip, half_mm: float) -> float:
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
    tinted = less_shading(step, core)
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


def _across(profiles: Floats, at_mm: Array) -> Floats:
    """The colours of each slice (... x slices x 3) at its own place across, or places (... x slices)."""
    where = np.clip((at_mm + HALF_MM) / FINE_MM, 0, profiles.shape[1] - 1.001)
    left = where.astype(int)
    share = (where - left)[..., None]
    rows = np.arange(len(profiles))
    return np.asarray(profiles[rows, left] * (1 - share) + profiles[rows, left + 1] * share, np.float32)
