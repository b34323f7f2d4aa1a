"""Each check of the doctor's, on real parts where they can run: rendered pictures, pseudo terminals, zeroconf."""

import asyncio
import contextlib
import errno
import json
import os
import re
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from zeroconf import IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from config.loader import load_table
from config.schema import Confirm, TableConfig
from controller.choosing import NotPlayable
from controller.cli import enrol
from controller.discovery import SERVICE, Announcement, Discovery
from controller.doctor import (
    DARK,
    SETTLED_S,
    Finding,
    Health,
    _played,
    _serial,
    check_arm,
    check_automatics,
    check_board,
    check_camera,
    check_clock,
    check_copy,
    check_disk,
    check_flicker,
    check_kept_games,
    check_lan_name,
    check_lens,
    check_light,
    check_markers,
    check_names,
    check_pins,
    check_port,
    check_serial,
    clock_synchronised,
    examine,
    installed_at,
)
from controller.host_choice import check_table_faces
from controller.journal import Journal
from controller.lenses import lens_file
from controller.parts import FULL_BYTES, SCARCE_BYTES
from controller.sqlite_pages import wal_path
from controller.web.hub import Hub
from controller.web.server import serving
from firmware_bridge.link import Link, LinkStatus
from firmware_bridge.schema import Hello
from firmware_bridge.session import LinkState
from firmware_bridge.signals import SignalKind
from hardware.camera import Automatic, Camera, CameraLost
from hardware.drivers import open_camera
from hardware.panel import PanelPins, SeatPins, open_real_pins
from hardware.simulated.camera import SimulatedCamera
from hardware.simulated.emulated_board import EmulatedBoard
from hardware.simulated.flicker import MAINS_HZ, FlickeringLight
from hardware.simulated.pins import SimulatedPins
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.sway import SwayingCamera
from hardware.simulated.webcam import Webcam
from hardware.simulated.world import ButtonEdge, World
from tests.controller.web.fixture_views import ring_served
from tests.controller.web.table import make_app
from tests.hardware.fake_lgpio import FakeLgpio
from tests.hardware.test_camera import VirtualClock
from tests.rigs.emulation import CannotEmulate, build
from tests.vision import drawn_cards
from tests.vision import theory_pictures as drawn_board
from tests.vision.drawn_table import enrolled
from vision.frame import Frame, Image
from vision.light.flicker import Flicker
from vision.light.lamp import mirrored_beyond_mm
from vision.mat.lens import AssumedFocal
from vision.mat.markers import MARKERS_MM
from vision.mat.registration import find_mat
from vision.pieces.faces import FacePack, save_pack
from vision.scene import PieceKind

LOOPBACK = ("127.0.0.1",)
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
PINS = PanelPins({1: SeatPins(5, 4), 2: SeatPins(6, 17)}, host_button=16, buzzer=12)


@pytest.fixture(scope="module")
def picture() -> Image:
    """What the simulated camera sees of an empty table."""
    conditions = Conditions()
    renderer = Renderer({}, conditions.camera_model(1280, 720), conditions)
    return renderer.render(World(Random(0)).snapshot())


def covered(picture: Image, *markers: int) -> Image:
    """Something grey lies on these markers."""
    seen, image = find_mat(picture), picture.copy()
    for marker in markers:
        place = seen.to_picture(MARKERS_MM[marker] * 1.1)
        cv2.fillPoly(image, [place.round().astype(np.int32)], (128, 128, 128))
    return image


def said(finding: Finding) -> tuple[str, Health]:
    assert finding.what
    assert bool(finding.remedy) == (finding.state in (Health.WARNING, Health.BROKEN)), "what is wrong has a remedy"
    return finding.name, finding.state


# The camera and its picture -------------------------------------------------------------------------------------------


def test_camera_that_works(tmp_path: Path, picture: Image) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), picture)
    finding, seen = check_camera(lambda: open_camera(f"opencv:{tmp_path}", (1280, 720), 10.0, no_simulated))
    assert said(finding) == ("camera", Health.OK)
    assert "pictures of 1280x720" in finding.what
    assert seen is not None
    assert np.array_equal(seen.frame.image, picture)
    assert seen.flicker is None


def test_camera_whose_pictures_are_larger_than_the_settings_say(tmp_path: Path, picture: Image) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), picture)
    opened = lambda: open_camera(f"opencv:{tmp_path}", (640, 360), 10.0, no_simulated)  # noqa: E731
    finding, _ = check_camera(opened, expected=(640, 360))
    assert said(finding) == ("camera", Health.BROKEN)
    assert "pictures of 1280x720, more than the settings' 640x360" in finding.what


def test_camera_whose_pictures_are_of_another_shape_than_the_settings_say(tmp_path: Path, picture: Image) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), picture)
    opened = lambda: open_camera(f"opencv:{tmp_path}", (1600, 1200), 10.0, no_simulated)  # noqa: E731
    finding, _ = check_camera(opened, expected=(1600, 1200))
    assert said(finding) == ("camera", Health.WARNING)
    assert "pictures of 1280x720, of another shape than the settings' 1600x1200" in finding.what


def test_camera_that_is_not_there(tmp_path: Path) -> None:
    finding, seen = check_camera(lambda: open_camera(f"opencv:{tmp_path}/none", (1280, 720), 10.0, no_simulated))
    assert said(finding) == ("camera", Health.BROKEN)
    assert "no video file and no folder" in finding.what
    assert finding.remedy == "Put camera.driver of the settings right.", "it has no cable"
    assert seen is None


@pytest.mark.parametrize(("named", "first"), [("copy", "Set faces = "), ("slice", "Move that file away")])
def test_another_games_faces_are_not_learned_into(tmp_path: Path, named: str, first: str) -> None:
    slices = enrolled().kinds[PieceKind.SLICE]
    few = replace(slices, names=("3/1", "3/2", "3/3", "4/1", "4/2", "4/3"))
    file = tmp_path / f"{named}.faces"
    save_pack(FacePack({PieceKind.SLICE: few}, ()), file)
    (tmp_path / "table.toml").write_text(f'game = "slice"\nfaces = "{file}"\n[camera]\ndriver = "opencv:0"\n')
    remedy = check_copy(load_table([tmp_path / "table.toml"])).remedy
    assert remedy.startswith(first)
    assert f"--out {tmp_path / 'slice.faces'} --page" in remedy
    refused = CliRunner().invoke(enrol.command, ["--game", "slice", "--out", str(file), "--page"])
    assert refused.exit_code == 2
    assert f"--out {file}: these are faces of new_york_slice or pizzeria, not of slice" in refused.stderr


def test_what_a_camera_knows_of_its_focal_length_tells_how_high_it_is(picture: Image) -> None:
    """The module's own lens is longer than is assumed of any camera."""

    class Known:
        description = "known"

        def read(self, timeout_s: float) -> Frame:
            return Frame(picture, 0.0, 0, AssumedFocal(1.0, 0.01))

        def close(self) -> None:
            pass

    _, seen = check_camera(Known)
    assert seen is not None
    heights = [
        float(re.findall(r"lens is ([\d.]+) m above", check_markers(seen.frame.image, assumed).what)[0])
        for assumed in (None, seen.frame.assumed)
    ]
    assert heights[1] > 1.2 * heights[0]


def test_camera_that_never_answers() -> None:
    never = threading.Event()

    class Stuck:
        description = "stuck"

        def read(self, timeout_s: float) -> Frame:
            never.wait()
            raise CameraLost("woken")

        def close(self) -> None:
            pass

    finding, seen = check_camera(Stuck, limit_s=0.05)
    never.set()
    assert said(finding) == ("camera", Health.BROKEN)
    assert (finding.what, seen) == ("the camera has not answered for 0.05 s", None)
    assert "cable" in finding.remedy


def test_markers(picture: Image) -> None:
    finding = check_markers(picture)
    assert said(finding) == ("markers", Health.OK)
    assert "all four seen" in finding.what


def test_a_picture_out_of_focus_says_how_far(picture: Image) -> None:
    soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), picture.shape[1] / 640), np.uint8)
    finding = check_markers(soft)
    assert said(finding) == ("markers", Health.WARNING)
    assert finding.what.startswith("all four seen, but out of focus: their edges are blurred by ")
    assert "Focus the camera on the table, and" in finding.remedy


def test_out_of_focus_the_raspberry_pis_camera_is_told_how_far_the_table_is(picture: Image) -> None:
    soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), picture.shape[1] / 640), np.uint8)
    camera = Conditions().camera_model(1280, 720)
    assumed = AssumedFocal(camera.focal_px / 1280, 0.01)
    remedy = check_markers(soft, assumed, "picamera2").remedy
    said_mm = re.findall(r"camera.focus_mm, by this picture (\d+)\), and", remedy)
    assert [float(mm) for mm in said_mm] == pytest.approx([Conditions().height_mm], rel=0.05)


def test_a_covered_marker_is_named_by_its_corner(picture: Image) -> None:
    finding = check_markers(covered(picture, 2))
    assert said(finding) == ("markers", Health.WARNING)
    assert finding.what == "not all of the mat's markers are seen: missing at the bottom right (2)"


def test_no_marker_is_broken(picture: Image) -> None:
    finding = check_markers(covered(picture, 0, 1, 2, 3))
    assert said(finding) == ("markers", Health.BROKEN)
    assert "at least 2 must show" in finding.what


def with_lens_file(folder: Path, content: str | None) -> TableConfig:
    """Settings of a table whose camera has this lens file."""
    (folder / "table.toml").write_text(
        f'data_dir = "{folder}"\n[camera]\ndriver = "opencv:{folder}"\nwidth = 1280\nheight = 720\n'
    )
    config = load_table([folder / "table.toml"])
    if content is not None:
        lens_file(config).write_text(content)
    return config


def lens_content(k1: float) -> str:
    camera = Conditions().camera_model(1280, 720)
    lens = {"focal_widths": camera.focal_px / 1280, "k1": k1, "k2": camera.k2}
    return json.dumps({"lens": lens, "size_px": [1280, 720]})


@pytest.mark.parametrize(
    ("content", "state", "words"),
    [
        (None, Health.OK, "not calibrated: it is estimated from each picture"),
        (lens_content(Conditions().k1), Health.OK, "fits"),
        (lens_content(Conditions().k1 + 0.1), Health.WARNING, "with the calibrated lens, by"),
        (lens_content(Conditions().k1 - 1.5), Health.WARNING, "Without the calibrated lens they fit"),
        ("{", Health.BROKEN, "is no JSON"),
    ],
)
def test_another_cameras_lens_is_told(
    picture: Image, tmp_path: Path, content: str | None, state: Health, words: str
) -> None:
    finding = check_lens(with_lens_file(tmp_path, content), picture)
    assert said(finding) == ("lens", state)
    assert words in finding.what
    assert ("pizzatable calibrate" in finding.remedy) == (state is not Health.OK)


def test_nothing_is_said_of_a_lens_where_the_mat_is_not_seen(picture: Image, tmp_path: Path) -> None:
    finding = check_lens(with_lens_file(tmp_path, lens_content(Conditions().k1)), covered(picture, 0, 1, 2, 3))
    assert said(finding) == ("lens", Health.OK)
    assert "nothing shows whether it fits" in finding.what


def test_a_wide_lens_that_nobody_calibrated_should_be(tmp_path: Path) -> None:
    conditions = replace(Conditions(), height_mm=550.0, k1=-0.2, k2=0.04)
    bent = Renderer({}, conditions.camera_model(1280, 720), conditions).render(World(Random(5)).snapshot())
    finding = check_lens(with_lens_file(tmp_path, None), bent)
    assert said(finding) == ("lens", Health.WARNING)
    assert "bends the picture" in finding.what
    assert "pizzatable calibrate" in finding.remedy


@pytest.mark.parametrize(("turns", "side"), [(0, "left"), (1, "bottom"), (2, "right"), (3, "top")])
def test_where_a_lamp_helps_is_said_by_the_picture_and_the_mats_markers(picture: Image, turns: int, side: str) -> None:
    """The left third gets half of the light, however the camera is turned."""
    share = np.linspace(0.18, 0.42, picture.shape[1])[None, :, None]
    dim = np.ascontiguousarray(np.rot90((picture * share).astype(np.uint8), turns))
    finding = check_light(dim)
    assert said(finding) == ("light", Health.WARNING)
    assert f"Put a lamp on the {side} of the picture, where the mat's markers 3 and 0 are" in finding.remedy
    assert "as high as the camera" in finding.remedy


def test_a_lamp_stands_where_it_is_mirrored_outside_of_the_picture(picture: Image) -> None:
    mat = find_mat(picture)
    away = mirrored_beyond_mm(mat)
    foot = np.array(mat.camera_mm[:2])
    for way in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
        x, y = mat.to_picture([foot + away / 2 * np.array(way)])[0]
        width, height = mat.size_px
        assert not (1.0 < x < width - 1.0 and 1.0 < y < height - 1.0)


def test_in_the_dark_without_a_mat_a_lamp_is_asked_for_beside_the_table(picture: Image) -> None:
    finding = check_light((covered(picture, 0, 1, 2, 3) * 0.2).astype(np.uint8))
    assert said(finding) == ("light", Health.BROKEN)
    assert finding.remedy.startswith("Put a lamp beside the table")


def test_glare_is_said_to_come_from_its_side(picture: Image) -> None:
    spot = picture.copy()
    cv2.circle(spot, (picture.shape[1] - 130, picture.shape[0] // 2), 100, (255, 255, 255), -1)
    assert "on the right of the picture" in check_light(spot).remedy


@pytest.mark.parametrize(
    ("spoil", "state", "words"),
    [
        pytest.param(lambda image: image, Health.OK, "of 255", id="good"),
        pytest.param(lambda image: (image * 0.4).astype(np.uint8), Health.WARNING, "dim", id="dim"),
        pytest.param(lambda image: (image * 0.2).astype(np.uint8), Health.BROKEN, "too dark", id="too dark"),
        pytest.param(lambda image: image * 0, Health.BROKEN, "too dark", id="a cap on the lens"),
        pytest.param(
            lambda image: half_dark(image), Health.WARNING, "of the mat is dark beside the rest", id="half in the dark"
        ),
        pytest.param(lambda image: with_spot(image, 90), Health.WARNING, "glare", id="a lamp in the table"),
        pytest.param(
            lambda image: np.minimum(image * 1.2, 255.0).astype(np.uint8), Health.WARNING, "is cut off", id="bright"
        ),
        pytest.param(lambda image: with_spot(image, 20), Health.OK, "of 255", id="a small highlight"),
        pytest.param(lambda image: with_spot(image, 400), Health.BROKEN, "too bright", id="blinded"),
    ],
)
def test_light(picture: Image, spoil: Callable[[Image], Image], state: Health, words: str) -> None:
    finding = check_light(spoil(picture))
    assert said(finding) == ("light", state)
    assert words in finding.what


@pytest.mark.parametrize("share", [0.0, 0.03, 0.1])
def test_lamps_that_flicker_are_told_by_pictures_in_a_row(share: float) -> None:
    conditions, clock = Conditions(), VirtualClock()
    renderer = Renderer({}, conditions.camera_model(640, 360), conditions)
    steady = SimulatedCamera(World(Random(0)).snapshot, renderer, clock, clock.sleep, 22.0)
    _, seen = check_camera(lambda: FlickeringLight(steady, Random(1), share))
    assert clock.now_s < 50.0 + 3.0
    assert seen is not None
    finding = check_flicker(seen.flicker, "picamera2", 50)
    assert said(finding) == ("flicker", Health.WARNING if share else Health.OK)
    if share:
        said_share = re.findall(r"(\d+)% brighter and darker", finding.what)
        assert [int(one) for one in said_share] == [pytest.approx(100 * share, rel=0.2)]
        assert f"mains of {Random(1).choice(MAINS_HZ):.0f} Hz" in finding.what


def test_a_camera_of_few_pictures_a_second_is_not_waited_for() -> None:
    conditions, clock = Conditions(), VirtualClock()
    renderer = Renderer({}, conditions.camera_model(640, 360), conditions)
    finding, seen = check_camera(
        lambda: SimulatedCamera(World(Random(0)).snapshot, renderer, clock, clock.sleep, 1.0), expected=(640, 360)
    )
    assert said(finding) == ("camera", Health.OK)
    assert clock.now_s < 50.0 + 8.0 + 5.0
    assert seen is not None
    assert said(check_flicker(seen.flicker, "opencv:0", 50)) == ("flicker", Health.SKIPPED)


@pytest.mark.parametrize(
    ("sways_mm", "state", "words"),
    [
        (0.0, Health.OK, "hangs still"),
        (0.6, Health.OK, "seen through"),
        (4.0, Health.WARNING, "sways by"),
    ],
)
def test_how_far_the_camera_sways_on_its_arm_is_said(sways_mm: float, state: Health, words: str) -> None:
    conditions, clock = Conditions(), VirtualClock()
    renderer = Renderer({}, conditions.camera_model(640, 360), conditions)
    steady = SimulatedCamera(World(Random(0)).snapshot, renderer, clock, clock.sleep, 22.0)
    _, seen = check_camera(lambda: SwayingCamera(steady, Random(1), sways_mm))
    assert seen is not None
    finding = check_arm(seen.sways_mm)
    assert said(finding) == ("camera's arm", state)
    assert words in finding.what
    if sways_mm:
        assert seen.sways_mm == pytest.approx(np.sqrt(2) * sways_mm, rel=0.4)  # along both of the picture's edges


def test_where_no_markers_are_seen_nothing_is_said_of_the_arm(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), np.full((360, 640, 3), 90, np.uint8))
    _, seen = check_camera(lambda: open_camera(f"opencv:{tmp_path}", (640, 360), 10.0, no_simulated))
    assert seen is not None
    assert said(check_arm(seen.sways_mm)) == ("camera's arm", Health.SKIPPED)


AT_22_HZ = {50: -10.0, 60: 10.0, None: 3.0}
"""The pace at which lamps on such mains, or on none, seem to flicker in 22 pictures a second."""


@pytest.mark.parametrize(
    ("lamps_hz", "driver", "mains_hz", "remedies"),
    [
        (60, "picamera2", 50, ["Set camera.mains_hz to 60."]),
        (50, "opencv:0", 0, ["Set camera.mains_hz to 50."]),
        (None, "picamera2", 0, ["Set camera.mains_hz to that of your mains, 50 or 60."]),
        (50, "picamera2", 50, ["So much light falls", "less than 10.0 ms", "take lamps away"]),
        (60, "picamera2", 60, ["less than 8.3 ms"]),
        (50, "opencv:0", 50, ["Either so much light falls", "power_line_frequency"]),
        (None, "picamera2", 50, ["so much light", "dimmer", "camera.mains_hz = 50 is wrong"]),
    ],
)
def test_what_helps_against_flicker(lamps_hz: int | None, driver: str, mains_hz: int, remedies: list[str]) -> None:
    finding = check_flicker(Flicker(0.04, AT_22_HZ[lamps_hz], 22.0), driver, mains_hz)
    assert said(finding) == ("flicker", Health.WARNING)
    assert all(remedy in finding.remedy for remedy in remedies)
    assert ("Set camera.mains_hz" in finding.remedy) == ("Set camera.mains_hz" in remedies[0])
    assert ("power_line_frequency" in finding.remedy) == ("power_line_frequency" in remedies)


def test_little_flicker_does_no_harm_and_what_cannot_be_seen_is_said() -> None:
    finding = check_flicker(Flicker(0.009, 10.0, 22.0), "picamera2", 50)
    assert said(finding) == ("flicker", Health.OK)
    assert finding.what == "no stripes move over the picture"
    assert "mains of 50 Hz stand still" in check_flicker(Flicker(0.0, 0.0, 25.0), "picamera2", 50).what
    assert "mains of 50 Hz and 60 Hz stand still" in check_flicker(Flicker(0.0, 0.0, 20.0), "opencv:0", 60).what


def test_seats_of_one_name_are_told_of(tmp_path: Path) -> None:
    assert said(check_names(load_table([]))) == ("names", Health.OK)
    file = tmp_path / "table.toml"
    file.write_text('[seats.1]\nname = "Mum"\n[seats.3]\nname = "mum"\n[seats.4]\nname = "MUM"\n')
    finding = check_names(load_table([file]))
    assert said(finding) == ("names", Health.WARNING)
    assert finding.what.startswith("seats 1, 3 and 4 are called “Mum”: whoever joins there by button ")
    assert finding.remedy == "Give each another name in the settings: seats.3.name and seats.4.name."


def half_dark(image: Image) -> Image:
    light = np.where(np.arange(image.shape[1]) < image.shape[1] // 2, 0.1, 1.0)
    return np.asarray(image * light[None, :, None], np.uint8)


def with_spot(image: Image, radius_px: int) -> Image:
    return np.asarray(cv2.circle(image.copy(), (700, 350), radius_px, (255, 255, 255), -1), np.uint8)


def test_what_is_too_dark_by_the_doctor_can_still_be_told_from_black(picture: Image) -> None:
    assert 0 < DARK < np.percentile(picture.max(axis=2), 99)


@pytest.mark.parametrize(
    ("faces", "game", "state", "words"),
    [
        ("none.faces", "new_york_slice", Health.BROKEN, "none.faces is not there"),
        (None, "new_york_slice", Health.BROKEN, 'faces is "": no copy of new_york_slice was shown'),
        ("torn.faces", "new_york_slice", Health.BROKEN, "torn.faces is no file of faces or is damaged"),
        ("drawn.faces", "new_york_slice", Health.BROKEN, "faces of the game are missing: 3/2, 3/3"),
        ("drawn.faces", "slice", Health.BROKEN, "these seem to be the faces of new_york_slice"),
        ("board.faces", "pizza_theory", Health.OK, "the board of pizza_theory, in "),
        (None, "dice_and_slice", Health.UNUSED, "its pieces have none"),
    ],
)
def test_the_owners_copy(tmp_path: Path, faces: str | None, game: str, state: Health, words: str) -> None:
    (tmp_path / "torn.faces").write_bytes(b"torn")
    slices = enrolled().kinds[PieceKind.SLICE]
    few = replace(slices, names=tuple("3/1" if name == "a/1" else name for name in slices.names))
    save_pack(FacePack({PieceKind.SLICE: few}, ()), tmp_path / "drawn.faces")
    board = drawn_board.pack().board
    assert board is not None
    toppings, cutters = (replace(looks, names=("red", "green", "white")) for looks in (board.toppings, board.cutters))
    save_pack(FacePack({}, (), replace(board, toppings=toppings, cutters=cutters)), tmp_path / "board.faces")
    named = "" if faces is None else f'faces = "{tmp_path / faces}"\n'
    (tmp_path / "table.toml").write_text(f'game = "{game}"\n{named}[camera]\ndriver = "opencv:0"\n')
    finding = check_copy(load_table([tmp_path / "table.toml"]))
    assert said(finding) == ("faces", state)
    assert words in finding.what
    assert (f"pizzatable enrol --game {game} --out" in finding.remedy) == (state is Health.BROKEN)


def test_where_the_settings_are_wrong_about_the_copy_nothing_has_to_be_shown_anew(tmp_path: Path) -> None:
    cards = drawn_cards.enrolled().kinds[PieceKind.SLICE_CARD]
    save_pack(FacePack({PieceKind.SLICE_CARD: cards}, ()), tmp_path / "cards.faces")
    settings = f'''game = "slice"
faces = "{tmp_path / "cards.faces"}"
options.components = "none.toml"
camera.driver = "opencv:0"'''
    (tmp_path / "table.toml").write_text(settings)
    config = load_table([tmp_path / "table.toml"])
    finding = check_copy(config)
    assert said(finding) == ("faces", Health.BROKEN)
    assert "none.toml: cannot be read" in finding.what
    assert finding.remedy == "Put the option components of the settings right."
    with pytest.raises(NotPlayable, match=r"none\.toml: cannot be read"):
        check_table_faces(config)


def test_faces_of_an_owner_are_looked_at_where_the_table_is_simulated_too(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text('faces = "none.faces"')
    finding = check_copy(load_table([tmp_path / "table.toml"]))
    assert said(finding) == ("faces", Health.BROKEN)
    assert finding.remedy == "Leave faces out: the simulated table has a copy of its own."
    (tmp_path / "table.toml").write_text("")
    assert said(check_copy(load_table([tmp_path / "table.toml"]))) == ("faces", Health.UNUSED)


def no_simulated() -> Camera:
    raise AssertionError("no simulated camera is asked for")


# Pins and line --------------------------------------------------------------------------------------------------------


def simulated_pins(*pressed: int) -> SimulatedPins:
    pins = SimulatedPins(PINS, lambda seat, level: None, lambda sounds: None)
    for seat in pressed:
        pins.apply(ButtonEdge(seat, True, 0.0))
    return pins


def test_pins() -> None:
    finding = check_pins(PINS, lambda: simulated_pins().factory)
    assert said(finding) == ("pins", Health.OK)
    assert finding.what == "2 buttons with lamps, the host's button, a buzzer; none is stuck"


def test_stuck_buttons_are_named() -> None:
    finding = check_pins(PINS, lambda: simulated_pins(2, 0).factory)
    assert said(finding) == ("pins", Health.WARNING)
    assert finding.what == "pressed just now: the host's, seat 2's button"


@pytest.mark.skipif(Path("/dev/gpiochip0").exists(), reason="this machine has GPIO pins")
def test_no_pins_on_this_machine() -> None:
    finding = check_pins(PINS, open_real_pins)
    assert said(finding) == ("pins", Health.BROKEN)
    assert "no GPIO pins on this machine" in finding.what


@pytest.mark.skipif(Path("/dev/gpiochip0").exists(), reason="this machine has GPIO pins")
def test_a_table_that_needs_no_buttons_may_have_none() -> None:
    finding = check_pins(PINS, open_real_pins, Confirm.REST)
    assert said(finding) == ("pins", Health.UNUSED)
    assert finding.what.startswith('timing.confirm is "rest", and there are no buttons: no GPIO pins on this machine')


def test_pins_that_the_running_table_holds_are_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    chip = FakeLgpio(busy=frozenset({4}))
    monkeypatch.setattr("gpiozero.pins.lgpio.lgpio", chip)
    monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: 0xC04170)
    finding = check_pins(PINS, open_real_pins)
    assert said(finding) == ("pins", Health.WARNING)
    assert "GPIO busy" in finding.what
    assert chip.closed == chip.opened == [0]


def test_serial_line_with_the_real_firmware(tmp_path: Path) -> None:
    try:
        build()
    except CannotEmulate as error:
        pytest.skip(str(error))
    with EmulatedBoard(tmp_path / "board") as board:
        board.edge(0, "A3", 0)
        finding = check_serial(str(board.port), 115200, patience_s=30)
        with contextlib.closing(Link(str(board.port), time.monotonic)) as link:
            kept = link.get(30)
    assert said(finding) == ("serial", Health.OK)
    assert "the board answers, 1 starts, its pads are well" in finding.what
    assert kept is not None, "what the board keeps is the table's, not doctor's"
    assert (kept.kind, kept.seat) == (SignalKind.KNIFE_DOCKED, 4)


def test_serial_line_that_nobody_answers_on() -> None:
    controller, terminal = os.openpty()
    finding = check_serial(os.ttyname(terminal), 115200, patience_s=0.1)
    assert said(finding) == ("serial", Health.BROKEN)
    assert "opens, but no board answers" in finding.what
    os.close(terminal)
    os.close(controller)


HELLO = Hello(
    token=1, epoch=1, boot=1, cold_boots=7, warm_boots=0, cause=1, oldest=1, next=1, stuck=0, bridged=0, pads=0,
    knives=0, skewers=0, beam=0, spares=0,
)  # fmt: skip


@pytest.mark.parametrize(
    ("status", "state", "words"),
    [
        (LinkStatus(LinkState.READY, "all is well", "/dev/b", HELLO, 0, 0, 0.001), Health.OK, "answers, 7 starts"),
        (
            LinkStatus(LinkState.READY, "all is well", "/dev/b", replace(HELLO, stuck=4, bridged=128), 0, 0, 0.001),
            Health.WARNING,
            "the pads of seats 3, 8 were stuck or joined",
        ),
        (
            LinkStatus(LinkState.READY, "all is well", "/dev/b", HELLO, 12, 0, 0.001),
            Health.WARNING,
            "room for 12 events",
        ),
        (
            LinkStatus(LinkState.REFUSED, "the board speaks version 1", "/dev/b", None, 0, 0, None),
            Health.BROKEN,
            "/dev/b: the board has firmware of another version: the board speaks version 1",
        ),
        (
            LinkStatus(LinkState.NO_BOARD, "pulled", "/dev/b", HELLO, 0, 0, None),
            Health.BROKEN,
            "/dev/b: the board cannot be reached: pulled",
        ),
    ],
)
def test_what_the_board_says_of_itself(status: LinkStatus, state: Health, words: str) -> None:
    finding = check_board(status)
    assert said(finding) == ("serial", state)
    assert words in finding.what


def test_the_simulated_tables_board_is_emulated_or_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    reasons = {"": "its microcontroller is emulated, with the real firmware", "no simavr": "is not emulated: no simavr"}
    for reason, words in reasons.items():
        monkeypatch.setattr("hardware.simulated.emulated_board.why_not_emulated", lambda reason=reason: reason)
        finding = _serial(load_table())
        assert said(finding) == ("serial", Health.UNUSED)
        assert words in finding.what


def test_serial_line_that_is_held() -> None:
    import serial

    controller, terminal = os.openpty()
    with serial.Serial(os.ttyname(terminal), 115200, exclusive=True):
        finding = check_serial(os.ttyname(terminal), 115200)
    assert said(finding) == ("serial", Health.WARNING)
    assert "is held by another program" in finding.what
    os.close(terminal)
    os.close(controller)


def test_serial_line_that_is_not_there(tmp_path: Path) -> None:
    nothing = check_serial("/dev/ttyACM7", 115200, tmp_path / "by-id")
    assert said(nothing) == ("serial", Health.BROKEN)
    assert nothing.what == "serial.port /dev/ttyACM7 is not there"
    assert "check the USB cable" in nothing.remedy
    (tmp_path / "usb-Arduino_Mega").touch()
    assert f"There are: {tmp_path}/usb-Arduino_Mega." in check_serial("/dev/ttyACM7", 115200, tmp_path).remedy


def test_what_is_no_serial_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    finding = check_serial(str(tmp_path / "file"), 115200, tmp_path / "by-id")
    assert said(finding) == ("serial", Health.BROKEN)
    assert "cannot be opened" in finding.what


def test_no_serial_line_is_wanted() -> None:
    assert said(check_serial(None, 115200)) == ("serial", Health.UNUSED)


# Computer and network -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "synchronised", "state", "words"),
    [
        (NOON, True, Health.OK, "2026-06-01 12:00 UTC, set by a time server"),
        (NOON, None, Health.OK, "2026-06-01 12:00 UTC"),
        (NOON, False, Health.WARNING, "set by no time server"),
        (NOON - timedelta(hours=20), True, Health.OK, "2026-05-31"),
        (datetime(1970, 1, 1, tzinfo=UTC), True, Health.WARNING, "before the program was installed (2026-06-01)"),
    ],
)
def test_clock(now: datetime, synchronised: bool | None, state: Health, words: str) -> None:
    finding = check_clock(now, NOON, synchronised)
    assert said(finding) == ("clock", state)
    assert words in finding.what


def test_the_kernel_and_the_installation_can_be_asked() -> None:
    assert clock_synchronised() in (True, False, None)
    assert installed_at() < datetime.now(UTC) + timedelta(days=1)


def room(free_bytes: int) -> Callable[[Path], os.statvfs_result]:
    return lambda path: os.statvfs_result((4096, 4096, 10**7, 0, free_bytes // 4096, 0, 0, 0, 0, 255))


@pytest.mark.parametrize(
    ("free_bytes", "took_s", "state", "words"),
    [
        (10 * SCARCE_BYTES, 0.01, Health.OK, "10.0 GB free"),
        (SCARCE_BYTES - 4096, 0.01, Health.WARNING, "nearly full: 1.0 GB free"),
        (FULL_BYTES - 4096, 0.01, Health.BROKEN, "full: 0.1 GB free"),
        (10 * SCARCE_BYTES, 0.5, Health.WARNING, "slow: 10.0 GB free"),
    ],
)
def test_disk(tmp_path: Path, free_bytes: int, took_s: float, state: Health, words: str) -> None:
    times = iter((1.0, 1.0 + took_s))
    finding = check_disk(tmp_path / "not" / "yet", room(free_bytes), lambda: next(times))
    assert said(finding) == ("disk", state)
    assert finding.what.startswith(words)
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_disk_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    finding = check_disk(tmp_path / "file" / "data")
    assert said(finding) == ("disk", Health.BROKEN)
    assert finding.what == f"{tmp_path / 'file'} cannot be written: Not a directory"
    assert "change its owner" in finding.remedy


def test_disk_that_is_full(tmp_path: Path) -> None:
    def full(_: Path) -> os.statvfs_result:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    finding = check_disk(tmp_path, full)
    assert said(finding) == ("disk", Health.BROKEN)
    assert "`pizzatable tidy`" in finding.remedy


def test_the_real_disk_can_be_asked(tmp_path: Path) -> None:
    assert check_disk(tmp_path).name == "disk"


def test_kept_games(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    assert said(check_kept_games(path)) == ("journal", Health.OK)
    with Journal(path) as journal:
        journal.append("start", {}).result()
        held = check_kept_games(path)
        log = wal_path(path).read_bytes()
    assert said(held) == ("journal", Health.WARNING)
    assert held.what == f"{path} is held by another process"
    assert check_kept_games(path) == Finding("journal", Health.OK, f"1 record in {path}")
    path.write_bytes(path.read_bytes()[:10_000])
    damaged = check_kept_games(path)
    assert said(damaged) == ("journal", Health.BROKEN)
    assert damaged.what.startswith(f"{path}: expected a journal that reads back whole")
    path.unlink()
    wal_path(path).write_bytes(log)
    mixed = check_kept_games(path)
    assert said(mixed) == ("journal", Health.BROKEN)
    assert mixed.remedy.startswith("Until then the table does not start")
    path.write_bytes(b"notes")
    assert check_kept_games(path).remedy == "Move it away to begin with an empty journal."


def test_a_game_that_run_would_refuse_is_told_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    begun = {"game": "dice_and_slice", "seats": [1, 2], "names": ["a", "b"], "options": {}, "first": 1}
    with Journal(path) as journal:
        journal.append("game", begun, begins_game=True).result()
    settings = tmp_path / "table.toml"
    before = path.read_bytes()
    for present, state in (("true", Health.OK), ("false", Health.BROKEN)):
        text = f'game = "dice_and_slice"\ndata_dir = "."\ncamera.driver = "opencv:0"\n[seats.2]\npresent = {present}\n'
        settings.write_text(text)
        found = check_kept_games(path, _played(load_table([settings]), settings))
        assert said(found) == ("journal", state)
    assert found.what == f"{path}: record 1 (game) does not replay: seat 2: expected one of [1, 3, 4, 5, 6]"
    assert found.remedy.startswith("Put seat 2 back, present = true under [seats.2] in the settings")
    assert path.read_bytes() == before


def test_of_games_with_which_nothing_is_wrong_nobody_is_told_to_part(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.symlink_to(tmp_path / "unplugged" / "journal.sqlite")
    gone = check_kept_games(path)
    assert said(gone) == ("journal", Health.BROKEN)
    assert "nothing is wrong with the games in it" in gone.remedy
    path.unlink()
    with Journal(path) as journal:
        journal.append("start", {}).result()
    with contextlib.closing(sqlite3.connect(path)) as newer:
        newer.execute("PRAGMA user_version = 99")
        newer.execute("ALTER TABLE records ADD COLUMN colour TEXT")
    assert check_kept_games(path).remedy == "Update this program: the games are of a newer one."


def test_port() -> None:
    async def ask() -> dict[str, Finding]:
        hub = Hub()
        hub.publish(ring_served())
        table = ring_served().table
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            async with serving(make_app(hub), hub, "127.0.0.1", 0) as port:
                asked = {
                    "own": (port, table),
                    "other": (port, "Left table"),
                    "silent": (silent.getsockname()[1], table),
                    "free": (0, table),
                }
                return {name: await asyncio.to_thread(check_port, "127.0.0.1", *which) for name, which in asked.items()}

    found = asyncio.run(ask())
    states = {name: said(finding)[1] for name, finding in found.items()}
    assert states == {"own": Health.OK, "other": Health.BROKEN, "silent": Health.BROKEN, "free": Health.OK}
    assert f"is that of another table, “{ring_served().table}”" in found["other"].what
    assert "Address already in use" in found["silent"].what


def test_lan_name_that_is_free() -> None:
    finding = asyncio.run(check_lan_name("Nobody's table", interfaces=LOOPBACK))
    assert said(finding) == ("LAN name", Health.OK)
    assert finding.what == "“Nobody's table” is free on 127.0.0.1"


def test_lan_name_of_this_running_table_and_of_another_on_the_same_machine() -> None:
    async def ask() -> list[Finding]:
        discovery = Discovery(Announcement("Doctor's table", "new_york_slice", "0.1.0", 8080), LOOPBACK)
        await discovery.refresh()
        try:
            return [await check_lan_name("Doctor's table", port, LOOPBACK) for port in (8080, 8081)]
        finally:
            await discovery.close()

    own, other = asyncio.run(ask())
    assert said(own) == ("LAN name", Health.OK)
    assert "runs on this machine" in own.what
    assert said(other) == ("LAN name", Health.WARNING)
    assert other.what == "“Doctor's table” is the name of another table, 127.0.0.1 port 8080"


def test_lan_name_of_another_table() -> None:
    async def ask() -> Finding:
        other = AsyncZeroconf(interfaces=list(LOOPBACK), ip_version=IPVersion.V4Only)
        service = ServiceInfo(
            SERVICE, f"Left table.{SERVICE}", port=1, server="left.local.", parsed_addresses=["192.0.2.7"]
        )
        await (await other.async_register_service(service))
        try:
            return await check_lan_name("Left table", 1, LOOPBACK)
        finally:
            await other.async_close()

    finding = asyncio.run(ask())
    assert said(finding) == ("LAN name", Health.WARNING)
    assert finding.what == "“Left table” is the name of another table, 192.0.2.7 port 1"


def test_no_network() -> None:
    finding = asyncio.run(check_lan_name("Kitchen table", interfaces=("nowhere0",)))
    assert said(finding) == ("LAN name", Health.BROKEN)
    assert "no address" in finding.what


@pytest.mark.parametrize(
    ("held", "driver", "hold", "state", "words"),
    [
        (frozenset(Automatic), "opencv:0", True, Health.OK, "focus and exposure and white balance held"),
        (
            {Automatic.EXPOSURE}, "opencv:0", True, Health.OK,
            "exposure held; focus and white balance left to the camera",
        ),
        (frozenset(), "opencv:0", True, Health.OK, "focus and exposure and white balance left to the camera"),
        (frozenset(), "opencv:0", False, Health.UNUSED, "camera.hold is false"),
        (None, "opencv:film.mp4", True, Health.UNUSED, "recorded pictures"),
        (None, "picamera2", True, Health.OK, "stays focused at 870 mm"),
    ],
)  # fmt: skip
def test_what_a_camera_holds(
    held: frozenset[Automatic] | None, driver: str, hold: bool, state: Health, words: str
) -> None:
    finding = check_automatics(held, driver, hold=hold, focus_mm=870.0)
    assert said(finding) == ("automatics", state)
    assert words in finding.what


def test_a_webcam_is_looked_at_as_it_is_then_played() -> None:
    conditions, clock = Conditions(), VirtualClock()
    renderer = Renderer({}, conditions.camera_model(640, 360), conditions)
    held_s: list[float] = []

    class Noted(Webcam):
        def hold(self, which: Collection[Automatic]) -> frozenset[Automatic]:
            held_s.append(clock.now_s)
            return super().hold(which)

    bare = SimulatedCamera(World(Random(0)).snapshot, renderer, clock, clock.sleep, 8.0)
    _, seen = check_camera(lambda: Noted(bare, Random(1)))
    assert seen is not None
    assert seen.held == frozenset(Automatic)
    assert held_s[0] - 50.0 >= SETTLED_S
    assert seen.frame.time_s > held_s[0]


# All of it ------------------------------------------------------------------------------------------------------------

PARTS = [
    "camera",
    "markers",
    "lens",
    "camera's arm",
    "light",
    "flicker",
    "automatics",
    "game",
    "names",
    "faces",
    "pins",
    "serial",
    "clock",
    "disk",
    "journal",
    "port",
    "LAN name",
]


def test_a_simulated_table_needs_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text('data_dir = "data"\n[lan]\nannounce = false\nport = 0\n')
    findings = asyncio.run(examine(load_table([tmp_path / "table.toml"])))
    assert [finding.name for finding in findings] == PARTS
    unused = [finding.name for finding in findings if finding.state is Health.UNUSED]
    others = [*PARTS[:7], "faces", "pins", "serial", "LAN name"]
    assert unused == others


def test_without_a_picture_markers_and_light_are_not_judged(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(f'[lan]\nannounce = false\n[camera]\ndriver = "opencv:{tmp_path}/none"\n')
    findings = {f.name: f for f in asyncio.run(examine(load_table([tmp_path / "table.toml"])))}
    assert list(findings) == PARTS
    assert findings["camera"].state is Health.BROKEN
    assert {findings[name].state for name in PARTS[1:6]} == {Health.SKIPPED}
    assert findings["light"].what == "not looked at: there is no picture"
