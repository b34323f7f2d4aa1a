"""Announces a table until it is stopped: `python -m tests.rigs.announce NAME INTERFACE...`."""

import asyncio
import signal
import sys
from collections.abc import Sequence

from controller.discovery import Announcement, Discovery


async def main(name: str, interfaces: Sequence[str]) -> None:
    """Announce on these interfaces and say every change of state."""
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    announcement = Announcement(name, "new_york_slice", "0.1.0", 8080)
    discovery = Discovery(announcement, interfaces, lambda view: print(view.state.value, view.text, flush=True))  # noqa: T201
    keeping = asyncio.create_task(discovery.keep(interval_s=1.0))
    await ended.wait()
    keeping.cancel()
    await discovery.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
