"""What waits for the one task that decides."""

import asyncio

import pytest

from controller.inbox import SIGNALS_KEPT, Inbox
from firmware_bridge.signals import Signal, SignalKind
from vision.scene import Scene


def scene(number: int) -> Scene:
    return Scene(float(number), number, (), (), 0.0)


def press(number: int) -> Signal:
    return Signal(1, SignalKind.BUTTON_PRESSED, float(number), 0.001)


async def taken(inbox: Inbox) -> tuple[list[float], int | None]:
    signals, newest = await asyncio.wait_for(inbox.next(), 5.0)
    return [signal.time_s for signal in signals], newest.sequence if newest is not None else None


def test_the_newest_scene_and_all_signals_are_taken_once() -> None:
    async def take() -> None:
        inbox = Inbox()
        for number in range(3):
            inbox.scene(scene(number))
            inbox.signal(press(number))
        assert await taken(inbox) == ([0.0, 1.0, 2.0], 2)
        inbox.signal(press(3))
        assert await taken(inbox) == ([3.0], None)
        inbox.scene(scene(4))
        assert await taken(inbox) == ([], 4)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(inbox.next(), 0.0)

    asyncio.run(take())


def test_of_too_many_signals_the_oldest_is_dropped_and_that_is_said(caplog: pytest.LogCaptureFixture) -> None:
    async def take() -> None:
        inbox = Inbox()
        for number in range(SIGNALS_KEPT + 1):
            inbox.signal(press(number))
        assert (await taken(inbox))[0] == [float(number) for number in range(1, SIGNALS_KEPT + 1)]

    asyncio.run(take())
    assert [record.levelname for record in caplog.records] == ["WARNING"]
