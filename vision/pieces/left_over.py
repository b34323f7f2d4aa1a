"""Where a piece may lie that too few corners speak for: what no piece explains, compared with every face in every turn.

A piece of which others leave little, a pale one, or a back that shows one thing over and over has hardly a corner
that tells it from others. Its colours do, when all that is left of the table is gone through in steps of several
millimetres: first with few points of each face, then, where that looks like one, with more. It takes longer than
corners do, so it comes last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.pieces.by_outline import guesses_by_outline, lies_free
from vision.pieces.checking import check, check_under
from vision.pieces.features import NONE, Colours
from vision.pieces.finding import find_pieces
from vision.pieces.mirrored import is_told, mirroring
from vision.pieces.prepared import Prepared
from vision.pieces.reading import Reading, share
from vision.pieces.search import Index
from vision.pieces.sweep import (
    STEP,
    STEP_DEG,
    Points,
    SmallMap,
    about,
    away,
    indices,
    map_of,
    peaks,
    points_of,
    poses_at,
    ranks_within,
    shrunk,
)
from vision.pieces.verify import Flags, Floats, Grid, Indices, Look, judge, rank_faces
from vision.scene import PieceKind
from vision.shapes import place

Array = NDArray[np.float64]

POINTS, MORE_POINTS = 20, 60
"""So many points of a face are compared first, and then."""
LEAST_OPEN = 0.5
"""So many of them have to lie where nothing is explained yet."""
PARTLY_OPEN = 0.95
"""Where no more of them do, what is explained already may lie over it: it is checked by the rest alone, too."""
UNDER_RIVALS, LIKELIEST_UNDER, UNDER_CHECKED = 3, 30, 20
"""So many guesses of that kind are looked at, each for so many faces, and so many of these are checked."""
FEW_WORTH = 0.5
"""Where so few of a turn's places are worth it, only these are compared."""
EVEN = 0.0025
"""Mean square of what colours (logarithm) stray on an even surface: less than that shows nothing."""
LEAST_ALIKE, MOST_LIKENESS = 0.4, 0.99
MOST_ALIKE = 6000
"""So many places and turns, the likeliest, are compared with more points."""
LIKELIEST, OF_ALL_FACES, OF_A_FACE = 60, 90, 2
"""So many of a kind are checked, the likeliest, and so many more of all its faces together and of each: a face that
looks like the cloth or like what is printed on the mat leaves room for the others."""
PLAIN_SHARE, PLAIN_COST = 0.5, 1.0
"""What is found so shows so much of itself at least, at this cost at most. Of 17 found on tables that this was set by,
the four that lay there showed 0.57 and cost 0.77, and of the others all but one failed in this or were not settled."""
LONE_SHARE, LONE_COST, LONE_LEAD, LONE_AGREES = 0.4, 1.25, 1.2, 0.75
"""The same where nothing else fits. Of 442 that did not lie there (shared and path-traced pictures) those that were
settled agreed to less than a half; a slice between two others showed 0.45, cost 1.1, led by 1.7 and agreed to 0.86."""
FAR_LEAD, FAR_COST = 5.0, 0.75
"""Of 751 that did not lie there none led by more than 4.5, nor of 60 more by more than 4.4; a back on which the one
over it threw its shadow led by 7.0 and cost 0.43, one in a tight fan by 5.5 and 0.61."""
AROUND_MM, AROUND_DEG = 3.0, 4.0
"""So far beside its place and turn a piece may lie: half a step of both, and a little more for the lens."""


@dataclass(frozen=True, slots=True)
class _Guesses:
    """Where pieces may lie."""

    poses: Array
    """n x 3."""
    faces: Indices
    """Which face each looks like."""


_NO_GUESSES = _Guesses(np.zeros((0, 3)), np.zeros(0, np.intp))


def with_left_over(
    look: Look,
    looked: Image,
    kinds: Mapping[PieceKind, Prepared],
    index: Index,
    readings: Sequence[Reading],
    unexplained: NDArray[np.uint8],
    beyond: Sequence[Reading] = (),
) -> list[Reading]:
    """The readings, and what else plainly lies where nothing is explained yet (`unexplained`: 255 at such pixels of the
    map). So many places are tried that what is less than plain there is chance. What lies `beyond` is not looked at,
    but may cover them."""
    more = _checked(look, looked, kinds, unexplained)
    if not more:
        return list(readings)
    # What is not plain has no say in which of the others stand together.
    joined = find_pieces(look, NONE, kinds, index, [*readings, *more], readings, beyond)
    before = set(map(id, readings))
    new = [reading for reading in joined if id(reading) not in before and _is_plain(reading)]
    plain = [reading for reading in new if not reading.is_even or lies_free(look, reading, unexplained)]
    return find_pieces(look, NONE, kinds, index, [*readings, *plain], readings, beyond) if plain else list(readings)


def _is_plain(reading: Reading) -> bool:
    """Whether a piece is seen as it was enrolled, wherever no other covers it, and that is half of it; or a little
    less, and no other face nor an even surface comes near it; or with a part in shade, and they are far off."""
    if is_told(reading):
        return True
    if not reading.settled:
        return reading.confirmed and reading.lead >= FAR_LEAD and reading.cost <= FAR_COST
    if reading.visible >= PLAIN_SHARE and reading.cost <= PLAIN_COST:
        return True
    alone = reading.lead >= LONE_LEAD and share(reading.agrees) >= LONE_AGREES
    return alone and reading.visible >= LONE_SHARE and reading.cost <= LONE_COST


def _checked(
    look: Look, looked: Image, kinds: Mapping[PieceKind, Prepared], unexplained: NDArray[np.uint8]
) -> list[Reading]:
    """What may lie where nothing is explained; not all of it stands together."""
    found: list[Reading] = []
    if not cv2.countNonZero(unexplained & look.table.seen):
        return found
    small = shrunk(look, looked)
    for kind, prepared in kinds.items():
        open_ones, partly = _guess(look, small, prepared, unexplained)
        if len(open_ones.poses):
            placed = _placed(look, prepared, open_ones.poses, open_ones.faces, unexplained)
            found += check(look, kind, prepared, placed, open_ones.faces)
        if len(partly.poses):
            placed = _placed(look, prepared, partly.poses, partly.faces, unexplained)
            found += check(look, kind, prepared, placed, partly.faces)
            found += _under(look, kind, prepared, partly, placed, unexplained)
        found += mirroring(look, small, kind, prepared, unexplained)
        found += check(look, kind, prepared, *guesses_by_outline(look, looked, prepared, unexplained))
    return found


def _under(
    look: Look, kind: PieceKind, prepared: Prepared, guesses: _Guesses, placed: Array, unexplained: NDArray[np.uint8]
) -> list[Reading]:
    """What may lie at guesses over which something lies that is explained already, by what shows of it alone. A guess
    hardly knows which face that is: each of those that look most like it is placed there and checked."""

    def seen_at(some: Array, grid: Grid) -> tuple[Colours, Flags]:
        points = place(grid.points, some)
        return look.colours(points), look.table.meets(unexplained, points)

    colours, free = seen_at(placed, prepared.full)
    ranks = rank_faces(colours, prepared.full, free)
    count = min(UNDER_RIVALS, ranks.shape[1])
    tried = np.argpartition(-ranks, count - 1, axis=1)[:, :count].ravel()
    again = _placed(look, prepared, np.repeat(guesses.poses, count, axis=0), tried, unexplained)
    colours, free = seen_at(again, prepared.sparse)
    costs = judge(colours, tried[:, None], prepared.sparse, look.trust, free=free).costs[:, 0]
    cheapest = np.argsort((costs * free).sum(1) / np.maximum(free.sum(1), 1))[:UNDER_CHECKED]
    free = seen_at(again[cheapest], prepared.full)[1]
    return check_under(look, kind, prepared, again[cheapest], tried[cheapest], free)


def _guess(look: Look, small: Image, prepared: Prepared, unexplained: NDArray[np.uint8]) -> tuple[_Guesses, _Guesses]:
    """Where one kind of piece may lie, to a step and a turn, the likeliest first: in the open, and partly under what is
    explained already. There it is seen less well, and would not come up beside all that looks like a face."""
    seen = map_of(look, small, unexplained, prepared.faces.shape.reach_mm)
    if seen is None:
        return _NO_GUESSES, _NO_GUESSES
    few, more = (points_of(prepared, count, prepared.full.enrolled) for count in (POINTS, MORE_POINTS))
    places = np.concatenate([_alike(seen, few, turn_deg) for turn_deg in np.arange(0.0, 360.0, STEP_DEG)])
    partly = places[:, 4] <= PARTLY_OPEN

    def guesses(some: Array, likeliest: int, of_all_faces: int) -> _Guesses:
        of_a_face = OF_A_FACE + of_all_faces // len(prepared.faces.names)
        best, faces = _likeliest(seen, more, some, likeliest, of_a_face)
        return _Guesses(poses_at(look, seen, prepared, best[:, :2], best[:, 2]), faces)

    return guesses(places[~partly], LIKELIEST, OF_ALL_FACES), guesses(places[partly], LIKELIEST_UNDER, 0)


def _likeliest(seen: SmallMap, points: Points, places: Array, likeliest: int, of_a_face: int) -> tuple[Array, Indices]:
    """Of places (n x 5, see `_alike`) those that are worth checking, and the face that each looks like."""
    if len(places) > MOST_ALIKE:
        places = places[np.argpartition(-places[:, 3], MOST_ALIKE)[:MOST_ALIKE]]
    at = indices(seen, points, places[:, :2].astype(np.intp), places[:, 2])
    faces, alike = _likeness_exactly(seen, at, points)
    kept = peaks(seen, places, faces, _told(alike, places[:, 4].astype(np.float32)))
    kept = kept[np.argsort(-alike[kept], kind="stable")]
    kept = kept[_worth_checking(faces[kept], likeliest, of_a_face)]
    return places[kept], faces[kept]


def _told(alike: Floats, share_open: Floats) -> Floats:
    """How much correlations (n) of what is open tell: by how unlikely they are by chance, of so many points. What is
    known already looks like itself wherever a little of it is left open, but that is little."""
    return np.asarray(-np.log1p(-np.square(np.minimum(alike, MOST_LIKENESS))) * share_open, np.float32)


def _worth_checking(faces: Indices, likeliest: int, of_a_face: int) -> Indices:
    """Of guesses, the likeliest first, those first of all and first of their face."""
    return np.flatnonzero((ranks_within(faces) < of_a_face) | (np.arange(len(faces)) < likeliest))


def _placed(look: Look, prepared: Prepared, poses: Array, faces: Indices, unexplained: NDArray[np.uint8]) -> Array:
    """Each pose moved to that around it where its face is seen best, as sharp as it is."""
    steps = (-1.0, 0.0, 1.0)
    nudges = np.array([(x, y, turn) for x in steps for y in steps for turn in steps]) * [
        AROUND_MM,
        AROUND_MM,
        AROUND_DEG,
    ]
    centre = prepared.faces.shape.centre
    middles = place(centre[None], poses)[:, 0]
    tried = np.concatenate([about(centre, middles + nudge[:2], poses[:, 2] + nudge[2]) for nudge in nudges])
    where = place(prepared.sparse.points, tried)
    free = look.table.meets(unexplained, where).astype(np.float32)[:, None]
    count = np.maximum(free.sum(-1, keepdims=True), 1.0)
    colours = look.colours(where)
    strays = (colours - (colours * free).sum(-1, keepdims=True) / count) * free
    shown = prepared.sparse.unit.reshape(-1, *colours.shape[1:])[np.tile(faces, len(nudges))]
    along = np.einsum("ncp,ncp->n", strays, shown) / np.sqrt(np.einsum("ncp,nkp->n", shown**2, free) + 1e-9)
    alike = along / np.sqrt(np.einsum("ncp,ncp->n", strays, strays) + EVEN * count[:, 0, 0])
    best = alike.reshape(len(nudges), -1).argmax(0)
    return np.asarray(tried.reshape(len(nudges), -1, 3)[best, np.arange(len(poses))])


def _alike(seen: SmallMap, points: Points, turn_deg: float) -> Array:
    """Places of the map that look like a face in this turn: n x 5, column, row, turn, how alike, how much is open."""
    rows, columns = -(-seen.rows // STEP), -(-seen.columns // STEP)
    parts = np.empty((4, len(points.offsets), rows, columns), np.float32)
    for number, (row, column) in enumerate(away(seen, points, np.array([turn_deg]))[0].tolist()):
        (down, row), (right, column) = divmod(row, STEP), divmod(column, STEP)
        parts[:, number] = seen.stepped[row, column, :, down : down + rows, right : right + columns]
    here = parts.reshape(4, len(points.offsets), rows * columns)
    open_here = np.ones(here.shape[1], np.float32) @ here[0]
    worth = np.flatnonzero(open_here >= LEAST_OPEN * here.shape[1])
    if len(worth) < FEW_WORTH * len(open_here):  # else it takes longer to pick them
        alike = np.zeros(len(open_here), np.float32)
        alike[worth] = _likeness(here[0].take(worth, 1), here[1:].take(worth, 2), points)
    else:
        alike = _likeness(here[0], here[1:], points)
    good = worth[alike[worth] > LEAST_ALIKE]
    row, column = np.divmod(good, columns)
    share_open = open_here[good] / here.shape[1]
    return np.column_stack([column * STEP, row * STEP, np.full(len(good), turn_deg), alike[good], share_open])


def _likeness(free: Floats, colours: Floats, points: Points) -> Floats:
    """The correlation of what the map shows (3 x points x n), where it is open (points x n), with the face that it
    looks like, as if a face were as full of contrast on any part of it. Overwrites the colours."""
    along, width, count = _compared(free, colours, points)
    return np.asarray(along.max(0) / np.sqrt(width * (count / np.float32(len(free)))), np.float32)


def _likeness_exactly(seen: SmallMap, at: Indices, points: Points) -> tuple[Indices, Floats]:
    """Which face the map looks like at its indices (points x n), where it is open, and the correlation with that."""
    free = seen.open.ravel().take(at)
    along, width, _ = _compared(free, seen.colours.reshape(3, -1).take(at, axis=1), points)
    along /= np.sqrt(np.maximum(points.squares @ free, np.float32(1e-6)))
    best = along.argmax(0)
    return best, np.asarray(along[best, np.arange(len(best))] / np.sqrt(width), np.float32)


def _compared(free: Floats, colours: Floats, points: Points) -> tuple[Floats, Floats, Floats]:
    """What each face has in common with what is open (faces x n), how much that strays from its mean colour, squared
    (n), and how many points that are."""
    count = np.maximum(np.ones(len(free), np.float32) @ free, np.float32(1.0))
    colours -= (np.einsum("cpn,pn->cn", colours, free) / count)[:, None]
    colours *= free
    width = np.einsum("cpn,cpn->n", colours, colours) + np.float32(EVEN) * count
    return points.faces @ colours.reshape(points.faces.shape[1], -1), width, count
