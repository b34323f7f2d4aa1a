"""Damaged journals: what can be read of them is gone on with, and nothing is called read that was not."""

import contextlib
import errno
import fcntl
import os
import random
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal import (
    LOST,
    MIGRATIONS,
    RECOVERED,
    Journal,
    JournalDamaged,
    JournalForeign,
    JournalInUse,
    JournalWriteFailed,
    Record,
    counted,
    migrate,
    read_journal,
)
from controller.journal_recovery import open_recovering, spans
from controller.sqlite_pages import USUAL_PAGE, frames_surely_synced, frames_written, wal_path

GAMES, PLAYS = 4, 150
LONG = 2
"""The game whose first record takes more than a page."""
BEGINNING = 4
"""So many frames of the log at most are lost where no record is to be: with a frame's head goes what the next one's
checksum goes on from."""
Damage = Callable[[bytearray, bytearray], None]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of several games with pictures, as a program leaves it that was killed: what was written last is in the
    log. Where this begins is a matter of time: here with pages that stand in it once more, so that losing its beginning
    loses no record."""
    while True:
        path = tmp_path_factory.mktemp("killed") / "journal.sqlite"
        write_and_be_killed(path)
        pages = pages_in_log(path)
        if set(pages[:BEGINNING]) <= set(pages[BEGINNING:]):
            return path


def write_and_be_killed(path: Path) -> None:
    child = os.fork()
    if child == 0:
        journal = Journal(path)
        journal.append("start", {})
        for game in range(GAMES):
            journal.append("game", {"names": ["Zoë"], "more": "x" * (6000 if game == LONG else 0)}, begins_game=True)
            for play in range(PLAYS):
                picture = os.urandom(20_000) if play % 3 == 0 else None
                written = journal.append("play", {"number": play, "text": "é" * 30}, picture)
                if play % 10 == 9:
                    written.result()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert frames_surely_synced(wal_path(path)) > 20


def pages_in_log(path: Path) -> list[int]:
    """The number of each frame's page."""
    log, frame = wal_path(path).read_bytes(), 24 + USUAL_PAGE
    count = frames_written(wal_path(path))
    return [int.from_bytes(log[at : at + 4]) for at in range(32, 32 + count * frame, frame)]


@pytest.fixture(scope="module")
def true(killed: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """Its records."""
    with Journal(copied(killed, tmp_path_factory.mktemp("true") / "journal.sqlite")) as journal:
        return journal.records()


@pytest.fixture
def path(killed: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return copied(killed, tmp_path / "journal.sqlite")


def copied(journal: Path, to: Path) -> Path:
    for one, other in ((journal, to), (wal_path(journal), wal_path(to))):
        other.write_bytes(one.read_bytes())
    return to


def damage(path: Path, how: Damage) -> None:
    log = wal_path(path)
    contents = bytearray(path.read_bytes()), bytearray(log.read_bytes() if log.exists() else b"")
    how(*contents)
    path.write_bytes(contents[0])
    if log.exists():
        log.write_bytes(contents[1])


def check(path: Path, true: list[Record]) -> set[int]:
    """Open it; each record must be a true one or LOST. Gives the numbers of those that were lost, with the missing."""
    journal, recovery = open_recovering(path)
    with journal:
        records = journal.records()
    assert recovery is not None
    assert records.pop().kind == RECOVERED
    lost = {record.seq for record in records if record.kind == LOST}
    assert lost == set(recovery.lost)
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    for record, truth in zip(records, true, strict=False):
        assert record == truth or record.seq in lost
    assert recovery.kept.exists()
    with Journal(path) as journal:
        assert journal.append("play", {}).result() == len(records) + 2, "it goes on as any other"
    return lost | {record.seq for record in true[len(records) :]}


def zeros(where: int, start: int, count: int) -> Damage:
    def do(*contents: bytearray) -> None:
        contents[where][start : start + count] = bytes(count)

    return do


def closed(path: Path) -> None:
    """As after an orderly end: all of the log is in the file."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


@pytest.mark.parametrize("bytes_gone", [16, 100, USUAL_PAGE], ids=["mark", "header", "page"])
def test_without_its_header_a_journal_is_read_whole(path: Path, true: list[Record], bytes_gone: int) -> None:
    closed(path)
    damage(path, zeros(0, 0, bytes_gone))
    assert check(path, true) == set()


def test_of_a_damaged_page_only_its_own_records_are_lost(path: Path, true: list[Record]) -> None:
    closed(path)
    page = path.read_bytes().find(b'{"number":77,') // USUAL_PAGE
    damage(path, zeros(0, page * USUAL_PAGE, USUAL_PAGE))
    lost = check(path, true)
    assert 1 + 1 + 1 + 77 in lost
    assert len(lost) < 40
    assert lost == set(range(min(lost), max(lost) + 1))


def test_the_index_tells_of_the_last_record_too(path: Path, true: list[Record]) -> None:
    closed(path)
    at = path.read_bytes().rfind(b'{"number":%d,' % (PLAYS - 1))
    damage(path, lambda file, _: file.__setitem__(slice(at, at + 4), b"\xff" * 4))
    journal, recovery = open_recovering(path)
    with journal:
        assert recovery is not None
        assert recovery.lost == (true[-1].seq,)
        assert recovery.told.startswith(
            f"the journal was damaged: {len(true) - 1} of its records could be read, 1 could"
        )
        assert journal.records()[true[-1].seq - 1].game == true[-1].game


def test_a_file_that_was_cut_off_is_read_up_to_there(path: Path, true: list[Record]) -> None:
    closed(path)
    damage(path, lambda file, _: file.__delitem__(slice(len(file) // 2, None)))
    lost = check(path, true)
    assert 0 < len(lost) < len(true) * 0.6
    assert min(lost) > len(true) * 0.4


def test_what_sqlite_would_leave_out_behind_a_broken_page_of_its_log_is_read(path: Path, true: list[Record]) -> None:
    damage(path, zeros(1, 2 * USUAL_PAGE, 100))
    for look in (Journal, read_journal):
        log = wal_path(path).read_bytes()
        with pytest.raises(JournalDamaged, match=r"-wal: expected a log that reads back whole, found \d+ sound pages"):
            look(path)
        assert wal_path(path).read_bytes() == log
    assert check(path, true) == set()


@pytest.mark.parametrize(("start", "count"), [(0, 32), (32, 24)], ids=["log's header", "first frame's"])
def test_a_log_without_its_beginning_is_read(path: Path, true: list[Record], start: int, count: int) -> None:
    damage(path, zeros(1, start, count))
    assert check(path, true) == set()


def test_a_log_that_was_cut_off_is_no_damage(path: Path, true: list[Record]) -> None:
    """The power may have gone while it was written."""
    damage(path, lambda _, log: log.__delitem__(slice(len(log) // 2, None)))
    journal, recovery = open_recovering(path)
    with journal:
        assert recovery is None
        records = journal.records()
        assert records == true[: len(records)]


def test_an_empty_file_beside_a_log_is_damage(path: Path, true: list[Record]) -> None:
    damage(path, lambda file, _: file.clear())
    assert true[-1].seq not in check(path, true)


def test_flipped_bits_never_make_another_record(path: Path, true: list[Record]) -> None:
    closed(path)
    content, chance = path.read_bytes(), random.Random(3)
    letters = content.find(b'{"number"'), content.rfind(b'{"number"')
    recovered = 0
    for number in range(12):
        one = path.with_name(f"{number}.sqlite")
        spoilt = bytearray(content)
        for _ in range(60):
            spoilt[chance.randrange(*letters)] ^= 1 << chance.randrange(8)
        one.write_bytes(spoilt)
        try:
            with Journal(one) as journal:
                assert journal.records() == true
        except JournalDamaged:
            lost = check(one, true)
            assert len(lost) < len(true) / 2
            recovered += 1
    assert recovered > 3


@pytest.mark.parametrize("bit", range(8))
def test_a_letter_that_became_another_is_damage(path: Path, true: list[Record], bit: int) -> None:
    """SQLite finds nothing in it: the pages hang together, and the text is JSON in UTF-8, or may be."""
    closed(path)
    seq = true[len(true) // 2].seq
    assert true[seq - 1].kind == "play"

    def flip(file: bytearray, _: bytearray) -> None:
        number = b'{"number":%d,"text":"' % true[seq - 1].data["number"]
        places = [match.start() for match in re.finditer(re.escape(number), file)]
        at = places[[record.seq for record in true if record.data == true[seq - 1].data].index(seq)]
        file[at + len(number)] ^= 1 << bit

    damage(path, flip)
    with pytest.raises(JournalDamaged, match=rf"record {seq}: (its checksum is \d+, that|expected a time)"):
        read_journal(path)
    assert check(path, true) == {seq}


def without_checksums(path: Path) -> Path:
    """A journal of three records, as the first version wrote it."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as older:
        migrate(older, MIGRATIONS[:1])
        for seq in (1, 2, 3):
            older.execute("INSERT INTO records VALUES (?, 1, '2026-01-01T00:00:00', 5, 'play', '{\"é\":1}')", (seq,))
    return path


def test_a_journal_without_checksums_gets_them(tmp_path: Path) -> None:
    path = without_checksums(tmp_path / "journal.sqlite")
    untouched = path.read_bytes()
    assert [record.data for record in read_journal(path) or ()] == [{"é": 1}] * 3
    assert path.read_bytes() == untouched
    with Journal(path) as journal:
        journal.append("play", {}).result()
    assert [record.seq for record in read_journal(path) or ()] == [1, 2, 3, 4]
    damage(path, lambda file, _: file.__setitem__(slice(None), file.replace(b'{"\xc3\xa9":1}', b'{"\xc3\xa9":2}', 1)))
    with pytest.raises(JournalDamaged, match=r"record \d: its checksum is \d+"):
        read_journal(path)
    with contextlib.closing(sqlite3.connect(path)) as newer, pytest.raises(sqlite3.IntegrityError, match="appended"):
        newer.execute("UPDATE records SET data = '{}'")


def test_a_damaged_journal_without_checksums_is_recovered(tmp_path: Path) -> None:
    path = without_checksums(tmp_path / "journal.sqlite")
    damage(path, zeros(0, 0, 100))
    journal, recovery = open_recovering(path)
    with journal:
        assert [record.kind for record in journal.records()] == ["play", "play", "play", RECOVERED]
    assert recovery is not None
    assert recovery.lost == ()


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_the_power_may_go_while_the_recovered_file_is_put_in_place(
    path: Path, true: list[Record], monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    damage(path, zeros(1, 2 * USUAL_PAGE, 100))
    left = steps

    def until_the_power_goes(act: Callable[[Path, Path], Path]) -> Callable[[Path, Path], Path]:
        def do(old: Path, new: Path) -> Path:
            nonlocal left
            left -= 1
            if left < 0:
                raise InterruptedError("the power is gone")
            return act(old, new)

        return do

    with monkeypatch.context() as patch:
        for name in ("rename", "replace"):
            patch.setattr(Path, name, until_the_power_goes(getattr(Path, name)))
        with pytest.raises(JournalWriteFailed, match="the power is gone"):
            open_recovering(path)
    journal, recovery = open_recovering(path)
    with journal:
        assert journal.records()[:-1] == true
        assert journal.records()[-1].kind == RECOVERED, "without it nothing that follows would count"
    kept = path.with_name("journal-damaged-1.sqlite")
    assert kept.exists()
    assert wal_path(kept).exists()
    assert recovery is None, "it was done before"


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(os.urandom(50_000))
    content = path.read_bytes()
    with pytest.raises(JournalForeign, match="no SQLite file"):
        open_recovering(path)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_only_one_process_recovers(path: Path) -> None:
    closed(path)
    damage(path, zeros(0, 0, 100))
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(JournalInUse, match="another process recovers"):
            open_recovering(path)


def test_a_journal_that_another_process_has_open_is_not_taken_from_it(path: Path) -> None:
    broken = zeros(1, 2 * USUAL_PAGE, 100)
    ours, theirs = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        journal = Journal(path)
        journal.append("play", {})
        for number in range(3):
            journal.append("play", {"number": number}).result()
        os.write(ours[1], b"open")
        os.read(theirs[0], 1)
        journal.append("play", {"number": 3}).result()
        os._exit(0)
    os.read(ours[0], 4)
    with wal_path(path).open("r+b") as log:
        content = bytearray(log.read())
        broken(bytearray(), content)
        log.seek(0)
        log.write(content)
    try:
        with pytest.raises(JournalInUse, match="another process has this journal open"):
            open_recovering(path)
    finally:
        os.write(theirs[1], b"!")
    assert os.waitpid(child, 0)[1] == 0
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, wal_path(path).name]


def test_what_cannot_be_written_leaves_nothing_on_a_full_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed(path)
    damage(path, zeros(0, 0, 100))
    content = path.read_bytes()

    def full(*_: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(JournalWriteFailed, match=r"It cannot be recovered now: the disk is full"):
            open_recovering(path)
    assert path.read_bytes() == content
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_what_follows_a_lost_record_counts_again_once_it_was_recovered() -> None:
    kinds = ["game", "play", LOST, "play", LOST, "undo", RECOVERED, "play"]
    records = [Record(seq, 1, "", 0.0, kind, {}) for seq, kind in enumerate(kinds, 1)]
    assert [record.seq for record in counted(records)] == [1, 2, 7, 8]


def test_numbers_in_words() -> None:
    assert spans([3, 7, 8, 9, 12, 13]) == "3, 7 to 9, 12 to 13"
    assert spans([]) == ""


@pytest.mark.parametrize("where", ["header", "schema"])
def test_no_flipped_bit_of_the_first_page_loses_a_record(tmp_path: Path, where: str) -> None:
    """It holds the header, by which SQLite knows how to read a file, and the text of tables and triggers."""
    path = tmp_path / "journal.sqlite"
    with Journal(path) as journal:
        journal.append("game", {"names": ["Zoë"]}, begins_game=True)
        journal.append("play", {"number": 1}).result()
        true = journal.records()
    content, chance = path.read_bytes(), random.Random(5)
    used = content.find(b"CREATE")
    places = range(100) if where == "header" else range(used - 200, USUAL_PAGE, 1)
    flips = [(at, bit) for at in places for bit in range(8)]
    recovered = 0
    for number, (at, bit) in enumerate(chance.sample(flips, 120)):
        one = tmp_path / str(number) / "journal.sqlite"
        one.parent.mkdir()
        spoilt = bytearray(content)
        spoilt[at] ^= 1 << bit
        one.write_bytes(spoilt)
        with contextlib.suppress(JournalDamaged, JournalForeign):
            assert read_journal(one) == true
        journal, recovery = open_recovering(one)
        with journal:
            journal.append("play", {"number": 2}).result()
            kept = [record for record in journal.records() if record.kind != RECOVERED]
        assert kept[:-1] == true, (at, bit)
        recovered += recovery is not None
    assert recovered > 10


def test_a_version_whose_number_is_damaged_is_known_by_its_tables(tmp_path: Path) -> None:
    path = without_checksums(tmp_path / "journal.sqlite")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(JournalDamaged, match="tables of version 7, which it says it is, found those of version 1"):
        read_journal(path)
    journal, recovery = open_recovering(path)
    with journal:
        assert [record.seq for record in journal.records()] == [1, 2, 3, 4]
    assert recovery is not None
    assert recovery.lost == ()
