"""`pizzatable tidy`: room on the disk of a table's journal."""

import os
import sys
from pathlib import Path

import click

from config.counted import counted
from config.errors import ConfigError
from config.loader import load_table, table_files
from controller.cli.common import EXISTING_FILE, RECOVER, NamedPath, overridden, told
from controller.journal import JournalDamaged, JournalError, JournalInUse
from controller.journal_recovery import damaged_beside
from controller.journal_tidy import Pictures, forget_pictures, pictures_of


@click.command(epilog="Example:  pizzatable tidy --config my-table.toml --keep 5")
@click.option(
    "--config", "config_file", type=EXISTING_FILE, help="This table's settings (TOML), laid over the defaults."
)
@click.option("--data", type=NamedPath(file_okay=False), help="The table's folder, where `run` was given it.")
@click.option(
    "--keep",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Pictures of so many games stay, the last ones; 0: of none.",
)
@click.option("--yes", is_flag=True, help="Do not ask before.")
def command(config_file: Path | None, data: Path | None, keep: int, yes: bool) -> None:
    """Delete the pictures that moves of older games were read from, from the journal of a table that does not run.

    Most of what a journal takes on the disk are pictures. Moves, scores, results, and what was refused and ruled stay,
    of all games. What goes is said before, and asked about.
    """
    with told(ConfigError):
        config = overridden(load_table(table_files(config_file, os.environ)), None, data)
    path = config.data_dir / "journal.sqlite"
    with told(JournalError, OSError):
        _tidy(path, keep, yes)
    for file in damaged_beside(path):
        click.echo(
            f"{file} takes {_size(file.stat().st_size)} more: a damaged journal, of which what could be read is in the "
            "present one. Delete it if nobody needs its pictures."
        )


def _tidy(path: Path, keep: int, yes: bool) -> None:
    pictures = _pictures(path, keep)
    has = f"{path}: {counted(pictures.games, 'game')}, {_size(pictures.file_bytes)}"
    if not pictures.going:
        click.echo(f"{has}. There are no pictures of games before the last {keep}." if keep else f"{has}. No pictures.")
        return
    click.echo(f"{has}, of which {_going(pictures)} {_size(pictures.going_bytes)}. These go; all else stays.")
    if not yes and not click.confirm("Delete them for good?"):
        click.echo("Nothing was deleted.")
        return
    stay = pictures.left_bytes
    with click.progressbar(length=stay, label="Writing", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        forget_pictures(path, pictures.before, bar.update)
    click.echo(f"{path}: {_size(path.stat().st_size)}")


def _going(pictures: Pictures) -> str:
    which = counted(pictures.going, "picture")
    return f"{which} of {counted(pictures.of_games, 'game')} take" if pictures.going > 1 else f"{which} takes"


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.1f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:.1f} MB"


def _pictures(path: Path, keep: int) -> Pictures:
    try:
        return pictures_of(path, keep)
    except JournalInUse as error:
        raise JournalInUse(f"{error}. End its table first (Ctrl+C, or `make not-at-boot`)") from error
    except JournalDamaged as error:
        raise JournalDamaged(f"{error}. {RECOVER}") from error
