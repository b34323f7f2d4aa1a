"""Journals whose files do not belong together: SQLite would take them all the same, and say nothing."""

import errno
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller import journal as journals
from controller.journal import (
    Journal,
    JournalDiskFull,
    JournalError,
    JournalForeign,
    JournalInUse,
    JournalMixed,
    JournalWriteFailed,
    read_journal,
)
from controller.journal_recovery import open_recovering
from controller.sqlite_pages import USUAL_PAGE, is_closed, rollback_path, wal_path

LOOKS: tuple[Callable[[Path], object], ...] = (Journal, read_journal, open_recovering)


def played(path: Path, plays: int, *, killed: bool = False) -> Path:
    """A journal with so many plays more, closed, or as it is left where the program is killed."""
    with Journal(path) as journal:
        written = [journal.append("play", {"table": path.parent.name}, bytes(100)) for _ in range(plays)]
        written[-1].result()
        if killed:
            copied(path, path.with_name("killed"))
    if killed:
        copied(path.with_name("killed"), path)
    return path


def copied(journal: Path, to: Path) -> None:
    for one, other in ((journal, to), (wal_path(journal), wal_path(to))):
        shutil.copyfile(one, other)


def open_again(path: Path) -> None:
    """As the versions left a journal that did not say of one that it was closed."""
    content = path.read_bytes()
    path.write_bytes(content[:18] + b"\2\2" + content[20:])


def next_round(log: bytes) -> bytes:
    """A log with the header that SQLite writes before it begins at the front again."""
    magic, version, size, rounds, first_salt, second_salt = struct.unpack_from(">6I", log)
    header = struct.pack(">6I", magic, version, size, rounds + 1, first_salt + 1, second_salt ^ 1)
    one = two = 0
    for left, right in struct.iter_unpack(">II" if magic & 1 else "<II", header):
        one = (one + left + two) & 0xFFFFFFFF
        two = (two + right + one) & 0xFFFFFFFF
    return header + struct.pack(">II", one, two) + log[32:]


def table(tmp_path: Path, name: str) -> Path:
    return tmp_path / name / "journal.sqlite"


def refused(path: Path, because: str, kind: type[JournalError] = JournalMixed) -> None:
    """By whoever opens it, with this reason, and nothing is touched."""
    files = {file: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
    for look in LOOKS:
        with pytest.raises(kind, match=because):
            look(path)
    assert {file: file.read_bytes() for file in path.parent.iterdir() if file.is_file()} == files


@pytest.mark.parametrize(
    ("ours", "theirs", "killed"), [(5, 3, False), (50, 5, False), (3, 30, True)], ids=["few", "many", "killed"]
)
def test_another_tables_log_is_refused(tmp_path: Path, ours: int, theirs: int, killed: bool) -> None:
    path = played(table(tmp_path, "ours"), ours)
    if killed:
        played(path, 1, killed=True)
    other = played(table(tmp_path, "theirs"), theirs, killed=True)
    shutil.copyfile(wal_path(other), wal_path(path))
    why = "record 1 is one in" if killed else "journal.sqlite was closed with all its records"
    refused(path, rf"journal\.sqlite: journal\.sqlite-wal beside it is another table's, or of another copy.*: {why}")
    wal_path(path).unlink()
    with Journal(path) as journal:
        assert len(journal.records()) == ours, "without the log it goes on"


def test_an_older_copy_is_refused_beside_a_log_that_goes_on_elsewhere(tmp_path: Path) -> None:
    path = played(table(tmp_path, "ours"), 3)
    older = path.read_bytes()
    played(played(path, 60), 2, killed=True)
    path.write_bytes(older)
    refused(path, "closed with all its records")
    open_again(path)
    refused(path, r"journal\.sqlite ends with record 3, and the log goes on with \d\d")


def test_another_tables_rollback_is_refused(tmp_path: Path) -> None:
    path = played(table(tmp_path, "ours"), 60)
    pages = path.stat().st_size // USUAL_PAGE
    head = bytes.fromhex("d9d505f920a163d7") + struct.pack(">5I", 0, 1, 2, 512, USUAL_PAGE)
    rollback_path(path).write_bytes(head.ljust(512, b"\0"))
    refused(path, rf"-journal beside it is another table's.*: it is of a file of 2 pages, and .* has {pages}")


def test_a_journals_own_log_may_come_back_when_it_was_closed(tmp_path: Path) -> None:
    """The power was cut before the folder without it was on the disk."""
    path = played(played(table(tmp_path, "ours"), 3), 60, killed=True)
    log = wal_path(path).read_bytes()
    Journal(path).close()
    assert is_closed(path)
    wal_path(path).write_bytes(log)
    assert len(read_journal(path) or ()) == 63
    wal_path(path).write_bytes(log)
    with Journal(path) as journal:
        assert journal.append("play", {}).result() == 64


def test_an_older_log_of_the_same_journal_is_refused(tmp_path: Path) -> None:
    path = played(table(tmp_path, "ours"), 3, killed=True)
    older = wal_path(path).read_bytes()
    open_again(played(path, 5))
    wal_path(path).write_bytes(older)
    refused(path, "journal.sqlite ends with record 8, and the log, which is older, with 3")


def test_a_log_whose_next_round_had_just_begun_is_whole(tmp_path: Path) -> None:
    """The program was killed while the round's header was being synced, before its first page."""
    path = played(table(tmp_path, "ours"), 8, killed=True)
    log = wal_path(path).read_bytes()
    Journal(path).close()
    open_again(path)
    wal_path(path).write_bytes(next_round(log))
    assert len(read_journal(path) or ()) == 8
    wal_path(path).write_bytes(next_round(log))
    with Journal(path) as journal:
        assert journal.append("play", {}).result() == 9


def test_what_two_power_cuts_leave_of_two_transactions_is_not_damage(tmp_path: Path) -> None:
    """The second is written over what is left of the first, which goes on behind it."""
    path = played(table(tmp_path, "ours"), 8, killed=True)
    whole = wal_path(path).read_bytes()
    logs = []
    for picture in (bytes(100), bytes(60_000)):
        copy = path.with_name(f"cut{len(picture)}")
        copied(path, copy)
        with Journal(copy) as journal:
            journal.append("play", {}, picture).result()
            logs.append(bytearray(wal_path(copy).read_bytes()))
    second, first = logs
    assert second.startswith(whole)
    assert first.startswith(whole)
    second[len(whole) + 24] ^= 0xFF  # of its first page
    wal_path(path).write_bytes(second + first[len(second) :])
    assert len(read_journal(path) or ()) == 8


def test_long_records_are_no_other_tables(tmp_path: Path) -> None:
    path = table(tmp_path, "ours")
    for count in (3, 1):  # each fills a page of its own, and goes on in another
        with Journal(path) as journal:
            for _ in range(count):
                journal.append("play", {"text": "x" * 8030}).result()
            journal.append("play", {}).result()
            copied(path, path.with_name("killed"))
    copied(path.with_name("killed"), path)
    whole = path.with_name("whole")
    copied(path, whole)
    assert len(read_journal(whole) or ()) == 6

    # The power was cut while the log was brought into the file: what the pages go on in is not there yet.
    content, before = whole.read_bytes(), path.stat().st_size
    brought = [content[at : at + USUAL_PAGE] for at in range(before, len(content), USUAL_PAGE)]
    missing = [bytes(USUAL_PAGE) if page[4:].startswith(b"xxx") else page for page in brought]
    assert missing != brought
    path.write_bytes(content[:before] + b"".join(missing))
    assert len(read_journal(path) or ()) == 6


def test_a_log_without_its_journal_is_no_empty_journal(tmp_path: Path) -> None:
    path = played(table(tmp_path, "ours"), 3, killed=True)
    path.unlink()
    path.with_name("killed").unlink()
    refused(path, r"journal\.sqlite: is gone, and its log journal\.sqlite-wal is there with \d+ pages")


def test_what_another_process_writes_or_closes_meanwhile_is_not_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = played(table(tmp_path, "ours"), 3)
    other = Journal(path)
    other.append("play", {}).result()
    copy = shutil.copyfile

    def closed_meanwhile(*files: Path) -> None:
        other.close()
        copy(*files)

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", closed_meanwhile)
        journal, recovery = open_recovering(path)
    journal.close()
    assert recovery is None

    hold = (
        "import sys; from pathlib import Path; from controller.journal import Journal\n"
        "with Journal(Path(sys.argv[1])) as journal: print(journal.append('play', {}).result(), flush=True); input()"
    )
    monkeypatch.setattr(journals, "frames_surely_synced", lambda log: 1000)  # as they were before the next round
    command = [sys.executable, "-c", hold, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"5\n"
        for look in LOOKS:
            with pytest.raises(JournalInUse):
                look(path)
        running.communicate(b"\n")


def test_a_link_to_a_disk_that_is_not_there_is_no_new_journal(tmp_path: Path) -> None:
    path = played(table(tmp_path, "disk"), 3, killed=True)
    link = tmp_path / "journal.sqlite"
    link.symlink_to(path)
    there = path.parent.rename(tmp_path / "unplugged")
    refused(link, r"journal\.sqlite: is a link to .*/disk/journal\.sqlite, which is not there", JournalWriteFailed)
    there.rename(path.parent)
    log = wal_path(path).read_bytes()
    open_again(played(path, 5))
    wal_path(path).write_bytes(log)
    refused(link, "which is older, with 3")
    wal_path(path).unlink()
    with Journal(link) as journal:
        assert len(journal.records()) == 8
    assert link.is_symlink()


def test_an_empty_file_is_no_new_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.sqlite"
    path.touch()
    refused(path, "expected a journal, which is never empty, found an empty file", JournalForeign)

    path.unlink()
    migrate = journals.migrate

    def cut(*arguments: Any) -> None:
        migrate(*arguments)
        raise OSError("the power is gone")

    with monkeypatch.context() as patch:
        patch.setattr(journals, "migrate", cut)
        with pytest.raises(JournalError, match="the power is gone"):
            Journal(path)
    assert not path.exists(), "a first start leaves none"
    Journal(path).close()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_the_disk_that_is_full_is_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = played(table(tmp_path, "ours"), 3, killed=True)

    def full(*_: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    for look in LOOKS:
        with pytest.raises(JournalDiskFull, match=rf"^{tempfile.gettempdir()}: the disk of this folder is full"):
            look(path)
