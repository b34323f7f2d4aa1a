"""The event stream: whole views as server-sent events."""

import asyncio
import contextlib

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from controller.web.hub import Hub

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
_HEARTBEAT = b": still here\n\n"
# How long a display waits before it connects again, milliseconds.
_OPENING = b"retry: 1000\n\n"


class EventStream(Response):
    """A response that sends the hub's updates until the display goes away or the hub closes.

    While a display does not take its bytes, nothing piles up for it: it is sent the newest when it does.
    """

    def __init__(self, hub: Hub, after_seq: int | None) -> None:
        super().__init__()
        self._hub = hub
        self._after_seq = after_seq

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        sending = asyncio.create_task(self._send_updates(send))
        leaving = asyncio.create_task(_disconnected(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for task in (sending, leaving):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, OSError):
                    await task

    async def _send_updates(self, send: Send) -> None:
        await send({"type": "http.response.body", "body": _OPENING, "more_body": True})
        async with contextlib.aclosing(self._hub.subscribe(self._after_seq)) as updates:
            async for update in updates:
                body = _HEARTBEAT if update is None else update.message
                await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def parse_last_event_id(text: str | None) -> int | None:
    """The seq that a display already has; None for none or for an id that is not ours."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 18:
        return None
    return int(text)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
