"""Whole games on a simulated table without a display: frames, pins, vision, rules and journal, as fast as they go.

Time is the simulated world's own; a game takes as long as its pictures take to draw and read. What the table commits is
compared with what the hands did.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from config.schema import TableConfig
from controller.commands import CommandError
from controller.games.registry import kinds_of, load_game, load_part
from controller.hands import MakeHands
from controller.journal import Journal
from controller.referee import Referee
from controller.seating import areas, random_seats
from controller.sheet_prints import load_prints
from controller.simulation.players import Habits, SimulatedPlayers, Stuck, Tally
from controller.table import Table
from controller.views import Lamp, TableView
from controller.wiring import panel_pins, timing
from firmware_bridge.signals import Signal
from hardware.exposure import ExposureKeeper
from hardware.panel import LampState, Panel
from hardware.simulated.artwork import Artwork
from hardware.simulated.camera import SimulatedCamera
from hardware.simulated.circumstances import Circumstances
from hardware.simulated.pins import SimulatedPins
from hardware.simulated.renderer import Renderer
from hardware.simulated.surroundings import Conditions
from hardware.simulated.world import World, WorldSnapshot
from vision.frame import Frame
from vision.looking_for import finders_for
from vision.mat.errors import RegistrationError
from vision.pieces.faces import FacePack
from vision.reader import Reader
from vision.scene import Scene

LONGEST_GAME_S = 3600.0
QUIET = Circumstances()
Watch = Callable[[WorldSnapshot, Frame, Scene], None]
"""Is told what truly lay on the table in a picture, the picture, and what was read from it."""


@dataclass(frozen=True, slots=True)
class Played:
    """One whole game."""

    seed: int
    players: int
    tally: Tally
    winners: tuple[int, ...]
    frames: int
    world_s: float
    stage_ms: Mapping[str, float]
    """Sum over the game."""
    read_ms: tuple[float, ...] = ()
    """What reading each picture took."""
    problem: str = ""
    """Why the game did not end; empty when it did."""


def play_game(
    config: TableConfig,
    art: Mapping[str, Artwork],
    pack: FacePack,
    seed: int,
    players: int,
    habits: Habits,
    watch: Watch | None = None,
    circumstances: Circumstances = QUIET,
) -> Played:
    """Play one game to its end; everything about it follows from the seed. Where the settings leave the game's options
    open, people agree on some. `watch` is told of every picture."""
    rng = Random(seed)
    conditions = Conditions.random(rng)
    if circumstances.loose_corners:
        conditions = conditions.with_corners_by_hand(Random(seed))
    if circumstances.pens and hasattr(art, "with_pens"):
        art = art.with_pens()
    hands_of = load_part(config.game, "hands")
    if not config.options and hasattr(hands_of, "agreed_options"):
        config = config.model_copy(update={"options": hands_of.agreed_options(Random(seed))})
    with (
        TemporaryDirectory() as folder,
        _HeadlessTable(config, art, pack, conditions, Path(folder), watch, circumstances) as table,
    ):
        seats = random_seats(config, players, rng)
        game = load_game(config.game)
        make_hands: MakeHands = hands_of.HANDS
        start = game.start(players, config.options, 1)
        hands = make_hands(game, start, areas(config, seats), rng)
        people = SimulatedPlayers(table.world, game, hands, start, seats, rng, table.look, table.ask, habits)
        problem = ""
        try:
            asyncio.run(table.run(people))
        except Stuck as stuck:
            problem = str(stuck)
        winners = game.winners(table.table.state) if table.table.state is not None else ()
        return Played(
            seed, players, people.tally, winners, len(table.read_ms), table.world.now_s, table.stage_ms,
            tuple(table.read_ms), problem,
        )  # fmt: skip


def _no_wait(seconds: float) -> None:
    """The world's time does not pass by waiting."""


class _HeadlessTable:
    """Everything of a table but its web page, in one process, on the world's own time."""

    def __init__(
        self,
        config: TableConfig,
        art: Mapping[str, Artwork],
        pack: FacePack,
        conditions: Conditions,
        folder: Path,
        watch: Watch | None = None,
        circumstances: Circumstances = QUIET,
    ) -> None:
        self._stack = ExitStack()
        self.world = World(Random(conditions.seed))
        self._now = 0.0
        self._frame_s = 1.0 / config.camera.rate
        clock: Callable[[], float] = lambda: self._now  # noqa: E731
        camera_model = conditions.camera_model(config.camera.width, config.camera.height)
        camera = SimulatedCamera(
            self._snapshot, Renderer(art, camera_model, conditions), clock, _no_wait, 2.0 * config.camera.rate,
            circumstances.room,
        )  # fmt: skip
        self._camera = circumstances.seen_by(camera, conditions.seed)
        self._reader = Reader(pack, finders=finders_for(kinds_of(config.game), pack, load_prints()))
        self._keeper = ExposureKeeper(self._camera, self._reader, follow_light=config.camera.follow_light)
        self._signals: list[Signal] = []
        pins = panel_pins(config)
        self._pins = SimulatedPins(pins, self.world.set_lamp, self.world.set_buzzer)
        self._panel = Panel(pins, self._pins.factory, clock, self._signals.append)
        self._journal = Journal(folder / "journal.sqlite")
        game, game_table = load_game(config.game), load_part(config.game, "table").GAME_TABLE
        self.table = Table(
            config, game, game_table, Referee(timing(config)), self._journal, self, version="play", simulated=True
        )
        self._view: TableView | None = None
        self._answers: list[tuple[int, int]] = []
        self._watch = watch
        self._taken: WorldSnapshot | None = None
        self.stage_ms: dict[str, float] = {}
        self.read_ms: list[float] = []

    def __enter__(self) -> "_HeadlessTable":
        self._stack.callback(self._journal.close)
        self._stack.callback(self._pins.close)
        self._stack.callback(self._panel.close)
        self._stack.callback(self._camera.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    async def run(self, people: SimulatedPlayers) -> None:
        """Until the players are done."""
        await self.table.start()
        while not people.over:
            self._now += self._frame_s
            self.world.advance(self._now)
            for edge in self.world.take_edges():
                self._pins.apply(edge)
            self._panel.poll()
            while self._signals:
                await self.table.on_signal(self._signals.pop(0))
            with suppress(RegistrationError):  # what shakes too much is not seen
                await self.table.on_scene(self._read())
            while self._answers:
                with suppress(CommandError):  # the question is gone, as a display would say; people look again
                    await self.table.answer(*self._answers.pop(0))
            people.step()
            if self._now > LONGEST_GAME_S:
                raise Stuck(f"no end after {LONGEST_GAME_S:g} s")

    def _snapshot(self) -> WorldSnapshot:
        self._taken = self.world.snapshot()
        return self._taken

    def _read(self) -> Scene:
        frame: Frame = self._camera.read(1.0)
        start = perf_counter()
        scene = self._reader.read(frame)
        self._keeper.after(scene)
        self.read_ms.append((perf_counter() - start) * 1e3)
        for stage, milliseconds in scene.stage_ms.items():
            self.stage_ms[stage] = self.stage_ms.get(stage, 0.0) + milliseconds
        if self._watch is not None and self._taken is not None:
            self._watch(self._taken, frame, scene)
        return scene

    # The players' eyes and mouth, and the table's outlets

    def look(self) -> TableView | None:
        return self._view

    def ask(self, question: int, candidate: int) -> None:
        self._answers.append((question, candidate))

    def show(self, view: TableView) -> None:
        self._view = view

    def lamp(self, seat: int, mode: Lamp) -> None:
        self._panel.set_lamp(seat, LampState(mode))

    def buzz(self) -> None:
        self._panel.buzz((0.1,))

    def evidence(self) -> bytes | None:
        return None
