"""The event hub of one table: holds the newest view and hands it to every display.

A view is whole, so a display that was slow needs only the newest: each subscriber has room for one update, and a newer
one replaces it. A view is serialised once, when it is published; all displays are sent the same bytes.

Everything here runs in the thread of the event loop.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from controller.views import TableView


@dataclass(frozen=True, slots=True)
class Update:
    """One published view, ready to be sent."""

    seq: int
    body: bytes
    """The view as JSON, UTF-8, on one line."""
    message: bytes
    """The same as a message of an event stream, with `seq` as its id."""


class Hub:
    """The newest view and those who wait for the next. Closing twice is fine."""

    def __init__(self) -> None:
        self._view: TableView | None = None
        self._newest: Update | None = None
        self._waiting: set[asyncio.Future[None]] = set()
        self._subscribers = 0
        self._closed = False

    @property
    def view(self) -> TableView | None:
        """The newest view; None before the first."""
        return self._view

    @property
    def newest(self) -> Update | None:
        """The newest view, ready to be sent; None before the first."""
        return self._newest

    @property
    def subscribers(self) -> int:
        """How many displays are listening."""
        return self._subscribers

    def publish(self, view: TableView) -> None:
        """Make `view` the newest and wake every subscriber. Never waits; after `close` nothing is sent."""
        body = view.model_dump_json().encode()
        self._view = view
        self._newest = Update(view.seq, body, b"id: %d\ndata: %b\n\n" % (view.seq, body))
        self._wake()

    async def subscribe(
        self, after_seq: int | None = None, quiet_s: float = 15.0
    ) -> AsyncGenerator[Update | None, None]:
        """Yield the newest view whenever it is another than the one last yielded, until the hub closes.

        Args:
            after_seq: the view that the subscriber already has; it is not sent again. Any other, older or from before
                a restart, brings the newest at once.
            quiet_s: yields None when nothing was published for this long, for a sign of life.
        """
        self._subscribers += 1
        try:
            sent = after_seq
            while not self._closed:
                newest = self._newest
                if newest is not None and newest.seq != sent:
                    sent = newest.seq
                    yield newest
                elif not await self._changed(quiet_s):
                    yield None
        finally:
            self._subscribers -= 1

    def close(self) -> None:
        """End every subscription."""
        self._closed = True
        self._wake()

    async def _changed(self, timeout_s: float) -> bool:
        """Wait for the next publication or the end; False when neither came in time."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        try:
            async with asyncio.timeout(timeout_s):
                await waiter
        except TimeoutError:
            return False
        finally:
            self._waiting.discard(waiter)
        return True

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, set()
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)
