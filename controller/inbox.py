"""What comes in at a table and waits for the one task that decides."""

import asyncio
import logging
from collections import deque

from firmware_bridge.signals import Signal
from vision.scene import Scene

SIGNALS_KEPT = 64
_log = logging.getLogger("pizzatable")


class Inbox:
    """What has come in and was not looked at yet: the newest scene, and the last SIGNALS_KEPT signals in order."""

    def __init__(self) -> None:
        self._scene: Scene | None = None
        self._signals: deque[Signal] = deque(maxlen=SIGNALS_KEPT)
        self._something = asyncio.Event()

    def scene(self, scene: Scene) -> None:
        """A new scene; one that was not looked at yet counts no more."""
        self._scene = scene
        self._something.set()

    def signal(self, signal: Signal) -> None:
        """A new signal."""
        if len(self._signals) == SIGNALS_KEPT:
            _log.warning("more than %d signals wait: dropping %s", SIGNALS_KEPT, self._signals[0])
        self._signals.append(signal)
        self._something.set()

    async def next(self) -> tuple[list[Signal], Scene | None]:
        """Wait for something; signals come before the scene."""
        await self._something.wait()
        self._something.clear()
        signals, scene = list(self._signals), self._scene
        self._signals.clear()
        self._scene = None
        return signals, scene
