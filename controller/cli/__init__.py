"""The command `pizzatable`. Each command is a module of its own, imported when it is called."""

import errno
import os
import sys
from importlib import import_module
from typing import Any

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
    "replay",
    "referee",
    "components",
)

NOT_TAKEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EPIPE)
"""What the system says of output that nothing takes."""


class LazyCommands(click.Group):
    """Imports a command's module, which offers `command`, only when that command is asked for."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """The command line. What cannot be written to standard output is said in a line."""
        try:
            return super().main(*args, **extra)
        except OSError as error:  # those that a command expects, it tells itself
            if not is_of_standard_output(error):
                raise
            click.echo(f"Error: standard output cannot be written: {error.strerror}", err=True)
            raise SystemExit(1) from error
        finally:
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


def is_of_standard_output(error: OSError) -> bool:
    """Whether standard output cannot be written; of a file that cannot be, the name is said."""
    return error.filename is None and error.errno in NOT_TAKEN


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
