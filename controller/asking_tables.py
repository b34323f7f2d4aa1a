"""What running tables say of themselves, asked at their addresses."""

import http.client
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from controller.views import GameResultView, ResultsView, TableView

ASKED_S = 10.0
"""A table answers within this, also one that has to look through the games of days."""
MOST_BYTES = 16_000_000
"""No table says more: the games of years."""
_View = TypeVar("_View", bound=BaseModel)


class TableNotAsked(Exception):
    """A table that cannot be asked; the message names its address and says why."""


def parse_address(address: str) -> str:
    """The origin of a table's address, whatever page of it was named. Raises TableNotAsked for one that is none."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise TableNotAsked(f"{address}: expected an address such as http://192.168.1.20:8080")
    return f"{parts.scheme}://{parts.netloc}"


def ask_results(address: str) -> ResultsView:
    """The games of a table. Raises TableNotAsked."""
    return _ask(address, "results", ResultsView)


def ask_state(address: str) -> TableView:
    """What a table shows now. Raises TableNotAsked."""
    return _ask(address, "state", TableView)


def by_clock(game: GameResultView, now: datetime) -> GameResultView:
    """A game's times by the clock that says `now`: a table may have no clock and no time server, but how long ago
    something was it knows all the same."""
    agos = {"began": game.began_ago_s, "ended": game.ended_ago_s}
    times = {name: now.astimezone(UTC) - timedelta(seconds=ago) for name, ago in agos.items() if ago is not None}
    return game.model_copy(update={name: time.isoformat(timespec="milliseconds") for name, time in times.items()})


def _ask(address: str, what: str, kind: type[_View]) -> _View:
    origin = parse_address(address)
    try:
        with urllib.request.urlopen(f"{origin}/api/{what}", timeout=ASKED_S) as answer:
            said = answer.read(MOST_BYTES + 1)
            if len(said) > MOST_BYTES:
                raise TableNotAsked(f"{address}: what answers there is no table: it says more than {MOST_BYTES} bytes")
            return kind.model_validate_json(said)
    except ValidationError as error:
        raise TableNotAsked(f"{address}: what answers there is no table of this version") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        words = getattr(reason, "strerror", None) or reason or type(error).__name__
        raise TableNotAsked(f"{address}: cannot be asked: {words}") from error
