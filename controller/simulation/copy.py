"""Our own printable copy of a game, shown to the camera once, as an owner does with a bought one."""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module, resources
from importlib.resources.abc import Traversable
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

from controller.games.registry import components_text, games_with, load_game, load_part
from controller.hands import MakeHands
from controller.simulation import copies
from controller.simulation.kept_art import KeptArt
from controller.whose_faces import faces_of
from hardware.simulated.artwork import Artwork
from hardware.simulated.bodies import thickness_mm
from hardware.simulated.lying import outline_mm
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World
from vision.frame import Image
from vision.pieces.faces import FacePack, FacePackError, load_pack, save_pack
from vision.pieces.learning import enrol
from vision.scene import PieceKind, Pose

ART_PX_PER_MM = 4.0
LABELS = {PieceKind.SLICE: "tile"}
"""What a kind is called in labels, where that is not its own name."""


def own_art(game: str) -> Mapping[str, Artwork]:
    """Every face of our copy of a game, drawn from the facts about its pieces."""
    art: Mapping[str, Artwork] = _copy(game).art(ART_PX_PER_MM)
    return art


@dataclass(frozen=True, slots=True)
class OwnCopy:
    """Our copy of a game as it is kept in a folder between runs: its art, and its faces as a camera of some size sees
    them.

    The files' names change with the art and with how faces are learned, so that outdated ones are never taken.
    """

    folder: Path
    game: str

    def art(self) -> Mapping[str, Artwork]:
        """Every face: read where it was kept, else drawn, which takes some milliseconds each."""
        return self._kept_art()

    def faces(self, width: int, height: int) -> FacePack:
        """The faces kept here; where there are none, each is shown to the camera once (some seconds), then kept.

        Raises:
            OSError: the folder cannot be written.
        """
        path = self._faces_file(width, height)
        with contextlib.suppress(FileNotFoundError, FacePackError):
            return load_pack(path)
        with _held(self.folder):
            with contextlib.suppress(FileNotFoundError, FacePackError):  # a damaged one is made anew
                return load_pack(path)
            art = self._kept_art()
            art.keep()
            pack = enrol_own_copy(self.game, art, width, height)
            save_pack(pack, path)
            self._tidy()
            return pack

    def _kept_art(self) -> KeptArt:
        return KeptArt(own_art(self.game), self.folder / f"{self._name}.art")

    def _faces_file(self, width: int, height: int) -> Path:
        return self.folder / f"{self._name}-{width}x{height}.faces"

    def _tidy(self) -> None:
        kept = (self._name, *(f"own-copy-{game}-" for game in games_with("hands") if game != self.game))
        for path in self.folder.glob("own-copy-*"):
            if not path.name.startswith(kept):
                path.unlink(missing_ok=True)

    @property
    def _name(self) -> str:
        return f"own-copy-{self.game}-{_version(self.game)}"


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """While others wait who would write the same into a folder. Where a folder cannot be held, as on some network
    drives, nobody waits."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def enrol_own_copy(game: str, art: Mapping[str, Artwork], width: int, height: int) -> FacePack:
    """Show every face to the simulated camera and learn it from the pictures; of a copy with `photos` that are none,
    nothing is learned: its pieces are told by their form."""
    photos = list(enrolment_photos(game, art, width, height))
    if not photos:
        return FacePack({}, ())
    return enrol(
        photos,
        source=[f"own copy, picture {i}" for i in range(1, len(photos) + 1)],
        board_spaces=faces_of(game).board_spaces,
    )


def enrolment_photos(
    game: str, art: Mapping[str, Artwork], width: int, height: int
) -> Iterator[tuple[Image, dict[str, Any]]]:
    """Pictures that show every face once, apart, labelled as `vision.pieces.learning.enrol` asks for; a copy's own
    `photos` where it has them."""
    conditions = Conditions(tilt_deg=1.0)
    if hasattr(_copy(game), "photos"):
        yield from _copy(game).photos(art, width, height, conditions)
        return
    camera = conditions.camera_model(width, height)
    fronts, backs = _kinds(game)
    kinds = fronts | backs
    spots = list(_spots())
    batches = []
    for kind in dict.fromkeys(kinds.values()):
        faces = [face for face in art if kinds[face] is kind]
        batches += [(kind, faces[i : i + len(spots)]) for i in range(0, len(faces), len(spots))]
    for kind, batch in batches:
        world = World(Random(0))
        labels = []
        for face, (x, y) in zip(batch, spots, strict=False):
            pose = Pose(x, y, 90.0) if kind is PieceKind.SLICE else Pose(x, y + 50, 90.0)
            face_up = face not in backs
            world.add_piece(face, kind, face, face, pose=pose, face_up=face_up)
            outline = np.array([(px, py, thickness_mm(kind)) for px, py in outline_mm(kind, pose)])
            labels.append(
                {
                    "kind": LABELS.get(kind, kind.value),
                    "face": face,
                    "face_up": face_up,
                    "x_mm": pose.x_mm,
                    "y_mm": pose.y_mm,
                    "angle_deg": pose.angle_deg,
                    "outline_px": camera.project(outline).tolist(),
                }
            )
        yield Renderer(art, camera, conditions).render(world.snapshot()), {"pieces": labels}


def _copy(game: str) -> ModuleType:
    return import_module(f"{copies.__name__}.{game}")


def _kinds(game: str) -> tuple[dict[str, PieceKind], dict[str, PieceKind]]:
    """The kind of piece that each front is on, and each back: what is in the box."""
    engine = load_game(game)
    make_hands: MakeHands = load_part(game, "hands").HANDS
    box = make_hands(engine, engine.start(2, {}, 1), {}, Random(0)).box()
    return {piece.front: piece.kind for piece in box}, {piece.back: piece.kind for piece in box}


def _version(game: str) -> str:
    """A hash of whatever our copy's art and faces follow from."""
    content = hashlib.sha256(components_text(game).encode())
    for package in ("controller.simulation.copies", "hardware.kit", "hardware.simulated", "vision"):
        for file in _sources(resources.files(package)):
            content.update(file.read_bytes())
    for package, module in (("controller", "printing.py"), ("controller.simulation", "copy.py")):
        content.update(resources.files(package).joinpath(module).read_bytes())
    return content.hexdigest()[:12]


def _sources(folder: Traversable) -> Iterator[Traversable]:
    """A package's modules and tables, and those of the packages in it."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _sources(entry)
        elif entry.name.endswith((".py", ".toml")):
            yield entry


def _spots() -> Sequence[tuple[float, float]]:
    """Where tips are laid: apart, and off the mat's corner markers."""
    columns = range(-480, 481, 80)
    return [
        (float(x), float(y))
        for y in (-270.0, -55.0, 165.0)
        for x in columns
        if not (abs(x) > 110 and abs(x) < 240 and abs(y + 50) > 60)
    ]
