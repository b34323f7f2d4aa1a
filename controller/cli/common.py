"""What several commands share: reading files that were named, errors for people, the game's option.

OpenCV is imported where pictures are read or written: not every command has pictures, and it takes its time.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from controller.games.registry import games_with
from controller.strict_json import parse_json

if TYPE_CHECKING:
    from vision.frame import Image

EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

Command = TypeVar("Command", bound=Callable[..., Any])


class PhotoError(Exception):
    """A file is no picture that can be read."""


def game_option(command: Command) -> Command:
    """--game, one of those whose pieces can be read."""
    return click.option(
        "--game",
        required=True,
        type=click.Choice(games_with("describe")),
        help="The game whose pieces lie on the table.",
    )(command)


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
    """Turn expected errors into a message and exit status 1, without a traceback."""
    try:
        yield
    except errors as error:
        raise click.ClickException(_said(error)) from error


def _said(error: Exception) -> str:
    """An error as people read it: of the system's own, the file's name and what is wrong with it."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    return str(error)


@contextlib.contextmanager
def writing(path: Path, expected: str) -> Iterator[None]:
    """Turn what the system says against writing a file or folder into a message with its name and what was expected."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(
            f"{path}: cannot be written: {error.strerror or error}; expected {expected}"
        ) from error


def load_photo(path: Path) -> "Image":
    """The picture in a file. Raises PhotoError."""
    import cv2
    import numpy as np

    from vision.file_ends import is_cut_off

    try:
        content = path.read_bytes()
    except OSError as error:
        raise PhotoError(f"{path}: cannot be read: {error.strerror}") from error
    if is_cut_off(content):
        raise PhotoError(f"{path}: the file is cut off after {len(content)} bytes; expected a whole picture")
    image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if content else None
    if image is None:
        raise PhotoError(
            f"{path}: expected a picture such as JPEG or PNG, found {len(content)} bytes of something else"
        )
    return image.astype(np.uint8, copy=False)


def save_photo(path: Path, image: "Image") -> None:
    """Write a picture, in the format its name ends with. Raises PhotoError."""
    import cv2

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _, encoded = cv2.imencode(path.suffix, image)
        path.write_bytes(encoded.tobytes())
    except OSError as error:
        raise PhotoError(f"{path}: cannot be written: {error.strerror}") from error
