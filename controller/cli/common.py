"""What several commands share: files that were named, errors for people, the game's option."""

import contextlib
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from config.os_errors import in_words, reason
from config.schema import TableConfig
from controller.cli import OutputRefused
from controller.games.registry import games_with
from controller.strict_json import parse_json

RECOVER = "Starting its table (`pizzatable run`) recovers what can be read."
"""What to do with a damaged journal."""


class NamedPath(click.Path):
    """A path, which nothing, as of a variable that is not set, is not: it would mean the current folder."""

    def __init__(self, **checks: bool) -> None:
        super().__init__(path_type=Path, **checks)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Raises click.BadParameter."""
        if not os.fspath(value):
            self.fail('"" names nothing: expected a path, or "." for the current folder.', param, ctx)
        return super().convert(value, param, ctx)


EXISTING_FILE = NamedPath(exists=True, dir_okay=False)


class FiniteRange(click.FloatRange):
    """A number within bounds, which "nan" is not, though it lies beyond none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises click.BadParameter."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r}: expected a finite number.", param, ctx)
        return number


class _Day(click.DateTime):
    """A day, or a minute of it."""

    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d", "%Y-%m-%dT%H:%M"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """When it begins, by this machine's time zone. Raises click.BadParameter."""
        try:
            return super().convert(value, param, ctx).astimezone()
        except (click.BadParameter, ValueError, OverflowError):  # also before all calendars, and after
            self.fail(f"{value!r}: expected a day such as 2026-06-06, or with a time 2026-06-06T18:30.", param, ctx)


Command = TypeVar("Command", bound=Callable[..., Any])


def game_option(command: Command) -> Command:
    """--game, one of those whose pieces can be read."""
    return click.option(
        "--game",
        required=True,
        type=click.Choice(games_with("describe")),
        help="The game whose pieces lie on the table.",
    )(command)


def since_option(command: Command) -> Command:
    """--since, the day from which on games are told."""
    return click.option(
        "--since",
        metavar="DAY",
        type=_Day(),
        help="Leave out games begun before this, by this machine's time zone; also a time of a day: 2026-06-06T18:30.",
    )(command)


def overridden(config: TableConfig, port: int | None, data: Path | None) -> TableConfig:
    """The settings with those from the command line, where they were given."""
    if port is not None:
        config = config.model_copy(update={"lan": config.lan.model_copy(update={"port": port})})
    if data is not None:
        config = config.model_copy(update={"data_dir": data})
    return config


def named_tables(ctx: click.Context, param: click.Parameter, tables: tuple[str, ...]) -> tuple[str, ...]:
    """Tables by address or file, of which nothing, as of a variable that is not set, is none. For click."""
    if not all(table.strip() for table in tables):
        raise click.BadParameter('"" names no table: expected an address such as http://192.168.1.20:8080', ctx, param)
    return tables


def picture_file(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """A picture to write, whose name says its format. For click."""
    from vision.files.photos import ENDS

    if path is not None and path.suffix.lower() not in ENDS:
        raise click.BadParameter(f"{path}: expected a name that ends in {', '.join(ENDS)}", ctx, param)
    return path


def keep_what_is_read(written: Mapping[str, Path | None], read: Iterable[Path | None]) -> None:
    """Refuse to write over what is read: `written` are the files by what names them."""
    there = [path for path in read if path is not None and path.exists()]
    for named, path in written.items():
        same = [other for other in there if path is not None and path.exists() and path.samefile(other)]
        if same:
            also = "" if same[0] == path else f" (as {same[0]})"
            raise click.UsageError(f"{named} {path} is read, too{also}; expected another file to write")


def game_options(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> dict[str, Any]:
    """Options of a game, "advanced" or "advanced=true", as a mapping of names to values. For click."""
    options: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            options[name] = parse_json(value) if value else True
        except ValueError:
            expected = 'expected a name alone, or a name and a value such as "advanced=false"'
            raise click.BadParameter(f"{text[:60]!r}: {expected}", ctx, param) from None
    return options


@contextlib.contextmanager
def told(*errors: type[Exception]) -> Iterator[None]:
    """Turn expected errors into a message and exit status 1, without a traceback. What standard output says is left to
    the command line as a whole."""
    try:
        yield
    except OutputRefused:
        raise
    except errors as error:
        raise click.ClickException(in_words(error)) from error


@contextlib.contextmanager
def writing(path: Path, expected: str) -> Iterator[None]:
    """Turn what the system says against writing a file or folder into a message with its name and what was expected.
    What standard output says is left to the command line as a whole."""
    try:
        yield
    except OutputRefused:
        raise
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be written: {reason(error)}; expected {expected}") from error
