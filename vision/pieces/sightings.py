"""Readings as the rest of the program wants them: where pieces truly lie, and how likely their faces are."""

import numpy as np

from vision.mat.registration import Registration
from vision.pieces.faces import BACKS, true_pose
from vision.pieces.prepared import Prepared
from vision.pieces.reading import LEAD_SCALE, STRONG_LEAD, Reading
from vision.pieces.verify import Floats
from vision.scene import FaceLikelihood, Pose, Sighting
from vision.shapes import as_points, place

EVIDENCE = 0.08
"""How much of a cell's cost counts as independent evidence."""
UNTRUSTED = 0.9
"""What fits badly and leads by little is never said to be sure."""
MOST_OF_LIKES = 0.85
"""Nor is one of faces that are alike where they are not told apart."""
SURE_VISIBLE = 0.58
"""Below this visible share no face is said to be sure: such as overlap by two fifths are. On simulated tables, hands
among them, all of 866 pieces that showed by 0.4 to 0.64 were what they were said to be."""

CEILING = (
    (0.0, 0.0), (0.3, 0.45), (SURE_VISIBLE, 0.895), (0.6, 0.92), (0.67, 0.97), (0.8, 0.995), (0.9, 0.999), (1.0, 0.9999)
)  # fmt: skip
"""Visible share, and the most likely that any face may be then."""


def sighting(reading: Reading, prepared: Prepared, registration: Registration) -> Sighting:
    """One reading as a sighting."""
    faces = prepared.faces
    pose = true_pose(reading.pose, faces.shape, registration)
    name = faces.names[reading.face]
    return Sighting(
        kind=reading.kind,
        pose=Pose(round(float(pose[0]), 2), round(float(pose[1]), 2), round(float(pose[2] % 360.0), 2)),
        faces=likelihoods(reading, prepared),
        face_up=name != BACKS[reading.kind],
        visible=round(reading.visible, 3),
        outline_mm=as_points(place(faces.shape.outline, pose)),
    )


def likelihoods(reading: Reading, prepared: Prepared) -> tuple[FaceLikelihood, ...]:
    """How likely each face is: by how much worse the others fit, and by how much of the piece is seen at all."""
    free = ~(reading.taken | reading.hidden)
    costs = reading.costs[:, free].sum(1)
    best = reading.candidates == reading.face
    weights = np.exp(-EVIDENCE * np.maximum(costs - costs[best].min(), 0.0))
    shares = weights / weights.sum() * ceiling(reading.visible) * reading.quality
    told = reading.quality_of_likes - reading.quality
    if told > 0.0:
        shares += _among_likes(reading, costs / max(np.count_nonzero(free), 1), shares[best].max(), told)
    if reading.fits_badly or (not reading.trusted and reading.lead < STRONG_LEAD):
        shares *= UNTRUSTED  # a print of the mat's colour may look like that much of a piece by chance
    order = np.argsort(-shares - best, kind="stable")
    names = prepared.faces.names
    ranked = [FaceLikelihood(names[reading.candidates[i]], round(float(shares[i]), 4)) for i in order]
    if reading.formerly is not None:
        ranked = _shared(ranked, names[reading.formerly])
    return (ranked[0], *(face for face in ranked[1:] if face.probability >= 0.001))


def _among_likes(reading: Reading, costs: Floats, own: float, told: float) -> Floats:
    """How likely each candidate is besides (`own`: what the found one has), where it is `told` so far that one of those
    that are alike lies there, but not which: no more than that the found one stays in doubt."""
    by_cost = np.where(reading.likes, np.exp((costs.min() - costs) / LEAD_SCALE), 0.0)
    more = by_cost / by_cost.sum() * ceiling(reading.visible) * told
    found = reading.candidates == reading.face
    more[found] = np.minimum(more[found], max(MOST_OF_LIKES - own, 0.0))
    return np.asarray(more, np.float32)


def _shared(ranked: list[FaceLikelihood], other: str) -> list[FaceLikelihood]:
    """The likeliest face and another are as likely as each other."""
    first, *rest = (face for face in ranked if face.face != other)
    both = round((first.probability + sum(face.probability for face in ranked if face.face == other)) / 2, 4)
    return [FaceLikelihood(first.face, both), FaceLikelihood(other, both), *rest]


def ceiling(visible: float) -> float:
    """The most likely that any face may be, of a piece of which this share is seen."""
    shares, most = zip(*CEILING, strict=True)
    return float(np.interp(visible, shares, most))
