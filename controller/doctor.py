"""What is wrong with a table's parts, and what to do about it: one small check a part, each on its own.

The checks look at the real parts and leave them as they were. A part that the running table holds cannot be looked at
beside it: that is said, and is no fault.
"""

import asyncio
import contextlib
import ctypes
import errno
import http.client
import json
import math
import os
import queue
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from config.counted import counted
from config.loader import table_files
from config.schema import Confirm, TableConfig
from controller.addresses import addresses_on
from controller.parts import FULL_BYTES, SCARCE_BYTES

if TYPE_CHECKING:
    from gpiozero.pins import Factory

    from firmware_bridge.link import LinkStatus
    from hardware.camera import Automatic, Camera
    from hardware.panel import PanelPins
    from vision.frame import Frame, Image
    from vision.light.flicker import Flicker
    from vision.mat.lens import AssumedFocal
    from vision.motion import Small

CAMERA_S = 20.0
"""A camera that has not answered after so long will not."""
PICTURES = 8
"""The first pictures of a camera are often too dark or too bright: the last of these counts."""
WATCHED, WATCHED_S = 24, 3.0
"""So many more pictures tell of lamps that flicker, or as many as it gives within this time."""
SETTLED_S = 3.0
"""A camera's own automatics have settled after so long, where the light of the room stays as it is."""
STILL_MM, SWAYS_MM = 0.1, 3.0
"""A camera that sways by less on the table, to each side, hangs still; by less than the second it is seen through."""
FLICKERS = 0.01
"""Light that goes up and down by less of its mean does no harm."""
BLACK, DARK, DIM = 12.0, 60.0, 110.0
"""Where the picture's brightest hundredth, the mat's white, is below this (0 to 255), it is black, too dark, or dim."""
DARK_PART, LEAST_LEVEL = 0.1, 0.4
"""More of the mat must not be dark, and white paper at one of its corners not have less of that at another. Of lit
tables at most 0.005 of the mat are dark, and paper has 0.77 at least."""
UNEVEN = 1.15
"""So many times as bright as the other is a side that has more light."""
WHITE = 250
GLARE, BLINDED = 0.01, 0.1
"""The share of the picture that is white to the brim: a reflection, or far too much light."""
CUT_OFF, MOST_MARKERS = 251.0, 3
"""White paper so bright, beside so many of the mat's markers, may be brighter than the picture shows: that is no lamp's
reflection."""
BOARD_S = 5.0
"""A board that restarts answers within this."""
ASKED_S = 2.0
"""A table on this machine says its name within this."""
SLOW_FSYNC_S = 0.25
MAKE_ROOM = "Delete what is not needed, as pictures of older games (`pizzatable tidy`), or move data_dir elsewhere."
"""What helps where the disk is full, or nearly so."""
_CLOCK_UNSYNCHRONISED = 5
"""adjtimex(2): TIME_ERROR."""

Result = TypeVar("Result")


class Health(Enum):
    """How a part is doing."""

    OK = "ok"
    UNUSED = "unused"
    """Not there because the settings do not want it."""
    SKIPPED = "skipped"
    """Cannot be looked at before something else works."""
    WARNING = "warning"
    """The table plays, but something should be seen to."""
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found."""

    name: str
    """The part that was looked at."""
    state: Health
    what: str
    remedy: str = ""
    """What to do; empty where there is nothing to do."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a camera showed."""

    frame: "Frame"
    flicker: "Flicker | None"
    """None where its pictures tell nothing of that."""
    held: "frozenset[Automatic] | None" = None
    """Which of its automatics it held; None where it is none that would."""
    sways_mm: float | None = None
    """How far it sways to each side, as is seen on the table; None where its pictures tell nothing of that."""


async def examine(config: TableConfig, config_file: Path | None = None) -> list[Finding]:
    """Check everything that a table has; its settings are of this file, where one was named. Takes some seconds."""
    findings, seen = await asyncio.to_thread(_look, config)
    if seen is None:
        findings += _unseen(findings[0])
    else:
        image = seen.frame.image
        findings += [
            check_markers(image, seen.frame.assumed, config.camera.driver),
            await asyncio.to_thread(check_lens, config, image),
            check_arm(seen.sways_mm),
            check_light(image),
            check_flicker(seen.flicker, config.camera.driver, config.camera.mains_hz),
            check_automatics(seen.held, config.camera.driver, hold=config.camera.hold, focus_mm=config.camera.focus_mm),
        ]
    game = check_game(config, table_files(config_file, os.environ))
    findings += [
        game,
        check_names(config),
        await asyncio.to_thread(check_copy, config, config_file) if game.state is Health.OK else _UNTOLD_COPY,
        _pins(config),
        await asyncio.to_thread(_serial, config),
        check_clock(datetime.now(UTC), installed_at(), clock_synchronised()),
        check_disk(config.data_dir),
        await asyncio.to_thread(check_kept_games, config.data_dir / "journal.sqlite", _played(config, config_file)),
        await asyncio.to_thread(check_port, config.lan.host, config.lan.port, config.name),
        await _lan_name(config),
    ]
    return findings


def check_camera(
    open_camera: Callable[[], "Camera"],
    limit_s: float = CAMERA_S,
    expected: tuple[int, int] | None = None,
    *,
    follow_light: bool = False,
) -> tuple[Finding, Seen | None]:
    """Whether the camera gives pictures, no larger than expected (width and height) and of that shape; and one of them,
    for which it was adjusted, where it is to `follow_light`, with what those after it tell."""
    from hardware.camera import CameraError, NoRecording
    from vision.mat.lens_file import of_one_shape

    try:
        about, seen = _within(limit_s, lambda: _seen_by(open_camera, follow_light=follow_light))
    except TimeoutError:
        what = f"the camera has not answered for {limit_s:g} s"
        return Finding("camera", Health.BROKEN, what, "Check its cable at both ends, then restart the computer."), None
    except NoRecording as error:
        return Finding("camera", Health.BROKEN, str(error), "Put camera.driver of the settings right."), None
    except CameraError as error:
        remedy = (
            "Check its cable and camera.driver in the settings (`rpicam-hello --list-cameras`, `ls /dev/video*`). If "
            "the table runs, it holds the camera: look at its display, or end it first."
        )
        return Finding("camera", Health.BROKEN, str(error), remedy), None
    height, width = seen.frame.image.shape[:2]
    what = f"{about}: pictures of {width}x{height}"
    if expected is not None and width * height > expected[0] * expected[1]:
        remedy = "Set camera.width and camera.height to what the camera gives: the table refuses larger pictures."
        said = f"{what}, more than the settings' {expected[0]}x{expected[1]}"
        return Finding("camera", Health.BROKEN, said, remedy), seen
    if expected is not None and not of_one_shape((width, height), expected):
        remedy = "Set camera.width and camera.height to what the camera gives: a calibrated lens holds for one shape."
        said = f"{what}, of another shape than the settings' {expected[0]}x{expected[1]}"
        return Finding("camera", Health.WARNING, said, remedy), seen
    return Finding("camera", Health.OK, what), seen


def check_markers(image: "Image", assumed: "AssumedFocal | None" = None, driver: str = "") -> Finding:
    """Whether the mat's markers can be seen by a camera of this driver. How high it is, what is `assumed` of its focal
    length tells."""
    from vision.mat.errors import RegistrationError
    from vision.mat.lens import ANY_CAMERA
    from vision.mat.markers import MARKERS_MM
    from vision.mat.registration import find_mat
    from vision.mat.sharpness import out_of_focus

    try:
        found = find_mat(image, assumed=assumed or ANY_CAMERA)
    except RegistrationError as error:
        remedy = (
            "The whole mat must be in the picture, flat, unfolded, in even light, and no other mat beside it; the "
            "camera looks straight down at it and is in focus."
        )
        return Finding("markers", Health.BROKEN, str(error), remedy)
    missing = sorted(MARKERS_MM.keys() - found.markers_px.keys())
    if missing:
        corners = ", ".join(f"{_CORNERS[marker]} ({marker})" for marker in missing)
        what = f"not all of the mat's markers are seen: missing at the {corners}"
        return Finding("markers", Health.WARNING, what, "Uncover it, take glare off it, move the mat into the picture.")
    if soft := out_of_focus(image, list(found.markers_px.values())):
        what = f"all four seen, but out of focus: {soft}"
        focus = "Focus the camera on the table"
        if driver == "picamera2":
            focus += f" (if its lens has a motor: camera.focus_mm, by this picture {found.camera_mm[2]:.0f})"
        return Finding("markers", Health.WARNING, what, f"{focus}, and let nothing shake it.")
    what = (
        f"all four seen, {found.error_px:.1f} px from their places; the lens is {found.camera_mm[2] / 1000:.2f} m above"
    )
    if found.laid_mm is not None:
        off = max(math.dist(found.laid_mm[i].mean(0), MARKERS_MM[i].mean(0)) for i in found.laid_mm)
        what += f". They lie up to {off:.0f} mm beside their places, which is taken into account"
    return Finding("markers", Health.OK, what)


def check_lens(config: TableConfig, image: "Image") -> Finding:
    """Whether the lens that was calibrated is this camera's, or one should be that was not."""
    from controller.lenses import lens_file, stored_lens
    from vision.mat.errors import MarkersMissing, RegistrationError, VisionError
    from vision.mat.registration import find_mat, lens_doubt

    again = "Calibrate again with this camera as it hangs now (`pizzatable calibrate`), or remove that file."
    path = lens_file(config)
    try:
        lens = stored_lens(config)
    except (VisionError, OSError) as error:
        return Finding("lens", Health.BROKEN, str(error), again)
    if lens is None:
        what = (
            "not calibrated: it is estimated from each picture; far from the mat `pizzatable calibrate` makes it surer"
        )
        bent = _bent_too_far(image)
        if bent:
            return Finding(
                "lens", Health.WARNING, f"not calibrated, and {bent}", "Calibrate it: `pizzatable calibrate`."
            )
        return Finding("lens", Health.OK, what)
    try:
        doubt = lens_doubt(find_mat(image, lens=lens), lens)
    except MarkersMissing:
        return Finding("lens", Health.OK, f"{path.name}; the mat is not seen, so that nothing shows whether it fits")
    except RegistrationError as error:
        doubt = str(error)
    return Finding("lens", Health.WARNING, doubt, again) if doubt else Finding("lens", Health.OK, f"{path.name} fits")


def _bent_too_far(image: "Image") -> str:
    from vision.mat.errors import RegistrationError
    from vision.mat.registration import bent_too_far, find_mat

    try:
        return bent_too_far(find_mat(image))
    except RegistrationError:
        return ""  # What is wrong is said of the markers.


def check_game(config: TableConfig, files: Sequence[Path] = ()) -> Finding:
    """Whether there is the settings' game, and it takes their options and seats; the settings are of these files."""
    from controller.choosing import Shelf
    from controller.game import GameError
    from controller.games.registry import load_game

    shelf = Shelf(config)
    try:
        with shelf.placed(files):
            choice = shelf.by_rules(shelf.usual())
    except GameError as error:
        return Finding("game", Health.BROKEN, str(error), "Put it right in the settings: `pizzatable run` refuses it.")
    return Finding("game", Health.OK, load_game(choice.game).title)


def check_names(config: TableConfig) -> Finding:
    """Whether the seats are called otherwise in the settings, each."""
    from controller.said_names import namesakes

    alike = namesakes({number: seat.name for number, seat in config.seats.items()})
    if not alike:
        return Finding("names", Health.OK, "each seat has a name of its own")
    told = "; ".join(f"{_several(seats)} are called “{config.seats[seats[0]].name}”" for seats in alike)
    what = f"{told}: whoever joins there by button is called “Player 1” or the like, whose games count for nobody"
    others = " and ".join(f"seats.{seat}.name" for _, *seats in alike for seat in seats)
    return Finding("names", Health.WARNING, what, f"Give each another name in the settings: {others}.")


def _several(seats: Sequence[int]) -> str:
    return f"seats {', '.join(map(str, seats[:-1]))} and {seats[-1]}"


def check_copy(config: TableConfig, config_file: Path | None = None) -> Finding:
    """Whether the owner's copy of the game was shown, all of it."""
    from controller.choosing import enrol_command
    from controller.games.facts import ComponentError
    from controller.games.registry import needs_faces
    from controller.watching import load_faces
    from controller.whose_faces import OtherGamesFaces
    from vision.mat.errors import VisionError

    game = config.game
    path = config.faces_of(game)
    if not needs_faces(game):
        return Finding("faces", Health.UNUSED, f"{game}: its pieces have none that would be learned")
    simulated = config.camera.driver == "simulated"
    if path is None and simulated:
        return Finding(
            "faces", Health.UNUSED, 'camera.driver is "simulated": the simulated table has a copy of its own'
        )
    command = enrol_command(game, path or Path(f"{game}.faces"), config_file)
    show = f"Show your copy to the camera: `{command}`."
    if simulated:
        show = "Leave faces out: the simulated table has a copy of its own."
    if path is None:
        return Finding("faces", Health.BROKEN, f'faces is "": no copy of {game} was shown', show)
    try:
        pack = load_faces(path, game, config.options)
    except FileNotFoundError:
        return Finding("faces", Health.BROKEN, f"{path} is not there", show)
    except OSError as error:
        return Finding("faces", Health.BROKEN, f"{path}: {error.strerror}", show)
    except ComponentError as error:
        return Finding("faces", Health.BROKEN, str(error), "Put the option components of the settings right.")
    except OtherGamesFaces as error:
        own = Path(path).with_name(f"{game}.faces")
        first = "Move that file away" if own == path else 'Set faces = "{game}.faces" in the settings'
        if not simulated:
            show = f"{first}, then show your copy to the camera: `{enrol_command(game, own, config_file)}`."
        return Finding("faces", Health.BROKEN, str(error), show)
    except VisionError as error:
        return Finding("faces", Health.BROKEN, str(error), show)
    board = "" if pack.board is None else "the board" if not pack.names else " and a board"
    faces = f"{len(pack.names)} faces" if pack.names else ""
    return Finding("faces", Health.OK, f"{faces}{board} of {game}, in {path}")


def check_arm(sways_mm: float | None) -> Finding:
    """Whether the camera hangs still, by how far it sways on the table, to each side."""
    name = "camera's arm"
    if sways_mm is None:
        return Finding(name, Health.SKIPPED, "the mat's markers are seen in too few pictures to tell whether it sways")
    if sways_mm < STILL_MM:
        return Finding(name, Health.OK, "the camera hangs still")
    sways = f"the camera sways by {sways_mm:.1f} mm on the table to each side"
    if sways_mm < SWAYS_MM:
        return Finding(name, Health.OK, f"{sways}: that is seen through")
    remedy = "Make its arm shorter or stiffer, or fix it to a wall or a ceiling instead of to the table."
    return Finding(name, Health.WARNING, sways, remedy)


def check_light(image: "Image") -> Finding:
    """Whether there is enough light, and not too much of it in one place."""
    import numpy as np

    bright = image.max(axis=2)
    level, share = float(np.percentile(bright, 99)), float((image.min(axis=2) >= WHITE).mean())
    measured = f"the brightest parts are {level:.0f} of 255, {share:.1%} of the picture is blinded"
    if level < BLACK:
        return Finding("light", Health.BROKEN, f"too dark: {measured}", "Take the cap off the lens, light the table.")
    if level < DARK:
        return Finding("light", Health.BROKEN, f"too dark: {measured}", _where_a_lamp_helps(image))
    if (cut_off := _paper_cut_off(image)) >= MOST_MARKERS:
        remedy = (
            "Pencil and pale print do not show on it. Dim the light, or let the camera gather less: with picamera2 and "
            "camera.follow_light it does so by itself, a USB camera with camera.hold = false and `v4l2-ctl --set-ctrl` "
            "(its exposure)."
        )
        what = f"too bright: white paper at {cut_off} of the mat's markers is cut off; {measured}"
        return Finding("light", Health.BROKEN if share > BLINDED else Health.WARNING, what, remedy)
    if share > GLARE:
        from vision.light.lamp import blown_side

        side = blown_side(image)
        there = f"on the {side} of the picture" if side else "above the table"
    if share > BLINDED:
        remedy = f"The light comes from a window or lamp {there}: draw a curtain there, turn it away, or dim it."
        return Finding("light", Health.BROKEN, f"too bright: {measured}", remedy)
    if share > GLARE:
        remedy = (
            f"The lamp or window that is mirrored stands {there}: move the lamp farther out or lower, draw a curtain, "
            "or move the camera, until nothing is mirrored in the table; a cloth helps on a glossy one."
        )
        return Finding("light", Health.WARNING, f"glare: {measured}", remedy)
    if level < DIM:
        return Finding("light", Health.WARNING, f"dim: {measured}", _where_a_lamp_helps(image))
    if dark := _dark_part(image):
        return Finding("light", Health.WARNING, f"{dark}; {measured}", _where_a_lamp_helps(image))
    return Finding("light", Health.OK, measured)


def check_flicker(flicker: "Flicker | None", driver: str, mains_hz: int) -> Finding:
    """Whether lamps make stripes that wander over the pictures of a camera of this driver, which is told of mains of
    `mains_hz`; 0: of none."""
    if flicker is None:
        return Finding("flicker", Health.SKIPPED, "its pictures are too few, too dark or too bright to tell")
    if flicker.share < FLICKERS:
        untold = " and ".join(f"{hz} Hz" for hz in flicker.untold_hz())
        still = f"; at {flicker.rate_hz:.0f} pictures/s those of mains of {untold} stand still and cannot be told"
        return Finding("flicker", Health.OK, f"no stripes move over the picture{still if untold else ''}")
    seems = flicker.mains_hz()
    likely = "" if seems is None else f", as on mains of {seems} Hz"
    what = f"stripes move over the picture, {flicker.share:.0%} brighter and darker than without: lamps flicker{likely}"
    if not mains_hz or seems not in (None, mains_hz):
        remedy = f"Set camera.mains_hz to {seems or 'that of your mains, 50 or 60'}."
        return Finding("flicker", Health.WARNING, what, remedy)
    reasons = [f"so much light falls that the camera exposes for less than {500 / mains_hz:.1f} ms: take lamps away"]
    if driver != "picamera2":
        reasons.append("the camera has no power_line_frequency that can be set (`v4l2-ctl --list-ctrls`)")
    if seems is None:
        reasons += ["a dimmer switches lamps at its own pace: turn it up", f"camera.mains_hz = {mains_hz} is wrong"]
    either = f"{'either ' if len(reasons) > 1 else ''}{', or '.join(reasons)}"
    remedy = f"{either[0].upper()}{either[1:]}. Lamps that run on direct current do not flicker."
    return Finding("flicker", Health.WARNING, what, remedy)


def check_automatics(held: "frozenset[Automatic] | None", driver: str, *, hold: bool, focus_mm: float = 0.0) -> Finding:
    """Which automatics of a camera of this driver stay as they are while it is played, where they are to be held."""
    from hardware.camera import Automatic

    name = "automatics"
    if driver == "picamera2":
        what = f"exposure and white balance are held; a lens with a motor stays focused at {focus_mm:.0f} mm"
        return Finding(name, Health.OK, f"{what} (camera.focus_mm)")
    if held is None:
        return Finding(name, Health.UNUSED, "recorded pictures need none")
    if not hold:
        return Finding(name, Health.UNUSED, "camera.hold is false: the camera is left as it is")
    said = [f"{_listed(one for one in Automatic if one in held)} held"] if held else []
    if others := _listed(one for one in Automatic if one not in held):
        said.append(f"{others} left to the camera, which has no such automatic or does not let go of it")
    return Finding(name, Health.OK, "; ".join(said))


def _paper_cut_off(image: "Image") -> int:
    """At how many of the mat's markers white paper is as bright as the picture can show; 0 where no mat is seen."""
    from vision.light.paper import paper_seen
    from vision.mat.errors import RegistrationError
    from vision.mat.registration import find_mat

    try:
        paper = paper_seen(image, find_mat(image), ())
    except RegistrationError:
        return 0
    return sum(min(level) >= CUT_OFF for level in paper)


def _dark_part(image: "Image") -> str:
    """What of the mat lies in the dark while the rest is lit; "" where nothing does or no mat is seen."""
    from vision.light.darkness import dark_share
    from vision.light.glare import paper_levels
    from vision.mat.errors import RegistrationError
    from vision.mat.registration import find_mat

    try:
        mat = find_mat(image)
    except RegistrationError:
        return ""
    levels = paper_levels(image, mat)
    share = dark_share(image, mat)
    if share > DARK_PART:
        return f"{share:.0%} of the mat is dark beside the rest: what lies there cannot be read"
    if levels and min(levels.values()) < LEAST_LEVEL * max(levels.values()):
        low, high = min(levels, key=lambda marker: levels[marker]), max(levels, key=lambda marker: levels[marker])
        return f"uneven: white paper has {levels[low]:.0f} at marker {low} and {levels[high]:.0f} at marker {high}"
    return ""


def _where_a_lamp_helps(image: "Image") -> str:
    """Where to put a lamp so that it lights what is dark and is not mirrored."""
    from vision.light.glare import paper_levels
    from vision.light.lamp import dark_side, mirrored_beyond_mm
    from vision.mat.errors import RegistrationError
    from vision.mat.registration import find_mat

    try:
        mat = find_mat(image)
    except RegistrationError:
        return (
            "Put a lamp beside the table, about as high as the camera and a metre or more away: above the table it "
            "would be mirrored in it."
        )
    away = (
        f"about as high as the camera ({mat.camera_mm[2] / 1000:.1f} m) and {mirrored_beyond_mm(mat) / 1000:.1f} m or "
        "more from the mat's middle, so that it is mirrored outside of the picture"
    )
    dark = dark_side(paper_levels(image, mat), mat)
    if dark is None or dark.across < UNEVEN * dark.level:
        return f"Put a lamp beside the table, on any side, {away}."
    one, other = dark.markers
    return (
        f"Put a lamp on the {dark.where} of the picture, where the mat's markers {one} and {other} are and white paper "
        f"has {dark.level:.0f} of 255, across {dark.across:.0f}; {away}."
    )


def check_pins(pins: "PanelPins", open_pins: Callable[[], "Factory"], confirm: Confirm = Confirm.BUTTON) -> Finding:
    """Whether the panel's pins can be had, and no button is stuck; where moves count without buttons, there may be
    none."""
    from firmware_bridge.signals import HOST_SEAT, Signal
    from hardware.panel import Panel, PanelError

    down: list[Signal] = []
    try:
        factory = open_pins()
        try:
            Panel(pins, factory, time.monotonic, down.append).close()
        finally:
            factory.close()
    except PanelError as error:
        if "busy" in str(error).lower():
            return Finding("pins", Health.WARNING, str(error), "If the table runs, it holds them; else end what does.")
        if confirm is Confirm.REST:
            return Finding("pins", Health.UNUSED, f'timing.confirm is "rest", and there are no buttons: {error}')
        remedy = (
            "On a Raspberry Pi: `sudo usermod -aG gpio $USER`, then log in anew. Elsewhere the table has no buttons."
        )
        return Finding("pins", Health.BROKEN, str(error), remedy)
    if down:
        who = ", ".join("the host's" if one.seat == HOST_SEAT else f"seat {one.seat}'s" for one in down)
        remedy = "Nobody presses it? Its pin touches ground: see hardware/wiring.svg."
        return Finding("pins", Health.WARNING, f"pressed just now: {who} button", remedy)
    return Finding(
        "pins", Health.OK, f"{len(pins.seats)} buttons with lamps, the host's button, a buzzer; none is stuck"
    )


def check_serial(port: str | None, baud: int, names: Path | None = None, patience_s: float = BOARD_S) -> Finding:
    """Whether the microcontroller's line can be opened, and a board of this version answers. Those that are there have
    their stable names in the folder `names`; None: where Linux keeps them."""
    from firmware_bridge.link import board_ports, open_line

    if port is None:
        return Finding("serial", Health.UNUSED, 'serial.port is "": no microcontroller')
    there = board_ports() if names is None else board_ports(names)
    known = f"There are: {', '.join(there)}." if there else "No such device is plugged in: check the USB cable."
    if not Path(port).exists():
        return Finding("serial", Health.BROKEN, f"serial.port {port} is not there", f"{known} Set serial.port to it.")
    try:
        open_line(port, baud).close()
    except (OSError, ValueError) as error:
        if "lock" in str(error):
            what = f"{port} is held by another program"
            return Finding("serial", Health.WARNING, what, "If the table runs, that is it; else end what does.")
        remedy = f"`sudo usermod -aG dialout $USER`, then log in anew, if it may not be opened. {known}"
        return Finding("serial", Health.BROKEN, f"{port} cannot be opened: {error}", remedy)
    return check_board(_greet(port, baud, patience_s))


def check_board(status: "LinkStatus") -> Finding:
    """Whether a board answered, and what it said of itself."""
    from controller.board import told_link
    from firmware_bridge.contacts import failed_pads
    from firmware_bridge.session import LinkState

    if status.state is LinkState.GREETING:
        remedy = "Flash the firmware (hardware/README.md), or set serial.port to the board's line."
        return Finding("serial", Health.BROKEN, f"{status.port} opens, but no board answers", remedy)
    if status.state is not LinkState.READY or status.hello is None:
        remedy = "Flash the firmware of this version (hardware/README.md); check the USB cable."
        what = f"{status.port}: the board {told_link(status.state)}: {status.words}"
        return Finding("serial", Health.BROKEN, what, remedy)
    hello = status.hello
    if bad := failed_pads(hello):
        what = f"the board answers; in its self-test the pads of seats {', '.join(map(str, bad))} were stuck or joined"
        remedy = "Nobody leans on them? Then their pins touch ground or one another: see hardware/wiring.svg."
        return Finding("serial", Health.WARNING, what, remedy)
    if status.lost:
        what = f"the board answers; it had no room for {status.lost} events"
        return Finding(
            "serial", Health.WARNING, what, "Some were lost while nobody fetched them: look for a pad that chatters."
        )
    return Finding(
        "serial", Health.OK, f"{status.port}: the board answers, {hello.cold_boots} starts, its pads are well"
    )


def check_clock(now: datetime, installed: datetime, synchronised: bool | None) -> Finding:
    """Whether the wall clock may be right; only what people read depends on it. None: it cannot be known."""
    shown = f"{now:%Y-%m-%d %H:%M} UTC"
    remedy = "`sudo timedatectl set-ntp true`, or a clock battery on the Pi 5. The game itself does not need it."
    if now < installed - timedelta(days=1):
        what = f"it says {shown}, before the program was installed ({installed:%Y-%m-%d})"
        return Finding("clock", Health.WARNING, what, remedy)
    if synchronised is False:
        return Finding("clock", Health.WARNING, f"it says {shown} and is set by no time server", remedy)
    return Finding("clock", Health.OK, f"{shown}{', set by a time server' if synchronised else ''}")


def check_disk(
    folder: Path,
    statvfs: Callable[[Path], os.statvfs_result] = os.statvfs,
    clock: Callable[[], float] = time.monotonic,
) -> Finding:
    """Whether the journal can be written, there is room, and the disk takes a record in time."""
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    try:
        there = statvfs(existing)
        free = there.f_bavail * there.f_frsize
        took_s = _write_through(existing, clock)
    except OSError as error:
        remedy = f"data_dir must be a folder that {_user()} may write: change its owner, or data_dir in the settings."
        if error.errno == errno.ENOSPC:
            remedy = MAKE_ROOM
        return Finding("disk", Health.BROKEN, f"{existing} cannot be written: {error.strerror}", remedy)
    what = f"{free / 1e9:.1f} GB free in {folder}; a record takes {1000 * took_s:.0f} ms"
    remedy = MAKE_ROOM
    if free < FULL_BYTES:
        return Finding("disk", Health.BROKEN, f"full: {what}", remedy)
    if free < SCARCE_BYTES:
        return Finding("disk", Health.WARNING, f"nearly full: {what}", remedy)
    if took_s > SLOW_FSYNC_S:
        return Finding("disk", Health.WARNING, f"slow: {what}", "A faster card (A2) or a USB disk shows moves sooner.")
    return Finding("disk", Health.OK, what)


def _played(config: TableConfig, config_file: Path | None) -> TableConfig | None:
    """The settings with the game that `run` plays: the host's, or their own; None where it begins anew, or cannot."""
    from controller.choosing import Shelf
    from controller.game import GameError

    shelf = Shelf(config, config_file=config_file)
    if shelf.simulated:
        return None
    try:
        return shelf.settings_of(shelf.kept() or shelf.checked(shelf.usual()))
    except GameError:
        return None


def check_kept_games(journal: Path, played: TableConfig | None = None) -> Finding:
    """Whether the journal of the games that were played here can be read, and its last game gone on with where this is
    `played`."""
    from controller.journal import (
        JournalDamaged,
        JournalError,
        JournalForeign,
        JournalInUse,
        JournalMixed,
        JournalNewer,
        read_journal,
    )

    try:
        records = read_journal(journal)
    except JournalInUse:
        remedy = "If this table runs, that is it; another table needs a data_dir of its own."
        return Finding("journal", Health.WARNING, f"{journal} is held by another process", remedy)
    except JournalDamaged as error:
        return Finding("journal", Health.BROKEN, str(error), "`pizzatable run` recovers what can be read.")
    except JournalMixed as error:
        remedy = "Until then the table does not start, so that no game is replaced by another."
        return Finding("journal", Health.BROKEN, str(error), remedy)
    except JournalForeign as error:
        return Finding("journal", Health.BROKEN, str(error), "Move it away to begin with an empty journal.")
    except JournalNewer as error:
        return Finding("journal", Health.BROKEN, str(error), "Update this program: the games are of a newer one.")
    except JournalError as error:
        remedy = f"Let {_user()} read and write it, and give its disks room: nothing is wrong with the games in it."
        return Finding("journal", Health.BROKEN, str(error), remedy)
    if records is None:
        return Finding("journal", Health.OK, f"{journal} is made at the first start")
    if played is not None:
        from controller.kept_game import check_replays
        from controller.table import NotReplayed

        try:
            check_replays(played, records)
        except NotReplayed as error:
            return Finding("journal", Health.BROKEN, f"{journal}: {error}", error.remedy)
    return Finding("journal", Health.OK, f"{counted(len(records), 'record')} in {journal}")


def check_port(host: str, port: int, table: str) -> Finding:
    """Whether the display can be served on its port, or is, by the table of this name."""
    from controller.web.server import NoSuchHost, PortTaken, listening

    try:
        listening(host, port).close()
    except NoSuchHost as error:
        return Finding("port", Health.BROKEN, str(error), "Set lan.host; `ip address` says which addresses there are.")
    except PortTaken as error:
        who = _table_at(port)
        if who == table:
            return Finding("port", Health.OK, f"“{table}” runs on port {port}")
        what = f"lan.port {port} is that of another table, “{who}”" if who else str(error)
        return Finding("port", Health.BROKEN, what, "Set lan.port to a free one; `ss -ltnp` says what holds which.")
    return Finding("port", Health.OK, f"{port} is free" if port else "any free one")


async def check_lan_name(table: str, port: int = 0, interfaces: Sequence[str] = ()) -> Finding:
    """Whether the table can be found on the LAN by its name, and nobody else has that name. This table is served on
    `port`; 0: on any."""
    from zeroconf import Error as ZeroconfError

    from controller.discovery import who_has

    own = addresses_on(interfaces)
    if not own:
        remedy = "Plug the network in, or join the wireless one. This machine's own screen shows the table without it."
        return Finding("LAN name", Health.BROKEN, "this machine has no address on any network", remedy)
    try:
        holder = await who_has(table, interfaces)
    except (OSError, ZeroconfError) as error:
        remedy = "Let UDP port 5353 through the firewall; end what holds it for itself (`ss -ulpn`)."
        return Finding("LAN name", Health.BROKEN, f"the LAN cannot be asked: {error}", remedy)
    if holder is None:
        return Finding("LAN name", Health.OK, f"“{table}” is free on {', '.join(own)}")
    where = ", ".join(holder.addresses)
    here = bool(set(holder.addresses) & set(own))
    if here and port in (0, holder.port):
        return Finding("LAN name", Health.OK, f"“{table}” runs on this machine, {where}")
    remedy = "This table would be called “… (2)”: give it a name of its own, lan.name."
    what = f"“{table}” is the name of another table, {where} port {holder.port}"
    return Finding("LAN name", Health.WARNING, what, remedy)


def installed_at() -> datetime:
    """When this program was written to the disk."""
    return datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC)


def clock_synchronised() -> bool | None:
    """Whether the kernel's clock follows a time server, by adjtimex(2); None where the kernel does not say."""
    struct_timex = ctypes.create_string_buffer(512)  # larger than any; all zero asks and changes nothing
    state = ctypes.CDLL(None).adjtimex(struct_timex)
    return None if state < 0 else state != _CLOCK_UNSYNCHRONISED


# What the checks need -------------------------------------------------------------------------------------------------

_LOOK_S = 0.02
_CORNERS = {0: "top left", 1: "top right", 2: "bottom right", 3: "bottom left"}
_SIMULATED = 'camera.driver is "simulated"'
_UNTOLD_COPY = Finding(
    "faces", Health.SKIPPED, "not looked at: the settings' game cannot be played", "Put that right first."
)
_OF_PICTURES = ("markers", "lens", "camera's arm", "light", "flicker", "automatics")


def _listed(automatics: Iterable["Automatic"]) -> str:
    return " and ".join(one.value for one in automatics)


def _look(config: TableConfig) -> tuple[list[Finding], Seen | None]:
    """The camera's finding, alone in a list, and what it showed."""
    if config.camera.driver == "simulated":
        return [Finding("camera", Health.UNUSED, _SIMULATED)], None
    from controller.watching import open_table_camera

    size = config.camera.width, config.camera.height
    finding, seen = check_camera(
        lambda: open_table_camera(config, None), expected=size, follow_light=config.camera.follow_light
    )
    return [finding], seen


def _unseen(camera: Finding) -> list[Finding]:
    """What is said without a picture of what is told by pictures."""
    unused = camera.state is Health.UNUSED
    what = _SIMULATED if unused else "not looked at: there is no picture"
    state, remedy = (Health.UNUSED, "") if unused else (Health.SKIPPED, "Let the camera work first.")
    return [Finding(name, state, what, remedy) for name in _OF_PICTURES]


def _pins(config: TableConfig) -> Finding:
    if config.camera.driver == "simulated":
        return Finding("pins", Health.UNUSED, f"{_SIMULATED}: its buttons are too")
    from controller.wiring import panel_pins
    from hardware.panel import open_real_pins

    return check_pins(panel_pins(config), open_real_pins, config.timing.confirm)


def _serial(config: TableConfig) -> Finding:
    if config.serial.port is None and config.camera.driver == "simulated":
        from hardware.simulated.emulated_board import why_not_emulated

        reason = why_not_emulated()
        what = f"not emulated: {reason}" if reason else "emulated, with the real firmware"
        return Finding("serial", Health.UNUSED, f"{_SIMULATED}: its microcontroller is {what}")
    return check_serial(config.serial.port, config.serial.baud)


async def _lan_name(config: TableConfig) -> Finding:
    if not config.lan.announce:
        return Finding("LAN name", Health.UNUSED, "lan.announce is false")
    return await check_lan_name(config.lan.name or config.name, config.lan.port)


def _table_at(port: int) -> str:
    """The name of the table that is served on a port of this machine; empty where there is none."""
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=ASKED_S)
    try:
        asking.request("GET", "/api/state")
        return str(json.loads(asking.getresponse().read())["table"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return ""
    finally:
        asking.close()


def _greet(port: str, baud: int, patience_s: float) -> "LinkStatus":
    """How a connection with the board stands once it answered and tested its pads, or after `patience_s`."""
    from firmware_bridge.link import Link
    from firmware_bridge.session import LinkState

    with contextlib.closing(Link(port, time.monotonic, baud=baud, takes_signals=False)) as link:
        end_s = time.monotonic() + patience_s
        while time.monotonic() < end_s and link.status().state in (LinkState.CLOSED, LinkState.GREETING):
            link.get(_LOOK_S)
        greeted = link.status().hello
        link.test_pads()
        while time.monotonic() < end_s and greeted is not None and link.status().hello is greeted:
            link.get(_LOOK_S)
        return link.status()


def _seen_by(open_camera: Callable[[], "Camera"], *, follow_light: bool) -> tuple[str, Seen]:
    from hardware.camera import Automatic, Holdable, RecordingEnded
    from hardware.exposure import settled_picture

    camera = open_camera()
    frames: list[Frame] = []

    def newest() -> "Image":
        frames[:] = [camera.read(CAMERA_S)]
        try:
            for _ in range(PICTURES - 1):
                frames[:] = [camera.read(CAMERA_S)]
        except RecordingEnded:
            pass  # a recording may be shorter
        return frames[0].image

    try:
        image = settled_picture(camera, newest) if follow_light else newest()
        held, begun_s = None, frames[0].time_s
        if isinstance(camera, Holdable):
            while frames[0].time_s - begun_s < SETTLED_S:
                newest()
            held = camera.hold(frozenset(Automatic))
            image = newest()  # as it is then played
        flicker, sways_mm = _watched(camera, frames[0].assumed)
        return camera.description, Seen(replace(frames[0], image=image), flicker, held, sways_mm)
    finally:
        camera.close()


def _watched(camera: "Camera", assumed: "AssumedFocal") -> "tuple[Flicker | None, float | None]":
    """What the camera's next pictures tell of lamps' flicker, and by how many millimetres it sways."""
    from hardware.camera import RecordingEnded
    from vision.following.sway import Swings
    from vision.light.flicker import flicker_of
    from vision.mat.errors import RegistrationError
    from vision.mat.registration import find_mat
    from vision.motion import shrink

    pictures: list[Small] = []
    taken: list[tuple[int, float]] = []
    swings: Swings | None = None
    try:
        first = camera.read(CAMERA_S).image
        with contextlib.suppress(RegistrationError):
            swings = Swings(first, find_mat(first, assumed=assumed))
        while len(taken) < WATCHED and (not taken or taken[-1][1] - taken[0][1] < WATCHED_S):
            frame = camera.read(CAMERA_S)
            pictures.append(shrink(frame.image))
            taken.append((frame.sequence, frame.time_s))
            if swings is not None and frame.image.shape == first.shape:
                swings.see(frame.image)
    except RecordingEnded:
        pass  # as above
    numbers, times = zip(*taken, strict=True) if taken else ((), ())
    sways_mm = None if swings is None else swings.most_mm()
    one_view = len({picture.shape for picture in pictures}) == 1
    if not one_view or times[-1] <= times[0] or numbers[-1] <= numbers[0]:
        return None, sways_mm
    return flicker_of(pictures, numbers, (numbers[-1] - numbers[0]) / (times[-1] - times[0])), sways_mm


def _within(limit_s: float, work: Callable[[], Result]) -> Result:
    """What `work` gives. A camera with a loose cable may never come back: its thread is then left behind.

    Raises:
        TimeoutError: it took longer than `limit_s`.
        Exception: whatever `work` raised.
    """
    done: queue.Queue[Result | Exception] = queue.Queue()

    def run() -> None:
        try:
            done.put(work())
        except Exception as error:
            done.put(error)

    threading.Thread(target=run, name="doctor-camera", daemon=True).start()
    try:
        result = done.get(timeout=limit_s)
    except queue.Empty:
        raise TimeoutError(f"not done within {limit_s:g} s") from None
    if isinstance(result, Exception):
        raise result
    return result


def _write_through(folder: Path, clock: Callable[[], float]) -> float:
    """How long it takes to bring a record onto the disk, seconds. Raises OSError."""
    with tempfile.TemporaryFile(dir=folder) as file:
        begun = clock()
        file.write(b"pizzatable" * 100)
        file.flush()
        os.fsync(file.fileno())
        return clock() - begun


def _user() -> str:
    return os.environ.get("USER", "the user who runs the table")
