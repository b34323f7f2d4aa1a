"""The room's display of Dice and Slice, at moments of a real game."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from controller.commands import Sitting
from controller.games.dice_and_slice import GAME
from controller.games.dice_and_slice.rules import Phase, State
from controller.journal import Journal
from controller.views import TableView
from tests.browser.chromium import find_chromium
from tests.browser.legible import illegible
from tests.browser.shots import SIZES
from tests.browser.test_display import OVERFLOWS, room, run
from tests.controller.games.dice_and_slice.laid_sheets import LaidSheets
from tests.controller.laid_table import Outlets, make_table
from tests.long import cases

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="needs Debian's chromium (apt-get install chromium)")
# Names and tasks that end in an ellipsis.
CUT_OFF = """
[...document.querySelectorAll('.das-player :is(h2, .das-task)')].filter((e) => e.scrollWidth > e.clientWidth)
  .map((e) => e.textContent)
"""


NAMES = "[...document.querySelector('.das-player').querySelectorAll('.das-name')].map((e) => e.textContent)"
"""Those of the first sheet's dots, across and up."""


class Ruled:
    """A table whose host rules what sensible players do, and that looks on now and then."""

    def __init__(self, journal: Journal, players: int) -> None:
        self.table = make_table(journal, Outlets(), game="dice_and_slice", options={})
        self.sheets = LaidSheets(GAME.start(players, {}, 1))
        self.rng = Random(3)
        self.now_s = 100.0

    async def start(self) -> None:
        await self.table.start()
        await self.table.new_game([Sitting(seat, f"Player {p}") for p, seat in self.sheets.seats.items()], {})

    async def go_on(self, until: Callable[[State], bool]) -> None:
        while not until(self.table.state):
            state = self.table.state
            if state.phase is Phase.ROLL:
                move = GAME.draw(state, self.rng)
            else:
                move = GAME.advise(state, GAME.turn(state).players[0])[0].move
            await self.table.rule_move(GAME.format(state, move))
        self.sheets = LaidSheets(self.table.state, seats=self.sheets.seats).arrange()

    async def look(self) -> TableView:
        for rest_s in (0.0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.4, 2.8):
            self.now_s += 0.4
            scene = self.sheets.scene()
            await self.table.on_scene(type(scene)(self.now_s, scene.sequence, scene.sightings, (), rest_s))
        assert self.table.view is not None
        return self.table.view


async def moments(folder: Path, players: int, turn: int = 6, *, end: bool = True) -> list[TableView]:
    """Views of a game: at its beginning, while all mark, when something is wrong, at its end."""
    views = []
    with Journal(folder / "journal.sqlite") as journal:
        game = Ruled(journal, players)
        await game.start()
        game.sheets.arrange()
        views.append(await game.look())
        await game.go_on(
            lambda state: state.turn >= turn and state.phase is Phase.MARK and state.sheets[state.active - 1].done
        )
        views.append(await game.look())
        game.sheets.mark(game.table.state.active, next(iter(free_dots(game.table.state))))
        views.append(await game.look())
        assert views[-1].breach is not None
        if end:
            await game.go_on(lambda state: state.phase is Phase.OVER)
            views.append(await game.look())
    return views


def free_dots(state: State) -> list[str]:
    grid = state.options.components.grid
    return [name for name, bit in grid.bits.items() if not bit & state.sheets[state.active - 1].dots]


@cases(("players", "size"), [(6, "wide"), (2, "phone")], always=0)
def test_every_moment_fits_the_window(tmp_path: Path, players: int, size: str) -> None:
    views = asyncio.run(moments(tmp_path, players, turn=3 if players > 2 else 6, end=players == 2))

    async def scenario() -> None:
        async with room(views[0]) as table:
            for seq, view in enumerate(views, start=1000):
                table.hub.publish(view.model_copy(update={"seq": seq}))
                await table.page.open(f"http://table.local:{table.port}/", *SIZES[size])
                await table.page.until("document.querySelectorAll('.das-dot, .das-hint, .das-final').length > 0")
                assert await table.page.evaluate(OVERFLOWS) == [], view.message
                assert await illegible(table.page, television=size == "wide") == [], view.message
                width = SIZES[size][0]
                assert await table.page.evaluate("document.documentElement.scrollWidth") == width, view.message
                assert await table.page.evaluate(CUT_OFF) == [], view.message
                if view.turn.actor != "nobody":
                    first = "document.querySelector('.players .das-art').getBoundingClientRect().bottom"
                    assert await table.page.evaluate(first) <= SIZES[size][1], "read without scrolling"
                    assert not await table.page.evaluate("document.querySelector('.stage.close')"), (
                        "sheets lie about it"
                    )
                    dots = sum(len(one["dots"]) for one in view.position["players"])
                    told = await table.page.evaluate("document.querySelector('.players .das-art').ariaLabel")
                    assert all(dot in told for dot in view.position["players"][0]["dots"])
                    for where in (".under", ".players"):
                        drawn = await table.page.evaluate(f"document.querySelectorAll('{where} .das-dot').length")
                        assert drawn == dots, where

    run(scenario)


def test_the_sheets_of_four_are_printed_on_one_page_and_none_is_torn(tmp_path: Path) -> None:
    async def the_end() -> TableView:
        with Journal(tmp_path / "journal.sqlite") as journal:
            game = Ruled(journal, 4)
            await game.start()
            await game.go_on(lambda state: state.phase is Phase.OVER)
            return await game.look()

    view = asyncio.run(the_end())

    async def scenario() -> None:
        async with room(view) as table:
            await table.page.open(f"http://table.local:{table.port}/", *SIZES["wide"])
            await table.page.until("document.querySelectorAll('.das-final .das-player').length === 4")
            assert await table.page.printed_pages() == 1
            await table.page.as_printed()
            torn = "getComputedStyle(document.querySelector('.das-final .das-player')).breakInside"
            assert await table.page.evaluate(torn) == "avoid"

    run(scenario)


def test_beside_a_long_name_the_players_die_is_seen(tmp_path: Path) -> None:
    lobby, marking, *_ = asyncio.run(moments(tmp_path, 2, end=False))
    tasks = "[...document.querySelectorAll('.das-task')].map((e) => [e.textContent, e.scrollWidth <= e.clientWidth])"

    async def scenario() -> None:
        async with room(lobby) as table:
            for seq, view in enumerate((lobby, marking), start=1000):
                seats = [seat.model_copy(update={"name": "W" * 40}) for seat in view.seats]
                table.hub.publish(view.model_copy(update={"seq": seq, "seats": seats}))
                await table.page.open(f"http://table.local:{table.port}/", *SIZES["phone"])
                await table.page.until("document.querySelectorAll('.das-task').length === 2")
                shown = await table.page.evaluate(tasks)
                assert all(text and whole for text, whole in shown), shown
                marking_with = [text for text, _ in shown if text in view.position["sheet"]["faces"]]
                drawn = await table.page.evaluate("document.querySelectorAll('.das-task-die').length")
                assert drawn == len(marking_with)
            assert marking_with
            names = await table.page.evaluate(NAMES)
            assert names == [*"abcdefghijklm", *map(str, range(1, 11))]

    run(scenario)
