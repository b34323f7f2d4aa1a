"""The lens, from more than the mat's corners: pieces are as large at the picture's edge as in its middle."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.mat.lens import LENS_SPREAD, LENS_STEP, Lens, bent_lenses
from vision.mat.registration import Registration, with_lens
from vision.pieces.prepared import Prepared
from vision.pieces.reading import Reading
from vision.pieces.verify import Look, shape_misfit
from vision.scene import PieceKind
from vision.shapes import angle_between, place

Array = NDArray[np.float64]

LEAST_PIECES = 4
CELL_EVIDENCE = 0.4
"""How much of a cell counts as independent evidence."""


def lens_by_pieces(
    look: Look,
    readings: Sequence[Reading],
    kinds: Mapping[PieceKind, Prepared],
    registration: Registration,
    by_markers: Lens,
) -> Lens:
    """The lens that makes the pieces found look as they were enrolled, wherever they lie.

    `by_markers` is what the markers alone say; it decides as far as the pieces leave it open.
    """
    sure = [r for r in readings if r.quality > 0.8 and r.visible > 0.6 and r.own_light is None]
    if len(sure) < LEAST_PIECES:
        return registration.lens
    normal = np.diag(1.0 / np.square(LENS_SPREAD))
    off = np.array([by_markers.k1 - registration.lens.k1, by_markers.k2 - registration.lens.k2])
    right = off / np.square(LENS_SPREAD)
    bent = [with_lens(registration, lens) for lens in bent_lenses(registration.lens)]
    for kind, prepared in kinds.items():
        mine = [r for r in sure if r.kind is kind]
        if not mine:
            continue
        poses = np.array([r.pose for r in mine])
        points = place(prepared.sparse.points, poses)
        pixels = registration.to_picture(points.reshape(-1, 2))
        moves = [(other.to_table(pixels).reshape(points.shape) - points) / LENS_STEP for other in bent]
        own_moves = np.stack([_turned(move, poses[:, 2]) for move in moves], axis=1)
        faces = np.array([r.face for r in mine], np.intp)
        piece_normal, piece_right = shape_misfit(
            look, poses, faces, prepared.sparse, prepared.faces.shape.centre, own_moves
        )
        normal += piece_normal * CELL_EVIDENCE
        right += piece_right * CELL_EVIDENCE
    step = np.clip(np.linalg.solve(normal, right), -0.06, 0.06)
    lens = registration.lens
    return replace(lens, k1=float(lens.k1 + step[0]), k2=float(lens.k2 + step[1]))


def carried_over(pose: Array, shape_centre: Array, old: Registration, new: Registration) -> Array:
    """A pose (as seen at z = 0) of the same pixels under another registration."""
    ahead = shape_centre + np.array([20.0, 0.0])
    before = place(np.stack([shape_centre, ahead]), pose)
    after = new.to_table(old.to_picture(before))
    turn_before = np.degrees(np.arctan2(*(before[1] - before[0])[::-1]))
    turn_after = np.degrees(np.arctan2(*(after[1] - after[0])[::-1]))
    angle = pose[2] + float(angle_between(turn_after, turn_before))
    tip = after[0] - place(shape_centre[None], np.array([0.0, 0.0, angle]))[0]
    return np.array([*tip, angle])


def largest_move_mm(old: Registration, new: Registration) -> float:
    """How far two registrations differ at the picture's sides."""
    width, height = old.size_px
    sides = np.array([[0, height / 2], [width - 1, height / 2], [width / 2, 0], [width / 2, height - 1]])
    return float(np.linalg.norm(old.to_table(sides) - new.to_table(sides), axis=1).max())


def _turned(moves: Array, angles_deg: Array) -> Array:
    """Table vectors (n x m x 2) in the pieces' own frames."""
    turn = np.radians(angles_deg)[:, None]
    cosine, sine = np.cos(turn), np.sin(turn)
    x, y = moves[..., 0], moves[..., 1]
    return np.stack([cosine * x + sine * y, cosine * y - sine * x], axis=-1)
