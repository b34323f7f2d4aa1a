"""A table whose pieces are laid at once, without hands: for tests that look at what the table makes of what lies there.

Scenes come from perfect eyes. Time passes only when the table is looked at.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from config.loader import load_table
from controller.game import Player
from controller.games.new_york_slice import GAME
from controller.games.new_york_slice.hands import NewYorkSliceHands
from controller.games.new_york_slice.table import GAME_TABLE
from controller.hands import Lay, Lying, Step
from controller.journal import Journal
from controller.referee import Referee, Timing
from controller.seating import areas
from controller.table import Table
from controller.views import TableView
from controller.web.commands import Sitting
from firmware_bridge.signals import Signal, SignalKind
from hardware.simulated.world import World
from tests.controller.perfect_eyes import PerfectEyes
from vision.scene import PieceKind, Pose, Scene

TIMING = Timing(rest_s=0.35, breach_s=2.0, confirm_rest_s=None)


class Outlets:
    """Keeps what the table shows."""

    def __init__(self) -> None:
        self.views: list[TableView] = []
        self.lamps: dict[int, str] = {}
        self.buzzed = 0
        self.on_view: Callable[[TableView], None] = lambda view: None

    def show(self, view: TableView) -> None:
        self.on_view(view)
        self.views.append(view)

    def lamp(self, seat: int, mode: str) -> None:
        self.lamps[seat] = mode

    def buzz(self) -> None:
        self.buzzed += 1

    def evidence(self) -> bytes | None:
        return b"picture"


def make_table(journal: Journal, outlets: Outlets, timing: Timing = TIMING) -> Table:
    return Table(
        load_table([]), GAME, GAME_TABLE, Referee(timing), journal, outlets, version="test", simulated=True
    )


class LaidTable:
    """A table, its world, and hands that lay pieces at once."""

    def __init__(self, folder: Path, players: int, seed: int = 0, timing: Timing = TIMING) -> None:
        config = load_table([])
        rng = Random(seed)
        self.rng = rng
        self.seats = dict(enumerate(sorted(rng.sample(list(config.seats), players)), 1))
        self.areas = areas(config, self.seats)
        start = GAME.start(players, {}, 1)
        self.hands = NewYorkSliceHands(GAME, start, self.areas, rng)
        self.world = World(rng)
        for piece in self.hands.box():
            self.world.add_piece(piece.piece, piece.kind, piece.front, piece.back)
        self.outlets = Outlets()
        self.journal = Journal(folder / "journal.sqlite")
        self.table = make_table(self.journal, self.outlets, timing)
        self.now_s = 100.0
        self.eyes: Callable[[Scene], Scene] = lambda scene: scene
        self._eyes = PerfectEyes()

    async def start(self) -> None:
        await self.table.start()
        await self.table.new_game([Sitting(seat, f"Player {p}") for p, seat in self.seats.items()], {})

    @property
    def state(self) -> Any:
        return self.table.state

    @property
    def view(self) -> TableView:
        view = self.table.view
        assert view is not None
        return view

    def lying(self) -> dict[str, Lying]:
        return {name: Lying(piece.pose, piece.face_up) for name, piece in self.world.pieces.items()}

    def lay(self, *lays: Lay) -> None:
        for lay in lays:
            self.world.put(lay.piece, lay.to, lay.face_up)

    def carry_out(self, steps: Iterable[Step]) -> None:
        for step in steps:
            self.lay(*step.lays)

    def restore(self, lying: dict[str, Lying]) -> None:
        self.lay(*(Lay(name, was.pose, was.face_up) for name, was in lying.items() if self.lying()[name] != was))

    async def look(self, rest_s: float = 0.5, scenes: int = 1, step_s: float = 0.2) -> TableView:
        """Show the table this many scenes that have been at rest for so long, and more as time goes on."""
        for number in range(scenes):
            self.now_s += step_s
            await self.table.on_scene(self.scene(rest_s + number * step_s if rest_s else 0.0))
        return self.view

    async def moved(self) -> TableView:
        """Something moves, then all is at rest."""
        await self.look(0.0)
        return await self.look()

    def scene(self, at_rest_s: float) -> Scene:
        seen = self._eyes.scene(self.world.snapshot())
        return self.eyes(Scene(self.now_s, seen.sequence, seen.sightings, seen.hidden, at_rest_s))

    async def press(self, player: Player) -> None:
        await self.press_seat(self.seats[player])

    async def press_seat(self, seat: int) -> None:
        self.now_s += 0.05
        await self.table.on_signal(Signal(seat, SignalKind.BUTTON_PRESSED, self.now_s, 0.001))

    async def play(self, moves: Sequence[Any], player: Player | None) -> TableView:
        """Carry moves out, press, and look."""
        before = self.state
        self.carry_out(self.hands.steps(before, moves, self.lying()))
        await self.moved()
        if player is not None and self.state == before:
            self.now_s += 1.5
            await self.press(player)
        return await self.look()

    async def set_up(self, state: Any) -> None:
        """Any situation: the table's game goes on from it, and everything lies as it says."""
        await self.table.pause()
        running = self.table._running  # there is no other way to a situation that takes an hour of play
        assert running is not None
        running.states[-1] = state
        await self.table.resume()
        self.arrange(state)
        await self.moved()

    def arrange(self, state: Any) -> None:
        """Lay everything as a state says."""
        for name, piece in self.world.pieces.items():
            if piece.pose is not None:
                self.world.put(name, None, False)
        for player, holding in enumerate(state.holdings, 1):
            rows = self.hands._rows(player, holding)
            self.lay(*(Lay(face, pose, face_up) for _, face, pose, face_up in rows))
        if state.ring:
            self.carry_out(self.hands._serve(state.slicer, state.special, state.ring))


def piece_at(x: float, y: float, angle: float = 90.0) -> Pose:
    return Pose(x, y, angle)


__all__ = ["LaidTable", "Outlets", "PieceKind", "make_table", "piece_at"]
