"""The room's display of SLICE, at moments of a real game laid by simulated hands."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from controller.commands import Sitting
from controller.games.slice import GAME
from controller.games.slice.rules import Phase, found
from controller.journal import Journal
from controller.views import TableView
from firmware_bridge.signals import Signal, SignalKind
from tests.browser.chromium import find_chromium
from tests.browser.legible import illegible
from tests.browser.shots import SIZES
from tests.browser.test_display import OVERFLOWS, room, run
from tests.controller.games.known import known
from tests.controller.games.slice.laid_slice import LaidSlice
from tests.controller.laid_table import Outlets, make_table

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="needs Debian's chromium (apt-get install chromium)")

OPTIONS = {"pizzas": 1, "returned_cards": "mixed"}


class Watched:
    """A table that looks on while hands lay what they choose."""

    def __init__(self, journal: Journal, players: int) -> None:
        self.outlets = Outlets()
        self.table = make_table(journal, self.outlets, game="slice", options=OPTIONS)
        self.laid = LaidSlice(GAME.start(players, OPTIONS, 1), seed=4)
        self.now_s = 100.0

    async def start(self) -> None:
        await self.table.start()
        await self.table.new_game([Sitting(seat, f"Player {p}") for p, seat in self.laid.seats.items()], {})

    @property
    def view(self) -> TableView:
        assert self.table.view is not None
        return self.table.view

    def phase(self) -> Phase:
        """The phase of the game by now."""
        return known(Phase, self.table.state.phase)

    async def look(self, *, moved: bool = True) -> TableView:
        for rest_s in (0.0,) * moved + (0.5, 0.7, 2.9):
            self.now_s += 0.2
            await self.table.on_scene(replace(self.laid.scene(), time_s=self.now_s, at_rest_s=rest_s))
        return self.view

    async def make_next(self) -> TableView:
        before = self.table.state
        moves, player = self.laid.hands.next_play(before)
        for step in self.laid.hands.steps(before, moves, self.laid.lying()):
            self.laid.lay(*step.lays)
        view = await self.look()
        if player is not None and self.table.state == before:
            self.now_s += 1.5
            seat = self.laid.seats[player]
            await self.table.on_signal(Signal(seat, SignalKind.BUTTON_PRESSED, self.now_s, 0.001))
            view = await self.look(moved=False)
        assert self.table.state != before, view.message
        return view


async def moments(folder: Path, players: int) -> list[TableView]:
    """Views of a game: all is dealt, a card is open, something is wrong, the end."""
    views = []
    with Journal(folder / "journal.sqlite") as journal:
        game = Watched(journal, players)
        await game.start()
        views.append(await game.make_next())
        while game.phase() is not Phase.GRAB or sum(map(found, game.table.state.seats)) < 2 * players:
            await game.make_next()
        views.append(game.view)
        mistake = game.laid.hands._slice_taken(game.table.state)
        before = game.laid.lying()
        assert mistake is not None
        game.laid.lay(*mistake.steps[0].lays)
        await game.look()
        for _ in range(5):
            views[2:] = [await game.look(moved=False)]
        assert views[-1].breach is not None
        for name, was in before.items():
            if game.laid.lying()[name] != was:
                game.laid.world.put(name, was.pose, was.face_up)
        await game.look()
        while game.phase() is not Phase.OVER:
            await game.make_next()
        views.append(await game.look())
    return views


def test_every_moment_fits_the_window(tmp_path: Path) -> None:
    views = asyncio.run(moments(tmp_path, 4))

    async def scenario() -> None:
        async with room(views[0]) as table:
            for seq, (size, view) in enumerate([(size, view) for size in SIZES for view in views], start=1000):
                table.hub.publish(view.model_copy(update={"seq": seq}))
                await table.show(size)
                assert await table.page.evaluate(OVERFLOWS) == [], view.message
                assert await illegible(table.page, television=size == "wide") == [], view.message
                width = SIZES[size][0]
                assert await table.page.evaluate("document.documentElement.scrollWidth") == width, view.message
                assert await table.page.evaluate("document.querySelectorAll('.pieces .piece').length") == len(
                    view.pieces
                )
                first = await table.page.evaluate("document.querySelector('.players .slc-pizza').ariaLabel")
                found = sum(place["card"] is None for place in view.position["players"][0]["pizza"])
                assert first.count(" wanted") == found
                pizzas = await table.page.evaluate("document.querySelectorAll('.players .slc-pizza').length")
                assert pizzas == 4

    run(scenario)
