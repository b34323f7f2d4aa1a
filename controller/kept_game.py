"""Whether the last game of a journal can be gone on with at a table of these settings; neither is changed."""

from collections.abc import Sequence
from concurrent.futures import Future

from config.schema import TableConfig
from controller.game import Json
from controller.games.registry import load_game, load_part
from controller.journal import JournalClosed, Record, games_of
from controller.outlets import DeviceOutlets
from controller.referee import Referee
from controller.table import Table
from controller.web.hub import Hub
from controller.wiring import timing


class _Kept:
    """A journal's records, for the table to read alone."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records

    def append(
        self, kind: str, data: Json, evidence: bytes | None = None, *, begins_game: bool = False
    ) -> "Future[int]":
        """Raises JournalClosed: nothing is written."""
        raise JournalClosed(f"a journal that is only read takes no record {kind!r}")

    def records(self, after: int = 0, *, game: int | None = None) -> list[Record]:
        """See `Journal.records`."""
        return [record for record in self._records if record.seq > after and game in (None, record.game)]

    def games(self) -> tuple[int, ...]:
        """See `Journal.games`."""
        return games_of(self._records)

    def last_game(self) -> int | None:
        """See `Journal.last_game`."""
        return self._records[-1].game if self._records else None


def check_replays(config: TableConfig, records: Sequence[Record]) -> None:
    """Bring the last game back at such a table.

    Raises:
        NotReplayed: `pizzatable run` would refuse it; says why, and what to do.
        GameError: the settings' game is none.
    """
    game, part = load_game(config.game), load_part(config.game, "table").GAME_TABLE
    referee, outlets = Referee(timing(config)), DeviceOutlets(Hub())
    Table(config, game, part, referee, _Kept(records), outlets, version="", simulated=False).bring_back()
