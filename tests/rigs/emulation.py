"""Firmware and emulator for the tests: built when needed."""

import fcntl
import subprocess

from hardware.simulated.emulated_board import EMULATOR_SOURCE, FIRMWARE, missing_tools


class CannotEmulate(Exception):
    """The tools that build firmware and emulator are not there."""


def build() -> None:
    """Make firmware and emulator, if they are not current.

    Raises:
        CannotEmulate: avr-gcc, gcc or simavr are missing; `make firmware-tools` installs them.
    """
    if missing := missing_tools():
        raise CannotEmulate(f"{', '.join(missing)}: not installed; `make firmware-tools` does it")
    for folder in (FIRMWARE, EMULATOR_SOURCE):
        with (folder / "Makefile").open() as makefile:
            fcntl.flock(makefile, fcntl.LOCK_EX)  # tests run in several processes
            subprocess.run(["make", "-s", "-C", str(folder)], check=True, capture_output=True, text=True)
