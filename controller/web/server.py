"""Serves an application on a port of the LAN, inside the program's own event loop."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator

import uvicorn
from fastapi import FastAPI

from controller.web.hub import Hub

_MAX_CONNECTIONS = 512
_LAST_WORDS_S = 2


class ServerError(Exception):
    """Root of what serving fails with."""


class PortTaken(ServerError, OSError):
    """The address cannot be listened on; the message names it."""


@contextlib.asynccontextmanager
async def serving(app: FastAPI, hub: Hub, host: str = "0.0.0.0", port: int = 8080) -> AsyncIterator[int]:
    """Serve `app` while the block runs; gives the port, which the system chooses where `port` is 0.

    On leaving, the hub is closed first, so that every event stream ends by itself.

    Raises:
        PortTaken: nothing can listen at this address.
    """
    listener = _listen(host, port)
    config = uvicorn.Config(
        app,
        log_level="warning",
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


class _Server(uvicorn.Server):
    """Signals are the program's business, not the server's."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(256)
    except OSError as error:
        listener.close()
        raise PortTaken(f"Cannot listen on {host} port {port}: {error.strerror}; expected a free port.") from error
    listener.setblocking(False)
    return listener
