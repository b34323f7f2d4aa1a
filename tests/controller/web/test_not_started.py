"""A table that cannot start says why where its display would be."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from controller.asking_tables import TableNotAsked, ask_state
from controller.web.hub import Hub
from controller.web.not_started import create_app
from controller.web.server import serving
from tests.browser.chromium import browser, find_chromium
from tests.browser.legible import illegible
from tests.browser.shots import DRAWN, SIZES
from tests.browser.test_display import OVERFLOWS, run
from tests.controller.web.fixture_views import ring_served
from tests.controller.web.table import make_app
from tests.rigs.running import free_port

REASON = "the disk is full: <b>free</b> some space & try again"
SEVERAL = "table.toml:2: one thing\ntable.toml:3: another"
LOOKS = "performance.getEntriesByName(location.origin + '/api/role').length"
"""The page's script is there: without it, where nothing answers any more, nobody looks again."""


def test_people_get_a_page_and_programs_a_problem() -> None:
    async def scenario() -> None:
        async with serving(create_app(REASON), Hub(), "127.0.0.1", 0) as port:
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as asking:
                for path, method in (("/", "GET"), ("/results", "GET"), ("/api/undo", "POST")):
                    page = await asking.request(method, path, headers={"Accept": "text/html,*/*;q=0.8"})
                    assert page.status_code == 503
                    assert "the disk is full: &lt;b&gt;free&lt;/b&gt; some space &amp; try again" in page.text
                    problem = await asking.request(method, path)
                    assert (problem.status_code, problem.headers["content-type"]) == (503, "application/problem+json")
                    assert problem.json()["detail"] == f"This table cannot start: {REASON}"
                script = await asking.get("/static/app.js")
                assert script.headers["content-type"] == "text/javascript; charset=utf-8"
                assert script.headers["cache-control"] == "no-cache"
            with pytest.raises(TableNotAsked, match="cannot be asked: This table cannot start: the disk is full"):
                await asyncio.to_thread(ask_state, f"http://127.0.0.1:{port}")

        async with serving(create_app(SEVERAL), Hub(), "127.0.0.1", 0) as port:
            with pytest.raises(TableNotAsked, match=r"start: table\.toml:2: one thing table\.toml:3: another"):
                await asyncio.to_thread(ask_state, f"http://127.0.0.1:{port}")

    asyncio.run(scenario())


def start(tmp_path: Path, port: int, *options: str) -> "subprocess.Popen[str]":
    settings = tmp_path / "table.toml"
    settings.write_text(f'game = "chess"\n[lan]\nhost = "127.0.0.1"\nport = {port}\n')
    program = "from controller.cli import main; main()"
    command = [sys.executable, "-c", program, "run", "--config", str(settings), *options]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"HOME": str(tmp_path)})


def why_not(port: int) -> str:
    """What a table that listens there says of why it shows nothing."""
    for _ in range(200):
        with pytest.raises(TableNotAsked) as refused:
            ask_state(f"http://127.0.0.1:{port}")
        if not isinstance(refused.value.__cause__, ConnectionRefusedError):
            return str(refused.value)
        threading.Event().wait(0.1)
    raise TimeoutError("nothing listened there within 20 s")


def test_an_unattended_table_says_it_until_it_is_ended(tmp_path: Path) -> None:
    port = free_port()
    with start(tmp_path, port, "--unattended") as table:
        assert table.stderr is not None
        said = table.stderr.readline()
        assert "'chess' is no game" in said, "its log has it at once"
        said = why_not(port)
        assert "This table cannot start" in said
        assert "'chess' is no game" in said
        table.send_signal(signal.SIGTERM)
        assert table.wait(20) == 0, "it was ended in order"
    with start(tmp_path, port) as table:
        assert table.wait(20) == 1, "who sits before a terminal does not wait"


@pytest.mark.skipif(find_chromium() is None, reason="needs Debian's chromium (apt-get install chromium)")
def test_a_display_shows_why_and_the_game_again_when_there_is_one() -> None:
    async def scenario() -> None:
        async with AsyncExitStack() as stack:
            page = await stack.enter_async_context(browser())
            hub = Hub()
            hub.publish(ring_served())
            async with serving(make_app(hub), hub, "127.0.0.1", 0) as port:
                await page.open(f"http://127.0.0.1:{port}/", *SIZES["wide"])
                await page.until(DRAWN)
            async with serving(create_app(REASON), Hub(), "127.0.0.1", port):
                await page.until(f"document.body?.textContent.includes({json.dumps(REASON)})")
                await page.until(LOOKS)
                await page.until("getComputedStyle(document.body).backgroundColor === 'rgb(27, 18, 13)'")
                assert await page.evaluate(OVERFLOWS) == []
                assert await illegible(page, television=True) == []
            await asyncio.sleep(4)  # nothing answers while it tries again
            async with serving(create_app(SEVERAL), Hub(), "127.0.0.1", port):
                lines = "document.querySelector('[role=alert]')?.innerText.trim()"
                await page.until(f"{lines} === {json.dumps(SEVERAL)}")
                await page.until(LOOKS)
            hub = Hub()
            hub.publish(ring_served())
            async with serving(make_app(hub), hub, "127.0.0.1", port):
                await page.until(DRAWN)

    run(scenario)


@pytest.mark.skipif(find_chromium() is None, reason="needs Debian's chromium (apt-get install chromium)")
def test_only_a_host_is_offered_to_leave_a_game() -> None:
    offered = "document.getElementById('leaving')?.hidden"
    told = "document.getElementById('elsewhere')?.hidden"
    left: list[str] = []

    async def scenario() -> None:
        async with AsyncExitStack() as stack:
            page = await stack.enter_async_context(browser())
            app = create_app(REASON, host_token="a", leave=lambda: left.append("left"))
            app.add_middleware(_Passed)
            async with serving(create_app(REASON), Hub(), "127.0.0.1", 0) as port:
                await page.open(f"http://127.0.0.1:{port}/", *SIZES["phone"])
                await page.until(LOOKS)
                assert [await page.evaluate(shown) for shown in (offered, told)] == [True, True], "it is no game"
            async with serving(app, Hub(), "127.0.0.1", 0) as port:
                await page.open(f"http://127.0.0.1:{port}/", *SIZES["phone"])
                await page.until(f"{told} === false")
                assert await page.evaluate(offered)
                await page.open(f"http://127.0.0.1:{port}/?host=a", *SIZES["phone"])
                await page.until(f"{offered} === false")
                assert await page.evaluate(told)
                assert await page.evaluate(OVERFLOWS) == []
                await page.evaluate("document.querySelector('summary').click()")
                assert await illegible(page) == []
                await page.evaluate("document.getElementById('leave').click()")
                await page.until("document.getElementById('refused').value.startsWith('Left')")
        assert left == ["left"]

    run(scenario)


class _Passed:
    """ASGI middleware: a proxy on this machine passes everything on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], (b"via", b"1.1 somebody")]}
        await self._app(scope, receive, send)
