"""100 displays on one table beside a bare asyncio broadcast of the same bytes.

The table (or the bare broadcaster) runs in a child process, the displays in this one; times are of the clock that both
share. Latency is from `publish` to the last byte of the event read.
"""

import asyncio
import math
import multiprocessing
import statistics
import time
from collections.abc import Callable, Coroutine
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from controller.web.hub import Hub, Update
from controller.web.server import serving
from tests.controller.web.fixture_views import portions_taken
from tests.controller.web.table import make_app

DISPLAYS = 100
CHANGES = 200
EVERY_S = 0.05
WARM_UP = 20
Publish = Callable[[int], None]


def event(seq: int) -> bytes:
    """The bytes of one event."""
    hub = Hub()
    hub.publish(portions_taken().model_copy(update={"seq": seq}))
    newest: Update | None = hub.newest
    assert newest is not None
    return newest.message


async def table(pipe: Connection) -> None:
    """The real application on the real server."""
    hub = Hub()
    view = portions_taken()
    async with serving(make_app(hub), hub, "127.0.0.1", 0) as port:
        pipe.send(port)
        while hub.subscribers < DISPLAYS:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await publish_all(pipe, lambda seq: hub.publish(view.model_copy(update={"seq": seq})))


async def bare(pipe: Connection) -> None:
    """Nothing but a loop that writes the same bytes to every connection."""
    writers: list[asyncio.StreamWriter] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        writers.append(writer)

    def publish(seq: int) -> None:
        message = messages[seq]
        for writer in writers:
            writer.write(message)

    messages = [event(seq) for seq in range(CHANGES + 1)]
    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    pipe.send(server.sockets[0].getsockname()[1])
    while len(writers) < DISPLAYS:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await publish_all(pipe, publish)


async def publish_all(pipe: Connection, publish: Publish) -> None:
    """Publish every change and tell when each was."""
    await asyncio.sleep(0.5)
    times = []
    for seq in range(1, CHANGES + 1):
        times.append(time.monotonic())
        publish(seq)
        await asyncio.sleep(EVERY_S)
    pipe.send(times)
    await asyncio.sleep(1)


class Display(asyncio.Protocol):
    """Notes when the end of each event has come; the last bytes are enough to know it."""

    def __init__(self, ends: list[float]) -> None:
        self._ends = ends
        self._tail = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"GET /api/events HTTP/1.1\r\nHost: table\r\n\r\n")

    def data_received(self, data: bytes) -> None:
        now = time.monotonic()
        # Chunked or not, an event ends with its closing brace and an empty line.
        found = (self._tail + data).count(b"}\n\n")
        self._tail = data[-2:]
        self._ends.extend([now] * found)


async def watch(port: int) -> list[list[float]]:
    """Open every display and read until all events have come."""
    loop = asyncio.get_running_loop()
    ends: list[list[float]] = [[] for _ in range(DISPLAYS)]
    for mine in ends:
        await loop.create_connection(partial(Display, mine), "127.0.0.1", port)
    deadline = time.monotonic() + 3 + 2 * CHANGES * EVERY_S
    while min(map(len, ends)) < CHANGES and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    return ends


def run_child(pipe: Connection, serve: Callable[[Connection], Coroutine[Any, Any, None]]) -> None:
    """Body of the child process."""
    asyncio.run(serve(pipe))


def measure(serve: Callable[[Connection], Coroutine[Any, Any, None]]) -> list[float]:
    """Sorted latencies in milliseconds, every display's every event."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    child = context.Process(target=run_child, args=(there, serve))
    child.start()
    ends = asyncio.run(watch(here.recv()))
    times = here.recv()
    child.join()
    complete = [mine for mine in ends if len(mine) == CHANGES]
    print(f"  displays that got all {CHANGES} changes: {len(complete)} of {DISPLAYS}")
    return sorted(
        (end - start) * 1000 for mine in complete for start, end in list(zip(times, mine, strict=True))[WARM_UP:]
    )


def main() -> None:
    """Measure both, twice in turns, and print them side by side."""
    print(f"{DISPLAYS} displays, {CHANGES} changes, one every {EVERY_S * 1000:.0f} ms, {len(event(1))} bytes each")
    results: dict[str, list[float]] = {"table": [], "bare": []}
    for _ in range(2):
        for name, serve in (("bare", bare), ("table", table)):
            print(name)
            results[name] += measure(serve)
    figures = {name: (statistics.median(ms), percentile(ms, 0.99), max(ms)) for name, ms in results.items()}
    print(f"{'':8}{'median':>10}{'p99':>10}{'max':>10}   ms")
    for name, row in figures.items():
        print(f"{name:8}" + "".join(f"{value:10.2f}" for value in row))
    print(f"{'ratio':8}" + "".join(f"{a / b:10.2f}" for a, b in zip(figures["table"], figures["bare"], strict=True)))


def percentile(values: list[float], share: float) -> float:
    """The smallest value that this share of the values does not exceed."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


if __name__ == "__main__":
    main()
