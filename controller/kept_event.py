"""What tables have told an event's screen, kept in a file: started again, it counts games of those that are gone."""

import contextlib
import fcntl
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, field_validator

from config.names import same_name
from config.os_errors import reason
from controller.asking_tables import is_time
from controller.strict_json import NotStrictJson, parse_json
from controller.views import GameResultView, Model
from vision.files.whole_files import write_whole

VERSION = 1
"""Of the file's form."""
UNNAMED = timedelta(hours=12)
"""An event without a name may be another each day: of that no game is kept that ended longer ago."""
HELD_TRIES, HELD_AGAIN_S = 20, 0.1
"""How often, and after how long each time, a folder is tried that another program writes to."""
_SLUG_LETTERS = 40


class EventFileError(Exception):
    """What tables have told cannot be read or kept; the message names the file and says why."""


class KeptTable(Model):
    """What one table has told."""

    name: str
    address: str
    """Where it answered last."""
    identities: Annotated[list[str], Field(min_length=1)]
    """What it said that it is, at this start of it and at those before."""
    games: list[GameResultView]
    """Those of the event, by the clock of the screen's machine."""

    @field_validator("games")
    @classmethod
    def _dated(cls, games: list[GameResultView]) -> list[GameResultView]:
        for game in games:
            if not (is_time(game.began) and is_time(game.ended)):
                raise ValueError(f"game {game.number}: expected ISO 8601 times with their zones")
        return games


class _Kept(Model):
    version: Literal[1]
    event: str
    tables: list[KeptTable]


class EventFile:
    """The file of one event, by its name. Several programs may have it."""

    def __init__(self, folder: Path, event: str, now: Callable[[], datetime]) -> None:
        """`now`: the wall clock."""
        self._event = event
        self._now = now
        self.path = folder / _file_name(event)

    def read(self) -> tuple[list[KeptTable], str]:
        """What is kept; and why what was is not here, where the file is spoilt: it is set aside. Raises
        EventFileError."""
        with self._held("read"):
            return self._read()

    def update(self, change: Callable[[Sequence[KeptTable]], Sequence[KeptTable]]) -> str:
        """Put what `change` makes of what is kept in its place, unless that is the same. What `read` says of a spoilt
        file. Raises EventFileError."""
        with self._held("written"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._held("written"):
            before, spoilt = self._read()
            after = self._of_this_time(change(before))
            if after != before:
                kept = _Kept(version=VERSION, event=self._event, tables=after)
                write_whole(self.path, kept.model_dump_json(indent=1, exclude_defaults=True).encode())
            return spoilt

    def begin_anew(self) -> Path | None:
        """Set aside what is kept; where it lies then, None where there is nothing. Raises EventFileError."""
        with self._held("set aside"):
            return self._set_aside() if self.path.exists() else None

    def _read(self) -> tuple[list[KeptTable], str]:
        """Raises OSError, EventFileError."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return [], ""
        try:
            return self._of_this_time(_parse(content, self._event)), ""
        except ValueError as error:
            spoilt = f"{self.path}: {error}"
        try:
            return [], f"{spoilt}; it was set aside as {self._set_aside().name}."
        except OSError as error:
            raise EventFileError(f"{spoilt}; it cannot be set aside: {reason(error)}") from error

    def _of_this_time(self, tables: Sequence[KeptTable]) -> list[KeptTable]:
        """All; of an event without a name only games of these hours."""
        since = self._now() - UNNAMED
        kept = [
            table.model_copy(
                update={"games": [g for g in table.games if self._event or datetime.fromisoformat(g.ended) >= since]}
            )
            for table in tables
        ]
        return [table for table in kept if table.games]

    def _set_aside(self) -> Path:
        number = 1
        while (aside := self.path.with_name(f"{self.path.stem}-aside-{number}{self.path.suffix}")).exists():
            number += 1
        self.path.rename(aside)
        return aside

    @contextlib.contextmanager
    def _held(self, what: str) -> Iterator[None]:
        """Keep the folder to this program while the block runs. What the system says becomes an EventFileError: the
        file cannot be `what`."""
        try:
            with _alone(self.path.parent):
                yield
        except OSError as error:
            raise EventFileError(f"{error.filename or self.path}: it cannot be {what}: {reason(error)}") from error


def _parse(content: bytes, event: str) -> list[KeptTable]:
    """What a file keeps of this event. Raises ValueError, whose message says what is wrong."""
    try:
        found = parse_json(content.decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"no UTF-8 text: {error.reason} at byte {error.start}") from error
    except NotStrictJson as error:
        raise ValueError(str(error)) from error
    if not isinstance(found, dict) or found.get("version") != VERSION:
        version = found.get("version") if isinstance(found, dict) else None
        raise ValueError(f"expected what tables told an event's screen, version {VERSION}, found version {version!r}")
    try:
        kept = _Kept.model_validate(found, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    if same_name(kept.event) != same_name(event):
        raise ValueError(f"expected the event {event!r}, found {kept.event!r}")
    return kept.tables


def _file_name(event: str) -> str:
    """Another for each event, however its name is typed, and for none."""
    name = same_name(event)
    if not name:
        return "event.json"
    slug = re.sub(r"[^a-z0-9]+", "-", name)[:_SLUG_LETTERS].strip("-")
    return f"event-{slug}-{hashlib.sha256(name.encode()).hexdigest()[:8]}.json"


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Nobody else writes an event's file in this folder while the block runs; where there is none, nobody does. Where
    no folder can be held, as on some network drives, nobody has it. Raises OSError."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        yield
        return
    try:
        _hold(handle, folder)
        yield
    finally:
        os.close(handle)


def _hold(handle: int, folder: Path) -> None:
    """Raises OSError where another program holds it for long."""
    for _ in range(HELD_TRIES):
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(HELD_AGAIN_S)
        except OSError:
            return None
    raise OSError(None, "another program writes there", str(folder))
