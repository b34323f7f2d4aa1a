import asyncio
import contextlib
import json

from controller.views import TableView
from controller.web.hub import Hub
from tests.controller.web.fixture_views import ring_served


def numbered(seq: int) -> TableView:
    return ring_served().model_copy(update={"seq": seq})


async def read(hub: Hub, count: int, after_seq: int | None = None) -> list[int | None]:
    async with contextlib.aclosing(hub.subscribe(after_seq)) as updates:
        got: list[int | None] = []
        async for update in updates:
            got.append(update.seq if update else None)
            if len(got) == count:
                break
        return got


def test_a_subscriber_is_given_the_newest_view_at_once() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(3))
        hub.publish(numbered(4))
        assert await read(hub, 1) == [4]

    asyncio.run(scenario())


def test_a_subscriber_that_has_the_newest_waits_for_the_next() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(4))
        reading = asyncio.create_task(read(hub, 1, after_seq=4))
        await asyncio.sleep(0)
        assert not reading.done()
        hub.publish(numbered(5))
        assert await reading == [5]

    asyncio.run(scenario())


def test_a_subscriber_from_before_a_restart_is_given_the_newest() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(2))
        assert await read(hub, 1, after_seq=900) == [2]

    asyncio.run(scenario())


def test_a_slow_subscriber_skips_to_the_newest() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(1))
        async with contextlib.aclosing(hub.subscribe()) as updates:
            first = await anext(updates)
            for seq in range(2, 60):
                hub.publish(numbered(seq))
            second = await anext(updates)
        assert first is not None
        assert second is not None
        assert (first.seq, second.seq) == (1, 59)

    asyncio.run(scenario())


def test_all_subscribers_share_the_same_bytes() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(1))
        one, two = hub.subscribe(), hub.subscribe()
        first, second = await anext(one), await anext(two)
        assert first is not None
        assert second is not None
        assert first.message is second.message
        assert hub.subscribers == 2
        await one.aclose()
        await two.aclose()
        assert hub.subscribers == 0

    asyncio.run(scenario())


def test_subscribers_are_given_signs_of_life() -> None:
    async def scenario() -> None:
        hub = Hub(heartbeat_s=0)
        assert await read(hub, 2) == [None, None]

    asyncio.run(scenario())


def test_closing_ends_every_subscription() -> None:
    async def scenario() -> None:
        hub = Hub()
        hub.publish(numbered(1))
        readings = [asyncio.create_task(read(hub, 99)) for _ in range(5)]
        await asyncio.sleep(0)
        hub.close()
        hub.close()
        assert await asyncio.gather(*readings) == [[1]] * 5

    asyncio.run(scenario())


def test_a_message_is_one_event_with_the_whole_view() -> None:
    hub = Hub()
    hub.publish(numbered(7))
    assert hub.newest is not None
    lines = hub.newest.message.decode().split("\n")
    assert lines[0] == "id: 7"
    assert lines[2:] == ["", ""]
    assert json.loads(lines[1].removeprefix("data: ")) == numbered(7).model_dump(mode="json")
