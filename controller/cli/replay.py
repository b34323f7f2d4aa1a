"""`pizzatable replay`: a recorded game, turn by turn."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from controller.cli.common import EXISTING_FILE, RECOVER, NamedPath, told, writing
from controller.game import Actor, GameError, Player, Score
from controller.journal import JournalDamaged, JournalError, JournalInUse, read_journal
from controller.records.journalled import record_of
from controller.records.loading import Replay, Step, decode_text, load_record
from controller.records.record import LONGEST_RECORD, MoveLine, Record, format_record


@click.command(epilog="Example:  pizzatable replay --until 20 friday.game")
@click.argument("record", required=False, type=EXISTING_FILE)
@click.option("--until", type=click.IntRange(0), help="Stop after this move, as it was made in the end; 0: the start.")
@click.option("--journal", type=EXISTING_FILE, help="Take the game from a table's journal.sqlite instead of a record.")
@click.option(
    "--game", "number", type=click.IntRange(1), help="Which game of the journal, from 1; without it the last."
)
@click.option(
    "--write",
    type=NamedPath(dir_okay=False),
    help='Write the game as a tidy record to this file, "-" for the screen, instead of telling it.',
)
def command(
    record: Path | None, until: int | None, journal: Path | None, number: int | None, write: Path | None
) -> None:
    """Print a recorded game turn by turn, then its score. Every move is checked by the rules again."""
    if number is not None and journal is None:
        raise click.UsageError("--game needs --journal")
    with told(GameError, JournalError, OSError):
        if journal is not None and record is None:
            replay = _from_journal(journal, number)
        elif record is not None and journal is None:
            replay = _load(record)
        else:
            raise click.UsageError("expected either a RECORD or --journal")
        if write is not None:
            _write(write, replay.record)
    if write is None:
        for line in told_lines(replay, until):
            click.echo(line)


def told_lines(replay: Replay, until: int | None = None) -> Iterator[str]:
    """The game turn by turn up to move `until`, then where it stands and its score. Raises click.UsageError for a move
    that there is not."""
    steps = _steps_until(replay, until)
    header, engine = replay.record.header, replay.engine
    names = [_name(replay, player) for player in range(1, header.players + 1)]
    yield f"{engine.title}, {header.players} players: {', '.join(names)}"
    yield from (f"{name}: {text}" for name, text in header.notes.items())
    yield from (f"Option {name}: {value}" for name, value in header.options.items())
    if replay.other_components:
        yield "The game was played with other components than the program knows now."
    yield from (f"    {{{_named(replay, comment)}}}" for comment in replay.record.comments)
    yield ""
    state = replay.start
    for step in steps:
        if isinstance(step.line, MoveLine):
            yield f"        {_prompt(replay, state)}"
            yield f"{step.number:>5}{step.line.source.value} {step.line.text}"
        else:
            yield f"      back to before move {step.number}"
        yield from (f"        {{{_named(replay, comment)}}}" for comment in step.line.comments)
        state = step.state
    yield f"        {_prompt(replay, state)}"
    yield ""
    yield from _score_lines(replay, state, names)


def _steps_until(replay: Replay, until: int | None) -> tuple[Step, ...]:
    if until is None:
        return replay.steps
    made = [index for index, step in enumerate(replay.steps) if step.number == until and step.move is not None]
    if until and not made:
        last = max((step.number for step in replay.steps), default=0)
        raise click.UsageError(f"--until {until}: the game has the moves 1 to {last}")
    return replay.steps[: made[-1] + 1] if until else ()


def _score_lines(replay: Replay, state: Any, names: Sequence[str]) -> Iterator[str]:
    """A column for each player, a row for each line of the score sheets."""
    sheets = replay.engine.score(state)
    labels = dict.fromkeys(line.label for sheet in sheets for line in sheet.lines)
    rows = [[label, *(_points(sheet, label) for sheet in sheets)] for label in labels]
    rows = [["", *names], *rows, ["total", *(str(sheet.total) for sheet in sheets)]]
    winners = replay.engine.winners(state)
    if {sheet.total for sheet in sheets if sheet.player not in winners} & {sheets[one - 1].total for one in winners}:
        rows.append(["decides the tie", *(" ".join(map(str, sheet.tie_break)) for sheet in sheets)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(names) + 1)]
    for label, *cells in rows:
        columns = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        yield "  ".join((label.ljust(widths[0]), *columns)).rstrip()
    if replay.engine.turn(state).actor is Actor.NOBODY:
        yield f"won by {' and '.join(names[winner - 1] for winner in winners) or 'nobody'}"


def _points(sheet: Score, label: str) -> str:
    found = [line.points for line in sheet.lines if line.label == label]
    return str(sum(found)) if found else ""


def _prompt(replay: Replay, state: Any) -> str:
    """Whose turn it is, with the players' names."""
    return _named(replay, replay.engine.turn(state).prompt)


def _named(replay: Replay, text: str) -> str:
    """With the players' names, where they have any."""
    if not replay.record.header.names:
        return text
    return re.sub(r"[Pp]layer (\d+)", lambda found: _name(replay, int(found[1])), text)


def _name(replay: Replay, player: Player) -> str:
    names = replay.record.header.names
    return names[player - 1] if player <= len(names) else f"Player {player}"


def _load(path: Path) -> Replay:
    with path.open("rb") as file:
        # No more than could be a record, in bytes; what is longer is refused by its characters.
        return load_record(decode_text(file.read(4 * LONGEST_RECORD + 4)))


def _from_journal(path: Path, number: int | None) -> Replay:
    try:
        records = read_journal(path) or []
    except JournalInUse as error:
        raise JournalInUse(f"{error}. If its table runs, the page /results at its address tells each game") from error
    except JournalDamaged as error:
        raise JournalDamaged(f"{error}. {RECOVER}") from error
    return load_record(format_record(record_of(records, number)))


def _write(path: Path, record: Record) -> None:
    text = format_record(record)
    if str(path) == "-":
        click.echo(text, nl=False)
    else:
        with writing(path, "a file that can be written"):
            path.write_text(text, encoding="utf-8")
