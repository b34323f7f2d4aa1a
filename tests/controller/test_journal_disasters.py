"""The journal when the power goes and when the disk is full, with a real process, a real kill and a real disk."""

import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal import Journal, JournalDiskFull, JournalWriteFailed, read_journal
from controller.sqlite_pages import wal_path

KILLS = 20
WRITER = Path(__file__).with_name("journal_writer.py")


def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    chance = random.Random(5)
    for _ in range(KILLS):
        acknowledged = _killed_after(path, lines=chance.randrange(1, 120), waiting=chance.choice([1, 2, 40]))
        with Journal(path) as journal:
            records = journal.records()
            assert len(records) >= acknowledged
            assert [record.data["number"] for record in records] == list(range(1, len(records) + 1))
            evidence = journal.evidence(len(records)) or b""
            assert len(evidence) == len(records) % 7 * 1000


def _killed_after(path: Path, *, lines: int, waiting: int) -> int:
    """Kill the writer when it has acknowledged so many records; the last one that it did acknowledge."""
    environment = os.environ | {"PYTHONPATH": str(WRITER.parents[2])}
    with subprocess.Popen(
        [sys.executable, str(WRITER), str(path), str(waiting)], stdout=subprocess.PIPE, env=environment
    ) as writer:
        assert writer.stdout is not None
        said = [writer.stdout.readline() for _ in range(lines)]
        writer.send_signal(signal.SIGKILL)
        said += writer.stdout.readlines()
    return int([line for line in said if line.endswith(b"\n")][-1])


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with 400 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"cannot make a small disk (this needs root): {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_said_and_loses_nothing_acknowledged(small_disk: Path) -> None:
    path = small_disk / "journal.db"
    with Journal(path) as journal:
        futures = [journal.append("move", number, bytes(3000)) for number in range(400)]
        outcomes = [future.exception() for future in futures]
        failed = outcomes.index(next(outcome for outcome in outcomes if outcome))
        assert all(isinstance(outcome, JournalDiskFull) for outcome in outcomes[failed:])
        with pytest.raises(JournalDiskFull, match=r"journal\.db: the disk is full; free some space"):
            journal.append("move", 0).result()
        kept = journal.records()
    assert [record.data for record in kept] == list(range(failed))

    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    with Journal(path) as journal:
        assert journal.records() == kept
        assert journal.append("move", 1).result() == failed + 1


def test_a_failing_disk_is_said_and_loses_nothing_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
    try:
        with Journal(path) as journal:
            futures = [journal.append("move", number, bytes(3000)) for number in range(400)]
            outcomes = [future.exception() for future in futures]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    failed = outcomes.index(next(outcome for outcome in outcomes if outcome))
    assert all(isinstance(outcome, JournalWriteFailed) for outcome in outcomes[failed:])
    with Journal(path) as journal:
        assert [record.data for record in journal.records()] == list(range(failed))
        assert journal.append("move", 1).result() == failed + 1


def _read_only(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)


def test_a_journal_that_was_closed_is_read_where_nothing_may_be_written(small_disk: Path) -> None:
    path = small_disk / "journal.db"
    with Journal(path) as journal:
        journal.append("move", 1).result()
    _read_only(small_disk)
    assert [record.data for record in read_journal(path) or ()] == [1]


def test_a_journal_whose_log_is_not_brought_into_it_is_read_where_it_may_be_written_alone(small_disk: Path) -> None:
    path = small_disk / "journal.db"
    acknowledged = _killed_after(path, lines=3, waiting=1)
    _read_only(small_disk)
    with pytest.raises(JournalWriteFailed, match=r"was not closed.* journal\.db-wal beside it.* Copy these files"):
        read_journal(path)
    # Where the kill came late, it had written until the disk was full.
    subprocess.run(["mount", "-o", "remount,rw,size=64m", str(small_disk)], check=True)
    assert len(read_journal(path) or ()) >= acknowledged
    _read_only(small_disk)
    assert len(read_journal(path) or ()) >= acknowledged


def test_a_journal_whose_log_is_empty_is_read_where_nothing_may_be_written(small_disk: Path) -> None:
    path = small_disk / "journal.db"
    with Journal(path) as journal:
        journal.append("move", 1).result()
    with Journal(path):
        kept = path.read_bytes()
    path.write_bytes(kept)
    wal_path(path).touch()
    _read_only(small_disk)
    assert [record.data for record in read_journal(path) or ()] == [1]
