"""What happened at a table, for good: an append-only SQLite file that survives a power cut.

One thread owns the only connection. An append is acknowledged when the disk has it; what waits meanwhile goes into the
next transaction together, so that a burst costs one sync.

JournalError
├── JournalClosed (ValueError)      it is closed
├── JournalForeign (ValueError)     the file is no journal of ours
├── JournalNewer (ValueError)       a newer version of this program wrote it
├── JournalDamaged (ValueError)     it does not read back whole
├── JournalMixed (ValueError)       the log beside it is another's, or it is gone itself and its log is there
├── JournalInUse (OSError)          another process has it open
├── JournalOverrun (BufferError)    more waits to be written than may wait
└── JournalWriteFailed (OSError)    the disk refused
    ├── JournalDiskFull             because it is full
    └── JournalInDoubt              as it made a record last: whether it has it is seen when the file is opened anew
"""

import contextlib
import errno
import fcntl
import functools
import json
import os
import queue
import shutil
import sqlite3
import struct
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from config.os_errors import DISK_FULL
from controller.boot import boot_clock
from controller.game import Json
from controller.sqlite_pages import (
    TABLE_LEAF,
    frames_surely_synced,
    frames_written,
    is_closed,
    leaves_of_log,
    pages_before,
    pages_of,
    pages_only_in_log,
    rollback_path,
    wal_path,
)
from vision.files.whole_files import sync_folder

APPLICATION_ID = 0x50697A7A
"""SQLite's mark for whose file this is: "Pizz"."""
LOST = "lost"
"""The kind of a record that stands for one that could not be read when a damaged journal was recovered."""
RECOVERED = "recovered"
"""The kind of the record that a recovered journal goes on with: what of its game stands between a LOST one and it does
not count."""
MX_FRAME_AT = 16
"""Where the index of a log, its -shm file, says how many frames count (https://www.sqlite.org/walformat.html)."""

WIDEST_RECORD = 1_000_000
"""Bytes; no record comes near, a picture may."""
LOCKED_FROM, LOCKED_BYTES = 0x40000000, 512
"""What SQLite locks of a file that it has open, from PENDING_BYTE on (https://www.sqlite.org/lockingv3.html)."""
_RECORD = "seq, game, wall_time, monotonic_s, kind, data"
"""The columns of a record."""
_LEAST_COLUMNS = 6
"""Of `records`, in every version of the file; of `evidence` there are fewer."""
_CHECKED_SINCE = 2
"""The version of the file from which on each record has a checksum."""

PUT_BACK = "Plug in its disk, or put it back where it was; if it is lost, start the table anew"
"""What helps where a journal that is open is not in its place."""

_Identity = tuple[int, int]
"""Device and inode: what a file is, wherever it lies."""

MIGRATIONS: Sequence[Sequence[str]] = (
    (
        """
        CREATE TABLE records (
            seq INTEGER PRIMARY KEY,
            game INTEGER NOT NULL REFERENCES records,
            wall_time TEXT NOT NULL,
            monotonic_s REAL NOT NULL,
            kind TEXT NOT NULL,
            data TEXT NOT NULL CHECK (json_valid(data))
        ) STRICT
        """,
        "CREATE INDEX records_of_game ON records (game, seq)",
        "CREATE TABLE evidence (seq INTEGER PRIMARY KEY REFERENCES records, content BLOB NOT NULL) STRICT",
        # Each record is the next one: this also stops INSERT OR REPLACE, which deletes without a DELETE.
        """
        CREATE TRIGGER records_follow BEFORE INSERT ON records
        WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM records)
        BEGIN SELECT raise(ABORT, 'a journal is only appended to'); END
        """,
        """
        CREATE TRIGGER evidence_follows BEFORE INSERT ON evidence
        WHEN NEW.seq <> (SELECT max(seq) FROM records) OR EXISTS (SELECT 1 FROM evidence WHERE seq = NEW.seq)
        BEGIN SELECT raise(ABORT, 'a journal is only appended to'); END
        """,
        *(
            f"""
            CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table}
            BEGIN SELECT raise(ABORT, 'a journal is only appended to'); END
            """
            for table in ("records", "evidence")
            for action in ("UPDATE", "DELETE")
        ),
    ),
    (
        "ALTER TABLE records ADD COLUMN checksum INTEGER",
        "DROP TRIGGER records_no_update",
        f"UPDATE records SET checksum = checksum_of({_RECORD})",
        """
        CREATE TRIGGER records_no_update BEFORE UPDATE ON records
        BEGIN SELECT raise(ABORT, 'a journal is only appended to'); END
        """,
    ),
)
"""Statements that lead from each version of the file to the next; version 0 is an empty file. Each makes other tables,
triggers or columns: by these a version is known whose number is damaged. `checksum_of` is that of this module."""


class JournalError(Exception):
    """Root of everything a journal can fail with."""


class JournalClosed(JournalError, ValueError):
    """It is closed."""


class JournalForeign(JournalError, ValueError):
    """The file is no journal of ours."""


class JournalNewer(JournalError, ValueError):
    """A newer version of this program wrote it."""


class JournalDamaged(JournalError, ValueError):
    """It does not read back whole."""


class JournalMixed(JournalError, ValueError):
    """The log beside it is another journal's, or it is gone itself and its log is there."""


class JournalInUse(JournalError, OSError):
    """Another process has it open."""


class JournalOverrun(JournalError, BufferError):
    """More waits to be written than may wait; this record was not taken."""


class JournalWriteFailed(JournalError, OSError):
    """The disk refused."""


class JournalDiskFull(JournalWriteFailed):
    """The disk is full."""


class JournalInDoubt(JournalWriteFailed):
    """The disk refused as it made this record last, and may have it all the same: that is seen when the journal is
    opened anew. Its cause is why nothing more is written."""

    def __init__(self, refused: JournalWriteFailed) -> None:
        super().__init__(str(refused))
        self.__cause__: JournalWriteFailed = refused


@dataclass(frozen=True, slots=True)
class Record:
    """One thing that happened."""

    seq: int
    """1 upwards without gaps."""
    game: int
    """The game it belongs to: the sequence number of the record that began it."""
    wall_time: str
    """ISO 8601, UTC. For people: clocks jump."""
    monotonic_s: float
    """Comparable only between records of one start of the computer."""
    kind: str
    data: Json


class Journal:
    """The journal file, open. Use it from any thread; close it, or use it as a context manager.

    A failed write is final: everything after it fails with the same error, so that no record can follow a lost one.
    Open the journal anew to go on from what is on the disk.
    """

    def __init__(
        self,
        path: Path,
        *,
        wall_clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Callable[[], float] = boot_clock,
        most_waiting: int = 4096,
    ) -> None:
        """Open the file, made if it is not there, and bring its schema up to date.

        At most `most_waiting` jobs wait for the disk; more are refused, none is dropped.

        Raises:
            JournalForeign, JournalNewer, JournalDamaged, JournalMixed, JournalInUse: the file cannot be used; it is
                left as it was.
            JournalWriteFailed: it cannot be made or written.
        """
        self.path = linked(path)
        self._wall_clock = wall_clock
        self._monotonic = monotonic
        self._jobs: queue.Queue[_Append | _Query | None] = queue.Queue(most_waiting)
        self._state = threading.Lock()
        self._closed = False
        self._files: Mapping[Path, _Identity] = {}
        """What is open: the file and its log."""
        self._last: tuple[int, str] | None = None
        """Number and time of the last record that the disk has."""
        opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._work, args=(opened,), name="journal", daemon=True)
        self._thread.start()
        opened.result()

    def append(
        self, kind: str, data: Json, evidence: bytes | None = None, *, begins_game: bool = False
    ) -> "Future[int]":
        """Write a record; the future gives its sequence number once the disk has it. Records keep the calls' order.

        `evidence` is what the record was read from, such as a JPEG. `begins_game` starts a new game, which this and
        the following records belong to; the very first record always does. In a coroutine, await
        `asyncio.wrap_future(journal.append(...))`.

        Raises:
            JournalClosed: it is closed.
            JournalOverrun: too much waits already.
            TypeError, ValueError: `data` is no JSON.
        The future raises JournalWriteFailed.
        """
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        wall_time = self._wall_clock().isoformat(timespec="milliseconds")
        job = _Append((wall_time, self._monotonic(), kind, text), evidence, begins_game, _uncancellable())
        self._submit(job)
        return job.done

    def records(self, after: int = 0, *, game: int | None = None) -> list[Record]:
        """The records with a higher sequence number than `after`, in order; those of one game if it is given."""
        rows = self._query(
            f"SELECT {_RECORD} FROM records WHERE seq > ?1 AND (?2 IS NULL OR game = ?2) ORDER BY seq",
            (after, game),
        )
        return [_record(row) for row in rows]

    def newest(self, kind: str, count: int) -> list[Record]:
        """The last `count` records of a kind, in order."""
        rows = self._query(
            f"SELECT {_RECORD} FROM records WHERE kind = ? ORDER BY seq DESC LIMIT ?",
            (kind, count),
        )
        return [_record(row) for row in reversed(rows)]

    def evidence(self, seq: int) -> bytes | None:
        """What the record was read from; None where nothing was kept."""
        rows = self._query("SELECT content FROM evidence WHERE seq = ?", (seq,))
        return rows[0][0] if rows else None

    def pictured(self, game: int) -> frozenset[int]:
        """Which records of a game have what they were read from."""
        rows = self._query("SELECT evidence.seq FROM evidence JOIN records USING (seq) WHERE game = ?", (game,))
        return frozenset(row[0] for row in rows)

    def games(self) -> tuple[int, ...]:
        """See `games_of`."""
        rows = self._query(f"SELECT {_RECORD} FROM records WHERE kind = 'game' OR seq = game ORDER BY seq", ())
        return games_of(_record(row) for row in rows)

    def last_game(self) -> int | None:
        """The game that the last record belongs to; None while there are no records."""
        rows = self._query("SELECT game FROM records ORDER BY seq DESC LIMIT 1", ())
        return rows[0][0] if rows else None

    def check_in_place(self) -> None:
        """That what is written goes into the files that lie there: those that were deleted, or moved away, take records
        as long as they are open, and keep them for nobody.

        Raises:
            JournalWriteFailed: it does not; names the file.
        """
        for file, identity in self._files.items():
            try:
                there = _identity(file)
            except FileNotFoundError as error:
                raise JournalWriteFailed(f"{file}: is gone. {PUT_BACK}") from error
            except OSError as error:
                raise JournalWriteFailed(f"{file}: cannot be looked at: {error.strerror}. {PUT_BACK}") from error
            if there != identity:
                raise JournalWriteFailed(f"{file}: another file lies there than the one that was opened. {PUT_BACK}")

    def check_goes_on_from(self, other: "Journal") -> None:
        """That this has the last record that the disk had of `other`, which is closed or has failed.

        Raises:
            JournalMixed: it has not.
        """
        if other._last is None:
            return
        seq, wall_time = other._last
        if not any(record.wall_time == wall_time for record in self.records(seq - 1)[:1]):
            raise JournalMixed(
                f"{self.path}: record {seq}, written at {wall_time}, is not in it: it is another journal, or an older "
                "copy. Put the newest back; if that is lost, start the table anew to go on with this one"
            )

    def close(self) -> None:
        """Write what waits, then close the file. Closing twice is fine."""
        with self._state:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _query(self, sql: str, values: tuple[object, ...]) -> list[Any]:
        job = _Query(sql, values, _uncancellable())
        self._submit(job)
        return job.done.result()

    def _submit(self, job: "_Append | _Query") -> None:
        with self._state:
            if self._closed:
                raise JournalClosed(f"{self.path}: the journal is closed")
            try:
                self._jobs.put_nowait(job)
            except queue.Full:
                raise JournalOverrun(
                    f"{self.path}: {self._jobs.maxsize} jobs wait for the disk already, this one was not taken"
                ) from None

    def _work(self, opened: "Future[None]") -> None:
        """The writer thread, from opening to closing."""
        try:
            connection, self._files, self._last = _open(self.path)
        except BaseException as error:
            opened.set_exception(error)
            return
        opened.set_result(None)
        failure: JournalError | None = None
        while True:
            batch: list[_Append] = []
            for job in self._waiting():
                if isinstance(job, _Append):
                    batch.append(job)
                    continue
                failure = self._write(connection, batch, failure)
                batch = []
                if job is None:
                    self._end(connection)
                    return
                _answer(connection, job, self.path)
            failure = self._write(connection, batch, failure)

    def _write(
        self, connection: sqlite3.Connection, appends: Sequence["_Append"], failure: JournalError | None
    ) -> JournalError | None:
        """Write appends in one transaction, unless an earlier one failed; the failure to keep, if any."""
        told = failure
        if failure is None and appends:
            inserted = False
            try:
                self.check_in_place()
                with _transaction(connection):
                    numbers = _insert(connection, appends)
                    inserted = True
                self.check_in_place()
            except Exception as error:  # whatever it is, those who wait must hear of it
                failure = error if isinstance(error, JournalWriteFailed) else _write_error(self.path, error)
                if failure is not error:
                    failure.__cause__ = error
                told = JournalInDoubt(failure) if inserted and not _surely_refused(error) else failure
            else:
                self._last = (numbers[-1], appends[-1].values[0])
                for append, number in zip(appends, numbers, strict=True):
                    append.done.set_result(number)
        if told is not None:
            for append in appends:
                append.done.set_exception(told)
        return failure

    def _end(self, connection: sqlite3.Connection) -> None:
        """Leave a file that says it has no log, as one that lies beside it later is another's; SQLite finds its log by
        name, so a file that lies elsewhere now stays as after a power cut."""
        # Where the disk is full or gone it stays so, too.
        with contextlib.suppress(sqlite3.Error, OSError):
            if _identity(self.path) == self._files[self.path]:
                connection.execute("PRAGMA journal_mode = DELETE")
        connection.close()

    def _waiting(self) -> "list[_Append | _Query | None]":
        """Every job that waits, at least one."""
        jobs = [self._jobs.get()]
        with contextlib.suppress(queue.Empty):
            while True:
                jobs.append(self._jobs.get_nowait())
        return jobs


@dataclass(frozen=True, slots=True)
class _Append:
    values: tuple[str, float, str, str]
    """Wall time, monotonic seconds, kind, data."""
    evidence: bytes | None
    begins_game: bool
    done: "Future[int]"


@dataclass(frozen=True, slots=True)
class _Query:
    sql: str
    values: tuple[object, ...]
    done: "Future[list[Any]]"


def games_of(records: Iterable[Record]) -> tuple[int, ...]:
    """The sequence numbers of the records that began a game, in order. People number games by their places here."""
    return tuple(record.seq for record in records if begins_game(record))


def begins_game(record: Record) -> bool:
    """Whether a record began a game; one that was lost counts, so that those after it keep their numbers."""
    # Not the very first record, which has a number as if it did: a table writes there that it was started.
    return record.kind == "game" or (record.kind == LOST and record.seq == record.game and record.seq > 1)


def counted(records: Sequence[Record]) -> list[Record]:
    """Those of a game's records that count: not what follows one that was lost until the journal was recovered, as it
    may build on that."""
    kept, gap = [], False
    for record in records:
        gap = record.kind == LOST or (gap and record.kind != RECOVERED)
        if not gap:
            kept.append(record)
    return kept


def set_aside(records: Sequence[Record]) -> list[Record]:
    """Those of a game's records that do not count, without LOST ones; see `counted`."""
    kept = {record.seq for record in counted(records)}
    return [record for record in records if record.seq not in kept and record.kind != LOST]


def read_journal(path: Path) -> list[Record] | None:
    """All records of a journal that nobody has open, which need not be one's own; None where there is no file. Nothing
    is added to it.

    Raises:
        JournalForeign, JournalNewer, JournalDamaged, JournalMixed, JournalInUse: it cannot be used.
        JournalWriteFailed: it cannot be read.
    """
    path = linked(path)
    try:
        _check_files(path)
        if not path.exists():
            return None
        uri = f"{path.absolute().as_uri()}?{_way_to_read(path)}"
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=0)) as looking:
            # As the table does: no shared memory, whose files would be another user's where that one asks.
            looking.execute("PRAGMA locking_mode = EXCLUSIVE")
            _check_ours(looking, path)
            if not _has_records(looking):
                return []  # of a start that the power was cut in
            _check_whole(looking, path)
            return [_record(row) for row in looking.execute(f"SELECT {_RECORD} FROM records ORDER BY seq")]
    except JournalError:
        raise
    except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
        raise _open_error(path, error, "read") from error


@contextlib.contextmanager
def opened_alone(path: Path) -> Iterator[sqlite3.Connection]:
    """A journal that is there, to be read: whole, of the newest version, with all its records in the file itself.
    Nobody else can open it meanwhile.

    Raises:
        JournalForeign, JournalNewer, JournalDamaged, JournalMixed, JournalInUse: it cannot be used.
        JournalWriteFailed: it cannot be written.
    """
    with Journal(path):
        pass
    with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            # Who opened and closed the file here would give up all that the process has locked of it.
            mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        except sqlite3.Error as error:
            raise _open_error(path, error) from error
        if mode != "delete":
            raise JournalInUse(f"{path}: another process had this journal open just now")
        yield connection


def _way_to_read(path: Path) -> str:
    """What SQLite is told of a file: that it is read alone, where it was closed. Its log, where it was not, SQLite can
    only read by bringing it into the file. Raises JournalWriteFailed."""
    log, rollback = wal_path(path), rollback_path(path)
    beside = [file for file in (log, rollback) if file.exists()]
    if is_closed(path) and not beside:
        return "mode=ro"
    if all(os.access(file, os.W_OK) for file in (path, path.parent, *beside)):
        return "mode=rw"
    if pages_before(path) is not None or (frames_written(log) and not is_closed(path)):
        raise JournalWriteFailed(
            f"{path}: was not closed, and may not be written here: {' and '.join(file.name for file in beside)} beside "
            "it must be brought into it first. Copy these files to a folder that you may write, and read them there"
        )
    return "immutable=1"  # without what lies beside it: all of that is in the file


def linked(path: Path) -> Path:
    """Where the file at `path` lies, and so its log, if that is a link. Raises JournalWriteFailed where it is gone: a
    new one would be taken for it."""
    if not path.is_symlink():
        return path
    file = path.resolve()
    if not file.exists():
        raise JournalWriteFailed(
            f"{path}: is a link to {file}, which is not there. Plug in its disk; to begin with an empty journal, "
            "remove the link"
        )
    return file


def migrate(connection: sqlite3.Connection, migrations: Sequence[Sequence[str]]) -> None:
    """Bring the schema up to date, each version in one transaction with its number."""
    connection.create_function("checksum_of", len(_RECORD.split(",")), checksum_of, deterministic=True)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    for number, statements in enumerate(migrations[version:], version + 1):
        with _transaction(connection):
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")


def hold_shared(file: BinaryIO, path: Path) -> None:
    """Keep others from writing to the journal at `path` until `file`, its own, is closed. Raises JournalInUse."""
    try:
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, LOCKED_BYTES, LOCKED_FROM)
    except OSError as error:
        raise JournalInUse(f"{path}: another process has this journal open") from error


def checksum_of(seq: int, game: int, wall_time: str, monotonic_s: float, kind: str, data: str) -> int:
    """What tells that a record is as it was written: SQLite knows whether its pages hang together, and takes one letter
    for another. `data` is the JSON text."""
    written = seq, game, wall_time, float(monotonic_s).hex(), kind, data
    return zlib.crc32("\0".join(map(str, written)).encode())


def insert_record(connection: sqlite3.Connection, *row: *tuple[int, int, str, float, str, str]) -> None:
    """Write a record: its columns, in their order."""
    connection.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, checksum_of(*row)))


def _record(row: tuple[int, int, str, float, str, str]) -> Record:
    seq, game, wall_time, monotonic_s, kind, data = row
    return Record(seq, game, wall_time, monotonic_s, kind, json.loads(data))


def _uncancellable() -> "Future[Any]":
    """A waiting task may be cancelled; what it asked for happens all the same."""
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    return future


def _identity(file: Path) -> _Identity:
    status = file.stat()
    return status.st_dev, status.st_ino


def _open(path: Path) -> tuple[sqlite3.Connection, Mapping[Path, _Identity], tuple[int, str] | None]:
    """The connection, which files it has open, and number and time of the last record."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _check_files(path)
        if not path.exists():
            _make(path)
        connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    except JournalError:
        raise
    except (OSError, sqlite3.Error) as error:
        raise _write_error(path, error) from error
    try:
        # One connection alone: no shared memory, and no other process between its reading and its writing.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        _check_ours(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        if _has_records(connection):  # before anything is made of what they say
            _check_whole(connection, path)
        migrate(connection, MIGRATIONS)
        _check_takes_records(connection, path)
        last = connection.execute("SELECT seq, wall_time FROM records ORDER BY seq DESC LIMIT 1").fetchone()
        files = {file: _identity(file) for file in (path, wal_path(path))}
    except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
        connection.close()
        raise _open_error(path, error) from error
    except JournalError:
        connection.close()
        raise
    return connection, files, last


def _make(path: Path) -> None:
    """A new journal, whole or not at all: an empty file is none, but what is left of one."""
    draft = path.with_name(f"{path.name}.new")
    with draft.open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if path.exists():  # another process was faster
            return
        held.truncate(0)
        with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            migrate(connection, MIGRATIONS)
        draft.replace(path)
        sync_folder(path.parent)


def _check_files(path: Path) -> None:
    """As `_check_log`, once nobody changes the files meanwhile: what is looked at while another process writes, or
    closes its journal, fits nothing. Raises JournalInUse too."""
    while True:
        before = _stamps(path)
        try:
            return _check_log(path)
        except (JournalError, OSError):
            with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
                hold_shared(file, path)
            if _stamps(path) == before:
                raise


def _stamps(path: Path) -> list[tuple[int, int, int] | None]:
    """What is otherwise after the journal's files were changed."""
    stamps: list[tuple[int, int, int] | None] = []
    for file in (path, wal_path(path), rollback_path(path)):
        try:
            status = file.stat()
            stamps.append((status.st_ino, status.st_size, status.st_mtime_ns))
        except FileNotFoundError:
            stamps.append(None)
    return stamps


def _check_log(path: Path) -> None:
    """Raises JournalMixed, JournalDamaged or JournalForeign where SQLite would leave out or replace what was written
    for good: it takes whatever log lies beside a file, of it nothing after the first frame that is broken, and nothing
    at all beside an empty file, says nothing of it, and deletes the log."""
    log = wal_path(path)
    written = frames_written(log)
    if not path.exists():
        if written:
            raise JournalMixed(
                f"{path}: is gone, and its log {log.name} is there with {written} pages. Put {path.name} back beside "
                f"it; to begin with an empty journal, move {log.name} away too. Nothing was touched"
            )
        return
    if not path.stat().st_size:
        if written:
            raise JournalDamaged(f"{path}: expected what its log of {written} pages goes with, found an empty file")
        raise JournalForeign(f"{path}: expected a journal, which is never empty, found an empty file")
    _check_rollback(path)
    if not written:
        return
    if is_closed(path):
        _check_all_in_file(path)
    else:
        _check_of_file(path, _check_log_whole(path))


def _check_rollback(path: Path) -> None:
    """While a journal is opened or closed only its first page is changed, and its size never."""
    before, pages = pages_before(path), pages_of(path)
    if before not in (None, pages):
        raise _mixed(path, rollback_path(path), f"it is of a file of {before} pages, and {path.name} has {pages}")


def _check_all_in_file(path: Path) -> None:
    """Of a file that was closed. Its own log may come back where the power was cut: its pages are all in the file."""
    pages = pages_only_in_log(path)
    if pages:
        only = f"{pages} pages are" if pages > 1 else "1 page is"
        why = f"{path.name} was closed with all its records in it, and {only} only in the log"
        raise _mixed(path, wal_path(path), why)


def _check_log_whole(path: Path) -> int:
    """How many pages of its log SQLite takes; it is asked on a copy."""
    log = wal_path(path)
    synced = frames_surely_synced(log)
    try:
        with tempfile.TemporaryDirectory(prefix="pizzatable-log-") as folder:
            copy = Path(folder, "journal")
            with contextlib.closing(sqlite3.connect(copy)) as empty:
                empty.execute("PRAGMA journal_mode = WAL")
            shutil.copyfile(log, wal_path(copy))
            with contextlib.closing(sqlite3.connect(copy)) as looking:
                looking.execute("PRAGMA user_version")
                taken: int = struct.unpack_from("=I", Path(folder, "journal-shm").read_bytes(), MX_FRAME_AT)[0]
    except (OSError, sqlite3.Error) as error:
        raise _copy_error(path, error) from error
    if taken < synced:
        raise JournalDamaged(
            f"{log}: expected a log that reads back whole, found {taken} sound pages before a "
            f"broken one, of {synced} or more"
        )
    return taken


def _check_of_file(path: Path, taken: int) -> None:
    """Whether what SQLite takes of the log is of this file, where that was not closed. Records never change, and each
    is the next one: what the file has already is in the log as it is there, or not at all, and the log goes on from
    it, and to the end."""
    logged = {
        cell.rowid: cell.values[1:5]
        for leaf in leaves_of_log(path, taken, WIDEST_RECORD)
        for cell in leaf.cells
        if leaf.kind == TABLE_LEAF and cell is not None and cell.rowid and len(cell.values) >= _LEAST_COLUMNS
    }
    # "immutable" is without the log. While its pages were being brought into the file, the file alone may be broken:
    # of what is long only the beginning may be there, so the data are not compared.
    with (
        contextlib.suppress(sqlite3.DatabaseError),
        contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as alone,
    ):
        last: int = alone.execute("SELECT coalesce(max(seq), 0) FROM records").fetchone()[0]
        if min(logged, default=0) > last + 1:
            why = f"{path.name} ends with record {last}, and the log goes on with {min(logged)}"
            raise _mixed(path, wal_path(path), why)
        if max(logged, default=last) < last:
            why = f"{path.name} ends with record {last}, and the log, which is older, with {max(logged)}"
            raise _mixed(path, wal_path(path), why)
        for seq, values in sorted(logged.items()):
            row = alone.execute("SELECT game, wall_time, monotonic_s, kind FROM records WHERE seq = ?", (seq,))
            written = row.fetchone()
            if written is not None and written != values:
                raise _mixed(path, wal_path(path), f"record {seq} is one in {path.name} and another in the log")


def _mixed(path: Path, other: Path, why: str) -> JournalMixed:
    return JournalMixed(
        f"{path}: {other.name} beside it is another table's, or of another copy of this journal: {why}. Put files that "
        f"belong together beside each other, or move {other.name} away to go on without it. Nothing was touched"
    )


def _check_ours(connection: sqlite3.Connection, path: Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if application != APPLICATION_ID and (application or version or tables):
        raise JournalForeign(
            f"{path}: expected a journal (application id {APPLICATION_ID:#x}), "
            f"found another SQLite file (application id {application:#x}, {tables} tables and indexes)"
        )
    known = _version_of(connection)
    if known is None and version > len(MIGRATIONS):
        raise JournalNewer(f"{path}: expected a journal of version {len(MIGRATIONS)} or older, found version {version}")
    if known != version:
        found = "of no version" if known is None else f"of version {known}"
        raise JournalDamaged(
            f"{path}: expected the tables of version {version}, which it says it is, found those {found}"
        )


def _version_of(connection: sqlite3.Connection) -> int | None:
    """Which version's tables, triggers and columns a file has, whatever its number says; None where none's."""
    shapes = _shapes()
    shape = _shape_of(connection)
    return shapes.index(shape) if shape in shapes else None


def _shape_of(connection: sqlite3.Connection) -> frozenset[str]:
    """The names of its tables, triggers, indexes and columns."""
    named = connection.execute("SELECT type || ' ' || name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
    columns = connection.execute(
        "SELECT 'column ' || tables.name || '.' || columns.name FROM sqlite_schema AS tables, "
        "pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'"
    )
    return frozenset(row[0] for row in (*named, *columns))


@functools.cache
def _shapes() -> list[frozenset[str]]:
    """Of each version, from 0."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        shapes = [_shape_of(connection)]
        for number in range(1, len(MIGRATIONS) + 1):
            migrate(connection, MIGRATIONS[:number])
            shapes.append(_shape_of(connection))
    return shapes


def _check_takes_records(connection: sqlite3.Connection, path: Path) -> None:
    """Whether a record could be written: a damaged trigger would refuse each. Nothing is."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        _insert(connection, [_Append(("", 0.0, "", "{}"), b"", begins_game=False, done=_uncancellable())])
    except sqlite3.Error as error:
        if _is_of_disk(error):
            raise
        raise JournalDamaged(f"{path}: expected a journal that takes records, found: {error}") from error
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _has_records(connection: sqlite3.Connection) -> bool:
    """Whether the file is more than what is left of a start that the power was cut in."""
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])


def _check_whole(connection: sqlite3.Connection, path: Path) -> None:
    # The pictures are left out: they are most of the file, and no state is made from them. The index is not: a game is
    # read by it.
    problem = connection.execute("PRAGMA integrity_check(records)").fetchone()[0]
    if problem != "ok":
        raise JournalDamaged(f"{path}: expected a journal that reads back whole, found: {problem}")
    count, last = connection.execute("SELECT count(*), coalesce(max(seq), 0) FROM records").fetchone()
    if count != last:
        raise JournalDamaged(f"{path}: expected records 1 to {last} without gaps, found {count} of them")
    # SQLite checks none of these.
    checked = connection.execute("PRAGMA user_version").fetchone()[0] >= _CHECKED_SINCE
    texts = "CAST(wall_time AS BLOB), monotonic_s, CAST(kind AS BLOB), CAST(data AS BLOB)"
    every = f"SELECT seq, game, {texts}, {'checksum' if checked else 'NULL'} FROM records"
    with contextlib.closing(connection.execute(every)) as rows:  # what is half read keeps the file locked
        for seq, game, wall_time, monotonic_s, kind, data, checksum in rows:
            try:
                datetime.fromisoformat(wall_time.decode())
                found = checksum_of(seq, game, wall_time.decode(), monotonic_s, kind.decode(), data.decode())
            except ValueError as error:
                raise JournalDamaged(f"{path}: record {seq}: expected a time and UTF-8, found: {error}") from error
            if checked and found != checksum:
                raise JournalDamaged(f"{path}: record {seq}: its checksum is {checksum}, that of what is there {found}")


def _answer(connection: sqlite3.Connection, query: _Query, path: Path) -> None:
    try:
        query.done.set_result(connection.execute(query.sql, query.values).fetchall())
    except sqlite3.Error as error:
        query.done.set_exception(JournalDamaged(f"{path}: cannot be read: {error}"))
    except Exception as error:  # whatever it is, who waits must hear of it, and the thread goes on
        query.done.set_exception(error)


def _insert(connection: sqlite3.Connection, appends: Sequence[_Append]) -> list[int]:
    row = connection.execute("SELECT seq, game FROM records ORDER BY seq DESC LIMIT 1").fetchone()
    seq, game = row or (0, 0)
    numbers = []
    for append in appends:
        seq += 1
        if append.begins_game or not game:
            game = seq
        insert_record(connection, seq, game, *append.values)
        if append.evidence is not None:
            connection.execute("INSERT INTO evidence VALUES (?, ?)", (seq, append.evidence))
        numbers.append(seq)
    return numbers


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk may have ended the transaction already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _copy_error(path: Path, error: Exception) -> JournalWriteFailed:
    """The disk is not the journal's."""
    folder = tempfile.gettempdir()
    if _is_full(error):
        return JournalDiskFull(
            f"{folder}: the disk of this folder is full, and the log of {path} is copied there to be checked; free "
            "some space there, or set TMPDIR to another folder"
        )
    return JournalWriteFailed(f"{folder}: the log of {path} cannot be copied there to be checked: {error}")


def _open_error(path: Path, error: Exception, done: str = "written") -> JournalError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return JournalInUse(f"{path}: another process has this journal open")
    if code == sqlite3.SQLITE_NOTADB:
        return JournalForeign(f"{path}: expected a journal, found a file that is no SQLite file")
    of_header = code == sqlite3.SQLITE_READONLY and os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR) or of_header or _is_no_text(error):
        return JournalDamaged(f"{path}: expected a journal that reads back whole, found: {error}")
    return _write_error(path, error, done)


def _is_no_text(error: Exception) -> bool:
    """Whether something in the file is no UTF-8: a name, or the text of a trigger."""
    unnamed = isinstance(error, sqlite3.OperationalError) and not hasattr(error, "sqlite_errorcode")
    return isinstance(error, UnicodeDecodeError) or unnamed


def _is_of_disk(error: sqlite3.Error) -> bool:
    """Whether it is the disk, and not what the file says, that does not let it be written."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


def _write_error(path: Path, error: Exception, done: str = "written") -> JournalWriteFailed:
    if _is_full(error):
        return JournalDiskFull(f"{path}: {DISK_FULL}")
    return JournalWriteFailed(f"{path}: cannot be {done}: {error}")


def _surely_refused(error: Exception) -> bool:
    """Whether a transaction that this ended is not on the disk: it takes the frame that makes it count last of all."""
    return _is_full(error) or getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_WRITE


def _is_full(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL or getattr(error, "errno", 0) == errno.ENOSPC
