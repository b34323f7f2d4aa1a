"""A journal that is opened anew when the disk has refused a record."""

import asyncio
import resource
from pathlib import Path

import pytest

from controller.journal import JournalError, JournalWriteFailed
from controller.journal_keeper import JournalKeeper


def test_a_journal_whose_disk_is_unplugged_is_waited_for_and_not_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "disk" / "journal.sqlite"
    said: asyncio.Queue[JournalError | None] = asyncio.Queue()

    async def scenario() -> list[str]:
        keeper = JournalKeeper(path)
        keeping = asyncio.create_task(keeper.keep(said.put_nowait, retry_s=0.01))
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
