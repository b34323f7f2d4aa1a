"""The board's own ELF in an emulator (simavr): started, driven pin by pin, switched off.

Emulator and ELF are built by make; simavr is GPL and no dependency: where it is missing there is no board.
"""

import contextlib
import subprocess
from pathlib import Path
from types import TracebackType
from typing import IO, Self

FIRMWARE = Path(__file__).parents[1] / "firmware"
ELF = FIRMWARE / "build" / "pizzatable.elf"
EMULATOR_SOURCE = Path(__file__).parent / "emulator"
EMULATOR = EMULATOR_SOURCE / "build" / "emulator"
HERTZ = 16_000_000
CYCLES_PER_TICK = 8


class EmulatorError(Exception):
    """Root of what an emulated board fails with."""


class BoardGone(EmulatorError, ConnectionError):
    """The emulator has ended or cannot be started."""


class WrongAnswer(EmulatorError, ValueError):
    """The emulator refused a command, or said something else than expected."""


def missing_tools() -> list[str]:
    """The Debian packages that building firmware and emulator needs and that are not there. Starts compilers."""
    needed = {
        "gcc-avr": _runs("avr-gcc", "--version"),
        "avr-libc": _compiles("avr-gcc", "-mmcu=atmega2560", "avr/io.h"),
        "libsimavr-dev": _compiles("gcc", "-O0", "simavr/sim_avr.h"),
        "libelf-dev": _compiles("gcc", "-O0", "libelf.h"),
    }
    return [package for package, found in needed.items() if not found]


def why_not_emulated() -> str:
    """Why no board can be emulated here, for people; empty where one can. May start compilers."""
    if EMULATOR.exists() and ELF.exists():
        return ""
    missing = missing_tools()
    if "libsimavr-dev" in missing:
        return "simavr is not installed (`make firmware-tools`)"
    if missing:
        return f"not installed: {', '.join(missing)} (`make firmware-tools`)"
    return "its firmware is not built (`make emulated-board`)"


class EmulatedBoard:
    """A running board. Closing twice is fine.

    `free`: time stands still but for `until`; else it is real time.
    """

    def __init__(self, link: Path, *, free: bool = False, loader: bool = False, boots: int = 0xFFFF) -> None:
        """`link` becomes a symbolic link to the board's serial port; `boots` is what its EEPROM counts (erased:
        0xFFFF); `loader`: it is behind a boot loader, which clears the cause of a reset.

        Raises:
            BoardGone: the emulator does not start.
        """
        self.port = link
        options = [f"boots={boots}", *(["free"] if free else []), *(["loader"] if loader else [])]
        try:
            self._process = subprocess.Popen(
                [str(EMULATOR), str(ELF), str(link), *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        except OSError as error:
            raise BoardGone(f"{EMULATOR} does not start: {error}") from error
        try:
            self._expect("ready")
        except EmulatorError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The emulator's process."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended by itself."""
        return self._process.poll() is None

    # Each raises BoardGone when the emulator has ended, and WrongAnswer when it does not take the command.

    def edge(self, cycle: int, pin: str, level: int) -> None:
        """Let a pin such as "K0" change at a cycle, or at once if it is over."""
        self._ask(f"edge {cycle} {pin} {level}", "ok")

    def edges(self, edges: list[tuple[int, str, int]]) -> None:
        """Many at once."""
        self._write("".join(f"edge {cycle} {pin} {level}\n" for cycle, pin, level in edges))
        for _ in edges:
            self._expect("ok")

    def soon(self, edges: list[tuple[int, str, int]]) -> None:
        """Some edges so many cycles from now: what is between them does not depend on how soon this is read."""
        self._ask(" ".join(("soon", *(f"{cycles} {pin} {level}" for cycles, pin, level in edges))), "ok")

    def bridge(self, pin: str, other: str) -> None:
        """Let two pins of one port touch, from now on."""
        self._ask(f"bridge {pin} {other}", "ok")

    def now(self) -> tuple[int, int]:
        """The cycle counter, and the monotonic clock's nanoseconds."""
        cycle, nanoseconds = self._ask("now", "now ").split()
        return int(cycle), int(nanoseconds)

    def until(self, cycle: int, *, said: bool = False) -> int:
        """Free time runs to that cycle, with `said` only until the board has said something; where it stopped."""
        return int(self._ask(f"until {cycle}{' said' if said else ''}", "now ").split()[0])

    def fired(self) -> list[int]:
        """Cycles at which the edges came since the last time this was asked."""
        return [int(cycle) for cycle in self._ask("fired", "fired").split()]

    def level(self, pin: str) -> int:
        """What is on a pin."""
        return int(self._ask(f"level {pin}", "level "))

    def masked(self) -> int:
        """The longest time without interrupts since the last time this was asked, in cycles."""
        return int(self._ask("masked", "masked "))

    def late_s(self) -> float:
        """By how much the board's clock was behind real time at most, as the machine had other things to do."""
        return int(self._ask("late", "late ")) / HERTZ

    def do(self, what: str) -> None:
        """reset, power, hang, unplug or plug."""
        self._ask(what, "ok")

    def close(self) -> None:
        """Switch it off."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._remove_name()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None and not stream.closed:
                _close_quietly(stream)

    def _remove_name(self) -> None:
        """Unless another board has it by now."""
        with contextlib.suppress(OSError):
            if self.port.readlink().is_relative_to(f"/proc/{self.pid}"):
                self.port.unlink()

    def _ask(self, line: str, answer: str) -> str:
        self._write(f"{line}\n")
        return self._expect(answer)

    def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text)
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # ValueError: switched off
            raise BoardGone(f"the emulator has ended: {error}") from error

    def _expect(self, beginning: str) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise BoardGone(f"the emulator has ended (exit code {self._process.poll()})")
        if not line.startswith(beginning):
            raise WrongAnswer(f"the emulator says {line!r}: expected {beginning!r}")
        return line.removeprefix(beginning)


def _close_quietly(stream: IO[str]) -> None:
    """What was still to be written to a process that has ended is lost with it."""
    with contextlib.suppress(BrokenPipeError):
        stream.close()


def _runs(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def _compiles(compiler: str, option: str, header: str) -> bool:
    text = f"#include <stdint.h>\n#include <stddef.h>\n#include <{header}>\n"
    try:
        done = subprocess.run(
            [compiler, option, "-fsyntax-only", "-x", "c", "-"], input=text, text=True, capture_output=True
        )
    except FileNotFoundError:
        return False
    return done.returncode == 0
