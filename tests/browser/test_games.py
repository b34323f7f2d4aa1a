"""The host's choice of a game in a real browser, against a real server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from controller.views import ResultsView, StandingView, TableView
from controller.web.hub import Hub
from controller.web.server import serving
from tests.browser.chromium import Page, browser, find_chromium
from tests.browser.legible import illegible
from tests.browser.shots import SIZES
from tests.browser.test_display import A_MOMENT, LATER, OVERFLOWS, run
from tests.controller.web.fixture_views import lobby, ring_served
from tests.controller.web.table import NotingCommands, NotingShelf, make_app

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="needs Debian's chromium (apt-get install chromium)")
SET = "document.querySelector('.games .set')"


@contextlib.asynccontextmanager
async def chooser(
    view: TableView, shelf: NotingShelf, size: str = "wide"
) -> AsyncIterator[tuple[Page, Hub, NotingCommands]]:
    """The opened dialog, on the table's own machine."""
    hub, commands = Hub(), NotingCommands()
    hub.publish(view)
    results = ResultsView(games=[], standings=[StandingView(name="Nonna", won=1, played=1)])
    app = make_app(hub, commands, shelf, results=lambda: results)
    async with serving(app, hub, "127.0.0.1", 0) as port, browser() as page:
        await page.open(f"http://127.0.0.1:{port}/", *SIZES[size])
        await page.until("document.getElementById('host')?.hidden === false")
        await page.evaluate("document.getElementById('choose').click()")
        await page.until("document.getElementById('games').open")
        yield page, hub, commands


async def choose(page: Page, game: str) -> None:
    await page.evaluate(f"document.querySelector('[value={game}]').click()")


async def text(page: Page, selector: str) -> Any:
    return await page.evaluate(f"document.querySelector({selector!r}).textContent")


@pytest.mark.parametrize("size", SIZES)
def test_another_game_is_set_with_its_options(size: str) -> None:
    async def scenario() -> None:
        shelf = NotingShelf()
        async with chooser(ring_served(), shelf, size) as (page, hub, _):
            assert await text(page, ".games .set") == "Set the table for New York Slice anew"
            assert await page.evaluate("document.querySelector('[value=slice]').disabled"), "its faces are missing"
            focused = "[document.activeElement.value, document.activeElement.checked]"
            assert await page.evaluate(focused) == ["new_york_slice", True]
            await choose(page, "pizza_theory")
            assert await page.evaluate(OVERFLOWS) == []
            assert await illegible(page, television=size == "wide") == []
            told = "Math.min(...[...document.querySelectorAll('.option:has(select) span')].map((e) => e.clientWidth))"
            assert await page.evaluate(told) > 200, "what an option means can be read"
            await choose(page, "pizzeria")
            assert await page.evaluate(OVERFLOWS) == []
            await page.evaluate("document.querySelector('[name=solo]').click()")
            await page.evaluate(f"{SET}.click()")
            await page.until("document.querySelector('.games output').textContent.includes('expected 2')")
            await page.evaluate("document.querySelector('[name=solo]').click()")
            await page.evaluate("document.querySelector('[name=advanced]').click()")
            await page.evaluate("document.querySelector('#sitting').value = '2'")
            await page.evaluate(f"{SET}.click()")
            await page.until(f"{SET}.disabled")
            assert await page.evaluate("document.getElementById('games').open"), "until the table is set"
            assert shelf.asked == [("pizzeria", {"advanced": True}, 2)]
            hub.publish(lobby().model_copy(update={"seq": 2_000_000}))
            await page.until("!document.getElementById('games').open")
            refused = [complaint for complaint in page.complaints if "422" not in complaint]
            assert refused == []

    run(scenario)


def test_what_was_offered_goes_where_another_game_comes() -> None:
    async def scenario() -> None:
        async with chooser(ring_served(), NotingShelf(players=None)) as (page, hub, commands):
            hub.publish(ring_served().model_copy(update={"seq": 900, "table": "Same game"}))
            await page.until("document.body.textContent.includes('Same game')")
            assert await page.evaluate("document.getElementById('games').open")
            hub.publish(lobby().model_copy(update={"seq": 2_000_000, "game": "pizzeria", "title": "Pizzeria"}))
            await page.until("document.title.startsWith('Pizzeria')")
            assert not await page.evaluate("document.getElementById('games').open")
            assert commands.asked == []
            assert page.complaints == []

    run(scenario)


def test_who_plays_a_new_game_where_there_are_no_buttons() -> None:
    async def scenario() -> None:
        view = lobby().model_copy(update={"buttons": False})
        async with chooser(view, NotingShelf(players=None)) as (page, _, commands):
            states = "[...document.querySelectorAll('.lobby-state')].map((state) => state.textContent)"
            await page.until("document.querySelectorAll('.lobby-state').length > 0")
            assert set(await page.evaluate(states)) == {"joined", "joined, begins", "free"}
            assert "button" not in await page.evaluate("document.querySelector('.games').innerText")
            offered = "[...document.querySelector('.sitting [type=text]').list.options].map((o) => o.value)"
            await page.until(f"{offered}.join() === 'Nonna'")  # who has played here before
            free = "[...document.querySelectorAll('.sitting [type=text]')].map((name) => name.value + name.placeholder)"
            assert await page.evaluate(free) == [seat.name for seat in view.seats]
            await page.evaluate(
                "document.querySelectorAll('.sitting li').forEach((li, i) => {"
                " const [plays, name] = li.querySelectorAll('input'); plays.checked = i === 0;"
                " if (i === 2) { name.value = 'Nonna'; name.dispatchEvent(new Event('input')); } })"
            )
            await page.evaluate("document.querySelector('.games .begins').value = '4'")
            await page.evaluate("document.querySelector('.games .start').click()")
            refused = "document.querySelector('.games-do:has(.start) .refused').textContent"
            assert await page.evaluate(refused) == (
                "Seat 4 is to begin, and nobody plays there: tick it, or say who else begins."
            )
            await page.evaluate("document.querySelector('.games .begins').value = '3'")
            await page.evaluate("document.querySelector('.games .start').click()")
            await page.until("!document.getElementById('games').open")
            (asked,) = commands.asked
            assert asked == ("new_game", [(1, lobby().seats[0].name), (3, "Nonna")], {}, 3)
            assert page.complaints == []

    run(scenario)


@pytest.mark.parametrize("size", SIZES)
def test_players_are_renamed_in_the_middle_of_a_game(size: str) -> None:
    async def scenario() -> None:
        view = ring_served().model_copy(update={"number": 3})
        async with chooser(view, NotingShelf(players=None), size) as (page, hub, commands):
            assert await page.evaluate(OVERFLOWS) == []
            assert await illegible(page) == []
            width = "Math.min(...[...document.querySelectorAll('.games .shelf-note')].map((note) => note.clientWidth))"
            assert await page.evaluate(width) > 180, "notes can be read"
            playing = [seat.seat for seat in ring_served().seats if seat.player is not None][:2]
            await page.evaluate(
                f"for (const seat of {playing})"
                " document.querySelector(`[aria-label='Name of seat ${seat}']`).value = `Nonna ${seat}`"
            )
            hub.publish(view.model_copy(update={"seq": view.seq + 1, "number": 4, "table": "The next game"}))
            await page.until("document.body.textContent.includes('The next game')")
            await page.evaluate("document.querySelector('.games .rename').click()")
            await page.until("!document.getElementById('games').open")
            assert commands.asked == [("rename", [(seat, f"Nonna {seat}") for seat in playing])]
            assert commands.seen == [(3, None)], "the game whose players' names these were"
            assert page.complaints == []

    run(scenario)


def test_a_name_that_cannot_be_given_is_said_and_nothing_is_lost() -> None:
    async def scenario() -> None:
        async with chooser(ring_served(), NotingShelf(players=None), "phone") as (page, _, commands):
            write = (
                "((seat, said) => { const name = document.querySelector(`[aria-label='Name of seat ${seat}']`);"
                " name.value = said; name.dispatchEvent(new Event('input'));"
                " document.querySelector('.games .rename').click(); })"
            )
            refused = "document.querySelector('.games-do:has(.rename) .refused').textContent"
            await page.evaluate(f"{write}(2, ' Nonna ')")  # who plays sits at 1, 3, 4 and 5
            assert await page.evaluate(refused) == "Nobody plays at seat 2 in this game: Nonna can play in a new one."
            await page.evaluate(f"{write}(2, '')")
            await page.until("!document.getElementById('games').open")
            await page.evaluate("document.getElementById('choose').click()")
            await page.until("document.getElementById('games').open")
            await page.evaluate(f"{write}(3, ' ')")
            assert await page.evaluate(refused) == "Seat 3 needs a name: write one, or Bruno again."
            assert await page.evaluate(OVERFLOWS) == []
            assert commands.asked == []
            await page.evaluate(f"{write}(3, ' Bo')")
            await page.until("!document.getElementById('games').open")
            assert commands.asked == [("rename", [(3, "Bo")])]
            assert page.complaints == []

    run(scenario)


def test_a_new_game_of_nobody_says_how_many_it_takes() -> None:
    async def scenario() -> None:
        async with chooser(ring_served(), NotingShelf(players=None)) as (page, _, commands):
            await page.evaluate(
                "document.querySelectorAll('.sitting [type=checkbox]').forEach((plays) => (plays.checked = false));"
                "document.querySelector('.games .start').click()"
            )
            refused = "document.querySelector('.games-do:has(.start) .refused').textContent"
            assert await page.evaluate(refused) == "Tick who plays: New York Slice takes 2 to 6 at this table."
            assert await text(page, ".games .start") == "Start a new game", "there is none to be sure of"
            assert commands.asked == []
            assert page.complaints == []

    run(scenario)


def test_a_running_game_is_ended_by_no_single_click() -> None:
    async def scenario() -> None:
        async with chooser(ring_served(), NotingShelf(players=None)) as (page, _, commands):
            start, said = "document.querySelector('.games .start')", ".games .start"
            await page.evaluate(LATER)
            await page.evaluate(f"{start}.click(); {start}.click()")  # nor by a double one
            assert await text(page, said) == "Yes, end the running game"
            assert commands.asked == []
            assert await page.evaluate(OVERFLOWS) == []
            await page.evaluate("later.forEach((act) => act())")
            assert await text(page, said) == "Start a new game", "who was asked has gone away"
            await page.evaluate(A_MOMENT)
            await page.evaluate(f"{start}.click()")
            await page.evaluate(A_MOMENT)
            await page.evaluate(f"{start}.click()")
            await page.until("!document.getElementById('games').open")
            assert [asked[0] for asked in commands.asked] == ["new_game"]
            assert commands.seen == [(ring_served().number, None)]

    run(scenario)


def test_a_table_that_does_not_answer_is_said_not_to() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(lobby())
        async with browser() as page:
            async with serving(make_app(hub), hub, "127.0.0.1", 0) as port:
                await page.open(f"http://127.0.0.1:{port}/", *SIZES["phone"])
                await page.until("document.getElementById('host')?.hidden === false")
            await page.evaluate("document.getElementById('choose').click()")
            await page.until("document.getElementById('refused').textContent === 'The table did not answer.'")
            assert not await page.evaluate("document.getElementById('games').open")

    run(scenario)


def test_a_host_who_sees_nothing_yet_waits_for_what_there_is_to_choose() -> None:
    async def scenario() -> None:
        hub = Hub()
        app = make_app(hub, shelf=NotingShelf(players=None))
        async with serving(app, hub, "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://127.0.0.1:{port}/", *SIZES["wide"])
            await page.until("performance.getEntriesByType('resource').some(({name}) => name.endsWith('/api/role'))")
            await page.evaluate("fetch('/api/role').then((answer) => answer.json())")  # the page's own came before
            assert await page.evaluate("document.getElementById('host').hidden")
            hub.publish(ring_served())
            await page.until("!document.getElementById('host').hidden")
            await page.evaluate("document.getElementById('choose').click()")
            await page.until("document.querySelector('.games .start')")
            assert page.complaints == []

    run(scenario)


def test_only_the_host_sees_it() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(lobby())
        async with serving(make_app(hub), hub, "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/", *SIZES["wide"])
            await page.until("document.querySelectorAll('.lobby-seat').length > 0")
            await asyncio.sleep(0.3)
            assert await page.evaluate("document.getElementById('host').hidden")

    run(scenario)
