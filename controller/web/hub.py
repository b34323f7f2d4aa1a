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

    def __init__(self, heartbeat_s: float = 15.0) -> None:
        """Know nothing yet; subscribers are given a sign of life every `heartbeat_s` seconds."""
        self._heartbeat_s = heartbeat_s
        self._beat: asyncio.TimerHandle | None = None
        self._view: TableView | None = None
        self._newest: Update | None = None
        self._waiting: set[asyncio.Future[bool]] = set()
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
        self._wake(changed=True)

    async def subscribe(self, after_seq: int | None = None) -> AsyncGenerator[Update | None, None]:
        """Yield the newest view whenever it is another than the one last yielded, until the hub closes.

        Yields None as a sign of life. `after_seq` is the view that the subscriber already has; it is not sent again.
        Any other, older or from before a restart, brings the newest at once.
        """
        self._subscribers += 1
        self._keep_beating()
        try:
            sent = after_seq
            while not self._closed:
                newest = self._newest
                if newest is not None and newest.seq != sent:
                    sent = newest.seq
                    yield newest
                elif not await self._changed():
                    yield None
        finally:
            self._subscribers -= 1

    def close(self) -> None:
        """End every subscription."""
        self._closed = True
        if self._beat is not None:
            self._beat.cancel()
        self._wake(changed=True)

    async def _changed(self) -> bool:
        """Wait for the next publication or the end: True; or the next heartbeat: False."""
        waiter: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        try:
            return await waiter
        finally:
            self._waiting.discard(waiter)

    def _wake(self, *, changed: bool) -> None:
        waiting, self._waiting = self._waiting, set()
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(changed)

    def _keep_beating(self) -> None:
        # One timer for all: a timer for each display and change would cost as much as sending.
        if self._beat is None and self._subscribers and not self._closed:
            self._beat = asyncio.get_running_loop().call_later(self._heartbeat_s, self._on_beat)

    def _on_beat(self) -> None:
        self._beat = None
        self._wake(changed=False)
        self._keep_beating()
