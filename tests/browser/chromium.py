"""Debian's Chromium, driven over its debugging pipe: the few calls that the display's tests need."""

import asyncio
import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from itertools import count
from typing import Any

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # No process is kept ready for a page that never comes.
    "--disable-features=SpareRendererForSitePerProcess",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
    # Another machine on the LAN, as far as the page can tell.
    "--host-resolver-rules=MAP table.local 127.0.0.1",
)
_PATIENCE_S = 30
_KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Escape": 27, "Delete": 46}
"""Windows' numbers of keys, which the browser's protocol wants."""


def find_chromium() -> str | None:
    """The browser's program; None where it is not installed."""
    return shutil.which("chromium")


class Page:
    """One tab, in a profile of its own. What its console complains of is kept in `complaints`."""

    def __init__(self, send: asyncio.WriteTransport, numbers: "count[int]") -> None:
        """`numbers`: those of the next requests; the browser has answered none of them yet."""
        self._send = send
        self._numbers = numbers
        self._context: str | None = None
        self._target: str | None = None
        self._session: str | None = None
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self.complaints: list[str] = []

    async def begin(self) -> None:
        """Make the profile: no cookie, nothing stored or cached is in it."""
        self._context = (await self._call("Target.createBrowserContext"))["browserContextId"]

    async def end(self) -> None:
        """Close the tab and throw the profile away."""
        self._session = None
        await self._call("Target.disposeBrowserContext", browserContextId=self._context)

    async def open(self, address: str, width: int, height: int, *, moving: bool = False) -> None:
        """Open a tab of this size in place of the one before. Unless it is `moving` nothing moves on its way there, as
        for whoever wants no motion: there is nothing to wait for, and much less to draw."""
        before, self._session = self._target, None
        if before is not None:
            await self._call("Target.closeTarget", targetId=before)
        target = await self._call("Target.createTarget", url="about:blank", browserContextId=self._context)
        await self._attach(target["targetId"], width, height)
        if not moving:
            await self.set_media(prefers_reduced_motion="reduce")
        await self._call("Page.navigate", url=address)

    async def go_to_opened(self, width: int, height: int) -> None:
        """Go on in the tab of this size that a link of this one opens; this one stays open behind it."""
        self._session = None
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                tabs = (await self._call("Target.getTargets"))["targetInfos"]
                ours = [tab for tab in tabs if tab.get("browserContextId") == self._context and tab["type"] == "page"]
                if opened := [tab["targetId"] for tab in ours if tab["targetId"] != self._target]:
                    break
                await asyncio.sleep(0.02)
        await self._attach(opened[0], width, height)

    async def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression; promises are awaited."""
        answer = await self._call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def until(self, script: str) -> None:
        """Wait until a JavaScript expression is true, of this page or of what it becomes by loading itself anew."""
        condition = f"new Promise(done => {{const ask = () => ({script}) ? done(true) : setTimeout(ask, 20); ask();}})"
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                try:
                    await self.evaluate(condition)
                    return
                except RuntimeError as error:
                    if "navigated" not in str(error):
                        raise

    async def tap(self, x: float, y: float) -> None:
        """A finger touches this place of the window, in CSS pixels, and leaves it."""
        await self._call("Emulation.setTouchEmulationEnabled", enabled=True)
        await self._call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        await self._call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    async def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """A mouse's button is pressed at one place of the window and let go at another."""
        for kind, (x, y) in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            where = {"x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}
            await self._call("Input.dispatchMouseEvent", type=kind, **where)

    async def press(self, key: str, times: int = 1, *, shift: bool = False) -> None:
        """A key, such as "ArrowLeft" or "Enter", goes down and up."""
        about = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key], "modifiers": 8 * shift}
        for _ in range(times):
            await self._call(
                "Input.dispatchKeyEvent", type="keyDown", **about, **({"text": "\r"} if key == "Enter" else {})
            )
            await self._call("Input.dispatchKeyEvent", type="keyUp", **about)

    async def set_size(self, width: int, height: int) -> None:
        """The window has this size from now on; a narrow one is a phone's."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        await self._call("Emulation.setDeviceMetricsOverride", **size)

    async def set_media(self, **features: str) -> None:
        """Emulate media features, such as prefers_reduced_motion="reduce"."""
        wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        await self._call("Emulation.setEmulatedMedia", features=wanted)

    async def as_printed(self) -> None:
        """Show the page as it would be printed."""
        await self._call("Emulation.setEmulatedMedia", media="print")

    async def printed_pages(self) -> int:
        """How many sheets of A4, upright, the page takes."""
        answer = await self._call("Page.printToPDF", paperWidth=210 / 25.4, paperHeight=297 / 25.4)
        return len(re.findall(rb"/Type /Page\b", base64.b64decode(answer["data"])))

    async def accessibility(self) -> list[dict[str, Any]]:
        """The nodes of the page's accessibility tree, as the browser's protocol has them."""
        await self._call("Accessibility.enable")
        nodes: list[dict[str, Any]] = (await self._call("Accessibility.getFullAXTree"))["nodes"]
        await self._call("Accessibility.disable")
        return nodes

    async def screenshot(self, whole: bool = False, *, hasty: bool = False) -> bytes:
        """The page as PNG; `whole`: also what must be scrolled to; `hasty`: less compressed, which is soon done."""
        how = {"captureBeyondViewport": whole, "optimizeForSpeed": hasty}
        answer = await self._call("Page.captureScreenshot", format="png", **how)
        return base64.b64decode(answer["data"])

    def received(self, message: dict[str, Any]) -> None:
        """Take one message of the browser."""
        if "id" in message:
            future = self._answers.pop(message["id"])
            if "error" in message:
                future.set_exception(RuntimeError(message["error"]["message"]))
            else:
                future.set_result(message["result"])
        elif message["method"] == "Runtime.exceptionThrown":
            self.complaints.append(message["params"]["exceptionDetails"]["exception"]["description"])
        elif message["method"] == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            entry = message["params"]["entry"]
            self.complaints.append(f"{entry['text']} {entry.get('url', '')}")

    def lost(self) -> None:
        """The browser is gone: nothing will be answered any more."""
        for future in self._answers.values():
            if not future.done():
                future.set_exception(ConnectionError("the browser has ended"))

    async def _attach(self, target: str, width: int, height: int) -> None:
        self._target = target
        attached = await self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            await self._call(f"{domain}.enable")
        await self.set_size(width, height)

    async def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        request: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            request["sessionId"] = self._session
        future = self._answers[number] = asyncio.get_running_loop().create_future()
        self._send.write(json.dumps(request).encode() + b"\0")
        async with asyncio.timeout(_PATIENCE_S):
            result: dict[str, Any] = await future
        return result


class _Browser:
    """The browser, in a folder of its own, started when the first page is asked for: that takes longer than most of
    what is done with a page. It also ends when nobody holds its pipe any more.
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None

    @contextlib.asynccontextmanager
    async def page(self) -> AsyncIterator[Page]:
        """A page, in the loop that runs; one at a time."""
        if self._process is None or self._process.poll() is not None:
            self.end()
            self._start()
        try:
            async with self._connected() as page:
                await page.begin()
                yield page
                await page.end()
        except BaseException:
            self.end()  # who knows what it does now
            raise

    def end(self) -> None:
        """The next page is in another browser. Nothing happens where none runs."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
            os.close(self._to_write)
            os.close(self._from_read)
            self._folder.cleanup()

    def _start(self) -> None:
        program = find_chromium()
        assert program is not None
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self._to_write = os.pipe()
        self._from_read, from_write = os.pipe()
        # The browser listens on descriptor 3 and answers on 4.
        shell = f'exec "$0" "$@" 3<&{to_read} 4>&{from_write} 2>/dev/null'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", shell, program, *_FLAGS, f"--user-data-dir={self._folder.name}"],
            pass_fds=(to_read, from_write),
        )
        os.close(to_read)
        os.close(from_write)

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[Page]:
        loop = asyncio.get_running_loop()
        outgoing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(os.dup(self._to_write), "wb"))
        page = Page(outgoing, self._numbers)
        incoming, _ = await loop.connect_read_pipe(lambda: _Messages(page), os.fdopen(os.dup(self._from_read), "rb"))
        try:
            yield page
        finally:
            outgoing.close()
            incoming.close()
            await asyncio.sleep(0)  # then they are closed


_BROWSER = _Browser()


def browser() -> contextlib.AbstractAsyncContextManager[Page]:
    """A page in a fresh profile, closed with the block; one at a time. The browser goes on until `end_browser`."""
    return _BROWSER.page()


def end_browser() -> None:
    """The browser that the first page was shown in ends."""
    _BROWSER.end()


class _Messages(asyncio.Protocol):
    """What the browser says, message by message. A page's last request is answered after all else that concerns it, so
    nothing is left over for the next."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._parts: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        *ends, rest = data.split(b"\0")
        for end in ends:
            self._page.received(json.loads(b"".join([*self._parts, end])))
            self._parts.clear()
        self._parts.append(rest)

    def connection_lost(self, exc: Exception | None) -> None:
        self._page.lost()
