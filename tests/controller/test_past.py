"""What is told of a table's games where its journal is damaged."""

import asyncio
import contextlib
import json
import sqlite3
import struct
from pathlib import Path

import pytest
from fastapi import Request

from controller.journal import Journal, JournalError, JournalInDoubt, JournalWriteFailed
from controller.journal_keeper import JournalKeeper
from controller.past import Past, journal_problem
from controller.records.results import Results
from tests.controller.web.table import got, make_app

BEGUN = {"game": "pizza_theory", "seats": [2, 5], "names": ["Ann", "Ben"], "options": {}, "first": 1}


PICTURES = 40
"""So many that their table has several pages."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal."""
    path = tmp_path / "journal.sqlite"
    with Journal(path) as journal:
        journal.append("game", BEGUN, begins_game=True)
        for _ in range(PICTURES):
            journal.append("refused", {"problem": "A slice is gone.", "remedy": "Lay it back."}, bytes(500))
    return path


def damage(path: Path, *, root: bool) -> None:
    """The first page of its pictures' table, or the first of those that have some."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'evidence'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    if not root:  # https://www.sqlite.org/fileformat2.html: an interior page's first cell begins with its left child
        start = (page - 1) * size
        (cell,) = struct.unpack_from(">H", content, start + 12)
        (page,) = struct.unpack_from(">I", content, start + cell)
    content[(page - 1) * size : page * size] = bytes(size)
    path.write_bytes(content)


def test_where_no_picture_could_be_written_the_journal_is_recovered_without_them(path: Path) -> None:
    damage(path, root=True)

    async def scenario() -> None:
        keeper = JournalKeeper(path)
        assert keeper.recovery is not None
        assert keeper.recovery.lost == ()
        told = Past(keeper, Results(keeper.records)).happened(1)
        assert told is not None
        assert [one.picture for one in told] == [False] * (PICTURES + 2)
        seq = await asyncio.wrap_future(keeper.append("refused", {"problem": "?"}, b"picture"))
        assert keeper.evidence(seq) == b"picture"
        keeper.close()

    asyncio.run(scenario())


def test_what_happened_is_told_without_pictures_that_cannot_be_read(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    damage(path, root=False)

    async def scenario() -> None:
        keeper = JournalKeeper(path)
        assert keeper.recovery is None
        past = Past(keeper, Results(keeper.records))
        app = make_app(happened=past.happened, evidence=keeper.evidence)
        app.add_exception_handler(JournalError, journal_problem)
        for _ in range(2):
            answer = await got(app, "/api/results/1")
            assert answer.status_code == 200
            told = [(one["text"], one["picture"]) for one in answer.json()]
            assert told[1:] == [("A slice is gone.", False)] * PICTURES
        assert (await got(app, "/api/results/2")).status_code == 404
        answer = await got(app, "/api/results/pictures/2")
        assert (answer.status_code, answer.json()["title"]) == (503, "Not read")
        assert answer.json()["detail"].startswith(f"{path}: cannot be read: ")
        keeper.close()

    asyncio.run(scenario())
    (said,) = caplog.messages
    assert said.startswith(f"what happened is told without its pictures: {path}: cannot be read: ")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (JournalWriteFailed("journal.sqlite: is gone"), "Nothing has changed: journal.sqlite: is gone"),
        (
            JournalInDoubt(JournalWriteFailed("journal.sqlite: disk I/O error")),
            "journal.sqlite: disk I/O error. This may count all the same: look again when the journal can be written.",
        ),
    ],
)
def test_a_host_is_told_whether_what_was_refused_may_count_all_the_same(error: JournalError, told: str) -> None:
    answer = journal_problem(Request({"type": "http", "method": "POST"}), error)
    assert answer.status_code == 503
    assert json.loads(bytes(answer.body))["detail"] == told
