"""Games and how they ended, for a spreadsheet: a line of comma-separated values for each player of each game."""

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from datetime import datetime

from config.names import shown
from controller.views import GameResultView

COLUMNS = (
    *("table", "event", "number", "game", "began", "ended", "over"),
    *("seat", "name", "total", "won"),
    *("problem", "doubt", "so_far", "simulated"),
)
"""Fields of `GameResultView` and `PlayerResultView`; times are this computer's, as spreadsheets take them for times."""
TIMES = "began", "ended"


def csv_lines(games: Sequence[GameResultView]) -> Iterator[str]:
    """COLUMNS, then a line for each player of each game."""
    yield _csv_line(COLUMNS)
    for game in games:
        for player in game.players:
            own = {**game.model_dump(exclude={"players"}), **player.model_dump()}
            own |= {column: f"{local_time(own[column]):%Y-%m-%d %H:%M:%S}" for column in TIMES}
            yield _csv_line([_in_cell(own[column]) for column in COLUMNS])


def csv_file(games: Sequence[GameResultView]) -> bytes:
    """The same as a file, in UTF-8 with the mark by which spreadsheets know it; without it some take ü for Ã¼."""
    return codecs.BOM_UTF8 + "".join(f"{line}\r\n" for line in csv_lines(games)).encode()


def local_time(text: str) -> datetime:
    """A time as `GameResultView` tells it, in this computer's time zone; where there is no such year there, as told."""
    time = datetime.fromisoformat(text)
    try:
        return time.astimezone()
    except (OverflowError, ValueError):
        return time


def _in_cell(value: object) -> object:
    """For a cell; a spreadsheet would take some text for a formula, so that has an apostrophe before it, as there it is
    typed. (OWASP, "CSV Injection")"""
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    return shown(f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value)


def _csv_line(values: Sequence[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(values)
    return line.getvalue()
