"""A damaged journal made whole again, as far as its rows can be read.

A journal is only appended to: whatever row is found on any page of the file or of its log, and fits its checksum, is
one that was written, and nothing has changed it since. What is found goes into a new file under the same numbers; in
place of what is missing stand records of the kind LOST. The damaged file is kept beside it, untouched, and with it the
pictures.
"""

import contextlib
import fcntl
import json
import math
import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import mode
from typing import BinaryIO, TypeVar

from config.os_errors import in_words, reason
from controller.boot import boot_clock
from controller.journal import (
    LOST,
    MIGRATIONS,
    RECOVERED,
    WIDEST_RECORD,
    Journal,
    JournalDamaged,
    JournalError,
    JournalForeign,
    JournalInUse,
    JournalWriteFailed,
    checksum_of,
    hold_shared,
    insert_record,
    linked,
    migrate,
)
from controller.journal_tidy import remove_draft
from controller.sqlite_pages import INDEX_LEAF, Cell, read_leaves, wal_path
from vision.files.whole_files import sync_folder

_Content = TypeVar("_Content")
Row = tuple[int, str, float, str, str]
"""Game, wall time, monotonic seconds, kind, data."""

LEAST_RECORD = 40
"""Bytes that a record takes at least: a number that is too high for the file is none of a record."""
_READY = ".recovered-"
"""Between the journal's name and that which the damaged file will have."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was found in a damaged journal."""

    read: int
    """How many records."""
    lost: tuple[int, ...]
    """The numbers of those that are missing before the last one that is known of."""
    kept: Path
    """Where the damaged file lies now."""

    @property
    def told(self) -> str:
        """In words."""
        lost = f"{len(self.lost)} could not ({spans(self.lost)})" if self.lost else "none is known to be missing"
        kept = f"the damaged file is {self.kept.name}"
        return f"the journal was damaged: {self.read} of its records could be read, {lost}; {kept}"


def open_recovering(path: Path) -> tuple[Journal, Recovery | None]:
    """The journal at `path`, open; recovered where it was damaged, with what was found.

    Raises:
        JournalError: as `Journal`; also where nothing of a damaged one can be read.
    """
    path = linked(path)
    _finish_swap(path)
    recovery = None
    try:
        journal = Journal(path)
    except (JournalDamaged, JournalForeign) as error:
        recovery = _recover(path, error)
        journal = Journal(path)
    with contextlib.suppress(OSError):  # it takes room, no more
        remove_draft(path)
    return journal, recovery


def spans(numbers: Iterable[int]) -> str:
    """Ascending numbers in words: "3, 7 to 9"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join(" to ".join(map(str, run)) for run in runs)


@dataclass(frozen=True, slots=True)
class _Found:
    rows: dict[int, Row]
    """By number."""
    games: dict[int, int]
    """The game of every record that the file knows of, by its number, also where only its index does."""


def _recover(path: Path, problem: JournalError) -> Recovery:
    """Raises `problem` where nothing can be read."""
    with path.open("rb") as held:
        _claim(held, path)
        hold_shared(held, path)
        found = _find(path)
        if not found.rows:
            raise problem
        lost = tuple(sorted(set(range(1, max(found.games) + 1)) - found.rows.keys()))
        recovery = Recovery(len(found.rows), lost, _unused(path))
        try:
            _write(_part(path), found, recovery, problem)
            _part(path).replace(_ready(path, recovery.kept))
            sync_folder(path.parent)
        except (OSError, sqlite3.Error) as error:
            with contextlib.suppress(OSError):  # what is left of it takes room on a full disk
                _part(path).unlink(missing_ok=True)
            raise JournalWriteFailed(f"{problem}. It cannot be recovered now: {in_words(error)}") from error
        _finish_swap(path)
    return recovery


def _claim(file: BinaryIO, path: Path) -> None:
    """Raises JournalInUse where another process recovers the journal at `path`."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise JournalInUse(f"{path}: another process recovers this journal") from error


def _find(path: Path) -> _Found:
    rows: dict[int, Row] = {}
    games: dict[int, int] = {}
    log = wal_path(path)
    highest = (path.stat().st_size + (log.stat().st_size if log.exists() else 0)) // LEAST_RECORD
    for leaf in read_leaves(path, WIDEST_RECORD):
        if leaf.kind == INDEX_LEAF:
            entries = [(at, *entry) for at, cell in enumerate(leaf.cells) if cell and (entry := _index_entry(cell))]
            games.update((seq, game) for seq, game in _in_a_row(entries) if seq <= highest)
        else:
            found = [(at, _row(cell)) for at, cell in enumerate(leaf.cells) if cell]
            for seq, row in _in_a_row([(at, *row) for at, row in found if row]):
                if seq <= highest:
                    rows.setdefault(seq, row)
    return _Found(rows, games | {seq: row[0] for seq, row in rows.items()})


def _in_a_row(numbered: Sequence[tuple[int, int, _Content]]) -> Iterator[tuple[int, _Content]]:
    """Of (place on the page, number, content) those whose numbers follow one another, as all of a page do."""
    if numbered:
        first = mode(seq - at for at, seq, _ in numbered)
        yield from ((seq, content) for at, seq, content in numbered if seq - at == first)


def _index_entry(cell: Cell) -> tuple[int, int] | None:
    """Number and game of a record, if that is what a cell of an index holds."""
    match cell.values:
        case (int(game), int(seq), int(rowid)) if 1 <= game <= seq == rowid:
            return seq, game
    return None


def _row(cell: Cell) -> tuple[int, Row] | None:
    """Number and content of a record, if that is what a cell holds."""
    match cell:
        case (int(seq), (None, int(game), str(wall_time), int() | float() as monotonic_s, str(kind), str(data), *more)):
            try:
                json.loads(data, parse_constant=_refuse)
                datetime.fromisoformat(wall_time)
            except ValueError:
                return None
            # A page that was written before records had checksums has none.
            if more and more != [checksum_of(seq, game, wall_time, monotonic_s, kind, data)]:
                return None
            if 1 <= game <= seq and kind.isidentifier() and math.isfinite(monotonic_s):
                return seq, (game, wall_time, float(monotonic_s), kind, data)
    return None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _write(path: Path, found: _Found, recovery: Recovery, problem: JournalError) -> None:
    """A whole journal of what was found, on the disk. RECOVERED is its last record already: if it were appended later,
    the power could go in between."""
    path.unlink(missing_ok=True)
    known = sorted(found.games)
    game, wall_time, monotonic_s = 1, found.rows[min(found.rows)][1], 0.0
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        migrate(connection, MIGRATIONS)
        connection.execute("BEGIN")
        for seq in range(1, known[-1] + 1):
            following = found.games[known[bisect_left(known, seq)]]
            game = following if following <= seq else game
            row = found.rows.get(seq, (game, wall_time, monotonic_s, LOST, "{}"))
            _, wall_time, monotonic_s, *_ = row
            insert_record(connection, seq, *row)
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        told = {"problem": str(problem), "read": recovery.read, "lost": recovery.lost, "kept": recovery.kept.name}
        game = found.games[known[-1]]
        insert_record(connection, known[-1] + 1, game, now, boot_clock(), RECOVERED, json.dumps(told))
        connection.execute("COMMIT")


def _finish_swap(path: Path) -> None:
    """Put a recovered file that is ready in the damaged one's place; goes on from wherever the power was cut."""
    for ready in path.parent.glob(f"{path.name}{_READY}*"):
        kept = path.with_name(ready.name.removeprefix(f"{path.name}{_READY}"))
        try:
            with ready.open("rb") as held:
                _claim(held, path)
                if not ready.exists():
                    continue  # another process was faster
                # The log first: it must never lie beside the new file.
                for old, new in ((wal_path(path), wal_path(kept)), (path, kept)):
                    if old.exists() and not new.exists():
                        old.rename(new)
                ready.replace(path)
                sync_folder(path.parent)
        except JournalInUse:
            raise
        except OSError as error:
            raise JournalWriteFailed(f"{path}: {ready.name} cannot be put in its place: {reason(error)}") from error


def _part(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def _ready(path: Path, kept: Path) -> Path:
    return path.with_name(f"{path.name}{_READY}{kept.name}")


def damaged_beside(path: Path) -> list[Path]:
    """The damaged files that were kept beside the journal at `path`."""
    return sorted(path.parent.glob(f"{path.stem}-damaged-*{path.suffix}"))


def _unused(path: Path) -> Path:
    number = 1
    while (kept := path.with_name(f"{path.stem}-damaged-{number}{path.suffix}")).exists():
        number += 1
    return kept
