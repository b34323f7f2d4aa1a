"""Debian's Chromium, driven over its debugging pipe: the few calls that the display's tests need."""

import asyncio
import base64
import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
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
    "--hide-scrollbars",
    "--remote-debugging-pipe",
    # Another machine on the LAN, as far as the page can tell.
    "--host-resolver-rules=MAP table.local 127.0.0.1",
)
_PATIENCE_S = 30


def find_chromium() -> str | None:
    """The browser's program; None where it is not installed."""
    return shutil.which("chromium")


class Page:
    """One tab. What its console complains of is kept in `complaints`."""

    def __init__(self, send: asyncio.WriteTransport) -> None:
        self._send = send
        self._target: str | None = None
        self._session: str | None = None
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._asked = 0
        self.complaints: list[str] = []

    async def open(self, address: str, width: int, height: int) -> None:
        """Open a tab of this size in place of the one before."""
        before, self._session = self._target, None
        if before is not None:
            await self._call("Target.closeTarget", targetId=before)
        target = await self._call("Target.createTarget", url="about:blank")
        self._target = target["targetId"]
        attached = await self._call("Target.attachToTarget", targetId=self._target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            await self._call(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        await self._call("Emulation.setDeviceMetricsOverride", **size)
        await self._call("Page.navigate", url=address)

    async def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression; promises are awaited."""
        answer = await self._call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def until(self, script: str) -> None:
        """Wait until a JavaScript expression is true."""
        condition = f"new Promise(done => {{const ask = () => ({script}) ? done(true) : setTimeout(ask, 20); ask();}})"
        async with asyncio.timeout(_PATIENCE_S):
            await self.evaluate(condition)

    async def set_media(self, **features: str) -> None:
        """Emulate media features, such as prefers_reduced_motion="reduce"."""
        wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        await self._call("Emulation.setEmulatedMedia", features=wanted)

    async def screenshot(self, whole: bool = False) -> bytes:
        """The page as PNG; `whole`: also what must be scrolled to."""
        answer = await self._call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
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

    async def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._asked += 1
        request: dict[str, Any] = {"id": self._asked, "method": method, "params": parameters}
        if self._session is not None:
            request["sessionId"] = self._session
        future = self._answers[self._asked] = asyncio.get_running_loop().create_future()
        self._send.write(json.dumps(request).encode() + b"\0")
        async with asyncio.timeout(_PATIENCE_S):
            result: dict[str, Any] = await future
        return result


@contextlib.asynccontextmanager
async def browser() -> AsyncIterator[Page]:
    """A fresh browser with one page; ended with the block."""
    program = find_chromium()
    assert program is not None
    loop = asyncio.get_running_loop()
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # The browser listens on descriptor 3 and answers on 4.
        shell = f'exec "$0" "$@" 3<&{to_read} 4>&{from_write} 2>/dev/null'
        process = await asyncio.create_subprocess_exec(
            "/bin/bash",
            "-c",
            shell,
            program,
            *_FLAGS,
            f"--user-data-dir={profile}",
            pass_fds=(to_read, from_write),
        )
        os.close(to_read)
        os.close(from_write)
        reader = asyncio.StreamReader(limit=2**27)
        incoming, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(from_read, "rb")
        )
        outgoing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(to_write, "wb"))
        page = Page(outgoing)
        listening = asyncio.create_task(_listen(reader, page))
        try:
            yield page
        finally:
            listening.cancel()
            outgoing.close()
            incoming.close()
            process.kill()
            await process.wait()


async def _listen(reader: asyncio.StreamReader, page: Page) -> None:
    while True:
        page.received(json.loads((await reader.readuntil(b"\0"))[:-1]))
