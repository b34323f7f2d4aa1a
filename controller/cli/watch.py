"""`pizzatable watch`: read the table's camera live, for setting it up."""

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from config.counted import counted
from config.errors import ConfigError
from config.loader import load_table, table_files
from controller.cli.common import EXISTING_FILE, NamedPath, game_option, keep_what_is_read, picture_file, told
from controller.cli.read import scene_line
from controller.games.registry import load_part, needs_faces
from controller.lenses import stored_lens
from controller.moved_mat import MAT_MOVED_MM, where_mat_lies
from controller.reading import Describe
from controller.sheet_prints import load_prints
from controller.watching import open_table_camera
from controller.whose_faces import check_faces
from hardware.camera import CameraError, RecordingEnded
from hardware.drivers import recorded_files
from hardware.exposure import ExposureKeeper
from vision.files.photos import PhotoError, save_photo
from vision.looking_for import finders_for
from vision.mat.errors import RegistrationError, VisionError
from vision.mat.lens import Lens
from vision.mat.registration import lens_doubt
from vision.pieces.faces import FacePack, load_pack
from vision.reader import Reader
from vision.reports.drawing import draw_scene, draw_unread
from vision.scene import Change, Scene, Sighting
from vision.threads import use_one_core

if TYPE_CHECKING:
    from vision.frame import Frame, Image

PICTURE_S = 10.0
DRAW_EVERY_S = 0.5
"""A picture is drawn no more often; reading comes first."""


@click.command(epilog="Example:  pizzatable watch --game new_york_slice --config my-table.toml --draw live.jpg")
@game_option
@click.option("--config", "config_file", type=EXISTING_FILE, help="The table's settings, for its camera and its faces.")
@click.option("--faces", type=EXISTING_FILE, help="The enrolled faces, where the settings name none.")
@click.option(
    "--draw",
    type=NamedPath(dir_okay=False),
    callback=picture_file,
    help="A picture file that is written anew all the time: what the camera sees with what is read drawn on it, or why "
    "nothing can be read.",
)
def command(game: str, config_file: Path | None, faces: Path | None, draw: Path | None) -> None:
    """Read the table's camera until Ctrl+C: a line of JSON as from `pizzatable read` whenever what lies there changed.

    "changed" says which pieces came, went ("to_mm" is null) or lie elsewhere. A hand at one end of the table does not
    hold up the other: under it, what was seen before is said. No game is played and nothing is judged. What keeps a
    picture from being read is said once; that the mat was moved, on standard error. A recording is read to its end.
    Another game's faces are refused. The camera's lens is used where `pizzatable calibrate` kept it.
    """
    use_one_core()
    with told(ConfigError, CameraError, VisionError, PhotoError, OSError):
        config = load_table(table_files(config_file, os.environ))
        if config.camera.driver == "simulated":
            raise click.UsageError("the table's camera is the simulated one; expected --config with a camera")
        if faces is not None and not needs_faces(game):
            raise click.UsageError(f"--faces: {game}'s pieces are told without any; expected it left out")
        file = (faces or config.faces_of(game)) if needs_faces(game) else None
        keep_what_is_read({"--draw": draw}, [config_file, file, *recorded_files(config.camera.driver)])
        if file is None and needs_faces(game):
            raise click.UsageError("expected --faces, or settings with faces; `pizzatable enrol` makes the file")
        part, pack = load_part(game, "describe"), _faces_in(file, game)
        lens, finders = stored_lens(config), finders_for(part.KINDS, pack, load_prints())
        reader = Reader(pack, lens=lens, finders=finders)
        camera = open_table_camera(config, None)
        keeper = ExposureKeeper(camera, reader, follow_light=config.camera.follow_light)
        watcher = _Watcher(reader, keeper, lens, part.describe, draw)
        try:
            while True:
                watcher.take(camera.read(PICTURE_S))
        except KeyboardInterrupt:
            pass
        except RecordingEnded:
            if not watcher.has_said:
                many = counted(watcher.pictures, "picture")
                click.echo(
                    f"nothing lay still for long enough in {many}; `pizzatable read` reads single ones", err=True
                )
        finally:
            camera.close()


def _faces_in(file: Path | None, game: str) -> FacePack:
    """The faces that a file holds, none without one; of faces besides the game's own it is warned.

    Raises:
        FacePackError, OSError: it cannot be read, or is another game's.
    """
    if file is None:
        return FacePack({}, ())
    pack = load_pack(file)
    for warning in check_faces(pack, file, game):
        click.echo(f"Warning: {warning}", err=True)
    return pack


class _Watcher:
    """Reads pictures, and says what is new."""

    def __init__(
        self, reader: Reader, keeper: ExposureKeeper, lens: Lens | None, describe: Describe, draw: Path | None
    ) -> None:
        """`keeper` adjusts the camera by what is read; `lens` is the calibrated one that the reader has, which is
        looked at in the first picture that can be read."""
        self._reader = reader
        self._keeper = keeper
        self._lens = lens
        self._describe = describe
        self._draw = draw
        self._said = ""
        self._strange: list[str] = []
        """Why what could not be seen: as long as a hand moves, that is not told from it."""
        self._drawn_s = 0.0
        self._shift_mm = 0.0
        """How far the mat lay from where it lay first, when that was said last."""
        self.pictures = 0

    @property
    def has_said(self) -> bool:
        """Whether anything was read, or said not to be."""
        return bool(self._said)

    def take(self, frame: "Frame") -> None:
        """Read one more picture."""
        self.pictures += 1
        try:
            scene = self._reader.read(frame)
        except RegistrationError as error:
            self._say({"picture": frame.sequence, "error": str(error)}, str(error))
            if self._is_time_to_draw():
                self._show(draw_unread(frame.image, str(error)))
            self._keeper.unreadable(frame.image, frame.time_s)
            return
        self._keeper.after(scene)
        if self._lens is not None and (registration := self._reader.registration) is not None:
            if doubt := lens_doubt(registration, self._lens):
                click.echo(f"Warning: {doubt}", err=True)
            self._lens = None
        if abs(scene.shift_mm - self._shift_mm) >= MAT_MOVED_MM:
            self._shift_mm = scene.shift_mm
            click.echo(f"picture {frame.sequence}: {where_mat_lies(scene.shift_mm)}", err=True)
        if scene.settled is not None and scene.settled.at_rest_s > 0:
            lies = scene.last_rest()
            line = {"photo": f"picture {frame.sequence}"} | scene_line(lies, self._describe(lies.likely()))
            line["changed"] = [_change(change) for change in scene.settled.changes]
            if scene.at_rest_s > 0:
                self._strange = [place.cause.value for place in scene.hidden]
            self._say(line, repr((_as_laid(lies), self._strange)))
        if self._is_time_to_draw():
            registration = self._reader.registration
            assert registration is not None  # there is a scene
            self._show(draw_scene(frame.image, scene, registration))

    def _say(self, line: dict[str, Any], what: str) -> None:
        if what != self._said:
            self._said = what
            click.echo(json.dumps(line, ensure_ascii=False))

    def _is_time_to_draw(self) -> bool:
        return self._draw is not None and time.monotonic() - self._drawn_s >= DRAW_EVERY_S

    def _show(self, drawn: "Image") -> None:
        """Write the picture beside the last one and put it in its place, for viewers that follow the file."""
        path = self._draw
        assert path is not None  # it is time to draw
        draft = path.with_name(f"{path.stem}.part{path.suffix}")
        save_photo(draft, drawn)
        draft.replace(path)
        self._drawn_s = time.monotonic()


def _change(change: Change) -> dict[str, Any]:
    """A piece that came, went, or lies elsewhere, in the words of `pizzatable read`."""
    piece = change.after or change.before
    assert piece is not None  # one of both is given
    return {
        "kind": piece.kind.value,
        "face": piece.face,
        "from_mm": None if change.before is None else _spot(change.before),
        "to_mm": None if change.after is None else _spot(change.after),
    }


def _spot(piece: Sighting) -> list[float]:
    return [round(piece.pose.x_mm, 1), round(piece.pose.y_mm, 1)]


def _as_laid(scene: Scene) -> list[tuple[str, int, int, int]]:
    """What lies where, to the centimetre and ten degrees: less is no change."""
    return sorted(
        (s.face, round(s.pose.x_mm / 10), round(s.pose.y_mm / 10), round(s.pose.angle_deg / 10) % 36)
        for s in scene.sightings
    )
