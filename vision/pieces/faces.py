"""Enrolled faces: what each piece of an owner's copy looks like, learned from labelled pictures."""

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.learning import learn_board
from vision.board.record import BoardPrint, BoardRecordError, arrays_of, board_from, header_of
from vision.files.label_kinds import LABEL_KINDS, LabelError
from vision.files.whole_files import write_whole
from vision.frame import Image
from vision.mat.errors import RegistrationError, VisionError
from vision.mat.lens import Lens
from vision.mat.markers import MAT_HALF_MM as MAT_HALF_MM
from vision.mat.markers import MAT_MM as MAT_MM
from vision.mat.rectify import table_map
from vision.mat.registration import Registration, find_mat, lens_by_points, with_lens
from vision.mat.sharpness import BLUR_WIDTHS, TAKE_IT_AGAIN, marker_blur_px
from vision.pieces.features import Keypoints, find_keypoints, light_gain, sample_colours, soften
from vision.pieces.veil import unveiled
from vision.scene import PieceKind
from vision.shapes import Shape, card_shape, place, polygon_area, slice_shape, to_own_frame

if TYPE_CHECKING:
    from vision.files.labels import FaceLabel

Array = NDArray[np.float64]

BACKS: dict[PieceKind, str] = {
    PieceKind.SLICE: "back",
    PieceKind.SPECIAL: "special/back",
    PieceKind.SLICE_CARD: "slice/back",
    PieceKind.ORDER_CARD: "order/back",
}
CARDS = frozenset({PieceKind.SLICE_CARD, PieceKind.ORDER_CARD})
"""What is as thin as card."""
TILE_MM = 2.0
"""How thick a slice or a Special is."""
CARD_MM = 0.35
"""How thick a card is."""

PACK_FORMAT = "pizzatable faces"
PACK_VERSION = 1
KEYPOINTS_PER_FACE = 160
NUDGE_MM = 0.8
MOST_BYTES = 200_000_000
"""No array of a pack is so large: the largest, of 70 slices' slopes, has 3 000 000."""


_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    NotImplementedError,
    RuntimeError,
    MemoryError,
)
"""What reading an archive with any bytes in it can raise."""


TIP_TO_MIDDLE_MM = 65.0
"""From a slice's tip to the middle of its outline's points, about: of the sizes in which they are sold."""
LIKE_OTHERS = 1.2
"""By so much a piece may be larger or smaller than the middle one of its kind: those of our own copies and of shared
pictures differ by 1.2 % at most, by hand an outline is drawn less well."""
LEAST_OFF_MM = 60.0
"""No label's place is so far from its outline."""


class Blurred(RegistrationError):
    """A photo is too blurred to learn anything from it."""


class FacePackError(VisionError, ValueError):
    """A file of faces cannot be used."""


@dataclass(frozen=True, slots=True)
class KindFaces:
    """All enrolled faces of one kind of piece. Arrays run over faces first."""

    shape: Shape
    names: tuple[str, ...]
    colours: NDArray[np.float32]
    """faces x lattice x 3, logarithms."""
    slopes: NDArray[np.float32]
    """faces x 2 x lattice x 3: change of the colours per millimetre along x and y of the piece."""
    keypoints: Keypoints
    """In the pieces' own frames."""
    owners: NDArray[np.intp]
    """Which face each keypoint belongs to."""


@dataclass(frozen=True, slots=True, eq=False)
class FacePack:
    """An owner's copy of the game, as the camera has seen it."""

    kinds: Mapping[PieceKind, KindFaces]
    source: tuple[str, ...]
    """What it was learned from, for people."""
    board: BoardPrint | None = None
    """The round board with its toppings and cutters, where the game has one."""

    @property
    def names(self) -> tuple[str, ...]:
        """All faces, backs included."""
        return tuple(name for faces in self.kinds.values() for name in faces.names)

    @property
    def enrolled(self) -> dict[PieceKind, tuple[str, ...]]:
        """What was learned of each kind of piece: its faces, backs included; of a board its spaces, of toppings and
        cutters their colours."""
        learned = {kind: faces.names for kind, faces in self.kinds.items()}
        if self.board is not None:
            learned[PieceKind.BOARD] = self.board.space_names
            learned[PieceKind.TOPPING] = self.board.toppings.names
            learned[PieceKind.CUTTER] = self.board.cutters.names
        return learned

    @property
    def sizes_mm(self) -> dict[str, float]:
        """Measured sizes: `slice_radius`, `special_width`, `special_height`, `slice_card_width` and so on."""
        sizes: dict[str, float] = {}
        for kind, faces in self.kinds.items():
            high = faces.shape.outline.max(0)
            if kind is PieceKind.SLICE:
                sizes["slice_radius"] = float(high[0])
            else:
                name = kind.value.replace("-", "_")
                sizes[f"{name}_height"], sizes[f"{name}_width"] = float(2 * high[0]), float(2 * high[1])
        return sizes


def piece_height_mm(x_mm: float, y_mm: float, kind: PieceKind = PieceKind.SLICE) -> float:
    """Height of the face of a piece lying flat at a point, above the mat's face."""
    on_mat = abs(x_mm) <= MAT_HALF_MM and abs(y_mm) <= MAT_HALF_MM
    thick = CARD_MM if kind in CARDS else TILE_MM
    return thick if on_mat else thick - MAT_MM


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


def save_pack(pack: FacePack, path: Path) -> None:
    """Write a pack as one file; what it is written over stays as it was until all of it is on the disk.

    Raises:
        OSError: it cannot be written.
    """
    header: dict[str, Any] = {"format": PACK_FORMAT, "version": PACK_VERSION, "source": list(pack.source), "kinds": {}}
    arrays: dict[str, NDArray[Any]] = {}
    for kind, faces in pack.kinds.items():
        header["kinds"][kind.value] = {"faces": list(faces.names), "size_mm": list(faces.shape.size_mm)}
        arrays |= {f"{kind.value}.{name}": array for name, array in _arrays_of(faces).items()}
    if pack.board is not None:
        header["board"] = header_of(pack.board)
        arrays |= {f"board.{name}": array for name, array in arrays_of(pack.board).items()}
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps(header, indent=1))
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.save(buffer, array, allow_pickle=False)
            file.writestr(name + ".npy", buffer.getvalue())
    write_whole(path, whole.getvalue())


def load_pack(path: Path) -> FacePack:
    """Read a pack.

    Raises:
        FileNotFoundError: there is no such file.
        FacePackError: it is no file of faces, of another version, or damaged.
    """
    try:
        with zipfile.ZipFile(path) as file:
            header: Mapping[str, Any] = json.loads(file.read("header.json"))
            _check_header(header, path)
            kinds = {
                PieceKind(name): _read_kind(file, PieceKind(name), about) for name, about in header["kinds"].items()
            }
            board = _read_board(file, header["board"]) if "board" in header else None
            return FacePack(kinds, tuple(str(name) for name in header["source"]), board)
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except FacePackError as error:
        raise FacePackError(str(error) if str(error).startswith(str(path)) else f"{path}: {error}") from error
    except BoardRecordError as error:
        raise FacePackError(f"{path}: {error}") from error
    except _DAMAGED as error:
        raise FacePackError(
            f"{path} is no file of faces or is damaged; expected one that `pizzatable enrol` wrote, as it wrote it"
        ) from error


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
    """The faces of every kind that is labelled; each picture is looked at once."""
    labelled = {label.kind for _, _, labels, _ in shots for label in labels}
    shapes = {kind: _measure(kind, shots) for kind in LABEL_KINDS.values() if kind in labelled}
    learned: dict[PieceKind, dict[str, tuple[NDArray[np.float32], Keypoints, float]]] = {kind: {} for kind in shapes}
    for image, registration, labels, _ in shots:
        if not labels:
            continue
        table = table_map(registration)
        looked = table.look(unveiled(image, registration))
        soft, found = soften(looked), find_keypoints(looked, table, most=20000)
        gain = light_gain(looked, table, registration.markers_mm)
        sharpness = float(registration.size_px[0]) / registration.camera_mm[2]
        for label in labels:
            shape, faces = shapes[label.kind], learned[label.kind]
            pose = seen_pose(label.pose, shape, registration)
            if label.face not in faces or faces[label.face][2] < sharpness:
                nudged = np.stack([shape.lattice + step for step in _NUDGES])
                points = np.stack([place(points, pose) for points in nudged])
                colours = sample_colours(soft, table, gain, points)
                faces[label.face] = (colours, _own_keypoints(found, shape, pose), sharpness)
    kinds = {}
    for kind, faces in learned.items():
        names = tuple(sorted(faces))
        samples = np.stack([faces[name][0] for name in names])
        kinds[kind] = _assemble(shapes[kind], names, samples, [faces[name][1] for name in names])
    return kinds


_NUDGES = np.array([[0.0, 0.0], [NUDGE_MM, 0.0], [-NUDGE_MM, 0.0], [0.0, NUDGE_MM], [0.0, -NUDGE_MM]])


def _assemble(
    shape: Shape, names: tuple[str, ...], samples: NDArray[np.float32], keypoints: Sequence[Keypoints]
) -> KindFaces:
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


def seen_pose(pose: Array, shape: Shape, registration: Registration) -> Array:
    """Where a piece that lies flat at a pose seems to lie at z = 0."""
    return _shifted(pose, shape, registration.seen_from_table)


def true_pose(pose: Array, shape: Shape, registration: Registration) -> Array:
    """The inverse of `seen_pose`."""
    return _shifted(pose, shape, registration.on_table)


def _shifted(pose: Array, shape: Shape, move: Callable[[Array, float], Array]) -> Array:
    centre = place(shape.centre[None], pose)[0]
    shift = move(centre, piece_height_mm(centre[0], centre[1], shape.kind))[0] - centre
    return np.asarray(pose + np.array([shift[0], shift[1], 0.0]))


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
            f"labels of {name}: {label.face} is {of_it} large as it is turned, others of its kind, {kind.value}, are "
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


def _shape_of(kind: PieceKind, size: Sequence[float]) -> Shape:
    first, second = (float(side) for side in size)
    if not (10.0 < first < 500.0 and 5.0 < second < 500.0):
        raise FacePackError(f"size {first} x {second} of a {kind.value} is out of range")
    return slice_shape(first, second) if kind is PieceKind.SLICE else card_shape(kind, first, second)


def _arrays_of(faces: KindFaces) -> dict[str, NDArray[Any]]:
    return {
        "colours": faces.colours.astype(np.float16),
        "slopes": faces.slopes.astype(np.float16),
        "points": faces.keypoints.points_mm.astype(np.float32),
        "angles": faces.keypoints.angles_deg.astype(np.float32),
        "descriptors": faces.keypoints.descriptors,
        "strength": faces.keypoints.strength.astype(np.float32),
        "owners": faces.owners.astype(np.int32),
    }


def _check_header(header: Mapping[str, Any], path: Path) -> None:
    if header.get("format") != PACK_FORMAT:
        raise FacePackError(f"{path} is no file of faces: format {header.get('format')!r}, expected {PACK_FORMAT!r}")
    if header.get("version") != PACK_VERSION:
        raise FacePackError(
            f"{path} has version {header.get('version')!r}, this program reads version {PACK_VERSION}: enrol again"
        )


def _check_kind(faces: KindFaces) -> None:
    """Check what the shapes of arrays do not say. Raises FacePackError."""
    kind, points = faces.shape.kind.value, faces.keypoints
    for name, values in (
        ("colours", faces.colours),
        ("slopes", faces.slopes),
        ("points", points.points_mm),
        ("angles", points.angles_deg),
        ("strength", points.strength),
    ):
        if not np.isfinite(values).all():
            raise FacePackError(f"{kind}.{name} holds {values[~np.isfinite(values)][0]}; expected numbers")
    if len(faces.names) != len(set(faces.names)) or not faces.names:
        raise FacePackError(f"{kind} has the faces {', '.join(faces.names) or 'none'}; expected each once, and one")
    if not ((faces.owners >= 0) & (faces.owners < len(faces.names))).all():
        wrong = faces.owners[(faces.owners < 0) | (faces.owners >= len(faces.names))][0]
        raise FacePackError(f"{kind}.owners holds {wrong}; expected 0 to {len(faces.names) - 1}, the faces' numbers")


def _read_board(file: zipfile.ZipFile, about: Mapping[str, Any]) -> BoardPrint:
    return board_from(about, lambda name: _member(file, f"board.{name}"))


def _member(file: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """One array of the archive. Raises FacePackError where it would fill a small machine's memory."""
    size = file.getinfo(f"{name}.npy").file_size
    if size > MOST_BYTES:
        raise FacePackError(f"{name} has {size} bytes; expected at most {MOST_BYTES}")
    loaded: NDArray[Any] = np.load(io.BytesIO(file.read(f"{name}.npy")), allow_pickle=False)
    return loaded


def _read_kind(file: zipfile.ZipFile, kind: PieceKind, about: Mapping[str, Any]) -> KindFaces:
    def array(name: str, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        loaded = _member(file, f"{kind.value}.{name}")
        expected = tuple(size if size >= 0 else loaded.shape[i] for i, size in enumerate(shape) if i < loaded.ndim)
        if loaded.ndim != len(shape) or loaded.shape != expected:
            raise FacePackError(f"{kind.value}.{name} has shape {loaded.shape}, expected {shape}")
        return np.asarray(loaded, dtype)

    names = tuple(str(name) for name in about["faces"])
    shape = _shape_of(kind, about["size_mm"])
    cells, count = len(shape.lattice), len(names)
    points = array("points", np.float64, (-1, 2))
    keypoints = Keypoints(
        points,
        array("angles", np.float64, (len(points),)),
        array("descriptors", np.uint8, (len(points), 32)),
        array("strength", np.float64, (len(points),)),
    )
    faces = KindFaces(
        shape,
        names,
        array("colours", np.float32, (count, cells, 3)),
        array("slopes", np.float32, (count, 2, cells, 3)),
        keypoints,
        array("owners", np.intp, (len(points),)),
    )
    _check_kind(faces)
    return faces
