"""The display's address as a QR code, read from pictures of the page as a phone's camera would."""

import contextlib
from collections.abc import AsyncIterator, Callable

import cv2
import numpy as np
import pytest

from controller.addresses import NotReachable
from controller.views import TableView
from controller.web.hub import Hub
from controller.web.server import serving
from tests.browser.chromium import Page, browser, find_chromium
from tests.browser.legible import illegible
from tests.browser.shots import DRAWN
from tests.browser.test_display import OVERFLOWS, run
from tests.controller.web.fixture_views import breach, lobby, ring_served
from tests.controller.web.table import TOKEN, make_app
from tests.long import cases

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="needs Debian's chromium (apt-get install chromium)")
SCREENS = [(1280, 720), (1280, 800), (1920, 1080)]
PHONE = (390, 844)
CARD = "document.querySelector('.phone-card')"
DIALOG = "document.getElementById('phones')"
CONTROL = "document.getElementById('phone')"
HOSTS = f"{DIALOG}.querySelector('.link')"
CODED = f"{CARD}?.querySelector('img')?.complete && {CARD}.getClientRects().length > 0"


def boxes(*selectors: str) -> str:
    """Where these elements are: left, top, right, bottom of each."""
    listed = ", ".join(f"'{selector}'" for selector in selectors)
    edges = "['left', 'top', 'right', 'bottom'].map((edge) => e.getBoundingClientRect()[edge])"
    return f"[{listed}].map((selector) => document.querySelector(selector)).map((e) => {edges})"


async def read(page: Page) -> str:
    """What a QR reader finds on the page."""
    image = cv2.imdecode(np.frombuffer(await page.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert image is not None
    text, _, _ = cv2.QRCodeDetectorAruco().detectAndDecode(image)
    return text


def reached(port: int) -> str:
    """As short as most addresses of a home are, also with a port of the tests."""
    return "http://192.168.1.20:8080/"


async def open_dialog(page: Page, address: str) -> None:
    """The host's page, which offers the host's address."""
    await page.open(address, *SCREENS[0])
    await page.until(DRAWN)
    await page.until("!document.getElementById('host').hidden")
    await page.evaluate(f"{CONTROL}.click()")
    await page.until(HOSTS)


@contextlib.asynccontextmanager
async def showing(
    view: TableView, where: str = "127.0.0.1", reached: Callable[[int], str] = reached
) -> AsyncIterator[tuple[Page, Hub, str]]:
    """A page, where its views come from, and its address at `where`."""
    hub = Hub()
    hub.publish(view)
    app = make_app(hub, reached=reached)
    async with serving(app, hub, "127.0.0.1", 0) as port, browser() as page:
        yield page, hub, f"http://{where}:{port}/"
        assert page.complaints == []


@cases("size", SCREENS, always=1)
def test_a_screen_shows_it_while_people_sit_down_and_nothing_is_pushed_away(size: tuple[int, int]) -> None:
    async def scenario() -> None:
        async with showing(lobby()) as (page, hub, address):
            await page.open(address, *size)
            await page.until(DRAWN)
            await page.until(CODED)
            assert await read(page) == "http://192.168.1.20:8080/"
            card, board, status = await page.evaluate(boxes(".phone-card", "#board", ".status"))
            assert (card[0], card[1], card[3]) == pytest.approx((board[0], board[1], board[3]), abs=1)
            assert card[2] <= board[2]
            assert status[3] == pytest.approx(size[1], abs=1)
            assert await page.evaluate(OVERFLOWS) == []
            others = boxes("#stage", "#turn", "#players", ".status")
            with_it = await page.evaluate(others)
            await page.evaluate(f"{CARD}.hidden = true")
            assert await page.evaluate(others) == with_it
            hub.publish(ring_served())
            await page.until(f"{CARD} === null && document.querySelector('#board').children.length > 0")

    run(scenario)


def test_a_phone_needs_none_of_itself_but_shows_it_to_another() -> None:
    async def scenario() -> None:
        async with showing(lobby(), "table.local") as (page, _, address):
            await page.open(address, *PHONE)
            await page.until(DRAWN)
            await page.until(f"{CARD}.querySelector('img') !== null")
            assert await page.evaluate(f"{CARD}.getClientRects().length") == 0
            assert await read(page) == ""
            await page.evaluate(f"{CONTROL}.click()")
            await page.until(f"{DIALOG}.open && {DIALOG}.querySelector('img').complete")
            assert await page.evaluate(OVERFLOWS) == []
            assert await page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
            assert await read(page) == "http://192.168.1.20:8080/"
            assert await page.evaluate(HOSTS) is None, "a spectator's"

    run(scenario)


@cases("size", [*SCREENS, PHONE], always=2)
def test_in_a_game_it_is_asked_for_and_lies_within_the_window(size: tuple[int, int]) -> None:
    async def scenario() -> None:
        async with showing(breach()) as (page, _, address):
            await page.open(address, *size)
            await page.until(DRAWN)
            assert await read(page) == ""
            await page.evaluate(f"{CONTROL}.click()")
            await page.until(f"{DIALOG}.open && {DIALOG}.querySelector('img').complete")
            ((left, top, right, bottom),) = await page.evaluate(boxes("#phones"))
            assert (left >= 0, top >= 0, right <= size[0], bottom <= size[1]) == (True,) * 4
            assert await illegible(page) == []
            assert await page.evaluate(f"{DIALOG}.scrollHeight <= {DIALOG}.clientHeight + 1")
            assert await read(page) == "http://192.168.1.20:8080/"
            await page.press("Escape")
            await page.until(f"!{DIALOG}.open && {DIALOG}.children.length === 0")

    run(scenario)


@pytest.mark.parametrize("query", ["", f"?host={TOKEN.replace(' ', '%20')}"])
def test_the_hosts_is_shown_to_the_host_when_asked_for_and_goes_by_itself(query: str) -> None:
    """On the table's own machine, and on another by its token."""

    async def scenario() -> None:
        async with showing(lobby(), "table.local" if query else "127.0.0.1") as (page, _, address):
            await page.open(f"{address}{query}", *SCREENS[0])
            await page.until(DRAWN)
            await page.until("!document.getElementById('host').hidden")
            await page.until(CODED)
            # Two minutes pass at once.
            await page.evaluate(
                "((wait) => window.setTimeout = (act, ms) => wait(act, ms === 120000 ? 700 : ms))(setTimeout)"
            )
            await page.evaluate(f"{CONTROL}.click()")
            await page.until(HOSTS)
            assert "correct" not in await page.evaluate("document.documentElement.outerHTML")
            await page.evaluate(f"{HOSTS}.click()")
            with_token = "http://192.168.1.20:8080/?host=correct%20horse"
            await page.until(f"{DIALOG}.querySelector('.phone-address').textContent === '{with_token}'")
            await page.until(f"!{DIALOG}.open && {DIALOG}.children.length === 0")
            assert "correct" not in await page.evaluate("document.documentElement.outerHTML")

    run(scenario)


@pytest.mark.parametrize("told", [True, False], ids=["told", "not told of closing yet"])
def test_who_closes_before_the_table_has_answered_is_shown_no_token(told: bool) -> None:
    async def scenario() -> None:
        async with showing(ring_served()) as (page, _, address):
            await open_dialog(page, address)
            if not told:
                await page.evaluate("addEventListener('close', (event) => event.stopImmediatePropagation(), true)")
            await page.evaluate(
                "((ask) => window.fetch = (...about) => new Promise((go) => window.answer = go)"
                ".then(() => ask(...about)).finally(() => window.answered = true))(fetch)"
            )
            await page.evaluate(f"{HOSTS}.click()")
            await page.press("Escape")
            await page.until(f"!{DIALOG}.open")
            await page.evaluate("window.answer()")
            await page.until("window.answered === true")
            await page.evaluate("new Promise((go) => setTimeout(go, 300))")
            assert not await page.evaluate(f"{DIALOG}.open")
            assert "correct" not in await page.evaluate("document.documentElement.outerHTML")

    run(scenario)


def test_the_hosts_code_is_read() -> None:
    async def scenario() -> None:
        async with showing(ring_served()) as (page, _, address):
            await open_dialog(page, address)
            await page.evaluate(f"{HOSTS}.click()")
            await page.until(f"{DIALOG}.querySelector('img')?.alt.endsWith('correct%20horse')")
            await page.until(f"{DIALOG}.querySelector('img').complete")
            assert await read(page) == "http://192.168.1.20:8080/?host=correct%20horse"
            assert await page.evaluate("document.activeElement.ariaLabel") == "Close"

    run(scenario)


def test_without_a_network_none_is_shown_and_who_asks_is_told_why() -> None:
    def nowhere(_: int) -> str:
        raise NotReachable("this machine has no address on any network")

    async def scenario() -> None:
        async with showing(lobby(), reached=nowhere) as (page, _, address):
            await page.open(address, *SCREENS[0])
            await page.until(DRAWN)
            await page.until("performance.getEntriesByName(new URL('/api/address', location).href).length === 1")
            await page.evaluate(f"{CONTROL}.click()")
            await page.until(f"{DIALOG}.open")
            assert await page.evaluate(f"{CARD}.getClientRects().length") == 0
            said = "There is no address for phones: this machine has no address on any network."
            assert await page.evaluate(f"{DIALOG}.querySelector('.refused').textContent") == said
            assert await page.evaluate(OVERFLOWS) == []

    run(scenario)
