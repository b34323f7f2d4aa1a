"""Pieces that lie on each other, explained together: from the top of a heap or a row downwards.

A piece half under others is told by what these leave of it, and these have to be known first: an even back fits nearly
as well some millimetres aside, takes the strip that its neighbour shows, and the neighbour is missed. So what nothing
covers comes first, then what fits best under what is known by then, and with each that is known what may lie beside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.pieces.beside import beside
from vision.pieces.checking import check_uncovered
from vision.pieces.finding import COVERED
from vision.pieces.prepared import Prepared
from vision.pieces.raster import LEAST_SEEN, Raster, explained, select, taken_from
from vision.pieces.reading import CLEAR_COST, DOUBTFUL_GAIN, Reading, share
from vision.pieces.verify import Look
from vision.scene import PieceKind
from vision.shapes import place

Array = NDArray[np.float64]

DEAR_COST, DEAR_LEAD = 1.25, 1.2
"""What costs up to this and leads by so much lies there as well, if nothing fits better: of what shows in a tight row,
much lies in the shadow of the piece above. At 24 places beside pieces of a simulated table where nothing lay, faces
cost 1.5 and more, and led by 0.74 at most."""
MOST_ROUNDS = 60
"""No row has so many pieces; each is told in a round of its own at worst."""


@dataclass(frozen=True, slots=True, eq=False)
class _Claim:
    """A piece that may lie there."""

    reading: Reading
    fitted: float
    """How much of it was covered when it was fitted."""
    centre: Array


def from_top_down(
    look: Look,
    readings: Sequence[Reading],
    kinds: Mapping[PieceKind, Prepared],
    raster: Raster,
    others: Sequence[Reading] = (),
) -> list[Reading]:
    """The readings, those that lie on each other told anew together with what may lie beside them, if that explains
    more. `others` may lie there as well; what the raster has already is explained."""
    heap = _told_in_turn(look, [*readings, *_besides(others, readings)], kinds, raster)
    before = set(map(id, (reading.pose for reading in readings)))
    if all(id(reading.pose) in before for reading in heap):
        return list(readings)
    told = set(map(id, (reading.pose for reading in heap)))
    rest = [reading for reading in readings if id(reading.pose) not in told]
    together = [*heap, *select(rest, kinds, explained(heap, kinds, raster.copy()))]
    return together if _explains(together) > _explains(readings) else list(readings)


def _besides(others: Sequence[Reading], readings: Sequence[Reading]) -> list[Reading]:
    known = set(map(id, (reading.pose for reading in readings)))
    return [reading for reading in others if id(reading.pose) not in known]


def _explains(readings: Sequence[Reading]) -> float:
    return sum(reading.own_strength for reading in readings)


def _told_in_turn(
    look: Look, readings: Sequence[Reading], kinds: Mapping[PieceKind, Prepared], raster: Raster
) -> list[Reading]:
    """Those of the readings, and of what lies beside them, that fit under those told before, top first."""
    known = raster.copy()
    told: list[Reading] = []
    waiting = _under(look, [_claim(reading, share(reading.taken)) for reading in readings], kinds, known)
    for _ in range(MOST_ROUNDS):
        now = _next(waiting, kinds, known)
        if not now:
            break
        told += now
        waiting = [claim for claim in waiting if not any(claim.reading is reading for reading in now)]
        near, far = _near(waiting, now, kinds)
        waiting = far + _under(look, near, kinds, known)
        for kind, prepared in kinds.items():
            found = beside(look, kind, prepared, [reading for reading in now if reading.kind is kind], known)
            waiting += [_claim(reading, share(reading.taken)) for reading in found]
    return told


def _next(waiting: Sequence[_Claim], kinds: Mapping[PieceKind, Prepared], known: Raster) -> list[Reading]:
    """Which fit best now and do not lie on each other, painted on what is known; of those that cost more only one."""
    good = [claim.reading for claim in waiting if claim.reading.settled]
    good = [reading for reading in good if reading.cost < CLEAR_COST or _is_told_though_dear(reading)]
    now: list[Reading] = []
    for reading in sorted(good, key=lambda reading: reading.cost):
        if now and reading.cost >= CLEAR_COST:
            break
        covered = known.taken(place(reading.prepared.full.points, reading.pose)) & reading.agrees & ~reading.taken
        if share(covered) > COVERED:
            continue
        now.append(reading)
        explained([reading], kinds, known)
    return now


def _is_told_though_dear(reading: Reading) -> bool:
    return reading.cost < DEAR_COST and reading.lead > DEAR_LEAD and reading.tells >= DOUBTFUL_GAIN


def _near(
    claims: Sequence[_Claim], readings: Sequence[Reading], kinds: Mapping[PieceKind, Prepared]
) -> tuple[list[_Claim], list[_Claim]]:
    """Those that any of the readings may lie on, and the others."""
    reach = {kind: prepared.faces.shape.reach_mm for kind, prepared in kinds.items()}
    centres, reaches = np.array([_centre(r) for r in readings]), np.array([reach[r.kind] for r in readings])
    near: list[_Claim] = []
    far: list[_Claim] = []
    for claim in claims:
        apart = np.linalg.norm(centres - claim.centre, axis=1)
        (near if (apart < reaches + reach[claim.reading.kind]).any() else far).append(claim)
    return near, far


def _under(look: Look, claims: Sequence[_Claim], kinds: Mapping[PieceKind, Prepared], known: Raster) -> list[_Claim]:
    """Those of which enough shows beside what is known, told by that alone."""
    kept: list[_Claim] = []
    again: list[Reading] = []
    for claim in claims:
        reading = _seen_beside(claim.reading, known)
        if reading.visible < LEAST_SEEN:
            continue
        if share(reading.taken) - claim.fitted > COVERED and reading.own_light is None:
            again.append(reading)
        else:
            kept.append(replace(claim, reading=reading))
    for kind, prepared in kinds.items():
        for found in check_uncovered(look, kind, prepared, [reading for reading in again if reading.kind is kind]):
            reading = _seen_beside(found, known)
            if reading.visible >= LEAST_SEEN:
                kept.append(_claim(reading, share(reading.taken)))
    return kept


def _seen_beside(reading: Reading, known: Raster) -> Reading:
    return taken_from(reading, known.taken(place(reading.prepared.full.points, reading.pose)))


def _claim(reading: Reading, fitted: float) -> _Claim:
    return _Claim(reading, fitted, _centre(reading))


def _centre(reading: Reading) -> Array:
    return np.asarray(place(reading.prepared.faces.shape.centre[None], reading.pose)[0])
