"""Since when the computer runs: a clock that never jumps, and which of its starts it counts from."""

import time
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def boot_clock() -> float:
    """Seconds since the computer was switched on, those that it slept too: nobody sets this clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def boot_id() -> str:
    """What tells this start of the computer from all others; empty where the kernel does not say."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""
