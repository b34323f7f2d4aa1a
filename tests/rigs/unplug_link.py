"""A line that is pulled and put back a thousand times, in real time: `make unplug-link`.

Each time a pad is hit while the line is away; the link must be back within two seconds, with that event and no other.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Event

from firmware_bridge.link import Link
from firmware_bridge.session import LinkState
from firmware_bridge.signals import SignalKind
from hardware.simulated.emulated_board import HERTZ, EmulatedBoard
from tests.rigs.emulation import build

BACK_S = 2.0
PATIENCE_S = 30.0
ACKNOWLEDGED_S = 1.0
"""By then an event that was not acknowledged has come again."""


class NotBack(Exception):
    """The link took too long, or an event is missing, doubled or another one."""


def pull(times: int, rng: Random, folder: Path) -> list[float]:
    """Pull the line so many times; how long each time took from putting it back until the event was there.

    Raises:
        NotBack: one took too long, or lost its event.
    """
    with EmulatedBoard(folder / "board") as board:
        link = Link(str(board.port), time.monotonic)
        try:
            _until(lambda: link.status().clock_bound_s is not None)
            took_s = [_pull_once(board, link, turn, rng) for turn in range(times)]
            if (left := link.get(ACKNOWLEDGED_S)) is not None:
                raise NotBack(f"after the last time {left} came: expected nothing more")
            return took_s
        finally:
            link.close()


def _pull_once(board: EmulatedBoard, link: Link, turn: int, rng: Random) -> float:
    board.do("unplug")
    _until(lambda: link.status().state is not LinkState.READY)
    pad, level = turn // 2 % 8, turn % 2
    board.edge(board.now()[0] + HERTZ // 1000, f"K{pad}", level)
    _until(lambda: len(board.fired()) == 1)
    Event().wait(rng.uniform(0.0, 0.3))
    board.do("plug")
    begin_s = time.monotonic()
    signal = link.get(PATIENCE_S)
    took_s = time.monotonic() - begin_s
    # One that was heard before and came again would differ in pad or kind from what is expected next.
    expected = pad + 1, SignalKind.PAD_RELEASED if level else SignalKind.PAD_PRESSED
    if took_s > BACK_S or signal is None or (signal.seat, signal.kind) != expected:
        raise NotBack(f"time {turn + 1}: back after {took_s:.2f} s with {signal}: expected {expected}")
    link.settle(signal)
    return took_s


def _until(holds: Callable[[], bool]) -> None:
    begin_s, pause = time.monotonic(), Event()
    while not holds():
        if time.monotonic() - begin_s > PATIENCE_S:
            raise NotBack(f"nothing for {PATIENCE_S} s")
        pause.wait(0.002)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=1000, help="how often (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="for the pauses (default 1)")
    options = parser.parse_args()
    build()
    with tempfile.TemporaryDirectory() as folder:
        took_s = sorted(pull(options.times, Random(options.seed), Path(folder)))
    sys.stdout.write(
        f"{len(took_s)} pulled lines: back with the event in {took_s[len(took_s) // 2]:.3f} s (median), "
        f"{took_s[-1]:.3f} s at most; every event kept, none twice\n"
    )


if __name__ == "__main__":
    _main()
