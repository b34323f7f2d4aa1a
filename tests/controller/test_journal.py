"""The journal: what it promises while everything goes well, and which files it refuses."""

import asyncio
import sqlite3
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.journal import (
    APPLICATION_ID,
    MIGRATIONS,
    Journal,
    JournalClosed,
    JournalDamaged,
    JournalForeign,
    JournalInUse,
    JournalNewer,
    JournalOverrun,
    JournalWriteFailed,
    Record,
    migrate,
    read_journal,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "journal.db"


def test_records_come_back_as_they_went_in(path: Path) -> None:
    moment = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
    with Journal(path, wall_clock=lambda: moment, monotonic=lambda: 12.5) as journal:
        assert journal.records() == []
        assert journal.last_game() is None
        assert journal.append("start", {"players": ["Ada", "Ünal"], "x": 0.1}).result() == 1
        assert journal.append("move", [1, None, True], b"\xff\xd8picture").result() == 2
        wanted = [
            Record(1, 1, "2026-03-01T12:30:00.000+00:00", 12.5, "start", {"players": ["Ada", "Ünal"], "x": 0.1}),
            Record(2, 1, "2026-03-01T12:30:00.000+00:00", 12.5, "move", [1, None, True]),
        ]
        assert journal.records() == wanted
        assert journal.records(after=1) == wanted[1:]
        assert (journal.evidence(1), journal.evidence(2)) == (None, b"\xff\xd8picture")
    with Journal(path) as journal:
        assert journal.records() == wanted


def test_games_are_told_apart(path: Path) -> None:
    with Journal(path) as journal:
        for kind in ("start", "move", "start", "move"):
            journal.append(kind, {}, begins_game=kind == "start")
        assert [record.game for record in journal.records()] == [1, 1, 3, 3]
        assert [record.seq for record in journal.records(game=1)] == [1, 2]
        assert [record.seq for record in journal.records(3, game=3)] == [4]
        assert journal.last_game() == 3


def test_the_newest_of_a_kind(path: Path) -> None:
    with Journal(path) as journal:
        assert journal.newest("slap", 2) == []
        for number, kind in enumerate(("start", "slap", "slap", "move", "slap", "move")):
            journal.append(kind, {"number": number})
        assert [(record.seq, record.data["number"]) for record in journal.newest("slap", 2)] == [(3, 2), (5, 4)]
        assert [record.seq for record in journal.newest("slap", 9)] == [2, 3, 5]


def test_a_burst_keeps_its_order(path: Path) -> None:
    with Journal(path) as journal:
        futures = [journal.append("move", number) for number in range(500)]
        assert [future.result() for future in futures] == list(range(1, 501))
        assert [record.data for record in journal.records()] == list(range(500))


def test_closing_writes_what_waits_and_twice_is_fine(path: Path) -> None:
    journal = Journal(path)
    futures = [journal.append("move", number) for number in range(100)]
    journal.close()
    journal.close()
    assert all(future.done() for future in futures)
    with pytest.raises(JournalClosed, match=r"journal\.db: the journal is closed"):
        journal.append("move", 1)
    with pytest.raises(JournalClosed):
        journal.records()
    with Journal(path) as again:
        assert len(again.records()) == 100


def test_a_cancelled_wait_does_not_stop_the_journal(path: Path) -> None:
    async def give_up(journal: Journal) -> None:
        waiting = asyncio.ensure_future(asyncio.wrap_future(journal.append("move", 1)))
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    with Journal(path) as journal:
        asyncio.run(give_up(journal))
        assert journal.append("move", 2).result() == 2


def test_what_is_no_json_is_refused_at_once(path: Path) -> None:
    with Journal(path) as journal:
        with pytest.raises(TypeError, match="set"):
            journal.append("move", {1, 2})
        with pytest.raises(ValueError, match="JSON"):
            journal.append("move", float("nan"))
        assert journal.append("move", 1).result() == 1


def test_too_much_waiting_is_refused(path: Path) -> None:
    with Journal(path, most_waiting=1) as journal:
        futures: list[Future[int]] = []
        with pytest.raises(JournalOverrun, match=r"journal\.db: 1 jobs wait for the disk already"):
            futures.extend(journal.append("move", number) for number in range(100_000))
        assert [future.result() for future in futures] == list(range(1, len(futures) + 1))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE records SET kind = 'x' WHERE seq = 1",
        "DELETE FROM records",
        "UPDATE evidence SET content = x'00'",
        "DELETE FROM evidence",
        "INSERT OR REPLACE INTO records VALUES (1, 1, '', 0, 'x', '{}', 0)",
        "INSERT INTO records VALUES (9, 1, '', 0, 'x', '{}', 0)",
        "INSERT INTO evidence VALUES (1, x'00')",
        "INSERT OR REPLACE INTO evidence VALUES (2, x'00')",
    ],
)
def test_the_file_itself_forbids_changes(path: Path, statement: str) -> None:
    with Journal(path) as journal:
        journal.append("start", {})
        journal.append("move", {}, b"picture")
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="a journal is only appended to"):
        connection.execute(statement)
    connection.close()


def test_what_cannot_be_asked_does_not_stop_the_journal(path: Path) -> None:
    with Journal(path) as journal:
        journal.append("start", {}).result()
        with pytest.raises(OverflowError):
            journal.evidence(1 << 64)
        assert journal.append("move", {}).result(10) == 2


def test_an_open_journal_is_nobody_elses(path: Path) -> None:
    with Journal(path) as journal:
        with pytest.raises(JournalInUse, match=r"journal\.db: another process has this journal open"):
            Journal(path)
        journal.append("move", 1).result()
    Journal(path).close()


def test_a_journal_is_checked_without_opening_it_for_good(path: Path) -> None:
    assert read_journal(path) is None
    assert not path.parent.exists()
    with Journal(path) as journal:
        journal.append("start", {}).result()
        with pytest.raises(JournalInUse, match=r"journal\.db: another process has this journal open"):
            read_journal(path)
    assert len(read_journal(path) or ()) == 1
    assert [file.name for file in path.parent.iterdir()] == ["journal.db"], "nothing is left beside it"
    path.write_text("once upon a time " * 100)
    with pytest.raises(JournalForeign, match="no SQLite file"):
        read_journal(path)


def test_foreign_files_are_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"my holiday diary, " * 100)
    with pytest.raises(JournalForeign, match=r"journal\.db: expected a journal, found a file that is no SQLite file"):
        Journal(path)
    assert path.read_bytes() == b"my holiday diary, " * 100

    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(JournalForeign, match="found another SQLite file"):
        Journal(path)
    assert path.read_bytes() == before


def test_a_newer_journal_is_refused(path: Path) -> None:
    Journal(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.execute("ALTER TABLE records ADD COLUMN colour TEXT")
    connection.close()
    with pytest.raises(JournalNewer, match=rf"version {len(MIGRATIONS)} or older, found version {len(MIGRATIONS) + 1}"):
        Journal(path)


def test_a_damaged_journal_is_refused(path: Path) -> None:
    with Journal(path) as journal:
        for number in range(2000):
            journal.append("move", number)
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
    path.write_bytes(content)
    with pytest.raises(JournalDamaged, match=r"journal\.db: expected a journal that reads back whole"):
        Journal(path)


def test_a_journal_with_a_gap_is_refused(path: Path) -> None:
    with Journal(path) as journal:
        for number in range(3):
            journal.append("move", number)
    connection = sqlite3.connect(path)
    (trigger,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'records_no_delete'").fetchone()
    connection.execute("DROP TRIGGER records_no_delete")
    connection.execute("DELETE FROM records WHERE seq = 2")
    connection.execute(trigger)
    connection.commit()
    connection.close()
    with pytest.raises(JournalDamaged, match="expected records 1 to 3 without gaps, found 2 of them"):
        Journal(path)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(JournalWriteFailed, match=r"file/journal\.db: cannot be written"):
        Journal(tmp_path / "file" / "journal.db")


def test_a_migration_happens_whole_or_not_at_all() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection, MIGRATIONS)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    half = [*MIGRATIONS, ("ALTER TABLE records ADD COLUMN colour TEXT", "CREATE TABLE records (again)")]
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, half)
    assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert "colour" not in connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'records'").fetchone()[0]
    migrate(connection, [*MIGRATIONS, half[-1][:1]])
    assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)
    connection.close()


def test_reading_a_journal_changes_nothing_of_it(path: Path) -> None:
    with Journal(path) as journal:
        journal.append("move", 1).result()
    before = path.stat().st_mtime_ns, path.read_bytes(), sorted(path.parent.iterdir())
    assert [record.data for record in read_journal(path) or ()] == [1]
    assert (path.stat().st_mtime_ns, path.read_bytes(), sorted(path.parent.iterdir())) == before
