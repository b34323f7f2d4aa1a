"""The board's own ELF in the emulator: built when needed, started, driven pin by pin."""

import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[3]
FIRMWARE = ROOT / "hardware" / "firmware"
ELF = FIRMWARE / "build" / "pizzatable.elf"
EMULATOR = Path(__file__).parent / "build" / "emulator"
HERTZ = 16_000_000
CYCLES_PER_TICK = 8


class CannotEmulate(Exception):
    """The tools that build firmware and emulator are not there."""


def build() -> None:
    """Make firmware and emulator, if they are not current.

    Raises:
        CannotEmulate: avr-gcc, gcc or simavr are missing; `make firmware-tools` installs them.
    """
    missing = [
        what
        for what, found in (
            ("gcc-avr", _runs("avr-gcc", "--version")),
            ("avr-libc", _compiles("avr-gcc", "-mmcu=atmega2560", "avr/io.h")),
            ("libsimavr-dev and libelf-dev", _compiles("gcc", "-O0", "simavr/sim_elf.h", "libelf.h")),
        )
        if not found
    ]
    if missing:
        raise CannotEmulate(f"{', '.join(missing)}: not installed; `make firmware-tools` does it")
    for folder in (FIRMWARE, EMULATOR.parents[1]):
        subprocess.run(["make", "-s", "-C", str(folder)], check=True, capture_output=True, text=True)


class EmulatedBoard:
    """A running board. Closing twice is fine.

    `free`: time stands still but for `until`; else it is real time.
    """

    def __init__(self, link: Path, *, free: bool = False, boots: int = 0xFFFF, elf: Path = ELF) -> None:
        self.port = link
        options = [f"boots={boots}", *(["free"] if free else [])]
        self._process = subprocess.Popen(
            [str(EMULATOR), str(elf), str(link), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._expect("ready")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def edge(self, cycle: int, pin: str, level: int) -> None:
        """Let a pin such as "K0" change at a cycle, or at once if it is over."""
        self._ask(f"edge {cycle} {pin} {level}", "ok")

    def edges(self, edges: list[tuple[int, str, int]]) -> None:
        """Many at once."""
        self._write("".join(f"edge {cycle} {pin} {level}\n" for cycle, pin, level in edges))
        for _ in edges:
            self._expect("ok")

    def now(self) -> tuple[int, int]:
        """The cycle counter, and the monotonic clock's nanoseconds."""
        cycle, nanoseconds = self._ask("now", "now ").split()
        return int(cycle), int(nanoseconds)

    def until(self, cycle: int) -> int:
        """Free time runs to that cycle; the cycle it stopped at."""
        return int(self._ask(f"until {cycle}", "now ").split()[0])

    def fired(self) -> list[int]:
        """Cycles at which the edges came since the last time this was asked."""
        return [int(cycle) for cycle in self._ask("fired", "fired").split()]

    def level(self, pin: str) -> int:
        """What is on a pin."""
        return int(self._ask(f"level {pin}", "level "))

    def masked(self) -> int:
        """The longest time without interrupts since the last time this was asked, in cycles."""
        return int(self._ask("masked", "masked "))

    def do(self, what: str) -> None:
        """reset, power, hang, unplug or plug."""
        self._ask(what, "ok")

    def close(self) -> None:
        """Switch it off."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def _ask(self, line: str, answer: str) -> str:
        self._write(f"{line}\n")
        return self._expect(answer)

    def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text)
        self._process.stdin.flush()

    def _expect(self, beginning: str) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.startswith(beginning), f"the emulator says {line!r}: expected {beginning!r}"
        return line.removeprefix(beginning)


def _runs(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def _compiles(compiler: str, option: str, *headers: str) -> bool:
    text = "#include <stdint.h>\n#include <stddef.h>\n" + "".join(f"#include <{header}>\n" for header in headers)
    try:
        done = subprocess.run(
            [compiler, option, "-fsyntax-only", "-x", "c", "-"], input=text, text=True, capture_output=True
        )
    except FileNotFoundError:
        return False
    return done.returncode == 0
