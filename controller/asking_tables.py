"""What running tables say of themselves, asked at their addresses."""

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from controller.records.results import is_same, lasted_s
from controller.strict_json import parse_json
from controller.views import GameResultView, ResultsView, TableView

ASKED_S = 10.0
"""A table answers within this, also one that has to look through the games of days."""
MOST_BYTES = {"results": 16_000_000, "state": 1_000_000, "event": 16_000_000}
"""No table says more: the games of years, and what lies there now; nor an event's screen."""
MOST_PROBLEM_BYTES = 4000
"""Nor more than this of why it does not answer."""
_PORTS = {"http": 80, "https": 443}
"""Those that need not be said."""
_View = TypeVar("_View", bound=BaseModel)


class TableNotAsked(Exception):
    """A table that cannot be asked; the message names its address and says why."""


class TableRefuses(TableNotAsked):
    """It answers, but not what it was asked; the message has why in its own words."""


class EventNotTable(TableNotAsked):
    """The screen of an event answers there."""


def parse_address(address: str) -> str:
    """The origin of a table's address, whatever page of it was named and however it was typed. Raises TableNotAsked for
    one that is none."""
    with contextlib.suppress(ValueError):  # brackets that do not close, a port that is none
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
        if parts.scheme in _PORTS and host and port != 0 and "@" not in parts.netloc:
            named = f"[{host}]" if ":" in host else host
            return f"{parts.scheme}://{named}" + (f":{port}" if port not in (None, _PORTS[parts.scheme]) else "")
    raise TableNotAsked(f"{address}: expected an address such as http://192.168.1.20:8080")


def ask_results(address: str) -> ResultsView:
    """The games of a table. Raises TableNotAsked."""
    try:
        results = _ask(address, "results", ResultsView)
    except EventNotTable as error:
        where = f"{parse_address(address)}/api/event.csv"
        raise TableNotAsked(f"{error}; the event's games for a spreadsheet are at {where}") from error
    for game in results.games:
        for told in (game.began, game.ended):
            if not is_time(told):
                raise TableNotAsked(
                    f"{address}: game {game.number}: expected an ISO 8601 time with its zone, found {told!r}"
                )
    return results


def ask_state(address: str) -> TableView:
    """What a table shows now. Raises TableNotAsked."""
    return _ask(address, "state", TableView)


def by_clock(game: GameResultView, now: datetime) -> GameResultView:
    """A game's times by the clock that says `now`: a table may have no clock and no time server, but how long ago
    something was it knows all the same. A game that was begun before its table was switched off, and gone on with
    after, lasted as long as the table says, and was not begun after its end, as by a clock that was set back."""
    agos = {"began": game.began_ago_s, "ended": game.ended_ago_s}
    if game.began_ago_s is None and game.ended_ago_s is not None:
        agos["began"] = game.ended_ago_s + max(0.0, lasted_s(game))
    times = {}
    for name, ago in agos.items():
        if ago is not None:
            with contextlib.suppress(OverflowError, ValueError):  # beyond all calendars: bits of a damaged journal
                times[name] = (now.astimezone(UTC) - timedelta(seconds=ago)).isoformat(timespec="milliseconds")
    return game.model_copy(update=times)


def dated(games: Sequence[GameResultView], known: Sequence[GameResultView], now: datetime) -> list[GameResultView]:
    """Games by the clock that says `now`. Those that are `known` keep their times where their table was switched off
    since, and where it tells the same but for how long its answer took."""
    numbered: dict[int, list[GameResultView]] = {}
    for one in known:
        numbered.setdefault(one.number, []).append(one)
    told = [by_clock(game, now) for game in games]
    for at, game in enumerate(told):
        for before in numbered.get(game.number, ()):
            if is_same(game, before) and (game.ended_ago_s is None or _is_near(game, before)):
                told[at] = game.model_copy(update={"began": before.began, "ended": before.ended})
    return told


def _is_near(game: GameResultView, before: GameResultView) -> bool:
    """Whether these ended at one time, as far as answers are on time."""
    late = datetime.fromisoformat(game.ended) - datetime.fromisoformat(before.ended)
    return abs(late) < timedelta(seconds=ASKED_S)


def is_time(text: str) -> bool:
    """Whether this is an ISO 8601 time with its zone."""
    with contextlib.suppress(ValueError):
        return datetime.fromisoformat(text).tzinfo is not None
    return False


def _ask(address: str, what: str, kind: type[_View]) -> _View:
    origin = parse_address(address)
    try:
        # A newer table may say more: of several, one is updated before another.
        return kind.model_validate_json(_read(origin, what), extra="ignore")
    except _Refused as error:
        if _is_event(origin):
            raise EventNotTable(f"{address}: it is the screen of an event, expected a table") from error
        raise TableRefuses(f"{address}: cannot be asked: {error}") from error
    except ValidationError as error:
        raise TableNotAsked(f"{address}: what answers there is no table of this version") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        words = getattr(error, "strerror", None) or error or type(error).__name__
        raise TableNotAsked(f"{address}: cannot be asked: {words}") from error


class _Refused(OSError):
    """The answer is none to what was asked; the message has why."""


def _is_event(origin: str) -> bool:
    """Whether an event's screen answers there."""
    with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
        told = parse_json(_read(origin, "event").decode())
        return isinstance(told, dict) and "tables" in told
    return False


def _read(origin: str, what: str) -> bytes:
    """What is answered there to being asked for this, of MOST_BYTES. Raises OSError, HTTPException or ValueError."""
    parts = urlsplit(origin)
    safe = parts.scheme == "https"
    kind = http.client.HTTPSConnection if safe else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=ASKED_S)
    with contextlib.closing(connection):
        line = socket.create_connection((connection.host, connection.port), ASKED_S)
        connection.sock = line
        if safe:
            context = ssl.create_default_context()
            connection.sock = context.wrap_socket(line, server_hostname=parts.hostname, do_handshake_on_connect=False)
        with _answered_within(ASKED_S, connection.sock):
            if isinstance(connection.sock, ssl.SSLSocket):
                connection.sock.do_handshake()
            connection.request("GET", f"/api/{what}")
            with connection.getresponse() as answer:
                if answer.status != http.client.OK:
                    raise _Refused(_refused(answer))
                content = answer.read(MOST_BYTES[what] + 1)
    if len(content) > MOST_BYTES[what]:
        raise OSError(f"what answers there is no table: it says more than {MOST_BYTES[what]} bytes")
    return content


def _refused(answer: http.client.HTTPResponse) -> str:
    """Why it is not answered: in the table's own words, where it says."""
    with contextlib.suppress(ValueError):
        told = parse_json(answer.read(MOST_PROBLEM_BYTES).decode())
        detail = told.get("detail") if isinstance(told, dict) else None
        if isinstance(detail, str) and (words := " ".join(detail.split())).isprintable():
            return words
    return f"it answers {answer.status} {answer.reason}"


@contextlib.contextmanager
def _answered_within(most_s: float, line: socket.socket) -> Iterator[None]:
    """Cuts a line when this takes longer, whatever trickles in meanwhile: its own timeout is for each byte anew. Raises
    TimeoutError."""
    late = threading.Event()

    def cut() -> None:
        late.set()
        with contextlib.suppress(OSError):  # it is closed
            socket.socket.shutdown(line, socket.SHUT_RDWR)  # of TLS too there is nothing more to be said

    timer = threading.Timer(most_s, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, http.client.HTTPException, ValueError):
        if not late.is_set():
            raise
    finally:
        timer.cancel()
    if late.is_set():
        raise TimeoutError(f"its answer did not end within {most_s:.0f} s")
