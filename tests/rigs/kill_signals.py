"""Slaps at a table whose service is killed again and again: `make kill-signals`.

The board's own ELF in the emulator, in real time; the real service, on a disk as slow as a poor memory card, killed
with SIGKILL while bursts of slaps are on their way from pad to journal, and started again. Every edge is known. In the
end each slap must be in the journal once, in the order of the board's counter, each burst's verdict must be the true
one and written once, and nothing may ever have been shown that was not in the journal.
"""

import argparse
import contextlib
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np

from controller.journal import Journal, Record
from firmware_bridge.slaps import RESOLUTION_US
from hardware.simulated.emulated_board import CYCLES_PER_TICK, HERTZ, EmulatedBoard
from tests.rigs.emulation import build
from tests.rigs.running import SETTINGS, Patience, Service, Spectator

MS = HERTZ // 1000
SLOW_DISK_MS = 30
BURST_EVERY_S = (1.15, 1.6)
"""From one burst to the next: more than what belongs together."""
BURST_MS = 250
PATIENCE_S = 60.0
KILLED_WITHIN_S = (0.1, 0.1, 0.4)
"""After a burst's first edge was ordered, which comes 10 ms later."""
_KILLED_IN_BURST = 0.8
"""Of the kills; the others come at any time."""
_LAST_S = 3.0
"""After the last burst: by then its verdict is written."""


@dataclass(frozen=True, slots=True)
class Slap:
    """An edge of a pad."""

    seat: int
    cycle: int


@dataclass(slots=True)
class Outcome:
    """What was done, and what the journal has of it."""

    bursts: int = 0
    slaps: int = 0
    kills: int = 0
    in_flight_kills: int = 0
    """Kills at which some slap was not in the journal yet."""
    in_flight: int = 0
    """Slaps that some kill found on their way."""
    lost: int = 0
    doubled: int = 0
    disordered: int = 0
    overflowed: int = 0
    """Reported as lost by the board."""
    verdicts_wrong: int = 0
    verdicts_doubled: int = 0
    shown_unwritten: int = 0
    starts_s: list[float] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        """Whether nothing is lost, doubled or wrong."""
        wrong = self.lost + self.doubled + self.disordered + self.verdicts_wrong + self.verdicts_doubled
        return not (wrong + self.shown_unwritten + self.overflowed)


class Killing:
    """A table, its board, and what happened there."""

    def __init__(self, folder: Path, rng: Random) -> None:
        self._rng = rng
        self._board = EmulatedBoard(folder / "board")
        self._service = Service(folder, settings=_settings(folder), environment=_slow_disk(folder))
        self._bursts: list[list[Slap]] = []
        self._ordered: list[tuple[int, str, int]] = []
        """Edges of the last burst, by their order."""
        self._fired: list[int] = []
        self._next_s = 0.0
        self._kills_s: list[float] = []
        self._shown: set[tuple[int, tuple[int, ...]]] = set()
        self.outcome = Outcome()

    def run(self, kills: int) -> Outcome:
        """Kill it so often; what came of it.

        Raises:
            TimeoutError: the service does not come up.
        """
        spectator = Spectator(self._service.port, self._on_view)
        try:
            self._start()
            for _ in range(kills):
                self._live(self._rng.uniform(0.05, 1.5))
                if self._rng.random() < _KILLED_IN_BURST:
                    self._live_until_burst()
                    time.sleep(self._rng.uniform(0.0, self._rng.choice(KILLED_WITHIN_S)))
                self._service.kill()
                self._kills_s.append(time.monotonic())
                self._start()
            while not self._is_over():
                time.sleep(0.01)
            time.sleep(_LAST_S)
            spectator.close()
            self._service.send(15)
            self._service.wait(PATIENCE_S)
            with Journal(self._service.journal) as journal:
                self._compare(journal.records())
        finally:
            spectator.close()
            self._service.end()
            self._board.close()
        return self.outcome

    def _start(self) -> None:
        begun_s = time.monotonic()
        self._service.start()
        patience = Patience(PATIENCE_S, self._service.processes)
        while not self._is_ready():
            if not patience.lasts():
                raise TimeoutError(f"not ready: {self._service.log.read_text()[-2000:]}")
            self._slap()
            time.sleep(0.02)
        self.outcome.starts_s.append(time.monotonic() - begun_s)

    def _is_ready(self) -> bool:
        view = self._service.look()
        return view is not None and view["board"] is not None and view["board"]["link"] == "ready"

    def _live(self, seconds: float) -> None:
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            self._slap()
            time.sleep(0.01)

    def _live_until_burst(self) -> None:
        count = len(self._bursts)
        while len(self._bursts) == count:
            self._live(0.005)

    def _slap(self) -> None:
        """A burst, if it is time for one and the last is over, by the board's own time too."""
        if time.monotonic() < self._next_s or not self._is_over():
            return
        self._next_s = time.monotonic() + self._rng.uniform(*BURST_EVERY_S)
        rng = self._rng
        pads = rng.sample(range(8), rng.randint(1, 8))
        apart = round(BURST_EVERY_S[0] * HERTZ)
        begin = self._bursts[-1][0].cycle + apart - self._board.now()[0] if self._bursts else 0
        spread = rng.choice((MS, BURST_MS * MS))
        for pad in pads:
            at = max(begin, 10 * MS) + rng.randrange(spread)
            self._ordered += [(at, f"K{pad}", 0), (at + 15 * MS, f"K{pad}", 1)]
        self._ordered.sort()
        self._board.soon(self._ordered)
        self._bursts.append([])

    def _is_over(self) -> bool:
        """Whether all edges of the last burst have come; when they came, then."""
        self._fired += self._board.fired()
        if len(self._fired) < len(self._ordered):
            return False
        for cycle, (_, pin, level) in zip(self._fired, self._ordered, strict=True):
            if level == 0:
                self._bursts[-1].append(Slap(int(pin[1:]) + 1, cycle))
        self._ordered, self._fired = [], []
        return True

    def _on_view(self, view: Any) -> None:
        if view["board"] and view["board"]["slaps"]:
            slaps = view["board"]["slaps"]
            self._shown.add((slaps["number"], tuple(slaps["seats"])))

    # Comparing -----------------------------------------------------------------------------------------------------

    def _compare(self, records: list[Record]) -> None:
        outcome = self.outcome
        outcome.bursts, outcome.kills = len(self._bursts), len(self._kills_s)
        outcome.slaps = sum(map(len, self._bursts))
        signals = [record for record in records if record.kind == "signal"]
        outcome.overflowed = sum(one.data["number"] for one in signals if one.data["kind"] == "signals-lost")
        slaps = [one for one in signals if one.data["kind"] == "pad-pressed"]
        places = [(one.data["epoch"], one.data["sequence"]) for one in signals]
        outcome.doubled = len(places) - len(set(places))
        outcome.disordered = sum(a >= b for a, b in pairwise(places)) - outcome.doubled
        self._match(slaps)
        self._judge([record.data for record in records if record.kind == "slaps"], slaps)

    def _match(self, slaps: list[Record]) -> None:
        """Each edge with its record, by the board's counter."""
        edges = sorted((slap for burst in self._bursts for slap in burst), key=lambda slap: slap.cycle)
        found = {(one.data["seat"], one.data["ticks"]): one for one in slaps}
        counter_begun = _counter_begun(edges, slaps)
        offset_s = _offset_s(self._board)
        flying: set[int] = set()
        for edge in edges:
            record = _near(found, edge, counter_begun)
            if record is None:
                self.outcome.lost += 1
                continue
            edge_s = edge.cycle / HERTZ + offset_s
            hit = [number for number, kill_s in enumerate(self._kills_s) if edge_s < kill_s < record.monotonic_s]
            flying.update(hit)
            self.outcome.in_flight += bool(hit)
        self.outcome.in_flight_kills = len(flying)
        self.outcome.doubled += len(found) - (len(edges) - self.outcome.lost)

    def _judge(self, verdicts: list[Any], slaps: list[Record]) -> None:
        told = [(data["burst"], tuple(data["seats"])) for data in verdicts]
        self.outcome.verdicts_doubled = len(told) - len(set(told))
        last = {data["burst"]: data for data in verdicts}
        self.outcome.verdicts_wrong = abs(len(last) - len(self._bursts))
        for burst, number in zip(self._bursts, sorted(last), strict=False):
            self.outcome.verdicts_wrong += not _is_right(last[number], burst)
        written: dict[int, set[int]] = {}
        for one in slaps:
            written.setdefault(one.data["burst"], set()).add(one.data["seat"])
        self.outcome.shown_unwritten = sum(
            not set(seats) <= written.get(number, set()) for number, seats in self._shown
        )


def _counter_begun(edges: list[Slap], slaps: list[Record]) -> int:
    """The cycle, in ticks, at which the board's counter was 0: which fits most of the first slaps."""
    begun = Counter(
        (edge.cycle // CYCLES_PER_TICK - slap.data["ticks"]) // 100 * 100
        for edge in edges[:50]
        for slap in slaps[:50]
        if edge.seat == slap.data["seat"]
    )
    return begun.most_common(1)[0][0] if begun else 0


def _near(found: dict[tuple[int, int], Record], edge: Slap, counter_begun: int) -> Record | None:
    """The record of an edge: its seat, and stamped within 100 us."""
    ticks = edge.cycle // CYCLES_PER_TICK - counter_begun
    for near in range(ticks - 200, ticks + 200):
        if (edge.seat, near) in found:
            return found[edge.seat, near]
    return None


def _is_right(verdict: Any, burst: list[Slap]) -> bool:
    cycles = {slap.seat: slap.cycle for slap in burst}
    order = sorted(cycles, key=lambda seat: cycles[seat])
    if set(verdict["seats"]) != set(order):
        return False
    leader = cycles[order[0]]
    gaps_us = {seat: (cycles[seat] - leader) * 1e6 / HERTZ for seat in order}
    if any(gaps_us[seat] >= RESOLUTION_US for seat in verdict["first"]):
        return False
    return len(verdict["first"]) > 1 or verdict["first"] == order[:1]


def _offset_s(board: EmulatedBoard) -> float:
    """What the monotonic clock says when the board's cycle counter is 0."""
    cycle, nanoseconds = board.now()
    return nanoseconds / 1e9 - cycle / HERTZ


def _settings(folder: Path) -> str:
    """A camera that sees an empty table, so that the service has time for the board, and a game without faces."""
    pictures = folder / "pictures"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "1.png"), np.full((720, 1280, 3), 90, np.uint8))
    camera = SETTINGS.replace("[camera]", f'[camera]\ndriver = "opencv:{pictures}"').replace("rate = 8", "rate = 1")
    return f'game = "dice_and_slice"\n{camera}\n[serial]\nport = "{folder / "board"}"\n'


def _slow_disk(folder: Path) -> dict[str, str]:
    library = folder / "slow_disk.so"
    source = Path(__file__).with_name("slow_disk.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", str(library), str(source), "-ldl"], check=True)
    return {"LD_PRELOAD": str(library), "SLOW_DISK_MS": str(SLOW_DISK_MS)}


def kill(kills: int, rng: Random, folder: Path) -> Outcome:
    """Run the rig in a folder.

    Raises:
        TimeoutError: the service does not come up.
    """
    (folder / "table").mkdir()
    return Killing(folder / "table", rng).run(kills)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=300, help="how many (default 300, about half an hour)")
    parser.add_argument("--seed", type=int, default=1, help="for slaps and kills (default 1)")
    options = parser.parse_args()
    build()
    with tempfile.TemporaryDirectory(prefix="kill-signals-") as folder:
        found = kill(options.kills, Random(options.seed), Path(folder))
    starts_s = sorted(found.starts_s)
    sys.stdout.write(
        f"{found.slaps} slaps in {found.bursts} bursts, {found.kills} kills of the service; at "
        f"{found.in_flight_kills} of them {found.in_flight} slaps were on their way\n"
        f"lost {found.lost}, twice {found.doubled}, out of order {found.disordered}, no room on the board "
        f"{found.overflowed}; shown before they were written: {found.shown_unwritten}\n"
        f"verdicts: wrong or missing {found.verdicts_wrong}, written twice {found.verdicts_doubled}\n"
        f"from start to the board being heard: {starts_s[len(starts_s) // 2]:.1f} s (median), "
        f"{starts_s[-1]:.1f} s at most\n"
    )
    sys.exit(not found.is_good)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        _main()
