"""Events through the worst of lines: `make torture-link`.

The board's own ELF in the emulator, a proxy on its pseudo-terminal that drops, doubles, spoils, splits, delays and
reorders what passes, resets of the board, pulled lines, a host that does not look for seconds, that takes its time to
keep what it has got and dies with it in hand, a board that stands still as on a machine too busy to emulate it, a ring
that is made to overflow. Every edge is known; what is kept is compared with it: none lost, none twice, none out of
order, and what overflowed is reported to the number.
"""

import argparse
import contextlib
import heapq
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from firmware_bridge.schema import RING_CAPACITY, WINDOW
from firmware_bridge.signals import SignalKind
from hardware.simulated.emulated_board import HERTZ
from tests.firmware_bridge.emulated_table import EmulatedTable
from tests.rigs.emulation import build

MS = HERTZ // 1000
FITTING, OVERFLOWING = 15, 20
"""Rounds, each of eight pads pressed and released, that the board's ring just has room for, and that it has not."""
FAULT_RATES = (0.002, 0.01, 0.05)
"""Faults per piece of the stream, a piece being 1 to 24 bytes: a poor line, a bad one and a wretched one."""
STALL_RATE = 0.01
"""Stalls per eight edges."""
DEATH_RATE = 0.03
"""Deaths of the host's program per eight edges."""
KEEP_RATE = 0.3
"""Looks at the line after which what is in hand is kept, and of these after which the board is told."""
_KINDS = ("dropped", "doubled", "spoilt", "invented", "delayed")


class Tortured(Exception):
    """What arrived is not what happened."""


@dataclass(slots=True)
class FaultyLine:
    """A line that does to its bytes what lines do. Pieces that are delayed are overtaken by those behind them."""

    rng: Random
    rate: float = max(FAULT_RATES)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_KINDS, 0))
    _waiting: list[tuple[float, int, bytes]] = field(default_factory=list)
    _number: int = 0

    def __call__(self, data: bytes, now_s: float) -> bytes:
        while data:
            size = self.rng.randint(1, 24)
            self._put(data[:size], now_s)
            data = data[size:]
        passed = b""
        while self._waiting and self._waiting[0][0] <= now_s:
            passed += heapq.heappop(self._waiting)[2]
        return passed

    def _put(self, piece: bytes, now_s: float) -> None:
        due_s = now_s
        if self.rng.random() < self.rate:
            kind = self.rng.choice(_KINDS)
            self.counts[kind] += 1
            match kind:
                case "dropped":
                    piece = b""
                case "doubled":
                    piece *= 2
                case "spoilt":
                    at = self.rng.randrange(len(piece))
                    piece = piece[:at] + bytes((piece[at] ^ 1 << self.rng.randrange(8),)) + piece[at + 1 :]
                case "invented":
                    piece += self.rng.randbytes(self.rng.randint(1, 40))
                case _:
                    due_s += self.rng.uniform(0.002, 0.15)
        self._number += 1
        heapq.heappush(self._waiting, (due_s, self._number, piece))


@dataclass(slots=True)
class Report:
    """What was done and what came of it."""

    events: int = 0
    lost: int = 0
    """Reported by the board, in rounds that were made to overflow."""
    repeated: int = 0
    """Came more than once and were delivered once."""
    resets: int = 0
    unplugs: int = 0
    deaths: int = 0
    """Of the host's program."""
    stalls: int = 0
    """Times that the host did not look, or the board stood still."""
    slowest_back_s: float = 0.0
    """From a replugged line to the first answer, at the longest."""


def torture(events: int, rng: Random, folder: Path) -> tuple[Report, dict[str, int]]:
    """Run so many events through faults, or until somebody has had enough (SIGINT); the report and the faults.

    Raises:
        Tortured: an event was lost, doubled or out of order.
    """
    lines = FaultyLine(rng), FaultyLine(rng)
    report = Report()
    with EmulatedTable(folder, faults=lines, step=HERTZ // 250, said=True, keeps=_sometimes(rng)) as table:
        table.until_ready(5.0)
        with contextlib.suppress(KeyboardInterrupt):
            while report.events < events:
                lines[0].rate = lines[1].rate = rng.choice(FAULT_RATES)
                _disturb(table, rng, report)
                rounds = OVERFLOWING if rng.random() < 0.06 else rng.choice((1, 4, 8, 12, FITTING, FITTING, FITTING))
                _round(table, rounds, rng, report)
        report.repeated += table.session.repeated
    return report, {kind: lines[0].counts[kind] + lines[1].counts[kind] for kind in _KINDS}


def _sometimes(rng: Random) -> Callable[[], bool]:
    return lambda: rng.random() < KEEP_RATE


def _disturb(table: EmulatedTable, rng: Random, report: Report) -> None:
    """Between two rounds all pads are open: a reset then costs no edge."""
    what = rng.random()
    if what < 0.2:
        table.board.do(rng.choice(("reset", "hang")))
        report.resets += 1
        table.run(0.06)


def _round(table: EmulatedTable, rounds: int, rng: Random, report: Report) -> None:
    """Presses and releases of all pads, some while the line is pulled; then wait until everything has arrived."""
    pulled = rounds == OVERFLOWING or rng.random() < 0.2
    if pulled:
        table.unplug()
        report.unplugs += 1
    expected: list[tuple[int, SignalKind]] = []
    for _ in range(rounds):
        for level, kind in ((0, SignalKind.PAD_PRESSED), (1, SignalKind.PAD_RELEASED)):
            order = rng.sample(range(8), 8)
            table.edges([(MS + place * MS // 8, f"K{pad}", level) for place, pad in enumerate(order)])
            table.run(0.012)
            if rng.random() < STALL_RATE:
                stall = rng.choice((table.oversleep, table.freeze))
                stall(rng.choice((rng.uniform(0.0, 0.2), rng.uniform(0.0, 2.5))))
                report.stalls += 1
            if not pulled and rng.random() < DEATH_RATE:
                report.repeated += table.session.repeated
                table.kill()
                report.deaths += 1
            expected += [(pad + 1, kind) for pad in order]
    if rng.random() < 0.1:
        table.board.do("reset")
        report.resets += 1
    if pulled:
        table.replug()
        report.slowest_back_s = max(report.slowest_back_s, table.until_ready(5.0))
    check_arrived(table, expected, report)


def check_arrived(table: EmulatedTable, expected: list[tuple[int, SignalKind]], report: Report) -> None:
    """Wait until so many events have arrived, and compare them.

    Raises:
        Tortured: they are not those.
    """
    begin_s = table.now_s
    while _arrived(table) < len(expected):
        if table.now_s - begin_s > 60:
            raise Tortured(f"{_arrived(table)} of {len(expected)} events after 60 s: {table.session.words}")
        table.run(0.02)
    lost = sum(signal.number for signal in table.signals if signal.kind is SignalKind.SIGNALS_LOST)
    found = [(signal.seat, signal.kind) for signal in table.signals if signal.kind is not SignalKind.SIGNALS_LOST]
    # The ring drops what is newest, and may still hold what was not acknowledged before.
    has_room = len(expected) < RING_CAPACITY - WINDOW
    if found != expected[: len(found)] or len(found) + lost != len(expected) or (lost and has_room):
        raise Tortured(f"{found} arrived and {lost} reported lost: expected {expected}")
    report.events += len(expected)
    report.lost += lost
    table.signals.clear()


def _arrived(table: EmulatedTable) -> int:
    return sum(signal.number if signal.kind is SignalKind.SIGNALS_LOST else 1 for signal in table.signals)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--events", type=int, default=1_000_000, help="how many (default a million, about 15 minutes of a core)"
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="of what is slapped and disturbed; what the line does to it is a matter of timing, too (default 1)",
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="boards at a time, each with its own seed"
    )
    options = parser.parse_args()
    build()
    if options.jobs > 1:
        sys.exit(_in_parts(options.events, options.seed, options.jobs))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell started it in the background
    begin_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report, faults = torture(options.events, Random(options.seed), Path(folder))
    told = ", ".join(f"{count} {kind}" for kind, count in faults.items())
    lines = (
        f"{report.events} events in {time.monotonic() - begin_s:.0f} s; pieces of the stream: {told}",
        f"{report.resets} resets, {report.stalls} stalls, {report.deaths} deaths of the host, "
        f"{report.unplugs} unplugs, back within {report.slowest_back_s:.2f} s of board time",
        f"none lost, none twice, none out of order; {report.repeated} came again and were not delivered again;",
        f"{report.lost} overflowed, as forced, and were reported to the number",
    )
    sys.stdout.write("\n".join(lines) + "\n")


def _in_parts(events: int, seed: int, jobs: int) -> int:
    """Each part prints its own figures."""
    command = [sys.executable, "-m", "tests.rigs.torture_link", "--jobs", "1", "--events", str(-(-events // jobs))]
    running = [subprocess.Popen([*command, "--seed", str(seed + part)]) for part in range(jobs)]
    return max(part.wait() for part in running)


if __name__ == "__main__":
    _main()
