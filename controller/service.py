"""The service: opens everything a table has, joins it together, and closes it again.

    camera, reading (child process) ──Scene──▶ ┐
    panel (pins) ─────────────Signal──▶ inbox ──▶ table ──▶ journal (thread), hub ──▶ displays, lamps
    host's controls (HTTP) ──────────▶ ┘                     ▲
    board (serial line) ──────Signal─────────────────────────┘ ──▶ back to the board: it may forget

One asyncio loop decides everything, one thing after the other. The inbox keeps the newest scene only, and up to
SIGNALS_KEPT signals of the panel; the board keeps its own until they are written down.

What is shown first comes first: journal, state, pages. Camera and panel follow while the display says "starting"; their
libraries are imported only then, so that after a power cut the room sees its game again at once.

What goes wrong while it runs is shown as a part of the table, and the rest plays on. A scene that cannot be judged
because of a fault of ours changes nothing: a move counts only after it was written, so the state stays what the journal
says, and the host can rule the move by hand. Only when the display itself cannot be kept up does the service end, with
an error, for whatever started it to start it again.
"""

import asyncio
import contextlib
import functools
import logging
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING

import click
from fastapi import FastAPI

import controller.games
from config.schema import TableConfig
from controller.addresses import lan_address, told_addresses
from controller.another_copy import AnotherCopy
from controller.board import SteadyBound, board_part, board_view, no_board
from controller.board_signals import BoardSignals
from controller.boot import boot_id
from controller.choosing import Choice, NotPlayable, Shelf, told_left
from controller.games.registry import load_game, load_part, needs_faces
from controller.host_choice import HostChoice, check_table_faces
from controller.inbox import Inbox
from controller.journal import JournalDamaged, JournalError
from controller.journal_keeper import JournalKeeper
from controller.moved_mat import MAT_MOVED_MM
from controller.outlets import DeviceOutlets
from controller.parts import (
    JOURNAL_WAITS,
    JOURNAL_WAITS_S,
    MEND_BY_STARTING,
    REFEREE_OK,
    disk_part,
    journal_part,
    mat_part,
    no_panel_part,
    vision_parts,
)
from controller.past import Past, journal_problem
from controller.records.results import Results
from controller.referee import Referee
from controller.simulation.gathering import Gathering, Paths
from controller.simulation.table_process import SimulatedTable, SimulatedTableError
from controller.table import NotReplayed, Table
from controller.table_folder import FolderError, KnownBy, identity_of_start, prepare_folder
from controller.views import PartState, PartView, PictureView
from controller.web.app import create_app
from controller.web.hub import Hub
from controller.web.server import NoSuchHost, ServerError, serving
from controller.wiring import panel_pins, timing
from firmware_bridge.session import LinkState
from firmware_bridge.signals import Signal

if TYPE_CHECKING:
    from firmware_bridge.link import Link
    from hardware.panel import Panel
    from hardware.vision_process import VisionStatus
    from vision.mat.lens import Lens

POLL_S = 0.02
PANEL_RETRY_S = 5.0
"""Until pins that are missing are looked for again."""
BOARD_STARTS_S = 5.0
"""How long a microcontroller may take to answer before it is called missing; its boot loader takes one or two."""
DISK_S = 30.0
"""Between two looks at how much room the disk has."""
WATCH_S = 1.0
"""Between two looks whether the simulated table is still there, and whether the disk takes long."""
VISION_STARTS_S = 300.0
"""How long camera and reading may take to start: on a slow machine our own copy's faces are learned meanwhile."""
_log = logging.getLogger("pizzatable")


class ServiceError(Exception):
    """The service cannot start or go on; the message says why and what to do."""


class GameInTheWay(ServiceError):
    """The journal's last game does not replay: its host, who has `host_token`, may leave it."""

    def __init__(self, message: str, host_token: str) -> None:
        super().__init__(message)
        self.host_token = host_token


def run_service(
    shelf: Shelf, choice: Choice, gathering: Gathering, *, fresh: bool, named: bool = False, why: str = ""
) -> None:
    """Run a table until it is interrupted: SIGINT, SIGTERM or SIGHUP. When its host chooses another game, everything is
    closed and opened again for that one.

    `choice` is played first. `gathering` sits down where the table is a simulated one. `fresh` leaves the journal's
    last game be. `named`: what the host chose before counts no more. `why` that game is played is said when its table
    is there.

    Raises:
        GameInTheWay: the last game cannot be gone on with.
        ServiceError: something that a table cannot do without is missing.
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    port: int | None = None
    before: Choice | None = None
    while True:
        host_choice = HostChoice(shelf, choice, forget=named and port is None)
        config = shelf.settings_of(choice)
        if port is not None:  # displays look for the table where they found it
            config = config.model_copy(update={"lan": config.lan.model_copy(update={"port": port})})
        try:
            port = asyncio.run(_serve(config, replace(gathering, players=choice.players or 0), host_choice, fresh, why))
        except Exception:
            if port is not None and not host_choice.ran:  # a game that cannot start does not come again
                shelf.put_back(before)
            raise
        if host_choice.next is None:
            return
        choice, before, fresh, why = host_choice.next, host_choice.before, False, ""
        _log.info("the host chose %s", choice.game)


async def _serve(config: TableConfig, gathering: Gathering, host_choice: HostChoice, fresh: bool, why: str) -> int:
    """Serve one game until a signal or the host's choice ends it; gives the display's port. `why` it is played is said
    when it can be."""
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # nohup
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    try:
        known_by = prepare_folder(config.data_dir)
    except FolderError as error:
        raise ServiceError(str(error)) from error
    try:
        journal = JournalKeeper(config.data_dir / "journal.sqlite")
    except JournalError as error:
        raise ServiceError(f"{error}{_what_to_do(error)}") from error
    with contextlib.closing(journal):
        if journal.recovery is not None:
            _log.warning("%s", journal.recovery.told)
        host_choice.ours()
        simulated = _simulated_table(config, gathering)
        try:
            new = simulated is not None and (not simulated.join() or fresh)
            service = _Service(config, journal, simulated, known_by, host_choice)
            port = await service.run(stopped, fresh=fresh or new, new_table=new, why=why)
        except (NotPlayable, SimulatedTableError, JournalError, ServerError) as error:
            raise ServiceError(str(error)) from error
        if simulated is not None:  # after a crash it stays, as a table does
            await asyncio.to_thread(simulated.put_away)
    return port


class _Service:
    """A running table: what it consists of, and how the parts are joined."""

    def __init__(
        self,
        config: TableConfig,
        journal: JournalKeeper,
        simulated: SimulatedTable | None,
        known_by: KnownBy,
        host_choice: HostChoice | None = None,
    ) -> None:
        self._config = config
        self._journal = journal
        self._simulated = simulated
        self._token = known_by.token
        self._identity = identity_of_start(known_by.identity)
        self._host_choice = host_choice or HostChoice(Shelf(config), Choice(config.game, config.options))
        self._version = installed_version("pizzatable")
        self._hub = Hub()
        self._inbox = Inbox()
        self._outlets = DeviceOutlets(self._hub)
        self._table = Table(
            config, load_game(config.game), load_part(config.game, "table").GAME_TABLE, Referee(timing(config)),
            journal, self._outlets, version=self._version, simulated=simulated is not None,
            boot=boot_id(), identity=self._identity,
        )  # fmt: skip
        self._lens: Lens | None = None
        self._vision_lost = ""
        """Why camera and reading are gone; empty while they are there."""

    async def run(self, stopped: asyncio.Event, *, fresh: bool, new_table: bool, why: str = "") -> int:
        """Run until `stopped` is set or the host chooses another game; gives the display's port. When the display is
        there, it is said `why` this game is played.

        Raises:
            GameInTheWay: the last game cannot be gone on with.
            NotPlayable, ServiceError, ServerError, JournalError, SimulatedTableError: it cannot start or go on.
        """
        try:
            await self._table.start(fresh=fresh)
        except NotReplayed as error:
            raise GameInTheWay(f"{error}. {error.remedy}", self._token) from error
        self._show_starting()
        async with contextlib.AsyncExitStack() as stack:
            lan = self._config.lan
            try:
                port = await stack.enter_async_context(serving(self._app(), self._hub, lan.host, lan.port))
            except NoSuchHost as error:
                raise ServiceError(f"{error} Set lan.host.") from error
            except ServerError as error:
                raise ServiceError(f"{error} Set lan.port or use --port.") from error
            if why:
                click.echo(why)
            if self._config.faces is not None and needs_faces(self._config.game):
                await asyncio.to_thread(check_table_faces, self._config)
            _say_where(lan.host, port, self._token)
            self._say_what_is_left()
            await asyncio.to_thread(_import_devices, self._simulated is None)
            await self._set_up_simulated(port, new=new_table)
            stack.enter_context(self._vision())
            await stack.enter_async_context(self._announced(port))
            work = [self._decide(), self._prove_lens(), self._keep_panel(), self._keep_board()]
            work += [self._keep_journal(), self._watch_journal(), self._keep_disk(), self._keep_simulated()]
            self._host_choice.runs(stopped, self._why_no_other_game)
            await _until_one_ends(stopped, work)
        return port

    # Starting ------------------------------------------------------------------------------------------------------

    def _show_starting(self) -> None:
        self._table.set_part("journal", journal_part(self._journal.recovery))
        self._table.set_part("referee", REFEREE_OK)
        self._table.set_part("camera", PartView(state=PartState.STARTING, text="the camera is starting"))
        learned = self._config.faces is not None or any(self._config.data_dir.glob("own-copy-*.faces"))
        text = "waiting for the camera" if learned else "each piece is shown to the simulated camera once"
        self._table.set_part("reading", PartView(state=PartState.STARTING, text=text))
        self._table.set_part("panel", PartView(state=PartState.STARTING, text="the buttons are starting"))

    def _say_what_is_left(self) -> None:
        if self._simulated is not None:  # whose people begin another at once
            return
        if left := told_left(self._journal.records(game=self._journal.last_game()), self._config.game):
            click.echo(left)

    def _app(self) -> FastAPI:
        results = Results(self._journal.records, boot=boot_id(), identity=self._identity)
        app = create_app(
            self._hub, self._table, self._host_choice, Path(controller.games.__path__[0]), version=self._version,
            host_token=self._token, picture=self._picture, results=results.read,
            happened=Past(self._journal, results).happened,
            evidence=self._journal.evidence,
            reached=functools.partial(lan_address, self._config.lan.host),
        )  # fmt: skip
        app.add_exception_handler(JournalError, journal_problem)
        return app

    async def _set_up_simulated(self, port: int, *, new: bool) -> None:
        if self._simulated is None:
            return
        if new:
            await asyncio.to_thread(self._simulated.put_away)
            await asyncio.to_thread(self._simulated.set_up)
        else:
            click.echo("The simulated table is still there: going on with it. --fresh sets up a new one.")
        self._simulated.tell(f"http://127.0.0.1:{port}", self._token)
        self._show_simulated()

    def _show_simulated(self) -> None:
        assert self._simulated is not None
        self._table.set_part("simulation", PartView(state=PartState.OK, text=self._simulated.about))

    def _open_panel(self, stack: contextlib.ExitStack) -> "Panel":
        from hardware.panel import Panel, open_real_pins
        from hardware.simulated.link import PanelCable
        from hardware.simulated.pins import SimulatedPins

        loop = asyncio.get_running_loop()

        def on_signal(signal: Signal) -> None:
            loop.call_soon_threadsafe(self._inbox.signal, signal)

        pins = panel_pins(self._config)
        if self._simulated is None:
            factory = open_real_pins()
            stack.callback(factory.close)
            return Panel(pins, factory, time.monotonic, on_signal)
        cable = PanelCable(self._simulated.socket, time.monotonic)
        stack.callback(cable.close)
        own = SimulatedPins(pins, cable.set_lamp, cable.set_buzzer)
        stack.callback(own.close)
        panel = Panel(pins, own.factory, time.monotonic, on_signal)
        cable.listen(own.apply)
        return panel

    @contextlib.contextmanager
    def _vision(self) -> Iterator[None]:
        """Camera and reading in their child process."""
        from controller.live_picture import LivePicture
        from controller.watching import make_reader, open_table_camera
        from hardware.vision_process import VisionProcess

        vision = VisionProcess(
            functools.partial(open_table_camera, self._config, self._simulated.socket if self._simulated else None),
            functools.partial(make_reader, self._config),
            largest_picture=(self._config.camera.width, self._config.camera.height),
            hang_s=self._config.timing.hang_s,
            start_s=VISION_STARTS_S,
            follow_light=self._config.camera.follow_light,
        )
        with contextlib.closing(vision):
            self._outlets.vision = vision
            lens = _lens_of(self._config)
            self._outlets.live = LivePicture(vision, time.monotonic, lens)
            self._lens = lens
            vision.start(self._inbox.scene, self._show_vision, asyncio.get_running_loop().call_soon_threadsafe)
            yield
            self._outlets.vision = self._outlets.live = None

    def _show_vision(self, status: "VisionStatus") -> None:
        for name, part in vision_parts(status).items():
            self._table.set_part(name, part)
        self._log_vision(status)

    def _log_vision(self, status: "VisionStatus") -> None:
        """What a table was without, for whoever asks later: the display shows it only as long as it lasts."""
        from hardware.vision_process import VisionState

        if status.state in (VisionState.LOST, VisionState.HUNG):
            if status.text != self._vision_lost:
                _log.warning("%s", status.text)
            self._vision_lost = status.text
        elif self._vision_lost and status.state is VisionState.OK:
            _log.info("camera and reading are back")
            self._vision_lost = ""

    @contextlib.asynccontextmanager
    async def _announced(self, port: int) -> AsyncIterator[None]:
        """Announced on the LAN while the block runs, where the settings want it."""
        lan = self._config.lan
        if not lan.announce:
            self._table.set_part("discovery", PartView(state=PartState.ABSENT, text="lan.announce is false"))
            yield
            return
        from controller.discovery import Announcement, Discovery

        announcement = Announcement(
            table=lan.name or self._config.name, game=self._config.game, version=self._version, port=port
        )
        discovery = Discovery(
            announcement, on_change=lambda part: self._table.set_part("discovery", part), identity=self._identity
        )
        keeping = asyncio.create_task(discovery.keep())
        try:
            yield
        finally:
            keeping.cancel()
            await discovery.close()

    # Running -------------------------------------------------------------------------------------------------------

    async def _decide(self) -> None:
        """The one task that brings scenes and signals to the table, one after the other."""
        copy = AnotherCopy(self._config.game) if needs_faces(self._config.game) else None
        while True:
            signals, scene = await self._inbox.next()
            for one in signals:
                await self._judged(self._table.on_signal(one), f"{one.kind.value} of seat {one.seat}")
            if scene is not None:
                self._outlets.see(scene)
                if scene.shift_mm >= MAT_MOVED_MM or "mat" in self._table.parts:
                    self._table.set_part("mat", mat_part(scene.shift_mm))
                await self._judged(self._table.on_scene(scene), "what lies on the table")
                if copy is not None and (faces := copy.part(scene, judging=self._table.judging)) is not None:
                    self._table.set_part("faces", faces)

    async def _prove_lens(self) -> None:
        """Whether the calibrated lens, where there is one, is this camera's."""
        from controller.lens_proof import prove_lens

        if self._lens is not None:
            await prove_lens(self._lens, self._outlets.read, functools.partial(self._table.set_part, "lens"))
        await asyncio.Event().wait()

    async def _judged(self, decision: Awaitable[None], about: str) -> None:
        """Let the table decide; what it cannot decide is said, and changes nothing."""
        try:
            await decision
        except JournalError:
            pass  # said by the part "journal"; the table has not changed, and judges the next scene anew
        except Exception as error:
            part = PartView(state=PartState.LOST, text=f"cannot judge {about}: {type(error).__name__}: {error}")
            if self._table.parts.get("referee") != part:
                _log.exception("cannot judge %s; going on with the next scene", about)
                self._table.set_part("referee", part)
        else:
            self._table.set_part("referee", REFEREE_OK)

    async def _keep_panel(self) -> None:
        """Panel on real pins or on the simulated table's; a table without pins plays on, says so, and tries again."""
        from hardware.panel import PanelError

        while True:
            try:
                with contextlib.ExitStack() as stack:
                    await self._poll(self._open_panel(stack))
            except PanelError as error:
                self._table.set_part("panel", no_panel_part(str(error), self._config.timing.confirm))
            await asyncio.sleep(PANEL_RETRY_S)

    async def _poll(self, panel: "Panel") -> None:
        """Let the panel settle, blink and buzz, until its pins are lost.

        Raises:
            PanelLost: they are.
        """
        with contextlib.closing(panel):
            self._outlets.panel = panel
            try:
                if self._table.view is not None:
                    self._outlets.light(self._table.view)
                text = f"{len(self._config.seats)} lit buttons, the host's button, a buzzer"
                self._table.set_part("panel", PartView(state=PartState.OK, text=text))
                while True:
                    panel.poll()
                    await asyncio.sleep(POLL_S)
            finally:
                self._outlets.unplug()

    async def _keep_board(self) -> None:
        """The microcontroller on its serial line; where there is none that is said, and the table plays without it."""
        from firmware_bridge.link import Link

        port, simulated = self._config.serial.port, self._simulated
        reason = 'serial.port is ""'
        if port is None and simulated is not None:
            reason = simulated.why_no_board
            port = None if reason else str(simulated.board)
        if port is None:
            self._table.set_part("board", no_board(reason, simulated=simulated is not None))
            await asyncio.Event().wait()
            return
        signals = await asyncio.to_thread(BoardSignals, self._journal, time.monotonic)
        link = Link(port, time.monotonic, baud=self._config.serial.baud, settled=signals.settled)
        self._outlets.plug_board(link)
        try:
            await self._watch_board(link, signals, emulated=self._config.serial.port is None)
        finally:
            self._outlets.board = None
            await asyncio.to_thread(link.close)

    async def _watch_board(self, link: "Link", signals: BoardSignals, *, emulated: bool) -> None:
        """Write down what the board says, show that and how the board is. What the disk refuses stays on the board."""
        bound, starts_until_s = SteadyBound(time.monotonic), time.monotonic() + BOARD_STARTS_S
        while True:
            if self._table.parts["journal"].state is PartState.OK:
                with contextlib.suppress(JournalError):  # said by the part "journal"
                    await signals.take(link)
                    await signals.write_verdict()
            status = link.status()
            bound_us = bound.of(status.clock_bound_s)
            shown = board_view(status, emulated=emulated, clock_bound_us=bound_us, slaps=signals.slaps.shown)
            if shown.link is LinkState.READY:
                starts_until_s = 0.0
            self._table.set_board(shown)
            self._table.set_part("board", board_part(shown, starting=time.monotonic() < starts_until_s))
            await asyncio.sleep(POLL_S)

    async def _keep_journal(self) -> None:
        """A disk that refuses records is tried again until it takes them."""

        def show(failure: JournalError | None) -> None:
            if failure is None:
                _log.info("the journal is written again")
                self._table.keep_pause()
                self._table.set_part("journal", journal_part(self._journal.recovery))
            else:
                _log.error("nothing counts until the journal can be written again: %s", failure)
                mended = isinstance(failure, JournalDamaged)
                remedy = MEND_BY_STARTING if mended else "Moves count again when it can be written."
                text = f"{failure}. {remedy}"
                self._table.set_part("journal", PartView(state=PartState.LOST, text=text))

        async def catch_up() -> None:
            for record in await self._table.catch_up():
                _log.warning(
                    "record %d (%s) was refused and is on the disk all the same: it counts", record.seq, record.kind
                )

        await self._journal.keep(show, catch_up)

    async def _watch_journal(self, every_s: float = WATCH_S) -> None:
        """That the disk takes long for a record is shown: until it has it nothing goes on, and nothing has failed. A
        file that is gone is shown before a record is refused."""
        while True:
            await self._journal.look()
            waits, shown = self._journal.waits_s >= JOURNAL_WAITS_S, self._table.parts["journal"]
            if waits and shown.state is PartState.OK:
                _log.warning("a record has been waiting for the disk for %.1f s", self._journal.waits_s)
                self._table.set_part("journal", JOURNAL_WAITS)
            elif not waits and shown == JOURNAL_WAITS:
                self._table.set_part("journal", journal_part(self._journal.recovery))
            await asyncio.sleep(every_s)

    async def _keep_disk(self, every_s: float = DISK_S) -> None:
        """Whether there is room for what will be played; said before there is none."""
        while True:
            with contextlib.suppress(OSError):  # a disk that is gone: the journal says so
                there = await asyncio.to_thread(os.statvfs, self._config.data_dir)
                part = disk_part(there.f_bavail * there.f_frsize)
                if part is not None or "disk" in self._table.parts:
                    self._table.set_part("disk", part or PartView(state=PartState.OK, text="there is room again"))
            await asyncio.sleep(every_s)

    def _why_no_other_game(self) -> str:
        """A table whose journal cannot be written could not start again."""
        journal = self._table.parts["journal"]
        return "" if journal.state is PartState.OK else f"the table cannot be set anew now: {journal.text}"

    async def _keep_simulated(self) -> None:
        """A simulated table that is gone is replaced by a new one, after a pause that grows while that is no help."""
        if self._simulated is None:
            await asyncio.Event().wait()
            return
        pause_s = WATCH_S
        while True:
            await asyncio.sleep(WATCH_S)
            ended = self._simulated.ended
            if ended is None:
                pause_s = max(WATCH_S, pause_s - WATCH_S / 10)
                continue
            _log.error("the simulated table is gone: %s", ended)
            text = f"the simulated table is gone: {ended}. A new one is being set up."
            self._table.set_part("simulation", PartView(state=PartState.LOST, text=text))
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, 60.0)
            if not self._simulated.join():  # one that an earlier run of the service was still setting up
                await self._judged(self._table.to_lobby(), "the new table")
                await asyncio.to_thread(self._simulated.set_up)
            self._show_simulated()

    def _picture(self) -> tuple[bytes, PictureView] | None:
        """See `LivePicture`. In a worker thread."""
        live = self._outlets.live
        return live.read() if live is not None else None


async def _until_one_ends(stopped: asyncio.Event, work: Sequence[Coroutine[object, object, None]]) -> None:
    """Work until `stopped` is set.

    Raises:
        ServiceError: some of the work ended, which none may.
    """
    waiting = asyncio.create_task(stopped.wait())
    tasks = [asyncio.create_task(one) for one in work]
    done, _ = await asyncio.wait([waiting, *tasks], return_when=asyncio.FIRST_COMPLETED)
    for task in (waiting, *tasks):
        task.cancel()
    await asyncio.wait([waiting, *tasks])  # the panel's lamps go off before anything else is closed
    for task in done - {waiting}:
        _log.error("the table cannot go on", exc_info=task.exception())
        raise ServiceError(
            f"the table cannot go on: {task.exception()}. Start it again: the game goes on where it was."
        ) from task.exception()


def _import_devices(real: bool) -> None:
    """What camera and panel need, imported while the display is served already."""
    if real:
        # Before the camera's process starts: while this is imported the working directory is one that vanishes, and a
        # process that is started just then finds none. Where it cannot be imported, the panel says why.
        with contextlib.suppress(Exception):
            import_module("hardware.real_pins")
    for name in ("hardware.vision_process", "controller.watching", "hardware.simulated.pins", "firmware_bridge.link"):
        import_module(name)


def _lens_of(config: TableConfig) -> "Lens | None":
    """The camera's calibrated lens, for drawing; where its file cannot be used, the child process says so."""
    from controller.lenses import stored_lens
    from vision.mat.errors import VisionError

    try:
        return stored_lens(config)
    except (VisionError, OSError):
        return None


def _simulated_table(config: TableConfig, gathering: Gathering) -> SimulatedTable | None:
    """None where the camera is a real one."""
    if config.camera.driver != "simulated":
        return None
    return SimulatedTable(Paths(config.data_dir / "simulated"), config, gathering)


def _what_to_do(error: JournalError) -> str:
    from controller.journal import JournalForeign, JournalInUse

    match error:
        case JournalInUse():
            return ". Does this table run already? Another table needs a data_dir of its own (--data)."
        case JournalDamaged() | JournalForeign():
            return ". Move it away, and its -wal too, to begin with an empty journal; nothing was touched."
        case _:
            return ""


def _say_where(served_on: str, port: int, token: str) -> None:
    lines = [*told_addresses(served_on, port, token), "Ctrl+C ends the table."]
    click.echo("\n".join(["", *(f"  {line}" for line in lines), ""]))
