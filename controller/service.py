"""The service: opens everything a table has, joins it together, and closes it again.

    camera, reading (child process) ──Scene──▶ ┐
    panel (pins) ──Signal──▶ inbox ──▶ table ──▶ journal (thread), hub ──▶ displays, lamps

One asyncio loop decides everything. The inbox keeps the newest scene only, and up to SIGNALS_KEPT signals.
"""

import asyncio
import contextlib
import functools
import json
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

import click
import cv2

import controller.games
from config.schema import TableConfig
from controller.discovery import Announcement, Discovery
from controller.games.registry import load_game, load_part
from controller.journal import Journal, JournalError
from controller.referee import Referee
from controller.simulation.people import Gathering, Paths
from controller.simulation.play import panel_pins, timing
from controller.table import Table
from controller.views import PartState, PartView, TableView
from controller.web.app import create_app
from controller.web.hub import Hub
from controller.web.server import ServerError, serving
from firmware_bridge.signals import Signal
from hardware.camera import Camera
from hardware.drivers import open_camera
from hardware.panel import LampState, Panel, PanelError, open_real_pins
from hardware.simulated.link import LinkError, PanelCable, RemoteWorld
from hardware.simulated.pins import SimulatedPins
from hardware.vision_process import VisionProcess, VisionState, VisionStatus
from vision.faces import load_pack, save_pack
from vision.frame import Frame
from vision.reader import Reader
from vision.registration import VisionError, find_mat
from vision.scene import Scene

SIGNALS_KEPT = 64
POLL_S = 0.02
CAMERA_RATE_SIMULATED = 6.0
BUZZ_S = (0.08, 0.08, 0.08)
_log = logging.getLogger("pizzatable")
_PART_STATES = {
    VisionState.STARTING: PartState.STARTING,
    VisionState.OK: PartState.OK,
}


class ServiceError(Exception):
    """The service cannot start; the message says why and what to do."""


def run_service(config: TableConfig, *, fresh: bool, speed: float, players: int, mistakes: float = 0.05) -> None:
    """Run a table until it is interrupted.

    Raises:
        ServiceError: something that a table cannot do without is missing.
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    logging.getLogger("PIL").setLevel(logging.WARNING)
    simulated = config.camera.driver == "simulated"
    try:
        config.data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ServiceError(f"data_dir {config.data_dir}: expected a folder that can be written: {error}") from error
    paths = Paths(config.data_dir / "simulated")
    gathering = Gathering(players, int(time.time()) % 100_000, speed, mistakes, 0)
    with contextlib.ExitStack() as stack:
        if simulated:
            fresh = stack.enter_context(simulated_table(config, paths, gathering)) or fresh
        pack = faces_file(config)
        try:
            journal = stack.enter_context(Journal(config.data_dir / "journal.sqlite"))
        except JournalError as error:
            raise ServiceError(str(error)) from error
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(config, paths if simulated else None, pack, journal, fresh))


@contextlib.contextmanager
def simulated_table(config: TableConfig, paths: Paths, gathering: Gathering) -> Iterator[bool]:
    """Join the simulated table that is there, or set one up; says whether it is new. One that was set up here is put
    away when the service ends properly; when the service dies, it stays, as a table does."""
    paths.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    paths.folder.chmod(0o700)
    remote = RemoteWorld(paths.socket)
    with contextlib.suppress(LinkError):
        remote.snapshot()
        remote.close()
        click.echo("The simulated table is still there: going on with it.")
        yield False
        return
    paths.config.write_text(config.model_dump_json())
    with (paths.folder / "people.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "controller.simulation.people", str(paths.folder), json.dumps(asdict(gathering))],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        yield True
    finally:
        process.terminate()
        process.wait()


def faces_file(config: TableConfig) -> Path:
    """The pack of enrolled faces; on a simulated table without one, our own copy is shown to the camera first.

    Raises:
        ServiceError: there is none, and no simulated table to show our own copy to.
    """
    if config.faces is not None:
        if not config.faces.is_file():
            raise ServiceError(f"faces {config.faces}: no such file; make it with `pizzatable enrol`")
        return config.faces
    if config.camera.driver != "simulated":
        raise ServiceError('faces "": expected the file that `pizzatable enrol` wrote for your copy of the game')
    width, height = config.camera.width, config.camera.height
    path = config.data_dir / f"own-copy-{width}x{height}.faces"
    if not path.exists():
        from controller.games.new_york_slice.components import load_components
        from controller.simulation.copy import enrol_own_copy, own_art

        click.echo("Showing each piece to the simulated camera once (about ten seconds) ...")
        draft = path.with_suffix(".part")
        save_pack(enrol_own_copy(own_art(load_components()), width, height), draft)
        draft.replace(path)
    return path


class _Outlets:
    """Where the table's decisions go: hub, lamps, buzzer; and where its evidence comes from."""

    def __init__(self, hub: Hub, vision: VisionProcess) -> None:
        self._hub = hub
        self._vision = vision
        self.panel: Panel | None = None
        self.scene: Scene | None = None

    def show(self, view: TableView) -> None:
        self._hub.publish(view)

    def lamp(self, seat: int, mode: str) -> None:
        if self.panel is not None:
            self.panel.set_lamp(seat, LampState(mode))

    def buzz(self) -> None:
        if self.panel is not None:
            self.panel.buzz(BUZZ_S)

    def evidence(self) -> bytes | None:
        return self._vision.jpeg(sequence=self.scene.sequence) if self.scene else None


class _Inbox:
    """What has come in and was not looked at yet: the newest scene, and signals in order."""

    def __init__(self) -> None:
        self._scene: Scene | None = None
        self._signals: deque[Signal] = deque(maxlen=SIGNALS_KEPT)
        self._something = asyncio.Event()

    def scene(self, scene: Scene) -> None:
        self._scene = scene
        self._something.set()

    def signal(self, signal: Signal) -> None:
        if len(self._signals) == SIGNALS_KEPT:
            _log.warning("more than %d signals wait: dropping %s", SIGNALS_KEPT, self._signals[0])
        self._signals.append(signal)
        self._something.set()

    async def next(self) -> tuple[list[Signal], Scene | None]:
        """Wait for something; signals come before the scene."""
        await self._something.wait()
        self._something.clear()
        signals, scene = list(self._signals), self._scene
        self._signals.clear()
        self._scene = None
        return signals, scene


async def _serve(config: TableConfig, simulated: Paths | None, pack: Path, journal: Journal, fresh: bool) -> None:
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    hub, inbox = Hub(), _Inbox()
    size = (config.camera.width, config.camera.height)
    vision = VisionProcess(
        functools.partial(_open_camera, config, simulated),
        functools.partial(_make_reader, pack),
        largest_picture=size,
        hang_s=config.timing.hang_s,
    )
    outlets = _Outlets(hub, vision)
    game_table = load_part(config.game, "table").GAME_TABLE
    table = Table(
        config, load_game(config.game), game_table, Referee(timing(config)), journal, outlets,
        version=installed_version("pizzatable"), simulated=simulated is not None,
    )  # fmt: skip
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(vision.close)
        await table.start(fresh=fresh)
        token = _host_token(config.data_dir / "host-token")
        app = create_app(
            hub, table, Path(controller.games.__path__[0]), version=installed_version("pizzatable"), host_token=token,
            picture=functools.partial(_picture, vision, outlets),
        )  # fmt: skip
        try:
            port = await stack.enter_async_context(serving(app, hub, config.lan.host, config.lan.port))
        except ServerError as error:
            raise ServiceError(f"{error} Set lan.port or use --port.") from error
        outlets.panel = stack.enter_context(_panel(config, simulated, table, inbox, loop))
        vision.start(inbox.scene, functools.partial(_show_status, table), loop.call_soon_threadsafe)
        if simulated is not None:
            _tell_people(simulated, port, token)
        await stack.enter_async_context(_announced(config, port, table))
        tasks = [asyncio.create_task(_decide(table, inbox, outlets)), asyncio.create_task(_poll(outlets))]
        _say_where(port, token)
        waiting = asyncio.create_task(stopped.wait())
        done, _ = await asyncio.wait([waiting, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in (waiting, *tasks):
            task.cancel()
        for task in done - {waiting}:
            task.result()


async def _decide(table: Table, inbox: _Inbox, outlets: _Outlets) -> None:
    """The one task that brings scenes and signals to the table, one after the other."""
    while True:
        signals, scene = await inbox.next()
        for one in signals:
            await table.on_signal(one)
        if scene is not None:
            outlets.scene = scene
            await table.on_scene(scene)


async def _poll(outlets: _Outlets) -> None:
    """Let the panel settle, blink and buzz."""
    while True:
        if outlets.panel is not None:
            outlets.panel.poll()
        await asyncio.sleep(POLL_S)


@contextlib.contextmanager
def _panel(
    config: TableConfig, simulated: Paths | None, table: Table, inbox: _Inbox, loop: asyncio.AbstractEventLoop
) -> Iterator[Panel | None]:
    """The panel on real pins or on the simulated table's; a table without pins plays on and says so."""

    def on_signal(signal: Signal) -> None:
        loop.call_soon_threadsafe(inbox.signal, signal)

    pins = panel_pins(config)
    with contextlib.ExitStack() as stack:
        try:
            if simulated is None:
                factory = open_real_pins()
                panel = Panel(pins, factory, time.monotonic, on_signal)
            else:
                cable = PanelCable(simulated.socket, time.monotonic)
                stack.callback(cable.close)
                own = SimulatedPins(pins, cable.set_lamp, cable.set_buzzer)
                stack.callback(own.close)
                panel = Panel(pins, own.factory, time.monotonic, on_signal)
                cable.listen(own.apply)
        except PanelError as error:
            table.set_part("panel", PartView(state=PartState.LOST, text=f"{error}"))
            yield None
            return
        stack.callback(panel.close)
        text = f"{len(pins.seats)} lit buttons, the host's button, a buzzer"
        table.set_part("panel", PartView(state=PartState.OK, text=text))
        yield panel


@contextlib.asynccontextmanager
async def _announced(config: TableConfig, port: int, table: Table) -> AsyncIterator[None]:
    """Announced on the LAN while the block runs, where the settings want it."""
    if not config.lan.announce:
        table.set_part("discovery", PartView(state=PartState.ABSENT, text="lan.announce is false"))
        yield
        return
    announcement = Announcement(
        table=config.lan.name or config.name, game=config.game, version=installed_version("pizzatable"), port=port
    )
    discovery = Discovery(announcement, on_change=lambda part: table.set_part("discovery", part))
    keeping = asyncio.create_task(discovery.keep())
    try:
        yield
    finally:
        keeping.cancel()
        await discovery.close()


def _show_status(table: Table, status: VisionStatus) -> None:
    state = _PART_STATES.get(status.state, PartState.LOST)
    table.set_part("camera", PartView(state=state, text=status.text))


def _open_camera(config: TableConfig, simulated: Paths | None) -> Camera:
    """In the child process: the camera that the settings name."""
    cv2.setNumThreads(1)
    size = (config.camera.width, config.camera.height)
    return open_camera(
        config.camera.driver, size, config.camera.rate, functools.partial(_open_simulated_camera, config, simulated)
    )


def _open_simulated_camera(config: TableConfig, simulated: Paths | None) -> Camera:
    from controller.games.new_york_slice.components import load_components
    from controller.simulation.copy import own_art
    from hardware.simulated.camera import SimulatedCamera
    from hardware.simulated.renderer import Renderer
    from hardware.simulated.surroundings import Conditions

    if simulated is None:
        raise ServiceError("the simulated camera needs the simulated table")
    conditions = Conditions()
    camera = conditions.camera_model(config.camera.width, config.camera.height)
    renderer = Renderer(own_art(load_components()), camera, conditions)
    rate = min(config.camera.rate, CAMERA_RATE_SIMULATED)
    return SimulatedCamera(RemoteWorld(simulated.socket).snapshot, renderer, time.monotonic, time.sleep, rate)


def _make_reader(pack: Path) -> Callable[[Frame], Scene]:
    """In the child process: a reader of the enrolled faces."""
    return Reader(load_pack(pack)).read


def _picture(vision: VisionProcess, outlets: _Outlets) -> bytes | None:
    """The newest picture with what was read drawn on it, as JPEG; None while there is none."""
    from vision.drawing import draw_scene

    frame = vision.picture()
    if frame is None:
        return None
    image: Any = frame.image
    if outlets.scene is not None:
        with contextlib.suppress(VisionError):
            image = draw_scene(frame.image, outlets.scene, find_mat(frame.image))
    _, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])
    return encoded.tobytes()


def _host_token(path: Path) -> str:
    """The host's token, made once for a table."""
    if not path.exists():
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(12))
    return path.read_text().strip()


def _tell_people(paths: Paths, port: int, token: str) -> None:
    draft = paths.service.with_suffix(".part")
    draft.write_text(json.dumps({"url": f"http://127.0.0.1:{port}", "token": token}))
    draft.replace(paths.service)


def _say_where(port: int, token: str) -> None:
    click.echo("")
    click.echo(f"  The table's display:  http://{_own_address()}:{port}/")
    click.echo(f"  On this machine:      http://127.0.0.1:{port}/")
    click.echo(f"  The host's controls:  http://{_own_address()}:{port}/?host={token}")
    click.echo("  Ctrl+C ends the table.")
    click.echo("")


def _own_address() -> str:
    """The address that others on the LAN see; this machine's name where there is no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: nothing is sent
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
