"""The people at the simulated table: game after game, by buttons alone, on the world's own time, with perfect eyes."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from config.loader import load_table
from controller.commands import Sitting
from controller.games.new_york_slice import GAME
from controller.games.new_york_slice.rules import Divide
from controller.games.registry import load_game, load_part
from controller.journal import Journal
from controller.referee import Referee
from controller.simulation.gathering import Gathering
from controller.simulation.people import ABANDONED_S, Display, People
from controller.table import Table
from controller.views import TableView
from controller.wiring import timing
from firmware_bridge.signals import Signal, SignalKind
from hardware.simulated.world import ContactEdge, ContactKind, World
from tests.controller.perfect_eyes import PerfectEyes
from tests.long import cases

STEP_S = 0.12
PAUSE_S = 5.0


class Shown(Display):
    """A display that is looked at within this process; what people do on its page is done before the next scene."""

    def __init__(self) -> None:
        self.table: Table | None = None
        self.wanted: list[Callable[[Table], Awaitable[None]]] = []
        self.begun_on_the_page = 0
        self.rulings: list[str] = []

    def look(self) -> TableView | None:
        return self.table.view if self.table is not None else None

    def answer(self, question: int, candidate: int) -> None:
        self.wanted.append(lambda table: table.answer(question, candidate))

    def new_game(self, seats: list[int]) -> None:
        self.begun_on_the_page += 1
        sittings = [Sitting(seat, f"Player {i}") for i, seat in enumerate(seats, 1)]
        self.wanted.append(lambda table: table.new_game(sittings, {}))

    def rule(self, text: str) -> None:
        self.rulings.append(text)
        self.wanted.append(lambda table: table.rule_move(text))


class Evening:
    """A world, its people, and a table that sees all."""

    def __init__(
        self, folder: Path, gathering: Gathering, game: str = GAME.name, options: dict[str, Any] | None = None
    ) -> None:
        config = load_table().model_copy(update={"game": game, "options": options or {}})
        self.world = World(Random(gathering.seed))
        self.display = Shown()
        self.journal = Journal(folder / "journal.sqlite")
        self.tally = folder / "tally.jsonl"
        self.gone_home = False
        self.blind = False
        self.scenes = 0
        self.contacts: list[ContactEdge] = []
        self._eyes = PerfectEyes()
        engine, game_table = load_game(game), load_part(game, "table").GAME_TABLE
        self.table = Table(
            config, engine, game_table, Referee(timing(config)), self.journal, self, version="test", simulated=True
        )
        self.people = People(self.world, config, self.display, self.tally, gathering, self._go_home)

    async def open(self) -> None:
        """The table shows its first view."""
        await self.table.start()
        self.display.table = self.table

    async def pass_until(self, condition: Callable[[], bool], within_s: float = 3600.0) -> None:
        """Let time pass."""
        end = self.world.now_s + within_s
        while not condition():
            assert self.world.now_s < end, f"not within {within_s} s: {self.table.view}"
            await self.step()

    async def step(self) -> None:
        self.world.advance(self.world.now_s + STEP_S)
        for edge in self.world.take_edges():
            kind = SignalKind.BUTTON_PRESSED if edge.pressed else SignalKind.BUTTON_RELEASED
            await self.table.on_signal(Signal(edge.seat, kind, edge.time_s, 0.0))
        self.contacts += self.world.take_contact_edges()
        scene = self._eyes.scene(self.world.snapshot())
        if not self.blind:
            await self.table.on_scene(scene)
        while self.display.wanted:
            await self.display.wanted.pop(0)(self.table)
        self.people.step(self.world)

    def games(self) -> list[Any]:
        """What the people wrote after each game."""
        return [json.loads(line) for line in self.tally.read_text().splitlines()] if self.tally.exists() else []

    def _go_home(self) -> None:
        self.gone_home = True

    def show(self, view: TableView) -> None: ...

    def lamp(self, seat: int, mode: str) -> None: ...

    def buzz(self) -> None: ...

    def evidence(self) -> bytes | None:
        return None


def gathering(players: int = 2, mistakes: float = 0.0) -> Gathering:
    return Gathering(players, seed=3, speed=4.0, mistakes=mistakes, pause_s=PAUSE_S)


def test_game_after_game_is_played_by_buttons_alone(tmp_path: Path) -> None:
    evening = Evening(tmp_path, gathering(mistakes=0.05))

    async def play() -> None:
        await evening.open()
        await evening.pass_until(lambda: len(evening.games()) == 2)
        await evening.pass_until(lambda: evening.table.state is not None and not evening.table.view.log)  # type: ignore[union-attr]

    asyncio.run(play())
    evening.journal.close()
    for number, game in enumerate(evening.games()):
        assert (game["game"], game["problem"], game["agrees"], game["rulings"]) == (number, "", True, [])
        assert game["tally"]["wrong"] == 0
    assert evening.display.begun_on_the_page == 0
    with Journal(tmp_path / "journal.sqlite") as journal:
        kinds = [record.kind for record in journal.records() if record.kind not in ("play", "refused")]
        firsts = [record.data["first"] for record in journal.records() if record.kind == "game"]
    assert kinds == ["start", "game", "lobby", "game", "lobby", "game"]
    assert len(firsts) == 3


@pytest.mark.parametrize(("players", "options"), [(3, {"advanced": True}), (2, {"solo": True})])
def test_another_game_is_played_by_its_name(tmp_path: Path, players: int, options: dict[str, Any]) -> None:
    evening = Evening(tmp_path, gathering(players), "pizzeria", options)

    async def play() -> None:
        await evening.open()
        await evening.pass_until(lambda: len(evening.table.view.log) >= 4)  # type: ignore[union-attr]

    asyncio.run(play())
    assert evening.table.state.options.advanced is options.get("advanced", False)
    assert evening.table.state.options.solo is options.get("solo", False)
    assert evening.display.begun_on_the_page == 0
    assert evening.display.rulings == []
    evening.journal.close()


@pytest.mark.long
def test_the_knife_goes_round_with_the_slicer_and_a_game_ends_with_slaps(tmp_path: Path) -> None:
    evening = Evening(tmp_path, gathering(players=3))

    async def play() -> None:
        await evening.open()
        await evening.pass_until(lambda: len(evening.games()) == 1)
        await evening.step()

    asyncio.run(play())
    seats = {seat.player: seat.seat for seat in evening.display.look().seats if seat.player}  # type: ignore[union-attr]
    knife = [(edge.seat, edge.closed) for edge in evening.contacts if edge.kind is ContactKind.KNIFE_DOCK]
    slicers = _slicers(evening.journal)
    docked = [seat for seat, closed in knife if closed]
    assert docked == [seats[player] for player in slicers]
    assert [seat for seat, closed in knife if not closed] == docked[:-1], "taken from where it was"
    slaps = [edge for edge in evening.contacts if edge.kind is ContactKind.PAD and edge.closed]
    assert {edge.seat for edge in slaps} == set(seats.values())
    assert max(edge.time_s for edge in slaps) - min(edge.time_s for edge in slaps) < 1.0
    evening.journal.close()


def _slicers(journal: Journal) -> list[int]:
    """Who divided each pizza of the last game, by replay."""
    records = journal.records(game=journal.last_game())
    state = GAME.start(len(records[0].data["seats"]), {}, records[0].data["first"])
    slicers = []
    for record in records[1:]:
        for data in record.data["moves"] if record.kind == "play" else []:
            move = GAME.decode_move(data)
            if isinstance(move, Divide):
                slicers.append(state.slicer)
            state = GAME.apply(state, move)
    return slicers


def test_what_the_table_does_not_see_is_ruled_and_the_game_goes_on(tmp_path: Path) -> None:
    evening = Evening(tmp_path, gathering())

    async def play() -> None:
        await evening.open()
        await evening.pass_until(lambda: evening.table.state is not None)
        evening.blind = True
        await evening.pass_until(lambda: bool(evening.display.rulings), 120)
        evening.blind = False
        await evening.pass_until(lambda: len(evening.games()) == 1)

    asyncio.run(play())
    evening.journal.close()
    [game] = evening.games()
    assert (game["problem"], game["agrees"], len(game["rulings"])) == ("", True, 1)
    assert game["tally"]["wrong"] == 0


def test_a_game_that_nobody_here_plays_is_replaced(tmp_path: Path) -> None:
    evening = Evening(tmp_path, gathering())

    async def play() -> None:
        await evening.open()
        await evening.table.new_game([Sitting(seat, f"x{seat}") for seat in (1, 2, 3)], {})
        await evening.pass_until(lambda: len(evening.table.view.log) >= 2)  # type: ignore[union-attr]

    asyncio.run(play())
    evening.journal.close()
    assert evening.display.begun_on_the_page == 1


@pytest.mark.long
@cases("times", [3, 1], always=1)
def test_what_the_host_takes_back_they_lay_as_it_was_and_go_on(tmp_path: Path, times: int) -> None:
    evening = Evening(tmp_path, gathering())

    def plays() -> int:
        assert evening.table.view is not None
        return sum(line.source != "undo" for line in evening.table.view.log)

    async def play() -> None:
        await evening.open()
        for before in (6, 9):
            await evening.pass_until(lambda before=before: plays() >= before)  # type: ignore[misc]
            for _ in range(10):
                await evening.step()
            for _ in range(times):
                await evening.table.undo()
        await evening.pass_until(lambda: len(evening.games()) == 1)

    asyncio.run(play())
    evening.journal.close()
    [game] = evening.games()
    assert (game["problem"], game["agrees"], game["rulings"]) == ("", True, [])
    assert game["tally"]["wrong"] == 0
    assert game["tally"]["notes"].count("taken back by the host") == 2


def test_while_the_host_pauses_nobody_moves(tmp_path: Path) -> None:
    evening = Evening(tmp_path, gathering())

    async def play() -> None:
        await evening.open()
        await evening.pass_until(lambda: len(evening.table.view.log) >= 1)  # type: ignore[union-attr]
        await evening.table.pause()
        await evening.pass_until(lambda: not evening.world.busy, 20)
        still = evening.world.snapshot().pieces
        await evening.pass_until(lambda: evening.world.now_s > 60, 120)
        assert evening.world.snapshot().pieces == still
        await evening.table.resume()
        await evening.pass_until(lambda: len(evening.table.view.log) >= 3, 120)  # type: ignore[union-attr]

    asyncio.run(play())
    evening.journal.close()


def test_people_go_home_when_the_display_stays_dark(tmp_path: Path) -> None:
    world, display, gone = World(Random(0)), Shown(), []
    people = People(world, load_table(), display, tmp_path / "tally", gathering(), lambda: gone.append(world.now_s))
    while not gone and world.now_s < 2 * ABANDONED_S:
        world.advance(world.now_s + 10)
        people.step(world)
    assert gone == [pytest.approx(ABANDONED_S, abs=11)]
