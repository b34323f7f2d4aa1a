"""The command `pizzatable`. Each command is a module of its own, imported when it is called."""

import contextlib
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import IO, Any, TextIO, cast

import click

COMMANDS = (
    "run",
    "address",
    "doctor",
    "kit",
    "calibrate",
    "enrol",
    "read",
    "watch",
    "vision-report",
    "play",
    "results",
    "event",
    "tidy",
    "replay",
    "referee",
    "components",
)


class OutputRefused(OSError):
    """Standard output cannot be written. The system's own error says no name, as that of any file being written."""


class LazyCommands(click.Group):
    """Imports a command's module, which offers `command`, only when that command is asked for."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """The command line. What cannot be written to standard output is said in a line."""
        output = sys.stdout
        sys.stdout = cast(TextIO, _Output(output))
        try:
            return super().main(*args, **extra)
        except OutputRefused as error:
            click.echo(f"Error: standard output cannot be written: {error.strerror}", err=True)
            raise SystemExit(1) from error
        finally:
            sys.stdout = output
            _let_go_of_what_cannot_be_written()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order in which one needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name.replace('-', '_')}").command
        return command


class _Output:
    """A stream of standard output that raises OutputRefused for what it cannot write, and else is what it was."""

    def __init__(self, stream: IO[Any]) -> None:
        self._stream = stream

    def write(self, content: Any) -> int:
        with _refused():
            return self._stream.write(content)

    def flush(self) -> None:
        with _refused():
            self._stream.flush()

    @property
    def buffer(self) -> "_Output":
        """The bytes that the text becomes."""
        return _Output(cast(TextIO, self._stream).buffer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def _refused() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputRefused(error.errno, error.strerror) from error


def _let_go_of_what_cannot_be_written() -> None:
    """Python would try once more as it ends, and fail with a traceback."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.command(cls=LazyCommands, epilog="Example:  pizzatable run --port 9000")
@click.version_option(package_name="pizzatable")
def main() -> None:
    """Watch a game table, read the moves made with the real pieces, judge them, show the game on the LAN."""
