"""Who was first, over and over: `make bench-slaps`.

Pairs and eight-way bursts of slaps at exact cycles on the board's own ELF in the emulator, with gaps from 0 to 1 ms,
half of them near the resolution. Every two slaps of a burst are a pair. Then the distribution of the clock's error: a
signal's time beside the cycle of its edge, as a share of the bound that came with it.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from random import Random

from firmware_bridge.signals import Signal, SignalKind
from firmware_bridge.slaps import RESOLUTION_US, judge
from hardware.simulated.emulated_board import HERTZ
from tests.firmware_bridge.emulated_table import EmulatedTable
from tests.rigs.emulation import build

US = HERTZ // 1_000_000
MS = HERTZ // 1000
PAIR_SHARE = 0.1
"""Of the rounds: two pads; the others are bursts of eight."""


@dataclass(slots=True)
class Tally:
    """How the pairs came out, by their true gap."""

    apart_right: int = 0
    """The resolution or more apart, and in the right order."""
    apart_wrong: int = 0
    close_tied: int = 0
    """Closer than the resolution, and called a tie."""
    close_right: int = 0
    """Closer, but in the right order, and called so."""
    close_wrong: int = 0
    lost: int = 0
    lone: int = 0
    """Rounds of two pads."""
    bursts: int = 0
    """Rounds of all eight."""
    closest_ordered_us: float = float("inf")
    errors: list[float] = field(default_factory=list)
    """Error of a signal's time as a share of its bound."""
    errors_us: list[float] = field(default_factory=list)
    bounds_us: list[float] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        """No order wrong, nothing lost, no time further off than its bound."""
        outside = max(map(abs, self.errors), default=0.0) > 1
        return not (self.apart_wrong or self.close_wrong or self.lost or outside)

    @property
    def pairs(self) -> int:
        """All of them."""
        return self.apart_right + self.apart_wrong + self.close_tied + self.close_right + self.close_wrong


def measure(pairs: int, rng: Random, folder: Path) -> Tally:
    """Judge so many pairs."""
    tally = Tally()
    with EmulatedTable(folder, step=HERTZ // 100, said=True) as table:
        table.until_ready()
        while tally.pairs < pairs:
            _round(table, rng, tally)
    return tally


def _round(table: EmulatedTable, rng: Random, tally: Tally) -> None:
    pads = rng.sample(range(8), 2 if rng.random() < PAIR_SHARE else 8)
    tally.lone += len(pads) == 2
    tally.bursts += len(pads) == 8
    cycle = MS + rng.randrange(MS)
    edges = []
    for pad in pads:
        edges.append((cycle, f"K{pad}", 0))
        cycle += rng.choice((rng.randrange(1001 * US), rng.randrange(40 * US)))
    table.edges(edges)
    table.edges([(cycle + 10 * MS, f"K{pad}", 1) for pad in pads])
    waited_s = 0.0
    while len(table.signals) < 2 * len(pads) and waited_s < 1:
        table.run(0.008)
        waited_s += 0.008
    fired = dict(zip(pads, table.board.fired(), strict=False))
    slaps = {signal.seat - 1: signal for signal in table.signals if signal.kind is SignalKind.PAD_PRESSED}
    tally.lost += 2 * len(pads) - len(table.signals)
    table.signals.clear()
    for one, other in combinations(pads, 2):
        _judge_pair(slaps[one], slaps[other], fired[other] - fired[one], tally)
    for pad, slap in slaps.items():
        error_s = slap.time_s - fired[pad] / HERTZ
        tally.errors.append(error_s / slap.uncertainty_s)
        tally.errors_us.append(abs(error_s) * 1e6)
        tally.bounds_us.append(slap.uncertainty_s * 1e6)


def _judge_pair(earlier: Signal, later: Signal, gap_cycles: int, tally: Tally) -> None:
    verdict = judge((later, earlier))
    is_right = verdict.first == (earlier.seat,)
    if gap_cycles >= RESOLUTION_US * US:
        tally.apart_right += is_right
        tally.apart_wrong += not is_right
        return
    tally.close_tied += verdict.tie
    tally.close_right += is_right and not verdict.tie
    tally.close_wrong += not is_right and not verdict.tie
    if not verdict.tie:
        tally.closest_ordered_us = min(tally.closest_ordered_us, gap_cycles / US)


def _lines(tally: Tally) -> Iterator[str]:
    yield (
        f"{tally.pairs} pairs ({tally.lone} alone, the others in {tally.bursts} bursts of eight; "
        f"{len(tally.errors)} slaps), {tally.lost} signals lost"
    )
    yield f"{RESOLUTION_US:.0f} us or more apart: {tally.apart_right} in the right order, {tally.apart_wrong} not"
    yield (
        f"closer: {tally.close_tied} declared ties, {tally.close_right} in the right order "
        f"(the closest {tally.closest_ordered_us:.1f} us apart), {tally.close_wrong} in the wrong one"
    )
    shares = sorted(abs(error) for error in tally.errors)
    worst_us, bound_us = max(tally.errors_us), sorted(tally.bounds_us)[len(tally.bounds_us) // 2]
    yield f"clock: error at most {worst_us:.0f} us, median bound {bound_us:.0f} us; error as a share of its bound:"
    for percent in (50, 90, 99, 100):
        yield f"  {percent:3} %: {shares[min(len(shares) - 1, len(shares) * percent // 100)]:.3f}"
    counts = Counter(min(int(share * 10), 10) for share in shares)
    yield "  " + "  ".join(f"{tenth / 10:.1f}: {counts[tenth]}" for tenth in range(11))


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000, help="how many (default a million)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same slaps (default 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="emulators at a time")
    options = parser.parse_args()
    build()
    if options.jobs > 1:
        sys.exit(_in_parts(options.pairs, options.seed, options.jobs))
    begin_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tally = measure(options.pairs, Random(options.seed), Path(folder))
    print("\n".join(_lines(tally)))
    print(f"{time.monotonic() - begin_s:.0f} s")
    sys.exit(not tally.is_right)


def _in_parts(pairs: int, seed: int, jobs: int) -> int:
    """Each part prints its own figures."""
    command = [sys.executable, "-m", "tests.benchmarks.bench_slaps", "--jobs", "1", "--pairs", str(-(-pairs // jobs))]
    running = [subprocess.Popen([*command, "--seed", str(seed + part)]) for part in range(jobs)]
    return max(part.wait() for part in running)


if __name__ == "__main__":
    _main()
