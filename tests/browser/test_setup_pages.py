"""The pages for setting a table up, in a real browser: what the camera sees, and naming an owner's pieces."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.views import PartState, PartView
from controller.web.enrolling import Desk, create_enrolling_app
from controller.web.hub import Hub
from controller.web.server import serving
from tests.browser.chromium import browser, find_chromium
from tests.browser.test_display import run
from tests.controller.web.fixture_views import question
from tests.controller.web.table import make_app
from tests.vision.drawn_table import enrolment, photograph
from vision.faces import load_pack
from vision.scene import PieceKind

TOKEN = "secret-1"

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="needs Debian's chromium (apt-get install chromium)")


def test_the_cameras_picture_is_shown_live_with_what_is_not_well() -> None:
    pictures = iter(range(1, 1000))

    def picture() -> bytes:
        return cv2.imencode(".jpg", np.full((90, 160, 3), next(pictures) % 250, np.uint8))[1].tobytes()

    async def scenario() -> None:
        hub = Hub()
        hub.publish(question())
        app = make_app(hub, picture=picture)
        async with serving(app, hub, "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/setup", 1280, 720)
            await page.until("document.getElementById('picture')?.naturalWidth === 160")
            first = await page.evaluate("document.getElementById('picture').src")
            await page.until(f"document.getElementById('picture').src !== '{first}'")
            assert await page.evaluate("document.getElementById('age').textContent") == "Live"
            parts = await page.evaluate("[...document.querySelectorAll('dt')].map((e) => [e.textContent, e.className])")
            assert [name for name, _ in parts] == list(question().parts)
            assert ["panel", "lost"] in parts
            doubtful = sum(piece.likelihood < 0.9 for piece in question().pieces)
            assert (
                len(await page.evaluate("[...document.querySelectorAll('#doubtful li')].map((e) => e.textContent)"))
                == doubtful
            )
            assert page.complaints == []

    run(scenario)


def test_a_camera_that_gives_nothing_new_is_not_called_live() -> None:
    picture = cv2.imencode(".jpg", np.full((90, 160, 3), 99, np.uint8))[1].tobytes()

    async def scenario() -> None:
        hub = Hub()
        hub.publish(question())
        app = make_app(hub, picture=lambda: picture)
        async with serving(app, hub, "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/setup", 1280, 720)
            await page.until("document.getElementById('age')?.textContent === 'Live'")
            lost = PartView(state=PartState.LOST, text="no sign of life for 5 s")
            view = question()
            hub.publish(view.model_copy(update={"seq": view.seq + 1, "parts": view.parts | {"camera": lost}}))
            await page.until("document.getElementById('age').textContent.startsWith('Nothing new from the camera')")
            assert "no sign of life" in await page.evaluate("document.getElementById('age').textContent")
            assert await page.evaluate("document.getElementById('picture').classList.contains('old')")
            hub.publish(view.model_copy(update={"seq": view.seq + 2}))
            await page.until("document.getElementById('age').textContent === 'Live'")
            assert not await page.evaluate("document.getElementById('picture').classList.contains('old')")

    run(scenario)


def test_an_owner_names_pieces_and_learns_them(tmp_path: Path) -> None:
    desk = Desk("drawn", frozenset({PieceKind.SLICE, PieceKind.SPECIAL}), ("a/1", "a/2"), tmp_path / "mine.faces", None)
    desk.add("laid.jpg", photograph(enrolment()))

    async def scenario() -> None:
        app = create_enrolling_app(desk, version="1", token=TOKEN)
        async with serving(app, Hub(), "127.0.0.1", 0) as port, browser() as page:
            await page.open(f"http://table.local:{port}/?host={TOKEN}", 1280, 900)
            await page.until("[...document.querySelectorAll('img')].filter((i) => i.naturalWidth > 0).length === 10")
            await page.evaluate(
                "(() => { const input = document.querySelector('.piece input'); input.value = 'a/1';"
                " input.dispatchEvent(new Event('change')); })()"
            )
            await page.until("document.querySelectorAll('.piece.named').length === 1")
            assert await page.evaluate("document.getElementById('count').textContent") == "1 of 2 faces named"
            await page.evaluate("document.getElementById('learn').click()")
            await page.until("!document.getElementById('learned').hidden")
            assert "Still missing: a/2." in await page.evaluate("document.getElementById('learned').textContent")
            assert TOKEN not in await page.evaluate("location.href")
            assert page.complaints == []

    run(scenario)
    assert load_pack(tmp_path / "mine.faces").names == ("a/1",)
