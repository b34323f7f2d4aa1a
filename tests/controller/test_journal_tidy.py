"""Journals made smaller: pictures of older games go, nothing else does, whenever it is cut short."""

import contextlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

from controller.cli.tidy import command as tidying
from controller.journal import Journal, JournalDiskFull, JournalInUse, JournalWriteFailed, Record, read_journal
from controller.journal_recovery import open_recovering
from controller.journal_tidy import ROOM_LEFT, forget_pictures, pictures_of

GAMES, PLAYS = 5, 8


def test_pictures_of_older_games_go_and_nothing_else(played: Path) -> None:
    before, records = pictures_by_game(played), read_journal(played)
    pictures = pictures_of(played, 2)
    assert (pictures.games, pictures.of_games, pictures.going) == (GAMES, GAMES - 2, (GAMES - 2) * PLAYS)
    written: list[int] = []
    forget_pictures(played, pictures.before, written.append)
    assert read_journal(played) == records
    games = sorted(before)
    assert pictures_by_game(played) == {game: before[game] for game in games[-2:]}
    assert sum(written) == sum(len(picture) for game in games[-2:] for picture in before[game])
    assert abs(played.stat().st_size - pictures.left_bytes) < 0.1 * pictures.left_bytes
    assert sorted(file.name for file in played.parent.iterdir()) == ["journal.sqlite"]


def test_what_is_gone_is_no_longer_in_the_file(played: Path) -> None:
    """Not in pages that are unused, either."""
    assert picture(3)[:64] in played.read_bytes()
    forget_pictures(played, pictures_of(played, 0).before, lambda _: None)
    assert picture(3)[:64] not in played.read_bytes()
    assert pictures_by_game(played) == {}


def test_the_table_goes_on_with_it(played: Path) -> None:
    forget_pictures(played, pictures_of(played, 1).before, lambda _: None)
    last = len(read_journal(played) or [])
    journal, recovery = open_recovering(played)
    with journal:
        assert recovery is None
        assert journal.append("play", {}, picture(99)).result() == last + 1
        assert journal.evidence(last + 1) == picture(99)
    assert pictures_of(played, GAMES).going == 0


@pytest.mark.parametrize("keep", [GAMES, GAMES + 1])
def test_of_few_games_none_goes(played: Path, keep: int) -> None:
    assert pictures_of(played, keep).going == 0


def test_one_that_a_table_has_open_is_refused(played: Path) -> None:
    with Journal(played), pytest.raises(JournalInUse):
        pictures_of(played, 1)


def test_nobody_opens_it_meanwhile(played: Path) -> None:
    """A table that was started then would write into a file that is thrown away."""
    refused: list[bool] = []

    def start_a_table(_: int) -> None:
        child = "import sys; from pathlib import Path; from controller.journal import *\n"
        child += "try: Journal(Path(sys.argv[1]))\nexcept JournalInUse: sys.exit(7)"
        if not refused:
            refused.append(subprocess.run([sys.executable, "-c", child, played], check=False).returncode == 7)

    forget_pictures(played, pictures_of(played, 1).before, start_a_table)
    assert refused == [True]


def test_killed_at_any_time_it_is_the_old_one_or_the_new_one(played: Path, tmp_path: Path) -> None:
    records, before = read_journal(played), pictures_of(played, 2).before
    old = pictures_by_game(played)
    new = {game: pictures for game, pictures in old.items() if game >= before}
    found = []
    for at in range(2 * PLAYS + 1):
        path = tmp_path / str(at) / "journal.sqlite"
        path.parent.mkdir()
        shutil.copyfile(played, path)
        killed_after(path, before, at)
        journal, recovery = open_recovering(path)
        journal.close()
        assert recovery is None
        assert read_journal(path) == records
        found.append(pictures_by_game(path))
        assert [file.name for file in path.parent.iterdir()] == ["journal.sqlite"]
    assert found == [old] * 2 * PLAYS + [new]


def killed_after(path: Path, before: int, pictures: int) -> None:
    """Be killed when so many pictures are written, or right after the end."""
    child = os.fork()
    if child == 0:
        written = 0

        def die(_: int) -> None:
            nonlocal written
            written += 1
            if written > pictures:
                os.kill(os.getpid(), signal.SIGKILL)

        forget_pictures(path, before, die)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def test_where_there_is_no_room_it_is_as_it_was(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(played)._replace(free=ROOM_LEFT)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    content = whole(played)
    with pytest.raises(JournalDiskFull, match=r"what stays takes 0 MB.*16 MB are free.*fewer games, or none"):
        forget_pictures(played, pictures_of(played, 2).before, lambda _: None)
    assert whole(played) == content


def test_a_disk_that_ends_in_the_middle(played: Path) -> None:
    """By the limit of a file's size, of a process of its own."""
    content, before = whole(played), pictures_of(played, 4).before
    child = (
        "import resource, signal, sys; from pathlib import Path; from controller.journal_tidy import forget_pictures\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (90_000, 90_000))\n"
        "forget_pictures(Path(sys.argv[1]), int(sys.argv[2]), lambda _: None)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", child, played, str(before)], check=False, capture_output=True, text=True
    )
    assert re.search(r"JournalWriteFailed: .*journal.sqlite: cannot be made smaller: .*It is as it was", ran.stderr)
    assert whole(played) == content
    assert [file.name for file in played.parent.iterdir()] == ["journal.sqlite"]


@pytest.mark.parametrize(("number", "said"), [(5, "its pictures cannot be read"), (39, "cannot be made smaller")])
def test_pictures_that_are_damaged_are_said_to_be(played: Path, number: int, said: str) -> None:
    """Only records are checked when it is opened: no state is made from pictures."""
    content, records = bytearray(played.read_bytes()), read_journal(played)
    at = content.index(picture(number)[:64])
    if number == GAMES * PLAYS - 1:  # what goes on elsewhere of it, and still elsewhere
        pages = range(0, len(content), 4096)
        at = next(at for at in pages if content[at + 4 : at + 64] in picture(number) and any(content[at : at + 4]))
    content[at // 4096 * 4096 : at // 4096 * 4096 + 4096] = bytes(4096)
    played.write_bytes(content)
    told = tidy(played, "--keep", "1", "--yes")
    assert told.exit_code == 1
    assert re.search(f"Error: .*journal.sqlite: {said}: .*malformed", told.output)
    assert read_journal(played) == records


def test_a_link_stays_one(played: Path, tmp_path: Path) -> None:
    """The journal may lie on another disk."""
    (tmp_path / "data").mkdir()
    link = tmp_path / "data" / "journal.sqlite"
    link.symlink_to(played)
    assert tidy(link, "--keep", "1", "--yes").exit_code == 0
    assert link.is_symlink()
    assert len(pictures_by_game(played)) == 1


def test_it_says_what_goes_and_asks(played: Path) -> None:
    content = whole(played)
    said = tidy(played, "--keep", "3", answer="n\n")
    assert said.exit_code == 0
    assert "5 games, " in said.output
    assert "of which 16 pictures of 2 games take 0.1 MB. These go; all else stays." in said.output
    assert said.output.endswith("Delete them for good? [y/N]: n\nNothing was deleted.\n")
    assert whole(played) == content
    said = tidy(played, "--keep", "3", answer="y\n")
    assert said.exit_code == 0
    assert len(pictures_by_game(played)) == 3
    again = tidy(played, "--keep", "3")
    assert "There are no pictures of games before the last 3." in again.output


def test_damaged_journals_beside_it_are_told_of(played: Path) -> None:
    kept = played.with_name("journal-damaged-1.sqlite")
    kept.write_bytes(bytes(3_000_000))
    said = tidy(played, "--keep", "0", "--yes")
    assert f"{kept} takes 3.0 MB more: a damaged journal" in said.output
    assert kept.exists()


def test_where_nothing_is_or_the_table_runs_it_says_so(played: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert re.search(r"empty/journal.sqlite: .*nothing is there", tidy(empty / "journal.sqlite").output)
    assert not list(empty.iterdir())
    with Journal(played):
        assert "End its table first" in tidy(played).output


def test_its_owner_and_mode_stay(played: Path) -> None:
    played.chmod(0o640)
    if not os.geteuid():
        os.chown(played, 12345, 23456)
    owner = played.stat().st_uid, played.stat().st_gid
    forget_pictures(played, pictures_of(played, 1).before, lambda _: None)
    assert (played.stat().st_uid, played.stat().st_gid) == owner
    assert played.stat().st_mode & 0o777 == 0o640


def test_where_a_file_cannot_be_replaced_it_is_as_it_was(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = whole(played)
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(PermissionError(13, "no")))
    with pytest.raises(JournalWriteFailed, match="It is as it was"):
        forget_pictures(played, pictures_of(played, 1).before, lambda _: None)
    assert whole(played) == content
    assert [file.name for file in played.parent.iterdir()] == ["journal.sqlite"]


def tidy(journal: Path, *options: str, answer: str = "") -> Result:
    return CliRunner().invoke(tidying, ["--data", str(journal.parent), *options], input=answer)


def picture(number: int) -> bytes:
    """Larger than a page, and like no other."""
    return f"picture {number} ".encode() * 900


@pytest.fixture
def played(tmp_path: Path) -> Path:
    path = tmp_path / "played" / "journal.sqlite"
    with Journal(path) as journal:
        journal.append("start", {})
        for game in range(GAMES):
            journal.append("game", {"names": ["Zoë"]}, begins_game=True)
            for play in range(PLAYS):
                journal.append("play", {"text": f"P1 passes {play}"}, picture(game * PLAYS + play))
                journal.append("hand", {})
    return path


class Pictured(NamedTuple):
    game: int
    content: bytes


def whole(path: Path) -> tuple[list[Record] | None, dict[int, list[bytes]]]:
    return read_journal(path), pictures_by_game(path)


def pictures_by_game(path: Path) -> dict[int, list[bytes]]:
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT game, content FROM evidence JOIN records USING (seq) ORDER BY seq")
        found: dict[int, list[bytes]] = {}
        for row in map(Pictured._make, rows):
            found.setdefault(row.game, []).append(row.content)
    return found
