"""Enrolled faces: what each piece of an owner's copy looks like, learned from labelled pictures."""

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vision.board.record import BoardPrint, BoardRecordError, arrays_of, board_from, header_of
from vision.files.whole_files import write_whole
from vision.mat.errors import VisionError
from vision.mat.markers import MAT_HALF_MM as MAT_HALF_MM
from vision.mat.markers import MAT_MM as MAT_MM
from vision.mat.registration import Registration
from vision.pieces.features import Keypoints
from vision.scene import PieceKind
from vision.shapes import Shape, card_shape, place, slice_shape

if TYPE_CHECKING:
    pass

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


def _shape_of(kind: PieceKind, size: Sequence[float]) -> Shape:
    first, second = (float(side) for side in size)
    if not (10.0 < first < 500.0 and 5.0 < second < 500.0):
        raise FacePackError(f"size {first} x {second} of a {kind.words} is out of range")
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
    version = header.get("version")
    if version != PACK_VERSION:
        newer = isinstance(version, int) and version > PACK_VERSION
        raise FacePackError(
            f"{path} has version {version!r}, this program reads version {PACK_VERSION}: "
            f"{'it is of a newer program: update this one' if newer else 'enrol again'}"
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
