"""A journal that is opened anew when the disk has refused a record."""

import asyncio
import contextlib
import os
import re
import resource
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import controller.journal
from controller.journal import Journal, JournalError, JournalInDoubt, JournalWriteFailed
from controller.journal_keeper import JournalKeeper
from controller.sqlite_pages import frames_written, wal_path


async def nothing_to_catch_up() -> None:
    pass


@contextlib.contextmanager
def _synced_badly(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction that the disk has, while the program hears that it could not be synced."""
    connection.execute("BEGIN IMMEDIATE")
    yield
    connection.execute("COMMIT")
    raise sqlite3.OperationalError("disk I/O error")


def test_what_was_refused_and_is_there_is_taken_in_before_anything_is_appended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> list[str]:
        keeper = JournalKeeper(tmp_path / "journal.sqlite")
        found: asyncio.Queue[list[str]] = asyncio.Queue()
        mended = asyncio.Event()

        async def catch_up() -> None:
            found.put_nowait([record.kind for record in keeper.records()])
            with pytest.raises(JournalWriteFailed) as refused:
                keeper.append("play", {})
            assert not isinstance(refused.value, JournalInDoubt), "this is not tried"

        def show(failure: JournalError | None) -> None:
            if failure is None:
                mended.set()

        keeping = asyncio.create_task(keeper.keep(show, catch_up, retry_s=0.01))
        await asyncio.wrap_future(keeper.append("game", {}))
        with monkeypatch.context() as bad:
            bad.setattr(controller.journal, "_transaction", _synced_badly)
            with pytest.raises(JournalInDoubt, match="disk I/O error"):
                await asyncio.wrap_future(keeper.append("play", {}))
        await asyncio.wait_for(mended.wait(), 10)
        assert not frames_written(wal_path(tmp_path / "journal.sqlite")), "nothing follows what may not be on the disk"
        await asyncio.wrap_future(keeper.append("undo", {}))
        keeping.cancel()
        keeper.close()
        return found.get_nowait()

    assert asyncio.run(scenario()) == ["game", "play", "interrupted"]


def test_what_is_refused_as_its_folder_is_away_does_not_count_when_that_is_back(tmp_path: Path) -> None:
    """Without a look in between: the host was told that nothing has changed."""
    path, away = tmp_path / "data" / "journal.sqlite", tmp_path / "away"
    said: asyncio.Queue[JournalError | None] = asyncio.Queue()

    async def scenario() -> list[str]:
        with contextlib.closing(JournalKeeper(path)) as keeper:
            keeping = asyncio.create_task(keeper.keep(said.put_nowait, nothing_to_catch_up, retry_s=0.01))
            await asyncio.wrap_future(keeper.append("game", {}))
            path.parent.rename(away)
            with pytest.raises(JournalWriteFailed, match="is gone") as refused:
                await asyncio.wrap_future(keeper.append("play", {}))
            assert not isinstance(refused.value, JournalInDoubt)
            await asyncio.wait_for(said.get(), 10)
            away.rename(path.parent)
            assert await asyncio.wait_for(said.get(), 10) is None
            keeping.cancel()
            return [record.kind for record in keeper.records()]

    assert asyncio.run(scenario()) == ["game", "interrupted"]


def test_a_journal_whose_disk_is_unplugged_is_waited_for_and_not_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "disk" / "journal.sqlite"
    said: asyncio.Queue[JournalError | None] = asyncio.Queue()

    async def scenario() -> list[str]:
        keeper = JournalKeeper(path)
        keeping = asyncio.create_task(keeper.keep(said.put_nowait, nothing_to_catch_up, retry_s=0.01))
        await asyncio.wrap_future(keeper.append("game", {}))
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
        try:
            with pytest.raises(JournalWriteFailed):
                await asyncio.wrap_future(keeper.append("play", {}))
            unplugged = path.parent.rename(tmp_path / "unplugged")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        await said.get()
        gone = await asyncio.wait_for(said.get(), 10)
        assert str(gone).startswith(f"{path}: is gone")
        assert not path.parent.exists()
        unplugged.rename(path.parent)
        assert await asyncio.wait_for(said.get(), 10) is None
        kinds = [record.kind for record in keeper.records()]
        keeping.cancel()
        keeper.close()
        return kinds

    assert asyncio.run(scenario()) == ["game", "interrupted"]


@contextlib.contextmanager
def _nobody_may_look_into(folder: Path) -> Iterator[None]:
    """Root may look everywhere: then as somebody else."""
    folder.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o700)


def test_a_journal_whose_folder_cannot_be_looked_into_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "data" / "journal.sqlite"
    said: asyncio.Queue[JournalError | None] = asyncio.Queue()

    async def scenario() -> list[str]:
        with contextlib.closing(JournalKeeper(path)) as keeper:
            keeping = asyncio.create_task(keeper.keep(said.put_nowait, nothing_to_catch_up, retry_s=0.01))
            await asyncio.wrap_future(keeper.append("game", {}))
            await keeper.look()  # what workers need is imported: nobody else may read it in root's home
            with _nobody_may_look_into(path.parent):
                with pytest.raises(JournalWriteFailed, match="cannot be looked at: Permission denied"):
                    await asyncio.wrap_future(keeper.append("play", {}))
                await asyncio.wait_for(said.get(), 10)
                given_up, _ = await asyncio.wait([keeping], timeout=0.5)
                assert not given_up
            while await asyncio.wait_for(said.get(), 10) is not None:
                pass
            keeping.cancel()
            return [record.kind for record in keeper.records()]

    assert asyncio.run(scenario()) == ["game", "interrupted"]


def test_a_journal_whose_folder_is_deleted_confirms_nothing_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "data" / "journal.sqlite"
    said: asyncio.Queue[JournalError | None] = asyncio.Queue()

    async def scenario() -> None:
        with contextlib.closing(JournalKeeper(path)) as keeper:
            await asyncio.wrap_future(keeper.append("game", {}))
            await keeper.look()
            shutil.rmtree(path.parent)
            with pytest.raises(JournalWriteFailed, match=r"journal\.sqlite: is gone\. Plug in its disk"):
                await asyncio.wrap_future(keeper.append("play", {}))
            keeping = asyncio.create_task(keeper.keep(said.put_nowait, nothing_to_catch_up, retry_s=0.01))
            assert str(await asyncio.wait_for(said.get(), 10)).startswith(f"{path}: is gone")
            keeping.cancel()

    asyncio.run(scenario())
    assert not path.parent.exists()


def test_a_journal_that_is_moved_away_is_said_before_a_record_is_refused_and_goes_on_where_it_was(
    tmp_path: Path,
) -> None:
    path, away = tmp_path / "data" / "journal.sqlite", tmp_path / "away"
    said: asyncio.Queue[JournalError | None] = asyncio.Queue()

    async def scenario() -> list[str]:
        with contextlib.closing(JournalKeeper(path)) as keeper:
            keeping = asyncio.create_task(keeper.keep(said.put_nowait, nothing_to_catch_up, retry_s=0.01))
            await asyncio.wrap_future(keeper.append("game", {}))
            path.parent.rename(away)
            await keeper.look()
            assert str(await asyncio.wait_for(said.get(), 10)).startswith(f"{path}: is gone")
            with pytest.raises(JournalWriteFailed):
                keeper.append("play", {})
            await asyncio.sleep(0.05)
            away.rename(path.parent)
            assert await asyncio.wait_for(said.get(), 10) is None
            await asyncio.wrap_future(keeper.append("play", {}))
            keeping.cancel()
            return [record.kind for record in keeper.records()]

    assert asyncio.run(scenario()) == ["game", "interrupted", "play"]


def test_an_older_copy_put_in_the_place_of_a_journal_is_not_gone_on_with(tmp_path: Path) -> None:
    path, copy = tmp_path / "journal.sqlite", tmp_path / "copy.sqlite"
    said: asyncio.Queue[JournalError | None] = asyncio.Queue()
    with Journal(path) as journal:
        journal.append("game", {}).result()
    shutil.copy(path, copy)

    async def scenario() -> None:
        with contextlib.closing(JournalKeeper(path)) as keeper:
            keeping = asyncio.create_task(keeper.keep(said.put_nowait, nothing_to_catch_up, retry_s=0.01))
            await asyncio.wrap_future(keeper.append("play", {}))
            wal_path(path).unlink()
            copy.replace(path)
            with pytest.raises(JournalWriteFailed, match="another file lies there"):
                await asyncio.wrap_future(keeper.append("play", {}))
            assert "another file lies there" in str(await asyncio.wait_for(said.get(), 10))
            older = str(await asyncio.wait_for(said.get(), 10))
            assert re.search("record 2, written at .*, is not in it: it is another journal, or an older copy", older)
            keeping.cancel()

    asyncio.run(scenario())
    with Journal(path) as journal:
        assert [record.kind for record in journal.records()] == ["game"]


def test_what_was_confirmed_before_a_log_was_deleted_comes_back_into_the_file(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    said: asyncio.Queue[JournalError | None] = asyncio.Queue()

    async def scenario() -> list[str]:
        with contextlib.closing(JournalKeeper(path)) as keeper:
            keeping = asyncio.create_task(keeper.keep(said.put_nowait, nothing_to_catch_up, retry_s=0.01))
            await asyncio.wrap_future(keeper.append("game", {}))
            wal_path(path).unlink()
            with pytest.raises(JournalWriteFailed, match="sqlite-wal: is gone"):
                await asyncio.wrap_future(keeper.append("play", {}))
            await asyncio.wait_for(said.get(), 10)
            assert await asyncio.wait_for(said.get(), 10) is None
            keeping.cancel()
            return [record.kind for record in keeper.records()]

    assert asyncio.run(scenario()) == ["game", "interrupted"]
