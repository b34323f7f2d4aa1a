"""Keeps a table's journal going: when the disk refused a record, it is opened anew as soon as the disk takes one again.

Until then every append fails with the same error, so nothing counts that was not written.

A disk that fails while it makes a record last may have it all the same: it is found when the file is opened anew. So
before anything is appended again, those whose records these are take in what is there.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from pathlib import Path

from controller.game import Json
from controller.journal import PUT_BACK, Journal, JournalError, JournalInDoubt, JournalWriteFailed, Record
from controller.journal_recovery import open_recovering

RETRY_S = 2.0
"""Between two attempts to write again."""


class JournalKeeper:
    """A journal that recovers. To be made in the event loop; closing twice is fine."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Open the journal; what can be read of a damaged one goes into a new file, and `recovery` says what that is.

        Raises:
            JournalError: see `open_recovering`.
        """
        self._path = path
        self._journal, self.recovery = open_recovering(path)
        self._failure: JournalError | None = None
        self._failed = asyncio.Event()
        self._waiting: deque[tuple[Future[int], float]] = deque()
        self._clock = clock
        self._loop = asyncio.get_running_loop()

    def records(self, after: int = 0, *, game: int | None = None) -> list[Record]:
        """See `Journal.records`."""
        return self._journal.records(after, game=game)

    def newest(self, kind: str, count: int) -> list[Record]:
        """See `Journal.newest`."""
        return self._journal.newest(kind, count)

    def evidence(self, seq: int) -> bytes | None:
        """See `Journal.evidence`."""
        return self._journal.evidence(seq)

    def pictured(self, game: int) -> frozenset[int]:
        """See `Journal.pictured`."""
        return self._journal.pictured(game)

    def games(self) -> tuple[int, ...]:
        """See `Journal.games`."""
        return self._journal.games()

    def last_game(self) -> int | None:
        """See `Journal.last_game`."""
        return self._journal.last_game()

    def append(
        self, kind: str, data: Json, evidence: bytes | None = None, *, begins_game: bool = False
    ) -> "Future[int]":
        """See `Journal.append`; after a failed one, each raises the same error until `keep` has mended it."""
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        future = self._journal.append(kind, data, evidence, begins_game=begins_game)
        self._waiting.append((future, self._clock()))
        future.add_done_callback(self._written)
        return future

    @property
    def waits_s(self) -> float:
        """For how long the record that waits longest for the disk has done so; 0 where none does."""
        while self._waiting and self._waiting[0][0].done():
            self._waiting.popleft()
        return self._clock() - self._waiting[0][1] if self._waiting else 0.0

    async def keep(
        self,
        on_change: Callable[[JournalError | None], None],
        catch_up: Callable[[], Awaitable[None]],
        retry_s: float = RETRY_S,
    ) -> None:
        """Mend whatever fails, for good; `on_change` is called with each failure, and with None when it is mended.
        `catch_up` takes in records that were refused and are there; it is awaited before anything is appended."""
        while True:
            await self._failed.wait()
            on_change(self._failure)
            while self._failure is not None:
                await asyncio.sleep(retry_s)
                try:
                    self._journal = await asyncio.to_thread(_reopened, self._journal, str(self._failure))
                    await catch_up()
                except JournalError as error:
                    if str(error) != str(self._failure):
                        self._failure = error
                        on_change(error)
                else:
                    self._failure = None
            self._failed.clear()
            on_change(None)

    async def look(self) -> None:
        """Have it fail now, and not with the next record, where its file is gone."""
        journal = self._journal
        if self._failure is None:
            try:
                await asyncio.to_thread(journal.check_in_place)
            except JournalError as error:
                if journal is self._journal:
                    self._fail(error)

    def close(self) -> None:
        """Close the file."""
        self._journal.close()

    def _written(self, future: "Future[int]") -> None:
        """In the writer's thread."""
        error = future.exception()
        if isinstance(error, JournalError):
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to mend anything
                self._loop.call_soon_threadsafe(self._fail, error)

    def _fail(self, error: JournalError) -> None:
        if isinstance(error, JournalInDoubt):
            error = error.__cause__  # what comes after it is not written
        if self._failure is None:
            self._failure = error
        self._failed.set()


def _reopened(old: Journal, problem: str) -> Journal:
    """The same file, opened anew, which has taken a record: that there was a gap. What a failed sync left of the log
    may be in memory alone, and what follows it would be lost with it: so all goes into the file, and a log begins."""
    old.close()
    try:
        old.path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise JournalWriteFailed(f"{old.path}: is gone. {PUT_BACK}") from error
    except OSError as error:
        raise JournalWriteFailed(f"{old.path}: cannot be looked at: {error.strerror}. {PUT_BACK}") from error
    with Journal(old.path) as journal:
        journal.check_goes_on_from(old)
        journal.append("interrupted", {"problem": problem}).result()
    return Journal(old.path)
