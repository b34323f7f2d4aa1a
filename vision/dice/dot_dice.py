"""Dice with up to nine dots in three rows on a face: the pattern on top, its place and its turn.

Dots of the top face stand in a square lattice at the height of the die. Two dots of one colour say where that lattice
may lie; there, every place must show either a dot or the die's own colour, and between the places only that colour.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.mat.registration import Registration
from vision.scene import FaceLikelihood, PieceKind, Pose, Sighting
from vision.shapes import Array, as_points
from vision.short_axes import middle_row, row_medians
from vision.spreading import spread

DOT, NONE = "#", "."
PX_PER_MM = 2.0
REACH_MM = 450.0
"""Dice farther from the origin are not looked for."""
BLACK_SHARE = 0.12
"""Added to levels before their logarithm, in parts of white: differences of dark colours say little."""
LEAST_PEAK = 0.17
MOST_PEAKS = 1200
MOST_JUDGED = 120
FARTHEST = 3.1
"""Dots of one face are no farther apart than so many steps of the lattice."""
LATTICE_SLACK = 0.09
"""How far two dots may be nearer or farther than in the lattice, in parts of their distance;"""
JOINED_SLACK = 0.23
"""neighbours, which a printed line joins, seem nearer."""
EVEN = 0.22
UNEVEN_SHARE = 0.12
"""Between its dots a face differs from its own colour by less than this part of what the dots differ by, but for a
share of streaks and glints."""
CLEAR = (0.35, 0.55)
"""A place that differs by less holds no dot, one that differs by more holds one."""
FULL = 0.2
"""Near a dot's edge, too, all differs by more than this."""
DOT_RADII = (0.25, 0.54)
"""In steps of the lattice: within the first all is dot, at the second none is."""
RIM_SHARE = 0.3
"""The same along its rim, where light glances off."""
REACHES = (1.0, 0.5, 0.25)
"""So far, round after round, a lattice is moved and turned to where it fits best: two dots that a line joins say little
of how it is turned."""
NEARLY = -0.5
"""A pose of which only the dots seem too small fits as well as this or better: a little beside it they may be whole."""
LEAST_QUALITY = (-1.0, -1.0, 0.0)
"""How well it has to fit after each round."""
WAYS = (0.0, 0.5, 1.0)
"""It is judged once more, so far on the way to where its dots put it."""
LEAST_CONTRAST = 0.3
SOFT_PX = 0.8
"""Dots of few pixels are dark in their middles only where that is a pixel's: the picture is softened by so many."""
LEAST_EDGE = 0.07
"""Three of a face's sides at least differ by so much (logarithm) from what lies beyond;"""
FAINTEST_EDGE, FACE_NOISES = 0.025, 4.0
"""by less, but by so much and by so many times what the face itself differs in the median, where that is so even: a
white die in bright light is nearly as white as its own sides."""
STEP, FAINT_QUALITY = 0.7, 0.8
"""Nothing on such a face may differ by so much of what its sides differ by: it would be part of a side. And nothing is
sure about it."""
TELLING_DOTS, TINTED, ALIKE = 3, 0.6, 0.25
"""So many dots tell a die of which one side alone shows, where what they differ from the face by differs itself between
red, green and blue by more than the second part of it, and between them by less than the third: pencil is grey, and
wood, rust and crust are brown."""
ON_LATTICE = 0.07
"""Those lie no farther from their places, in steps of the lattice: for dots of a die nothing but noise moves them."""

_PLACES = np.array([(x, y) for y in (1, 0, -1) for x in (-1, 0, 1)], np.float64)
"""Row by row from the upper left, in steps of the lattice."""
_BEYOND = np.array([p for p in product((-2, -1, 0, 1, 2), repeat=2) if max(map(abs, p)) == 2], np.float64)
"""The places next to the lattice: a dot of the same face there says that the lattice is another one."""
_OUTWARD = np.sign(_BEYOND) * (np.abs(_BEYOND) == 2)
"""From each of them away from the lattice."""
_FACE = np.array([p for p in product(np.linspace(-1.6, 1.6, 8), repeat=2) if abs(p[0] * p[1]) < 2.0])
"""All over the face but for its rounded corners, in steps of the lattice."""
_UNDER_DOT = (np.linalg.norm(_FACE[:, None] - _PLACES, axis=2) < DOT_RADII[1]).astype(np.float32)
"""Which of them lie under a dot in each place."""
_FEW = np.array([p for p in product((-1.5, -0.5, 0.5, 1.5), repeat=2) if abs(p[0] * p[1]) < 2.0])
_ROUND = np.array([(np.cos(turn), np.sin(turn)) for turn in np.arange(6) * np.pi / 3])
_RING = np.array([(np.cos(turn), np.sin(turn)) for turn in np.arange(8) * np.pi / 4])
_TOWARDS = np.linalg.norm(_PLACES[:, None, None] + _RING[None, :, None] - _PLACES, axis=3) < 0.1
"""Place by place and way by way (9 x 8), which place is next that way (9): a printed line may join the dots of both."""


Points = Array | NDArray[np.float32]
Explained = Callable[[Array], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class DotDie:
    """A die that was found."""

    sighting: Sighting
    """Its face is the rows of dots from the top, such as "##./.../..#", seen with its right side along its angle, which
    is between -45 and 45 degrees."""
    silhouette_px: Array
    """n x 2: what it hides of the picture."""
    dots_px: Array
    """n x 2: its dots in the picture."""
    dots_lighter: bool
    """Than its face: neither pencil nor print on paper is."""


def find_dot_dice(
    image: Image,
    registration: Registration,
    size_mm: float,
    pips_mm: float,
    *,
    explained: Explained | None = None,
    within_mm: Array | None = None,
) -> list[DotDie]:
    """Dice of this size whose dots stand so far apart, lying on the plane of this registration.

    `explained` says where in the picture (n x 2) something is known to be written or printed on paper: not all dots of
    a die are that, but for dots that are lighter than what is around them.
    `within_mm`, lower left and upper right corner, is where dice are looked for; None is everywhere.
    """
    top = _top_view(image, registration, size_mm, within_mm)
    if top is None:
        return []
    places, colours = _peaks(top, pips_mm)
    known = np.zeros(len(places), bool)
    if explained is not None:
        known = explained(registration.to_picture(registration.seen_from_table(places, size_mm)))
        known &= colours.mean(axis=1) < 0
    if len(places) > MOST_PEAKS:
        # Of what is known to be something else a table may have more, and stronger, than all dice have dots.
        kept = np.lexsort((-_most(colours), known))[:MOST_PEAKS]
        places, colours, known = places[kept], colours[kept], known[kept]
    poses = _lattices(places, colours, known, pips_mm)
    if not len(poses):
        return []
    fits = _judged(top, poses, size_mm, pips_mm)
    chosen: list[_Fit] = []
    for fit in sorted(fits, key=lambda one: -one.quality):
        if all(np.hypot(*(fit.pose[:2] - other.pose[:2])) > 0.9 * size_mm for other in chosen):
            chosen.append(fit)
    return [_die(fit, registration, size_mm, pips_mm) for fit in chosen]


@dataclass(frozen=True, slots=True)
class _TopView:
    """What the picture would show of the plane at the height of the dice, from straight above; logarithms."""

    colours: NDArray[np.float32]
    left_mm: float
    top_mm: float
    corners_mm: Array
    """Of the picture, clockwise from its upper left."""

    def shows(self, points_mm: Points) -> NDArray[np.bool_]:
        """Which points (n x m x 2) the picture shows, in the part of the table that is looked at: what lies at the edge
        of that part would seem to go on for ever beyond it."""
        rows, columns = self.colours.shape[:2]
        across, down = points_mm[..., 0] - self.left_mm, self.top_mm - points_mm[..., 1]
        inside = (across >= 0) & (across <= columns / PX_PER_MM) & (down >= 0) & (down <= rows / PX_PER_MM)
        for start, end in zip(self.corners_mm, np.roll(self.corners_mm, -1, axis=0), strict=True):
            along = end - start
            across = points_mm - start
            inside &= along[0] * across[..., 1] - along[1] * across[..., 0] < 0
        return np.asarray(inside)

    def at(self, points_mm: Points) -> NDArray[np.float32]:
        """Colours at points (n x m x 2)."""
        x = (points_mm[..., 0].astype(np.float32) - np.float32(self.left_mm)) * np.float32(PX_PER_MM) - np.float32(0.5)
        y = (np.float32(self.top_mm) - points_mm[..., 1].astype(np.float32)) * np.float32(PX_PER_MM) - np.float32(0.5)
        step = 16384
        parts = [
            cv2.remap(self.colours, x[i : i + step], y[i : i + step], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            for i in range(0, len(x), step)
        ]
        return np.asarray(np.concatenate(parts), np.float32).reshape(*x.shape, 3)


@dataclass(frozen=True, slots=True)
class _Fit:
    """A lattice that may be a die's top."""

    pose: Array
    dots: NDArray[np.bool_]
    dots_lighter: bool
    quality: float
    probability: float


def _top_view(
    image: Image, registration: Registration, height_mm: float, within_mm: Array | None = None
) -> _TopView | None:
    """None where nothing of what is wanted is in the picture."""
    width, height = registration.size_px
    border = np.array([(x, y) for x in (0, width / 2, width) for y in (0, height / 2, height)], np.float64)
    seen = np.clip(registration.on_table(registration.to_table(border), height_mm), -REACH_MM, REACH_MM)
    low, high = seen.min(0), seen.max(0)
    if within_mm is not None:
        low, high = np.maximum(low, within_mm[0]), np.minimum(high, within_mm[1])
    if (high - low < 2 * height_mm).any():
        return None
    columns = np.arange(low[0], high[0], 1 / PX_PER_MM) + 0.5 / PX_PER_MM
    rows = np.arange(high[1], low[1], -1 / PX_PER_MM) - 0.5 / PX_PER_MM
    coarse = 16
    sparse = np.stack(np.meshgrid(columns[::coarse], rows[::coarse]), axis=-1)
    pixels = registration.to_picture(registration.seen_from_table(sparse.reshape(-1, 2), height_mm))
    grid = spread(pixels.reshape(sparse.shape), coarse, len(columns), len(rows))
    flat = cv2.remap(image, grid[..., 0], grid[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    black = BLACK_SHARE * float(np.percentile(flat[::8, ::8], 98)) + 1.0
    sigma = max(0.5, SOFT_PX * PX_PER_MM / _px_per_mm(registration))
    logs = cv2.LUT(cv2.GaussianBlur(flat, (0, 0), sigma), np.log(np.arange(256, dtype=np.float32) + black))
    corners = registration.to_table([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]])
    return _TopView(
        np.asarray(logs, np.float32), float(low[0]), float(high[1]), registration.on_table(corners, height_mm)
    )


def _peaks(top: _TopView, pips_mm: float) -> tuple[Array, Array]:
    """Round spots of about a dot's size: n x 2 places, and n x 3 how they differ from what is around them."""
    inner, outer = (_softened(top.colours, share * pips_mm * PX_PER_MM) for share in (0.17, 0.5))
    spots = np.asarray(inner - outer, np.float32)
    strength = _most(spots)
    side = 2 * round(0.3 * pips_mm * PX_PER_MM) + 1
    highest = cv2.dilate(strength, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)))
    rows, columns = np.nonzero((strength >= highest) & (strength > LEAST_PEAK))
    places = np.column_stack([(columns + 0.5) / PX_PER_MM + top.left_mm, top.top_mm - (rows + 0.5) / PX_PER_MM])
    return places, np.asarray(spots[rows, columns], np.float64)


def _softened(colours: NDArray[np.float32], sigma_px: float) -> NDArray[np.float32]:
    """Blurred, up to three standard deviations far: OpenCV's own four take a third more time."""
    side = 2 * round(3.0 * sigma_px) + 1
    return np.asarray(cv2.GaussianBlur(colours, (side, side), sigma_px), np.float32)


def _lattices(places: Array, colours: Array, known: NDArray[np.bool_], pips_mm: float) -> Array:
    """Poses (x, y, degrees) of lattices that two spots alike, not both known to be something else, may belong to."""
    first, second = _near(places, known, FARTHEST * pips_mm)
    apart = places[second] - places[first]
    distance = np.hypot(apart[:, 0], apart[:, 1])
    strong = np.linalg.norm(colours, axis=1)
    unlike = np.linalg.norm(colours[first] - colours[second], axis=1)
    pairs = (distance < FARTHEST * pips_mm) & (unlike < 0.6 * np.maximum(strong[first], strong[second]))
    first, apart, distance = first[pairs], apart[pairs], distance[pairs]
    ways, middles = np.arctan2(apart[:, 1], apart[:, 0]), places[first] + apart / 2
    as_far: dict[float, tuple[Array, Array]] = {}
    found = [np.zeros((0, 3))]
    for start, step in _steps():
        length = float(np.hypot(*step)) * pips_mm
        if length not in as_far:
            slack = JOINED_SLACK if length < 1.1 * pips_mm else LATTICE_SLACK
            fits = np.abs(distance / length - 1.0) < slack
            as_far[length] = ways[fits], middles[fits]
        way, middle = as_far[length]
        turn = way - np.arctan2(step[1], step[0])
        cosine, sine = np.cos(turn), np.sin(turn)
        # The middle of both spots lies where the middle of both places does.
        x, y = (start + step / 2) * pips_mm
        poses = np.empty((len(turn), 3))
        poses[:, 0] = middle[:, 0] - (cosine * x - sine * y)
        poses[:, 1] = middle[:, 1] - (sine * x + cosine * y)
        poses[:, 2] = np.degrees(turn)
        found.append(poses)
    poses = np.concatenate(found)
    poses[:, 2] = (poses[:, 2] + 45.0) % 90.0 - 45.0
    steps = np.round(poses / (0.8, 0.8, 4.0)).astype(np.int64)
    steps -= steps.min(0, initial=0)
    _, once = np.unique((steps[:, 0] << 32) + (steps[:, 1] << 12) + steps[:, 2], return_index=True)
    return poses[once]


def _near(places: Array, known: NDArray[np.bool_], reach_mm: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of places, not both known to be something else, that are no farther from each other in x nor in y."""
    near = np.triu(~(known[:, None] & known), 1)
    for axis in (0, 1):
        near &= np.abs(places[:, None, axis] - places[None, :, axis]) < reach_mm
    first, second = np.nonzero(near)
    return first, second


def _steps() -> Iterator[tuple[Array, Array]]:
    """Each place of the lattice and the way to each other one."""
    for i, j in product(range(9), repeat=2):
        if i != j:
            yield _PLACES[i], _PLACES[j] - _PLACES[i]


def _judged(top: _TopView, poses: Array, size_mm: float, pips_mm: float) -> list[_Fit]:
    """Those of the poses where a die's top is seen, each moved to where it fits best."""
    promising = poses[_promising(top, poses, size_mm, pips_mm)]
    if not len(promising):
        return []
    fits, by_dots = [], np.zeros(len(promising), bool)
    for reach, least in zip(REACHES, LEAST_QUALITY, strict=True):
        steps = np.array(list(product((-1, 0, 1), repeat=3))) * (0.8 * reach, 0.8 * reach, 5.0 * reach)
        around = promising[:, None] + steps
        values, dots, told = _quality(top, around.reshape(-1, 3), size_mm, pips_mm)
        best = values.reshape(len(promising), -1).argmax(axis=1)
        promising = around[np.arange(len(promising)), best]
        rows = np.arange(len(promising)) * len(steps) + best
        kept = values[rows] > least
        promising, by_dots = promising[kept], (by_dots | told[rows])[kept]
        if not len(promising):
            return []
    kept_dots = dots[rows][kept]
    fine = np.array([_by_dots(top, pose, marks, pips_mm) for pose, marks in zip(promising, kept_dots, strict=True)])
    # Where its dots put it a dot may show that did not a little beside it; but lines pull at dots.
    ways = promising[:, None] + np.array(WAYS)[None, :, None] * (fine - promising)[:, None]
    values, dots, told = _quality(top, ways.reshape(-1, 3), size_mm, pips_mm)
    best = values.reshape(len(ways), -1).argmax(axis=1) + np.arange(len(ways)) * len(WAYS)
    by_dots |= told[best]
    for pose, before, quality, marks, alone in zip(fine, kept_dots, values[best], dots[best], by_dots, strict=True):
        if quality > 0:
            probability = float(np.interp(quality, (0.2, 1.0), (0.5, 0.99)))
            placed = pose if (marks == before).all() else _by_dots(top, pose, marks, pips_mm)
            off_lattice = alone and (np.abs(_off_places(top, placed, marks, pips_mm)) > ON_LATTICE).any()
            if not off_lattice and not _goes_on(top, placed, marks, pips_mm):
                lighter = _dots_are_lighter(top, placed, marks, pips_mm)
                fits.append(_Fit(placed, marks, lighter, float(quality), probability))
    return fits


def _off_places(top: _TopView, pose: Array, dots: NDArray[np.bool_], pips_mm: float) -> Array:
    """How far the middles of a pose's dots lie from their places (n x 2), in steps of its lattice."""
    near = np.stack(np.meshgrid(*2 * [np.linspace(-0.45, 0.45, 13)]), axis=-1).reshape(-1, 2)
    colours = top.at(_placed((_PLACES[dots][:, None] + near).reshape(-1, 2) * pips_mm, pose[None]))[0]
    own = middle_row(top.at(_placed(_FEW * pips_mm, pose[None]))[0])
    off = _most(colours - own).reshape(int(dots.sum()), -1)
    weight = np.clip(off / off.max(axis=1, keepdims=True) - 0.4, 0.0, None)
    return np.asarray((weight @ near) / weight.sum(axis=1, keepdims=True))


def _by_dots(top: _TopView, pose: Array, dots: NDArray[np.bool_], pips_mm: float) -> Array:
    """The pose moved and turned to where its dots have their middles."""
    expected = _PLACES[dots] * pips_mm
    for _ in range(2):
        middles = expected + _off_places(top, pose, dots, pips_mm) * pips_mm
        a, b = expected - expected.mean(0), middles - middles.mean(0)
        turn = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
        back = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ expected.mean(0)
        shift = _placed((middles.mean(0) - back)[None], np.array([[0.0, 0.0, pose[2]]]))[0, 0]
        pose = np.array([*(pose[:2] + shift), pose[2] + np.degrees(turn)])
    return pose


def _dots_are_lighter(top: _TopView, pose: Array, dots: NDArray[np.bool_], pips_mm: float) -> bool:
    """Than the face."""
    at, face = (top.at(_placed(points * pips_mm, pose[None]))[0] for points in (_PLACES[dots], _FACE))
    return float(np.mean(at - np.median(face, axis=0))) > 0


def _goes_on(top: _TopView, pose: Array, dots: NDArray[np.bool_], pips_mm: float) -> bool:
    """Whether a line leaves a dot for where no other is. Lines printed on dice join dots; one that goes on, as between
    planks, may seem to have the dots of a row, but a little beside where it lies."""
    places = np.concatenate([_PLACES[dots][:, None], _PLACES[dots][:, None] + DOT_RADII[1] * _RING[::2]], axis=1)
    colours = top.at(_placed(places.reshape(-1, 2) * pips_mm, pose[None]))[0]
    off = _most(colours - np.median(top.at(_placed(_FACE * pips_mm, pose[None]))[0], axis=0)).reshape(-1, 5)
    joined = (_TOWARDS[:, ::2] & dots).any(axis=2)[dots]
    return bool((~joined & (off[:, 1:] > CLEAR[1] * off[:, 0].max())).any())


def _promising(top: _TopView, poses: Array, size_mm: float, pips_mm: float) -> NDArray[np.intp]:
    """The likeliest poses by a few points only: places that are clearly dots or clearly not, an even face between, and
    something else beyond its sides."""
    ways = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)]) * size_mm / 2
    points = np.concatenate([_PLACES * pips_mm, _FEW * pips_mm, ways * 0.84, ways * 1.25])
    at, between, inside, beyond = np.split(top.at(_placed(points, poses)), [9, 9 + len(_FEW), -4], axis=1)
    own = _middles(between)
    off = _most(at - own)
    contrast = np.maximum(off.max(axis=1), 1e-3)
    share = off / contrast[:, None]
    uneven = np.sort(_most(between - own), axis=1)[:, -2] / contrast
    unclear = np.minimum(share, np.abs(1.0 - share)).max(axis=1)
    clear = share > CLEAR[1]
    dots, sides = clear.sum(axis=1), _most(inside - beyond)
    edged = (np.sort(sides, axis=1)[:, 1] > 0.5 * LEAST_EDGE) | _told_by_its_dots(at - own, clear, sides)
    fair = (contrast > LEAST_CONTRAST) & (uneven < 2 * EVEN) & (dots >= 2) & edged
    order = np.argsort(np.where(fair, uneven + unclear - 0.08 * dots, np.inf))[:MOST_JUDGED]
    return np.asarray(order[fair[order]])


def _quality(
    top: _TopView, poses: Array, size_mm: float, pips_mm: float
) -> tuple[Array, NDArray[np.bool_], NDArray[np.bool_]]:
    """How well each pose shows a die's top (0 or less: not at all, more than -1 if only its dots seem too small), where
    its dots are (n x 9), and whether they alone tell it."""
    places = _Places.of(top, poses, pips_mm)
    quality, told = np.full(len(poses), -1.0), np.zeros(len(poses), bool)
    fair = np.flatnonzero(places.fair)
    if len(fair):
        quality[fair], told[fair] = _judged_around(top, poses[fair], places.of_these(fair), size_mm, pips_mm)
    return quality, places.dots, told


@dataclass(frozen=True, slots=True)
class _Places:
    """What shows in the places of the dots of poses, and on the face between them."""

    own: NDArray[np.float32]
    """The face's own colour: n x 1 x 3."""
    at: NDArray[np.float32]
    """n x 9 x 3, less the face's own."""
    off_face: NDArray[np.float32]
    """n x points of `_FACE`."""
    contrast: NDArray[np.float32]
    share: NDArray[np.float32]
    """How much each place differs from the face, in parts of what the one that differs most does: n x 9."""
    dots: NDArray[np.bool_]
    """n x 9."""
    bare: NDArray[np.float32]
    """Which points of the face lie under none of the dots: n x points."""

    @classmethod
    def of(cls, top: _TopView, poses: Array, pips_mm: float) -> "_Places":
        at, face = np.split(top.at(_placed(np.concatenate([_PLACES, _FACE]) * pips_mm, poses)), [9], axis=1)
        own = _middles(face)
        at = at - own
        off = _most(at)
        contrast = np.maximum(off.max(axis=1), 1e-3)
        share = off / contrast[:, None]
        dots = share >= CLEAR[1]
        bare = 1.0 - np.minimum(dots.astype(np.float32) @ _UNDER_DOT.T, 1.0)
        return cls(own, at, _most(face - own), contrast, share, dots, bare)

    @property
    def fair(self) -> NDArray[np.bool_]:
        """Which of the poses may show a die's top by this alone."""
        unclear = ((self.share > CLEAR[0]) & ~self.dots).any(axis=1)
        pale = (self.contrast < LEAST_CONTRAST) | (self.dots.sum(axis=1) < 2)
        return np.asarray(~(unclear | pale) & (self.uneven(EVEN * self.contrast) <= UNEVEN_SHARE))

    def uneven(self, even: Array | NDArray[np.float32]) -> Array:
        """The share of what is bare of the face that differs from its own colour by more than is `even` (n)."""
        return np.asarray(
            ((self.off_face > even[:, None]) * self.bare).sum(axis=1) / np.maximum(self.bare.sum(axis=1), 1.0)
        )

    def of_these(self, chosen: NDArray[np.intp]) -> "_Places":
        """Those of some of the poses."""
        return _Places(*(getattr(self, one.name)[chosen] for one in fields(self)))


def _judged_around(
    top: _TopView, poses: Array, places: _Places, size_mm: float, pips_mm: float
) -> tuple[Array, NDArray[np.bool_]]:
    """How well each pose shows a die's top, and whether its dots alone tell it, by what is around its `places`."""
    half = size_mm / 2
    side = np.array([(1.0, v) for v in np.linspace(-0.65, 0.65, 7)])
    sides = np.concatenate([side @ np.array([[c, s], [-s, c]]) for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1))])
    inner = (_PLACES[:, None] + DOT_RADII[0] * _ROUND).reshape(-1, 2) * pips_mm
    outer = (_PLACES[:, None] + DOT_RADII[1] * _RING).reshape(-1, 2) * pips_mm
    next_to = _BEYOND * pips_mm
    next_around = (_BEYOND[:, None] + DOT_RADII[1] * _ROUND).reshape(-1, 2) * pips_mm
    next_outward = (_BEYOND[:, None] + DOT_RADII[0] * _OUTWARD[:, None] * [[1.0], [-1.0]]).reshape(-1, 2) * pips_mm
    own_frame = [inner, outer, next_to, next_outward, next_around, sides * half * 0.82, sides * half * 1.25]
    points = _placed(np.concatenate(own_frame), poses)
    # All other points lie between the ends of the sides.
    shown = top.shows(points.reshape(len(poses), -1, 2)[:, -len(sides) :].reshape(len(poses), 4, 7, 2)[:, :, ::6]).all(
        axis=(1, 2)
    )
    within, around, other, outward_other, around_other, inside, beyond = np.split(
        top.at(points), np.cumsum([len(part) for part in own_frame])[:-1], axis=1
    )
    own, contrast, dots = places.own, places.contrast, places.dots
    off_within, off_around = (_most(part - own) for part in (within, around))
    filled = np.sort(off_within.reshape(-1, 9, len(_ROUND)), axis=2)[..., 1] / contrast[:, None]
    joined = np.einsum("pq,iwq->piw", dots, _TOWARDS)
    strange = np.where(joined, 0.0, off_around.reshape(-1, 9, len(_RING)))
    alone = np.sort(strange, axis=2)[..., -2] / contrast[:, None] < CLEAR[1]
    rim = (_most(inside - own) > EVEN * contrast[:, None]).mean(axis=1)
    stands_out = np.sort(_most(inside - beyond).reshape(-1, 4, 7), axis=2)[..., 1]
    edge = np.sort(stands_out, axis=1)[:, 1]
    least_edge = np.clip(FACE_NOISES * row_medians(places.off_face), FAINTEST_EDGE, LEAST_EDGE)
    # Where its sides are faint, the face itself must not have such a step: it would be part of a side.
    even = np.where(edge < LEAST_EDGE, np.minimum(EVEN * contrast, STEP * edge), EVEN * contrast)
    told = (edge < least_edge) & _told_by_its_dots(places.at, dots, stands_out)
    uneven = places.uneven(np.where(told, EVEN * contrast, even))
    least_filled = np.where(dots, filled, 1.0).min(axis=1)
    wrong = ~alone.all(axis=1) | ~shown | (uneven > UNEVEN_SHARE)
    wrong |= (edge < least_edge) & ~told
    wrong |= rim > RIM_SHARE
    off_other, off_outward, off_ring = (
        _most(part - own) / contrast[:, None] for part in (other, outward_other, around_other)
    )
    on_paper = np.sort(off_ring.reshape(-1, len(_BEYOND), len(_ROUND)), axis=2)[..., 3] < CLEAR[0]
    # The dots of a side that is seen too are narrow that way; dots of the same face are not, nor lines that go on.
    deep = off_outward.reshape(-1, len(_BEYOND), 2).max(axis=2) > CLEAR[0]
    wrong |= ((off_other >= CLEAR[1]) & deep & on_paper).any(axis=1)
    quality = 1.0 - uneven / UNEVEN_SHARE + np.minimum(edge, 0.3) + 0.1 * dots.sum(axis=1)
    quality = np.where(edge < LEAST_EDGE, np.minimum(quality, FAINT_QUALITY), quality)
    nearly = NEARLY * (1.0 - least_filled)
    return np.where(wrong, -1.0, np.where(least_filled <= FULL, nearly, quality)), told


def _told_by_its_dots(
    off: NDArray[np.float32], dots: NDArray[np.bool_], stands_out: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Which poses may be a die's though only one of its sides shows, as of a white die on white paper, or in shade: so
    many of its places (n x 9, by colours less the face's own) hold dots of one colour that no pencil has."""
    mean = np.where(dots[..., None], off, 0.0).sum(axis=1) / np.maximum(dots.sum(axis=1), 1)[:, None]
    unlike = np.where(dots, _most(off - mean[:, None]), 0.0).max(axis=1)
    tint, most = np.ptp(mean, axis=1), _most(mean)
    alike = (tint > TINTED * most) & (unlike < ALIKE * most)
    return np.asarray(alike & (dots.sum(axis=1) >= TELLING_DOTS) & (stands_out.max(axis=1) >= LEAST_EDGE))


def _middles(colours: NDArray[np.float32]) -> NDArray[np.float32]:
    """The median of each channel of each row of colours: n x m x 3 gives n x 1 x 3."""
    return row_medians(np.ascontiguousarray(np.swapaxes(colours, 1, 2)))[:, None]


def _most(colours: Points) -> NDArray[np.float32]:
    """Of the three values of each colour the one farthest from 0, without its sign."""
    sizes = np.abs(colours)
    return np.asarray(np.maximum(np.maximum(sizes[..., 0], sizes[..., 1]), sizes[..., 2]), np.float32)


def _px_per_mm(registration: Registration) -> float:
    """Near the middle of the table."""
    ends = registration.to_picture(np.array([[-100.0, 0.0], [100.0, 0.0]]))
    return max(float(np.linalg.norm(ends[1] - ends[0])) / 200.0, 0.1)


def _placed(points: Array, poses: Array) -> NDArray[np.float32]:
    """Own-frame points (m x 2) at poses (n x 3): n x m x 2."""
    turn = np.radians(poses[:, 2])
    cosine, sine = np.cos(turn), np.sin(turn)
    ways = np.stack([np.stack([cosine, sine], axis=1), np.stack([-sine, cosine], axis=1)], axis=1)
    return np.asarray(points.astype(np.float32) @ ways.astype(np.float32) + poses[:, None, :2].astype(np.float32))


def _die(fit: _Fit, registration: Registration, size_mm: float, pips_mm: float) -> DotDie:
    """The die whose top this is."""
    quarters = int(np.floor((fit.pose[2] + 45.0) / 90.0))
    marks = np.rot90(np.where(fit.dots.reshape(3, 3), DOT, NONE), quarters)
    pose = Pose(*(round(float(value), 2) for value in (*fit.pose[:2], fit.pose[2] - 90.0 * quarters)))
    half = size_mm / 2
    square = _placed(np.array([[-half, -half], [half, -half], [half, half], [-half, half]]), fit.pose[None])[0]
    base = registration.to_picture(square)
    above = registration.to_picture(registration.seen_from_table(square, size_mm))
    hull = cv2.convexHull(np.concatenate([base, above]).astype(np.float32)).reshape(-1, 2).astype(np.float64)
    sighting = Sighting(
        kind=PieceKind.DIE,
        pose=pose,
        faces=(FaceLikelihood("/".join("".join(row) for row in marks), round(fit.probability, 4)),),
        face_up=True,
        visible=1.0,
        outline_mm=as_points(square),
    )
    dots = registration.seen_from_table(_placed(_PLACES[fit.dots] * pips_mm, fit.pose[None])[0], size_mm)
    return DotDie(sighting, hull, registration.to_picture(dots), fit.dots_lighter)
