"""The table left on for hours: whether its processes take ever more memory, threads or open files. `make soak`.

The real service with its simulated table plays one game after another, faster than people do, while displays come and
go. Every half minute each process is looked at. What the last quarter of the time takes more than the second, beyond
ALLOWED, counts as growing; the first quarter is for caches to fill.
"""

import argparse
import contextlib
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from random import Random
from statistics import mean

from controller.games.registry import game_names
from tests.rigs.running import Service, Spectator

EVERY_S = 30.0
STAY, COME_AND_GO = 2, 4
"""Displays."""
STAYS_S = (5.0, 90.0)
"""How long one of those that come and go stays."""
SETTINGS = """
[lan]
host = "127.0.0.1"
announce = false
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a process takes at one moment."""

    memory_mb: float
    """Its own, and its share of what it has in common with others (PSS)."""
    threads: float
    files: float
    """That it has open."""


ALLOWED = Taken(memory_mb=12.0, threads=2.0, files=4.0)
"""Displays come and go, and games differ: so much more may be taken by chance."""


def taken_by(pid: int) -> Taken | None:
    """By a process, as Linux tells; None where it is gone."""
    of = Path(f"/proc/{pid}")
    with contextlib.suppress(OSError):
        sizes = dict(line.split(":", 1) for line in (of / "smaps_rollup").read_text().splitlines()[1:])
        memory_mb = int(sizes["Pss"].split()[0]) / 1024
        return Taken(memory_mb, len(list((of / "task").iterdir())), len(list((of / "fd").iterdir())))
    return None


def growing(samples: Sequence[Taken], allowed: Taken = ALLOWED) -> list[str]:
    """What grows: of each measure that does, what it was and what it is."""
    quarter = len(samples) // 4
    if not quarter:
        return []
    told = []
    for index, field in enumerate(fields(Taken)):
        before, after = (
            mean(astuple(sample)[index] for sample in part)
            for part in (samples[quarter : 2 * quarter], samples[-quarter:])
        )
        if after - before > astuple(allowed)[index]:
            told.append(f"{field.name} {before:.0f}, later {after:.0f}")
    return told


def soak(
    service: Service, minutes: float, tell: Callable[[str], None], every_s: float = EVERY_S
) -> dict[str, list[Taken]]:
    """What each process took, by its name, moment by moment.

    Raises:
        TimeoutError: the table is not there.
    """
    samples: dict[str, list[Taken]] = {}
    service.start_and_look(120.0)
    begun, rng = time.monotonic(), Random(1)
    with ExitStack() as displays:
        for _ in range(STAY):
            displays.callback(Spectator(service.port).close)
        guests: list[tuple[float, Spectator]] = []
        while (now := time.monotonic() - begun) < 60.0 * minutes:
            for leaves_s, guest in [one for one in guests if one[0] < now]:
                guests.remove((leaves_s, guest))
                guest.close()
            while len(guests) < COME_AND_GO:
                guests.append((now + rng.uniform(*STAYS_S), Spectator(service.port)))
            view = service.look()
            if view is None:
                raise TimeoutError(f"the table is gone after {now / 60:.1f} minutes; log:\n{service.log.read_text()}")
            named = {"main": service.pid, "vision": service.vision(), "people": service.people()}
            moment = {name: taken for name, pid in named.items() if pid and (taken := taken_by(pid))}
            for name, taken in moment.items():
                samples.setdefault(name, []).append(taken)
            kept_mb = sum(file.stat().st_size for file in service.data.glob("journal.sqlite*")) / 1e6
            tell(f"{now / 60:6.1f} min  {_told(moment)}  journal {kept_mb:.0f} MB")
            time.sleep(every_s)
        for _, guest in guests:
            guest.close()
    return samples


def _told(moment: dict[str, Taken]) -> str:
    return ", ".join(
        f"{name} {taken.memory_mb:.0f} MB, {taken.threads:.0f} threads, {taken.files:.0f} files"
        for name, taken in moment.items()
    )


def main(arguments: Sequence[str]) -> int:
    """Print what was taken each half minute; 1 where something grows."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Example:  python -m tests.rigs.soak --minutes 90 --game slice",
    )
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--game", choices=sorted(game_names()), default="new_york_slice")
    parser.add_argument("--speed", type=float, default=3.0, help="how fast the simulated players' hands are")
    options = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="pizzatable-soak-"))
    service = Service(folder, "--game", options.game, "--speed", str(options.speed), settings=SETTINGS)
    try:
        samples = soak(service, options.minutes, lambda line: print(line, flush=True))
    finally:
        service.end()
        shutil.rmtree(folder)
    grown = {name: told for name, taken in samples.items() if (told := growing(taken))}
    for name, told in grown.items():
        print(f"{name} grows: {'; '.join(told)}")
    if not grown:
        print("nothing grows")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
