"""The event's screen in a browser: a television and a helper's phone."""

from datetime import datetime, timedelta

import pytest

from controller.event_views import EventGameView, EventPlayerView, EventTableView, EventView
from controller.records.results import TORN
from controller.views import PlayerResultView, StandingView
from controller.web.event import create_event_app
from controller.web.hub import Hub
from controller.web.server import serving
from tests.browser.chromium import browser, find_chromium
from tests.browser.legible import illegible
from tests.browser.shots import SIZES
from tests.browser.test_display import CLINGING, run
from tests.long import cases

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="needs chromium")
NAMES = ["Ann", "عمر الفاروق", "W" * 40, "🍕🍕🍕"]


class Shown:
    """What the page asks for, made up."""

    def __init__(self) -> None:
        players = [EventPlayerView(name=name, colour="#0072B2", acts=name == "Ann") for name in NAMES]
        table = EventTableView(
            number=0, address="http://table1.local:8080", table="Left table", title="SLICE", state="plays",
            message="Ann draws", calls="", calls_for_s=0.0, players=players,
        )  # fmt: skip
        asks = {"state": "asks", "calls": "asks which move was meant", "calls_for_s": 125.0}
        away = {"state": "away", "calls": "does not answer: timed out", "calls_for_s": 5.0, "players": []}
        addresses = [f"http://192.168.1.{number}:8080" for number in range(6)]
        self.newest = EventView(
            event="ConCon",
            tables=[
                table,
                table.model_copy(update=asks | {"number": 1, "address": addresses[0]}),
                table.model_copy(
                    update=away | {"number": 2, "address": addresses[1], "table": "192.168.1.1:8080", "title": ""}
                ),
                *(
                    table.model_copy(update={"number": i, "address": addresses[i - 1], "table": f"T{i - 1}"})
                    for i in range(3, 7)
                ),
            ],
            standings=[StandingView(rank=1 + i // 2 * 2, name=name, won=4, played=5) for i, name in enumerate(NAMES)],
            games=3,
            newest=[
                EventGameView(
                    table="Left table", title="SLICE", ended="2026-06-06T20:00:00+00:00",
                    players=[PlayerResultView(seat=i, name=name, total=i, won=i == 0) for i, name in enumerate(NAMES)],
                    doubt=TORN,
                )
            ] * 3,
        )  # fmt: skip

    def view(self) -> EventView:
        return self.newest


@cases("size", SIZES, always=1)
def test_who_needs_somebody_is_seen_and_nothing_runs_over(size: str) -> None:
    shown = Shown()

    async def scenario() -> None:
        app = create_event_app(shown, "1")  # type: ignore[arg-type]
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/", *SIZES[size])
            await page.until("document.querySelectorAll('.table').length === 7")
            assert await page.evaluate("document.title") == "ConCon"
            assert await page.evaluate("document.getElementById('event').getClientRects()[0].height") < 60, "one line"
            count = "document.getElementById('count').textContent"
            assert await page.evaluate(count) == "Tables: 7, calling somebody: 2 · games over: 3"
            assert await illegible(page) == []
            assert await page.evaluate(CLINGING) == []
            ranks = "[...document.querySelectorAll('#standings .rank')].map((rank) => rank.textContent)"
            assert await page.evaluate(ranks) == ["1.", "1.", "3.", "3."]
            calls = "[...document.querySelectorAll('.calls .call')].map((call) => call.textContent)"
            assert await page.evaluate(calls) == [
                "asks which move was meant · for 2 min", "does not answer: timed out",
            ]  # fmt: skip
            titles = "[...document.querySelectorAll('.title')].slice(0, 3).map((title) => title.textContent)"
            assert await page.evaluate(titles) == ["SLICE · table1.local:8080", "SLICE · 192.168.1.0:8080", ""]
            assert await page.evaluate("document.querySelector('#newest li').lastChild.textContent") == TORN
            assert await page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
            called = "document.getElementById('called')"
            assert await page.evaluate(f"{called}.textContent") == (
                "Left table · 192.168.1.0:8080: asks which move was meant; 192.168.1.1:8080: does not answer: timed out"
            ), "read out"
            assert await page.evaluate(f"{called}.role") == "alert"
            assert await page.evaluate("document.querySelectorAll('[aria-current=true]').length") == 6, "who acts"
            await page.as_printed()
            assert await page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
            assert await page.evaluate("document.querySelector('#tables').clientHeight") == 0, "only the standings"
            shown.newest = shown.newest.model_copy(update={"tables": shown.newest.tables[:1]})
            await page.until("document.querySelectorAll('.table').length === 1")
            assert await page.evaluate(count) == "Tables: 1, all is well · games over: 3"
            assert await page.evaluate(f"{called}.textContent") == ""
            await page.set_media()
            letters = "parseFloat(getComputedStyle(document.querySelector('.says')).fontSize)"
            assert await page.evaluate(letters) > (40 if size == "wide" else 15), "one alone fills the room"
            finding = "document.getElementById('finding')"
            assert await page.evaluate(f"{finding}.hidden")
            shown.newest = shown.newest.model_copy(update={"tables": [], "finding": "No table was found."})
            await page.until(f"!{finding}.hidden && {finding}.textContent === 'No table was found.'")
            assert await page.evaluate(count) == "Tables: 0 · games over: 3"
            assert page.complaints == []

    run(scenario)


@pytest.mark.parametrize("size", [SIZES["wide"], (1280, 720)])
def test_of_many_standings_a_screen_shows_some_by_turns_and_paper_all(size: tuple[int, int]) -> None:
    shown = Shown()
    many = [StandingView(rank=i + 1, name=f"N{i}", won=30 - i, played=30) for i in range(20)]
    games = shown.newest.newest * 4
    shown.newest = shown.newest.model_copy(update={"standings": many, "newest": games})
    seen = "[...document.querySelectorAll('#standings li')].filter((li) => li.clientHeight).map((li) => li.textContent)"

    async def scenario() -> None:
        app = create_event_app(shown, "1")  # type: ignore[arg-type]
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/", *size)
            await page.until("document.querySelectorAll('#standings li').length === 21")
            turns = set()
            for at, which in ((0, "1 to 10"), (15000, "11 to 20")):
                await page.evaluate(f"Date.now = () => {at}")
                said = "document.querySelector('#standings .shown').textContent"
                await page.until(f"{said} === '{which} of 20, by turns'")
                lines = await page.evaluate(seen)
                turns |= {line.split("of")[0] for line in lines[:-1]}
                assert await page.evaluate("document.documentElement.scrollHeight") == size[1], "nobody scrolls it"
            assert len(turns) == len(many)
            assert (
                1
                <= await page.evaluate(
                    "[...document.querySelectorAll('#newest li')].filter((li) => li.clientHeight).length"
                )
                < len(games)
            )
            await page.set_size(size[0], 200)
            await page.evaluate("Date.now = () => 15000 * 19")
            await page.until(f"{said} === '20 of 20, by turns'")
            await page.as_printed()
            assert [line[:6] for line in await page.evaluate(seen)][:20][-3:] == ["18.N17", "19.N18", "20.N19"]
            await page.set_media()
            await page.open(f"http://table.local:{port}/", *SIZES["phone"])
            await page.until("document.querySelectorAll('#standings li').length === 20")
            assert len(await page.evaluate(seen)) == 20

    run(scenario)


def test_what_does_not_count_is_said_whole_on_a_small_phone() -> None:
    shown = Shown()
    uncounted = "Games that do not count, by the settings of their table: " + ", ".join(
        f"2 of Table {number} (no event)" for number in range(1, 9)
    )
    namesakes = "At two tables at the same time, so more than one person, but counted as one: “Ann” (A and B)."
    kept = "What tables tell is not kept, and lost with this program where they are gone: the disk is full."
    shown.newest = shown.newest.model_copy(update={"uncounted": uncounted, "namesakes": namesakes, "kept": kept})
    finding = "document.getElementById('finding')"

    async def scenario() -> None:
        app = create_event_app(shown, "1")  # type: ignore[arg-type]
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/", 320, 700)
            await page.until(f"{finding}?.textContent === '{kept} {uncounted} {namesakes}'")
            assert await page.evaluate(f"{finding}.scrollHeight <= {finding}.clientHeight")
            await page.as_printed()
            assert await page.evaluate(f"{finding}.scrollHeight <= {finding}.clientHeight")

    run(scenario)


@pytest.mark.parametrize(
    ("size", "letters"), [((1920, 1080), 1920 / 87), ((3840, 2160), 3840 / 87), ((5120, 1440), 32)]
)
def test_a_television_of_more_pixels_has_letters_as_large(size: tuple[int, int], letters: float) -> None:
    """And one that is only wider as many lines."""

    async def scenario() -> None:
        app = create_event_app(Shown(), "1")  # type: ignore[arg-type]
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/", *size)
            await page.until("document.querySelectorAll('.table').length === 7")
            root = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
            assert await page.evaluate(root) == pytest.approx(letters, abs=0.1)

    run(scenario)


@cases("size", SIZES, always=1)
def test_a_table_that_says_very_much_leaves_room_for_others(size: str) -> None:
    shown = Shown()
    words = "<b>W" * 5000
    player = EventPlayerView(name=words, colour="#0072B2", acts=True)
    said = {"table": words, "title": words, "message": words, "players": [player] * 100}
    game = shown.newest.newest[0].model_copy(update={"table": words, "title": words, "doubt": words})
    shown.newest = shown.newest.model_copy(
        update={
            "tables": [shown.newest.tables[0].model_copy(update=said)],
            "standings": [StandingView(name=words, won=1, played=1)],
            "newest": [game],
            "uncounted": words,
        }
    )
    heights = (
        "[...document.querySelectorAll('.table, #standings li, #newest li, #finding')].map((one) => one.clientHeight)"
    )

    async def scenario() -> None:
        app = create_event_app(shown, "1")  # type: ignore[arg-type]
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/", *SIZES[size])
            await page.until("document.querySelectorAll('.table').length === 1")
            assert max(await page.evaluate(heights)) < 700
            assert await page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
            assert await page.evaluate("document.querySelector('#tables b')") is None

    run(scenario)


def test_names_and_a_long_call_are_whole_however_many_tables_there_are() -> None:
    shown = Shown()
    call = "Player 1 has laid the red cutter on line 4 of Player 2's side; take it off and lay it on one of the own"
    players = [EventPlayerView(name=f"Player {i}", colour="#0072B2", acts=i == 1) for i in range(1, 7)]
    said = {"message": call, "players": players}
    calls = {"state": "breach", "calls": f"is against the rules: {call}", "calls_for_s": 200.0}
    table = shown.newest.tables[0].model_copy(update=said)
    cut = """
[...document.querySelectorAll('.table, .table *')].filter((e) => {
  const [own, around] = [e, e.closest('.table')].map((one) => one.getBoundingClientRect());
  return own.bottom > Math.min(around.bottom + 1, innerHeight) || e.scrollHeight > e.clientHeight + 2;
}).map((e) => e.textContent)
"""

    async def scenario() -> None:
        app = create_event_app(shown, "1")  # type: ignore[arg-type]
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            for count in (1, 2, 6):
                tables = [table.model_copy(update={"number": i} | (calls if i == 0 else {})) for i in range(count)]
                shown.newest = shown.newest.model_copy(update={"tables": tables})
                for size in (SIZES["wide"], (1280, 800)):
                    await page.open(f"http://table.local:{port}/", *size)
                    await page.until(f"document.querySelectorAll('.table').length === {count}")
                    assert await page.evaluate(cut) == [], f"{count} {size}"

    run(scenario)


@pytest.mark.parametrize("size", [(1280, 720), SIZES["wide"]])
def test_of_names_as_long_as_can_be_each_is_seen(size: tuple[int, int]) -> None:
    shown = Shown()
    players = [EventPlayerView(name="W" * 40, colour="#0072B2", acts=i == 1) for i in range(1, 7)]
    said = {"table": "W" * 40, "message": "W" * 40 + " divides the pizza, and draws", "players": players}
    table = shown.newest.tables[0].model_copy(update=said)
    cut = """
[...document.querySelectorAll('.players li')].filter((e) => {
  const [own, names] = [e, e.parentElement].map((one) => one.getBoundingClientRect());
  return own.bottom > Math.min(names.bottom + 2, innerHeight);
}).length
"""

    async def scenario() -> None:
        app = create_event_app(shown, "1")  # type: ignore[arg-type]
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            shown.newest = shown.newest.model_copy(
                update={"tables": [table.model_copy(update={"number": i}) for i in range(6)]}
            )
            await page.open(f"http://table.local:{port}/", *size)
            await page.until("document.querySelectorAll('.table').length === 6")
            assert await page.evaluate(cut) == 0
            assert await illegible(page) == []

    run(scenario)


def test_of_more_tables_than_there_is_room_for_those_that_call_are_seen() -> None:
    shown = Shown()
    free, asks, *_ = shown.newest.tables
    tables = [free.model_copy(update={"number": i, "table": f"Table {i}"}) for i in range(98)]
    calling = [asks.model_copy(update={"number": i, "table": f"Table {i}"}) for i in (98, 99)]
    seen = """
[...document.querySelectorAll('.table.calls')].filter((one) => one.getBoundingClientRect().bottom < innerHeight).length
"""
    top = "document.querySelector('.table').getBoundingClientRect().top"
    below = f"[...document.querySelectorAll('.calls')].every((one) => one.getBoundingClientRect().top > {top})"

    async def scenario() -> None:
        app = create_event_app(shown, "1")  # type: ignore[arg-type]
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            shown.newest = shown.newest.model_copy(update={"tables": [*tables, *calling]})
            await page.open(f"http://table.local:{port}/", *SIZES["wide"])
            await page.until("document.querySelectorAll('.table').length === 100")
            assert await page.evaluate("document.documentElement.scrollHeight > innerHeight")
            assert await page.evaluate(seen) == 2
            shown.newest = shown.newest.model_copy(update={"tables": [*tables[:5], *calling]})
            await page.until("document.querySelectorAll('.table').length === 7")
            assert await page.evaluate(below), "where all are seen each stays in its place"

    run(scenario)


def test_on_a_phone_those_that_call_come_first_and_games_say_on_which_day_they_were() -> None:
    shown = Shown()
    yesterday = datetime.now().astimezone() - timedelta(days=1)
    shown.newest = shown.newest.model_copy(
        update={"newest": [shown.newest.newest[0].model_copy(update={"ended": yesterday.isoformat()})]}
    )
    tops = "[...document.querySelectorAll('.table')].map((one) => one.getBoundingClientRect().top)"
    day = f"new Date('{yesterday.isoformat()}').toLocaleDateString(undefined, {{ weekday: 'short' }})"

    async def scenario() -> None:
        app = create_event_app(shown, "1")  # type: ignore[arg-type]
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/", *SIZES["phone"])
            await page.until("document.querySelectorAll('.table').length === 7")
            free, asks, away, *others = await page.evaluate(tops)
            assert asks < away < free < min(others)
            assert await page.evaluate(f"document.querySelector('#newest p').textContent.startsWith({day})")

    run(scenario)


def test_of_two_tables_at_one_address_each_has_its_place() -> None:
    """As when one that is gone had the address that another has now."""
    shown = Shown()
    one = shown.newest.tables[0]
    two = [one, one.model_copy(update={"number": 1, "table": "Right table"})]
    names = "[...document.querySelectorAll('.table h3')].map((name) => name.textContent).join()"

    async def scenario() -> None:
        app = create_event_app(shown, "1")  # type: ignore[arg-type]
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            shown.newest = shown.newest.model_copy(update={"tables": two})
            await page.open(f"http://table.local:{port}/", *SIZES["wide"])
            await page.until(f"{names} === 'Left table,Right table'")
            shown.newest = shown.newest.model_copy(update={"tables": two[::-1]})
            await page.until(f"{names} === 'Right table,Left table'")
            shown.newest = shown.newest.model_copy(update={"tables": two[1:]})
            await page.until(f"{names} === 'Right table'")

    run(scenario)


def test_when_the_program_is_gone_the_page_says_so() -> None:
    async def scenario() -> None:
        async with browser() as page:
            async with serving(create_event_app(Shown(), "1"), Hub(), "127.0.0.1", 0) as port:  # type: ignore[arg-type]
                await page.open(f"http://table.local:{port}/", *SIZES["wide"])
                await page.until("document.querySelectorAll('.table').length === 7")
            await page.until("!document.getElementById('lost').hidden")

    run(scenario)
