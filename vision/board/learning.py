"""Learning a board, its toppings and its cutters from labelled pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.record import (
    ALONG_STEP_MM,
    FACE_MM,
    TOPPING_THICK_MM,
    BoardPrint,
    Looks,
    apart,
    as_complex,
    grid_points,
    height_of,
    topping_rings,
)
from vision.board.sight import Sight, inside_any, sight_of
from vision.files.label_kinds import LabelError
from vision.frame import Image
from vision.mat.lens import Lens
from vision.mat.registration import Registration, find_mat
from vision.pieces.veil import unveiled
from vision.shapes import CELL_MM, place, to_own_frame

if TYPE_CHECKING:
    from vision.files.labels import BoardLabel, BoardLabels, CutterLabel

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

TIP_MM = 44.0
"""The coloured end is looked for within so much of a cutter's point."""
END_MM, LEAST_COLOURED, MUCH_MORE = (4.0, 24.0), 0.2, 2.0
"""Between the first two of its length a cutter's coloured end differs from its middle. Where its other end does by the
third (logarithm, root mean square), and by so many times as much, the two are exchanged."""
MARGIN_MM = 3.0
"""So far around a piece that lies on the board its shadow and blur are taken for the piece."""
NUDGE_MM = 0.8
OFF_SHARE = 0.1
"""A board's label and its outline differ by no more of its diameter."""
SHADOW_REACH_MM, SHADOW_POINTS = 18.0, 20
"""So far beside a stick its shadow is looked for, where so many points of the print are seen."""
SHADE = 0.1
"""Print seen twice that is so much (logarithm) darker once lies in a shadow then."""
LEAST_SPREAD = 0.05
LEAST_APART = 0.2
"""Toppings that differ by less (logarithm, root mean square) are not told apart in other light: those of our own copy
and of two styles by 0.30 and more, red and green ones printed in grey by 0.10."""
LEAST_KNOWN = 0.6
"""So much of a board's print must have been seen bare."""


def learn_board(
    photos: "Sequence[tuple[Image, BoardLabels, str]]", spaces: Sequence[str] = (), lens: Lens | None = None
) -> BoardPrint:
    """Learn a board and its pieces from pictures in which they lie as labelled, each with its name.

    Spaces are named by their whole coordinates, "x,y,z" with sum 0, of which neighbours differ by one step. `spaces`
    are all that the game's board has; without them they fill a hexagon as far as the farthest labelled one. `lens` is
    the pictures', if it is known.

    Raises:
        LabelError: too little is labelled, too little of the board is seen bare, or a topping is said to lie on a space
            that the board does not have.
        RegistrationError: a picture cannot be laid over the table.
    """
    shots = [_shot(image, labels, name, lens) for image, labels, name in photos]
    diameter = float(np.median([shot.diameter_mm for shot in shots]))
    space_names, spaces_mm = _place_spaces(shots, _spaces_of(shots, spaces))
    toppings, topping_mm = _learn_toppings(shots)
    cutters, wood, cutter_mm = _learn_cutters(shots)
    colours, slopes, known = _learn_print(shots, diameter, spaces_mm, topping_mm)
    return BoardPrint(
        diameter, colours, slopes, known, space_names, spaces_mm, topping_mm, toppings, cutter_mm, cutters, wood
    )


@dataclass(frozen=True, slots=True)
class _Disc:
    colour: str
    at_mm: Array
    diameter_mm: float
    space: str | None


@dataclass(frozen=True, slots=True)
class _Stick:
    colour: str
    seen_mm: Array
    """2 x 2: where its ends seem to lie at z = 0, the point second."""
    length_mm: float
    diameter_mm: float


@dataclass(frozen=True, slots=True)
class _Shot:
    name: str
    sight: Sight
    pose: Array
    diameter_mm: float
    discs: tuple[_Disc, ...]
    sticks: tuple[_Stick, ...]
    hides: tuple[Array, ...]
    """Outlines of what hides the print, where they seem to lie at z = 0."""


def _shot(image: Image, labels: "BoardLabels", name: str, lens: Lens | None) -> _Shot:
    registration = find_mat(image, lens=lens)
    board = labels.board
    if board.outline_px is not None:
        _check_outline(board, registration.to_table(np.array(board.outline_px, np.float64)), name)
    return _Shot(
        name,
        sight_of(unveiled(image, registration), registration),
        np.array([board.x_mm, board.y_mm, board.angle_deg]),
        board.diameter_mm,
        tuple(_Disc(t.colour, np.array([t.x_mm, t.y_mm]), t.diameter_mm, t.space) for t in labels.toppings),
        tuple(_stick(cutter, registration) for cutter in labels.cutters),
        tuple(registration.to_table(np.array(outline, np.float64)) for outline in labels.outlines_px),
    )


def _check_outline(board: "BoardLabel", outline_mm: Array, name: str) -> None:
    """Check that a board's label and its outline (n x 2) are of one board. Raises LabelError."""
    (x, y), size = cv2.minEnclosingCircle(outline_mm.astype(np.float32))
    off = float(np.hypot(x - board.x_mm, y - board.y_mm))
    if abs(2 * size - board.diameter_mm) > OFF_SHARE * board.diameter_mm or off > OFF_SHARE * board.diameter_mm:
        raise LabelError(
            f"labels of {name}: the board has diameter_mm {board.diameter_mm:g} around x_mm {board.x_mm:g}, y_mm "
            f"{board.y_mm:g}, but by its outline_px {2 * size:.0f} mm around ({x:.0f}, {y:.0f}) mm; expected both of "
            "the same board"
        )


def _stick(label: "CutterLabel", registration: Registration) -> _Stick:
    ends = np.array(label.ends_mm, np.float64)
    seen = (
        registration.to_table(np.array(label.ends_px, np.float64))
        if label.ends_px is not None
        else registration.seen_from_table(ends, FACE_MM + TOPPING_THICK_MM)
    )
    return _Stick(label.colour, seen, float(np.linalg.norm(ends[1] - ends[0])), label.diameter_mm)


def _place_spaces(shots: Sequence[_Shot], spaces: Mapping[str, Sequence[int]]) -> tuple[tuple[str, ...], Array]:
    """Where the spaces lie on the board: the even lattice, seen from either side, that fits the labelled toppings."""
    known, at = [], []
    for shot in shots:
        for disc in shot.discs:
            if disc.space is None:
                continue
            known.append(as_complex(disc.space))
            own = to_own_frame(disc.at_mm[None], shot.pose)[0]
            at.append(complex(own[0], own[1]))
    if len(set(known)) < 3:
        raise LabelError(
            f"labels of {_names(shots)}: toppings lie on {len(set(known))} spaces of the board; expected at least "
            "three, so that it is known where its spaces lie"
        )
    steps, seen = np.array(known), np.array(at)
    fits = []
    for mirrored in (False, True):
        lattice = np.conj(steps) if mirrored else steps
        columns = np.column_stack([lattice, np.ones(len(lattice))])
        solution = np.linalg.lstsq(columns, seen, rcond=None)[0]
        fits.append((float(np.sqrt((np.abs(columns @ solution - seen) ** 2).mean())), mirrored, solution))
    miss, mirrored, (scale, offset) = min(fits, key=lambda fit: fit[0])
    if miss > 0.25 * abs(scale) * np.sqrt(3.0):
        raise LabelError(
            f"labels of {_names(shots)}: the toppings miss an even lattice of spaces by {miss:.1f} mm; expected their "
            "spaces and the board's angle_deg as the photo shows them"
        )
    every = np.array([as_complex(space) for space in spaces])
    lying = scale * (np.conj(every) if mirrored else every) + offset
    return tuple(spaces), np.column_stack([lying.real, lying.imag])


def _spaces_of(shots: Sequence[_Shot], spaces: Sequence[str]) -> dict[str, tuple[int, int, int]]:
    """The board's spaces by their coordinates: those given, else those that the labels tell of."""
    if not spaces:
        return _hexagon(shots)
    known: dict[str, tuple[int, int, int]] = {}
    for space in spaces:
        x, y, z = map(int, space.split(","))
        known[space] = (x, y, z)
    for shot in shots:
        for disc in shot.discs:
            if disc.space is not None and disc.space not in known:
                raise LabelError(
                    f"labels of {shot.name}: a topping lies on space {disc.space}; expected one of the board's "
                    f"{len(known)} spaces, such as {spaces[0]}"
                )
    return known


def _hexagon(shots: Sequence[_Shot]) -> dict[str, tuple[int, int, int]]:
    """All spaces of the smallest hexagon that has those labelled, by their coordinates."""
    labelled = [disc.space for shot in shots for disc in shot.discs if disc.space is not None]
    far = max((abs(int(step)) for space in labelled for step in space.split(",")), default=0)
    steps = range(-far, far + 1)
    return {f"{x},{y},{-x - y}": (x, y, -x - y) for x in steps for y in steps if abs(x + y) <= far}


def _names(shots: Sequence[_Shot]) -> str:
    return ", ".join(shot.name for shot in shots)


def _learn_toppings(shots: Sequence[_Shot]) -> tuple[Looks, float]:
    diameter = float(np.median([disc.diameter_mm for shot in shots for disc in shot.discs] or [0.0]))
    if diameter <= 0.0:
        raise LabelError(f"labels of {_names(shots)}: there is no topping; expected at least three")
    rings = topping_rings(diameter)
    seen: dict[str, list[Floats]] = {}
    for shot in shots:
        for disc in shot.discs:
            points = disc.at_mm + rings
            seen_points = shot.sight.seen(points, height_of(shot.pose[0], shot.pose[1]) + TOPPING_THICK_MM)
            bare = ~inside_any(seen_points, [_band(stick) for stick in shot.sticks])
            colours = shot.sight.seen_colours(seen_points)
            seen.setdefault(disc.colour, []).append(_median_by_ring(colours, bare))
    names = tuple(sorted(seen))
    means = np.stack([np.median(seen[name], axis=0) for name in names])
    spread = np.stack([np.std(seen[name], axis=0) for name in names])
    _check_apart(names, means, shots)
    return Looks(names, means.astype(np.float32), np.maximum(spread, LEAST_SPREAD).astype(np.float32)), diameter


def _check_apart(names: Sequence[str], colours: Floats, shots: Sequence[_Shot]) -> None:
    """Check that toppings (names x rings x 3 logarithms) look different. Raises LabelError."""
    for one, other in combinations(range(len(names)), 2):
        if apart(colours[one], colours[other]) < LEAST_APART:
            raise LabelError(
                f"labels of {_names(shots)}: the {names[one]} toppings look as the {names[other]} ones do; expected "
                "colours that are told apart (a copy printed without colour has none, one in little ink too little)"
            )


def _median_by_ring(colours: Floats, bare: NDArray[np.bool_]) -> Floats:
    whole = np.median(colours, axis=1)
    rings = [
        np.median(ring[free], axis=0) if free.sum() > 3 else whole[i]
        for i, (ring, free) in enumerate(zip(colours, bare, strict=True))
    ]
    return np.asarray(rings, np.float32)


def _learn_cutters(shots: Sequence[_Shot]) -> tuple[Looks, Floats, tuple[float, float]]:
    tips: dict[str, list[Floats]] = {}
    bodies = []
    for shot in shots:
        for stick in shot.sticks:
            way = (stick.seen_mm[1] - stick.seen_mm[0]) / np.linalg.norm(stick.seen_mm[1] - stick.seen_mm[0])
            back = np.arange(ALONG_STEP_MM / 2, stick.length_mm, ALONG_STEP_MM)
            along = shot.sight.seen_colours(stick.seen_mm[1] - back[:, None] * way, sharp=True)
            _check_ends(stick, along, shot)
            steps = round(TIP_MM / ALONG_STEP_MM)
            tips.setdefault(stick.colour, []).append(along[:steps])
            bodies.append(along[steps:-2])
    if not tips:
        raise LabelError(f"labels of {_names(shots)}: there is no cutter; expected one of each colour")
    names = tuple(sorted(tips))
    body = np.concatenate(bodies)
    middle = np.median(body, axis=0)
    stray = np.maximum(1.48 * np.median(np.abs(body - middle), axis=0), LEAST_SPREAD)
    means = np.stack([np.median(tips[name], axis=0) for name in names])
    spread = np.stack([np.std(tips[name], axis=0) for name in names])
    sticks = [stick for shot in shots for stick in shot.sticks]
    size = (float(np.median([s.length_mm for s in sticks])), float(np.median([s.diameter_mm for s in sticks])))
    looks = Looks(names, means.astype(np.float32), np.maximum(spread, 2 * LEAST_SPREAD).astype(np.float32))
    return looks, np.stack([middle, stray]).astype(np.float32), size


def _check_ends(stick: _Stick, along: Floats, shot: _Shot) -> None:
    """Check that of a stick the end that is said to be coloured is. `along`: its colours from there backwards. Raises
    LabelError."""
    first, last = (round(end / ALONG_STEP_MM) for end in END_MM)
    body = along[round(TIP_MM / ALONG_STEP_MM) : -round(TIP_MM / ALONG_STEP_MM)]
    if not len(body):
        return
    wood = np.median(body, axis=0)
    coloured, plain = (
        float(np.sqrt(((np.median(part, axis=0) - wood) ** 2).mean()))
        for part in (along[first:last], along[::-1][first:last])
    )
    if plain > LEAST_COLOURED and plain > MUCH_MORE * coloured:
        (there, here) = (f"({x:.0f}, {y:.0f}) mm" for x, y in stick.seen_mm)
        raise LabelError(
            f"labels of {shot.name}: the {stick.colour} cutter's coloured end is said to lie at {here}, but what lies "
            f"there looks as its middle does, and its end at {there} does not; expected the plain end first, then the "
            "coloured one"
        )


def _learn_print(
    shots: Sequence[_Shot], diameter_mm: float, spaces_mm: Array, topping_mm: float
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """The median of what was seen bare; a space that never was gets what the others show at the same place."""
    points = grid_points(diameter_mm)
    inside = np.linalg.norm(points, axis=-1) < diameter_mm / 2 - 1.5
    nudges = np.array([[0.0, 0.0], [NUDGE_MM, 0.0], [-NUDGE_MM, 0.0], [0.0, NUDGE_MM], [0.0, -NUDGE_MM]])
    nudged = points.reshape(-1, 2) + nudges[:, None]
    seen = []
    for shot in shots:
        height = height_of(shot.pose[0], shot.pose[1])
        table = place(nudged.reshape(-1, 2), shot.pose).reshape(nudged.shape)
        colours = shot.sight.colours(table, height).reshape(5, *points.shape[:2], 3)
        hidden = inside_any(shot.sight.seen(table, height), shot.hides, MARGIN_MM) | ~shot.sight.shows(table, height)
        bare = inside & ~hidden.reshape(5, *points.shape[:2]).any(0)
        if len(shots) == 1:  # Of several the brighter one is taken.
            seen_mm = shot.sight.seen(table[0], height).reshape(*points.shape[:2], 2)
            for stick in shot.sticks:
                colours += _lost_beside(stick, seen_mm, np.where(bare, colours[0].mean(-1), np.nan))[..., None]
        seen.append(np.where(bare[..., None], colours, np.nan))
    with np.errstate(all="ignore"):
        samples = _bare_of_shadows(np.stack(seen))
    known = np.isfinite(samples[0]).all(-1)
    if known.sum() < LEAST_KNOWN * inside.sum():
        raise LabelError(
            f"labels of {_names(shots)}: {known.sum() / inside.sum():.0%} of the board's print lies bare; expected at "
            f"least {LEAST_KNOWN:.0%}"
        )
    samples, filled = _fill_spaces(samples, known, points, spaces_mm, topping_mm)
    samples = np.where(filled[..., None], samples, _spread_out(samples[0], filled))
    slopes = np.stack([samples[1] - samples[2], samples[3] - samples[4]], axis=2) / (2 * NUDGE_MM)
    return samples[0].astype(np.float32), slopes.astype(np.float32), filled


def _lost_beside(stick: _Stick, seen_mm: Array, grey: Array) -> Array:
    """What of brightness (n x n: logarithms) the shadow of a stick takes beside it, by how much darker what is seen
    bare on one side of it is, all along it, than what is as far on the other."""
    length = float(np.linalg.norm(stick.seen_mm[1] - stick.seen_mm[0]))
    way = (stick.seen_mm[1] - stick.seen_mm[0]) / length
    along, across = ((seen_mm - stick.seen_mm[0]) @ one for one in (way, np.array([-way[1], way[0]])))
    beside = np.isfinite(grey) & (along > 0.0) & (along < length)
    middles = np.arange(stick.diameter_mm / 2 + MARGIN_MM, SHADOW_REACH_MM, CELL_MM)

    def at(side: int) -> list[float]:
        off = [beside & (np.abs(side * across - middle) < CELL_MM) for middle in middles]
        return [float(np.median(grey[one])) if one.sum() >= SHADOW_POINTS else np.nan for one in off]

    right, left = (np.array(at(side)) for side in (1, -1))
    darker = np.nan_to_num(left - right)
    side = 1.0 if darker.sum() > 0.0 else -1.0
    lost = np.maximum(side * darker, 0.0)
    if not len(lost) or lost.max() < SHADE:
        return np.zeros_like(grey)
    beyond = np.flatnonzero(lost[lost.argmax() :] < SHADE / 3)
    lost[lost.argmax() + beyond[0] if len(beyond) else len(lost) :] = 0.0
    taken = np.interp(side * across, middles, lost, right=0.0)
    return np.where((side * across > 0.0) & (along > 0.0) & (along < length), taken, 0.0)


def _bare_of_shadows(seen: Array) -> Array:
    """The median over the first axis of what is finite; NaN where nothing is. Where the two in the middle of an even
    number differ as shadows of toppings and cutters make it, the brighter one."""
    count = np.isfinite(seen[..., 0]).sum(0)
    ordered = np.sort(seen, axis=0)
    low, high = (
        np.take_along_axis(ordered, np.clip(i, 0, len(seen) - 1)[None, ..., None], 0)[0]
        for i in ((count - 1) // 2, count // 2)
    )
    shaded = (high - low).mean(-1, keepdims=True) > SHADE
    return np.asarray(np.where(shaded, high, (low + high) / 2))


def _fill_spaces(
    samples: Array, known: NDArray[np.bool_], points: Array, spaces_mm: Array, topping_mm: float
) -> tuple[Array, NDArray[np.bool_]]:
    """Give unseen grid points in spaces the mean of those seen in others, at the same distance from the middle."""
    away = np.linalg.norm(points[:, :, None] - spaces_mm, axis=-1).min(-1)
    ring = np.minimum((away / CELL_MM).astype(int), round(topping_mm / CELL_MM))
    filled = known.copy()
    samples = samples.copy()
    for i in range(round((topping_mm / 2 + MARGIN_MM) / CELL_MM) + 1):
        here = ring == i
        if (here & known).any() and (here & ~known).any():
            middle = np.median(samples[0][here & known], axis=0)
            samples[:, here & ~known] = middle
            filled |= here
    return samples, filled


def _spread_out(colours: Array, known: NDArray[np.bool_]) -> Floats:
    """Colours for all grid points: where none is known, what is known around."""
    share = known.astype(np.float32)
    sums = np.where(known[..., None], colours, 0.0).astype(np.float32)
    spread = np.zeros_like(sums)
    missing = np.ones(known.shape, bool)
    for width in (2.0, 4.0, 16.0, 64.0):
        weight = cv2.GaussianBlur(share, (0, 0), width)
        fill = missing & (weight > 0.05)
        spread[fill] = cv2.GaussianBlur(sums, (0, 0), width)[fill] / weight[fill][:, None]
        missing &= ~fill
    return spread


def _band(stick: _Stick) -> Array:
    way = (stick.seen_mm[1] - stick.seen_mm[0]) / np.linalg.norm(stick.seen_mm[1] - stick.seen_mm[0])
    side = np.array([-way[1], way[0]]) * (stick.diameter_mm / 2 + 1.5)
    first, last = stick.seen_mm
    return np.array([first - side, last - side, last + side, first + side])
