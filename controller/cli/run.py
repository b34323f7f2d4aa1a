"""`pizzatable run`: watch a table and serve its display."""

import asyncio
import contextlib
import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from config.errors import ConfigError
from config.loader import load_table, table_files
from config.schema import TableConfig
from controller.choosing import Choice, Shelf
from controller.cli.common import EXISTING_FILE, FiniteRange, NamedPath, game_options, overridden, told
from controller.game import GameError
from controller.games.registry import games_with, load_game

TOLD_S = 30.0
"""For so long why an unattended table cannot start is said on its address; then it is started again."""
PEOPLES = ("players", "speed", "mistakes", "seed")
"""Options that say how simulated people play."""


@click.command(epilog="Example:  pizzatable run --config my-table.toml --port 9000")
@click.option(
    "--config", "config_file", type=EXISTING_FILE, help="This table's settings (TOML), laid over the defaults."
)
@click.option("--port", type=click.IntRange(0, 65535), help="The display's TCP port; 0 takes any free one.")
@click.option("--data", type=NamedPath(file_okay=False), help="The folder for the journal.")
@click.option("--game", type=click.Choice(games_with("table")), help="The game, where it is not that of the settings.")
@click.option(
    "--option",
    "options",
    multiple=True,
    callback=game_options,
    help="An option of the game, such as advanced=true; may be repeated.",
)
@click.option("--fresh", is_flag=True, help="Begin a new game instead of resuming the one in the journal.")
@click.option(
    "--players",
    type=click.IntRange(2, 6),
    help="Simulated players: 4, or as many as the game takes.",
)
@click.option(
    "--speed",
    type=FiniteRange(0.1, 100),
    default=1.0,
    show_default=True,
    help="How fast the simulated players' hands are: 1 as people's, 4 four times as fast.",
)
@click.option(
    "--mistakes",
    type=FiniteRange(0, 1),
    default=0.05,
    show_default=True,
    help="How often the simulated players break a rule on purpose before a play.",
)
@click.option("--seed", type=click.IntRange(0), help="The same players again: what they do follows from it.")
@click.option(
    "--unattended",
    is_flag=True,
    help="Where it cannot start, say why on the display's address before it ends: for whatever starts it again.",
)
def command(
    config_file: Path | None,
    port: int | None,
    data: Path | None,
    game: str | None,
    options: dict[str, Any],
    fresh: bool,
    players: int | None,
    speed: float,
    mistakes: float,
    seed: int | None,
    unattended: bool,
) -> None:
    """Watch a table, judge its moves and show the game on the LAN, until Ctrl+C.

    Without settings the table is simulated and plays by itself, one game after another. Whatever ends the program, the
    next start with the same options goes on with the same game; but where you end it, simulated people go home, and the
    next start begins another. What the host chooses on the page is played at the next start, too, unless the settings
    were changed or --game or --option say otherwise.
    """
    config: TableConfig | None = None
    while True:
        try:
            with told(ConfigError, GameError):
                files = table_files(config_file, os.environ)
                config = overridden(load_table(files), port, data)
                shelf = Shelf(config, players, config_file)
            _run(shelf, files, game, options, fresh=fresh, speed=speed, mistakes=mistakes, seed=seed)
            return
        except click.ClickException as error:
            if not unattended:
                raise
            error.show()
            _tell_until_game_is_left(error, overridden(config or load_table(), port, data))
            fresh = True


def _tell_until_game_is_left(error: click.ClickException, config: TableConfig) -> None:
    """Say on the display's address why the table does not start, until its host leaves the game that is in the way.

    Raises:
        click.exceptions.Exit: somebody ended it, or it was said for long enough.
    """
    from controller.service import GameInTheWay
    from controller.web.not_started import Then, tell_not_started
    from controller.web.server import ServerError

    token = error.__cause__.host_token if isinstance(error.__cause__, GameInTheWay) else None
    then = Then.TRY_AGAIN
    with contextlib.suppress(ServerError):  # it may be what is the matter
        then = asyncio.run(tell_not_started(error.message, config.lan.host, config.lan.port, TOLD_S, token))
    if then is not Then.LEAVE_GAME:
        raise click.exceptions.Exit(0 if then is Then.END else error.exit_code)
    click.echo("The host left that game: begun anew.")


def _run(
    shelf: Shelf,
    files: Sequence[Path],
    game: str | None,
    options: Mapping[str, Any],
    *,
    fresh: bool,
    speed: float,
    mistakes: float,
    seed: int | None,
) -> None:
    """Raises click.ClickException where it cannot start or go on."""
    with told(GameError):
        named = game is not None or bool(options)
        kept = None if named else shelf.kept()
        choice = shelf.checked(shelf.usual(game, options)) if named else kept or _of_settings(shelf, files)
    given = click.get_current_context()
    for_people = [name for name in PEOPLES if given.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if for_people and not shelf.simulated:
        said = ", ".join(f"--{name}" for name in for_people)
        click.echo(
            f"{said}: of no use here, as this table's camera sees people; who plays is said at the table", err=True
        )
    why = f"{load_game(choice.game).title} is played, {_why(shelf, game, options, chosen=kept is not None)}."
    from controller.service import ServiceError, run_service
    from controller.simulation.gathering import Gathering

    seed = secrets.randbelow(1_000_000) if seed is None else seed
    with told(ServiceError):
        gathering = Gathering(choice.players or 0, seed, speed, mistakes)
        run_service(shelf, choice, gathering, fresh=fresh, named=named, why=why)


def _why(shelf: Shelf, game: str | None, options: Mapping[str, Any], *, chosen: bool) -> str:
    """Why it is played, and how another would be."""
    if chosen:
        return "as the host chose on the page; --game plays another"
    if game is not None and game != shelf.usual().game:
        return f"as --game says; without it {shelf.usual().game} is, by the settings"
    return "with --option for this start alone" if options else "by the settings"


def _of_settings(shelf: Shelf, files: Sequence[Path]) -> Choice:
    """The settings' game. Raises GameError, which says where the game, or its options, stand."""
    with shelf.placed(files):
        return shelf.checked(shelf.usual())
