"""A table whose pieces are laid at once, without hands: for tests that look at what the table makes of what lies there.

Scenes come from perfect eyes. Time passes only when the table is looked at.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from config.loader import load_table
from config.schema import TableConfig
from controller.commands import Sitting
from controller.game import Player
from controller.games.cut_and_choose_hands import Parted
from controller.games.registry import load_game, load_part
from controller.hands import Lay, Lying, Step
from controller.journal import Journal
from controller.referee import Referee, Timing
from controller.seating import areas
from controller.table import Table
from controller.views import TableView
from firmware_bridge.signals import Signal, SignalKind
from hardware.simulated.world import World
from tests.controller.perfect_eyes import PerfectEyes
from vision.scene import PieceKind, Pose, Scene

TIMING = Timing(rest_s=0.35, clear_rest_s=0.1, breach_s=2.0, confirm_rest_s=None)


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


def make_table(
    journal: Journal,
    outlets: Outlets,
    timing: Timing = TIMING,
    game: str = "new_york_slice",
    options: dict[str, Any] | None = None,
    config: TableConfig | None = None,
    simulated: bool = True,
) -> Table:
    config = (config or load_table([])).model_copy(update={"game": game, "options": options or {}})
    game_table = load_part(game, "table").GAME_TABLE
    referee = Referee(timing)
    return Table(config, load_game(game), game_table, referee, journal, outlets, version="test", simulated=simulated)


class LaidWorld:
    """A world with all pieces of a game, and hands that lay them at once."""

    def __init__(
        self, players: int, seed: int = 0, game: str = "new_york_slice", options: dict[str, Any] | None = None
    ) -> None:
        config = load_table([])
        self.rng = Random(seed)
        self.seats = dict(enumerate(sorted(self.rng.sample(list(config.seats), players)), 1))
        self.areas = areas(config, self.seats)
        engine = load_game(game)
        start = engine.start(players, options or {}, 1)
        self.hands = load_part(game, "hands").HANDS(engine, start, self.areas, self.rng)
        self.world = World(self.rng)
        for piece in self.hands.box():
            self.world.add_piece(piece.piece, piece.kind, piece.front, piece.back)
        self.now_s = 100.0
        self._eyes = PerfectEyes()

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

    def scene(self, at_rest_s: float = 1.0) -> Scene:
        seen = self._eyes.scene(self.world.snapshot())
        return Scene(self.now_s, seen.sequence, seen.sightings, seen.hidden, at_rest_s)

    def arrange(self, state: Any) -> None:
        """Lay everything as a state says."""
        for name, piece in self.world.pieces.items():
            if piece.pose is not None:
                self.world.put(name, None, False)
        if state.ring:
            self.carry_out(self.hands._serve(state.slicer, state.special, state.ring))
        if state.portions:
            special_in = next((i for i, portion in enumerate(state.portions) if portion.special), None)
            divide = Parted(tuple(portion.slices for portion in state.portions), special_in)
            self.carry_out(self.hands._divide(state.slicer, divide, state.special, self.lying()))
        for player, holding in enumerate(state.holdings, 1):
            if getattr(holding, "unseen_eaten", 0) and player not in self.hands._hidden:
                hidden = (*holding.unseen_faces, *sorted(state.unseen))[: holding.unseen_eaten]
                self.hands._hidden[player] = list(hidden)
            rows = self.hands._rows(player, self.hands._in_front_of(state, player))
            self.lay(*(Lay(face, pose, face_up) for _, face, pose, face_up in rows))

    def play(self, state: Any, *moves: Any) -> None:
        """Carry moves out with the hands, nothing else."""
        self.carry_out(self.hands.steps(state, moves, self.lying()))

    def move(self, piece: str, x_mm: float = 0.0, y_mm: float = 0.0) -> None:
        """Push a piece along."""
        pose = self.pose(piece)
        self.lay(Lay(piece, Pose(pose.x_mm + x_mm, pose.y_mm + y_mm, pose.angle_deg), self.lying()[piece].face_up))

    def flip(self, piece: str) -> None:
        self.lay(Lay(piece, self.pose(piece), not self.lying()[piece].face_up))

    def remove(self, *pieces: str) -> None:
        self.lay(*(Lay(piece, None, True) for piece in pieces))

    def give(self, player: Player, *faces: str, face_up: bool = True) -> None:
        """Lay slices or Specials into the free end of a player's area."""
        for number, face in enumerate(faces):
            kind = self.world.pieces[face].kind
            self.lay(Lay(face, self.free_spot(player, kind, number), face_up))

    def free_spot(self, player: Player, kind: PieceKind, number: int = 0) -> Pose:
        """A place at the end of the last polygon of a player's area, where nothing lies yet."""
        right = max(x for polygon in self.areas[player] for x, _ in polygon)
        polygon = next(p for p in self.areas[player] if max(x for x, _ in p) == right)
        bottom, top = min(y for _, y in polygon), max(y for _, y in polygon)
        x = right - 36 - number * 26
        if kind is PieceKind.SPECIAL:
            return Pose(x - 100, (bottom + top) / 2, 90.0)
        return Pose(x, bottom + 8, 90.0)

    def pose(self, piece: str) -> Pose:
        pose = self.world.pieces[piece].pose
        assert pose is not None, f"{piece} is not on the table"
        return pose


class LaidTable(LaidWorld):
    """The same with a table that looks on."""

    def __init__(
        self,
        folder: Path,
        players: int,
        seed: int = 0,
        timing: Timing = TIMING,
        game: str = "new_york_slice",
        options: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(players, seed, game, options)
        self.outlets = Outlets()
        self.journal = Journal(folder / "journal.sqlite")
        self.table = make_table(self.journal, self.outlets, timing, game, options)

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

    async def look(self, rest_s: float = 0.5, scenes: int = 2, step_s: float = 0.2) -> TableView:
        """Show the table so many scenes; the first has been at rest for `rest_s`, 0 for as long as something moves."""
        for number in range(scenes):
            self.now_s += step_s
            await self.table.on_scene(self.scene(rest_s + number * step_s if rest_s else 0.0))
        return self.view

    async def moved(self) -> TableView:
        """Something moves, then all is at rest."""
        await self.look(0.0)
        return await self.look()

    async def press(self, player: Player) -> None:
        await self.press_seat(self.seats[player])

    async def press_seat(self, seat: int) -> None:
        self.now_s += 0.05
        for kind in (SignalKind.BUTTON_PRESSED, SignalKind.BUTTON_RELEASED):
            await self.table.on_signal(Signal(seat, kind, self.now_s, 0.001))

    async def make(self, moves: Sequence[Any], player: Player | None) -> TableView:
        """Carry moves out, press, and look."""
        before = self.state
        self.play(before, *moves)
        await self.moved()
        if player is not None and self.state == before:
            self.now_s += 1.5
            await self.press(player)
        return await self.look()

    async def make_next(self) -> Sequence[Any]:
        """Make the play that the hands would make now; the moves."""
        moves: Sequence[Any]
        moves, player = self.hands.next_play(self.state)
        await self.make(moves, player)
        return moves


async def laid_at(
    folder: Path, state: Any, game: str = "new_york_slice", options: dict[str, Any] | None = None
) -> LaidTable:
    """A table at which the game stands so, and all lies as it should."""
    table = LaidTable(folder, state.players, 1, game=game, options=options)
    await table.start()
    assert table.table._running is not None
    table.table._running.states[-1] = state
    table.arrange(state)
    await table.moved()
    return table
