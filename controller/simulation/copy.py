"""Our own printable copy of New York Slice, shown to the camera once, as an owner does with a bought one."""

import contextlib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from controller.games.new_york_slice.components import Components, load_components
from controller.simulation.kept_art import KeptArt
from hardware.simulated.art import Artwork, SliceArt, SpecialArt, draw_all
from hardware.simulated.lying import outline_mm
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World
from vision.faces import FacePack, FacePackError, enrol, load_pack, save_pack
from vision.frame import Image
from vision.scene import PieceKind, Pose

ART_PX_PER_MM = 4.0
TILE_TOP_MM = 2.0
BACKS = ("back", "special/back")
FACTS = "components.toml"


def own_art(components: Components) -> Mapping[str, Artwork]:
    """Every face of our copy, drawn from the facts about its pieces."""
    slices = [
        SliceArt(s.face, s.values or ((-3,) if s.anchovies else ()), s.pepperoni, s.anchovies, s.name)
        for s in components.slices
    ]
    specials = [SpecialArt(s.face, s.title, s.text, s.blue) for s in components.specials]
    return draw_all(slices, specials, ART_PX_PER_MM)


@dataclass(frozen=True, slots=True)
class OwnCopy:
    """Our copy as it is kept in a folder between runs: its art, and its faces as a camera of some size sees them.

    The files' names change with the art and with how faces are learned, so that outdated ones are never taken.
    """

    folder: Path

    def art(self) -> Mapping[str, Artwork]:
        """Every face: read where it was kept, else drawn, which takes some milliseconds each."""
        return self._kept_art()

    def faces(self, width: int, height: int) -> FacePack:
        """The faces kept here; where there are none, each is shown to the camera once (some seconds), then kept.

        Raises:
            OSError: the folder cannot be written.
        """
        path = self._faces_file(width, height)
        with contextlib.suppress(FileNotFoundError, FacePackError):  # a damaged one is made anew
            return load_pack(path)
        art = self._kept_art()
        art.keep()
        pack = enrol_own_copy(art, width, height)
        draft = path.with_suffix(".part")
        save_pack(pack, draft)
        draft.replace(path)
        self._tidy()
        return pack

    def _kept_art(self) -> KeptArt:
        return KeptArt(own_art(load_components()), self.folder / f"own-copy-{_version()}.art")

    def _faces_file(self, width: int, height: int) -> Path:
        return self.folder / f"own-copy-{_version()}-{width}x{height}.faces"

    def _tidy(self) -> None:
        for path in set(self.folder.glob("own-copy-*")) - set(self.folder.glob(f"own-copy-{_version()}*")):
            path.unlink(missing_ok=True)


def enrol_own_copy(art: Mapping[str, Artwork], width: int, height: int) -> FacePack:
    """Show every face to the simulated camera and learn it from the pictures."""
    photos = list(enrolment_photos(art, width, height))
    return enrol(photos, source=[f"own copy, picture {i}" for i in range(1, len(photos) + 1)])


def enrolment_photos(
    art: Mapping[str, Artwork], width: int, height: int, conditions: Conditions | None = None
) -> Iterator[tuple[Image, dict[str, Any]]]:
    """Pictures that show every face once, apart, with labels as `vision.faces.enrol` takes them."""
    conditions = conditions or Conditions(tilt_deg=1.0)
    camera = conditions.camera_model(width, height)
    faces = list(art)
    specials = [f for f in faces if f.startswith("special/")]
    slices = [f for f in faces if not f.startswith("special/")]
    spots = list(_spots())
    batches = [slices[i : i + len(spots)] for i in range(0, len(slices), len(spots))]
    for kind, batch in [*((PieceKind.SLICE, b) for b in batches), (PieceKind.SPECIAL, specials)]:
        world = World(Random(0))
        labels = []
        for face, (x, y) in zip(batch, spots, strict=False):
            pose = Pose(x, y, 90.0) if kind is PieceKind.SLICE else Pose(x, y + 50, 90.0)
            world.add_piece(face, kind, face, face, pose=pose, face_up=face not in BACKS)
            outline = np.array([(px, py, TILE_TOP_MM) for px, py in outline_mm(kind, pose)])
            labels.append(
                {
                    "kind": "tile" if kind is PieceKind.SLICE else "special",
                    "face": face,
                    "face_up": face not in BACKS,
                    "x_mm": pose.x_mm,
                    "y_mm": pose.y_mm,
                    "angle_deg": pose.angle_deg,
                    "outline_px": camera.project(outline).tolist(),
                }
            )
        yield Renderer(art, camera, conditions).render(world.snapshot()), {"pieces": labels}


def _version() -> str:
    """A hash of whatever our copy's art and faces follow from."""
    content = hashlib.sha256(resources.files("controller.games.new_york_slice").joinpath(FACTS).read_bytes())
    for package in ("hardware.simulated", "vision"):
        modules = (entry for entry in resources.files(package).iterdir() if entry.name.endswith(".py"))
        for module in sorted(modules, key=lambda entry: entry.name):
            content.update(module.read_bytes())
    return content.hexdigest()[:12]


def _spots() -> Sequence[tuple[float, float]]:
    """Where tips are laid: apart, and off the mat's corner markers."""
    columns = range(-480, 481, 80)
    return [
        (float(x), float(y))
        for y in (-270.0, -55.0, 165.0)
        for x in columns
        if not (abs(x) > 110 and abs(x) < 240 and abs(y + 50) > 60)
    ]
