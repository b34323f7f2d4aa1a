"""What several pages answer with."""

from collections.abc import Sequence
from typing import Any

from fastapi import Response

from controller.records.spreadsheet import csv_file
from controller.views import GameResultView

NO_STORE = {"Cache-Control": "no-store"}
_CSV = "text/csv"
CSV_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A line for each player of each game, after the columns' names",
        "content": {_CSV: {"schema": {"type": "string"}}},
    }
}


def csv_download(games: Sequence[GameResultView]) -> Response:
    """Games as a file for a spreadsheet."""
    headers = NO_STORE | {"Content-Disposition": 'attachment; filename="games.csv"'}
    return Response(csv_file(games), media_type=_CSV, headers=headers)
