"""The command `pizzatable`. Each command is a module of its own, imported when it is called."""

from importlib import import_module

import click

COMMANDS = (
    "run",
    "doctor",
    "kit",
    "calibrate",
    "enrol",
    "read",
    "watch",
    "vision-report",
    "play",
    "replay",
    "referee",
    "components",
)


class LazyCommands(click.Group):
    """Imports a command's module, which offers `command`, only when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order in which one needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name.replace('-', '_')}").command
        return command


@click.command(cls=LazyCommands, epilog="Example:  pizzatable run --port 9000")
@click.version_option(package_name="pizzatable")
def main() -> None:
    """Watch a game table, read the moves made with the real pieces, judge them, show the game on the LAN."""
