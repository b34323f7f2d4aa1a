"""What lies at a guessed place: the face that fits best, its pose refined, in plain light, behind a veil, in shade."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.pieces.by_outline import ends_of_even
from vision.pieces.faces import CARDS
from vision.pieces.features import Colours
from vision.pieces.prepared import Prepared
from vision.pieces.reading import ALIKE, LEAST_AGREEING, LEAST_GAIN, NO_VEIL, OwnLight, Reading, share
from vision.pieces.shade import Shade, shade
from vision.pieces.sheen import Sheen, sheen
from vision.pieces.verify import Flags, Floats, Grid, Indices, Look, Verdict, judge, rank_faces, refine, veiled
from vision.scene import PieceKind
from vision.shapes import place, place_poses, to_own_frame

Array = NDArray[np.float64]

ROUNDS, CARD_ROUNDS = 2, 5
"""So often a pose is improved. Keypoints so near to each other as on a card leave its turn more open."""
OPEN_ROUNDS = 3
"""And so often where only what is open of it tells it."""
RIVALS = 6
FIRST_RIVALS, FIRST_TOLD, FIRST_ENDS = 3, 0.3, 0.4
"""At the first look so many faces are compared, and such a share of LEAST_GAIN is enough, or an even face that ends
along so much of its outline: where exactly it lies is looked for next."""
SHADED_AGREEING = 0.9
"""So much of a piece in shade agrees at the first look: of those on shared pictures that were right then 97 of 100, of
others one in twenty."""
SHADED_COST = 1.1
"""In shade a piece costs no more than that. On shared pictures right ones cost 0.2 to 1.1, others from 1.5 on."""
SHADED_PRINT, HALVES = 0.1, 16
"""And of what its print tells beside even ground this share must be told on whichever half of it: half of a face of few
details and the cloth beside it look like that face, one half of it lit. Of 763 right pieces in shadows' edges and
stripes, on shared pictures and simulated tables, none showed less than 0.27 on its worst half; two backs that were
thought to lie half on cloth showed less than none. So many halves are looked at, one turned from the next alike;"""
LEAST_OF_HALF = 0.15
"""those on which less than this share of a face's details lies tell nothing."""
LEAST_SHOWN = 0.5
"""What of a piece in shade is not cut off, of all channels. Light that differs from place to place explains almost any
piece by the rest: under a lamp that a held camera did not know, a pale card seemed to be a back by 0.36."""


def check(
    look: Look, kind: PieceKind, prepared: Prepared, poses: Array, hints: Indices, veils: Floats | None = None
) -> list[Reading]:
    """What is at each pose (n x 3), behind `veils` (n x 4, see `verify.veiled`): the face that fits best, with its pose
    refined; nothing where none fits."""
    sparse, centre = prepared.sparse, prepared.faces.shape.centre
    veils = np.zeros((len(poses), 4), np.float32) if veils is None else veils
    worth, faces = _first_look(look, prepared, poses, hints, veils)
    poses, veils = poses[worth], veils[worth]
    if not len(poses):
        return []
    rounds = CARD_ROUNDS if kind in CARDS else ROUNDS
    poses = refine(look, poses, faces, sparse, centre, rounds=rounds, veils=veils)
    poses = refine(look, poses, faces, prepared.full, centre, rounds=1, veils=veils)
    behind = veiled(veils, prepared.full)
    colours, brightest = look.colours(place(prepared.full.points, poses), behind), look.brightest(behind)
    candidates = _candidates(rank_faces(colours, prepared.full), faces, RIVALS)
    verdict = judge(colours, candidates, prepared.full, look.trust, brightest=brightest, least_agreeing=LEAST_AGREEING)
    readings = _as_readings(look, prepared, kind, poses, candidates, verdict, veils)
    return [_told_from_likes(look, reading) for reading in readings if share(reading.agrees) >= LEAST_AGREEING]


def check_in_own_light(
    own_light: OwnLight,
    look: Look,
    kind: PieceKind,
    prepared: Prepared,
    poses: Array,
    hints: Indices,
    free: Flags | None = None,
) -> list[Reading]:
    """What is at each pose (n x 3) if edges of shade lie across it, or it mirrors a lamp: `check` with each face in the
    light in which it would be seen so. Of what is not known to lie there, open as far as it is `free` (n x cells), only
    what fits as well as one that was given a try more than others must."""
    light_of = LIGHT_OF[own_light]
    if not len(poses):
        return []
    grid, centre = prepared.full, prepared.faces.shape.centre
    if free is None:
        worth = _first_look_in_own_light(light_of, look, prepared, poses, hints)
        poses, hints = poses[worth], hints[worth]
        if not len(poses):
            return []
    for _ in range(2):
        light = light_of(look.colours(place(grid.points, poses)), hints, grid, free)
        poses = refine(look, poses, hints, grid, centre, free=free, light=light)
    colours = look.colours(place(grid.points, poses))
    even = light_of(colours, hints, grid, free).taken_off(colours)
    candidates = _candidates(rank_faces(even, grid, free), hints, RIVALS)
    count = candidates.shape[1]
    seen, faces = np.repeat(colours, count, axis=0), candidates.reshape(-1)
    opened = None if free is None else np.repeat(free, count, axis=0)
    light = light_of(seen, faces, grid, opened)
    even, brightest = light.taken_off(seen), light.taken_off(look.brightest())
    verdict = judge(
        even, faces[:, None], grid, look.trust, free=opened, brightest=brightest, least_agreeing=LEAST_AGREEING
    )
    gain = light.told(verdict.gain, verdict.costs[:, 0])
    costs = verdict.costs.reshape(len(poses), count, -1)
    best = (costs if free is None else np.where(free[:, None], costs, np.float32(0.0))).mean(-1).argmin(1)
    rows = np.arange(len(poses)) * count + best
    verdict = Verdict(costs, verdict.agrees[rows], best, gain[rows])
    readings = _as_readings(look, prepared, kind, poses, candidates, verdict)
    told = _not_cut_off(look, colours, free) >= LEAST_SHOWN
    readings = [
        replace(reading, own_light=own_light)
        for reading, enough in zip(readings, told, strict=True)
        if enough and share(reading.agrees) >= LEAST_AGREEING
    ]
    return readings if free is not None else [r for r in readings if r.settled and _is_told_in_own_light(r)]


def _not_cut_off(look: Look, colours: Colours, free: Flags | None) -> Floats:
    """Which share of colours (n x 3 x cells), of the free cells (n x cells) if given, may not be brighter than the
    camera shows."""
    shown = (colours < look.brightest()).mean(1)
    return np.asarray(shown.mean(1) if free is None else (shown * free).sum(1) / np.maximum(free.sum(1), 1), np.float32)


def _is_told_in_own_light(reading: Reading) -> bool:
    """Whether light alone would not make what is seen of a piece."""
    if reading.cost >= SHADED_COST:
        return False
    turns = np.arange(HALVES) * 2 * np.pi / HALVES
    points = reading.prepared.full.points
    halves = np.stack([np.cos(turns), np.sin(turns)], axis=1) @ (points - points.mean(axis=0)).T > 0.0
    seen = (halves & reading.agrees).astype(np.float32)
    tells, told = seen @ reading.prepared.contrast[reading.face], seen @ reading.gain
    enough = tells > LEAST_OF_HALF * float(reading.prepared.contrast[reading.face].sum())
    return bool((told[enough] > SHADED_PRINT * tells[enough]).all())


LIGHT_OF: Mapping[OwnLight, Callable[[Colours, Indices, Grid, Flags | None], Shade | Sheen]] = {
    OwnLight.SHADE: shade,
    OwnLight.SHEEN: sheen,
}
"""What is taken off faces that are seen in colours on a grid, by its free cells if given."""


def check_again(
    look: Look, kind: PieceKind, prepared: Prepared, readings: Sequence[Reading], poses: Array
) -> list[Reading]:
    """What is at these poses, where such pieces of one kind were seen in such light."""
    in_light = {light: [i for i, r in enumerate(readings) if r.own_light is light] for light in (None, *OwnLight)}
    plain = in_light.pop(None)
    faces = np.array([reading.face for reading in readings], np.intp)
    found = check(look, kind, prepared, poses[plain], faces[plain], veils_of([readings[i] for i in plain]))
    for light, these in in_light.items():
        if light is not None and these:
            free = np.array([~readings[i].taken for i in these])
            found += check_in_own_light(light, look, kind, prepared, poses[these], faces[these], free)
    return found


def cost_there(look: Look, prepared: Prepared, face: int, reading: Reading) -> float:
    """What a face costs on average on what is open of a piece where it lies, in plain light."""
    colours = look.colours(place(prepared.full.points, reading.pose)[None])
    free = (~reading.taken & ~reading.hidden)[None]
    candidates = np.array([[face]], np.intp)
    verdict = judge(colours, candidates, prepared.full, look.trust, free=free, brightest=look.brightest())
    return float(verdict.costs[0, 0][free[0]].mean()) if free.any() else 0.0


def check_uncovered(look: Look, kind: PieceKind, prepared: Prepared, readings: Sequence[Reading]) -> list[Reading]:
    """Readings that others partly cover, fitted once more to what is seen of them alone."""
    if not readings:
        return []
    free = np.array([~reading.taken for reading in readings])
    faces = np.array([reading.face for reading in readings], np.intp)
    poses = np.array([reading.pose for reading in readings])
    return _check_open(look, kind, prepared, poses, faces, free, veils_of(readings))


def check_under(
    look: Look,
    kind: PieceKind,
    prepared: Prepared,
    poses: Array,
    hints: Indices,
    free: Flags,
    rounds: int = OPEN_ROUNDS,
) -> list[Reading]:
    """What is at each pose (n x 3) under pieces that are known already, of which only `free` cells (n x cells) show:
    the face that fits these best, with its pose refined in so many rounds; nothing where none fits."""
    if not len(poses):
        return []
    readings = _check_open(look, kind, prepared, poses, hints, free, rounds=rounds)
    agreeing = np.array([reading.agrees for reading in readings]) & free
    shares = agreeing.sum(1) / np.maximum(free.sum(1), 1)
    return [reading for reading, agrees in zip(readings, shares, strict=True) if agrees >= LEAST_AGREEING]


def _check_open(
    look: Look,
    kind: PieceKind,
    prepared: Prepared,
    poses: Array,
    faces: Indices,
    free: Flags,
    veils: Floats | None = None,
    rounds: int = OPEN_ROUNDS,
) -> list[Reading]:
    """Which face fits best on what is free of each pose, refined by that alone."""
    centre = prepared.faces.shape.centre
    poses = refine(look, poses, faces, prepared.full, centre, rounds=rounds, free=free, veils=veils)
    behind = veiled(veils, prepared.full)
    colours = look.colours(place(prepared.full.points, poses), behind)
    candidates = _candidates(rank_faces(colours, prepared.full, free), faces, RIVALS)
    told_by_print = kind is not PieceKind.SPECIAL  # what shows of a Special may be nothing but its even ground
    verdict = judge(
        colours,
        candidates,
        prepared.full,
        look.trust,
        free=free,
        brightest=look.brightest(behind),
        even_there=told_by_print,
    )
    readings = _as_readings(look, prepared, kind, poses, candidates, verdict, veils)
    return [_told_from_likes(look, reading, cells) for reading, cells in zip(readings, free, strict=True)]


def veils_of(readings: Sequence[Reading]) -> Floats:
    """The light over each that was taken off: n x 4."""
    return np.array([reading.veil for reading in readings], np.float32).reshape(-1, 4)


def _told_from_likes(look: Look, reading: Reading, free: Flags | None = None) -> Reading:
    """A piece seen plainly whose face is like others, as the one of them that fits best where each fits best itself, on
    the free cells if given: none is outlined to the millimetre when it is enrolled, and where one of them lies best
    another may fit better than the right one."""
    prepared, by_print = reading.prepared, free is not None and reading.kind is not PieceKind.SPECIAL
    free = np.ones_like(reading.agrees) if free is None else free
    faces = np.flatnonzero(prepared.apart[reading.face] < ALIKE)
    if len(faces) < 2 or not replace(reading, taken=~free).lies_there:
        return reading
    count = len(faces)
    poses = place_poses(prepared.beside[reading.face, faces], reading.pose)
    opened = np.repeat(free[None], count, axis=0)
    veils = np.repeat(veils_of([reading]), count, axis=0)
    grid, centre = prepared.full, prepared.faces.shape.centre
    poses = refine(look, poses, faces, grid, centre, rounds=OPEN_ROUNDS, free=opened, veils=veils)
    behind = veiled(veils, grid)
    colours = look.colours(place(grid.points, poses), behind)
    brightest = look.brightest(behind)
    verdict = judge(colours, faces[:, None], grid, look.trust, free=opened, brightest=brightest, even_there=by_print)
    on_it = prepared.faces.shape.cells_at(to_own_frame(place(grid.points, poses), reading.pose)) >= 0
    verdict = replace(verdict, costs=_of_shared(verdict.costs, on_it & opened))
    each = _as_readings(look, prepared, reading.kind, poses, faces[:, None], verdict, veils)
    best = min(each, key=lambda one: float(one.best[free].mean()))
    others = ~np.isin(reading.candidates, faces)
    return replace(
        best,
        candidates=np.concatenate([faces, reading.candidates[others]]),
        costs=np.concatenate([verdict.costs[:, 0], reading.costs[others]]),
    )


def _of_shared(costs: Floats, shared: Flags) -> Floats:
    """Costs (n x k x cells) where what lies beyond the shared cells (n x cells) costs as much as these do on average:
    what was outlined beside its place shows the table there."""
    count = np.maximum(np.count_nonzero(shared, axis=-1), 1)[:, None, None]
    usual = (costs * shared[:, None]).sum(-1, keepdims=True) / count
    return np.where(shared[:, None], costs, usual.astype(np.float32))


def _first_look(look: Look, prepared: Prepared, poses: Array, hints: Indices, veils: Floats) -> tuple[Indices, Indices]:
    """Which poses are worth a close look, and the face that fits each of them best so far."""
    if not len(poses):
        return np.zeros(0, np.intp), hints
    grid = prepared.sparse
    behind = veiled(veils, grid)
    colours = look.colours(place(grid.points, poses), behind)
    candidates = _candidates(rank_faces(colours, grid), hints, FIRST_RIVALS)
    least, brightest = 0.6 * LEAST_AGREEING, look.brightest(behind)
    verdict = judge(colours, candidates, grid, look.trust, brightest=brightest, least_agreeing=least)
    own = verdict.agrees
    gain = np.where(own, verdict.gain, 0.0).sum(1) / np.maximum(own.sum(1), 1)
    told = (gain > FIRST_TOLD * LEAST_GAIN) | (ends_of_even(look, prepared, poses, hints) > FIRST_ENDS)
    worth = np.flatnonzero((own.mean(1) > least) & told)
    return worth, candidates[worth, verdict.best[worth]]


def _first_look_in_own_light(
    light_of: Callable[[Colours, Indices, Grid, None], Shade | Sheen],
    look: Look,
    prepared: Prepared,
    poses: Array,
    hints: Indices,
) -> Indices:
    """Which poses are worth a close look in light of their own."""
    grid = prepared.sparse
    colours = look.colours(place(grid.points, poses))
    light = light_of(colours, hints, grid, None)
    even, brightest = light.taken_off(colours), light.taken_off(look.brightest())
    verdict = judge(even, hints[:, None], grid, look.trust, brightest=brightest, least_agreeing=SHADED_AGREEING)
    told = light.told(verdict.gain, verdict.costs[:, 0]).mean(1)
    return np.flatnonzero((verdict.agrees.mean(1) >= SHADED_AGREEING) & (told > FIRST_TOLD * LEAST_GAIN))


def _as_readings(
    look: Look,
    prepared: Prepared,
    kind: PieceKind,
    poses: Array,
    candidates: Indices,
    verdict: Verdict,
    veils: Floats | None = None,
) -> list[Reading]:
    """Readings of a verdict; cells outside the picture show nothing, whatever they were compared with."""
    nothing = np.zeros(verdict.agrees.shape[1], bool)
    shown = look.table.shows(place(prepared.full.points, poses))
    agrees = verdict.agrees & shown
    gain = np.where(shown, verdict.gain, np.float32(0.0))
    faces = candidates[np.arange(len(poses)), verdict.best]
    ended = ends_of_even(look, prepared, poses, faces)
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
            NO_VEIL if veils is None else tuple(veils[i].tolist()),
            float(ended[i]),
        )
        for i, pose in enumerate(poses)
    ]


def _candidates(ranks: Floats, hints: Indices, count: int) -> Indices:
    """For each pose the best ranked faces, the hinted one always among them."""
    count = min(count, ranks.shape[1])
    order = np.argsort(-ranks, axis=1)[:, :count].astype(np.intp)
    missing = ~(order == hints[:, None]).any(axis=1)
    order[missing, -1] = hints[missing]
    return order
