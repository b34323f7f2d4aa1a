"""Camera and reading in their child process, as the service starts them."""

import contextlib
import functools
import json
import queue
from pathlib import Path
from random import Random

import cv2
import pytest

from config.loader import load_table
from config.schema import TableConfig
from controller.lenses import lens_file
from controller.simulation.copy import OwnCopy
from controller.watching import make_reader, open_table_camera
from hardware.simulated.lens import CameraModel
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World
from hardware.v4l2_automatics import V4l2Automatics
from hardware.vision_process import VisionProcess
from tests.rigs.running import learn_own_copy
from vision.scene import PieceKind, Pose, Scene

SIZE = (1280, 720)
STARTS_S = 120.0
"""Longer than any start on a busy machine."""
FAR = {"3/1": Pose(-430.0, 220.0, 70.0), "4/1": Pose(440.0, 210.0, 160.0), "5/1": Pose(420.0, -200.0, 300.0)}
"""Slices far from the mat, and too few for these to show how the lens bends the picture."""


@pytest.fixture(scope="module")
def own_copy(request: pytest.FixtureRequest) -> Path:
    """The folder of our own copy's art and faces, made once and kept from run to run."""
    folder = request.config.cache.mkdir("own-copy")
    learn_own_copy(folder)
    return folder


@pytest.mark.long
def test_the_stored_lens_is_the_one_that_is_read_with(tmp_path: Path, own_copy: Path) -> None:
    conditions = Conditions(k1=-0.25, k2=0.05)
    camera = conditions.camera_model(*SIZE)
    config = table_before(tmp_path, own_copy, camera, conditions)
    without = misses_mm(first_scene(config))
    keep_lens(config, camera)
    right = misses_mm(first_scene(config))
    assert max(right.values()) < 1.5
    assert all(without[face] > 1.8 * right[face] for face in FAR)


@pytest.mark.parametrize(
    ("driver", "opened"), [("picamera2", "pi_camera.PiCamera"), ("opencv:0", "opencv_camera.UsbCamera")]
)
def test_cameras_know_the_mains_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: str, opened: str
) -> None:
    told: list[int] = []
    monkeypatch.setattr(f"hardware.{opened}", lambda *_, mains_hz, **__: told.append(mains_hz))
    settings = tmp_path / "table.toml"
    for text in ("", "mains_hz = 60\n", "mains_hz = 0\n"):
        settings.write_text(f'[camera]\ndriver = "{driver}"\n{text}')
        open_table_camera(load_table([settings]), None)
    assert told == [50, 60, 0]


def test_the_raspberry_pis_camera_is_focused_where_the_settings_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[float] = []
    monkeypatch.setattr("hardware.pi_camera.PiCamera", lambda *_, focus_mm, **__: told.append(focus_mm))
    settings = tmp_path / "table.toml"
    for text in ("", "focus_mm = 620\n"):
        settings.write_text(f'[camera]\ndriver = "picamera2"\n{text}')
        open_table_camera(load_table([settings]), None)
    assert told == [950.0, 620.0]


def test_a_usb_cameras_automatics_can_be_held_unless_the_settings_say_no(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[object] = []
    monkeypatch.setattr("hardware.opencv_camera.UsbCamera", lambda *_, automatics, **__: given.append(automatics))
    settings = tmp_path / "table.toml"
    for text in ("", "hold = false\n"):
        settings.write_text(f'[camera]\ndriver = "opencv:0"\n{text}')
        open_table_camera(load_table([settings]), None)
    assert [isinstance(one, V4l2Automatics) for one in given] == [True, False]


def table_before(folder: Path, own_copy: Path, camera: CameraModel, conditions: Conditions) -> TableConfig:
    """A table whose camera gives pictures of the far slices, again and again."""
    world = World(Random(0))
    for face, pose in FAR.items():
        world.add_piece(face, PieceKind.SLICE, face, "back", pose=pose, face_up=True)
    picture = Renderer(OwnCopy(own_copy, "new_york_slice").art(), camera, conditions).render(world.snapshot())
    (folder / "pictures").mkdir()
    for number in range(20):
        cv2.imwrite(str(folder / "pictures" / f"{number:03}.png"), picture)
    faces = next(own_copy.glob("own-copy-new_york_slice-*.faces"))
    settings = folder / "table.toml"
    settings.write_text(
        f'data_dir = "{folder}"\nfaces = "{faces}"\n\n[camera]\ndriver = "opencv:{folder / "pictures"}"\n'
        f"width = {SIZE[0]}\nheight = {SIZE[1]}\nrate = 8\n"
    )
    return load_table([settings])


def keep_lens(config: TableConfig, camera: CameraModel) -> None:
    """As `pizzatable calibrate` does."""
    lens = {"focal_widths": camera.focal_px / SIZE[0], "k1": camera.k1, "k2": camera.k2}
    lens_file(config).write_text(json.dumps({"lens": lens, "size_px": SIZE}))


def first_scene(config: TableConfig) -> Scene:
    """What the child process reads first."""
    vision = VisionProcess(
        functools.partial(open_table_camera, config, None),
        functools.partial(make_reader, config),
        largest_picture=SIZE,
        hang_s=STARTS_S,
        start_s=STARTS_S,
    )
    scenes: queue.Queue[Scene] = queue.Queue()
    with contextlib.closing(vision):
        vision.start(scenes.put, lambda status: None, lambda function: function())
        return scenes.get(timeout=STARTS_S)


def misses_mm(scene: Scene) -> dict[str, float]:
    """How far from its place each slice was read; infinite where it was not."""
    read = {sighting.face: sighting.pose for sighting in scene.sightings}
    return {
        face: abs(complex(read[face].x_mm - true.x_mm, read[face].y_mm - true.y_mm)) if face in read else float("inf")
        for face, true in FAR.items()
    }
