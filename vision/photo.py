"""Reading one picture by itself."""

from time import perf_counter

import numpy as np

from vision.faces import BACKS, FacePack, true_pose
from vision.features import find_keypoints, light_gain, soften
from vision.frame import Image
from vision.readings import Reading, find_pieces
from vision.rectify import table_map
from vision.registration import Lens, Registration, find_mat
from vision.scene import FaceLikelihood, PieceKind, Pose, Scene, Sighting
from vision.shapes import as_points, place
from vision.verify import Look, Prepared, prepare

EVIDENCE = 0.08
"""How much of a cell's cost counts as independent evidence."""
SURE_VISIBLE = 0.62
"""Below this visible share no face is said to be sure."""


def read_photo(image: Image, pack: FacePack, *, time_s: float = 0.0, lens: Lens | None = None) -> Scene:
    """Read one picture by itself.

    Raises:
        RegistrationError: the picture cannot be laid over the table.
    """
    clock = [perf_counter()]
    kinds = {kind: prepare(faces) for kind, faces in pack.kinds.items()}
    registration = find_mat(image, lens=lens)
    clock.append(perf_counter())
    table = table_map(registration)
    looked = table.look(image)
    look = Look(soften(looked), table, light_gain(looked, table, registration.markers_px))
    clock.append(perf_counter())
    keypoints = find_keypoints(looked, table)
    clock.append(perf_counter())
    readings = find_pieces(look, keypoints, kinds)
    clock.append(perf_counter())
    sightings = tuple(sighting(reading, kinds[reading.kind], registration) for reading in readings)
    names = ("register", "rectify", "keypoints", "pieces")
    stages = {name: (clock[i + 1] - clock[i]) * 1e3 for i, name in enumerate(names)}
    return Scene(time_s, 0, sightings, (), 0.0, 0.0, stages)


def sighting(reading: Reading, prepared: Prepared, registration: Registration) -> Sighting:
    """A reading as the rest of the program wants it: where it truly lies, and how likely its faces are."""
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
    costs = reading.costs[:, ~reading.taken].sum(1) if (~reading.taken).any() else reading.costs.sum(1)
    weights = np.exp(-EVIDENCE * (costs - costs.min()))
    known = ceiling(reading.visible)
    shares = weights / weights.sum() * known
    order = np.argsort(-shares)
    names = prepared.faces.names
    ranked = [FaceLikelihood(names[reading.candidates[i]], round(float(shares[i]), 4)) for i in order]
    return tuple(face for face in ranked if face.probability >= 0.001) or tuple(ranked[:1])


def ceiling(visible: float) -> float:
    """The most likely that any face may be, of a piece of which this share is seen."""
    return float(np.interp(visible, [0.0, 0.3, SURE_VISIBLE, SURE_VISIBLE + 0.03, 1.0], [0.0, 0.4, 0.88, 0.95, 0.9999]))
