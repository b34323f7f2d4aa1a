"""Whether another process gets on with its work, as Linux tells it (proc(5))."""

import os
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_STATE, _UTIME, _STIME = 0, 11, 12
"""Of proc_pid_stat(5), counted from behind the name, which is in brackets and may hold anything."""
IDLE = 0.02
"""Who computed for no more than this share of a time, or two ticks of the clock, and does not wait for a core, did
nothing in it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What the main thread of a process has done so far."""

    cpu_s: float
    runnable: bool
    """It runs, or would if it were given a core."""


class Patience:
    """How long to wait for a process that should give a sign of life again and again.

    A busy machine lets it wait for long without being at fault. It hangs if it computes for `patience_s` without a
    word, or does nothing for as long.
    """

    def __init__(self, pid: int | None, patience_s: float) -> None:
        """Begin with the process's start."""
        self._pid = pid
        self.heard(patience_s)

    def heard(self, patience_s: float) -> None:
        """It gave a sign of life; the next is to come within `patience_s`."""
        self.patience_s = patience_s
        self.waited_s = 0.0
        """How long it has given none, in whole times of `patience_s`."""
        self._told = self._before = progress_of(self._pid)

    def ends(self) -> bool:
        """To be asked each time that it gave no sign of life for `patience_s`: whether none is to be expected."""
        now, before, told = progress_of(self._pid), self._before, self._told
        self.waited_s += self.patience_s
        self._before = now
        if now is None or before is None or told is None:
            return True
        little_s = max(IDLE * self.patience_s, 2 / _TICKS_PER_S)
        idle = now.cpu_s - before.cpu_s <= little_s and not now.runnable
        return idle or now.cpu_s - told.cpu_s >= self.patience_s


def progress_of(pid: int | None) -> Progress | None:
    """Of this process's main thread; None where it has gone, or the system does not say."""
    try:
        stat = Path(f"/proc/{pid}/task/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    cpu_s = (int(fields[_UTIME]) + int(fields[_STIME])) / _TICKS_PER_S
    return Progress(cpu_s, fields[_STATE] == "R")
