"""Does a face lie at a pose: lattice cells compared one by one, so that a part that is covered counts neither way."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.faces import KindFaces
from vision.features import Colours, sample_colours
from vision.frame import Image
from vision.rectify import TableMap
from vision.shapes import place

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

FLAT_NOISE = 0.055
"""How far an even surface's colour (logarithm) strays from its enrolled one."""
PLACE_NOISE_MM = 0.5
"""How far details stray from where they were enrolled: pose, blur, bleed."""
AGREES_BELOW = 6.0
"""A cell agrees when the mean square of its misses (in noises) over itself and its neighbours is below this."""
COST_LIMIT = 12.0
"""A cell costs no face more than this."""
RIVALS = 6
CONTRAST_CHANGE = (-0.35, 0.5)
"""How much flatter or harder than enrolled a face may look; flatter still would be any even surface."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A kind's faces, with what comparing needs worked out once."""

    faces: KindFaces
    precision: Floats
    """faces x lattice: one over the squared noise, summed over channels."""
    basis: Floats
    """lattice x 3: 1, x, y scaled to about 1, for light that changes across a piece."""
    unit: Floats
    """faces x (lattice * 3): weighted, centred, of length 1, for a first ranking."""
    weights: Floats
    """lattice x 1, for the first ranking."""


@dataclass(frozen=True, slots=True)
class Look:
    """A picture of the table made ready for comparing."""

    soft: Image
    table: TableMap
    gain: Floats

    def colours(self, points_mm: Array) -> Colours:
        """Colours at table points (... x 2 gives ... x 3)."""
        return sample_colours(self.soft, self.table, self.gain, points_mm)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How some faces fit at some poses. n poses, k faces each."""

    candidates: Indices
    """n x k."""
    misses: Floats
    """n x k x lattice: squared misses in noises, per channel on average."""
    agrees: Flags
    """n x k x lattice."""
    plain: Floats
    """n x lattice: the same misses for an even surface in place of a piece."""


def prepare(faces: KindFaces) -> Prepared:
    """Work out what comparing with a kind's faces needs."""
    blur = (faces.slopes**2).sum(1).mean(-1) * np.float32(PLACE_NOISE_MM**2 / 2)
    precision = (1.0 / (FLAT_NOISE**2 + blur)).astype(np.float32)
    scaled = (faces.shape.lattice - faces.shape.lattice.mean(0)) / 40.0
    basis = np.column_stack([np.ones(len(scaled)), scaled]).astype(np.float32)
    weights = np.ones((len(scaled), 1), np.float32)
    return Prepared(faces, precision, basis, _unit(faces.colours, weights), weights)


def rank_faces(colours: Colours, prepared: Prepared) -> Floats:
    """Correlation of each pose's colours (n x lattice x 3) with each face: n x faces."""
    return np.asarray(_unit(colours, prepared.weights) @ prepared.unit.T)


def judge(colours: Colours, candidates: Indices, prepared: Prepared) -> Verdict:
    """Compare each pose's colours (n x lattice x 3) with its candidate faces (n x k), light taken out."""
    faces = prepared.faces
    enrolled = faces.colours[candidates]
    precision = prepared.precision[candidates]
    misses = _misses(colours, enrolled, precision, prepared.basis)
    near = np.minimum(misses, COST_LIMIT)[..., faces.shape.neighbours].mean(-1)
    first = np.minimum(misses, COST_LIMIT).mean(-1).argmin(1)
    rows = np.arange(len(first))
    even = np.zeros_like(enrolled[:, :1])
    plain = _misses(colours, even, precision[rows, first][:, None], prepared.basis)[:, 0]
    return Verdict(candidates, misses, near < AGREES_BELOW, plain)


def refine(look: Look, poses: Array, chosen: Indices, prepared: Prepared, *, rounds: int = 2
) -> tuple[Array, Colours]:
    """Poses (n x 3) moved to where their faces (n) fit best, and the colours there."""
    faces = prepared.faces
    lattice, centre = faces.shape.lattice, faces.shape.centre
    enrolled, slopes = faces.colours[chosen], faces.slopes[chosen]
    precision = prepared.precision[chosen]
    spin = np.column_stack([-(lattice[:, 1] - centre[1]), lattice[:, 0] - centre[0]]).astype(np.float32) / 50.0
    poses = poses.copy()
    colours = look.colours(place(lattice, poses))
    for _ in range(rounds):
        residual, weight = _light_removed(colours, enrolled, precision, prepared.basis)
        weight = weight / (1.0 + weight * (residual**2).mean(-1)) ** 2
        gradient = np.stack(
            [slopes[:, 0], slopes[:, 1], slopes[:, 0] * spin[:, :1] + slopes[:, 1] * spin[:, 1:]], axis=-1
        )
        weighted = gradient * weight[..., None, None]
        normal = np.einsum("nmci,nmcj->nij", weighted, gradient) + np.eye(3, dtype=np.float32) * 20.0
        step = np.linalg.solve(normal, np.einsum("nmci,nmc->ni", weighted, residual)[..., None])[..., 0]
        step = np.clip(step, -2.5, 2.5)
        poses = _moved(poses, -step[:, :2], -np.degrees(step[:, 2] / 50.0), centre)
        colours = look.colours(place(lattice, poses))
    return poses, colours


def _unit(colours: Colours, weights: Floats) -> Floats:
    centred = (colours - colours.mean(axis=1, keepdims=True)) * weights
    flat = np.clip(centred, -1.2, 1.2).reshape(len(colours), -1)
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6), np.float32)


def _misses(colours: Colours, enrolled: Colours, precision: Floats, basis: Floats) -> Floats:
    n, k, m, _ = enrolled.shape
    residual, weight = _light_removed(
        np.broadcast_to(colours[:, None], enrolled.shape).reshape(n * k, m, 3),
        enrolled.reshape(n * k, m, 3),
        precision.reshape(n * k, m),
        basis,
    )
    return np.asarray((residual**2).mean(-1) * weight, np.float32).reshape(n, k, m)


def _light_removed(
    colours: Colours, enrolled: Colours, precision: Floats, basis: Floats
) -> tuple[Colours, Floats]:
    """What is left of the colours after the face, seen in the light that fits most cells best, is taken away.

    The light is a contrast, an offset and a slope for each channel, kept near none by a prior.
    """
    plain = colours - enrolled
    plain = plain - np.median(plain, axis=1, keepdims=True)
    middle = enrolled - enrolled.mean(axis=1, keepdims=True)
    weight = precision / (1.0 + precision * (plain**2).mean(-1) / 4.0) ** 2
    prior = np.diag(np.array([400.0, 1.0, 150.0, 150.0], np.float32))
    residual = plain
    for _ in range(2):
        columns = np.concatenate(
            [middle.transpose(0, 2, 1)[..., None], np.broadcast_to(basis, (len(plain), 3, *basis.shape))], axis=-1
        )
        weighted = columns * weight[:, None, :, None]
        normal = np.swapaxes(weighted, -1, -2) @ columns + prior
        right = np.swapaxes(weighted, -1, -2) @ plain.transpose(0, 2, 1)[..., None]
        light = np.linalg.solve(normal, right)
        light[:, :, 0] = np.clip(light[:, :, 0], *CONTRAST_CHANGE)
        residual = plain - (columns @ light)[..., 0].transpose(0, 2, 1)
        weight = precision / (1.0 + precision * (residual**2).mean(-1) / 4.0) ** 2
    return residual, precision


def _moved(poses: Array, shift: Array, turn_deg: Array, centre: Array) -> Array:
    """Poses after a motion given in each piece's own frame about its centre."""
    old_centres = place(centre[None], poses)[:, 0]
    angles = np.radians(poses[:, 2])
    cosine, sine = np.cos(angles), np.sin(angles)
    moved = old_centres + np.column_stack(
        [cosine * shift[:, 0] - sine * shift[:, 1], sine * shift[:, 0] + cosine * shift[:, 1]]
    )
    turned = np.column_stack([np.zeros_like(moved), poses[:, 2] + turn_deg])
    return np.column_stack([moved - place(centre[None], turned)[:, 0], turned[:, 2]])
