"""What runs in the child process of camera and reading: which camera is opened, which faces are known.

Kept apart from the service so that the child imports no web server.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from config.os_errors import in_words
from config.schema import TableConfig
from controller.game import Json
from controller.games.registry import kinds_of, needs_faces
from controller.lenses import stored_lens
from controller.sheet_prints import load_prints
from controller.whose_faces import check_faces, faces_of, some
from hardware.camera import Camera, CameraLost
from hardware.drivers import open_camera
from hardware.simulated.link import LinkLost, RemoteWorld
from vision.frame import Frame
from vision.pieces.faces import FacePack, FacePackError, load_pack
from vision.scene import Scene

WORLD_STARTS_S = 20.0
"""How long the simulated table may take to be there."""


def open_table_camera(config: TableConfig, world: Path | None) -> Camera:
    """The camera that the settings name; the simulated one looks at the world that answers at the socket `world`.

    Raises:
        CameraError: there is no such camera.
    """
    size = (config.camera.width, config.camera.height)
    return open_camera(
        config.camera.driver,
        size,
        config.camera.rate,
        lambda: _open_simulated(config, world),
        mains_hz=config.camera.mains_hz,
        focus_mm=config.camera.focus_mm,
        hold=config.camera.hold,
    )


def make_reader(config: TableConfig) -> Callable[[Frame], Scene]:
    """A reader that knows the faces of this table's copy of the game, looks for the game's other pieces too, and knows
    the camera's lens where it was calibrated.

    Raises:
        FacePackError, LensFileError, OSError: the file of faces or that of the lens cannot be used.
        ComponentError: the options are wrong about the copy.
    """
    from vision.looking_for import finders_for
    from vision.reader import Reader

    pack = known_faces(config)
    finders = finders_for(kinds_of(config.game), pack, load_prints(), config.data_dir)
    return Reader(pack, lens=stored_lens(config), finders=finders)


def known_faces(config: TableConfig) -> FacePack:
    """The faces of this table's copy of the game; the simulated table's are learned where that was not done yet.

    Raises:
        FacePackError, OSError: the file of faces cannot be used.
        ComponentError: the options are wrong about the copy.
    """
    if config.camera.driver != "simulated" and not needs_faces(config.game):
        return FacePack({}, ())
    if (path := config.faces_of(config.game)) is not None:
        return load_faces(path, config.game, config.options)
    from controller.simulation.copy import OwnCopy

    return OwnCopy(config.data_dir, config.game).faces(config.camera.width, config.camera.height)


def load_faces(path: Path, game: str, options: Mapping[str, Json] | None = None) -> FacePack:
    """An owner's faces, all that the game has by the options of its table.

    Raises:
        FacePackError: it is no file of faces, is damaged, is another game's, or lacks faces of the game.
        ComponentError: the options are wrong about the copy.
        OSError: it cannot be read.
    """
    pack = load_pack(path)
    check_faces(pack, path, game)
    known = faces_of(game, options)
    if missing := known.missing_at_table(pack):
        doubts = "".join(f". {doubt}" for doubt in known.doubts(pack))
        raise FacePackError(
            f"{path}: faces of the game are missing: {some(missing)}; expected a file that `pizzatable enrol` made of "
            f"all of this game{doubts}"
        )
    return pack


def _open_simulated(config: TableConfig, world: Path | None) -> Camera:
    from controller.simulation.copy import OwnCopy
    from hardware.simulated.camera import SimulatedCamera
    from hardware.simulated.renderer import Renderer
    from hardware.simulated.surroundings import Conditions

    if world is None:
        raise CameraLost("the simulated camera needs the simulated table")
    remote = RemoteWorld(world)
    _wait_for(remote)
    conditions = Conditions()
    camera = conditions.camera_model(config.camera.width, config.camera.height)
    renderer = Renderer(OwnCopy(config.data_dir, config.game).art(), camera, conditions)
    return SimulatedCamera(remote.snapshot, renderer, time.monotonic, time.sleep, config.camera.rate)


def _wait_for(remote: RemoteWorld) -> None:
    end = time.monotonic() + WORLD_STARTS_S
    while True:
        try:
            remote.snapshot()
            return
        except LinkLost as error:
            if time.monotonic() > end:
                raise CameraLost(f"the simulated camera has nothing to look at: {in_words(error)}") from error
            time.sleep(0.05)
