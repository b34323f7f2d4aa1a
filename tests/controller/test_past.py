"""What is told of a table's games where its journal is damaged."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from controller.journal import Journal, JournalError
from controller.journal_keeper import JournalKeeper
from controller.past import Past, journal_problem
from controller.records.results import Results
from tests.controller.web.table import got, make_app

BEGUN = {"game": "pizza_theory", "seats": [2, 5], "names": ["Ann", "Ben"], "options": {}, "first": 1}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal whose pictures' part of the file is damaged."""
    path = tmp_path / "journal.sqlite"
    with Journal(path) as journal:
        journal.append("game", BEGUN, begins_game=True)
        journal.append("refused", {"problem": "A slice is gone.", "remedy": "Lay it back."}, b"picture").result()
    connection = sqlite3.connect(path)
    (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'evidence'").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    content = bytearray(path.read_bytes())
    content[(root - 1) * size : root * size] = bytes(size)
    path.write_bytes(content)
    return path


def test_what_happened_is_told_without_pictures_that_cannot_be_read(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        keeper = JournalKeeper(path)
        assert keeper.recovery is None
        past = Past(keeper, Results(keeper.records))
        app = make_app(happened=past.happened, evidence=keeper.evidence)
        app.add_exception_handler(JournalError, journal_problem)
        for _ in range(2):
            answer = await got(app, "/api/results/1")
            assert answer.status_code == 200
            assert [(one["text"], one["picture"]) for one in answer.json()][1:] == [("A slice is gone.", False)]
        assert (await got(app, "/api/results/2")).status_code == 404
        answer = await got(app, "/api/results/pictures/2")
        assert (answer.status_code, answer.json()["title"]) == (503, "Not read")
        assert answer.json()["detail"].startswith(f"{path}: cannot be read: ")
        keeper.close()

    asyncio.run(scenario())
    (said,) = caplog.messages
    assert said.startswith(f"what happened is told without its pictures: {path}: cannot be read: ")
