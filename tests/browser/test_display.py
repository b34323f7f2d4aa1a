"""The room's display in a real browser, against a real server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

import pytest
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from controller.running_game import spoken_of, with_names
from controller.views import LogLine, PartState, PartView, TableView
from controller.web.hub import Hub
from controller.web.server import serving
from tests.browser.chromium import Page, browser, find_chromium
from tests.browser.legible import illegible
from tests.browser.shots import DRAWN, MOMENTS, SIZES
from tests.controller.web.fixture_views import (
    breach,
    final,
    portions_taken,
    question,
    ring_served,
    six_players,
    slapped,
    unseen,
)
from tests.controller.web.table import TOKEN, NotingCommands, make_app, until
from tests.long import cases

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="needs Debian's chromium (apt-get install chromium)")
PATIENCE_S = 120
# Texts that do not fit their box, except where the box cuts them with an ellipsis.
OVERFLOWS = """
[...document.querySelectorAll('body *')].filter((e) => {
  const style = getComputedStyle(e);
  if (e.closest('svg, .unseen') || e.getClientRects().length === 0 || !e.textContent.trim()) return false;
  if (style.visibility === 'hidden' || style.display === 'inline') return false;
  if (style.textOverflow === 'ellipsis' || e.clientWidth === 0) return false;
  const list = ['OL', 'UL', 'DL'].includes(e.tagName);  // no letters of its own that would reach beyond its lines
  const cut = style.overflowY === 'hidden' || list;
  return e.scrollWidth > e.clientWidth + 1 || (cut && e.scrollHeight > e.clientHeight + 2);
}).map((e) => `${e.tagName}.${e.className} ${e.scrollWidth}x${e.scrollHeight} in ${e.clientWidth}x${e.clientHeight}`)
"""
# Names written from right to left that lie at the right of their box, where those of others begin at its left.
CLINGING = """
[...document.querySelectorAll('[dir=auto], bdi')].filter((e) => {
  const style = getComputedStyle(e);
  if (style.direction !== 'rtl' || ['inline', 'none'].includes(style.display)) return false;
  const letters = document.createRange();
  letters.selectNodeContents(e);
  const [own, text] = [e, letters].map((one) => one.getBoundingClientRect());
  return text.left > own.left + parseFloat(style.paddingLeft) + 6;
}).map((e) => e.outerHTML)
"""

# What a page would do after more than five seconds is done when `later` is called.
LATER = """
window.later = [];
const soon = window.setTimeout;
window.setTimeout = (act, ms, ...said) => ms > 5000 ? later.push(() => act(...said)) : soon(act, ms, ...said);
"""
# Whether what is to be chosen from does not fit its card.
CANDIDATES_CUT = """
[...document.querySelectorAll('.candidate')].some((e) => e.scrollHeight > e.clientHeight + 1)
|| document.querySelector('.question-card').scrollHeight > document.querySelector('.question-card').clientHeight + 1
"""
BLACK = "rgb(0, 0, 0)"
# So long that another click is no part of a double one.
A_MOMENT = "new Promise((done) => setTimeout(done, 750))"


@dataclass
class Room:
    """A table, its server's port and a browser in the room."""

    hub: Hub
    commands: NotingCommands
    port: int
    page: Page

    async def show(self, size: str = "wide", query: str = "", *, moving: bool = False) -> None:
        await self.page.open(f"http://table.local:{self.port}/{query}", *SIZES[size], moving=moving)
        await self.page.until(DRAWN)


@contextlib.asynccontextmanager
async def room(view: TableView) -> AsyncIterator[Room]:
    hub, commands = Hub(), NotingCommands()
    hub.publish(view)
    async with serving(make_app(hub, commands), hub, "127.0.0.1", 0) as port, browser() as page:
        yield Room(hub, commands, port, page)
        assert page.complaints == []


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(PATIENCE_S):
            await scenario()

    asyncio.run(limited())


def test_a_phone_shows_the_middle_close_and_the_whole_table_when_it_is_asked_to() -> None:
    width_mm = "Number(document.querySelector('#stage > svg').getAttribute('viewBox').split(' ')[2])"
    button = "document.querySelector('#stage button')"

    async def scenario() -> None:
        async with room(ring_served()) as table:
            await table.show("wide")
            whole = await table.page.evaluate(width_mm)
            assert await table.page.evaluate(f"{button}.checkVisibility()") is False
            await table.show("phone")
            middle = await table.page.evaluate(width_mm)
            assert middle < whole / 2
            await table.page.evaluate(f"{button}.click()")
            assert await table.page.evaluate(width_mm) == whole
            table.hub.publish(portions_taken().model_copy(update={"seq": 2000}))
            await table.page.until(f"{button}.textContent === 'Middle'")
            assert await table.page.evaluate(width_mm) == whole, "it stays as it was asked for"
            table.hub.publish(breach().model_copy(update={"seq": 2001}))
            await table.page.until(f"!{button}.checkVisibility()")
            assert await table.page.evaluate(width_mm) == whole
            table.hub.publish(ring_served().model_copy(update={"seq": 2002}))
            await table.page.until(f"{button}.checkVisibility()")
            await table.page.evaluate(f"{button}.click()")
            assert await table.page.evaluate(width_mm) == middle

    run(scenario)


@cases("size", SIZES, always=1)
def test_every_moment_fits_the_window(size: str) -> None:
    async def scenario() -> None:
        async with room(ring_served()) as table:
            for seq, (moment, make_view) in enumerate(MOMENTS.items(), start=1000):
                table.hub.publish(make_view().model_copy(update={"seq": seq}))
                await table.show(size)
                assert await table.page.evaluate(OVERFLOWS) == [], moment
                assert await illegible(table.page, television=size == "wide") == [], moment
                result = await table.page.evaluate("document.getElementById('result').textContent")
                assert result == ("Carla picks up the check!" if moment == "final" else "")
                width = SIZES[size][0]
                assert await table.page.evaluate("document.documentElement.scrollWidth") == width, moment
                assert len(await table.page.screenshot(hasty=True)) > 80_000, f"{moment}: an empty one has 34_000"

    run(scenario)


def test_every_piece_is_drawn_where_it_lies() -> None:
    async def scenario() -> None:
        view = portions_taken()
        async with room(view) as table:
            await table.show()
            drawn = await table.page.evaluate(
                "[...document.querySelectorAll('.pieces .piece')].map((e) => {"
                " const m = new DOMMatrix(getComputedStyle(e).transform); return [m.e, -m.f]; })"
            )
            assert len(drawn) == len(view.pieces)
            for piece, (x, y) in zip(view.pieces, drawn, strict=True):
                assert (x, y) == pytest.approx((piece.x_mm, piece.y_mm), abs=0.1), piece.face
            lies = await table.page.evaluate("document.querySelector('#stage svg').ariaLabel")
            assert lies == "The table from above. Portion C: 9, 3, 11, Anchovy. Portion D: 7, 6."
            halos = await table.page.evaluate("document.querySelectorAll('.under .pie-halo').length")
            assert halos == sum(piece.place.startswith("portion/") for piece in view.pieces)

    run(scenario)


def test_numbers_of_neighbours_in_a_whole_pizza_do_not_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where slices of two values lie side by side at its top. Figures are six tenths as high as their line."""
    ring = ("combo-9-11", "combo-8-10", "8/5", "combo-5-7", "10/2", "9/6", "combo-4-6", "11/7", "anchovy", "7/4", "6/1")
    monkeypatch.setattr("tests.controller.web.fixture_views._RING", ring)

    async def scenario() -> None:
        async with room(ring_served()) as table:
            await table.page.open(f"http://table.local:{table.port}/", 480, 900)
            await table.page.until(DRAWN)
            boxes = await table.page.evaluate(
                "[...document.querySelectorAll('.pie-label-size:not(.crowded) text')].map((e) => {"
                " const b = e.getBoundingClientRect();"
                " return [e.textContent, b.left, b.right, b.top + .2 * b.height, b.bottom - .2 * b.height]; })"
            )
            assert [name for name, *_ in boxes].count("9/11") == 1
            assert len(boxes) == len(ring)
            overlapping = [
                (one, other)
                for (one, left, right, top, bottom), (other, left_, right_, top_, bottom_) in combinations(boxes, 2)
                if left < right_ and left_ < right and top < bottom_ and top_ < bottom
            ]
            assert overlapping == []

    run(scenario)


def test_a_piece_that_goes_leaves_the_others_be() -> None:
    async def scenario() -> None:
        view = ring_served()
        async with room(view) as table:
            await table.show(moving=True)
            await table.page.evaluate(
                "window.put = 0; new MutationObserver((all) => all.forEach((m) => window.put += m.addedNodes.length))"
                ".observe(document.querySelector('.pieces'), { childList: true }); 0"
            )
            table.hub.publish(view.model_copy(update={"seq": view.seq + 1, "pieces": view.pieces[1:]}))
            left = len(view.pieces) - 1
            await table.page.until(f"document.querySelectorAll('.pieces .piece').length === {left}")
            assert await table.page.evaluate("window.put") == 0
            assert await table.page.evaluate("document.querySelectorAll('.pieces .appear').length") == 0

    run(scenario)


def test_a_piece_that_moves_stays_the_same_element() -> None:
    async def scenario() -> None:
        async with room(ring_served()) as table:
            await table.show(moving=True)
            await table.page.evaluate("window.before = new Set(document.querySelectorAll('.pieces .piece')); 0")
            table.hub.publish(portions_taken())
            await table.page.until("document.getElementById('prompt').textContent === 'Dmitri chooses a portion'")
            kept = await table.page.evaluate(
                "[...document.querySelectorAll('.pieces .piece')].filter((e) => window.before.has(e)).length"
            )
            before = [piece.face for piece in ring_served().pieces]
            after = [piece.face for piece in portions_taken().pieces]
            assert kept == sum(min(before.count(face), after.count(face)) for face in set(before))

    run(scenario)


def test_a_breach_is_said_and_drawn_on_the_piece() -> None:
    async def scenario() -> None:
        async with room(breach()) as table:
            await table.show()
            page = table.page
            assert "Carla has eaten 10/2" in await page.evaluate("document.querySelector('#attention').innerText")
            assert await page.evaluate("document.querySelector('#attention').getAttribute('role')") == "alert"
            assert await page.evaluate("document.querySelector('#turn').ariaLive") == "polite"
            shown = breach().breach
            assert shown is not None
            assert await page.evaluate("document.querySelector('.wrong-outline').points.length") == len(
                shown.pieces[0].outline_mm
            )
            table.hub.publish(portions_taken().model_copy(update={"seq": 99}))
            await page.until("document.querySelector('.wrong') === null && document.querySelector('#attention').hidden")

    run(scenario)


def test_where_several_act_at_once_the_turn_is_nobodys_alone() -> None:
    view = ring_served()
    name = next(seat.name for seat in view.seats if seat.player == 2)
    badges = "[...document.querySelectorAll('#who .badge')].map((one) => one.textContent)"

    async def scenario() -> None:
        async with room(view) as table:
            await table.show()
            for seq, (prompt, acting) in enumerate(
                [
                    ("Player 2, Player 3 and Player 1 secretly choose a cut", ["2", "3", "1"]),
                    ("Player 2 marks the dots of A5; Player 3 and Player 1 mark the dots of B5", ["2", "3", "1"]),
                    ("Mushroom is open: grab it, or player 2 counts to 3", ["2"]),
                    ("Player 2 chooses a portion", ["2"]),
                ],
                start=100,
            ):
                told = with_names(prompt, {seat.player: seat.name for seat in view.seats if seat.player})
                named = [player for player in (2, 3, 1) if player in spoken_of(prompt)]
                turn = view.turn.model_copy(update={"players": [2, 3, 1], "prompt": told, "named": named})
                table.hub.publish(view.model_copy(update={"seq": seq, "turn": turn}))
                await table.page.until(f"{badges}.join() === '{','.join(acting)}'")
                alone = await table.page.evaluate(f"document.querySelector('#who').textContent.includes({name!r})")
                assert alone == (len(acting) == 1), prompt

    run(scenario)


def test_what_is_only_not_seen_is_not_called_against_the_rules() -> None:
    async def scenario() -> None:
        async with room(unseen()) as table:
            await table.show()
            page = table.page
            kicker = "document.querySelector('#attention .card-kicker').textContent"
            assert await page.evaluate(kicker) == "Not seen · Choose a portion"
            assert await page.evaluate("document.querySelector('#referee').textContent") == "Not seen"
            table.hub.publish(breach().model_copy(update={"seq": 99}))
            await page.until(f"{kicker} === 'Against the rules · Choose a portion'")
            assert await page.evaluate("document.querySelector('#referee').textContent") == "Against the rules"

    run(scenario)


def test_who_slapped_first_and_where_the_knife_is() -> None:
    async def scenario() -> None:
        async with room(slapped()) as table:
            await table.show()
            page = table.page
            assert await page.evaluate("document.querySelector('#slaps').innerText.replace(/\\s+/g, ' ')") == (
                "2 Bruno slapped first, 412 µs before 4 Dmitri"
            )
            shown = "[...document.querySelectorAll('.knife:not(.none)')].map((e) => e.parentElement.dataset.key)"
            assert await page.evaluate(shown) == ["1"]
            parts = "document.querySelector('#parts').innerText.replace(/\\s+/g, ' ')"
            assert await page.evaluate(parts) == "simulated table all parts ok"
            table.hub.publish(slapped(tie=True).model_copy(update={"seq": 62}))
            await page.until("document.querySelector('#slaps').classList.contains('tie')")
            assert await page.evaluate("document.querySelector('#slaps').innerText.replace(/\\s+/g, ' ')") == (
                "2 Bruno and 4 Dmitri slapped together, 7.5 µs apart"
            )
            assert await page.evaluate(shown) == ["5"]
            absent = PartView(state=PartState.ABSENT, text="without slap pads, as no board is emulated here")
            parts_now = portions_taken().parts | {"board": absent}
            table.hub.publish(portions_taken().model_copy(update={"seq": 63, "parts": parts_now}))
            await page.until("document.querySelector('#slaps').hidden")
            assert await page.evaluate(parts) == "simulated table all parts ok", "nobody who plays misses it"
            assert await page.evaluate(shown) == []

    run(scenario)


def test_the_host_answers_the_question() -> None:
    async def scenario() -> None:
        async with room(question()) as table:
            page = table.page
            await table.show(query=f"?host={TOKEN.replace(' ', '%20')}&by=Zo%C3%AB")
            assert await page.evaluate("location.search") == ""
            assert await page.evaluate("document.querySelector('#by').value") == "Zoë"
            await page.until("document.querySelectorAll('.candidate button').length === 3")
            second = "document.querySelectorAll('.candidate button')[1]"
            assert await page.evaluate(f"{second}.ariaLabel") == "This one: Bruno eats 11 and collects 4 and 8"
            await page.evaluate(f"{second}.click()")
            await page.until("performance.getEntriesByName(new URL('/api/answer', location).href).length === 1")
            await page.evaluate("document.querySelector('#pause').click()")
            await page.until("performance.getEntriesByName(new URL('/api/pause', location).href).length === 1")
            await page.evaluate("document.querySelector('#ruling').focus()")
            await page.until("document.querySelectorAll('#moves option').length === 3")
            await page.evaluate("document.querySelector('#ruling').value = 'A 8/1'; 0")
            await page.evaluate("document.querySelector('#rule').requestSubmit()")
            await page.until("document.querySelector('#ruling').value === ''")
            assert table.commands.asked == [("answer", 7, 1), ("pause",), ("rule_move", "A 8/1")]
            assert table.commands.by == ["Zoë", "", "Zoë"]
            assert table.commands.seen[-1] == (question().number, question().log[-1].seq)
            table.commands.refusal = "There is nothing to undo."
            await page.evaluate("document.querySelector('#undo').click()")
            await page.until("document.querySelector('#refused').textContent === 'There is nothing to undo.'")
            page.complaints.clear()

    run(scenario)


def test_the_pieces_of_a_breach_lie_beside_each_other_on_a_phone() -> None:
    async def scenario() -> None:
        view = breach()
        assert view.breach is not None
        many = view.breach.model_copy(update={"faces": ["3/1", "8/1", "9/1", "11/1"]})
        async with room(view.model_copy(update={"breach": many})) as table:
            await table.show("phone")
            tops = "[...document.querySelectorAll('.breach-faces > *')].map((e) => e.getBoundingClientRect().top)"
            seen = await table.page.evaluate(tops)
            assert len(seen) == 4
            assert len(set(seen)) == 1
            assert await table.page.evaluate(OVERFLOWS) == []

    run(scenario)


def test_the_result_can_be_printed() -> None:
    async def scenario() -> None:
        async with room(final()) as table:
            page = table.page
            for width, height in ((794, 1123), (1123, 794)):  # A4
                await page.open(f"http://table.local:{table.port}/", width, height)
                await page.until(DRAWN)
                await page.as_printed()
                assert await illegible(page) == []
                assert await page.evaluate(OVERFLOWS) == []
                ink = "getComputedStyle(document.querySelector('.final h1')).color"
                assert await page.evaluate(ink) == BLACK
                shown = "[...document.querySelectorAll('body > *, #room > *')].filter((e) => e.checkVisibility())"
                assert await page.evaluate(f"{shown}.map((e) => e.id)") == ["room", "final"]
                badge = "getComputedStyle(document.querySelector('.final .badge')).color"
                assert await page.evaluate(badge) == BLACK, "its ground is not printed"
            assert await page.printed_pages() == 1

    run(scenario)


def test_a_page_that_may_not_decide_says_who_does() -> None:
    async def scenario() -> None:
        async with room(question()) as table:
            page = table.page
            await table.show()
            told = "document.querySelector('.question-card .message')"
            assert await page.evaluate(f"{told}.textContent") == "The host says which, on the host's page."
            hosts = f"?host={TOKEN.replace(' ', '%20')}"
            await table.show(query=hosts)
            await page.until("document.querySelectorAll('.candidate button').length === 3")
            assert await page.evaluate(told) is None
            assert await illegible(page, television=True) == []
            assert await page.evaluate(CANDIDATES_CUT) is False
            await table.show("phone", hosts)
            await page.until("document.querySelectorAll('.candidate button').length === 3")
            reached = "document.querySelector('.candidate button').getBoundingClientRect()"
            assert await page.evaluate(f"{reached}.height") >= 44, "a finger's"
            assert await page.evaluate(OVERFLOWS) == []
            await table.show()
            for buttons, who in (
                (True, "The host's button puts the result away, for the next one"),
                (False, "The host begins the next one at Game…"),
            ):
                view = final().model_copy(update={"seq": 2000 + buttons, "buttons": buttons})
                table.hub.publish(view)
                await page.until(f"document.getElementById('referee').textContent === {'Game over. ' + who!r}")
                assert await page.evaluate(OVERFLOWS) == []

    run(scenario)


def test_of_clicks_that_follow_each_other_closely_only_the_first_counts() -> None:
    async def scenario() -> None:
        async with room(question()) as table:
            page, asked = table.page, table.commands.asked
            await table.show(query=f"?host={TOKEN.replace(' ', '%20')}")
            await page.until("document.querySelectorAll('.candidate button').length === 3")

            async def press_on_and_on(selector: str, seq: int) -> None:
                before, click = len(asked), f"document.querySelector('{selector}').click()"
                await page.evaluate(f"{click}; {click}")
                await until(lambda: len(asked) > before)
                # What came of it: another line, another question in the same place.
                view, shown = question(), f"{selector} {seq}"
                again = view.question.model_copy(update={"id": seq}) if view.question else None
                table.hub.publish(view.model_copy(update={"seq": seq, "question": again, "table": shown}))
                await page.until(f"document.body.textContent.includes({shown!r})")
                await page.evaluate(click)

            await press_on_and_on("#undo", 1000)
            await press_on_and_on("#pause", 1001)
            await press_on_and_on(".candidate button", 1002)
            assert asked == [("undo",), ("pause",), ("answer", 1001, 0)]
            await page.evaluate(A_MOMENT)
            await page.evaluate("document.querySelector('#undo').click()")
            await until(lambda: len(asked) == 4)
            assert asked[-1] == ("undo",)

    run(scenario)


def test_a_button_works_again_where_the_table_went_away_before_it_answered() -> None:
    """As where it is unplugged, or a phone leaves the room: nothing says so to who waits for the answer."""

    async def scenario() -> None:
        async with room(ring_served()) as table:
            page, there = table.page, asyncio.Event()

            async def undo(**_: object) -> None:
                table.commands.asked.append(("undo",))
                await there.wait()

            table.commands.undo = undo  # type: ignore[method-assign]
            await table.show(query=f"?host={TOKEN.replace(' ', '%20')}")
            await page.until("document.querySelector('#host')?.hidden === false")
            await page.evaluate(
                "window.late = []; AbortSignal.timeout = () => { const patience = new AbortController();"
                " late.push(() => patience.abort()); return patience.signal; }; 0"
            )
            for times in (1, 2):
                await page.evaluate("document.querySelector('#undo').click()")
                await until(lambda times=times: len(table.commands.asked) == times)  # type: ignore[misc]
                assert await page.evaluate(REFUSED) == ""
                await page.evaluate("late.forEach((act) => act())")
                await page.until(f"{REFUSED} === 'The table did not answer.'")
            there.set()

    run(scenario)


REFUSED = "document.querySelector('#refused').textContent"
CENTRE = """(({ x, y, width, height }) => [x + width / 2, y + height / 2])(
  document.querySelector('#refused').getBoundingClientRect())"""


async def dismiss(page: Page) -> None:
    x, y = await page.evaluate(CENTRE)
    await page.drag((x, y), (x, y))  # a busy machine's finger may stay for so long that it means something else
    await page.until(f"{REFUSED} === ''")


@cases("size", SIZES, always=1)
def test_a_refusal_goes_with_time_a_tap_a_command_that_is_done_and_the_next_game(size: str) -> None:
    async def scenario() -> None:
        why = "no game is running; start one first, with everybody who plays"
        async with room(ring_served()) as table:
            page = table.page
            await table.show(size, query=f"?host={TOKEN.replace(' ', '%20')}")
            await page.until("document.querySelector('#host')?.hidden === false")
            await page.evaluate(LATER)

            async def refused() -> None:
                table.commands.refusal = why
                await page.evaluate("document.querySelector('#undo').click()")
                await page.until(f"{REFUSED} === {why!r}")
                table.commands.refusal = None

            await refused()
            assert await page.evaluate(OVERFLOWS) == []
            assert await illegible(page, television=size == "wide") == []
            box = "document.querySelector('#refused')"
            lines = f"{box}.clientHeight / parseFloat(getComputedStyle({box}).lineHeight)"
            assert await page.evaluate(lines) < (2 if size == "wide" else 3), "it takes the width that there is"
            await page.evaluate("later.forEach((act) => act())")
            assert await page.evaluate(REFUSED) == ""
            await refused()
            await dismiss(page)
            await refused()
            await page.evaluate("document.querySelector('#pause').click()")
            await until(lambda: table.commands.asked)
            await page.until(f"{REFUSED} === ''")
            await refused()
            begun = portions_taken()
            table.hub.publish(begun.model_copy(update={"seq": 99, "number": begun.number + 1}))
            await page.until(f"{REFUSED} === ''")
            page.complaints.clear()

    run(scenario)


@pytest.mark.parametrize("size", SIZES)
def test_whoever_has_another_tables_host_address_is_told(size: str) -> None:
    async def scenario() -> None:
        async with room(ring_served()) as table:
            page = table.page
            await table.show(size, query="?host=wrong")
            said = "This host's address is not, or no longer, this table's: `pizzatable address --host` prints it."
            await page.until(f"{REFUSED} === {said!r}")
            assert await page.evaluate("document.querySelector('#host').hidden")
            assert await page.evaluate(OVERFLOWS) == []
            await dismiss(page)

    run(scenario)


@cases("link", ["/setup", "/results"], always=1)
def test_a_host_who_looks_elsewhere_comes_back_as_the_host(link: str) -> None:
    async def scenario() -> None:
        async with room(ring_served()) as table:
            page = table.page
            await table.show("phone", query=f"?host={TOKEN.replace(' ', '%20')}")
            await page.until("document.querySelector('#host')?.hidden === false")
            spot = f"document.querySelector('.host [href=\"{link}\"]')"
            await page.evaluate(f"{spot}.scrollIntoView({{ block: 'center' }})")
            x, y = await page.evaluate(f"(({{ x, y }}) => [x + 5, y + 5])({spot}.getBoundingClientRect())")
            await page.drag((x, y), (x, y))
            await page.go_to_opened(*SIZES["phone"])
            await page.until(f"location.pathname === {link!r} && document.querySelector('a[href=\"/\"]')")
            await page.evaluate("document.querySelector('a[href=\"/\"]').click()")
            await page.until("location.pathname === '/' && document.querySelector('#host')?.hidden === false")
            page.complaints.clear()  # there is no picture

    run(scenario)


def test_the_hosts_controls_leave_room_for_what_was_played_last() -> None:
    async def scenario() -> None:
        text = "Taken back: Player 2 takes portion A: collects 11 and 8, eats 4"
        undone = LogLine(seq=63, player=None, text=text, source="undo", by="Zoë")
        async with room(question()) as table:
            page = table.page
            for seq, view in enumerate((question(), six_players()), start=1063):
                table.hub.publish(view.model_copy(update={"seq": seq, "log": [undone]}))
                await page.open(f"http://table.local:{table.port}/?host={TOKEN.replace(' ', '%20')}", 1280, 720)
                await page.until("document.querySelector('#host')?.hidden === false")
                await page.until("document.querySelector('#event').textContent.endsWith(' eats 4 (by Zoë)')")
                cut = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('#event'))"
                assert await page.evaluate(cut) <= 0
                assert await page.evaluate("document.querySelector('#hosts-table').textContent") == "Kitchen table"
                assert await page.evaluate(OVERFLOWS) == []
                bottom = "document.querySelector('.status').getBoundingClientRect().bottom"
                assert await page.evaluate(bottom) == pytest.approx(720, abs=1)

    run(scenario)


def test_a_spectator_has_no_controls() -> None:
    async def scenario() -> None:
        async with room(question()) as table:
            await table.show()
            await table.page.until("performance.getEntriesByName(new URL('/api/role', location).href).length === 1")
            named = "[...document.querySelectorAll('.table-name')].filter((e) => e.getClientRects().length)"
            assert await table.page.evaluate(f"{named}.map((e) => e.textContent)") == ["Kitchen table"], "of many"
            visible = "[...document.querySelectorAll('button')].filter((b) => b.getClientRects().length > 0)"
            assert await table.page.evaluate(f"{visible}.map((button) => button.id)") == ["phone"]

    run(scenario)


def test_a_lost_connection_is_said_and_comes_back_alone() -> None:
    async def scenario() -> None:
        async with browser() as page:
            hub = Hub()
            hub.publish(ring_served())
            async with serving(make_app(hub), hub, "127.0.0.1", 0) as port:
                await page.open(f"http://table.local:{port}/", *SIZES["wide"])
                await page.until(DRAWN)
                assert await page.evaluate("document.querySelector('#lost').hidden")
            await page.until("!document.querySelector('#lost').hidden")
            wide = "document.querySelector('#lost').getBoundingClientRect().width / innerWidth"
            await page.set_size(*SIZES["phone"])
            assert await page.evaluate(wide) > 0.9, "of which there is little"
            again = Hub()
            again.publish(portions_taken())
            async with serving(make_app(again), again, "127.0.0.1", port):
                await page.until("document.querySelector('#lost').hidden")
                await page.until("document.getElementById('prompt').textContent === 'Dmitri chooses a portion'")

    run(scenario)


def test_who_wants_no_motion_gets_none() -> None:
    async def scenario() -> None:
        async with room(breach()) as table:
            await table.show(moving=True)
            duration = "getComputedStyle(document.querySelector('.pieces .piece')).transitionDuration"
            assert (await table.page.evaluate(duration)).startswith("0.7s")
            await table.page.set_media(prefers_reduced_motion="reduce")
            assert set((await table.page.evaluate(duration)).split(", ")) == {"0s"}
            assert await table.page.evaluate("document.getAnimations().length") == 0

    run(scenario)


def test_letters_can_be_made_twice_as_large() -> None:
    # A television's page zoomed to twice its size, and a phone's with larger letters.
    async def scenario() -> None:
        async with room(question()) as table:
            page = table.page
            letters = "parseFloat(getComputedStyle(document.querySelector('.pie-points small')).fontSize)"
            await table.show()
            least = await page.evaluate(letters)
            await page.open(f"http://127.0.0.1:{table.port}/", 960, 540)
            await page.until(
                "document.getElementById('host')?.hidden === false && document.querySelector('.pie-points')"
            )
            assert await page.evaluate(letters) >= least * 2 / 3, "on the screen a third larger than before"
            assert await page.evaluate("getComputedStyle(document.querySelector('.turn')).position") == "static"
            await page.open(f"http://127.0.0.1:{table.port}/", *SIZES["phone"])
            await page.until(
                "document.getElementById('host')?.hidden === false && document.querySelector('.pie-points')"
            )
            await page.evaluate("document.documentElement.style.fontSize = '200%'")
            assert await page.evaluate("document.documentElement.scrollWidth") == SIZES["phone"][0]

    run(scenario)


def test_everything_comes_from_the_table() -> None:
    async def scenario() -> None:
        async with room(ring_served()) as table:
            await table.show()
            hosts = "[...new Set(performance.getEntriesByType('resource').map((e) => new URL(e.name).host))]"
            assert await table.page.evaluate(hosts) == [f"table.local:{table.port}"]
            await table.page.open(f"http://table.local:{table.port}/docs", *SIZES["phone"])
            await table.page.until("document.querySelectorAll('section').length > 20")
            assert await illegible(table.page) == []
            assert await table.page.evaluate("document.documentElement.scrollWidth") == SIZES["phone"][0]
            assert await table.page.evaluate(hosts) == [f"table.local:{table.port}"]

    run(scenario)


def test_glare_is_named_where_it_hides_the_table_and_a_hand_is_not() -> None:
    async def scenario() -> None:
        view = portions_taken()
        place = [(-120.0, -120.0), (120.0, -120.0), (120.0, 120.0), (-120.0, 120.0)]
        names = "[...document.querySelectorAll('.hidden text')].map((e) => e.textContent)"
        async with room(view.model_copy(update={"seq": 60, "hidden": [place], "hidden_by": ["glare"]})) as table:
            await table.show()
            assert await table.page.evaluate(names) == ["glare"]
            table.hub.publish(view.model_copy(update={"seq": 61, "hidden": [place], "hidden_by": ["hand"]}))
            await table.page.until(f"{names}.join() === ''")
            assert await table.page.evaluate("document.querySelectorAll('.hidden polygon').length") == 1

    run(scenario)


def test_a_piece_under_a_hand_stays_as_a_ghost_until_the_hand_is_gone() -> None:
    async def scenario() -> None:
        view = portions_taken()
        hand = [(-120.0, -120.0), (120.0, -120.0), (120.0, 120.0), (-120.0, 120.0)]
        seen = [piece for piece in view.pieces if not piece.place.startswith("portion/")]
        covered = view.model_copy(update={"seq": 60, "pieces": seen, "hidden": [hand]})
        async with room(view) as table:
            await table.show()
            ghosts = "document.querySelectorAll('.pieces .ghost').length"
            assert await table.page.evaluate(ghosts) == 0
            table.hub.publish(covered)
            await table.page.until(f"{ghosts} === {len(view.pieces) - len(seen)}")
            table.hub.publish(covered.model_copy(update={"seq": 61, "hidden": []}))
            await table.page.until(f"document.querySelectorAll('.pieces .piece').length === {len(seen)}")
            assert await table.page.evaluate(ghosts) == 0

    run(scenario)


@pytest.mark.parametrize("size", SIZES)
def test_what_is_wrong_with_a_part_is_shown_whole_with_what_to_do(size: str) -> None:
    text = (
        "the USB camera 0 has given the same picture for 10 s: it is frozen. Pull its cable and put it back" + "; w" * 9
    )
    view = ring_served()
    lost = {name: PartView(state=PartState.LOST, text=text) for name in ("camera", "journal")}

    async def scenario() -> None:
        async with room(view.model_copy(update={"parts": view.parts | lost})) as table:
            await table.show(size)
            said = "document.querySelector('.part.lost .part-text')"
            named = "[...document.querySelectorAll('.part')].map((part) => part.firstChild.textContent)"
            assert await table.page.evaluate(named) == ["simulated table", "all others ok", "camera", "journal"]
            assert await table.page.evaluate("document.querySelector('#referee').textContent") == "Sees nothing"
            assert await table.page.evaluate(f"{said}.scrollWidth <= {said}.clientWidth + 1")
            assert await table.page.evaluate("document.documentElement.scrollHeight <= innerHeight || innerWidth < 900")

    run(scenario)


def test_the_page_of_an_older_program_is_loaded_anew() -> None:
    async def scenario() -> None:
        async with room(ring_served()) as table:
            await table.show()
            await table.page.evaluate("window.old = true")
            table.hub.publish(ring_served().model_copy(update={"seq": 2000}))
            assert await table.page.evaluate("window.old")
            table.hub.publish(ring_served().model_copy(update={"seq": 2001, "version": "99.0"}))
            with contextlib.suppress(RuntimeError):  # the page that is asked goes away
                await table.page.until("!window.old")
            await table.page.until("!window.old")

    run(scenario)


class Refusing:
    """An application that refuses the first request for each of these paths, as a table does that is full."""

    def __init__(self, app: FastAPI, paths: Iterable[str]) -> None:
        self._app = app
        self.paths = set(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path") not in self.paths:
            await self._app(scope, receive, send)
            return
        self.paths.remove(scope["path"])
        await send({"type": "http.response.start", "status": 503, "headers": []})
        await send({"type": "http.response.body", "body": b"full"})


def test_what_was_refused_once_is_asked_for_again() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(ring_served())
        app = Refusing(make_app(hub), ["/games/new_york_slice/view.js", "/api/role"])
        async with (
            serving(app, hub, "127.0.0.1", 0) as port,  # type: ignore[arg-type]  # an application, if no FastAPI
            browser() as page,
        ):
            await page.open(f"http://127.0.0.1:{port}/", *SIZES["wide"])
            await page.until(DRAWN)
            await page.until("!document.getElementById('host').hidden")
            assert "cannot draw" not in await page.evaluate("document.getElementById('message').textContent")
            assert app.paths == set()

    run(scenario)


@cases("path", ["/static/app.js", "/static/stage.js", "/static/style.css"], always=1)
def test_a_page_whose_file_did_not_come_is_loaded_anew(path: str) -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(ring_served())
        app = Refusing(make_app(hub), [path])
        async with (
            serving(app, hub, "127.0.0.1", 0) as port,  # type: ignore[arg-type]  # an application, if no FastAPI
            browser() as page,
        ):
            await page.open(f"http://table.local:{port}/", *SIZES["wide"])
            await page.until("performance.getEntriesByType('navigation')[0].type === 'reload'")
            await page.until(DRAWN)
            assert await page.evaluate("getComputedStyle(document.body).margin") == "0px", "with its style"
            assert app.paths == set()

    run(scenario)


class Withholding(Refusing):
    """An application that does not answer the first request for each of these paths."""

    def __init__(self, app: FastAPI, paths: Iterable[str]) -> None:
        super().__init__(app, paths)
        self.asked = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path") in self.paths:
            self.paths.remove(scope["path"])
            self.asked.set()
            await asyncio.Event().wait()
        await self._app(scope, receive, send)


@pytest.mark.long
def test_a_table_that_goes_away_while_a_page_loads_is_found_again() -> None:
    async def scenario() -> None:
        async with browser() as page:
            hub = Hub()
            hub.publish(ring_served())
            app = Withholding(make_app(hub), ["/static/app.js"])
            async with serving(app, hub, "127.0.0.1", 0) as port:  # type: ignore[arg-type]
                await page.open(f"http://table.local:{port}/", *SIZES["wide"])
                await app.asked.wait()
            await asyncio.sleep(3.0)  # it looks in vain
            again = Hub()
            again.publish(portions_taken())
            async with serving(make_app(again), again, "127.0.0.1", port):
                await page.until("document.getElementById('prompt')?.textContent === 'Dmitri chooses a portion'")

    run(scenario)
