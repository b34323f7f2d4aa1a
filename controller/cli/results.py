"""`pizzatable results`: how the games of one or several tables ended."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import click

from config.counted import counted
from config.names import same_name, shown
from controller.asking_tables import TableNotAsked, ask_results, by_clock, parse_address
from controller.cli.common import RECOVER, named_tables, since_option
from controller.journal import JournalDamaged, JournalError, JournalInUse, read_journal
from controller.records.results import Results, counted_once, is_of_event, standings
from controller.records.spreadsheet import csv_lines, local_time
from controller.views import GameResultView


class SourceError(Exception):
    """A table or journal that cannot be asked; the message names it and says why."""


@click.command(epilog="Example:  pizzatable results --csv http://table1.local:8080 http://table2.local:8080 > day.csv")
@click.argument("sources", metavar="TABLE...", nargs=-1, required=True, callback=named_tables)
@click.option("--csv", "as_csv", is_flag=True, help="A line for each player of each game, for a spreadsheet.")
@since_option
@click.option("--event", help="Only games that count for this event, by the tables' settings.")
@click.pass_context
def command(
    ctx: click.Context, sources: tuple[str, ...], as_csv: bool, since: datetime | None, event: str | None
) -> None:
    """Print the games of tables, how they ended, and who won how many.

    Each TABLE is the address of one that runs, such as http://192.168.1.20:8080, or the journal.sqlite of one that does
    not. The exit status is 1 where one of them cannot be asked; the others are printed.
    """
    told: dict[str, list[GameResultView]] = {}
    known: dict[str, str] = {}
    failed = False
    for source in dict.fromkeys(sources):
        try:
            identity, games = _games(source)
        except SourceError as error:
            failed = True
            click.echo(f"Error: {error}", err=True)
            continue
        if identity in known:
            click.echo(f"{source} is the table of {known[identity]}: its games are counted once", err=True)
        else:
            known[identity], told[source] = source, games
    if not told:
        ctx.exit(1)
    for (source, of_source), once in zip(told.items(), counted_once(list(told.values())), strict=True):
        if copied := len(of_source) - len(once):
            again = f"{counted(copied, 'game')} of another table, whose folder was copied: each is counted once"
            click.echo(f"{source} has {again}", err=True)
        told[source] = once
    everything = _told_apart(told)
    games = [game for game in everything if event is None or is_of_event(game, event)]
    if everything and not games:
        named = {same_name(game.event): repr(game.event) for game in everything if game.event}
        said = ", ".join(sorted(named.values())) or "none"
        click.echo(f"No game is of the event {event!r}; their tables' settings say {said}", err=True)
    games = [game for game in games if since is None or local_time(game.began) >= since]
    games.sort(key=lambda game: (game.began, game.table))
    for line in csv_lines(games) if as_csv else told_lines(games):
        click.echo(shown(line))
    ctx.exit(1 if failed else 0)


def told_lines(games: Sequence[GameResultView]) -> Iterator[str]:
    """A line for each game, with its number in its journal, then the standings of the games that are over."""
    for game in games:
        times = f"{local_time(game.began):%a %H:%M}-{local_time(game.ended):%H:%M}"
        where = f"{game.table}, game {game.number}" if game.table else f"Game {game.number}"
        yield f"{times}  {where}  {game.titled}: {_outcome(game)}"
    best = standings(games)
    yield ""
    yield f"Games over: {sum(game.over for game in games)} of {len(games)}"
    digits = max((len(str(one.rank)) for one in best), default=0)
    width = max((len(one.name) for one in best), default=0)
    for one in best:
        yield f"{one.rank:{digits}}. {one.name.ljust(width)}  won {one.won} of {one.played}"


def _outcome(game: GameResultView) -> str:
    if game.problem:
        return f"cannot be told: {game.problem}"
    points = [player.total if game.over else player.so_far for player in game.players]
    players = ", ".join(
        player.name if total is None else f"{player.name} {total}{' won' if player.won else ''}"
        for player, total in zip(game.players, points, strict=True)
    )
    return f"{players}{f' ({game.doubt})' if game.doubt else ''}" if game.over else f"{players}: not over"


def _games(source: str) -> tuple[str, list[GameResultView]]:
    """The games, and by what it is told that another source has the same. Raises SourceError."""
    if "://" in source:
        try:
            results = ask_results(source)
            games = [by_clock(game, datetime.now(UTC)) for game in results.games]
            return results.identity or parse_address(source), games
        except TableNotAsked as error:
            raise SourceError(str(error)) from error
    if not Path(source).is_file():
        raise SourceError(f"{source}: expected a journal.sqlite, or a table's address such as http://192.168.1.20:8080")
    try:
        records = read_journal(Path(source)) or []
        return str(Path(source).resolve()), Results(lambda after: records[after:]).read().games
    except JournalInUse as error:
        raise SourceError(f"{error}. If its table runs, give that table's address instead.") from error
    except JournalDamaged as error:
        raise SourceError(f"{error}. {RECOVER}") from error
    except JournalError as error:
        raise SourceError(str(error)) from error


def _told_apart(told: Mapping[str, Sequence[GameResultView]]) -> list[GameResultView]:
    """The games of all sources; where two have a table of the same name, with where each was asked."""
    where: dict[str, set[str]] = {}
    for source, games in told.items():
        for game in games:
            where.setdefault(game.table, set()).add(source)
    return [
        game.model_copy(update={"table": f"{game.table} ({_short(source)})".lstrip()})
        if len(where[game.table]) > 1
        else game
        for source, games in told.items()
        for game in games
    ]


def _short(source: str) -> str:
    """An address without what all have."""
    return urlsplit(source).netloc if "://" in source else source
