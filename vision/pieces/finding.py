"""From a picture of the table to the pieces on it: guesses, their check, and which of them stand together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.pieces.checking import check, check_again, check_uncovered, veils_of
from vision.pieces.features import Keypoints
from vision.pieces.other_light import behind_veils, in_own_light
from vision.pieces.prepared import Prepared
from vision.pieces.raster import Raster, explained, select, unexplained
from vision.pieces.reading import CLEAR_COST, OwnLight, Reading, share
from vision.pieces.search import Index, guess_poses, match
from vision.pieces.verify import Look, refine
from vision.scene import PieceKind
from vision.shapes import place

Array = NDArray[np.float64]

MOST_GUESSES = 500
WAVES = ((14.0, np.inf), (7.0, 14.0), (0.0, 7.0))
"""Votes of the guesses that are checked first, then, then."""
NUDGES_DEG_MM = ((7.0, 0.0, 0.0), (14.0, 0.0, 0.0), (0.0, 7.0, 0.0), (0.0, 0.0, 7.0))
"""Where else a piece that fits badly may lie (both ways): an even face slides and turns with little loss."""
FINE_NUDGES_DEG_MM = ((6.0, 3.0, 0.0), (6.0, -3.0, 0.0), (6.0, 0.0, 3.0), (6.0, 0.0, -3.0))
"""Where else if it surely is a piece; of a chance likeness more tries would only find a better one."""
NUDGE_ROUNDS = 3
"""So often at most: what has come nearer to its place may not be there yet."""
COVERED = 0.04
"""A piece of which others cover more than this is fitted again to the rest of it."""
REST_ROUNDS, REST_MM = 8, 0.5
"""After so many more steps a piece lies where it fits best; by less it need not be moved."""
HALF_TURN = (180.0, 0.0, 0.0)


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
    centres = {kind: prepared.faces.shape.centre for kind, prepared in kinds.items()}
    guesses = guess_poses(keypoints, matches, index, centres, MOST_GUESSES)
    found = select(known, kinds, raster.copy())
    so_far = None
    for least, below in WAVES:
        so_far = so_far or explained((r for r in found if r.settled), kinds, raster.copy())
        new: list[Reading] = []
        for kind, prepared in kinds.items():
            some = guesses[kind]
            chosen = np.flatnonzero((some.votes >= least) & (some.votes < below))
            open_ones = chosen[unexplained(some.poses[chosen], prepared, so_far)]
            checked = check(look, kind, prepared, some.poses[open_ones], some.faces[open_ones])
            new += [reading for reading in checked if not reading.is_even]  # corners of these are alike everywhere
        if new:
            found, so_far = select([*found, *new], kinds, raster.copy()), None
    so_far = so_far or explained((r for r in found if r.settled), kinds, raster.copy())
    veiled = behind_veils(look, guesses, _others(found, done), found, kinds, so_far)
    if veiled:
        found = select([*found, *veiled], kinds, raster.copy())
        so_far = explained((r for r in found if r.settled), kinds, raster.copy())
    for own_light in OwnLight:
        lit = in_own_light(own_light, look, guesses, _others(found, done), found, kinds, so_far)
        if lit:
            found = select([*found, *lit], kinds, raster.copy())
            so_far = explained((r for r in found if r.settled), kinds, raster.copy())
    found = polished(look, found, kinds, raster, done)
    nudged = list(done)
    for _ in range(NUDGE_ROUNDS):
        more = _nudged(look, _others(found, nudged), kinds)
        if not more:
            break
        nudged += found
        found = polished(look, select([*found, *more], kinds, raster.copy()), kinds, raster, nudged)
    return come_to_rest(look, found, kinds, raster, done)


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


def come_to_rest(
    look: Look,
    readings: Sequence[Reading],
    kinds: Mapping[PieceKind, Prepared],
    raster: Raster,
    done: Sequence[Reading] = (),
) -> list[Reading]:
    """The readings, those that had not come to where they fit best moved on: a print of rings tells its turn little,
    and slowly. But for those done."""
    moved: list[Reading] = []
    kept = list(readings)
    for kind, prepared in kinds.items():
        mine = [r for r in _others(readings, done) if r.kind is kind and r.settled and r.own_light is None]
        if not mine:
            continue
        poses, centre = np.array([r.pose for r in mine]), prepared.faces.shape.centre
        faces, free = np.array([r.face for r in mine], np.intp), np.array([~r.taken for r in mine])
        better = refine(look, poses, faces, prepared.full, centre, rounds=REST_ROUNDS, free=free, veils=veils_of(mine))
        rim = prepared.full.points[np.linalg.norm(prepared.full.points - centre, axis=1).argmax()]
        ends = np.stack([centre, rim])
        far = np.flatnonzero(np.linalg.norm(place(ends, better) - place(ends, poses), axis=2).max(1) > REST_MM)
        on = [replace(mine[i], pose=better[i]) for i in far]
        moved += check_uncovered(look, kind, prepared, on)
        kept = _others(kept, [mine[i] for i in far])
    return select([*kept, *moved], kinds, raster.copy()) if moved else kept


def polished(
    look: Look,
    readings: Sequence[Reading],
    kinds: Mapping[PieceKind, Prepared],
    raster: Raster,
    done: Sequence[Reading] = (),
) -> list[Reading]:
    """Readings that stand together, those that others partly cover fitted once more to what is seen of them alone; but
    for those done so."""
    covered = [reading for reading in _others(readings, done) if share(reading.taken) > COVERED]
    if not covered:
        return list(readings)
    result = _others(readings, covered)
    for kind, prepared in kinds.items():
        lit = [reading for reading in covered if reading.kind is kind and reading.own_light is not None]
        result += check_again(look, kind, prepared, lit, np.array([r.pose for r in lit]).reshape(-1, 3))
        plain = [reading for reading in covered if reading.kind is kind and reading.own_light is None]
        result += check_uncovered(look, kind, prepared, plain)
    return select(result, kinds, raster.copy())
