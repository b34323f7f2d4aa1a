import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from controller.views import TableView
from controller.web.hub import Hub
from controller.web.server import NoSuchHost, PortTaken, listening, serving
from tests.controller.web.fixture_views import ring_served
from tests.controller.web.table import make_app, until

PATIENCE_S = 10


def numbered(seq: int) -> TableView:
    return ring_served().model_copy(update={"seq": seq})


@contextlib.asynccontextmanager
async def table(hub: Hub, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        asyncio.timeout(PATIENCE_S),
        serving(make_app(hub, **settings), hub, "127.0.0.1", 0) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S) as session,
    ):
        yield session


def address_of(session: httpx.AsyncClient) -> tuple[str, int]:
    assert session.base_url.port is not None
    return session.base_url.host, session.base_url.port


async def messages(response: httpx.Response) -> AsyncIterator[tuple[int | None, Any]]:
    """The events of a stream as (id, data); comments as (None, text)."""
    event_id: int | None = None
    data: Any = None
    async for line in response.aiter_lines():
        if line.startswith("id: "):
            event_id = int(line[4:])
        elif line.startswith("data: "):
            data = json.loads(line[6:])
        elif line.startswith(": "):
            yield None, line[2:]
        elif not line and data is not None:
            yield event_id, data
            event_id = data = None


def test_a_display_is_sent_whole_views_as_they_come() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(1))
        async with table(hub) as session, session.stream("GET", "/api/events") as response:
            assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
            assert response.headers["cache-control"] == "no-store"
            events = messages(response)
            assert (await anext(events))[0] == 1
            hub.publish(numbered(2))
            seq, data = await anext(events)
            assert (seq, data) == (2, numbered(2).model_dump(mode="json"))

    asyncio.run(scenario())


def test_who_asks_only_for_the_head_of_the_event_stream_is_not_kept() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(1))
        async with table(hub) as session:
            for _ in range(2):
                response = await session.head("/api/events")
                assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
                assert (response.status_code, response.content) == (200, b"")
            await until(lambda: not hub.subscribers)

    asyncio.run(scenario())


@pytest.mark.parametrize(("last", "first"), [("4", 5), ("3", 4), ("99", 4), ("", 4), ("x" * 4000, 4), ("-1", 4)])
def test_last_event_id_resumes(last: str, first: int) -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(4))
        headers = {"Last-Event-ID": last}
        async with table(hub) as session, session.stream("GET", "/api/events", headers=headers) as response:
            await until(lambda: hub.subscribers)
            if first == 5:
                hub.publish(numbered(5))
            assert (await anext(messages(response)))[0] == first

    asyncio.run(scenario())


def test_a_quiet_stream_gives_a_sign_of_life() -> None:
    async def scenario() -> None:
        hub = Hub(heartbeat_s=0.01)
        async with table(hub) as session, session.stream("GET", "/api/events") as response:
            assert await anext(messages(response)) == (None, "still here")

    asyncio.run(scenario())


def test_a_display_that_leaves_is_forgotten() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(1))
        async with table(hub) as session:
            async with session.stream("GET", "/api/events") as response:
                await anext(messages(response))
                assert hub.subscribers == 1
            await until(lambda: not hub.subscribers)

    asyncio.run(scenario())


def test_streams_end_cleanly_at_shutdown() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(1))
        got: list[int | None] = []

        async def watch(port: int, opened: asyncio.Event) -> None:
            address = f"http://127.0.0.1:{port}/api/events"
            async with httpx.AsyncClient() as session, session.stream("GET", address) as response:
                async for message in messages(response):
                    got.append(message[0])
                    opened.set()

        async with asyncio.timeout(PATIENCE_S):
            async with serving(make_app(hub), hub, "127.0.0.1", 0) as port:
                opened = asyncio.Event()
                watching = asyncio.create_task(watch(port, opened))
                await opened.wait()
            # A stream that is cut off would raise here.
            await watching
        assert got == [1]

    asyncio.run(scenario())


def test_a_display_that_reads_nothing_holds_up_nobody() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(0))
        async with table(hub) as session:
            stuck = socket.create_connection(address_of(session))
            stuck.sendall(b"GET /api/events HTTP/1.1\r\nHost: table\r\n\r\n")
            async with session.stream("GET", "/api/events") as response:
                events = messages(response)
                await until(lambda: hub.subscribers == 2)
                for seq in range(1, 300):
                    hub.publish(numbered(seq))
                    while (await anext(events))[0] != seq:
                        pass
            stuck.close()

    asyncio.run(scenario())


def test_a_taken_port_is_named() -> None:
    async def scenario() -> None:
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            with pytest.raises(PortTaken, match=rf"127\.0\.0\.1 port {port}.*expected a free port"):
                async with serving(make_app(), Hub(), "127.0.0.1", port):
                    pass

    asyncio.run(scenario())


@pytest.mark.parametrize("host", ["192.0.2.1", "no host"])
def test_an_address_that_this_machine_has_not_is_no_matter_of_ports(host: str) -> None:
    with pytest.raises(NoSuchHost, match=f"{host}.*expected an address that this machine has"):
        listening(host, 0)


def test_noise_on_the_port_harms_nothing() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(1))
        async with table(hub) as session:
            for noise in (
                b"\x00" * 5000,
                b"GET / HTTP/9.9.9\r\n\r\n",
                b"POST /api/undo HTTP/1.1\r\nContent-Length: -4\r\n\r\n",
            ):
                reader, writer = await asyncio.open_connection(*address_of(session))
                writer.write(noise)
                writer.write_eof()
                answer = await reader.read()
                assert answer.startswith(b"HTTP/1.1 4") or answer == b""
                writer.close()
                await writer.wait_closed()
            chunked = await session.post("/api/undo", content=_chunks(), headers={"Content-Type": "application/json"})
            assert chunked.status_code == 411
            assert (await session.get("/api/state")).status_code == 200

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET /api/state HTTP/1.1\r\nHost: t", b"POST /api/undo HTTP/1.1\r\nContent-Length: 9\r\nHost: t\r\n\r\n{"],
)
def test_who_asks_for_nothing_in_time_holds_no_place(sent: bytes) -> None:
    async def scenario() -> None:
        async with asyncio.timeout(PATIENCE_S), serving(make_app(), Hub(), "127.0.0.1", 0, request_s=0.05) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            with contextlib.suppress(ConnectionResetError):
                await reader.read()  # to the end of the connection
            writer.close()

    asyncio.run(scenario())


def test_a_display_that_watches_is_not_cut_off_for_asking_nothing_more() -> None:
    async def scenario() -> None:
        hub = Hub(heartbeat_s=0.01)
        async with (
            asyncio.timeout(PATIENCE_S),
            serving(make_app(hub), hub, "127.0.0.1", 0, request_s=0.05) as port,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S) as session,
            session.stream("GET", "/api/events") as response,
        ):
            signs = messages(response)
            for _ in range(10):
                await anext(signs)

    asyncio.run(scenario())


def test_more_connections_than_files_are_there_for_are_cut_off_at_once() -> None:
    async def scenario() -> None:
        async with table(Hub()) as session:
            address = address_of(session)
            with contextlib.ExitStack() as crowd:
                for number in range(4):
                    last = await asyncio.to_thread(_crowd, address, crowd, f"127.0.0.{2 + number}", 150)
                assert await asyncio.to_thread(_heard, last) == b""

    asyncio.run(scenario())


def test_one_address_that_takes_most_places_leaves_some_to_others() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(1))
        async with table(hub) as session:
            address = address_of(session)
            with contextlib.ExitStack() as crowd:
                last = await asyncio.to_thread(_crowd, address, crowd, "127.0.0.2", 600)
                assert await asyncio.to_thread(_heard, last) == b""
                assert (await session.get("/api/state")).status_code == 200

    asyncio.run(scenario())


def _crowd(address: tuple[str, int], stack: contextlib.ExitStack, source: str, count: int) -> socket.socket:
    """So many connections from an address that ask for nothing; gives the last one."""
    for _ in range(count):
        one = stack.enter_context(socket.create_connection(address, PATIENCE_S, source_address=(source, 0)))
    return one


def _heard(connection: socket.socket) -> bytes:
    try:
        return connection.recv(1)
    except ConnectionResetError:
        return b""


def test_who_takes_nothing_of_what_is_sent_is_cut_off() -> None:
    with listening("127.0.0.1", 0, unread_s=1) as listener, socket.create_connection(listener.getsockname()):
        listener.settimeout(PATIENCE_S)
        accepted, _ = listener.accept()
        with accepted:
            accepted.settimeout(PATIENCE_S)
            with pytest.raises(TimeoutError, match="Connection timed out"):
                accepted.sendall(bytes(50_000_000))


async def _chunks() -> AsyncIterator[bytes]:
    yield b"{}"
