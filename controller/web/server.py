"""Serves an application on a port of the LAN, inside the program's own event loop."""

import asyncio
import contextlib
import errno
import functools
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any, cast

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from controller.web.hub import Hub

_MAX_CONNECTIONS = 512
"""More are told that the table is full;"""
_MOST_OPEN = _MAX_CONNECTIONS + 64
"""and from here on they are not even told: a process may have 1024 files open, and camera and journal need some."""
_CROWDED = _MAX_CONNECTIONS * 3 // 4
"""Where so many are open, an address that holds more than half of them gets no more: what is left is for others.
Through a proxy all displays come from one address: then these are all that there can be."""
REQUEST_S = 20.0
"""How long a request may take to arrive, from connecting or from its first byte."""
_UNREAD_S = 60
"""How long a display may take nothing of what it is sent: one that went out of reach, or reads no more. It comes back
by itself."""
_LAST_WORDS_S = 2


class ServerError(Exception):
    """Root of what serving fails with."""


class PortTaken(ServerError, OSError):
    """The port cannot be listened on; the message names it."""


class NoSuchHost(ServerError, OSError):
    """This machine has no such address; the message names it."""


@contextlib.asynccontextmanager
async def serving(
    app: FastAPI, hub: Hub, host: str = "0.0.0.0", port: int = 8080, *, request_s: float = REQUEST_S
) -> AsyncIterator[int]:
    """Serve `app` while the block runs; gives the port, which the system chooses where `port` is 0.

    Who has not sent a whole request within `request_s` is cut off. On leaving, the hub is closed first, so that every
    event stream ends by itself.

    Raises:
        PortTaken, NoSuchHost: nothing can listen at this address.
    """
    listener = listening(host, port)
    config = uvicorn.Config(
        app,
        # A class is wanted, and what makes one will do.
        http=cast(Any, functools.partial(_Impatient, request_s=request_s)),
        # Warnings are about what strangers send, a line each: they would fill the disk.
        log_level="error",
        lifespan="off",
        ws="none",
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_graceful_shutdown=_LAST_WORDS_S,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield listener.getsockname()[1]
    finally:
        hub.close()
        server.should_exit = True
        await task


def listening(host: str, port: int, unread_s: int = _UNREAD_S) -> socket.socket:
    """A socket that listens at this address, whose connections end when nothing they are sent is taken for `unread_s`.

    Raises:
        PortTaken: another program listens there, or this user may not.
        NoSuchHost: this machine has no such address.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # tcp(7): what is accepted has this too.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * unread_s)
        listener.bind((host, port))
        listener.listen(256)
    except OSError as error:
        listener.close()
        cannot = f"Cannot listen on {host} port {port}: {error.strerror}"
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            raise NoSuchHost(f"{cannot}; expected an address that this machine has, or 0.0.0.0 for all.") from error
        raise PortTaken(f"{cannot}; expected a free port.") from error
    listener.setblocking(False)
    return listener


class _Server(uvicorn.Server):
    """Signals are the program's business, not the server's."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Impatient(H11Protocol):
    """HTTP for those who ask: connections on which no whole request arrives hold no place for long."""

    def __init__(self, *args: Any, request_s: float, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._request_s = request_s
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > _MOST_OPEN or self._takes_all():
            transport.abort()
            return
        self._watch()

    def _takes_all(self) -> bool:
        """Whether hardly any place is left, and most are taken by the address of this one."""
        if len(self.connections) <= _CROWDED or self.client is None:
            return False
        clients = [one.client for one in self.connections if isinstance(one, H11Protocol) and one.client]
        held = sum(host == self.client[0] for host, _ in clients)
        return 2 * held > len(self.connections)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop()

    def _watch(self) -> None:
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop()
        elif self._late is None:
            self._late = self.loop.call_later(self._request_s, self.transport.abort)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
