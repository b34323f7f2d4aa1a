"""Faces learned from photos of an owner's copy and what labels say that lies in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.learning import learn_board
from vision.files.label_kinds import LABEL_KINDS, LabelError
from vision.frame import Image
from vision.mat.errors import RegistrationError
from vision.mat.lens import Lens
from vision.mat.rectify import table_map
from vision.mat.registration import Registration, find_mat, lens_by_points, with_lens
from vision.mat.sharpness import BLUR_WIDTHS, TAKE_IT_AGAIN, marker_blur_px
from vision.pieces.faces import BACKS, FacePack, KindFaces, piece_height_mm, seen_pose
from vision.pieces.features import Keypoints, find_keypoints, light_gain, sample_colours, soften
from vision.pieces.laid_over import ROUNDS, strays
from vision.pieces.veil import unveiled
from vision.scene import PieceKind
from vision.shapes import Shape, card_shape, place, place_poses, polygon_area, slice_shape, to_own_frame

if TYPE_CHECKING:
    from vision.files.labels import FaceLabel

Array = NDArray[np.float64]

KEYPOINTS_PER_FACE = 160
NUDGE_MM = 0.8
TIP_TO_MIDDLE_MM = 65.0
"""From a slice's tip to the middle of its outline's points, about: of the sizes in which they are sold."""
LIKE_OTHERS = 1.2
"""By so much a piece may be larger or smaller than the middle one of its kind: those of our own copies and of shared
pictures differ by 1.2 % at most, by hand an outline is drawn less well."""
LEAST_OFF_MM = 60.0
"""No label's place is so far from its outline."""


class Blurred(RegistrationError):
    """A photo is too blurred to learn anything from it."""


def enrol(
    photos: Sequence[tuple[Image, Mapping[str, Any]]],
    *,
    source: Sequence[str],
    board_spaces: Sequence[str] = (),
    lens: Lens | None = None,
) -> FacePack:
    """Learn faces from pictures and what lies in each, as the truth files of rendered tables say it.

    `vision.files.labels` says what is used of each label. A piece that is face down teaches its kind's back. Where a
    face is shown more than once, the one seen best counts. Of pictures with a `board`, it and what lies on it are
    learned too: see `vision.board.learning`, also for `board_spaces`. `lens` is the pictures', calibrated; without it,
    it is guessed from where labels say that pieces are.

    Raises:
        LabelError: something is missing in a label or wrong, too little of a board shows, or nothing is labelled.
        RegistrationError: a picture, which is named, cannot be laid over the table.
    """
    from vision.files.labels import labels_to_learn  # see vision.files.label_kinds

    names = list(source) or [f"photo {i + 1}" for i in range(len(photos))]
    said = [labels_to_learn(labels, f"labels of {name}") for (_, labels), name in zip(photos, names, strict=True)]
    _check_names([(one.faces, name) for one, name in zip(said, names, strict=True)])
    shots = [
        _shot(image, [_label(face) for face in one.faces], name, lens)
        for (image, _), one, name in zip(photos, said, names, strict=True)
    ]
    kinds = _learn_kinds(shots)
    boards = [
        (image, one.board, name)
        for (image, _), one, name in zip(photos, said, names, strict=True)
        if one.board is not None
    ]
    board = learn_board(boards, board_spaces, lens) if boards else None
    if not kinds and board is None:
        expected = f"expected a named piece of kind {', '.join(LABEL_KINDS)}, or a board"
        raise LabelError(f"labels of {', '.join(names)}: there is nothing to learn; {expected}")
    return FacePack(kinds, tuple(names), board)


@dataclass(frozen=True, slots=True)
class _Label:
    kind: PieceKind
    face: str
    pose: Array
    outline_px: Array


def _check_names(faces: "Sequence[tuple[Sequence[FaceLabel], str]]") -> None:
    """Check that no two kinds of piece share a name."""
    kinds: dict[str, tuple[str, str]] = {}
    for labels, name in faces:
        for label in labels:
            kind, other = kinds.setdefault(label.face, (label.kind, name))
            if kind != label.kind:
                raise LabelError(
                    f"labels of {name}: the face {label.face!r} is of kind {label.kind}, in the labels of {other} of "
                    f"kind {kind}; expected one kind of piece for a name"
                )


def _label(label: "FaceLabel") -> _Label:
    kind = LABEL_KINDS[label.kind]
    pose = np.array([label.x_mm, label.y_mm, label.angle_deg])
    return _Label(kind, label.face if label.face_up else BACKS[kind], pose, np.array(label.outline_px, np.float64))


_Shot = tuple[Image, Registration, list[_Label], str]
"""A picture, where the table lies in it, what lies there, and the picture's name."""


def _shot(image: Image, labels: list[_Label], name: str, lens: Lens | None) -> _Shot:
    """Lay a picture over the table by its markers and, where no lens is given, by where its labels say that pieces
    are."""
    registration = find_named(image, name, lens)
    for label in labels:
        _check_place(label, registration, name)
    for kind in LABEL_KINDS.values() if lens is None else ():
        mine = [label for label in labels if label.kind is kind]
        if len(mine) < 4:
            continue
        for _ in range(2):
            own = [_own_outline(label, registration).mean(0) for label in mine]
            middle = np.median(own, axis=0)
            expected = [place(middle[None], _seen_pose_of_centre(label, registration))[0] for label in mine]
            seen = registration.to_picture([registration.to_table(label.outline_px).mean(0) for label in mine])
            registration = with_lens(registration, lens_by_points(registration, np.array(expected), seen))
    return image, registration, labels, name


def find_named(image: Image, name: str, lens: Lens | None = None) -> Registration:
    """`find_mat` for a photo that shows what is to be learned, by this lens, if one is given; errors name the photo.

    Raises:
        RegistrationError: it cannot be laid over the table.
        Blurred: it is too blurred to learn anything from it.
    """
    try:
        found = find_mat(image, lens=lens)
    except RegistrationError as error:
        raise type(error)(f"{name}: {error}") from error
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    blur, allowed = marker_blur_px(grey, list(found.markers_px.values())), BLUR_WIDTHS * grey.shape[1]
    if blur > allowed:
        raise Blurred(
            f"{name}: the picture is blurred: edges of the mat's markers by {blur:.1f} px; at most {allowed:.1f} px "
            f"will do: {TAKE_IT_AGAIN}"
        )
    return found


def _check_place(label: _Label, registration: Registration, name: str) -> None:
    """Check that a label's place and its outline are of one piece. Raises LabelError."""
    own = _own_outline(label, registration).mean(0)
    ahead = TIP_TO_MIDDLE_MM if label.kind is PieceKind.SLICE else 0.0
    off = float(np.hypot(own[0] - ahead, own[1]))
    if off > LEAST_OFF_MM:
        x, y = registration.to_table(label.outline_px).mean(0)
        raise LabelError(
            f"labels of {name}: {label.face} is at x_mm {label.pose[0]:g}, y_mm {label.pose[1]:g}, angle_deg "
            f"{label.pose[2]:g}, but by its outline_px around ({x:.0f}, {y:.0f}) mm, {off:.0f} mm from there; "
            "expected both of the same piece, a slice by its tip and towards its crust"
        )


def _own_outline(label: _Label, registration: Registration) -> Array:
    return to_own_frame(registration.to_table(label.outline_px), _seen_pose_of_centre(label, registration))


def _learn_kinds(shots: Sequence[_Shot]) -> dict[PieceKind, KindFaces]:
    """The faces of every kind that is labelled; each picture is looked at once, and once more where outlines of faces
    that are alike turn out to lie beside each other's."""
    labelled = {label.kind for _, _, labels, _ in shots for label in labels}
    shapes = {kind: _measure(kind, shots) for kind in LABEL_KINDS.values() if kind in labelled}
    learned = _learned(shots, shapes)
    for _ in range(ROUNDS):
        moved = [*shots]
        for kind, faces in learned.items():
            kind_faces = _assemble(shapes[kind], faces)
            used = [faces[name].where for name in kind_faces.names]
            for (shot, label), stray in zip(used, strays(kind_faces), strict=True):
                if np.any(stray):
                    moved[shot] = _with_moved(moved[shot], label, stray)
        if all(one is other for one, other in zip(moved, shots, strict=True)):
            break
        shots, learned = moved, _learned(moved, shapes)
    return {kind: _assemble(shapes[kind], faces) for kind, faces in learned.items()}


def _with_moved(shot: _Shot, label: int, own_move: Array) -> _Shot:
    """A picture whose label says that its piece lies elsewhere, by a pose in the piece's own frame."""
    image, registration, labels, name = shot
    there = [*labels]
    there[label] = replace(there[label], pose=place_poses(own_move[None], there[label].pose)[0])
    return image, registration, there, name


@dataclass(frozen=True, slots=True)
class _Learned:
    """A face as one of the labels shows it."""

    samples: NDArray[np.float32]
    keypoints: Keypoints
    sharpness: float
    where: tuple[int, int]
    """In which picture, and which of its labels it is."""


def _learned(shots: Sequence[_Shot], shapes: Mapping[PieceKind, Shape]) -> dict[PieceKind, dict[str, _Learned]]:
    """Of each kind the faces by name, as they are seen best."""
    learned: dict[PieceKind, dict[str, _Learned]] = {kind: {} for kind in shapes}
    for number, (image, registration, labels, _) in enumerate(shots):
        if not labels:
            continue
        table = table_map(registration)
        looked = table.look(unveiled(image, registration))
        soft, found = soften(looked), find_keypoints(looked, table, most=20000)
        gain = light_gain(looked, table, registration.markers_mm)
        sharpness = float(registration.size_px[0]) / registration.camera_mm[2]
        for i, label in enumerate(labels):
            shape, faces = shapes[label.kind], learned[label.kind]
            pose = seen_pose(label.pose, shape, registration)
            if label.face not in faces or faces[label.face].sharpness < sharpness:
                nudged = np.stack([shape.lattice + step for step in _NUDGES])
                points = np.stack([place(points, pose) for points in nudged])
                colours = sample_colours(soft, table, gain, points)
                own = _own_keypoints(found, shape, pose)
                faces[label.face] = _Learned(colours, own, sharpness, (number, i))
    return learned


_NUDGES = np.array([[0.0, 0.0], [NUDGE_MM, 0.0], [-NUDGE_MM, 0.0], [0.0, NUDGE_MM], [0.0, -NUDGE_MM]])


def _assemble(shape: Shape, faces: Mapping[str, _Learned]) -> KindFaces:
    names = tuple(sorted(faces))
    samples = np.stack([faces[name].samples for name in names])
    keypoints = [faces[name].keypoints for name in names]
    ahead = np.stack([samples[:, 1] - samples[:, 2], samples[:, 3] - samples[:, 4]], axis=1)
    slopes = np.asarray(ahead / (2 * NUDGE_MM), np.float32)
    joined = Keypoints(
        np.concatenate([k.points_mm for k in keypoints]),
        np.concatenate([k.angles_deg for k in keypoints]),
        np.concatenate([k.descriptors for k in keypoints]),
        np.concatenate([k.strength for k in keypoints]),
    )
    owners = np.repeat(np.arange(len(names)), [len(k) for k in keypoints])
    colours = samples[:, 0]
    return KindFaces(shape, names, colours, slopes, joined, owners)


def _own_keypoints(found: Keypoints, shape: Shape, pose: Array) -> Keypoints:
    near = np.linalg.norm(found.points_mm - place(shape.centre[None], pose)[0], axis=1) < shape.reach_mm
    near_points = found.pick(near)
    own = to_own_frame(near_points.points_mm, pose)
    inside = np.flatnonzero(_distance_inside(own, shape) > 2.5)
    strongest = inside[np.argsort(-near_points.strength[inside])[:KEYPOINTS_PER_FACE]]
    return Keypoints(
        own[strongest],
        (near_points.angles_deg[strongest] - pose[2]) % 360.0,
        near_points.descriptors[strongest],
        near_points.strength[strongest],
    )


def _distance_inside(points: Array, shape: Shape) -> Array:
    """Distance to the nearest side of a convex outline, positive inside."""
    start, end = shape.outline, np.roll(shape.outline, -1, axis=0)
    side = (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True)
    normal = np.column_stack([-side[:, 1], side[:, 0]])
    return np.asarray(((points[:, None] - start) * normal).sum(-1).min(1))


def _measure(kind: PieceKind, shots: Sequence[_Shot]) -> Shape:
    """The shape of a kind, from all its outlines. Raises LabelError where one is of another size or turned wrongly."""
    labels = [(label, registration, name) for _, registration, labels, name in shots for label in labels]
    mine = [
        (label, name, _own_outline(label, registration)) for label, registration, name in labels if label.kind is kind
    ]
    sizes = np.array([_size_of(kind, outline) for _, _, outline in mine])
    usual = np.median(sizes, axis=0)
    areas = np.array([abs(polygon_area(outline)) for _, _, outline in mine])
    filled = np.maximum(areas, 1.0) / np.maximum(sizes.prod(axis=1), 1.0)
    off = np.abs(np.log(np.column_stack([np.maximum(sizes, 1.0) / usual, filled / np.median(filled)]))).max(axis=1)
    if off.max() > np.log(LIKE_OTHERS):
        worst = int(off.argmax())
        label, name, _ = mine[worst]
        of_it, of_others = (
            f"{a:.0f} x {b:.0f} mm" for a, b in (sizes[worst], np.median(np.delete(sizes, worst, 0), 0))
        )
        raise LabelError(
            f"labels of {name}: {label.face} is {of_it} large as it is turned, others of its kind, {kind.words}, are "
            f"{of_others}, or of another shape; expected the piece's own kind, angle_deg and outline_px"
        )
    first, second = (float(side) for side in usual)
    if kind is PieceKind.SLICE:
        return slice_shape(first, float(np.degrees(2 * np.median(areas) / first**2)))
    return card_shape(kind, second, first)


def _size_of(kind: PieceKind, outline: Array) -> tuple[float, float]:
    """How far an outline reaches along its direction, a slice from its tip, and across."""
    along, across = np.ptp(outline, axis=0)
    return float(np.linalg.norm(outline, axis=1).max() if kind is PieceKind.SLICE else along), float(across)


def _seen_pose_of_centre(label: _Label, registration: Registration) -> Array:
    """A label's pose as seen, before the shape is known."""
    height = piece_height_mm(label.pose[0], label.pose[1], label.kind)
    return np.append(registration.seen_from_table(label.pose[:2], height)[0], label.pose[2])
