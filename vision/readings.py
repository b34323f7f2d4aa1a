"""From a picture of the table to the pieces on it: guesses, their check, and which of them stand together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vision.faces import CARDS
from vision.features import Keypoints
from vision.rectify import PX_PER_MM, TableMap
from vision.scene import PieceKind
from vision.search import Guesses, Index, guess_poses, match
from vision.shade import lights
from vision.shapes import place
from vision.verify import (
    COST_LIMIT,
    Flags,
    Floats,
    Indices,
    Look,
    Prepared,
    Verdict,
    in_even_light,
    judge,
    rank_faces,
    refine,
)

Array = NDArray[np.float64]

MOST_GUESSES = 500
WAVES = ((14.0, np.inf), (7.0, 14.0), (0.0, 7.0))
"""Votes of the guesses that are checked first, then, then."""
ROUNDS, CARD_ROUNDS = 2, 5
"""So often a pose is improved. Keypoints so near to each other as on a card leave its turn more open."""
RIVALS = 6
FIRST_RIVALS = 3
LEAST_AGREEING = 0.4
"""A piece of which less than this share agrees with its face is not reported."""
LEAST_SEEN = 0.34
"""Of which less than this share is seen beside the others is not reported. Pieces in a tight fan show little more."""
LEAST_FIT = 0.5
"""Of the cells that no other piece covers, at least this share must agree, or hands must be there."""
LEAST_GAIN = 1.2
"""Mean gain over an even surface where a face is seen: less is a tablecloth, not a piece."""
OWN_DOUBT = 0.5
"""How much the cost of all that is open speaks against a face, beside what the next best face costs more."""
FOREIGN_LEAD = 0.4
"""With this lead a face is as likely chance or a piece that was never enrolled as it is right; learned from pictures
read with half of their faces enrolled, where likenesses led by 0.28 at most, and right faces by 0.48 at least."""
LEAD_SCALE = 0.125
PART, PART_SCALE = 0.05, 0.3
FOREIGN_PART: Mapping[PieceKind, float] = {PieceKind.SLICE_CARD: 2.2, PieceKind.ORDER_CARD: 5.3}
"""A card so large a part of which costs so much more than the card leads by is as likely one that was never enrolled:
such have the frame of an enrolled one, and another topping. Read with half of the cards enrolled, in simulated and
shared pictures it was 3.1 more at least on slice cards of the others, and 0.5 less at least on 443 right ones; on order
cards, whose drawings are finer, 6 and more but for one of 14, and 4.3 at most on 47 right ones. Other pieces lie under
each other: of them it tells nothing."""
ALIKE, LEAST_APART = 1.0, 0.4
"""Faces of one kind mostly cost more than 1 in each other's place (`Prepared.apart`); such that differ by less than 0.4
are not told apart whatever a picture says."""
CLEAR_LEAD, FIT_OF_CLEAR = 0.5, 0.55
LEAST_LEAD, FIT_WHERE_OPEN = 0.35, 0.72
DOUBTFUL_LEAD, FIT_OF_DOUBTFUL, COST_OF_DOUBTFUL = 0.5, 0.85, 2.4
DOUBTFUL_GAIN = 2.0
"""Mean gain over an even surface that a piece needs besides, where its cost is high: a blue mat, with wood for a crust,
was taken for a pale blue slice at 1.75 and less; true slices that cost as much have 2.3 and more."""
STRONG_LEAD, FIT_OF_STRONG = 0.8, 0.65
"""A piece holds with such a lead and so large a share that looks like it, where nothing hides it."""
WHOLE_LEAD = 0.1
"""With so little lead a piece still holds, as a doubtful one, that is seen plainly wherever no other lies on it."""
CARD_LEAD, CARD_FIT, CARD_COST = 0.45, 0.9, 2.2
"""An open card holds with such a lead, share and mean cost where it is seen. Of pictures read with two thirds of their
faces enrolled, cards of the others led by 0.36 at most; cloths looked like 0.86 of a card, or at a cost of 2.6."""
HELD_MARGIN, HELD_FIT, HELD_COST = 1.5, 0.6, 1.1
"""What shows of a card beside fingers holds with so much over the next best face, such a share and cost."""
TRUSTED_COST = 1.5
"""Only a piece that costs less than this where it is seen proves that something lies on the rest of it."""
SETTLED_FIT = 0.93
"""A piece of which less of what no other piece covers agrees may be another, or lie a little elsewhere."""
SETTLED_QUALITY = 0.9
CLEAR_COST = 0.7
"""A piece that costs less than this where it is seen is one of its kind, if not the one with this face; one that costs
more may lie a little elsewhere, even if it is seen nearly everywhere: so fit patterns that repeat themselves."""
NUDGES_DEG_MM = ((7.0, 0.0, 0.0), (14.0, 0.0, 0.0), (0.0, 7.0, 0.0), (0.0, 0.0, 7.0))
"""Where else a piece that fits badly may lie (both ways): an even face slides and turns with little loss."""
FINE_NUDGES_DEG_MM = ((6.0, 3.0, 0.0), (6.0, -3.0, 0.0), (6.0, 0.0, 3.0), (6.0, 0.0, -3.0))
"""Where else if it surely is a piece; of a chance likeness more tries would only find a better one."""
COVER_COST = 3.0
"""What each cell that does not look like the piece takes from what the others speak for it."""
COVERED = 0.04
"""A piece of which others cover more than this is fitted again to the rest of it."""
HALF_TURN = (180.0, 0.0, 0.0)
LIKE_TURNED = 0.3
"""A face alike when turned half round is tried so where it costs more than this share of what that would cost."""
VEILS = np.array([-40.0, 30.0, 60.0, 90.0, 120.0], np.float32)
"""Levels, of white paper's 255, of light that may lie over a piece; less than none where contrast is raised."""
VEILED_COST, VEILED_MARGIN = 1.1, 2.0
"""Behind a veil a piece costs no more than that, or the next best face costs so many times as much more. Chosen on
shared pictures: of pieces under a lamp's light one in twenty costs more; cards that were not enrolled, taken for
others, cost from 1.26 on, and the next best face 1.6 times as much more."""
BESIDE_VEILED_MM = 150.0
VEIL_CHANGES = np.array([-40.0, 0.0, 40.0], np.float32)
"""By so much the light over pieces beside each other, their middles no farther apart than that, may differ."""
VEILED_VOTES = 8.0
"""So many votes for a piece that is not found are worth a look behind them. Of shared pictures in plain light none to
three guesses have as many, and are not explained; of those with a lamp's light on them, mostly such that are right."""
SHADED_VOTES = 8.0
"""So many votes for a piece that is not found are worth a look at it in shade, as they are behind a veil."""
SHADED_AGREEING = 0.9
"""So much of a piece in shade agrees at the first look: of those on shared pictures that were right then 97 of 100, of
others one in twenty."""
SHADED_COST = VEILED_COST
"""In shade a piece costs no more than that. On shared pictures right ones cost 0.2 to 1.1, others from 1.5 on."""
RASTER_MM = 2.5
MOST_PLACES = 1000
"""So many poses' cells are kept; then they are worked out anew."""


@dataclass(frozen=True, eq=False)
class Reading:
    """One piece found, as seen at z = 0. What follows from its cells is worked out once."""

    kind: PieceKind
    pose: Array
    face: int
    """Index into the kind's faces."""
    candidates: Indices
    """The faces compared, the found one among them."""
    costs: Floats
    """Candidates x lattice: what each cell speaks against each candidate, 0 to COST_LIMIT."""
    gain: Floats
    """Lattice: how much better the found face explains each cell than an even surface does."""
    agrees: Flags
    """Lattice: where the found face is seen."""
    taken: Flags
    """Lattice: where another piece is seen instead."""
    hidden: Flags
    """Lattice: where something lies that is no piece."""
    prepared: Prepared
    """The faces it was compared with."""
    veil: float = 0.0
    """Levels (of white paper's 255) of light over it that was taken off."""
    shaded: bool = False
    """Whether light that changes along one direction was taken off (`vision.shade`)."""

    @cached_property
    def best(self) -> Floats:
        """Lattice: what each cell speaks against the found face."""
        return np.asarray(self.costs[self.candidates == self.face][0])

    @cached_property
    def strength(self) -> float:
        """How much this explains; what it says wrongly of its place has to be explained by something on top of it.

        What it explains is told by its own cost alone, beside what an even surface costs where this face truly is: in
        this picture that costs the more, the more of what is beside a piece a wrong pose takes in. Cards count alike.
        """
        explains = (COST_LIMIT if self.kind in CARDS else self.prepared.contrast[self.face]) - self.best
        return float(explains[self.agrees].sum()) - COVER_COST * np.count_nonzero(~self.agrees)

    @cached_property
    def visible(self) -> float:
        """Share of the lattice where this piece is seen."""
        return _share(self._own)

    @cached_property
    def whole(self) -> bool:
        """Whether it is seen nearly everywhere where others do not cover it."""
        return bool(np.count_nonzero(self._own) >= SETTLED_FIT * np.count_nonzero(~self.taken))

    @cached_property
    def settled(self) -> bool:
        """Whether nothing is left to explain where this piece is not covered by others."""
        return self.whole and self.quality >= SETTLED_QUALITY

    @cached_property
    def lies_there(self) -> bool:
        """Whether a piece like this one lies there, whichever of faces that are alike it has."""
        return self.whole and (self.cost < CLEAR_COST or self.quality >= SETTLED_QUALITY)

    @cached_property
    def may_be_turned(self) -> bool:
        """Whether the face is alike when turned half round, and might be seen so."""
        turned = float(self.prepared.turned[self.face])
        open_cells = ~(self.taken | self.hidden)
        if turned >= COST_LIMIT or not open_cells.any():
            return False
        return bool(self.best[open_cells].mean() > LIKE_TURNED * turned)

    @cached_property
    def trusted(self) -> bool:
        """Whether this is sure enough to say that something lies on the part of it that does not look like it."""
        own = self._own
        return bool(_share(own) > 0.45 and self.best[own].mean() < TRUSTED_COST)

    @cached_property
    def cost(self) -> float:
        """What this face costs where it is seen, on average."""
        open_own = self._own & ~self.hidden
        return float(self.best[open_own].mean()) if open_own.any() else COST_LIMIT

    @cached_property
    def margin(self) -> float:
        """How much more the next best face costs where this one is seen.

        A face so like this one that it cannot cost ALIKE more even on the best of pictures counts by its share of that.
        """
        own = self._own & ~self.hidden
        seen = int(np.count_nonzero(own))
        costs = self.costs @ own.astype(np.float32) / np.float32(max(seen, 1))
        best = self.candidates == self.face
        if not seen:
            return 0.0
        if best.all():
            return COST_LIMIT
        more = costs[~best] - costs[best].min()
        if more.min() < ALIKE:
            apart = self.prepared.apart[self.face][self.candidates[~best]]
            more = more * np.maximum(ALIKE / np.maximum(apart, LEAST_APART), 1.0)
        return float(more.min())

    @cached_property
    def lead(self) -> float:
        """The margin, less what this face costs where it is open."""
        free = ~(self.taken | self.hidden)
        if not (self.agrees & free).any():
            return -COST_LIMIT
        return self.margin - OWN_DOUBT * float(self.best @ free.astype(np.float32)) / int(np.count_nonzero(free))

    @cached_property
    def quality(self) -> float:
        """How likely it is no chance likeness and no piece that was never enrolled, 0 to 1."""
        doubt = np.exp((FOREIGN_LEAD - self.lead) / LEAD_SCALE)
        if self.kind in FOREIGN_PART:
            doubt += np.exp((self._oddest - self.lead - FOREIGN_PART[self.kind]) / PART_SCALE)
        return float(1.0 / (1.0 + doubt))

    @cached_property
    def _oddest(self) -> float:
        """What the part of it costs (PART of what is open, wherever it is) that looks least like this face and is not
        what covers it from beside it. Cells count with those around them: noise, an edge a little off, are no part."""
        open_cells = ~(self.taken | self.hidden)
        count = max(round(PART * np.count_nonzero(open_cells)), 1)
        costs = self._around(open_cells)
        if costs.size and np.sort(costs)[-count:].mean() > FOREIGN_PART[self.kind] - 6 * PART_SCALE + self.lead:
            costs = self._around(open_cells & ~self._covered_from_beside(open_cells))
        return float(np.sort(costs)[-count:].sum()) / count

    def _around(self, cells: Flags) -> Floats:
        """What each of these cells costs, with those of them around it."""
        share, cost = cells.astype(np.float32), np.where(cells, self.best, np.float32(0.0))
        neighbours = self.prepared.faces.shape.neighbours
        for _ in range(2):
            share, cost = share[neighbours].mean(-1), cost[neighbours].mean(-1)
        return np.asarray(cost[cells] / share[cells])

    def _covered_from_beside(self, open_cells: Flags) -> Flags:
        """Lattice: where it looks otherwise from its rim on, and right beside that: something lies on it there, and
        reaches beyond it."""
        neighbours = self.prepared.faces.shape.neighbours
        rim = (neighbours == np.arange(len(neighbours))[:, None]).sum(-1) > 1
        unlike = ~self.agrees & open_cells
        covered, before = np.asarray(unlike & rim), -1
        while (count := int(np.count_nonzero(covered))) > before:
            covered, before = np.asarray(covered | (covered[neighbours].any(-1) & unlike)), count
        for _ in range(2):
            covered = np.asarray(covered[neighbours].any(-1))
        return covered

    @cached_property
    def _own(self) -> Flags:
        """Lattice: where this piece is seen beside the others."""
        return self.agrees & ~self.taken


class Raster:
    """Which parts of the table are explained by a piece already."""

    def __init__(self, table: TableMap) -> None:
        width, height = table.width / PX_PER_MM / RASTER_MM, table.height / PX_PER_MM / RASTER_MM
        self._origin = np.array([table.left_mm, table.top_mm])
        self._rows, self._columns = int(height) + 3, int(width) + 3
        self._size_px = table.width, table.height
        self._taken = np.zeros(self._rows * self._columns, bool)
        self._places: dict[int, tuple[Array, Indices, Indices]] = {}
        """Cells of poses asked for before, by the identity of the pose, which is kept with them."""

    def copy(self) -> "Raster":
        """Another with the same parts explained."""
        other = Raster.__new__(Raster)
        other.__dict__.update(self.__dict__, _taken=self._taken.copy())
        return other

    def bare(self) -> "Raster":
        """Another of the same table with nothing explained."""
        other = self.copy()
        other._taken[:] = False
        return other

    def open_pixels(self) -> NDArray[np.uint8]:
        """255 at the pixels of the table's map that no piece explains."""
        cells = np.where(self._taken, np.uint8(0), np.uint8(255)).reshape(self._rows, self._columns)
        step, (width, height) = RASTER_MM * PX_PER_MM, self._size_px
        rows, columns = ((np.arange(size) / step + 0.5).astype(np.intp) for size in (height, width))
        return np.asarray(cells[rows][:, columns])

    def taken(self, points_mm: Array) -> Flags:
        """Whether a piece is seen at points (... x 2)."""
        return np.asarray(self._taken[self._cells(points_mm)])

    def taken_cells(self, cells: Indices) -> Flags:
        """Whether a piece is seen in cells."""
        return np.asarray(self._taken[cells])

    def paint_cells(self, cells: Indices) -> None:
        """Say that a piece is seen in cells."""
        self._taken[cells] = True

    def cells_of(self, readings: Sequence[Reading], lattice: Array) -> list[tuple[Indices, Indices]]:
        """For each reading the cells of its lattice points, and of what lies right around each (points x 4)."""
        new = [reading.pose for reading in readings if id(reading.pose) not in self._places]
        if len(self._places) + len(new) > MOST_PLACES:
            self._places.clear()
            new = [reading.pose for reading in readings]
        if new:
            points = place(lattice, np.array(new))
            found = zip(new, self._cells(points), self._cells(points[..., None, :] + _AROUND_MM), strict=True)
            self._places.update((id(pose), (pose, at, around)) for pose, at, around in found)
        return [self._places[id(reading.pose)][1:] for reading in readings]

    def _cells(self, points_mm: Array) -> Indices:
        """The cells of points (... x 2)."""
        cells = ((points_mm - self._origin) * _TO_CELLS + 0.5).astype(np.intp)
        column = np.minimum(np.maximum(cells[..., 0], 0), self._columns - 1)
        row = np.minimum(np.maximum(cells[..., 1], 0), self._rows - 1)
        return np.asarray(row * self._columns + column)


_TO_CELLS = np.array([1.0, -1.0]) / RASTER_MM
_AROUND_MM = np.array([[x, y] for x in (-0.35, 0.35) for y in (-0.35, 0.35)]) * RASTER_MM


def find_pieces(
    look: Look,
    keypoints: Keypoints,
    kinds: Mapping[PieceKind, Prepared],
    index: Index,
    known: Sequence[Reading] = (),
    done: Sequence[Reading] = (),
    beyond: Sequence[Reading] = (),
    bare: Raster | None = None,
) -> list[Reading]:
    """All pieces that keypoints lead to, and those known already, as far as they stand together.

    The guesses with most votes are checked first; what they explain needs no more guesses. Known pieces come before all
    guesses, but only one that fits well explains its place. Those of the known pieces that are `done` lie where nothing
    changed: they stay as they were, if others cover them as before. What lies `beyond` is not looked at, but may cover
    them. `bare` is a raster of the table with nothing explained, which knows already where the cells of `done` and
    `beyond` are.
    """
    raster = explained(beyond, kinds, bare.bare() if bare else Raster(look.table))
    matches = match(keypoints, index)
    guesses = {
        kind: guess_poses(keypoints, matches, index, kind, prepared.faces.shape.centre, MOST_GUESSES)
        for kind, prepared in kinds.items()
    }
    found = select(known, kinds, raster.copy())
    so_far = None
    for least, below in WAVES:
        so_far = so_far or explained((r for r in found if r.settled), kinds, raster.copy())
        new: list[Reading] = []
        for kind, prepared in kinds.items():
            some = guesses[kind]
            chosen = np.flatnonzero((some.votes >= least) & (some.votes < below))
            open_ones = chosen[_unexplained(some.poses[chosen], prepared, so_far)]
            new += check(look, kind, prepared, some.poses[open_ones], some.faces[open_ones])
        if new:
            found, so_far = select([*found, *new], kinds, raster.copy()), None
    so_far = so_far or explained((r for r in found if r.settled), kinds, raster.copy())
    veiled = _behind_veils(look, guesses, _others(found, done), found, kinds, so_far)
    if veiled:
        found = select([*found, *veiled], kinds, raster.copy())
    so_far = explained((r for r in found if r.settled), kinds, raster.copy())
    shaded = _in_shade(look, guesses, _others(found, done), found, kinds, so_far)
    if shaded:
        found = select([*found, *shaded], kinds, raster.copy())
    found = polished(look, found, kinds, raster, done)
    more = _nudged(look, _others(found, done), kinds)
    if more:
        found = polished(look, select([*found, *more], kinds, raster.copy()), kinds, raster, [*done, *found])
    return found


def _behind_veils(
    look: Look,
    guesses: Mapping[PieceKind, Guesses],
    new: Sequence[Reading],
    found: Sequence[Reading],
    kinds: Mapping[PieceKind, Prepared],
    so_far: Raster,
) -> list[Reading]:
    """Pieces over which lies light, as that of a lamp mirrored there: keypoints, which do without, lead to them, but
    colours do not fit until it is taken off. So are the `new` pieces tried that fit all over, but badly."""
    veiled: list[Reading] = []
    for kind, prepared in kinds.items():
        some = guesses[kind]
        chosen = np.flatnonzero(some.votes >= VEILED_VOTES)
        chosen = chosen[_unexplained(some.poses[chosen], prepared, so_far)]
        doubtful = [r for r in new if r.kind is kind and r.whole and r.quality < SETTLED_QUALITY and not r.veil]
        poses = np.concatenate([some.poses[chosen], np.array([r.pose for r in doubtful]).reshape(-1, 3)])
        faces = np.concatenate([some.faces[chosen], np.array([r.face for r in doubtful], np.intp)])
        if not len(poses):
            continue
        veils = np.repeat(VEILS, len(poses))
        veiled += check(look, kind, prepared, np.tile(poses, (len(VEILS), 1)), np.tile(faces, len(VEILS)), veils)
    veiled = [reading for reading in veiled if _shows_behind_veil(reading)]
    return [*veiled, *_beside_veiled(look, guesses, [*veiled, *(r for r in found if r.veil)], kinds, so_far)]


def _beside_veiled(
    look: Look,
    guesses: Mapping[PieceKind, Guesses],
    veiled: Sequence[Reading],
    kinds: Mapping[PieceKind, Prepared],
    so_far: Raster,
) -> list[Reading]:
    """Pieces beside some over which light lies: about as much lies over them, and less speaks for them."""
    found: list[Reading] = []
    if not veiled:
        return found
    so_far = explained(veiled, kinds, so_far.copy())
    lit = np.array([place(r.prepared.faces.shape.centre[None], r.pose)[0] for r in veiled])
    levels = veils_of(veiled)
    for kind, prepared in kinds.items():
        some = guesses[kind]
        if not len(some.poses):
            continue
        middles = place(prepared.faces.shape.centre[None], some.poses)[:, 0]
        away = np.linalg.norm(middles[:, None] - lit, axis=-1)
        chosen = np.flatnonzero(away.min(axis=1) < BESIDE_VEILED_MM)
        chosen = chosen[_unexplained(some.poses[chosen], prepared, so_far)]
        about = levels[away[chosen].argmin(axis=1)] + VEIL_CHANGES[:, None]
        tried = check(
            look,
            kind,
            prepared,
            np.tile(some.poses[chosen], (len(VEIL_CHANGES), 1)),
            np.tile(some.faces[chosen], len(VEIL_CHANGES)),
            about.ravel(),
        )
        found += [reading for reading in tried if _shows_behind_veil(reading)]
    return found


def _shows_behind_veil(reading: Reading) -> bool:
    """Whether it fits as well as it may be asked of one that was given a try more than others."""
    return reading.settled and (reading.cost < VEILED_COST or reading.margin >= VEILED_MARGIN * reading.cost)


def _in_shade(
    look: Look,
    guesses: Mapping[PieceKind, Guesses],
    new: Sequence[Reading],
    found: Sequence[Reading],
    kinds: Mapping[PieceKind, Prepared],
    so_far: Raster,
) -> list[Reading]:
    """Pieces on which an edge of shade lies, or stripes of it: keypoints lead to them, but colours do not fit until the
    light is the same all over. So are the `new` pieces tried that are seen in part, or badly; and where there is such
    shade, all guesses that are left, as its edges take keypoints away."""
    shaded: list[Reading] = []
    for kind, prepared in kinds.items():
        doubtful = [r for r in new if r.kind is kind and not r.settled and not r.shaded]
        poses = np.array([r.pose for r in doubtful]).reshape(-1, 3)
        shaded += check_in_shade(look, kind, prepared, poses, np.array([r.face for r in doubtful], np.intp))
    for least, below in ((SHADED_VOTES, np.inf), (0.0, SHADED_VOTES)):
        if not shaded and not least and not any(r.shaded for r in found):
            break
        so_far = explained(shaded, kinds, so_far.copy())
        for kind, prepared in kinds.items():
            some = guesses[kind]
            chosen = np.flatnonzero((some.votes >= least) & (some.votes < below))
            chosen = chosen[_unexplained(some.poses[chosen], prepared, so_far)]
            shaded += check_in_shade(look, kind, prepared, some.poses[chosen], some.faces[chosen])
    return shaded


def check_in_shade(
    look: Look, kind: PieceKind, prepared: Prepared, poses: Array, hints: Indices, free: Flags | None = None
) -> list[Reading]:
    """What is at each pose (n x 3) if an edge of shade, or several, lie across it: `check` with each face in the light
    in which it would be seen so. Of what is not known to lie there, open as far as it is `free` (n x cells), only what
    fits as well as one that was given a try more than others must."""
    if not len(poses):
        return []
    grid, centre = prepared.full, prepared.faces.shape.centre
    if free is None:
        worth = _first_look_in_shade(look, prepared, poses, hints)
        poses, hints = poses[worth], hints[worth]
        if not len(poses):
            return []
    for _ in range(2):
        light = lights(look.colours(place(grid.points, poses)), hints, grid, free)
        poses = refine(look, poses, hints, grid, centre, free=free, lights=light)
    colours = look.colours(place(grid.points, poses))
    even = in_even_light(colours, lights(colours, hints, grid, free))
    candidates = _candidates(rank_faces(even, grid, free), hints, RIVALS)
    count = candidates.shape[1]
    seen, faces = np.repeat(colours, count, axis=0), candidates.reshape(-1)
    opened = None if free is None else np.repeat(free, count, axis=0)
    light = lights(seen, faces, grid, opened)
    brightest = in_even_light(look.brightest(), light)
    verdict = judge(in_even_light(seen, light), faces[:, None], grid, look.trust, free=opened, brightest=brightest)
    costs = verdict.costs.reshape(len(poses), count, -1)
    best = (costs if free is None else np.where(free[:, None], costs, np.float32(0.0))).mean(-1).argmin(1)
    rows = np.arange(len(poses)) * count + best
    verdict = Verdict(costs, verdict.agrees[rows], best, verdict.gain[rows])
    readings = _as_readings(look, prepared, kind, poses, candidates, verdict, np.zeros(len(poses), np.float32))
    readings = [replace(reading, shaded=True) for reading in readings if _share(reading.agrees) >= LEAST_AGREEING]
    return readings if free is not None else [r for r in readings if r.settled and r.cost < SHADED_COST]


def _others(readings: Sequence[Reading], done: Sequence[Reading]) -> list[Reading]:
    """Those of the readings that are none of these."""
    these = set(map(id, done))
    return [reading for reading in readings if id(reading) not in these]


def _nudged(look: Look, readings: Sequence[Reading], kinds: Mapping[PieceKind, Prepared]) -> list[Reading]:
    """Pieces that fit badly, tried a little elsewhere, and what may lie turned half round, so."""
    found: list[Reading] = []
    for kind, prepared in kinds.items():
        tries = [(r, nudges) for r in readings if r.kind is kind and (nudges := _nudges(r))]
        if not tries:
            continue
        mine = [r for r, _ in tries]
        tried = [_turned_and_shifted(r.pose, prepared, nudges) for r, nudges in tries]
        times = [len(poses) for poses in tried]
        lying = [reading for reading, count in zip(mine, times, strict=True) for _ in range(count)]
        found += check_again(look, kind, prepared, lying, np.concatenate(tried))
    return found


def _nudges(reading: Reading) -> tuple[tuple[float, float, float], ...]:
    """How else a piece might lie (both ways), as far as it is worth a try."""
    half = (HALF_TURN,) if reading.may_be_turned else ()
    if reading.settled and reading.cost < CLEAR_COST:
        return half
    return half + NUDGES_DEG_MM + (FINE_NUDGES_DEG_MM if reading.trusted else ())


def _turned_and_shifted(pose: Array, prepared: Prepared, nudges_deg_mm: Sequence[tuple[float, float, float]]) -> Array:
    """The poses that nudges, both ways, make of one, turned about the piece's centre."""
    centre = prepared.faces.shape.centre[None]
    middle = place(centre, pose)[0]
    nudges = np.array([np.multiply(way, nudge) for nudge in nudges_deg_mm for way in (1.0, -1.0)])
    angles = pose[2] + nudges[:, 0]
    turn = np.radians(pose[2])
    along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    middles = middle + nudges[:, 1:2] * along + nudges[:, 2:3] * across
    arms = place(centre, np.column_stack([np.zeros((len(angles), 2)), angles]))[:, 0]
    return np.column_stack([middles - arms, angles])


def check(
    look: Look, kind: PieceKind, prepared: Prepared, poses: Array, hints: Indices, veils: Floats | None = None
) -> list[Reading]:
    """What is at each pose (n x 3), behind `veils` (n) of light: the face that fits best, with its pose refined;
    nothing where none fits."""
    sparse, centre = prepared.sparse, prepared.faces.shape.centre
    veils = np.zeros(len(poses), np.float32) if veils is None else np.asarray(veils, np.float32)
    worth, faces = _first_look(look, prepared, poses, hints, veils)
    poses, veils = poses[worth], veils[worth]
    if not len(poses):
        return []
    rounds = CARD_ROUNDS if kind in CARDS else ROUNDS
    poses = refine(look, poses, faces, sparse, centre, rounds=rounds, veils=veils)
    poses = refine(look, poses, faces, prepared.full, centre, rounds=1, veils=veils)
    colours = look.colours(place(prepared.full.points, poses), veils)
    candidates = _candidates(rank_faces(colours, prepared.full), faces, RIVALS)
    verdict = judge(colours, candidates, prepared.full, look.trust, brightest=look.brightest(veils))
    readings = _as_readings(look, prepared, kind, poses, candidates, verdict, veils)
    return [reading for reading in readings if _share(reading.agrees) >= LEAST_AGREEING]


def polished(
    look: Look,
    readings: Sequence[Reading],
    kinds: Mapping[PieceKind, Prepared],
    raster: Raster,
    done: Sequence[Reading] = (),
) -> list[Reading]:
    """Readings that others partly cover, fitted once more to what is seen of them alone; but for those done so."""
    covered = [reading for reading in _others(readings, done) if _share(reading.taken) > COVERED]
    result = _others(readings, covered)
    for kind, prepared in kinds.items():
        shaded = [reading for reading in covered if reading.kind is kind and reading.shaded]
        result += check_again(look, kind, prepared, shaded, np.array([r.pose for r in shaded]).reshape(-1, 3))
        mine = [reading for reading in covered if reading.kind is kind and not reading.shaded]
        if not mine:
            continue
        free = np.array([~reading.taken for reading in mine])
        faces = np.array([reading.face for reading in mine], np.intp)
        poses = np.array([reading.pose for reading in mine])
        veils = veils_of(mine)
        poses = refine(look, poses, faces, prepared.full, prepared.faces.shape.centre, rounds=3, free=free, veils=veils)
        colours = look.colours(place(prepared.full.points, poses), veils)
        candidates = _candidates(rank_faces(colours, prepared.full, free), faces, RIVALS)
        told_by_print = kind is not PieceKind.SPECIAL  # what shows of a Special may be nothing but its even ground
        verdict = judge(
            colours,
            candidates,
            prepared.full,
            look.trust,
            free=free,
            brightest=look.brightest(veils),
            even_there=told_by_print,
        )
        result += _as_readings(look, prepared, kind, poses, candidates, verdict, veils)
    return select(result, kinds, raster.copy())


def _first_look_in_shade(look: Look, prepared: Prepared, poses: Array, hints: Indices) -> Indices:
    """Which poses are worth a close look in shade."""
    grid = prepared.sparse
    colours = look.colours(place(grid.points, poses))
    light = lights(colours, hints, grid)
    brightest = in_even_light(look.brightest(), light)
    verdict = judge(in_even_light(colours, light), hints[:, None], grid, look.trust, brightest=brightest)
    return np.flatnonzero(verdict.agrees.mean(1) >= SHADED_AGREEING)


def check_again(
    look: Look, kind: PieceKind, prepared: Prepared, readings: Sequence[Reading], poses: Array
) -> list[Reading]:
    """What is at these poses, where such pieces of one kind were seen in such light."""
    plain, shaded = ([i for i, r in enumerate(readings) if r.shaded is either] for either in (False, True))
    faces = np.array([reading.face for reading in readings], np.intp)
    found = check(look, kind, prepared, poses[plain], faces[plain], veils_of([readings[i] for i in plain]))
    if shaded:
        free = np.array([~readings[i].taken for i in shaded])
        found += check_in_shade(look, kind, prepared, poses[shaded], faces[shaded], free)
    return found


def veils_of(readings: Sequence[Reading]) -> Floats:
    """The light over each that was taken off."""
    return np.array([reading.veil for reading in readings], np.float32)


def _as_readings(
    look: Look, prepared: Prepared, kind: PieceKind, poses: Array, candidates: Indices, verdict: Verdict, veils: Floats
) -> list[Reading]:
    """Readings of a verdict; cells outside the picture show nothing, whatever they were compared with."""
    nothing = np.zeros(verdict.agrees.shape[1], bool)
    shown = look.table.shows(place(prepared.full.points, poses))
    agrees = verdict.agrees & shown
    gain = np.where(shown, verdict.gain, np.float32(0.0))
    faces = candidates[np.arange(len(poses)), verdict.best]
    return [
        Reading(
            kind,
            pose,
            int(faces[i]),
            candidates[i],
            verdict.costs[i],
            gain[i],
            agrees[i],
            nothing,
            nothing,
            prepared,
            float(veils[i]),
        )
        for i, pose in enumerate(poses)
    ]


def _first_look(look: Look, prepared: Prepared, poses: Array, hints: Indices, veils: Floats) -> tuple[Indices, Indices]:
    """Which poses are worth a close look, and the face that fits each of them best so far."""
    if not len(poses):
        return np.zeros(0, np.intp), hints
    grid = prepared.sparse
    colours = look.colours(place(grid.points, poses), veils)
    candidates = _candidates(rank_faces(colours, grid), hints, FIRST_RIVALS)
    verdict = judge(colours, candidates, grid, look.trust, brightest=look.brightest(veils))
    own = verdict.agrees
    gain = np.where(own, verdict.gain, 0.0).sum(1) / np.maximum(own.sum(1), 1)
    worth = np.flatnonzero((own.mean(1) > 0.6 * LEAST_AGREEING) & (gain > 0.3 * LEAST_GAIN))
    return worth, candidates[worth, verdict.best[worth]]


def _unexplained(poses: Array, prepared: Prepared, raster: Raster) -> Indices:
    """Which poses lie mostly where nothing was found yet."""
    if not len(poses):
        return np.zeros(0, np.intp)
    taken = raster.taken(place(prepared.sparse.points, poses))
    return np.flatnonzero(taken.mean(1) < 1.0 - 0.8 * LEAST_AGREEING)


def explained(readings: Iterable[Reading], kinds: Mapping[PieceKind, Prepared], raster: Raster) -> Raster:
    """What of the table these readings explain, added to what a raster has already."""
    some = list(readings)
    for reading, (_, around) in zip(some, _cells_of(some, kinds, raster), strict=True):
        raster.paint_cells(around[reading.agrees & ~reading.taken])
    return raster


def confirmed(reading: Reading) -> bool:
    """Whether a reading holds, now that it is known what nothing foreign hides of it."""
    free = ~(reading.taken | reading.hidden)
    fit = float((reading.agrees & free).sum()) / max(int(free.sum()), 1)
    lead = reading.lead
    if lead >= WHOLE_LEAD and reading.trusted and fit >= SETTLED_FIT and reading.cost < CLEAR_COST:
        return True
    if reading.kind in CARDS:
        return _confirmed_card(reading, fit, lead)
    if not reading.trusted:
        strong = lead >= STRONG_LEAD and fit >= FIT_OF_STRONG and reading.cost < TRUSTED_COST
        dear = lead >= DOUBTFUL_LEAD and fit >= FIT_OF_DOUBTFUL and reading.cost < COST_OF_DOUBTFUL
        return strong or (dear and float(reading.gain[reading.agrees & free].mean()) >= DOUBTFUL_GAIN)
    return (lead >= CLEAR_LEAD and fit >= FIT_OF_CLEAR) or (lead >= LEAST_LEAD and fit >= FIT_WHERE_OPEN)


def _confirmed_card(reading: Reading, fit: float, lead: float) -> bool:
    """Cards lie apart or wholly on each other: what shows of one looks like it nearly everywhere, or is held."""
    if fit >= CARD_FIT:
        return lead >= CARD_LEAD and reading.cost <= CARD_COST
    return fit >= HELD_FIT and reading.cost <= HELD_COST and (lead >= CARD_LEAD or reading.margin >= HELD_MARGIN)


def select(readings: Iterable[Reading], kinds: Mapping[PieceKind, Prepared], raster: Raster) -> list[Reading]:
    """The readings that stand together: each part of the table is explained once, by what fits it best.

    What the raster has already is explained; what is chosen is painted on it.
    """
    chosen: list[tuple[Reading, Flags, Flags, Indices, Indices]] = []
    some = list(readings)
    cells = _cells_of(some, kinds, raster)
    for i in sorted(range(len(some)), key=lambda i: some[i].strength, reverse=True):
        reading, (at, around) = some[i], cells[i]
        taken = raster.taken_cells(at)
        free = ~taken
        own = reading.agrees & free
        if _share(own) < LEAST_SEEN or np.count_nonzero(own) < LEAST_FIT * np.count_nonzero(free):
            continue
        if reading.gain[own].mean() < LEAST_GAIN or reading.gain[free].mean() < LEAST_GAIN / 3:
            continue
        chosen.append((reading, taken, own, at, around))
        raster.paint_cells(around[own])
    return _with_all_taken(chosen, raster)


def _with_all_taken(chosen: Sequence[tuple[Reading, Flags, Flags, Indices, Indices]], raster: Raster) -> list[Reading]:
    """Readings, strongest first, with what is taken from each by stronger ones, and by weaker ones where it is not
    seen: a small piece that is clear may lie on a large one, and right beside it are its edge and shadow. Each comes
    with its cells, as `Raster.cells_of` gives them."""
    weaker = raster.bare()
    readings = []
    for reading, taken, own, at, around in reversed(chosen):
        taken = taken | (weaker.taken_cells(at) & ~reading.agrees)
        if taken.any():
            beside = taken[reading.prepared.faces.shape.neighbours].any(1)
            taken = taken | (beside & ~reading.agrees)
        open_now = reading if (reading.taken == taken).all() else replace(reading, taken=taken)
        if open_now.lies_there:
            weaker.paint_cells(around[own])
        readings.append(open_now)
    return readings[::-1]


def _cells_of(
    readings: Sequence[Reading], kinds: Mapping[PieceKind, Prepared], raster: Raster
) -> list[tuple[Indices, Indices]]:
    """For each reading the raster's cells of its lattice points, and of what lies right around each (points x 4)."""
    cells: dict[int, tuple[Indices, Indices]] = {}
    for kind, prepared in kinds.items():
        mine = [reading for reading in readings if reading.kind is kind]
        cells.update(zip(map(id, mine), raster.cells_of(mine, prepared.faces.shape.lattice), strict=True))
    return [cells[id(reading)] for reading in readings]


def _share(flags: Flags) -> float:
    """Which share of these is set."""
    return float(np.count_nonzero(flags)) / flags.size


def _candidates(ranks: Floats, hints: Indices, count: int) -> Indices:
    """For each pose the best ranked faces, the hinted one always among them."""
    count = min(count, ranks.shape[1])
    order = np.argsort(-ranks, axis=1)[:, :count].astype(np.intp)
    missing = ~(order == hints[:, None]).any(axis=1)
    order[missing, -1] = hints[missing]
    return order
