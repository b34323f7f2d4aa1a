"""Pieces over which light lies, or an edge of shade: keypoints lead to them, but colours do not fit as they are."""

from collections.abc import Mapping, Sequence

import numpy as np

from vision.pieces.checking import check, check_in_own_light, veils_of
from vision.pieces.mirrored import is_told, mirroring_there
from vision.pieces.prepared import Prepared
from vision.pieces.raster import Raster, explained, unexplained
from vision.pieces.reading import NO_VEIL, OwnLight, Reading
from vision.pieces.search import Guesses
from vision.pieces.verify import Floats, Look
from vision.scene import PieceKind
from vision.shapes import place

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
"""So many votes for a piece that is not found are worth a look at it in light of its own, as behind a veil."""


def behind_veils(
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
        chosen = chosen[unexplained(some.poses[chosen], prepared, so_far)]
        doubtful = [r for r in new if r.kind is kind and r.whole and not r.in_plain_light and r.veil == NO_VEIL]
        poses = np.concatenate([some.poses[chosen], np.array([r.pose for r in doubtful]).reshape(-1, 3)])
        faces = np.concatenate([some.faces[chosen], np.array([r.face for r in doubtful], np.intp)])
        if not len(poses):
            continue
        veils = _even(np.repeat(VEILS, len(poses)))
        veiled += check(look, kind, prepared, np.tile(poses, (len(VEILS), 1)), np.tile(faces, len(VEILS)), veils)
    for kind, prepared in kinds.items():
        some = guesses[kind]
        left = unexplained(some.poses, prepared, so_far)
        veiled += mirroring_there(look, kind, prepared, some.poses[left], some.faces[left])
    veiled = [reading for reading in veiled if _shows_behind_veil(reading) or is_told(reading)]
    return [*veiled, *_beside_veiled(look, guesses, [*veiled, *(r for r in found if r.veil != NO_VEIL)], kinds, so_far)]


def in_own_light(
    own_light: OwnLight,
    look: Look,
    guesses: Mapping[PieceKind, Guesses],
    new: Sequence[Reading],
    found: Sequence[Reading],
    kinds: Mapping[PieceKind, Prepared],
    so_far: Raster,
) -> list[Reading]:
    """Pieces on which an edge of shade lies, or stripes of it, or that mirror a lamp in part: keypoints lead to them,
    but colours do not fit until the light is the same all over. So are the `new` pieces tried that are seen in part, or
    badly; and where there is such light, all guesses that are left, as its edges take keypoints away."""
    lit: list[Reading] = []
    for kind, prepared in kinds.items():
        doubtful = [r for r in new if r.kind is kind and not r.in_plain_light and r.own_light is None]
        poses, faces = (
            np.array([r.pose for r in doubtful]).reshape(-1, 3),
            np.array([r.face for r in doubtful], np.intp),
        )
        lit += check_in_own_light(own_light, look, kind, prepared, poses, faces)
    for least, below in ((SHADED_VOTES, np.inf), (0.0, SHADED_VOTES)):
        if not lit and not least and not any(r.own_light is own_light for r in found):
            break
        so_far = explained(lit, kinds, so_far.copy())
        for kind, prepared in kinds.items():
            some = guesses[kind]
            chosen = np.flatnonzero((some.votes >= least) & (some.votes < below))
            chosen = chosen[unexplained(some.poses[chosen], prepared, so_far)]
            lit += check_in_own_light(own_light, look, kind, prepared, some.poses[chosen], some.faces[chosen])
    return lit


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
        chosen = chosen[unexplained(some.poses[chosen], prepared, so_far)]
        about = levels[away[chosen].argmin(axis=1), 0] + VEIL_CHANGES[:, None]
        tried = check(
            look,
            kind,
            prepared,
            np.tile(some.poses[chosen], (len(VEIL_CHANGES), 1)),
            np.tile(some.faces[chosen], len(VEIL_CHANGES)),
            _even(about.ravel()),
        )
        found += [reading for reading in tried if _shows_behind_veil(reading)]
    return found


def _even(levels: Floats) -> Floats:
    """Veils as dense all over pieces (n x 4, see `verify.veiled`)."""
    return np.pad(levels[:, None], ((0, 0), (0, 3)))


def _shows_behind_veil(reading: Reading) -> bool:
    """Whether it fits as well as it may be asked of one that was given a try more than others."""
    return reading.settled and (reading.cost < VEILED_COST or reading.margin >= VEILED_MARGIN * reading.cost)
