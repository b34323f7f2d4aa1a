"""A journal made smaller: without the pictures that moves of older games were read from. Nothing else goes.

A journal is only appended to, so what stays is written to a new file, which takes the old one's place whole or not at
all. Where the power is cut meanwhile the old one lies there, and what was written of the new one is removed when the
table is started, or this is done again.
"""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from config.os_errors import in_words, reason
from controller.journal import (
    MIGRATIONS,
    Journal,
    JournalDiskFull,
    JournalError,
    JournalWriteFailed,
    linked,
    migrate,
    opened_alone,
)
from vision.files.whole_files import sync_folder

ROOM_LEFT = 16_000_000
"""Bytes that stay free on the disk beside the new file."""
_DRAFT = ".tidied"


@dataclass(frozen=True, slots=True)
class Pictures:
    """What a journal has of pictures, and what of them goes."""

    games: int
    """How many games it has."""
    of_games: int
    """Of how many of them pictures go,"""
    going: int
    """how many pictures,"""
    going_bytes: int
    before: int
    """and of those before the game that has this number in the journal."""
    file_bytes: int
    """What the file takes now,"""
    left_bytes: int
    """and about what is left of it."""


def pictures_of(path: Path, keep: int) -> Pictures:
    """What goes of the journal at `path` if pictures of its last `keep` games stay.

    Raises:
        FileNotFoundError: there is none.
        JournalError: it cannot be used.
    """
    path = _there(path)
    with Journal(path) as whole:
        begun = whole.games()
    with opened_alone(path) as journal:
        end = journal.execute("SELECT coalesce(max(seq), 0) + 1 FROM records").fetchone()[0]
        before = begun[-keep] if 0 < keep < len(begun) else 1 if keep else end
        try:
            games, count, taken = journal.execute(
                "SELECT count(DISTINCT game), count(*), coalesce(sum(length(content)), 0) "
                "FROM evidence JOIN records USING (seq) WHERE game < ?",
                (before,),
            ).fetchone()
        except sqlite3.Error as error:  # opening looks at none of them: no state is made from pictures
            raise JournalWriteFailed(f"{path}: its pictures cannot be read: {error}; its moves can") from error
        file_bytes = path.stat().st_size
    return Pictures(len(begun), games, count, taken, before, file_bytes, file_bytes - taken)


def forget_pictures(path: Path, before: int, progress: Callable[[int], None]) -> None:
    """Leave the pictures of games before `before` out of the journal at `path`; `progress` is told how many bytes of
    the others were written since it was told last.

    Raises:
        FileNotFoundError: there is none.
        JournalDiskFull: there is no room for what stays.
        JournalError: it cannot be used, or written. It is as it was.
    """
    path = _there(path)
    draft = _draft(path)
    with opened_alone(path) as journal:
        try:
            remove_draft(path)
            _check_room(journal, path, before)
            _write(path, journal, before, progress)
            _as_owned(draft, path)
            draft.replace(path)
            sync_folder(path.parent)
        except BaseException as error:
            with contextlib.suppress(OSError):
                remove_draft(path)
            if isinstance(error, JournalError) or not isinstance(error, (OSError, sqlite3.Error)):
                raise
            raise JournalWriteFailed(f"{path}: cannot be made smaller: {in_words(error)}. It is as it was") from error


def remove_draft(path: Path) -> None:
    """Remove what is left of a smaller file where the power was cut. Only who has the journal at `path` open may.

    Raises OSError.
    """
    for file in (_draft(path), _draft(path).with_name(f"{_draft(path).name}-journal")):
        file.unlink(missing_ok=True)


def _draft(path: Path) -> Path:
    return path.with_name(f"{path.name}{_DRAFT}")


def _there(path: Path) -> Path:
    path = linked(path)
    if not path.exists():
        raise FileNotFoundError(f"{path}: expected a table's journal, which its first start makes; nothing is there")
    return path


def _check_room(journal: sqlite3.Connection, path: Path, before: int) -> None:
    needed = journal.execute(
        "SELECT coalesce(sum(length(content)), 0) FROM evidence JOIN records USING (seq) WHERE game >= ?", (before,)
    ).fetchone()[0]
    needed += journal.execute("SELECT coalesce(sum(length(data) + 200), 0) FROM records").fetchone()[0]
    free = shutil.disk_usage(path.parent).free
    if free < needed + ROOM_LEFT:
        raise JournalDiskFull(
            f"{path}: what stays takes {needed / 1e6:.0f} MB, which is written first, and {free / 1e6:.0f} MB are free "
            f"in {path.parent}, of which {ROOM_LEFT / 1e6:.0f} stay free. Keep the pictures of fewer games, or none"
        )


def _write(path: Path, journal: sqlite3.Connection, before: int, progress: Callable[[int], None]) -> None:
    """A smaller journal beside that at `path`, whole, on the disk."""
    draft = _draft(path)
    with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as smaller:
        smaller.execute("PRAGMA synchronous = FULL")
        migrate(smaller, MIGRATIONS)
        smaller.execute("BEGIN")
        rows = journal.execute(
            "SELECT records.*, content FROM records "
            "LEFT JOIN evidence ON evidence.seq = records.seq AND records.game >= ? ORDER BY records.seq",
            (before,),
        )
        for *row, content in rows:
            smaller.execute(f"INSERT INTO records VALUES ({', '.join('?' * len(row))})", row)
            if content is not None:
                smaller.execute("INSERT INTO evidence VALUES (?, ?)", (row[0], content))
                progress(len(content))
        smaller.execute("COMMIT")
        if _mark(smaller) != _mark(journal):
            raise JournalWriteFailed(f"{draft}: reads back otherwise than it was written. {path} is as it was")


def _mark(journal: sqlite3.Connection) -> tuple[int, int]:
    """How many records it has, and the sum of their checksums."""
    count, checksums = journal.execute("SELECT count(*), sum(checksum) FROM records").fetchone()
    return count, checksums


def _as_owned(draft: Path, path: Path) -> None:
    """The table's user, who need not be the one who does this, has to write it."""
    old, new = path.stat(), draft.stat()
    draft.chmod(old.st_mode & 0o7777)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.chown(draft, old.st_uid, old.st_gid)
        except PermissionError as error:
            raise JournalWriteFailed(
                f"{path}: is another user's, whose file it would no longer be: {reason(error)}. Do this as that user"
            ) from error
